#include "json.hpp"

#include <cmath>

namespace ardvark::cli {

Json to_json(const Vector& v) {
  Json list = Json::array();
  for (double x : v) list.push_back(x);
  return list;
}

namespace {

// By name and in the order of the sweeps: who left, and who came back.
Json pruning_json(const Fit& fit) {
  const auto names = [&](const std::vector<Index>& columns) {
    Json list = Json::array();
    for (Index i : columns) list.push_back(i < fit.num_columns() ? fit.column_names[static_cast<std::size_t>(i)] : "(intercept)");
    return list;
  };
  Json events = Json::array();
  for (const PruningEvent& event : fit.report.pruning)
    events.push_back({{"sweep", event.sweep}, {"pruned", names(event.pruned)}, {"readmitted", names(event.readmitted)}});
  return events;
}

// Sweeps, coefficients and noise: what a fit has in common with a machine of relevance vectors.
void add_posterior(Json& j, const Fit& fit, double level) {
  j["sweeps"] = fit.report.sweeps;
  j["bound"] = fit.bound;
  j["bound_history"] = fit.report.bound_history;
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
  j["standardized_mean"] = to_json(fit.standardized_mean);
  j["relevance"] = to_json(fit.relevance);
  j["relevant"] = relevant;
  j["left_out"] = left_out;
  j["pruning"] = pruning_json(fit);
  j["num_rows"] = fit.num_rows;
  j["effective_parameters"] = fit.effective_parameters;
  if (fit.task == Task::linear) {
    j["noise"] = {{"shape", fit.noise.shape}, {"rate", fit.noise.rate}};
    if (fit.noise.shape > 0) {
      const Interval sd = noise_sd_interval(fit, level);
      j["noise"]["sd"] = noise_sd(fit);
      j["noise"]["sd_interval"] = {sd.lower, sd.upper};
    }
  }
}

void add_report(Json& j, const Report& report) {
  j["notes"] = report.notes;
  j["warnings"] = report.warnings;
  j["seconds"] = report.seconds;
}

Json kernel_json(const KernelSpec& spec) {
  Json j = {{"kind", spec.kind}, {"parameters", spec.parameters}};
  for (const KernelSpec& part : spec.parts) j["parts"].push_back(kernel_json(part));
  return j;
}

Json rows_json(const Matrix& m) {
  Json rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i) rows.push_back(to_json(m.row(i)));
  return rows;
}

}  // namespace

Json fit_json(const Fit& fit, double level, bool covariance) {
  const Report& report = fit.report;
  Json j;
  j["status"] = to_string(report.status);
  j["message"] = report.message;
  j["task"] = to_string(fit.task);
  j["preset"] = report.preset.empty() ? Json() : Json(report.preset);
  j["compat"] = report.compat;
  j["prior"] = to_string(fit.prior);
  if (fit.prior == PriorKind::laplace) j["lambda"] = fit.lambda;
  if (fit.task == Task::logistic) j["likelihood"] = to_string(fit.likelihood);
  j["target"] = fit.target;
  if (fit.task == Task::logistic) j["classes"] = fit.classes;
  add_posterior(j, fit, level);
  if (fit.task == Task::linear) {
    j["r_squared"] = fit.r_squared;
  } else {
    j["class_weight"] = {fit.class_weight[0], fit.class_weight[1]};
    j["accuracy"] = fit.accuracy;
    j["log_loss"] = fit.log_loss;
  }
  if (covariance) j["covariance"] = rows_json(fit.covariance());
  j["solver"] = to_string(report.solver);
  j["solver_reason"] = report.solver_reason;
  add_report(j, report);
  return j;
}

Json fit_json(const RelevanceFit& fit, double level) {
  const Report& report = fit.report;
  const KernelSpec spec = fit.kernel.spec();
  Json j;
  j["status"] = to_string(report.status);
  j["message"] = report.message;
  j["model"] = "rvm";
  j["task"] = fit.task == Task::linear ? "regression" : "classification";
  j["target"] = fit.target;
  if (fit.task == Task::logistic) j["classes"] = fit.classes;
  j["kernel"] = fit.kernel.name();
  j["kernel_spec"] = kernel_json(spec);
  j["parameters"] = Json::array();
  for (const double parameter : fit.kernel.log_parameters()) j["parameters"].push_back(std::exp(parameter));
  if (spec.kind == "gaussian" || spec.kind == "laplacian" || spec.kind == "cauchy") {
    if (spec.parameters.size() == 1)
      j["width"] = spec.parameters.front();
    else
      j["widths"] = spec.parameters;
  }
  j["search"] = to_string(fit.search);
  j["algorithm"] = to_string(fit.algorithm);
  j["log_evidence"] = fit.log_evidence;
  if (fit.machines.size() == 1) {
    j["vectors"] = fit.machines.front().vectors;
    add_posterior(j, fit.machines.front().fit, level);
  } else {
    j["bound"] = Json::array();
    j["machines"] = Json::array();
    for (std::size_t k = 0; k < fit.machines.size(); ++k) {
      const RelevanceMachine& machine = fit.machines[k];
      Json& m =
          j["machines"].emplace_back(Json{{"class", fit.classes[k]}, {"log_evidence", machine.log_evidence}, {"vectors", machine.vectors}});
      add_posterior(m, machine.fit, level);
      j["bound"].push_back(machine.fit.bound);
    }
  }
  j["sweeps"] = report.sweeps;
  j["num_vectors"] = fit.num_vectors();
  j["relevance_vectors"] = rows_json(fit.relevance_vectors);
  Json rows = Json::array();
  for (const Index row : fit.relevance_rows) rows.push_back(row < 0 ? Json() : Json(row + 1));
  j["relevance_rows"] = rows;
  j["inputs"] = fit.input_names;
  j["input_center"] = to_json(fit.input_center);
  j["input_scale"] = to_json(fit.input_scale);
  j["trials"] = Json::array();
  for (const KernelTrial& trial : fit.trials)
    j["trials"].push_back({{"parameters", trial.parameters}, {"log_evidence", trial.log_evidence}, {"num_vectors", trial.num_vectors}});
  j["num_rows"] = fit.num_rows;
  if (fit.task == Task::linear) {
    j["r_squared"] = fit.r_squared;
  } else {
    j["accuracy"] = fit.accuracy;
    j["log_loss"] = fit.log_loss;
  }
  add_report(j, report);
  return j;
}

// Coefficients as one list per class, or pair of classes, of one number per column.
Json fit_json(const SoftmaxFit& fit, double level) {
  const Report& report = fit.report;
  Json j;
  j["status"] = to_string(report.status);
  j["message"] = report.message;
  j["task"] = "logistic";
  j["coding"] = to_string(fit.coding);
  j["preset"] = report.preset.empty() ? Json() : Json(report.preset);
  j["compat"] = report.compat;
  j["prior"] = to_string(fit.prior);
  j["target"] = fit.target;
  j["classes"] = fit.classes;
  j["sweeps"] = report.sweeps;
  j["bound"] = fit.bound;
  j["bound_history"] = report.bound_history;
  j["columns"] = fit.column_names;
  j["mean"] = rows_json(fit.mean.transpose());
  j["variance"] = rows_json(fit.variance.transpose());
  j["sd"] = rows_json(fit.variance.cwiseSqrt().transpose());
  j["interval_level"] = level;
  if (fit.intercept.size() > 0) j["intercept"] = {{"mean", to_json(fit.intercept)}, {"variance", to_json(fit.intercept_variance)}};
  j["log_det_V"] = fit.log_det_V;
  j["precision"] = rows_json(fit.precision.transpose());
  j["standardized_mean"] = rows_json(fit.standardized_mean.transpose());
  j["relevance"] = rows_json(fit.relevance.transpose());
  Json relevant = Json::array(), left_out = Json::array(), pruning = Json::array();
  for (std::size_t c = 0; c < fit.column_names.size(); ++c) {
    if (fit.relevant[c]) relevant.push_back(fit.column_names[c]);
    if (fit.left_out[c]) left_out.push_back(fit.column_names[c]);
  }
  const Index q = fit.standardized_mean.rows();
  const auto weights = [&](const std::vector<Index>& list) {
    Json out = Json::array();
    for (const Index i : list) {
      const Index column = i % q;
      out.push_back({column < fit.num_columns() ? fit.column_names[static_cast<std::size_t>(column)] : "(intercept)", i / q});
    }
    return out;
  };
  for (const PruningEvent& event : report.pruning)
    pruning.push_back({{"sweep", event.sweep}, {"pruned", weights(event.pruned)}, {"readmitted", weights(event.readmitted)}});
  j["relevant"] = relevant;
  j["left_out"] = left_out;
  j["pruning"] = pruning;
  j["num_rows"] = fit.num_rows;
  j["class_weight"] = to_json(fit.class_weight);
  j["effective_parameters"] = fit.effective_parameters;
  j["accuracy"] = fit.accuracy;
  j["log_loss"] = fit.log_loss;
  j["solver"] = to_string(report.solver);
  j["solver_reason"] = report.solver_reason;
  add_report(j, report);
  return j;
}

}  // namespace ardvark::cli
