// Which tables are too large for a decomposition.                                       docs/math/ridge.md (RIDGE.12), sparse.md (SP.2)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// With more rows and more penalised columns than this, its time and its memory are too much.
inline constexpr Index most_to_decompose = 20000;

}  // namespace ardvark::internal
