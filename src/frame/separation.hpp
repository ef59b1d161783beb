// Why columns without a prior have no posterior beside classes.
#pragma once

#include <string>
#include <vector>

#include "frame/solution.hpp"

namespace ardvark::internal {

/// Columns without a prior that depend on one another but for rounding have no coefficients that a likelihood could tell apart: its maximum
/// would be found along what rounding has left of them, or nowhere.                                                             (RIDGE.11)
/// \return  that, as a sentence; empty if they do not, or are more than the rows
[[nodiscard]] std::string why_no_maximum(const Frame& frame, const std::vector<Index>& flat_columns);

/// A system that is not positive definite has columns without a prior that depend on one another, or rows that have lost their weight
/// because these columns tell the classes apart. Puts into the report which it is, and what to do; nothing where every column has a prior.
void explain_no_posterior(const Frame& frame, const std::vector<Index>& flat_columns, Report& report);

/// Columns without a prior whose score alone puts every row on its own side show that the classes can be separated by them, so that there
/// is no maximum to have converged to. Puts that into the solution's report.
void call_separated(const Frame& frame, Solution& solution);

}  // namespace ardvark::internal
