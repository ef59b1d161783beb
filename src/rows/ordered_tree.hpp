// Sums of pieces in a fixed order, whatever the number of pieces: a tree with sixteen branches a node.      docs/math/statistics.md (ST.2)
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal {

/// Node has merge(const Node& right). At most one sum a level is kept.
template <typename Node>
class OrderedTree {
 public:
  /// The next piece.
  void push(Node node) {
    for (std::size_t at = 0;; ++at) {
      if (at == levels_.size()) levels_.emplace_back();
      Level& level = levels_[at];
      level.sum ? level.sum->merge(node) : void(level.sum = std::move(node));
      if (++level.count < branches) return;
      node = std::move(*level.sum);
      level = {};
    }
  }

  /// Calls change(sum) for each sum.
  void for_each(auto&& change) {
    for (Level& level : levels_)
      if (level.sum) change(*level.sum);
  }

  /// Adds the sum of all pieces, the first ones first, to `total`.
  void add_to(std::optional<Node>& total) const {
    for (std::size_t at = levels_.size(); at-- > 0;) {
      const std::optional<Node>& sum = levels_[at].sum;
      if (sum) total ? total->merge(*sum) : void(total = *sum);
    }
  }

 private:
  static constexpr int branches = 16;
  struct Level {
    std::optional<Node> sum;
    int count = 0;
  };
  std::vector<Level> levels_;
};

}  // namespace ardvark::internal
