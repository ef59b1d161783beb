// Why a classification with columns without a prior has no posterior.
#pragma once

#include <string>
#include <vector>

#include "frame/solution.hpp"

namespace ardvark::internal {

/// If columns without a prior are linearly dependent up to rounding, the likelihood does not determine their coefficients: its maximum
/// depends on rounding, or does not exist.                                                                                   (RIDGE.11)
/// \return  a message; empty if they are independent, or more than the rows
[[nodiscard]] std::string why_no_maximum(const Frame& frame, const std::vector<Index>& flat_columns);

/// A system is not positive definite if columns without a prior are linearly dependent, or if rows have lost their weight because these
/// columns separate the classes. Writes into the report which of them it is, and what to do. Does nothing if every column has a prior.
void explain_no_posterior(const Frame& frame, const std::vector<Index>& flat_columns, Report& report);

/// If the score of the columns without a prior alone classifies all rows correctly, these columns separate the classes, and there is no
/// maximum. Writes this into the solution's report.
void call_separated(const Frame& frame, Solution& solution);

}  // namespace ardvark::internal
