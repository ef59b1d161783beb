// Logistic likelihood with the exact Gaussian variational posterior.                                docs/math/logistic_gaussian.md
#include "core/logistic_moments.hpp"
#include "likelihood/moment_likelihood.hpp"

namespace ardvark::internal {
namespace {

class LogisticGaussian final : public MomentLikelihood {
 public:
  LogisticGaussian(Vector t, Vector k) : MomentLikelihood(t.size()), t_(std::move(t)), k_(std::move(k)) {}

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .damped = true, .separable = true}; }

  void start(Rows& rows) override {  // E sigma' and E sigma at m = s = 0
    rows.omega = 0.25 * k_;
    rows.r = (t_.array() - 0.5) * k_.array();
  }

  [[nodiscard]] double expect(const Vector& m, const Vector& s, Rows& rows, Vector& /*own*/) const override {
    double expected_log_likelihood = 0;
    LogisticMoments moments;
    moments.of(m, s);
    for (Index n = 0; n < t_.size(); ++n) {
      const LogisticExpectation e = moments.row(n);
      rows.omega[n] = k_[n] * e.slope;
      rows.r[n] = k_[n] * (e.slope * m[n] + (t_[n] - e.sigma));        // (VG.1)
      expected_log_likelihood += k_[n] * (t_[n] * m[n] - e.softplus);  // (VG.2)
    }
    return expected_log_likelihood;
  }

 private:
  Vector t_, k_;
};

}  // namespace

std::unique_ptr<Likelihood> make_logistic_gaussian(Vector t, Vector k) {
  if (k.size() == 0) k = Vector::Ones(t.size());
  return std::make_unique<LogisticGaussian>(std::move(t), std::move(k));
}

}  // namespace ardvark::internal
