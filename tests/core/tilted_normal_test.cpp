#include "core/tilted_normal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/special.hpp"

namespace ardvark::internal {
namespace {

constexpr TiltedNormal::Tilt skewed = {-0.3, -0.1, 0.12, -0.02, 0.004, -0.0005};

double tilt_inside(const TiltedNormal::Tilt& tilt, double z) {
  double sum = 0;
  for (std::size_t k = tilt.size(); k > 0; --k) sum = z * (sum + tilt[k - 1]);
  return sum;
}

// ln of the density up to a constant, by its definition.                                                                     (SKEW.5)
double log_density(const TiltedNormal::Tilt& tilt, double z) {
  const double end = std::clamp(z, -TiltedNormal::reach, TiltedNormal::reach), h = 1e-4, beyond = z - end;
  const double above = tilt_inside(tilt, end + h), below = tilt_inside(tilt, end - h), at = tilt_inside(tilt, end);
  return -0.5 * z * z + at + beyond * (above - below) / (2 * h) + 0.5 * beyond * beyond * (above - 2 * at + below) / (h * h);
}

// P(z < x) by the trapezoidal rule.
double mass_below(const TiltedNormal::Tilt& tilt, double x) {
  constexpr double step = 1e-4;
  double below = 0, all = 0;
  for (double z = -14; z < 14; z += step) {
    const double mass = std::exp(log_density(tilt, z + 0.5 * step));
    all += mass;
    if (z + 0.5 * step < x) below += mass;
  }
  return below / all;
}

TEST(TiltedNormal, IsNormalWithoutATilt) {  // (SKEW.5)
  const TiltedNormal z(TiltedNormal::Tilt{});
  for (const double x : {-6.0, -3.6, -1.0, 0.0, 0.3, 3.7, 5.0}) EXPECT_NEAR(z.below(x), normal_cdf(x), 1e-14) << x;
  for (const double tail : {1e-12, 1e-4, 0.025, 0.2, 0.5}) EXPECT_NEAR(z.lower_end(tail), -student_t_end(INFINITY, tail), 1e-10) << tail;
  EXPECT_TRUE(z.falls());
}

TEST(TiltedNormal, GoesThroughItsValues) {  // (SKEW.5)
  std::array<double, 7> seven;
  std::array<double, 5> five;
  for (std::size_t i = 0; i < 7; ++i) seven[i] = 2.5 + tilt_inside(skewed, -3.6 + 1.2 * static_cast<double>(i));
  constexpr TiltedNormal::Tilt of_fourth_degree = {0.2, 0.05, -0.1, 0.01};
  for (std::size_t i = 0; i < 5; ++i) five[i] = tilt_inside(of_fourth_degree, -3.6 + 1.8 * static_cast<double>(i)) - 1;
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(TiltedNormal::through(seven)[k], skewed[k], 1e-12) << k;
    EXPECT_NEAR(TiltedNormal::through(five)[k], of_fourth_degree[k], 1e-12) << k;
  }
}

TEST(TiltedMixture, IsTheSumOfItsParts) {  // (SKEW.8)
  const TiltedParts parts = {{0.3, -0.2, 0.05, {}}, {0.7, 0.4, 1.3, skewed}};
  const TiltedMixture z(parts);
  ASSERT_TRUE(z.falls());
  for (const double x : {-5.0, -1.0, -0.21, -0.1, 0.6, 4.0}) {
    const double sum = 0.3 * normal_cdf((x + 0.2) / 0.05) + 0.7 * mass_below(skewed, (x - 0.4) / 1.3);
    EXPECT_NEAR(z.below(x), sum, 1e-4) << x;
    EXPECT_NEAR(z.mirrored().below(-x), 1 - z.below(x), 1e-12) << x;
    if (sum < 0.5) {
      EXPECT_NEAR(z.lower_end(z.below(x)), x, 1e-9) << x;
    }
  }
  const TiltedMixture alone(TiltedParts{{1, 0, 1, skewed}});
  EXPECT_NEAR(alone.lower_end(0.025), TiltedNormal(skewed).lower_end(0.025), 1e-12);
  EXPECT_FALSE(TiltedMixture(TiltedParts{{0.5, 0, 0, {}}, {0.5, 0, 1, {}}}).falls());
}

TEST(TiltedNormal, AgreesWithQuadrature) {  // (SKEW.5)
  const TiltedNormal z(skewed);
  ASSERT_TRUE(z.falls());
  for (const double x : {-5.0, -3.9, -2.0, -0.4, 0.0, 1.3, 3.5, 4.0}) EXPECT_NEAR(z.below(x), mass_below(skewed, x), 2e-5) << x;
}

TEST(TiltedNormal, EndsHoldTheirMass) {
  const TiltedNormal z(skewed), other = z.mirrored();
  for (const double tail : {1e-9, 1e-5, 1e-3, 0.025, 0.1, 0.5}) {
    EXPECT_NEAR(z.below(z.lower_end(tail)) / tail, 1, 1e-8) << tail;
    EXPECT_NEAR(other.below(other.lower_end(tail)) / tail, 1, 1e-8) << tail;
    EXPECT_NEAR(z.below(-other.lower_end(tail)), 1 - tail, 1e-9) << tail;
  }
}

TEST(TiltedNormal, DoesNotFallIfItsSlopeLeadsOut) {
  EXPECT_FALSE(TiltedNormal({0, 0.6, 0, 0, 0, 0}).falls());
  EXPECT_FALSE(TiltedNormal({0, 0, 0, 0, 0, 1e300}).falls());
  EXPECT_TRUE(TiltedNormal({0, 0.4, 0, 0, 0, 0}).falls());
}

}  // namespace
}  // namespace ardvark::internal
