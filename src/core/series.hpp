// What is left of a climb whose gains shrink like a geometric series.                                                 (OPT.1), (SP.24)
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ardvark::internal {

/// The sum of all terms after two successive ones, nats; 0 where the term is `least` or less, infinity where it is no smaller than the
/// last.
[[nodiscard]] inline double tail_of_series(double term, double last, double least) {
  if (!(term > least)) return 0;
  return term < last ? term * term / (last - term) : std::numeric_limits<double>::infinity();
}

/// The same of the gains of the last `window` steps together and of as many before them; 0 of a shorter history.
[[nodiscard]] inline double tail_of_sums(const std::vector<double>& history, std::size_t window, double least) {
  if (history.size() <= 2 * window) return 0;
  const auto before = [&](std::size_t steps) { return history[history.size() - 1 - steps]; };
  return tail_of_series(before(0) - before(window), before(window) - before(2 * window), least);
}

}  // namespace ardvark::internal
