// A kernel machine as readable text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ardvark/kernel_machine.hpp"
#include "io/cells.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "posterior/state.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::labelled;
using io::number;

std::string heading(const KernelFit& fit) {
  std::string out = fmt::format("Kernel machine, {}: {:.10g} {}, {} {}\n", facts_of(fit.task).machine, fit.num_rows,
                                fit.num_rows == 1 ? "row" : "rows", fit.num_inputs(), fit.num_inputs() == 1 ? "input" : "inputs");
  if (has_classes(fit.task) && fit.classes.size() == 2)
    out += fmt::format("target {}: probability of {} against {}\n", fit.target, fit.classes[1], fit.classes[0]);
  else if (has_classes(fit.task))
    out += fmt::format("target {}: {} classes, one process for each class against the rest\n", fit.target, fit.classes.size());
  else if (!fit.target.empty())
    out += fmt::format("target {}\n", fit.target);
  return out;
}

std::string kernel_of(const KernelHypothesis& one) {
  return fmt::format("{}, {}", one.kernel.spec().kind, one.each ? "a width each" : "one width");
}

bool has_linear_part(const KernelProcess& process) {
  return std::any_of(process.hypotheses.begin(), process.hypotheses.end(), [](const auto& one) { return one.linear_share > 0; });
}

std::string table_of_hypotheses(const KernelProcess& process, bool one_input) {
  const bool linear = has_linear_part(process);
  io::Cells table(linear ? std::vector<std::string>{"kernel", "linear share", "weight", "log evidence"}
                         : std::vector<std::string>{"kernel", "weight", "log evidence"});
  for (const KernelHypothesis& one : process.hypotheses) {
    std::vector<std::string> cells = {one_input ? one.kernel.spec().kind : kernel_of(one)};
    if (linear) cells.push_back(fmt::format("{:.2f}", one.linear_share));
    cells.insert(cells.end(), {fmt::format("{:.3f}", one.weight), fmt::format("{:.4f}", one.log_evidence)});
    table.add(cells);
  }
  return table.text();
}

// A width in the units of its input: the distance over which the function changes. One that spans the data says that the input hardly
// matters.
std::string table_of_widths(const KernelFit& fit, const KernelHypothesis& one, double level) {
  constexpr std::size_t most_lines = 20;
  std::vector<std::size_t> order(one.widths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto in_sd = [&](std::size_t j) { return one.widths[j] * fit.input_scale[static_cast<Index>(j)]; };
  const bool each = one.widths.size() > 1;
  const auto key = [&](std::size_t j) { return each && std::isfinite(one.widths[j]) ? in_sd(j) : one.widths[j]; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const std::vector<Interval> intervals = width_intervals(one, level);
  const bool shares = fit.variance_share.size() > 0 && (each || fit.num_inputs() == 1);
  std::vector<std::string> titles = {"input", each ? "width" : "width (sd)", fmt::format("{:g}% from", 100 * level), "to", "in sd"};
  if (shares) titles.emplace_back("variance");
  io::Cells table(titles);
  for (std::size_t i = 0; i < std::min(order.size(), most_lines); ++i) {
    const std::size_t j = order[i];
    const bool has_name = each || fit.num_inputs() == 1;
    std::vector<std::string> cells = {has_name ? fit.input_names[j] : "(all)"};
    if (!std::isfinite(one.widths[j]))
      cells.emplace_back("constant");
    else
      cells.insert(cells.end(), {number(one.widths[j]), number(intervals[j].lower), number(intervals[j].upper),
                                 has_name ? fmt::format("{:.3g}", in_sd(j)) : ""});
    if (shares && std::isfinite(one.widths[j])) cells.push_back(fmt::format("{:.2f}", fit.variance_share[static_cast<Index>(j)]));
    table.add(cells);
  }
  std::string out = table.text();
  if (order.size() > most_lines) out += fmt::format("  ... and {} more with larger widths\n", order.size() - most_lines);
  return out;
}

}  // namespace

std::string summary(const KernelFit& fit, const SummaryOptions& options) { return io::summary_text(fit, options).whole(); }

namespace internal::io {

SummaryText summary_text(const KernelFit& fit, const SummaryOptions& options) {
  refuse_other_units(options, "; a kernel machine has no coefficients of columns");
  std::string out = heading(fit);
  if (!holds_posterior(fit)) return {out, why_nothing(fit.report)};
  double divergence = 0, change = 0;
  for (const KernelProcess& process : fit.processes) {
    divergence = std::isnan(process.divergence) ? process.divergence : std::max(divergence, process.divergence);
    change = std::max(change, process.largest_change);
  }
  if (fit.processes.size() == 1) {
    out += table_of_hypotheses(fit.processes.front(), fit.num_inputs() == 1);
    out += table_of_widths(fit, fit.processes.front().hypotheses.front(), options.level);
  } else {
    const bool linear = std::any_of(fit.processes.begin(), fit.processes.end(), has_linear_part);
    Cells table(linear ? std::vector<std::string>{"class", "kernel", "linear share", "weight", "log evidence"}
                       : std::vector<std::string>{"class", "kernel", "weight", "log evidence"});
    for (std::size_t k = 0; k < fit.processes.size(); ++k) {
      const KernelHypothesis& best = fit.processes[k].hypotheses.front();
      std::vector<std::string> cells = {fit.classes[k], kernel_of(best)};
      if (linear) cells.push_back(fmt::format("{:.2f}", best.linear_share));
      cells.insert(cells.end(), {fmt::format("{:.3f}", best.weight), fmt::format("{:.4f}", best.log_evidence)});
      table.add(cells);
    }
    out += table.text();
  }
  out += '\n';
  if (has_noise(fit.task)) {
    out += labelled("R^2, training rows", fmt::format("{:.4f}", fit.r_squared));
    out += labelled("noise sd", fmt::format("{}; of the function over the rows {}", number(fit.noise_sd), number(fit.signal_sd)));
  } else {
    out += labelled("accuracy, training", fmt::format("{:.4f}", fit.accuracy));
    out += labelled("log loss, training", fmt::format("{:.4f}", fit.log_loss));
  }
  std::string vectors = fmt::format("{} of {:.10g} rows", fit.num_vectors(), fit.num_rows);
  if (!std::isnan(divergence))
    vectors += fmt::format("; leaving out the others changes predictions by {:.2g} nats a row, and no {} by more than {:.2g}{}", divergence,
                           has_noise(fit.task) ? "mean" : "probability", change, has_noise(fit.task) ? " sd" : "");
  out += labelled("relevance vectors", vectors);
  out += labelled("log evidence", fmt::format("{:.4f} nats", fit.log_evidence));
  if (options.verbose) out += labelled("fit", fmt::format("{} steps, {:.3g} s", fit.report.sweeps, fit.report.seconds));
  return {out, ending_of(fit.report, options.verbose)};
}

}  // namespace internal::io

}  // namespace ardvark
