// fit_linear: table and target are checked.
#include "ardvark/linear.hpp"

#include "core/validate.hpp"
#include "fit/checked.hpp"

namespace ardvark {

using namespace internal;

namespace {

LinearFit fit_linear_of(MatrixView X, std::shared_ptr<double[]> memory, VectorView y, const FitOptions& options) {
  validate::shape(X, "X");
  validate::vector(y, X.rows(), "y");
  validate::weights(options.weights, X.rows());
  return {fit_as_asked(Task::linear, X, y, options, std::move(memory))};
}

}  // namespace

LinearFit fit_linear(MatrixView X, VectorView y, const FitOptions& options) { return fit_linear_of(X, nullptr, y, options); }
LinearFit fit_linear(OwnedMatrix&& X, VectorView y, const FitOptions& options) {
  return fit_linear_of(X.view, std::move(X.memory), y, options);
}

}  // namespace ardvark
