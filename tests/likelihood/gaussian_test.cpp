#include <gtest/gtest.h>

#include <Eigen/Dense>
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
using testing::Random;
using testing::relative_distance;

constexpr double a0 = 0.3, b0 = 0.7;

struct Sample {
  Matrix X;
  Vector y, k;
  Partition partition;
  Vector c0, d0, expected;
};

// Groups {0, 2} and {1}; optionally column 3 of fixed precision and column 4, all ones, flat.
Sample make_sample(std::uint64_t seed, bool fixed, bool flat, bool weighted) {
  Random random(seed);
  Sample s;
  const Index p = 3 + (fixed ? 1 : 0) + (flat ? 1 : 0), n = 12;
  s.X = random.normals(n, p);
  std::vector<Index> group = {0, 1, 0};
  Vector precision = Vector::Zero(p);
  if (fixed) {
    precision[3] = 1.6;
    group.push_back(Partition::fixed);
  }
  if (flat) {
    s.X.col(p - 1).setOnes();
    group.push_back(Partition::flat);
  }
  s.partition = testing::make_partition(group, precision);
  s.y = s.X * random.normals(p) + random.normals(n);
  s.k = Vector::Ones(n);
  if (weighted)
    for (double& k : s.k) k = static_cast<double>(random.integer(0, 3));
  s.c0 = random.normals(2).array().exp();
  s.d0 = random.normals(2).array().exp();
  s.expected = random.normals(2).array().exp();
  return s;
}

Gaussian make_gaussian(const Sample& s) {
  const Index flat = s.partition.num_flat();
  return Gaussian(s.y, s.k, a0, b0, flat, s.partition.num_columns() - flat);
}

TEST(Gaussian, TurnsTheTargetIntoRows) {  // (RIDGE.2), (LIN.6)
  const Sample s = make_sample(1, false, false, true);
  Gaussian likelihood = make_gaussian(s);
  Rows rows;
  likelihood.start(rows);
  EXPECT_EQ(rows.omega, s.k);
  EXPECT_EQ(rows.r, Vector(s.k.cwiseProduct(s.y)));
  EXPECT_TRUE(likelihood.traits().residual);
  EXPECT_TRUE(likelihood.traits().constant_rows);
  EXPECT_FALSE(likelihood.traits().damped);
}

TEST(Gaussian, UpdatesTheNoiseAndItsBoundAsPrinted) {  // (LIN.1), (LIN.3) just after (LIN.2), (LIN.5), (LIN.6)
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const bool fixed = (seed & 1) != 0, flat = (seed & 2) != 0, weighted = (seed & 4) != 0;
    const Sample s = make_sample(seed, fixed, flat, weighted);
    const Index p = s.X.cols();
    Gaussian likelihood = make_gaussian(s);
    PrecisionPrior prior(s.partition, s.c0, s.d0);
    prior.set_expected(s.expected);
    const Vector a = prior.columns();
    DenseDesign design(s.X, {});
    const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood.traits()});
    Posterior q = testing::sized_posterior(s.partition, s.X.rows());
    Rows rows;
    likelihood.start(rows);
    ASSERT_TRUE(testing::solve(*solver, likelihood.traits(), rows, a, q));
    likelihood.update(q, rows);
    Vector next;
    prior.vb(q, likelihood.noise_precision(), next);
    prior.set_expected(next);

    // Everything again with the whole inverse.
    const testing::PlainRidge plain = testing::plain_ridge(s.X, s.k, s.k.cwiseProduct(s.y), a);
    const double n = s.k.sum(), a_N = a0 + 0.5 * (n - (flat ? 1 : 0));
    const double rss = s.k.dot((s.y - plain.m).cwiseAbs2()), penalty = plain.w.cwiseAbs2().dot(a);
    const double b_N = b0 + 0.5 * (rss + penalty);
    EXPECT_NEAR(likelihood.noise().shape, a_N, 1e-13);
    EXPECT_LE(relative_distance(likelihood.noise().rate, b_N), 1e-12);
    const double second_form = b0 + 0.5 * (s.k.dot(s.y.cwiseAbs2()) - s.k.cwiseProduct(s.y).dot(plain.m));
    EXPECT_LE(relative_distance(likelihood.noise().rate, second_form), 1e-12);
    EXPECT_LE(relative_distance(likelihood.noise_precision(), a_N / b_N), 1e-12);

    const double tau = a_N / b_N;
    double L = -0.5 * n * ln_2pi - 0.5 * (tau * rss + s.k.dot(plain.s)) + 0.5 * plain.log_det_V + 0.5 * static_cast<double>(p);
    L += -std::lgamma(a0) + a0 * std::log(b0) - b0 * tau + std::lgamma(a_N) - a_N * std::log(b_N) + a_N;
    if (flat) L += 0.5 * ln_2pi;
    if (fixed) L += 0.5 * std::log(1.6) - 0.5 * 1.6 * (tau * plain.w[3] * plain.w[3] + plain.V(3, 3));
    const std::vector<std::vector<Index>> members = {{0, 2}, {1}};
    for (Index g : {0, 1}) {
      double d_N = s.d0[g];
      for (Index j : members[static_cast<std::size_t>(g)]) d_N += 0.5 * (tau * plain.w[j] * plain.w[j] + plain.V(j, j));
      const double c_N = s.c0[g] + 0.5 * static_cast<double>(members[static_cast<std::size_t>(g)].size());
      EXPECT_LE(relative_distance(prior.expected()[g], c_N / d_N), 1e-12) << "(LIN.2)";
      L += -std::lgamma(s.c0[g]) + s.c0[g] * std::log(s.d0[g]) + std::lgamma(c_N) - c_N * std::log(d_N);
    }
    EXPECT_NEAR(evaluate_bound(likelihood, prior, q), L, 1e-11) << "(LIN.3)";
  }
}

TEST(Gaussian, NoiseUpdateMaximisesTheBound) {  // (LIN.1) against (BOUND.2) and (BOUND.3) in b_N
  const Sample s = make_sample(5, true, true, false);
  Gaussian likelihood = make_gaussian(s);
  PrecisionPrior prior(s.partition, s.c0, s.d0);
  prior.set_expected(s.expected);
  DenseDesign design(s.X, {});
  const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood.traits()});
  Posterior q = testing::sized_posterior(s.partition, s.X.rows());
  Rows rows;
  likelihood.start(rows);
  ASSERT_TRUE(testing::solve(*solver, likelihood.traits(), rows, prior.columns(), q));
  likelihood.update(q, rows);
  const double a_N = likelihood.noise().shape;
  const auto L = [&](double b_N) { return -0.5 * a_N / b_N * (q.residual + q.penalty + 2 * b0) - a_N * std::log(b_N); };
  const double best = likelihood.noise().rate;
  for (double factor : {0.3, 0.9, 0.999, 1.001, 1.1, 3.0}) EXPECT_LT(L(best * factor), L(best)) << factor;
}

TEST(Gaussian, BoundIsTheLogEvidenceWhereThePosteriorIsExact) {  // (BOUND.1): every column of fixed precision
  Random random(6);
  const Index n = 8, p = 3;
  const Matrix X = random.normals(n, p);
  const Vector y = random.normals(n), precision = random.normals(p).array().exp();
  const Partition partition = testing::make_partition({Partition::fixed, Partition::fixed, Partition::fixed}, precision);
  Gaussian likelihood(y, {}, a0, b0, 0, p);
  PrecisionPrior prior(partition, Vector(), Vector());
  DenseDesign design(X, {});
  const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood.traits()});
  Posterior q = testing::sized_posterior(partition, n);
  Rows rows;
  likelihood.start(rows);
  ASSERT_TRUE(testing::solve(*solver, likelihood.traits(), rows, prior.columns(), q));
  likelihood.update(q, rows);

  // y | tau ~ N(0, C/tau) with C = I + X A^-1 X'; the integral over tau by quadrature in ln tau.
  const Matrix C = Matrix::Identity(n, n) + X * precision.cwiseInverse().asDiagonal() * X.transpose();
  const double quadratic = y.dot(C.inverse() * y), log_det = std::log(C.determinant());
  const double evidence = testing::log_integral(-20, 20, -20, [&](double u) {
    const double tau = std::exp(u);
    return 0.5 * static_cast<double>(n) * (u - ln_2pi) - 0.5 * log_det - 0.5 * tau * quadratic + a0 * std::log(b0) - std::lgamma(a0) +
           a0 * u - b0 * tau;
  });
  EXPECT_NEAR(evaluate_bound(likelihood, prior, q), evidence, 1e-9);
}

TEST(Gaussian, WeightsEqualRepeatedRows) {  // (LIN.6)
  const Sample s = make_sample(7, false, true, true);
  std::vector<Index> repeated;
  for (Index i = 0; i < s.y.size(); ++i)
    for (int copy = 0; copy < static_cast<int>(s.k[i]); ++copy) repeated.push_back(i);
  Sample long_form = s;
  long_form.X = s.X(repeated, Eigen::all);
  long_form.y = s.y(repeated);
  long_form.k = Vector::Ones(static_cast<Index>(repeated.size()));
  double bounds[2], rates[2], shapes[2];
  for (int which = 0; which < 2; ++which) {
    const Sample& t = which == 0 ? s : long_form;
    Gaussian likelihood = make_gaussian(t);
    PrecisionPrior prior(t.partition, t.c0, t.d0);
    DenseDesign design(t.X, {});
    const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood.traits()});
    Posterior q = testing::sized_posterior(t.partition, t.X.rows());
    Rows rows;
    likelihood.start(rows);
    ASSERT_TRUE(testing::solve(*solver, likelihood.traits(), rows, prior.columns(), q));
    likelihood.update(q, rows);
    bounds[which] = evaluate_bound(likelihood, prior, q);
    rates[which] = likelihood.noise().rate;
    shapes[which] = likelihood.noise().shape;
  }
  EXPECT_NEAR(bounds[0], bounds[1], 1e-11);
  EXPECT_NEAR(rates[0], rates[1], 1e-12);
  EXPECT_EQ(shapes[0], shapes[1]);
}

TEST(Gaussian, PublishedConstantIsWhatThePublishedStopTestLeavesOut) {  // linear.md, order of one sweep
  const Sample s = make_sample(8, false, false, false);
  const double expected = -0.5 * 12 * ln_2pi + 0.5 * 3 - std::lgamma(a0) + a0 * std::log(b0);
  EXPECT_NEAR(make_gaussian(s).published_constant(), expected, 1e-12);
}

}  // namespace
}  // namespace ardvark::internal
