// Genotypes in 2 bits, against a dense design of the same numbers.                                       (GENO.1), (GENO.2), (GENO.3)
#include "design/genotypes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/packed_genotypes.hpp"
#include "../support/plain.hpp"
#include "core/genotype_kernels.hpp"
#include "table/fit_table.hpp"
#include "table/row_subset.hpp"

namespace ardvark::internal {
namespace {

using testing::Copies;
using testing::PackedTable;
using testing::Random;
using testing::random_copies;
using testing::relative_distance;

struct GenotypeShape {
  Index n, p, beside;
};

class GenotypesAsTheyLie : public ::testing::TestWithParam<GenotypeShape> {
 protected:
  GenotypesAsTheyLie() : table(random_copies(random, GetParam().n, GetParam().p), random.normals(GetParam().n, GetParam().beside)) {}
  [[nodiscard]] Standardization units(bool intercept) const {
    Vector center = table.same.colwise().mean().transpose();
    Vector scale = (table.same.rowwise() - center.transpose()).colwise().norm().cwiseMax(0.5).cwiseInverse().transpose();
    if (scale.size() > 2) scale[2] = 0;  // left out
    return {center, scale, intercept};
  }
  Random random{7};
  PackedTable table;
};

void expect_products_of_unpacked(Design& packed, Design& dense, Random& random) {
  const Index n = dense.rows(), q = dense.cols();
  for (const Index count : {1, 3, 4, 7, 21}) {
    const Matrix R = random.normals(n, count);
    Matrix several, expected;
    packed.project_several(R, several), dense.project_several(R, expected);
    EXPECT_LT(relative_distance(several, expected), 1e-12) << count;
  }
  const Matrix W = random.normals(q, 9);
  Matrix applied, expected;
  packed.apply_several(W, applied), dense.apply_several(W, expected);
  EXPECT_LT(relative_distance(applied, expected), 1e-12);
  const Vector omega = random.normals(n).cwiseAbs(), r = random.normals(n), w = random.normals(q);
  Vector g(q), h(q);
  packed.project(r, g), dense.project(r, h);
  EXPECT_LT(relative_distance(g, h), 1e-12);
  Vector a(n), b(n);
  packed.apply(w, a), dense.apply(w, b);
  EXPECT_LT(relative_distance(a, b), 1e-12);
  Matrix K, L, G = Matrix::Zero(q, q), H = G;
  packed.row_gram(K), dense.row_gram(L);
  EXPECT_LT(relative_distance(Matrix(K.triangularView<Eigen::Lower>()), Matrix(L.triangularView<Eigen::Lower>())), 1e-12);
  packed.gram_and_project(omega, r, G, g), dense.gram_and_project(omega, r, H, h);
  EXPECT_LT(relative_distance(G, H), 1e-12);
  EXPECT_LT(relative_distance(g, h), 1e-12);
  Matrix V = random.normals(q, q);
  V = (V * V.transpose()).eval();
  packed.row_forms(V, a), dense.row_forms(V, b);
  EXPECT_LT(relative_distance(a, b), 1e-11);
}

TEST_P(GenotypesAsTheyLie, HaveTheProductsOfTheSameNumbers) {
  for (const bool intercept : {true, false}) {
    const auto packed = table_design(table.view(), units(intercept)), dense = table_design(MatrixView(table.same), units(intercept));
    ASSERT_EQ(packed->cols(), dense->cols());
    expect_products_of_unpacked(*packed, *dense, random);
  }
  const auto plain = table_design(table.view()), dense = table_design(MatrixView(table.same));
  expect_products_of_unpacked(*plain, *dense, random);
}

TEST_P(GenotypesAsTheyLie, AreReadByColumnsAndByRows) {
  const auto packed = table_design(table.view(), units(true)), dense = table_design(MatrixView(table.same), units(true));
  const Index n = packed->rows(), q = packed->cols();
  Matrix one(n, q), other(n, q);
  const Vector factor = random.normals(q);
  packed->scaled_columns(0, q, factor.data(), one), dense->scaled_columns(0, q, factor.data(), other);
  EXPECT_LT((one - other).cwiseAbs().maxCoeff(), 1e-14);
  const Vector row_scale = random.normals(n);
  for (Index first = 0; first < n; first += 3) {
    const Index count = std::min<Index>(5, n - first);
    packed->read_rows(first, count, &row_scale, one), dense->read_rows(first, count, &row_scale, other);
    EXPECT_LT((one.topRows(count) - other.topRows(count)).cwiseAbs().maxCoeff(), 1e-13) << first;
  }
}

TEST_P(GenotypesAsTheyLie, HaveTheMomentsOfTheSameNumbers) {
  const FitTable packed(table.view()), dense(table.same);
  const Index n = dense.rows();
  Vector weights = random.normals(n).cwiseAbs();
  weights[0] = n > 1 ? 0 : 1;
  for (const Vector& k : {Vector(Vector::Ones(n)), weights})
    for (const bool centred : {true, false}) {
      Vector center, scale, expected_center, expected_scale;
      packed.moments(k, centred, center, scale), dense.moments(k, centred, expected_center, expected_scale);
      EXPECT_LT((center - expected_center).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_LT((scale.cwiseAbs2() - expected_scale.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-14);
      for (Index j = 0; j < dense.cols(); ++j) EXPECT_EQ(packed.all_equal(j, k, centred), dense.all_equal(j, k, centred));
    }
}

TEST_P(GenotypesAsTheyLie, GiveSomeOfTheirRows) {
  const Index n = table.same.rows();
  std::vector<Index> rows;
  for (Index i = 0; i < 2 * n + 1; ++i) rows.push_back((5 * i + 1) % n);
  const RowSubset some(FitTable(table.view()), rows);
  Matrix found(some.table().rows(), some.table().cols());
  some.table().design()->columns(0, found.cols(), found);
  EXPECT_EQ(found, Matrix(table.same(rows, Eigen::all)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, GenotypesAsTheyLie,
                         ::testing::Values(GenotypeShape{1, 1, 0}, GenotypeShape{4, 3, 0}, GenotypeShape{31, 9, 2},
                                           GenotypeShape{130, 5, 1}, GenotypeShape{37, 60, 0}, GenotypeShape{1029, 6, 3}));

// A variant may be nowhere, or lie elsewhere.
// Many rows and columns, so that the product is made in single precision; with one column that outweighs the others, it is not.  (MP.5)
TEST(Genotypes, HaveAPreciseGramMatrixOfRows) {
  Random random{3};
  const PackedTable table(random_copies(random, 300, 3000), random.normals(300, 1));
  const Vector center = table.same.colwise().mean().transpose();
  Vector scale = (table.same.rowwise() - center.transpose()).colwise().norm().cwiseInverse().transpose();
  for (const double of_first : {1.0, 1000.0}) {
    scale[0] *= of_first;
    const auto packed = table_design(table.view(), {center, scale, true}),
               dense = table_design(MatrixView(table.same), {center, scale, true});
    Matrix K, L;
    packed->row_gram(K), dense->row_gram(L);
    const double error = relative_distance(Matrix(K.triangularView<Eigen::Lower>()), Matrix(L.triangularView<Eigen::Lower>()));
    EXPECT_LT(error, of_first == 1 ? 1e-6 : 1e-13);
    if (of_first == 1) {
      EXPECT_GT(error, 1e-12) << "not in single precision";
    }
  }
}

TEST(Genotypes, AreFoundWhereTheirLinesAre) {
  Random random(3);
  const Copies copies = random_copies(random, 21, 4);
  const PackedTable all(copies, {}, false);
  const std::vector<std::int64_t> line = {2, -1, 0};
  const std::vector<double> missing = {0.5, 1.25, 0.75};
  const GenotypeView view(all.bytes.data(), 21, 3, {missing.data(), nullptr, line.data()});
  Matrix same(21, 3);
  for (Index i = 0; i < 21; ++i) {
    same(i, 0) = copies(i, 2) < 0 ? 0.5 : copies(i, 2), same(i, 1) = 1.25, same(i, 2) = copies(i, 0) < 0 ? 0.75 : copies(i, 0);
  }
  const auto packed = table_design(view), dense = table_design(MatrixView(same));
  expect_products_of_unpacked(*packed, *dense, random);
  const RowSubset some(FitTable(view), {20, 3, 3});
  Matrix found(3, 3);
  some.table().design()->columns(0, 3, found);
  EXPECT_EQ(found, Matrix(same(std::vector<Index>{20, 3, 3}, Eigen::all)));
}

TEST(Genotypes, CountEveryCode) {
  Random random(5);
  for (const Index n : {1, 5, 32, 33, 70}) {
    const Copies copies = random_copies(random, n, 1, 0.3);
    const auto bytes = testing::packed(copies);
    for (const GenotypeKernels& kernel : genotype_kernels()) {
      if (kernel.level > simd::level()) continue;
      const GenotypeCounts counts = kernel.counts(bytes.data(), n);
      EXPECT_EQ(counts.two, (copies.array() == 2).count());
      EXPECT_EQ(counts.one, (copies.array() == 1).count());
      EXPECT_EQ(counts.none, (copies.array() == 0).count());
      EXPECT_EQ(counts.missing, (copies.array() == -1).count());
      const Vector r = random.normals(n), s = random.normals(n);
      const double* const both[] = {r.data(), s.data()};
      double found[2], squares[2];
      kernel.dots(bytes.data(), n, both, 2, found), kernel.square_dots(bytes.data(), n, both, 2, squares);
      const Vector x = copies.col(0).cwiseMax(0).cast<double>();
      EXPECT_NEAR(found[1], x.dot(s), 1e-12);
      EXPECT_NEAR(squares[0], x.cwiseAbs2().dot(r), 1e-12);
    }
  }
}

}  // namespace
}  // namespace ardvark::internal
