#include "core/blas.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "core/products.hpp"

extern "C" {
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads(void);
}

namespace ardvark {
namespace {

using blas::Side;
using blas::Transpose;
using testing::distance;
using testing::Random;

const Index sizes[] = {1, 3, 65};
const Index inner_sizes[] = {0, 1, 3, 65};
constexpr double tolerance = 1e-12;

// A matrix in the middle of a larger block of memory, so that the leading dimension is not the number of rows.
struct Padded {
  Matrix store;
  Index rows, cols;
  Padded(Random& random, Index r, Index c) : store(random.normals(r + 2, c + 1)), rows(r), cols(c) {}
  [[nodiscard]] double* data() { return store.data(); }
  [[nodiscard]] Index ld() const { return store.rows(); }
  [[nodiscard]] Matrix value() const { return store.topLeftCorner(rows, cols); }
};

Matrix lower(const Matrix& A) { return A.triangularView<Eigen::Lower>(); }
Matrix strict_upper(const Matrix& A) { return A.triangularView<Eigen::StrictlyUpper>(); }

Matrix product(const Matrix& A, const Matrix& B) {
  Matrix C = Matrix::Zero(A.rows(), B.cols());
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < B.cols(); ++j)
      for (Index k = 0; k < A.cols(); ++k) C(i, j) += A(i, k) * B(k, j);
  return C;
}

Matrix symmetric(const Matrix& A) {
  Matrix S = A;
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = 0; i < j; ++i) S(i, j) = A(j, i);
  return S;
}

Matrix positive_definite(Random& random, Index n) {
  const Matrix B = random.normals(n, n + 2);
  return product(B, B.transpose()) + Matrix::Identity(n, n);
}

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
        const Matrix found = expect_the_same([&] {
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
      const Matrix found = expect_the_same([&] {
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
      const Matrix left = expect_the_same([&] {
        Matrix out = B;
        blas::trmm(Side::left, transpose, m, n, A.data(), m, out.data(), m);
        return out;
      });
      EXPECT_LE(distance(left, L * B), precise * static_cast<double>(m));
      const Matrix right = expect_the_same([&] {
        Matrix out = B;
        blas::trmm(Side::right, transpose, m, n, R.data(), n, out.data(), m);
        return out;
      });
      EXPECT_LE(distance(right, B * K), precise * static_cast<double>(n));
    }
    const Matrix product = expect_the_same([&] {
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
        const Matrix found = expect_the_same([&] {
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

TEST(Blas, DoesNothingForSizeZero) {
  double nothing = 5;
  blas::syrk(Transpose::yes, 0, 0, 1, &nothing, 0, 0, &nothing, 0);
  blas::gemm(Transpose::no, Transpose::no, 0, 0, 0, 1, &nothing, 0, &nothing, 0, 0, &nothing, 0);
  EXPECT_TRUE(blas::potrf(0, &nothing, 0));
  EXPECT_EQ(nothing, 5);
}

TEST(ThreadScope, RestoresTheSettingAlsoWhenAnExceptionPasses) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  const int two = openblas_get_num_threads();
  {
    const blas::ThreadScope one(1);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    {
      const blas::ThreadScope keep(0);
      EXPECT_EQ(openblas_get_num_threads(), 1);
    }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), two);
  try {
    const blas::ThreadScope one(1);
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(openblas_get_num_threads(), two);
  openblas_set_num_threads(before);
}

TEST(ThreadScope, HoldsBlasAtOneThreadAndTellsTheNumberOfOurs) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  const int two = openblas_get_num_threads();
  EXPECT_EQ(blas::num_threads(), two);
  {
    const blas::ThreadScope callers(0);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    EXPECT_EQ(blas::num_threads(), two);
    const blas::ThreadScope one(1), alone{blas::ThreadScope::OursAlone{}};
    EXPECT_EQ(openblas_get_num_threads(), 1);
    EXPECT_EQ(blas::num_threads(), 1);  // that of the scope around it
    const blas::ThreadScope asked(5);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    EXPECT_EQ(blas::num_threads(), 5);
  }
  EXPECT_EQ(openblas_get_num_threads(), two);
  EXPECT_EQ(blas::multiplications(10, 3), 90);
  EXPECT_EQ(blas::multiplications(3, 10), 90);
  openblas_set_num_threads(before);
}

TEST(ThreadScope, IsMadeByACallThatHasNone) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  Random random(22);
  const Matrix A = random.normals(600, 600);
  const auto square = [&] {
    Matrix out = Matrix::Zero(600, 600);
    blas::syrk(Transpose::no, 600, 600, 1.0, A.data(), 600, 0.0, out.data(), 600);
    return out;
  };
  openblas_set_num_threads(1);
  const Matrix of_one = square();
  openblas_set_num_threads(3);
  const int three = openblas_get_num_threads();
  EXPECT_EQ(square(), of_one);
  EXPECT_EQ(openblas_get_num_threads(), three);
  openblas_set_num_threads(before);
}

// One number for the process: scopes of several threads, and those that do not end in the order in which they began.
TEST(ThreadScope, OfSeveralThreadsComeBackToTheCallersNumberInAnyOrder) {
  if (openblas_get_num_threads == nullptr) GTEST_SKIP() << "another BLAS than OpenBLAS";
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  const int two = openblas_get_num_threads();
  std::optional<blas::ThreadScope> here(std::in_place, 1), later(std::in_place, 1);
  EXPECT_EQ(openblas_get_num_threads(), 1);
  std::thread([&] {
    const blas::ThreadScope small(1);
    EXPECT_EQ(blas::num_threads(), 1);
    const blas::ThreadScope asked(2);  // the largest number of two threads
    EXPECT_EQ(blas::num_threads(), 2);
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }).join();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  here.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  later.reset();
  EXPECT_EQ(openblas_get_num_threads(), two);
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([] {
      for (int i = 0; i < 2000; ++i) const blas::ThreadScope scope(1 + i % 2);
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(openblas_get_num_threads(), two);
  openblas_set_num_threads(before);
}

}  // namespace
}  // namespace ardvark
