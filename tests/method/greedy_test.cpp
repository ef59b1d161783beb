#include "method/greedy/greedy.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/errors.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "greedy_cases.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::every_likelihood;
using testing::labels;
using testing::pick;
using testing::plain_evidence;
using testing::Random;
using testing::relative_distance;

// A random problem with duplicates, a column of zeros, a constant one, more columns than rows, ... and all its promises.
void expect_sound(std::uint64_t seed, GreedyLikelihood likelihood) {
  SCOPED_TRACE(seed);
  Random random(seed);
  const Index n = random.integer(1, 25), p = random.integer(1, 40);
  testing::Problem problem = testing::make_problem(seed, n, p, random.scale(0.01, 3));
  Matrix& X = problem.X;
  for (Index j = 1; j < p; ++j) {
    if (random.chance(0.1)) X.col(j) = X.col(j - 1);
    if (random.chance(0.05)) X.col(j) = -2 * X.col(0);
    if (random.chance(0.05)) X.col(j).setZero();
    if (random.chance(0.05)) X.col(j).setConstant(3);
    if (random.chance(0.1)) X.col(j) = X.col(j - 1) + 1e-6 * random.normals(n);
    X.col(j) *= random.chance(0.2) ? random.scale(1e-4, 1e4) : 1;
  }
  const bool gaussian = likelihood == GreedyLikelihood::gaussian;
  const Vector target = gaussian ? problem.y : labels(problem);
  GreedySettings settings;
  settings.likelihood = likelihood;
  settings.fixed_noise = random.chance(0.3);
  if (random.chance(0.3)) settings.free_columns = {p - 1};
  if (random.chance(0.3)) settings.precision = settings.noise = {1e-2, 1e-4};
  settings.refactor_every = static_cast<int>(random.integer(1, 60));
  DenseDesign design(X, {});
  const GreedyOutcome fit = greedy(design, target, settings);
  EXPECT_EQ(fit.status, Status::converged) << fit.message << fit.log_evidence;
  for (std::size_t i = 1; i < fit.evidence_trace.size(); ++i)
    EXPECT_GE(fit.evidence_trace[i], fit.evidence_trace[i - 1] - 1e-9 * (1 + std::abs(fit.evidence_trace[i]))) << i;
  ASSERT_TRUE(std::isfinite(fit.log_evidence));
  ASSERT_TRUE(fit.V.allFinite() && fit.w.allFinite() && fit.alpha.allFinite() && (fit.alpha.array() > 0).all());
  const Matrix Phi = pick(X, fit.columns);
  EXPECT_LE(relative_distance(fit.m, Phi * fit.w), 1e-8);
  for (double gamma : fit.well_determined) EXPECT_TRUE(gamma > -1e-9 && gamma < 1 + 1e-9) << gamma;
}

TEST(Greedy, EvidenceNeverFallsGaussian) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) expect_sound(seed, GreedyLikelihood::gaussian);
}
TEST(Greedy, EvidenceNeverFallsBernoulli) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) expect_sound(1000 + seed, GreedyLikelihood::bernoulli);
}
TEST(Greedy, EvidenceNeverFallsLogisticBound) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) expect_sound(2000 + seed, GreedyLikelihood::logistic_bound);
}

TEST(Greedy, PosteriorAndEvidenceAreThoseOfTheDenseFormulas) {  // (RIDGE.1), (RIDGE.2), (GREEDY.4), (GREEDY.5), (GREEDY.6)
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const testing::Problem problem = testing::make_problem(seed, 40, 15);
    DenseDesign design(problem.X, {});
    GreedySettings settings;
    const GreedyOutcome linear = greedy(design, problem.y, settings);
    Matrix Phi = pick(problem.X, linear.columns);
    const double tau = linear.noise_precision;
    auto plain = testing::plain_ridge(Phi, Vector::Constant(40, tau), tau * problem.y, linear.alpha);
    EXPECT_LE(relative_distance(linear.w, plain.w), 1e-9);
    EXPECT_LE(relative_distance(linear.V, plain.V), 1e-9);
    EXPECT_NEAR(linear.log_evidence, plain_evidence(Phi, linear.alpha, tau, problem.y), 1e-7);
    const double determined = linear.well_determined.sum();  // (GREEDY.8)
    EXPECT_NEAR(tau, (40 - determined) / (problem.y - linear.m).squaredNorm(), 1e-4 * tau);

    const Vector t = labels(problem);
    for (GreedyLikelihood likelihood : {GreedyLikelihood::bernoulli, GreedyLikelihood::logistic_bound}) {
      settings.likelihood = likelihood;
      const GreedyOutcome fit = greedy(design, t, settings);
      Phi = pick(problem.X, fit.columns);
      Vector omega(40), r(40);
      double evidence = 0;
      for (Index i = 0; i < 40; ++i) {
        const double m = fit.m[i];
        if (likelihood == GreedyLikelihood::bernoulli) {
          omega[i] = sigmoid(m) * sigmoid(-m);
          r[i] = omega[i] * m + t[i] - sigmoid(m);
          evidence += t[i] * m - softplus(m);
        } else {
          const double xi = std::sqrt(m * m + Phi.row(i).dot(fit.V * Phi.row(i).transpose()));
          omega[i] = 2 * jj_lambda(xi);
          r[i] = t[i] - 0.5;
          evidence += log_sigmoid(xi) - 0.5 * xi + jj_lambda(xi) * xi * xi;
        }
      }
      plain = testing::plain_ridge(Phi, omega, r, fit.alpha);
      const bool bound = likelihood == GreedyLikelihood::logistic_bound;
      EXPECT_LE(relative_distance(fit.w, plain.w), bound ? 1e-3 : 1e-7);  // xi is one update behind
      EXPECT_LE(relative_distance(fit.V, plain.V), bound ? 1e-3 : 1e-7);
      evidence += 0.5 * plain.log_det_V + 0.5 * fit.alpha.array().log().sum();
      evidence += bound ? 0.5 * plain.w.dot(Phi.transpose() * r) : -0.5 * fit.alpha.dot(fit.w.cwiseAbs2());
      EXPECT_NEAR(fit.log_evidence, evidence, bound ? 1e-5 : 1e-7);
    }
  }
}

TEST(Greedy, BeginsWithGivenColumns) {
  Random random(83);
  const Matrix X = random.normals(60, 20);
  const Vector y = X.col(3) - 2 * X.col(11) + 0.3 * random.normals(60);
  DenseDesign design(X, {});
  GreedySettings settings;
  settings.max_actions = 0;
  settings.more_starts = false;
  settings.noise_precision = 5;
  settings.fixed_noise = true;
  settings.start_columns = {11, 3};
  settings.start_precision = (Vector(2) << 0.5, 2).finished();
  const GreedyOutcome begun = greedy(design, y, settings);
  EXPECT_EQ(begun.columns, (std::vector<Index>{3, 11}));
  EXPECT_LE(relative_distance(begun.alpha, (Vector(2) << 2, 0.5).finished()), 1e-14);
  EXPECT_NEAR(begun.log_evidence, plain_evidence(pick(X, {3, 11}), begun.alpha, 5, y), 1e-8);
  settings.free_columns = {3};
  EXPECT_THROW(static_cast<void>(greedy(design, y, settings)), InvalidArgument);  // named twice
  settings.free_columns = {};
  settings.start_precision[1] = 0;
  EXPECT_THROW(static_cast<void>(greedy(design, y, settings)), InvalidArgument);
}

TEST(Greedy, KeepsFreeColumnsAndPrunesEverythingElse) {
  Random random(91);
  const Index n = 50;
  Matrix X = random.normals(n, 3);
  X.col(0).setOnes();
  Vector y = random.normals(n);
  const Matrix Q = Eigen::HouseholderQR<Matrix>(X).householderQ() * Matrix::Identity(n, 3);
  y -= Q * (Q.transpose() * y);  // no column explains anything
  DenseDesign design(X, {});
  GreedySettings settings;
  const GreedyOutcome nothing = greedy(design, y, settings);
  EXPECT_EQ(nothing.status, Status::converged);
  EXPECT_TRUE(nothing.columns.empty());
  EXPECT_NE(nothing.message.find("no column improves"), std::string::npos) << nothing.message;
  const double variance = y.squaredNorm() / static_cast<double>(n);
  EXPECT_NEAR(nothing.log_evidence, -0.5 * static_cast<double>(n) * (ln_2pi + std::log(variance) + 1), 1e-8);  // the model without columns
  EXPECT_EQ(nothing.m, Vector::Zero(n));
  settings.free_columns = {0};
  const GreedyOutcome bias = greedy(design, Vector(y.array() + 5), settings);
  EXPECT_EQ(bias.columns, std::vector<Index>{0});
  EXPECT_NEAR(bias.w[0], 5, 1e-8);
  EXPECT_NEAR(bias.alpha[0], std::numeric_limits<double>::epsilon() * static_cast<double>(n), 1e-20);
  settings.likelihood = GreedyLikelihood::bernoulli;
  settings.free_columns = {};
  const Vector even = (Vector(n) << Vector::Zero(n / 2), Vector::Ones(n / 2)).finished();
  Matrix constant = Matrix::Ones(n, 1);
  DenseDesign ones(constant, {});
  const GreedyOutcome coin = greedy(ones, even, settings);
  EXPECT_TRUE(coin.columns.empty());
  EXPECT_NEAR(coin.log_evidence, -static_cast<double>(n) * ln_2, 1e-10);
}

TEST(Greedy, SurvivesPerfectTargetsAndDegenerateTables) {
  Random random(92);
  const Matrix X = random.normals(30, 10);
  DenseDesign design(X, {});
  const Vector y = 2 * X.col(3) - X.col(7);
  const GreedyOutcome perfect = greedy(design, y, {});
  EXPECT_EQ(perfect.status, Status::converged) << perfect.message;
  EXPECT_LE(distance(perfect.m, y), 1e-2);
  const double variance = (y.array() - y.mean()).square().sum() / 29;
  EXPECT_LE(perfect.noise_precision, 1.0000001e6 / variance);
  for (const Vector& target : {Vector(Vector::Zero(30)), Vector(Vector::Constant(30, 4))}) {
    const GreedyOutcome fit = greedy(design, target, {});
    EXPECT_EQ(fit.status, Status::converged);
    EXPECT_TRUE(std::isfinite(fit.log_evidence));
  }
  const Matrix zeros = Matrix::Zero(4, 3);
  DenseDesign empty(zeros, {});
  EXPECT_TRUE(greedy(empty, Vector::LinSpaced(4, 0, 1), {}).columns.empty());
  for (GreedyLikelihood likelihood : {GreedyLikelihood::gaussian, GreedyLikelihood::bernoulli, GreedyLikelihood::logistic_bound}) {
    GreedySettings settings;
    settings.likelihood = likelihood;
    settings.free_columns = {0, 1};
    Matrix twice = Matrix::Ones(6, 3);  // two free columns that are the same, labels that are all the same
    DenseDesign same(twice, {});
    const GreedyOutcome fit = greedy(same, Vector::Ones(6), settings);
    EXPECT_EQ(fit.columns, std::vector<Index>{0}) << fit.message;
    EXPECT_TRUE(std::isfinite(fit.log_evidence));
    const Matrix single = Matrix::Constant(1, 1, 2);
    DenseDesign one(single, {});
    settings.free_columns = {};
    EXPECT_TRUE(std::isfinite(greedy(one, Vector::Ones(1), settings).log_evidence));
  }
}

TEST(Greedy, RefusesColumnsThatLieAlongOneOfTheModel) {
  Random random(93);
  Matrix X(40, 3);
  X.col(0) = random.normals(40);
  X.col(1) = -3 * X.col(0) + 1e-3 * random.normals(40);
  X.col(2) = random.normals(40);
  const Vector y = X.col(0) + X.col(2) + 0.01 * random.normals(40);
  DenseDesign design(X, {});
  const GreedyOutcome fit = greedy(design, y, {});
  EXPECT_EQ(fit.columns.size(), 2U);
}

TEST(Greedy, TakesTheVariationalPosteriorWithHyperPriors) {  // (GREEDY.7): the fixed points of (VR.1) and (VR.2)
  const testing::Problem problem = testing::make_problem(5, 60, 12);
  DenseDesign design(problem.X, {});
  GreedySettings settings;
  settings.precision = {0.5, 0.2};
  settings.noise = {2, 3};
  settings.tolerance = 1e-10;
  const GreedyOutcome fit = greedy(design, problem.y, settings);
  ASSERT_GT(fit.columns.size(), 2U);
  const Matrix Phi = pick(problem.X, fit.columns);
  for (Index j = 0; j < fit.w.size(); ++j)
    EXPECT_NEAR(fit.alpha[j], (0.5 + 0.5) / (0.2 + 0.5 * (fit.w[j] * fit.w[j] + fit.V(j, j))), 1e-3 * fit.alpha[j]) << j;
  const double trace = (Phi * fit.V * Phi.transpose()).trace();
  EXPECT_NEAR(fit.noise_precision, (2 + 30) / (3 + 0.5 * ((problem.y - fit.m).squaredNorm() + trace)), 1e-3 * fit.noise_precision);
}

TEST(Greedy, TakesAWeightAsRepetition) {  // (LIN.6)
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const testing::Problem problem = testing::make_problem(300 + seed, 30, 12);
    Random random(seed);
    Vector weights(30);
    std::vector<Index> rows;
    for (Index i = 0; i < 30; ++i) {
      weights[i] = static_cast<double>(random.integer(0, 3));
      rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), i);
    }
    const Matrix repeated = problem.X(rows, Eigen::all);
    DenseDesign design(problem.X, {}), longer(repeated, {});
    for (GreedyLikelihood likelihood : every_likelihood) {
      const Vector target = likelihood == GreedyLikelihood::gaussian ? problem.y : labels(problem);
      GreedySettings settings;
      settings.likelihood = likelihood;
      settings.tolerance = 1e-10;
      const GreedyOutcome whole = greedy(longer, target(rows), settings);
      settings.weights = weights;
      const GreedyOutcome weighted = greedy(design, target, settings);
      EXPECT_EQ(weighted.columns, whole.columns);
      EXPECT_NEAR(weighted.log_evidence, whole.log_evidence, 1e-6);
      EXPECT_LE(relative_distance(weighted.w, whole.w), 1e-3);
      EXPECT_NEAR(weighted.noise_precision, whole.noise_precision, 1e-4 * whole.noise_precision);
    }
  }
}

TEST(Greedy, IsTheSameTwiceAndInOtherUnits) {
  const testing::Problem problem = testing::make_problem(6, 80, 30);
  DenseDesign design(problem.X, {});
  const GreedyOutcome a = greedy(design, problem.y, {}), b = greedy(design, problem.y, {});
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.evidence_trace, b.evidence_trace);
  Matrix scaled = problem.X;
  for (Index j = 0; j < 30; ++j) scaled.col(j) *= j % 2 == 0 ? 1024 : 0.0078125;
  DenseDesign other(scaled, {});
  const GreedyOutcome c = greedy(other, problem.y, {});
  EXPECT_EQ(a.columns, c.columns);
  EXPECT_NEAR(a.log_evidence, c.log_evidence, 1e-7);
  EXPECT_LE(relative_distance(c.m, a.m), 1e-7);
}

TEST(Greedy, StopsWhereTheCallerSays) {
  const testing::Problem problem = testing::make_problem(7, 80, 30);
  DenseDesign design(problem.X, {});
  GreedySettings settings;
  settings.on_action = [](int actions, double) { return actions < 3; };
  const GreedyOutcome stopped = greedy(design, problem.y, settings);
  EXPECT_EQ(stopped.status, Status::stopped_by_user);
  EXPECT_EQ(stopped.evidence_trace.size(), 3U);
  settings.on_action = nullptr;
  settings.max_actions = 2;
  const GreedyOutcome limited = greedy(design, problem.y, settings);
  EXPECT_EQ(limited.status, Status::max_sweeps);
  EXPECT_EQ(limited.evidence_trace.size(), 2U);
}

TEST(Greedy, RejectsSettingsOutsideTheirRange) {
  const Matrix X = Matrix::Ones(3, 2);
  DenseDesign design(X, {});
  const Vector y = Vector::LinSpaced(3, 0, 2);
  const auto with = [&](auto&& change, Vector target, std::initializer_list<const char*> pieces) {
    GreedySettings settings;
    change(settings);
    testing::expect_invalid([&] { static_cast<void>(greedy(design, target, settings)); }, pieces);
  };
  with([](GreedySettings&) {}, Vector::Ones(2), {"target", "2", "3"});
  with([](GreedySettings&) {}, Vector::Constant(3, std::nan("")), {"target[0]", "finite"});
  with([](GreedySettings& s) { s.likelihood = GreedyLikelihood::bernoulli; }, y, {"target[2]", "2", "0 or 1"});
  with([](GreedySettings& s) { s.free_columns = {0, 2}; }, y, {"free_columns", "2", "0 to 1"});
  with([](GreedySettings& s) { s.free_columns = {1, 1}; }, y, {"free_columns", "once"});
  with([](GreedySettings& s) { s.noise_precision = -1; }, y, {"noise_precision", "-1"});
  with([](GreedySettings& s) { s.weights = Vector::Ones(2); }, y, {"weights", "3 rows"});
  with([](GreedySettings& s) { s.weights = Vector::Zero(3); }, y, {"weights", "not all zero"});
  with([](GreedySettings& s) { s.free_precision = 0; }, y, {"free_precision", "0"});
  with([](GreedySettings& s) { s.tolerance = 0; }, y, {"tolerance"});
  with([](GreedySettings& s) { s.alignment = 2; }, y, {"alignment", "2"});
  with([](GreedySettings& s) { s.precision.shape = 1; }, y, {"precision", "both"});
}

}  // namespace
}  // namespace ardvark::internal
