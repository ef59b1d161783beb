#include "method/sweep/precision_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "design/dense.hpp"
#include "method/sweep/sweep.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// A regression with a flat column, one of fixed precision, weights (some of them 0) and hyper-priors of any size, at random precisions.
struct WideProblem {
  explicit WideProblem(int seed) : random(seed), n(random.integer(4, 30)), p(n + random.integer(2, 60)) {
    X = random.normals(n, p);
    X.col(1) += 0.9 * X.col(2);
    Vector k(n);
    for (double& weight : k) weight = random.chance(0.1) ? 0 : random.scale(0.3, 3);
    k.head(3).setOnes();
    const Vector y = X.leftCols(3) * random.normals(3) + random.scale(0.01, 1) * random.normals(n);
    std::vector<Index> group;
    Index groups = 0;
    for (Index j = 0; j < p; ++j)
      group.push_back(j == 3 && seed % 2 == 0 ? Partition::flat : j == 4 && seed % 3 == 0 ? Partition::fixed : groups++);
    const Partition partition = testing::make_partition(group, Vector::Ones(p));
    prior.emplace(partition, Vector::Constant(groups, random.scale(0.01, 2)), Vector::Constant(groups, random.scale(1e-4, 1)));
    likelihood.emplace(y, k, 0.01, 1e-4, partition.num_flat(), p - partition.num_flat());
    design.emplace(X, Standardization{});
    solver = make_dual({*design, prior->partition(), likelihood->traits()});
    q = testing::sized_posterior(prior->partition(), n);
    likelihood->start(rows);
    precisions.resize(groups);
    for (double& a : precisions) a = random.scale(1e-2, 1e3);
  }
  /// The bound at these precisions, by the solver.
  double bound(const Vector& expected) {
    prior->set_expected(expected);
    EXPECT_TRUE(solver->solve(rows, prior->columns(), q));
    likelihood->update(q, rows);
    return evaluate_bound(*likelihood, *prior, q);
  }

  Random random;
  Index n, p;
  Matrix X;
  std::optional<PrecisionPrior> prior;
  std::optional<Gaussian> likelihood;
  std::optional<DenseDesign> design;
  std::unique_ptr<Solver> solver;
  Posterior q;
  Rows rows;
  Vector precisions;
};

// (BLOCK.1), (BLOCK.2): what climb() says it gains, summed over columns and common factor, is what two solves say.
TEST(PrecisionBlocks, TheGainIsThatOfTheBound) {
  int num_common = 0;
  for (int seed = 1; seed <= 300; ++seed) {
    WideProblem a(seed);
    ASSERT_TRUE(PrecisionBlocks::serve(*a.prior));
    PrecisionBlocks blocks(*a.design);
    const double before = a.bound(a.precisions);
    Vector alone, next;
    const double gain_alone = blocks.climb(*a.solver, a.rows, *a.prior, a.q, a.likelihood->noise(), {1e-10, false}, alone);
    const double gain = blocks.climb(*a.solver, a.rows, *a.prior, a.q, a.likelihood->noise(), {1e-10, true}, next);
    num_common += (next - alone).norm() > 0;
    EXPECT_GT(gain_alone, 0) << seed;
    EXPECT_NEAR(gain_alone, a.bound(alone) - before, 1e-8 * (1 + std::abs(before))) << seed;
    EXPECT_NEAR(gain, a.bound(next) - before, 1e-8 * (1 + std::abs(before))) << seed;
  }
  EXPECT_GT(num_common, 150);
}

// Repeated until nothing is left, climbs end at a maximum: no precision nearby, and no common factor, has a higher bound.
TEST(PrecisionBlocks, EndAtAMaximum) {
  for (int seed = 1; seed <= 40; ++seed) {
    WideProblem a(seed);
    PrecisionBlocks blocks(*a.design);
    Vector next = a.precisions;
    double bound = a.bound(next), gain = 1;
    for (int round = 0; round < 3000 && gain > 1e-11; ++round) {
      gain = blocks.climb(*a.solver, a.rows, *a.prior, a.q, a.likelihood->noise(), {1e-12, round % 2 == 1}, next);
      const double reached = a.bound(next);
      EXPECT_GE(reached, bound - 1e-10 * (1 + std::abs(bound))) << seed;
      bound = reached;
    }
    const Vector end = next;
    for (Index g = 0; g < end.size(); ++g)
      for (double factor : {0.7, 0.95, 1.05, 1.4}) {
        next = end;
        next[g] *= factor;
        EXPECT_LE(a.bound(next), bound + 1e-6) << seed << ", group " << g << " times " << factor;
      }
    for (double factor : {0.5, 0.9, 1.1, 2.0}) EXPECT_LE(a.bound(factor * end), bound + 1e-6) << seed;
  }
}

// The fit as a whole: the bound never falls, and the end is a fixed point of the published update.                 (LIN.2), (OPT.1)
TEST(PrecisionBlocks, FitsRiseToAFixedPointOfThePublishedUpdate) {
  for (int seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const Index n = random.integer(10, 40), p = n + random.integer(1, 4 * n);
    const Matrix X = random.normals(n, p);
    const Vector y = X.leftCols(3) * random.normals(3) + random.scale(0.1, 2) * random.normals(n);
    FitOptions options;
    options.prior = Prior::ard();
    options.intercept = options.standardize = false;
    options.tolerance = 1e-10;
    options.max_sweeps = 5000;
    options.integrate_few_rows = false;  // V is that of the precisions
    const LinearFit fit = fit_linear(X, y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << seed << ": " << fit.report.message;
    for (std::size_t i = 1; i < fit.report.bound_history.size(); ++i)
      EXPECT_GE(fit.report.bound_history[i], fit.report.bound_history[i - 1] - 1e-9 * (1 + std::abs(fit.bound))) << seed << ", sweep " << i;
    const double tau = fit.noise.shape / fit.noise.rate;
    for (Index j = 0; j < p; ++j) {
      const double a = fit.precision[j];
      const double slope =
          0.5 * (1 - a * (fit.V_diagonal[j] + tau * fit.mean[j] * fit.mean[j])) + options.precision.shape - options.precision.rate * a;
      EXPECT_NEAR(slope, 0, 1e-3) << seed << ", column " << j;
    }
  }
}

TEST(PrecisionBlocks, ServeSingleColumnsWithAProperHyperprior) {
  Partition pairs;
  pairs.group = {0, 0, 1};
  pairs.group_size = {2, 1};
  EXPECT_FALSE(PrecisionBlocks::serve(PrecisionPrior(pairs, Vector::Ones(2), Vector::Ones(2))));
  Partition single;
  single.group = {0, 1};
  single.group_size = {1, 1};
  EXPECT_TRUE(PrecisionBlocks::serve(PrecisionPrior(single, Vector::Ones(2), Vector::Ones(2))));
  EXPECT_FALSE(PrecisionBlocks::serve(PrecisionPrior(single, Vector::Zero(2), Vector::Zero(2))));
}

}  // namespace
}  // namespace ardvark::internal
