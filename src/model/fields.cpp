#include "model/fields.hpp"

#include <fmt/format.h>

#include "core/refusals.hpp"
#include "io/option_values.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// Of each text column its name, its levels, and the level that the others are compared with (null: a kernel compares all).
// The sets at the rate of the fit: positions of the columns, and the probability that one of them has an effect.
void visit_effects(const Effects& effects, const Fit& fit, Fields& out) {
  out.put("fdr", Json(effects.fdr));
  out.put("guarantee", Json(effects.guarantee == Guarantee::knockoffs ? "knockoffs" : "posterior"));
  if (!out.wants("selected")) return;
  Json sets = Json::array();
  for (const EffectSet& set : effects_at(effects, effects.fdr)) {
    Json names = Json::array();
    for (const Index j : set.columns) names.push_back(fit.column_names[static_cast<std::size_t>(j)]);
    sets.push_back({{"columns", set.columns}, {"names", names}, {"probability", set.probability}});
  }
  out.put("selected", std::move(sets));
}

void visit(const SelectionSpread& spread, double error, double chance, const char* name, Fields& out) {
  if (!out.wants(name)) return;
  out.open(name);
  out.put("mean", Json(spread.mean));
  out.put("sd_over_repeats", Json(spread.sd));
  out.put("standard_error", Json(error));
  out.put("chance", Json(chance));
  out.close();
}

}  // namespace

Json text_columns(const FeatureEncoding& encoding) {
  Json list = Json::array();
  for (const FeatureColumn& f : encoding.features)
    if (f.categorical)
      list.push_back({{"name", f.name},
                      {"levels", f.levels},
                      {"reference", encoding.dummies == Dummies::every_level || f.levels.empty()
                                        ? Json()
                                        : Json(f.levels[static_cast<std::size_t>(f.reference)])}});
  return list;
}

void visit(const FeatureEncoding& encoding, Fields& out) {
  out.put("columns", Json(encoding.names()));
  std::vector<std::string> features;
  for (const FeatureColumn& f : encoding.features) features.push_back(f.name);
  out.put("features", Json(features));
  out.put("feature", encoding.feature_of_columns());
  out.put("text_columns", text_columns(encoding));
}

void visit(const SavedModel& model, double level, Fields& out) {
  std::visit([&](const auto& fit) { visit(fit, level, out); }, model.fit);
  out.put("options", io::json_of(model.options));
  if (model.encoding.has_text()) out.put("text_columns", text_columns(model.encoding));
  if (model.imputation) {
    const Imputation& missing = *model.imputation;
    out.open("missing");
    out.put("imputations", Json(missing.imputations));
    out.put("columns", Json(missing.columns));
    out.put("gaps", missing.gaps);
    out.put("information", missing.missing_information);
    out.close();
  }
  if (model.effects) visit_effects(*model.effects, *model.score(), out);
  if (!model.diagnosis) return;
  out.put("khat", Json(model.diagnosis->khat));
  out.put("khat_given_precisions", Json(model.diagnosis->khat_given_precisions));
  out.put("khat_threshold", Json(model.diagnosis->threshold));
  out.put("khat_effective_share", Json(model.diagnosis->effective_share));
  if (out.wants("log_ratios")) out.put("log_ratios", model.diagnosis->log_ratios);
}

void visit(const SelectionCounts& counts, const ModelOptions& options, Fields& out) {
  out.put("status", Json(to_string(counts.status)));
  out.put("message", Json(counts.message));
  out.put("model", options.preset.empty() ? Json(options.model) : Json());
  out.put("preset", options.preset.empty() ? Json() : Json(options.preset));
  out.put("compat", Json(options.compat));
  out.put("target", Json(counts.target));
  if (!has_noise(counts.task)) {
    out.put("classes", Json(counts.classes));
    out.put("class_weight", counts.class_weight);
  }
  out.put("folds", Json(counts.folds));
  out.put("repeats", Json(counts.repeats));
  out.put("seed", Json(counts.seed));
  if (out.wants("features")) out.put("features", Json(counts.column_names));
  out.put("count", counts.count);
  out.put("share", counts.share);
  out.put("sc_value", counts.sc_value);
  if (out.wants("ranking")) {
    Json names = Json::array();
    for (const Index column : ranking(counts))
      if (counts.count[static_cast<std::size_t>(column)] > 0) names.push_back(counts.column_names[static_cast<std::size_t>(column)]);
    out.put("ranking", std::move(names));
  }
  const char* const accuracy = facts_of(counts.task).score;
  visit(counts.accuracy, counts.accuracy_error, counts.chance_accuracy, accuracy, out);
  visit(counts.log_loss, counts.log_loss_error, counts.chance_log_loss, "log_loss", out);
  if (out.wants("survivors")) {
    out.open("survivors");
    out.put("mean", Json(counts.num_survivors.mean));
    out.put("sd_over_repeats", Json(counts.num_survivors.sd));
    out.close();
  }
  if (out.wants("fits")) {
    Json fits = Json::array();
    for (const SelectionFold& fit : counts.fits)
      fits.push_back({{"repeat", fit.repeat + 1},
                      {"fold", fit.fold + 1},
                      {"test_rows", fit.num_test},
                      {accuracy, fit.accuracy},
                      {"log_loss", fit.log_loss},
                      {"survivors", fit.num_survivors},
                      {"status", to_string(fit.status)}});
    out.put("fits", std::move(fits));
  }
  out.put("notes", Json(counts.notes));
  out.put("warnings", Json(counts.warnings));
  out.put("seconds", Json(counts.seconds));
}

void visit(const LambdaPath& path, Fields& out) {
  out.put("lambda_max", Json(path.lambda_max));
  out.put("lambda", path.lambda);
  if (out.wants("mean")) out.put_rows("mean", path.mean.transpose());
  if (path.intercept.size() > 0) out.put("intercept", path.intercept);
  out.put("log_likelihood", path.log_likelihood);
  out.put("gap", path.gap);
  out.put("num_nonzero", path.num_nonzero);
  out.put("classes", Json(path.classes));
  Json status = Json::array(), message = Json::array();
  for (const Report& report : path.reports) status.push_back(to_string(report.status)), message.push_back(report.message);
  out.put("status", std::move(status));
  out.put("message", std::move(message));
  out.put("notes", Json(path.notes));
  out.put("seconds", Json(path.seconds));
}

void visit(const LinearStatistics& statistics, Fields& out) {
  out.put("form", Json(to_string(statistics.form())));
  out.put("num_rows", Json(statistics.num_rows()));
  out.put("weight", Json(statistics.weight()));
  out.put("target", Json(statistics.target()));
  out.put("columns", Json(statistics.column_names()));
  out.put("has_names", Json(!statistics.encoding().features.empty()));
  std::vector<std::string> features;
  for (const FeatureColumn& feature : statistics.encoding().features) features.push_back(feature.name);
  out.put("features", Json(features));
  out.put("has_text", Json(statistics.encoding().has_text()));
  out.put("has_levels", Json(!features.empty() && statistics.encoding().dummies == Dummies::every_level));
  if (out.wants("mean")) out.put("mean", statistics.mean());
  if (out.wants("cross")) out.put_rows("cross", statistics.cross());
}

void visit(const Comparison& comparison, Fields& out) {
  out.put("status", Json(to_string(comparison.status)));
  out.put("task", Json(to_string(comparison.task)));
  out.put("target", Json(comparison.target));
  out.put("num_rows", Json(comparison.num_rows));
  out.put("num_columns", Json(comparison.num_columns));
  if (comparison.num_classes > 0) out.put("num_classes", Json(comparison.num_classes));
  out.put("best", comparison.best() == nullptr ? Json() : Json(comparison.best()->name));
  out.put("verdict", Json(comparison.verdict));
  out.put("notes", Json(comparison.notes));
  for (std::size_t i = 0; out.wants("models") && i < comparison.models.size(); ++i) {
    const ComparedModel& model = comparison.models[i];
    out.open("models", static_cast<Index>(i));
    out.put("name", Json(model.name));
    out.put("bound", Json(model.bound));
    out.put("comparable", Json(model.comparable));
    out.put("evidence", Json(model.comparable ? Json(model.evidence) : Json()));
    out.put("difference", Json(model.comparable ? Json(model.difference) : Json()));
    out.put("remark", Json(model.remark));
    out.put("effective_parameters", Json(model.effective_parameters));
    out.put("probable_effects", model.probable_effects ? Json(*model.probable_effects) : Json());
    if (has_noise(comparison.task))
      out.put("noise_sd", Json(model.noise_sd));
    else if (is_count(comparison.task))
      out.put("deviance_explained", Json(model.deviance_explained));
    else
      out.put("log_loss", Json(model.log_loss));
    out.put("status", Json(to_string(model.status)));
    out.put("message", Json(model.message));
    out.put("warnings", Json(model.warnings));
    out.put("seconds", Json(model.seconds));
    out.close();
  }
}

void JsonFields::put(const char* name, VectorView v) {
  if (!wants(name)) return;
  Json list = Json::array();
  list.reserve(static_cast<std::size_t>(v.size()));
  for (const double x : v) list.push_back(x);
  put(name, std::move(list));
}

void JsonFields::put_rows(const char* name, const Matrix& m) {
  if (!wants(name)) return;
  Json rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    row.reserve(static_cast<std::size_t>(m.cols()));
    for (Index j = 0; j < m.cols(); ++j) row.push_back(m(i, j));
    rows.push_back(std::move(row));
  }
  put(name, std::move(rows));
}

void JsonFields::put_table_rows(const char* name, const std::vector<Index>& rows) {
  if (!wants(name)) return;
  Json list = Json::array();
  for (const Index row : rows) list.push_back(row < 0 ? Json() : Json(row + 1));
  put(name, std::move(list));
}

void JsonFields::put_columns(const char* name, const std::vector<bool>& columns, const std::vector<std::string>& names) {
  if (!wants(name)) return;
  Json list = Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i]) list.push_back(names[i]);
  put(name, std::move(list));
}

void JsonFields::open(const char* name, Index element) {
  Json& list = (*stack_.back())[name];
  if (element == 0) list = Json::array();
  stack_.push_back(&list.push_back(Json::object()));
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

namespace {

std::string json_text(JsonFields& fields, const auto&... asked) {
  visit(asked..., fields);
  return fields.json().dump();
}

std::string json_text(const auto&... asked) {
  JsonFields fields(false);
  return json_text(fields, asked...);
}

}  // namespace

std::string to_json(const SavedModel& model, double level, bool covariance, bool all_columns) {
  JsonFields fields(covariance, all_columns);
  return json_text(fields, model, level);
}
std::string to_json(const LinearStatistics& statistics) { return json_text(statistics); }
std::string to_json(const Comparison& comparison) { return json_text(comparison); }
std::string to_json(const SelectionCounts& counts, const ModelOptions& options) { return json_text(counts, options); }

SavedModel at_fdr(SavedModel model, double fdr, Spelling spelling) {
  const std::string name = spelling == Spelling::command_line ? "--fdr" : "fdr";
  if (!(fdr > 0 && fdr < 1)) throw wrong(name, fdr, "it must lie between 0 and 1");
  if (!model.effects) throw refused(name, fmt::format("needs a model that was fitted with {}", name));
  model.effects->fdr = fdr;
  return model;
}

}  // namespace ardvark
