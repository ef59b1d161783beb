// The sums over eigenvalues that a sweep of one shared precision needs: the work of fits of many targets.     docs/math/targets.md (TGT.2)
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

/// With d_i = 1/(l_i + a).
struct EigenvalueSums {
  double log_sum = 0;   ///< sum of ln(l_i + a)
  double inverse = 0;   ///< sum of d_i
  double square = 0;    ///< sum of energy_i d_i^2
  double weighted = 0;  ///< sum of l_i energy_i d_i^2
};

/// \param l, energy  [size]; each l_i + a is a positive normal number
[[nodiscard]] EigenvalueSums eigenvalue_sums(const double* l, const double* energy, double a, Index size);

/// The same code compiled for several instruction sets, the fastest first; eigenvalue_sums() uses the first that simd::level() allows.
struct EigenvalueSumsVersion {
  simd::Level level;
  EigenvalueSums (*run)(const double* l, const double* energy, double a, Index size);
};
[[nodiscard]] std::span<const EigenvalueSumsVersion> eigenvalue_sums_versions();

}  // namespace ardvark::internal
