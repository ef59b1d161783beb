// Student-t noise as a scale mixture of normal distributions.                                              docs/math/student_noise.md
#include "likelihood/student_noise.hpp"

#include <algorithm>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "core/special.hpp"
#include "likelihood/moment_likelihood.hpp"
#include "likelihood/own_parameter.hpp"

namespace ardvark::internal {
namespace {

constexpr double prior_mean = usual_log_degrees, prior_sd = 1.5;                   // of ln nu                                (TN.3)
constexpr double least_log_degrees = -0.693147180559945, most_log_degrees = 13.8;  // 0.5, 1e6

class StudentNoise final : public MomentLikelihood {
 public:
  StudentNoise(Vector y, Vector k, GammaDistribution prior)
      : MomentLikelihood(y.size()), y_(std::move(y)), k_(std::move(k)), c0_(prior.shape), d0_(prior.rate), n_(k_.sum()) {}

  [[nodiscard]] LikelihoodTraits traits() const override { return {.row_moments = true, .damped = true}; }

  void start(Rows& rows) override {  // as (VR): noise with a tenth of the standard deviation of the target, and no outliers
    const double mean = k_.dot(y_) / n_, variance = k_.dot((y_.array() - mean).square().matrix()) / n_;
    const double tau = variance > 0 ? 100 / variance : 1;
    rows.omega = tau * k_;
    rows.r = rows.omega.cwiseProduct(y_);
    Vector own(2);
    own << std::log(tau / 10), prior_mean;
    const Vector zeros = Vector::Zero(y_.size());
    start_at(zeros, rows, evaluate(own, squares(zeros, zeros)).value, own);
  }

  // own: ln E tau and ln nu, by Newton's method.                                                                               (TN.3)
  [[nodiscard]] double expect(const Vector& m, const Vector& s, Rows& rows, Vector& own) const override {
    const Vector d = squares(m, s);
    if (own.size() != 2) {
      own.resize(2);
      own << std::log(n_ / std::max(k_.dot(d), 1e-300)), prior_mean;
    }
    const double value = maximise(d, own, false);
    const double tau = std::exp(own[0]);
    rows.omega = tau * k_.cwiseProduct(noise_weights(d, at(own)));  // (TN.1)
    rows.r = rows.omega.cwiseProduct(y_);
    return value;
  }

  [[nodiscard]] GammaDistribution noise() const override { return {c0_ + 0.5 * n_, (c0_ + 0.5 * n_) / std::exp(own()[0])}; }

  // The mean curvature of ln t, over that of the normal distributions.                                                           (TN.6)
  [[nodiscard]] double share_at(const Vector& m, const Vector& s, const Vector& own) const override {
    return noise_share(noise_sums(squares(m, s), k_, at(own)), n_);
  }

  [[nodiscard]] OwnParameters own_parameters() const override {
    const Vector d = squares(means(), variances());
    const double curvature = evaluate(own(), d).curvature();
    Vector near = own();
    const auto f = [&](const std::vector<double>& log_degrees) {
      std::vector<double> out;
      for (const double one : log_degrees) {
        near[1] = one;
        out.push_back(maximise(d, near, true));
      }
      return out;
    };
    const SpreadOfParameter spread = spread_of_parameter(f, own()[1], 1 / std::sqrt(std::max(curvature, 0.1)));
    return {.degrees_of_freedom = std::exp(own()[1]),
            .log_mean = spread.mean,
            .log_sd = spread.sd,
            .spread = spread.log_integral,
            .row_weight = noise_weights(d, at(own()))};
  }

 private:
  static NoiseParameters at(const Vector& own) { return {own[0], own[1]}; }
  [[nodiscard]] Vector squares(const Vector& m, const Vector& s) const { return (y_ - m).cwiseAbs2() + s; }

  [[nodiscard]] NoiseCurve evaluate(const Vector& own, const Vector& d) const {
    return noise_curve(at(own), noise_sums(d, k_, at(own)), n_, {c0_, d0_});
  }

  // The value at the best own parameters. \param holds_degrees  only E tau is changed
  double maximise(const Vector& d, Vector& own, bool holds_degrees) const {
    NoiseCurve curve = evaluate(own, d);
    constexpr int most_steps = 100;
    for (int i = 0; i < most_steps; ++i) {
      const NoiseStep step = noise_step(at(own), curve, holds_degrees);
      if (!(std::abs(step.slope) > 1e-13 * (1 + n_))) break;
      bool rose = false;
      for (double share = 1; share > 1e-6 && !rose; share *= 0.5) {
        Vector next = own;
        next[0] += share * step.x;
        next[1] += share * step.u;
        const NoiseCurve there = evaluate(next, d);
        if (!(there.value >= curve.value)) continue;
        rose = true;
        own = next;
        curve = there;
      }
      if (!rose) break;
    }
    return curve.value;
  }

  Vector y_, k_;
  double c0_, d0_, n_;
};

}  // namespace

NoiseSums noise_sums(const Vector& d, const Vector& k, const NoiseParameters& at) {
  const double tau = std::exp(at.x), nu = std::exp(at.u);
  NoiseSums out;
  for (Index i = 0; i < d.size(); ++i) {
    const double ratio = tau * d[i] / nu, one = ratio / (1 + ratio);
    out.logs += k[i] * std::log1p(ratio);
    out.q += k[i] * one;
    out.spread += k[i] * one / (1 + ratio);
  }
  return out;
}

Vector noise_weights(const Vector& d, const NoiseParameters& at) {
  const double tau = std::exp(at.x), nu = std::exp(at.u);
  return (nu + 1) / (nu + tau * d.array());
}

double NoiseCurve::curvature() const { return -(uu - xu * xu / std::min(xx, -1e-300)); }

NoiseCurve noise_curve(const NoiseParameters& at, const NoiseSums& sums, double n, GammaDistribution prior) {
  const auto& [logs, q, spread] = sums;
  const double tau = std::exp(at.x), nu = std::exp(at.u), c = prior.shape + 0.5 * n;
  const double half = 0.5 * (nu + 1), z = (at.u - prior_mean) / prior_sd;
  const double E_ln_tau = digamma(c) - std::log(c) + at.x, rate = c / tau;
  const double noise = prior.shape * std::log(prior.rate) - log_gamma(prior.shape) + (prior.shape - 1) * E_ln_tau - prior.rate * tau -
                       (c * std::log(rate) - log_gamma(c) + (c - 1) * E_ln_tau - c);
  // A' and A'' of A = ln Gamma((nu+1)/2) - ln Gamma(nu/2) - ln(nu)/2
  const double first = 0.5 * (digamma(half) - digamma(0.5 * nu) - 1 / nu);
  const double second = 0.25 * (boost::math::trigamma(half) - boost::math::trigamma(0.5 * nu)) + 0.5 / (nu * nu);
  NoiseCurve out;
  out.value = n * (log_gamma(half) - log_gamma(0.5 * nu) - 0.5 * (ln_2pi - ln_2 + at.u) + 0.5 * E_ln_tau) - half * logs + noise -
              0.5 * (z * z + ln_2pi) - std::log(prior_sd);  // (TN.2)
  out.x = c - prior.rate * tau - half * q;
  out.u = n * nu * first - 0.5 * nu * logs + half * q - z / prior_sd;
  out.xx = -prior.rate * tau - half * spread;
  out.xu = -0.5 * nu * q + half * spread;
  out.uu = n * nu * (first + nu * second) - 0.5 * nu * logs + nu * q - half * spread - 1 / (prior_sd * prior_sd);
  return out;
}

NoiseStep noise_step(const NoiseParameters& at, const NoiseCurve& curve, bool holds_degrees) {
  const double xx = std::min(curve.xx, -1e-300);
  const double across = holds_degrees ? 0 : curve.xu / xx;
  const double rest = curve.uu - across * curve.xu;  // curvature in u with x at its best
  NoiseStep out;
  if (!holds_degrees) {
    const double of_u = std::clamp((curve.u - across * curve.x) / std::max(-rest, 0.05 * (1 + std::abs(curve.u))), -1.0, 1.0);
    out.u = std::clamp(at.u + of_u, least_log_degrees, most_log_degrees) - at.u;
  }
  out.x = std::clamp(-curve.x / xx - across * out.u, -2.0, 2.0);
  out.slope = curve.x * out.x + curve.u * out.u;
  return out;
}

double noise_share(const NoiseSums& sums, double n) {
  constexpr double least = 0.3;  // of 0.5 degrees of freedom it is .43
  return std::clamp(1 - 2 * sums.spread / std::max(n - sums.q, 1e-300), least, 1.0);
}

std::unique_ptr<Likelihood> make_student(Vector y, Vector k, GammaDistribution prior) {
  if (k.size() == 0) k = Vector::Ones(y.size());
  return std::make_unique<StudentNoise>(std::move(y), std::move(k), prior);
}

}  // namespace ardvark::internal
