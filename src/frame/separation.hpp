// Why a classification with columns without a prior has no posterior.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frame/solution.hpp"

namespace ardvark::internal {

inline constexpr const char* dependent_flat_columns =
    "columns without a prior are linearly dependent, so their coefficients are not unique; leave some of them out, or give them a prior "
    "(--prior shared)";

/// If columns without a prior are linearly dependent up to rounding, the likelihood does not determine their coefficients: its maximum
/// depends on rounding, or does not exist.                                                                                   (RIDGE.11)
/// \return  a message; empty if they are independent, or more than the rows
[[nodiscard]] std::string why_no_maximum(const Frame& frame, const std::vector<Index>& flat_columns);

/// The message that columns without a prior separate the classes. \param when  "after 7 steps"
[[nodiscard]] std::string why_separated(const std::string& when);

/// The message that columns without a prior tell rows whose counts are all 0 from the others.
[[nodiscard]] std::string why_unlimited(const std::string& when);

/// When a fit found that there is no posterior.
struct When {
  std::string text;               ///< "sweep 3"
  bool row_weights_have_changed;  ///< not yet in the first sweep
};

/// A system is not positive definite if columns without a prior are linearly dependent, or if rows have lost their weight because these
/// columns separate the classes. Writes into the report which of them it is, and what to do. Does nothing if every column has a prior.
void explain_no_posterior(const Frame& frame, const std::vector<Index>& flat_columns, const When& when, Report& report);

/// If a rate that a fit of counts found is 0 up to the range of numbers where there are counts, its bound has fallen by less than the
/// rounding of a much larger constant. Writes this into the solution's report.
void call_vanished(const Frame& frame, Solution& solution);

/// If the expected rate of a row with a weight is above the range of numbers, there is no posterior to use. Writes this into the solution's
/// report.
/// \param log_rate  [n] the largest ln of the expected rate under a component of the posterior, without offsets
void call_overflown(const Frame& frame, const Vector& log_rate, Solution& solution);
/// \param when     "sweep 3"
/// \param largest  of the logarithms of the expected rates, with offsets
void call_overflown(std::optional<Family> family, const std::string& when, double largest, Solution& solution);

/// If the score of the columns without a prior alone classifies all rows correctly, these columns separate the classes, and there is no
/// maximum. Writes this into the solution's report.
void call_separated(const Frame& frame, Solution& solution);

/// The same for counts whose sweeps ended because coefficients without a prior grew in a direction without a maximum. X is dense.
void call_unlimited(const Frame& frame, Solution& solution);

}  // namespace ardvark::internal
