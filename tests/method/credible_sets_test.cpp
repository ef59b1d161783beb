// Columns that could take each other's place are alike, whatever the form of X and the fit.                                       (SP.9)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../support/packed_genotypes.hpp"
#include "frame/frame.hpp"
#include "frame/solution.hpp"
#include "method/spike_slab/sparse_fit.hpp"

namespace ardvark::internal {
namespace {

enum class Held { some, all };

Fit fit_holding(Task task, const FitTable& X, const Vector& y, PriorKind prior, Held held, FitOptions options = {}) {
  options.prior.kind = prior;
  Frame frame = make_frame(task, X, VectorView(y), options);
  const bool all = held == Held::all;
  Solution solution = task == Task::linear ? (all ? solve_linear_in_memory(frame) : solve_wide_linear(frame))
                                           : (all ? solve_logistic_in_memory(frame) : solve_wide_logistic(frame));
  return assemble(frame, std::move(solution));
}

// Neighbours are in linkage; effects from hardly visible to clear.
struct Linked {
  ardvark::testing::Copies copies;
  Matrix X;
  Vector y, t;

  Linked(Index n, Index p, unsigned seed) : copies(ardvark::testing::Copies::Zero(n, p)), y(n), t(n) {
    ardvark::testing::Random random(seed);
    for (int parent = 0; parent < 2; ++parent) {
      Matrix E = random.normals(n, p);
      for (Index j = 1; j < p; ++j) E.col(j) = 0.9 * E.col(j - 1) + std::sqrt(1 - 0.81) * E.col(j);
      copies += (E.array() > 0.3).cast<int>().matrix();
    }
    X = copies.cast<double>();
    for (Index i = 0; i < n; ++i) {
      y[i] = random.normal();
      for (Index k = 0; k < 8; ++k) y[i] += 0.07 * static_cast<double>(2 + k) * (k % 2 == 0 ? 1 : -1) * X(i, (k * p + p / 2) / 8);
    }
    t = (y.array() > y.mean()).cast<double>();
  }
};

double smallest_correlation(const Matrix& X, const std::vector<Index>& columns) {
  Matrix some = X(Eigen::all, columns);
  some.rowwise() -= some.colwise().mean().eval();
  some.colwise().normalize();
  return (some.transpose() * some).cwiseAbs().minCoeff();
}

// How many sets have several columns.
std::ptrdiff_t expect_alike(const Fit& fit, const Matrix& X) {
  EXPECT_FALSE(fit.sparse->sets.empty());
  for (const CredibleSet& set : fit.sparse->sets) EXPECT_GE(smallest_correlation(X, set.columns), 0.5) << set.columns.size() << " columns";
  return std::ranges::count_if(fit.sparse->sets, [](const CredibleSet& set) { return set.columns.size() > 1; });
}

TEST(CredibleSets, AreOfColumnsThatAreAlike) {
  const Index n = 400;
  std::ptrdiff_t several = 0;
  for (const Index p : {300, 1200})
    for (unsigned seed = 0; seed < (p == 300 ? 2 : 1); ++seed) {
      const Linked table(n, p, seed);
      const Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> whole = table.copies.cast<std::int8_t>();
      const Eigen::SparseMatrix<double> sparse = table.X.sparseView();
      const ardvark::testing::PackedTable packed(table.copies, {}, false);
      const std::vector<FitTable> forms = {MatrixView(table.X),
                                           CscView(sparse.outerIndexPtr(), sparse.innerIndexPtr(), sparse.valuePtr(), n, p),
                                           MatrixView(whole.data(), n, p, Layout::column_major), packed.view()};
      for (const Held held : {Held::all, Held::some})
        for (const FitTable& X : forms) {
          SCOPED_TRACE(fmt::format("{} columns, seed {}, {}, {}", p, seed, X.form(), held == Held::all ? "in memory" : "wide"));
          for (const PriorKind prior : {PriorKind::slab, PriorKind::sparse}) {
            several += expect_alike(fit_holding(Task::linear, X, table.y, prior, held), table.X);
            if (p == 300 && seed == 0) expect_alike(fit_holding(Task::logistic, X, table.t, prior, held), table.X);
          }
        }
    }
  EXPECT_GT(several, 0) << "sets of one column say nothing";
}

// The same tables have probable columns that any of many others could replace.
TEST(CredibleSets, ManyDifferentColumnsAreNoSet) {
  Index without = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Linked table(400, 300, seed);
    const Fit fit = fit_holding(Task::linear, MatrixView(table.X), table.y, PriorKind::slab, Held::all);
    for (Index j = 0; j < 300; ++j)
      if (fit.sparse->inclusion[j] > 0.1)
        without += std::ranges::none_of(fit.sparse->sets, [&](const CredibleSet& set) { return std::ranges::count(set.columns, j) > 0; });
  }
  EXPECT_GT(without, 0);
}

// Weights repeat rows, in the correlations, too.
TEST(CredibleSets, PurityCountsRowsByTheirWeights) {
  const Linked table(200, 300, 4);
  std::vector<Index> rows;
  for (Index i = 0; i < 200; ++i) rows.insert(rows.end(), i % 3 == 0 ? 3 : 1, i);
  const Vector weights = Vector::NullaryExpr(200, [](Index i) { return i % 3 == 0 ? 3.0 : 1.0; });
  FitOptions options;
  options.weights = weights;
  const Matrix repeated = table.X(rows, Eigen::all);
  EXPECT_GT(expect_alike(fit_holding(Task::linear, MatrixView(table.X), table.y, PriorKind::slab, Held::all, options), repeated), 0);
  expect_alike(fit_holding(Task::logistic, MatrixView(table.X), table.t, PriorKind::slab, Held::all, options), repeated);
}

// The sums of equal columns are rounded differently, depending on their places in a block of BLAS.
TEST(CredibleSets, AndWarningsNameEqualColumnsByPosition) {
  int pairs = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    ardvark::testing::Random random(seed);
    Matrix X = random.normals(60, 5);
    X.col(4) = X.col(3);
    const Vector y = 2 * X.col(0) - X.col(2) + 0.5 * X.col(3) + 0.7 * random.normals(60, 1);
    const Fit fit = fit_holding(Task::linear, MatrixView(X), y, PriorKind::slab, Held::all);
    const Vector& inclusion = fit.sparse->inclusion;
    if (std::abs(inclusion[3] - inclusion[4]) > 1e-9) continue;  // one is in, the other is not
    std::vector<Index> named;
    for (const CredibleSet& set : fit.sparse->sets)
      for (const Index j : set.columns)
        if (j >= 3 && std::ranges::count(named, j) == 0) named.push_back(j);
    for (const std::string& warning : fit.report.warnings) EXPECT_FALSE(warning.ends_with("'x4' for 'x5'")) << "seed " << seed;
    if (named.size() != 2) continue;
    ++pairs;
    EXPECT_LT(named[0], named[1]) << "seed " << seed << fmt::format(": {:.17g} and {:.17g}", inclusion[3], inclusion[4]);
  }
  EXPECT_GE(pairs, 10);
}

}  // namespace
}  // namespace ardvark::internal
