// A fit by sweeps over all columns at once, for any likelihood.
#pragma once

#include <string>

#include "frame/prior_partition.hpp"
#include "frame/solution.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

struct SweepProblem {
  const Frame& frame;
  Likelihood& likelihood;
  PreparedPrior prior;
  bool proper_intercept = false;  ///< the likelihood has one more row, the prior of the intercept                           (SP.20)
  std::string no_posterior = {};  ///< if not empty: why there is no posterior; then no sweep is made
};

/// Solution::rows has m, and s if the likelihood needs it; with a proper intercept, it has one row more than the table.
[[nodiscard]] Solution solve_by_sweeps(SweepProblem problem);

}  // namespace ardvark::internal
