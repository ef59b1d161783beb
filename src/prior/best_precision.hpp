// The best precision of one column with everything else fixed.                                                 docs/math/optimum.md (OPT.3)
#pragma once

namespace ardvark::internal {

/// The a > 0 that maximises 1/2 ln a - 1/2 ln(a + s) + 1/2 Q/(a + s) + c0 ln a - d0 a, Q = tau q^2; c0, d0 > 0. Returns
/// `otherwise` if no root is found because of rounding.
[[nodiscard]] double best_precision(double s, double Q, double c0, double d0, double otherwise);

}  // namespace ardvark::internal
