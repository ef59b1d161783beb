// Designs too large to keep: passes over all columns, a block at a time.                                      docs/math/greedy.md
#include <algorithm>

#include "engine/greedy_loop.hpp"

namespace ardvark {

// The pool takes the best half from everywhere and, for variety, the best of each stretch of neighbouring columns.
bool Greedy::screen() {
  const Index M = design_.cols(), most = std::max<Index>(settings_.screen_block / 2, 1);
  const Index stretch = std::max<Index>(2 * M / most, 1);
  std::vector<Promise> all, best_of_stretch(static_cast<std::size_t>(M / stretch + 1));
  ++out_.num_screens;
  for (Index first = 0; first < M; first += settings_.screen_block) screen_block(first, stretch, all, best_of_stretch);
  const auto better = [](const Promise& x, const Promise& y) { return x.gain != y.gain ? x.gain > y.gain : x.id < y.id; };
  std::sort(all.begin(), all.end(), better);
  std::vector<Index> ids;
  for (std::size_t i = 0; i < all.size() && static_cast<Index>(i) < most / 2; ++i) ids.push_back(all[i].id);
  for (const Promise& p : best_of_stretch)
    if (p.id >= 0) ids.push_back(p.id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (ids.empty()) {
    out_.status = Status::converged;
    return false;
  }
  pool_.load(design_, ids, length_);
  return true;
}

void Greedy::screen_block(Index first, Index stretch, std::vector<Promise>& all, std::vector<Promise>& best_of_stretch) {
  pool_.load_range(design_, first, std::min(settings_.screen_block, design_.cols() - first), length_);
  pool_.refresh(model_);
  pool_.prepare_exchange(model_);
  for (Index row = 0; row < pool_.size(); ++row) {
    double gain = addition_of(row).gain;
    for (Index i = 0; settings_.exchange && i < model_.size(); ++i)
      if (!model_.is_free(i)) gain = std::max(gain, exchange_of(i, row).gain);
    if (!(gain > settings_.tolerance)) continue;
    all.push_back({gain, pool_.id(row)});
    Promise& local = best_of_stretch[static_cast<std::size_t>(pool_.id(row) / stretch)];
    if (gain > local.gain) local = all.back();
  }
}

}  // namespace ardvark
