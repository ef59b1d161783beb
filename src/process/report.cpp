// What a kernel machine tells of itself: hypotheses, shares of variance, vectors, status.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "core/validate.hpp"
#include "process/fit_parts.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

KernelHypothesis described(ProcessEvidence& evidence, const WidthHypothesis& found, const Candidate& candidate,
                           const KernelInputs& inputs) {
  const Vector log_rho = found.best.theta.tail(found.best.theta.size() - 1);
  KernelHypothesis out;
  out.linear_share = evidence.linear_share(found.best.theta);
  out.kernel = evidence.covariance().kernel(log_rho);
  out.each = candidate.widths != WidthKind::shared && candidate.group.size() > 1;
  out.signal = std::exp(found.best.theta[0]);
  out.log_evidence = found.log_evidence;
  const auto add = [&](Index group, double unit) {
    const double width = std::exp(-log_rho[group]) * unit;
    constexpr double z = 1.959963984540054;
    const double sd = candidate.widths == WidthKind::fixed ? 0 : std::sqrt(found.covariance(group + 1, group + 1));
    out.widths.push_back(width);
    out.intervals.push_back({width * std::exp(-z * sd), width * std::exp(z * sd)});
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < candidate.group.size(); ++j) {
    const Index group = candidate.group[j];
    if (group < 0 && out.each) {
      out.widths.push_back(infinity);
      out.intervals.push_back({infinity, infinity});
    } else if (group >= 0 && (out.each || out.widths.empty())) {
      add(group, out.each || candidate.group.size() == 1 ? 1 / inputs.scale[static_cast<Index>(j)] : 1.0);
    }
  }
  return out;
}

namespace {

// The least standard deviation of the noise, as a part of that of the function.
std::string least_noise(double mean_weight) {
  const double least = std::exp(-0.5 * ProcessEvidence::most_log_h(mean_weight));
  return mean_weight > 150 ? fmt::format("{:.1g}", least) : "1/8000";
}

}  // namespace

// Collects the vectors of all processes, each once, in the order of the rows, and describes the fit.
void finish(MatrixView X, const DifferentRows& rows, std::vector<ProcessOutcome>&& outcomes, KernelFit& fit) {
  std::map<Index, Index> position;
  for (const ProcessOutcome& outcome : outcomes)
    for (const Index row : outcome.rows) position.emplace(row, 0);
  fit.relevance_vectors.resize(static_cast<Index>(position.size()), X.cols());
  Index next = 0;
  for (auto& [row, at] : position) {
    at = next++;
    const Index of_table = rows.first[static_cast<std::size_t>(row)];
    fit.relevance_rows.push_back(of_table);
    for (Index j = 0; j < X.cols(); ++j) fit.relevance_vectors(at, j) = X(of_table, j);
  }
  bool converged = true, width_at_limit = false, no_noise = false;
  for (ProcessOutcome& outcome : outcomes) {
    for (KernelPoint& point : outcome.process.points)
      for (Index& vector : point.vectors) vector = position.at(outcome.rows[static_cast<std::size_t>(vector)]);
    fit.log_evidence += outcome.process.log_evidence;
    fit.report.sweeps += outcome.steps;
    converged &= outcome.converged;
    width_at_limit |= outcome.width_at_limit;
    no_noise |= outcome.no_noise;
    fit.processes.push_back(std::move(outcome.process));
  }
  fit.report.status = converged ? Status::converged : Status::max_sweeps;
  fit.report.message = converged ? fmt::format("the evidence is at its maximum after {} steps", fit.report.sweeps)
                                 : "the search for the widths ended before the evidence was at its maximum";
  if (width_at_limit)
    fit.report.warnings.emplace_back(
        "the search for a width, or for the size of the function, ended at its limit: the rows do not determine it");
  if (no_noise)
    fit.report.notes.emplace_back(
        has_noise(fit.task)
            ? fmt::format("the rows show hardly any noise: its standard deviation is taken to be at least {} of that of the function",
                          least_noise(rows.k.mean()))
            : "the classes are separated: nothing in the rows says how steep the probability is at their border");
  fit.report.bound = fit.log_evidence;
}

std::vector<std::string> input_names(const KernelOptions& options, Index num_inputs) {
  std::vector<std::string> out = options.input_names;
  for (Index j = static_cast<Index>(out.size()); j < num_inputs; ++j) out.push_back(validate::column_name({}, j));
  return out;
}

void take_inputs(const KernelOptions& options, KernelInputs& inputs, KernelFit& fit) {
  fit.input_names = input_names(options, inputs.scale.size());
  fit.input_center = inputs.center;
  fit.input_scale = inputs.scale;
  fit.report.notes = std::move(inputs.notes);
  fit.report.warnings = std::move(inputs.warnings);
}

}  // namespace ardvark::internal
