#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/logistic.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {
namespace {

using testing::Long;
using testing::LongMatrix;
using testing::LongVector;
using testing::Random;
using testing::relative_distance;

// A logistic regression whose precisions are given: the mode and the Hessian there have nothing to do with the loop.
struct Given {
  Matrix X;  // the last column is flat
  Vector labels, k, a;

  [[nodiscard]] FitOptions options(SolverKind solver = SolverKind::automatic) const {
    const Index p = X.cols() - 1;
    FitOptions o;
    o.likelihood = LogisticLikelihood::laplace;
    o.intercept = o.standardize = false;
    o.weights = k;
    o.solver = solver;
    for (Index j = 0; j < p; ++j) o.prior = o.prior.fixed({j}, a[j]);
    o.prior.kind = PriorKind::ard;
    o.prior = o.prior.flat({p});
    return o;
  }
  [[nodiscard]] LongVector gradient(const LongVector& w) const {
    LongVector g = -(a.cast<Long>().cwiseProduct(w));
    for (Index i = 0; i < X.rows(); ++i) {
      const LongVector x = X.row(i).cast<Long>();
      g += Long(k[i]) * x * ((labels[i] > 0 ? 1 : 0) - testing::plain_sigmoid(x.dot(w)));
    }
    return g;
  }
  [[nodiscard]] Long penalised(const LongVector& w) const {
    Long L = -0.5L * a.cast<Long>().dot(w.cwiseAbs2());
    for (Index i = 0; i < X.rows(); ++i) {
      const Long m = X.row(i).cast<Long>().dot(w);
      L -= Long(k[i]) * testing::plain_softplus(labels[i] > 0 ? -m : m);
    }
    return L;
  }
};

Given make_given(std::uint64_t seed, Index n, Index p, double spread = 1) {
  Random random(seed);
  testing::Problem problem = testing::make_problem(seed, n, p);
  Given given{spread * problem.X, problem.labels, Vector(n), Vector(p)};
  given.X.col(p - 1).setOnes();
  for (double& k : given.k) k = static_cast<double>(random.integer(0, 3));
  given.k[0] = given.k[n - 1] = 1;
  for (double& a : given.a) a = random.scale(0.05, 20);
  given.a[p - 1] = 0;
  return given;
}

TEST(LogisticLaplace, WritesSlopesAndResponses) {  // (LAP.1)
  Random random(1);
  const Index n = 40;
  Vector t(n), k(n);
  Posterior q;
  q.m = 5 * random.normals(n);
  for (Index i = 0; i < n; ++i) {
    t[i] = random.chance(0.5) ? 1 : 0;
    k[i] = static_cast<double>(random.integer(0, 3));
  }
  q.m[0] = 800, t[0] = 0, k[0] = 1;  // far on the wrong side
  q.m[1] = -800, t[1] = 0;
  const auto likelihood = make_logistic_laplace(t, k);
  EXPECT_TRUE(likelihood->traits().to_mode);
  Rows rows;
  likelihood->start(rows);
  EXPECT_EQ(rows.omega, 0.25 * k);
  likelihood->update(q, rows);
  Long log_likelihood = 0;
  for (Index i = 0; i < n; ++i) {
    const Long m = q.m[i], sigma = testing::plain_sigmoid(m), slope = sigma * testing::plain_sigmoid(-m);
    EXPECT_NEAR(rows.omega[i], static_cast<double>(k[i] * slope), 1e-15);
    EXPECT_NEAR(rows.r[i], static_cast<double>(k[i] * (slope * m + (t[i] - sigma))), 1e-14);
    log_likelihood -= k[i] * testing::plain_softplus(t[i] > 0.5 ? -m : m);
  }
  EXPECT_NEAR(likelihood->log_likelihood(), static_cast<double>(log_likelihood), 1e-12 * std::abs(static_cast<double>(log_likelihood)));
}

TEST(LogisticLaplace, EndsAtTheMode) {  // (LAP.2): the gradient is zero
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const bool wide = seed % 3 == 0;
    const Given given = make_given(seed, wide ? 12 : 60, wide ? 20 : 6, seed % 2 == 0 ? 1 : 30);
    const LogisticFit fit = fit_logistic(given.X, given.labels, given.options());
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    const LongVector g = given.gradient(fit.mean.cast<Long>());
    const double scale = given.X.cwiseAbs().colwise().sum().maxCoeff();
    EXPECT_LE(static_cast<double>(g.cwiseAbs().maxCoeff()), 1e-10 * scale) << seed;
  }
}

TEST(LogisticLaplace, CovarianceIsTheInverseHessianAtTheMode) {  // by central differences of the gradient
  for (const SolverKind solver : {SolverKind::primal, SolverKind::dual}) {
    const Given given = make_given(7, 30, 6);
    const LogisticFit fit = fit_logistic(given.X, given.labels, given.options(solver));
    const Index p = given.X.cols();
    LongMatrix H(p, p);
    const Long h = 1e-5L;
    for (Index j = 0; j < p; ++j) {
      LongVector up = fit.mean.cast<Long>(), down = up;
      up[j] += h;
      down[j] -= h;
      H.col(j) = (given.gradient(down) - given.gradient(up)) / (2 * h);
    }
    EXPECT_LE(relative_distance(fit.covariance(), Matrix(H.inverse().cast<double>())), 1e-8);
    EXPECT_NEAR(fit.log_det_V, -static_cast<double>(std::log(H.determinant())), 1e-8);
  }
}

TEST(LogisticLaplace, BoundIsLaplacesApproximationToTheEvidence) {  // (LAP.3)
  const Given given = make_given(8, 40, 5);
  const LogisticFit fit = fit_logistic(given.X, given.labels, given.options());
  const double log_2pi = std::log(2 * std::acos(-1.0));
  const double expected = static_cast<double>(given.penalised(fit.mean.cast<Long>())) + 0.5 * given.a.head(4).array().log().sum() +
                          0.5 * fit.log_det_V + 0.5 * log_2pi;  // the flat column's
  EXPECT_NEAR(fit.bound, expected, 1e-9);
}

TEST(LogisticLaplace, BoundComesCloseToTheEvidenceWithRows) {  // by quadrature over one weight
  double last = 1;
  for (const Index n : {20, 80, 320}) {
    const testing::Problem problem = testing::make_problem(3, n, 1);
    FitOptions options;
    options.likelihood = LogisticLikelihood::laplace;
    options.intercept = options.standardize = false;
    options.prior = Prior::ard().fixed({0}, 0.5);
    const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
    const double evidence = testing::log_integral(fit.mean[0] - 12, fit.mean[0] + 12, fit.bound, [&](double w) {
      double L = 0.5 * std::log(0.5 / (2 * std::acos(-1.0))) - 0.25 * w * w;
      for (Index i = 0; i < n; ++i) L -= static_cast<double>(testing::plain_softplus(-problem.labels[i] * w * problem.X(i, 0)));
      return L;
    });
    const double error = std::abs(fit.bound - evidence);
    EXPECT_LE(error, 0.6 * last) << n;
    last = error;
  }
  EXPECT_LE(last, 5e-3);
}

TEST(LogisticLaplace, AgreesInPrimalAndDual) {
  const Given given = make_given(11, 25, 15);
  const LogisticFit primal = fit_logistic(given.X, given.labels, given.options(SolverKind::primal));
  const LogisticFit dual = fit_logistic(given.X, given.labels, given.options(SolverKind::dual));
  EXPECT_LE(relative_distance(primal.mean, dual.mean), 1e-9);
  EXPECT_LE(relative_distance(primal.variance, dual.variance), 1e-9);
  EXPECT_NEAR(primal.bound, dual.bound, 1e-9);
}

TEST(LogisticLaplace, AWeightEqualsRepetition) {  // (LIN.6)
  const Given given = make_given(12, 20, 4);
  Index total = 0;
  for (double k : given.k) total += static_cast<Index>(k);
  Given repeated{Matrix(total, 4), Vector(total), Vector::Ones(total), given.a};
  for (Index i = 0, row = 0; i < 20; ++i)
    for (Index c = 0; c < static_cast<Index>(given.k[i]); ++c, ++row) {
      repeated.X.row(row) = given.X.row(i);
      repeated.labels[row] = given.labels[i];
    }
  const LogisticFit weighted = fit_logistic(given.X, given.labels, given.options());
  const LogisticFit plain = fit_logistic(repeated.X, repeated.labels, repeated.options());
  EXPECT_LE(relative_distance(weighted.mean, plain.mean), 1e-10);
  EXPECT_LE(relative_distance(weighted.covariance(), plain.covariance()), 1e-10);
  EXPECT_NEAR(weighted.bound, plain.bound, 1e-9);
}

// The full Newton step from zero lands where the likelihood is flat; only a shorter one gains.
TEST(LogisticLaplace, FindsTheModeWhereFullStepsOvershoot) {
  Given given;
  given.X.resize(6, 2);
  given.X << 1e-3, 1, 2e-3, 1, 1e3, 1, -1e3, 1, -2e-3, 1, 3e3, 1;
  given.labels.resize(6);
  given.labels << 1, 1, -1, 1, -1, 1;
  given.k = Vector::Ones(6);
  given.a.resize(2);
  given.a << 1e-9, 0;
  const LogisticFit fit = fit_logistic(given.X, given.labels, given.options());
  ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_LE(static_cast<double>(given.gradient(fit.mean.cast<Long>()).cwiseAbs().maxCoeff()), 1e-7);
}

}  // namespace
}  // namespace ardvark::internal
