// Where the history of the bound never falls, and where it may (BOUND.5): every model, prior and preset on random tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "every_model.hpp"

namespace ardvark {
namespace {

using testing::any_table;
using testing::AnyTable;
using testing::NamedModel;
using History = std::vector<double>;

// What (BOUND.5) names: Laplace's approximation maximised by updates of the precisions, and sparse priors of classes.
bool may_fall(const NamedModel& model) {
  const ModelOptions& o = model.options;
  const bool classes = model.num_classes > 0, model_of_classes = o.model == "logistic";
  const bool sparse = o.prior == "sparse" || o.prior == "slab" || o.prior == "dense";
  if (model_of_classes && sparse && classes) return true;
  if (model_of_classes && (o.likelihood == "laplace" || model.num_classes > 2)) return true;
  if (o.preset == "l1_slr_c" && o.compat) return true;
  return o.preset == "slr_lap" || o.preset == "rlr_lap" || o.preset == "slr_lap_ovr" || o.preset == "smlr" || o.preset == "rmlr";
}

std::vector<History> histories(const SavedModel& model) {
  std::vector<History> out = {report_of(model).bound_history};
  if (model.relevance())
    for (const RelevanceMachine& machine : model.relevance()->machines) out.push_back(machine.fit.report.bound_history);
  if (model.softmax())
    for (const Fit& machine : model.softmax()->machines) out.push_back(machine.report.bound_history);
  return out;
}

double largest_fall(const SavedModel& model) {
  double fall = 0;
  for (const History& h : histories(model))
    for (std::size_t i = 1; i < h.size(); ++i) fall = std::max(fall, h[i - 1] - h[i] - 1e-9 * (1 + std::abs(h[i])));
  return fall;
}

class BoundHistory : public ::testing::TestWithParam<int> {};

TEST_P(BoundHistory, NeverFallsWhereThatIsPromised) {  // (BOUND.5)
  testing::Random random(static_cast<std::uint64_t>(1000 + GetParam()));
  const AnyTable table =
      any_table(static_cast<std::uint64_t>(GetParam()), random.integer(12, 50), random.integer(1, 20), random.scale(0.1, 3));
  for (const NamedModel& named : testing::every_model()) {
    if (may_fall(named)) continue;
    if (named.options.prior == "none" && table.X.cols() + 2 > table.X.rows() / 3) continue;  // refused, or separated
    const SavedModel model = fit_to(named, table);
    EXPECT_EQ(largest_fall(model), 0) << named.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, BoundHistory, ::testing::Range(0, 20));

double end_of(const History& history, double bound) {
  return history.empty() ? 0 : std::abs(history.back() - bound) / (1 + std::abs(bound));
}

void expect_ends_with_the_bound(const SavedModel& model, const std::string& name) {
  EXPECT_LE(end_of(report_of(model).bound_history, report_of(model).bound), 1e-13) << name;
  if (model.relevance()) {
    for (const RelevanceMachine& machine : model.relevance()->machines)
      EXPECT_LE(end_of(machine.fit.report.bound_history, machine.fit.bound), 1e-13) << name;
  }
  if (model.softmax()) {
    for (const Fit& machine : model.softmax()->machines) EXPECT_LE(end_of(machine.report.bound_history, machine.bound), 1e-13) << name;
  }
}

class BoundHistoryEnd : public ::testing::TestWithParam<int> {};

TEST_P(BoundHistoryEnd, IsTheBoundOfTheFit) {  // (BOUND.5)
  const auto seed = static_cast<std::uint64_t>(GetParam());
  testing::Random random(3000 + seed);
  const AnyTable table = any_table(seed, random.integer(15, 40), random.integer(1, 6), random.scale(0.01, 3));
  for (const NamedModel& named : testing::every_model()) expect_ends_with_the_bound(fit_to(named, table), named.name);
}

INSTANTIATE_TEST_SUITE_P(Tables, BoundHistoryEnd, ::testing::Range(0, 8));

// Few rows of dummies: such fits often end at another start of the noise, whose last changes are no actions.
TEST(BoundHistory, EndsWithTheBoundOfTheBestStart) {
  int from_another_start = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    testing::Random random(seed);
    const Index n = random.integer(6, 14), p = random.integer(3, 12);
    AnyTable table{Matrix::Zero(n, p), random.normals(n), Vector::Ones(n)};
    for (Index i = 0; i < n; ++i) table.X(i, random.integer(0, static_cast<int>(p) - 1)) = 1;
    for (const double compat : {0.0, 1.0}) {
      const NamedModel named = testing::named_model({{"preset", std::string("rvm_regression")}, {"compat", compat}}, 0);
      const SavedModel model = fit_to(named, table);
      expect_ends_with_the_bound(model, named.name + ", table " + std::to_string(seed));
      if (report_of(model).message.find("another starting value") != std::string::npos) ++from_another_start;
    }
  }
  EXPECT_GT(from_another_start, 5);
}

// Where columns may leave, a full step of the rows of separable classes once overshot further each sweep, to means of 1e215.
TEST(BoundHistory, RowsThatPartTakeNoStepTooFarWhereColumnsMayLeave) {  // (VG.1)
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    testing::Random random(seed);
    const Index n = random.integer(4, 30), p = random.integer(1, 10);
    const Matrix X = random.normals(n, p);
    const Vector w = random.normals(p);
    FitOptions options;
    options.prior.kind = PriorKind::ard;
    options.pruning.threshold = random.scale(1e6, 1e9);
    const Vector weights = Vector::NullaryExpr(n, [&](Index) { return std::round(random.scale(1, 1e4)); });
    options.weights = weights;
    Vector t = (X * w).unaryExpr([](double eta) { return eta > 0 ? 1.0 : 0.0; });
    t[0] = 1 - t[1];
    const LogisticFit fit = fit_logistic(X, t, options);
    EXPECT_NE(fit.report.status, Status::bound_fell) << seed << ": " << fit.report.message;
    EXPECT_TRUE(std::isfinite(fit.bound)) << seed;
    EXPECT_LE(fit.bound, 0) << seed << ": there is a proper prior of the intercept";
    const History& h = fit.report.bound_history;
    for (std::size_t i = 1; i < h.size(); ++i) EXPECT_GE(h[i], h[i - 1] - 1e-3 * weights.sum() - 1e-9 * std::abs(h[i])) << seed;
  }
}

// The page says of these that they may fall: each does on one of a few tables, so that it says neither too much nor too little.
TEST(BoundHistory, FallsWhereThePageSaysThatItMay) {
  for (const char* preset : {"slr_lap", "rlr_lap", "smlr", "rmlr"}) {
    double fall = 0;
    const bool several = std::string(preset).ends_with("mlr");
    const NamedModel named = testing::named_model({{"preset", std::string(preset)}}, several ? 3 : 2);
    for (std::uint64_t seed = 0; seed < 20 && fall == 0; ++seed) fall = largest_fall(fit_to(named, any_table(seed, 40, 6, 1)));
    EXPECT_GT(fall, 0) << preset;
  }
}

}  // namespace
}  // namespace ardvark
