// The first look at rows that are not in memory, and what a fit makes of it: columns in their units, a sample, a question.
//                                                                                                        docs/math/passes.md (PASS.2)
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "frame/frame.hpp"
#include "passes/passes.hpp"
#include "passes/row_sums.hpp"
#include "passes/small_table.hpp"

namespace ardvark::internal {

/// The limit for one classification: in the first look, each class has sums over the columns.
inline constexpr Index most_classes_by_passes = 1000;

/// What the first look says of the rows.
struct FirstLook {
  RowSums answer;
  Moments total;
  std::vector<double> labels;  ///< [C] ascending, also of rows of weight 0
  Vector weights;              ///< [C] of their rows
  RowSample sample;

  [[nodiscard]] Index num_columns() const { return total.size() - 1; }
};
/// \throws InvalidArgument  there are no rows; more labels
[[nodiscard]] FirstLook look_at(const AskRows& ask, const std::vector<std::string>& column_names, Index most_labels);
/// The same of counts. \param offset  a column that is none of the predictors
[[nodiscard]] FirstLook look_at_counts(const AskRows& ask, const std::vector<std::string>& column_names,
                                       const std::optional<OffsetColumn>& offset);

/// The same of a regression.
[[nodiscard]] FirstLook look_at_numbers(const AskRows& ask, const std::vector<std::string>& column_names);

/// Rows that have been looked at: `ask` knows the answer of the first look.
struct RowsLookedAt {
  AskRows ask;
  Index num_labels = 0, num_rows = 0;
};
[[nodiscard]] RowsLookedAt look_once(const AskRows& ask, const std::vector<std::string>& column_names);

/// fit(X, y, options) of the rows of a sample, with their weights.
auto fit_sample(const RowSample& sample, auto options, auto&& fit) {
  const auto n = static_cast<Index>(sample.y.size());
  const bool all_ones = std::ranges::all_of(sample.weights, [](double weight) { return weight == 1; });
  options.weights = all_ones ? VectorView() : VectorView(sample.weights);
  const MatrixView X(sample.X.data(), n, static_cast<Index>(sample.X.size()) / n, Layout::row_major);
  return fit(X, VectorView(sample.y), options);
}

/// \throws InvalidArgument  `options` has weights; in passes, the rows bring their own
void refuse_weights(const FitOptions& options);
/// \throws InvalidArgument  an option needs rows in memory
/// \param is_softmax  of one model for several classes
void refuse_what_needs_rows(const FitOptions& options, bool is_softmax = false);

/// The columns in their units, from the moments of the rows.
/// \param table  has the moments of the rows; must exist as long as the frame
[[nodiscard]] Frame frame_of(const FirstLook& look, Task task, std::vector<std::string> classes, const SmallTable& table,
                             FitOptions options);

/// A question to rows that have been looked at.
[[nodiscard]] RowQuestion::State pass_of(const FirstLook& look);

}  // namespace ardvark::internal
