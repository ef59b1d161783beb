// Regressions with thousands of columns, of which only some are in memory: the same answers as with all of them.
#include <gtest/gtest.h>

#include <utility>

#include "../support/wide_case.hpp"
#include "ardvark/posterior.hpp"
#include "core/blas.hpp"
#include "method/spike_slab/sparse.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

using testing::at_new_rows;
using testing::make_wide_case;
using testing::RowsAt;
using testing::WideCase;

enum class Columns { some, all };

Fit fit_by(const WideCase& table, PriorKind prior, Columns in_memory, FitOptions options = {}) {
  options.prior.kind = prior;
  Frame frame = make_frame(Task::linear, FitTable(MatrixView(table.X)), VectorView(table.y), options);
  Solution solution = in_memory == Columns::all ? solve_linear_in_memory(frame) : solve_wide_linear(frame);
  return assemble(frame, std::move(solution));
}

struct Cell {
  const char* family;
  Index n, p;
  int effects;
  double signal, small;
};

class WideLinear : public ::testing::TestWithParam<Cell> {};

// The starts see other columns at first, so that their weights differ a little.
TEST_P(WideLinear, AnswersAsWithAllColumnsInMemory) {
  const auto [family, n, p, effects, signal, small] = GetParam();
  const WideCase table = make_wide_case(family, n, p, effects, signal, 11, small);
  for (const PriorKind prior : {PriorKind::slab, PriorKind::sparse}) {
    SCOPED_TRACE(prior == PriorKind::slab ? "slab" : "sparse");
    const Fit some = fit_by(table, prior, Columns::some), all = fit_by(table, prior, Columns::all);
    const RowsAt one = at_new_rows(some, table.new_X), two = at_new_rows(all, table.new_X);
    EXPECT_LT((some.sparse->inclusion - all.sparse->inclusion).cwiseAbs().maxCoeff(), 0.02);
    EXPECT_NEAR((one.mean - table.truth).norm() / (two.mean - table.truth).norm(), 1, 0.02);
    EXPECT_GT(some.report.bound, all.report.bound - 0.1);
    EXPECT_NEAR(one.variance.mean() / two.variance.mean(), 1, 0.05) << "effects that are not followed count, too";
    EXPECT_NEAR((some.noise.rate / some.noise.shape) / (all.noise.rate / all.noise.shape), 1, 0.01);
    EXPECT_NEAR(some.r_squared, all.r_squared, 0.01);
    EXPECT_LE(some.report.warnings.size(), all.report.warnings.size()) << "no column with an effect is left";
  }
}

INSTANTIATE_TEST_SUITE_P(Families, WideLinear,
                         ::testing::Values(Cell{"ind", 200, 3000, 5, 2, 0}, Cell{"ar", 200, 3000, 5, 2, 0},
                                           Cell{"blocks", 200, 3000, 5, 2, 0}, Cell{"ind", 200, 3000, 0, 0, 0},
                                           Cell{"ind", 300, 4000, 5, 2, 0.5}));

// A column that is not followed has the variance of an effect that may be there, as in a fit that follows it; and so has what is asked of
// some columns, and a draw.                                                                                          (SP.26), (SP.28)
TEST(WideLinear, ColumnsThatAreNotFollowedVary) {
  const WideCase table = make_wide_case("ind", 200, 3000, 5, 2, 11);
  const Fit some = fit_by(table, PriorKind::slab, Columns::some), all = fit_by(table, PriorKind::slab, Columns::all);
  EXPECT_GT(some.variance.minCoeff(), 0);
  std::vector<Index> followed = some.state->factor.mixture.columns;
  std::ranges::sort(followed);
  std::vector<Index> quiet;
  for (Index j = 0; j < 3000; ++j)
    if (!std::ranges::binary_search(followed, j)) quiet.push_back(j);
  ASSERT_GT(quiet.size(), 2000);
  const Vector ratio = some.variance(quiet).cwiseQuotient(all.variance(quiet));
  EXPECT_GT(ratio.minCoeff(), 0.8);
  EXPECT_LT(ratio.maxCoeff(), 1.25);
  EXPECT_EQ(direction(some)(quiet), Vector::Constant(static_cast<Index>(quiet.size()), 0.5)) << "the mean is 0";
  const std::vector<Index> columns = {quiet[5], table.with_effect[0], quiet[9], 3000};
  const Matrix of_some = covariance_of(some, columns);
  Vector own(4);
  own << some.variance(std::vector<Index>(columns.begin(), columns.end() - 1)), some.intercept->variance;
  EXPECT_LT((of_some.diagonal().cwiseQuotient(own).array() - 1).abs().maxCoeff(), 1e-9);
  EXPECT_EQ(of_some(0, 2), 0);
  EXPECT_LT((some.covariance()(columns, columns) - of_some).cwiseAbs().maxCoeff(), 1e-12 * of_some.maxCoeff());
  constexpr Index count = 4000;
  const WeightDraws draws = draw_weights(some, count);
  const Matrix of_quiet = draws.coef(Eigen::all, quiet);
  EXPECT_NEAR(of_quiet.squaredNorm() / count / some.variance(quiet).sum(), 1, 0.1);
  const double expected = some.sparse->inclusion(quiet).sum(), found = static_cast<double>((of_quiet.array() != 0).count()) / count;
  EXPECT_NEAR(found, expected, 5 * std::sqrt(expected / count));
  const Vector mean = draws.coef.colwise().mean().transpose();
  EXPECT_LT((mean - some.mean).cwiseQuotient(some.variance.cwiseSqrt()).norm() / std::sqrt(3001.0 / count), 1.2);
}

// Without effects of their own there is nothing to look for: the means are those of the ridge, from X X' alone.               (SP.27)
TEST(WideLinear, RidgeIsExact) {
  const WideCase table = make_wide_case("factors", 150, 2500, 0, 1, 3, 1);
  FitOptions options;
  options.keep_covariance = Keep::always;
  const Fit some = fit_by(table, PriorKind::dense, Columns::some, options), all = fit_by(table, PriorKind::dense, Columns::all, options);
  testing::expect_same_ridge(some, all, table.new_X, 1e-8, 1e-6);
}

// Columns that are left out may leave fewer columns than rows.
TEST(WideLinear, RidgeIsExactWithMoreRowsThanColumns) {
  const WideCase table = make_wide_case("factors", 190, 120, 0, 1, 4, 1);
  FitOptions options;
  options.keep_covariance = Keep::always;
  const Fit some = fit_by(table, PriorKind::dense, Columns::some, options), all = fit_by(table, PriorKind::dense, Columns::all, options);
  testing::expect_same_ridge(some, all, table.new_X, 1e-8, 1e-6);
}

TEST(WideLinear, HasTheSameBitsForAnyNumberOfThreads) {
  const WideCase table = make_wide_case("blocks", 200, 3000, 5, 2, 12, 0.5);
  for (const PriorKind prior : {PriorKind::slab, PriorKind::sparse}) {
    const auto by_threads = [&](int threads) {
      const blas::ThreadScope scope(threads);
      return fit_by(table, prior, Columns::some);
    };
    const Fit one = by_threads(1), three = by_threads(3);
    EXPECT_EQ(one.mean, three.mean);
    EXPECT_EQ(one.variance, three.variance);
    EXPECT_EQ(one.report.bound, three.report.bound);
  }
}

// What all columns have decided holds for those that are not constant, too: the other way would be refused, or need far more memory.
TEST(WideLinear, ColumnsThatAreLeftOutDoNotChangeTheWay) {
  const auto frame_of = [](Task task, Index n, Index p, Index num_constant) {
    Matrix X = Matrix::Zero(n, p);
    for (Index j = num_constant; j < p; ++j) X(j % n, j) = 1;
    Vector y(n);
    for (Index i = 0; i < n; ++i) y[i] = static_cast<double>(i % 2);
    FitOptions options;
    options.prior.kind = PriorKind::sparse;
    return std::pair(is_fitted_wide(options, task, n, p), is_wide(make_frame(task, FitTable(MatrixView(X)), VectorView(y), options)));
  };
  EXPECT_EQ(frame_of(Task::logistic, 1600, 1700, 200), std::pair(true, true));
  EXPECT_EQ(frame_of(Task::linear, 4200, 4300, 150), std::pair(true, true));
  EXPECT_EQ(frame_of(Task::logistic, 1600, 1700, 1600), std::pair(true, false)) << "a hundred columns fit into memory";
  EXPECT_EQ(frame_of(Task::logistic, 1600, 1500, 0), std::pair(false, false));
}

// A handful of rows says little of 33,000 columns: predictions are as uncertain as those of a fit that visits each of them.    (SP.26)
TEST(WideLinear, FewRowsOfManyColumnsStayAsUncertain) {
  EXPECT_TRUE(is_fitted_wide({}, Task::linear, 3, 200000));
  EXPECT_TRUE(is_fitted_wide({}, Task::logistic, 3, 200000));
  EXPECT_FALSE(is_fitted_wide({}, Task::linear, 3, 30000));
  const WideCase table = make_wide_case("ind", 8, 33000, 3, 4, 7);
  const RowsAt some = at_new_rows(fit_by(table, PriorKind::sparse, Columns::some), table.new_X);
  const RowsAt all = at_new_rows(fit_by(table, PriorKind::sparse, Columns::all), table.new_X);
  EXPECT_NEAR(some.variance.mean() / all.variance.mean(), 1, 0.1);
  EXPECT_LT((some.mean - all.mean).norm(), 0.1 * std::sqrt(all.variance.sum()));
}

// The set of an effect holds all columns that could have it, whether they had been active or not.                              (SP.9)
TEST(WideLinear, SetsHoldBothCopies) {
  const WideCase table = make_wide_case("copies", 300, 4000, 3, 3, 5);
  const Fit fit = fit_by(table, PriorKind::slab, Columns::some);
  for (const Index j : table.with_effect) {
    const Index copy = j % 2 == 0 ? j + 1 : j - 1;
    const bool is_told = std::ranges::any_of(fit.sparse->sets, [&](const CredibleSet& set) {
      return std::ranges::count(set.columns, j) == 1 && std::ranges::count(set.columns, copy) == 1;
    });
    EXPECT_TRUE(is_told) << j;
  }
}

}  // namespace
}  // namespace ardvark::internal
