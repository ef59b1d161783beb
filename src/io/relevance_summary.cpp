// A relevance vector machine as readable text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "ardvark/relevance.hpp"
#include "io/cells.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "kernel/kernel_function.hpp"
#include "posterior/state.hpp"
#include "relevance/kernel_search.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::labelled;
using io::number;

constexpr std::size_t most_lines = 20;  // lines of a table: they and the rest fit on a screen

std::string counted(Index count, const char* one, const char* many) { return fmt::format("{} {}", count, count == 1 ? one : many); }

std::optional<KernelSpec> spec_of(const Kernel& kernel) {
  try {
    return kernel.spec();
  } catch (const InvalidArgument&) {  // the kernel is a callable
    return std::nullopt;
  }
}

bool has_width(const KernelSpec& spec) { return is_distance_kernel(spec.kind); }

bool is_standardised(const RelevanceFit& fit) {
  return !fit.input_center.isZero(0) || (fit.input_scale.array() != 0 && fit.input_scale.array() != 1).any();
}

std::string kernel_in_words(const RelevanceFit& fit, const std::optional<KernelSpec>& spec) {
  const bool standardised = is_standardised(fit);
  if (spec && has_width(*spec)) {
    if (spec->parameters.size() > 1) return spec->kind + ", one width per input: the smaller the width, the more the input matters";
    const double width = spec->parameters.front();
    if (!standardised) return fmt::format("{}, width {} in the unit of the inputs", spec->kind, number(width));
    if (fit.num_inputs() > 1) return fmt::format("{}, width {} in standard deviations of the inputs", spec->kind, number(width));
    const double scale = fit.input_scale[0];
    return fmt::format("{}, width {} in standard deviations of {}{}", spec->kind, number(width), fit.input_names.front(),
                       scale > 0 ? fmt::format(", {} in its unit", number(width / scale)) : "");
  }
  const std::string kernel = spec && spec->kind == "polynomial"
                                 ? fmt::format("polynomial of degree {:g}, offset {}", spec->parameters[0], number(spec->parameters[1]))
                                 : fit.kernel.name();
  return kernel + (standardised ? ", of the standardised inputs" : "");
}

// One width per input; inputs that matter most come first.
std::string table_of_widths(const RelevanceFit& fit, const std::vector<double>& widths) {
  std::vector<std::size_t> order(widths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto scale = [&](std::size_t j) { return fit.input_scale[static_cast<Index>(j)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::pair(scale(a) == 0, widths[a]) < std::pair(scale(b) == 0, widths[b]); });
  const std::size_t num_shown = std::min(order.size(), most_lines);
  io::Cells table({"input", is_standardised(fit) ? "width (sd)" : "width", "in its unit"});
  for (std::size_t i = 0; i < num_shown; ++i) {
    const std::size_t j = order[i];
    if (scale(j) > 0)
      table.add({fit.input_names[j], number(widths[j]), number(widths[j] / scale(j))});
    else
      table.add({fit.input_names[j], "constant"});
  }
  return table.text() + (num_shown < order.size() ? fmt::format("  ... and {} more with larger widths\n", order.size() - num_shown) : "");
}

// The size of a weight divided by its sd.
double size_of(const Fit& fit, Index j) { return fit.variance[j] > 0 ? std::abs(fit.mean[j]) / std::sqrt(fit.variance[j]) : 0; }

std::string name_of(const RelevanceFit& fit, Index vector) {
  const Index row = fit.relevance_rows[static_cast<std::size_t>(vector)];
  return row >= 0 ? fmt::format("row {}", row + 1) : fmt::format("centre {}", vector + 1);
}

// The relevance vectors to list: all, or the largest ones.
std::vector<Index> listed_vectors(const Vector& sizes) {
  std::vector<Index> shown(static_cast<std::size_t>(sizes.size()));
  std::iota(shown.begin(), shown.end(), Index{0});
  if (shown.size() <= most_lines + 1) return shown;
  std::stable_sort(shown.begin(), shown.end(), [&](Index a, Index b) { return sizes[a] > sizes[b]; });
  shown.resize(most_lines);
  return shown;
}

std::string more(std::size_t num_shown, Index num_all) {
  const Index left = num_all - static_cast<Index>(num_shown);
  return left == 0 ? "" : fmt::format("  ... and {} more with smaller weight/sd\n", left);
}

std::string table_of_weights(const RelevanceFit& fit) {
  const RelevanceMachine& machine = fit.machines.front();
  const Fit& f = machine.fit;
  Vector sizes(f.num_columns());
  for (Index j = 0; j < sizes.size(); ++j) sizes[j] = size_of(f, j);
  const std::vector<Index> shown = listed_vectors(sizes);
  std::vector<std::string> titles = {"vector", "weight", "sd", "relevance"};
  const bool with_points = fit.num_inputs() <= 3 && !shown.empty();
  if (with_points) titles.insert(titles.end(), fit.input_names.begin(), fit.input_names.end());
  io::Cells table(titles);
  if (f.intercept) table.add({"(bias)", number(f.intercept->mean), number(std::sqrt(f.intercept->variance))});
  for (Index j : shown) {
    const Index i = machine.vectors[static_cast<std::size_t>(j)];
    std::vector<std::string> cells = {name_of(fit, i), number(f.mean[j]), number(std::sqrt(f.variance[j])),
                                      fmt::format("{:.2f}", f.relevance[j])};
    if (with_points)
      for (Index k = 0; k < fit.num_inputs(); ++k) cells.push_back(number(fit.relevance_vectors(i, k)));
    table.add(std::move(cells));
  }
  return table.text() + more(shown.size(), sizes.size());
}

std::string table_of_machines(const RelevanceFit& fit) {
  io::Cells table({"class", "vectors", "log evidence"});
  for (std::size_t k = 0; k < fit.machines.size(); ++k)
    table.add({fit.classes[k], fmt::format("{}", fit.machines[k].vectors.size()), fmt::format("{:.4f}", fit.machines[k].log_evidence)});
  return table.text();
}

// The weights of the classes in adjacent columns; no table if there are too many classes for a screen.
std::string table_of_class_weights(const RelevanceFit& fit) {
  const std::size_t num_classes = fit.machines.size();
  if (num_classes > 6 || fit.num_vectors() == 0) return "";
  std::vector<std::string> titles = {"weight"}, bias = {"(bias)"};
  std::vector<std::vector<std::string>> lines(static_cast<std::size_t>(fit.num_vectors()), std::vector<std::string>(num_classes + 1, "."));
  Vector sizes = Vector::Zero(fit.num_vectors());
  for (std::size_t k = 0; k < num_classes; ++k) {
    const RelevanceMachine& machine = fit.machines[k];
    titles.push_back(fit.classes[k]);
    bias.push_back(machine.fit.intercept ? number(machine.fit.intercept->mean) : ".");
    for (Index j = 0; j < machine.fit.num_columns(); ++j) {
      const Index i = machine.vectors[static_cast<std::size_t>(j)];
      lines[static_cast<std::size_t>(i)][k + 1] = number(machine.fit.mean[j]);
      sizes[i] = std::max(sizes[i], size_of(machine.fit, j));
    }
  }
  io::Cells table(titles);
  table.add(bias);
  const std::vector<Index> shown = listed_vectors(sizes);
  for (Index i : shown) {
    std::vector<std::string>& line = lines[static_cast<std::size_t>(i)];
    line[0] = name_of(fit, i);
    table.add(line);
  }
  return table.text() + more(shown.size(), sizes.size());
}

// Divides the range of the logarithm of the parameter into at most 15 equal parts, and takes from each the trial with the highest evidence.
std::vector<KernelTrial> thinned(const std::vector<KernelTrial>& trials) {
  const double from = std::log(trials.front().parameters[0]), range = std::log(trials.back().parameters[0]) - from;
  std::vector<KernelTrial> kept;
  int last = -1;
  for (const KernelTrial& trial : trials) {
    const double part = 15 * (std::log(trial.parameters[0]) - from) / range;
    const int stretch = part > 0 ? static_cast<int>(std::min(part, 14.0)) : 0;
    if (stretch != last)
      kept.push_back(trial);
    else if (trial.log_evidence > kept.back().log_evidence)
      kept.back() = trial;
    last = stretch;
  }
  return kept;
}

std::vector<KernelTrial> finite_trials(const RelevanceFit& fit) {
  std::vector<KernelTrial> trials;
  for (const KernelTrial& trial : fit.trials)
    if (std::isfinite(trial.log_evidence)) trials.push_back(trial);
  return trials;
}

std::pair<double, double> range_of_evidence(const std::vector<KernelTrial>& trials) {
  const auto [lowest, highest] = std::minmax_element(
      trials.begin(), trials.end(), [](const KernelTrial& a, const KernelTrial& b) { return a.log_evidence < b.log_evidence; });
  return {lowest->log_evidence, highest->log_evidence};
}

// The log evidence as a function of the only parameter of the kernel, with a bar per line.
std::string curve_of_evidence(const std::vector<KernelTrial>& trials, const std::optional<KernelSpec>& spec) {
  const auto [low, high] = range_of_evidence(trials);
  io::Cells table({"", !spec || !spec->parts.empty() ? "parameter" : has_width(*spec) ? "width" : "offset", "vectors", "log evidence"});
  const std::vector<KernelTrial> shown = thinned(trials);
  const auto best = std::find_if(shown.begin(), shown.end(), [h = high](const KernelTrial& trial) { return trial.log_evidence == h; });
  const bool all_equal = high - low < same_evidence;  // then none is the best
  const bool rises = trials.front().log_evidence != trials.back().log_evidence &&
                     (best->parameters == trials.front().parameters || best->parameters == trials.back().parameters);
  for (const KernelTrial& trial : shown) {
    const double part = (trial.log_evidence - low) / (high - low);
    const auto length = part > 0 ? static_cast<std::size_t>(std::lround(30 * std::min(part, 1.0))) : 0;
    table.add({"", number(trial.parameters[0]), fmt::format("{}", trial.num_vectors), fmt::format("{:.4f}", trial.log_evidence),
               std::string(length, '#') + (all_equal || &trial != &*best ? ""
                                           : rises                       ? " best, at the end of the range"
                                                                         : " best")});
  }
  return table.text();
}

std::string heading(const RelevanceFit& fit) {
  std::string out = fmt::format("Relevance vector machine, {}: {:.10g} {}, {}\n", facts_of(fit.task).machine, fit.num_rows,
                                fit.num_rows == 1 ? "row" : "rows", counted(fit.num_inputs(), "input", "inputs"));
  if (has_classes(fit.task) && fit.machines.size() == 1 && fit.classes.size() == 2) {
    const Fit& f = fit.machines.front().fit;
    out += fmt::format("target {}: probability of {} ({:.10g} rows) against {} ({:.10g} rows)\n", fit.target, fit.classes[1],
                       f.class_weight[1], fit.classes[0], f.class_weight[0]);
  } else if (has_classes(fit.task) && fit.classes.size() > 2) {
    out += fmt::format("target {}: {} classes, one machine for each class against the rest\n", fit.target, fit.classes.size());
  } else if (!fit.target.empty()) {
    out += fmt::format("target {}\n", fit.target);
  }
  return out;
}

}  // namespace

std::string summary(const RelevanceFit& fit, const SummaryOptions& options) { return io::summary_text(fit, options).whole(); }

namespace internal::io {

SummaryText summary_text(const RelevanceFit& fit, const SummaryOptions& options) {
  refuse_other_units(options, "; a relevance vector machine has no coefficients of columns");
  const double level = options.level;
  const Report& report = fit.report;
  std::string out = heading(fit);
  if (!holds_posterior(fit)) return {out, why_nothing(report)};
  const std::optional<KernelSpec> spec = spec_of(fit.kernel);
  out += "kernel " + kernel_in_words(fit, spec) + '\n';
  if (spec && has_width(*spec) && spec->parameters.size() > 1) out += table_of_widths(fit, spec->parameters);
  if (fit.machines.size() == 1) {
    out += table_of_weights(fit);
  } else {
    out += table_of_machines(fit);
    out += table_of_class_weights(fit);
  }
  const std::vector<KernelTrial> trials = finite_trials(fit);
  const bool has_curve = !trials.empty() && trials.front().parameters.size() == 1;
  if (has_curve) out += curve_of_evidence(trials, spec);
  out += '\n';
  if (has_noise(fit.task)) {
    const Fit& f = fit.machines.front().fit;
    out += labelled("R^2, training rows", fmt::format("{:.4f}", fit.r_squared));
    out += labelled("noise sd", noise_in_words(f, level));
  } else {
    out += labelled("accuracy, training", fmt::format("{:.4f}", fit.accuracy));
    out += labelled("log loss, training", fmt::format("{:.4f}", fit.log_loss));
  }
  out += labelled("relevance vectors", fmt::format("{} of {:.10g} rows", fit.num_vectors(), fit.num_rows));
  const bool laplace = has_classes(fit.task) && fit.algorithm == RelevanceAlgorithm::type_two;
  out += labelled("log evidence",
                  laplace ? fmt::format("about {:.4f} nats (Laplace)", fit.log_evidence) : fmt::format("{:.4f} nats", fit.log_evidence));
  if (!trials.empty() && !has_curve) {
    const auto [low, high] = range_of_evidence(trials);
    out += labelled("kernels tried", fmt::format("{}, log evidence from {:.4f} to {:.4f}", fit.trials.size(), low, high));
  }
  if (options.verbose)
    out += labelled("fit", fmt::format("{}, {} {}{}, {:.3g} s", to_string(fit.algorithm), report.sweeps,
                                       fit.algorithm == RelevanceAlgorithm::type_two ? "action" : "sweep", report.sweeps == 1 ? "" : "s",
                                       report.seconds));
  return {out, ending_of(report, options.verbose)};
}

}  // namespace internal::io

}  // namespace ardvark
