// What a fit can be asked: covariance, predictions, intervals, accuracy.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "fit_cases.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::fit_any;
using testing::fit_cases;
using testing::FitCase;
using testing::make_problem;
using testing::nan;
using testing::Problem;
using testing::Random;
using testing::relative_distance;
using testing::with_prior;

TEST(FitResult, KeepsNoCovarianceWhereNoneIsWanted) {  // whatever the method
  const testing::Problem problem = testing::make_problem(12, 40, 4);
  const auto expect_none = [](const Fit& fit, const char* method) {
    EXPECT_TRUE(fit.mean.allFinite()) << method;
    EXPECT_THROW(static_cast<void>(fit.covariance()), InvalidArgument) << method;
  };
  for (const char* method : {"sparse", "shared", "vb_linear_fit", "rvm_regression"}) {
    FitOptions options = std::string(method).find('_') != std::string::npos ? options_for_preset(method) : FitOptions{};
    if (std::string(method) == "shared") options.prior = Prior::shared();
    options.keep_covariance = Keep::never;
    expect_none(fit_linear(problem.X, problem.y, options), method);
  }
  for (const char* method : {"sparse", "ard", "laplace", "vb_logit_fit_iter", "rvm_classification", "l1_slr_c"}) {
    FitOptions options = std::string(method).find('_') != std::string::npos ? options_for_preset(method) : FitOptions{};
    if (std::string(method) == "ard") options.prior = Prior::ard();
    if (std::string(method) == "laplace") options.prior = Prior::laplace(0.5);
    options.keep_covariance = Keep::never;
    const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
    expect_none(fit, method);
    EXPECT_GT(fit.log_loss, 0) << method;  // described before it went
  }
}

TEST(Fit, CovarianceAgreesWithTheVariances) {
  for (const FitCase& c : fit_cases())
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

TEST(FitLogistic, CountsAccuracyAsAPartOfTheRows) {  // in [0, 1] whatever the weights
  double highest = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    Problem problem = make_problem(seed, 25, 1);
    problem.labels = (problem.X.col(0).array() > 0).select(Vector::Ones(25), -Vector::Ones(25));
    const Vector weights = random.normals(25).cwiseAbs();
    FitOptions options;
    options.prior = Prior::shared();
    options.intercept = false;
    options.weights = weights;
    highest = std::max(highest, fit_logistic(problem.X, problem.labels, options).accuracy);
  }
  EXPECT_LE(highest - 1, 0);
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

// Least squares with one residual degree of freedom: the classical intervals, which are finite although the posterior has no variance.
// (LIN.4)
TEST(CredibleInterval, IsFiniteWhereThereIsNoVariance) {
  Problem problem = make_problem(115, 5, 3);
  problem.X.col(1).array() += 4;
  FitOptions options;
  options.prior = Prior::none();
  options.noise = {1e-9, 1e-12};
  const LinearFit fit = fit_linear(problem.X, problem.y, options);
  EXPECT_TRUE(std::isinf(fit.variance[0]) && std::isinf(fit.intercept->variance));
  Matrix A(5, 4);
  A << problem.X, Vector::Ones(5);
  const Matrix inverse = (A.transpose() * A).inverse();
  const Vector w = inverse * (A.transpose() * problem.y);
  const double s = (problem.y - A * w).norm();         // one degree of freedom: Cauchy distributions
  const double t = std::tan(0.45 * std::numbers::pi);  // its quantile of 95%
  for (Index j = 0; j < 4; ++j) {
    const Interval found = credible_interval(fit, j < 3 ? j : -1, 0.9);
    const double half = t * s * std::sqrt(inverse(j, j));
    EXPECT_NEAR(found.lower, w[j] - half, 1e-6 * half) << j;
    EXPECT_NEAR(found.upper, w[j] + half, 1e-6 * half) << j;
    if (j == 3) continue;
    EXPECT_NEAR(direction(fit)[j], 0.5 + std::atan(t * std::abs(w[j]) / half) / std::numbers::pi, 1e-6) << j;
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
  both(X, {"X_new at row 9", "'x3'", "NaN"});
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

}  // namespace
}  // namespace ardvark
