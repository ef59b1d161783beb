// The presets rvm_regression and rvm_classification, as used by fit_linear and fit_logistic.
#pragma once

#include "frame/solution.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::internal {

[[nodiscard]] Solution solve_greedily(const Frame& frame);

/// The solution of a type-II fit to all columns of the frame's design. `free`: the free columns of the fit, which have no prior.
[[nodiscard]] Solution solution_of(const GreedyOutcome& outcome, const Frame& frame, const std::vector<Index>& free);

}  // namespace ardvark::internal
