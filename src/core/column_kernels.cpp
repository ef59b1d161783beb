#include "core/column_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace ardvark {
namespace {

// Eight numbers side by side, which the compiler turns into whatever registers there are.
constexpr Index lanes = 8;
typedef double Eight __attribute__((vector_size(lanes * sizeof(double))));
[[gnu::always_inline]] inline void load(const double* from, Eight& to) { std::memcpy(&to, from, sizeof to); }
[[gnu::always_inline]] inline void store(const Eight& from, double* to) { std::memcpy(to, &from, sizeof from); }

[[gnu::always_inline]] inline ColumnProducts products(const double* z, const double* u, const double* D, Index size) {
  Eight zu = {}, zDz = {}, zi, ui, Di;
  Index i = 0;
  for (; i + lanes <= size; i += lanes) {
    load(z + i, zi);
    load(u + i, ui);
    load(D + i, Di);
    zu += zi * ui;
    zDz += Di * zi * zi;
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

[[gnu::always_inline]] inline void move(const double* z, const double* D, Index size, double change, double variance, double* u,
                                        double* g) {
  Eight zi, ui, Di, gi;
  Index i = 0;
  for (; i + lanes <= size; i += lanes) {
    load(z + i, zi);
    load(u + i, ui);
    load(D + i, Di);
    ui -= change * Di * zi;
    store(ui, u + i);
    if (variance == 0) continue;
    load(g + i, gi);
    gi += variance * zi * zi;
    store(gi, g + i);
  }
  for (; i < size; ++i) {
    u[i] -= change * D[i] * z[i];
    g[i] += variance * z[i] * z[i];
  }
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
