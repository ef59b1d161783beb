// Columns that are missing in the same row are drawn together: against distributions that are known exactly.   docs/math/missing.md
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../support/random_problem.hpp"
#include "ardvark/impute.hpp"
#include "ardvark/linear.hpp"
#include "gaps.hpp"
#include "impute/chain.hpp"
#include "impute/row_imputer.hpp"

namespace ardvark {
namespace {

using namespace internal;
using testing::gap;
using testing::numbers;
using testing::Random;

// Columns x with variance 1 and the correlation rho between any two, and a column z of its own. y = x1 + z + noise of sd .3
struct Together {
  Index n, k;
  double rho;
  Matrix X;  // [n, k + 1], z last
  Vector y;
};
Together table_of(Index n, Index k, double rho, std::uint64_t seed) {
  Random random(seed);
  Together out{n, k, rho, random.normals(n, k + 1), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const double common = random.normal();
    out.X.row(i).head(k) = (std::sqrt(rho) * common + std::sqrt(1 - rho) * out.X.row(i).head(k).array()).matrix();
    out.y[i] = out.X(i, 0) + out.X(i, k) + 0.3 * random.normal();
  }
  return out;
}
Matrix with_block_gaps(const Together& t, std::uint64_t seed) {
  Random random(seed);
  Matrix X = t.X;
  for (Index i = 0; i < t.n; ++i)
    if (random.chance(0.3)) X.row(i).head(t.k).setConstant(gap);
  return X;
}

double variance_of(const Vector& values) { return (values.array() - values.mean()).square().mean(); }

class GapsTogether : public ::testing::TestWithParam<std::pair<Index, double>> {};

// A new row that shows z only: the mean of the x has the variance (1 + (k - 1) rho)/k, and x1 - x2 has 2 (1 - rho).              (MI.7)
TEST_P(GapsTogether, AreDrawnFromTheirJointDistribution) {
  const auto [k, rho] = GetParam();
  const Together t = table_of(1000, k, rho, 1);
  const ImputedFit found = fit_linear_imputed(with_block_gaps(t, 2), t.y, {}, {.prior = Prior::shared()}, {.imputations = 40});
  Vector x = Vector::Constant(k + 1, gap);
  x[k] = 0.4;
  const Matrix drawn = found.imputation.rows->completed(x);
  const auto n = static_cast<double>(drawn.rows());
  ASSERT_EQ(n, 200);
  const Vector mean = drawn.leftCols(k).rowwise().mean(), apart = drawn.col(0) - drawn.col(1);
  const double exact = (1 + static_cast<double>(k - 1) * rho) / static_cast<double>(k);
  // Variances of 200 draws have a relative standard error of .1, and the parameters of 700 rows one of .05; four of them.
  EXPECT_NEAR(variance_of(mean) / exact, 1, 0.45);
  EXPECT_NEAR(variance_of(apart) / (2 * (1 - rho)), 1, 0.45);
  EXPECT_NEAR(mean.mean(), 0, 4 * std::sqrt(exact * (1 / n + 1 / 700.0)));
}

// A row that lacks x1 only, and one that lacks all but x2: both have the exact moments of a normal distribution.                 (MI.7)
TEST_P(GapsTogether, AreDrawnGivenWhatTheRowShows) {
  const auto [k, rho] = GetParam();
  const Together t = table_of(1000, k, rho, 3);
  const ImputedFit found = fit_linear_imputed(with_block_gaps(t, 4), t.y, {}, {.prior = Prior::shared()}, {.imputations = 40});
  for (const Index num_known : {Index{1}, k - 1}) {
    Vector x = Vector::Constant(k + 1, gap);
    x[k] = 0;
    x.segment(1, num_known).setConstant(1.2);
    const auto m = static_cast<double>(num_known);
    const double mean = 1.2 * m * rho / (1 + (m - 1) * rho), variance = 1 - m * rho * rho / (1 + (m - 1) * rho);
    const Vector drawn = found.imputation.rows->completed(x).col(0);
    EXPECT_NEAR(variance_of(drawn) / variance, 1, 0.45) << num_known;
    EXPECT_NEAR(drawn.mean(), mean, 4 * std::sqrt(variance * (1 / 200.0 + (2 + m) / 700.0))) << num_known;
  }
}

// Completed training rows have the noise, and the spread between columns, of the known ones.                                     (MI.1)
TEST_P(GapsTogether, KeepNoiseAndSlopesInTraining) {
  const auto [k, rho] = GetParam();
  const Together t = table_of(600, k, rho, 5);
  const Fit fit = fit_linear_imputed(with_block_gaps(t, 6), t.y, {}, {.prior = Prior::shared()}).fit;
  // 420 rows have a known x: the noise has a relative standard error of .035, and the sum of slopes one of .015; four of them.
  EXPECT_NEAR(noise_sd(fit), 0.3, 0.3 * 0.14);
  EXPECT_NEAR(fit.mean.head(k).sum(), 1, 0.06);
  EXPECT_NEAR(fit.mean[k], 1, 0.06);
}

INSTANTIATE_TEST_SUITE_P(Columns, GapsTogether,
                         ::testing::Values(std::pair{Index{2}, 0.5}, std::pair{Index{2}, 0.999}, std::pair{Index{6}, 0.99},
                                           std::pair{Index{12}, 0.9}),
                         [](const auto& test) {
                           return std::to_string(test.param.first) + "_" + std::to_string(static_cast<int>(1000 * test.param.second));
                         });

// A chain of blocks depends on nothing that is missing; where more is missing, it needs more cycles.                             (MI.9)
TEST(ChainMemory, GrowsWithWhatIsMissing) {
  const auto cycles_with = [](double share, bool blocks) {
    const Together t = table_of(200, 2, 0.9, 7);
    Random random(8);
    Matrix X = t.X;
    for (Index i = 0; i < 200; ++i)
      for (const Index j : {0, 1})
        if (random.chance(share)) X.row(i).segment(blocks ? 0 : j, blocks ? 2 : 1).setConstant(gap);
    const GappedTable table = gapped_table(X, t.y, Vector::Ones(200), numbers(3), true);
    const Memory memory = memory_of(table, 1, [] { return true; });
    EXPECT_TRUE(memory.forgets);
    return memory.cycles;
  };
  const int blocks = cycles_with(0.5, true), few = cycles_with(0.2, false), many = cycles_with(0.7, false);
  EXPECT_LE(blocks, 3);
  EXPECT_LE(few, 8);
  EXPECT_GT(many, few);
}

// Three levels in a line, which the target tells apart; the middle one is not on one side of any threshold.                      (MI.3)
TEST(Chain, DrawsTheMiddleOfThreeLevels) {
  Random random(9);
  const Index n = 240;
  FeatureEncoding encoding;
  encoding.features = {{"x"}, {"size", true, {"large", "medium", "small"}, 0, 80}};
  Matrix X = Matrix::Zero(n, 3);
  Vector y(n);
  std::vector<Index> level;
  for (Index i = 0; i < n; ++i) {
    level.push_back(random.integer(0, 2));
    X(i, 0) = random.normal();
    if (level.back() > 0) X(i, level.back()) = 1;
    y[i] = X(i, 0) + 2 * static_cast<double>(level.back()) + 0.3 * random.normal();
  }
  for (Index i = 0; i < n; i += 3) X(i, 1) = X(i, 2) = gap;
  const GappedTable table = gapped_table(X, y, Vector::Ones(n), encoding, true);
  Normals draws(2);
  const Matrix Z = completed_by_chain(table, 5, draws, [] { return true; });
  int right = 0;
  for (Index i = 0; i < n; i += 3) {
    const auto is_one = [&](Index j) { return Z(i, j) / table.units.scale[j] + table.units.center[j] > 0.5; };
    right += (is_one(1) ? 1 : is_one(2) ? 2 : 0) == level[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  EXPECT_GE(right, 72);  // of 80: the best rule is wrong once in a thousand, and a draw of the slopes of 160 rows more often
}

// A number in two clusters, which a text names, and the text is missing with it: the draws keep both clusters.                    (MI.8)
TEST(GapsOfTextsAndNumbers, KeepTheirAssociation) {
  Random random(10);
  const Index n = 400;
  FeatureEncoding encoding;
  encoding.features = {{"z"}, {"dose"}, {"kind", true, {"a", "b"}, 0, n / 2}};
  Matrix X(n, 3);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    const bool is_b = random.chance(0.5);
    X.row(i) << random.normal(), (is_b ? 2 : -2) + random.normal(), is_b ? 1 : 0;
    y[i] = X(i, 1) + X(i, 0) + 0.3 * random.normal();
    if (i % 4 == 0) X(i, 1) = X(i, 2) = gap;
  }
  const ImputedFit found = fit_linear_imputed(X, y, encoding, {.prior = Prior::shared()}, {.imputations = 40});
  const Matrix drawn = found.imputation.rows->completed(Eigen::Vector3d(0.3, gap, gap));
  const Vector dose = drawn.col(1), kind = drawn.col(2);
  const double share = kind.mean();
  EXPECT_NEAR(share, 0.5, 0.16);  // 200 draws, and 300 rows: four standard errors of .045
  const double of_b = kind.dot(dose) / kind.sum(), of_a = (1 - kind.array()).matrix().dot(dose) / (1 - kind.array()).sum();
  EXPECT_NEAR(of_b, 2, 0.5);
  EXPECT_NEAR(of_a, -2, 0.5);
  EXPECT_NEAR(variance_of(dose), 5, 1.0);  // 4 between the kinds and 1 within
}

// A row of weight 0 is as good as none, whatever it lacks or shows.
TEST(Impute, RowsOfWeightZeroChangeNothing) {
  const Together t = table_of(60, 2, 0.9, 11);
  const Matrix gapped = with_block_gaps(t, 12);
  Matrix X(64, 3);
  X << Eigen::RowVector3d(gap, 5, 1), Eigen::RowVector3d(30, -20, 7), gapped, Eigen::RowVector3d(gap, gap, gap),
      Eigen::RowVector3d(2, gap, 0);
  Vector y(64);
  y << 3, 40, t.y, -2, 1;
  std::vector<double> weights(64, 1.0);
  weights[0] = weights[1] = weights[62] = weights[63] = 0;
  const std::vector<double> ones(60, 1.0);
  const auto expect_same = [&](const ImputedFit& with, const ImputedFit& without) {
    const double rounding = with.fit.task == Task::linear ? 1e-8 : 1e-5;  // through the steps of an average
    EXPECT_LT((with.fit.mean - without.fit.mean).lpNorm<Eigen::Infinity>(), rounding);
    EXPECT_LT((with.fit.variance - without.fit.variance).lpNorm<Eigen::Infinity>(), rounding);
    EXPECT_EQ(with.imputation.gaps, without.imputation.gaps);
    const Eigen::Vector3d row(gap, gap, 0.5);
    EXPECT_LT((with.imputation.rows->completed(row) - without.imputation.rows->completed(row)).lpNorm<Eigen::Infinity>(), 1e-8);
  };
  for (const PriorKind prior : {PriorKind::shared, PriorKind::dense}) {
    FitOptions all, left;
    all.prior.kind = left.prior.kind = prior;
    all.weights = weights;
    left.weights = ones;
    expect_same(fit_linear_imputed(X, y, {}, all, {.imputations = 5}), fit_linear_imputed(gapped, t.y, {}, left, {.imputations = 5}));
    expect_same(fit_logistic_imputed(X, Vector((y.array() > 0).cast<double>()), {}, all, {.imputations = 5}),
                fit_logistic_imputed(gapped, Vector((t.y.array() > 0).cast<double>()), {}, left, {.imputations = 5}));
  }
  // Only such rows have gaps: the plain fit.
  X.middleRows(2, 60) = t.X;
  FitOptions all;
  all.weights = weights;
  const ImputedFit found = fit_linear_imputed(X, y, {}, all);
  EXPECT_EQ(found.fit.completed_tables, 0);
  EXPECT_LT((found.fit.mean - fit_linear(t.X, t.y).mean).lpNorm<Eigen::Infinity>(), 1e-8);
}

}  // namespace
}  // namespace ardvark
