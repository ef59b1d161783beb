#include "engine/greedy.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/errors.hpp"
#include "core/special.hpp"
#include "design/column_subset.hpp"
#include "design/kernel_design.hpp"
#include "engine/greedy_pool.hpp"

namespace ardvark {
namespace {

using testing::distance;
using testing::Long;
using testing::LongMatrix;
using testing::LongVector;
using testing::Random;
using testing::relative_distance;

// ln N(t | 0, 1/tau + Phi diag(1/alpha) Phi'), the plain way.
double plain_evidence(const Matrix& Phi, const Vector& alpha, double tau, const Vector& t) {
  const Index n = t.size();
  LongMatrix C = LongMatrix::Identity(n, n) / Long(tau);
  for (Index j = 0; j < Phi.cols(); ++j) C += Phi.col(j).cast<Long>() * Phi.col(j).cast<Long>().transpose() / Long(alpha[j]);
  const Eigen::LLT<LongMatrix> llt(C);
  const Long log_det = 2 * LongMatrix(llt.matrixL()).diagonal().array().log().sum();
  const LongVector tl = t.cast<Long>();
  return static_cast<double>(-0.5L * (static_cast<Long>(n) * ln_2pi + log_det + tl.dot(llt.solve(tl))));
}

Matrix pick(const Matrix& X, const std::vector<Index>& columns) {
  Matrix out(X.rows(), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) out.col(static_cast<Index>(j)) = X.col(columns[j]);
  return out;
}

Vector labels(const testing::Problem& problem) { return 0.5 * (problem.labels.array() + 1); }

TEST(GreedyModel, GainsAreDifferencesOfTheLogMarginalLikelihood) {  // (GREEDY.2), (GREEDY.4), (OPT.5)
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(3, 12), k = random.integer(1, 6);
    Matrix Phi = random.normals(n, k + 1);
    for (Index j = 0; j <= k; ++j) Phi.col(j).normalize();
    const Vector t = random.normals(n);
    GreedySettings settings;
    settings.noise_precision = random.scale(0.3, 10);
    GreedyModel model(t, settings);
    const double tau = settings.noise_precision;
    RankOne change;
    Vector alpha(0);
    for (Index j = 0; j <= k; ++j) {  // add
      const LeftOut x = model.candidate(Phi.col(j));
      const double a = random.scale(0.05, 20), gain = model.gain().at(a, x), before = model.state().evidence;
      alpha.conservativeResize(j + 1);
      alpha[j] = a;
      const double difference = plain_evidence(Phi.leftCols(j + 1), alpha, tau, t) - plain_evidence(Phi.leftCols(j), alpha.head(j), tau, t);
      EXPECT_NEAR(gain, difference, 1e-8);
      const double best = model.gain().best(x);
      if (std::isfinite(best)) {
        EXPECT_NEAR(model.gain().at(best, x), 0.5 * ((x.q * x.q - x.s) / x.s + std::log(x.s / (x.q * x.q))), 1e-8);  // (OPT.5)
      }
      model.add(j, Phi.col(j), a, change);
      model.update_evidence();
      EXPECT_NEAR(model.state().evidence - before, gain, 1e-8);
      EXPECT_NEAR(model.state().evidence, plain_evidence(Phi.leftCols(j + 1), alpha, tau, t), 1e-8);
    }
    const Index i = random.integer(0, k);
    const LeftOut x = model.left_out(i);
    const double a = random.scale(0.05, 20), before = model.state().evidence;
    const double change_gain = model.gain().at(a, x) - model.gain().at(alpha[i], x), S = 1 / (1 / x.s + 1 / alpha[i]);
    const double Q = x.q * S / x.s, step = 1 / a - 1 / alpha[i];
    EXPECT_NEAR(change_gain, 0.5 * (Q * Q / (S + 1 / step) - std::log(1 + S * step)), 1e-8);  // (OPT.5)
    alpha[i] = a;
    model.reestimate(i, a, change);
    model.update_evidence();
    EXPECT_NEAR(model.state().evidence, plain_evidence(Phi, alpha, tau, t), 1e-8);
    EXPECT_NEAR(model.state().evidence - before, change_gain, 1e-8);
    const double full = model.state().evidence, loss = model.gain().at(a, model.left_out(i));
    model.begin();
    model.remove(i, change);
    model.update_evidence();
    EXPECT_NEAR(full - model.state().evidence, loss, 1e-8);
    std::vector<Index> left = model.state().columns;
    Vector left_alpha(k);
    for (Index j = 0; j < k; ++j) left_alpha[j] = alpha[left[static_cast<std::size_t>(j)]];
    EXPECT_NEAR(model.state().evidence, plain_evidence(pick(Phi, left), left_alpha, tau, t), 1e-8);
    const Matrix V = model.state().V;
    ASSERT_TRUE(model.solve());
    EXPECT_LE(relative_distance(V, model.state().V), 1e-9);
    model.undo();
    EXPECT_EQ(model.state().evidence, full);
    EXPECT_EQ(distance(model.Phi(), Phi), 0);
  }
}

TEST(GreedyPool, KeepsSAndQByRankOneChanges) {  // (GREEDY.1), (GREEDY.3)
  Random random(71);
  const Index n = 30, p = 12;
  const Matrix X = random.normals(n, p);
  const Vector t = random.normals(n);
  DenseDesign design(X, {});
  GreedySettings settings;
  settings.noise_precision = 2;
  GreedyModel model(t, settings);
  GreedyPool pool, fresh;
  Vector length(p);
  pool.load_range(design, 0, p, length);
  pool.refresh(model);
  fresh = pool;
  RankOne change;
  for (int step = 0; step < 200; ++step) {
    const Index j = random.integer(0, p - 1);
    const auto& columns = model.state().columns;
    const auto found = std::find(columns.begin(), columns.end(), j);
    const Index position = found - columns.begin();
    if (found == columns.end()) {
      model.add(j, pool.column(j), random.scale(0.1, 10), change);
      pool.add(model, change);
    } else if (random.chance(0.5)) {
      model.reestimate(position, random.scale(0.1, 10), change);
      pool.reestimate(change);
    } else {
      model.remove(position, change);
      pool.remove(position, change);
    }
    model.update_evidence();
    if (step % 40 == 39) {
      fresh.refresh(model);
      for (Index row = 0; row < p; ++row) {
        const LeftOut direct = model.candidate(X.col(row) / X.col(row).norm());
        EXPECT_NEAR(pool.candidate(row).s, direct.s, 1e-9);
        EXPECT_NEAR(pool.candidate(row).q, direct.q, 1e-9);
        EXPECT_NEAR(fresh.candidate(row).s, direct.s, 1e-12);
        EXPECT_NEAR(fresh.candidate(row).q, direct.q, 1e-12);
      }
    }
  }
}

TEST(GreedyPool, KnowsTheGainOfAnExchange) {  // (GREEDY.9)
  Random random(72);
  const Index n = 20, p = 9;
  const Matrix X = random.normals(n, p);
  const Vector t = random.normals(n);
  DenseDesign design(X, {});
  GreedySettings settings;
  settings.noise_precision = 2;
  GreedyModel model(t, settings);
  GreedyPool pool;
  Vector length(p);
  pool.load_range(design, 0, p, length);
  RankOne change;
  for (Index j = 0; j < 4; ++j) model.add(j, pool.column(j), random.scale(0.1, 3), change);
  ASSERT_TRUE(model.solve());
  pool.refresh(model);
  pool.prepare_exchange(model);
  for (Index i = 0; i < 4; ++i)
    for (Index row = 4; row < p; ++row) {
      const auto& now = model.state();
      const double V = now.V(i, i), W = pool.W(row, i), a = 0.7;
      const LeftOut x = {pool.candidate(row).s + W * W / V, pool.candidate(row).q + W * now.w[i] / V};
      const double predicted = model.gain().at(a, x) - model.gain().at(now.alpha[i], model.left_out(i)), before = now.evidence;
      const Matrix Phi = model.Phi();
      model.begin();
      model.exchange(i, row, pool.column(row), a);
      ASSERT_TRUE(model.solve());
      EXPECT_NEAR(model.state().evidence - before, predicted, 1e-10);
      model.undo();
      EXPECT_EQ(distance(model.Phi(), Phi), 0);
    }
}

TEST(GreedyPool, SurveysWhatItReads) {  // (GREEDY.1), (GREEDY.9); several chunks, the last one short
  Random random(73);
  const Index n = 8000, p = 150, first = 3, count = 140;
  Matrix X = random.normals(n, p);
  X.col(7).setZero();
  DenseDesign design(X, {});
  GreedySettings settings;
  settings.noise_precision = 2;
  settings.weights = random.normals(n).cwiseAbs();
  for (GreedyLikelihood likelihood : {GreedyLikelihood::gaussian, GreedyLikelihood::bernoulli}) {
    settings.likelihood = likelihood;
    const Vector t = likelihood == GreedyLikelihood::gaussian ? random.normals(n) : Vector((random.normals(n).array() > 0).cast<double>());
    GreedyModel model(t, settings);
    RankOne change;
    for (Index j : {0, 20, 149}) model.add(j, X.col(j) / X.col(j).norm(), random.scale(0.1, 3), change);
    ASSERT_TRUE(model.solve() && model.settle_rows(3));
    GreedyPool read, surveyed, on_threads(3), near;
    Vector length = Vector::Zero(p), length_surveyed = length;
    read.load_range(design, first, count, length);
    read.refresh(model);
    surveyed.survey(design, first, count, model, length_surveyed);
    on_threads.survey(design, first, count, model, length);
    near.load_range(design, first, count, length);
    near.narrow({0, 17, 100});
    near.refresh_near(model);
    for (const Index row : {0, 17, 100}) {
      EXPECT_TRUE(near.is_near(row));
      EXPECT_FALSE(near.is_near(row + 1));
      EXPECT_NEAR(near.candidate(row).s, read.candidate(row).s, 1e-13);
      EXPECT_NEAR(near.candidate(row).q, read.candidate(row).q, 1e-11);
      EXPECT_FALSE(near.in_span(row) && !read.in_span(row));
    }
    near.refresh_rest(model);
    for (Index row = 0; row < count; ++row) {
      EXPECT_NEAR(near.candidate(row).s, read.candidate(row).s, 1e-13);
      EXPECT_NEAR(near.candidate(row).q, read.candidate(row).q, 1e-11);
    }
    EXPECT_EQ(length, length_surveyed);
    ASSERT_EQ(surveyed.size(), count);
    for (Index row = 0; row < count; ++row) {
      const LeftOut x = surveyed.candidate(row), expected = read.candidate(row);
      EXPECT_EQ(surveyed.id(row), first + row);
      EXPECT_NEAR(length[first + row], X.col(first + row).norm(), 1e-12);
      EXPECT_NEAR(x.s, expected.s, 1e-13);
      EXPECT_NEAR(x.q, expected.q, 1e-11);
      EXPECT_EQ(surveyed.in_span(row), read.in_span(row)) << row;
      EXPECT_EQ(x.s, on_threads.candidate(row).s);
      EXPECT_EQ(x.q, on_threads.candidate(row).q);
      for (Index i = 0; i < 3; ++i) EXPECT_NEAR(surveyed.W(row, i), read.W(row, i), 1e-13);
    }
  }
}

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

constexpr GreedyLikelihood every_likelihood[] = {GreedyLikelihood::gaussian, GreedyLikelihood::bernoulli, GreedyLikelihood::logistic_bound};

void expect_same_in_blocks(Design& kept, Design& on_demand, const Vector& target, GreedyLikelihood likelihood, double tolerance) {
  GreedySettings settings;
  settings.likelihood = likelihood;
  const GreedyOutcome whole = greedy(kept, target, settings);
  settings.most_kept = 1;
  settings.screen_block = 64;
  const GreedyOutcome blocks = greedy(on_demand, target, settings);
  EXPECT_GT(blocks.num_screens, 1);
  EXPECT_EQ(whole.num_screens, 0);
  EXPECT_GE(blocks.log_evidence, whole.log_evidence - tolerance * std::abs(whole.log_evidence));
}

TEST(Greedy, ScreensBlocksToTheSameEvidence) {
  const Matrix X = Random(83).normals(400, 250);
  Random random(82);
  Vector signal = Vector::Zero(400), t(400);
  for (Index j = 3; j < 250; j += 40) signal += 1.5 * X.col(j);
  for (Index i = 0; i < 400; ++i) t[i] = random.uniform() < sigmoid(signal[i]) ? 1 : 0;
  const Vector y = signal + random.normals(400);
  DenseDesign design(X, {});
  for (GreedyLikelihood likelihood : every_likelihood)
    expect_same_in_blocks(design, design, likelihood == GreedyLikelihood::gaussian ? y : t, likelihood,
                          likelihood == GreedyLikelihood::bernoulli ? 2e-3 : 1e-6);  // of 76 nats: a column of little worth more or less
}

// Neighbouring kernels are nearly the same column: there are many maxima, a few thousandths of a nat per observation apart at most.
TEST(Greedy, ScreensKernelsToNearlyTheSameEvidence) {
  Random random(81);
  const Index n = 400;
  const Matrix x = Vector::LinSpaced(n, -10, 10);
  Vector y(n), t(n);
  for (Index i = 0; i < n; ++i) {
    y[i] = (x(i, 0) == 0 ? 1.0 : std::sin(x(i, 0)) / x(i, 0)) + 0.1 * random.normal();
    t[i] = random.uniform() < sigmoid(4 * y[i]) ? 1 : 0;
  }
  KernelDesign kept(Kernel::gaussian(3), x, x, true), on_demand(Kernel::gaussian(3), x, x, true, KernelDesign::Keep::never);
  for (GreedyLikelihood likelihood : every_likelihood)
    expect_same_in_blocks(kept, on_demand, likelihood == GreedyLikelihood::gaussian ? y : t, likelihood, 3e-3);
}

TEST(Greedy, TakesTheSameActionsWithFactors) {  // (GREEDY.11)
  Random random(82);
  const Index n = 400;
  const Matrix x = random.normals(n, 1);
  Vector y(n), t(n);
  for (Index i = 0; i < n; ++i) {
    y[i] = std::sin(3 * x(i, 0)) + 0.2 * random.normal();
    t[i] = random.uniform() < sigmoid(4 * y[i]) ? 1 : 0;
  }
  const Vector weights = random.normals(n).cwiseAbs();
  for (GreedyLikelihood likelihood : every_likelihood)
    for (bool standardized : {false, true}) {
      KernelDesign kept(Kernel::gaussian(0.8), x, x, true), factored(Kernel::gaussian(0.8), x, x, true, KernelDesign::Keep::factors);
      ASSERT_NE(factored.factors(), nullptr);
      if (standardized) kept.standardize(weights);
      if (standardized) factored.standardize(weights);
      GreedySettings settings;
      settings.likelihood = likelihood;
      settings.weights = weights;
      settings.free_columns = {n};
      const Vector& target = likelihood == GreedyLikelihood::gaussian ? y : t;
      const GreedyOutcome a = greedy(kept, target, settings), b = greedy(factored, target, settings);
      EXPECT_GE(a.columns.size(), 4U);
      EXPECT_EQ(a.columns, b.columns);
      EXPECT_NEAR(a.log_evidence, b.log_evidence, 1e-6);
      EXPECT_LE(relative_distance(a.m, b.m), 1e-4);  // as near as ln alpha is brought to rest
    }
}

// Where the rows move the columns are chosen by factors that are rough; what enters is exact, and so is what is said of the end.
TEST(Greedy, ChoosesByRoughFactorsAndComputesByTheColumns) {  // (GREEDY.11)
  Random random(85);
  const Index n = 500;
  const Matrix x = random.normals(n, 2);
  Vector t(n);
  for (Index i = 0; i < n; ++i) t[i] = random.uniform() < sigmoid(4 * std::sin(2 * x(i, 0)) + 2 * x(i, 1)) ? 1 : 0;
  for (GreedyLikelihood likelihood : {GreedyLikelihood::bernoulli, GreedyLikelihood::logistic_bound}) {
    GreedySettings settings;
    settings.likelihood = likelihood;
    settings.tolerance = 1e-3;
    settings.free_columns = {n};
    const auto rough = KernelDesign::Factoring::rough(n, settings.tolerance);
    KernelDesign kept(Kernel::gaussian(3), x, x, true), factored(Kernel::gaussian(3), x, x, true, KernelDesign::Keep::factors, rough);
    ASSERT_NE(factored.factors(), nullptr);
    const GreedyOutcome b = greedy(factored, t, settings);
    EXPECT_GE(b.columns.size(), 4U);
    // It may be another maximum than the exact columns lead to; but from there the exact columns find nothing that gains more than the
    // roughness allows.
    GreedySettings go_on = settings;
    go_on.exchange = false;
    go_on.start_columns.assign(b.columns.begin(), b.columns.end() - 1);
    go_on.start_precision = b.alpha.head(b.alpha.size() - 1);
    const GreedyOutcome again = greedy(kept, t, go_on);
    EXPECT_NEAR(again.log_evidence, b.log_evidence, 2e-3);
    EXPECT_GE(again.log_evidence, b.log_evidence - 1e-6);
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

TEST(Greedy, SearchesManyKernelsByParts) {  // (GREEDY.12)
  Random random(84);
  const Index n = 1200;
  const Matrix x = random.normals(n, 2);
  Vector t(n);
  for (Index i = 0; i < n; ++i) t[i] = random.uniform() < sigmoid(3 * (x(i, 0) * x(i, 0) - x(i, 1))) ? 1 : 0;
  KernelDesign kept(Kernel::gaussian(1), x, x, true);
  GreedySettings settings;
  settings.likelihood = GreedyLikelihood::bernoulli;
  settings.free_columns = {n};
  settings.tolerance = 1e-3;
  const GreedyOutcome whole = greedy(kept, t, settings);
  settings.alike = true;
  const GreedyOutcome parts = greedy(kept, t, settings);
  EXPECT_EQ(whole.num_screens, 0);
  EXPECT_GT(parts.num_screens, 0);
  EXPECT_EQ(parts.columns.back(), n);  // the bias stays free
  EXPECT_EQ(parts.status, Status::converged);
  // It begins with the best of four searches over an eighth, and nothing that it does lowers the evidence.
  settings.alike = settings.exchange = false;
  settings.tolerance = 1e-2;
  const auto best_part_of = [&](KernelDesign& design) {
    double best = -std::numeric_limits<double>::infinity();
    for (Index offset = 0; offset < 4; ++offset) {
      std::vector<Index> some;
      for (Index j = offset; j < n; j += 8) some.push_back(j);
      some.push_back(n);
      ColumnSubset part(design, some);
      GreedySettings coarse = settings;
      coarse.free_columns = {part.cols() - 1};
      best = std::max(best, greedy(part, t, coarse).log_evidence);
    }
    return best;
  };
  const double best_part = best_part_of(kept);
  EXPECT_GE(parts.log_evidence, best_part - 1e-6);
  KernelDesign factored(Kernel::gaussian(1), x, x, true, KernelDesign::Keep::factors, {1e-4, n});
  ASSERT_NE(factored.factors(), nullptr);
  const double best_rough_part = best_part_of(factored);
  settings.alike = settings.exchange = true;
  settings.tolerance = 1e-3;
  settings.free_columns = {n};
  const GreedyOutcome by_factors = greedy(factored, t, settings);
  EXPECT_EQ(by_factors.num_screens, 0);
  EXPECT_GE(by_factors.log_evidence, best_rough_part - 1e-6);
  settings.alike = settings.exchange = true;
  settings.tolerance = 1e-3;
  settings.free_columns = {n, 3, 8};
  const GreedyOutcome three = greedy(kept, t, settings);
  for (const Index free : settings.free_columns) {
    const auto at = std::find(three.columns.begin(), three.columns.end(), free);
    ASSERT_NE(at, three.columns.end()) << free;
    EXPECT_LT(three.alpha[at - three.columns.begin()], 1e-9) << free;  // not pulled to 0
  }
  int calls = 0;
  settings.on_action = [&](int, double) { return ++calls < 5; };
  const GreedyOutcome stopped = greedy(kept, t, settings);
  EXPECT_EQ(stopped.status, Status::stopped_by_user);
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
}  // namespace ardvark
