// The priors of the columns: groups, hyper-priors, none.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "../support/mentions.hpp"
#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "fit_cases.hpp"

namespace ardvark {
namespace {

using testing::expect_same;
using testing::fit_any;
using testing::make_problem;
using testing::mentions;
using testing::Problem;
using testing::Random;
using testing::relative_distance;
using testing::with_prior;

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
  EXPECT_TRUE(mentions(ard.report.warnings, "describes the noise too") && mentions(ard.report.warnings, "--prior sparse"))
      << "effective parameters: " << ard.effective_parameters << " of 60 rows, noise sd " << noise_sd(ard);
  EXPECT_FALSE(mentions(shared.report.warnings, "describes the noise too"));
}

}  // namespace
}  // namespace ardvark
