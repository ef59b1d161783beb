#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "fit/checked.hpp"

namespace ardvark::internal {
namespace {

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
  const Fit fit = fit_checked(Task::linear, Matrix(4, 0), y, {.prior = Prior::ard(), .posterior = LinearPosterior::factorised});
  EXPECT_EQ(fit.report.status, Status::converged);
  EXPECT_EQ(fit.num_columns(), 0);
  EXPECT_NEAR(fit.intercept->mean, 4, 1e-12);
  EXPECT_NEAR(fit.noise.rate / fit.noise.shape, 19 / 1.5, 1e-12);  // RSS/(n - 1)
  const Fit classes = fit_checked(Task::logistic, Matrix(4, 0), Vector{{0, 1, 1, 1}}, {.prior = Prior::ard()});
  EXPECT_NEAR(classes.intercept->mean, std::log(3), 0.7);
  EXPECT_GT(classes.intercept->variance, 0);
}

}  // namespace
}  // namespace ardvark::internal
