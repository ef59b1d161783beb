// Fits any model whose rows are not in memory: from statistics, and by passes.

#include <functional>
#include <utility>
#include <variant>

#include "core/refusals.hpp"
#include "model/choice.hpp"
#include "model/fit_parts.hpp"
#include "model/remarks.hpp"
#include "model/resolve.hpp"
#include "passes/first_look.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

// \param folds  the parts of `statistics`
SavedModel fit_sums(const LinearStatistics& statistics, const std::vector<LinearStatistics>& folds, const ModelOptions& options) {
  const ResolvedModel model = resolve(with_encoded_columns(options, statistics.num_columns()));
  const FitOptions& linear = std::get<LinearModel>(model).options;  // statistics are refused for the others
  std::vector<LinearStatistics> parts;
  for (std::size_t f = 0; f < folds.size() && folds.size() > 1; ++f) parts.push_back(folds[f].with_columns_of(statistics));
  if (const Prior& prior = linear.prior; parts.empty() && prior.kind == PriorKind::laplace && !(prior.lambda > 0))
    throw InvalidArgument(
        "--prior laplace needs rows, or the statistics of two folds or more, for the cross-validation that chooses --lambda; give "
        "--lambda");
  Fit fit = parts.empty() ? fit_linear(statistics, linear) : fit_linear(parts, linear);
  fit.target = options.target;
  add_remarks(remarks_on_texts(statistics.num_rows(), options), fit.report);
  if (const double weight = statistics.weight(); weight != static_cast<double>(statistics.num_rows()))
    note_weights(weight, statistics.num_rows(), fit.report);
  return described({std::move(fit)}, options);
}

SavedModel fit_two_by_passes(const AskRows& ask, const ModelOptions& given, const FitOptions& options) {
  refuse_in(given, fit_case::two_classes);
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
  if (options.task.empty() && options.class_names.empty())
    throw refused(options.spelled("task"), "is not given; for rows that are not in memory it must be regression or classification");
  adapt(options, num_columns, kernel);
  const bool is_regression = !options.task.empty() && has_noise(relevance_task(options));
  KernelFit fit = is_regression ? KernelFit(fit_kernel_regression(ask, kernel)) : fit_kernel_classification(ask, kernel);
  fit.target = options.target;
  return fit;
}

}  // namespace

SavedModel fit_model(const LinearStatistics& statistics, const ModelOptions& options) {
  return fit_model(std::vector{statistics}, options);
}

SavedModel fit_model(const std::vector<LinearStatistics>& folds, const ModelOptions& given) {
  if (folds.empty()) throw InvalidArgument("there are no statistics; give those of one fold at least");
  LinearStatistics sum = folds.front();
  for (std::size_t f = 1; f < folds.size(); ++f) sum.merge(folds[f]);
  const LinearStatistics all = sum.encoding().dummies == Dummies::every_level ? sum.with_references(given.reference) : sum;
  ModelOptions options = given;
  refuse_in(options, fit_case::statistics);
  if (options.encoding.features.empty() && options.column_names.empty()) options.encoding = all.encoding();
  if (options.target.empty()) options.target = all.target();
  return in_names_of(options, [&] { return fit_sums(all, folds, options); });
}

SavedModel fit_model(const AskRows& given_rows, const ModelOptions& given) {
  CountedRows counted(given_rows);
  const AskRows ask = std::ref(counted);
  const auto noted = [&](SavedModel model) {
    add_remarks(counted.remarks(std::visit([](const auto& fit) { return fit.num_rows; }, model.fit), given), report_of(model));
    return described(std::move(model), given);
  };
  return in_names_of(given, [&] {
    const auto num_columns =
        static_cast<Index>(given.encoding.features.empty() ? given.column_names.size() : given.encoding.names().size());
    if (num_columns == 0)
      throw InvalidArgument(
          {.argument = "column_names", .value = "empty", .why = "rows that are not in memory need the names of their columns"});
    const ModelOptions options = with_encoded_columns(given, num_columns);
    const ResolvedModel model = resolve(options);
    refuse_in(given, fit_case::passes);
    if (const auto* const kernel = std::get_if<KernelModel>(&model))
      return noted({fit_kernel_by_passes(ask, kernel->options, options, num_columns)});
    const auto of_numbers = [&](Fit fit) {
      fit.target = given.target;
      return noted({std::move(fit)});
    };
    if (const auto* const counts = std::get_if<CountModel>(&model)) {
      require_numbers(given);
      return of_numbers(fit_counts(ask, counts->options));
    }
    if (const auto* const linear = std::get_if<LinearModel>(&model)) {
      require_numbers(given);
      return of_numbers(fit_linear(ask, linear->options));
    }
    const auto* const logistic = std::get_if<LogisticModel>(&model);
    const RowsLookedAt rows = look_once(ask, logistic->options.column_names);
    require_few_classes(given, rows.num_labels, rows.num_rows, given.spelled("model", "linear"));
    return noted(is_softmax(given, rows.num_labels) ? fit_several_by_passes(rows.ask, given, logistic->options)
                                                    : fit_two_by_passes(rows.ask, given, logistic->options));
  });
}

}  // namespace ardvark
