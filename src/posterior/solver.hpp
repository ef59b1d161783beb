// Solvers of the waist's linear system. Each says what it can do; method/sweep/sweep_choice.cpp chooses and refuses.
#pragma once

#include <memory>

#include "ardvark/report.hpp"
#include "design/design.hpp"
#include "posterior/mixture.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// V in the form its solver has it, enough for x'Vx and for the full matrix. Columns are those of the design.
struct CovarianceFactor {
  enum class Kind { none, triangular, reduced, mixture };
  Kind kind = Kind::none;
  /// triangular: V = L_inverse' L_inverse. [p,p], lower.
  Matrix L_inverse;
  /// reduced (p > n): with z~ = z - B' f, x'Vx = sum_j d_j z~_j^2 - ||T z~||^2 + ||R f||^2; f = x at the flat columns, d = 0 there.
  /// (RIDGE.4), (RIDGE.7)
  Vector d;  ///< [p]
  Matrix T;  ///< [n,p]
  Matrix B;  ///< [flats, p]
  Matrix R;  ///< [flats, flats], R'R = H^-1
  std::vector<Index> flat_columns;
  Mixture mixture;  ///< mixture: of posteriors under a sparse prior
  /// Those of the design that all of this is about, ascending; empty: every one (or those that the mixture names). The others have no
  /// variance.
  std::vector<Index> columns;

  [[nodiscard]] Index num_columns() const { return kind == Kind::triangular ? L_inverse.cols() : d.size(); }
  /// out_n <- x_n' V x_n
  void row_variance(Design& X, Vector& out) const;
  /// The full matrix V, of a design of so many columns.
  [[nodiscard]] Matrix covariance(Index num_columns) const;

 private:
  void row_variance_inside(Design& X, Vector& out) const;
  [[nodiscard]] Matrix covariance_inside() const;
};

/// V = M'M as a factor, M lower triangular, by Cholesky's way from the last row upwards; kind none: V is not positive definite.
[[nodiscard]] CovarianceFactor triangular_factor_of(const Matrix& V);

/// With one precision a for all penalised columns the system is C + a I, C fixed: what the spectral solver starts from.
struct SharedSystem {
  bool dual = false;  ///< C = diag(omega)^1/2 Z~ Z~' diag(omega)^1/2 [n,n], c = diag(omega)^-1/2 S'r;  otherwise C = Z~'diag(omega)Z~
                      ///< [p,p], c = Z~'r
  Matrix C;           ///< lower triangle
  Vector c;
  double response_square = 0;  ///< sum r_n^2/omega_n less what the flat columns explain
  double log_det_H = 0;
};

/// What a column z outside the system would find of itself: z'diag(omega)z less what the columns inside explain of it,
/// ||U z||^2, or z'diag(omega)z - ||U z||^2 if `complement`.                                                              (OPT.2)
struct Outlook {
  Matrix U;
  bool complement = false;
};

class Solver {
 public:
  virtual ~Solver() = default;
  [[nodiscard]] virtual SolverKind kind() const = 0;
  /// Fills the posterior for these rows and precisions a [p] (0 for flat columns). False if the system is not positive definite or not
  /// finite.
  [[nodiscard]] virtual bool solve(const Rows& rows, const Vector& a, Posterior& posterior) = 0;
  /// A solve() in two halves, the second taken at the end of Newton's method only: w and m; then V and s for the same rows and precisions.
  [[nodiscard]] virtual bool solve_mean(const Rows& rows, const Vector& a, Posterior& posterior) { return solve(rows, a, posterior); }
  [[nodiscard]] virtual bool complete(const Rows&, const Vector& /*a*/, Posterior&) { return true; }
  /// After solve(), V held: w <- V X' r for another working response, with m and the sums of w^2. False if this costs as much as a solve.
  [[nodiscard]] virtual bool respond(const Vector& /*r*/, const Vector& /*a*/, Posterior&) { return false; }
  /// True if the O(n p^2) products of a sweep can be taken this way; solvers start in double.                          (MP)
  virtual bool set_products(Products products) { return products == Products::double_precision; }
  /// Constant rows, after solve(): the same problem in the columns A alone, every other precision held.               (CONDENSE.1)
  /// X <- R^-1 D X_A, y <- R^-1 D^-1 r with D = diag(omega)^1/2 and R R' = I + D X_I A_I^-1 X_I' D, I the penalised columns not in A.
  /// False if this solver gains nothing by it.
  [[nodiscard]] virtual bool condense(const Rows&, const std::vector<Index>& /*columns*/, Matrix& /*X*/, Vector& /*y*/) { return false; }
  /// Only these columns of the design from now on, ascending; the partition has changed already. False if the solver cannot.
  [[nodiscard]] virtual bool restrict_to(const std::vector<Index>& /*columns*/) { return false; }
  /// The design and the partition have other columns than before: the same solver for these, with the workspace that it has. False if a new
  /// one must be made.
  [[nodiscard]] virtual bool columns_changed() { return false; }
  /// After solve() with these rows, which gave w: S and Q of columns of the design that are not in the system.   (OPT.2), (OPT.5)
  [[nodiscard]] virtual bool look_outside(const Rows&, const std::vector<Index>& /*columns*/, const Vector& /*w*/, Vector& /*S*/,
                                          Vector& /*Q*/) {
    return false;
  }
  /// The same as a matrix, by the solver that has the factor.
  [[nodiscard]] virtual bool outlook(const Rows&, Outlook&) { return false; }
  /// After the last sweep: w, V_diagonal and m for solvers that leave them out during sweeps.
  [[nodiscard]] virtual bool finish(const Rows& rows, const Vector& a, Posterior& posterior) = 0;
  /// For constant rows. False if the flat columns are linearly dependent, or where the solver has no Gram matrix.
  [[nodiscard]] virtual bool shared_system(const Rows& /*rows*/, SharedSystem& /*out*/) { return false; }
  /// After finish(): the diagonal of V^-1, of which each element times V_jj says how far rounding of the others reaches column j; 1/V_jj,
  /// which says nothing, of columns that this solver keeps apart by other means.                                            (RIDGE.9)
  [[nodiscard]] virtual Vector precision_diagonal(const Posterior& q) = 0;
  /// x' V x for one vector x [p], after finish().
  [[nodiscard]] virtual double variance_of(const Vector& x) = 0;
  /// V in factored form, after finish().
  [[nodiscard]] virtual CovarianceFactor factor() = 0;
};

/// Everything a solver is made for; the references outlive it.
struct System {
  Design& X;
  const Partition& partition;
  LikelihoodTraits likelihood;
};

std::unique_ptr<Solver> make_primal(System system);  ///< p x p Cholesky                              (RIDGE.3)
std::unique_ptr<Solver> make_dual(System system);    ///< n x n, never p x p                          (RIDGE.4), (RIDGE.7)
std::unique_ptr<Solver> make_qr(System system);      ///< the factor from the rows, no Gram matrix; a copy of X     (RIDGE.9)
/// Shared precision, constant rows: O(min(n,p)) a sweep; `exact` gives the posterior of the last one.               (RIDGE.6)
std::unique_ptr<Solver> make_spectral(System system, std::unique_ptr<Solver> exact);

/// Primal or dual, whichever is cheaper for the columns that are left (kind: automatic), or as asked, or QR as asked; of `system`, X is
/// every column there is, the partition that of the columns that are left. O(n^2 + p) beside the two solvers; with no more columns than
/// rows also a copy of these columns.
std::unique_ptr<Solver> make_shrinking(System system, SolverKind kind);

/// A pivot L_jj of a Gram matrix with this diagonal element that is no larger than rounding would leave: the column lies in the span of
/// others.
[[nodiscard]] inline bool pivot_is_rounding(double pivot, double diagonal, Index size) {
  return !(pivot * pivot > 4e-16 * static_cast<double>(size + 10) * diagonal);
}
[[nodiscard]] bool collinear(const Matrix& gram, const Matrix& cholesky);

/// group_square, group_variance, fixed_* and explained from w and V_diagonal.
void sum_by_group(const Partition& partition, const Vector& a, Posterior& posterior);

}  // namespace ardvark::internal
