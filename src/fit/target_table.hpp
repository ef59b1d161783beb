// A table of many targets, or one that stands in for it because it has the same sums.
#pragma once

#include <vector>

#include "ardvark/targets.hpp"
#include "frame/prepare.hpp"

namespace ardvark::internal {

struct TargetTable {
  MatrixView X, Y;
  StandIn stand_in = {};                  ///< without its y; empty: the tables are the caller's own
  Vector origin = {};                     ///< [K] the numbers of a target are differences from this one; empty: 0
  std::vector<TargetStatus> status = {};  ///< [K] not converged: the target is not fitted, and this is why; empty: all can be

  [[nodiscard]] double origin_of(Index target) const { return origin.size() > 0 ? origin[target] : 0.0; }
  /// Whether a fit can be tried.
  [[nodiscard]] bool has(Index target) const { return status.empty() || status_of(target) == TargetStatus::converged; }
  [[nodiscard]] TargetStatus status_of(Index target) const { return status[static_cast<std::size_t>(target)]; }
};

/// fit_targets() of such tables. \param options  with the weights of the rows of X
[[nodiscard]] TargetsFit fit_target_table(const TargetTable& table, const TargetsOptions& options);

}  // namespace ardvark::internal
