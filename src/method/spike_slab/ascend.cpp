// Sweeps from one start until the bound no longer changes.        docs/math/sparse.md (SP.8), (SP.12), (SP.18), (SP.24)
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/anderson.hpp"
#include "core/pulse.hpp"
#include "core/series.hpp"
#include "method/spike_slab/starts.hpp"

namespace ardvark::internal {
namespace {

constexpr int most_between = 2;    // sweeps over some columns between two sweeps over all
constexpr int patience = 40;       // sweeps; after these, all sweeps are extrapolated                                           (SP.24)
constexpr double rounding = 1e-9;  // of a bound, nats

// If a group of many columns is certainly included, its slab is a ridge like the dense part, and kappa and h replace each other by a little
// in each update. After every three updates, both move to the limit of the geometric series.                                   (SP.18)
class BoldSteps {
 public:
  explicit BoldSteps(const SpikeSlab& q) : serve_(q.settings().fit_effects && q.sets().has_one_indicator() && q.sets().largest() > 1) {}
  /// Called after an update from the hyper-parameters `last` to those of q. Returns the longer step; none: no longer step.
  std::optional<SpikeSlabHyper> further(const SpikeSlabHyper& last, const SpikeSlab& q) {
    constexpr double least_share = 0.3, most_share = 0.999, most = 0.7;  // of a logarithm: a longer step may reach another maximum
    const SpikeSlabHyper now = q.hyper();
    if (!serve_ || !(now.kappa > 0 && last.kappa > 0)) return std::nullopt;
    const bool has_dense = now.h > 0 && last.h > 0;
    const Eigen::Vector2d before = step_;
    step_ = {std::log(now.kappa / last.kappa), has_dense ? std::log(now.h / last.h) : 0};
    if (++updates_ < 3) return std::nullopt;
    const double share = std::min(step_.dot(before) / before.squaredNorm(), most_share);
    if (!(share > least_share)) return std::nullopt;  // plain updates converge quickly
    const Eigen::Vector2d wanted = share / (1 - share) * step_;
    const double longest = wanted.cwiseAbs().maxCoeff();
    if (!(longest > 0)) return std::nullopt;
    const Eigen::Vector2d taken = std::min(1.0, most / longest) * wanted;
    SpikeSlabHyper next = now;
    next.kappa = std::max(now.kappa * std::exp(taken[0]), q.settings().least_kappa);
    if (has_dense) next.h = now.h * std::exp(taken[1]);
    updates_ = 0;
    return next;
  }

 private:
  bool serve_;
  int updates_ = 0;  // since the last step
  Eigen::Vector2d step_ = Eigen::Vector2d::Zero();
};

// Extrapolates the vector of means and logarithms of hyper-parameters. One iteration is a sweep over all sets and the next update. (SP.24)
class FurtherSteps {
 public:
  explicit FurtherSteps(const SpikeSlab& q) : anderson_(q.mean().size() + num_hyper, memory) {
    const auto Z = q.rows().Z();
    squares_.resize(q.mean().size());
    for (Index j = 0; j < squares_.size(); ++j) squares_[j] = Z.col(j).squaredNorm();
  }
  void begin(const SpikeSlab& q) { input_ = state_of(q); }
  /// Call this if the last step was undone: the next ones are shorter.
  void shorten() { share_ = std::max(share_ / 8, 1e-3); }
  /// Moves q from the result of the iteration to the extrapolated point.
  void go_on(SpikeSlab& q) {
    const Vector output = state_of(q);
    const SpikeSlabHyper& hyper = q.hyper();
    const double rows = q.rows().degrees, groups = static_cast<double>(q.inclusion().size());
    Vector weight(output.size()), next;  // about the curvature of the bound
    weight << squares_ / hyper.s2, 0.5 * rows, groups * hyper.pi * (1 - hyper.pi), 0.5 * q.sum_of_inclusion(), 0.5 * rows * q.dense_share();
    anderson_.extrapolate(input_, output, weight, next);
    constexpr double most = 0.7;  // of a logarithm: a longer step may reach another maximum
    next -= output;
    next *= std::min(share_, most / std::max(next.tail<num_hyper>().cwiseAbs().maxCoeff(), most));
    next += output;
    share_ = std::min(2 * share_, 1.0);
    take(next, q);
  }

 private:
  static constexpr Index num_hyper = 4, memory = 6;

  // Hyper-parameters that are not fitted, or are 0, have the entry 0.
  [[nodiscard]] static Vector state_of(const SpikeSlab& q) {
    const SpikeSlabHyper& hyper = q.hyper();
    const SpikeSlabSettings& fits = q.settings();
    const Index p = q.mean().size();
    Vector x = Vector::Zero(p + num_hyper);
    x.head(p) = q.mean();
    if (fits.fit_noise) x[p] = std::log(hyper.s2);
    if (fits.fit_effects && hyper.pi > 0) x[p + 1] = std::log(hyper.pi) - std::log1p(-hyper.pi);
    if (fits.fit_effects && hyper.kappa > 0) x[p + 2] = std::log(hyper.kappa);
    if (fits.fit_dense && hyper.h > 0) x[p + 3] = std::log(hyper.h);
    return x;
  }
  static void take(const Vector& x, SpikeSlab& q) {
    SpikeSlabHyper hyper = q.hyper();
    const SpikeSlabSettings& fits = q.settings();
    const Index p = q.mean().size();
    if (fits.fit_noise) hyper.s2 = std::max(std::exp(x[p]), fits.least_s2);
    if (fits.fit_effects && hyper.pi > 0) hyper.pi = 1 / (1 + std::exp(-x[p + 1]));
    if (fits.fit_effects && hyper.kappa > 0) hyper.kappa = std::max(std::exp(x[p + 2]), fits.least_kappa);
    if (fits.fit_dense && hyper.h > 0) hyper.h = std::exp(x[p + 3]);
    q.set_state(x.head(p), hyper);
  }

  Anderson anderson_;
  Vector squares_;  // [p] of the columns
  Vector input_;
  double share_ = 1;  // of the extrapolated step
};

}  // namespace

void ascend(const std::vector<Index>& order, const AscentSettings& settings, std::span<const StartOutcome> ended, StartOutcome& start) {
  double last = -std::numeric_limits<double>::infinity(), last_gain = std::numeric_limits<double>::infinity();
  start.status = Status::max_sweeps;
  bool whole = true, was_whole = false;  // whether this sweep, and the last one, are over all sets                            (SP.12)
  const auto run = [&] {
    whole ? start.q.sweep(order) : start.q.sweep_raised();
    ++start.sweeps;
    start.bound = start.q.bound();
  };
  std::optional<SpikeSlab> plain;  // the state before a longer step, if the step must be undone                 (SP.5), (SP.18), (SP.24)
  BoldSteps bold(start.q);
  std::optional<FurtherSteps> further_steps;  // once plain sweeps are too slow
  const bool fits_effects = start.q.settings().fit_effects;
  for (int sweep = 1, calm = 0, some = 0; start.sweeps < settings.max_sweeps; ++sweep) {
    pulse();
    const bool goes_further = further_steps.has_value();
    if (goes_further) further_steps->begin(start.q);
    run();
    if (plain && !(start.bound >= last)) {
      start.q = std::move(*plain);
      --start.sweeps;
      if (goes_further) {
        further_steps->shorten();
        further_steps->begin(start.q);
      }
      run();
    }
    plain.reset();
    start.history.push_back(start.bound);
    if (!std::isfinite(start.bound)) {
      start.status = Status::failed;
      return;
    }
    if (settings.on_sweep && !settings.on_sweep(start.sweeps, start.bound)) {
      start.status = Status::stopped_by_user;
      return;
    }
    const double seen = start.q.settings().seen();
    const auto there = std::find_if(ended.begin(), ended.end(), [&](const StartOutcome& other) {
      return other.status == Status::converged && std::abs(other.bound - start.bound) < near * settings.tolerance &&
             are_alike(other.q, start.q, seen, (other.q.mean() - start.q.mean()).squaredNorm());
    });
    if (there != ended.end()) {
      start.q = there->q;
      start.history.push_back(start.bound = there->bound);
      start.status = Status::converged;
      return;
    }
    const double gain = std::abs(start.bound - last);
    const bool is_calm = gain < (goes_further ? 0.3 : 1) * settings.tolerance;  // gains of such steps are irregular
    calm = is_calm ? calm + 1 : 0;
    // The remaining gain, predicted from two successive sweeps over all sets. After a single one, its gain must be a hundredth of the
    // tolerance.
    const double left = std::max(tail_of_series(gain, last_gain, rounding), tail_of_sums(start.history, goes_further ? 5 : 3, rounding));
    const bool is_settled = was_whole ? left < settings.tolerance : gain < 0.01 * settings.tolerance;
    if (calm >= settings.calm_sweeps && whole && is_settled) {
      start.status = Status::converged;
      return;
    }
    if (!further_steps && ((is_calm && whole && was_whole && !is_settled) || sweep >= patience)) further_steps.emplace(start.q);
    last = start.bound;
    last_gain = gain;
    was_whole = whole;
    some = whole ? 0 : some + 1;
    whole = is_calm || some == most_between || further_steps;
    if (start.sweeps >= settings.max_sweeps) return;
    const SpikeSlabHyper before = start.q.hyper();
    start.q.update_hyper(sweep <= settings.wide_sweeps ? Reach::everywhere : Reach::near);
    if (goes_further) {
      plain = start.q;
      further_steps->go_on(start.q);
      continue;
    }
    const std::optional<SpikeSlabHyper> further = sweep > settings.wide_sweeps ? bold.further(before, start.q) : std::nullopt;
    if (!fits_effects) continue;
    if (whole || further) plain = start.q;
    if (further) start.q.set_hyper(*further);
    if (whole) start.q.anticipate_inclusion();
  }
}

}  // namespace ardvark::internal
