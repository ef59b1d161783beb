// Numbers that lie close together beside their size: what doubles can still tell of their differences.                            (LIN.7)
#pragma once

#include <cmath>
#include <limits>

namespace ardvark::internal {

/// The spread of numbers around their mean, in units of the rounding of a number of that size: how many different values it covers.
[[nodiscard]] inline double steps_of(double spread, double mean) {
  const double step = std::numeric_limits<double>::epsilon() * std::abs(mean);
  return step > 0 ? spread / step : spread > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

/// A spread of a few roundings is none: a constant that was computed has as much.
[[nodiscard]] inline bool is_spread(double spread, double mean) { return steps_of(spread, mean) > 4; }

/// Fewer than four digits are left of the differences.
[[nodiscard]] inline bool has_few_digits(double spread, double mean) { return is_spread(spread, mean) && steps_of(spread, mean) < 1e4; }

/// A center so far from zero, in units of the scale, that products with the numbers as they stand would leave fewer than ten digits of
/// their differences: such a column is read apart, each number less the center.
[[nodiscard]] inline bool is_read_by_differences(double center, double scale) { return std::abs(center) * scale > 1e6; }

}  // namespace ardvark::internal
