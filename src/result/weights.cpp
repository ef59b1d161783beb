// Results on the weights of many columns that are computed on demand, without a matrix of all columns.
#include "result/weights.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ardvark/posterior.hpp"
#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "posterior/state.hpp"
#include "posterior/weights.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace internal {

Vector variances_beside(const Fit& fit) {
  const FitState& state = *fit.state;
  const Mixture& mixture = state.factor.mixture;
  if (state.factor.kind != CovarianceFactor::Kind::mixture || fit.V_diagonal.size() == 0) return {};
  const Vector& scale = state.standardization.scale;
  Vector out = Vector::Zero(state.w.size());
  const Index p = fit.num_columns();
  out.head(p) = fit.V_diagonal / (state.y_scale * state.y_scale);
  if (scale.size() > 0) out.head(p) = (scale.array() > 0).select(out.head(p).array() / scale.array().square(), 0.0);  // 0: constant
  for (const std::vector<Index>* const known : {&mixture.columns, &mixture.flat_columns}) out(*known).setZero();
  return out.isZero(0) ? Vector() : out;
}

namespace {

const FitState& state_with_factor(const Fit& fit) {
  if (fit.state == nullptr || fit.state->factor.kind == CovarianceFactor::Kind::none)
    throw InvalidArgument("the fit kept no covariance factor; fit again with keep_covariance = always");
  return *fit.state;
}

// Coefficients of the caller, and the intercept last, from weights of the design [design columns, any]: the intercept is the prediction at
// x = 0.
Matrix in_user_units(const FitState& state, Index p, Matrix w) {
  const Standardization& s = state.standardization;
  if (s.scale.size() > 0) w.topRows(p) = s.scale.asDiagonal() * w.topRows(p);
  if (s.intercept && s.center.size() > 0) w.row(p) -= s.center.transpose() * w.topRows(p);
  return w;
}

// The transposed map.
Matrix in_design_units(const FitState& state, Index p, Matrix e) {
  const Standardization& s = state.standardization;
  if (s.intercept && s.center.size() > 0) e.topRows(p) -= s.center * e.row(p);
  if (s.scale.size() > 0) e.topRows(p) = s.scale.asDiagonal() * e.topRows(p);
  return e;
}

// A column has an effect with its inclusion probability, which is that of a normal distribution.
void add_beside(const Fit& fit, Normals& random, Matrix& w) {
  const Vector variance = variances_beside(fit);
  for (Index j = 0; j < variance.size(); ++j) {
    if (!(variance[j] > 0)) continue;
    const double inclusion = fit.sparse ? fit.sparse->inclusion[j] : 1.0;
    const double share = inclusion > 0 ? inclusion : 1.0;
    for (Index i = 0; i < w.cols(); ++i)
      if (random.uniform() < share) w(j, i) += std::sqrt(variance[j] / share) * random();
  }
}

void require_covariance(const Fit& fit) {
  if (fit.is_joint() && !(fit.noise.shape > 1))
    throw InvalidArgument(
        fmt::format("the posterior has no covariance: its shape is {:.6g}, which must be > 1; there are too few rows", fit.noise.shape));
  if (!fit.is_joint() && !(fit.degrees_of_freedom() > 2))
    throw InvalidArgument(
        fmt::format("the posterior has no covariance: it has {:.10g} degrees of freedom, which must be > 2; there are too few rows",
                    fit.degrees_of_freedom()));
}

}  // namespace
}  // namespace internal

Matrix covariance_of(const Fit& fit, const std::vector<Index>& columns) {
  const FitState& state = state_with_factor(fit);
  const Index p = fit.num_columns(), q = state.w.size();
  const auto count = static_cast<Index>(columns.size());
  Matrix e = Matrix::Zero(q, count);
  for (Index i = 0; i < count; ++i) {
    const Index j = columns[static_cast<std::size_t>(i)];
    if (j < 0 || j >= q) throw InvalidArgument(fmt::format("the fit has no coefficient {}", j));
    e(j, i) = 1;
  }
  const blas::ThreadScope threads(0);
  e = in_design_units(state, p, std::move(e));
  Matrix of_all = times(state.factor, e);
  if (const Vector beside = variances_beside(fit); beside.size() > 0) of_all += beside.asDiagonal() * e;
  const Matrix found = in_user_units(state, p, std::move(of_all));
  Matrix out = found(columns, Eigen::all);
  out = (0.5 * (out + out.transpose())).eval();
  const double unit = fit.is_joint() ? fit.noise.rate / fit.noise.shape : state.y_scale * state.y_scale;
  const double spread = student_t_variance(fit.degrees_of_freedom()) * unit;
  return out.unaryExpr([spread](double v) { return v == 0 ? 0 : spread * v; });  // the spread may be infinite
}

// Given the precision of the noise, or of a Student-t distribution without one, the weights are normal.            (LIN.4), (SP.25)
WeightDraws draw_weights(const Fit& fit, Index count, std::uint64_t seed) {
  if (count < 1) throw wrong("count", count, "it must be at least 1");
  const FitState& state = state_with_factor(fit);
  require_covariance(fit);
  const blas::ThreadScope threads(0);
  const Index p = fit.num_columns();
  Normals random(seed);
  WeightDraws out;
  Vector spread = Vector::Ones(count);
  const double nu = fit.degrees_of_freedom();
  if (has_noise(fit.task)) {
    out.noise_precision.resize(count);
    for (Index i = 0; i < count; ++i) {
      const double at = random.uniform();
      out.noise_precision[i] = gamma_quantile(fit.noise.shape, fit.noise.rate, at);
      if (std::isfinite(nu)) spread[i] = std::sqrt(0.5 * nu / gamma_quantile(0.5 * nu, 1, at));
    }
  }
  Matrix w = deviations(state.factor, state.w.size(), count, random);
  add_beside(fit, random, w);
  const double unit = fit.is_joint() ? std::sqrt(fit.noise.rate / fit.noise.shape) : state.y_scale;
  w = in_user_units(state, p, w * (unit * spread).asDiagonal());
  out.coef = (w.topRows(p).colwise() + fit.mean).transpose();
  if (fit.intercept) out.intercept = w.row(p).transpose().array() + fit.intercept->mean;
  return out;
}

}  // namespace ardvark
