// Linear and logistic regression under the priors sparse, slab and dense, from the caller's table to a Fit.         docs/math/sparse.md
#pragma once

#include <string>

#include "frame/prepare.hpp"
#include "frame/solution.hpp"

namespace ardvark::internal {

/// Beyond this many rows and columns at once the decomposition of (SP.2) is too dear.
inline constexpr Index most_to_rotate = 20000;

/// The first option that differs from its default and has no meaning beside the priors sparse, slab and dense; empty: none.
[[nodiscard]] std::string foreign_to_sparse(const FitOptions& options, Task task);

/// \throws InvalidArgument  options that have no meaning beside such a prior
void validate_sparse(const FitOptions& options, Task task, Index num_columns);

/// \param frame  gets what is found of the table; gives away the memory of X, if the caller did
[[nodiscard]] Solution solve_sparse_linear(Frame& frame);
[[nodiscard]] Solution solve_sparse_logistic(Frame& frame);

}  // namespace ardvark::internal
