// What the hyper-prior of a precision costs.                                                                     docs/math/relevance.md
#pragma once

#include <cmath>

#include "core/special.hpp"

namespace ardvark::internal {

/// ln of what a Gamma hyper-prior of this shape costs at its best, for a precision that so many degrees of freedom depend on: what a bound
/// would gain if the precision stood at its value instead. 0.5 for one column, n/2 for the noise.                         (RVM.1), (CMP.1)
inline double hyperprior_cost(double shape, double half_freedom) {
  const double shape_N = shape + half_freedom;
  return -log_gamma(shape) + shape * std::log(shape) + half_freedom + log_gamma(shape_N) - shape_N * std::log(shape_N);
}

}  // namespace ardvark::internal
