// The loop of several classes: to the mode of the weights, then the precisions, round and round.                docs/math/softmax.md
//
// The waist of the other models has one number a row for omega and one for r. With C classes omega_n is a C x C matrix and the solvers
// never form it, so the loop is one of its own; precisions, their rules, pruning and stopping are those of the others.
#pragma once

#include "method/loop/loop.hpp"
#include "posterior/softmax_solver.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

struct ClassSettings : LoopSettings {
  bool all_sweeps = false;    ///< published: as many as asked for
  bool may_separate = false;  ///< there are flat columns beside the intercept: the likelihood may have no maximum                (SMX.3)
  SolverKind solver = SolverKind::automatic;
};

/// The bound is Laplace's approximation of the log evidence (SMX.7); the columns of the prior are class * columns of the design + column.
struct ClassOutcome : LoopOutcome {
  std::vector<Index> weights;  ///< those that the posterior is about, ascending
  Vector w, V;                 ///< [weights] mean, diagonal of V
  double log_det_V = 0;
  double explained = 0;  ///< effective parameters
  Matrix scores;         ///< [n, C]
  std::unique_ptr<ClassSolver> solver;
};

/// `prior`: of num_classes x columns of X weights, class beside class.
ClassOutcome sweep_classes(Design& X, const SoftmaxLaplace& likelihood, PrecisionPrior prior, const ClassSettings& settings);

}  // namespace ardvark::internal
