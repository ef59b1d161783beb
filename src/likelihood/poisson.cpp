// Poisson likelihood with the exact Gaussian variational posterior: counts with the mean e^eta.                     docs/math/poisson.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/errors.hpp"
#include "core/special.hpp"
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

  [[nodiscard]] double expect(const Vector& m, const Vector& s, Rows& rows) const override {
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

void validate_counts(const Vector& y, const Vector& k, Index num_flat) {
  constexpr double most = 1e9;
  for (Index n = 0; n < y.size(); ++n)
    if (!(y[n] >= 0 && y[n] <= most && y[n] == std::floor(y[n])))
      throw InvalidArgument({.argument = "y",
                             .value = fmt::format("{}", y[n]),
                             .row = n + 1,
                             .why = fmt::format("a count is a whole number from 0 to {:.0e}", most),
                             .remedy = "of rates, give the counts, and their exposure"});
  if (num_flat > 0 && k.dot(y) == 0)
    throw InvalidArgument(
        "every count is 0: the weight of the intercept, or of another column without a prior, would decrease without limit");
}

}  // namespace

std::unique_ptr<Likelihood> make_poisson(Vector y, Vector k, Index num_flat, Vector offset) {
  if (k.size() == 0) k = Vector::Ones(y.size());
  if (offset.size() == 0) offset = Vector::Zero(y.size());
  validate_counts(y, k, num_flat);
  return std::make_unique<Poisson>(std::move(y), std::move(k), std::move(offset));
}

}  // namespace ardvark::internal
