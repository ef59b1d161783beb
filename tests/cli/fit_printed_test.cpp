// What fit prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "fit_command.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_same_fit;
using testing::FitCommand;
using testing::Json;
using testing::json_of;
using testing::linear;
using testing::logistic;
using testing::Names;
using testing::output_of;
using testing::pima;
using testing::run;
using testing::Sample;
using testing::sample;

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
  EXPECT_TRUE(contains(way_out("softmax"),
                       "e to the power of a coefficient is the factor for the odds of its class against the geometric mean of all"));
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

}  // namespace
}  // namespace ardvark
