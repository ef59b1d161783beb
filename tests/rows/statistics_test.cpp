// Statistics of rows: sums, blocks and trees, and the fits that are made from them.               docs/math/statistics.md
#include "ardvark/statistics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "core/blas.hpp"
#include "rows/moments.hpp"

namespace ardvark {
namespace {

using internal::rows_of_a_block;
using testing::expect_invalid;
using testing::Random;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr StatisticsForm forms[] = {StatisticsForm::gram, StatisticsForm::factor};

struct Rows {
  Matrix X;
  Vector y, weights;
};

Rows random_rows(std::uint64_t seed, Index n, Index p, double mean_to_sd = 3, bool weighted = false) {
  Random random(seed);
  Rows out{random.normals(n, p), {}, {}};
  for (Index j = 0; j < p; ++j) out.X.col(j) = (out.X.col(j).array() + mean_to_sd * random.normal()) * random.scale(0.01, 100);
  out.y = out.X * random.normals(p).cwiseQuotient(out.X.cwiseAbs().colwise().maxCoeff().transpose()) + random.normals(n);
  if (weighted) {
    out.weights = Vector(n);
    for (Index i = 0; i < n; ++i) out.weights[i] = random.chance(0.2) ? 0 : random.uniform(0.5, 3);
  }
  return out;
}

LinearStatistics statistics_of(const Rows& rows, StatisticsForm form = StatisticsForm::gram) {
  LinearStatistics out(form);
  out.update(rows.X, rows.y, rows.weights);
  return out;
}

// In pieces of random sizes.
LinearStatistics in_pieces(const Rows& rows, StatisticsForm form, Random& random, Index most) {
  LinearStatistics out(form);
  for (Index first = 0; first < rows.y.size();) {
    const Index count = std::min(random.integer(1, most), rows.y.size() - first);
    const RowMajor X = rows.X.middleRows(first, count);
    const Vector y = rows.y.segment(first, count), k = rows.weights.size() > 0 ? Vector(rows.weights.segment(first, count)) : Vector();
    random.chance(0.5) ? out.update(X, y, k) : out.update(Matrix(X), y, k);
    first += count;
  }
  return out;
}

// (ST.1), (ST.4): sums in extended precision.
TEST(Statistics, AreTheSumsOfTheRows) {
  for (const StatisticsForm form : forms)
    for (const double far : {0.0, 3.0, 1e6})
      for (const bool weighted : {false, true}) {
        const Rows rows = random_rows(7, 20000, 6, far, weighted);
        using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
        Long Z(20000, 7);
        Z << rows.X.cast<long double>(), rows.y.cast<long double>();
        const Long k = (weighted ? rows.weights : Vector(Vector::Ones(20000))).cast<long double>();
        const Long mean = Z.transpose() * k / k.sum();
        Z.rowwise() -= mean.col(0).transpose();
        const Long cross = Z.transpose() * (Z.array().colwise() * k.col(0).array()).matrix();
        const LinearStatistics s = statistics_of(rows, form);
        EXPECT_NEAR(s.weight(), static_cast<double>(k.sum()), 1e-9);
        EXPECT_EQ(s.num_rows(), 20000);
        const Vector sd = (cross.diagonal() / k.sum()).cast<double>().cwiseSqrt(), size = cross.diagonal().cast<double>().cwiseSqrt();
        EXPECT_LE((s.mean() - mean.cast<double>()).cwiseQuotient(sd).cwiseAbs().maxCoeff(), 1e-13 * std::max(1.0, far) + 1e-13);
        const Matrix off = size.cwiseInverse().asDiagonal() * (s.cross() - cross.cast<double>()) * size.cwiseInverse().asDiagonal();
        // The mean of a block is stored to 1e-16 of its size, and blocks are an sd / sqrt(8192) apart.
        EXPECT_LE(off.cwiseAbs().maxCoeff(), 1e-12 + 1e-17 * far) << to_string(form) << " " << far;
      }
}

// (ST.2): the bits depend on the rows alone, not on the pieces, the memory order or the threads.
TEST(Statistics, HaveTheSameBitsForPiecesOfAnySize) {
  Random random(11);
  for (const StatisticsForm form : forms)
    for (const bool weighted : {false, true}) {
      const Rows rows = random_rows(8, 20 * rows_of_a_block + 77, 4, 3, weighted);
      const std::string whole = statistics_of(rows, form).to_bytes();
      for (const Index most : {200, 9000, 40000, 200000}) EXPECT_TRUE(in_pieces(rows, form, random, most).to_bytes() == whole) << most;
      for (const int threads : {1, 2, 3, 8}) {
        const internal::blas::ThreadScope scope(threads);
        EXPECT_TRUE(statistics_of(rows, form).to_bytes() == whole) << threads;
      }
    }
}

// Their squares underflow; a column whose values are equal has zeros.
TEST(Statistics, AColumnOfTinyNumbersIsNotConstant) {
  for (const Index n : {5, 3 * static_cast<int>(rows_of_a_block) + 7}) {
    Rows rows = random_rows(14, n, 4, 0);
    rows.X.col(0) *= 1e-175;
    rows.X.col(1).setConstant(1e-175);
    rows.X.col(2).setZero();
    for (Index i = rows_of_a_block; i < n; ++i) rows.X(i, 2) = 1e-200;  // constant in each block
    const Vector squares = statistics_of(rows).cross().diagonal();
    EXPECT_GT(squares[0], 0);
    EXPECT_EQ(squares[1], 0);
    EXPECT_EQ(squares[2] > 0, n > rows_of_a_block);
    for (const StatisticsForm form : forms) {
      const auto fitted = [&] { static_cast<void>(fit_linear(statistics_of(rows, form), {})); };
      expect_invalid(fitted, {"column 'x1'", "too large or too small to be squared"});
      rows.X.col(0) *= 1e100, rows.X.col(0) *= 1e75;
      rows.X.col(2).setZero();
      rows.y *= 1e-175;
      expect_invalid(fitted, {"the target", "too large or too small to be squared"});
      rows.y.setConstant(1e-175);
      EXPECT_EQ(fit_linear(statistics_of(rows, form), {}).report.warnings.front(), "the target is constant: there is nothing to explain");
      rows.y = rows.X.col(3);
      rows.X.col(0) *= 1e-100, rows.X.col(0) *= 1e-75;
    }
  }
}

TEST(Statistics, RowsOfWeightZeroTakeNoPart) {
  Rows rows = random_rows(9, 9000, 3, 3, true), kept = rows;
  Index count = 0;
  for (Index i = 0; i < rows.y.size(); ++i) {
    if (rows.weights[i] == 0) continue;
    kept.X.row(count) = rows.X.row(i), kept.y[count] = rows.y[i], kept.weights[count++] = rows.weights[i];
  }
  kept = {kept.X.topRows(count), kept.y.head(count), kept.weights.head(count)};
  EXPECT_EQ(statistics_of(rows).cross(), statistics_of(kept).cross());
  EXPECT_EQ(statistics_of(rows).mean(), statistics_of(kept).mean());
}

// Figure: in any association the same to 1e-9, even far from zero.
TEST(Statistics, MergeInAnyAssociation) {
  for (const StatisticsForm form : forms) {
    const Rows rows = random_rows(10, 30000, 5, 1e6);
    const auto part = [&](Index first, Index count) {
      return statistics_of({rows.X.middleRows(first, count), rows.y.segment(first, count), {}}, form);
    };
    const Index at[] = {0, 1, 9000, 9500, 22000, 30000};
    LinearStatistics left(form), right(form);
    for (int i = 0; i < 5; ++i) left.merge(part(at[i], at[i + 1] - at[i]));
    for (int i = 4; i >= 0; --i) {
      LinearStatistics next = part(at[i], at[i + 1] - at[i]);
      next.merge(right);
      right = next;
    }
    const LinearStatistics whole = statistics_of(rows, form);
    const Vector size = whole.cross().diagonal().cwiseSqrt().cwiseInverse();
    for (const LinearStatistics* merged : {&left, &right}) {
      EXPECT_EQ(merged->num_rows(), 30000);
      EXPECT_LE((size.asDiagonal() * (merged->cross() - whole.cross()) * size.asDiagonal()).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LE((merged->mean() - whole.mean()).cwiseProduct(size).cwiseAbs().maxCoeff() * std::sqrt(30000.0), 1e-9);
    }
  }
}

// The sums of a part whose columns come in another order are those of the same rows in the order of the first part.
TEST(Statistics, MergePartsWhoseColumnsComeInAnotherOrder) {
  const Rows rows = random_rows(15, 300, 3);
  for (const StatisticsForm form : forms) {
    LinearStatistics first(form), second(form), same(form);
    first.set_encoding(FeatureEncoding::of_numbers({"a", "b", "c"}), "y");
    same.set_encoding(FeatureEncoding::of_numbers({"a", "b", "c"}), "y");
    second.set_encoding(FeatureEncoding::of_numbers({"c", "a", "b"}), "y");
    const std::vector<Index> turned = {2, 0, 1};
    first.update(Matrix(rows.X.topRows(100)), Vector(rows.y.head(100)));
    second.update(Matrix(rows.X.bottomRows(200)(Eigen::all, turned)), Vector(rows.y.tail(200)));
    same.update(rows.X, rows.y);
    first.merge(second);
    EXPECT_EQ(first.column_names(), same.column_names());
    EXPECT_LE((first.mean() - same.mean()).cwiseAbs().maxCoeff(), 1e-12 * same.mean().cwiseAbs().maxCoeff());
    const Vector size = same.cross().diagonal().cwiseSqrt().cwiseInverse();
    EXPECT_LE((size.asDiagonal() * (first.cross() - same.cross()) * size.asDiagonal()).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Statistics, KeepConstantsExactly) {
  for (const StatisticsForm form : forms) {
    Rows rows = random_rows(12, 40000, 3);
    rows.X.col(1).setConstant(0.1);
    rows.X.col(2).head(39999).setConstant(1e9 + 0.1);
    const LinearStatistics s = statistics_of(rows, form);
    EXPECT_EQ(s.mean()[1], 0.1);
    EXPECT_TRUE((s.cross().col(1).array() == 0).all());
    EXPECT_GT(s.cross()(2, 2), 0);
  }
}

TEST(Statistics, GoThroughBytes) {
  for (const StatisticsForm form : forms) {
    LinearStatistics s = statistics_of(random_rows(13, 9000, 3, 3, true), form);
    s.set_encoding(FeatureEncoding::of_numbers({"a", "b", "c"}), "price");
    const LinearStatistics back = LinearStatistics::from_bytes(s.to_bytes());
    EXPECT_TRUE(back.to_bytes() == s.to_bytes());
    EXPECT_EQ(back.cross(), s.cross());
    EXPECT_EQ(back.form(), form);
    EXPECT_EQ(back.target(), "price");
    EXPECT_EQ(back.encoding().names(), s.encoding().names());
  }
  const LinearStatistics empty = LinearStatistics::from_bytes(LinearStatistics().to_bytes());
  EXPECT_EQ(empty.num_rows(), 0);
}

TEST(Statistics, RefuseWhatIsWrongAndStayAsTheyWere) {
  LinearStatistics s = statistics_of(random_rows(14, 10000, 3));
  const std::string before = s.to_bytes();
  Rows wrong = random_rows(15, 20000, 3);
  wrong.X(17000, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_invalid([&] { s.update(wrong.X, wrong.y); }, {"row 27001", "'x2'", "nan"});
  wrong.X(17000, 1) = 1e200;
  expect_invalid([&] { s.update(wrong.X, wrong.y); }, {"row 27001", "'x2'", "1e+200"});
  wrong.X(17000, 1) = 0;
  wrong.y[3] = std::numeric_limits<double>::infinity();
  expect_invalid([&] { s.update(wrong.X, wrong.y); }, {"row 10004", "the target"});
  expect_invalid([&] { s.update(wrong.X.leftCols(2), wrong.y); }, {"X has 2 columns", "3"});
  expect_invalid([&] { s.update(wrong.X, Vector(Vector::Zero(3))); }, {"y has 3 values", "20000"});
  expect_invalid([&] { s.merge(statistics_of(random_rows(1, 5, 3), StatisticsForm::factor)); }, {"gram", "factor"});
  LinearStatistics named = statistics_of(random_rows(1, 5, 3));
  named.set_encoding(FeatureEncoding::of_numbers({"x1", "b", "x3"}));
  expect_invalid([&] { s.merge(named); }, {"column 2", "'x2'", "'b'"});
  EXPECT_TRUE(s.to_bytes() == before);
  const std::string bytes = before;
  for (std::size_t cut = 0; cut < 200; ++cut)
    expect_invalid([&] { (void)LinearStatistics::from_bytes(std::string_view(bytes).substr(0, bytes.size() * cut / 200)); }, {});
  expect_invalid([&] { (void)fit_linear(LinearStatistics()); }, {"no rows"});
  LinearStatistics fresh;
  wrong.y[3] = 0;
  wrong.X(2, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_invalid([&] { fresh.update(wrong.X.topRows(5), Vector(wrong.y.head(5))); }, {"row 3", "'x2'"});
  fresh.update(wrong.X.topRows(5).leftCols(1), Vector(wrong.y.head(5)));  // no column of the refused rows is left
  EXPECT_EQ(fresh.num_columns(), 1);
}

struct Case {
  const char* name;
  FitOptions options;
};

std::vector<Case> cases(Index p) {
  std::vector<Case> out;
  for (const PriorKind kind : {PriorKind::shared, PriorKind::ard, PriorKind::none, PriorKind::sparse, PriorKind::slab, PriorKind::dense}) {
    out.push_back({to_string(kind), {}});
    out.back().options.prior.kind = kind;
  }
  Case groups{"groups", {}};
  groups.options.prior.kind = PriorKind::groups;
  for (Index j = 0; j < p; ++j) groups.options.prior.group.push_back(j / 3);
  groups.options.prior.flat_columns = {2};
  out.push_back(groups);
  Case raw{"no intercept", {}};
  raw.options.intercept = false;
  raw.options.prior.kind = PriorKind::ard;
  out.push_back(raw);
  out.push_back({"preset", options_for_preset("vb_linear_fit_ard")});
  Case lasso{"laplace", {}};
  lasso.options.prior = Prior::laplace(40);
  out.push_back(lasso);
  Case factorised{"factorised", {}};
  factorised.options.posterior = LinearPosterior::factorised;
  factorised.options.prior.kind = PriorKind::ard;
  out.push_back(factorised);
  return out;
}

// What the rows give. Means in units of their standard deviation, the bound in nats. (ST.3)
void expect_same_fit(const LinearFit& fit, const LinearFit& full, const std::string& what, double means = 1e-8, double nats = 1e-8) {
  EXPECT_EQ(fit.report.status, full.report.status) << what;
  EXPECT_EQ(fit.report.notes, full.report.notes) << what;
  if (full.prior != PriorKind::slab && full.prior != PriorKind::sparse) {  // which of two equal columns is named first, rounding decides
    EXPECT_EQ(fit.report.warnings, full.report.warnings) << what;
  }
  EXPECT_EQ(fit.left_out, full.left_out) << what;
  EXPECT_EQ(fit.report.sweeps, full.report.sweeps) << what;
  EXPECT_NEAR(fit.bound, full.bound, nats * std::max(1.0, std::abs(full.bound) * 1e-4)) << what;
  EXPECT_NEAR(fit.num_rows, full.num_rows, 1e-9 * full.num_rows) << what;
  EXPECT_NEAR(fit.r_squared, full.r_squared, 1e-10) << what;
  const double sd_of_intercept = full.intercept && full.intercept->variance > 0 ? std::sqrt(full.intercept->variance) : 1;
  if (full.intercept) {
    EXPECT_NEAR(fit.intercept->mean, full.intercept->mean, means * sd_of_intercept) << what;
  }
  for (Index j = 0; j < full.num_columns(); ++j) {
    const double sd = full.variance[j] > 0 ? std::sqrt(full.variance[j]) : std::abs(full.mean[j]);
    EXPECT_NEAR(fit.mean[j], full.mean[j], means * sd) << what << " " << j;
    EXPECT_NEAR(fit.V_diagonal[j], full.V_diagonal[j], 1e-8 * full.V_diagonal[j]) << what << " " << j;
    EXPECT_EQ(std::isfinite(fit.variance[j]), std::isfinite(full.variance[j])) << what << " " << j;
  }
}

TEST(FitFromStatistics, CountsWholeRows) {
  FitOptions options;
  options.prior.kind = PriorKind::shared;
  for (Index n = 20; n < 60; ++n)
    for (Index p = 3; p < 9; ++p)
      EXPECT_EQ(fit_linear(statistics_of(random_rows(static_cast<std::uint64_t>(n), n, p)), options).num_rows, static_cast<double>(n)) << p;
}

TEST(FitFromStatistics, IsTheFitOfTheRows) {
  for (const StatisticsForm form : forms)
    for (const bool weighted : {false, true}) {
      Rows rows = random_rows(21, 3000, 12, 3, weighted);
      rows.X.col(4).setConstant(0.1);                 // constant
      rows.X.col(7) = 3 - 2 * rows.X.col(5).array();  // a copy of another
      const LinearStatistics s = statistics_of(rows, form);
      for (const Case& c : cases(12)) {
        if (weighted && !c.options.preset.empty()) continue;
        FitOptions full = c.options;
        full.weights = rows.weights;
        expect_same_fit(fit_linear(s, c.options), fit_linear(rows.X, rows.y, full), std::string(to_string(form)) + ", " + c.name);
      }
    }
}

// Fewer rows than columns, as many, one or two more.
TEST(FitFromStatistics, ComparesRowsAndColumnsAsTheRowsDo) {
  for (const StatisticsForm form : forms)
    for (const Index n : {3, 9, 10, 11, 12, 13, 40})
      for (const PriorKind kind : {PriorKind::shared, PriorKind::sparse, PriorKind::dense}) {
        const Rows rows = random_rows(30 + static_cast<std::uint64_t>(n), n, 10, 1);
        FitOptions options;
        options.prior.kind = kind;
        expect_same_fit(fit_linear(statistics_of(rows, form), options), fit_linear(rows.X, rows.y, options),
                        fmt::format("{} rows, {}, {}", n, to_string(kind), to_string(form)), 1e-5, 1e-5);
      }
}

TEST(FitFromStatistics, OfColumnsFarFromZero) {
  for (const StatisticsForm form : forms) {
    const Rows rows = random_rows(41, 5000, 5, 1e7);
    for (const PriorKind kind : {PriorKind::none, PriorKind::ard, PriorKind::sparse}) {
      FitOptions options;
      options.prior.kind = kind;
      const LinearFit fit = fit_linear(statistics_of(rows, form), options);
      expect_same_fit(fit, fit_linear(rows.X, rows.y, options), to_string(kind), 1e-5, 1e-5);
      const StudentPrediction some = predict(fit, rows.X.topRows(10)),
                              full = predict(fit_linear(rows.X, rows.y, options), rows.X.topRows(10));
      EXPECT_LE((some.mean - full.mean).cwiseQuotient(full.scale).cwiseAbs().maxCoeff(), 1e-5);
      EXPECT_LE((some.scale - full.scale).cwiseQuotient(full.scale).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
}

TEST(FitFromStatistics, ConstantTargetAndExactTarget) {
  for (const StatisticsForm form : forms) {
    Rows rows = random_rows(42, 500, 3);
    rows.y.setConstant(0.1);
    const LinearFit fit = fit_linear(statistics_of(rows, form)), full = fit_linear(rows.X, rows.y);
    EXPECT_EQ(fit.report.warnings, full.report.warnings);
    EXPECT_EQ(fit.report.status, full.report.status);
    EXPECT_EQ(fit.intercept->mean, 0.1);
    rows.y = rows.X.col(0);
    FitOptions none;
    none.prior = Prior::none();
    const LinearFit exact = fit_linear(statistics_of(rows, form), none);
    EXPECT_NEAR(exact.mean[0], 1, 1e-9);
    EXPECT_EQ(testing::mentions(exact.report.warnings, "rounding of its cross-products"), form == StatisticsForm::gram);
  }
}

TEST(FitFromStatistics, RefusesWhatReadsRows) {
  const Rows rows = random_rows(43, 500, 3);
  const LinearStatistics s = statistics_of(rows);
  const auto with = [&](auto&& change) {
    FitOptions options;
    change(options);
    return [&s, options] { (void)fit_linear(s, options); };
  };
  expect_invalid(with([&](FitOptions& o) { o.weights = rows.y; }), {"weights", "update()"});
  expect_invalid(with([](FitOptions& o) { o.prior = Prior::laplace(); }), {"'laplace' without a lambda", "give a lambda"});
  expect_invalid(with([](FitOptions& o) { o.family = Family::student; }), {"family", "'student'", "rows themselves"});
  expect_invalid(with([](FitOptions& o) { o.family = Family::automatic; }), {"family", "rows themselves"});
  Rows collinear = rows;
  collinear.X.col(2) = collinear.X.col(0) + collinear.X.col(1);
  FitOptions none;
  none.prior = Prior::none();
  expect_invalid([&] { (void)fit_linear(statistics_of(collinear), none); }, {"collinear", "form factor"});
  // So near to a copy that cross-products cannot tell, and not one: it would not be left out.
  Rows near_copy = random_rows(41, 500, 4, 1);
  Random random(42);
  near_copy.X.col(2) = near_copy.X.col(0) + 1e-7 * near_copy.X.col(0).norm() / std::sqrt(500.0) * random.normals(500);
  expect_invalid([&] { (void)fit_linear(statistics_of(near_copy), none); }, {"collinear", "form factor"});
  near_copy.X.col(2) = 2 * near_copy.X.col(0).array() - 1;
  EXPECT_TRUE(fit_linear(statistics_of(near_copy), none).left_out[2]);
}

// (ST.6)
TEST(FitFromStatistics, ErrorsOfPredictionsNeedNoRows) {
  for (const StatisticsForm form : forms) {
    const Rows rows = random_rows(51, 4000, 5, 3, true), test = random_rows(52, 700, 5, 3, true);
    const LinearFit fit = fit_linear(statistics_of(rows, form));
    const Vector missed = test.y - predict(fit, test.X).mean;
    const double expected = test.weights.dot(missed.cwiseAbs2()) / test.weights.sum();
    EXPECT_NEAR(squared_error(fit, statistics_of(test, form)), expected, 1e-10 * expected);
    expect_invalid([&] { (void)squared_error(fit, statistics_of(random_rows(1, 9, 3), form)); }, {"3 columns", "5"});
    expect_invalid([&] { (void)squared_error(fit, LinearStatistics(form)); }, {"no rows"});
  }
}

// The lambda that a plain loop over the folds chooses, which fits rows.                                                        (L1.12)
TEST(FitFromStatistics, FoldsChooseTheLambda) {
  Random random(61);
  for (const StatisticsForm form : forms)
    for (const bool rule_is_smallest : {true, false}) {
      Rows rows = random_rows(60, 300, 8, 1);
      rows.y = 2 * rows.X.col(1) / rows.X.col(1).norm() * std::sqrt(300.0) + random.normals(300);
      constexpr Index num_folds = 5, size = 60;
      std::vector<LinearStatistics> folds;
      for (Index f = 0; f < num_folds; ++f)
        folds.push_back(statistics_of({rows.X.middleRows(f * size, size), rows.y.segment(f * size, size), {}}, form));
      FitOptions options;
      options.prior = Prior::laplace();
      options.lambda_rule = rule_is_smallest ? LambdaRule::smallest_loss : LambdaRule::one_standard_error;
      const LinearFit fit = fit_linear(folds, options);
      ASSERT_TRUE(fit.lambda_choice);
      const LambdaPath path = fit_linear_path(rows.X, rows.y);
      EXPECT_LE((fit.lambda_choice->lambda - path.lambda).cwiseQuotient(path.lambda).cwiseAbs().maxCoeff(), 1e-8);
      Vector loss = Vector::Zero(path.lambda.size());
      for (Index f = 0; f < num_folds; ++f) {
        std::vector<Index> others, mine;
        for (Index i = 0; i < 300; ++i) (i / size == f ? mine : others).push_back(i);
        PathGrid grid;
        for (const double lambda : path.lambda) grid.lambdas.push_back(lambda * 240 / 300);
        const LambdaPath one = fit_linear_path(Matrix(rows.X(others, Eigen::all)), Vector(rows.y(others)), grid);
        for (Index l = 0; l < loss.size(); ++l)
          loss[l] += (rows.y(mine) - rows.X(mine, Eigen::all) * one.mean.col(l)).array().operator-(one.intercept[l]).square().sum() / 300;
      }
      EXPECT_LE((fit.lambda_choice->loss - loss).cwiseQuotient(loss).cwiseAbs().maxCoeff(), 1e-6);
      Index best = 0;
      (void)loss.minCoeff(&best);
      EXPECT_NEAR(fit.lambda_choice->smallest_loss, path.lambda[best], 1e-6 * path.lambda[best]);
      EXPECT_EQ(fit.lambda, rule_is_smallest ? fit.lambda_choice->smallest_loss : fit.lambda_choice->one_standard_error);
    }
  FitOptions options;
  options.prior = Prior::laplace();
  expect_invalid([&] { (void)fit_linear(std::vector{statistics_of(random_rows(1, 50, 3))}, options); }, {"two folds", "give a lambda"});
}

// ---- tables with text columns

struct Houses {
  std::vector<double> size, price, weight;
  std::vector<std::string> city, garden;
  Index rows() const { return static_cast<Index>(size.size()); }

  [[nodiscard]] Table table(Index first, Index count, bool reversed = false) const {
    std::vector<const char*> cities, gardens;
    for (Index i = first; i < first + count; ++i) {
      cities.push_back(city[static_cast<std::size_t>(i)].c_str());
      gardens.push_back(garden[static_cast<std::size_t>(i)].c_str());
    }
    const auto some = [&](const std::vector<double>& v) {
      return std::span(v).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    };
    std::vector<ColumnView> columns = {
        {"size", some(size), {}}, {"city", {}, cities}, {"garden", {}, gardens}, {"weight", some(weight), {}}, {"price", some(price), {}}};
    if (reversed) std::reverse(columns.begin(), columns.end());
    return make_table(count, columns);
  }
};

// Some cities appear late.
Houses make_houses(Index n) {
  Random random(5);
  const std::vector<std::string> cities = {"week 10", "Ulm", "week 2", "Aarau", "Bern"};
  Houses out;
  for (Index i = 0; i < n; ++i) {
    out.size.push_back(random.uniform(30, 200));
    const auto city = static_cast<std::size_t>(random.integer(0, i < n / 3 ? 1 : i < n / 2 ? 3 : 4));
    out.city.push_back(cities[city]);
    out.garden.push_back(random.chance(0.5) ? "True" : "false");
    out.weight.push_back(random.integer(1, 3));
    out.price.push_back(2 * out.size.back() + 20 * static_cast<double>(city) + 10 * random.normal());
  }
  return out;
}

TEST(StatisticsOfTables, AreThoseOfTheEncodedTable) {
  const Houses houses = make_houses(20000);
  for (const StatisticsForm form : forms) {
    LinearStatistics s(form);
    for (Index first = 0; first < houses.rows(); first += 1500)
      s.update(houses.table(first, std::min<Index>(1500, houses.rows() - first), first % 1000 == 500), "price", "weight");
    const LinearStatistics one = s.with_references();
    Table whole = houses.table(0, houses.rows());
    const Vector y = column_values(whole, whole.at("price")), k = column_values(whole, whole.at("weight"));
    const FeatureEncoding encoding = make_encoding(whole, {"price", "weight"}, Dummies::all_but_reference, {}, k);
    const EncodedTable encoded = encode(std::move(whole), encoding);
    LinearStatistics full(form);
    full.update(encoded.X(), y, k);
    EXPECT_EQ(one.encoding().names(), encoding.names());
    const Vector size = full.cross().diagonal().cwiseSqrt().cwiseInverse();
    EXPECT_LE((size.asDiagonal() * (one.cross() - full.cross()) * size.asDiagonal()).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LE((one.mean() - full.mean()).cwiseProduct(size).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_NEAR(one.encoding().features[1].reference_rows, encoding.features[1].reference_rows, 1e-6);
    FitOptions options;
    options.column_names = encoding.names();
    options.prior.group = encoding.groups();
    options.weights = k;
    FitOptions of_sums = options;
    of_sums.weights = {};
    expect_same_fit(fit_linear(s, of_sums), fit_linear(encoded.X(), y, options), to_string(form), 1e-6, 1e-6);
    const LinearStatistics from_ulm = s.with_references({"city=Ulm"});
    EXPECT_EQ(from_ulm.encoding().names(),
              (std::vector<std::string>{"size", "city=Aarau", "city=Bern", "city=week 2", "city=week 10", "garden"}));
    expect_invalid([&] { (void)s.with_references({"city=Rom"}); }, {"'Rom' is not a level of column 'city'"});
  }
}

TEST(StatisticsOfTables, RefuseTextsThatNameTheRows) {
  constexpr Index n = 10001;
  std::vector<std::string> texts;
  for (Index i = 0; i < n; ++i) texts.push_back(fmt::format("row {}", i));
  const std::vector<double> y(n, 1.0);
  std::vector<const char*> names;
  for (const std::string& text : texts) names.push_back(text.c_str());
  const Table table = make_table(n, {{"name", {}, names}, {"y", y, {}}});
  LinearStatistics s;
  expect_invalid([&] { s.update(table, "y"); },
                 {"column 'name' has more than 10000 different texts", "if it names the rows, leave it out"});
}

TEST(StatisticsOfTables, HaveTheSameBitsForPiecesOfAnySize) {
  const Houses houses = make_houses(3 * rows_of_a_block + 100);
  Random random(3);
  for (const StatisticsForm form : forms) {
    LinearStatistics whole(form);
    whole.update(houses.table(0, houses.rows()), "price", "weight");
    for (const Index most : {500, 5000, 20000}) {
      LinearStatistics s(form);
      for (Index first = 0; first < houses.rows();) {
        const Index count = std::min(random.integer(1, most), houses.rows() - first);
        s.update(houses.table(first, count), "price", "weight");
        first += count;
      }
      EXPECT_TRUE(s.to_bytes() == whole.to_bytes()) << most;
    }
  }
}

TEST(StatisticsOfTables, MergeWhereTheLevelsDiffer) {
  const Houses houses = make_houses(9000);
  for (const StatisticsForm form : forms) {
    LinearStatistics whole(form), merged(form);
    whole.update(houses.table(0, 9000), "price");
    for (const Index first : {0, 3000, 6000}) {
      LinearStatistics part(form);
      part.update(houses.table(first, 3000, first == 3000), "price");
      merged.merge(LinearStatistics::from_bytes(part.to_bytes()));
    }
    EXPECT_EQ(merged.encoding().names(), whole.encoding().names());
    const Vector size = whole.cross().diagonal().cwiseSqrt().cwiseInverse();
    EXPECT_LE((size.asDiagonal() * (merged.cross() - whole.cross()) * size.asDiagonal()).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(StatisticsOfTables, RefuseOtherColumnsAndTypes) {
  const Houses houses = make_houses(100);
  LinearStatistics s;
  s.update(houses.table(0, 100), "price");
  const std::string before = s.to_bytes();
  const std::vector<double> ones(3, 1.0), numbers = {1, 2, 3};
  const std::vector<const char*> texts = {"a", "b", "c"}, truths = {"true", "maybe", "false"};
  const auto table = [&](std::vector<ColumnView> columns) { return make_table(3, columns); };
  expect_invalid([&] { s.update(table({{"size", ones, {}}, {"price", ones, {}}}), "price"); }, {"lacks the column 'city'"});
  expect_invalid(
      [&] {
        s.update(table({{"size", ones, {}}, {"city", numbers, {}}, {"garden", {}, truths}, {"weight", ones, {}}, {"price", ones, {}}}),
                 "price");
      },
      {"row 1", "'city'", "1 is a number", "texts"});
  expect_invalid(
      [&] {
        s.update(table({{"size", {}, texts}, {"city", {}, texts}, {"garden", ones, {}}, {"weight", ones, {}}, {"price", ones, {}}}),
                 "price");
      },
      {"row 1", "'size'", "'a' is a text", "numbers"});
  expect_invalid(
      [&] {
        s.update(table({{"size", ones, {}}, {"city", {}, texts}, {"garden", {}, truths}, {"weight", ones, {}}, {"price", ones, {}}}),
                 "price");
      },
      {"row 102", "'garden'", "'maybe'", "true and false"});
  expect_invalid([&] { s.update(houses.table(0, 9), "size"); }, {"the target is 'size'", "'price'"});
  EXPECT_TRUE(s.to_bytes() == before);
}

}  // namespace
}  // namespace ardvark
