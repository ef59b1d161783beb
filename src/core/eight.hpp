// Eight numbers in one vector. The compiler maps it to the registers that the surrounding function may use.
#pragma once

#include <cstdint>
#include <cstring>

#include "ardvark/types.hpp"

namespace ardvark::internal {

constexpr Index lanes = 8;
typedef double Eight __attribute__((vector_size(lanes * sizeof(double))));
typedef std::int64_t EightBits __attribute__((vector_size(lanes * sizeof(std::int64_t))));

typedef float EightSingle __attribute__((vector_size(lanes * sizeof(float))));

[[gnu::always_inline]] inline void load(const double* from, Eight& to) { std::memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void store(const Eight& from, double* to) { std::memcpy(to, &from, sizeof from); }
[[gnu::always_inline]] inline void load(const float* from, Eight& to) {
  EightSingle single;
  std::memcpy(&single, from, sizeof single);
  to = __builtin_convertvector(single, Eight);
}
[[gnu::always_inline]] inline void store(const Eight& from, float* to) {
  const EightSingle single = __builtin_convertvector(from, EightSingle);
  std::memcpy(to, &single, sizeof single);
}
typedef std::int8_t EightBytes __attribute__((vector_size(lanes)));
typedef std::int32_t EightInts __attribute__((vector_size(lanes * sizeof(std::int32_t))));
[[gnu::always_inline]] inline void load(const std::int8_t* from, Eight& to) {
  EightBytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  to = __builtin_convertvector(__builtin_convertvector(bytes, EightInts), Eight);
}
[[gnu::always_inline]] inline double total(const Eight& x) {
  double sum = 0;
  for (Index l = 0; l < lanes; ++l) sum += x[l];
  return sum;
}

/// e^x for x <= 0, relative error 2e-16; 0 below -700. Series to the thirteenth power around multiples of ln 2.
[[gnu::always_inline]] inline void exp_of(const Eight& x, Eight& out) {
  constexpr double to_whole = 0x1.8p52, log2_e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  constexpr double over_factorial[] = {
      1,          1,           1 / 2.0,      1 / 6.0,       1 / 24.0,       1 / 120.0,       1 / 720.0,
      1 / 5040.0, 1 / 40320.0, 1 / 362880.0, 1 / 3628800.0, 1 / 39916800.0, 1 / 479001600.0, 1 / 6227020800.0};
  const EightBits in_range = x > -700.0;
  const Eight clamped = in_range ? x : Eight{};
  const Eight shifted = clamped * log2_e + to_whole, whole = shifted - to_whole;
  const Eight rest = (clamped - whole * ln2_high) - whole * ln2_low;
  Eight sum = {};
#pragma GCC unroll 14
  for (int k = 13; k >= 0; --k) sum = sum * rest + over_factorial[k];
  EightBits power;
  std::memcpy(&power, &shifted, sizeof power);
  power = (power + 1023) << 52;
  Eight scale;
  std::memcpy(&scale, &power, sizeof scale);
  out = in_range ? sum * scale : Eight{};
}

/// x^(-1/2) for 0 < x < 1e300, relative error 4e-16: four Newton steps from a first value made from the exponent.
[[gnu::always_inline]] inline void inverse_root_of(const Eight& x, Eight& out) {
  EightBits bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = 0x5fe6eb50c7b537a9 - (bits >> 1);
  std::memcpy(&out, &bits, sizeof out);
#pragma GCC unroll 4
  for (int step = 0; step < 4; ++step) out = out * (1.5 - 0.5 * x * out * out);
}

}  // namespace ardvark::internal
