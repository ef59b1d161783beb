// Many targets on the command line: fit, show and predict.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

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

// X of 70 rows, targets u, v1, v2, and a gap in v2.
class ManyTargets : public ::testing::Test {
 protected:
  ManyTargets() {
    std::string both = "a,b,site,u,v1,v2\n", X = "a,b,site\n", Y = "u,v1,v2\n", complete = "a,b,site,v1\n", without_gap = "a,b,site,v2\n";
    for (int i = 0; i < 70; ++i) {
      const double a = std::sin(1.7 * i), b = std::cos(2.3 * i), noise = 0.3 * std::sin(31.0 * i * i);
      const std::string columns = fmt::format("{},{},{}", a, b, i % 3 == 0 ? "north" : "south");
      const std::string v1 = fmt::format("{}", 2 * a + noise), v2 = i == 4 ? "" : fmt::format("{}", b - a - noise);
      const std::string targets = fmt::format("{},{},{}", noise, v1, v2);
      both += columns + "," + targets + "\n", X += columns + "\n", Y += targets + "\n", complete += columns + "," + v1 + "\n";
      if (i != 4) without_gap += columns + "," + v2 + "\n";
    }
    testing::write_bytes(folder_ / "both.csv", both);
    testing::write_bytes(folder_ / "X.csv", X);
    testing::write_bytes(folder_ / "Y.csv", Y);
    testing::write_bytes(folder_ / "one.csv", complete);
    testing::write_bytes(folder_ / "gap.csv", without_gap);
  }
  [[nodiscard]] std::string output(const Arguments& arguments) const { return output_of(arguments, folder_.path()); }
  [[nodiscard]] Json json(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }

  testing::TemporaryFolder folder_;
};

TEST_F(ManyTargets, HaveTheFitsOfTheirColumnsAlone) {
  const Json many = json({"fit", "both.csv", "--target-prefix", "v", "--ignore", "u", "--prior", "shared", "--missing", "drop", "--json"});
  EXPECT_EQ(many["targets"], Json({"v1", "v2"}));
  int k = 0;
  for (const auto& [file, target] : {std::pair{"one.csv", "v1"}, {"gap.csv", "v2"}}) {
    const Json one = json({"fit", file, "--target", target, "--model", "linear", "--prior", "shared", "--json"});
    EXPECT_EQ(many["columns"], one["columns"]);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(many["mean"][k][j].get<double>(), one["mean"][j].get<double>(), 1e-9);
    EXPECT_NEAR(many["bound"][k].get<double>(), one["bound"].get<double>(), 1e-7);
    EXPECT_EQ(many["num_rows"][k], one["num_rows"]);
    ++k;
  }
}

TEST_F(ManyTargets, MayBeNamedInSeveralWays) {
  const Arguments shared = {"--prior", "shared", "--missing", "drop", "--json"};
  const auto means = [&](const Arguments& arguments) { return json(arguments + shared)["mean"]; };
  const Json expected = means({"fit", "both.csv", "--target", "u,v1,v2"});
  EXPECT_EQ(means({"fit", "X.csv", "--targets", "Y.csv"}), expected);
  EXPECT_EQ(means({"fit", "both.csv", "--target-prefix", "v", "--ignore", "u"})[1], expected[2]);
}

TEST_F(ManyTargets, ArePrintedSavedAndPredicted) {
  std::string summary = output({"fit", "both.csv", "--target", "u,v1", "--ignore", "v2", "--prior", "shared", "-o", "m.ardvark"});
  for (const char* part : {"Linear regressions of 2 targets, prior shared, 70 rows, 3 columns", "v1",
                           "explained             1 of 2 targets", "model                 m.ardvark"})
    EXPECT_TRUE(contains(summary, part)) << part << "\n" << summary;
  summary.erase(summary.find("model                 m.ardvark\n"));
  EXPECT_EQ(output({"show", "m.ardvark"}), summary);
  EXPECT_TRUE(contains(output({"show", "m.ardvark", "--fdr", "0.01"}), "at a rate of false discoveries of 0.01"));
  const Json shown = json({"show", "m.ardvark", "--json"});
  EXPECT_EQ(shown["explained"]["selected"], Json({0.0, 1.0}));
  const std::string at_rate = output({"fit", "both.csv", "--target", "u,v1", "--ignore", "v2", "--prior", "shared", "--fdr", "0.01"});
  EXPECT_TRUE(contains(at_rate, "at a rate of false discoveries of 0.01"));

  static_cast<void>(output({"fit", "one.csv", "--target", "v1", "--model", "linear", "--prior", "shared", "-o", "one.ardvark"}));
  std::istringstream many(output({"predict", "m.ardvark", "X.csv", "--sd", "--digits", "17"}));
  std::istringstream one(output({"predict", "one.ardvark", "X.csv", "--digits", "17", "-q"}));
  std::string of_many, of_one;
  std::getline(many, of_many), std::getline(one, of_one);
  EXPECT_EQ(of_many, "u,u_sd,v1,v1_sd");
  int rows = 0;
  while (std::getline(many, of_many) && std::getline(one, of_one)) {
    double u, u_sd, mean, sd, mean_of_one, sd_of_one;
    ASSERT_EQ(std::sscanf(of_many.c_str(), "%lf,%lf,%lf,%lf", &u, &u_sd, &mean, &sd), 4) << of_many;
    ASSERT_EQ(std::sscanf(of_one.c_str(), "%lf,%lf", &mean_of_one, &sd_of_one), 2) << of_one;
    EXPECT_NEAR(mean, mean_of_one, 1e-9);
    EXPECT_NEAR(sd, sd_of_one, 1e-9);
    ++rows;
  }
  EXPECT_EQ(rows, 70);
}

TEST_F(ManyTargets, OfTheTableAreThoseOfTheJson) {
  std::string table = "a";
  for (int k = 0; k < 40; ++k) table += fmt::format(",t{}", k);
  for (int i = 0; i < 70; ++i) {
    const double a = std::sin(1.7 * i);
    table += fmt::format("\n{}", a);
    for (int k = 0; k < 40; ++k) table += fmt::format(",{}", (k < 15 ? a : 0.0) + std::sin(31.0 * i * i + 7.0 * k * (i + 1)));
  }
  testing::write_bytes(folder_ / "forty.csv", table + "\n");
  const Arguments fit = {"fit", "forty.csv", "--target-prefix", "t", "--prior", "shared"};
  const Json selected = json(fit + Arguments{"--json"})["explained"]["selected"];
  const std::string shown = output(fit);
  EXPECT_GE(std::count(selected.begin(), selected.end(), 1.0), 10);
  EXPECT_TRUE(contains(shown, fmt::format("explained             {} of 40 targets", std::count(selected.begin(), selected.end(), 1.0))));
  std::istringstream lines(shown);
  int told = 0;
  for (std::string line; std::getline(lines, line);) {
    char name[16], last[16];
    int k = 0;
    if (std::sscanf(line.c_str(), " %15s %*s %*s %*s %*s %*s %15s", name, last) != 2 || std::sscanf(name, "t%d", &k) != 1) continue;
    EXPECT_EQ(std::string(last) == "yes", selected[static_cast<std::size_t>(k)] == 1.0) << line;
    ++told;
  }
  EXPECT_EQ(told, 40);
}

TEST_F(ManyTargets, RefuseWhatTheyDoNotHave) {
  const auto refuses = [&](const Arguments& arguments, const char* what) { testing::expect_refused(arguments, folder_, 2, {what}); };
  const Arguments drop = {"--missing", "drop"};
  refuses({"fit", "both.csv", "--target", "u,v2"}, "column 'v2': the value is missing; --missing drop leaves a row out");
  refuses(Arguments{"fit", "both.csv", "--target", "u,u"} + drop, "--target names column 'u' twice");
  refuses(Arguments{"fit", "both.csv", "--target", "u,w"} + drop, "there is no column 'w'");
  refuses(Arguments{"fit", "both.csv", "--target", "u,site"} + drop, "'site' is text");
  refuses(Arguments{"fit", "both.csv", "--target-prefix", "w"} + drop, "no column whose name begins so");
  refuses(Arguments{"fit", "both.csv", "--target", "u", "--targets", "Y.csv"} + drop, "give one of them");
  refuses(Arguments{"fit", "both.csv", "--targets", "Y.csv"} + drop, "must not explain itself");
  refuses(Arguments{"fit", "gap.csv", "--targets", "Y.csv"} + drop, "has 70 rows, but 'gap.csv' has 69");
  refuses(Arguments{"fit", "both.csv", "--target", "u,v1", "--model", "logistic"} + drop,
          "only --model linear without a preset takes many targets");
  refuses(Arguments{"fit", "both.csv", "--target", "u,v1", "--json", "--covariance"} + drop,
          "--covariance cannot be used with several targets");
  refuses({"fit", "both.csv", "--target", "u,v1", "--missing", "impute"}, "applies only to one fit");
  static_cast<void>(output({"fit", "both.csv", "--target", "u,v1", "--ignore", "v2", "--prior", "shared", "-o", "m.ardvark", "-q"}));
  refuses({"show", "m.ardvark", "--level", "0.9"}, "--level has no meaning for a file of many targets");
  refuses({"fit", "both.csv", "--target", "u,v1", "--fdr", "2"}, "--fdr");
  refuses({"predict", "m.ardvark", "X.csv", "--json"}, "--json cannot be used with 'm.ardvark', which has many targets");
  static_cast<void>(output({"fit", "one.csv", "--target", "v1", "--model", "linear", "-o", "one.ardvark", "-q"}));
  refuses({"predict", "one.ardvark", "X.csv", "--sd"}, "--sd applies only to models of many targets");
}

}  // namespace
}  // namespace ardvark
