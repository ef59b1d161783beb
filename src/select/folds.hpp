// Rows dealt to folds, and rows taken out of a matrix.                                                        docs/math/selection.md
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Deals rows to folds at random, class by class. The sequence follows from the seed alone, with any compiler.
class StratifiedDealer {
 public:
  explicit StratifiedDealer(std::uint64_t seed) : engine_(seed) {}

  /// The fold of each row. \param classes  [n] number of each row's class, 0 .. num_classes - 1; a negative one takes no part (fold -1)
  std::vector<int> deal(const std::vector<Index>& classes, Index num_classes, int folds);

 private:
  Index below(Index count);  ///< uniform in 0 .. count - 1

  std::mt19937_64 engine_;
};

/// A copy of some rows, in the order and precision of the original.
class RowSubset {
 public:
  RowSubset(const MatrixView& X, const std::vector<Index>& rows);
  [[nodiscard]] const MatrixView& view() const { return view_; }

 private:
  std::vector<double> doubles_;
  std::vector<float> floats_;
  MatrixView view_;
};

}  // namespace ardvark::internal
