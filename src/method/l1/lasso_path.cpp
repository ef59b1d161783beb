// Paths of lambdas.                                                                                              docs/math/l1.md (L1.5)
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "method/l1/lasso.hpp"
#include "method/l1/lasso_problem.hpp"

namespace ardvark::internal {
namespace {

// Of a linear path: at the best noise variance, in the units of the target.                                                    (L1.10)
double log_likelihood_of(const LassoProblem& problem, const CoordinateOutcome& outcome) {
  if (!problem.is_linear) return outcome.log_likelihood;
  const double variance = -2 * outcome.log_likelihood * problem.unit * problem.unit / problem.rows;
  return -0.5 * problem.rows * (std::log(2 * std::numbers::pi * variance) + 1);
}

LogDensity density_of_path(const LassoProblem& problem, double lambda, const CoordinateOutcome& outcome, Index num_nonzero) {
  const Index columns = num_nonzero + static_cast<Index>(problem.flat.size());
  return log_density_of(problem, lambda,
                        problem.is_linear ? noise_of(-2 * outcome.log_likelihood, problem.rows, columns, problem.square).mean() : 1);
}

}  // namespace

std::vector<double> lambdas_of(const PathGrid& grid, double lambda_max, bool tall) {
  std::vector<double> lambdas = grid.lambdas;
  std::sort(lambdas.begin(), lambdas.end(), std::greater<>());
  if (!lambdas.empty()) return lambdas;
  if (!(lambda_max > 0))
    throw InvalidArgument(
        "no column under the penalty has information about the target (it is constant, or columns without a prior explain the target), so "
        "that there is no path of lambdas to choose: give a lambda, which leaves the intercept and the columns without a prior");
  const double smallest = grid.smallest > 0 ? grid.smallest : tall ? 1e-4 : 1e-2;
  for (int i = 0; i < grid.count; ++i) lambdas.push_back(lambda_max * std::pow(smallest, grid.count > 1 ? i / (grid.count - 1.0) : 0));
  return lambdas;
}

bool is_tall(const Frame& frame) {
  return frame.rows > static_cast<double>(std::count(frame.left_out.begin(), frame.left_out.end(), false));
}

LambdaPath empty_path(const Frame& frame, const std::vector<double>& lambdas, double lambda_max) {
  LambdaPath path;
  path.lambda_max = lambda_max;
  path.lambda = VectorView(lambdas).eigen();
  path.mean = Matrix::Zero(frame.num_columns(), path.lambda.size());
  path.intercept.resize(frame.options.intercept ? path.lambda.size() : 0);
  return path;
}

void write_weights(const Frame& frame, const std::vector<Index>& flat, const Vector& w, Index at, LambdaPath& path) {
  const Index p = frame.num_columns();
  const Units units = frame.user_units();
  const Standardization& s = units.standardization;
  Index num_nonzero = 0;
  double intercept = units.y_center + (frame.options.intercept ? units.y_scale * w[p] : 0);
  for (Index j = 0; j < p; ++j) {
    if (w[j] == 0) continue;
    path.mean(j, at) = units.y_scale * w[j] * (s.scale.size() > 0 ? s.scale[j] : 1.0);
    if (s.center.size() > 0) intercept -= s.center[j] * path.mean(j, at);
    if (!std::binary_search(flat.begin(), flat.end(), j)) ++num_nonzero;
  }
  path.num_nonzero.push_back(num_nonzero);
  if (frame.options.intercept) path.intercept[at] = intercept;
}

PathWriter::PathWriter(const Frame& frame, const LassoProblem& problem, const std::vector<double>& lambdas, double lambda_max)
    : frame_(frame), problem_(problem), lambdas_(lambdas), path_(empty_path(frame, lambdas, lambda_max)) {
  path_.classes = frame.classes;
  path_.notes = frame.notes;
  path_.log_likelihood.resize(path_.lambda.size());
  path_.gap.resize(path_.lambda.size());
}

void PathWriter::add(const CoordinateOutcome& outcome) {
  path_.log_likelihood[count_] = log_likelihood_of(problem_, outcome);
  path_.gap[count_] = outcome.gap;
  write_weights(frame_, problem_.flat, problem_.ascent.w(), count_, path_);
  LogDensity density = density_of_path(problem_, lambdas_[static_cast<std::size_t>(count_)], outcome, path_.num_nonzero.back());
  density.constant += bound_offset(problem_.flat, frame_.units, frame_.rows);
  path_.reports.push_back(report_of(outcome, density));
  ++count_;
}

LambdaPath PathWriter::end() {
  path_.lambda.conservativeResize(count_);
  path_.mean.conservativeResize(Eigen::NoChange, count_);
  path_.log_likelihood.conservativeResize(count_);
  path_.gap.conservativeResize(count_);
  if (frame_.options.intercept) path_.intercept.conservativeResize(count_);
  return std::move(path_);
}

LambdaPath lasso_path(const Frame& frame, const PathGrid& grid) {
  const Stopwatch watch;
  const FitOptions& options = frame.options;
  if (grid.lambdas.empty() && grid.count < 1) throw wrong("grid.count", grid.count, "it must be at least 1");
  if (!(grid.smallest >= 0 && grid.smallest <= 1)) throw wrong("grid.smallest", grid.smallest, "it must lie between 0 and 1");
  for (double lambda : grid.lambdas) validate::positive(lambda, {"", "an entry of grid.lambdas"});
  LassoProblem problem(frame);
  const double lambda_max = problem.lambda_max();
  const std::vector<double> lambdas = lambdas_of(grid, lambda_max, is_tall(frame));
  PathWriter writer(frame, problem, lambdas, lambda_max);
  for (const double lambda : lambdas) {
    const CoordinateOutcome outcome = problem.solve(lambda, settings_of(options, log_density_of(problem, lambda), watch));
    writer.add(outcome);
    if (outcome.status == Status::stopped_by_user) break;
  }
  LambdaPath path = writer.end();
  path.seconds = watch.seconds();
  return path;
}

}  // namespace ardvark::internal
