// fit_kernel_regression and fit_kernel_classification for rows that are not in memory.                           docs/math/passes.md
// (PASS.7)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/blas.hpp"
#include "core/digits.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/side_by_side.hpp"
#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "passes/first_look.hpp"
#include "predict/process.hpp"
#include "process/fit_parts.hpp"
#include "process/pass_evidence.hpp"
#include "rows/statistics_state.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr int most_steps = 40;  // of the widths with all rows

// The first look: a sample, and the units of inputs and target.
struct SampledRows {
  RowSums answer;
  Moments total;
  RowSample sample;
  std::vector<double> labels;  // of classes, ascending
  DifferentRows rows = {};     // of the sample
  KernelInputs inputs = {};
  MachineTarget target = {};

  [[nodiscard]] Index num_inputs() const { return total.size() - 1; }
  [[nodiscard]] Index num_rows() const { return answer.num_rows(); }
  [[nodiscard]] double share() const { return rows.k.sum() / total.weight; }
  [[nodiscard]] MatrixView X() const { return {sample.X.data(), static_cast<Index>(sample.y.size()), num_inputs(), Layout::row_major}; }
  [[nodiscard]] Vector sd() const { return (total.cross().diagonal() / total.weight).cwiseMax(0).cwiseSqrt(); }
};

SampledRows look_at_rows(const AskRows& ask, const KernelOptions& options, bool classes) {
  if (!options.weights.empty()) throw refused("weights", "cannot be given with rows that are read in passes: they belong to the rows");
  RowQuestion::State question;
  question.is_first_look = true;
  question.is_regression = !classes;
  question.most_labels = most_classes_by_passes;
  question.names = options.input_names;
  question.sample_rows = rows_of_sample(options);
  RowSums answer = ask(RowQuestion(std::make_shared<const RowQuestion::State>(std::move(question))));
  const RowSums::State& state = answer.state();
  Moments total = moments_of(answer);
  RowSample sample = state.sample;
  if (!sample.is_complete()) sample.keep(state.most_in_sample(), total.size() - 1);
  std::vector<double> labels;
  for (const auto& [label, sums] : state.classes)
    if (sums.weight > 0) labels.push_back(label);
  return {std::move(answer), std::move(total), std::move(sample), std::move(labels)};
}

// The sample has all rows: their number is as given, and the options may be any.
auto fit_sampled(const SampledRows& all, KernelOptions options, auto&& fit) {
  const std::vector<double>& weights = all.sample.weights;
  if (!std::ranges::all_of(weights, [](double weight) { return weight == 1; })) options.weights = weights;
  auto out = fit(all.X(), VectorView(all.sample.y), options);
  for (Index& row : out.relevance_rows) row = all.sample.rows[static_cast<std::size_t>(row)].position;
  return out;
}

void refuse_what_needs_all_rows(const KernelOptions& options) {
  const auto refuse = [](const char* argument, const char* value, const char* remedy) {
    throw InvalidArgument({.argument = argument, .remedy = fmt::format("{}, or read the table into memory", remedy)},
                          fmt::format("{} needs the whole table, and the rows are not in memory", value));
  };
  if (options.all_centres) refuse("centres", " = all", "give a number of centres");
  if (options.all_vectors || options.num_vectors > 0) refuse("vectors", "", "leave it out: the centres are the vectors");
}

// Units by all rows, and the rows of the sample in them.
void prepare(const KernelOptions& options, SampledRows& all, KernelFit& fit) {
  const Vector sd = all.sd();
  const Index d = all.num_inputs();
  const std::vector<std::string> names = input_names(options, d);
  all.rows = different_rows(all.X(), all.sample.y, all.sample.weights);
  if (options.standardize) {
    all.inputs = {all.total.mean.head(d), Vector::Ones(d)};
    Vector checked(d);
    for (Index j = 0; j < d; ++j)
      checked[j] = validate::spread(sd[j], sd[j] == 0, fmt::format("input '{}'", names[static_cast<std::size_t>(j)]));
    scale_inputs(checked, names, all.inputs);
    all.inputs.Z = seen_inputs(all.X(), all.rows.first, all.inputs.center, all.inputs.scale);
  } else {
    all.inputs = prepare_inputs(all.X(), all.rows, InputScale::nothing, names);
  }
  take_inputs(options, all.inputs, fit);
  all.target.y = entries(all.sample.y, all.rows.first);
  if (has_noise(fit.task)) {
    all.target.center = all.total.mean[d];
    all.target.t = all.target.y.array() - all.target.center;
    scale_target(validate::spread(sd[d], sd[d] == 0, "the target"), all.target, fit.report.warnings);
    all.target.t /= all.target.scale;
  }
  fit.num_rows = all.total.weight;
}

// The mean variance of x'x over all rows.
double spread_of(const SampledRows& all) {
  const Index d = all.num_inputs();
  return all.total.cross().diagonal().head(d).dot(all.inputs.scale.cwiseAbs2()) / (all.total.weight - 1);
}

KernelQuestion question_of(const SampledRows& all, const CentreSearch& search, bool classes) {
  KernelQuestion out;
  out.center = all.inputs.center, out.scale = all.inputs.scale;
  if (classes)
    out.target_center = all.labels[0], out.target_scale = all.labels[1] - all.labels[0];
  else
    out.target_center = all.target.center, out.target_scale = all.target.scale;
  out.kernel = search.candidate.kernel;
  out.group = search.candidate.group;
  out.linear_part = search.candidate.linear_part;
  out.theta = Hyperparameters::Zero(search.evidence->size());
  out.centres = all.inputs.Z(search.rows, Eigen::all);
  out.classes = classes;
  return out;
}

Passes passes_over(const AskRows& ask, const SampledRows& all, bool classes) {
  const RowSums::State& state = all.answer.state();
  RowQuestion::State pass;
  pass.is_regression = !classes;
  pass.labels = all.labels;
  pass.num_rows = state.num_rows;
  pass.num_columns = all.num_inputs();
  pass.fingerprint = state.fingerprint;
  return {[ask](RowQuestion::State question) { return ask_rows(ask, std::move(question)); }, std::move(pass)};
}

// What both tasks do after the passes.
void describe(const SampledRows& all, std::vector<ProcessOutcome>&& outcomes, int reads, const KernelOptions& options, KernelFit& fit) {
  const std::size_t machines = outcomes.size();
  finish(all.X(), all.rows, std::move(outcomes), fit);
  for (Index& row : fit.relevance_rows) row = all.sample.rows[static_cast<std::size_t>(row)].position;
  fit.report.notes.push_back(note_on_centres(fit));
  fit.report.notes.push_back(fmt::format("the rows were read {} times{}; the centres and these 500 rows are of a sample of {} of {} rows",
                                         reads, machines > 1 ? fmt::format(", for the machines of all {} classes together", machines) : "",
                                         all.sample.y.size(), all.num_rows()));
  if (machines == 1) fit.variance_share = variance_shares(all.X(), all.rows, options.input_groups, fit);
}

void begin(SampledRows& all, const KernelOptions& options, KernelFit& fit) {
  refuse_what_needs_all_rows(options);
  validate_options(options, all.X());
  prepare(options, all, fit);
}

// One class against the rest, or the second of two classes.
struct ClassMachine {
  ProcessOutcome outcome;
  KernelQuestion question;  // its posterior
  ClassScores scores;
};

ClassMachine fit_machine(const SampledRows& all, double own_label, const KernelOptions& options, Passes& passes) {
  const Vector t = (all.target.y.array() == own_label).cast<double>();
  const CentreSearch search = search_with_centres({all.inputs.Z, all.rows.k, t, true}, options, all.inputs);
  KernelQuestion question = question_of(all, search, true);
  if (all.labels.size() > 2) question.own_label = own_label;
  PassEvidence evidence(search.evidence->covariance(), search.evidence->weights(), all.total.weight, spread_of(all), passes, question);
  const double more = 1 / all.share();
  const std::unique_ptr<LowRankEvidence> start =
      Problem{all.inputs.Z, Vector(more * all.rows.k), t, true}.low_rank_evidence(search.candidate);
  start->set_centres(search.rows);
  ClassPasses steps(passes, question, evidence);
  steps.run(search.found.best.theta, start->posterior(search.found.best.theta));
  WidthHypothesis better = search.found;
  better.best.theta = steps.theta(), better.best.steps = 0;
  if (search.candidate.given.size() == 0) {
    better.best = climb_further(steps, search.candidate.given, better, more, most_steps);
    steps.run(better.best.theta, steps.posterior_near(better.best.theta));
  }
  WidthHypothesis found = hypothesis_at_widths(evidence, search.candidate.given, better, more);
  if (found.points.empty()) throw InvalidArgument("the posterior of all rows cannot be factorised");
  found.best.converged = steps.converged() && search.found.best.converged && better.best.steps < most_steps;
  found.log_evidence += steps.bound() - found.best.value;
  found.best.theta = steps.theta();
  ClassMachine out{outcome_of(search, evidence, found, steps.posterior(), 1, all.inputs), steps.question(), steps.scores()};
  out.outcome.steps += better.best.steps;
  return out;
}

// Three classes or more: a machine for each of them against the rest. Each read of the rows answers all machines that still ask.
class ClassMachines {
 public:
  ClassMachines(const SampledRows& all, const KernelOptions& options, const std::vector<std::string>& names, Passes& passes)
      : all_(all), options_(options), names_(names), passes_(passes) {}

  std::vector<ProcessOutcome> fit_all() {
    const auto C = static_cast<Index>(all_.labels.size());
    std::vector<ProcessOutcome> out(static_cast<std::size_t>(C));
    machines_.resize(out.size());
    Machines([this](const std::vector<Asked>& asked) {
      return answer(asked);
    }).run(C, machines_at_once(), [&](Index i, Machines::Place& place) {
      const auto c = static_cast<std::size_t>(i);
      out[c] = fit_one(c, place);
    });
    return out;
  }

  // How the probabilities of all machines become one, and how well they describe the rows.                                        (KM.12)
  void score(KernelFit& fit) {
    auto work = std::make_shared<KernelQuestions>();
    work->machines = machines_;
    work->compares = true;
    const Vector sums = passes_.numbers(std::move(work));
    if (sums.size() != PowerSums::num_numbers) throw InvalidArgument("the sums over the rows answer another question");
    take_power(PowerSums(sums), fit.num_rows, fit);
  }

 private:
  using Asked = std::shared_ptr<const KernelQuestion>;
  using Machines = SideBySide<Asked, Vector>;

  // The posteriors of a question take at most 128 MB.
  [[nodiscard]] Index machines_at_once() const {
    constexpr Index most = 16'000'000;  // numbers
    const Index size = centres_of(options_) + (options_.linear_part ? all_.num_inputs() : 0) + 1;
    return std::max<Index>(1, most / (size * size));
  }

  std::vector<Vector> answer(const std::vector<Asked>& asked) {
    auto work = std::make_shared<KernelQuestions>();
    work->machines = asked;
    const Vector numbers = passes_.numbers(std::move(work));
    std::vector<Vector> out;
    Index at = 0;
    for (const Asked& one : asked) {
      const Index count = one->num_numbers();
      if (at + count > numbers.size()) throw InvalidArgument("the sums over the rows answer another question");
      out.emplace_back(numbers.segment(at, count));
      at += count;
    }
    return out;
  }

  ProcessOutcome fit_one(std::size_t c, Machines::Place& place) {
    const blas::ThreadScope threads(options_.threads);
    const auto ask = [&place](const RowQuestion::State& question) {
      PassSums sums;
      sums.of_work = place.ask(std::dynamic_pointer_cast<const KernelQuestion>(question.work));
      return sums;
    };
    try {
      Passes passes(ask, passes_.question());
      ClassMachine machine = fit_machine(all_, all_.labels[c], options_, passes);
      machines_[c] = std::make_shared<const KernelQuestion>(std::move(machine.question));
      return std::move(machine.outcome);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("class '{}' against the rest: {}", names_[c], error.what()));
    }
  }

  const SampledRows& all_;
  const KernelOptions& options_;
  const std::vector<std::string>& names_;
  Passes& passes_;
  std::vector<Asked> machines_;
};

}  // namespace

KernelRegression fit_kernel_regression(const AskRows& ask, const KernelOptions& options) {
  const Stopwatch watch;
  const blas::ThreadScope threads(options.threads);
  pulse("preparing");
  SampledRows all = look_at_rows(ask, options, false);
  if (all.sample.is_complete()) return fit_sampled(all, options, [](const auto&... given) { return fit_kernel_regression(given...); });
  KernelRegression fit;
  fit.task = Task::linear;
  begin(all, options, fit);
  const CentreSearch search = search_with_centres({all.inputs.Z, all.rows.k, all.target.t, false}, options, all.inputs);
  fit.target_center = all.target.center, fit.target_scale = all.target.scale;
  fit.degrees_of_freedom = fit.num_rows - 1;
  Passes passes = passes_over(ask, all, false);
  const KernelQuestion question = question_of(all, search, false);
  PassEvidence evidence(search.evidence->covariance(), search.evidence->weights(), all.total.weight, spread_of(all), passes, question);
  pulse("fitting");
  WidthHypothesis better = search.found;
  if (search.candidate.given.size() == 0) {
    evidence.want_slope_of_widths(true);
    better.best = climb_further(evidence, search.candidate.given, search.found, 1 / all.share(), most_steps);
    evidence.want_slope_of_widths(false);
  }
  WidthHypothesis found = hypothesis_at_widths(evidence, search.candidate.given, better, 1 / all.share());
  if (found.points.empty()) throw InvalidArgument("the posterior of all rows cannot be factorised");
  found.best.converged = found.best.converged && search.found.best.converged && better.best.steps < most_steps;
  found.log_evidence -= (fit.num_rows - 1) * std::log(fit.target_scale);
  const Hyperparameters& theta = found.best.theta;
  const PassEvidence::Fitted fitted = evidence.fitted(theta);
  ProcessOutcome outcome = outcome_of(search, evidence, found, evidence.posterior(theta), fitted.s2, all.inputs);
  outcome.steps += better.best.steps;
  std::vector<ProcessOutcome> outcomes;
  outcomes.push_back(std::move(outcome));
  describe(all, std::move(outcomes), passes.count() + 1, options, fit);
  fit.r_squared = fitted.r_squared;
  fit.signal_sd = fit.target_scale * fitted.signal_sd;
  fit.noise_sd = fit.target_scale * std::sqrt(fitted.s2);
  fit.report.seconds = watch.seconds();
  return fit;
}

KernelClassification fit_kernel_classification(const AskRows& ask, const KernelOptions& options) {
  const Stopwatch watch;
  const blas::ThreadScope threads(options.threads);
  pulse("preparing");
  SampledRows all = look_at_rows(ask, options, true);
  if (all.sample.is_complete()) return fit_sampled(all, options, [](const auto&... given) { return fit_kernel_classification(given...); });
  KernelClassification fit;
  fit.task = Task::logistic;
  fit.classes = names_of_classes(VectorView(all.labels).eigen(), options.class_names);
  begin(all, options, fit);
  Passes passes = passes_over(ask, all, true);
  pulse("fitting");
  std::vector<ProcessOutcome> outcomes;
  if (fit.classes.size() == 2) {
    ClassMachine machine = fit_machine(all, all.labels[1], options, passes);
    outcomes.push_back(std::move(machine.outcome));
    machine.scores.describe(fit.num_rows, fit);
  } else {
    ClassMachines machines(all, options, fit.classes, passes);
    outcomes = machines.fit_all();
    machines.score(fit);
  }
  describe(all, std::move(outcomes), passes.count() + 1, options, fit);
  fit.report.seconds = watch.seconds();
  return fit;
}

}  // namespace ardvark
