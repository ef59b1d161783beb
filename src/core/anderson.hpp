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
  void forget() {
    pairs_ = 0;
    begin();
  }
  /// The next point begins another iteration of about the same slope: the differences so far are used for it.
  void begin() { continues_ = false; }
  [[nodiscard]] bool has_differences() const { return pairs_ > 0; }

 private:
  Index memory_, pairs_ = 0;
  bool continues_ = false;
  Matrix dF_, dG_;  // differences of residuals and of G, one column each, newest overwriting oldest
  Vector last_F_, last_G_, weighted_;
  Matrix normal_;
  Vector right_, gamma_;
};

}  // namespace ardvark::internal
