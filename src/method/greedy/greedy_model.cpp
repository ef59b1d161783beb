#include "method/greedy/greedy_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/logistic_rows.hpp"
#include "core/rearrange.hpp"
#include "core/resize.hpp"
#include "core/scale_rows.hpp"
#include "core/special.hpp"

namespace ardvark::internal {

double target_variance(const Vector& t, const Vector& k) {
  const double total = k.sum(), mean = k.dot(t) / total;
  return total > 1 ? k.dot((t.array() - mean).square().matrix()) / (total - 1) : 0.0;
}

GreedyModel::GreedyModel(const Vector& target, const GreedySettings& settings)
    : likelihood_(settings.likelihood),
      t_(target),
      noise_(settings.noise),
      prior_(settings.precision),
      gain_(settings.precision, settings.cost_at_once ? settings.column_cost : 0),
      fixed_noise_(settings.fixed_noise),
      tolerance_(settings.tolerance),
      k_(settings.weights.size() > 0 ? settings.weights : Vector::Ones(target.size())),
      total_(k_.sum()),
      Phi_(target.size(), 8) {
  const Index n = t_.size();
  double variance = target_variance(t_, k_);
  const double square = k_.dot(t_.cwiseAbs2()) / total_;
  if (!(variance > 1e-24 * square)) variance = square > 0 ? square : 1.0;  // a constant target has no spread: take its size
  most_tau_ = 1e6 / variance;
  now_.omega = 0.25 * k_;
  now_.r = k_.array() * (t_.array() - 0.5);
  now_.m = now_.xi = Vector::Zero(n);
  now_.tau = settings.noise_precision > 0 ? settings.noise_precision : 100 / variance;
  if (is_gaussian()) write_rows(now_.tau);
  now_.evidence = evaluate();
}

void GreedyModel::write_rows(double tau) {
  now_.tau = tau;
  now_.omega = tau * k_;
  now_.r = tau * k_.cwiseProduct(t_);
}

LeftOut GreedyModel::left_out(Index i) const {
  const double V = now_.V(i, i);
  return {1 / V - now_.alpha[i], now_.w[i] / V, square(i)};
}

double GreedyModel::square(Index i) const {
  if (length_ == nullptr) return 1;
  const double length = (*length_)[now_.columns[static_cast<std::size_t>(i)]];
  return length * length;
}

LeftOut GreedyModel::candidate(const Eigen::Ref<const Vector>& column) const {
  const Vector weighted = now_.omega.cwiseProduct(column), cross = Phi().transpose() * weighted;
  return {column.dot(weighted) - cross.dot(now_.V * cross), column.dot(residual())};  // (GREEDY.1)
}

GreedyModel::State& GreedyModel::State::operator=(const State& other) {
  columns = other.columns;
  for (Vector State::*v : {&State::alpha, &State::w, &State::projected, &State::omega, &State::r, &State::m, &State::xi})
    assign(this->*v, other.*v);
  assign(V, other.V);
  assign(gram, other.gram);
  log_det_V = other.log_det_V;
  tau = other.tau;
  evidence = other.evidence;
  return *this;
}

// ---- actions with fixed rows ------------------------------------------------------------------------------------------------------

void GreedyModel::begin() {
  before_ = now_;
  last_ = Last::none;
}

void GreedyModel::undo() {
  const Index behind = std::min<Index>(static_cast<Index>(std::max(before_.columns.size(), now_.columns.size())), Phi_.cols()) -
                       (last_ == Last::removed ? 1 : 0);
  if (last_ == Last::removed || last_ == Last::exchanged) Phi_.col(last_position_).swap(Phi_.col(behind));
  now_ = before_;
  last_ = Last::none;
}

// Stores the column at `position`; the one that was there moves behind the last.
void GreedyModel::store(Index position, const Eigen::Ref<const Vector>& column) {
  const Index k = size();
  if (k + 1 > Phi_.cols()) Phi_.conservativeResize(Eigen::NoChange, 2 * (k + 1));
  Phi_.col(k) = column;
  if (position != k) Phi_.col(position).swap(Phi_.col(k));
}

void GreedyModel::add(Index id, const Eigen::Ref<const Vector>& column, double a, RankOne& change) {
  const Index k = size();
  const Vector weighted = now_.omega.cwiseProduct(column), cross = Phi().transpose() * weighted;
  const double diagonal = column.dot(weighted);
  assign(change.direction, now_.V * cross);
  const double S = std::max(diagonal - cross.dot(change.direction), 0.0), Q = column.dot(residual());
  const double V = 1 / (a + S), w = V * Q;
  change.factor = -V;
  change.shift = -w;
  store(k, column);
  now_.columns.push_back(id);
  const auto append = [k](Vector& v, double x) {
    v.conservativeResize(k + 1);
    v[k] = x;
  };
  append(now_.alpha, a);
  append(now_.projected, column.dot(now_.r));
  now_.w -= w * change.direction;
  append(now_.w, w);
  now_.gram.conservativeResize(k + 1, k + 1);
  now_.gram.row(k).head(k) = cross.transpose();
  now_.gram.col(k).head(k) = cross;
  now_.gram(k, k) = diagonal;
  now_.V += V * change.direction * change.direction.transpose();
  now_.V.conservativeResize(k + 1, k + 1);
  now_.V.row(k).head(k) = -V * change.direction.transpose();
  now_.V.col(k).head(k) = -V * change.direction;
  now_.V(k, k) = V;
  now_.log_det_V += std::log(V);
  last_ = Last::added;
}

void GreedyModel::reestimate(Index i, double a, RankOne& change) {
  const double step = a - now_.alpha[i], V = now_.V(i, i);
  assign(change.direction, now_.V.col(i));
  change.factor = 1 / (V + 1 / step);
  change.shift = change.factor * now_.w[i];
  now_.V -= change.factor * change.direction * change.direction.transpose();
  now_.w -= change.shift * change.direction;
  now_.log_det_V -= std::log1p(V * step);
  now_.alpha[i] = a;
}

namespace {

// Removes entry i: the last entry takes its place.
void drop(Vector& v, Index i) {
  v[i] = v[v.size() - 1];
  v.conservativeResize(v.size() - 1);
}
void drop(Matrix& M, Index i) {
  const Index last = M.rows() - 1;
  M.row(i).swap(M.row(last));
  M.col(i).swap(M.col(last));
  M.conservativeResize(last, last);
}

}  // namespace

void GreedyModel::remove(Index i, RankOne& change) {
  const Index last = size() - 1;
  const double V = now_.V(i, i);
  assign(change.direction, now_.V.col(i));
  change.factor = 1 / V;
  change.shift = now_.w[i] / V;
  now_.V -= change.factor * change.direction * change.direction.transpose();
  now_.w -= change.shift * change.direction;
  now_.log_det_V -= std::log(V);
  if (i != last) Phi_.col(i).swap(Phi_.col(last));
  now_.columns[static_cast<std::size_t>(i)] = now_.columns.back();
  now_.columns.pop_back();
  for (Vector* v : {&now_.alpha, &now_.w, &now_.projected}) drop(*v, i);
  drop(now_.V, i);
  drop(now_.gram, i);
  last_ = Last::removed;
  last_position_ = i;
}

void GreedyModel::exchange(Index i, Index id, const Eigen::Ref<const Vector>& column, double a) {
  store(i, column);
  now_.columns[static_cast<std::size_t>(i)] = id;
  const Vector weighted = now_.omega.cwiseProduct(column), cross = Phi().transpose() * weighted;
  now_.alpha[i] = a;
  now_.projected[i] = column.dot(now_.r);
  now_.gram.row(i) = cross.transpose();
  now_.gram.col(i) = cross;
  last_ = Last::exchanged;
  last_position_ = i;
}

// ---- the posterior ----------------------------------------------------------------------------------------------------------------

bool GreedyModel::solve() {
  if (!factorise()) return false;
  update_evidence();
  return std::isfinite(now_.evidence);
}

bool GreedyModel::factorise() {
  const Index k = size();
  Matrix L = now_.gram;
  L.diagonal() += now_.alpha;
  if (k > 0 && (!blas::potrf(k, L.data(), k))) return false;
  now_.log_det_V = -2 * L.diagonal().array().log().sum();
  if (k > 0 && !blas::trtri(k, L.data(), k)) return false;
  const Vector whitened = L.triangularView<Eigen::Lower>() * now_.projected;
  assign(now_.w, L.triangularView<Eigen::Lower>().transpose() * whitened);
  if (k > 0) blas::lauum(k, L.data(), k);  // V = L^-1' L^-1
  now_.V = Matrix(L.selfadjointView<Eigen::Lower>());
  return true;
}

void GreedyModel::update_evidence() {
  now_.m.noalias() = Phi() * now_.w;
  now_.evidence = evaluate();
}

// ln of likelihood times prior at w, times the volume of the posterior; the powers of 2 pi of prior and volume cancel.
// (GREEDY.4), (GREEDY.5), (GREEDY.6)
double GreedyModel::evaluate() const {
  const Index n = t_.size();
  double sum = 0;
  switch (likelihood_) {
    case GreedyLikelihood::gaussian:
      sum = 0.5 * (total_ * (std::log(now_.tau) - ln_2pi) - now_.tau * k_.dot((t_ - now_.m).cwiseAbs2()));
      break;
    case GreedyLikelihood::bernoulli: sum = logistic_rows(now_.m, t_, k_, p_, q_); break;
    case GreedyLikelihood::logistic_bound:
      for (Index i = 0; i < n; ++i) {
        const double xi = now_.xi[i], m = now_.m[i];
        sum += k_[i] * (log_sigmoid(xi) + (t_[i] - 0.5) * m - 0.5 * xi - jj_lambda(xi) * (m * m - xi * xi));
      }
      break;
  }
  return sum - 0.5 * now_.alpha.dot(now_.w.cwiseAbs2()) + volume();
}

double GreedyModel::volume() const { return 0.5 * (now_.log_det_V + now_.alpha.array().log().sum()); }

double GreedyModel::penalty() const {
  double sum = 0;
  for (Index i = num_free_; i < size(); ++i) sum += gain_.penalty(now_.alpha[i], square(i));
  if (is_gaussian() && noise_.shape > 0)
    sum += noise_.shape * (std::log(now_.tau * noise_.rate / noise_.shape) + 1) - noise_.rate * now_.tau;
  return sum;
}

// ---- the rows ---------------------------------------------------------------------------------------------------------------------

void GreedyModel::recompute_products() {
  const Index n = t_.size(), k = size();
  resize(now_.gram, k, k);
  if (k > 0) {
    constexpr Index few = 16;  // up to this size, SYRK spends more time on copies than on products
    resize(scaled_, n, k);
    scale_rows(k > few ? Vector(now_.omega.cwiseSqrt()) : now_.omega, Phi(), scaled_);
    if (k > few)
      blas::syrk(blas::Transpose::yes, k, n, 1.0, scaled_.data(), n, 0.0, now_.gram.data(), k);
    else
      blas::gemm(blas::Transpose::yes, blas::Transpose::no, k, k, n, 1.0, scaled_.data(), n, Phi_.data(), n, 0.0, now_.gram.data(), k);
    mirror(now_.gram);
  }
  assign(now_.projected, Phi().transpose() * now_.r);
}

bool GreedyModel::settle_rows(int rounds) {
  if (likelihood_ == GreedyLikelihood::bernoulli) return to_mode();
  if (likelihood_ == GreedyLikelihood::logistic_bound)
    for (int round = 0; round < rounds; ++round)
      if (!update_contact()) return false;
  return true;
}

// Newton's method with halved steps on ln p(t|w) - 1/2 w'A w, starting from the present w.                                   (LAP)
bool GreedyModel::to_mode() {
  const auto height = [&](const Vector& w, const Vector& m) {
    return logistic_rows(m, t_, k_, p_, q_) - 0.5 * now_.alpha.dot(w.cwiseAbs2());
  };
  Vector w = now_.w, m = Phi() * w, w_try, m_try;
  double here = height(w, m);
  const auto n = static_cast<double>(t_.size());
  const double enough = std::max(1e-20 * n, 1e-4 * tolerance_ * tolerance_);
  for (int iteration = 0; iteration < 200; ++iteration) {
    now_.omega = k_.cwiseProduct(p_).cwiseProduct(q_);
    now_.r = now_.omega.cwiseProduct(m) + k_.cwiseProduct(t_ - p_);
    recompute_products();
    if (!factorise()) return false;  // now_.w is the full step
    const Vector step = now_.w - w, m_step = Phi() * step;
    // The squared length of the step in the metric of the Hessian: twice what it can gain.
    const double gain = step.cwiseAbs2().dot(now_.alpha) + m_step.cwiseAbs2().dot(now_.omega);
    const double rounding = 1e-15 * (std::abs(here) + n);
    bool moved = false;
    for (double length = gain > enough ? 1 : 0; length > 1e-10 && !moved; length *= 0.5) {
      w_try = w + length * step;
      m_try = m + length * m_step;
      const double there = height(w_try, m_try);
      if (!(there > here - (gain < 1e-6 ? rounding : 0.0))) continue;
      moved = true;
      w.swap(w_try);
      m.swap(m_try);
      here = there;
    }
    if (!moved || size() == 0) break;
  }
  now_.w = w;
  now_.m = m;
  now_.evidence = here + volume();
  return std::isfinite(now_.evidence);
}

// (JJ.3) as a step in ln xi. It becomes longer while the evidence rises, and is undone if the evidence falls.           (GREEDY.6)
bool GreedyModel::update_contact() {
  const Index n = t_.size();
  const Matrix PhiV = Phi() * now_.V;
  Vector target(n);
  for (Index i = 0; i < n; ++i) {
    const double s = size() > 0 ? PhiV.row(i).dot(Phi_.row(i).head(size())) : 0.0;
    target[i] = std::sqrt(now_.m[i] * now_.m[i] + std::max(s, 0.0));
  }
  const State start = now_;
  if (stretch_ > 1) {
    for (Index i = 0; i < n; ++i)
      now_.xi[i] = start.xi[i] > 0 && target[i] > 0 ? start.xi[i] * std::pow(target[i] / start.xi[i], stretch_) : target[i];
    if (now_.xi.allFinite() && solve_contact() && now_.evidence > start.evidence) {
      stretch_ = std::min(1.5 * stretch_, 100.0);
      return true;
    }
    now_ = start;
    stretch_ = 1;
  }
  now_.xi = target;
  stretch_ *= 1.5;
  return solve_contact();
}

bool GreedyModel::solve_contact() {
  for (Index i = 0; i < t_.size(); ++i) now_.omega[i] = 2 * k_[i] * jj_lambda(now_.xi[i]);  // (JJ.2)
  recompute_products();
  return solve();
}

bool GreedyModel::try_noise(double tau) {
  tau = std::min(tau, most_tau_);
  if (!(tau > 0) || !std::isfinite(tau)) return false;
  const State start = now_;
  const double before = objective(), ratio = tau / now_.tau;
  write_rows(tau);
  now_.gram *= ratio;
  now_.projected *= ratio;
  if (solve() && objective() >= before) return true;
  now_ = start;
  return false;
}

double GreedyModel::update_noise() {
  if (!is_gaussian() || fixed_noise_) return 0;
  const double before = now_.tau;
  const double determined = static_cast<double>(size()) - now_.alpha.dot(now_.V.diagonal());
  const double square = k_.dot((t_ - now_.m).cwiseAbs2()) + 2 * noise_.rate;
  const double fast = (total_ - determined + 2 * noise_.shape) / square;               // (GREEDY.8)
  const double safe = (total_ + 2 * noise_.shape) / (square + determined / now_.tau);  // (VR.2): never falls
  if (!try_noise(fast)) static_cast<void>(try_noise(safe));
  return std::log(now_.tau / before);
}

}  // namespace ardvark::internal
