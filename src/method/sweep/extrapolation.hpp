// Extrapolates the sweeps, as iterations of a map of (ln E[alpha], state of the likelihood).                docs/math/optimum.md (OPT.7)
#pragma once

#include "core/anderson.hpp"
#include "method/sweep/settle.hpp"

namespace ardvark::internal {

class Extrapolation {
 public:
  Extrapolation(Index num_groups, Index state_size) : anderson_(num_groups + state_size, 6) {}

  /// The point for the next attempt, after a round that ended in q.
  /// \param bold      the best precision of each single column (OPT.3) instead of MacKay's step (OPT.6)
  /// \param settled   groups with a better value of their precision
  /// \param expected  [groups] <- E[alpha]
  /// \param rows      <- those of the likelihood's state at this point, if it has a state
  void next(const PrecisionPrior& prior, Likelihood& likelihood, const Posterior& q, bool bold, const Settled& settled, Vector& expected,
            Rows& rows);
  /// Call this if the step was undone. The next one begins at the result of the round itself. \param rows  <- those of this result
  void take_back(Likelihood& likelihood, Rows& rows);
  /// Call this if q no longer comes from the remembered state.
  void forget() { anderson_.forget(); }

 private:
  Anderson anderson_;
  Vector input_, output_, extrapolated_, weight_;  // of the map
  Vector step_;
};

}  // namespace ardvark::internal
