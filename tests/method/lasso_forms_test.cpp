// The Laplace prior on tables with many columns, in every form: the conditions of the maximum hold for all columns, by the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {
namespace {

using testing::Random;
template <typename T>
using Of = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

// Words of a text: common ones and many rare ones, as counts.
struct Words {
  Of<std::int8_t> X;
  Vector y, labels;
  std::vector<std::int64_t> start = {0}, row;
  std::vector<float> value;

  Words(Random& random, Index n, Index p) : X(Of<std::int8_t>::Zero(n, p)) {
    for (Index j = 0; j < p; ++j) {
      const double share = std::min(0.8, 12.0 / static_cast<double>(j + 8));
      for (Index i = 0; i < n; ++i)
        if (random.chance(share)) X(i, j) = static_cast<std::int8_t>(random.integer(1, 3));
      for (Index i = 0; i < n; ++i)
        if (X(i, j) != 0) row.push_back(i), value.push_back(static_cast<float>(X(i, j)));
      start.push_back(static_cast<std::int64_t>(row.size()));
    }
    Vector score = Vector::Zero(n);
    for (const Index j : {1, 5, 20, 33, 60, 90}) score += random.normal() * X.col(j).cast<double>();
    y = score + random.normals(n);
    labels = (score.array() - score.mean() + random.normals(n).array()).unaryExpr([](double s) { return s > 0 ? 1.0 : -1.0; });
  }
  [[nodiscard]] CscView sparse() const { return {start.data(), row.data(), value.data(), X.rows(), X.cols()}; }
};

// Of weights in the units of the caller: ln p of the rows minus the penalty, by its definition, and the largest violation of (L1.2) over
// all columns, in units of lambda.
struct Check {
  double objective = 0, violation = 0;
};
Check check(const Words& words, bool is_linear, const Vector& w, double intercept, double lambda) {
  const Matrix X = words.X.cast<double>();
  const Vector m = (X * w).array() + intercept;
  Check out;
  Vector r(m.size());
  for (Index i = 0; i < m.size(); ++i) {
    const double t = words.labels[i] > 0 ? 1 : 0, z = t > 0 ? m[i] : -m[i];
    r[i] = is_linear ? words.y[i] - m[i] : t - 1 / (1 + std::exp(-m[i]));
    out.objective -= is_linear ? 0.5 * r[i] * r[i] : std::max(-z, 0.0) + std::log1p(std::exp(-std::abs(z)));
  }
  out.violation = std::abs(r.sum()) / lambda;
  for (Index j = 0; j < X.cols(); ++j) {
    const Vector centred = X.col(j).array() - X.col(j).mean();
    const double sd = std::sqrt(centred.squaredNorm() / static_cast<double>(m.size()));
    if (sd == 0) continue;
    const double g = centred.dot(r) / sd;
    out.objective -= lambda * sd * std::abs(w[j]);
    out.violation = std::max(out.violation, (w[j] == 0 ? std::abs(g) - lambda : std::abs(g - (w[j] > 0 ? lambda : -lambda))) / lambda);
  }
  return out;
}

// The objective of glmnet and of scikit-learn on standardised columns is this one divided by the number of rows, with the sign turned.
TEST(LassoForms, EveryFormMeetsTheConditionsOfAllColumns) {  // (L1.1), (L1.2), (L1.6), (L1.10)
  Random random(1);
  const Words words(random, 150, 900);
  const Of<float> floats = words.X.cast<float>();
  const Matrix doubles = words.X.cast<double>();
  for (const bool is_linear : {true, false}) {
    std::vector<LambdaPath> paths;
    const auto add = [&](const auto& X) {
      PathGrid grid;
      grid.count = 12, grid.smallest = 0.03;
      paths.push_back(is_linear ? fit_linear_path(X, words.y, grid) : fit_logistic_path(X, words.labels, grid));
    };
    add(words.sparse()), add(MatrixView(words.X)), add(MatrixView(floats)), add(doubles);
    for (std::size_t form = 0; form < paths.size(); ++form) {
      const LambdaPath& path = paths[form];
      ASSERT_EQ(path.lambda.size(), 12);
      EXPECT_GT(path.num_nonzero.back(), 40);
      for (const Index i : {0, 3, 7, 11}) {
        SCOPED_TRACE(::testing::Message() << "form " << form << " lambda " << i << " linear " << is_linear);
        EXPECT_EQ(path.reports[static_cast<std::size_t>(i)].status, Status::converged);
        EXPECT_NEAR(path.lambda[i], paths.back().lambda[i], 1e-12 * path.lambda[i]);
        const Check found = check(words, is_linear, path.mean.col(i), path.intercept[i], path.lambda[i]);
        const double unit = is_linear ? std::sqrt((words.y.array() - words.y.mean()).square().sum()) : 1;
        EXPECT_LE(found.violation, 1e-9 + 1e-11 * unit);  // the tolerance, and the rounding of these sums
        const double expected = check(words, is_linear, paths.back().mean.col(i), paths.back().intercept[i], path.lambda[i]).objective;
        EXPECT_NEAR(found.objective, expected, 1e-12 * std::abs(expected));
      }
    }
  }
}

// More than 256 columns are not zero, and have few entries: no matrix of their products is made. Of the dense table it is.
TEST(LassoForms, ManyColumnsOfFewEntriesHaveTheModesOfADenseTable) {  // (L1.17)
  Random random(2);
  const Words words(random, 1500, 2500);
  const Matrix doubles = words.X.cast<double>();
  PathGrid grid;
  grid.count = 8, grid.smallest = 0.01;
  for (const bool is_linear : {true, false}) {
    const LambdaPath sparse =
                         is_linear ? fit_linear_path(words.sparse(), words.y, grid) : fit_logistic_path(words.sparse(), words.labels, grid),
                     dense = is_linear ? fit_linear_path(doubles, words.y, grid) : fit_logistic_path(doubles, words.labels, grid);
    EXPECT_GT(sparse.num_nonzero.back(), 300);
    EXPECT_EQ(sparse.num_nonzero, dense.num_nonzero);
    EXPECT_LE((sparse.mean - dense.mean).cwiseAbs().maxCoeff(), 1e-7 * dense.mean.cwiseAbs().maxCoeff());
    EXPECT_LE(sparse.gap.maxCoeff(), 1e-8);
    EXPECT_LE(check(words, is_linear, sparse.mean.col(7), sparse.intercept[7], sparse.lambda[7]).violation, 2e-9);
  }
}

}  // namespace
}  // namespace ardvark
