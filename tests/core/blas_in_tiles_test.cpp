// Products, factors and decompositions in tiles: the same bits with any number of threads.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <optional>

#include "../support/plain.hpp"
#include "blas_matrices.hpp"
#include "core/blas.hpp"
#include "core/products.hpp"

namespace ardvark::internal {
namespace {

using blas::Side;
using blas::Transpose;
using testing::distance;
using testing::lower;
using testing::product;
using testing::Random;
using testing::strict_upper;
using testing::symmetric;

// Large enough for tiles. A plain product would take too long here: sums of the products with a few vectors stand in for the matrix.
class InTiles : public ::testing::Test {
 protected:
  // run() for some numbers of threads: the same bits each time, which it leaves in what it returns.
  template <typename Run>
  static Matrix expect_the_same(const Run& run) {
    std::optional<Matrix> first;
    for (const int threads : {1, 2, 3, 4}) {
      const blas::ThreadScope scope(threads);
      const Matrix found = run();
      if (!first) first = found;
      EXPECT_TRUE((found.array() == first->array()).all()) << threads << " threads";
    }
    return *first;
  }
  static constexpr double precise = 1e-12;
  Random random_{21};
};

TEST_F(InTiles, ProductsOfMatricesHaveTheBitsOfOneThread) {
  for (const auto& [m, n, k] : {std::array<Index, 3>{130, 3000, 300}, {3000, 130, 300}, {700, 600, 200}, {1100, 1030, 70}}) {
    const Matrix A = random_.normals(m, k), B = random_.normals(k, n), At = A.transpose(), Bt = B.transpose(), C = random_.normals(m, n);
    const Matrix expected = 2 * A * B - 0.5 * C;
    for (const bool flip_A : {false, true})
      for (const bool flip_B : {false, true}) {
        const Matrix found = expect_the_same([&, m = m, n = n, k = k] {
          Matrix out = C;
          blas::gemm(flip_A ? Transpose::yes : Transpose::no, flip_B ? Transpose::yes : Transpose::no, m, n, k, 2.0,
                     flip_A ? At.data() : A.data(), flip_A ? k : m, flip_B ? Bt.data() : B.data(), flip_B ? n : k, -0.5, out.data(), m);
          return out;
        });
        EXPECT_LE(distance(found, expected), precise * static_cast<double>(k));
      }
  }
}

TEST_F(InTiles, SquaresHaveTheBitsOfOneThreadAndLeaveTheUpperTriangleAlone) {
  for (const auto& [n, k] : {std::array<Index, 2>{127, 6000}, {128, 6000}, {129, 6000}, {700, 200}, {1100, 70}}) {
    const Matrix A = random_.normals(n, k), At = A.transpose(), C = random_.normals(n, n), expected = 0.5 * C - 2 * A * At;
    for (const bool by_columns : {false, true}) {
      const Matrix found = expect_the_same([&, n = n, k = k] {
        Matrix out = C;
        blas::syrk(by_columns ? Transpose::yes : Transpose::no, n, k, -2.0, by_columns ? At.data() : A.data(), by_columns ? k : n, 0.5,
                   out.data(), n);
        return out;
      });
      EXPECT_LE(distance(lower(found), lower(expected)), precise * static_cast<double>(k));
      EXPECT_EQ(strict_upper(found), strict_upper(C));
    }
  }
}

TEST_F(InTiles, TriangularAndSymmetricProductsHaveTheBitsOfOneThread) {
  for (const auto& [m, n] : {std::array<Index, 2>{300, 1100}, {1100, 300}, {600, 500}}) {
    const Matrix A = random_.normals(m, m), R = random_.normals(n, n), B = random_.normals(m, n);
    for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
      const bool flip = transpose == Transpose::yes;
      const Matrix L = flip ? Matrix(lower(A).transpose()) : lower(A), K = flip ? Matrix(lower(R).transpose()) : lower(R);
      const Matrix left = expect_the_same([&, m = m, n = n] {
        Matrix out = B;
        blas::trmm(Side::left, transpose, m, n, A.data(), m, out.data(), m);
        return out;
      });
      EXPECT_LE(distance(left, L * B), precise * static_cast<double>(m));
      const Matrix right = expect_the_same([&, m = m, n = n] {
        Matrix out = B;
        blas::trmm(Side::right, transpose, m, n, R.data(), n, out.data(), m);
        return out;
      });
      EXPECT_LE(distance(right, B * K), precise * static_cast<double>(n));
    }
    const Matrix product = expect_the_same([&, m = m, n = n] {
      Matrix out = B;
      blas::symm(m, n, 1.5, A.data(), m, B.data(), m, -1.0, out.data(), m);
      return out;
    });
    EXPECT_LE(distance(product, 1.5 * symmetric(A) * B - B), precise * static_cast<double>(m));
  }
}

TEST_F(InTiles, ProductsWithAVectorHaveTheBitsOfOneThread) {
  for (const auto& [m, n] : {std::array<Index, 2>{200000, 7}, {7, 200000}, {1000, 1000}, {3000, 400}, {400, 3000}, {2047, 500}}) {
    const Matrix A = random_.normals(m, n);
    for (const Transpose transpose : {Transpose::no, Transpose::yes}) {
      const bool flip = transpose == Transpose::yes;
      const Vector x = random_.normals(flip ? m : n), y = random_.normals(flip ? n : m);
      for (const double beta : {0.0, -0.5}) {
        const Matrix found = expect_the_same([&, m = m, n = n] {
          Vector out = y;
          blas::gemv(transpose, m, n, 1.5, A.data(), m, x.data(), beta, out.data());
          return Matrix(out);
        });
        const Vector product = flip ? Vector(A.transpose() * x) : Vector(A * x);
        EXPECT_LE(distance(found, 1.5 * product + beta * y), precise * std::sqrt(static_cast<double>(flip ? m : n))) << m << " " << n;
      }
    }
  }
}

TEST_F(InTiles, FactorsAndInversesHaveTheBitsOfOneThread) {
  for (const Index n : {511, 513, 1100, 1300}) {
    const Matrix root = random_.normals(n, n + 20), P = root * root.transpose() / static_cast<double>(n);
    const auto factor = [&] {
      Matrix L = P;
      EXPECT_TRUE(blas::potrf(n, L.data(), n));
      return L;
    };
    const Matrix found = expect_the_same(factor), L = lower(found);
    EXPECT_LE(distance(L * L.transpose(), P), 1e-11);
    EXPECT_EQ(strict_upper(found), strict_upper(P));
    const Matrix inverse = expect_the_same([&] {
      Matrix out = found;
      EXPECT_TRUE(blas::trtri(n, out.data(), n));
      return out;
    });
    EXPECT_LE(distance(lower(inverse) * L, Matrix::Identity(n, n)), 1e-9);
    const Matrix square = expect_the_same([&] {
      Matrix out = found;
      blas::lauum(n, out.data(), n);
      return out;
    });
    EXPECT_LE(distance(lower(square), lower(L.transpose() * L)), 1e-11);
    EXPECT_EQ(strict_upper(square), strict_upper(P));
  }
  Matrix indefinite = Matrix::Identity(1100, 1100);
  for (const Index j : {3, 600, 1099}) {
    indefinite(j, j) = -1;
    Matrix L = indefinite;
    EXPECT_FALSE(blas::potrf(1100, L.data(), 1100)) << j;
    indefinite(j, j) = 1;
  }
}

TEST_F(InTiles, DecompositionsHaveTheBitsOfOneThread) {
  const Index n = 1100;  // beyond what used to run on one thread
  const Matrix S = random_.normals(n, n), symmetric_S = symmetric(S);
  Vector values(n);
  const Matrix Q = expect_the_same([&] {
    Matrix out = S;
    EXPECT_TRUE(blas::syevd(n, out.data(), n, values.data()));
    return out;
  });
  EXPECT_LE(distance(Q * values.asDiagonal() * Q.transpose(), symmetric_S), 1e-11);
  EXPECT_LE(distance(Q.transpose() * Q, Matrix::Identity(n, n)), 1e-12);
  const Vector x = random_.normals(n);
  const Matrix product = expect_the_same([&] {
    Vector out = Vector::Constant(n, std::nan(""));
    blas::symv(n, S.data(), n, x.data(), out.data());
    return Matrix(out);
  });
  EXPECT_LE(distance(product, symmetric_S * x), 1e-11);
}

TEST_F(InTiles, ReductionsToTridiagonalFormHaveTheBitsOfOneThread) {
  for (const Index n : {2050}) {
    const Matrix S = random_.normals(n, n);
    Vector diagonal(n), off(n - 1), tau(n - 1);
    const Matrix A = expect_the_same([&] {
      Matrix out = S;
      blas::sytrd(n, out.data(), n, diagonal.data(), off.data(), tau.data());
      return out;
    });
    EXPECT_EQ(strict_upper(A), strict_upper(S));
    Matrix z = random_.normals(n, 3), Sz = symmetric(S) * z, T = Matrix::Zero(n, n);
    for (Matrix* all : {&z, &Sz})
      for (Index j = 0; j < 3; ++j) blas::apply_reflectors_transposed(n, A.data(), n, tau.data(), all->col(j).data());
    T.diagonal() = diagonal;
    for (Index j = 0; j + 1 < n; ++j) T(j, j + 1) = T(j + 1, j) = off[j];
    EXPECT_LE(distance(Sz, T * z), 1e-10) << n;  // Q'S = T Q'
  }
}

TEST(Products, OfAnyShapeAndOrientationWithAnyNumberOfThreads) {
  Random random(16);
  for (const auto& [rows, inner, cols] :
       {std::array<Index, 3>{300, 1, 2}, {2, 3, 300}, {500, 400, 260}, {260, 400, 500}, {0, 3, 2}, {3, 0, 2}}) {
    const Matrix A = random.normals(rows, inner), B = random.normals(inner, cols), expected = A * B;
    std::optional<Matrix> first;
    for (const int threads : {1, 3}) {
      const blas::ThreadScope scope(threads);
      const Matrix found = products::times(A, B);
      EXPECT_LE(distance(found, expected), 1e-11) << rows << " " << inner << " " << cols;
      EXPECT_LE(distance(products::transposed_times(Matrix(A.transpose()), B), expected), 1e-11);
      EXPECT_LE(distance(products::times_transposed(A, Matrix(B.transpose())), expected), 1e-11);
      if (!first) first = found;
      EXPECT_EQ(found, *first);
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
