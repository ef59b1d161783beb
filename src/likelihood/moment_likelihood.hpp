// Common part of likelihoods whose rows depend only on the moments m and s of each linear predictor under q(w).
#pragma once

#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

/// Parameters of its own, such as a dispersion, are at their best values for m and s wherever it is evaluated. So their derivatives
/// vanish, and omega = -2 dE/ds, r = omega m + dE/dm hold with the parameters as they are.
class MomentLikelihood : public Likelihood {
 public:
  /// The expected log likelihood if the linear predictors have these means and variances, [n] each.
  /// \param rows  gets omega and r
  /// \param own   where the search for the own parameters begins, and then what it found; empty: not known. Its form is private
  [[nodiscard]] virtual double expect(const Vector& m, const Vector& s, Rows& rows, Vector& own) const = 0;
  [[nodiscard]] double expect(const Vector& m, const Vector& s, Rows& rows) const {
    Vector own;
    return expect(m, s, rows, own);
  }

  /// information_share() of the same means and variances, with these own parameters.                                           (TN.6)
  [[nodiscard]] virtual double share_at(const Vector& /*m*/, const Vector& /*s*/, const Vector& /*own*/) const { return 1; }
  [[nodiscard]] double information_share() const final { return share_at(m_, s_, own_); }

  [[nodiscard]] std::optional<ExpectedRows> expected_at(const Vector& m, const Vector& s, Rows& rows) const override {
    Vector own = own_;
    return ExpectedRows{expect(m, s, rows, own)};
  }

  void update(const Posterior& q, Rows& rows) final {
    m_ = q.m;
    s_ = q.s;
    evaluate(rows);
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
    evaluate(rows);
  }

  // The expectation of the last update is the term of the bound.
  [[nodiscard]] double bound(const Posterior&) const final { return expected_log_likelihood_; }

 protected:
  explicit MomentLikelihood(Index num_rows) : m_(Vector::Zero(num_rows)), s_(m_), slope_(m_) {}
  /// Starts with these means, and no variance.
  void start_at(const Vector& m, Rows& rows) {
    m_ = m;
    s_.setZero();
    evaluate(rows);
  }
  /// The same with these own parameters, at which the rows have this value.
  void start_at(const Vector& m, const Rows& rows, double value, const Vector& own) {
    m_ = m;
    s_.setZero();
    slope_ = rows.omega;
    own_ = own;
    expected_log_likelihood_ = value;
  }
  [[nodiscard]] const Vector& means() const { return m_; }
  [[nodiscard]] const Vector& variances() const { return s_; }
  [[nodiscard]] const Vector& own() const { return own_; }

 private:
  void evaluate(Rows& rows) {
    expected_log_likelihood_ = expect(m_, s_, rows, own_);
    slope_ = rows.omega;
  }

  Vector m_, s_, slope_, own_;
  double expected_log_likelihood_ = 0;
};

}  // namespace ardvark::internal
