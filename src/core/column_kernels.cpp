#include "core/column_kernels.hpp"

#include <algorithm>
#include <array>

#include "core/eight.hpp"

namespace ardvark {
namespace {

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

// Two columns against four at a time. Where there are no four the last stands in for the others, and what it makes is not kept.
[[gnu::always_inline]] inline void joint_products(const double* const* z, Index count, const double* u, const double* D, Index size,
                                                  double* A, double* c) {
  constexpr Index few = 2, some = 4;
  const Index last = count - 1;
  for (Index j = 0; j < count; j += few)
    for (Index l = 0; l <= std::min(j + 1, last); l += some) {
      const double *zj[few], *zl[some];
      for (Index a = 0; a < few; ++a) zj[a] = z[std::min(j + a, last)];
      for (Index b = 0; b < some; ++b) zl[b] = z[std::min(l + b, last)];
      Eight sum[few][some] = {}, Di, zi, Dz[few];
      Index i = 0;
      for (; i + lanes <= size; i += lanes) {
        load(D + i, Di);
        for (Index a = 0; a < few; ++a) {
          load(zj[a] + i, zi);
          Dz[a] = Di * zi;
        }
        for (Index b = 0; b < some; ++b) {
          load(zl[b] + i, zi);
          for (Index a = 0; a < few; ++a) sum[a][b] += Dz[a] * zi;
        }
      }
      for (; i < size; ++i)
        for (Index a = 0; a < few; ++a)
          for (Index b = 0; b < some; ++b) sum[a][b][i % lanes] += D[i] * zj[a][i] * zl[b][i];
      for (Index a = 0; a < few && j + a < count; ++a)
        for (Index b = 0; b < some && l + b <= j + a; ++b) A[(j + a) * count + l + b] = A[(l + b) * count + j + a] = total(sum[a][b]);
    }
  for (Index j = 0; j < count; ++j) {
    Eight sum = {}, zi, ui;
    Index i = 0;
    for (; i + lanes <= size; i += lanes) {
      load(z[j] + i, zi);
      load(u + i, ui);
      sum += zi * ui;
    }
    for (; i < size; ++i) sum[i % lanes] += z[j][i] * u[i];
    c[j] = total(sum);
  }
}

[[gnu::always_inline]] inline void joint_move(const double* const* z, Index count, const double* D, Index size, const double* change,
                                              const double* C, double* u, double* g) {
  Index i = 0;
  for (; i + lanes <= size; i += lanes) {
    Eight du = {}, dg = {}, zj, zl, Di;
    for (Index j = 0; j < count; ++j) {
      load(z[j] + i, zj);
      du += change[j] * zj;
      const double* row = C + j;
      Eight across = 0.5 * row[j * count] * zj;
      for (Index l = 0; l < j; ++l) {
        load(z[l] + i, zl);
        across += row[l * count] * zl;
      }
      dg += across * zj;
    }
    load(u + i, zj);
    load(D + i, Di);
    store(zj - Di * du, u + i);
    load(g + i, zj);
    store(zj + 2 * dg, g + i);
  }
  for (; i < size; ++i) {
    double du = 0, dg = 0;
    for (Index j = 0; j < count; ++j) {
      du += change[j] * z[j][i];
      double across = 0.5 * C[j * count + j] * z[j][i];
      for (Index l = 0; l < j; ++l) across += C[l * count + j] * z[l][i];
      dg += across * z[j][i];
    }
    u[i] -= D[i] * du;
    g[i] += 2 * dg;
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
[[gnu::target("avx512f,avx512dq,fma")]] void joint_products_avx512(const double* const* z, Index count, const double* u, const double* D,
                                                                   Index size, double* A, double* c) {
  joint_products(z, count, u, D, size, A, c);
}
[[gnu::target("avx512f,avx512dq,fma")]] void joint_move_avx512(const double* const* z, Index count, const double* D, Index size,
                                                               const double* change, const double* C, double* u, double* g) {
  joint_move(z, count, D, size, change, C, u, g);
}
[[gnu::target("avx2,fma")]] ColumnProducts products_avx2(const double* z, const double* u, const double* D, Index size) {
  return products(z, u, D, size);
}
[[gnu::target("avx2,fma")]] void move_avx2(const double* z, const double* D, Index size, double change, double variance, double* u,
                                           double* g) {
  move(z, D, size, change, variance, u, g);
}
[[gnu::target("avx2,fma")]] void joint_products_avx2(const double* const* z, Index count, const double* u, const double* D, Index size,
                                                     double* A, double* c) {
  joint_products(z, count, u, D, size, A, c);
}
[[gnu::target("avx2,fma")]] void joint_move_avx2(const double* const* z, Index count, const double* D, Index size, const double* change,
                                                 const double* C, double* u, double* g) {
  joint_move(z, count, D, size, change, C, u, g);
}
#endif
ColumnProducts products_plain(const double* z, const double* u, const double* D, Index size) { return products(z, u, D, size); }
void move_plain(const double* z, const double* D, Index size, double change, double variance, double* u, double* g) {
  move(z, D, size, change, variance, u, g);
}
void joint_products_plain(const double* const* z, Index count, const double* u, const double* D, Index size, double* A, double* c) {
  joint_products(z, count, u, D, size, A, c);
}
void joint_move_plain(const double* const* z, Index count, const double* D, Index size, const double* change, const double* C, double* u,
                      double* g) {
  joint_move(z, count, D, size, change, C, u, g);
}

}  // namespace

std::span<const ColumnKernels> column_kernels() {
  static const std::array kernels = {
#if defined(__x86_64__)
    ColumnKernels{"avx512", __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"), products_avx512, move_avx512,
                  joint_products_avx512, joint_move_avx512},
    ColumnKernels{"avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), products_avx2, move_avx2, joint_products_avx2,
                  joint_move_avx2},
#endif
    ColumnKernels{"plain", true, products_plain, move_plain, joint_products_plain, joint_move_plain}
  };
  return kernels;
}

const ColumnKernels& column_kernel() {
  static const ColumnKernels& fastest = *std::ranges::find_if(column_kernels(), &ColumnKernels::available);
  return fastest;
}

}  // namespace ardvark
