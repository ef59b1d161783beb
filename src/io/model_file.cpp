#include "ardvark/model_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/state.hpp"
#include "io/safetensors.hpp"

namespace ardvark {
namespace {

using nlohmann::json;
constexpr const char* format_name = "ardvark-model";
constexpr int format_version = 1;

// Every enum goes into the file by name.
template <typename Enum>
Enum from_name(const std::string& name, std::initializer_list<Enum> values, const std::string& path) {
  for (Enum value : values)
    if (name == to_string(value)) return value;
  throw InvalidArgument(fmt::format("'{}' is not an ardvark model file: '{}' is unknown to this program", path, name));
}

json describe(const Fit& fit, const FeatureEncoding& encoding) {
  const detail::FitState& state = *fit.state;
  json features = json::array();
  for (const FeatureColumn& f : encoding.features) {  // a name alone is a numeric column: most tables have nothing else, and some have many
    if (f.categorical)
      features.push_back({{"name", f.name}, {"levels", f.levels}});
    else
      features.push_back(f.name);
  }
  return {
      {"task", to_string(fit.task)},
      {"prior", to_string(fit.prior)},
      {"posterior", to_string(fit.posterior)},
      {"target", fit.target},
      {"classes", fit.classes},
      {"features", features},
      {"group", fit.group},
      {"relevant", fit.relevant},
      {"left_out", fit.left_out},
      {"intercept", state.standardization.intercept},
      {"covariance", static_cast<int>(state.factor.kind)},
      {"flat_columns", state.factor.flat_columns},
      {"report",
       {{"status", to_string(fit.report.status)},
        {"message", fit.report.message},
        {"sweeps", fit.report.sweeps},
        {"solver", to_string(fit.report.solver)},
        {"solver_reason", fit.report.solver_reason},
        {"preset", fit.report.preset},
        {"compat", fit.report.compat},
        {"notes", fit.report.notes},
        {"warnings", fit.report.warnings},
        {"seconds", fit.report.seconds}}},
  };
}

// Scalars travel as doubles beside the arrays: JSON has no infinity.
Vector scalars(const Fit& fit) {
  const detail::FitState& s = *fit.state;
  const Intercept intercept = fit.intercept.value_or(Intercept{});
  Vector v(16);
  v << fit.log_det_V, fit.bound, fit.noise.shape, fit.noise.rate, fit.num_rows, fit.effective_parameters, fit.r_squared, fit.accuracy,
      fit.log_loss, fit.class_weight[0], fit.class_weight[1], intercept.mean, intercept.variance, s.y_center, s.y_scale, s.quadratic;
  return v;
}

void set_scalars(const Vector& v, Fit& fit, detail::FitState& s) {
  fit.log_det_V = v[0];
  fit.bound = fit.report.bound = v[1];
  fit.noise = {v[2], v[3]};
  fit.num_rows = v[4];
  fit.effective_parameters = v[5];
  fit.r_squared = v[6];
  fit.accuracy = v[7];
  fit.log_loss = v[8];
  fit.class_weight[0] = v[9];
  fit.class_weight[1] = v[10];
  if (s.standardization.intercept) fit.intercept = Intercept{v[11], v[12]};
  s.y_center = v[13];
  s.y_scale = v[14];
  s.quadratic = v[15];
}

}  // namespace

void save_model(const std::string& path, const Fit& fit) {
  FeatureEncoding encoding;
  for (const std::string& name : fit.column_names) encoding.features.push_back({name, false, {}});
  save_model(path, fit, encoding);
}

void save_model(const std::string& path, const Fit& fit, const FeatureEncoding& encoding) {
  if (fit.state == nullptr || fit.state->w.size() == 0)
    throw InvalidArgument(fmt::format("the fit holds no posterior to save (status: {})", to_string(fit.report.status)));
  const detail::FitState& state = *fit.state;
  io::SafetensorsWriter file;
  file.metadata["format"] = format_name;
  file.metadata["format_version"] = std::to_string(format_version);
  file.metadata["fit"] = describe(fit, encoding).dump(-1, ' ', false, json::error_handler_t::replace);
  const Vector numbers = scalars(fit),
               history = Eigen::Map<const Vector>(fit.report.bound_history.data(), static_cast<Index>(fit.report.bound_history.size()));
  file.add_vector("scalars", numbers);
  file.add_vector("bound_history", history);
  file.add_vector("mean", fit.mean);
  file.add_vector("variance", fit.variance);
  file.add_vector("V_diagonal", fit.V_diagonal);
  file.add_vector("precision", fit.precision);
  file.add_vector("relevance", fit.relevance);
  file.add_vector("center", state.standardization.center);
  file.add_vector("scale", state.standardization.scale);
  file.add_vector("w", state.w);
  const CovarianceFactor& factor = state.factor;
  if (factor.kind == CovarianceFactor::Kind::triangular) {
    file.add_matrix("L_inverse", factor.L_inverse);
  } else if (factor.kind == CovarianceFactor::Kind::reduced) {
    file.add_vector("d", factor.d);
    file.add_matrix("T", factor.T);
    file.add_matrix("B", factor.B);
    file.add_matrix("R", factor.R);
  }
  file.write(path);
}

SavedModel load_model(const std::string& path) {
  const io::SafetensorsReader file(path);
  io::check_format(file, format_name, format_version);
  SavedModel model;
  Fit& fit = model.fit;
  auto state = std::make_shared<detail::FitState>();
  try {
    const json d = json::parse(file.text("fit"));
    fit.task = from_name(d.at("task").get<std::string>(), {Task::linear, Task::logistic}, path);
    fit.prior = from_name(d.at("prior").get<std::string>(),
                          {PriorKind::automatic, PriorKind::shared, PriorKind::ard, PriorKind::groups, PriorKind::none}, path);
    if (d.contains("posterior"))  // files of version 0.1 have none
      fit.posterior = from_name(d.at("posterior").get<std::string>(), {LinearPosterior::joint, LinearPosterior::factorised}, path);
    fit.target = d.at("target").get<std::string>();
    fit.classes = d.at("classes").get<std::vector<std::string>>();
    for (const json& f : d.at("features")) {
      if (f.is_string())
        model.encoding.features.push_back({f.get<std::string>(), false, {}});
      else
        model.encoding.features.push_back({f.at("name").get<std::string>(), true, f.at("levels").get<std::vector<std::string>>()});
    }
    fit.column_names = model.encoding.names();
    fit.group = d.at("group").get<std::vector<Index>>();
    fit.relevant = d.at("relevant").get<std::vector<bool>>();
    fit.left_out = d.at("left_out").get<std::vector<bool>>();
    state->standardization.intercept = d.at("intercept").get<bool>();
    state->factor.kind = static_cast<CovarianceFactor::Kind>(d.at("covariance").get<int>());
    state->factor.flat_columns = d.at("flat_columns").get<std::vector<Index>>();
    const json& r = d.at("report");
    Report& report = fit.report;
    report.status = from_name(r.at("status").get<std::string>(),
                              {Status::failed, Status::converged, Status::max_sweeps, Status::stopped_by_user,
                               Status::not_positive_definite, Status::bound_fell, Status::false_stop},
                              path);
    report.message = r.at("message").get<std::string>();
    report.sweeps = r.at("sweeps").get<int>();
    report.solver = from_name(
        r.at("solver").get<std::string>(),
        {SolverKind::automatic, SolverKind::primal, SolverKind::dual, SolverKind::spectral, SolverKind::sequential, SolverKind::greedy},
        path);
    report.solver_reason = r.at("solver_reason").get<std::string>();
    report.preset = r.at("preset").get<std::string>();
    report.compat = r.at("compat").get<bool>();
    report.notes = r.at("notes").get<std::vector<std::string>>();
    report.warnings = r.at("warnings").get<std::vector<std::string>>();
    report.seconds = r.at("seconds").get<double>();
  } catch (const json::exception& e) {
    throw InvalidArgument(fmt::format("'{}' is not an ardvark model file: its description cannot be read ({})", path, e.what()));
  }
  const auto p = static_cast<Index>(fit.column_names.size()), q = p + (state->standardization.intercept ? 1 : 0);
  const auto fail = [&](const char* what) {
    throw InvalidArgument(fmt::format("'{}' is not an ardvark model file: {} has the wrong size", path, what));
  };
  const auto vector = [&](const char* name, Index size, bool may_be_empty = false) {
    Vector v = file.vector(name);
    if (v.size() != size && !(may_be_empty && v.size() == 0)) fail(name);
    return v;
  };
  if (fit.task == Task::logistic && fit.classes.size() != 2) fail("the list of classes");
  set_scalars(vector("scalars", 16), fit, *state);
  if (fit.task == Task::linear &&
      !(fit.noise.shape >= 1e-6 && std::isfinite(fit.noise.shape) && fit.noise.rate > 0 && std::isfinite(fit.noise.rate)))
    throw InvalidArgument(fmt::format("'{}' is damaged: its noise posterior is Gamma({}, {})", path, fit.noise.shape, fit.noise.rate));
  const Vector history = file.vector("bound_history");
  fit.report.bound_history.assign(history.begin(), history.end());
  fit.mean = vector("mean", p);
  fit.variance = vector("variance", p);
  fit.V_diagonal = vector("V_diagonal", p);
  fit.relevance = vector("relevance", p);
  fit.precision = file.vector("precision");
  if (fit.group.size() != fit.column_names.size() || fit.relevant.size() != fit.column_names.size() ||
      fit.left_out.size() != fit.column_names.size())
    fail("a list of columns");
  state->standardization.center = vector("center", p, true);
  state->standardization.scale = vector("scale", p, true);
  state->w = vector("w", q);
  CovarianceFactor& factor = state->factor;
  if (factor.kind == CovarianceFactor::Kind::triangular) {
    factor.L_inverse = file.matrix("L_inverse");
    if (factor.L_inverse.rows() != q || factor.L_inverse.cols() != q) fail("L_inverse");
  } else if (factor.kind == CovarianceFactor::Kind::reduced) {
    factor.d = vector("d", q);
    factor.T = file.matrix("T");
    factor.B = file.matrix("B");
    factor.R = file.matrix("R");
    const auto f = static_cast<Index>(factor.flat_columns.size());
    if (factor.T.cols() != q || factor.B.cols() != q || factor.B.rows() != f || factor.R.rows() != f || factor.R.cols() != f)
      fail("T, B or R");
    for (Index j : factor.flat_columns)
      if (j < 0 || j >= q) fail("the list of flat columns");
  } else if (factor.kind != CovarianceFactor::Kind::none) {
    fail("the covariance");
  }
  fit.state = std::move(state);
  return model;
}

}  // namespace ardvark
