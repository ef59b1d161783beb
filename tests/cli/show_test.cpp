#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "program.hpp"
#include "refuses.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::Json;
using testing::json_of;
using testing::output_of;
using testing::sample;

const Arguments fits[] = {
    {"fit", "data.csv", "--target", "y", "--ignore", "label", "--model", "linear"},
    {"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "shared"},
    {"fit", "wide.csv", "--target", "y", "--ignore", "label", "--model", "linear"},
    {"fit", "wide.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--no-intercept"},
    {"fit", "data.csv", "--target", "y", "--ignore", "label", "--preset", "vb_linear_fit_ard"},
    {"fit", "data.csv", "--target", "label", "--ignore", "y", "--preset", "vb_logit_fit", "--compat"},
    {"fit", "data.csv", "--target", "label", "--ignore", "y", "--preset", "vb_logit_fit_iter"},
    {"fit", "one.csv", "--target", "y", "--model", "linear"},
    {"fit", "words.csv", "--target", "y", "--model", "linear", "--prior", "ard", "--missing", "drop"},
    {"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--diagnose"},
    {"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "rvm", "--task", "classification", "--width", "2", "--diagnose"},
};

class ShowCommand : public ::testing::Test {
 protected:
  ShowCommand() {
    testing::write_bytes(folder_ / "data.csv", sample(50, 4).csv());
    testing::write_bytes(folder_ / "wide.csv", sample(10, 70).csv());
    testing::write_bytes(folder_ / "one.csv", "x,y\n1,2\n");  // its variances are infinite
    testing::write_bytes(folder_ / "words.csv", "k,x,y\na,1,2\nb,2,3\n,4,9\na,7,1\nc,5,4\n");
  }
  std::string output(const Arguments& arguments) const { return output_of(arguments, folder_.path()); }

  testing::TemporaryFolder folder_;
};

TEST_F(ShowCommand, PrintsTheSummaryOfTheFit) {
  for (const Arguments& fit : fits) {
    std::string summary = output(fit + Arguments{"-o", "m.ardvark"});
    const std::size_t model_line = summary.find("model                 m.ardvark\n");
    ASSERT_NE(model_line, std::string::npos) << summary;
    summary.erase(model_line);
    EXPECT_EQ(output({"show", "m.ardvark"}), summary);
  }
}

// Of a name the terminal sees no command, and no line of its own.
TEST(SummaryOfOddNames, EscapesThem) {
  const testing::TemporaryFolder folder;
  std::string table = "\"a\x1b[31mred\",\"b\nstatus  converged: forged\",y,class\n";
  for (int i = 0; i < 30; ++i) table += fmt::format("{},{},{},\"{}\"\n", i % 7, (i * i) % 11, i % 5 + i % 7, i % 3 == 0 ? "u\tv" : "w");
  testing::write_bytes(folder / "t.csv", table);
  for (const Arguments& arguments : {Arguments{"fit", "t.csv", "--target", "y", "--model", "linear", "--ignore", "class"},
                                     Arguments{"fit", "t.csv", "--target", "class", "--model", "logistic"},
                                     Arguments{"select", "t.csv", "--target", "class", "--preset", "slr_var"}}) {
    const std::string text = output_of(arguments, folder.path());
    EXPECT_FALSE(contains(text, "\x1b")) << text;
    EXPECT_FALSE(contains(text, "\nstatus  converged: forged")) << text;
    EXPECT_TRUE(contains(text, "a\\x1b[31mred") || arguments[0] == "select") << text;  // which shows what survived
    EXPECT_TRUE(contains(text, "b\\x0astatus")) << text;
    EXPECT_FALSE(contains(text, "u\tv")) << text;
  }
}

TEST_F(ShowCommand, PrintsTheJsonOfTheFit) {
  for (const Arguments& fit : fits) {
    const bool has_covariance = std::find(fit.begin(), fit.end(), "rvm") == fit.end();
    for (const Arguments& more : {Arguments{}, has_covariance ? Arguments{"--covariance"} : Arguments{}, Arguments{"--level", "0.5"}}) {
      const std::string json = output(fit + Arguments{"-o", "m.ardvark", "--json"} + more);
      EXPECT_EQ(output(Arguments{"show", "m.ardvark", "--json"} + more), json) << testing::command_line(fit);
    }
  }
}

// One object: of the fit with a file, of the fit without one, and of the file.
TEST_F(ShowCommand, PrintsTheJsonOfTheFitWithAndWithoutAFile) {
  for (const char* model : {"linear", "logistic"})
    for (const char* prior : {"auto", "dense", "slab", "shared", "laplace"}) {
      const bool linear = std::string_view(model) == "linear";
      const Arguments fit = {
          "fit",     "data.csv", "--target", linear ? "y" : "label", "--ignore", linear ? "label" : "y", "--model", model,
          "--prior", prior,      "--json"};
      Json alone = json_of(fit, folder_.path()), saved = json_of(fit + Arguments{"-o", "m.ardvark"}, folder_.path()),
           shown = json_of({"show", "m.ardvark", "--json"}, folder_.path());
      for (Json* one : {&alone, &saved, &shown}) one->erase("seconds");
      EXPECT_EQ(shown, saved) << model << prior;
      EXPECT_EQ(alone, saved) << model << prior;
    }
}

TEST_F(ShowCommand, RefusesOddsOfARegressionAlsoInJson) {
  const Arguments fit = {"fit", "data.csv", "--target", "y", "--ignore", "label", "--model", "linear"};
  output(fit + Arguments{"-o", "m.ardvark"});
  for (const Arguments& json : {Arguments{}, Arguments{"--json"}}) {
    testing::expect_refused(fit + Arguments{"--odds", "-o", "odds.ardvark"} + json, folder_, 2,
                            {"odds applies only to logistic regressions"});
    testing::expect_refused(Arguments{"show", "m.ardvark", "--odds"} + json, folder_, 2, {"odds applies only to logistic regressions"});
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "odds.ardvark"));
}

TEST_F(ShowCommand, PrintsTheKhatOfAFitThatWasAskedForIt) {
  const Arguments fit = {"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "ard", "--json"};
  EXPECT_FALSE(json_of(fit, folder_.path()).contains("khat"));
  const Json asked = json_of(fit + Arguments{"--diagnose"}, folder_.path());  // also where no model is written
  EXPECT_TRUE(asked["khat"].is_number()) << asked["warnings"];
  EXPECT_FALSE(asked.contains("log_ratios"));
  EXPECT_EQ(json_of(fit + Arguments{"--diagnose"}, folder_.path())["khat"], asked["khat"]);
  const Arguments with_outliers = {"fit",    "data.csv", "--target", "y",       "--ignore", "label",  "--model",
                                   "linear", "--prior",  "shared",   "--noise", "student",  "--json", "--diagnose"};
  EXPECT_TRUE(json_of(with_outliers, folder_.path())["khat"].is_number());
}

TEST_F(ShowCommand, PrintsTheIntervalsOfTheLevel) {
  output(fits[0] + Arguments{"-o", "m.ardvark"});
  EXPECT_TRUE(contains(output({"show", "m.ardvark", "--level", "0.8"}), "80% from"));
  const Json narrow = json_of({"show", "m.ardvark", "--level", "0.5"}, folder_.path());
  const Json wide = json_of({"show", "m.ardvark", "--level", "0.99"}, folder_.path());
  EXPECT_LT(wide["interval"][0][0].get<double>(), narrow["interval"][0][0].get<double>());
  EXPECT_GT(wide["interval"][0][1].get<double>(), narrow["interval"][0][1].get<double>());
}

TEST_F(ShowCommand, GivesOddsRatiosOfTwoClassesAlone) {
  std::size_t num_with = 0;
  for (const Arguments& fit : fits) {
    output(fit + Arguments{"-o", "m.ardvark"});
    const Json shown = json_of({"show", "m.ardvark"}, folder_.path());
    const bool is_score_of_classes = shown.contains("likelihood");
    ASSERT_EQ(shown.contains("odds_ratio"), is_score_of_classes);
    if (!is_score_of_classes) continue;
    ++num_with;
    for (std::size_t j = 0; j < shown["mean"].size(); ++j)
      EXPECT_DOUBLE_EQ(shown["odds_ratio"][j].get<double>(), std::exp(shown["mean"][j].get<double>()));
  }
  EXPECT_GT(num_with, 0u);
}

TEST_F(ShowCommand, TakesAnyLevelBetweenZeroAndOne) {
  output(fits[7] + Arguments{"-o", "m.ardvark"});  // one row: tails as heavy as they get
  for (const char* level : {"0.99999999999999", "0.9999999999999999", "1e-300"}) {
    output({"show", "m.ardvark", "--level", level});
    output({"predict", "m.ardvark", "one.csv", "--level", level});
  }
}

}  // namespace
}  // namespace ardvark
