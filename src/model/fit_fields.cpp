// The fields of regressions and classifications by name.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/refusals.hpp"
#include "model/components.hpp"
#include "model/fields.hpp"
#include "model/listed_columns.hpp"
#include "result/intervals.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// The names of the columns that left and that came back, in the order of the sweeps. \param is_listed, name  of a position among the
// weights
Json pruning_json(const Report& report, auto&& is_listed, auto&& name) {
  const auto names = [&](const std::vector<Index>& weights) {
    Json list = Json::array();
    for (const Index i : weights)
      if (is_listed(i)) list.push_back(name(i));
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

// Under a sparse prior: inclusion probabilities of the columns, the result of each start, and credible sets.
void visit_sparse(const SparseResult& sparse, const ListedColumns& columns, const std::vector<std::string>& names, Fields& out) {
  if (out.wants("inclusion")) out.put("inclusion", columns.of(sparse.inclusion));
  if (out.wants("undecided")) out.put_columns("undecided", columns.of(sparse.undecided), names);
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

// A matrix of all weights.
void require_small(const char* name, Index num_weights) {
  constexpr Index most = 10'000;  // 800 MB
  if (num_weights <= most) return;
  const auto size = static_cast<double>(num_weights);
  throw InvalidArgument(fmt::format(
      "{} of all {} weights has {:.3g} numbers ({:.3g} GB); of more than {} weights it is not made; in C, C++ and Python you can "
      "ask for the covariance of some columns, and for draws",
      name, num_weights, size * size, 8e-9 * size * size, most));
}

Index num_weights(const Fit& fit) { return fit.num_columns() + (fit.intercept ? 1 : 0); }

// Only if asked for by name.
void visit_components(const Fit& fit, Fields& out) {
  if (!out.wants("components")) return;
  require_small("the covariance", num_weights(fit));
  Index k = 0;
  for (const NormalComponent& component : components_of(fit)) {
    out.open("components", k++);
    out.put("weight", Json(component.weight));
    out.put("mean", component.mean);
    out.put_rows("covariance", component.covariance);
    out.close();
  }
}

void visit_preset(const Report& report, Fields& out) {
  out.put("preset", report.preset.empty() ? Json() : Json(report.preset));
  out.put("compat", Json(report.compat));
}

void visit_solver(const Report& report, Fields& out) {
  out.put("solver", Json(to_string(report.solver)));
  out.put("solver_reason", Json(report.solver_reason));
  if (!report.sampled) return;
  out.open("sampled");
  out.put("draws", Json(report.sampled->draws));
  out.put("sd_error", Json(report.sampled->sd_error));
  out.put("bound_error", Json(report.sampled->bound_error));
  out.put("precision_error", Json(report.sampled->precision_error));
  out.close();
}

// Of an object that is open; closes it.
void visit(const LambdaChoice& choice, const ListedColumns& columns, Fields& out) {
  out.put("lambda_min", Json(choice.smallest_loss));
  out.put("lambda_1se", Json(choice.one_standard_error));
  out.put("lambda", choice.lambda);
  out.put("loss", choice.loss);
  out.put("loss_error", choice.loss_error);
  out.put("num_nonzero", choice.num_nonzero);
  out.put("folds", Json(choice.folds));
  if (choice.mean.size() > 0 && out.wants("mean")) out.put_rows("mean", columns.rows_of(choice.mean).transpose());
  if (choice.intercept.size() > 0) out.put("intercept", choice.intercept);
  out.close();
}

// Under a Laplace prior: of each class or pair of classes.
Vector lambdas_of(const SoftmaxFit& fit) {
  Vector lambda(static_cast<Index>(fit.machines.size()));
  for (Index m = 0; m < lambda.size(); ++m) lambda[m] = fit.machines[static_cast<std::size_t>(m)].lambda;
  return lambda;
}

void visit_shown(const ListedColumns& columns, Fields& out) {
  if (columns.are_all()) return;
  out.put("num_columns", Json(columns.num_columns()));
  out.put("shown_columns", columns.positions());
}

// The precision of each group, and the group of each column.
void visit_groups(const Fit& fit, const ListedColumns& columns, Fields& out) {
  const auto [group, used] = columns.are_all() ? std::pair(fit.group, std::vector<Index>()) : listed_groups(columns, fit.group);
  const auto of_groups = [&, &used = used](const Matrix& m) -> Matrix {
    if (columns.are_all() || used.empty() || used.back() >= m.rows()) return m;
    return m(used, Eigen::all);
  };
  if (fit.sparse)  // there are no precisions
    out.put("precision", Json());
  else if (out.wants("precision"))
    out.put("precision", Vector(of_groups(fit.precision)));
  if (fit.precision_history.size() > 0 && out.wants("precision_history"))
    out.put_rows("precision_history", of_groups(fit.precision_history));
  out.put("group", group);
}

}  // namespace

void visit_posterior(const Fit& fit, double level, Fields& out) {
  const ListedColumns columns(fit, out.lists_all_columns());
  const auto put = [&](const char* name, const Vector& v) {
    if (out.wants(name)) out.put(name, columns.of(v));
  };
  out.put("sweeps", Json(fit.report.sweeps));
  out.put("bound", Json(fit.bound));
  out.put("bound_history", fit.report.bound_history);
  visit_shown(columns, out);
  if (out.wants("columns")) out.put("columns", Json(columns.of(fit.column_names)));
  put("mean", fit.mean);
  put("variance", fit.variance);
  if (out.wants("sd")) out.put("sd", Vector(columns.of(fit.variance).cwiseSqrt()));
  out.put("interval_level", Json(level));
  if (out.wants("interval")) {
    std::vector<Index> listed = columns.positions();
    if (columns.are_all()) {
      listed.resize(static_cast<std::size_t>(fit.num_columns()));
      std::iota(listed.begin(), listed.end(), Index{0});
    }
    out.put_rows("interval", credible_intervals(fit, listed, level));
  }
  if (fit.intercept && out.wants("intercept")) {
    out.open("intercept");
    out.put("mean", Json(fit.intercept->mean));
    out.put("variance", Json(fit.intercept->variance));
    out.put("interval", as_vector(credible_interval(fit, -1, level)));
    out.close();
  }
  put("V_diagonal", fit.V_diagonal);
  out.put("log_det_V", Json(fit.log_det_V));
  visit_groups(fit, columns, out);
  put("standardized_mean", fit.standardized_mean);
  put("relevance", fit.relevance);
  if (out.wants("direction")) out.put("direction", columns.of(direction(fit)));
  if (out.wants("relevant")) out.put_columns("relevant", columns.of(fit.relevant), fit.column_names);
  if (out.wants("left_out")) out.put_columns("left_out", columns.of(fit.left_out), fit.column_names);
  if (out.wants("pruning"))
    out.put("pruning", pruning_json(
                           fit.report, [&](Index i) { return columns.lists(i); }, [&](Index i) { return name_of(fit.column_names, i); }));
  out.put("num_rows", Json(fit.num_rows));
  out.put("effective_parameters", Json(fit.effective_parameters));
  if (has_noise(fit.task)) {
    out.put("posterior", Json(to_string(fit.posterior)));
    out.put("degrees_of_freedom", Json(fit.degrees_of_freedom()));  // null if infinite: normal distributions
  }
  if (has_noise(fit.task) && out.wants("noise")) {
    out.open("noise");
    out.put("shape", Json(fit.noise.shape));
    out.put("rate", Json(fit.noise.rate));
    if (fit.noise.shape > 0) {
      out.put("sd", Json(noise_sd(fit)));
      if (out.wants("sd_interval")) out.put("sd_interval", as_vector(noise_sd_interval(fit, level)));
    }
    out.put("family", Json(to_string(fit.family.family)));
    if (fit.family.family == Family::student) {
      out.put("degrees_of_freedom", Json(fit.family.degrees_of_freedom));
      if (out.wants("degrees_of_freedom_interval")) out.put("degrees_of_freedom_interval", as_vector(family_interval(fit, level)));
    }
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

void visit(const WeightDraws& draws, Fields& out) {
  out.put_rows("coef", draws.coef);
  if (draws.intercept.size() > 0) out.put("intercept", draws.intercept);
  if (draws.noise_precision.size() > 0) out.put("noise_precision", draws.noise_precision);
}

void visit(const Fit& fit, double level, Fields& out) {
  const ListedColumns columns(fit, out.lists_all_columns());
  visit_status(fit.report, out);
  out.put("task", Json(to_string(fit.task)));
  visit_preset(fit.report, out);
  out.put("prior", Json(to_string(fit.prior)));
  if (fit.prior == PriorKind::laplace) out.put("lambda", Json(fit.lambda));
  if (fit.lambda_choice) {
    out.open("lambda_path");
    visit(*fit.lambda_choice, columns, out);
  }
  if (has_classes(fit.task)) out.put("likelihood", Json(to_string(fit.likelihood)));
  out.put("target", Json(fit.target));
  if (has_classes(fit.task)) out.put("classes", Json(fit.classes));
  visit_posterior(fit, level, out);
  if (has_classes(fit.task) && out.wants("odds_ratio")) out.put("odds_ratio", Vector(columns.of(fit.mean).array().exp()));
  if (is_count(fit.task) && out.wants("rate_ratio")) out.put("rate_ratio", Vector(columns.of(fit.mean).array().exp()));
  if (fit.sparse) {
    visit_sparse(*fit.sparse, columns, fit.column_names, out);
    visit_components(fit, out);
  }
  out.put("bound_comparable", Json(bound_scope(fit) == BoundScope::any_prior));
  if (fit.family.other) {
    out.put("other_family", Json(to_string(*fit.family.other)));
    out.put("preferred_by", Json(fit.family.preferred_by));
  }
  if (fit.family.family == Family::student) out.put("row_weight", fit.family.row_weight);
  if (has_noise(fit.task)) {
    out.put("r_squared", Json(fit.r_squared));
  } else if (is_count(fit.task)) {
    if (fit.exposure) out.put("exposure", Json(name_of(fit.column_names, *fit.exposure)));
    out.put("family", Json(to_string(fit.family.family)));
    if (fit.family.family == Family::negative_binomial) {
      out.put("dispersion", Json(fit.family.dispersion));
      if (out.wants("dispersion_interval")) out.put("dispersion_interval", as_vector(family_interval(fit, level)));
    }
    if (fit.offset_column) out.put("offset_column", Json(name_of(fit.column_names, *fit.offset_column)));
    if (fit.has_row_offset) out.put("has_row_offset", Json(true));
    out.put("deviance", Json(fit.deviance));
    out.put("deviance_explained", Json(fit.deviance_explained));
  } else {
    out.put("class_weight", VectorView(fit.class_weight, 2));
    out.put("accuracy", Json(fit.accuracy));
    out.put("log_loss", Json(fit.log_loss));
  }
  if (out.wants("covariance")) require_small("the covariance", num_weights(fit)), out.put_rows("covariance", fit.covariance());
  if (out.wants("V")) require_small("V", num_weights(fit)), out.put_rows("V", fit.V());
  visit_solver(fit.report, out);
  visit_report(fit.report, out);
}

// Coefficients: for each class or pair of classes, a list with one number per column.
void visit(const SoftmaxFit& fit, double level, Fields& out) {
  const ListedColumns columns(fit, out.lists_all_columns());
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
    visit(*fit.machines[m].lambda_choice, columns, out);
  }
  out.put("target", Json(fit.target));
  out.put("classes", Json(fit.classes));
  out.put("sweeps", Json(fit.report.sweeps));
  out.put("bound", Json(fit.bound));
  out.put("bound_history", fit.report.bound_history);
  visit_shown(columns, out);
  if (out.wants("columns")) out.put("columns", Json(columns.of(fit.column_names)));
  const auto put_lists = [&](const char* name, const Matrix& m) {
    if (out.wants(name)) out.put_rows(name, columns.rows_of(m).transpose());
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
  if (out.wants("covariance")) {
    require_small("the covariance", fit.standardized_mean.size());
    out.put_rows("covariance", fit.covariance());
  }
  out.put("log_det_V", Json(fit.log_det_V));
  put_lists("precision", fit.precision);
  if (fit.precision_history.size() > 0) out.put_rows("precision_history", fit.precision_history);
  put_lists("standardized_mean", fit.standardized_mean);
  put_lists("relevance", fit.relevance);
  if (out.wants("direction")) put_lists("direction", direction(fit));
  if (out.wants("relevant")) out.put_columns("relevant", columns.of(fit.relevant), fit.column_names);
  if (out.wants("left_out")) out.put_columns("left_out", columns.of(fit.left_out), fit.column_names);
  const Index q = fit.standardized_mean.rows();
  if (out.wants("pruning"))
    out.put("pruning", pruning_json(
                           fit.report, [&](Index i) { return columns.lists(i % q); },
                           [&](Index i) {
                             return Json::array({name_of(fit.column_names, i % q), i / q});
                           }));
  out.put("num_rows", Json(fit.num_rows));
  out.put("bound_comparable", Json(bound_scope(fit) == BoundScope::any_prior));
  out.put("class_weight", fit.class_weight);
  out.put("effective_parameters", Json(fit.effective_parameters));
  out.put("accuracy", Json(fit.accuracy));
  out.put("log_loss", Json(fit.log_loss));
  visit_solver(fit.report, out);
  visit_report(fit.report, out);
}

}  // namespace ardvark::internal
