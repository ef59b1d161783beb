// Columns by their entries, and as numbers, in other units: products by the definition.
#include "method/l1/held_columns.hpp"

#include <gtest/gtest.h>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;
using testing::relative_distance;

// Columns 0, 3, 6, ... have an entry in every row, the others few; the last one of the design is an intercept.
struct Table {
  Matrix X;
  std::vector<std::int32_t> start = {0}, row;
  std::vector<double> value;
  Vector center, scale;

  Table(Random& random, Index n, Index p) : X(Matrix::Zero(n, p)) {
    for (Index j = 0; j < p; ++j) {
      for (Index i = 0; i < n; ++i) {
        if (j % 3 != 0 && !random.chance(0.1)) continue;
        X(i, j) = random.uniform(-1, 3);
        row.push_back(static_cast<std::int32_t>(i));
        value.push_back(X(i, j));
      }
      start.push_back(static_cast<std::int32_t>(row.size()));
    }
    FitTable(X).moments(Vector::Ones(n), true, center, scale);
    scale = (scale.array() > 0).select(scale.cwiseInverse(), 0.0);
  }
  [[nodiscard]] CscView sparse() const { return {start.data(), row.data(), value.data(), X.rows(), X.cols()}; }
  [[nodiscard]] Matrix standardised() const {
    Matrix Z = Matrix::Ones(X.rows(), X.cols() + 1);
    for (Index j = 0; j < X.cols(); ++j) Z.col(j) = scale[j] * (X.col(j).array() - center[j]);
    return Z;
  }
};

TEST(HeldColumns, HaveTheProductsOfTheDefinition) {  // (SL.8)
  Random random(1);
  // More rows than a block of a sum, more columns than a panel.
  for (const auto& [n, p] : {std::pair<Index, Index>{40, 11}, {5000, 7}, {50, 150}}) {
    const Table table(random, n, p);
    ColumnUnits units{random.normals(p + 1), random.normals(p + 1)};
    units.factor[2] = 0;
    for (const bool is_sparse : {true, false})
      for (const bool are_own : {true, false}) {
        SCOPED_TRACE(::testing::Message() << n << " x " << p << " sparse " << is_sparse << " own units " << are_own);
        const FitTable X = is_sparse ? FitTable(table.sparse()) : FitTable(table.X);
        const auto design = X.design({table.center, table.scale, true});
        HeldColumns held(std::make_shared<ColumnStore>(*design), are_own ? nullptr : std::make_shared<const ColumnUnits>(units));
        const Matrix all = table.standardised();
        std::vector<Index> columns = random.permutation(p + 1);
        Matrix Z(n, p + 1);
        for (Index i = 0; i <= p; ++i) {
          const Index j = columns[static_cast<std::size_t>(i)];
          held.append(j);
          Z.col(i) = are_own ? Vector(all.col(j)) : Vector(units.factor[j] * all.col(j).array() + units.shift[j]);
        }
        EXPECT_EQ(held.size(), p + 1);
        const Vector r = random.normals(n), v = random.normals(p + 1), omega = random.normals(n).cwiseAbs();
        Vector out(p + 1);
        held.project(r, out);
        EXPECT_LT(relative_distance(out, Z.transpose() * r), 1e-12);
        EXPECT_NEAR(held.dot(3, r, r.sum()), Z.col(3).dot(r), 1e-10);
        Vector m(n);
        held.apply(v, m);
        EXPECT_LT(relative_distance(m, Z * v), 1e-12);
        // In two parts, as columns become active.
        const Matrix G = Z.transpose() * omega.asDiagonal() * Z;
        const std::vector<Index> some = {0, 2, 3, 5};
        HeldColumns part = held;
        part.keep(some);
        Matrix found = Matrix::Zero(p + 1, p + 1);
        part.gram(0, omega, found);
        EXPECT_LT(relative_distance(Matrix(found.topLeftCorner(4, 4)), Matrix(G(some, some))), 1e-12);
        for (const Index first : {Index{0}, p / 2}) {
          found = G + Matrix::Constant(p + 1, p + 1, 7);
          held.gram(first, omega, found);
          Matrix expected = G;
          expected.topLeftCorner(first, first).array() += 7;  // as it was
          EXPECT_LT(relative_distance(found, expected), 1e-12);
          const Index made = p + 1 - first;
          EXPECT_EQ(Matrix(found.rightCols(made)), Matrix(found.bottomRows(made).transpose())) << "not symmetric to the last bit";
        }
        const Matrix L = Matrix(random.normals(p + 1, p + 1).triangularView<Eigen::Lower>());
        EXPECT_LT(relative_distance(held.row_forms(L), Vector((Z * L.transpose()).rowwise().squaredNorm())), 1e-11);
      }
  }
}

TEST(HeldColumns, ProductsOfSomeColumnsOfADesignAreThoseOfAll) {
  Random random(2);
  const Table table(random, 60, 10);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = table.X;
  const Eigen::MatrixXf floats = table.X.cast<float>();
  const Vector r = random.normals(60);
  for (const FitTable& X : {FitTable(table.sparse()), FitTable(table.X), FitTable(by_row), FitTable(floats)}) {
    const auto design = X.design({table.center, table.scale, true});
    Vector all(11), some;
    design->project(r, all);
    const std::vector<Index> columns = {10, 0, 4, 7, 4};
    design->project_in_place(columns, r, some);
    EXPECT_LT(testing::distance(some, all(columns)), 1e-12);
  }
}

}  // namespace
}  // namespace ardvark::internal
