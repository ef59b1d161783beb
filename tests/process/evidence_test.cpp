// The evidence of a Gaussian process against the same integrals done another way.                              docs/math/process.md (KM.1),
// (KM.2), (KM.5)
#include "process/evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/normals.hpp"
#include "core/special.hpp"
#include "process/plain_process.hpp"

namespace ardvark::internal {
namespace {

struct RandomRows {
  Matrix X;
  Vector y, t, k;
};

RandomRows random_rows(Index n, Index d, std::uint64_t seed) {
  Normals normal(seed);
  RandomRows out{Matrix(n, d), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) out.X(i, j) = normal();
    out.y[i] = std::sin(2 * out.X(i, 0)) + 0.3 * normal();
    out.t[i] = out.X(i, 0) + 0.7 * normal() > 0 ? 1 : 0;
    out.k[i] = std::floor(1 + 3 * normal.uniform());
  }
  out.t[0] = 0, out.t[1] = 1;
  return out;
}

std::vector<Index> each(Index d) {
  std::vector<Index> out(static_cast<std::size_t>(d));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

const char* const kinds[] = {"gaussian", "laplacian", "cauchy", "matern32", "matern52"};

// The contrasts of y do not have the intercept: with Q'1 = 0 and Q'Q = I, Q'y is normal with covariance s2 Q'CQ.
TEST(ProcessEvidence, OfARegressionIsThatOfContrasts) {
  for (const char* kind : kinds)
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Index n = 3 + static_cast<Index>(seed), d = 1 + static_cast<Index>(seed % 3);
      const RandomRows rows = random_rows(n, d, seed);
      const auto evidence = regression_evidence(Covariance(kind, rows.X, each(d)), Vector::Ones(n), rows.y);
      Hyperparameters theta = Vector::LinSpaced(d + 1, 0.7, -0.9);
      const Matrix K = plain::covariance(kind, rows.X, rows.X, theta.tail(d));
      const double h = std::exp(theta[0]);
      const Matrix C = h * K + Matrix::Identity(n, n);
      const Matrix Q = Matrix(Eigen::HouseholderQR<Matrix>(Vector::Ones(n)).householderQ()).rightCols(n - 1);
      const Matrix S = Q.transpose() * C * Q;
      const Vector c = Q.transpose() * rows.y;
      const double nu = static_cast<double>(n - 1), q = c.dot(S.inverse() * c);
      const double J = std::lgamma(nu / 2) - nu / 2 * std::log(M_PI * q) - 0.5 * std::log(S.determinant()) - 0.5 * std::log(n);
      const double expected = J + plain::log_prior(h, K, Vector::Ones(n), theta.tail(d), Vector::Ones(d), 1);
      EXPECT_NEAR(evidence->at(theta, false).value, expected, 1e-9) << kind << " seed " << seed;
    }
}

// A weight equals repetition, but for -1/2 sum ln k, which hyper-parameters do not change.                                         (KM.1)
TEST(ProcessEvidence, OfWeightsIsThatOfRepeatedRows) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Index n = 9, d = 2;
    const RandomRows rows = random_rows(n, d, seed);
    const auto total = static_cast<Index>(rows.k.sum());
    Matrix X(total, d);
    Vector y(total), t(total);
    Index at = 0;
    for (Index i = 0; i < n; ++i)
      for (int r = 0; r < rows.k[i]; ++r, ++at) X.row(at) = rows.X.row(i), y[at] = rows.y[i], t[at] = rows.t[i];
    const Hyperparameters theta = (Vector(3) << 1.1, -0.4, 0.2).finished();
    const Vector ones = Vector::Ones(total);
    const Slope weighted = regression_evidence(Covariance("gaussian", rows.X, each(d)), rows.k, rows.y)->at(theta, true);
    const Slope repeated = regression_evidence(Covariance("gaussian", X, each(d)), ones, y)->at(theta, true);
    EXPECT_NEAR(weighted.value - 0.5 * rows.k.array().log().sum(), repeated.value, 1e-9);
    EXPECT_LT((weighted.gradient - repeated.gradient).cwiseAbs().maxCoeff(), 1e-8);
    const Slope classes = class_evidence(Covariance("gaussian", rows.X, each(d)), rows.k, rows.t)->at(theta, true);
    const Slope of_copies = class_evidence(Covariance("gaussian", X, each(d)), ones, t)->at(theta, true);
    EXPECT_NEAR(classes.value, of_copies.value, 1e-7);
    EXPECT_LT((classes.gradient - of_copies.gradient).cwiseAbs().maxCoeff(), 1e-4);
  }
}

// With one width, distances are remembered; they must be those of each width, in tiles of any shape.
TEST(Covariance, OfOneWidthIsTheKernelForEachWidth) {
  for (const char* kind : kinds) {
    const Matrix X = random_rows(300, 10, 1).X;
    const Covariance covariance(kind, X, std::vector<Index>(10, 0));
    for (const double log_rho : {-0.4, -2.0, 600.0}) {
      Matrix K, expected(300, 300);
      covariance.evaluate(Vector::Constant(1, log_rho), K, nullptr);
      covariance.kernel(Vector::Constant(1, log_rho)).evaluate(X, X, expected);
      const Matrix off = (K - expected).triangularView<Eigen::Lower>();
      EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-11) << kind << " at " << log_rho;
    }
  }
}

TEST(ProcessEvidence, HasTheGradientOfFiniteDifferences) {
  for (const char* kind : kinds)
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
      for (const bool classes : {false, true}) {
        const Index n = 14, d = 3;
        const RandomRows rows = random_rows(n, d, seed);
        const bool one_width = seed % 2 == 0;
        Covariance covariance(kind, rows.X, {0, one_width ? 0 : 1, 0});
        const auto evidence = classes ? class_evidence(covariance, rows.k, rows.t) : regression_evidence(covariance, rows.k, rows.y);
        const Hyperparameters theta = (Vector(3) << 0.8, -0.6, 0.1).finished().head(one_width ? 2 : 3);
        const Vector gradient = evidence->at(theta, true).gradient;
        for (Index i = 0; i < theta.size(); ++i) {
          constexpr double step = 1e-4;
          Hyperparameters up = theta, down = theta;
          up[i] += step, down[i] -= step;
          const double slope = (evidence->at(up, false).value - evidence->at(down, false).value) / (2 * step);
          EXPECT_NEAR(gradient[i], slope, classes ? 2e-4 : 1e-6) << kind << " seed " << seed << " at " << i;
        }
      }
}

// ln of the integral over f = (f_1, f_2) and the intercept, by the trapezoidal rule in the coordinates of the Cholesky factor.
double log_evidence_by_quadrature(const Matrix& K, const Vector& t, const Vector& k) {
  const Matrix L = K.llt().matrixL();
  double sum = 0;
  constexpr double step = 0.1, far = 7;
  for (double b = -30; b <= 30; b += 0.2)
    for (double x = -far; x <= far; x += step)
      for (double z = -far; z <= far; z += step) {
        const double f[2] = {L(0, 0) * x + b, L(1, 0) * x + L(1, 1) * z + b};
        double log_p = -0.5 * (x * x + z * z) - std::log(2 * M_PI) - std::log(M_PI) + 0.5 * b - std::log1p(std::exp(b));
        for (Index i = 0; i < 2; ++i) log_p += k[i] * (t[i] * f[i] - std::log1p(std::exp(f[i])));
        sum += std::exp(log_p);
      }
  return std::log(sum * step * step * 0.2);
}

TEST(ProcessEvidence, OfClassesIsAtMostTheIntegralAndNearIt) {
  for (const double h : {0.1, 1.0, 8.0})
    for (const double second : {0.0, 1.0}) {
      const Matrix X = (Matrix(2, 1) << -0.4, 0.9).finished();
      const Vector t = (Vector(2) << 0.0, second).finished(), k = (Vector(2) << 1, 2).finished();
      const auto evidence = class_evidence(Covariance("gaussian", X, {0}), k, t);
      const Hyperparameters theta = (Vector(2) << std::log(h), -0.2).finished();
      const Matrix K = plain::covariance("gaussian", X, X, theta.tail(1));
      const double bound = evidence->at(theta, false).value - plain::log_prior(h, K, k, theta.tail(1), Vector::Ones(1), 4);
      const double integral = log_evidence_by_quadrature(h * K, t, k);
      EXPECT_LT(bound, integral + 1e-6) << h;
      EXPECT_GT(bound, integral - 0.12) << h;
    }
}

// The prior of the widths integrates to 1, with its constants, also where a width has several inputs.                             (KM.2)
TEST(ProcessEvidence, HasAPriorOfWidthsThatIsADensity) {
  const RandomRows rows = random_rows(6, 3, 1);
  constexpr double step = 0.05;
  const auto total = [&](std::vector<Index> group) {
    const auto evidence = regression_evidence(Covariance("gaussian", rows.X, std::move(group)), rows.k, rows.y);
    const double constant = evidence->log_constant() - std::log1p(ProcessEvidence::share_exponent);
    double sum = 0;
    for (double a = -30; a < 12; a += step) {
      if (evidence->size() == 2) {
        sum += step * std::exp(constant + evidence->log_prior_of_widths(Vector::Constant(1, a)));
        continue;
      }
      for (double b = -30; b < 12; b += step)
        sum += step * step * std::exp(constant + evidence->log_prior_of_widths((Vector(2) << a, b).finished()));
    }
    return sum;
  };
  EXPECT_NEAR(total({0, 0, 0}), 1, 1e-6);
  EXPECT_NEAR(total({0, -1, 1}), 1, 1e-6);
  EXPECT_NEAR(total({1, 0, 1}), 1, 1e-6);
}

// Laplace's approximation of the same process: the mode of the scores and the curvature there, with an intercept of variance 100.
class LaplaceProcess {
 public:
  LaplaceProcess(const Matrix& K, const Vector& t) : t_(t) {
    const Index n = t.size();
    Vector f = Vector::Zero(n);
    const Matrix I = Matrix::Identity(n, n);
    for (int step = 0; step < 100; ++step) {
      const Vector p = 1 / (1 + (-f.array()).exp());
      const Vector w = p.array() * (1 - p.array()), root = w.cwiseSqrt();
      const Matrix B = I + root.asDiagonal() * K * root.asDiagonal();
      const Vector b = w.cwiseProduct(f) + t - p;
      f = K * (b - Vector(root.asDiagonal() * B.llt().solve(Vector(root.asDiagonal() * (K * b)))));
    }
    const Vector p = 1 / (1 + (-f.array()).exp());
    a_ = t - p;
    const Vector root = (p.array() * (1 - p.array())).sqrt();
    C_ = root.asDiagonal() * Matrix((I + root.asDiagonal() * K * root.asDiagonal()).inverse()) * root.asDiagonal();
  }
  [[nodiscard]] double probability(const Vector& k, double at) const { return expected_sigmoid(k.dot(a_), at - k.dot(C_ * k)); }

 private:
  Vector t_, a_;
  Matrix C_;
};

// The best Gaussian posterior predicts better than Laplace's approximation of the same process, with an intercept of variance 100 in both.
TEST(ProcessEvidence, OfClassesHasABetterPosteriorThanLaplace) {
  const Matrix centres = (Matrix(4, 2) << -1.3, 0.7, 0.3, 0.3, -0.7, 0.3, 0.4, 0.7).finished();  // two of each class
  const auto drawn = [&](Index n, std::uint64_t seed) {
    Normals normal(seed);
    RandomRows out{Matrix(n, 2), Vector(n), Vector(n), Vector::Ones(n)};
    for (Index i = 0; i < n; ++i) {
      const auto part = static_cast<Index>(4 * normal.uniform());
      out.t[i] = static_cast<double>(part % 2);
      for (Index j = 0; j < 2; ++j) out.X(i, j) = centres(part, j) + 0.3 * normal();
    }
    return out;
  };
  double ours = 0, theirs = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RandomRows rows = drawn(60, seed), fresh = drawn(400, seed + 100);
    const Vector log_rho = Vector::Constant(2, 0.5);
    const auto covariance = [&](const Matrix& A, const Matrix& B) {
      return Matrix(30 * plain::covariance("gaussian", A, B, log_rho) + Matrix::Constant(A.rows(), B.rows(), 100));
    };
    // The working rows of the evidence give the posterior of the scores.                                                     (KM.5)
    const auto evidence = class_evidence(Covariance("gaussian", rows.X, each(2)), rows.k, rows.t);
    const ProcessRows working = evidence->posterior((Vector(3) << std::log(30.0), 0.5, 0.5).finished()).rows;
    const Matrix K = covariance(rows.X, rows.X), k = covariance(rows.X, fresh.X);
    const Matrix B = (K + Matrix(working.omega.cwiseInverse().asDiagonal())).inverse();
    const LaplaceProcess laplace(K, rows.t);
    for (Index i = 0; i < 400; ++i) {
      const double mean = k.col(i).dot(B * working.z), variance = 130 - k.col(i).dot(B * k.col(i));
      const double p = expected_sigmoid(mean, variance), q = laplace.probability(k.col(i), 130);
      ours -= std::log(fresh.t[i] == 1 ? p : 1 - p) / 4000;
      theirs -= std::log(fresh.t[i] == 1 ? q : 1 - q) / 4000;
    }
  }
  EXPECT_LT(ours, theirs);
}

// Warm starts change nothing but the time.
TEST(ProcessEvidence, OfClassesDoesNotDependOnTheCallBefore) {
  const RandomRows rows = random_rows(40, 2, 3);
  const auto fresh = [&] { return class_evidence(Covariance("cauchy", rows.X, each(2)), rows.k, rows.t); };
  const auto warm = fresh();
  for (const double log_h : {-2.0, 0.0, 3.0, 6.0}) {
    const Hyperparameters theta = (Vector(3) << log_h, 0.3, -0.5).finished();
    EXPECT_NEAR(warm->at(theta, false).value, fresh()->at(theta, false).value, 1e-7) << log_h;
  }
}

}  // namespace
}  // namespace ardvark::internal
