// What a fit says about itself.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

enum class Status {
  failed,                 ///< the state before a fit has finished
  converged,              ///< the stopping rule was met
  max_sweeps,             ///< it was not met within max_sweeps
  stopped_by_user,        ///< the callback returned false
  not_positive_definite,  ///< the linear system could not be factorised
  separated,              ///< the classes can be told apart, and nothing keeps the coefficients from growing
  bound_fell,             ///< the bound fell by more than rounding
  false_stop              ///< compat only: the published program's start value stopped it after the first sweep
};
[[nodiscard]] const char* to_string(Status status);

enum class SolverKind { automatic, primal, dual, spectral, sequential, greedy, coordinate, qr };
[[nodiscard]] const char* to_string(SolverKind kind);

/// Columns that left the computation after a sweep, or came back to it. Positions in X; X.cols() is an intercept with a precision.
struct PruningEvent {
  int sweep = 0;
  std::vector<Index> pruned;
  std::vector<Index> readmitted;
};

/// A report starts as failed and records what was asked for and what was used.
struct Report {
  Status status = Status::failed;
  std::string message = "the fit has not run";  ///< one sentence, with numbers
  int sweeps = 0;
  double bound = 0;                   ///< lower bound on the log evidence, in nats, in the units of the data
  std::vector<double> bound_history;  ///< one entry per sweep; it never falls, but in the fits that docs/math/bound.md names   (BOUND.5)
  SolverKind solver = SolverKind::automatic;
  std::string solver_reason;
  std::vector<PruningEvent> pruning;  ///< in the order of the sweeps; empty if nothing left
  std::string preset;                 ///< empty for a model
  bool compat = false;
  std::vector<std::string> notes;     ///< what was decided for the caller, and why
  std::vector<std::string> warnings;  ///< what the caller should know before trusting the result
  double seconds = 0;                 ///< the fit alone, wall clock
};

struct Progress {
  int sweep = 0;
  double bound = 0;
  double elapsed_seconds = 0;
  int fit = 1;       ///< where several are made, one for each class or pair of classes: which of them, from 1
  int num_fits = 1;  ///< how many
};
/// Called after each sweep; return false to stop (status = stopped_by_user).
using SweepCallback = std::function<bool(const Progress&)>;

}  // namespace ardvark
