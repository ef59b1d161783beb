// From options by name to the option structs of the models.
#pragma once

#include <string>
#include <variant>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// A model, with the options that its own front door takes.
struct LinearModel {
  FitOptions options;
};
/// Two classes or more: the labels decide. softmax_options() has the options for more than two.
struct LogisticModel {
  FitOptions options;
};
/// adapt() adds the options that depend on the inputs.
struct RelevanceModel {
  RelevanceOptions options;
};
/// adapt() adds the options that depend on the inputs.
struct KernelModel {
  KernelOptions options;
};
/// Whole numbers >= 0, in memory.
struct CountModel {
  FitOptions options;
};
using ResolvedModel = std::variant<LinearModel, LogisticModel, CountModel, RelevanceModel, KernelModel>;

/// The model that the options name. Checks everything that needs no data.
/// \throws InvalidArgument  an option has no such value, or cannot be used with another one
[[nodiscard]] ResolvedModel resolve(const ModelOptions& options);

/// The options with what their encoding says of the columns of X, and without the encoding itself.
/// \throws InvalidArgument  X has another number of columns
[[nodiscard]] ModelOptions with_encoded_columns(const ModelOptions& options, Index num_columns);

/// SavedModel::options.
[[nodiscard]] std::vector<std::pair<std::string, OptionValue>> options_to_keep(const ModelOptions& options);

/// For several classes. \param fit  the options of LogisticModel
[[nodiscard]] SoftmaxOptions softmax_options(const ModelOptions& options, const FitOptions& fit);
/// True with a preset for several classes, or with more than two classes.
/// \throws InvalidArgument  more than two classes with a preset for two classes
[[nodiscard]] bool is_softmax(const ModelOptions& options, Index num_classes);

/// If almost all labels are different, they are measurements or names of rows, and not classes.
/// \param otherwise  the option that fits a regression
/// \throws InvalidArgument  more than two classes, without two rows each on average
void require_few_classes(const ModelOptions& options, Index count, Index num_rows, const std::string& otherwise);
void require_classes(const ModelOptions& options, VectorView labels, const std::string& otherwise);

/// The message that refuses `diagnose` with a softmax of several classes.
[[nodiscard]] InvalidArgument no_diagnosis_of_classes(const ModelOptions& options);

/// For resolve(): all options of a relevance vector machine that do not depend on the inputs.
[[nodiscard]] RelevanceOptions relevance_options(const ModelOptions& options);
/// Adds the options that depend on the inputs.
void adapt(const ModelOptions& options, Task task, Index num_inputs, RelevanceOptions& relevance);

/// For resolve(): all options of a kernel machine that do not depend on the inputs.
[[nodiscard]] KernelOptions kernel_options(const ModelOptions& options);
/// Adds the options that depend on the inputs.
void adapt(const ModelOptions& options, Index num_inputs, KernelOptions& kernel);

}  // namespace ardvark::internal
