#include "likelihood/intercept_row.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

#include "core/special.hpp"

namespace ardvark::internal {
namespace {

constexpr double ln_pi = 1.1447298858494001741;

// The root of a function that increases with ln c, or 1 if the root is not below c = 1. least: a value of c with a negative function value.
double narrowing_at_root(auto&& rises, double least) {
  const double at_one = rises(1.0);
  if (!(at_one > 0)) return 1;
  std::uintmax_t most_steps = 60;
  const auto of_log = [&](double log_c) { return rises(std::exp(log_c)); };
  const double below = of_log(std::log(least));
  if (!(below < 0)) return least;  // only through rounding
  const auto [low, high] = boost::math::tools::toms748_solve(of_log, std::log(least), 0.0, below, at_one,
                                                             boost::math::tools::eps_tolerance<double>(40), most_steps);
  return std::exp(0.5 * (low + high));
}

LogisticExpectation expected_at(double c, double m, double s) {
  const double variance = c * c * s;
  return variance <= little_variance ? expected_logistic_of_little_variance(c * m, variance) : expected_logistic(c * m, variance);
}

}  // namespace

InterceptRow intercept_row(double m, double s) {
  // Minus c d/dc of ln c - E ln(2 cosh(c b/2)). u tanh u with u = c b/2 is concave in u^2: if E u^2 = 1 its mean is at most .77.
  const auto rises = [&](double c) {
    const LogisticExpectation e = expected_at(c, m, s);
    return c * (m * (e.sigma - 0.5) + c * s * e.slope) - 1;
  };
  return intercept_row_of(narrowing_at_root(rises, 2 / std::sqrt(m * m + s)), m, s);
}

InterceptRow intercept_row_of(double c, double m, double s) {
  const LogisticExpectation e = expected_at(c, m, s);
  const double omega = c * c * e.slope;
  return {c, omega, omega * m + c * (0.5 - e.sigma), std::log(c) - ln_pi + 0.5 * c * m - e.softplus};
}

InterceptRow intercept_row_of_bound(double square) {
  constexpr double widest = 2 * 1.1996786402577339;  // x tanh x = 1
  const double size = std::sqrt(square), c = size > widest ? widest / size : 1, xi = c * size;
  return {c, c * c * 2 * jj_lambda(xi), 0, std::log(c) - ln_pi + log_sigmoid(xi) - 0.5 * xi};
}

InterceptScores intercept_scores(const Vector& f) {
  const auto C = static_cast<double>(f.size());
  const Vector centred = f.array() - f.mean();
  const auto softmax_of = [&](double c, double& log_sum) {
    const double largest = c * centred.maxCoeff();
    const Vector e = (c * centred.array() - largest).exp();
    log_sum = largest + std::log(e.sum());
    return Vector(e / e.sum());
  };
  InterceptScores out;
  double log_sum = 0;
  // Minus the derivative in ln c of (C - 1) ln c - C/2 ln sum e^(c f), with sum f = 0.
  const auto rises = [&](double c) { return 0.5 * C * c * softmax_of(c, log_sum).dot(centred) - (C - 1); };
  double least = 1;
  while (least > 1e-300 && rises(least) > 0) least *= 0.25;
  out.narrowing = narrowing_at_root(rises, least);
  out.probability = softmax_of(out.narrowing, log_sum);
  out.log_prior = log_gamma(0.5 * C) - 0.5 * C * ln_pi + 0.5 * std::log(C) + (C - 1) * std::log(out.narrowing) - 0.5 * C * log_sum;
  return out;
}

}  // namespace ardvark::internal
