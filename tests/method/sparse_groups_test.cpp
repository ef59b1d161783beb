// fit_linear and fit_logistic under the sparse priors with text columns: groups of many dummies, many rows with the same inputs.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

struct Table {
  Matrix X;
  Vector y, two, k;
  std::vector<Index> group;
};

// A text column with some levels of one row, and numeric columns beside it that take `values` different values each.
Table text_table(Random& random, Index n, Index levels, Index numeric, Index values) {
  Table t{Matrix::Zero(n, levels - 1 + numeric), Vector(n), Vector(n), Vector::Ones(n), {}};
  const Vector effect = random.normals(levels);
  for (Index i = 0; i < n; ++i) {
    const Index level = i < levels ? i : std::min(random.integer(0, levels - 1), random.integer(0, 2 * levels));
    if (level > 0) t.X(i, level - 1) = 1;
    t.y[i] = effect[level] + 0.5 * random.normal();
    for (Index j = 0; j < numeric; ++j) {
      t.X(i, levels - 1 + j) = static_cast<double>(random.integer(1, values));
      if (j == 0) t.y[i] += 0.3 * t.X(i, levels - 1);
    }
    t.two[i] = 2 * (t.y[i] - 0.3) + random.normal() > 0 ? 1 : 0;
    if (random.chance(0.2)) t.k[i] = random.uniform(0.2, 3);
  }
  for (Index j = 0; j < t.X.cols(); ++j) t.group.push_back(std::max<Index>(0, j - levels + 2));
  return t;
}

// Two text columns that nearly say the same of two classes: either may be the one with an effect.
Table two_explanations(Random& random, Index n, Index levels) {
  Table t{Matrix::Zero(n, 2 * (levels - 1) + 2), Vector::Zero(n), Vector(n), Vector::Ones(n), {}};
  const Vector effect = 2 * random.normals(levels);
  for (Index i = 0; i < n; ++i) {
    const Index level = random.integer(0, levels - 1), other = random.chance(0.9) ? level : random.integer(0, levels - 1);
    if (level > 0) t.X(i, level - 1) = 1;
    if (other > 0) t.X(i, levels + other - 2) = 1;
    for (Index j = 2 * (levels - 1); j < t.X.cols(); ++j) t.X(i, j) = random.normal();
    t.two[i] = random.uniform() < 1 / (1 + std::exp(-0.5 * (effect[level] + effect[other]))) ? 1 : 0;
  }
  for (Index j = 0; j < t.X.cols(); ++j) t.group.push_back(j < levels - 1 ? 0 : j < 2 * (levels - 1) ? 1 : j - 2 * (levels - 1) + 2);
  return t;
}

FitOptions grouped(const Table& t, PriorKind kind) {
  FitOptions options;
  options.prior.kind = kind;
  options.prior.group = t.group;
  options.weights = t.k;
  return options;
}

// Rows of the same inputs are one row inside; inputs that differ by next to nothing are not the same.                            (SL.7)
TEST(SparseGroups, EqualRowsAreOneRow) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index levels = random.integer(4, 12);
    const Table t = text_table(random, 150, levels, static_cast<Index>(seed % 2), 3);
    const FitOptions options = grouped(t, seed % 3 == 0 ? PriorKind::slab : PriorKind::sparse);
    const Matrix different = t.X + 1e-9 * random.normals(150, t.X.cols());
    const LogisticFit fit = fit_logistic(t.X, t.two, options), apart = fit_logistic(different, t.two, options);
    EXPECT_NEAR(fit.bound, apart.bound, 1e-3);
    EXPECT_LE((fit.mean - apart.mean).cwiseAbs().maxCoeff(), 1e-3 * (1 + apart.mean.cwiseAbs().maxCoeff()));
    EXPECT_LE((fit.variance - apart.variance).cwiseAbs().maxCoeff(), 1e-3 * (1e-3 + apart.variance.maxCoeff()));
    EXPECT_NEAR(fit.log_loss, apart.log_loss, 1e-4);
    EXPECT_NEAR(fit.accuracy, apart.accuracy, 1e-12);
    EXPECT_EQ(fit.num_rows, apart.num_rows);
    EXPECT_NEAR(fit.class_weight[0], apart.class_weight[0], 1e-9);
    EXPECT_NEAR(fit.class_weight[1], apart.class_weight[1], 1e-9);
  }
}

// 40 dummies go in the axes of their Gram matrix.                                                                        (SP.10), (SP.17)
TEST(SparseGroups, ConvergeAndDoNotDependOnTheOrderOfTheRows) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(40 + seed);
    const Table t = text_table(random, 400, 41, seed % 2 == 0 ? 0 : 3, 5);
    const FitOptions options = grouped(t, PriorKind::sparse);
    const LinearFit fit = fit_linear(t.X, t.y, options);
    EXPECT_EQ(fit.report.status, Status::converged);
    for (std::size_t i = 1; i < fit.report.bound_history.size(); ++i)
      EXPECT_GE(fit.report.bound_history[i], fit.report.bound_history[i - 1] - 1e-7 * std::abs(fit.report.bound_history[i]));
    const std::vector<Index> order = random.permutation(400);
    FitOptions moved = options;
    const Vector k = t.k(order);
    moved.weights = k;
    const Matrix X = t.X(order, Eigen::all);
    const Vector y = t.y(order);
    const LinearFit same = fit_linear(X, y, moved);
    EXPECT_NEAR(same.bound, fit.bound, 1e-6 * std::abs(fit.bound));
    EXPECT_LE((same.mean - fit.mean).cwiseAbs().maxCoeff(), 1e-5 * (1 + fit.mean.cwiseAbs().maxCoeff()));
  }
}

// Two text columns of 40 and 34 levels, numeric columns beside them; most entries are 0.
Table two_text_columns(Random& random, Index n, Index numeric) {
  const Index first = 39, second = 33;
  Table t{Matrix::Zero(n, first + second + numeric), Vector(n), Vector(n), Vector::Ones(n), {}};
  const Vector effect = random.normals(first + 1), of_second = 0.5 * random.normals(second + 1);
  for (Index i = 0; i < n; ++i) {
    const Index a = i % (first + 1), b = random.integer(0, second);
    if (a < first) t.X(i, a) = 1;
    if (b < second) t.X(i, first + b) = 1;
    t.y[i] = effect[a] + of_second[b] + 0.5 * random.normal();
    for (Index j = 0; j < numeric; ++j) t.X(i, first + second + j) = 1e3 + random.normal();
    if (numeric > 0) t.y[i] += 0.6 * (t.X(i, first + second) - 1e3);
    t.two[i] = t.y[i] + random.normal() > 0 ? 1 : 0;
    if (random.chance(0.2)) t.k[i] = random.uniform(0.2, 3);
  }
  for (Index j = 0; j < t.X.cols(); ++j) t.group.push_back(j < first ? 0 : j < first + second ? 1 : j - first - second + 2);
  return t;
}

// Of rows that are mostly 0 the entries alone are read. Where each entry is off by next to nothing none is 0, and all are.       (SL.8)
TEST(SparseGroups, RowsThatAreMostlyZeroAreRows) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(70 + seed);
    const Table t = two_text_columns(random, 500, seed % 2 == 0 ? 0 : 4);
    const FitOptions options = grouped(t, seed == 3 ? PriorKind::slab : PriorKind::sparse);
    const Matrix different = t.X + 1e-9 * random.normals(500, t.X.cols());
    const LogisticFit fit = fit_logistic(t.X, t.two, options), all = fit_logistic(different, t.two, options);
    EXPECT_EQ(fit.report.status, Status::converged);
    EXPECT_NEAR(fit.bound, all.bound, 1e-3);
    EXPECT_LE((fit.mean - all.mean).cwiseAbs().maxCoeff(), 1e-3 * (1 + all.mean.cwiseAbs().maxCoeff()));
    EXPECT_LE((fit.variance - all.variance).cwiseAbs().maxCoeff(), 1e-3 * (1e-3 + all.variance.maxCoeff()));
    EXPECT_NEAR(fit.log_loss, all.log_loss, 1e-4);
  }
}

TEST(SparseGroups, TwoTextColumnsConvergeAndDoNotDependOnTheirOrder) {  // (SP.17), (SP.18)
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random(90 + seed);
    const Table t = two_text_columns(random, 600, seed % 2 == 0 ? 0 : 3);
    FitOptions options = grouped(t, PriorKind::sparse);
    options.tolerance = 1e-6;
    const LinearFit fit = fit_linear(t.X, t.y, options);
    EXPECT_EQ(fit.report.status, Status::converged);
    for (std::size_t i = 1; i < fit.report.bound_history.size(); ++i)
      EXPECT_GE(fit.report.bound_history[i], fit.report.bound_history[i - 1] - 1e-7 * std::abs(fit.report.bound_history[i]));
    std::vector<Index> order;  // the second text column first
    for (Index j = 0; j < t.X.cols(); ++j) order.push_back((j + 39) % t.X.cols());
    FitOptions moved = options;
    for (std::size_t j = 0; j < order.size(); ++j)
      moved.prior.group[j] = t.group[static_cast<std::size_t>(order[j])] == 0   ? 1
                             : t.group[static_cast<std::size_t>(order[j])] == 1 ? 0
                                                                                : t.group[static_cast<std::size_t>(order[j])];
    const LinearFit same = fit_linear(Matrix(t.X(Eigen::all, order)), t.y, moved);
    EXPECT_NEAR(same.bound, fit.bound, 1e-4);
    EXPECT_LE((same.mean - fit.mean(order)).cwiseAbs().maxCoeff(), 1e-3 * (1 + fit.mean.cwiseAbs().maxCoeff()));
  }
}

// Two maxima about as high: what is averaged hangs neither on the order of the text columns nor on that of the rows.
TEST(SparseGroups, TwoExplanationsOfClassesDoNotHangOnOrder) {  // (SL.12)
  int num_divided = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Table t = two_explanations(random, 300, 12);
    const FitOptions options = grouped(t, PriorKind::sparse);
    const LogisticFit fit = fit_logistic(t.X, t.two, options);
    ASSERT_EQ(fit.report.status, Status::converged);
    ASSERT_EQ(fit.sparse->starts.size(), 7u);
    const double share = fit.sparse->inclusion[0] + fit.sparse->inclusion[11];
    num_divided += share > 0.5 && fit.sparse->inclusion[0] > 0.02 && fit.sparse->inclusion[11] > 0.02;
    std::vector<Index> columns, rows;  // the second text column first, the last row first
    for (Index j = 0; j < t.X.cols(); ++j) columns.push_back(j < 22 ? (j + 11) % 22 : j);
    for (Index i = 0; i < t.X.rows(); ++i) rows.push_back(t.X.rows() - 1 - i);
    FitOptions moved = options;
    for (std::size_t j = 0; j < 22; ++j) moved.prior.group[j] = j < 11 ? 0 : 1;
    const Vector weights = t.k(rows);
    moved.weights = weights;
    const LogisticFit same = fit_logistic(Matrix(t.X(rows, columns)), Vector(t.two(rows)), moved);
    EXPECT_NEAR(same.bound, fit.bound, 1e-2);
    EXPECT_LE((same.sparse->inclusion - fit.sparse->inclusion(columns)).cwiseAbs().maxCoeff(), 1e-2);
    EXPECT_LE((same.mean - fit.mean(columns)).cwiseAbs().maxCoeff(), 2e-2 * fit.mean.cwiseAbs().maxCoeff());
  }
  EXPECT_GE(num_divided, 1);
}

}  // namespace
}  // namespace ardvark::internal
