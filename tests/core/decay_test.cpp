#include "core/decay.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Decay : public ::testing::TestWithParam<DecayVersion> {
 protected:
  void SetUp() override {
    if (GetParam().level > simd::of_processor()) GTEST_SKIP() << "this machine has no " << simd::name(GetParam().level);
  }
  static std::vector<double> decayed(std::vector<double> u) {
    GetParam().run(u.data(), static_cast<Index>(u.size()));
    return u;
  }
};

TEST_P(Decay, IsTheExponentialToTwoUnitsInTheLastPlace) {
  testing::Random random(3);
  std::vector<double> u;
  for (int i = 0; i < 200000; ++i) u.push_back(i % 2 == 0 ? random.uniform(0, 700) : random.scale(1e-20, 700));
  for (int n = 0; n < 1400; ++n) u.push_back(0.5 * n * 0.6931471805599453);  // where the reduction changes its whole number, and between
  for (double x : {0.0, 1e-320, std::nextafter(700, 0)}) u.push_back(x);
  const std::vector<double> e = decayed(u);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const long double expected = std::exp(-static_cast<long double>(u[i]));
    ASSERT_LE(std::abs(static_cast<double>((e[i] - expected) / expected)), 1.6 * 0x1p-53) << u[i];
  }
}

TEST_P(Decay, IsExactlyOneAtZeroAndZeroFromTheEndOn) {
  EXPECT_EQ(decayed({0, -0.0, 700, 700.5, 701, 1e5, 1e308, infinity}), (std::vector<double>{1, 1, 0, 0, 0, 0, 0, 0}));
}

TEST_P(Decay, GivesTheSameBitsWhereverANumberStandsAndLeavesTheRestAlone) {
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<double> u(size + 3, 5.25);
    GetParam().run(u.data(), static_cast<Index>(size));
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(u[i], decayed({5.25})[0]) << i << " of " << size;
    for (std::size_t i = size; i < u.size(); ++i) ASSERT_EQ(u[i], 5.25) << i << " of " << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Decay, ::testing::ValuesIn(decay_versions().begin(), decay_versions().end()),
                         [](const auto& version) { return std::string(simd::name(version.param.level)); });

TEST(DecayVersions, HaveOneForEveryMachine) { EXPECT_EQ(decay_versions().back().level, simd::Level::baseline); }

}  // namespace
}  // namespace ardvark::internal
