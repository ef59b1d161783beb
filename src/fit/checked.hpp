// fit_linear and fit_logistic for callers inside the library, who have checked X and y and may have no columns at all.
#pragma once

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {

/// \param memory  of X, if the caller has given it away
[[nodiscard]] LinearFit fit_checked_linear(MatrixView X, VectorView y, const FitOptions& options,
                                           std::shared_ptr<double[]> memory = nullptr);
[[nodiscard]] LogisticFit fit_checked_logistic(MatrixView X, VectorView labels, const FitOptions& options);

}  // namespace ardvark
