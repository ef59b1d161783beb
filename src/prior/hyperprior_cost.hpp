// The cost of the hyper-prior of a precision.                                                                    docs/math/relevance.md
#pragma once

#include <cmath>

#include "core/special.hpp"

namespace ardvark::internal {

/// kappa (RVM.1), (CMP.1): what a Gamma hyper-prior of this shape adds to a bound if the precision is at the peak of the hyper-prior; in
/// nats, negative. The bound minus kappa is the log evidence at this value of the precision. \param half_freedom  half the degrees of
/// freedom that depend on the precision: 0.5 for one column; for the noise n/2, or (n - num_flat)/2
inline double hyperprior_cost(double shape, double half_freedom) {
  const double shape_N = shape + half_freedom;
  return -log_gamma(shape) + shape * std::log(shape) + half_freedom + log_gamma(shape_N) - shape_N * std::log(shape_N);
}

}  // namespace ardvark::internal
