// (POIS.1) to (POIS.3).
#include <gtest/gtest.h>

#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "fit/checked.hpp"
#include "likelihood/registry.hpp"
#include "support/draw_target.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

double log_probability(double y, double eta) { return y * eta - std::exp(eta) - std::lgamma(y + 1); }

// The row term at given moments, and the rows that the likelihood writes there.
double row_term(const Vector& y, const Vector& k, const Vector& m, const Vector& s, Rows* written = nullptr, const Vector& offset = {}) {
  const auto likelihood = make_poisson(y, k, 0, offset);
  Posterior q;
  q.m = m;
  q.s = s;
  Rows rows;
  likelihood->start(rows);
  likelihood->update(q, rows);
  if (written != nullptr) *written = rows;
  return likelihood->bound(q);
}

TEST(Poisson, RowTermIsTheExpectedLogLikelihood) {  // (POIS.2), (POIS.3)
  for (const double y : {0.0, 1.0, 7.0, 40.0})
    for (const double m : {-3.0, 0.0, 2.5})
      for (const double s : {1e-6, 0.1, 1.5}) {
        const double expected = testing::normal_expectation(m, s, [&](double eta) { return log_probability(y, eta); });
        const double found = row_term(Vector::Constant(1, y), Vector::Ones(1), Vector::Constant(1, m), Vector::Constant(1, s));
        EXPECT_NEAR(found, expected, 1e-8 * (1 + std::abs(expected))) << y << ", " << m << ", " << s;
      }
}

TEST(Poisson, RowsAreTheDerivativesOfTheTerm) {  // (POIS.1): omega = -2 dE/ds, r = omega m + dE/dm
  Random random(4);
  const Index n = 6;
  Vector y(n), k(n), m = random.normals(n), s = random.normals(n).array().exp();
  const Vector offset = random.normals(n);  // (POIS.8)
  for (Index i = 0; i < n; ++i) y[i] = static_cast<double>(random.integer(0, 9)), k[i] = random.uniform(0.2, 3);
  Rows rows;
  row_term(y, k, m, s, &rows, offset);
  const double h = 1e-5;
  for (Index i = 0; i < n; ++i) {
    const Vector step = h * Vector::Unit(n, i);
    const double in_m = (row_term(y, k, m + step, s, nullptr, offset) - row_term(y, k, m - step, s, nullptr, offset)) / (2 * h);
    const double in_s = (row_term(y, k, m, s + step, nullptr, offset) - row_term(y, k, m, s - step, nullptr, offset)) / (2 * h);
    EXPECT_NEAR(rows.omega[i], -2 * in_s, 1e-6 * (1 + rows.omega[i]));
    EXPECT_NEAR(rows.r[i], rows.omega[i] * m[i] + in_m, 1e-6 * (1 + std::abs(rows.r[i])));
  }
}

// One column, precision 1: everything by quadrature over its weight.
struct Exact {
  double log_evidence = 0, mean = 0, sd = 0;
  Exact(const Vector& x, const Vector& y) {
    const auto log_joint = [&](double w) {
      double sum = -0.5 * w * w - 0.5 * std::log(2 * 3.14159265358979323846);
      for (Index i = 0; i < x.size(); ++i) sum += log_probability(y[i], x[i] * w);
      return sum;
    };
    const double h = 1e-3;
    double most = -INFINITY, total = 0, second = 0;
    for (double w = -6; w <= 6; w += h) most = std::max(most, log_joint(w));
    for (double w = -6; w <= 6; w += h) {
      const double p = std::exp(log_joint(w) - most);
      total += p, mean += p * w, second += p * w * w;
    }
    mean /= total;
    sd = std::sqrt(second / total - mean * mean);
    log_evidence = most + std::log(total * h);
  }
};

TEST(Poisson, BoundIsALittleBelowTheEvidence) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Index n = random.integer(3, 25);
    const Vector x = random.normals(n), y = testing::draw_target(Task::counts, 0.7 * x, random);
    const Exact exact(x, y);
    FitOptions options;
    options.prior = Prior::shared().fixed({0}, 1);
    options.intercept = options.standardize = false;
    options.tolerance = 1e-12;
    const Fit fit = fit_by(likelihood_row("poisson"), Matrix(x), y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    EXPECT_LE(fit.bound, exact.log_evidence + 1e-9) << seed;
    EXPECT_GE(fit.bound, exact.log_evidence - 0.05) << seed;
    EXPECT_NEAR(fit.mean[0], exact.mean, 0.05 * exact.sd) << seed;
    EXPECT_NEAR(std::sqrt(fit.variance[0]), exact.sd, 0.05 * exact.sd) << seed;
  }
}

TEST(Poisson, IntervalsCoverTheirShare) {
  Index covered = 0, total = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(1000 + seed);
    const Matrix X = random.normals(60, 3);
    const Vector w = 0.4 * random.normals(3);
    const Vector y = testing::draw_target(Task::counts, (X * w).array() + 0.5, random);
    FitOptions options;
    options.prior = Prior::shared().fixed({0, 1, 2}, 1 / 0.16);  // the one that they were drawn from
    options.standardize = false;
    const Fit fit = fit_by(likelihood_row("poisson"), X, y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << seed << ": " << fit.report.message;
    for (Index j = 0; j < 3; ++j, ++total) {
      const Interval interval = credible_interval(fit, j);
      covered += interval.lower <= w[j] && w[j] <= interval.upper;
    }
  }
  // 600 intervals, three of a table on one data set: the standard error of their share is about .01.
  EXPECT_NEAR(static_cast<double>(covered) / static_cast<double>(total), 0.95, 0.03);
}

TEST(Poisson, ArdKeepsTheColumnsThatMatter) {
  Random random(8);
  const Matrix X = random.normals(300, 10);
  const Vector y = testing::draw_target(Task::counts, (0.8 * X.col(2) - 0.6 * X.col(7)).array() + 1.0, random);
  FitOptions options;
  options.prior = Prior::ard();
  const Fit fit = fit_by(likelihood_row("poisson"), X, y, options);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_TRUE(fit.relevant[2]);
  EXPECT_TRUE(fit.relevant[7]);
  EXPECT_NEAR(fit.mean[2], 0.8, 0.1);
  EXPECT_NEAR(fit.mean[7], -0.6, 0.1);
  EXPECT_NEAR(fit.intercept->mean, 1, 0.15);
  for (const Index j : {0, 1, 3, 4, 5, 6, 8, 9}) EXPECT_LT(std::abs(fit.mean[j]), 0.1) << j;
}

TEST(Poisson, TakesLargeCountsAndMoreColumnsThanRows) {
  Random random(9);
  const Matrix X = random.normals(12, 40);
  for (const double size : {0.0, 6.0, 13.0}) {  // e^13 = 442,413
    const Vector y = testing::draw_target(Task::counts, (0.5 * X.col(0)).array() + size, random);
    for (const Prior& prior : {Prior::shared(), Prior::ard()}) {
      FitOptions options;
      options.prior = prior;
      const Fit fit = fit_by(likelihood_row("poisson"), X, y, options);
      EXPECT_TRUE(fit.report.status == Status::converged || fit.report.status == Status::max_sweeps) << size << fit.report.message;
      EXPECT_TRUE(fit.mean.allFinite() && fit.variance.allFinite() && std::isfinite(fit.bound)) << size;
    }
  }
}

// A row with exposure t is t rows with exposure 1 whose counts sum to its count, but for a constant of the bound.           (POIS.8)
TEST(Poisson, AnExposureIsSoManyRows) {
  Random random(12);
  const Index n = 40;
  const Matrix X = random.normals(n, 3);
  Vector t(n);
  for (Index i = 0; i < n; ++i) t[i] = static_cast<double>(random.integer(1, 5));
  const auto total = static_cast<Index>(t.sum());
  Matrix whole(n, 4), parts(total, 3);
  Vector y = Vector::Zero(n), y_parts(total);
  const Vector drawn = testing::draw_target(Task::counts, Vector(Vector::Constant(total, 0.3)), random);
  for (Index i = 0, row = 0; i < n; ++i)
    for (Index part = 0; part < static_cast<Index>(t[i]); ++part, ++row) parts.row(row) = X.row(i), y[i] += y_parts[row] = drawn[row];
  whole << X.leftCols(1), t, X.rightCols(2);
  for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::none()}) {
    FitOptions options{.prior = prior, .standardize = false, .tolerance = 1e-13};
    const Fit one_by_one = fit_by(likelihood_row("poisson"), parts, y_parts, options);
    options.exposure = "x2";
    const Fit fit = fit_by(likelihood_row("poisson"), whole, y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    const std::vector<Index> others = {0, 2, 3};
    EXPECT_LT((fit.mean(others) - one_by_one.mean).cwiseAbs().maxCoeff(), 1e-6 * std::sqrt(one_by_one.variance.maxCoeff()));
    EXPECT_LT((fit.variance(others) - one_by_one.variance).cwiseAbs().maxCoeff(), 1e-6 * one_by_one.variance.maxCoeff());
    EXPECT_NEAR(fit.intercept->mean, one_by_one.intercept->mean, 1e-6 * std::sqrt(one_by_one.intercept->variance));
    double constant = 0;  // of sum ln P(y | t e^eta) - sum ln P(parts | e^eta)
    for (Index i = 0; i < n; ++i) constant += y[i] * std::log(t[i]) - std::lgamma(y[i] + 1);
    for (Index i = 0; i < total; ++i) constant += std::lgamma(y_parts[i] + 1);
    EXPECT_NEAR(fit.bound, one_by_one.bound + constant, 1e-6);
    EXPECT_EQ(fit.mean[1], 0);
    EXPECT_EQ(fit.exposure, 1);
  }
}

// Another unit of the exposure changes the intercept alone, by its logarithm.                                             (POIS.8)
TEST(Poisson, TheUnitOfTheExposureIsInTheIntercept) {
  Random random(13);
  Matrix X = random.normals(80, 3);
  X.col(2) = X.col(2).array().exp();
  const Vector y = testing::draw_target(Task::counts, Vector(0.5 * X.col(0) + Vector(X.col(2).array().log())), random);
  FitOptions options{.prior = Prior::ard(), .exposure = "x3", .tolerance = 1e-12};
  const Fit days = fit_by(likelihood_row("poisson"), X, y, options);
  X.col(2) *= 24;
  const Fit hours = fit_by(likelihood_row("poisson"), X, y, options);
  EXPECT_LT((hours.mean - days.mean).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_NEAR(hours.intercept->mean, days.intercept->mean - std::log(24), 1e-7);
  EXPECT_NEAR(hours.bound, days.bound, 1e-6);
  EXPECT_NEAR(hours.deviance_explained, days.deviance_explained, 1e-9);
}

TEST(Poisson, RefusesWhatIsNoExposure) {
  Matrix X = Random(3).normals(4, 2);
  const Vector y{{1, 0, 3, 2}};
  FitOptions options{.prior = Prior::shared(), .exposure = "x2"};
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    X.col(1) = Vector{{1, 2, wrong, 1}};
    testing::expect_invalid([&] { (void)fit_by(likelihood_row("poisson"), X, y, options); },
                            {"X at row 3, column 'x2' is", "the exposure must be above 0"});
  }
  X.col(1) = Vector{{1, 2, 0, 1}};
  const Vector k{{1, 1, 0, 1}};
  options.weights = k;
  EXPECT_EQ(fit_by(likelihood_row("poisson"), X, y, options).report.status, Status::converged);  // a row of weight 0 changes nothing
  options.weights = {};
  X.col(1).setOnes();
  EXPECT_EQ(fit_by(likelihood_row("poisson"), X, y, options).report.status, Status::converged);
  options.exposure = "days";
  testing::expect_invalid([&] { (void)fit_by(likelihood_row("poisson"), X, y, options); },
                          {"exposure 'days' is not a column of numbers of the table"});
}

// An offset is the logarithm of an exposure, as a column or as a number for each row.                                     (POIS.9)
TEST(Poisson, AnOffsetIsALogarithm) {
  Random random(14);
  Matrix X = random.normals(80, 3);
  X.col(2) = X.col(2).array().exp();
  const Vector log_exposure = X.col(2).array().log();
  const Vector y = testing::draw_target(Task::counts, Vector(0.5 * X.col(0) + log_exposure), random);
  FitOptions options{.prior = Prior::ard(), .exposure = "x3", .tolerance = 1e-13};
  const CountFit exposed = fit_counts(X, y, options);
  const CountPrediction expected = predict(exposed, X);
  options.exposure = "";
  X.col(2) = log_exposure;
  options.offset_column = "x3";
  const CountFit by_column = fit_counts(X, y, options);
  EXPECT_EQ(by_column.offset_column, 2);
  EXPECT_FALSE(by_column.exposure);
  options.offset_column = "";
  options.row_offset = log_exposure;
  const Matrix some = X.leftCols(2);
  const CountFit by_rows = fit_counts(some, y, options);
  EXPECT_TRUE(by_rows.has_row_offset);
  for (const CountFit* fit : {&by_column, &by_rows}) {
    EXPECT_LT((fit->mean.head(2) - exposed.mean.head(2)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(fit->intercept->mean, exposed.intercept->mean, 1e-12);
    EXPECT_NEAR(fit->bound, exposed.bound, 1e-10);
    EXPECT_NEAR(fit->deviance_explained, exposed.deviance_explained, 1e-12);
  }
  EXPECT_LT((predict(by_column, X).mean - expected.mean).cwiseQuotient(expected.mean).cwiseAbs().maxCoeff(), 1e-12);
  const CountPrediction of_rows = predict(by_rows, some, PredictionOf::new_observation, log_exposure);
  EXPECT_LT((of_rows.mean - expected.mean).cwiseQuotient(expected.mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((of_rows.log_mean - expected.log_mean).cwiseAbs().maxCoeff(), 1e-12);
  testing::expect_invalid([&] { (void)predict(by_rows, some); }, {"row_offset is not given"});
  testing::expect_invalid([&] { (void)predict(by_rows, some, PredictionOf::mean, VectorView(log_exposure.data(), 3)); },
                          {"row_offset has 3"});
  X.col(2).setOnes();
  testing::expect_invalid([&] { (void)predict(exposed, X, PredictionOf::mean, log_exposure); }, {"row_offset is given"});
}

TEST(Poisson, RefusesWhatIsNoOffset) {
  Matrix X = Random(3).normals(4, 2);
  const Vector y{{1, 0, 3, 2}};
  const auto refused = [&](const FitOptions& options, std::initializer_list<const char*> parts) {
    testing::expect_invalid([&] { (void)fit_counts(X, y, options); }, parts);
  };
  const Vector offset = Vector::Zero(4), short_one = Vector::Zero(3);
  Vector wrong = offset;
  wrong[2] = HUGE_VAL;
  refused({.prior = Prior::shared(), .row_offset = wrong}, {"row_offset at row 3", "must be finite"});
  refused({.prior = Prior::shared(), .row_offset = short_one}, {"row_offset has 3 entries"});
  refused({.prior = Prior::shared(), .exposure = "x1", .offset_column = "x2"}, {"offset_column cannot be given beside exposure"});
  refused({.prior = Prior::shared(), .offset_column = "x2", .row_offset = offset}, {"row_offset cannot be given beside"});
  refused({.prior = Prior::shared(), .offset_column = "days"}, {"offset_column 'days' is not a column of numbers"});
  FitOptions flat{.prior = Prior::shared(), .offset_column = "x2"};
  flat.prior.flat_columns = {1};
  refused(flat, {"offset_column 'x2' is also named by flat"});
  X(1, 1) = std::nan("");
  refused({.prior = Prior::shared(), .offset_column = "x2"}, {"row 2", "'x2'"});
  testing::expect_invalid([&] { (void)fit_linear(X, y, {.row_offset = offset}); }, {"applies only to regressions of counts"});
}

TEST(Poisson, RefusesWhatIsNoCount) {
  const Matrix X = Random(3).normals(4, 1);
  for (const double wrong : {-1.0, 0.5, 1e308, std::nan(""), HUGE_VAL}) {
    const Vector y{{1, 0, wrong, 2}};
    testing::expect_invalid([&] { (void)fit_by(likelihood_row("poisson"), X, y, {.prior = Prior::shared()}); }, {"y at row 3"});
  }
}

TEST(Poisson, RefusesZerosAloneBesideAnIntercept) {
  const Matrix X = Random(3).normals(4, 1);
  const Vector y = Vector::Zero(4);
  FitOptions options{.prior = Prior::shared()};
  testing::expect_invalid([&] { (void)fit_by(likelihood_row("poisson"), X, y, options); }, {"every count is 0"});
  options.intercept = false;
  EXPECT_EQ(fit_by(likelihood_row("poisson"), X, y, options).report.status, Status::converged);
}

}  // namespace
}  // namespace ardvark::internal
