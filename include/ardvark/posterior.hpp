// The joint posterior of the weights of many columns: the covariance of some of them, and draws of all.     docs/math/sparse.md (SP.28)
#pragma once

#include <cstdint>
#include <vector>

#include "ardvark/fit.hpp"

namespace ardvark {

/// Rows and columns of Fit::covariance() [k, k], which is not made: O(k (n + k) p) time, O(k p) memory.
/// \param columns  [k] positions of columns; num_columns(): the intercept
/// \throws InvalidArgument  the fit kept no covariance factor, or has no such coefficient
[[nodiscard]] Matrix covariance_of(const Fit& fit, const std::vector<Index>& columns);

/// Draws from the posterior, in the units of Fit::mean.
struct WeightDraws {
  Matrix coef;             ///< [count, p]
  Vector intercept;        ///< [count]; empty without an intercept
  Vector noise_precision;  ///< [count] of a regression; else empty
};

/// Independent draws, in O(p (n + count)) memory. They have the mean and the covariance of the fit. Of an average over starts each is
/// from one of its parts. Columns that a wide fit does not follow have an effect with their inclusion probability.                 (SP.28)
/// \param seed  the same seed gives the same draws
/// \throws InvalidArgument  count < 1; the fit kept no covariance factor, or has no covariance
[[nodiscard]] WeightDraws draw_weights(const Fit& fit, Index count, std::uint64_t seed = 1);

}  // namespace ardvark
