#include "method/spike_slab/class_rows.hpp"

#include <cmath>
#include <numbers>

#include "core/logistic_moments.hpp"
#include "core/special.hpp"
#include "design/with_row.hpp"

namespace ardvark::internal {
namespace {

constexpr double least_omega = 1e-8;
constexpr double ln_pi = 1.1447298858494001741;

struct RowAt {
  double omega, response, log_likelihood;
};

// A row whose log odds, of mean m, are taken times c. \param e  of these
RowAt row_at(double t, double k, double c, double m, const LogisticExpectation& e) {
  const double omega = k > 0 ? std::max(k * c * c * e.slope, least_omega) : 0;
  // t x - softplus(x) = - t softplus(-x) - (1 - t) softplus(x), and softplus(-x) = softplus(x) - x; both are at least 0.
  const double of_first = std::max(e.softplus, 0.0), of_second = std::max(e.softplus - c * m, 0.0);
  return {omega, omega * m + k * c * (t - e.sigma), k > 0 ? -k * (t * of_second + (1 - t) * of_first - std::log(c)) : 0.0};
}

}  // namespace

double narrowing_of(double signal) { return 1 / std::sqrt(1 + std::numbers::pi * signal / 8); }

bool are_equal(const KnownOdds& one, const KnownOdds& other) {
  if (const auto* rows = std::get_if<LogOdds>(&one)) {
    const auto* others = std::get_if<LogOdds>(&other);
    return others != nullptr && rows->m == others->m && rows->s == others->s;
  }
  const auto &weights = std::get<OddsOfWeights>(one), *others = std::get_if<OddsOfWeights>(&other);
  return others != nullptr && weights.w == others->w && weights.V == others->V;
}

// The mean over the signals.
ClassRows::AtIntercept ClassRows::at_intercept(double mean, double variance) const {
  AtIntercept out{0, 0, -ln_pi};
  for (const auto& [weight, signal] : signals_) {
    const double c = narrowing_of(signal), m = c * mean, s = c * c * variance;
    const LogisticExpectation e = s <= little_variance ? expected_logistic_of_little_variance(m, s) : expected_logistic(m, s);
    const RowAt one = row_at(0.5, weight, c, mean, e);
    out.omega += one.omega;
    out.response += one.response;
    out.log_likelihood += one.log_likelihood;
  }
  return out;
}

std::function<double(double signal)> ClassRows::log_prior_of_intercept(const KnownOdds& known) const {
  return [moments = moments_of_intercept(known)](double signal) {
    const double c = narrowing_of(signal), m = c * moments.first, s = c * c * moments.second;
    return 0.5 * m - expected_logistic(m, s).softplus + std::log(c) - ln_pi;
  };
}

RowsInMemory::RowsInMemory(std::unique_ptr<Design> design, const Vector& k, bool proper)
    : ClassRows(proper), design_(proper ? with_row_of_means(std::move(design), k) : std::move(design)), k_(k) {}

ClassRowsAt RowsInMemory::at(const KnownOdds& known) const {
  Sites sites{Vector(num_rows()), Vector(num_rows())};
  const double log_likelihood = evaluate(std::get<LogOdds>(known), &sites);
  return {std::move(sites), log_likelihood};
}

KnownOdds RowsInMemory::log_odds(const Vector& w, const Matrix& V) {
  LogOdds out{Vector(num_rows()), Vector(num_rows())};
  design_->apply(w, out.m);
  static_cast<void>(design_->set_products(products_));
  design_->row_forms(V, out.s);
  static_cast<void>(design_->set_products(Products::double_precision));
  return out;
}

KnownOdds RowsInMemory::average(const std::vector<std::pair<double, const KnownOdds*>>& parts) const {
  LogOdds out{Vector::Zero(num_rows()), Vector::Zero(num_rows())};
  for (const auto& [share, odds] : parts) out.m += share * std::get<LogOdds>(*odds).m;
  for (const auto& [share, odds] : parts) {
    const auto& [m, s] = std::get<LogOdds>(*odds);
    out.s += share * (s + (m - out.m).cwiseAbs2());
  }
  return out;
}

Vector RowsInMemory::target_of(const WorkingSites& sites) const {
  const auto& [omega, response] = std::get<Sites>(sites);
  return (omega.array() > 0).select(response.cwiseQuotient(omega.cwiseMax(1e-300)), 0.0);
}

double RowsInMemory::misfit(const WorkingSites& sites, const Vector& z, const KnownOdds& known) const {
  const auto& [m, s] = std::get<LogOdds>(known);
  return 0.5 * std::get<Sites>(sites).omega.dot(((z - m).cwiseAbs2() + s));
}

double RowsInMemory::distance(const KnownOdds& from, const KnownOdds& to, const WorkingSites& sites) const {
  const auto &one = std::get<LogOdds>(from), &other = std::get<LogOdds>(to);
  const auto of_means = (other.m - one.m).array().square();
  const auto of_variances = (other.s - one.s).array().square() / (4 * other.s.array().max(1e-12));
  return (std::get<Sites>(sites).omega.array() * (of_means + of_variances)).sum();
}

Extent RowsInMemory::extent(const WorkingSites& sites, const KnownOdds& known) const {
  const Vector& omega = std::get<Sites>(sites).omega;
  const auto& [m, s] = std::get<LogOdds>(known);
  Extent out;
  for (Index i = 0; i < omega.size(); ++i)
    if (omega[i] > 0) out.add(m[i], s[i]);
  return out;
}

bool RowsInMemory::reduce(const PenalisedColumns& which, const WorkingSites& sites, const Vector& target, KeepBasis basis,
                          ReducedRows& out) {
  if (reduction_) return reduction_(std::get<Sites>(sites), target, basis, out);
  const Vector& omega = std::get<Sites>(sites).omega;
  return reduce_rows(*design_, which, omega, target, omega.sum(), basis, out, rotation_, products_);
}

TableClassRows::TableClassRows(std::unique_ptr<Design> design, const Vector& t, const Vector& k, bool proper)
    : RowsInMemory(std::move(design), k, proper), t_(t) {}

KnownOdds TableClassRows::before(bool has_flat) const {
  const double rate = std::clamp(weights().dot(t_) / weights().sum(), 1e-6, 1 - 1e-6);
  return LogOdds{Vector::Constant(num_rows(), has_flat ? std::log(rate / (1 - rate)) : 0.0), Vector::Zero(num_rows())};
}

double TableClassRows::evaluate(const LogOdds& known, Sites* sites) const {
  const Index n = t_.size();
  double sum = 0;
  const auto add = [&](Index i, double omega, double response, double log_likelihood) {
    if (sites != nullptr) sites->omega[i] = omega, sites->response[i] = response;
    sum += log_likelihood;
  };
  LogisticMoments moments;
  if (!(known.s.head(n).array() <= little_variance).all()) moments.of(known.m.head(n), known.s.head(n));
  for (Index i = 0; i < n; ++i) {
    const double m = known.m[i], s = known.s[i];
    const LogisticExpectation e = s <= little_variance ? expected_logistic_of_little_variance(m, s) : moments.row(i);
    const RowAt row = row_at(t_[i], weights()[i], 1, m, e);
    add(i, row.omega, row.response, row.log_likelihood);
  }
  if (!is_proper()) return sum;
  const AtIntercept last = at_intercept(known.m[n], known.s[n]);
  add(n, last.omega, last.response, last.log_likelihood);
  return sum;
}

std::pair<double, double> TableClassRows::moments_of_intercept(const KnownOdds& known) const {
  const auto& [m, s] = std::get<LogOdds>(known);
  return {m[t_.size()], s[t_.size()]};
}

bool TableClassRows::are_steps(const KnownOdds& known) const {
  constexpr double square_of_a_step = 1e4;
  const auto& [m, s] = std::get<LogOdds>(known);
  for (Index i = 0; i < t_.size(); ++i)
    if (weights()[i] > 0 && m[i] * m[i] + s[i] <= square_of_a_step) return false;
  return log_likelihood(known) > -0.7 * weights().sum();
}

WorkingSites TableClassRows::first_sites() const {
  const double rate = weights().dot(t_) / weights().sum();
  Sites out{Vector::Zero(num_rows()), Vector::Zero(num_rows())};
  out.omega.head(t_.size()) = weights();
  out.response.head(t_.size()) = weights().array() * (t_.array() - rate);
  return out;
}

}  // namespace ardvark::internal
