// Fits that say which columns are selected: over many divisions of the rows, and along a path of lambdas.
#include <fmt/format.h>

#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "fit/softmax_machines.hpp"
#include "model/choice.hpp"
#include "model/missing.hpp"
#include "model/resolve.hpp"
#include "preset/preset.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The model whose columns are selected: linear or logistic.
ResolvedModel resolve_selection(const ModelOptions& options) {
  if (options.model.empty() && options.preset.empty())
    throw InvalidArgument(fmt::format("say what to fit: {}, or {} NAME", options.spelled("model", "logistic"), options.spelled("preset")));
  refuse_to_impute(options, "a selection");
  refuse_in(options, fit_case::selection);
  if (preset_facts(options.preset).kernel)
    throw refused(options, "preset", options.preset,
                  "selects rows (the relevance vectors), not columns; slr_var selects columns in the same way");
  if (options.preset.empty() && (options.model == "rvm" || options.model == "kernel" || options.model == "counts"))
    throw wrong(options.spelled("model"), options.model,
                fmt::format("a selection is of columns of {} or logistic", options.spelled("model", "linear")));
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

namespace {

LambdaPath path_of(const auto& X, VectorView labels, const PathGrid& grid, const ModelOptions& options) {
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

}  // namespace

LambdaPath fit_path(MatrixView X, VectorView labels, const PathGrid& grid, const ModelOptions& options) {
  return path_of(X, labels, grid, options);
}
LambdaPath fit_path(CscView X, VectorView labels, const PathGrid& grid, const ModelOptions& options) {
  return path_of(X, labels, grid, options);
}

}  // namespace ardvark
