// What a fit says about its table: texts and names that may be not what they seem.
#pragma once

#include <set>
#include <string>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// Warnings: a text column that names the rows, or whose texts are numbers; row numbers among the columns. Notes: a text that may mean a
/// missing value. The texts are those of options.encoding and options.class_names.
[[nodiscard]] Report remarks_on_table(MatrixView X, const ModelOptions& options);

/// Of these, what is known without the rows: of the texts.
[[nodiscard]] Report remarks_on_texts(Index num_rows, const ModelOptions& options);

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
