// The lambda of a Laplace prior by cross-validation.                                                              docs/math/l1.md (L1.12)
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark::internal {

/// Options whose prior has a lambda, and how it was chosen.
struct ChosenLambda {
  FitOptions options;
  std::optional<LambdaChoice> choice = {};
  std::string note = {}, warning = {};
};
/// As given, if the prior is not a Laplace prior or has a lambda. Otherwise lambda is chosen. If the caller stops the choice, the options
/// are those of a fit that stops after its first step.
/// \throws InvalidArgument  too few rows for a cross-validation; no column has information about the target
[[nodiscard]] ChosenLambda with_chosen_lambda(FitOptions options, Task task, MatrixView X, VectorView y);

}  // namespace ardvark::internal
