// Poisson likelihood with the exact Gaussian variational posterior: counts with the rate e^eta.                     docs/math/poisson.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/errors.hpp"
#include "core/special.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark {
namespace {

class Poisson final : public Likelihood {
 public:
  Poisson(Vector y, Vector k) : y_(std::move(y)), k_(std::move(k)), m_(Vector::Zero(y_.size())), s_(m_), rate_(m_), omega_(m_) {
    for (Index n = 0; n < y_.size(); ++n) log_factorials_ += k_[n] * log_gamma(y_[n] + 1);
  }

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .damped = true}; }

  void start(Rows& rows) override {  // at m = ln y, s = 0: the first solve is of least squares of logarithms
    m_ = y_.array().max(0.5).log();
    s_.setZero();
    write_rows(rows);
  }

  void update(const Posterior& q, Rows& rows) override {
    m_ = q.m;
    s_ = q.s;
    write_rows(rows);
  }

  [[nodiscard]] Index state_size() const override { return 2 * m_.size(); }
  void get_state(Eigen::Ref<Vector> state, Eigen::Ref<Vector> weight) const override {
    const Index n = m_.size();
    state.head(n) = m_;
    state.tail(n) = s_.array().max(1e-300).log();
    weight.head(n) = omega_;
    weight.tail(n) = 0.5 * omega_.cwiseProduct(s_);
  }
  void set_state(const Eigen::Ref<const Vector>& state, Rows& rows) override {
    m_ = state.head(m_.size());
    s_ = state.tail(m_.size()).array().min(700.0).exp();
    write_rows(rows);
  }

  // There is no factor of its own: the expectations of the last update are the bound's.
  [[nodiscard]] double bound(const Posterior&) const override { return expected_log_likelihood_; }

 private:
  void write_rows(Rows& rows) {
    constexpr double largest = 700;                      // of e^x in doubles
    rate_ = (m_ + 0.5 * s_).array().min(largest).exp();  // (POIS.2)
    omega_ = k_.cwiseProduct(rate_);                     // (POIS.1)
    rows.omega = omega_;
    rows.r = omega_.cwiseProduct(m_) + k_.cwiseProduct(y_ - rate_);
    expected_log_likelihood_ = k_.dot(y_.cwiseProduct(m_) - rate_) - log_factorials_;  // (POIS.3)
  }

  Vector y_, k_;
  Vector m_, s_, rate_, omega_;
  double log_factorials_ = 0, expected_log_likelihood_ = 0;
};

void validate_counts(const Vector& y, const Vector& k, Index num_flat) {
  constexpr double most = 1e9;
  for (Index n = 0; n < y.size(); ++n)
    if (!(y[n] >= 0 && y[n] <= most && y[n] == std::floor(y[n])))
      throw InvalidArgument(fmt::format("y at row {} is {}; a count is a whole number from 0 to {:.0e}", n + 1, y[n], most));
  if (num_flat > 0 && k.dot(y) == 0)
    throw InvalidArgument(
        "every count is 0: the rate has no smallest value, and the intercept, or another column without a prior, would fall without end");
}

}  // namespace

std::unique_ptr<Likelihood> make_poisson(Vector y, Vector k, Index num_flat) {
  if (k.size() == 0) k = Vector::Ones(y.size());
  validate_counts(y, k, num_flat);
  return std::make_unique<Poisson>(std::move(y), std::move(k));
}

}  // namespace ardvark
