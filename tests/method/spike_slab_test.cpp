// Spike and slab over a ridge, against sums over all subsets of columns, finite differences and the definitions.
#include "method/spike_slab/spike_slab.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <numeric>

#include "../support/random_problem.hpp"
#include "../support/spike_slab_case.hpp"
#include "core/column_kernels.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "method/spike_slab/starts.hpp"

namespace ardvark::internal {
namespace {

using testing::Case;
using testing::expect_no_fall;
using testing::log_evidence_of;
using testing::make_case;
using testing::natural;
using testing::Random;
using testing::reduced;

struct Enumerated {
  double log_evidence = 0;
  Vector inclusion;  // [groups]
  Vector mean;       // [p] of w
};

// Sum over the subsets of groups, with everything Gaussian integrated out; the definition.                                    (SP.1)
Enumerated enumerate(const Case& c, const SpikeSlabHyper& hyper) {
  const Index p = c.which.size(), G = c.which.num_groups();
  const Matrix X = c.X.leftCols(p), base = Matrix::Identity(c.y.size(), c.y.size()) + hyper.h * X * X.transpose();
  std::vector<double> log_term;
  std::vector<Vector> means;
  for (Index subset = 0; subset < (Index{1} << G); ++subset) {
    Vector prior = Vector::Constant(p, hyper.h);
    double log_prior = 0;
    for (Index g = 0; g < G; ++g) {
      const bool in = (subset >> g) & 1;
      log_prior += std::log(in ? hyper.pi : 1 - hyper.pi);
      if (in) prior.segment(c.which.group_begin(g), c.which.group_size(g)).array() += hyper.kappa;
    }
    const Matrix C = hyper.s2 * (Matrix::Identity(c.y.size(), c.y.size()) + X * prior.asDiagonal() * X.transpose());
    log_term.push_back(log_prior + log_evidence_of(c, C));
    const Vector ones = Vector::Ones(c.y.size()), Ci_one = C.ldlt().solve(ones);
    const double b = Ci_one.dot(c.y) / Ci_one.sum();
    means.push_back(hyper.s2 * prior.asDiagonal() * X.transpose() * C.ldlt().solve(c.y - b * ones));
  }
  const double most = *std::max_element(log_term.begin(), log_term.end());
  Enumerated out{0, Vector::Zero(G), Vector::Zero(p)};
  double total = 0;
  for (std::size_t subset = 0; subset < log_term.size(); ++subset) {
    const double term = std::exp(log_term[subset] - most);
    total += term;
    out.mean += term * means[subset];
    for (Index g = 0; g < G; ++g)
      if ((subset >> g) & 1) out.inclusion[g] += term;
  }
  out.log_evidence = most + std::log(total);
  out.inclusion /= total;
  out.mean /= total;
  return out;
}

SpikeSlab settled(const Case& c, const ReducedRows& rows, const SpikeSlabHyper& hyper, int sweeps = 4000) {
  SpikeSlab q(c.which, {.num_rows = c.k.sum()});
  q.set_rows(rows);
  q.set_hyper(hyper);
  for (int i = 0; i < sweeps; ++i) q.sweep(natural(c.which));
  return q;
}

const SpikeSlabHyper some_hyper{.pi = 0.2, .kappa = 0.5, .h = 0.01, .s2 = 1.1};

TEST(SpikeSlab, BoundIsBelowTheSumOverAllSubsetsAndNearIt) {
  for (unsigned seed = 1; seed <= 10; ++seed)
    for (const double rho : {0.0, 0.5}) {
      const Case c = make_case(40, 7, rho, seed);
      const ReducedRows rows = reduced(c);
      const SpikeSlab q = settled(c, rows, some_hyper);
      const Enumerated exact = enumerate(c, some_hyper);
      const double bound = q.bound() - q.log_prior_of_hyper();
      EXPECT_LT(bound, exact.log_evidence + 1e-9);
      EXPECT_GT(bound, exact.log_evidence - (rho == 0 ? 0.3 : 1.2)) << "rho " << rho << " seed " << seed;
      EXPECT_LT((q.inclusion() - exact.inclusion).cwiseAbs().maxCoeff(), rho == 0 ? 0.06 : 0.4) << "rho " << rho << " seed " << seed;
    }
}

TEST(SpikeSlab, GroupsWithOneIndicatorAreBelowTheirSumOverSubsetsToo) {  // (SP.10)
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Case c = make_case(40, 8, 0.3, seed, {0, 3, 4, 6, 8});
    const ReducedRows rows = reduced(c);
    const SpikeSlab q = settled(c, rows, some_hyper, 500);
    const Enumerated exact = enumerate(c, some_hyper);
    const double bound = q.bound() - q.log_prior_of_hyper();
    EXPECT_LT(bound, exact.log_evidence + 1e-9);
    EXPECT_GT(bound, exact.log_evidence - 0.6);
    EXPECT_LT((q.inclusion() - exact.inclusion).cwiseAbs().maxCoeff(), 0.25) << seed;
  }
}

TEST(SpikeSlab, OneGroupAloneIsExact) {
  // With one group, and no other, the mean field is no approximation.
  const Case c = make_case(30, 4, 0.6, 3, {0, 4});
  const ReducedRows rows = reduced(c);
  const SpikeSlab q = settled(c, rows, some_hyper, 5);
  const Enumerated exact = enumerate(c, some_hyper);
  EXPECT_NEAR(q.bound() - q.log_prior_of_hyper(), exact.log_evidence, 1e-9);
  EXPECT_NEAR(q.inclusion()[0], exact.inclusion[0], 1e-10);
  bool factored = false;
  const MixtureComponent component = component_of(q, std::make_shared<ReducedRows>(rows), rows.flat_mean, factored);
  EXPECT_TRUE(factored);
  EXPECT_LT((component.w - exact.mean).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(SpikeSlab, OneColumnAloneIsExactHoweverLargeItsEffect) {
  for (const double size : {0.0, 0.3, 3.0, 10.0, 100.0}) {  // from the last but one on the gain is beyond what an exponential holds
    Case c = make_case(30, 1, 0, 4);
    c.y += size * c.X.col(0);
    const ReducedRows rows = reduced(c);
    const SpikeSlabHyper at{.pi = 1e-3, .kappa = 2, .h = 0.01, .s2 = 0.8};
    const SpikeSlab q = settled(c, rows, at, 3);
    const Matrix square = c.X.col(0) * c.X.col(0).transpose(), one = Matrix::Identity(30, 30);
    const double without = std::log(1 - at.pi) + log_evidence_of(c, at.s2 * (one + at.h * square));
    const double with = std::log(at.pi) + log_evidence_of(c, at.s2 * (one + (at.h + at.kappa) * square));
    const double evidence = std::max(without, with) + std::log1p(std::exp(-std::abs(with - without)));
    EXPECT_NEAR(q.bound() - q.log_prior_of_hyper(), evidence, 1e-9 * std::abs(evidence)) << size;
    EXPECT_NEAR(q.inclusion()[0], 1 / (1 + std::exp(without - with)), 1e-10) << size;
  }
}

TEST(SpikeSlab, GroupsOfOneColumnAreColumns) {
  Case c = make_case(40, 6, 0.4, 5);
  const ReducedRows rows = reduced(c);
  const SpikeSlab single = settled(c, rows, some_hyper, 50);
  // One group of two far from the others makes the general path run; its columns are of zeros.
  Case padded = c;
  padded.X = Matrix::Zero(40, 9);
  padded.X.leftCols(6) = c.X.leftCols(6);
  padded.X.col(8).setOnes();
  padded.which.columns = {0, 1, 2, 3, 4, 5, 6, 7};
  padded.which.begin = {0, 1, 2, 3, 4, 5, 6, 8};
  padded.which.flat = {8};
  const ReducedRows padded_rows = reduced(padded);
  const SpikeSlab grouped = settled(padded, padded_rows, some_hyper, 50);
  EXPECT_LT((grouped.mean().head(6) - single.mean()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((grouped.inclusion().head(6) - single.inclusion()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(SpikeSlab, WithoutEffectsTheBoundIsTheEvidenceOfTheRidge) {
  for (const Index p : {5, 60}) {
    const Case c = make_case(40, p, 0.5, 7);
    const ReducedRows rows = reduced(c);
    SpikeSlab q(c.which, {.num_rows = 40});
    q.set_rows(rows);
    q.set_hyper({.pi = 0, .kappa = 0, .h = 0.07, .s2 = 1.3});
    const Matrix X = c.X.leftCols(p);
    const double exact = log_evidence_of(c, 1.3 * (Matrix::Identity(40, 40) + 0.07 * X * X.transpose()));
    EXPECT_NEAR(q.bound() - q.log_prior_of_hyper(), exact, 1e-10 * std::abs(exact));
  }
}

TEST(SpikeSlab, BoundNeverFalls) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Index n = 5 + seed % 40, p = 1 + (seed * 7) % 60;
    const Case c = make_case(n, p, 0.1 * (seed % 10), seed);
    const ReducedRows rows = reduced(c);
    SpikeSlab q(c.which, {.num_rows = static_cast<double>(n), .least_kappa = 4.0 / static_cast<double>(n)});
    q.set_rows(rows);
    q.set_hyper({.pi = 0.1, .kappa = 16.0 / static_cast<double>(n), .h = 0.1 / static_cast<double>(n), .s2 = 1});
    expect_no_fall(q, natural(c.which), 40, seed);
  }
}

// (SP.3) term by term, from the moments of q(b) alone: b_j is mu and V with probability q, else 0.
double bound_from_moments(const SpikeSlab& q) {
  const SpikeSlabHyper& at = q.hyper();
  const ReducedRows& rows = q.rows();
  const Vector r = rows.y - rows.Z() * q.mean();
  double misfit = rows.rest, volume = 0, divergence = 0;
  for (Index i = 0; i < r.size(); ++i) {
    misfit += (r[i] * r[i] + rows.Z().row(i).cwiseAbs2().dot(q.variance())) / (1 + at.h * rows.l[i]);
    volume += std::log(1 + at.h * rows.l[i]);
  }
  for (Index j = 0; j < rows.size(); ++j) {
    const double on = q.inclusion()[j], mu = q.mean()[j] / on, V = q.variance()[j] / on - (1 - on) * mu * mu, slab = at.s2 * at.kappa;
    divergence += on * std::log(on / at.pi) + (1 - on) * std::log((1 - on) / (1 - at.pi));
    divergence += 0.5 * on * ((V + mu * mu) / slab - 1 - std::log(V / slab));
  }
  return -0.5 * rows.degrees * std::log(2 * std::numbers::pi * at.s2) - 0.5 * volume - 0.5 * misfit / at.s2 - divergence +
         q.log_prior_of_hyper() - 0.5 * rows.log_det_FOF;
}

TEST(SpikeSlab, SweepOfTheRaisedKeepsCountOfTheOthers) {  // (SP.12)
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Case c = make_case(60, 90, 0.05 * seed, 400 + seed);
    const ReducedRows rows = reduced(c);
    SpikeSlab q(c.which, {.num_rows = 60, .least_kappa = 4.0 / 60});
    q.set_rows(rows);
    q.set_hyper({.pi = 0.1, .kappa = 0.3, .h = 1e-3, .s2 = 1});
    for (int round = 0; round < 4; ++round) {
      q.sweep(natural(c.which));
      EXPECT_NEAR(q.bound(), bound_from_moments(q), 1e-9);
      const Vector before = q.inclusion();
      for (int some = 0; some < 3; ++some) {
        q.update_hyper(Reach::everywhere);
        q.sweep_raised();
        EXPECT_NEAR(q.bound(), bound_from_moments(q), 1e-9) << "seed " << seed;
      }
      const Index moved = (q.inclusion().array() != before.array()).count();
      EXPECT_GT(moved, 0);
      EXPECT_LT(moved, 45);
    }
  }
}

// (SP.5): the share of columns after one sweep from where it is, and from where it is anticipated, as far from where it comes to rest.
TEST(SpikeSlab, AnticipatedInclusionIsNearerToItsEnd) {
  int nearer = 0, problems = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Case c = make_case(80, 150, 0.02 * (seed % 10), 700 + seed);
    const ReducedRows rows = reduced(c);
    SpikeSlab q(c.which, {.num_rows = 80, .fit_dense = false, .least_kappa = 4.0 / 80});
    q.set_rows(rows);
    q.set_hyper({.pi = 0.1, .kappa = 0.3, .h = 0, .s2 = 1});
    for (int sweep = 0; sweep < 4; ++sweep) {
      q.sweep(natural(c.which));
      q.update_hyper(Reach::everywhere);
    }
    SpikeSlab bold = q, end = q;
    bold.anticipate_inclusion();
    EXPECT_LE(std::abs(std::log(bold.hyper().pi / q.hyper().pi)), std::log(3.0) + 1e-12);
    for (int sweep = 0; sweep < 500; ++sweep) {
      end.sweep(natural(c.which));
      end.update_hyper(Reach::near);
    }
    if (end.hyper().pi < 1e-6) continue;  // none is left
    ++problems;
    const double rest = std::log(end.hyper().pi);
    if (std::abs(std::log(bold.hyper().pi) - rest) < std::abs(std::log(q.hyper().pi) - rest)) ++nearer;
  }
  EXPECT_GE(problems, 20);
  EXPECT_GE(nearer, 0.9 * problems);
}

TEST(SpikeSlab, HyperParametersAreWhereTheBoundIsFlat) {
  const Case c = make_case(150, 12, 0.3, 11);
  const ReducedRows rows = reduced(c);
  SpikeSlab q(c.which, {.num_rows = 150, .least_kappa = 4.0 / 150});
  q.set_rows(rows);
  q.set_hyper({.pi = 0.1, .kappa = 0.3, .h = 1e-3, .s2 = 1});
  for (int i = 0; i < 3000; ++i) {
    q.sweep(natural(c.which));
    q.update_hyper(i < 3 ? Reach::everywhere : Reach::near);
  }
  const SpikeSlabHyper at = q.hyper();
  const auto bound_at = [&](SpikeSlabHyper hyper) { return settled(c, rows, hyper, 2000).bound(); };
  const double step = 1e-3;
  const auto slope = [&](auto member) {
    SpikeSlabHyper up = at, down = at;
    if (member == &SpikeSlabHyper::pi) {  // by its odds: it may be near 1
      up.pi = sigmoid(std::log(at.pi / (1 - at.pi)) + step);
      down.pi = sigmoid(std::log(at.pi / (1 - at.pi)) - step);
    } else {
      up.*member *= std::exp(step);
      down.*member *= std::exp(-step);
    }
    return (bound_at(up) - bound_at(down)) / (2 * step);
  };
  EXPECT_NEAR(slope(&SpikeSlabHyper::s2), 0, 1e-4);
  EXPECT_NEAR(slope(&SpikeSlabHyper::h), 0, 1e-4);
  EXPECT_NEAR(slope(&SpikeSlabHyper::kappa), 0, 1e-4);
  EXPECT_NEAR(slope(&SpikeSlabHyper::pi), 0, 1e-4);
}

TEST(SpikeSlab, CovarianceIsTheDerivativeOfTheMeans) {  // (SP.6): d E w / d y = Cov(w, ...) by linear response
  for (const std::vector<Index>& begin : {std::vector<Index>{}, std::vector<Index>{0, 1, 3, 4, 6}}) {
    const Case c = make_case(30, 6, 0.4, 13, begin);
    ReducedRows rows = reduced(c);
    const SpikeSlab q = settled(c, rows, some_hyper);
    bool factored = false;
    MixtureComponent component = component_of(q, std::make_shared<ReducedRows>(rows), rows.flat_mean, factored);
    ASSERT_TRUE(factored);
    component.spread.reset();  // given h
    const Matrix Cov = component.covariance();
    // A source theta'Z w in the log joint is a shift of the reduced target by s2 theta: d E w / d theta = Cov Z'.
    const Matrix expected = Cov * rows.Z().transpose();
    const double eps = 1e-5;
    for (Index i = 0; i < rows.rank(); ++i) {
      const auto mean_at = [&](double shift) {
        ReducedRows moved = rows;
        moved.y[i] += shift * some_hyper.s2;
        const SpikeSlab r = settled(c, moved, some_hyper);
        return Vector(r.mean() + some_hyper.h * moved.Z().transpose() * r.Dr());
      };
      const Vector slope = (mean_at(eps) - mean_at(-eps)) / (2 * eps);
      EXPECT_LT((slope - expected.col(i)).cwiseAbs().maxCoeff(), 1e-6) << i;
    }
  }
}

TEST(SpikeSlab, ComponentSaysTheSameInEveryWay) {
  for (const Index p : {6, 50}) {
    const Case c = make_case(30, p, 0.4, 17);
    const auto rows = std::make_shared<ReducedRows>(reduced(c));
    const SpikeSlab q = settled(c, *rows, some_hyper, 200);
    bool factored = false;
    Mixture mixture;
    mixture.components.push_back(component_of(q, rows, rows->flat_mean, factored));
    mixture.components.push_back(mixture.components[0]);
    mixture.components[0].weight = 0.3;
    mixture.components[1].weight = 0.7;
    mixture.components[1].w *= 1.1;
    mixture.components[1].h = 0.02;
    mixture.components[1].spread.reset();
    mixture.columns = c.which.columns;
    mixture.flat_columns = c.which.flat;
    const Matrix V = mixture.covariance(p + 1);
    EXPECT_LT((mixture.marginals().variance - V.diagonal().head(p)).cwiseAbs().maxCoeff(), 1e-12);
    const Case other = make_case(9, p, 0.4, 18);
    DenseDesign design(other.X, {});
    Vector s(9);
    mixture.row_variance(design, s);
    for (Index i = 0; i < 9; ++i) EXPECT_NEAR(s[i], other.X.row(i).dot(V * other.X.row(i).transpose()), 1e-11);
    // The trace of Z Cov Z'/s2 given h, by the whole matrix.
    MixtureComponent one = mixture.components[0];
    EXPECT_TRUE(one.spread.has_value());
    one.spread.reset();
    const double trace = (rows->Z() * one.covariance() * rows->Z().transpose()).trace() / one.s2 + 1;
    EXPECT_NEAR(one.marginals().effective_parameters, trace, 1e-10);
    EXPECT_NEAR(one.effective_parameters(), trace, 1e-10);
  }
}

TEST(ReducedRows, KeepGramMatrixAndTarget) {
  for (const Index p : {4, 50}) {
    Case c = make_case(20, p, 0.2, 19);
    Random random(4);
    for (double& weight : c.k) weight = 0.5 + random.uniform();
    DenseDesign design(c.X, {});
    ReducedRows rows;
    ASSERT_TRUE(reduce_rows(design, c.which, c.k, c.y, c.k.sum(), KeepBasis::yes, rows));
    // The projection off the column of ones, by its definition.
    const Matrix root = c.k.cwiseSqrt().asDiagonal(), A = root * c.X.leftCols(p);
    const Vector f = c.k.cwiseSqrt(), t = root * c.y;
    const Matrix P = Matrix::Identity(20, 20) - f * f.transpose() / f.squaredNorm();
    const Matrix Xs = P * A;
    const Vector ys = P * t;
    EXPECT_LT((rows.Z().transpose() * rows.Z() - Xs.transpose() * Xs).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((rows.Z().transpose() * rows.y - Xs.transpose() * ys).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((rows.Z() * rows.Z().transpose() - Matrix(rows.l.asDiagonal())).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((rows.U * rows.Z() - Xs).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(rows.rest + rows.y.squaredNorm(), ys.squaredNorm(), 1e-9);
    EXPECT_NEAR(rows.square, Xs.squaredNorm(), 1e-9);
    EXPECT_NEAR(rows.log_det_FOF, std::log(c.k.sum()), 1e-12);
    EXPECT_NEAR(rows.flat_mean[0], c.k.dot(c.y) / c.k.sum(), 1e-12);
  }
}

TEST(ReducedRows, RefuseFlatColumnsThatDependOnEachOther) {
  Case c = make_case(20, 4, 0.2, 23);
  c.which.columns = {0, 1};
  c.which.begin = {0, 1, 2};
  c.which.flat = {2, 3, 4};
  c.X.col(3) = 2 * c.X.col(2).array() + 1;
  DenseDesign design(c.X, {});
  ReducedRows rows;
  EXPECT_FALSE(reduce_rows(design, c.which, c.k, c.y, 20, KeepBasis::no, rows));
}

TEST(LassoPath, SatisfiesTheOptimalityConditions) {  // (L1.3)
  const Case c = make_case(50, 80, 0.3, 29);
  const ReducedRows rows = reduced(c);
  const Matrix path = lasso_path(rows, std::vector<int>{0, 5, 17});
  const double most = (rows.Z().transpose() * rows.y).cwiseAbs().maxCoeff();
  EXPECT_LT(path.col(0).cwiseAbs().maxCoeff(), 1e-14);  // where the first column is about to enter
  for (const auto& [column, place] : {std::pair{1, 5}, std::pair{2, 17}}) {
    const double lambda = most * std::pow(0.02, place / 19.0);
    const Vector slope = rows.Z().transpose() * (rows.y - rows.Z() * path.col(column));
    for (Index j = 0; j < 80; ++j) {
      if (path(j, column) != 0)
        EXPECT_NEAR(slope[j], std::copysign(lambda, path(j, column)), 0.01 * most);
      else
        EXPECT_LT(std::abs(slope[j]), lambda + 0.01 * most);
    }
  }
}

TEST(ColumnKernels, AgreeWithPlainSums) {
  Random random(31);
  for (const Index n : {1, 7, 8, 9, 100, 203}) {
    Vector y(n), z(n), u(n), D(n), g = Vector::Zero(n);
    for (Index i = 0; i < n; ++i) y[i] = random.normal(), z[i] = random.normal(), u[i] = random.normal(), D[i] = random.uniform();
    for (const ColumnKernels& kernel : column_kernels()) {
      if (kernel.level > simd::of_processor()) continue;
      const ColumnProducts found = kernel.products(z.data(), u.data(), D.data(), n);
      EXPECT_NEAR(found.with_residual, z.dot(u), 1e-12 * static_cast<double>(n)) << simd::name(kernel.level);
      EXPECT_NEAR(found.square, z.dot(D.asDiagonal() * z), 1e-12 * static_cast<double>(n));
      Vector v = u, h = g;
      kernel.move(z.data(), D.data(), n, 0.7, 0.3, v.data(), h.data());
      EXPECT_LT((v - (u - 0.7 * D.cwiseProduct(z))).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_LT((h - 0.3 * z.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-14);
      const PairProducts pair = kernel.products_of_pair(y.data(), z.data(), u.data(), D.data(), n);
      EXPECT_EQ(pair.second.with_residual, found.with_residual);
      EXPECT_NEAR(pair.first.with_residual, y.dot(u), 1e-12 * static_cast<double>(n));
      EXPECT_NEAR(pair.first.square, y.dot(D.asDiagonal() * y), 1e-12 * static_cast<double>(n));
      EXPECT_NEAR(pair.second.square, found.square, 1e-12 * static_cast<double>(n));
      EXPECT_NEAR(pair.across, y.dot(D.asDiagonal() * z), 1e-12 * static_cast<double>(n));
      const double changes[] = {0.7, -0.2}, variances[] = {0.3, 0.6};
      v = u, h = g;
      kernel.move_by_pair(y.data(), z.data(), D.data(), n, changes, variances, v.data(), h.data());
      EXPECT_LT((v - (u - D.cwiseProduct(0.7 * y - 0.2 * z))).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_LT((h - 0.3 * y.cwiseAbs2() - 0.6 * z.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-14);
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
