// Rows of few entries, against the dense design of the same columns.                                                             (SL.8)
#include "design/sparse_rows.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "../support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

struct Problem {
  Matrix X;
  Standardization standardization;
};

// Dummies of 24 levels, a column of zeros, one that is left out, a numeric column far from 0.
Problem mostly_zero(Random& random, Index n, bool standardises, bool intercept) {
  Problem out{Matrix::Zero(n, 27), {{}, {}, intercept}};
  for (Index i = 0; i < n; ++i) {
    out.X(i, i % 24) = random.uniform(0.5, 2);
    out.X(i, 25) = out.X(i, (i + 1) % 24);
    out.X(i, 26) = 1e6 + random.normal();
  }
  if (standardises) {
    out.standardization.center = out.X.colwise().mean().transpose();
    out.standardization.scale = Vector::Constant(27, 3.0);
    out.standardization.scale[25] = 0;
  }
  return out;
}

TEST(SparseRows, AnswerAsTheDenseDesign) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 100;
    const Problem problem = mostly_zero(random, n, seed % 2 == 0, seed % 3 != 0);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = problem.X;
    const MatrixView X = seed % 4 < 2 ? MatrixView(problem.X) : MatrixView(by_rows);
    DenseDesign dense(X, problem.standardization);
    const auto sparse = SparseRows::of(X, problem.standardization);
    ASSERT_NE(sparse, nullptr);
    const Index q = dense.cols();
    ASSERT_EQ(sparse->cols(), q);
    ASSERT_EQ(sparse->rows(), n);
    Matrix rows(n, q);
    dense.columns(0, q, rows);
    const Vector omega = random.normals(n).cwiseAbs(), r = random.normals(n), w = random.normals(q);
    Matrix G = Matrix::Zero(q, q);
    Vector Xr(q);
    sparse->gram_and_project(omega, r, G, Xr);
    const Matrix expected = rows.transpose() * omega.asDiagonal() * rows;
    EXPECT_LE((Matrix(G.triangularView<Eigen::Lower>()) - Matrix(expected.triangularView<Eigen::Lower>())).norm(), 1e-12 * expected.norm());
    const Vector of_r = rows.transpose() * omega.cwiseProduct(r);
    EXPECT_LE((Xr - of_r).norm(), 1e-12 * of_r.norm());
    const Vector Xw = rows * w;
    EXPECT_LE((sparse->apply(w) - Xw).norm(), 1e-12 * Xw.norm());
    const Matrix root = random.normals(q, q), T = root * root.transpose();
    const Vector forms = (rows * T).cwiseProduct(rows).rowwise().sum();
    EXPECT_LE((sparse->forms(T) - forms).norm(), 1e-12 * forms.norm());
  }
}

TEST(SparseRows, AreNotOfTablesWithManyEntries) {
  Random random(1);
  EXPECT_EQ(SparseRows::of(Matrix(random.normals(50, 20)), {}), nullptr);
}

}  // namespace
}  // namespace ardvark::internal
