#include "core/anderson.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

void next_point(Anderson& anderson, const Vector& x, const Vector& Gx, Vector& next) {
  const Vector weight = Vector::Ones(x.size());
  const auto call = [&](auto& object) {
    if constexpr (requires { object.extrapolate(x, Gx, weight, next); })
      object.extrapolate(x, Gx, weight, next);
    else
      object.extrapolate(x, Gx, next);
  };
  call(anderson);
}

TEST(Anderson, SolvesALinearFixedPointInFewSteps) {  // (OPT.7)
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    const Index size = 4;
    const Matrix Q = random.normals(size, size).householderQr().householderQ();
    const Vector rates = (Vector(4) << 0.99, 0.9, 0.5, -0.3).finished();
    const Matrix B = Q * rates.asDiagonal() * Q.transpose();
    const Vector c = random.normals(size), solution = (Matrix::Identity(size, size) - B).partialPivLu().solve(c);
    Anderson anderson(size, 5);
    Vector x = Vector::Zero(size), next(size), plain = x;
    for (int step = 0; step < 9; ++step) {
      next_point(anderson, x, B * x + c, next);
      x = next;
      plain = B * plain + c;
    }
    EXPECT_LE((x - solution).norm(), 1e-3 * (plain - solution).norm()) << seed;
    EXPECT_LE((x - solution).norm(), 1e-3 * solution.norm()) << seed;
  }
}

TEST(Anderson, TakesThePlainStepFirstAndAfterForgetting) {
  Anderson anderson(2, 3);
  const Vector x = Vector::Ones(2), Gx = (Vector(2) << 3, -1).finished();
  Vector next;
  next_point(anderson, x, Gx, next);
  EXPECT_EQ(next, Gx);
  next_point(anderson, Gx, Vector::Zero(2), next);
  EXPECT_NE(next, Vector(Vector::Zero(2)));
  anderson.forget();
  next_point(anderson, x, Gx, next);
  EXPECT_EQ(next, Gx);
}

TEST(Anderson, StaysFiniteAtTheFixedPoint) {
  Anderson anderson(3, 2);
  const Vector x = Vector::Ones(3);
  Vector next;
  for (int step = 0; step < 6; ++step) {
    next_point(anderson, x, x, next);
    EXPECT_LE((next - x).norm(), 1e-12);
  }
}

TEST(Anderson, SolvesAScalarFixedPointWithMoreMemoryThanEntries) {
  Anderson anderson(1, 5);
  Vector x = Vector::Zero(1), next;
  for (int step = 0; step < 4; ++step) {
    next_point(anderson, x, Vector(0.9 * x.array() + 1), next);
    x = next;
  }
  EXPECT_NEAR(x[0], 10, 1e-6);
}

}  // namespace
}  // namespace ardvark::internal
