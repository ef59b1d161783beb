#include "relevance/evidence_gradient.hpp"

#include <gtest/gtest.h>

#include "../support/kernel_columns.hpp"
#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "core/special.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::Random;

constexpr GreedyLikelihood all_likelihoods[] = {GreedyLikelihood::gaussian, GreedyLikelihood::bernoulli, GreedyLikelihood::logistic_bound};

struct Plain {
  testing::PlainRidge q;
  double evidence = 0;
};

// (GREEDY.4) to (GREEDY.6) at these precisions, the mode or xi where they are best, observation weights as repetitions.
Plain plain_fit(GreedyLikelihood likelihood, const Matrix& Phi, const Vector& alpha, double tau, const Vector& t, const Vector& weights) {
  const Index n = t.size();
  Vector omega = Vector::Constant(n, tau), r = tau * t, xi = Vector::Zero(n);
  Plain fit;
  const int rounds = likelihood == GreedyLikelihood::gaussian ? 1 : 3000;
  Vector m = Vector::Zero(n), s = Vector::Zero(n);
  for (int round = 0; round < rounds; ++round) {
    const Vector before = m;
    for (Index i = 0; i < n && likelihood != GreedyLikelihood::gaussian; ++i) {
      xi[i] = std::sqrt(m[i] * m[i] + s[i]);
      const double p = sigmoid(m[i]);
      const bool bound = likelihood == GreedyLikelihood::logistic_bound;
      omega[i] = bound ? 2 * jj_lambda(xi[i]) : p * (1 - p);
      r[i] = bound ? t[i] - 0.5 : omega[i] * m[i] + t[i] - p;
    }
    fit.q = testing::plain_ridge(Phi, weights.cwiseProduct(omega), weights.cwiseProduct(r), alpha);
    m = fit.q.m;
    s = fit.q.s;
    if (round > 5 && distance(m, before) < 1e-15) break;
  }
  const Vector& w = fit.q.w;
  fit.evidence = 0.5 * (fit.q.log_det_V + alpha.array().log().sum() - alpha.dot(w.cwiseAbs2()));
  for (Index i = 0; i < n; ++i) {
    double row = 0;
    switch (likelihood) {
      case GreedyLikelihood::gaussian: row = 0.5 * (std::log(tau) - ln_2pi - tau * (t[i] - m[i]) * (t[i] - m[i])); break;
      case GreedyLikelihood::bernoulli: row = t[i] * m[i] - softplus(m[i]); break;
      case GreedyLikelihood::logistic_bound:
        row = log_sigmoid(xi[i]) + (t[i] - 0.5) * m[i] - 0.5 * xi[i] - jj_lambda(xi[i]) * (m[i] * m[i] - xi[i] * xi[i]);
        break;
    }
    fit.evidence += weights[i] * row;
  }
  return fit;
}

// Each column brought to its length: sum of weights x^2 = 4.
Matrix of_length_two(const Matrix& Phi, const Vector& weights) {
  Matrix out = Phi;
  for (Index j = 0; j < Phi.cols(); ++j) out.col(j) *= 2 / std::sqrt(weights.dot(Phi.col(j).cwiseAbs2()));
  return out;
}

TEST(ColumnGradient, IsTheDerivativeOfTheEvidenceAtAnyPrecisions) {  // (RVM.5b), (RVM.5c)
  for (const GreedyLikelihood likelihood : all_likelihoods)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const bool weighted = seed % 2 == 0, fixed = seed > 4;
      SCOPED_TRACE("likelihood " + std::to_string(static_cast<int>(likelihood)) + ", seed " + std::to_string(seed));
      Random random(seed);
      const Index n = 9, k = random.integer(1, 4);
      Vector t = random.normals(n), alpha(k), weights = Vector::Ones(n);
      for (double& a : alpha) a = random.scale(0.1, 10);
      if (weighted)
        for (double& x : weights) x = random.scale(0.3, 3);
      if (likelihood != GreedyLikelihood::gaussian)
        for (double& x : t) x = x > 0 ? 1 : 0;
      Matrix Phi = random.normals(n, k);
      if (fixed) Phi = of_length_two(Phi, weights);
      const double tau = random.scale(0.3, 10);
      const auto plain = [&](const Matrix& columns) {
        return plain_fit(likelihood, fixed ? of_length_two(columns, weights) : columns, alpha, tau, t, weights);
      };
      const Plain here = plain(Phi);
      GreedyOutcome fit;
      for (Index j = 0; j < k; ++j) fit.columns.push_back(j);
      fit.w = here.q.w;
      fit.V = here.q.V;
      fit.m = here.q.m;
      fit.noise_precision = tau;
      DenseDesign design(Phi, {});
      const Matrix D =
          column_gradient(design, t, likelihood, fit, fixed ? ColumnLength::fixed : ColumnLength::free, weighted ? weights : Vector());
      Matrix differences(n, k), moved = Phi;
      const double h = 1e-5;
      for (Index j = 0; j < k; ++j)
        for (Index i = 0; i < n; ++i) {
          moved(i, j) = Phi(i, j) + h;
          const double above = plain(moved).evidence;
          moved(i, j) = Phi(i, j) - h;
          const double below = plain(moved).evidence;
          moved(i, j) = Phi(i, j);
          differences(i, j) = (above - below) / (2 * h);
        }
      EXPECT_LE(distance(D, differences), 1e-7 * (1 + differences.cwiseAbs().maxCoeff()));
    }
}

TEST(ColumnGradient, ReadsTheColumnsOfTheModelAlone) {
  Random random(11);
  const Index n = 12;
  const Matrix X = random.normals(n, 6);
  const Vector t = random.normals(n);
  const std::vector<Index> columns = {1, 4, 5};
  Matrix Phi(n, 3);
  for (Index j = 0; j < 3; ++j) Phi.col(j) = X.col(columns[static_cast<std::size_t>(j)]);
  const Plain plain = plain_fit(GreedyLikelihood::gaussian, Phi, Vector::Ones(3), 2, t, Vector::Ones(n));
  GreedyOutcome fit;
  fit.w = plain.q.w;
  fit.V = plain.q.V;
  fit.m = plain.q.m;
  fit.noise_precision = 2;
  fit.columns = columns;
  DenseDesign all(X, {}), model(Phi, {});
  const Matrix of_all = column_gradient(all, t, GreedyLikelihood::gaussian, fit, ColumnLength::free);
  fit.columns = {0, 1, 2};
  EXPECT_LE(distance(of_all, column_gradient(model, t, GreedyLikelihood::gaussian, fit, ColumnLength::free)), 1e-14);
  fit = GreedyOutcome{};
  fit.m = Vector::Zero(n);
  EXPECT_EQ(column_gradient(all, t, GreedyLikelihood::gaussian, fit, ColumnLength::free).cols(), 0);
}

TEST(KernelGradient, SumsOverTheKernelColumnsOfTheModel) {  // (RVM.5c), the sum as it stands
  Random random(12);
  const Index n = 20, M = 150;
  const Matrix X = random.normals(n, 2), C = random.normals(M, 2);
  const Kernel kernel = 0.5 * Kernel::gaussian({1.5, 0.8}) + Kernel::cauchy(2);
  std::vector<Index> columns;
  for (Index j = 0; j <= M + 1; ++j)
    if (j % 7 != 3) columns.push_back(j);  // M and M + 1 have no kernel
  const Matrix D = random.normals(n, static_cast<Index>(columns.size()));
  const Vector scale = random.normals(M).cwiseAbs();
  Matrix slope(n, M);
  Vector expected = Vector::Zero(4), unscaled = expected;
  for (Index parameter = 0; parameter < 4; ++parameter) {
    kernel.derivative(X, C, parameter, slope);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const Index c = columns[j];
      if (c >= M) continue;
      const double sum = D.col(static_cast<Index>(j)).dot(slope.col(c));
      expected[parameter] += sum * scale[c];
      unscaled[parameter] += sum;
    }
  }
  EXPECT_LE(distance(kernel_gradient(kernel, X, C, scale, columns, D), expected), 1e-12);
  EXPECT_LE(distance(kernel_gradient(kernel, X, C, {}, columns, D), unscaled), 1e-12);
  EXPECT_EQ(kernel_gradient(kernel, X, C, scale, {M}, Matrix::Ones(n, 1)), Vector::Zero(4));
  EXPECT_EQ(kernel_gradient(kernel, X, C, scale, {}, Matrix(n, 0)), Vector::Zero(4));
  EXPECT_EQ(kernel_gradient(Kernel::linear(), X, C, scale, columns, D).size(), 0);
}

// The whole: greedy() maximises over the precisions, and over tau or xi, on centred and scaled columns beside a free column of ones, and
// the gradient is the slope of what it finds.
TEST(KernelGradient, IsTheSlopeOfTheMaximisedEvidence) {  // (RVM.5b), (RVM.5c)
  const struct {
    Kernel kernel;
    Index inputs;
  } cases[] = {{Kernel::gaussian(0.9), 1},
               {Kernel::gaussian(1.6), 3},
               {Kernel::gaussian({1.1, 2.0, 3.5}), 3},
               {Kernel::laplacian(2.2), 2},
               {Kernel::cauchy(1.2) + 0.3 * Kernel::polynomial(2, 1.5), 2}};
  for (const GreedyLikelihood likelihood : {GreedyLikelihood::gaussian, GreedyLikelihood::logistic_bound})
    for (const auto& one : cases) {
      SCOPED_TRACE(one.kernel.name() + ", likelihood " + std::to_string(static_cast<int>(likelihood)));
      Random random(40);
      const Index n = 50;
      const Matrix X = random.normals(n, one.inputs);
      Vector t(n);
      for (Index i = 0; i < n; ++i) {
        t[i] = std::sin(2 * X(i, 0)) + 0.5 * X(i, one.inputs - 1) + 0.2 * random.normal();
        if (likelihood != GreedyLikelihood::gaussian) t[i] = t[i] + 0.4 * random.normal() > 0 ? 1 : 0;
      }
      const testing::KernelColumns all(one.kernel, X, X);
      const GreedyOutcome chosen = greedy(all.design(), t, testing::kernel_settings(likelihood, n));
      const Matrix C = testing::rows_of(X, testing::kernels_of(chosen, n));
      ASSERT_GE(C.rows(), 2);
      GreedySettings settings = testing::support_settings(likelihood, C.rows(), chosen.noise_precision);
      settings.tolerance = 1e-14;
      const auto fit_of = [&](const Kernel& kernel) {
        const testing::KernelColumns columns(kernel, X, C);
        return greedy(columns.design(), t, settings);
      };
      const testing::KernelColumns columns(one.kernel, X, C);
      const GreedyOutcome fit = greedy(columns.design(), t, settings);
      const Vector gradient = kernel_gradient(one.kernel, X, C, columns.scale(), fit.columns,
                                              column_gradient(columns.design(), t, likelihood, fit, ColumnLength::fixed));
      Vector differences(gradient.size());
      for (Index p = 0; p < gradient.size(); ++p) {
        const auto at = [&](double step) {
          std::vector<double> logs = one.kernel.log_parameters();
          logs[static_cast<std::size_t>(p)] += step;
          return testing::maximised(fit_of(one.kernel.with_log_parameters(logs)));
        };
        const double h = 5e-4;  // the formula is of fourth order; a larger step may lose a column
        differences[p] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      }
      EXPECT_LE(distance(gradient, differences), 1e-6 * (1 + differences.cwiseAbs().maxCoeff()))
          << gradient.transpose() << " : " << differences.transpose();
    }
}

}  // namespace
}  // namespace ardvark::internal
