// Logistic likelihood with the Jaakkola-Jordan bound.                                               docs/math/logistic_bound.md
#include <cmath>

#include "core/special.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {
namespace {

class LogisticBound final : public Likelihood {
 public:
  LogisticBound(const Vector& t, Vector k, double start_xi)
      : half_y_(t.array() - 0.5), k_(std::move(k)), start_xi_(start_xi), xi_(Vector::Zero(t.size())) {}

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true}; }

  void start(Rows& rows) override {
    xi_.setConstant(start_xi_);
    rows.r = half_y_.cwiseProduct(k_);
    rows.omega.resize(xi_.size());
    write_omega(rows);
  }

  void update(const Posterior& q, Rows& rows) override {
    for (Index n = 0; n < xi_.size(); ++n) xi_[n] = std::sqrt(q.m[n] * q.m[n] + std::max(q.s[n], 0.0));  // (JJ.3)
    write_omega(rows);
  }

  [[nodiscard]] Index state_size() const override { return xi_.size(); }
  void get_state(Eigen::Ref<Vector> state, Eigen::Ref<Vector> weight) const override {
    state = xi_;
    weight = omega_;
  }
  void set_state(const Eigen::Ref<const Vector>& state, Rows& rows) override {
    xi_ = state.cwiseAbs();
    write_omega(rows);
  }

  [[nodiscard]] double bound(const Posterior& q) const override {
    double sum = 0;
    for (Index n = 0; n < k_.size(); ++n) {
      const double xi = xi_[n];
      sum += k_[n] * (log_sigmoid(xi) + half_y_[n] * q.m[n] - 0.5 * xi) -
             0.5 * omega_[n] * (q.m[n] * q.m[n] + q.s[n] - xi * xi);  // (JJ.1) in expectation, (BOUND.1)
    }
    return sum;
  }

 private:
  void write_omega(Rows& rows) {
    omega_.resize(xi_.size());
    for (Index n = 0; n < k_.size(); ++n) omega_[n] = k_[n] * 2 * jj_lambda(xi_[n]);  // (JJ.2)
    rows.omega = omega_;
  }

  Vector half_y_;  // y/2, y in {-1, +1}
  Vector k_;
  double start_xi_;
  Vector xi_, omega_;  // the rows for this xi
};

}  // namespace

std::unique_ptr<Likelihood> make_logistic_bound(const Vector& t, Vector k, double start_xi) {
  if (k.size() == 0) k = Vector::Ones(t.size());
  return std::make_unique<LogisticBound>(t, std::move(k), start_xi);
}

}  // namespace ardvark::internal
