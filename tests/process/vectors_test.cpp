// The choice of the rows that carry a process.                                                                docs/math/process.md (KM.6)
#include "process/vectors.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "core/normals.hpp"
#include "process/plain_process.hpp"
#include "process/search.hpp"

namespace ardvark::internal {
namespace {

struct Curves {
  Matrix X;
  Vector y, t;
};

Curves curves(Index n, Index d, std::uint64_t seed) {
  Normals normal(seed);
  Curves out{Matrix(n, d), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) out.X(i, j) = normal();
    const double f = std::sin(2 * out.X(i, 0)) + (d > 1 ? 0.5 * out.X(i, 1) : 0.0);
    out.y[i] = f + 0.2 * normal();
    out.t[i] = f + 0.3 * normal() > 0 ? 1 : 0;
  }
  return out;
}

// (KM.5) by inverses.
FunctionMoments plain_moments(const Matrix& K, const ProcessRows& rows) {
  const Matrix B = Matrix(K + Matrix(rows.omega.cwiseInverse().asDiagonal())).inverse();
  const Vector B1 = B.rowwise().sum();
  const double sum = B1.sum() + rows.intercept_omega, b = (B1.dot(rows.z) + rows.intercept_omega * rows.intercept_z) / sum;
  const Vector off = 1 - (K * B1).array();
  return {K * B * Vector(rows.z.array() - b) + Vector::Constant(K.rows(), b),
          (K - K * B * K).diagonal() + Vector(off.array().square() / sum)};
}

// The full posterior that goes with the evidence.                                                                        (KM.1), (KM.5)
TEST(FullEvidence, HasTheMomentsOfTheFullPosterior) {
  for (const bool classes : {false, true}) {
    const Curves rows = curves(40, 2, 7);
    Normals normal(2);
    const Vector k = Vector::NullaryExpr(40, [&] { return 0.5 + normal.uniform(); });
    Covariance covariance("matern52", rows.X, {0, 1});
    const auto evidence = classes ? class_evidence(covariance, k, rows.t) : regression_evidence(covariance, k, rows.y);
    const Vector at = (Vector(3) << 1.3, -0.4, 0.1).finished();
    const FullPosterior full = evidence->posterior(at);
    const FunctionMoments expected = plain_moments(evidence->signal_covariance(at).selfadjointView<Eigen::Lower>(), full.rows);
    EXPECT_LT((full.moments.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((full.moments.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// Rows that are added together give the same posterior as one after the other, and the same rows follow.
TEST(VectorChoice, TakesRowsTogetherAsOneByOne) {
  for (const bool classes : {false, true}) {
    Curves rows = curves(60, 2, 5);
    rows.X.row(9) = rows.X.row(3);  // one of the two explains the other
    Normals normal(3);
    const Vector k = Vector::NullaryExpr(60, [&] { return 0.5 + normal.uniform(); });
    const Matrix K = 4 * plain::covariance("gaussian", rows.X, rows.X, Vector::Constant(2, -0.3));
    const ProcessRows working{
        .omega = k, .z = rows.y, .intercept_omega = classes ? 0.2 : 0.0, .intercept_z = classes ? 0.1 : 0.0, .s2 = classes ? 1 : 0.05};
    const FunctionMoments full = plain_moments(K, working);
    VectorChoice one_by_one(K, working, k, classes, full), together(K, working, k, classes, full);
    one_by_one.grow(0, 0, 6);
    static_cast<void>(one_by_one.add(3));
    EXPECT_FALSE(one_by_one.add(9));
    std::vector<Index> wanted = one_by_one.rows();
    wanted.push_back(9);
    together.add_first(wanted);
    EXPECT_EQ(together.rows(), one_by_one.rows());
    for (const Index most : {9, 15}) {
      one_by_one.grow(0, 0, most);
      together.grow(0, 0, most);
      EXPECT_EQ(together.rows(), one_by_one.rows());
      const Vector a = one_by_one.divergence(), b = together.divergence();
      EXPECT_LT((one_by_one.moments().mean - together.moments().mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_GT(a.maxCoeff(), 1e-6);
    }
  }
}

// Of rows that a narrower kernel needed, a wide one keeps those whose covariance has a factor in any arithmetic.
TEST(VectorChoice, KeepsOnlyRowsThatRoundingErrorsCannotJoin) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Index n = 240;
    const Curves rows = curves(n, 2, seed);
    const Vector k = Vector::Ones(n);
    const double log_rho = -std::log(3.0 + 0.5 * static_cast<double>(seed));
    const Matrix K = plain::covariance("gaussian", rows.X, rows.X, Vector::Constant(2, log_rho));
    const ProcessRows working{.omega = k, .z = rows.y, .s2 = 0.05};
    const FunctionMoments full{Vector::Zero(n), Vector::Ones(n)};
    VectorChoice choice(K, working, k, false, full);
    std::vector<Index> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    choice.add_first(all);
    const Matrix of_chosen = K(choice.rows(), choice.rows());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(of_chosen, Eigen::EigenvaluesOnly).eigenvalues()[0], 1e-13) << seed;
    choice.add_all();
    const Matrix of_all = K(choice.rows(), choice.rows());
    EXPECT_EQ(Matrix(of_all).llt().info(), Eigen::Success) << seed;
  }
}

// The low-rank bound with the features l, up to what does not depend on them; s2 is known, the intercept flat.
double plain_bound(const Matrix& l, const Matrix& K, const ProcessRows& rows) {
  const Matrix B = Matrix(l * l.transpose() + Matrix(rows.omega.cwiseInverse().asDiagonal())).inverse();
  const Vector B1 = B.rowwise().sum();
  const double b = B1.dot(rows.z) / B1.sum(), q = (rows.z.array() - b).matrix().dot(B * Vector(rows.z.array() - b));
  const double rest = rows.omega.dot(Vector(K.diagonal() - l.rowwise().squaredNorm()));
  return 0.5 * std::log(B.determinant()) - 0.5 * std::log(B1.sum()) - 0.5 * q / rows.s2 - 0.5 * rest;
}

// Of the 32 rows with the largest parts in the divergence, the one that raises the bound most, as the definition has it.            (KM.6)
TEST(VectorChoice, TakesTheBestOfTheWorstExplainedRows) {
  const Curves rows = curves(80, 2, 11);
  Normals normal(4);
  const Vector k = Vector::NullaryExpr(80, [&] { return 0.5 + normal.uniform(); });
  const Matrix K = 4 * plain::covariance("gaussian", rows.X, rows.X, Vector::Constant(2, -0.3));
  const ProcessRows working{.omega = k, .z = rows.y, .s2 = 0.05};
  const FunctionMoments full = plain_moments(K, working);
  VectorChoice choice(K, working, k, false, full);
  for (Index size = 0; size < 6; ++size) {
    const Vector part = k.cwiseProduct(choice.divergence());
    const std::vector<Index>& chosen = choice.rows();
    std::vector<Index> order;
    for (Index i = 0; i < 80; ++i)
      if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return part[a] > part[b]; });
    Index best = -1;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at < 32; ++at) {
      std::vector<Index> with = chosen;
      with.push_back(order[at]);
      const Matrix L = Matrix(K(with, with)).llt().matrixL();
      const Matrix features = L.triangularView<Eigen::Lower>().solve(Matrix(K(with, Eigen::all))).transpose();
      if (const double bound = plain_bound(features, K, working); bound > most) most = bound, best = order[at];
    }
    choice.grow(0, 0, size + 1);
    ASSERT_EQ(choice.rows().size(), static_cast<std::size_t>(size + 1));
    EXPECT_EQ(choice.rows().back(), best);
  }
  // In one call, the gains of rows that stay in the pool are updated, and not computed again.
  VectorChoice at_once(K, working, k, false, full);
  at_once.grow(0, 0, 15);
  for (Index size = 6; size < 15; ++size) choice.grow(0, 0, size + 1);
  EXPECT_EQ(at_once.rows(), choice.rows());
}

// A search that begins with some rows ends where one with all rows does.                                                        (KM.3)
TEST(HypothesisSearch, BeginsWithAPartOfTheRowsAndEndsAtTheSameMaximum) {
  for (const bool classes : {false, true}) {
    const Index n = 160;
    const Curves rows = curves(n, 3, 8);
    std::vector<Index> some;
    for (Index i = 0; i < n; i += 2) some.push_back(i);
    const Matrix part_X = rows.X(some, Eigen::all);
    const auto evidence = [&](const Matrix& X, const Vector& target, std::vector<Index> group = {0, 1, 2}) {
      Covariance covariance("gaussian", X, std::move(group));
      const Vector k = Vector::Ones(X.rows());
      return classes ? class_evidence(std::move(covariance), k, target) : regression_evidence(std::move(covariance), k, target);
    };
    const Vector& target = classes ? rows.t : rows.y;
    const auto all = evidence(rows.X, target), part = evidence(part_X, target(some));
    const WidthHypothesis slow = find_hypothesis(*all, {});
    const SearchOutlook with_one = outlook_of_part(*evidence(part_X, target(some), {0, 0, 0}), {}, {});
    for (const Hyperparameters& near : {Hyperparameters(), with_one.theta}) {
      const WidthHypothesis fast = find_hypothesis(*all, {}, outlook(*all, {}, outlook_of_part(*part, {}, near), 2));
      EXPECT_TRUE(slow.best.converged && fast.best.converged);
      EXPECT_NEAR(fast.best.value, slow.best.value, 1e-3);
      EXPECT_NEAR(fast.log_evidence, slow.log_evidence, 2e-2);
      EXPECT_LT(fast.best.steps, slow.best.steps);
    }
  }
}

// From the maximum for another kernel a search ends where its own does; the curvature of its steps is about the right one.     (KM.3)
TEST(HypothesisSearch, FollowsAnotherKernelToItsOwnMaximum) {
  for (const bool classes : {false, true}) {
    const Curves rows = curves(many_rows, 3, 8);
    const auto evidence = [&](const char* kernel) {
      Covariance covariance(kernel, rows.X, {0, 1, 2});
      const Vector k = Vector::Ones(rows.X.rows());
      return classes ? class_evidence(std::move(covariance), k, rows.t) : regression_evidence(std::move(covariance), k, rows.y);
    };
    const WidthHypothesis leader = find_hypothesis(*evidence("gaussian"), {}), own = find_hypothesis(*evidence("cauchy"), {});
    const WidthHypothesis exact = find_hypothesis(*evidence("cauchy"), {}, leader, 1, Ending::exact);
    EXPECT_TRUE(exact.best.converged);
    EXPECT_NEAR(exact.best.value, own.best.value, 1e-3);
    EXPECT_NEAR(exact.log_evidence, own.log_evidence, 2e-2);
    const WidthHypothesis of_steps = find_hypothesis(*evidence("cauchy"), {}, leader, 1, Ending::of_steps);
    EXPECT_NEAR(of_steps.best.value, own.best.value, 0.02);
    EXPECT_NEAR(of_steps.log_evidence, own.log_evidence, 0.5);
    EXPECT_LT(of_steps.best.steps, own.best.steps);
  }
}

// The corners that are asked for are those of all; without one the maximum stands for the hypothesis.                          (KM.4)
TEST(HypothesisSearch, PlacesTheCornersThatAreAskedFor) {
  const Curves rows = curves(60, 3, 8);
  const auto evidence = regression_evidence(Covariance("gaussian", rows.X, {0, 1, 2}), Vector::Ones(60), rows.y);
  const WidthHypothesis found = find_hypothesis(*evidence, {});
  ASSERT_EQ(num_corners(found), 5);
  WidthHypothesis all = found, some = found, none = found;
  place_points(*evidence, {}, all);
  place_points(*evidence, {}, some, std::vector<Index>{1, 4});
  place_points(*evidence, {}, none, std::vector<Index>{});
  ASSERT_EQ(all.points.size(), 5U);
  ASSERT_EQ(some.points.size(), 2U);
  EXPECT_TRUE(some.points[0] == all.points[1]);
  EXPECT_TRUE(some.points[1] == all.points[4]);
  EXPECT_TRUE(some.posteriors[1].moments.mean == all.posteriors[4].moments.mean);
  ASSERT_EQ(none.points.size(), 1U);
  EXPECT_TRUE(none.points[0] == found.best.theta);
  EXPECT_TRUE(none.posteriors[0].moments.variance == evidence->posterior(found.best.theta).moments.variance);
}

}  // namespace
}  // namespace ardvark::internal
