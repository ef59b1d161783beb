// Selection by fit_linear, fit_logistic and fit_softmax.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/select.hpp"
#include "ardvark/softmax.hpp"
#include "core/refusals.hpp"
#include "predict/predictive.hpp"

namespace ardvark {

using namespace internal;

namespace {

void require_no_weights(const auto& options, const char* name) {
  if (!options.weights.empty())
    throw InvalidArgument(fmt::format("{}::weights is not empty; the weights of a selection are SelectionOptions::weights", name));
}

template <typename Options>
Options of_fold(const Options& options, const SelectionRows& rows) {
  Options out = options;
  out.weights = rows.weights;
  out.threads = 0;
  out.intervals = Intervals::gaussian;  // nobody reads them
  out.keep_covariance = Keep::always;
  out.on_sweep = [&rows](const Progress&) { return rows.go_on(); };
  return out;
}

bool is_usable(const auto& fit) { return fit.state != nullptr && fit.mean.allFinite(); }

std::vector<bool> no_columns(const SelectionRows& rows) { return std::vector<bool>(static_cast<std::size_t>(rows.X.cols())); }

// What is known without columns: the mean and the variance of the training rows.
StudentPrediction without_columns(const SelectionRows& rows) {
  const Vector k = rows.weights.empty() ? Vector::Ones(rows.labels.size()) : Vector(rows.weights.eigen());
  const double mean = k.dot(rows.labels.eigen()) / k.sum();
  const double variance = k.dot(Vector((rows.labels.eigen().array() - mean).square())) / k.sum();
  const Index m = rows.X_new.rows();
  return {Vector::Constant(m, mean), Vector::Constant(m, std::sqrt(std::max(variance, std::numeric_limits<double>::min()))),
          std::numeric_limits<double>::infinity()};
}

// The same of classes: [new rows, classes] ln of the share of each class in the training rows.
SelectionFit without_columns_of_classes(const SelectionRows& rows, Status status) {
  Vector total = Vector::Zero(rows.num_classes);
  for (Index i = 0; i < rows.labels.size(); ++i) total[static_cast<Index>(rows.labels[i])] += rows.weights.empty() ? 1 : rows.weights[i];
  return {no_columns(rows), (total / total.sum()).array().log().matrix().transpose().replicate(rows.X_new.rows(), 1), status};
}

SelectionFit selection_of(std::vector<bool> survived, StudentPrediction prediction, Status status) {
  SelectionFit out{std::move(survived), {}, status, prediction.mean};
  out.log_density = [prediction = std::move(prediction)](VectorView y) { return prediction.log_density(y); };
  return out;
}

}  // namespace

SelectionMethod linear_selection(const FitOptions& options) {
  require_no_weights(options, "FitOptions");
  return [options](const SelectionRows& rows) {
    if (rows.num_classes != 0) throw InvalidArgument("linear_selection needs SelectionOptions::task = linear");
    const LinearFit fit = fit_linear(rows.X, rows.labels, of_fold(options, rows));
    if (!is_usable(fit)) return selection_of(no_columns(rows), without_columns(rows), fit.report.status);
    return selection_of(fit.relevant, predict(fit, rows.X_new), fit.report.status);
  };
}

SelectionMethod logistic_selection(const FitOptions& options) {
  require_no_weights(options, "FitOptions");
  return [options](const SelectionRows& rows) {
    if (rows.num_classes != 2)
      throw refused("labels", fmt::format("has {} classes; logistic regression needs exactly two", rows.num_classes));
    const LogisticFit fit = fit_logistic(rows.X, rows.labels, of_fold(options, rows));
    if (!is_usable(fit)) return without_columns_of_classes(rows, fit.report.status);
    return SelectionFit{fit.relevant, log_class_probabilities(fit, rows.X_new), fit.report.status};
  };
}

SelectionMethod softmax_selection(const SoftmaxOptions& options) {
  require_no_weights(options, "SoftmaxOptions");
  return [options](const SelectionRows& rows) {
    SoftmaxOptions nameless = of_fold(options, rows);
    nameless.class_names.clear();
    const SoftmaxFit fit = fit_softmax(rows.X, rows.labels, nameless);
    if (!is_usable(fit)) return without_columns_of_classes(rows, fit.report.status);
    return SelectionFit{fit.relevant, predict(fit, rows.X_new).probability.array().log().matrix(), fit.report.status};
  };
}

}  // namespace ardvark
