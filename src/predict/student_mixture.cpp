#include "predict/student_mixture.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "core/special.hpp"

namespace ardvark::internal {

StudentTail::StudentTail(double degrees_of_freedom) : nu_(degrees_of_freedom) {
  log_height_ = is_normal() ? -0.5 * ln_2pi : std::log(boost::math::pdf(boost::math::students_t(nu_), 0.0));
  for (int i = 0; i <= size; ++i) {
    const double x = i / per_unit, f = density(x), relative = is_normal() ? x : (nu_ + 1) * x / (nu_ + x * x);
    node_[static_cast<std::size_t>(i)] = {student_t_tail(nu_, x), -f / per_unit, f * relative / (per_unit * per_unit)};
  }
}

double StudentTail::density(double x) const {
  return std::exp(log_height_ - (is_normal() ? 0.5 * x * x : 0.5 * (nu_ + 1) * std::log1p(x * x / nu_)));
}

double StudentTail::upper(double x) const {
  if (x < 0) return 1 - upper(-x);
  constexpr double least = 1e-4;
  const double at = x * per_unit;
  if (!(at < size) || !(node_[static_cast<std::size_t>(at) + 1].value > least)) return student_t_tail(nu_, x);
  const auto i = static_cast<std::size_t>(at);
  const Node &a = node_[i], &b = node_[i + 1];
  const double t = at - static_cast<double>(i), rise = b.value - a.value;
  const double third = 10 * rise - 6 * a.slope - 4 * b.slope - 1.5 * a.curve + 0.5 * b.curve;
  const double fourth = -15 * rise + 8 * a.slope + 7 * b.slope + 1.5 * a.curve - b.curve;
  const double fifth = 6 * rise - 3 * (a.slope + b.slope) - 0.5 * (a.curve - b.curve);
  return a.value + t * (a.slope + t * (0.5 * a.curve + t * (third + t * (fourth + t * fifth))));
}

// Newton's method for ln P(X > x) = ln tail within a bracket, which halves where a step would leave it. The last step is so small that its
// error, its square, is rounding: the result does not depend on the way.                                                      (KM.13)
double mixture_quantile(const StudentTail& t, const Vector& weight, const Vector& mean, const Vector& scale, double tail, bool is_upper) {
  const double sign = is_upper ? 1 : -1;
  const Vector centre = sign * mean, each = centre + student_t_end(t.degrees_of_freedom(), tail) * scale;
  double low = each.minCoeff(), high = each.maxCoeff();
  if (!std::isfinite(high - low)) return sign * std::numeric_limits<double>::infinity();
  double smallest = high - low;  // of the scales
  for (const double s : scale)
    if (s > 0) smallest = std::min(smallest, s);
  const double first = low, last = high, rounding = std::numeric_limits<double>::epsilon() * std::max(std::abs(low), std::abs(high));
  double x = std::clamp(each.dot(weight), low, high);
  for (int step = 0; step < 400 && high - low > rounding; ++step) {
    double sum = 0, slope = 0;
    for (Index i = 0; i < weight.size(); ++i) {
      const double off = x - centre[i];
      if (scale[i] > 0) {
        const double z = off / scale[i];
        sum += weight[i] * t.upper(z);
        slope += weight[i] * t.density(z) / scale[i];
      } else {
        sum += weight[i] * (off < 0 ? 1.0 : off > 0 ? 0.0 : 0.5);
      }
    }
    if (sum == tail) break;
    (sum > tail ? low : high) = x;
    const double next = x + sum / slope * std::log(sum / tail);
    const bool is_last = slope > 0 && std::abs(next - x) <= 1e-9 * smallest;
    x = is_last ? std::clamp(next, low, high) : next > low && next < high ? next : low + 0.5 * (high - low);
    if (is_last) break;
  }
  return sign * std::clamp(x, first, last);
}

}  // namespace ardvark::internal
