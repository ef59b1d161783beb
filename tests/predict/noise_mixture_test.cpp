// Normal predictions whose noise precision is uncertain (VR.5).
#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "ardvark/linear.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/thrown.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::Long;

constexpr double shapes[] = {0.5, 0.8, 1, 1.5, 2.5, 7, 30, 250, 1e4, 1e6};
constexpr double ratios[] = {0, 1e-6, 1e-3, 0.1, 1, 30, 1e3, 1e6};  // s over the noise d/c

NoiseMixturePrediction mixture(double shape, double rate, const Vector& s) { return {Vector::Zero(s.size()), s, {shape, rate}}; }
NoiseMixturePrediction mixture(double shape, double rate, double s) { return mixture(shape, rate, Vector::Constant(1, s)); }
double log_density(const NoiseMixturePrediction& p, double y) { return p.log_density(Vector{Vector::Constant(1, y)})[0]; }

// ln of the integral over ln tau of Gam(tau | c, d) tau kernel(1/tau + s), in extended precision by the rule of Gauss and Kronrod on
// stretches a few standard deviations of ln tau wide, as far down as the kernel may have its peak.
template <typename Kernel>
double plain_log_mixture(double c, double d, double s, double distance, Kernel&& log_kernel) {
  using Rule = boost::math::quadrature::gauss_kronrod<Long, 61>;
  const Long centre = std::log(Long(c) / d), width = 1 / std::sqrt(Long(c) + 1);
  const Long peak_below = std::log(1 + Long(distance) * distance / (2 * Long(d))) + 3 * width;
  const Long low = centre - peak_below - std::max(20 * width, 100 / (Long(c) + Long(0.5)) * (c < 20 ? 1 : 0)), high = centre + 12 * width;
  const auto log_integrand = [&](Long u) {
    const Long tau = std::exp(u);
    return c * std::log(Long(d)) - std::lgamma(Long(c)) + c * u - d * tau + log_kernel(1 / tau + s);
  };
  const auto num_stretches = static_cast<int>(std::ceil((high - low) / (2 * width)));
  const Long stretch = (high - low) / num_stretches;
  Long highest = -1e4000L, sum = 0;
  for (int i = 0; i <= 4 * num_stretches; ++i) highest = std::max(highest, log_integrand(low + stretch * i / 4));
  for (int i = 0; i < num_stretches; ++i)
    sum += Rule::integrate([&](Long u) { return std::exp(log_integrand(u) - highest); }, low + i * stretch, low + (i + 1) * stretch, 0, 0);
  return static_cast<double>(highest + std::log(sum));
}

double plain_log_density(double c, double d, double s, double y) {
  return plain_log_mixture(c, d, s, y, [y](Long v) { return -(std::log(6.283185307179586476925L * v) + Long(y) * y / v) / 2; });
}

// P(|Y| > y)
double plain_outside(double c, double d, double s, double y) {
  return std::exp(plain_log_mixture(c, d, s, y, [y](Long v) { return std::log(std::erfc(y / std::sqrt(2 * v))); }));
}

TEST(NoiseMixture, IsStudentsTWhereTheMeanIsCertain) {  // (VR.5) at s = 0
  for (double c : shapes) {
    const double d = 3.7 * c, scale = std::sqrt(d / c);
    const NoiseMixturePrediction p = mixture(c, d, 0.0);
    const boost::math::students_t student(2 * c);
    for (double z : {0.0, 0.3, 1.0, 4.0, 20.0}) {
      const double expected =
          std::lgamma(c + 0.5) - std::lgamma(c) - 0.5 * std::log(2 * M_PI * d) - (c + 0.5) * std::log1p(z * z / (2 * c));
      const double rounding = 4e-16 * std::lgamma(c + 2);  // of the two values of ln Gamma
      EXPECT_NEAR(log_density(p, z * scale), expected, 1e-10 + rounding) << c << " " << z;
    }
    for (double level : {0.1, 0.5, 0.95, 0.999, 1 - 1e-9}) {
      const double expected = scale * boost::math::quantile(boost::math::complement(student, 0.5 * (1 - level)));
      EXPECT_NEAR(p.half_width(level)[0] / expected, 1, 1e-9) << c << " " << level;
    }
  }
}

TEST(NoiseMixture, IsNormalWhereTheNoiseIsCertain) {  // c -> infinity
  for (const double c : {1e13, 1e20, 1e200})          // the relative distance to the limit is of the order of 1/c
    for (double ratio : {0.0, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e12, 1e30, 1e60}) {
      const double noise = 0.3, sd = std::sqrt(noise * (1 + ratio));
      const NoiseMixturePrediction p = mixture(c, noise * c, noise * ratio);
      EXPECT_NEAR(p.standard_deviation()[0] / sd, 1, 1e-12);
      EXPECT_NEAR(p.half_width(0.95)[0] / sd, 1.959963984540054, 1e-9);  // the 0.975 quantile of the normal distribution
      EXPECT_NEAR(p.half_width(0.5)[0] / sd, 0.6744897501960817, 1e-9);
      EXPECT_EQ(p.half_width(1e-200)[0], 0);
      for (double z : {0.0, 1.0, 5.0}) EXPECT_NEAR(log_density(p, z * sd), -0.5 * (std::log(2 * M_PI) + z * z) - std::log(sd), 1e-8);
    }
}

TEST(NoiseMixture, AgreesWithQuadratureOverTheNoise) {  // (VR.5)
  for (double c : shapes)
    for (double ratio : ratios) {
      const double noise = 2.5, d = noise * c, s = noise * ratio, sd = std::sqrt(noise + s);
      const NoiseMixturePrediction p = mixture(c, d, s);
      for (double z : {0.0, 0.5, 2.0, 6.0, 9.0, 30.0, 300.0}) {
        const double expected = plain_log_density(c, d, s, z * sd);
        EXPECT_NEAR(log_density(p, z * sd), expected, 1e-10 * (1 + std::abs(expected))) << c << " " << ratio << " " << z;
      }
    }
}

TEST(NoiseMixture, IntervalsCoverTheirLevel) {  // by quadrature over the noise
  for (double c : shapes)
    for (double ratio : ratios) {
      const double noise = 0.04, d = noise * c, s = noise * ratio;
      const NoiseMixturePrediction p = mixture(c, d, s);
      for (double level : {0.05, 0.5, 0.95, 0.9999}) {
        const double outside = plain_outside(c, d, s, p.half_width(level)[0]);
        EXPECT_NEAR(outside / (1 - level), 1, 1e-9) << c << " " << ratio << " " << level;
      }
    }
}

TEST(NoiseMixture, HasADensityThatIntegratesToOneAndToItsVariance) {
  for (double c : {1.5, 2.5, 7.0, 250.0, 1e6})
    for (double ratio : ratios) {
      const double noise = 1.7, s = noise * ratio;
      const NoiseMixturePrediction p = mixture(c, noise * c, s);
      const double sd = std::sqrt(noise + s);
      boost::math::quadrature::exp_sinh<double> rule;
      const auto density = [&](double z) { return z < 1e100 ? sd * std::exp(log_density(p, z * sd)) : 0; };
      EXPECT_NEAR(2 * rule.integrate(density, 1e-10), 1, 1e-9) << c << " " << ratio;
      if (c < 2) continue;  // the integrand of the variance has too long a tail for this rule
      const auto square = [&](double z) { return z < 1e100 ? z * z * density(z) : 0; };
      const double variance = noise * c / (c - 1) + s;
      EXPECT_NEAR(2 * sd * sd * rule.integrate(square, 1e-10) / variance, 1, 1e-7) << c << " " << ratio;
      EXPECT_NEAR(p.standard_deviation()[0], std::sqrt(variance), 1e-12 * sd);
    }
  for (double c : {0.5, 1.0}) EXPECT_TRUE(std::isinf(mixture(c, 1, 1.0).standard_deviation()[0]));
}

TEST(NoiseMixture, SeesBothPeaksOfTheNoise) {  // far out with few rows: the mean is off, or the noise is large
  const double c = 0.5, noise = 1e-6, s = 1;
  const NoiseMixturePrediction p = mixture(c, c * noise, s);
  for (double y : {3.0, 5.0, 6.0, 7.0, 8.0, 12.0, 1e3, 1e6}) {
    const double expected = plain_log_density(c, c * noise, s, y);
    EXPECT_NEAR(log_density(p, y), expected, 1e-10 * (1 + std::abs(expected))) << y;
  }
}

TEST(NoiseMixture, TakesEachRowByItself) {
  const Vector s = Vector::LinSpaced(5, 0, 2);
  NoiseMixturePrediction p = mixture(3, 2, s);
  p.mean = Vector::LinSpaced(5, -1, 1);
  const Vector y = Vector::Constant(5, 0.4), all = p.half_width(0.9), density = p.log_density(y);
  for (Index i = 0; i < 5; ++i) {
    const NoiseMixturePrediction one = mixture(3, 2, s[i]);
    EXPECT_EQ(all[i], one.half_width(0.9)[0]);
    EXPECT_EQ(density[i], log_density(one, y[i] - p.mean[i]));
  }
}

TEST(NoiseMixture, RefusesWhatIsNoDistribution) {
  NoiseMixturePrediction p = mixture(3, 2, Vector::Ones(2));
  for (double level : {0.0, 1.0, std::nan("")}) expect_invalid([&] { static_cast<void>(p.half_width(level)); }, {"level"});
  expect_invalid([&] { static_cast<void>(p.log_density(Vector{Vector::Zero(3)})); }, {"y has 3 entries"});
  expect_invalid([&] { static_cast<void>(p.log_density(Vector{Vector::Constant(2, 1e200)})); }, {"y at row 1", "1e+200"});
  p.variance_of_mean[1] = -1;
  expect_invalid([&] { static_cast<void>(p.half_width()); }, {"variance_of_mean", "negative"});
  p.noise.shape = 0;
  expect_invalid([&] { static_cast<void>(p.standard_deviation()); }, {"noise.shape is 0"});
}

// ---- of a fit

TEST(PredictMixture, MixesThePosteriorOfAFactorisedFit) {  // (VR.4), (VR.5)
  const testing::Problem problem = testing::make_problem(71, 12, 3);
  const Matrix X_new = testing::make_problem(72, 6, 3).X;
  for (bool model : {true, false}) {
    FitOptions options = model ? FitOptions{} : options_for_preset("vrvm_regression");
    options.posterior = LinearPosterior::factorised;
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    const NoiseMixturePrediction p = predict_mixture(fit, X_new);
    const Matrix V = fit.covariance();
    EXPECT_EQ(p.noise.shape, fit.noise.shape);
    EXPECT_EQ(p.noise.rate, fit.noise.rate);
    for (Index i = 0; i < X_new.rows(); ++i) {
      Vector x = Vector::Ones(V.rows());
      x.head(3) = X_new.row(i);
      EXPECT_NEAR(p.mean[i], X_new.row(i).dot(fit.mean) + (fit.intercept ? fit.intercept->mean : 0), 1e-12);
      EXPECT_NEAR(p.variance_of_mean[i], x.dot(V * x), 1e-12);
    }
    const StudentPrediction plug_in = predict(fit, X_new);
    EXPECT_EQ(plug_in.mean, p.mean);
    if (std::isinf(fit.student_degrees)) {  // heavier tails than a normal distribution
      EXPECT_TRUE((p.half_width(0.99).array() > plug_in.half_width(0.99).array()).all());
    }
  }
}

TEST(PredictMixture, SaysThatPredictIsExactForJointFits) {
  const testing::Problem problem = testing::make_problem(73, 12, 3);
  const LinearFit fit = fit_linear(problem.X, problem.y, {.prior = Prior::shared()});
  expect_invalid([&] { static_cast<void>(predict_mixture(fit, problem.X)); }, {"predict_mixture", "joint", "predict() is exact"});
}

}  // namespace
}  // namespace ardvark
