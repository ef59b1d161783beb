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

// The density at a distance y beyond an end is exp(height - slope y - curvature y^2/2).
struct Tail {
  double height, slope, curvature;

  [[nodiscard]] double log_scale() const { return height + 0.5 * slope * slope / curvature + 0.5 * (ln_2pi - std::log(curvature)); }
  [[nodiscard]] double beyond(double y) const {
    return std::exp(log_scale()) * normal_cdf(-(slope + curvature * y) / std::sqrt(curvature));
  }
  [[nodiscard]] double distance(double mass) const {
    return (-normal_quantile(mass / std::exp(log_scale())) * std::sqrt(curvature) - slope) / curvature;
  }
};

// \param side  -1 or 1. A curvature that is nearly 0, or below it, is that of a tail that falls like an exponential function.
Tail tail_of(const TiltedNormal::Tilt& tilt, double side) {
  const double z = side * TiltedNormal::reach;
  double value = 0, slope = 0, curvature = 0;  // of t, by Horner's scheme
  for (std::size_t k = tilt.size() + 1; k > 0; --k) {
    curvature = curvature * z + 2 * slope;
    slope = slope * z + value;
    value = value * z + (k > 1 ? tilt[k - 2] : 0);
  }
  const double falls = TiltedNormal::reach - side * slope;
  return {value - 0.5 * z * z, falls, std::max(1 - curvature, falls * falls / 400)};
}

}  // namespace

TiltedNormal::TiltedNormal(const Tilt& tilt) : tilt_(tilt) {
  mass_[0] = tail_of(tilt_, -1).beyond(0);
  for (int i = 0; i < num_panels; ++i) mass_[i + 1] = mass_[i] + inside(panel * i - reach, panel * (i + 1) - reach);
  total_ = mass_[num_panels] + tail_of(tilt_, 1).beyond(0);
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

bool TiltedNormal::falls() const { return tail_of(tilt_, -1).slope > 0 && tail_of(tilt_, 1).slope > 0 && std::isnormal(total_); }

double TiltedNormal::tilt_at(double z) const {
  double sum = 0;
  for (int k = degree; k > 0; --k) sum = z * (sum + tilt_[static_cast<std::size_t>(k - 1)]);
  return sum;
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
  if (x <= -reach) return tail_of(tilt_, -1).beyond(-reach - x) / total_;
  if (x >= reach) return 1 - tail_of(tilt_, 1).beyond(x - reach) / total_;
  const int i = std::clamp(static_cast<int>((x + reach) / panel), 0, num_panels - 1);
  return (mass_[i] + inside(panel * i - reach, x)) / total_;
}

double TiltedNormal::lower_end(double tail) const {
  const double mass = tail * total_;
  if (mass <= mass_[0]) return -reach - tail_of(tilt_, -1).distance(mass);
  if (mass >= mass_[num_panels]) return reach + tail_of(tilt_, 1).distance(total_ - mass);
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

TiltedMixture::TiltedMixture(const TiltedParts& parts) {
  for (const TiltedPart& one : parts) parts_.push_back({one.weight, one.center, one.scale, TiltedNormal(one.tilt)});
}

bool TiltedMixture::falls() const {
  return std::ranges::all_of(parts_, [](const Part& one) { return one.weight > 0 && one.scale > 0 && one.z.falls(); });
}

double TiltedMixture::below(double x) const {
  double sum = 0;
  for (const Part& one : parts_) sum += one.weight * one.z.below((x - one.center) / one.scale);
  return sum;
}

double TiltedMixture::lower_end(double tail) const {
  double low = infinity, high = -infinity;
  for (const Part& one : parts_) {
    const double end = one.center + one.scale * one.z.lower_end(tail);
    low = std::min(low, end), high = std::max(high, end);
  }
  for (int step = 0; step < 60 && low < high; ++step) {
    const double x = 0.5 * (low + high);
    (below(x) < tail ? low : high) = x;
  }
  return 0.5 * (low + high);
}

TiltedMixture TiltedMixture::mirrored() const {
  TiltedMixture out = *this;
  for (Part& one : out.parts_) one.center = -one.center, one.z = one.z.mirrored();
  return out;
}

}  // namespace ardvark::internal
