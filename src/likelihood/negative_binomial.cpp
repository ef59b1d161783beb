// Negative binomial likelihood with the exact Gaussian variational posterior.                    docs/math/negative_binomial.md
#include "likelihood/negative_binomial.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/special.hpp"
#include "likelihood/count_target.hpp"
#include "likelihood/moment_likelihood.hpp"
#include "likelihood/own_parameter.hpp"

namespace ardvark::internal {
namespace {

constexpr double prior_mean = -1.5, prior_sd = 2.5;  // of ln k                                         (NB.4)
constexpr double least_log_k = -18.420680743952367, most_log_k = 13.815510557964274;  // ln 1e-8, ln 1e6

struct DifferentCount {
  double y, weight;
};

std::vector<DifferentCount> different_counts(const Vector& y, const Vector& k) {
  std::vector<DifferentCount> all;
  for (Index n = 0; n < y.size(); ++n)
    if (k[n] > 0 && y[n] > 0) all.push_back({y[n], k[n]});
  std::ranges::sort(all, {}, &DifferentCount::y);
  std::vector<DifferentCount> out;
  for (const DifferentCount& one : all)
    if (!out.empty() && out.back().y == one.y)
      out.back().weight += one.weight;
    else
      out.push_back(one);
  return out;
}

class NegativeBinomial final : public MomentLikelihood {
 public:
  NegativeBinomial(Vector y, Vector k, Vector offset)
      : MomentLikelihood(y.size()), y_(std::move(y)), k_(std::move(k)), offset_(std::move(offset)), counts_(different_counts(y_, k_)) {
    for (const DifferentCount& one : counts_) log_factorials_ += one.weight * log_gamma(one.y + 1);
  }

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .damped = true}; }

  // At m = ln y, where k would be best at 0, with k of the counts about one rate.
  void start(Rows& rows) override {
    const Vector exposure = offset_.array().exp();
    const double rate = std::max(k_.dot(y_) / k_.dot(exposure), 1e-300);
    const Vector mu = rate * exposure;
    const double beyond = k_.dot((y_ - mu).cwiseAbs2() - mu) / k_.dot(mu.cwiseAbs2());
    const double log_k = std::log(std::clamp(beyond, 0.01, 100.0));
    const Vector m = y_.array().max(0.5).log() - offset_.array();
    Vector own(2);
    own << log_k, 1;
    const At at = evaluate(log_k, m, Vector::Zero(m.size()), &rows);
    start_at(m, rows, at.value, own);
  }

  // own: ln k, and the negative curvature of the bound in it.                                                                   (NB.4)
  [[nodiscard]] double expect(const Vector& m, const Vector& s, Rows& rows, Vector& own) const override {
    double x = own.size() == 2 ? own[0] : prior_mean, curvature = own.size() == 2 ? own[1] : 1;
    double low = least_log_k, high = most_log_k, value = 0, before = 0, slope_before = 0;
    constexpr int most_steps = 60;
    for (int step = 0; step < most_steps; ++step) {
      const At at = evaluate(x, m, s, &rows);
      value = at.value;
      if (step > 0 && std::abs(x - before) > 1e-4)  // a difference that is not rounding
        if (const double found = -(at.slope - slope_before) / (x - before); found > 0) curvature = found;
      (at.slope > 0 ? low : high) = x;
      constexpr double least_gain = 1e-13;  // nats a row
      if (at.slope * at.slope / (2 * curvature) < least_gain * (1 + static_cast<double>(m.size())) || high - low < 1e-12) break;
      before = x, slope_before = at.slope;
      const double next = x + std::clamp(at.slope / curvature, -2.0, 2.0);
      x = next > low && next < high ? next : 0.5 * (low + high);
    }
    own.resize(2);
    own << x, curvature;
    return value;
  }

  [[nodiscard]] OwnParameters own_parameters() const override {
    const double x = own()[0];
    const SpreadOfParameter spread = spread_of_parameter([&](double log_k) { return evaluate(log_k, means(), variances(), nullptr).value; },
                                                         x, 1 / std::sqrt(std::max(own()[1], 1e-2)));
    return {.dispersion = std::exp(x), .log_mean = spread.mean, .log_sd = spread.sd, .spread = spread.log_integral};
  }

 private:
  struct At {
    double value, slope;  // the bound, and its derivative in ln k
  };

  At evaluate(double log_k, const Vector& m, const Vector& s, Rows* rows) const {
    const double k = std::exp(log_k), z = (log_k - prior_mean) / prior_sd;
    double value = -0.5 * (z * z + ln_2pi) - std::log(prior_sd) - log_factorials_, slope = -z / prior_sd;
    for (const DifferentCount& one : counts_) {
      const LogRising rising = log_rising(one.y, k);
      value += one.weight * rising.value;
      slope += one.weight * rising.slope;
    }
    if (rows != nullptr) rows->omega.resize(m.size()), rows->r.resize(m.size());
    for (Index n = 0; n < m.size(); ++n) {
      const SoftplusMoments e = softplus_moments(m[n] + offset_[n] + log_k, s[n]);
      const double size = y_[n] + 1 / k, scale = y_[n] * k + 1;
      value += k_[n] * (y_[n] * (m[n] + offset_[n]) - size * e.softplus);  // (NB.2)
      slope += k_[n] * (e.softplus / k - size * e.sigma);                  // (NB.4)
      if (rows == nullptr) continue;
      rows->omega[n] = k_[n] * scale * e.slope / k;  // (NB.3)
      rows->r[n] = rows->omega[n] * m[n] + k_[n] * (y_[n] - scale * e.sigma / k);
    }
    return {value, slope};
  }

  Vector y_, k_, offset_;
  std::vector<DifferentCount> counts_;
  double log_factorials_ = 0;
};

}  // namespace

std::unique_ptr<Likelihood> make_negative_binomial(Vector y, Vector k, Index num_flat, Vector offset) {
  CountTarget target = count_target(std::move(y), std::move(k), num_flat, std::move(offset));
  return std::make_unique<NegativeBinomial>(std::move(target.y), std::move(target.k), std::move(target.offset));
}

}  // namespace ardvark::internal
