#include "core/column_kernels.hpp"

#include <algorithm>
#include <array>

namespace ardvark {
namespace {

constexpr Index lanes = 8;

[[gnu::always_inline]] inline ColumnProducts products(const double* z, const double* u, const double* D, Index size) {
  double zu[lanes] = {}, zDz[lanes] = {};
  Index i = 0;
  for (; i + lanes <= size; i += lanes)
    for (Index l = 0; l < lanes; ++l) {
      zu[l] += z[i + l] * u[i + l];
      zDz[l] += D[i + l] * z[i + l] * z[i + l];
    }
  for (; i < size; ++i) {
    zu[i % lanes] += z[i] * u[i];
    zDz[i % lanes] += D[i] * z[i] * z[i];
  }
  ColumnProducts sum;
  for (Index l = 0; l < lanes; ++l) {
    sum.with_residual += zu[l];
    sum.square += zDz[l];
  }
  return sum;
}

[[gnu::always_inline]] inline void move(const double* __restrict z, const double* __restrict D, Index size, double change, double variance,
                                        double* __restrict u, double* __restrict g) {
  for (Index i = 0; i < size; ++i) u[i] -= change * D[i] * z[i];
  if (variance == 0) return;
  for (Index i = 0; i < size; ++i) g[i] += variance * z[i] * z[i];
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq,fma")]] ColumnProducts products_avx512(const double* z, const double* u, const double* D, Index size) {
  return products(z, u, D, size);
}
[[gnu::target("avx512f,avx512dq,fma")]] void move_avx512(const double* z, const double* D, Index size, double change, double variance,
                                                         double* u, double* g) {
  move(z, D, size, change, variance, u, g);
}
[[gnu::target("avx2,fma")]] ColumnProducts products_avx2(const double* z, const double* u, const double* D, Index size) {
  return products(z, u, D, size);
}
[[gnu::target("avx2,fma")]] void move_avx2(const double* z, const double* D, Index size, double change, double variance, double* u,
                                           double* g) {
  move(z, D, size, change, variance, u, g);
}
#endif
ColumnProducts products_plain(const double* z, const double* u, const double* D, Index size) { return products(z, u, D, size); }
void move_plain(const double* z, const double* D, Index size, double change, double variance, double* u, double* g) {
  move(z, D, size, change, variance, u, g);
}

}  // namespace

std::span<const ColumnKernels> column_kernels() {
  static const std::array kernels = {
#if defined(__x86_64__)
    ColumnKernels{"avx512", __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"), products_avx512, move_avx512},
    ColumnKernels{"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), products_avx2, move_avx2},
#endif
    ColumnKernels{"plain", true, products_plain, move_plain}
  };
  return kernels;
}

const ColumnKernels& column_kernel() {
  static const ColumnKernels& fastest = *std::ranges::find_if(column_kernels(), &ColumnKernels::available);
  return fastest;
}

}  // namespace ardvark
