// A sparse design in every type of its numbers, against a dense one of the same numbers.                                   (SL.8), (SL.14)
#include "design/csc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;
using testing::relative_distance;

// The entries of a matrix that are not zero, with every tenth zero kept as an entry.
template <typename Value>
struct Csc {
  std::vector<std::int64_t> start = {0}, row;
  std::vector<Value> value;
  Index rows, cols;
  explicit Csc(const Matrix& X) : rows(X.rows()), cols(X.cols()) {
    Index zeros = 0;
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        if (X(i, j) == 0 && ++zeros % 10 != 0) continue;
        row.push_back(i);
        value.push_back(static_cast<Value>(X(i, j)));
      }
      start.push_back(static_cast<std::int64_t>(row.size()));
    }
  }
  [[nodiscard]] CscView view() const { return {start.data(), row.data(), value.data(), rows, cols}; }
};

Matrix mostly_zeros(Random& random, Index n, Index p, double density) {
  Matrix X = Matrix::Zero(n, p);
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i)
      if (random.chance(density)) X(i, j) = random.normal() + 0.5;
  return X;
}

// The products of a sparse design, against those of the same numbers in a dense one.
void expect_same_products(Design& sparse, Design& dense, Random& random) {
  const Index n = dense.rows(), p = dense.cols();
  const Matrix R = random.normals(n, 5);
  Matrix several, expected, K, L;
  sparse.project_several(R, several), dense.project_several(R, expected);
  EXPECT_LT(relative_distance(several, expected), 1e-11);
  project_in_single(sparse, R, several);
  Matrix columns(n, p);
  dense.columns(0, p, columns);
  const Matrix size = columns.colwise().norm().transpose() * R.colwise().norm();  // a mean of up to ten deviations costs a digit
  EXPECT_TRUE(((several - expected).array().abs() <= 1e-6 * size.array() + 1e-12).all());
  std::vector<Index> some;
  for (Index j = p - 1; j >= 0; j -= 3) some.push_back(j);
  const Matrix many = random.normals(n, 11), W = random.normals(static_cast<Index>(some.size()), 2);
  project_some(sparse, some, many, several), project_some(dense, some, many, expected);
  EXPECT_LT(relative_distance(several, expected), 1e-11);
  apply_some(sparse, some, W, several), apply_some(dense, some, W, expected);
  EXPECT_LT(relative_distance(several, expected), 1e-11);
  const Matrix weights = random.normals(p, 11);
  sparse.apply_several(weights, several), dense.apply_several(weights, expected);
  EXPECT_LT(relative_distance(several, expected), 1e-11);
  EXPECT_LT(relative_distance(expected, columns * weights), 1e-11);
  sparse.row_gram(K), dense.row_gram(L);
  ASSERT_EQ(K.rows(), n);
  EXPECT_LT(relative_distance(Matrix(K.triangularView<Eigen::Lower>()), Matrix(L.triangularView<Eigen::Lower>())), 1e-11);
  const Vector omega = random.normals(n).cwiseAbs(), r = random.normals(n), w = random.normals(p);
  Matrix G = Matrix::Zero(p, p), H = G;
  Vector g(p), h(p);
  sparse.gram_and_project(omega, r, G, g), dense.gram_and_project(omega, r, H, h);
  EXPECT_LT(relative_distance(G, H), 1e-11);
  EXPECT_LT(relative_distance(g, h), 1e-11);
  sparse.project(r, g), dense.project(r, h);
  EXPECT_LT(relative_distance(g, h), 1e-11);
  g.resize(n), h.resize(n);
  sparse.apply(w, g), dense.apply(w, h);
  EXPECT_LT(relative_distance(g, h), 1e-11);
}

enum class Ways { all, one };

template <typename Value>
void expect_design_of(const Matrix& X, std::uint64_t seed, Ways ways = Ways::all) {
  const Csc<Value> csc(X);
  const Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic> as_given = X.cast<Value>();
  const Matrix same = as_given.template cast<double>();
  const Index n = X.rows(), p = X.cols();
  Random random(seed);
  const Vector center = same.colwise().mean().transpose(), sd = ((same.rowwise() - center.transpose()).colwise().norm() / std::sqrt(n));
  const Vector scale = (sd.array() > 1e-12).select(sd.cwiseInverse(), 0.0);
  for (const bool intercept : {true, false})
    for (const bool standardised : {true, false}) {
      if (ways == Ways::one && !(intercept && standardised)) continue;
      Standardization s;
      if (standardised) s = {center, scale, false};
      s.intercept = intercept;
      CscDesign sparse(csc.view(), s);
      const auto dense = table_design(same, s);
      expect_same_products(sparse, *dense, random);
      Matrix a(n, p), b(n, p);
      sparse.columns(0, p, a), dense->columns(0, p, b);
      EXPECT_LT(relative_distance(a, b), 1e-14);
    }
}

TEST(CscDesign, MultipliesAsADenseOneInEveryTypeOfNumbers) {  // (SL.8), (SL.14)
  Random random(11);
  for (const auto& [n, p] : {std::pair<Index, Index>{1, 1}, {1, 5}, {7, 1}, {40, 12}, {150, 31}}) {
    SCOPED_TRACE(::testing::Message() << n << " x " << p);
    Matrix X = mostly_zeros(random, n, p, 0.15);
    if (p > 2) X.col(1).setZero(), X.col(2) = 3 + random.normals(n).array();
    if (n > 3) X.row(2).setZero();
    expect_design_of<double>(X, 1);
    expect_design_of<float>(X, 2);
    expect_design_of<std::int8_t>((20 * X).array().round().cwiseMin(127).cwiseMax(-128), 3);
  }
  expect_design_of<double>(Matrix::Zero(6, 3), 4);  // no entries
}

// A constant column takes no part in a fit: it must cost nothing, however many entries it has.
TEST(CscDesign, AColumnOfScaleZeroIsNeverRead) {
  Random random(13);
  Matrix X = mostly_zeros(random, 60, 20, 0.2), zeros = X;
  for (const Index j : {0, 7, 19}) X.col(j).setConstant(std::numeric_limits<double>::quiet_NaN()), zeros.col(j).setZero();
  for (const bool intercept : {true, false}) {
    Standardization s{zeros.colwise().mean().transpose(), Vector::Constant(20, 1.5), intercept};
    for (const Index j : {0, 7, 19}) s.center[j] = 3.3, s.scale[j] = 0;
    const Csc<double> csc(X);
    CscDesign sparse(csc.view(), s);
    expect_same_products(sparse, *table_design(zeros, s), random);
    SparseColumn entries;
    ASSERT_TRUE(sparse.entries_of(7, entries));
    EXPECT_TRUE(entries.row.empty());
    EXPECT_EQ(entries.shift, 0);
  }
}

TEST(CscDesign, ManyEntriesAreReadInBlocksOfRows) {
  Random random(12);
  expect_design_of<float>(mostly_zeros(random, 800, 1400, 0.4), 5, Ways::one);  // more than 2^20, as all columns are full
}

}  // namespace
}  // namespace ardvark::internal
