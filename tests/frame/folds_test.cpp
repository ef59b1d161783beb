#include "frame/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/random_problem.hpp"
#include "table/row_subset.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

std::vector<Index> random_classes(Random& random, Index n, Index num_classes) {
  std::vector<Index> classes;
  for (Index i = 0; i < n; ++i) classes.push_back(random.integer(-1, num_classes - 1));
  return classes;
}

TEST(StratifiedDealer, SpreadsEveryClassAndAllRowsEvenly) {
  Random random(1);
  for (int problem = 0; problem < 300; ++problem) {
    const Index num_classes = random.integer(2, 5);
    const std::vector<Index> classes = random_classes(random, random.integer(20, 90), num_classes);
    const int folds = static_cast<int>(random.integer(2, 12));
    StratifiedDealer dealer(static_cast<std::uint64_t>(problem));
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::vector<int> deal = dealer.deal(classes, num_classes, folds);
      std::vector<Index> total(static_cast<std::size_t>(folds), 0);
      std::map<Index, std::vector<Index>> of_class;
      for (std::size_t i = 0; i < classes.size(); ++i) {
        ASSERT_EQ(deal[i] < 0, classes[i] < 0);
        if (deal[i] < 0) continue;
        ASSERT_LT(deal[i], folds);
        of_class[classes[i]].resize(total.size());
        ++of_class[classes[i]][static_cast<std::size_t>(deal[i])];
        ++total[static_cast<std::size_t>(deal[i])];
      }
      of_class[-1] = total;
      for (const auto& [number, counts] : of_class) {
        const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
        EXPECT_LE(*most - *least, 1) << "class " << number;
      }
    }
  }
}

TEST(StratifiedDealer, FollowsFromTheSeedAndDealsAnewEachTime) {
  const std::vector<Index> classes(40, 0);
  StratifiedDealer one(7), same(7), other(8);
  const std::vector<int> first = one.deal(classes, 1, 5), second = one.deal(classes, 1, 5);
  EXPECT_EQ(first, same.deal(classes, 1, 5));
  EXPECT_EQ(second, same.deal(classes, 1, 5));
  EXPECT_NE(first, second);
  EXPECT_NE(first, other.deal(classes, 1, 5));
}

// Two rows out of a fold of five of twenty: each pair of rows meets with probability 4/19. Of 4000 deals the standard error is 0.0064.
TEST(StratifiedDealer, LetsEveryPairOfRowsMeetEquallyOften) {
  const std::vector<Index> classes(20, 0);
  StratifiedDealer dealer(3);
  std::map<std::pair<std::size_t, std::size_t>, int> together;
  constexpr int deals = 4000;
  for (int d = 0; d < deals; ++d) {
    const std::vector<int> deal = dealer.deal(classes, 1, 4);
    for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 19}, {9, 10}, {4, 17}})
      together[{a, b}] += deal[a] == deal[b] ? 1 : 0;
  }
  for (const auto& [pair, count] : together) EXPECT_NEAR(static_cast<double>(count) / deals, 4.0 / 19, 4 * 0.0064) << pair.first;
}

TEST(RowSubset, CopiesRowsInAnyOrderAndPrecision) {
  Random random(5);
  const Matrix X = random.normals(9, 4);
  const std::vector<Index> rows = {7, 0, 3, 3};
  const Eigen::MatrixXf single = X.cast<float>();
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = X;
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> single_by_rows = single;
  for (const MatrixView& view : {MatrixView(X), MatrixView(single), MatrixView(by_rows), MatrixView(single_by_rows),
                                 MatrixView(X.middleCols(1, 2)), MatrixView(by_rows.middleCols(1, 2)), MatrixView(X.topRows(8))}) {
    const RowSubset subset(view, rows);
    ASSERT_EQ(subset.view().rows(), 4);
    ASSERT_EQ(subset.view().cols(), view.cols());
    EXPECT_EQ(subset.view().scalar(), view.scalar());
    EXPECT_EQ(subset.view().layout(), view.layout());
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < view.cols(); ++j) EXPECT_EQ(subset.view()(i, j), view(rows[static_cast<std::size_t>(i)], j));
  }
}

// A sparse table of bytes, with a stored zero, and the same numbers dense.
struct SparseBytes {
  std::vector<std::int64_t> start = {0, 2, 2, 5}, row = {0, 3, 1, 2, 3};
  std::vector<std::int8_t> value = {5, -7, 1, 0, 2};
  CscView view{start.data(), row.data(), value.data(), 4, 3};
  Matrix dense{{5, 0, 0}, {0, 0, 1}, {0, 0, 0}, {-7, 0, 2}};
};

TEST(RowSubset, CopiesSparseRowsInAnyOrder) {
  const SparseBytes X;
  const std::vector<Index> rows = {3, 0, 2, 3};
  const RowSubset subset(X.view, rows);
  ASSERT_TRUE(subset.table().is_sparse());
  ASSERT_EQ(subset.table().rows(), 4);
  Matrix seen(4, 3);
  subset.table().design()->columns(0, 3, seen);
  EXPECT_EQ(seen, Matrix(X.dense(rows, Eigen::all)));
  subset.table().check_shape("X");
}

TEST(RowContent, SparseRowsAreEqualIfTheirNumbersAre) {
  const SparseBytes X;
  const std::vector<Index> rows = {0, 1, 2, 3, 2, 0};
  const RowSubset table(X.view, rows);
  const Vector y{{1, 1, 1, 1, 1, 2}};
  const RowContent content(table.table(), y);
  EXPECT_EQ(content.key(2), content.key(4));
  EXPECT_TRUE(content.compare(2, 4) == 0);
  EXPECT_NE(content.key(0), content.key(5));  // another y
  for (Index i = 0; i < 3; ++i) EXPECT_NE(content.key(i), content.key(i + 1));
}

}  // namespace
}  // namespace ardvark::internal
