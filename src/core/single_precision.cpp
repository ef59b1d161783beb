#include "core/single_precision.hpp"

#include <Eigen/Core>

namespace ardvark::internal::single_precision {
namespace {

using Given = Eigen::Map<const Eigen::MatrixXf, 0, Eigen::OuterStride<>>;
using Changed = Eigen::Map<Eigen::MatrixXf, 0, Eigen::OuterStride<>>;

// The matrix as it is stored, whose product with another has `rows` and `columns` here.
Given given(blas::Transpose transpose, Index rows, Index columns, const float* A, Index lda) {
  const bool is_transposed = transpose == blas::Transpose::yes;
  return {A, is_transposed ? columns : rows, is_transposed ? rows : columns, Eigen::OuterStride<>(lda)};
}
Changed changed(Index rows, Index columns, float* C, Index ldc) { return {C, rows, columns, Eigen::OuterStride<>(ldc)}; }

// f of the matrix as it stands in the product.
void oriented(blas::Transpose transpose, const Given& A, auto&& f) {
  if (transpose == blas::Transpose::yes)
    f(A.transpose());
  else
    f(A);
}

// What C holds may be no number if beta is zero.
void scale(auto&& C, float beta) {
  if (beta == 0)
    C.setZero();
  else if (beta != 1)
    C *= beta;
}

}  // namespace

void syrk(blas::Transpose transpose, Index n, Index k, float alpha, const float* A, Index lda, float beta, float* C, Index ldc) {
  Changed out = changed(n, n, C, ldc);
  for (Index j = 0; j < n; ++j) scale(out.col(j).tail(n - j), beta);
  if (k == 0) return;
  oriented(transpose, given(transpose, n, k, A, lda), [&](const auto& X) { out.selfadjointView<Eigen::Lower>().rankUpdate(X, alpha); });
}

void gemm(blas::Transpose transpose_a, blas::Transpose transpose_b, Index m, Index n, Index k, float alpha, const float* A, Index lda,
          const float* B, Index ldb, float beta, float* C, Index ldc) {
  Changed out = changed(m, n, C, ldc);
  scale(out, beta);
  if (k == 0) return;
  oriented(transpose_a, given(transpose_a, m, k, A, lda), [&](const auto& X) {
    oriented(transpose_b, given(transpose_b, k, n, B, ldb), [&](const auto& Y) { out.noalias() += alpha * X * Y; });
  });
}

void trmm(blas::Side side, blas::Transpose transpose, Index m, Index n, float alpha, const float* L, Index ldl, float* B, Index ldb) {
  Changed out = changed(m, n, B, ldb);
  const Index order = side == blas::Side::left ? m : n;
  const auto triangle = given(blas::Transpose::no, order, order, L, ldl).triangularView<Eigen::Lower>();
  const bool is_transposed = transpose == blas::Transpose::yes;
  if (side == blas::Side::left && is_transposed)
    out = triangle.transpose() * out;
  else if (side == blas::Side::left)
    out = triangle * out;
  else if (is_transposed)
    out = out * triangle.transpose();
  else
    out = out * triangle;
  scale(out, alpha);
}

}  // namespace ardvark::internal::single_precision
