// What depends on the precision of a target alone, for many targets.                                   docs/math/targets.md (TGT.13)
#pragma once

#include <map>
#include <mutex>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// sum_i S_ji / (l_i + a) of all rows j for any a: by interpolation in ln a, to rounding. What is between two nodes of e^2 is computed
/// when a target first needs it, the same way whatever other targets there are. Several threads may ask.
class OverPrecisions {
 public:
  /// \param S  [rows,r] >= 0. \param l  [r] >= 0
  OverPrecisions(Matrix S, Vector l) : S_(std::move(S)), l_(std::move(l)) {}
  /// [rows] \param a  >= 0; 0 only if all l > 0
  [[nodiscard]] Vector at(double a) const;

 private:
  [[nodiscard]] Matrix values(const Vector& precisions) const;
  const Matrix& cell(int number) const;

  Matrix S_;
  Vector l_;
  mutable std::mutex mutex_;
  mutable std::map<int, Matrix> cells_;  // [rows,nodes]; addresses of a map stay
};

}  // namespace ardvark::internal
