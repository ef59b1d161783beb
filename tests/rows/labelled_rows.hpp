// A table with labels, or the target of a regression, that is given in pieces.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../support/random_problem.hpp"
#include "ardvark/row_pass.hpp"
#include "passes/row_sums.hpp"

namespace ardvark::testing {

inline bool is_sparse_kind(PriorKind kind) {
  return kind == PriorKind::sparse || kind == PriorKind::slab || kind == PriorKind::dense || kind == PriorKind::automatic;
}

struct LabelledRows {
  Matrix X;
  Vector y, weights;

  // In pieces of `size` rows.
  [[nodiscard]] AskRows rows(Index size = 3000) const {
    return rows_from([this, size](const TakeRows& take) { take_pieces(size, take); });
  }
  // Parts of the rows are summed apart, sent as bytes, and merged, as by several machines.
  [[nodiscard]] AskRows in_parts(Index size) const {
    return [this, size](const RowQuestion& asked) {
      const RowQuestion question = RowQuestion::from_bytes(asked.to_bytes());
      EXPECT_EQ(question.to_bytes(), asked.to_bytes());
      RowSums all(question);
      std::uint64_t part = 0;
      take_pieces(size, [&](MatrixView piece, VectorView labels, VectorView weights_of_piece) {
        RowSums some(question, ++part);
        some.update(piece, labels, weights_of_piece);
        EXPECT_EQ(RowSums::from_bytes(some.to_bytes()).to_bytes(), some.to_bytes());
        all.merge(RowSums::from_bytes(some.to_bytes()));
      });
      return all;
    };
  }
  [[nodiscard]] Vector k() const { return weights.size() > 0 ? weights : Vector(Vector::Ones(y.size())); }

 private:
  void take_pieces(Index size, const TakeRows& take) const {
    for (Index first = 0; first < y.size(); first += size) {
      const Index count = std::min(size, y.size() - first);
      const Matrix piece = X.middleRows(first, count);
      const Vector labels = y.segment(first, count), k = weights.size() > 0 ? Vector(weights.segment(first, count)) : Vector();
      take(piece, labels, k);
    }
  }
};

// As if the first look could keep only so many rows (2000 or more): a smaller table than this must then be read in passes. A sample that is
// still complete may hold twice as many.
inline AskRows with_sample_of(Index sample_rows, AskRows ask) {
  return [sample_rows, ask = std::move(ask)](const RowQuestion& asked) {
    RowQuestion::State state = asked.state();
    if (state.is_first_look) state.sample_rows = sample_rows;
    return ask(RowQuestion(std::make_shared<const RowQuestion::State>(std::move(state))));
  };
}

inline Vector some_without_weight(Random& random, Index n) {
  Vector out(n);
  for (double& weight : out) weight = random.chance(0.2) ? 0 : random.uniform(0.5, 2);
  return out;
}

inline std::vector<std::string> names_of(const LabelledRows& table) {
  std::vector<std::string> out;
  for (Index j = 0; j < table.X.cols(); ++j) out.push_back("x" + std::to_string(j + 1));
  return out;
}

// Labels 1, 3, 5, ... by a softmax of the scores X W. Then the columns get other units.
inline LabelledRows labelled_by_softmax(Random& random, Matrix X, const Matrix& W, double odds_of_first, bool weighted) {
  const Index n = X.rows(), p = X.cols(), C = W.cols();
  LabelledRows out{std::move(X), Vector(n), {}};
  for (Index i = 0; i < n; ++i) {
    Eigen::ArrayXd share = (W.transpose() * out.X.row(i).transpose()).array().exp();
    share[0] *= odds_of_first;
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

// Of neighbouring columns that are correlated.
inline Matrix correlated_columns(Random& random, Index n, Index p) {
  Matrix X = random.normals(n, p);
  for (Index j = 1; j < p; ++j) X.col(j) += 0.5 * X.col(j - 1);
  return X;
}

// Half of the columns have effects.
inline LabelledRows table_of_classes(std::uint64_t seed, Index n, Index p, Index C, double size = 0.8, bool weighted = false) {
  Random random(seed);
  Matrix X = correlated_columns(random, n, p), W = Matrix::Zero(p, C);
  for (Index j = 0; j < (p + 1) / 2; ++j) W.row(j) = size * random.normals(C).transpose();
  return labelled_by_softmax(random, std::move(X), W, 1, weighted);
}

// The first 5000 rows have weight 2; and the same rows, each once, and these again.
struct WeightedAndRepeated {
  LabelledRows weighted, repeated;
};
inline WeightedAndRepeated weighted_and_repeated(LabelledRows table) {
  constexpr Index twice = 5000;
  const Index n = table.y.size();
  LabelledRows repeated = table;
  table.weights = Vector::Ones(n);
  table.weights.head(twice).setConstant(2);
  repeated.X.conservativeResize(n + twice, Eigen::NoChange), repeated.y.conservativeResize(n + twice);
  repeated.X.bottomRows(twice) = table.X.topRows(twice), repeated.y.tail(twice) = table.y.head(twice);
  return {std::move(table), std::move(repeated)};
}

}  // namespace ardvark::testing
