// All calls of BLAS and LAPACK (LP64, column-major) go through these functions.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal::blas {

enum class Side : char { left = 'L', right = 'R' };
enum class Transpose : char { no = 'N', yes = 'T' };

// Triangles are always lower ones: the library never stores an upper one. Each call of BLAS itself runs on one thread. Large operations are
// cut into tiles that depend only on the sizes, and our threads share the tiles: the result is the same to the last bit for any number of
// threads.

/// C <- alpha A A' + beta C (no) or alpha A' A + beta C (yes); C [n,n] lower, inner size k.
void syrk(Transpose transpose, Index n, Index k, double alpha, const double* A, Index lda, double beta, double* C, Index ldc);
void syrk(Transpose transpose, Index n, Index k, float alpha, const float* A, Index lda, float beta, float* C, Index ldc);
/// C <- A B + beta C with A [m,m] symmetric, lower stored; B, C [m,n].
void symm(Index m, Index n, double alpha, const double* A, Index lda, const double* B, Index ldb, double beta, double* C, Index ldc);
/// B <- L B, L' B, B L or B L' with L lower triangular; B [m,n].
void trmm(Side side, Transpose transpose, Index m, Index n, const double* L, Index ldl, double* B, Index ldb);
void trmm(Side side, Transpose transpose, Index m, Index n, const float* L, Index ldl, float* B, Index ldb);
/// C <- alpha op(A) op(B) + beta C; C [m,n], inner size k.
void gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, double alpha, const double* A, Index lda,
          const double* B, Index ldb, double beta, double* C, Index ldc);
void gemm(Transpose transpose_a, Transpose transpose_b, Index m, Index n, Index k, float alpha, const float* A, Index lda, const float* B,
          Index ldb, float beta, float* C, Index ldc);
/// y <- alpha A x + beta y (no) or alpha A' x + beta y (yes); A [m,n].
void gemv(Transpose transpose, Index m, Index n, double alpha, const double* A, Index lda, const double* x, double beta, double* y);
/// y <- A x with A [n,n] symmetric, lower stored.
void symv(Index n, const double* A, Index lda, const double* x, double* y);
/// x <- L x or L' x with L lower triangular.
void trmv(Transpose transpose, Index n, const double* L, Index ldl, double* x);
/// x <- L^-1 x or L'^-1 x with L lower triangular.
void trsv(Transpose transpose, Index n, const double* L, Index ldl, double* x);
/// A = L L', in place; false if A is not positive definite (or not finite).
[[nodiscard]] bool potrf(Index n, double* A, Index lda);
/// P'A P = L L' up to what is below `tolerance` on the diagonal, in place: column order[i] of A is the i-th of L. Returns the rank r; the
/// rows and columns of L from r on are not set.
[[nodiscard]] Index pstrf(Index n, double* A, Index lda, double tolerance, std::vector<Index>& order);
/// L <- L^-1, in place; false if a diagonal element is zero.
[[nodiscard]] bool trtri(Index n, double* L, Index ldl);
/// The lower triangle of L' L, in place, with L lower triangular.
void lauum(Index n, double* L, Index ldl);
/// A = Q R, A [m,n]: leaves R in the upper triangle of the first min(m, n) rows of A, and nothing useful below. Runs on one thread, so the
/// result is the same to the last bit for any number of threads.
void triangularise(Index m, Index n, double* A, Index lda);
/// A = Q diag(values) Q', values ascending; A then holds Q. False if A is not finite or the iteration fails. Also false, before the vectors
/// are computed, if an eigenvalue is below `least` > 0 (0: no limit).
[[nodiscard]] bool syevd(Index n, double* A, Index lda, double* values, double least = 0);
/// A = Q T Q' with T tridiagonal: diagonal [n], off_diagonal [n-1]; A then holds Q's reflectors with tau [n-1].
void sytrd(Index n, double* A, Index lda, double* diagonal, double* off_diagonal, double* tau);
/// x <- Q' x for the Q that sytrd left in A.
void apply_reflectors_transposed(Index n, const double* A, Index lda, const double* tau, double* x);

/// The number of threads that a fit may use; 1 if it cannot be determined.
[[nodiscard]] int num_threads();

/// Whether so many multiplications are too few for a second thread: its start costs time, and on a busy machine one thread may wait long
/// for the other.
[[nodiscard]] bool is_small(double multiplications);
/// How many of our threads to use for so many multiplications: one if they are few.
[[nodiscard]] Index threads_for(double multiplications);
/// The same for a pass over so many entries of a matrix: reading one takes as long as some dozens of multiplications.
[[nodiscard]] bool is_small_to_read(Index entries);
[[nodiscard]] Index threads_to_read(Index entries);
/// The number of multiplications for Gram matrix and factor of rows [n,p]: n p min(n, p).
[[nodiscard]] double multiplications(Index n, Index p);

/// While a scope exists, num_threads() returns `threads` (0: the value before, at first the caller's setting of OpenBLAS), and each call of
/// OpenBLAS runs on one thread: its own threads wait for each other after each product, and the last bits of its results depend on their
/// number. The end of the last scope restores the caller's setting.
///
/// OpenBLAS has one number of threads per process, so the scopes of all threads share it. For each thread the innermost scope with a number
/// counts; the largest of these numbers holds, in whatever order the scopes end.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  /// Like ThreadScope(0): for work that may have no scope around it.
  struct OursAlone {};
  explicit ThreadScope(OursAlone) : ThreadScope(0) {}
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
};

}  // namespace ardvark::internal::blas
