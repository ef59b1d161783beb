// A design with one more row: its products are those of the longer table.
#include "design/with_row.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "../support/random_problem.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

TEST(WithRow, ProductsAreThoseOfTheLongerTable) {
  testing::Random random(4);
  const Matrix X = random.normals(7, 4);
  Standardization units;
  units.center = random.normals(4, 1);
  units.scale = random.normals(4, 1).cwiseAbs();
  units.intercept = true;
  DesignWithRow design(table_design(MatrixView(X), units), random.normals(5, 1));
  Matrix all(8, 5), product, K;
  design.columns(0, 5, all);
  const Matrix R = random.normals(8, 3);
  design.project_several(R, product);
  EXPECT_LT((product - all.transpose() * R).norm(), 1e-12);
  project_in_single(design, R, product);
  EXPECT_LT((product - all.transpose() * R).norm(), 1e-5);
  const std::vector<Index> some = {4, 1};
  project_some(design, some, R, product);
  EXPECT_LT((product - all(Eigen::all, some).transpose() * R).norm(), 1e-12);
  const Matrix W = random.normals(2, 3);
  apply_some(design, some, W, product);
  EXPECT_LT((product - all(Eigen::all, some) * W).norm(), 1e-12);
  const Matrix weights = random.normals(5, 9);
  design.apply_several(weights, product);
  EXPECT_LT((product - all * weights).norm(), 1e-12);
  design.row_gram(K);
  const Matrix without = all.leftCols(4), square = without * without.transpose();
  for (Index j = 0; j < 8; ++j) EXPECT_LT((K.col(j).tail(8 - j) - square.col(j).tail(8 - j)).norm(), 1e-12) << j;
}

}  // namespace
}  // namespace ardvark::internal
