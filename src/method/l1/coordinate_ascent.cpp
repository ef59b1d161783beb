#include "method/l1/coordinate_ascent.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/decay.hpp"
#include "core/pairwise.hpp"
#include "frame/separation.hpp"

namespace ardvark::internal {
namespace {

constexpr double most_gap = 1e-6;  // of a search that has converged, where rounding ends the steps                            (L1.16)

// sqrt(sum_n k_n x_nj^2) of each column.
Vector lengths_of(ColumnStore& store, const ColumnUnits& units, const Vector& k) {
  Design& X = store.design();
  Vector length(X.cols());
  const Index block = std::clamp<Index>((Index{1} << 20) / std::max<Index>(X.rows(), 1), 1, std::max<Index>(X.cols(), 1));
  const bool is_own = units.factor.size() == 0;
  Matrix panel(X.rows(), block);
  for (Index first = 0; first < X.cols(); first += block) {
    const Index count = std::min(block, X.cols() - first);
    X.columns(first, count, panel.leftCols(count));
    for (Index j = 0; j < count; ++j) {
      if (!is_own) panel.col(j).array() = units.factor[first + j] * panel.col(j).array() + units.shift[first + j];
      length[first + j] = std::sqrt(k.dot(panel.col(j).cwiseAbs2()));
    }
  }
  return length;
}

}  // namespace

CoordinateAscent::CoordinateAscent(std::shared_ptr<ColumnStore> store, ColumnUnits units, Vector t, Vector k,
                                   const std::vector<Index>& flat, Vector length, RowLoss loss)
    : store_(std::move(store)),
      units_(std::make_shared<const ColumnUnits>(std::move(units))),
      t_(std::move(t)),
      k_(std::move(k)),
      length_(length.size() > 0 ? std::move(length) : lengths_of(*store_, *units_, k_)),
      flat_(static_cast<std::size_t>(length_.size()), false),
      total_(k_.sum()),
      loss_(loss),
      held_(store_, units_),
      position_(flat_.size(), -1),
      r_(k_.size()),
      omega_(k_.size()),
      exponential_(k_.size()) {
  for (Index j : flat) flat_[static_cast<std::size_t>(j)] = true;
  set_rows(Vector::Zero(k_.size()));
  take(flat);
}

// ---- the active columns -----------------------------------------------------------------------------------------------------------------

void CoordinateAscent::take(const std::vector<Index>& columns) {
  const Index after = size() + static_cast<Index>(columns.size());
  v_.conservativeResize(after);
  gradient_.conservativeResize(after);
  const double total = r_.sum();
  for (Index j : columns) {
    const Index i = size();
    held_.append(j);
    v_[i] = 0;
    gradient_[i] = held_.dot(i, r_, total);
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
  if (has_exact_model()) model_.append(held_);
  if (model_.size() == size())
    model_.keep(kept);
  else
    model_fails_ = true;
  for (Index j : columns_) position_[static_cast<std::size_t>(j)] = -1;
  for (Index i = 0; i < count; ++i) {
    const Index from = kept[static_cast<std::size_t>(i)], j = columns_[static_cast<std::size_t>(from)];
    v_[i] = v_[from];
    gradient_[i] = gradient_[from];
    columns_[static_cast<std::size_t>(i)] = j;
    position_[static_cast<std::size_t>(j)] = i;
  }
  columns_.resize(kept.size());
  held_.keep(kept);
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
  rows_at(m_, exponential_, r_, omega_);
}

// \param exponential  of a logistic loss: e^-|m|
void CoordinateAscent::rows_at(const Vector& m, const Vector& exponential, Vector& r, Vector& omega) const {
  if (loss_ == RowLoss::squared) {
    r = k_.cwiseProduct(t_ - m);
    omega = k_;
    return;
  }
  for (Index i = 0; i < m.size(); ++i) {
    const double e = exponential[i], inverse = 1 / (1 + e), direction = t_[i] > 0.5 ? 1 : -1;
    r[i] = k_[i] * direction * (direction * m[i] >= 0 ? e * inverse : inverse);
    omega[i] = k_[i] * e * inverse * inverse;
  }
}

void CoordinateAscent::find_gradient() { held_.project(r_, gradient_); }

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

// The curvature of a squared loss never changes.
bool CoordinateAscent::has_exact_model() const { return loss_ == RowLoss::squared && model_.omega().size() > 0; }

// So that a pass over the numbers costs less than one over G. Numbers that lie side by side are read faster.                    (L1.17)
bool CoordinateAscent::has_few_numbers() const {
  constexpr Index small = 256;
  if (size() <= small) return false;
  Index numbers = 0;
  for (Index i = 0; i < size(); ++i) numbers += held_.at(i).column->is_sparse() ? 3 * held_.num_read(i) : held_.num_read(i);
  return numbers < size() * size();
}

bool CoordinateAscent::aim_by_columns(const Vector& lambdas, double accuracy, Vector& target) {
  if (descent_ == Descent::by_model && has_few_numbers()) {
    descent_ = Descent::by_columns;
    model_ = {};
    model_fails_ = true;
  }
  if (descent_ != Descent::by_columns) return false;
  if (minimise_by_columns(held_, omega_, r_, lambdas, accuracy, target)) return true;
  descent_ = Descent::by_model_for_good;
  return false;
}

bool CoordinateAscent::step(double lambda, double accuracy) {
  // Up to this size, a new G costs little. With more columns, the last one is used as long as its steps are good.               (L1.4)
  constexpr Index small = 32;
  Vector lambdas(size());
  for (Index i = 0; i < size(); ++i) lambdas[i] = flat_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(i)])] ? 0 : lambda;
  for (bool again = true; again;) {
    Vector target = v_;
    const bool by_columns = aim_by_columns(lambdas, accuracy, target);
    if (by_columns) {
      again = false;
    } else {
      const bool is_exact = has_exact_model(), renew = !is_exact && (model_fails_ || size() <= small);
      if (renew)
        model_.rebuild(held_, omega_);
      else
        model_.append(held_);
      again = !renew && !is_exact;
      const double scale = model_.omega().sum() / std::max(omega_.sum(), 1e-300);  // from the present omega to that in the model
      target = v_;
      model_.minimise(scale * gradient_, scale * lambdas, accuracy, target);
    }
    const double before = penalty_of(v_, lambda), objective = log_likelihood_ - before, rounding = 1e-14 * (before - log_likelihood_);
    const double gain = predicted_gain(gradient_, lambdas, v_, target);
    model_fails_ = true;
    if (!(gain > 0)) continue;
    const double violated = violation(lambda);
    Vector trial = target;
    for (double length = 1; length > 1e-8; length /= 2) {
      if (length < 1) trial = v_ + length * (target - v_);
      trial_m_.resize(k_.size());
      held_.apply(trial, trial_m_);
      if (log_likelihood_at(trial_m_) - penalty_of(trial, lambda) < objective + 1e-4 * length * gain - rounding) continue;
      v_ = trial;
      set_rows(trial_m_);
      find_gradient();
      const double left = violation(lambda);
      model_fails_ = by_columns || length < 1 || left > 0.3 * violated;
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

// Collects the columns that violate their condition at r.                                                                       (L1.2)
class CoordinateAscent::Judge {
 public:
  Judge(const CoordinateAscent& search)
      : search_(search), limit_(search.lambda_ * (1 + search.settings_.tolerance)), floor_(search.rounding_of_gradient()) {}
  void operator()(Index j, double g) {
    most_ = std::max(most_, std::abs(g));
    if (std::abs(g) > limit_ + floor_ * search_.length_[j]) found_.emplace_back(-std::abs(g), j);
  }
  [[nodiscard]] bool found_none() const { return found_.empty(); }
  [[nodiscard]] Outside worst() {
    Outside out;
    const auto most = std::min(found_.size(), std::max<std::size_t>(64, search_.columns_.size()));
    std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(most), found_.end());
    for (std::size_t i = 0; i < most; ++i) out.violators.push_back(found_[i].second);
    out.worst = most > 0 ? -found_[0].first / search_.lambda_ - 1 : 0;
    out.most = most_;
    return out;
  }

 private:
  const CoordinateAscent& search_;
  double limit_, floor_, most_ = 0;
  std::vector<std::pair<double, Index>> found_;
};

// r = c r0 + rest: |x_j'r| <= |c g_j| + |x_j| |rest|, lengths in the metric of the weights.                                     (L1.6)
struct CoordinateAscent::Bounds {
  double c = 0, rest = 0;
};

CoordinateAscent::Bounds CoordinateAscent::bounds_outside() const {
  double across = 0, own = 0;
  for (Index i = 0; i < r_.size(); ++i) {
    if (!(k_[i] > 0)) continue;
    across += r_[i] * reference_r_[i] / k_[i];
    own += reference_r_[i] * reference_r_[i] / k_[i];
  }
  Bounds out{own > 0 ? across / own : 0};
  for (Index i = 0; i < r_.size(); ++i)
    if (k_[i] > 0) out.rest += (r_[i] - out.c * reference_r_[i]) * (r_[i] - out.c * reference_r_[i]) / k_[i];
  out.rest = std::sqrt(out.rest);
  return out;
}

CoordinateAscent::Outside CoordinateAscent::look_outside() {
  const Bounds bounds = bounds_outside();
  const auto many = static_cast<std::size_t>(reference_gradient_.size()) / 4;
  const auto beyond = [&](double slope, double threshold) {
    std::vector<Index> columns;
    for (Index j = 0; j < reference_gradient_.size() && columns.size() <= many; ++j)
      if (!in_hand(j) && std::abs(bounds.c * reference_gradient_[j]) + slope * length_[j] > threshold) columns.push_back(j);
    return columns;
  };
  std::vector<Index> columns = beyond(bounds.rest, lambda_);
  const bool is_certain = columns.size() <= many;
  // Too many to compute one by one: first those that are likely to enter, then all.                                             (L1.7)
  if (!is_certain) columns = beyond(0, std::max(2 * lambda_ - reference_lambda_, 0.5 * lambda_));
  Judge judge(*this);
  if (columns.size() <= many) {
    Vector g;
    store_->design().project_in_place(columns, r_, g);
    const double total = r_.sum();
    for (std::size_t i = 0; i < columns.size(); ++i) judge(columns[i], in_own_units(columns[i], g[static_cast<Index>(i)], total));
  }
  Outside out = judge.worst();
  out.is_certain = is_certain || !judge.found_none();
  return out;
}

CoordinateAscent::Outside CoordinateAscent::judge_all() {
  Judge judge(*this);
  for (Index j = 0; j < reference_gradient_.size(); ++j)
    if (!in_hand(j)) judge(j, reference_gradient_[j]);
  Outside out = judge.worst();
  out.is_certain = true;
  return out;
}

double CoordinateAscent::in_own_units(Index column, double product, double total) const {
  return units_->factor.size() == 0 ? product : units_->factor[column] * product + units_->shift[column] * total;
}

void CoordinateAscent::take_pass(Vector products) {
  reference_gradient_ = std::move(products);
  units_->apply(r_.sum(), reference_gradient_);
  reference_r_ = r_;
  reference_lambda_ = lambda_;
  pass_is_new_ = true;
  ++out_.num_passes;
}

Vector CoordinateAscent::products_of_all() const {
  Vector out(length_.size());
  store_->design().project(r_, out);
  return out;
}

// Far out, the likelihood falls like e^-m: each Newton step of the flat columns alone makes the score of a row that they separate larger by
// at least one, however small the gradient is. Near a maximum, the step is as small as the gradient.                            (L1.13)
bool CoordinateAscent::flat_columns_grow() const {
  const Index f = size();
  if (loss_ == RowLoss::squared || f == 0) return false;
  Matrix G(f, f);
  held_.gram(0, omega_, G);
  const Vector d = G.ldlt().solve(gradient_);
  Vector change(k_.size());
  held_.apply(d, change);
  change = (k_.array() > 0).select(change, 0);
  return change.allFinite() && change.cwiseAbs().maxCoeff() > 0.5;
}

// ---- the solver -------------------------------------------------------------------------------------------------------------------------

void CoordinateAscent::start() {
  CoordinateOutcome out;
  CoordinateSettings settings;
  settings.max_steps = 100;
  settle(total_, 0, settings, out);  // the flat columns alone
  flat_columns_separate_ = flat_columns_grow();
}

double CoordinateAscent::largest_gradient() {
  double most = 0;
  for (Index j = 0; j < reference_gradient_.size(); ++j)
    if (!flat_[static_cast<std::size_t>(j)]) most = std::max(most, std::abs(reference_gradient_[j]));
  reference_lambda_ = most;
  pass_is_new_ = false;
  return most;
}

double CoordinateAscent::lambda_max() {
  start();
  take_pass(products_of_all());
  return largest_gradient();
}

void CoordinateAscent::begin(double lambda, const CoordinateSettings& settings) {
  out_ = {};
  lambda_ = lambda;
  settings_ = settings;
  goal_ = 0.02;
  pass_is_new_ = false;
  drop_idle(lambda);
}

bool CoordinateAscent::advance() {
  for (;;) {
    if (!pass_is_new_ && !settle(lambda_, goal_, settings_, out_)) return false;
    const Outside outside = pass_is_new_ ? judge_all() : look_outside();
    pass_is_new_ = false;
    if (!outside.is_certain) return true;
    if (!go_on(outside)) return false;
  }
}

bool CoordinateAscent::go_on(const Outside& outside) {
  if (!outside.violators.empty()) {
    drop_idle(lambda_);
    take(outside.violators);
    goal_ = std::clamp(0.1 * outside.worst, settings_.tolerance, 0.02);
  } else if (out_.optimality > settings_.tolerance && !out_.at_rounding) {
    goal_ = settings_.tolerance;
  } else {
    most_outside_ = outside.most;
    out_.status = flat_columns_separate_ ? Status::separated : Status::converged;
    return false;
  }
  return true;
}

double CoordinateAscent::most_outside() const {
  const auto [c, rest] = bounds_outside();
  double most = 0;
  for (Index j = 0; j < reference_gradient_.size(); ++j)
    if (!in_hand(j)) most = std::max(most, std::abs(c * reference_gradient_[j]) + rest * length_[j]);
  return most;
}

// Newton steps of the flat columns alone. Their products with r are rounding at the end, or the gain is infinite.
CoordinateAscent::FlatMaximum CoordinateAscent::maximum_of_flat() const {
  constexpr int most_steps = 20;
  FlatMaximum out{r_, omega_};
  std::vector<Index> flat;
  for (Index i = 0; i < size(); ++i)
    if (flat_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(i)])]) flat.push_back(i);
  HeldColumns X = held_;
  X.keep(flat);
  const auto count = static_cast<Index>(flat.size());
  Vector g = gradient_(flat), m = m_, change(m_.size());
  const double floor = 10 * rounding_of_gradient();
  for (int step = 0;; ++step) {
    bool is_rounding = true;
    for (Index i = 0; i < count; ++i)
      is_rounding = is_rounding && std::abs(g[i]) <= floor * length_[columns_[static_cast<std::size_t>(flat[static_cast<std::size_t>(i)])]];
    if (is_rounding || (loss_ == RowLoss::squared && step == 2)) return out;  // one step is exact, the second one takes its rounding away
    if (step == most_steps) break;
    Matrix G(count, count);
    X.gram(0, out.omega, G);
    const Vector d = G.ldlt().solve(g);
    if (!d.allFinite()) break;
    out.gain += std::max(g.dot(d), 0.0);  // the likelihood is concave
    X.apply(d, change);
    m += change;
    Vector exponential = m.cwiseAbs();
    decay(exponential.data(), exponential.size());
    rows_at(m, exponential, out.r, out.omega);
    X.project(out.r, g);
  }
  out.gain = std::numeric_limits<double>::infinity();
  return out;
}

// With s = lambda / max |g_j|, s r is feasible for the dual problem.                                                           (L1.16)
double CoordinateAscent::gap(double most_outside) {
  const FlatMaximum flat = maximum_of_flat();
  if (!std::isfinite(flat.gain)) return flat.gain;
  Vector g = gradient_;
  double moved = 0, square = 0;
  if (flat.gain > 0) {
    held_.project(flat.r, g);
    for (Index i = 0; i < r_.size(); ++i)
      if (k_[i] > 0) moved += (flat.r[i] - r_[i]) * (flat.r[i] - r_[i]) / k_[i];
  }
  double most = most_outside + std::sqrt(moved) * (length_.size() > 0 ? length_.maxCoeff() : 0), of_weights = 0;
  const auto is_flat = [&](Index i) { return flat_[static_cast<std::size_t>(columns_[static_cast<std::size_t>(i)])]; };
  for (Index i = 0; i < size(); ++i)
    if (!is_flat(i)) most = std::max(most, std::abs(g[i]));
  const double s = std::min(1.0, lambda_ / most), loss = -log_likelihood_;
  for (Index i = 0; i < size(); ++i)
    if (!is_flat(i)) of_weights += std::abs(v_[i]) * (lambda_ - s * sign(v_[i]) * g[i]);
  for (Index i = 0; i < r_.size() && s < 1 && loss_ == RowLoss::logistic; ++i)
    if (flat.r[i] != 0) square += flat.r[i] * (flat.r[i] / flat.omega[i]);
  const double of_rows = loss_ == RowLoss::squared ? (1 - s) * (1 - s) * loss : std::min((1 - s) * loss, (1 - s) * (1 - s) * square);
  const double out = std::max(of_weights + of_rows + flat.gain, 0.0);
  return out > 0 ? out / (loss + penalty_of(v_, lambda_)) : 0;
}

CoordinateOutcome CoordinateAscent::end() {
  out_.log_likelihood = log_likelihood_;
  out_.penalty = penalty_of(v_, lambda_);
  const bool separated = out_.status == Status::separated;
  out_.gap = separated ? std::numeric_limits<double>::infinity() : gap(out_.status == Status::converged ? most_outside_ : most_outside());
  // Where rounding ends the steps, the gap decides.                                                                              (L1.16)
  if (out_.status == Status::converged && !(out_.gap <= std::max(most_gap, 10 * settings_.tolerance))) out_.status = Status::max_sweeps;
  const std::string effort = fmt::format("after {} steps and {} passes over all columns", out_.num_steps, out_.num_passes);
  const std::string size = out_.optimality > 0 ? fmt::format("{:.2g} lambda", out_.optimality) : "rounding";
  const std::string distance =
      std::isfinite(out_.gap) ? fmt::format("; the objective is below its maximum by at most {:.2g} of its size", out_.gap) : "";
  if (out_.status == Status::converged)
    out_.message = fmt::format("the optimality conditions hold within {} {}{}{}", size, effort, distance,
                               out_.optimality > settings_.tolerance ? "; rounding limits the precision" : "");
  else if (separated)
    out_.message = why_separated(fmt::format("after {} steps", out_.num_steps));
  else
    out_.message = fmt::format("{}the optimality conditions are violated by {} {}{}",
                               out_.status == Status::stopped_by_user ? "stopped; " : "", size, effort, distance);
  return std::move(out_);
}

CoordinateOutcome CoordinateAscent::solve(double lambda, const CoordinateSettings& settings) {
  const bool is_new = reference_r_.size() == 0;
  if (is_new) static_cast<void>(lambda_max());
  begin(lambda, settings);
  if (is_new) ++out_.num_passes;
  while (advance()) take_pass(products_of_all());
  return end();
}

Vector CoordinateAscent::w() const {
  Vector w = Vector::Zero(length_.size());
  for (Index i = 0; i < size(); ++i) w[columns_[static_cast<std::size_t>(i)]] = v_[i];
  return w;
}

CoordinateAscent::Support CoordinateAscent::support() const {
  Support out{{}, {}, held_};
  for (Index j = 0; j < length_.size(); ++j) {
    const Index i = position_[static_cast<std::size_t>(j)];
    if (i >= 0 && (v_[i] != 0 || flat_[static_cast<std::size_t>(j)])) out.columns.push_back(j);
  }
  out.w.resize(static_cast<Index>(out.columns.size()));
  std::vector<Index> positions;
  for (const Index j : out.columns) positions.push_back(position_[static_cast<std::size_t>(j)]);
  for (std::size_t l = 0; l < positions.size(); ++l) out.w[static_cast<Index>(l)] = v_[positions[l]];
  out.X.keep(positions);
  return out;
}

}  // namespace ardvark::internal
