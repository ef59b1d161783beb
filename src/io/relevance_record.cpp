// A relevance vector machine in a model file: its relevance vectors and kernel, and the Fit of each machine.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/fit_record.hpp"
#include "predict/relevance.hpp"
#include "target/target.hpp"

namespace ardvark::internal::io {
namespace {

constexpr Index num_relevance_scalars = 6;
// Older files do not have them.
constexpr const char *input_range = "input_range", *candidate_mean = "candidate_mean", *candidate_probability = "candidate_probability",
                     *bands = "bands", *band_rows = "band_rows", *fitted_variance = "fitted_variance";

// One row per trial: parameters, log evidence, number of vectors.
Matrix table_of(const std::vector<KernelTrial>& trials) {
  const auto num_parameters = trials.empty() ? Index{0} : static_cast<Index>(trials.front().parameters.size());
  Matrix table(static_cast<Index>(trials.size()), num_parameters + 2);
  for (Index i = 0; i < table.rows(); ++i) {
    const KernelTrial& trial = trials[static_cast<std::size_t>(i)];
    for (Index j = 0; j < num_parameters; ++j) table(i, j) = trial.parameters[static_cast<std::size_t>(j)];
    table(i, num_parameters) = trial.log_evidence;
    table(i, num_parameters + 1) = static_cast<double>(trial.num_vectors);
  }
  return table;
}

std::vector<KernelTrial> trials_of(const Matrix& table, Index num_parameters, const std::string& path) {
  if (table.rows() > 0 && table.cols() != num_parameters + 2) fail_model(path, "trials has the wrong size");
  std::vector<KernelTrial> trials(static_cast<std::size_t>(table.rows()));
  for (Index i = 0; i < table.rows(); ++i) {
    KernelTrial& trial = trials[static_cast<std::size_t>(i)];
    for (Index j = 0; j < num_parameters; ++j) trial.parameters.push_back(table(i, j));
    if (!(table.row(i).head(num_parameters).array() > 0).all() || !table.row(i).head(num_parameters).allFinite())
      fail_damaged(path, "trials");
    trial.log_evidence = table(i, num_parameters);
    const double num_vectors = table(i, num_parameters + 1);
    if (!(num_vectors >= 0 && num_vectors <= 1e15)) fail_model(path, "the number of vectors of a trial is invalid");
    trial.num_vectors = static_cast<Index>(num_vectors);
  }
  return trials;
}

}  // namespace

Json describe(const RelevanceFit& fit) {
  Json machines = Json::array();
  for (const RelevanceMachine& machine : fit.machines) {
    Json& j = machines.push_back(describe(machine.fit));
    j["columns"] = machine.fit.column_names;
    j["vectors"] = machine.vectors;
  }
  Json out = {{"task", to_string(fit.task)},
              {"kernel", to_json(fit.kernel.spec())},
              {"search", to_string(fit.search)},
              {"algorithm", to_string(fit.algorithm)},
              {"target", fit.target},
              {"classes", fit.classes},
              {"relevance_rows", fit.relevance_rows},
              {"machines", machines},
              {"report", describe(fit.report)}};
  if (fit.bands == Bands::open) out[bands] = to_string(fit.bands);
  return out;
}

void add_arrays(SafetensorsWriter& file, const RelevanceFit& fit) {
  Vector scalars(num_relevance_scalars), evidence(static_cast<Index>(fit.machines.size()));
  scalars << fit.log_evidence, fit.num_rows, fit.r_squared, fit.accuracy, fit.log_loss, fit.report.bound;
  for (std::size_t k = 0; k < fit.machines.size(); ++k) evidence[static_cast<Index>(k)] = fit.machines[k].log_evidence;
  file.add_vector("scalars", std::move(scalars));
  if (fit.bands == Bands::open) {
    Vector variances(evidence.size());
    for (std::size_t k = 0; k < fit.machines.size(); ++k) variances[static_cast<Index>(k)] = fit.machines[k].fitted_variance;
    file.add_vector(fitted_variance, std::move(variances));
    file.add_matrix(band_rows, fit.band_rows);
  }
  file.add_vector("log_evidence", std::move(evidence));
  file.add_vector("bound_history", fit.report.bound_history);
  file.add_vector("input_center", fit.input_center);
  file.add_vector("input_scale", fit.input_scale);
  if (fit.input_range.size() > 0) file.add_matrix(input_range, fit.input_range);
  file.add_matrix("relevance_vectors", fit.relevance_vectors);
  file.add_matrix("trials", table_of(fit.trials));
  for (std::size_t k = 0; k < fit.machines.size(); ++k) {
    const RelevanceMachine& machine = fit.machines[k];
    add_arrays(file, prefix_of_machine(k), machine.fit);
    if (machine.candidate_mean.size() > 0) file.add_vector(prefix_of_machine(k) + candidate_mean, machine.candidate_mean);
    if (machine.candidate_probability.size() > 0)
      file.add_matrix(prefix_of_machine(k) + candidate_probability, machine.candidate_probability);
  }
}

RelevanceFit read_relevance(const SafetensorsReader& file, const Json& description, std::vector<std::string> input_names) {
  const std::string& path = file.path();
  const RecordReader in{file};
  RelevanceFit fit;
  const auto d = static_cast<Index>(input_names.size());
  fit.input_names = std::move(input_names);
  fit.task = from_name(description.at("task"), {Task::linear, Task::logistic}, path);
  fit.kernel = read_kernel(description.at("kernel"), d, path);
  fit.search = from_name(description.at("search"), {KernelSearch::none, KernelSearch::scale, KernelSearch::each}, path);
  fit.algorithm = from_name(
      description.at("algorithm"),
      {RelevanceAlgorithm::variational, RelevanceAlgorithm::plain, RelevanceAlgorithm::type_two, RelevanceAlgorithm::pruned}, path);
  if (description.contains(bands)) fit.bands = from_name(description.at(bands), {Bands::published, Bands::open}, path);
  if (fit.bands == Bands::open && !falls_with_distance(fit.kernel)) fail_model(path, "its kernel cannot have open bands");
  fit.target = description.at("target").text();
  fit.classes = description.at("classes").texts();
  fit.report = read_report(description.at("report"), path);
  fit.input_center = in.finite_vector("input_center", d);
  fit.input_scale = in.finite_vector("input_scale", d);
  fit.relevance_vectors = in.finite_matrix("relevance_vectors");
  if (file.has(input_range)) {
    fit.input_range = in.finite_matrix(input_range);
    if (fit.input_range.rows() != d || fit.input_range.cols() != 2) in.fail(input_range);
    if (!(fit.input_range.col(0).array() <= fit.input_range.col(1).array()).all()) fail_damaged(path, input_range);
  }
  fit.relevance_rows = description.at("relevance_rows").whole_numbers();
  const Index m = fit.num_vectors();
  if (fit.relevance_vectors.cols() != d || static_cast<Index>(fit.relevance_rows.size()) != m) in.fail("relevance_vectors");
  std::vector<Index> rows = fit.relevance_rows;
  std::erase(rows, Index{-1});  // a centre that is not a row
  if (has_repeats(rows) || std::any_of(rows.begin(), rows.end(), [](Index i) { return i < 0; }))
    fail_model(path, "its list of relevance rows names a row twice or holds an invalid row");

  const Vector scalars = in.finite_vector("scalars", num_relevance_scalars), history = file.vector("bound_history");
  fit.log_evidence = scalars[0];
  fit.num_rows = scalars[1];
  fit.r_squared = scalars[2];
  fit.accuracy = checked_share(scalars[3], "its accuracy", path);
  fit.log_loss = scalars[4];
  fit.report.bound = scalars[5];
  fit.report.bound_history.assign(history.begin(), history.end());
  fit.trials = trials_of(file.matrix("trials"), fit.kernel.num_parameters(), path);

  const Json::List& machines = description.at("machines").list();
  const std::size_t num_classes = fit.classes.size();
  const bool fits =
      has_noise(fit.task) ? machines.size() == 1 : num_classes >= 2 && machines.size() == (num_classes == 2 ? 1 : num_classes);
  if (!fits) in.fail("the list of machines");
  const Vector evidence = in.finite_vector("log_evidence", static_cast<Index>(machines.size()));
  Vector variances = Vector::Zero(evidence.size());
  if (fit.bands == Bands::open) {
    fit.band_rows = in.finite_matrix(band_rows);
    if (fit.band_rows.rows() == 0 || fit.band_rows.cols() != d) in.fail(band_rows);
    variances = in.finite_vector(fitted_variance, evidence.size());
  }
  if ((variances.array() < 0).any()) fail_damaged(path, fitted_variance);
  for (std::size_t k = 0; k < machines.size(); ++k) {
    RelevanceMachine machine;
    machine.fitted_variance = variances[static_cast<Index>(k)];
    machine.vectors = machines[k].at("vectors").whole_numbers();
    machine.fit = read_fit(file, prefix_of_machine(k), machines[k], machines[k].at("columns").texts());
    machine.log_evidence = evidence[static_cast<Index>(k)];
    if (const std::string name = prefix_of_machine(k) + candidate_mean; file.has(name))
      machine.candidate_mean = checked_finite(file.vector(name), name, path);
    if (const std::string name = prefix_of_machine(k) + candidate_probability; file.has(name)) {
      machine.candidate_probability = in.finite_matrix(name);
      const Matrix& p = machine.candidate_probability;
      if (p.cols() != 2) in.fail(name);
      if (!(p.array() >= 0 && p.array() <= 1).all()) fail_damaged(path, name);
    }
    const bool inside = std::all_of(machine.vectors.begin(), machine.vectors.end(), [m](Index i) { return i >= 0 && i < m; });
    if (!inside || static_cast<Index>(machine.vectors.size()) != machine.fit.num_columns()) in.fail("the list of relevance vectors");
    if (has_repeats(machine.vectors)) fail_model(path, "a machine names a relevance vector twice");
    if (machine.fit.task != fit.task) fail_model(path, "one of its machines has another task");
    fit.machines.push_back(std::move(machine));
  }
  return fit;
}

}  // namespace ardvark::internal::io
