// The ways to a relevance vector machine: the fast path, plain sweeps, columns that leave.                docs/math/relevance.md (RVM)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../support/reference.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "relevance_sample.hpp"

namespace ardvark {
namespace {

using testing::classify;
using testing::expect_invalid;
using testing::fixed;
using testing::Random;
using testing::regress;
using testing::relevance_sample;
using testing::RelevanceSample;

// The fast path against plain sweeps over all candidates from their usual start, both then left with the columns that matter; and with all
// candidates in one model, where the fast path begins with those that it left out at the end of their hyper-prior.
void expect_fast_is_no_lower(const Matrix& X, const Vector& target, Task task, double width, bool standardize, int sweeps,
                             bool alone = true) {
  RelevanceOptions options = fixed(Kernel::gaussian(width));
  options.standardize = standardize;
  if (alone) options.compare_up_to = 0;
  options.likelihood = LogisticLikelihood::bound;
  const auto fit = [&]() -> RelevanceFit {
    if (task == Task::linear) return regress(X, target, options);
    return classify(X, target, options);
  };
  const RelevanceFit fast = fit();
  options.algorithm = RelevanceAlgorithm::plain;
  options.max_sweeps = sweeps;
  const RelevanceFit plain = fit();
  EXPECT_GE(fast.log_evidence, plain.log_evidence - 1e-4) << fast.num_vectors() << " and " << plain.num_vectors() << " vectors";

  const Index n = X.rows();
  const Matrix Z = (X.rowwise() - fast.input_center.transpose()) * fast.input_scale.asDiagonal();
  Matrix K(n, n);
  options.kernel.evaluate(Z, Z, K);
  FitOptions all;
  all.prior = Prior::ard();
  all.precision = all.noise = {1e-6, 1e-6};
  all.posterior = task == Task::linear ? LinearPosterior::factorised : LinearPosterior::joint;
  all.likelihood = LogisticLikelihood::bound;
  all.accelerate = false;
  all.tolerance = 1e-10;
  all.max_sweeps = sweeps;
  const auto bound = [&]() { return task == Task::linear ? fit_linear(K, target, all).bound : fit_logistic(K, target, all).bound; };
  const double from_usual = bound();
  const RelevanceMachine& machine = fast.machines.front();
  all.start_precision.assign(static_cast<std::size_t>(n), 4.9e5);  // near (c0 + 1/2)/d0
  for (std::size_t i = 0; i < machine.vectors.size(); ++i)
    all.start_precision[static_cast<std::size_t>(fast.relevance_rows[static_cast<std::size_t>(machine.vectors[i])])] =
        machine.fit.precision[static_cast<Index>(i)];
  if (task == Task::linear) all.start_noise = machine.fit.noise.shape / machine.fit.noise.rate;
  EXPECT_GE(bound(), from_usual - 1.5);  // neighbouring maxima: of some 950 to 3200 nats, in either direction
}

TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnSinc) {  // (RVM.2), (RVM.3)
  expect_fast_is_no_lower(testing::load_matrix("refs/sinc_rbf/x_raw.csv"), testing::load_vector("refs/sinc_rbf/y_reg.csv"), Task::linear, 3,
                          false, 5000);
}
TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnRipleysData) {
  expect_fast_is_no_lower(testing::load_matrix("refs/synth/X.csv").rightCols(2), testing::load_vector("refs/synth/y_log.csv"),
                          Task::logistic, 0.5, false, 600, false);
}
TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnPima) {
  expect_fast_is_no_lower(testing::load_matrix("refs/pima_std/X.csv").rightCols(7), testing::load_vector("refs/pima_std/y_log.csv"),
                          Task::logistic, 4, false, 600);
}
TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnCurves) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const RelevanceSample s = relevance_sample(60, seed);
    expect_fast_is_no_lower(s.X, s.y, Task::linear, 0.4, true, 2000);
  }
}

TEST(Relevance, KeepsTheHigherOfFastPathAndPlainSweeps) {  // (RVM.3)
  int plain_kept = 0;
  for (std::uint64_t seed = 9; seed <= 14; ++seed) {  // among them two where the sweeps end higher
    SCOPED_TRACE(seed);
    const RelevanceSample s = relevance_sample(60, 40 + seed);
    RelevanceOptions options = fixed(Kernel::gaussian(0.15));
    const RelevanceClassification both = classify(s.X, s.two, options);
    options.compare_up_to = 0;
    const RelevanceClassification fast = classify(s.X, s.two, options);
    EXPECT_GE(both.log_evidence, fast.log_evidence);
    const bool said = std::any_of(both.report.notes.begin(), both.report.notes.end(),
                                  [](const std::string& note) { return note.find("were kept") != std::string::npos; });
    EXPECT_EQ(said, both.log_evidence > fast.log_evidence);
    plain_kept += said ? 1 : 0;
  }
  EXPECT_GT(plain_kept, 0);
}

TEST(Relevance, PlainIsThePublishedWay) {
  const RelevanceSample s = relevance_sample(40, 14);
  RelevanceOptions options = fixed(Kernel::gaussian(0.5));
  options.algorithm = RelevanceAlgorithm::plain;
  options.max_sweeps = 5000;
  const RelevanceRegression plain = regress(s.X, s.y, options);
  options.algorithm = RelevanceAlgorithm::variational;
  const RelevanceRegression fast = regress(s.X, s.y, options);
  EXPECT_GE(fast.log_evidence, plain.log_evidence - 1e-4);
  EXPECT_NEAR(plain.log_evidence, fast.log_evidence, 5);
  EXPECT_LT(plain.num_vectors(), 20);
}

TEST(Relevance, PrunedMachineMayBeWithoutABiasAndBeginsWhereItIsTold) {  // (SLR.6)
  const RelevanceSample s = relevance_sample(30, 34, 2);
  RelevanceOptions options = fixed(Kernel::gaussian(1));
  options.algorithm = RelevanceAlgorithm::pruned;
  options.intercept = false;
  const RelevanceClassification fit = classify(s.X, s.two, options);
  EXPECT_FALSE(fit.machines.front().fit.intercept);
  EXPECT_EQ(fit.machines.front().candidate_mean.size(), 30);
  const Matrix far = Matrix::Constant(1, 2, 1e3);  // where no kernel reaches nothing is known
  EXPECT_DOUBLE_EQ(predict(fit, far).probability(0, 1), 0.5);
  options.start_precision.assign(30, 1.0);
  EXPECT_EQ(classify(s.X, s.two, options).machines.front().candidate_mean, fit.machines.front().candidate_mean);  // where it begins anyway
  options.max_sweeps = 1;
  const auto num_nothing = [&] { return (classify(s.X, s.two, options).machines.front().candidate_mean.array().abs() < 1e-12).count(); };
  EXPECT_EQ(num_nothing(), 0);
  options.start_precision[3] = 1e13;
  EXPECT_EQ(num_nothing(), 1);
  options.start_precision.push_back(1);
  expect_invalid([&] { static_cast<void>(classify(s.X, s.two, options)); }, {"start_precision has 31 entries", "30"});
  options.start_precision.clear();
  options.algorithm = RelevanceAlgorithm::plain;
  expect_invalid([&] { static_cast<void>(classify(s.X, s.two, options)); }, {"intercept is false", "pruned"});
  options.intercept = true;
  options.start_precision.assign(30, 1.0);
  expect_invalid([&] { static_cast<void>(classify(s.X, s.two, options)); }, {"start_precision", "pruned"});
}

// Curves without noise, by kernels that are nearly the same: what rounding does to the bound is not called a fall of the bound.
TEST(Relevance, OfDataWithoutNoiseEndsAsFarAsRoundingAllows) {  // (RIDGE.10), (BOUND.6)
  for (const Index n : {30, 60})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Random random(seed);
      Matrix X(n, 1);
      for (double& x : X.reshaped()) x = random.uniform(-10, 10);
      const Vector line = 2 * X.col(0).array() + 1, sinc = X.col(0).unaryExpr([](double x) { return x == 0 ? 1 : std::sin(x) / x; }),
                   step = X.col(0).unaryExpr([](double x) { return x > 0 ? 1.0 : 0.0; });
      for (const auto& [target, name] : {std::pair{&line, "line"}, {&sinc, "sinc"}, {&step, "step"}})
        for (const Kernel& kernel : {Kernel::gaussian(1), Kernel::cauchy(1), Kernel::spline()})
          for (const RelevanceAlgorithm algorithm : {RelevanceAlgorithm::variational, RelevanceAlgorithm::plain}) {
            RelevanceOptions options = fixed(kernel);
            options.algorithm = algorithm;
            const Report report = regress(X, *target, options).report;
            EXPECT_TRUE(report.status == Status::converged || report.status == Status::max_sweeps)
                << n << " rows, seed " << seed << ", " << name << ", " << kernel.name()
                << (algorithm == RelevanceAlgorithm::plain ? ", plain: " : ": ") << report.message;
          }
    }
}

}  // namespace
}  // namespace ardvark
