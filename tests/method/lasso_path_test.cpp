// fit_logistic_path and fit_linear_path: the separate fits in one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "lasso_cases.hpp"

namespace ardvark {
namespace {

using testing::distance;
using testing::expect_invalid;
using testing::lambda_max_of;
using testing::lambda_max_of_labels;
using testing::laplace;
using testing::lasso_table;
using testing::LassoTable;
using testing::linear_lasso_table;
using testing::make_problem;
using testing::Problem;

TEST(FitLogisticPath, IsTheSeparateFitsInOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const LassoTable table = lasso_table(seed);
    const auto& [X, y, labels] = table.problem;
    FitOptions options;
    options.weights = table.k;
    PathGrid grid;
    grid.count = 8;
    const LambdaPath path = fit_logistic_path(X, labels, grid, options);
    const double lambda_max = lambda_max_of_labels(X, labels, table.k);
    EXPECT_NEAR(path.lambda_max, lambda_max, 1e-9 * lambda_max);
    ASSERT_EQ(path.lambda.size(), 8);
    EXPECT_EQ(path.lambda[0], path.lambda_max);
    const double smallest = table.k.sum() > static_cast<double>(X.cols()) ? 1e-4 : 1e-2;  // weights count rows
    for (Index i = 0; i < 8; ++i) {
      EXPECT_NEAR(path.lambda[i], lambda_max * std::pow(smallest, static_cast<double>(i) / 7), 1e-9 * lambda_max);
      EXPECT_EQ(path.reports[static_cast<std::size_t>(i)].status, Status::converged);
      EXPECT_LE(path.gap[i], 1e-8);  // (L1.16)
      options.prior = Prior::laplace(path.lambda[i]);
      const LogisticFit fit = fit_logistic(X, labels, options);
      const double bound = path.reports[static_cast<std::size_t>(i)].bound;
      EXPECT_NEAR(bound, fit.bound, 1e-9 * (1 + std::abs(bound)));
      // Beside the optimum the objective is flat, and more so where columns are more than rows.
      const Vector apart = (X * (path.mean.col(i) - fit.mean)).array() + path.intercept[i] - fit.intercept->mean;
      EXPECT_LE(apart.cwiseAbs().maxCoeff(), 1e-5);
      EXPECT_EQ(path.num_nonzero[static_cast<std::size_t>(i)], (path.mean.col(i).array() != 0).count());
      // The likelihood never falls as lambda does.
      if (i > 0) {
        EXPECT_GE(path.log_likelihood[i], path.log_likelihood[i - 1] - 1e-9);
      }
    }
    EXPECT_EQ(path.num_nonzero[0], 0);
    EXPECT_EQ(path.classes, (std::vector<std::string>{"-1", "1"}));
  }
}

TEST(FitLogisticPath, TakesTheLambdasOfTheCallerLargestFirst) {
  const Problem problem = make_problem(6, 50, 10);
  const LambdaPath path = fit_logistic_path(problem.X, problem.labels, {.lambdas = {1, 5, 2.5}});
  EXPECT_EQ(path.lambda, Vector(Eigen::Vector3d(5, 2.5, 1)));
  EXPECT_LE(distance(path.mean.col(1), fit_logistic(problem.X, problem.labels, laplace(2.5)).mean), 1e-8);
  FitOptions options;
  options.intercept = false;
  EXPECT_EQ(fit_logistic_path(problem.X, problem.labels, {.count = 3, .smallest = 0.1}, options).intercept.size(), 0);
  int calls = 0;
  options.on_sweep = [&](const Progress&) { return ++calls < 4; };
  const LambdaPath stopped = fit_logistic_path(problem.X, problem.labels, {.count = 30}, options);
  EXPECT_EQ(stopped.reports.back().status, Status::stopped_by_user);
  EXPECT_EQ(stopped.mean.cols(), static_cast<Index>(stopped.reports.size()));
}

TEST(FitLogisticPath, RefusesWhatIsNoPath) {
  const Problem problem = make_problem(6, 50, 10);
  const auto refused = [&](const PathGrid& grid, const FitOptions& options, std::initializer_list<const char*> pieces) {
    expect_invalid([&] { (void)fit_logistic_path(problem.X, problem.labels, grid, options); }, pieces);
  };
  refused({.lambdas = {1, 0}}, {}, {"grid.lambdas", "0"});
  refused({.count = 0}, {}, {"grid.count", "0"});
  refused({.smallest = 2}, {}, {"grid.smallest", "2"});
  FitOptions options;
  options.prior = Prior::ard();
  refused({}, options, {"prior", "ard"});
  refused({}, options_for_preset("l1_slr_c"), {"l1_slr_c"});
}

TEST(FitLinearPath, IsTheSeparateFitsInOne) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const LassoTable table = linear_lasso_table(seed);
    const auto& [X, y, labels] = table.problem;
    FitOptions options;
    options.weights = table.k;
    PathGrid grid;
    grid.count = 6, grid.smallest = 0.05;
    const LambdaPath path = fit_linear_path(X, y, grid, options);
    const double unit = lambda_max_of(X, y, table.k);
    EXPECT_NEAR(path.lambda_max / unit, 1, 1e-9);
    for (Index i = 0; i < path.lambda.size(); ++i) {
      options.prior = Prior::laplace(path.lambda[i]);
      const LinearFit fit = fit_linear(X, y, options);
      const double size = 1e-7 * (1e-300 + fit.mean.cwiseAbs().maxCoeff());
      EXPECT_LE((fit.mean - path.mean.col(i)).cwiseAbs().maxCoeff(), size);
      EXPECT_NEAR(fit.intercept->mean, path.intercept[i], 1e-8 * (1 + y.cwiseAbs().maxCoeff()));
      EXPECT_NEAR(fit.bound, path.reports[static_cast<std::size_t>(i)].bound, 1e-6 * (1 + std::abs(fit.bound)));
      EXPECT_EQ(path.num_nonzero[static_cast<std::size_t>(i)], std::count(fit.relevant.begin(), fit.relevant.end(), true));
    }
  }
}

}  // namespace
}  // namespace ardvark
