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

[[gnu::always_inline]] inline double sum_of(const Eight& lane) {
  double sum = 0;
  for (Index l = 0; l < lanes; ++l) sum += lane[l];
  return sum;
}

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
  return {sum_of(zu), sum_of(zDz)};
}

[[gnu::always_inline]] inline PairProducts products_of_pair(const double* y, const double* z, const double* u, const double* D,
                                                            Index size) {
  Eight yu = {}, zu = {}, yDy = {}, zDz = {}, yDz = {}, yi, zi, ui, Di;
  Index i = 0;
  for (; i + lanes <= size; i += lanes) {
    load(y + i, yi);
    load(z + i, zi);
    load(u + i, ui);
    load(D + i, Di);
    yu += yi * ui;
    zu += zi * ui;
    const Eight Dz = Di * zi;
    yDy += Di * yi * yi;
    zDz += Dz * zi;
    yDz += Dz * yi;
  }
  for (; i < size; ++i) {
    const Index l = i % lanes;
    yu[l] += y[i] * u[i];
    zu[l] += z[i] * u[i];
    yDy[l] += D[i] * y[i] * y[i];
    zDz[l] += D[i] * z[i] * z[i];
    yDz[l] += D[i] * z[i] * y[i];
  }
  return {{sum_of(yu), sum_of(yDy)}, {sum_of(zu), sum_of(zDz)}, sum_of(yDz)};
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

[[gnu::always_inline]] inline void move_by_pair(const double* y, const double* z, const double* D, Index size, const double* changes,
                                                const double* variances, double* u, double* g) {
  Eight yi, zi, ui, Di, gi;
  const double c0 = changes[0], c1 = changes[1], v0 = variances[0], v1 = variances[1];
  Index i = 0;
  for (; i + lanes <= size; i += lanes) {
    load(y + i, yi);
    load(z + i, zi);
    load(u + i, ui);
    load(D + i, Di);
    ui -= Di * (c0 * yi + c1 * zi);
    store(ui, u + i);
    if (v0 == 0 && v1 == 0) continue;
    load(g + i, gi);
    gi += v0 * yi * yi + v1 * zi * zi;
    store(gi, g + i);
  }
  for (; i < size; ++i) {
    u[i] -= D[i] * (c0 * y[i] + c1 * z[i]);
    g[i] += v0 * y[i] * y[i] + v1 * z[i] * z[i];
  }
}

// The same four for one instruction set.
#define ARDVARK_COLUMN_KERNELS(suffix, ...)                                                                                            \
  __VA_ARGS__ ColumnProducts products_##suffix(const double* z, const double* u, const double* D, Index size) {                        \
    return products(z, u, D, size);                                                                                                    \
  }                                                                                                                                    \
  __VA_ARGS__ void move_##suffix(const double* z, const double* D, Index size, double change, double variance, double* u, double* g) { \
    move(z, D, size, change, variance, u, g);                                                                                          \
  }                                                                                                                                    \
  __VA_ARGS__ PairProducts pair_##suffix(const double* y, const double* z, const double* u, const double* D, Index size) {             \
    return products_of_pair(y, z, u, D, size);                                                                                         \
  }                                                                                                                                    \
  __VA_ARGS__ void move_pair_##suffix(const double* y, const double* z, const double* D, Index size, const double* changes,            \
                                      const double* variances, double* u, double* g) {                                                 \
    move_by_pair(y, z, D, size, changes, variances, u, g);                                                                             \
  }

#if defined(__x86_64__)
ARDVARK_COLUMN_KERNELS(avx512, [[gnu::target("avx512f,avx512dq,fma")]])
ARDVARK_COLUMN_KERNELS(avx2, [[gnu::target("avx2,fma")]])
#endif
ARDVARK_COLUMN_KERNELS(plain)

}  // namespace

std::span<const ColumnKernels> column_kernels() {
  static const std::array kernels = {
#if defined(__x86_64__)
    ColumnKernels{"avx512", __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"), products_avx512, move_avx512,
                  pair_avx512, move_pair_avx512},
    ColumnKernels{"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), products_avx2, move_avx2, pair_avx2,
                  move_pair_avx2},
#endif
    ColumnKernels{"plain", true, products_plain, move_plain, pair_plain, move_pair_plain}
  };
  return kernels;
}

const ColumnKernels& column_kernel() {
  static const ColumnKernels& fastest = *std::ranges::find_if(column_kernels(), &ColumnKernels::available);
  return fastest;
}

}  // namespace ardvark
