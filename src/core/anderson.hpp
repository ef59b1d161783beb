// Anderson extrapolation of a fixed-point iteration x <- G(x), with a fixed memory.                     docs/math/optimum.md (OPT.7)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

class Anderson {
 public:
  Anderson(Index size, Index memory);
  /// The next point from x and G(x): the combination of the remembered steps that makes the residual G(x) - x smallest.
  /// Residuals are measured with these weights, >= 0.
  void extrapolate(const Vector& x, const Vector& Gx, const Vector& weight, Vector& next);
  void forget() { count_ = 0; }

 private:
  Index memory_, count_ = 0;
  Matrix dF_, dG_;  // differences of residuals and of G, one column each, newest overwriting oldest
  Vector last_F_, last_G_, weighted_;
  Matrix normal_;
  Vector right_, gamma_;
};

}  // namespace ardvark::internal
