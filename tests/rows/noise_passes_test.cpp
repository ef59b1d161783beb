// Regressions with Student-t noise by passes over rows that are not in memory.                        docs/math/passes.md (PASS.12)
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "labelled_rows.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::LabelledRows;
using testing::Random;

// \param degrees  of the noise; 0: normal
LabelledRows table_with_noise(std::uint64_t seed, Index n, Index p, int degrees, bool weighted = false) {
  Random random(seed);
  LabelledRows out{testing::correlated_columns(random, n, p), {}, {}};
  out.y = 0.3 * out.X * random.normals(p);
  for (Index i = 0; i < n; ++i) {
    double scale = 1;
    if (degrees > 0) scale = random.normals(degrees).squaredNorm() / degrees;
    out.y[i] += random.normal() / std::sqrt(scale);
  }
  out.y = out.y.array() * 7 + 40;
  for (Index j = 0; j < p; ++j) out.X.col(j) = out.X.col(j).array() * random.scale(0.01, 100) + random.scale(0.1, 10);
  if (weighted) out.weights = testing::some_without_weight(random, n);
  return out;
}

FitOptions noise_options(const Prior& prior, const LabelledRows& table) {
  return {.prior = prior, .family = Family::student, .tolerance = 1e-15, .column_names = testing::names_of(table)};
}

LinearFit fit_in_memory(const LabelledRows& table, FitOptions options) {
  if (table.weights.size() > 0) options.weights = table.weights;
  return fit_linear(table.X, table.y, options);
}

void expect_same_regression(const LinearFit& passes, const LinearFit& memory) {
  ASSERT_EQ(passes.report.status, Status::converged) << passes.report.message;
  ASSERT_EQ(memory.report.status, Status::converged) << memory.report.message;
  // Both end where the next step gains less than the tolerance, or than the rounding of the bound. A gain g moves a mean by sqrt(2 g)
  // sd.
  double sds = std::sqrt(2e-15 * memory.num_rows + 2e-15 * (std::abs(memory.bound) + memory.num_rows));
  const bool is_student = memory.family.family == Family::student;
  // The steps of (TN.1) shrink to 1 - (nu + 1) / (nu + 3) of the one before (TN.6): all that is left is (nu + 3) / (nu + 1) times the last.
  if (const double nu = memory.family.degrees_of_freedom; is_student) sds *= (nu + 3) / (nu + 1);
  // In memory, ln E tau and ln nu end where the next step gains less than 1e-13 nats a row (TN.3).
  const double of_u = is_student ? memory.family.log_sd * (sds + std::sqrt(2e-13 * (1 + memory.num_rows))) : 0;
  sds += of_u;
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
  EXPECT_NEAR(passes.r_squared, memory.r_squared, 1e-8);
  EXPECT_EQ(passes.family.family, memory.family.family);
  EXPECT_EQ(passes.family.other, memory.family.other);
  EXPECT_EQ(passes.posterior, memory.posterior);
  EXPECT_NEAR(passes.noise.shape, memory.noise.shape, 1e-9 * memory.noise.shape);
  EXPECT_NEAR(passes.noise.rate, memory.noise.rate, (1e-8 + of_u) * memory.noise.rate);
  if (is_student) {
    EXPECT_NEAR(passes.family.degrees_of_freedom, memory.family.degrees_of_freedom, of_u * memory.family.degrees_of_freedom);
    EXPECT_NEAR(passes.family.log_mean, memory.family.log_mean, of_u);
    EXPECT_NEAR(passes.family.log_sd, memory.family.log_sd, of_u);
    EXPECT_EQ(passes.family.row_weight.size(), 0);
  }
  EXPECT_NEAR(passes.effective_parameters, memory.effective_parameters, 1e-6 * memory.effective_parameters);
  EXPECT_NEAR(passes.num_rows, memory.num_rows, 1e-9 * memory.num_rows);
  EXPECT_EQ(passes.relevant, memory.relevant);
  EXPECT_EQ(passes.report.warnings, memory.report.warnings);
}

// (PASS.12), (TN.1) to (TN.6)
TEST(NoisePasses, GiveTheFitOfRowsInMemory) {
  std::uint64_t seed = 0;
  for (const int degrees : {1, 3, 8, 0})
    for (const Index p : {1, 8}) {
      ++seed;
      const LabelledRows table = table_with_noise(seed, 13500, p, degrees, seed % 2 == 0);
      for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::none()}) {
        SCOPED_TRACE(fmt::format("seed {}, prior {}, degrees {}", seed, to_string(prior.kind), degrees));
        const FitOptions options = noise_options(prior, table);
        expect_same_regression(fit_linear(table.in_parts(5000), options), fit_in_memory(table, options));
      }
    }
}

TEST(NoisePasses, GiveTheFitOfRowsInMemoryUnderEachOption) {
  const LabelledRows table = table_with_noise(20, 12000, 6, 3);
  FitOptions groups = noise_options(Prior::groups({0, 0, 1, 1, 1, 2}), table), flat = noise_options(Prior::ard(), table), fixed = flat,
             no_intercept = flat, as_they_are = flat, numbers_as_they_are = flat, noise = flat;
  flat.prior.flat_columns = {1, 5};
  fixed.prior.fixed_columns = {0, 3}, fixed.prior.fixed_precision = {100.0, 1e4};
  no_intercept.intercept = false;
  as_they_are.standardize = false;
  numbers_as_they_are.standardize = numbers_as_they_are.intercept = false;
  noise.noise = {2, 5};
  int number = 0;
  for (const FitOptions* options : {&groups, &flat, &fixed, &no_intercept, &as_they_are, &numbers_as_they_are, &noise}) {
    SCOPED_TRACE(fmt::format("options {}", ++number));
    expect_same_regression(fit_linear(table.rows(), *options), fit_in_memory(table, *options));
  }
}

// Sums of parts that were sent as bytes; pieces of any size give the same bits.
TEST(NoisePasses, DoNotDependOnPieces) {
  const LabelledRows table = table_with_noise(30, 20000, 4, 3, true);
  const FitOptions options = noise_options(Prior::ard(), table);
  const LinearFit whole = fit_linear(table.rows(20000), options), pieces = fit_linear(table.rows(777), options);
  EXPECT_TRUE((whole.mean.array() == pieces.mean.array()).all());
  EXPECT_EQ(whole.family.degrees_of_freedom, pieces.family.degrees_of_freedom);
  EXPECT_EQ(whole.bound, pieces.bound);
}

// Normal noise is fitted from the statistics of the first look.
TEST(NoisePasses, TakeTheNoiseOfRowsInMemory) {
  for (const int degrees : {0, 3}) {
    SCOPED_TRACE(fmt::format("degrees {}", degrees));
    const LabelledRows table = table_with_noise(95, 14000, 4, degrees, true);
    FitOptions options = noise_options(Prior::ard(), table);
    options.family = Family::automatic;
    const LinearFit passes = fit_linear(table.rows(), options), memory = fit_in_memory(table, options);
    EXPECT_EQ(passes.family.family, degrees > 0 ? Family::student : Family::normal);
    expect_same_regression(passes, memory);
    EXPECT_NEAR(passes.family.preferred_by, memory.family.preferred_by, 1e-9 * std::abs(memory.bound) + 1e-6);
    const std::string notes = fmt::format("{}", fmt::join(passes.report.notes, "\n"));
    EXPECT_NE(notes.find(fmt::format("noise auto: {} was taken", to_string(passes.family.family))), std::string::npos) << notes;
  }
}

TEST(NoisePasses, OfNormalNoiseReadTheRowsOnce) {
  const LabelledRows table = table_with_noise(96, 12000, 4, 0);
  FitOptions options = noise_options(Prior::ard(), table);
  options.family = Family::normal;
  int reads = 0;
  const LinearFit fit = fit_linear(rows_from([&](const TakeRows& take) { ++reads, take(table.X, table.y, {}); }), options);
  EXPECT_EQ(reads, 1);
  expect_same_regression(fit, fit_in_memory(table, options));
}

// A default that needs the rows gives way, and the notes say so.
TEST(NoisePasses, SayWhichDefaultsNeedTheRows) {
  const LabelledRows table = table_with_noise(45, 12000, 3, 3);
  FitOptions options = noise_options(Prior::automatic(), table);
  for (const Family family : {Family::student, Family::automatic}) {
    options.family = family;
    const LinearFit fit = fit_linear(table.rows(), options);
    EXPECT_EQ(fit.prior, PriorKind::ard);
    const std::string notes = fmt::format("{}", fmt::join(fit.report.notes, "\n"));
    EXPECT_NE(notes.find("prior auto: ard was taken, not sparse, because it needs the table in memory"), std::string::npos) << notes;
  }
}

// A small table is fitted in memory.
TEST(NoisePasses, OfFewRowsAreAFitInMemory) {
  const LabelledRows table = table_with_noise(40, 500, 3, 3);
  const FitOptions options = noise_options(Prior::shared(), table);
  const LinearFit fit = fit_linear(table.rows(), options);
  EXPECT_EQ(fit.family.row_weight.size(), 500);
  EXPECT_LT((fit.mean - fit_in_memory(table, options).mean).cwiseAbs().maxCoeff(), 1e-9);
}

// Outliers of a size that normal noise cannot survive, all of them outside of the sample.
TEST(NoisePasses, BeginWhereTheSampleMisleads) {
  LabelledRows table = table_with_noise(50, 40000, 3, 0);
  for (Index i = 0; i < 40; ++i) table.y[1000 * i] += i % 2 == 0 ? 1e5 : -3e4;
  const FitOptions options = noise_options(Prior::ard(), table);
  expect_same_regression(fit_linear(table.rows(), options), fit_in_memory(table, options));
}

TEST(NoisePasses, RefuseWhatNeedsTheTable) {
  const LabelledRows table = table_with_noise(70, 12000, 2, 3);
  FitOptions options = noise_options(Prior::shared(), table);
  const auto fit = [&] { (void)fit_linear(table.rows(), options); };
  for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense()}) {
    options.prior = prior;
    expect_invalid(fit, {"needs the table in memory", "shared, ard, groups and none"});
  }
  options.prior = Prior::laplace(1);
  expect_invalid(fit, {"laplace"});
  options.prior = Prior::shared();
  LabelledRows changing = table;
  int reads = 0;
  expect_invalid(
      [&] {
        (void)fit_linear(rows_from([&](const TakeRows& take) {
                           if (++reads == 3) changing.y[5] += 1;
                           take(changing.X, changing.y, {});
                         }),
                         options);
      },
      {"the rows have changed"});
}

}  // namespace
}  // namespace ardvark
