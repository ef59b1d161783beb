// The pairs of classes, in the same order for fitting, predicting and printing.
#pragma once

#include <utility>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// (low, high), low < high, in the order of the columns of a one_against_one fit.                                           (SMX.10)
[[nodiscard]] inline std::vector<std::pair<Index, Index>> class_pairs(Index num_classes) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index low = 0; low < num_classes; ++low)
    for (Index high = low + 1; high < num_classes; ++high) pairs.emplace_back(low, high);
  return pairs;
}

}  // namespace ardvark::internal
