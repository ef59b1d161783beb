// The exact posterior of a regression with one precision for all weights, by a sum over the precision.  docs/math/linear.md (LIN.9)
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// What the rows say of the weights, in the basis in which their Gram matrix is diagonal.
struct SpectralSums {
  Vector l, z;                       ///< [r] squared singular values, > 0, and the target along the left singular vectors
  double rest = 0;                   ///< squared length of the target beside them
  double shape = 0, noise_rate = 0;  ///< a_N, b_0
  GammaDistribution precision;       ///< prior of the precision
};

/// Squared scales of Student-t distributions of 2 a_N degrees of freedom.
struct PrecisionAverage {
  double noise = 0;    ///< of the noise; 0: it cannot be computed
  Vector mean, given;  ///< [r] mean of the weights, and their squared scale given the precision
  Matrix moves;        ///< [r, K] moves * moves' is the covariance of the means given the precision
  double unknown = 0;  ///< of a weight that no row determines; matches the mixture's 95% interval
};

/// \param needs_unknown  whether `unknown` is computed
[[nodiscard]] PrecisionAverage average_over_precision(const SpectralSums& sums, bool needs_unknown);

}  // namespace ardvark::internal
