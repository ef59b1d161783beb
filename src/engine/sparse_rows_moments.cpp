#include "engine/sparse_rows_moments.hpp"

#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "engine/sparse_fit.hpp"

namespace ardvark {
namespace {

// T += sign A A', lower triangle.
void add_square(const Matrix& A, double sign, Matrix& T) {
  if (A.size() > 0) blas::syrk(blas::Transpose::no, A.rows(), A.cols(), sign, A.data(), A.rows(), 1.0, T.data(), T.rows());
}

}  // namespace

// T = Z' diag(1/l) (diag(h l D) + D C D) diag(1/l) Z,  C = sum_B Z_B Cov(b_B) Z_B' = diag(a) + Y+ Y+' - Y- Y-'.                  (SL.8)
Matrix covariance_seen(const SpikeSlab& q) {
  const ReducedRows& rows = q.rows();
  const auto Z = rows.Z();
  const Index p = rows.size(), m = rows.rank();
  const Vector &D = q.D(), &l = rows.l, scale = D.cwiseQuotient(l);
  Matrix T = Matrix::Zero(p, p);
  if (m == 0) return T;
  const auto seen_by_columns = [&](const Matrix& Y) { return products::transposed_times(Z, scale.asDiagonal() * Y); };
  Vector a = Vector::Zero(m);
  std::vector<Vector> single;
  const Vector variance = q.variance_of_small();
  for (Index set = 0; set < q.sets().size(); ++set) {
    if (const auto large = q.covariance_in_rows(set)) {
      a += large->a;
      add_square(seen_by_columns(large->Y), large->sign, T);
      single.push_back(large->along);
      continue;
    }
    const std::span<const Index> columns = q.sets().columns_of(set);
    double seen = 0;
    for (const Index j : columns) seen += variance[j] * D.dot(Z.col(j).cwiseAbs2());
    if (!(seen > 1e-8 / static_cast<double>(p))) continue;
    const Matrix S = root_of(q.covariance_of(set));
    for (Index i = 0; i < S.cols(); ++i) {
      Vector column = Vector::Zero(m);
      for (Index c = 0; c < S.rows(); ++c)
        if (S(c, i) != 0) column += S(c, i) * Z.col(columns[static_cast<std::size_t>(c)]);
      single.push_back(std::move(column));
    }
  }
  Matrix others(m, static_cast<Index>(single.size()));
  for (std::size_t i = 0; i < single.size(); ++i) others.col(static_cast<Index>(i)) = single[i];
  add_square(seen_by_columns(others), 1, T);
  const Vector diagonal = (q.hyper().h * D.array() / l.array() + scale.array().square() * a.array()).sqrt();
  const Matrix scaled = diagonal.asDiagonal() * Z;
  blas::syrk(blas::Transpose::yes, p, m, 1.0, scaled.data(), m, 1.0, T.data(), p);
  mirror(T);
  return T;
}

RowMoments row_moments(const SparseRows& X, const PenalisedColumns& which, const DenseBasis& basis, const Vector& w,
                       const Vector& flat_mean, const Matrix& C, double s2) {
  const Matrix CG = products::times_transposed(C, basis.G);  // [p, flats]
  Matrix T = Matrix::Zero(X.cols(), X.cols());
  for (Index j = 0; j < C.cols(); ++j) {
    double* column = T.data() + which.columns[static_cast<std::size_t>(j)] * T.rows();
    for (Index i = 0; i < C.rows(); ++i) column[which.columns[static_cast<std::size_t>(i)]] = C(i, j);
  }
  T(which.columns, which.flat) = -CG;
  T(which.flat, which.columns) = -CG.transpose();
  T(which.flat, which.flat) = basis.G * CG + s2 * basis.R.transpose() * basis.R;
  Vector all = Vector::Zero(X.cols());
  all(which.columns) = w;
  all(which.flat) = flat_mean;
  return {X.apply(all), X.forms(T).cwiseMax(0.0)};
}

}  // namespace ardvark
