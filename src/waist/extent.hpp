// How far the log odds of rows go: whether their classes are certain.                                  docs/math/sparse.md (SL.1)
#pragma once

#include <algorithm>

namespace ardvark::internal {

/// How far the log odds of rows go.
struct Extent {
  static constexpr double certain = 200;  ///< m^2 + s of a row whose class is certain
  double farthest = 0;                    ///< the largest m^2 + s of a row
  double vaguest = 0;                     ///< the largest s / (m^2 + s) of a row whose class is certain

  void add(double m, double s) {
    const double far = m * m + s;
    farthest = std::max(farthest, far);
    if (far > certain) vaguest = std::max(vaguest, s / far);
  }
  void merge(const Extent& right) {
    farthest = std::max(farthest, right.farthest);
    vaguest = std::max(vaguest, right.vaguest);
  }
};

}  // namespace ardvark::internal
