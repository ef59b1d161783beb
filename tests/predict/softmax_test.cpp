// (SMX.8): the expected softmax against brute force.
#include "predict/softmax.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "core/special.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

using testing::Random;

Matrix random_covariance(Random& random, Index C, double scale) {
  const Matrix A = random.normals(C, C);
  return scale / static_cast<double>(C) * A * A.transpose();
}

// The product trapezoidal rule with step h along the columns of the Cholesky factor of S, all C of them.
Vector by_tensor(const Vector& m, const Matrix& S, double h) {
  const Index C = m.size();
  const Matrix L = S.llt().matrixL();
  const auto steps = static_cast<Index>(std::ceil(7 / h));
  Vector z = Vector::Constant(C, -h * static_cast<double>(steps)), sum = Vector::Zero(C), p(C);
  double total = 0;
  for (;;) {
    const double weight = std::exp(-0.5 * z.squaredNorm());
    p = (m + L * z).array().exp();
    sum += weight * p / p.sum();
    total += weight;
    Index k = 0;
    while (k < C && z[k] > h * (static_cast<double>(steps) - 0.5)) z[k++] = -h * static_cast<double>(steps);
    if (k == C) return sum / total;
    z[k] += h;
  }
}

TEST(ExpectedSoftmax, OfTwoClassesIsTheLogisticOne) {
  ExpectedSoftmax expected(2);
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const Vector m = 3 * random.normals(2);
    const Matrix S = random_covariance(random, 2, random.scale(0.01, 100));
    Vector p;
    expected(m, S, p);
    EXPECT_NEAR(p[1], expected_sigmoid(m[1] - m[0], S(0, 0) + S(1, 1) - 2 * S(0, 1)), 5e-9);  // (PRED.2)
    EXPECT_NEAR(p.sum(), 1, 1e-15);
  }
}

TEST(ExpectedSoftmax, OfThreeClassesIsExactToNineDigits) {
  ExpectedSoftmax expected(3);
  Random random(3);
  double worst = 0;
  for (const double scale : {0.01, 1.0, 10.0, 100.0})
    for (int i = 0; i < 2; ++i) {
      const Vector m = 2 * random.normals(3);
      const Matrix S = random_covariance(random, 3, scale);
      Vector p;
      expected(m, S, p);
      worst = std::max(worst, (p - by_tensor(m, S, scale > 50 ? 0.1 : 0.14)).cwiseAbs().maxCoeff());
    }
  EXPECT_LE(worst, 3e-9);
}

// With a far away class the other two are a logistic regression, whose expectation is known to 2e-9 for any variance.
TEST(ExpectedSoftmax, OfTwoClassesAndOneFarAwayIsThatOfTwoAtAnyVariance) {
  ExpectedSoftmax expected(3);
  for (const double sd : {0.0, 0.1, 1.0, 10.0, 100.0, 1000.0}) {
    Vector m(3), p;
    m << 1, 0, -1e5;
    Matrix S = Matrix::Zero(3, 3);
    S(0, 0) = sd * sd;
    expected(m, S, p);
    EXPECT_NEAR(p[0], expected_sigmoid(1, sd * sd), sd > 500 ? 2e-3 : 1e-8) << sd;  // beyond 500 the steps are held at 1000 a side
  }
}

TEST(ExpectedSoftmax, OfFourClassesIsExactToThreeDigits) {
  ExpectedSoftmax expected(4);
  Random random(4);
  double worst = 0;
  for (const double scale : {0.1, 1.0, 10.0}) {
    const Vector m = 2 * random.normals(4);
    const Matrix S = random_covariance(random, 4, scale);
    Vector p;
    expected(m, S, p);
    worst = std::max(worst, (p - by_tensor(m, S, 0.35)).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(worst, 1e-3);
}

TEST(ExpectedSoftmax, IgnoresACommonNumberAndKeepsSymmetry) {
  for (const Index C : {3, 5, 20}) {
    ExpectedSoftmax expected(C);
    Random random(5);
    const Vector m = random.normals(C);
    const Matrix S = random_covariance(random, C, 2);
    Vector p, shifted;
    expected(m, S, p);
    expected(m.array() + 7, S.array() + 3, shifted);
    EXPECT_LE((p - shifted).cwiseAbs().maxCoeff(), 1e-6);
    // Scores that are alike in distribution have equal probabilities.
    expected(Vector::Zero(C), Matrix::Identity(C, C), p);
    EXPECT_LE((p.array() - 1 / static_cast<double>(C)).abs().maxCoeff(), C == 3 ? 5e-9 : 1e-3);
    // Without variance the softmax itself.
    Vector plain(C);
    expected(m, Matrix::Zero(C, C), p);
    plain_softmax(m, plain);
    EXPECT_LE((p - plain).cwiseAbs().maxCoeff(), 1e-13);
  }
}

}  // namespace
}  // namespace ardvark
