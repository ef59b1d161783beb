#include "model/fields.hpp"

#include <cmath>

#include "io/option_values.hpp"
#include "kernel/kernel_function.hpp"
#include "model/components.hpp"
#include "predict/predictive.hpp"

namespace ardvark::internal {
namespace {

// The names of the columns that left and that came back, in the order of the sweeps. \param name  of a position among the weights
template <typename Name>
Json pruning_json(const Report& report, Name&& name) {
  const auto names = [&](const std::vector<Index>& weights) {
    Json list = Json::array();
    for (const Index i : weights) list.push_back(name(i));
    return list;
  };
  Json events = Json::array();
  for (const PruningEvent& event : report.pruning)
    events.push_back({{"sweep", event.sweep}, {"pruned", names(event.pruned)}, {"readmitted", names(event.readmitted)}});
  return events;
}

Json name_of(const std::vector<std::string>& names, Index i) {
  return i < static_cast<Index>(names.size()) ? names[static_cast<std::size_t>(i)] : "(intercept)";
}

Vector as_vector(const Interval& interval) { return Eigen::Vector2d(interval.lower, interval.upper); }

// Sweeps, coefficients and noise: what a fit and a relevance vector machine have in common.
void visit_posterior(const Fit& fit, double level, Fields& out) {
  out.put("sweeps", Json(fit.report.sweeps));
  out.put("bound", Json(fit.bound));
  out.put("bound_history", fit.report.bound_history);
  if (out.wants("columns")) out.put("columns", Json(fit.column_names));
  out.put("mean", fit.mean);
  out.put("variance", fit.variance);
  if (out.wants("sd")) out.put("sd", Vector(fit.variance.cwiseSqrt()));
  out.put("interval_level", Json(level));
  if (out.wants("interval")) {
    Matrix intervals(fit.num_columns(), 2);
    for (Index i = 0; i < fit.num_columns(); ++i) intervals.row(i) = as_vector(credible_interval(fit, i, level)).transpose();
    out.put_rows("interval", intervals);
  }
  if (fit.intercept && out.wants("intercept")) {
    out.open("intercept");
    out.put("mean", Json(fit.intercept->mean));
    out.put("variance", Json(fit.intercept->variance));
    out.put("interval", as_vector(credible_interval(fit, -1, level)));
    out.close();
  }
  out.put("V_diagonal", fit.V_diagonal);
  out.put("log_det_V", Json(fit.log_det_V));
  if (fit.sparse)  // there are no precisions
    out.put("precision", Json());
  else
    out.put("precision", fit.precision);
  if (fit.precision_history.size() > 0) out.put_rows("precision_history", fit.precision_history);
  out.put("group", fit.group);
  out.put("standardized_mean", fit.standardized_mean);
  out.put("relevance", fit.relevance);
  if (out.wants("direction")) out.put("direction", direction(fit));
  out.put_columns("relevant", fit.relevant, fit.column_names);
  out.put_columns("left_out", fit.left_out, fit.column_names);
  if (out.wants("pruning")) out.put("pruning", pruning_json(fit.report, [&](Index i) { return name_of(fit.column_names, i); }));
  out.put("num_rows", Json(fit.num_rows));
  out.put("effective_parameters", Json(fit.effective_parameters));
  if (fit.task == Task::linear) out.put("posterior", Json(to_string(fit.posterior)));
  if (fit.task == Task::linear && out.wants("noise")) {
    out.open("noise");
    out.put("shape", Json(fit.noise.shape));
    out.put("rate", Json(fit.noise.rate));
    if (fit.noise.shape > 0) {
      out.put("sd", Json(noise_sd(fit)));
      if (out.wants("sd_interval")) out.put("sd_interval", as_vector(noise_sd_interval(fit, level)));
    }
    out.close();
  }
}

// Under a sparse prior: inclusion probabilities of the columns, the result of each start, and credible sets.
void visit_sparse(const SparseResult& sparse, const std::vector<std::string>& names, Fields& out) {
  out.put("inclusion", sparse.inclusion);
  out.put_columns("undecided", sparse.undecided, names);
  out.put("dense_fraction", Json(sparse.dense_fraction));
  if (out.wants("starts")) {
    Json starts = Json::array();
    for (const SparseStart& start : sparse.starts)
      starts.push_back({{"name", start.name},
                        {"status", to_string(start.status)},
                        {"sweeps", start.sweeps},
                        {"bound", std::isfinite(start.bound) ? Json(start.bound) : Json()},
                        {"weight", start.weight},
                        {"inclusion_prior", start.inclusion_prior},
                        {"slab_sd", start.slab_sd},
                        {"dense_sd", start.dense_sd},
                        {"noise_sd", start.noise_sd},
                        {"dense_fraction", start.dense_fraction}});
    out.put("starts", std::move(starts));
  }
  if (out.wants("credible_sets")) {
    Json sets = Json::array();
    for (const CredibleSet& set : sparse.sets)
      sets.push_back({{"columns", set.columns}, {"probability", set.probability}, {"inclusion", set.inclusion}});
    out.put("credible_sets", std::move(sets));
  }
}

// Only if asked for by name.
void visit_components(const Fit& fit, Fields& out) {
  if (!out.wants("components")) return;
  Index k = 0;
  for (const NormalComponent& component : components_of(fit)) {
    out.open("components", k++);
    out.put("weight", Json(component.weight));
    out.put("mean", component.mean);
    out.put_rows("covariance", component.covariance);
    out.close();
  }
}

void visit_report(const Report& report, Fields& out) {
  out.put("notes", Json(report.notes));
  out.put("warnings", Json(report.warnings));
  out.put("seconds", Json(report.seconds));
}

void visit_status(const Report& report, Fields& out) {
  out.put("status", Json(to_string(report.status)));
  out.put("message", Json(report.message));
}

void visit_preset(const Report& report, Fields& out) {
  out.put("preset", report.preset.empty() ? Json() : Json(report.preset));
  out.put("compat", Json(report.compat));
}

void visit_solver(const Report& report, Fields& out) {
  out.put("solver", Json(to_string(report.solver)));
  out.put("solver_reason", Json(report.solver_reason));
}

Json kernel_json(const KernelSpec& spec) {
  Json j = {{"kind", spec.kind}, {"parameters", spec.parameters}};
  if (spec.parts.empty()) return j;
  Json& parts = j["parts"];
  for (const KernelSpec& part : spec.parts) parts.push_back(kernel_json(part));
  return j;
}

// Of an object that is open; closes it.
void visit(const LambdaChoice& choice, Fields& out) {
  out.put("lambda_min", Json(choice.smallest_loss));
  out.put("lambda_1se", Json(choice.one_standard_error));
  out.put("lambda", choice.lambda);
  out.put("loss", choice.loss);
  out.put("loss_error", choice.loss_error);
  out.put("num_nonzero", choice.num_nonzero);
  out.put("folds", Json(choice.folds));
  if (choice.mean.size() > 0 && out.wants("mean")) out.put_rows("mean", choice.mean.transpose());
  if (choice.intercept.size() > 0) out.put("intercept", choice.intercept);
  out.close();
}

void visit(const Fit& fit, double level, Fields& out) {
  visit_status(fit.report, out);
  out.put("task", Json(to_string(fit.task)));
  visit_preset(fit.report, out);
  out.put("prior", Json(to_string(fit.prior)));
  if (fit.prior == PriorKind::laplace) out.put("lambda", Json(fit.lambda));
  if (fit.lambda_choice) {
    out.open("lambda_path");
    visit(*fit.lambda_choice, out);
  }
  if (fit.task == Task::logistic) out.put("likelihood", Json(to_string(fit.likelihood)));
  out.put("target", Json(fit.target));
  if (fit.task == Task::logistic) out.put("classes", Json(fit.classes));
  visit_posterior(fit, level, out);
  if (fit.task == Task::logistic && out.wants("odds_ratio")) out.put("odds_ratio", Vector(fit.mean.array().exp()));
  if (fit.sparse) {
    visit_sparse(*fit.sparse, fit.column_names, out);
    visit_components(fit, out);
  }
  out.put("bound_comparable", Json(bound_scope(fit) == BoundScope::any_prior));
  if (fit.task == Task::linear) {
    out.put("r_squared", Json(fit.r_squared));
  } else {
    out.put("class_weight", VectorView(fit.class_weight, 2));
    out.put("accuracy", Json(fit.accuracy));
    out.put("log_loss", Json(fit.log_loss));
  }
  if (out.wants("covariance")) out.put_rows("covariance", fit.covariance());
  if (out.wants("V")) out.put_rows("V", fit.V());
  visit_solver(fit.report, out);
  visit_report(fit.report, out);
}

void visit(const RelevanceFit& fit, double level, Fields& out) {
  const KernelSpec spec = fit.kernel.spec();
  visit_status(fit.report, out);
  out.put("model", Json("rvm"));
  out.put("task", Json(fit.task == Task::linear ? "regression" : "classification"));
  out.put("target", Json(fit.target));
  if (fit.task == Task::logistic) out.put("classes", Json(fit.classes));
  out.put("kernel", Json(fit.kernel.name()));
  if (out.wants("kernel_spec")) out.put("kernel_spec", kernel_json(spec));
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
  if (fit.task == Task::linear) {
    out.put("r_squared", Json(fit.r_squared));
  } else {
    out.put("accuracy", Json(fit.accuracy));
    out.put("log_loss", Json(fit.log_loss));
  }
  visit_report(fit.report, out);
}

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

void visit(const KernelFit& fit, double level, Fields& out) {
  visit_status(fit.report, out);
  out.put("model", Json("kernel"));
  out.put("task", Json(fit.task == Task::linear ? "regression" : "classification"));
  out.put("target", Json(fit.target));
  if (fit.task == Task::logistic) out.put("classes", Json(fit.classes));
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
  if (fit.task == Task::linear) {
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

// Under a Laplace prior: of each class or pair of classes.
Vector lambdas_of(const SoftmaxFit& fit) {
  Vector lambda(static_cast<Index>(fit.machines.size()));
  for (Index m = 0; m < lambda.size(); ++m) lambda[m] = fit.machines[static_cast<std::size_t>(m)].lambda;
  return lambda;
}

// Coefficients: for each class or pair of classes, a list with one number per column.
void visit(const SoftmaxFit& fit, double level, Fields& out) {
  visit_status(fit.report, out);
  out.put("task", Json("logistic"));
  out.put("coding", Json(to_string(fit.coding)));
  visit_preset(fit.report, out);
  out.put("prior", Json(to_string(fit.prior)));
  if (fit.prior == PriorKind::laplace) {
    const Vector lambda = lambdas_of(fit);
    if (lambda.minCoeff() == lambda.maxCoeff())
      out.put("lambda", Json(lambda[0]));
    else
      out.put("lambda", lambda);
  }
  for (std::size_t m = 0; m < fit.machines.size() && fit.machines[m].lambda_choice; ++m) {
    out.open("lambda_path", static_cast<Index>(m));
    visit(*fit.machines[m].lambda_choice, out);
  }
  out.put("target", Json(fit.target));
  out.put("classes", Json(fit.classes));
  out.put("sweeps", Json(fit.report.sweeps));
  out.put("bound", Json(fit.bound));
  out.put("bound_history", fit.report.bound_history);
  if (out.wants("columns")) out.put("columns", Json(fit.column_names));
  const auto put_lists = [&](const char* name, const Matrix& m) {
    if (out.wants(name)) out.put_rows(name, m.transpose());
  };
  put_lists("mean", fit.mean);
  put_lists("variance", fit.variance);
  if (out.wants("sd")) put_lists("sd", fit.variance.cwiseSqrt());
  out.put("interval_level", Json(level));
  if (fit.intercept.size() > 0 && out.wants("intercept")) {
    out.open("intercept");
    out.put("mean", fit.intercept);
    out.put("variance", fit.intercept_variance);
    out.close();
  }
  if (out.wants("covariance")) out.put_rows("covariance", fit.covariance());
  out.put("log_det_V", Json(fit.log_det_V));
  put_lists("precision", fit.precision);
  if (fit.precision_history.size() > 0) out.put_rows("precision_history", fit.precision_history);
  put_lists("standardized_mean", fit.standardized_mean);
  put_lists("relevance", fit.relevance);
  if (out.wants("direction")) put_lists("direction", direction(fit));
  out.put_columns("relevant", fit.relevant, fit.column_names);
  out.put_columns("left_out", fit.left_out, fit.column_names);
  const Index q = fit.standardized_mean.rows();
  if (out.wants("pruning"))
    out.put("pruning", pruning_json(fit.report, [&](Index i) { return Json::array({name_of(fit.column_names, i % q), i / q}); }));
  out.put("num_rows", Json(fit.num_rows));
  out.put("bound_comparable", Json(bound_scope(fit) == BoundScope::any_prior));
  out.put("class_weight", fit.class_weight);
  out.put("effective_parameters", Json(fit.effective_parameters));
  out.put("accuracy", Json(fit.accuracy));
  out.put("log_loss", Json(fit.log_loss));
  visit_solver(fit.report, out);
  visit_report(fit.report, out);
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

struct VisitPrediction {
  double level;
  Fields& out;

  template <typename Regression>
  void distribution(const Regression& p) const {
    out.put("mean", p.mean);
    if (out.wants("sd")) out.put("sd", p.standard_deviation());
    if (!out.wants("lower") && !out.wants("upper")) return;
    const auto [lower, upper] = interval_of(p, level);
    out.put("lower", lower);
    out.put("upper", upper);
  }
  void operator()(const StudentPrediction& p) const {
    distribution(p);
    out.put("scale", p.scale);
    out.put("degrees_of_freedom", Json(p.degrees_of_freedom));
  }
  void operator()(const NoiseMixturePrediction& p) const {
    distribution(p);
    out.put("variance_of_mean", p.variance_of_mean);
  }
  void operator()(const TMixturePrediction& p) const {
    distribution(p);
    out.put("scale", Json());  // a mixture has none
    out.put("degrees_of_freedom", Json());
  }
  void operator()(const ClassPrediction& p) const {
    if (out.wants("probability")) {
      Matrix both(p.probability.size(), 2);
      both.col(1) = p.probability;
      both.col(0) = 1 - p.probability.array();
      out.put_rows("probability", both);
    }
    if (out.wants("most_probable")) out.put("most_probable", p.most_probable());
    out.put("mean", p.mean);
    out.put("variance", p.variance);
  }
  void operator()(const ClassProbabilities& p) const {
    out.put_rows("probability", p.probability);
    out.put("most_probable", p.most_probable);
  }
};

}  // namespace

namespace {

// Of each text column its name, its levels, and the level that the others are compared with (null: a kernel compares all).
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

}  // namespace

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
  if (!model.diagnosis) return;
  out.put("khat", Json(model.diagnosis->khat));
  out.put("khat_given_precisions", Json(model.diagnosis->khat_given_precisions));
  out.put("khat_threshold", Json(model.diagnosis->threshold));
  out.put("khat_effective_share", Json(model.diagnosis->effective_share));
  if (out.wants("log_ratios")) out.put("log_ratios", model.diagnosis->log_ratios);
}

void visit(const Prediction& prediction, const std::vector<std::string>& classes, double level, Fields& out) {
  if (!classes.empty()) out.put("classes", Json(classes));
  std::visit(VisitPrediction{level, out}, prediction);
}

JointResult joint_result(const SavedModel& model, MatrixView X_new, Index num_draws, const ModelOptions& options) {
  JointResult out;
  if (classes_of(model).size() > 2) out.classes = classes_of(model);
  if (num_draws > 0)
    out.draws = draw(model, X_new, num_draws, options);
  else
    out.predictions = predict_joint(model, X_new, options);
  return out;
}

void visit(const JointResult& joint, Fields& out) {
  const auto one = [&](std::size_t k) {
    if (!joint.draws.empty()) {
      out.put_rows("draws", joint.draws[k]);
    } else {
      out.put("mean", joint.predictions[k].mean);
      out.put_rows("covariance", joint.predictions[k].covariance);
    }
  };
  if (joint.classes.empty()) return one(0);
  for (std::size_t k = 0; out.wants("machines") && k < joint.classes.size(); ++k) {
    out.open("machines", static_cast<Index>(k));
    out.put("class", Json(joint.classes[k]));
    one(k);
    out.close();
  }
}

void visit(const SelectionCounts& counts, const ModelOptions& options, Fields& out) {
  out.put("status", Json(to_string(counts.status)));
  out.put("message", Json(counts.message));
  out.put("model", options.preset.empty() ? Json(options.model) : Json());
  out.put("preset", options.preset.empty() ? Json() : Json(options.preset));
  out.put("compat", Json(options.compat));
  out.put("target", Json(counts.target));
  if (counts.task != Task::linear) {
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
  const char* const accuracy = counts.task == Task::linear ? "r_squared" : "accuracy";
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
  out.put("num_nonzero", path.num_nonzero);
  out.put("classes", Json(path.classes));
  Json status = Json::array();
  for (const Report& report : path.reports) status.push_back(to_string(report.status));
  out.put("status", std::move(status));
  out.put("notes", Json(path.notes));
  out.put("seconds", Json(path.seconds));
}

void visit(const LinearStatistics& statistics, Fields& out) {
  out.put("form", Json(to_string(statistics.form())));
  out.put("num_rows", Json(statistics.num_rows()));
  out.put("weight", Json(statistics.weight()));
  out.put("target", Json(statistics.target()));
  out.put("columns", Json(statistics.column_names()));
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
    if (comparison.task == Task::linear)
      out.put("noise_sd", Json(model.noise_sd));
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
  Json list = Json::array();
  for (const Index row : rows) list.push_back(row < 0 ? Json() : Json(row + 1));
  put(name, std::move(list));
}

void JsonFields::put_columns(const char* name, const std::vector<bool>& columns, const std::vector<std::string>& names) {
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

std::string to_json(const SavedModel& model, double level, bool covariance) {
  JsonFields fields(covariance);
  visit(model, level, fields);
  return fields.json().dump();
}

std::string to_json(const LinearStatistics& statistics) {
  JsonFields fields(false);
  visit(statistics, fields);
  return fields.json().dump();
}

std::string to_json(const Comparison& comparison) {
  JsonFields fields(false);
  visit(comparison, fields);
  return fields.json().dump();
}

std::string to_json(const SelectionCounts& counts, const ModelOptions& options) {
  JsonFields fields(false);
  visit(counts, options, fields);
  return fields.json().dump();
}

}  // namespace ardvark
