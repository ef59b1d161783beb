// When a sweep stops, and what it says of that.                                               docs/math/optimum.md (OPT.1), slr.md (SLR.3)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/series.hpp"
#include "method/sweep/sweep_loop.hpp"

namespace ardvark::internal {
namespace {

// What rounding may do to ln|V| and to the traces with V from one sweep to the next, nats; 0 where the solver does not say.   (BOUND.6)
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

// What remains is judged by three signs: the second-order gain that the map's own step promises (half of gradient times step for the
// precisions, half of curvature times step squared for the likelihood's state), the last gain, and the tail of a geometric series
// with the last two gains. One small value may be an accident of an extrapolation: two sweeps in a row must agree.             (OPT.1)
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
  // Extrapolated sweeps end at once; plain ones may climb by a share of .9999 of the gain before, and then 1e4 gains are left.
  if (gain > slack() && (!settings_.accelerate || gain > 0.01 * allowed))
    remaining = std::max(remaining, tail_of_series(gain, last_gain_, slack()));
  last_gain_ = gain;
  // And of sums over five sweeps: extrapolated ones gain by fits and starts, and may go along a ridge of the bound by a little each.
  remaining = std::max(remaining, tail_of_sums(out_.bound_history, 5, std::max(slack(), 0.05 * allowed)));
  // A few sweeps cannot tell the end of a way from its beginning. Below the rounding of the bound itself there is nothing left to wait for.
  const bool are_few = out_.sweeps <= std::max(5, settings_.num_plain_sweeps);
  const double enough = are_few ? 0.01 * allowed : allowed;
  num_quiet_ = remaining <= std::max(enough, slack()) ? num_quiet_ + 1 : 0;
  if (num_quiet_ < 2) return;
  end(Status::converged,
      fmt::format("converged after {} {}: the predicted remaining gain in the bound is {:.2g} nats ({} {:.2g})", out_.sweeps, sweeps_word(),
                  remaining, allowed >= slack() ? "allowed:" : "rounding of the bound:", std::max(allowed, slack())));
}

// Every score has a standard deviation of a thousand and the rows are told apart nevertheless: the logistic function has become a step, and
// nothing in the bound but its logarithms changes when w, V^1/2 and E[alpha]^-1/2 grow by one factor.                          (VG.5)
bool Sweep::runs_away() const {
  constexpr double variance_of_a_step = 1e6;
  return likelihood_.traits().separable && q_.s.size() > 0 && q_.s.minCoeff() > variance_of_a_step &&
         likelihood_.bound(q_) > -0.7 * settings_.num_rows;
}

// The precisions and the rows stand still, and no column outside would raise the bound.                                        (SLR.3)
void Sweep::stop_at_standstill() {
  const double gain = std::max(bound_ - last_bound_, 0.0);
  // Beside what the next steps promise the tail of the series of gains, where the bound is one that rises: not Laplace's approximation.
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
