// The rounds that undo steps that are too long: prior -> solve -> likelihood, and solve -> likelihood -> prior. docs/math/optimum.md
#include <cmath>

#include "method/sweep/precision_blocks.hpp"
#include "method/sweep/sweep_loop.hpp"

namespace ardvark::internal {

// The round is a map of (ln E[alpha], state of the likelihood) to itself. It is extrapolated (OPT.7), or the precisions are updated in
// blocks (BLOCK.1). Steps that lower the bound are undone.
bool Sweep::guarded_round() {
  const bool plain =
      !settings_.accelerate || out_.sweeps < settings_.num_plain_sweeps || prior_.partition().num_groups() + likelihood_.state_size() == 0;
  const bool climbs = settings_.blocks != nullptr && !plain, extrapolates = !plain && !climbs;
  // Only after the sweeps have chosen their maximum: earlier, the few columns end 2 nats lower on average.          (OPT, warning i)
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
    out_.status = Status::failed;  // if the extrapolated system cannot be factorised, the step was too long
    ++out_.num_rejected;
    if (extrapolates) take_back();
    if (!solved) leave_single_precision();
    if (!attempt(fallback_)) return false;
  }
  if (single_ && fell()) {  // only double precision shows whether this is rounding
    leave_single_precision();
    if (!attempt(fallback_)) return false;
  }
  if (damped_ && !search_along_step(last_bound_ - slack())) return false;
  return !fell() || return_to_previous();
}

// Columns may leave, and the rule for the precisions need not raise the bound. But with the same precisions, the new posterior must not
// have a lower bound than the old one.
bool Sweep::open_round() {
  const Index before = q_.w.size();
  if (!change_columns()) return false;
  const bool changed = q_.w.size() != before, guards = damped_ && out_.sweeps > 0;
  double least = -infinity;
  if (guards) {
    previous_rows_ = rows_in_;
    previous_a_ = changed ? prior_.columns() : a_in_;
    // Columns that leave change the bound by almost nothing.
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

// The fallback of an accelerated round: the step of VB; or the settled groups at their values, and the others unchanged.
void Sweep::take_back() {
  if (!settled_.groups.empty()) fallback_ = previous_expected_;
  for (std::size_t i = 0; i < settled_.groups.size(); ++i) fallback_[settled_.groups[i]] = settled_.expected[static_cast<Index>(i)];
  extrapolation_.take_back(likelihood_, target_);
}

// From the natural parameters of the last q towards those of the full step, the bound rises if the step is short enough. (VG.1, damped)
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

// Not even a plain sweep raises the bound: it is not known more exactly than this. Returns to the posterior before, which is better.
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

double Sweep::slack(double bound) const {
  // Relative rounding of the bound with products in single precision: V enters at second order, s_n at first, each with random errors of
  // 1e-7.
  constexpr double single_rounding = 1e-8;  // (MP.2)
  return (single_ || just_left_ ? single_rounding : 1e-11) * (std::abs(bound) + settings_.num_rows);
}

}  // namespace ardvark::internal
