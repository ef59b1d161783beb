// Cuts the rows of a table into blocks, wherever the pieces end in which they come.                       docs/math/statistics.md (ST.2)
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "rows/moments.hpp"

namespace ardvark::internal {

/// The rows after the last whole block: less than a block.
struct WaitingRows {
  std::vector<double> X, y, weights;  ///< X row by row; weights: empty: ones

  [[nodiscard]] Index num_waiting() const { return static_cast<Index>(y.size()); }
  [[nodiscard]] RowBlock waiting(Index num_columns) const {
    return {MatrixView(X.data(), num_waiting(), num_columns, Layout::row_major), VectorView(y), VectorView(weights)};
  }
  /// Rows of weight 0 take no part.
  void append(const RowBlock& rows) {
    if (!rows.weights.empty() && weights.empty()) weights.assign(y.size(), 1.0);
    for (Index i = 0; i < rows.X.rows(); ++i) {
      const double weight = rows.weights.empty() ? 1.0 : rows.weights[i];
      if (weight == 0) continue;
      for (Index j = 0; j < rows.X.cols(); ++j) X.push_back(rows.X(i, j));
      y.push_back(rows.y[i]);
      if (!weights.empty() || !rows.weights.empty()) weights.push_back(weight);
    }
  }
  void clear() { X.clear(), y.clear(), weights.clear(); }
};

/// Calls push(of(block), block, rows before) for each of these blocks, in their order; several of(block) are computed at a time. Where the
/// columns are many, one after the other, so that their products share the threads.
void for_each_block(const RowBlock& rows, Index before, auto&& of, auto&& push) {
  const Index q = rows.X.cols() + 1, num_blocks = rows.X.rows() / rows_of_a_block;
  constexpr Index most_columns = 1000;
  const Index at_a_time = q > most_columns ? 1 : blas::threads_for(static_cast<double>(rows.X.rows() * q * q));
  const auto block = [&](Index i) { return rows.rows(i * rows_of_a_block, rows_of_a_block); };
  std::vector<decltype(of(block(0)))> some;
  for (Index first = 0; first < num_blocks; first += at_a_time) {
    const Index count = std::min(at_a_time, num_blocks - first);
    some.clear();
    some.resize(static_cast<std::size_t>(count));
    parallel_for(count, count, [&](Index i) { some[static_cast<std::size_t>(i)] = of(block(first + i)); });
    for (Index i = 0; i < count; ++i)
      push(std::move(some[static_cast<std::size_t>(i)]), block(first + i), before + (first + i) * rows_of_a_block);
  }
}

/// Cuts the rows, after those that wait, into blocks, and does the same with each. What is left, `append` makes wait: it gets rows and the
/// number of rows before them. \param before  number of rows before these
void cut_into_blocks(WaitingRows& waiting, RowBlock rows, Index before, auto&& append, auto&& of, auto&& push) {
  const bool some_are_zero = !rows.weights.empty() && (rows.weights.eigen().array() == 0).any();
  const auto take = [&](Index count) {
    const RowBlock taken = rows.rows(0, count);
    rows = rows.rows(count, rows.X.rows() - count);
    before += count;
    return taken;
  };
  while (rows.X.rows() > 0) {
    const Index room = rows_of_a_block - waiting.num_waiting(), blocks = rows.X.rows() / rows_of_a_block * rows_of_a_block;
    if (room == rows_of_a_block && blocks > 0 && !some_are_zero) {
      for_each_block(rows.rows(0, blocks), before, of, push);
      take(blocks);
      continue;
    }
    const Index start = before;
    append(take(std::min(room, rows.X.rows())), start);
    if (waiting.num_waiting() < rows_of_a_block) continue;
    const RowBlock block = waiting.waiting(rows.X.cols());
    push(of(block), block, before - rows_of_a_block);
    waiting.clear();
  }
}

}  // namespace ardvark::internal
