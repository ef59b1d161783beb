// The loop of several classes: to the mode of the weights, then the precisions, round and round.                docs/math/softmax.md
//
// The waist of the other models has one number a row for omega and one for r. With C classes omega_n is a C x C matrix and the solvers
// never form it, so the loop is one of its own; precisions, their rules, pruning and stopping are those of the others.
#pragma once

#include "ardvark/fit.hpp"
#include "posterior/softmax_solver.hpp"
#include "prior/precision.hpp"

namespace ardvark {

struct ClassSettings {
  double num_rows = 0;
  double tolerance = 1e-8;  ///< predicted gain of the next steps, nats per row                                               (SLR.3)
  int max_sweeps = 500;
  bool all_sweeps = false;  ///< published: as many as asked for
  double mode_tolerance = 1e-16;
  bool may_separate = false;  ///< there are flat columns beside the intercept: the likelihood may have no maximum                (SMX.3)
  Pruning pruning;
  SolverKind solver = SolverKind::automatic;
  int record_every = 0;  ///< sweeps between two entries of the history of the precisions
  SweepCallback on_sweep;
};

struct ClassOutcome {
  Status status = Status::failed;
  std::string message;
  int sweeps = 0;
  double bound = 0;  ///< Laplace's approximation of the log evidence                                                       (SMX.7)
  std::vector<double> bound_history;
  std::vector<PruningEvent> pruning;  ///< weights: class * columns of the design + column
  Vector expected;                    ///< [groups] E[alpha]; of a pruned group what it left with
  Matrix history;                     ///< [groups, 1 + max_sweeps/record_every] E[alpha], as Fit::precision_history
  std::vector<bool> pruned;           ///< [groups] left for good, some of them after the last sweep
  std::vector<Index> weights;         ///< those that the posterior is about, ascending
  Vector a, w, V;                     ///< [weights] precisions inside V, mean, diagonal of V
  double log_det_V = 0;
  double explained = 0;  ///< effective parameters
  Matrix scores;         ///< [n, C]
  std::unique_ptr<ClassSolver> solver;
};

/// `prior`: of num_classes x columns of X weights, class beside class.
ClassOutcome sweep_classes(Design& X, const SoftmaxLaplace& likelihood, PrecisionPrior prior, const ClassSettings& settings);

}  // namespace ardvark
