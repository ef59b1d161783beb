// exp(x) in simple operations, which compilers turn into vector instructions in loops of a fixed length.
#pragma once

#include <bit>
#include <cstdint>

namespace ardvark::internal {

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

}  // namespace ardvark::internal
