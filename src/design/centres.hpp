// Chooses the centres of kernel columns: inputs, or points between them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ardvark/kernel.hpp"

namespace ardvark::internal {

/// k(X, X) = L L' + R: a factorisation whose next pivot is the largest diagonal of the remainder R. If the kernel is positive
/// semi-definite, no entry of R is larger than its largest diagonal.
struct PivotedCholesky {
  std::vector<Index> pivots;
  Matrix L;               ///< [n, pivots]
  double left = 0;        ///< the largest diagonal of R
  double least_left = 0;  ///< the smallest diagonal: far below 0 if the kernel is not positive semi-definite
};
/// Ends after max_count pivots, when no diagonal exceeds tolerance times the largest k(x, x), or when `go_on`, called before each pivot,
/// returns false. Among diagonals that are equal up to rounding, the first is the pivot. O(n count (count + d)).
[[nodiscard]] PivotedCholesky pivoted_cholesky(const Kernel& kernel, const Matrix& X, Index max_count, double tolerance,
                                               const std::function<bool(Index count, double left)>& go_on = {});

/// The positions of the rows, sorted by the smallest value, then the second smallest, and so on, so that the order of the columns does not
/// matter; then by the first value, then the second, and so on; equal rows by position.
[[nodiscard]] std::vector<Index> rows_by_content(const Matrix& X);

/// Rows of X, in the order in which a pivoted Cholesky factorisation of k(X, X) takes them: each is the row that the rows before explain
/// worst, measured by the diagonal of the remainder. Ends after max_count rows, or when no diagonal exceeds tolerance times the largest
/// k(x, x). The order of the rows does not change the centres: among equally good rows, the row nearest to the mean of the different rows
/// (by the kernel) is taken, then the first by content. Of equal rows the first is taken.                                      (KER.13)
/// O(n count (count + d)); holds n x count numbers.
[[nodiscard]] std::vector<Index> pivoted_cholesky_centres(const Kernel& kernel, const Matrix& X, Index max_count, double tolerance);

/// Centres by Lloyd's k-means with a k-means++ start, one per row. The same seed and the same rows, in any order, give the same centres.
/// Returns fewer than `count` if X has fewer different rows. At most 100 iterations of O(n count d).
[[nodiscard]] Matrix kmeans_centres(const Matrix& X, Index count, std::uint64_t seed);

}  // namespace ardvark::internal
