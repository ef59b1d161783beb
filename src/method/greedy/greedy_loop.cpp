// The loop, and the effects of an action.                                                     docs/math/greedy.md
#include "method/greedy/greedy_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ardvark::internal {

Greedy::Greedy(Design& basis, const Vector& target, const GreedySettings& settings)
    : design_(basis),
      settings_(settings),
      model_(target, settings),
      pool_(num_threads_),
      length_(Vector::Zero(basis.cols())),
      standing_(static_cast<std::size_t>(basis.cols())),
      is_charged_(settings.cost_at_once || settings.column_cost == 0) {
  model_.set_lengths(&length_);
}

GreedyOutcome Greedy::run() {
  if (design_is_kept()) pool_.load_range(design_, 0, design_.cols(), length_);
  if (start() && ascend() && !is_charged_) {
    charge();
    ascend();
  }
  finish();
  return std::move(out_);
}

void Greedy::charge() {
  if (is_charged_) return;
  is_charged_ = true;
  model_.charge(settings_.column_cost);
  for (Index j : exhausted_) standing(j).exhausted = false;
  exhausted_.clear();
}

bool Greedy::ascend() { return design_is_kept() ? improve() : cycle(); }

// Passes over all columns until one gains too little: neighbouring centres could replace each other for a long time for almost no gain.
bool Greedy::cycle() {
  double before = -ColumnGain::infinity;
  for (double least = 0; model_.objective() > before + least;) {
    before = model_.objective();
    least = std::max(settings_.tolerance, 1e-6 * std::abs(before));
    if (!screen()) return true;
    if (!improve()) return false;
  }
  return true;
}

bool Greedy::start() {
  for (Index id : settings_.free_columns)
    if (!begin_with(id, settings_.free_precision, true))
      notes_ += fmt::format("; free column {} is a combination of the free columns before it and was left out", id);
  model_.end_free();
  for (std::size_t i = 0; i < settings_.start_columns.size(); ++i)
    static_cast<void>(begin_with(settings_.start_columns[i], settings_.start_precision[static_cast<Index>(i)], false));
  if (model_.solve() && model_.settle_rows(100)) return true;
  out_.status = Status::not_positive_definite;
  out_.message = "the free columns alone do not give a positive definite system";
  return false;
}

// False: the column is a combination of the columns of the model. A column of length 0 is skipped.
bool Greedy::begin_with(Index id, double precision, bool is_free) {
  Matrix column(design_.rows(), 1);
  design_.columns(id, 1, column);
  const double length = column.norm();
  length_[id] = length;
  if (!(length > 0)) return true;
  column /= length;
  const LeftOut x = model_.candidate(column.col(0));
  if (!(x.s > 1e-10 * column.col(0).cwiseAbs2().dot(model_.state().omega))) return false;
  RankOne change;
  model_.begin();
  model_.add(id, column.col(0), is_free ? precision : precision / (length * length), change);
  standing(id).in_model = true;
  return true;
}

bool Greedy::improve() {
  refresh_all();
  while (!stopped_) {
    if (actions() >= settings_.max_actions) {
      stopped_ = true;
      out_.status = Status::max_sweeps;
      break;
    }
    if (4 * model_.size() > design_.rows()) charge();  // so many columns would fit the noise
    Action action = model_.is_gaussian() ? best_action() : best_lazily();
    if (!action) {
      if (++num_settled_ <= settings_.max_actions && settle()) continue;
      if (settings_.exchange) action = best_exchange();
      if (!action && settings_.exchange && look_ahead()) continue;
      if (!action) break;
    }
    if (action.kind == Kind::reestimate && !model_.is_gaussian() && reestimate_together()) continue;
    take(action);
  }
  if (!stopped_) out_.status = Status::converged;
  return !stopped_;
}

bool Greedy::settle() {
  const double before = model_.objective();
  bool moved = false;
  for (int round = 0; round < 20; ++round) {
    const double here = model_.objective();
    if (model_.is_gaussian()) {
      const double step = std::abs(model_.update_noise());
      moved = moved || step > 0;
      if (!(step > 1e-6)) break;
    } else if (settings_.likelihood == GreedyLikelihood::logistic_bound) {
      model_.begin();
      if (!model_.settle_rows(5) || model_.objective() < here) {
        model_.undo();
        break;
      }
    } else {
      break;
    }
    if (!(model_.objective() > here + 0.01 * settings_.tolerance)) break;
    moved = true;
  }
  if (moved) refresh();
  return moved && model_.objective() > before + settings_.tolerance;
}

void Greedy::refresh() {
  if (!model_.is_gaussian()) return refresh_all();
  fresh_ = Fresh::none;
  pool_.rescale(model_);
}

void Greedy::refresh_all(bool beyond_near) {
  if (beyond_near)
    pool_.refresh_rest(model_);
  else
    pool_.refresh(model_);
  fresh_ = Fresh::all;
  if (!model_.is_gaussian()) narrow();
}

// The precisions depend on each other more than on the rows: they are re-estimated in closed form, and then the rows are updated once.
bool Greedy::reestimate_together() {
  if (together_failed_ || model_.size() < 2) return false;
  const double before = model_.objective();
  std::vector<bool> moved(static_cast<std::size_t>(model_.size()));
  RankOne change;
  model_.begin();
  for (int round = 0; round < 10; ++round) {
    double most = 0;
    for (Index i = 0; i < model_.size(); ++i) {
      if (model_.is_free(i)) continue;
      const Action action = best_inside(i);
      if (action.kind != Kind::reestimate) continue;
      most = std::max(most, std::abs(std::log(action.precision / model_.state().alpha[i])));
      model_.reestimate(i, action.precision, change);
      moved[static_cast<std::size_t>(i)] = true;
    }
    if (!(most > 1e-3)) break;
  }
  if (!model_.solve() || !model_.settle_rows(3) || !(model_.objective() > before + settings_.tolerance)) {
    model_.undo();
    together_failed_ = true;
    return false;
  }
  out_.num_reestimated += static_cast<int>(std::count(moved.begin(), moved.end(), true));
  fresh_ = Fresh::none;
  record();
  return true;
}

// If the evidence, computed anew, does not rise, the action is tried in smaller steps and then undone.
void Greedy::take(const Action& action) {
  if ((action.kind == Kind::add || action.kind == Kind::exchange) && !admissible(action)) return;
  const double before = model_.objective(), old = action.position >= 0 ? model_.state().alpha[action.position] : 0.0;
  const Index id = action.row >= 0 ? pool_.id(action.row) : at(model_.state().columns, action.position);
  const Index replaced = action.position >= 0 ? at(model_.state().columns, action.position) : -1;
  for (int attempt = 0; attempt < 4; ++attempt) {
    double a = action.precision;
    if (action.kind == Kind::reestimate) a = old * std::pow(a / old, std::pow(0.5, attempt));
    if (action.kind == Kind::add || action.kind == Kind::exchange) a *= std::pow(4.0, attempt);
    model_.begin();
    RankOne change;
    if (apply(action, id, a, change) && model_.objective() > before + 1e-4 * settings_.tolerance) {
      accept(action, id, replaced, change);
      return;
    }
    model_.undo();
    if (action.kind == Kind::remove) break;
  }
  ++out_.num_refused;
  exhaust(id);
  if (model_.is_gaussian() && fresh_ != Fresh::all) refresh_all();  // the gain was rounding; this makes the next gains exact
}

// Computes the candidate's S and Q anew, and checks its angles with the columns of the model.
bool Greedy::admissible(const Action& action) {
  const Index id = pool_.id(action.row);
  const Vector column = pool_.column(action.row);
  const Index k = model_.size();
  if (k > 0) {
    const Vector cosine = (model_.Phi().transpose() * column).cwiseAbs();
    for (Index i = 0; i < k; ++i)
      if (cosine[i] > settings_.alignment && !(action.kind == Kind::exchange && i == action.position)) {
        // Similar to two columns of the model: an exchange with one of them does not help.
        if (action.kind == Kind::exchange || standing(id).aligned_with >= 0) exhaust(id);
        standing(id).aligned_with = at(model_.state().columns, i);
        return false;
      }
  }
  if (action.kind == Kind::exchange) return true;
  pool_.set(action.row, model_.candidate(column));
  return addition_of(action.row).gain > 0.5 * action.gain;
}

// A column has left the model: columns that were refused because of it are allowed again.
void Greedy::release(Index id) {
  standing(id).in_model = false;
  for (Eligibility& s : standing_)
    if (s.aligned_with == id) s.aligned_with = -1;
}

void Greedy::exhaust(Index id) {
  standing(id).exhausted = true;
  exhausted_.push_back(id);
}

// First with fixed rows, then with updated rows.
bool Greedy::apply(const Action& action, Index id, double a, RankOne& change) {
  switch (action.kind) {
    case Kind::add: model_.add(id, pool_.column(action.row), a, change); break;
    case Kind::reestimate: model_.reestimate(action.position, a, change); break;
    case Kind::remove: model_.remove(action.position, change); break;
    case Kind::exchange: model_.exchange(action.position, id, pool_.column(action.row), a); break;
    case Kind::none: return false;
  }
  const bool afresh = model_.size() <= 16 || action.kind == Kind::exchange || since_factor_ + 1 >= settings_.refactor_every;
  if (!model_.is_gaussian() || afresh) {
    if (!model_.solve()) return false;
  } else {
    model_.update_evidence();
  }
  return model_.settle_rows(3);
}

// Prompt: after each addition and deletion and every five re-estimations. Patient: every noise_every actions.               (GREEDY.8)
bool Greedy::noise_is_due(bool structural) const {
  if (!model_.is_gaussian() || settings_.fixed_noise) return false;
  if (settings_.noise_every > 0) return actions() % settings_.noise_every == 0;
  return structural || out_.num_reestimated % 5 == 0;
}

void Greedy::accept(const Action& action, Index id, Index replaced, const RankOne& change) {
  const bool structural = action.kind != Kind::reestimate;
  switch (action.kind) {
    case Kind::add: ++out_.num_added; break;
    case Kind::reestimate: ++out_.num_reestimated; break;
    case Kind::remove: ++out_.num_deleted; break;
    case Kind::exchange: ++out_.num_exchanged; break;
    case Kind::none: break;
  }
  if (action.kind == Kind::remove || action.kind == Kind::exchange) release(replaced);
  if (action.kind == Kind::add || action.kind == Kind::exchange) standing(id).in_model = true;
  if (structural) together_failed_ = false;
  if (structural || action.gain > 1e-3) {
    for (Index j : exhausted_) standing(j).exhausted = false;
    exhausted_.clear();
  }
  update_pool(action, change);
  if (noise_is_due(structural) && model_.update_noise() != 0) pool_.rescale(model_);
  record();
}

void Greedy::update_pool(const Action& action, const RankOne& change) {
  fresh_ = Fresh::none;
  ++since_factor_;
  if (!model_.is_gaussian()) return;
  if (action.kind == Kind::exchange) return pool_.replace(action.position, model_);
  switch (action.kind) {
    case Kind::add: pool_.add(model_, change); break;
    case Kind::reestimate: pool_.reestimate(change); break;
    case Kind::remove: pool_.remove(action.position, change); break;
    default: break;
  }
  if (since_factor_ >= settings_.refactor_every) {
    pool_.rescale(model_);
    since_factor_ = 0;
  }
}

void Greedy::record() {
  out_.evidence_trace.push_back(model_.objective());
  if (settings_.on_action && !settings_.on_action(actions(), model_.objective())) {
    stopped_ = true;
    out_.status = Status::stopped_by_user;
  }
}

const char* Greedy::words() const {
  switch (out_.status) {
    case Status::converged: return "no action gains more than the tolerance";
    case Status::stopped_by_user: return "stopped by the caller";
    default: return "the limit of actions was reached";
  }
}

void Greedy::finish() {
  static_cast<void>(model_.solve());
  const auto& now = model_.state();
  const Index k = model_.size();
  std::vector<Index> order(static_cast<std::size_t>(k));
  for (Index i = 0; i < k; ++i) order[static_cast<std::size_t>(i)] = i;
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return at(now.columns, i) < at(now.columns, j); });
  out_.w.resize(k);
  out_.alpha.resize(k);
  out_.well_determined.resize(k);
  out_.V.resize(k, k);
  for (Index a = 0; a < k; ++a) {
    const Index i = at(order, a), id = at(now.columns, i);
    out_.columns.push_back(id);
    out_.w[a] = now.w[i] / length_[id];
    out_.alpha[a] = now.alpha[i] * length_[id] * length_[id];
    out_.well_determined[a] = 1 - now.alpha[i] * now.V(i, i);
    for (Index b = 0; b < k; ++b) {
      const Index j = at(order, b);
      out_.V(a, b) = now.V(i, j) / (length_[id] * length_[at(now.columns, j)]);
    }
  }
  out_.m = now.m;
  out_.noise_precision = model_.is_gaussian() ? now.tau : 1.0;
  out_.log_evidence = now.evidence;
  out_.objective = model_.objective();
  if (!out_.evidence_trace.empty()) out_.evidence_trace.back() = out_.objective;  // with the noise, and the equations, as they end
  if (out_.message.empty()) out_.message = fmt::format("{} after {} actions with {} of {} columns", words(), actions(), k, design_.cols());
  if (k == 0) out_.message += "; no column improves on the model without columns";
  out_.message += notes_;
}

}  // namespace ardvark::internal
