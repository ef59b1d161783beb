#include "support/plain.hpp"

#include <Eigen/Cholesky>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <limits>

namespace ardvark::testing {

PlainRidge plain_ridge(const Matrix& X, const Vector& omega, const Vector& r, const Vector& a) {
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

double normal_expectation(double m, double s, const std::function<double(double)>& f, double tolerance) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
  const double sd = std::sqrt(s);
  if (sd == 0) return f(m);
  const auto integrand = [&](double z) { return 0.39894228040143267794 * std::exp(-0.5 * z * z) * f(m + sd * z); };
  constexpr double end = 12;  // beyond 12 standard deviations lies less than 1e-32
  const double bend = -m / sd;
  if (bend <= -end || bend >= end) return Rule::integrate(integrand, -end, end, 12, tolerance);
  return Rule::integrate(integrand, -end, bend, 12, tolerance) + Rule::integrate(integrand, bend, end, 12, tolerance);
}

double log_integral(double low, double high, double peak, const std::function<double(double)>& log_density) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
  return peak + std::log(Rule::integrate([&](double x) { return std::exp(log_density(x) - peak); }, low, high, 15, 1e-12));
}

double plain_precision_term(const GammaDistribution& prior, Index size, double expected) {
  const double c_N = prior.shape + 0.5 * static_cast<double>(size), d_N = c_N / expected;
  return -std::lgamma(prior.shape) + prior.shape * std::log(prior.rate) - prior.rate * expected - c_N * std::log(d_N) + std::lgamma(c_N) +
         c_N;
}

double distance(const AnyMatrix& x, const AnyMatrix& y) {
  if (x.rows() != y.rows() || x.cols() != y.cols()) return std::numeric_limits<double>::infinity();
  if (x.size() == 0) return 0;
  const double d = (x - y).cwiseAbs().maxCoeff();
  return (x - y).array().isFinite().all() ? d : std::numeric_limits<double>::infinity();
}

double relative_distance(const AnyMatrix& x, const AnyMatrix& y) {
  if (x.rows() != y.rows() || x.cols() != y.cols()) return std::numeric_limits<double>::infinity();
  if (x.size() == 0) return 0;
  const Eigen::ArrayXXd d = (x - y).array().abs() / (1 + y.array().abs());
  return d.isFinite().all() ? d.maxCoeff() : std::numeric_limits<double>::infinity();
}

double relative_distance(double x, double y) {
  const double d = std::abs(x - y) / (1 + std::abs(y));
  return std::isfinite(d) ? d : std::numeric_limits<double>::infinity();
}

}  // namespace ardvark::testing
