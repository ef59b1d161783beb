// Predictive distributions, all computed from m = x'w and s = x'Vx.                                             docs/math/predictive.md
#include "predict/predictive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "posterior/state.hpp"
#include "preset/preset.hpp"
#include "table/row_subset.hpp"

namespace ardvark::internal {
namespace {

// The published bound on ln p(+1) for one row and one xi.                                                                      (PRED.1)
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
  [[nodiscard]] double log_probability() const {  // <= 0 up to rounding
    return -0.5 * std::log(d) + (m + 0.25 * s - 2 * lambda * m * m) / (2 * d) + log_sigmoid(xi) - 0.5 * xi + lambda * xi * xi;
  }
  /// The value that the stop rules of the published programs use.
  [[nodiscard]] double watched(double quadratic) const { return log_probability() + 0.5 * quadratic; }
};

constexpr int max_steps = 500;

double published_log_probability(double m, double s, double quadratic, bool published_stop) {
  PublishedBound b(m, s);
  const double offset = published_stop ? quadratic : 0.0, tolerance = published_stop ? 1e-5 : 1e-14;
  double last = b.watched(offset);
  for (int step = 0; step < max_steps; ++step) {
    b.update();
    const double L = b.watched(offset);
    if (std::abs(last - L) < tolerance * std::abs(L)) break;
    last = L;
  }
  return std::min(b.log_probability(), 0.0);
}

// Calls use(rows, first) with all rows, or with pieces of a table that is not dense: the posterior of a sparse prior writes a part of the
// rows out.
void by_pieces(const FitTable& X, auto&& use) {
  constexpr Index most = 2048;
  if (X.is_dense() || X.rows() <= most) return use(X, Index{0});
  for (Index first = 0; first < X.rows(); first += most) {
    std::vector<Index> rows(static_cast<std::size_t>(std::min(most, X.rows() - first)));
    std::iota(rows.begin(), rows.end(), first);
    const RowSubset some(X, rows);
    use(some.table(), first);
  }
}

double corrected(double m, double s) { return m / std::sqrt(1 + 3.14159265358979323846 * s / 8); }

}  // namespace

ComponentMoments component_moments(const Fit& fit, const FitTable& X) {
  const Mixture& mixture = fit.state->factor.mixture;
  const auto count = static_cast<Index>(mixture.components.size());
  ComponentMoments out{Matrix(X.rows(), count), Matrix(X.rows(), count)};
  by_pieces(X, [&](const FitTable& some, Index first) {
    const ComponentMoments part = mixture.component_moments(*some.design(fit.state->standardization));
    out.mean.middleRows(first, some.rows()) = part.mean;
    out.variance.middleRows(first, some.rows()) = part.variance;
  });
  for (Index c = 0; c < count; ++c) out.variance.col(c).array() += mixture.components[static_cast<std::size_t>(c)].beside;
  return out;
}

void predictive_moments(const Fit& fit, const FitTable& X, Vector& m, Vector* s) {
  if (X.cols() != fit.num_columns()) throw refused("X_new", fmt::format("has {} columns; the fit has {}", X.cols(), fit.num_columns()));
  if (!holds_posterior(fit))
    throw InvalidArgument(fmt::format("the fit has no posterior to predict from (status: {})", to_string(fit.report.status)));
  if (s != nullptr && fit.state->factor.kind == CovarianceFactor::Kind::none)
    throw InvalidArgument(
        "the fit kept no covariance factor, so its predictions have no uncertainty; fit again with keep_covariance = always");
  const Standardization& units = fit.state->standardization;
  if (fit.num_columns() > 0) X.check_new_rows(fit.column_names, units.center, units.scale);
  const blas::ThreadScope threads(0);
  const auto design = X.design(units);
  m.resize(X.rows());
  design->apply(fit.state->w, m);
  validate::predicted(m);
  if (s == nullptr) return;
  s->resize(X.rows());
  if (fit.state->factor.kind == CovarianceFactor::Kind::mixture)
    by_pieces(X, [&](const FitTable& some, Index first) {
      Vector part(some.rows());
      fit.state->factor.row_variance(*some.design(units), part);
      s->segment(first, some.rows()) = part.array() + fit.state->factor.mixture.beside();
    });
  else
    fit.state->factor.row_variance(*design, *s);
  validate::predicted(*s);
}

PredictiveRule resolved(PredictiveRule rule, const Fit& fit) {
  if (rule != PredictiveRule::automatic) return rule;
  const PresetFacts& facts = preset_facts(fit.report.preset);
  return fit.report.compat ? facts.compat_rule : facts.rule;
}

double published_probability(double m, double s, double quadratic, bool published_stop) {
  return std::exp(published_log_probability(m, s, quadratic, published_stop));
}

double class_probability(PredictiveRule rule, double m, double s) {
  switch (rule) {
    case PredictiveRule::published_row: return published_probability(m, s, 0, false);
    case PredictiveRule::plug_in: return sigmoid(m);
    case PredictiveRule::plug_in_corrected: return sigmoid(corrected(m, s));
    default: return expected_sigmoid(m, s);  // (PRED.2)
  }
}

double log_class_probability(PredictiveRule rule, double m, double s, double sign) {
  switch (rule) {
    case PredictiveRule::published_row: {
      const double second = published_log_probability(m, s, 0, false);
      return sign > 0 ? second : std::log(std::max(-std::expm1(second), 0x1p-53));
    }
    case PredictiveRule::plug_in: return log_sigmoid(sign * m);
    case PredictiveRule::plug_in_corrected: return log_sigmoid(sign * corrected(m, s));
    default: return log_expected_sigmoid(sign * m, s);  // (PRED.2)
  }
}

double class_probability(const Mixture& mixture, const ComponentMoments& moments, Index i) {
  double sum = 0;
  for (std::size_t c = 0; c < mixture.components.size(); ++c) {
    const auto at = static_cast<Index>(c);
    sum += mixture.components[c].weight * expected_sigmoid(moments.mean(i, at), moments.variance(i, at));
  }
  return std::min(sum, 1.0);  // weights sum to 1 only up to rounding
}

double log_class_probability(const Mixture& mixture, const ComponentMoments& moments, Index i, double sign) {
  const auto component = [&](std::size_t c) {
    const auto at = static_cast<Index>(c);
    return std::log(mixture.components[c].weight) + log_expected_sigmoid(sign * moments.mean(i, at), moments.variance(i, at));
  };
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t c = 0; c < mixture.components.size(); ++c) largest = std::max(largest, component(c));
  for (std::size_t c = 0; c < mixture.components.size(); ++c) sum += std::exp(component(c) - largest);
  return std::min(largest + std::log(sum), 0.0);
}

Matrix log_class_probabilities(const Fit& fit, const FitTable& X_new) {
  const PredictiveRule rule = resolved(PredictiveRule::automatic, fit);
  Vector m, s;
  predictive_moments(fit, X_new, m, &s);
  Matrix out(m.size(), 2);
  const bool is_mixture = rule == PredictiveRule::exact && fit.state->factor.kind == CovarianceFactor::Kind::mixture;
  ComponentMoments moments;
  if (is_mixture) {
    moments = component_moments(fit, X_new);
  }
  for (Index i = 0; i < m.size(); ++i)
    for (const Index second : {0, 1}) {
      const double sign = second == 1 ? 1 : -1;
      out(i, second) =
          is_mixture ? log_class_probability(fit.state->factor.mixture, moments, i, sign) : log_class_probability(rule, m[i], s[i], sign);
    }
  return out;
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
  for (Index i = 0; i < m.size(); ++i) out[i] = std::min(std::exp(rows[static_cast<std::size_t>(i)].log_probability()), 1.0);
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

namespace {

// ln of a Student-t density at distance z, in units of the scale.                                                       (LIN.4)
double log_student_density(double z, double nu) {
  constexpr double ln_pi = 1.1447298858494002;
  if (std::isinf(nu)) return -0.5 * (ln_2pi + z * z);
  return std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu) - 0.5 * (std::log(nu) + ln_pi) - 0.5 * (nu + 1) * std::log1p(z * z / nu);
}

}  // namespace

// (TN.5): tau times Gamma(nu/2, nu/2) is the precision of a row's noise.
NoiseMixturePrediction StudentPrediction::mixture() const {
  const double shape = 0.5 * noise_degrees;
  return {mean, variance_of_mean, {shape, shape * scale[0] * scale[0]}};
}

Vector StudentPrediction::standard_deviation() const {
  if (noise_degrees > 0 && scale.size() > 0) return mixture().standard_deviation();
  if (!(degrees_of_freedom > 2)) return Vector::Constant(scale.size(), std::numeric_limits<double>::infinity());
  return scale * std::sqrt(student_t_variance(degrees_of_freedom));
}

Vector StudentPrediction::half_width(double level) const {
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  if (noise_degrees > 0 && scale.size() > 0) return mixture().half_width(level);
  return scale * student_t_quantile(degrees_of_freedom, level);
}

Vector StudentPrediction::log_density(VectorView y) const {
  validate::vector(y, mean.size(), "y");
  if (noise_degrees > 0 && scale.size() > 0) return mixture().log_density(y);
  Vector out(mean.size());
  for (Index i = 0; i < out.size(); ++i) out[i] = log_student_density((y[i] - mean[i]) / scale[i], degrees_of_freedom) - std::log(scale[i]);
  return out;
}

StudentPrediction predict(const LinearFit& fit, MatrixView X_new, PredictionOf what) { return student_prediction(fit, X_new, what); }
ClassPrediction predict(const LogisticFit& fit, MatrixView X_new, PredictiveRule rule) { return class_prediction(fit, X_new, rule); }
StudentPrediction predict(const LinearFit& fit, CscView X_new, PredictionOf what) { return student_prediction(fit, X_new, what); }
ClassPrediction predict(const LogisticFit& fit, CscView X_new, PredictiveRule rule) { return class_prediction(fit, X_new, rule); }
StudentPrediction predict(const LinearFit& fit, GenotypeView X_new, PredictionOf what) { return student_prediction(fit, X_new, what); }
ClassPrediction predict(const LogisticFit& fit, GenotypeView X_new, PredictiveRule rule) { return class_prediction(fit, X_new, rule); }

}  // namespace ardvark

namespace ardvark::internal {

StudentPrediction student_prediction(const Fit& fit, const FitTable& X_new, PredictionOf what) {
  StudentPrediction out;
  Vector s;
  predictive_moments(fit, X_new, out.mean, &s);
  out.mean = fit.state->y_center + fit.state->y_scale * out.mean.array();
  const double noise = fit.noise.rate / fit.noise.shape, y2 = fit.state->y_scale * fit.state->y_scale;
  const double of_noise = what == PredictionOf::new_observation ? 1 : 0;
  if (const double nu = fit.family.degrees_of_freedom; std::isfinite(nu) && what == PredictionOf::new_observation) {
    out.scale = Vector::Constant(out.mean.size(), std::sqrt(noise));
    out.degrees_of_freedom = out.noise_degrees = nu;
    out.variance_of_mean = y2 * s;
    return out;
  }
  if (fit.is_joint())
    out.scale = (noise * (of_noise + s.array())).sqrt();  // (LIN.4)
  else
    out.scale = (of_noise * noise + y2 * s.array()).sqrt();  // (VR.4)
  out.degrees_of_freedom = fit.degrees_of_freedom();
  return out;
}

ClassPrediction class_prediction(const Fit& fit, const FitTable& X_new, PredictiveRule rule) {
  ClassPrediction out;
  rule = resolved(rule, fit);
  if (rule == PredictiveRule::plug_in && fit.state != nullptr && fit.state->factor.kind == CovarianceFactor::Kind::none) {
    predictive_moments(fit, X_new, out.mean, nullptr);
    out.variance = Vector::Constant(out.mean.size(), std::numeric_limits<double>::quiet_NaN());
  } else {
    predictive_moments(fit, X_new, out.mean, &out.variance);
  }
  const double quadratic = fit.state->quadratic;
  if (rule == PredictiveRule::published_batch) {
    published_probabilities(out.mean, out.variance, quadratic, out.probability);
    validate::predicted(out.probability);
    return out;
  }
  out.probability.resize(out.mean.size());
  if (rule == PredictiveRule::exact && fit.state->factor.kind == CovarianceFactor::Kind::mixture) {  // (SP.8)
    const Mixture& mixture = fit.state->factor.mixture;
    const ComponentMoments moments = component_moments(fit, X_new);
    for (Index i = 0; i < out.mean.size(); ++i) out.probability[i] = class_probability(mixture, moments, i);
    return out;
  }
  const bool incremental = rule == PredictiveRule::published_incremental;
  for (Index i = 0; i < out.mean.size(); ++i)
    out.probability[i] = incremental ? published_probability(out.mean[i], out.variance[i], quadratic, true)
                                     : class_probability(rule, out.mean[i], out.variance[i]);
  validate::predicted(out.probability);  // the published bound takes differences of squares
  return out;
}

}  // namespace ardvark::internal

namespace ardvark {

std::vector<Index> ClassPrediction::most_probable() const {
  std::vector<Index> out;
  for (const double p : probability) out.push_back(says_second(p) ? 1 : 0);
  return out;
}

std::vector<Index> most_probable(const Matrix& probability) {
  std::vector<Index> out(static_cast<std::size_t>(probability.rows()));
  for (Index n = 0; n < probability.rows(); ++n) {
    Index& best = out[static_cast<std::size_t>(n)];
    if (probability.cols() == 2)
      best = says_second(probability(n, 1)) ? 1 : 0;
    else
      probability.row(n).maxCoeff(&best);
  }
  return out;
}

}  // namespace ardvark
