// Systems whose matrix is not symmetric.
#pragma once

#include "ardvark/types.hpp"

namespace ardvark::internal::blas {

/// B <- A^-1 B by LU with row exchanges; false if A is singular to the last bit.
[[nodiscard]] bool solve(Matrix A, Matrix& B);

}  // namespace ardvark::internal::blas
