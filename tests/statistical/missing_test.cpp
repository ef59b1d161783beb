// Do intervals mean what they say if values are missing? bench/missing/coverage.py has more replications.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problem.hpp"
#include "ardvark/impute.hpp"
#include "ardvark/linear.hpp"

namespace ardvark {
namespace {

using testing::Random;

struct Found {
  int covered = 0;
  double bias = 0, length = 0;
};

// y = x1 - x2/2 + noise, neighbours with correlation .5; x2 and x3 are missing more often where x1 and y are large.
TEST(Missing, ImputedIntervalsCoverAndCompleteRowsDoNot) {
  Random random(11);
  const Index n = 200;
  const Eigen::Vector3d w(1, -0.5, 0);
  Found imputed, dropped;
  constexpr int tables = 80;
  for (int table = 0; table < tables; ++table) {
    Matrix X = random.normals(n, 3);
    for (const Index j : {1, 2}) X.col(j) = 0.5 * X.col(j - 1) + std::sqrt(0.75) * X.col(j);
    const Vector y = X * w + random.normals(n);
    std::vector<Index> complete;
    for (Index i = 0; i < n; ++i) {
      const double score = X(i, 0) + y[i] / 1.5;
      for (const Index j : {1, 2})
        if (random.chance(1 / (1 + std::exp(1.5 - 1.5 * score)))) X(i, j) = std::nan("");
      if (X.row(i).allFinite()) complete.push_back(i);
    }
    const auto count = [&](const Fit& fit, Found& found) {
      for (Index j = 0; j < 3; ++j) {
        const Interval interval = credible_interval(fit, j);
        found.covered += interval.lower <= w[j] && w[j] <= interval.upper ? 1 : 0;
        found.length += (interval.upper - interval.lower) / (3 * tables);
      }
      found.bias += (fit.mean[0] - w[0]) / tables;
    };
    const FitOptions options{.prior = Prior::dense()};
    count(fit_linear_imputed(X, y, {}, options, {.imputations = 10, .seed = static_cast<std::uint64_t>(table)}).fit, imputed);
    count(fit_linear(Matrix(X(complete, Eigen::all)), Vector(y(complete)), options), dropped);
  }
  // 240 intervals: the true rate lies between .92 and .97, and a count has a standard error of .018; four of them.
  EXPECT_GT(imputed.covered, 240 * (0.92 - 0.07));
  EXPECT_NEAR(imputed.bias, 0, 0.05);
  EXPECT_LT(dropped.bias, -0.1);  // rows with large y leave, so the effect shrinks
  EXPECT_LT(imputed.length, dropped.length);
}

}  // namespace
}  // namespace ardvark
