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
  constexpr double deep = 14, steps_in_width = 1.2;  // e^-14 of the maximum; of a normal f, the sum is exact to e^(-2 pi^2 1.44)
  constexpr int most_steps = 60;
  const double step = width / steps_in_width, highest = f(best);
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
