// A comparison as readable text.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ardvark/compare.hpp"
#include "io/text.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

// "3 linear models, 1 relevance vector machine and 1 kernel machine".
std::string counted_by_kind(const Comparison& comparison) {
  std::vector<std::string> kinds;
  const auto add = [&](std::ptrdiff_t count, const std::string& what) {
    if (count > 0) kinds.push_back(fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"));
  };
  const auto number_of = [&](const char* name) {
    return std::count_if(comparison.models.begin(), comparison.models.end(),
                         [name](const ComparedModel& model) { return model.options.model == name; });
  };
  const auto rvms = number_of("rvm"), processes = number_of("kernel");
  add(static_cast<std::ptrdiff_t>(comparison.models.size()) - rvms - processes,
      (is_count(comparison.task) ? "count" : facts_of(comparison.task).name) + std::string(" model"));
  add(rvms, "relevance vector machine");
  add(processes, "kernel machine");
  std::string out = kinds.empty() ? "" : kinds.front();
  for (std::size_t i = 1; i < kinds.size(); ++i) out += (i + 1 == kinds.size() ? " and " : ", ") + kinds[i];
  return out;
}

}  // namespace

std::string summary(const Comparison& comparison) {
  const bool linear = has_noise(comparison.task), of_counts = is_count(comparison.task);
  std::string out =
      fmt::format("Comparison of {}, {:.10g} {}, {} {}{}\n\n", counted_by_kind(comparison), comparison.num_rows,
                  comparison.num_rows == 1 ? "row" : "rows", comparison.num_columns, comparison.num_columns == 1 ? "column" : "columns",
                  comparison.target.empty() ? "" : ", target " + io::printable(comparison.target));
  std::size_t width = 5;
  for (const ComparedModel& model : comparison.models) width = std::max(width, io::width(model.name));
  out += fmt::format("  {}  {:>12}  {:>12}  {:>10}  {:>10}  {:>8}  {:>8}  {:>14}  {:>7}\n", io::padded("model", width), "bound",
                     "comparable", "difference", "parameters", "effects",
                     linear      ? "noise sd"
                     : of_counts ? "deviance"
                                 : "log loss",
                     "status", "seconds");
  for (const ComparedModel& model : comparison.models)
    out += fmt::format("  {}  {:>12.3f}  {:>12}  {:>10}  {:>10}  {:>8}  {:>8}  {:>14}  {:>7.2f}\n", io::padded(model.name, width),
                       model.bound, model.comparable ? fmt::format("{:.3f}", model.evidence) : "-",
                       model.comparable ? fmt::format("{:.3f}", model.difference) : "-",
                       model.effective_parameters >= 0 ? fmt::format("{:.2f}", model.effective_parameters) : "-",
                       model.probable_effects ? fmt::format("{}", *model.probable_effects) : "-",
                       linear ? io::number(model.noise_sd) : fmt::format("{:.4f}", of_counts ? model.deviance_explained : model.log_loss),
                       to_string(model.status), model.seconds);
  if (comparison.num_classes > 2)
    out += fmt::format(
        "\neach of {} classes has a regression against the rest; bounds, parameters and effects are their sums\nto fit one of these "
        "models, "
        "name its prior, and {}: without them, a fit may take a softmax, which is not compared here\n",
        comparison.num_classes, comparison.models.front().options.spelled("coding", "one-against-rest"));
  out += fmt::format("\nbounds in nats; parameters: effective parameters; effects: columns that are kept{}\n",
                     of_counts ? "; deviance: the share that is explained" : "");
  for (const ComparedModel& model : comparison.models)
    if (!model.remark.empty()) out += fmt::format("{}  {}\n", io::padded(model.name, 20), io::printable(model.remark));
  for (const ComparedModel& model : comparison.models) {
    if (model.status != Status::converged) out += fmt::format("{}  {}\n", io::padded(model.name, 20), io::printable(model.message));
    if (!model.comparable) continue;
    for (const std::string& warning : model.warnings)
      out += fmt::format("WARNING               {}: {}\n", model.name, io::printable(warning));
  }
  out += fmt::format("\n{}\n", comparison.verdict);
  for (const std::string& note : comparison.notes) out += fmt::format("note                  {}\n", io::printable(note));
  return out;
}

}  // namespace ardvark
