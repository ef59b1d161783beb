// Knockoffs: their covariance, the threshold, and the rate of what is named.                                                (FDR.7),
// (FDR.8)
#include "select/knockoffs.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCore>
#include <cmath>
#include <limits>

#include "core/refusals.hpp"
#include "support/random_problem.hpp"
#include "support/thrown.hpp"

namespace ardvark::internal {
namespace {

using ardvark::testing::expect_invalid;
using ardvark::testing::Random;

// Neighbours are correlated.
Matrix neighbours(Random& random, Index n, Index p, double correlation) {
  Matrix X = random.normals(n, p);
  for (Index j = 1; j < p; ++j) X.col(j) = correlation * X.col(j - 1) + std::sqrt(1 - correlation * correlation) * X.col(j);
  return X;
}

Matrix correlations_of_neighbours(Index p, double correlation) {
  return Matrix::NullaryExpr(p, p, [=](Index i, Index j) { return std::pow(correlation, std::abs(i - j)); });
}

// [C, C - S; C - S, C]
Matrix joint_covariance(const Matrix& C, const Vector& s) {
  const Index p = C.cols();
  Matrix joint(2 * p, 2 * p);
  const Matrix beside = C - Matrix(s.asDiagonal());
  joint << C, beside, beside, C;
  return joint;
}

double reconstructability(const Matrix& C, const Vector& s) { return joint_covariance(C, s).inverse().trace(); }

// Blocks of columns, in each of which any two are correlated.
Matrix blocks(Random& random, Index n, Index p, Index size, double correlation) {
  const Matrix shared = random.normals(n, p / size);
  Matrix X = std::sqrt(1 - correlation) * random.normals(n, p);
  for (Index j = 0; j < p; ++j) X.col(j) += std::sqrt(correlation) * shared.col(j / size);
  return X;
}

Matrix scaled(Matrix X) {
  X.rowwise() -= X.colwise().mean().eval();
  for (Index j = 0; j < X.cols(); ++j) X.col(j) *= std::sqrt(static_cast<double>(X.rows())) / X.col(j).norm();
  return X;
}

double largest_error(const Matrix& found, const Matrix& expected) { return (found - expected).cwiseAbs().maxCoeff(); }

TEST(Knockoffs, AndTheColumnsHaveAPositiveCovariance) {
  for (const double correlation : {0.0, 0.5, 0.9, 0.99})
    for (const Index p : {1, 2, 15, 60}) {
      const Matrix C = correlations_of_neighbours(p, correlation);
      const Vector s = knockoff_distances(C);
      EXPECT_GT(s.minCoeff(), 0);
      const Eigen::SelfAdjointEigenSolver<Matrix> joint(joint_covariance(C, s));
      EXPECT_GT(joint.eigenvalues()[0], 0) << correlation << ", " << p;
    }
}

// No change of one distance lowers what is minimised; of independent columns each is 1.
TEST(Knockoffs, AreHardToReconstruct) {
  EXPECT_LT((knockoff_distances(Matrix::Identity(9, 9)) - Vector::Ones(9)).cwiseAbs().maxCoeff(), 1e-12);
  const Matrix C = correlations_of_neighbours(12, 0.8);
  const Vector s = knockoff_distances(C);
  const double least = reconstructability(C, s);
  for (Index j = 0; j < 12; ++j)
    for (const double factor : {0.9, 0.97, 1.03, 1.1}) {
      Vector other = s;
      other[j] *= factor;
      if (Eigen::SelfAdjointEigenSolver<Matrix>(joint_covariance(C, other)).eigenvalues()[0] > 0) {
        EXPECT_GT(reconstructability(C, other), least * (1 - 1e-5)) << j << ", " << factor;
      }
    }
}

// 40,000 rows: a covariance of variables with variance 1 has a standard error of at most .008. So a column and its knockoff can be swapped.
TEST(Knockoffs, HaveTheCovarianceOfTheFormula) {
  Random random(1);
  const Index n = 40000, p = 8;
  const Matrix C = correlations_of_neighbours(p, 0.7), Z = neighbours(random, n, p, 0.7);
  const Vector s = knockoff_distances(C);
  Normals draw(3);
  Matrix knockoffs;
  ASSERT_TRUE(draw_knockoffs(Z, C, s, draw, knockoffs));
  Matrix both(n, 2 * p);
  both << Z, knockoffs;
  const Matrix found = both.transpose() * both / static_cast<double>(n), expected = joint_covariance(C, s);
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 5 * 0.008);
  for (Index j = 0; j < p; ++j) {
    Matrix swapped = both;
    swapped.col(j).swap(swapped.col(p + j));
    EXPECT_LT((swapped.transpose() * swapped / static_cast<double>(n) - expected).cwiseAbs().maxCoeff(), 5 * 0.008) << j;
  }
}

// Fewer rows than columns: shrunk, so positive definite; many rows: those of the columns.
TEST(Knockoffs, ShrinkTheCorrelations) {
  Random random(2);
  const auto shrunk = [&](Index n, Index p) { return shrunk_correlations(scaled(neighbours(random, n, p, 0.6)), Vector::Ones(n)); };
  Matrix Z = random.normals(6, 3), twice(9, 3);
  twice << Z, Z.topRows(3);
  Vector weights = Vector::Ones(6);
  weights.head(3).setConstant(2);
  EXPECT_LT((shrunk_correlations(Z, weights) - shrunk_correlations(twice, Vector::Ones(9))).cwiseAbs().maxCoeff(), 1e-12)
      << "a weight repeats a row";
  const Matrix few = shrunk(20, 60), many = shrunk(20000, 10);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(few).eigenvalues()[0], 0.05);
  EXPECT_LT((many - correlations_of_neighbours(10, 0.6)).cwiseAbs().maxCoeff(), 0.04);
}

// Two pairs of columns, by hand: the second and the fourth each depend on the one before, the pairs not on each other.
TEST(Knockoffs, KnowTheNeighboursOfAColumn) {
  Random random(6);
  const Index n = 100;
  const Matrix U = Eigen::HouseholderQR<Matrix>(random.normals(n, 4)).householderQ() * (10 * Matrix::Identity(n, 4));
  Matrix Z = U;
  Z.col(1) = 0.8 * U.col(0) + 0.6 * U.col(1);
  Z.col(3) = 0.8 * U.col(2) - 0.6 * U.col(3);
  Matrix expected = Matrix::Identity(4, 4);
  expected(0, 1) = expected(1, 0) = expected(2, 3) = expected(3, 2) = 0.8 / std::sqrt(0.64 + 0.36 * 100 / 99);
  EXPECT_LT(largest_error(neighbour_correlations(Z, Vector::Ones(n)), expected), 1e-5);
  const Matrix C = correlations_of_neighbours(10, 0.6);
  EXPECT_LT(largest_error(neighbour_correlations(scaled(neighbours(random, 20000, 10, 0.6)), Vector::Ones(20000)), C), 0.04);
}

// Fewer rows than columns: what is shrunk has less than .8 of these correlations, and a column would not be like its knockoff. A column
// that is a combination of others has no knockoff but itself.
TEST(Knockoffs, HaveTheCorrelationsOfFewRows) {
  Random random(7);
  const Matrix Z = scaled(blocks(random, 60, 240, 6, 0.95));
  const Matrix C = knockoff_correlations(Z, Vector::Ones(60)), shrunk = shrunk_correlations(Z, Vector::Ones(60));
  double found = 0, before = 0;
  for (Index j = 0; j < 240; j += 6) {
    found += (C.block(j, j, 6, 6).sum() - 6) / 30 / 40;
    before += (shrunk.block(j, j, 6, 6).sum() - 6) / 30 / 40;
  }
  EXPECT_LT(before, 0.8);
  EXPECT_NEAR(found, 0.95, 0.02);
  const Matrix noise = scaled(random.normals(300, 40));
  EXPECT_EQ(knockoff_correlations(noise, Vector::Ones(300)), shrunk_correlations(noise, Vector::Ones(300)))
      << "says more of independent ones";
  Matrix copies(200, 30);
  copies << noise.topLeftCorner(200, 15), noise.topLeftCorner(200, 15);
  const Matrix near = knockoff_correlations(scaled(copies), Vector::Ones(200));
  EXPECT_GT(near(3, 18), 0.999);
  Matrix knockoffs;
  Normals draw(1);
  ASSERT_TRUE(draw_knockoffs(scaled(copies), near, knockoff_distances(near), draw, knockoffs));
  EXPECT_LT(largest_error(knockoffs, scaled(copies)), 0.02);
}

// (1 + the number at most -t) / the number at least t, by hand.
TEST(Knockoffs, AreComparedAtTheSmallestThresholdThatKeepsTheRate) {
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(knockoff_threshold({}, 0.5), none);
  EXPECT_EQ(knockoff_threshold({0.9, 0.8, 0.7}, 0.3), none) << "one of three is more than .3";
  EXPECT_EQ(knockoff_threshold({0.9, 0.8, 0.7}, 0.34), 0.7);
  EXPECT_EQ(knockoff_threshold({0.9, 0.8, 0.7, 0.6, -0.65}, 0.4), 0.7) << "at .6, two of four";
  EXPECT_EQ(knockoff_threshold({0.9, 0.8, 0.7, 0.6, -0.65}, 0.5), 0.6);
  EXPECT_EQ(knockoff_threshold({-0.9, -0.8, 0.1}, 0.9), none);
}

TEST(Knockoffs, NameNothingWhereNothingCanBeSaid) {
  Random random(3);
  const Matrix X = random.normals(100, 8);
  const Vector y = 3 * X.col(2) + random.normals(100);
  const Effects found = find_effects(X, y, {.guarantee = Guarantee::knockoffs});
  EXPECT_TRUE(effects_at(found, 0.1).empty()) << "one column is fewer than ten";
  ASSERT_FALSE(found.nested.empty());
  EXPECT_EQ(found.nested.front().front().columns, std::vector<Index>{2});
  const Matrix constant = Matrix::Ones(20, 3);
  EXPECT_TRUE(find_effects(constant, Vector(y.head(20)), {.guarantee = Guarantee::knockoffs}).nested.empty());
}

TEST(Knockoffs, OfASparseXAreThoseOfItsNumbers) {
  Random random(4);
  Matrix X = random.normals(120, 30);
  X = (X.array().abs() > 0.8).select(X, 0.0);
  const Vector y = X.leftCols(10) * Vector::Ones(10) + random.normals(120);
  const Eigen::SparseMatrix<double> sparse = X.sparseView();
  const CscView csc(sparse.outerIndexPtr(), sparse.innerIndexPtr(), sparse.valuePtr(), 120, 30);
  const EffectOptions options{.guarantee = Guarantee::knockoffs};
  const Effects found = find_effects(csc, y, options), expected = find_effects(X, y, options);
  ASSERT_EQ(found.differences.size(), expected.differences.size());
  for (std::size_t i = 0; i < found.differences.size(); ++i) EXPECT_NEAR(found.differences[i], expected.differences[i], 1e-6);
  EXPECT_EQ(effects_at(found, 0.3).size(), effects_at(expected, 0.3).size());
}

struct Rates {
  double false_share = 0, error = 0, power = 0;
};

// Of 25 effects of four standard errors each, with either sign.
Rates measured(Task task, double fdr, int tables) {
  const Index n = 500, p = 100, effects = 25;
  std::vector<double> shares;
  Rates out;
  for (int table = 0; table < tables; ++table) {
    Random random(static_cast<unsigned>(1000 + table));
    const Matrix X = neighbours(random, n, p, 0.3);
    Vector w = Vector::Zero(p);
    for (Index k = 0; k < effects; ++k) w[4 * k] = (random.chance(0.5) ? 1 : -1) * (task == Task::linear ? 0.2 : 0.6);
    Vector y = X * w + (task == Task::linear ? 1.0 : 1.7) * random.normals(n);
    if (task == Task::logistic) y = (y.array() > 0).cast<double>().matrix().eval();
    const EffectOptions options{.task = task, .guarantee = Guarantee::knockoffs, .seed = static_cast<std::uint64_t>(table)};
    const std::vector<EffectSet> named = effects_at(find_effects(X, y, options), fdr);
    double wrong = 0;
    for (const EffectSet& set : named) wrong += w[set.columns[0]] == 0;
    shares.push_back(named.empty() ? 0 : wrong / static_cast<double>(named.size()));
    out.power += (static_cast<double>(named.size()) - wrong) / static_cast<double>(effects * tables);
  }
  for (const double share : shares) out.false_share += share / tables;
  double squares = 0;
  for (const double share : shares) squares += (share - out.false_share) * (share - out.false_share);
  out.error = std::sqrt(squares / (tables - 1) / tables);
  return out;
}

// The theorem holds for each table; the mean over tables may be two standard errors above.
TEST(Knockoffs, KeepTheRate) {
  for (const Task task : {Task::linear, Task::logistic}) {
    const int tables = task == Task::linear ? 40 : 10;
    const Rates found = measured(task, 0.2, tables);
    EXPECT_LE(found.false_share, 0.2 + 2 * found.error) << (task == Task::linear ? "numbers" : "classes");
    EXPECT_GT(found.power, 0.3);
  }
}

// Fewer rows than columns, neighbours correlated .95: of shrunk correlations, .88 of what is named at .2 would be neighbours.
TEST(Knockoffs, KeepTheRateWhereColumnsAreAlike) {
  const Index n = 120, p = 240, size = 8, tables = 8;
  double false_share = 0;
  for (Index table = 0; table < tables; ++table) {
    Random random(static_cast<unsigned>(2000 + table));
    const Matrix X = blocks(random, n, p, size, 0.95);
    Vector w = Vector::Zero(p);
    for (Index k = 0; k < 8; ++k) w[3 * k * size] = random.chance(0.5) ? 0.7 : -0.7;
    const std::vector<EffectSet> named =
        effects_at(find_effects(X, Vector(X * w + random.normals(n)), {.guarantee = Guarantee::knockoffs}), 0.2);
    double wrong = 0;
    for (const EffectSet& set : named) wrong += w[set.columns[0]] == 0;
    if (!named.empty()) false_share += wrong / static_cast<double>(named.size() * tables);
  }
  EXPECT_LE(false_share, 0.2);
}

TEST(Knockoffs, RefuseWhatTheyAreNotFor) {
  Random random(5);
  const Matrix X = random.normals(30, 4);
  const Vector y = random.normals(30);
  const std::vector<Index> flat = {1};
  expect_invalid([&] { (void)find_effects(X, y, {.flat = flat, .guarantee = Guarantee::knockoffs}); }, {"knockoffs", "without a prior"});
  const Matrix wide = random.normals(5, 1001);
  expect_invalid([&] { (void)find_effects(wide, Vector(y.head(5)), {.guarantee = Guarantee::knockoffs}); }, {"knockoffs", "1000", "1001"});
}

}  // namespace
}  // namespace ardvark::internal
