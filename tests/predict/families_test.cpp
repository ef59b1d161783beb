// Families for users: predictions (NB.6), (TN.5), deviance (NB.7), the choice by the log evidence (NB.5).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "likelihood/negative_binomial.hpp"
#include "predict/counts.hpp"
#include "support/draw_target.hpp"

namespace ardvark {
namespace {

using internal::count_cdf;
using internal::count_quantile;
using internal::log_count_probability;
using testing::Random;

TEST(DispersedCounts, ProbabilitiesSumToTheDistribution) {  // (NB.6)
  for (const double k : {2e-6, 0.05, 0.7, 4.0})
    for (const auto& [m, s] : {std::pair{0.5, 0.0}, std::pair{1.5, 0.2}, std::pair{-1.0, 1.5}, std::pair{2.0, 1e-4}}) {
      const bool has_long_tail = k * std::exp(s) > 3;  // 3000 counts are not enough for it
      double sum = 0, first = 0, second = 0;
      for (int y = 0; y < (has_long_tail ? 40 : 3000); ++y) {
        const double p = std::exp(log_count_probability(y, m, s, k));
        sum += p, first += p * y, second += p * y * y;
        if (y < 40) {
          EXPECT_NEAR(count_cdf(y, m, s, k), sum, 2e-7) << k << " " << m << " " << s << " " << y;
        }
      }
      const double mu = std::exp(m + 0.5 * s);
      if (has_long_tail) continue;
      EXPECT_NEAR(sum, 1, 1e-6) << k << " " << m << " " << s;
      EXPECT_NEAR(first, mu, 1e-4 * mu) << k << " " << m << " " << s;
      CountPrediction p{.mean = Vector::Constant(1, mu), .log_mean = Vector::Constant(1, m), .log_variance = Vector::Constant(1, s)};
      p.dispersion = k;
      if (k * std::exp(s) < 1) {
        EXPECT_NEAR(std::sqrt(second - first * first), p.standard_deviation()[0], 1e-3 * mu) << k << " " << m << " " << s;
      }
    }
}

TEST(DispersedCounts, LittleDispersionIsContinuous) {  // (NB.6): below 1e-6 by a log-normal rate
  for (const double m : {1.0, 6.0, 12.0})
    for (const double z : {-1.0, 0.3, 2.0}) {
      const double y = std::floor(std::exp(m) + z * std::sqrt(std::exp(m)));
      EXPECT_NEAR(count_cdf(y, m, 0.01, 1.001e-6), count_cdf(y, m, 0.01, 0.999e-6), 1e-7) << m << " " << z;
      EXPECT_NEAR(log_count_probability(y, m, 0.01, 1.001e-6), log_count_probability(y, m, 0.01, 0.999e-6), 1e-6) << m << " " << z;
    }
}

TEST(DispersedCounts, QuantilesAreTheSmallestCounts) {
  for (const double p : {0.025, 0.5, 0.975})
    for (const double k : {0.1, 2.0}) {
      const double found = count_quantile(p, 3, 0.1, k);
      EXPECT_GE(count_cdf(found, 3, 0.1, k), p);
      EXPECT_TRUE(found == 0 || count_cdf(found - 1, 3, 0.1, k) < p) << p << " " << k << " " << found;
    }
}

Vector dispersed(const Vector& eta, double k, Random& random) {
  Vector rate = eta;
  for (double& r : rate) {  // a gamma variable of shape 1/k, a whole number, as a sum of exponential ones
    double sum = 0;
    for (int i = 0; i < static_cast<int>(std::lround(1 / k)); ++i) sum -= k * std::log(1 - random.uniform());
    r += std::log(sum);
  }
  return testing::draw_target(Task::counts, rate, random);
}

TEST(Families, AreChosenByTheLogEvidence) {  // (NB.5)
  int right = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(150, 3);
    const Vector eta = (0.5 * X.col(0)).array() + 1.0;
    for (const double k : {0.0, 0.5}) {
      const Vector y = k > 0 ? dispersed(eta, k, random) : testing::draw_target(Task::counts, eta, random);
      const CountFit fit = fit_counts(X, y, {.prior = Prior::shared()});
      ASSERT_EQ(fit.report.status, Status::converged);
      ASSERT_TRUE(fit.family.other.has_value());
      EXPECT_GT(fit.family.preferred_by, 0);
      right += fit.family.family == (k > 0 ? Family::negative_binomial : Family::poisson);
      FitOptions other{.prior = Prior::shared()};
      other.family = *fit.family.other;
      EXPECT_NEAR(fit_counts(X, y, other).bound + fit.family.preferred_by, fit.bound, 1e-9);
      if (k == 0) continue;
      const Interval interval = family_interval(fit, 0.999);
      EXPECT_TRUE(interval.lower < k && k < interval.upper) << seed << ": " << interval.lower << " to " << interval.upper;
    }
  }
  EXPECT_GE(right, 18);  // of 20: there is little doubt in these tables
}

TEST(Families, IntervalsOfNewCountsHaveTheirDispersion) {  // (NB.6)
  Random random(12);
  const Matrix X = random.normals(600, 2), X_new = random.normals(1200, 2);
  const auto eta = [](const Matrix& rows) { return Vector((0.5 * rows.col(0)).array() + 1.0); };
  FitOptions options{.prior = Prior::shared()};
  options.family = Family::negative_binomial;
  const CountFit fit = fit_counts(X, dispersed(eta(X), 0.5, random), options);
  const CountPrediction p = predict(fit, X_new);
  EXPECT_EQ(p.dispersion, fit.family.dispersion);
  const auto [lower, upper] = p.interval(0.9);
  const Vector y = dispersed(eta(X_new), 0.5, random);
  const double inside = ((lower.array() <= y.array()) && (y.array() <= upper.array())).cast<double>().mean();
  EXPECT_GT(inside, 0.87);  // whole numbers hold more than .9; the standard error is .009
  EXPECT_LT(inside, 0.97);
}

TEST(Families, DevianceIsTwiceTheDifferenceOfLogProbabilities) {  // (NB.7)
  Random random(4);
  const Matrix X = random.normals(80, 2);
  const Vector y = dispersed((0.4 * X.col(1)).array() + 1.5, 0.25, random);
  FitOptions options{.prior = Prior::shared()};
  options.family = Family::negative_binomial;
  const CountFit fit = fit_counts(X, y, options);
  const CountPrediction p = predict(fit, X);
  double deviance = 0, constant = 0;
  for (Index i = 0; i < y.size(); ++i) {
    const auto at = [&](double mu) { return internal::negative_binomial_log_probability(y[i], std::log(mu), fit.family.dispersion); };
    const double best = y[i] > 0 ? at(y[i]) : 0;
    deviance += 2 * (best - at(p.mean[i]));
    constant += 2 * (best - at(y.mean()));
  }
  EXPECT_NEAR(fit.deviance, deviance / 80, 1e-9);
  EXPECT_NEAR(fit.deviance_explained, 1 - deviance / constant, 1e-9);
}

TEST(Families, DispersionHidesNoEffectsUnderASparsePrior) {  // (SL.16): a start without effects ends at a lower maximum
  Random random(8);
  const Matrix X = random.normals(150, 250);
  const Vector eta = (0.8 * X.col(3) - 0.7 * X.col(200)).array() + 1.0;
  const Vector y = dispersed(eta, 0.25, random);
  FitOptions options{.prior = Prior::sparse()};
  options.family = Family::negative_binomial;
  const CountFit fit = fit_counts(X, y, options);
  EXPECT_GT(fit.sparse->inclusion[3], 0.9);
  EXPECT_GT(fit.sparse->inclusion[200], 0.9);
  options.family = Family::poisson;
  EXPECT_GT(fit.bound, fit_counts(X, y, options).bound - 3);  // the price of a prior of k; without effects it is lower by dozens of nats
}

TEST(NegativeBinomial, FitsOneHugeCount) {  // (NB.4): it alone decides the dispersion of the counts about one rate
  Random random(4);
  const Matrix X = random.normals(200, 4);
  Vector y = testing::draw_target(Task::counts, 0.5 * X.col(0).array() + 1.0, random);
  for (const double huge : {1e5, 1e8, 1e9})
    for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse}) {
      y[0] = huge;
      FitOptions options;
      options.prior.kind = kind;
      options.family = Family::negative_binomial;
      const CountFit fit = fit_counts(X, y, options);
      EXPECT_EQ(fit.report.status, Status::converged) << huge << ": " << fit.report.message;
      EXPECT_GT(fit.family.dispersion, 2) << huge;
    }
}

TEST(StudentNoise, PredictionsAreThoseOfTheSum) {  // (TN.5)
  StudentPrediction p{.mean = Vector::Constant(1, 2.0), .scale = Vector::Constant(1, 0.5), .degrees_of_freedom = 3};
  p.noise_degrees = 3;
  p.variance_of_mean = Vector::Constant(1, 0.4);
  double sum = 0, inside = 0, second = 0;
  const double half = p.half_width(0.9)[0], h = 0.02;
  for (double y = -400; y < 400; y += h) {
    const double density = std::exp(p.log_density(Vector(Vector::Constant(1, y)))[0]);
    sum += h * density, second += h * density * (y - 2) * (y - 2);
    if (std::abs(y - 2) < half) inside += h * density;
  }
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_NEAR(inside, 0.9, 5e-3);             // a step of the sum
  EXPECT_NEAR(second, 0.4 + 0.25 * 3, 0.02);  // its tail beyond 400 is missing
  EXPECT_NEAR(p.standard_deviation()[0], std::sqrt(0.4 + 0.25 * 3), 1e-12);
}

TEST(StudentNoise, IntervalsOfTheMeanCover) {  // (TN.6): without it .918
  double covered = 0;
  constexpr int tables = 60;
  for (std::uint64_t seed = 0; seed < tables; ++seed) {
    Random random(500 + seed);
    const Matrix X = random.normals(150, 5), X_new = random.normals(100, 5);
    const Vector w = random.normals(5);
    Vector noise = random.normals(150);
    for (double& e : noise)
      e /= std::sqrt((std::pow(random.normal(), 2) + std::pow(random.normal(), 2) + std::pow(random.normal(), 2)) / 3);
    FitOptions options{.prior = Prior::shared()};
    options.family = Family::student;
    const LinearFit fit = fit_linear(X, Vector(X * w + noise), options);
    const StudentPrediction p = predict(fit, X_new, PredictionOf::mean);
    const Vector truth = X_new * w, half = p.half_width(0.95);
    covered += ((truth - p.mean).array().abs() <= half.array()).cast<double>().mean() / tables;
  }
  EXPECT_NEAR(covered, 0.95, 0.025);  // of about 300 independent intervals
}

// With the whole omega of the rows, small effects are taken for nothing: without it .82.
TEST(StudentNoise, IntervalsUnderASparsePriorCoverSmallEffects) {  // (TN.6)
  double covered = 0;
  constexpr int tables = 60;
  for (std::uint64_t seed = 0; seed < tables; ++seed) {
    Random random(900 + seed);
    const Matrix X = random.normals(150, 8), X_new = random.normals(100, 8);
    const Vector w = random.normals(8).cwiseProduct(Eigen::Vector<double, 8>(1.5, 0.5, 0.25, 0.15, 0, 0, 0, 0));
    Vector noise = random.normals(150);
    for (double& e : noise)
      e /= std::sqrt((std::pow(random.normal(), 2) + std::pow(random.normal(), 2) + std::pow(random.normal(), 2)) / 3);
    FitOptions options{.prior = Prior::sparse()};
    options.family = Family::student;
    const LinearFit fit = fit_linear(X, Vector(X * w + noise), options);
    const StudentPrediction p = predict(fit, X_new, PredictionOf::mean);
    const Vector truth = X_new * w, half = p.half_width(0.95);
    covered += ((truth - p.mean).array().abs() <= half.array()).cast<double>().mean() / tables;
  }
  EXPECT_NEAR(covered, 0.94, 0.03);  // of some 200 independent intervals; with normal noise .94
}

TEST(StudentNoise, OutliersMoveTheFitLess) {
  double normal_error = 0, student_error = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(120, 4);
    const Vector w = random.normals(4);
    Vector y = X * w + random.normals(120);
    for (Index i = 0; i < 12; ++i) y[i] += random.uniform() < 0.5 ? 10 : -10;
    FitOptions options{.prior = Prior::shared()};
    const LinearFit normal = fit_linear(X, y, options);
    options.family = Family::automatic;
    const LinearFit chosen = fit_linear(X, y, options);
    EXPECT_EQ(chosen.family.family, Family::student) << seed;
    EXPECT_EQ(chosen.family.row_weight.size(), 120);
    EXPECT_LT(chosen.family.row_weight.head(12).maxCoeff(), 0.4 * chosen.family.row_weight.tail(108).mean()) << seed;
    normal_error += (normal.mean - w).squaredNorm();
    student_error += (chosen.mean - w).squaredNorm();
  }
  EXPECT_LT(student_error, 0.5 * normal_error);
}

TEST(Families, AreRefusedWhereTheyHaveNoMeaning) {
  const Matrix X = Random(1).normals(20, 2);
  const Vector y = X.col(0);
  const auto refused = [&](Family family, auto&& fit, const char* why) {
    FitOptions options;
    options.family = family;
    testing::expect_invalid([&] { static_cast<void>(fit(options)); }, {why});
  };
  refused(
      Family::poisson, [&](const FitOptions& o) { return fit_linear(X, y, o); }, "cannot be used with linear regression");
  refused(
      Family::student, [&](const FitOptions& o) { return fit_counts(X, y.cwiseAbs().array().round().matrix().eval(), o); },
      "cannot be used with counts regression");
  const auto laplace = [&](FitOptions o) {
    o.prior = Prior::laplace();
    return fit_linear(X, y, o);
  };
  refused(Family::student, laplace, "cannot be used with prior laplace");
}

}  // namespace
}  // namespace ardvark
