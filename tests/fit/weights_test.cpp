// The covariance of some weights and draws of all, against the full covariance.                            docs/math/sparse.md (SP.28)
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <random>
#include <string>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/posterior.hpp"

namespace ardvark {
namespace {

struct Cell {
  const char* name;
  PriorKind prior;
  Index n, p;
  Task task = Task::linear;
  bool has_flat = false;
};

// Correlated columns with means, one of them constant, some effects, and many small ones.
Fit fit_of(const Cell& cell) {
  std::mt19937_64 draw(7);
  std::normal_distribution<double> normal;
  Matrix X(cell.n, cell.p);
  for (double& x : X.reshaped()) x = normal(draw);
  for (Index j = 1; j < cell.p; ++j) X.col(j) = 0.6 * X.col(j - 1) + 2 * X.col(j) + Vector::Constant(cell.n, 0.1 * static_cast<double>(j));
  X.col(4).setConstant(-3);
  Vector y = X.col(0) - 1.5 * X.col(2) + 0.1 * X.rightCols(cell.p / 2).rowwise().sum();
  for (double& value : y) value += normal(draw);
  FitOptions options;
  options.prior.kind = cell.prior;
  options.keep_covariance = Keep::always;
  if (cell.prior == PriorKind::laplace) options.prior.lambda = 2;
  if (cell.has_flat) options.prior.flat_columns = {1};
  if (cell.task == Task::linear) return fit_linear(X, y, options);
  const Vector labels = (y.array() > y.mean()).cast<double>();
  return fit_logistic(X, labels, options);
}

class SomeWeights : public ::testing::TestWithParam<Cell> {};

TEST_P(SomeWeights, HaveTheCovarianceOfAll) {
  const Fit fit = fit_of(GetParam());
  const std::vector<Index> columns = {3, 0, fit.num_columns(), 1, fit.num_columns() - 1};
  const Matrix all = fit.covariance(), expected = all(columns, columns), found = covariance_of(fit, columns);
  const Vector sd = expected.diagonal().cwiseSqrt().cwiseMax(1e-300);
  const Matrix off = sd.cwiseInverse().asDiagonal() * (found - expected) * sd.cwiseInverse().asDiagonal();
  EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_THROW(static_cast<void>(covariance_of(fit, {fit.num_columns() + 1})), InvalidArgument);
}

// Over `count` draws, a sample covariance of normal variates errs by sqrt((C_ij^2 + C_ii C_jj)/count); of Student-t ones by little more.
TEST_P(SomeWeights, AreDrawnWithTheMomentsOfAll) {
  constexpr Index count = 20'000;
  const Fit fit = fit_of(GetParam());
  const WeightDraws draws = draw_weights(fit, count, 3);
  const Index p = fit.num_columns();
  Matrix w(count, p + 1);
  w << draws.coef, draws.intercept;
  Vector mean(p + 1);
  mean << fit.mean, fit.intercept->mean;
  const Matrix C = fit.covariance(), off = w.rowwise() - mean.transpose(), found = off.transpose() * off / count;
  double worst = 0;
  for (Index i = 0; i <= p; ++i)
    for (Index j = 0; j <= i; ++j)
      if (const double error = std::sqrt((C(i, j) * C(i, j) + C(i, i) * C(j, j)) / count); error > 0)
        worst = std::max(worst, std::abs(found(i, j) - C(i, j)) / error);
  EXPECT_LT(worst, 8) << "of " << (p + 1) * (p + 2) / 2 << " elements";
  EXPECT_LT((off.colwise().mean().transpose().array().square() * count / C.diagonal().array().max(1e-300)).maxCoeff(), 25);
  ASSERT_EQ(draws.noise_precision.size(), fit.task == Task::linear ? count : 0);
  if (fit.task == Task::linear) {
    EXPECT_NEAR(draws.noise_precision.mean() / (fit.noise.shape / fit.noise.rate), 1, 6 / std::sqrt(count * fit.noise.shape));
  }
  EXPECT_EQ(draw_weights(fit, 5, 3).coef, draw_weights(fit, 5, 3).coef);
  EXPECT_NE(draw_weights(fit, 5, 3).coef, draw_weights(fit, 5, 4).coef);
  EXPECT_THROW(static_cast<void>(draw_weights(fit, 0)), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Priors, SomeWeights,
                         ::testing::Values(Cell{"shared", PriorKind::shared, 100, 8}, Cell{"shared, wide", PriorKind::shared, 40, 60},
                                           Cell{"ard", PriorKind::ard, 80, 8},
                                           Cell{"wide, with a flat column", PriorKind::shared, 70, 90, Task::linear, true},
                                           Cell{"laplace", PriorKind::laplace, 100, 8}, Cell{"slab", PriorKind::slab, 60, 30},
                                           Cell{"slab, wide", PriorKind::slab, 40, 60}, Cell{"sparse", PriorKind::sparse, 80, 30},
                                           Cell{"sparse, wide", PriorKind::sparse, 40, 60},
                                           Cell{"sparse, with a flat column", PriorKind::sparse, 40, 60, Task::linear, true},
                                           Cell{"dense, wide", PriorKind::dense, 40, 60},
                                           Cell{"sparse, few columns", PriorKind::sparse, 60, 6},
                                           Cell{"classes, shared", PriorKind::shared, 40, 60, Task::logistic},
                                           Cell{"classes, sparse", PriorKind::sparse, 60, 80, Task::logistic}),
                         [](const auto& cell) {
                           std::string name = cell.param.name;
                           std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
                           return name;
                         });

}  // namespace
}  // namespace ardvark
