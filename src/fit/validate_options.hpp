// The check of the options of fit_linear and fit_logistic, before any work.
#pragma once

#include <string>

#include "ardvark/fit.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// \throws InvalidArgument  with the option, its value and the constraint
void validate_options(const FitOptions& options, Task task, Index num_columns);

/// A sparse X supports models without presets and QR, and the sparse priors if it is small.
/// \param need_of_small  what keeps the sparse priors from this X; empty: nothing
/// \throws InvalidArgument  the options ask for anything else
void validate_sparse_table(const FitTable& X, const FitOptions& options, const std::string& need_of_small);

}  // namespace ardvark::internal
