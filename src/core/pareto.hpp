// How heavy is the tail of the importance ratios?                                                     docs/math/khat.md (KHAT.2)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

inline constexpr Index least_for_khat = 25;  ///< with so many ratios, the tail has five

/// The shape k of the generalised Pareto distribution that fits the largest ratios best. If k < 0 the ratios are bounded, if k < 1/2 their
/// variance is finite, if k >= 1 even their mean is infinite. Equal ratios give 0. NaN if a log ratio is not finite, infinity if the tail
/// cannot be separated from the rest.
/// \param log_ratios  [draws] at least least_for_khat
[[nodiscard]] double pareto_khat(const Vector& log_ratios);
/// min(1 - 1/log10(draws), 0.7): below this, results from so many draws are reliable. (KHAT.3)
[[nodiscard]] double khat_threshold(Index num_draws);

}  // namespace ardvark::internal
