// Intervals of many coefficients, with one quantile for all.
#pragma once

#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// [columns,2] credible_interval() of these coefficients, with its errors.
[[nodiscard]] Matrix credible_intervals(const Fit& fit, const std::vector<Index>& columns, double level);

}  // namespace ardvark::internal
