// Checked counts, for each likelihood of counts.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

struct CountTarget {
  Vector y, k, offset;  ///< [n] counts, observation weights, offsets of the linear predictor
};

/// \param before  number of rows before these, for messages \throws InvalidArgument  a value is no whole number from 0 to 1e9
void validate_counts(VectorView y, Index before = 0);
/// \param counted  weighted sum of the counts \throws InvalidArgument  it is 0, and a column without a prior has no maximum
void require_counts(double counted, Index num_flat);

/// \param k, offset  empty: ones, zeros
/// \throws InvalidArgument  y has values that are not whole numbers >= 0, or all are 0 and there is a column without a prior
[[nodiscard]] CountTarget count_target(Vector y, Vector k, Index num_flat, Vector offset);

}  // namespace ardvark::internal
