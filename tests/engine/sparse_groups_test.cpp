// fit_linear and fit_logistic under the sparse priors with text columns: groups of many dummies, many rows with the same inputs.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {
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

}  // namespace
}  // namespace ardvark
