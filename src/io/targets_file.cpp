// Files of many targets, in the layout of a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ardvark/model_file.hpp"
#include "io/encoding_record.hpp"
#include "io/fit_record.hpp"
#include "io/json_reader.hpp"
#include "io/option_values.hpp"
#include "posterior/targets_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::Json;
constexpr const char* format_of_targets = "ardvark-targets";
constexpr int version_of_targets = 1;  // all have checksums

constexpr TargetStatus all_status[] = {TargetStatus::converged,  TargetStatus::max_sweeps, TargetStatus::constant,
                                       TargetStatus::not_finite, TargetStatus::few_rows,   TargetStatus::out_of_range,
                                       TargetStatus::failed};

// The numbers that each target has; a status is its position in all_status.
struct Named {
  const char* name;
  Vector TargetsFit::*numbers;
};
constexpr Named numbers_of_targets[] = {{"intercept", &TargetsFit::intercept},
                                        {"precision", &TargetsFit::precision},
                                        {"noise_sd", &TargetsFit::noise_sd},
                                        {"degrees_of_freedom", &TargetsFit::degrees_of_freedom},
                                        {"bound", &TargetsFit::bound},
                                        {"evidence", &TargetsFit::evidence},
                                        {"r_squared", &TargetsFit::r_squared},
                                        {"r_squared_loo", &TargetsFit::r_squared_loo},
                                        {"effective_parameters", &TargetsFit::effective_parameters},
                                        {"num_rows", &TargetsFit::num_rows}};

Vector vector_of(const std::vector<Index>& positions) {
  Vector out(std::ssize(positions));
  for (Index i = 0; i < out.size(); ++i) out[i] = static_cast<double>(positions[static_cast<std::size_t>(i)]);
  return out;
}

void add_shared(io::SafetensorsWriter& file, const std::string& prefix, const SharedTargetsState& shared) {
  file.add_vector(prefix + "center", shared.units.center);
  file.add_vector(prefix + "scale", shared.units.scale);
  file.add_vector(prefix + "penalised", vector_of(shared.penalised));
  file.add_vector(prefix + "eigenvalues", shared.axes.l);
  file.add_matrix(prefix + "axes", shared.axes.back);
  file.add_vector(prefix + "mean", shared.axes.mean);
  file.add_vector(prefix + "targets", vector_of(shared.targets));
  file.add_vector(prefix + "at_center", shared.at_center);
  file.add_vector(prefix + "noise_scale", shared.noise_scale);
  file.add_vector(prefix + "precision", shared.precision);
  file.add_vector(prefix + "degrees", shared.degrees);
}

std::string prefix_of(const char* what, std::size_t i) { return fmt::format("{}{}.", what, i + 1); }

using Sink = std::function<void(const io::SafetensorsWriter&)>;

void save(const SavedTargets& saved, MatrixView given, const Sink& sink) {
  const TargetsFit& fit = saved.fit;
  const Index p = fit.num_columns(), K = fit.num_targets();
  const MatrixView W = given.cols() > 0 ? given : MatrixView(fit.mean);
  if (W.rows() != p || W.cols() != K)
    throw InvalidArgument(
        fmt::format("the coefficients are {} x {}; a file needs those of {} columns and {} targets", W.rows(), W.cols(), p, K));
  if (!saved.target_names.empty() && std::ssize(saved.target_names) != K)
    throw InvalidArgument(fmt::format("there are {} names of targets, and {} targets", saved.target_names.size(), K));
  const TargetsState none, &state = fit.state ? *fit.state : none;
  Json description = {{"prior", to_string(fit.prior)}, {"num_alone", fit.num_alone}, {"notes", fit.notes},
                      {"warnings", fit.warnings},      {"seconds", fit.seconds},     {"left_out", io::by_runs(fit.left_out)}};
  if (!saved.target_names.empty()) description["targets"] = saved.target_names;
  if (!saved.options.empty()) description["options"] = io::json_of(saved.options);
  Json shared = Json::array(), alone = Json::array();
  io::SafetensorsWriter file;
  Vector status(K), sweeps(K);
  for (Index k = 0; k < K; ++k) {
    const auto at = static_cast<std::size_t>(k);
    status[k] = static_cast<double>(std::find(std::begin(all_status), std::end(all_status), fit.status[at]) - std::begin(all_status));
    sweeps[k] = fit.sweeps[at];
  }
  file.add_vector("status", std::move(status));
  file.add_vector("sweeps", std::move(sweeps));
  for (const Named& one : numbers_of_targets) file.add_vector(one.name, fit.*one.numbers);
  if (W.data() == fit.mean.data()) {
    file.add_matrix("coefficients", fit.mean);
  } else {
    file.add_matrix("coefficients", Matrix(Matrix::NullaryExpr(p, K, [&](Index j, Index k) { return W(j, k); })));
  }
  file.add_matrix("sd", fit.sd);
  file.add_matrix("inclusion", fit.inclusion);
  file.add_matrix("log_bayes", fit.log_bayes);
  file.add_matrix("log_bayes_of_noise", fit.log_bayes_of_noise);
  for (std::size_t i = 0; i < state.shared.size(); ++i) {
    const SharedTargetsState& one = state.shared[i];
    shared.push_back({{"dual", one.axes.dual}, {"rows", one.axes.rows}, {"intercept", one.axes.intercept}});
    add_shared(file, prefix_of("shared", i), one);
  }
  for (std::size_t i = 0; i < state.alone.size(); ++i) {
    alone.push_back({{"target", state.alone[i].first}, {"fit", io::describe(*state.alone[i].second)}});
    io::add_arrays(file, prefix_of("alone", i), *state.alone[i].second);
  }
  description["shared"] = std::move(shared);
  description["alone"] = std::move(alone);
  io::add_encoding(description, saved.encoding, false);
  file.metadata = {
      {"format", format_of_targets}, {"format_version", std::to_string(version_of_targets)}, {"description", description.dump()}};
  file.add_checksums();
  sink(file);
}

std::vector<Index> positions_of(const Vector& v, Index end, const char* what, const std::string& path) {
  std::vector<Index> out;
  for (const double x : v) {
    if (!(x >= 0 && x < static_cast<double>(end)) || x != std::floor(x)) io::fail_damaged(path, what);
    out.push_back(static_cast<Index>(x));
  }
  return out;
}

// A matrix that may be empty.
Matrix matrix_of(const io::SafetensorsReader& file, const std::string& name, Index rows, Index cols, bool may_be_empty) {
  Matrix out = file.matrix(name);
  if (may_be_empty && out.size() == 0) return {};
  if (out.rows() != rows || out.cols() != cols) io::fail_model(file.path(), name + " has the wrong size");
  return out;
}

SharedTargetsState read_shared(const io::SafetensorsReader& file, const std::string& prefix, const Json& description, Index p, Index K) {
  const io::RecordReader record{file, prefix};
  SharedTargetsState out;
  out.units.center = record.finite_vector("center", p, true);
  out.units.scale = record.finite_vector("scale", p, true);
  out.penalised = positions_of(file.vector(prefix + "penalised"), p, "penalised", file.path());
  const auto count = std::ssize(out.penalised);
  SharedAxes& axes = out.axes;
  axes.dual = description.at("dual").flag();
  axes.intercept = description.at("intercept").flag();
  axes.rows = description.at("rows").number();
  out.units.intercept = axes.intercept;
  axes.l = io::checked_finite(file.vector(prefix + "eigenvalues"), "eigenvalues", file.path());
  axes.back = io::checked_finite(matrix_of(file, prefix + "axes", count, axes.l.size(), false), "axes", file.path());
  axes.mean = record.finite_vector("mean", count);
  out.targets = positions_of(file.vector(prefix + "targets"), K, "targets", file.path());
  const auto of_targets = [&](const char* name) { return record.vector(name, std::ssize(out.targets)); };
  out.at_center = of_targets("at_center"), out.noise_scale = of_targets("noise_scale");
  out.precision = of_targets("precision"), out.degrees = of_targets("degrees");
  if (!(axes.rows > 0) || (axes.l.array() < 0).any() || io::has_repeats(out.penalised) || io::has_repeats(out.targets))
    io::fail_damaged(file.path(), prefix + "axes");
  return out;
}

TargetsFit read_targets(const io::SafetensorsReader& file, const Json& description, std::vector<std::string> column_names) {
  TargetsFit fit;
  fit.column_names = std::move(column_names);
  const Index p = fit.num_columns();
  const Vector status = file.vector("status"), sweeps = file.vector("sweeps");
  const Index K = status.size();
  if (sweeps.size() != K) io::fail_model(file.path(), "sweeps has the wrong size");
  for (const Index at : positions_of(status, std::ssize(all_status), "status", file.path()))
    fit.status.push_back(all_status[static_cast<std::size_t>(at)]);
  for (const Index count : positions_of(sweeps, Index{1} << 31, "sweeps", file.path())) fit.sweeps.push_back(static_cast<int>(count));
  const io::RecordReader record{file};
  for (const Named& one : numbers_of_targets) fit.*one.numbers = record.vector(one.name, K, one.numbers == &TargetsFit::intercept);
  fit.mean = matrix_of(file, "coefficients", p, K, false);
  fit.sd = matrix_of(file, "sd", p, K, true);
  fit.inclusion = matrix_of(file, "inclusion", p, K, true);
  fit.log_bayes = file.matrix("log_bayes");
  if (fit.log_bayes.cols() != K) io::fail_model(file.path(), "log_bayes has the wrong size");
  fit.log_bayes_of_noise = file.matrix("log_bayes_of_noise");
  if (fit.log_bayes_of_noise.size() > 0 && fit.log_bayes_of_noise.rows() != fit.log_bayes.rows())
    io::fail_model(file.path(), "log_bayes_of_noise has the wrong size");
  fit.prior = io::from_name(description.at("prior"), io::all_priors, file.path());
  fit.num_alone = static_cast<Index>(description.at("num_alone").number());
  fit.notes = description.at("notes").texts();
  fit.warnings = description.at("warnings").texts();
  fit.seconds = description.at("seconds").number();
  fit.left_out = io::flags_of(description.at("left_out"), p);
  if (std::ssize(fit.left_out) != p) io::fail_model(file.path(), "left_out has the wrong size");
  auto state = std::make_shared<TargetsState>();
  const auto& shared = description.at("shared").list();
  for (std::size_t i = 0; i < shared.size(); ++i) state->shared.push_back(read_shared(file, prefix_of("shared", i), shared[i], p, K));
  const auto& alone = description.at("alone").list();
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const double target = alone[i].at("target").number();
    if (!(target >= 0 && target < static_cast<double>(K)) || target != std::floor(target)) io::fail_damaged(file.path(), "alone");
    state->alone.emplace_back(static_cast<Index>(target),
                              std::make_shared<const Fit>(io::read_fit(file, prefix_of("alone", i), alone[i].at("fit"), fit.column_names)));
  }
  fit.state = std::move(state);
  return fit;
}

SavedTargets load(const io::SafetensorsReader& file) {
  io::check_format(file, format_of_targets, version_of_targets, version_of_targets);
  SavedTargets out;
  try {
    const Json description = io::bounded_json(file.text("description"), file.most_bytes_of_tree(), file.path());
    out.encoding = io::read_encoding(description, static_cast<Index>(file.num_bytes() / sizeof(double)));
    out.fit = read_targets(file, description, out.encoding.names());
    if (description.contains("targets")) out.target_names = description.at("targets").texts();
    if (!out.target_names.empty() && std::ssize(out.target_names) != out.fit.num_targets())
      io::fail_model(file.path(), "the list of targets has the wrong size");
    if (description.contains("options")) out.options = io::option_values_of(description.at("options"));
  } catch (const io::JsonError& e) {
    io::fail_model(file.path(), fmt::format("its description cannot be read ({})", e.what()));
  }
  file.check_unread_arrays();
  return out;
}

}  // namespace

void save_targets(const std::string& path, const SavedTargets& targets, MatrixView coefficients) {
  save(targets, coefficients, [&](const io::SafetensorsWriter& file) { file.write(path); });
}
std::string targets_to_bytes(const SavedTargets& targets, MatrixView coefficients) {
  std::string bytes;
  save(targets, coefficients, [&](const io::SafetensorsWriter& file) { bytes = file.bytes(); });
  return bytes;
}
SavedTargets load_targets(const std::string& path) { return load(io::SafetensorsReader(path)); }
SavedTargets targets_from_bytes(std::string_view bytes) { return load(io::SafetensorsReader(bytes, "the bytes given")); }

}  // namespace ardvark
