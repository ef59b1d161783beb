// Weight, means and cross-products of the rows of a table and of many targets.               docs/math/statistics.md (ST.1), (ST.7)
#pragma once

#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// A sum and what its additions have rounded off; their sum has about twice the digits.                                          (ST.7)
struct CompensatedSum {
  Matrix high, low;

  [[nodiscard]] Matrix value() const { return low.size() > 0 ? Matrix(high + low) : high; }
};

/// Of the columns of [X Y]; q = p + K. A column whose values are all equal has cross-products that are exactly 0, and exactly this value as
/// its mean; the square of any other column is larger than 0, also where it underflows.
struct TargetMoments {
  double weight = 0;
  CompensatedSum mean;     ///< [q,1]
  CompensatedSum cross;    ///< [p,p] of the columns; the lower triangle
  CompensatedSum product;  ///< [p,K] of a column and a target
  CompensatedSum squares;  ///< [K,1]

  [[nodiscard]] Index num_columns() const { return cross.high.rows(); }
  [[nodiscard]] Index num_targets() const { return squares.high.rows(); }
  /// Adds the rows of `right`: of a block, or rounded().                                                                         (ST.1)
  void merge(const TargetMoments& right);
  /// The same sums without what the additions have rounded off, as a file has them.
  [[nodiscard]] TargetMoments rounded() const;
};

/// Rows less a point, times the roots of their weights, with their sums. Each row is a column of a matrix, so that it lies in one piece.
struct CentredRows {
  Vector point;     ///< [q]
  Matrix rows;      ///< [q,room]
  Index count = 0;  ///< so many columns of `rows` are rows
  double weight = 0;
  Vector off;      ///< [q] sums of weight times difference
  Vector squares;  ///< [q] sums of weight times squared difference

  /// Makes room for more rows, which the caller writes into the columns from the old count on. \param most  rows at any time
  void grow(Index added, Index most);
};

/// A point near the mean of the rows; of equal numbers, exactly this number. \param rows  [n,q] one after the other
[[nodiscard]] Vector point_near_rows(const std::vector<double>& rows, Index q);
/// \param rows  not empty. \param p  so many of its columns are those of X
[[nodiscard]] TargetMoments target_moments_of(const CentredRows& rows, Index p);

/// Rows of a block. It takes at most 64 MiB, or as much as the sums, if that is more.                                             (ST.7)
[[nodiscard]] Index rows_of_a_target_block(Index p, Index K);

}  // namespace ardvark::internal
