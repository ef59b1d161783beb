// Two classes, averaged over the hyper-parameters that the evidence leaves open.                 docs/math/sparse.md (SP.20), (SL.10),
// (SL.11)
#include "method/spike_slab/class_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <vector>

#include "ardvark/logistic.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "support/classes_that_may_part.hpp"

namespace ardvark::internal {
namespace {

using namespace testing;

// Sums over equally spaced places are spectrally exact of what falls off at both ends.
template <typename Density>
double sum_over(double from, double to, Density&& density) {
  constexpr int count = 90;
  double sum = 0;
  for (int i = 0; i <= count; ++i) sum += density(from + (to - from) * i / count);
  return sum * (to - from) / count;
}

// One column and an intercept: ln sum over the grid of prior and the integral over both.
double log_evidence_by_quadrature(const Vector& x, const Vector& t, const HyperGrid& grid) {
  const Index n = x.size();
  std::vector<double> terms;
  for (const GridPoint& point : grid.points) {
    if (point.weight < 1e-5) continue;
    const SpikeSlabHyper& hyper = point.q.hyper();
    const double c = 1 / std::sqrt(1 + std::numbers::pi * (hyper.h + hyper.pi * hyper.kappa) / 8);  // (SP.20)
    const auto over_intercept = [&](double w) {
      const double end = 12 / c + 2 * std::abs(w);
      return sum_over(-end, end, [&](double b) {
        double log_density = 0.5 * (log_sigmoid(c * b) + log_sigmoid(-c * b)) + std::log(c / std::numbers::pi);
        for (Index i = 0; i < n; ++i) log_density += log_sigmoid((t[i] > 0 ? 1 : -1) * (b + w * x[i]));
        return std::exp(log_density);
      });
    };
    const auto normal = [&](double variance) {
      const double sd = std::sqrt(variance);
      if (sd == 0) return over_intercept(0);
      return sum_over(-7, 7, [&](double z) { return normal_pdf(z) * over_intercept(sd * z); });
    };
    const double evidence = hyper.pi * normal(hyper.h + hyper.kappa) + (1 - hyper.pi) * normal(hyper.h);
    // The prior of the point, without what the intercept's adds to it.
    const PriorOfGrid& of_grid = prior_of_class_grid;
    const double prior = point.cell.dense ? log_prior_of_ratio(point.cell.exponent) + std::log(of_grid.dense) : std::log(1 - of_grid.dense);
    const int kappa = static_cast<int>(std::lround(std::log(hyper.kappa / 4) / std::log(4.0)));
    double of_pi = 0;
    for (const auto& [log_odds, log_prior] : prior_of_odds(1, of_grid))
      if (std::abs(sigmoid(log_odds) - hyper.pi) < 1e-9) of_pi = log_prior;
    terms.push_back(prior + log_prior_of_kappa(kappa, 1, of_grid.narrowest) + of_pi + std::log(evidence));
  }
  return log_sum(terms);
}

TEST(ClassGrid, EvidenceIsThatOfQuadrature) {  // (SP.20), (SL.10), (SL.11)
  Random random(11);
  for (const bool separable : {false, true}) {
    const Index n = 14;
    Vector x(n), t(n);
    for (Index i = 0; i < n; ++i) {
      x[i] = (static_cast<double>(i) - 6.5) / 4.0311288741492746;  // mean 0, variance 1
      t[i] = separable ? i >= n / 2 : random.uniform() < sigmoid(1.5 * x[i]);
    }
    const Matrix X = x;
    const Vector k = Vector::Ones(n);
    PenalisedColumns which{{0}, {0, 1}, {1}};
    Standardization standardization;
    standardization.intercept = true;
    TableClassRows rows(std::make_unique<DenseDesign>(X, standardization), t, k, true);
    SpikeSlabSettings slab;
    slab.num_rows = n;
    slab.fit_noise = false;
    slab.noise = 4;
    slab.kappa_tail = 1;
    slab.grid = prior_of_class_grid;
    const auto sets = std::make_shared<const ColumnSets>(groups_of(which));
    for (const bool by_cells : {false, true}) {
      const ClassGrid found = (by_cells ? fit_class_cells : fit_class_grid)(rows, which, sets, slab, {});
      ASSERT_EQ(found.status, Status::converged);
      const double exact = log_evidence_by_quadrature(x, t, found.grid);
      EXPECT_LT(found.grid.log_evidence, exact + 0.02) << "a bound, but for the normal log odds; " << separable << by_cells;
      EXPECT_GT(found.grid.log_evidence, exact - (by_cells ? 0.35 : 0.9)) << separable << by_cells;
    }
  }
}

TEST(ClassGrid, EvidenceIsNeverAboveZero) {                // (SP.20)
  const char* asked = std::getenv("ARDVARK_TEST_TABLES");  // 2000 in scripts/check
  const int count = asked != nullptr ? std::atoi(asked) : 40;
  for (int i = 0; i < count; ++i) {
    Random random(static_cast<unsigned>(70000 + i));
    const Index n = random.integer(4, 24), p = random.integer(1, 4);
    const auto [X, t] = testing::classes_that_may_part(random, n, p, i);
    FitOptions options;
    options.prior.kind = i % 7 == 0 ? PriorKind::slab : i % 11 == 0 ? PriorKind::dense : PriorKind::sparse;
    options.intercept = i % 5 != 0;
    const LogisticFit fit = fit_logistic(X, t, options);
    ASSERT_LE(fit.bound, 0) << i;
    ASSERT_TRUE(fit.mean.allFinite() && fit.variance.allFinite()) << i;
    ASSERT_NE(fit.report.status, Status::separated) << i;
    const std::vector<double>& F = fit.report.bound_history;
    for (std::size_t step = 1; step < F.size(); ++step) ASSERT_GE(F[step], F[step - 1] - 1e-3) << i;
  }
}

TEST(ClassGrid, SeparableRowsAreKnownToBeUnsure) {  // the example of the issue: x = 1 .. 20, the first half a, the second b
  Matrix X(20, 1);
  Vector t(20);
  for (Index i = 0; i < 20; ++i) {
    X(i, 0) = static_cast<double>(i + 1);
    t[i] = i >= 10;
  }
  const LogisticFit fit = fit_logistic(X, t);
  EXPECT_EQ(fit.report.status, Status::converged);
  const double spread = std::sqrt(33.25);  // sd of 1 .. 20
  // By quadrature, averaged over the slab's variance: a slope of 8.5 and a standard deviation of 9.3 per sd of the column.
  EXPECT_NEAR(fit.mean[0] * spread, 8.5, 3);
  EXPECT_NEAR(std::sqrt(fit.variance[0]) * spread, 9.3, 3);
  EXPECT_LT(fit.bound, -4);
}

// Each cell of the grid is told apart by itself: where points of it have several maxima they may not take turns.                (SL.11)
TEST(ClassGrid, SeparableRowsConvergeAndTheirOrderDoesNotMatter) {
  for (int i = 0; i < 10; ++i) {
    Random random(static_cast<unsigned>(i));
    const Index n = random.integer(12, 44), p = random.integer(3, 12);
    const Matrix X = random.normals(n, p);
    Vector t(n);
    for (Index row = 0; row < n; ++row) t[row] = 3 * (X(row, 0) - X(row, 1)) + (i % 2 == 0 ? 0 : 0.3 * random.normal()) > 0;
    if (t.minCoeff() == t.maxCoeff()) continue;
    const LogisticFit fit = fit_logistic(X, t);
    EXPECT_EQ(fit.report.status, Status::converged) << i;
    const std::vector<Index> order = random.permutation(n);
    const LogisticFit other = fit_logistic(Matrix(X(order, Eigen::all)), Vector(t(order)));
    EXPECT_NEAR(other.bound, fit.bound, 2 * 2e-3) << i << ": twice the tolerance";
  }
}

// The covariance of all columns is singular then; its root may not lose the small variance of a column of large units.          (SL.8)
TEST(ClassGrid, AConstantColumnBesideOneOfLargeUnitsChangesNothing) {
  Random random(5);
  const Index n = 30;
  Matrix X = Matrix::Zero(n, 2);
  X.col(0) = random.normals(n);
  Vector t(n);
  for (Index row = 0; row < n; ++row) t[row] = random.uniform() < sigmoid(1.5 * X(row, 0));
  FitOptions options;
  options.standardize = false;
  const double bound = fit_logistic(Matrix(X.leftCols(1)), t, options).bound;
  for (const double unit : {1.0, 1e8, 1e11}) {
    const LogisticFit fit = fit_logistic(Matrix(unit * X), t, options);
    EXPECT_EQ(fit.report.status, Status::converged) << unit;
    EXPECT_NEAR(fit.bound, bound, 1e-6) << unit;
  }
}

// One far away would be beyond doubt, and each cell would have rows of its own.
TEST(ClassGrid, ARowOfNoWeightDecidesNothing) {  // (SL.11)
  Random random(3);
  const Index n = 40;
  Matrix X = random.normals(n + 1, 2);
  X(n, 0) = 300;
  Vector t(n + 1), k = Vector::Ones(n + 1);
  for (Index row = 0; row < n; ++row) t[row] = random.uniform() < sigmoid(1.5 * X(row, 0));
  t[n] = k[n] = 0;
  FitOptions options;
  options.weights = k;
  const LogisticFit fit = fit_logistic(X, t, options), without = fit_logistic(Matrix(X.topRows(n)), Vector(t.head(n)));
  EXPECT_NEAR(fit.bound, without.bound, 1e-9);
  EXPECT_LT((fit.mean - without.mean).norm(), 1e-8);
}

// A step that is too long goes round what it looks for, however often it is halved where the bound falls.                       (SL.6)
TEST(ClassGrid, ConvergesWhereTwoColumnsTellManyRowsApart) {
  for (std::uint64_t seed : {5, 6, 7}) {
    Random random(seed);
    const Matrix X = random.normals(150, 4);
    Vector labels(150);
    for (Index i = 0; i < 150; ++i) labels[i] = X(i, 0) + X(i, 1) > 0 ? 1 : 0;
    const LogisticFit fit = fit_logistic(X, labels);
    EXPECT_EQ(fit.report.status, Status::converged) << seed << ": " << fit.report.message;
    EXPECT_LE(fit.bound, 0) << seed;
  }
}

}  // namespace
}  // namespace ardvark::internal
