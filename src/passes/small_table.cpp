#include "passes/small_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"

namespace ardvark::internal {

Index factor_correlations(Index p, double* C, Index ldc, Index most_rows, std::vector<Index>& order) {
  return std::min(blas::pstrf(p, C, ldc, std::max(lost, 4e-16 * static_cast<double>(p)), order), most_rows);
}

void take_columns(const Matrix& factor, const std::vector<Index>& order, Index rank, const Vector& sd, Matrix& A) {
  for (Index i = 0; i < std::ssize(order); ++i) {
    const Index column = order[static_cast<std::size_t>(i)], height = std::min(i + 1, rank);
    A.col(column).head(height) = factor.row(i).head(height).transpose() * sd[column];
  }
}

RootOfCross root_of_cross(Matrix C, Index most_rows) {
  const Index q = C.rows(), p = q - 1;
  const Vector sd = C.diagonal().cwiseMax(0.0).cwiseSqrt(), inverse = (sd.array() > 0).select(sd.cwiseInverse(), 0.0);
  C = inverse.asDiagonal() * C * inverse.asDiagonal();
  std::vector<Index> order;
  const Index rank = factor_correlations(p, C.data(), q, most_rows, order);
  Vector c = C.row(p).transpose()(order).head(rank);
  if (rank > 0) blas::trsv(blas::Transpose::no, rank, C.data(), q, c.data());
  const double rest = C(p, p) - c.squaredNorm();
  RootOfCross out{Matrix::Zero(std::min(rank + 1, most_rows), q), C(p, p) > 0 && rest < 10 * lost && rank < most_rows};
  take_columns(C, order, rank, sd, out.A);
  out.A.col(p).head(rank) = c * sd[p];
  if (rank < out.A.rows()) out.A(rank, p) = std::sqrt(std::max(rest, 0.0)) * sd[p];
  return out;
}

Matrix about_the_mean(const Matrix& A, Index rows) {
  const long double root = std::sqrt(static_cast<long double>(rows));  // v has the elements 1/root, and 1 more in the first row
  Matrix Z = Matrix::Zero(rows, A.cols());
  for (Index j = 0; j < A.cols(); ++j) {
    const long double product = A.col(j).cast<long double>().sum() / root / (1 + 1 / root);  // 2 v'Z / v'v
    Z(0, j) = static_cast<double>(-product * (1 / root + 1));
    for (Index i = 1; i < rows; ++i) Z(i, j) = static_cast<double>((i <= A.rows() ? A(i - 1, j) : 0.0L) - product / root);
  }
  return Z;
}

namespace {

// A factor of the rows. With fewer rows than columns, it has as many rows as columns, of which rows - 1 are not zero.
RootOfCross root_of_factor(const Moments& total, Index most_rows) {
  Matrix A = total.triangle().transpose();
  if (A.rows() <= most_rows) return {std::move(A)};
  blas::triangularise(A.rows(), A.cols(), A.data(), A.rows());
  return {Matrix(A.topRows(most_rows).triangularView<Eigen::Upper>())};
}

}  // namespace

SmallTable small_table(const LinearStatistics::State& state, const Moments& total, bool about_mean) {
  const Index q = total.size(), rows = std::min(state.num_weighted, q + 1);
  const RootOfCross root =
      total.form == StatisticsForm::factor ? root_of_factor(total, rows - 1) : root_of_cross(total.triangle(), rows - 1);
  SmallTable out;
  const double weight = total.weight / static_cast<double>(rows);
  out.is_explained = root.is_explained;
  out.Z = about_the_mean(root.A, rows) / std::sqrt(weight);
  for (Index j = 0; j < q; ++j)
    if ((root.A.col(j).array() == 0).all()) out.Z.col(j).setZero();
  out.stand_in.weight = weight;
  if (about_mean)
    out.stand_in = {total.mean.head(q - 1), total.mean[q - 1], weight};
  else
    out.Z.rowwise() += total.mean.transpose();
  return out;
}

bool is_about_the_mean(const FitOptions& options) {
  const bool as_they_are = !options.preset.empty() && !options.standardize;
  return options.intercept && !options.penalize_intercept && !as_they_are;
}

}  // namespace ardvark::internal
