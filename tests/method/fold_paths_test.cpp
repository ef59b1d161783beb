// The paths of the folds side by side.
#include "method/l1/fold_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// Few effects in many columns of noise: small lambdas fit the noise.
struct Noise {
  Matrix X;
  Vector y, labels;
  Noise(Index n, Index p) {
    Random random(3);
    X = random.normals(n, p);
    y = X.col(0) - X.col(1) + 2 * random.normals(n);
    labels = y.unaryExpr([](double v) { return v > 0 ? 1.0 : -1.0; });
  }
};

RowsOfFolds rows_of_folds(Index n, int count) {
  RowsOfFolds out{{}, count};
  for (Index i = 0; i < n; ++i) out.fold.push_back(static_cast<int>(i % count));
  return out;
}

// A path has 50 lambdas. This one ends before, after its smallest loss, and what was solved is as in the whole path.
TEST(FoldPaths, EndOnceTheLossHasClearlyRisen) {  // (L1.15)
  constexpr Index n = 700, p = 1500;
  const Noise noise(n, p);
  FitOptions options;
  options.prior = Prior::laplace();
  options.tolerance = 1e-7;
  const Frame frame = make_frame(Task::linear, noise.X, noise.y, options);
  const RowsOfFolds folds = rows_of_folds(n, 3);
  LambdaPath path;
  const auto losses = losses_of_folds(frame, folds, {}, path);
  ASSERT_TRUE(losses.has_value());
  const Index count = path.lambda.size();
  ASSERT_LT(count, 50);
  ASSERT_EQ(losses->front().loss.size(), count);
  EXPECT_GT(path.num_nonzero.back(), 500);
  Vector mean = Vector::Zero(count), sum = mean;
  for (const FoldLoss& one : *losses) mean += one.weight / n * one.loss;
  Index best = 0;
  mean.minCoeff(&best);
  EXPECT_LT(best, count - 3);
  for (Index i = count - 3; i < count; ++i) {
    double square = 0;
    for (const FoldLoss& one : *losses) square += one.weight / n * std::pow(one.loss[i] - one.loss[best] - (mean[i] - mean[best]), 2);
    EXPECT_GT(mean[i] - mean[best], 2 * std::sqrt(square / 2)) << i;
  }
  // A fold by a fit of its own, to the other rows.
  std::vector<Index> others, own;
  for (Index i = 0; i < n; ++i) (i % 3 == 1 ? own : others).push_back(i);
  PathGrid grid;
  grid.lambdas.assign(path.lambda.begin(), path.lambda.begin() + best + 1);
  for (double& lambda : grid.lambdas) lambda *= static_cast<double>(others.size()) / n;
  const Matrix X = noise.X(others, Eigen::all);
  const Vector y = noise.y(others);
  const LambdaPath alone = fit_linear_path(X, y, grid);
  for (const Index i : {Index{5}, best}) {
    const Vector m = (noise.X(own, Eigen::all) * alone.mean.col(i)).array() + alone.intercept[i];
    const double loss = (noise.y(own) - m).squaredNorm() / static_cast<double>(own.size());
    EXPECT_NEAR((*losses)[1].loss[i], loss, 1e-5 * loss) << i;
  }
}

TEST(FoldPaths, OfFewColumnsAreWhole) {
  const Noise noise(90, 30);
  FitOptions options;
  options.prior = Prior::laplace();
  for (const Task task : {Task::linear, Task::logistic}) {
    const Frame frame = make_frame(task, noise.X, task == Task::linear ? noise.y : noise.labels, options);
    LambdaPath path;
    const auto losses = losses_of_folds(frame, rows_of_folds(90, 4), {}, path);
    ASSERT_TRUE(losses.has_value());
    EXPECT_EQ(path.lambda.size(), 50);
    EXPECT_EQ(losses->back().loss.size(), 50);
    EXPECT_EQ(losses->back().num_unfinished, 0);
  }
}

TEST(FoldPaths, HaveTheSameBitsForAnyNumberOfThreads) {
  const Noise noise(90, 200);
  for (const Task task : {Task::linear, Task::logistic}) {
    const auto by_threads = [&](int threads) {
      FitOptions options;
      options.prior = Prior::laplace();
      options.threads = threads;
      const Frame frame = make_frame(task, noise.X, task == Task::linear ? noise.y : noise.labels, options);
      LambdaPath path;
      const auto losses = losses_of_folds(frame, rows_of_folds(90, 4), {}, path);
      Matrix all(path.lambda.size(), 4);
      for (Index f = 0; f < 4; ++f) all.col(f) = losses->at(static_cast<std::size_t>(f)).loss;
      return std::pair(all, path.mean);
    };
    EXPECT_EQ(by_threads(1), by_threads(3));
  }
}

}  // namespace
}  // namespace ardvark::internal
