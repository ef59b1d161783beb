// Regressions with few rows: what a prior takes as known is integrated.                                 docs/math/linear.md (LIN.9)
#pragma once

#include "frame/solution.hpp"

namespace ardvark::internal {

/// The weight of the covariance of (LIN.9): 1 up to 30 rows, 0 from 60 rows on, linear in between.
[[nodiscard]] double share_of_few_rows(double num_rows);

/// Whether (LIN.9) is for a fit with these options: a regression under shared, groups, ard or laplace that is no published program.
[[nodiscard]] bool integrates_few_rows(Task task, const FitOptions& options, double num_rows);

/// Replaces the noise, and the variances and the factor of V, by those of (LIN.9). Means and bounds stay.
void integrate_few_rows(const Frame& frame, Solution& solution);

}  // namespace ardvark::internal
