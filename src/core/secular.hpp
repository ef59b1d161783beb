// Eigenvalues and vectors of a diagonal matrix plus one of rank one, such as the Gram matrix of centred dummies of a text column.
#pragma once

#include <optional>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// diag(a) + sign v v', sign 1 or -1.
struct DiagonalPlusRankOne {
  Vector a, v;
  double sign = 1;
};

/// What C, of which the lower triangle is read, is to within 1e-13 of its largest entry; none where it is something else, or smaller than
/// 3 x 3. O(n^2).
[[nodiscard]] std::optional<DiagonalPlusRankOne> as_diagonal_plus_rank_one(const Matrix& C);

/// diag(a) + sign v v' = Q diag(values) Q', values ascending, to a few roundings of the largest. False: an iteration failed, or not finite.
/// By the secular equation with deflation; vectors from a v for which the values are exact, so that they are orthogonal (Gu and Eisenstat,
/// 1994). O(n^2) but for what is deflated and copied.
[[nodiscard]] bool decompose(const DiagonalPlusRankOne& of, Vector& values, Matrix& Q);

/// C = Q diag(values) Q', values ascending, of which C then holds Q: by decompose() where C, large enough, is a diagonal plus rank one,
/// else as blas::syevd, with its `least`.
[[nodiscard]] bool symmetric_eigen(Matrix& C, Vector& values, double least = 0);

}  // namespace ardvark::internal
