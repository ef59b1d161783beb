// The presets of the SLR toolbox.                                                                              docs/math/slr.md
#pragma once

#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// Turns a logistic fit with pruned columns into a fit of only these columns, ascending, all relevant. No other column has a weight then.
[[nodiscard]] Fit of_columns(const Fit& all, const std::vector<Index>& columns, double prune_at);

}  // namespace ardvark::internal
