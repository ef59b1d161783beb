#include "core/column_kernels.hpp"

#include <algorithm>
#include <array>

#include "core/eight.hpp"

namespace ardvark::internal {
namespace {

// Loads eight rows. The last eight may overlap those before: then the first `skip` rows were already counted and are loaded as zeros.
[[gnu::always_inline]] inline void load_counted(const double* from, Index skip, Eight& to) {
  load(from, to);
  if (skip == 0) return;
  constexpr EightBits lane = {0, 1, 2, 3, 4, 5, 6, 7};
  to = lane < skip ? Eight{} : to;
}

// use(i, skip) for each group of eight rows; size >= 8.
[[gnu::always_inline]] inline void for_eights(Index size, auto&& use) {
  Index i = 0;
  for (; i + lanes <= size; i += lanes) use(i, Index{0});
  if (i < size) use(size - lanes, i - (size - lanes));
}

[[gnu::always_inline]] inline ColumnProducts products(const double* z, const double* u, const double* D, Index size) {
  ColumnProducts out;
  if (size < lanes) {
    for (Index i = 0; i < size; ++i) {
      out.with_residual += z[i] * u[i];
      out.square += D[i] * z[i] * z[i];
    }
    return out;
  }
  Eight zu = {}, zDz = {}, zi, ui, Di;
  for_eights(
      size, [&](Index i, Index skip) __attribute__((always_inline)) {
        load_counted(z + i, skip, zi);
        load(u + i, ui);
        load(D + i, Di);
        zu += zi * ui;
        zDz += Di * zi * zi;
      });
  return {total(zu), total(zDz)};
}

[[gnu::always_inline]] inline PairProducts products_of_pair(const double* y, const double* z, const double* u, const double* D,
                                                            Index size) {
  PairProducts out;
  if (size < lanes) {
    out.first = products(y, u, D, size);
    out.second = products(z, u, D, size);
    for (Index i = 0; i < size; ++i) out.across += D[i] * z[i] * y[i];
    return out;
  }
  Eight yu = {}, zu = {}, yDy = {}, zDz = {}, yDz = {}, yi, zi, ui, Di;
  for_eights(
      size, [&](Index i, Index skip) __attribute__((always_inline)) {
        load_counted(y + i, skip, yi);
        load_counted(z + i, skip, zi);
        load(u + i, ui);
        load(D + i, Di);
        yu += yi * ui;
        zu += zi * ui;
        const Eight Dz = Di * zi;
        yDy += Di * yi * yi;
        zDz += Dz * zi;
        yDz += Dz * yi;
      });
  return {{total(yu), total(yDy)}, {total(zu), total(zDz)}, total(yDz)};
}

[[gnu::always_inline]] inline void move(const double* z, const double* D, Index size, double change, double variance, double* u,
                                        double* g) {
  if (size < lanes) {
    for (Index i = 0; i < size; ++i) {
      u[i] -= change * D[i] * z[i];
      g[i] += variance * z[i] * z[i];
    }
    return;
  }
  Eight zi, ui, Di, gi;
  for_eights(
      size, [&](Index i, Index skip) __attribute__((always_inline)) {
        load_counted(z + i, skip, zi);
        load(u + i, ui);
        load(D + i, Di);
        ui -= change * Di * zi;
        store(ui, u + i);
        if (variance == 0) return;
        load(g + i, gi);
        gi += variance * zi * zi;
        store(gi, g + i);
      });
}

[[gnu::always_inline]] inline void move_by_pair(const double* y, const double* z, const double* D, Index size, const double* changes,
                                                const double* variances, double* u, double* g) {
  const double c0 = changes[0], c1 = changes[1], v0 = variances[0], v1 = variances[1];
  if (size < lanes) {
    move(y, D, size, c0, v0, u, g);
    move(z, D, size, c1, v1, u, g);
    return;
  }
  Eight yi, zi, ui, Di, gi;
  for_eights(
      size, [&](Index i, Index skip) __attribute__((always_inline)) {
        load_counted(y + i, skip, yi);
        load_counted(z + i, skip, zi);
        load(u + i, ui);
        load(D + i, Di);
        ui -= Di * (c0 * yi + c1 * zi);
        store(ui, u + i);
        if (v0 == 0 && v1 == 0) return;
        load(g + i, gi);
        gi += v0 * yi * yi + v1 * zi * zi;
        store(gi, g + i);
      });
}

// Two columns times four columns at once. If fewer than four are left, the last one replaces the missing ones, and their results are not
// kept.
[[gnu::always_inline]] inline void joint_products(const double* const* z, Index count, const double* u, const double* D, Index size,
                                                  double* A, double* c) {
  if (size < lanes) {
    for (Index j = 0; j < count; ++j) {
      c[j] = 0;
      for (Index i = 0; i < size; ++i) c[j] += z[j][i] * u[i];
      for (Index l = 0; l <= j; ++l) {
        double sum = 0;
        for (Index i = 0; i < size; ++i) sum += D[i] * z[j][i] * z[l][i];
        A[j * count + l] = A[l * count + j] = sum;
      }
    }
    return;
  }
  constexpr Index few = 2, some = 4;
  const Index last = count - 1;
  for (Index j = 0; j < count; j += few)
    for (Index l = 0; l <= std::min(j + 1, last); l += some) {
      const double *zj[few], *zl[some];
      for (Index a = 0; a < few; ++a) zj[a] = z[std::min(j + a, last)];
      for (Index b = 0; b < some; ++b) zl[b] = z[std::min(l + b, last)];
      Eight sum[few][some] = {}, Di, zi, Dz[few];
      for (Index i = 0; i < size; i += lanes) {
        const Index at = std::min(i, size - lanes);
        load_counted(D + at, i - at, Di);
#pragma GCC unroll 4
        for (Index a = 0; a < few; ++a) {
          load(zj[a] + at, zi);
          Dz[a] = Di * zi;
        }
#pragma GCC unroll 4
        for (Index b = 0; b < some; ++b) {
          load(zl[b] + at, zi);
#pragma GCC unroll 4
          for (Index a = 0; a < few; ++a) sum[a][b] += Dz[a] * zi;
        }
      }
#pragma GCC unroll 4
      for (Index a = 0; a < few; ++a)
#pragma GCC unroll 4
        for (Index b = 0; b < some; ++b)
          if (j + a < count && l + b <= j + a) A[(j + a) * count + l + b] = A[(l + b) * count + j + a] = total(sum[a][b]);
    }
  for (Index j = 0; j < count; j += some) {
    const double* zj[some];
    for (Index a = 0; a < some; ++a) zj[a] = z[std::min(j + a, last)];
    Eight sum[some] = {}, zi, ui;
    for (Index i = 0; i < size; i += lanes) {
      const Index at = std::min(i, size - lanes);
      load_counted(u + at, i - at, ui);
#pragma GCC unroll 4
      for (Index a = 0; a < some; ++a) {
        load(zj[a] + at, zi);
        sum[a] += zi * ui;
      }
    }
#pragma GCC unroll 4
    for (Index a = 0; a < some; ++a)
      if (j + a < count) c[j + a] = total(sum[a]);
  }
}

// `Eights` times eight rows, from row i on; the first `skip` of them stay unchanged.
template <int Eights>
[[gnu::always_inline]] inline void joint_move_rows(const double* const* z, Index count, const double* D, Index i, Index skip,
                                                   const double* change, const double* C, double* u, double* g) {
  Eight du[Eights] = {}, dg[Eights] = {}, zj[Eights], zl, across[Eights];
  for (Index j = 0; j < count; ++j) {
    const double* row = C + j;
#pragma GCC unroll 4
    for (Index e = 0; e < Eights; ++e) {
      load(z[j] + i + e * lanes, zj[e]);
      du[e] += change[j] * zj[e];
      across[e] = 0.5 * row[j * count] * zj[e];
    }
    for (Index l = 0; l < j; ++l)
#pragma GCC unroll 4
      for (Index e = 0; e < Eights; ++e) {
        load(z[l] + i + e * lanes, zl);
        across[e] += row[l * count] * zl;
      }
#pragma GCC unroll 4
    for (Index e = 0; e < Eights; ++e) dg[e] += across[e] * zj[e];
  }
#pragma GCC unroll 4
  for (Index e = 0; e < Eights; ++e) {
    const Index at = i + e * lanes;
    Eight Di, old;
    load_counted(D + at, skip, Di);
    load(u + at, old);
    store(old - Di * du[e], u + at);
    for (Index l = 0; l < skip; ++l) dg[e][l] = 0;
    load(g + at, old);
    store(old + 2 * dg[e], g + at);
  }
}

[[gnu::always_inline]] inline void joint_move(const double* const* z, Index count, const double* D, Index size, const double* change,
                                              const double* C, double* u, double* g) {
  if (size < lanes) {
    for (Index i = 0; i < size; ++i) {
      double du = 0, dg = 0;
      for (Index j = 0; j < count; ++j) {
        du += change[j] * z[j][i];
        for (Index l = 0; l < count; ++l) dg += C[std::min(j, l) * count + std::max(j, l)] * z[j][i] * z[l][i];
      }
      u[i] -= D[i] * du;
      g[i] += dg;
    }
    return;
  }
  Index i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) joint_move_rows<2>(z, count, D, i, 0, change, C, u, g);
  for (; i < size; i += lanes) {
    const Index at = std::min(i, size - lanes);
    joint_move_rows<1>(z, count, D, at, i - at, change, C, u, g);
  }
}

// All six for one instruction set.
#define ARDVARK_COLUMN_KERNELS(suffix, ...)                                                                                              \
  __VA_ARGS__ ColumnProducts products_##suffix(const double* z, const double* u, const double* D, Index size) {                          \
    return products(z, u, D, size);                                                                                                      \
  }                                                                                                                                      \
  __VA_ARGS__ void move_##suffix(const double* z, const double* D, Index size, double change, double variance, double* u, double* g) {   \
    move(z, D, size, change, variance, u, g);                                                                                            \
  }                                                                                                                                      \
  __VA_ARGS__ PairProducts pair_##suffix(const double* y, const double* z, const double* u, const double* D, Index size) {               \
    return products_of_pair(y, z, u, D, size);                                                                                           \
  }                                                                                                                                      \
  __VA_ARGS__ void move_pair_##suffix(const double* y, const double* z, const double* D, Index size, const double* changes,              \
                                      const double* variances, double* u, double* g) {                                                   \
    move_by_pair(y, z, D, size, changes, variances, u, g);                                                                               \
  }                                                                                                                                      \
  __VA_ARGS__ void joint_products_##suffix(const double* const* z, Index count, const double* u, const double* D, Index size, double* A, \
                                           double* c) {                                                                                  \
    joint_products(z, count, u, D, size, A, c);                                                                                          \
  }                                                                                                                                      \
  __VA_ARGS__ void joint_move_##suffix(const double* const* z, Index count, const double* D, Index size, const double* change,           \
                                       const double* C, double* u, double* g) {                                                          \
    joint_move(z, count, D, size, change, C, u, g);                                                                                      \
  }

ARDVARK_FOR_SIMD(ARDVARK_COLUMN_KERNELS)

}  // namespace

std::span<const ColumnKernels> column_kernels() {
#define ARDVARK_COLUMN_KERNELS_OF(name, ...) \
  ColumnKernels{simd::Level::name, products_##name, move_##name, pair_##name, move_pair_##name, joint_products_##name, joint_move_##name},
  static const std::array kernels = {ARDVARK_FOR_SIMD(ARDVARK_COLUMN_KERNELS_OF)};
  return kernels;
}

const ColumnKernels& column_kernel() {
  static const ColumnKernels& best = simd::best(column_kernels());
  return best;
}

}  // namespace ardvark::internal
