#include "prior/precision.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;
using testing::relative_distance;

// Two groups of three and one column, a column of fixed precision and a flat one; every number random.
struct Sample {
  Partition partition;
  Vector c0, d0;
  Posterior q;
  double tau;
};

Sample make_sample(std::uint64_t seed) {
  Random random(seed);
  Sample sample;
  Vector fixed = Vector::Zero(6);
  fixed[4] = random.scale(0.1, 10);
  sample.partition = testing::make_partition({0, 1, 0, 0, Partition::fixed, Partition::flat}, fixed);
  sample.c0 = random.normals(2).array().exp();
  sample.d0 = random.normals(2).array().exp();
  sample.tau = random.scale(0.01, 100);
  Posterior& q = sample.q = testing::sized_posterior(sample.partition, 0);
  q.w = random.normals(6);
  q.V_diagonal = random.normals(6).array().exp();
  q.group_square << q.w[0] * q.w[0] + q.w[2] * q.w[2] + q.w[3] * q.w[3], q.w[1] * q.w[1];
  q.group_variance << q.V_diagonal[0] + q.V_diagonal[2] + q.V_diagonal[3], q.V_diagonal[1];
  q.fixed_square = fixed[4] * q.w[4] * q.w[4];
  q.fixed_variance = fixed[4] * q.V_diagonal[4];
  return sample;
}

TEST(PrecisionPrior, StartsAtThePriorMeanAndGivesEachColumnItsPrecision) {
  const Sample s = make_sample(1);
  PrecisionPrior prior(s.partition, s.c0, s.d0);
  EXPECT_LE(relative_distance(prior.expected(), s.c0.cwiseQuotient(s.d0)), 1e-15);
  Vector expected(2);
  expected << 3, 8;
  prior.set_expected(expected);
  Vector columns(6);
  columns << 3, 8, 3, 3, s.partition.fixed_precision[4], 0;
  EXPECT_EQ(prior.columns(), columns);
  EXPECT_NEAR(prior.shape()[0], s.c0[0] + 1.5, 1e-15);
  EXPECT_NEAR(prior.shape()[1], s.c0[1] + 0.5, 1e-15);
  prior.start();
  EXPECT_LE(relative_distance(prior.expected(), s.c0.cwiseQuotient(s.d0)), 1e-15);
}

TEST(PrecisionPrior, SubsetKeepsTheGroupsAskedForAndTheFlatColumns) {  // (CONDENSE.1)
  const Sample s = make_sample(2);
  PrecisionPrior prior(s.partition, s.c0, s.d0);
  Vector expected(2);
  expected << 3, 8;
  prior.set_expected(expected);
  std::vector<Index> columns;
  const PrecisionPrior first = prior.subset({0}, columns);
  EXPECT_EQ(columns, (std::vector<Index>{0, 2, 3, 5}));
  EXPECT_EQ(first.partition().group, (std::vector<Index>{0, 0, 0, Partition::flat}));
  EXPECT_EQ(first.partition().flat_columns, std::vector<Index>{3});
  EXPECT_EQ(first.columns(), (Vector(4) << 3, 3, 3, 0).finished());
  EXPECT_EQ(first.shape()[0], s.c0[0] + 1.5);
  const PrecisionPrior second = prior.subset({1}, columns);
  EXPECT_EQ(columns, (std::vector<Index>{1, 5}));
  EXPECT_EQ(second.expected()[0], 8);
  EXPECT_EQ(second.shape()[0], s.c0[1] + 0.5);
}

TEST(PrecisionPrior, UpdatesAsPrinted) {  // (LIN.2); (JJ.4) is the same with tau = 1
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample s = make_sample(seed);
    const PrecisionPrior prior(s.partition, s.c0, s.d0);
    for (double tau : {1.0, s.tau}) {
      double d0 = s.d0[0], d1 = s.d0[1];
      for (Index j : {0, 2, 3}) d0 += 0.5 * (tau * s.q.w[j] * s.q.w[j] + s.q.V_diagonal[j]);
      d1 += 0.5 * (tau * s.q.w[1] * s.q.w[1] + s.q.V_diagonal[1]);
      Vector next, expected(2);
      expected << (s.c0[0] + 1.5) / d0, (s.c0[1] + 0.5) / d1;
      prior.vb(s.q, tau, next);
      EXPECT_LE(relative_distance(next, expected), 1e-14);
    }
  }
}

TEST(PrecisionPrior, StepsAsMacKay) {  // (OPT.6)
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample s = make_sample(seed);
    PrecisionPrior prior(s.partition, s.c0, s.d0);
    Vector expected(2), next;
    expected << 0.3, 0.2;
    prior.set_expected(expected);
    prior.mackay(s.q, s.tau, next);
    EXPECT_NEAR(next[0], (3 + 2 * s.c0[0] - 0.3 * s.q.group_variance[0]) / (2 * s.d0[0] + s.tau * s.q.group_square[0]),
                1e-13 * (1 + std::abs(next[0])));
    EXPECT_NEAR(next[1], (1 + 2 * s.c0[1] - 0.2 * s.q.group_variance[1]) / (2 * s.d0[1] + s.tau * s.q.group_square[1]),
                1e-13 * (1 + std::abs(next[1])));
  }
}

TEST(PrecisionPrior, GivesItsTermOfTheBoundAtAnyState) {  // (BOUND.3)
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Sample s = make_sample(seed);
    PrecisionPrior prior(s.partition, s.c0, s.d0);
    Random random(1000 + seed);
    Vector expected(2);
    for (double& e : expected) e = random.scale(1e-3, 1e3);
    prior.set_expected(expected);
    double L = 0.5 * std::log(s.partition.fixed_precision[4]) - 0.5 * (s.tau * s.q.fixed_square + s.q.fixed_variance);
    for (Index g : {0, 1})
      L += testing::plain_precision_term({s.c0[g], s.d0[g]}, g == 0 ? 3 : 1, expected[g]) -
           0.5 * expected[g] * (s.tau * s.q.group_square[g] + s.q.group_variance[g]);
    EXPECT_LE(relative_distance(prior.bound(s.q, s.tau), L), 1e-13);
  }
}

TEST(PrecisionPrior, UpdatesToTheHighestBound) {  // (LIN.2) maximises (BOUND.3)
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample s = make_sample(seed);
    PrecisionPrior prior(s.partition, s.c0, s.d0);
    Vector best;
    prior.vb(s.q, s.tau, best);
    prior.set_expected(best);
    const double L = prior.bound(s.q, s.tau);
    for (double factor : {0.5, 0.99, 1.01, 2.0})
      for (Index g : {0, 1}) {
        Vector other = best;
        other[g] *= factor;
        prior.set_expected(other);
        EXPECT_LT(prior.bound(s.q, s.tau), L) << factor;
      }
  }
}

TEST(PrecisionPrior, HasTheGradientOfItsTerm) {  // (OPT.1) at fixed q, by finite differences in ln E[alpha]
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample s = make_sample(seed);
    PrecisionPrior prior(s.partition, s.c0, s.d0);
    const Vector at = (Vector(2) << 0.7, 1.9).finished();
    prior.set_expected(at);
    Vector gradient;
    prior.gradient(s.q, s.tau, gradient);
    for (Index g : {0, 1}) {
      const auto L = [&](double step) {
        Vector moved = at;
        moved[g] *= std::exp(step);
        prior.set_expected(moved);
        return prior.bound(s.q, s.tau);
      };
      const double h = 1e-3;
      const double difference = (8 * (L(h) - L(-h)) - (L(2 * h) - L(-2 * h))) / (12 * h);
      EXPECT_LE(relative_distance(gradient[g], difference), 1e-8);
    }
  }
}

RC_GTEST_PROP(PrecisionPrior, HasZeroGradientExactlyWhereBothStepsRest, ()) {  // (OPT.1), (LIN.2), (OPT.6)
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>());
  const Sample s = make_sample(seed);
  PrecisionPrior prior(s.partition, s.c0, s.d0);
  Vector rest, step, gradient;
  prior.vb(s.q, s.tau, rest);
  prior.set_expected(rest);
  prior.gradient(s.q, s.tau, gradient);
  prior.mackay(s.q, s.tau, step);
  const double size = 1 + (s.d0.cwiseProduct(rest)).maxCoeff() + s.c0.maxCoeff();
  RC_ASSERT(gradient.cwiseAbs().maxCoeff() < 1e-12 * size);
  // At that rest MacKay's step stands still too: |g| + 2 c0 - E sum V = E (2 d0 + tau sum w^2).
  RC_ASSERT(relative_distance(step.cwiseQuotient(rest), Vector::Ones(2)) < 1e-10 * size);
}

TEST(PrecisionPrior, SumsItsPublishedConstantOverGroups) {
  const Sample s = make_sample(3);
  const PrecisionPrior prior(s.partition, s.c0, s.d0);
  double expected = 0;
  for (Index g : {0, 1}) expected += -std::lgamma(s.c0[g]) + s.c0[g] * std::log(s.d0[g]);
  EXPECT_NEAR(prior.published_constant(), expected, 1e-13);
}

TEST(PrecisionPrior, HasNothingToEstimateWithoutGroups) {
  Vector fixed(2);
  fixed << 2, 0;
  PrecisionPrior prior(testing::make_partition({Partition::fixed, Partition::flat}, fixed), Vector(), Vector());
  Posterior q = testing::sized_posterior(prior.partition(), 0);
  q.fixed_square = 2 * 0.3;
  q.fixed_variance = 2 * 0.1;
  EXPECT_NEAR(prior.bound(q, 5), 0.5 * std::log(2) - 0.5 * (5 * 0.6 + 0.2), 1e-15);
  Vector next;
  prior.vb(q, 5, next);
  EXPECT_EQ(next.size(), 0);
}

// ---- without a hyper-prior -----------------------------------------------------------------------------------------------------------

PrecisionPrior jeffreys(Partition partition, UpdateRule rule, double lambda = 0) {
  const Index groups = partition.num_groups();
  return {std::move(partition), Vector::Zero(groups), Vector::Zero(groups), rule, lambda};
}

TEST(PrecisionPrior, WithoutAHyperPriorStartsAtOneAndStepsByTheRule) {
  const Sample s = make_sample(5);
  PrecisionPrior em = jeffreys(s.partition, UpdateRule::vb), mackay = jeffreys(s.partition, UpdateRule::mackay);
  EXPECT_EQ(em.expected(), Vector::Ones(2));
  Vector next;
  em.update(s.q, s.tau, next);  // 1/(w^2 + V) of a single column, |g|/sum of a group
  EXPECT_NEAR(next[1], 1 / (s.tau * s.q.w[1] * s.q.w[1] + s.q.V_diagonal[1]), 1e-14 * next[1]);
  EXPECT_NEAR(next[0], 3 / (s.tau * s.q.group_square[0] + s.q.group_variance[0]), 1e-14 * next[0]);
  Vector expected(2);
  expected << 0.1, 0.2;
  mackay.set_expected(expected);
  mackay.update(s.q, s.tau, next);
  EXPECT_NEAR(next[1], (1 - 0.2 * s.q.V_diagonal[1]) / (s.tau * s.q.w[1] * s.q.w[1]), 1e-12 * std::abs(next[1]));
}

TEST(PrecisionPrior, WithoutAHyperPriorAPrecisionThatRunsAwayAddsNothingToTheBound) {  // (BOUND.3), improper
  const Index p = 2;
  PrecisionPrior prior = jeffreys(testing::ard_partition(p), UpdateRule::mackay);
  Posterior q = testing::sized_posterior(prior.partition(), 0);
  Vector expected(p);
  expected << 2.0, 1e12;
  prior.set_expected(expected);
  q.group_square << 0.7, 1e-30;
  q.group_variance << 0.1, 1e-12;
  const double log_det_V = std::log(0.1) + std::log(1e-12);
  const double whole = prior.bound(q, 1) + 0.5 * log_det_V + 0.5 * p;
  EXPECT_NEAR(whole, 0.5 * std::log(2.0) - 0.5 * 2 * (0.7 + 0.1) + 0.5 * std::log(0.1) + 0.5, 1e-12);
}

TEST(PrecisionPrior, RestrictedToSomeColumnsKeepsWhatTheyHad) {
  const Sample s = make_sample(6);
  PrecisionPrior prior(s.partition, s.c0, s.d0);
  Vector expected(2);
  expected << 3, 8;
  prior.set_expected(expected);
  std::vector<Index> groups;
  const PrecisionPrior part = prior.restricted_to({1, 4, 5}, groups);
  EXPECT_EQ(groups, std::vector<Index>{1});
  EXPECT_EQ(part.partition().group, (std::vector<Index>{0, Partition::fixed, Partition::flat}));
  EXPECT_EQ(part.partition().flat_columns, std::vector<Index>{2});
  EXPECT_EQ(part.columns(), (Vector(3) << 8, s.partition.fixed_precision[4], 0).finished());
  EXPECT_EQ(part.shape()[0], s.c0[1] + 0.5);
}

// The evidence of one column more, S and Q its curvature and gradient, as a function of its precision.
double evidence_of(double S, double Q, double a) { return 0.5 * std::log(a / (a + S)) + 0.5 * Q * Q / (a + S); }

TEST(PrecisionPrior, GainOfAddingIsTheBestOfAGrid) {  // (OPT.3), (OPT.5)
  const PrecisionPrior prior = jeffreys(testing::ard_partition(1), UpdateRule::mackay);
  Random random(9);
  int finite = 0;
  for (int i = 0; i < 200; ++i) {
    const double S = random.scale(1e-3, 1e3), Q = std::sqrt(S) * random.scale(0.3, 10);
    double best = 0, precision = 0;
    for (double ln_a = -25; ln_a < 25; ln_a += 0.01) best = std::max(best, evidence_of(S, Q, std::exp(ln_a)));
    const double gain = prior.gain_of_adding(S, Q, 1, precision);
    EXPECT_NEAR(gain, best, 1e-4 * (1 + best));
    if (gain > 0) {
      ++finite;
      EXPECT_NEAR(evidence_of(S, Q, precision), gain, 1e-12 * (1 + gain));
    }
  }
  EXPECT_GT(finite, 50);
}

TEST(LaplacePrior, StepTouchesThePenaltyFromBelow) {  // (L1EM.1), (L1EM.2)
  Random random(10);
  const double lambda = 1.7;
  PrecisionPrior prior = jeffreys(testing::ard_partition(4), UpdateRule::laplace, lambda);
  EXPECT_TRUE(prior.is_penalty());
  Posterior q = testing::sized_posterior(prior.partition(), 0);
  q.w = random.normals(4);
  q.group_square = q.w.cwiseAbs2();
  const double penalty = -lambda * q.w.cwiseAbs().sum();
  Vector next, gradient;
  prior.update(q, 1, next);
  EXPECT_LE(relative_distance(next, Vector(lambda / q.w.array().abs())), 1e-14);
  for (int i = 0; i < 20; ++i) {
    prior.set_expected(next.array() * (0.5 * random.normals(4).array()).exp());
    EXPECT_LT(prior.bound(q, 1), penalty);
    prior.gradient(q, 1, gradient);
    for (Index j = 0; j < 4; ++j) {
      const Vector at = prior.expected();
      Vector up = at, down = at;
      up[j] *= std::exp(1e-6);
      down[j] *= std::exp(-1e-6);
      prior.set_expected(up);
      const double high = prior.bound(q, 1);
      prior.set_expected(down);
      EXPECT_NEAR(gradient[j], (high - prior.bound(q, 1)) / 2e-6, 1e-7);
      prior.set_expected(at);
    }
  }
  prior.set_expected(next);
  EXPECT_NEAR(prior.bound(q, 1), penalty, 1e-14 * std::abs(penalty));
}

}  // namespace
}  // namespace ardvark::internal
