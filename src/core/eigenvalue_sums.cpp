#include "core/eigenvalue_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ardvark::internal {
namespace {
namespace eigenvalues {

// Four numbers in one vector, and two of them at once, so that a sum does not wait for the one before.
constexpr Index width = 4, lanes = 2 * width;
constexpr Index longest = lanes * 256;  // so many mantissas, each below 2, have a product that is a number
typedef double Four __attribute__((vector_size(width * sizeof(double))));
typedef std::uint64_t FourBits __attribute__((vector_size(width * sizeof(std::uint64_t))));
constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1, one = std::uint64_t{1023} << 52;
constexpr double ln_2 = 0.69314718055994530942;

// The logarithms: mantissas are multiplied, exponents added.
struct Lanes {
  Four product = {1, 1, 1, 1}, inverse = {}, square = {}, weighted = {};
  FourBits exponent = {};

  [[gnu::always_inline]] void add(const double* from_l, const double* from_energy, double a) {
    Four l, energy;
    std::memcpy(&l, from_l, sizeof l);
    std::memcpy(&energy, from_energy, sizeof energy);
    const Four sum = l + a, d = 1 / sum, of_square = energy * d * d;
    FourBits bits;
    std::memcpy(&bits, &sum, sizeof bits);
    exponent += bits >> 52;
    bits = (bits & fraction) | one;
    Four mantissa;
    std::memcpy(&mantissa, &bits, sizeof mantissa);
    product *= mantissa;
    inverse += d;
    square += of_square;
    weighted += of_square * l;
  }
};

[[gnu::always_inline]] inline double total(const Four& x, const Four& y) {
  const Four sum = x + y;
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

[[gnu::always_inline]] inline EigenvalueSums sums_of(const double* l, const double* energy, double a, Index size) {
  EigenvalueSums out;
  for (Index first = 0; first < size; first += longest) {
    const Index last = std::min(first + longest, size);
    Lanes even, odd;
    Index i = first;
    for (; i + lanes <= last; i += lanes) {
      even.add(l + i, energy + i, a);
      odd.add(l + i + width, energy + i + width, a);
    }
    double product = 1;
    std::uint64_t exponent = 0;
    for (const Lanes& some : {even, odd})
      for (Index k = 0; k < width; ++k) {
        int shift = 0;
        product *= std::frexp(some.product[k], &shift);
        exponent += some.exponent[k] + static_cast<std::uint64_t>(shift);
      }
    out.log_sum += std::log(product) + ln_2 * (static_cast<double>(exponent) - 1023 * static_cast<double>(i - first));
    out.inverse += total(even.inverse, odd.inverse);
    out.square += total(even.square, odd.square);
    out.weighted += total(even.weighted, odd.weighted);
    for (; i < last; ++i) {
      const double d = 1 / (l[i] + a), of_square = energy[i] * d * d;
      out.log_sum += std::log(l[i] + a);
      out.inverse += d;
      out.square += of_square;
      out.weighted += of_square * l[i];
    }
  }
  return out;
}

}  // namespace eigenvalues

#define ARDVARK_EIGENVALUE_SUMS(name, ...)                                                                         \
  __VA_ARGS__ EigenvalueSums eigenvalue_sums_##name(const double* l, const double* energy, double a, Index size) { \
    return eigenvalues::sums_of(l, energy, a, size);                                                               \
  }
ARDVARK_FOR_SIMD(ARDVARK_EIGENVALUE_SUMS)

}  // namespace

std::span<const EigenvalueSumsVersion> eigenvalue_sums_versions() {
#define ARDVARK_EIGENVALUE_SUMS_VERSION(name, ...) EigenvalueSumsVersion{simd::Level::name, eigenvalue_sums_##name},
  static const std::array versions = {ARDVARK_FOR_SIMD(ARDVARK_EIGENVALUE_SUMS_VERSION)};
  return versions;
}

EigenvalueSums eigenvalue_sums(const double* l, const double* energy, double a, Index size) {
  static const EigenvalueSumsVersion& best = simd::best(eigenvalue_sums_versions());
  return best.run(l, energy, a, size);
}

}  // namespace ardvark::internal
