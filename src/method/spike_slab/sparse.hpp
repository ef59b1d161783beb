// Linear and logistic regression under the priors sparse, slab and dense, from the caller's table to a Fit.         docs/math/sparse.md
#pragma once

#include <string>

#include "frame/prepare.hpp"
#include "frame/solution.hpp"

namespace ardvark::internal {

/// With more rows and more columns than this, the decomposition of (SP.2) takes minutes: a fit does it only where it was asked for.
inline constexpr Index most_to_decompose_soon = 6000;

/// Whether one decomposition is enough, because the rows have normal noise; others have working rows in each step.
[[nodiscard]] bool has_normal_noise(const FitOptions& options, Task task);

/// The first option that differs from its default and cannot be used with the priors sparse, slab and dense; empty: none.
[[nodiscard]] std::string foreign_to_sparse(const FitOptions& options, Task task);

/// \throws InvalidArgument  options that cannot be used with such a prior
void validate_sparse(const FitOptions& options, Task task, Index num_columns);

/// Whether passes over the columns where they lie find those that may have an effect, so that nothing of the size of X is made.  (SP.26)
/// \param num_columns  with a prior
[[nodiscard]] bool is_fitted_wide(const FitOptions& options, Task task, Index num_rows, Index num_columns);

/// FitTable::need_of_small() if all columns of a fit would be in memory.
[[nodiscard]] std::string need_of_small(const FitTable& X, const FitOptions& options, Task task, Index num_columns);

/// \param frame  gets warnings; gives away the memory of X, if the caller gave it to the fit
[[nodiscard]] Solution solve_sparse_linear(Frame& frame);
[[nodiscard]] Solution solve_sparse_logistic(Frame& frame);
/// What the linear fits of many targets share: their frames have these columns and options. Null: nothing.
[[nodiscard]] std::shared_ptr<const MethodColumns> sparse_columns(const Frame& columns);
/// Counts, and numbers with Student-t noise.
[[nodiscard]] Solution solve_sparse_moments(Frame& frame);

}  // namespace ardvark::internal
