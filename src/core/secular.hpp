// Eigenvalues and eigenvectors of a diagonal matrix plus a matrix of rank one. The Gram matrix of the centred dummies of a text column is
// one.
#pragma once

#include <optional>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// diag(a) + sign v v', sign 1 or -1.
struct DiagonalPlusRankOne {
  Vector a, v;
  double sign = 1;
};

/// C in this form, up to 1e-13 of its largest entry; nothing if C does not have this form or is smaller than 3 x 3. Reads the lower
/// triangle of C. O(n^2).
[[nodiscard]] std::optional<DiagonalPlusRankOne> as_diagonal_plus_rank_one(const Matrix& C);

/// diag(a) + sign v v' = Q diag(values) Q', values ascending, with an error of a few roundings of the largest. False: an iteration failed,
/// or a number is not finite. Uses the secular equation with deflation. The vectors come from a v for which the values are exact, so they
/// are orthogonal (Gu and Eisenstat, 1994). O(n^2) but for what is deflated and copied.
[[nodiscard]] bool decompose(const DiagonalPlusRankOne& of, Vector& values, Matrix& Q);

/// C = Q diag(values) Q', values ascending; C then holds Q. Uses decompose() if C is large and a diagonal plus rank one, otherwise
/// blas::syevd. `least` as there.
[[nodiscard]] bool symmetric_eigen(Matrix& C, Vector& values, double least = 0);

}  // namespace ardvark::internal
