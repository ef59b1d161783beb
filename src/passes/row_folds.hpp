// One number for each row, by which the rows are divided into folds.                                        docs/math/l1.md (L1.14)
#pragma once

#include <cstdint>
#include <vector>

#include "frame/frame.hpp"

namespace ardvark::internal {

/// The factor of the target (0), or of a column by its number from 1 among those that vary and are no copies.                     (L1.14)
[[nodiscard]] double fold_factor(Index number);

/// The columns that vary and are no copies, in the order of their numbers: by the size of their correlations with the target, so that the
/// order in the table decides only among equal ones.
/// \param correlation  [columns]
[[nodiscard]] std::vector<Index> fold_columns(const std::vector<bool>& left_out, const Vector& correlation);

/// [columns] The factors of standardised columns, with the signs of their correlations: a column times -1 is another unit. 0: left out.
[[nodiscard]] Vector fold_factors(const std::vector<bool>& left_out, const Vector& correlation);

/// [rows] The numbers of the rows of a frame whose columns and target are standardised.
[[nodiscard]] Vector fold_numbers(const Frame& frame);
/// The same of a table, whether the options standardise it or not.
[[nodiscard]] Vector fold_numbers(Task task, const FitTable& X, VectorView y, FitOptions options);

/// The folds of rows that are not in memory: cells of the numbers.
struct RowFolds {
  Index count = 1;
  std::uint64_t seed = 0;
  Vector factor;     ///< [columns] of differences from the center in the units of the caller; empty: there is one fold
  double width = 1;  ///< of a cell

  /// \param number    of the row \param is_own  whether it is of the class that the others are compared with
  [[nodiscard]] Index fold_of(double number, bool is_own) const;
};

}  // namespace ardvark::internal
