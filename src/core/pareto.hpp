// How heavy the tail of importance ratios is.                                                        docs/math/khat.md (KHAT.2)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

inline constexpr Index least_for_khat = 25;  ///< so many ratios have a tail of five

/// The shape k of the generalised Pareto distribution that fits the largest ratios best: below 0 they are bounded, below 1/2 their variance
/// is finite, from 1 on not even their mean is. Equal ratios: 0. NaN if one is not finite, infinity if no tail can be told from the rest.
/// \param log_ratios  [draws] least_for_khat of them at least
[[nodiscard]] double pareto_khat(const Vector& log_ratios);
/// min(1 - 1/log10(draws), 0.7): up to there so many draws tell the truth.                                                  (KHAT.3)
[[nodiscard]] double khat_threshold(Index num_draws);

}  // namespace ardvark::internal
