// fit_logistic and fit_logistic_path: table and labels are checked.
#include "ardvark/logistic.hpp"

#include <fmt/format.h>

#include "core/blas.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "fit/validate_options.hpp"
#include "frame/frame.hpp"
#include "method/l1/lasso.hpp"

namespace ardvark {

using namespace internal;

namespace {

void validate_table(MatrixView X, VectorView labels, const FitOptions& options) {
  validate::matrix(X, "X", options.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(options.weights, X.rows());
}

}  // namespace

LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options) {
  validate_table(X, labels, options);
  return {fit_as_asked(Task::logistic, X, labels, options)};
}

LogisticPath fit_logistic_path(MatrixView X, VectorView labels, const PathGrid& grid, const FitOptions& options) {
  validate_table(X, labels, options);
  FitOptions lasso = options;
  if (lasso.prior.kind == PriorKind::automatic) lasso.prior.kind = PriorKind::laplace;
  if (lasso.prior.kind != PriorKind::laplace)
    throw InvalidArgument(fmt::format("prior is '{}'; a path of lambdas needs the Laplace prior", to_string(lasso.prior.kind)));
  if (!lasso.preset.empty())
    throw InvalidArgument(fmt::format("preset is '{}'; a path of lambdas needs a model, not a preset", lasso.preset));
  validate_options(lasso, Task::logistic, X.cols());
  const blas::ThreadScope threads(options.threads);
  return lasso_path(make_frame(Task::logistic, X, labels, lasso), grid);
}

}  // namespace ardvark
