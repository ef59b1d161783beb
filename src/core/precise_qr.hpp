// The triangular factor of few columns, such as those of a polynomial, without a loss of digits.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// As blas::triangularise. With at most 16 columns it works in extended precision, which rounds once: if a factor is made in several steps,
/// or of few rows, the rounding of each step takes digits from nearly collinear columns.                                        (RIDGE.9)
void triangularise_precisely(Matrix& A);

}  // namespace ardvark::internal
