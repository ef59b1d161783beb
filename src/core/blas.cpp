#include "core/blas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "ardvark/errors.hpp"
#include "core/blas_names.hpp"
#include "core/parallel.hpp"

extern "C" {
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, double*, const int*);
void ssyrk_(const char*, const char*, const int*, const int*, const float*, const float*, const int*, const float*, float*, const int*);
void dsymm_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*);
void dtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*);
void strmm_(const char*, const char*, const char*, const char*, const int*, const int*, const float*, const float*, const int*, float*,
            const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*, const float*, const int*,
            const float*, float*, const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*,
            double*, const int*);
void dsymv_(const char*, const int*, const double*, const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void dtrmv_(const char*, const char*, const char*, const int*, const double*, const int*, double*, const int*);
void dtrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*, const int*);
void dpotrf_(const char*, const int*, double*, const int*, int*);
void dtrtri_(const char*, const char*, const int*, double*, const int*, int*);
void dlauum_(const char*, const int*, double*, const int*, int*);
void dsytrd_(const char*, const int*, double*, const int*, double*, double*, double*, double*, const int*, int*);
void dormtr_(const char*, const char*, const char*, const int*, const int*, const double*, const int*, const double*, double*, const int*,
             double*, const int*, int*);
void dstedc_(const char*, const int*, double*, double*, double*, const int*, double*, const int*, int*, const int*, int*);
void dlaed1_(const int*, double*, double*, const int*, int*, const double*, const int*, double*, int*, int*);
// Present in OpenBLAS only; with another BLAS the thread option has no effect.
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads(void);
}

namespace ardvark::blas {
namespace {

int narrow(Index i) {
  if (i > std::numeric_limits<int>::max()) throw InternalError("a BLAS call was asked for more than 2^31 - 1 rows or columns");
  return static_cast<int>(i);
}
int leading(Index i) { return narrow(i > 0 ? i : 1); }
constexpr int one = 1;

}  // namespace

void syrk(Transpose transpose, Index n, Index k, double alpha, const double* A, Index lda, double beta, double* C, Index ldc) {
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), ik = narrow(k), ia = leading(lda), ic = leading(ldc);
  dsyrk_("L", &t, &in, &ik, &alpha, A, &ia, &beta, C, &ic);
}

void syrk(Transpose transpose, Index n, Index k, float alpha, const float* A, Index lda, float beta, float* C, Index ldc) {
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), ik = narrow(k), ia = leading(lda), ic = leading(ldc);
  ssyrk_("L", &t, &in, &ik, &alpha, A, &ia, &beta, C, &ic);
}

void symm(Index m, Index n, double alpha, const double* A, Index lda, const double* B, Index ldb, double beta, double* C, Index ldc) {
  const int im = narrow(m), in = narrow(n), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  dsymm_("L", "L", &im, &in, &alpha, A, &ia, B, &ib, &beta, C, &ic);
}

namespace {

void trmm(Side side, Transpose transpose, Index m, Index n, double alpha, const double* L, Index ldl, double* B, Index ldb) {
  const char s = static_cast<char>(side), t = static_cast<char>(transpose);
  const int im = narrow(m), in = narrow(n), il = leading(ldl), ib = leading(ldb);
  dtrmm_(&s, "L", &t, "N", &im, &in, &alpha, L, &il, B, &ib);
}

}  // namespace

void trmm(Side side, Transpose transpose, Index m, Index n, const double* L, Index ldl, double* B, Index ldb) {
  trmm(side, transpose, m, n, 1.0, L, ldl, B, ldb);
}

void trmm(Side side, Transpose transpose, Index m, Index n, const float* L, Index ldl, float* B, Index ldb) {
  const char s = static_cast<char>(side), t = static_cast<char>(transpose);
  const int im = narrow(m), in = narrow(n), il = leading(ldl), ib = leading(ldb);
  const float alpha = 1.0F;
  strmm_(&s, "L", &t, "N", &im, &in, &alpha, L, &il, B, &ib);
}

void gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, double alpha, const double* A, Index lda,
          const double* B, Index ldb, double beta, double* C, Index ldc) {
  const char ta = static_cast<char>(transpose_a), tb = static_cast<char>(transpose_b);
  const int im = narrow(m), in = narrow(n), ik = narrow(k), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  dgemm_(&ta, &tb, &im, &in, &ik, &alpha, A, &ia, B, &ib, &beta, C, &ic);
}

void gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, float alpha, const float* A, Index lda, const float* B,
          Index ldb, float beta, float* C, Index ldc) {
  const char ta = static_cast<char>(transpose_a), tb = static_cast<char>(transpose_b);
  const int im = narrow(m), in = narrow(n), ik = narrow(k), ia = leading(lda), ib = leading(ldb), ic = leading(ldc);
  sgemm_(&ta, &tb, &im, &in, &ik, &alpha, A, &ia, B, &ib, &beta, C, &ic);
}

void gemv(Transpose transpose, Index m, Index n, double alpha, const double* A, Index lda, const double* x, double beta, double* y) {
  const char t = static_cast<char>(transpose);
  const int im = narrow(m), in = narrow(n), ia = leading(lda);
  if (m == 0 || n == 0) {  // a sum of nothing; BLAS returns at once and leaves y alone
    for (Index i = 0; i < (transpose == Transpose::no ? m : n); ++i) y[i] = beta == 0 ? 0 : beta * y[i];
    return;
  }
  dgemv_(&t, &im, &in, &alpha, A, &ia, x, &one, &beta, y, &one);
}

void symv(Index n, const double* A, Index lda, const double* x, double* y) {
  const int in = narrow(n), ia = leading(lda);
  const double alpha = 1.0, beta = 0.0;
  dsymv_("L", &in, &alpha, A, &ia, x, &one, &beta, y, &one);
}

void trmv(Transpose transpose, Index n, const double* L, Index ldl, double* x) {
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), il = leading(ldl);
  dtrmv_("L", &t, "N", &in, L, &il, x, &one);
}

void trsv(Transpose transpose, Index n, const double* L, Index ldl, double* x) {
  const char t = static_cast<char>(transpose);
  const int in = narrow(n), il = leading(ldl);
  dtrsv_("L", &t, "N", &in, L, &il, x, &one);
}

bool potrf(Index n, double* A, Index lda) {
  const int in = narrow(n), ia = leading(lda);
  int info = 0;
  dpotrf_("L", &in, A, &ia, &info);
  if (info < 0) throw InternalError("potrf was called with an invalid argument");
  // OpenBLAS lets NaN and infinity through its pivot test: look at the diagonal ourselves.
  for (Index j = 0; j < n && info == 0; ++j)
    if (!(A[j + j * lda] > 0) || !std::isfinite(A[j + j * lda])) info = 1;
  return info == 0;
}

// [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1 C^-1]: nearly all of it is TRMM, several times as fast as LAPACK's TRSM and columns one by one.
bool trtri(Index n, double* L, Index ldl) {
  constexpr Index leaf = 32;
  if (n > leaf) {
    const Index first = (n / 2 + 7) / 8 * 8, second = n - first;
    double *B = L + first, *C = B + first * ldl;
    if (!trtri(first, L, ldl) || !trtri(second, C, ldl)) return false;
    trmm(Side::left, Transpose::no, second, first, -1.0, C, ldl, B, ldl);
    trmm(Side::right, Transpose::no, second, first, 1.0, L, ldl, B, ldl);
    return true;
  }
  const int in = narrow(n), il = leading(ldl);
  int info = 0;
  dtrtri_("L", "N", &in, L, &il, &info);
  if (info < 0) throw InternalError("trtri was called with an invalid argument");
  return info == 0;
}

void lauum(Index n, double* L, Index ldl) {
  const int in = narrow(n), il = leading(ldl);
  int info = 0;
  dlauum_("L", &in, L, &il, &info);
  if (info != 0) throw InternalError("lauum was called with an invalid argument");
}

namespace {
// A reduction to tridiagonal form is thousands of small calls, after each of which one thread waits for the other: for as long as the
// scheduler likes on a busy machine, where a fit of 5000 rows and 500 columns took 4 s instead of 0.15 s.
constexpr Index most_for_one_thread = 1024;
ThreadScope scope_to_reduce(Index n) { return n <= most_for_one_thread ? ThreadScope(ThreadScope::OursAlone{}) : ThreadScope(0); }
}  // namespace

void sytrd(Index n, double* A, Index lda, double* diagonal, double* off_diagonal, double* tau) {
  const ThreadScope threads = scope_to_reduce(n);
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

}  // namespace

void apply_reflectors_transposed(Index n, const double* A, Index lda, const double* tau, double* x) {
  apply_reflectors(Transpose::yes, n, A, lda, tau, 1, x);
}

namespace {

// Eigenvalues, ascending, and vectors of a tridiagonal matrix; Q [n, n] with distance `ldq` between columns.
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

// The same, its two halves side by side: LAPACK's first division of the matrix, and its last merger. order[j]: where the vector of value j
// is among the columns of Q, which holds zeros before.
bool stedc_by_halves(Index n, double* diagonal, double* off_diagonal, double* Q, std::vector<int>& order) {
  constexpr Index least = 128;
  std::iota(order.begin(), order.end(), 0);
  if (n < least) return stedc(n, diagonal, off_diagonal, Q, n);
  double scale = 0;  // the merger compares values with vectors
  for (Index i = 0; i < n; ++i) scale = std::max({scale, std::abs(diagonal[i]), i + 1 < n ? std::abs(off_diagonal[i]) : 0.0});
  if (scale == 0) return stedc(n, diagonal, off_diagonal, Q, n);
  for (Index i = 0; i < n; ++i) diagonal[i] /= scale, off_diagonal[i] /= scale;
  const Index cut = n / 2;
  const double link = off_diagonal[cut - 1];
  diagonal[cut - 1] -= std::abs(link);
  diagonal[cut] -= std::abs(link);
  bool found[2];
  parallel_for(2, threads_for(std::pow(static_cast<double>(n), 3)), [&](Index half) {
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

// By the signs of the pivots of T - bound I.
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

// As LAPACK's driver of this name does it, but threads of ours share what is independent: the halves of the tridiagonal matrix, and the
// vectors in the last step.
bool syevd(Index n, double* A, Index lda, double* values, double least) {
  double largest = 0;
  for (Index j = 0; j < n; ++j)  // LAPACK may hang on NaN
    for (Index i = j; i < n; ++i) {
      if (!std::isfinite(A[i + j * lda])) return false;
      largest = std::max(largest, std::abs(A[i + j * lda]));
    }
  if (n == 0) return true;
  const auto rescale = [&](double factor) {
    for (Index j = 0; j < n; ++j)
      for (Index i = j; i < n; ++i) A[i + j * lda] *= factor;
  };
  const bool out_of_range = largest > 0 && (largest < 1e-140 || largest > 1e140);  // of what the squares of the tridiagonal form hold
  const double unit = out_of_range ? largest : 1;
  if (out_of_range) rescale(1 / unit);

  const ThreadScope threads = scope_to_reduce(n);
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> off_diagonal(count), tau(count);
  sytrd(n, A, lda, values, off_diagonal.data(), tau.data());
  if (least > 0 && has_eigenvalue_below(least / unit, n, values, off_diagonal.data())) return false;
  std::vector<double> Q(count * count);
  std::vector<int> order(count);
  if (!stedc_by_halves(n, values, off_diagonal.data(), Q.data(), order)) return false;
  constexpr Index width = 128;
  parallel_for((n + width - 1) / width, n <= most_for_one_thread ? threads_for(std::pow(static_cast<double>(n), 3)) : 1, [&](Index part) {
    const Index first = part * width, own = std::min(width, n - first);
    apply_reflectors(Transpose::no, n, A, lda, tau.data(), own, Q.data() + first * n);
  });
  for (Index j = 0; j < n; ++j) std::copy_n(Q.data() + order[static_cast<std::size_t>(j)] * n, n, A + j * lda);
  for (Index j = 0; j < n; ++j) values[j] *= unit;
  return true;
}

// Two threads of OpenBLAS gain from about a millisecond of work on, by less than a busy machine takes from them.
bool is_small(double multiplications) { return multiplications < 4e7; }

double multiplications(Index n, Index p) { return static_cast<double>(n) * static_cast<double>(p) * static_cast<double>(std::min(n, p)); }

namespace {

// The scopes that live, as OpenBLAS's setting does: for the whole process.
class Scopes {
 public:
  void enter(const ThreadScope* scope, int threads, bool of_blas_alone) {
    const std::lock_guard lock(mutex_);
    if (live_.empty()) callers_ = openblas_get_num_threads();
    live_.push_back({scope, std::this_thread::get_id(), threads, of_blas_alone});
    set();
  }
  void leave(const ThreadScope* scope) {
    const std::lock_guard lock(mutex_);
    if (std::erase_if(live_, [&](const Live& live) { return live.scope == scope; }) > 0) set();
  }

  [[nodiscard]] int allowed() {
    const std::lock_guard lock(mutex_);
    if (live_.empty()) return openblas_get_num_threads();
    std::vector<Live> of_ours = live_;
    std::erase_if(of_ours, [](const Live& live) { return live.of_blas_alone; });
    const int most = largest(of_ours);
    return most > 0 ? most : callers_;
  }

 private:
  struct Live {
    const ThreadScope* scope;
    std::thread::id of;
    int threads;
    bool of_blas_alone;
  };

  // Of the innermost scopes of all threads; 0: there is none.
  static int largest(const std::vector<Live>& live) {
    int most = 0;
    for (auto it = live.begin(); it != live.end(); ++it)
      if (std::none_of(it + 1, live.end(), [&](const Live& later) { return later.of == it->of; })) most = std::max(most, it->threads);
    return most;
  }

  void set() const {
    const int most = largest(live_);
    const int wanted = most > 0 ? most : callers_;
    if (wanted != openblas_get_num_threads()) openblas_set_num_threads(wanted);
  }

  std::mutex mutex_;
  std::vector<Live> live_;  // oldest first
  int callers_ = 0;
};

Scopes& scopes() {
  static Scopes all;
  return all;
}

}  // namespace

namespace {

bool is_settable() { return openblas_set_num_threads != nullptr && openblas_get_num_threads != nullptr; }

}  // namespace

int num_threads() { return is_settable() ? scopes().allowed() : 1; }

Index threads_for(double multiplications) { return is_small(multiplications) ? 1 : num_threads(); }

Index threads_to_read(Index entries) { return threads_for(64.0 * static_cast<double>(entries)); }

ThreadScope::ThreadScope(int threads) {
  if (threads > 0 && is_settable()) scopes().enter(this, threads, false);
}

ThreadScope::ThreadScope(OursAlone) {
  if (is_settable()) scopes().enter(this, 1, true);
}

ThreadScope::ThreadScope(int threads, double multiplications) {
  const bool small = threads == 0 && is_small(multiplications);
  if ((threads > 0 || small) && is_settable()) scopes().enter(this, small ? 1 : threads, small);
}

ThreadScope::~ThreadScope() {
  if (is_settable()) scopes().leave(this);
}

}  // namespace ardvark::blas
