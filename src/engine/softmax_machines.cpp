#include "engine/softmax_machines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/blas.hpp"
#include "engine/prepare.hpp"
#include "engine/softmax_state.hpp"
#include "engine/state.hpp"

namespace ardvark {
namespace {

// The rows of a machine, and what it is called in messages.
struct Machine {
  std::vector<Index> rows;
  Vector t;
  std::string name;
};

std::vector<Machine> machines_of(const SoftmaxFit& fit, const std::vector<Index>& label) {
  std::vector<Machine> all;
  const auto n = static_cast<Index>(label.size());
  const auto name = [&](Index c) { return fit.classes[static_cast<std::size_t>(c)]; };
  const auto add = [&](Index low, Index high, std::string text) {  // low -1: every class but `high`
    Machine machine{{}, {}, std::move(text)};
    std::vector<double> t;
    for (Index i = 0; i < n; ++i) {
      const Index own = label[static_cast<std::size_t>(i)];
      if (low >= 0 && own != low && own != high) continue;
      machine.rows.push_back(i);
      t.push_back(own == high ? 1 : 0);
    }
    machine.t = Eigen::Map<const Vector>(t.data(), static_cast<Index>(t.size()));
    all.push_back(std::move(machine));
  };
  if (fit.coding == ClassCoding::one_against_rest)
    for (Index c = 0; c < fit.num_classes(); ++c) add(-1, c, fmt::format("{} against the rest", name(c)));
  else
    for (const auto& [low, high] : class_pairs(fit.num_classes())) add(low, high, fmt::format("{} against {}", name(high), name(low)));
  return all;
}

// The published program scales the columns once, over the rows of all classes.
Matrix scaled_columns(MatrixView X, const Standardization& s) {
  DenseDesign design(X, {s.center, s.scale, false});
  Matrix Z(X.rows(), X.cols());
  design.columns(0, X.cols(), Z);
  return Z;
}

Matrix rows_of(MatrixView X, const std::vector<Index>& rows) {
  Matrix out(static_cast<Index>(rows.size()), X.cols());
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = X(rows[static_cast<std::size_t>(i)], j);
  return out;
}

void add_machine(const Machine& machine, const Fit& one, Index column, const Standardization& s, SoftmaxFit& fit) {
  const Index p = one.num_columns();
  for (Index j = 0; j < p; ++j) {
    const double scale = s.scale.size() > 0 ? s.scale[j] : 1.0;
    fit.mean(j, column) = scale * one.mean[j];
    fit.variance(j, column) = scale * scale * one.variance[j];
    fit.relevance(j, column) = one.relevance[j];
    if (one.relevant[static_cast<std::size_t>(j)]) fit.relevant[static_cast<std::size_t>(j)] = true;
    if (!one.left_out[static_cast<std::size_t>(j)]) fit.left_out[static_cast<std::size_t>(j)] = false;
    const Index g = one.group[static_cast<std::size_t>(j)];
    if (g >= 0) fit.precision(j, column) = one.precision[g];
  }
  if (fit.precision.rows() > p) fit.precision(p, column) = one.precision[one.precision.size() - 1];  // of an intercept with a precision
  fit.standardized_mean.col(column) = one.standardized_mean;
  if (one.intercept) {
    fit.intercept[column] = one.intercept->mean;
    fit.intercept_variance[column] = one.intercept->variance;
    if (s.center.size() > 0) fit.intercept[column] -= s.center.dot(fit.mean.col(column));
  }
  fit.bound += one.bound;
  fit.log_det_V += one.log_det_V;
  fit.effective_parameters += one.effective_parameters;
  Report& report = fit.report;
  if (report.status == Status::failed || (report.status == Status::converged && one.report.status != Status::converged)) {
    report.status = one.report.status;
    report.message = fmt::format("{}: {}", machine.name, one.report.message);
  }
  report.sweeps = std::max(report.sweeps, one.report.sweeps);
  report.solver = one.report.solver;
  report.solver_reason = one.report.solver_reason;
  for (PruningEvent event : one.report.pruning) {
    for (std::vector<Index>* list : {&event.pruned, &event.readmitted})
      for (Index& j : *list) j += column * fit.standardized_mean.rows();
    report.pruning.push_back(std::move(event));
  }
  for (const std::string& note : one.report.notes) report.notes.push_back(fmt::format("{}: {}", machine.name, note));
  for (const std::string& warning : one.report.warnings) report.warnings.push_back(fmt::format("{}: {}", machine.name, warning));
}

}  // namespace

std::vector<std::pair<Index, Index>> class_pairs(Index num_classes) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index low = 0; low < num_classes; ++low)
    for (Index high = low + 1; high < num_classes; ++high) pairs.emplace_back(low, high);
  return pairs;
}

void fit_machines(MatrixView X, const std::vector<Index>& label, const Vector& k, const SoftmaxOptions& options, SoftmaxFit& fit) {
  FitOptions each = options;
  if (const auto end = options.preset.rfind("_ov"); end != std::string::npos) each.preset = options.preset.substr(0, end);
  if (options.keep_covariance == Keep::never) each.keep_covariance = Keep::automatic;  // for the training rows
  auto state = std::make_shared<detail::SoftmaxState>();
  const MatrixView whole = X;
  Matrix Z;
  const bool pairs = options.coding == ClassCoding::one_against_one;
  if (options.compat && pairs) {
    Prepared prepared = prepare_columns(X, k, options);
    state->standardization = std::move(prepared.standardization);
    fit.report.notes = std::move(prepared.notes);
    Z = scaled_columns(X, state->standardization);
    X = Z;
    each.standardize = false;
  }
  const std::vector<Machine> machines = machines_of(fit, label);
  const Index p = X.cols(), columns = static_cast<Index>(machines.size());
  fit.mean = fit.variance = fit.relevance = Matrix::Zero(p, columns);
  fit.standardized_mean = Matrix::Zero(p + (options.intercept ? 1 : 0), columns);
  fit.precision = Matrix::Zero(p + (options.penalize_intercept ? 1 : 0), columns);
  if (options.intercept) fit.intercept = fit.intercept_variance = Vector::Zero(columns);
  fit.relevant.assign(static_cast<std::size_t>(p), false);
  fit.left_out.assign(static_cast<std::size_t>(p), true);
  fit.bound = 0;
  for (Index m = 0; m < columns; ++m) {
    const Machine& machine = machines[static_cast<std::size_t>(m)];
    Matrix some;
    Vector weights;
    if (pairs) some = rows_of(X, machine.rows);
    if (!options.weights.empty()) {
      weights = k(machine.rows);
      each.weights = weights;
    }
    fit.machines.push_back(fit_logistic(pairs ? MatrixView(some) : X, machine.t, each));
    Fit& one = fit.machines.back();
    one.classes = {"0", "1"};
    fit.prior = one.prior;
    add_machine(machine, one, m, state->standardization, fit);
    if (one.state == nullptr || !one.mean.allFinite()) break;
    if (one.report.status == Status::stopped_by_user) break;
  }
  fit.report.bound = fit.bound;
  if (fit.report.status == Status::converged && fit.report.message.find(':') != std::string::npos)
    fit.report.message =
        fmt::format("each of {} logistic regressions has converged, the slowest after {} sweeps", fit.machines.size(), fit.report.sweeps);
  fit.state = std::move(state);
  if (static_cast<Index>(fit.machines.size()) < columns || !fit.mean.allFinite()) return;
  const bool integrates = std::all_of(fit.machines.begin(), fit.machines.end(),
                                      [](const Fit& one) { return one.state->factor.kind != CovarianceFactor::Kind::none; });
  describe_classes(label, k, predict(fit, whole, integrates ? ClassRule::automatic : ClassRule::plug_in), fit);
  if (options.keep_covariance != Keep::never) return;
  for (Fit& one : fit.machines) {
    auto bare = std::make_shared<detail::FitState>(*one.state);
    bare->factor = {};
    one.state = std::move(bare);
  }
}

}  // namespace ardvark
