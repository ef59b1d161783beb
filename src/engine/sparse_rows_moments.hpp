// Mean and variance of the linear predictor of each row where rows are sparse, by one matrix of all columns.  docs/math/sparse.md (SL.8)
#pragma once

#include "design/sparse_rows.hpp"
#include "engine/coordinate/spike_slab.hpp"

namespace ardvark {

/// T with x~'T x~ = Var x~'w of every row x~ that Z spans, effects of different sets independent.   O(p^2 m)              (SL.4), (SL.8)
[[nodiscard]] Matrix covariance_seen(const SpikeSlab& q);

struct RowMoments {
  Vector mean, variance;  ///< [rows]
};
/// Of f_n'flat_mean + x_n'w, with Var = s2 |R f_n|^2 + x~_n'C x~_n and x~_n = x_n - G'f_n.
[[nodiscard]] RowMoments row_moments(const SparseRows& X, const PenalisedColumns& which, const DenseBasis& basis, const Vector& w,
                                     const Vector& flat_mean, const Matrix& C, double s2);

}  // namespace ardvark
