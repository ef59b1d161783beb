#include "engine/model.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::make_problem;
using testing::Problem;
using testing::Random;
using testing::relative_distance;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

// Both tasks through one door.
Fit fit_any(Task task, MatrixView X, const Problem& problem, const FitOptions& options) {
  if (task == Task::linear) return fit_linear(X, problem.y, options);
  return fit_logistic(X, problem.labels, options);
}

FitOptions with_prior(const Prior& prior) {
  FitOptions options;
  options.prior = prior;
  options.precision = {0.5, 0.5};
  options.tolerance = 1e-12;
  options.max_sweeps = 5000;
  return options;
}

bool mentions(const std::vector<std::string>& texts, const std::string& piece) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.find(piece) != std::string::npos; });
}

struct Case {
  Task task;
  Prior prior;
  Index n, p;
  std::string text;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (Task task : {Task::linear, Task::logistic})
    for (const Prior& prior : {Prior::shared(), Prior::ard()})
      for (const auto& [n, p] : {std::pair<Index, Index>{50, 4}, std::pair<Index, Index>{12, 20}}) {
        const std::string text =
            std::string(to_string(task)) + ", " + to_string(prior.kind) + ", " + std::to_string(n) + " x " + std::to_string(p);
        all.push_back({task, prior, n, p, text});
      }
  return all;
}

// Two fits of the same thing. With more columns than rows ARD's bound is nearly level in some directions: there coefficients are known to
// fewer digits than the bound.
double tolerance_of(const Case& c) { return c.prior.kind == PriorKind::ard && c.n < c.p ? 2e-3 : 1e-6; }
void expect_same(const Fit& a, const Fit& b, double tolerance) {
  EXPECT_LE(relative_distance(a.mean, b.mean), tolerance);
  EXPECT_LE(relative_distance(a.variance, b.variance), tolerance);
  EXPECT_LE(relative_distance(a.bound, b.bound), std::min(tolerance, 1e-6));
  EXPECT_LE(relative_distance(a.log_det_V, b.log_det_V), tolerance);
  ASSERT_EQ(a.intercept.has_value(), b.intercept.has_value());
  if (a.intercept) {
    EXPECT_LE(relative_distance(a.intercept->mean, b.intercept->mean), tolerance);
    EXPECT_LE(relative_distance(a.intercept->variance, b.intercept->variance), tolerance);
  }
}

// ---- invariances
// --------------------------------------------------------------------------------------------------------------------------

TEST(Fit, AColumnRescaledAndShiftedChangesItsCoefficientOnly) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(91, c.n, c.p);
    const double scale = 40, shift = -7;
    Matrix X = problem.X;
    X.col(1) = scale * X.col(1).array() + shift;
    const Fit before = fit_any(c.task, problem.X, problem, with_prior(c.prior)), after = fit_any(c.task, X, problem, with_prior(c.prior));
    Fit expected = before;
    expected.mean[1] /= scale;
    expected.variance[1] /= scale * scale;
    expected.log_det_V -= 2 * std::log(scale);
    expected.intercept->mean -= shift * expected.mean[1];
    expected.intercept->variance = after.intercept->variance;
    expect_same(after, expected, tolerance_of(c));
    EXPECT_NEAR(after.V_diagonal[1] * scale * scale / before.V_diagonal[1], 1, tolerance_of(c));
    // The intercept is now the prediction where the old column is -shift/scale.
    const Matrix V = before.covariance();
    Vector origin = Vector::Zero(c.p + 1);
    origin[1] = -shift / scale;
    origin[c.p] = 1;
    EXPECT_NEAR(after.intercept->variance / origin.dot(V * origin), 1, tolerance_of(c));
  }
}

TEST(FitLinear, ATargetRescaledAndShiftedMovesTheBoundByItsUnits) {  // (LIN.5): -(sum k - n_flat) ln s
  for (const Case& c : cases()) {
    if (c.task == Task::logistic) continue;
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(92, c.n, c.p);
    const double scale = 250;
    FitOptions options = with_prior(c.prior);
    const Vector weights = Vector::Constant(c.n, 1.25);
    options.weights = weights;
    const LinearFit before = fit_linear(problem.X, problem.y, options),
                    after = fit_linear(problem.X, Vector(scale * problem.y.array() + 33), options);
    EXPECT_LE(relative_distance(after.mean / scale, before.mean), tolerance_of(c));
    EXPECT_LE(relative_distance(after.variance / (scale * scale), before.variance), tolerance_of(c));
    EXPECT_NEAR(after.intercept->mean, scale * before.intercept->mean + 33, scale * tolerance_of(c));
    EXPECT_NEAR(noise_sd(after) / noise_sd(before), scale, tolerance_of(c) * scale);
    EXPECT_NEAR(after.bound, before.bound - (weights.sum() - 1) * std::log(scale), 1e-5);
    EXPECT_NEAR(after.r_squared, before.r_squared, tolerance_of(c));
  }
}

TEST(FitLinear, BoundOfFlatColumnsIsInTheUnitsOfTheData) {  // (LIN.5): standardised or not, every column flat is the same model
  const Problem problem = make_problem(93, 30, 3);
  Matrix X = problem.X;
  X.col(0) *= 12;
  X.col(2).array() += 4;
  FitOptions standardised = with_prior(Prior::none()), plain = standardised;
  plain.standardize = false;
  // The prior of the noise precision is in the units in which the fit is made: take them apart by making it weak.
  standardised.noise = plain.noise = {1e-9, 1e-12};
  const LinearFit a = fit_linear(X, problem.y, standardised), b = fit_linear(X, problem.y, plain);
  EXPECT_LE(relative_distance(a.mean, b.mean), 1e-9);
  EXPECT_LE(relative_distance(a.V_diagonal, b.V_diagonal), 1e-9);
  EXPECT_NEAR(a.bound, b.bound, 1e-6);
}

TEST(Fit, RowsInAnotherOrderGiveTheSameFit) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(94, c.n, c.p);
    Random random(94);
    const std::vector<Index> order = random.permutation(c.n);
    const Problem permuted{problem.X(order, Eigen::all), problem.y(order), problem.labels(order)};
    expect_same(fit_any(c.task, permuted.X, permuted, with_prior(c.prior)), fit_any(c.task, problem.X, problem, with_prior(c.prior)),
                tolerance_of(c));
  }
}

TEST(Fit, AWeightEqualsRepetitionAndZeroEqualsAbsence) {  // (LIN.6)
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(95, c.n, c.p);
    Vector weights = Vector::Ones(c.n);
    std::vector<Index> rows;
    for (Index i = 0; i < c.n; ++i) {
      weights[i] = i % 5 == 3 ? 0 : i % 4 == 1 ? 2 : 1;
      for (int copy = 0; copy < static_cast<int>(weights[i]); ++copy) rows.push_back(i);
    }
    const Problem repeated{problem.X(rows, Eigen::all), problem.y(rows), problem.labels(rows)};
    FitOptions options = with_prior(c.prior), weighted = options;
    weighted.weights = weights;
    const Fit a = fit_any(c.task, problem.X, problem, weighted), b = fit_any(c.task, repeated.X, repeated, options);
    expect_same(a, b, tolerance_of(c));
    EXPECT_NEAR(a.num_rows, b.num_rows, 1e-12);
    EXPECT_NEAR(a.log_loss, b.log_loss, tolerance_of(c));
    EXPECT_NEAR(a.accuracy, b.accuracy, 1e-12);
    EXPECT_NEAR(a.effective_parameters, b.effective_parameters, 10 * tolerance_of(c));
  }
}

TEST(Fit, DoesNotDependOnStorage) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(96, c.n, c.p);
    const FitOptions options = with_prior(c.prior);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = problem.X;
    const Eigen::MatrixXf floats = problem.X.cast<float>();
    const Matrix rounded = floats.cast<double>();
    Matrix wide = Matrix::Constant(c.n + 3, c.p + 2, 1e30);
    wide.block(2, 1, c.n, c.p) = problem.X;
    const Fit fit = fit_any(c.task, problem.X, problem, options);
    expect_same(fit_any(c.task, by_row, problem, options), fit, tolerance_of(c));
    expect_same(fit_any(c.task, wide.block(2, 1, c.n, c.p), problem, options), fit, tolerance_of(c));
    expect_same(fit_any(c.task, floats, problem, options), fit_any(c.task, rounded, problem, options), tolerance_of(c));
    if (c.n > c.p) expect_same(fit_any(c.task, floats, problem, options), fit, 1e-5);
  }
}

TEST(Fit, DoesNotDependOnThreads) {
  const Problem problem = make_problem(97, 400, 60);
  for (Task task : {Task::linear, Task::logistic}) {
    FitOptions one = with_prior(Prior::shared()), two = one;
    one.threads = 1;
    two.threads = 2;
    expect_same(fit_any(task, problem.X, problem, one), fit_any(task, problem.X, problem, two), 1e-8);
  }
}

TEST(Fit, DoesNotDependOnTheSolver) {  // (RIDGE.3), (RIDGE.4), (RIDGE.6)
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(98, c.n, c.p);
    FitOptions options = with_prior(c.prior);
    options.solver = SolverKind::primal;
    const Fit primal = fit_any(c.task, problem.X, problem, options);
    options.solver = SolverKind::dual;
    expect_same(fit_any(c.task, problem.X, problem, options), primal, tolerance_of(c));
    if (c.task == Task::linear && c.prior.kind == PriorKind::shared) {
      options.solver = SolverKind::spectral;
      expect_same(fit_any(c.task, problem.X, problem, options), primal, tolerance_of(c));
    }
    EXPECT_EQ(primal.report.solver, SolverKind::primal);
  }
}

// ---- columns that take no part
// ------------------------------------------------------------------------------------------------------------

TEST(Fit, LeavesConstantAndDuplicatedColumnsOut) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(99, c.n, c.p);
    Matrix X(c.n, c.p + 3);
    X << Vector::Constant(c.n, 4.2), problem.X, Vector(-3 * problem.X.col(1).array() + 8), Vector::Zero(c.n);
    FitOptions options = with_prior(c.prior);
    const Fit fit = fit_any(c.task, X, problem, options), without = fit_any(c.task, problem.X, problem, options);
    EXPECT_EQ(fit.left_out.front(), true);
    EXPECT_EQ(std::count(fit.left_out.begin(), fit.left_out.end(), true), 3);
    EXPECT_LE(relative_distance(fit.mean.segment(1, c.p), without.mean), tolerance_of(c));
    EXPECT_LE(relative_distance(fit.variance.segment(1, c.p), without.variance), tolerance_of(c));
    EXPECT_NEAR(fit.bound, without.bound, 1e-6 * (1 + std::abs(without.bound)));
    for (Index j : {Index{0}, c.p + 1, c.p + 2}) {
      EXPECT_EQ(fit.mean[j], 0);
      EXPECT_EQ(fit.variance[j], 0);
      EXPECT_FALSE(fit.relevant[static_cast<std::size_t>(j)]);
      EXPECT_LT(fit.group[static_cast<std::size_t>(j)], 0);
    }
    EXPECT_TRUE(mentions(fit.report.notes, "'x1'") && mentions(fit.report.notes, "constant"));
    EXPECT_TRUE(mentions(fit.report.notes, "copy of 'x3'"));
    EXPECT_TRUE(fit.covariance().row(0).isZero());
  }
}

TEST(Fit, ASharedLinearFitStaysSpectralBesideAConstantColumn) {
  Problem problem = make_problem(100, 30, 4);
  problem.X.col(2).setConstant(3);
  EXPECT_EQ(fit_linear(problem.X, problem.y, with_prior(Prior::shared())).report.solver, SolverKind::spectral);
}

TEST(Fit, NeverFitsCollinearFlatColumnsInSilence) {
  int num_silent = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Problem problem = make_problem(seed, 30, 4);
    problem.X.col(3) = problem.X.col(0) + problem.X.col(1);
    const LinearFit fit = fit_linear(problem.X, problem.y, with_prior(Prior::none()));
    if (fit.report.status != Status::not_positive_definite && fit.report.warnings.empty()) ++num_silent;
  }
  EXPECT_EQ(num_silent, 0) << "of 40 fits whose coefficients are not determined";
}

TEST(Fit, ReportsASystemThatIsNotPositiveDefinite) {
  Problem problem = make_problem(101, 9, 3);
  problem.X.col(2) = problem.X.col(0) + problem.X.col(1);  // three flat columns, two dimensions
  FitOptions options = with_prior(Prior::none());
  const LinearFit fit = fit_linear(problem.X, problem.y, options);
  EXPECT_EQ(fit.report.status, Status::not_positive_definite);
  EXPECT_NE(fit.report.message.find("not positive definite"), std::string::npos) << fit.report.message;
  EXPECT_TRUE(fit.mean.array().isNaN().all());
  expect_invalid([&] { static_cast<void>(predict(fit, problem.X)); }, {"no posterior", "not_positive_definite"});
  expect_invalid([&] { static_cast<void>(fit.covariance()); }, {"covariance"});
}

TEST(FitLinear, NeverFindsANegativeNoiseShape) {  // (LIN.5), (LIN.6): weights that sum to less than the flat columns
  const Problem problem = make_problem(102, 5, 1);
  const Vector weights = Vector::Constant(5, 0.1);
  FitOptions options = with_prior(Prior::shared());
  options.weights = weights;
  try {
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    EXPECT_TRUE(fit.noise.shape > 0 || fit.report.status != Status::converged)
        << "shape " << fit.noise.shape << ", " << to_string(fit.report.status);
  } catch (const InvalidArgument&) {
  }
}

// ---- priors
// -------------------------------------------------------------------------------------------------------------------------------

TEST(Fit, GroupsLieBetweenSharedAndArd) {
  for (Task task : {Task::linear, Task::logistic}) {
    const Problem problem = make_problem(103, 60, 4);
    const Fit one = fit_any(task, problem.X, problem, with_prior(Prior::groups({0, 0, 0, 0}))),
              shared = fit_any(task, problem.X, problem, with_prior(Prior::shared()));
    const Fit many = fit_any(task, problem.X, problem, with_prior(Prior::groups({0, 1, 2, 3}))),
              ard = fit_any(task, problem.X, problem, with_prior(Prior::ard()));
    expect_same(one, shared, 1e-6);
    expect_same(many, ard, 1e-6);
    const Fit two = fit_any(task, problem.X, problem, with_prior(Prior::groups({1, 0, 1, 0})));
    EXPECT_EQ(two.precision.size(), 2);
    EXPECT_EQ(two.group, (std::vector<Index>{0, 1, 0, 1})) << "groups are numbered in the order in which columns name them";
    EXPECT_EQ(two.relevant[0], two.relevant[2]) << "a group is kept as a whole";
  }
}

TEST(Fit, GivesEachGroupItsHyperPrior) {  // (LIN.2), (JJ.4): a strong hyper-prior fixes E[alpha] at its mean
  for (Task task : {Task::linear, Task::logistic}) {
    const Problem problem = make_problem(104, 60, 3);
    FitOptions options = with_prior(Prior::groups({1, 1, 0}));
    options.prior.hyperprior = {{3e5, 1e5}, {2e5, 1e6}};
    const Fit fit = fit_any(task, problem.X, problem, options);
    const double first = fit.precision[fit.group[0]], second = fit.precision[fit.group[2]];
    EXPECT_NEAR(first, 0.2, 1e-4);
    EXPECT_NEAR(second, 3, 1e-3);
    const Fit fixed = fit_any(task, problem.X, problem, with_prior(Prior::shared().fixed({0, 1}, 0.2).fixed({2}, 3)));
    EXPECT_LE(relative_distance(fit.mean, fixed.mean), 1e-4);
    EXPECT_LE(relative_distance(fit.variance, fixed.variance), 1e-4);
  }
}

TEST(Fit, GivesEachArdColumnItsHyperPrior) {
  const Problem problem = make_problem(105, 60, 3);
  FitOptions options = with_prior(Prior::ard().flat({1}));
  options.prior.hyperprior = {{3e5, 1e5}, {1, 1}, {2e5, 1e6}};  // one per column of X; that of a flat one is not read
  const LinearFit fit = fit_linear(problem.X, problem.y, options);
  EXPECT_NEAR(fit.precision[0], 3, 1e-3);
  EXPECT_NEAR(fit.precision[1], 0.2, 1e-4);
  EXPECT_EQ(fit.group, (std::vector<Index>{0, -1, 1}));
}

TEST(FitLinear, WithoutAPriorIsLeastSquares) {  // (LIN.5): the classical RSS/(n - p)
  const Problem problem = make_problem(106, 40, 5);
  FitOptions options = with_prior(Prior::none());
  options.noise = {1e-9, 1e-12};
  const LinearFit fit = fit_linear(problem.X, problem.y, options);
  Matrix X(40, 6);
  X << problem.X, Vector::Ones(40);
  const Vector w = X.householderQr().solve(problem.y);
  const double rss = (problem.y - X * w).squaredNorm();
  const Matrix inverse = (X.transpose() * X).inverse();
  EXPECT_LE(relative_distance(fit.mean, w.head(5)), 1e-10);
  EXPECT_NEAR(fit.intercept->mean, w[5], 1e-10);
  EXPECT_NEAR(fit.noise.shape - 1e-9, 0.5 * (40 - 6), 1e-12);
  EXPECT_NEAR(fit.noise.rate / fit.noise.shape, rss / (40 - 6), 1e-8);
  EXPECT_LE(relative_distance(fit.V_diagonal, inverse.diagonal().head(5)), 1e-10);
  const double t975 = 2.0322445;  // tables, 34 degrees of freedom
  const Interval interval = credible_interval(fit, 2);
  EXPECT_NEAR(interval.upper - w[2], t975 * std::sqrt(inverse(2, 2) * rss / 34), 1e-6);
  EXPECT_NEAR(interval.upper + interval.lower, 2 * w[2], 1e-9);
  EXPECT_NEAR(fit.r_squared, 1 - rss / (problem.y.array() - problem.y.mean()).square().sum(), 1e-10);
  EXPECT_NEAR(fit.effective_parameters, 6, 1e-9);
  EXPECT_EQ(fit.precision.size(), 0);
}

TEST(FitLogistic, WithoutAPriorIsCloseToMaximumLikelihood) {
  const Problem problem = make_problem(107, 3000, 2);
  Matrix X(3000, 3);
  X << problem.X, Vector::Ones(3000);
  const Vector t = 0.5 * (problem.labels.array() + 1);
  Vector w = Vector::Zero(3);
  Matrix H;
  for (int step = 0; step < 50; ++step) {  // Newton
    const Vector p = (1 + (-(X * w)).array().exp()).inverse();
    H = X.transpose() * Matrix(p.cwiseProduct((1 - p.array()).matrix()).asDiagonal()) * X;
    w += H.ldlt().solve(X.transpose() * (t - p));
  }
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, with_prior(Prior::none()));
  const Vector sd = H.inverse().diagonal().cwiseSqrt();
  for (Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(fit.mean[j], w[j], 0.1 * sd[j]);
    EXPECT_NEAR(std::sqrt(fit.variance[j]) / sd[j], 1, 0.02);
  }
  EXPECT_NEAR(fit.intercept->mean, w[2], 0.1 * sd[2]);
}

TEST(FitLinear, WarnsWhenArdExplainsTheNoiseAway) {
  Random random(109);
  const Matrix X = random.normals(60, 200);
  const Vector y = X.col(0) - X.col(1) + 2 * random.normals(60);
  FitOptions options;
  options.prior = Prior::ard();
  const LinearFit ard = fit_linear(X, y, options);
  options.prior = Prior::shared();
  const LinearFit shared = fit_linear(X, y, options);
  EXPECT_TRUE(mentions(ard.report.warnings, "explained the noise away") && mentions(ard.report.warnings, "--prior sparse"))
      << "effective parameters: " << ard.effective_parameters << " of 60 rows, noise sd " << noise_sd(ard);
  EXPECT_FALSE(mentions(shared.report.warnings, "explained the noise away"));
}

// ---- the smallest problems
// ----------------------------------------------------------------------------------------------------------------

TEST(FitLinear, FitsOneRowAndOneColumn) {
  const Matrix X = Matrix::Constant(1, 1, 2);
  const Vector y = Vector::Constant(1, 3);
  for (bool intercept : {false, true})
    for (bool standardize : {false, true})
      for (const Prior& prior : {Prior::automatic(), Prior::shared(), Prior::ard()}) {
        FitOptions options;
        options.prior = prior;
        options.intercept = intercept;
        options.standardize = standardize;
        const LinearFit fit = fit_linear(X, y, options);
        EXPECT_TRUE(fit.report.status == Status::converged || fit.report.status == Status::max_sweeps) << fit.report.message;
        EXPECT_TRUE(fit.mean.allFinite() && std::isfinite(fit.bound));
        EXPECT_EQ(fit.left_out[0], intercept) << "one row: beside an intercept every column is constant";
        EXPECT_TRUE(std::isfinite(predict(fit, X).mean[0]));
        if (intercept) {
          EXPECT_NEAR(fit.intercept->mean, 3, 1e-12);
        }
      }
}

TEST(FitLinear, SaysThatAConstantTargetLeavesNothingToExplain) {
  const Problem problem = make_problem(110, 20, 3);
  for (double value : {0.0, 7.5}) {
    const LinearFit fit = fit_linear(problem.X, Vector(Vector::Constant(20, value)));
    EXPECT_TRUE(mentions(fit.report.warnings, "constant"));
    EXPECT_LE(fit.mean.cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_NEAR(predict(fit, problem.X).mean[3], value, 1e-8);
  }
}

TEST(FitLogistic, FitsTwoRowsAndOneColumn) {
  const Matrix X = (Matrix(2, 1) << -1, 1).finished();
  const Vector labels = (Vector(2) << 3, 8).finished();
  for (LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
    FitOptions options;
    options.likelihood = likelihood;
    const LogisticFit fit = fit_logistic(X, labels, options);
    EXPECT_EQ(fit.classes, (std::vector<std::string>{"3", "8"}));
    EXPECT_EQ(fit.class_weight[0], 1);
    EXPECT_EQ(fit.class_weight[1], 1);
    EXPECT_GE(fit.mean[0], 0);
    EXPECT_TRUE(std::isfinite(fit.bound));
  }
}

TEST(FitLogistic, CountsAccuracyAsAPartOfTheRows) {  // in [0, 1] whatever the weights
  double highest = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    Problem problem = make_problem(seed, 25, 1);
    problem.labels = (problem.X.col(0).array() > 0).select(Vector::Ones(25), -Vector::Ones(25));
    const Vector weights = random.normals(25).cwiseAbs();
    FitOptions options;
    options.intercept = false;
    options.weights = weights;
    highest = std::max(highest, fit_logistic(problem.X, problem.labels, options).accuracy);
  }
  EXPECT_LE(highest - 1, 0);
}

// ---- what is kept
// -------------------------------------------------------------------------------------------------------------------------

TEST(Fit, CovarianceAgreesWithTheVariances) {
  for (const Case& c : cases())
    for (bool standardize : {true, false}) {
      SCOPED_TRACE(c.text);
      Problem problem = make_problem(111, c.n, c.p);
      problem.X.col(1) = 5 * problem.X.col(1).array() + 20;
      FitOptions options = with_prior(c.prior);
      options.standardize = standardize;
      const Fit fit = fit_any(c.task, problem.X, problem, options);
      const Matrix V = fit.covariance();
      ASSERT_EQ(V.rows(), c.p + 1);
      for (Index j = 0; j < c.p; ++j) EXPECT_NEAR(V(j, j) / fit.variance[j], 1, 1e-6) << j;
      EXPECT_NEAR(V(c.p, c.p) / fit.intercept->variance, 1, 1e-6);
      EXPECT_LE(relative_distance(V, V.transpose()), 1e-12);
      EXPECT_GE(V.eigenvalues().real().minCoeff(), -1e-9 * V.trace());
    }
}

TEST(Fit, PredictsItsTrainingRows) {
  const Problem problem = make_problem(112, 40, 3);
  const LinearFit linear = fit_linear(problem.X, problem.y);
  const StudentPrediction y = predict(linear, problem.X);
  EXPECT_LE(relative_distance(y.mean, (problem.X * linear.mean).array().matrix() + Vector::Constant(40, linear.intercept->mean)), 1e-12);
  const double around = (problem.y.array() - problem.y.mean()).square().sum();
  EXPECT_NEAR(linear.r_squared, 1 - (problem.y - y.mean).squaredNorm() / around, 1e-10);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels);
  const ClassPrediction c = predict(logistic, problem.X);
  double correct = 0, loss = 0;
  for (Index i = 0; i < 40; ++i) {
    const bool second = problem.labels[i] > 0;
    correct += (c.probability[i] > 0.5) == second ? 1 : 0;
    loss -= std::log(second ? c.probability[i] : 1 - c.probability[i]);
  }
  EXPECT_NEAR(logistic.accuracy, correct / 40, 1e-12);
  EXPECT_NEAR(logistic.log_loss, loss / 40, 1e-8);
}

TEST(Fit, KeepsTheCovarianceAsAsked) {
  const Problem problem = make_problem(113, 30, 3);
  FitOptions options;
  options.keep_covariance = Keep::never;
  const LinearFit linear = fit_linear(problem.X, problem.y, options);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels, options);
  EXPECT_TRUE(linear.variance.allFinite() && linear.intercept.has_value());
  expect_invalid([&] { static_cast<void>(linear.covariance()); }, {"covariance", "keep_covariance"});
  expect_invalid([&] { static_cast<void>(predict(linear, problem.X)); }, {"covariance", "keep_covariance"});
  expect_invalid([&] { static_cast<void>(predict(logistic, problem.X)); }, {"covariance", "keep_covariance"});
  options.keep_covariance = Keep::always;
  EXPECT_EQ(fit_linear(problem.X, problem.y, options).covariance().rows(), 4);
  EXPECT_EQ(fit_linear(problem.X, problem.y).covariance().rows(), 4) << "automatic keeps what is small";
}

TEST(Fit, IntervalsAreThoseOfTheMarginals) {
  const Problem problem = make_problem(114, 40, 2);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels);
  EXPECT_TRUE(std::isinf(logistic.degrees_of_freedom()));
  const Interval normal = credible_interval(logistic, 1, 0.9), intercept = credible_interval(logistic, -1, 0.9);
  EXPECT_NEAR(normal.upper - normal.lower, 2 * 1.6448536 * std::sqrt(logistic.variance[1]), 1e-6);
  EXPECT_NEAR(intercept.upper - logistic.intercept->mean, 1.6448536 * std::sqrt(logistic.intercept->variance), 1e-6);
  const LinearFit linear = fit_linear(problem.X, problem.y);
  const Interval noise = noise_sd_interval(linear, 0.95);
  EXPECT_LT(noise.lower, noise_sd(linear));
  EXPECT_GT(noise.upper, noise_sd(linear));
  // P(1/sqrt(tau) < upper) = 0.975 by quadrature over ln tau.
  const double a = linear.noise.shape, b = linear.noise.rate;
  const double tail = std::exp(testing::log_integral(-2 * std::log(noise.upper), std::log(a / b) + 10, 0,
                                                     [&](double u) { return a * std::log(b) - std::lgamma(a) + a * u - b * std::exp(u); }));
  EXPECT_NEAR(tail, 0.975, 1e-8);
}

TEST(Presets, AreListedAndFillInThePublishedOptions) {
  EXPECT_EQ(presets().size(), 22U);
  for (const PresetInfo& info : presets()) {
    const FitOptions options = options_for_preset(info.name, true);
    EXPECT_EQ(options.preset, info.name);
    EXPECT_TRUE(options.compat);
    EXPECT_FALSE(options.accelerate) << info.name;
    EXPECT_EQ(options.intercept, options.penalize_intercept) << info.name;  // only the SLR toolbox has one, like any other column
    if (!options.intercept) {
      EXPECT_FALSE(options.standardize) << info.name;
    }
    EXPECT_EQ(task_of_preset(info.name), info.task);
  }
  expect_invalid([] { static_cast<void>(options_for_preset("vb_linear")); }, {"'vb_linear'", "vb_linear_fit", "vb_logit_fit_iter"});
  expect_invalid([] { static_cast<void>(task_of_preset("")); }, {"preset ''"});
}

// ---- the caller's mistakes
// ----------------------------------------------------------------------------------------------------------------

// Both tasks refuse these options and name the argument and its value.
void expect_refused(const FitOptions& options, std::initializer_list<const char*> pieces) {
  const Problem problem = make_problem(115, 10, 3);
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, options)); }, pieces);
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, problem.labels, options)); }, pieces);
}
template <typename Change>
FitOptions changed(Change&& change) {
  FitOptions options;
  change(options);
  return options;
}

TEST(Fit, RejectsImpossibleTables) {
  const Problem problem = make_problem(116, 6, 2);
  const auto both = [&](MatrixView X, std::initializer_list<const char*> pieces, const FitOptions& options = {}) {
    expect_invalid([&] { static_cast<void>(fit_linear(X, problem.y, options)); }, pieces);
    expect_invalid([&] { static_cast<void>(fit_logistic(X, problem.labels, options)); }, pieces);
  };
  both(MatrixView(problem.X.data(), 0, 2), {"X has 0 rows"});
  both(MatrixView(problem.X.data(), 6, 0), {"X has 0 columns"});
  both(MatrixView(static_cast<const double*>(nullptr), 6, 2), {"X is a null pointer"});
  both(MatrixView(problem.X.data(), 6, 2, Layout::column_major, 5), {"stride of X is 5", "6"});
  both(MatrixView(problem.X.data(), 6, 2, Layout::row_major, 1), {"stride of X is 1", "2"});
  for (double bad : {nan, infinity, -infinity}) {
    Matrix X = problem.X;
    X(4, 1) = bad;
    const Eigen::MatrixXf floats = X.cast<float>();
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = X;
    const char* text = std::isnan(bad) ? "nan" : bad > 0 ? "is inf" : "is -inf";
    both(X, {"X at row 5", "'x2'", text});
    both(floats, {"X at row 5", "'x2'", text});
    both(by_row, {"X at row 5", "'age'", text}, changed([](FitOptions& o) { o.column_names = {"height", "age"}; }));
  }
}

TEST(FitLinear, RejectsImpossibleTargets) {
  const Problem problem = make_problem(117, 6, 2);
  Vector y = problem.y;
  y[2] = infinity;
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, y)); }, {"y at row 3", "inf"});
  y[2] = nan;
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, y)); }, {"y at row 3", "nan"});
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, Vector(problem.y.head(5)))); }, {"y has 5 entries", "6"});
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, VectorView())); }, {"y has 0 entries"});
}

TEST(FitLogistic, RejectsImpossibleLabels) {
  const Problem problem = make_problem(118, 6, 2);
  Vector labels = problem.labels;
  labels[3] = 0.5;
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, labels)); }, {"labels has more than two classes", "-1", "0.5", "row 4"});
  labels[3] = nan;
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, labels)); }, {"labels at row 4", "nan"});
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, Vector(Vector::Constant(6, 2.0)))); }, {"labels has one class only", "2"});
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, Vector(problem.labels.head(4)))); }, {"labels has 4 entries", "6"});
  const Vector one_class = (problem.labels.array() > 0).select(Vector::Ones(6), Vector::Zero(6));
  expect_invalid(
      [&] { static_cast<void>(fit_logistic(problem.X, problem.labels, changed([&](FitOptions& o) { o.weights = one_class; }))); },
      {"all rows of one class", "weight zero"});
}

TEST(Fit, RejectsImpossibleWeights) {
  Vector weights = Vector::Ones(10);
  const auto with_weights = [&] { return changed([&](FitOptions& o) { o.weights = weights; }); };
  weights[6] = -0.25;
  expect_refused(with_weights(), {"weights at row 7", "-0.25"});
  weights[6] = nan;
  expect_refused(with_weights(), {"weights at row 7", "nan"});
  weights = Vector::Zero(10);
  expect_refused(with_weights(), {"all weights are zero"});
  weights = Vector::Ones(9);
  expect_refused(with_weights(), {"weights has 9 entries", "10"});
  weights = Vector::Ones(10);
  weights[3] = 1e150;
  expect_refused(with_weights(), {"the sum of the weights is 1e+150; it must be below 1e150"});
  weights[3] = weights[8] = 6e149;
  expect_refused(with_weights(), {"the sum of the weights is 1.2e+150; it must be below 1e150"});
}

TEST(Fit, RejectsValuesWhoseSquaresDoublesDoNotHold) {
  const Problem problem = make_problem(124, 12, 3);
  const FitOptions named = changed([](FitOptions& o) { o.column_names = {"height", "age", "weight"}; });
  for (double scale : {1e155, 1e200, 1e300, 1e-155, 1e-200, 1e-300, 1e-310}) {
    SCOPED_TRACE(scale);
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, Vector(scale * problem.y))); },
                   {"the values of the target are beyond what squares of doubles hold (about 1e-150 to 1e150): rescale it"});
    Matrix X = problem.X;
    X.col(1) *= scale;
    for (const auto& [options, message] :
         {std::pair<FitOptions, const char*>{
              {}, "the values of column 'x2' are beyond what squares of doubles hold (about 1e-150 to 1e150): rescale it"},
          {named, "the values of column 'age' are beyond what squares of doubles hold (about 1e-150 to 1e150): rescale it"}}) {
      expect_invalid([&, o = options] { static_cast<void>(fit_linear(X, problem.y, o)); }, {message});
      expect_invalid([&, o = options] { static_cast<void>(fit_logistic(X, problem.labels, o)); }, {message});
    }
  }
}

TEST(Fit, TakesConstantsOfAnySizeForConstants) {
  const Problem problem = make_problem(124, 12, 3);
  Vector weights = Vector::Ones(12);
  weights[0] = 0;  // an absent row is not equal to the others
  const FitOptions weighted = changed([&](FitOptions& o) { o.weights = weights; });
  for (double value : {1e-310, -1e-200, 1e-140, 0.1, 1e140}) {
    SCOPED_TRACE(value);
    Vector y = Vector::Constant(12, value);
    Matrix X = problem.X;
    X.col(1).setConstant(value);
    EXPECT_EQ(fit_linear(X, y).report.warnings.front(), "the target is constant: there is nothing to explain");
    y[0] = X(0, 1) = 3 * value;
    const LinearFit fit = fit_linear(X, y, weighted);
    EXPECT_EQ(fit.report.warnings.front(), "the target is constant: there is nothing to explain");
    EXPECT_TRUE(fit.left_out[1]);
  }
}

TEST(Fit, TakesValuesWhoseSquaresDoublesHold) {  // scaling is undone by standardising: the fit is that of the plain table
  const Problem problem = make_problem(124, 12, 3);
  const LinearFit linear = fit_linear(problem.X, problem.y);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels);
  for (double scale : {1e149, 1e-149}) {
    SCOPED_TRACE(scale);
    Matrix X = problem.X;
    X.col(1) *= scale;
    EXPECT_NEAR(fit_linear(X, problem.y).mean[1] * scale, linear.mean[1], 1e-6);
    EXPECT_NEAR(fit_linear(problem.X, Vector(scale * problem.y)).mean[1] / scale, linear.mean[1], 1e-6);
    EXPECT_NEAR(fit_logistic(X, problem.labels).mean[1] * scale, logistic.mean[1], 1e-6);
  }
}

TEST(Fit, RejectsImpossibleOptions) {
  for (double bad : {0.0, -2.0, nan, infinity}) {
    const std::string text = std::isnan(bad) ? "nan" : bad == infinity ? "inf" : bad == 0 ? "is 0" : "-2";
    expect_refused(changed([&](FitOptions& o) { o.precision.shape = bad; }), {"precision.shape", text.c_str()});
    expect_refused(changed([&](FitOptions& o) { o.precision.rate = bad; }), {"precision.rate", text.c_str()});
    const Problem problem = make_problem(119, 10, 3);
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, changed([&](FitOptions& o) { o.noise.shape = bad; }))); },
                   {"noise.shape", text.c_str()});
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, changed([&](FitOptions& o) { o.noise.rate = bad; }))); },
                   {"noise.rate", text.c_str()});
  }
  expect_refused(changed([](FitOptions& o) { o.max_sweeps = 0; }), {"max_sweeps is 0"});
  expect_refused(changed([](FitOptions& o) { o.tolerance = -1e-3; }), {"tolerance is -0.001"});
  expect_refused(changed([](FitOptions& o) { o.tolerance = nan; }), {"tolerance is nan"});
  expect_refused(changed([](FitOptions& o) { o.threads = -2; }), {"threads is -2"});
  expect_refused(changed([](FitOptions& o) { o.column_names = {"a", "b"}; }), {"column_names has 2", "3"});
  expect_refused(changed([](FitOptions& o) { o.compat = true; }), {"compat", "preset"});
  expect_refused(changed([](FitOptions& o) { o.solver = SolverKind::sequential; }), {"'sequential'"});
  expect_refused(changed([](FitOptions& o) { o.prior = Prior::ard(), o.solver = SolverKind::spectral; }), {"'spectral'", "shared"});
  expect_refused(changed([](FitOptions& o) { o.prior = Prior::shared().fixed({0}, 1), o.solver = SolverKind::spectral; }),
                 {"'spectral'", "fixed"});
  const Problem three_rows = make_problem(119, 3, 3);
  const FitOptions dual = changed([](FitOptions& o) { o.prior = Prior::shared().flat({0, 1}), o.solver = SolverKind::dual; });
  expect_invalid([&] { static_cast<void>(fit_linear(three_rows.X, three_rows.y, dual)); }, {"'dual'", "3 rows", "3 flat"});
}

TEST(Fit, RejectsImpossiblePresets) {
  const Problem problem = make_problem(120, 10, 3);
  expect_refused(changed([](FitOptions& o) { o.preset = "vb_fit"; }), {"'vb_fit'", "unknown", "vb_linear_fit"});
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, options_for_preset("vb_logit_fit"))); },
                 {"'vb_logit_fit'", "logistic", "linear"});
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, problem.labels, options_for_preset("vb_linear_fit"))); },
                 {"'vb_linear_fit'", "linear", "logistic"});
  const Vector weights = Vector::Ones(10);
  FitOptions weighted = options_for_preset("vb_linear_fit");
  weighted.weights = weights;
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, weighted)); }, {"weights", "'vb_linear_fit'"});
  for (bool FitOptions::*flag : {&FitOptions::intercept, &FitOptions::standardize}) {
    FitOptions options = options_for_preset("vb_linear_fit");
    options.*flag = true;
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, options)); }, {"'vb_linear_fit'", "intercept"});
  }
}

TEST(Fit, RejectsImpossiblePriors) {
  const auto refused = [](const Prior& prior, std::initializer_list<const char*> pieces) {
    expect_refused(changed([&](FitOptions& o) { o.prior = prior; }), pieces);
  };
  refused(Prior::shared().flat({3}), {"prior.flat_columns", "column 3", "0 to 2"});
  refused(Prior::shared().flat({-1}), {"prior.flat_columns", "column -1"});
  refused(Prior::shared().fixed({7}, 1), {"prior.fixed_columns", "column 7"});
  refused(Prior::shared().flat({1}).fixed({1}, 1), {"column 1", "flat", "fixed"});
  for (double bad : {0.0, -3.0, nan, infinity})
    refused(Prior::shared().fixed({1}, bad), {"fixed precision", std::isnan(bad)   ? "nan"
                                                                 : bad == infinity ? "inf"
                                                                 : bad == 0        ? "is 0"
                                                                                   : "-3"});
  Prior lopsided = Prior::shared().fixed({1}, 1);
  lopsided.fixed_precision.push_back(2);
  refused(lopsided, {"prior.fixed_precision has 2", "1"});
  refused(Prior::groups({0, 1}), {"prior.group has 2", "3"});
  refused(Prior::groups({0, 1, -1}), {"prior.group holds -1"});
  refused(Prior::groups({0, 1, 3}), {"prior.group holds 3", "0 to 2"});
  Prior few = Prior::groups({0, 1, 1});
  few.hyperprior = {{1, 1}};
  refused(few, {"prior.hyperprior has 1", "2"});
  few.kind = PriorKind::ard;
  few.group.clear();
  refused(few, {"prior.hyperprior has 1", "3"});
  for (double bad : {0.0, -1.0, nan}) {
    Prior wrong = Prior::groups({0, 1, 1});
    wrong.hyperprior = {{1, 1}, {bad, 1}};
    refused(wrong, {"shape of a group's hyper-prior"});
    wrong.hyperprior = {{1, 1}, {1, bad}};
    refused(wrong, {"rate of a group's hyper-prior"});
  }
}

TEST(Predict, RejectsWhatDoesNotFitTheFit) {
  const Problem problem = make_problem(121, 30, 3);
  const LinearFit linear = fit_linear(problem.X, problem.y);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels);
  const auto both = [&](MatrixView X, std::initializer_list<const char*> pieces) {
    expect_invalid([&] { static_cast<void>(predict(linear, X)); }, pieces);
    expect_invalid([&] { static_cast<void>(predict(logistic, X)); }, pieces);
  };
  both(problem.X.leftCols(2), {"X_new has 2 columns", "3"});
  both(MatrixView(problem.X.data(), 0, 3), {"X_new has 0 rows"});
  Matrix X = problem.X;
  X(8, 2) = nan;
  both(X, {"X_new at row 9", "'x3'", "nan"});
  expect_invalid([&] { static_cast<void>(predict(LinearFit(), problem.X)); }, {"X_new has 3 columns", "0"});
}

TEST(CredibleInterval, RejectsImpossibleLevelsAndColumns) {
  const Problem problem = make_problem(122, 30, 3);
  FitOptions without;
  without.intercept = false;
  const LinearFit fit = fit_linear(problem.X, problem.y), no_intercept = fit_linear(problem.X, problem.y, without);
  for (double level : {0.0, 1.0, -0.5, 95.0, nan}) {
    expect_invalid([&] { static_cast<void>(credible_interval(fit, 0, level)); }, {"level is"});
    expect_invalid([&] { static_cast<void>(noise_sd_interval(fit, level)); }, {"level is"});
  }
  expect_invalid([&] { static_cast<void>(credible_interval(fit, 0, 95)); }, {"level is 95"});
  expect_invalid([&] { static_cast<void>(credible_interval(fit, 3)); }, {"no coefficient 3"});
  expect_invalid([&] { static_cast<void>(credible_interval(fit, -2)); }, {"no coefficient -2"});
  expect_invalid([&] { static_cast<void>(credible_interval(no_intercept, -1)); }, {"no coefficient -1"});
}

TEST(NoiseSd, IsRefusedForALogisticFit) {  // "Linear only"
  const Problem problem = make_problem(123, 30, 3);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels);
  expect_invalid([&] { static_cast<void>(noise_sd_interval(fit)); }, {"linear"});
}

TEST(Model, GoesOnFromWhereAnEarlierFitEnded) {
  const testing::Problem problem = testing::make_problem(3, 80, 10);
  FitOptions options{.prior = Prior::ard(), .posterior = LinearPosterior::factorised, .accelerate = false};
  options.max_sweeps = 100;
  const LinearFit whole = fit_linear(problem.X, problem.y, options);
  options.max_sweeps = 20;
  const LinearFit half = fit_linear(problem.X, problem.y, options);
  options.start_precision.assign(half.precision.begin(), half.precision.end());
  options.start_noise = half.noise.shape / half.noise.rate;
  options.max_sweeps = 1;
  const LinearFit next = fit_linear(problem.X, problem.y, options);
  EXPECT_GE(next.bound, half.bound - 1e-9);
  EXPECT_GT(next.bound, whole.report.bound_history.front());
  options.max_sweeps = 100;
  EXPECT_NEAR(fit_linear(problem.X, problem.y, options).bound, whole.bound, 1e-6 * std::abs(whole.bound));

  const auto refuse = [&](auto&& change, std::initializer_list<const char*> pieces) {
    FitOptions wrong;
    change(wrong);
    testing::expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, wrong)); }, pieces);
  };
  refuse([](FitOptions& o) { o.start_precision = {1, 2}; }, {"start_precision", "2", "10"});
  refuse([](FitOptions& o) { o.start_precision.assign(10, 0.0); }, {"start_precision", "0"});
  refuse([](FitOptions& o) { o.start_noise = -1; }, {"start_noise", "-1"});
}

TEST(Model, WithoutColumnsIsTheMean) {  // inside the library: a relevance vector machine whose columns were all pruned
  const Vector y{{1, 2, 4, 9}};
  const LinearFit fit = fit_checked_linear(Matrix(4, 0), y, {.prior = Prior::ard(), .posterior = LinearPosterior::factorised});
  EXPECT_EQ(fit.report.status, Status::converged);
  EXPECT_EQ(fit.num_columns(), 0);
  EXPECT_NEAR(fit.intercept->mean, 4, 1e-12);
  EXPECT_NEAR(fit.noise.rate / fit.noise.shape, 19 / 1.51, 0.002);  // RSS/(n - 1), and half of the hyper-prior: (38/2)/(3/2 + 0.01)
  const LogisticFit classes = fit_checked_logistic(Matrix(4, 0), Vector{{0, 1, 1, 1}}, {.prior = Prior::ard()});
  EXPECT_NEAR(classes.intercept->mean, std::log(3), 0.7);
  EXPECT_GT(classes.intercept->variance, 0);
}

}  // namespace
}  // namespace ardvark
