// The loop of all sweep models.                                                        docs/math/bound.md, docs/math/optimum.md
#include "method/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/special.hpp"
#include "method/sweep/sweep_loop.hpp"

namespace ardvark::internal {

SweepOutcome sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings) {
  return Sweep(likelihood, prior, solver, q, settings).run();
}

double evaluate_bound(const Likelihood& likelihood, const PrecisionPrior& prior, const Posterior& q) {
  const Partition& partition = prior.partition();
  const auto flat = static_cast<double>(partition.num_flat());
  if (prior.is_penalty()) return likelihood.log_likelihood() + prior.bound(q, 1);  // (L1.2)
  const double weights = 0.5 * q.log_det_V + 0.5 * static_cast<double>(partition.num_columns()) + 0.5 * flat * ln_2pi;
  return likelihood.bound(q) + prior.bound(q, likelihood.noise_precision()) + weights;  // (BOUND.1)
}

Sweep::Sweep(Likelihood& likelihood, PrecisionPrior& prior, Solver& solver, Posterior& q, const SweepSettings& settings)
    : likelihood_(likelihood),
      prior_(prior),
      solver_(solver),
      q_(q),
      settings_(settings),
      damped_(likelihood.traits().damped),
      to_mode_(likelihood.traits().to_mode),
      polishes_(settings.polish && likelihood.traits().row_moments && !to_mode_ && (damped_ || settings.accelerate)),
      book_(settings, prior, {"the bound", "precisions and rows", "column"}),
      mode_search_(likelihood, solver),
      extrapolation_(prior.partition().num_groups(), likelihood.state_size()) {}

SweepOutcome Sweep::run() {
  if (start())
    while (!done()) {
      if (!advance()) break;
      record();
    }
  if (single_ && out_.sweeps > 0) end_in_double();
  // The mean has changed since V was computed (OPT.8). The result must satisfy V^-1 w = X'r.                                  (RIDGE.2)
  if (polishes_ && !damped_ && out_.status != Status::not_positive_definite) static_cast<void>(solver_.respond(rows_in_.r, a_in_, q_));
  out_.a = a_in_;
  out_.rows = rows_in_;
  // The published programs return the precisions computed from the last posterior, a model returns those inside it.
  const bool later = settings_.order == EvaluateAfter::rows && settings_.stop != StopRule::never;
  if (later && expected_in_.size() == prior_.expected().size()) prior_.set_expected(expected_in_);
  out_.columns = book_.active.columns();
  book_.finish(!settings_.compat, out_);
  return std::move(out_);
}

bool Sweep::start() {
  likelihood_.start(rows_);
  single_ = settings_.single_precision && solver_.set_products(Products::single_precision);
  published_constant_ = likelihood_.published_constant() + prior_.published_constant();
  book_.begin();
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
    case EvaluateAfter::rows: return open_round();
    case EvaluateAfter::likelihood: return guarded_round();
  }
  return false;
}

void Sweep::record() {
  if (single_) ++out_.num_single;
  just_left_ = false;
  book_.record(bound_, watch_.seconds(), out_);
}

// If max_sweeps or the caller stops the fit early, the result is still in double precision.
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
      fmt::format("sweep {}: the linear system is not positive definite (columns without a prior, or with almost none, may be collinear)",
                  out_.sweeps + 1));
  return false;
}

bool Sweep::solve_once() {
  q_.total_weight = rows_in_.omega.sum();
  return solver_.solve(rows_in_, a_in_, q_);
}

// While the precisions still change, the mode need not be exact.                                                                (LAP.2)
double Sweep::mode_tolerance() const {
  const bool exact = settings_.stop == StopRule::never;
  return exact ? settings_.mode_tolerance : std::max(settings_.mode_tolerance, 1e-6 * std::min(promised_ * promised_, 1.0));
}

void Sweep::update_likelihood() {
  likelihood_.update(q_, rows_);
  // Under the Jaakkola-Jordan bound only while sweeps still gain. The last sweeps are only extrapolated, which predicts their limit.
  if (polishes_ && (damped_ || last_gain_ > 1e-8 * settings_.num_rows)) polish();
}

// Newton steps of the mean with fixed V, each for the cost of two products with a vector: w <- w + V (X'(r - omega m) - A w), with the rows
// of the last update. The mean follows the rows at once instead of one sweep later. Under a damped likelihood, the response that belongs to
// this mean is kept, so that the result satisfies (RIDGE.2).                                                        (VG.4), (OPT.8)
void Sweep::polish() {
  double L = evaluate_bound(likelihood_, prior_, q_);
  for (int step = 0; step < 4; ++step) {
    w_before_ = q_.w;
    m_before_ = q_.m;
    response_ = rows_.r + (rows_in_.omega - rows_.omega).cwiseProduct(q_.m);
    const bool took = solver_.respond(response_, a_in_, q_);
    if (took) likelihood_.update(q_, rows_);
    const double L_new = took ? evaluate_bound(likelihood_, prior_, q_) : -infinity;
    if (!(L_new >= L - slack(L))) {  // not concave here; a fall within rounding says nothing: the step is taken on every processor
      q_.w = w_before_;
      q_.m = m_before_;
      sum_by_group(prior_.partition(), a_in_, q_);
      likelihood_.update(q_, rows_);
      return;
    }
    if (damped_) rows_in_.r = response_;
    const double gain = L_new - L;
    L = L_new;
    if (gain < slack()) return;  // at the start, before any bound is known: after one step
  }
}

void Sweep::update_prior() {
  prior_.update(q_, likelihood_.noise_precision(), next_);
  // If the data have no information about a column, MacKay's 1 - a V is 0 up to rounding, with a random sign.
  for (Index g = 0; g < next_.size(); ++g)
    if (!(next_[g] > 0)) next_[g] = settings_.pruning.is_on() ? infinity : prior_.expected()[g];
  prior_.set_expected(next_);
}

// The published logistic programs compare their first bound with a number that is not a bound: V from the old E[alpha], but the new
// q(alpha).
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

}  // namespace ardvark::internal
