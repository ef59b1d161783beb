// The preset l1_slr_c.                                                                                            docs/math/l1.md (L1.9)
#pragma once

#include "frame/solution.hpp"

namespace ardvark::internal {

/// With compat: exactly max_sweeps simultaneous updates, as published.
[[nodiscard]] Solution solve_l1_slr(const Frame& frame);

}  // namespace ardvark::internal
