// Moments of the logistic function under normal distributions, for whole arrays. docs/math/logistic_gaussian.md
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"
#include "core/special.hpp"

namespace ardvark::internal {

/// expected_logistic() of each row, to about 1e-14 of its parts, in a tenth of the time.
struct LogisticMoments {
  Vector sigma, slope, softplus;  ///< [n]
  void of(const Eigen::Ref<const Vector>& m, const Eigen::Ref<const Vector>& s);
  [[nodiscard]] LogisticExpectation row(Index i) const { return {sigma[i], slope[i], softplus[i]}; }
};

/// Adds one term of the mixture to blocks of rows.
struct LogisticTerm {
  static constexpr Index block = 64;
  double weight, scale;
  const double *a, *r;               ///< [block] -|m|, and the root of 1 + scale^2 s
  double *sigma, *slope, *softplus;  ///< [block]
};
struct LogisticMomentsVersion {
  simd::Level level;
  void (*add)(const LogisticTerm& term);
};
[[nodiscard]] std::span<const LogisticMomentsVersion> logistic_moments_versions();

}  // namespace ardvark::internal
