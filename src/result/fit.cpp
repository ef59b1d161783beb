// Results that are computed from a Fit on demand: the full covariance, intervals, directions.
#include "ardvark/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ardvark/softmax.hpp"
#include "core/blas.hpp"
#include "core/rearrange.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "posterior/state.hpp"
#include "predict/predictive.hpp"
#include "result/intervals.hpp"
#include "result/weights.hpp"
#include "target/target.hpp"
#include "waist/waist.hpp"

namespace ardvark {

using namespace internal;

Matrix Fit::V() const {
  if (state == nullptr || state->factor.kind == CovarianceFactor::Kind::none)
    throw InvalidArgument("the fit kept no covariance factor; fit again with keep_covariance = always");
  const Standardization& s = state->standardization;
  const Index p = num_columns();
  Matrix V = state->factor.covariance(state->w.size());
  if (const Vector beside = variances_beside(*this); beside.size() > 0) V.diagonal() += beside;
  // w_user = D w. The intercept is the prediction at x = 0, one more row of the same linear map.
  if (s.intercept && s.center.size() > 0) {
    const Vector shift = s.center.cwiseProduct(s.scale), along = V.topLeftCorner(p, p) * shift;
    V(p, p) += shift.dot(along) - 2 * shift.dot(V.col(p).head(p));
    V.col(p).head(p) -= along;
    V.row(p).head(p) = V.col(p).head(p).transpose();
  }
  if (s.scale.size() > 0) {
    V.topRows(p) = s.scale.asDiagonal() * V.topRows(p);
    V.leftCols(p) = V.leftCols(p) * s.scale.asDiagonal();
  }
  if (!is_joint() && state->y_scale != 1) V *= state->y_scale * state->y_scale;
  return V;
}

Matrix Fit::covariance() const {
  const double spread = student_t_variance(degrees_of_freedom()) * (is_joint() ? noise.rate / noise.shape : 1);
  return V().unaryExpr([spread](double v) { return v == 0 ? 0 : spread * v; });  // the spread may be infinite
}

Matrix V_inverse(const Fit& fit, MatrixView X) {
  if (fit.report.solver == SolverKind::sequential && fit.state != nullptr && fit.state->factor.kind == CovarianceFactor::Kind::triangular) {
    Matrix L = fit.state->factor.L_inverse;  // V = L^-T L^-1
    const Index p = L.rows();
    if (!blas::trtri(p, L.data(), p)) throw refused("V", "is not positive definite: it has no inverse");
    Matrix inverse(p, p);
    blas::syrk(blas::Transpose::no, p, p, 1.0, L.data(), p, 0.0, inverse.data(), p);
    mirror(inverse);
    return inverse;
  }
  if (fit.state == nullptr || fit.state->a.size() == 0 || fit.state->standardization.intercept ||
      fit.state->standardization.scale.size() > 0 || !fit.state->factor.columns.empty())
    throw InvalidArgument(
        "V^-1 exists only for a fit without intercept and standardisation, not for a fit from a file, and not for few rows under shared, "
        "groups, ard and laplace (integrate_few_rows)");
  const Vector &a = fit.state->a, &omega = fit.state->omega;
  if (X.rows() != omega.size() || X.cols() != a.size())
    throw refused("X", fmt::format("is {} x {}; the fit was made from a table of {} x {}", X.rows(), X.cols(), omega.size(), a.size()));
  validate::matrix(X, "X");
  Matrix G(a.size(), a.size());
  table_design(X)->gram(omega, G);
  G.diagonal() += a;
  mirror(G);
  return G;
}

namespace {

BoundScope scope_of(PriorKind prior, Index num_flat, Index num_other) {
  if (prior == PriorKind::laplace || (num_flat > 0 && num_other == 0)) return BoundScope::nothing;
  return num_flat == 0 ? BoundScope::any_prior : BoundScope::same_flat;
}

// The scale of the Student-t distribution of a weight, also if its variance is infinite: scale^2 is
// V_jj b_N/a_N if the posterior is joint, else V_jj. (LIN.4), (SP.25)
double marginal_scale(const Fit& fit, Index j) {
  if (const double spread = student_t_variance(fit.degrees_of_freedom()); std::isfinite(spread))
    return std::sqrt((j < 0 ? fit.intercept->variance : fit.variance[j]) / spread);
  if (j >= 0) return std::sqrt(fit.V_diagonal[j] * (fit.is_joint() ? fit.noise.rate / fit.noise.shape : 1));
  if (fit.state == nullptr || fit.state->factor.kind == CovarianceFactor::Kind::none) return std::numeric_limits<double>::infinity();
  const Matrix zero = Matrix::Zero(1, fit.num_columns());  // the intercept is the mean of a row of zeros
  return student_prediction(fit, zero, PredictionOf::mean).scale[0];
}

}  // namespace

BoundScope bound_scope(const Fit& fit) {
  if (fit.completed_tables > 0) return BoundScope::nothing;
  const Index num_flat = std::count(fit.group.begin(), fit.group.end(), Partition::flat);
  const Index num_left_out = std::count(fit.group.begin(), fit.group.end(), Partition::left_out);
  return scope_of(fit.prior, num_flat, static_cast<Index>(fit.group.size()) - num_flat - num_left_out);
}

BoundScope bound_scope(const SoftmaxFit& fit) {
  Index num_flat = 0, num_other = 0;
  for (Index j = 0; j < fit.num_columns(); ++j)
    if (!fit.left_out[static_cast<std::size_t>(j)]) ++((fit.precision.row(j).array() == 0).all() ? num_flat : num_other);
  return scope_of(fit.prior, num_flat, num_other);
}

namespace {

double quantile_of(const Fit& fit, double level) {
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  return student_t_quantile(fit.degrees_of_freedom(), level);
}

// The marginal of a coefficient, or of the intercept, -1, in sd from its mean. Nothing if it is normal, or a Student-t distribution.
std::optional<TiltedMixture> tilted_marginal(const Fit& fit, Index j) {  // (SKEW.8)
  if (fit.state == nullptr || fit.state->marginals.empty()) return {};
  const TiltedParts& parts = fit.state->marginals[static_cast<std::size_t>(j < 0 ? fit.num_columns() : j)];
  if (parts.empty()) return {};
  return TiltedMixture(parts);
}

Interval marginal_interval(const Fit& fit, Index j, double quantile) {
  const double mean = j < 0 ? fit.intercept->mean : fit.mean[j];
  if (fit.is_joint() && !(fit.noise.shape > 0)) return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const double scale = marginal_scale(fit, j);
  if (scale == 0) return {mean, mean};  // left out: also where the quantile is infinite
  if (const std::optional<TiltedMixture> z = tilted_marginal(fit, j)) {
    const double tail = normal_cdf(-quantile);
    return {mean + scale * z->lower_end(tail), mean - scale * z->mirrored().lower_end(tail)};
  }
  const double half = scale * quantile;
  return {mean - half, mean + half};
}

}  // namespace

Vector direction(const Fit& fit) {
  if (fit.sparse) return fit.sparse->direction;
  Vector out = Vector::Constant(fit.num_columns(), 0.5);
  if (fit.is_joint() && !(fit.noise.shape > 0)) return out;  // there is no posterior
  for (Index j = 0; j < out.size(); ++j) {
    const double scale = marginal_scale(fit, j);
    if (!(fit.mean[j] != 0 && scale > 0)) continue;
    const double size = std::abs(fit.mean[j]) / scale;
    if (const std::optional<TiltedMixture> z = tilted_marginal(fit, j))
      out[j] = std::max(0.5, 1 - (fit.mean[j] > 0 ? *z : z->mirrored()).below(-size));
    else
      out[j] = 1 - student_t_tail(fit.degrees_of_freedom(), size);
  }
  return out;
}

Matrix direction(const SoftmaxFit& fit) {
  Matrix out = Matrix::Constant(fit.mean.rows(), fit.mean.cols(), 0.5);
  for (Index c = 0; c < out.cols(); ++c) {
    if (static_cast<std::size_t>(c) < fit.machines.size()) {
      out.col(c) = direction(fit.machines[static_cast<std::size_t>(c)]);
      continue;
    }
    for (Index j = 0; j < out.rows(); ++j)
      if (fit.variance(j, c) > 0) out(j, c) = normal_cdf(std::abs(fit.mean(j, c)) / std::sqrt(fit.variance(j, c)));
  }
  return out;
}

Interval credible_interval(const Fit& fit, Index j, double level) {
  if (j == -1 && fit.intercept) return marginal_interval(fit, j, quantile_of(fit, level));
  const Matrix interval = internal::credible_intervals(fit, {j}, level);
  return {interval(0, 0), interval(0, 1)};
}

Matrix internal::credible_intervals(const Fit& fit, const std::vector<Index>& columns, double level) {
  const double quantile = quantile_of(fit, level);
  Matrix out(static_cast<Index>(columns.size()), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    const Index j = columns[static_cast<std::size_t>(i)];
    if (j < 0 || j >= fit.num_columns()) throw InvalidArgument(fmt::format("the fit has no coefficient {}", j));
    const Interval one = marginal_interval(fit, j, quantile);
    out.row(i) << one.lower, one.upper;
  }
  return out;
}

namespace {

void require_noise(const Fit& fit) {
  if (!has_noise(fit.task)) throw InvalidArgument("the fit is logistic; only a linear fit has noise");
  if (!(fit.noise.shape > 0))
    throw InvalidArgument(fmt::format("the fit has no posterior of the noise (status: {})", to_string(fit.report.status)));
}

}  // namespace

double noise_sd(const Fit& fit) {
  require_noise(fit);
  return std::sqrt(fit.noise.rate / fit.noise.shape);
}

Interval family_interval(const Fit& fit, double level) {
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  if (fit.family.family != Family::student && fit.family.family != Family::negative_binomial)
    throw refused("family", to_string(fit.family.family), "has no parameter");
  const double half = student_t_quantile(std::numeric_limits<double>::infinity(), level) * fit.family.log_sd;
  return {std::exp(fit.family.log_mean - half), std::exp(fit.family.log_mean + half)};
}

Interval noise_sd_interval(const Fit& fit, double level) {
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  require_noise(fit);
  const double tail = 0.5 * (1 - level);
  const double upper = 1 - tail < 1 ? gamma_quantile(fit.noise.shape, fit.noise.rate, 1 - tail) : std::numeric_limits<double>::infinity();
  return {1 / std::sqrt(upper), 1 / std::sqrt(gamma_quantile(fit.noise.shape, fit.noise.rate, tail))};
}

}  // namespace ardvark
