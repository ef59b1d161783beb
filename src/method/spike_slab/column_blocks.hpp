// Which columns have a posterior together.                                                               docs/math/sparse.md (SP.10),
// (SP.13)
#pragma once

#include <span>
#include <vector>

#include "method/spike_slab/reduced_rows.hpp"

namespace ardvark::internal {

/// A partition of the columns. A unit is what has an indicator: where sets are groups the set, else the column.
class ColumnSets {
 public:
  enum class Indicators { one, of_each_column };
  /// \param columns  [p] set by set.  \param begin  [sets + 1] set s holds columns[begin[s]] .. columns[begin[s+1]-1]
  ColumnSets(std::vector<Index> columns, std::vector<Index> begin, Indicators indicators);

  [[nodiscard]] Index size() const { return static_cast<Index>(begin_.size()) - 1; }
  [[nodiscard]] std::span<const Index> columns_of(Index set) const {
    const auto first = static_cast<std::size_t>(begin_[static_cast<std::size_t>(set)]);
    return {columns_.data() + first, static_cast<std::size_t>(begin_[static_cast<std::size_t>(set) + 1]) - first};
  }
  [[nodiscard]] Index set_of(Index column) const { return set_of_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] bool has_one_indicator() const { return indicators_ == Indicators::one; }
  [[nodiscard]] Index unit_of(Index set, Index column) const { return has_one_indicator() ? set : column; }
  [[nodiscard]] Index largest() const { return largest_; }
  /// Where in one array the matrices of the sets of more than one column begin, and its size.
  [[nodiscard]] Index covariance_begin(Index set) const { return covariance_begin_[static_cast<std::size_t>(set)]; }
  [[nodiscard]] Index covariance_size() const { return covariance_begin_.back(); }
  /// The sets in the order of the first of their units in `units`, which names each once.
  [[nodiscard]] std::vector<Index> in_order_of(std::span<const Index> units) const;

 private:
  std::vector<Index> columns_, begin_, set_of_, covariance_begin_;
  Indicators indicators_;
  Index largest_ = 0;
};

/// Each group a set.
[[nodiscard]] ColumnSets groups_of(const PenalisedColumns& which);

/// Blocks of columns with a correlation above one half with the first of them, at most most_in_block each; columns are visited in this
/// order, and of more than m columns the first m only may open a block. Where nothing is correlated, the columns one by one.  (SP.13)
/// O(m p min(m, p)) in single precision; pairs near one half are looked at again in double.
[[nodiscard]] ColumnSets correlated_blocks(const ReducedRows& rows, const std::vector<Index>& order);

}  // namespace ardvark::internal
