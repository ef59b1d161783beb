// Selection by fit_linear.
#include <cmath>
#include <limits>

#include "ardvark/linear.hpp"
#include "ardvark/select.hpp"

namespace ardvark {
namespace {

// What is known without columns: the mean and the variance of the training rows.
StudentPrediction without_columns(const SelectionRows& rows) {
  const Vector k = rows.weights.empty() ? Vector::Ones(rows.labels.size()) : Vector(rows.weights.eigen());
  const double mean = k.dot(rows.labels.eigen()) / k.sum();
  const double variance = k.dot(Vector((rows.labels.eigen().array() - mean).square())) / k.sum();
  const Index m = rows.X_new.rows();
  return {Vector::Constant(m, mean), Vector::Constant(m, std::sqrt(std::max(variance, std::numeric_limits<double>::min()))),
          std::numeric_limits<double>::infinity()};
}

SelectionFit selection_of(std::vector<bool> survived, StudentPrediction prediction, Status status) {
  SelectionFit out{std::move(survived), {}, status, prediction.mean};
  out.log_density = [prediction = std::move(prediction)](VectorView y) { return prediction.log_density(y); };
  return out;
}

}  // namespace

SelectionMethod linear_selection(const FitOptions& options) {
  if (!options.weights.empty())
    throw InvalidArgument("FitOptions::weights is not empty; the weights of a selection are SelectionOptions::weights");
  return [options](const SelectionRows& rows) {
    if (rows.num_classes != 0) throw InvalidArgument("linear_selection needs SelectionOptions::task = linear");
    FitOptions of_fold = options;
    of_fold.weights = rows.weights;
    of_fold.threads = 0;
    of_fold.keep_covariance = Keep::always;
    of_fold.on_sweep = [&](const Progress&) { return rows.go_on(); };
    const LinearFit fit = fit_linear(rows.X, rows.labels, of_fold);
    const bool usable = fit.state != nullptr && fit.mean.allFinite();
    if (!usable) return selection_of(std::vector<bool>(static_cast<std::size_t>(rows.X.cols())), without_columns(rows), fit.report.status);
    return selection_of(fit.relevant, predict(fit, rows.X_new), fit.report.status);
  };
}

}  // namespace ardvark
