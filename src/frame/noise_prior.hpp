// The default prior of the noise of a regression.                                                       docs/math/linear.md (LIN.8)
#pragma once

#include "frame/frame.hpp"

namespace ardvark::internal {

/// What the default depends on: the sum of the weights, and the columns of the design without a prior and with one.
struct NoiseDegrees {
  double rows = 0;
  Index num_flat = 0, num_penalised = 0;
  /// Whether degrees of freedom are left for the residuals if no column has a prior.
  [[nodiscard]] bool show_noise() const { return rows - static_cast<double>(num_flat + num_penalised) >= 1; }
};

/// The default, with a rate in variances of the target.
[[nodiscard]] GammaDistribution default_noise_prior(const NoiseDegrees& degrees);

/// That of the options in the units of the design; a shape or rate of 0 is the default.
[[nodiscard]] GammaDistribution noise_prior(const Frame& frame, const NoiseDegrees& degrees);

/// The same of a target with this weighted mean square in the units of the design.
[[nodiscard]] GammaDistribution noise_prior(const FitOptions& options, double mean_square, const NoiseDegrees& degrees);

/// The weighted mean square of the target of the design; 1 if it is 0.
[[nodiscard]] double mean_square_of_target(const Frame& frame);

}  // namespace ardvark::internal
