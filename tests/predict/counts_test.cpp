// (POIS.4), (POIS.5), and counts through the public functions.
#include "predict/counts.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <fstream>

#include "../io/temporary_file.hpp"
#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/model.hpp"
#include "ardvark/model_file.hpp"
#include "support/draw_target.hpp"

namespace ardvark {
namespace {

using internal::count_cdf;
using internal::count_quantile;
using internal::log_count_probability;
using testing::Random;

double log_poisson(double y, double eta) { return y * eta - std::exp(eta) - std::lgamma(y + 1); }

// ln of the integral of p(y | eta) N(eta; m, s), by the rule of the tests.
double plain_log_probability(double y, double m, double s) {
  double below = m - 1, above = m + 1;
  const auto slope = [&](double eta) { return y - std::exp(eta) - (eta - m) / s; };
  while (slope(below) < 0) below -= 1;
  while (slope(above) > 0) above += 1;
  for (int i = 0; i < 100; ++i) (slope(0.5 * (below + above)) > 0 ? below : above) = 0.5 * (below + above);
  const double sd = std::sqrt(s);
  return testing::log_integral(below - 12 * sd, below + 12 * sd, below, [&](double eta) {
    return log_poisson(y, eta) - 0.5 * (eta - m) * (eta - m) / s - 0.5 * std::log(2 * 3.14159265358979323846 * s);
  });
}

TEST(CountPrediction, ProbabilitiesAreThoseOfQuadrature) {  // (POIS.4)
  for (const double m : {-3.0, 0.0, 2.0, 6.0})
    for (const double s : {1e-6, 0.01, 0.5, 4.0})
      for (const double y : {0.0, 1.0, 3.0, 20.0, 500.0}) {
        const double expected = plain_log_probability(y, m, s);
        EXPECT_NEAR(log_count_probability(y, m, s), expected, 1e-8 * (1 + std::abs(expected))) << y << " " << m << " " << s;
      }
}

TEST(CountPrediction, TheShareUpToANumberIsTheSumOfTheProbabilities) {
  for (const double m : {-3.0, 0.0, 2.0, 4.0})
    for (const double s : {0.0, 1e-6, 0.01, 0.5, 4.0}) {
      double sum = 0;
      for (double y = 0; y <= 300; ++y) {
        sum += std::exp(log_count_probability(y, m, s));
        EXPECT_NEAR(count_cdf(y, m, s), sum, 1e-9) << y << " " << m << " " << s;
      }
    }
}

TEST(CountPrediction, QuantilesAreTheFirstNumbersWithTheirShare) {
  for (const double m : {-6.0, -1.0, 1.5, 5.0, 12.0})
    for (const double s : {0.0, 1e-4, 0.3, 2.0})
      for (const double p : {0.005, 0.025, 0.5, 0.975, 0.995}) {
        const double found = count_quantile(p, m, s);
        EXPECT_EQ(found, std::floor(found));
        EXPECT_GE(count_cdf(found, m, s), p) << m << " " << s << " " << p;
        if (found > 0) {
          EXPECT_LT(count_cdf(found - 1, m, s), p) << m << " " << s << " " << p;
        }
      }
}

TEST(CountPrediction, LargeCountsHaveTheSharesOfTheGammaFunction) {  // (POIS.7)
  for (const double y : {1e6, 3e6, 1e7})
    for (const double sds : {-6.0, -2.0, -0.3, 0.0, 1e-3, 1.0, 5.0}) {
      const double rate = y + 1 + sds * std::sqrt(y);
      EXPECT_NEAR(count_cdf(y, std::log(rate), 0), boost::math::gamma_q(y + 1, rate), 2e-9) << y << " " << sds;
    }
  // Exactly at the mean of a large Poisson count: (2 pi y)^-1/2, with Stirling's correction.
  for (const double y : {2e3, 1e6, 1e9})
    EXPECT_NEAR(log_count_probability(y, std::log(y), 0), -0.5 * std::log(2 * 3.14159265358979323846 * y) - 1 / (12 * y), 1e-9) << y;
}

TEST(CountPrediction, FarRowsHaveFiniteIntervals) {
  for (const double m : {15.0, 20.7, 27.6, 34.0, 46.0, 200.0})
    for (const double s : {0.0, 1e-6, 0.01, 4.0}) {
      double last = 0;
      for (const double p : {0.025, 0.5, 0.975}) {
        const double found = count_quantile(p, m, s), z = p < 0.1 ? -1.959963984540054 : p > 0.9 ? 1.959963984540054 : 0;
        EXPECT_TRUE(std::isfinite(found)) << m << " " << s << " " << p;
        EXPECT_GE(found, last);
        EXPECT_NEAR(std::log(found), m + z * std::sqrt(s + std::exp(-m)), 2e-5) << m << " " << s << " " << p;
        last = found;
      }
    }
  EXPECT_TRUE(std::isinf(count_quantile(0.5, 1e4, 1)));
  for (const double m : {-50.0, 0.0, 20.7, 60.0})  // wide: both ends of the integral are far from the count
    for (const double y : {0.0, 5.0, 2e3, 1e9}) {
      EXPECT_GE(count_cdf(y, m, 1e3), 0) << m << " " << y;
      EXPECT_LE(count_cdf(y, m, 1e3), 1) << m << " " << y;
      EXPECT_LT(log_count_probability(y, m, 1e3), 0) << m << " " << y;
    }
}

TEST(CountPrediction, MeanAndVarianceAreThoseOfTheProbabilities) {
  const CountPrediction p{Vector::Constant(1, std::exp(0.8 + 0.15)), Vector::Constant(1, 0.8), Vector::Constant(1, 0.3)};
  double mean = 0, square = 0;
  for (double y = 0; y < 400; ++y) {
    const double share = std::exp(log_count_probability(y, 0.8, 0.3));
    mean += share * y, square += share * y * y;
  }
  EXPECT_NEAR(p.mean[0], mean, 1e-8);
  EXPECT_NEAR(p.standard_deviation()[0], std::sqrt(square - mean * mean), 1e-7);
}

struct Counts {
  Matrix X;
  Vector y, w;
};

Counts counts_of(std::uint64_t seed, Index n, Index p) {
  Random random(seed);
  Counts out{random.normals(n, p), {}, 0.4 * random.normals(p)};
  out.y = testing::draw_target(Task::counts, (out.X * out.w).array() + 1.0, random);
  return out;
}

TEST(CountPrediction, TheSpreadOfAVagueRateIsANumber) {  // (POIS.4): e^2 is below the range of numbers, e^s beyond it
  CountPrediction p;
  p.log_mean = Vector{{-1100, -400, 2, 2}};
  p.log_variance = Vector{{1000, 500, 1e-20, 0}};
  p.mean = (p.log_mean + 0.5 * p.log_variance).array().exp();
  p.what = PredictionOf::mean;
  const Vector of_rate = p.standard_deviation();
  for (const Index i : {0, 1}) EXPECT_NEAR(std::log(of_rate[i]), p.log_mean[i] + p.log_variance[i], 1e-9);
  EXPECT_NEAR(of_rate[2], 1e-10 * std::exp(2), 1e-19);
  EXPECT_EQ(of_rate[3], 0);
  p.what = PredictionOf::new_observation;
  EXPECT_NEAR(p.standard_deviation()[3], std::exp(1), 1e-12);
  EXPECT_NEAR(std::log(p.standard_deviation()[1]), 100, 1e-9);
}

TEST(FitCounts, EveryPriorHasThePosteriorOfItsEquations) {
  const Counts table = counts_of(1, 200, 4);
  for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::groups({0, 0, 1, 1}), Prior::none()}) {
    const CountFit fit = fit_counts(table.X, table.y, {.prior = prior, .standardize = false, .tolerance = 1e-12});
    SCOPED_TRACE(to_string(fit.prior));
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    EXPECT_EQ(fit.task, Task::counts);
    // The gradient of the expected log likelihood and the prior is zero at the mean.                                      (POIS.1)
    const CountPrediction at = predict(fit, table.X);
    const Vector slope = table.X.transpose() * (table.y - at.mean);
    for (Index j = 0; j < 4; ++j) {
      const Index g = fit.group[static_cast<std::size_t>(j)];
      EXPECT_NEAR(slope[j], g >= 0 ? fit.precision[g] * fit.mean[j] : 0.0, 2e-4) << j;
    }
    EXPECT_NEAR((table.y - at.mean).sum(), 0, 2e-4);
    for (Index j = 0; j < 4; ++j) EXPECT_NEAR(fit.mean[j], table.w[j], 5 * std::sqrt(fit.variance[j])) << j;
    double deviance = 0, constant = 0;
    for (Index i = 0; i < table.y.size(); ++i) {
      const double y = table.y[i], log_y = y > 0 ? std::log(y) : 0;
      deviance += 2 * (y * (log_y - std::log(at.mean[i])) - (y - at.mean[i]));
      constant += 2 * (y * (log_y - std::log(table.y.mean())) - (y - table.y.mean()));
    }
    EXPECT_NEAR(fit.deviance, deviance / 200, 1e-10);
    EXPECT_NEAR(fit.deviance_explained, 1 - deviance / constant, 1e-10);
  }
}

TEST(FitCounts, IntervalsOfNewCountsHoldTheirShare) {
  const PredictionOf all[] = {PredictionOf::new_observation, PredictionOf::mean};
  Index inside[] = {0, 0}, total = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Counts table = counts_of(500 + seed, 60, 3);
    const CountFit fit = fit_counts(table.X.topRows(40).eval(), table.y.head(40).eval());
    for (const int what : {0, 1}) {
      const auto [lower, upper] = predict(fit, table.X.bottomRows(20).eval(), all[what]).interval();
      for (Index i = 0; i < 20; ++i) {
        const double rate = std::exp(1 + table.X.row(40 + i).dot(table.w));
        const double found = all[what] == PredictionOf::mean ? rate : table.y[40 + i];
        inside[what] += lower[i] <= found && found <= upper[i];
      }
    }
    total += 20;
  }
  for (const int what : {0, 1}) {
    const double share = static_cast<double>(inside[what]) / static_cast<double>(total);
    EXPECT_GT(share, 0.92);  // standard error about .01; intervals of whole numbers hold at least 95%
    EXPECT_LT(share, all[what] == PredictionOf::mean ? 0.975 : 0.99);
  }
}

TEST(FitCounts, AWeightIsARepetition) {
  const Counts table = counts_of(3, 50, 3);
  Matrix X(100, 3);
  Vector y(100);
  X << table.X, table.X;
  y << table.y, table.y;
  const Vector twice = Vector::Constant(50, 2);
  const CountFit weighted = fit_counts(table.X, table.y, {.prior = Prior::shared(), .weights = twice, .tolerance = 1e-12});
  const CountFit repeated = fit_counts(X, y, {.prior = Prior::shared(), .tolerance = 1e-12});
  EXPECT_LT(testing::relative_distance(weighted.mean, repeated.mean), 1e-6);
  EXPECT_NEAR(weighted.bound, repeated.bound, 1e-5);
  EXPECT_NEAR(weighted.deviance, repeated.deviance, 1e-8);
}

TEST(FitCounts, WarnsWhereCountsVaryMoreThanPoisson) {  // (POIS.6)
  const auto warnings = [](double sd_of_log_rate) {
    Index found = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(900 + seed);
      const Matrix X = random.normals(60, 2);
      const Vector eta = (1.5 + 0.4 * X.col(0).array() + sd_of_log_rate * random.normals(60, 1).col(0).array()).matrix();
      const CountFit fit =
          fit_counts(X, testing::draw_target(Task::counts, eta, random), {.prior = Prior::shared(), .family = Family::poisson});
      for (const std::string& text : fit.report.warnings) found += text.find("they vary more") != std::string::npos;
    }
    return found;
  };
  EXPECT_EQ(warnings(0), 0);
  EXPECT_EQ(warnings(1), 20);
}

TEST(FitCounts, SaysWhyWithoutAPriorThereIsNoMaximum) {
  const Counts table = counts_of(8, 40, 1);
  Matrix X(40, 2);
  X << table.X, Vector(Vector::Zero(40));
  X.col(1).head(10).setOnes();
  Vector y = table.y;
  y.head(10).setZero();
  const CountFit grown = fit_counts(X, y, {.prior = Prior::none()});
  EXPECT_EQ(grown.report.status, Status::separated);
  EXPECT_NE(grown.report.message.find("rows whose counts are all 0"), std::string::npos) << grown.report.message;
  for (const Index n : {3, 4, 5}) {  // one row has counts: the sweeps may end before a system is singular
    const CountFit one = fit_counts(Vector(Vector::LinSpaced(n, 0, n - 1.0)), Vector(5 * Vector::Unit(n, n - 1)), {.prior = Prior::none()});
    EXPECT_EQ(one.report.status, Status::separated) << one.report.message;
  }
  const CountFit wide = fit_counts(Random(1).normals(5, 7), table.y.head(5).eval(), {.prior = Prior::none()});
  EXPECT_EQ(wide.report.status, Status::not_positive_definite);
  EXPECT_NE(wide.report.message.find("8 columns without a prior are more than the 5 rows"), std::string::npos) << wide.report.message;
  for (const CountFit* fit : {&grown, &wide}) EXPECT_EQ(fit->report.message.find("classes"), std::string::npos) << fit->report.message;
}

TEST(FitCounts, AModelFileKeepsResultsAndPredictions) {
  const Counts table = counts_of(4, 80, 3);
  const SavedModel model = fit_model(table.X, table.y, {.model = "counts", .prior = "ard", .target = "visits"});
  const testing::TemporaryFolder folder;
  const std::string path = folder / "counts.ardvark";
  save_model(path, model);
  const SavedModel again = load_model(path);
  EXPECT_EQ(to_json(again), to_json(model));
  EXPECT_EQ(summary(again), summary(model));
  const auto of = [&](const SavedModel& one) { return std::get<CountPrediction>(predict(one, table.X)); };
  EXPECT_EQ(of(again).mean, of(model).mean);
  EXPECT_EQ(of(again).log_variance, of(model).log_variance);
  EXPECT_EQ(of(again).interval(), of(model).interval());
}

TEST(FitCounts, TheSummaryNamesTheModelAndItsScores) {
  const Counts table = counts_of(5, 80, 3);
  const SavedModel model = fit_model(table.X, table.y, {.model = "counts", .prior = "shared", .target = "visits"});
  const std::string text = summary(model);
  for (const char* part : {"Poisson regression, prior shared, 80 rows, 3 columns", "target visits", "deviance explained"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  for (const char* part : {"noise", "R^2", "accuracy", "Logistic", "Linear"})
    EXPECT_EQ(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(FitCounts, RefusesWhatItCannotUse) {
  const Counts table = counts_of(6, 20, 2);
  const auto fit = [&](const ModelOptions& options) { (void)fit_model(table.X, table.y, options); };
  testing::expect_invalid([&] { fit({.model = "counts", .prior = "laplace"}); }, {"prior is 'laplace'", "shared, ard, groups and none"});
  testing::expect_invalid([&] { fit({.model = "counts", .prior = "laplace", .lambda = 1.0}); },
                          {"lambda applies only to linear and logistic models"});
  ModelOptions linear{.model = "counts"};
  linear.set("posterior", std::string("factorised"));
  testing::expect_invalid([&] { fit(linear); }, {"posterior applies only to linear fits"});
  ModelOptions logistic{.model = "counts"};
  logistic.set("likelihood", std::string("jj"));
  testing::expect_invalid([&] { fit(logistic); }, {"likelihood applies only to logistic fits"});
  Vector wrong = table.y;
  wrong[6] = 1.5;
  testing::expect_invalid([&] { (void)fit_counts(table.X, wrong); }, {"row 7", "1.5", "whole number"});
  testing::expect_invalid([&] { (void)fit_counts(table.X, Vector(Vector::Zero(20))); }, {"every count is 0"});
  const CountFit found = fit_counts(table.X, table.y);
  testing::expect_invalid([&] { (void)predict(found, table.X).interval(1.0); }, {"level is 1"});
  testing::expect_invalid([&] { (void)predict(found, table.X).log_density(wrong); }, {"row 7"});
}

}  // namespace
}  // namespace ardvark
