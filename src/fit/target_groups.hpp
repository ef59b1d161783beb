// Targets by their gaps.
#pragma once

#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// Targets whose values are there in the same rows.
struct TargetGroup {
  std::vector<Index> rows;  ///< empty: all
  std::vector<Index> targets;
};

/// The first group has the targets without gaps, and those that are not fitted: with an infinite value, or with gaps that are not dropped.
[[nodiscard]] std::vector<TargetGroup> groups_of_targets(MatrixView Y, bool drop_missing);

/// Some rows of the table and of the weights.
struct SomeRows {
  Matrix X;
  Vector weights;
  FitOptions options;  ///< with these weights

  SomeRows(MatrixView all, const std::vector<Index>& rows, const FitOptions& of_all);
  SomeRows(const SomeRows&) = delete;  // the options point to the weights
  SomeRows& operator=(const SomeRows&) = delete;
};

}  // namespace ardvark::internal
