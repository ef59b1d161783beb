// Groups of many columns in the axes of their Gram matrix, against the matrices themselves.                                     (SP.17)
#include "engine/coordinate/group_axes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../support/random_problem.hpp"
#include "../support/spike_slab_case.hpp"
#include "engine/coordinate/spike_slab.hpp"

namespace ardvark {
namespace {

using testing::Case;
using testing::expect_no_fall;
using testing::make_case;
using testing::natural;
using testing::Random;
using testing::reduced;

// The dummies of a text column in the first `levels` columns, some of them of one row, the last level without a column; standardised or
// not, weighted or not; then numeric columns in groups of their own.
Case text_case(Random& random) {
  const Index levels = random.integer(3, 9), others = random.integer(0, 5), n = random.integer(levels + others + 4, 60);
  std::vector<Index> begin = {0, levels};
  for (Index j = 1; j <= others; ++j) begin.push_back(levels + j);
  Case c = make_case(n, levels + others, 0.3, static_cast<unsigned>(random.integer(1, 1000000)), std::move(begin));
  for (Index i = 0; i < n; ++i) {
    const Index level = i <= levels ? i : std::min<Index>(random.integer(0, levels), random.integer(0, 3 * levels));
    for (Index l = 0; l < levels; ++l) c.X(i, l) = l == level ? 1 : 0;
    c.y[i] += 0.7 * std::sin(static_cast<double>(3 * level));
    if (i > levels && random.chance(0.3)) c.k[i] = random.chance(0.3) ? 0 : random.uniform(0.1, 3);
  }
  const bool standardises = random.chance(0.5);
  for (Index l = 0; l < levels && standardises; ++l) {
    const double mean = c.k.dot(c.X.col(l)) / c.k.sum();
    c.X.col(l) = (c.X.col(l).array() - mean) / std::sqrt(mean * (1 - mean));
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

TEST(GroupAxes, SayWhatTheGroupsOwnMatrixSays) {  // (SP.17)
  int looked_at = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Case c = text_case(random);
    const ReducedRows rows = reduced(c);
    const SpikeSlabHyper hyper = some_hyper(random);
    const ColumnSets sets = groups_of(c.which);
    if (!sets.has_one_indicator()) continue;
    const auto axes = axes_of(rows, sets, hyper.h > 0, 2)[0];
    if (!axes) continue;  // fewer columns than there are others
    ++looked_at;
    const Index k = c.which.group_size(0);
    const Matrix Z = rows.Z().leftCols(k);
    const Vector D = (1 + hyper.h * rows.l.array()).inverse();
    const Matrix A = Z.transpose() * D.asDiagonal() * Z, plain = A + Matrix(Matrix::Identity(k, k) / hyper.kappa),
                 inverse = plain.ldlt().solve(Matrix::Identity(k, k));
    const GroupInverse found = axes->invert(hyper.h, hyper.kappa);
    EXPECT_LE(relative(axes->matrix(found), inverse), 1e-10);
    EXPECT_LE(relative(axes->diagonal(found), inverse.diagonal()), 1e-10);
    EXPECT_LE(relative(axes->spread(found), (Z * inverse * Z.transpose()).diagonal()), 1e-10);
    EXPECT_NEAR(found.trace(k), inverse.trace(), 1e-10 * inverse.trace());
    const double stretch = Eigen::SelfAdjointEigenSolver<Matrix>(hyper.kappa * A).eigenvalues().array().max(0).log1p().sum();
    EXPECT_NEAR(found.stretch, stretch, 1e-10 * (1 + stretch));
    const Vector b = random.normals(k), u = random.normals(rows.rank()), inside = axes->Q * (axes->Q.transpose() * b);
    EXPECT_LE(relative(axes->Q * axes->times_A(hyper.h, axes->Q.transpose() * b), A * b), 1e-10);
    EXPECT_LE(relative(axes->Q * axes->project(u), Z.transpose() * u), 1e-10);
    EXPECT_LE(relative(axes->apply(axes->Q.transpose() * b), Z * b), 1e-10);
    EXPECT_LE(relative(axes->Q * found.times(axes->Q.transpose() * b), inverse * inside), 1e-10);
  }
  EXPECT_GT(looked_at, 200);
}

TEST(GroupAxes, GiveTheSamePosteriorAsMatrices) {  // (SP.10), (SP.17)
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Case c = text_case(random);
    const ReducedRows plain = reduced(c);
    ReducedRows with_axes = plain;
    const SpikeSlabHyper hyper = some_hyper(random);
    const auto sets = std::make_shared<const ColumnSets>(groups_of(c.which));
    with_axes.axes = axes_of(with_axes, *sets, hyper.h > 0, 2);
    const Vector start = random.normals(c.which.size());
    SpikeSlab one(c.which, {.num_rows = c.k.sum()}, sets), two = one;
    one.set_rows(plain);
    two.set_rows(with_axes);
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
    EXPECT_LE(relative(two.covariance_of(0), one.covariance_of(0)), 1e-9);
    EXPECT_LE(relative(two.g(), one.g()), 1e-9);
    EXPECT_LE(relative(two.Dr(), one.Dr()), 1e-9);
    EXPECT_NEAR(two.bound(), one.bound(), 1e-9 * std::abs(one.bound()));
  }
}

TEST(GroupAxes, TheBoundNeverFalls) {  // (SP.5), (SP.12)
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Case c = text_case(random);
    ReducedRows rows = reduced(c);
    const auto sets = std::make_shared<const ColumnSets>(groups_of(c.which));
    rows.axes = axes_of(rows, *sets, true, 2);
    SpikeSlab q(c.which, {.num_rows = c.k.sum()}, sets);
    q.set_rows(rows);
    q.set_hyper(some_hyper(random));
    expect_no_fall(q, natural(c.which), 20, seed);
  }
}

TEST(GroupAxes, AreOfLargeGroupsWithFewOtherColumns) {
  Case c = make_case(60, 12, 0.2, 1, {0, 8, 9, 12});
  const ReducedRows rows = reduced(c);
  const ColumnSets sets = groups_of(c.which);
  EXPECT_EQ(axes_of(rows, sets, true)[0], nullptr);  // small: not worth it
  const auto some = axes_of(rows, sets, true, 2);
  EXPECT_NE(some[0], nullptr);                           // 8 columns, 4 others
  EXPECT_EQ(some[1], nullptr);                           // 1 column
  EXPECT_EQ(some[2], nullptr);                           // 3 columns, 9 others
  EXPECT_NE(axes_of(rows, sets, false, 2)[2], nullptr);  // whose dense part is never there
}

}  // namespace
}  // namespace ardvark
