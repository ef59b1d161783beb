#include "method/spike_slab/row_covariance.hpp"

#include "core/products.hpp"
#include "core/rearrange.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {
namespace {

// T += sign A A', lower triangle.
void add_square(const Matrix& A, double sign, Matrix& T) {
  if (A.size() > 0) blas::syrk(blas::Transpose::no, A.rows(), A.cols(), sign, A.data(), A.rows(), 1.0, T.data(), T.rows());
}

// Without a dense part and large groups, P may be left out: rows of the table do not see more of Cov(b).                          (SL.8)
Matrix covariance_of_effects(const SpikeSlab& q) {
  Matrix T = Matrix::Zero(q.rows().size(), q.rows().size());
  for (Index set = 0; set < q.sets().size(); ++set) {
    const std::span<const Index> columns = q.sets().columns_of(set);
    const Matrix block = q.covariance_of(set);
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) T(columns[i], columns[j]) = block(static_cast<Index>(i), static_cast<Index>(j));
  }
  return T;
}

}  // namespace

// With Q' = diag(l)^-1/2 Z and P = Q diag(D) Q':  T = h P + P Cov(b) P. Large groups enter as Z_B Cov(b_B) Z_B'.                    (SL.8)
Matrix covariance_seen(const SpikeSlab& q) {
  const ReducedRows& rows = q.rows();
  const auto Z = rows.Z();
  const Index p = rows.size(), m = rows.rank();
  if (rows.l.isZero(0)) return covariance_of_effects(q);  // Rotation::to_triangle
  const Vector &D = q.D(), scale = D.cwiseQuotient(rows.l);
  Matrix P = Matrix::Zero(p, p);
  if (m == 0) return P;
  const Matrix QD = scale.cwiseSqrt().asDiagonal() * Z;
  blas::syrk(blas::Transpose::yes, p, m, 1.0, QD.data(), m, 0.0, P.data(), p);
  mirror(P);
  Matrix T = q.hyper().h * P;
  const auto seen_by_columns = [&](const Matrix& Y) { return products::transposed_times(Z, scale.asDiagonal() * Y); };
  Vector a = Vector::Zero(m);  // of large groups
  std::vector<Vector> single;
  const Vector variance = q.variance_of_small();
  Matrix others(p, p);  // P S of the other sets with a variance that matters, S S' = Cov(b_B)
  Index count = 0;
  for (Index set = 0; set < q.sets().size(); ++set) {
    if (const auto large = q.covariance_in_rows(set)) {
      a += large->a;
      add_square(seen_by_columns(large->Y), large->sign, T);
      single.push_back(large->along);
      continue;
    }
    const std::span<const Index> columns = q.sets().columns_of(set);
    double seen = 0;
    for (const Index j : columns)
      if (variance[j] > 0) seen += variance[j] * D.dot(Z.col(j).cwiseAbs2());
    if (!(seen > 1e-8 / static_cast<double>(p))) continue;
    const Matrix S = root_of(q.covariance_of(set));
    for (Index i = 0; i < S.cols(); ++i) {
      auto column = others.col(count++);
      column = S(0, i) * P.col(columns[0]);
      for (Index c = 1; c < S.rows(); ++c)
        if (S(c, i) != 0) column += S(c, i) * P.col(columns[static_cast<std::size_t>(c)]);
    }
  }
  if (count > 0) blas::syrk(blas::Transpose::no, p, count, 1.0, others.data(), p, 1.0, T.data(), p);
  if (!single.empty()) {
    Matrix along(m, static_cast<Index>(single.size()));
    for (std::size_t i = 0; i < single.size(); ++i) along.col(static_cast<Index>(i)) = single[i];
    add_square(seen_by_columns(along), 1, T);
    const Matrix scaled = (scale.array().square() * a.array()).sqrt().matrix().asDiagonal() * Z;
    blas::syrk(blas::Transpose::yes, p, m, 1.0, scaled.data(), m, 1.0, T.data(), p);
  }
  mirror(T);
  return T;
}

Matrix with_flat(const Matrix& C, const std::vector<Index>& columns, const std::vector<Index>& flat, const DenseBasis& basis,
                 Index num_columns, double s2) {
  const Matrix CG = products::times_transposed(C, basis.G);  // [p, flats]
  Matrix T = Matrix::Zero(num_columns, num_columns);
  for (Index j = 0; j < C.cols(); ++j) {
    double* column = T.data() + columns[static_cast<std::size_t>(j)] * T.rows();
    for (Index i = 0; i < C.rows(); ++i) column[columns[static_cast<std::size_t>(i)]] = C(i, j);
  }
  T(columns, flat) = -CG;
  T(flat, columns) = -CG.transpose();
  T(flat, flat) = basis.G * CG + s2 * basis.R.transpose() * basis.R;
  return T;
}

KnownOdds log_odds_seen(ClassRows& rows, const PenalisedColumns& which, const ReducedRows& reduced,
                        const std::vector<std::pair<double, const SpikeSlab*>>& average) {
  Vector mean;
  Matrix C;
  double total = 0;
  for (const auto& [weight, q] : average) {  // moments by updates, without cancellation
    total += weight;
    if (C.size() == 0) {
      mean = mean_of(*q);
      C = covariance_seen(*q);
      continue;
    }
    const double share = weight / total;
    const Vector off = mean_of(*q) - mean;
    C += share * (covariance_seen(*q) - C) + share * (1 - share) * off * off.transpose();
    mean += share * off;
  }
  const Index count = rows.num_columns();
  Vector w = Vector::Zero(count);
  w(which.columns) = mean;
  w(which.flat) = reduced.flat_mean - reduced.G * mean;
  return rows.log_odds(w, with_flat(C, which.columns, which.flat, reduced, count, 1));
}

}  // namespace ardvark::internal
