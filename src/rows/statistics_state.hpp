// What LinearStatistics hold.
#pragma once

#include <optional>

#include "ardvark/statistics.hpp"
#include "rows/moments.hpp"
#include "rows/ordered_tree.hpp"
#include "rows/waiting_rows.hpp"

namespace ardvark {

struct LinearStatistics::State : internal::WaitingRows {
  StatisticsForm form = StatisticsForm::gram;
  Index num_columns = 0, num_rows = 0, num_weighted = 0;  ///< num_weighted: rows with a positive weight
  FeatureEncoding encoding;
  std::vector<std::string> columns;  ///< names by the encoding
  std::string target;
  std::optional<internal::Moments> closed;        ///< rows before those of the tree
  internal::OrderedTree<internal::Moments> tree;  ///< whole blocks

  /// Adds rows that are checked only for numbers that are not finite. num_rows counts them.
  void add(const internal::RowBlock& rows);
  /// Adds the rows of another state with the same columns, as if they came next. \throws InvalidArgument  it has other columns
  void merge(const State& right);
  /// Gives the columns another order, leaves some out, or adds constant ones.
  void rearrange(const internal::Rearrangement& columns, FeatureEncoding encoding);
  [[nodiscard]] internal::RowBlock waiting() const { return WaitingRows::waiting(num_columns); }
  /// Of all rows; none: no row has a positive weight.
  [[nodiscard]] std::optional<internal::Moments> total() const;
};

}  // namespace ardvark
