// Counts and Student-t noise with thousands of columns, of which only some are in memory: the same answers as with all of them.
// (SL.15), (SL.16)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "../support/draw_target.hpp"
#include "../support/wide_case.hpp"
#include "ardvark/counts.hpp"
#include "core/blas.hpp"
#include "frame/prepare.hpp"
#include "method/spike_slab/sparse.hpp"

namespace ardvark::internal {
namespace {

using testing::at_new_rows;
using testing::make_wide_case;
using testing::RowsAt;
using testing::WideCase;

enum class InMemory { some, all };

Fit fit_rows(const FitTable& X, const Vector& y, Family family, PriorKind prior, InMemory in_memory, FitOptions options = {}) {
  options.prior.kind = prior;
  options.family = family;
  Frame frame = make_frame(family == Family::student ? Task::linear : Task::counts, X, VectorView(y), options);
  Solution solution = in_memory == InMemory::all ? solve_moments_in_memory(frame) : solve_wide_moments(frame);
  solution.family = family;
  return assemble(frame, std::move(solution));
}

/// Counts of mean e^eta, with the variance mu + mu^2/2 of a negative binomial; numbers with noise of sd 1, each tenth of sd 10.
Vector draw(Family family, Vector eta, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::gamma_distribution<double> gamma(2, 0.5);
  if (family == Family::negative_binomial)
    for (double& one : eta) one += std::log(gamma(engine));
  ardvark::testing::Random random(seed);
  if (family != Family::student) return ardvark::testing::draw_target(Task::counts, eta, random);
  for (Index i = 0; i < eta.size(); ++i) eta[i] += (i % 10 == 0 ? 10 : 1) * normal(engine);
  return eta;
}

struct CaseOfCounts {
  const char* rows;
  Family family;
  Index n, p;
  int effects;
  double signal, small, level;
  bool has_offset = false, standardize = true;
};

class WideCounts : public ::testing::TestWithParam<CaseOfCounts> {};

// As of classes, the starts see other columns at first. In like tables inclusions differ by up to .016 and bounds by .01; bounds with
// Student-t noise by .4.
TEST_P(WideCounts, AnswerAsWithAllColumnsInMemory) {
  const auto& [rows, family, n, p, effects, signal, small, level, has_offset, standardize] = GetParam();
  const WideCase table = make_wide_case(rows, n, p, effects, signal, 11, small);
  const Vector offset = Vector::NullaryExpr(n, [](Index i) { return std::log(0.3 + static_cast<double>(i % 7)); });
  const Vector weights = Vector::NullaryExpr(n, [](Index i) { return 0.8 + 0.2 * static_cast<double>(i % 3); });
  FitOptions options;
  options.standardize = standardize;
  if (has_offset) options.row_offset = offset, options.weights = weights, options.prior.flat_columns = {5};
  Vector eta = table.f.array() + level;
  if (has_offset) eta += offset;
  const Vector y = draw(family, eta, 7);
  for (const PriorKind prior : {PriorKind::slab, PriorKind::sparse}) {
    SCOPED_TRACE(prior == PriorKind::slab ? "slab" : "sparse");
    const Fit some = fit_rows(MatrixView(table.X), y, family, prior, InMemory::some, options);
    const Fit all = fit_rows(MatrixView(table.X), y, family, prior, InMemory::all, options);
    EXPECT_EQ(some.report.status, Status::converged) << some.report.message;
    const RowsAt one = at_new_rows(some, table.new_X), two = at_new_rows(all, table.new_X);
    const double root = std::sqrt(static_cast<double>(table.new_X.rows()));
    EXPECT_LT((some.sparse->inclusion - all.sparse->inclusion).cwiseAbs().maxCoeff(), 0.03);
    EXPECT_LT((one.mean - two.mean).norm(), 0.05 * two.mean.norm() + 0.01 * root);
    EXPECT_NEAR(some.report.bound, all.report.bound, family == Family::student ? 0.5 : 0.1);
    EXPECT_NEAR(one.variance.mean() / two.variance.mean(), 1, 0.1);
    EXPECT_NEAR(some.deviance, all.deviance, 0.02) << "of the rows of the fit";
    if (family == Family::negative_binomial) {
      EXPECT_NEAR(some.family.dispersion / all.family.dispersion, 1, 0.02);
    }
    if (family == Family::student) {
      EXPECT_NEAR(some.family.degrees_of_freedom / all.family.degrees_of_freedom, 1, 0.02);
      EXPECT_LT((some.family.row_weight - all.family.row_weight).cwiseAbs().maxCoeff(), 0.05);
    }
  }
}

constexpr Family poisson = Family::poisson, negative_binomial = Family::negative_binomial, student = Family::student;
INSTANTIATE_TEST_SUITE_P(Families, WideCounts,
                         ::testing::Values(CaseOfCounts{"ind", poisson, 200, 1500, 4, 0.5, 0, 1},
                                           CaseOfCounts{"ind", poisson, 200, 1500, 4, 0.5, 0, 1, true},
                                           CaseOfCounts{"ind", poisson, 200, 1500, 4, 0.5, 0, 1, false, false},
                                           CaseOfCounts{"ar", poisson, 300, 1500, 4, 0.5, 0, 1},
                                           CaseOfCounts{"ind", poisson, 150, 1500, 3, 0.8, 0.5, 1},
                                           CaseOfCounts{"ind", poisson, 400, 1500, 8, 1.5, 0, -1},
                                           CaseOfCounts{"ind", negative_binomial, 200, 1500, 4, 0.5, 0, 1},
                                           CaseOfCounts{"ind", negative_binomial, 300, 1000, 4, 0.8, 0, -1, true},
                                           CaseOfCounts{"ind", student, 300, 1500, 4, 6, 0, 0}));

// Without effects of their own there is nothing to look for: the steps are those of the ridge, from X X' alone.               (SL.15)
TEST(WideCounts, RidgeIsExact) {
  const WideCase table = make_wide_case("factors", 120, 1500, 0, 0.5, 3, 2);
  FitOptions options;
  options.keep_covariance = Keep::always;
  for (const Family family : {poisson, negative_binomial}) {
    const Vector y = draw(family, table.f.array() + 1, 5);
    const Fit some = fit_rows(MatrixView(table.X), y, family, PriorKind::dense, InMemory::some, options);
    const Fit all = fit_rows(MatrixView(table.X), y, family, PriorKind::dense, InMemory::all, options);
    const double tolerance = family == poisson ? 1e-5 : 1e-3;  // ln k is searched in each step
    testing::expect_same_ridge(some, all, table.new_X, tolerance, tolerance);
    EXPECT_NEAR(some.deviance, all.deviance, 0.1 * tolerance);
  }
}

// Weights are repetitions, and the forms of X are the same table.
TEST(WideCounts, FormsOfXAndWeightsAgree) {
  const WideCase table = make_wide_case("ind", 150, 1200, 3, 0.8, 17);
  testing::expect_forms_and_weights_agree(table.X, draw(poisson, table.f.array() + 1, 3),
                                          [](const FitTable& X, const Vector& y, FitOptions options) {
                                            return fit_rows(X, y, poisson, PriorKind::sparse, InMemory::some, std::move(options));
                                          });
}

TEST(WideCounts, HaveTheSameBitsForAnyNumberOfThreads) {
  const WideCase table = make_wide_case("blocks", 100, 1000, 4, 0.8, 13);
  for (const Family family : {poisson, negative_binomial}) {
    const Vector y = draw(family, table.f.array() + 1, 3);
    const auto by_threads = [&](int threads) {
      const blas::ThreadScope scope(threads);
      return fit_rows(MatrixView(table.X), y, family, PriorKind::sparse, InMemory::some);
    };
    const Fit one = by_threads(1), three = by_threads(3);
    EXPECT_EQ(one.mean, three.mean);
    EXPECT_EQ(one.variance, three.variance);
    EXPECT_EQ(one.report.bound, three.report.bound);
  }
}

// A flat column of rows whose counts are all 0.
TEST(WideCounts, ColumnsWithoutAPriorMayHaveNoMaximum) {
  const Index n = 120;
  WideCase table = make_wide_case("ind", n, 1000, 3, 0.8, 19);
  table.X.col(0) = (Vector::LinSpaced(n, 0, n - 1).array() < 12).cast<double>();
  Vector y = draw(poisson, table.f.array() + 1, 3);
  FitOptions options;
  options.prior.flat_columns = {0};
  EXPECT_EQ(fit_rows(MatrixView(table.X), y, poisson, PriorKind::sparse, InMemory::some, options).report.status, Status::converged);
  y.head(12).setZero();
  const Fit apart = fit_rows(MatrixView(table.X), y, poisson, PriorKind::sparse, InMemory::some, options);
  EXPECT_EQ(apart.report.status, Status::separated) << apart.report.message;
}

// The whole way of a user, by the size of the table: the note tells of the passes.
TEST(WideCounts, ManyColumnsAreNeverAllInMemory) {
  const WideCase table = make_wide_case("ind", 60, 36'000, 2, 1.5, 23);
  const Vector y = draw(negative_binomial, table.f.array() + 2, 3);
  const CountFit fit = fit_counts(table.X, y);
  const std::vector<std::string>& notes = fit.report.notes;
  EXPECT_EQ(std::ranges::count_if(notes, [](const std::string& note) { return note.find("may have an effect") != std::string::npos; }), 1);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  ASSERT_EQ(fit.sparse->inclusion.size(), 36'000);
  const CountPrediction rate = predict(fit, table.new_X.topRows(20));
  EXPECT_TRUE((rate.mean.array() > 0).all() && rate.mean.allFinite());
}

}  // namespace
}  // namespace ardvark::internal
