// fit_linear, fit_logistic, fit_counts, and the paths of lambdas: table and target are checked.
#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

void check_table(Task task, const FitTable& X, VectorView target, const FitOptions& options) {
  X.check_shape("X");
  if (!has_noise(task)) X.check_finite("X", options.column_names);  // a linear fit sees it from the moments of the columns
  validate::vector(target, X.rows(), facts_of(task).argument);
  validate::weights(options.weights, X.rows());
}

}  // namespace

Fit internal::fit_table(Task task, const FitTable& X, VectorView target, const FitOptions& options, std::shared_ptr<double[]> memory) {
  check_table(task, X, target, options);
  return fit_as_asked(task, X, target, options, std::move(memory));
}

LinearFit fit_linear(MatrixView X, VectorView y, const FitOptions& options) { return {fit_table(Task::linear, X, y, options)}; }
LinearFit fit_linear(CscView X, VectorView y, const FitOptions& options) { return {fit_table(Task::linear, X, y, options)}; }
LinearFit fit_linear(GenotypeView X, VectorView y, const FitOptions& options) { return {fit_table(Task::linear, X, y, options)}; }
LinearFit fit_linear(OwnedMatrix&& X, VectorView y, const FitOptions& options) {
  return {fit_table(Task::linear, X.view, y, options, std::move(X.memory))};
}

LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options) {
  return {fit_table(Task::logistic, X, labels, options)};
}
LogisticFit fit_logistic(CscView X, VectorView labels, const FitOptions& options) {
  return {fit_table(Task::logistic, X, labels, options)};
}
LogisticFit fit_logistic(GenotypeView X, VectorView labels, const FitOptions& options) {
  return {fit_table(Task::logistic, X, labels, options)};
}

CountFit fit_counts(MatrixView X, VectorView counts, const FitOptions& options) { return {fit_table(Task::counts, X, counts, options)}; }
CountFit fit_counts(CscView X, VectorView counts, const FitOptions& options) { return {fit_table(Task::counts, X, counts, options)}; }

namespace {

LambdaPath path_of_table(Task task, const FitTable& X, VectorView target, const PathGrid& grid, const FitOptions& options) {
  check_table(task, X, target, options);
  return path_as_asked(task, X, target, grid, options);
}

}  // namespace

LambdaPath fit_linear_path(MatrixView X, VectorView y, const PathGrid& grid, const FitOptions& options) {
  return path_of_table(Task::linear, X, y, grid, options);
}
LambdaPath fit_linear_path(CscView X, VectorView y, const PathGrid& grid, const FitOptions& options) {
  return path_of_table(Task::linear, X, y, grid, options);
}
LambdaPath fit_logistic_path(MatrixView X, VectorView labels, const PathGrid& grid, const FitOptions& options) {
  return path_of_table(Task::logistic, X, labels, grid, options);
}
LambdaPath fit_logistic_path(CscView X, VectorView labels, const PathGrid& grid, const FitOptions& options) {
  return path_of_table(Task::logistic, X, labels, grid, options);
}

}  // namespace ardvark
