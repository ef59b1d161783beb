#include "core/decay.hpp"

#include <algorithm>
#include <array>

#include "core/exponential.hpp"

namespace ardvark::internal {
namespace {

// Three simple loops of a fixed length: compilers turn them into vector instructions.
constexpr Index block_size = 64;
[[gnu::always_inline]] inline void decay_block(double* u) {
  double e[block_size];
  for (Index i = 0; i < block_size; ++i) e[i] = u[i] < decay_end + 1 ? -u[i] : -decay_end - 1;
  for (Index i = 0; i < block_size; ++i) e[i] = exponential(e[i]);
  for (Index i = 0; i < block_size; ++i) u[i] = u[i] < decay_end ? e[i] : 0.0;
}

[[gnu::always_inline]] inline void decay_all(double* u, Index size) {
  Index i = 0;
  for (; i + block_size <= size; i += block_size) decay_block(u + i);
  if (i == size) return;
  double rest[block_size] = {};
  std::copy(u + i, u + size, rest);
  decay_block(rest);
  std::copy(rest, rest + (size - i), u + i);
}

#define ARDVARK_DECAY(name, ...) \
  __VA_ARGS__ void decay_##name(double* u, Index size) { decay_all(u, size); }
ARDVARK_FOR_SIMD(ARDVARK_DECAY)

}  // namespace

std::span<const DecayVersion> decay_versions() {
#define ARDVARK_DECAY_VERSION(name, ...) DecayVersion{simd::Level::name, decay_##name},
  static const std::array versions = {ARDVARK_FOR_SIMD(ARDVARK_DECAY_VERSION)};
  return versions;
}

void decay(double* u, Index size) {
  static const DecayVersion& best = simd::best(decay_versions());
  best.run(u, size);
}

}  // namespace ardvark::internal
