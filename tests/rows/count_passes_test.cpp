// Fits of counts by passes over rows that are not in memory.                                          docs/math/passes.md (PASS.10)
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../support/draw_target.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "labelled_rows.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::LabelledRows;
using testing::Random;

// The last column but one is an exposure, the last one its logarithm in another unit.
LabelledRows table_of_counts(std::uint64_t seed, Index n, Index p, double log_rate, bool weighted = false) {
  Random random(seed);
  LabelledRows out{testing::correlated_columns(random, n, p + 2), {}, {}};
  const Vector log_exposure = 0.5 * random.normals(n);
  const Vector eta = (0.3 * out.X.leftCols(p) * random.normals(p) + log_exposure).array() + log_rate;
  out.y = testing::draw_target(Task::counts, eta, random);
  for (Index j = 0; j < p; ++j) out.X.col(j) = out.X.col(j).array() * random.scale(0.01, 100) + random.scale(0.1, 10);
  out.X.col(p) = log_exposure.array().exp();
  out.X.col(p + 1) = log_exposure.array() + std::log(24);
  if (weighted) out.weights = testing::some_without_weight(random, n);
  return out;
}

FitOptions options_of(const Prior& prior, const LabelledRows& table) {
  return {.prior = prior, .family = Family::poisson, .tolerance = 1e-15, .column_names = testing::names_of(table)};
}

CountFit counts_in_memory(const LabelledRows& table, FitOptions options) {
  if (table.weights.size() > 0) options.weights = table.weights;
  return fit_counts(table.X, table.y, options);
}

void expect_same(const CountFit& passes, const CountFit& memory, double tolerance = 1e-15) {
  ASSERT_EQ(passes.report.status, Status::converged) << passes.report.message;
  ASSERT_EQ(memory.report.status, Status::converged) << memory.report.message;
  // Both end where the next step gains less than the tolerance, or than the rounding of the bound. A gain g moves a mean by sqrt(2 g)
  // sd.
  double sds = std::sqrt(2 * tolerance * memory.num_rows + 2e-15 * (std::abs(memory.bound) + memory.num_rows));
  // In memory, ln k ends where the next step gains less than 1e-13 nats a row (NB.4).
  const double of_k = memory.family.log_sd * (sds + std::sqrt(2e-13 * (1 + memory.num_rows)));
  sds += of_k;
  const Vector sd = memory.variance.cwiseSqrt();
  for (Index j = 0; j < sd.size(); ++j) {
    EXPECT_NEAR(passes.mean[j], memory.mean[j], sds * sd[j]) << j;
    EXPECT_NEAR(std::sqrt(passes.variance[j]), sd[j], sds * sd[j]) << j;
  }
  EXPECT_EQ(passes.intercept.has_value(), memory.intercept.has_value());
  if (memory.intercept) {
    EXPECT_NEAR(passes.intercept->mean, memory.intercept->mean, sds * std::sqrt(memory.intercept->variance));
    EXPECT_NEAR(passes.intercept->variance, memory.intercept->variance, 2 * sds * memory.intercept->variance);
  }
  EXPECT_NEAR(passes.bound, memory.bound, 1e-9 * std::abs(memory.bound) + 1e-6);
  EXPECT_NEAR(passes.deviance, memory.deviance, (1e-8 + of_k) * memory.deviance);
  EXPECT_NEAR(passes.deviance_explained, memory.deviance_explained, 1e-8 + of_k);
  EXPECT_EQ(passes.family.family, memory.family.family);
  EXPECT_EQ(passes.family.other, memory.family.other);
  EXPECT_NEAR(passes.family.dispersion, memory.family.dispersion, of_k * memory.family.dispersion);
  EXPECT_NEAR(passes.family.log_mean, memory.family.log_mean, of_k);
  EXPECT_NEAR(passes.family.log_sd, memory.family.log_sd, of_k);
  EXPECT_NEAR(passes.num_rows, memory.num_rows, 1e-9 * memory.num_rows);
  EXPECT_EQ(passes.relevant, memory.relevant);
  EXPECT_EQ(passes.exposure, memory.exposure);
  EXPECT_EQ(passes.offset_column, memory.offset_column);
  EXPECT_EQ(passes.report.warnings, memory.report.warnings);
}

// (PASS.10), (POIS.8), (POIS.9)
TEST(CountPasses, GiveTheFitOfRowsInMemory) {
  std::uint64_t seed = 0;
  for (const double log_rate : {-4.0, 1.0, 5.0})
    for (const Index p : {1, 8}) {
      ++seed;
      const LabelledRows table = table_of_counts(seed, 10500, p, log_rate, seed % 2 == 0);
      for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::none()}) {
        for (const char* offset : {"", "exposure", "offset_column"}) {
          SCOPED_TRACE(fmt::format("seed {}, prior {}, {}", seed, to_string(prior.kind), offset));
          FitOptions options = options_of(prior, table);
          if (*offset == 'e') options.exposure = options.column_names[static_cast<std::size_t>(p)];
          if (*offset == 'o') options.offset_column = options.column_names[static_cast<std::size_t>(p + 1)];
          expect_same(fit_counts(table.rows(), options), counts_in_memory(table, options), *options.tolerance);
        }
      }
    }
}

TEST(CountPasses, GiveTheFitOfRowsInMemoryUnderEachOption) {
  const LabelledRows table = table_of_counts(20, 12000, 6, 0.5);
  FitOptions groups = options_of(Prior::groups({0, 0, 1, 1, 1, 2, 3, 3}), table), flat = options_of(Prior::ard(), table), fixed = flat,
             no_intercept = flat, as_they_are = flat;
  flat.prior.flat_columns = {1, 5};
  fixed.prior.fixed_columns = {0, 3}, fixed.prior.fixed_precision = {100.0, 1e4};
  no_intercept.intercept = false;
  as_they_are.standardize = false;
  int number = 0;
  for (const FitOptions* options : {&groups, &flat, &fixed, &no_intercept, &as_they_are}) {
    SCOPED_TRACE(fmt::format("options {}", ++number));
    expect_same(fit_counts(table.rows(), *options), counts_in_memory(table, *options));
  }
}

// Sums of parts that were sent as bytes; pieces of any size give the same bits.
TEST(CountPasses, DoNotDependOnPieces) {
  const LabelledRows table = table_of_counts(30, 20000, 4, 1.0, true);
  FitOptions options = options_of(Prior::ard(), table);
  options.exposure = "x5";
  const CountFit whole = fit_counts(table.rows(20000), options), pieces = fit_counts(table.rows(777), options);
  EXPECT_TRUE((whole.mean.array() == pieces.mean.array()).all());
  EXPECT_EQ(whole.deviance, pieces.deviance);
  expect_same(fit_counts(table.in_parts(6000), options), whole);
}

// A default that needs the rows gives way, and the notes say so.
TEST(CountPasses, SayWhichDefaultsNeedTheRows) {
  const LabelledRows table = table_of_counts(45, 12000, 3, 1.0);
  const FitOptions options = options_of(Prior::automatic(), table);
  const CountFit fit = fit_counts(table.rows(), options);
  EXPECT_EQ(fit.prior, PriorKind::ard);
  const std::string notes = fmt::format("{}", fmt::join(fit.report.notes, "\n"));
  EXPECT_NE(notes.find("prior auto: ard was taken, not sparse, because it needs the counts in memory"), std::string::npos) << notes;
}

// Counts that vary more than those of a Poisson, by normal noise of this standard deviation in the log rate.
LabelledRows varied_counts(std::uint64_t seed, Index n, double log_rate, double noise, bool weighted) {
  LabelledRows table = table_of_counts(seed, n, 4, log_rate, weighted);
  Random random(seed + 1000);
  Vector eta = (table.X.col(4).array().log() + log_rate).matrix() + noise * random.normals(n);
  for (Index j = 0; j < 4; ++j) {
    const Vector x = table.X.col(j).array() - table.X.col(j).mean();
    eta += 0.2 * random.normal() / std::sqrt(x.squaredNorm() / static_cast<double>(n)) * x;
  }
  table.y = testing::draw_target(Task::counts, eta, random);
  return table;
}

// (PASS.11), (NB.4), (NB.5), (NB.7)
TEST(CountPasses, FindTheDispersionOfRowsInMemory) {
  // Two of the four priors a table, so that each prior meets each rate with and without noise, and each offset.
  const std::vector<Prior> priors = {Prior::shared(), Prior::ard(), Prior::none(), Prior::groups({0, 0, 1, 1, 2, 2})};
  std::uint64_t seed = 80;
  for (const double noise : {0.0, 0.7})
    for (const double log_rate : {-1.0, 2.0})
      for (const char* offset : {"", "exposure", "offset_column"}) {
        ++seed;
        const LabelledRows table = varied_counts(seed, 12000, log_rate, noise, seed % 2 == 0);
        const std::uint64_t number = seed - 81;
        for (const std::uint64_t which : {number / 3 + number % 3, number / 3 + number % 3 + 1}) {
          const Prior& prior = priors[which % 4];
          FitOptions options = options_of(prior, table);
          options.family = Family::negative_binomial;
          if (*offset == 'e') options.exposure = "x5";
          if (*offset == 'o') options.offset_column = "x6";
          SCOPED_TRACE(fmt::format("prior {}, noise {}, rate {}, {}", to_string(prior.kind), noise, log_rate, offset));
          const CountFit memory = counts_in_memory(table, options);
          EXPECT_GT(memory.family.dispersion, 0);
          expect_same(fit_counts(table.in_parts(5000), options), memory);
        }
      }
}

TEST(CountPasses, TakeTheFamilyOfRowsInMemory) {
  for (const double noise : {0.0, 0.7}) {
    SCOPED_TRACE(fmt::format("noise {}", noise));
    const LabelledRows table = varied_counts(95, 12000, 1.0, noise, false);
    FitOptions options = options_of(Prior::ard(), table);
    options.family = Family::automatic;
    options.exposure = "x5";
    const CountFit passes = fit_counts(table.rows(), options), memory = counts_in_memory(table, options);
    EXPECT_EQ(passes.family.family, noise > 0 ? Family::negative_binomial : Family::poisson);
    expect_same(passes, memory);
    EXPECT_NEAR(passes.family.preferred_by, memory.family.preferred_by, 1e-5 * memory.family.preferred_by);
    const std::string notes = fmt::format("{}", fmt::join(passes.report.notes, "\n"));
    EXPECT_NE(notes.find(fmt::format("family auto: {} was taken", to_string(passes.family.family))), std::string::npos) << notes;
  }
}

// A small table is fitted in memory.
TEST(CountPasses, OfFewRowsAreAFitInMemory) {
  const LabelledRows table = table_of_counts(40, 500, 3, 1.0);
  const FitOptions options = options_of(Prior::shared(), table);
  EXPECT_LT((fit_counts(table.rows(), options).mean - counts_in_memory(table, options).mean).cwiseAbs().maxCoeff(), 1e-9);
}

// The sample has no event of a rate of 1 in 2000, or none of a level: the passes begin elsewhere, and end at the same fit.
TEST(CountPasses, BeginWhereTheSampleHasNoCounts) {
  Random random(50);
  for (const bool has_intercept : {true, false})
    for (const double log_rate : {-7.5, 5.0}) {
      LabelledRows table{random.normals(40000, 3), {}, {}};
      if (!has_intercept) table.X.col(2) = table.X.col(2).array() + 4;
      const Vector eta = (0.2 * table.X.col(0)).array() + log_rate;
      table.y = testing::draw_target(Task::counts, eta, random);
      for (Index i = 0; i < 40; ++i) table.X(1000 * i, 1) = 50, table.y[1000 * i] += 3;  // a rare level with counts of its own
      FitOptions options = options_of(Prior::ard(), table);
      options.intercept = has_intercept;
      SCOPED_TRACE(fmt::format("rate {}, intercept {}", log_rate, has_intercept));
      expect_same(fit_counts(table.rows(), options), counts_in_memory(table, options));
    }
}

// An indicator of rows whose counts are all 0 has no best weight without a prior, but has one with a prior.
TEST(CountPasses, SayWhereThereIsNoMaximum) {
  LabelledRows table = table_of_counts(60, 15000, 3, 0.5);
  for (Index i = 0; i < 15000; ++i) {
    table.X(i, 2) = i % 50 == 0 ? 1 : 0;
    if (i % 50 == 0) table.y[i] = 0;
  }
  FitOptions options = options_of(Prior::none(), table);
  const CountFit none = fit_counts(table.rows(), options);
  EXPECT_EQ(none.report.status, Status::separated) << none.report.message;
  EXPECT_NE(none.report.message.find("tell rows whose counts are all 0 from the others"), std::string::npos) << none.report.message;
  options = options_of(Prior::shared(), table);
  EXPECT_EQ(fit_counts(table.rows(), options).report.status, Status::converged);
}

// An expected rate above any number is no result, as in memory. The negative binomial may have one where the count is 0.       (PASS.10)
TEST(CountPasses, SayWhereARateIsLargerThanAnyNumber) {
  LabelledRows table = varied_counts(66, 12000, 1.0, 0.7, false);
  for (Index i = 0; i < 12000; ++i) table.X(i, 5) = i == 700 ? 705 : 0;
  table.y[700] = 0;
  FitOptions options = options_of(Prior::shared(), table);
  options.offset_column = "x6";
  options.family = Family::negative_binomial;
  for (const CountFit& fit : {fit_counts(table.in_parts(5000), options), counts_in_memory(table, options)}) {
    EXPECT_EQ(fit.report.status, Status::separated) << fit.report.message;
    EXPECT_NE(fit.report.message.find("the expected rate of a row is larger than any number"), std::string::npos) << fit.report.message;
    EXPECT_TRUE(fit.mean.array().isNaN().all());
  }
}

// The bound is a difference of numbers of about 2e10 here, whose rounding is no fall of it.                                   (PASS.10)
TEST(CountPasses, FitLargeCounts) {
  const LabelledRows table = table_of_counts(65, 12000, 5, 10.0);
  FitOptions options = options_of(Prior::shared(), table);
  options.tolerance = 1e-12;
  expect_same(fit_counts(table.rows(), options), counts_in_memory(table, options), 1e-12);
  options.family = Family::negative_binomial;
  const CountFit fit = fit_counts(table.rows(), options);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
}

TEST(CountPasses, RefuseWhatIsNoCountOrOffset) {
  LabelledRows table = table_of_counts(70, 12000, 2, 1.0);
  FitOptions options = options_of(Prior::shared(), table);
  options.exposure = "x3";
  const auto fit = [&] { (void)fit_counts(table.rows(), options); };
  table.X(9000, 2) = 0;
  expect_invalid(fit, {"row 9001", "'x3'", "the exposure must be above 0"});
  table.X(9000, 2) = 1;
  table.y[10000] = 2.5;
  expect_invalid(fit, {"y at row 10001", "2.5", "a count is a whole number"});
  table.y.setZero();
  expect_invalid(fit, {"every count is 0"});
  table = table_of_counts(70, 12000, 2, 1.0);
  options.exposure = "days";
  expect_invalid(fit, {"exposure 'days' is not a column"});
  options.exposure = "";
  const Vector offset = Vector::Zero(12000);
  options.row_offset = offset;
  expect_invalid(fit, {"row_offset", "make it a column"});
  options.row_offset = {};
  for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense(), Prior::laplace(1)}) {
    options.prior = prior;
    expect_invalid(fit, {"shared, ard, groups and none"});
  }
  options.prior = Prior::shared();
  int reads = 0;
  expect_invalid(
      [&] {
        (void)fit_counts(rows_from([&](const TakeRows& take) {
                           if (++reads == 3) table.y[5] += 1;
                           take(table.X, table.y, {});
                         }),
                         options);
      },
      {"the rows have changed"});
}

}  // namespace
}  // namespace ardvark
