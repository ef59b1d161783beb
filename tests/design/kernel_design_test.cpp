#include "design/kernel_design.hpp"

#include <gtest/gtest.h>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "design/column_subset.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::Random;
using testing::relative_distance;

void expect_same_answers(Design& design, const Matrix& expected, Random& random) {
  const Index n = expected.rows(), p = expected.cols();
  DenseDesign dense(expected, {});
  ASSERT_EQ(design.rows(), n);
  ASSERT_EQ(design.cols(), p);
  const Vector omega = random.normals(n).cwiseAbs(), r = random.normals(n), w = random.normals(p);
  Matrix G = Matrix::Constant(p, p, 7), G_dense = G, L = random.normals(p, p);
  Vector columns_sum(p), columns_dense(p), rows_sum(n), rows_dense(n);
  for (int repetition = 0; repetition < 2; ++repetition) {  // the second time the workspace is used
    design.gram(omega, G);
    dense.gram(omega, G_dense);
    EXPECT_LE(relative_distance(G, G_dense), 1e-12);
    design.project(r, columns_sum);
    dense.project(r, columns_dense);
    EXPECT_LE(relative_distance(columns_sum, columns_dense), 1e-12);
    design.apply(w, rows_sum);
    dense.apply(w, rows_dense);
    EXPECT_LE(relative_distance(rows_sum, rows_dense), 1e-12);
    design.row_variance(L, rows_sum);
    dense.row_variance(L, rows_dense);
    EXPECT_LE(relative_distance(rows_sum, rows_dense), 1e-12);
  }
  for (Index first : {Index{0}, p / 2, p - 1})
    for (Index count : {Index{0}, Index{1}, p - first}) {
      Matrix panel = Matrix::Constant(n, p + 1, 7);
      design.columns(first, count, panel.leftCols(count));
      EXPECT_LE(distance(panel.leftCols(count), expected.middleCols(first, count)), 1e-13) << first << " " << count;
      EXPECT_TRUE((panel.rightCols(p + 1 - count).array() == 7).all());
      const Vector scale = random.normals(count);
      Matrix scaled(n, count);
      design.scaled_columns(first, count, scale.data(), scaled);
      EXPECT_EQ(scaled, panel.leftCols(count) * scale.asDiagonal());
    }
}

TEST(KernelDesign, StandardizesItsColumnsKeptOrNot) {
  Random random(32);
  const Index n = 57, M = 9;
  const Matrix X = random.normals(n, 2);
  Matrix C = random.normals(M, 2);
  C.row(4).setConstant(1e3);  // a column of zeros: no spread
  Vector k = random.normals(n).cwiseAbs();
  k[3] = 0;
  const Kernel kernel = Kernel::gaussian(1.5);
  Matrix raw(n, M), expected = Matrix::Ones(n, M + 1);
  kernel.evaluate(X, C, raw);
  for (Index j = 0; j < M; ++j) {
    const double center = k.dot(raw.col(j)) / k.sum(), sd = std::sqrt(k.dot((raw.col(j).array() - center).square().matrix()) / k.sum());
    expected.col(j) = j == 4 ? Vector(Vector::Zero(n)) : Vector((raw.col(j).array() - center) / sd);
    if (j != 4) {
      EXPECT_NEAR(k.dot(expected.col(j)), 0, 1e-12 * k.sum());
      EXPECT_NEAR(k.dot(expected.col(j).cwiseAbs2()), k.sum(), 1e-12 * k.sum());
    }
  }
  for (KernelDesign::Keep keep : {KernelDesign::Keep::always, KernelDesign::Keep::never}) {
    KernelDesign design(kernel, X, C, true, keep);
    design.standardize(Vector::Ones(n));  // the second standardisation replaces the first
    design.standardize(k);
    expect_same_answers(design, expected, random);
    EXPECT_EQ(design.standardization().scale[4], 0);
  }
}

TEST(KernelDesign, IsTheDenseDesignOfItsMatrixKeptOrNot) {  // (KER.1), (RIDGE.1), (RIDGE.3)
  Random random(31);
  const Kernel kernel = Kernel::gaussian(1.5) + 0.5 * Kernel::linear();
  const Index shapes[][3] = {{1, 1, 1}, {3, 2, 1}, {1, 5, 2}, {257, 3, 2}, {17, 65, 3}, {300, 129, 1}};
  for (const auto& shape : shapes)
    for (bool bias : {false, true}) {
      SCOPED_TRACE(std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + (bias ? " and a bias" : ""));
      const Matrix X = random.normals(shape[0], shape[2]), C = random.normals(shape[1], shape[2]);
      Matrix expected = Matrix::Ones(shape[0], shape[1] + (bias ? 1 : 0));
      kernel.evaluate(X, C, expected.leftCols(shape[1]));
      KernelDesign kept(kernel, X, C, bias), on_demand(kernel, X, C, bias, KernelDesign::Keep::never);
      EXPECT_TRUE(kept.is_kept());
      EXPECT_FALSE(on_demand.is_kept());
      expect_same_answers(kept, expected, random);
      expect_same_answers(on_demand, expected, random);
    }
}

TEST(KernelDesign, EvaluatesManyBlocksOfRows) {
  Random random(32);
  const Kernel kernel = Kernel::laplacian(2);
  const Matrix X = random.normals(9000, 1), C = random.normals(701, 1);  // blocks of 5,974 rows
  Matrix expected(9000, 702);
  expected.col(701).setOnes();
  kernel.evaluate(X, C, expected.leftCols(701));
  KernelDesign on_demand(kernel, X, C, true, KernelDesign::Keep::never);
  const Vector r = random.normals(9000), w = random.normals(702);
  Vector projected(702), applied(9000);
  on_demand.project(r, projected);
  on_demand.apply(w, applied);
  EXPECT_LE(relative_distance(projected, expected.transpose() * r), 1e-12);
  EXPECT_LE(relative_distance(applied, expected * w), 1e-12);
}

Matrix product(const Factors* factors) { return factors->left * factors->right; }

TEST(KernelDesign, HoldsSmoothKernelsAsFactors) {  // (KER.12)
  Random random(33);
  const Matrix X = random.normals(300, 1), C = 2 * random.normals(250, 1);
  for (const Kernel& kernel : {Kernel::gaussian(1.5), Kernel::gaussian(3) * Kernel::gaussian(4) + 0.5 * Kernel::linear()})
    for (const Matrix& centres : {X, C})
      for (bool bias : {false, true}) {
        SCOPED_TRACE(kernel.name() + (bias ? " and a bias" : ""));
        const Index M = centres.rows();
        Matrix expected = Matrix::Ones(300, M + (bias ? 1 : 0));
        kernel.evaluate(X, centres, expected.leftCols(M));
        KernelDesign design(kernel, X, centres, bias, KernelDesign::Keep::factors);
        ASSERT_NE(design.factors(), nullptr);
        EXPECT_FALSE(design.is_kept());
        EXPECT_LE(design.factors()->left.cols(), 41);
        EXPECT_LE(distance(product(design.factors()), expected), 1e-11 * expected.cwiseAbs().maxCoeff());
        expect_same_answers(design, expected, random);
        Vector k = random.normals(300).cwiseAbs();
        for (int repetition = 0; repetition < 2; ++repetition) {
          design.standardize(k);
          KernelDesign kept(kernel, X, centres, bias);
          kept.standardize(k);
          Matrix columns(300, expected.cols());
          kept.columns(0, columns.cols(), columns);
          ASSERT_NE(design.factors(), nullptr);
          EXPECT_LE(relative_distance(product(design.factors()), columns), 1e-9);
          EXPECT_LE(relative_distance(design.standardization().scale, kept.standardization().scale), 1e-9);
          k = random.normals(300).cwiseAbs();
        }
      }
}

TEST(KernelDesign, FactorsAreAsCloseAsAskedFor) {  // (KER.12), (GREEDY.11)
  Random random(35);
  const Matrix X = random.normals(400, 2);
  const Kernel kernel = Kernel::gaussian(5);
  Matrix expected(400, 400);
  kernel.evaluate(X, X, expected);
  Index last = 0;
  for (double tolerance : {1e-4, 1e-6, 1e-9}) {
    SCOPED_TRACE(tolerance);
    KernelDesign design(kernel, X, X, false, KernelDesign::Keep::factors, {tolerance, 400});
    ASSERT_NE(design.factors(), nullptr);
    EXPECT_LE((product(design.factors()) - expected).cwiseAbs().maxCoeff(), tolerance * (1 + 1e-6));
    EXPECT_GT(design.factors()->left.cols(), last);
    last = design.factors()->left.cols();
    ColumnSubset some(design, {3, 4, 90, 399});
    ASSERT_NE(some.factors(), nullptr);
    EXPECT_EQ(distance(product(some.factors()), product(design.factors())(Eigen::all, std::vector<Index>{3, 4, 90, 399})), 0);
    Matrix columns(400, 4);
    some.columns(0, 4, columns);  // these are exact
    EXPECT_LE(distance(columns, expected(Eigen::all, std::vector<Index>{3, 4, 90, 399})), 1e-14);
  }
}

TEST(KernelDesign, KeepsTheMatrixWhereFactorsDoNotServe) {  // (KER.12)
  Random random(34);
  const Matrix X = random.normals(300, 1), negative = X.array() - 5;
  const auto factors = KernelDesign::Keep::factors;
  EXPECT_EQ(KernelDesign(Kernel::laplacian(1), X, X, true, factors).factors(), nullptr);               // too rough
  EXPECT_EQ(KernelDesign(Kernel::gaussian(1.5), X, X, true, factors, {1e-12, 5}).factors(), nullptr);  // more than was asked for
  EXPECT_EQ(KernelDesign(Kernel::gaussian(1.5), X.topRows(50), X, true, factors).factors(), nullptr);
  EXPECT_EQ(KernelDesign(Kernel::spline(), negative, negative, true, factors).factors(), nullptr);  // not positive semi-definite
  const Kernel skew = Kernel::callable([](const double* x, const double* c, Index) { return 2 + x[0] + std::tanh(c[0]); }, "skew");
  EXPECT_EQ(KernelDesign(skew, X, X, true, factors).factors(), nullptr);
  KernelDesign wide(Kernel::gaussian(1e4), X, X, true, factors);  // all but constant: a standardised column would be rounding
  ASSERT_NE(wide.factors(), nullptr);
  wide.standardize(Vector::Ones(300));
  EXPECT_EQ(wide.factors(), nullptr);
  EXPECT_TRUE(wide.is_kept());
  Matrix with_far = X;
  with_far(7, 0) = 1e3;  // its column is constant but for itself
  KernelDesign far(Kernel::gaussian(1.5), X, with_far, true, factors);
  far.standardize(Vector::Ones(300));
  ASSERT_NE(far.factors(), nullptr);
  EXPECT_EQ(far.standardization().scale[7], 0);
  EXPECT_LE(product(far.factors()).col(7).cwiseAbs().maxCoeff(), 0);
}

TEST(KernelDesign, DecidesByTheSizeOfTheMatrix) {
  const Matrix X = Vector::LinSpaced(5793, 0, 1);
  KernelDesign large(Kernel::linear(), X, X, true);  // 5793^2 = 2^25 + 4,417
  EXPECT_FALSE(large.is_kept());
  Matrix column(5793, 2);
  large.columns(5792, 2, column);
  EXPECT_LE(distance(column.col(0), X), 1e-15);
  EXPECT_TRUE((column.col(1).array() == 1).all());
  EXPECT_TRUE(large.set_products(Products::double_precision));
  EXPECT_FALSE(large.set_products(Products::single_precision));
}

}  // namespace
}  // namespace ardvark::internal
