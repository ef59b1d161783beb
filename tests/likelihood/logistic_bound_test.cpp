#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/solve.hpp"
#include "design/dense.hpp"
#include "likelihood/likelihood.hpp"
#include "method/sweep/sweep.hpp"

namespace ardvark::internal {
namespace {

using testing::ln_2pi;
using testing::plain_lambda;
using testing::plain_softplus;
using testing::Random;
using testing::relative_distance;

struct Rough {
  Vector t, k;
  Posterior q;
};

Rough make_rough(std::uint64_t seed, Index n = 9) {
  Random random(seed);
  Rough r;
  r.t.resize(n);
  r.k.resize(n);
  for (Index i = 0; i < n; ++i) {
    r.t[i] = random.chance(0.5) ? 1 : 0;
    r.k[i] = static_cast<double>(random.integer(0, 2));
  }
  r.q.m = 3 * random.normals(n);
  r.q.s = random.normals(n).array().exp();
  return r;
}

// One row of (BOUND.2), JJ, as printed.
double row_term(double t, double m, double s, double xi) {
  const double y = 2 * t - 1;
  return static_cast<double>(-plain_softplus(-xi) + (y * m - xi) / 2 - plain_lambda(xi) * (m * m + s - xi * xi));
}

TEST(LogisticBound, StartsAtXiZero) {  // (JJ.2)
  const Rough r = make_rough(1);
  const auto likelihood = make_logistic_bound(r.t, r.k);
  Rows rows;
  likelihood->start(rows);
  EXPECT_LE(relative_distance(rows.omega, 0.25 * r.k), 1e-15);
  EXPECT_LE(relative_distance(rows.r, r.k.cwiseProduct((r.t.array() - 0.5).matrix())), 1e-15);
}

TEST(LogisticBound, WritesTheWeightsOfItsContactPoints) {  // (JJ.2), (JJ.3)
  const Rough r = make_rough(2);
  const auto likelihood = make_logistic_bound(r.t, r.k);
  Rows rows;
  likelihood->start(rows);
  likelihood->update(r.q, rows);
  for (Index i = 0; i < r.t.size(); ++i) {
    const double xi = std::sqrt(r.q.m[i] * r.q.m[i] + r.q.s[i]);
    EXPECT_NEAR(rows.omega[i], r.k[i] * 2 * static_cast<double>(plain_lambda(xi)), 1e-14);
    EXPECT_NEAR(rows.r[i], r.k[i] * (r.t[i] - 0.5), 1e-15);
  }
}

TEST(LogisticBound, TouchesAtXi) {  // (JJ.1), (JJ.3): with s = 0 the bound is the log likelihood itself
  Rough r = make_rough(3);
  r.q.s.setZero();
  const auto likelihood = make_logistic_bound(r.t, r.k);
  Rows rows;
  likelihood->start(rows);
  likelihood->update(r.q, rows);
  double exact = 0;
  for (Index i = 0; i < r.t.size(); ++i) exact -= r.k[i] * static_cast<double>(plain_softplus((1 - 2 * r.t[i]) * r.q.m[i]));
  EXPECT_NEAR(likelihood->bound(r.q), exact, 1e-13);
}

TEST(LogisticBound, ContactPointsMaximiseTheBound) {  // (JJ.3) against (BOUND.2) by numerical maximisation in xi
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Rough r = make_rough(seed);
    const auto likelihood = make_logistic_bound(r.t, r.k);
    Rows rows;
    likelihood->start(rows);
    likelihood->update(r.q, rows);
    double best = 0, at_xi = 0;
    for (Index i = 0; i < r.t.size(); ++i) {
      const auto loss = [&](double xi) { return -row_term(r.t[i], r.q.m[i], r.q.s[i], xi); };
      best -= r.k[i] * boost::math::tools::brent_find_minima(loss, 0.0, 30.0, 50).second;
      at_xi += r.k[i] * row_term(r.t[i], r.q.m[i], r.q.s[i], std::sqrt(r.q.m[i] * r.q.m[i] + r.q.s[i]));
    }
    EXPECT_NEAR(likelihood->bound(r.q), best, 1e-12);
    EXPECT_NEAR(likelihood->bound(r.q), at_xi, 1e-12);
  }
}

TEST(LogisticBound, HoldsAtAnyState) {  // (BOUND.2): xi of an older posterior
  const Rough r = make_rough(4), newer = make_rough(5);
  const auto likelihood = make_logistic_bound(r.t, r.k);
  Rows rows;
  likelihood->start(rows);
  likelihood->update(r.q, rows);
  double expected = 0;
  for (Index i = 0; i < r.t.size(); ++i)
    expected += r.k[i] * row_term(r.t[i], newer.q.m[i], newer.q.s[i], std::sqrt(r.q.m[i] * r.q.m[i] + r.q.s[i]));
  EXPECT_NEAR(likelihood->bound(newer.q), expected, 1e-12);
}

TEST(LogisticBound, LiesBelowTheExpectedLogLikelihood) {  // (JJ.1) in expectation
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Rough r = make_rough(seed);
    const auto likelihood = make_logistic_bound(r.t, r.k);
    Rows rows;
    likelihood->start(rows);
    likelihood->update(r.q, rows);
    double exact = 0;
    for (Index i = 0; i < r.t.size(); ++i)
      exact -= r.k[i] * testing::normal_expectation((1 - 2 * r.t[i]) * r.q.m[i], r.q.s[i],
                                                    [](double u) { return static_cast<double>(plain_softplus(u)); });
    EXPECT_LE(likelihood->bound(r.q), exact + 1e-12);
  }
}

TEST(LogisticBound, BoundIsAsPrintedJustAfterTheLinearSystem) {  // (JJ.5), with groups, a fixed and a flat column
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Index n = 15, p = 5;
    Matrix X = random.normals(n, p);
    X.col(4).setOnes();
    Vector fixed = Vector::Zero(p), t(n);
    fixed[3] = 0.8;
    for (double& label : t) label = random.chance(0.4) ? 1 : 0;
    const Partition partition = testing::make_partition({0, 1, 0, Partition::fixed, Partition::flat}, fixed);
    const Vector c0 = random.normals(2).array().exp(), d0 = random.normals(2).array().exp();
    const auto likelihood = make_logistic_bound(t, {});
    PrecisionPrior prior(partition, c0, d0);
    prior.set_expected(random.normals(2).array().exp().matrix());
    DenseDesign design(X, {});
    const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood->traits()});
    Posterior q = testing::sized_posterior(partition, n);
    q.m = 2 * random.normals(n);
    q.s = random.normals(n).array().exp();
    const Vector xi = (q.m.cwiseAbs2() + q.s).cwiseSqrt();  // any contact points
    Rows rows;
    likelihood->start(rows);
    likelihood->update(q, rows);
    ASSERT_TRUE(testing::solve(*solver, likelihood->traits(), rows, prior.columns(), q));

    Vector omega(n);
    for (Index i = 0; i < n; ++i) omega[i] = 2 * static_cast<double>(plain_lambda(xi[i]));
    const Vector r = t.array() - 0.5;
    const testing::PlainRidge plain = testing::plain_ridge(X, omega, r, prior.columns());
    double L = 0.5 * plain.w.dot(X.transpose() * r) + 0.5 * plain.log_det_V + 0.5 * ln_2pi + 0.5 * std::log(0.8);
    for (Index i = 0; i < n; ++i) L += static_cast<double>(-plain_softplus(-xi[i]) - xi[i] / 2 + plain_lambda(xi[i]) * xi[i] * xi[i]);
    for (Index g : {0, 1}) L += testing::plain_precision_term({c0[g], d0[g]}, g == 0 ? 2 : 1, prior.expected()[g]);
    EXPECT_NEAR(evaluate_bound(*likelihood, prior, q), L, 1e-11);
  }
}

TEST(LogisticBound, StaysFiniteForHugeMomentsAndNegativeRoundingOfVariances) {
  Rough r = make_rough(6, 4);
  r.t << 0, 1, 0, 1;
  r.q.m << 1e150, -1e150, 0, 1e-300;
  r.q.s << 1, 0, -1e-18, 0;
  const auto likelihood = make_logistic_bound(r.t, {});
  Rows rows;
  likelihood->start(rows);
  likelihood->update(r.q, rows);
  EXPECT_TRUE(rows.omega.allFinite() && (rows.omega.array() > 0).all());
  EXPECT_NEAR(likelihood->bound(r.q) / -2e150, 1, 1e-12);  // both huge rows are on the wrong side
}

TEST(LogisticBound, WeightsEqualRepetition) {  // (LIN.6)
  Rough r = make_rough(7);
  const auto weighted = make_logistic_bound(r.t, r.k);
  Rows rows;
  weighted->start(rows);
  weighted->update(r.q, rows);
  std::vector<Index> repeated;
  for (Index i = 0; i < r.t.size(); ++i)
    for (int copy = 0; copy < static_cast<int>(r.k[i]); ++copy) repeated.push_back(i);
  Posterior q;
  q.m = r.q.m(repeated);
  q.s = r.q.s(repeated);
  const auto plain = make_logistic_bound(r.t(repeated), {});
  Rows plain_rows;
  plain->start(plain_rows);
  plain->update(q, plain_rows);
  EXPECT_NEAR(weighted->bound(r.q), plain->bound(q), 1e-12);
  EXPECT_NEAR(rows.omega.sum(), plain_rows.omega.sum(), 1e-13);
  EXPECT_NEAR(rows.r.sum(), plain_rows.r.sum(), 1e-13);
}

}  // namespace
}  // namespace ardvark::internal
