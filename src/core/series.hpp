// The remaining gain of an ascent whose gains shrink like a geometric series.                                                 (OPT.1),
// (SP.24)
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ardvark::internal {

/// The sum of all terms after two successive ones (`last`, then `term`), in nats; 0 if `term` is `least` or less, infinity if it is not
/// smaller than `last`.
[[nodiscard]] inline double tail_of_series(double term, double last, double least) {
  if (!(term > least)) return 0;
  return term < last ? term * term / (last - term) : std::numeric_limits<double>::infinity();
}

/// The same for two sums of gains: those of the last `window` steps, and those of as many steps before; 0 if the history is shorter.
[[nodiscard]] inline double tail_of_sums(const std::vector<double>& history, std::size_t window, double least) {
  if (history.size() <= 2 * window) return 0;
  const auto before = [&](std::size_t steps) { return history[history.size() - 1 - steps]; };
  return tail_of_series(before(0) - before(window), before(window) - before(2 * window), least);
}

}  // namespace ardvark::internal
