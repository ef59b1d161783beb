// The loop of several classes. Each sweep finds the mode of the weights and then updates the precisions.        docs/math/softmax.md
//
// The waist of the other models has one number per row for omega and one for r. With C classes, omega_n is a C x C matrix, which the
// solvers never form. Therefore this loop is separate. Precisions, their rules, pruning and stopping are those of the other models.
#pragma once

#include "method/loop/loop.hpp"
#include "posterior/softmax_solver.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

struct ClassSettings : LoopSettings {
  bool all_sweeps = false;    ///< published: exactly max_sweeps sweeps
  bool may_separate = false;  ///< columns other than the intercept are flat: the likelihood may have no maximum                  (SMX.3)
  SolverKind solver = SolverKind::automatic;
};

/// The bound is Laplace's approximation of the log evidence (SMX.7); the columns of the prior are class * columns of the design + column.
struct ClassOutcome : LoopOutcome {
  std::vector<Index> weights;  ///< the weights of the posterior, ascending
  Vector w, V;                 ///< [weights] mean, diagonal of V
  double log_det_V = 0;
  double explained = 0;  ///< effective parameters
  Matrix scores;         ///< [n, C]
  std::unique_ptr<ClassSolver> solver;
};

/// \param prior  of num_classes * (columns of X) weights, one class after another
ClassOutcome sweep_classes(Design& X, const ClassLikelihood& likelihood, PrecisionPrior prior, const ClassSettings& settings);

}  // namespace ardvark::internal
