// x'Vx and the full covariance from V in factored form.                                            docs/math/ridge.md
#include <algorithm>

#include "core/blas.hpp"
#include "core/rearrange.hpp"
#include "design/column_subset.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

bool collinear(const Matrix& gram, const Matrix& cholesky) {
  for (Index j = 0; j < gram.rows(); ++j)
    if (pivot_is_rounding(cholesky(j, j), gram(j, j), gram.rows())) return true;
  return false;
}

void CovarianceFactor::row_variance(Design& X, Vector& out) const {
  if (kind == Kind::mixture) return mixture.row_variance(X, out);
  if (columns.empty()) return row_variance_inside(X, out);
  ColumnSubset inside(X, columns);
  row_variance_inside(inside, out);
}

Matrix CovarianceFactor::covariance(Index num_columns) const {
  if (kind == Kind::mixture) return mixture.covariance(num_columns);
  if (columns.empty()) return covariance_inside();
  Matrix V = Matrix::Zero(num_columns, num_columns);
  V(columns, columns) = covariance_inside();
  return V;
}

void CovarianceFactor::row_variance_inside(Design& X, Vector& out) const {
  if (kind == Kind::triangular) {
    X.row_variance(L_inverse, out);
    return;
  }
  // x'Vx = sum_j d_j z~_j^2 - ||T z~||^2 + ||U z~||^2 + ||R f||^2, panel by panel over the columns.                     (RIDGE.4),
  // (RIDGE.7)
  const Index n = X.rows(), p = X.cols(), f = static_cast<Index>(flat_columns.size());
  const Index block = std::clamp<Index>((Index{1} << 20) / std::max<Index>(n, 1), 16, std::max<Index>(p, 16));
  Matrix panel(n, std::min(block, p)), F(n, f), TZ = Matrix::Zero(T.rows(), n), UZ = Matrix::Zero(U.rows(), n);
  for (Index k = 0; k < f; ++k) X.columns(flat_columns[static_cast<std::size_t>(k)], 1, F.col(k));
  out.setZero();
  for (Index first = 0; first < p; first += block) {
    const Index count = std::min(block, p - first);
    auto Z = panel.leftCols(count);
    X.columns(first, count, Z);
    if (f > 0) Z.noalias() -= F * B.middleCols(first, count);
    for (Index j = 0; j < count; ++j) out += d[first + j] * Z.col(j).cwiseAbs2();
    if (T.rows() > 0)
      blas::gemm(blas::Transpose::no, blas::Transpose::yes, T.rows(), n, count, 1.0, T.col(first).data(), T.rows(), panel.data(), n, 1.0,
                 TZ.data(), T.rows());
    if (U.rows() > 0)
      blas::gemm(blas::Transpose::no, blas::Transpose::yes, U.rows(), n, count, 1.0, U.col(first).data(), U.rows(), panel.data(), n, 1.0,
                 UZ.data(), U.rows());
  }
  out -= TZ.colwise().squaredNorm().transpose();
  out += UZ.colwise().squaredNorm().transpose();
  if (f > 0) out += (F * R.transpose()).rowwise().squaredNorm();
  out = out.cwiseMax(0.0);
}

Matrix CovarianceFactor::covariance_inside() const {
  if (kind == Kind::triangular) {
    Matrix V = L_inverse;
    blas::lauum(V.rows(), V.data(), V.outerStride());
    mirror(V);
    return V;
  }
  // V_ZZ = diag(d) - T'T + U'U, V_FF = H^-1 + B V_ZZ B', V_FZ = -B V_ZZ                                          (RIDGE.7)
  const Index f = static_cast<Index>(flat_columns.size());
  Matrix V = Matrix::Zero(d.size(), d.size());
  if (T.rows() > 0) {
    blas::syrk(blas::Transpose::yes, d.size(), T.rows(), -1.0, T.data(), T.outerStride(), 0.0, V.data(), d.size());
    mirror(V);
  }
  if (U.rows() > 0) V += U.transpose() * U;
  V.diagonal() += d;
  if (f > 0) {
    const Matrix BV = B * V;
    const Matrix V_FF = R.transpose() * R + BV * B.transpose();
    for (Index k = 0; k < f; ++k) {
      const Index column = flat_columns[static_cast<std::size_t>(k)];
      V.row(column) = -BV.row(k);
      V.col(column) = -BV.row(k).transpose();
    }
    for (Index k = 0; k < f; ++k)
      for (Index l = 0; l < f; ++l) V(flat_columns[static_cast<std::size_t>(k)], flat_columns[static_cast<std::size_t>(l)]) = V_FF(k, l);
  }
  return V;
}

CovarianceFactor triangular_factor_of(const Matrix& V) {
  const Index p = V.rows();
  CovarianceFactor factor;
  Matrix C = V.reverse();
  if (!blas::potrf(p, C.data(), p)) return factor;
  factor.kind = CovarianceFactor::Kind::triangular;
  factor.L_inverse = Matrix::Zero(p, p);
  for (Index j = 0; j < p; ++j)
    for (Index i = j; i < p; ++i) factor.L_inverse(i, j) = C(p - 1 - j, p - 1 - i);
  return factor;
}

}  // namespace ardvark::internal
