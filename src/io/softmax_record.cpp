// A SoftmaxFit in a model file.
#include <fmt/format.h>

#include <algorithm>

#include "io/fit_record.hpp"
#include "posterior/softmax_state.hpp"
#include "target/target.hpp"

namespace ardvark::internal::io {
namespace {

using Kind = ClassCovariance::Kind;

constexpr Index num_softmax_scalars = 6;

ClassCovariance read_covariance(const SafetensorsReader& file, const Json& description, Index num_classes, Index num_design_columns) {
  const RecordReader in{file};
  ClassCovariance V;
  V.kind = static_cast<Kind>(description.at("kind").whole_number());
  if (V.kind == Kind::none) return V;
  if (V.kind != Kind::triangular && V.kind != Kind::reduced) in.fail("the covariance");
  V.num_classes = num_classes;
  V.class_of = description.at("class_of").whole_numbers();
  V.column = description.at("column").whole_numbers();
  const auto P = static_cast<Index>(V.column.size());
  const auto inside = [](const std::vector<Index>& list, Index size) {
    return std::all_of(list.begin(), list.end(), [size](Index i) { return i >= 0 && i < size; });
  };
  if (V.class_of.size() != V.column.size() || !inside(V.class_of, num_classes) || !inside(V.column, num_design_columns))
    in.fail("the list of weights");
  std::vector<Index> weights;
  for (std::size_t i = 0; i < V.column.size(); ++i) weights.push_back(V.column[i] * num_classes + V.class_of[i]);
  if (has_repeats(weights)) fail_model(file.path(), "its list of weights names one twice");
  if (V.kind == Kind::triangular) {
    V.L_inverse = in.finite_matrix("L_inverse");
    if (V.L_inverse.rows() != P || V.L_inverse.cols() != P) in.fail("L_inverse");
    return V;
  }
  V.d = in.finite_vector("d", P);
  V.T = in.finite_matrix("T");
  V.U = in.finite_matrix("U");
  V.B = in.finite_matrix("B");
  V.R = in.finite_matrix("R");
  if (V.T.cols() != P || V.U.cols() != P || V.U.rows() != V.T.rows() || V.B.rows() != P || V.R.rows() != V.B.cols() ||
      V.R.cols() != V.B.cols())
    in.fail("T, U, B or R");
  return V;
}

}  // namespace

Json describe(const SoftmaxFit& fit) {
  const SoftmaxState& state = *fit.state;
  Json machines = Json::array();
  for (const Fit& machine : fit.machines) machines.push_back(describe(machine));
  return {
      {"coding", to_string(fit.coding)},
      {"classes", fit.classes},
      {"target", fit.target},
      {"prior", to_string(fit.prior)},
      {"relevant", by_runs(fit.relevant)},
      {"left_out", by_runs(fit.left_out)},
      {"intercept", fit.intercept.size() > 0},
      {"covariance",
       {{"kind", static_cast<int>(state.covariance.kind)}, {"class_of", state.covariance.class_of}, {"column", state.covariance.column}}},
      {"machines", machines},
      {"report", describe(fit.report)}};
}

void add_arrays(SafetensorsWriter& file, const SoftmaxFit& fit) {
  const SoftmaxState& state = *fit.state;
  Vector scalars(num_softmax_scalars);
  scalars << fit.bound, fit.log_det_V, fit.num_rows, fit.effective_parameters, fit.accuracy, fit.log_loss;
  file.add_vector("scalars", std::move(scalars));
  file.add_vector("bound_history", fit.report.bound_history);
  file.add_vector("class_weight", fit.class_weight);
  if (fit.precision_history.size() > 0) file.add_matrix("precision_history", fit.precision_history);
  file.add_matrix("mean", fit.mean);
  file.add_matrix("variance", fit.variance);
  file.add_matrix("standardized_mean", fit.standardized_mean);
  file.add_matrix("precision", fit.precision);
  file.add_matrix("relevance", fit.relevance);
  file.add_vector("intercept", fit.intercept);
  file.add_vector("intercept_variance", fit.intercept_variance);
  file.add_vector("center", state.standardization.center);
  file.add_vector("scale", state.standardization.scale);
  const ClassCovariance& V = state.covariance;
  if (V.kind == Kind::triangular) {
    file.add_matrix("L_inverse", V.L_inverse);
  } else if (V.kind == Kind::reduced) {
    file.add_vector("d", V.d);
    file.add_matrix("T", V.T);
    file.add_matrix("U", V.U);
    file.add_matrix("B", V.B);
    file.add_matrix("R", V.R);
  }
  for (std::size_t k = 0; k < fit.machines.size(); ++k) add_arrays(file, prefix_of_machine(k), fit.machines[k]);
}

SoftmaxFit read_softmax(const SafetensorsReader& file, const Json& description, std::vector<std::string> column_names) {
  const std::string& path = file.path();
  const RecordReader in{file};
  const auto matrix = [&](const char* name, Index rows, Index cols) {
    Matrix m = file.matrix(name);
    if (m.rows() != rows || m.cols() != cols) in.fail(name);
    return m;
  };
  SoftmaxFit fit;
  auto state = std::make_shared<SoftmaxState>();
  fit.coding =
      from_name(description.at("coding"), {ClassCoding::softmax, ClassCoding::one_against_rest, ClassCoding::one_against_one}, path);
  fit.classes = description.at("classes").texts();
  if (fit.classes.size() < 2) in.fail("the list of classes");
  fit.target = description.at("target").text();
  fit.prior = from_name(description.at("prior"), all_priors, path);
  const auto p = static_cast<Index>(column_names.size());
  fit.relevant = flags_of(description.at("relevant"), p);
  fit.left_out = flags_of(description.at("left_out"), p);
  if (fit.relevant.size() != column_names.size() || fit.left_out.size() != column_names.size()) in.fail("a list of columns");
  fit.report = read_report(description.at("report"), path);

  fit.column_names = std::move(column_names);
  const bool intercept = description.at("intercept").flag();
  const Index q = p + (intercept ? 1 : 0), C = fit.num_classes();
  const Index width = fit.coding == ClassCoding::one_against_one ? C * (C - 1) / 2 : C;
  const Vector scalars = in.vector("scalars", num_softmax_scalars), history = file.vector("bound_history");
  fit.bound = fit.report.bound = scalars[0];
  fit.log_det_V = scalars[1];
  fit.num_rows = scalars[2];
  fit.effective_parameters = scalars[3];
  fit.accuracy = checked_share(scalars[4], "its accuracy", path);
  fit.log_loss = scalars[5];
  fit.report.bound_history.assign(history.begin(), history.end());
  fit.class_weight = in.vector("class_weight", C);
  if (file.has("precision_history")) fit.precision_history = file.matrix("precision_history");
  fit.mean = checked_finite(matrix("mean", p, width), "mean", path);
  fit.variance = matrix("variance", p, width);
  fit.standardized_mean = matrix("standardized_mean", q, width);
  fit.relevance = matrix("relevance", p, width);
  fit.precision = file.matrix("precision");
  if ((fit.precision.rows() != p && fit.precision.rows() != q) || fit.precision.cols() != width) in.fail("precision");
  fit.intercept = in.vector("intercept", intercept ? width : 0);
  fit.intercept_variance = in.vector("intercept_variance", intercept ? width : 0);
  state->standardization.center = in.finite_vector("center", p, true);
  state->standardization.scale = in.finite_vector("scale", p, true);
  state->standardization.intercept = intercept;

  const Json::List& machines = description.at("machines").list();
  const bool is_softmax = fit.coding == ClassCoding::softmax;
  if (static_cast<Index>(machines.size()) != (is_softmax ? 0 : width)) in.fail("the list of machines");
  if (is_softmax) {
    state->W = checked_finite(fit.standardized_mean, "standardized_mean", path);
    state->covariance = read_covariance(file, description.at("covariance"), C, q);
  }
  for (std::size_t k = 0; k < machines.size(); ++k) {
    fit.machines.push_back(read_fit(file, prefix_of_machine(k), machines[k], fit.column_names));
    if (!has_classes(fit.machines.back().task)) fail_model(path, "one of its machines is not logistic");
  }
  fit.state = std::move(state);
  return fit;
}

}  // namespace ardvark::internal::io
