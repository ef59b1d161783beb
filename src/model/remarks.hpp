// What a fit says about its table: texts and names that may be not what they seem.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/model.hpp"
#include "ardvark/row_pass.hpp"

namespace ardvark::internal {

/// Warnings: a text column that names the rows, or whose texts are numbers; row numbers among the columns. Notes: a text that may mean a
/// missing value. The texts are those of options.encoding and options.class_names.
[[nodiscard]] Report remarks_on_table(MatrixView X, const ModelOptions& options);
[[nodiscard]] Report remarks_on_table(CscView X, const ModelOptions& options);

/// Of these, what is known without the rows: of the texts.
[[nodiscard]] Report remarks_on_texts(Index num_rows, const ModelOptions& options);

/// Why a column that seems to hold numbers was read as texts, of the first such column; empty: there is none. A fit that is refused says
/// so, too: the texts may be why it has so many columns.
[[nodiscard]] std::string why_texts(const ModelOptions& options);

/// The number of rows of a report is the sum of the weights.
void note_weights(double sum, Index num_rows, Report& report);
void note_weights(const std::vector<double>& weights, Report& report);

/// Rows that are not in memory, and what a fit says of how it read them.
class CountedRows {
 public:
  explicit CountedRows(AskRows ask) : ask_(std::move(ask)) {}
  [[nodiscard]] RowSums operator()(const RowQuestion& question);
  /// What a fit in memory says of texts and weights, and whether the rows were read only once.
  /// \param weight  the sum over the rows
  [[nodiscard]] Report remarks(double weight, const ModelOptions& options) const;

 private:
  AskRows ask_;
  int times_ = 0;
  Index num_rows_ = 0;
};

/// Whether a column has no name of its own, but one that a program gave it.
[[nodiscard]] bool is_nameless(const std::string& name);
/// \param column  position in X
[[nodiscard]] std::string warning_of_row_numbers(Index column, const std::string& name);

/// A target of few whole numbers from 0 or 1 on may name classes.
class FewValues {
 public:
  void add(double y);
  [[nodiscard]] std::string remark(const ModelOptions& options) const;  ///< empty: it does not look so

 private:
  static constexpr std::size_t most_classes = 5;
  std::set<double> values_;  // at most one more
  std::size_t num_rows_ = 0;
};

}  // namespace ardvark::internal
