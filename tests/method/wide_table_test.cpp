// The reduced rows of the active columns of a wide table, against the columns themselves.                              (SP.26), (SP.27)
#include "method/spike_slab/wide_table.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SparseCore>
#include <memory>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "core/rearrange.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

using ardvark::testing::Random;

// 30 columns, of which some are copies, sums of others or zero, with weighted rows and an intercept.
struct WideTableCase {
  Matrix X;
  Vector y, omega;
  Eigen::SparseMatrix<double> entries;
  std::unique_ptr<TableDesign> design;
  PenalisedColumns all;
  Matrix centred;  // diag(omega)^1/2 (X - mean)
  Vector target;

  explicit WideTableCase(Index n, bool is_sparse = false) : WideTableCase(n, is_sparse, Random(3)) {}
  WideTableCase(Index n, bool is_sparse, Random random)
      : X(drawn(n, is_sparse, random)), y(random.normals(n)), omega(random.normals(n).cwiseAbs()), entries(X.sparseView()) {
    const Standardization units{Vector(), Vector(), true};
    if (is_sparse)
      design = table_design(CscView(entries.outerIndexPtr(), entries.innerIndexPtr(), entries.valuePtr(), n, X.cols()), units);
    else
      design = table_design(MatrixView(X), units);
    for (Index j = 0; j < X.cols(); ++j) all.columns.push_back(j), all.begin.push_back(j);
    all.begin.push_back(X.cols());
    all.flat = {X.cols()};
    const Vector root = omega.cwiseSqrt();
    const auto without_mean = [&](const Vector& x) { return Vector(root.cwiseProduct(Vector(x.array() - omega.dot(x) / omega.sum()))); };
    centred.resize(n, X.cols());
    for (Index j = 0; j < X.cols(); ++j) centred.col(j) = without_mean(X.col(j));
    target = without_mean(y);
  }
  // In a sparse table, all columns but two have few entries.
  static Matrix drawn(Index n, bool is_sparse, Random& random) {
    Matrix X = random.normals(n, 30);
    if (is_sparse) X = (random.normals(n, 30).array() > 1).select(X, 0.0);
    X.col(4) = X.col(2);
    X.col(9).setZero();
    X.col(17) = X.col(3) - 2 * X.col(8);
    X.col(20).array() += 5;
    return X;
  }
};

std::unique_ptr<WideTable> begun_table(WideTableCase& of) {
  auto table = std::make_unique<WideTable>(*of.design, of.all, of.omega, of.y, of.omega.sum());
  EXPECT_TRUE(table->begin());
  table->look_at_all();
  return table;
}

// Columns that come later are found in the same rows; rows that were handed out stay.
class RowsOfWideTable : public ::testing::TestWithParam<bool> {};

TEST_P(RowsOfWideTable, HaveTheProductsOfTheColumns) {
  for (const Index n : {50, 12}) {  // with 12 rows the columns span everything
    SCOPED_TRACE(n);
    WideTableCase of(n, GetParam());
    const auto begun = begun_table(of);
    WideTable& table = *begun;
    table.activate({2, 20, 3});
    const auto before = table.rows();
    const Matrix Z_before = before->Z();
    table.activate({4, 9, 8, 17});
    table.activate({0, 1, 29, 28, 27, 26, 25, 24, 23, 22, 21, 19, 18, 16, 15, 14});
    EXPECT_EQ(Matrix(before->Z()), Z_before);
    const Matrix A = of.centred(Eigen::all, table.active());
    for (const KeepBasis basis : {KeepBasis::no, KeepBasis::yes}) {
      const auto rows = table.rows(basis);
      const Matrix Z = rows->Z();
      const Index rank = Eigen::FullPivLU<Matrix>(A).setThreshold(1e-8).rank();
      EXPECT_GE(Z.rows(), rank);
      EXPECT_LE(Z.rows(), rank + (GetParam() ? 1 : 0)) << "rounding may open a row more, which has no length";
      if (!GetParam()) {
        EXPECT_EQ(Z.rows(), n == 50 ? 20 : 11);  // 23 columns: one is a copy, one is zero, one is a sum of others
      }
      EXPECT_LT((Z.transpose() * Z - A.transpose() * A).norm(), 1e-11 * A.squaredNorm());
      EXPECT_LT((Z.transpose() * rows->y - A.transpose() * of.target).norm(), 1e-10 * A.norm() * of.target.norm());
      EXPECT_NEAR(rows->rest + rows->y.squaredNorm(), of.target.squaredNorm(), 1e-10 * of.target.squaredNorm());
      EXPECT_NEAR(rows->square, A.squaredNorm(), 1e-10 * A.squaredNorm());
      if (basis == KeepBasis::no) continue;
      EXPECT_LT((rows->U * Z - A).norm(), 1e-8 * A.norm());
      const Matrix ZZ = Z * Z.transpose();
      EXPECT_LT((ZZ - Matrix(rows->l.asDiagonal())).norm(), 1e-10 * ZZ.norm());
    }
    const Matrix m = Random(5).normals(A.cols(), 3);
    EXPECT_LT((table.residuals(m, Matrix()) - (of.target.replicate(1, 3) - A * m)).norm(), 1e-11 * A.norm() * m.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, RowsOfWideTable, ::testing::Values(false, true),
                         [](const auto& one) { return one.param ? "Sparse" : "Dense"; });

// Full columns and columns with few entries, with and without a flat column that spans a constant.
TEST(HeldEntries, HaveTheProductsOfTheColumns) {
  for (const bool has_constant : {true, false})
    for (const Index n : {50, 12}) {
      WideTableCase of(n, true);
      const Vector root = of.omega.cwiseSqrt();
      Vector flat = root;
      if (!has_constant) flat = root.cwiseProduct(Random(9).normals(n));
      const Matrix Q = flat.normalized();
      HeldEntries held(*of.design, root, Q, has_constant);
      Matrix A = root.asDiagonal() * of.X;
      const Matrix with_flat = Q.transpose() * A;
      A -= Q * with_flat;
      const std::vector<Index> first = {2, 20, 3, 8, 29}, more = {4, 9, 17, 26, 21, 27};
      held.hold(first);
      const auto found = held.products(more, of.target);
      ASSERT_TRUE(found);
      const Matrix X = A(Eigen::all, more);
      EXPECT_LT((found->with_held - A(Eigen::all, first).transpose() * X).norm(), 1e-14 * A.squaredNorm());
      EXPECT_LT((found->among - X.transpose() * X).norm(), 1e-14 * A.squaredNorm());
      EXPECT_LT((found->with_flat - with_flat(Eigen::all, more)).norm(), 1e-14 * A.norm());
      const Vector target = of.target - Q * (Q.transpose() * of.target);
      EXPECT_LT((held.products(more, target)->of_target - X.transpose() * target).norm(), 1e-14 * A.norm() * target.norm());
    }
}

TEST(WideTable, TurnsRowsByTheDecomposition) {
  WideTableCase of(12);
  const auto begun = begun_table(of);
  WideTable& table = *begun;
  Matrix K = of.X * of.X.transpose();
  ASSERT_TRUE(table.decompose(std::move(K)));
  table.activate({2, 20, 3});
  table.activate({4, 17});
  const auto rows = table.rows();
  const Matrix A = of.centred(Eigen::all, table.active()), Z = rows->Z();
  EXPECT_LT((Z.transpose() * Z - A.transpose() * A).norm(), 1e-10 * A.squaredNorm());
  EXPECT_LT((table.U().transpose() * A - Z).norm(), 1e-11 * A.norm());
}

}  // namespace
}  // namespace ardvark::internal
