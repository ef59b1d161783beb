#include "method/l1/lasso_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "frame/noise_prior.hpp"
#include "method/l1/lasso.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// sqrt(sum k x^2) of the columns of the design: known of standardised ones.                                                      (L1.6)
Vector lengths_of(const Frame& frame, Index num_columns) {
  const Index p = frame.num_columns();
  Vector center, length = Vector::Ones(p);
  if (!frame.options.standardize) frame.X.moments(frame.k, frame.options.intercept, center, length);
  for (Index j = 0; j < p; ++j)
    if (frame.left_out[static_cast<std::size_t>(j)]) length[j] = 0;
  length.conservativeResize(num_columns);
  length.tail(num_columns - p).setOnes();
  return std::sqrt(frame.rows) * length;
}

}  // namespace

LassoProblem::LassoProblem(const Frame& frame)
    : table(frame.design()),
      store(std::make_shared<ColumnStore>(*table)),
      is_linear(has_noise(frame.task)),
      unit(frame.units.y_scale),
      rows(frame.rows),
      square(mean_square_of_target(frame)),
      flat(flat_columns_of(frame)),
      num_penalised(table->cols() - static_cast<Index>(flat.size()) - std::count(frame.left_out.begin(), frame.left_out.end(), true)),
      ascent(store, {}, frame.target, frame.k, flat, lengths_of(frame, table->cols()), loss()) {}

GammaDistribution noise_of(double squared_residuals, double rows, Index num_columns, double square_of_target) {
  const double rounding = 1e-16 * rows * square_of_target;
  return {0.5 * std::max(rows - static_cast<double>(num_columns), 1.0), 0.5 * std::max(squared_residuals, rounding)};
}

LogDensity log_density_of(const LassoProblem& problem, double lambda, double noise_precision) {
  const double penalised = static_cast<double>(problem.num_penalised);
  if (!problem.is_linear) return {log_prior_constant(problem.num_penalised, lambda), 1};
  return {0.5 * problem.rows * std::log(noise_precision / (2 * std::numbers::pi)) +
              penalised * std::log(0.5 * noise_precision * lambda / problem.unit),
          noise_precision};
}

CoordinateSettings settings_of(const FitOptions& options, const LogDensity& density, const Stopwatch& watch) {
  CoordinateSettings settings;
  settings.tolerance = options.tolerance.value_or(1e-9);
  settings.max_steps = options.max_sweeps;
  if (options.on_sweep)
    settings.on_step = [&options, density, watch](int steps, double objective) {
      return options.on_sweep({steps, density(objective), watch.seconds()});
    };
  return settings;
}

Report report_of(const CoordinateOutcome& outcome, const LogDensity& density) {
  Report report;
  report.status = outcome.status;
  report.message = outcome.message;
  report.sweeps = outcome.num_steps;
  report.solver = SolverKind::coordinate;
  report.solver_reason = "Newton steps on the columns that matter";
  report.bound = density(outcome.log_likelihood - outcome.penalty);
  report.bound_history = outcome.objective;
  for (double& bound : report.bound_history) bound = density(bound);
  return report;
}

}  // namespace ardvark::internal
