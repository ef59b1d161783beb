// Matrices laid out otherwise in their own memory, against a copy.
#include "core/rearrange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

// Every element another number, row after row.
std::vector<double> numbered(Index size) {
  std::vector<double> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

void expect_columns(Index rows, Index cols) {
  std::vector<double> values = numbered(rows * cols + 1);  // the last belongs to somebody else
  rows_to_columns(values.data(), rows, cols);
  Index wrong = values.back() == static_cast<double>(rows * cols + 1) ? 0 : 1;
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      wrong += values[static_cast<std::size_t>(j * rows + i)] == static_cast<double>(i * cols + j + 1) ? 0 : 1;
  EXPECT_EQ(wrong, 0) << rows << " x " << cols;
}

TEST(RowsToColumns, IsTheTransposeForEverySize) {
  // Blocks hold 504 columns, fewer where rows are more than 2080, and 16 from 65,536 rows on.
  for (const auto& [rows, cols] : {std::pair{1, 1},
                                   {1, 2000},
                                   {2000, 1},
                                   {2, 2},
                                   {2, 503},
                                   {2, 504},
                                   {2, 505},
                                   {3, 1008},
                                   {7, 1513},
                                   {504, 504},
                                   {300, 1100},
                                   {2090, 1030},
                                   {70000, 15},
                                   {70000, 16},
                                   {66000, 35}})
    expect_columns(rows, cols);
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto rows = static_cast<Index>(1 + random.uniform() * (trial % 2 == 0 ? 40 : 400));
    expect_columns(rows, static_cast<Index>(1 + random.uniform() * (trial % 3 == 0 ? 40 : 3000)));
  }
}

TEST(BringToFront, GathersTheColumns) {
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const auto rows = static_cast<Index>(1 + random.uniform() * 5), cols = static_cast<Index>(1 + random.uniform() * 60);
    std::vector<Index> columns = random.permutation(cols);
    columns.resize(static_cast<std::size_t>(random.uniform() * static_cast<double>(cols + 1)));
    if (trial % 2 == 0) std::sort(columns.begin(), columns.end());
    std::vector<double> values = numbered(rows * cols);
    bring_to_front(values.data(), rows, columns);
    for (std::size_t to = 0; to < columns.size(); ++to)
      for (Index i = 0; i < rows; ++i)
        EXPECT_EQ(values[to * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i)],
                  static_cast<double>(columns[to] * rows + i + 1));
  }
}

TEST(Mirror, CopiesTheLowerTriangle) {
  Random random(5);
  for (const Index size : {0, 1, 2, 63, 64, 65, 200}) {
    const Matrix before = random.normals(size, size);
    Matrix after = before;
    mirror(after);
    Index wrong = 0;
    for (Index j = 0; j < size; ++j)
      for (Index i = j; i < size; ++i) wrong += after(i, j) == before(i, j) && after(j, i) == before(i, j) ? 0 : 1;
    EXPECT_EQ(wrong, 0) << size;
  }
}

}  // namespace
}  // namespace ardvark::internal
