// What the options by name mean to the models themselves.
#pragma once

#include "ardvark/model.hpp"

namespace ardvark::internal {

[[nodiscard]] FitOptions fit_options(const ModelOptions& options, Task task);
/// Of several classes. \param fit  those of fit_options
[[nodiscard]] SoftmaxOptions softmax_options(const ModelOptions& options, const FitOptions& fit);
/// A preset of several classes, or more than two of them. \throws InvalidArgument  a preset of two classes has more
[[nodiscard]] bool is_softmax(const ModelOptions& options, Index num_classes);

/// Why `diagnose` is refused beside several classes of one model.
[[nodiscard]] std::string no_diagnosis_of_classes(const ModelOptions& options);

/// All that does not depend on the inputs.
[[nodiscard]] RelevanceOptions relevance_options(const ModelOptions& options);
/// And what does.
void adapt(const ModelOptions& options, Task task, Index num_inputs, RelevanceOptions& relevance);

}  // namespace ardvark::internal
