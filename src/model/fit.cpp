// Fits any model by its options, and predicts with it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "fit/from_passes.hpp"
#include "fit/softmax_machines.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"
#include "model/missing.hpp"
#include "model/pieces.hpp"
#include "model/remarks.hpp"
#include "model/resolve.hpp"
#include "posterior/softmax_state.hpp"
#include "posterior/state.hpp"
#include "predict/predictive.hpp"
#include "predict/process.hpp"
#include "predict/relevance.hpp"
#include "preset/preset.hpp"

namespace ardvark {

using namespace internal;

namespace {

// If almost all labels are different, they are measurements or names of rows, and not classes.
// \param otherwise  the option that fits a regression
void require_few_classes(const ModelOptions& options, Index count, Index num_rows, const std::string& otherwise) {
  if (count <= 2 || 2 * count <= num_rows) return;
  const bool has_names = !options.class_names.empty();
  throw InvalidArgument(fmt::format("labels holds {} different {} in {} rows; more than two classes need two rows each on average{}", count,
                                    has_names ? "classes" : "numbers", num_rows, has_names ? "" : "; measurements need " + otherwise));
}
void require_classes(const ModelOptions& options, VectorView labels, const std::string& otherwise) {
  require_few_classes(options, count_classes(labels), labels.size(), otherwise);
}

// \param diagnosis  computes the diagnosis, or sets the reason why there is none
template <typename Diagnose>
void add_diagnosis(const ModelOptions& options, SavedModel& model, Diagnose&& diagnosis) {
  if (!options.diagnose) return;
  std::string why_not;
  try {
    model.diagnosis = diagnosis(why_not);
  } catch (const Stopped&) {
    why_not = "it was stopped";
  }
  Report& report = report_of(model);
  const std::string warning = why_not.empty() ? warning_of(*model.diagnosis) : fmt::format("k-hat was not computed: {}", why_not);
  if (!warning.empty()) report.warnings.push_back(warning);
}

// Fits what resolve() has found.
struct ModelFitter {
  MatrixView X;
  OwnedMatrix* given;  // X itself if the caller gives up its memory, else null
  VectorView target;
  const ModelOptions& options;
  const FeatureEncoding* encoding = nullptr;  // gaps are imputed: how X was made

  SavedModel operator()(const LinearModel& model) const {
    validate::vector(target, X.rows(), "y");
    require_numbers();
    if (encoding != nullptr) return imputed(fit_linear_imputed(X, target, *encoding, model.options, imputation_options(options)));
    Fit fit = given != nullptr ? fit_linear(std::move(*given), target, model.options) : fit_linear(X, target, model.options);
    fit.target = options.target;
    FewValues values;
    for (const double y : target) values.add(y);
    if (const std::string warning = values.remark(options); !warning.empty()) fit.report.warnings.push_back(warning);
    return {std::move(fit)};
  }
  SavedModel operator()(const LogisticModel& model) const {
    validate::vector(target, X.rows(), "labels");
    return has_several_classes(options, target) ? several_classes(model) : two_classes(model);
  }
  SavedModel operator()(const RelevanceModel& model) const;
  SavedModel operator()(const KernelModel& model) const;

 private:
  /// The task of a kernel machine, after the checks of its target.
  [[nodiscard]] Task task_of_machine() const;
  void note_task(Task task, Report& report) const;
  [[nodiscard]] SavedModel imputed(ImputedFit&& found) const {
    found.fit.target = options.target;
    SavedModel model{std::move(found.fit)};
    model.imputation = std::move(found.imputation);
    return model;
  }
  void require_numbers() const {
    if (options.class_names.empty()) return;
    throw InvalidArgument(fmt::format("y is text ('{}', ...); a regression needs numbers (for classes: {})",
                                      io::shown(options.class_names.front()), options.spelled("model", "logistic")));
  }
  [[nodiscard]] SavedModel two_classes(const LogisticModel& logistic) const;
  [[nodiscard]] SavedModel several_classes(const LogisticModel& logistic) const;
  [[noreturn]] void refuse_to_impute() const {
    throw InvalidArgument(fmt::format("{} applies only to linear regression and to logistic regression of two classes; use {} here",
                                      options.spelled("missing", "impute"), options.spelled("missing", "drop")));
  }
};

SavedModel ModelFitter::two_classes(const LogisticModel& logistic) const {
  refuse(options, {"coding", "precision_per_class"}, "applies only to three classes or more");
  require_names(target, options.class_names);
  SavedModel model = encoding != nullptr
                         ? imputed(fit_logistic_imputed(X, target, *encoding, logistic.options, imputation_options(options)))
                         : SavedModel{fit_logistic(X, target, logistic.options)};
  Fit& score = *model.score();
  score.target = options.target;
  add_diagnosis(options, model, [&](std::string& why_not) { return diagnose(score, X, target, logistic.options, why_not); });
  if (!options.class_names.empty()) {
    const auto [low, high] = std::minmax_element(target.begin(), target.end());
    const double first = *low == *high ? 0 : *low;  // a preset that accepts one class
    score.classes = {options.class_names[static_cast<std::size_t>(first)], options.class_names[static_cast<std::size_t>(*high)]};
  }
  return model;
}

SavedModel ModelFitter::several_classes(const LogisticModel& logistic) const {
  require_classes(options, target, options.spelled("model", "linear"));
  if (encoding != nullptr) refuse_to_impute();
  const SoftmaxOptions softmax = softmax_options(options, logistic.options);
  if (options.diagnose && coding_of(softmax, count_classes(target), X.rows(), X.cols()) == ClassCoding::softmax)
    throw InvalidArgument(no_diagnosis_of_classes(options));
  SavedModel model{fit_softmax(X, target, softmax)};
  model.softmax()->target = options.target;
  add_diagnosis(options, model, [&](std::string& why_not) { return diagnose(*model.softmax(), X, target, softmax, why_not); });
  return model;
}

Task ModelFitter::task_of_machine() const {
  if (encoding != nullptr) refuse_to_impute();
  validate::vector(target, X.rows(), "labels");
  const Task task = relevance_task(options, target);
  if (task == Task::linear) require_numbers();
  if (task == Task::logistic)
    require_classes(options, target, options.preset.empty() ? options.spelled("task", "regression") : options.spelled("model", "rvm"));
  return task;
}

void ModelFitter::note_task(Task task, Report& report) const {
  if (!options.preset.empty() || !options.task.empty() || !options.class_names.empty()) return;
  report.notes.push_back(task == Task::linear
                             ? fmt::format("the target holds numbers, so the task is regression; {} takes them as classes",
                                           options.spelled("task", "classification"))
                             : fmt::format("the target has two values, so the task is classification; {} takes them as numbers",
                                           options.spelled("task", "regression")));
}

SavedModel ModelFitter::operator()(const RelevanceModel& model) const {
  const Task task = task_of_machine();
  RelevanceOptions relevance = model.options;
  adapt(options, task, X.cols(), relevance);
  RelevanceFit fit;
  if (task == Task::linear)
    fit = fit_relevance_regression(X, target, relevance);
  else
    fit = fit_relevance_classification(X, target, relevance);
  fit.target = options.target;
  note_task(task, fit.report);
  SavedModel saved{std::move(fit)};
  add_diagnosis(options, saved, [&](std::string& why_not) { return diagnose(*saved.relevance(), X, target, relevance, why_not); });
  return saved;
}

SavedModel ModelFitter::operator()(const KernelModel& model) const {
  const Task task = task_of_machine();
  KernelOptions kernel = model.options;
  adapt(options, X.cols(), kernel);
  KernelFit fit;
  if (task == Task::linear)
    fit = fit_kernel_regression(X, target, kernel);
  else
    fit = fit_kernel_classification(X, target, kernel);
  fit.target = options.target;
  note_task(task, fit.report);
  return {std::move(fit)};
}

SavedModel fit_any(MatrixView X, OwnedMatrix* given, VectorView target, const ModelOptions& options, const FeatureEncoding* encoding) {
  const ResolvedModel model = resolve(options);
  if (X.rows() < 1 || X.cols() < 1) throw InvalidArgument(fmt::format("X is empty ({} x {})", X.rows(), X.cols()));
  return std::visit(ModelFitter{X, given, target, options, encoding}, model);
}

const std::map<std::string, PredictiveRule>& predictive_rules() {
  static const std::map<std::string, PredictiveRule> rules = {{"automatic", PredictiveRule::automatic},
                                                              {"exact", PredictiveRule::exact},
                                                              {"plug-in", PredictiveRule::plug_in},
                                                              {"mackay", PredictiveRule::plug_in_corrected},
                                                              {"published", PredictiveRule::published_row},
                                                              {"published-batch", PredictiveRule::published_batch},
                                                              {"published-incremental", PredictiveRule::published_incremental}};
  return rules;
}

constexpr const char* mixture = "mixture";  // a rule for regressions with a factorised posterior

// For more than two classes: a softmax or several logistic regressions.
ClassRule class_rule(const ModelOptions& options) {
  static const std::map<std::string, ClassRule> rules = {{"automatic", ClassRule::automatic},
                                                         {"exact", ClassRule::integrated},
                                                         {"plug-in", ClassRule::plug_in},
                                                         {"average", ClassRule::average}};
  const auto found = rules.find(options.rule);
  if (found == rules.end())
    throw InvalidArgument(fmt::format("{} is '{}'; for a model of several classes it must be one of automatic, exact, plug-in, average",
                                      options.spelled("rule"), options.rule));
  return found->second;
}

PredictiveRule predictive_rule(const SavedModel& model, const ModelOptions& options) {
  const Task task = task_of(model);
  if (model.process() != nullptr && options.rule != "automatic")
    throw InvalidArgument(fmt::format("{} cannot be used with a kernel machine: its predictions average over all that is uncertain",
                                      options.spelled("rule", options.rule)));
  const bool is_joint = model.score() != nullptr && model.score()->is_joint();
  if (options.rule == mixture) {
    if (task == Task::linear && !is_joint) return PredictiveRule::automatic;
    throw InvalidArgument(fmt::format(
        "{} applies only to regressions with a factorised posterior: vrvm_regression and relevance vector machines{}",
        options.spelled("rule", mixture), is_joint ? "; this posterior is joint, and its predictions are exact without it" : ""));
  }
  const auto found = predictive_rules().find(options.rule);
  if (found == predictive_rules().end())
    throw InvalidArgument(fmt::format(
        "{} is '{}'; it must be one of automatic, mixture, exact, plug-in, mackay, published, published-batch, published-incremental",
        options.spelled("rule"), options.rule));
  if (task == Task::linear && found->second != PredictiveRule::automatic)
    throw InvalidArgument(fmt::format("{} applies only to logistic models", options.spelled("rule", options.rule)));
  if (model.relevance() && options.rule.starts_with("published"))
    throw InvalidArgument(fmt::format(
        "{} applies only to logistic models on the table's columns; relevance vector machines have automatic, exact, plug-in and mackay",
        options.spelled("rule", options.rule)));
  return found->second;
}

PredictionOf prediction_of(const SavedModel& model, const ModelOptions& options) {
  const auto what =
      choose<PredictionOf>(options, "interval", options.interval, {{"new", PredictionOf::new_observation}, {"mean", PredictionOf::mean}});
  if (what == PredictionOf::new_observation) return what;
  const std::string mean = options.spelled("interval", options.interval);
  if (task_of(model) != Task::linear)
    throw InvalidArgument(fmt::format("{} applies only to regressions; a classifier predicts probabilities, without intervals", mean));
  if (options.rule == mixture)
    throw InvalidArgument(
        fmt::format("{} and {} cannot be used together: the mean has no noise to integrate out", mean, options.spelled("rule", mixture)));
  return what;
}

Index position(VectorView y, Index i, Index num_classes) {
  if (!(y[i] >= 0 && y[i] < static_cast<double>(num_classes)) || y[i] != std::floor(y[i]))
    throw InvalidArgument(
        fmt::format("y at row {} is {}; for a classifier it must be the position of the class, 0 to {}", i + 1, y[i], num_classes - 1));
  return static_cast<Index>(y[i]);
}

struct LogDensity {
  VectorView y;

  Vector operator()(const StudentPrediction& p) const { return p.log_density(y); }
  Vector operator()(const NoiseMixturePrediction& p) const { return p.log_density(y); }
  Vector operator()(const TMixturePrediction& p) const { return p.log_density(y); }
  Vector operator()(const ClassPrediction& p) const {
    validate::vector(y, p.mean.size(), "y");
    Vector out(p.mean.size());
    for (Index i = 0; i < out.size(); ++i) out[i] = position(y, i, 2) == 1 ? std::log(p.probability[i]) : std::log1p(-p.probability[i]);
    return out;
  }
  Vector operator()(const ClassProbabilities& p) const {
    validate::vector(y, p.probability.rows(), "y");
    Vector out(p.probability.rows());
    for (Index i = 0; i < out.size(); ++i) out[i] = std::log(p.probability(i, position(y, i, p.probability.cols())));
    return out;
  }
};

}  // namespace

namespace {

// The same facts of each kind of fit.
const std::vector<std::string>& names_of(const Fit& fit) { return fit.column_names; }
const std::vector<std::string>& names_of(const SoftmaxFit& fit) { return fit.column_names; }
const std::vector<std::string>& names_of(const RelevanceFit& fit) { return fit.input_names; }
const std::vector<std::string>& names_of(const KernelFit& fit) { return fit.input_names; }
const std::vector<std::string>& names_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::vector<std::string>& { return names_of(fit); }, model.fit);
}
Task task_of(const Fit& fit) { return fit.task; }
Task task_of(const SoftmaxFit&) { return Task::logistic; }
Task task_of(const RelevanceFit& fit) { return fit.task; }
Task task_of(const KernelFit& fit) { return fit.task; }

SavedModel with_encoding(SavedModel model) {
  model.encoding = FeatureEncoding::of_numbers(names_of(model));
  return model;
}

// If each dummy is judged separately, some levels of a text column may be kept and others not.
template <typename AnyFit>
void note_parted_levels(const FeatureEncoding& encoding, AnyFit& fit) {
  if (fit.state == nullptr || encoding.dummies == Dummies::every_level) return;
  std::size_t j = 0;
  for (const FeatureColumn& f : encoding.features) {
    std::string kept, gone;
    for (Index level = 0; f.categorical && level < static_cast<Index>(f.levels.size()); ++level) {
      if (level == f.reference) continue;
      std::string& list = fit.relevant[j] ? kept : gone;
      if (!fit.left_out[j]) list += (list.empty() ? "" : ", ") + f.levels[static_cast<std::size_t>(level)];
      ++j;
    }
    if (!f.categorical) ++j;
    if (!kept.empty() && !gone.empty())
      fit.report.notes.push_back(fmt::format(
          "the levels of text column '{}' are judged separately here, with different results: kept {}; not kept {}", f.name, kept, gone));
  }
}
void note_parted_levels(const FeatureEncoding&, RelevanceFit&) {}
void note_parted_levels(const FeatureEncoding&, KernelFit&) {}

// The number of rows of a report is the sum of the weights.
void note_weights(double sum, Index num_rows, Report& report) {
  report.notes.push_back(fmt::format("the number of rows, {:.10g}, is the sum of the weights of {} rows", sum, num_rows));
}
void note_weights(const std::vector<double>& weights, Report& report) {
  if (!std::ranges::all_of(weights, [](double k) { return k == 1; }))
    note_weights(VectorView(weights).eigen().sum(), static_cast<Index>(weights.size()), report);
}

void add_remarks(const Report& remarks, Report& report) {
  report.warnings.insert(report.warnings.end(), remarks.warnings.begin(), remarks.warnings.end());
  report.notes.insert(report.notes.end(), remarks.notes.begin(), remarks.notes.end());
}

// A mode has no posterior, and a preset is a published program.
void require_posterior_to_impute(const ModelOptions& options) {
  if (options.preset.empty() && options.prior != "laplace") return;
  throw InvalidArgument(
      fmt::format("{} applies only to models with a posterior: without a preset, and with another prior than laplace; "
                  "use {} here",
                  options.spelled("missing", "impute"), options.spelled("missing", "drop")));
}

SavedModel fit_rows(MatrixView X, OwnedMatrix* given, VectorView target, const ModelOptions& options) {
  const Missing missing = missing_of(options);
  const ModelOptions all = with_encoded_columns(options, X.cols());
  if (missing == Missing::refuse)
    return with_remedy(
        remedy_of_gap(options, can_impute(options)), [&] { return fit_any(X, given, target, all, nullptr); },
        remedy_of_target_gap(options));
  if (missing == Missing::keep) {
    refuse(options, {"diagnose"},
           fmt::format("cannot be used with {}; use {} here", options.spelled("missing", "impute"), options.spelled("missing", "drop")));
    require_posterior_to_impute(options);
  }
  ModelOptions with_encoding = all;
  with_encoding.encoding = options.encoding;
  RowsInUse used = rows_in_use(X, target, with_encoding, missing);
  const FeatureEncoding encoding = std::exchange(used.options.encoding, {});
  const bool all_rows = used.rows.empty();
  SavedModel model = fit_any(all_rows ? X : used.X->view, all_rows ? given : &*used.X, used.target, used.options,
                             missing == Missing::keep ? &encoding : nullptr);
  count_dropped_rows(used, model);
  return model;
}

// What a fit keeps of its options.
SavedModel described(SavedModel model, const ModelOptions& options) {
  model.options = options_to_keep(options);
  if (options.encoding.features.empty()) return with_encoding(std::move(model));
  std::visit([&](auto& fit) { note_parted_levels(options.encoding, fit); }, model.fit);
  model.encoding = options.encoding;
  return model;
}

SavedModel fit_described(MatrixView X, OwnedMatrix* given, VectorView target, const ModelOptions& options) {
  return in_names_of(options, [&] {
    const Report remarks = remarks_on_table(X, options);
    SavedModel model = fit_rows(X, given, target, options);
    add_remarks(remarks, report_of(model));
    note_weights(options.weights, report_of(model));
    return described(std::move(model), options);
  });
}

// \param folds  the parts of `statistics`
SavedModel fit_sums(const LinearStatistics& statistics, const std::vector<LinearStatistics>& folds, const ModelOptions& options) {
  const ResolvedModel model = resolve(with_encoded_columns(options, statistics.num_columns()));
  const auto* const linear = std::get_if<LinearModel>(&model);
  if (linear == nullptr)
    throw InvalidArgument(
        fmt::format("{} needs the rows of the table; statistics are enough only for {}",
                    options.preset.empty() ? options.spelled("model", options.model) : options.spelled("preset", options.preset),
                    options.spelled("model", "linear")));
  std::vector<LinearStatistics> parts;
  for (std::size_t f = 0; f < folds.size() && folds.size() > 1; ++f) parts.push_back(folds[f].with_columns_of(statistics));
  if (const Prior& prior = linear->options.prior; parts.empty() && prior.kind == PriorKind::laplace && !(prior.lambda > 0))
    throw InvalidArgument(
        "--prior laplace needs rows, or the statistics of two folds or more, for the cross-validation that chooses --lambda; give "
        "--lambda");
  Fit fit = parts.empty() ? fit_linear(statistics, linear->options) : fit_linear(parts, linear->options);
  fit.target = options.target;
  add_remarks(remarks_on_texts(statistics.num_rows(), options), fit.report);
  if (const double weight = statistics.weight(); weight != static_cast<double>(statistics.num_rows()))
    note_weights(weight, statistics.num_rows(), fit.report);
  return described({std::move(fit)}, options);
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

}  // namespace

namespace {

FeatureEncoding made_encoding(const ModelOptions& options, const std::function<FeatureEncoding(Dummies)>& make) {
  const bool is_kernel = options.model == "rvm" || options.model == "kernel" || preset_facts(options.preset).kernel;
  if (is_kernel)
    refuse(options, {"reference"}, "applies only to linear and logistic models; a kernel compares every level with every other");
  const Dummies dummies = is_kernel ? Dummies::every_level : Dummies::all_but_reference;
  FeatureEncoding encoding = in_names_of(options, [&] { return make(dummies); });
  encoding.keeps_gaps = options.missing != "refuse";
  if (encoding.features.empty()) throw InvalidArgument("the table has no column besides those that are no features");
  if (encoding.num_columns() == 0) {
    const FeatureColumn& first = encoding.features.front();
    throw InvalidArgument(fmt::format("the table has no feature column that varies: column '{}' holds the text '{}' in every row",
                                      io::shown(first.name), io::shown(first.levels.front())));
  }
  return encoding;
}

}  // namespace

FeatureEncoding make_encoding(const Table& table, const std::vector<std::string>& exclude, const ModelOptions& options) {
  std::vector<double> weights = options.weights;
  if (options.missing == "drop") {  // rows with a gap do not count
    weights.resize(static_cast<std::size_t>(table.num_rows), 1.0);
    for (Index i = 0; i < table.num_rows; ++i)
      for (Index j = 0; j < table.num_columns(); ++j)
        if (std::isnan(table.value(i, j))) weights[static_cast<std::size_t>(i)] = 0;
  }
  return made_encoding(options, [&](Dummies dummies) { return make_encoding(table, exclude, dummies, options.reference, weights); });
}

FeatureEncoding make_encoding(const std::vector<ColumnFacts>& columns, const std::vector<std::string>& exclude,
                              const ModelOptions& options) {
  return made_encoding(options, [&](Dummies dummies) { return make_encoding(columns, exclude, dummies, options.reference); });
}

SavedModel fit_model(MatrixView X, VectorView target, const ModelOptions& options) { return fit_described(X, nullptr, target, options); }
SavedModel fit_model(OwnedMatrix&& X, VectorView target, const ModelOptions& options) { return fit_described(X.view, &X, target, options); }

SavedModel fit_model(const LinearStatistics& statistics, const ModelOptions& options) {
  return fit_model(std::vector{statistics}, options);
}

SavedModel fit_model(const std::vector<LinearStatistics>& folds, const ModelOptions& given) {
  if (folds.empty()) throw InvalidArgument("there are no statistics; give those of one fold at least");
  LinearStatistics sum = folds.front();
  for (std::size_t f = 1; f < folds.size(); ++f) sum.merge(folds[f]);
  const LinearStatistics all = sum.encoding().dummies == Dummies::every_level ? sum.with_references(given.reference) : sum;
  ModelOptions options = given;
  refuse(options, {"weights", "missing", "diagnose"}, "applies to rows, which statistics no longer have");
  if (options.encoding.features.empty() && options.column_names.empty()) options.encoding = all.encoding();
  if (options.target.empty()) options.target = all.target();
  return in_names_of(options, [&] { return fit_sums(all, folds, options); });
}

namespace {

SavedModel fit_two_by_passes(const AskRows& ask, const ModelOptions& given, const FitOptions& options) {
  refuse(given, {"coding", "precision_per_class"}, "applies only to three classes or more");
  Fit fit = fit_logistic(ask, options);
  fit.target = given.target;
  if (given.class_names.size() == 2 && fit.classes == std::vector<std::string>{"0", "1"}) fit.classes = given.class_names;
  return {std::move(fit)};
}

SavedModel fit_several_by_passes(const AskRows& ask, const ModelOptions& given, const FitOptions& options) {
  ModelOptions classes = given;
  if (given.has("likelihood") && (given.coding.empty() || given.coding == "automatic")) classes.coding = "one-against-rest";
  SoftmaxFit fit = fit_softmax(ask, softmax_options(classes, options));
  fit.target = given.target;
  return {std::move(fit)};
}

KernelFit fit_kernel_by_passes(const AskRows& ask, KernelOptions kernel, const ModelOptions& options, Index num_columns) {
  refuse(options, {"reference"}, "applies only to linear and logistic models; a kernel compares every level with every other");
  if (options.task.empty() && options.class_names.empty())
    throw InvalidArgument(
        fmt::format("{} is not given; for rows that are not in memory it must be regression or classification", options.spelled("task")));
  adapt(options, num_columns, kernel);
  KernelFit fit;
  if (!options.task.empty() && relevance_task(options) == Task::linear)
    fit = fit_kernel_regression(ask, kernel);
  else
    fit = fit_kernel_classification(ask, kernel);
  fit.target = options.target;
  return fit;
}

}  // namespace

SavedModel fit_model(const AskRows& ask, const ModelOptions& given) {
  return in_names_of(given, [&] {
    const auto num_columns =
        static_cast<Index>(given.encoding.features.empty() ? given.column_names.size() : given.encoding.names().size());
    if (num_columns == 0) throw InvalidArgument("column_names is empty; rows that are not in memory need the names of their columns");
    const ModelOptions options = with_encoded_columns(given, num_columns);
    const ResolvedModel model = resolve(options);
    if (const auto* const kernel = std::get_if<KernelModel>(&model)) {
      refuse(given, {"weights", "missing", "diagnose", "coding", "precision_per_class"}, "cannot be used with rows that are not in memory");
      return described({fit_kernel_by_passes(ask, kernel->options, options, num_columns)}, given);
    }
    refuse(given, {"weights", "missing", "diagnose"}, "cannot be used with rows that are not in memory");
    const auto* const logistic = std::get_if<LogisticModel>(&model);
    if (logistic == nullptr)
      throw InvalidArgument(fmt::format("{} needs the table in memory; passes over rows are enough only for {}",
                                        given.preset.empty() ? given.spelled("model", given.model) : given.spelled("preset", given.preset),
                                        given.spelled("model", "logistic")));
    const RowsLookedAt rows = look_once(ask, logistic->options.column_names);
    require_few_classes(given, rows.num_labels, rows.num_rows, given.spelled("model", "linear"));
    return described(is_softmax(given, rows.num_labels) ? fit_several_by_passes(rows.ask, given, logistic->options)
                                                        : fit_two_by_passes(rows.ask, given, logistic->options),
                     given);
  });
}

bool has_several_classes(const ModelOptions& options, VectorView labels) { return is_softmax(options, count_classes(labels)); }

bool has_posterior(const SavedModel& model) {
  return std::visit([](const auto& fit) { return holds_posterior(fit); }, model.fit);
}
const Report& report_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const Report& { return fit.report; }, model.fit);
}
Report& report_of(SavedModel& model) { return const_cast<Report&>(report_of(std::as_const(model))); }
Task task_of(const SavedModel& model) {
  return std::visit([](const auto& fit) { return task_of(fit); }, model.fit);
}
const std::vector<std::string>& classes_of(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::vector<std::string>& { return fit.classes; }, model.fit);
}
Index num_inputs(const SavedModel& model) { return static_cast<Index>(names_of(model).size()); }

namespace {

// Calls `use` for every text of a model that may hold text of the user and may be printed on a terminal.
template <typename Use>
void for_each_text(Report& report, Use&& use) {
  use(report.message), use(report.solver_reason);
  for (auto* texts : {&report.notes, &report.warnings}) std::ranges::for_each(*texts, use);
}
template <typename Use>
void for_each_text(Fit& fit, Use&& use) {
  use(fit.target);
  for (auto* texts : {&fit.classes, &fit.column_names}) std::ranges::for_each(*texts, use);
  for_each_text(fit.report, use);
}
template <typename Use>
void for_each_text(SoftmaxFit& fit, Use&& use) {
  use(fit.target);
  for (auto* texts : {&fit.classes, &fit.column_names}) std::ranges::for_each(*texts, use);
  for (Fit& machine : fit.machines) for_each_text(machine, use);
  for_each_text(fit.report, use);
}
template <typename Use>
void for_each_text(RelevanceFit& fit, Use&& use) {
  use(fit.target);
  for (auto* texts : {&fit.classes, &fit.input_names}) std::ranges::for_each(*texts, use);
  for (RelevanceMachine& machine : fit.machines) for_each_text(machine.fit, use);
  for_each_text(fit.report, use);
}
template <typename Use>
void for_each_text(KernelFit& fit, Use&& use) {
  use(fit.target);
  for (auto* texts : {&fit.classes, &fit.input_names}) std::ranges::for_each(*texts, use);
  for_each_text(fit.report, use);
}
template <typename Use>
void for_each_text(SavedModel& model, Use&& use) {
  std::visit([&](auto& fit) { for_each_text(fit, use); }, model.fit);
}

bool is_printable(const SavedModel& model) {
  bool all = true;
  for_each_text(const_cast<SavedModel&>(model), [&](const std::string& text) { all = all && io::printable(text) == text; });
  return all;
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
  return in_names_of(options, [&] { return summary(model, chosen); });
}

void check_rule(const SavedModel& model, const ModelOptions& options) {
  static_cast<void>(prediction_of(model, options));
  if (model.softmax())
    static_cast<void>(class_rule(options));
  else
    static_cast<void>(predictive_rule(model, options));
}

namespace {

Prediction predict_complete(const SavedModel& model, MatrixView X_new, const ModelOptions& options) {
  const PredictionOf what = prediction_of(model, options);
  pulse("predicting");
  if (const SoftmaxFit* fit = model.softmax()) return predict(*fit, X_new, class_rule(options));
  const PredictiveRule rule = predictive_rule(model, options);
  if (const KernelFit* fit = model.process())
    return fit->task == Task::linear ? Prediction(mixture_prediction(*fit, X_new, what)) : Prediction(class_probabilities(*fit, X_new));
  const auto regression = [&](const auto& fit) {
    return options.rule == mixture ? Prediction(noise_mixture_prediction(fit, X_new)) : Prediction(student_prediction(fit, X_new, what));
  };
  const bool numbers = task_of(model) == Task::linear;
  if (const RelevanceFit* fit = model.relevance()) return numbers ? regression(*fit) : Prediction(class_probabilities(*fit, X_new, rule));
  const Fit& fit = *model.score();
  return numbers ? regression(fit) : Prediction(class_prediction(fit, X_new, rule));
}

}  // namespace

bool predicts_each_row_alone(const SavedModel& model, const ModelOptions& options) {
  check_rule(model, options);
  return model.score() == nullptr || task_of(model) == Task::linear ||
         resolved(predictive_rule(model, options), *model.score()) != PredictiveRule::published_batch;
}

Prediction predict(const SavedModel& model, MatrixView X_new, const ModelOptions& options) {
  const auto of_complete = [&](MatrixView X) { return predict_complete(model, X, options); };
  const auto of_rows = [&](MatrixView X) {
    if (model.imputation && has_gaps(X)) return predict_with_gaps(model, X, of_complete);
    return with_remedy(remedy_of_new_gap(model, options), [&] { return of_complete(X); });
  };
  if (X_new.rows() <= rows_of_a_piece(X_new.cols()) || !predicts_each_row_alone(model, options)) return of_rows(X_new);
  try {
    return predict_in_pieces(X_new, of_rows);
  } catch (const InvalidArgument&) {
    return of_rows(X_new);  // throws the message again, with the number of the row in the whole table
  }
}

namespace {

const KernelFit& process_of(const SavedModel& model) {
  if (const KernelFit* const fit = model.process()) return *fit;
  throw InvalidArgument(
      "joint predictions are those of a kernel machine (model kernel); for a linear or logistic model, they follow from its covariance");
}

}  // namespace

std::vector<JointPrediction> predict_joint(const SavedModel& model, MatrixView X_new, const ModelOptions& options) {
  return joint_predictions(process_of(model), X_new, prediction_of(model, options));
}
std::vector<Matrix> draw(const SavedModel& model, MatrixView X_new, Index num_draws, const ModelOptions& options) {
  return joint_draws(process_of(model), X_new, num_draws, seed_of(options), prediction_of(model, options));
}

namespace {

// The input in which a row is farthest outside the training rows, in widths if each input has its own.
Index farthest_input(const RelevanceFit& fit, MatrixView X, Index row) {
  const std::vector<double> widths = fit.kernel.spec().parameters;
  const bool has_each = static_cast<Index>(widths.size()) == X.cols();
  Index farthest = 0;
  double most = 0;
  for (Index j = 0; j < X.cols(); ++j) {
    const double outside = std::max(fit.input_range(j, 0) - X(row, j), X(row, j) - fit.input_range(j, 1)) * fit.input_scale[j];
    const double widths_outside = outside / (has_each ? widths[static_cast<std::size_t>(j)] : 1);
    if (widths_outside > most) most = widths_outside, farthest = j;
  }
  return farthest;
}

}  // namespace

void PredictionWarnings::add(MatrixView X_new, std::span<const Index> rows) {
  const Index before = std::exchange(num_rows_, num_rows_ + X_new.rows());
  const RelevanceFit* const fit = model_->relevance();
  if (fit == nullptr || fit->bands == Bands::open) return;
  const std::vector<Index> beyond = rows_beyond_data(*fit, X_new);
  num_beyond_ += static_cast<Index>(beyond.size());
  if (beyond.empty() || !first_.empty()) return;
  const Index first = beyond.front(), input = farthest_input(*fit, X_new, first);
  first_ = fmt::format("row {}, in which '{}' is {:.6g} (training rows: {:.6g} to {:.6g})",
                       rows.empty() ? before + first + 1 : rows[static_cast<std::size_t>(first)],
                       io::shown(fit->input_names[static_cast<std::size_t>(input)]), X_new(first, input), fit->input_range(input, 0),
                       fit->input_range(input, 1));
}

std::vector<std::string> PredictionWarnings::texts() const {
  if (num_beyond_ == 0) return {};
  return {fmt::format(
      "{} of {} rows {} far outside the training rows, by more than a kernel width or half the range of an input; predictions there follow "
      "the kernel, not the data, and are too certain; the first is {}",
      num_beyond_, num_rows_, num_beyond_ == 1 ? "lies" : "lie", first_)};
}

std::vector<std::string> warnings_of_prediction(const SavedModel& model, MatrixView X_new, std::span<const Index> rows) {
  PredictionWarnings warnings(model);
  warnings.add(X_new, rows);
  return warnings.texts();
}

Vector log_density(const Prediction& prediction, VectorView y) { return std::visit(LogDensity{y}, prediction); }

namespace {

// The model whose columns are selected: linear or logistic.
ResolvedModel resolve_selection(const ModelOptions& options) {
  if (options.model.empty() && options.preset.empty())
    throw InvalidArgument(fmt::format("say what to fit: {}, or {} NAME", options.spelled("model", "logistic"), options.spelled("preset")));
  check_division(options);
  refuse_to_impute(options, "a selection");
  refuse(options, {"diagnose"}, "applies only to one fit; a selection makes many");
  if (preset_facts(options.preset).kernel)
    throw InvalidArgument(fmt::format("{} selects rows (the relevance vectors), not columns; slr_var selects columns in the same way",
                                      options.spelled("preset", options.preset)));
  if (options.preset.empty() && (options.model == "rvm" || options.model == "kernel"))
    throw InvalidArgument(fmt::format("{} is '{}', which has no coefficients to select; it must be {} or logistic",
                                      options.spelled("model"), options.model, options.spelled("model", "linear")));
  return resolve(options);
}

}  // namespace

void check_selection(const ModelOptions& options) { static_cast<void>(resolve_selection(options)); }

SelectionCounts select_columns(MatrixView X, VectorView labels, const ModelOptions& given) {
  if (missing_of(given) == Missing::drop_rows) {
    const RowsInUse used = rows_in_use(X, labels, given, Missing::drop_rows);
    if (!used.rows.empty()) {
      SelectionCounts counts = select_columns(used.X->view, used.target, used.options);
      counts.notes.push_back(used.note);
      return counts;
    }
  }
  const ModelOptions options = with_encoded_columns(given, X.cols());
  const ResolvedModel model = resolve_selection(options);
  const bool linear = std::holds_alternative<LinearModel>(model);
  FitOptions fit = linear ? std::get<LinearModel>(model).options : std::get<LogisticModel>(model).options;
  with_remedy(remedy_of_gap(options, false), [&] { validate::vector(labels, X.rows(), linear ? "y" : "labels"); });
  SelectionOptions selection{
      .folds = options.folds, .repeats = options.repeats, .seed = static_cast<std::uint64_t>(options.seed), .threads = options.threads};
  selection.weights = options.weights;
  selection.on_fit = options.on_fit;
  selection.column_names = options.column_names;
  selection.class_names = options.class_names;
  fit.weights = {};
  selection.task = linear ? Task::linear : Task::logistic;
  const bool several = !linear && has_several_classes(options, labels);
  if (several) require_classes(options, labels, options.spelled("model", "linear"));
  const SelectionMethod method = linear    ? linear_selection(fit)
                                 : several ? softmax_selection(softmax_options(options, fit))
                                           : logistic_selection(fit);
  SelectionCounts counts = with_remedy(remedy_of_gap(options, false),
                                       [&] { return in_names_of(options, [&] { return select_columns(X, labels, method, selection); }); });
  counts.target = options.target;
  counts.method = options.preset.empty() ? fmt::format("{}, prior {}", options.model, options.prior)
                                         : fmt::format("preset {}{}", options.preset, options.compat ? ", compat" : "");
  return counts;
}

LambdaPath fit_path(MatrixView X, VectorView labels, const PathGrid& grid, const ModelOptions& options) {
  ModelOptions all = options;
  if (all.model.empty() && all.preset.empty()) all.model = "logistic";
  if (!all.has("prior")) all.prior = "laplace";
  refuse(all, {"lambda"}, "applies only to one fit; a path has a grid of lambdas");
  const ResolvedModel model = resolve(all);
  validate::vector(labels, X.rows(), "labels");
  LambdaPath path = in_names_of(all, [&] {
    if (const auto* linear = std::get_if<LinearModel>(&model)) return fit_linear_path(X, labels, grid, linear->options);
    if (const auto* logistic = std::get_if<LogisticModel>(&model)) return fit_logistic_path(X, labels, grid, logistic->options);
    throw InvalidArgument("a path of lambdas exists only for linear and logistic regressions");
  });
  if (all.class_names.size() == 2) path.classes = all.class_names;
  return path;
}

SavedModel sequential_model(const SequentialLogistic& filter, const ModelOptions& options) {
  Fit fit = filter.fit(options.column_names);
  fit.target = options.target;
  if (!options.class_names.empty() && options.class_names.size() != 2)
    throw InvalidArgument(fmt::format("class_names has {} entries; it must have two, for -1 and +1", options.class_names.size()));
  if (!options.class_names.empty()) fit.classes = options.class_names;
  return with_encoding({std::move(fit)});
}

}  // namespace ardvark
