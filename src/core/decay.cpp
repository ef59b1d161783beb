#include "core/decay.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace ardvark::internal {
namespace {

// exp(x) for -701 <= x <= 0 as 2^n exp(r), |r| <= ln(2)/2, with the series to r^13 (the next term is below 4e-18). n ln 2 is subtracted
// in two parts; the first is exact.
[[gnu::always_inline]] inline double exponential(double x) {
  constexpr double ln_2_high = 0x1.62e42feep-1, ln_2_low = 0x1.a39ef35793c76p-33, whole = 0x1.8p52;  // adding this rounds to an integer
  const double shifted = x * 1.4426950408889634074 + whole, n = shifted - whole;
  const double r = (x - n * ln_2_high) - n * ln_2_low;
  double sum = 1.0 / 6227020800;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  // The low bits of `shifted` hold n, which is added to the exponent of the sum.
  const auto bits = std::bit_cast<std::uint64_t>(sum) + (std::bit_cast<std::uint64_t>(shifted) << 52);
  return std::bit_cast<double>(bits);
}

// Three simple loops of a fixed length: compilers turn them into vector instructions.
constexpr Index block = 64;
[[gnu::always_inline]] inline void decay_block(double* u) {
  double e[block];
  for (Index i = 0; i < block; ++i) e[i] = u[i] < decay_end + 1 ? -u[i] : -decay_end - 1;
  for (Index i = 0; i < block; ++i) e[i] = exponential(e[i]);
  for (Index i = 0; i < block; ++i) u[i] = u[i] < decay_end ? e[i] : 0.0;
}

[[gnu::always_inline]] inline void decay_all(double* u, Index size) {
  Index i = 0;
  for (; i + block <= size; i += block) decay_block(u + i);
  if (i == size) return;
  double rest[block] = {};
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
