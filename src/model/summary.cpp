// The printed summary of any model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/refusals.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"

namespace ardvark {

using namespace internal;

namespace {

// Calls `use` for every text of a model that may hold text of the user and may be printed on a terminal.
void for_each_text(Report& report, auto&& use) {
  use(report.message), use(report.solver_reason);
  for (auto* texts : {&report.notes, &report.warnings}) std::ranges::for_each(*texts, use);
}
template <typename AnyFit, typename Use>
void for_each_text(AnyFit& fit, Use&& use) {
  use(fit.target);
  std::ranges::for_each(fit.classes, use);
  if constexpr (requires { fit.column_names; }) std::ranges::for_each(fit.column_names, use);
  if constexpr (requires { fit.input_names; }) std::ranges::for_each(fit.input_names, use);
  if constexpr (std::is_same_v<AnyFit, SoftmaxFit>)
    for (Fit& machine : fit.machines) for_each_text(machine, use);
  if constexpr (std::is_same_v<AnyFit, RelevanceFit>)
    for (RelevanceMachine& machine : fit.machines) for_each_text(machine.fit, use);
  for_each_text(fit.report, use);
}
void for_each_text(SavedModel& model, auto&& use) {
  std::visit([&](auto& fit) { for_each_text(fit, use); }, model.fit);
}

bool is_printable(const SavedModel& model) {
  bool all = true;
  for_each_text(const_cast<SavedModel&>(model), [&](const std::string& text) { all = all && io::printable(text) == text; });
  return all;
}

// The same model with other names of its columns.
SavedModel with_names(SavedModel model, const std::vector<std::string>& names) {
  if (static_cast<Index>(names.size()) != num_inputs(model))
    throw wrong_size("column_names", names.size(), fmt::format("the model has {} columns", num_inputs(model)));
  const auto rename = [&](auto& fit) {
    if constexpr (requires { fit.column_names; })
      fit.column_names = names;
    else
      fit.input_names = names;
  };
  std::visit(rename, model.fit);
  if (SoftmaxFit* const classes = model.softmax()) std::ranges::for_each(classes->machines, rename);
  return model;
}

std::string lines_of_text_columns(const FeatureEncoding& encoding) {
  std::string lines;
  for (const FeatureColumn& f : encoding.features) {
    if (!f.categorical || f.levels.empty() || encoding.dummies == Dummies::every_level) continue;
    const std::string name = io::printable(f.name), level = io::printable(f.levels[static_cast<std::size_t>(f.reference)]);
    lines += io::labelled(
        "text column",
        f.levels.size() == 1
            ? fmt::format("{}: {} in every row, so it is not used", name, level)
            : fmt::format("{}: compared with {}{}", name, level,
                          f.reference_rows > 0 ? fmt::format(", {:.6g} row{}", f.reference_rows, f.reference_rows == 1 ? "" : "s") : ""));
  }
  return lines;
}

// Each set on a line of its own.
std::string lines_of_selected(const Effects& effects, const Fit& fit) {
  const std::vector<EffectSet> sets = effects_at(effects, effects.fdr);
  std::string lines = io::labelled("selected", fmt::format("{}at a false discovery rate of {:.3g}{}", sets.empty() ? "nothing " : "",
                                                           effects.fdr, effects.guarantee == Guarantee::knockoffs ? ", by knockoffs" : ""));
  for (const EffectSet& set : sets) {
    std::string names;
    for (const Index j : set.columns) names += (names.empty() ? "" : ", ") + fit.column_names[static_cast<std::size_t>(j)];
    lines += io::labelled("", fmt::format("{}{} ({:.3f})", set.columns.size() > 1 ? "one or more of " : "", names, set.probability));
  }
  return lines;
}

}  // namespace

std::string summary(const SavedModel& model, const SummaryOptions& options) {
  if (!is_printable(model)) {
    SavedModel escaped = model;
    for_each_text(escaped, [](std::string& text) { text = io::printable(text); });
    return summary(escaped, options);
  }
  const auto [body, ending] = std::visit([&](const auto& fit) { return io::summary_text(fit, options); }, model.fit);
  std::string out = body + lines_of_text_columns(model.encoding);
  if (model.effects) out += lines_of_selected(*model.effects, *model.score());
  if (model.diagnosis && !std::isnan(model.diagnosis->khat)) {
    const Diagnosis& d = *model.diagnosis;
    out += io::labelled(
        "k-hat",
        fmt::format("{:.2f} (up to {:.2f} is good; effective share of the draws {:.0f}%{})", d.khat, d.threshold, 100 * d.effective_share,
                    d.khat == d.khat_given_precisions ? "" : fmt::format("; with fixed precisions {:.2f}", d.khat_given_precisions)));
  }
  return out + ending;
}

std::string summary(const SavedModel& model, const ModelOptions& options) {
  SummaryOptions chosen(options.level);
  chosen.verbose = options.verbose;
  chosen.odds = options.odds;
  chosen.standardized = options.standardized;
  return in_names_of(options, [&] {
    return options.column_names.empty() ? summary(model, chosen) : summary(with_names(model, options.column_names), chosen);
  });
}

}  // namespace ardvark
