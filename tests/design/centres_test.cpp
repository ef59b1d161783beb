#include "design/centres.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::Random;

TEST(PivotedCholeskyCentres, EachIsTheRowThatTheOnesBeforeExplainWorst) {
  Random random(41);
  const Matrix X = random.normals(40, 2);
  const Kernel kernel = Kernel::gaussian(1.5);
  Matrix K(40, 40);
  kernel.evaluate(X, X, K);
  const std::vector<Index> picks = pivoted_cholesky_centres(kernel, X, 12, 0);
  ASSERT_EQ(picks.size(), 12U);
  for (std::size_t count = 1; count < picks.size(); ++count) {
    Matrix K_cc(count, count), K_nc(40, count);
    for (std::size_t a = 0; a < count; ++a) {
      K_nc.col(static_cast<Index>(a)) = K.col(picks[a]);
      for (std::size_t b = 0; b < count; ++b) K_cc(static_cast<Index>(a), static_cast<Index>(b)) = K(picks[a], picks[b]);
    }
    const Vector left = K.diagonal() - (K_nc * K_cc.ldlt().solve(K_nc.transpose())).diagonal();  // the Schur complement, the plain way
    EXPECT_GE(left[picks[count]], left.maxCoeff() - 1e-9) << count;
  }
}

TEST(PivotedCholeskyCentres, EndsAtTheRankAndAtTheTolerance) {
  Matrix X(6, 1);
  X << 1, 2, 2, 1, 3, 3;
  const std::vector<Index> distinct = pivoted_cholesky_centres(Kernel::gaussian(0.5), X, 10, 1e-10);
  ASSERT_EQ(distinct.size(), 3U);
  for (Index pick : distinct) EXPECT_TRUE(pick == 0 || pick == 1 || pick == 4) << pick;
  EXPECT_EQ(pivoted_cholesky_centres(Kernel::linear(), X, 10, 1e-10), std::vector<Index>{4});
  EXPECT_EQ(pivoted_cholesky_centres(Kernel::gaussian(0.5), X, 2, 0).size(), 2U);
  EXPECT_TRUE(pivoted_cholesky_centres(Kernel::gaussian(0.5), X, 0, 0).empty());
  const Matrix line = Vector::LinSpaced(200, 0, 1);
  // With 99/199 taken, next to the mean, 1 - exp(-2 (100/199)^2) = 0.3965 is left at 1; with 1 taken too,
  // 0.3905 - (exp(-1) - exp(-(99^2 + 100^2)/199^2))^2 / 0.3965 = 0.2468 at 0.
  EXPECT_EQ(pivoted_cholesky_centres(Kernel::gaussian(1), line, 150, 0.40).size(), 1U);
  EXPECT_EQ(pivoted_cholesky_centres(Kernel::gaussian(1), line, 150, 0.25).size(), 2U);
  EXPECT_EQ(pivoted_cholesky_centres(Kernel::gaussian(1), line, 150, 0.24).size(), 3U);
}

// The content of the rows that were taken, in the order in which they were.
Matrix taken(const Kernel& kernel, const Matrix& X, Index count) {
  return X(pivoted_cholesky_centres(kernel, X, count, 1e-12), Eigen::all);
}

TEST(PivotedCholeskyCentres, DoNotDependOnTheOrderOfTheRows) {  // (KER.13)
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = random.integer(2, 80), d = random.integer(1, 3);
    Matrix X = random.normals(n, d);
    if (random.chance(0.5)) X = (2 * X).array().round();  // a grid: many rows are equal, and many as near to the mean
    if (random.chance(0.3)) X.col(0).setConstant(3);
    const std::vector<Kernel> kernels = {Kernel::gaussian(random.scale(0.05, 20)), Kernel::laplacian(1), Kernel::polynomial(2, 1),
                                         Kernel::linear()};
    for (const Kernel& kernel : kernels) {
      const Index count = random.integer(1, 20);
      const Matrix there = taken(kernel, X, count), here = taken(kernel, X(random.permutation(n), Eigen::all), count);
      EXPECT_EQ(here, there) << kernel.name();
      EXPECT_EQ(kmeans_centres(X(random.permutation(n), Eigen::all), count, seed), kmeans_centres(X, count, seed));
    }
  }
}

// Rows so far apart that the kernel of any two of them, and of each and the mean, is zero.
TEST(PivotedCholeskyCentres, DoNotDependOnTheOrderOfTheColumns) {  // (KER.13)
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Index n = random.integer(5, 40), d = random.integer(2, 5), count = random.integer(1, 10);
    const Matrix X = (1000 * random.normals(n, d)).array().round(), turned = X.rowwise().reverse();
    const Kernel kernel = Kernel::gaussian(0.7);
    EXPECT_EQ(pivoted_cholesky_centres(kernel, X, count, 0), pivoted_cholesky_centres(kernel, turned, count, 0)) << seed;
    EXPECT_EQ(kmeans_centres(X, count, seed), Matrix(kmeans_centres(turned, count, seed).rowwise().reverse())) << seed;
  }
}

TEST(PivotedCholeskyCentres, BeginNextToTheMeanWhereAllDiagonalsAreEqual) {  // (KER.13)
  Matrix X(6, 2);
  X << 9, 0, 9, 0, 9, 0, 1, 1, 0, 5, -4, 0;  // the mean of the four different rows is (1.5, 1.5)
  EXPECT_EQ(pivoted_cholesky_centres(Kernel::gaussian(3), X, 1, 0), std::vector<Index>{3});
}

TEST(KmeansCentres, FindsSeparateClustersAndIsRepeatable) {
  Random random(42);
  Matrix X(300, 2);
  for (Index i = 0; i < 300; ++i) X.row(i) << 10.0 * static_cast<double>(i % 3) + 0.1 * random.normal(), 0.1 * random.normal();
  const Matrix C = kmeans_centres(X, 3, 7);
  ASSERT_EQ(C.rows(), 3);
  EXPECT_EQ(C, kmeans_centres(X, 3, 7));
  for (Index cluster = 0; cluster < 3; ++cluster) {
    Eigen::RowVector2d mean(0, 0);
    for (Index i = cluster; i < 300; i += 3) mean += X.row(i) / 100;
    EXPECT_LE((C.rowwise() - mean).rowwise().norm().minCoeff(), 1e-12);
  }
}

TEST(KmeansCentres, ReturnsNoMoreThanTheDifferentRows) {
  Matrix X(5, 1);
  X << 1, 1, 2, 2, 2;
  const Matrix C = kmeans_centres(X, 4, 1);
  ASSERT_EQ(C.rows(), 2);
  EXPECT_EQ(C.minCoeff(), 1);
  EXPECT_EQ(C.maxCoeff(), 2);
  EXPECT_EQ(kmeans_centres(X, 0, 1).rows(), 0);
  EXPECT_EQ(kmeans_centres(X.topRows(1), 3, 1).rows(), 1);
}

}  // namespace
}  // namespace ardvark::internal
