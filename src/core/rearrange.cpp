#include "core/rearrange.hpp"

#include <algorithm>

namespace ardvark::internal {
namespace {

using Panel = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Transposes a matrix [rows, cols] of blocks of `size` values, stored row after row: block (i, k) moves to place k rows + i. Follows one
// cycle of the permutation after another.
void transpose_blocks(double* values, Index rows, Index cols, Index size) {
  std::vector<bool> is_done(static_cast<std::size_t>(rows * cols), false);
  Vector held(size);
  const auto block = [&](Index at) { return values + at * size; };
  for (Index start = 0; start < rows * cols; ++start) {
    if (is_done[static_cast<std::size_t>(start)]) continue;
    std::copy_n(block(start), size, held.data());
    for (Index to = start;;) {
      is_done[static_cast<std::size_t>(to)] = true;
      const Index from = to % rows * cols + to / rows;
      if (from == start) {
        std::copy_n(held.data(), size, block(to));
        break;
      }
      std::copy_n(block(from), size, block(to));
      to = from;
    }
  }
}

}  // namespace

// Cuts each row into blocks and a rest. Brings the blocks of the same columns together into a panel, and transposes each panel.
void rows_to_columns(double* values, Index rows, Index cols) {
  if (rows < 2 || cols < 2) return;  // both orders are the same
  constexpr Index most = 504;        // an odd number of cache lines: rows of a panel do not compete for the same places in a cache
  const Index width = std::clamp<Index>((Index{1} << 20) / rows, 16, most), panels = cols / width, rest = cols % width;
  Matrix last(rows, rest), panel(rows, panels > 0 ? width : 0);
  for (Index i = 0; i < rows; ++i) {
    const double* row = values + i * cols;
    for (Index j = 0; j < rest; ++j) last(i, j) = row[panels * width + j];
    if (rest > 0) std::copy_n(row, panels * width, values + i * panels * width);  // moves to the front or stays
  }
  transpose_blocks(values, rows, panels, width);
  for (Index k = 0; k < panels; ++k) {
    double* at = values + k * rows * width;
    panel = Panel(at, rows, width);
    std::copy_n(panel.data(), panel.size(), at);
  }
  std::copy_n(last.data(), last.size(), values + panels * rows * width);
}

// A swap at an earlier place may have moved a column away: step k moves the column at place k to the place columns[k]. So while `from` is
// an earlier place, follow its swap. `from` is a reference: columns[to] then holds the place that step `to` really swaps with.
void bring_to_front(double* values, Index rows, std::vector<Index> columns) {
  const auto column = [&](Index j) { return values + j * rows; };
  for (Index to = 0; to < static_cast<Index>(columns.size()); ++to) {
    Index& from = columns[static_cast<std::size_t>(to)];
    while (from < to) from = columns[static_cast<std::size_t>(from)];
    if (from != to) std::swap_ranges(column(from), column(from) + rows, column(to));
  }
}

void mirror(Matrix& lower) {
  constexpr Index block = 64;
  const Index size = lower.rows();
  for (Index j = 0; j < size; j += block) {
    const Index width = std::min(block, size - j);
    auto corner = lower.block(j, j, width, width);
    corner.triangularView<Eigen::StrictlyUpper>() = corner.transpose();
    for (Index i = j + width; i < size; i += block) {
      const Index height = std::min(block, size - i);
      lower.block(j, i, width, height) = lower.block(i, j, height, width).transpose();
    }
  }
}

}  // namespace ardvark::internal
