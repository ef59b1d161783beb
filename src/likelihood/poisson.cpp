// Poisson likelihood with the exact Gaussian variational posterior: counts with the mean e^eta.                     docs/math/poisson.md
#include "core/special.hpp"
#include "likelihood/count_target.hpp"
#include "likelihood/moment_likelihood.hpp"

namespace ardvark::internal {
namespace {

class Poisson final : public MomentLikelihood {
 public:
  Poisson(Vector y, Vector k, Vector offset) : MomentLikelihood(y.size()), y_(std::move(y)), k_(std::move(k)), offset_(std::move(offset)) {
    for (Index n = 0; n < y_.size(); ++n) log_factorials_ += k_[n] * log_gamma(y_[n] + 1);
  }

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .damped = true}; }

  void start(Rows& rows) override {  // at m = ln y, s = 0: the first solve is a least-squares fit of logarithms
    start_at(y_.array().max(0.5).log() - offset_.array(), rows);
  }

  [[nodiscard]] double expect(const Vector& m, const Vector& s, Rows& rows, Vector& /*own*/) const override {
    constexpr double largest = 700;                                                     // e^x does not overflow
    const Vector eta = m + offset_, rate = (eta + 0.5 * s).array().min(largest).exp();  // (POIS.2), (POIS.8)
    rows.omega = k_.cwiseProduct(rate);                                                 // (POIS.1)
    rows.r = rows.omega.cwiseProduct(m) + k_.cwiseProduct(y_ - rate);
    return k_.dot(y_.cwiseProduct(eta) - rate) - log_factorials_;  // (POIS.3)
  }

 private:
  Vector y_, k_, offset_;
  double log_factorials_ = 0;
};

}  // namespace

std::unique_ptr<Likelihood> make_poisson(Vector y, Vector k, Index num_flat, Vector offset) {
  CountTarget target = count_target(std::move(y), std::move(k), num_flat, std::move(offset));
  return std::make_unique<Poisson>(std::move(target.y), std::move(target.k), std::move(target.offset));
}

}  // namespace ardvark::internal
