#include "model/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/classes.hpp"
#include "core/refusals.hpp"
#include "io/fit_record.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"
#include "model/missing.hpp"
#include "preset/preset.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// What depends on two options, besides the option table.
void refuse_beside_preset(const ModelOptions& options) {
  const PresetFacts& facts = preset_facts(options.preset);
  if (!options_for_preset(options.preset, options.compat).pruning.is_on())
    refuse(options, {"prune_at"}, fmt::format("cannot be used with {}; a preset fixes it", options.spelled("preset")));
  if (facts.method == PresetMethod::coordinate && options.compat)
    refuse(options, {"tolerance"},
           fmt::format("cannot be used with {} {}, which always makes {} passes", options.preset, options.spelled("compat"),
                       options.spelled("max_sweeps")));
}

// A prior by the name that it has in other programs. \throws InvalidArgument  with its name here, or that of the nearest prior
void answer_foreign_name(const ModelOptions& from) {
  struct Name {
    std::string_view foreign;
    const char *ours, *what;
  };
  constexpr const char* ridge = "one precision for all columns, estimated from the data";
  constexpr const char* sparse = "a few columns have an effect of their own, and all may have a small one";
  constexpr Name names[] = {{"ridge", "shared", ridge},
                            {"l2", "shared", ridge},
                            {"normal", "shared", ridge},
                            {"gaussian", "shared", ridge},
                            {"lasso", "laplace", "L1, the mode"},
                            {"l1", "laplace", "L1, the mode"},
                            {"horseshoe", "sparse", sparse},
                            {"elasticnet", "sparse", sparse},
                            {"spikeandslab", "slab", "a few columns have an effect, the others have none"},
                            {"spikeslab", "slab", "a few columns have an effect, the others have none"},
                            {"flat", "none", "least squares or maximum likelihood"},
                            {"ols", "none", "least squares"},
                            {"default", "auto", "the library chooses"}};
  std::string word;
  for (const char c : from.prior)
    if (c != '-' && c != '_' && c != ' ') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [foreign, ours, what] : names) {
    if (word != foreign) continue;
    const bool is_nearest = foreign == "horseshoe" || foreign == "elasticnet";
    throw wrong(from.spelled("prior"), from.prior,
                fmt::format("{} {}: {}", is_nearest ? "the nearest prior here is" : "here it is", from.spelled("prior", ours), what));
  }
}

// A family of glm or glmnet that is a model here. \throws InvalidArgument  with the model
void answer_foreign_family(const ModelOptions& from) {
  for (const char* foreign : {"gaussian", "binomial", "multinomial"})
    if (from.family == foreign)
      throw wrong(
          from.spelled("family"), from.family,
          fmt::format("numbers need {}; two classes or more need {}", from.spelled("model", "linear"), from.spelled("model", "logistic")));
}

void set_model(const ModelOptions& from, Task task, FitOptions& options) {
  answer_foreign_name(from);
  options.prior.kind = choose_named(from, "prior", from.prior, io::all_priors);
  if (!is_count(task)) options.likelihood = likelihood_of(from);
  options.intervals =
      choose<Intervals>(from, "intervals", from.intervals, {{"skewed", Intervals::skewed}, {"gaussian", Intervals::gaussian}});
  if (options.intervals == Intervals::skewed && options.likelihood.value_or(LogisticLikelihood::gaussian) != LogisticLikelihood::gaussian)
    refuse(from, {"intervals"}, fmt::format("needs {}, the best Gaussian posterior", from.spelled("likelihood", "vg")));
  options.posterior = choose<LinearPosterior>(from, "posterior", from.posterior,
                                              {{"joint", LinearPosterior::joint}, {"factorised", LinearPosterior::factorised}});
  if (is_count(task))
    options.family = choose_named(from, "family", from.family, {Family::automatic, Family::poisson, Family::negative_binomial});
  if (has_noise(task)) options.family = choose_named(from, "noise", from.noise, {Family::normal, Family::student, Family::automatic});
  if (options.family != Family::normal && has_noise(task) && from.has("posterior") && options.posterior == LinearPosterior::joint)
    throw refused(from.spelled("posterior", "joint"), "cannot be used with Student-t noise, whose posterior is factorised");
  options.rule = choose<UpdateRule>(from, "update_rule", from.update_rule, {{"vb", UpdateRule::vb}, {"mackay", UpdateRule::mackay}});
  options.pruning = {from.prune_at.value_or(0), from.readmit_every};
  options.intercept = from.intercept;
  options.standardize = from.standardize;
  options.accelerate = from.acceleration;
  if (from.start_noise) options.start_noise = *from.start_noise;
}

// gamma1 is lambda in l1_slr_c, and lambda^2 in l1_slr_lap. With compat, the core takes lambda^2.                               (SLR.7)
double lambda_of_toolbox(const ModelOptions& from) {
  const double gamma1 = *from.toolbox_gamma1;
  if (from.lambda)
    throw refused(from.spelled("toolbox_gamma1"),
                  fmt::format("and {} cannot be used together: they set the same value, in different units", from.spelled("lambda")));
  return preset_facts(from.preset).method == PresetMethod::sweeps && !from.compat ? std::sqrt(gamma1) : gamma1;
}

void check_guarantee(const ModelOptions& from) {
  choose_word(from, "guarantee", from.guarantee);
  if (!from.fdr && from.guarantee == "knockoffs") refuse(from, {"guarantee"}, fmt::format("needs {}", from.spelled("fdr")));
}

void set_lambda_choice(const ModelOptions& from, FitOptions& options) {
  const bool chooses = options.prior.kind == PriorKind::laplace && options.prior.lambda == 0;
  if (!chooses)
    refuse(from, {"lambda_rule"}, fmt::format("applies only to {} without {}", from.spelled("prior", "laplace"), from.spelled("lambda")));
  options.lambda_rule = choose<LambdaRule>(from, "lambda_rule", from.lambda_rule,
                                           {{"min", LambdaRule::smallest_loss}, {"1se", LambdaRule::one_standard_error}});
  if (!chooses) return;
  options.folds = from.folds;
  options.seed = seed_of(from);
}

FitOptions fit_options(const ModelOptions& from, Task task) {
  FitOptions options;
  check_guarantee(from);
  if (from.preset.empty()) {
    set_model(from, task, options);
  } else {
    options = options_for_preset(from.preset, from.compat);
    refuse_beside_preset(from);
    options.accelerate = from.converge;
    if (preset_facts(from.preset).slr_toolbox) {  // the toolbox lets its user choose
      if (!from.standardize) options.standardize = false;
      if (!from.intercept) options.intercept = options.penalize_intercept = false;
      if (from.prune_at) options.pruning.threshold = *from.prune_at;
    }
  }
  if (preset_facts(from.preset).method == PresetMethod::sequential) options.row_order = row_order_of(from);
  set_hyperparameters(from, task, options);
  if (from.lambda) options.prior.lambda = *from.lambda;
  set_lambda_choice(from, options);
  // (1 - a V + 2 gamma0)/(w^2 + 2 gamma0/a_0) with a_0 = 1 is the MacKay step under Gamma(gamma0, gamma0).                      (SLR.8)
  if (from.toolbox_gamma0) options.precision = {*from.toolbox_gamma0, *from.toolbox_gamma0};
  if (from.toolbox_gamma1) options.prior.lambda = lambda_of_toolbox(from);
  if (!from.group.empty()) options.prior.group = from.group;
  options.prior.flat_columns.insert(options.prior.flat_columns.end(), from.flat.begin(), from.flat.end());
  options.tolerance = from.tolerance;
  if (from.max_sweeps) options.max_sweeps = *from.max_sweeps;
  options.threads = from.threads;
  options.record_every = from.record_every;
  options.mixed_precision = from.mixed_precision;
  options.solver = choose_named(
      from, "solver", from.solver,
      {SolverKind::automatic, SolverKind::primal, SolverKind::dual, SolverKind::qr, SolverKind::spectral, SolverKind::iterative});
  options.keep_covariance = choose<Keep>(from, "keep_covariance", from.keep_covariance,
                                         {{"automatic", Keep::automatic}, {"always", Keep::always}, {"never", Keep::never}});
  options.weights = from.weights;
  options.exposure = from.exposure;
  options.offset_column = from.offset_column;
  options.row_offset = from.row_offset;
  if (!from.start_precision.empty()) options.start_precision = from.start_precision;
  options.column_names = from.column_names;
  options.on_sweep = from.on_sweep;
  return options;
}

}  // namespace

SoftmaxOptions softmax_options(const ModelOptions& from, const FitOptions& fit) {
  refuse_in(from, fit_case::several_classes);
  SoftmaxOptions classes = from.preset.empty() ? SoftmaxOptions() : softmax_options_for_preset(from.preset, from.compat);
  static_cast<FitOptions&>(classes) = fit;
  if (from.preset.empty()) {
    const bool regressions = from.coding == "one-against-rest" || from.coding == "one-against-one";
    if (!regressions)
      refuse(from, {"likelihood"},
             fmt::format("applies to two classes, and to more with {}; a softmax uses Laplace's approximation",
                         from.spelled("coding", "one-against-rest")));
    if (!from.has("update_rule")) classes.rule.reset();
    if (!regressions || !from.has("likelihood")) classes.likelihood.reset();
    classes.coding = choose<std::optional<ClassCoding>>(from, "coding", from.coding,
                                                        {{"automatic", std::nullopt},
                                                         {"softmax", ClassCoding::softmax},
                                                         {"one-against-rest", ClassCoding::one_against_rest},
                                                         {"one-against-one", ClassCoding::one_against_one}});
    classes.precision_per_class = from.precision_per_class;
  }
  classes.class_names = from.class_names;
  return classes;
}

bool is_softmax(const ModelOptions& options, Index num_classes) {
  if (preset_facts(options.preset).coding) return true;
  if (num_classes > 2 && !options.preset.empty())
    throw InvalidArgument(fmt::format("{} {} classes; preset '{}' needs exactly two (for more: {}, or {} and the presets after it)",
                                      options.target.empty() ? "the labels have" : fmt::format("target '{}' has", options.target),
                                      num_classes, options.preset, options.spelled("model", "logistic"),
                                      options.spelled("preset", "smlr")));
  return num_classes > 2;
}

void require_few_classes(const ModelOptions& options, Index count, Index num_rows, const std::string& otherwise) {
  if (count <= 2 || 2 * count <= num_rows) return;
  const bool has_names = !options.class_names.empty();
  throw refused("labels", fmt::format("holds {} different {} in {} rows; more than two classes need two rows each on average{}", count,
                                      has_names ? "classes" : "numbers", num_rows, has_names ? "" : "; measurements need " + otherwise));
}
void require_classes(const ModelOptions& options, VectorView labels, const std::string& otherwise) {
  require_few_classes(options, count_classes(labels), labels.size(), otherwise);
}

InvalidArgument no_diagnosis_of_classes(const ModelOptions& options) {
  return refused(options.spelled("diagnose"), fmt::format("applies to two classes, and to more with {} or {}; a softmax has no k-hat",
                                                          options.spelled("coding", "one-against-rest"), options.spelled("model", "rvm")));
}

namespace {

// The checks that need no data; fit_model checks the number of classes.
void check_diagnose(const ModelOptions& options, Task task) {
  const std::string diagnose = options.spelled("diagnose"), &preset = options.preset;
  const bool has_student_noise = preset.empty() && options.model == "linear" && options.noise != "normal";
  if (has_noise(task) && !has_student_noise)
    throw refused(diagnose,
                  fmt::format("applies to classes, counts and {}; with normal noise there is nothing to compare the posterior with",
                              options.spelled("noise", "student")));
  if (options.keep_covariance == "never")
    throw refused(diagnose, fmt::format("needs the covariance; {} must not be never", options.spelled("keep_covariance")));
  if ((preset.empty() && options.prior == "laplace") || preset_facts(preset).laplace_prior)
    throw refused(diagnose, "compares distributions; a fit under the Laplace prior is a mode");
  if (preset.empty() && options.prior == "slab")
    throw refused(diagnose, fmt::format("compares densities; under {} a weight is zero with a positive probability: use {}",
                                        options.spelled("prior", "slab"), options.spelled("prior", "sparse")));
  if (preset_facts(preset).coding) throw no_diagnosis_of_classes(options);
}

ResolvedModel resolve_any(const ModelOptions& options) {
  const auto spelled = [&](const auto&... words) { return options.spelled(words...); };
  check_ranges(options);
  if (options.model.empty() && options.preset.empty())
    throw InvalidArgument(
        fmt::format("say what to fit: {}, logistic, counts, kernel or rvm, or {} NAME", spelled("model", "linear"), spelled("preset")));
  if (!options.model.empty() && !options.preset.empty())
    throw refused(spelled("model"), fmt::format("and {} cannot be used together; a preset is a published program, a model is for your data",
                                                spelled("preset")));
  using enum ModelKind;
  const ModelKind kind =
      !options.preset.empty()
          ? (preset_facts(options.preset).kernel ? relevance : linear)
          : choose<ModelKind>(
                options, "model", options.model,
                {{"linear", linear}, {"logistic", logistic}, {"counts", counts}, {"kernel", ModelKind::kernel}, {"rvm", relevance}});
  answer_foreign_family(options);
  refuse_in(options, cases_of(options));
  if (kind == ModelKind::kernel) return KernelModel{kernel_options(options)};
  if (kind == relevance) return RelevanceModel{relevance_options(options)};
  const Task task = !options.preset.empty() ? task_of_preset(options.preset) : task_of_model(options.model);
  FitOptions fit = fit_options(options, task);
  switch (task) {
    case Task::linear: return LinearModel{std::move(fit)};
    case Task::logistic: return LogisticModel{std::move(fit)};
    case Task::counts: return CountModel{std::move(fit)};
  }
  throw InternalError("no such model");
}

void check_names_differ(const char* what, const std::vector<std::string>& names) {
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto same = std::adjacent_find(sorted.begin(), sorted.end()); same != sorted.end())
    throw InvalidArgument({.argument = what, .value = std::string(*same), .why = "names must differ"},
                          fmt::format(" has '{}' twice; names must differ", io::shown(*same)));
}

ModelKind kind_of(const LinearModel&) { return ModelKind::linear; }
ModelKind kind_of(const LogisticModel&) { return ModelKind::logistic; }
ModelKind kind_of(const CountModel&) { return ModelKind::counts; }
ModelKind kind_of(const RelevanceModel&) { return ModelKind::relevance; }
ModelKind kind_of(const KernelModel&) { return ModelKind::kernel; }

}  // namespace

ModelOptions with_encoded_columns(const ModelOptions& given, Index num_columns) {
  ModelOptions options = given;
  if (given.encoding.features.empty()) return options;
  const FeatureEncoding encoding = std::exchange(options.encoding, {});
  if (encoding.num_columns() != num_columns)
    throw refused("X", fmt::format("has {} columns; the encoding makes {}", num_columns, encoding.num_columns()));
  if (options.column_names.empty()) options.column_names = encoding.names();
  if (options.input_group.empty()) options.input_group = encoding.groups();
  const bool judges_groups = options.preset.empty() && options.prior != "laplace" && options.prior != "dense";
  if (judges_groups && options.group.empty() && (options.prior == "groups" || encoding.has_text())) options.group = encoding.groups();
  return options;
}

ResolvedModel resolve(const ModelOptions& options) {
  check_names_differ("column_names", options.column_names);
  check_names_differ("class_names", options.class_names);
  ResolvedModel model = resolve_any(options);
  if (!options.diagnose) return model;
  const bool has_task = !options.preset.empty() || !options.task.empty();  // else the command line chooses it by the type of the target
  const bool is_relevance = std::holds_alternative<RelevanceModel>(model);
  const Task of_relevance = has_task && is_relevance ? relevance_task(options) : Task::logistic;
  check_diagnose(options, options.preset.empty() && !is_relevance ? task_of_model(options.model) : of_relevance);
  return model;
}

}  // namespace ardvark::internal

namespace ardvark {

ModelKind check_options(const ModelOptions& options) {
  return std::visit([](const auto& model) { return internal::kind_of(model); }, internal::resolve(options));
}

}  // namespace ardvark
