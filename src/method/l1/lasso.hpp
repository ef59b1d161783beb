// Logistic regression under a Laplace prior, from the caller's table to a Fit.                                      docs/math/l1.md
#pragma once

#include "ardvark/logistic.hpp"

namespace ardvark {

/// \throws InvalidArgument  options that have no meaning beside a Laplace prior; a lambda below zero
void validate_lasso(const FitOptions& options);

/// t [rows] in {0, 1}, checked; `fit` holds task and classes.
void fit_lasso(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options, Fit& fit);
[[nodiscard]] LogisticPath fit_lasso_path(MatrixView X, const Vector& t, const Vector& k, const PathGrid& grid, const FitOptions& options);

/// Where a method for the mode has ended: the columns that are not zero or flat, ascending, and the rows there.
struct LassoMode {
  std::vector<Index> columns;
  Vector w;
  Matrix X;  ///< [rows, columns]
  Vector m, omega;
};
/// Everything of `fit` but the report's status, message and counts: Laplace's approximation among these columns.             (L1.8)
/// \param flat  columns without penalty, the intercept among them
void describe_lasso(const LassoMode& mode, const std::vector<Index>& flat, const Vector& t, const Vector& k, const FitOptions& options,
                    std::shared_ptr<detail::FitState> state, Fit& fit);

}  // namespace ardvark
