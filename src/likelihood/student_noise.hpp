// Student-t noise as a function of sums over the rows.                                                docs/math/student_noise.md
#pragma once

#include <span>

#include "ardvark/prior.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// x = ln E tau, u = ln nu.                                                                                                       (TN.3)
struct NoiseParameters {
  double x = 0, u = 0;
};
inline constexpr double usual_log_degrees = 2.302585092994046;  ///< mean of the prior of ln nu

/// All that the row term needs of the rows, with d = (y - m)^2 + s.                                                        (TN.2), (TN.3)
struct NoiseSums {
  double logs = 0, q = 0, spread = 0;  ///< sums of k times ln(1 + tau d/nu), q, and q (1 - q)
};
[[nodiscard]] NoiseSums noise_sums(const Vector& d, const Vector& k, const NoiseParameters& at);
/// [rows] E lambda.                                                                                                              (TN.1)
[[nodiscard]] Vector noise_weights(const Vector& d, const NoiseParameters& at);

/// The row term with its derivatives.
struct NoiseCurve {
  double value = 0, x = 0, u = 0, xx = 0, xu = 0, uu = 0;
  /// -d^2/du^2 with x at its best.                                                                                               (TN.4)
  [[nodiscard]] double curvature() const;
};
/// \param n  sum of the weights  \param prior  of tau
[[nodiscard]] NoiseCurve noise_curve(const NoiseParameters& at, const NoiseSums& sums, double n, GammaDistribution prior);

/// The step that the derivatives promise most of, and the slope along it.                                                        (TN.3)
struct NoiseStep {
  double x = 0, u = 0, slope = 0;
};
/// \param holds_degrees  u stays
[[nodiscard]] NoiseStep noise_step(const NoiseParameters& at, const NoiseCurve& curve, bool holds_degrees);

/// c.                                                                                                                            (TN.6)
[[nodiscard]] double noise_share(const NoiseSums& sums, double n);

}  // namespace ardvark::internal
