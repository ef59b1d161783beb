// An order of rows that depends on their content alone.                                                        docs/math/kernels.md
// (KER.13)
#pragma once

#include <algorithm>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Compares rows by content, independent of the order of rows and columns: first by their sorted values, then by the values in their order.
template <typename Table>
class ByContent {
 public:
  explicit ByContent(const Table& table) : table_(table), sorted_(table.cols(), table.rows()) {
    for (Index i = 0; i < table.rows(); ++i) {
      for (Index j = 0; j < table.cols(); ++j) sorted_(j, i) = table(i, j);
      std::sort(sorted_.col(i).begin(), sorted_.col(i).end());
    }
  }
  /// < 0: a comes first; 0: they are equal.
  [[nodiscard]] int compare(Index a, Index b) const {
    for (Index j = 0; j < sorted_.rows(); ++j)
      if (sorted_(j, a) != sorted_(j, b)) return sorted_(j, a) < sorted_(j, b) ? -1 : 1;
    for (Index j = 0; j < sorted_.rows(); ++j)
      if (table_(a, j) != table_(b, j)) return table_(a, j) < table_(b, j) ? -1 : 1;
    return 0;
  }

 private:
  const Table& table_;
  Matrix sorted_;  // one column per row of the table
};

}  // namespace ardvark::internal
