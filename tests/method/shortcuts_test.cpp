// Shortcuts of the loop that must not show in its result: products in single precision, condensed problems.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "design/dense.hpp"
#include "method/sweep/sweep.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// The loop itself on a logistic problem with ARD, by the primal solver.
SweepOutcome sweep_logistic(const Matrix& X, const Vector& t, bool gaussian, const SweepSettings& settings, Posterior& q) {
  std::vector<Index> group(static_cast<std::size_t>(X.cols()));
  for (std::size_t j = 0; j < group.size(); ++j) group[j] = static_cast<Index>(j);
  const Partition partition = testing::make_partition(group);
  DenseDesign design(X, {});
  const std::unique_ptr<Likelihood> likelihood = gaussian ? make_logistic_gaussian(t, {}) : make_logistic_bound(t, {});
  PrecisionPrior prior(partition, Vector::Constant(X.cols(), 1e-2), Vector::Constant(X.cols(), 1e-4));
  const std::unique_ptr<Solver> solver = make_primal({design, partition, likelihood->traits()});
  q = testing::sized_posterior(partition, X.rows());
  return sweep(*likelihood, prior, *solver, q, settings);
}

TEST(SinglePrecision, OnTheWayEndsAtTheSamePosterior) {  // (MP.2)
  Random random(71);
  for (int problem = 0; problem < 30; ++problem) {
    const Index n = 150, p = random.integer(2, 20);
    const Matrix X = random.normals(n, p);
    Vector t(n);
    for (Index i = 0; i < n; ++i) t[i] = random.uniform() < 1 / (1 + std::exp(-2 * X(i, 0) + X(i, 1))) ? 1 : 0;
    for (bool gaussian : {false, true}) {
      SweepSettings settings;
      settings.num_rows = static_cast<double>(n);
      settings.tolerance = 1e-10;
      Posterior q, q_single;
      const SweepOutcome plain = sweep_logistic(X, t, gaussian, settings, q);
      settings.single_precision = true;
      const SweepOutcome single = sweep_logistic(X, t, gaussian, settings, q_single);
      ASSERT_EQ(single.status, Status::converged) << single.message;
      EXPECT_GT(single.num_single, 0);
      EXPECT_LT(single.num_single, single.sweeps) << "the last sweeps are in double";
      EXPECT_NEAR(single.bound, plain.bound, 1e-6);
      EXPECT_LE((q_single.w - q.w).cwiseAbs().maxCoeff(), 1e-3 * std::sqrt(q.V_diagonal.maxCoeff()));
      for (std::size_t i = 1; i < single.bound_history.size(); ++i)
        EXPECT_GE(single.bound_history[i], single.bound_history[i - 1] - 1e-8 * (static_cast<double>(n) - plain.bound));
    }
  }
}

TEST(SinglePrecision, IsNotInAResultThatWasStoppedOnTheWay) {  // (MP.2)
  Random random(74);
  const Matrix X = random.normals(200, 12);
  Vector t(200);
  for (Index i = 0; i < 200; ++i) t[i] = random.uniform() < 1 / (1 + std::exp(-2 * X(i, 0))) ? 1 : 0;
  SweepSettings settings;
  settings.num_rows = 200;
  settings.max_sweeps = 3;
  settings.single_precision = true;
  Posterior q;
  const SweepOutcome outcome = sweep_logistic(X, t, true, settings, q);
  EXPECT_EQ(outcome.status, Status::max_sweeps);
  EXPECT_EQ(outcome.num_single, 3);
  const Matrix precision = X.transpose() * outcome.rows.omega.asDiagonal() * X + Matrix(outcome.a.asDiagonal());
  const Vector variance = precision.inverse().diagonal();
  EXPECT_LE(((q.V_diagonal - variance).array() / variance.array()).abs().maxCoeff(), 1e-12);
}

// 5000 rows and 460 columns, of which ten have an effect: enough for single precision.
struct LongTable {
  Matrix X;
  Vector y;
};

LongTable long_table(double correlation, double noise, Random& random) {
  LongTable t{random.normals(5000, 460), {}};
  for (Index j = 1; j < t.X.cols(); ++j) t.X.col(j) = correlation * t.X.col(j - 1) + std::sqrt(1 - correlation * correlation) * t.X.col(j);
  t.y = t.X.leftCols(10) * random.normals(10) + noise * random.normals(5000);
  return t;
}

LinearFit fit_long(const LongTable& t, bool mixed_precision) {
  FitOptions options;
  options.prior.kind = PriorKind::sparse;
  options.mixed_precision = mixed_precision;
  return fit_linear(t.X, t.y, options);
}

TEST(SinglePrecision, OfALongTableIsFarBelowWhatTheDataKnow) {  // (MP.3)
  Random random(75);
  for (const double correlation : {0.0, 0.9, 0.5}) {
    LongTable t = long_table(correlation, 1, random);
    if (correlation == 0.5) t.X.colwise() += 2 * random.normals(5000);  // and all of them by .8
    const LinearFit plain = fit_long(t, false), mixed = fit_long(t, true);
    EXPECT_GT((plain.mean - mixed.mean).cwiseAbs().maxCoeff(), 0) << "single precision was not tried";
    EXPECT_LT(((plain.mean - mixed.mean).array().square() / plain.variance.array()).maxCoeff(), 1e-6);
    EXPECT_LT(((plain.variance - mixed.variance).array() / plain.variance.array()).abs().maxCoeff(), 1e-4);
    const double of_noise = 1e-3 / std::sqrt(2 * 5000.0);  // a thousandth of what it is known to
    EXPECT_NEAR(noise_sd(mixed) / noise_sd(plain), 1, of_noise);
    EXPECT_NEAR(mixed.bound, plain.bound, 5000 * of_noise);  // what that is in sum of squares / 2 s^2, of 5000 rows
  }
}

TEST(SinglePrecision, IsNotTakenWhereItMightShow) {  // (MP.3)
  Random random(76);
  std::vector<LongTable> tables = {long_table(0.999, 1, random), long_table(0, 0.05, random), long_table(0, 1, random)};
  tables[2].X.col(7) = tables[2].X.leftCols(7).rowwise().sum() + 1e-4 * random.normals(5000);
  for (std::size_t which = 0; which < tables.size(); ++which) {
    const LinearFit plain = fit_long(tables[which], false), mixed = fit_long(tables[which], true);
    EXPECT_EQ((plain.mean - mixed.mean).cwiseAbs().maxCoeff(), 0) << which;
    EXPECT_EQ(plain.bound, mixed.bound) << which;
  }
}

TEST(SinglePrecision, OfClassesIsFarBelowWhatTheDataKnow) {  // (MP.4)
  Random random(77);
  LongTable t = long_table(0.5, 1, random);
  const double middle = t.y.mean();
  t.y = (t.y.array() > middle).cast<double>();
  FitOptions options;
  options.prior.kind = PriorKind::sparse;
  const LogisticFit mixed = fit_logistic(t.X, t.y, options);
  options.mixed_precision = false;
  const LogisticFit plain = fit_logistic(t.X, t.y, options);
  EXPECT_GT((plain.mean - mixed.mean).cwiseAbs().maxCoeff(), 0) << "single precision was not tried";
  EXPECT_LT(((plain.mean - mixed.mean).array().square() / plain.variance.array()).maxCoeff(), 1e-5);
  EXPECT_NEAR(mixed.bound, plain.bound, 2e-3);  // the tolerance
  EXPECT_EQ(mixed.report.status, Status::converged);
}

// The exact Gaussian posterior and the Jaakkola-Jordan bound: rows that follow the mean.
class Polish : public ::testing::TestWithParam<bool> {};

TEST_P(Polish, EndsAtTheSamePosteriorInFewerSweeps) {  // (VG.4), (OPT.8)
  const bool gaussian = GetParam();
  Random random(73);
  int with = 0, without = 0;
  for (int problem = 0; problem < 30; ++problem) {
    const Index n = 120, p = random.integer(3, 25);
    const Matrix X = random.normals(n, p);
    Vector t(n);
    for (Index i = 0; i < n; ++i) t[i] = random.uniform() < 1 / (1 + std::exp(-3 * X(i, 0) + 2 * X(i, 1))) ? 1 : 0;
    SweepSettings settings;
    settings.num_rows = static_cast<double>(n);
    settings.tolerance = 1e-10;
    Posterior q, q_plain;
    const SweepOutcome polished = sweep_logistic(X, t, gaussian, settings, q);
    // what the loop takes for rounding, where it is more
    const double rounding = std::max(1e-9, 1e-11 * (static_cast<double>(n) - polished.bound));
    settings.polish = false;
    const SweepOutcome plain = sweep_logistic(X, t, gaussian, settings, q_plain);
    EXPECT_NEAR(polished.bound, plain.bound, 1e-6);
    EXPECT_LE((q.w - q_plain.w).cwiseAbs().maxCoeff(), 1e-3 * std::sqrt(q.V_diagonal.maxCoeff()));
    for (std::size_t i = 1; i < polished.bound_history.size(); ++i)
      EXPECT_GE(polished.bound_history[i], polished.bound_history[i - 1] - rounding);
    with += polished.sweeps;
    without += plain.sweeps;
  }
  EXPECT_LT(with, without);
}

// Plain sweeps are the published ones, where the bound has its own mean.
TEST(PlainSweeps, OfTheBoundAreNotPolished) {
  Random random(74);
  const Matrix X = random.normals(60, 4);
  Vector t(60);
  for (Index i = 0; i < 60; ++i) t[i] = random.uniform() < 1 / (1 + std::exp(-2 * X(i, 0))) ? 1 : 0;
  SweepSettings settings;
  settings.num_rows = 60;
  settings.accelerate = false;
  settings.max_sweeps = 3;
  Posterior q, q_plain;
  EXPECT_EQ(sweep_logistic(X, t, false, settings, q).bound, [&] {
    settings.polish = false;
    return sweep_logistic(X, t, false, settings, q_plain).bound;
  }());
  EXPECT_EQ(q.w, q_plain.w);
}

INSTANTIATE_TEST_SUITE_P(Likelihoods, Polish, ::testing::Values(true, false),
                         [](const auto& which) { return which.param ? "Gaussian" : "JaakkolaJordan"; });

// Many more columns than rows: the few that matter are settled between sweeps. Every sweep still raises the bound, and the end is a
// stationary point of the whole.
TEST(Condensed, SweepsRaiseTheBoundToAStationaryPoint) {  // (CONDENSE.1), (OPT.1)
  Random random(72);
  double gained = 0;
  int plain_sweeps = 0, condensed_sweeps = 0;
  for (int problem = 0; problem < 20; ++problem) {
    const Index n = random.integer(15, 30), p = 9 * n;
    Matrix X(n, p + 1);
    X << random.normals(n, p), Vector::Ones(n);
    const Vector y = 2 * X.col(0) - X.col(1) + random.normals(n);
    std::vector<Index> group(static_cast<std::size_t>(p + 1));
    for (std::size_t j = 0; j < group.size(); ++j) group[j] = static_cast<Index>(j) / (problem % 2 + 1);
    group.back() = Partition::flat;
    const Partition partition = testing::make_partition(group);
    const Index G = partition.num_groups();
    DenseDesign design(X, {});
    Vector gradient;
    const auto run = [&](bool condense) {
      Gaussian likelihood(y, {}, 1e-2, 1e-4, 1, p);
      PrecisionPrior prior(partition, Vector::Constant(G, 1e-2), Vector::Constant(G, 1e-4));
      const std::unique_ptr<Solver> solver = make_dual({design, partition, likelihood.traits()});
      Posterior q = testing::sized_posterior(partition, n);
      SweepSettings settings;
      settings.num_rows = static_cast<double>(n);
      settings.tolerance = 1e-9;
      settings.max_sweeps = 3000;
      settings.bold_steps = false;
      settings.num_plain_sweeps = 20;
      settings.condense = condense;
      SweepOutcome outcome = sweep(likelihood, prior, *solver, q, settings);
      gradient.resize(G);
      prior.gradient(q, likelihood.noise_precision(), gradient);
      return outcome;
    };
    const SweepOutcome plain = run(false), condensed = run(true);
    EXPECT_EQ(condensed.status, Status::converged) << condensed.message;
    EXPECT_LE(gradient.cwiseAbs().maxCoeff(), 2e-3);
    for (std::size_t i = 1; i < condensed.bound_history.size(); ++i)
      EXPECT_GE(condensed.bound_history[i], condensed.bound_history[i - 1] - 1e-8);
    gained += condensed.bound - plain.bound;
    plain_sweeps += plain.sweeps;
    condensed_sweeps += condensed.sweeps;
  }
  EXPECT_GT(gained, -0.5 * 20) << "on average no worse a maximum than without";
  EXPECT_LT(condensed_sweeps, plain_sweeps);
  RecordProperty("gained_nats", std::to_string(gained));
}

}  // namespace
}  // namespace ardvark::internal
