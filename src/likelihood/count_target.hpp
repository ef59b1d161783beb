// Checked counts, for each likelihood of counts.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

struct CountTarget {
  Vector y, k, offset;  ///< [n] counts, observation weights, offsets of the linear predictor
};

/// \param k, offset  empty: ones, zeros
/// \throws InvalidArgument  y has values that are not whole numbers >= 0, or all are 0 and there is a column without a prior
[[nodiscard]] CountTarget count_target(Vector y, Vector k, Index num_flat, Vector offset);

}  // namespace ardvark::internal
