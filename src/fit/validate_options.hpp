// What fit_linear and fit_logistic refuse of their options, before any work.
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// \throws InvalidArgument  naming the option, its value and the constraint
void validate_options(const FitOptions& options, Task task, Index num_columns);

}  // namespace ardvark::internal
