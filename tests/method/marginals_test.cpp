// Ends of intervals under skewed marginals, beside quadrature of the exact posterior.                              docs/math/skew.md
#include "method/sweep/marginals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ardvark/counts.hpp"
#include "ardvark/logistic.hpp"
#include "core/special.hpp"
#include "likelihood/intercept_row.hpp"
#include "posterior/state.hpp"
#include "support/draw_target.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

constexpr double inside = 0.008;         // sd: of a polynomial through seven values, and most of it from the tails beyond them
constexpr double with_precision = 0.02;  // sd: beside that, of the best normal distribution of the weights given a precision
constexpr double several = 0.02;         // sd: beside that, of the best normal distribution of the other weights

FitOptions plain(const Prior& prior) {
  FitOptions options;
  options.prior = prior;
  options.intercept = options.standardize = false;
  options.tolerance = 1e-12;
  return options;
}

// The ends of the central 95% interval of the first of two coordinates, or of one, by sums over a grid.
Interval interval_by_grid(auto&& log_density, double mean, double sd, double other_mean, double other_sd) {
  constexpr int num = 801;
  constexpr double reach = 12;
  std::vector<double> at(num), mass(num, 0.0);
  double largest = -INFINITY;
  Matrix values(num, num);
  for (int i = 0; i < num; ++i) {
    at[static_cast<std::size_t>(i)] = mean + sd * reach * (2.0 * i / (num - 1) - 1);
    for (int l = 0; l < num; ++l) {
      values(i, l) = log_density(at[static_cast<std::size_t>(i)], other_mean + other_sd * reach * (2.0 * l / (num - 1) - 1));
      largest = std::max(largest, values(i, l));
    }
  }
  double all = 0;
  for (int i = 0; i < num; ++i) all += mass[static_cast<std::size_t>(i)] = (values.row(i).array() - largest).exp().sum();
  const auto end = [&](double tail) {
    double below = 0;
    for (std::size_t i = 0;; ++i) {  // each point has the mass of a step about it
      const double next = below + mass[i] / all;
      if (next >= tail) return at[i] + (at[1] - at[0]) * ((tail - below) / (next - below) - 0.5);
      below = next;
    }
  };
  return {end(0.025), end(0.975)};
}

void expect_ends(const Fit& fit, Index j, const Interval& exact, double sd, double tolerance) {
  const Interval found = credible_interval(fit, j);
  EXPECT_NEAR(found.lower, exact.lower, tolerance * sd) << j;
  EXPECT_NEAR(found.upper, exact.upper, tolerance * sd) << j;
}

double log_poisson(double y, double eta) { return y * eta - std::exp(eta); }
double log_class(double t, double eta) { return log_sigmoid(t > 0 ? eta : -eta); }

TEST(Marginals, OfOneRateIsExact) {  // (SKEW.3)
  const Vector y = Eigen::Vector4d(3, 2, 1, 2);
  const Matrix X = Matrix::Ones(4, 1);
  const CountFit fit = fit_counts(X, y, plain(Prior::none()));
  const double mean = fit.mean[0], sd = std::sqrt(fit.variance[0]);
  const Interval exact = interval_by_grid([](double w, double u) { return 8 * w - 4 * std::exp(w) - 0.5 * u * u; }, mean, sd, 0, 1);
  expect_ends(fit, 0, exact, sd, inside);
  EXPECT_GT(std::abs(mean - 1.96 * sd - exact.lower), 0.1 * sd) << "a normal marginal misses this end";
}

TEST(Marginals, OfTwoWeightsOfClasses) {  // (SKEW.3), (SKEW.4)
  Random random(7);
  const Matrix X = random.normals(12, 2);
  Vector t(12);
  for (Index n = 0; n < 12; ++n) t[n] = X(n, 0) + 0.5 * random.normal() > -0.3 ? 1 : 0;
  const LogisticFit fit = fit_logistic(X, t, plain(Prior::none().fixed({0, 1}, 0.3)));
  ASSERT_EQ(fit.state->marginals.size(), 2U);
  for (const Index j : {0, 1}) {
    const auto log_density = [&](double w, double u) {
      double sum = -0.15 * (w * w + u * u);
      for (Index n = 0; n < 12; ++n) sum += log_class(t[n], X(n, j) * w + X(n, 1 - j) * u);
      return sum;
    };
    const double sd = std::sqrt(fit.variance[j]);
    const Interval exact = interval_by_grid(log_density, fit.mean[j], sd, fit.mean[1 - j], std::sqrt(fit.variance[1 - j]));
    expect_ends(fit, j, exact, sd, several);
  }
}

// The prior of the weights is a t distribution then.
TEST(Marginals, AllowForAPrecisionOfFewColumns) {  // (SKEW.7)
  for (const double effect : {0.6, 1.0}) {
    Random random(21);
    const Matrix X = random.normals(24, 2);
    const Vector y = testing::draw_target(Task::counts, effect * X.col(0).array() + 0.5, random);
    FitOptions options = plain(Prior::shared());
    options.family = Family::poisson;
    options.precision = {2, 0.1};
    const CountFit fit = fit_counts(X, y, options);
    for (const Index j : {0, 1}) {
      const auto log_density = [&](double w, double u) {
        double sum = -(2 + 1) * std::log(0.1 + 0.5 * (w * w + u * u));
        for (Index n = 0; n < 24; ++n) sum += log_poisson(y[n], X(n, j) * w + X(n, 1 - j) * u);
        return sum;
      };
      const double sd = std::sqrt(fit.variance[j]);
      const Interval exact = interval_by_grid(log_density, fit.mean[j], sd, fit.mean[1 - j], std::sqrt(fit.variance[1 - j]));
      expect_ends(fit, j, exact, sd, with_precision);
      const bool normal_misses = std::abs(fit.mean[j] - 1.96 * sd - exact.lower) > 0.2 * sd;
      EXPECT_EQ(normal_misses, j == 0);
    }
  }
}

// The posterior has a peak at zero, of large precisions, beside that of the likelihood, or in its side.
TEST(Marginals, AreAveragedOverThePrecisionWithoutEffects) {  // (SKEW.8)
  int num_missed = 0;                                         // by the intervals of one precision
  for (const Task task : {Task::counts, Task::logistic})
    for (const std::uint64_t seed : {3, 4, 5}) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const Matrix X = random.normals(24, 2);
      const bool is_count = task == Task::counts;
      const Vector y = testing::draw_target(task, (is_count ? 0.5 : 0.0) + 0.1 * X.col(0).array(), random);
      FitOptions options = plain(Prior::shared());
      if (is_count) options.family = Family::poisson;
      options.precision = {0.5, 0.02};
      const Fit fit = is_count ? Fit(fit_counts(X, y, options)) : Fit(fit_logistic(X, y, options));
      ASSERT_FALSE(fit.state->marginals.empty());
      for (const Index j : {0, 1}) {
        EXPECT_GT(fit.state->marginals[static_cast<std::size_t>(j)].size(), 5U);
        const auto log_density = [&](double w, double u) {
          double sum = -(0.5 + 1) * std::log(0.02 + 0.5 * (w * w + u * u));
          for (Index n = 0; n < 24; ++n) {
            const double eta = X(n, j) * w + X(n, 1 - j) * u;
            sum += is_count ? log_poisson(y[n], eta) : log_class(y[n], eta);
          }
          return sum;
        };
        const double sd = std::sqrt(fit.variance[j]);
        const Interval exact = interval_by_grid(log_density, fit.mean[j], sd, fit.mean[1 - j], std::sqrt(fit.variance[1 - j]));
        expect_ends(fit, j, exact, sd, with_precision * (exact.upper - exact.lower) / (4 * sd));
        if (exact.upper - exact.lower > 1.05 * 3.92 * sd) ++num_missed;
      }
    }
  EXPECT_GE(num_missed, 5);
}

TEST(Marginals, ThatAreWiderThanTheirStandardDeviationAreSaid) {  // (SKEW.8)
  const auto says_so = [](const Fit& fit) {
    return std::ranges::any_of(fit.report.notes, [](const std::string& note) { return note.find("wider than the standard") != note.npos; });
  };
  Random random(1);
  const Matrix X = random.normals(60, 4);
  FitOptions options;
  options.prior = Prior::shared();
  EXPECT_TRUE(says_so(fit_counts(X, testing::draw_target(Task::counts, Vector::Constant(60, 0.7), random), options)));
  const Vector strong = testing::draw_target(Task::counts, 0.7 + 0.8 * X.col(0).array() - 0.8 * X.col(1).array(), random);
  EXPECT_FALSE(says_so(fit_counts(X, strong, options)));
}

TEST(Marginals, OfAnInterceptWithItsPrior) {  // (SKEW.2), (SP.20)
  Random random(3);
  Matrix X = random.normals(10, 1);
  X.array() -= X.mean();
  Vector t = Vector::Zero(10);
  t[4] = 1;
  FitOptions options = plain(Prior::shared());
  options.intercept = true;
  const LogisticFit fit = fit_logistic(X, t, options);
  ASSERT_TRUE(fit.state->proper_intercept);
  const double c = intercept_row(fit.intercept->mean, fit.intercept->variance).narrowing;
  const auto log_density = [&](double b, double w) {
    double sum = -0.5 * fit.precision[0] * w * w + 0.5 * (log_sigmoid(c * b) + log_sigmoid(-c * b));
    for (Index n = 0; n < 10; ++n) sum += log_class(t[n], b + X(n, 0) * w);
    return sum;
  };
  const double sd = std::sqrt(fit.intercept->variance);
  expect_ends(fit, -1, interval_by_grid(log_density, fit.intercept->mean, sd, fit.mean[0], std::sqrt(fit.variance[0])), sd, several);
}

TEST(Marginals, OfAnInterceptAreInTheUnitsOfTheCaller) {  // (SKEW.1)
  Random random(5);
  const Matrix X = random.normals(14, 1).array() + 3.0;
  const Vector y = testing::draw_target(Task::counts, 0.4 * X.col(0).array() - 1.5, random);
  FitOptions options;
  options.prior = Prior::none();
  options.family = Family::poisson;
  const CountFit fit = fit_counts(X, y, options);
  const auto log_density = [&](double b, double w) {
    double sum = 0;
    for (Index n = 0; n < 14; ++n) sum += log_poisson(y[n], b + X(n, 0) * w);
    return sum;
  };
  const double sd = std::sqrt(fit.intercept->variance), slope = fit.mean[0], slope_sd = std::sqrt(fit.variance[0]);
  // Both are correlated: the other coordinate is the rate at the mean of X.
  const double centre = X.mean();
  const auto rotated = [&](double b, double at_mean) { return log_density(b, (at_mean - b) / centre); };
  expect_ends(fit, -1, interval_by_grid(rotated, fit.intercept->mean, sd, fit.intercept->mean + centre * slope, 0.5), sd, several);
  const auto of_slope = [&](double w, double at_mean) { return log_density(at_mean - centre * w, w); };
  expect_ends(fit, 0, interval_by_grid(of_slope, slope, slope_sd, fit.intercept->mean + centre * slope, 0.5), slope_sd, several);
}

struct Table {
  Matrix X;
  Vector y;
};
Table counts_of(Index n, Index p, unsigned seed) {
  Random random(seed);
  Table out{random.normals(n, p), {}};
  out.y = testing::draw_target(Task::counts, 0.5 * out.X.col(0).array() - 0.5, random);
  return out;
}

void expect_same_intervals(const Fit& a, const Fit& b, double tolerance) {
  for (Index j = -1; j < a.num_columns(); ++j) {
    const Interval one = credible_interval(a, j), other = credible_interval(b, j);
    EXPECT_NEAR(one.lower, other.lower, tolerance) << j;
    EXPECT_NEAR(one.upper, other.upper, tolerance) << j;
  }
}

TEST(Marginals, AWeightIsARepetition) {
  const auto [X, y] = counts_of(20, 3, 11);
  Matrix twice(25, 3);
  twice << X, X.topRows(5);
  Vector y_twice(25), k = Vector::Ones(20);
  y_twice << y, y.head(5);
  k.head(5).setConstant(2);
  FitOptions options;
  options.prior = Prior::shared();
  options.tolerance = 1e-12;
  FitOptions weighted = options;
  weighted.weights = k;
  expect_same_intervals(fit_counts(twice, y_twice, options), fit_counts(X, y, weighted), 1e-6);
}

TEST(Marginals, AreThoseOfEverySolver) {
  const auto [X, y] = counts_of(20, 6, 13);
  FitOptions options;
  options.prior = Prior::ard();
  options.tolerance = 1e-12;
  std::vector<Fit> fits;
  for (const SolverKind solver : {SolverKind::primal, SolverKind::dual, SolverKind::qr}) {
    options.solver = solver;
    fits.push_back(fit_counts(X, y, options));
    ASSERT_FALSE(fits.back().state->marginals.empty());
  }
  expect_same_intervals(fits[0], fits[1], 1e-6);
  expect_same_intervals(fits[0], fits[2], 1e-6);
}

TEST(Marginals, DoNotDependOnTheNumberOfThreads) {
  const auto [X, y] = counts_of(300, 20, 17);
  FitOptions options;
  options.prior = Prior::shared();
  options.threads = 1;
  const CountFit one = fit_counts(X, y, options);
  options.threads = 3;
  expect_same_intervals(one, fit_counts(X, y, options), 0);
}

TEST(Marginals, OfColumnsThatAreLeftOut) {  // an exposure, a constant column, and many of them
  const auto [X, y] = counts_of(20, 2, 19);
  Matrix wide(20, 4);
  wide << X, Vector::Constant(20, 2.0), Vector::Constant(20, 5.0);
  FitOptions options;
  options.prior = Prior::shared();
  options.column_names = {"a", "b", "days", "same"};
  options.exposure = "days";
  const CountFit fit = fit_counts(wide, y, options);
  options.column_names.clear();
  options.exposure.clear();
  const CountFit narrow = fit_counts(X, y, options);
  for (const Index j : {0, 1}) {
    EXPECT_NEAR(credible_interval(fit, j).lower, credible_interval(narrow, j).lower, 1e-6);
    EXPECT_NEAR(credible_interval(fit, j).upper, credible_interval(narrow, j).upper, 1e-6);
  }
  EXPECT_NEAR(credible_interval(fit, -1).lower, credible_interval(narrow, -1).lower - std::log(2.0), 1e-6);
  EXPECT_EQ(credible_interval(fit, 3).upper, 0);
}

TEST(Marginals, AreNormalIfAskedOrWithManyRows) {  // (SKEW.6)
  const auto [X, y] = counts_of(20, 2, 23);
  FitOptions options;
  options.prior = Prior::shared();
  const CountFit skewed = fit_counts(X, y, options);
  options.intervals = Intervals::gaussian;
  const CountFit gaussian = fit_counts(X, y, options);
  EXPECT_TRUE(gaussian.state->marginals.empty());
  EXPECT_EQ(gaussian.mean, skewed.mean);
  EXPECT_EQ(gaussian.variance, skewed.variance);
  const double sd = std::sqrt(gaussian.variance[0]);
  EXPECT_NEAR(credible_interval(gaussian, 0).upper, gaussian.mean[0] + 1.959963984540054 * sd, 1e-12);
  EXPECT_GT(std::abs(credible_interval(skewed, 0).upper - credible_interval(gaussian, 0).upper), 0.01 * sd);
  options.intervals = Intervals::skewed;
  options.prior = Prior::none();
  const auto [many, y_many] = counts_of(40000, 2, 29);
  EXPECT_TRUE(fit_counts(many, y_many, options).state->marginals.empty());
}

TEST(Marginals, DirectionAndIntervalAgree) {  // (SKEW.5)
  const auto [X, y] = counts_of(25, 5, 31);
  FitOptions options;
  options.prior = Prior::shared();
  const CountFit fit = fit_counts(X, y, options);
  const Vector sign = direction(fit);
  for (Index j = 0; j < 5; ++j) {
    if (sign[j] < 0.51) continue;
    const Interval at = credible_interval(fit, j, 2 * sign[j] - 1);  // one end of it is 0
    EXPECT_NEAR(fit.mean[j] > 0 ? at.lower : at.upper, 0, 1e-6) << j;
  }
}

}  // namespace
}  // namespace ardvark::internal
