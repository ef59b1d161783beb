// Products of two dense matrices by BLAS.
#pragma once

#include "core/blas.hpp"

namespace ardvark::products {

inline Matrix product(blas::Transpose of_A, blas::Transpose of_B, const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {
  const bool flip_A = of_A == blas::Transpose::yes, flip_B = of_B == blas::Transpose::yes;
  const Index rows = flip_A ? A.cols() : A.rows(), inner = flip_A ? A.rows() : A.cols(), cols = flip_B ? B.rows() : B.cols();
  Matrix C = Matrix::Zero(rows, cols);
  if (C.size() > 0 && inner > 0)
    blas::gemm(of_A, of_B, rows, cols, inner, 1.0, A.data(), A.outerStride(), B.data(), B.outerStride(), 0.0, C.data(), rows);
  return C;
}
inline Matrix times(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {  ///< A B
  return product(blas::Transpose::no, blas::Transpose::no, A, B);
}
inline Matrix times_transposed(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {  ///< A B'
  return product(blas::Transpose::no, blas::Transpose::yes, A, B);
}
inline Matrix transposed_times(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {  ///< A' B
  return product(blas::Transpose::yes, blas::Transpose::no, A, B);
}

}  // namespace ardvark::products
