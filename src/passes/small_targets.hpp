// A small table with the same sums as the rows of statistics of many targets.       docs/math/statistics.md (ST.3), targets.md (TGT.11)
#pragma once

#include "passes/small_table.hpp"
#include "rows/target_statistics_state.hpp"

namespace ardvark::internal {

/// Rows with the same weight, weighted means and cross-products with each target as the rows of the statistics.                  (TGT.11)
struct SmallTargets {
  Matrix X, Y;                     ///< [m,p], [m,K]; a target whose sums are not right is 0
  StandIn stand_in;                ///< of the columns
  Vector origin;                   ///< [K] the numbers of a target are differences from this one
  std::vector<bool> is_explained;  ///< [K] the rest of the target is lost in the rounding of its cross-products
};
/// \param closed  of a positive weight
[[nodiscard]] SmallTargets small_targets(const TargetStatistics::State& closed, bool about_mean);

}  // namespace ardvark::internal
