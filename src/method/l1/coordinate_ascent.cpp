#include "method/l1/coordinate_ascent.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/blas.hpp"
#include "core/decay.hpp"
#include "core/pairwise.hpp"
#include "frame/separation.hpp"

namespace ardvark::internal {
namespace {

Vector lengths_of(Design& X, const Vector& k) {
  const Index block = std::clamp<Index>((Index{1} << 20) / X.rows(), 1, X.cols());
  Matrix panel(X.rows(), block);
  Vector length(X.cols());
  for (Index first = 0; first < X.cols(); first += block) {
    const Index count = std::min(block, X.cols() - first);
    X.columns(first, count, panel.leftCols(count));
    for (Index j = 0; j < count; ++j) length[first + j] = std::sqrt(k.dot(panel.col(j).cwiseAbs2()));
  }
  return length;
}

}  // namespace

CoordinateAscent::CoordinateAscent(Design& X, Vector t, Vector k, const std::vector<Index>& flat, Vector length, RowLoss loss)
    : X_(X),
      t_(std::move(t)),
      k_(std::move(k)),
      length_(length.size() > 0 ? std::move(length) : lengths_of(X, k_)),
      flat_(static_cast<std::size_t>(X.cols()), false),
      total_(k_.sum()),
      loss_(loss),
      position_(static_cast<std::size_t>(X.cols()), -1),
      r_(X.rows()),
      omega_(X.rows()),
      exponential_(X.rows()),
      column_(X.rows(), 1) {
  for (Index j : flat) flat_[static_cast<std::size_t>(j)] = true;
  set_rows(Vector::Zero(X.rows()));
  take(flat);
}

// ---- the active columns -----------------------------------------------------------------------------------------------------------------

void CoordinateAscent::take(const std::vector<Index>& columns) {
  const Index before = size(), after = before + static_cast<Index>(columns.size());
  if (after > held_.cols()) held_.conservativeResize(X_.rows(), std::max({after, 2 * held_.cols(), Index{16}}));
  v_.conservativeResize(after);
  gradient_.conservativeResize(after);
  for (Index j : columns) {
    const Index i = size();
    X_.columns(j, 1, held_.middleCols(i, 1));
    v_[i] = 0;
    gradient_[i] = held_.col(i).dot(r_);
    position_[static_cast<std::size_t>(j)] = i;
    columns_.push_back(j);
  }
}

// Removes columns with a weight of zero if there are many: the size of G is the square of the number of active columns.
void CoordinateAscent::drop_idle(double lambda) {
  std::vector<Index> kept;
  for (Index i = 0; i < size(); ++i)
    if (flat_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(i)])] || v_[i] != 0 || std::abs(gradient_[i]) > lambda)
      kept.push_back(i);
  const auto count = static_cast<Index>(kept.size());
  if (size() - count <= 16 + count / 4) return;
  if (model_.size() == size())
    model_.keep(kept);
  else
    model_fails_ = true;
  for (Index j : columns_) position_[static_cast<std::size_t>(j)] = -1;
  for (Index i = 0; i < count; ++i) {
    const Index from = kept[static_cast<std::size_t>(i)], j = columns_[static_cast<std::size_t>(from)];
    if (from != i) held_.col(i) = held_.col(from);
    v_[i] = v_[from];
    gradient_[i] = gradient_[from];
    columns_[static_cast<std::size_t>(i)] = j;
    position_[static_cast<std::size_t>(j)] = i;
  }
  columns_.resize(kept.size());
  v_.conservativeResize(count);
  gradient_.conservativeResize(count);
}

// ---- the rows ---------------------------------------------------------------------------------------------------------------------------

// With z = (2t - 1) m:  t m - softplus(m) = -softplus(-z) = min(z, 0) - ln(1 + e^-|z|).                                         (L1.1)
// A step is judged by 1e-14 of this sum, which rounding of a plain sum of many rows exceeds.                                     (L1.4)
double CoordinateAscent::log_likelihood_at(const Vector& m) {
  const auto square = [&](Index i) { return k_[i] * (t_[i] - m[i]) * (t_[i] - m[i]); };
  if (loss_ == RowLoss::squared) return -0.5 * pairwise_sum(0, m.size(), square);  // (L1.10)
  exponential_ = m.cwiseAbs();
  decay(exponential_.data(), exponential_.size());
  return pairwise_sum(0, m.size(), [&](Index i) {
    const double z = t_[i] > 0.5 ? m[i] : -m[i];
    return k_[i] * (std::min(z, 0.0) - std::log1p(exponential_[i]));
  });
}

// r = k (t - sigma(m)) without cancellation, omega = k sigma'(m).                                                                (L1.2)
void CoordinateAscent::set_rows(const Vector& m) {
  m_ = m;
  log_likelihood_ = log_likelihood_at(m_);
  if (loss_ == RowLoss::squared) {
    r_ = k_.cwiseProduct(t_ - m_);
    omega_ = k_;
    return;
  }
  for (Index i = 0; i < m_.size(); ++i) {
    const double e = exponential_[i], inverse = 1 / (1 + e), direction = t_[i] > 0.5 ? 1 : -1;
    r_[i] = k_[i] * direction * (direction * m_[i] >= 0 ? e * inverse : inverse);
    omega_[i] = k_[i] * e * inverse * inverse;
  }
}

void CoordinateAscent::find_gradient() {
  if (size() > 0) blas::gemv(blas::Transpose::yes, held_.rows(), size(), 1.0, held_.data(), held_.rows(), r_.data(), 0.0, gradient_.data());
}

double CoordinateAscent::rounding_of_gradient() const {
  double square = 0;
  for (Index i = 0; i < r_.size(); ++i)
    if (k_[i] > 0) square += r_[i] * r_[i] / k_[i];
  return 1e-14 * std::sqrt(square);
}

// ---- Newton steps of the active columns -------------------------------------------------------------------------------------------------

double CoordinateAscent::penalty_of(const Vector& v, double lambda) const {
  double sum = 0;
  for (Index i = 0; i < size(); ++i)
    if (!flat_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(i)])]) sum += std::abs(v[i]);
  return lambda * sum;
}

double CoordinateAscent::violation(double lambda) const {  // (L1.2)
  double worst = 0;
  const double floor = rounding_of_gradient();
  for (Index i = 0; i < size(); ++i) {
    const Index j = columns_[static_cast<std::size_t>(i)];
    const double excess = optimality_excess(gradient_[i], v_[i], flat_[static_cast<std::size_t>(j)] ? 0 : lambda);
    worst = std::max(worst, excess - floor * length_[j]);
  }
  return worst / lambda;
}

bool CoordinateAscent::step(double lambda, double accuracy) {
  // Up to this size, a new G costs little. With more columns, the last one is used as long as its steps are good.               (L1.4)
  constexpr Index small = 32;
  for (bool again = true; again;) {
    const bool renew = model_fails_ || size() <= small;
    if (renew)
      model_.rebuild(held_, size(), omega_);
    else
      model_.append(held_, size());
    again = !renew;
    Vector lambdas(size());
    for (Index i = 0; i < size(); ++i) lambdas[i] = flat_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(i)])] ? 0 : lambda;
    Vector target = v_;
    const double scale = model_.omega().sum() / std::max(omega_.sum(), 1e-300);  // from the present omega to the size of that in the model
    model_.minimise(scale * gradient_, scale * lambdas, accuracy, target);
    const double before = penalty_of(v_, lambda), objective = log_likelihood_ - before, rounding = 1e-14 * (before - log_likelihood_);
    const double gain = predicted_gain(gradient_, lambdas, v_, target);
    model_fails_ = true;
    if (!(gain > 0)) continue;
    const double violated = violation(lambda);
    Vector trial = target;
    for (double length = 1; length > 1e-8; length /= 2) {
      if (length < 1) trial = v_ + length * (target - v_);
      trial_m_.resize(X_.rows());
      blas::gemv(blas::Transpose::no, held_.rows(), size(), 1.0, held_.data(), held_.rows(), trial.data(), 0.0, trial_m_.data());
      if (log_likelihood_at(trial_m_) - penalty_of(trial, lambda) < objective + 1e-4 * length * gain - rounding) continue;
      v_ = trial;
      set_rows(trial_m_);
      find_gradient();
      const double left = violation(lambda);
      model_fails_ = length < 1 || left > 0.3 * violated;
      return gain > rounding || left < 0.5 * violated;
    }
  }
  return false;
}

bool CoordinateAscent::settle(double lambda, double goal, const CoordinateSettings& settings, CoordinateOutcome& out) {
  for (int idle = 0;;) {
    out.optimality = violation(lambda);
    if (out.optimality <= goal) return true;
    if (idle == 3) {
      out.at_rounding = true;
      return true;
    }
    if (out.num_steps >= settings.max_steps) {
      out.status = Status::max_sweeps;
      return false;
    }
    idle = step(lambda, goal > settings.tolerance && size() > 64 ? 0.05 : 0) ? 0 : idle + 1;
    ++out.num_steps;
    out.objective.push_back(log_likelihood_ - penalty_of(v_, lambda));
    if (settings.on_step && !settings.on_step(out.num_steps, out.objective.back())) {
      out.status = Status::stopped_by_user;
      return false;
    }
  }
}

// ---- the columns outside ----------------------------------------------------------------------------------------------------------------

double CoordinateAscent::gradient_of(Index column) {
  X_.columns(column, 1, column_);
  return column_.col(0).dot(r_);
}

void CoordinateAscent::full_pass(double lambda, CoordinateOutcome& out) {
  reference_gradient_.resize(X_.cols());
  X_.project(r_, reference_gradient_);
  reference_r_ = r_;
  reference_lambda_ = lambda;
  ++out.num_passes;
}

CoordinateAscent::Outside CoordinateAscent::look_outside(double lambda, double tolerance, CoordinateOutcome& out) {
  // r = c r0 + rest: |x_j'r| <= |c g_j| + |x_j| |rest|, lengths in the metric of the weights.                                   (L1.6)
  double across = 0, own = 0;
  for (Index i = 0; i < r_.size(); ++i) {
    if (!(k_[i] > 0)) continue;
    across += r_[i] * reference_r_[i] / k_[i];
    own += reference_r_[i] * reference_r_[i] / k_[i];
  }
  const double c = own > 0 ? across / own : 0;
  double rest = 0;
  for (Index i = 0; i < r_.size(); ++i)
    if (k_[i] > 0) rest += (r_[i] - c * reference_r_[i]) * (r_[i] - c * reference_r_[i]) / k_[i];
  rest = std::sqrt(rest);

  Outside found;
  std::vector<std::pair<double, Index>> violators;
  const double floor = rounding_of_gradient();
  const auto judge = [&](Index j, double g) {
    if (!(std::abs(g) > lambda * (1 + tolerance) + floor * length_[j])) return;
    violators.emplace_back(-std::abs(g), j);
    found.worst = std::max(found.worst, std::abs(g) / lambda - 1);
  };
  const auto many = static_cast<std::size_t>(X_.cols()) / 4;
  const auto beyond = [&](double slope, double threshold) {
    std::vector<Index> columns;
    for (Index j = 0; j < X_.cols() && columns.size() <= many; ++j)
      if (!in_hand(j) && std::abs(c * reference_gradient_[j]) + slope * length_[j] > threshold) columns.push_back(j);
    return columns;
  };
  std::vector<Index> columns = beyond(rest, lambda);
  const bool certain = columns.size() <= many;
  // Too many to compute one by one: first those that are likely to enter, then all.                                             (L1.7)
  if (!certain) columns = beyond(0, std::max(2 * lambda - reference_lambda_, 0.5 * lambda));
  if (columns.size() <= many)
    for (Index j : columns) judge(j, gradient_of(j));
  if (!certain && violators.empty()) {
    full_pass(lambda, out);
    for (Index j = 0; j < X_.cols(); ++j)
      if (!in_hand(j)) judge(j, reference_gradient_[j]);
  }
  const auto most = std::min(violators.size(), std::max<std::size_t>(64, columns_.size()));
  std::partial_sort(violators.begin(), violators.begin() + static_cast<std::ptrdiff_t>(most), violators.end());
  for (std::size_t i = 0; i < most; ++i) found.violators.push_back(violators[i].second);
  return found;
}

// Far out, the likelihood falls like e^-m: each Newton step of the flat columns alone makes the score of a row that they separate larger by
// at least one, however small the gradient is. Near a maximum, the step is as small as the gradient.                            (L1.13)
bool CoordinateAscent::flat_columns_grow() const {
  const Index f = size();
  if (loss_ == RowLoss::squared || f == 0) return false;
  const auto F = held_.leftCols(f);
  const Vector d = (F.transpose() * omega_.asDiagonal() * F).ldlt().solve(gradient_), change = (k_.array() > 0).select(F * d, 0);
  return change.allFinite() && change.cwiseAbs().maxCoeff() > 0.5;
}

// ---- the solver -------------------------------------------------------------------------------------------------------------------------

double CoordinateAscent::lambda_max() {
  CoordinateOutcome out;
  CoordinateSettings settings;
  settings.max_steps = 100;
  settle(total_, 0, settings, out);  // the flat columns alone
  flat_columns_separate_ = flat_columns_grow();
  full_pass(0, out);
  double most = 0;
  for (Index j = 0; j < X_.cols(); ++j)
    if (!flat_[static_cast<std::size_t>(j)]) most = std::max(most, std::abs(reference_gradient_[j]));
  reference_lambda_ = most;
  return most;
}

CoordinateOutcome CoordinateAscent::solve(double lambda, const CoordinateSettings& settings) {
  CoordinateOutcome out;
  if (reference_r_.size() == 0) {
    static_cast<void>(lambda_max());
    ++out.num_passes;
  }
  drop_idle(lambda);
  double goal = 0.02;
  while (settle(lambda, goal, settings, out)) {
    const Outside outside = look_outside(lambda, settings.tolerance, out);
    if (!outside.violators.empty()) {
      drop_idle(lambda);
      take(outside.violators);
      goal = std::clamp(0.1 * outside.worst, settings.tolerance, 0.02);
    } else if (out.optimality > settings.tolerance && !out.at_rounding) {
      goal = settings.tolerance;
    } else {
      out.status = flat_columns_separate_ ? Status::separated : Status::converged;
      break;
    }
  }
  out.log_likelihood = log_likelihood_;
  out.penalty = penalty_of(v_, lambda);
  const std::string effort = fmt::format("after {} steps and {} passes over all columns", out.num_steps, out.num_passes);
  const std::string size = out.optimality > 0 ? fmt::format("{:.2g} lambda", out.optimality) : "rounding";
  if (out.status == Status::converged)
    out.message = fmt::format("the optimality conditions hold within {} {}{}", size, effort,
                              out.optimality > settings.tolerance ? "; rounding limits the precision" : "");
  else if (out.status == Status::separated)
    out.message = why_separated(fmt::format("after {} steps", out.num_steps));
  else
    out.message = fmt::format("{}the optimality conditions are violated by {} {}", out.status == Status::stopped_by_user ? "stopped; " : "",
                              size, effort);
  return out;
}

Vector CoordinateAscent::w() const {
  Vector w = Vector::Zero(X_.cols());
  for (Index i = 0; i < size(); ++i) w[columns_[static_cast<std::size_t>(i)]] = v_[i];
  return w;
}

CoordinateAscent::Support CoordinateAscent::support() const {
  Support out;
  for (Index j = 0; j < X_.cols(); ++j) {
    const Index i = position_[static_cast<std::size_t>(j)];
    if (i >= 0 && (v_[i] != 0 || flat_[static_cast<std::size_t>(j)])) out.columns.push_back(j);
  }
  const auto count = static_cast<Index>(out.columns.size());
  out.w.resize(count);
  out.X.resize(X_.rows(), count);
  for (Index l = 0; l < count; ++l) {
    const Index i = position_[static_cast<std::size_t>(out.columns[static_cast<std::size_t>(l)])];
    out.w[l] = v_[i];
    out.X.col(l) = held_.col(i);
  }
  return out;
}

}  // namespace ardvark::internal
