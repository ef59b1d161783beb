// The rounds that accept no step too far: prior -> solve -> likelihood, and solve -> likelihood -> prior.       docs/math/optimum.md
#include <cmath>

#include "method/sweep/precision_blocks.hpp"
#include "method/sweep/sweep_loop.hpp"

namespace ardvark::internal {

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
  if (damped_ && !search_along_step(last_bound_ - slack())) return false;
  return !fell() || return_to_previous();
}

// Columns may leave, and the precisions' rule need not raise the bound: what the new posterior may not do is to lie below the old one under
// the same precisions.
bool Sweep::open_round() {
  const Index before = q_.w.size();
  if (!change_columns()) return false;
  const bool changed = q_.w.size() != before, guards = damped_ && out_.sweeps > 0;
  double least = -infinity;
  if (guards) {
    previous_rows_ = rows_in_;
    previous_a_ = changed ? prior_.columns() : a_in_;
    // What columns that leave take along is next to nothing.
    least = changed ? last_bound_ - 1e-3 * settings_.num_rows : evaluate_bound(likelihood_, prior_, q_) - slack();
  }
  remember_state();
  if (!solve()) return false;
  update_likelihood();
  bound_ = evaluate_bound(likelihood_, prior_, q_);
  if (guards) {
    target_ = rows_in_;
    if (!search_along_step(least)) return false;
  }
  promised_ = promised_gain();
  update_prior();
  if (settings_.pruning.is_on()) book_.active.prune(settings_.pruning.threshold, out_.sweeps + 1);
  return true;
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
bool Sweep::search_along_step(double least) {
  if (bound_ >= least) return true;
  ++out_.num_damped;
  extrapolation_.forget();
  const Vector a_target = a_in_;
  double step = 1;
  for (int halvings = 0; halvings < 30 && !(bound_ >= least); ++halvings) {
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

}  // namespace ardvark::internal
