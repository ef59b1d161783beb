// Negative binomial likelihood with the exact Gaussian variational posterior.                    docs/math/negative_binomial.md
#include "likelihood/negative_binomial.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/special.hpp"
#include "likelihood/count_target.hpp"
#include "likelihood/moment_likelihood.hpp"
#include "likelihood/own_parameter.hpp"

namespace ardvark::internal {
namespace {

constexpr double mean_of_log_k = -1.5, sd_of_log_k = 2.5;  // of ln k                                         (NB.4)

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

// What depends on the counts alone: with few terms, one sum that goes on from count to count. \param curved  with the second derivative
AtDispersion of_counts(const std::vector<DifferentCount>& counts, double log_k, bool curved) {
  constexpr double few = 40, h = 1e-4;
  const double k = std::exp(log_k);
  AtDispersion out, sum;
  double next = 1;
  for (const DifferentCount& one : counts) {
    AtDispersion of_count;
    if (one.y <= few) {
      for (; next < one.y; ++next) {
        const double x = next * k, share = x / (1 + x);
        sum.value += std::log1p(x), sum.slope += share, sum.curve += share / (1 + x);
      }
      of_count = sum;
    } else {
      const LogRising rising = log_rising(one.y, k);
      of_count.value = rising.value, of_count.slope = rising.slope;
      if (curved) of_count.curve = (log_rising(one.y, std::exp(log_k + h)).slope - log_rising(one.y, std::exp(log_k - h)).slope) / (2 * h);
    }
    out.value += one.weight * of_count.value, out.slope += one.weight * of_count.slope, out.curve += one.weight * of_count.curve;
  }
  return out;
}

// The rest.
AtDispersion at_rows(const CountRows& in, double log_k, Rows* rows, Nodes nodes = Nodes::usual) {
  const double k = std::exp(log_k);
  const Index count = in.m.size();
  AtDispersion out;
  if (rows != nullptr) rows->omega.resize(count), rows->r.resize(count);
  for (Index n = 0; n < count; ++n) {
    const double y = in.y[n], m = in.m[n] + in.offset[n], size = y + 1 / k, scale = y * k + 1;
    const SoftplusMoments e = softplus_moments(m + log_k, in.s[n], nodes);
    out.value += in.k[n] * (y * m - size * e.softplus);                                  // (NB.2)
    out.slope += in.k[n] * (e.softplus / k - size * e.sigma);                            // (NB.4)
    out.curve += in.k[n] * ((e.sigma - e.softplus) / k + e.sigma / k - size * e.slope);  // (PASS.11)
    if (rows == nullptr) continue;
    rows->omega[n] = in.k[n] * scale * e.slope / k;  // (NB.3)
    rows->r[n] = rows->omega[n] * in.m[n] + in.k[n] * (y - scale * e.sigma / k);
  }
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
    const Vector m = y_.array().max(0.5).log() - offset_.array();
    const double mean = k_.dot(m) / k_.sum(), of_logarithms = std::expm1(k_.dot((m.array() - mean).square().matrix()) / k_.sum());
    const double log_k = std::log(std::clamp(std::min(beyond, of_logarithms), 0.01, 100.0));  // one huge count decides the former alone
    Vector own(2);
    own << log_k, 1;
    const At at = evaluate(log_k, m, Vector::Zero(m.size()), &rows);
    start_at(m, rows, at.value, own);
  }

  // own: ln k, and the negative curvature of the bound in it.                                                                   (NB.4)
  [[nodiscard]] double expect(const Vector& m, const Vector& s, Rows& rows, Vector& own) const override {
    constexpr double least_gain = 1e-13;  // nats a row
    return search(m, s, rows, own, least_gain * (1 + static_cast<double>(m.size())), Nodes::usual).value;
  }

  // k is integrated about its best value; where it ends is near enough that the rows need no other one.                          (NB.8)
  [[nodiscard]] std::optional<ExpectedRows> expected_at(const Vector& m, const Vector& s, Rows& rows) const override {
    constexpr double least_gain = 1e-6;
    Vector near = own();
    const At at = search(m, s, rows, near, least_gain, Nodes::few);
    return ExpectedRows{at.value + 0.5 * at.slope * at.slope / near[1], 0.5 * (ln_2pi - std::log(near[1]))};
  }

  [[nodiscard]] OwnParameters own_parameters() const override {
    const double x = own()[0];
    const auto f = [&](const std::vector<double>& log_k) {
      std::vector<double> out;
      for (const double one : log_k) out.push_back(evaluate(one, means(), variances(), nullptr).value);
      return out;
    };
    const double width = 1 / std::sqrt(std::max(own()[1], 1e-2));
    const std::optional<SpreadOfParameter> nearly_normal = spread_if_nearly_normal(f, x, width);
    const SpreadOfParameter spread = nearly_normal ? *nearly_normal : spread_of_parameter(f, x, width);
    return {.dispersion = std::exp(x), .log_mean = spread.mean, .log_sd = spread.sd, .spread = spread.log_integral};
  }

 private:
  using At = AtDispersion;

  // Newton's method within a bracket, until a step would gain less than this.                                                    (NB.4)
  At search(const Vector& m, const Vector& s, Rows& rows, Vector& own, double least_gain, Nodes nodes) const {
    double x = own.size() == 2 ? own[0] : mean_of_log_k, low = least_log_dispersion, high = most_log_dispersion;
    At at;
    double curvature = 1;
    constexpr int most_steps = 60;
    for (int step = 0; step < most_steps; ++step) {
      at = evaluate(x, m, s, &rows, nodes);
      curvature = -at.curve > 0 ? -at.curve : std::max(std::abs(at.slope), 1e-2);
      (at.slope > 0 ? low : high) = x;
      if (at.slope * at.slope / (2 * curvature) < least_gain || high - low < 1e-12) break;
      const double next = x + std::clamp(at.slope / curvature, -2.0, 2.0);
      x = next > low && next < high ? next : 0.5 * (low + high);
    }
    own.resize(2);
    own << x, curvature;
    return at;
  }

  At evaluate(double log_k, const Vector& m, const Vector& s, Rows* rows, Nodes nodes = Nodes::usual) const {
    At out = prior_of_dispersion(log_k);
    const At counts = of_counts(counts_, log_k, rows != nullptr), of_rows = at_rows({y_, k_, offset_, m, s}, log_k, rows, nodes);
    out.value += counts.value + of_rows.value - log_factorials_, out.slope += counts.slope + of_rows.slope;
    out.curve += counts.curve + of_rows.curve;
    return out;
  }

  Vector y_, k_, offset_;
  std::vector<DifferentCount> counts_;
  double log_factorials_ = 0;
};

}  // namespace

AtDispersion prior_of_dispersion(double log_k) {
  const double z = (log_k - mean_of_log_k) / sd_of_log_k;
  return {-0.5 * (z * z + ln_2pi) - std::log(sd_of_log_k), -z / sd_of_log_k, -1 / (sd_of_log_k * sd_of_log_k)};
}

AtDispersion negative_binomial_rows(const CountRows& in, double log_k, Rows& rows, const std::vector<double>& others, double* values) {
  const std::vector<DifferentCount> counts = different_counts(in.y, in.k);
  double log_factorials = 0;
  for (const DifferentCount& one : counts) log_factorials += one.weight * log_gamma(one.y + 1);
  const auto at = [&](double x, Rows* out) {
    AtDispersion sum = at_rows(in, x, out);
    const AtDispersion rest = of_counts(counts, x, out != nullptr);
    sum.value += rest.value - log_factorials, sum.slope += rest.slope, sum.curve += rest.curve;
    return sum;
  };
  for (std::size_t i = 0; i < others.size(); ++i) values[i] = at(others[i], nullptr).value;
  return at(log_k, &rows);
}

std::unique_ptr<Likelihood> make_negative_binomial(Vector y, Vector k, Index num_flat, Vector offset) {
  CountTarget target = count_target(std::move(y), std::move(k), num_flat, std::move(offset));
  return std::make_unique<NegativeBinomial>(std::move(target.y), std::move(target.k), std::move(target.offset));
}

}  // namespace ardvark::internal
