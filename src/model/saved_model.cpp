// What every kind of saved model has.
#include <utility>

#include "model/fit_parts.hpp"
#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {

const std::vector<std::string>& names_of(const SavedModel& model) {
  return std::visit(
      [](const auto& fit) -> const std::vector<std::string>& {
        if constexpr (requires { fit.column_names; })
          return fit.column_names;
        else
          return fit.input_names;
      },
      model.fit);
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

bool has_posterior(const SavedModel& model) {
  return std::visit([](const auto& fit) { return holds_posterior(fit); }, model.fit);
}
const Report& report_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const Report& { return fit.report; }, model.fit);
}
Report& report_of(SavedModel& model) { return const_cast<Report&>(report_of(std::as_const(model))); }
Task task_of(const SavedModel& model) {
  return std::visit(
      [](const auto& fit) {
        if constexpr (requires { fit.task; })
          return fit.task;
        else
          return Task::logistic;
      },
      model.fit);
}
const std::vector<std::string>& classes_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::vector<std::string>& { return fit.classes; }, model.fit);
}
Index num_inputs(const SavedModel& model) { return static_cast<Index>(names_of(model).size()); }

}  // namespace ardvark
