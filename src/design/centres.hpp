// Which inputs, or which points between them, serve as centres of kernel columns.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ardvark/kernel.hpp"

namespace ardvark::internal {

/// k(X, X) = L L' + R: a factorisation with the largest diagonal of the remainder R as the next pivot. Of a positive semi-definite kernel
/// no entry of R is larger than its largest diagonal.
struct PivotedCholesky {
  std::vector<Index> pivots;
  Matrix L;               ///< [n, pivots]
  double left = 0;        ///< the largest diagonal of R
  double least_left = 0;  ///< and the smallest: far below 0 where the kernel is not positive semi-definite
};
/// Ends after max_count pivots, when no diagonal exceeds tolerance times the largest k(x, x), or when `go_on`, asked after each pivot, says
/// false. Of diagonals that are equal but for rounding the first is taken. O(n count (count + d)).
[[nodiscard]] PivotedCholesky pivoted_cholesky(const Kernel& kernel, const Matrix& X, Index max_count, double tolerance,
                                               const std::function<bool(Index count, double left)>& go_on = {});

/// The positions of the rows, ascending by their first value, then their second, and so on; equal rows by position.
[[nodiscard]] std::vector<Index> rows_by_content(const Matrix& X);

/// Rows of X, in the order in which a pivoted Cholesky factorisation of k(X, X) takes them: each is the row that the ones before explain
/// worst, judged by the diagonal of what is left. Ends after max_count rows, or when no diagonal exceeds tolerance times the largest
/// k(x, x). The same rows in another order have the same centres: of several that are explained equally badly the one nearest to the mean
/// of the different rows, by the kernel, is taken, then by content. Of equal rows the first is taken.                          (KER.13)
/// O(n count (count + d)); holds n x count numbers.
[[nodiscard]] std::vector<Index> pivoted_cholesky_centres(const Kernel& kernel, const Matrix& X, Index max_count, double tolerance);

/// Centres by Lloyd's k-means from a k-means++ start, one a row: the same seed and the same rows, in any order, give the same centres.
/// Fewer than `count` if X has fewer different rows. At most 100 rounds of O(n count d).
[[nodiscard]] Matrix kmeans_centres(const Matrix& X, Index count, std::uint64_t seed);

}  // namespace ardvark::internal
