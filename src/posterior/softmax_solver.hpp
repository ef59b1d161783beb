// Solvers of the linear system of several classes: V^-1 = diag(a) + [X' diag(omega_cd) X] over the pairs of classes.
// docs/math/softmax.md, ridge.md (RIDGE.8)
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ardvark/report.hpp"
#include "design/dense.hpp"
#include "likelihood/softmax_laplace.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// Which weights there are: of each class some columns of the design. Weight i is that of class_of[i] for column[i]; ascending by class,
/// then column. A column is flat for every class or for none.
struct ClassWeights {
  Index num_classes = 0;
  std::vector<Index> class_of, column;
  std::vector<bool> flat;

  [[nodiscard]] Index size() const { return static_cast<Index>(column.size()); }
};

/// V, enough for the covariance of the scores of a row. Scores are determined up to a number added to all of them, and so is V.
struct ClassCovariance {
  enum class Kind { none, triangular, reduced };
  Kind kind = Kind::none;
  Index num_classes = 0;
  std::vector<Index> class_of, column;  ///< of each weight
  Matrix L_inverse;                     ///< triangular: V = L_inverse' L_inverse [P, P], lower
  /// reduced: V = blockdiag(diag(d) - T_c'T_c) + U'U + B R'R B'; T, U [n, P], d [P]                       (SMX.4)
  Vector d;
  Matrix T, U;
  Matrix B;  ///< [P, flat weights] how the flat weights follow the others, and 1 at their own place
  Matrix R;  ///< [flat weights, flat weights] R'R = V of the flat weights

  /// S [C, C] for each row of the design that X reads: cov(f_c, f_d), up to a constant added to all of S.
  /// `visit(n, S)` is called in the order of the rows.
  void score_covariances(const DenseDesign& X, const std::function<void(Index, const Matrix&)>& visit) const;
  [[nodiscard]] Matrix matrix() const;  ///< V [P, P]
};

/// Newton's method in two forms. The point is held by the solver; its scores and what the prior says of it are all that others need.
class ClassSolver {
 public:
  virtual ~ClassSolver() = default;
  [[nodiscard]] virtual SolverKind kind() const = 0;

  /// New precisions a [P] (0 where flat), from the point w [P]; scores() is X w.
  virtual void begin(const Vector& a, const Vector& w) = 0;
  [[nodiscard]] virtual const Matrix& scores() const = 0;  ///< [n, C]
  [[nodiscard]] virtual double penalty() const = 0;        ///< w'Aw
  /// A full Newton step from the present point, at which `rows` were taken; V is that of where it began. `length` is the square of the
  /// step in the metric of V^-1. False if the system is not positive definite.                                                   (SMX.3)
  [[nodiscard]] virtual bool step(const SoftmaxRows& rows, double& length) = 0;
  /// To this part of the last step.
  virtual void move(double part) = 0;

  virtual void weights(Vector& w) = 0;                                   ///< [P] the point
  [[nodiscard]] virtual bool variances(Vector& V, double& log_det) = 0;  ///< diag V [P] and ln|V|, of the last step's beginning
  /// Of single columns outside, for class c: x'(omega_cc - [omega X V X' omega]_cc) x, with the V of the last step.                (SMX.6)
  virtual void curvature(Index c, const Eigen::Ref<const Matrix>& columns, Vector& S) = 0;
  [[nodiscard]] virtual ClassCovariance covariance() = 0;  ///< after variances()
};

/// P x P, P the number of weights.                                                                                         (RIDGE.8)
std::unique_ptr<ClassSolver> make_class_primal(Design& X, ClassWeights weights, const SoftmaxLaplace& likelihood);
/// n x n, one for each class and one for all: never P x P, nor n C x n C.                                                    (SMX.4)
std::unique_ptr<ClassSolver> make_class_dual(Design& X, ClassWeights weights, const SoftmaxLaplace& likelihood);
/// The cheaper of the two, or as asked.
std::unique_ptr<ClassSolver> make_class_solver(Design& X, ClassWeights weights, const SoftmaxLaplace& likelihood, SolverKind asked);

}  // namespace ardvark::internal
