// The kinds of targets, and the facts about each that the rest of the library asks for.
#pragma once

#include <string_view>

#include "ardvark/errors.hpp"
#include "ardvark/fit.hpp"

namespace ardvark::internal {

struct TargetFacts {
  const char* name;          ///< in options, JSON and model files
  const char* argument;      ///< of the functions that fit it, in messages
  const char* regression;    ///< in the first line of a summary
  const char* machine;       ///< what a kernel machine calls its task
  const char* score;         ///< in JSON and tables: how well the training rows are predicted
  bool has_noise = false;    ///< numbers that are standardised with the columns, with a noise of unknown variance
  bool has_classes = false;  ///< labels
  bool is_count = false;     ///< whole numbers >= 0; the linear predictor is ln of the mean
};

/// A kind without a row here does not compile.
[[nodiscard]] constexpr TargetFacts facts_of(Task task) {
  switch (task) {
    case Task::linear:
      return {.name = "linear",
              .argument = "y",
              .regression = "Linear regression",
              .machine = "regression",
              .score = "r_squared",
              .has_noise = true};
    case Task::logistic:
      return {.name = "logistic",
              .argument = "labels",
              .regression = "Logistic regression",
              .machine = "classification",
              .score = "accuracy",
              .has_classes = true};
    case Task::counts:
      return {.name = "counts",
              .argument = "counts",
              .regression = "Poisson regression",
              .machine = "counts",
              .score = "deviance_explained",
              .is_count = true};
  }
  throw InternalError("no such kind of target");
}
[[nodiscard]] constexpr bool has_noise(Task task) { return facts_of(task).has_noise; }
[[nodiscard]] constexpr bool has_classes(Task task) { return facts_of(task).has_classes; }
[[nodiscard]] constexpr bool is_count(Task task) { return facts_of(task).is_count; }

/// The target of a regression on columns by the name of its model.
[[nodiscard]] constexpr Task task_of_model(std::string_view model) {
  for (const Task task : {Task::linear, Task::counts})
    if (model == facts_of(task).name) return task;
  return Task::logistic;
}

}  // namespace ardvark::internal
