// The variance of the linear predictor of each row from one matrix of all columns.                           docs/math/sparse.md (SL.8)
#pragma once

#include <utility>
#include <vector>

#include "method/spike_slab/class_rows.hpp"
#include "method/spike_slab/spike_slab.hpp"

namespace ardvark::internal {

/// T with x~'T x~ = Var x~'w for every row x~ in the span of Z. Effects of different sets are taken as independent. O(p^2 m) (SL.4), (SL.8)
[[nodiscard]] Matrix covariance_seen(const SpikeSlab& q);

/// The covariance of all columns of a design, flat ones included; C is that of the others: x_n'T x_n = x~_n'C x~_n + s2 |R f_n|^2. (SL.8)
[[nodiscard]] Matrix with_flat(const Matrix& C, const std::vector<Index>& columns, const std::vector<Index>& flat, const DenseBasis& basis,
                               Index num_columns, double s2);

/// Mean and variance of the log odds of each row under an average of fits to these rows, at s2 = 1. Effects of different sets are taken as
/// independent. Needs no more columns than rows.                                                                    (SL.4), (SL.8), (SL.11)
[[nodiscard]] KnownOdds log_odds_seen(ClassRows& rows, const PenalisedColumns& which, const ReducedRows& reduced,
                                      const std::vector<std::pair<double, const SpikeSlab*>>& average);

}  // namespace ardvark::internal
