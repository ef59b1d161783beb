// Blocks of correlated columns and their joint posteriors, against sums over all subsets and the definitions.
#include "method/spike_slab/column_blocks.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "../support/random_problem.hpp"
#include "../support/spike_slab_case.hpp"
#include "core/column_kernels.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "method/spike_slab/starts.hpp"
#include "method/spike_slab/subset_posterior.hpp"

namespace ardvark::internal {
namespace {

using testing::blocked_case;
using testing::blocks_of;
using testing::Case;
using testing::expect_no_fall;
using testing::log_evidence_of;
using testing::make_case;
using testing::Random;
using testing::reduced;

const SpikeSlabHyper some_hyper{.pi = 0.2, .kappa = 0.5, .h = 0.01, .s2 = 1.1};

std::vector<Index> subset_of(unsigned bits, Index count) {
  std::vector<Index> in;
  for (Index j = 0; j < count; ++j)
    if ((bits >> j) & 1U) in.push_back(j);
  return in;
}

std::shared_ptr<const ColumnSets> one_block(Index p) {
  std::vector<Index> columns(static_cast<std::size_t>(p));
  std::iota(columns.begin(), columns.end(), Index{0});
  return std::make_shared<const ColumnSets>(columns, std::vector<Index>{0, p}, ColumnSets::Indicators::of_each_column);
}

std::vector<Index> all_of(const ColumnSets& sets) {
  std::vector<Index> order(static_cast<std::size_t>(sets.size()));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

// The moments of w of (SP.1) where at most `most` columns are not zero, with everything Gaussian integrated out.
struct Sum {
  double log_evidence = 0;  // of the prior as it is, the subsets left out missing
  Vector inclusion, mean;
  Matrix covariance;
};
Sum sum_over_subsets(const Case& c, const SpikeSlabHyper& hyper, Index most) {
  const Index p = c.which.size(), n = c.y.size();
  const Matrix X = c.X.leftCols(p);
  Sum out{0, Vector::Zero(p), Vector::Zero(p), Matrix::Zero(p, p)};
  double total = 0, shift = 0;
  Matrix second = Matrix::Zero(p, p);
  for (unsigned bits = 0; bits < (1U << p); ++bits) {
    const std::vector<Index> in = subset_of(bits, p);
    if (static_cast<Index>(in.size()) > most) continue;
    Vector prior = Vector::Constant(p, hyper.h);
    for (const Index j : in) prior[j] += hyper.kappa;
    const Matrix C = hyper.s2 * (Matrix::Identity(n, n) + X * prior.asDiagonal() * X.transpose());
    const double count = static_cast<double>(in.size());
    const double log_term = log_evidence_of(c, C) + count * std::log(hyper.pi) + (static_cast<double>(p) - count) * std::log1p(-hyper.pi);
    // The intercept is flat: the columns and the target less their means.
    const Matrix centred = X.rowwise() - X.colwise().mean();
    const Matrix V = hyper.s2 * (Matrix(centred.transpose() * centred) + Matrix(prior.cwiseInverse().asDiagonal())).inverse();
    const Vector mean = V * centred.transpose() * c.y / hyper.s2;
    if (bits == 0) shift = log_term;
    const double term = std::exp(log_term - shift);
    total += term;
    out.mean += term * mean;
    second += term * (V + mean * mean.transpose());
    for (const Index j : in) out.inclusion[j] += term;
  }
  out.log_evidence = shift + std::log(total);
  out.inclusion /= total;
  out.mean /= total;
  out.covariance = second / total - out.mean * out.mean.transpose();
  return out;
}

TEST(SubsetPosterior, IsTheSumOverTheSubsets) {  // (SP.14)
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 1 + trial % 10;
    const double rho = trial % 3 == 0 ? 0.999 : 0.6, kappa = random.scale(1e-3, 10), s2 = random.scale(0.1, 10);
    const Vector common = random.normals(40);
    Matrix Z(40, n);
    for (Index j = 0; j < n; ++j) Z.col(j) = std::sqrt(rho) * common + std::sqrt(1 - rho) * random.normals(40);
    const Matrix A = Z.transpose() * Z;
    const Vector c = Z.transpose() * (random.normals(40) + (trial % 2) * 2.0 * Z.col(0)),
                 odds = random.normals(n).array() - (trial % 5) * 5;
    Vector inclusion = Vector::Zero(n), mean = Vector::Zero(n);
    Matrix second = Matrix::Zero(n, n);
    std::vector<double> log_weight, log_volume;
    double most = 0;
    for (int pass = 0; pass < 2; ++pass) {  // the weights, then the moments
      double total = 0, negentropy = 0, included = 0;
      for (const double x : log_weight) total += std::exp(x - most);
      std::size_t at = 0;
      for (unsigned bits = 0; bits < (1U << n); ++bits) {
        const std::vector<Index> in = subset_of(bits, n);
        if (in.size() > 3) continue;
        const auto size = static_cast<Index>(in.size());
        const Matrix V = s2 * (A(in, in) + Matrix::Identity(size, size) / kappa).inverse();
        const Vector mu = V * c(in) / s2;
        if (pass == 0) {
          const double log_det = std::log((Matrix::Identity(size, size) + kappa * A(in, in)).determinant());
          log_weight.push_back(odds(in).sum() - 0.5 * log_det + 0.5 * c(in).dot(mu) / s2);
          log_volume.push_back(static_cast<double>(size) * std::log(s2 * kappa) - log_det);
          most = std::max(most, log_weight.back());
          continue;
        }
        const double log_q = log_weight[at] - most - std::log(total), q = std::exp(log_q);
        negentropy += q * (log_q - 0.5 * log_volume[at]);
        ++at;
        included += q * static_cast<double>(size);
        inclusion(in) += Vector::Constant(size, q);
        mean(in) += q * mu;
        second(in, in) += q * (V + mu * mu.transpose());
      }
      if (pass == 0) continue;
      for (const SubsetKernel& kernel : subset_kernels()) {
        if (kernel.level > simd::of_processor()) continue;
        SubsetPosterior found;
        kernel.posterior({n, A.data(), c.data(), odds.data(), kappa, s2}, found);
        const double unit = std::sqrt(second.diagonal().maxCoeff());
        for (Index j = 0; j < n; ++j) {
          EXPECT_NEAR(found.inclusion[j], inclusion[j], 1e-10) << simd::name(kernel.level);
          EXPECT_NEAR(found.mean[j], mean[j], 1e-9 * unit) << simd::name(kernel.level);
          for (Index l = 0; l < n; ++l)
            EXPECT_NEAR(found.covariance[j * n + l], second(j, l) - mean[j] * mean[l], 1e-9 * unit * unit) << simd::name(kernel.level);
        }
        EXPECT_NEAR(found.included, included, 1e-10);
        EXPECT_NEAR(found.square, second.trace(), 1e-9 * second.trace());
        EXPECT_NEAR(found.negentropy, negentropy, 1e-9 * (1 + std::abs(negentropy)));
        EXPECT_NEAR(found.log_evidence, most + std::log(total), 1e-10 * (1 + most));
      }
    }
  }
}

TEST(ColumnKernels, OfColumnsTogetherAgreeWithPlainProducts) {
  Random random(37);
  for (const Index n : {3, 8, 13, 16, 31, 203})
    for (const Index count : {2, 3, 5, 10, 13}) {
      const Matrix Z = random.normals(n, count), root = random.normals(count, count), C = root * root.transpose();
      const Vector u = random.normals(n), D = random.normals(n).cwiseAbs(), change = random.normals(count), g = random.normals(n);
      std::vector<const double*> z;
      for (Index j = 0; j < count; ++j) z.push_back(Z.col(j).data());
      for (const ColumnKernels& kernel : column_kernels()) {
        if (kernel.level > simd::of_processor()) continue;
        Matrix A(count, count);
        Vector c(count), v = u, h = g;
        kernel.joint_products(z.data(), count, u.data(), D.data(), n, A.data(), c.data());
        EXPECT_LT((A - Z.transpose() * D.asDiagonal() * Z).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(n))
            << simd::name(kernel.level);
        EXPECT_LT((c - Z.transpose() * u).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(n)) << simd::name(kernel.level);
        kernel.joint_move(z.data(), count, D.data(), n, change.data(), C.data(), v.data(), h.data());
        EXPECT_LT((v - (u - D.asDiagonal() * Z * change)).cwiseAbs().maxCoeff(), 1e-12) << simd::name(kernel.level) << " " << n;
        EXPECT_LT((h - (g + (Z * C * Z.transpose()).diagonal())).cwiseAbs().maxCoeff(), 1e-10) << simd::name(kernel.level) << " " << n;
      }
    }
}

// (SP.13) by its words, one pair at a time.
std::vector<std::vector<Index>> blocks_by_definition(const ReducedRows& rows, const std::vector<Index>& order) {
  std::vector<bool> taken(order.size(), false);
  std::vector<std::vector<Index>> out;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Index j = order[place];
    if (taken[static_cast<std::size_t>(j)]) continue;
    std::vector<Index> block = {j};
    taken[static_cast<std::size_t>(j)] = true;
    while (static_cast<Index>(place) < rows.rank() && block.size() < 10) {
      double most = 0.5;
      Index best = -1;
      for (const Index l : order) {
        const double alike = std::abs(rows.Z().col(j).dot(rows.Z().col(l))) / (rows.Z().col(j).norm() * rows.Z().col(l).norm());
        if (!taken[static_cast<std::size_t>(l)] && alike > most) most = alike, best = l;
      }
      if (best < 0) break;
      block.push_back(best);
      taken[static_cast<std::size_t>(best)] = true;
    }
    std::sort(block.begin(), block.end());
    out.push_back(block);
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(ColumnBlocks, AreThoseOfTheDefinition) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const bool wide = seed % 2 == 0;
    const Case c = blocked_case(wide ? 30 : 400, wide ? 350 : 300, 1 + 4 * (seed % 4), 0.5 + 0.04 * seed, seed);
    const ReducedRows rows = reduced(c);
    const std::vector<Index> order = by_correlation(rows, c.which);
    const ColumnSets found = correlated_blocks(rows, order);
    std::vector<std::vector<Index>> blocks;
    for (Index s = 0; s < found.size(); ++s) {
      const std::span<const Index> columns = found.columns_of(s);
      blocks.emplace_back(columns.begin(), columns.end());
      for (const Index j : columns) EXPECT_EQ(found.set_of(j), s);
    }
    EXPECT_EQ(blocks, blocks_by_definition(rows, order)) << seed;

    ReducedRows with_lists = rows;  // those of many targets
    with_lists.near = near_columns(rows);
    ASSERT_TRUE(with_lists.near);
    const ColumnSets again = correlated_blocks(with_lists, order);
    ASSERT_EQ(again.size(), found.size());
    for (Index s = 0; s < found.size(); ++s) EXPECT_TRUE(std::ranges::equal(again.columns_of(s), found.columns_of(s))) << seed;
  }
}

TEST(ColumnBlocks, OfColumnsThatAreAllAlikeKeepNoLists) {
  const ReducedRows rows = reduced(blocked_case(30, 350, 350, 0.95, 3));
  EXPECT_EQ(near_columns(rows), nullptr);
}

TEST(ColumnBlocks, OfIndependentColumnsAreTheColumns) {
  const Case c = make_case(300, 120, 0, 3);
  const ReducedRows rows = reduced(c);
  const ColumnSets found = correlated_blocks(rows, by_correlation(rows, c.which));
  ASSERT_EQ(found.size(), 120);
  const auto blocks = std::make_shared<const ColumnSets>(found), columns = std::make_shared<const ColumnSets>(groups_of(c.which));
  const SpikeSlabSettings slab{.num_rows = 300, .least_kappa = 4.0 / 300};
  const std::vector<StartOutcome> with = run_starts(rows, c.which, blocks, slab, {}, SparseParts::both, 1);
  const std::vector<StartOutcome> without = run_starts(rows, c.which, columns, slab, {}, SparseParts::both, 1);
  for (std::size_t s = 0; s < with.size(); ++s) {
    EXPECT_EQ(with[s].q.mean(), without[s].q.mean());
    EXPECT_EQ(with[s].q.variance(), without[s].q.variance());
    EXPECT_EQ(with[s].bound, without[s].bound);
  }
}

SpikeSlab settled(const Case& c, const ReducedRows& rows, const std::shared_ptr<const ColumnSets>& sets, const SpikeSlabHyper& hyper,
                  int sweeps) {
  SpikeSlab q(c.which, {.num_rows = c.k.sum()}, sets);
  q.set_rows(rows);
  q.set_hyper(hyper);
  for (int i = 0; i < sweeps; ++i) q.sweep(all_of(*sets));
  return q;
}

TEST(JointPosterior, OfOneBlockOfAllColumnsIsExact) {  // (SP.14), (SP.6)
  for (unsigned seed = 1; seed <= 10; ++seed)
    for (const auto& [p, rho] : {std::pair{2, 0.9}, std::pair{3, 0.95}, std::pair{3, 0.3}, std::pair{5, 0.8}, std::pair{9, 0.9}}) {
      const Case c = make_case(40, p, rho, seed);
      const ReducedRows rows = reduced(c);
      const SpikeSlab q = settled(c, rows, one_block(p), some_hyper, 2);
      const Sum exact = sum_over_subsets(c, some_hyper, 3);
      EXPECT_NEAR(q.bound() - q.log_prior_of_hyper(), exact.log_evidence, 1e-9);
      EXPECT_LT((q.inclusion() - exact.inclusion).cwiseAbs().maxCoeff(), 1e-10);
      bool factored = false;
      MixtureComponent component = component_of(q, std::make_shared<ReducedRows>(rows), rows.flat_mean, factored);
      component.spread.reset();  // given h
      EXPECT_TRUE(factored);
      EXPECT_LT((component.w - exact.mean).cwiseAbs().maxCoeff(), 1e-10);
      EXPECT_LT((component.covariance() - exact.covariance).cwiseAbs().maxCoeff(), 1e-10);
      EXPECT_LT((component.marginals().variance - exact.covariance.diagonal()).cwiseAbs().maxCoeff(), 1e-10);
    }
}

TEST(JointPosterior, NeverLowersTheBound) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Index n = 8 + seed % 40, p = 2 + (seed * 7) % 60;
    const Case c = blocked_case(n, p, 2 + seed % 12, 0.55 + 0.05 * (seed % 10), seed);
    const ReducedRows rows = reduced(c);
    const auto sets = blocks_of(c, rows);
    SpikeSlab q(c.which, {.num_rows = static_cast<double>(n), .least_kappa = 4.0 / static_cast<double>(n)}, sets);
    q.set_rows(rows);
    q.set_hyper({.pi = 0.1, .kappa = 16.0 / static_cast<double>(n), .h = 0.1 / static_cast<double>(n), .s2 = 1});
    expect_no_fall(q, all_of(*sets), 30, seed);
  }
}

// (SP.3) from q(b) alone, at a fixed point: what each block says of its subsets follows from A, c and the others.
double bound_of_blocks(const SpikeSlab& q) {
  const SpikeSlabHyper& at = q.hyper();
  const ReducedRows& rows = q.rows();
  const Vector D = (1 + at.h * rows.l.array()).inverse(), r = rows.y - rows.Z() * q.mean();
  double misfit = rows.rest + D.dot(r.cwiseAbs2()), divergence = 0;
  for (Index s = 0; s < q.sets().size(); ++s) {
    const std::span<const Index> span = q.sets().columns_of(s);
    const std::vector<Index> columns(span.begin(), span.end());
    const auto n = static_cast<Index>(columns.size());
    const Matrix Z = rows.Z()(Eigen::all, columns), A = Z.transpose() * D.asDiagonal() * Z;
    const Vector m = q.mean()(columns), c = Z.transpose() * D.cwiseProduct(r) + A * m;
    misfit += (A * q.covariance_of(s)).trace();
    std::vector<double> weight, rest;
    for (unsigned bits = 0; bits < (1U << n); ++bits) {
      const std::vector<Index> in = subset_of(bits, n);
      if (in.size() > 3) continue;
      const auto size = static_cast<Index>(in.size());
      const double count = static_cast<double>(size);
      const Matrix V = at.s2 * (A(in, in) + Matrix::Identity(size, size) / at.kappa).inverse();
      const Vector mu = V * c(in) / at.s2;
      const double log_det = std::log((Matrix::Identity(size, size) + at.kappa * A(in, in)).determinant());
      const double prior = count * std::log(at.pi) + static_cast<double>(n - size) * std::log1p(-at.pi);
      weight.push_back(std::exp(prior - 0.5 * log_det + 0.5 * c(in).dot(mu) / at.s2));
      rest.push_back(-prior + 0.5 * ((V.trace() + mu.squaredNorm()) / (at.s2 * at.kappa) - count + log_det));
    }
    double total = 0;
    for (const double w : weight) total += w;
    for (std::size_t i = 0; i < weight.size(); ++i) divergence += weight[i] / total * (std::log(weight[i] / total) + rest[i]);
  }
  return -0.5 * rows.degrees * std::log(2 * std::numbers::pi * at.s2) + 0.5 * D.array().log().sum() - 0.5 * misfit / at.s2 - divergence +
         q.log_prior_of_hyper() - 0.5 * rows.log_det_FOF;
}

TEST(JointPosterior, SweepOfTheRaisedKeepsCountOfTheOthers) {  // (SP.12)
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Case c = blocked_case(60, 40, 6, 0.8, 700 + seed);
    const ReducedRows rows = reduced(c);
    const auto sets = blocks_of(c, rows);
    SpikeSlab q = settled(c, rows, sets, {.pi = 0.1, .kappa = 0.3, .h = 1e-3, .s2 = 1}, 300);
    EXPECT_NEAR(q.bound(), bound_of_blocks(q), 1e-8);
    const Vector before = q.inclusion();
    for (int some = 0; some < 3; ++some) q.sweep_raised();
    EXPECT_NEAR(q.bound(), bound_of_blocks(q), 1e-8);
    q.update_hyper(Reach::everywhere);
    for (int some = 0; some < 3; ++some) q.sweep_raised();
    const Index moved = (q.inclusion().array() != before.array()).count();
    EXPECT_GT(moved, 0);
    EXPECT_LT(moved, 40);
    // Sums and spread, by their definitions.
    Vector g = Vector::Zero(rows.rank());
    for (Index s = 0; s < sets->size(); ++s) {
      const std::span<const Index> columns = sets->columns_of(s);
      const Matrix Z = rows.Z()(Eigen::all, std::vector<Index>(columns.begin(), columns.end()));
      g += (Z * q.covariance_of(s) * Z.transpose()).diagonal();
    }
    EXPECT_LT((q.g() - g).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_NEAR(q.sum_of_inclusion(), q.inclusion().sum(), 1e-10);
  }
}

TEST(JointPosterior, CovarianceIsTheDerivativeOfTheMeans) {  // (SP.6)
  const Case c = blocked_case(30, 8, 4, 0.85, 13);
  const ReducedRows rows = reduced(c);
  const auto sets = blocks_of(c, rows);
  ASSERT_LT(sets->size(), 8);
  const SpikeSlab q = settled(c, rows, sets, some_hyper, 2000);
  bool factored = false;
  MixtureComponent component = component_of(q, std::make_shared<ReducedRows>(rows), rows.flat_mean, factored);
  component.spread.reset();  // given h
  ASSERT_TRUE(factored);
  const Matrix expected = component.covariance() * rows.Z().transpose();
  const double eps = 1e-5;
  for (Index i = 0; i < rows.rank(); ++i) {
    const auto mean_at = [&](double shift) {
      ReducedRows moved = rows;
      moved.y[i] += shift * some_hyper.s2;
      const SpikeSlab other = settled(c, moved, sets, some_hyper, 2000);
      return Vector(other.mean() + some_hyper.h * moved.Z().transpose() * other.Dr());
    };
    EXPECT_LT(((mean_at(eps) - mean_at(-eps)) / (2 * eps) - expected.col(i)).cwiseAbs().maxCoeff(), 1e-6) << i;
  }
}

TEST(JointPosterior, SharesAnEffectAmongCopies) {
  Case c = make_case(60, 12, 0, 5);
  c.X.col(7) = c.X.col(0);
  const ReducedRows rows = reduced(c);
  const auto sets = blocks_of(c, rows);
  for (const StartOutcome& start : run_starts(rows, c.which, sets, {.num_rows = 60, .least_kappa = 4.0 / 60}, {}, SparseParts::both, 1)) {
    EXPECT_NEAR(start.q.inclusion()[0], start.q.inclusion()[7], 1e-9) << start.name;
    EXPECT_NEAR(start.q.inclusion()[0], 0.5, 0.1) << start.name;
    EXPECT_GE(start.q.inclusion()[0] + start.q.inclusion()[7], 1 - 1e-3) << start.name;
    EXPECT_NEAR(start.q.mean()[0], start.q.mean()[7], 1e-9) << start.name;
    bool factored = false;
    const MixtureComponent component = component_of(start.q, std::make_shared<ReducedRows>(rows), rows.flat_mean, factored);
    EXPECT_TRUE(factored);
    // One of them has all of the effect, so that the difference is the sum or its negative.
    const Matrix V = component.covariance();
    const double sum = V(0, 0) + V(7, 7) + 2 * V(0, 7), difference = V(0, 0) + V(7, 7) - 2 * V(0, 7);
    const double effect = start.q.mean()[0] + start.q.mean()[7];
    EXPECT_NEAR(difference, sum + effect * effect, 0.05 * difference);
  }
}

TEST(JointPosterior, KnowsNoOrderOfTheColumns) {
  const Case c = blocked_case(50, 30, 5, 0.8, 21);
  Random random(8);
  const std::vector<Index> order = random.permutation(30);
  Case other = c;
  for (Index j = 0; j < 30; ++j) other.X.col(j) = c.X.col(order[static_cast<std::size_t>(j)]);
  const ReducedRows rows = reduced(c), other_rows = reduced(other);
  const SpikeSlabSettings slab{.num_rows = 50, .least_kappa = 4.0 / 50};
  const auto one = run_starts(rows, c.which, blocks_of(c, rows), slab, {}, SparseParts::both, 1);
  const auto two = run_starts(other_rows, other.which, blocks_of(other, other_rows), slab, {}, SparseParts::both, 1);
  for (std::size_t s = 0; s < one.size(); ++s) {
    EXPECT_NEAR(one[s].bound, two[s].bound, 1e-6);
    EXPECT_LT((one[s].q.mean()(order) - two[s].q.mean()).cwiseAbs().maxCoeff(), 1e-6) << one[s].name;
  }
}

TEST(JointPosterior, IsTheSameWithSeveralThreads) {
  const Case c = blocked_case(80, 120, 7, 0.8, 23);
  const ReducedRows rows = reduced(c);
  const auto sets = blocks_of(c, rows);
  const SpikeSlabSettings slab{.num_rows = 80, .least_kappa = 4.0 / 80};
  const auto one = run_starts(rows, c.which, sets, slab, {}, SparseParts::both, 1);
  const auto three = run_starts(rows, c.which, sets, slab, {}, SparseParts::both, 3);
  for (std::size_t s = 0; s < one.size(); ++s) {
    EXPECT_EQ(one[s].q.mean(), three[s].q.mean());
    EXPECT_EQ(one[s].bound, three[s].bound);
  }
}

}  // namespace
}  // namespace ardvark::internal
