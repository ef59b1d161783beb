// fit_linear: validate, choose the prior, put the target in its own units, and fit.
#include "ardvark/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/digits.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "fit/prior_choice.hpp"
#include "fit/validate_options.hpp"
#include "frame/describe.hpp"
#include "method/greedy/greedy_preset.hpp"
#include "method/spike_slab/sparse.hpp"
#include "method/sweep/sweep_fit.hpp"
#include "preset/preset.hpp"

namespace ardvark {
namespace {

LinearFit fit_linear_of(MatrixView X, std::shared_ptr<double[]> memory, VectorView y, const FitOptions& options) {
  const Stopwatch watch;
  validate::shape(X, "X");
  validate::vector(y, X.rows(), "y");
  validate::weights(options.weights, X.rows());
  validate_options(options, Task::linear, X.cols());
  const ChosenOptions chosen = with_chosen_prior(options, Task::linear, X.rows(), X.cols());
  LinearFit fit = fit_checked_linear(X, y, chosen.options, std::move(memory));
  note_choice(chosen, fit);
  warn_if_too_confident(options, fit, X.cols());
  fit.report.seconds = watch.seconds();  // of all of it, what describes the fit included
  return fit;
}

// The target as the fit sees it, in the units that `state` gets.
Vector standardise_target(VectorView y, const Vector& k, const FitOptions& options, detail::FitState& state, Report& report) {
  Vector standard_y = y.eigen();
  // Beside a flat intercept taking the mean off changes nothing in the model, and spares the residuals a cancellation.
  const bool centred = options.intercept && !options.penalize_intercept;
  if (!options.preset.empty() || (!options.standardize && !centred)) return standard_y;
  const double total = k.sum();
  double mean = k.dot(standard_y) / total;
  // The sum of large numbers is off by more than they may differ: their mean is found from the differences.                     (LIN.7)
  const double off = k.dot((standard_y.array() - mean).matrix()) / total;
  if (steps_of(std::abs(off), mean) > 4) mean += off;
  if (options.intercept) state.y_center = mean;
  standard_y.array() -= state.y_center;
  const double first =
      options.intercept ? standard_y[std::find_if(k.begin(), k.end(), [](double weight) { return weight > 0; }) - k.begin()] : 0.0;
  const bool all_equal = (k.array() == 0 || standard_y.array() == first).all();
  const double spread = validate::spread(std::sqrt(k.dot(standard_y.cwiseAbs2()) / total), all_equal, "the target");
  const bool is_constant = !is_spread(spread, mean);
  if (is_constant) {
    report.warnings.push_back("the target is constant: there is nothing to explain");
    standard_y.setZero();
  } else if (options.intercept && has_few_digits(spread, mean)) {
    report.warnings.push_back(few_digits("the target", spread, mean));
  }
  if (!options.standardize) return standard_y;
  state.y_scale = !is_constant ? spread : mean != 0 ? std::abs(mean) : 1.0;
  standard_y /= state.y_scale;
  return standard_y;
}

std::unique_ptr<Likelihood> gaussian_likelihood(const Vector& y, const Vector& k, const Partition& partition, const FitOptions& options,
                                                double y_scale) {
  const Index num_flat = partition.num_flat();
  if (options.posterior == LinearPosterior::joint)
    return std::make_unique<Gaussian>(y, k, options.noise.shape, options.noise.rate, num_flat, partition.num_columns() - num_flat);
  return make_gaussian_factorised(y, k, options.noise, options.start_noise * y_scale * y_scale);
}

}  // namespace

LinearFit fit_linear(MatrixView X, VectorView y, const FitOptions& options) { return fit_linear_of(X, nullptr, y, options); }
LinearFit fit_linear(OwnedMatrix&& X, VectorView y, const FitOptions& options) {
  return fit_linear_of(X.view, std::move(X.memory), y, options);
}

LinearFit fit_checked_linear(MatrixView X, VectorView y, const FitOptions& options, std::shared_ptr<double[]> memory) {
  const Stopwatch watch;
  const blas::ThreadScope threads(options.threads);

  LinearFit fit;
  fit.task = Task::linear;
  if (preset_facts(options.preset).method == PresetMethod::greedy) {
    validate::matrix(X, "X", options.column_names);
    fit_greedy_preset(X, y.eigen(), options, fit);
    fit.report.seconds = watch.seconds();
    return fit;
  }
  const Vector k = weights_or_ones(options.weights, X.rows());
  Prepared prepared = prepare_columns(X, k, options);
  fit.report.warnings = prepared.warnings;
  auto state = std::make_shared<detail::FitState>();
  const Vector standard_y = standardise_target(y, k, options, *state, fit.report);
  if (is_sparse(options.prior.kind)) {
    fit_sparse_linear(X, std::move(memory), standard_y, k, ending_at_once(options), std::move(prepared), state, fit);
    if (options.keep_covariance == Keep::never) state->factor = {};
    fit.report.seconds = watch.seconds();
    return fit;
  }
  PreparedPrior prior = prepare_prior(options, X.cols(), prepared.left_out);
  const double total = k.sum();
  require_rows(options, total, prior.partition.num_flat());
  fit.posterior = options.posterior;
  const auto likelihood = gaussian_likelihood(standard_y, k, prior.partition, options, state->y_scale);
  const Posterior q = fit_by_sweeps(options, {X, *likelihood, std::move(prepared), std::move(prior), total}, state, watch, fit);

  // R^2 about the mean where there is an intercept, about zero otherwise.
  const double center = options.intercept ? k.dot(standard_y) / total : 0.0;
  const double around = k.dot((standard_y.array() - center).square().matrix());
  fit.r_squared = around > 0 ? 1 - k.dot((standard_y - q.m).cwiseAbs2()) / around : 0.0;
  return fit;
}

}  // namespace ardvark
