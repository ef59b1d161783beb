// fit_counts: table and counts are checked.
#include "ardvark/counts.hpp"

#include "core/validate.hpp"
#include "fit/checked.hpp"

namespace ardvark {

using namespace internal;

CountFit fit_counts(MatrixView X, VectorView counts, const FitOptions& options) {
  validate::matrix(X, "X", options.column_names);
  validate::vector(counts, X.rows(), "counts");
  validate::weights(options.weights, X.rows());
  return {fit_as_asked(Task::counts, X, counts, options)};
}

}  // namespace ardvark
