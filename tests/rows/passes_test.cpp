// Fits of two classes by passes over rows that are not in memory.                                              docs/math/passes.md
#include "passes/passes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "../support/random_problem.hpp"
#include "../support/same_bits.hpp"
#include "../support/thrown.hpp"
#include "labelled_rows.hpp"
#include "passes/row_sums.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::is_sparse_kind;
using testing::LabelledRows;
using testing::Random;

LabelledRows random_table(std::uint64_t seed, Index n, Index p, Index num_effects, double size = 0.5, bool weighted = false) {
  Random random(seed);
  LabelledRows out{random.normals(n, p), Vector(n), {}};
  for (Index j = 1; j < p; ++j) out.X.col(j) += 0.5 * out.X.col(j - 1);
  Vector w = Vector::Zero(p);
  w.head(num_effects) = size * random.normals(num_effects);
  const Vector score = (out.X * w).array() - 0.4;
  for (Index i = 0; i < n; ++i) out.y[i] = random.uniform() < 1 / (1 + std::exp(-score[i])) ? 5 : 2;
  for (Index j = 0; j < p; ++j) out.X.col(j) = out.X.col(j).array() * random.scale(0.01, 100) + random.scale(0.1, 10);
  if (weighted) {
    out.weights = Vector(n);
    for (Index i = 0; i < n; ++i) out.weights[i] = random.chance(0.2) ? 0 : random.uniform(0.5, 2);
  }
  return out;
}

LogisticFit in_memory(const LabelledRows& table, FitOptions options) {
  if (table.weights.size() > 0) options.weights = table.weights;
  return fit_logistic(table.X, table.y, options);
}

// Rows of weight 0 take no part.
LabelledRows without_zeros(const LabelledRows& table) {
  std::vector<Index> kept;
  for (Index i = 0; i < table.y.size(); ++i)
    if (table.weights[i] > 0) kept.push_back(i);
  return {table.X(kept, Eigen::all), table.y(kept), table.weights(kept)};
}

void expect_same(const LogisticFit& passes, const LogisticFit& memory, double sds, double nats) {
  const Vector sd = memory.variance.cwiseSqrt();
  EXPECT_EQ(passes.report.status, Status::converged) << passes.report.message;
  EXPECT_LE((passes.mean - memory.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(), sds);
  EXPECT_LE((passes.variance.cwiseSqrt().cwiseQuotient(sd).array() - 1).abs().maxCoeff(), sds);
  EXPECT_EQ(passes.intercept.has_value(), memory.intercept.has_value());
  if (memory.intercept) {
    EXPECT_NEAR(passes.intercept->mean, memory.intercept->mean, sds * std::sqrt(memory.intercept->variance));
    EXPECT_NEAR(std::sqrt(passes.intercept->variance / memory.intercept->variance), 1, sds);
  }
  EXPECT_NEAR(passes.bound, memory.bound, nats);
  EXPECT_NEAR(passes.accuracy, memory.accuracy, 1e-3);
  EXPECT_NEAR(passes.log_loss, memory.log_loss, 1e-5);
  EXPECT_EQ(passes.classes, memory.classes);
  EXPECT_NEAR(passes.num_rows, memory.num_rows, 1e-9 * memory.num_rows);
}

// (PASS.4), (PASS.5): the same fit as in memory, up to the tolerance of both.
TEST(Passes, GiveTheFitOfRowsInMemory) {
  for (const PriorKind kind : {PriorKind::shared, PriorKind::ard, PriorKind::none, PriorKind::sparse, PriorKind::slab, PriorKind::dense})
    for (const Index p : {6, 30}) {
      const LabelledRows table = random_table(3, 15000, p, p / 2, 0.5, kind == PriorKind::ard || kind == PriorKind::slab);
      FitOptions options;
      options.prior.kind = kind;
      SCOPED_TRACE(fmt::format("prior {}, {} columns", to_string(kind), p));
      if (is_sparse_kind(kind)) options.tolerance = 1e-5;
      expect_same(fit_logistic(table.rows(), options), in_memory(table, options), 0.005, 0.001);
    }
}

TEST(Passes, GiveTheFitOfRowsInMemoryUnderEachOption) {
  const LabelledRows table = random_table(4, 20000, 7, 4);
  FitOptions groups, flat, flat_sparse, fixed, no_intercept, as_they_are, bound, laplace, sparse_groups, penalised;
  groups.prior = Prior::groups({0, 0, 1, 1, 1, 2, 2});
  flat.prior.kind = PriorKind::ard;
  flat_sparse.prior.kind = PriorKind::sparse;
  flat.prior.flat_columns = flat_sparse.prior.flat_columns = {1, 5};
  fixed.prior.kind = PriorKind::shared;
  fixed.prior.fixed_columns = {0, 3}, fixed.prior.fixed_precision = {100.0, 1e4};
  no_intercept.intercept = false;
  no_intercept.prior.kind = PriorKind::shared;
  as_they_are.standardize = false;
  as_they_are.prior.kind = PriorKind::dense;
  bound.likelihood = LogisticLikelihood::bound;
  laplace.likelihood = LogisticLikelihood::laplace;
  bound.prior.kind = laplace.prior.kind = PriorKind::ard;
  sparse_groups.prior.kind = PriorKind::sparse;
  sparse_groups.prior.group = {0, 0, 1, 1, 1, 2, 2};
  penalised.penalize_intercept = true;
  penalised.prior.kind = PriorKind::ard;
  bound.tolerance = 1e-11;
  flat_sparse.tolerance = as_they_are.tolerance = 1e-5;
  int number = 0;
  for (const FitOptions* options :
       {&groups, &flat, &flat_sparse, &fixed, &no_intercept, &as_they_are, &bound, &laplace, &sparse_groups, &penalised}) {
    SCOPED_TRACE(fmt::format("options {}", ++number));
    const LogisticFit memory = in_memory(table, *options), passes = fit_logistic(table.rows(), *options);
    // Under groups of a sparse prior the bound hardly changes in some directions: .002 nats, the tolerance of both, are .06 sd there.
    const bool is_flat = options == &sparse_groups;
    expect_same(passes, memory, is_flat ? 0.07 : 0.005, is_flat ? 0.01 : 0.001);
    EXPECT_EQ(passes.relevant, memory.relevant);
    EXPECT_LE((passes.relevance - memory.relevance).cwiseAbs().maxCoeff(), 0.01);
  }
}

// Random tables and options: the bound and the posterior of the fit in memory, or the same word for why there is none.
TEST(Passes, OfRandomProblemsGiveTheFitInMemory) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Random random(seed);
    const Index p = random.integer(1, 14), n = random.integer(8500, 10000);
    LabelledRows table = random_table(seed, n, p, random.integer(0, p), random.scale(0.05, 3), random.chance(0.3));
    if (random.chance(0.3)) table.X.col(0) = table.X.col(0).array().square();  // a long tail
    if (random.chance(0.3)) table.X.col(p - 1) = (table.X.col(p - 1).array() > table.X.col(p - 1).mean()).cast<double>();
    if (random.chance(0.2))
      for (Index i = 0; i < n; ++i)
        if (random.chance(0.97)) table.y[i] = 2;  // a rare class
    FitOptions options;
    const PriorKind kinds[] = {PriorKind::automatic, PriorKind::shared, PriorKind::ard, PriorKind::none, PriorKind::slab, PriorKind::dense};
    options.prior.kind = kinds[random.integer(0, 5)];
    const bool sparse = is_sparse_kind(options.prior.kind);
    if (p > 2 && random.chance(0.3)) options.prior.flat_columns = {random.integer(0, p - 1)};
    if (random.chance(0.3)) options.standardize = false;
    if (random.chance(0.2)) options.intercept = false;
    if (!sparse && random.chance(0.3)) options.likelihood = LogisticLikelihood::bound;
    options.tolerance = sparse ? 1e-5 : 1e-11;
    SCOPED_TRACE(fmt::format("seed {}, prior {}, {} rows, {} columns", seed, to_string(options.prior.kind), n, p));
    const LogisticFit memory = in_memory(table, options), passes = fit_logistic(table.rows(), options);
    EXPECT_EQ(passes.report.status, memory.report.status) << passes.report.message << "; " << memory.report.message;
    if (memory.report.status != Status::converged || passes.report.status != Status::converged) continue;
    EXPECT_NEAR(passes.bound, memory.bound, 0.01);
    const Vector sd = memory.variance.cwiseSqrt().cwiseMax(1e-300);
    EXPECT_LE((passes.mean - memory.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(), 0.03);
    EXPECT_LE((passes.variance.cwiseSqrt().cwiseQuotient(sd).array() - 1).abs().maxCoeff(), 0.03);
    EXPECT_EQ(passes.left_out, memory.left_out);
  }
}

TEST(Passes, PredictAsTheFitInMemory) {
  const LabelledRows table = random_table(5, 20000, 5, 3), fresh = random_table(6, 200, 5, 3);
  for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse}) {
    FitOptions options;
    options.prior.kind = kind;
    const ClassPrediction passes = predict(fit_logistic(table.rows(), options), fresh.X),
                          memory = predict(in_memory(table, options), fresh.X);
    EXPECT_LE((passes.probability - memory.probability).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_LE((passes.variance.cwiseQuotient(memory.variance).array() - 1).abs().maxCoeff(), 0.05);
  }
}

// (ST.2)
TEST(Passes, HaveTheSameBitsForPiecesOfAnySize) {
  for (const bool weighted : {false, true})
    for (const PriorKind kind : {PriorKind::ard, PriorKind::sparse}) {
      const LabelledRows table = random_table(7, 3 * 8192 + 100, 4, 2, 0.5, weighted);
      FitOptions options;
      options.prior.kind = kind;
      testing::expect_same_bits(table, options, [](const AskRows& ask, const FitOptions& of) { return fit_logistic(ask, of); });
    }
}

// Parts of the rows are summed apart, sent as bytes, and merged.
TEST(Passes, OfPartsGiveTheSameFit) {
  const LabelledRows table = random_table(8, 30000, 5, 3, 0.5, true);
  const AskRows in_parts = table.in_parts(7000);
  for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse}) {
    FitOptions options;
    options.prior.kind = kind;
    expect_same(fit_logistic(in_parts, options), in_memory(table, options), is_sparse_kind(kind) ? 0.03 : 0.002, 0.01);
  }
}

TEST(Passes, FitASmallTableInMemory) {
  const LabelledRows table = random_table(9, 900, 30, 5, 1, true), kept = without_zeros(table);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> X = kept.X;
  FitOptions weighted;
  weighted.weights = kept.weights;
  EXPECT_EQ(testing::bits_of(fit_logistic(table.rows(77))), testing::bits_of(fit_logistic(X, kept.y, weighted)));
}

// A rare class that the sample does not have, and columns whose values are far from zero.
TEST(Passes, StartWithoutASample) {
  LabelledRows table = random_table(10, 20000, 3, 2);
  table.y.setConstant(2);
  for (const Index row : {50, 9000, 19000}) table.y[row] = 5;
  table.X.col(1).array() += 1e5 * table.X.col(1).cwiseAbs().maxCoeff();
  FitOptions options;
  options.prior.kind = PriorKind::shared;
  expect_same(fit_logistic(table.rows(), options), in_memory(table, options), 0.01, 0.01);
}

// The fit of the sample leads near the end also where the intercept in the units of the user has lost its digits, and where the sample, but
// not the sums over all rows, tells two columns apart.
TEST(Passes, StartNearTheEnd) {
  LabelledRows far = random_table(73, 20000, 4, 3), almost_copy = random_table(74, 20000, 4, 3);
  far.X.col(2) = (far.X.col(2).array() - far.X.col(2).mean()) * 1e-3 / far.X.col(2).cwiseAbs().maxCoeff() + 1e9;
  almost_copy.X.col(3) = almost_copy.X.col(1) + 5e-9 * almost_copy.X.col(1).cwiseAbs().maxCoeff() * Random(75).normals(20000);
  for (const PriorKind kind : {PriorKind::shared, PriorKind::none, PriorKind::sparse})
    for (const LabelledRows& table : {far, almost_copy}) {
      SCOPED_TRACE(fmt::format("prior {}, table with column 3 from {:.9g}", to_string(kind), table.X(0, 2)));
      FitOptions options;
      options.prior.kind = kind;
      if (is_sparse_kind(kind)) options.tolerance = 1e-5;
      int asked = 0;
      const LogisticFit fit = fit_logistic([&](const RowQuestion& question) { return ++asked, table.rows()(question); }, options);
      // Whether sums over all rows tell the two columns apart without a prior is a matter of rounding: then they are refused.
      if (kind != PriorKind::none || table.X(0, 2) > 1e8 || fit.report.status != Status::not_positive_definite)
        EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
      else
        EXPECT_NE(fit.report.message.find("linearly dependent"), std::string::npos) << fit.report.message;
      EXPECT_LE(asked, is_sparse_kind(kind) ? 16 : 6);
      if (table.X(0, 2) > 1e8) expect_same(fit, in_memory(table, options), 0.01, 0.01);
    }
}

// A fit of the flat columns alone, which asks whether a maximum exists, ends like any other.                                  (PASS.5)
TEST(Passes, ReadTheRowsOfAFlatColumnAFewTimes) {
  LabelledRows normal = random_table(76, 20000, 4, 3), far = normal;
  const double middle = far.X.col(1).mean(), half = (far.X.col(1).array() - middle).abs().maxCoeff();
  far.X.col(1) = (4 * (far.X.col(1).array() - middle) / half).exp().floor();
  far.X(17, 1) = 400 * far.X.col(1).maxCoeff();
  for (const LabelledRows& table : {normal, far})
    for (const PriorKind kind : {PriorKind::sparse, PriorKind::laplace, PriorKind::ard}) {
      SCOPED_TRACE(fmt::format("prior {}, row 18 is {:.6g}", to_string(kind), table.X(17, 1)));
      FitOptions options;
      options.prior.kind = kind;
      options.prior.flat_columns = {1};
      if (kind == PriorKind::laplace) options.prior.lambda = 20;
      int asked = 0;
      const LogisticFit fit = fit_logistic([&](const RowQuestion& question) { return ++asked, table.rows()(question); }, options);
      EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
      EXPECT_LE(asked, kind == PriorKind::ard ? 8 : 30);
    }
}

// The sums by their definition, row by row.                                                                                   (PASS.5)
TEST(Passes, KnowTheSumsOfRowsWithEqualLogOdds) {
  Random random(77);
  const Index n = 40, p = 4;
  Matrix X = random.normals(n, p);
  X.col(p - 1).setOnes();
  Vector t(n), k(n);
  for (Index i = 0; i < n; ++i) t[i] = random.chance(0.3), k[i] = random.uniform(0, 3);
  internal::KnownRows known;
  known.weight = k.sum(), known.share = k.dot(t) / k.sum();
  known.cross = X.transpose() * k.asDiagonal() * X;
  known.to_class = X.transpose() * k.cwiseProduct(t - Vector::Constant(n, known.share));
  for (const double m : {0.0, -1.3, 2.0}) {
    const double mean = 1 / (1 + std::exp(-m)), omega = mean * (1 - mean);
    Matrix G = Matrix::Zero(p, p);
    Vector c = Vector::Zero(p);
    double log_likelihood = 0;
    for (Index i = 0; i < n; ++i) {
      const Vector x = X.row(i).transpose();
      G += k[i] * omega * x * x.transpose();
      c += k[i] * (omega * m + t[i] - mean) * x;
      log_likelihood += k[i] * std::log(t[i] > 0 ? mean : 1 - mean);
    }
    const internal::PassSums sums = internal::sums_of_equal_odds(known, m);
    EXPECT_LE((sums.gram() - G).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((sums.response - c).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(sums.log_likelihood[0], log_likelihood, 1e-12);
    EXPECT_NEAR(sums.weight, omega * k.sum(), 1e-12);
    EXPECT_EQ(sums.extent.farthest, m * m);
    EXPECT_EQ(sums.nearest, m * m);
  }
}

// Many columns: the average of the starts is asked for in the pass that asks for them.                                        (PASS.5)
TEST(Passes, OfASparsePriorAreOneForEachStep) {
  const LabelledRows table = random_table(78, 40000, 30, 12, 0.1);
  FitOptions options;
  options.prior.kind = PriorKind::sparse;
  int asked = 0;
  const LogisticFit fit = fit_logistic([&](const RowQuestion& question) { return ++asked, table.rows()(question); }, options);
  EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
  EXPECT_LE(asked, fit.report.sweeps + 4);
  expect_same(fit, in_memory(table, options), 0.01, 0.005);
}

TEST(Passes, SayThatColumnsWithoutAPriorSeparateTheClasses) {
  LabelledRows table = random_table(11, 12000, 2, 2);
  for (Index i = 0; i < 12000; ++i) table.y[i] = table.X(i, 0) > table.X.col(0).mean() ? 5 : 2;
  FitOptions options;
  options.prior.kind = PriorKind::none;
  Index far = 0;
  table.X.col(0).maxCoeff(&far);
  table.weights = Vector::Ones(12000);
  table.weights[far] = 0, table.y[far] = 2;  // a row of weight 0 takes no part
  EXPECT_EQ(in_memory(table, options).report.status, Status::separated);
  const LogisticFit fit = fit_logistic(table.rows(), options);
  EXPECT_EQ(fit.report.status, Status::separated) << fit.report.message;
  EXPECT_TRUE(fit.report.message.find("columns without a prior ('x1' most)") != std::string::npos) << fit.report.message;
}

// Only the rows of one level are separated: their log odds grow without limit.
TEST(Passes, SayThatAColumnWithoutAPriorSeparatesSomeRows) {
  LabelledRows table = random_table(15, 12000, 4, 2);
  table.X.col(3).setZero();
  for (const Index row : {10, 5000, 11000}) table.X(row, 3) = 1, table.y[row] = 2;
  FitOptions none, flat;
  none.prior.kind = PriorKind::none;
  flat.prior.kind = PriorKind::sparse;
  flat.prior.flat_columns = {3};
  for (const FitOptions& options : {none, flat}) {
    EXPECT_EQ(in_memory(table, options).report.status, Status::separated);
    const LogisticFit fit = fit_logistic(table.rows(), options);
    EXPECT_EQ(fit.report.status, Status::separated) << fit.report.message;
    EXPECT_TRUE(fit.report.message.find("a prior ('x4' most)") != std::string::npos) << fit.report.message;
    EXPECT_EQ(fit.class_weight[0] + fit.class_weight[1], 12000);
  }
}

// Certain rows alone do not make a fit rough: their log odds must be vague, too.                                               (PASS.5)
TEST(Passes, WarnWhereTheSparsePriorIsRough) {
  const auto is_rough = [](const LogisticFit& fit) {
    return std::ranges::any_of(fit.report.warnings, [](const std::string& text) { return text.find("vague") != std::string::npos; });
  };
  LabelledRows strong = random_table(71, 15000, 4, 4, 4.0);
  const LogisticFit fit = fit_logistic(strong.rows());
  EXPECT_FALSE(is_rough(fit));
  expect_same(fit, in_memory(strong, FitOptions()), 0.05, 0.01);
  const Vector scores = (strong.X * fit.mean).array() + fit.intercept->mean;
  EXPECT_GT(scores.cwiseAbs2().maxCoeff(), 200);
  LabelledRows rare = random_table(72, 15000, 4, 4);
  rare.X.col(3).setZero();
  for (Index i = 0; i < 10; ++i) rare.X(1500 * i, 3) = 1, rare.y[1500 * i] = 5;
  EXPECT_TRUE(is_rough(fit_logistic(rare.rows())));
}

// Some hundreds of rows near the border of the classes, or a few in the wrong class, limit coefficients that are far from zero.
TEST(Passes, FitClassesThatAreNearlySeparated) {
  for (const PriorKind prior : {PriorKind::none, PriorKind::shared, PriorKind::ard})
    for (const double noise : {0.1, 0.0}) {
      LabelledRows table = random_table(21, 12000, 3, 3);
      Random random(22);
      const Vector score = table.X * Vector(table.X.cwiseAbs().colwise().maxCoeff().cwiseInverse());
      const double middle = score.mean();
      for (Index i = 0; i < 12000; ++i) table.y[i] = score[i] - middle + noise * random.normal() > 0 ? 5 : 2;
      for (Index i = 0; i < (noise > 0 ? 0 : 3); ++i) table.y[i * 4001] = 7 - table.y[i * 4001];
      FitOptions options;
      options.prior.kind = prior;
      SCOPED_TRACE(fmt::format("prior {}, noise {}", static_cast<int>(prior), noise));
      const LogisticFit memory = in_memory(table, options);
      EXPECT_EQ(memory.report.status, Status::converged) << memory.report.message;
      expect_same(fit_logistic(table.rows(), options), memory, 0.02, 0.01);
    }
}

// The classes of the sample are separated, so that its fit is far from that of all rows: a few of them are in the wrong class.
TEST(Passes, BeginAtZeroWhereTheSampleMisleads) {
  LabelledRows table = random_table(76, 40000, 3, 3);
  const double middle = table.X.col(0).mean();
  for (Index i = 0; i < 40000; ++i) table.y[i] = table.X(i, 0) > middle ? 5 : 2;
  for (const Index row : {100, 20001, 39000}) table.y[row] = 7 - table.y[row];
  for (const PriorKind kind : {PriorKind::ard, PriorKind::shared}) {
    FitOptions options;
    options.prior.kind = kind;
    int asked = 0;
    const LogisticFit fit = fit_logistic([&](const RowQuestion& question) { return ++asked, table.rows()(question); }, options);
    expect_same(fit, in_memory(table, options), 0.02, 0.01);
    EXPECT_LE(asked, 60);
  }
}

TEST(Passes, LeaveOutConstantsAndCopies) {
  LabelledRows table = random_table(12, 20000, 5, 2);
  table.X.col(1).setConstant(1e4);
  table.X.col(3) = -2.5 * table.X.col(0);
  FitOptions options;
  options.prior.kind = PriorKind::ard;
  const LogisticFit memory = in_memory(table, options), passes = fit_logistic(table.rows(), options);
  EXPECT_EQ(passes.left_out, memory.left_out);
  EXPECT_EQ(std::vector<std::string>(passes.report.notes.begin(), passes.report.notes.begin() + 2),
            std::vector<std::string>(memory.report.notes.begin(), memory.report.notes.begin() + 2));
  EXPECT_NEAR(passes.bound, memory.bound, 0.01);
}

TEST(Passes, RefuseRowsThatChange) {
  const LabelledRows table = random_table(13, 20000, 3, 2);
  FitOptions options;
  options.prior.kind = PriorKind::shared;
  const auto fit_with = [&](const std::function<void(LabelledRows&, int)>& change) {
    int pass = 0;
    static_cast<void>(fit_logistic(
        [&](const RowQuestion& question) {
          LabelledRows now = table;
          if (++pass > 2) change(now, pass);
          return now.rows()(question);
        },
        options));
  };
  expect_invalid([&] { fit_with([](LabelledRows& now, int) { now.X(17, 1) += 1e-9; }); }, {"the rows have changed between two passes"});
  expect_invalid(
      [&] {
        fit_with([](LabelledRows& now, int) {
          now.y.conservativeResize(19999);
          now.X.conservativeResize(19999, 3);
        });
      },
      {"there were 20000 rows, and now there are 19999"});
  expect_invalid([&] { fit_with([](LabelledRows& now, int) { now.y[4] = 7; }); }, {"row 5 has the label 7"});
  expect_invalid([&] { fit_with([](LabelledRows& now, int) { now.X = Matrix::Zero(20000, 2); }); },
                 {"there were 3 columns, and now there are 2"});
  expect_invalid([&] { fit_with([](LabelledRows& now, int) { now.y[4] = now.y[4] == 5 ? 2 : 5; }); }, {"a value differs"});
}

// Found by fuzzing: each of these read what was not there when rows answered it.
TEST(Passes, RefuseQuestionsThatContradictThemselves) {
  const auto bytes_of = [](const std::function<void(RowQuestion::State&)>& change) {
    RowQuestion::State state;
    state.labels = {0, 1}, state.num_columns = 2, state.likelihood = "vg";
    state.at = {{Vector::Zero(2), Matrix(), 1}};
    change(state);
    return RowQuestion(std::make_shared<RowQuestion::State>(std::move(state))).to_bytes();
  };
  const auto read = [&](const std::function<void(RowQuestion::State&)>& change) {
    static_cast<void>(RowQuestion::from_bytes(bytes_of(change)));
  };
  EXPECT_NO_THROW(read([](RowQuestion::State&) {}));
  expect_invalid([&] { read([](RowQuestion::State& now) { now.likelihood = "probit"; }); }, {"contradict each other"});
  expect_invalid([&] { read([](RowQuestion::State& now) { now.likelihood = "poisson"; }); }, {"contradict each other"});
  expect_invalid([&] { read([](RowQuestion::State& now) { now.wants_scores = true, now.at.clear(); }); }, {"contradict each other"});
  expect_invalid([&] { read([](RowQuestion::State& now) { now.compares_parts = true; }); }, {"contradict each other"});
  const auto read_counts = [&](std::optional<double> log_dispersion, const char* likelihood, std::size_t posteriors) {
    read([&](RowQuestion::State& now) {
      now.is_regression = now.is_count = true;
      now.likelihood = likelihood, now.log_dispersion = log_dispersion;
      now.at.resize(posteriors, now.at[0]);
    });
  };
  EXPECT_NO_THROW(read_counts(-1.0, "negative-binomial", 1));
  EXPECT_NO_THROW(read_counts({}, "poisson", 2));
  expect_invalid([&] { read_counts({}, "negative-binomial", 1); }, {"contradict each other"});
  expect_invalid([&] { read_counts(-1.0, "poisson", 1); }, {"contradict each other"});
  expect_invalid([&] { read_counts(-1.0, "negative-binomial", 2); }, {"contradict each other"});
  expect_invalid([&] { read_counts(std::nan(""), "negative-binomial", 1); }, {"contradict each other"});
  const auto read_noise = [&](const RowQuestion::State::Noise& noise, const char* likelihood, bool is_count = false) {
    read([&](RowQuestion::State& now) {
      now.is_regression = true, now.is_count = is_count;
      now.likelihood = likelihood, now.noise = noise;
    });
  };
  EXPECT_NO_THROW(read_noise({1, 2, {{0, 1}, {0, 2}}}, "student"));
  expect_invalid([&] { read_noise({1, 2, {}}, "student"); }, {"contradict each other"});
  expect_invalid([&] { read_noise({1, 0, {{0, 1}}}, "student"); }, {"contradict each other"});
  expect_invalid([&] { read_noise({1, 2, {{0, std::nan("")}}}, "student"); }, {"contradict each other"});
  expect_invalid([&] { read_noise({1, 2, {{0, 1}}}, "vg"); }, {"contradict each other"});
  expect_invalid([&] { read_noise({1, 2, {{0, 1}}}, "student", true); }, {"contradict each other"});
  expect_invalid([&] { read([](RowQuestion::State& now) { now.likelihood = "student"; }); }, {"contradict each other"});
}

TEST(Passes, NameWhatIsWrong) {
  const LabelledRows table = random_table(14, 20000, 3, 2);
  const auto fit_of = [&](const std::function<void(LabelledRows&)>& change, const FitOptions& options = {}) {
    LabelledRows changed = table;
    change(changed);
    static_cast<void>(fit_logistic(changed.rows(), options));
  };
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.X(12344, 1) = std::nan(""); }); },
                 {"row 12345 has the value nan in column 'x2'"});
  FitOptions named;
  named.column_names = {"size", "age", "rent"};
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.X(12344, 1) = std::nan(""); }, named); }, {"in column 'age'"});
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.y[12344] = 7; }); }, {"row 12345 has the label 7, the third one"});
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.y.setConstant(2); }); }, {"two"});
  expect_invalid([&] { fit_of([](LabelledRows& now) { now = {Matrix(0, 3), Vector(0), {}}; }); }, {"there are no rows"});
  expect_invalid([&] { fit_of([](LabelledRows& now) { now.weights = Vector::Zero(now.y.size()); }); }, {"the weights are all zero"});
  expect_invalid([&] { fit_of([](LabelledRows&) {}, options_for_preset("slr_var")); }, {"preset 'slr_var' needs the whole table"});
}

}  // namespace
}  // namespace ardvark
