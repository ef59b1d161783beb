#include "select/knockoffs.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "select/chain_columns.hpp"

namespace ardvark::internal {
namespace {

constexpr Index most_columns = 1000;       // 1000 columns take six seconds, twice as many ten times as long
constexpr double least_difference = 0.01;  // a smaller one says nothing; either sign is left out alike

// The columns that vary, of mean 0 and mean square 1.
struct ScaledColumns {
  std::vector<Index> which;
  Matrix Z;
};

ScaledColumns scaled_columns(const FitTable& X, const Vector& weights) {
  Standardization units;
  X.moments(weights, true, units.center, units.scale);
  ScaledColumns out;
  for (Index j = 0; j < X.cols(); ++j) {
    const bool varies = std::isfinite(units.scale[j]) && units.scale[j] > 0 && !X.all_equal(j, weights, true);
    units.scale[j] = varies ? 1 / units.scale[j] : 0;
    if (varies) out.which.push_back(j);
  }
  const auto design = X.design(units);
  out.Z.resize(X.rows(), std::ssize(out.which));
  for (Index i = 0; i < out.Z.cols(); ++i) design->columns(out.which[static_cast<std::size_t>(i)], 1, out.Z.middleCols(i, 1));
  return out;
}

// The numbers first, first + step, ... below end.
std::vector<Index> every(Index step, Index first, Index end) {
  std::vector<Index> out;
  for (Index i = first; i < end; i += step) out.push_back(i);
  return out;
}

Matrix products_of(const Matrix& Z, const Vector& weights) { return Z.transpose() * weights.asDiagonal() * Z / weights.sum(); }

Vector inclusions(const Matrix& X, VectorView target, const EffectOptions& options, const EffectFamily& family) {
  FitOptions how;
  how.prior.kind = PriorKind::slab;
  how.intercept = options.intercept;
  how.weights = options.weights;
  how.keep_covariance = Keep::never;
  if (options.task != Task::logistic) how.family = family.family;
  const auto of = [](const Fit& fit) { return fit.sparse ? fit.sparse->inclusion : Vector(Vector::Zero(fit.num_columns())); };
  if (options.task == Task::counts) return of(fit_counts(X, target, how));
  return options.task == Task::logistic ? of(fit_logistic(X, target, how)) : of(fit_linear(X, target, how));
}

}  // namespace

// Ledoit and Wolf (2004); the target is the identity, which the columns' variances are already.
Matrix shrunk_correlations(const Matrix& Z, const Vector& weights) {
  const auto p = static_cast<double>(Z.cols());
  const double n = weights.sum();
  Matrix S = products_of(Z, weights);
  const double distance = S.squaredNorm() - 2 * S.trace() + p;
  const double error = (weights.dot(Z.rowwise().squaredNorm().cwiseAbs2()) / n - S.squaredNorm()) / n;
  const double shrunk = distance > 0 ? std::clamp(error / distance, 0.0, 1.0) : 1;
  return (1 - shrunk) * S + shrunk * Matrix::Identity(Z.cols(), Z.cols());
}

// With B the regression of each column on its neighbours and v what is left, C = (I - B)^-1 diag v (I - B)^-T.
Matrix neighbour_correlations(const Matrix& Z, const Vector& weights) {
  constexpr std::size_t most = 20;
  constexpr double least_left = 1e-6;  // of a combination of other columns
  const Index p = Z.cols();
  const double n = weights.sum(), noise = std::sqrt(2 * std::log(static_cast<double>(p)) / n);  // the largest of p correlations of noise
  const Matrix S = products_of(Z, weights);
  Matrix apart = Matrix::Identity(p, p);  // I - B
  Vector left(p);
  for (Index j = 0; j < p; ++j) {
    std::vector<Index> near;
    for (Index l = 0; l < j; ++l)
      if (std::abs(S(l, j)) > noise) near.push_back(l);
    std::ranges::stable_sort(near, std::greater{}, [&](Index l) { return std::abs(S(l, j)); });
    near.resize(std::min({near.size(), most, static_cast<std::size_t>(n / 4)}));
    left[j] = S(j, j);
    if (near.empty()) continue;
    Matrix A = S(near, near);
    A.diagonal() *= 1 + least_left;
    const Vector c = S.col(j)(near), weight = A.llt().solve(c);
    for (std::size_t l = 0; l < near.size(); ++l) apart(j, near[l]) = -weight[static_cast<Index>(l)];
    left[j] = std::max((S(j, j) - c.dot(weight)) * n / (n - static_cast<double>(near.size())), least_left * S(j, j));
  }
  const Matrix root = apart.triangularView<Eigen::UnitLower>().solve(Matrix(left.cwiseSqrt().asDiagonal()));
  const Vector unit = root.rowwise().norm().cwiseInverse();
  const Matrix scaled = unit.asDiagonal() * root;
  return scaled * scaled.transpose();
}

// Five times, a fifth of the rows says which of the two estimates from the others gives it the larger density.
Matrix knockoff_correlations(const Matrix& Z, const Vector& weights) {
  constexpr Index folds = 5;
  double lead = 0;  // of the neighbours, in twice the log density
  for (Index fold = 0; fold < folds; ++fold) {
    const std::vector<Index> rows = every(folds, fold, Z.rows());
    const Vector held = weights(rows);
    Vector others = weights;
    others(rows).setZero();
    if (!(others.sum() > 0 && held.sum() > 0)) continue;
    const Matrix unseen = Z(rows, Eigen::all).transpose() * held.cwiseSqrt().asDiagonal();
    const auto misfit = [&](const Matrix& C) {
      const Eigen::LLT<Matrix> factor(C);
      return 2 * held.sum() * factor.matrixLLT().diagonal().array().log().sum() + factor.matrixL().solve(unseen).squaredNorm();
    };
    lead += misfit(shrunk_correlations(Z, others)) - misfit(neighbour_correlations(Z, others));
  }
  return lead > 0 ? neighbour_correlations(Z, weights) : shrunk_correlations(Z, weights);
}

// Minimum variance-based reconstructability (Spector and Janson 2022): the minimum of tr (2C - diag s)^-1 + sum 1/s_j, one s_j at a time.
// With c = (D^-1)_jj and n = |D^-1 e_j|^2, D = 2C - diag s, the minimum in s_j is where (s_j + t) sqrt n = 1 - t c.
Vector knockoff_distances(const Matrix& correlations) {
  constexpr int most_sweeps = 50;
  constexpr double settled = 1e-3;
  const Index p = correlations.cols();
  const auto factor_at = [&](double all) { return (2 * correlations - all * Matrix::Identity(p, p)).llt(); };
  double first = 1;
  while (factor_at(first).info() != Eigen::Success && first > std::numeric_limits<double>::epsilon()) first /= 2;
  first /= 2;  // so that the inverse has digits
  Vector s = Vector::Constant(p, first);
  Matrix inverse = factor_at(first).solve(Matrix::Identity(p, p));  // its lower triangle is kept up to date
  Vector column(p);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double largest = 0;
    for (Index j = 0; j < p; ++j) {
      column << inverse.row(j).head(j).transpose(), inverse.col(j).tail(p - j);
      const double root = column.norm(), step = (1 - s[j] * root) / (root + column[j]);
      s[j] += step;
      inverse.selfadjointView<Eigen::Lower>().rankUpdate(column, step / (1 - step * column[j]));
      largest = std::max(largest, std::abs(step) / s[j]);
    }
    if (largest < settled) break;
  }
  return s;
}

bool draw_knockoffs(const Matrix& Z, const Matrix& correlations, const Vector& s, Normals& draw, Matrix& out) {
  const Eigen::LLT<Matrix> factor(correlations);
  const Matrix part = factor.solve(Matrix(s.asDiagonal()));
  Matrix V = -(s.asDiagonal() * part);
  V.diagonal() += 2 * s;
  const Eigen::LLT<Matrix> root(V);
  if (factor.info() != Eigen::Success || root.info() != Eigen::Success) return false;
  Matrix noise(Z.cols(), Z.rows());
  for (double& one : noise.reshaped()) one = draw();
  out = Z - Z * part + (root.matrixL() * noise).transpose();
  return true;
}

double knockoff_threshold(const std::vector<double>& differences, double q) {
  double best = std::numeric_limits<double>::infinity();
  for (const double d : differences) {
    const double t = std::abs(d);
    if (t == 0 || t >= best) continue;
    const auto above = std::ranges::count_if(differences, [&](double other) { return other >= t; });
    const auto below = std::ranges::count_if(differences, [&](double other) { return other <= -t; });
    if (above > 0 && static_cast<double>(1 + below) <= q * static_cast<double>(above)) best = t;
  }
  return best;
}

// In which of its two places a column stands is drawn, so that the differences of columns without an effect have either sign with the same
// probability even if a fit depends on the order of the columns.                                                             (FDR.8)
Effects effects_by_knockoffs(const FitTable& X, VectorView target, const EffectOptions& options, const EffectFamily& family) {
  validate::weights(options.weights, X.rows());
  if (family.offset.size() > 0)
    throw refused("guarantee", "knockoffs",
                  "cannot be used with an exposure or an offset: knockoffs would need a model of the columns given it");
  if (!options.flat.empty())
    throw refused("guarantee", "knockoffs",
                  "cannot be used with columns without a prior: they would need a model of the columns given these");
  const ScaledColumns columns = scaled_columns(X, weights_of(options.weights, X.rows()));
  const Index p = columns.Z.cols();
  if (p > most_columns)
    throw refused("guarantee", "knockoffs",
                  fmt::format("needs the covariance of all columns, up to {} of them; X has {}", most_columns, p));
  Effects out;
  out.guarantee = Guarantee::knockoffs;
  if (p == 0) return out;
  const Vector weights = weights_of(options.weights, X.rows());
  const Matrix correlations = knockoff_correlations(columns.Z, weights);
  Normals draw(options.seed);
  Matrix knockoffs;
  if (!draw_knockoffs(columns.Z, correlations, knockoff_distances(correlations), draw, knockoffs))
    throw refused("guarantee", "knockoffs", "needs columns of which none is a combination of others");
  Matrix both(columns.Z.rows(), 2 * p);
  std::vector<bool> is_second(static_cast<std::size_t>(p));
  for (Index j = 0; j < p; ++j) {
    const bool second = is_second[static_cast<std::size_t>(j)] = draw.uniform() < 0.5;
    both.col(second ? p + j : j) = columns.Z.col(j);
    both.col(second ? j : p + j) = knockoffs.col(j);
  }
  const Vector inclusion = inclusions(both, target, options, family);
  std::vector<std::pair<double, EffectSet>> found;
  for (Index j = 0; j < p; ++j) {
    const bool second = is_second[static_cast<std::size_t>(j)];
    const double own = inclusion[second ? p + j : j], other = inclusion[second ? j : p + j];
    if (std::abs(own - other) >= least_difference) found.push_back({own - other, {{columns.which[static_cast<std::size_t>(j)]}, own}});
  }
  std::ranges::stable_sort(found, std::greater{}, [](const auto& one) { return one.first; });
  for (auto& [difference, set] : found) {
    out.differences.push_back(difference);
    out.nested.push_back({std::move(set)});
  }
  return out;
}

}  // namespace ardvark::internal
