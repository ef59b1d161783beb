// Quantiles of mixtures of Student-t distributions, against bisection in long double.                                         (KM.13)
#include "predict/student_mixture.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;
using Real = long double;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Boost 1.74's distribution of one degree of freedom is 1/2 in a neighbourhood of 0.
Real plain_tail(double nu, Real x) {
  constexpr Real pi = 3.14159265358979323846264338327950288L;
  if (nu == 1) return x > 1 ? std::atan(1 / x) / pi : 0.5L - std::atan(x) / pi;
  return std::isinf(nu) ? cdf(complement(boost::math::normal_distribution<Real>(), x))
                        : cdf(complement(boost::math::students_t_distribution<Real>(nu), x));
}

Real plain_density(double nu, Real x) {
  return std::isinf(nu) ? pdf(boost::math::normal_distribution<Real>(), x) : pdf(boost::math::students_t_distribution<Real>(nu), x);
}

TEST(StudentTail, IsThatOfTheDistribution) {
  for (const double nu : {0.5, 1.0, 3.0, 30.0, 1e6, infinity}) {
    const StudentTail t(nu);
    for (double x = -40; x < 40; x += 0.01371) {
      const auto tail = static_cast<double>(plain_tail(nu, x));
      EXPECT_NEAR(t.upper(x), tail, 1e-11 * tail + 1e-300) << nu << ": " << x;
      EXPECT_NEAR(t.density(x), static_cast<double>(plain_density(nu, x)), 1e-10 * t.density(x) + 1e-300);
    }
  }
}

TEST(MixtureQuantile, IsThatOfBisection) {
  Random random(7);
  int checked = 0;
  for (const double nu : {1.0, 2.5, 5.0, 29.0, 1e6, infinity})
    for (int draw = 0; draw < 12; ++draw) {
      const Index parts = 1 + draw % 6;
      Vector weight(parts), mean(parts), scale(parts);
      for (Index i = 0; i < parts; ++i) {
        weight[i] = draw % 4 == 1 && i > 0 ? 1e-12 : random.uniform() + 0.01;
        mean[i] = (draw % 3 == 2 ? 1e6 : 1.0) * random.normal();
        scale[i] = std::exp((draw % 5 == 3 ? 8 : 1) * random.normal());
      }
      weight /= weight.sum();
      const StudentTail t(nu);
      for (const double tail : {0.5, 0.4, 0.025, 1e-3, 1e-6, 1e-12})
        for (const bool is_upper : {false, true}) {
          const double sign = is_upper ? 1 : -1;
          const double x = sign * mixture_quantile(t, weight, mean, scale, tail, is_upper);
          const auto excess = [&](Real at) {
            Real sum = 0;
            for (Index i = 0; i < parts; ++i) sum += Real(weight[i]) * plain_tail(nu, (at - Real(sign * mean[i])) / Real(scale[i]));
            return sum - Real(tail);
          };
          Real slope = 0;
          for (Index i = 0; i < parts; ++i)
            slope += Real(weight[i]) * plain_density(nu, (Real(x) - Real(sign * mean[i])) / Real(scale[i])) / Real(scale[i]);
          // The quantile moves by tail/slope times the relative error of the tail, and by the rounding of x.
          const Real reach = Real(1e-11) * Real(tail) / slope + Real(4e-16) * (std::abs(Real(x)) + Real(mean.cwiseAbs().maxCoeff()));
          EXPECT_GE(excess(Real(x) - reach), 0) << nu << ", draw " << draw << ", tail " << tail;
          EXPECT_LE(excess(Real(x) + reach), 0) << nu << ", draw " << draw << ", tail " << tail;
          ++checked;
        }
    }
  EXPECT_EQ(checked, 6 * 12 * 12);
}

TEST(MixtureQuantile, OfPartsWithoutAWidth) {
  const StudentTail t(5);
  const Vector two = Vector::LinSpaced(2, 1, 2), none = Vector::Zero(2);
  Vector weight(2);
  weight << 0.7, 0.3;
  EXPECT_EQ(mixture_quantile(t, weight, Vector::Constant(2, 3), none, 0.025, true), 3);
  EXPECT_NEAR(mixture_quantile(t, weight, two, none, 0.025, false), 1, 1e-15);
  EXPECT_NEAR(mixture_quantile(t, weight, two, none, 0.025, true), 2, 1e-15);
}

}  // namespace
}  // namespace ardvark::internal
