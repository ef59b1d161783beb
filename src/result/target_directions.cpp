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
#include "posterior/state.hpp"
#include "posterior/targets_state.hpp"

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

// A target whose columns have standard errors.
struct OneTarget {
  Index k = 0;
  Vector root_V;  // [p] standard errors in units of the noise; 0: the column is left out
};

// V of the columns in the units of the user, of targets with gaps in the same rows.                                       (TGT.4), (TGT.10)
Vector root_of_variances(const SharedTargetsState& shared, Index num_columns) {
  Vector out = Vector::Zero(num_columns), of_axes = shared.axes.back.rowwise().norm();
  if (const Vector& scale = shared.units.scale; scale.size() > 0) of_axes.array() *= scale(shared.penalised).array();
  out(shared.penalised) = of_axes;
  return out;
}

std::vector<OneTarget> targets_with_errors(const TargetsFit& fit) {
  if (fit.prior != PriorKind::none)
    throw wrong("prior", to_string(fit.prior), "directions are of fits without a prior, which shrinks small effects: take none");
  if (fit.state == nullptr || (fit.state->shared.empty() && fit.state->alone.empty() && !fit.bound.array().isNaN().all()))
    throw InvalidArgument("the fits kept nothing that says how sure they are; fit again with predictions = true");
  std::vector<OneTarget> out;
  const auto add = [&](Index k, Vector root_V) {
    if (fit.status[static_cast<std::size_t>(k)] == TargetStatus::converged && root_V.allFinite()) out.push_back({k, std::move(root_V)});
  };
  for (const SharedTargetsState& shared : fit.state->shared) {
    const Vector root_V = root_of_variances(shared, fit.num_columns());
    for (const Index k : shared.targets) add(k, root_V);
  }
  for (const auto& [k, one] : fit.state->alone) {
    if (!std::isfinite(one->degrees_of_freedom()))
      throw InvalidArgument(
          "directions are of fits with normal noise and the joint posterior, whose coefficients have Student's t distribution");
    add(k, one->variance.cwiseSqrt() / (noise_sd(*one) * std::sqrt(student_t_variance(one->degrees_of_freedom()))));
  }
  std::ranges::sort(out, {}, &OneTarget::k);
  return out;
}

// Of variances over targets: scaled inverse chi-square.
struct NoiseOfAll {
  double degrees = 0, variance = 0;
};

// By the mean and the variance of the logarithms: Smyth (2004).
NoiseOfAll noise_of_all(const TargetsFit& fit, const std::vector<OneTarget>& targets) {
  constexpr Index least = 3;
  std::vector<double> logs;
  double expected_variance = 0;
  for (const auto& [k, root_V] : targets) {
    constexpr double exact = 1e-15;  // a target that is a sum of columns shows no noise
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

TargetDirections target_directions(const TargetsFit& fit, bool pool, MatrixView coefficients) {
  const std::vector<OneTarget> targets = targets_with_errors(fit);
  const Index p = fit.num_columns(), K = fit.num_targets();
  const MatrixView w = fit.mean.size() > 0 ? MatrixView(fit.mean) : coefficients;
  if (w.rows() != p || w.cols() != K)
    throw refused("coefficients",
                  fmt::format("is {} x {}; the fit has {} columns and {} targets, and did not keep it", w.rows(), w.cols(), p, K));
  TargetDirections out;
  for (Matrix* matrix : {&out.q_value, &out.p_value, &out.sd}) *matrix = Matrix::Constant(p, K, nan);
  for (Vector* numbers : {&out.noise_sd, &out.degrees_of_freedom}) *numbers = Vector::Constant(K, nan);
  out.no_effect = Vector::Constant(p, nan);
  const NoiseOfAll all = pool ? noise_of_all(fit, targets) : NoiseOfAll{};
  out.pooled_degrees = all.degrees, out.usual_noise_sd = std::sqrt(all.variance);
  double most = 0;  // the degrees of freedom of all targets together
  for (const OneTarget& target : targets) most += fit.degrees_of_freedom[target.k];

  constexpr Index block = 256;
  parallel_for((std::ssize(targets) + block - 1) / block, blas::num_threads(), [&](Index b) {
    for (Index i = b * block; i < std::min((b + 1) * block, std::ssize(targets)); ++i) {
      const auto& [k, root_V] = targets[static_cast<std::size_t>(i)];
      const double own = fit.degrees_of_freedom[k], variance = fit.noise_sd[k] * fit.noise_sd[k];
      const double share = std::isinf(all.degrees) ? 1.0 : all.degrees / (all.degrees + own);
      out.noise_sd[k] = std::sqrt(share * all.variance + (1 - share) * variance);
      out.degrees_of_freedom[k] = std::min(all.degrees + own, most);
      for (Index j = 0; j < p; ++j) {
        if (root_V[j] == 0) continue;
        out.sd(j, k) = out.noise_sd[k] * root_V[j];
        out.p_value(j, k) = 2 * student_t_tail(out.degrees_of_freedom[k], std::abs(w(j, k)) / out.sd(j, k));
      }
    }
  });

  parallel_for(p, blas::num_threads(), [&](Index j) {
    std::vector<Index> with_p;
    std::vector<double> of_column;
    for (const OneTarget& target : targets)
      if (target.root_V[j] > 0) with_p.push_back(target.k), of_column.push_back(out.p_value(j, target.k));
    if (with_p.empty()) return;
    out.no_effect[j] = share_without_effect(of_column);
    std::vector<std::size_t> order(with_p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return of_column[i]; });
    double least = 1;
    for (std::size_t rank = order.size(); rank > 0; --rank) {
      const std::size_t i = order[rank - 1];
      least = std::min(least, out.no_effect[j] * of_column[i] * static_cast<double>(order.size()) / static_cast<double>(rank));
      out.q_value(j, with_p[i]) = least;
    }
  });
  return out;
}

}  // namespace ardvark
