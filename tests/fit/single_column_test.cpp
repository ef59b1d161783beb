// One column at a time: leaving it out, its best precision, whether it is relevant.                     docs/math/optimum.md (OPT.2),
// (OPT.3)
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"

namespace ardvark {
namespace {

using testing::Random;
using testing::relative_distance;

// What depends on E = E[alpha_j] with the noise held: 1/2 ln E + 1/2 ln|V| - tau/2 (y'y - y'Xw) + c0 ln E - d0 E, by the whole inverse.
double single_column_bound(const Matrix& X, const Vector& y, Vector a, Index j, double E, double tau, double c0, double d0) {
  a[j] = E;
  const testing::PlainRidge plain = testing::plain_ridge(X, Vector::Ones(y.size()), y, a);
  return 0.5 * std::log(E) + 0.5 * plain.log_det_V + 0.5 * tau * y.dot(plain.m) + c0 * std::log(E) - d0 * E;
}

struct LeaveOneOut {
  double s, q;
};
LeaveOneOut leave_one_out(const testing::PlainRidge& plain, const Vector& a, Index j) {  // (OPT.2)
  return {1 / plain.V(j, j) - a[j], plain.w[j] / plain.V(j, j)};
}

TEST(Sweep, LeavesAColumnOutWithoutFittingAgain) {  // (OPT.2) against a fit without the column
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(15, 5);
    const Vector y = random.normals(15), a = random.normals(5).array().exp();
    const testing::PlainRidge with = testing::plain_ridge(X, Vector::Ones(15), y, a);
    for (Index j = 0; j < 5; ++j) {
      std::vector<Index> others;
      for (Index k = 0; k < 5; ++k)
        if (k != j) others.push_back(k);
      const Matrix rest = X(Eigen::all, others);
      const testing::PlainRidge without = testing::plain_ridge(rest, Vector::Ones(15), y, a(others));
      const Vector x = X.col(j), Xx = rest.transpose() * x;
      const auto [s, q] = leave_one_out(with, a, j);
      EXPECT_LE(relative_distance(s, x.dot(x) - Xx.dot(without.V * Xx)), 1e-11);
      EXPECT_LE(relative_distance(q, x.dot(y - without.m)), 1e-11);
    }
  }
}

TEST(Sweep, BestSinglePrecisionMaximisesTheBound) {  // (OPT.3): the closed form and the cubic against a grid over ln E
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(20, 3);
    const Vector y = X.col(0) * random.uniform(0, 1) + random.normals(20), a = random.normals(3).array().exp();
    const double tau = random.scale(0.3, 3);
    const auto [s, q] = leave_one_out(testing::plain_ridge(X, Vector::Ones(20), y, a), a, 0);
    const auto improper = [&](double E) { return single_column_bound(X, y, a, 0, E, tau, 0, 0); };
    if (tau * q * q > 1.02 * s) {
      const double best = s * s / (tau * q * q - s);
      for (double step = -12; step <= 12; step += 0.25)
        EXPECT_LE(improper(best * std::exp(step)), improper(best) + 1e-11) << seed << " " << step;
    } else if (tau * q * q < s) {  // the bound rises towards an infinite precision
      for (double E = 0.1; E < 1e5; E *= 3) EXPECT_LE(improper(E), improper(3 * E) + 1e-11) << seed;
    }

    const double c0 = random.scale(1e-2, 2), d0 = random.scale(1e-3, 2);
    const auto proper = [&](double E) { return single_column_bound(X, y, a, 0, E, tau, c0, d0); };
    // The positive roots of 2 d0 E^3 + (4 d0 s - 2 c0) E^2 + (2 d0 s^2 + tau q^2 - s (1 + 4 c0)) E - (1 + 2 c0) s^2, by its companion
    // matrix.
    Matrix companion = Matrix::Zero(3, 3);
    companion(1, 0) = companion(2, 1) = 1;
    companion(0, 2) = (1 + 2 * c0) * s * s / (2 * d0);
    companion(1, 2) = -(2 * d0 * s * s + tau * q * q - s * (1 + 4 * c0)) / (2 * d0);
    companion(2, 2) = -(4 * d0 * s - 2 * c0) / (2 * d0);
    double highest = -std::numeric_limits<double>::infinity();
    for (const auto& root : companion.eigenvalues())
      if (std::abs(root.imag()) < 1e-9 * std::abs(root) && root.real() > 0) highest = std::max(highest, proper(root.real()));
    for (double E = 1e-5; E < 1e6; E *= 1.2) EXPECT_LE(proper(E), highest + 1e-10) << seed << " " << E;
  }
}

TEST(Sweep, JudgesRelevanceByTheSingleColumnRule) {  // (OPT.3) with a margin of two: keep where tau q^2 > 2 s
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    testing::Problem problem = testing::make_problem(seed, 60, 6);
    FitOptions options;
    options.prior = Prior::ard();
    options.intercept = options.standardize = false;
    options.accelerate = false;  // E[alpha] of the last sweep is the one inside V
    options.max_sweeps = 4000;
    options.tolerance = 1e-14;
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    const testing::PlainRidge plain = testing::plain_ridge(problem.X, Vector::Ones(60), problem.y, fit.precision);
    const double tau = fit.noise.mean();
    for (Index j = 0; j < 6; ++j) {
      const auto [s, q] = leave_one_out(plain, fit.precision, j);
      const double ratio = tau * q * q / s;
      if (std::abs(ratio - 2) > 0.05) {
        EXPECT_EQ(fit.relevant[static_cast<std::size_t>(j)], ratio > 2) << seed << " " << j << ": " << ratio;
      }
      EXPECT_NEAR(fit.relevance[j], 1 - fit.precision[j] * plain.V(j, j), 1e-3);
    }
  }
}

}  // namespace
}  // namespace ardvark
