// Functions of the precision by interpolation.                                                       docs/math/targets.md (TGT.13)
#include "posterior/over_precisions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ardvark::internal {
namespace {

TEST(OverPrecisions, AreTheSums) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  const Matrix S = Matrix::NullaryExpr(30, 40, [&] { return uniform(random) * uniform(random); });
  Vector l = Vector::NullaryExpr(40, [&](Index i) { return std::pow(10.0, 12 * uniform(random) - 6) * static_cast<double>(i > 2); });
  const OverPrecisions sums(S, l);
  for (int i = 0; i < 400; ++i) {
    const double a = i == 0 ? 1e-300 : i == 1 ? 1e300 : std::exp(60 * uniform(random) - 30);
    const Vector expected = S * (l.array() + a).inverse().matrix(), found = sums.at(a);
    EXPECT_LE(((found - expected).array() / expected.array()).abs().maxCoeff(), 2e-14) << a;
  }
  for (const double edge : {std::exp(2.0), 1.0, std::exp(-4.0)})
    for (const double a : {std::nextafter(edge, 0.0), edge, std::nextafter(edge, 1e9)}) {
      const Vector expected = S * (l.array() + a).inverse().matrix();
      EXPECT_LE(((sums.at(a) - expected).array() / expected.array()).abs().maxCoeff(), 2e-14) << a;
    }
}

TEST(OverPrecisions, OfNothingAndOfPrecisionZero) {
  EXPECT_EQ(OverPrecisions(Matrix(3, 0), Vector(0)).at(2.5), Vector::Zero(3));
  const Matrix S = Matrix::Constant(2, 3, 0.5);
  const OverPrecisions sums(S, Vector::Constant(3, 4));
  EXPECT_EQ(sums.at(0), Vector::Constant(2, 0.375));
  EXPECT_NEAR(sums.at(1)[1], 0.3, 1e-15);
}

TEST(OverPrecisions, DoNotDependOnWhatWasAskedBefore) {
  const Matrix S = Matrix::Random(5, 7).cwiseAbs();
  const Vector l = Vector::LinSpaced(7, 0.1, 900);
  const OverPrecisions one(S, l), other(S, l);
  for (const double a : {3.0, 1e-8, 700.0, 0.2}) static_cast<void>(other.at(a));
  for (const double a : {0.3, 2.9, 1e5}) EXPECT_EQ(one.at(a), other.at(a));
}

}  // namespace
}  // namespace ardvark::internal
