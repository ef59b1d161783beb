// With many more columns than rows: the few that matter by themselves.                          docs/math/optimum.md (CONDENSE.1)
#pragma once

#include <vector>

#include "method/sweep/sweep.hpp"

namespace ardvark::internal {

struct Settled {
  std::vector<Index> groups;
  Vector expected;  ///< their E[alpha]
};

/// The groups that the data have a say in, taken to their own optimum, all other precisions held: the same problem in few columns.
/// None where likelihood or solver cannot say it so.
/// \param rows       with the precisions of `prior`, what the solver has just made q from
/// \param settings   of the whole
/// \param last_gain  of its last sweep, nats: no need to be much better than that
[[nodiscard]] Settled settle(const Likelihood& likelihood, const PrecisionPrior& prior, Solver& solver, const Rows& rows,
                             const Posterior& q, const SweepSettings& settings, double last_gain);

}  // namespace ardvark::internal
