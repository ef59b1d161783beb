#include "predict/relevance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/validate.hpp"
#include "design/dense.hpp"

namespace ardvark {
namespace {

// f(first, machine, kernel columns of the machine) for blocks of rows: new rows may be many.
template <typename Function>
void by_blocks(const RelevanceFit& fit, MatrixView X, Function&& f) {
  if (fit.machines.empty()) throw InvalidArgument("the fit is empty: it has no machine to predict with");
  if (X.cols() != fit.num_inputs())
    throw InvalidArgument(fmt::format("X_new has {} columns; the fit has {} inputs", X.cols(), fit.num_inputs()));
  validate::new_rows(X, fit.input_names, fit.input_center, fit.input_scale);
  const Standardization inputs{fit.input_center, fit.input_scale, false};
  const DenseDesign rows(X, inputs);
  Matrix C(fit.num_vectors(), fit.num_inputs());
  if (fit.num_vectors() > 0) DenseDesign(fit.relevance_vectors, inputs).columns(0, fit.num_inputs(), C);
  constexpr Index block = 4096;
  Matrix panel(std::min(block, X.rows()), X.cols()), K(panel.rows(), fit.num_vectors());
  for (Index first = 0; first < X.rows(); first += block) {
    const Index count = std::min(block, X.rows() - first);
    rows.read_rows(first, count, nullptr, panel);
    if (fit.num_vectors() > 0) fit.kernel.evaluate(panel.topRows(count), C, K.topRows(count));
    validate::predicted(K.topRows(count), first);
    for (std::size_t i = 0; i < fit.machines.size(); ++i) {
      const Matrix columns = K(Eigen::seqN(0, count), fit.machines[i].vectors);
      f(first, i, columns);
    }
  }
}

template <typename TypedFit>
TypedFit typed(const Fit& fit) {
  TypedFit out;
  static_cast<Fit&>(out) = fit;
  return out;
}

}  // namespace

StudentPrediction predict(const RelevanceRegression& fit, MatrixView X_new) {
  StudentPrediction out;
  out.mean.resize(X_new.rows());
  out.scale.resize(X_new.rows());
  const LinearFit machine = fit.machines.empty() ? LinearFit{} : typed<LinearFit>(fit.machines.front().fit);
  out.degrees_of_freedom = machine.degrees_of_freedom();
  by_blocks(fit, X_new, [&](Index first, std::size_t, const Matrix& K) {
    const StudentPrediction part = predict(machine, K);
    out.mean.segment(first, K.rows()) = part.mean;
    out.scale.segment(first, K.rows()) = part.scale;
  });
  return out;
}

NoiseMixturePrediction predict_mixture(const RelevanceRegression& fit, MatrixView X_new) {
  NoiseMixturePrediction out;
  out.mean.resize(X_new.rows());
  out.variance_of_mean.resize(X_new.rows());
  const LinearFit machine = fit.machines.empty() ? LinearFit{} : typed<LinearFit>(fit.machines.front().fit);
  out.noise = machine.noise;
  by_blocks(fit, X_new, [&](Index first, std::size_t, const Matrix& K) {
    const NoiseMixturePrediction part = predict_mixture(machine, K);
    out.mean.segment(first, K.rows()) = part.mean;
    out.variance_of_mean.segment(first, K.rows()) = part.variance_of_mean;
  });
  return out;
}

ClassProbabilities predict(const RelevanceClassification& fit, MatrixView X_new, PredictiveRule rule) {
  ClassProbabilities out;
  const bool two = fit.machines.size() == 1;
  out.probability.resize(X_new.rows(), static_cast<Index>(fit.classes.size()));
  std::vector<LogisticFit> machines;
  for (const RelevanceMachine& machine : fit.machines) machines.push_back(typed<LogisticFit>(machine.fit));
  by_blocks(fit, X_new, [&](Index first, std::size_t i, const Matrix& K) {
    out.probability.block(first, two ? 1 : static_cast<Index>(i), K.rows(), 1) = predict(machines[i], K, rule).probability;
  });
  if (two)
    out.probability.col(0) = 1 - out.probability.col(1).array();
  else  // each class against the rest, brought to a sum of one                                                            (RVM.6)
    out.probability.array().colwise() /= out.probability.rowwise().sum().array().max(1e-300);
  out.most_probable.resize(static_cast<std::size_t>(X_new.rows()));
  for (Index n = 0; n < X_new.rows(); ++n) out.probability.row(n).maxCoeff(&out.most_probable[static_cast<std::size_t>(n)]);
  return out;
}

void describe_rows(MatrixView X, VectorView labels, const Vector& k, RelevanceClassification& fit) {
  const ClassProbabilities p = predict(fit, X);
  std::set<double> classes;
  for (Index i = 0; i < labels.size(); ++i)
    if (k[i] > 0) classes.insert(labels[i]);
  double correct = 0, loss = 0;
  for (Index i = 0; i < labels.size(); ++i) {
    if (!(k[i] > 0)) continue;
    const auto label = static_cast<Index>(std::distance(classes.begin(), classes.find(labels[i])));
    if (p.most_probable[static_cast<std::size_t>(i)] == label) correct += k[i];
    loss -= k[i] * std::log(std::max(p.probability(i, label), 1e-300));
  }
  fit.accuracy = correct / k.sum();
  fit.log_loss = loss / k.sum();
}

}  // namespace ardvark
