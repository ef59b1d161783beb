// A table with labels, or the target of a regression, that is given in pieces.
#pragma once

#include <algorithm>

#include "../support/random_problem.hpp"
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

// Labels 1, 3, 5, ... by a softmax of linear scores.
inline LabelledRows table_of_classes(std::uint64_t seed, Index n, Index p, Index C, double size = 0.8, bool weighted = false) {
  Random random(seed);
  LabelledRows out{random.normals(n, p), Vector(n), {}};
  for (Index j = 1; j < p; ++j) out.X.col(j) += 0.5 * out.X.col(j - 1);
  Matrix W = Matrix::Zero(p, C);
  for (Index j = 0; j < (p + 1) / 2; ++j) W.row(j) = size * random.normals(C).transpose();
  for (Index i = 0; i < n; ++i) {
    const Eigen::ArrayXd share = (W.transpose() * out.X.row(i).transpose()).array().exp();
    double left = random.uniform() * share.sum();
    Index c = 0;
    while (c + 1 < C && (left -= share[c]) > 0) ++c;
    out.y[i] = static_cast<double>(2 * c + 1);
  }
  for (Index j = 0; j < p; ++j) out.X.col(j) = out.X.col(j).array() * random.scale(0.01, 100) + random.scale(0.1, 10);
  if (weighted) {
    out.weights = Vector(n);
    for (Index i = 0; i < n; ++i) out.weights[i] = random.chance(0.2) ? 0 : random.uniform(0.5, 2);
  }
  return out;
}

}  // namespace ardvark::testing
