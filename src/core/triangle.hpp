// The lower triangle of a matrix, column by column, and back.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// \param L  [n,n]
/// \return [n(n+1)/2]
[[nodiscard]] inline Vector packed_triangle(const Matrix& L) {
  const Index n = L.rows();
  Vector out(n * (n + 1) / 2);
  for (Index j = 0, at = 0; j < n; at += n - j, ++j) out.segment(at, n - j) = L.col(j).tail(n - j);
  return out;
}

/// The lower triangle in a matrix [n,n] with zeros above.
[[nodiscard]] inline Matrix unpacked_triangle(const Vector& packed, Index n) {
  Matrix L = Matrix::Zero(n, n);
  for (Index j = 0, at = 0; j < n; at += n - j, ++j) L.col(j).tail(n - j) = packed.segment(at, n - j);
  return L;
}

}  // namespace ardvark::internal
