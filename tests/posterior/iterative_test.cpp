// The solver by steps and draws, against the exact one.                                                 (RIDGE.12) to (RIDGE.15)
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "core/blas.hpp"
#include "design/table_design.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

using testing::plain_ridge;
using testing::PlainRidge;
using testing::Random;
using testing::relative_distance;

struct Case {
  Matrix X;
  Partition partition;
  Vector a;
  Rows rows;
  LikelihoodTraits traits{.residual = true, .constant_rows = true};
  double noise = 1;
};

// Correlated columns, some without a prior, weights of the rows, some of them 0.
Case make_system(std::uint64_t seed, Index n, Index penalised, Index num_flat, double a) {
  Random random(seed);
  Case out;
  const Index p = penalised + num_flat;
  out.X = random.normals(n, p);
  for (Index j = 1; j < penalised; ++j) out.X.col(j) += 0.7 * out.X.col(j - 1);
  std::vector<Index> group(static_cast<std::size_t>(p), 0);
  for (Index k = 0; k < num_flat; ++k) group[static_cast<std::size_t>(penalised + k)] = Partition::flat;
  if (num_flat > 0) out.X.col(p - 1).setOnes();
  out.partition = testing::make_partition(group);
  out.a = Vector::Zero(p);
  out.a.head(penalised).setConstant(a);
  out.rows.omega.resize(n);
  for (double& omega : out.rows.omega) omega = random.chance(0.1) ? 0.0 : random.uniform(0.5, 2);
  const Vector w = random.normals(p) / std::sqrt(static_cast<double>(p));
  out.rows.r = out.rows.omega.cwiseProduct(out.X * w + random.normals(n));
  return out;
}

struct Solved {
  Posterior q;
  CovarianceFactor factor;
  SampledPosterior sampled;
  double remaining = 0;
};

Solved solve(const Case& s, Design& design, std::uint64_t seed, const Vector* x = nullptr, double* variance = nullptr) {
  const auto solver = make_iterative({design, s.partition, s.traits}, seed);
  Solved out{testing::sized_posterior(s.partition, s.X.rows()), {}, {}};
  out.q.total_weight = s.rows.omega.sum();
  EXPECT_TRUE(solver->solve(s.rows, Vector(9 * s.a), out.q));  // of this, nothing may remain
  EXPECT_TRUE(solver->finish(s.rows, s.a, out.q));
  out.factor = solver->factor();
  out.sampled = *solver->sampled();
  out.remaining = solver->remaining();
  if (x != nullptr) *variance = solver->variance_of(*x);
  return out;
}

const std::pair<Index, Index> shapes_of_systems[] = {{60, 90}, {90, 60}, {5, 40}, {40, 5}, {70, 70}};

TEST(Iterative, MeansAndSumsAreThoseOfTheExactSolution) {  // (RIDGE.1), (RIDGE.2), (RIDGE.12)
  std::uint64_t seed = 0;
  for (const auto& [n, p] : shapes_of_systems)
    for (Index num_flat = 0; num_flat <= 3; ++num_flat)
      for (const double a : {0.2, 20.0, 2000.0}) {
        const Case s = make_system(++seed, n, p, num_flat, a);
        SCOPED_TRACE(::testing::Message() << n << " x " << p << ", " << num_flat << " flat, precision " << a);
        const PlainRidge plain = plain_ridge(s.X, s.rows.omega, s.rows.r, s.a);
        const auto design = table_design(s.X);
        Random random(seed);
        const Vector x = random.normals(s.X.cols());
        double variance = 0;
        const Solved found = solve(s, *design, seed, &x, &variance);
        const Posterior& q = found.q;
        EXPECT_LE(found.remaining, 1);
        const double noise = std::sqrt((q.residual + q.penalty) / q.total_weight);
        for (Index j = 0; j < s.X.cols(); ++j) EXPECT_LE(std::abs(q.w[j] - plain.w[j]), 2e-6 * noise * std::sqrt(plain.V(j, j)));
        EXPECT_LE(relative_distance(q.m, plain.m), 1e-5);
        EXPECT_LE(relative_distance(q.residual, plain.residual), 1e-10);
        EXPECT_LE(relative_distance(q.group_square[0], plain.w.head(p).squaredNorm()), 1e-10);
        EXPECT_LE(relative_distance(variance, x.dot(plain.V * x)), 1e-8);
        for (Index k = p; k < s.X.cols(); ++k) EXPECT_NEAR(q.V_diagonal[k], plain.V(k, k), 1e-8 * plain.V(k, k));
        EXPECT_LE(std::abs(q.log_det_V - plain.log_det_V), 2 * 5 * found.sampled.bound_error + 1e-6);
        EXPECT_LE(std::abs(q.group_variance[0] - plain.V.diagonal().head(p).sum()),
                  5 * found.sampled.trace.error + 1e-6 * q.group_variance[0]);
        const double draws = static_cast<double>(found.sampled.draws);
        const Vector of_factor = found.factor.covariance(s.X.cols()).diagonal();
        for (Index j = 0; j < p; ++j) EXPECT_NEAR(of_factor[j] / plain.V(j, j), 1, 5.5 * std::sqrt(2 / draws));
      }
}

// The errors that the solver reports are those that it makes.                                        (RIDGE.13), (RIDGE.15)
TEST(Iterative, ErrorsAreAsLargeAsTheyAreSaidToBe) {
  for (const auto& [n, p] : {std::pair<Index, Index>{50, 70}, std::pair<Index, Index>{100, 40}})
    for (const double a : {1.0, 100.0}) {
      SCOPED_TRACE(::testing::Message() << n << " x " << p << ", precision " << a);
      const Case s = make_system(7, n, p, 1, a);
      const PlainRidge plain = plain_ridge(s.X, s.rows.omega, s.rows.r, s.a);
      const auto design = table_design(s.X);
      constexpr int runs = 120;
      double of_trace = 0, of_log_det = 0, of_sd = 0, promised = 0, bias = 0, of_prediction = 0;
      Random random(11);
      const Matrix X_new = random.normals(20, s.X.cols());
      const auto rows = table_design(X_new);
      const Vector exact = (X_new * plain.V).cwiseProduct(X_new).rowwise().sum();
      for (int run = 0; run < runs; ++run) {
        const Solved found = solve(s, *design, static_cast<std::uint64_t>(1000 + 2 * run));
        of_trace += std::pow((found.q.group_variance[0] - plain.V.diagonal().head(p).sum()) / found.sampled.trace.error, 2) / runs;
        of_log_det += std::pow((found.q.log_det_V - plain.log_det_V) / (2 * found.sampled.bound_error), 2) / runs;
        const Vector off = 0.5 * (found.q.V_diagonal.head(p).array() / plain.V.diagonal().head(p).array()).log();
        of_sd += off.squaredNorm() / static_cast<double>(p) / runs;
        bias += off.mean() / runs;
        promised += found.sampled.sd_error * found.sampled.sd_error / runs;
        Vector variance(20);
        found.factor.row_variance(*rows, variance);
        of_prediction +=
            (0.5 * (variance.array() / exact.array()).log()).square().mean() * 2 * static_cast<double>(found.sampled.draws) / runs;
      }
      // A mean of 120 squares of a Student-t with 30 degrees of freedom is 1.07, with a standard deviation of .15.
      EXPECT_GT(of_trace, 0.65);
      EXPECT_LT(of_trace, 1.6);
      EXPECT_GT(of_log_det, 0.65);
      EXPECT_LT(of_log_det, 1.6);
      EXPECT_NEAR(std::sqrt(of_sd / promised), 1, 0.08);
      EXPECT_LT(std::abs(bias), 0.3 * std::sqrt(promised));
      EXPECT_NEAR(std::sqrt(of_prediction), 1, 0.25);
    }
}

TEST(Iterative, ASparseTableIsReadAsItLies) {  // (SL.8)
  Random random(5);
  Matrix X = Matrix::Zero(80, 120);
  std::vector<std::int64_t> start = {0}, row;
  std::vector<double> value;
  for (Index j = 0; j < X.cols(); ++j) {
    for (Index i = 0; i < X.rows(); ++i)
      if (random.chance(0.1)) row.push_back(i), value.push_back(X(i, j) = 1 + random.normal());
    start.push_back(static_cast<std::int64_t>(row.size()));
  }
  Case s = make_system(6, 80, 121, 0, 3);
  s.X = X;
  s.partition.group.back() = Partition::flat;
  s.partition = testing::make_partition(s.partition.group);
  s.a[120] = 0;
  const Standardization units{X.colwise().mean().transpose(), Vector::Constant(120, 2), true};
  const auto dense = table_design(X, units);
  const auto sparse = table_design(CscView(start.data(), row.data(), value.data(), 80, 120), units);
  const Solved expected = solve(s, *dense, 3), found = solve(s, *sparse, 3);
  EXPECT_LE(relative_distance(found.q.w, expected.q.w), 1e-6);
  EXPECT_LE(relative_distance(found.q.V_diagonal, expected.q.V_diagonal), 1e-3);
  EXPECT_LE(relative_distance(found.q.log_det_V, expected.q.log_det_V), 1e-6);
}

TEST(Iterative, TheBitsDoNotDependOnTheThreads) {
  const Case s = make_system(8, 300, 400, 2, 5);
  const auto design = table_design(s.X);
  std::vector<Solved> found;
  for (const int threads : {1, 2, 3}) {
    const blas::ThreadScope scope(threads);
    found.push_back(solve(s, *design, 1));
  }
  for (const Solved& other : found) {
    EXPECT_EQ(other.q.w, found[0].q.w);
    EXPECT_EQ(other.q.V_diagonal, found[0].q.V_diagonal);
    EXPECT_EQ(other.q.log_det_V, found[0].q.log_det_V);
  }
}

TEST(Iterative, FlatColumnsThatDependOnOthersAreNotSolved) {
  Case s = make_system(9, 30, 40, 2, 1);
  s.X.col(40) = s.X.col(41);
  const auto design = table_design(s.X);
  Posterior q = testing::sized_posterior(s.partition, 30);
  EXPECT_FALSE(make_iterative({*design, s.partition, s.traits})->solve(s.rows, s.a, q));
}

}  // namespace
}  // namespace ardvark::internal
