// The common parts of the loop of one score and the loop of several classes: settings, outcome, and the test of convergence.
#pragma once

#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "prior/active_set.hpp"

namespace ardvark::internal {

struct LoopSettings {
  double num_rows = 0;      ///< sum of the observation weights
  double tolerance = 1e-8;  ///< nats per row; for a published rule, a relative change
  int max_sweeps = 500;
  double mode_tolerance = 1e-16;  ///< for a mode: squared length of the last Newton step in the Hessian's metric        (LAP.2), (SMX.3)
  Pruning pruning;                ///< (SLR.2)
  int record_every = 0;           ///< sweeps between two entries of the history of the precisions
  SweepCallback on_sweep;

  [[nodiscard]] double allowed() const { return tolerance * num_rows; }
};

struct LoopOutcome {
  Status status = Status::failed;
  std::string message;
  int sweeps = 0;
  double bound = 0;  ///< nats; a bound on the log evidence, or Laplace's approximation of it
  std::vector<double> bound_history;
  Vector a;                           ///< [weights of the posterior] the precisions inside V
  Vector expected;                    ///< [groups of the first prior] E[alpha]; of a pruned group, the value with which it left
  std::vector<bool> pruned;           ///< [groups] not in the model at the end; some may have left after the last sweep
  std::vector<PruningEvent> pruning;  ///< columns are those of the first prior
  Matrix history;                     ///< [groups, 1 + max_sweeps/record_every] E[alpha], as Fit::precision_history
};

/// Names of the parts of a loop in messages.
struct LoopWords {
  const char* bound;   ///< "the bound"
  const char* steps;   ///< "precisions and rows": what must stop moving
  const char* column;  ///< "column": what may leave the model
};

/// The record of a loop: its progress, and how it ends.
class LoopBook {
 public:
  /// \param prior  of all columns; `active` has those in the model
  LoopBook(const LoopSettings& settings, PrecisionPrior& prior, LoopWords words) : active(prior), settings_(settings), words_(words) {}

  ActiveSet active;

  void begin() { active.keep_history(settings_.record_every, settings_.max_sweeps); }
  /// Records a sweep. The user may stop the fit.
  void record(double bound, double seconds, LoopOutcome& out);
  /// Copies the results of the active set. \param as_at_the_end  the history of sweeps not made has the last values, not the first
  void finish(bool as_at_the_end, LoopOutcome& out);

  /// Ends the loop if, twice in a row, the predicted gain is at most the allowed one and no column leaves or comes back. Columns whose
  /// precision goes to infinity and that have almost no effect are removed first.                                            (SLR.3)
  /// \param q          the posterior, \param tau its noise precision, \param expected the precisions inside it
  /// \param remaining  predicted gain of the next steps, nats
  /// \param readmit    tries to bring columns back
  void stop_at_standstill(const Posterior& q, double tau, const Vector& expected, double remaining, auto&& readmit, LoopOutcome& out) {
    if (!is_quiet_again(remaining)) return;
    if (settings_.pruning.is_on()) {
      active.prune_runaways(q, tau, expected, out.sweeps);
      if (settings_.pruning.readmit_every > 0 && !active.will_change()) readmit();
      if (active.will_change()) {
        num_quiet_ = 0;
        return;
      }
    }
    converge(remaining, out);
  }
  /// Published: ends after max_sweeps sweeps. The predicted gain of the next one decides whether the fit has converged.
  void stop_after_all_sweeps(double promised, LoopOutcome& out) const;

 private:
  [[nodiscard]] bool is_quiet(double promised) const { return promised <= settings_.allowed() && !active.will_change(); }
  [[nodiscard]] bool is_quiet_again(double remaining) {
    num_quiet_ = is_quiet(remaining) ? num_quiet_ + 1 : 0;
    return num_quiet_ >= 2;
  }
  void converge(double remaining, LoopOutcome& out) const;

  const LoopSettings& settings_;
  LoopWords words_;
  int num_quiet_ = 0;
};

/// Sets status and message.
inline void end(LoopOutcome& out, Status status, std::string message) {
  out.status = status;
  out.message = std::move(message);
}

}  // namespace ardvark::internal
