// fit_logistic and fit_logistic_path: table and labels are checked.
#include "ardvark/logistic.hpp"

#include "core/validate.hpp"
#include "fit/checked.hpp"

namespace ardvark {

using namespace internal;

namespace {

void validate_table(const FitTable& X, VectorView labels, const FitOptions& options) {
  X.check_shape("X");
  X.check_finite("X", options.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(options.weights, X.rows());
}

}  // namespace

LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options) {
  validate_table(X, labels, options);
  return {fit_as_asked(Task::logistic, X, labels, options)};
}
LogisticFit fit_logistic(CscView X, VectorView labels, const FitOptions& options) {
  validate_table(X, labels, options);
  return {fit_as_asked(Task::logistic, X, labels, options)};
}

LambdaPath fit_logistic_path(MatrixView X, VectorView labels, const PathGrid& grid, const FitOptions& options) {
  validate_table(X, labels, options);
  return path_as_asked(Task::logistic, X, labels, grid, options);
}

}  // namespace ardvark
