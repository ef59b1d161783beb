#include "core/pareto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ardvark::internal {
namespace {

// k = mean of ln(1 - theta x)
double shape_at(double theta, const Vector& x) {
  double sum = 0;
  for (const double value : x) sum += std::log1p(-theta * value);
  return sum / static_cast<double>(x.size());
}

// Zhang and Stephens's estimate of k from ascending excesses > 0.                                                            (KHAT.2)
double fit_shape(const Vector& x) {
  const Index n = x.size(), m = 30 + static_cast<Index>(std::sqrt(static_cast<double>(n)));
  const double of_tail = static_cast<double>(n), largest = x[n - 1];
  const double quartile = x[static_cast<Index>(std::floor(of_tail / 4 + 0.5)) - 1];
  if (!(quartile > 0)) return std::numeric_limits<double>::infinity();
  Vector theta(m), likelihood(m);
  for (Index j = 0; j < m; ++j) {
    theta[j] = 1 / largest + (1 - std::sqrt(static_cast<double>(m) / (static_cast<double>(j) + 0.5))) / (3 * quartile);
    const double k = shape_at(theta[j], x);
    likelihood[j] = of_tail * (std::log(-theta[j] / k) - k - 1);
  }
  const Vector weight = (likelihood.array() - likelihood.maxCoeff()).exp();
  const double k = shape_at(weight.dot(theta) / weight.sum(), x);
  return (of_tail * k + 5) / (of_tail + 10);  // a prior as if ten more ratios had k = 1/2
}

}  // namespace

double pareto_khat(const Vector& log_ratios) {
  const Index draws = log_ratios.size();
  if (draws < least_for_khat)
    throw InvalidArgument(fmt::format("there are {} importance ratios; k-hat needs at least {}", draws, least_for_khat));
  if (!log_ratios.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  Vector sorted = log_ratios.array() - log_ratios.maxCoeff();
  std::sort(sorted.begin(), sorted.end());
  if (sorted[0] == sorted[draws - 1]) return 0;
  const auto count = static_cast<double>(draws);
  const auto tail = static_cast<Index>(std::ceil(std::min(0.2 * count, 3 * std::sqrt(count))));
  const double below = std::max(sorted[draws - tail - 1], std::log(std::numeric_limits<double>::min()));
  const Index first = std::upper_bound(sorted.begin(), sorted.end(), below) - sorted.begin();
  if (draws - first < 5) return std::numeric_limits<double>::infinity();
  return fit_shape(sorted.tail(draws - first).array().exp() - std::exp(below));
}

double khat_threshold(Index num_draws) { return std::min(1 - 1 / std::log10(static_cast<double>(num_draws)), 0.7); }

}  // namespace ardvark::internal
