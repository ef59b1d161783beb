// The weights of columns that a wide fit does not follow.                                         docs/math/sparse.md (SP.26), (SP.28)
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// [columns of the design] Variances of independent effects, in the units of the design's V; 0 for all other columns. Empty: there are
/// none.
[[nodiscard]] Vector variances_beside(const Fit& fit);

}  // namespace ardvark::internal
