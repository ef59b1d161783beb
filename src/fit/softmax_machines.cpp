#include "fit/softmax_machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "ardvark/diagnose.hpp"
#include "core/blas.hpp"
#include "core/class_pairs.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/stopwatch.hpp"
#include "fit/checked.hpp"
#include "frame/frame.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "method/spike_slab/prior_choice.hpp"
#include "method/spike_slab/sparse.hpp"
#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"
#include "predict/predictive.hpp"
#include "predict/softmax.hpp"
#include "preset/preset.hpp"
#include "result/largest_khat.hpp"
#include "table/row_subset.hpp"

namespace ardvark::internal {

std::string against_the_rest(const std::string& name) { return fmt::format("{} against the rest", name); }

namespace {

// The rows of a machine, and its name in messages.
struct Machine {
  std::vector<Index> rows;
  Vector t;
  std::string name;
};

std::vector<Machine> machines_of(const SoftmaxFit& fit, const std::vector<Index>& label) {
  std::vector<Machine> all;
  const auto n = static_cast<Index>(label.size());
  const auto name = [&](Index c) { return fit.classes[static_cast<std::size_t>(c)]; };
  const auto add = [&](Index low, Index high, std::string text) {  // low = -1: all classes except `high`
    Machine machine{{}, {}, std::move(text)};
    std::vector<double> t;
    for (Index i = 0; i < n; ++i) {
      const Index own = label[static_cast<std::size_t>(i)];
      if (low >= 0 && own != low && own != high) continue;
      machine.rows.push_back(i);
      t.push_back(own == high ? 1 : 0);
    }
    machine.t = Eigen::Map<const Vector>(t.data(), static_cast<Index>(t.size()));
    all.push_back(std::move(machine));
  };
  if (fit.coding == ClassCoding::one_against_rest)
    for (Index c = 0; c < fit.num_classes(); ++c) add(-1, c, against_the_rest(name(c)));
  else
    for (const auto& [low, high] : class_pairs(fit.num_classes())) add(low, high, fmt::format("{} against {}", name(high), name(low)));
  return all;
}

// The published program scales the columns once, over the rows of all classes.
Matrix scaled_columns(MatrixView X, const Standardization& s) { return read_table(X, {s.center, s.scale, false}); }

// Adds the next machine. Returns false if it has no posterior; no other machine is then needed.
bool add_machine(Fit given, const Standardization& s, SoftmaxFit& fit) {
  const auto column = static_cast<Index>(fit.machines.size());
  fit.machines.push_back(std::move(given));
  Fit& one = fit.machines.back();
  one.classes = {"0", "1"};
  fit.prior = one.prior;
  const Index p = one.num_columns();
  for (Index j = 0; j < p; ++j) {
    const double scale = s.scale.size() > 0 ? s.scale[j] : 1.0;
    fit.mean(j, column) = scale * one.mean[j];
    fit.variance(j, column) = scale * scale * one.variance[j];
    fit.relevance(j, column) = one.relevance[j];
    if (one.relevant[static_cast<std::size_t>(j)]) fit.relevant[static_cast<std::size_t>(j)] = true;
    if (!one.left_out[static_cast<std::size_t>(j)]) fit.left_out[static_cast<std::size_t>(j)] = false;
    const Index g = one.group[static_cast<std::size_t>(j)];
    if (g >= 0) fit.precision(j, column) = one.sparse ? std::numeric_limits<double>::quiet_NaN() : one.precision[g];
  }
  if (fit.precision.rows() > p) fit.precision(p, column) = one.precision[one.precision.size() - 1];  // the precision of the intercept
  fit.standardized_mean.col(column) = one.standardized_mean;
  if (one.precision_history.size() > 0) {
    const Index above = fit.precision_history.rows();
    fit.precision_history.conservativeResize(above + one.precision_history.rows(), one.precision_history.cols());
    fit.precision_history.bottomRows(one.precision_history.rows()) = one.precision_history;
  }
  if (one.intercept) {
    fit.intercept[column] = one.intercept->mean;
    fit.intercept_variance[column] = one.intercept->variance;
    if (s.center.size() > 0) {  // x = 0 in the units of the given columns
      const Matrix origin = -s.center.cwiseProduct(s.scale).transpose();
      Vector m, v;
      const bool varies = one.state != nullptr && one.state->factor.kind != CovarianceFactor::Kind::none;
      predictive_moments(one, origin, m, varies ? &v : nullptr);
      fit.intercept[column] = m[0];
      fit.intercept_variance[column] = varies ? v[0] : std::numeric_limits<double>::quiet_NaN();
    }
  }
  fit.bound += one.bound;
  fit.log_det_V += one.log_det_V;
  fit.effective_parameters += one.effective_parameters;
  Report& report = fit.report;
  report.sweeps = std::max(report.sweeps, one.report.sweeps);
  report.solver = one.report.solver;
  report.solver_reason = one.report.solver_reason;
  for (PruningEvent event : one.report.pruning) {
    for (std::vector<Index>* list : {&event.pruned, &event.readmitted})
      for (Index& j : *list) j += column * fit.standardized_mean.rows();
    report.pruning.push_back(std::move(event));
  }
  return one.state != nullptr && one.mean.allFinite();
}

// Collects the notes or warnings of the machines, each text once: all of them if there are few, otherwise their number and the first.
void gather(const std::vector<std::string>& names, const std::vector<Fit>& fits, std::vector<std::string> Report::*list, Report& report) {
  struct Remark {
    std::string text;
    std::vector<std::string> of;  // machines
  };
  std::vector<Remark> remarks;
  std::size_t num_machines = 0;
  for (std::size_t m = 0; m < fits.size(); ++m) {
    for (const std::string& text : fits[m].report.*list) {
      auto at = std::ranges::find(remarks, text, &Remark::text);
      if (at == remarks.end()) at = remarks.insert(remarks.end(), {text, {}});
      if (at->of.empty() || at->of.back() != names[m]) at->of.push_back(names[m]);
    }
    if (!(fits[m].report.*list).empty()) ++num_machines;
  }
  std::vector<std::string> texts;
  for (const Remark& one : remarks) {
    const bool of_all = one.of.size() == names.size() && names.size() > 1;
    texts.push_back(fmt::format("{}: {}", of_all ? "each regression" : fmt::format("{}", fmt::join(one.of, ", ")), one.text));
  }
  constexpr std::size_t few = 5;
  if (texts.size() > few)
    texts = {fmt::format("{} of {} regressions have a remark here; the first: {}", num_machines, fits.size(), texts.front())};
  (report.*list).insert((report.*list).end(), texts.begin(), texts.end());
}

// Gives the fields that have a column for each machine their sizes.
void begin_machines(Index num_columns, Index num_machines, const SoftmaxOptions& options, SoftmaxFit& fit) {
  fit.mean = fit.variance = fit.relevance = Matrix::Zero(num_columns, num_machines);
  fit.standardized_mean = Matrix::Zero(num_columns + (options.intercept ? 1 : 0), num_machines);
  fit.precision = Matrix::Zero(num_columns + (options.penalize_intercept ? 1 : 0), num_machines);
  if (options.intercept) fit.intercept = fit.intercept_variance = Vector::Zero(num_machines);
  fit.relevant.assign(static_cast<std::size_t>(num_columns), false);
  fit.left_out.assign(static_cast<std::size_t>(num_columns), true);
  fit.bound = 0;
}

void summarise_machines(const std::vector<std::string>& names, bool compat, SoftmaxFit& fit) {
  fit.report.bound = fit.bound;
  Report& report = fit.report;
  const auto num_machines = static_cast<Index>(names.size());
  Index unfinished = num_machines - static_cast<Index>(fit.machines.size());
  std::string first;
  report.status = Status::converged;
  for (std::size_t m = 0; m < fit.machines.size(); ++m) {
    const Report& one = fit.machines[m].report;
    if (one.status == Status::converged) continue;
    ++unfinished;
    if (report.status != Status::converged) continue;
    report.status = one.status;
    first = fmt::format("{}: {}", names[m], one.message);
  }
  if (unfinished > 0)
    report.message = fmt::format("{} of {} logistic regressions did not converge; the first, {}", unfinished, num_machines, first);
  else if (compat)
    report.message = fmt::format("each of {} logistic regressions has made {} sweeps, as the published program does, and no longer changes",
                                 num_machines, report.sweeps);
  else
    report.message = fmt::format("each of {} logistic regressions has converged, the slowest after {} sweeps", num_machines, report.sweeps);
  gather(names, fit.machines, &Report::notes, report);
  gather(names, fit.machines, &Report::warnings, report);
}

// The options that all regressions have in common.
FitOptions options_of_each(const SoftmaxOptions& options) {
  FitOptions each = options;
  each.intervals = Intervals::gaussian;  // several classes have none
  if (const char* machine = preset_facts(options.preset).machine) each.preset = machine;
  if (options.keep_covariance == Keep::never) each.keep_covariance = Keep::automatic;  // needed to describe the training rows
  return each;
}

}  // namespace

FitOptions options_of(const FitOptions& each, Index num_rows, Index num_columns, std::string& note, const std::string& need_of_small) {
  ChosenOptions chosen = with_chosen_prior(each, Task::logistic, num_rows, num_columns, need_of_small);
  note = std::move(chosen.note);
  FitOptions& options = chosen.options;
  if (options.preset.empty() || is_sparse(options.prior.kind) || options.prior.kind == PriorKind::laplace) return std::move(options);
  if (!options.likelihood) options.likelihood = LogisticLikelihood::laplace;
  if (!options.rule) options.rule = UpdateRule::mackay;
  return std::move(options);
}

void take_machines(const std::vector<std::string>& names, Index num_columns, const Standardization& units, const SoftmaxOptions& options,
                   SoftmaxFit& fit, const std::function<std::optional<Fit>(Index machine)>& fitted) {
  const auto count = static_cast<Index>(names.size());
  begin_machines(num_columns, count, options, fit);
  for (Index m = 0; m < count; ++m) {
    std::optional<Fit> one = fitted(m);
    if (!one || !add_machine(std::move(*one), units, fit)) break;
  }
  summarise_machines(names, options.compat, fit);
}

void fit_machines(FitTable X, const std::vector<Index>& label, const Vector& k, const SoftmaxOptions& options, SoftmaxFit& fit) {
  FitOptions each = options_of_each(options);
  auto state = std::make_shared<SoftmaxState>();
  const FitTable whole = X;
  Matrix Z;
  const bool pairs = options.coding == ClassCoding::one_against_one;
  std::vector<bool> constant;
  if (options.compat && pairs) {
    Frame frame = frame_of_columns(X, options);
    state->standardization = std::move(frame.units.standardization);
    fit.report.notes = std::move(frame.notes);
    fit.report.warnings = std::move(frame.warnings);
    constant = std::move(frame.left_out);
    Z = scaled_columns(X.dense("a published coding"), state->standardization);
    X = Z;
    each.standardize = false;
  }
  const std::vector<Machine> machines = machines_of(fit, label);
  std::optional<Frame> prepared;  // one against the rest: the columns are the same for all machines
  const Stopwatch watch;
  const Index p = X.cols(), columns = static_cast<Index>(machines.size());
  bool is_stopped = false;
  const auto fitted = [&](Index m) -> std::optional<Fit> {
    if (is_stopped) return std::nullopt;
    const double done_at = watch.seconds();
    const Machine& machine = machines[static_cast<std::size_t>(m)];
    Vector weights;
    each.start_precision = start_of_model(options, columns, m);
    if (pairs && !options.weights.empty()) {
      weights = k(machine.rows);
      each.weights = weights;
    }
    if (options.on_sweep)
      each.on_sweep = [&, number = static_cast<int>(m) + 1](Progress progress) {
        progress.elapsed_seconds = watch.seconds();
        progress.fit = number;
        progress.num_fits = static_cast<int>(columns);
        progress.fit_name = pairs ? "pair of classes" : "class";
        progress.seconds_left = seconds_for_rest(number - 1, columns, done_at, progress.elapsed_seconds - done_at);
        return options.on_sweep(progress);
      };
    std::string note;
    const FitOptions here = options_of(each, machine.t.size(), p, note, need_of_small(X, each, Task::logistic, p));
    Fit one = pairs ? fit_table(Task::logistic, RowSubset(X, machine.rows).table(), machine.t, here)
                    : fit_columns(Task::logistic, X, machine.t, here, prepared);
    if (!note.empty()) one.report.notes.insert(one.report.notes.begin(), std::move(note));
    is_stopped = one.report.status == Status::stopped_by_user;
    return one;
  };
  std::vector<std::string> names;
  for (const Machine& machine : machines) names.push_back(machine.name);
  take_machines(names, p, state->standardization, options, fit, fitted);
  if (!constant.empty()) fit.left_out = std::move(constant);
  fit.state = std::move(state);
  if (static_cast<Index>(fit.machines.size()) < columns || !fit.mean.allFinite()) return;
  const bool integrates = std::all_of(fit.machines.begin(), fit.machines.end(),
                                      [](const Fit& one) { return one.state->factor.kind != CovarianceFactor::Kind::none; });
  class_scores(probabilities(fit, whole, integrates ? ClassRule::automatic : ClassRule::plug_in), label, k).describe(k.sum(), fit);
  if (options.keep_covariance == Keep::never) drop_covariances(fit);
}

void drop_covariances(SoftmaxFit& fit) {
  for (Fit& one : fit.machines) {
    auto bare = std::make_shared<FitState>(*one.state);
    bare->factor = {};
    one.state = std::move(bare);
  }
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

Diagnosis diagnose(const SoftmaxFit& fit, MatrixView X, VectorView labels, const SoftmaxOptions& options, std::string& why_not) {
  if (fit.machines.empty()) throw InvalidArgument("k-hat needs a regression for each class (coding one-against-rest); this is a softmax");
  if (!options.preset.empty()) throw InvalidArgument("k-hat of several classes is not available for presets");
  const std::vector<Machine> machines = machines_of(fit, read_classes(labels, {}, options.class_names).number);
  const bool pairs = fit.coding == ClassCoding::one_against_one;
  const Vector k = weights_or_ones(options.weights, X.rows());
  FitOptions each = options_of_each(options);
  return largest_khat(
      fit.machines.size(),
      [&](std::size_t m) {
        const Machine& machine = machines[m];
        const Vector weights = k(machine.rows);
        each.weights = weights;
        std::string note;
        const FitOptions here = options_of(each, machine.t.size(), X.cols(), note);
        const auto diagnosed = [&](MatrixView rows) { return diagnose(fit.machines[m], rows, machine.t, here, why_not); };
        return pairs ? diagnosed(RowSubset(X, machine.rows).view()) : diagnosed(X);
      },
      why_not);
}

}  // namespace ardvark
