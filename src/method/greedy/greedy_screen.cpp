// Designs too large to keep: passes over all columns, a block at a time.                                      docs/math/greedy.md
#include <algorithm>

#include "method/greedy/greedy_loop.hpp"

namespace ardvark::internal {

// Fills the pool with the best additions of all columns, the best exchanges for each column of the model, and the best column of each
// stretch of neighbours, even without a gain: actions that gain together often lose one by one.
bool Greedy::screen() {
  const Index M = design_.cols(), most = std::max<Index>(settings_.screen_block / 2, 4);
  Screening seen;
  seen.stretch = std::max<Index>(2 * M / most, 1);
  seen.best_of_stretch.resize(static_cast<std::size_t>(M / seen.stretch + 1));
  seen.exchanges.resize(static_cast<std::size_t>(model_.size()));
  for (Index i = 0; i < model_.size(); ++i) seen.loss.push_back(loss_of(i));
  seen.each = std::max<Index>(most / (2 * (model_.size() + 1)), 2);
  ++out_.num_screens;
  for (Index first = 0; first < M; first += settings_.screen_block) screen_block(first, seen);
  if (!seen.gains) {
    out_.status = Status::converged;
    return false;
  }
  std::vector<Index> ids;
  for (const Promise& p : seen.best_of_stretch)
    if (p.id >= 0) ids.push_back(p.id);
  for (const Promise& p : seen.additions) ids.push_back(p.id);
  for (const auto& list : seen.exchanges)
    for (const Promise& p : list) ids.push_back(p.id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  pool_.load(design_, ids, length_);
  return true;
}

void Greedy::Screening::keep(std::vector<Promise>& list, Promise promise) const {
  if (static_cast<Index>(list.size()) == each && !better(promise, list.back())) return;
  list.insert(std::upper_bound(list.begin(), list.end(), promise, better), promise);
  if (static_cast<Index>(list.size()) > each) list.pop_back();
}

void Greedy::screen_block(Index first, Screening& seen) {
  pool_.survey(design_, first, std::min(settings_.screen_block, design_.cols() - first), model_, length_);
  for (Index row = 0; row < pool_.size(); ++row) {
    const Index id = pool_.id(row);
    double best = -ColumnGain::infinity;
    if (const Action action = addition_of(row)) {
      best = action.gain;
      seen.keep(seen.additions, {action.gain, id});
    }
    for (Index i = 0; settings_.exchange && i < model_.size(); ++i) {
      if (model_.is_free(i)) continue;
      const Action action = exchange_of(i, seen.loss[static_cast<std::size_t>(i)], row);
      if (!action) continue;
      best = std::max(best, action.gain);
      seen.keep(seen.exchanges[static_cast<std::size_t>(i)], {action.gain, id});
    }
    seen.gains = seen.gains || best > settings_.tolerance;
    Promise& local = seen.best_of_stretch[static_cast<std::size_t>(id / seen.stretch)];
    if (best > local.gain) local = {best, id};
  }
}

}  // namespace ardvark::internal
