// The one loop of every sweep model.                                                   docs/math/bound.md, docs/math/optimum.md
#include "engine/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/special.hpp"
#include "design/dense.hpp"
#include "engine/active_set.hpp"
#include "engine/anderson.hpp"
#include "engine/coordinate/precision_blocks.hpp"

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
  Sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings)
      : likelihood_(likelihood),
        prior_(prior),
        solver_(solver),
        q_(q),
        settings_(settings),
        damped_(likelihood.traits().damped),
        to_mode_(likelihood.traits().to_mode),
        polishes_(settings.polish && likelihood.traits().row_moments && !to_mode_ && (damped_ || settings.accelerate)),
        active_(prior),
        anderson_(prior.partition().num_groups() + likelihood.state_size(), 6) {}

  SweepOutcome run() {
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

 private:
  [[nodiscard]] const char* sweeps_word() const { return out_.sweeps == 1 ? "sweep" : "sweeps"; }

  // ---- the round ------------------------------------------------------------------------------------------------------------------

  bool solve() {
    rows_in_ = rows_;
    a_in_ = prior_.columns();
    expected_in_ = prior_.expected();
    return solve_inside();
  }
  // V, w from rows_in_ and a_in_: the pair that q was built from.
  bool solve_inside() {
    if (to_mode_ ? solve_to_mode() : solve_once()) return true;
    out_.status = Status::not_positive_definite;
    out_.message = fmt::format("sweep {}: the linear system is not positive definite (columns that are flat or nearly so may be collinear)",
                               out_.sweeps + 1);
    return false;
  }
  bool solve_once() {
    q_.total_weight = rows_in_.omega.sum();
    return solver_.solve(rows_in_, a_in_, q_);
  }

  // Newton's method from where q is, precisions held: each solve gives the end of a step, and V is the inverse Hessian at its beginning.
  // A step is halved while it lowers the penalised log likelihood. Near the mode: one solve.                                      (LAP.2)
  bool solve_to_mode() {
    likelihood_.update(q_, rows_in_);
    // While the precisions still move, so may the mode.
    const bool exact = settings_.stop == StopRule::never;
    const double enough =
        exact ? settings_.mode_tolerance : std::max(settings_.mode_tolerance, 1e-6 * std::min(promised_ * promised_, 1.0));
    double last_length = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 200; ++step) {
      const double value = penalised_likelihood();
      w_before_ = q_.w;
      m_before_ = q_.m;
      if (!solver_.solve_mean(rows_in_, a_in_, q_)) return false;
      newton_w_ = q_.w;
      newton_m_ = q_.m;
      const double length = a_in_.dot((newton_w_ - w_before_).cwiseAbs2()) + rows_in_.omega.dot((newton_m_ - m_before_).cwiseAbs2());
      const bool rounding = length < 1e-8 && length > 0.25 * last_length;
      if (!(length > enough) || rounding) {
        q_.total_weight = rows_in_.omega.sum();
        return std::isfinite(length) && solver_.complete(rows_in_, a_in_, q_);
      }
      last_length = length;
      likelihood_.update(q_, rows_in_);
      // Columns that have just left or come back: m_before is not of w_before, and there is nothing to compare with.
      for (double part = 0.5; !moved_ && part > 1e-9 && !(penalised_likelihood() >= value - 1e-14 * (std::abs(value) + 1)); part *= 0.5) {
        q_.w = w_before_ + part * (newton_w_ - w_before_);
        q_.m = m_before_ + part * (newton_m_ - m_before_);
        likelihood_.update(q_, rows_in_);
      }
      moved_ = false;
    }
    return solve_once();
  }
  [[nodiscard]] double penalised_likelihood() const { return likelihood_.log_likelihood() - 0.5 * a_in_.dot(q_.w.cwiseAbs2()); }

  void update_likelihood() {
    likelihood_.update(q_, rows_);
    // Under the Jaakkola-Jordan bound only while sweeps gain: the last ones are the extrapolated ones alone, which know where they end.
    if (polishes_ && (damped_ || last_gain_ > 1e-8 * settings_.num_rows)) polish();
  }

  // Newton steps of the mean alone, V held, each for the price of two products with a vector: w <- w + V (X'(r - omega m) - A w), with the
  // rows of the last update. The mean follows the rows at once instead of a sweep later.                            (VG.4), (OPT.8)
  void polish() {
    double L = evaluate_bound(likelihood_, prior_, q_);
    for (int step = 0; step < 4; ++step) {
      w_before_ = q_.w;
      m_before_ = q_.m;
      response_ = rows_.r + (rows_in_.omega - rows_.omega).cwiseProduct(q_.m);
      const bool took = solver_.respond(response_, a_in_, q_);
      if (took) likelihood_.update(q_, rows_);
      const double L_new = took ? evaluate_bound(likelihood_, prior_, q_) : -std::numeric_limits<double>::infinity();
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
  void update_prior() {
    prior_.update(q_, likelihood_.noise_precision(), next_);
    // MacKay's 1 - a V of a column that the data say nothing of is 0 but for rounding, and its sign is rounding's.
    for (Index g = 0; g < next_.size(); ++g)
      if (!(next_[g] > 0)) next_[g] = settings_.pruning.is_on() ? std::numeric_limits<double>::infinity() : prior_.expected()[g];
    prior_.set_expected(next_);
  }

  bool start() {
    started_ = std::chrono::steady_clock::now();
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

  bool advance() {
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

  // ---- columns that leave and come back -----------------------------------------------------------------------------------------------

  // Prior, solver and posterior for the columns that are there from now on. False if there are none.
  bool change_columns() {
    look_outside();
    if (!active_.will_change()) return true;
    if (!active_.apply(q_.w)) {
      out_.status = Status::converged;
      out_.message = fmt::format("no column is left after {} sweeps", out_.sweeps);
      return false;
    }
    if (!solver_.restrict_to(active_.columns())) throw InternalError("this solver cannot let columns go");
    q_.V_diagonal = Vector::Zero(q_.w.size());
    q_.group_square = q_.group_variance = Vector::Zero(prior_.partition().num_groups());
    moved_ = true;
    return true;
  }

  // Not while the precisions are far from settled: what is missed then is asked back later. A look that finds nothing doubles the time to
  // the next.
  void look_outside() {
    const int every = settings_.pruning.readmit_every;
    if (every == 0 || out_.sweeps < std::max(next_look_, every) || !(promised_ < 1e-3 * settings_.num_rows)) return;
    look_interval_ = readmit(3) ? every : std::max(2 * look_interval_, every);
    next_look_ = out_.sweeps + look_interval_;
  }

  // The column outside that would raise the bound most, all else fixed, comes back at its best precision.             (OPT.2), (OPT.5)
  bool readmit(int most) {
    std::vector<Index> outside;
    for (Index j = 0; j < active_.all().num_columns(); ++j)
      if (active_.may_return(j, most)) outside.push_back(j);
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

  // The published logistic programs compare their first bound with a number that is not one: V from the old E[alpha], q(alpha) already new.
  double published_start() {
    const Vector old = prior_.expected();
    update_prior();
    const Vector quadratic = q_.group_square + q_.group_variance;
    return evaluate_bound(likelihood_, prior_, q_) + 0.5 * (prior_.expected() - old).dot(quadratic);
  }

  // ---- the guarded round: prior -> solve -> likelihood, never accepting a bound that fell ---------------------------------------------

  // The round as a map of (ln E[alpha], the likelihood's state) to itself. Anderson extrapolates it, or the precisions climb in blocks;
  // what lowers the bound is taken back.
  bool guarded_round() {
    const Index state = likelihood_.state_size(), groups = prior_.partition().num_groups();
    const bool plain = !settings_.accelerate || out_.sweeps < settings_.num_plain_sweeps || groups + state == 0;
    const bool climbs = settings_.blocks != nullptr && !plain, extrapolates = !plain && !climbs;
    // Not before the sweeps have chosen their maximum: settled too early, the few end 2 nats lower on average.        (OPT, warning i)
    const bool late = last_gain_ < 0.01 * settings_.num_rows;
    previous_rows_ = rows_in_;
    previous_a_ = a_in_;
    previous_expected_ = prior_.expected();
    prior_.vb(q_, likelihood_.noise_precision(), fallback_);
    target_ = rows_;
    next_ = fallback_;
    settled_.clear();
    if (climbs) {
      const double enough = 0.1 * settings_.tolerance * settings_.num_rows;
      settings_.blocks->climb(solver_, rows_in_, prior_, q_, likelihood_.noise(), {enough, late}, next_);
    }
    if (extrapolates) {
      if (settings_.condense && late) settle();
      extrapolate(groups, state);
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

  // The fallback of an accelerated round: VB's own step, or the groups that were settled, the others where they were.
  void take_back() {
    const Index state = likelihood_.state_size();
    if (!settled_.empty()) fallback_ = previous_expected_;
    for (std::size_t i = 0; i < settled_.size(); ++i) fallback_[settled_[i]] = settled_expected_[static_cast<Index>(i)];
    anderson_.forget();
    input_ = output_;
    likelihood_.set_state(output_.tail(state), target_);
  }

  // The groups that the data have a say in are taken to their own optimum, all other precisions held: the same problem in few columns.
  void settle() {
    prior_.well_determined(q_, step_);
    step_.array() /= prior_.size().array();
    for (Index g = 0; g < step_.size(); ++g)
      if (step_[g] > 0.02) settled_.push_back(g);
    const Index most = q_.m.size();
    if (static_cast<Index>(settled_.size()) > most) {
      std::nth_element(settled_.begin(), settled_.begin() + most, settled_.end(), [&](Index g, Index h) { return step_[g] > step_[h]; });
      settled_.resize(static_cast<std::size_t>(most));
    }
    std::vector<Index> columns;
    PrecisionPrior prior = prior_.subset(settled_, columns);
    const Index k = static_cast<Index>(columns.size());
    Matrix X;
    Vector y;
    std::unique_ptr<Likelihood> likelihood;
    if (settled_.empty() || !solver_.condense(rows_in_, columns, X, y) || !(likelihood = likelihood_.with_response(y))) {
      settled_.clear();
      return;
    }
    DenseDesign design(X, {});
    std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood->traits()});
    Posterior q;
    q.w = q.V_diagonal = Vector::Zero(k);
    q.m = Vector::Zero(y.size());
    q.group_square = q.group_variance = Vector::Zero(static_cast<Index>(settled_.size()));
    SweepSettings settings = settings_;
    settings.condense = false;
    settings.on_sweep = nullptr;
    settings.num_plain_sweeps = 0;
    settings.max_sweeps = 40;
    settings.tolerance = std::max(0.1 * settings_.tolerance, 0.05 * last_gain_ / settings_.num_rows);
    static_cast<void>(sweep(*likelihood, prior, *solver, q, settings));
    settled_expected_ = prior.expected();
  }

  // Stopped on the way, by max_sweeps or the caller: what is reported is double all the same.
  void end_in_double() {
    leave_single_precision();
    if (!solve_inside()) return;
    likelihood_.update(q_, rows_);
    out_.bound = evaluate_bound(likelihood_, prior_, q_);
    out_.bound_history.back() = out_.bound;
  }

  void leave_single_precision() {
    if (!single_) return;
    single_ = false;
    just_left_ = true;  // the bound to compare with was rounded in single precision
    static_cast<void>(solver_.set_products(Products::double_precision));
  }

  // Not even a plain sweep rises: the bound is known no better than this. The posterior before it is the better one.
  bool return_to_previous() {
    fall_ = last_bound_ - bound_;
    prior_.set_expected(previous_expected_);
    rows_in_ = previous_rows_;
    a_in_ = previous_a_;
    if (!solve_inside()) return false;
    update_likelihood();
    bound_ = last_bound_;
    return true;
  }

  void extrapolate(Index groups, Index state) {
    const bool first = input_.size() == 0;
    output_.resize(groups + state);
    weight_.resize(groups + state);
    if (groups > 0) {
      if (settings_.bold_steps)
        prior_.coordinate(q_, likelihood_.noise_precision(), step_);
      else
        prior_.mackay(q_, likelihood_.noise_precision(), step_);
      for (std::size_t i = 0; i < settled_.size(); ++i) step_[settled_[i]] = settled_expected_[static_cast<Index>(i)];
      output_.head(groups) = step_.array().log();
      prior_.well_determined(q_, step_);
      weight_.head(groups) = 0.5 * step_.array() + 1e-3;  // about the curvature in ln E[alpha]; the floor keeps irrelevant groups in sight
    }
    likelihood_.get_state(output_.tail(state), weight_.tail(state));
    if (first) {
      input_ = output_;
    } else {
      if (groups > 0) input_.head(groups) = prior_.expected().array().log();
      anderson_.extrapolate(input_, output_, weight_, extrapolated_);
      // A factor of e^4 a sweep is as far as a step is trusted.
      extrapolated_.head(groups) = input_.head(groups).array() + (extrapolated_ - input_).head(groups).array().max(-4.0).min(4.0);
      input_ = extrapolated_.allFinite() ? extrapolated_ : output_;
    }
    if (groups > 0) next_ = input_.head(groups).array().exp();
    likelihood_.set_state(input_.tail(state), target_);
  }

  // q, the likelihood and the bound from the rows in target_ and these precisions.
  bool attempt(const Vector& expected) {
    prior_.set_expected(expected);
    rows_in_ = target_;
    a_in_ = prior_.columns();
    remember_state();
    if (!solve_inside()) return false;
    update_likelihood();
    bound_ = evaluate_bound(likelihood_, prior_, q_);
    return true;
  }

  // The state that the rows in hand came from, for the stopping rule.
  void remember_state() {
    const Index state = likelihood_.state_size();
    if (state == 0) return;
    state_in_.resize(state);
    state_weight_.resize(state);
    likelihood_.get_state(state_in_, state_weight_);
  }

  // Between the natural parameters of the last q and of the full step the bound rises for a small enough step.  (VG.1, damped)
  bool search_along_step() {
    ++out_.num_damped;
    anderson_.forget();  // q no longer comes from the state that was remembered
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

  [[nodiscard]] double slack() const { return (single_ || just_left_ ? single_rounding : 1e-11) * (std::abs(bound_) + settings_.num_rows); }
  [[nodiscard]] bool fell() const { return !(bound_ >= last_bound_ - slack()); }

  // ---- stopping -------------------------------------------------------------------------------------------------------------------------

  void record() {
    ++out_.sweeps;
    if (single_) ++out_.num_single;
    just_left_ = false;
    active_.record(out_.sweeps);
    out_.bound = bound_;
    out_.bound_history.push_back(bound_);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    if (settings_.on_sweep && !settings_.on_sweep({out_.sweeps, bound_, elapsed})) {
      out_.status = Status::stopped_by_user;
      out_.message = fmt::format("stopped by the caller after {} {}; the bound was {:.6f}", out_.sweeps, sweeps_word(), bound_);
    }
  }

  bool done() {
    if (out_.status != Status::failed) return true;
    if (out_.sweeps > 0) {
      if (!std::isfinite(bound_)) {
        out_.status = Status::bound_fell;
        out_.message = fmt::format("sweep {}: the bound is not finite", out_.sweeps);
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
      out_.status = Status::max_sweeps;
      out_.message = fmt::format("not converged after {} {}: the last one raised the bound by {:.3g} nats (more are allowed by max_sweeps)",
                                 out_.sweeps, sweeps_word(), bound_ - last_bound_);
    }
    return out_.status != Status::failed;
  }

  void stop_as_published() {
    const double change = bound_ - last_bound_, scale = std::abs(bound_ - published_constant_);
    if (settings_.compat && change < 0) {
      const bool linear = settings_.order == EvaluateAfter::prior;
      out_.status = linear ? Status::bound_fell : (out_.sweeps == 1 ? Status::false_stop : Status::converged);
      out_.message =
          linear
              ? fmt::format("sweep {}: the bound fell by {:.3g} nats, where the published program ends with an error", out_.sweeps, -change)
          : out_.sweeps == 1
              ? std::string(
                    "stopped after 1 sweep as the published program does, because the value it starts from is not a bound; without compat "
                    "the fit goes on")
              : fmt::format("stopped at sweep {} as the published program does, because rounding lowered the bound by {:.3g} nats",
                            out_.sweeps, -change);
      return;
    }
    if (!settings_.compat && fell()) {
      out_.status = Status::bound_fell;
      out_.message = fmt::format("sweep {}: the bound fell by {:.3g} nats, more than rounding explains", out_.sweeps, -change);
      return;
    }
    if (std::abs(change) < settings_.tolerance * scale) {
      out_.status = Status::converged;
      out_.message =
          fmt::format("converged by the published rule after {} {}: the bound changed by {:.3g} nats, less than {:g} of its value",
                      out_.sweeps, sweeps_word(), std::abs(change), settings_.tolerance);
    }
  }

  // What remains is judged by three signs: the second-order gain that the map's own step promises (half of gradient times step for the
  // precisions, half of curvature times step squared for the likelihood's state), the last gain, and the tail of a geometric series
  // with the last two gains. One small value may be an accident of an extrapolation: two sweeps in a row must agree.             (OPT.1)
  void stop_on_remaining_gain() {
    if (fall_ > 0) {
      const bool rounding = fall_ <= 1e-6 * (1 + std::abs(bound_));
      out_.status = rounding ? Status::converged : Status::bound_fell;
      out_.message =
          rounding ? fmt::format("converged after {} {} as far as rounding allows: the next would have lowered the bound by {:.2g} nats",
                                 out_.sweeps, sweeps_word(), fall_)
                   : fmt::format("sweep {}: the next sweep would have lowered the bound by {:.3g} nats, more than rounding explains",
                                 out_.sweeps, fall_);
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
      remaining = std::max(remaining, gain < last_gain_ ? gain * gain / (last_gain_ - gain) : std::numeric_limits<double>::infinity());
    last_gain_ = gain;
    // Below the rounding of the bound itself there is nothing left to wait for.
    num_quiet_ = remaining <= std::max(allowed, slack()) ? num_quiet_ + 1 : 0;
    if (num_quiet_ < 2) return;
    out_.status = Status::converged;
    out_.message =
        fmt::format("converged after {} {}: the predicted remaining gain in the bound is {:.2g} nats ({} {:.2g})", out_.sweeps,
                    sweeps_word(), remaining, allowed >= slack() ? "allowed:" : "the bound's rounding:", std::max(allowed, slack()));
  }

  // The precisions and the rows stand still, and no column outside would raise the bound. Columns that are on their way to infinity and of
  // which next to nothing is left are taken at their word.                                                                       (SLR.3)
  void stop_at_standstill() {
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
    out_.status = Status::converged;
    out_.message =
        fmt::format("converged after {} sweeps: the next steps of precisions and rows promise {:.2g} nats (allowed: {:.2g}){}", out_.sweeps,
                    promised_, allowed, settings_.pruning.readmit_every > 0 ? ", and no column outside would raise the bound" : "");
  }

  void stop_after_all_sweeps() {
    if (out_.sweeps < settings_.max_sweeps) return;
    const double allowed = settings_.tolerance * settings_.num_rows;
    const bool quiet = promised_ <= allowed && !active_.will_change();
    out_.status = quiet ? Status::converged : Status::max_sweeps;
    out_.message = fmt::format(
        "{} sweeps as asked, as the published program, which has no test of convergence; the next would promise {:.2g} "
        "nats ({} {:.2g})",
        out_.sweeps, promised_, quiet ? "converged: allowed are" : "not converged: allowed are", allowed);
  }

  double promised_gain() {
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

  // Relative rounding of the bound when the products are single: V enters at second order, s_n at first, with 1e-7 of each, at random.
  static constexpr double single_rounding = 1e-8;  // (MP.2)

  Likelihood& likelihood_;
  PrecisionPrior& prior_;
  Solver& solver_;
  Posterior& q_;
  const SweepSettings& settings_;
  bool damped_, to_mode_, polishes_;
  ActiveSet active_;
  int look_interval_ = 0, next_look_ = 0;                      // sweeps
  bool moved_ = false;                                         // the columns have just changed
  double promised_ = std::numeric_limits<double>::infinity();  // by the next step of precisions and rows
  Vector newton_w_, newton_m_, expected_in_;
  Anderson anderson_;
  Rows rows_;                              // what the likelihood wants next
  Rows rows_in_, previous_rows_, target_;  // what q was built from; before that; being tried
  bool single_ = false, just_left_ = false;
  int num_quiet_ = 0;
  double fall_ = 0;  // what the last sweep would have lost, had it not been taken back
  Vector a_in_, previous_a_, previous_expected_, state_, state_in_, state_weight_;
  Vector next_, fallback_, step_, gradient_;
  Vector input_, output_, extrapolated_, weight_;  // of the round as a map: ln E[alpha] and the likelihood's state
  Vector w_before_, m_before_, response_;
  double bound_ = -std::numeric_limits<double>::infinity(), last_bound_ = bound_, last_gain_ = std::numeric_limits<double>::infinity();
  std::vector<Index> settled_;  // groups
  Vector settled_expected_;
  double published_constant_ = 0;
  std::chrono::steady_clock::time_point started_;
  SweepOutcome out_;
};

}  // namespace

SweepOutcome sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings) {
  return Sweep(likelihood, prior, solver, q, settings).run();
}

}  // namespace ardvark
