// Relevance vector machines that search the parameters of their kernel.                                docs/math/kernel_search.md (RVM)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../support/random_problem.hpp"
#include "../support/reference.hpp"
#include "relevance_sample.hpp"

namespace ardvark {
namespace {

using testing::classify;
using testing::fixed;
using testing::Random;
using testing::regress;
using testing::relevance_sample;
using testing::RelevanceSample;

// The same table three times: with weights of 0 to 3, without the rows of weight 0, and with each row repeated. The table has distinct
// inputs beside some that occur twice, with targets of their own.
TEST(Relevance, AWeightEqualsRepetitionInTheSearchOfTheKernelAsWell) {  // (LIN.6), (RVM.5a)
  for (KernelSearch search : {KernelSearch::scale, KernelSearch::each}) {
    SCOPED_TRACE(to_string(search));
    RelevanceSample s = relevance_sample(60, 27, 2);
    s.X.row(50) = s.X.row(7);
    Random random(28);
    Vector k(60);
    std::vector<Index> rows, present;
    for (Index i = 0; i < 60; ++i) {
      k[i] = static_cast<double>(random.integer(0, 3));
      if (k[i] == 0) s.X.row(i) *= 100;  // what is not there cannot widen the range
      rows.insert(rows.end(), static_cast<std::size_t>(k[i]), i);
      if (k[i] > 0) present.push_back(i);
    }
    RelevanceOptions options;
    options.kernel = Kernel::gaussian({1, 1});
    options.search = search;
    options.algorithm = RelevanceAlgorithm::type_two;  // fast
    const auto fits = [&](const Vector& target, auto&& fit) {
      const Vector some = k(present);
      RelevanceOptions weighted = options, without = options;
      weighted.weights = k;
      without.weights = some;
      const auto all = fit(s.X, target, weighted), repeated = fit(s.X(rows, Eigen::all), target(rows), options),
                 reduced = fit(s.X(present, Eigen::all), target(present), without);
      for (const auto* other : {&repeated, &reduced}) {
        EXPECT_EQ(other->kernel.log_parameters(), all.kernel.log_parameters());
        EXPECT_EQ(other->log_evidence, all.log_evidence);
        EXPECT_EQ(other->relevance_vectors, all.relevance_vectors);
        EXPECT_EQ(other->trials.size(), all.trials.size());
        EXPECT_EQ(other->num_rows, k.sum());
      }
      for (std::size_t i = 0; i < all.relevance_rows.size(); ++i) {  // the row of the table that was given
        EXPECT_EQ(rows[static_cast<std::size_t>(repeated.relevance_rows[i])], all.relevance_rows[i]);
        EXPECT_EQ(present[static_cast<std::size_t>(reduced.relevance_rows[i])], all.relevance_rows[i]);
      }
      EXPECT_GT(all.num_vectors(), 0);
    };
    fits(s.y, regress);
    if (search == KernelSearch::scale) fits(s.two, classify);  // of `each` the search is the same, and slow
  }
}

TEST(Relevance, SearchesManyRowsInPartWhateverTheirWeights) {
  const RelevanceSample s = relevance_sample(2100, 29);
  Vector k(2100);
  std::vector<Index> present;
  for (Index i = 0; i < 2100; ++i) {
    k[i] = static_cast<double>(i % 2);
    if (k[i] > 0) present.push_back(i);
  }
  RelevanceOptions options;
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = 12;
  options.algorithm = RelevanceAlgorithm::type_two;
  const RelevanceRegression without = regress(s.X(present, Eigen::all), s.y(present), options);
  options.weights = k;
  EXPECT_EQ(regress(s.X, s.y, options).log_evidence, without.log_evidence);
}

// The same rows in another order: the same vectors, width, evidence and predictions, to the last bit.                   (KER.13), (RVM.5)
TEST(Relevance, DoesNotDependOnTheOrderOfTheRows) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    RelevanceSample s = relevance_sample(90, 100 + seed, 2);
    if (seed % 3 == 1) s.X = s.X.array().round();  // ties and equal rows
    if (seed % 4 == 2) s.X.col(1).setConstant(2);  // a constant input
    Vector k = Vector::Ones(90);
    if (seed % 2 == 1)
      for (double& weight : k) weight = static_cast<double>(random.integer(0, 3));
    RelevanceOptions options;
    options.centres = seed % 6 == 5 ? Centres::kmeans : Centres::pivoted_cholesky;
    options.num_centres = random.integer(4, 12);
    options.compare_up_to = 0;
    if (seed < 8) {
      options.kernel = Kernel::gaussian(random.scale(1, 8));
      options.search = KernelSearch::none;
    }
    const std::vector<Index> order = random.permutation(90);
    const Vector moved = k(order);
    const auto compare = [&](auto&& fit, const Vector& target) {
      RelevanceOptions first = options, second = options;
      first.weights = k;
      second.weights = moved;
      const auto one = fit(s.X, target, first), two = fit(s.X(order, Eigen::all), target(order), second);
      EXPECT_EQ(two.log_evidence, one.log_evidence);
      EXPECT_EQ(two.kernel.log_parameters(), one.kernel.log_parameters());
      EXPECT_EQ(two.relevance_vectors, one.relevance_vectors);
      for (std::size_t i = 0; i < one.relevance_rows.size(); ++i) {
        const Index row = one.relevance_rows[i], place = two.relevance_rows[i];
        if (row >= 0) {
          EXPECT_EQ(s.X.row(order[static_cast<std::size_t>(place)]), s.X.row(row));
        }
      }
      return std::pair(one, two);
    };
    const auto [one, two] = compare(regress, s.y);
    EXPECT_EQ(predict(one, s.X).mean, predict(two, s.X).mean);
    const auto [three, four] = compare(classify, s.three);
    EXPECT_EQ(predict(three, s.X).probability, predict(four, s.X).probability);
  }
}

TEST(Relevance, SearchesManyRowsInPart) {
  const RelevanceSample s = relevance_sample(1300, 16);
  RelevanceOptions options;
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = 15;
  const RelevanceRegression fit = regress(s.X, s.y, options);
  EXPECT_TRUE(std::any_of(fit.report.notes.begin(), fit.report.notes.end(),
                          [](const std::string& note) { return note.find("1000 of 1300 rows") != std::string::npos; }));
  EXPECT_NEAR(noise_sd(fit.machines.front().fit), 0.2, 0.02);
}

TEST(Relevance, SearchesItsWidth) {  // (RVM.5)
  const RelevanceSample s = relevance_sample(80, 11);
  const RelevanceRegression fit = regress(s.X, s.y);
  ASSERT_GT(fit.trials.size(), 5U);
  double best = -1e300;
  for (std::size_t i = 0; i < fit.trials.size(); ++i) {
    best = std::max(best, fit.trials[i].log_evidence);
    if (i > 0) {
      EXPECT_GE(fit.trials[i].parameters[0], fit.trials[i - 1].parameters[0]);
    }
  }
  EXPECT_GE(fit.log_evidence, best - 1e-4);

  // The curve, scanned, every fit with exchanges: no point of it is much higher. Neighbouring widths may end in maxima a nat apart.
  for (double width = 0.05; width < 10; width *= 1.25) {
    RelevanceOptions options = fixed(Kernel::gaussian(width));
    options.compare_up_to = 0;
    EXPECT_GE(fit.log_evidence, regress(s.X, s.y, options).log_evidence - 2) << width;
  }
}

// The number by which the kernel was chosen and that of the machine speak of the same model: the same prior of the bias too.
TEST(Relevance, TheEvidenceThatTheSearchMaximisesIsThatOfTheMachine) {  // (RVM.5), (SP.20)
  const Matrix X = testing::load_matrix("refs/synth/X.csv").rightCols(2);
  const Vector t = testing::load_vector("refs/synth/y_log.csv");
  for (const LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
    RelevanceOptions options;
    options.likelihood = likelihood;
    options.compare_up_to = 0;
    const RelevanceClassification fit = classify(X, t, options);
    const double width = fit.kernel.spec().parameters[0];
    const auto chosen = std::find_if(fit.trials.begin(), fit.trials.end(),
                                     [&](const KernelTrial& trial) { return std::abs(trial.parameters[0] / width - 1) < 1e-9; });
    ASSERT_NE(chosen, fit.trials.end());
    EXPECT_NEAR(chosen->log_evidence, fit.log_evidence, 0.5) << to_string(likelihood);
  }
}

// On these rows a search once ended far out, at 5.7, where a width of one half had five nats more.
TEST(Relevance, NoWidthIsMuchBetterThanThatOfTheSearch) {  // (RVM.5)
  const Matrix X = testing::load_matrix("refs/synth/X.csv").rightCols(2);
  const Vector t = testing::load_vector("refs/synth/y_log.csv");
  const RelevanceClassification fit = classify(X, t);
  EXPECT_LT(fit.kernel.spec().parameters[0], 2);
  for (const double width : {0.5, 0.65, 1.0, 2.0, 5.75})
    EXPECT_GE(fit.log_evidence, classify(X, t, fixed(Kernel::gaussian(width))).log_evidence - 0.5) << width;
}

TEST(Relevance, FindsTheInputThatMatters) {  // (RVM.5), `each`
  RelevanceSample s = relevance_sample(120, 12, 3);
  Random random(5);
  for (Index i = 0; i < 120; ++i) s.y[i] = std::sin(0.4 * s.X(i, 0)) + 0.1 * random.normal();
  RelevanceOptions options;
  options.compare_up_to = 0;
  options.kernel = Kernel::gaussian(std::vector<double>{1, 1, 1});
  options.search = KernelSearch::each;
  const RelevanceRegression fit = regress(s.X, s.y, options);
  const std::vector<double> widths = fit.kernel.spec().parameters;
  EXPECT_LT(4 * widths[0], widths[1]);
  EXPECT_LT(4 * widths[0], widths[2]);
  EXPECT_NEAR(noise_sd(fit.machines.front().fit), 0.1, 0.02);
  options.kernel = Kernel::gaussian(1);
  options.search = KernelSearch::scale;
  EXPECT_GT(fit.log_evidence, regress(s.X, s.y, options).log_evidence + 5);
}

TEST(Relevance, SearchesTheWidthOfInputsInAnyUnit) {  // (RVM.5a)
  const RelevanceSample s = relevance_sample(40, 34);
  RelevanceOptions options;
  options.standardize = false;
  options.algorithm = RelevanceAlgorithm::type_two;
  const RelevanceRegression one = regress(s.X, s.y, options);
  for (int exponent : {660, -660, 520, -900}) {
    const double unit = std::ldexp(1.0, exponent);
    const RelevanceRegression other = regress(s.X * unit, s.y, options);
    EXPECT_NEAR(other.log_evidence, one.log_evidence, 1e-3) << exponent;
    EXPECT_NEAR(other.kernel.log_parameters()[0], one.kernel.log_parameters()[0] + std::log(unit), 1e-3) << exponent;
  }
}

TEST(Relevance, IsNotErasedByAnOutlyingInput) {  // (RVM.5a)
  Random random(35);
  Matrix X(61, 1);
  Vector y(61);
  for (Index i = 0; i < 60; ++i) {
    X(i, 0) = random.uniform(-3, 3);
    y[i] = std::sin(2 * X(i, 0)) + 0.1 * random.normal();
  }
  for (double outlier : {1e3, 1e6}) {
    X(60, 0) = outlier;
    y[60] = 0;
    const RelevanceRegression fit = regress(X, y);
    EXPECT_NEAR(noise_sd(fit.machines.front().fit), 0.1, 0.03) << outlier;
    EXPECT_GT(fit.r_squared, 0.95) << outlier;
  }
}

}  // namespace
}  // namespace ardvark
