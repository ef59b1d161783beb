// Common part of likelihoods without own factors, whose rows depend only on the moments m and s of each row under q(w).
#pragma once

#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

class MomentLikelihood : public Likelihood {
 public:
  void update(const Posterior& q, Rows& rows) final {
    m_ = q.m;
    s_ = q.s;
    expected_log_likelihood_ = write_rows(rows);
  }

  [[nodiscard]] Index state_size() const final { return 2 * m_.size(); }
  void get_state(Eigen::Ref<Vector> state, Eigen::Ref<Vector> weight) const final {
    const Index n = m_.size();
    state.head(n) = m_;
    state.tail(n) = s_.array().max(1e-300).log();
    weight.head(n) = slope_;
    weight.tail(n) = 0.25 * slope_.cwiseProduct(s_);
  }
  void set_state(const Eigen::Ref<const Vector>& state, Rows& rows) final {
    m_ = state.head(m_.size());
    s_ = state.tail(m_.size()).array().min(700.0).exp();
    expected_log_likelihood_ = write_rows(rows);
  }

  // The expectation of the last update is the term of the bound.
  [[nodiscard]] double bound(const Posterior&) const final { return expected_log_likelihood_; }

 protected:
  explicit MomentLikelihood(Index num_rows) : m_(Vector::Zero(num_rows)), s_(m_), slope_(m_) {}
  /// Writes the rows for m_ and s_, and their omega into slope_. \return  the expected log likelihood
  virtual double write_rows(Rows& rows) = 0;

  Vector m_, s_, slope_;

 private:
  double expected_log_likelihood_ = 0;
};

}  // namespace ardvark::internal
