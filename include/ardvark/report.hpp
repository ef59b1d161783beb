// The report of a fit: how it ended.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

enum class Status {
  failed,                 ///< the fit has not finished
  converged,              ///< the stopping rule was met
  max_sweeps,             ///< the stopping rule was not met within max_sweeps
  stopped_by_user,        ///< the callback returned false
  not_positive_definite,  ///< the linear system could not be factorised
  separated,              ///< the classes are separable, and nothing keeps the coefficients from growing
  bound_fell,             ///< the bound fell by more than rounding
  false_stop              ///< compat only: the starting value of the published program stopped it after the first sweep
};
[[nodiscard]] const char* to_string(Status status);

enum class SolverKind { automatic, primal, dual, spectral, sequential, greedy, coordinate, qr, iterative };
[[nodiscard]] const char* to_string(SolverKind kind);

/// Columns that left the computation after a sweep, or came back. They are positions in X; X.cols() is an intercept with a precision.
struct PruningEvent {
  int sweep = 0;
  std::vector<Index> pruned;
  std::vector<Index> readmitted;
};

/// What of a fit comes from random vectors, and how far it may be from the exact result. All errors are standard errors, for the
/// precision that the fit found.                                                                  (RIDGE.13), (RIDGE.15)
struct Sampled {
  Index draws = 0;             ///< of the weights: variances, covariances and the variances of predictions come from these
  double sd_error = 0;         ///< relative, of the standard deviations of the weights: root mean square over the columns
  double bound_error = 0;      ///< of the bound, nats
  double precision_error = 0;  ///< relative, of E[alpha]
};

/// A report starts as failed. It records what was asked for and what was used.
struct Report {
  Status status = Status::failed;
  std::string message = "the fit has not run";  ///< one sentence, with numbers
  int sweeps = 0;
  double bound = 0;                   ///< lower bound on the log evidence, in nats, in the units of the data
  std::vector<double> bound_history;  ///< one entry per sweep; never falls, except in the fits that docs/math/bound.md names   (BOUND.5)
  SolverKind solver = SolverKind::automatic;
  std::string solver_reason;
  std::optional<Sampled> sampled;     ///< solver iterative only
  std::vector<PruningEvent> pruning;  ///< in the order of the sweeps; empty if no column left
  std::string preset;                 ///< empty for a model
  bool compat = false;
  std::vector<std::string> notes;     ///< what was decided for you, and why
  std::vector<std::string> warnings;  ///< what you should know before you trust the result
  double seconds = 0;                 ///< time of the fit alone, wall clock
};

/// What a call does at the moment, and how far it is.
struct Progress {
  int sweep = 0;
  double bound = 0;
  double elapsed_seconds = 0;
  int fit = 1;                    ///< number of the current fit, from 1, if there is one fit for each class, pair of classes or model
  int num_fits = 1;               ///< number of such fits
  const char* fit_name = "fit";   ///< what a fit is for: "class", "pair of classes", "model"
  const char* stage = "fitting";  ///< "reading", "preparing", "fitting", "checking", "predicting" or "writing"
  const char* piece = "";         ///< what `done` counts, such as "fold"; empty: parts of a whole
  Index done = 0;                 ///< pieces of this stage that are done
  Index total = 0;                ///< pieces in all; 0: not known
  bool total_may_grow = false;    ///< there may be more pieces than `total`
  bool is_of_step = false;        ///< the pieces are those of one step, of which there are more
  Index rows = 0;                 ///< rows of the table that were read so far; 0: not counted
  double rows_per_second = 0;     ///< in this stage
  double seconds_left = std::numeric_limits<double>::quiet_NaN();  ///< from the time that pieces of equal size took; NaN: not known
};
/// Called after each sweep; return false to stop (status = stopped_by_user).
using SweepCallback = std::function<bool(const Progress&)>;

}  // namespace ardvark
