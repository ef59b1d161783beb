// Predictive distributions, all from m = x'w and s = x'Vx.                                           docs/math/predictive.md
#include "predict/predictive.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "core/blas.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "engine/coordinate/l1_slr.hpp"
#include "engine/state.hpp"
#include "engine/toolbox.hpp"

namespace ardvark {
namespace {

// The published bound on ln p(+1) in scalars, at one xi.                                                        (PRED.1)
struct PublishedBound {
  double m, s;
  double xi = 0, lambda = 0.125, d = 0, u = 0;

  PublishedBound(double mean, double variance) : m(mean), s(variance) { at(0); }
  void at(double new_xi) {
    xi = new_xi;
    lambda = jj_lambda(xi);
    d = 1 + 2 * lambda * s;
    u = (m + 0.5 * s) / d;
  }
  void update() { at(std::sqrt(s / d + u * u)); }
  [[nodiscard]] double log_probability() const {
    return -0.5 * std::log(d) + (m + 0.25 * s - 2 * lambda * m * m) / (2 * d) + log_sigmoid(xi) - 0.5 * xi + lambda * xi * xi;
  }
  /// What the published programs watch.
  [[nodiscard]] double watched(double quadratic) const { return log_probability() + 0.5 * quadratic; }
};

constexpr int max_steps = 500;

}  // namespace

void predictive_moments(const Fit& fit, MatrixView X, Vector& m, Vector* s) {
  if (X.cols() != fit.num_columns())
    throw InvalidArgument(fmt::format("X_new has {} columns; the fit has {}", X.cols(), fit.num_columns()));
  if (fit.state == nullptr || fit.state->w.size() == 0)
    throw InvalidArgument(fmt::format("the fit has no posterior to predict from (status: {})", to_string(fit.report.status)));
  if (s != nullptr && fit.state->factor.kind == CovarianceFactor::Kind::none)
    throw InvalidArgument(
        "the fit kept no covariance factor, so it cannot say how sure a prediction is; fit again with keep_covariance = always");
  const Standardization& units = fit.state->standardization;
  if (fit.num_columns() > 0) validate::new_rows(X, fit.column_names, units.center, units.scale);
  const blas::ThreadScope threads(0, blas::multiplications(X.rows(), X.cols()));
  DenseDesign design(X, units);
  m.resize(X.rows());
  design.apply(fit.state->w, m);
  validate::predicted(m);
  if (s == nullptr) return;
  s->resize(X.rows());
  fit.state->factor.row_variance(design, *s);
  validate::predicted(*s);
}

double published_probability(double m, double s, double quadratic, bool published_stop) {
  PublishedBound b(m, s);
  const double offset = published_stop ? quadratic : 0.0, tolerance = published_stop ? 1e-5 : 1e-14;
  double last = b.watched(offset);
  for (int step = 0; step < max_steps; ++step) {
    b.update();
    const double L = b.watched(offset);
    if (std::abs(last - L) < tolerance * std::abs(L)) break;
    last = L;
  }
  return std::exp(b.log_probability());
}

void published_probabilities(const Vector& m, const Vector& s, double quadratic, Vector& out) {
  std::vector<PublishedBound> rows;
  double last = 0;
  for (Index i = 0; i < m.size(); ++i) {
    rows.emplace_back(m[i], s[i]);
    last += rows.back().watched(quadratic);
  }
  for (int step = 0; step < max_steps; ++step) {
    double L = 0;
    for (PublishedBound& b : rows) {
      b.update();
      L += b.watched(quadratic);
    }
    if (std::abs(last - L) < 1e-5 * std::abs(L)) break;
    last = L;
  }
  out.resize(m.size());
  for (Index i = 0; i < m.size(); ++i) out[i] = std::exp(rows[static_cast<std::size_t>(i)].log_probability());
}

Vector StudentPrediction::standard_deviation() const {
  if (std::isinf(degrees_of_freedom)) return scale;
  if (!(degrees_of_freedom > 2)) return Vector::Constant(scale.size(), std::numeric_limits<double>::infinity());
  return scale * std::sqrt(degrees_of_freedom / (degrees_of_freedom - 2));
}

Vector StudentPrediction::half_width(double level) const {
  if (!(level > 0 && level < 1)) throw InvalidArgument(fmt::format("level is {}; it must lie between 0 and 1", level));
  return scale * student_t_quantile(degrees_of_freedom, level);
}

StudentPrediction predict(const LinearFit& fit, MatrixView X_new) {
  StudentPrediction out;
  Vector s;
  predictive_moments(fit, X_new, out.mean, &s);
  out.mean = fit.state->y_center + fit.state->y_scale * out.mean.array();
  const double noise = fit.noise.rate / fit.noise.shape, y2 = fit.state->y_scale * fit.state->y_scale;
  if (fit.is_joint())
    out.scale = (noise * (1 + s.array())).sqrt();  // (LIN.4)
  else
    out.scale = (noise + y2 * s.array()).sqrt();  // (VR.4)
  out.degrees_of_freedom = fit.degrees_of_freedom();
  return out;
}

ClassPrediction predict(const LogisticFit& fit, MatrixView X_new, PredictiveRule rule) {
  ClassPrediction out;
  // VBLinLogit publishes its own rule; every other program plugs the mean in, and the exact one takes its place.
  if (rule == PredictiveRule::automatic)
    rule = fit.report.preset.starts_with("vb_logit")                                                     ? PredictiveRule::published_row
           : fit.report.compat && (is_toolbox_preset(fit.report.preset) || is_l1_slr(fit.report.preset)) ? PredictiveRule::plug_in
                                                                                                         : PredictiveRule::exact;
  if (rule == PredictiveRule::plug_in && fit.state != nullptr && fit.state->factor.kind == CovarianceFactor::Kind::none) {
    predictive_moments(fit, X_new, out.mean, nullptr);
    out.variance = Vector::Constant(out.mean.size(), std::numeric_limits<double>::quiet_NaN());
  } else {
    predictive_moments(fit, X_new, out.mean, &out.variance);
  }
  const double quadratic = fit.state->quadratic;
  if (rule == PredictiveRule::published_batch) {
    published_probabilities(out.mean, out.variance, quadratic, out.probability);
    return out;
  }
  out.probability.resize(out.mean.size());
  if (rule == PredictiveRule::exact && fit.state->factor.kind == CovarianceFactor::Kind::mixture) {  // (SP.8)
    DenseDesign design(X_new, fit.state->standardization);
    const Mixture& mixture = fit.state->factor.mixture;
    const ComponentMoments moments = mixture.component_moments(design);
    out.probability.setZero();
    for (std::size_t c = 0; c < mixture.components.size(); ++c)
      for (Index i = 0; i < out.mean.size(); ++i)
        out.probability[i] += mixture.components[c].weight *
                              expected_sigmoid(moments.mean(i, static_cast<Index>(c)), moments.variance(i, static_cast<Index>(c)));
    return out;
  }
  for (Index i = 0; i < out.mean.size(); ++i) {
    const double m = out.mean[i], s = out.variance[i];
    switch (rule) {
      case PredictiveRule::published_row: out.probability[i] = published_probability(m, s, quadratic, false); break;
      case PredictiveRule::published_incremental: out.probability[i] = published_probability(m, s, quadratic, true); break;
      case PredictiveRule::plug_in: out.probability[i] = sigmoid(m); break;
      case PredictiveRule::plug_in_corrected: out.probability[i] = sigmoid(m / std::sqrt(1 + 3.14159265358979323846 * s / 8)); break;
      default: out.probability[i] = expected_sigmoid(m, s); break;  // (PRED.2)
    }
  }
  return out;
}

}  // namespace ardvark
