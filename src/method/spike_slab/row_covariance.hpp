// The variance of the linear predictor of each row by one matrix of all columns.                             docs/math/sparse.md (SL.8)
#pragma once

#include <utility>
#include <vector>

#include "method/spike_slab/class_rows.hpp"
#include "method/spike_slab/spike_slab.hpp"

namespace ardvark::internal {

/// T with x~'T x~ = Var x~'w of every row x~ that Z spans, effects of different sets independent.   O(p^2 m)              (SL.4), (SL.8)
[[nodiscard]] Matrix covariance_seen(const SpikeSlab& q);

/// The covariance of all columns of a design, flat ones too, where that of the others is C: x_n'T x_n = x~_n'C x~_n + s2 |R f_n|^2. (SL.8)
[[nodiscard]] Matrix with_flat(const Matrix& C, const std::vector<Index>& columns, const std::vector<Index>& flat, const DenseBasis& basis,
                               Index num_columns, double s2);

/// Mean and variance of the log odds of each row under an average of fits to these rows; s2 = 1, effects of different sets independent.
/// No more columns than rows.                                                                                       (SL.4), (SL.8), (SL.11)
[[nodiscard]] LogOdds log_odds_seen(ClassRows& rows, const PenalisedColumns& which, const ReducedRows& reduced,
                                    const std::vector<std::pair<double, const SpikeSlab*>>& average);

}  // namespace ardvark::internal
