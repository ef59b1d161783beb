#include "design/column_subset.hpp"

#include <gtest/gtest.h>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::Random;

// More columns than rows are read where they lie, fewer from a copy: the same numbers either way.
TEST(ColumnSubset, AnswersAsTheColumnsByThemselves) {
  Random random(1);
  const Index n = 7;
  const Matrix X = random.normals(n, 40);
  DenseDesign whole(X, {random.normals(40), random.normals(40).cwiseAbs(), true});
  for (const Index size : {1, 5, 7, 8, 30, 41}) {
    std::vector<Index> columns = random.permutation(41);
    columns.resize(static_cast<std::size_t>(size));
    std::sort(columns.begin(), columns.end());
    Matrix all(n, 41);
    whole.columns(0, 41, all);
    const Matrix own = all(Eigen::all, columns);
    ColumnSubset subset(whole, columns);
    DenseDesign plain(own, {});
    ASSERT_EQ(subset.rows(), n);
    ASSERT_EQ(subset.cols(), size);

    const Index count = (size + 1) / 2;
    Matrix panel(n, count);
    subset.columns(size - count, count, panel);
    EXPECT_EQ(panel, own.rightCols(count));
    const Vector scale = random.normals(count);
    subset.scaled_columns(size - count, count, scale.data(), panel);
    EXPECT_EQ(panel, own.rightCols(count) * scale.asDiagonal());
    const Vector r = random.normals(n), w = random.normals(size), omega = random.normals(n).cwiseAbs();
    Vector a(size), b(size), c(n), d(n);
    subset.project(r, a);
    plain.project(r, b);
    EXPECT_LE(distance(a, b), 1e-13);
    subset.apply(w, c);
    plain.apply(w, d);
    EXPECT_LE(distance(c, d), 1e-13);
    Matrix G = Matrix::Zero(size, size), H = G, L = random.normals(size, size).triangularView<Eigen::Lower>();
    subset.gram(omega, G);
    plain.gram(omega, H);
    EXPECT_LE(distance(G, H), 1e-13);
    subset.row_variance(L, c);
    plain.row_variance(L, d);
    EXPECT_LE(distance(c, d), 1e-12 * (1 + d.maxCoeff()));
  }
}

}  // namespace
}  // namespace ardvark::internal
