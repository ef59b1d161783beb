// Fits of a table and a target that have been checked.
#pragma once

#include <memory>

#include "ardvark/fit.hpp"
#include "likelihood/registry.hpp"

namespace ardvark::internal {

/// For callers inside the library, whose options are right and name a prior; there may be no columns at all.
/// \param y       linear: the target; logistic: labels, of two kinds
/// \param memory  of X, if the caller has given it away
[[nodiscard]] Fit fit_checked(Task task, MatrixView X, VectorView y, const FitOptions& options, std::shared_ptr<double[]> memory = nullptr);

/// By sweeps, under one of the priors shared, ard, groups and none. \throws InvalidArgument  a target that is none of the likelihood
[[nodiscard]] Fit fit_by(const LikelihoodRow& likelihood, MatrixView X, VectorView y, const FitOptions& options);
/// fit_checked after a look at the options, and with a prior for `automatic`. \throws InvalidArgument
[[nodiscard]] Fit fit_as_asked(Task task, MatrixView X, VectorView y, const FitOptions& options,
                               std::shared_ptr<double[]> memory = nullptr);

}  // namespace ardvark::internal
