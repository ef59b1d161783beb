#include "likelihood/softmax_laplace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

TEST(SoftmaxLaplace, ErrorsAreTheGradientOfTheLogLikelihood) {
  testing::Random random(1);
  const Matrix F = random.normals(5, 4);
  const SoftmaxLaplace likelihood({0, 1, 2, 3, 1}, Vector::LinSpaced(5, 0.5, 2), 4);
  SoftmaxRows rows, up, down;
  likelihood.update(F, rows);
  for (Index n = 0; n < 5; ++n)
    for (Index c = 0; c < 4; ++c) {
      Matrix moved = F;
      moved(n, c) += 1e-6;
      likelihood.update(moved, up);
      moved(n, c) -= 2e-6;
      likelihood.update(moved, down);
      EXPECT_NEAR(rows.E(n, c), (up.log_likelihood - down.log_likelihood) / 2e-6, 1e-8);
      // and omega minus its curvature
      EXPECT_NEAR(rows.D(n, c) * others(rows.P, n, c), -(up.E(n, c) - down.E(n, c)) / 2e-6, 1e-8);
    }
  EXPECT_LE(rows.E.rowwise().sum().cwiseAbs().maxCoeff(), 1e-15);
}

TEST(SoftmaxLaplace, HugeScoresNeitherOverflowNorLoseTheError) {
  const SoftmaxLaplace likelihood({0, 1, 2}, Vector::Ones(3), 3);
  Matrix F(3, 3);
  F << 1000, 0, -1000,  // right for sure
      40, 0, 0,         // wrong by 40 nats
      -1e300, 1e300, 0;
  SoftmaxRows rows;
  likelihood.update(F, rows);
  EXPECT_TRUE(rows.P.allFinite() && rows.E.allFinite());
  EXPECT_EQ(rows.E(0, 0), 0);
  EXPECT_NEAR(rows.log_likelihood, -40 - 1e300, 1e285);
  F.row(2) << 0, 0, 40;
  likelihood.update(F, rows);
  EXPECT_NEAR(rows.E(2, 2), 2 * std::exp(-40.0), 1e-30);  // 1 - p, where p is 1 to the last digit
  EXPECT_NEAR(rows.log_likelihood, -40 - 2 * std::exp(-40.0), 1e-13);
}

}  // namespace
}  // namespace ardvark::internal
