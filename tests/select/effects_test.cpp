#include "ardvark/effects.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "core/refusals.hpp"
#include "select/family_chains.hpp"
#include "support/draw_target.hpp"
#include "support/packed_genotypes.hpp"
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

constexpr double most_alike = 0.99;  // of rho
constexpr int alike_points = 10;
double alike_at(int i) { return most_alike * (i + 0.5) / alike_points; }

// ln of the density of ln kappa.                                                                                           (FDR.1)
double ln_prior_of(double ln_kappa, double scale) {
  return 0.5 * std::log(scale / (2 * M_PI)) - 0.5 * ln_kappa - scale / (2 * std::exp(ln_kappa));
}

// The probability of each subset of the columns, by summing over all of them and over the signs of their effects: pi in closed form, the
// noise, kappa and rho on grids.                                                                                          (FDR.1)
std::vector<double> subset_probabilities(const Matrix& X, const Vector& y) {
  const auto p = static_cast<int>(X.cols());
  const double n = static_cast<double>(X.rows()), nu = n - 1;
  Matrix Z = X.rowwise() - X.colwise().mean();
  for (Index j = 0; j < Z.cols(); ++j) Z.col(j) *= std::sqrt(n) / Z.col(j).norm();
  const Vector r = (y.array() - y.mean()).matrix();
  const double all = r.squaredNorm();
  std::vector<double> probability(std::size_t{1} << p, 0.0);
  const auto add = [&](std::size_t subset, double ln_kappa, double alike) {
    std::vector<Index> in;
    for (int j = 0; j < p; ++j)
      if ((subset >> j) & 1U) in.push_back(j);
    const double kappa = std::exp(ln_kappa), within = (1 - alike) * kappa;
    const auto k = static_cast<double>(in.size());
    const Matrix S = Z(Eigen::all, in), A = Matrix::Identity(S.cols(), S.cols()) + within * S.transpose() * S;
    const Eigen::LLT<Matrix> factor(A);
    const Matrix B = factor.solve(Matrix::Identity(S.cols(), S.cols()));
    const Vector c = S.transpose() * r, Bc = B * c;
    const double ln_det = 2 * Matrix(factor.matrixL()).diagonal().array().log().sum();
    const double ln_constant = ln_prior_of(ln_kappa, 36 / nu) + std::lgamma(1 + k) + std::lgamma(1 + p - k) - 0.5 * ln_det - k * M_LN2;
    for (std::size_t signs = 0; signs < (std::size_t{1} << in.size()); ++signs) {
      const Vector sign = Vector::NullaryExpr(S.cols(), [&](Index i) { return (signs >> i) & 1U ? 1.0 : -1.0; });
      const double linear = std::sqrt(alike * kappa) * Bc.dot(sign), constant = alike / (1 - alike) * (sign.dot(B * sign) - k) / 2;
      for (double ln_s2 = std::log(all / nu) - 2.5; ln_s2 < std::log(all / nu) + 1; ln_s2 += 0.15) {
        const double s2 = std::exp(ln_s2);
        const double rest = (all - within * c.dot(Bc)) / (2 * s2) - nu / 2;
        probability[subset] += std::exp(ln_constant - nu / 2 * (ln_s2 - std::log(all / nu)) - rest + linear / std::sqrt(s2) + constant);
      }
    }
  };
  for (double ln_kappa = -8; ln_kappa < 8; ln_kappa += 0.25)
    for (int i = 0; i < alike_points; ++i)
      for (std::size_t subset = 0; subset < probability.size(); ++subset) add(subset, ln_kappa, alike_at(i));
  const double total = std::accumulate(probability.begin(), probability.end(), 0.0);
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
      Vector mean = Vector::Zero(6);  // of the columns alone, over four chains; the standard error of one is up to .024
      for (std::uint64_t chain = 1; chain <= 4; ++chain)
        for (const std::vector<EffectSet>& nested : find_effects(X, y, {.seed = chain}).nested) {
          mean[nested[0].columns[0]] += nested[0].probability / 4;
          for (std::size_t i = 1; i < nested.size(); ++i)
            EXPECT_NEAR(nested[i].probability, chance_of_any(exact, nested[i].columns), 0.05) << correlation << ", seed " << seed;
        }
      for (Index j = 0; j < 6; ++j) EXPECT_NEAR(mean[j], chance_of_any(exact, {j}), 0.05) << correlation << ", seed " << seed;
    }
}

// For classes and counts the same with two columns: effects, intercept, kappa and rho on grids.                     (FDR.5), (FDR.10)
class RowsOfTwoColumns {
 public:
  /// \param ln_row       ln of the probability of a row at a score
  /// \param information  of all rows about a constant score
  RowsOfTwoColumns(const Matrix& X, std::function<double(Index, double)> ln_row, double information)
      : ln_row_(std::move(ln_row)), scale_(36 / information) {
    const double n = static_cast<double>(X.rows());
    Z_ = X.rowwise() - X.colwise().mean();
    for (Index j = 0; j < 2; ++j) Z_.col(j) *= std::sqrt(n) / Z_.col(j).norm();
  }
  [[nodiscard]] std::vector<double> probabilities() const {
    std::vector<double> ln = {ln_evidence({}), ln_evidence({0}), ln_evidence({1}), ln_evidence({0, 1})};
    double total = 0;
    const double most = *std::ranges::max_element(ln);
    for (double& one : ln) total += (one = std::exp(one - most));
    for (double& one : ln) one /= total;
    return ln;
  }

 private:
  static constexpr double step = 0.18;  // of the inverse hyperbolic sine: points are nearest at 0

  [[nodiscard]] double ln_likelihood(const Vector& scores) const {
    double sum = 0;
    for (Index i = 0; i < scores.size(); ++i) sum += ln_row_(i, scores[i]);
    return sum;
  }
  [[nodiscard]] double ln_prior(const std::vector<double>& b) const {
    const auto k = static_cast<double>(b.size());
    double sum = 0;
    constexpr double width = 0.25;
    for (double ln_kappa = std::log(scale_) - 4; ln_kappa < std::log(scale_) + 16; ln_kappa += width)
      for (int i = 0; i < alike_points; ++i) {
        const double kappa = std::exp(ln_kappa), v = (1 - alike_at(i)) * kappa, m = std::sqrt(alike_at(i) * kappa);
        double density = std::exp(ln_prior_of(ln_kappa, scale_)) * width / alike_points;
        for (const double one : b)
          density *= (std::exp(-(one - m) * (one - m) / (2 * v)) + std::exp(-(one + m) * (one + m) / (2 * v))) / std::sqrt(8 * M_PI * v);
        sum += density;
      }
    return std::log(sum) + std::lgamma(1 + k) + std::lgamma(3 - k);  // of the effects, and of which there are
  }
  [[nodiscard]] double ln_evidence(const std::vector<Index>& in) const {
    std::vector<double> terms;
    const auto add = [&](auto&& self, std::vector<double> b, const Vector& scores, double ln_width) -> void {
      const double prior = b.size() == in.size() ? ln_prior(b) : 0;
      for (double t = -4.5; t < 4.5; t += step) {
        const double value = std::sinh(t), width = ln_width + std::log(step * std::cosh(t));
        if (b.size() == in.size()) {
          terms.push_back(ln_likelihood(Vector(scores.array() + value)) + prior + width);
          continue;
        }
        std::vector<double> more = b;
        more.push_back(value);
        self(self, more, scores + value * Z_.col(in[b.size()]), width);
      }
    };
    add(add, {}, Vector::Zero(Z_.rows()), 0);
    const double most = *std::ranges::max_element(terms);
    return most +
           std::log(std::accumulate(terms.begin(), terms.end(), 0.0, [&](double sum, double t) { return sum + std::exp(t - most); }));
  }

  std::function<double(Index, double)> ln_row_;
  double scale_;
  Matrix Z_;
};

// The mean over six chains, each with a standard error of up to .04. A column that is not named has a share below .05.
Vector probabilities_of_chains(const Matrix& X, const Vector& target, EffectOptions options, const EffectFamily& family = {}) {
  constexpr int chains = 6;
  Vector mean = Vector::Zero(X.cols());
  for (std::uint64_t seed = 1; seed <= chains; ++seed) {
    Vector found = Vector::Constant(X.cols(), 0.025);
    options.seed = 100 * seed;
    for (const std::vector<EffectSet>& nested : effects_of_table(X, target, options, family).nested)
      found[nested[0].columns[0]] = nested[0].probability;
    mean += found / chains;
  }
  return mean;
}

// From no effect to one that separates the classes: normal approximations of either kind are wrong by .4 and more.
TEST(Effects, OfTwoClassesAgreeWithTheSumOverAllSubsets) {
  for (const auto& [first, second] : {std::pair{0.0, 0.0}, {1.0, 0.5}, {7.0, 0.9}, {60.0, 0.0}}) {
    Random random(1);
    const Matrix X = random.normals(50, 2);
    Vector labels(50);
    for (Index i = 0; i < 50; ++i) labels[i] = random.chance(1 / (1 + std::exp(-0.5 - first * X(i, 0) - second * X(i, 1)))) ? 1 : 0;
    const auto ln_row = [&](Index i, double score) {
      const double u = labels[i] > 0 ? score : -score;
      return u > 0 ? -std::log1p(std::exp(-u)) : u - std::log1p(std::exp(u));
    };
    const double share = (labels.sum() + 0.5) / 51;
    const std::vector<double> exact = RowsOfTwoColumns(X, ln_row, 50 * share * (1 - share)).probabilities();
    const Vector mean = probabilities_of_chains(X, labels, {.task = Task::logistic});
    for (Index j = 0; j < 2; ++j) EXPECT_NEAR(mean[j], chance_of_any(exact, {j}), 0.05) << "effect " << first << ", column " << j;
  }
}

// With an offset; the second column's effect is doubtful.                                                                    (FDR.10)
TEST(Effects, OfCountsAgreeWithTheSumOverAllSubsets) {
  for (const double k : {0.0, 0.5})
    for (const auto& [first, second] : {std::pair{0.0, 0.0}, {0.5, 0.25}, {1.2, -0.4}}) {
      Random random(2);
      const Matrix X = random.normals(50, 2);
      const Vector offset = 0.4 * random.normals(50);
      Vector rate(50);
      for (Index i = 0; i < 50; ++i) {  // a gamma variate of variance k
        const double gamma = k == 0 ? 1 : -0.5 * (std::log(1 - random.uniform()) + std::log(1 - random.uniform()));
        rate[i] = 0.3 + first * X(i, 0) + second * X(i, 1) + offset[i] + std::log(gamma);
      }
      const Vector y = testing::draw_target(Task::counts, rate, random);
      const auto ln_row = [&](Index i, double score) {
        const double mu = std::exp(score + offset[i]);
        return y[i] * score - (k == 0 ? mu : (y[i] + 1 / k) * std::log1p(k * mu));
      };
      const double constant = y.sum() / offset.array().exp().sum();
      double information = 0;
      for (Index i = 0; i < 50; ++i) information += constant * std::exp(offset[i]) / (1 + k * constant * std::exp(offset[i]));
      const std::vector<double> exact = RowsOfTwoColumns(X, ln_row, information).probabilities();
      EffectFamily family{k == 0 ? Family::poisson : Family::negative_binomial, k};
      family.offset = offset;
      const Vector mean = probabilities_of_chains(X, y, {.task = Task::counts}, family);
      for (Index j = 0; j < 2; ++j) EXPECT_NEAR(mean[j], chance_of_any(exact, {j}), 0.05) << k << ", effect " << first << ", column " << j;
    }
}

// One column: its effect, the intercept, the noise, kappa and rho on grids.                                                    (FDR.9)
double probability_of_one_column(const Matrix& X, const Vector& y, double nu) {
  const double n = static_cast<double>(X.rows()), scale = 36 / (n - 1);
  Vector z = X.col(0).array() - X.col(0).mean();
  z *= std::sqrt(n) / z.norm();
  const Vector r = y.array() - y.mean();
  constexpr double step = 0.05, width = 0.25;
  double sum[2] = {0, 0};  // without and with the effect; e^20 times too large
  for (double ln_s2 = -2.5; ln_s2 < 2; ln_s2 += 0.1) {
    const double s2 = std::exp(ln_s2);
    const auto likelihood = [&](double b) {
      double of_all = 0;
      for (double at = -1; at < 1; at += step) {
        double ln = 30 - 0.5 * n * ln_s2;
        for (Index i = 0; i < r.size(); ++i) ln -= 0.5 * (nu + 1) * std::log1p((r[i] - at - b * z[i]) * (r[i] - at - b * z[i]) / (nu * s2));
        of_all += std::exp(ln) * step;
      }
      return of_all;
    };
    sum[0] += likelihood(0);
    std::vector<double> at, value;
    for (double b = -1.5; b < 1.5; b += step) at.push_back(b), value.push_back(likelihood(b) * step);
    for (double ln_kappa = std::log(scale) - 4; ln_kappa < std::log(scale) + 16; ln_kappa += width)
      for (int i = 0; i < alike_points; ++i) {
        const double kappa = std::exp(ln_kappa), v = (1 - alike_at(i)) * kappa * s2, m = std::sqrt(alike_at(i) * kappa * s2);
        double of_effect = 0;
        for (std::size_t l = 0; l < at.size(); ++l)
          of_effect += value[l] * (std::exp(-(at[l] - m) * (at[l] - m) / (2 * v)) + std::exp(-(at[l] + m) * (at[l] + m) / (2 * v))) /
                       std::sqrt(8 * M_PI * v);
        sum[1] += of_effect * std::exp(ln_prior_of(ln_kappa, scale)) * width / alike_points;
      }
  }
  return sum[1] / (sum[0] + sum[1]);  // pi is 1/2 on average
}

TEST(Effects, OfTNoiseAgreeWithTheSumOverAllSubsets) {
  for (const double effect : {0.0, 0.3, 0.5}) {
    Random random(3);
    const Matrix X = random.normals(50, 1);
    Vector y = effect * X.col(0) + 0.7 * random.normals(50);
    for (Index i = 0; i < 50; i += 10) y[i] += 8 * random.normal();
    const double exact = probability_of_one_column(X, y, 3);
    EXPECT_NEAR(probabilities_of_chains(X, y, {}, {.family = Family::student, .degrees_of_freedom = 3})[0], exact, 0.05) << effect;
  }
}

// Ten rows in a hundred are far off: the columns are named as without them.
TEST(Effects, OfTNoiseAreThoseThatWereMade) {
  Random random(14);
  const Matrix X = random.normals(300, 40);
  Vector y = 0.5 * X.col(3) - 0.4 * X.col(20) + random.normals(300);
  for (Index i = 0; i < 300; i += 10) y[i] += 10 * random.normal();
  const Effects effects = effects_of_table(X, y, {}, {.family = Family::student, .degrees_of_freedom = 2});
  std::vector<std::vector<Index>> found = columns_of(effects_at(effects, 0.05));
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<std::vector<Index>>{{3}, {20}}));
}

// The draws are not the same, because a weight is not a row.
TEST(Effects, OfCountsAndTNoiseReadAWeightAsRepetition) {
  Random random(15);
  const Matrix X = random.normals(60, 3);
  Matrix twice(120, 3);
  twice << X, X;
  const Vector two = Vector::Constant(60, 2), counts = testing::draw_target(Task::counts, 0.25 * X.col(0), random);
  const Vector numbers = 0.3 * X.col(0) + random.normals(60);
  for (const Family family : {Family::poisson, Family::negative_binomial, Family::student}) {
    const Vector& y = family == Family::student ? numbers : counts;
    const EffectFamily its{family, family == Family::negative_binomial ? 0.4 : 0, 4};
    EffectOptions options;
    options.task = family == Family::student ? Task::linear : Task::counts;
    Vector repeated(120);
    repeated << y, y;
    const Vector of_rows = probabilities_of_chains(twice, repeated, options, its);
    options.weights = two;
    const Vector of_weights = probabilities_of_chains(X, y, options, its);
    EXPECT_LT((of_weights - of_rows).cwiseAbs().maxCoeff(), 0.06) << to_string(family);
  }
}

// Rates from .01 to 200: a normal approximation that is made at a constant rate would be left by no sweep.                    (FDR.10)
TEST(Effects, OfCountsAreDrawnWhereRatesDifferMuch) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(200, 20);
    const Vector y = testing::draw_target(Task::counts, 0.5 + X.leftCols(4).rowwise().sum().array() * 0.8, random);
    const EffectFamily family{Family::poisson};
    const FitTable table(X);
    const ChainColumns columns = chain_columns(table, y, {.task = Task::counts});
    const ColumnsInPlay in_play = count_columns_in_play(columns, family, seed);
    CountChain chain(in_play, family, seed);
    for (int i = 0; i < 300; ++i) chain.sweep();
    EXPECT_GT(chain.share_taken(), 0.4) << seed;
    EXPECT_GE(chain.included().size(), 4U);
  }
}

TEST(Effects, OfCountsAreNoneOfTheOffset) {
  Random random(16);
  Matrix X = random.normals(200, 4);
  const Vector y = testing::draw_target(Task::counts, Vector(0.5 * X.col(0) + X.col(2)), random);
  EffectFamily family{Family::poisson};
  family.offset = X.col(2);
  family.offset_column = 2;
  EXPECT_EQ(columns_of(effects_at(effects_of_table(X, y, {.task = Task::counts}, family), 0.05)), (std::vector<std::vector<Index>>{{0}}));
  family.offset_column.reset();
  EffectOptions knockoffs{.task = Task::counts, .guarantee = Guarantee::knockoffs};
  expect_invalid([&] { (void)effects_of_table(X, y, knockoffs, family); }, {"guarantee", "offset"});
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

// Each effect is sure beside others, however well they separate the classes together.
TEST(Effects, OfClassesThatAreNearlySeparatedAreSure) {
  Random random(15);
  const Matrix X = random.normals(300, 30);
  Vector labels(300);
  for (Index i = 0; i < 300; ++i) labels[i] = 6 * X(i, 3) - 6 * X(i, 17) + 5 * X(i, 20) + random.normal() > 0 ? 1 : 0;
  const Effects effects = find_effects(X, labels, {.task = Task::logistic});
  ASSERT_GE(effects.nested.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GT(effects.nested[i][0].probability, 0.995);
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

TEST(Effects, OfClassesReadAWeightAsRepetition) {
  Random random(16);
  const Matrix X = random.normals(120, 4);
  Vector labels(120), weights(120);
  Matrix repeated(0, 4);
  Vector target(0);
  for (Index i = 0; i < 120; ++i) {
    labels[i] = random.chance(1 / (1 + std::exp(-0.5 * X(i, 1)))) ? 1 : 0;
    weights[i] = static_cast<double>(i % 3);
    for (Index k = 0; k < i % 3; ++k) {
      repeated.conservativeResize(repeated.rows() + 1, Eigen::NoChange), target.conservativeResize(target.size() + 1);
      repeated.bottomRows(1) = X.row(i), target[target.size() - 1] = labels[i];
    }
  }
  const Effects of_weights = find_effects(X, labels, {.task = Task::logistic, .weights = weights});
  const Effects of_rows = find_effects(repeated, target, {.task = Task::logistic});
  ASSERT_FALSE(of_weights.nested.empty());
  EXPECT_EQ(of_weights.nested[0][0].columns, of_rows.nested[0][0].columns);
  EXPECT_NEAR(of_weights.nested[0][0].probability, of_rows.nested[0][0].probability, 0.05);
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

// A sparse X of doubles, and the same numbers as one byte.
struct SparseForms {
  std::vector<std::int32_t> start = {0}, row;
  std::vector<double> value;
  std::vector<std::int8_t> byte;
  Index rows, cols;
  explicit SparseForms(const Matrix& X) : rows(X.rows()), cols(X.cols()) {
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i)
        if (X(i, j) != 0) row.push_back(static_cast<std::int32_t>(i)), value.push_back(X(i, j));
      start.push_back(static_cast<std::int32_t>(row.size()));
    }
    for (const double x : value) byte.push_back(static_cast<std::int8_t>(x));
  }
};

void expect_same(const Effects& found, const Effects& expected) {
  ASSERT_EQ(found.nested.size(), expected.nested.size());
  for (std::size_t i = 0; i < found.nested.size(); ++i) {
    EXPECT_EQ(found.nested[i].back().columns, expected.nested[i].back().columns);
    EXPECT_NEAR(found.nested[i].back().probability, expected.nested[i].back().probability, 1e-9);
  }
}

// Columns of counts, one of them full, one constant, one a copy; the last rows have weight 0. Sums are the same up to rounding, so the
// draws are.
TEST(Effects, OfEveryFormOfXAreTheSame) {
  Random random(17);
  Matrix X = Matrix::Zero(150, 25);
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = 0; i < X.rows(); ++i)
      if (random.chance(0.2)) X(i, j) = static_cast<double>(random.integer(1, 5));
  X.col(1).array() += 90;
  X.col(2).setConstant(7);
  X.col(9) = X.col(8);
  const Vector y = X.col(4) - 0.8 * X.col(8) + 0.5 * X.col(1) + random.normals(150);
  const Vector labels = (y.array() > y.mean()).cast<double>().matrix();
  Vector weights = Vector::Ones(150);
  weights.tail(20).setZero();
  const SparseForms sparse(X);
  const Eigen::MatrixXf single = X.cast<float>();
  const Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> bytes = X.cast<std::int8_t>();
  const std::vector<Index> flat = {0};
  for (const Task task : {Task::linear, Task::logistic})
    for (const bool intercept : {true, false}) {
      const Vector& target = task == Task::linear ? y : labels;
      const EffectOptions options{.task = task, .intercept = intercept, .flat = flat, .weights = weights};
      const Effects expected = find_effects(X, target, options);
      ASSERT_GE(expected.nested.size(), 2U);
      expect_same(find_effects(single, target, options), expected);
      expect_same(find_effects(bytes, target, options), expected);
      expect_same(find_effects(CscView(sparse.start.data(), sparse.row.data(), sparse.value.data(), 150, 25), target, options), expected);
      expect_same(find_effects(CscView(sparse.start.data(), sparse.row.data(), sparse.byte.data(), 150, 25), target, options), expected);
    }
}

// Genotypes in 2 bits, with missing ones at the mean, beside flat covariates; of few variants and of more than the chain visits.
TEST(Effects, OfGenotypesAreThoseOfTheirCounts) {
  for (const Index p : {20, 2100}) {
    Random random(21);
    const testing::PackedTable X(testing::random_copies(random, 120, p), random.normals(120, 2));
    const Vector y = X.same.col(4) - 0.9 * X.same.col(p - 3) + 0.5 * X.same.col(p) + random.normals(120);
    const Vector labels = (y.array() > y.mean()).cast<double>().matrix();
    const std::vector<Index> flat = {p, p + 1};
    for (const Task task : {Task::linear, Task::logistic}) {
      const Vector& target = task == Task::linear ? y : labels;
      const EffectOptions options{.task = task, .flat = flat};
      const Effects expected = effects_of_table(X.same, target, options);
      ASSERT_GE(expected.nested.size(), 2U);
      expect_same(effects_of_table(X.view(), target, options), expected);
    }
  }
}

// Of more than 2000 columns those with an inclusion are judged, and those that go with the target.
TEST(Effects, OfManyColumnsAreAmongThoseThatMayHaveOne) {
  Random random(18);
  Matrix X = random.normals(100, 2600);
  X.col(2500) = 0.95 * X.col(2400) + std::sqrt(1 - 0.95 * 0.95) * X.col(2500);
  const Vector y = 1.2 * X.col(2400) - 1.2 * X.col(2550) + random.normals(100);
  Vector inclusion = Vector::Zero(2600);
  inclusion[2400] = 1;
  const SparseForms sparse(X);
  const CscView view(sparse.start.data(), sparse.row.data(), sparse.value.data(), 100, 2600);
  for (const Effects& effects : {find_effects(X, y), find_effects(X, y, {.inclusion = inclusion}), find_effects(view, y)}) {
    std::vector<Index> first;
    for (const EffectSet& set : effects_at(effects, 0.1)) first.push_back(set.columns.front());
    std::ranges::sort(first);
    EXPECT_EQ(first, (std::vector<Index>{2400, 2550}));
  }
}

TEST(Effects, RefuseWhatIsNoTable) {
  const Matrix X = Matrix::Random(10, 3);
  const Vector y = Vector::Zero(10), too_few = Vector::Zero(9);
  expect_invalid([&] { (void)find_effects(X, too_few); }, {"target", "10"});
  Matrix with_gap = X;
  with_gap(4, 1) = std::nan("");
  expect_invalid([&] { (void)find_effects(with_gap, y); }, {"X", "row 5", "column 'x2'"});
  const Vector short_one = Vector::Zero(2);
  expect_invalid([&] { (void)find_effects(X, y, {.inclusion = short_one}); }, {"inclusion", "2 entries", "3 columns"});
  const std::vector<Index> flat = {3};
  expect_invalid([&] { (void)find_effects(X, y, {.flat = flat}); }, {"flat", "3", "0 to 2"});
  const Vector below = -Vector::Ones(10);
  expect_invalid([&] { (void)find_effects(X, y, {.weights = below}); }, {"weights", "-1"});
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
