#include "core/genotype_kernels.hpp"

#include <array>

namespace ardvark::internal {
namespace {

constexpr Index in_byte = 4;
typedef double FourCopies __attribute__((vector_size(in_byte * sizeof(double))));
typedef float FourCopiesSingle __attribute__((vector_size(in_byte * sizeof(float))));

// The numbers of the four samples of each byte.
struct CopiesOfBytes {
  alignas(64) double of[256][in_byte];
};

constexpr CopiesOfBytes table_of(double two, double one) {
  CopiesOfBytes out{};
  for (int byte = 0; byte < 256; ++byte)
    for (int i = 0; i < in_byte; ++i) {
      const int code = byte >> (2 * i) & 3;
      out.of[byte][i] = code == 0 ? two : code == 2 ? one : 0;
    }
  return out;
}

constexpr CopiesOfBytes copies = table_of(2, 1), squares_of_copies = table_of(4, 1);

[[gnu::always_inline]] inline void load_copies(const double* from, FourCopies& to) { std::memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void store_copies(const FourCopies& from, double* to) { std::memcpy(to, &from, sizeof from); }
[[gnu::always_inline]] inline void store_copies(const FourCopies& from, float* to) {
  const FourCopiesSingle single = __builtin_convertvector(from, FourCopiesSingle);
  std::memcpy(to, &single, sizeof single);
}

// Several bytes at once, so that a sum does not wait for the one before.
template <int Count, int Groups>
[[gnu::always_inline]] inline void sum_products(const CopiesOfBytes& table, const std::uint8_t* line, Index size, const double* const* r,
                                                double* out) {
  FourCopies sum[Groups][Count] = {}, x, ri;
  Index i = 0;
  for (; i + Groups * in_byte <= size; i += Groups * in_byte)
#pragma GCC unroll 4
    for (int g = 0; g < Groups; ++g) {
      load_copies(table.of[line[i / in_byte + g]], x);
#pragma GCC unroll 4
      for (int k = 0; k < Count; ++k) {
        load_copies(r[k] + i + g * in_byte, ri);
        sum[g][k] += x * ri;
      }
    }
#pragma GCC unroll 4
  for (int k = 0; k < Count; ++k) {
    FourCopies all = sum[0][k];
#pragma GCC unroll 4
    for (int g = 1; g < Groups; ++g) all += sum[g][k];
    out[k] = (all[0] + all[1]) + (all[2] + all[3]);
  }
  for (; i < size; ++i)
    for (int k = 0; k < Count; ++k) out[k] += table.of[line[i / in_byte]][i % in_byte] * r[k][i];
}

[[gnu::always_inline]] inline void dots_with(const CopiesOfBytes& table, const std::uint8_t* line, Index size, const double* const* r,
                                             Index count, double* out) {
  switch (count) {
    case 1: return sum_products<1, 4>(table, line, size, r, out);
    case 2: return sum_products<2, 4>(table, line, size, r, out);
    case 3: return sum_products<3, 2>(table, line, size, r, out);
    default: return sum_products<4, 2>(table, line, size, r, out);
  }
}

template <int Count>
[[gnu::always_inline]] inline void add_lines(const std::uint8_t* const* lines, Index size, const double* factor, double* out) {
  FourCopies x, sum;
  Index i = 0;
  for (; i + in_byte <= size; i += in_byte) {
    load_copies(out + i, sum);
#pragma GCC unroll 4
    for (int k = 0; k < Count; ++k) {
      load_copies(copies.of[lines[k][i / in_byte]], x);
      sum += factor[k] * x;
    }
    store_copies(sum, out + i);
  }
  for (; i < size; ++i)
    for (int k = 0; k < Count; ++k) out[i] += factor[k] * copies.of[lines[k][i / in_byte]][i % in_byte];
}

[[gnu::always_inline]] inline void combine_lines(const std::uint8_t* const* lines, Index size, const double* factor, Index count,
                                                 double* out) {
  switch (count) {
    case 1: return add_lines<1>(lines, size, factor, out);
    case 2: return add_lines<2>(lines, size, factor, out);
    case 3: return add_lines<3>(lines, size, factor, out);
    default: return add_lines<4>(lines, size, factor, out);
  }
}

[[gnu::always_inline]] inline void write_out(const std::uint8_t* line, Index size, double sign, double shift, double unit, auto* out) {
  FourCopies x;
  Index i = 0;
  for (; i + in_byte <= size; i += in_byte) {
    load_copies(copies.of[line[i / in_byte]], x);
    store_copies((sign * x + shift) * unit, out + i);
  }
  for (; i < size; ++i)
    out[i] = static_cast<std::remove_cvref_t<decltype(*out)>>((sign * copies.of[line[i / in_byte]][i % in_byte] + shift) * unit);
}

[[gnu::always_inline]] inline void add_counts(std::uint64_t codes, std::uint64_t of, GenotypeCounts& counts) {
  const std::uint64_t low = codes & of, high = codes >> 1 & of;
  counts.missing += std::popcount(low & ~high);
  counts.one += std::popcount(high & ~low);
  counts.none += std::popcount(high & low);
}

// 32 samples at a time. Their order does not matter.
[[gnu::always_inline]] inline GenotypeCounts count_codes(const std::uint8_t* line, Index size) {
  constexpr std::uint64_t low = 0x5555555555555555U;
  GenotypeCounts counts;
  Index i = 0;
  for (; i + 32 <= size; i += 32) {
    std::uint64_t codes;
    std::memcpy(&codes, line + i / in_byte, sizeof codes);
    add_counts(codes, low, counts);
  }
  for (; i < size; ++i) add_counts(line[i / in_byte] >> (2 * (i % in_byte)) & 3U, 1, counts);
  counts.two = size - counts.one - counts.none - counts.missing;
  return counts;
}

// All of them for one instruction set.
#define ARDVARK_GENOTYPE_KERNELS(suffix, ...)                                                                                             \
  __VA_ARGS__ void genotype_dots_##suffix(const std::uint8_t* line, Index size, const double* const* r, Index count, double* out) {       \
    dots_with(copies, line, size, r, count, out);                                                                                         \
  }                                                                                                                                       \
  __VA_ARGS__ void genotype_squares_##suffix(const std::uint8_t* line, Index size, const double* const* r, Index count, double* out) {    \
    dots_with(squares_of_copies, line, size, r, count, out);                                                                              \
  }                                                                                                                                       \
  __VA_ARGS__ void genotype_combine_##suffix(const std::uint8_t* const* lines, Index size, const double* factor, Index count,             \
                                             double* out) {                                                                               \
    combine_lines(lines, size, factor, count, out);                                                                                       \
  }                                                                                                                                       \
  __VA_ARGS__ void genotype_to_double_##suffix(const std::uint8_t* line, Index size, double sign, double shift, double unit,              \
                                               double* out) {                                                                             \
    write_out(line, size, sign, shift, unit, out);                                                                                        \
  }                                                                                                                                       \
  __VA_ARGS__ void genotype_to_float_##suffix(const std::uint8_t* line, Index size, double sign, double shift, double unit, float* out) { \
    write_out(line, size, sign, shift, unit, out);                                                                                        \
  }                                                                                                                                       \
  __VA_ARGS__ GenotypeCounts genotype_counts_##suffix(const std::uint8_t* line, Index size) { return count_codes(line, size); }

ARDVARK_FOR_SIMD(ARDVARK_GENOTYPE_KERNELS)

}  // namespace

std::span<const GenotypeKernels> genotype_kernels() {
#define ARDVARK_GENOTYPE_KERNELS_OF(name, ...)                                                                           \
  GenotypeKernels{simd::Level::name,         genotype_dots_##name,     genotype_squares_##name, genotype_combine_##name, \
                  genotype_to_double_##name, genotype_to_float_##name, genotype_counts_##name},
  static const std::array kernels = {ARDVARK_FOR_SIMD(ARDVARK_GENOTYPE_KERNELS_OF)};
  return kernels;
}

const GenotypeKernels& genotype_kernel() {
  static const GenotypeKernels& best = simd::best(genotype_kernels());
  return best;
}

}  // namespace ardvark::internal
