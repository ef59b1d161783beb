#include "ardvark/effects.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/refusals.hpp"
#include "support/random_problem.hpp"
#include "support/thrown.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;

std::vector<std::vector<Index>> columns_of(const std::vector<EffectSet>& sets) {
  std::vector<std::vector<Index>> out;
  for (const EffectSet& set : sets) out.push_back(set.columns);
  return out;
}

// The probability of each subset of the columns, by summing over all of them: pi and the noise in closed form, kappa on a grid.
std::vector<double> subset_probabilities(const Matrix& X, const Vector& y) {
  const auto p = static_cast<int>(X.cols());
  const double n = static_cast<double>(X.rows()), nu = n - 1;
  Matrix Z = X.rowwise() - X.colwise().mean();
  for (Index j = 0; j < Z.cols(); ++j) Z.col(j) *= std::sqrt(n) / Z.col(j).norm();
  const Vector r = (y.array() - y.mean()).matrix();
  std::vector<double> probability(std::size_t{1} << p, 0.0);
  double total = 0;
  for (double ln_kappa = -12; ln_kappa < 8; ln_kappa += 0.05) {
    const double kappa = std::exp(ln_kappa);
    const double ln_prior = -0.5 * ln_kappa - 36 / nu / (2 * kappa);  // of ln kappa
    for (std::size_t subset = 0; subset < probability.size(); ++subset) {
      std::vector<Index> in;
      for (int j = 0; j < p; ++j)
        if ((subset >> j) & 1U) in.push_back(j);
      const Matrix S = Z(Eigen::all, in);
      const Matrix A = Matrix::Identity(S.cols(), S.cols()) + kappa * S.transpose() * S;
      const Eigen::LLT<Matrix> factor(A);
      const Vector c = S.transpose() * r;
      const double rest = r.squaredNorm() - kappa * c.dot(factor.solve(c));
      const double ln_det = 2 * Matrix(factor.matrixL()).diagonal().array().log().sum();
      const auto k = static_cast<double>(in.size());
      const double ln_beta = std::lgamma(1 + k) + std::lgamma(1 + p - k);
      const double weight = std::exp(ln_prior + ln_beta - 0.5 * ln_det - nu / 2 * std::log(rest / r.squaredNorm()));
      probability[subset] += weight, total += weight;
    }
  }
  for (double& share : probability) share /= total;
  return probability;
}

double chance_of_any(const std::vector<double>& probability, const std::vector<Index>& columns) {
  std::size_t mask = 0;
  for (const Index j : columns) mask |= std::size_t{1} << j;
  double sum = 0;
  for (std::size_t subset = 0; subset < probability.size(); ++subset)
    if (subset & mask) sum += probability[subset];
  return sum;
}

TEST(Effects, AgreeWithTheSumOverAllSubsets) {
  for (const double correlation : {0.0, 0.8, 0.95})
    for (const std::uint64_t seed : {1, 2, 3}) {
      Random random(seed);
      Matrix X = random.normals(60, 6);
      X.col(1) = correlation * X.col(0) + std::sqrt(1 - correlation * correlation) * X.col(1);
      X.col(3) = correlation * X.col(2) + std::sqrt(1 - correlation * correlation) * X.col(3);
      const Vector y = 0.6 * X.col(0) + 0.35 * X.col(2) + random.normals(60);
      const std::vector<double> exact = subset_probabilities(X, y);
      const Effects effects = find_effects(X, y);
      ASSERT_FALSE(effects.nested.empty());
      for (const std::vector<EffectSet>& nested : effects.nested)
        for (const EffectSet& set : nested)
          EXPECT_NEAR(set.probability, chance_of_any(exact, set.columns), 0.05) << "correlation " << correlation << ", seed " << seed;
    }
}

TEST(Effects, CountCopiesOnce) {
  Random random(5);
  Matrix X = random.normals(100, 20);
  X.col(7) = -3 * X.col(2);
  const Vector y = X.col(2) + random.normals(100);
  std::vector<EffectSet> found = effects_at(find_effects(X, y), 0.05);
  std::erase_if(found, [](const EffectSet& set) {
    return std::ranges::find_first_of(set.columns, std::vector<Index>{2, 7}) == set.columns.end();
  });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(std::set<Index>(found[0].columns.begin(), found[0].columns.end()), (std::set<Index>{2, 7}));
  EXPECT_GT(found[0].probability, 0.99);
}

TEST(Effects, OfNoiseAreNone) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Random random(seed);
    const Matrix X = random.normals(80, 30);
    const Vector y = random.normals(80);
    EXPECT_TRUE(effects_at(find_effects(X, y), 0.05).empty());
  }
  EXPECT_TRUE(effects_at(Effects{}, 0.5).empty());
}

TEST(Effects, OfTwoClassesAreThoseThatWereMade) {
  Random random(11);
  const Matrix X = random.normals(400, 40);
  Vector labels(400);
  for (Index i = 0; i < 400; ++i) labels[i] = random.chance(1 / (1 + std::exp(-1 - 1.5 * X(i, 3) + 1.5 * X(i, 17)))) ? 7 : -2;
  const std::vector<EffectSet> found = effects_at(find_effects(X, labels, {.task = Task::logistic}), 0.05);
  std::vector<std::vector<Index>> columns = columns_of(found);
  std::ranges::sort(columns);
  EXPECT_EQ(columns, (std::vector<std::vector<Index>>{{3}, {17}}));
}

// An effect of a flat column is in every model; constant columns have none.
TEST(Effects, LeaveOutFlatAndConstantColumns) {
  Random random(12);
  Matrix X = random.normals(120, 8);
  X.col(4).setConstant(1e3);
  X.col(5) = X.col(0);
  const Vector y = 3 * X.col(0) + X.col(6) + random.normals(120);
  const std::vector<Index> flat = {0};
  EXPECT_EQ(columns_of(effects_at(find_effects(X, y, {.flat = flat}), 0.1)), (std::vector<std::vector<Index>>{{6}}));
}

TEST(Effects, ReadAWeightAsRepetition) {
  Random random(13);
  const Matrix X = random.normals(60, 6);
  const Vector y = 0.4 * X.col(1) + random.normals(60);
  Vector weights(60);
  Matrix repeated(0, 6);
  Vector target(0);
  for (Index i = 0; i < 60; ++i) {
    weights[i] = static_cast<double>(i % 3);
    for (Index k = 0; k < i % 3; ++k) {
      repeated.conservativeResize(repeated.rows() + 1, Eigen::NoChange), target.conservativeResize(target.size() + 1);
      repeated.bottomRows(1) = X.row(i), target[target.size() - 1] = y[i];
    }
  }
  const Effects of_weights = find_effects(X, y, {.weights = weights}), of_rows = find_effects(repeated, target);
  ASSERT_FALSE(of_weights.nested.empty());
  EXPECT_EQ(of_weights.nested[0][0].columns, of_rows.nested[0][0].columns);
  EXPECT_NEAR(of_weights.nested[0][0].probability, of_rows.nested[0][0].probability, 0.03);
}

TEST(Effects, DoNotDependOnUnits) {
  Random random(14);
  Matrix X = random.normals(70, 10);
  const Vector y = 0.5 * X.col(3) + random.normals(70);
  const Effects before = find_effects(X, y);
  X.col(3) = 1024 * X.col(3), X.col(5) *= -0.25;
  const Effects after = find_effects(X, Vector(64 * y));
  ASSERT_FALSE(before.nested.empty());
  EXPECT_EQ(after.nested[0][0].columns, before.nested[0][0].columns);
  EXPECT_NEAR(after.nested[0][0].probability, before.nested[0][0].probability, 0.03);
}

TEST(EffectsAt, TakeTheSmallestSetsThatAreSureAndThenTheSurestOfTheRest) {
  Effects effects;
  effects.nested = {{{{0}, 0.99}}, {{{1}, 0.92}, {{1, 4}, 0.999}}, {{{2}, 0.5}, {{2, 3}, 0.97}}, {{{5}, 0.8}}, {{{3}, 0.45}}};
  EXPECT_EQ(columns_of(effects_at(effects, 0.1)), (std::vector<std::vector<Index>>{{0}, {1}, {2, 3}, {5}}));
  EXPECT_EQ(columns_of(effects_at(effects, 0.01)), (std::vector<std::vector<Index>>{{0}, {1, 4}}));
  EXPECT_EQ(columns_of(effects_at(effects, 0.6)), (std::vector<std::vector<Index>>{{0}, {1}, {2}, {5}, {3}}));
  EXPECT_TRUE(effects_at(effects, 0.0005).empty());
}

TEST(EffectsAt, KeepTheRateAndShareNoColumn) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Effects effects;
    for (Index s = 0; s < 12; ++s) {
      std::vector<EffectSet> nested = {{{s}, random.uniform()}};
      while (random.chance(0.5)) {
        EffectSet larger = nested.back();
        const Index next = random.integer(0, 15);
        if (std::ranges::find(larger.columns, next) != larger.columns.end()) break;
        larger.columns.push_back(next);
        larger.probability += (1 - larger.probability) * random.uniform();
        nested.push_back(larger);
      }
      effects.nested.push_back(nested);
    }
    const double fdr = random.uniform(0.01, 0.9);
    const std::vector<EffectSet> found = effects_at(effects, fdr);
    double without = 0;
    std::vector<Index> all;
    for (const EffectSet& set : found) {
      without += 1 - set.probability;
      all.insert(all.end(), set.columns.begin(), set.columns.end());
    }
    EXPECT_LE(without, fdr * static_cast<double>(found.size()) * (1 + 1e-12));
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  }
}

TEST(EffectsAt, FindMoreSingleColumnsAtAHigherRate) {
  Random random(3);
  Effects effects;
  for (Index j = 0; j < 50; ++j) effects.nested.push_back({{{j}, random.uniform()}});
  std::size_t before = 0;
  for (double fdr = 0.01; fdr < 0.9; fdr += 0.01) {
    const std::size_t count = effects_at(effects, fdr).size();
    EXPECT_GE(count, before);
    before = count;
  }
}

TEST(EffectsAt, RefuseARateThatIsNone) {
  for (const double fdr : {0.0, 1.0, -0.1, std::nan("")})
    expect_invalid([&] { (void)effects_at(Effects{}, fdr); }, {"fdr", "between 0 and 1"});
}

}  // namespace
}  // namespace ardvark::internal
