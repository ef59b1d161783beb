// Linear systems with a matrix that is not symmetric.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal::blas {

/// B <- A^-1 B by LU with row exchanges; false if a pivot is exactly 0.
[[nodiscard]] bool solve(Matrix A, Matrix& B);

}  // namespace ardvark::internal::blas
