#include "select/polya_gamma.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ardvark::internal {
namespace {

// E exp(-t x) = (cosh(c/2) / cosh(sqrt(c^2/4 + t/2)))^shape: the definition of the distribution; cosh(i d) = cos d.       (FDR.6)
double transform(double shape, double tilt, double t) {
  const double c = std::abs(tilt) / 2, square = c * c + t / 2, d = std::sqrt(std::abs(square));
  if (square < 0) return std::pow(std::cosh(c) / std::cos(d), shape);
  return std::exp(shape * (c - d + std::log1p(std::exp(-2 * c)) - std::log1p(std::exp(-2 * d))));
}

TEST(PolyaGamma, HasTheTransformOfItsDefinition) {
  Normals draw(3);
  constexpr int count = 4000;
  for (const double shape : {1.0, 2.0, 0.4, 2.7, 60.0})
    for (const double tilt : {0.0, 0.7, -4.0, 12.0, 60.0})
      for (const double times : {0.5, 2.0}) {
        const double t = times / (shape * polya_gamma_moments(tilt).mean), expected = transform(shape, tilt, t);
        double sum = 0, squares = 0;
        for (int i = 0; i < count; ++i) {
          const double e = std::exp(-t * polya_gamma(shape, tilt, draw));
          sum += e, squares += e * e;
        }
        const double mean = sum / count, variance = squares / count - mean * mean;
        EXPECT_NEAR(mean, expected, 5 * std::sqrt(variance / count) + 1e-4) << "shape " << shape << ", tilt " << tilt;
      }
}

// By numerical derivatives of the logarithm of the transform.
TEST(PolyaGamma, HasTheMomentsOfItsTransform) {
  for (const double tilt : {0.0, 0.01, 0.019, 0.021, 0.3, -2.0, 9.0, 40.0}) {
    const auto [mean, variance] = polya_gamma_moments(tilt);
    const double h = 1e-3 / mean;
    const double up = std::log(transform(1, tilt, h)), down = std::log(transform(1, tilt, -h));
    EXPECT_NEAR(mean, (down - up) / (2 * h), 1e-5 * mean) << "tilt " << tilt;
    EXPECT_NEAR(variance, (up + down) / (h * h), 1e-5 * mean * mean) << "tilt " << tilt;
  }
  EXPECT_GT(polya_gamma_moments(1e200).mean, 0);
}

TEST(PolyaGamma, IsPositiveForAnyTilt) {
  Normals draw(5);
  for (const double tilt : {1e-300, 40.0, 60.0, 700.0, 1500.0, 1e6})
    for (const double shape : {1.0, 0.2, 80.0})
      for (int i = 0; i < 100; ++i) {
        const double x = polya_gamma(shape, tilt, draw);
        EXPECT_TRUE(x > 0 && std::isfinite(x)) << x;
      }
}

TEST(GammaVariate, HasTheMomentsOfItsDistribution) {
  Normals draw(7);
  for (const double shape : {0.3, 1.0, 4.5}) {
    constexpr int count = 20000;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double x = gamma_variate(shape, draw);
      sum += x, squares += x * x;
    }
    const double mean = sum / count;
    EXPECT_NEAR(mean, shape, 5 * std::sqrt(shape / count));
    EXPECT_NEAR(squares / count - mean * mean, shape, 0.12 * shape);
  }
}

}  // namespace
}  // namespace ardvark::internal
