#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/solve.hpp"
#include "core/special.hpp"
#include "design/dense.hpp"
#include "likelihood/likelihood.hpp"
#include "method/sweep/sweep.hpp"

namespace ardvark::internal {
namespace {

using testing::normal_expectation;
using testing::Random;
using testing::relative_distance;

double exact_softplus(double x) { return static_cast<double>(testing::plain_softplus(x)); }
double exact_sigmoid(double x) { return static_cast<double>(testing::plain_sigmoid(x)); }

struct ClassSample {
  Matrix X;
  Vector t, k;
  Partition partition;
  Vector c0, d0;
};

ClassSample make_sample(std::uint64_t seed, Index n = 30) {
  Random random(seed);
  ClassSample s;
  s.X = random.normals(n, 5);
  s.X.col(4).setOnes();
  s.t.resize(n);
  s.k.resize(n);
  for (Index i = 0; i < n; ++i) {
    s.t[i] = random.uniform() < exact_sigmoid(1.5 * s.X(i, 0) - 0.5) ? 1 : 0;
    s.k[i] = static_cast<double>(random.integer(0, 3));
  }
  s.t[0] = 1 - s.t[1];
  s.k[0] = s.k[1] = 1;
  Vector fixed = Vector::Zero(5);
  fixed[3] = 0.8;
  s.partition = testing::make_partition({0, 1, 0, Partition::fixed, Partition::flat}, fixed);
  s.c0 = random.normals(2).array().exp();
  s.d0 = random.normals(2).array().exp();
  return s;
}

TEST(LogisticGaussian, StartsFromMomentsOfZero) {  // (VG.1) at m = s = 0
  const ClassSample s = make_sample(1);
  const auto likelihood = make_logistic_gaussian(s.t, s.k);
  Rows rows;
  likelihood->start(rows);
  EXPECT_LE(relative_distance(rows.omega, 0.25 * s.k), 1e-15);
  EXPECT_LE(relative_distance(rows.r, s.k.cwiseProduct((s.t.array() - 0.5).matrix())), 1e-15);
  EXPECT_TRUE(likelihood->traits().damped);
  EXPECT_TRUE(likelihood->traits().row_moments);
}

TEST(LogisticGaussian, WritesExpectedSlopesAndResponses) {  // (VG.1) by quadrature
  const ClassSample s = make_sample(2);
  Random random(2);
  Posterior q;
  q.m = 3 * random.normals(s.t.size());
  q.s = random.normals(s.t.size()).array().exp();
  const auto likelihood = make_logistic_gaussian(s.t, s.k);
  Rows rows;
  likelihood->start(rows);
  likelihood->update(q, rows);
  double bound = 0;
  for (Index i = 0; i < s.t.size(); ++i) {
    const double slope = normal_expectation(q.m[i], q.s[i], [](double u) { return exact_sigmoid(u) * exact_sigmoid(-u); });
    const double sigma = normal_expectation(q.m[i], q.s[i], exact_sigmoid);
    EXPECT_NEAR(rows.omega[i], s.k[i] * slope, 4e-8);
    EXPECT_NEAR(rows.r[i], s.k[i] * (slope * q.m[i] + s.t[i] - sigma), 4e-7);
    bound += s.k[i] * (s.t[i] * q.m[i] - normal_expectation(q.m[i], q.s[i], exact_softplus));
  }
  EXPECT_NEAR(likelihood->bound(q), bound, 1e-8 * s.k.sum()) << "(VG.2)";
}

TEST(LogisticGaussian, RowsAreTheDerivativesOfItsBound) {  // (VG.1): dL/dm = t - E sigma = r - omega m, dL/ds = -omega/2
  const ClassSample s = make_sample(3);
  Random random(3);
  Posterior q;
  q.m = 2 * random.normals(s.t.size());
  q.s = random.normals(s.t.size()).array().exp();
  const auto likelihood = make_logistic_gaussian(s.t, s.k);
  Rows rows, ignored;
  likelihood->start(rows);
  likelihood->update(q, rows);
  const auto L = [&](const Vector& m, const Vector& v) {
    Posterior moved;
    moved.m = m;
    moved.s = v;
    likelihood->start(ignored);
    likelihood->update(moved, ignored);
    return likelihood->bound(moved);
  };
  for (Index i = 0; i < 6; ++i) {
    const auto along = [&](Vector Posterior::*field, double h) {
      const auto at = [&](double step) {
        Posterior moved = q;
        (moved.*field)[i] += step;
        return L(moved.m, moved.s);
      };
      return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    };
    EXPECT_NEAR(along(&Posterior::m, 1e-3), rows.r[i] - rows.omega[i] * q.m[i], 1e-9);
    EXPECT_NEAR(along(&Posterior::s, 1e-3), -0.5 * rows.omega[i], 1e-9);
  }
}

// Rounds of solve and update at fixed precisions until nothing moves.
struct AtRest {
  Posterior q;
  Rows rows, inside;
};
AtRest iterate(const ClassSample& s, Likelihood& likelihood, const PrecisionPrior& prior) {
  DenseDesign design(s.X, {});
  const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood.traits()});
  AtRest rest;
  rest.q = testing::sized_posterior(s.partition, s.X.rows());
  likelihood.start(rest.rows);
  for (int round = 0; round < 200; ++round) {
    rest.inside = rest.rows;
    EXPECT_TRUE(testing::solve(*solver, likelihood.traits(), rest.inside, prior.columns(), rest.q));
    likelihood.update(rest.q, rest.rows);
  }
  return rest;
}

TEST(LogisticGaussian, HasZeroGradientAtTheOptimum) {  // (VG.1): X'(t - E sigma) - A w = 0 and V^-1 = A + X' diag(E sigma') X
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ClassSample s = make_sample(seed);
    const auto likelihood = make_logistic_gaussian(s.t, s.k);
    PrecisionPrior prior(s.partition, s.c0, s.d0);
    const AtRest rest = iterate(s, *likelihood, prior);
    Vector step(s.t.size()), slope(s.t.size());
    for (Index i = 0; i < s.t.size(); ++i) {
      const LogisticExpectation e = expected_logistic(rest.q.m[i], rest.q.s[i]);
      step[i] = s.k[i] * (s.t[i] - e.sigma);
      slope[i] = s.k[i] * e.slope;
    }
    const Vector gradient = s.X.transpose() * step - prior.columns().cwiseProduct(rest.q.w);
    EXPECT_LE(gradient.cwiseAbs().maxCoeff(), 1e-10) << seed;
    EXPECT_LE(relative_distance(rest.q.V_diagonal, testing::plain_ridge(s.X, slope, step, prior.columns()).V.diagonal()), 1e-10);
  }
}

TEST(LogisticGaussian, BoundIsAsPrinted) {  // (VG.2)
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ClassSample s = make_sample(seed);
    Random random(seed);
    const auto likelihood = make_logistic_gaussian(s.t, s.k);
    PrecisionPrior prior(s.partition, s.c0, s.d0);
    const AtRest rest = iterate(s, *likelihood, prior);
    const testing::PlainRidge plain = testing::plain_ridge(s.X, rest.inside.omega, rest.inside.r, prior.columns());
    prior.set_expected(random.normals(2).array().exp().matrix());  // (VG.2) holds whatever the age of q(alpha)
    const Vector a = prior.columns();
    double L =
        -0.5 * (a.dot(plain.w.cwiseAbs2()) + a.dot(plain.V.diagonal())) + 0.5 * plain.log_det_V + 2.5 + 0.5 * std::log(0.8) + 0.5 * ln_2pi;
    for (Index i = 0; i < s.t.size(); ++i) L += s.k[i] * (s.t[i] * plain.m[i] - normal_expectation(plain.m[i], plain.s[i], exact_softplus));
    for (Index g : {0, 1}) L += testing::plain_precision_term({s.c0[g], s.d0[g]}, g == 0 ? 2 : 1, prior.expected()[g]);
    EXPECT_NEAR(evaluate_bound(*likelihood, prior, rest.q), L, 1e-8 * s.k.sum());
  }
}

// One column of fixed precision: JJ <= VG <= the log evidence by quadrature.
TEST(LogisticGaussian, BoundLiesBetweenJaakkolaJordanAndTheEvidence) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed);
    const Index n = 25;
    ClassSample s;
    s.X = random.normals(n, 1);
    s.t.resize(n);
    for (Index i = 0; i < n; ++i) s.t[i] = random.uniform() < exact_sigmoid(2 * s.X(i, 0)) ? 1 : 0;
    const double rho = 0.5;
    s.partition = testing::make_partition({Partition::fixed}, Vector::Constant(1, rho));
    PrecisionPrior prior(s.partition, Vector(), Vector());
    const auto gaussian = make_logistic_gaussian(s.t, {}), jj = make_logistic_bound(s.t, {});
    const AtRest best = iterate(s, *gaussian, prior), older = iterate(s, *jj, prior);
    const double L = evaluate_bound(*gaussian, prior, best.q), L_jj = evaluate_bound(*jj, prior, older.q);
    const double evidence = testing::log_integral(-15, 25, L, [&](double w) {
      double sum = 0.5 * (std::log(rho) - ln_2pi) - 0.5 * rho * w * w;
      for (Index i = 0; i < n; ++i) sum -= exact_softplus((1 - 2 * s.t[i]) * s.X(i, 0) * w);
      return sum;
    });
    EXPECT_LT(L_jj, L);
    EXPECT_LE(L, evidence + 1e-8 * n);
    EXPECT_LT(evidence - L, 0.1);
  }
}

TEST(LogisticGaussian, StaysFiniteForHugeMoments) {
  Vector t(4), k = Vector::Ones(4);
  t << 0, 1, 0, 1;
  Posterior q;
  q.m = (Vector(4) << 1e150, -1e150, 0, 1e300).finished();
  q.s = (Vector(4) << 1, 0, 1e300, 1e-300).finished();
  const auto likelihood = make_logistic_gaussian(t, k);
  Rows rows;
  likelihood->start(rows);
  likelihood->update(q, rows);
  EXPECT_TRUE(rows.omega.allFinite() && (rows.omega.array() >= 0).all());
  EXPECT_TRUE(rows.r.allFinite());
  EXPECT_TRUE(std::isfinite(likelihood->bound(q)));
}

TEST(LogisticGaussian, WeightsEqualRepetition) {  // (LIN.6)
  const ClassSample s = make_sample(7);
  PrecisionPrior prior(s.partition, s.c0, s.d0);
  std::vector<Index> repeated;
  for (Index i = 0; i < s.t.size(); ++i)
    for (int copy = 0; copy < static_cast<int>(s.k[i]); ++copy) repeated.push_back(i);
  ClassSample long_form = s;
  long_form.X = s.X(repeated, Eigen::all);
  long_form.t = s.t(repeated);
  const auto weighted = make_logistic_gaussian(s.t, s.k), plain = make_logistic_gaussian(long_form.t, {});
  const AtRest a = iterate(s, *weighted, prior), b = iterate(long_form, *plain, prior);
  EXPECT_LE(relative_distance(a.q.w, b.q.w), 1e-10);
  EXPECT_NEAR(evaluate_bound(*weighted, prior, a.q), evaluate_bound(*plain, prior, b.q), 1e-10);
}

}  // namespace
}  // namespace ardvark::internal
