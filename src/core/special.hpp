// Scalar functions of the formulas, also correct for 0 and for 1e308.
#pragma once

#include <array>
#include <cmath>

namespace ardvark::internal {

inline constexpr double ln_2pi = 1.8378770664093454836;
inline constexpr double ln_2 = 0.69314718055994530942;

/// ln(1 + e^x)
inline double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

/// ln sigma(x)
inline double log_sigmoid(double x) { return -softplus(-x); }

inline double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

/// q = sigma(x) and q ln q + (1 - q) ln(1 - q), with one exponential and one logarithm.
struct Indicator {
  double probability, negative_entropy;
};
inline Indicator indicator(double log_odds) {
  const double size = std::abs(log_odds), e = std::exp(-size), larger = 1 / (1 + e), rarer = e * larger;
  return {log_odds >= 0 ? larger : rarer, -std::log1p(e) - (rarer > 0 ? size * rarer : 0)};
}

/// lambda(xi) = tanh(xi/2) / (4 xi), lambda(0) = 1/8   (JJ.2). Below 1e-3 the series, whose next term is 17 xi^6/161280 < 2e-22.
inline double jj_lambda(double xi) {
  const double x = std::abs(xi);
  if (x < 1e-3) return 0.125 - x * x / 96 + x * x * x * x / 960;
  return std::tanh(0.5 * x) / (4 * x);
}

/// ln Gamma(x), x > 0, thread-safe.
double log_gamma(double x);

/// Phi(z), the normal distribution function, with full relative accuracy in the lower tail.
inline double normal_cdf(double z) { return 0.5 * std::erfc(-z * 0.70710678118654752440); }
/// phi(z), the normal density.
inline double normal_pdf(double z) { return 0.39894228040143267794 * std::exp(-0.5 * z * z); }

/// d ln Gamma(x) / dx, x > 0.
double digamma(double x);
/// The half-width factor of a central interval: Student's t with `degrees_of_freedom` (infinity: normal), level in (0, 1).
double student_t_quantile(double degrees_of_freedom, double level);
/// x with P(t > x) = tail, tail in (0, 1/2].
double student_t_end(double degrees_of_freedom, double tail);
/// P(x > t), t >= 0, of Student's t with `degrees_of_freedom` (infinity: normal).
double student_t_tail(double degrees_of_freedom, double t);
/// Variance of a Student-t of scale 1; infinite for at most two degrees of freedom.
double student_t_variance(double degrees_of_freedom);
/// Quantile of Gamma(shape, rate), probability in (0, 1).
double gamma_quantile(double shape, double rate, double probability);

/// Expectations of the logistic function under x ~ N(m, s), by the eight-component normal mixture of Monahan & Stefanski (1989).
struct LogisticExpectation {
  double sigma;     ///< E sigma(x)               absolute error <= 2.2e-9   (PRED.2)
  double slope;     ///< E sigma'(x)              absolute error <= 1.4e-8   (VG.1)
  double softplus;  ///< E ln(1 + e^x)            absolute error <= 8.2e-9   (VG.2)
};
/// Monahan & Stefanski (1989), k = 8: sigma(x) = sum_k weight_k Phi(scale_k x), error <= 2e-9. (PRED.2)
inline constexpr std::array<double, 8> logistic_weight = {.003246343272134, .051517477033972, .195077912673858, .315569823632818,
                                                          .274149576158423, .131076880695470, .027912418727972, .001449567805354};
inline constexpr std::array<double, 8> logistic_scale = {1.365340806296348, 1.059523971016916, .830791313765644, .650732166639391,
                                                         .508135425366489,  .396313345166341,  .308904252267995, .238212616409306};
/// Only E sigma(x), for many means m and one variance s. (PRED.2)
class ExpectedSigmoid {
 public:
  explicit ExpectedSigmoid(double s);
  double operator()(double m) const;

 private:
  std::array<double, 8> slope_;
};
inline double expected_sigmoid(double m, double s) { return ExpectedSigmoid(s)(m); }
/// ln E sigma(x), also if E sigma is smaller than the absolute error of the mixture: the result is never below Jensen's lower bound
/// E ln sigma(x).
double log_expected_sigmoid(double m, double s);
/// All three. s >= 0.
LogisticExpectation expected_logistic(double m, double s);
/// The same for s <= little_variance in a sixteenth of the time; absolute errors <= 3e-9.                                        (VG.6)
LogisticExpectation expected_logistic_of_little_variance(double m, double s);
inline constexpr double little_variance = 5e-3;

}  // namespace ardvark::internal
