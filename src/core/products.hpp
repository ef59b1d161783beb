// Products of two dense matrices by BLAS.
#pragma once

#include <algorithm>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace ardvark::internal::products {

/// Calls f(first, count) for tiles of columns, in parallel on our threads. The tiles do not depend on the number of threads, so the results
/// do not either.
constexpr Index tile_width = 128;
void tiles(Index columns, Index num_threads, auto&& f) {
  constexpr Index width = tile_width;
  const blas::ThreadScope one{blas::ThreadScope::OursAlone{}};
  parallel_for((columns + width - 1) / width, num_threads, [&](Index tile) { f(tile * width, std::min(width, columns - tile * width)); });
}

inline Matrix product(blas::Transpose of_A, blas::Transpose of_B, const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {
  const bool flip_A = of_A == blas::Transpose::yes, flip_B = of_B == blas::Transpose::yes;
  const Index rows = flip_A ? A.cols() : A.rows(), inner = flip_A ? A.rows() : A.cols(), cols = flip_B ? B.rows() : B.cols();
  Matrix C = Matrix::Zero(rows, cols);
  if (C.size() == 0 || inner == 0) return C;
  if (rows == 1 && !flip_A && A.outerStride() == 1) {  // gemm would copy all of B first
    blas::gemv(flip_B ? blas::Transpose::no : blas::Transpose::yes, B.rows(), B.cols(), 1.0, B.data(), B.outerStride(), A.data(), 0.0,
               C.data());
    return C;
  }
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

/// For a [size, size] matrix that is a sum over `many` terms: into how many partial sums it is divided, each computed by one thread.
/// Together they take at most a quarter of the memory of the terms. (Threads that share one sum would wait for each other at every block.)
/// The number depends only on the shape, so the result is the same to the last bit for any number of threads.
inline Index num_lanes(Index many, Index size) {
  constexpr Index most = 8;
  Index lanes = 1;
  while (lanes < most && 2 * lanes * 4 * size <= many) lanes *= 2;
  return blas::is_small(blas::multiplications(many, size)) ? 1 : lanes;
}

}  // namespace ardvark::internal::products
