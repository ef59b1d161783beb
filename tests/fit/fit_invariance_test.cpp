// What a fit does not depend on: units, storage, the order of the rows, threads, the solver.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/statistics.hpp"
#include "fit_cases.hpp"

namespace ardvark {
namespace {

using testing::expect_same;
using testing::fit_any;
using testing::fit_cases;
using testing::FitCase;
using testing::make_problem;
using testing::Problem;
using testing::Random;
using testing::relative_distance;
using testing::tolerance_of;
using testing::with_prior;

TEST(Fit, AColumnRescaledAndShiftedChangesItsCoefficientOnly) {
  for (const FitCase& c : fit_cases()) {
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
  for (const FitCase& c : fit_cases()) {
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

// (LIN.8): the noise, too, if the columns and the target are not standardised.
TEST(FitLinear, WithoutStandardisingATargetInOtherUnitsIsTheSameFit) {
  const Problem problem = make_problem(61, 80, 4);
  for (const Prior& prior : {Prior::none(), Prior::shared(), Prior::ard()})
    for (const bool intercept : {true, false}) {
      FitOptions options;
      options.prior = prior;
      options.standardize = false;
      options.intercept = intercept;
      const LinearFit one = fit_linear(problem.X, problem.y, options);
      for (const double unit : {1e-6, 1e6}) {
        const Vector y = unit * problem.y;
        LinearStatistics sums;
        sums.update(problem.X, y);
        for (const LinearFit& other : {fit_linear(problem.X, y, options), fit_linear(sums, options)}) {
          EXPECT_LE((other.mean / unit - one.mean).cwiseAbs().maxCoeff(), 1e-6);
          EXPECT_LE((other.variance / (unit * unit) - one.variance).cwiseAbs().maxCoeff(), 1e-6);
          EXPECT_NEAR(noise_sd(other) / unit / noise_sd(one), 1, 1e-6);
          EXPECT_NEAR(other.r_squared, one.r_squared, 1e-6);
        }
      }
    }
}

// Where the noise does not scale the prior of the weights, their precisions are in the unit of the target, too.
TEST(FitLinear, AFactorisedPosteriorWithoutStandardisingIsTheSameInOtherUnits) {
  const Problem problem = make_problem(62, 80, 5);
  Vector weights(80);
  for (Index i = 0; i < 80; ++i) weights[i] = 0.5 + static_cast<double>(i % 4);
  for (const Prior& prior : {Prior::none(), Prior::shared(), Prior::ard(), Prior::groups({0, 0, 1, 1, 2})})
    for (const bool intercept : {true, false}) {
      FitOptions options;
      options.prior = prior;
      options.posterior = LinearPosterior::factorised;
      options.standardize = false;
      options.intercept = intercept;
      options.weights = weights;
      const LinearFit one = fit_linear(problem.X, problem.y, options);
      for (const double unit : {1e-6, 1e-2, 1e3, 1e6}) {
        const LinearFit other = fit_linear(problem.X, Vector(unit * problem.y), options);
        EXPECT_LE((other.mean / unit - one.mean).cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_LE((other.variance / (unit * unit) - one.variance).cwiseAbs().maxCoeff(), 1e-6);
        EXPECT_NEAR(noise_sd(other) / unit / noise_sd(one), 1, 1e-6);
        EXPECT_NEAR(other.r_squared, one.r_squared, 1e-6);
      }
      options.precision_in_units_of_target = true;  // given ones are taken as they are
      options.precision = options.noise = {1, 2};
      const LinearFit given = fit_linear(problem.X, problem.y, options);
      options.precision.rate = options.noise.rate = 2e-6;
      EXPECT_LE((1e3 * fit_linear(problem.X, Vector(1e-3 * problem.y), options).mean - given.mean).cwiseAbs().maxCoeff(), 1e-6);
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
  for (const FitCase& c : fit_cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(94, c.n, c.p);
    Random random(94);
    const std::vector<Index> order = random.permutation(c.n);
    const Problem permuted{problem.X(order, Eigen::all), problem.y(order), problem.labels(order)};
    expect_same(fit_any(c.task, permuted.X, permuted, with_prior(c.prior)), fit_any(c.task, problem.X, problem, with_prior(c.prior)),
                tolerance_of(c));
  }
}

// Another order of the rows, as another processor, only rounds the sums otherwise: no step may be taken or not by the sign of what rounding
// leaves, or the mean moves by the square root of it (1e-8 of a standard deviation).
TEST(FitLogistic, RoundingDecidesNoStep) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = make_problem(seed, 60, 4);
    Random random(seed);
    for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::groups({0, 0, 1, 1})}) {
      const LogisticFit one = fit_logistic(problem.X, problem.labels, with_prior(prior));
      for (int repeat = 0; repeat < 3; ++repeat) {
        const std::vector<Index> order = random.permutation(60);
        const LogisticFit other = fit_logistic(Matrix(problem.X(order, Eigen::all)), Vector(problem.labels(order)), with_prior(prior));
        EXPECT_LE(((other.mean - one.mean).array() / one.variance.array().sqrt()).abs().maxCoeff(), 1e-11) << "seed " << seed;
      }
    }
  }
}

TEST(Fit, AWeightEqualsRepetitionAndZeroEqualsAbsence) {  // (LIN.6)
  for (const FitCase& c : fit_cases()) {
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
  for (const FitCase& c : fit_cases()) {
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
  for (const FitCase& c : fit_cases()) {
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

}  // namespace
}  // namespace ardvark
