#include "core/special.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "../support/plain.hpp"

namespace ardvark::internal {
namespace {

using testing::Long;
using testing::normal_expectation;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> means() {
  std::vector<double> grid;
  for (double m = -30; m <= 30; m += 1.25) grid.push_back(m);
  return grid;
}
const std::vector<double> variances = {1e-8, 1e-6, 1e-4, 1e-2, 0.1, 0.5, 1, 2, 5, 10, 30, 100, 300, 1e3};

// The largest errors that special.hpp promises.
constexpr double sigma_error = 5e-9, slope_error = 1.4e-8, softplus_error = 8.2e-9;

double plain_slope(double x) {
  const double e = std::exp(-std::abs(x));
  return e / ((1 + e) * (1 + e));
}

// ---- JJ.2

TEST(JjLambda, IsOneEighthAtZero) {
  EXPECT_EQ(jj_lambda(0), 0.125);
  for (double tiny : {5e-324, 1e-300, 1e-100, 1e-20, 1e-9}) EXPECT_EQ(jj_lambda(tiny), 0.125) << tiny;
}

TEST(JjLambda, AgreesWithTheQuotientOnBothSidesOfTheSeries) {  // (JJ.2)
  for (double xi : {1e-6, 1e-5, 3e-4, 9.9e-4, 9.9999e-4, 1e-3, 1.0001e-3, 1.1e-3, 0.01, 0.5, 1.0, 3.0, 20.0, 700.0, 1e5, 1e100, 1e300}) {
    const double expected = static_cast<double>(std::tanh(Long(xi) / 2) / (4 * Long(xi)));
    EXPECT_NEAR(jj_lambda(xi) / expected, 1, 1e-14) << xi;
    EXPECT_EQ(jj_lambda(-xi), jj_lambda(xi)) << xi;
  }
}

TEST(JjLambda, StaysFiniteForHugeArgumentsAndPassesNanOn) {
  EXPECT_GE(jj_lambda(1e308), 0);
  EXPECT_LE(jj_lambda(1e308), 2.6e-309);
  EXPECT_EQ(jj_lambda(infinity), 0);
  EXPECT_TRUE(std::isnan(jj_lambda(std::nan(""))));
}

TEST(JjLambda, MakesTheBoundTouchAtXiAndStayBelowElsewhere) {  // (JJ.1)
  for (double xi : {0.0, 1e-4, 0.3, 2.0, 9.0, 40.0})
    for (double u = -50; u <= 50; u += 0.5) {
      const double bound = log_sigmoid(xi) + (u - xi) / 2 - jj_lambda(xi) * (u * u - xi * xi);
      EXPECT_LE(bound, log_sigmoid(u) + 1e-13 * (1 + u * u)) << xi << " " << u;
      if (std::abs(u) == xi) {
        EXPECT_NEAR(bound, log_sigmoid(u), 1e-14 * (1 + std::abs(u)));
      }
    }
}

// ---- softplus and its relatives

TEST(Softplus, SurvivesTheLargestNumbers) {
  EXPECT_EQ(softplus(1e308), 1e308);
  EXPECT_EQ(softplus(-1e308), 0);
  EXPECT_EQ(log_sigmoid(1e308), 0);
  EXPECT_EQ(log_sigmoid(-1e308), -1e308);
  EXPECT_EQ(sigmoid(1e308), 1);
  EXPECT_EQ(sigmoid(-1e308), 0);
}

TEST(Softplus, KeepsItsRelativeAccuracyInBothTails) {
  for (double x = -700; x <= 700; x += 3.7) {
    const Long exact = testing::plain_softplus(x);
    EXPECT_NEAR(softplus(x) / static_cast<double>(exact), 1, 1e-14) << x;
    EXPECT_NEAR(log_sigmoid(-x) / static_cast<double>(-exact), 1, 1e-14) << x;
    EXPECT_NEAR(sigmoid(x) / static_cast<double>(testing::plain_sigmoid(x)), 1, 1e-14) << x;
  }
  EXPECT_DOUBLE_EQ(softplus(0), ln_2);
}

// ---- PRED.2 and VG.3: expectations

TEST(ExpectedSigmoid, AgreesWithQuadrature) {  // (PRED.2)
  for (double m : means())
    for (double s : variances) {
      const double exact = normal_expectation(m, s, [](double u) { return sigmoid(u); });
      EXPECT_NEAR(expected_sigmoid(m, s), exact, sigma_error) << "m = " << m << ", s = " << s;
      EXPECT_NEAR(expected_logistic(m, s).sigma, exact, sigma_error) << "m = " << m << ", s = " << s;
    }
}

TEST(ExpectedSigmoid, SumsToOneWithTheOtherClassAndExceedsHalfWithTheMean) {
  for (double m : means())
    for (double s : variances) {
      EXPECT_NEAR(expected_sigmoid(m, s) + expected_sigmoid(-m, s), 1, 1e-14);
      if (m != 0) {
        EXPECT_EQ(expected_sigmoid(m, s) > 0.5, m > 0) << m << " " << s;
      }
    }
}

TEST(ExpectedSigmoid, IsHalfAtZeroAndNeverAboveOne) {
  double largest = 0, largest_at_zero = 0;
  for (double s : variances) {
    largest_at_zero = std::max(largest_at_zero, expected_sigmoid(0, s));
    for (double m : {30.0, 100.0, 1e4, 1e308}) largest = std::max(largest, expected_sigmoid(m, s));
  }
  EXPECT_LE(largest - 1, 0);
  EXPECT_LE(largest_at_zero - 0.5, 0);
}

TEST(ExpectedLogistic, GivesTheExpectedSlope) {  // (VG.1), (VG.3)
  for (double m : means())
    for (double s : variances)
      EXPECT_NEAR(expected_logistic(m, s).slope, normal_expectation(m, s, plain_slope), slope_error) << "m = " << m << ", s = " << s;
}

TEST(ExpectedLogistic, GivesTheExpectedSoftplus) {  // (VG.2), (VG.3)
  for (double m : means())
    for (double s : variances)
      EXPECT_NEAR(expected_logistic(m, s).softplus, normal_expectation(m, s, [](double u) { return softplus(u); }), softplus_error)
          << "m = " << m << ", s = " << s;
}

TEST(ExpectedLogistic, OfWhatHardlyVariesIsCloserStill) {  // (VG.6)
  for (double m : {-40.0, -8.0, -3.1, -1.2, -0.3, 0.0, 0.01, 0.7, 2.0, 4.5, 11.0, 30.0})
    for (double s : {1e-12, 1e-6, 1e-3, 4.9e-3}) {
      const LogisticExpectation e = expected_logistic_of_little_variance(m, s);
      EXPECT_NEAR(e.sigma, normal_expectation(m, s, [](double u) { return sigmoid(u); }), 3e-9) << m << " " << s;
      EXPECT_NEAR(e.slope, normal_expectation(m, s, plain_slope), 3e-9) << m << " " << s;
      EXPECT_NEAR(e.softplus, normal_expectation(m, s, [](double u) { return softplus(u); }), 3e-9) << m << " " << s;
    }
}

TEST(ExpectedLogistic, HasConsistentDerivatives) {  // (VG.3): d/dm E softplus = E sigma, d/ds = E sigma' / 2
  const auto derivative = [](auto&& f, double x, double h) {
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
  };
  for (double m : means())
    for (double s : variances) {
      const double h = 0.005 * std::sqrt(1 + s);
      EXPECT_NEAR(derivative([&](double x) { return expected_logistic(x, s).softplus; }, m, h), expected_logistic(m, s).sigma, 1e-10)
          << m << " " << s;
      EXPECT_NEAR(derivative([&](double x) { return expected_logistic(x, s).sigma; }, m, h), expected_logistic(m, s).slope, 1e-9)
          << m << " " << s;
      if (s >= 0.1) {
        EXPECT_NEAR(derivative([&](double x) { return expected_logistic(m, x).softplus; }, s, 0.02 * s),
                    0.5 * expected_logistic(m, s).slope, 1e-8)
            << m << " " << s;
      }
    }
}

TEST(ExpectedLogistic, HasTheRightSlopeInVarianceAtZero) {  // (VG.3), one-sided
  constexpr double h = 0.01;
  for (double m : means()) {
    const auto f = [&](int k) { return expected_logistic(m, k * h).softplus; };
    EXPECT_NEAR((-25 * f(0) + 48 * f(1) - 36 * f(2) + 16 * f(3) - 3 * f(4)) / (12 * h), 0.5 * expected_logistic(m, 0).slope, 1e-8) << m;
  }
}

TEST(ExpectedLogistic, KeepsTheSymmetriesOfTheLogisticFunction) {
  for (double m : means())
    for (double s : variances) {
      const LogisticExpectation plus = expected_logistic(m, s), minus = expected_logistic(-m, s);
      EXPECT_NEAR(plus.sigma + minus.sigma, 1, 1e-14);
      EXPECT_EQ(plus.slope, minus.slope);
      EXPECT_NEAR(plus.softplus - minus.softplus, m, 1e-13 * (1 + std::abs(m)));
    }
}

TEST(ExpectedLogistic, StaysFiniteAtTheEndsOfTheRange) {
  for (double m : {-1e308, -1e100, 0.0, 1e100, 1e308})
    for (double s : {0.0, 5e-324, 1e-100, 1e100, 1e307}) {
      const LogisticExpectation e = expected_logistic(m, s);
      EXPECT_TRUE(e.sigma >= 0 && e.sigma <= 1) << m << " " << s;
      EXPECT_TRUE(e.slope >= 0 && e.slope <= 0.25 + 1e-7) << m << " " << s;
      EXPECT_TRUE(e.softplus >= 0 && std::isfinite(e.softplus)) << m << " " << s;
    }
}

// ---- quantiles, against printed tables

TEST(StudentTQuantile, AgreesWithPrintedTables) {
  struct Row {
    double df, level, quantile;
  };
  for (const Row& row : std::initializer_list<Row>{{1, 0.95, 12.706},
                                                   {2, 0.95, 4.303},
                                                   {5, 0.95, 2.571},
                                                   {10, 0.95, 2.228},
                                                   {30, 0.95, 2.042},
                                                   {120, 0.95, 1.980},
                                                   {infinity, 0.95, 1.960},
                                                   {5, 0.99, 4.032},
                                                   {10, 0.99, 3.169},
                                                   {10, 0.90, 1.812},
                                                   {10, 0.80, 1.372},
                                                   {infinity, 0.99, 2.576},
                                                   {infinity, 0.90, 1.645}})
    EXPECT_NEAR(student_t_quantile(row.df, row.level), row.quantile, 5.1e-4) << row.df << " " << row.level;
}

TEST(StudentTQuantile, IsExactForTheCauchyDistributionAndMeetsTheNormal) {
  for (double level : {0.1, 0.5, 0.9, 0.99, 0.999})
    EXPECT_NEAR(student_t_quantile(1, level) / std::tan(1.5707963267948966 * level), 1, 1e-12) << level;
  EXPECT_NEAR(student_t_quantile(1e12, 0.95), student_t_quantile(infinity, 0.95), 1e-9);
  EXPECT_NEAR(normal_cdf(student_t_quantile(infinity, 0.95)), 0.975, 1e-14);
}

TEST(GammaQuantile, AgreesWithPrintedTablesOfChiSquare) {  // chi-square with d degrees of freedom is Gamma(d/2, 1/2)
  struct Row {
    double df, probability, quantile;
  };
  for (const Row& row : std::initializer_list<Row>{{1, 0.95, 3.841},
                                                   {2, 0.05, 0.103},
                                                   {10, 0.95, 18.307},
                                                   {10, 0.025, 3.247},
                                                   {10, 0.975, 20.483},
                                                   {30, 0.975, 46.979},
                                                   {30, 0.025, 16.791}})
    EXPECT_NEAR(gamma_quantile(row.df / 2, 0.5, row.probability), row.quantile, 5.1e-4) << row.df << " " << row.probability;
}

TEST(GammaQuantile, IsExactForTheExponentialAndScalesWithTheRate) {
  for (double p : {0.01, 0.5, 0.99})
    for (double rate : {1e-6, 1.0, 1e9}) EXPECT_NEAR(gamma_quantile(1, rate, p) * rate / -std::log1p(-p), 1, 1e-12);
}

TEST(LogGamma, KnowsFactorialsAndBothEnds) {
  double log_factorial = 0;
  for (int k = 1; k < 30; ++k) {
    EXPECT_NEAR(log_gamma(k), log_factorial, 1e-14 * (1 + log_factorial)) << k;
    log_factorial += std::log(k);
  }
  EXPECT_NEAR(log_gamma(0.5), 0.5 * std::log(3.14159265358979323846), 1e-15);
  EXPECT_NEAR(log_gamma(1e-300), 300 * std::log(10.0), 1e-10);
  EXPECT_NO_THROW(static_cast<void>(log_gamma(1e308)));
}

TEST(NormalCdf, KeepsItsDigitsInTheLowerTail) {
  EXPECT_DOUBLE_EQ(normal_cdf(0), 0.5);
  EXPECT_NEAR(normal_cdf(1.96), 0.9750021, 5e-8);       // tables
  EXPECT_NEAR(normal_cdf(-6) / 9.865876e-10, 1, 1e-6);  // tables
  EXPECT_NEAR(normal_pdf(0), 0.3989422804014327, 1e-16);
}

}  // namespace
}  // namespace ardvark::internal
