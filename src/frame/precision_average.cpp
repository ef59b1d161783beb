#include "frame/precision_average.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/special.hpp"
#include "predict/student_mixture.hpp"

namespace ardvark::internal {
namespace {

// Precisions at equal distances of their logarithm. The trapezoid rule for such smooth functions errs by exp(-2 pi^2 (sd/step)^2), and ln
// alpha has a standard deviation of more than sqrt(2/(r + 2 c0)).
Vector precisions_of(const SpectralSums& sums) {
  const auto [c0, d0] = sums.precision;
  const double smallest = std::log(sums.l.minCoeff()), largest = std::log(sums.l.maxCoeff());
  const double r = static_cast<double>(sums.l.size());
  // The target keeps alpha/l of its square: e^-40 is below any noise that the default b0 allows.                                (LIN.8)
  double low = smallest - 40, high = largest + 12;
  if (d0 > 0) high = c0 < 1 ? std::min(high, std::log((c0 + 40) / d0)) : std::max(high, std::log((c0 + 40) / d0));
  if (d0 > 0 && c0 >= 1) low = std::min(low, std::log(c0 / d0) - 40 / std::sqrt(c0));
  // The rows move d0 alpha from c0 by at most a_N downwards and r/2 upwards.
  if (d0 > 0 && c0 > 2 * (sums.shape + r) + 20) {
    const double least = c0 - sums.shape, margin = 12 / std::sqrt(least);
    low = std::log(least / d0) - margin;
    high = std::log((c0 + 0.5 * r) / d0) + margin;
  } else {
    high = std::max(high, low + 20);
  }
  const double step = 0.5 / std::sqrt(2 + r + 2 * c0), count = std::ceil((high - low) / step) + 1;
  constexpr double most = 1e5;  // more only of priors that say nothing and everything at once
  if (!(count <= most)) return {};
  return Vector::LinSpaced(static_cast<Index>(count), low, high).array().exp();
}

}  // namespace

PrecisionAverage average_over_precision(const SpectralSums& sums, bool needs_unknown) {
  const auto [c0, d0] = sums.precision;
  const Vector every = precisions_of(sums);
  if (every.size() == 0) return {};
  const Vector square = sums.z.cwiseAbs2();
  // c0 ln alpha - d0 alpha, from its mode, so that a sharp prior keeps its digits.
  const double mode = d0 > 0 ? std::log(c0 / d0) : 0;
  const auto prior = [&, c0 = c0, d0 = d0](double x) { return c0 * (x - mode - (d0 > 0 ? std::expm1(x - mode) : 0)); };
  Vector rate(every.size()), density(every.size());
  for (Index k = 0; k < every.size(); ++k) {
    const auto kept = every[k] / (sums.l.array() + every[k]);  // the share that the prior keeps from the rows
    rate[k] = sums.noise_rate + 0.5 * (sums.rest + (square.array() * kept).sum());
    density[k] = 0.5 * kept.log().sum() - sums.shape * std::log(rate[k]) + prior(std::log(every[k]));
  }
  const double most = density.maxCoeff();
  std::vector<Index> near;
  for (Index k = 0; k < every.size(); ++k)
    if (density[k] > most - 40) near.push_back(k);
  if (near.empty()) return {};  // numbers so extreme that no density can be computed
  const Vector alpha = every(near), scale = rate(near) / sums.shape;
  Vector weight = (density(near).array() - most).exp();
  weight /= weight.sum();

  const auto count = static_cast<Index>(near.size()), r = sums.l.size();
  PrecisionAverage out;
  out.noise = weight.dot(scale);
  out.given = Vector::Zero(r);
  Matrix mean(r, count);
  for (Index k = 0; k < count; ++k) {
    const Vector variance = (sums.l.array() + alpha[k]).inverse();
    mean.col(k) = (sums.z.array() * sums.l.array().sqrt()).matrix().cwiseProduct(variance);
    out.given += weight[k] * scale[k] * variance;
  }
  out.mean = mean * weight;
  out.moves = (mean.colwise() - out.mean) * weight.cwiseSqrt().asDiagonal();
  if (!needs_unknown) return out;
  constexpr double tail = 0.025;
  const Vector each = (scale.array() / alpha.array()).sqrt();
  const StudentTail t(2 * sums.shape);
  const double end = mixture_quantile(t, weight, Vector::Zero(count), each, tail, true) / student_t_end(2 * sums.shape, tail);
  out.unknown = std::max(end * end, out.given.maxCoeff());
  return out;
}

}  // namespace ardvark::internal
