// Two classes with thousands of columns, of which only some are in memory: the same answers as with all of them.       (SL.15)
#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../support/random_problem.hpp"
#include "../support/wide_case.hpp"
#include "core/blas.hpp"
#include "frame/prepare.hpp"

namespace ardvark::internal {
namespace {

using testing::at_new_rows;
using testing::make_wide_case;
using testing::RowsAt;
using testing::WideCase;

enum class Kept { some, all };

Fit fit_classes(const FitTable& X, const Vector& t, PriorKind prior, Kept in_memory, FitOptions options = {}) {
  options.prior.kind = prior;
  Frame frame = make_frame(Task::logistic, X, VectorView(t), options);
  Solution solution = in_memory == Kept::all ? solve_logistic_in_memory(frame) : solve_wide_logistic(frame);
  return assemble(frame, std::move(solution));
}

Vector classes_of(const WideCase& table) { return (table.y.array() > 0).cast<double>(); }

Fit fit_classes(const WideCase& table, PriorKind prior, Kept in_memory, const FitOptions& options = {}) {
  return fit_classes(MatrixView(table.X), classes_of(table), prior, in_memory, options);
}

struct CaseOfClasses {
  const char* family;
  Index n, p;
  int effects;
  double signal, small;
  bool standardize = true;
};

class WideClasses : public ::testing::TestWithParam<CaseOfClasses> {};

// The starts see other columns at first, and rows of their average: weights and rows differ a little. Inclusions: up to .0204.
TEST_P(WideClasses, AnswerAsWithAllColumnsInMemory) {
  const auto [family, n, p, effects, signal, small, standardize] = GetParam();
  const WideCase table = make_wide_case(family, n, p, effects, signal, 11, small);
  FitOptions options;
  options.standardize = standardize;
  for (const PriorKind prior : {PriorKind::slab, PriorKind::sparse}) {
    SCOPED_TRACE(prior == PriorKind::slab ? "slab" : "sparse");
    const Fit some = fit_classes(table, prior, Kept::some, options), all = fit_classes(table, prior, Kept::all, options);
    EXPECT_EQ(some.report.status, Status::converged) << some.report.message;
    const RowsAt one = at_new_rows(some, table.new_X), two = at_new_rows(all, table.new_X);
    const double rows = std::sqrt(static_cast<double>(table.new_X.rows()));
    EXPECT_LT((some.sparse->inclusion - all.sparse->inclusion).cwiseAbs().maxCoeff(), 0.03);
    EXPECT_LT((one.mean - two.mean).norm(), 0.05 * two.mean.norm() + 0.01 * rows);
    EXPECT_NEAR(some.report.bound, all.report.bound, 0.1);
    if (effects > 0) {  // otherwise kappa is open
      EXPECT_NEAR(one.variance.mean() / two.variance.mean(), 1, 0.1);
    }
    EXPECT_NEAR(some.log_loss, all.log_loss, 0.02) << "of the rows of the fit";
  }
}

INSTANTIATE_TEST_SUITE_P(Families, WideClasses,
                         ::testing::Values(CaseOfClasses{"ind", 200, 1500, 4, 6, 0}, CaseOfClasses{"ind", 200, 1500, 4, 6, 0, false},
                                           CaseOfClasses{"ar", 200, 1500, 4, 6, 0}, CaseOfClasses{"ind", 150, 1500, 0, 0, 0},
                                           CaseOfClasses{"ind", 150, 1500, 3, 6, 0.5}));

// Without effects of their own there is nothing to look for: the steps are those of the ridge, from X X' alone.               (SL.15)
TEST(WideClasses, RidgeIsExact) {
  const WideCase table = make_wide_case("factors", 120, 1500, 0, 1, 3, 2);
  FitOptions options;
  options.keep_covariance = Keep::always;
  const Fit some = fit_classes(table, PriorKind::dense, Kept::some, options),
            all = fit_classes(table, PriorKind::dense, Kept::all, options);
  testing::expect_same_ridge(some, all, table.new_X, 1e-5, 1e-5);
  EXPECT_NEAR(some.log_loss, all.log_loss, 1e-6);
}

// Most rows have no entry in the columns that a fit follows. Of a sparse table they are one row, of a dense one they are not.   (SL.7)
TEST(WideClasses, RowsWithoutEntriesMayBeOne) {
  const Index n = 2600, p = 350, in_column = 5;
  ardvark::testing::Random random(3);
  Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> whole = decltype(whole)::Zero(n, p);
  for (Index j = 0; j < p; ++j)
    for (Index e = 0; e < in_column; ++e) whole(static_cast<Index>(random.uniform() * n), j) = static_cast<std::int8_t>(1 + e % 3);
  Vector t(n), log_odds = Vector::Constant(n, -2.5);
  for (Index j = 0; j < 12; ++j) log_odds += 6 * whole.col(j).cast<double>();
  for (Index i = 0; i < n; ++i) t[i] = random.uniform() < 1 / (1 + std::exp(-log_odds[i])) ? 1 : 0;
  const Eigen::SparseMatrix<double> sparse = whole.cast<double>().sparseView();
  const CscView csc(sparse.outerIndexPtr(), sparse.innerIndexPtr(), sparse.valuePtr(), n, p);
  const MatrixView bytes(whole.data(), n, p, Layout::column_major);
  const Vector weights = Vector::NullaryExpr(n, [](Index i) { return 1 + 0.1 * static_cast<double>(i % 2); });
  for (const bool is_weighted : {false, true}) {
    FitOptions options;
    options.tolerance = 1e-5;
    if (is_weighted) options.weights = weights;
    const Fit one = fit_classes(csc, t, PriorKind::slab, Kept::some, options),
              each = fit_classes(bytes, t, PriorKind::slab, Kept::some, options);
    EXPECT_EQ(one.report.status, Status::converged);
    EXPECT_GT(each.sparse->inclusion.maxCoeff(), 0.5);
    EXPECT_NEAR(one.report.bound, each.report.bound, 1e-3);
    EXPECT_LT((one.sparse->inclusion - each.sparse->inclusion).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LT((one.mean - each.mean).norm(), 1e-2 * each.mean.norm());
    EXPECT_NEAR(one.log_loss, each.log_loss, 1e-5);
  }
}

// Fits of 60 or 40 rows that are repeated, and that many sets of columns separate.                                              (SL.15)
Fit fit_repeated(Index n, Index p, double times, int most_steps) {
  const WideCase table = make_wide_case("ind", n, p, 4, 2, 1);
  const Vector weights = Vector::Constant(n, times);
  FitOptions options;
  options.weights = weights;
  options.max_sweeps = most_steps;
  return fit_classes(table, PriorKind::slab, Kept::some, options);
}

// Steps lead from one set of columns to another. If even a short one falls, the next pass finds columns that are better; otherwise the
// steps go on in vain: -79 after 135 of them, with the status max_sweeps.
TEST(WideClasses, EndARoundBeforeAStepThatOnlyFalls) {
  const Fit fit = fit_repeated(40, 3000, 1e3, 60);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_GT(fit.bound, -70);
  EXPECT_EQ(fit.accuracy, 1);
}

// The columns of the sixth pass lower the bound from -92 to -9e6. What was found before them stays, and the search has not ended.
TEST(WideClasses, KeepWhatTheyFoundBeforeColumnsThatRuinTheFit) {
  const Fit fit = fit_repeated(60, 10'000, 1e5, 20);
  EXPECT_EQ(fit.report.status, Status::max_sweeps) << fit.report.message;
  EXPECT_LT(fit.bound, 0) << "the probability of classes is at most 1";
  EXPECT_GT(fit.bound, -110);
  EXPECT_EQ(fit.accuracy, 1);
}

// Weights are repetitions, and the forms of X are the same table.
TEST(WideClasses, FormsOfXAndWeightsAgree) {
  const WideCase table = make_wide_case("ind", 150, 1200, 3, 6, 17);
  testing::expect_forms_and_weights_agree(table.X, classes_of(table), [](const FitTable& X, const Vector& t, FitOptions options) {
    return fit_classes(X, t, PriorKind::sparse, Kept::some, std::move(options));
  });
}

TEST(WideClasses, HaveTheSameBitsForAnyNumberOfThreads) {
  const WideCase table = make_wide_case("blocks", 100, 1000, 4, 4, 13);
  for (const PriorKind prior : {PriorKind::slab, PriorKind::sparse}) {
    const auto by_threads = [&](int threads) {
      const blas::ThreadScope scope(threads);
      return fit_classes(table, prior, Kept::some);
    };
    const Fit one = by_threads(1), three = by_threads(3);
    EXPECT_EQ(one.mean, three.mean);
    EXPECT_EQ(one.variance, three.variance);
    EXPECT_EQ(one.report.bound, three.report.bound);
  }
}

}  // namespace
}  // namespace ardvark::internal
