#include "design/dense.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/errors.hpp"
#include "core/blas.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::Random;

struct Case {
  Index rows, cols;
  Layout layout;
  ScalarType scalar;
  Index extra_stride;
  bool centred, scaled, intercept, left_out;

  [[nodiscard]] std::string text() const {
    return std::to_string(rows) + " x " + std::to_string(cols) + (layout == Layout::row_major ? " row-major" : " column-major") +
           (scalar == ScalarType::float32 ? " float" : (scalar == ScalarType::int8 ? " int8" : " double")) + ", stride +" +
           std::to_string(extra_stride) + (centred ? ", centred" : "") + (scaled ? ", scaled" : "") + (intercept ? ", intercept" : "") +
           (left_out ? ", a column left out" : "");
  }
};

// The caller's array and the matrix that the design should look like.
struct Table {
  std::vector<double> doubles;
  std::vector<float> floats;
  std::vector<std::int8_t> bytes;
  MatrixView view;
  Standardization standardization;
  Matrix expected;

  [[nodiscard]] const void* numbers(ScalarType scalar) const {
    if (scalar == ScalarType::int8) return bytes.data();
    return scalar == ScalarType::float32 ? static_cast<const void*>(floats.data()) : doubles.data();
  }
};

Table make_table(const Case& c, Random& random) {
  Table t;
  const bool by_column = c.layout == Layout::column_major;
  const Index stride = (by_column ? c.rows : c.cols) + c.extra_stride, lines = by_column ? c.cols : c.rows;
  const auto size = static_cast<std::size_t>(stride * lines);
  t.doubles.assign(size, 1e30);  // what lies between the lines must not be read
  t.floats.assign(size, 1e30F);
  t.bytes.assign(size, 127);
  Matrix X(c.rows, c.cols);
  for (Index i = 0; i < c.rows; ++i)
    for (Index j = 0; j < c.cols; ++j) {
      const auto at = static_cast<std::size_t>(by_column ? i + j * stride : i * stride + j);
      const double value = random.normal() + 0.5;
      t.doubles[at] = value;
      t.floats[at] = static_cast<float>(value);
      t.bytes[at] = static_cast<std::int8_t>(std::clamp(std::round(3 * value), -128.0, 127.0));
      X(i, j) = number_at(t.numbers(c.scalar), c.scalar, static_cast<Index>(at));
    }
  t.view = MatrixView(t.numbers(c.scalar), c.scalar, c.rows, c.cols, c.layout, stride);
  t.standardization.intercept = c.intercept;
  if (c.centred) t.standardization.center = random.normals(c.cols);
  if (c.scaled || c.left_out)
    t.standardization.scale = c.scaled ? Vector(random.normals(c.cols).array().exp()) : Vector(Vector::Ones(c.cols));
  if (c.left_out)
    for (Index j = 0; j < c.cols; j += 3) t.standardization.scale[j] = 0;
  t.expected = Matrix::Ones(c.rows, c.cols + (c.intercept ? 1 : 0));
  for (Index j = 0; j < c.cols; ++j)
    for (Index i = 0; i < c.rows; ++i)
      t.expected(i, j) = (X(i, j) - (c.centred ? t.standardization.center[j] : 0.0)) *
                         (t.standardization.scale.size() > 0 ? t.standardization.scale[j] : 1.0);
  return t;
}

double plain_dot(const double* a, const double* b, Index size) {
  testing::Long sum = 0;
  for (Index i = 0; i < size; ++i) sum += testing::Long(a[i]) * b[i];
  return static_cast<double>(sum);
}

void expect_answers(const Case& c, Random& random, Index every = 1) {
  SCOPED_TRACE(c.text());
  const Table t = make_table(c, random);
  DenseDesign design(t.view, t.standardization);
  const Matrix& X = t.expected;
  const Index n = X.rows(), p = X.cols();
  ASSERT_EQ(design.rows(), n);
  ASSERT_EQ(design.cols(), p);
  const double size = 1 + X.cwiseAbs().maxCoeff();
  const double sum_tolerance = 1e-14 * size * size * static_cast<double>(n + p);

  Vector omega = random.normals(n).cwiseAbs();
  if (n > 2) omega[1] = 0;
  const Matrix weighted = omega.asDiagonal() * X;
  Matrix G = Matrix::Constant(p, p, 7);
  for (int repetition = 0; repetition < 2; ++repetition) {  // the second call finds the workspace used
    design.gram(omega, G);
    for (Index j = 0; j < p; j += every)
      for (Index i = j; i < p; i += every)
        ASSERT_NEAR(G(i, j), plain_dot(X.col(i).data(), weighted.col(j).data(), n), sum_tolerance) << i << " " << j;
    for (Index j = 1; j < p; ++j) ASSERT_EQ(G(0, j), 7) << "the strict upper triangle is not the design's";
  }

  const Vector r = random.normals(n), w = random.normals(p);
  Vector projected(p), applied(n);
  design.project(r, projected);
  design.apply(w, applied);
  for (Index j = 0; j < p; ++j) ASSERT_NEAR(projected[j], plain_dot(X.col(j).data(), r.data(), n), 10 * sum_tolerance) << j;
  const Matrix rows = X.transpose();
  for (Index i = 0; i < n; ++i) ASSERT_NEAR(applied[i], plain_dot(rows.col(i).data(), w.data(), p), 10 * sum_tolerance) << i;

  const Matrix R = random.normals(n, 3);
  Matrix several, K;
  design.project_several(R, several);
  ASSERT_EQ(several.rows(), p);
  ASSERT_EQ(several.cols(), 3);
  for (Index k = 0; k < 3; ++k)
    for (Index j = 0; j < p; ++j)
      ASSERT_NEAR(several(j, k), plain_dot(X.col(j).data(), R.col(k).data(), n), 10 * sum_tolerance) << j << " " << k;
  design.project_in_single(R, several);
  ASSERT_EQ(several.rows(), p);
  for (Index k = 0; k < 3; ++k)
    for (Index j = 0; j < p; ++j)
      ASSERT_NEAR(several(j, k), plain_dot(X.col(j).data(), R.col(k).data(), n),
                  2e-6 * X.col(j).norm() * R.col(k).norm() + 10 * sum_tolerance)
          << j << " " << k;
  const Matrix many = random.normals(n, 9), weights = random.normals(p, 9);
  Matrix in_single;
  design.project_in_single(many, in_single);
  const Matrix columns = X.colwise().norm().transpose() * many.colwise().norm(),
               rows_by_weights = rows.colwise().norm().transpose() * weights.colwise().norm();
  EXPECT_TRUE(((in_single - X.transpose() * many).array().abs() <= 2e-6 * columns.array() + 10 * sum_tolerance).all());
  Matrix combined;
  design.apply_several(weights, combined);
  EXPECT_LT((combined - X * weights).cwiseAbs().maxCoeff(), 10 * sum_tolerance);
  apply_in_single(design, weights, combined);
  EXPECT_TRUE(((combined - X * weights).array().abs() <= 2e-6 * rows_by_weights.array() + 10 * sum_tolerance).all());
  std::vector<Index> some;
  for (Index j = p - 1; j >= 0; j -= 2) some.push_back(j);
  Matrix of_some, applied_some;
  project_some(design, some, R, of_some);
  ASSERT_EQ(of_some.rows(), static_cast<Index>(some.size()));
  for (Index k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < some.size(); ++i)
      ASSERT_NEAR(of_some(static_cast<Index>(i), k), plain_dot(X.col(some[i]).data(), R.col(k).data(), n), 10 * sum_tolerance);
  const Matrix W = random.normals(static_cast<Index>(some.size()), 2);
  apply_some(design, some, W, applied_some);
  EXPECT_LT((applied_some - X(Eigen::all, some) * W).norm(), 10 * sum_tolerance * std::sqrt(static_cast<double>(n)));
  design.row_gram(K);
  ASSERT_EQ(K.rows(), n);
  for (Index j = 0; j < n; j += every)
    for (Index i = j; i < n; i += every)
      ASSERT_NEAR(K(i, j), plain_dot(rows.col(i).data(), rows.col(j).data(), c.cols), sum_tolerance) << i << " " << j;

  Matrix L = random.normals(p, p) / std::sqrt(static_cast<double>(p));
  L.triangularView<Eigen::StrictlyUpper>().setConstant(1e30);  // never read
  const Matrix L_rows = Matrix(L.triangularView<Eigen::Lower>()).transpose();
  Vector variance(n);
  design.row_variance(L, variance);
  for (Index i = 0; i < n; i += every) {
    double sum = 0;
    for (Index k = 0; k < p; ++k) {
      const double product = plain_dot(L_rows.col(k).data(), rows.col(i).data(), k + 1);
      sum += product * product;
    }
    ASSERT_NEAR(variance[i], sum, 1e-12 * (1 + sum)) << i;
  }

  for (Index first : {Index{0}, p / 2, p - 1})
    for (Index count : {Index{0}, Index{1}, p - first}) {
      Matrix panel = Matrix::Constant(n, p + 1, 7);
      design.columns(first, count, panel.leftCols(count));
      ASSERT_LE(distance(panel.leftCols(count), X.middleCols(first, count)), 1e-14 * size) << first << " " << count;
      ASSERT_TRUE((panel.rightCols(p + 1 - count).array() == 7).all());
      const Vector scale = random.normals(count);
      Matrix scaled = Matrix::Constant(n, p + 1, 7);
      design.scaled_columns(first, count, scale.data(), scaled.leftCols(count));
      ASSERT_EQ(scaled.leftCols(count), panel.leftCols(count) * scale.asDiagonal()) << first << " " << count;
      ASSERT_TRUE((scaled.rightCols(p + 1 - count).array() == 7).all());
    }
}

constexpr ScalarType all_scalars[] = {ScalarType::float64, ScalarType::float32, ScalarType::int8};

TEST(DenseDesign, GivesTheSameAnswersForEveryStorageAndStandardization) {  // (RIDGE.1), (RIDGE.3)
  Random random(21);
  const std::pair<Index, Index> shapes[] = {{1, 1}, {3, 2}, {1, 5}, {129, 1}, {17, 33}};
  for (const auto& [rows, cols] : shapes)
    for (Layout layout : {Layout::column_major, Layout::row_major})
      for (ScalarType scalar : all_scalars)
        for (Index extra : {0, 5})
          for (int flags = 0; flags < 16; ++flags)
            expect_answers({rows, cols, layout, scalar, extra, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0},
                           random);
}

TEST(DenseDesign, GivesTheSameAnswersForLargerShapes) {
  Random random(22);
  const std::pair<Index, Index> shapes[] = {{517, 7}, {130, 260}};
  for (const auto& [rows, cols] : shapes)
    for (Layout layout : {Layout::column_major, Layout::row_major})
      for (ScalarType scalar : all_scalars)
        for (int flags : {0, 7, 15})
          expect_answers({rows, cols, layout, scalar, 3, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0}, random,
                         5);
}

TEST(DenseDesign, AddsBlocksWhoseLastHasOneRow) {
  Random random(23);
  constexpr Index cols = 1100;
  const Matrix probe = Matrix::Zero(2000, cols);
  const Index block = DenseDesign(probe, {}).block_rows();
  ASSERT_LT(block, 1000) << "the test needs several blocks";
  for (Layout layout : {Layout::column_major, Layout::row_major})
    expect_answers({2 * block + 1, cols, layout, ScalarType::float64, 1, true, true, true, false}, random, 97);
}

TEST(DenseDesign, AddsLanesOfManyRowsAlikeWithAnyNumberOfThreads) {
  Random random(24);
  constexpr Index rows = 4201, cols = 99;
  ASSERT_FALSE(blas::is_small(blas::multiplications(rows, cols))) << "the test needs several lanes";
  for (Layout layout : {Layout::column_major, Layout::row_major})
    for (ScalarType scalar : all_scalars) {
      const Case c{rows, cols, layout, scalar, 1, true, true, true, true};
      expect_answers(c, random, 13);
      const Table t = make_table(c, random);
      const Vector omega = random.normals(rows).cwiseAbs();
      Matrix one = Matrix::Zero(cols + 1, cols + 1), three = one;
      const auto gram = [&](int threads, Matrix& G) {
        const blas::ThreadScope scope(threads);
        DenseDesign(t.view, t.standardization).gram(omega, G);
      };
      gram(1, one);
      gram(3, three);
      EXPECT_EQ(one, three);
    }
}

TEST(DenseDesign, GramAndProjectAreBoth) {
  Random random(28);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{60, 7}, {3000, 150}})  // in one sum and in some
    for (Layout layout : {Layout::column_major, Layout::row_major})
      for (ScalarType scalar : all_scalars)
        for (const bool standardised : {true, false}) {
          const Table t = make_table({rows, cols, layout, scalar, 1, standardised, standardised, true, standardised}, random);
          DenseDesign design(t.view, t.standardization);
          const Vector omega = random.normals(rows).cwiseAbs(), r = random.normals(rows);
          Matrix G = Matrix::Zero(cols + 1, cols + 1), G_alone = G;
          Vector Xr(cols + 1);
          design.gram_and_project(omega, r, G, Xr);
          design.gram(omega, G_alone);
          EXPECT_EQ(distance(G, G_alone), 0);
          const Vector expected = t.expected.transpose() * omega.cwiseProduct(r);
          EXPECT_LE(testing::relative_distance(Xr, expected), 1e-12);
          ASSERT_TRUE(design.set_products(Products::single_precision));
          design.gram_and_project(omega, r, G, Xr);
          const Vector size = t.expected.cwiseAbs().transpose() * omega.cwiseProduct(r).cwiseAbs();
          EXPECT_LE(((Xr - expected).array().abs() - 1e-7 * size.array()).maxCoeff(), 0);  // numbers of X rounded to single precision
        }
}

TEST(DenseDesign, SinglePrecisionProductsAreCloseToDouble) {  // (MP.1)
  Random random(27);
  for (Index cols : {5, 300})
    for (Layout layout : {Layout::column_major, Layout::row_major})
      for (ScalarType scalar : all_scalars) {
        const Index rows = 40 + (Index{1} << 20) / std::max<Index>(cols, 300);  // two blocks, the last one short, at 300 columns
        const Table t = make_table({rows, cols, layout, scalar, 1, true, true, true, true}, random);
        DenseDesign design(t.view, t.standardization);
        const Index p = cols + 1;
        const Vector omega = random.normals(rows).cwiseAbs();
        const Matrix L_inverse = random.normals(p, p).triangularView<Eigen::Lower>();
        Matrix G = Matrix::Zero(p, p), G_single = Matrix::Constant(p, p, 7);
        Vector s(rows), s_single(rows);
        design.gram(omega, G);
        design.row_variance(L_inverse, s);
        ASSERT_TRUE(design.set_products(Products::single_precision));
        design.gram(omega, G_single);
        design.row_variance(L_inverse, s_single);
        const Vector diagonal = G.diagonal();
        EXPECT_LE(testing::relative_distance(Vector(G_single.diagonal()), diagonal), 1e-7);
        double worst = 0;
        for (Index j = 0; j < p; ++j)
          for (Index i = j; i < p; ++i)
            if (G(i, i) * G(j, j) > 0) worst = std::max(worst, std::abs(G_single(i, j) - G(i, j)) / std::sqrt(G(i, i) * G(j, j)));
        EXPECT_LE(worst, 5e-6);
        EXPECT_LE(((s_single - s).array() / s.array()).abs().maxCoeff(), 1e-5);
        EXPECT_TRUE((Matrix(G_single.triangularView<Eigen::StrictlyUpper>()).array() ==
                     Matrix(Matrix::Constant(p, p, 7).triangularView<Eigen::StrictlyUpper>()).array())
                        .all());
        ASSERT_TRUE(design.set_products(Products::double_precision));
        G_single.setZero();
        design.gram(omega, G_single);
        EXPECT_EQ(distance(G_single, G), 0);
      }
}

// The largest error of K, in units of the rows.
double error_of_row_gram(DenseDesign& design) {
  const Index n = design.rows(), p = design.cols();
  Matrix X(n, p), K;
  design.columns(0, p, X);
  design.row_gram(K);
  const Matrix rows = X.transpose();
  double worst = 0;
  for (Index j = 0; j < n; j += 7)
    for (Index i = j; i < n; i += 5)
      worst = std::max(
          worst, std::abs(K(i, j) - plain_dot(rows.col(i).data(), rows.col(j).data(), p)) / (rows.col(i).norm() * rows.col(j).norm()));
  return worst;
}

TEST(DenseDesign, RowGramOfManyColumnsIsInSinglePrecisionOnlyWhereThatIsEnough) {  // (MP.5)
  Random random(29);
  constexpr Index rows = 150, cols = 2100;
  ASSERT_FALSE(blas::is_small(blas::multiplications(cols, rows)));
  for (Layout layout : {Layout::column_major, Layout::row_major})
    for (ScalarType scalar : {ScalarType::float32, ScalarType::int8}) {
      Table t = make_table({rows, cols, layout, scalar, 1, true, true, false, true}, random);
      t.standardization.scale = (t.standardization.scale.array() > 0).select(t.standardization.scale.cwiseMax(0.5).cwiseMin(2), 0.0);
      DenseDesign even(t.view, t.standardization);
      EXPECT_LT(error_of_row_gram(even), 2.4e-7) << "twice the unit of single precision: how gemm adds depends on the processor";
      t.standardization.scale[1] = 1e5;  // one column outweighs the others
      DenseDesign uneven(t.view, t.standardization);
      EXPECT_LT(error_of_row_gram(uneven), 1e-13);
      t.standardization.scale[1] = 1;
      t.standardization.center.setConstant(100);  // all rows are nearly alike
      DenseDesign alike(t.view, t.standardization);
      EXPECT_LT(error_of_row_gram(alike), 1e-13);
    }
}

TEST(DenseDesign, RowGramIsTheSameWithAnyNumberOfThreads) {
  Random random(30);
  const Table t = make_table({300, 1500, Layout::column_major, ScalarType::int8, 0, false, false, false, false}, random);
  const auto gram = [&](int threads) {
    const blas::ThreadScope scope(threads);
    Matrix K;
    DenseDesign(t.view, t.standardization).row_gram(K);
    return Matrix(K.triangularView<Eigen::Lower>());
  };
  EXPECT_EQ(gram(1), gram(3));
}

TEST(DenseDesign, ReadsRowsInBlocksWithAndWithoutWeights) {
  Random random(24);
  for (Layout layout : {Layout::column_major, Layout::row_major}) {
    const Table t = make_table({50, 4, layout, ScalarType::float64, 2, true, true, true, false}, random);
    const DenseDesign design(t.view, t.standardization);
    const Vector scale = random.normals(50);
    Matrix panel = Matrix::Constant(20, 5, 7);
    design.read_rows(31, 19, nullptr, panel);
    EXPECT_LE(distance(panel.topRows(19), t.expected.middleRows(31, 19)), 1e-14);
    EXPECT_TRUE((panel.row(19).array() == 7).all());
    design.read_rows(0, 20, &scale, panel);
    EXPECT_LE(distance(panel, Matrix(scale.head(20).asDiagonal() * t.expected.topRows(20))), 1e-14);
  }
}

TEST(DenseDesign, ReadsEigenBlocksAndRowMajorMatricesInPlace) {
  Random random(25);
  const Matrix X = random.normals(6, 9);
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> F = X.cast<float>();
  const Vector w = random.normals(3);
  Vector out(6);
  DenseDesign(X.middleCols(4, 3), {}).apply(w, out);
  EXPECT_LE(distance(out, X.middleCols(4, 3) * w), 1e-14);
  DenseDesign(F.middleCols(4, 3), {}).apply(w, out);
  EXPECT_LE(distance(out, F.middleCols(4, 3).cast<double>() * w), 1e-14);
}

// A row of a column-major matrix and a column of a row-major one: neighbours in the matrix are not neighbours in memory.
TEST(MatrixView, ReadsRowsAndColumnsAcrossTheStorageOrder) {
  Random random(26);
  const Matrix X = random.normals(6, 4);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = X;
  const auto expect_view = [](const MatrixView& view, const Matrix& expected) {
    ASSERT_EQ(view.rows(), expected.rows());
    ASSERT_EQ(view.cols(), expected.cols());
    Matrix seen(expected.rows(), expected.cols());
    for (Index i = 0; i < seen.rows(); ++i)
      for (Index j = 0; j < seen.cols(); ++j) seen(i, j) = view(i, j);
    EXPECT_EQ(seen, expected);
    DenseDesign design(view, {});
    const Vector w = Vector::LinSpaced(expected.cols(), 1, 2), r = Vector::LinSpaced(expected.rows(), -1, 2);
    Vector applied(expected.rows()), projected(expected.cols());
    Matrix panel(expected.rows(), expected.cols());
    design.apply(w, applied);
    design.project(r, projected);
    design.columns(0, expected.cols(), panel);
    EXPECT_LE(distance(applied, expected * w), 1e-14);
    EXPECT_LE(distance(projected, expected.transpose() * r), 1e-14);
    EXPECT_EQ(panel, expected);
  };
  expect_view(X.row(2), X.row(2));
  expect_view(by_row.col(1), X.col(1));
  expect_view(X.col(3), X.col(3));
  expect_view(by_row.row(5), X.row(5));
  expect_view(X.transpose(), X.transpose());
  expect_view(X.row(2).segment(1, 2), X.block(2, 1, 1, 2));
}

TEST(MatrixView, RefusesAMapWithoutNeighboursInMemory) {
  const Matrix X = Matrix::Zero(6, 4);
  const Eigen::Map<const Matrix, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> sparse(
      X.data(), 3, 4, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(6, 2));
  EXPECT_THROW(static_cast<void>(MatrixView(sparse)), InvalidArgument);
}

}  // namespace
}  // namespace ardvark::internal
