// exp(-u) for whole arrays: most of the work of a distance kernel.
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

/// From here on decay() returns 0; exp(-u) is 1e-304 there. A denormal number would make every later product with K a hundred times slower.
inline constexpr double decay_end = 700;

/// u <- exp(-u) for u >= 0, with a relative error up to 1.5 x 2^-53; 0 from decay_end on. The result does not depend on the place in the
/// array.
void decay(double* u, Index size);

/// The same code compiled for several instruction sets, the fastest first; decay() uses the first that simd::level() allows.
struct DecayVersion {
  simd::Level level;
  void (*run)(double* u, Index size);
};
[[nodiscard]] std::span<const DecayVersion> decay_versions();

}  // namespace ardvark::internal
