// The posterior of the weights made from q(b), against its definition by p x p matrices.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "../support/random_problem.hpp"
#include "../support/spike_slab_case.hpp"
#include "ardvark/linear.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {
namespace {

using testing::blocked_case;
using testing::blocks_of;
using testing::Case;
using testing::make_case;
using testing::Random;
using testing::reduced;

std::vector<Index> all_of(const ColumnSets& sets) {
  std::vector<Index> order(static_cast<std::size_t>(sets.size()));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

SpikeSlab settled(const Case& c, const ReducedRows& rows, const std::shared_ptr<const ColumnSets>& sets, const SpikeSlabHyper& hyper) {
  SpikeSlab q(c.which, {.num_rows = static_cast<double>(c.y.size())}, sets);
  q.set_rows(rows);
  q.set_hyper(hyper);
  for (int sweep = 0; sweep < 300; ++sweep) q.sweep(all_of(*sets));
  return q;
}

// B = S (I + S' offdiag(Z'DZ)/s2 S)^-1 S' of all columns, S S' = Cov b set by set.                                              (SP.6)
Matrix covariance_of_effects(const SpikeSlab& q) {
  const Index p = q.rows().size();
  Matrix S = Matrix::Zero(p, p), between = q.rows().Z().transpose() * q.D().asDiagonal() * q.rows().Z();
  for (Index set = 0; set < q.sets().size(); ++set) {
    const std::span<const Index> span = q.sets().columns_of(set);
    const std::vector<Index> columns(span.begin(), span.end());
    S(columns, columns) = root_of(q.covariance_of(set));
    between(columns, columns).setZero();
  }
  return S * (Matrix::Identity(p, p) + S.transpose() * between * S / q.hyper().s2).inverse() * S.transpose();
}

TEST(SparseMixture, OfManyRowsIsTheInverseOfOneSum) {  // (SP.16)
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const double h : {1e-10, 1e-3, 0.05, 2.0}) {
      const Case c = blocked_case(60, 24, seed % 2 == 0 ? 4 : 7, seed % 3 == 0 ? 0.3 : 0.8, seed);
      const auto rows = std::make_shared<ReducedRows>(reduced(c));
      const SpikeSlabHyper hyper{.pi = 0.2, .kappa = 0.5, .h = h, .s2 = 1.1};
      const SpikeSlab q = settled(c, *rows, blocks_of(c, *rows), hyper);
      bool factored = false;
      MixtureComponent found = component_of(q, rows, rows->flat_mean, factored);
      ASSERT_TRUE(factored);
      ASSERT_EQ(found.active.size(), 24U);
      const auto Z = rows->Z();
      const Matrix P = Matrix::Identity(24, 24) - h * Z.transpose() * q.D().asDiagonal() * Z;
      const Matrix given_h = hyper.s2 * h * P + P * covariance_of_effects(q) * P.transpose();
      const auto expect = [&](const MixtureComponent& component, const Matrix& expected) {
        const double size = expected.cwiseAbs().maxCoeff();
        EXPECT_LT((component.covariance() - expected).cwiseAbs().maxCoeff(), 1e-9 * size) << seed << " " << h;
        const Marginals marginals = component.marginals();
        EXPECT_LT((marginals.variance - expected.diagonal()).cwiseAbs().maxCoeff(), 1e-9 * size) << seed << " " << h;
        EXPECT_NEAR(marginals.effective_parameters, 1 + (Z * given_h * Z.transpose()).trace() / hyper.s2, 1e-7);
        EXPECT_EQ(component.effective_parameters(), marginals.effective_parameters);
      };
      const std::optional<DenseSpread> u = q.dense_spread();
      ASSERT_TRUE(u.has_value());
      const Matrix spread = u->moves * u->moves.transpose() - Matrix(u->narrowing.asDiagonal());
      expect(found, given_h - hyper.s2 * h * P + u->variance * Matrix::Identity(24, 24) + Z.transpose() * spread * Z);  // (SP.15)
      found.spread.reset();
      expect(found, given_h);
    }
}

TEST(Ascend, BoundNeverFallsThoughStepsAreBold) {  // (SP.5)
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Index n = 5 + seed % 60, p = 1 + (seed * 7) % 120;
    const Case c = blocked_case(n, p, 1 + seed % 5, 0.1 * (seed % 10), seed);
    const ReducedRows rows = reduced(c);
    const auto sets = blocks_of(c, rows);
    const double seen = static_cast<double>(n);
    StartOutcome start{"", SpikeSlab(c.which, {.num_rows = seen, .least_kappa = 4 / seen}, sets)};
    start.q.set_rows(rows);
    start.q.set_hyper({.pi = seed % 3 == 0 ? 0.5 : 0.1, .kappa = 16 / seen, .h = seed % 2 == 0 ? 1e-4 : 1 / seen, .s2 = 1});
    AscentSettings settings;
    settings.max_sweeps = 200;
    ascend(all_of(*sets), settings, {}, start);
    EXPECT_LE(start.sweeps, 200);
    for (std::size_t i = 1; i < start.history.size(); ++i)
      ASSERT_GE(start.history[i], start.history[i - 1] - 1e-9 * (1 + std::abs(start.history[i]))) << "seed " << seed << " sweep " << i;
  }
}

// Noise of a thousandth, and columns that are mixtures of one another: plain sweeps would need thousands.                      (SP.24)
TEST(Ascend, ConvergesWhereSweepsCrawl) {
  int left = 0, far = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Index n = 60, p = 30;
    Random random(seed);
    Case c = make_case(n, p, 0, seed);
    c.X.leftCols(p) = Matrix(c.X.leftCols(p) * (Matrix::Identity(p, p) + 0.5 * random.normals(p, p)));
    c.y = c.X.leftCols(p) * random.normals(p, 1) + 1e-3 * random.normals(n, 1);
    const ReducedRows rows = reduced(c);
    const auto sets = blocks_of(c, rows);
    const double seen = static_cast<double>(n);
    StartOutcome start{"", SpikeSlab(c.which, {.num_rows = seen, .fit_dense = false, .least_kappa = 4 / seen}, sets)};
    start.q.set_rows(rows);
    start.q.set_hyper({.pi = 0.1, .kappa = 16 / seen, .h = 0, .s2 = c.y.squaredNorm() / seen});
    const AscentSettings settings;
    ascend(all_of(*sets), settings, {}, start);
    EXPECT_EQ(start.status, Status::converged) << "seed " << seed;
    for (std::size_t i = 1; i < start.history.size(); ++i)
      ASSERT_GE(start.history[i], start.history[i - 1] - 1e-9 * (1 + std::abs(start.history[i]))) << "seed " << seed << " sweep " << i;
    AscentSettings finer = settings;
    finer.tolerance *= 1e-3;
    finer.max_sweeps = 5000;
    finer.wide_sweeps = 0;
    StartOutcome further = start;
    further.sweeps = 0;
    ascend(all_of(*sets), finer, {}, further);
    EXPECT_EQ(further.status, Status::converged) << "seed " << seed;
    left += further.bound - start.bound > 5 * settings.tolerance ? 1 : 0;
    far += further.bound - start.bound > 50 * settings.tolerance ? 1 : 0;
  }
  // A saddle, from which sweeps need long to get away, looks like a maximum; which fits come to one rounding decides, and the processor.
  EXPECT_LE(far, 3);
  EXPECT_LE(left, 5);
}

// Effects of one beside noise of a thousandth, or less: h is a million and more.                                                (SP.5)
TEST(Ascend, FindsTheDensePartWhateverTheNoise) {
  for (double noise : {1e-2, 1e-3, 1e-4, 1e-5}) {
    Case c = make_case(60, 30, 0.3, 7);
    Random random(8);
    c.y = c.X.leftCols(30) * random.normals(30, 1) + noise * random.normals(60, 1);
    const ReducedRows rows = reduced(c);
    SpikeSlab q(c.which, {.num_rows = 60}, nullptr);
    q.set_rows(rows);
    q.set_hyper({.pi = 0, .kappa = 0, .h = 1, .s2 = 1});
    q.update_hyper(Reach::everywhere);
    const double best = q.bound(), h = q.hyper().h, s2 = q.hyper().s2;
    EXPECT_NEAR(std::log(h * noise * noise), 0, 1);
    EXPECT_NEAR(std::log(s2 / (noise * noise)), 0, 1);
    for (double times : {0.3, 0.9, 1.1, 3.0})
      for (double of_noise : {0.5, 0.9, 1.1, 2.0}) {
        q.set_hyper({.pi = 0, .kappa = 0, .h = times * h, .s2 = of_noise * s2});
        EXPECT_LT(q.bound(), best) << noise << ": " << times << " " << of_noise;
      }
  }
}

TEST(Ascend, EndsWhereAnotherStartHasEnded) {  // (SP.8)
  int met = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Case c = blocked_case(80, 40, 4, 0.7, seed);
    const ReducedRows rows = reduced(c);
    const auto sets = blocks_of(c, rows);
    const auto from = [&](double pi) {
      StartOutcome start{"", SpikeSlab(c.which, {.num_rows = 80, .least_kappa = 4.0 / 80}, sets)};
      start.q.set_rows(rows);
      start.q.set_hyper({.pi = pi, .kappa = 16.0 / 80, .h = 1e-4, .s2 = 1});
      return start;
    };
    const std::vector<Index> order = all_of(*sets);
    std::vector<StartOutcome> ended = {from(0.1)};
    ascend(order, {}, {}, ended[0]);
    ASSERT_EQ(ended[0].status, Status::converged);
    StartOutcome alone = from(0.3), meeting = from(0.3);
    ascend(order, {}, {}, alone);
    ascend(order, {}, ended, meeting);
    ASSERT_EQ(meeting.status, Status::converged);
    EXPECT_EQ(meeting.history.back(), meeting.bound);
    if (meeting.bound == ended[0].bound) {
      ++met;
      EXPECT_LE(meeting.sweeps, alone.sweeps);
      EXPECT_EQ(meeting.q.mean(), ended[0].q.mean());
      EXPECT_NEAR(alone.bound, ended[0].bound, 0.1);  // where it would have ended by itself
      EXPECT_LT(80 * (alone.q.mean() - ended[0].q.mean()).squaredNorm(), 0.25 * ended[0].q.hyper().s2);
    } else {
      EXPECT_EQ(meeting.sweeps, alone.sweeps);
      EXPECT_EQ(meeting.q.mean(), alone.q.mean());
    }
  }
  EXPECT_GE(met, 10);
}

// Celsius, Fahrenheit, Kelvin: fewer different columns than a block has. What is predicted is as sure as with one of them.
TEST(SparseMixture, OfCopiesOfAColumnPredictsAsOfOne) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    for (const Index copies : {3, 5}) {
      SCOPED_TRACE(copies);
      testing::Random random(seed);
      const Matrix base = random.normals(200, 2);
      Matrix X(200, copies + 1);
      for (Index j = 0; j < copies; ++j) X.col(j) = (1 + 0.8 * static_cast<double>(j)) * base.col(0).array() + static_cast<double>(j);
      X.col(copies) = base.col(1);
      const Vector y = 2 * base.col(0) - base.col(1) + 0.3 * random.normals(200, 1);
      for (const Prior& prior : {Prior::sparse(), Prior::slab()}) {
        FitOptions options;
        options.prior = prior;
        const auto sd = [&](const Matrix& columns) { return predict(fit_linear(columns, y, options), columns).standard_deviation(); };
        const Vector ratio = sd(X).cwiseQuotient(sd(base));
        EXPECT_GT(ratio.minCoeff(), 0.97);
        EXPECT_LT(ratio.maxCoeff(), 1.03);
      }
    }
}

}  // namespace
}  // namespace ardvark::internal
