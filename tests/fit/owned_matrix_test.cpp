// Fits of an X that was given away: the same numbers as of one that was kept, in the memory of X.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/model.hpp"
#include "design/dense.hpp"
#include "method/spike_slab/reduced_rows.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct OwnedProblem {
  Matrix X, X_new;
  Vector y, weights;
  FitOptions options;
};

// Columns 3 and p - 2 are constant. With `all`: weights, columns without a prior, groups that do not lie side by side.
OwnedProblem make_problem(Index n, Index p, PriorKind kind, bool intercept, bool all) {
  Random random(static_cast<unsigned>(n + p));
  OwnedProblem problem{random.normals(n, p), random.normals(20, p), {}, {}, {}};
  problem.X.col(3).setConstant(2);
  problem.X.col(p - 2).setZero();
  problem.y = problem.X.col(0) - 2 * problem.X.col(5) + random.normals(n);
  FitOptions& options = problem.options;
  options.prior.kind = kind;
  options.intercept = intercept;
  if (!all) return problem;
  problem.weights.resize(n);
  for (Index i = 0; i < n; ++i) problem.weights[i] = i % 7 == 0 ? 0 : random.uniform(0.5, 2);
  options.weights = problem.weights;
  options.prior.flat_columns = {7, 1};
  options.standardize = false;
  if (kind == PriorKind::dense) return problem;
  for (Index j = 0; j < p; ++j) options.prior.group.push_back(j % (p / 2));
  return problem;
}

OwnedMatrix owned(const Matrix& X, Layout layout) {
  if (layout == Layout::column_major) return OwnedMatrix(Matrix(X));
  std::unique_ptr<double[]> values(new double[static_cast<std::size_t>(X.size())]);
  Eigen::Map<RowMajor>(values.get(), X.rows(), X.cols()) = X;
  return {std::move(values), X.rows(), X.cols(), layout};
}

// All that there is to know of a fit.
std::string bytes_of(LinearFit fit) {
  fit.report.seconds = 0;
  SavedModel model;
  model.fit = std::move(fit);
  return model_to_bytes(model);
}

const double* basis_of(const Fit& fit) { return fit.state->factor.mixture.components.at(0).basis->storage.get(); }

TEST(OwnedMatrix, GivesTheSameFitBitForBit) {
  for (const Layout layout : {Layout::row_major, Layout::column_major})
    for (const auto& [n, p] : {std::pair<Index, Index>{40, 1200}, {60, 90}, {2, 12}, {50, 12}})
      for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense})
        for (const bool intercept : {true, false})
          for (const bool all : {false, true}) {
            if (all && n < 10) continue;
            const OwnedProblem problem = make_problem(n, p, kind, intercept, all);
            const RowMajor by_rows = problem.X;
            const MatrixView X = layout == Layout::row_major ? MatrixView(by_rows) : MatrixView(problem.X);
            const LinearFit kept = fit_linear(X, problem.y, problem.options);
            const LinearFit given = fit_linear(owned(problem.X, layout), problem.y, problem.options);
            ASSERT_TRUE(bytes_of(given) == bytes_of(kept)) << n << " x " << p << " " << to_string(kind);
            const StudentPrediction a = predict(given, problem.X_new), b = predict(kept, problem.X_new);
            EXPECT_EQ(a.mean, b.mean);
            EXPECT_EQ(a.half_width(0.9), b.half_width(0.9));
            EXPECT_EQ(given.report.notes, kept.report.notes);
            EXPECT_EQ(given.report.warnings, kept.report.warnings);
          }
}

TEST(OwnedMatrix, IsThereForTheFitsOfBothFamilies) {
  for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense}) {
    OwnedProblem problem = make_problem(50, 12, kind, true, false);
    problem.options.family = Family::automatic;
    const LinearFit kept = fit_linear(problem.X, problem.y, problem.options);
    EXPECT_TRUE(bytes_of(fit_linear(owned(problem.X, Layout::column_major), problem.y, problem.options)) == bytes_of(kept));
  }
}

TEST(OwnedMatrix, HoldsWhatThePosteriorKeeps) {
  for (const Layout layout : {Layout::row_major, Layout::column_major})
    for (const bool all : {false, true}) {
      const OwnedProblem problem = make_problem(40, 1200, PriorKind::sparse, true, all);
      OwnedMatrix X = owned(problem.X, layout);
      const double* const memory = X.memory.get();
      const LinearFit fit = fit_linear(std::move(X), problem.y, problem.options);
      EXPECT_EQ(basis_of(fit), memory);
      EXPECT_EQ(fit.state->factor.mixture.components[0].basis.use_count(), static_cast<long>(fit.state->factor.mixture.components.size()));
    }
}

TEST(OwnedMatrix, OfATableIsThatOfTheModel) {
  const OwnedProblem problem = make_problem(30, 200, PriorKind::sparse, true, false);
  EncodedTable table{30, 200, std::unique_ptr<double[], Table::Free>(static_cast<double*>(std::malloc(30 * 200 * sizeof(double))))};
  Eigen::Map<RowMajor>(table.values.get(), 30, 200) = problem.X;
  const double* const memory = table.values.get();
  ModelOptions options;
  options.model = "linear";
  SavedModel kept = fit_model(table.X(), problem.y, options), given = fit_model(table.give(), problem.y, options);
  EXPECT_EQ(table.values, nullptr);
  EXPECT_EQ(basis_of(*given.score()), memory);
  kept.score()->report.seconds = given.score()->report.seconds = 0;
  EXPECT_EQ(model_to_bytes(given), model_to_bytes(kept));
}

TEST(OwnedMatrix, IsFreedWhereThePosteriorHasNoUseForIt) {
  for (const auto& [n, kind] : {std::pair<Index, PriorKind>{50, PriorKind::sparse}, {50, PriorKind::ard}, {8, PriorKind::shared}}) {
    const OwnedProblem problem = make_problem(n, 12, kind, true, false);
    OwnedMatrix X = owned(problem.X, Layout::row_major);
    const std::weak_ptr<double[]> memory = X.memory;
    const LinearFit fit = fit_linear(std::move(X), problem.y, problem.options);
    EXPECT_TRUE(memory.expired());
    EXPECT_EQ(bytes_of(fit), bytes_of(fit_linear(RowMajor(problem.X), problem.y, problem.options)));
  }
  OwnedMatrix X = owned(make_problem(20, 30, PriorKind::sparse, true, false).X, Layout::row_major);
  const std::weak_ptr<double[]> memory = X.memory;
  expect_invalid([&] { static_cast<void>(fit_linear(std::move(X), Vector(Vector::Zero(19)))); }, {"y", "19", "20"});
  EXPECT_TRUE(memory.expired());
}

// As a fit calls it: the columns kept in another order than that of X, with more rows and with fewer than columns.
TEST(OwnedMatrix, ReducesToTheSameRows) {
  for (const auto& [n, p] : {std::pair<Index, Index>{30, 700}, {30, 20}})
    for (const Rotation rotation : {Rotation::to_diagonal, Rotation::as_they_are}) {
      Random random(5);
      const RowMajor X = random.normals(n, p);
      const Vector y = random.normals(n), k = Vector::Constant(n, 0.5) + random.normals(n).cwiseAbs();
      const Standardization units{random.normals(p), Vector::Ones(p) + random.normals(p).cwiseAbs(), true};
      PenalisedColumns which;
      which.columns = random.permutation(p);
      which.columns.resize(static_cast<std::size_t>(p - 4));
      which.flat = {p};
      for (Index g = 0; g <= which.size(); ++g) which.begin.push_back(g);
      OwnedMatrix copy = owned(X, Layout::row_major);
      const std::weak_ptr<double[]> memory = copy.memory;
      DenseDesign kept(X, units), given(copy.view, units, std::move(copy.memory));
      ReducedRows a, b;
      ASSERT_TRUE(reduce_rows(kept, which, k, y, k.sum(), KeepBasis::no, a, rotation));
      ASSERT_TRUE(reduce_rows(given, which, k, y, k.sum(), KeepBasis::no, b, rotation));
      EXPECT_EQ(a.Z(), b.Z());
      EXPECT_EQ(a.y, b.y);
      EXPECT_EQ(a.square, b.square);
      const bool reduced_by_columns = p < n && rotation == Rotation::to_diagonal;
      EXPECT_EQ(memory.expired(), reduced_by_columns);  // at once: the decomposition that follows has the memory for itself
      EXPECT_EQ(memory.lock() == b.storage, !reduced_by_columns);
    }
}

}  // namespace
}  // namespace ardvark::internal
