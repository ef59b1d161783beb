// Logistic likelihood with the exact Gaussian variational posterior.                                docs/math/logistic_gaussian.md
#include "core/special.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark {
namespace {

class LogisticGaussian final : public Likelihood {
 public:
  LogisticGaussian(Vector t, Vector k) : t_(std::move(t)), k_(std::move(k)) {}

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .damped = true}; }

  void start(Rows& rows) override {  // E sigma' and E sigma at m = s = 0
    rows.omega = 0.25 * k_;
    rows.r = (t_.array() - 0.5) * k_.array();
  }

  void update(const Posterior& q, Rows& rows) override {
    expected_log_likelihood_ = 0;
    for (Index n = 0; n < t_.size(); ++n) {
      const LogisticExpectation e = expected_logistic(q.m[n], q.s[n]);
      rows.omega[n] = k_[n] * e.slope;
      rows.r[n] = k_[n] * (e.slope * q.m[n] + (t_[n] - e.sigma));                  // (VG.1)
      expected_log_likelihood_ += k_[n] * (t_[n] * q.m[n] - e.softplus);          // (VG.2)
    }
  }

  // There is no factor of its own: the expectations of the last update are the bound's.
  [[nodiscard]] double bound(const Posterior&) const override { return expected_log_likelihood_; }

 private:
  Vector t_, k_;
  double expected_log_likelihood_ = 0;
};

}  // namespace

std::unique_ptr<Likelihood> make_logistic_gaussian(Vector t, Vector k) {
  if (k.size() == 0) k = Vector::Ones(t.size());
  return std::make_unique<LogisticGaussian>(std::move(t), std::move(k));
}

}  // namespace ardvark
