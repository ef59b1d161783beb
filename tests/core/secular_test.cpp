#include "core/secular.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// Spread over many decades, with equal entries on the diagonal, zeros and tiny entries in v.
DiagonalPlusRankOne random_structure(Random& random, Index n) {
  DiagonalPlusRankOne of{Vector(n), random.normals(n), random.chance(0.5) ? 1.0 : -1.0};
  const bool equal = random.chance(0.5), wide = random.chance(0.5);
  for (double& x : of.a) x = equal ? static_cast<double>(random.integer(1, 4)) : wide ? random.scale(1e-9, 1e3) : random.normal();
  for (double& x : of.v)
    if (random.chance(0.2)) x *= random.chance(0.5) ? 0 : 1e-14;
  if (random.chance(0.1)) of.v.setZero();
  if (random.chance(0.1)) of.a.setConstant(2);
  of.v *= random.scale(1e-3, 1e3);
  return of;
}

Matrix full(const DiagonalPlusRankOne& of) { return Matrix(of.a.asDiagonal()) + of.sign * of.v * of.v.transpose(); }

TEST(DiagonalPlusRankOne, IsDecomposedToRounding) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(1, 90);
    const DiagonalPlusRankOne of = random_structure(random, n);
    const Matrix C = full(of);
    Vector values;
    Matrix Q;
    ASSERT_TRUE(decompose(of, values, Q));
    const double scale = of.a.cwiseAbs().maxCoeff() + of.v.squaredNorm();
    EXPECT_LE((Q.transpose() * Q - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LE((Q * values.asDiagonal() * Q.transpose() - C).cwiseAbs().maxCoeff(), 1e-13 * scale);
    for (Index i = 1; i < n; ++i) EXPECT_LE(values[i - 1], values[i]);
  }
}

TEST(DiagonalPlusRankOne, IsRecognisedAndNothingElseIs) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(4, 40);
    const DiagonalPlusRankOne of = random_structure(random, n);
    Matrix C = full(of);
    C.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));  // is not read
    const auto found = as_diagonal_plus_rank_one(C);
    ASSERT_TRUE(found.has_value());
    const double scale = full(of).cwiseAbs().maxCoeff();
    EXPECT_LE((full(*found) - full(of)).cwiseAbs().maxCoeff(), 1e-12 * scale);
    C(n - 1, 1) += 1e-6 * scale;
    C(n - 2, 0) -= 1e-6 * scale;
    EXPECT_FALSE(as_diagonal_plus_rank_one(C).has_value());
  }
  EXPECT_FALSE(as_diagonal_plus_rank_one(Matrix::Constant(5, 5, std::nan(""))).has_value());
}

// Dummies of a text column: of N rows n_l at level l, centred.
TEST(DiagonalPlusRankOne, IsTheGramMatrixOfDummies) {
  Random random(3);
  const Index n = 400, levels = 80;
  Matrix X = Matrix::Zero(n, levels);
  for (Index i = 0; i < n; ++i)
    if (const Index level = i < levels ? i : std::min(random.integer(0, levels), random.integer(0, 3 * levels)); level < levels)
      X(i, level) = 1;
  X.rowwise() -= X.colwise().mean();
  for (Index j = 0; j < levels; ++j) X.col(j) /= X.col(j).norm();
  const Matrix C = X.transpose() * X;
  ASSERT_TRUE(as_diagonal_plus_rank_one(C).has_value());
  Matrix Q = C;
  Vector values;
  ASSERT_TRUE(symmetric_eigen(Q, values));
  const Eigen::SelfAdjointEigenSolver<Matrix> plain(C);
  EXPECT_LE((values - plain.eigenvalues()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((Q * values.asDiagonal() * Q.transpose() - C).cwiseAbs().maxCoeff(), 1e-12);
  Q = C;
  EXPECT_FALSE(symmetric_eigen(Q, values, 10));  // an eigenvalue is below
}

}  // namespace
}  // namespace ardvark::internal
