// Products in single precision by Eigen, for a BLAS that has double precision only, as the one that comes with R. The arguments are those
// of core/blas.hpp.
#pragma once

#include "core/blas.hpp"

namespace ardvark::internal::blas::single_precision {

void syrk(Transpose transpose, Index n, Index k, float alpha, const float* A, Index lda, float beta, float* C, Index ldc);
void gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, float alpha, const float* A, Index lda, const float* B,
          Index ldb, float beta, float* C, Index ldc);
void trmm(Side side, Transpose transpose, Index m, Index n, float alpha, const float* L, Index ldl, float* B, Index ldb);

}  // namespace ardvark::internal::blas::single_precision
