#include "core/special.hpp"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <limits>

namespace ardvark::internal {
namespace {

// If the result overflows, it is infinity, not an exception.
using Quiet = boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                            boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
                                            boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;

}  // namespace

double log_gamma(double x) { return boost::math::lgamma(x, Quiet()); }

double digamma(double x) { return boost::math::digamma(x, Quiet()); }

double student_t_quantile(double degrees_of_freedom, double level) {
  // Uses the lower tail, which a double can represent for every level below 1.
  return student_t_end(degrees_of_freedom, 0.5 * (1 - level));
}

double student_t_end(double degrees_of_freedom, double tail) {
  if (!(degrees_of_freedom > 1e-5)) return std::numeric_limits<double>::infinity();  // beyond the doubles for every level in use
  if (!(degrees_of_freedom < 1e15)) return -boost::math::quantile(boost::math::normal_distribution<double, Quiet>(), tail);
  return -boost::math::quantile(boost::math::students_t_distribution<double, Quiet>(degrees_of_freedom), tail);
}

double student_t_tail(double degrees_of_freedom, double t) {
  if (!(degrees_of_freedom < 1e15)) return normal_cdf(-t);
  // In doubles: long doubles take eight times as long, and change the result by 2e-13 of it.
  using InDoubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::cdf(boost::math::complement(boost::math::students_t_distribution<double, InDoubles>(degrees_of_freedom), t));
}

double student_t_variance(double degrees_of_freedom) {
  if (std::isinf(degrees_of_freedom)) return 1;
  return degrees_of_freedom > 2 ? degrees_of_freedom / (degrees_of_freedom - 2) : std::numeric_limits<double>::infinity();
}

double gamma_quantile(double shape, double rate, double probability) {
  return boost::math::quantile(boost::math::gamma_distribution<double, Quiet>(shape, 1.0), probability) / rate;
}

ExpectedSigmoid::ExpectedSigmoid(double s) {
  for (std::size_t k = 0; k < 8; ++k) slope_[k] = logistic_scale[k] / std::sqrt(1 + logistic_scale[k] * logistic_scale[k] * s);
}

double ExpectedSigmoid::operator()(double m) const {
  // Uses symmetry: computes in the lower half, where the sum keeps its digits and exceeds 1/2 only by rounding.
  double low = 0;
  for (std::size_t k = 0; k < 8; ++k) low += logistic_weight[k] * normal_cdf(-slope_[k] * std::abs(m));
  low = std::min(low, 0.5);
  return m > 0 ? 1 - low : low;
}

double log_expected_sigmoid(double m, double s) {
  const LogisticExpectation e = expected_logistic(-m, s);
  return std::max(std::log(expected_sigmoid(m, s)), -e.softplus);
}

// Taylor's series in s, whose next terms are below 3e-9. With p = sigma(m), q = 1 - p, v = p q the derivatives of p
// are v, v (1 - 2p), v (1 - 6v), v (1 - 2p)(1 - 12v), v (1 - 30v + 120v^2).                                                    (VG.6)
LogisticExpectation expected_logistic_of_little_variance(double m, double s) {
  const double e = std::exp(-std::abs(m)), larger = 1 / (1 + e), rarer = e * larger, v = larger * rarer;
  const double asymmetry = m > 0 ? rarer - larger : larger - rarer;  // 1 - 2p
  const double third = v * (1 - 6 * v), fifth = v * (1 + v * (-30 + 120 * v)), half = s / 2, eighth = s * s / 8;
  LogisticExpectation out{};
  out.sigma = (m > 0 ? larger : rarer) + asymmetry * (half * v + eighth * v * (1 - 12 * v));
  out.slope = v + half * third + eighth * fifth;
  out.softplus = std::max(m, 0.0) + std::log1p(e) + half * v + eighth * third + s * s * s / 48 * fifth;
  return out;
}

LogisticExpectation expected_logistic(double m, double s) {
  // Uses symmetry: computes the tails where Phi is small, so that 1 - E sigma keeps its digits: softplus(x) = x + softplus(-x).
  const double a = -std::abs(m);
  LogisticExpectation e{0, 0, 0};
  for (std::size_t k = 0; k < 8; ++k) {
    const double r = std::sqrt(1 + logistic_scale[k] * logistic_scale[k] * s), z = logistic_scale[k] * a / r;
    const double cdf = normal_cdf(z), pdf = normal_pdf(z);
    e.sigma += logistic_weight[k] * cdf;
    e.slope += logistic_weight[k] * (logistic_scale[k] / r) * pdf;
    e.softplus += logistic_weight[k] * (a * cdf + (r / logistic_scale[k]) * pdf);
  }
  if (m > 0) {
    e.sigma = 1 - e.sigma;
    e.softplus += m;
  }
  return e;
}

}  // namespace ardvark::internal
