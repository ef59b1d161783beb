// Small problems with a spike and slab plus a ridge, and their log evidence by its definition.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/special.hpp"
#include "design/dense.hpp"
#include "method/spike_slab/reduced_rows.hpp"
#include "method/spike_slab/starts.hpp"
#include "random_problem.hpp"

namespace ardvark::testing {

using namespace internal;

// n rows of p correlated columns, a few of them with an effect; the column of ones last.
struct Case {
  Matrix X;  // [n, p + 1]
  Vector y, k;
  PenalisedColumns which;
};

inline Case make_case(Index n, Index p, double rho, unsigned seed, std::vector<Index> begin = {}) {
  Random random(seed);
  Case c;
  c.X = Matrix::Ones(n, p + 1);
  c.y = Vector(n);
  for (Index i = 0; i < n; ++i) {
    const double common = random.normal();
    for (Index j = 0; j < p; ++j) c.X(i, j) = std::sqrt(rho) * common + std::sqrt(1 - rho) * random.normal();
    c.y[i] = 2 + 0.8 * c.X(i, 0) - 0.5 * c.X(i, p / 2) + random.normal();
  }
  c.k = Vector::Ones(n);
  for (Index j = 0; j < p; ++j) c.which.columns.push_back(j);
  if (begin.empty())
    for (Index j = 0; j <= p; ++j) begin.push_back(j);
  c.which.begin = std::move(begin);
  c.which.flat = {p};
  return c;
}

// Columns with correlation rho in blocks of `size`.
inline Case blocked_case(Index n, Index p, Index size, double rho, unsigned seed) {
  Case c = make_case(n, p, 0, seed);
  Random random(seed + 1000);
  for (Index first = 0; first < p; first += size) {
    const Vector common = random.normals(n);
    for (Index j = first; j < std::min(first + size, p); ++j) c.X.col(j) = std::sqrt(rho) * common + std::sqrt(1 - rho) * c.X.col(j);
  }
  c.y = 2 + 0.8 * c.X.col(0).array() - 0.5 * c.X.col(p / 2).array();
  c.y += random.normals(n);
  return c;
}

inline ReducedRows reduced(const Case& c, Rotation rotation = Rotation::to_diagonal) {
  DenseDesign design(c.X, {});
  ReducedRows rows;
  EXPECT_TRUE(reduce_rows(design, c.which, c.k, c.y, c.k.sum(), KeepBasis::no, rows, rotation));
  return rows;
}

inline std::shared_ptr<const ColumnSets> blocks_of(const Case& c, const ReducedRows& rows) {
  return std::make_shared<const ColumnSets>(correlated_blocks(rows, by_correlation(rows, c.which)));
}

// ln of the integral of N(y; 1 b, C) over b, ones with weights.
inline double log_evidence_of(const Case& c, const Matrix& C) {
  const Index n = c.y.size();
  const Eigen::LLT<Matrix> factor(C);
  const Vector ones = Vector::Ones(n), Ci_one = factor.solve(ones);
  const double s = ones.dot(Ci_one), yy = c.y.dot(factor.solve(c.y)), y1 = c.y.dot(Ci_one);
  const double log_det = 2 * Matrix(factor.matrixL()).diagonal().array().log().sum();
  return -0.5 * static_cast<double>(n - 1) * ln_2pi - 0.5 * log_det - 0.5 * std::log(s) - 0.5 * (yy - y1 * y1 / s);
}

inline std::vector<Index> natural(const PenalisedColumns& which) {
  std::vector<Index> order(static_cast<std::size_t>(which.num_groups()));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

// Sweeps over all columns and over the raised ones, each after an update of the hyper-parameters.
inline void expect_no_fall(SpikeSlab& q, const std::vector<Index>& order, int sweeps, unsigned seed) {
  double last = -1e300;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    if (sweep % 3 == 0)
      q.sweep(order);
    else
      q.sweep_raised();
    const double bound = q.bound();
    ASSERT_GE(bound, last - 1e-9 * (1 + std::abs(last))) << "seed " << seed << " sweep " << sweep;
    last = bound;
    q.update_hyper(Reach::everywhere);
  }
}

}  // namespace ardvark::testing
