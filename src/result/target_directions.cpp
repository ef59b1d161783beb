// The directions of effects on many targets, at a stated rate of wrong ones.                          docs/math/targets.md (TGT.12)
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/trigamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "ardvark/targets.hpp"
#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

// x > 0 with trigamma(x) = y; infinity for y <= 0.
double inverse_trigamma(double y) {
  constexpr double least = 1e-6, most = 1e9;
  if (!(y > boost::math::trigamma(most))) return infinity;
  if (y >= boost::math::trigamma(least)) return least;
  std::uintmax_t steps = 100;
  const auto [low, high] =
      boost::math::tools::toms748_solve([&](double log_x) { return boost::math::trigamma(std::exp(log_x)) - y; }, std::log(least),
                                        std::log(most), boost::math::tools::eps_tolerance<double>(50), steps);
  return std::exp(0.5 * (low + high));
}

// Of variances over targets: scaled inverse chi-square.
struct NoiseOfAll {
  double degrees = 0, variance = 0;
};

// By the mean and the variance of the logarithms: Smyth (2004).
NoiseOfAll noise_of_all(const TargetsFit& fit, const std::vector<Index>& targets) {
  constexpr Index least = 3;
  std::vector<double> logs;
  double expected_variance = 0;
  for (const Index k : targets) {
    constexpr double exact = 1e-12;  // a target that is a sum of columns shows no noise
    if (fit.r_squared[k] >= 1 - exact) continue;
    const double half = 0.5 * fit.degrees_of_freedom[k];
    logs.push_back(2 * std::log(fit.noise_sd[k]) - digamma(half) + std::log(half));
    expected_variance += boost::math::trigamma(half);
  }
  const auto count = static_cast<double>(logs.size());
  if (std::ssize(logs) < least) return {};
  const Eigen::Map<const Vector> e(logs.data(), std::ssize(logs));
  const double mean = e.mean(), beyond = (e.array() - mean).square().sum() / (count - 1) - expected_variance / count;
  const double half = inverse_trigamma(beyond);
  return {2 * half, std::exp(std::isinf(half) ? mean : mean + digamma(half) - std::log(half))};
}

// Storey, Taylor and Siegmund (2004), at one half, and about one standard error more. \param p  of those with numbers
double share_without_effect(const std::vector<double>& p) {
  const auto like_noise = static_cast<double>(std::ranges::count_if(p, [](double one) { return one > 0.5; }));
  return std::min(1.0, 2 * (1 + like_noise + std::sqrt(like_noise)) / static_cast<double>(p.size()));
}

}  // namespace

TargetDirections target_directions(const TargetsFit& fit, bool pool, MatrixView coefficients, MatrixView sd) {
  const Index p = fit.num_columns(), K = fit.num_targets();
  if (fit.prior != PriorKind::none)
    throw wrong("prior", to_string(fit.prior), "directions are of fits without a prior, which shrinks small effects: take none");
  const MatrixView w = fit.mean.size() > 0 ? MatrixView(fit.mean) : coefficients, given = fit.sd.size() > 0 ? MatrixView(fit.sd) : sd;
  for (const auto& [matrix, name] : {std::pair(w, "coefficients"), std::pair(given, "sd")})
    if (matrix.rows() != p || matrix.cols() != K)
      throw refused(
          name, fmt::format("is {} x {}; the fit has {} columns and {} targets, and did not keep it", matrix.rows(), matrix.cols(), p, K));

  std::vector<Index> targets;
  for (Index k = 0; k < K; ++k)
    if (fit.status[static_cast<std::size_t>(k)] == TargetStatus::converged && fit.degrees_of_freedom[k] > 2) targets.push_back(k);
  TargetDirections out;
  for (Matrix* matrix : {&out.q_value, &out.p_value, &out.sd}) *matrix = Matrix::Constant(p, K, nan);
  for (Vector* numbers : {&out.noise_sd, &out.degrees_of_freedom}) *numbers = Vector::Constant(K, nan);
  out.no_effect = Vector::Constant(p, nan);
  const NoiseOfAll all = pool ? noise_of_all(fit, targets) : NoiseOfAll{};
  out.pooled_degrees = all.degrees, out.usual_noise_sd = std::sqrt(all.variance);
  double most = 0;  // the degrees of freedom of all targets together
  for (const Index k : targets) most += fit.degrees_of_freedom[k];

  constexpr Index block = 256;
  parallel_for((std::ssize(targets) + block - 1) / block, blas::num_threads(), [&](Index b) {
    for (Index i = b * block; i < std::min((b + 1) * block, std::ssize(targets)); ++i) {
      const Index k = targets[static_cast<std::size_t>(i)];
      const double own = fit.degrees_of_freedom[k], variance = fit.noise_sd[k] * fit.noise_sd[k];
      const double share = std::isinf(all.degrees) ? 1.0 : all.degrees / (all.degrees + own);
      out.noise_sd[k] = std::sqrt(share * all.variance + (1 - share) * variance);
      out.degrees_of_freedom[k] = std::min(all.degrees + own, most);
      const double factor = out.noise_sd[k] / (fit.noise_sd[k] * std::sqrt(student_t_variance(own)));
      for (Index j = 0; j < p; ++j) {
        if (fit.left_out[static_cast<std::size_t>(j)]) continue;
        out.sd(j, k) = factor * given(j, k);
        out.p_value(j, k) = 2 * student_t_tail(out.degrees_of_freedom[k], std::abs(w(j, k)) / out.sd(j, k));
      }
    }
  });

  parallel_for(p, blas::num_threads(), [&](Index j) {
    if (fit.left_out[static_cast<std::size_t>(j)] || targets.empty()) return;
    std::vector<double> of_column;
    for (const Index k : targets) of_column.push_back(out.p_value(j, k));
    out.no_effect[j] = share_without_effect(of_column);
    std::vector<std::size_t> order(targets.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return of_column[i]; });
    double least = 1;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
      const std::size_t i = order[rank - 1];
      least = std::min(least, out.no_effect[j] * of_column[i] * static_cast<double>(order.size()) / static_cast<double>(rank));
      out.q_value(j, targets[i]) = least;
    }
  });
  return out;
}

}  // namespace ardvark
