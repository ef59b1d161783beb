// The presets of the SLR toolbox.                                                                              docs/math/slr.md
#pragma once

#include <string>
#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// A logistic fit with pruned columns as one of these columns alone, each relevant, ascending; no other has a weight from then on.
[[nodiscard]] Fit of_columns(const Fit& all, const std::vector<Index>& columns, double prune_at);

}  // namespace ardvark::internal
