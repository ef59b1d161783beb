// When the sweeps stop, and the messages about it.                                            docs/math/optimum.md (OPT.1), slr.md (SLR.3)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/series.hpp"
#include "method/sweep/sweep_loop.hpp"

namespace ardvark::internal {
namespace {

// The error from rounding in ln|V| and in the traces with V, from one sweep to the next, nats; 0 if it is not known.          (BOUND.6)
double rounding_of(Solver& solver, const Posterior& q, const Vector& score_rounding) {
  constexpr double rounding = 1.1e-16;
  const double of_scores = score_rounding.size() == q.w.size() ? score_rounding.dot(q.w.cwiseAbs()) : 0;  // (BOUND.7)
  const bool by_gram = solver.kind() == SolverKind::primal;
  if (!by_gram && solver.kind() != SolverKind::qr) return of_scores;
  const double roots = solver.precision_diagonal(q).cwiseProduct(q.V_diagonal).cwiseSqrt().sum();
  return (by_gram ? rounding * roots * roots : 2 * rounding * roots) + of_scores;
}

}  // namespace

bool Sweep::done() {
  if (out_.status != Status::failed) return true;
  if (out_.sweeps > 0) {
    if (!std::isfinite(bound_)) {
      end(Status::bound_fell, fmt::format("sweep {}: the bound is not finite", out_.sweeps));
    } else {
      switch (settings_.stop) {
        case StopRule::relative_change: stop_as_published(); break;
        case StopRule::remaining_gain: stop_on_remaining_gain(); break;
        case StopRule::standstill: stop_at_standstill(); break;
        case StopRule::never: book_.stop_after_all_sweeps(promised_, out_); break;
      }
    }
  }
  if (out_.status == Status::failed && out_.sweeps >= settings_.max_sweeps) {
    end(Status::max_sweeps, fmt::format("not converged after {} {}: the last one raised the bound by {:.3g} nats; increase max_sweeps",
                                        out_.sweeps, sweeps_word(), bound_ - last_bound_));
  }
  return out_.status != Status::failed;
}

void Sweep::stop_as_published() {
  const double change = bound_ - last_bound_, scale = std::abs(bound_ - published_constant_);
  if (settings_.compat && change < 0) {
    const bool linear = settings_.order == EvaluateAfter::prior;
    end(linear ? Status::bound_fell : (out_.sweeps == 1 ? Status::false_stop : Status::converged),
        linear ? fmt::format("sweep {}: the bound fell by {:.3g} nats; here the published program ends with an error", out_.sweeps, -change)
        : out_.sweeps == 1
            ? std::string(
                  "stopped after 1 sweep, as the published program does, because its first value is not a bound; without compat the fit "
                  "continues")
            : fmt::format("stopped at sweep {}, as the published program does, because rounding lowered the bound by {:.3g} nats",
                          out_.sweeps, -change));
    return;
  }
  if (!settings_.compat && fell() && !(-change <= rounding_of(solver_, q_, settings_.score_rounding))) {
    end(Status::bound_fell, fmt::format("sweep {}: the bound fell by {:.3g} nats, more than rounding explains", out_.sweeps, -change));
    return;
  }
  if (std::abs(change) < settings_.tolerance * scale) {
    end(Status::converged,
        fmt::format("converged by the published rule after {} {}: the bound changed by {:.3g} nats, less than {:g} of its value",
                    out_.sweeps, sweeps_word(), std::abs(change), settings_.tolerance));
  }
}

// The remaining gain is the largest of these estimates: the second-order gain of the next plain step (half of gradient times step for the
// precisions, half of curvature times squared step for the likelihood's state), the last gain, the tail of a geometric series with the last
// two gains, and the same with sums of five gains. One small value may be an accident of an extrapolation: two successive sweeps must
// agree. (OPT.1)
void Sweep::stop_on_remaining_gain() {
  if (fall_ > 0) {
    const bool rounding = fall_ <= std::max(1e-6 * (1 + std::abs(bound_)), rounding_of(solver_, q_, settings_.score_rounding));
    end(rounding ? Status::converged : Status::bound_fell,
        rounding ? fmt::format("converged after {} {}, as far as rounding allows: the next one would have lowered the bound by {:.2g} nats",
                               out_.sweeps, sweeps_word(), fall_)
                 : fmt::format("sweep {}: the next sweep would have lowered the bound by {:.3g} nats, more than rounding explains",
                               out_.sweeps, fall_));
    return;
  }
  if (runs_away()) {
    end(Status::separated,
        fmt::format("stopped after {} {}: the classes can be separated, and the coefficients grow without limit; the last sweep raised the "
                    "bound by {:.2g} nats",
                    out_.sweeps, sweeps_word(), bound_ - last_bound_));
    return;
  }
  const double gain = std::max(bound_ - last_bound_, 0.0), allowed = settings_.allowed();
  double remaining = std::max(promised_gain(), gain);
  if (single_) {
    if (remaining <= std::max(allowed, 30 * slack())) leave_single_precision();
    last_gain_ = gain;
    return;
  }
  // Extrapolated sweeps converge quickly. Plain ones may gain .9999 of the gain before in each sweep, and then 1e4 such gains remain.
  if (gain > slack() && (!settings_.accelerate || gain > 0.01 * allowed))
    remaining = std::max(remaining, tail_of_series(gain, last_gain_, slack()));
  last_gain_ = gain;
  // With sums over five sweeps, because gains of extrapolated sweeps are irregular, and may be small along a ridge of the bound.
  remaining = std::max(remaining, tail_of_sums(out_.bound_history, 5, std::max(slack(), 0.05 * allowed)));
  // After few sweeps, the estimates are uncertain, and less is allowed. A gain below the rounding of the bound is always small enough.
  const bool are_few = out_.sweeps <= std::max(5, settings_.num_plain_sweeps);
  const double enough = are_few ? 0.01 * allowed : allowed;
  num_quiet_ = remaining <= std::max(enough, slack()) ? num_quiet_ + 1 : 0;
  if (num_quiet_ < 2) return;
  end(Status::converged,
      fmt::format("converged after {} {}: the predicted remaining gain in the bound is {:.2g} nats ({} {:.2g})", out_.sweeps, sweeps_word(),
                  remaining, allowed >= slack() ? "allowed:" : "rounding of the bound:", std::max(allowed, slack())));
}

// Every score has a standard deviation above 1000, and the rows are separated nevertheless: the logistic function has become a step. If w,
// V^1/2 and E[alpha]^-1/2 grow by a common factor, only the logarithms in the bound change.                                    (VG.5)
bool Sweep::runs_away() const {
  constexpr double variance_of_a_step = 1e6;
  return likelihood_.traits().separable && q_.s.size() > 0 && q_.s.minCoeff() > variance_of_a_step &&
         likelihood_.bound(q_) > -0.7 * settings_.num_rows;
}

// The precisions and the rows no longer change, and no column outside the model would raise the bound.                         (SLR.3)
void Sweep::stop_at_standstill() {
  const double gain = std::max(bound_ - last_bound_, 0.0);
  // The larger of the predicted gain and the tail of the series of gains; not for Laplace's approximation, which may fall.
  double remaining = promised_;
  if (!to_mode_ && gain > slack() && gain < last_gain_) remaining = std::max(remaining, gain * gain / (last_gain_ - gain));
  last_gain_ = gain;
  book_.stop_at_standstill(
      q_, likelihood_.noise_precision(), expected_in_, remaining, [&] { static_cast<void>(readmit(20)); }, out_);
}

double Sweep::promised_gain() {
  double promised = prior_.promised_gain(q_, likelihood_.noise_precision(), gradient_, step_);
  const Index state = likelihood_.state_size();
  if (state > 0) {
    state_.resize(state);
    state_weight_.resize(state);
    likelihood_.get_state(state_, state_weight_);
    if (state_in_.size() == state) promised += 0.5 * (state_weight_.array() * (state_ - state_in_).array().square()).sum();
  }
  return promised;
}

}  // namespace ardvark::internal
