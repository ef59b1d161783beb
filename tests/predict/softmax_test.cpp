// (SMX.8): the expected softmax against brute force.
#include "predict/softmax.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/special.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal {
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

// The trapezoidal rule with step h over the two differences to the first score.
Vector by_differences(const Vector& m, const Matrix& S, double h) {
  Matrix D(2, 3);
  D << -1, 1, 0, -1, 0, 1;
  const Matrix L = (D * S * D.transpose()).llt().matrixL();
  const Vector mean = D * m;
  const auto steps = static_cast<Index>(std::ceil(7 / h));
  Vector sum = Vector::Zero(3);
  for (Index i = -steps; i <= steps; ++i)
    for (Index k = -steps; k <= steps; ++k) {
      const double x = h * static_cast<double>(i), y = h * static_cast<double>(k), a = mean[0] + L(0, 0) * x,
                   b = mean[1] + L(1, 0) * x + L(1, 1) * y, top = std::max({0.0, a, b});
      const double e0 = std::exp(-top), ea = std::exp(a - top), eb = std::exp(b - top);
      const double weight = std::exp(-0.5 * (x * x + y * y)) / (e0 + ea + eb);
      sum += weight * Vector(Eigen::Vector3d(e0, ea, eb));
    }
  return sum / sum.sum();
}

// Triangles of all shapes: sides of 0.003 to 60 standard deviations, means where classes meet.
// Far out, the widths of the integrand are less than the rounding of the scores: the largest score wins, and the sum must end.
TEST(ExpectedSoftmax, OfThreeClassesEndsForScoresOfAnySize) {
  ExpectedSoftmax expected(3);
  for (const double size : {1e3, 1e10, 1e20, 1e100, 1e150})
    for (const double spread : {1e-30, 1e-17, 1e-12, 1e-6, 1e-3}) {
      const Vector m = size * Vector{{1, 3, 2}};
      const Matrix S = std::pow(spread * size, 2) * Matrix::Identity(3, 3);
      Vector p;
      expected(m, S, p);
      EXPECT_NEAR(p[1], 1, 1e-9) << size << " " << spread;
      EXPECT_NEAR(p.sum(), 1, 1e-15);
      const Vector equal = size * Vector{{1, 1, 0}};
      expected(equal, S, p);
      EXPECT_NEAR(p[0], 0.5, 1e-9) << size << " " << spread;
    }
  Vector p;
  Matrix infinite = Matrix::Zero(3, 3);
  infinite.diagonal().setConstant(std::numeric_limits<double>::infinity());
  expected(Vector::Zero(3), infinite, p);
  EXPECT_TRUE(p.array().isNaN().all()) << "predict() refuses it";
}

TEST(ExpectedSoftmax, OfThreeClassesIsExactToEightDigitsAtAnyVariance) {
  ExpectedSoftmax expected(3);
  Random random(7);
  double worst = 0;
  for (const double longest : {0.3, 3.0, 20.0})
    for (const double other : {0.01, 0.3, 1.0})
      for (int i = 0; i < 3; ++i) {
        Matrix A = random.normals(3, 2);
        A.col(0) *= longest;
        A.col(1) *= longest * other;
        const Vector m = 0.5 * longest * random.normals(3);
        const Matrix S = A * A.transpose() + 1e-9 * Matrix::Identity(3, 3);
        Vector p;
        expected(m, S, p);
        EXPECT_NEAR(p.sum(), 1, 1e-15);
        worst = std::max(worst, (p - by_differences(m, S, 0.2 / (longest + 2))).cwiseAbs().maxCoeff());
      }
  EXPECT_LE(worst, 1e-8);
}

// With a far away class the other two are a logistic regression, whose expectation is known to 2e-9 for any variance.
TEST(ExpectedSoftmax, OfTwoClassesAndOneFarAwayIsThatOfTwoAtAnyVariance) {
  ExpectedSoftmax expected(3);
  for (const double sd : {0.0, 0.1, 1.0, 10.0, 100.0, 1000.0, 1e5, 1e8, 1e12}) {
    Vector m(3), p;
    m << 1, 0, -100 * (sd + 1);
    Matrix S = Matrix::Zero(3, 3);
    S(0, 0) = sd * sd;
    expected(m, S, p);
    EXPECT_NEAR(p[0], expected_sigmoid(1, sd * sd), 1e-8) << sd;
  }
}

// As the variance grows the softmax is the largest score's, and P(f_c > f_a, f_c > f_b) = 1/4 + asin(rho)/(2 pi) at equal means.
TEST(ExpectedSoftmax, OfThreeClassesHasTheProbabilitiesOfOrthantsForItsLimit) {
  ExpectedSoftmax expected(3);
  Random random(8);
  for (const double sd : {1e5, 1e7, 1e10, 1e100})
    for (int i = 0; i < 5; ++i) {
      const Matrix S = sd * sd * random_covariance(random, 3, 1);
      Vector p;
      expected(Vector::Zero(3), S, p);
      for (Index c = 0; c < 3; ++c) {
        const Index a = (c + 1) % 3, b = (c + 2) % 3;
        const auto covariance = [&](Index k, Index l) { return S(c, c) - S(c, k) - S(c, l) + S(k, l); };
        const double rho = covariance(a, b) / std::sqrt(covariance(a, a)) / std::sqrt(covariance(b, b));
        EXPECT_NEAR(p[c], 0.25 + std::asin(rho) / (2 * 3.14159265358979323846), 1e-8) << sd;
      }
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

// Independent scores of large and equal variance, one mean ahead by one standard deviation: it wins with E Phi(z + 1)^(C - 1).
TEST(ExpectedSoftmax, OfManyClassesHasTheProbabilityOfTheLargestForItsLimit) {
  for (const Index C : {4, 6, 10}) {
    ExpectedSoftmax expected(C);
    Vector m = Vector::Zero(C), p;
    m[1] = 1e6;
    expected(m, 1e12 * Matrix::Identity(C, C), p);
    double ahead = 0, h = 0.01;
    for (double z = -8; z <= 8; z += h) ahead += h * normal_pdf(z) * std::pow(normal_cdf(z + 1), static_cast<double>(C - 1));
    EXPECT_NEAR(p[1], ahead, 1e-2) << C;
  }
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

// Three classes are exact to eight digits, for the class of the row; of other variances it says so.                            (PASS.8)
TEST(NarrowSoftmax, IsNearTheExpectedSoftmaxWhereItAnswers) {
  ExpectedSoftmax expected(3);
  NarrowSoftmax narrow(3);
  Random random(31);
  int answers = 0;
  double worst = 0;
  for (int i = 0; i < 4000; ++i) {
    const Vector m = random.scale(0.1, 10) * random.normals(3);
    const Matrix S = random_covariance(random, 3, random.scale(1e-4, 10));
    const auto own = static_cast<Index>(random.uniform(0, 2.99));
    Vector p, exact;
    if (!narrow(m, S, own, p)) continue;
    ++answers;
    expected(m, S, exact);
    worst = std::max(worst, (std::abs(p[own] - exact[own]) - 2e-8) / exact[own]);
    EXPECT_NEAR(p.sum(), 1, 1e-12);
  }
  EXPECT_GT(answers, 1500);
  EXPECT_LT(answers, 3900);
  EXPECT_LE(worst, 1e-4);
}

// The odds of two of many classes are those of fewer: the others are far away.
TEST(NarrowSoftmax, OfManyClassesIsThatOfThree) {
  for (const Index C : {4, 9, 16, 17, 30}) {
    ExpectedSoftmax expected(3);
    NarrowSoftmax narrow(C);
    Random random(32);
    for (int i = 0; i < 20; ++i) {
      Vector m = Vector::Constant(C, -60), p, exact;
      m.head(3) = random.normals(3);
      const Matrix S = random_covariance(random, C, 0.005);
      expected(m.head(3), S.topLeftCorner(3, 3), exact);
      ASSERT_TRUE(narrow(m, S, 0, p));
      EXPECT_NEAR(p[0] / exact[0], 1, C > 16 ? 1e-4 : 2e-6);
    }
  }
}

TEST(NarrowSoftmax, WithoutVarianceIsTheSoftmax) {
  NarrowSoftmax narrow(5);
  const Vector m = Random(33).normals(5);
  Vector p, plain(5);
  plain_softmax(m, plain);
  ASSERT_TRUE(narrow(m, Matrix::Ones(5, 5), 2, p));  // known but for a common number
  EXPECT_LE((p - plain).cwiseAbs().maxCoeff(), 1e-15);
}

}  // namespace
}  // namespace ardvark::internal
