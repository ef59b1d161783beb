#include "select/chain_columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/blas.hpp"
#include "core/logistic_moments.hpp"
#include "core/validate.hpp"

namespace ardvark::internal {
namespace {

constexpr Index most_columns = 2000;
constexpr double too_small = 1e-8;    // of the size of a column: what is left of it beside the flat columns is rounding
constexpr double least_slope = 1e-8;  // of the working weights

// Orthonormal columns that span those of F: Gram and Schmidt, twice.
Matrix orthonormal(Matrix F) {
  Index rank = 0;
  for (Index j = 0; j < F.cols(); ++j) {
    Vector v = F.col(j);
    const double size = v.norm();
    for (int pass = 0; pass < 2; ++pass) v -= F.leftCols(rank) * (F.leftCols(rank).transpose() * v);
    if (v.norm() > too_small * size) F.col(rank++) = v.normalized();
  }
  F.conservativeResize(Eigen::NoChange, rank);
  return F;
}

std::vector<Index> rows_that_count(VectorView weights, Index n) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i)
    if (weights.empty() || weights[i] > 0) rows.push_back(i);
  return rows;
}

// The columns that are judged: those with the largest inclusion, in the order of the table.
std::vector<Index> judged_columns(Index p, const EffectOptions& options) {
  std::vector<Index> which;
  for (Index j = 0; j < p; ++j)
    if (std::ranges::find(options.flat, j) == options.flat.end()) which.push_back(j);
  if (static_cast<Index>(which.size()) <= most_columns) return which;
  if (!options.inclusion.empty())
    std::ranges::stable_sort(which, [&](Index a, Index b) { return options.inclusion[a] > options.inclusion[b]; });
  which.resize(static_cast<std::size_t>(most_columns));
  std::ranges::sort(which);
  return which;
}

Vector numbers_of(VectorView target, const std::vector<Index>& rows, Task task) {
  Vector y(static_cast<Index>(rows.size()));
  for (Index i = 0; i < y.size(); ++i) y[i] = target[rows[static_cast<std::size_t>(i)]];
  if (task == Task::logistic) y = (y.array() == y.maxCoeff()).cast<double>().matrix();
  return y;
}

Matrix table_of(MatrixView X, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (Index j = 0; j < out.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = X(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  return out;
}

Matrix flat_columns(MatrixView X, const std::vector<Index>& rows, const EffectOptions& options) {
  const Matrix given = table_of(X, rows, options.flat);
  Matrix flat(given.rows(), given.cols() + (options.intercept ? 1 : 0));
  flat.rightCols(given.cols()) = given;
  if (options.intercept) flat.col(0).setOnes();
  return flat;
}

// Removes the flat part of each column and scales it; a column of which nothing is left goes.
void scale_columns(ChainColumns& columns) {
  const Vector root = columns.weights.cwiseSqrt();
  const Matrix F = root.asDiagonal() * columns.flat, Q = orthonormal(F);
  const Matrix weighted = root.asDiagonal() * columns.X;
  const Matrix rest = weighted - Q * (Q.transpose() * weighted);
  const double rows = columns.weights.sum();
  Index kept = 0;
  for (Index j = 0; j < rest.cols(); ++j) {
    const double size = rest.col(j).norm();
    if (!(size > too_small * weighted.col(j).norm())) continue;
    columns.X.col(kept) = std::sqrt(rows) / size * (root.cwiseInverse().asDiagonal() * rest.col(j));
    columns.which[static_cast<std::size_t>(kept++)] = columns.which[static_cast<std::size_t>(j)];
  }
  columns.num_columns -= static_cast<double>(rest.cols() - kept);
  columns.X.conservativeResize(Eigen::NoChange, kept);
  columns.which.resize(static_cast<std::size_t>(kept));
}

Matrix gram_of(const Matrix& X) {
  const Index m = X.cols();
  Matrix gram = Matrix::Zero(m, m);
  if (m > 0) blas::syrk(blas::Transpose::yes, m, X.rows(), 1, X.data(), X.rows(), 0, gram.data(), m);
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

}  // namespace

ChainColumns chain_columns(MatrixView X, VectorView target, const EffectOptions& options) {
  validate::vector(target, X.rows(), "target");
  validate::weights(options.weights, X.rows());
  const std::vector<Index> rows = rows_that_count(options.weights, X.rows());
  ChainColumns columns;
  columns.num_columns = static_cast<double>(X.cols()) - static_cast<double>(options.flat.size());
  columns.which = judged_columns(X.cols(), options);
  columns.X = table_of(X, rows, columns.which);
  columns.flat = flat_columns(X, rows, options);
  columns.target = numbers_of(target, rows, options.task);
  columns.weights = Vector::Ones(static_cast<Index>(rows.size()));
  if (!options.weights.empty()) columns.weights = numbers_of(options.weights, rows, Task::linear);
  scale_columns(columns);
  return columns;
}

WeightedRows weighted_rows(const ChainColumns& columns, const Vector& target, const Vector& weights) {
  const Vector root = weights.cwiseSqrt();
  const Matrix F = root.asDiagonal() * columns.flat, Q = orthonormal(F);
  const Vector y = root.cwiseProduct(target);
  WeightedRows out;
  out.X = root.asDiagonal() * columns.X;
  out.X -= Q * Matrix(Q.transpose() * out.X);
  out.flat_part = Q * Vector(Q.transpose() * y);
  out.flat_share = Q.rowwise().squaredNorm();
  const Vector rest = y - out.flat_part;
  out.rows.gram = gram_of(out.X);
  out.rows.projected = out.X.transpose() * rest;
  out.rows.squared = rest.squaredNorm();
  out.rows.degrees = std::max(weights.sum() - static_cast<double>(Q.cols()), 1.0);
  out.rows.num_columns = columns.num_columns;
  return out;
}

DrawnScores first_scores(const ChainColumns& columns) {
  const double rows = columns.weights.sum(), second = columns.weights.dot(columns.target);
  const Index n = columns.target.size();
  return {Vector::Constant(n, std::log((second + 0.5) / (rows - second + 0.5))), Vector::Zero(n)};
}

WeightedRows class_rows(const ChainColumns& columns, const DrawnScores& scores) {
  LogisticMoments moments;
  moments.of(scores.mean, scores.variance);
  const Vector slope = moments.slope.cwiseMax(least_slope);
  const Vector z = scores.mean + (columns.target - moments.sigma).cwiseQuotient(slope);
  WeightedRows out = weighted_rows(columns, z, columns.weights.cwiseProduct(slope));
  out.root = columns.weights.cwiseProduct(slope).cwiseSqrt();
  out.rows.has_noise = false;
  return out;
}

DrawnScores scores_of(const WeightedRows& rows, int draws, const std::function<const Vector&()>& next) {
  const Index n = rows.X.rows();
  Vector sum = Vector::Zero(n), squares = Vector::Zero(n);
  for (int i = 0; i < draws; ++i) {
    const Vector part = rows.X * next();
    sum += part;
    squares += part.cwiseAbs2();
  }
  const Vector mean = sum / draws, variance = (squares / draws - mean.cwiseAbs2()).cwiseMax(0);
  return {(mean + rows.flat_part).cwiseQuotient(rows.root), (variance + rows.flat_share).cwiseQuotient(rows.root.cwiseAbs2())};
}

}  // namespace ardvark::internal
