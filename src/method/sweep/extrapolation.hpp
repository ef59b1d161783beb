// A round of the sweep as a map of (ln E[alpha], the likelihood's state) to itself, extrapolated.           docs/math/optimum.md (OPT.7)
#pragma once

#include "core/anderson.hpp"
#include "method/sweep/settle.hpp"

namespace ardvark::internal {

class Extrapolation {
 public:
  Extrapolation(Index num_groups, Index state_size) : anderson_(num_groups + state_size, 6) {}

  /// Where to try next, after a round that ended in q.
  /// \param bold      the best precision of each column by itself (OPT.3) rather than MacKay's step (OPT.6)
  /// \param settled   groups whose precision is known better
  /// \param expected  [groups] <- E[alpha]
  /// \param rows      <- of the likelihood's state there, where it has one
  void next(const PrecisionPrior& prior, Likelihood& likelihood, const Posterior& q, bool bold, const Settled& settled, Vector& expected,
            Rows& rows);
  /// The step was taken back: the next begins where the round itself led, whose rows these are.
  void take_back(Likelihood& likelihood, Rows& rows);
  /// q no longer comes from the state that is remembered.
  void forget() { anderson_.forget(); }

 private:
  Anderson anderson_;
  Vector input_, output_, extrapolated_, weight_;  // of the map
  Vector step_;
};

}  // namespace ardvark::internal
