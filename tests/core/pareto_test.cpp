// The tail of importance ratios.                                                                                             (KHAT.2)
#include "core/pareto.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;

constexpr Index draws = 4000, tail = 190;  // min(S/5, 3 sqrt S), rounded up

// The middles of equal parts of probability: a sample without chance.
template <typename Quantile>
Vector log_ratios(Quantile&& quantile) {
  Vector out(draws);
  for (Index i = 0; i < draws; ++i) out[i] = quantile((static_cast<double>(i) + 0.5) / static_cast<double>(draws));
  return out;
}

// ln of ratios to a normal density of standard deviation `target`, of draws from the standard one.
Vector of_normals(double target) {
  const boost::math::normal standard;
  return log_ratios([&](double u) {
    const double x = quantile(standard, u);
    return 0.5 * x * x * (1 - 1 / (target * target)) - std::log(target);
  });
}

TEST(ParetoKhat, FindsTheShapeOfAParetoDistribution) {
  for (const double k : {0.1, 0.3, 0.5, 0.8, 1.3}) {
    const double khat = pareto_khat(log_ratios([&](double u) { return -k * std::log1p(-u); }));  // the excesses over any u have this k too
    EXPECT_NEAR(khat, (tail * k + 5) / (tail + 10), 0.05) << k;
  }
}

// Of one dimension k is 1 - 1/target^2, which is reached slowly, and from below.
TEST(ParetoKhat, TellsTooNarrowFromTooWide) {
  for (const double target : {1.5, 2.0, 2.5, 4.0}) {
    const double limit = 1 - 1 / (target * target), khat = pareto_khat(of_normals(target));
    EXPECT_LT(khat, limit) << target;
    EXPECT_GT(khat, limit - 0.15) << target;
  }
  EXPECT_GT(pareto_khat(of_normals(2.5)), 0.7);
  EXPECT_LT(pareto_khat(of_normals(0.5)), 0);
  double last = -std::numeric_limits<double>::infinity();
  for (const double target : {0.7, 1.1, 1.3, 1.7, 2.0, 3.0}) {
    const double khat = pareto_khat(of_normals(target));
    EXPECT_GT(khat, last) << target;
    last = khat;
  }
}

TEST(ParetoKhat, DoesNotDependOnAFactorOrTheOrder) {
  const Vector log_r = of_normals(1.5);
  EXPECT_NEAR(pareto_khat(log_r.array() + 812.5), pareto_khat(log_r), 1e-9);
  EXPECT_EQ(pareto_khat(log_r.reverse()), pareto_khat(log_r));
}

TEST(ParetoKhat, KnowsWhatHasNoTail) {
  EXPECT_EQ(pareto_khat(Vector::Constant(100, 3.5)), 0);
  Vector one = Vector::Zero(100);
  one[7] = 1;
  EXPECT_EQ(pareto_khat(one), std::numeric_limits<double>::infinity());
  one[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(pareto_khat(one)));
  expect_invalid([] { (void)pareto_khat(Vector::Zero(24)); }, {"24", "25"});
}

TEST(ParetoKhat, HasAThresholdThatGrowsWithTheDraws) {
  EXPECT_NEAR(khat_threshold(100), 0.5, 1e-15);
  EXPECT_NEAR(khat_threshold(1000), 2.0 / 3, 1e-15);
  EXPECT_EQ(khat_threshold(4000), 0.7);
}

}  // namespace
}  // namespace ardvark::internal
