// A likelihood's own parameter in one dimension: what its uncertainty adds to the evidence.            docs/math/negative_binomial.md
// (NB.5)
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace ardvark::internal {

struct SpreadOfParameter {
  double mean = 0, sd = 0;  ///< of the parameter
  double log_integral = 0;  ///< ln of the integral of exp(f - f(best)), nats
};

/// Log density of the parameter at each of these points, but for a constant; unimodal.
using Profile = std::function<std::vector<double>(const std::vector<double>&)>;

/// The sum over points with one distance.
struct SumOfProfile {
  double sum = 1, first = 0, second = 0;  // of the maximum itself
  void add(double x, double height) {
    const double density = std::exp(height);
    sum += density, first += density * x, second += density * x * x;
  }
  [[nodiscard]] SpreadOfParameter spread(double best, double step) const {
    const double mean = first / sum;
    return {best + mean, std::sqrt(std::max(second / sum - mean * mean, 0.0)), std::log(sum * step)};
  }
};

/// \param f     with its maximum at `best`
/// \param width about the standard deviation
/// \param ahead the points that are asked for at once on each side: more where a call is dear
[[nodiscard]] inline SpreadOfParameter spread_of_parameter(const Profile& f, double best, double width, int ahead = 1) {
  constexpr double deep = 20, steps_in_width = 3;  // e^-20 of the maximum; one side may be narrower than the other
  constexpr int most_steps = 500;
  double highest = 0;
  for (int i = 0; i < 3; ++i) {  // where it falls by half a nat on both sides
    const std::vector<double> at = f({best, best + width, best - width});
    highest = at[0];
    const double fall = highest - 0.5 * (at[1] + at[2]), factor = std::sqrt(0.5 / fall);
    if (!(fall > 0 && std::isfinite(fall))) continue;
    width *= std::clamp(factor, 0.1, 10.0);
    if (std::abs(factor - 1) < 0.1) break;
  }
  const double step = width / steps_in_width;
  SumOfProfile out;
  bool goes_on[] = {true, true};
  for (int done = 0; done < most_steps && (goes_on[0] || goes_on[1]); done += ahead) {
    std::vector<double> x;
    for (const int side : {0, 1})
      for (int i = 1; i <= ahead && goes_on[side]; ++i) x.push_back((side == 0 ? -1 : 1) * (done + i) * step);
    std::vector<double> points = x;
    for (double& point : points) point += best;
    const std::vector<double> heights = f(points);
    for (std::size_t i = 0; i < x.size(); ++i) {
      bool& inside = goes_on[x[i] < 0 ? 0 : 1];
      inside = inside && heights[i] - highest >= -deep;
      if (inside) out.add(x[i], heights[i] - highest);
    }
  }
  return out.spread(best, step);
}

/// The same from one call with 17 points, which suffice if f is nearly normal, as of many rows. Otherwise empty: the sum over every other
/// point differs by d > 1e-3, and of a normal f by 3e-4. The error is about d^2.                                              (PASS.11)
[[nodiscard]] inline std::optional<SpreadOfParameter> spread_if_nearly_normal(const Profile& f, double best, double width) {
  constexpr int side = 8;
  constexpr double steps_in_width = 1 / 0.75, deep = 14, most = 1e-3;
  const double step = width / steps_in_width;
  std::vector<double> points;
  for (int i = -side; i <= side; ++i) points.push_back(best + i * step);
  const std::vector<double> heights = f(points);
  SumOfProfile all, coarse;
  for (int i = -side; i <= side; ++i) {
    const double height = heights[static_cast<std::size_t>(i + side)] - heights[side];
    if (i != 0) all.add(i * step, height);
    if (i != 0 && i % 2 == 0) coarse.add(i * step, height);
  }
  const bool ends = std::max(heights.front(), heights.back()) - heights[side] < -deep;
  const SpreadOfParameter found = all.spread(best, step);
  if (!ends || !(std::abs(coarse.spread(best, 2 * step).log_integral - found.log_integral) < most)) return std::nullopt;
  return found;
}

}  // namespace ardvark::internal
