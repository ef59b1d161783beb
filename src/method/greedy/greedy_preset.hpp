// The presets rvm_regression and rvm_classification, as fit_linear and fit_logistic run them.
#pragma once

#include "frame/solution.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::internal {

[[nodiscard]] Solution solve_greedily(const Frame& frame);

/// A type-II fit of all columns of the frame's design. `free`: columns without a prior, as the outcome had them.
[[nodiscard]] Solution solution_of(const GreedyOutcome& outcome, const Frame& frame, const std::vector<Index>& free);

}  // namespace ardvark::internal
