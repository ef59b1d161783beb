#include "core/blas.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <vector>

#include "../support/plain.hpp"
#include "blas_matrices.hpp"
#include "core/single_precision.hpp"

namespace ardvark::internal {
namespace {

using blas::Side;
using blas::Transpose;
using testing::distance;
using testing::lower;
using testing::Padded;
using testing::positive_definite;
using testing::product;
using testing::Random;
using testing::strict_upper;
using testing::symmetric;

const Index sizes[] = {1, 3, 65};
const Index inner_sizes[] = {0, 1, 3, 65};
constexpr double tolerance = 1e-12;

TEST(Blas, SyrkAddsTheLowerTriangleOnly) {
  Random random(1);
  for (Transpose transpose : {Transpose::no, Transpose::yes})
    for (Index n : sizes)
      for (Index k : inner_sizes) {
        Padded A(random, transpose == Transpose::no ? n : k, transpose == Transpose::no ? k : n), C(random, n, n);
        const Matrix before = C.store;
        const Matrix AA =
            transpose == Transpose::no ? product(A.value(), A.value().transpose()) : product(A.value().transpose(), A.value());
        const Matrix expected = 0.7 * AA - 1.5 * C.value();
        blas::syrk(transpose, n, k, 0.7, A.data(), A.ld(), -1.5, C.data(), C.ld());
        EXPECT_LE(distance(lower(C.value()), lower(expected)), tolerance) << n << " " << k;
        EXPECT_EQ(strict_upper(C.value()), strict_upper(before.topLeftCorner(n, n))) << n << " " << k;
        EXPECT_EQ(C.store.bottomRows(2), before.bottomRows(2));
      }
}

TEST(Blas, GemmMultipliesInAllFourOrientations) {
  Random random(2);
  for (Transpose ta : {Transpose::no, Transpose::yes})
    for (Transpose tb : {Transpose::no, Transpose::yes})
      for (Index m : sizes)
        for (Index n : sizes)
          for (Index k : inner_sizes) {
            Padded A(random, ta == Transpose::no ? m : k, ta == Transpose::no ? k : m),
                B(random, tb == Transpose::no ? k : n, tb == Transpose::no ? n : k), C(random, m, n);
            const Matrix opA = ta == Transpose::no ? A.value() : A.value().transpose(),
                         opB = tb == Transpose::no ? B.value() : B.value().transpose();
            const Matrix expected = 2.0 * product(opA, opB) + 0.5 * C.value();
            blas::gemm(ta, tb, m, n, k, 2.0, A.data(), A.ld(), B.data(), B.ld(), 0.5, C.data(), C.ld());
            EXPECT_LE(distance(C.value(), expected), tolerance) << m << " " << n << " " << k;
          }
}

TEST(Blas, SymmReadsTheLowerTriangleOnly) {
  Random random(3);
  for (Index m : sizes)
    for (Index n : sizes) {
      Padded A(random, m, m), B(random, m, n), C(random, m, n);
      const Matrix expected = -2.0 * product(symmetric(A.value()), B.value()) + 3.0 * C.value();
      blas::symm(m, n, -2.0, A.data(), A.ld(), B.data(), B.ld(), 3.0, C.data(), C.ld());
      EXPECT_LE(distance(C.value(), expected), tolerance) << m << " " << n;
    }
}

TEST(Blas, TrmmMultipliesFromEitherSide) {
  Random random(4);
  for (Side side : {Side::left, Side::right})
    for (Transpose transpose : {Transpose::no, Transpose::yes})
      for (Index m : sizes)
        for (Index n : sizes) {
          Padded L(random, side == Side::left ? m : n, side == Side::left ? m : n), B(random, m, n);
          const Matrix triangle = lower(L.value()), op = transpose == Transpose::no ? triangle : Matrix(triangle.transpose());
          const Matrix expected = side == Side::left ? product(op, B.value()) : product(B.value(), op);
          blas::trmm(side, transpose, m, n, L.data(), L.ld(), B.data(), B.ld());
          EXPECT_LE(distance(B.value(), expected), tolerance) << m << " " << n;
        }
}

TEST(Blas, SinglePrecisionSyrkAndTrmmAgreeWithPlainLoops) {
  Random random(44);
  for (Index n : sizes)
    for (Index k : {1, 3, 65}) {
      const Matrix A = random.normals(k, n), L = lower(random.normals(n, n)), B = random.normals(k, n);
      const Eigen::MatrixXf Af = A.cast<float>(), Lf = L.cast<float>();
      Eigen::MatrixXf C = Eigen::MatrixXf::Constant(n, n, 2), D = B.cast<float>();
      blas::syrk(Transpose::yes, n, k, 1.0F, Af.data(), k, 0.0F, C.data(), n);
      blas::trmm(Side::right, Transpose::yes, k, n, Lf.data(), n, D.data(), k);
      const Matrix expected = product(A.transpose(), A);
      EXPECT_LE(distance(lower(C.cast<double>()), lower(expected)), 1e-4);
      EXPECT_TRUE((strict_upper(C.cast<double>()).array() == strict_upper(Matrix::Constant(n, n, 2)).array()).all());
      EXPECT_LE(distance(D.cast<double>(), product(B, L.transpose())), 1e-4);
    }
}

// As a BLAS without single precision would have it.
TEST(Blas, SinglePrecisionByEigenAgreesWithThatOfBlas) {
  Random random(45);
  const auto floats = [&](Index rows, Index columns) { return Eigen::MatrixXf(random.normals(rows, columns).cast<float>()); };
  const auto expect_equal = [](const Eigen::MatrixXf& found, const Eigen::MatrixXf& expected) {
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-4);
  };
  const Transpose transposes[] = {Transpose::no, Transpose::yes};
  for (const Index m : sizes)
    for (const Index n : sizes)
      for (const Transpose transpose : transposes) {
        for (const Index k : inner_sizes)
          for (const Transpose other : transposes) {
            // Beyond the rows that are used lies something else.
            const Eigen::MatrixXf A = floats(m + k, m + k), B = floats(n + k, n + k), before = floats(m + 2, n);
            Eigen::MatrixXf found = before, expected = before;
            single_precision::gemm(transpose, other, m, n, k, 2.0F, A.data(), m + k, B.data(), n + k, 0.5F, found.data(), m + 2);
            blas::gemm(transpose, other, m, n, k, 2.0F, A.data(), m + k, B.data(), n + k, 0.5F, expected.data(), m + 2);
            expect_equal(found, expected);
            Eigen::MatrixXf square = floats(m, m), same = square;
            single_precision::syrk(transpose, m, k, 0.7F, A.data(), m + k, -1.5F, square.data(), m);
            blas::syrk(transpose, m, k, 0.7F, A.data(), m + k, -1.5F, same.data(), m);
            expect_equal(square, same);
          }
        for (const Side side : {Side::left, Side::right}) {
          const Index order = side == Side::left ? m : n;
          const Eigen::MatrixXf L = floats(order, order), before = floats(m, n);
          Eigen::MatrixXf found = before, expected = before;
          single_precision::trmm(side, transpose, m, n, 1.0F, L.data(), order, found.data(), m);
          blas::trmm(side, transpose, m, n, L.data(), order, expected.data(), m);
          expect_equal(found, expected);
        }
      }
}

TEST(Blas, MatrixTimesVectorAgreesWithPlainLoops) {
  Random random(5);
  for (Index m : sizes)
    for (Index n : sizes)
      for (Transpose transpose : {Transpose::no, Transpose::yes}) {
        Padded A(random, m, n);
        const Matrix op = transpose == Transpose::no ? A.value() : A.value().transpose();
        const Vector x = random.normals(op.cols());
        Vector y = random.normals(op.rows());
        const Vector expected = 1.5 * product(op, x) - 0.5 * y;
        blas::gemv(transpose, m, n, 1.5, A.data(), A.ld(), x.data(), -0.5, y.data());
        EXPECT_LE(distance(y, expected), tolerance) << m << " " << n;
      }
}

TEST(Blas, GemvOfNothingIsZero) {
  Vector y{{1, 2, 3}};
  blas::gemv(Transpose::no, 3, 0, 1.0, nullptr, 3, nullptr, 2.0, y.data());
  EXPECT_EQ(y, (Vector{{2, 4, 6}}));
  y[1] = std::numeric_limits<double>::quiet_NaN();
  blas::gemv(Transpose::yes, 0, 3, 1.0, nullptr, 0, nullptr, 0.0, y.data());
  EXPECT_EQ(y, Vector::Zero(3));
}

TEST(Blas, GemvWithBetaZeroOverwritesNan) {
  Random random(6);
  const Matrix A = random.normals(3, 2);
  const Vector x = random.normals(2);
  Vector y = Vector::Constant(3, std::nan(""));
  blas::gemv(Transpose::no, 3, 2, 1.0, A.data(), 3, x.data(), 0.0, y.data());
  EXPECT_LE(distance(y, product(A, x)), tolerance);
}

TEST(Blas, TriangularAndSymmetricVectorsAgreeWithPlainLoops) {
  Random random(7);
  for (Index n : sizes) {
    Padded A(random, n, n);
    A.store.diagonal().array() += 10 * std::sqrt(static_cast<double>(n));  // well conditioned
    const Matrix L = lower(A.value());
    const Vector x = random.normals(n);
    Vector y = Vector::Constant(n, std::nan(""));
    blas::symv(n, A.data(), A.ld(), x.data(), y.data());
    EXPECT_LE(distance(y, product(symmetric(A.value()), x)), 1e-11);
    for (Transpose transpose : {Transpose::no, Transpose::yes}) {
      const Matrix op = transpose == Transpose::no ? L : Matrix(L.transpose());
      Vector z = x;
      blas::trmv(transpose, n, A.data(), A.ld(), z.data());
      EXPECT_LE(distance(z, product(op, x)), 1e-11) << n;
      blas::trsv(transpose, n, A.data(), A.ld(), z.data());
      EXPECT_LE(distance(z, x), tolerance) << n;
    }
  }
}

TEST(Blas, PotrfFactorsTrtriInvertsAndLauumMultiplies) {
  Random random(8);
  for (Index n : sizes) {
    const Matrix P = positive_definite(random, n);
    Padded A(random, n, n);
    A.store.topLeftCorner(n, n).triangularView<Eigen::Lower>() = P;
    const Matrix upper = strict_upper(A.value());
    ASSERT_TRUE(blas::potrf(n, A.data(), A.ld()));
    const Matrix L = lower(A.value());
    EXPECT_LE(distance(product(L, L.transpose()), P), 1e-11 * static_cast<double>(n)) << n;
    EXPECT_EQ(strict_upper(A.value()), upper);
    ASSERT_TRUE(blas::trtri(n, A.data(), A.ld()));
    const Matrix inverse = lower(A.value());
    EXPECT_LE(distance(product(inverse, L), Matrix::Identity(n, n)), 1e-11) << n;
    blas::lauum(n, A.data(), A.ld());
    EXPECT_LE(distance(lower(A.value()), lower(product(inverse.transpose(), inverse))), 1e-13) << n;
    EXPECT_EQ(strict_upper(A.value()), upper);
  }
}

TEST(Blas, PotrfRefusesNanWhereverItStands) {
  Random random(9);
  for (Index n : sizes)
    for (Index j = 0; j < n; j += 7)
      for (Index i = j; i < n; i += 5) {
        Matrix P = positive_definite(random, n);
        P(i, j) = std::nan("");
        EXPECT_FALSE(blas::potrf(n, P.data(), n)) << n << ": " << i << " " << j;
      }
}

TEST(Blas, PotrfRefusesInfinityWhereverItStands) {
  Random random(10);
  for (Index n : sizes)
    for (Index j = 0; j < n; j += 7)
      for (Index i = j; i < n; i += 5)
        for (double value : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
          Matrix P = positive_definite(random, n);
          P(i, j) = value;
          EXPECT_FALSE(blas::potrf(n, P.data(), n)) << n << ": " << value << " at " << i << " " << j;
        }
}

TEST(Blas, PotrfRefusesAnIndefiniteOrSingularMatrix) {
  Random random(11);
  for (Index n : sizes)
    for (Index j = 0; j < n; j += 4) {
      Matrix P = positive_definite(random, n);
      P(j, j) = -1e-3;
      EXPECT_FALSE(blas::potrf(n, P.data(), n)) << n << ": " << j;
    }
  Matrix zero = Matrix::Zero(3, 3);
  EXPECT_FALSE(blas::potrf(3, zero.data(), 3));
  Matrix ones = Matrix::Ones(2, 2);
  EXPECT_FALSE(blas::potrf(2, ones.data(), 2));
}

TEST(Blas, PotrfNeverReadsTheStrictUpperTriangle) {
  Random random(12);
  Matrix P = positive_definite(random, 65);
  P.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  EXPECT_TRUE(blas::potrf(65, P.data(), 65));
  EXPECT_TRUE(lower(P).diagonal().allFinite());
}

TEST(Blas, TrtriRefusesAZeroOnTheDiagonal) {
  for (Index n : {3, 65, 130})
    for (Index j : {Index{0}, n / 2, n - 1}) {
      Matrix L = Matrix::Identity(n, n);
      L(j, j) = 0;
      EXPECT_FALSE(blas::trtri(n, L.data(), n)) << n << ": " << j;
    }
}

TEST(Blas, SytrdAndItsReflectorsRebuildTheMatrix) {
  Random random(13);
  for (Index n : {Index{1}, Index{2}, Index{3}, Index{65}}) {
    Padded A(random, n, n);
    const Matrix S = symmetric(A.value());
    Vector diagonal(n), off(std::max<Index>(n - 1, 1)), tau(std::max<Index>(n - 1, 1));
    blas::sytrd(n, A.data(), A.ld(), diagonal.data(), off.data(), tau.data());
    Matrix Q_transposed = Matrix::Identity(n, n), T = Matrix::Zero(n, n);
    for (Index j = 0; j < n; ++j) blas::apply_reflectors_transposed(n, A.data(), A.ld(), tau.data(), Q_transposed.col(j).data());
    T.diagonal() = diagonal;
    for (Index j = 0; j + 1 < n; ++j) T(j, j + 1) = T(j + 1, j) = off[j];
    EXPECT_LE(distance(product(Q_transposed.transpose(), product(T, Q_transposed)), S), 1e-11) << n;
    EXPECT_LE(distance(product(Q_transposed, Q_transposed.transpose()), Matrix::Identity(n, n)), 1e-12) << n;
  }
}

TEST(Blas, SyevdRebuildsTheMatrixAtAnyScale) {
  Random random(14);
  for (const double scale : {1.0, 1e-160, 1e150})
    for (Index n : {Index{1}, Index{3}, Index{65}, Index{127}, Index{128}, Index{301}}) {
      Padded A(random, n, n);
      const Matrix S = symmetric(A.value());
      A.store *= scale;
      Vector values(n);
      ASSERT_TRUE(blas::syevd(n, A.data(), A.ld(), values.data()));
      const Matrix Q = A.value();
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
      EXPECT_LE(distance(Q * (values / scale).asDiagonal() * Q.transpose(), S), 1e-12) << n;
      EXPECT_LE(distance(Q.transpose() * Q, Matrix::Identity(n, n)), 1e-12) << n;
    }
  Matrix bad = Matrix::Constant(2, 2, std::numeric_limits<double>::quiet_NaN());
  Vector values(2);
  EXPECT_FALSE(blas::syevd(2, bad.data(), 2, values.data()));
}

// Where the halves of the tridiagonal form share values, or do not touch.
TEST(Blas, SyevdKnowsManifoldEigenvalues) {
  Random random(16);
  for (const Index n : {128, 131, 260}) {
    const Matrix few = random.normals(n, 3), block = random.normals(n / 4, n / 4);
    Matrix apart = Matrix::Zero(n, n);
    apart.topLeftCorner(n / 4, n / 4) = apart.bottomRightCorner(n / 4, n / 4) = block * block.transpose();
    const std::vector<Matrix> all = {Matrix::Zero(n, n), Matrix::Identity(n, n), 1e-9 * Matrix(few * few.transpose()),
                                     Matrix::Identity(n, n) + few * few.transpose(), apart};
    for (std::size_t kind = 0; kind < all.size(); ++kind) {
      const Matrix& S = all[kind];
      Matrix Q = S;
      Vector values(n);
      ASSERT_TRUE(blas::syevd(n, Q.data(), n, values.data()));
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end())) << n << ": " << kind;
      const double size = std::max(S.cwiseAbs().maxCoeff(), 1e-300);
      EXPECT_LE((Q * values.asDiagonal() * Q.transpose() - S).cwiseAbs().maxCoeff(), 1e-12 * size) << n << ": " << kind;
      EXPECT_LE(distance(Q.transpose() * Q, Matrix::Identity(n, n)), 1e-12) << n << ": " << kind;
    }
  }
}

TEST(Blas, SyevdEndsEarlyWhereAnEigenvalueIsTooSmall) {
  Random random(17);
  for (const double scale : {1.0, 1e-160, 1e150})
    for (const Index n : {1, 2, 40, 200}) {
      const Matrix few = random.normals(n, n + 5), S = few * few.transpose();
      Matrix Q = S * scale;
      Vector values(n), again(n);
      ASSERT_TRUE(blas::syevd(n, Q.data(), n, values.data()));
      for (const double factor : {0.99, 1.01}) {
        Q = S * scale;
        EXPECT_EQ(blas::syevd(n, Q.data(), n, again.data(), factor * values[0]), factor < 1) << n;
      }
    }
}

TEST(Blas, DoesNothingForSizeZero) {
  double nothing = 5;
  blas::syrk(Transpose::yes, 0, 0, 1, &nothing, 0, 0, &nothing, 0);
  blas::gemm(Transpose::no, Transpose::no, 0, 0, 0, 1, &nothing, 0, &nothing, 0, 0, &nothing, 0);
  EXPECT_TRUE(blas::potrf(0, &nothing, 0));
  EXPECT_EQ(nothing, 5);
}

}  // namespace
}  // namespace ardvark::internal
