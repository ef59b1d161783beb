#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::Json;
using testing::json_of;
using testing::output_of;
using testing::run;
using testing::Sample;
using testing::sample;
using testing::write_bytes;
using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
using Groups = std::vector<Index>;

const std::string pima = testing::example_path("Pima.tr.csv");
const Arguments linear = {"fit", "data.csv", "--target", "y", "--ignore", "label", "--model", "linear"};
const Arguments logistic = {"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic"};

class FitCommand : public ::testing::Test {
 protected:
  void put(const std::string& text, const std::string& name = "data.csv") const { write_bytes(folder_ / name, text); }
  [[nodiscard]] Json fitted(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }

  testing::TemporaryFolder folder_;
};

void expect_same_numbers(const Json& json, const Vector& expected, const char* what) {
  EXPECT_EQ(json.get<Numbers>(), Numbers(expected.begin(), expected.end())) << what;
}

void expect_same_fit(const Json& json, const Fit& fit) {
  EXPECT_EQ(json["status"], to_string(fit.report.status));
  EXPECT_EQ(json["sweeps"], fit.report.sweeps);
  EXPECT_EQ(json["bound"].get<double>(), fit.bound);
  EXPECT_EQ(json["bound_history"].get<Numbers>(), fit.report.bound_history);
  expect_same_numbers(json["mean"], fit.mean, "mean");
  expect_same_numbers(json["variance"], fit.variance, "variance");
  expect_same_numbers(json["V_diagonal"], fit.V_diagonal, "V_diagonal");
  if (is_sparse(fit.prior)) {  // it has none
    EXPECT_TRUE(json["precision"].is_null() && json["log_det_V"].is_null());
  } else {
    expect_same_numbers(json["precision"], fit.precision, "precision");
    EXPECT_EQ(json["log_det_V"].get<double>(), fit.log_det_V);
  }
  EXPECT_EQ(json["group"].get<Groups>(), fit.group);
  EXPECT_EQ(json.contains("intercept"), fit.intercept.has_value());
  if (fit.intercept) {
    EXPECT_EQ(json["intercept"]["mean"].get<double>(), fit.intercept->mean);
    EXPECT_EQ(json["intercept"]["variance"].get<double>(), fit.intercept->variance);
  }
  if (fit.task == Task::linear) {
    EXPECT_EQ(json["noise"]["shape"].get<double>(), fit.noise.shape);
    EXPECT_EQ(json["noise"]["rate"].get<double>(), fit.noise.rate);
  }
}

void expect_close(const Json& a, const Json& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    EXPECT_NEAR(x, y, tolerance * (1 + std::abs(y))) << "entry " << i;
  }
}

// Without groups: of a sparse prior, which has no precisions.
void expect_every_name(const Json& json, std::size_t p, std::size_t num_groups) {
  for (const char* name : {"status", "sweeps", "bound", "bound_history", "columns", "mean", "variance", "V_diagonal", "log_det_V",
                           "precision", "relevant", "solver", "seconds"})
    EXPECT_TRUE(json.contains(name)) << name;
  for (const char* name : {"columns", "mean", "variance", "V_diagonal"}) EXPECT_EQ(json[name].size(), p) << name;
  if (num_groups > 0)
    EXPECT_EQ(json["precision"].size(), num_groups);
  else
    EXPECT_TRUE(json["precision"].is_null() && json["log_det_V"].is_null());
  EXPECT_EQ(json["bound_history"].size(), json["sweeps"].get<std::size_t>());
  EXPECT_EQ(json["bound_history"].back(), json["bound"]);
  for (const Json& name : json["relevant"])
    EXPECT_NE(std::find(json["columns"].begin(), json["columns"].end(), name), json["columns"].end()) << name;
  EXPECT_TRUE(json["status"].is_string());
  EXPECT_TRUE(json["solver"].is_string());
  EXPECT_GE(json["seconds"].get<double>(), 0);
}

// ---- names and lines ----------------------------------------------------------------------------------------------------------------

TEST_F(FitCommand, TakesNamesWithACommaInLists) {
  std::string text = "\"a,b\",c,\"d \"\"e\"\"\",f,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{},{},{},{}\n", i % 7, i * 3 % 5, i * 5 % 11, i % 3, i % 7 + 0.1 * (i * 7 % 4));
  put(text);
  const Arguments fit = {"fit", "data.csv", "--model", "linear", "--prior", "ard", "--target", "y"};
  const Json grouped = fitted(fit + Arguments{"--group", "G=\"a,b\",\"d \"\"e\"\"\""});
  EXPECT_EQ(grouped["columns"].get<Names>(), (Names{"a,b", "c", "d \"e\"", "f"}));
  EXPECT_EQ(grouped["group"][0], grouped["group"][2]);
  EXPECT_NE(grouped["group"][0], grouped["group"][1]);
  const Json flat = fitted(fit + Arguments{"--flat", "c,\"a,b\"", "--ignore", "\"d \"\"e\"\"\""});
  EXPECT_EQ(flat["columns"].get<Names>(), (Names{"a,b", "c", "f"}));
  EXPECT_EQ(flat["group"].get<std::vector<int>>(), (std::vector<int>{-1, -1, 0}));
}

TEST_F(FitCommand, ReadsLinesThatEndWithCrAlone) {
  std::string text = sample(30, 3).csv();
  put(text);
  const Json with_lf = fitted(linear);
  std::replace(text.begin(), text.end(), '\n', '\r');
  put(text);
  EXPECT_EQ(fitted(linear)["mean"], with_lf["mean"]);
}

// ---- what it prints -----------------------------------------------------------------------------------------------------------------

TEST_F(FitCommand, PrintsEveryNameOfALinearModelAsJson) {
  put(sample(60, 4).csv());
  const Json json = fitted(linear + Arguments{"--prior", "ard"});
  expect_every_name(json, 4, 4);
  EXPECT_EQ(json["columns"].get<Names>(), (Names{"x1", "x2", "x3", "x4"}));
  EXPECT_EQ(json["status"], "converged");
  for (const char* name : {"shape", "rate"}) EXPECT_GT(json["noise"][name].get<double>(), 0) << name;
  for (const char* name : {"mean", "variance"}) EXPECT_TRUE(json["intercept"][name].is_number()) << name;
}

TEST_F(FitCommand, PrintsEveryNameOfALogisticModelAsJson) {
  put(sample(60, 4).csv());
  const Json json = fitted(logistic + Arguments{"--prior", "shared"});
  expect_every_name(json, 4, 1);
  EXPECT_FALSE(json.contains("noise"));
  EXPECT_EQ(json["classes"].get<Names>(), (Names{"0", "1"}));
  for (const char* name : {"mean", "variance"}) EXPECT_TRUE(json["intercept"][name].is_number()) << name;
}

TEST_F(FitCommand, PrintsEveryNameUnderTheDefaultPriorAsJson) {
  put(sample(60, 4).csv());
  for (const Arguments& model : {linear, logistic}) {
    const Json json = fitted(model);
    expect_every_name(json, 4, 0);
    EXPECT_EQ(json["prior"], "sparse");
    EXPECT_EQ(json["inclusion"].size(), 4u);
    EXPECT_EQ(json.contains("noise"), model == linear);
    for (const char* name : {"mean", "variance"}) EXPECT_TRUE(json["intercept"][name].is_number()) << name;
  }
  for (const char* name : {"shape", "rate"}) EXPECT_GT(fitted(linear)["noise"][name].get<double>(), 0) << name;
}

TEST_F(FitCommand, PrintsNumbersThatComeBackExactly) {
  const Sample s = sample(80, 5);
  put(s.csv());
  expect_same_fit(fitted(linear), fit_linear(s.view(), s.y));
  expect_same_fit(fitted(logistic), fit_logistic(s.view(), s.labels));

  const std::string text = output_of(linear + Arguments{"--json"}, folder_.path());
  EXPECT_EQ(Json::parse(text).dump() + "\n", text);
}

TEST_F(FitCommand, PrintsATableOfEveryColumnAndTheStatus) {
  const std::string table = output_of({"fit", pima, "--target", "type", "--model", "logistic"});
  for (const char* piece :
       {"npreg", "glu", "bp", "skin", "bmi", "ped", "age", "(intercept)", "status", "converged", "Yes", "No", "200 rows"})
    EXPECT_TRUE(contains(table, piece)) << piece << " is not in:\n" << table;
  EXPECT_TRUE(contains(output_of({"fit", pima, "--target", "bmi", "--ignore", "type", "--model", "linear"}), "noise sd"));
}

TEST_F(FitCommand, ListsTheLargestEffectsOfAWideTableAndSaysSo) {
  put(sample(40, 70).csv());
  const std::string table = output_of(linear, folder_.path());
  EXPECT_TRUE(contains(table, "60 largest of 70")) << table;
  EXPECT_EQ(fitted(linear)["mean"].size(), 70u);
}

TEST_F(FitCommand, PrintsNothingWhenQuiet) {
  put(sample(30, 2).csv());
  EXPECT_EQ(output_of(linear + Arguments{"-q", "-o", "m.ardvark"}, folder_.path()), "");
  EXPECT_EQ(folder_.num_files(), 2u);
}

TEST_F(FitCommand, GivesTheIntervalsOfTheLevel) {
  put(sample(60, 2).csv());
  for (const auto& [level, z] : {std::pair{"0.95", 1.959963984540054}, std::pair{"0.5", 0.674489750196082}}) {
    const Json json = fitted(logistic + Arguments{"--level", level});
    EXPECT_EQ(json["interval_level"].get<double>(), std::stod(level));
    const double mean = json["mean"][0], sd = std::sqrt(json["variance"][0].get<double>());
    EXPECT_NEAR(json["interval"][0][0].get<double>(), mean - z * sd, 1e-12);
    EXPECT_NEAR(json["interval"][0][1].get<double>(), mean + z * sd, 1e-12);
  }
}

TEST_F(FitCommand, GivesTheCovarianceWithTheInterceptLast) {
  put(sample(60, 3).csv());
  for (const Arguments& model : {linear, logistic}) {
    const Json json = fitted(model + Arguments{"--covariance"});
    const Json& covariance = json["covariance"];
    ASSERT_EQ(covariance.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      const double variance = i < 3 ? json["variance"][i].get<double>() : json["intercept"]["variance"].get<double>();
      EXPECT_NEAR(covariance[i][i].get<double>(), variance, 1e-12 * (1 + variance));
      for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(covariance[i][j].get<double>(), covariance[j][i].get<double>(), 1e-14);
    }
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
  put(sample(30, 20).csv());
  EXPECT_TRUE(contains(output_of(linear + Arguments{"--prior", "ard"}, folder_.path()), "WARNING               30 rows are fewer than"));
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

// ---- columns --------------------------------------------------------------------------------------------------------------------------

TEST_F(FitCommand, TurnsATextColumnIntoDummiesOfOneGroup) {
  put("city,x,y\nRome,1,3\nOslo,2,5\nBonn,4,1\nRome,3,6\nOslo,1,4\nBonn,2,2\nBonn,5,7\n");
  const Json json = fitted({"fit", "data.csv", "--target", "y", "--model", "linear", "--prior", "ard"});
  EXPECT_EQ(json["columns"].get<Names>(), (Names{"city=Oslo", "city=Rome", "x"}));
  EXPECT_EQ(json["group"].get<Groups>(), (Groups{0, 0, 1}));
  EXPECT_EQ(json["precision"].size(), 2u);
}

TEST_F(FitCommand, NamesTheLevelThatTheOthersAreComparedWith) {
  put("city,x,y\nRome,1,3\nOslo,2,5\nBonn,4,1\nRome,3,6\nOslo,1,4\nRome,2,2\nBonn,5,7\n");
  const Arguments fit = {"fit", "data.csv", "--target", "y", "--model", "linear"};
  const auto text = [&](const Arguments& more) { return output_of(fit + more, folder_.path()); };
  EXPECT_TRUE(contains(text({}), "text column           city: compared with Rome, 3 rows\n")) << text({});
  EXPECT_TRUE(contains(text({"--reference", "city=Oslo"}), "text column           city: compared with Oslo, 2 rows\n"));
  EXPECT_EQ(fitted(fit + Arguments{"--reference", "city=Oslo"})["columns"].get<Names>(), (Names{"city=Bonn", "city=Rome", "x"}));
  const auto refused = [&](const Arguments& more) { return run(fit + more, folder_.path()).err; };
  EXPECT_TRUE(contains(refused({"--reference", "city=Lima"}), "--reference is 'city=Lima', but 'Lima' is not a level of column 'city'"));
  EXPECT_TRUE(contains(refused({"--reference", "x=1"}), "--reference is 'x=1', but column 'x' holds numbers"));
  const auto kernel = run({"fit", "data.csv", "--target", "y", "--model", "rvm", "--reference", "city=Oslo"}, folder_.path());
  EXPECT_TRUE(contains(kernel.err, "--reference applies only to linear and logistic models")) << kernel.err;
}

TEST_F(FitCommand, WarnsOfATextColumnThatNamesTheRows) {
  std::string named = "name,side,x,y\n", shared = named;
  for (int i = 0; i < 24; ++i) {
    const std::string rest = fmt::format(",{},{},{}\n", i % 2 == 0 ? "left" : "right", i % 7, (i % 7) * 2 + i % 3);
    named += fmt::format("P{}{}", i, rest);
    shared += fmt::format("P{}{}", i % 12, rest);
  }
  const std::string warning = "text column 'name' has 24 different texts in 24 rows; if it names the rows, leave it out";
  for (const char* model : {"linear", "rvm"}) {
    put(named);
    const Arguments fit = {"fit", "data.csv", "--target", "y", "--model", model};
    const std::string text = output_of(fit, folder_.path());
    EXPECT_TRUE(contains(text, warning)) << text;
    EXPECT_EQ(contains(text, "text column           name: compared with P0, 1 row\n"), std::string(model) == "linear") << text;
    EXPECT_FALSE(contains(output_of(fit + Arguments{"--ignore", "name"}, folder_.path()), "names the rows"));
    put(shared);
    EXPECT_FALSE(contains(output_of(fit, folder_.path()), "names the rows"));
  }
}

TEST_F(FitCommand, PrintsHowItWasComputedOnlyIfAsked) {
  const Arguments fit = {"fit", pima, "--target", "type", "--model", "logistic"};
  const std::string brief = output_of(fit), verbose = output_of(fit + Arguments{"--verbose"});
  EXPECT_TRUE(contains(brief, "\nstatus                converged\n")) << brief;
  EXPECT_TRUE(contains(brief, "\nlog evidence          at least -")) << brief;
  for (const char* technical : {"dense fraction", "averaged, by weight", "effective parameters", "solver", "converged: "}) {
    EXPECT_FALSE(contains(brief, technical)) << technical;
    EXPECT_TRUE(contains(verbose, technical)) << technical;
  }
  // What went wrong is always told.
  const std::string stopped = output_of({"fit", pima, "--target", "type", "--model", "logistic", "--prior", "ard", "--max-sweeps", "2"});
  EXPECT_TRUE(contains(stopped, "\nstatus                max_sweeps: ")) << stopped;
}

TEST_F(FitCommand, PrintsOddsRatiosIfAsked) {
  const Arguments fit = {"fit", pima, "--target", "type", "--model", "logistic"};
  const Json json = json_of(fit);
  const std::string text = output_of(fit + Arguments{"--odds"});
  EXPECT_TRUE(contains(text, "coefficient  odds ratio    95% from          to  inclusion"));
  const auto& lines = testing::lines_of(text);
  const auto line = std::ranges::find_if(lines, [](const std::string& l) { return l.starts_with("  glu "); });
  ASSERT_NE(line, lines.end());
  std::istringstream words(*line);
  std::string name;
  double odds = 0, lower = 0, upper = 0;
  words >> name >> odds >> lower >> upper;
  EXPECT_NEAR(odds, json["odds_ratio"][1].get<double>(), 1e-3);
  EXPECT_NEAR(lower, std::exp(json["interval"][1][0].get<double>()), 1e-3);
  EXPECT_NEAR(upper, std::exp(json["interval"][1][1].get<double>()), 1e-3);
  for (const Arguments& other : {Arguments{"--target", "bmi", "--ignore", "type", "--model", "linear"},
                                 {"--target", "npreg", "--categorical", "npreg", "--model", "logistic"},
                                 {"--target", "type", "--model", "rvm", "--width", "3", "--centres", "10"}})
    EXPECT_TRUE(contains(run(Arguments{"fit", pima, "--odds"} + other).err, "--odds applies only to logistic regressions of two classes"));
  const Arguments classes = {"fit",     pima,       "--target", "npreg",  "--categorical", "npreg",
                             "--model", "logistic", "--prior",  "shared", "--odds"};
  const auto way_out = [&](const char* coding) { return run(classes + Arguments{"--coding", coding}).err; };
  EXPECT_TRUE(
      contains(way_out("softmax"), "e to the power of a coefficient is the factor for the odds of its class against the mean of all"));
  EXPECT_TRUE(contains(way_out("one-against-rest"), "of its class against the rest"));
  EXPECT_TRUE(contains(output_of(fit + Arguments{"--odds", "--standardized"}), "\nodds ratios per standard deviation of the column\n"));
}

TEST_F(FitCommand, PrintsStandardizedCoefficientsIfAsked) {
  for (const Arguments& what :
       {Arguments{"--target", "type", "--model", "logistic"}, {"--target", "bmi", "--ignore", "type", "--model", "linear"}}) {
    const Arguments fit = Arguments{"fit", pima, "--prior", "ard"} + what;
    const Json json = json_of(fit);
    const std::string text = output_of(fit + Arguments{"--standardized"});
    EXPECT_FALSE(contains(text, "(intercept)"));
    std::size_t at = 0;
    for (const std::string& line : testing::lines_of(text)) {
      if (at == json["columns"].size() || !line.starts_with("  " + json["columns"][at].get<std::string>() + " ")) continue;
      std::istringstream words(line);
      std::string name;
      double mean = 0, sd = 0, lower = 0;
      words >> name >> mean >> sd >> lower;
      const double expected = json["standardized_mean"][at].get<double>(), unit = expected / json["mean"][at].get<double>();
      EXPECT_NEAR(mean, expected, 2e-3 * std::abs(expected)) << line;
      EXPECT_NEAR(sd, unit * json["sd"][at].get<double>(), 2e-3 * sd) << line;
      EXPECT_NEAR(lower, unit * json["interval"][at][0].get<double>(), 2e-3 * std::abs(lower)) << line;
      ++at;
    }
    EXPECT_EQ(at, json["columns"].size()) << text;
  }
  EXPECT_TRUE(contains(run({"fit", pima, "--target", "npreg", "--categorical", "npreg", "--model", "logistic", "--standardized"}).err,
                       "--standardized applies only to regressions and to logistic regressions of two classes"));
}

// The standard deviation of x is 1, and of y 2; y has nothing of x.
TEST_F(FitCommand, StandardizesACoefficientOfZero) {
  put("x,y\n-1,0\n1,0\n-1,4\n1,4\n");
  const Arguments fit = {"fit", "data.csv", "--target", "y", "--model", "linear", "--prior", "shared"};
  const Json json = fitted(fit);
  ASSERT_EQ(json["mean"][0], 0);
  const auto& lines = testing::lines_of(output_of(fit + Arguments{"--standardized"}, folder_.path()));
  const auto line = std::ranges::find_if(lines, [](const std::string& l) { return l.starts_with("  x "); });
  ASSERT_NE(line, lines.end());
  std::istringstream words(*line);
  std::string name;
  double mean = 1, sd = 0;
  words >> name >> mean >> sd;
  EXPECT_EQ(mean, 0) << *line;
  const double ratio = sd / json["sd"][0].get<double>();
  EXPECT_TRUE(std::abs(ratio - 0.5) < 1e-3) << *line;  // the same with n or n - 1 in both standard deviations
}

TEST_F(FitCommand, SaysThatOneRowDoesNotDetermineTheNoise) {
  put("x,y\n1,2\n");
  EXPECT_TRUE(contains(output_of({"fit", "data.csv", "--target", "y", "--model", "linear"}, folder_.path()),
                       "\nnoise sd              not determined by these rows\n"));
}

TEST_F(FitCommand, SaysThatWeightsAreCountedAsRows) {
  put("x,k,y,label\n1,2,3,0\n2,1,5,1\n3,4,4,0\n4,1,9,1\n5,1,8,1\n6,2,9,0\n");
  const Json json = fitted(linear + Arguments{"--weights", "k"});
  EXPECT_EQ(json["num_rows"], 11);
  EXPECT_TRUE(contains(json["notes"].dump(), "the number of rows, 11, is the sum of the weights of 6 rows")) << json["notes"];
  EXPECT_FALSE(contains(fitted(linear + Arguments{"--ignore", "k"})["notes"].dump(), "sum of the weights"));
}

TEST_F(FitCommand, WritesToDevices) {
  put("x,y,label\n1,2,0\n2,4,1\n3,5,0\n");
  output_of(linear + Arguments{"-q", "-o", "/dev/null"}, folder_.path());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  output_of(linear + Arguments{"-q", "-o", "m.ardvark"}, folder_.path());
  const std::string csv = output_of({"predict", "m.ardvark", "data.csv"}, folder_.path());
  EXPECT_EQ(output_of({"predict", "m.ardvark", "data.csv", "-o", "/dev/null"}, folder_.path()), "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(FitCommand, WarnsThatATargetOfFewWholeNumbersMayNameClasses) {
  const auto said = [&](int classes, double step) {
    std::string csv = "x,y\n";
    for (int i = 0; i < 40; ++i) csv += fmt::format("{},{}\n", 7 * i % 40, step * (i % classes));
    put(csv);
    return fitted({"fit", "data.csv", "--target", "y", "--model", "linear"})["warnings"].dump();
  };
  EXPECT_TRUE(contains(said(3, 1), "the target has only the values 0, 1, 2; if they name classes, fit --model logistic instead"));
  EXPECT_TRUE(contains(said(2, 1), "the target has only the values 0, 1; if"));
  EXPECT_FALSE(contains(said(3, 0.5), "classes"));
  EXPECT_FALSE(contains(said(6, 1), "classes"));
}

TEST_F(FitCommand, ReadsNumbersAsCategoriesWhenAsked) {
  put("k,x,y\n1,1,3\n2,2,5\n3,4,1\n1,3,6\n2,1,4\n3,2,2\n");
  const Json json = fitted({"fit", "data.csv", "--target", "y", "--model", "linear", "--categorical", "k"});
  EXPECT_EQ(json["columns"].get<Names>(), (Names{"k=2", "k=3", "x"}));
}

TEST_F(FitCommand, IgnoresColumnsWhateverTheyHold) {
  put("x1,junk,y,x2\n1,abc,1,0\n2,,4,1\n3,7,2,5\n4,NA,7,4\n5,inf,4,2\n");
  put("x1,y,x2\n1,1,0\n2,4,1\n3,2,5\n4,7,4\n5,4,2\n", "without.csv");
  const Json json = fitted({"fit", "data.csv", "--target", "y", "--model", "linear", "--ignore", "junk"});
  const Json without = fitted({"fit", "without.csv", "--target", "y", "--model", "linear"});
  EXPECT_EQ(json["columns"], without["columns"]);
  EXPECT_EQ(json["mean"], without["mean"]);
  EXPECT_EQ(json["variance"], without["variance"]);
}

TEST_F(FitCommand, TakesListsOfNamesOnceOrRepeated) {
  const Arguments model = {"fit", pima, "--target", "bmi", "--model", "linear"};
  const Names columns = {"npreg", "glu", "bp", "skin", "ped"};
  EXPECT_EQ(json_of(model + Arguments{"--ignore", "type,age"})["columns"].get<Names>(), columns);
  EXPECT_EQ(json_of(model + Arguments{"--ignore", "type", "--ignore", "age"})["columns"].get<Names>(), columns);
  EXPECT_EQ(json_of({"fit", "--target", "bmi", "--model", "linear", "--ignore", "type,age", pima})["columns"].get<Names>(), columns);
}

TEST_F(FitCommand, ReadsOtherDelimiters) {
  put("x;y\n1;2\n2;3\n4;9\n", "semicolons.csv");
  put("x\ty\n1\t2\n2\t3\n4\t9\n", "tabs.csv");
  put("x,y\n1,2\n2,3\n4,9\n", "commas.csv");
  const auto mean = [&](const char* file, const char* delimiter) {
    return fitted({"fit", file, "--target", "y", "--model", "linear", "--delimiter", delimiter})["mean"];
  };
  EXPECT_EQ(mean("semicolons.csv", ";"), mean("commas.csv", ","));
  EXPECT_EQ(mean("tabs.csv", "\t"), mean("commas.csv", ","));
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
