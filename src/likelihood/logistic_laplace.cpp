// Logistic likelihood, a normal distribution at the mode: Laplace's approximation.                  docs/math/logistic_laplace.md
#include "core/special.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {
namespace {

class LogisticLaplace final : public Likelihood {
 public:
  LogisticLaplace(Vector t, Vector k) : t_(std::move(t)), k_(std::move(k)) {}

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .to_mode = true}; }

  void start(Rows& rows) override {  // m = 0
    rows.omega = 0.25 * k_;
    rows.r = (t_.array() - 0.5) * k_.array();
    log_likelihood_ = -ln_2 * k_.sum();
  }

  void update(const Posterior& q, Rows& rows) override {
    log_likelihood_ = 0;
    for (Index n = 0; n < t_.size(); ++n) {
      const double m = q.m[n], below = sigmoid(-m), above = sigmoid(m);
      const bool second = t_[n] > 0.5;
      rows.omega[n] = k_[n] * above * below;                              // (LAP.1)
      rows.r[n] = rows.omega[n] * m + k_[n] * (second ? below : -above);  // t - sigma, without cancellation
      log_likelihood_ += k_[n] * log_sigmoid(second ? m : -m);
    }
  }

  [[nodiscard]] double log_likelihood() const override { return log_likelihood_; }
  // E ln p(y|w) to second order: the value at the mode minus the loss from the spread of q.                      (LAP.3), (BOUND.2)
  [[nodiscard]] double bound(const Posterior& q) const override { return log_likelihood_ - 0.5 * q.explained; }

 private:
  Vector t_, k_;
  double log_likelihood_ = 0;
};

}  // namespace

std::unique_ptr<Likelihood> make_logistic_laplace(Vector t, Vector k) {
  if (k.size() == 0) k = Vector::Ones(t.size());
  return std::make_unique<LogisticLaplace>(std::move(t), std::move(k));
}

}  // namespace ardvark::internal
