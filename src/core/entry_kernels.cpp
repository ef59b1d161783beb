#include "core/entry_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/eight.hpp"

namespace ardvark::internal {
namespace {

constexpr Index entries_in_single = 4096;  // in two sums: the error of a sum is at most 2048 roundings of single precision

template <typename Real>
using EightOf = std::conditional_t<std::is_same_v<Real, float>, EightSingle, Eight>;

// Two sums, so that an entry does not wait for the one before.
template <typename Real>
[[gnu::always_inline]] inline void entry_sums(const auto* row, const auto* value, Index count, const Real* r, double* out) {
  Eight all = {};
  for (Index first = 0; first < count; first += entries_in_single) {
    const Index end = std::min(count, first + entries_in_single);
    EightOf<Real> one = {}, two = {}, at;
    Index e = first;
    for (; e + 2 <= end; e += 2) {
      std::memcpy(&at, r + lanes * row[e], sizeof at);
      one += static_cast<Real>(value[e]) * at;
      std::memcpy(&at, r + lanes * row[e + 1], sizeof at);
      two += static_cast<Real>(value[e + 1]) * at;
    }
    if (e < end) {
      std::memcpy(&at, r + lanes * row[e], sizeof at);
      one += static_cast<Real>(value[e]) * at;
    }
    all += __builtin_convertvector(one + two, Eight);
  }
  store(all, out);
}

#define ARDVARK_ENTRY_SUMS(suffix, ...)                                                                           \
  template <typename Row, typename T, typename Real>                                                              \
  __VA_ARGS__ void entry_sums_##suffix(const Row* row, const T* value, Index count, const Real* r, double* out) { \
    entry_sums(row, value, count, r, out);                                                                        \
  }

ARDVARK_FOR_SIMD(ARDVARK_ENTRY_SUMS)

}  // namespace

template <typename Row, TableScalar T, typename Real>
std::span<const EntryKernel<Row, T, Real>> entry_kernels() {
#define ARDVARK_ENTRY_KERNEL_OF(name, ...) EntryKernel<Row, T, Real>{simd::Level::name, entry_sums_##name<Row, T, Real>},
  static const std::array kernels = {ARDVARK_FOR_SIMD(ARDVARK_ENTRY_KERNEL_OF)};
  return kernels;
}

template <typename Row, TableScalar T, typename Real>
const EntryKernel<Row, T, Real>& entry_kernel() {
  static const EntryKernel<Row, T, Real>& best = simd::best(entry_kernels<Row, T, Real>());
  return best;
}

#define ARDVARK_ENTRY_KERNELS_FOR(Row, T, Real)                        \
  template std::span<const EntryKernel<Row, T, Real>> entry_kernels(); \
  template const EntryKernel<Row, T, Real>& entry_kernel();
#define ARDVARK_ENTRY_KERNELS_OF(T)                  \
  ARDVARK_ENTRY_KERNELS_FOR(std::int32_t, T, double) \
  ARDVARK_ENTRY_KERNELS_FOR(std::int32_t, T, float)  \
  ARDVARK_ENTRY_KERNELS_FOR(std::int64_t, T, double) \
  ARDVARK_ENTRY_KERNELS_FOR(std::int64_t, T, float)
ARDVARK_ENTRY_KERNELS_OF(double)
ARDVARK_ENTRY_KERNELS_OF(float)
ARDVARK_ENTRY_KERNELS_OF(std::int8_t)

}  // namespace ardvark::internal
