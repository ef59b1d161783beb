// Functions of the negative binomial distribution.                                               docs/math/negative_binomial.md
#pragma once

#include <vector>

#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

/// sum over i < y of ln(1 + i k), and its derivative in ln k. y >= 0, k > 0.                                                     (NB.1)
struct LogRising {
  double value, slope;
};
[[nodiscard]] LogRising log_rising(double y, double k);

/// usual: errors below 1e-12. few: below 1e-6.
enum class Nodes { usual, few };
/// Expectations under z ~ N(m, s) of ln(1 + e^z), sigma(z), sigma'(z); errors of them, or of 1, as the nodes say.                (NB.2)
struct SoftplusMoments {
  double softplus, sigma, slope;
};
[[nodiscard]] SoftplusMoments softplus_moments(double m, double s, Nodes nodes = Nodes::usual);

/// A function of ln k, with its first two derivatives.
struct AtDispersion {
  double value = 0, slope = 0, curve = 0;
};
/// ln of the prior density of ln k.                                                                                             (NB.4)
[[nodiscard]] AtDispersion prior_of_dispersion(double log_k);
inline constexpr double least_log_dispersion = -18.420680743952367, most_log_dispersion = 13.815510557964274;  // ln 1e-8, ln 1e6

struct CountRows {
  const Vector &y, &k, &offset, &m, &s;  ///< [rows] counts, weights, offsets; mean and variance of x'w
};
/// The expected log likelihood of rows at a given k, without the prior of k.                                           (NB.2), (PASS.11)
/// \param rows    gets omega and r                                                                                             (NB.3)
/// \param others  other values of ln k  \param values  [others] get the expected log likelihood at them
[[nodiscard]] AtDispersion negative_binomial_rows(const CountRows& in, double log_k, Rows& rows, const std::vector<double>& others,
                                                  double* values);

/// ln of the probability of y at the log mean eta. k > 0                                                                         (NB.1)
[[nodiscard]] double negative_binomial_log_probability(double y, double eta, double k);

}  // namespace ardvark::internal
