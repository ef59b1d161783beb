#include "posterior/krylov.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// A symmetric matrix with these eigenvalues.
Matrix matrix_with(Random& random, const Vector& values) {
  const Matrix Q = Eigen::HouseholderQR<Matrix>(random.normals(values.size(), values.size())).householderQ();
  return Q * values.asDiagonal() * Q.transpose();
}

Vector falling(Index size, double ratio) {
  Vector out(size);
  for (Index i = 0; i < size; ++i) out[i] = std::pow(ratio, -static_cast<double>(i) / static_cast<double>(size - 1));
  return out;
}

TEST(Lanczos, FormsAreThoseOfTheEigenvalues) {  // (RIDGE.13)
  Random random(1);
  Vector values = 50 * falling(60, 1e4);
  values.head(5).setZero();
  const Matrix S = matrix_with(random, values), Z = random.normals(60, 3);
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(S);
  Lanczos steps(Z);
  for (int step = 0; step < 90; ++step) steps.advance([&](const Matrix& V) { return Matrix(S * V); });  // more than the size
  for (const double a : {0.1, 3.0, 1e3})
    for (Index i = 0; i < 3; ++i) {
      const Vector z = solved.eigenvectors().transpose() * Z.col(i), square = z.cwiseAbs2();
      const Eigen::ArrayXd l = solved.eigenvalues().array().max(0.0);
      const Lanczos::Solved x = steps.solve(i, a);
      EXPECT_NEAR(x.zx, (square.array() / (l + a)).sum(), 1e-10 * x.zx);
      EXPECT_NEAR(x.xx, (square.array() / (l + a).square()).sum(), 1e-10 * x.xx);
      EXPECT_NEAR(x.xSx, (square.array() * l / (l + a).square()).sum(), 1e-9 * x.xSx);
      EXPECT_NEAR(steps.log_form(i, a), square.dot((l + a).log().matrix()), 1e-10 * square.sum());
      EXPECT_NEAR(steps.first(i) * steps.squares()[i], Z.col(i).dot(S * Z.col(i)), 1e-10 * square.sum() * 50);
      EXPECT_LT(x.remaining, 1e-9);
      EXPECT_GE(steps.largest(), solved.eigenvalues().maxCoeff() * (1 - 1e-12));
    }
}

TEST(Lanczos, KeepsItsVectorsIfTheyHaveRoom) {
  Random random(4);
  const Matrix S = matrix_with(random, 10 * falling(50, 1e2)), z = random.normals(50, 1);
  Lanczos kept(z, 1e9), some(z, 50 * 8 * 10);
  for (int step = 0; step < 45; ++step)
    for (Lanczos* steps : {&kept, &some}) steps->advance([&](const Matrix& V) { return Matrix(S * V); });
  EXPECT_LT((S * kept.solution(0.5) + 0.5 * kept.solution(0.5) - z.col(0)).norm(), 1e-8);
  EXPECT_EQ(some.solution(0.5).size(), 0);
}

TEST(Lanczos, SaysWhatIsLeftOfTheSolution) {
  Random random(2);
  const Matrix S = matrix_with(random, 100 * falling(80, 1e3)), Z = random.normals(80, 1);
  const auto product = [&](const Matrix& V) { return Matrix(S * V); };
  const double a = 0.5;
  const double exact = Z.col(0).dot((S + a * Matrix::Identity(80, 80)).llt().solve(Z.col(0)));
  Lanczos steps(Z);
  for (int step = 0; step < 40; ++step) {
    steps.advance(product);
    const Lanczos::Solved x = steps.solve(0, a);
    EXPECT_LE(x.zx, exact * (1 + 1e-10)) << "Gauss' quadrature is below";
    EXPECT_LE(exact - x.zx, x.remaining * x.remaining / a + 1e-10 * exact);
  }
}

TEST(Lanczos, AVectorOfZerosAndOneWithoutMoreDirectionsEndByThemselves) {
  Matrix S = Matrix::Zero(6, 6), Z = Matrix::Zero(6, 2);
  S.diagonal() << 0, 2, 2, 5, 5, 5;
  Z.col(1) << 1, 1, 0, 0, 2, 0;
  Lanczos steps(Z);
  for (int step = 0; step < 20; ++step) steps.advance([&](const Matrix& V) { return Matrix(S * V); });
  EXPECT_EQ(steps.solve(0, 1).zx, 0);
  EXPECT_NEAR(steps.solve(1, 1).zx, 1 + 1.0 / 3 + 4.0 / 6, 1e-13);
  EXPECT_NEAR(steps.log_form(1, 1), std::log(3) + 4 * std::log(6), 1e-13);
}

TEST(Gradients, KeepTheirPromiseOrSayWhatIsLeft) {  // (RIDGE.12)
  Random random(3);
  for (const double ratio : {1e1, 1e4, 1e7}) {
    const Matrix S = matrix_with(random, ratio * falling(100, ratio)), B = random.normals(100, 9);
    const auto product = [&](const Matrix& V) { return Matrix(S * V); };
    const auto rounded = [&](const Matrix& V) { return Matrix((S.cast<float>() * V.cast<float>()).cast<double>()); };
    Matrix X;
    const double left = solve_by_gradients(product, product, 0.3, B, 1e-7, X);
    const Matrix R = B - S * X - 0.3 * X;
    EXPECT_LE(left, 1e-7);
    EXPECT_NEAR(left, R.colwise().norm().maxCoeff(), 2e-8);
    if (ratio < 1e5) {  // the rounding of the largest eigenvalue is below a
      EXPECT_LE(solve_by_gradients(product, rounded, 0.3, B, 1e-6, X), 1e-6) << "products with few digits in the steps";
      EXPECT_LE((B - S * X - 0.3 * X).colwise().norm().maxCoeff(), 2e-6);
    }
    const double impossible = solve_by_gradients(product, product, 0.3, B, 1e-30, X);
    EXPECT_GT(impossible, 1e-30);
    EXPECT_LT(impossible, 1e-6);
  }
  const auto same = [](const Matrix& V) { return V; };
  Matrix X;
  EXPECT_EQ(solve_by_gradients(same, same, 1, Matrix::Zero(4, 2), 0, X), 0);
  EXPECT_TRUE(X.isZero(0));
}

}  // namespace
}  // namespace ardvark::internal
