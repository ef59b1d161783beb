// Products in single precision by Eigen, for a BLAS that has double precision only, as the one that comes with R. The arguments are those
// of core/blas.hpp.
#pragma once

#include "core/blas.hpp"

namespace ardvark::internal::single_precision {

void syrk(blas::Transpose transpose, Index n, Index k, float alpha, const float* A, Index lda, float beta, float* C, Index ldc);
void gemm(blas::Transpose transpose_a, blas::Transpose transpose_b, Index m, Index n, Index k, float alpha, const float* A, Index lda,
          const float* B, Index ldb, float beta, float* C, Index ldc);
void trmm(blas::Side side, blas::Transpose transpose, Index m, Index n, float alpha, const float* L, Index ldl, float* B, Index ldb);

}  // namespace ardvark::internal::single_precision
