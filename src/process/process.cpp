// fit_kernel_regression and fit_kernel_classification: options are checked, rows and inputs prepared, and the machine is fitted.
//                                                                                                          docs/math/process.md (KM)
#include "predict/process.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "ardvark/kernel_machine.hpp"
#include "ardvark/row_pass.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "frame/kernel_inputs.hpp"
#include "frame/prepare.hpp"
#include "kernel/kernel_function.hpp"
#include "passes/first_look.hpp"
#include "process/fit_parts.hpp"

namespace ardvark::internal {

void validate_options(const KernelOptions& options, MatrixView X) {
  validate::matrix(X, "X", options.input_names);
  validate::weights(options.weights, X.rows());
  validate::positive(options.divergence, "divergence");
  const auto d = static_cast<std::size_t>(X.cols());
  if (options.kernel != "auto" && !is_distance_kernel(options.kernel))
    throw wrong("kernel", options.kernel, "it must be one of auto, cauchy, gaussian, laplacian, matern32, matern52");
  if (options.threads < 0) throw wrong("threads", options.threads, "it must be at least 0");
  if (options.centres < 0) throw wrong("centres", options.centres, "it must be at least 0");
  if (options.num_vectors < 0) throw wrong("num_vectors", options.num_vectors, "it must be at least 0");
  if ((options.search == WidthSearch::given) == options.widths.empty())
    throw refused("widths", "must be given with search = given, and only then");
  if (options.widths.size() > 1 && options.widths.size() != d)
    throw wrong_size("widths", options.widths.size(), fmt::format("it must have one, or one per column of X: {}", d));
  for (const double width : options.widths) validate::positive(width, {"", "an entry of widths"});
  for (const auto& [size, name] : {std::pair{options.input_names.size(), "input_names"}, {options.input_groups.size(), "input_groups"}})
    if (size != 0 && size != d) throw wrong_size(name, size, fmt::format("it must have one per column of X: {}", d));
}

namespace {

// The kernel, its derivative, the slope, a factor and, with one width, the distances: n x n each.
void require_memory(Index n) {
  constexpr double matrices = 5, gib = 1024.0 * 1024 * 1024;
  const double needed = matrices * sizeof(double) * static_cast<double>(n) * static_cast<double>(n), available = physical_memory();
  if (available > 0 && needed > available)
    throw refused(
        "centres",
        fmt::format("= all takes about {:.0f} GiB of memory for {} rows, and this machine has {:.1f}; give a number of centres, such as {}",
                    needed / gib, n, available / gib, centres_of({})));
}

// Rows that are equal are one here, so that a table with repeated rows is answered as one with weights.
void refuse_vectors_of_centres(const KernelOptions& options, const DifferentRows& rows) {
  const auto n = static_cast<Index>(rows.first.size());
  if (is_low_rank(options, n) && (options.all_vectors || options.num_vectors > 0))
    throw refused("vectors", fmt::format("applies only with centres = all: of {} different rows the fit takes {} as centres, which are the "
                                         "vectors; leave out vectors, or give centres = all",
                                         n, centres_of(options)));
}

void start(MatrixView X, const KernelOptions& options, const DifferentRows& rows, KernelInputs& inputs, KernelFit& fit) {
  refuse_vectors_of_centres(options, rows);
  const InputScale divide_by = options.standardize ? InputScale::deviation : InputScale::nothing;
  inputs = prepare_inputs(X, rows, divide_by, input_names(options, X.cols()));
  take_inputs(options, inputs, fit);
  fit.num_rows = rows.k.sum();
}

}  // namespace

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

KernelRegression internal::fit_regression_in_memory(MatrixView X, VectorView y, const KernelOptions& options) {
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  const Stopwatch watch;
  KernelRegression fit;
  fit.task = Task::linear;
  const DifferentRows rows = different_rows(X, y, options.weights);
  KernelInputs inputs;
  start(X, options, rows, inputs, fit);
  if (!(fit.num_rows > 1)) throw refused("X", fmt::format("has {:.6g} row; a kernel regression needs at least 2", fit.num_rows));
  const MachineTarget target = regression_target(entries(y, rows.first), rows.k, fit.report.warnings);
  fit.target_center = target.center;
  fit.target_scale = target.scale;
  fit.degrees_of_freedom = fit.num_rows - 1;
  std::vector<ProcessOutcome> outcome;
  const bool low_rank = is_low_rank(options, inputs.Z.rows());
  if (!low_rank) require_memory(inputs.Z.rows());
  const auto fit_any = low_rank ? fit_low_rank : fit_exact;
  outcome.push_back(fit_any({inputs.Z, rows.k, target.t, false, options.average}, options, inputs));
  finish(X, rows, std::move(outcome), fit);
  if (low_rank) fit.report.notes.push_back(note_on_centres(fit));
  const double to_units = (fit.num_rows - 1) * std::log(target.scale) + 0.5 * rows.k.array().log().sum();  // of the target and the rows
  for (KernelHypothesis& one : fit.processes.front().hypotheses) one.log_evidence -= to_units;
  fit.log_evidence -= to_units;
  fit.report.bound = fit.processes.front().log_evidence = fit.log_evidence;
  describe_rows(X, y, weights_or_ones(options.weights, X.rows()), fit);
  fit.variance_share = variance_shares(X, rows, options.input_groups, fit);
  fit.report.seconds = watch.seconds();
  return fit;
}

KernelClassification internal::fit_classes_in_memory(MatrixView X, VectorView labels, const KernelOptions& options) {
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  const Stopwatch watch;
  KernelClassification fit;
  fit.task = Task::logistic;
  const DifferentRows rows = different_rows(X, labels, options.weights);
  ClassTargets targets = class_targets(entries(labels, rows.first), options.class_names);
  fit.classes = std::move(targets.classes);
  KernelInputs inputs;
  start(X, options, rows, inputs, fit);
  std::vector<ProcessOutcome> outcomes;
  const bool average = options.average, low_rank = is_low_rank(options, inputs.Z.rows());
  if (!low_rank) require_memory(inputs.Z.rows());
  const auto fit_any = low_rank ? fit_low_rank : fit_exact;
  for (const MachineTarget& target : targets.targets)
    outcomes.push_back(fit_any({inputs.Z, rows.k, target.t, true, average}, options, inputs));
  finish(X, rows, std::move(outcomes), fit);
  if (low_rank) fit.report.notes.push_back(note_on_centres(fit));
  describe_rows(X, labels, weights_or_ones(options.weights, X.rows()), fit);
  if (fit.classes.size() == 2) fit.variance_share = variance_shares(X, rows, options.input_groups, fit);
  fit.report.seconds = watch.seconds();
  return fit;
}

namespace {

// Where a fit with centres has many rows, a fit by passes, which searches with a sample first, is up to ten times as fast and predicts as
// well.                                                                                                                        (PASS.7)
bool goes_by_passes(MatrixView X, VectorView y, const KernelOptions& options) {
  const auto has_many = [&](Index rows) { return is_low_rank(options, rows) && rows > 2 * rows_of_sample(options); };
  return !options.all_vectors && options.num_vectors == 0 && has_many(X.rows()) && has_many(different_rows(X, y, options.weights).k.size());
}

auto fit_by_passes(MatrixView X, VectorView y, KernelOptions options, auto&& fit) {
  const VectorView weights = std::exchange(options.weights, {});
  return fit(rows_from([&](const TakeRows& take) { take(X, y, weights); }), options);
}

}  // namespace

KernelRegression fit_kernel_regression(MatrixView X, VectorView y, const KernelOptions& options) {
  validate_options(options, X);
  validate::vector(y, X.rows(), "y");
  if (!goes_by_passes(X, y, options)) return fit_regression_in_memory(X, y, options);
  return fit_by_passes(X, y, options, [](const auto&... of_rows) { return fit_kernel_regression(of_rows...); });
}

KernelClassification fit_kernel_classification(MatrixView X, VectorView labels, const KernelOptions& options) {
  validate_options(options, X);
  validate::vector(labels, X.rows(), "labels");
  if (!goes_by_passes(X, labels, options) || std::set<double>(labels.begin(), labels.end()).size() > most_classes_by_passes)
    return fit_classes_in_memory(X, labels, options);
  return fit_by_passes(X, labels, options, [](const auto&... of_rows) { return fit_kernel_classification(of_rows...); });
}

}  // namespace ardvark
