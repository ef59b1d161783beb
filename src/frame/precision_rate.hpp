// The unit of the hyper-prior of precisions.
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// Where the noise does not scale the precisions, the default rate of their prior is in units of the variance of the target, even if the
/// target is not standardised. \param mean_square  of the target                                                              (LIN.8)
[[nodiscard]] inline FitOptions in_units_of_target(FitOptions options, double mean_square) {
  if (options.standardize || !options.preset.empty()) return options;
  const bool is_scaled = options.posterior == LinearPosterior::joint || options.precision_in_units_of_target;
  if (!is_scaled && options.precision.rate == FitOptions().precision.rate) options.precision.rate *= mean_square > 0 ? mean_square : 1;
  return options;
}

}  // namespace ardvark::internal
