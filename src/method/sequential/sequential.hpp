// The sequential preset, as used by fit_logistic.
#pragma once

#include "frame/solution.hpp"

namespace ardvark::internal {

/// The preset vb_logit_fit_iter.
[[nodiscard]] Solution solve_sequentially(const Frame& frame);

}  // namespace ardvark::internal
