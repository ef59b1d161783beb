#include "predict/process.hpp"

#include <algorithm>
#include <cmath>

#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"
#include "predict/kernel_point.hpp"
#include "predict/relevance.hpp"
#include "predict/softmax.hpp"
#include "predict/student_mixture.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

// Calls f(first row, inputs as the kernel uses them) for blocks of rows.
void by_blocks(const KernelFit& fit, MatrixView X, auto&& f) {
  check_new_rows(fit, X);
  const auto rows = table_design(X, {fit.input_center, fit.input_scale, false});
  constexpr Index block = 1024;
  for (Index first = 0; first < X.rows(); first += block) {
    pulse();
    const Index count = std::min(block, X.rows() - first);
    Matrix panel(count, X.cols());
    rows->read_rows(first, count, nullptr, panel);
    f(first, panel);
  }
}

// Calls f(process, point, first row, moments) for blocks of rows.
void by_points(const KernelFit& fit, MatrixView X, auto&& f) {
  const Matrix vectors = vectors_as_used(fit);
  for (std::size_t p = 0; p < fit.processes.size(); ++p)
    for (std::size_t i = 0; i < fit.processes[p].points.size(); ++i) {
      const PointPredictor predictor(fit.processes[p].points[i], vectors);
      by_blocks(fit, X, [&](Index first, const Matrix& panel) {
        const PointPredictor::Moments moments = predictor.moments(panel);
        validate::predicted(moments.mean, first);
        validate::predicted(moments.variance, first);
        f(p, static_cast<Index>(i), first, moments);
      });
    }
}

}  // namespace

Vector TMixturePrediction::standard_deviation() const {
  if (!(degrees_of_freedom > 2)) return Vector::Constant(mean.size(), std::numeric_limits<double>::infinity());
  const double factor = std::isinf(degrees_of_freedom) ? 1 : degrees_of_freedom / (degrees_of_freedom - 2);
  const Matrix off = part_mean.colwise() - mean;
  return ((factor * part_scale.array().square() + off.array().square()).matrix() * weight).cwiseSqrt();
}

Vector TMixturePrediction::quantile(double probability) const {
  if (!(probability > 0 && probability < 1)) throw wrong("probability", probability, "it must lie between 0 and 1");
  const bool is_upper = probability > 0.5;
  const double tail = is_upper ? 1 - probability : probability;
  Vector out(mean.size());
  const StudentTail t(degrees_of_freedom);
  for (Index i = 0; i < out.size(); ++i) out[i] = mixture_quantile(t, weight, part_mean.row(i), part_scale.row(i), tail, is_upper);
  return out;
}

std::pair<Vector, Vector> TMixturePrediction::interval(double level) const {
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  return {quantile(0.5 * (1 - level)), quantile(0.5 * (1 + level))};
}

Vector TMixturePrediction::log_density(VectorView y) const {
  validate::vector(y, mean.size(), "y");
  Vector out(y.size());
  for (Index i = 0; i < out.size(); ++i) {
    const StudentPrediction parts{part_mean.row(i), part_scale.row(i), degrees_of_freedom};
    const Vector each = parts.log_density(Vector(Vector::Constant(weight.size(), y[i])));
    const double most = each.maxCoeff();
    out[i] = most + std::log(((each.array() - most).exp() * weight.array()).sum());
  }
  return out;
}

std::vector<Interval> width_intervals(const KernelHypothesis& hypothesis, double level) {
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  if (level == 0.95) return hypothesis.intervals;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double longer = student_t_quantile(infinity, level) / student_t_quantile(infinity, 0.95);
  std::vector<Interval> out = hypothesis.intervals;
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double width = hypothesis.widths[j];
    if (!std::isfinite(width)) continue;
    out[j] = {width * std::pow(out[j].lower / width, longer), width * std::pow(out[j].upper / width, longer)};
  }
  return out;
}

TMixturePrediction predict(const KernelRegression& fit, MatrixView X_new, PredictionOf what) {
  return mixture_prediction(fit, X_new, what);
}
ClassProbabilities predict(const KernelClassification& fit, MatrixView X_new) { return class_probabilities(fit, X_new); }

}  // namespace ardvark

namespace ardvark::internal {

Vector function_mean(const KernelFit& fit, std::size_t process, MatrixView X) {
  const Matrix vectors = vectors_as_used(fit);
  Vector out = Vector::Zero(X.rows());
  for (const KernelPoint& point : fit.processes.at(process).points) {
    const PointPredictor predictor(point, vectors, false);
    by_blocks(fit, X, [&](Index first, const Matrix& panel) {
      const Vector mean = predictor.mean(panel);
      validate::predicted(mean, first);
      out.segment(first, panel.rows()) += point.weight * mean;
    });
  }
  return out;
}

TMixturePrediction mixture_prediction(const KernelFit& fit, MatrixView X_new, PredictionOf what) {
  const std::vector<KernelPoint>& points = fit.processes.at(0).points;
  const auto size = static_cast<Index>(points.size());
  TMixturePrediction out{{}, Vector(size), Matrix(X_new.rows(), size), Matrix(X_new.rows(), size), fit.degrees_of_freedom};
  for (Index i = 0; i < size; ++i) out.weight[i] = points[static_cast<std::size_t>(i)].weight;
  out.weight /= out.weight.sum();
  const double noise = what == PredictionOf::new_observation ? 1 : 0;
  by_points(fit, X_new, [&](std::size_t, Index i, Index first, const PointPredictor::Moments& of) {
    const double s2 = points[static_cast<std::size_t>(i)].noise_variance;
    out.part_mean.col(i).segment(first, of.mean.size()) = fit.target_center + fit.target_scale * of.mean.array();
    out.part_scale.col(i).segment(first, of.mean.size()) = fit.target_scale * (s2 * (of.variance.array() + noise)).sqrt();
  });
  // A mean lies between those of the parts, also where they differ by less than its rounding.
  out.mean = (out.part_mean * out.weight).cwiseMax(out.part_mean.rowwise().minCoeff()).cwiseMin(out.part_mean.rowwise().maxCoeff());
  return out;
}

namespace {

// [rows, answers] E sigma of the score of each process.                                                                          (PRED.2)
Matrix answers(const KernelFit& fit, MatrixView X) {
  Matrix out = Matrix::Zero(X.rows(), static_cast<Index>(fit.processes.size()));
  by_points(fit, X, [&](std::size_t p, Index i, Index first, const PointPredictor::Moments& of) {
    const double weight = fit.processes[p].points[static_cast<std::size_t>(i)].weight;
    for (Index n = 0; n < of.mean.size(); ++n)
      out(first + n, static_cast<Index>(p)) += weight * expected_sigmoid(of.mean[n], of.variance[n]);
  });
  return out;
}

// [rows, answers] The same for training rows, each by the posterior without itself.                                              (KM.12)
Matrix answers_without_own(const KernelFit& fit, MatrixView X, const std::vector<Index>& own, const Vector& k) {
  Matrix out = Matrix::Zero(X.rows(), static_cast<Index>(fit.processes.size()));
  by_points(fit, X, [&](std::size_t p, Index i, Index first, const PointPredictor::Moments& of) {
    const auto answer = static_cast<Index>(p);
    const double weight = fit.processes[p].points[static_cast<std::size_t>(i)].weight;
    for (Index n = 0; n < of.mean.size(); ++n)
      out(first + n, answer) += weight * left_out_probability(own[static_cast<std::size_t>(first + n)] == answer, k[first + n], of.mean[n],
                                                              of.variance[n] - of.rest[n], of.rest[n]);
  });
  return out;
}

ClassProbabilities with_most_probable(Matrix probability) {
  ClassProbabilities out{std::move(probability), {}};
  out.most_probable = most_probable(out.probability);
  return out;
}

}  // namespace

ClassProbabilities class_probabilities(const KernelFit& fit, MatrixView X_new) {
  Matrix answer = answers(fit, X_new);
  if (fit.processes.size() > 1) {
    given_one_class(answer, fit.odds_power);
    return with_most_probable(std::move(answer));
  }
  Matrix both(answer.rows(), 2);
  both.col(1) = answer.col(0).cwiseMin(1);
  both.col(0) = 1 - both.col(1).array();
  return with_most_probable(std::move(both));
}

void take_power(const PowerSums& sums, double total_weight, KernelFit& fit) {
  fit.odds_power = sums.power();
  sums.scores().describe(total_weight, fit);
}

void describe_rows(MatrixView X, VectorView target, const Vector& k, KernelFit& fit) {
  if (has_classes(fit.task)) {
    const std::vector<Index> own = read_classes(target, k, {}).number;
    if (fit.processes.size() == 1) {
      class_scores(class_probabilities(fit, X), own, k).describe(k.sum(), fit);
      return;
    }
    PowerSums sums;
    sums.add(answers(fit, X), answers_without_own(fit, X, own, k), own, k);
    take_power(sums, k.sum(), fit);
    return;
  }
  const Vector mean = fit.target_center + fit.target_scale * function_mean(fit, 0, X).array(), y = target.eigen();
  const double centre = k.dot(y) / k.sum(), total = k.dot((y.array() - centre).square().matrix());
  fit.r_squared = total > 0 ? 1 - k.dot((y - mean).cwiseAbs2()) / total : 0;
  const double centre_of_mean = k.dot(mean) / k.sum();
  fit.signal_sd = std::sqrt(k.dot((mean.array() - centre_of_mean).square().matrix()) / k.sum());
  double noise = 0;
  for (const KernelPoint& point : fit.processes.front().points) noise += point.weight * point.noise_variance;
  fit.noise_sd = fit.target_scale * std::sqrt(noise);
}

}  // namespace ardvark::internal
