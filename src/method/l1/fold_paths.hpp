// The paths of all rows and of the folds of a cross-validation, side by side.                              docs/math/l1.md (L1.12), (L1.15)
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "method/l1/lambda_choice.hpp"

namespace ardvark::internal {

/// The rows of each fold.
struct RowsOfFolds {
  std::vector<int> fold;  ///< [rows] -1: in none, as the row has no weight
  int count = 0;
};

/// The losses of the folds, and the path of all rows: for the lambdas that were solved.
/// \param on_sweep  replaces that of the options of the frame; empty: none
/// \return  without a value if on_sweep has stopped it
[[nodiscard]] std::optional<std::vector<FoldLoss>> losses_of_folds(const Frame& frame, const RowsOfFolds& folds,
                                                                   const SweepCallback& on_sweep, LambdaPath& path);

}  // namespace ardvark::internal
