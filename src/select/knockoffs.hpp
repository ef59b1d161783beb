// Knockoffs: columns that look like those of the table, and of which none has an effect.                    docs/math/effects.md (FDR.7)
#pragma once

#include <vector>

#include "core/normals.hpp"
#include "select/table_effects.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// The correlations of columns, shrunk towards 0: positive definite.                                                          (FDR.7)
/// \param Z  [n,p] columns of mean 0 and mean square 1 under the weights.  \param weights  [n]
[[nodiscard]] Matrix shrunk_correlations(const Matrix& Z, const Vector& weights);

/// The correlations of columns that each depend on few others, which come before them and are alike: positive definite.       (FDR.7)
/// \param Z  [n,p] columns of mean 0 and mean square 1 under the weights.  \param weights  [n]
[[nodiscard]] Matrix neighbour_correlations(const Matrix& Z, const Vector& weights);

/// That of the two which says more of rows that it has not seen.                                                              (FDR.7)
[[nodiscard]] Matrix knockoff_correlations(const Matrix& Z, const Vector& weights);

/// [p] s: how much less than its variance a column's covariance with its own knockoff is.                                     (FDR.7)
/// \param correlations  [p,p] positive definite
[[nodiscard]] Vector knockoff_distances(const Matrix& correlations);

/// [n,p] A draw of the knockoffs. False: rounding has left no covariance to draw from.                                        (FDR.7)
[[nodiscard]] bool draw_knockoffs(const Matrix& Z, const Matrix& correlations, const Vector& s, Normals& draw, Matrix& out);

/// The smallest threshold at which the share of those below its negative, and one more, is at most q; infinite if there is none. (FDR.8)
[[nodiscard]] double knockoff_threshold(const std::vector<double>& differences, double q);

/// effects_of_table() with the guarantee `knockoffs`.
[[nodiscard]] Effects effects_by_knockoffs(const FitTable& X, VectorView target, const EffectOptions& options, const EffectFamily& family);

}  // namespace ardvark::internal
