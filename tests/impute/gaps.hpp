// What the tests of gaps share.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "ardvark/table.hpp"

namespace ardvark::testing {

inline constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// Columns x1, x2, ... of numbers.
inline FeatureEncoding numbers(Index p) {
  std::vector<std::string> names;
  for (Index j = 0; j < p; ++j) names.push_back("x" + std::to_string(j + 1));
  return FeatureEncoding::of_numbers(names);
}

}  // namespace ardvark::testing
