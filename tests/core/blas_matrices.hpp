// Matrices that tests of BLAS work on, and their products by plain loops.
#pragma once

#include <Eigen/Dense>

#include "../support/random_problem.hpp"

namespace ardvark::testing {

// A matrix in the middle of a larger block of memory, so that the leading dimension is not the number of rows.
struct Padded {
  Matrix store;
  Index rows, cols;
  Padded(Random& random, Index r, Index c) : store(random.normals(r + 2, c + 1)), rows(r), cols(c) {}
  [[nodiscard]] double* data() { return store.data(); }
  [[nodiscard]] Index ld() const { return store.rows(); }
  [[nodiscard]] Matrix value() const { return store.topLeftCorner(rows, cols); }
};

inline Matrix lower(const Matrix& A) { return A.triangularView<Eigen::Lower>(); }
inline Matrix strict_upper(const Matrix& A) { return A.triangularView<Eigen::StrictlyUpper>(); }

inline Matrix product(const Matrix& A, const Matrix& B) {
  Matrix C = Matrix::Zero(A.rows(), B.cols());
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < B.cols(); ++j)
      for (Index k = 0; k < A.cols(); ++k) C(i, j) += A(i, k) * B(k, j);
  return C;
}

inline Matrix symmetric(const Matrix& A) {
  Matrix S = A;
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < j; ++i) S(i, j) = A(j, i);
  return S;
}

inline Matrix positive_definite(Random& random, Index n) {
  const Matrix B = random.normals(n, n + 2);
  return product(B, B.transpose()) + Matrix::Identity(n, n);
}

}  // namespace ardvark::testing
