// The fields of kernel machines by name.
#include <cmath>

#include "io/fit_record.hpp"
#include "kernel/kernel_function.hpp"
#include "model/fields.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

void visit(const KernelProcess& process, double level, Fields& out) {
  out.put("log_evidence", Json(process.log_evidence));
  if (std::isfinite(process.divergence)) {  // not with centres
    out.put("divergence", Json(process.divergence));
    out.put("largest_change", Json(process.largest_change));
  }
  if (!out.wants("hypotheses")) return;
  Json list = Json::array();
  for (const KernelHypothesis& one : process.hypotheses) {
    Json intervals = Json::array();
    for (const Interval& interval : width_intervals(one, level))
      intervals.push_back(Json::array({Json(interval.lower), Json(interval.upper)}));
    list.push_back({{"kernel", one.kernel.spec().kind},
                    {"width", one.each ? "each" : "shared"},
                    {"widths", one.widths},
                    {"interval", intervals},
                    {"signal", one.signal},
                    {"linear_share", one.linear_share},
                    {"weight", one.weight},
                    {"log_evidence", one.log_evidence}});
  }
  out.put("hypotheses", std::move(list));
}

}  // namespace

void visit(const RelevanceFit& fit, double level, Fields& out) {
  const KernelSpec spec = fit.kernel.spec();
  visit_status(fit.report, out);
  out.put("model", Json("rvm"));
  out.put("task", Json(facts_of(fit.task).machine));
  out.put("target", Json(fit.target));
  if (has_classes(fit.task)) out.put("classes", Json(fit.classes));
  out.put("kernel", Json(fit.kernel.name()));
  if (out.wants("kernel_spec")) out.put("kernel_spec", io::to_json(spec));
  std::vector<double> parameters = fit.kernel.log_parameters();
  for (double& parameter : parameters) parameter = std::exp(parameter);
  out.put("parameters", parameters);
  if (is_distance_kernel(spec.kind)) {
    if (spec.parameters.size() == 1)
      out.put("width", Json(spec.parameters.front()));
    else
      out.put("widths", spec.parameters);
  }
  out.put("search", Json(to_string(fit.search)));
  out.put("algorithm", Json(to_string(fit.algorithm)));
  out.put("bands", Json(to_string(fit.bands)));
  out.put("log_evidence", Json(fit.log_evidence));
  if (fit.machines.size() == 1) {
    out.put("vectors", fit.machines.front().vectors);
    if (fit.machines.front().candidate_mean.size() > 0) out.put("candidate_mean", fit.machines.front().candidate_mean);
    if (fit.machines.front().candidate_probability.size() > 0)
      out.put_rows("candidate_probability", fit.machines.front().candidate_probability);
    visit_posterior(fit.machines.front().fit, level, out);
    if (out.wants("covariance")) out.put_rows("covariance", fit.machines.front().fit.covariance());
  } else {
    std::vector<double> bounds;
    for (const RelevanceMachine& machine : fit.machines) bounds.push_back(machine.fit.bound);
    out.put("bound", bounds);
    if (fit.machines.empty()) out.put("machines", Json::array());
    for (std::size_t k = 0; out.wants("machines") && k < fit.machines.size(); ++k) {
      const RelevanceMachine& machine = fit.machines[k];
      out.open("machines", static_cast<Index>(k));
      out.put("class", Json(fit.classes[k]));
      out.put("log_evidence", Json(machine.log_evidence));
      out.put("vectors", machine.vectors);
      visit_posterior(machine.fit, level, out);
      if (out.wants("covariance")) out.put_rows("covariance", machine.fit.covariance());
      out.close();
    }
  }
  out.put("sweeps", Json(fit.report.sweeps));
  out.put("num_vectors", Json(fit.num_vectors()));
  out.put_rows("relevance_vectors", fit.relevance_vectors);
  out.put_table_rows("relevance_rows", fit.relevance_rows);
  out.put("bound_comparable", Json(true));
  if (out.wants("inputs")) out.put("inputs", Json(fit.input_names));
  out.put("input_center", fit.input_center);
  out.put("input_scale", fit.input_scale);
  if (out.wants("trials")) {
    Json trials = Json::array();
    for (const KernelTrial& trial : fit.trials)
      trials.push_back({{"parameters", trial.parameters}, {"log_evidence", trial.log_evidence}, {"num_vectors", trial.num_vectors}});
    out.put("trials", std::move(trials));
  }
  out.put("num_rows", Json(fit.num_rows));
  if (has_noise(fit.task)) {
    out.put("r_squared", Json(fit.r_squared));
  } else {
    out.put("accuracy", Json(fit.accuracy));
    out.put("log_loss", Json(fit.log_loss));
  }
  visit_report(fit.report, out);
}

void visit(const KernelFit& fit, double level, Fields& out) {
  visit_status(fit.report, out);
  out.put("model", Json("kernel"));
  out.put("task", Json(facts_of(fit.task).machine));
  out.put("target", Json(fit.target));
  if (has_classes(fit.task)) out.put("classes", Json(fit.classes));
  if (fit.processes.size() == 1) {
    visit(fit.processes.front(), level, out);
  } else {
    for (std::size_t k = 0; out.wants("machines") && k < fit.processes.size(); ++k) {
      out.open("machines", static_cast<Index>(k));
      out.put("class", Json(fit.classes[k]));
      visit(fit.processes[k], level, out);
      out.close();
    }
  }
  out.put("interval_level", Json(level));
  out.put("log_evidence", Json(fit.log_evidence));
  out.put("sweeps", Json(fit.report.sweeps));
  out.put("bound", Json(fit.report.bound));
  out.put("num_vectors", Json(fit.num_vectors()));
  out.put_rows("relevance_vectors", fit.relevance_vectors);
  out.put_table_rows("relevance_rows", fit.relevance_rows);
  if (out.wants("inputs")) out.put("inputs", Json(fit.input_names));
  out.put("input_center", fit.input_center);
  out.put("input_scale", fit.input_scale);
  if (fit.variance_share.size() > 0) out.put("variance_share", fit.variance_share);
  out.put("num_rows", Json(fit.num_rows));
  if (has_noise(fit.task)) {
    out.put("noise_sd", Json(fit.noise_sd));
    out.put("signal_sd", Json(fit.signal_sd));
    out.put("degrees_of_freedom", Json(fit.degrees_of_freedom));
    out.put("r_squared", Json(fit.r_squared));
  } else {
    out.put("accuracy", Json(fit.accuracy));
    out.put("log_loss", Json(fit.log_loss));
    if (fit.processes.size() > 1) out.put("odds_power", Json(fit.odds_power));
  }
  visit_report(fit.report, out);
}

}  // namespace ardvark::internal
