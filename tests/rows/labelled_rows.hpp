// A table with labels, or the target of a regression, that is given in pieces.
#pragma once

#include <algorithm>

#include "ardvark/row_pass.hpp"

namespace ardvark::testing {

inline bool is_sparse_kind(PriorKind kind) {
  return kind == PriorKind::sparse || kind == PriorKind::slab || kind == PriorKind::dense || kind == PriorKind::automatic;
}

struct LabelledRows {
  Matrix X;
  Vector y, weights;

  // In pieces of `size` rows.
  [[nodiscard]] AskRows rows(Index size = 3000) const {
    return rows_from([this, size](const TakeRows& take) {
      for (Index first = 0; first < y.size(); first += size) {
        const Index count = std::min(size, y.size() - first);
        const Matrix piece = X.middleRows(first, count);
        const Vector labels = y.segment(first, count), k = weights.size() > 0 ? Vector(weights.segment(first, count)) : Vector();
        take(piece, labels, k);
      }
    });
  }
  [[nodiscard]] Vector k() const { return weights.size() > 0 ? weights : Vector(Vector::Ones(y.size())); }
};

}  // namespace ardvark::testing
