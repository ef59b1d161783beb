// What the two loops share, that of one score and that of several classes: settings, outcome, and when nothing moves any more.
#pragma once

#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "prior/active_set.hpp"

namespace ardvark::internal {

struct LoopSettings {
  double num_rows = 0;      ///< sum of the observation weights
  double tolerance = 1e-8;  ///< nats per row; under a published rule a relative change
  int max_sweeps = 500;
  double mode_tolerance = 1e-16;  ///< to a mode: squared length of the last Newton step in the Hessian's metric         (LAP.2), (SMX.3)
  Pruning pruning;                ///< (SLR.2)
  int record_every = 0;           ///< sweeps between two entries of the history of the precisions
  SweepCallback on_sweep;

  [[nodiscard]] double allowed() const { return tolerance * num_rows; }
};

struct LoopOutcome {
  Status status = Status::failed;
  std::string message;
  int sweeps = 0;
  double bound = 0;  ///< on the log evidence, or Laplace's approximation of it, nats
  std::vector<double> bound_history;
  Vector a;                           ///< [weights of the posterior] the precisions inside V
  Vector expected;                    ///< [groups of the prior that the loop began with] E[alpha]; of a pruned group what it left with
  std::vector<bool> pruned;           ///< [groups] left for good, some of them after the last sweep
  std::vector<PruningEvent> pruning;  ///< of columns of the prior that the loop began with
  Matrix history;                     ///< [groups, 1 + max_sweeps/record_every] E[alpha], as Fit::precision_history
};

/// What messages call the parts of a loop.
struct LoopWords {
  const char* bound;   ///< "the bound"
  const char* steps;   ///< "precisions and rows": what must stop moving
  const char* column;  ///< "column": what may be outside
};

/// One loop's book: how far it is, and how it ends.
class LoopBook {
 public:
  /// \param prior  of all columns; the active ones are in `active`
  LoopBook(const LoopSettings& settings, PrecisionPrior& prior, LoopWords words) : active(prior), settings_(settings), words_(words) {}

  ActiveSet active;

  void begin() { active.keep_history(settings_.record_every, settings_.max_sweeps); }
  /// A sweep was made. The caller may stop the fit.
  void record(double bound, double seconds, LoopOutcome& out);
  /// What the active set knows. \param as_at_the_end  the history of sweeps that were not made
  void finish(bool as_at_the_end, LoopOutcome& out);

  /// All that is promised is below what is allowed, twice in a row, and no column wants to leave or come back. Columns that are on their
  /// way to infinity and of which next to nothing is left are taken at their word. (SLR.3) \param q          the posterior, \param tau its
  /// noise precision, \param expected the precisions inside it \param remaining  what the next steps promise, nats \param readmit    tries
  /// to bring columns back
  template <typename Readmit>
  void stop_at_standstill(const Posterior& q, double tau, const Vector& expected, double remaining, Readmit&& readmit, LoopOutcome& out) {
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
  /// Published: as many sweeps as asked for. What the next would promise says whether that was enough.
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

/// How a loop ended, in one call.
inline void end(LoopOutcome& out, Status status, std::string message) {
  out.status = status;
  out.message = std::move(message);
}

}  // namespace ardvark::internal
