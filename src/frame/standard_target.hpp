// A target of numbers in the units in which it is fitted.
#pragma once

#include <string>

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// The caller's target is center + scale * y.
struct StandardTarget {
  Vector y;  ///< [rows]
  double center = 0, scale = 1;
  bool is_constant = false;
  std::string warning;  ///< empty: none
};

/// \param y         [rows] finite
/// \param k         [rows] weights of the rows
/// \param stand_in  if the target stands in for another one: the numbers are differences from this one
/// \throws InvalidArgument  the squares of the target overflow or underflow
[[nodiscard]] StandardTarget standard_target(Vector y, const Vector& k, const FitOptions& options, double stand_in = 0);

}  // namespace ardvark::internal
