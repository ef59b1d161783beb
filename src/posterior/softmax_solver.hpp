// Solvers of the linear system of several classes: V^-1 = diag(a) + [X' diag(omega_cd) X] over the pairs of classes.
// docs/math/softmax.md, ridge.md (RIDGE.8)
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ardvark/report.hpp"
#include "design/table_design.hpp"
#include "likelihood/softmax_laplace.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// The weights: for each class some columns of the design. Weight i belongs to class_of[i] and column[i]; sorted by class, then by column.
/// A column is flat for all classes or for none.
struct ClassWeights {
  Index num_classes = 0;
  std::vector<Index> class_of, column;
  std::vector<bool> flat;

  [[nodiscard]] Index size() const { return static_cast<Index>(column.size()); }
};

/// V in a form that gives the covariance of the scores of a row. Adding a number to all scores changes nothing, so V is determined up to
/// this.
struct ClassCovariance {
  enum class Kind { none, triangular, reduced };
  Kind kind = Kind::none;
  Index num_classes = 0;
  std::vector<Index> class_of, column;  ///< [P] class and column of each weight
  Matrix L_inverse;                     ///< triangular: V = L_inverse' L_inverse [P, P], lower
  /// reduced: V = blockdiag(diag(d) - T_c'T_c) + U'U + B R'R B'; T, U [n, P], d [P]                       (SMX.4)
  Vector d;
  Matrix T, U;
  Matrix B;  ///< [P, flat weights] how the flat weights depend on the others, and 1 at their own place
  Matrix R;  ///< [flat weights, flat weights] R'R = V of the flat weights

  /// Calls `visit(n, S)` for each row of X, in order: S [C, C] is cov(f_c, f_d), up to a constant added to all of S.
  void score_covariances(const TableDesign& X, const std::function<void(Index, const Matrix&)>& visit) const;
  [[nodiscard]] Matrix matrix() const;  ///< V [P, P]
};

/// Newton's method, in two forms. The solver holds the current point; other code needs only its scores and its penalty.
class ClassSolver {
 public:
  virtual ~ClassSolver() = default;
  [[nodiscard]] virtual SolverKind kind() const = 0;

  /// New precisions a [P] (0 where flat), from the point w [P]; scores() is X w.
  virtual void begin(const Vector& a, const Vector& w) = 0;
  [[nodiscard]] virtual const Matrix& scores() const = 0;  ///< [n, C]
  [[nodiscard]] virtual double penalty() const = 0;        ///< w'Aw
  /// A full Newton step from the current point, for which `rows` were computed; V is the one at this point. `length` is the squared length
  /// of the step in the metric of V^-1. False if the system is not positive definite. (SMX.3)
  [[nodiscard]] virtual bool step(const SoftmaxRows& rows, double& length) = 0;
  /// Moves to this part of the last step: 0 is its beginning, 1 its end.
  virtual void move(double part) = 0;

  virtual void weights(Vector& w) = 0;                                   ///< [P] the current point
  [[nodiscard]] virtual bool variances(Vector& V, double& log_det) = 0;  ///< diag V [P] and ln|V| at the beginning of the last step
  /// diag KVK [P] at weights with a prior, K = I - 11'/C: without what the C weights of a column have in common, if they share its
  /// precision and no class lacks one. After variances(), with its V. (SMX.11)
  [[nodiscard]] virtual Vector centred_variances(const Vector& V) = 0;
  /// For single columns that are not in the system, and class c: x'(omega_cc - [omega X V X' omega]_cc) x, with the V of the last step.
  /// (SMX.6)
  virtual void curvature(Index c, const Eigen::Ref<const Matrix>& columns, Vector& S) = 0;
  [[nodiscard]] virtual ClassCovariance covariance() = 0;  ///< after variances()
};

/// Uses P x P, P the number of weights.                                                                                       (RIDGE.8)
std::unique_ptr<ClassSolver> make_class_primal(Design& X, ClassWeights weights, const ClassLikelihood& likelihood);
/// Uses n x n, one for each class and one for all; never P x P or n C x n C.                                                   (SMX.4)
std::unique_ptr<ClassSolver> make_class_dual(Design& X, ClassWeights weights, const ClassLikelihood& likelihood);
/// The cheaper of the two, or the one that is `asked` for.
std::unique_ptr<ClassSolver> make_class_solver(Design& X, ClassWeights weights, const ClassLikelihood& likelihood, SolverKind asked);

}  // namespace ardvark::internal
