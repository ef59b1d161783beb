// With many more columns than rows: optimises the few that matter alone.                        docs/math/optimum.md (CONDENSE.1)
#pragma once

#include <vector>

#include "method/sweep/sweep.hpp"

namespace ardvark::internal {

struct Settled {
  std::vector<Index> groups;
  Vector expected;  ///< their E[alpha]
};

/// Takes the groups that the data determine to their optimum, with all other precisions fixed: the same problem in few columns.
/// Empty if the likelihood or the solver does not support this.
/// \param rows       the solver has just computed q from these and the precisions of `prior`
/// \param settings   of the complete fit
/// \param last_gain  of the last sweep of the complete fit, nats; the result need not be much more exact than this
[[nodiscard]] Settled settle(const Likelihood& likelihood, const PrecisionPrior& prior, Solver& solver, const Rows& rows,
                             const Posterior& q, const SweepSettings& settings, double last_gain);

}  // namespace ardvark::internal
