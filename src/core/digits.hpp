// Numbers whose differences are small compared with their size: how many digits of the differences doubles keep.                  (LIN.7)
#pragma once

#include <cmath>
#include <limits>

namespace ardvark::internal {

/// The spread of numbers around their mean, in units of the rounding error of the mean: how many different values the spread covers.
[[nodiscard]] inline double steps_of(double spread, double mean) {
  const double step = std::numeric_limits<double>::epsilon() * std::abs(mean);
  return step > 0 ? spread / step : spread > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

/// A spread of a few rounding errors counts as none: a constant that was computed can have it.
[[nodiscard]] inline bool is_spread(double spread, double mean) { return steps_of(spread, mean) > 4; }

/// Fewer than four digits are left of the differences.
[[nodiscard]] inline bool has_few_digits(double spread, double mean) { return is_spread(spread, mean) && steps_of(spread, mean) < 1e4; }

/// Whether the center is so far from zero, compared with the spread 1/scale, that products with the plain numbers would keep fewer than ten
/// digits of their differences. For such a column the center is subtracted from each number first.
[[nodiscard]] inline bool is_read_by_differences(double center, double scale) { return std::abs(center) * scale > 1e6; }

}  // namespace ardvark::internal
