// Many targets by options of their names, and their results by name.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/refusals.hpp"
#include "io/option_values.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"
#include "model/fields.hpp"
#include "model/missing.hpp"
#include "model/refused_options.hpp"
#include "model/resolve.hpp"
#include "rows/target_statistics_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

FitOptions options_of_targets(const ModelOptions& options) {
  const ResolvedModel model = resolve(options);
  if (!options.preset.empty() || !std::holds_alternative<LinearModel>(model))
    throw InvalidArgument(fmt::format("Y has several columns, and only {} without a preset takes many targets; fit them one by one",
                                      options.spelled("model", "linear")));
  refuse(options, {"diagnose", "fdr"}, "cannot be given for many targets; fit them one by one");
  return std::get<LinearModel>(model).options;
}

TargetsFit fit_complete(MatrixView X, MatrixView Y, const ModelOptions& options, TargetsOptions results) {
  results.fit = options_of_targets(options);
  return fit_targets(X, Y, results);
}

TargetsFit fit_rows(MatrixView X, MatrixView Y, const ModelOptions& options, TargetsOptions results) {
  const Missing missing = missing_of(options);
  refuse_to_impute(options, "many targets");
  results.drop_missing = missing == Missing::drop_rows;
  ModelOptions all = with_encoded_columns(options, X.cols());
  if (!results.drop_missing || Y.rows() != X.rows())
    return with_remedy(remedy_of_gap(options, false), [&] { return fit_complete(X, Y, all, results); });
  all.encoding = options.encoding;
  RowsInUse used = rows_in_use(X, Vector(Vector::Zero(X.rows())), all, missing);  // gaps in a target concern this target only
  used.options.encoding = {};
  if (used.rows.empty()) return fit_complete(X, Y, used.options, results);
  TargetsFit fit = fit_complete(used.X->view, rows_of(Y, used.rows).view, used.options, results);
  fit.notes.push_back(used.note);
  return fit;
}

}  // namespace

SavedTargets fit_targets(MatrixView X, MatrixView Y, const ModelOptions& options, std::vector<std::string> target_names,
                         TargetsOptions results) {
  if (!target_names.empty() && std::ssize(target_names) != Y.cols())
    throw wrong_size("target_names", target_names.size(), fmt::format("it must have one per column of Y: {}", Y.cols()));
  SavedTargets out{in_names_of(options, [&] { return fit_rows(X, Y, options, results); }), std::move(target_names), options.encoding,
                   options_to_keep(options)};
  if (out.encoding.features.empty()) out.encoding = FeatureEncoding::of_numbers(out.fit.column_names);
  return out;
}

SavedTargets fit_targets(const TargetStatistics& statistics, const ModelOptions& given, TargetsOptions results) {
  ModelOptions options = given;
  refuse_in(options, fit_case::statistics);
  if (options.encoding.features.empty() && options.column_names.empty()) options.column_names = statistics.column_names();
  const auto fit = [&] {
    results.fit = options_of_targets(with_encoded_columns(options, statistics.num_columns()));
    return fit_targets(statistics, results);
  };
  SavedTargets out{in_names_of(options, fit), statistics.target_names(), options.encoding, options_to_keep(options)};
  if (out.encoding.features.empty()) out.encoding = FeatureEncoding::of_numbers(out.fit.column_names);
  return out;
}

void internal::visit(const TargetStatistics& statistics, Fields& out) {
  out.put("num_rows", Json(statistics.num_rows()));
  out.put("num_columns", Json(statistics.num_columns()));
  out.put("num_targets", Json(statistics.num_targets()));
  out.put("columns", Json(statistics.column_names()));
  out.put("has_names", Json(!statistics.state().columns.empty()));
  if (const std::vector<std::string> names = statistics.target_names(); !names.empty()) out.put("targets", Json(names));
  if (out.wants("weight")) out.put("weight", Json(statistics.weight()));
  if (out.wants("status")) {
    std::vector<std::string> status;
    for (const TargetStatus one : statistics.status()) status.emplace_back(to_string(one));
    out.put("status", Json(status));
  }
  if (out.wants("mean")) out.put("mean", statistics.mean());
  if (out.wants("target_mean")) out.put("target_mean", statistics.target_mean());
  if (out.wants("cross")) out.put_rows("cross", statistics.cross());
  if (out.wants("target_cross")) out.put_rows("target_cross", statistics.target_cross().transpose());
  if (out.wants("target_squares")) out.put("target_squares", statistics.target_squares());
}

std::string to_json(const TargetStatistics& statistics) {
  JsonFields out(false);
  visit(statistics, out);
  return out.json().dump();
}

namespace {

void visit_numbers(const SavedTargets& targets, Fields& out) {
  const TargetsFit& fit = targets.fit;
  if (!targets.target_names.empty()) out.put("targets", Json(targets.target_names));
  out.put("options", io::json_of(targets.options));
  if (targets.encoding.has_text()) out.put("text_columns", text_columns(targets.encoding));
  if (out.wants("status")) {
    std::vector<std::string> status;
    for (const TargetStatus one : fit.status) status.emplace_back(to_string(one));
    out.put("status", Json(status));
  }
  out.put("num_targets", Json(fit.num_targets()));
  out.put("num_alone", Json(fit.num_alone));
  out.put("prior", Json(to_string(fit.prior)));
  out.put("seconds", Json(fit.seconds));
  out.put("sweeps", std::vector<double>(fit.sweeps.begin(), fit.sweeps.end()));
  if (fit.intercept.size() > 0) out.put("intercept", fit.intercept);
  out.put("precision", fit.precision);
  out.put("noise_sd", fit.noise_sd);
  out.put("degrees_of_freedom", fit.degrees_of_freedom);
  out.put("bound", fit.bound);
  out.put("evidence", fit.evidence);
  out.put("r_squared", fit.r_squared);
  out.put("r_squared_loo", fit.r_squared_loo);
  out.put("effective_parameters", fit.effective_parameters);
  out.put("num_rows", fit.num_rows);
  out.put("columns", Json(fit.column_names));
  out.put_columns("left_out", fit.left_out, fit.column_names);
  out.put("notes", Json(fit.notes));
  out.put("warnings", Json(fit.warnings));
}

void visit_coefficients(const TargetsFit& fit, Fields& out) {
  if (fit.mean.size() > 0 && out.wants("mean")) out.put_rows("mean", fit.mean.transpose());
  if (fit.sd.size() > 0 && out.wants("sd")) out.put_rows("sd", fit.sd.transpose());
  if (fit.inclusion.size() > 0 && out.wants("inclusion")) out.put_rows("inclusion", fit.inclusion.transpose());
}

}  // namespace

void internal::visit(const SavedTargets& targets, Fields& out) {
  visit_numbers(targets, out);
  visit_coefficients(targets.fit, out);
}

void internal::visit(const ExplainedTargets& explained, Fields& out) {
  out.put("share", Json(explained.share));
  out.put("probability", explained.probability);
  out.put("selected", std::vector<double>(explained.selected.begin(), explained.selected.end()));
}

void internal::visit(const TargetDirections& directions, Fields& out) {
  out.put_rows("q_value", directions.q_value.transpose());
  out.put_rows("p_value", directions.p_value.transpose());
  out.put_rows("sd", directions.sd.transpose());
  out.put("noise_sd", directions.noise_sd);
  out.put("degrees_of_freedom", directions.degrees_of_freedom);
  out.put("no_effect", directions.no_effect);
  out.put("pooled_degrees", Json(directions.pooled_degrees));
  out.put("usual_noise_sd", Json(directions.usual_noise_sd));
}

std::string to_json(const SavedTargets& targets, double fdr) {
  constexpr Index most_coefficients = 1000000;
  JsonFields out(false);
  visit_numbers(targets, out);
  if (targets.fit.mean.size() <= most_coefficients) visit_coefficients(targets.fit, out);
  out.put("fdr", Json(fdr));
  out.open("explained");
  visit(explained_targets(targets.fit.log_bayes, targets.fit.log_bayes_of_noise, fdr), out);
  out.close();
  return out.json().dump();
}

namespace {

// The target, how well it is explained, and what by.
struct Line {
  std::string name, r_squared, unseen, noise, effects, evidence, explained;
};

std::string line_of(const Line& line, std::size_t width) {
  return fmt::format("  {}  {:>7}  {:>7}  {:>10}  {:>7}  {:>9}  {}\n", io::padded(line.name, width), line.r_squared, line.unseen,
                     line.noise, line.effects, line.evidence, line.explained);
}

std::string number(double x, const char* form) { return std::isnan(x) ? "-" : fmt::format(fmt::runtime(form), x); }

}  // namespace

std::string summary(const SavedTargets& targets, double fdr) {
  const TargetsFit& fit = targets.fit;
  const ExplainedTargets explained = explained_targets(fit.log_bayes, fit.log_bayes_of_noise, fdr);
  const Index K = fit.num_targets();
  const auto count = [&](auto&&... which) {
    return std::ranges::count_if(fit.status, [&](TargetStatus status) { return ((status == which) || ...); });
  };
  const auto unfitted = count(TargetStatus::not_finite, TargetStatus::few_rows, TargetStatus::out_of_range, TargetStatus::failed);
  const auto selected = std::ranges::count(explained.selected, true);
  const double rows = K > 0 ? fit.num_rows.unaryExpr([](double x) { return std::isnan(x) ? 0.0 : x; }).maxCoeff() : 0.0;
  std::string out = fmt::format("Linear regressions of {} targets, prior {}, {:.10g} rows, {} columns\n\n", K, to_string(fit.prior), rows,
                                fit.num_columns());
  constexpr Index most = 60;
  const std::vector<Index> shown =
      io::largest(fit.evidence.unaryExpr([](double x) { return std::isnan(x) ? -1e300 : x; }), std::min(K, most));
  std::vector<Line> lines = {{"target", "R^2", "unseen", "noise sd", "effects", "evidence", "explained"}};
  std::size_t width = 6;
  for (const Index k : shown) {
    const auto at = static_cast<std::size_t>(k);
    const TargetStatus status = fit.status[at];
    const double intercept = fit.intercept.size() > 0 ? 1 : 0;
    const double effects = fit.inclusion.size() > 0 ? fit.inclusion.col(k).sum() : fit.effective_parameters[k] - intercept;
    const bool is_fitted = !std::isnan(fit.bound[k]);
    lines.push_back({targets.target_names.empty() ? fmt::format("y{}", k + 1) : io::printable(targets.target_names[at]),
                     number(fit.r_squared[k], "{:.3f}"), number(fit.r_squared_loo[k], "{:.3f}"), number(fit.noise_sd[k], "{:.4g}"),
                     is_fitted ? number(effects, "{:.1f}") : "-", number(fit.evidence[k], "{:.1f}"),
                     !is_fitted || status == TargetStatus::constant ? to_string(status)
                     : explained.selected[at]                       ? "yes"
                                                                    : "no"});
    width = std::max(width, io::width(lines.back().name));
  }
  for (const Line& line : lines) out += line_of(line, width);
  if (K > most) out += fmt::format("  ... {} more, with less evidence; --json lists all\n", K - most);
  out += "\n" + io::labelled("explained", fmt::format("{} of {} targets, at a rate of false discoveries of {:g}", selected, K, fdr));
  out += io::labelled("share", fmt::format("{:.1f}% of the targets, estimated from all of them", 100 * explained.share));
  const auto targets_of = [](auto number) { return fmt::format("{} {}", number, number == 1 ? "target" : "targets"); };
  if (unfitted > 0) out += io::labelled("not fitted", targets_of(unfitted) + ", because of what stands in the last column");
  if (const auto slow = count(TargetStatus::max_sweeps); slow > 0)
    out += io::labelled("not converged", targets_of(slow) + "; --max-sweeps lets them go on");
  for (const std::string& note : fit.notes) out += io::labelled("note", note);
  for (const std::string& warning : fit.warnings) out += io::labelled("WARNING", warning);
  return out;
}

}  // namespace ardvark
