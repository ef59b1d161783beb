// Functions of the negative binomial distribution.                                               docs/math/negative_binomial.md
#pragma once

namespace ardvark::internal {

/// sum over i < y of ln(1 + i k), and its derivative in ln k. y >= 0, k > 0.                                                     (NB.1)
struct LogRising {
  double value, slope;
};
[[nodiscard]] LogRising log_rising(double y, double k);

/// Expectations under z ~ N(m, s) of ln(1 + e^z), sigma(z), sigma'(z); errors below 1e-12 of them, or of 1.                      (NB.2)
struct SoftplusMoments {
  double softplus, sigma, slope;
};
[[nodiscard]] SoftplusMoments softplus_moments(double m, double s);

/// ln of the probability of y at the log mean eta. k > 0                                                                         (NB.1)
[[nodiscard]] double negative_binomial_log_probability(double y, double eta, double k);

}  // namespace ardvark::internal
