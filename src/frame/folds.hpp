// Divides rows into folds.                                                                                        docs/math/selection.md
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Divides rows into folds at random, class by class. The result depends only on the seed, with any compiler.
class StratifiedDealer {
 public:
  explicit StratifiedDealer(std::uint64_t seed) : engine_(seed) {}

  /// The fold of each row. \param classes  [n] class of each row, 0 .. num_classes - 1; a row with a negative class has the fold -1: none
  std::vector<int> deal(const std::vector<Index>& classes, Index num_classes, int folds);

 private:
  Index below(Index count);  ///< uniform in 0 .. count - 1

  std::mt19937_64 engine_;
};

}  // namespace ardvark::internal
