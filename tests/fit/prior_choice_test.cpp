// What PriorKind::automatic comes to: sparse, unless an option, the size or several classes in one softmax stand against it.
#include "method/spike_slab/prior_choice.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "method/spike_slab/sparse.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::make_problem;
using testing::mentions;
using testing::Problem;

FitOptions with(PriorKind kind) {
  FitOptions options;
  options.prior.kind = kind;
  return options;
}

bool speaks_of_auto(const Fit& fit) { return mentions(fit.report.notes, "prior auto"); }

void expect_same(const Fit& a, const Fit& b) {
  EXPECT_EQ(a.prior, b.prior);
  EXPECT_EQ(a.bound, b.bound);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
}

TEST(AutomaticPrior, IsSparseWhetherRowsAreManyOrFew) {
  for (const auto& [n, p] : {std::pair<Index, Index>{60, 5}, {30, 10}, {20, 40}}) {
    const Problem problem = make_problem(11, n, p);
    const LinearFit linear = fit_linear(problem.X, problem.y);
    const LogisticFit logistic = fit_logistic(problem.X, problem.labels);
    expect_same(linear, fit_linear(problem.X, problem.y, with(PriorKind::sparse)));
    expect_same(logistic, fit_logistic(problem.X, problem.labels, with(PriorKind::sparse)));
    for (const Fit& fit : {static_cast<const Fit&>(linear), static_cast<const Fit&>(logistic)}) {
      EXPECT_EQ(fit.prior, PriorKind::sparse);
      EXPECT_FALSE(speaks_of_auto(fit)) << "what is usual needs no note";
    }
  }
}

TEST(AutomaticPrior, TakesOneIndicatorPerGroup) {
  const Problem problem = make_problem(12, 80, 6);
  FitOptions options;
  options.prior.group = {0, 0, 0, 1, 1, 2};
  const LinearFit linear = fit_linear(problem.X, problem.y, options);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels, options);
  for (const Fit& fit : {static_cast<const Fit&>(linear), static_cast<const Fit&>(logistic)}) {
    ASSERT_EQ(fit.prior, PriorKind::sparse);
    EXPECT_EQ(fit.sparse->inclusion[0], fit.sparse->inclusion[2]);
    EXPECT_EQ(fit.sparse->inclusion[3], fit.sparse->inclusion[4]);
  }
}

TEST(AutomaticPrior, StaysSparseBesideOptionsThatItHas) {
  const Problem problem = make_problem(13, 40, 4);
  const Vector weights = Vector::Constant(40, 2);
  FitOptions options;
  options.prior.flat_columns = {1};
  options.weights = weights;
  options.accelerate = options.mixed_precision = options.standardize = options.intercept = false;
  options.tolerance = 1e-4;
  options.max_sweeps = 300;
  options.precision = FitOptions().precision, options.noise = FitOptions().noise;
  EXPECT_EQ(fit_linear(problem.X, problem.y, options).prior, PriorKind::sparse);
  EXPECT_EQ(fit_logistic(problem.X, problem.labels, options).prior, PriorKind::sparse);
}

struct Foreign {
  const char* name;  // as the note has it
  bool linear, logistic;
  std::function<void(FitOptions&)> set;
};
const std::vector<Foreign> foreign = {
    {"update_rule", true, true, [](FitOptions& o) { o.rule = UpdateRule::mackay; }},
    {"pruning", true, true, [](FitOptions& o) { o.pruning.threshold = 1e8; }},
    {"prior.fixed_columns", true, true, [](FitOptions& o) { o.prior.fixed_columns = {0}, o.prior.fixed_precision = {2}; }},
    {"prior.hyperprior", true, true,
     [](FitOptions& o) {
       o.prior.hyperprior.assign(20, GammaDistribution{1, 1});
     }},
    {"precision (c0, d0)", true, false, [](FitOptions& o) { o.precision.shape = 1; }},
    {"precision (a0, b0)", false, true, [](FitOptions& o) { o.precision.rate = 1; }},
    {"noise (a0, b0)", true, false, [](FitOptions& o) { o.noise.rate = 1; }},
    {"posterior", true, false, [](FitOptions& o) { o.posterior = LinearPosterior::factorised; }},
    {"likelihood", false, true, [](FitOptions& o) { o.likelihood = LogisticLikelihood::bound; }},
    {"start_precision", true, true, [](FitOptions& o) { o.start_precision.assign(4, 3.0); }},
    {"record_every", true, true, [](FitOptions& o) { o.record_every = 1; }},
    {"penalize_intercept", true, true, [](FitOptions& o) { o.penalize_intercept = true; }},
    {"solver", true, true, [](FitOptions& o) { o.solver = SolverKind::primal; }},
};

TEST(AutomaticPrior, LeavesToTheOlderPriorsWhatSparseHasNot) {
  for (const Foreign& option : foreign)
    for (const Index n : {19, 20}) {  // 5 times 4 columns
      SCOPED_TRACE(option.name);
      const Problem problem = make_problem(14, n, 4);
      FitOptions options;
      option.set(options);
      FitOptions named = options;
      named.prior.kind = n < 20 ? PriorKind::shared : PriorKind::ard;
      const auto check = [&](const Fit& fit, const Fit& asked) {
        expect_same(fit, asked);
        const std::string taken = n < 20 ? "shared was taken" : "ard was taken",
                          rows = n < 20 ? "19 rows are fewer" : "20 rows are at least";
        ASSERT_FALSE(fit.report.notes.empty());
        for (const std::string& piece : {std::string("prior auto: "), taken, std::string(option.name), rows})
          EXPECT_NE(fit.report.notes[0].find(piece), std::string::npos) << fit.report.notes[0];
        EXPECT_FALSE(speaks_of_auto(asked));
      };
      if (option.linear) check(fit_linear(problem.X, problem.y, options), fit_linear(problem.X, problem.y, named));
      if (option.logistic) check(fit_logistic(problem.X, problem.labels, options), fit_logistic(problem.X, problem.labels, named));
    }
}

TEST(AutomaticPrior, TakesARepeatedRowForTwo) {
  const Problem problem = make_problem(15, 10, 4);
  const Vector weights = Vector::Constant(10, 2);
  FitOptions options;
  options.solver = SolverKind::primal;
  EXPECT_EQ(fit_linear(problem.X, problem.y, options).prior, PriorKind::shared);
  options.weights = weights;
  EXPECT_EQ(fit_linear(problem.X, problem.y, options).prior, PriorKind::ard);
}

TEST(SparsePrior, RefusesTheSameOptionsByName) {
  const Problem problem = make_problem(14, 20, 4);
  for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense})
    for (const Foreign& option : foreign) {
      FitOptions options = with(kind);
      option.set(options);
      if (option.linear) expect_invalid([&] { (void)fit_linear(problem.X, problem.y, options); }, {option.name, to_string(kind)});
      if (option.logistic) expect_invalid([&] { (void)fit_logistic(problem.X, problem.labels, options); }, {option.name, to_string(kind)});
    }
  FitOptions started = with(PriorKind::sparse);
  started.start_noise = 1;
  expect_invalid([&] { (void)fit_linear(problem.X, problem.y, started); }, {"start_noise"});
}

TEST(AutomaticPrior, LetsNoBadValuePass) {
  const Problem problem = make_problem(16, 20, 4);
  const auto refuses = [&](auto&& change, const char* words) {
    FitOptions options;
    change(options);
    expect_invalid([&] { (void)fit_linear(problem.X, problem.y, options); }, {words});
    expect_invalid([&] { (void)fit_logistic(problem.X, problem.labels, options); }, {words});
  };
  refuses([](FitOptions& o) { o.precision.shape = -1; }, "precision.shape");
  refuses([](FitOptions& o) { o.start_precision = {1, 2}; }, "start_precision");
  refuses([](FitOptions& o) { o.prior.flat_columns = {4}; }, "columns 0 to 3");
  refuses([](FitOptions& o) { o.prior.group = {0, 0, 1}; }, "one per column");
  refuses([](FitOptions& o) { o.prior.group = {0, 0, 1, 9}; }, "group numbers are 0 to 3");
  refuses([](FitOptions& o) { o.prior.lambda = 1; }, "auto");
}

// Two classes need a decomposition of rows or columns, whichever are fewer.
TEST(AutomaticPrior, LeavesLargeTablesOfClassesToTheOlderPriors) {
  const ChosenOptions both = with_chosen_prior({}, Task::logistic, 20002, 20001);
  EXPECT_EQ(both.options.prior.kind, PriorKind::shared);
  for (const char* piece : {"prior auto: shared was taken", "20002 rows and 20001 columns are too many"})
    EXPECT_NE(both.note.find(piece), std::string::npos) << both.note;
  EXPECT_EQ(with_chosen_prior({}, Task::logistic, 200000, 20001).options.prior.kind, PriorKind::ard);
  EXPECT_EQ(with_chosen_prior({}, Task::counts, 20002, 20001).options.prior.kind, PriorKind::shared);
  EXPECT_EQ(with_chosen_prior({}, Task::counts, 6000, 100000).options.prior.kind, PriorKind::sparse);
  for (const ChosenOptions& fits :
       {with_chosen_prior({}, Task::logistic, 6000, 100000), with_chosen_prior({}, Task::linear, 6000, 100000),
        with_chosen_prior({}, Task::logistic, 1000000, 20000), with_chosen_prior({}, Task::linear, 20001, 20001)}) {
    EXPECT_EQ(fits.options.prior.kind, PriorKind::sparse);
    EXPECT_EQ(fits.note, "");
  }
}

TEST(AutomaticPrior, LeavesTheDensePartOfManyRowsAndMoreColumnsToThoseWhoAskForIt) {  // (SP.27)
  for (const auto& [task, rest] :
       {std::pair{Task::linear, "count as noise"}, std::pair{Task::logistic, "are left out"}, std::pair{Task::counts, "are left out"}})
    for (const Index rows : {6001, 20001}) {
      const ChosenOptions chosen = with_chosen_prior({}, task, rows, 100000);
      EXPECT_EQ(chosen.options.prior.kind, PriorKind::slab);
      EXPECT_EQ(chosen.note, fmt::format("prior auto: slab was taken, not sparse, because the decomposition of {} rows takes minutes; "
                                         "many small effects {}",
                                         rows, rest));
      FitOptions asked;
      asked.prior.kind = PriorKind::sparse;
      EXPECT_EQ(with_chosen_prior(asked, task, rows, 100000).options.prior.kind, PriorKind::sparse);
      asked.prior.kind = PriorKind::dense;
      EXPECT_EQ(is_fitted_wide(asked, task, rows, 100000), task == Task::linear && rows == 6001);
      asked.family = Family::student;  // of working rows, as classes and counts
      EXPECT_FALSE(task == Task::linear && is_fitted_wide(asked, task, rows, 100000));
    }
}

// ---- several classes --------------------------------------------------------------------------------------------------------------------

struct ThreeClasses {
  Matrix X;
  Vector labels;
};
// Three columns tell the classes apart, the others nothing.
ThreeClasses three_classes(Index n, Index p, std::uint64_t seed) {
  testing::Random random(seed);
  ThreeClasses out{random.normals(n, p), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    out.labels[i] = static_cast<double>(i % 3);
    out.X(i, i % 3) += 2.5;
  }
  return out;
}

TEST(AutomaticPrior, OfASoftmaxIsNotSparse) {
  for (const Index n : {45, 60}) {
    const ThreeClasses data = three_classes(n, 10, 17);
    const SoftmaxFit fit = fit_softmax(data.X, data.labels);
    SoftmaxOptions named;
    named.prior.kind = n < 50 ? PriorKind::shared : PriorKind::ard;
    EXPECT_EQ(fit.prior, named.prior.kind);
    EXPECT_EQ(fit.mean, fit_softmax(data.X, data.labels, named).mean);
    EXPECT_TRUE(mentions(fit.report.notes, "a softmax of several classes has no sparse prior"));
  }
}

TEST(AutomaticPrior, OfEachClassAgainstTheRestIsSparse) {
  const ThreeClasses data = three_classes(90, 12, 18);
  for (const ClassCoding coding : {ClassCoding::one_against_rest, ClassCoding::one_against_one}) {
    SoftmaxOptions options;
    options.coding = coding;
    const SoftmaxFit fit = fit_softmax(data.X, data.labels, options);
    EXPECT_EQ(fit.prior, PriorKind::sparse);
    ASSERT_EQ(fit.machines.size(), 3U);
    EXPECT_FALSE(mentions(fit.report.notes, "prior auto"));
    EXPECT_TRUE(fit.precision.array().isNaN().all()) << "a sparse prior has no precisions";
    EXPECT_GT(fit.accuracy, 0.85);
    for (Index j = 0; j < 12; ++j) EXPECT_EQ(static_cast<bool>(fit.relevant[static_cast<std::size_t>(j)]), j < 3) << j;
    if (coding == ClassCoding::one_against_one) continue;
    for (Index c = 0; c < 3; ++c) {  // the regression that two classes have
      const Vector own = (data.labels.array() == static_cast<double>(c)).cast<double>();
      const LogisticFit alone = fit_logistic(data.X, own);
      expect_same(fit.machines[static_cast<std::size_t>(c)], alone);
      EXPECT_EQ(fit.mean.col(c), alone.mean);
    }
  }
}

TEST(AutomaticPrior, OfEachClassAgainstTheRestLeavesToTheOlderPriorsWhatSparseHasNot) {
  const ThreeClasses data = three_classes(90, 12, 19);
  SoftmaxOptions options;
  options.coding = ClassCoding::one_against_rest;
  options.precision = {1, 1};
  const SoftmaxFit fit = fit_softmax(data.X, data.labels, options);
  EXPECT_TRUE(mentions(fit.report.notes, "precision (a0, b0)"));
  options.prior.kind = PriorKind::ard;
  const SoftmaxFit named = fit_softmax(data.X, data.labels, options);
  for (std::size_t c = 0; c < 3; ++c) expect_same(fit.machines[c], named.machines[c]);
}

TEST(AutomaticPrior, IsThatOfNoPreset) {
  for (const PresetInfo& preset : presets()) {
    if (is_softmax_preset(preset.name)) continue;
    const FitOptions options = options_for_preset(preset.name);
    EXPECT_NE(options.prior.kind, PriorKind::automatic) << preset.name;
    EXPECT_FALSE(is_sparse(options.prior.kind)) << preset.name;
  }
}

}  // namespace
}  // namespace ardvark::internal
