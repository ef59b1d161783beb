#include "json.hpp"

#include <cmath>

namespace ardvark::cli {

Json to_json(const Vector& v) {
  Json list = Json::array();
  for (double x : v) list.push_back(x);
  return list;
}

Json fit_json(const Fit& fit, double level, bool covariance) {
  const Report& report = fit.report;
  Json j;
  j["status"] = to_string(report.status);
  j["message"] = report.message;
  j["task"] = to_string(fit.task);
  j["preset"] = report.preset.empty() ? Json() : Json(report.preset);
  j["compat"] = report.compat;
  j["prior"] = to_string(fit.prior);
  j["target"] = fit.target;
  if (fit.task == Task::logistic) j["classes"] = fit.classes;
  j["sweeps"] = report.sweeps;
  j["bound"] = fit.bound;
  j["bound_history"] = report.bound_history;
  j["columns"] = fit.column_names;
  j["mean"] = to_json(fit.mean);
  j["variance"] = to_json(fit.variance);
  j["sd"] = to_json(fit.variance.cwiseSqrt());
  Json intervals = Json::array(), relevant = Json::array(), left_out = Json::array();
  for (Index i = 0; i < fit.num_columns(); ++i) {
    const Interval interval = credible_interval(fit, i, level);
    intervals.push_back({interval.lower, interval.upper});
    const auto c = static_cast<std::size_t>(i);
    if (fit.relevant[c]) relevant.push_back(fit.column_names[c]);
    if (fit.left_out[c]) left_out.push_back(fit.column_names[c]);
  }
  j["interval_level"] = level;
  j["interval"] = intervals;
  if (fit.intercept) {
    const Interval interval = credible_interval(fit, -1, level);
    j["intercept"] = {{"mean", fit.intercept->mean}, {"variance", fit.intercept->variance}, {"interval", {interval.lower, interval.upper}}};
  }
  j["V_diagonal"] = to_json(fit.V_diagonal);
  j["log_det_V"] = fit.log_det_V;
  j["precision"] = to_json(fit.precision);
  j["group"] = fit.group;
  j["relevance"] = to_json(fit.relevance);
  j["relevant"] = relevant;
  j["left_out"] = left_out;
  j["num_rows"] = fit.num_rows;
  j["effective_parameters"] = fit.effective_parameters;
  if (fit.task == Task::linear) {
    const bool fitted = fit.noise.shape > 0;
    j["noise"] = {{"shape", fit.noise.shape}, {"rate", fit.noise.rate}};
    if (fitted) {
      const Interval sd = noise_sd_interval(fit, level);
      j["noise"]["sd"] = noise_sd(fit);
      j["noise"]["sd_interval"] = {sd.lower, sd.upper};
    }
    j["r_squared"] = fit.r_squared;
  } else {
    j["class_weight"] = {fit.class_weight[0], fit.class_weight[1]};
    j["accuracy"] = fit.accuracy;
    j["log_loss"] = fit.log_loss;
  }
  if (covariance) {
    const Matrix V = fit.covariance();
    Json rows = Json::array();
    for (Index i = 0; i < V.rows(); ++i) rows.push_back(to_json(V.row(i)));
    j["covariance"] = rows;
  }
  j["solver"] = to_string(report.solver);
  j["solver_reason"] = report.solver_reason;
  j["notes"] = report.notes;
  j["warnings"] = report.warnings;
  j["seconds"] = report.seconds;
  return j;
}

}  // namespace ardvark::cli
