#include <gtest/gtest.h>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "design/dense.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {
namespace {

using testing::plain_ridge;
using testing::Random;
using testing::relative_distance;

struct Problem {
  Matrix X;
  Rows rows;
  Vector a;
};

Problem make_problem(std::uint64_t seed, Index n, Index p) {
  Random random(seed);
  Problem problem{random.normals(n, p), {random.normals(n).cwiseAbs(), random.normals(n)}, random.normals(p).array().exp()};
  problem.X.col(0).setOnes();
  problem.a[0] = 0;  // flat
  return problem;
}

std::vector<Index> every(Index step, Index p) {
  std::vector<Index> columns;
  for (Index j = 0; j < p; j += step) columns.push_back(j);
  return columns;
}

Partition partition_of(const std::vector<Index>& columns) {
  std::vector<Index> group(columns.size());
  for (std::size_t j = 0; j < group.size(); ++j) group[j] = static_cast<Index>(j) - 1;  // the first is flat: -1
  return testing::make_partition(group);
}

// The posterior of the columns that are left, primal or dual as their number says.
TEST(Shrinking, SolvesForTheColumnsThatAreLeft) {
  const Index n = 12, p = 60;
  const Problem problem = make_problem(1, n, p);
  DenseDesign design(problem.X, {});
  Partition partition = partition_of(every(1, p));
  const auto solver = make_shrinking({design, partition, {.row_moments = true}}, SolverKind::automatic);
  for (const Index step : {1, 2, 3, 7, 30, 2}) {
    const std::vector<Index> columns = every(step, p);
    partition = partition_of(columns);
    ASSERT_TRUE(solver->restrict_to(columns));
    EXPECT_EQ(solver->kind(), static_cast<Index>(columns.size()) - 1 > n ? SolverKind::dual : SolverKind::primal);
    Posterior q = testing::sized_posterior(partition, n);
    const Vector a = problem.a(columns);
    ASSERT_TRUE(solver->solve(problem.rows, a, q));
    const testing::PlainRidge plain = plain_ridge(problem.X(Eigen::all, columns), problem.rows.omega, problem.rows.r, a);
    EXPECT_LE(relative_distance(q.w, plain.w), 1e-10);
    EXPECT_LE(relative_distance(q.V_diagonal.tail(q.w.size() - 1), plain.V.diagonal().tail(q.w.size() - 1)), 1e-10);
    EXPECT_LE(relative_distance(q.m, plain.m), 1e-10);
    EXPECT_LE(relative_distance(q.log_det_V, plain.log_det_V), 1e-10);
  }
}

// Newton's method: rows change, precisions do not, and only the last step is asked for V.                      (RIDGE.4), (LAP.2)
TEST(Shrinking, SolvesInTwoHalves) {
  const Index n = 12, p = 60;
  const Problem problem = make_problem(3, n, p), other = make_problem(4, n, p);
  DenseDesign design(problem.X, {});
  for (const Index step : {1, 2, 15}) {  // dual, dual, primal
    const std::vector<Index> columns = every(step, p);
    Partition partition = partition_of(every(1, p));
    const auto solver = make_shrinking({design, partition, {.row_moments = true}}, SolverKind::automatic);
    partition = partition_of(columns);
    ASSERT_TRUE(solver->restrict_to(columns));
    const Matrix X = problem.X(Eigen::all, columns);
    Posterior q = testing::sized_posterior(partition, n);
    for (const Problem* precisions : {&problem, &other}) {
      const Vector a = precisions->a(columns);
      for (const Problem* newton : {&other, &problem, &other}) {
        ASSERT_TRUE(solver->solve_mean(newton->rows, a, q));
        const testing::PlainRidge plain = plain_ridge(X, newton->rows.omega, newton->rows.r, a);
        EXPECT_LE(relative_distance(q.w, plain.w), 1e-10) << step;
        EXPECT_LE(relative_distance(q.m, plain.m), 1e-10) << step;
      }
      ASSERT_TRUE(solver->complete(other.rows, a, q));
      const testing::PlainRidge plain = plain_ridge(X, other.rows.omega, other.rows.r, a);
      EXPECT_LE(relative_distance(q.w, plain.w), 1e-10) << step;
      EXPECT_LE(relative_distance(q.m, plain.m), 1e-10) << step;
      EXPECT_LE(relative_distance(q.s, plain.s), 1e-10) << step;
      EXPECT_LE(relative_distance(q.V_diagonal.tail(q.w.size() - 1), plain.V.diagonal().tail(q.w.size() - 1)), 1e-10) << step;
      EXPECT_LE(relative_distance(q.log_det_V, plain.log_det_V), 1e-10) << step;
    }
  }
}

// S = z'Omega z - z'Omega X V X'Omega z, Q = z'(r - Omega X w), from both solvers.                                     (OPT.2)
TEST(Shrinking, SeesWhatAColumnOutsideWouldFind) {
  const Index n = 12, p = 60;
  const Problem problem = make_problem(2, n, p);
  DenseDesign design(problem.X, {});
  for (const Index step : {2, 15}) {  // 29 columns: dual; 3: primal
    const std::vector<Index> columns = every(step, p);
    Partition partition = partition_of(every(1, p));
    const auto solver = make_shrinking({design, partition, {.row_moments = true}}, SolverKind::automatic);
    partition = partition_of(columns);
    ASSERT_TRUE(solver->restrict_to(columns));
    Posterior q = testing::sized_posterior(partition, n);
    ASSERT_TRUE(solver->solve(problem.rows, problem.a(columns), q));
    std::vector<Index> outside;
    for (Index j = 0; j < p; ++j)
      if (j % step != 0) outside.push_back(j);
    Vector S, Q;
    ASSERT_TRUE(solver->look_outside(problem.rows, outside, q.w, S, Q));
    const Matrix X = problem.X(Eigen::all, columns);
    const Matrix V = plain_ridge(X, problem.rows.omega, problem.rows.r, problem.a(columns)).V;
    for (std::size_t i = 0; i < outside.size(); ++i) {
      const Vector z = problem.X.col(outside[i]), Oz = problem.rows.omega.cwiseProduct(z);
      const double expected = z.dot(Oz) - Oz.dot(X * (V * (X.transpose() * Oz)));
      EXPECT_NEAR(S[static_cast<Index>(i)], expected, 1e-10 * z.dot(Oz));
      EXPECT_NEAR(Q[static_cast<Index>(i)], z.dot(problem.rows.r - problem.rows.omega.cwiseProduct(X * q.w)), 1e-10);
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
