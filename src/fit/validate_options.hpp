// The check of the options of fit_linear and fit_logistic, before any work.
#pragma once

#include <string>

#include "ardvark/fit.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// \throws InvalidArgument  with the option, its value and the constraint
void validate_options(const FitOptions& options, Task task, Index num_columns);

/// A sparse X supports models without QR, the sparse priors if it is small, and the presets of need_of_dense().
/// \param need_of_small  what keeps the sparse priors from this X; empty: nothing
/// \throws InvalidArgument  the options ask for anything else
void validate_sparse_table(const FitTable& X, const FitOptions& options, const std::string& need_of_small);

/// The part of the same that is about a preset, before its options are known. \throws InvalidArgument  the preset needs a dense X
void validate_preset_of_table(const FitTable& X, const std::string& preset, bool compat);

}  // namespace ardvark::internal
