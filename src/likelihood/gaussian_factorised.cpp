// Gaussian likelihood with weights and noise independent in the posterior.                          docs/math/relevance.md
#include <cmath>

#include "core/special.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {
namespace {

class GaussianFactorised final : public Likelihood {
 public:
  GaussianFactorised(Vector y, Vector k, GammaDistribution prior, double start)
      : y_(std::move(y)), k_(std::move(k)), c0_(prior.shape), d0_(prior.rate), n_(k_.sum()), c_N_(c0_ + 0.5 * n_), start_(start) {
    const double mean = k_.dot(y_) / n_, variance = k_.dot((y_.array() - mean).square().matrix()) / n_;
    if (start_ == 0) start_ = variance > 0 ? 100 / variance : 1.0;  // noise with a tenth of the standard deviation of the target
    d_N_ = c_N_ / start_;
  }

  [[nodiscard]] LikelihoodTraits traits() const override { return {.residual = true}; }

  void start(Rows& rows) override {
    d_N_ = c_N_ / start_;
    write_rows(rows);
  }

  void update(const Posterior& q, Rows& rows) override {
    d_N_ = d0_ + 0.5 * squares(q);  // (VR.2)
    write_rows(rows);
  }

  // The state is ln E[tau]; the curvature of the bound in it is c_N.
  [[nodiscard]] Index state_size() const override { return 1; }
  void get_state(Eigen::Ref<Vector> state, Eigen::Ref<Vector> weight) const override {
    state[0] = std::log(tau());
    weight[0] = c_N_;
  }
  void set_state(const Eigen::Ref<const Vector>& state, Rows& rows) override {
    d_N_ = c_N_ / std::exp(state[0]);
    write_rows(rows);
  }

  [[nodiscard]] double bound(const Posterior& q) const override {
    const double E_ln_tau = digamma(c_N_) - std::log(d_N_);
    return 0.5 * n_ * (E_ln_tau - ln_2pi) - 0.5 * tau() * squares(q)                            // (VR.3), row term
           + c0_ * std::log(d0_) - log_gamma(c0_) + (c0_ - 1) * E_ln_tau - d0_ * tau()          // E ln p(tau)
           - (c_N_ * std::log(d_N_) + (c_N_ - 1) * E_ln_tau - d_N_ * tau() - log_gamma(c_N_));  // - E ln q(tau)
  }
  [[nodiscard]] GammaDistribution noise() const override { return {c_N_, d_N_}; }

 private:
  [[nodiscard]] double tau() const { return c_N_ / d_N_; }
  // ||y - X w||^2 + tr(X V X'): the solver multiplied both by the noise precision that q was built from.
  [[nodiscard]] double squares(const Posterior& q) const { return (q.residual + q.explained) * (n_ / q.total_weight); }
  void write_rows(Rows& rows) const {
    rows.omega = tau() * k_;
    rows.r = tau() * k_.cwiseProduct(y_);
  }

  Vector y_, k_;
  double c0_, d0_, n_, c_N_, d_N_ = 1, start_;
};

}  // namespace

std::unique_ptr<Likelihood> make_gaussian_factorised(Vector y, Vector k, GammaDistribution prior, double start) {
  if (k.size() == 0) k = Vector::Ones(y.size());
  return std::make_unique<GaussianFactorised>(std::move(y), std::move(k), prior, start);
}

}  // namespace ardvark::internal
