// Which columns have a joint posterior.                                                          docs/math/sparse.md (SP.10), (SP.13)
#pragma once

#include <span>
#include <vector>

#include "method/spike_slab/reduced_rows.hpp"

namespace ardvark::internal {

/// A partition of the columns into sets. A unit has one indicator: it is the set if the sets are groups, otherwise the column.
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
  /// Positions in one array for the covariance matrices of all sets with more than one column, and the size of this array.
  [[nodiscard]] Index covariance_begin(Index set) const { return covariance_begin_[static_cast<std::size_t>(set)]; }
  [[nodiscard]] Index covariance_size() const { return covariance_begin_.back(); }
  /// The sets in the order in which their first units appear in `units`, which has each unit once.
  [[nodiscard]] std::vector<Index> in_order_of(std::span<const Index> units) const;

 private:
  std::vector<Index> columns_, begin_, set_of_, covariance_begin_;
  Indicators indicators_;
  Index largest_ = 0;
};

/// Each group is a set.
[[nodiscard]] ColumnSets groups_of(const PenalisedColumns& which);

/// For many targets, whose blocks differ. Null: there are too many to keep.               O(m p^2) in single precision
[[nodiscard]] std::shared_ptr<const NearColumns> near_columns(const ReducedRows& rows);

/// Blocks of at most most_in_block columns, each with a correlation above one half with the first one. Columns are visited in this order;
/// with more than m columns, only the first m may start a block. Other columns have a set each.                              (SP.13)
/// O(m p min(m, p)) in single precision, unless the rows know which columns are near; correlations near one half are computed again in
/// double precision.
[[nodiscard]] ColumnSets correlated_blocks(const ReducedRows& rows, const std::vector<Index>& order);

}  // namespace ardvark::internal
