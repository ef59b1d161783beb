// Solvers of the linear system of waist.hpp. Each states what it can do; method/sweep/sweep_choice.cpp chooses one or refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ardvark/report.hpp"
#include "design/design.hpp"
#include "posterior/mixture.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// V in the form of its solver; it gives x'Vx and the full matrix. Columns are columns of the design.
struct CovarianceFactor {
  enum class Kind { none, triangular, reduced, mixture };
  Kind kind = Kind::none;
  /// triangular: V = L_inverse' L_inverse. [p,p], lower.
  Matrix L_inverse;
  /// reduced (p > n): with z~ = z - B' f, x'Vx = sum_j d_j z~_j^2 - ||T z~||^2 + ||U z~||^2 + ||R f||^2; f = x at the flat columns, d = 0
  /// there. (RIDGE.4), (RIDGE.7)
  Vector d;  ///< [p]
  Matrix T;  ///< [n,p]
  Matrix B;  ///< [flats, p]
  Matrix R;  ///< [flats, flats], R'R = H^-1
  Matrix U;  ///< [any number, p] adds ||U z~||^2; empty if there is nothing to add                                              (LIN.9)
  std::vector<Index> flat_columns;
  Mixture mixture;  ///< mixture: a mixture of posteriors under a sparse prior
  /// The columns of the design that V is for, ascending; empty: all (or those that the mixture names). Other columns have variance 0.
  std::vector<Index> columns;

  [[nodiscard]] Index num_columns() const { return kind == Kind::triangular ? L_inverse.cols() : d.size(); }
  /// out_n <- x_n' V x_n
  void row_variance(Design& X, Vector& out) const;
  /// The full matrix V for a design with so many columns.
  [[nodiscard]] Matrix covariance(Index num_columns) const;

 private:
  void row_variance_inside(Design& X, Vector& out) const;
  [[nodiscard]] Matrix covariance_inside() const;
};

/// V = M'M as a factor, M lower triangular, by a Cholesky factorisation from the last row upwards. Kind none if V is not positive definite.
[[nodiscard]] CovarianceFactor triangular_factor_of(const Matrix& V);

/// With one precision a for all penalised columns the system is C + a I with fixed C. The spectral solver starts from it.
struct SharedSystem {
  bool dual = false;  ///< C = diag(omega)^1/2 Z~ Z~' diag(omega)^1/2 [n,n], c = diag(omega)^-1/2 S'r;  otherwise C = Z~'diag(omega)Z~
                      ///< [p,p], c = Z~'r
  Matrix C;           ///< lower triangle
  Vector c;
  double response_square = 0;  ///< sum r_n^2/omega_n minus the part that the flat columns explain
  double log_det_H = 0;
};

/// S of a column z that is not in the system: z'diag(omega)z minus the part that the columns in the system explain. This part is
/// z'diag(omega)z - S = ||U z||^2, or S = ||U z||^2 if `complement`.                                                            (OPT.2)
struct Outlook {
  Matrix U;
  bool complement = false;
};

/// A number that comes from random vectors, with its standard error.
struct SampledNumber {
  double value = 0, error = 0;
};

struct SampledPosterior : Sampled {
  SampledNumber trace = {};  ///< tr V of the penalised columns
};

class Solver {
 public:
  virtual ~Solver() = default;
  [[nodiscard]] virtual SolverKind kind() const = 0;
  /// Fills the posterior for these rows and precisions a [p] (0 for flat columns). False if the system is not positive definite or not
  /// finite.
  [[nodiscard]] virtual bool solve(const Rows& rows, const Vector& a, Posterior& posterior) = 0;
  /// solve() in two halves: solve_mean() gives w and m, complete() gives V and s for the same rows and precisions. Newton's method calls
  /// the second half only at its end.
  [[nodiscard]] virtual bool solve_mean(const Rows& rows, const Vector& a, Posterior& posterior) { return solve(rows, a, posterior); }
  [[nodiscard]] virtual bool complete(const Rows&, const Vector& /*a*/, Posterior&) { return true; }
  /// After solve(): w <- V X' r for another working response with the same V, with m and the sums of w^2. False if this costs as much as
  /// solve().
  [[nodiscard]] virtual bool respond(const Vector& /*r*/, const Vector& /*a*/, Posterior&) { return false; }
  /// True if the solver now computes the O(n p^2) products of a sweep like this; solvers start with double precision. (MP)
  virtual bool set_products(Products products) { return products == Products::double_precision; }
  /// For constant rows, after solve(): the same problem in the columns A only, with all other precisions fixed.              (CONDENSE.1)
  /// X <- R^-1 D X_A, y <- R^-1 D^-1 r with D = diag(omega)^1/2 and R R' = I + D X_I A_I^-1 X_I' D, I the penalised columns not in A.
  /// False if this is no advantage for the solver.
  [[nodiscard]] virtual bool condense(const Rows&, const std::vector<Index>& /*columns*/, Matrix& /*X*/, Vector& /*y*/) { return false; }
  /// From now on, uses only these columns of the design, ascending; the partition has changed before. False if the solver cannot do this.
  [[nodiscard]] virtual bool restrict_to(const std::vector<Index>& /*columns*/) { return false; }
  /// The design and the partition have other columns now: the solver adapts to them and keeps its workspace. False if a new solver must be
  /// made.
  [[nodiscard]] virtual bool columns_changed() { return false; }
  /// After solve() with these rows, which gave w: S and Q for columns of the design that are not in the system.  (OPT.2), (OPT.5)
  [[nodiscard]] virtual bool look_outside(const Rows&, const std::vector<Index>& /*columns*/, const Vector& /*w*/, Vector& /*S*/,
                                          Vector& /*Q*/) {
    return false;
  }
  /// The matrix for S, by the solver that has the factor.
  [[nodiscard]] virtual bool outlook(const Rows&, Outlook&) { return false; }
  /// After the last sweep: computes w, V_diagonal and m if the solver leaves them out during sweeps.
  [[nodiscard]] virtual bool finish(const Rows& rows, const Vector& a, Posterior& posterior) = 0;
  /// For constant rows. False if the flat columns are linearly dependent, or if the solver has no Gram matrix.
  [[nodiscard]] virtual bool shared_system(const Rows& /*rows*/, SharedSystem& /*out*/) { return false; }
  /// After finish(): the diagonal of V^-1. Element j times V_jj shows how much rounding errors of other columns affect column j. The
  /// element is 1/V_jj (no information) for columns that this solver separates by other means. (RIDGE.9)
  [[nodiscard]] virtual Vector precision_diagonal(const Posterior& q) = 0;
  /// x' V x for one vector x [p], after finish().
  [[nodiscard]] virtual double variance_of(const Vector& x) = 0;
  /// V in factored form, after finish().
  [[nodiscard]] virtual CovarianceFactor factor() = 0;
  /// After finish(), if something comes from random vectors.
  [[nodiscard]] virtual std::optional<SampledPosterior> sampled() const { return {}; }
  /// After finish(): the largest error of a solution by steps, as a multiple of what was asked for; 1 or less: all is as asked for.
  [[nodiscard]] virtual double remaining() const { return 1; }
};

/// The system that a solver is made for; the references must be valid as long as the solver exists.
struct System {
  Design& X;
  const Partition& partition;
  LikelihoodTraits likelihood;
};

std::unique_ptr<Solver> make_primal(System system);  ///< p x p Cholesky                              (RIDGE.3)
std::unique_ptr<Solver> make_dual(System system);    ///< n x n, never p x p                          (RIDGE.4), (RIDGE.7)
std::unique_ptr<Solver> make_qr(System system);      ///< the factor from the rows, no Gram matrix; a copy of X     (RIDGE.9)
/// Shared precision, constant rows: O(min(n,p)) per sweep; `exact` gives the posterior of the last sweep.             (RIDGE.6)
std::unique_ptr<Solver> make_spectral(System system, std::unique_ptr<Solver> exact);

/// Shared precision, constant rows: products with the table only; variances are from draws.               (RIDGE.12) to (RIDGE.15)
std::unique_ptr<Solver> make_iterative(System system, std::uint64_t seed = 1);

/// Primal or dual, whichever is cheaper for the active columns (kind: automatic), or the solver named by `kind` (also QR). In `system`, X
/// has all columns, and the partition is that of the active columns. Needs O(n^2 + p) memory besides the solver, and a copy of the active
/// columns if there are not more of them than rows.
std::unique_ptr<Solver> make_shrinking(System system, SolverKind kind);

/// Whether a pivot L_jj of a Gram matrix with this diagonal element is not larger than rounding errors: then other columns span this
/// column.
[[nodiscard]] inline bool pivot_is_rounding(double pivot, double diagonal, Index size) {
  return !(pivot * pivot > 4e-16 * static_cast<double>(size + 10) * diagonal);
}
[[nodiscard]] bool collinear(const Matrix& gram, const Matrix& cholesky);

/// Computes group_square, group_variance, fixed_* and explained from w and V_diagonal.
void sum_by_group(const Partition& partition, const Vector& a, Posterior& posterior);

}  // namespace ardvark::internal
