// Every classification with a prior has an evidence of at most 0: its intercept has a prior too.         docs/math/sparse.md (SP.20),
// (SMX.12)
#include <gtest/gtest.h>

#include <cstdlib>
#include <numbers>

#include "ardvark/logistic.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/softmax.hpp"
#include "support/classes_that_may_part.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

using testing::Random;

int num_tables() {
  const char* asked = std::getenv("ARDVARK_TEST_TABLES");  // 2000 in scripts/check
  return asked != nullptr ? std::atoi(asked) : 150;
}

TEST(ClassSweeps, EvidenceIsNeverAboveZero) {
  int num_converged = 0, num_fits = 0;
  for (int i = 0; i < num_tables(); ++i) {
    Random random(static_cast<unsigned>(60000 + i));
    const Index n = random.integer(4, 50), p = random.integer(1, 30);
    const auto [X, t] = testing::classes_that_may_part(random, n, p, i);
    FitOptions options;
    options.prior = i % 3 == 0 ? Prior::ard() : Prior::shared();
    options.standardize = i % 5 != 0;
    for (const LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
      options.likelihood = likelihood;
      const LogisticFit fit = fit_logistic(X, t, options);
      ASSERT_LE(fit.bound, 0) << i;
      ASSERT_TRUE(fit.mean.allFinite() && fit.variance.allFinite()) << i;
      ASSERT_NE(fit.report.status, Status::separated) << i << ": " << fit.report.message;
      num_converged += fit.report.status == Status::converged;
      ++num_fits;
      for (std::size_t step = 1; step < fit.report.bound_history.size(); ++step)
        ASSERT_GE(fit.report.bound_history[step], fit.report.bound_history[step - 1] - 1e-7) << i;
    }
  }
  EXPECT_GE(num_converged, num_fits * 97 / 100);
}

TEST(ClassSweeps, EvidenceOfSeveralClassesIsNeverAboveZero) {
  for (int i = 0; i < num_tables(); ++i) {
    Random random(static_cast<unsigned>(65000 + i));
    const Index n = random.integer(8, 50), p = random.integer(1, 15);
    auto [X, t] = testing::classes_that_may_part(random, n, p, i);
    for (Index row = 0; row < n; row += 3) t[row] = 2;
    SoftmaxOptions options;
    options.coding = ClassCoding::softmax;
    options.prior = i % 3 == 0 ? Prior::ard() : Prior::shared();
    const SoftmaxFit fit = fit_softmax(X, t, options);
    ASSERT_LE(fit.bound, 0) << i;
    ASSERT_NE(fit.report.status, Status::separated) << i << ": " << fit.report.message;
    ASSERT_TRUE(fit.mean.allFinite()) << i;
  }
}

TEST(ClassSweeps, EvidenceOfKernelsIsNeverAboveZero) {
  for (int i = 0; i < num_tables() / 10; ++i) {
    Random random(static_cast<unsigned>(68000 + i));
    const auto [X, t] = testing::classes_that_may_part(random, random.integer(10, 40), 2, i);
    const RelevanceFit fit = fit_relevance_classification(X, t);
    for (const RelevanceMachine& machine : fit.machines) EXPECT_LE(machine.fit.bound, 0) << i;
  }
}

// A rare class: the intercept is held by next to nothing, and the frequencies of the classes are met.
TEST(ClassSweeps, TheInterceptOfARareClassIsHardlyHeld) {
  Random random(9);
  const Index n = 4000;
  const Matrix X = random.normals(n, 3);
  Vector t = Vector::Zero(n);
  for (Index i = 0; i < n; i += 400) t[i] = 1;  // 10
  const LogisticFit fit = fit_logistic(X, t, {.prior = Prior::shared()});
  EXPECT_NEAR(predict(fit, X).probability.sum(), 10, 0.3);
}

}  // namespace
}  // namespace ardvark
