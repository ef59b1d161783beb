// The columns that sweeps use: which leave, which come back, and the precisions of both.                           docs/math/slr.md
#pragma once

#include <vector>

#include "ardvark/report.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

/// Decisions can be made at any time; apply() carries them all out. Until then prior and posterior have the previous columns.
class ActiveSet {
 public:
  /// \param prior  of all columns; after each apply() it is the prior of the active columns
  explicit ActiveSet(PrecisionPrior& prior);

  [[nodiscard]] const std::vector<Index>& columns() const { return columns_; }  ///< ascending
  [[nodiscard]] const Partition& all() const { return all_.partition(); }
  [[nodiscard]] bool will_change() const { return will_change_; }

  /// Removes groups whose precision has reached the threshold or is NaN.                                                        (SLR.2)
  void prune(double threshold, int sweep);
  /// Removes groups that are almost zero and whose precision grows without limit. expected: the precisions inside q. (SLR.3)
  void prune_runaways(const Posterior& q, double tau, const Vector& expected, int sweep);
  /// Whether the column is outside, alone in its group, and has come back fewer than most_returns times. (Approximations may disagree about
  /// a column without end.)
  [[nodiscard]] bool may_return(Index column, int most_returns) const;
  void readmit(Index column, double precision, int sweep);
  /// Requests a change: apply() then also removes the columns that the partition leaves out.
  void drop_left_out() { will_change_ = true; }
  /// w: weights of the previous columns; becomes those of the active columns, 0 for new ones. False: no column would be left, nothing has
  /// changed.
  [[nodiscard]] bool apply(Vector& w);

  /// Records E[alpha] of every group now and after every `every` of at most `max_sweeps` sweeps; 0: no record.
  void keep_history(int every, int max_sweeps);
  void record(int sweep);
  /// [groups, 1 + max_sweeps / every]. For sweeps that were not made, it holds the values at the end or, if as_at_the_end is false, at the
  /// beginning.
  [[nodiscard]] Matrix history(int sweeps, bool as_at_the_end);

  /// [groups] E[alpha]; for a pruned group the value when it left.
  [[nodiscard]] Vector expected();
  [[nodiscard]] const std::vector<bool>& pruned() const { return pruned_; }  ///< [groups] includes groups that left after the last sweep
  [[nodiscard]] const std::vector<PruningEvent>& events() const { return events_; }  ///< of columns

 private:
  void leave(const std::vector<Index>& groups, int sweep);
  PruningEvent& event(int sweep);
  void remember_precisions();

  PrecisionPrior& prior_;                // prior of the active columns
  PrecisionPrior all_;                   // its precisions are those at the last change
  std::vector<Index> columns_, groups_;  // active ones, as positions in all_
  std::vector<bool> is_active_;          // [all columns]
  std::vector<bool> pruned_;
  std::vector<int> num_returns_;  // [groups]
  std::vector<PruningEvent> events_;
  bool will_change_ = false;
  int record_every_ = 0;  // sweeps
  Matrix history_;
};

}  // namespace ardvark::internal
