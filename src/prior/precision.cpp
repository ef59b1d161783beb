#include "prior/precision.hpp"

#include <cmath>

#include "core/special.hpp"

namespace ardvark {

PrecisionPrior::PrecisionPrior(Partition partition, Vector shape, Vector rate)
    : partition_(std::move(partition)), c0_(std::move(shape)), d0_(std::move(rate)), size_(partition_.num_groups()),
      a_(Vector::Zero(partition_.num_columns())) {
  for (Index g = 0; g < partition_.num_groups(); ++g) size_[g] = static_cast<double>(partition_.group_size[static_cast<std::size_t>(g)]);
  c_N_ = c0_ + 0.5 * size_;
  for (Index j = 0; j < partition_.num_columns(); ++j)
    if (partition_.group[static_cast<std::size_t>(j)] == Partition::fixed) {
      a_[j] = partition_.fixed_precision[j];
      constant_ += 0.5 * std::log(a_[j]);
    }
  for (Index g = 0; g < partition_.num_groups(); ++g) constant_ += log_gamma(c_N_[g]) + c_N_[g];
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
  expected_ = c0_.cwiseQuotient(d0_);
  expand();
}

void PrecisionPrior::set_expected(const Vector& expected) {
  expected_ = expected;
  expand();
}

void PrecisionPrior::vb(const Posterior& q, double tau, Vector& next) const {
  next = c_N_.array() / (d0_.array() + 0.5 * (tau * q.group_square.array() + q.group_variance.array()));
}

void PrecisionPrior::mackay(const Posterior& q, double tau, Vector& next) const {
  next = (size_.array() + 2 * c0_.array() - expected_.array() * q.group_variance.array()) / (2 * d0_.array() + tau * q.group_square.array());
}

double PrecisionPrior::bound(const Posterior& q, double tau) const {
  double L = constant_ - 0.5 * (tau * q.fixed_square + q.fixed_variance);
  for (Index g = 0; g < expected_.size(); ++g) {
    const double d_N = c_N_[g] / expected_[g];
    L -= c_N_[g] * std::log(d_N) + d0_[g] * expected_[g] + 0.5 * expected_[g] * (tau * q.group_square[g] + q.group_variance[g]);
  }
  return L;
}

void PrecisionPrior::gradient(const Posterior& q, double tau, Vector& out) const {
  out = 0.5 * (size_.array() - expected_.array() * (q.group_variance.array() + tau * q.group_square.array())) + c0_.array() -
        d0_.array() * expected_.array();
}

double PrecisionPrior::published_constant() const {
  double L = 0;
  for (Index g = 0; g < c0_.size(); ++g) L += -log_gamma(c0_[g]) + c0_[g] * std::log(d0_[g]);
  return L;
}

}  // namespace ardvark
