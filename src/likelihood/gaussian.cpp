// Gaussian likelihood with the joint posterior of weights and noise.                                docs/math/linear.md
#include <cmath>
#include <limits>

#include "core/special.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

Gaussian::Gaussian(Vector y, Vector k, double a0, double b0, Index num_flat, Index num_penalised)
    : y_(std::move(y)), k_(k.size() > 0 ? std::move(k) : Vector::Ones(y_.size())), b0_(b0), n_(k_.sum()), num_penalised_(num_penalised) {
  a_N_ = a0 + 0.5 * (n_ - static_cast<double>(num_flat));  // (LIN.1), (LIN.5), (LIN.6)
  b_N_ = b0;
  // Without a proper prior there is no bound.
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  of_prior_ = a0 > 0 ? a0 * std::log(b0) - log_gamma(a0) : nan;
  log_gamma_a_N_ = a_N_ > 0 ? log_gamma(a_N_) : nan;
}

void Gaussian::start(Rows& rows) {
  rows.omega = k_;
  rows.r = k_.cwiseProduct(y_);
}

void Gaussian::update(const Posterior& q, Rows&) { b_N_ = b0_ + 0.5 * (q.residual + q.penalty); }  // (LIN.1)

double Gaussian::bound(const Posterior& q) const {
  const double tau = a_N_ / b_N_;
  return -0.5 * n_ * ln_2pi - 0.5 * (tau * q.residual + q.explained) + of_prior_ - b0_ * tau + log_gamma_a_N_ - a_N_ * std::log(b_N_) +
         a_N_;  // (LIN.3), (BOUND.1)
}

std::unique_ptr<Likelihood> Gaussian::with_response(Vector y) const {
  auto other = std::make_unique<Gaussian>(*this);
  other->y_ = std::move(y);
  other->k_ = Vector::Ones(other->y_.size());
  return other;
}

double Gaussian::published_constant() const { return -0.5 * n_ * ln_2pi + 0.5 * static_cast<double>(num_penalised_) + of_prior_; }

}  // namespace ardvark::internal
