#include "predict/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "likelihood/negative_binomial.hpp"
#include "posterior/state.hpp"
#include "predict/predictive.hpp"
#include "predict/student_mixture.hpp"

namespace ardvark::internal {
namespace {

constexpr double farthest = 9;      // standard deviations of a normal distribution: beyond, its mass is 1e-19
constexpr double most_rate = 1e15;  // beyond, whole numbers are as far apart as doubles, and the spread of a Poisson's count is rounding
constexpr double large_count = 1e6;

using QuietCounts = boost::math::policies::policy<boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
                                                  boost::math::policies::underflow_error<boost::math::policies::ignore_error>>;
using Gauss = boost::math::quadrature::gauss<double, 30>;

// The integral from `from` to `to`, in pieces that get shorter near `center`, where the integrand has this width; `others` are ends of
// pieces too.
template <typename Function>
double integral_near(double center, double width, double from, double to, const Function& f, std::initializer_list<double> others = {}) {
  std::vector<double> ends = {from, to};
  for (const double step : {-40.0, -8.0, -2.0, 2.0, 8.0, 40.0}) ends.push_back(std::clamp(center + step * width, from, to));
  for (const double end : others) ends.push_back(std::clamp(end, from, to));
  std::sort(ends.begin(), ends.end());
  double sum = 0;
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (ends[i] > ends[i - 1]) sum += Gauss::integrate(f, ends[i - 1], ends[i]);
  return sum;
}

double normal_density(double z) { return std::exp(-0.5 * z * z - 0.5 * ln_2pi); }

// Q(a, x) of a large a: Temme's uniform expansion (1979), whose error is about a^-3/2.                                         (POIS.7)
double gamma_q_of_large(double a, double x) {
  const double mu = (x - a) / a;
  if (std::abs(mu) > 0.5) return mu < 0 ? 1 : 0;
  const double half_square = -boost::math::log1pmx(mu), eta = std::copysign(std::sqrt(2 * half_square), mu);
  const double first = std::abs(mu) < 1e-4 ? -1.0 / 3 + mu / 12 : 1 / mu - 1 / eta;
  const double density = a * half_square < 700 ? std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi * a) : 0;
  return std::clamp(0.5 * std::erfc(eta * std::sqrt(0.5 * a)) + density * first, 0.0, 1.0);
}

double poisson_cdf(double y, double rate) {
  if (rate == 0) return 1;
  // Where the rest is below e^-140, which Boost cannot always tell.
  if (rate > 10 * (y + 1) + 1000) return 0;
  if (y > 100 && rate < 0.1 * y) return 1;
  return y + 1 > large_count ? gamma_q_of_large(y + 1, rate) : boost::math::gamma_q(y + 1, rate);
}

// For a large count, y eta - e^eta - ln y! is a small difference of large numbers: Stirling's series takes the large parts out.
double poisson_log_probability(double y, double eta) {
  const double rate = std::exp(eta);
  if (y < 1000) return y * eta - rate - log_gamma(y + 1);
  const double mu = (rate - y) / y, away = std::abs(mu) < 0.5 ? boost::math::log1pmx(mu) : eta - std::log(y) - mu;
  return y * away - 0.5 * std::log(2 * std::numbers::pi * y) - 1 / (12 * y);
}

// At the log mean eta.                                                                                                          (NB.6)
double cdf_at(double y, double eta, double k) {
  if (k == 0) return poisson_cdf(y, std::exp(eta));
  const double share = sigmoid(eta + std::log(k));
  return share < 1 ? boost::math::ibetac(y + 1, 1 / k, share, QuietCounts()) : 0;
}
double log_probability_at(double y, double eta, double k) {
  return k == 0 ? poisson_log_probability(y, eta) : negative_binomial_log_probability(y, eta, k);
}

// Little dispersion is a log-normal rate with the same moments.                                                                 (NB.6)
void take_little_dispersion(double& m, double& s, double& k) {
  constexpr double little = 1e-6;
  if (k >= little || k == 0) return;
  m -= 0.5 * std::log1p(k);
  s += std::log1p(k);
  k = 0;
}

}  // namespace

// E of the cdf over the log rate. It falls from 1 to 0 about eta = ln(y + 1), over a width of sqrt(1/(y + 1) + k).       (POIS.4), (NB.6)
double count_cdf(double y, double m, double s, double k) {
  take_little_dispersion(m, s, k);
  const double sd = std::sqrt(s);
  if (sd < 1e-9) return cdf_at(y, m, k);
  const double fall = (std::log(y + 1) - m) / sd, width = std::sqrt(1 / (y + 1) + k) / sd;
  const auto f = [&](double z) { return normal_density(z) * cdf_at(y, m + sd * z, k); };
  if (width < 0.5) return std::clamp(integral_near(fall, width, -farthest, farthest, f, {-6, -3, 0, 3, 6}), 0.0, 1.0);
  const double step = std::min(0.6, 0.3 * width);  // the trapezoidal rule of an analytic function
  const auto half = static_cast<Index>(farthest / step);
  double sum = 0;
  for (Index i = -half; i <= half; ++i) sum += f(static_cast<double>(i) * step);
  return std::clamp(step * sum, 0.0, 1.0);
}

namespace {

// The smallest y with cdf(y) >= p: steps away from the guess until it lies between two numbers.
double quantile_near(double guess, double p, auto&& cdf) {
  double low = -1, high = std::clamp(std::floor(guess), 0.0, most_rate), step = std::max(1.0, std::floor(0.1 * std::sqrt(guess)));
  if (!(guess < most_rate)) return std::floor(guess);
  if (cdf(high) >= p) {
    for (;; step *= 2) {
      low = std::max(high - step, -1.0);
      if (low < 0 || cdf(low) < p) break;
      high = low;
    }
  } else {
    low = high;
    for (;; step *= 2) {
      high = low + step;
      if (!(high < most_rate)) return high;
      if (cdf(high) >= p) break;
      low = high;
    }
  }
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    (cdf(middle) >= p ? high : low) = middle;
  }
  return high;
}

// Near the quantile of a normal approximation of ln(Y + 1).
double guessed_quantile(double p, double m, double s, double k) {
  return std::exp(m + boost::math::quantile(boost::math::normal(), p) * std::sqrt(s + k + 1 / (1 + std::exp(m))));
}

// The normal parts of the log rate of a row.                                                                                    (SL.16)
struct Parts {
  std::vector<double> weight, mean, variance;
  [[nodiscard]] std::size_t size() const { return weight.size(); }
};
Parts parts_of(const CountPrediction& p, Index row) {
  if (p.weight.size() == 0) return {{1}, {p.log_mean[row]}, {p.log_variance[row]}};
  const auto at = [row](const Matrix& of) { return std::vector<double>(of.row(row).begin(), of.row(row).end()); };
  return {{p.weight.begin(), p.weight.end()}, at(p.part_mean), at(p.part_variance)};
}

// Parts that are almost equal as one with the moments of both: sums of their tails take most of the time of an interval.
Parts joined(const Parts& parts) {
  constexpr double near = 0.05;  // standard deviations, and of a variance
  Parts out;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const double w = parts.weight[c], m = parts.mean[c], s = parts.variance[c];
    std::size_t i = 0;
    while (i < out.size() && !(std::abs(m - out.mean[i]) <= near * std::sqrt(s) && std::abs(s - out.variance[i]) <= near * s)) ++i;
    if (i == out.size()) {
      out.weight.push_back(w), out.mean.push_back(m), out.variance.push_back(s);
      continue;
    }
    const double share = w / (out.weight[i] += w), off = m - out.mean[i];
    out.mean[i] += share * off;
    out.variance[i] += share * (s - out.variance[i] + (1 - share) * off * off);
  }
  return out;
}

double sum_over_parts(const Parts& parts, auto&& of) {
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) sum += parts.weight[i] * of(parts.mean[i], parts.variance[i]);
  return sum;
}

}  // namespace

double count_quantile(double p, double m, double s, double k) {
  return quantile_near(guessed_quantile(p, m, s, k), p, [&](double y) { return count_cdf(y, m, s, k); });
}

// The integrand has one maximum, found by Newton's method, and falls at least as fast as its curvature there on the right.        (POIS.4)
double log_count_probability(double y, double m, double s, double k) {
  take_little_dispersion(m, s, k);
  if (s < 1e-18) return log_probability_at(y, m, k);
  double eta = y > 0 ? (m / s + y * std::log(y)) / (1 / s + y) : m;
  for (int i = 0; i < 100; ++i) {
    const double rate = std::exp(eta), less = 1 + k * rate, pull = (y * k + 1) * rate / less;
    const double slope = y - pull - (eta - m) / s, step = slope / (pull / less + 1 / s);
    eta += std::clamp(step, -1.0, 1.0);
    if (std::abs(step) < 1e-12 * (1 + std::abs(eta))) break;
  }
  const auto log_f = [&](double x) { return log_probability_at(y, x, k) - 0.5 * (x - m) * (x - m) / s - 0.5 * (ln_2pi + std::log(s)); };
  const double rate = std::exp(eta), less = 1 + k * rate, sd = std::sqrt(s);
  const double most = log_f(eta), width = 1 / std::sqrt((y * k + 1) * rate / (less * less) + 1 / s);
  const auto f = [&](double x) { return std::exp(log_f(x) - most); };
  const double beyond = k > 0 ? 12 * sd : 0;  // a negative binomial falls less fast on the right
  return most + std::log(integral_near(eta, width, eta - 12 * sd - 40 * width, eta + beyond + 40 * width, f, {eta - sd, eta + sd}));
}

namespace {

Vector expected_counts(const CountPrediction& p) {
  if (p.weight.size() == 0) return (p.log_mean + 0.5 * p.log_variance).array().exp();
  return (p.part_mean + 0.5 * p.part_variance).array().exp().matrix() * p.weight;
}

void add_offset(const Vector& offset, CountPrediction& to) {
  to.log_mean += offset;
  if (to.weight.size() > 0) to.part_mean.colwise() += offset;
  to.mean = expected_counts(to);
}

}  // namespace

CountPrediction count_prediction(const Fit& fit, const FitTable& X_new, PredictionOf what) {
  CountPrediction out;
  predictive_moments(fit, X_new, out.log_mean, &out.log_variance);
  out.dispersion = fit.family.dispersion;
  const std::vector<MixtureComponent>& components = fit.state->factor.mixture.components;
  if (components.size() > 1) {
    out.weight.resize(std::ssize(components));
    for (Index c = 0; c < out.weight.size(); ++c) out.weight[c] = components[static_cast<std::size_t>(c)].weight;
    ComponentMoments moments = component_moments(fit, X_new);
    out.part_mean = std::move(moments.mean);
    out.part_variance = std::move(moments.variance);
  }
  if (const auto& column = fit.exposure ? fit.exposure : fit.offset_column)
    add_offset(offset_in("X_new", X_new, {*column, fit.exposure.has_value()}, fit.column_names[static_cast<std::size_t>(*column)]), out);
  else
    out.mean = expected_counts(out);
  out.what = what;
  return out;
}

void add_row_offset(const Fit& fit, VectorView row_offset, CountPrediction& prediction) {
  if (fit.has_row_offset && row_offset.empty())
    throw refused("row_offset", "is not given: the rows of the fit had an offset, and so must new rows");
  if (!fit.has_row_offset && !row_offset.empty()) throw refused("row_offset", "is given, but the rows of the fit had none");
  if (!fit.has_row_offset) return;
  validate::vector(row_offset, prediction.mean.size(), "row_offset");
  add_offset(row_offset.eigen(), prediction);
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

Vector CountPrediction::standard_deviation() const {
  Vector out(mean.size());
  for (Index i = 0; i < out.size(); ++i) {
    const Parts parts = parts_of(*this, i);
    // of a part e sqrt(e^s - 1), where e^2 may be below the range of numbers and e^s beyond it
    double sd = what == PredictionOf::new_observation ? std::sqrt(mean[i]) : 0;
    for (std::size_t c = 0; c < parts.size(); ++c) {
      const double s = parts.variance[c], root = std::sqrt(parts.weight[c]), log_rate = parts.mean[c] + 0.5 * s;
      sd = std::hypot(sd, root * std::exp(log_rate + 0.5 * (s + std::log(-std::expm1(-s)))));
      if (what == PredictionOf::new_observation)
        sd = std::hypot(sd, root * std::sqrt(dispersion) * std::exp(log_rate + 0.5 * s));  // (NB.6)
      if (parts.size() > 1) sd = std::hypot(sd, root * (std::exp(log_rate) - mean[i]));
    }
    out[i] = sd;
  }
  return out;
}

std::pair<Vector, Vector> CountPrediction::interval(double level) const {
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  const double tail = 0.5 * (1 - level);
  const StudentTail normal(std::numeric_limits<double>::infinity());
  Vector lower(mean.size()), upper(mean.size());
  for (Index i = 0; i < mean.size(); ++i) {
    Parts parts = parts_of(*this, i);
    if (what == PredictionOf::mean) {
      const Vector weights = VectorView(parts.weight).eigen(), means = VectorView(parts.mean).eigen(),
                   sds = VectorView(parts.variance).eigen().cwiseSqrt();
      lower[i] = std::exp(mixture_quantile(normal, weights, means, sds, tail, false));
      upper[i] = std::exp(mixture_quantile(normal, weights, means, sds, tail, true));
      continue;
    }
    parts = joined(parts);
    const auto cdf = [&](double y) { return sum_over_parts(parts, [&](double m, double s) { return count_cdf(y, m, s, dispersion); }); };
    lower[i] = quantile_near(guessed_quantile(tail, log_mean[i], log_variance[i], dispersion), tail, cdf);
    upper[i] = quantile_near(guessed_quantile(1 - tail, log_mean[i], log_variance[i], dispersion), 1 - tail, cdf);
  }
  return {lower, upper};
}

Vector CountPrediction::log_density(VectorView y) const {
  validate::vector(y, mean.size(), "y");
  Vector out(mean.size());
  for (Index i = 0; i < out.size(); ++i) {
    if (!(y[i] >= 0) || y[i] != std::floor(y[i]))
      throw InvalidArgument({.argument = "y", .value = fmt::format("{}", y[i]), .row = i + 1, .why = "a count is a whole number >= 0"});
    const Parts parts = parts_of(*this, i);
    std::vector<double> each;
    for (std::size_t c = 0; c < parts.size(); ++c)
      each.push_back(std::log(parts.weight[c]) + log_count_probability(y[i], parts.mean[c], parts.variance[c], dispersion));
    const double most = *std::max_element(each.begin(), each.end());
    double sum = 0;
    for (const double one : each) sum += std::exp(one - most);
    out[i] = most + std::log(sum);
  }
  return out;
}

namespace {

CountPrediction with_row_offset(const CountFit& fit, CountPrediction prediction, VectorView row_offset) {
  add_row_offset(fit, row_offset, prediction);
  return prediction;
}

}  // namespace

CountPrediction predict(const CountFit& fit, MatrixView X_new, PredictionOf what, VectorView row_offset) {
  return with_row_offset(fit, count_prediction(fit, X_new, what), row_offset);
}
CountPrediction predict(const CountFit& fit, CscView X_new, PredictionOf what, VectorView row_offset) {
  return with_row_offset(fit, count_prediction(fit, X_new, what), row_offset);
}

}  // namespace ardvark
