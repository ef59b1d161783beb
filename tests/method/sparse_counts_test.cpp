// Counts under the priors sparse, slab and dense.                                                           docs/math/sparse.md (SL.16)
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "method/spike_slab/class_grid.hpp"
#include "method/spike_slab/moment_rows.hpp"
#include "support/draw_target.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

struct CountTable {
  Matrix X;
  Vector y, k;
};

// Numbers or columns of 0 and 1, rates from 0.2 to 30.
CountTable draw_table(Random& random, Index n, Index p) {
  CountTable out{random.normals(n, p), {}, Vector::Ones(n)};
  if (random.chance(0.3)) out.X.col(0) = (out.X.col(0).array() > 0.8).cast<double>();
  Vector eta = Vector::Constant(n, random.uniform(-1.5, 3.4));
  for (Index j = 0; j < p; ++j)
    if (random.chance(std::min(0.3, 4.0 / static_cast<double>(p)))) eta += random.uniform(-0.8, 0.8) * out.X.col(j);
  out.y = testing::draw_target(Task::counts, eta, random);
  if (out.y.sum() == 0) out.y[0] = 1;
  return out;
}

FitOptions under(PriorKind kind) {
  FitOptions options;
  options.prior.kind = kind;
  return options;
}

TEST(SparseCounts, TheBoundNeverFalls) {
  for (int i = 0; i < 30; ++i) {
    Random random(static_cast<unsigned>(500 + i));
    const CountTable table = draw_table(random, random.integer(10, 80), random.integer(1, i % 3 == 0 ? 60 : 8));
    FitOptions options = under(i % 5 == 0 ? PriorKind::slab : i % 7 == 0 ? PriorKind::dense : PriorKind::sparse);
    options.intercept = i % 4 != 3;
    const CountFit fit = fit_counts(table.X, table.y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << i;
    ASSERT_TRUE(fit.mean.allFinite() && fit.variance.allFinite()) << i;
    const std::vector<double>& F = fit.report.bound_history;
    for (std::size_t step = 1; step < F.size(); ++step) ASSERT_GE(F[step], F[step - 1] - 1e-3) << i << " " << step;
  }
}

TEST(SparseCounts, AWeightIsARepetition) {
  for (const Index p : {4, 40}) {
    Random random(static_cast<unsigned>(p));
    const CountTable table = draw_table(random, 60, p);
    std::vector<Index> rows;
    Vector weight(60);
    for (Index i = 0; i < 60; ++i) {
      weight[i] = static_cast<double>(random.integer(0, 3));
      for (int copy = 0; copy < weight[i]; ++copy) rows.push_back(i);
    }
    FitOptions options = under(PriorKind::sparse);
    options.weights = weight;
    const CountFit weighted = fit_counts(table.X, table.y, options);
    const CountFit repeated = fit_counts(Matrix(table.X(rows, Eigen::all)), Vector(table.y(rows)), under(PriorKind::sparse));
    EXPECT_NEAR(weighted.bound, repeated.bound, 1e-6 * std::abs(repeated.bound)) << p;
    EXPECT_LT((weighted.mean - repeated.mean).cwiseAbs().maxCoeff(), 1e-6) << p;
    EXPECT_LT((weighted.sparse->inclusion - repeated.sparse->inclusion).cwiseAbs().maxCoeff(), 1e-6) << p;
    EXPECT_NEAR(weighted.deviance, repeated.deviance, 1e-8) << p;
  }
}

TEST(SparseCounts, AnExposureInAnotherUnitChangesTheInterceptAlone) {  // (POIS.8)
  Random random(8);
  const CountTable table = draw_table(random, 70, 5);
  Matrix X(70, 6);
  X << table.X, Vector::NullaryExpr(70, [&] { return random.uniform(0.5, 4); });
  FitOptions options = under(PriorKind::sparse);
  options.column_names = {"a", "b", "c", "d", "e", "days"};
  options.exposure = "days";
  const CountFit days = fit_counts(X, table.y, options);
  X.col(5) /= 7;
  const CountFit weeks = fit_counts(X, table.y, options);
  EXPECT_NEAR(weeks.bound, days.bound, 1e-3);
  EXPECT_NEAR(weeks.intercept->mean, days.intercept->mean + std::log(7.0), 1e-4);
  EXPECT_LT((weeks.mean - days.mean).cwiseAbs().maxCoeff(), 1e-4);
}

// ln of the integral of p(y | b + Xw) N(w; 0, diag(variance)) over b, w: Laplace's method on the columns with a variance.
double log_evidence(const CountTable& table, const Matrix& X, const Vector& variance) {
  std::vector<Index> in;
  for (Index j = 0; j < X.cols(); ++j)
    if (variance[j] > 0) in.push_back(j);
  const Index q = static_cast<Index>(in.size());
  Matrix A(X.rows(), q + 1);
  A << X(Eigen::all, in), Vector::Ones(X.rows());
  Vector precision = Vector::Zero(q + 1), w = Vector::Zero(q + 1);
  for (Index j = 0; j < q; ++j) precision[j] = 1 / variance[in[static_cast<std::size_t>(j)]];
  w[q] = std::log(table.y.mean());
  Matrix H;
  for (int step = 0; step < 12; ++step) {
    const Vector rate = (A * w).array().exp();
    H = A.transpose() * rate.asDiagonal() * A;
    H.diagonal() += precision;
    w += H.llt().solve(A.transpose() * (table.y - rate) - precision.cwiseProduct(w));
  }
  const Vector eta = A * w;
  double sum = table.y.dot(eta) - eta.array().exp().sum() - 0.5 * w.dot(precision.cwiseProduct(w));
  for (const double y : table.y) sum -= std::lgamma(y + 1);
  for (Index j = 0; j < q; ++j) sum += 0.5 * std::log(precision[j]);
  return sum + 0.5 * ln_2pi - 0.5 * std::log(H.determinant());
}

// All subsets of five columns at every point of the grid.
TEST(SparseCounts, InclusionIsThatOfAllSubsets) {  // (SL.16), (SP.21)
  constexpr Index p = 5;
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    Random random(seed);
    const Index n = seed % 2 == 0 ? 60 : 150;
    CountTable table{random.normals(n, p), {}, Vector::Ones(n)};
    if (seed % 3 == 0) table.X.col(1) = 0.8 * table.X.col(0) + 0.6 * table.X.col(1);
    const double rate = seed < 4 ? 0.5 : 4;
    table.y = testing::draw_target(Task::counts, (0.25 * (table.X.col(0) - table.X.col(3))).array() + std::log(rate), random);
    const CountFit fit = fit_counts(table.X, table.y, under(PriorKind::sparse));
    ASSERT_EQ(fit.report.status, Status::converged);

    Matrix X = table.X.rowwise() - table.X.colwise().mean();
    for (auto column : X.colwise()) column /= std::sqrt(column.squaredNorm() / static_cast<double>(n));
    // The grid of the fit, from its rows.
    Standardization standardization;
    standardization.intercept = true;
    const auto likelihood = make_poisson(table.y, table.k, 1);
    Rows first;
    likelihood->start(first);
    MomentRows rows(std::make_unique<DenseDesign>(X, standardization), dynamic_cast<const MomentLikelihood&>(*likelihood),
                    table.y.array().max(0.5).log(), table.k, 0.5);
    EXPECT_NEAR(rows.noise(), std::min(1 / table.y.mean(), 0.5), 1e-9);
    PenalisedColumns which{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 5}, {5}};
    SpikeSlabSettings slab;
    slab.num_rows = static_cast<double>(n);
    slab.fit_noise = false;
    slab.noise = rows.noise();
    slab.kappa_tail = 1;
    slab.grid = prior_of_class_grid;
    const ClassGrid found = fit_class_grid(rows, which, std::make_shared<const ColumnSets>(groups_of(which)), slab, {});
    ASSERT_EQ(found.status, Status::converged);
    std::vector<double> terms;
    std::vector<Vector> inclusions;
    std::map<std::tuple<double, double, int>, double> known;  // points that differ in pi have the same evidences
    for (const GridPoint& point : found.grid.points) {
      const SpikeSlabHyper& hyper = point.q.hyper();
      const double log_prior = point.log_prior + std::log(point.cell.dense ? slab.grid.dense : 1 - slab.grid.dense);
      for (int subset = 0; subset < 1 << p; ++subset) {
        Vector in(p);
        for (Index j = 0; j < p; ++j) in[j] = (subset >> j) & 1;
        const double size = in.sum();
        const auto [at, is_new] = known.try_emplace({hyper.kappa, hyper.h, subset}, 0);
        if (is_new) at->second = log_evidence(table, X, Vector(hyper.h + (hyper.kappa * in).array()));
        terms.push_back(log_prior + size * std::log(hyper.pi) + (p - size) * std::log1p(-hyper.pi) + at->second);
        inclusions.push_back(in);
      }
    }
    const double all = log_sum(terms);
    Vector exact = Vector::Zero(p);
    for (std::size_t i = 0; i < terms.size(); ++i) exact += std::exp(terms[i] - all) * inclusions[i];
    EXPECT_LT((fit.sparse->inclusion - exact).cwiseAbs().maxCoeff(), 0.03) << seed << "\n" << fit.sparse->inclusion << "\n\n" << exact;
    EXPECT_LT(found.grid.log_evidence, all + 0.02) << seed;
    EXPECT_GT(found.grid.log_evidence, all - 0.5) << seed;
  }
}

// A slab without a lower limit may be a second ridge: it includes all columns.                                               (SL.12)
TEST(SparseCounts, ColumnsWithoutEffectsAreNotAllIncluded) {
  const auto draw = [](std::uint64_t seed, Index p, double effect) {
    Random random(seed);
    CountTable out{random.normals(200, p), {}, {}};
    out.y = effect * out.X.col(0) + random.normals(200);
    return out;
  };
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const CountTable one = draw(seed, 25, 0.25), none = draw(seed, 40, 0);
    const auto median = [](const Fit& fit) {
      Vector q = fit.sparse->inclusion;
      std::nth_element(q.begin(), q.begin() + q.size() / 2, q.end());
      return q[q.size() / 2];
    };
    EXPECT_LT(median(fit_linear(one.X, one.y, {.prior = Prior::automatic(), .family = Family::student})), 0.4) << seed;
    const Vector classes = (none.y.array() > 0).cast<double>();
    EXPECT_LT(median(fit_logistic(none.X, classes, {.prior = Prior::automatic()})), 0.4) << seed;
  }
}

// The least width of the slab is in units of the columns, which are not standardised.                                          (SL.12)
TEST(SparseCounts, ColumnsOfAnotherSizeAreIncludedAlike) {
  Random random(5);
  const Matrix X = random.normals(200, 25);
  const Vector y = testing::draw_target(Task::counts, 0.5 + 0.5 * X.col(0).array() - 0.4 * X.col(1).array(), random);
  const Vector classes = (X.col(0) - X.col(1) + random.normals(200)).cwiseSign().cwiseMax(0);
  FitOptions options;
  options.standardize = false;
  options.tolerance = 1e-6;
  for (const double size : {1e-3, 1e3}) {
    const Matrix other = size * X;
    for (const bool is_count : {true, false}) {
      const Fit one = is_count ? Fit(fit_counts(X, y, options)) : Fit(fit_logistic(X, classes, options));
      const Fit sized = is_count ? Fit(fit_counts(other, y, options)) : Fit(fit_logistic(other, classes, options));
      EXPECT_LT((one.sparse->inclusion - sized.sparse->inclusion).cwiseAbs().maxCoeff(), 0.01) << size << " " << is_count;
      EXPECT_GT(sized.sparse->inclusion.head(2).minCoeff(), 0.9);
    }
  }
}

TEST(SparseCounts, ASparseXAndADenseOneAreTheSame) {
  Random random(12);
  CountTable table = draw_table(random, 90, 6);
  table.X = (table.X.array() > 0.9).select(table.X, 0.0);
  std::vector<double> values;
  std::vector<std::int32_t> at;
  std::vector<std::int32_t> begin = {0};
  for (Index j = 0; j < 6; ++j) {
    for (Index i = 0; i < 90; ++i)
      if (table.X(i, j) != 0) values.push_back(table.X(i, j)), at.push_back(static_cast<std::int32_t>(i));
    begin.push_back(static_cast<std::int32_t>(values.size()));
  }
  for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense}) {
    const CountFit dense = fit_counts(table.X, table.y, under(kind));
    const CountFit sparse = fit_counts(CscView(begin.data(), at.data(), values.data(), 90, 6), table.y, under(kind));
    EXPECT_NEAR(sparse.bound, dense.bound, 1e-6 * std::abs(dense.bound));
    EXPECT_LT((sparse.mean - dense.mean).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(sparse.deviance, dense.deviance, 1e-8);
  }
}

TEST(SparseCounts, ColumnsWithoutAPriorMayHaveNoMaximum) {
  Random random(13);
  CountTable table = draw_table(random, 60, 4);
  table.X.col(0) = (Vector::LinSpaced(60, 0, 59).array() < 9).cast<double>();
  FitOptions options = under(PriorKind::sparse);
  options.prior.flat_columns = {0};
  EXPECT_EQ(fit_counts(table.X, table.y, options).report.status, Status::converged);
  table.y.head(9).setZero();
  const CountFit apart = fit_counts(table.X, table.y, options);
  EXPECT_EQ(apart.report.status, Status::separated) << apart.report.message;
}

// The expected rate overflows: a flat column grows without limit, or a tenth of a row tells nothing of the intercept.
TEST(SparseCounts, ARateLargerThanAnyNumberIsNoResult) {
  Matrix X(2, 2);
  X << 0.3, 1, -0.3, 0;
  const Matrix ones = Matrix::Ones(1, 1);
  const Vector counts = Vector::Unit(2, 1), fifteen = Vector::Constant(1, 15.0), tenth = Vector::Constant(1, 0.1);
  for (const PriorKind kind : {PriorKind::slab, PriorKind::shared}) {
    FitOptions options = under(kind);
    options.family = Family::negative_binomial;
    options.prior.flat_columns = {1};
    const CountFit apart = fit_counts(X, counts, options);
    EXPECT_EQ(apart.report.status, Status::separated) << apart.report.message;
    EXPECT_TRUE(apart.mean.array().isNaN().all());
    options.prior.flat_columns = {};
    options.weights = tenth;
    const CountFit one = fit_counts(ones, fifteen, options);
    const bool has_result = one.mean.allFinite();
    EXPECT_TRUE(!has_result || std::isfinite(one.deviance)) << one.report.message;
    EXPECT_EQ(has_result, one.report.status == Status::converged) << one.report.message;
    options.family = Family::automatic;
    EXPECT_EQ(fit_counts(ones, fifteen, options).report.status, Status::converged);
  }
}

TEST(SparseCounts, ALevelOfZerosHasAnEffectAndWideIntervals) {
  Random random(14);
  CountTable table = draw_table(random, 200, 3);
  table.y = testing::draw_target(Task::counts, Vector::Constant(200, 1.0), random);
  table.X.col(0) = (Vector::LinSpaced(200, 0, 199).array() < 25).cast<double>();
  table.y.head(25).setZero();
  const CountFit fit = fit_counts(table.X, table.y, under(PriorKind::sparse));
  EXPECT_EQ(fit.report.status, Status::converged);
  EXPECT_GT(fit.sparse->inclusion[0], 0.99);
  EXPECT_LT(fit.mean[0], -3);
  EXPECT_GT(std::sqrt(fit.variance[0]), 0.8);  // 25 counts of 0 say only that the rate is small
}

}  // namespace
}  // namespace ardvark::internal
