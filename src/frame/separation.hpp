// Why columns without a prior have no posterior beside classes.
#pragma once

#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/types.hpp"
#include "design/dense.hpp"

namespace ardvark {

/// Columns without a prior that depend on one another but for rounding have no coefficients that a likelihood could tell apart: its maximum
/// would be found along what rounding has left of them, or nowhere.                                                             (RIDGE.11)
/// \param k  observation weights
/// \return   that, as a sentence; empty if they do not, or are more than the rows
[[nodiscard]] std::string why_no_maximum(MatrixView X, const Standardization& standardization, const Vector& k,
                                         const std::vector<Index>& flat_columns);

/// A system that is not positive definite has columns without a prior that depend on one another, or rows that have lost their weight
/// because these columns tell the classes apart. Puts into the report which it is, and what to do; nothing where every column has a prior.
/// \param k  observation weights
void explain_no_posterior(MatrixView X, const Standardization& standardization, const Vector& k, const std::vector<Index>& flat_columns,
                          Report& report);

/// The columns without a prior of a fit by one score, the intercept among them.
[[nodiscard]] std::vector<Index> flat_columns_of(const Fit& fit);

/// Columns without a prior whose score alone puts every row on its own side show that the classes can be separated by them, so that there
/// is no maximum to have converged to. Puts that into the report.   \param t in {0, 1}, weights k
void call_separated(MatrixView X, const Vector& t, const Vector& k, const std::vector<Index>& flat_columns, Fit& fit);

}  // namespace ardvark
