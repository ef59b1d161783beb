// fit_linear and fit_linear_path: table and target are checked.
#include "ardvark/linear.hpp"

#include "core/validate.hpp"
#include "fit/checked.hpp"

namespace ardvark {

using namespace internal;

namespace {

void check_table(const FitTable& X, VectorView y, const FitOptions& options) {
  X.check_shape("X");
  validate::vector(y, X.rows(), "y");
  validate::weights(options.weights, X.rows());
}

LinearFit fit_linear_of(const FitTable& X, std::shared_ptr<double[]> memory, VectorView y, const FitOptions& options) {
  check_table(X, y, options);
  return {fit_as_asked(Task::linear, X, y, options, std::move(memory))};
}

}  // namespace

LinearFit fit_linear(MatrixView X, VectorView y, const FitOptions& options) { return fit_linear_of(X, nullptr, y, options); }
LinearFit fit_linear(CscView X, VectorView y, const FitOptions& options) { return fit_linear_of(X, nullptr, y, options); }
LinearFit fit_linear(OwnedMatrix&& X, VectorView y, const FitOptions& options) {
  return fit_linear_of(X.view, std::move(X.memory), y, options);
}

LambdaPath fit_linear_path(MatrixView X, VectorView y, const PathGrid& grid, const FitOptions& options) {
  check_table(X, y, options);
  return path_as_asked(Task::linear, X, y, grid, options);
}

}  // namespace ardvark
