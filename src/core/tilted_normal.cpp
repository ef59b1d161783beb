#include "core/tilted_normal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/special.hpp"

namespace ardvark::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// x with Phi(x) = p
double normal_quantile(double p) { return p <= 0.5 ? -student_t_end(infinity, p) : student_t_end(infinity, 1 - p); }

}  // namespace

TiltedNormal::TiltedNormal(const Tilt& tilt) : tilt_(tilt) {
  mass_[0] = std::exp(log_scale_of_tail(-reach)) * normal_cdf(-reach - slope_at(-reach));
  for (int i = 0; i < num_panels; ++i) mass_[i + 1] = mass_[i] + inside(panel * i - reach, panel * (i + 1) - reach);
  total_ = mass_[num_panels] + std::exp(log_scale_of_tail(reach)) * normal_cdf(slope_at(reach) - reach);
}

// Its odd and its even part, at 1, 2 and 3 times the distance of the nodes, have three unknowns each.
TiltedNormal::Tilt TiltedNormal::through(const std::array<double, degree + 1>& v) {
  constexpr double h = reach / 3;
  const auto odd = [&](std::size_t k) { return 0.5 * (v[3 + k] - v[3 - k]); };
  const auto even = [&](std::size_t k) { return 0.5 * (v[3 + k] + v[3 - k]) - v[3]; };
  const double t5 = (odd(3) - 4 * odd(2) + 5 * odd(1)) / 120, t3 = (odd(2) - 2 * odd(1)) / 6 - 5 * t5;
  const double t6 = (even(3) - 6 * even(2) + 15 * even(1)) / 360, t4 = (even(2) - 4 * even(1)) / 12 - 5 * t6;
  Tilt out = {odd(1) - t3 - t5, even(1) - t4 - t6, t3, t4, t5, t6};
  double unit = 1;
  for (double& t : out) t *= unit /= h;
  return out;
}

TiltedNormal::Tilt TiltedNormal::through(const std::array<double, 5>& v) {
  constexpr double h = reach / 2;
  const double odd_1 = 0.5 * (v[3] - v[1]), odd_2 = 0.5 * (v[4] - v[0]);
  const double even_1 = 0.5 * (v[3] + v[1]) - v[2], even_2 = 0.5 * (v[4] + v[0]) - v[2];
  const double t3 = (odd_2 - 2 * odd_1) / 6, t4 = (even_2 - 4 * even_1) / 12;
  return {(odd_1 - t3) / h, (even_1 - t4) / (h * h), t3 / (h * h * h), t4 / (h * h * h * h)};
}

bool TiltedNormal::falls() const { return slope_at(-reach) > -reach && slope_at(reach) < reach && std::isnormal(total_); }

double TiltedNormal::tilt_at(double z) const {
  double sum = 0;
  for (int k = degree; k > 0; --k) sum = z * (sum + tilt_[static_cast<std::size_t>(k - 1)]);
  return sum;
}

double TiltedNormal::slope_at(double z) const {
  double sum = 0;
  for (int k = degree; k > 0; --k) sum = z * sum + k * tilt_[static_cast<std::size_t>(k - 1)];
  return sum;
}

// -z^2/2 + t + g (z - end) = -(z - g)^2/2 + g^2/2 + t - g end; the mass under it is sqrt(2 pi) times that of a normal one.
double TiltedNormal::log_scale_of_tail(double end) const {
  const double slope = slope_at(end);
  return 0.5 * ln_2pi + 0.5 * slope * slope + tilt_at(end) - slope * end;
}

// Gauss and Legendre's rule of five points: over .3 its error is below rounding.
double TiltedNormal::inside(double from, double to) const {
  constexpr std::array<double, 3> at = {0, 0.53846931010568309, 0.90617984593866399};
  constexpr std::array<double, 3> weight = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
  const double centre = 0.5 * (from + to), half = 0.5 * (to - from);
  const auto density = [&](double z) { return std::exp(tilt_at(z) - 0.5 * z * z); };
  double sum = weight[0] * density(centre);
  for (std::size_t i = 1; i < at.size(); ++i) sum += weight[i] * (density(centre - half * at[i]) + density(centre + half * at[i]));
  return half * sum;
}

double TiltedNormal::below(double x) const {
  if (x <= -reach) return std::exp(log_scale_of_tail(-reach)) * normal_cdf(x - slope_at(-reach)) / total_;
  if (x >= reach) return 1 - std::exp(log_scale_of_tail(reach)) * normal_cdf(slope_at(reach) - x) / total_;
  const int i = std::clamp(static_cast<int>((x + reach) / panel), 0, num_panels - 1);
  return (mass_[i] + inside(panel * i - reach, x)) / total_;
}

double TiltedNormal::lower_end(double tail) const {
  const double mass = tail * total_;
  if (mass <= mass_[0]) return slope_at(-reach) + normal_quantile(mass / std::exp(log_scale_of_tail(-reach)));
  if (mass >= mass_[num_panels]) return slope_at(reach) - normal_quantile((total_ - mass) / std::exp(log_scale_of_tail(reach)));
  const auto i = static_cast<int>(std::upper_bound(mass_.begin(), mass_.end(), mass) - mass_.begin()) - 1;
  const double from = panel * i - reach;
  double low = from, high = from + panel;
  for (int step = 0; step < 50; ++step) {
    const double x = 0.5 * (low + high);
    (mass_[i] + inside(from, x) < mass ? low : high) = x;
  }
  return 0.5 * (low + high);
}

TiltedNormal TiltedNormal::mirrored() const {
  Tilt tilt = tilt_;
  for (std::size_t k = 0; k < tilt.size(); k += 2) tilt[k] = -tilt[k];
  return TiltedNormal(tilt);
}

}  // namespace ardvark::internal
