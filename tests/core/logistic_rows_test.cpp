#include "core/logistic_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ardvark::internal {
namespace {

TEST(LogisticRows, EqualsItsDefinition) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const Index n : {1, 7, 256, 257, 1000})
    for (const double size : {1e-8, 1.0, 30.0, 500.0})
      for (const bool weighted : {false, true}) {
        Vector m(n), t(n), k = Vector::Ones(n), p, q;
        for (Index i = 0; i < n; ++i) {
          m[i] = size * normal(random);
          t[i] = static_cast<double>(random() % 2);
          if (weighted) k[i] = static_cast<double>(random() % 4) / 2;
        }
        const double sum = logistic_rows(m, t, k, p, q);
        long double expected = 0;
        for (Index i = 0; i < n; ++i) {
          const long double x = m[i], e = std::exp(-std::abs(x)), large = 1 / (1 + e), small = e / (1 + e);
          expected += k[i] * (t[i] * x - std::max(x, 0.0L) - std::log1p(e));
          if (std::abs(x) > 699) continue;
          EXPECT_NEAR(p[i] / static_cast<double>(x >= 0 ? large : small), 1, 1e-15);
          EXPECT_NEAR(q[i] / static_cast<double>(x >= 0 ? small : large), 1, 1e-15);
        }
        EXPECT_NEAR(sum, static_cast<double>(expected), 2e-15 * (std::abs(static_cast<double>(expected)) + static_cast<double>(n)));
      }
}

TEST(LogisticRows, HugeAndUndefined) {
  Vector m(3), t(3), p, q;
  m << 1e300, -1e300, 0;
  t << 1, 0, 1;
  EXPECT_NEAR(logistic_rows(m, t, Vector::Ones(3), p, q), -std::log(2.0), 1e-16);
  EXPECT_EQ(p[0], 1);
  EXPECT_EQ(p[1], 0);
  EXPECT_EQ(q[1], 1);
  m[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(logistic_rows(m, t, Vector::Ones(3), p, q)));
}

}  // namespace
}  // namespace ardvark::internal
