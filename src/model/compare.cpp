// Several models of one table, ranked by their log evidence.                                                       docs/math/compare.md
#include "ardvark/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>

#include "core/classes.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "frame/noise_prior.hpp"
#include "io/text.hpp"
#include "likelihood/intercept_row.hpp"
#include "model/choice.hpp"
#include "model/missing.hpp"
#include "model/resolve.hpp"
#include "posterior/state.hpp"
#include "prior/hyperprior_cost.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

bool has_groups(std::string_view prior) { return prior == "ard" || prior == "slab" || prior == "sparse"; }

void without_groups(ModelOptions& options) {
  options.group.clear();
  options.given.erase("group");
}

ModelOptions with_prior(const ComparisonOptions& from, const std::string& prior) {
  ModelOptions options = from.model;
  options.prior = choose<const char*>(from.model, "priors", prior,
                                      {{"shared", "shared"}, {"ard", "ard"}, {"dense", "dense"}, {"slab", "slab"}, {"sparse", "sparse"}});
  if (!has_groups(prior)) without_groups(options);
  for (const ModelOption& option : model_options())
    if (option.group == OptionGroup::machine) options.given.erase(option.name);
  options.keep_covariance = "never";
  return options;
}

std::vector<std::string> families_of(const ComparisonOptions& from) {
  if (from.families.empty() && from.model.model == "counts") return {"poisson", "negative-binomial"};
  return from.families;
}

ModelOptions with_family(const ComparisonOptions& from, ModelOptions options, const std::string& family) {
  if (from.model.model == "counts")
    options.family =
        choose<const char*>(from.model, "families", family, {{"poisson", "poisson"}, {"negative-binomial", "negative-binomial"}});
  else
    options.noise = choose<const char*>(from.model, "families", family, {{"normal", "normal"}, {"student", "student"}});
  return options;
}

// Every prior has regressions for each class, with the likelihood of two classes.                                              (CMP.5)
void by_regressions(ModelOptions& options) {
  options.coding = "one-against-rest";
  if (options.prior != "shared" && options.prior != "ard") return;  // the others have no choice
  options.given.insert({"likelihood", "update_rule"});
}

ModelOptions with_kernel(const ComparisonOptions& from, const std::string& kernel) {
  ModelOptions options = from.model;
  options.model = "rvm";
  options.task = from.model.model == "linear" ? "regression" : "classification";
  options.kernel = kernel;
  options.given.erase("reference");
  without_groups(options);
  return options;
}

// A kernel machine finds its kernel and widths itself, by steps that need no limit.
ModelOptions as_process(const ComparisonOptions& from, const std::string& model) {
  ModelOptions options = from.model;
  options.model = choose<const char*>(from.model, "models", model, {{"kernel", "kernel"}});
  options.task = from.model.model == "linear" ? "regression" : "classification";
  options.max_sweeps.reset();
  for (const char* of_others : {"algorithm", "centres", "max_sweeps", "reference"}) options.given.erase(of_others);
  without_groups(options);
  return options;
}

bool has_machines(const ComparisonOptions& options) { return !options.kernels.empty() || !options.models.empty(); }

struct Candidate {
  std::string name;
  ModelOptions options;
};

std::vector<Candidate> candidates_of(const ComparisonOptions& from) {
  std::vector<Candidate> out;
  const std::vector<std::string> families = families_of(from);
  for (const std::string& prior : from.priors) {
    if (families.empty()) out.push_back({prior, with_prior(from, prior)});
    for (const std::string& family : families) out.push_back({prior + ", " + family, with_family(from, with_prior(from, prior), family)});
  }
  for (const std::string& kernel : from.kernels) out.push_back({"rvm " + kernel, with_kernel(from, kernel)});
  for (const std::string& model : from.models) out.push_back({model, as_process(from, model)});
  return out;
}

// The cost of the hyper-priors: without it, the evidence is at the values of the hyper-parameters.                              (CMP.1)
double price_of_hyperpriors(const Fit& fit, const ModelOptions& options) {
  if (is_sparse(fit.prior)) return 0;  // no hyper-priors: the bound is at the values already
  const ResolvedModel model = resolve(options);
  const FitOptions& used = has_noise(fit.task)  ? std::get<LinearModel>(model).options
                           : is_count(fit.task) ? std::get<CountModel>(model).options
                                                : std::get<LogisticModel>(model).options;
  std::vector<double> half_sizes(static_cast<std::size_t>(fit.precision.size()), 0.0);
  NoiseDegrees degrees{.rows = fit.num_rows, .num_flat = fit.intercept ? 1 : 0};
  double price = 0;
  for (const Index group : fit.group) {
    if (group >= 0) half_sizes[static_cast<std::size_t>(group)] += 0.5;
    if (group == Partition::flat)
      ++degrees.num_flat;
    else if (group != Partition::left_out)
      ++degrees.num_penalised;
  }
  for (const double half : half_sizes)
    if (half > 0) price += hyperprior_cost(used.precision.shape, half);
  if (!has_noise(fit.task)) return price;
  const double shape = used.noise.shape > 0 ? used.noise.shape : default_noise_prior(degrees).shape;
  return price + hyperprior_cost(shape, 0.5 * (fit.num_rows - static_cast<double>(degrees.num_flat)));
}

// The variance of the log odds under the prior.
double signal_of(const Fit& fit) {
  double sum = 0;
  for (const Index group : fit.group)
    if (group >= 0 && !fit.sparse && fit.precision[group] > 0) sum += 1 / fit.precision[group];
  if (!fit.sparse) return sum;
  const auto lighter = [](const SparseStart& x, const SparseStart& y) { return x.weight < y.weight; };
  const SparseStart& best = *std::max_element(fit.sparse->starts.begin(), fit.sparse->starts.end(), lighter);
  return static_cast<double>(fit.num_columns()) * (best.dense_sd * best.dense_sd + best.inclusion_prior * best.slab_sd * best.slab_sd);
}

// By how much the bound falls if the prior of the intercept is replaced by the one of this signal. The variance of the intercept is of
// order 1/n and hardly matters.
double price_of_intercept(const Fit& fit) {  // (CMP.4)
  if (fit.sparse && fit.state->proper_intercept) return 0;
  const double mean = fit.state->w[fit.state->w.size() - 1], variance = 1 / fit.class_weight[0] + 1 / fit.class_weight[1];
  const double c = 1 / std::sqrt(1 + std::numbers::pi * signal_of(fit) / 8);
  const double of_signal = std::log(c / std::numbers::pi) + 0.5 * c * mean - expected_logistic(c * mean, c * c * variance).softplus;
  return (fit.state->proper_intercept ? intercept_row(mean, variance).log_prior : 0) - of_signal;
}

// Bound, evidence and size of a fit; of several classes, their sums over the regressions.                             (CMP.1), (CMP.5)
void add(const Fit& fit, ComparedModel& out) {
  out.bound += fit.bound;
  out.evidence += (fit.sparse ? fit.sparse->peak_bound : fit.bound) - price_of_hyperpriors(fit, out.options);
  if (has_classes(fit.task) && fit.intercept && fit.state && fit.state->w.size() > fit.num_columns())
    out.evidence -= price_of_intercept(fit);
  out.effective_parameters += fit.effective_parameters;
  if (fit.sparse && fit.prior != PriorKind::dense) out.probable_effects = out.probable_effects.value_or(0) + io::num_effects(fit);
}

void remark_on(PriorKind prior, ComparedModel& out) {
  if (prior == PriorKind::ard) {
    out.comparable = false;  // (CMP.2)
    out.remark =
        "not comparable: if there are not many more rows than columns, its bound prefers explanations in which the noise goes to zero";
  } else if (prior == PriorKind::shared) {
    out.remark = fmt::format("compared without the {:.1f} nats that its hyper-priors cost; the other priors have no hyper-priors",
                             out.evidence - out.bound);
  }
}

void describe(const Fit& fit, ComparedModel& out) {
  add(fit, out);
  if (has_noise(fit.task) && fit.noise.shape > 0) out.noise_sd = noise_sd(fit);
  if (has_classes(fit.task)) out.log_loss = fit.log_loss;
  if (is_count(fit.task)) out.deviance_explained = fit.deviance_explained;
  remark_on(fit.prior, out);
}

void describe(const SoftmaxFit& fit, ComparedModel& out) {
  for (const Fit& machine : fit.machines) add(machine, out);
  out.log_loss = fit.log_loss;
  remark_on(fit.prior, out);
}

void describe(const RelevanceFit& fit, ComparedModel& out) {
  for (const RelevanceMachine& machine : fit.machines) {
    out.bound += machine.fit.bound;
    out.effective_parameters += machine.fit.effective_parameters;
    if (has_noise(fit.task) && machine.fit.noise.shape > 0) out.noise_sd = noise_sd(machine.fit);
  }
  out.evidence = fit.log_evidence;
  if (has_classes(fit.task)) out.log_loss = fit.log_loss;
  const std::string vectors = fmt::format("{} relevance vectors", fit.num_vectors());
  out.remark = fit.algorithm == RelevanceAlgorithm::type_two
                   ? fmt::format("{}; its log evidence is at optimised precisions, which are not integrated out", vectors)
                   : fmt::format("{}; its log evidence is the bound at its precisions, minus 2.05 nats for each vector", vectors);
}

void describe(const KernelFit& fit, ComparedModel& out) {
  out.bound = out.evidence = fit.log_evidence;
  out.effective_parameters = std::numeric_limits<double>::quiet_NaN();
  if (has_noise(fit.task)) {
    out.noise_sd = fit.noise_sd;
    const double half = 0.5 * fit.degrees_of_freedom;  // the noise has its best value in the others                              (CMP.6)
    out.evidence -= std::lgamma(half) + half - half * std::log(half);
  } else {
    out.log_loss = fit.log_loss;
  }
  out.remark = fmt::format(
      "{} relevance vectors; its log evidence has widths and signal integrated out, which costs it about 3 nats where a line is as good",
      fit.num_vectors());
}

ComparedModel fitted(MatrixView X, VectorView target, const Candidate& candidate) {
  const SavedModel model = fit_model(X, target, candidate.options);
  const Report& report = report_of(model);
  ComparedModel out;
  out.name = candidate.name;
  out.options = candidate.options;
  out.status = report.status;
  out.message = report.message;
  out.warnings = report.warnings;
  out.seconds = report.seconds;
  if (const RelevanceFit* machines = model.relevance())
    describe(*machines, out);
  else if (const SoftmaxFit* classes = model.softmax())
    describe(*classes, out);
  else if (const KernelFit* process = model.process())
    describe(*process, out);
  else
    describe(*model.score(), out);
  if (!has_posterior(model) || !std::isfinite(out.evidence)) {
    out.comparable = false;
    out.remark = "not comparable: the fit has no posterior";
  }
  return out;
}

// e^5 = 150 to 1. A smaller difference may be the cost of the hyper-parameters that sparse has and dense and slab do not.       (CMP.1)
constexpr double decisive = 5;

std::string verdict_of(const Comparison& comparison) {
  const ComparedModel* best = comparison.best();
  if (best == nullptr) return "None of these models is comparable.";
  if (comparison.models.size() < 2 || !comparison.models[1].comparable)
    return fmt::format("Take {}: no other model is comparable with it.", best->name);
  const ComparedModel& second = comparison.models[1];
  const double ahead = std::abs(second.difference);
  if (ahead < decisive)
    return fmt::format("Take {} or {}: a difference of {:.1f} nats decides nothing, and either may predict better.", best->name,
                       second.name, ahead);
  return fmt::format("Take {}: its log evidence is {:.1f} nats above that of {}, odds of more than 150 to 1.", best->name, ahead,
                     second.name);
}

// Bounds are known to about a hundredth of this. If the difference is smaller, the models are the same on these data, and sparse, which
// contains the others, comes first.                                                                                             (CMP.1)
constexpr double tie = 0.1;

// Best first; models without a comparable log evidence last.
void rank(Comparison& comparison) {
  std::vector<ComparedModel>& models = comparison.models;
  std::stable_sort(models.begin(), models.end(), [](const ComparedModel& a, const ComparedModel& b) {
    if (a.comparable != b.comparable) return a.comparable;
    return a.comparable ? a.evidence > b.evidence : a.bound > b.bound;
  });
  const auto sparse = std::find_if(models.begin(), models.end(), [&](const ComparedModel& model) {
    return model.name == "sparse" && model.comparable && models.front().evidence - model.evidence < tie;
  });
  if (sparse != models.end()) std::rotate(models.begin(), sparse, sparse + 1);
  const ComparedModel* best = comparison.best();
  for (ComparedModel& model : comparison.models)
    model.difference = model.comparable ? model.evidence - best->evidence : std::numeric_limits<double>::quiet_NaN();
}

// Without the rows in which a value is missing.
Comparison of_whole_rows(const RowsInUse& used, const ComparisonOptions& given) {
  ComparisonOptions options = given;
  options.model = used.options;
  std::optional<OwnedMatrix> inputs;
  if (given.inputs.rows() > 0) inputs = rows_of(given.inputs, used.rows), options.inputs = inputs->view;
  Comparison out = compare_models(used.X->view, used.target, options);
  out.notes.push_back(used.note);
  return out;
}

void require_finite(MatrixView X, VectorView target, const ModelOptions& model) {
  with_remedy(remedy_of_gap(model, false), [&] {
    validate::matrix(X, "X", model.column_names);
    validate::vector(target, X.rows(), facts_of(task_of_model(model.model)).argument);
  });
}

}  // namespace

void check_comparison(const ComparisonOptions& options) {
  const ModelOptions& model = options.model;
  if (model.model.empty())
    throw InvalidArgument(fmt::format("say what to compare: {}, logistic or counts", model.spelled("model", "linear")));
  if (model.model != "linear" && model.model != "logistic" && model.model != "counts")
    throw wrong(
        model.spelled("model"), model.model,
        fmt::format("it must be one of linear, logistic, counts (relevance vector machines: {})", model.spelled("kernel", "gaussian")));
  refuse_to_impute(model, "a comparison");
  if (model.model == "logistic" && !options.families.empty()) throw refused(model.spelled("families"), "apply only to numbers and counts");
  if (has_machines(options) && model.model == "counts")
    throw refused(model.spelled(options.kernels.empty() ? "models" : "kernel"), "have no machines of counts");
  const std::string machines = options.kernels.empty() ? model.spelled("models", "kernel") : model.spelled("kernel");
  if (has_machines(options) && !model.intercept)
    throw refused(model.spelled("intercept"),
                  fmt::format("cannot be used with {}: {} have an intercept, and models are comparable only if all or none have one",
                              machines, options.kernels.empty() ? "kernel machines" : "relevance vector machines"));
  if (has_machines(options) && (!model.flat.empty() || model.has("flat")))
    throw refused(
        model.spelled("flat"),
        fmt::format("cannot be used with {}: models are comparable only if they have the same columns without a prior", machines));
  for (const ModelOption& option : model_options())
    if (option.group == OptionGroup::machine && options.kernels.empty())
      refuse(model, {option.name}, fmt::format("applies only to relevance vector machines: it needs {}", model.spelled("kernel")));
  std::set<std::string> names;
  for (const Candidate& candidate : candidates_of(options)) {
    static_cast<void>(check_options(candidate.options));
    if (!names.insert(candidate.name).second)
      throw InvalidArgument(fmt::format("'{}' is named twice; each model is fitted once", candidate.name));
  }
  if (names.size() < 2)
    throw InvalidArgument(fmt::format("there is {} to compare; a comparison needs at least two ({}, {})",
                                      names.empty() ? "no model" : fmt::format("only '{}'", *names.begin()), model.spelled("priors"),
                                      model.spelled("kernel")));
}

Comparison compare_models(MatrixView X, VectorView target, const ComparisonOptions& given) {
  check_comparison(given);
  if (missing_of(given.model) == Missing::drop_rows)
    if (const RowsInUse used = rows_in_use(X, target, given.model, Missing::drop_rows); !used.rows.empty())
      return of_whole_rows(used, given);
  ComparisonOptions options = given;
  options.model = with_encoded_columns(given.model, X.cols());
  const ModelOptions& model = options.model;
  require_finite(X, target, model);
  const bool several = model.model == "logistic" && has_several_classes(model, target);
  const MatrixView inputs = options.inputs.rows() == 0 ? X : options.inputs;
  if (inputs.rows() != X.rows())
    throw refused("inputs", fmt::format("has {} rows; it must have as many as X: {}", inputs.rows(), X.rows()));

  Comparison out;
  out.task = task_of_model(model.model);
  out.target = model.target;
  out.num_columns = X.cols();
  if (model.model == "logistic") out.num_classes = count_classes(target);
  out.num_rows = static_cast<double>(X.rows());
  if (!model.weights.empty()) out.num_rows = VectorView(model.weights).eigen().sum();
  std::vector<Candidate> candidates = candidates_of(options);
  const int num_fits = static_cast<int>(candidates.size());
  out.status = Status::converged;
  for (int i = 0; i < num_fits && out.status != Status::stopped_by_user; ++i) {
    Candidate& candidate = candidates[static_cast<std::size_t>(i)];
    const bool is_machine = candidate.options.model != model.model;
    if (!is_machine) candidate.options.input_group.clear();
    if (several && !is_machine) by_regressions(candidate.options);
    if (is_machine && options.inputs.rows() > 0) candidate.options.column_names.clear();  // these are the names of the columns of X
    if (model.on_sweep)
      candidate.options.on_sweep = [&model, i, num_fits](Progress progress) {
        progress.fit = i + 1, progress.num_fits = num_fits, progress.fit_name = "model";
        return model.on_sweep(progress);
      };
    out.models.push_back(fitted(is_machine ? inputs : X, target, candidate));
    out.models.back().options.on_sweep = model.on_sweep;
    if (out.status == Status::converged || out.models.back().status == Status::stopped_by_user) out.status = out.models.back().status;
  }
  rank(out);
  out.verdict = verdict_of(out);
  return out;
}

}  // namespace ardvark
