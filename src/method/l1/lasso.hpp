// Regression under a Laplace prior, from the caller's table to a Fit.                                      docs/math/l1.md
#pragma once

#include "ardvark/logistic.hpp"
#include "frame/solution.hpp"

namespace ardvark::internal {

/// \throws InvalidArgument  options that cannot be used with a Laplace prior; a lambda below zero
void validate_lasso(const FitOptions& options);

[[nodiscard]] Solution solve_lasso(const Frame& frame);
[[nodiscard]] LambdaPath lasso_path(const Frame& frame, const PathGrid& grid);

/// Whether columns of the design separate some rows of one class from the others, so that without a prior they have no maximum.  (L1.13)
[[nodiscard]] bool separate_rows(const Frame& frame, const std::vector<Index>& columns);

/// The result of a search for the mode: the columns that are flat or have a weight other than zero, ascending, and the rows there.
struct LassoMode {
  std::vector<Index> columns;
  Vector w;
  Matrix X;  ///< [rows, columns]
  Vector m, omega;
};
/// Laplace's approximation for these columns.                                                                                (L1.8)
/// \param flat    columns without penalty, with the intercept
/// \param report  of the search
[[nodiscard]] Solution solution_of(const LassoMode& mode, std::vector<Index> flat, const Frame& frame, Report report);

}  // namespace ardvark::internal
