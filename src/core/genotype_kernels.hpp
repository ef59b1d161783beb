// The inner loops over the genotypes of one variant, 2 bits each, with vector instructions if the processor has them. All of them compute
// in double precision.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

/// How often each pair of bits occurs. The counts of a variant are those of its allele 1.
struct GenotypeCounts {
  Index two = 0, one = 0, none = 0, missing = 0;
};

/// In all of them, a sample has x = 2, 1 or 0 copies of allele 1, and 0 if its genotype is missing.                              (GENO.1)
struct GenotypeKernels {
  simd::Level level;
  /// The most lines or vectors of one call.
  static constexpr Index most = 4;
  /// out_k <- sum_i x_i r_ki for `count` vectors r_k, 1 to `most`
  void (*dots)(const std::uint8_t* line, Index size, const double* const* r, Index count, double* out);
  /// The same with x_i^2.
  void (*square_dots)(const std::uint8_t* line, Index size, const double* const* r, Index count, double* out);
  /// out_i += sum_k factor_k x_ki for `count` lines, 1 to `most`
  void (*combine)(const std::uint8_t* const* lines, Index size, const double* factor, Index count, double* out);
  /// out_i <- (sign x_i + shift) unit
  void (*to_double)(const std::uint8_t* line, Index size, double sign, double shift, double unit, double* out);
  void (*to_float)(const std::uint8_t* line, Index size, double sign, double shift, double unit, float* out);
  GenotypeCounts (*counts)(const std::uint8_t* line, Index size);
};
/// Fastest first; the last runs on every processor.
[[nodiscard]] std::span<const GenotypeKernels> genotype_kernels();
/// The fastest that simd::level() allows.
[[nodiscard]] const GenotypeKernels& genotype_kernel();

/// Calls use(i) for each missing genotype of a line.
void for_missing(const std::uint8_t* line, Index size, auto&& use) {
  constexpr std::uint64_t low = 0x5555555555555555U;
  for (Index first = 0; first < size; first += 32) {
    const Index count = std::min<Index>(32, size - first);
    std::uint64_t codes = 0;
    for (Index b = 0; count < 32 && b < (count + 3) / 4; ++b) codes |= std::uint64_t{line[first / 4 + b]} << (8 * b);
    if (count == 32) {
      std::memcpy(&codes, line + first / 4, sizeof codes);
      if constexpr (std::endian::native == std::endian::big) codes = __builtin_bswap64(codes);
    }
    std::uint64_t missing = codes & ~(codes >> 1) & low;
    if (count < 32) missing &= (std::uint64_t{1} << (2 * count)) - 1;
    for (; missing != 0; missing &= missing - 1) use(first + std::countr_zero(missing) / 2);
  }
}

}  // namespace ardvark::internal
