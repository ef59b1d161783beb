// Gaps are filled from what the rows have: against conditional distributions that are known.                 docs/math/missing.md
#include "ardvark/impute.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/model.hpp"
#include "gaps.hpp"
#include "impute/chain.hpp"
#include "impute/row_imputer.hpp"

namespace ardvark {
namespace {

using namespace internal;
using testing::expect_invalid;
using testing::gap;
using testing::numbers;
using testing::Random;

struct Gapped {
  Matrix X, complete;
  Vector y;
};

// Columns with correlations .6 and 0, in units of their own; a fifth of the values of the first two is missing.
Gapped table_with_gaps(Index n, std::uint64_t seed = 1) {
  Random random(seed);
  Gapped out{Matrix(n, 3), Matrix(n, 3), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const double a = random.normal(), b = 0.6 * a + 0.8 * random.normal(), c = random.normal();
    out.complete.row(i) << 10 + 2 * a, 0.1 * b, c;
    out.y[i] = 3 + a - b + random.normal();
    for (Index j = 0; j < 3; ++j) out.X(i, j) = j < 2 && random.chance(0.2) ? gap : out.complete(i, j);
  }
  return out;
}

TEST(Chain, FillsOnlyGaps) {
  const Gapped t = table_with_gaps(80);
  const GappedTable table = gapped_table(t.X, t.y, Vector::Ones(80), numbers(3), true);
  Normals random(1);
  const Matrix Z = completed_by_chain(table, 5, random, [] { return true; });
  EXPECT_TRUE(Z.allFinite());
  for (Index i = 0; i < 80; ++i)
    for (Index j = 0; j < 3; ++j) {
      if (std::isnan(t.X(i, j))) continue;
      EXPECT_NEAR(Z(i, j) / table.units.scale[j] + table.units.center[j], t.X(i, j), 1e-12);
    }
}

// A column that another one determines up to 1% of its spread is filled to about 1%; one that says nothing has draws as wide as itself.
TEST(Chain, DrawsWhatTheOtherColumnsSay) {
  Random random(5);
  const Index n = 400;
  Matrix X = random.normals(n, 3);
  X.col(1) = X.col(0) + 0.01 * random.normals(n);
  const Matrix complete = X;
  for (Index i = 0; i < n; i += 4) X(i, 1) = X(i, 2) = gap;
  const Vector y = random.normals(n);
  const GappedTable table = gapped_table(X, y, Vector::Ones(n), numbers(3), true);
  Normals draws(2);
  const Matrix Z = completed_by_chain(table, 5, draws, [] { return true; });
  double determined = 0, free = 0;
  for (Index i = 0; i < n; i += 4) {
    const auto value = [&](Index j) { return Z(i, j) / table.units.scale[j] + table.units.center[j]; };
    determined += std::pow(value(1) - complete(i, 1), 2) / 100;
    free += value(2) * value(2) / 100;
  }
  EXPECT_LT(std::sqrt(determined), 0.02);  // sqrt 2 times 1%, for the noise of the value and of the draw, and 4 standard errors
  EXPECT_NEAR(std::sqrt(free), 1, 0.35);   // 100 squares: 5 standard errors
}

// A level that a number determines.
TEST(Chain, DrawsLevels) {
  Random random(6);
  const Index n = 300;
  FeatureEncoding encoding;
  encoding.features = {{"x"}, {"city", true, {"Bonn", "Oslo", "Rome"}, 1, 100}};
  Matrix X = Matrix::Zero(n, 3);
  std::vector<Index> level;
  for (Index i = 0; i < n; ++i) {
    level.push_back(random.integer(0, 2));
    X(i, 0) = 10 * static_cast<double>(level.back()) + random.normal();
    if (level.back() == 0) X(i, 1) = 1;
    if (level.back() == 2) X(i, 2) = 1;
  }
  for (Index i = 0; i < n; i += 6) X(i, 1) = X(i, 2) = gap;
  const GappedTable table = gapped_table(X, random.normals(n), Vector::Ones(n), encoding, true);
  Normals draws(2);
  const Matrix Z = completed_by_chain(table, 5, draws, [] { return true; });
  int right = 0;
  for (Index i = 0; i < n; i += 6) {
    const auto value = [&](Index j) { return Z(i, j) / table.units.scale[j] + table.units.center[j]; };
    EXPECT_TRUE(std::abs(value(1)) < 1e-9 || std::abs(value(1) - 1) < 1e-9);
    EXPECT_TRUE(std::abs(value(2)) < 1e-9 || std::abs(value(2) - 1) < 1e-9);
    EXPECT_LT(value(1) + value(2), 1.5);  // one level
    const Index drawn = value(1) > 0.5 ? 0 : value(2) > 0.5 ? 2 : 1;
    right += drawn == level[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  EXPECT_GE(right, 40);  // of 50: one against the rest is linear in x, and the middle level is not
}

// As a text of two levels: 0 and 1, not numbers between.
TEST(Chain, DrawsTrueAndFalse) {
  Random random(7);
  const Index n = 300;
  FeatureEncoding encoding;
  encoding.features = {{"x"}, {.name = "owner", .is_truth = true}};
  Matrix X(n, 2);
  for (Index i = 0; i < n; ++i) X.row(i) << random.normal(), 0;
  for (Index i = 0; i < n; ++i) X(i, 1) = random.chance(1 / (1 + std::exp(-4 * X(i, 0)))) ? 1 : 0;
  const Matrix complete = X;
  for (Index i = 0; i < n; i += 3) X(i, 1) = gap;
  const GappedTable table = gapped_table(X, random.normals(n), Vector::Ones(n), encoding, true);
  Normals draws(3);
  const Matrix Z = completed_by_chain(table, 5, draws, [] { return true; });
  int right = 0;
  for (Index i = 0; i < n; i += 3) {
    const double value = Z(i, 1) / table.units.scale[1] + table.units.center[1];
    EXPECT_TRUE(std::abs(value) < 1e-9 || std::abs(value - 1) < 1e-9) << value;
    right += std::abs(value - complete(i, 1)) < 0.5 ? 1 : 0;
  }
  EXPECT_GE(right, 60);  // of 100: chance is 50, and a draw of this slope agrees in about 78
}

TEST(RowImputer, DrawsTheConditionalDistribution) {
  const Gapped t = table_with_gaps(5000);
  const ImputedFit found = fit_linear_imputed(t.X, t.y, {}, {}, {.imputations = 40});
  const RowImputer& rows = *found.imputation.rows;
  // a = (x1 - 10)/2 and b = 10 x2 are normal with correlation .6: E[x2 | x1] = .06 a and its sd is .08.                        (MI.6)
  double mean = 0, square = 0, off = 0;
  constexpr int count = 50;
  for (int i = 0; i < count; ++i) {
    const double a = -2 + 4.0 * i / count;
    const Matrix drawn = rows.completed(Eigen::Vector3d(10 + 2 * a, gap, 0.3));
    EXPECT_EQ(drawn.rows(), 200);
    EXPECT_TRUE((drawn.col(0).array() == 10 + 2 * a).all() && (drawn.col(2).array() == 0.3).all());
    mean += (drawn.col(1).array() - 0.06 * a).mean() / count;
    square += (drawn.col(1).array() - 0.06 * a).square().mean() / count;
    off += (drawn.col(1).array() - 0.06 * a).mean() * a / count;
  }
  // 10000 draws have a standard error of .0008, and the coefficients of .0013; five of them.
  EXPECT_NEAR(mean, 0, 0.008);
  EXPECT_NEAR(off, 0, 0.01);
  EXPECT_NEAR(std::sqrt(square), 0.08, 0.004);
  // Both are missing: the draws have the correlation of the table.
  Matrix both(200 * 30, 2);
  for (int i = 0; i < 30; ++i) both.middleRows(200 * i, 200) = rows.completed(Eigen::Vector3d(gap, gap, 0.01 * i)).leftCols(2);
  const Matrix centred = both.rowwise() - both.colwise().mean();
  const Vector sd = (centred.colwise().squaredNorm() / 6000.0).cwiseSqrt().transpose();
  EXPECT_NEAR(both.col(0).mean(), 10, 0.25);
  EXPECT_NEAR(sd[0], 2, 0.15);
  EXPECT_NEAR(sd[1], 0.1, 0.008);
  EXPECT_NEAR(centred.col(0).dot(centred.col(1)) / 6000 / sd[0] / sd[1], 0.6, 0.06);
}

TEST(Impute, GivesTheSameWithAnyNumberOfThreads) {
  const Gapped t = table_with_gaps(60);
  const ImputedFit one = fit_linear_imputed(t.X, t.y, {}, {.threads = 1}, {.imputations = 6}),
                   two = fit_linear_imputed(t.X, t.y, {}, {.threads = 2}, {.imputations = 6}),
                   other = fit_linear_imputed(t.X, t.y, {}, {.threads = 1}, {.imputations = 6, .seed = 2});
  EXPECT_EQ(one.fit.mean, two.fit.mean);
  EXPECT_EQ(one.fit.variance, two.fit.variance);
  EXPECT_NE(one.fit.mean, other.fit.mean);
}

// Another unit of a column and of the target changes only the unit of the result.
TEST(Impute, DoesNotDependOnUnits) {
  const Gapped t = table_with_gaps(60);
  for (const PriorKind prior : {PriorKind::sparse, PriorKind::shared}) {
    FitOptions options;
    options.prior.kind = prior;
    Matrix X = t.X;
    X.col(1) = 1000 * X.col(1).array() - 7;
    const Fit plain = fit_linear_imputed(t.X, t.y, {}, options, {.imputations = 5}).fit,
              scaled = fit_linear_imputed(X, Vector(0.01 * t.y.array() + 5), {}, options, {.imputations = 5}).fit;
    const double tolerance = 1e-6 * plain.mean.lpNorm<Eigen::Infinity>();
    EXPECT_NEAR(scaled.mean[0], 0.01 * plain.mean[0], tolerance);
    EXPECT_NEAR(scaled.mean[1], 1e-5 * plain.mean[1], tolerance);
    EXPECT_NEAR(scaled.intercept->mean, 5 + 0.01 * plain.intercept->mean + 7 * scaled.mean[1], tolerance);
    EXPECT_NEAR(std::sqrt(scaled.variance[1]), 1e-5 * std::sqrt(plain.variance[1]), tolerance);
    EXPECT_NEAR(noise_sd(scaled), 0.01 * noise_sd(plain), tolerance);
    EXPECT_NEAR(scaled.r_squared, plain.r_squared, 1e-6);
  }
}

TEST(Impute, WithoutGapsIsThePlainFit) {
  const Gapped t = table_with_gaps(60);
  const ImputedFit found = fit_linear_imputed(t.complete, t.y);
  EXPECT_EQ(found.fit.mean, fit_linear(t.complete, t.y).mean);
  EXPECT_EQ(found.fit.completed_tables, 0);
  EXPECT_TRUE(found.imputation.columns.empty());
  EXPECT_TRUE(found.imputation.rows->completed(Eigen::Vector3d(10, gap, 0)).allFinite());  // new rows may have gaps
}

TEST(Impute, RowsOfWeightZeroTakeNoPart) {
  const Gapped t = table_with_gaps(60);
  Matrix X(64, 3);
  Vector y(64), weights = Vector::Ones(64);
  for (Index i = 0, at = 0; at < 64; ++at) {
    if (at % 20 == 3) {
      X.row(at) << (at < 30 ? gap : 40), 3, at < 50 ? gap : 7;
      y[at] = 12, weights[at] = 0;
    } else {
      X.row(at) = t.X.row(i), y[at] = t.y[i], ++i;
    }
  }
  for (const Prior& prior : {Prior::sparse(), Prior::shared()}) {
    FitOptions options, weighted;
    options.prior = weighted.prior = prior;
    weighted.weights = weights;
    const ImputedFit with = fit_linear_imputed(X, y, numbers(3), weighted), without = fit_linear_imputed(t.X, t.y, numbers(3), options);
    EXPECT_LE((with.fit.mean - without.fit.mean).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((with.fit.variance - without.fit.variance).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_EQ(with.imputation.gaps, without.imputation.gaps);
    const Vector labels = (y.array() > 3).cast<double>(), own = (t.y.array() > 3).cast<double>();
    EXPECT_LE(
        (fit_logistic_imputed(X, labels, numbers(3), weighted).fit.mean - fit_logistic_imputed(t.X, own, numbers(3), options).fit.mean)
            .cwiseAbs()
            .maxCoeff(),
        1e-7);  // other sums of the rows, through the steps of an average
  }
}

TEST(Impute, SaysWhatWasMissing) {
  Gapped t = table_with_gaps(60);
  const ImputedFit found = fit_linear_imputed(t.X, t.y, {}, {.column_names = {"a", "b", "c"}}, {.imputations = 5});
  Index gaps[2] = {0, 0};
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 2; ++j) gaps[j] += std::isnan(t.X(i, j)) ? 1 : 0;
  ASSERT_EQ(found.imputation.columns.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(found.imputation.gaps[k], gaps[found.imputation.columns[k] == "a" ? 0 : 1]);
  EXPECT_GE(found.imputation.gaps[0], found.imputation.gaps[1]);
  EXPECT_NE(found.fit.report.notes.front().find("2 columns are missing"), std::string::npos) << found.fit.report.notes.front();
}

TEST(Impute, RefusesWhatItCannotFill) {
  Gapped t = table_with_gaps(40);
  expect_invalid([&] { static_cast<void>(fit_linear_imputed(t.X, t.y, {}, {}, {.imputations = 4})); }, {"imputations is 4", "at least 5"});
  FitOptions laplace;
  laplace.prior = Prior::laplace(1);
  expect_invalid([&] { static_cast<void>(fit_logistic_imputed(t.X, t.y, {}, laplace)); }, {"laplace"});
  expect_invalid([&] { static_cast<void>(fit_linear_imputed(t.X, t.y, {}, options_for_preset("vb_linear_fit"))); }, {"without a preset"});
  t.X(3, 2) = std::numeric_limits<double>::infinity();
  expect_invalid([&] { static_cast<void>(fit_linear_imputed(t.X, t.y)); }, {"row 4", "x3", "inf"});
  t.X.col(2).setConstant(gap);
  expect_invalid([&] { static_cast<void>(fit_linear_imputed(t.X, t.y)); }, {"column 'x3' has no value", "40 rows"});
}

// A posterior with at most two degrees of freedom has no variance, so it has no average by Rubin's rules.                          (MI.4)
TEST(Impute, RefusesTablesWhosePosteriorHasNoVariance) {
  Random random(3);
  const auto message = [&](Index n, Index p, const FitOptions& options) {
    Matrix X = random.normals(n, p);
    X(1, 0) = gap;
    const Vector y = random.normals(n);
    try {
      const Fit fit = fit_linear_imputed(X, y, {}, options, {.imputations = 5}).fit;
      EXPECT_TRUE(fit.variance.allFinite() && fit.variance.minCoeff() > 0 && (!fit.intercept || std::isfinite(fit.intercept->variance)));
      return std::string();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
  };
  const auto expect_needs = [](const std::string& needs, const std::string& found) {
    EXPECT_NE(found.find(needs), std::string::npos) << found;
  };
  FitOptions options = {.prior = Prior::none()};  // a_N = a0 + (n - 4) / 2
  options.noise.shape = 0.01;
  for (const Index n : {4, 5}) {
    const std::string found = message(n, 3, options);
    expect_needs("so at least 6 rows; there are " + std::to_string(n) + ": add rows, or take a prior", found);
  }
  EXPECT_EQ(message(6, 3, options), "");
  options.noise.shape = 0.6;
  EXPECT_EQ(message(5, 3, options), "");
  const std::vector<double> few(6, 0.7), enough(6, 1.2);
  options.noise.shape = 0.01;
  options.weights = few;
  expect_needs("at least 6 rows; the weights have the sum 4.2, which counts as the number of rows: add rows, or take a prior",
               message(6, 3, options));
  options.weights = enough;
  EXPECT_EQ(message(6, 3, options), "");
  for (const Prior& prior : {Prior::shared(), Prior::ard()}) {  // a_N = a0 + (n - 1) / 2
    FitOptions with_prior = {.prior = prior};
    with_prior.noise.shape = 0.01;
    expect_needs("at least 3 rows; there are 2: add rows", message(2, 3, with_prior));
    EXPECT_EQ(message(3, 3, with_prior), "");
  }
}

// Awkward tables: one column, more columns than rows, a column with one known value, constant columns, weights, a row without any value.
TEST(Impute, ManagesAwkwardTables) {
  Random random(9);
  const auto fits = [&](Matrix X, const FitOptions& options) {
    const Vector y = random.normals(X.rows());
    for (Index i = 1; i < X.rows(); i += 3) X(i, 0) = gap;
    const Fit fit = fit_linear_imputed(X, y, {}, options, {.imputations = 5}).fit;
    EXPECT_TRUE(fit.mean.allFinite() && fit.variance.allFinite());
    const Fit classes = fit_logistic_imputed(X, Vector((y.array() > 0).cast<double>()), {}, options, {.imputations = 5}).fit;
    EXPECT_TRUE(classes.mean.allFinite() && classes.variance.allFinite());
  };
  fits(random.normals(30, 1), {});
  fits(random.normals(20, 60), {});
  Matrix X = random.normals(30, 3);
  X.row(4).setConstant(gap);
  X.col(2).setConstant(gap);
  X(0, 2) = 1;
  fits(X, {});
  X.col(1).setConstant(3);
  fits(X, {.prior = Prior::shared()});
  fits(X, {.prior = Prior::ard(), .intercept = false});
  fits(X, {.standardize = false});
  const std::vector<double> weights = [&] {
    std::vector<double> w(30, 1.0);
    w[5] = 0, w[2] = 3;
    return w;
  }();
  fits(X, {.weights = weights});
}

}  // namespace
}  // namespace ardvark
