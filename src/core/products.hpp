// Products of two dense matrices by BLAS.
#pragma once

#include <algorithm>

#include "core/blas.hpp"
#include "core/parallel.hpp"

namespace ardvark::products {

/// f(first, count) for tiles of columns, side by side on threads of ours, with BLAS held at one: its own threads wait for each other after
/// each product. Tiles do not depend on the number of threads, so neither does what is made of them.
constexpr Index tile_width = 128;
template <typename Function>
void tiles(Index columns, Index num_threads, Function&& f) {
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
  const bool by_rows = rows > cols;
  tiles(by_rows ? rows : cols, blas::threads_for(static_cast<double>(C.size()) * static_cast<double>(inner)),
        [&](Index first, Index count) {
          const double* of_rows = A.data() + (by_rows ? first * (flip_A ? A.outerStride() : 1) : 0);
          const double* of_cols = B.data() + (by_rows ? 0 : first * (flip_B ? 1 : B.outerStride()));
          blas::gemm(of_A, of_B, by_rows ? count : rows, by_rows ? cols : count, inner, 1.0, of_rows, A.outerStride(), of_cols,
                     B.outerStride(), 0.0, C.data() + first * (by_rows ? 1 : rows), rows);
        });
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

/// C <- A A' + beta C (no) or A' A + beta C (yes); C [n,n] lower, inner size k, like blas::syrk, in tiles.
inline void square(blas::Transpose transpose, Index n, Index k, const double* A, Index lda, double beta, double* C, Index ldc) {
  const bool by_columns = transpose == blas::Transpose::yes;
  const auto other = by_columns ? blas::Transpose::no : blas::Transpose::yes;
  const double dn = static_cast<double>(n);
  tiles(n, blas::threads_for(0.5 * dn * dn * static_cast<double>(k)), [&](Index from, Index own) {  // the longest first
    const Index below = n - from - own;
    const double *here = A + from * (by_columns ? lda : 1), *next = here + own * (by_columns ? lda : 1);
    double* corner = C + from * (ldc + 1);
    blas::syrk(transpose, own, k, 1.0, here, lda, beta, corner, ldc);
    if (below > 0) blas::gemm(transpose, other, below, own, k, 1.0, next, lda, here, lda, beta, corner + own, ldc);
  });
}

/// A sum over many of something, a [size, size] matrix in all: so many sums of its parts, each made on one thread, as long as they take
/// less memory than a quarter of what is summed. Threads that share one sum wait for each other at every block. How many hangs on the shape
/// alone, so that the bits do.
inline Index num_lanes(Index many, Index size) {
  constexpr Index most = 8;
  Index lanes = 1;
  while (lanes < most && 2 * lanes * 4 * size <= many) lanes *= 2;
  return blas::is_small(blas::multiplications(many, size)) ? 1 : lanes;
}

}  // namespace ardvark::products
