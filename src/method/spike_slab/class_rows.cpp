#include "method/spike_slab/class_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/special.hpp"
#include "design/with_row.hpp"

namespace ardvark::internal {
namespace {

constexpr double least_omega = 1e-8;
constexpr double ln_pi = 1.1447298858494001741;

}  // namespace

double narrowing_of(double signal) { return 1 / std::sqrt(1 + std::numbers::pi * signal / 8); }

ClassRows::ClassRows(std::unique_ptr<Design> design, const Vector& t, const Vector& k, bool proper)
    : design_(proper ? with_row_of_means(std::move(design), k) : std::move(design)), t_(t), k_(k), proper_(proper) {}

LogOdds ClassRows::before(bool has_flat) const {
  const double rate = std::clamp(k_.dot(t_) / k_.sum(), 1e-6, 1 - 1e-6);
  return {Vector::Constant(size(), has_flat ? std::log(rate / (1 - rate)) : 0.0), Vector::Zero(size())};
}

// Calls use(row, omega, response, log likelihood) for every row; for the last one, the prior of the intercept, once for each signal.
template <typename Use>
void ClassRows::each_row(const LogOdds& known, Use&& use) const {
  const auto look = [&](Index i, double t, double k, double c) {
    const double m = known.m[i], s = c * c * known.s[i];
    const LogisticExpectation e = s <= little_variance ? expected_logistic_of_little_variance(c * m, s) : expected_logistic(c * m, s);
    const double omega = k > 0 ? std::max(k * c * c * e.slope, least_omega) : 0;
    // t x - softplus(x) = - t softplus(-x) - (1 - t) softplus(x), and softplus(-x) = softplus(x) - x; both are at least 0.
    const double of_first = std::max(e.softplus, 0.0), of_second = std::max(e.softplus - c * m, 0.0);
    use(i, omega, omega * m + k * c * (t - e.sigma), k > 0 ? -k * (t * of_second + (1 - t) * of_first - std::log(c)) : 0.0);
  };
  for (Index i = 0; i < t_.size(); ++i) look(i, t_[i], k_[i], 1);
  if (!proper_) return;
  for (const auto& [weight, signal] : signals_) look(t_.size(), 0.5, weight, narrowing_of(signal));
}

ClassRowsAt ClassRows::at(const LogOdds& known) const {
  ClassRowsAt out{{Vector::Zero(size()), Vector::Zero(size())}, proper_ ? -ln_pi : 0.0};
  each_row(known, [&](Index i, double omega, double response, double log_likelihood) {
    out.sites.omega[i] += omega;
    out.sites.response[i] += response;
    out.log_likelihood += log_likelihood;
  });
  return out;
}

double ClassRows::log_likelihood(const LogOdds& known) const {
  double sum = proper_ ? -ln_pi : 0;
  each_row(known, [&](Index, double, double, double log_likelihood) { sum += log_likelihood; });
  return sum;
}

std::function<double(double signal)> ClassRows::log_prior_of_intercept(const LogOdds& known) const {
  return [mean = known.m[t_.size()], variance = known.s[t_.size()]](double signal) {
    const double c = narrowing_of(signal), m = c * mean, s = c * c * variance;
    return 0.5 * m - expected_logistic(m, s).softplus + std::log(c) - ln_pi;
  };
}

bool ClassRows::are_steps(const LogOdds& known) const {
  constexpr double square_of_a_step = 1e4;
  for (Index i = 0; i < t_.size(); ++i)
    if (k_[i] > 0 && known.m[i] * known.m[i] + known.s[i] <= square_of_a_step) return false;
  return log_likelihood(known) > -0.7 * k_.sum();
}

LogOdds ClassRows::log_odds(const Vector& w, const Matrix& V) {
  LogOdds out{Vector(size()), Vector(size())};
  design_->apply(w, out.m);
  static_cast<void>(design_->set_products(products_));
  design_->row_forms(V, out.s);
  static_cast<void>(design_->set_products(Products::double_precision));
  return out;
}

}  // namespace ardvark::internal
