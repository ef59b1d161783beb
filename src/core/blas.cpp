#include "core/blas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "ardvark/errors.hpp"
#include "core/blas_names.hpp"
#include "core/blas_threads.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "core/single_precision.hpp"

// A BLAS may have double precision only, as that which comes with R. The linker is told so only where that is, because it leaves out of an
// archive what is not needed for certain.
#ifdef ARDVARK_SINGLE_MAY_BE_MISSING
#define ARDVARK_OF_SINGLE [[gnu::weak]]
#else
#define ARDVARK_OF_SINGLE
#endif

extern "C" {
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, double*, const int*);
ARDVARK_OF_SINGLE void ssyrk_(const char*, const char*, const int*, const int*, const float*, const float*, const int*, const float*,
                              float*, const int*);
void dsymm_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*);
void dsyr2k_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
             const double*, double*, const int*);
void dlarfg_(const int*, double*, double*, const int*, double*);
void dtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*);
ARDVARK_OF_SINGLE void strmm_(const char*, const char*, const char*, const char*, const int*, const int*, const float*, const float*,
                              const int*, float*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
ARDVARK_OF_SINGLE void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
                              const float*, const int*, const float*, float*, const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*,
            double*, const int*);
void dsymv_(const char*, const int*, const double*, const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*);
void dtrmv_(const char*, const char*, const char*, const int*, const double*, const int*, double*, const int*);
void dtrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*, const int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
void dpstrf_(const char*, const int*, double*, const int*, int*, int*, const double*, double*, int*);
void dtrtri_(const char*, const char*, const int*, double*, const int*, int*);
void dlauum_(const char*, const int*, double*, const int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dsytrd_(const char*, const int*, double*, const int*, double*, double*, double*, double*, const int*, int*);
void dormtr_(const char*, const char*, const char*, const int*, const int*, const double*, const int*, const double*, double*, const int*,
             double*, const int*, int*);
void dstedc_(const char*, const int*, double*, double*, double*, const int*, double*, const int*, int*, const int*, int*);
void dlaed1_(const int*, double*, double*, const int*, int*, const double*, const int*, double*, int*, int*);
}

namespace ardvark::internal::blas {
namespace {

int narrow(Index i) {
  if (i > std::numeric_limits<int>::max()) throw InternalError("a BLAS call has more than 2^31 - 1 rows or columns");
  return static_cast<int>(i);
}
int leading(Index i) { return narrow(i > 0 ? i : 1); }
constexpr int one = 1;

// ---- Single calls of BLAS on the calling thread, in two precisions.

template <typename Real, typename Double, typename Single>
constexpr auto in_precision(Double* of_doubles, Single* of_singles) {
  if constexpr (std::is_same_v<Real, double>)
    return of_doubles;
  else
    return of_singles;
}

bool has_single_precision() {
#ifdef ARDVARK_SINGLE_MAY_BE_MISSING
  return ssyrk_ != nullptr && sgemm_ != nullptr && strmm_ != nullptr;
#else
  return true;
#endif
}

template <typename Real>
void call_syrk(Transpose transpose, Index n, Index k, Real alpha, const Real* A, Index lda, Real beta, Real* C, Index ldc) {
  if constexpr (std::is_same_v<Real, float>)
    if (!has_single_precision()) return single_precision::syrk(transpose, n, k, alpha, A, lda, beta, C, ldc);
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), ik = narrow(k), ia = leading(lda), ic = leading(ldc);
  in_precision<Real>(dsyrk_, ssyrk_)("L", &t, &in, &ik, &alpha, A, &ia, &beta, C, &ic);
}

template <typename Real>
void call_gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, Real alpha, const Real* A, Index lda, const Real* B,
               Index ldb, Real beta, Real* C, Index ldc) {
  if constexpr (std::is_same_v<Real, float>)
    if (!has_single_precision()) return single_precision::gemm(transpose_a, transpose_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  const char ta = static_cast<char>(transpose_a), tb = static_cast<char>(transpose_b);
  const int im = narrow(m), in = narrow(n), ik = narrow(k), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  in_precision<Real>(dgemm_, sgemm_)(&ta, &tb, &im, &in, &ik, &alpha, A, &ia, B, &ib, &beta, C, &ic);
}

template <typename Real>
void call_trmm(Side side, Transpose transpose, Index m, Index n, Real alpha, const Real* L, Index ldl, Real* B, Index ldb) {
  if constexpr (std::is_same_v<Real, float>)
    if (!has_single_precision()) return single_precision::trmm(side, transpose, m, n, alpha, L, ldl, B, ldb);
  const char s = static_cast<char>(side), t = static_cast<char>(transpose);
  const int im = narrow(m), in = narrow(n), il = leading(ldl), ib = leading(ldb);
  in_precision<Real>(dtrmm_, strmm_)(&s, "L", &t, "N", &im, &in, &alpha, L, &il, B, &ib);
}

void call_symm(Index m, Index n, double alpha, const double* A, Index lda, const double* B, Index ldb, double beta, double* C, Index ldc) {
  const int im = narrow(m), in = narrow(n), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  dsymm_("L", "L", &im, &in, &alpha, A, &ia, B, &ib, &beta, C, &ic);
}

void call_symv(Index n, const double* A, Index lda, const double* x, double* y) {
  const int in = narrow(n), ia = leading(lda);
  const double alpha = 1.0, beta = 0.0;
  dsymv_("L", &in, &alpha, A, &ia, x, &one, &beta, y, &one);
}

// C <- C - A B' - B A'; A, B [n,k]
void subtract_rank_2k(Index n, Index k, const double* A, Index lda, const double* B, Index ldb, double* C, Index ldc) {
  const int in = narrow(n), ik = narrow(k), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  const double alpha = -1.0, beta = 1.0;
  dsyr2k_("L", "N", &in, &ik, &alpha, A, &ia, B, &ib, &beta, C, &ic);
}

void call_gemv(Transpose transpose, Index m, Index n, double alpha, const double* A, Index lda, const double* x, double beta, double* y) {
  const char t = static_cast<char>(transpose);
  const int im = narrow(m), in = narrow(n), ia = leading(lda);
  dgemv_(&t, &im, &in, &alpha, A, &ia, x, &one, &beta, y, &one);
}

// ---- The same in tiles. The tiles depend only on the sizes and each tile is one call, so the results are the same to the last bit for any
// number of threads.

double product_of(Index m, Index n, Index k) { return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }

void over_ranges(Index size, Index width, auto&& f) {
  parallel_for((size + width - 1) / width, num_threads(), [&](Index i) { f(i * width, std::min(width, size - i * width)); });
}

// Tiles of the rows or columns of a product of matrices. Each tile packs the other factor again, which costs 2% of its time.
void over_tiles(Index size, auto&& f) { over_ranges(size, size <= 1024 ? 128 : 256, f); }

template <typename Real>
void tiled_syrk(Transpose transpose, Index n, Index k, Real alpha, const Real* A, Index lda, Real beta, Real* C, Index ldc) {
  const AtOneThread held;
  if (is_small(0.5 * product_of(n, n, k))) return call_syrk(transpose, n, k, alpha, A, lda, beta, C, ldc);
  const bool by_columns = transpose == Transpose::yes;
  const auto other = by_columns ? Transpose::no : Transpose::yes;
  over_tiles(n, [&](Index from, Index own) {  // the longest first
    const Index below = n - from - own, step = by_columns ? lda : 1;
    const Real *here = A + from * step, *next = here + own * step;
    Real* corner = C + from * (ldc + 1);
    call_syrk(transpose, own, k, alpha, here, lda, beta, corner, ldc);
    if (below > 0) call_gemm(transpose, other, below, own, k, alpha, next, lda, here, lda, beta, corner + own, ldc);
  });
}

template <typename Real>
void tiled_gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, Real alpha, const Real* A, Index lda,
                const Real* B, Index ldb, Real beta, Real* C, Index ldc) {
  const AtOneThread held;
  if (is_small(product_of(m, n, k))) return call_gemm(transpose_a, transpose_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  if (m > n) {
    const Index step = transpose_a == Transpose::yes ? lda : 1;
    over_tiles(m, [&](Index from, Index own) {
      call_gemm(transpose_a, transpose_b, own, n, k, alpha, A + from * step, lda, B, ldb, beta, C + from, ldc);
    });
  } else {
    const Index step = transpose_b == Transpose::yes ? 1 : ldb;
    over_tiles(n, [&](Index from, Index own) {
      call_gemm(transpose_a, transpose_b, m, own, k, alpha, A, lda, B + from * step, ldb, beta, C + from * ldc, ldc);
    });
  }
}

template <typename Real>
void tiled_trmm(Side side, Transpose transpose, Index m, Index n, Real alpha, const Real* L, Index ldl, Real* B, Index ldb) {
  const AtOneThread held;
  const bool left = side == Side::left;
  if (is_small(0.5 * (left ? product_of(m, m, n) : product_of(n, n, m)))) return call_trmm(side, transpose, m, n, alpha, L, ldl, B, ldb);
  constexpr Index width = 256;  // half of it costs 6% at 500 columns
  over_ranges(left ? n : m, width, [&](Index from, Index own) {
    call_trmm(side, transpose, left ? m : own, left ? own : n, alpha, L, ldl, B + from * (left ? ldb : 1), ldb);
  });
}

// B <- B L'^-1; B [m,n]
void solve_rows(Index m, Index n, const double* L, Index ldl, double* B, Index ldb) {
  over_tiles(m, [&](Index from, Index own) {
    const int im = narrow(own), in = narrow(n), il = leading(ldl), ib = leading(ldb);
    const double alpha = 1.0;
    dtrsm_("R", "L", "T", "N", &im, &in, &alpha, L, &il, B + from, &ib);
  });
}

// Larger matrices are factored by halves.
constexpr Index leaf_of_factor = 512;
Index first_half(Index n) { return (n / 2 + 63) / 64 * 64; }

// [A .; B C]: A = L L', B <- B L'^-1, C - B B'
bool factor_by_halves(Index n, double* A, Index lda) {
  pulse();
  if (n > leaf_of_factor) {
    const Index first = first_half(n), second = n - first;
    double *B = A + first, *C = B + first * lda;
    if (!factor_by_halves(first, A, lda)) return false;
    solve_rows(second, first, A, lda, B, lda);
    tiled_syrk(Transpose::no, second, first, -1.0, B, lda, 1.0, C, lda);
    return factor_by_halves(second, C, lda);
  }
  const int in = narrow(n), ia = leading(lda);
  int info = 0;
  dpotrf_("L", &in, A, &ia, &info);
  if (info < 0) throw InternalError("potrf was called with an invalid argument");
  return info == 0;
}

}  // namespace

void syrk(Transpose transpose, Index n, Index k, double alpha, const double* A, Index lda, double beta, double* C, Index ldc) {
  tiled_syrk(transpose, n, k, alpha, A, lda, beta, C, ldc);
}

void syrk(Transpose transpose, Index n, Index k, float alpha, const float* A, Index lda, float beta, float* C, Index ldc) {
  tiled_syrk(transpose, n, k, alpha, A, lda, beta, C, ldc);
}

void symm(Index m, Index n, double alpha, const double* A, Index lda, const double* B, Index ldb, double beta, double* C, Index ldc) {
  const AtOneThread held;
  if (is_small(product_of(m, m, n))) return call_symm(m, n, alpha, A, lda, B, ldb, beta, C, ldc);
  over_tiles(m, [&](Index from, Index own) {  // rows of A: the diagonal block, the part left of it, and the transposed part below it
    const Index next = from + own;
    call_symm(own, n, alpha, A + from * (lda + 1), lda, B + from, ldb, beta, C + from, ldc);
    if (from > 0) call_gemm(Transpose::no, Transpose::no, own, n, from, alpha, A + from, lda, B, ldb, 1.0, C + from, ldc);
    if (next < m)
      call_gemm(Transpose::yes, Transpose::no, own, n, m - next, alpha, A + next + from * lda, lda, B + next, ldb, 1.0, C + from, ldc);
  });
}

void trmm(Side side, Transpose transpose, Index m, Index n, const double* L, Index ldl, double* B, Index ldb) {
  tiled_trmm(side, transpose, m, n, 1.0, L, ldl, B, ldb);
}

void trmm(Side side, Transpose transpose, Index m, Index n, const float* L, Index ldl, float* B, Index ldb) {
  tiled_trmm(side, transpose, m, n, 1.0F, L, ldl, B, ldb);
}

void gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, double alpha, const double* A, Index lda,
          const double* B, Index ldb, double beta, double* C, Index ldc) {
  tiled_gemm(transpose_a, transpose_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, float alpha, const float* A, Index lda, const float* B,
          Index ldb, float beta, float* C, Index ldc) {
  tiled_gemm(transpose_a, transpose_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void gemv(Transpose transpose, Index m, Index n, double alpha, const double* A, Index lda, const double* x, double beta, double* y) {
  if (m == 0 || n == 0) {  // an empty sum; BLAS would return at once and leave y unchanged
    for (Index i = 0; i < (transpose == Transpose::no ? m : n); ++i) y[i] = beta == 0 ? 0 : beta * y[i];
    return;
  }
  const AtOneThread held;
  constexpr Index most = 16, fewest_rows = 2048;
  if (is_small_to_read(m * n)) return call_gemv(transpose, m, n, alpha, A, lda, x, beta, y);
  if (transpose == Transpose::yes) {  // one sum per column
    over_ranges(n, (n + 8 * most - 1) / (8 * most) * 8,
                [&](Index from, Index own) { call_gemv(transpose, m, own, alpha, A + from * lda, lda, x, beta, y + from); });
  } else if (m >= fewest_rows) {
    over_ranges(m, (m + 64 * most - 1) / (64 * most) * 64,
                [&](Index from, Index own) { call_gemv(transpose, own, n, alpha, A + from, lda, x, beta, y + from); });
  } else {  // few long sums: sums over parts of the columns are added in order
    const Index width = (n + most - 1) / most, parts = (n + width - 1) / width;
    Matrix sums(m, parts);
    over_ranges(n, width, [&](Index from, Index own) {
      call_gemv(transpose, m, own, alpha, A + from * lda, lda, x + from, 0.0, sums.col(from / width).data());
    });
    Eigen::Map<Vector> out(y, m);
    if (beta == 0)
      out = sums.col(0);
    else
      out = beta * out + sums.col(0);
    for (Index part = 1; part < parts; ++part) out += sums.col(part);
  }
}

// Each tile of columns uses its part below the diagonal twice, in blocks of rows that are still in the cache the second time.
void symv(Index n, const double* A, Index lda, const double* x, double* y) {
  const AtOneThread held;
  if (is_small_to_read(n * n / 2)) return call_symv(n, A, lda, x, y);
  constexpr Index width = 128, stretch = 512;
  Matrix sums(n, (n + width - 1) / width);
  over_ranges(n, width, [&](Index from, Index own) {
    double* sum = sums.col(from / width).data();
    call_symv(own, A + from * (lda + 1), lda, x + from, sum + from);
    for (Index row = from + own; row < n; row += stretch) {
      const Index rows = std::min(stretch, n - row);
      const double* block = A + row + from * lda;
      call_gemv(Transpose::no, rows, own, 1.0, block, lda, x + from, 0.0, sum + row);
      call_gemv(Transpose::yes, rows, own, 1.0, block, lda, x + row, 1.0, sum + from);
    }
  });
  Eigen::Map<Vector> out(y, n);
  out.setZero();
  for (Index tile = 0; tile < sums.cols(); ++tile) out.tail(n - tile * width) += sums.col(tile).tail(n - tile * width);
}

void trmv(Transpose transpose, Index n, const double* L, Index ldl, double* x) {
  const AtOneThread held;
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), il = leading(ldl);
  dtrmv_("L", &t, "N", &in, L, &il, x, &one);
}

void trsv(Transpose transpose, Index n, const double* L, Index ldl, double* x) {
  const AtOneThread held;
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), il = leading(ldl);
  dtrsv_("L", &t, "N", &in, L, &il, x, &one);
}

bool potrf(Index n, double* A, Index lda) {
  const AtOneThread held;
  if (!factor_by_halves(n, A, lda)) return false;
  // The pivot test of OpenBLAS does not stop at NaN and infinity, so check the diagonal here.
  for (Index j = 0; j < n; ++j)
    if (!(A[j + j * lda] > 0) || !std::isfinite(A[j + j * lda])) return false;
  return true;
}

// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1]: nearly all work is TRMM, several times as fast as LAPACK's way (TRSM and single
// columns).
bool trtri(Index n, double* L, Index ldl) {
  const AtOneThread held;
  constexpr Index leaf = 32;
  if (n > leaf) {
    const Index first = (n / 2 + 7) / 8 * 8, second = n - first;
    double *B = L + first, *C = B + first * ldl;
    if (!trtri(first, L, ldl) || !trtri(second, C, ldl)) return false;
    tiled_trmm(Side::left, Transpose::no, second, first, -1.0, C, ldl, B, ldl);
    tiled_trmm(Side::right, Transpose::no, second, first, 1.0, L, ldl, B, ldl);
    return true;
  }
  const int in = narrow(n), il = leading(ldl);
  int info = 0;
  dtrtri_("L", "N", &in, L, &il, &info);
  if (info < 0) throw InternalError("trtri was called with an invalid argument");
  return info == 0;
}

Index pstrf(Index n, double* A, Index lda, double tolerance, std::vector<Index>& order) {
  const AtOneThread held;
  const int in = narrow(n), ia = leading(lda);
  int rank = 0, info = 0;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  std::vector<double> work(static_cast<std::size_t>(2 * n));
  dpstrf_("L", &in, A, &ia, pivots.data(), &rank, &tolerance, work.data(), &info);
  if (info < 0) throw InternalError("pstrf was called with an invalid argument");
  order.assign(pivots.begin(), pivots.end());
  for (Index& column : order) --column;
  return rank;
}

void triangularise(Index m, Index n, double* A, Index lda) {
  const AtOneThread held;
  const int im = narrow(m), in = narrow(n), ia = leading(lda);
  int info = 0, lwork = -1;
  double best = 0;
  std::vector<double> tau(static_cast<std::size_t>(std::max<Index>(std::min(m, n), 1)));
  dgeqrf_(&im, &in, A, &ia, tau.data(), &best, &lwork, &info);
  lwork = static_cast<int>(best);
  std::vector<double> work(static_cast<std::size_t>(std::max(lwork, 1)));
  dgeqrf_(&im, &in, A, &ia, tau.data(), work.data(), &lwork, &info);
  if (info != 0) throw InternalError("geqrf was called with an invalid argument");
}

// [A .; B C]: A'A + B'B, C'B, C'C
void lauum(Index n, double* L, Index ldl) {
  const AtOneThread held;
  if (n > leaf_of_factor) {
    const Index first = first_half(n), second = n - first;
    double *B = L + first, *C = B + first * ldl;
    lauum(first, L, ldl);
    tiled_syrk(Transpose::yes, first, second, 1.0, B, ldl, 1.0, L, ldl);
    tiled_trmm(Side::left, Transpose::yes, second, first, 1.0, C, ldl, B, ldl);
    return lauum(second, C, ldl);
  }
  const int in = narrow(n), il = leading(ldl);
  int info = 0;
  dlauum_("L", &in, L, &il, &info);
  if (info != 0) throw InternalError("lauum was called with an invalid argument");
}

namespace {

constexpr Index panel_to_reduce = 32;  // columns

// Reduces the first columns of A [n,n]: leaves the reflectors V below the diagonal, with ones on top, and W such that the rest of the
// matrix is A - V W' - W V'. Like LAPACK, but computes A times a vector in tiles.
void reduce_panel(Index n, double* A, Index lda, double* off_diagonal, double* tau, double* W) {
  Vector row(panel_to_reduce), inner(panel_to_reduce);
  for (Index i = 0; i < panel_to_reduce; ++i) {
    const Index m = n - i, below = m - 1;
    double *a = A + i * (lda + 1), *v = a + 1, *w = W + i * n + i + 1;
    const auto subtract = [&](Index count, Index rows, const double* B, Index ldb, const double* x, double* y) {
      if (count > 0) call_gemv(Transpose::no, rows, count, -1.0, B, ldb, x, 1.0, y);
    };
    const auto project = [&](Index count, const double* B, Index ldb) {
      if (count > 0) call_gemv(Transpose::yes, below, count, 1.0, B, ldb, v, 0.0, inner.data());
    };
    for (Index l = 0; l < i; ++l) row[l] = W[i + l * n];
    subtract(i, m, A + i, lda, row.data(), a);
    for (Index l = 0; l < i; ++l) row[l] = A[i + l * lda];
    subtract(i, m, W + i, n, row.data(), a);

    const int size = narrow(below);
    dlarfg_(&size, v, v + 1, &one, tau + i);
    off_diagonal[i] = *v;
    *v = 1;
    symv(below, v + lda, lda, v, w);
    project(i, W + i + 1, n);
    subtract(i, below, A + i + 1, lda, inner.data(), w);
    project(i, A + i + 1, lda);
    subtract(i, below, W + i + 1, n, inner.data(), w);
    Eigen::Map<Vector> all(w, below);
    const Eigen::Map<const Vector> reflector(v, below);
    all *= tau[i];
    all -= (0.5 * tau[i] * all.dot(reflector)) * reflector;
  }
}

}  // namespace

void sytrd(Index n, double* A, Index lda, double* diagonal, double* off_diagonal, double* tau) {
  const AtOneThread held;
  if (n > 2048) {  // smaller products with vectors are too short for several threads
    Matrix W(n, panel_to_reduce);
    for (; n > 1024; n -= panel_to_reduce) {
      pulse();
      reduce_panel(n, A, lda, off_diagonal, tau, W.data());
      const Index left = n - panel_to_reduce;
      const double *V = A + panel_to_reduce, *own_W = W.data() + panel_to_reduce;
      double* rest = A + panel_to_reduce * (lda + 1);
      over_tiles(left, [&](Index from, Index own) {
        const Index next = from + own, below = left - next;
        double* corner = rest + from * (lda + 1);
        subtract_rank_2k(own, panel_to_reduce, V + from, lda, own_W + from, n, corner, lda);
        if (below == 0) return;
        call_gemm(Transpose::no, Transpose::yes, below, own, panel_to_reduce, -1.0, V + next, lda, own_W + from, n, 1.0, corner + own, lda);
        call_gemm(Transpose::no, Transpose::yes, below, own, panel_to_reduce, -1.0, own_W + next, n, V + from, lda, 1.0, corner + own, lda);
      });
      for (Index j = 0; j < panel_to_reduce; ++j) {
        diagonal[j] = A[j * (lda + 1)];
        A[j * (lda + 1) + 1] = off_diagonal[j];
      }
      A = rest, diagonal += panel_to_reduce, off_diagonal += panel_to_reduce, tau += panel_to_reduce;
    }
  }
  const int in = narrow(n), ia = leading(lda);
  int info = 0, lwork = -1;
  double best = 0;
  dsytrd_("L", &in, A, &ia, diagonal, off_diagonal, tau, &best, &lwork, &info);
  lwork = static_cast<int>(best);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dsytrd_("L", &in, A, &ia, diagonal, off_diagonal, tau, work.data(), &lwork, &info);
  if (info != 0) throw InternalError("sytrd was called with an invalid argument");
}

namespace {

// X <- Q X or Q' X; X [n, columns], contiguous.
void apply_reflectors(Transpose transpose, Index n, const double* A, Index lda, const double* tau, Index columns, double* X) {
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), ic = narrow(columns), ia = leading(lda), ix = leading(n);
  int info = 0, lwork = std::max(64 * ic, 1) + 65 * 64;
  std::vector<double> work(static_cast<std::size_t>(lwork));
  dormtr_("L", "L", &t, &in, &ic, A, &ia, tau, X, &ix, work.data(), &lwork, &info);
  if (info != 0) throw InternalError("ormtr was called with an invalid argument");
}

// Eigenvalues (ascending) and eigenvectors of a tridiagonal matrix; Q [n, n] with leading dimension `ldq`.
bool stedc(Index n, double* diagonal, double* off_diagonal, double* Q, Index ldq) {
  const int in = narrow(n), iq = leading(ldq), ask = -1;
  double size = 0;
  int integers = 0, info = 0;
  dstedc_("I", &in, diagonal, off_diagonal, Q, &iq, &size, &ask, &integers, &ask, &info);
  std::vector<double> work(static_cast<std::size_t>(size));
  std::vector<int> whole(static_cast<std::size_t>(integers));
  const int num_work = narrow(static_cast<Index>(work.size())), num_whole = narrow(integers);
  dstedc_("I", &in, diagonal, off_diagonal, Q, &iq, work.data(), &num_work, whole.data(), &num_whole, &info);
  if (info < 0) throw InternalError("stedc was called with an invalid argument");
  return info == 0;
}

// The same, with its two halves in parallel: the first division and the last merge of LAPACK's algorithm. The eigenvector of value j is
// column order[j] of Q. Q must hold zeros before the call.
bool stedc_by_halves(Index n, double* diagonal, double* off_diagonal, double* Q, std::vector<int>& order) {
  constexpr Index least = 128;
  std::iota(order.begin(), order.end(), 0);
  if (n < least) return stedc(n, diagonal, off_diagonal, Q, n);
  double scale = 0;  // the merge compares values with vectors
  for (Index i = 0; i < n; ++i) scale = std::max({scale, std::abs(diagonal[i]), i + 1 < n ? std::abs(off_diagonal[i]) : 0.0});
  if (scale == 0) return stedc(n, diagonal, off_diagonal, Q, n);
  for (Index i = 0; i < n; ++i) diagonal[i] /= scale, off_diagonal[i] /= scale;
  const Index cut = n / 2;
  const double link = off_diagonal[cut - 1];
  diagonal[cut - 1] -= std::abs(link);
  diagonal[cut] -= std::abs(link);
  bool found[2];
  parallel_for(2, threads_for(product_of(n, n, n)), [&](Index half) {
    const Index first = half * cut;
    found[half] = stedc(half == 0 ? cut : n - cut, diagonal + first, off_diagonal + first, Q + first * (n + 1), n);
  });
  if (!found[0] || !found[1]) return false;
  std::iota(order.begin(), order.begin() + cut, 1);
  std::iota(order.begin() + cut, order.end(), 1);
  const int in = narrow(n), icut = narrow(cut);
  std::vector<double> work(static_cast<std::size_t>(n * (n + 4)));
  std::vector<int> whole(static_cast<std::size_t>(4 * n));
  int info = 0;
  dlaed1_(&in, diagonal, Q, &in, order.data(), &link, &icut, work.data(), whole.data(), &info);
  if (info < 0) throw InternalError("laed1 was called with an invalid argument");
  if (info > 0) return false;
  Vector sorted(n);
  for (Index j = 0; j < n; ++j) sorted[j] = scale * diagonal[--order[static_cast<std::size_t>(j)]];
  std::copy(sorted.begin(), sorted.end(), diagonal);
  return true;
}

// Uses the signs of the pivots of T - bound I.
bool has_eigenvalue_below(double bound, Index n, const double* diagonal, const double* off_diagonal) {
  double pivot = 1;
  for (Index i = 0; i < n; ++i) {
    const double off = i > 0 ? off_diagonal[i - 1] : 0;
    pivot = diagonal[i] - bound - off * off / pivot;
    if (!(pivot > 0)) return true;
  }
  return false;
}

}  // namespace

void apply_reflectors_transposed(Index n, const double* A, Index lda, const double* tau, double* x) {
  apply_reflectors(Transpose::yes, n, A, lda, tau, 1, x);
}

// Like LAPACK's driver of this name, but our threads share the independent parts: the halves of the tridiagonal matrix, and the vectors in
// the last step.
bool syevd(Index n, double* A, Index lda, double* values, double least) {
  double largest = 0;
  for (Index j = 0; j < n; ++j)  // LAPACK may not return if there is a NaN
    for (Index i = j; i < n; ++i) {
      if (!std::isfinite(A[i + j * lda])) return false;
      largest = std::max(largest, std::abs(A[i + j * lda]));
    }
  if (n == 0) return true;
  const auto rescale = [&](double factor) {
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) A[i + j * lda] *= factor;
  };
  const bool out_of_range =
      largest > 0 && (largest < 1e-140 || largest > 1e140);  // squares in the tridiagonal form may overflow or underflow
  const double unit = out_of_range ? largest : 1;
  if (out_of_range) rescale(1 / unit);

  const AtOneThread held;
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> off_diagonal(count), tau(count);
  sytrd(n, A, lda, values, off_diagonal.data(), tau.data());
  if (least > 0 && has_eigenvalue_below(least / unit, n, values, off_diagonal.data())) return false;
  std::vector<double> Q(count * count);
  std::vector<int> order(count);
  if (!stedc_by_halves(n, values, off_diagonal.data(), Q.data(), order)) return false;
  constexpr Index width = 128;
  parallel_for((n + width - 1) / width, threads_for(product_of(n, n, n)), [&](Index part) {
    const Index first = part * width, own = std::min(width, n - first);
    apply_reflectors(Transpose::no, n, A, lda, tau.data(), own, Q.data() + first * n);
  });
  for (Index j = 0; j < n; ++j) std::copy_n(Q.data() + order[static_cast<std::size_t>(j)] * n, n, A + j * lda);
  for (Index j = 0; j < n; ++j) values[j] *= unit;
  return true;
}

}  // namespace ardvark::internal::blas
