// The sequential preset, as fit_logistic runs it.
#pragma once

#include "frame/solution.hpp"

namespace ardvark::internal {

/// vb_logit_fit_iter.
[[nodiscard]] Solution solve_sequentially(const Frame& frame);

}  // namespace ardvark::internal
