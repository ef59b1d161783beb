// The columns of a frame that take part in a fit, as a table of their own.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "frame/frame.hpp"
#include "frame/solution.hpp"
#include "table/column_copy.hpp"

namespace ardvark::internal {

/// Columns that are left out add nothing, but a method would read them in each of its steps. If they are many, it is given the others
/// alone.
class KeptColumns {
 public:
  explicit KeptColumns(Frame whole);
  /// What a method is given. Notes and warnings are added here, too.
  [[nodiscard]] Frame& frame() { return some_ ? *some_ : whole_; }
  /// The fit of the whole table, from the solution of frame().
  [[nodiscard]] Fit fit(Solution solution);
  /// [kept, count] as [columns, count], with 0 for the others.
  [[nodiscard]] Matrix of_all(const Matrix& of_kept) const;

 private:
  void take_options();
  void take_table();
  [[nodiscard]] Solution spread(Solution of_kept) const;

  Frame whole_;
  std::optional<Frame> some_;  // none: all columns
  std::vector<Index> place_;   // [kept] in the whole table, ascending
  std::unique_ptr<ColumnCopy> copy_;
};

}  // namespace ardvark::internal
