#include "impute/variable.hpp"

#include <cmath>
#include <optional>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "core/special.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

FitOptions options_of_conditional(const Vector& k) {
  FitOptions options;
  options.prior = Prior::shared();
  options.standardize = false;  // the columns are in common units already
  options.keep_covariance = Keep::always;
  options.threads = 1;
  options.weights = k;
  return options;
}

// Intercept and weights from N(mean, V/tau).
Vector drawn_weights(const Fit& fit, double tau, Normals& random) {
  const Index p = fit.num_columns();
  Vector z(p + 1);
  for (double& one : z) one = random();
  const Vector moved = root_of(fit.V()) * z / std::sqrt(tau);
  Vector out(p + 1);
  out[0] = fit.intercept->mean + moved[p];
  out.tail(p) = fit.mean + moved.head(p);
  return out;
}

// Without predictors: tau ~ Gamma((n - 1)/2, S/2) and the mean given it, S the sum of squares about the mean.                    (MI.2)
Conditional draw_of_mean(Index num_predictors, const Vector& y, const Vector& k, Normals& random) {
  Conditional out{Matrix::Zero(num_predictors + 1, 1), 0};
  const double n = k.sum(), mean = k.dot(y) / n, squares = k.dot((y.array() - mean).square().matrix());
  out.weights(0, 0) = mean;
  if (!(squares > 0) || !(n > 1)) return out;
  out.sd = 1 / std::sqrt(gamma_quantile(0.5 * (n - 1), 0.5 * squares, random.uniform()));
  out.weights(0, 0) += out.sd / std::sqrt(n) * random();
  return out;
}

Conditional draw_of_number(const Matrix& P, const Vector& y, const Vector& k, Normals& random) {
  if (P.cols() == 0 || y.maxCoeff() == y.minCoeff()) return draw_of_mean(P.cols(), y, k, random);
  const Fit fit = fit_linear(P, y, options_of_conditional(k));
  if (!holds_posterior(fit)) return draw_of_mean(P.cols(), y, k, random);
  const double tau = gamma_quantile(fit.noise.shape, fit.noise.rate, random.uniform());
  return {drawn_weights(fit, tau, random), 1 / std::sqrt(tau)};
}

// Intercept and weights of the log odds of a level. Of one that no row, or every row, has: half a row is added to either side.
Vector draw_of_level(const Matrix& P, const Vector& is_it, const Vector& k, Normals& random) {
  Vector out = Vector::Zero(P.cols() + 1);
  const double in = k.dot(is_it), total = k.sum();
  const bool varies = is_it.maxCoeff() > is_it.minCoeff() && in > 0 && in < total;
  if (P.cols() > 0 && varies)
    if (const Fit fit = fit_logistic(P, is_it, options_of_conditional(k)); holds_posterior(fit)) return drawn_weights(fit, 1, random);
  out[0] = std::log((in + 0.5) / (total - in + 0.5));
  return out;
}

// Which rows have this level: its column is 1, or all columns are 0.
Vector has_level(const Matrix& Z, const std::vector<Index>& rows, const Variable& v, const TableUnits& units, Index level) {
  const auto is_one = [&](Index row, Index j) { return Z(row, j) > (0.5 - units.center[j]) * units.scale[j]; };
  Vector out(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool has = level == v.reference;
    for (Index j = v.first; has && j < v.first + v.width; ++j) has = !is_one(rows[i], j);
    if (level != v.reference) has = is_one(rows[i], v.column_of(level));
    out[static_cast<Index>(i)] = has ? 1 : 0;
  }
  return out;
}

// A softmax has weights for each level and column; more than these would take too long.
constexpr Index most_weights_of_softmax = 150;
// The sigmoid of scores so far below zero is their exponential, so that (MI.3) holds with the draw of one against the rest.
constexpr double far_below = 1000;

// Intercepts and weights of the scores of all levels, from a softmax of those that occur; others are never drawn.                (MI.3)
std::optional<Matrix> draw_of_softmax(const Matrix& P, const Vector& level, Index num_levels, const Vector& k, Normals& random) {
  std::vector<Index> used;
  for (Index l = 0; l < num_levels; ++l)
    if (k.dot(Vector((level.array() == static_cast<double>(l)).cast<double>())) > 0) used.push_back(l);
  const Index q = P.cols() + 1, C = std::ssize(used);
  if (P.cols() == 0 || C < 3 || C * q > most_weights_of_softmax) return std::nullopt;
  SoftmaxOptions options;
  static_cast<FitOptions&>(options) = options_of_conditional(k);
  options.coding = ClassCoding::softmax;
  const SoftmaxFit fit = fit_softmax(P, level, options);
  if (fit.num_classes() != C || !fit.mean.allFinite()) return std::nullopt;
  // Against the first of them, because the weights of all are determined up to a common number.
  const Index size = (C - 1) * q;
  const Matrix all = fit.covariance();
  if (!all.allFinite()) return std::nullopt;
  const Matrix first = Matrix::Identity(q, q).replicate(C - 1, 1);
  const Matrix across = all.bottomLeftCorner(size, q) * first.transpose();
  const Matrix covariance =
      all.bottomRightCorner(size, size) - across - across.transpose() + first * all.topLeftCorner(q, q) * first.transpose();
  Vector z(size);
  for (double& one : z) one = random();
  Vector moved = Vector::Zero(C * q);
  moved.tail(size) = root_of(covariance) * z;
  Matrix out = Matrix::Zero(q, num_levels);
  out.row(0).setConstant(-2 * far_below);
  for (Index c = 0; c < C; ++c) {
    const Index l = used[static_cast<std::size_t>(c)];
    out(0, l) = fit.intercept[c] + moved[c * q + P.cols()] - far_below;
    out.col(l).tail(P.cols()) = fit.mean.col(c) + moved.segment(c * q, P.cols());
  }
  return out;
}

// A level from the probabilities of one against the rest, scaled to a sum of one.                                              (MI.3)
Index drawn_level(const Eigen::Ref<const Vector>& scores, Normals& random) {
  const double u = random.uniform();
  if (scores.size() == 1) return u < sigmoid(scores[0]) ? 1 : 0;
  const Vector log_p = scores.unaryExpr([](double x) { return log_sigmoid(x); });
  const Vector p = (log_p.array() - log_p.maxCoeff()).exp();
  double left = u * p.sum();
  for (Index level = 0; level < p.size(); ++level)
    if ((left -= p[level]) < 0) return level;
  return p.size() - 1;
}

}  // namespace

std::vector<Variable> variables_of(const FeatureEncoding& encoding) {
  std::vector<Variable> out;
  const std::vector<Index> feature = encoding.feature_of_columns();
  for (std::size_t j = 0; j < feature.size(); ++j) {
    if (!out.empty() && out.back().feature == feature[j]) {
      ++out.back().width;
      continue;
    }
    const FeatureColumn& column = encoding.features[static_cast<std::size_t>(feature[j])];
    const Index num_levels = column.is_truth ? 2 : column.categorical ? static_cast<Index>(column.levels.size()) : 0;
    out.push_back({static_cast<Index>(j), 1, num_levels, column.reference, feature[j]});
  }
  return out;
}

Conditional draw_conditional(const Matrix& Z, const Vector& k, const Variable& variable, const TableUnits& units,
                             const std::vector<Index>& predictors, const std::vector<Index>& rows, Normals& random) {
  const Matrix P = Z(rows, predictors);
  Vector weights = k(rows);
  if (!(weights.sum() > 0)) weights.setOnes();
  if (!variable.is_text()) return draw_of_number(P, Z(rows, variable.first), weights, random);
  Conditional out{Matrix(P.cols() + 1, variable.num_scores()), 0};
  if (variable.num_scores() > 1) {
    Vector level = Vector::Zero(std::ssize(rows));
    for (Index l = 1; l < variable.num_levels; ++l) level += static_cast<double>(l) * has_level(Z, rows, variable, units, l);
    if (const std::optional<Matrix> scores = draw_of_softmax(P, level, variable.num_levels, weights, random)) return {*scores, 0};
  }
  for (Index score = 0; score < variable.num_scores(); ++score) {
    const Index level = variable.num_scores() == 1 ? 1 : score;
    out.weights.col(score) = draw_of_level(P, has_level(Z, rows, variable, units, level), weights, random);
  }
  return out;
}

void fill(Matrix& Z, const std::vector<Index>& rows, const Variable& v, const TableUnits& units, const std::vector<Index>& predictors,
          const Conditional& conditional, Normals& random) {
  const Index p = conditional.weights.rows() - 1;
  Matrix scores = Z(rows, predictors) * conditional.weights.bottomRows(p);
  scores.rowwise() += conditional.weights.row(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<Index>(i);
    if (!v.is_text()) {
      Z(rows[i], v.first) = scores(at, 0) + conditional.sd * random();
      continue;
    }
    const Index level = drawn_level(scores.row(at).transpose(), random);
    for (Index j = v.first; j < v.first + v.width; ++j) Z(rows[i], j) = -units.center[j] * units.scale[j];
    if (level != v.reference) {
      const Index j = v.column_of(level);
      Z(rows[i], j) = (1 - units.center[j]) * units.scale[j];
    }
  }
}

}  // namespace ardvark::internal
