// Fits any model by its options.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ardvark/counts.hpp"
#include "core/classes.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "fit/softmax_machines.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"
#include "model/fit_parts.hpp"
#include "model/missing.hpp"
#include "model/remarks.hpp"
#include "model/resolve.hpp"
#include "preset/preset.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

void require_numbers(const ModelOptions& options) {
  if (options.class_names.empty()) return;
  throw refused("y", fmt::format("is text ('{}', ...); a regression needs numbers (for classes: {})",
                                 io::shown(options.class_names.front()), options.spelled("model", "logistic")));
}

void require_two_classes(const ModelOptions& options, VectorView labels) {
  refuse_in(options, fit_case::two_classes);
  require_names(labels, options.class_names);
}

void name_classes(const ModelOptions& options, VectorView labels, Fit& fit) {
  if (options.class_names.empty()) return;
  const auto [low, high] = std::minmax_element(labels.begin(), labels.end());
  const double first = *low == *high ? 0 : *low;  // a preset that accepts one class
  fit.classes = {options.class_names[static_cast<std::size_t>(first)], options.class_names[static_cast<std::size_t>(*high)]};
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

namespace {

// \param diagnosis  computes the diagnosis, or sets the reason why there is none
void add_diagnosis(const ModelOptions& options, SavedModel& model, auto&& diagnosis) {
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
    require_numbers(options);
    if (encoding != nullptr) return imputed(fit_linear_imputed(X, target, *encoding, model.options, imputation_options(options)));
    const bool may_overwrite = given != nullptr && !options.fdr && !options.diagnose;
    Fit fit = may_overwrite ? fit_linear(std::move(*given), target, model.options) : fit_linear(X, target, model.options);
    fit.target = options.target;
    FewValues values;
    for (const double y : target) values.add(y);
    if (const std::string warning = values.remark(options); !warning.empty()) fit.report.warnings.push_back(warning);
    SavedModel saved{std::move(fit)};
    diagnose_regression(model.options, saved);
    add_selected(options, model.options, X, target, saved);
    return saved;
  }
  SavedModel operator()(const LogisticModel& model) const {
    validate::vector(target, X.rows(), "labels");
    return has_several_classes(options, target) ? several_classes(model) : two_classes(model);
  }
  SavedModel operator()(const CountModel& model) const {
    validate::vector(target, X.rows(), "y");
    require_numbers(options);
    if (encoding != nullptr)
      throw refused(options, "missing", "impute",
                    fmt::format("is not made for counts: gaps would be filled by a straight line in the count, which no rate is; {} leaves "
                                "such rows out",
                                options.spelled("missing", "drop")));
    Fit fit = fit_counts(X, target, model.options);
    fit.target = options.target;
    SavedModel saved{std::move(fit)};
    diagnose_regression(model.options, saved);
    add_selected(options, model.options, X, target, saved);
    return saved;
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
  [[nodiscard]] SavedModel two_classes(const LogisticModel& logistic) const;
  [[nodiscard]] SavedModel several_classes(const LogisticModel& logistic) const;
  void diagnose_regression(const FitOptions& how, SavedModel& saved) const {
    add_diagnosis(options, saved, [&](std::string& why_not) { return diagnose(*saved.score(), X, target, how, why_not); });
  }
  [[noreturn]] void refuse_to_impute() const {
    throw refused(options, "missing", "impute",
                  fmt::format("applies only to linear regression and to logistic regression of two classes; use {} here",
                              options.spelled("missing", "drop")));
  }
};

SavedModel ModelFitter::two_classes(const LogisticModel& logistic) const {
  require_two_classes(options, target);
  SavedModel model = encoding != nullptr
                         ? imputed(fit_logistic_imputed(X, target, *encoding, logistic.options, imputation_options(options)))
                         : SavedModel{fit_logistic(X, target, logistic.options)};
  Fit& score = *model.score();
  score.target = options.target;
  add_diagnosis(options, model, [&](std::string& why_not) { return diagnose(score, X, target, logistic.options, why_not); });
  add_selected(options, logistic.options, X, target, model);
  name_classes(options, target, score);
  return model;
}

SavedModel ModelFitter::several_classes(const LogisticModel& logistic) const {
  require_classes(options, target, options.spelled("model", "linear"));
  if (encoding != nullptr) refuse_to_impute();
  const SoftmaxOptions softmax = softmax_options(options, logistic.options);
  if (options.diagnose && coding_of(softmax, count_classes(target), X.rows(), X.cols()) == ClassCoding::softmax)
    throw no_diagnosis_of_classes(options);
  SavedModel model{fit_softmax(X, target, softmax)};
  model.softmax()->target = options.target;
  add_diagnosis(options, model, [&](std::string& why_not) { return diagnose(*model.softmax(), X, target, softmax, why_not); });
  return model;
}

Task ModelFitter::task_of_machine() const {
  if (encoding != nullptr) refuse_to_impute();
  validate::vector(target, X.rows(), "labels");
  const Task task = relevance_task(options, target);
  if (has_noise(task)) require_numbers(options);
  if (has_classes(task))
    require_classes(options, target, options.preset.empty() ? options.spelled("task", "regression") : options.spelled("model", "rvm"));
  return task;
}

void ModelFitter::note_task(Task task, Report& report) const {
  if (!options.preset.empty() || !options.task.empty() || !options.class_names.empty()) return;
  report.notes.push_back(has_noise(task) ? fmt::format("the target holds numbers, so the task is regression; {} takes them as classes",
                                                       options.spelled("task", "classification"))
                                         : fmt::format("the target has two values, so the task is classification; {} takes them as numbers",
                                                       options.spelled("task", "regression")));
}

SavedModel ModelFitter::operator()(const RelevanceModel& model) const {
  const Task task = task_of_machine();
  RelevanceOptions relevance = model.options;
  adapt(options, task, X.cols(), relevance);
  RelevanceFit fit =
      has_noise(task) ? RelevanceFit(fit_relevance_regression(X, target, relevance)) : fit_relevance_classification(X, target, relevance);
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
  KernelFit fit = has_noise(task) ? KernelFit(fit_kernel_regression(X, target, kernel)) : fit_kernel_classification(X, target, kernel);
  fit.target = options.target;
  note_task(task, fit.report);
  return {std::move(fit)};
}

SavedModel fit_any(MatrixView X, OwnedMatrix* given, VectorView target, const ModelOptions& options, const FeatureEncoding* encoding) {
  const ResolvedModel model = resolve(options);
  if (X.rows() < 1 || X.cols() < 1) throw refused("X", fmt::format("is empty ({} x {})", X.rows(), X.cols()));
  return std::visit(ModelFitter{X, given, target, options, encoding}, model);
}

// A mode has no posterior, and a preset is a published program.
void require_posterior_to_impute(const ModelOptions& options) {
  if (options.preset.empty() && options.prior != "laplace") return;
  throw refused(options, "missing", "impute",
                fmt::format("applies only to models with a posterior: without a preset, and with another prior than laplace; use {} here",
                            options.spelled("missing", "drop")));
}

SavedModel fit_rows(MatrixView X, OwnedMatrix* given, VectorView target, const ModelOptions& options) {
  const Missing missing = missing_of(options);
  const ModelOptions all = with_encoded_columns(options, X.cols());
  if (missing == Missing::refuse)
    return with_remedy(
        remedy_of_gap(options, can_impute(options)), [&] { return fit_any(X, given, target, all, nullptr); },
        remedy_of_target_gap(options));
  if (missing == Missing::keep) {
    refuse(options, {"diagnose", "fdr"},
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

SavedModel fit_described(MatrixView X, OwnedMatrix* given, VectorView target, const ModelOptions& options) {
  return in_names_of(options, [&] {
    const Report remarks = remarks_on_table(X, options);
    SavedModel model = fit_rows(X, given, target, options);
    add_remarks(remarks, report_of(model));
    note_weights(options.weights, report_of(model));
    return described(std::move(model), options);
  });
}

FeatureEncoding made_encoding(const ModelOptions& options, const std::function<FeatureEncoding(Dummies)>& make) {
  const bool is_kernel = options.model == "rvm" || options.model == "kernel" || preset_facts(options.preset).kernel;
  if (is_kernel) refuse_in(options, cases_of(options));
  const Dummies dummies = is_kernel ? Dummies::every_level : Dummies::all_but_reference;
  FeatureEncoding encoding = in_names_of(options, [&] { return make(dummies); });
  encoding.keeps_gaps = options.missing != "refuse";
  if (encoding.features.empty()) throw InvalidArgument("the table has no feature columns");
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

bool has_several_classes(const ModelOptions& options, VectorView labels) { return is_softmax(options, count_classes(labels)); }

SavedModel sequential_model(const SequentialLogistic& filter, const ModelOptions& options) {
  Fit fit = filter.fit(options.column_names);
  fit.target = options.target;
  if (!options.class_names.empty() && options.class_names.size() != 2)
    throw wrong_size("class_names", options.class_names.size(), "it must have two, for -1 and +1");
  if (!options.class_names.empty()) fit.classes = options.class_names;
  SavedModel model = with_encoding({std::move(fit)});
  if (filter.precision() != static_cast<double>(model.score()->num_columns())) model.options.emplace_back("precision", filter.precision());
  return model;
}

SequentialLogistic sequential_from_model(const SavedModel& model, const ModelOptions& options) {
  SequentialOptions sequential;
  sequential.threads = options.threads;
  if (options.block_rows) sequential.block_rows = *options.block_rows;
  sequential.precision = options.precision;
  for (const auto& [name, value] : model.options)
    if (name == "precision" && !sequential.precision && std::holds_alternative<double>(value))
      sequential.precision = std::get<double>(value);
  return SequentialLogistic::from_fit(model.score() != nullptr ? *model.score() : Fit{}, sequential);
}

}  // namespace ardvark
