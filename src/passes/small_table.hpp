// A small table with the same sums as the rows of statistics.                                   docs/math/statistics.md (ST.3), (ST.5)
#pragma once

#include "frame/prepare.hpp"
#include "rows/statistics_state.hpp"

namespace ardvark::internal {

inline constexpr double lost = 1e-13;  ///< a share of the variance of a column that is rounding of its cross-products

/// A with A'A equal to cross-products of [X y].
struct RootOfCross {
  Matrix A;                   ///< [r,q]
  bool is_explained = false;  ///< the rest of the target is lost in the rounding of its cross-products
};
/// The correlations of the columns are factorised, the column with the largest rest first; the target is last.
/// \param C  [q,q] the lower triangle
[[nodiscard]] RootOfCross root_of_cross(Matrix C, Index most_rows);

/// The same in steps. Of the correlations C [p,p] of columns, a pivoted Cholesky factor takes their place, up to what is rounding; column
/// order[i] is the i-th of the factor. Returns the rank.                                                                           (ST.5)
[[nodiscard]] Index factor_correlations(Index p, double* C, Index ldc, Index most_rows, std::vector<Index>& order);
/// The first columns of A: those of the factor, times their sd.
void take_columns(const Matrix& factor, const std::vector<Index>& order, Index rank, const Vector& sd, Matrix& A);
/// Z [rows,q] with Z'Z = A'A and columns that sum to 0: A between the vector of ones and others that are orthogonal to it.         (ST.3)
[[nodiscard]] Matrix about_the_mean(const Matrix& A, Index rows);

/// Rows with the same weight, weighted means and cross-products as the rows of the statistics.                                     (ST.3)
struct SmallTable {
  Matrix Z;  ///< [m,q] the target is last
  StandIn stand_in;
  bool is_explained = false;  ///< the rest of the target is lost in the rounding of its cross-products
};
/// Whether a fit with these options needs the columns only as differences from their means.
[[nodiscard]] bool is_about_the_mean(const FitOptions& options);
/// \param total  of the rows of `state`
[[nodiscard]] SmallTable small_table(const LinearStatistics::State& state, const Moments& total, bool about_mean);

}  // namespace ardvark::internal
