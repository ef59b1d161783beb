#include "model/saved_model.hpp"

#include <utility>

#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

// The same facts of each kind of fit.
const std::vector<std::string>& names_of(const Fit& fit) { return fit.column_names; }
const std::vector<std::string>& names_of(const SoftmaxFit& fit) { return fit.column_names; }
const std::vector<std::string>& names_of(const RelevanceFit& fit) { return fit.input_names; }
const std::vector<std::string>& names_of(const KernelFit& fit) { return fit.input_names; }
Task task_of(const Fit& fit) { return fit.task; }
Task task_of(const SoftmaxFit&) { return Task::logistic; }
Task task_of(const RelevanceFit& fit) { return fit.task; }
Task task_of(const KernelFit& fit) { return fit.task; }

}  // namespace

const std::vector<std::string>& names_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::vector<std::string>& { return names_of(fit); }, model.fit);
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
  return std::visit([](const auto& fit) { return task_of(fit); }, model.fit);
}
const std::vector<std::string>& classes_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::vector<std::string>& { return fit.classes; }, model.fit);
}
Index num_inputs(const SavedModel& model) { return static_cast<Index>(names_of(model).size()); }

}  // namespace ardvark
