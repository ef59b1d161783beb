// What LinearStatistics hold.
#pragma once

#include <optional>

#include "ardvark/statistics.hpp"
#include "rows/moments.hpp"
#include "rows/ordered_tree.hpp"

namespace ardvark {

struct LinearStatistics::State {
  StatisticsForm form = StatisticsForm::gram;
  Index num_columns = 0, num_rows = 0, num_weighted = 0;  ///< num_weighted: rows with a positive weight
  FeatureEncoding encoding;
  std::vector<std::string> columns;  ///< names by the encoding
  std::string target;
  std::optional<internal::Moments> closed;        ///< rows before those of the tree
  internal::OrderedTree<internal::Moments> tree;  ///< whole blocks
  std::vector<double> X, y, weights;              ///< the rows after them: less than a block. X row by row; weights: empty: ones

  [[nodiscard]] Index num_waiting() const { return static_cast<Index>(y.size()); }
  [[nodiscard]] internal::RowBlock waiting() const;
  /// Of all rows; none: no row has a positive weight.
  [[nodiscard]] std::optional<internal::Moments> total() const;
};

}  // namespace ardvark
