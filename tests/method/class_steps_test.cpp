// The steps of two classes, with a solver of working rows that is given: when they end, and as what.        docs/math/sparse.md (SL.6),
// (SL.13)
#include "method/spike_slab/class_steps.hpp"

#include <gtest/gtest.h>

#include "design/dense.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

struct Steps : ::testing::Test {
  testing::Random random{7};
  Matrix X = random.normals(30, 2);
  Vector t = (X.col(0).array() > 0).cast<double>(), k = Vector::Ones(30);
  Standardization standardization{{}, {}, false};
  TableClassRows rows{std::make_unique<DenseDesign>(X, standardization), t, k, false};

  // A fit with these log odds, of which the bound of the classes is this.
  [[nodiscard]] WorkingFit fit(const WorkingRows& working, double m, double bound) const {
    WorkingFit out{0, LogOdds{Vector::Constant(30, m), Vector::Constant(30, 0.5)}, {}};
    out.log_evidence = bound - bound_of_classes(rows, working, out);
    return out;
  }
};

// A bound that stands still says nothing while the rows still move.
TEST_F(Steps, AreNotOverWhileTheLogOddsMove) {
  const auto run = [&](int moving) {
    double m = 0;
    ClassStepSettings settings;
    settings.max_steps = 40;
    const auto solve = [&](const WorkingRows& working) -> std::optional<WorkingFit> {
      if (working.step < moving) m = 0.25 - m;
      return fit(working, m, -10);
    };
    return run_class_steps(rows, false, settings, solve, [](double) {});
  };
  EXPECT_EQ(run(1000).status, Status::max_sweeps);
  const ClassSteps ended = run(20);
  EXPECT_EQ(ended.status, Status::converged);
  EXPECT_GT(ended.history.size(), 20u);
}

// Log odds that become certain ask for weights near 0; a row keeps two thirds of its own.
TEST_F(Steps, KeepAShareOfTheWeightOfARow) {
  const auto largest_fall = [&](double least) {
    std::vector<double> omega;
    ClassStepSettings settings;
    settings.max_steps = 12;
    settings.least_share_of_weight = least;
    const auto solve = [&](const WorkingRows& working) -> std::optional<WorkingFit> {
      omega.push_back(std::get<Sites>(working.sites).omega[0]);
      return fit(working, 2.0 * (1 + working.step), -10 + 1e-3 * working.step);
    };
    static_cast<void>(run_class_steps(rows, false, settings, solve, [](double) {}));
    double least_ratio = 1;
    for (std::size_t i = 1; i < omega.size(); ++i) least_ratio = std::min(least_ratio, omega[i] / omega[i - 1]);
    EXPECT_LT(omega.back(), 0.05 * omega.front()) << "they fall all the same";
    return least_ratio;
  };
  EXPECT_LT(largest_fall(0), 0.3);
  EXPECT_NEAR(largest_fall(2.0 / 3), 2.0 / 3, 1e-12);
}

// However short a step, the fit of its rows is another one, worse by many nats.
TEST_F(Steps, MayEndBeforeAFall) {
  for (const bool ends : {false, true}) {
    std::vector<double> accepted;
    ClassStepSettings settings;
    settings.max_steps = 12;
    settings.ends_before_fall = ends;
    const auto solve = [&](const WorkingRows& working) -> std::optional<WorkingFit> {
      return fit(working, 0.1, working.step < 4 ? -20.0 + working.step : -100);
    };
    const ClassSteps ended = run_class_steps(rows, false, settings, solve, [&](double bound) { accepted.push_back(bound); });
    EXPECT_EQ(ended.history, accepted);
    EXPECT_EQ(accepted.back() > accepted.front(), ends);
    EXPECT_EQ(accepted.size() == 4, ends);
    EXPECT_EQ(ended.status == Status::max_sweeps, ends);
  }
}

// Of classes with a proper prior the evidence is a probability.
TEST_F(Steps, TakeNoEvidenceAboveZero) {
  int solved = 0;
  std::vector<double> accepted;
  const auto solve = [&](const WorkingRows& working) -> std::optional<WorkingFit> {
    return fit(working, 0.1, ++solved > 4 ? 1200 : -10 - 1.0 / solved);
  };
  const ClassSteps ended = run_class_steps(rows, false, {}, solve, [&](double bound) { accepted.push_back(bound); });
  EXPECT_NE(ended.status, Status::converged);
  EXPECT_EQ(ended.history, accepted);
  ASSERT_FALSE(accepted.empty());
  for (const double bound : accepted) EXPECT_LT(bound, 0);
}

}  // namespace
}  // namespace ardvark::internal
