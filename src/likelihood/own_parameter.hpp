// A likelihood's own parameter in one dimension: what its uncertainty adds to the evidence.            docs/math/negative_binomial.md
// (NB.5)
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace ardvark::internal {

struct SpreadOfParameter {
  double mean = 0, sd = 0;  ///< of the parameter
  double log_integral = 0;  ///< ln of the integral of exp(f - f(best)), nats
};

/// \param f     log density, but for a constant, with its maximum at `best`; unimodal
/// \param width about the standard deviation
[[nodiscard]] inline SpreadOfParameter spread_of_parameter(const std::function<double(double)>& f, double best, double width) {
  constexpr double deep = 20, steps_in_width = 3;  // e^-20 of the maximum; one side may be narrower than the other
  constexpr int most_steps = 500;
  const double highest = f(best);
  for (int i = 0; i < 3; ++i) {  // where it falls by half a nat on both sides
    const double fall = highest - 0.5 * (f(best + width) + f(best - width));
    if (fall > 0 && std::isfinite(fall)) width *= std::clamp(std::sqrt(0.5 / fall), 0.1, 10.0);
  }
  const double step = width / steps_in_width;
  double sum = 1, first = 0, second = 0;
  for (const double sign : {-1.0, 1.0})
    for (int i = 1; i <= most_steps; ++i) {
      const double x = sign * i * step, height = f(best + x) - highest;
      if (height < -deep) break;
      const double density = std::exp(height);
      sum += density;
      first += density * x;
      second += density * x * x;
    }
  const double mean = first / sum;
  return {best + mean, std::sqrt(std::max(second / sum - mean * mean, 0.0)), std::log(sum * step)};
}

}  // namespace ardvark::internal
