// Greedy choice among many columns: in blocks, by factors, by parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "core/special.hpp"
#include "design/column_subset.hpp"
#include "design/dense.hpp"
#include "design/kernel_design.hpp"
#include "greedy_cases.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::internal {
namespace {

using testing::every_likelihood;
using testing::Random;
using testing::relative_distance;

void expect_same_in_blocks(Design& kept, Design& on_demand, const Vector& target, GreedyLikelihood likelihood, double tolerance) {
  GreedySettings settings;
  settings.likelihood = likelihood;
  const GreedyOutcome whole = greedy(kept, target, settings);
  settings.most_kept = 1;
  settings.screen_block = 64;
  const GreedyOutcome blocks = greedy(on_demand, target, settings);
  EXPECT_GT(blocks.num_screens, 1);
  EXPECT_EQ(whole.num_screens, 0);
  EXPECT_GE(blocks.log_evidence, whole.log_evidence - tolerance * std::abs(whole.log_evidence));
}

TEST(Greedy, ScreensBlocksToTheSameEvidence) {
  const Matrix X = Random(83).normals(400, 250);
  Random random(82);
  Vector signal = Vector::Zero(400), t(400);
  for (Index j = 3; j < 250; j += 40) signal += 1.5 * X.col(j);
  for (Index i = 0; i < 400; ++i) t[i] = random.uniform() < sigmoid(signal[i]) ? 1 : 0;
  const Vector y = signal + random.normals(400);
  DenseDesign design(X, {});
  for (GreedyLikelihood likelihood : every_likelihood)
    expect_same_in_blocks(design, design, likelihood == GreedyLikelihood::gaussian ? y : t, likelihood,
                          likelihood == GreedyLikelihood::bernoulli ? 2e-3 : 1e-6);  // of 76 nats: a column of little worth more or less
}

// Neighbouring kernels are nearly the same column: there are many maxima, a few thousandths of a nat per observation apart at most.
TEST(Greedy, ScreensKernelsToNearlyTheSameEvidence) {
  Random random(81);
  const Index n = 400;
  const Matrix x = Vector::LinSpaced(n, -10, 10);
  Vector y(n), t(n);
  for (Index i = 0; i < n; ++i) {
    y[i] = (x(i, 0) == 0 ? 1.0 : std::sin(x(i, 0)) / x(i, 0)) + 0.1 * random.normal();
    t[i] = random.uniform() < sigmoid(4 * y[i]) ? 1 : 0;
  }
  KernelDesign kept(Kernel::gaussian(3), x, x, true), on_demand(Kernel::gaussian(3), x, x, true, KernelDesign::Keep::never);
  for (GreedyLikelihood likelihood : every_likelihood)
    expect_same_in_blocks(kept, on_demand, likelihood == GreedyLikelihood::gaussian ? y : t, likelihood, 3e-3);
}

TEST(Greedy, TakesTheSameActionsWithFactors) {  // (GREEDY.11)
  Random random(82);
  const Index n = 400;
  const Matrix x = random.normals(n, 1);
  Vector y(n), t(n);
  for (Index i = 0; i < n; ++i) {
    y[i] = std::sin(3 * x(i, 0)) + 0.2 * random.normal();
    t[i] = random.uniform() < sigmoid(4 * y[i]) ? 1 : 0;
  }
  const Vector weights = random.normals(n).cwiseAbs();
  for (GreedyLikelihood likelihood : every_likelihood)
    for (bool standardized : {false, true}) {
      KernelDesign kept(Kernel::gaussian(0.8), x, x, true), factored(Kernel::gaussian(0.8), x, x, true, KernelDesign::Keep::factors);
      ASSERT_NE(factored.factors(), nullptr);
      if (standardized) kept.standardize(weights);
      if (standardized) factored.standardize(weights);
      GreedySettings settings;
      settings.likelihood = likelihood;
      settings.weights = weights;
      settings.free_columns = {n};
      const Vector& target = likelihood == GreedyLikelihood::gaussian ? y : t;
      const GreedyOutcome a = greedy(kept, target, settings), b = greedy(factored, target, settings);
      EXPECT_GE(a.columns.size(), 4U);
      EXPECT_EQ(a.columns, b.columns);
      EXPECT_NEAR(a.log_evidence, b.log_evidence, 1e-6);
      EXPECT_LE(relative_distance(a.m, b.m), 1e-4);  // as near as ln alpha is brought to rest
    }
}

// Where the rows move the columns are chosen by factors that are rough; what enters is exact, and so is what is said of the end.
TEST(Greedy, ChoosesByRoughFactorsAndComputesByTheColumns) {  // (GREEDY.11)
  Random random(85);
  const Index n = 500;
  const Matrix x = random.normals(n, 2);
  Vector t(n);
  for (Index i = 0; i < n; ++i) t[i] = random.uniform() < sigmoid(4 * std::sin(2 * x(i, 0)) + 2 * x(i, 1)) ? 1 : 0;
  for (GreedyLikelihood likelihood : {GreedyLikelihood::bernoulli, GreedyLikelihood::logistic_bound}) {
    GreedySettings settings;
    settings.likelihood = likelihood;
    settings.tolerance = 1e-3;
    settings.free_columns = {n};
    const auto rough = KernelDesign::Factoring::rough(n, settings.tolerance);
    KernelDesign kept(Kernel::gaussian(3), x, x, true), factored(Kernel::gaussian(3), x, x, true, KernelDesign::Keep::factors, rough);
    ASSERT_NE(factored.factors(), nullptr);
    const GreedyOutcome b = greedy(factored, t, settings);
    EXPECT_GE(b.columns.size(), 4U);
    // It may be another maximum than the exact columns lead to; but from there the exact columns find nothing that gains more than the
    // roughness allows.
    GreedySettings go_on = settings;
    go_on.exchange = false;
    go_on.start_columns.assign(b.columns.begin(), b.columns.end() - 1);
    go_on.start_precision = b.alpha.head(b.alpha.size() - 1);
    const GreedyOutcome again = greedy(kept, t, go_on);
    EXPECT_NEAR(again.log_evidence, b.log_evidence, 2e-3);
    EXPECT_GE(again.log_evidence, b.log_evidence - 1e-6);
  }
}

TEST(Greedy, SearchesManyKernelsByParts) {  // (GREEDY.12)
  Random random(84);
  const Index n = 1200;
  const Matrix x = random.normals(n, 2);
  Vector t(n);
  for (Index i = 0; i < n; ++i) t[i] = random.uniform() < sigmoid(3 * (x(i, 0) * x(i, 0) - x(i, 1))) ? 1 : 0;
  KernelDesign kept(Kernel::gaussian(1), x, x, true);
  GreedySettings settings;
  settings.likelihood = GreedyLikelihood::bernoulli;
  settings.free_columns = {n};
  settings.tolerance = 1e-3;
  const GreedyOutcome whole = greedy(kept, t, settings);
  settings.alike = true;
  const GreedyOutcome parts = greedy(kept, t, settings);
  EXPECT_EQ(whole.num_screens, 0);
  EXPECT_GT(parts.num_screens, 0);
  EXPECT_EQ(parts.columns.back(), n);  // the bias stays free
  EXPECT_EQ(parts.status, Status::converged);
  // It begins with the best of four searches over an eighth, and nothing that it does lowers the evidence.
  settings.alike = settings.exchange = false;
  settings.tolerance = 1e-2;
  const auto best_part_of = [&](KernelDesign& design) {
    double best = -std::numeric_limits<double>::infinity();
    for (Index offset = 0; offset < 4; ++offset) {
      std::vector<Index> some;
      for (Index j = offset; j < n; j += 8) some.push_back(j);
      some.push_back(n);
      ColumnSubset part(design, some);
      GreedySettings coarse = settings;
      coarse.free_columns = {part.cols() - 1};
      best = std::max(best, greedy(part, t, coarse).log_evidence);
    }
    return best;
  };
  const double best_part = best_part_of(kept);
  EXPECT_GE(parts.log_evidence, best_part - 1e-6);
  KernelDesign factored(Kernel::gaussian(1), x, x, true, KernelDesign::Keep::factors, {1e-4, n});
  ASSERT_NE(factored.factors(), nullptr);
  const double best_rough_part = best_part_of(factored);
  settings.alike = settings.exchange = true;
  settings.tolerance = 1e-3;
  settings.free_columns = {n};
  const GreedyOutcome by_factors = greedy(factored, t, settings);
  EXPECT_EQ(by_factors.num_screens, 0);
  EXPECT_GE(by_factors.log_evidence, best_rough_part - 1e-6);
  settings.alike = settings.exchange = true;
  settings.tolerance = 1e-3;
  settings.free_columns = {n, 3, 8};
  const GreedyOutcome three = greedy(kept, t, settings);
  for (const Index free : settings.free_columns) {
    const auto at = std::find(three.columns.begin(), three.columns.end(), free);
    ASSERT_NE(at, three.columns.end()) << free;
    EXPECT_LT(three.alpha[at - three.columns.begin()], 1e-9) << free;  // not pulled to 0
  }
  int calls = 0;
  settings.on_action = [&](int, double) { return ++calls < 5; };
  const GreedyOutcome stopped = greedy(kept, t, settings);
  EXPECT_EQ(stopped.status, Status::stopped_by_user);
}

}  // namespace
}  // namespace ardvark::internal
