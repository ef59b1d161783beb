// The formulas computed the plain way: explicit inverses in extended precision, sums as they stand on the page, quadrature.
#pragma once

#include <Eigen/Dense>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "ardvark/prior.hpp"
#include "ardvark/types.hpp"
#include "engine/waist.hpp"

namespace ardvark::testing {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

/// RIDGE.1 and RIDGE.2 by inverting the whole matrix.
struct PlainRidge {
  Matrix V;
  Vector w;
  double log_det_V = 0;
  Vector m, s;
  double residual = 0;   ///< sum omega (r/omega - m)^2 over the rows with omega > 0
  double explained = 0;  ///< sum omega s
};

inline PlainRidge plain_ridge(const Matrix& X, const Vector& omega, const Vector& r, const Vector& a) {
  const LongMatrix Xl = X.cast<Long>();
  LongMatrix P = Xl.transpose() * omega.cast<Long>().asDiagonal() * Xl;
  P.diagonal() += a.cast<Long>();
  const Eigen::LDLT<LongMatrix> ldlt(P);
  const LongMatrix V = ldlt.solve(LongMatrix::Identity(P.rows(), P.cols()));
  const LongVector w = ldlt.solve(LongVector(Xl.transpose() * r.cast<Long>()));
  const LongVector m = Xl * w;
  PlainRidge out;
  out.V = V.cast<double>();
  out.w = w.cast<double>();
  out.log_det_V = static_cast<double>(-ldlt.vectorD().array().log().sum());
  out.m = m.cast<double>();
  out.s = (Xl * V).cwiseProduct(Xl).rowwise().sum().cast<double>();
  for (Index i = 0; i < X.rows(); ++i)
    if (omega[i] > 0) {
      const Long e = Long(r[i]) / Long(omega[i]) - m[i];
      out.residual += static_cast<double>(Long(omega[i]) * e * e);
    }
  out.explained = omega.dot(out.s);
  return out;
}

inline Long plain_softplus(Long x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
inline Long plain_sigmoid(Long x) { return 1 / (1 + std::exp(-x)); }
inline Long plain_lambda(Long xi) { return xi == 0 ? 0.125L : std::tanh(xi / 2) / (4 * xi); }

/// E f(u), u ~ N(m, s), by adaptive quadrature; f may bend sharply at 0.
template <typename Function>
double normal_expectation(double m, double s, Function&& f, double tolerance = 1e-13) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
  const double sd = std::sqrt(s);
  if (sd == 0) return f(m);
  const auto integrand = [&](double z) { return 0.39894228040143267794 * std::exp(-0.5 * z * z) * f(m + sd * z); };
  constexpr double end = 12;  // beyond 12 standard deviations lies less than 1e-32
  const double bend = -m / sd;
  if (bend <= -end || bend >= end) return Rule::integrate(integrand, -end, end, 12, tolerance);
  return Rule::integrate(integrand, -end, bend, 12, tolerance) + Rule::integrate(integrand, bend, end, 12, tolerance);
}

/// The integral of exp(log_density) over [low, high], as a logarithm; log_density is near `peak` at its highest.
template <typename Function>
double log_integral(double low, double high, double peak, Function&& log_density) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
  return peak + std::log(Rule::integrate([&](double x) { return std::exp(log_density(x) - peak); }, low, high, 15, 1e-12));
}

/// The column term of LIN.3, JJ.5 and VG.2 that holds at any E[alpha]: -ln Gamma(c0) + c0 ln d0 - d0 E - c_N ln d_N + ln Gamma(c_N) + c_N.
inline double plain_precision_term(const GammaDistribution& prior, Index size, double expected) {
  const double c_N = prior.shape + 0.5 * static_cast<double>(size), d_N = c_N / expected;
  return -std::lgamma(prior.shape) + prior.shape * std::log(prior.rate) - prior.rate * expected - c_N * std::log(d_N) + std::lgamma(c_N) +
         c_N;
}

/// max |x - y|, infinite if the sizes differ or either holds NaN.
template <typename A, typename B>
double distance(const Eigen::MatrixBase<A>& x, const Eigen::MatrixBase<B>& y) {
  if (x.rows() != y.rows() || x.cols() != y.cols()) return std::numeric_limits<double>::infinity();
  if (x.size() == 0) return 0;
  const double d = (x - y).cwiseAbs().maxCoeff();
  return (x - y).array().isFinite().all() ? d : std::numeric_limits<double>::infinity();
}

/// The largest |x - y| / (1 + |y|), likewise.
template <typename A, typename B>
double relative_distance(const Eigen::MatrixBase<A>& x, const Eigen::MatrixBase<B>& y) {
  if (x.rows() != y.rows() || x.cols() != y.cols()) return std::numeric_limits<double>::infinity();
  if (x.size() == 0) return 0;
  const Eigen::ArrayXXd d = (x - y).array().abs() / (1 + y.array().abs());
  return d.isFinite().all() ? d.maxCoeff() : std::numeric_limits<double>::infinity();
}
inline double relative_distance(double x, double y) {
  const double d = std::abs(x - y) / (1 + std::abs(y));
  return std::isfinite(d) ? d : std::numeric_limits<double>::infinity();
}

}  // namespace ardvark::testing
