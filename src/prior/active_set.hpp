// Which columns a sweep is about: those that leave, those that come back, and the precisions of both.               docs/math/slr.md
#pragma once

#include <vector>

#include "ardvark/report.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

/// Decisions are taken at any time and come into force together, at apply(): until then prior and posterior are about the columns as they
/// were.
class ActiveSet {
 public:
  /// \param prior  of all columns; after each apply() that of the active ones
  explicit ActiveSet(PrecisionPrior& prior);

  [[nodiscard]] const std::vector<Index>& columns() const { return columns_; }  ///< ascending
  [[nodiscard]] const Partition& all() const { return all_.partition(); }
  [[nodiscard]] bool will_change() const { return will_change_; }

  /// Groups whose precision has reached the threshold (or is no number) leave.                                                  (SLR.2)
  void prune(double threshold, int sweep);
  /// So do groups on their way to infinity of which next to nothing is left. expected: the precisions inside q.                  (SLR.3)
  void prune_runaways(const Posterior& q, double tau, const Vector& expected, int sweep);
  /// It is outside, alone in its group, and has come back fewer times than that: approximations may disagree on a column for ever.
  [[nodiscard]] bool may_return(Index column, int most_returns) const;
  void readmit(Index column, double precision, int sweep);
  /// Columns that the partition leaves out go with the next change; this is one.
  void drop_left_out() { will_change_ = true; }
  /// w: of the columns so far, then of those that are active, 0 where they were not. False: none is left, and nothing has changed.
  [[nodiscard]] bool apply(Vector& w);

  /// From now on E[alpha] of every group is kept as it is and after each `every` of at most `max_sweeps` sweeps; 0: nothing is.
  void keep_history(int every, int max_sweeps);
  void record(int sweep);
  /// [groups, 1 + max_sweeps / every]; of sweeps that were not made as at the end, or as at the beginning.
  [[nodiscard]] Matrix history(int sweeps, bool as_at_the_end);

  /// [groups] E[alpha]; of a pruned group what it left with.
  [[nodiscard]] Vector expected();
  [[nodiscard]] const std::vector<bool>& pruned() const { return pruned_; }          ///< [groups] some of them after the last sweep
  [[nodiscard]] const std::vector<PruningEvent>& events() const { return events_; }  ///< of columns

 private:
  void leave(const std::vector<Index>& groups, int sweep);
  PruningEvent& event(int sweep);
  void remember_precisions();

  PrecisionPrior& prior_;                // of the active columns
  PrecisionPrior all_;                   // its precisions are those of the last change
  std::vector<Index> columns_, groups_;  // of all_ that are active
  std::vector<bool> is_active_;          // [all columns]
  std::vector<bool> pruned_;
  std::vector<int> num_returns_;  // [groups]
  std::vector<PruningEvent> events_;
  bool will_change_ = false;
  int record_every_ = 0;  // sweeps
  Matrix history_;
};

}  // namespace ardvark::internal
