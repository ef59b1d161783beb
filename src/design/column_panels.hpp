// Reads some columns of a design, one panel at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "core/pulse.hpp"
#include "design/design.hpp"

namespace ardvark::internal {

/// Calls f(panel [rows, count], positions in `columns` of the panel's columns) until every column was in one panel. Reads the design in its
/// own order, about eight megabytes at a time.
void for_column_panels(Design& X, const std::vector<Index>& columns, auto&& f) {
  const Index n = X.rows(), p = X.cols();
  std::vector<Index> position(static_cast<std::size_t>(p), -1);
  for (std::size_t i = 0; i < columns.size(); ++i) position[static_cast<std::size_t>(columns[i])] = static_cast<Index>(i);
  const Index block = std::clamp<Index>((Index{1} << 20) / std::max<Index>(n, 512), 1,
                                        std::max<Index>(p, 1));  // limited if rows are few: callers copy as many columns
  Matrix panel(n, block);
  for (Index first = 0; first < p; first += block) {
    pulse();
    const Index count = std::min(block, p - first);
    X.columns(first, count, panel.leftCols(count));
    std::vector<Index> at;
    for (Index j = 0; j < count; ++j) {
      const Index here = position[static_cast<std::size_t>(first + j)];
      if (here < 0) continue;
      if (const auto to = static_cast<Index>(at.size()); to < j) panel.col(to) = panel.col(j);
      at.push_back(here);
    }
    if (!at.empty()) f(panel.leftCols(static_cast<Index>(at.size())), at);
  }
}

/// The columns in one matrix [rows, columns].
[[nodiscard]] inline Matrix read_columns(Design& X, const std::vector<Index>& columns) {
  Matrix out(X.rows(), static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) X.columns(columns[i], 1, out.middleCols(static_cast<Index>(i), 1));
  return out;
}

}  // namespace ardvark::internal
