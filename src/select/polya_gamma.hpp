// Draws of the distribution of Polya and Gamma, the weights under which two classes become a regression.     docs/math/effects.md (FDR.6)
#pragma once

#include "core/normals.hpp"

namespace ardvark::internal {

/// A draw of PG(shape, tilt).
/// \param shape  > 0. Exact for whole numbers below 50; above, a normal with the moments of the distribution; of a share of one, the sum of
///               the first terms of its series
[[nodiscard]] double polya_gamma(double shape, double tilt, Normals& draw);

/// Mean and variance of PG(1, tilt); those of PG(shape, tilt) are shape times as large.
struct PolyaGammaMoments {
  double mean, variance;
};
[[nodiscard]] PolyaGammaMoments polya_gamma_moments(double tilt);

/// A draw of the gamma distribution with rate 1. \param shape  > 0
[[nodiscard]] double gamma_variate(double shape, Normals& draw);

}  // namespace ardvark::internal
