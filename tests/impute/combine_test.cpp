// The fits to completed tables as one: Rubin's rules, from sums made here.                      docs/math/missing.md (MI.4), (MI.5)
#include "impute/combine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "predict/predictive.hpp"

namespace ardvark {
namespace {

using namespace internal;
using testing::Random;

struct Case {
  const char* name;
  PriorKind prior;
  Task task;
  Index n, p;
  bool intercept = true;
  std::vector<Index> flat = {};
};

// Five tables that differ in a fifth of the values.
std::vector<Fit> fits_of(const Case& c) {
  Random random(7);
  const Matrix X = random.normals(c.n, c.p);
  const Vector score = 1.5 * X.col(0) - X.col(1), y = score + random.normals(c.n);
  FitOptions options;
  options.prior.kind = c.prior;
  options.prior.flat_columns = c.flat;
  options.intercept = c.intercept;
  options.standardize = false;
  options.keep_covariance = Keep::always;
  std::vector<Fit> fits;
  for (int m = 0; m < 5; ++m) {
    Matrix filled = X;
    for (Index i = 0; i < c.n; i += 5) filled.row(i) += random.normals(c.p).transpose();
    if (c.task == Task::linear)
      fits.push_back(fit_linear(filled, y, options));
    else
      fits.push_back(fit_logistic(filled, Vector((y.array() > 0).cast<double>()), options));
  }
  return fits;
}

Frame frame_of(const Case& c, const std::vector<Fit>& fits) {
  Frame frame;
  frame.task = c.task;
  frame.options.prior.kind = c.prior;
  frame.options.intercept = c.intercept;
  frame.k = Vector::Ones(c.n);
  frame.rows = static_cast<double>(c.n);
  frame.names = complete_names({}, c.p);
  frame.units.standardization = {Vector::Zero(c.p), Vector::Ones(c.p), c.intercept};
  frame.left_out = fits.front().left_out;
  frame.classes = fits.front().classes;
  return frame;
}

Vector mean_of_all(const Fit& fit) {
  Vector mean(fit.num_columns() + (fit.intercept ? 1 : 0));
  mean.head(fit.num_columns()) = fit.mean;
  if (fit.intercept) mean[fit.num_columns()] = fit.intercept->mean;
  return mean;
}

const std::vector<Case> cases = {{"sparse", PriorKind::sparse, Task::linear, 60, 6},
                                 {"dense", PriorKind::dense, Task::linear, 60, 6},
                                 {"sparse_wide", PriorKind::sparse, Task::linear, 30, 45},
                                 {"sparse_flat", PriorKind::sparse, Task::linear, 60, 6, true, {2}},
                                 {"sparse_without", PriorKind::sparse, Task::linear, 60, 6, false},
                                 {"shared", PriorKind::shared, Task::linear, 60, 6},
                                 {"ard", PriorKind::ard, Task::linear, 60, 6, false},
                                 {"flat", PriorKind::none, Task::linear, 60, 6},
                                 {"classes", PriorKind::sparse, Task::logistic, 80, 6},
                                 {"classes_ard", PriorKind::ard, Task::logistic, 80, 6}};

class CombinedFits : public ::testing::TestWithParam<Case> {};

TEST_P(CombinedFits, HaveTheMomentsOfRubin) {
  const std::vector<Fit> fits = fits_of(GetParam());
  const Combined all = combined(fits, frame_of(GetParam(), fits));
  const auto M = static_cast<double>(fits.size());
  const Index q = mean_of_all(fits.front()).size();
  Vector mean = Vector::Zero(q);
  Matrix within = Matrix::Zero(q, q), between = Matrix::Zero(q, q);
  // Of squared scales: the covariance of a Student-t may be infinite.
  for (const Fit& fit : fits) mean += mean_of_all(fit) / M, within += (fit.is_joint() ? fit.noise.rate / fit.noise.shape : 1) / M * fit.V();
  for (const Fit& fit : fits) between += (mean_of_all(fit) - mean) * (mean_of_all(fit) - mean).transpose() / (M - 1);
  const Matrix total = within + (1 + 1 / M) * between;
  const double size = total.diagonal().maxCoeff();
  EXPECT_LT((mean_of_all(all.fit) - mean).lpNorm<Eigen::Infinity>(), 1e-10 * std::max(1.0, mean.lpNorm<Eigen::Infinity>()));
  const double nu = fits.front().degrees_of_freedom(), spread = std::isinf(nu) ? 1 : nu / (nu - 2);
  EXPECT_EQ(all.fit.degrees_of_freedom(), nu);
  EXPECT_LT((all.fit.V() - total).lpNorm<Eigen::Infinity>(), 1e-9 * size);
  EXPECT_LT((all.fit.covariance() - spread * total).lpNorm<Eigen::Infinity>(), 1e-9 * size);
  EXPECT_LT((all.fit.variance - spread * total.diagonal().head(all.fit.num_columns())).lpNorm<Eigen::Infinity>(), 1e-9 * size);
  if (all.fit.intercept) {
    EXPECT_NEAR(all.fit.intercept->variance, spread * total(q - 1, q - 1), 1e-9 * size);
  }
  // The same for a new row: its score has the squared scale x'Tx.
  Random random(3);
  Matrix row = random.normals(1, all.fit.num_columns());
  Vector x(q), m, s;
  x.head(row.cols()) = row.row(0).transpose();
  if (all.fit.intercept) x[q - 1] = 1;
  predictive_moments(all.fit, row, m, &s);
  EXPECT_NEAR(m[0], x.dot(mean), 1e-9);
  EXPECT_NEAR(s[0], x.dot(total * x), 1e-9 * std::max(1.0, x.dot(total * x)));
}

TEST_P(CombinedFits, SayHowMuchInformationIsMissing) {
  const std::vector<Fit> fits = fits_of(GetParam());
  const Combined all = combined(fits, frame_of(GetParam(), fits));
  for (Index j = 0; j < all.fit.num_columns(); ++j) {
    double mean = 0, within = 0, between = 0;
    for (const Fit& fit : fits) mean += fit.mean[j] / 5, within += fit.variance[j] / 5;
    for (const Fit& fit : fits) between += std::pow(fit.mean[j] - mean, 2) / 4;
    const double r = 1.2 * between / within, nu = 4 * std::pow(1 + 1 / r, 2);
    EXPECT_NEAR(all.missing_information[j], std::min((r + 2 / (nu + 3)) / (r + 1), 1.0), 1e-9) << j;
  }
}

TEST_P(CombinedFits, AreNotComparedByTheirBound) {
  const std::vector<Fit> fits = fits_of(GetParam());
  const Fit fit = combined(fits, frame_of(GetParam(), fits)).fit;
  EXPECT_EQ(bound_scope(fit), BoundScope::nothing);
  EXPECT_EQ(fit.completed_tables, 5);
  EXPECT_EQ(fit.report.status, fits.front().report.status);
  for (Index j = 0; j < fit.num_columns(); ++j) EXPECT_TRUE(direction(fit)[j] >= 0.5 && direction(fit)[j] <= 1);
}

INSTANTIATE_TEST_SUITE_P(Priors, CombinedFits, ::testing::ValuesIn(cases), [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ardvark
