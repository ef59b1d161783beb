// exp(-u) for whole arrays: what a distance kernel spends its time on.
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

/// From here on decay() returns 0, where exp(-u) = 1e-304: a denormal number would slow every later product with K a hundredfold.
inline constexpr double decay_end = 700;

/// u <- exp(-u) for u >= 0, within 1.5 units of 2^-53 of it; 0 from decay_end on. The same bits wherever in the array a number stands.
void decay(double* u, Index size);

/// One body compiled for several instruction sets, the best first; decay() takes the first that simd::level() allows.
struct DecayVersion {
  simd::Level level;
  void (*run)(double* u, Index size);
};
[[nodiscard]] std::span<const DecayVersion> decay_versions();

}  // namespace ardvark::internal
