// What a fit tells the caller before its result is trusted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark {
namespace {

using testing::make_problem;
using testing::mentions;
using testing::Problem;
using testing::Random;
using Texts = std::vector<std::string>;

constexpr const char* growing =
    "all rows are classified correctly: the classes can be separated, and so far this prior does not limit the coefficients; they, their "
    "intervals and the bound are those of the last sweep; if they only grow with more sweeps, use a narrower hyper-prior (--a0 1 --b0 1)";

FitOptions with_prior(const Prior& prior) {
  FitOptions options;
  options.prior = prior;
  return options;
}

// The first column separates the classes, with room between them: its values are beyond -1 and 1.
Problem separable(std::uint64_t seed, Index n, Index p) {
  Problem problem = make_problem(seed, n, p);
  for (Index i = 0; i < n; ++i) {
    problem.labels[i] = i % 2 == 0 ? -1 : 1;
    problem.X(i, 0) = problem.labels[i] * (1 + std::abs(problem.X(i, 0)));
  }
  return problem;
}

TEST(Warnings, SayThatSeparableClassesDidNotConverge) {
  const Problem problem = separable(131, 40, 2);
  FitOptions options = with_prior(Prior::ard());
  options.tolerance = 0;
  options.max_sweeps = 5;
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
  ASSERT_EQ(fit.report.status, Status::max_sweeps);
  ASSERT_EQ(fit.accuracy, 1);
  EXPECT_EQ(fit.report.warnings, Texts{growing});
  EXPECT_FALSE(mentions(fit.report.notes, "all rows are classified correctly")) << "said once";
}

TEST(Warnings, LeaveSeparableClassesThatConvergedToANote) {
  const Problem problem = separable(131, 40, 2);
  FitOptions options = with_prior(Prior::ard());
  options.precision = {1, 1};  // what the warning recommends
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
  ASSERT_EQ(fit.report.status, Status::converged);
  ASSERT_EQ(fit.accuracy, 1);
  EXPECT_EQ(fit.report.warnings, Texts{});
  EXPECT_TRUE(mentions(fit.report.notes, "all rows are classified correctly"));
}

// The mode under a Laplace prior is not too confident there: it has few columns, and they are shrunk.
TEST(Warnings, AreNotOfALaplacePrior) {
  const Problem problem = make_problem(132, 60, 60);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, with_prior(Prior::laplace(0.1)));
  ASSERT_EQ(fit.accuracy, 1);
  EXPECT_EQ(fit.report.warnings, Texts{});
}

TEST(Warnings, SayThatFewRowsOnTheirOwnSidesAreTooConfident) {  // noisy labels: with 60 columns they can be separated all the same
  const Problem problem = make_problem(132, 60, 60);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, with_prior(Prior::ard()));
  ASSERT_EQ(fit.accuracy, 1);
  EXPECT_TRUE(mentions(fit.report.warnings,
                       "all 60 rows are classified correctly with 60 columns under this prior: probabilities and intervals are far too "
                       "confident; use the default prior, sparse (--prior sparse)"))
      << fit.report.message;
}

// Classes that lie apart in one column: few effective parameters, and predictions of fresh rows are right.
TEST(Warnings, OfTooMuchConfidenceAreAbsentWhereClassesLieApart) {
  constexpr Index n = 100, fresh = 1000, p = 60;
  Random random(137);
  Matrix X = random.normals(n + fresh, p);
  Vector of_two(n + fresh), of_three(n + fresh);
  for (Index i = 0; i < n + fresh; ++i) {
    of_two[i] = static_cast<double>(i % 2), of_three[i] = static_cast<double>(i % 3);
    X(i, 0) += 8 * of_two[i], X(i, 1) += 8 * of_three[i];
  }
  const Matrix rows = X.topRows(n);
  const Matrix of_fresh = X.bottomRows(fresh);
  const FitOptions options = with_prior(Prior::ard());
  const LogisticFit two = fit_logistic(rows, Vector(of_two.head(n)), options);
  ASSERT_EQ(two.accuracy, 1);
  EXPECT_FALSE(mentions(two.report.warnings, "far too confident"));
  const Vector probability = predict(two, of_fresh).probability;
  const Vector sure = probability.cwiseMax((1 - probability.array()).matrix());
  EXPECT_LT(sure.mean() - ((probability.array() > 0.5).cast<double>() == of_two.tail(fresh).array()).cast<double>().mean(), 0.01);
  for (const Prior& prior : {Prior::ard(), Prior::laplace(1), Prior::slab()}) {
    SoftmaxOptions several;
    several.prior = prior;
    const SoftmaxFit three = fit_softmax(rows, Vector(of_three.head(n)), several);
    ASSERT_EQ(three.accuracy, 1) << to_string(prior.kind);
    EXPECT_FALSE(mentions(three.report.warnings, "far too confident")) << to_string(prior.kind);
    const Matrix of_class = predict(three, of_fresh).probability;
    double right = 0;
    for (Index i = 0; i < fresh; ++i) {
      Index most = 0;
      of_class.row(i).maxCoeff(&most);
      right += static_cast<double>(most) == of_three[n + i] ? 1.0 / fresh : 0;
    }
    EXPECT_LT(of_class.rowwise().maxCoeff().mean() - right, 0.01) << to_string(prior.kind);
  }
}

TEST(Warnings, SayThatALinearFitHasFewerThanTwiceAsManyRows) {
  const std::string text =
      " rows are fewer than twice 20 columns: under this prior the noise is underestimated and 95% intervals have covered {}; use "
      "the default prior, sparse (--prior sparse)";
  const auto warnings = [&](Index n, double weight) {
    const Problem problem = make_problem(133, n, 20, 5);
    const Vector weights = Vector::Constant(n, weight);
    FitOptions options = with_prior(Prior::ard());
    options.weights = weights;
    return fit_linear(problem.X, problem.y, options).report.warnings;
  };
  EXPECT_EQ(warnings(30, 1), Texts{}) << "integrated (LIN.9)";
  EXPECT_EQ(warnings(39, 1), Texts{"39" + fmt::format(fmt::runtime(text), "80 to 92%")});
  EXPECT_EQ(warnings(40, 1), Texts{});
  EXPECT_EQ(warnings(20, 1.6), Texts{"32" + fmt::format(fmt::runtime(text), "80 to 92%")}) << "weights count as rows";
  EXPECT_EQ(warnings(20, 2), Texts{});
}

// (SP.25), (LIN.9): models have the right intervals with few rows, published programs say that they do not.
TEST(Warnings, SayHowIntervalsOfFewRowsHaveCovered) {
  for (const Index n : {12, 30, 31}) {
    const Problem problem = make_problem(136, n, 3, 5);
    const auto notes = [&](const FitOptions& options) { return fit_linear(problem.X, problem.y, options).report.notes; };
    for (const char* preset : {"vb_linear_fit", "vb_linear_fit_ard"})
      EXPECT_EQ(mentions(notes(options_for_preset(preset)), "rows are few: 95% intervals of this published method"), n <= 30) << n;
    for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::laplace(1), Prior::groups({0, 0, 1}), Prior::sparse(), Prior::slab(),
                               Prior::dense(), Prior::none()})
      EXPECT_FALSE(mentions(notes(with_prior(prior)), "rows are few")) << n << " " << to_string(prior.kind);
  }
}

// (SP.21): of classes, the priors sparse, slab and dense integrate over their hyper-parameters with up to 100 columns.
TEST(Warnings, SayHowIntervalsOfFewRowsOfClassesHaveCovered) {
  for (const Index n : {12, 30, 31}) {
    const Problem few = make_problem(136, n, 3, 5), many = make_problem(136, n, 101, 5);
    const auto says = [](const Problem& problem, const Prior& prior) {
      return mentions(fit_logistic(problem.X, problem.labels, with_prior(prior)).report.notes,
                      "rows are few: 95% intervals under this prior");
    };
    for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::laplace(1), Prior::groups({0, 0, 1})})
      EXPECT_EQ(says(few, prior), n <= 30) << n << " " << to_string(prior.kind);
    for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense()}) {
      EXPECT_FALSE(says(few, prior)) << n << " " << to_string(prior.kind);
      EXPECT_EQ(says(many, prior), n <= 30) << n << " " << to_string(prior.kind);
    }
  }
}

TEST(Warnings, AreAbsentWithFiveTimesAsManyRows) {
  const Problem problem = make_problem(134, 50, 10), apart = separable(134, 50, 10);
  const FitOptions options = with_prior(Prior::ard());
  const LinearFit linear = fit_linear(problem.X, problem.y, options);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels, options);
  for (const Fit& fit : {static_cast<const Fit&>(linear), static_cast<const Fit&>(logistic)}) {
    EXPECT_EQ(fit.report.status, Status::converged);
    EXPECT_EQ(fit.report.warnings, Texts{}) << to_string(fit.task);
  }
  const LogisticFit separated = fit_logistic(apart.X, apart.labels, options);
  EXPECT_FALSE(mentions(separated.report.warnings, "far too confident"));
}

// The same tables that ARD is warned of.
TEST(Warnings, AreAbsentUnderTheDefaultPrior) {
  for (const auto& [n, p] : {std::pair<Index, Index>{60, 60}, {30, 20}, {50, 10}}) {
    const Problem problem = make_problem(133, n, p, 5);
    for (const Texts& warnings :
         {fit_linear(problem.X, problem.y).report.warnings, fit_logistic(problem.X, problem.labels).report.warnings}) {
      EXPECT_FALSE(mentions(warnings, "under this prior") || mentions(warnings, "too confident")) << n << " x " << p;
    }
  }
}

TEST(Warnings, AreAbsentUnderASharedPrior) {
  for (const auto& [n, p] : {std::pair<Index, Index>{60, 60}, {30, 20}, {20, 30}, {50, 10}}) {
    SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(p));
    const Problem problem = make_problem(135, n, p);
    FitOptions options = with_prior(Prior::shared());
    EXPECT_EQ(fit_linear(problem.X, problem.y, options).report.warnings, Texts{});
    options.precision = {1, 1};  // noisy classes that 60 columns separate: the prior holds the coefficients
    const LogisticFit logistic = fit_logistic(problem.X, problem.labels, options);
    EXPECT_EQ(logistic.report.status, Status::converged);
    EXPECT_EQ(logistic.report.warnings, Texts{});
  }
}

// A preset is a published program: how far to trust it is in its documentation.
Texts warnings_of_preset(const PresetInfo& preset, bool compat, Index n, Index p, int max_sweeps) {
  FitOptions options = options_for_preset(preset.name, compat);
  options.max_sweeps = max_sweeps;
  const Problem problem = separable(136, n, p);
  if (preset.task == Task::linear) return fit_linear(problem.X, problem.y, options).report.warnings;
  return fit_logistic(problem.X, problem.labels, options).report.warnings;
}

// The SLR toolbox's presets, made right, have no hyper-prior that holds separable classes, and say so.
bool may_grow(const PresetInfo& preset, bool compat) { return !compat && options_for_preset(preset.name).precision.rate == 0; }

TEST(Warnings, AreAbsentWithPresets) {
  for (const PresetInfo& preset : presets())
    for (const auto& [n, p] : {std::pair<Index, Index>{30, 20}, {20, 30}}) {
      SCOPED_TRACE(preset.name);
      if (may_grow(preset, false)) continue;
      EXPECT_EQ(warnings_of_preset(preset, false, n, p, 2000), Texts{});
    }
}

TEST(Warnings, AreAbsentWithPresetsThatStopEarly) {
  for (const PresetInfo& preset : presets())
    for (const bool compat : {false, true}) {
      if (is_softmax_preset(preset.name)) continue;  // softmax_test.cpp
      SCOPED_TRACE(std::string(preset.name) + (compat ? ", compat" : ""));
      if (may_grow(preset, compat))
        EXPECT_EQ(warnings_of_preset(preset, compat, 30, 20, 2).size(), 1U);
      else
        EXPECT_EQ(warnings_of_preset(preset, compat, 30, 20, 2), Texts{});
    }
}

// Columns that follow each other in the table, not only in the few rows that still weigh where classes are told apart.
TEST(Warnings, OfColumnsThatCouldTakeEachOthersPlaceAreOfTheTable) {
  constexpr const char* close = "columns correlated above 0.99 could take the place of selected ones";
  Random random(1);
  Matrix X = random.normals(150, 4);
  Vector labels(150), noisy(150);
  for (Index i = 0; i < 150; ++i) labels[i] = X(i, 0) + X(i, 1) > 0 ? 1 : 0;
  EXPECT_FALSE(mentions(fit_logistic(X, labels).report.warnings, close)) << "independent columns that tell the classes apart together";
  const Vector y = 2 * X.col(0) + 0.3 * random.normals(150, 1);
  for (Index i = 0; i < 150; ++i) noisy[i] = y[i] + random.normal() > 0 ? 1 : 0;
  EXPECT_FALSE(mentions(fit_linear(X, y).report.warnings, close));
  EXPECT_FALSE(mentions(fit_logistic(X, noisy).report.warnings, close));
  X.col(2) = X.col(0) + 0.01 * X.col(2);
  EXPECT_TRUE(mentions(fit_linear(X, y).report.warnings, close));
  EXPECT_TRUE(mentions(fit_logistic(X, noisy).report.warnings, close));
}

TEST(Warnings, OfNoiseThatRepeatedRowsDoNotShowNameTheWeights) {
  constexpr const char* counts = "divide weights that are not counts by their mean";
  Random random(2);
  const Matrix X = random.normals(40, 300);
  const Vector y = X.col(0) - 2 * X.col(5) + random.normals(40, 1);
  Vector weights(40);
  for (Index i = 0; i < 40; ++i) weights[i] = 1 + i % 3;
  FitOptions options;
  EXPECT_FALSE(mentions(fit_linear(X, y, options).report.warnings, counts));
  options.weights = weights;
  EXPECT_TRUE(mentions(fit_linear(X, y, options).report.warnings, counts));
  const Vector of_mean_one = weights / weights.mean();
  options.weights = of_mean_one;
  EXPECT_FALSE(mentions(fit_linear(X, y, options).report.warnings, counts));
}

}  // namespace
}  // namespace ardvark
