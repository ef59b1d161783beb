// Normal predictions with an uncertain noise precision.                                                   docs/math/relevance.md (VR.5)
#include <fmt/format.h>

#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>

#include "ardvark/linear.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "posterior/state.hpp"
#include "predict/predictive.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_distance = 1e150;  // its square does not overflow

// ln of a sum of exponentials, added in any order.
class LogSum {
 public:
  void add(double term) {
    if (term == -infinity) return;
    if (term > highest_) {
      sum_ *= std::exp(highest_ - term);
      highest_ = term;
    }
    sum_ += std::exp(term - highest_);
  }
  // Whether a term is more than 40 below the highest: at most 4e-18 of the sum.
  [[nodiscard]] bool is_small(double term) const { return !(term > highest_ - 40); }
  [[nodiscard]] double value() const { return highest_ + std::log(sum_); }

 private:
  double highest_ = -infinity, sum_ = 0;
};

// x - (exp(x) - 1). Near 0, the difference would be rounding, and of a large c, every term is near 0. The error of the series is below
// x^7/5040.
double less_exponential(double x) {
  if (std::abs(x) > 0.01) return x - std::expm1(x);
  return -x * x * (1.0 / 2 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x / 720))));
}

// Lengths are in units of sqrt(d/c), the noise at E[tau]: z is a distance from the mean, rho = s c/d. With x = ln(tau d/c)
//
//     V = exp(-x) + rho        p(x) = c^c exp(-c) / Gamma(c) exp(c (1 + x - exp x))                                     (VR.5)
class NoiseMixture {
 public:
  explicit NoiseMixture(double c)
      : c_(c), log_scale_(std::log(c * boost::math::gamma_p_derivative(c, c))), step_(0.4 / std::sqrt(std::max(c + 1, 4.0))) {}

  /// ln E N(z | 0, V)
  [[nodiscard]] double log_density(double z, double rho) const {
    return log_expectation(z, rho, [z](double V) { return -0.5 * (ln_2pi + std::log(V) + z * z / V); });
  }

  /// ln P(Z > z), z > 0
  [[nodiscard]] double log_tail(double z, double rho) const {
    return log_expectation(z, rho, [z](double V) { return std::log(normal_cdf(-z / std::sqrt(V))); });
  }

  /// P(|Z| <= half_width) = level
  [[nodiscard]] double half_width(double level, double rho) const {
    const double z = student_t_quantile(infinity, level), t = student_t_quantile(2 * c_, level);
    const double guess = std::hypot(t, z * std::sqrt(rho)), wanted = std::log(0.5 * (1 - level));
    if (guess == 0) return 0;                       // level < 1e-16
    if (!(guess < most_distance)) return infinity;  // c < 0.005: hardly an observation
    const auto excess = [&](double h) { return log_tail(h, rho) - wanted; };
    boost::uintmax_t most = 200;
    const auto [low, high] =
        boost::math::tools::bracket_and_solve_root(excess, guess, 1.1, false, boost::math::tools::eps_tolerance<double>(48), most);
    return 0.5 * (low + high);
  }

 private:
  // ln E exp(log_f(V)) by the trapezoidal rule, if f has the shape of N(z | 0, V). All peaks of the integrand are between `first` and
  // `last`, or within two steps of them, and none is narrower than 1/sqrt(c + 1).
  [[nodiscard]] double log_expectation(double z, double rho, auto&& log_f) const {
    double first = std::log((c_ + 0.5) / (c_ + 0.5 * std::max(z * z, 1.0)));
    if (const double share = (z * z / (8 * rho) + 0.5) / c_; share < 1) first = std::max(first, std::log1p(-share));
    const double last = std::log1p(0.5 / c_);
    const auto term_at = [&](double x) { return c_ * less_exponential(x) + log_f(std::exp(-x) + rho); };
    LogSum sum;
    for (double k = 0, term = 0; first + k * step_ <= last || !sum.is_small(term); ++k) sum.add(term = term_at(first + k * step_));
    for (double k = 1, term = 0;; ++k) {
      sum.add(term = term_at(first - k * step_));
      if (sum.is_small(term)) break;
    }
    return log_scale_ + std::log(step_) + sum.value();
  }

  double c_, log_scale_, step_;
};

void require_sound(const NoiseMixturePrediction& p) {
  validate::gamma(p.noise, "noise.shape", "noise.rate");
  validate::vector(p.variance_of_mean, p.mean.size(), "variance_of_mean");
  if (!(p.variance_of_mean.array() >= 0).all()) throw refused("variance_of_mean", "holds a negative number");
}

}  // namespace

Vector NoiseMixturePrediction::standard_deviation() const {
  require_sound(*this);
  if (!(noise.shape > 1)) return Vector::Constant(mean.size(), infinity);
  return (noise.rate / (noise.shape - 1) + variance_of_mean.array()).sqrt();  // E[1/tau] + s
}

Vector NoiseMixturePrediction::half_width(double level) const {
  require_sound(*this);
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  const NoiseMixture mixture(noise.shape);
  const double unit = noise.rate / noise.shape;
  Vector out(mean.size());
  for (Index i = 0; i < out.size(); ++i) out[i] = std::sqrt(unit) * mixture.half_width(level, variance_of_mean[i] / unit);
  return out;
}

Vector NoiseMixturePrediction::log_density(VectorView y) const {
  require_sound(*this);
  validate::vector(y, mean.size(), "y");
  const NoiseMixture mixture(noise.shape);
  const double unit = noise.rate / noise.shape;
  Vector out(mean.size());
  for (Index i = 0; i < out.size(); ++i) {
    const double z = std::abs(y[i] - mean[i]) / std::sqrt(unit);
    if (!(z < most_distance))
      throw InvalidArgument(
          {.argument = "y", .value = fmt::format("{}", y[i]), .row = i + 1, .why = "its distance from the mean overflows"});
    out[i] = mixture.log_density(z, variance_of_mean[i] / unit) - 0.5 * std::log(unit);
  }
  return out;
}

NoiseMixturePrediction predict_mixture(const LinearFit& fit, MatrixView X_new) { return noise_mixture_prediction(fit, X_new); }

}  // namespace ardvark

namespace ardvark::internal {

NoiseMixturePrediction noise_mixture_prediction(const Fit& fit, MatrixView X_new) {
  if (fit.is_joint())
    throw InvalidArgument("predict_mixture applies only to fits with posterior = factorised; this one is joint, and predict() is exact");
  NoiseMixturePrediction out;
  predictive_moments(fit, X_new, out.mean, &out.variance_of_mean);
  const double scale = fit.state->y_scale;
  out.mean = fit.state->y_center + scale * out.mean.array();
  out.variance_of_mean *= scale * scale;
  if (const double nu = fit.student_degrees; nu > 2) out.variance_of_mean *= student_t_variance(nu);  // they are squared scales
  out.noise = fit.noise;
  if (const double nu = fit.family.degrees_of_freedom; std::isfinite(nu))
    out.noise = {0.5 * nu, 0.5 * nu * fit.noise.rate / fit.noise.shape};  // (TN.5)
  return out;
}

}  // namespace ardvark::internal
