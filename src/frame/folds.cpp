#include "frame/folds.hpp"

#include <algorithm>
#include <utility>

namespace ardvark::internal {
Index StratifiedDealer::below(Index count) {
  const auto n = static_cast<std::uint64_t>(count);
  const std::uint64_t least = (0 - n) % n;  // 2^64 mod n: without these lowest values, all remainders are equally frequent
  for (;;)
    if (const std::uint64_t bits = engine_(); bits >= least) return static_cast<Index>(bits % n);
}

std::vector<int> StratifiedDealer::deal(const std::vector<Index>& classes, Index num_classes, int folds) {
  std::vector<int> fold(classes.size(), -1), order(static_cast<std::size_t>(folds));
  const auto shuffle = [&](auto& items) {
    for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[static_cast<std::size_t>(below(static_cast<Index>(i) + 1))]);
  };
  for (int f = 0; f < folds; ++f) order[static_cast<std::size_t>(f)] = f;
  shuffle(order);  // decides which folds have one row more
  std::size_t next = 0;
  std::vector<std::size_t> rows;
  for (Index c = 0; c < num_classes; ++c) {
    rows.clear();
    for (std::size_t i = 0; i < classes.size(); ++i)
      if (classes[i] == c) rows.push_back(i);
    shuffle(rows);
    for (const std::size_t row : rows) {  // continues where the last class ended, so that folds have equal sizes
      fold[row] = order[next];
      next = (next + 1) % order.size();
    }
  }
  return fold;
}

}  // namespace ardvark::internal
