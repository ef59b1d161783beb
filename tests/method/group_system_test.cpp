// Groups of many columns by their own, the other columns or their axes, against the matrices themselves.                      (SP.17)
#include "method/spike_slab/group_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "../support/random_problem.hpp"
#include "../support/spike_slab_case.hpp"
#include "method/spike_slab/spike_slab.hpp"

namespace ardvark::internal {
namespace {

using testing::Case;
using testing::expect_no_fall;
using testing::make_case;
using testing::natural;
using testing::Random;
using testing::reduced;

// Dummies of two text columns, some levels of one row, the last level without a column, each a group; standardised or not, weighted or
// not; then numeric columns in groups of their own. At times the second text column is a coarser one of the first, so that Z has fewer
// rows than columns.
Case text_case(Random& random) {
  const Index levels = random.integer(3, 9), second = random.integer(0, 6), others = random.integer(0, 5), text = levels + second,
              n = random.integer(text + others + 4, 60);
  const bool is_nested = random.chance(0.3);
  std::vector<Index> begin = {0, levels};
  if (second > 0) begin.push_back(text);
  for (Index j = 1; j <= others; ++j) begin.push_back(text + j);
  Case c = make_case(n, text + others, 0.3, static_cast<unsigned>(random.integer(1, 1000000)), std::move(begin));
  for (Index i = 0; i < n; ++i) {
    const Index level = i <= levels ? i : std::min<Index>(random.integer(0, levels), random.integer(0, 3 * levels));
    const Index of_second = is_nested ? level % (second + 1) : random.integer(0, second);
    for (Index l = 0; l < levels; ++l) c.X(i, l) = l == level ? 1 : 0;
    for (Index l = 0; l < second; ++l) c.X(i, levels + l) = l == of_second ? 1 : 0;
    c.y[i] += 0.7 * std::sin(static_cast<double>(3 * level)) + 0.4 * std::cos(static_cast<double>(2 * of_second));
    if (i > levels && random.chance(0.3)) c.k[i] = random.chance(0.3) ? 0 : random.uniform(0.1, 3);
  }
  const bool standardises = random.chance(0.5);
  for (Index l = 0; l < text && standardises; ++l) {
    const double mean = c.k.dot(c.X.col(l)) / c.k.sum();
    if (mean > 0 && mean < 1) c.X.col(l) = (c.X.col(l).array() - mean) / std::sqrt(mean * (1 - mean));
  }
  return c;
}

SpikeSlabHyper some_hyper(Random& random) {
  return {.pi = random.uniform(0.05, 0.9),
          .kappa = random.scale(1e-3, 10),
          .h = random.chance(0.2) ? 0 : random.scale(1e-5, 3),
          .s2 = random.scale(0.2, 3)};
}

double relative(const Matrix& a, const Matrix& b) { return (a - b).norm() / (1e-12 + b.norm()); }

// The groups of more than one column that stand side by side in text_case().
std::vector<Index> text_groups(const Case& c) {
  std::vector<Index> out;
  for (Index g = 0; g < c.which.num_groups(); ++g)
    if (c.which.group_size(g) > 1) out.push_back(g);
  return out;
}

TEST(GroupSystem, SaysWhatTheGroupsOwnMatrixSays) {  // (SP.17)
  int looked_at[3] = {}, deficient = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Case c = text_case(random);
    const ReducedRows rows = reduced(c);
    SpikeSlabHyper hyper = some_hyper(random);
    deficient += rows.rank() < rows.size();
    for (const Index group : text_groups(c))
      for (const Side side : {Side::own, Side::others, Side::axes}) {
        const Index k = c.which.group_size(group), first = c.which.group_begin(group);
        SCOPED_TRACE(::testing::Message() << seed << " group " << group << " side " << static_cast<int>(side));
        const double h = side == Side::axes ? 0 : hyper.h;
        const auto system = group_system(rows, first, k, side);
        ASSERT_NE(system, nullptr);
        ++looked_at[static_cast<int>(side)];
        const Matrix Z = rows.Z().middleCols(first, k);
        const Vector D = (1 + h * rows.l.array()).inverse();
        const Matrix A = Z.transpose() * D.asDiagonal() * Z, plain = A + Matrix(Matrix::Identity(k, k) / hyper.kappa),
                     inverse = plain.ldlt().solve(Matrix::Identity(k, k)), in_rows = Z * inverse * Z.transpose();
        const auto found = system->invert(h, hyper.kappa);
        EXPECT_LE(relative(found->matrix(), inverse), 1e-10);
        EXPECT_LE(relative(found->diagonal(), inverse.diagonal()), 1e-10);
        EXPECT_LE(relative(found->spread(), in_rows.diagonal()), 1e-10);
        const DiagonalAndSquare parts = found->in_the_rows();
        EXPECT_LE(relative(Matrix(parts.a.asDiagonal()) + parts.sign * parts.Y * parts.Y.transpose(), in_rows), 1e-10);
        const double cancelled = hyper.kappa * static_cast<double>(k);  // terms of this size
        EXPECT_NEAR(found->trace(), inverse.trace(), 1e-10 * inverse.trace() + 1e-12 * cancelled);
        const double stretch = Eigen::SelfAdjointEigenSolver<Matrix>(hyper.kappa * A).eigenvalues().array().max(0.0).log1p().sum();
        EXPECT_NEAR(found->stretch(), stretch, 1e-10 * (1 + stretch));
        const Vector seen = A * random.normals(k);
        EXPECT_LE(relative(found->times(seen), inverse * seen), 1e-10);
      }
  }
  for (const int count : looked_at) EXPECT_GT(count, 300);
  EXPECT_GT(deficient, 20);
}

TEST(GroupSystem, GivesTheSamePosteriorAsMatrices) {  // (SP.10), (SP.17)
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Case c = text_case(random);
    const ReducedRows plain = reduced(c);
    ReducedRows with_systems = plain;
    const SpikeSlabHyper hyper = some_hyper(random);
    const auto sets = std::make_shared<const ColumnSets>(groups_of(c.which));
    with_systems.systems = group_systems(with_systems, *sets, hyper.h > 0, 2);
    const Vector start = random.normals(c.which.size());
    SpikeSlab one(c.which, {.num_rows = c.k.sum()}, sets), two = one;
    one.set_rows(plain);
    two.set_rows(with_systems);
    for (SpikeSlab* q : {&one, &two}) {
      q->set_hyper(hyper);
      q->set_mean(start);
      q->sweep(natural(c.which));
      q->sweep_raised();
      q->sweep(natural(c.which));
      q->sweep_raised();
    }
    EXPECT_LE(relative(two.mean(), one.mean()), 1e-9);
    EXPECT_LE((two.inclusion() - one.inclusion()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LE(relative(two.variance(), one.variance()), 1e-9);
    EXPECT_LE(relative(two.g(), one.g()), 1e-9);
    EXPECT_LE(relative(two.Dr(), one.Dr()), 1e-9);
    EXPECT_NEAR(two.bound(), one.bound(), 1e-9 * std::abs(one.bound()));
    for (const Index group : text_groups(c)) {
      EXPECT_LE(relative(two.covariance_of(group), one.covariance_of(group)), 1e-9);
      const Matrix Z = plain.Z().middleCols(c.which.group_begin(group), c.which.group_size(group));
      const auto seen = two.covariance_in_rows(group);
      ASSERT_TRUE(seen);
      EXPECT_LE(relative(Matrix(seen->a.asDiagonal()) + seen->sign * seen->Y * seen->Y.transpose() + seen->along * seen->along.transpose(),
                         Z * one.covariance_of(group) * Z.transpose()),
                1e-9);
    }
  }
}

TEST(GroupSystem, TheBoundNeverFalls) {  // (SP.5), (SP.12)
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Case c = text_case(random);
    ReducedRows rows = reduced(c);
    const auto sets = std::make_shared<const ColumnSets>(groups_of(c.which));
    rows.systems = group_systems(rows, *sets, true, 2);
    SpikeSlab q(c.which, {.num_rows = c.k.sum()}, sets);
    q.set_rows(rows);
    q.set_hyper(some_hyper(random));
    expect_no_fall(q, natural(c.which), 20, seed);
  }
}

// Two text columns of 30 and 20 levels that both have effects.
Case valley_case(unsigned seed) {
  const Index levels = 29, second = 19, n = 500;
  Random random(seed);
  Case c = make_case(n, levels + second, 0, seed, {0, levels, levels + second});
  const Vector effect = random.normals(levels + 1), of_second = random.normals(second + 1);
  for (Index i = 0; i < n; ++i) {
    const Index a = random.integer(0, levels), b = random.integer(0, second);
    for (Index l = 0; l < levels; ++l) c.X(i, l) = l == a ? 1 : 0;
    for (Index l = 0; l < second; ++l) c.X(i, levels + l) = l == b ? 1 : 0;
    c.y[i] = 0.5 * effect[a] + 0.5 * of_second[b] + random.normal();
  }
  return c;
}

// Plain sweeps creep along the valley in which slab and dense part give way to each other. Bold steps come at least as far, in fewer
// sweeps, and the bound never falls.                                                                                          (SP.18)
TEST(GroupSystem, BoldStepsGoWherePlainSweepsGo) {
  int sweeps = 0, plain_sweeps = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = valley_case(seed);
    ReducedRows rows = reduced(c);
    const auto sets = std::make_shared<const ColumnSets>(groups_of(c.which));
    rows.systems = group_systems(rows, *sets, true, 2);
    StartOutcome start{"bold", SpikeSlab(c.which, {.num_rows = c.k.sum()}, sets)};
    start.q.set_rows(rows);
    start.q.set_hyper({.pi = 0.999, .kappa = 0.2, .h = 1e-5, .s2 = 1});
    SpikeSlab plain = start.q;
    AscentSettings settings;
    settings.tolerance = 1e-4;
    settings.max_sweeps = 5000;
    ascend(natural(c.which), settings, {}, start);
    EXPECT_EQ(start.status, Status::converged);
    for (std::size_t i = 1; i < start.history.size(); ++i) EXPECT_GE(start.history[i], start.history[i - 1] - 1e-9);
    double bound = -1e300;
    int count = 0;
    for (int calm = 0; count < 5000 && calm < 2; ++count) {
      if (count > 0) plain.update_hyper(count <= 3 ? Reach::everywhere : Reach::near);
      plain.sweep(natural(c.which));
      const double last = std::exchange(bound, plain.bound());
      calm = bound - last < settings.tolerance ? calm + 1 : 0;
    }
    EXPECT_GE(start.bound, bound - 0.01);
    sweeps += start.sweeps;
    plain_sweeps += count;
  }
  EXPECT_LT(2 * sweeps, plain_sweeps);
}

TEST(GroupSystem, IsOfLargeGroups) {
  Case c = make_case(60, 12, 0.2, 1, {0, 8, 9, 12});
  const ReducedRows rows = reduced(c);
  const ColumnSets sets = groups_of(c.which);
  EXPECT_EQ(group_systems(rows, sets, true)[0], nullptr);  // small: not worth it
  const auto some = group_systems(rows, sets, true, 2);
  EXPECT_NE(some[0], nullptr);  // by the 4 others
  EXPECT_EQ(some[1], nullptr);  // 1 column
  EXPECT_NE(some[2], nullptr);  // by its own 3
}

}  // namespace
}  // namespace ardvark::internal
