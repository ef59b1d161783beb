// fit_linear with a Laplace prior, in the caller's units, against its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "lasso_cases.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::lambda_max_of;
using testing::laplace;
using testing::LassoTable;
using testing::linear_lasso_table;
using testing::Long;
using testing::LongVector;
using testing::make_problem;
using testing::Problem;
using testing::Random;
using testing::Scaled;
using testing::scaled;
using testing::standardised;

LongVector residuals(const Matrix& Z, const Vector& w, const Vector& y) { return y.cast<Long>() - Z.cast<Long>() * w.cast<Long>(); }

TEST(FitLinearLaplace, TheModeMeetsTheOptimalityConditionsInUnitsOfTheTarget) {  // (L1.2), (L1.10)
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const LassoTable table = linear_lasso_table(seed);
    const auto& [X, y, labels] = table.problem;
    const double lambda_max = lambda_max_of(X, y, table.k), lambda = lambda_max * Random(seed).scale(0.02, 0.9);
    FitOptions options = laplace(lambda);
    options.weights = table.k;
    const LinearFit fit = fit_linear(X, y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    EXPECT_EQ(fit.lambda, lambda);
    const Scaled s = scaled(X, table.k);
    const Vector w = standardised(fit, s);
    const LongVector g = s.Z.cast<Long>().transpose() * table.k.cast<Long>().cwiseProduct(residuals(s.Z, w, y));
    const double rounding = 1e-13 * table.k.sum() * (y.cwiseAbs().maxCoeff() + w.cwiseAbs().sum());
    for (Index j = 0; j < X.cols(); ++j) {
      EXPECT_EQ(fit.relevant[static_cast<std::size_t>(j)], w[j] != 0);
      const auto slope = static_cast<double>(g[j]);
      const double expected = w[j] == 0 ? std::clamp(slope, -lambda, lambda) : w[j] > 0 ? lambda : -lambda;
      EXPECT_NEAR(slope, expected, 1e-9 * lambda + rounding);
    }
    EXPECT_NEAR(static_cast<double>(g[X.cols()]), 0, 1e-9 * lambda + rounding);
    FitOptions largest = options;
    largest.prior = Prior::laplace(lambda_max * (1 + 1e-9));
    EXPECT_TRUE((fit_linear(X, y, largest).mean.array() == 0).all());
    largest.prior = Prior::laplace(lambda_max * 0.999);
    EXPECT_TRUE((fit_linear(X, y, largest).mean.array() != 0).any());
  }
}

TEST(FitLinearLaplace, OneColumnIsTheSoftThresholdInClosedForm) {  // (L1.3), (L1.10)
  const Matrix X = Vector::LinSpaced(50, -1, 1);
  Random random(3);
  const Vector y = 4 + 3 * X.col(0).array() + random.normals(50, 1).array();
  const Scaled s = scaled(X, Vector::Ones(50));
  const double least_squares = s.Z.col(0).dot(y) / 50;  // per standard deviation
  for (const double lambda : {1.0, 20.0, 60.0, 1000.0}) {
    const double w = std::max(std::abs(least_squares) - lambda / 50, 0.0) * (least_squares > 0 ? 1 : -1);
    EXPECT_NEAR(fit_linear(X, y, laplace(lambda)).mean[0], w * s.scale[0], 1e-10);
  }
}

TEST(FitLinearLaplace, NoisePosteriorAndDensityAreThoseOfTheFormulas) {  // (L1.8), (L1.10), (L1.11)
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const LassoTable table = linear_lasso_table(seed);
    const auto& [X, y, labels] = table.problem;
    const Index p = X.cols();
    const double lambda = 0.3 * lambda_max_of(X, y, table.k), n = table.k.sum();
    FitOptions options = laplace(lambda);
    options.weights = table.k;
    options.keep_covariance = Keep::always;
    const LinearFit fit = fit_linear(X, y, options);
    const Scaled s = scaled(X, table.k);
    const Vector w = standardised(fit, s);
    const Vector r = residuals(s.Z, w, y).cast<double>();
    std::vector<Index> kept;
    for (Index j = 0; j <= p; ++j)
      if (j == p || w[j] != 0) kept.push_back(j);
    const auto size = static_cast<double>(kept.size());
    if (size >= n - 3) continue;  // too few rows for a variance
    EXPECT_NEAR(fit.noise.shape, 0.5 * (n - size), 1e-12 * n);
    EXPECT_NEAR(fit.noise.rate, 0.5 * table.k.dot(r.cwiseAbs2()), 1e-9 * fit.noise.rate);
    Vector a = w(kept).cwiseAbs().cwiseInverse() * lambda;
    a[a.size() - 1] = 0;
    const Matrix A = s.Z(Eigen::all, kept);
    Matrix inverse = A.transpose() * table.k.asDiagonal() * A;
    inverse.diagonal() += a;
    const Matrix V = inverse.inverse();
    const double noise = fit.noise.rate / (fit.noise.shape - 1);
    for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
      const auto l = static_cast<Index>(i);
      const double scale = s.scale[kept[i]];
      EXPECT_NEAR(fit.variance[kept[i]] / (noise * scale * scale * V(l, l)), 1, 1e-7);
      EXPECT_NEAR(fit.relevance[kept[i]], 1 - a[l] * V(l, l), 1e-8);
    }
    const StudentPrediction new_row = predict(fit, X.row(0).eval());
    EXPECT_EQ(new_row.degrees_of_freedom, 2 * fit.noise.shape);
    EXPECT_NEAR(new_row.mean[0], y[0] - r[0], 1e-9 * (1 + y.cwiseAbs().maxCoeff()));
    // The weights of the density are those for a target of standard deviation one.
    const double tau = fit.noise.shape / fit.noise.rate, sd = std::sqrt(table.k.dot(Vector((y.array() - table.k.dot(y) / n).square())) / n);
    const double bound = 0.5 * n * std::log(tau / (2 * std::acos(-1.0))) - 0.5 * tau * table.k.dot(r.cwiseAbs2()) -
                         tau * lambda * w.head(p).cwiseAbs().sum() + static_cast<double>(p) * std::log(0.5 * tau * lambda * sd) +
                         std::log(sd);  // the flat intercept is in units of the target (LIN.5)
    EXPECT_NEAR(fit.bound, bound, 1e-8 * (1 + std::abs(bound)));
  }
}

TEST(FitLinearLaplace, SaysSoWhereNothingIsLeftToEstimateTheNoiseFrom) {  // (L1.11)
  Random random(4);
  const Matrix X = random.normals(8, 30);
  const Vector y = random.normals(8, 1);
  const LinearFit fit = fit_linear(X, y, laplace(1e-4));
  ASSERT_EQ(fit.report.warnings.size(), 1u);
  EXPECT_NE(fit.report.warnings[0].find("nothing is left to estimate the noise from"), std::string::npos) << fit.report.warnings[0];
  EXPECT_TRUE(std::isinf(fit.variance.maxCoeff()));
}

TEST(FitLinearLaplace, ASystemThatRoundingDecidesLeavesNoPosterior) {
  Problem problem = make_problem(12, 30, 3);
  problem.X.col(2) = problem.X.col(0) + problem.X.col(1);
  const LinearFit fit = fit_linear(problem.X, problem.y, laplace(1e-17));
  if (fit.report.status != Status::converged) {  // with two of three columns, the system is determined
    EXPECT_EQ(fit.report.status, Status::not_positive_definite);
    EXPECT_NE(fit.report.message.find("take a larger lambda"), std::string::npos) << fit.report.message;
    EXPECT_TRUE(fit.mean.array().isNaN().all());
  }
  EXPECT_TRUE(fit_linear(problem.X, problem.y, laplace(1e-3)).variance.allFinite());
}

TEST(FitLinearLaplace, RefusesWhatItDoesNotRead) {
  const Problem problem = make_problem(4, 60, 5);
  FitOptions options = laplace(3);
  options.posterior = LinearPosterior::factorised;
  expect_invalid([&] { (void)fit_linear(problem.X, problem.y, options); }, {"factorised", "Laplace"});
  expect_invalid([&] { (void)fit_linear(problem.X, problem.y, laplace(-1)); }, {"prior.lambda", "-1"});
}

}  // namespace
}  // namespace ardvark
