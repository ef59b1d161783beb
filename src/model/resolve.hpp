// From options by name to the option structs of the models.
#pragma once

#include "ardvark/model.hpp"

namespace ardvark::internal {

[[nodiscard]] FitOptions fit_options(const ModelOptions& options, Task task);
/// For several classes. \param fit  the result of fit_options
[[nodiscard]] SoftmaxOptions softmax_options(const ModelOptions& options, const FitOptions& fit);
/// True with a preset for several classes, or with more than two classes.
/// \throws InvalidArgument  more than two classes with a preset for two classes
[[nodiscard]] bool is_softmax(const ModelOptions& options, Index num_classes);

/// The message that refuses `diagnose` with a softmax of several classes.
[[nodiscard]] std::string no_diagnosis_of_classes(const ModelOptions& options);

/// All options that do not depend on the inputs.
[[nodiscard]] RelevanceOptions relevance_options(const ModelOptions& options);
/// Adds the options that depend on the inputs.
void adapt(const ModelOptions& options, Task task, Index num_inputs, RelevanceOptions& relevance);

}  // namespace ardvark::internal
