// Products of a table whose standardised columns are made in single precision, some at a time: for forms that are not numbers of double
// precision in memory.                                                                       docs/math/optimum.md (MP.5), sparse.md (SP.26)
#pragma once

#include <functional>

#include "ardvark/types.hpp"

namespace ardvark::internal {

struct SinglePanels {
  Index rows, cols;  ///< without an intercept
  bool by_column;    ///< a panel is [rows, count]; else [count, rows]
  /// Some standardised columns, to the first `count` columns or rows of the panel. May be called from several threads at once.
  std::function<void(Index first, Index count, Eigen::MatrixXf& panel)> read;
};

/// out.topRows(cols) <- X'R, by column.
void project_panels(const SinglePanels& X, const Matrix& R, Matrix& out);
/// out.topRows(rows) <- X W; some sums over columns are in single precision, and these are added in double.
void apply_panels(const SinglePanels& X, const Matrix& W, Matrix& out);
/// K [rows, rows] <- lower triangle of X X'; panels are added in double precision, and so is the diagonal of each.                (MP.5)
void row_gram_of_panels(const SinglePanels& X, Matrix& K);

/// Whether single precision keeps what a fit needs: no column outweighs the others.
[[nodiscard]] bool are_even(const Vector& squares);
/// Whether no few directions of the rows outweigh the others: rounding is relative to the largest.                               (MP.5)
[[nodiscard]] bool is_spread_out(const Matrix& K);

}  // namespace ardvark::internal
