// The terms of the bound that depend on pi, kappa, h and s2, their maximisers given q(b), and the uncertainty of h.  (SP.5), (SP.11),
// (SP.15)
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "core/eight.hpp"
#include "core/special.hpp"
#include "method/spike_slab/spike_slab.hpp"

namespace ardvark::internal {
namespace {

// The range of ln h for standardised columns. At the upper end, the variance of the noise is e^-33 = 5e-15 times that of a dense effect,
// which is close to the rounding error of a number.
constexpr double least_log_h = -23, most_log_h = 33;
constexpr double most_pi = 1 - 1e-12;

// sum ln(1 + h l), and sum x/(1 + h l): eight terms at a time, and one logarithm for as many factors as do not overflow.
struct DenseSums {
  double log_volume = 0, misfit = 0;
};
DenseSums dense_sums(double h, const Vector& l, const Vector& x) {
  DenseSums out;
  Eight product = Eight{} + 1, misfit = {}, li, xi;
  const auto take_logs = [&] {
    for (Index lane = 0; lane < lanes; ++lane) out.log_volume += std::log(product[lane]);
    product = Eight{} + 1;
  };
  const Index size = l.size();
  Index i = 0;
  for (; i + lanes <= size; i += lanes) {
    load(l.data() + i, li);
    load(x.data() + i, xi);
    const Eight factor = 1 + h * li;
    misfit += xi / factor;
    product *= factor;
    if (total(product) > 1e150) take_logs();
  }
  for (; i < size; ++i) {
    const double factor = 1 + h * l[i];
    misfit[i % lanes] += x[i] / factor;
    product[i % lanes] *= factor;
  }
  take_logs();
  out.misfit = total(misfit);
  return out;
}

// y at this x: linear between the entries of an ascending list, constant beyond its ends.
double interpolated(double at, const std::vector<double>& x, const std::vector<double>& y) {
  const auto i = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin());
  if (i == 0 || i == x.size()) return y[std::min(i, x.size() - 1)];
  return y[i - 1] + (at - x[i - 1]) / (x[i] - x[i - 1]) * (y[i] - y[i - 1]);
}

}  // namespace

void SpikeSlab::anticipate_inclusion() {
  constexpr double most = 3;  // largest factor up or down
  const double others = others_.included + of_beside_.included, raised = sums_.included - others;
  const double per_pi = others_.included / pi_of_others_ + of_beside_.included / pi_of_beside_;
  const double left = num_units() - per_pi;
  if (!(raised > 0) || !(left > 0)) return;
  hyper_.pi = std::clamp(raised / left, hyper_.pi / most, std::min(hyper_.pi * most, most_pi));
}

double SpikeSlab::divergence() const {
  const double groups = num_units();
  double prior = 0;  // E ln p(indicators)
  if (sums_.included > 0) prior += sums_.included * std::log(hyper_.pi);
  if (groups > sums_.included) prior += (groups - sums_.included) * std::log1p(-hyper_.pi);
  const double slab = sums_.slab_columns == 0 ? 0.0
                                              : 0.5 * (sums_.square / (hyper_.s2 * hyper_.kappa) - sums_.slab_columns +
                                                       sums_.slab_columns * std::log(hyper_.s2 * hyper_.kappa));
  return sums_.negentropy - prior + slab;
}

double SpikeSlab::dense_share() const {
  const double x = hyper_.h * mean_l();
  return x / (1 + x);
}

double SpikeSlab::signal() const { return signal_of(hyper_); }

double SpikeSlab::signal_of(const SpikeSlabHyper& hyper) const {
  const double of_effects = sums_.included > 0 ? hyper.pi * hyper.kappa : 0;
  return settings_.column_unit * static_cast<double>(num_columns()) * (hyper.h + of_effects);
}

double SpikeSlab::prior_of_signal(const SpikeSlabHyper& hyper) const {
  return settings_.log_prior_of_signal ? settings_.log_prior_of_signal(signal_of(hyper)) : 0;
}

double SpikeSlab::log_prior_of_hyper() const {
  double sum = settings_.dense_penalty * std::log1p(-dense_share());
  if (settings_.kappa_tail > 0) sum -= settings_.kappa_tail * std::log1p(hyper_.kappa * settings_.column_unit / settings_.noise);
  return sum + prior_of_signal(hyper_);
}

double SpikeSlab::bound() const {
  const double s2 = hyper_.s2, misfit = rows_->rest + (u_.array().square() / D_.array()).sum() + D_.dot(g_);
  return -0.5 * rows_->degrees * (ln_2pi + std::log(s2)) - 0.5 * dense_sums(hyper_.h, rows_->l, g_).log_volume -
         0.5 * (misfit / s2 + of_beside_.misfit) - divergence() + log_prior_of_hyper() - 0.5 * rows_->log_det_FOF;
}

// The terms of the bound that depend on h, with the best s2 for this h; spread_i = r_i^2 + g_i.                                  (SP.5)
double SpikeSlab::dense_objective(double h, const Vector& spread, double& s2) const {
  const DenseSums sums = dense_sums(h, rows_->l, spread);
  const double misfit = rows_->rest + sums.misfit;
  double volume = -0.5 * sums.log_volume - settings_.dense_penalty * std::log1p(h * mean_l());
  if (settings_.log_prior_of_signal) volume += prior_of_signal({hyper_.pi, hyper_.kappa, h, 1});
  if (!settings_.fit_noise) return volume - 0.5 * misfit / s2;
  const double count = rows_->degrees + sums_.slab_columns;
  const double total = misfit + (hyper_.kappa > 0 ? sums_.square / hyper_.kappa : 0);
  s2 = std::max({total / std::max(count, 1e-300), settings_.least_s2, 1e-300});
  return volume - 0.5 * count * std::log(s2) - 0.5 * (total / s2 - count);
}

// The maximiser of -S/2 ln kappa - Q/(2 kappa) - e ln(1 + u kappa): the positive root of a quadratic equation.                  (SP.23)
double SpikeSlab::best_kappa() const {
  const double S = sums_.slab_columns, Q = sums_.square / hyper_.s2, e = settings_.kappa_tail;
  if (e == 0) return Q / S;
  const double u = settings_.column_unit / settings_.noise, middle = u * Q - S, leading = (S + 2 * e) * u;
  const double root = std::sqrt(middle * middle + 4 * leading * Q);
  return middle > 0 ? (middle + root) / (2 * leading) : 2 * Q / (root - middle);  // without cancellation
}

// pi, then kappa, with the prior of the signal. Each search starts at the maximiser without this prior.                (SP.23), (SP.20)
void SpikeSlab::heed_prior_of_signal() {
  const double S = sums_.included, groups = num_units();
  const double C = sums_.slab_columns, Q = sums_.square / hyper_.s2, u = settings_.column_unit / settings_.noise;
  const auto of_pi = [&](double pi) { return S * std::log(pi) + (groups - S) * std::log1p(-pi); };
  const auto of_kappa = [&](double kappa) {
    return -0.5 * (C * std::log(kappa) + Q / kappa) - settings_.kappa_tail * std::log1p(u * kappa);
  };
  constexpr double furthest = 1.5;  // largest change of a logarithm
  const auto improve = [&](double& value, double most, auto&& rest) {
    const double from = std::log(value), to = std::min(from + furthest, std::log(most));
    const auto loss = [&](double log_value) {
      value = std::exp(log_value);
      return -rest(value) - prior_of_signal(hyper_);
    };
    const double lowest = loss(from);
    const auto [at, found] = boost::math::tools::brent_find_minima(loss, from - furthest, to, 20);
    value = std::exp(found < lowest ? at : from);
  };
  if (hyper_.pi > 1e-90 && hyper_.pi < most_pi) improve(hyper_.pi, most_pi, of_pi);
  if (hyper_.kappa > 0 && Q > 0) improve(hyper_.kappa, std::numeric_limits<double>::max(), of_kappa);
}

void SpikeSlab::update_hyper(Reach reach_of_h) {
  if (settings_.fit_effects && sums_.slab_columns > 0) {
    hyper_.pi = std::clamp(sums_.included / num_units(), 1e-100, most_pi);
    hyper_.kappa = std::max(best_kappa(), settings_.least_kappa);
    if (settings_.log_prior_of_signal) heed_prior_of_signal();
  }
  const Vector r = u_.cwiseQuotient(D_), spread = r.cwiseAbs2() + g_;
  double s2 = hyper_.s2;
  if (!settings_.fit_dense || rows_->rank() == 0) {
    static_cast<void>(dense_objective(hyper_.h, spread, s2));
    hyper_.s2 = s2;
    return;
  }
  const double unit = std::log(settings_.column_unit), least = least_log_h - unit, most = most_log_h - unit;
  const double now = std::clamp(std::log(hyper_.h), least, most);
  const bool is_wide = reach_of_h == Reach::everywhere;
  const double reach = reach_of_h == Reach::near ? 1.5 : 0.35;
  const double from = is_wide ? least : std::max(now - reach, least), to = is_wide ? most : std::min(now + reach, most);
  const int count = is_wide ? 57 : 7;
  const double step = (to - from) / (count - 1);
  const auto loss = [&](double log_h) {
    double ignored = s2;
    return -dense_objective(std::exp(log_h), spread, ignored);
  };
  double best = now, lowest = loss(now);
  for (int i = 0; i < count; ++i)
    if (const double at = from + i * step, value = loss(at); value < lowest) best = at, lowest = value;
  const auto [at, value] = boost::math::tools::brent_find_minima(loss, std::max(best - step, least), std::min(best + step, most), 20);
  if (value < lowest) best = at, lowest = value;
  double without = s2;  // h = 0 is allowed only if there are effects: without both parts, nothing would be uncertain
  const bool is_needless = sums_.slab_columns > 0 && -dense_objective(0, spread, without) <= lowest;
  hyper_.h = is_needless ? 0 : std::exp(best);
  static_cast<void>(dense_objective(hyper_.h, spread, s2));
  hyper_.s2 = s2;
  D_ = (1 + hyper_.h * rows_->l.array()).inverse();
  u_ = r.cwiseProduct(D_);
}

void SpikeSlab::along_h(double middle, double step, auto&& use) const {
  const Vector spread = u_.cwiseQuotient(D_).cwiseAbs2() + g_;
  double s2 = hyper_.s2;
  const double peak = dense_objective(hyper_.h, spread, s2);
  for (double offset = -8; offset <= 8; offset += step) {
    const double h = middle * std::exp(offset), log_density = dense_objective(h, spread, s2) - peak;
    use(h, log_density, s2);
  }
}

// The variance of ln tau, tau = 1/s2: that of a Gamma given h, plus that of ln s2(h) over h. A Gamma of shape a has about 1/(a - 1/2).
double SpikeSlab::noise_shape() const {
  const double count = rows_->degrees + sums_.slab_columns, given_h = 0.5 * count;
  if (!fits_dense() || hyper_.h == 0) return given_h;
  std::vector<double> log_mass, log_s2;  // relative to those at this h, which need not be the largest
  along_h(hyper_.h, 0.125, [&](double, double log_density, double s2) {
    log_mass.push_back(log_density);
    log_s2.push_back(std::log(s2 / hyper_.s2));
  });
  const double most = *std::max_element(log_mass.begin(), log_mass.end());
  double mass = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < log_mass.size(); ++i) {
    const double weight = std::exp(log_mass[i] - most), x = log_s2[i];
    mass += weight;
    first += weight * x;
    second += weight * x * x;
  }
  const double variance = second / mass - (first / mass) * (first / mass);
  return 1 / (1 / std::max(given_h - 0.5, 0.5) + variance) + 0.5;  // (SP.11)
}

double SpikeSlab::student_degrees() const {
  constexpr double least = 2e-6;  // one row: nothing is known of the noise
  return settings_.fit_noise ? std::max(rows_->degrees, least) : std::numeric_limits<double>::infinity();
}

// The middles of five parts of equal mass of the posterior of ln h, e^phi(h) x (1 - x) with x = h l-/(1 + h l-). If h is almost 0, the
// posterior has its mass about one effective parameter, h sum(l) = 1.                                                            (SP.15)
std::optional<DenseSpread> SpikeSlab::dense_spread() const {
  constexpr int parts = 5;
  if (!fits_dense() || !(mean_l() > 0)) return std::nullopt;
  std::vector<double> log_h, mass;
  along_h(std::max(hyper_.h, 1 / rows_->l.sum()), 0.25, [&](double h, double log_density, double) {
    const double share = h * mean_l();
    log_h.push_back(std::log(h));
    mass.push_back(log_density + std::log(share) - 2 * std::log1p(share));
  });
  const double most = *std::max_element(mass.begin(), mass.end());
  double total = 0;
  std::vector<double> below;  // the mass below this h, plus half of the mass at it
  for (const double log_mass : mass) {
    const double here = std::exp(log_mass - most);
    below.push_back(total + 0.5 * here);
    total += here;
  }
  const Vector r = u_.cwiseQuotient(D_), spread = r.cwiseAbs2() + g_;
  DenseSpread out{0, Vector::Zero(rows_->rank()), Matrix(rows_->rank(), parts), 0};
  for (int k = 0; k < parts; ++k) {
    const double wanted = (k + 0.5) / parts * total;
    const double h = std::exp(interpolated(wanted, below, log_h));
    double s2 = hyper_.s2;
    static_cast<void>(dense_objective(h, spread, s2));
    const Vector hD = h / (1 + h * rows_->l.array());
    out.variance += s2 * h / parts;
    out.narrowing += s2 * h / parts * hD;
    out.moves.col(k) = (hD - hyper_.h * D_).cwiseProduct(r) / std::sqrt(parts);
    out.flat += s2 / parts;
  }
  return out;
}

}  // namespace ardvark::internal
