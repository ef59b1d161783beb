// The low-rank form of the evidence against the exact one.                                                      docs/math/process.md (KM.7)
#include "process/low_rank.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/normals.hpp"

namespace ardvark::internal {
namespace {

struct FunctionRows {
  Matrix X;
  Vector y, t, k;
};

FunctionRows function_rows(Index n, std::uint64_t seed) {
  Normals normal(seed);
  FunctionRows out{Matrix(n, 3), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) out.X(i, j) = normal();
    out.y[i] = std::sin(2 * out.X(i, 0)) + 0.3 * normal();
    out.t[i] = out.X(i, 0) * out.X(i, 1) + 0.5 * normal() > 0 ? 1 : 0;
    out.k[i] = std::floor(1 + 3 * normal.uniform());
  }
  return out;
}

std::unique_ptr<LowRankEvidence> low_rank(const FunctionRows& rows, bool classes) {
  Covariance covariance("gaussian", rows.X, {0, 1, 1});
  return classes ? low_rank_classes(covariance, rows.k, rows.t) : low_rank_regression(covariance, rows.k, rows.y);
}
std::unique_ptr<ProcessEvidence> exact(const FunctionRows& rows, bool classes) {
  Covariance covariance("gaussian", rows.X, {0, 1, 1});
  return classes ? class_evidence(covariance, rows.k, rows.t) : regression_evidence(covariance, rows.k, rows.y);
}
std::vector<Index> first_rows(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

const Hyperparameters theta = (Vector(3) << 1.2, 0.3, -0.7).finished();

TEST(LowRank, OfAllRowsIsTheExactEvidence) {
  for (const bool classes : {false, true})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const FunctionRows rows = function_rows(60, seed);
      const auto bound = low_rank(rows, classes);
      bound->set_centres(first_rows(60));
      const Slope a = bound->at(theta, true), b = exact(rows, classes)->at(theta, true);
      EXPECT_NEAR(a.value, b.value, classes ? 2e-6 : 1e-6) << seed;
      EXPECT_LT((a.gradient - b.gradient).cwiseAbs().maxCoeff(), classes ? 5e-3 : 1e-5) << seed;
    }
}

// Whole steps to the posterior may fall without end where the function is large and the rows are many.
TEST(LowRank, FindsThePosteriorOfClassesWithALargeFunction) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    FunctionRows rows = function_rows(60, seed);
    rows.k *= 200;
    const auto bound = low_rank(rows, true);
    bound->set_centres(first_rows(60));
    for (const double log_h : {4.0, 7.0, 10.5}) {
      const Hyperparameters large = (Vector(3) << log_h, 0.5, -0.5).finished();
      const double value = bound->at(large, false).value, best = exact(rows, true)->at(large, false).value;
      EXPECT_GT(value, best - 0.002 * rows.k.sum()) << seed << " at " << log_h;  // nats a row
      EXPECT_LT(value, best + 0.02) << seed << " at " << log_h;
    }
  }
}

TEST(LowRank, IsABoundThatRisesWithItsCentres) {
  for (const bool classes : {false, true})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const FunctionRows rows = function_rows(80, seed);
      double last = -std::numeric_limits<double>::infinity();
      const auto bound = low_rank(rows, classes);
      for (const Index m : {2, 5, 10, 20, 40, 80}) {
        bound->set_centres(first_rows(m));
        const double value = bound->at(theta, false).value;
        EXPECT_GT(value, last - 1e-6) << m;
        last = value;
      }
      EXPECT_LT(last, exact(rows, classes)->at(theta, false).value + 3e-6);
    }
}

TEST(LowRank, HasTheGradientOfFiniteDifferences) {
  for (const bool classes : {false, true})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const FunctionRows rows = function_rows(700, seed);  // more than one block
      const auto bound = low_rank(rows, classes);
      bound->set_centres(choose_centres(bound->covariance(), theta, 25));
      const Vector gradient = bound->at(theta, true).gradient;
      for (Index i = 0; i < theta.size(); ++i) {
        constexpr double step = 1e-3;
        Hyperparameters up = theta, down = theta;
        up[i] += step, down[i] -= step;
        const double slope = (bound->at(up, false).value - bound->at(down, false).value) / (2 * step);
        EXPECT_NEAR(gradient[i], slope, classes ? 0.02 : 2e-3) << (classes ? "classes" : "regression") << " seed " << seed << " at " << i;
      }
    }
}

TEST(LowRank, ChoosesTheSameRowsInAnyOrderOfTheColumns) {
  const FunctionRows rows = function_rows(500, 7);
  const Matrix swapped = rows.X(Eigen::all, std::vector<int>{2, 0, 1});
  EXPECT_EQ(rows_by_hash(rows.X, 40), rows_by_hash(swapped, 40));
}

}  // namespace
}  // namespace ardvark::internal
