// Two classes from several starts on one set of working rows.                                          docs/math/sparse.md (SL.12), (SL.13)
#include "method/spike_slab/class_starts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>

#include "ardvark/logistic.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "method/spike_slab/group_system.hpp"
#include "support/classes_that_may_part.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// A table of two classes with standardised columns, of which the first three tell them apart a little.
struct Table {
  Matrix X;
  Vector t, k;
  Standardization with_intercept{{}, {}, true};
  PenalisedColumns which;
  SpikeSlabSettings slab;

  Table(Index n, Index p, unsigned seed, double size = 1) {
    Random random(seed);
    X = random.normals(n, p);
    const Vector common = random.normals(n);
    for (Index j = 0; j + 3 < p; j += 4) X.col(j) = 0.7 * X.col(j) + 0.7 * common;
    X.rowwise() -= X.colwise().mean().eval();
    for (Index j = 0; j < p; ++j) X.col(j) *= std::sqrt(static_cast<double>(n)) / X.col(j).norm();
    t = Vector(n);
    k = Vector::Ones(n);
    for (Index i = 0; i < n; ++i) t[i] = random.chance(sigmoid(0.3 + size * X.row(i).head(std::min<Index>(3, p)).sum())) ? 1 : 0;
    which = {{}, {0}, {p}};
    for (Index j = 0; j < p; ++j) which.columns.push_back(j), which.begin.push_back(j + 1);
    slab.num_rows = static_cast<double>(n);
    slab.noise = 4;
    slab.kappa_tail = 1;
    slab.fit_noise = false;
  }
  [[nodiscard]] TableClassRows rows(bool proper) const { return {std::make_unique<DenseDesign>(X, with_intercept), t, k, proper}; }
  [[nodiscard]] Matrix all() const {
    Matrix out(X.rows(), X.cols() + 1);
    out << X, Vector::Ones(X.rows());
    return out;
  }
};

// What a start says of the log odds, by the matrices of (SP.6) themselves.
LogOdds odds_of(const Table& table, const StartOutcome& start, const ReducedRows& rows) {
  const SpikeSlab& q = start.q;
  const Index p = table.X.cols();
  const double h = q.hyper().h;
  const Matrix Z = rows.Z(), P = Matrix::Identity(p, p) - h * Z.transpose() * q.D().asDiagonal() * Z;
  Matrix B = Matrix::Zero(p, p);
  for (Index set = 0; set < q.sets().size(); ++set) {
    const auto span = q.sets().columns_of(set);
    const std::vector<Index> columns(span.begin(), span.end());
    B(columns, columns) = q.covariance_of(set);
  }
  const Matrix C = h * P + P * B * P.transpose();
  const Vector w = q.mean() + h * Z.transpose() * q.Dr();
  const Matrix off = table.X.rowwise() - rows.G.row(0);  // less what the intercept takes off each column
  const Vector flat = rows.flat_mean;
  LogOdds out;
  out.m = (off * w).array() + flat[0];
  out.s = (off * C).cwiseProduct(off).rowwise().sum().array() + rows.R.squaredNorm();
  return out;
}

double log_likelihood(const Table& table, const LogOdds& odds) {
  double sum = 0;
  for (Index i = 0; i < odds.m.size(); ++i) sum += table.t[i] * odds.m[i] - expected_logistic(odds.m[i], odds.s[i]).softplus;
  return sum;
}

// What comes out as the evidence of working rows, corrected, is the sum of likelihood and divergences.                         (SL.5)
TEST(ClassStarts, BoundIsLikelihoodLessDivergences) {  // (SL.10), (SL.12)
  for (const auto& [n, p] : {std::pair<Index, Index>{80, 30}, {60, 60}, {40, 90}, {120, 5}})
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Table table(n, p, 900 + seed);
      TableClassRows rows = table.rows(false);
      const ClassStarts found = fit_class_starts(rows, table.which, table.slab, {});
      ASSERT_EQ(found.status, Status::converged);
      for (std::size_t i = 0; i < found.starts.size(); ++i) {
        if (found.weight[static_cast<Index>(i)] == 0) continue;
        const SpikeSlab& q = found.starts[i].q;
        const double h = q.hyper().h;
        double of_dense = 0;
        for (Index j = 0; j < found.rows->rank(); ++j) {
          const double hl = h * found.rows->l[j], D = q.D()[j], r = q.Dr()[j] / D;
          of_dense += std::log1p(hl) - hl * D + hl * D * D * (r * r + q.g()[j]);
        }
        const double bound = log_likelihood(table, odds_of(table, found.starts[i], *found.rows)) - q.divergence() - 0.5 * of_dense +
                             0.5 * (1 + ln_2pi) - 0.5 * found.rows->log_det_FOF + q.log_prior_of_hyper();
        EXPECT_NEAR(found.starts[i].bound, bound, 1e-6 * std::abs(bound)) << n << " x " << p << ", " << found.starts[i].name;
      }
    }
}

// Without a dense part no step needs the eigenvalues of the columns: a Cholesky factor has the same products.                     (SL.12)
TEST(ClassStarts, SlabsOnATriangleAreThoseOnTheEigenvectors) {
  for (const auto& [n, p, last] : {std::tuple<Index, Index, int>{150, 40, 0}, {400, 120, 0}, {90, 60, 1}})
    for (unsigned seed = 0; seed < 3; ++seed) {
      Table table(n, p, 970 + seed);
      if (last == 1) table.X.col(p - 1) = table.X.col(0);  // a factor would divide by rounding: the eigenvectors are taken
      table.slab.fit_dense = false;
      ClassStartSettings settings;
      settings.parts = SparseParts::slab_only;
      TableClassRows rows = table.rows(true), triangular = table.rows(true);
      triangular.set_rotation(Rotation::to_triangle);
      const ClassStarts one = fit_class_starts(rows, table.which, table.slab, settings);
      const ClassStarts other = fit_class_starts(triangular, table.which, table.slab, settings);
      EXPECT_EQ(other.rows->l.isZero(0), last == 0);
      ASSERT_EQ(one.status, other.status);
      ASSERT_EQ(one.starts.size(), other.starts.size());
      for (std::size_t i = 0; i < one.starts.size(); ++i) {
        if (one.weight[static_cast<Index>(i)] == 0) continue;
        EXPECT_NEAR(one.weight[static_cast<Index>(i)], other.weight[static_cast<Index>(i)], 1e-5);
        EXPECT_NEAR(one.starts[i].bound, other.starts[i].bound, 1e-5);
        EXPECT_LT((one.starts[i].q.mean() - other.starts[i].q.mean()).norm(), 1e-4 * one.starts[i].q.mean().norm());
      }
      EXPECT_LT((std::get<LogOdds>(one.log_odds).s - std::get<LogOdds>(other.log_odds).s).norm(),
                1e-4 * std::get<LogOdds>(one.log_odds).s.norm());
    }
}

// "Converged": rows made from what came out give it again.
TEST(ClassStarts, WhatCameOutGivesItselfAgain) {  // (SL.12), (SL.13)
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Table table(150, 40, 950 + seed, seed % 2 == 0 ? 0.5 : 1.5);
    TableClassRows rows = table.rows(false);
    const ClassStarts found = fit_class_starts(rows, table.which, table.slab, {});
    ASSERT_EQ(found.status, Status::converged);
    Index best = 0;
    found.weight.maxCoeff(&best);
    StartOutcome again = found.starts[static_cast<std::size_t>(best)];
    const LogOdds odds = odds_of(table, again, *found.rows);
    const WorkingSites working_sites = rows.at(odds).sites;
    const auto& sites = std::get<Sites>(working_sites);
    ReducedRows next;
    ASSERT_TRUE(reduce_rows(*rows.design(), table.which, sites.omega, sites.response.cwiseQuotient(sites.omega), sites.omega.sum(),
                            KeepBasis::no, next));
    const double bound = again.bound;
    again.q.set_rows(next);
    again.sweeps = 0;
    AscentSettings ascent;
    ascent.wide_sweeps = 0;
    if (again.q.sum_of_inclusion() > 0) {
      ascend(again.q.sets().in_order_of(by_correlation(next, table.which)), ascent, {}, again);
    } else {
      again.q.update_hyper(Reach::everywhere);
      again.bound = again.q.bound();
    }
    const LogOdds moved = odds_of(table, again, next);
    WorkingRows working{working_sites, sites.response.cwiseQuotient(sites.omega), 0, 0.5 * sites.omega.sum() * ln_2pi, 0, {}};
    EXPECT_NEAR(bound_of_classes(rows, working, {again.bound, moved, {}}), bound, 5e-3);
    EXPECT_LT(((moved.m - odds.m).array() / odds.s.array().sqrt()).abs().maxCoeff(), std::sqrt(2 * 5e-3));  // a move of so many nats
  }
}

// Two columns: the evidence at given hyper-parameters as a sum over four subsets of integrals over intercept and weights.
TEST(ClassStarts, BoundIsNearTheSumOverSubsets) {  // (SP.20), (SP.23)
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Table table(60, 2, 40 + seed);
    TableClassRows rows = table.rows(true);
    ClassStartSettings settings;
    settings.tolerance = 1e-6;
    const ClassStarts found = fit_class_starts(rows, table.which, table.slab, settings);
    Index at = 0;
    found.weight.maxCoeff(&at);
    const StartOutcome& best = found.starts[static_cast<std::size_t>(at)];
    const SpikeSlabHyper& hyper = best.q.hyper();
    const double pi = best.q.sum_of_inclusion() > 0 ? hyper.pi : 0, c = narrowing_of(2 * (hyper.h + pi * hyper.kappa));
    double evidence = 0;
    constexpr double step = 0.1;
    const auto spread = [&](int subset, int j) { return hyper.h + ((subset >> j) & 1 ? hyper.kappa : 0); };
    for (int subset = 0; subset < 4; ++subset) {
      double prior = 1;
      for (int j = 0; j < 2; ++j) prior *= (subset >> j) & 1 ? pi : 1 - pi;
      const double s0 = std::sqrt(spread(subset, 0)), s1 = std::sqrt(spread(subset, 1));
      for (double b = -3; b <= 3; b += step)
        for (double x0 = -6; x0 <= 6; x0 += 2 * step)
          for (double x1 = -6; x1 <= 6; x1 += 2 * step) {  // in prior standard deviations: smooth beside the likelihood
            double log_p = std::log(c / std::numbers::pi) + 0.5 * (log_sigmoid(c * b) + log_sigmoid(-c * b));
            for (Index i = 0; i < 60; ++i) {
              const double eta = b + s0 * x0 * table.X(i, 0) + s1 * x1 * table.X(i, 1);
              log_p += log_sigmoid(table.t[i] > 0.5 ? eta : -eta);
            }
            evidence += prior * std::exp(log_p + 60) * normal_pdf(x0) * normal_pdf(x1) * step * 2 * step * 2 * step;
          }
    }
    const double exact = std::log(evidence) - 60 + best.q.log_prior_of_hyper();
    EXPECT_LT(best.bound, exact + 1e-3) << seed;
    EXPECT_GT(best.bound, exact - 0.15) << seed;
  }
}

TEST(ClassStarts, EvidenceIsNeverAboveZero) {              // (SP.20)
  const char* asked = std::getenv("ARDVARK_TEST_TABLES");  // 2000 in scripts/check
  const int count = asked != nullptr ? std::atoi(asked) : 20;
  int num_fell = 0, num_unfinished = 0;
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    Random random(static_cast<unsigned>(80000 + i));
    const Index n = random.integer(4, 60), p = random.integer(21, 50);
    const auto [X, t] = testing::classes_that_may_part(random, n, p, i);
    FitOptions options;
    options.prior.kind = i % 7 == 0 ? PriorKind::slab : i % 11 == 0 ? PriorKind::dense : PriorKind::sparse;
    const LogisticFit fit = fit_logistic(X, t, options);
    ASSERT_LE(fit.bound, 0) << i;
    ASSERT_TRUE(fit.mean.allFinite() && fit.variance.allFinite()) << i;
    ASSERT_TRUE(fit.report.status == Status::converged || fit.report.status == Status::max_sweeps) << i;
    num_unfinished += fit.report.status == Status::max_sweeps;
    const std::vector<double>& F = fit.report.bound_history;
    double fall = 0;
    for (std::size_t step = 1; step < F.size(); ++step) fall = std::max(fall, F[step - 1] - F[step]);
    num_fell += fall > 2e-3;  // nats: the tolerance
    worst = std::max(worst, fall);
  }
  // A known limit, docs/reliability.md: an average may fall where one of its parts leaves a maximum for another.
  std::printf("figure: %d of %d histories fall by more than .002 nats, the worst by %.3f; %d did not settle\n", num_fell, count, worst,
              num_unfinished);
  EXPECT_LE(num_fell, 1 + count / 1000);
  EXPECT_LE(num_unfinished, count / 1000);
}

}  // namespace
}  // namespace ardvark::internal
