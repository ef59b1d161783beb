#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "fit_command.hpp"
#include "support/random_problem.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_same_fit;
using testing::FitCommand;
using testing::Groups;
using testing::Json;
using testing::linear;
using testing::logistic;
using testing::Names;
using testing::Numbers;
using testing::output_of;
using testing::run;
using testing::Sample;
using testing::sample;

void expect_close(const Json& a, const Json& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    EXPECT_NEAR(x, y, tolerance * (1 + std::abs(y))) << "entry " << i;
  }
}

// ---- presets and priors ---------------------------------------------------------------------------------------------------------------

TEST_F(FitCommand, RunsEachPresetAsTheLibraryDoes) {
  const Sample s = sample(50, 3);
  put(s.csv());
  ASSERT_EQ(presets().size(), 22u);
  for (const PresetInfo& preset : presets()) {
    if (preset.name == std::string("slr_rvm")) continue;  // of inputs, not of columns: rvm_test.cpp
    if (is_softmax_preset(preset.name)) continue;         // softmax_test.cpp
    for (const bool compat : {false, true}) {
      SCOPED_TRACE(preset.name);
      const bool is_linear = preset.task == Task::linear;
      const Arguments data = {"fit", "data.csv", "--target", is_linear ? "y" : "label", "--ignore", is_linear ? "label" : "y"};
      const Json json = fitted(data + Arguments{"--preset", preset.name} + (compat ? Arguments{"--compat"} : Arguments{}));
      EXPECT_EQ(json["preset"], preset.name);
      EXPECT_EQ(json["compat"], compat);
      const FitOptions options = options_for_preset(preset.name, compat);
      if (is_linear)
        expect_same_fit(json, fit_linear(s.view(), s.y, options));
      else
        expect_same_fit(json, fit_logistic(s.view(), s.labels, options));
    }
  }
}

TEST_F(FitCommand, NamesThePresetInTheTable) {
  put(sample(50, 3).csv());
  const std::string table =
      output_of({"fit", "data.csv", "--target", "y", "--ignore", "label", "--preset", "vb_linear_fit_ard", "--compat"}, folder_.path());
  EXPECT_TRUE(contains(table, "preset vb_linear_fit_ard, compat")) << table;
  EXPECT_FALSE(contains(table, "(intercept)")) << table;
}

TEST_F(FitCommand, TakesEachPrior) {
  put(sample(60, 4).csv());
  for (const auto& [prior, num_groups] : {std::pair{"shared", 1u}, {"ard", 4u}, {"groups", 4u}, {"none", 0u}}) {
    for (const Arguments& model : {linear, logistic}) {
      const Json json = fitted(model + Arguments{"--prior", prior});
      EXPECT_EQ(json["prior"], prior);
      EXPECT_EQ(json["precision"].size(), num_groups) << prior;
    }
  }
}

TEST_F(FitCommand, TakesSparseUnlessAnOptionHasNoMeaningBesideIt) {
  for (const auto& [rows, other] : {std::pair{20, "ard"}, {19, "shared"}}) {
    put(sample(rows, 4).csv());
    for (const Arguments& model : {linear, logistic}) {
      EXPECT_EQ(fitted(model)["prior"], "sparse");
      EXPECT_EQ(fitted(model + Arguments{"--prior", "auto", "--no-acceleration"})["prior"], "sparse");
      EXPECT_FALSE(contains(output_of(model, folder_.path()), "prior auto"));
      for (const Arguments& option : {Arguments{"--solver", "primal"}, {"--a0", "2"}, {"--b0", "3"}}) {
        EXPECT_EQ(fitted(model + option)["prior"], other) << option[0];
        const std::string table = output_of(model + option, folder_.path());
        EXPECT_TRUE(contains(table, std::string("prior auto: ") + other + " was taken")) << table;
      }
    }
    EXPECT_EQ(fitted(linear + Arguments{"--d0", "2"})["prior"], other);
    EXPECT_EQ(fitted(logistic + Arguments{"--likelihood", "jj"})["prior"], other);
  }
}

TEST_F(FitCommand, TakesOneIndicatorPerGroup) {
  put(sample(60, 4).csv());
  const Json json = fitted(linear + Arguments{"--group", "pair=x1,x3"});
  EXPECT_EQ(json["prior"], "sparse");
  EXPECT_EQ(json["inclusion"][0], json["inclusion"][2]);
  EXPECT_NE(json["inclusion"][0], json["inclusion"][1]);
}

TEST_F(FitCommand, WarnsOfArdBesideManyColumns) {
  put(sample(36, 20).csv());
  EXPECT_TRUE(contains(output_of(linear + Arguments{"--prior", "ard"}, folder_.path()), "WARNING               36 rows are fewer than"));
  EXPECT_FALSE(contains(output_of(linear, folder_.path()), "under this prior"));
}

TEST_F(FitCommand, JoinsColumnsOfAGroup) {
  put(sample(60, 4).csv());
  const Json json = fitted(linear + Arguments{"--prior", "groups", "--group", "pair=x1,x3"});
  EXPECT_EQ(json["group"][0], json["group"][2]);
  EXPECT_NE(json["group"][0], json["group"][1]);
  EXPECT_NE(json["group"][1], json["group"][3]);
  EXPECT_EQ(json["precision"].size(), 3u);
}

TEST_F(FitCommand, LeavesFlatColumnsWithoutAPrior) {
  put("a,a=x,b,y\n1,2,0,1\n2,5,1,3\n3,1,5,2\n4,7,2,5\n5,3,3,4\n");
  const Json json = fitted({"fit", "data.csv", "--target", "y", "--model", "linear", "--prior", "ard", "--flat", "a"});
  EXPECT_EQ(json["group"].get<Groups>(), (Groups{-1, 0, 1})) << "a column whose name begins like a dummy's is another column";
}

TEST_F(FitCommand, HandsTheHyperparametersToTheFit) {
  const Sample s = sample(40, 3);
  put(s.csv());
  FitOptions options;
  options.noise = {2, 3};
  options.precision = {0.5, 0.25};
  expect_same_fit(fitted(linear + Arguments{"--a0", "2", "--b0", "3", "--c0", "0.5", "--d0", "0.25"}), fit_linear(s.view(), s.y, options));
  expect_same_fit(fitted(logistic + Arguments{"--a0", "0.5", "--b0", "0.25"}), fit_logistic(s.view(), s.labels, options));
}

TEST_F(FitCommand, HandsTheOtherOptionsToTheFit) {
  const Sample s = sample(40, 3);
  put(s.csv());
  FitOptions options;
  options.intercept = options.standardize = options.accelerate = false;
  options.likelihood = LogisticLikelihood::bound;
  options.tolerance = 1e-3;
  options.max_sweeps = 77;
  const Arguments arguments = {"--no-intercept", "--no-standardize", "--no-acceleration", "--tolerance", "1e-3", "--max-sweeps", "77"};
  expect_same_fit(fitted(linear + arguments), fit_linear(s.view(), s.y, options));
  expect_same_fit(fitted(logistic + arguments + Arguments{"--likelihood", "jj"}), fit_logistic(s.view(), s.labels, options));
}

TEST_F(FitCommand, FindsTheSamePosteriorWithEverySolver) {
  put(sample(40, 5).csv());
  const Arguments model = linear + Arguments{"--prior", "shared", "--tolerance", "1e-12"};
  const Json primal = fitted(model + Arguments{"--solver", "primal"});
  for (const char* solver : {"dual", "spectral"}) {
    const Json other = fitted(model + Arguments{"--solver", solver});
    EXPECT_EQ(other["solver"], solver);
    expect_close(other["mean"], primal["mean"], 1e-7);
    expect_close(other["variance"], primal["variance"], 1e-7);
  }
}

// ---- rows -----------------------------------------------------------------------------------------------------------------------------

TEST_F(FitCommand, DropsRowsAndSaysHowMany) {
  const std::string header = "x,z,y\n", first = "1,0,2\n2,1,3\n", second = "4,1,9\n", third = "5,7,4\n3,3,3\n";
  put(header + first + second + third, "complete.csv");
  const Json complete = fitted({"fit", "complete.csv", "--target", "y", "--model", "linear"});
  const Arguments model = {"fit", "data.csv", "--target", "y", "--model", "linear", "--missing", "drop"};

  put(header + first + ",1,4\n" + second + third);
  EXPECT_TRUE(contains(output_of(model, folder_.path()), "1 row was dropped because a value was missing"));

  put(header + first + ",1,4\n" + second + "7,8,NA\n" + third);
  EXPECT_TRUE(contains(output_of(model, folder_.path()), "2 rows were dropped because a value was missing"));
  const Json json = fitted(model);
  EXPECT_EQ(json["num_rows"], 5);
  EXPECT_EQ(json["mean"], complete["mean"]);
  EXPECT_EQ(json["bound"], complete["bound"]);
  EXPECT_TRUE(contains(json["notes"].dump(), "2 rows were dropped"));
}

TEST_F(FitCommand, TakesAWeightAsRepetition) {  // (LIN.6)
  const Sample s = sample(40, 3);
  std::vector<std::string> lines = testing::lines_of(s.csv());
  std::string weighted = lines[0] + ",w\n", repeated = lines[0] + "\n";
  double num_rows = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t weight = i % 4;
    weighted += lines[i] + "," + std::to_string(weight) + "\n";
    for (std::size_t k = 0; k < weight; ++k) repeated += lines[i] + "\n";
    num_rows += static_cast<double>(weight);
  }
  put(weighted);
  put(repeated, "repeated.csv");
  for (Arguments model : {linear, logistic}) {
    const Json a = fitted(model + Arguments{"--weights", "w", "--prior", "ard"});
    model[1] = "repeated.csv";
    const Json b = fitted(model + Arguments{"--prior", "ard"});
    EXPECT_EQ(a["num_rows"].get<double>(), num_rows);
    EXPECT_EQ(b["num_rows"].get<double>(), num_rows);
    EXPECT_EQ(a["columns"], b["columns"]);
    expect_close(a["mean"], b["mean"], 1e-8);
    expect_close(a["variance"], b["variance"], 1e-8);
    EXPECT_NEAR(a["bound"].get<double>(), b["bound"].get<double>(), 1e-7);
  }
}

// ---- labels ---------------------------------------------------------------------------------------------------------------------------

struct LabelCase {
  const char *first, *second;              // as they stand in the file, in the order that classes are sorted
  const char *first_class, *second_class;  // as they are reported
};

void PrintTo(const LabelCase& c, std::ostream* out) { *out << c.first << " and " << c.second; }

class FitLabels : public FitCommand, public ::testing::WithParamInterface<LabelCase> {};

TEST_P(FitLabels, AreSortedAndTheSecondIsPredicted) {
  const LabelCase& c = GetParam();
  const Sample s = sample(60, 2);
  std::string text = "x1,x2,label\n";
  for (Index i = 0; i < 60; ++i) text += fmt::format("{},{},{}\n", s.X(i, 0), s.X(i, 1), s.labels[i] > 0 ? c.second : c.first);
  put(text);
  const Json json = fitted({"fit", "data.csv", "--target", "label", "--model", "logistic"});
  EXPECT_EQ(json["classes"].get<Names>(), (Names{c.first_class, c.second_class}));
  EXPECT_EQ(json["class_weight"].get<Numbers>(), (Numbers{60 - s.labels.sum(), s.labels.sum()}));
  expect_same_fit(json, fit_logistic(s.view(), s.labels));
}

INSTANTIATE_TEST_SUITE_P(OfAnyKind, FitLabels,
                         ::testing::Values(LabelCase{"0", "1", "0", "1"}, LabelCase{"-1", "+1", "-1", "1"}, LabelCase{"9", "10", "9", "10"},
                                           LabelCase{"-0.5", "2.25", "-0.5", "2.25"}, LabelCase{"1234567", "1234568", "1234567", "1234568"},
                                           LabelCase{"0.1234567", "0.1234568", "0.1234567", "0.1234568"},
                                           LabelCase{"no", "yes", "no", "yes"}, LabelCase{"Yes", "no", "Yes", "no"},
                                           LabelCase{"FALSE", "TRUE", "FALSE", "TRUE"}, LabelCase{"a b", "a c", "a b", "a c"},
                                           LabelCase{"\"1, or 2\"", "\"3 \"\"and\"\" 4\"", "1, or 2", "3 \"and\" 4"},
                                           LabelCase{"gesund",
                                                     "\xC3\xBC"
                                                     "bel",
                                                     "gesund",
                                                     "\xC3\xBC"
                                                     "bel"}));

// ---- exit codes and files -------------------------------------------------------------------------------------------------------------

TEST_F(FitCommand, ExitsWithFourOnlyWhenStrict) {
  put(sample(60, 4).csv());
  const Arguments model = logistic + Arguments{"--max-sweeps", "1", "-o", "m.ardvark"};
  const testing::Outcome strict = run(model + Arguments{"--strict"}, folder_.path());
  EXPECT_EQ(strict.exit_code, 4);
  EXPECT_TRUE(contains(strict.out, "max_sweeps")) << strict.out;
  EXPECT_EQ(folder_.num_files(), 2u) << "the model is written all the same";
  EXPECT_EQ(run(model, folder_.path()).exit_code, 0);
  EXPECT_EQ(run(logistic + Arguments{"--strict"}, folder_.path()).exit_code, 0);
}

TEST_F(FitCommand, WritesNoModelWithoutAPosterior) {  // the third column is the sum of the others, and none has a prior
  put("a,b,c,y\n1,2,3,1\n2,1,3,0\n4,4,8,1\n3,1,4,1\n0,1,1,3\n");
  const Arguments model = {"fit",  "data.csv",       "--target",        "y", "--model", "linear", "--prior",
                           "none", "--no-intercept", "--no-standardize"};
  const Json json = fitted(model + Arguments{"--covariance"});
  ASSERT_EQ(json["status"], "not_positive_definite");
  EXPECT_TRUE(json["mean"][0].is_null());
  const testing::Outcome outcome = run(model + Arguments{"-o", "m.ardvark"}, folder_.path());
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_TRUE(contains(outcome.out, "not_positive_definite"));
  EXPECT_TRUE(testing::is_one_message(outcome.err)) << outcome.err;
  EXPECT_EQ(folder_.num_files(), 1u);
}

TEST_F(FitCommand, ListsTheColumnsThatMatterOfVeryMany) {
  constexpr Index n = 20, p = 5200;
  testing::Random random(94);
  std::string csv = "y";
  for (Index j = 0; j < p; ++j) csv += fmt::format(",x{}", j + 1);
  for (Index i = 0; i < n; ++i) {
    const Vector x = random.normals(p);
    csv += fmt::format("\n{}", 3 * x[17] - 2 * x[p - 1] + 0.01 * random.normal());
    for (const double value : x) csv += fmt::format(",{:.4f}", value);
  }
  put(csv + "\n");
  const Arguments fit = {"fit", "data.csv", "--target", "y", "--model", "linear", "--prior", "laplace", "--lambda", "0.2"};
  const Json some = fitted(fit), all = fitted(fit + Arguments{"--all-columns"});
  EXPECT_EQ(some["num_columns"], p);
  EXPECT_FALSE(all.contains("num_columns") || all.contains("shown_columns"));
  const std::vector<Index> shown = some["shown_columns"].get<std::vector<Index>>();
  EXPECT_EQ(shown.size(), 1000u);
  for (const Index j : {Index{17}, p - 1}) EXPECT_TRUE(std::ranges::binary_search(shown, j)) << j;
  for (const char* name : {"columns", "mean", "variance", "sd", "interval", "V_diagonal", "relevance", "group"}) {
    ASSERT_EQ(all[name].size(), static_cast<std::size_t>(p)) << name;
    ASSERT_EQ(some[name].size(), shown.size()) << name;
    for (std::size_t i = 0; i < shown.size() && std::string(name) != "group"; ++i)
      EXPECT_EQ(some[name][i], all[name][static_cast<std::size_t>(shown[i])]) << name;
  }
  EXPECT_EQ(some["standardized_mean"].size(), shown.size() + 1) << "the intercept is last";
  EXPECT_EQ(some["standardized_mean"].back(), all["standardized_mean"].back());
  EXPECT_EQ(some["relevant"], all["relevant"]) << "all that are kept";
  EXPECT_EQ(some["num_rows"], n);
}

TEST_F(FitCommand, FitsOneRowOrOneColumn) {
  put("x,y\n3,7\n");
  EXPECT_EQ(fitted({"fit", "data.csv", "--target", "y", "--model", "linear"})["mean"].size(), 1u);
  EXPECT_EQ(fitted({"fit", "data.csv", "--target", "y", "--model", "linear", "--no-intercept"})["mean"].size(), 1u);
  put("x,y\n1,2\n2,4.1\n3,5.9\n4,8\n");
  EXPECT_NEAR(fitted({"fit", "data.csv", "--target", "y", "--model", "linear"})["mean"][0].get<double>(), 2, 0.1);
  put("x,y\n1,a\n2,b\n3,a\n4,b\n");
  EXPECT_EQ(fitted({"fit", "data.csv", "--target", "y", "--model", "logistic"})["mean"].size(), 1u);
}

TEST_F(FitCommand, ReplacesAModelFileWhole) {
  put(sample(40, 3).csv());
  put("something older", "m.ardvark");
  output_of(linear + Arguments{"-o", "m.ardvark"}, folder_.path());
  EXPECT_EQ(folder_.num_files(), 2u);
  EXPECT_TRUE(contains(output_of({"show", "m.ardvark"}, folder_.path()), "converged"));
}

}  // namespace
}  // namespace ardvark
