#include "prior/precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/special.hpp"

namespace ardvark::internal {

// The Laplace prior as a scale mixture of normal distributions, one precision per column.   docs/math/logistic_laplace.md (L1EM)
namespace laplace_prior {
namespace {

// E[1/variance_j] under the mixture given w_j: lambda/|w_j|.                                                           (L1EM.1)
void step(const Posterior& q, double lambda, Vector& next) { next = lambda * q.group_square.array().rsqrt(); }

// Sum of -1/2 a w^2 - 1/2 lambda^2/a: at most -lambda |w|, and equal to it at (L1EM.1).                                 (L1EM.2)
double bound(const Posterior& q, double lambda, const Vector& expected) {
  return -0.5 * (expected.array() * q.group_square.array() + lambda * lambda / expected.array()).sum();
}

// The derivative of bound() in ln a.
void gradient(const Posterior& q, double lambda, const Vector& expected, Vector& out) {
  out = 0.5 * (lambda * lambda / expected.array() - expected.array() * q.group_square.array());
}

}  // namespace
}  // namespace laplace_prior

PrecisionPrior::PrecisionPrior(Partition partition, Vector shape, Vector rate, UpdateRule rule, double lambda)
    : partition_(std::move(partition)),
      c0_(std::move(shape)),
      d0_(std::move(rate)),
      size_(partition_.num_groups()),
      a_(Vector::Zero(partition_.num_columns())),
      rule_(rule),
      lambda_(lambda) {
  for (Index g = 0; g < partition_.num_groups(); ++g) size_[g] = static_cast<double>(partition_.group_size[static_cast<std::size_t>(g)]);
  c_N_ = c0_ + 0.5 * size_;
  for (Index j = 0; j < partition_.num_columns(); ++j) {
    const Index g = partition_.group[static_cast<std::size_t>(j)];
    if (g == Partition::left_out) a_[j] = 1;
    if (g != Partition::fixed) continue;
    a_[j] = partition_.fixed_precision[j];
    constant_ += 0.5 * std::log(a_[j]);
  }
  // Without a hyper-prior the group's term is 1/2 |g| ln a - 1/2 a sum(tau w^2 + V): if a goes to infinity it adds nothing.       (BOUND.3)
  for (Index g = 0; g < partition_.num_groups(); ++g) is_improper_ = is_improper_ && is_improper(g);
  for (Index g = 0; g < partition_.num_groups(); ++g)
    constant_ += is_improper(g) ? c_N_[g] * std::log(c_N_[g]) : log_gamma(c_N_[g]) + c_N_[g];
  constant_ += published_constant();
  start();
}

void PrecisionPrior::expand() {
  for (Index j = 0; j < partition_.num_columns(); ++j) {
    const Index g = partition_.group[static_cast<std::size_t>(j)];
    if (g >= 0) a_[j] = expected_[g];
  }
}

void PrecisionPrior::start() {
  expected_.resize(c0_.size());
  for (Index g = 0; g < expected_.size(); ++g) expected_[g] = is_improper(g) ? 1 : c0_[g] / d0_[g];
  expand();
}

PrecisionPrior PrecisionPrior::subset(const std::vector<Index>& groups, std::vector<Index>& columns) const {
  std::vector<Index> position(static_cast<std::size_t>(partition_.num_groups()), -1);
  Partition part;
  part.group_size.assign(groups.size(), 0);
  for (std::size_t i = 0; i < groups.size(); ++i) position[static_cast<std::size_t>(groups[i])] = static_cast<Index>(i);
  columns.clear();
  for (Index j = 0; j < partition_.num_columns(); ++j) {
    const Index g = partition_.group[static_cast<std::size_t>(j)];
    const Index to = g >= 0 ? position[static_cast<std::size_t>(g)] : g;
    if (to < 0 && g != Partition::flat) continue;
    if (g == Partition::flat)
      part.flat_columns.push_back(static_cast<Index>(columns.size()));
    else
      ++part.group_size[static_cast<std::size_t>(to)];
    part.group.push_back(to);
    columns.push_back(j);
  }
  PrecisionPrior other(std::move(part), c0_(groups), d0_(groups), rule_, lambda_);
  other.set_expected(expected_(groups));
  return other;
}

PrecisionPrior PrecisionPrior::restricted_to(const std::vector<Index>& columns, std::vector<Index>& groups) const {
  std::vector<Index> number(static_cast<std::size_t>(partition_.num_groups()), -1);
  Partition part;
  groups.clear();
  for (Index j : columns) {
    Index g = partition_.group[static_cast<std::size_t>(j)];
    if (g == Partition::flat) part.flat_columns.push_back(static_cast<Index>(part.group.size()));
    if (g >= 0) {
      Index& to = number[static_cast<std::size_t>(g)];
      if (to < 0) {
        to = static_cast<Index>(groups.size());
        groups.push_back(g);
        part.group_size.push_back(0);
      }
      g = to;
      ++part.group_size[static_cast<std::size_t>(g)];
    }
    part.group.push_back(g);
  }
  if (partition_.has_fixed()) part.fixed_precision = partition_.fixed_precision(columns);
  PrecisionPrior other(std::move(part), c0_(groups), d0_(groups), rule_, lambda_);
  other.set_expected(expected_(groups));
  return other;
}

void PrecisionPrior::set_expected(const Vector& expected) {
  expected_ = expected;
  expand();
}

void PrecisionPrior::update(const Posterior& q, double tau, Vector& next) const {
  switch (rule_) {
    case UpdateRule::vb: return vb(q, tau, next);
    case UpdateRule::mackay: return mackay(q, tau, next);
    case UpdateRule::laplace: return laplace_prior::step(q, lambda_, next);
  }
}

void PrecisionPrior::vb(const Posterior& q, double tau, Vector& next) const {
  next = c_N_.array() / (d0_.array() + 0.5 * (tau * q.group_square.array() + q.group_variance.array()));
}

void PrecisionPrior::mackay(const Posterior& q, double tau, Vector& next) const {
  next =
      (size_.array() + 2 * c0_.array() - expected_.array() * q.group_variance.array()) / (2 * d0_.array() + tau * q.group_square.array());
}

// The best a > 0 of 1/2 ln a - 1/2 ln(a + s) + 1/2 Q/(a + s) + c0 ln a - d0 a, Q = tau q^2: a positive root of
// 2 d0 a^3 + (4 d0 s - 2 c0) a^2 + (2 d0 s^2 + Q - s (1 + 4 c0)) a - (1 + 2 c0) s^2 = 0, there are one or three of them.       (OPT.3)
double best_precision(double s, double Q, double c0, double d0, double otherwise) {
  const auto gain = [&](double a) { return 0.5 * std::log(a / (a + s)) + 0.5 * Q / (a + s) + c0 * std::log(a) - d0 * a; };
  const double b = (4 * d0 * s - 2 * c0) / (2 * d0), c = (2 * d0 * s * s + Q - s * (1 + 4 * c0)) / (2 * d0),
               d = -(1 + 2 * c0) * s * s / (2 * d0);
  const double p = c - b * b / 3, r = 2 * b * b * b / 27 - b * c / 3 + d, discriminant = r * r / 4 + p * p * p / 27;
  double best = otherwise, highest = -std::numeric_limits<double>::infinity();
  const auto consider = [&](double a) {
    // Up to three Newton steps restore the digits that the closed form loses by cancellation.
    for (int i = 0; i < 3 && a > 0; ++i) {
      const double f = ((a + b) * a + c) * a + d, slope = (3 * a + 2 * b) * a + c;
      if (!(std::abs(slope) > 0)) break;
      a = std::max(a - f / slope, 0.1 * a);
    }
    if (a > 0 && std::isfinite(a) && gain(a) > highest) {
      highest = gain(a);
      best = a;
    }
  };
  if (discriminant > 0) {
    const double root = std::sqrt(discriminant);
    consider(std::cbrt(-r / 2 + root) + std::cbrt(-r / 2 - root) - b / 3);
  } else {
    const double size = 2 * std::sqrt(-p / 3), angle = std::acos(std::clamp(3 * r / (p * size), -1.0, 1.0)) / 3;
    for (int k = 0; k < 3; ++k) consider(size * std::cos(angle - 2 * 3.14159265358979323846 * k / 3) - b / 3);
  }
  return best;
}

void PrecisionPrior::coordinate(const Posterior& q, double tau, Vector& next) const {
  mackay(q, tau, next);
  for (Index g = 0; g < next.size(); ++g) {
    if (partition_.group_size[static_cast<std::size_t>(g)] != 1 || is_improper(g)) continue;
    const double V = q.group_variance[g], s = 1 / V - expected_[g];  // (OPT.2)
    if (!(s > 1e-10 * expected_[g])) continue;                       // only rounding: the data do not determine this column
    next[g] = best(g, s, tau * q.group_square[g] / (V * V), next[g]);
  }
}

double PrecisionPrior::best(Index g, double s, double Q, double now) const { return best_precision(s, Q, c0_[g], d0_[g], now); }

double PrecisionPrior::gain_of_changing(Index g, double s, double Q, double from, double to) const {
  return 0.5 * std::log(to * (from + s) / (from * (to + s))) + 0.5 * Q * (from - to) / ((to + s) * (from + s)) +
         gain_of_hyperprior(g, from, to);
}

double PrecisionPrior::gain_of_hyperprior(Index g, double from, double to) const {
  return c0_[g] * std::log(to / from) - d0_[g] * (to - from);
}

bool PrecisionPrior::has_improper() const {
  for (Index g = 0; g < c0_.size(); ++g)
    if (is_improper(g)) return true;
  return false;
}

double PrecisionPrior::bound(const Posterior& q, double tau) const {
  if (is_penalty()) return laplace_prior::bound(q, lambda_, expected_) - 0.5 * q.fixed_square;
  double L = constant_ - 0.5 * (tau * q.fixed_square + q.fixed_variance);
  for (Index g = 0; g < expected_.size(); ++g) {
    const double d_N = c_N_[g] / expected_[g];
    L -= c_N_[g] * std::log(d_N) + d0_[g] * expected_[g] + 0.5 * expected_[g] * (tau * q.group_square[g] + q.group_variance[g]);
  }
  return L;
}

void PrecisionPrior::gradient(const Posterior& q, double tau, Vector& out) const {
  if (is_penalty()) return laplace_prior::gradient(q, lambda_, expected_, out);
  out = 0.5 * (size_.array() - expected_.array() * (q.group_variance.array() + tau * q.group_square.array())) + c0_.array() -
        d0_.array() * expected_.array();
}

double PrecisionPrior::promised_gain(const Posterior& q, double tau, Vector& slope, Vector& step) const {
  gradient(q, tau, slope);
  if (is_penalty())
    update(q, tau, step);
  else
    mackay(q, tau, step);
  double promised = 0;
  for (Index g = 0; g < step.size(); ++g) {
    const double ratio = std::abs(std::log(step[g] / expected_[g]));
    promised += 0.5 * std::abs(slope[g]) * (ratio < 40 ? ratio : 40);  // at most e^40, also if a precision diverges or is NaN
  }
  return promised;
}

bool PrecisionPrior::runs_to_infinity(const Posterior& q, double tau, double a, Index g) const {
  if (partition_.group_size[static_cast<std::size_t>(g)] != 1 || is_penalty() || !is_improper(g)) return false;
  const double V = q.group_variance[g], determined = 1 - a * V, square = tau * q.group_square[g];
  return determined < 0.01 && square <= V * std::max(determined, 0.0);
}

double PrecisionPrior::gain_of_adding(double S, double Q, double tau, double& precision) const {
  const double square = tau * Q * Q;
  if (!(S > 0 && square > S) || !is_improper_ || is_penalty()) return 0;
  precision = S * S / (square - S);                        // (OPT.3)
  return 0.5 * ((square - S) / S + std::log(S / square));  // (OPT.5)
}

void PrecisionPrior::well_determined(const Posterior& q, Vector& out) const {
  out = size_.array() - expected_.array() * q.group_variance.array();
}

double PrecisionPrior::published_constant() const {
  double L = 0;
  for (Index g = 0; g < c0_.size(); ++g)
    if (!is_improper(g)) L += -log_gamma(c0_[g]) + c0_[g] * std::log(d0_[g]);
  return L;
}

}  // namespace ardvark::internal
