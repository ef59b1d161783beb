// What a Fit can be asked: the full covariance, intervals.
#include "ardvark/fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/special.hpp"
#include "engine/state.hpp"

namespace ardvark {

Matrix Fit::covariance() const {
  if (state == nullptr || state->factor.kind == CovarianceFactor::Kind::none)
    throw InvalidArgument("the fit kept no covariance factor; fit again with keep_covariance = always");
  const Standardization& s = state->standardization;
  const Index p = num_columns();
  Matrix V = state->factor.covariance(state->w.size());
  // w_user = D w, and for the intercept the prediction at x = 0: one more row of the same linear map.
  Matrix map = Matrix::Zero(V.rows(), V.cols());
  for (Index j = 0; j < p; ++j) {
    const double scale = s.scale.size() > 0 ? s.scale[j] : 1.0;
    map(j, j) = scale;
    if (s.intercept && s.center.size() > 0) map(p, j) = -scale * s.center[j];
  }
  if (s.intercept) map(p, p) = 1;
  double spread = state->y_scale * state->y_scale;
  if (is_joint()) spread = noise.shape > 1 ? noise.rate / (noise.shape - 1) : std::numeric_limits<double>::infinity();
  return spread * (map * V * map.transpose());
}

Interval credible_interval(const Fit& fit, Index j, double level) {
  if (!(level > 0 && level < 1)) throw InvalidArgument(fmt::format("level is {}; it must lie between 0 and 1", level));
  if (j < -1 || j >= fit.num_columns() || (j == -1 && !fit.intercept))
    throw InvalidArgument(fmt::format("the fit has no coefficient {}", j));
  const double mean = j < 0 ? fit.intercept->mean : fit.mean[j], variance = j < 0 ? fit.intercept->variance : fit.variance[j];
  double scale = std::sqrt(variance);
  // Linear marginals are Student-t with 2 a_N degrees of freedom: scale^2 = variance (a_N - 1)/a_N, for any a_N V_jj b_N/a_N.
  const double shape = fit.noise.shape;
  if (fit.is_joint()) {
    if (!(shape > 1)) return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    scale *= std::sqrt((shape - 1) / shape);
  }
  const double half = scale * student_t_quantile(fit.degrees_of_freedom(), level);
  return {mean - half, mean + half};
}

namespace {

void require_noise(const Fit& fit) {
  if (fit.task != Task::linear) throw InvalidArgument("the fit is logistic; only a linear fit has a noise");
  if (!(fit.noise.shape > 0))
    throw InvalidArgument(fmt::format("the fit has no posterior of the noise (status: {})", to_string(fit.report.status)));
}

}  // namespace

double noise_sd(const Fit& fit) {
  require_noise(fit);
  return std::sqrt(fit.noise.rate / fit.noise.shape);
}

Interval noise_sd_interval(const Fit& fit, double level) {
  if (!(level > 0 && level < 1)) throw InvalidArgument(fmt::format("level is {}; it must lie between 0 and 1", level));
  require_noise(fit);
  const double tail = 0.5 * (1 - level);
  const double upper = 1 - tail < 1 ? gamma_quantile(fit.noise.shape, fit.noise.rate, 1 - tail) : std::numeric_limits<double>::infinity();
  return {1 / std::sqrt(upper), 1 / std::sqrt(gamma_quantile(fit.noise.shape, fit.noise.rate, tail))};
}

}  // namespace ardvark
