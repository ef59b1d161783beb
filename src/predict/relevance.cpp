#include "predict/relevance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"
#include "kernel/kernel_function.hpp"
#include "posterior/state.hpp"
#include "predict/predictive.hpp"
#include "predict/softmax.hpp"

namespace ardvark {

using namespace internal;

namespace {

// Calls f(first, standardised rows, kernel at the relevance vectors) for blocks of rows, because there may be many new rows.
void by_kernel_blocks(const RelevanceFit& fit, MatrixView X, auto&& f) {
  if (fit.machines.empty()) throw InvalidArgument("the fit is empty: it has no machine to predict with");
  if (X.cols() != fit.num_inputs())
    throw refused("X_new", fmt::format("has {} columns; the fit has {} inputs", X.cols(), fit.num_inputs()));
  validate::new_rows(X, fit.input_names, fit.input_center, fit.input_scale);
  const Standardization inputs{fit.input_center, fit.input_scale, false};
  const auto rows = table_design(X, inputs);
  const Matrix C = read_table(fit.relevance_vectors, inputs);
  constexpr Index block = 4096;
  Matrix panel(std::min(block, X.rows()), X.cols()), K(panel.rows(), fit.num_vectors());
  for (Index first = 0; first < X.rows(); first += block) {
    pulse();
    const Index count = std::min(block, X.rows() - first);
    rows->read_rows(first, count, nullptr, panel);
    if (fit.num_vectors() > 0) fit.kernel.evaluate(panel.topRows(count), C, K.topRows(count));
    validate::predicted(K.topRows(count), first);
    f(first, Matrix(panel.topRows(count)), K.topRows(count));
  }
}

// What open bands add to the variance: v times the share of the kernel that the training rows leave open.                       (KM.8)
class Opening {
 public:
  explicit Opening(const RelevanceFit& fit) : kernel_(fit.kernel) {
    if (fit.bands == Bands::published) return;
    C_ = read_table(fit.band_rows, {fit.input_center, fit.input_scale, false});
    const Index m = C_.rows();
    root_.resize(m, m);
    kernel_.evaluate(C_, C_, root_);
    top_ = root_(0, 0);
    root_ /= top_;
    root_.diagonal().array() += 1e-10;  // two rows may be nearly the same
    if (!blas::potrf(m, root_.data(), m) || !blas::trtri(m, root_.data(), m))
      throw InvalidArgument("the kernel matrix of band_rows cannot be factorised");
  }
  // [rows] 1 - k' K^-1 k for standardised rows; empty for published bands.
  [[nodiscard]] Vector share(const Matrix& X) const {
    const Index m = C_.rows();
    if (m == 0) return {};
    Matrix k(m, X.rows());
    kernel_.evaluate(C_, X, k);
    k /= top_;
    blas::trmm(blas::Side::left, blas::Transpose::no, m, k.cols(), root_.data(), m, k.data(), m);
    return (1 - k.colwise().squaredNorm().transpose().array()).max(0.0);
  }

 private:
  const Kernel& kernel_;
  double top_ = 1;   // the kernel at distance 0
  Matrix C_, root_;  // L^-1 with L L' = K / top
};

// Calls f(first, machine, kernel columns of the machine, variance that open bands add or nothing) for blocks of rows.
void by_blocks(const RelevanceFit& fit, MatrixView X, auto&& f) {
  const Opening opening(fit);
  by_kernel_blocks(fit, X, [&](Index first, const Matrix& Z, const auto& K) {
    const Vector share = opening.share(Z);
    for (std::size_t i = 0; i < fit.machines.size(); ++i) {
      const Matrix columns = K(Eigen::all, fit.machines[i].vectors);
      f(first, i, columns, Vector(fit.machines[i].fitted_variance * share));
    }
  });
}

// The only machine of a regression; an empty fit if there is none.
const Fit& regression_of(const RelevanceFit& fit) {
  static const Fit none;
  return fit.machines.empty() ? none : fit.machines.front().fit;
}

bool falls(const KernelSpec& spec) { return spec.parts.empty() ? is_distance_kernel(spec.kind) : std::ranges::all_of(spec.parts, falls); }

}  // namespace

std::vector<Index> rows_beyond_data(const RelevanceFit& fit, MatrixView X_new) {
  if (X_new.cols() != fit.num_inputs())
    throw refused("X_new", fmt::format("has {} columns; the fit has {} inputs", X_new.cols(), fit.num_inputs()));
  std::vector<Index> out;
  if (fit.input_range.size() == 0 || !falls_with_distance(fit.kernel)) return out;
  const Standardization inputs{fit.input_center, fit.input_scale, false};
  const Matrix ends = fit.input_range.transpose(), range = read_table(ends, inputs);
  const auto rows = table_design(X_new, inputs);
  constexpr Index block = 4096;
  const double fallen = std::exp(-1.0);  // of a Gaussian, and of a Laplacian, at the distance of a width
  // Half the range, in which an input that was constant says nothing: its kernel decides.
  Eigen::Array<double, 1, Eigen::Dynamic> most_outside = 0.5 * (range.row(1) - range.row(0)).array();
  most_outside = (most_outside > 0).select(most_outside, std::numeric_limits<double>::infinity());
  Matrix panel(std::min(block, X_new.rows()), X_new.cols()), k(1, 1), top(1, 1);
  for (Index first = 0; first < X_new.rows(); first += panel.rows()) {
    pulse();
    const Index count = std::min(block, X_new.rows() - first);
    rows->read_rows(first, count, nullptr, panel);
    for (Index i = 0; i < count; ++i) {
      const Matrix x = panel.row(i), nearest = x.cwiseMax(range.row(0)).cwiseMin(range.row(1));
      if (nearest == x) continue;
      fit.kernel.evaluate(x, nearest, k);
      fit.kernel.evaluate(nearest, nearest, top);
      const bool leaves = ((x - nearest).array().abs() > most_outside).any();
      if (leaves || k(0, 0) < fallen * top(0, 0)) out.push_back(first + i);
    }
  }
  return out;
}

StudentPrediction predict(const RelevanceRegression& fit, MatrixView X_new, PredictionOf what) {
  return student_prediction(fit, X_new, what);
}
NoiseMixturePrediction predict_mixture(const RelevanceRegression& fit, MatrixView X_new) { return noise_mixture_prediction(fit, X_new); }
ClassProbabilities predict(const RelevanceClassification& fit, MatrixView X_new, PredictiveRule rule) {
  return class_probabilities(fit, X_new, rule);
}

}  // namespace ardvark

namespace ardvark::internal {

bool falls_with_distance(const Kernel& kernel) {
  try {
    return falls(kernel.spec());
  } catch (const InvalidArgument&) {  // a function of the caller
    return false;
  }
}

StudentPrediction student_prediction(const RelevanceFit& fit, MatrixView X_new, PredictionOf what) {
  StudentPrediction out;
  out.mean.resize(X_new.rows());
  out.scale.resize(X_new.rows());
  const Fit& machine = regression_of(fit);
  out.degrees_of_freedom = machine.degrees_of_freedom();
  by_blocks(fit, X_new, [&](Index first, std::size_t, const Matrix& K, const Vector& opening) {
    StudentPrediction part = student_prediction(machine, K, what);
    if (opening.size() > 0) part.scale = (part.scale.array().square() + opening.array()).sqrt();
    out.mean.segment(first, K.rows()) = part.mean;
    out.scale.segment(first, K.rows()) = part.scale;
  });
  return out;
}

NoiseMixturePrediction noise_mixture_prediction(const RelevanceFit& fit, MatrixView X_new) {
  NoiseMixturePrediction out;
  out.mean.resize(X_new.rows());
  out.variance_of_mean.resize(X_new.rows());
  const Fit& machine = regression_of(fit);
  out.noise = machine.noise;
  by_blocks(fit, X_new, [&](Index first, std::size_t, const Matrix& K, const Vector& opening) {
    NoiseMixturePrediction part = noise_mixture_prediction(machine, K);
    if (opening.size() > 0) part.variance_of_mean += opening;
    out.mean.segment(first, K.rows()) = part.mean;
    out.variance_of_mean.segment(first, K.rows()) = part.variance_of_mean;
  });
  return out;
}

namespace {

// Scales the probabilities of each class against the rest to the sum 1; if all are nearly zero, by their logarithms.            (RVM.6)
void bring_to_one(const Matrix& log_probability, Matrix& probability) {
  for (Index n = 0; n < probability.rows(); ++n) {
    const double sum = probability.row(n).sum();
    if (sum > 1e-250) {
      probability.row(n) /= sum;
      continue;
    }
    const Eigen::RowVectorXd relative = (log_probability.row(n).array() - log_probability.row(n).maxCoeff()).exp();
    probability.row(n) = relative / relative.sum();
  }
}

}  // namespace

ClassProbabilities class_probabilities(const RelevanceFit& fit, MatrixView X_new, PredictiveRule rule) {
  ClassProbabilities out;
  const bool two = fit.machines.size() == 1;
  out.probability.resize(X_new.rows(), static_cast<Index>(fit.classes.size()));
  Matrix log_probability(two ? 0 : X_new.rows(), out.probability.cols());
  by_blocks(fit, X_new, [&](Index first, std::size_t i, const Matrix& K, const Vector& opening) {
    const auto k = static_cast<Index>(i);
    const Fit& machine = fit.machines[i].fit;
    ClassPrediction one = class_prediction(machine, K, rule);
    PredictiveRule used = resolved(rule, machine);
    if (used == PredictiveRule::published_batch || used == PredictiveRule::published_incremental) used = PredictiveRule::published_row;
    for (Index n = 0; n < opening.size(); ++n) {
      one.variance[n] += opening[n];
      one.probability[n] = class_probability(used, one.mean[n], one.variance[n]);
    }
    out.probability.block(first, two ? 1 : k, K.rows(), 1) = one.probability;
    if (two) return;
    for (Index n = 0; n < K.rows(); ++n) log_probability(first + n, k) = log_class_probability(used, one.mean[n], one.variance[n], 1);
  });
  if (two)
    out.probability.col(0) = 1 - out.probability.col(1).array();
  else
    bring_to_one(log_probability, out.probability);
  out.most_probable = most_probable(out.probability);
  return out;
}

Matrix kernel_columns(const RelevanceFit& fit, MatrixView X) {
  Matrix out(X.rows(), fit.num_vectors());
  by_kernel_blocks(fit, X, [&](Index first, const Matrix&, const auto& K) { out.middleRows(first, K.rows()) = K; });
  return out;
}

void describe_rows(MatrixView X, VectorView labels, const Vector& k, RelevanceClassification& fit) {
  if (!holds_posterior(fit)) return;  // a machine failed: there is nothing to predict from
  class_scores(predict(fit, X), read_classes(labels, k, {}).number, k).describe(k.sum(), fit);
}

}  // namespace ardvark::internal
