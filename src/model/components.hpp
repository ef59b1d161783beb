// The posterior under a sparse prior is a mixture of these normal distributions.                                                 (SP.8)
#pragma once

#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

struct NormalComponent {
  double weight = 1;  ///< in (0, 1]; they sum to 1
  Vector mean;        ///< [p] or [p+1] coefficients in the user's units, the intercept last
  Matrix covariance;  ///< likewise
};
/// Needs a fit that kept its covariance; empty under other priors.
[[nodiscard]] std::vector<NormalComponent> components_of(const Fit& fit);

}  // namespace ardvark::internal
