// Products by tiles of bfloat16.                                                                            docs/math/optimum.md (MP.6)
#include "core/tile_products.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "../support/random_problem.hpp"

namespace ardvark::internal::tiles {
namespace {

class TileProducts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!are_used()) GTEST_SKIP() << "this processor has no tiles of bfloat16 (AMX), or ARDVARK_SIMD leaves them out";
  }
};

struct Both {
  Operand left, right;
};

// The columns of A on the left and those of B on the right side; `are_rows`: of their transposes.
Both operands(const Eigen::MatrixXf& A, const Eigen::MatrixXf& B, bool are_rows = false) {
  Both out;
  Operand other;
  if (are_rows) {
    other.take_rows(A.transpose());
    out.left.turn(other);
    out.right.take_rows(B.transpose());
  } else {
    out.left.take_columns(A);
    other.take_columns(B);
    out.right.turn(other);
  }
  return out;
}

// [vectors of the left, vectors of the right side]
Eigen::MatrixXf product(const Both& of) {
  Eigen::MatrixXf out(of.right.blocks() * block, of.left.blocks() * block);  // by row
  for (Index i = 0; i < of.left.blocks(); ++i)
    for (Index j = 0; j < of.right.blocks(); ++j) multiply(of.left, i, of.right, j, &out(j * block, i * block), out.outerStride());
  return out.topLeftCorner(of.right.vectors(), of.left.vectors()).transpose();
}

Eigen::MatrixXf random_matrix(Index rows, Index cols, testing::Random& random) {
  return Eigen::MatrixXf::NullaryExpr(rows, cols, [&] { return static_cast<float>(random.normal()); });
}

TEST_F(TileProducts, OfWholeNumbersAreExact) {
  testing::Random random(1);
  for (const auto& [length, left, right] : {std::array<Index, 3>{1, 1, 1}, {31, 33, 16}, {32, 32, 32}, {100, 7, 17}, {65, 70, 49}})
    for (bool are_rows : {false, true}) {
      // 16 bits each, the sum below 2^24
      const Eigen::MatrixXf A = (1000 * random_matrix(length, left, random)).array().round().min(5000).max(-5000);
      const Eigen::MatrixXf B = random_matrix(length, right, random).array().round();
      EXPECT_EQ(product(operands(A, B, are_rows)), Eigen::MatrixXf(A.transpose() * B)) << length << ' ' << left << ' ' << right;
      EXPECT_EQ(product(operands(B, A, are_rows)), Eigen::MatrixXf(B.transpose() * A)) << length << ' ' << left << ' ' << right;
    }
}

TEST_F(TileProducts, KeepSinglePrecision) {
  testing::Random random(2);
  const Eigen::MatrixXf A = random_matrix(500, 40, random), B = random_matrix(500, 25, random);
  const Matrix exact = A.cast<double>().transpose() * B.cast<double>();
  const Matrix size = A.cwiseAbs().cast<double>().transpose() * B.cwiseAbs().cast<double>();
  const Eigen::MatrixXf C = product(operands(A, B));
  EXPECT_LT((C.cast<double>() - exact).cwiseQuotient(size).cwiseAbs().maxCoeff(), 20 * std::exp2(-24));
}

TEST_F(TileProducts, AnOperandMayBeUsedAgainForOtherVectors) {
  testing::Random random(3);
  const Eigen::MatrixXf large = random_matrix(90, 70, random), A = random_matrix(40, 20, random), B = random_matrix(40, 5, random);
  Both used = operands(large, large);
  const Eigen::MatrixXf first = product(operands(A, B));
  used.left.take_columns(A);
  Operand columns;
  columns.take_columns(large);
  columns.take_columns(B);
  used.right.turn(columns);
  EXPECT_EQ(product(used), first);
}

}  // namespace
}  // namespace ardvark::internal::tiles
