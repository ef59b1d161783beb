// Tables with thousands of columns, few of them with an effect.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "frame/frame.hpp"
#include "frame/solution.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal::testing {

struct WideCase {
  Matrix X, new_X;
  Vector y, f, truth;  // f: X w, truth: that of the new rows
  std::vector<Index> with_effect;
};

/// Rows of a family: "ind" independent, "ar" neighbours correlated .9, "blocks" of ten correlated .95, "factors" five beside noise,
/// "copies" each column twice.
inline Matrix rows_of_family(const std::string& family, Index n, Index p, std::mt19937_64& draw) {
  std::normal_distribution<double> normal;
  const auto drawn = [&](Index rows, Index cols) { return Matrix(Matrix::NullaryExpr(rows, cols, [&] { return normal(draw); })); };
  Matrix E = drawn(n, p);
  if (family == "ar")
    for (Index j = 1; j < p; ++j) E.col(j) = 0.9 * E.col(j - 1) + std::sqrt(1 - 0.81) * E.col(j);
  if (family == "blocks")
    for (Index j = 0; j < p; ++j)
      if (j % 10 != 0) E.col(j) = 0.95 * E.col(j - j % 10) + std::sqrt(1 - 0.95 * 0.95) * E.col(j);
  if (family == "copies")
    for (Index j = 1; j < p; j += 2) E.col(j) = E.col(j - 1);
  if (family == "factors") {
    const Matrix F = drawn(n, 5);
    E += F * drawn(5, p);
  }
  return E;
}

/// y = X w + N(0, 1) with var(X w) = signal; effects of .6, -.8, 1, ... in units that give it.
/// \param small  standard deviation of sqrt(p) times the small effects of all columns, in the same units
inline WideCase make_wide_case(const std::string& family, Index n, Index p, int effects, double signal, unsigned seed, double small = 0) {
  constexpr Index num_new = 300;
  std::mt19937_64 draw(seed);
  std::normal_distribution<double> normal;
  const Matrix all = rows_of_family(family, n + num_new, p, draw);
  Vector w = Vector::Zero(p);
  if (small > 0)
    for (double& one : w) one = small * normal(draw) / std::sqrt(static_cast<double>(p));
  WideCase out;
  std::uniform_int_distribution<Index> place(0, p - 1);
  for (int k = 0; k < effects; ++k) {
    out.with_effect.push_back(place(draw));
    w[out.with_effect.back()] += (k % 2 == 0 ? 1 : -1) * (0.6 + 0.2 * k);
  }
  Vector f = all * w;
  const double spread = std::sqrt((f.array() - f.mean()).square().mean());
  if (spread > 0) f *= std::sqrt(signal) / spread;
  out.X = all.topRows(n);
  out.new_X = all.bottomRows(num_new);
  out.truth = f.tail(num_new);
  out.f = f.head(n);
  out.y = out.f;
  for (double& one : out.y) one += normal(draw);
  return out;
}

struct RowsAt {
  Vector mean, variance;  // of x'w
};
inline RowsAt at_new_rows(const Fit& fit, const Matrix& X) {
  const auto design = table_design(MatrixView(X), fit.state->standardization);
  RowsAt out{Vector(X.rows()), Vector(X.rows())};
  design->apply(fit.state->w, out.mean);
  fit.state->factor.row_variance(*design, out.variance);
  out.variance.array() += fit.state->factor.mixture.beside();
  const double scale = fit.state->y_scale;
  out.mean = Vector(fit.state->y_center + scale * out.mean.array());
  out.variance *= scale * scale;
  return out;
}

/// Two fits of a ridge, one of them without all columns in memory.
inline void expect_same_ridge(const Fit& some, const Fit& all, const Matrix& new_X, double of_means, double tolerance) {
  EXPECT_EQ(some.relevant, all.relevant) << "under dense, every column has an effect";
  EXPECT_NEAR(some.report.bound, all.report.bound, tolerance);
  EXPECT_LT((some.mean - all.mean).norm(), of_means * all.mean.norm());
  EXPECT_LT((some.variance - all.variance).norm(), tolerance * all.variance.norm());
  EXPECT_NEAR(some.effective_parameters, all.effective_parameters, 10 * tolerance);
  const RowsAt one = at_new_rows(some, new_X), two = at_new_rows(all, new_X);
  EXPECT_LT((one.mean - two.mean).norm(), of_means * two.mean.norm());
  EXPECT_LT((one.variance - two.variance).norm(), tolerance * two.variance.norm());
}

using FitOfTable = std::function<Fit(const FitTable& X, const Vector& y, FitOptions options)>;
/// Weights are repetitions, and a sparse X of whole numbers, its bytes and its doubles are one table.
inline void expect_forms_and_weights_agree(const Matrix& X, const Vector& y, const FitOfTable& fit) {
  const Index n = X.rows(), p = X.cols();
  const Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> whole = (2 * X.array()).round().max(-100).min(100).cast<std::int8_t>();
  const Matrix doubles = whole.cast<double>();
  const Eigen::SparseMatrix<double> sparse = doubles.sparseView();
  const CscView csc(sparse.outerIndexPtr(), sparse.innerIndexPtr(), sparse.valuePtr(), n, p);
  const MatrixView bytes(whole.data(), n, p, Layout::column_major);
  const Fit expected = fit(MatrixView(doubles), y, {});
  for (const Fit& other : {fit(csc, y, {}), fit(bytes, y, {})}) {
    EXPECT_LT((other.sparse->inclusion - expected.sparse->inclusion).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_LT((other.mean - expected.mean).norm(), 1e-3 * expected.mean.norm());
  }
  std::vector<Index> twice;
  for (Index i = 0; i < n; ++i) twice.insert(twice.end(), i % 3 == 0 ? 2 : 1, i);
  const Vector weights = Vector::NullaryExpr(n, [](Index i) { return i % 3 == 0 ? 2.0 : 1.0; });
  FitOptions weighted;
  weighted.weights = weights;
  const Matrix repeated = doubles(twice, Eigen::all);
  const Vector of_repeated = y(twice);
  const Fit by_weight = fit(MatrixView(doubles), y, weighted), by_row = fit(MatrixView(repeated), of_repeated, {});
  EXPECT_LT((by_weight.sparse->inclusion - by_row.sparse->inclusion).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_NEAR(by_weight.report.bound, by_row.report.bound, 0.1);
}

}  // namespace ardvark::internal::testing
