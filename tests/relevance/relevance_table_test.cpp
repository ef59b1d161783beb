// What tables hold, and what relevance vector machines make of it: weights, units, centres, constants, noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "relevance_sample.hpp"

namespace ardvark {
namespace {

using testing::classify;
using testing::expect_invalid;
using testing::fixed;
using testing::Random;
using testing::regress;
using testing::relative_distance;
using testing::relevance_sample;
using testing::RelevanceSample;

TEST(Relevance, AWeightEqualsRepetitionAndRepeatedInputsAreOneCandidate) {  // (LIN.6)
  const RelevanceSample s = relevance_sample(40, 7);
  Random random(8);
  Vector k(40);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    k[i] = static_cast<double>(random.integer(0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(k[i]), i);
  }
  RelevanceOptions options = fixed(Kernel::gaussian(0.5));
  const Matrix repeated = s.X(rows, Eigen::all);
  const RelevanceRegression longer = regress(repeated, s.y(rows), options);
  const RelevanceClassification longer_classes = classify(repeated, s.two(rows), options);
  options.weights = k;
  const RelevanceRegression weighted = regress(s.X, s.y, options);
  const RelevanceClassification weighted_classes = classify(s.X, s.two, options);
  EXPECT_NEAR(weighted.log_evidence, longer.log_evidence, 1e-6 * std::abs(longer.log_evidence));
  EXPECT_NEAR(weighted_classes.log_evidence, longer_classes.log_evidence, 1e-5 * std::abs(longer_classes.log_evidence));
  EXPECT_LE(relative_distance(predict(weighted, s.X).mean, predict(longer, s.X).mean), 1e-6);
  EXPECT_LE(relative_distance(predict(weighted, s.X).scale, predict(longer, s.X).scale), 1e-5);
  EXPECT_NE(longer.report.notes.front().find("same inputs"), std::string::npos) << longer.report.notes.front();
}

TEST(Relevance, IsTheSameInOtherUnits) {
  const RelevanceSample s = relevance_sample(50, 9, 2);
  const RelevanceRegression fit = regress(s.X, s.y, fixed(Kernel::gaussian(1)));
  Matrix X = s.X;
  X.col(0) = 1e4 * X.col(0).array() + 3e5;
  X.col(1) *= 1e-6;
  const RelevanceRegression other = regress(X, 100 * s.y, fixed(Kernel::gaussian(1)));
  EXPECT_EQ(other.relevance_rows, fit.relevance_rows);
  EXPECT_NEAR(other.log_evidence, fit.log_evidence - 50 * std::log(100.0) + std::log(100.0), 1e-5);  // (LIN.5)
  EXPECT_LE(relative_distance(predict(other, X).mean, 100 * predict(fit, s.X).mean), 1e-6);
  EXPECT_LE(relative_distance(predict(other, X).scale, 100 * predict(fit, s.X).scale), 1e-6);
}

TEST(Relevance, CentresAreTheRowsThatWereAskedFor) {
  const RelevanceSample s = relevance_sample(60, 10);
  RelevanceOptions options = fixed(Kernel::gaussian(0.5));
  const RelevanceRegression all = regress(s.X, s.y, options);
  options.centres = Centres::chosen;
  options.rows = all.relevance_rows;
  const RelevanceRegression chosen = regress(s.X, s.y, options);
  EXPECT_EQ(chosen.relevance_rows, all.relevance_rows);
  EXPECT_NEAR(chosen.log_evidence, all.log_evidence, 1e-5);
  for (Index i = 0; i < all.num_vectors(); ++i)
    EXPECT_EQ(all.relevance_vectors(i, 0), s.X(all.relevance_rows[static_cast<std::size_t>(i)], 0));
  options.rows.clear();
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = 12;
  const RelevanceRegression picked = regress(s.X, s.y, options);
  EXPECT_LE(picked.num_vectors(), 12);
  EXPECT_GT(picked.r_squared, 0.8);
  options.centres = Centres::kmeans;
  const RelevanceRegression between = regress(s.X, s.y, options);
  EXPECT_GT(between.r_squared, 0.8);
  for (Index row : between.relevance_rows) EXPECT_EQ(row, -1);
  EXPECT_LE(relative_distance(predict(between, s.X).mean, s.y), 0.2);
}

TEST(Relevance, DoesNotExplainNoise) {  // (RVM.1)
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Matrix X = random.normals(60, 2);
    const RelevanceRegression fit = regress(X, random.normals(60));
    EXPECT_LE(fit.machines.front().fit.effective_parameters, 12);
    EXPECT_NEAR(noise_sd(fit.machines.front().fit), 1, 0.3);
  }
}

// Where no width explains the labels, all have the log evidence of the bias, up to rounding. A narrow one would cost the most time. (RVM.5)
TEST(Relevance, TakesAWidthFromTheMiddleIfAllAreEqual) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Matrix X = random.normals(100, 2);
    const Vector labels = random.normals(100).unaryExpr([](double x) { return x > 0 ? 1.0 : 0.0; });
    const RelevanceClassification fit = classify(X, labels);
    ASSERT_EQ(fit.num_vectors(), 0);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const KernelTrial& trial : fit.trials) {
      ASSERT_NEAR(trial.log_evidence, fit.trials.front().log_evidence, 1e-6);
      low = std::min(low, std::log(trial.parameters[0]));
      high = std::max(high, std::log(trial.parameters[0]));
    }
    const double chosen = fit.kernel.log_parameters()[0];
    EXPECT_GT(chosen, low + 0.3 * (high - low));
    EXPECT_LT(chosen, high - 0.3 * (high - low));
    EXPECT_EQ(summary(fit).find(" best"), std::string::npos);
  }
}

TEST(Relevance, SurvivesWhatTablesHold) {
  const RelevanceSample s = relevance_sample(30, 13, 2);
  const auto says = [](const std::vector<std::string>& lines, const char* piece) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(piece) != std::string::npos; });
  };
  Matrix X = s.X;
  X.col(1).setConstant(7);
  RelevanceRegression fit = regress(X, s.y);  // a constant input: as without it
  EXPECT_TRUE(says(fit.report.notes, "constant inputs, left out: 'x2'"));
  EXPECT_NEAR(fit.log_evidence, regress(X.leftCols(1), s.y).log_evidence, 1e-6);
  X.col(0).setConstant(1);  // nothing but constants: the bias alone
  fit = regress(X, s.y);
  EXPECT_EQ(fit.num_vectors(), 0);
  EXPECT_TRUE(says(fit.report.warnings, "only its bias"));
  const StudentPrediction p = predict(fit, X);
  EXPECT_NEAR(p.mean[3], s.y.mean(), 1e-9);
  const double sd = std::sqrt((s.y.array() - s.y.mean()).square().sum() / 29);
  EXPECT_NEAR(p.scale[3], sd * std::sqrt(1 + 1.0 / 30), 1e-4 * sd);
  RelevanceClassification classes = classify(X, s.two);
  const double share = (s.two.array() > 0).cast<double>().mean();
  EXPECT_NEAR(predict(classes, X).probability(0, 1), share, 0.02);
  EXPECT_TRUE(says(classes.report.warnings, "only its bias"));

  fit = regress(s.X, Vector::Constant(30, 4.0));
  EXPECT_TRUE(says(fit.report.warnings, "target is constant"));
  EXPECT_NEAR(predict(fit, s.X).mean[0], 4, 1e-9);
  fit = regress(s.X.topRows(1), s.y.head(1));  // one row
  EXPECT_NEAR(predict(fit, s.X).mean[5], s.y[0], 1e-9);
  classes = classify(s.X.topRows(2), Vector{{0, 1}});
  EXPECT_DOUBLE_EQ(predict(classes, s.X).probability.row(3).sum(), 1);
  expect_invalid([&] { static_cast<void>(classify(s.X, Vector::Ones(30))); }, {"labels", "one class", "1"});
  expect_invalid([&] { static_cast<void>(predict(fit, Matrix(2, 3))); }, {"X_new"});
  expect_invalid([&] { static_cast<void>(predict(RelevanceRegression{}, s.X)); }, {"no machine"});
}

TEST(Relevance, RefusesValuesBeyondItsArithmeticForWhatTheyAre) {
  const RelevanceSample s = relevance_sample(30, 33, 2);
  RelevanceOptions plain = fixed(Kernel::linear());
  plain.standardize = false;
  for (double scale : {1e155, 1e200, 1e300, 1e-160, 1e-200, 1e-300, 1e-310}) {
    SCOPED_TRACE(scale);
    Matrix X = s.X;
    X.col(1) *= scale;
    const auto squares = "are too large or too small to be squared (the range is about 1e-150 to 1e150): rescale it";
    expect_invalid([&] { static_cast<void>(regress(s.X, scale * s.y)); }, {"the values of the target", squares});
    expect_invalid([&] { static_cast<void>(regress(X, s.y)); }, {"the values of input 'x2'", squares});
    expect_invalid([&] { static_cast<void>(classify(X, s.two)); }, {"the values of input 'x2'", squares});
    if (scale < 1e-290 || scale > 1e290)
      expect_invalid([&] { static_cast<void>(regress(X, s.y, plain)); }, {"input 'x2'", "1e-290", "rescale"});
  }
  Matrix X = s.X;
  X.col(1).setConstant(1e-140);  // its mean may be off by a rounding
  EXPECT_EQ(regress(X, s.y, fixed(Kernel::gaussian(1))).report.notes.front(), "constant inputs, left out: 'x2'");
}

}  // namespace
}  // namespace ardvark
