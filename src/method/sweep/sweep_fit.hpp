// A fit by sweeps over all columns at once, for any likelihood.
#pragma once

#include <string>

#include "frame/prepare.hpp"
#include "frame/solution.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

struct SweepProblem {
  const Frame& frame;
  Likelihood& likelihood;
  PreparedPrior prior;
  bool proper_intercept = false;  ///< the likelihood has a row more, that of the prior of the intercept                     (SP.20)
  std::string no_posterior = {};  ///< why there is none, so that no sweep is tried; empty: nothing is known against one
};

/// Its rows hold m, and s where the likelihood asks for it; with a proper intercept they are one more than those of the table.
[[nodiscard]] Solution solve_by_sweeps(SweepProblem problem);

}  // namespace ardvark::internal
