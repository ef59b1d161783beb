#include "core/logistic_moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../support/random_problem.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

class LogisticTerms : public ::testing::TestWithParam<LogisticMomentsVersion> {
 protected:
  void SetUp() override {
    if (GetParam().level > simd::of_processor()) GTEST_SKIP() << "this machine has no " << simd::name(GetParam().level);
  }
};

// One term is weight Phi(z), its derivative, and its integral, each by erfc and exp.
TEST_P(LogisticTerms, AreTheNormalDistribution) {
  testing::Random random(5);
  constexpr Index block = LogisticTerm::block;
  using Block = Eigen::Array<double, block, 1>;
  for (int draw = 0; draw < 400; ++draw) {
    Block a, r, sigma = Block::Zero(), slope = sigma, softplus = sigma;
    for (Index i = 0; i < block; ++i) a[i] = i == 0 ? 0 : -random.scale(1e-8, 30), r[i] = random.uniform(1, 3);
    constexpr double scale = 0.8, weight = 0.3;
    GetParam().add({weight, scale, a.data(), r.data(), sigma.data(), slope.data(), softplus.data()});
    for (Index i = 0; i < block; ++i) {
      const long double z = a[i] * scale / static_cast<long double>(r[i]);
      const long double cdf = 0.5L * erfcl(-z / sqrtl(2)), density = expl(-0.5L * z * z) / sqrtl(2 * acosl(-1));
      // z^2/2 is rounded, and a cdf and the density are nearly equal in the tail.
      const double relative = 4e-16 * (4 + static_cast<double>(z * z));
      ASSERT_NEAR(sigma[i], static_cast<double>(weight * cdf), static_cast<double>(cdf) * relative) << a[i] << " " << r[i];
      ASSERT_NEAR(slope[i], static_cast<double>(weight * scale / r[i] * density), static_cast<double>(density) * relative);
      ASSERT_NEAR(softplus[i], static_cast<double>(weight * (a[i] * cdf + r[i] / scale * density)),
                  static_cast<double>(r[i] / scale * density) * relative);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, LogisticTerms,
                         ::testing::ValuesIn(logistic_moments_versions().begin(), logistic_moments_versions().end()),
                         [](const auto& version) { return std::string(simd::name(version.param.level)); });

TEST(LogisticMoments, AreThoseOfEachRow) {
  testing::Random random(7);
  LogisticMoments moments;
  for (const Index n : {0, 1, 63, 64, 65, 1000}) {
    Vector m(n), s(n);
    for (Index i = 0; i < n; ++i) m[i] = (i % 2 == 0 ? 1 : -1) * random.scale(1e-6, 500), s[i] = i % 7 == 0 ? 0 : random.scale(1e-6, 1e4);
    moments.of(m, s);
    ASSERT_EQ(moments.sigma.size(), n);
    for (Index i = 0; i < n; ++i) {
      const LogisticExpectation e = expected_logistic(m[i], s[i]);
      EXPECT_NEAR(moments.sigma[i], e.sigma, 1e-14) << m[i] << " " << s[i];
      // In the tail, exp(-z^2/2) of a rounded z^2.
      const double relative = 1e-15 * (10 - std::log(std::max(e.slope, 1e-250)));
      EXPECT_NEAR(moments.slope[i], e.slope, relative * e.slope + 1e-250) << m[i] << " " << s[i];
      EXPECT_NEAR(moments.softplus[i], e.softplus, 1e-14 * (1 + std::max(m[i], 0.0) + std::sqrt(s[i]))) << m[i] << " " << s[i];
    }
  }
}

// Such rows say that a fit has failed.
TEST(LogisticMoments, KeepWhatIsNotANumber) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  LogisticMoments moments;
  for (const auto& [m, s] : {std::pair{none, 1.0}, {1.0, none}, {-1.0, none}, {none, none}}) {
    moments.of(Vector::Constant(70, m), Vector::Constant(70, s));
    for (const Index i : {0, 69})
      EXPECT_TRUE(std::isnan(moments.sigma[i]) && std::isnan(moments.slope[i]) && std::isnan(moments.softplus[i]));
  }
}

// Rows that are certain of their class have no weight, and no log likelihood below 0 by rounding.
TEST(LogisticMoments, EndAtZero) {
  LogisticMoments moments;
  for (const double m : {-800.0, -1e5, -1e20, -1e300})
    for (const double s : {0.0, 1e-3, 1.0, 10.0}) {
      moments.of(Vector::Constant(70, m), Vector::Constant(70, s));
      EXPECT_EQ(moments.sigma[69], 0) << m << " " << s;
      EXPECT_EQ(moments.slope[69], 0) << m << " " << s;
      EXPECT_EQ(moments.softplus[69], 0) << m << " " << s;
      moments.of(Vector::Constant(70, -m), Vector::Constant(70, s));
      EXPECT_EQ(moments.sigma[69], 1) << m << " " << s;
      EXPECT_EQ(moments.softplus[69], -m) << m << " " << s;
    }
}

TEST(LogisticMomentsVersions, HaveOneForEveryMachine) { EXPECT_EQ(logistic_moments_versions().back().level, simd::Level::baseline); }

}  // namespace
}  // namespace ardvark::internal
