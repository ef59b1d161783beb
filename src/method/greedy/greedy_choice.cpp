// Which action is best.                                                          docs/math/greedy.md, (OPT.5)
#include <algorithm>
#include <cmath>

#include "method/greedy/greedy_loop.hpp"

namespace ardvark::internal {

Greedy::Action Greedy::best_action() {
  Action change, removal, addition;
  for (Index i = 0; i < model_.size(); ++i) {
    if (model_.is_free(i)) continue;
    const Action action = best_inside(i);
    Action& best = action.kind == Kind::remove ? removal : change;
    if (action.gain > best.gain) best = action;
  }
  if (removal && removal.gain > settings_.tolerance)
    return change.gain > removal.gain ? change : removal;  // a deletion that gains comes before any addition
  if (!model_.is_gaussian() && change.gain > 0.1)
    return change;  // gains of additions are correct only once the precisions no longer change
  for (Index row = 0; row < pool_.size(); ++row) {
    const Action action = addition_of(row, addition.gain);
    if (action.gain > addition.gain) addition = action;
  }
  return addition.gain > change.gain ? addition : change;
}

// Actions inside the model need no S and Q, so these are updated only if an addition would be the best action. First those of the near
// columns; those of all columns only if another one, by its last S and Q, gains more than the best near one, or if none gains.
Greedy::Action Greedy::best_lazily() {
  Action action = best_action();
  while (fresh_ != Fresh::all && (!action || action.kind == Kind::add)) {
    if (fresh_ == Fresh::none && pool_.has_near()) {
      pool_.refresh_near(model_);
      fresh_ = Fresh::near;
    } else if (fresh_ == Fresh::near && action && pool_.is_near(action.row)) {
      break;
    } else {
      refresh_all(fresh_ == Fresh::near);
    }
    action = best_action();
  }
  return action;
}

// In a large pool, the most promising eighth becomes near.
void Greedy::narrow() {
  constexpr Index least = 512;
  const Index count = pool_.size() / 8;
  if (pool_.size() < least) return;
  std::vector<Promise> all;
  for (Index row = 0; row < pool_.size(); ++row) all.push_back({addition_of(row).gain, row});
  std::nth_element(all.begin(), all.begin() + count, all.end(), better);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(at(all, i).id);
  std::sort(rows.begin(), rows.end());
  pool_.narrow(std::move(rows));
}

// Re-estimation or deletion.                                                                                    (OPT.3), (OPT.5)
Greedy::Action Greedy::best_inside(Index i) {
  const double a = model_.state().alpha[i];
  const LeftOut x = model_.left_out(i);
  const double best = model_.gain().best(x), gain = model_.gain().at(best, x) - model_.gain().at(a, x);
  const Eligibility& s = standing(at(model_.state().columns, i));
  if (!std::isfinite(best)) {
    if (s.exhausted || !(gain > settings_.tolerance)) return {};
    return {Kind::remove, i, -1, best, gain};
  }
  if (s.exhausted) return {};
  const bool moves = std::abs(std::log(best / a)) > 1e-4 && gain > 1e-3 * settings_.tolerance;
  return gain > settings_.tolerance || moves ? Action{Kind::reestimate, i, -1, best, gain} : Action{};
}

Greedy::Action Greedy::addition_of(Index row, double least) {
  const Index id = pool_.id(row);
  const Eligibility& s = standing(id);
  if (s.in_model || s.exhausted || s.aligned_with >= 0 || !(length_[id] > 0) || pool_.in_span(row)) return {};
  LeftOut x = pool_.candidate(row);
  x.square = length_[id] * length_[id];
  if (!model_.gain().can_exceed(x, least)) return {};
  const double best = model_.gain().best(x), gain = model_.gain().at(best, x);
  return std::isfinite(best) && gain > settings_.tolerance ? Action{Kind::add, -1, row, best, gain} : Action{};
}

// Replaces one column by another: the first is deleted, the second is added to the rest.                                 (GREEDY.9)
Greedy::Action Greedy::best_exchange() {
  pool_.prepare_exchange(model_);
  Action best;
  for (Index i = 0; i < model_.size(); ++i) {
    if (model_.is_free(i)) continue;
    const double loss = loss_of(i);
    for (Index row = 0; row < pool_.size(); ++row) {
      const double least = std::max(best.gain, settings_.tolerance);
      if (const Action action = exchange_of(i, loss, row, least); action.gain > least) best = action;
    }
  }
  return best;
}

double Greedy::loss_of(Index i) const { return model_.gain().at(model_.state().alpha[i], model_.left_out(i)); }

Greedy::Action Greedy::exchange_of(Index i, double loss, Index row, double least) {
  const auto& now = model_.state();
  const Index id = pool_.id(row);
  const Eligibility& s = standing(id);
  if (s.in_model || s.exhausted || !(length_[id] > 0)) return {};
  if (s.aligned_with >= 0 && s.aligned_with != at(now.columns, i)) return {};
  const double V = now.V(i, i), W = pool_.W(row, i);
  const LeftOut here = pool_.candidate(row), x = {here.s + W * W / V, here.q + W * now.w[i] / V, length_[id] * length_[id]};
  if (!model_.gain().can_exceed(x, loss + least)) return {};
  const double best = model_.gain().best(x);
  if (!std::isfinite(best)) return {};
  const double gain = model_.gain().at(best, x) - loss;
  return {Kind::exchange, i, row, best, gain};
}

// An exchange may gain only after the other precisions are re-estimated. Tries the few most promising exchanges of each column, with
// re-estimation, and keeps the first that ends higher.                                                                  (GREEDY.9)
bool Greedy::look_ahead() {
  constexpr Index most_columns = 64;
  const std::size_t each = model_.is_gaussian() ? 4 : 2;  // a trial that changes the rows costs more
  const Index k = model_.size();
  if (k == 0 || k > most_columns) return false;
  pool_.prepare_exchange(model_);
  std::vector<Action> trials, of_column;
  const auto better = [](const Action& x, const Action& y) { return x.gain != y.gain ? x.gain > y.gain : x.row < y.row; };
  for (Index i = 0; i < k; ++i) {
    if (model_.is_free(i)) continue;
    of_column.clear();
    const double loss = loss_of(i);
    for (Index row = 0; row < pool_.size(); ++row) {
      const bool full = of_column.size() == each;
      const Action action = exchange_of(i, loss, row, full ? of_column.back().gain : -1);
      if (!action || !(full ? better(action, of_column.back()) : action.gain > -1)) continue;
      if (full) of_column.pop_back();
      of_column.insert(std::upper_bound(of_column.begin(), of_column.end(), action, better), action);
    }
    trials.insert(trials.end(), of_column.begin(), of_column.end());
  }
  std::sort(trials.begin(), trials.end(), better);
  return std::any_of(trials.begin(), trials.end(), [&](const Action& trial) { return try_ahead(trial); });
}

bool Greedy::try_ahead(const Action& trial) {
  constexpr int most_steps = 60;
  const Index id = pool_.id(trial.row);
  if (!admissible(trial)) return false;
  GreedyModel saved = model_;
  const double before = model_.objective(), goal = before + std::max(settings_.tolerance, 1e-9 * std::abs(before));
  RankOne change;
  bool sound = apply(trial, id, trial.precision, change);
  for (int step = 0; sound && step < most_steps; ++step) {
    Action best;
    for (Index i = 0; i < model_.size(); ++i)
      if (!model_.is_free(i))
        if (const Action action = best_inside(i); action.gain > best.gain) best = action;
    if (!best) break;
    const double here = model_.objective();
    if (here + 2 * (most_steps - step) * best.gain < goal) break;  // the gains become smaller: the goal is out of reach
    model_.begin();
    sound = apply(best, -1, best.precision, change);
    if (sound && !(model_.objective() > here)) {
      model_.undo();
      break;
    }
    if (step % 5 == 4) static_cast<void>(model_.update_noise());
  }
  sound = sound && model_.solve();
  if (sound) static_cast<void>(model_.update_noise());
  if (!sound || !(model_.objective() > goal)) {
    model_ = std::move(saved);
    return false;
  }
  ++out_.num_exchanged;
  const std::vector<Index>& columns = model_.state().columns;
  for (Index old : saved.state().columns)
    if (std::find(columns.begin(), columns.end(), old) == columns.end()) release(old);
  standing(id).in_model = std::find(columns.begin(), columns.end(), id) != columns.end();
  out_.num_deleted += static_cast<int>(saved.size() - model_.size());
  refresh_all();
  record();
  return true;
}

}  // namespace ardvark::internal
