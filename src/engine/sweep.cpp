// The one loop of every sweep model.                                                   docs/math/bound.md, docs/math/optimum.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ardvark/errors.hpp"
#include "core/special.hpp"
#include "core/stopwatch.hpp"
#include "engine/active_set.hpp"
#include "engine/coordinate/precision_blocks.hpp"
#include "engine/extrapolation.hpp"
#include "engine/mode_search.hpp"
#include "engine/settle.hpp"
#include "engine/sweep.hpp"

namespace ardvark {

double evaluate_bound(const Likelihood& likelihood, const PrecisionPrior& prior, const Posterior& q) {
  const Partition& partition = prior.partition();
  const auto flat = static_cast<double>(partition.num_flat());
  if (prior.is_penalty()) return likelihood.log_likelihood() + prior.bound(q, 1);  // (L1.2)
  const double weights = 0.5 * q.log_det_V + 0.5 * static_cast<double>(partition.num_columns()) + 0.5 * flat * ln_2pi;
  return likelihood.bound(q) + prior.bound(q, likelihood.noise_precision()) + weights;  // (BOUND.1)
}

namespace {

class Sweep {
 public:
  Sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings);
  SweepOutcome run();

 private:
  bool start();
  bool advance();  // one sweep, in the order asked for; false: it cannot go on
  void record();
  void end_in_double();

  // The parts of a round. False: a system that is not positive definite.
  bool solve();
  bool solve_inside();  // V, w from rows_in_ and a_in_: the pair that q was built from
  bool solve_once();
  [[nodiscard]] double mode_tolerance() const;
  void update_likelihood();
  void update_prior();
  void polish();
  double published_start();
  void remember_state();  // that the rows in hand came from, for the stopping rule

  // Columns that leave and come back
  bool change_columns();  // prior, solver and posterior for the columns that are there from now on; false: there are none
  void look_outside();
  bool readmit(int most_returns);

  // A round that never accepts a bound that fell
  bool guarded_round();
  bool attempt(const Vector& expected);  // q, the likelihood and the bound from the rows in target_ and these precisions
  void take_back();
  bool search_along_step();
  bool return_to_previous();
  void leave_single_precision();
  [[nodiscard]] double slack() const;
  [[nodiscard]] bool fell() const { return !(bound_ >= last_bound_ - slack()); }

  // Whether to stop, and what is said of it
  bool done();
  void stop_as_published();
  void stop_on_remaining_gain();
  void stop_at_standstill();
  void stop_after_all_sweeps();
  double promised_gain();
  [[nodiscard]] const char* sweeps_word() const { return out_.sweeps == 1 ? "sweep" : "sweeps"; }
  void end(Status status, std::string message);

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  Likelihood& likelihood_;
  PrecisionPrior& prior_;
  Solver& solver_;
  Posterior& q_;
  const SweepSettings& settings_;
  bool damped_, to_mode_, polishes_;
  Stopwatch watch_;

  Rows rows_;                              // what the likelihood wants next
  Rows rows_in_, previous_rows_, target_;  // what q was built from; before that; being tried
  Vector a_in_, previous_a_, expected_in_, previous_expected_;
  Vector next_, fallback_;  // [groups] E[alpha]: to be tried; where that lowers the bound
  double bound_ = -infinity, last_bound_ = bound_, last_gain_ = infinity;
  double published_constant_ = 0;
  SweepOutcome out_;

  ActiveSet active_;
  int look_interval_ = 0, next_look_ = 0;  // sweeps
  ModeSearch mode_search_;
  Extrapolation extrapolation_;
  Settled settled_;
  bool single_ = false, just_left_ = false;  // products in single precision; not any more since this sweep

  int num_quiet_ = 0;
  double fall_ = 0;              // what the last sweep would have lost, had it not been taken back
  double promised_ = infinity;   // by the next step of precisions and rows
  Vector state_in_;              // the likelihood's, that the rows in hand came from
  Vector state_, state_weight_;  // workspace from here on
  Vector gradient_, step_, w_before_, m_before_, response_;
};

Sweep::Sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings)
    : likelihood_(likelihood),
      prior_(prior),
      solver_(solver),
      q_(q),
      settings_(settings),
      damped_(likelihood.traits().damped),
      to_mode_(likelihood.traits().to_mode),
      polishes_(settings.polish && likelihood.traits().row_moments && !to_mode_ && (damped_ || settings.accelerate)),
      active_(prior),
      mode_search_(likelihood, solver),
      extrapolation_(prior.partition().num_groups(), likelihood.state_size()) {}

SweepOutcome Sweep::run() {
  if (start())
    while (!done()) {
      if (!advance()) break;
      record();
    }
  if (single_ && out_.sweeps > 0) end_in_double();
  // The mean has gone on after V was made (OPT.8); what is returned satisfies V^-1 w = X'r.                                   (RIDGE.2)
  if (polishes_ && !damped_ && out_.status != Status::not_positive_definite) static_cast<void>(solver_.respond(rows_in_.r, a_in_, q_));
  out_.a = a_in_;
  out_.rows = rows_in_;
  // The published programs return the precisions after the last posterior, a model those inside it.
  const bool later = settings_.order == EvaluateAfter::rows && settings_.stop != StopRule::never;
  if (later && expected_in_.size() == prior_.expected().size()) prior_.set_expected(expected_in_);
  out_.columns = active_.columns();
  out_.expected = active_.expected();
  out_.pruned = active_.pruned();
  out_.pruning = active_.events();
  out_.history = active_.history(out_.sweeps, !settings_.compat);
  return std::move(out_);
}

bool Sweep::start() {
  likelihood_.start(rows_);
  single_ = settings_.single_precision && solver_.set_products(Products::single_precision);
  published_constant_ = likelihood_.published_constant() + prior_.published_constant();
  active_.keep_history(settings_.record_every, settings_.max_sweeps);
  switch (settings_.order) {
    case EvaluateAfter::prior:
    case EvaluateAfter::rows: return true;
    case EvaluateAfter::solve:
      if (!solve()) return false;
      if (settings_.compat) bound_ = published_start();
      return true;
    case EvaluateAfter::likelihood:
      if (!solve()) return false;
      update_likelihood();
      bound_ = evaluate_bound(likelihood_, prior_, q_);
      return true;
  }
  return false;
}

bool Sweep::advance() {
  last_bound_ = bound_;
  switch (settings_.order) {
    case EvaluateAfter::prior:
      if (!solve()) return false;
      update_likelihood();
      update_prior();
      bound_ = evaluate_bound(likelihood_, prior_, q_);
      return true;
    case EvaluateAfter::solve:
      update_likelihood();
      update_prior();
      if (!solve()) return false;
      bound_ = evaluate_bound(likelihood_, prior_, q_);
      return true;
    case EvaluateAfter::rows:
      if (!change_columns()) return false;
      remember_state();
      if (!solve()) return false;
      update_likelihood();
      bound_ = evaluate_bound(likelihood_, prior_, q_);
      promised_ = promised_gain();
      update_prior();
      if (settings_.pruning.is_on()) active_.prune(settings_.pruning.threshold, out_.sweeps + 1);
      return true;
    case EvaluateAfter::likelihood: return guarded_round();
  }
  return false;
}

void Sweep::record() {
  ++out_.sweeps;
  if (single_) ++out_.num_single;
  just_left_ = false;
  active_.record(out_.sweeps);
  out_.bound = bound_;
  out_.bound_history.push_back(bound_);
  if (settings_.on_sweep && !settings_.on_sweep({out_.sweeps, bound_, watch_.seconds()})) {
    end(Status::stopped_by_user,
        fmt::format("stopped by the caller after {} {}; the bound was {:.6f}", out_.sweeps, sweeps_word(), bound_));
  }
}

void Sweep::end(Status status, std::string message) {
  out_.status = status;
  out_.message = std::move(message);
}

// Stopped on the way, by max_sweeps or the caller: what is reported is double all the same.
void Sweep::end_in_double() {
  leave_single_precision();
  if (!solve_inside()) return;
  likelihood_.update(q_, rows_);
  out_.bound = evaluate_bound(likelihood_, prior_, q_);
  out_.bound_history.back() = out_.bound;
}

bool Sweep::solve() {
  rows_in_ = rows_;
  a_in_ = prior_.columns();
  expected_in_ = prior_.expected();
  return solve_inside();
}

bool Sweep::solve_inside() {
  if (to_mode_ ? mode_search_.solve(a_in_, mode_tolerance(), rows_in_, q_) : solve_once()) return true;
  end(Status::not_positive_definite,
      fmt::format("sweep {}: the linear system is not positive definite (columns that are flat or nearly so may be collinear)",
                  out_.sweeps + 1));
  return false;
}

bool Sweep::solve_once() {
  q_.total_weight = rows_in_.omega.sum();
  return solver_.solve(rows_in_, a_in_, q_);
}

// While the precisions still move, so may the mode.                                                                             (LAP.2)
double Sweep::mode_tolerance() const {
  const bool exact = settings_.stop == StopRule::never;
  return exact ? settings_.mode_tolerance : std::max(settings_.mode_tolerance, 1e-6 * std::min(promised_ * promised_, 1.0));
}

void Sweep::update_likelihood() {
  likelihood_.update(q_, rows_);
  // Under the Jaakkola-Jordan bound only while sweeps gain: the last ones are the extrapolated ones alone, which know where they end.
  if (polishes_ && (damped_ || last_gain_ > 1e-8 * settings_.num_rows)) polish();
}

// Newton steps of the mean alone, V held, each for the price of two products with a vector: w <- w + V (X'(r - omega m) - A w), with the
// rows of the last update. The mean follows the rows at once instead of a sweep later.                            (VG.4), (OPT.8)
void Sweep::polish() {
  double L = evaluate_bound(likelihood_, prior_, q_);
  for (int step = 0; step < 4; ++step) {
    w_before_ = q_.w;
    m_before_ = q_.m;
    response_ = rows_.r + (rows_in_.omega - rows_.omega).cwiseProduct(q_.m);
    const bool took = solver_.respond(response_, a_in_, q_);
    if (took) likelihood_.update(q_, rows_);
    const double L_new = took ? evaluate_bound(likelihood_, prior_, q_) : -infinity;
    if (!(L_new >= L)) {  // not concave here, or nothing left but rounding
      q_.w = w_before_;
      q_.m = m_before_;
      sum_by_group(prior_.partition(), a_in_, q_);
      likelihood_.update(q_, rows_);
      return;
    }
    const double gain = L_new - L;
    L = L_new;
    if (gain < 0.02 * std::max(bound_ - last_bound_, 0.0) || gain < slack()) return;
  }
}

void Sweep::update_prior() {
  prior_.update(q_, likelihood_.noise_precision(), next_);
  // MacKay's 1 - a V of a column that the data say nothing of is 0 but for rounding, and its sign is rounding's.
  for (Index g = 0; g < next_.size(); ++g)
    if (!(next_[g] > 0)) next_[g] = settings_.pruning.is_on() ? infinity : prior_.expected()[g];
  prior_.set_expected(next_);
}

// The published logistic programs compare their first bound with a number that is not one: V from the old E[alpha], q(alpha) already new.
double Sweep::published_start() {
  const Vector old = prior_.expected();
  update_prior();
  const Vector quadratic = q_.group_square + q_.group_variance;
  return evaluate_bound(likelihood_, prior_, q_) + 0.5 * (prior_.expected() - old).dot(quadratic);
}

void Sweep::remember_state() {
  const Index state = likelihood_.state_size();
  if (state == 0) return;
  state_in_.resize(state);
  state_weight_.resize(state);
  likelihood_.get_state(state_in_, state_weight_);
}

bool Sweep::change_columns() {
  look_outside();
  if (!active_.will_change()) return true;
  if (!active_.apply(q_.w)) {
    end(Status::converged, fmt::format("no column is left after {} sweeps", out_.sweeps));
    return false;
  }
  if (!solver_.restrict_to(active_.columns())) throw InternalError("this solver cannot let columns go");
  q_.V_diagonal = Vector::Zero(q_.w.size());
  q_.group_square = q_.group_variance = Vector::Zero(prior_.partition().num_groups());
  mode_search_.columns_changed();
  return true;
}

// Not while the precisions are far from settled: what is missed then is asked back later. A look that finds nothing doubles the time to
// the next.
void Sweep::look_outside() {
  const int every = settings_.pruning.readmit_every;
  if (every == 0 || out_.sweeps < std::max(next_look_, every) || !(promised_ < 1e-3 * settings_.num_rows)) return;
  look_interval_ = readmit(3) ? every : std::max(2 * look_interval_, every);
  next_look_ = out_.sweeps + look_interval_;
}

// The column outside that would raise the bound most, all else fixed, comes back at its best precision.             (OPT.2), (OPT.5)
bool Sweep::readmit(int most_returns) {
  std::vector<Index> outside;
  for (Index j = 0; j < active_.all().num_columns(); ++j)
    if (active_.may_return(j, most_returns)) outside.push_back(j);
  Vector S, Q;
  if (outside.empty() || !solver_.look_outside(rows_in_, outside, q_.w, S, Q)) return false;
  double best = std::max(settings_.tolerance * settings_.num_rows, 1e-6), precision = 0;
  Index chosen = -1;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    double a = 0;
    const double gain = prior_.gain_of_adding(S[static_cast<Index>(i)], Q[static_cast<Index>(i)], likelihood_.noise_precision(), a);
    if (gain > best && a < settings_.pruning.threshold) {
      best = gain;
      precision = a;
      chosen = outside[i];
    }
  }
  if (chosen < 0) return false;
  active_.readmit(chosen, precision, out_.sweeps);
  return true;
}

// The round as a map of (ln E[alpha], the likelihood's state) to itself. It is extrapolated (OPT.7), or the precisions climb in blocks
// (BLOCK.1); what lowers the bound is taken back.
bool Sweep::guarded_round() {
  const bool plain =
      !settings_.accelerate || out_.sweeps < settings_.num_plain_sweeps || prior_.partition().num_groups() + likelihood_.state_size() == 0;
  const bool climbs = settings_.blocks != nullptr && !plain, extrapolates = !plain && !climbs;
  // Not before the sweeps have chosen their maximum: settled too early, the few end 2 nats lower on average.        (OPT, warning i)
  const bool late = last_gain_ < 0.01 * settings_.num_rows;
  previous_rows_ = rows_in_;
  previous_a_ = a_in_;
  previous_expected_ = prior_.expected();
  prior_.vb(q_, likelihood_.noise_precision(), fallback_);
  target_ = rows_;
  next_ = fallback_;
  settled_ = {};
  if (climbs) {
    const double enough = 0.1 * settings_.tolerance * settings_.num_rows;
    settings_.blocks->climb(solver_, rows_in_, prior_, q_, likelihood_.noise(), {enough, late}, next_);
  }
  if (extrapolates) {
    if (settings_.condense && late) settled_ = settle(likelihood_, prior_, solver_, rows_in_, q_, settings_, last_gain_);
    extrapolation_.next(prior_, likelihood_, q_, settings_.bold_steps, settled_, next_, target_);
  }
  const bool solved = attempt(next_);
  if (!solved && plain && !single_) return false;
  if ((!plain && (!solved || fell())) || (single_ && !solved)) {
    out_.status = Status::failed;  // an extrapolated system that cannot be factorised is a step taken too far
    ++out_.num_rejected;
    if (extrapolates) take_back();
    if (!solved) leave_single_precision();
    if (!attempt(fallback_)) return false;
  }
  if (single_ && fell()) {  // rounding or not: only double can tell
    leave_single_precision();
    if (!attempt(fallback_)) return false;
  }
  if (damped_ && fell() && !search_along_step()) return false;
  return !fell() || return_to_previous();
}

bool Sweep::attempt(const Vector& expected) {
  prior_.set_expected(expected);
  rows_in_ = target_;
  a_in_ = prior_.columns();
  remember_state();
  if (!solve_inside()) return false;
  update_likelihood();
  bound_ = evaluate_bound(likelihood_, prior_, q_);
  return true;
}

// The fallback of an accelerated round: VB's own step, or the groups that were settled, the others where they were.
void Sweep::take_back() {
  if (!settled_.groups.empty()) fallback_ = previous_expected_;
  for (std::size_t i = 0; i < settled_.groups.size(); ++i) fallback_[settled_.groups[i]] = settled_.expected[static_cast<Index>(i)];
  extrapolation_.take_back(likelihood_, target_);
}

// Between the natural parameters of the last q and of the full step the bound rises for a small enough step.  (VG.1, damped)
bool Sweep::search_along_step() {
  ++out_.num_damped;
  extrapolation_.forget();
  const Vector a_target = a_in_;
  double step = 1;
  for (int halvings = 0; halvings < 30 && fell(); ++halvings) {
    step *= 0.5;
    rows_in_.omega = (1 - step) * previous_rows_.omega + step * target_.omega;
    rows_in_.r = (1 - step) * previous_rows_.r + step * target_.r;
    a_in_ = (1 - step) * previous_a_ + step * a_target;
    if (!solve_inside()) return false;
    update_likelihood();
    bound_ = evaluate_bound(likelihood_, prior_, q_);
  }
  return true;
}

// Not even a plain sweep rises: the bound is known no better than this. The posterior before it is the better one.
bool Sweep::return_to_previous() {
  fall_ = last_bound_ - bound_;
  prior_.set_expected(previous_expected_);
  rows_in_ = previous_rows_;
  a_in_ = previous_a_;
  if (!solve_inside()) return false;
  update_likelihood();
  bound_ = last_bound_;
  return true;
}

void Sweep::leave_single_precision() {
  if (!single_) return;
  single_ = false;
  just_left_ = true;  // the bound to compare with was rounded in single precision
  static_cast<void>(solver_.set_products(Products::double_precision));
}

double Sweep::slack() const {
  // Relative rounding of the bound when the products are single: V enters at second order, s_n at first, with 1e-7 of each, at random.
  constexpr double single_rounding = 1e-8;  // (MP.2)
  return (single_ || just_left_ ? single_rounding : 1e-11) * (std::abs(bound_) + settings_.num_rows);
}

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
        case StopRule::never: stop_after_all_sweeps(); break;
      }
    }
  }
  if (out_.status == Status::failed && out_.sweeps >= settings_.max_sweeps) {
    end(Status::max_sweeps,
        fmt::format("not converged after {} {}: the last one raised the bound by {:.3g} nats (more are allowed by max_sweeps)", out_.sweeps,
                    sweeps_word(), bound_ - last_bound_));
  }
  return out_.status != Status::failed;
}

void Sweep::stop_as_published() {
  const double change = bound_ - last_bound_, scale = std::abs(bound_ - published_constant_);
  if (settings_.compat && change < 0) {
    const bool linear = settings_.order == EvaluateAfter::prior;
    end(linear ? Status::bound_fell : (out_.sweeps == 1 ? Status::false_stop : Status::converged),
        linear
            ? fmt::format("sweep {}: the bound fell by {:.3g} nats, where the published program ends with an error", out_.sweeps, -change)
        : out_.sweeps == 1
            ? std::string(
                  "stopped after 1 sweep as the published program does, because the value it starts from is not a bound; without compat "
                  "the fit goes on")
            : fmt::format("stopped at sweep {} as the published program does, because rounding lowered the bound by {:.3g} nats",
                          out_.sweeps, -change));
    return;
  }
  if (!settings_.compat && fell()) {
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
    const bool rounding = fall_ <= 1e-6 * (1 + std::abs(bound_));
    end(rounding ? Status::converged : Status::bound_fell,
        rounding ? fmt::format("converged after {} {} as far as rounding allows: the next would have lowered the bound by {:.2g} nats",
                               out_.sweeps, sweeps_word(), fall_)
                 : fmt::format("sweep {}: the next sweep would have lowered the bound by {:.3g} nats, more than rounding explains",
                               out_.sweeps, fall_));
    return;
  }
  const double gain = std::max(bound_ - last_bound_, 0.0), allowed = settings_.tolerance * settings_.num_rows;
  double remaining = std::max(promised_gain(), gain);
  if (single_) {
    if (remaining <= std::max(allowed, 30 * slack())) leave_single_precision();
    last_gain_ = gain;
    return;
  }
  if (gain > slack() && gain > 0.01 * allowed)  // smaller gains are at the end of any series that matters
    remaining = std::max(remaining, gain < last_gain_ ? gain * gain / (last_gain_ - gain) : infinity);
  last_gain_ = gain;
  // Below the rounding of the bound itself there is nothing left to wait for.
  num_quiet_ = remaining <= std::max(allowed, slack()) ? num_quiet_ + 1 : 0;
  if (num_quiet_ < 2) return;
  end(Status::converged,
      fmt::format("converged after {} {}: the predicted remaining gain in the bound is {:.2g} nats ({} {:.2g})", out_.sweeps, sweeps_word(),
                  remaining, allowed >= slack() ? "allowed:" : "the bound's rounding:", std::max(allowed, slack())));
}

// The precisions and the rows stand still, and no column outside would raise the bound. Columns that are on their way to infinity and of
// which next to nothing is left are taken at their word.                                                                       (SLR.3)
void Sweep::stop_at_standstill() {
  const double allowed = settings_.tolerance * settings_.num_rows;
  num_quiet_ = promised_ <= allowed && !active_.will_change() ? num_quiet_ + 1 : 0;
  if (num_quiet_ < 2) return;
  if (settings_.pruning.is_on()) {
    active_.prune_runaways(q_, likelihood_.noise_precision(), expected_in_, out_.sweeps);
    if (settings_.pruning.readmit_every > 0 && !active_.will_change()) static_cast<void>(readmit(20));
    if (active_.will_change()) {
      num_quiet_ = 0;
      return;
    }
  }
  end(Status::converged,
      fmt::format("converged after {} sweeps: the next steps of precisions and rows promise {:.2g} nats (allowed: {:.2g}){}", out_.sweeps,
                  promised_, allowed, settings_.pruning.readmit_every > 0 ? ", and no column outside would raise the bound" : ""));
}

void Sweep::stop_after_all_sweeps() {
  if (out_.sweeps < settings_.max_sweeps) return;
  const double allowed = settings_.tolerance * settings_.num_rows;
  const bool quiet = promised_ <= allowed && !active_.will_change();
  end(quiet ? Status::converged : Status::max_sweeps,
      fmt::format("{} sweeps as asked, as the published program, which has no test of convergence; the next would promise {:.2g} "
                  "nats ({} {:.2g})",
                  out_.sweeps, promised_, quiet ? "converged: allowed are" : "not converged: allowed are", allowed));
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

}  // namespace

SweepOutcome sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings) {
  return Sweep(likelihood, prior, solver, q, settings).run();
}

}  // namespace ardvark
