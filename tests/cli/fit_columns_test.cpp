// Which columns fit reads, and what they become.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fit_command.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::FitCommand;
using testing::Groups;
using testing::Json;
using testing::json_of;
using testing::linear;
using testing::Names;
using testing::output_of;
using testing::pima;
using testing::run;
using testing::sample;

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
  EXPECT_TRUE(contains(kernel.err, "--reference applies only to linear, logistic and counts models")) << kernel.err;
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

// With --missing drop the table of dummies is written out, without it is sparse: 2^20 numbers or more, mostly zeros.
TEST_F(FitCommand, AgreesWithTheDenseTableWhereLevelsStaySparse) {
  std::string text = "place,x,sick,y,k\n";
  unsigned state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = 1664525 * state + 1013904223;
    const unsigned place = (state >> 16) % 400, x = (state >> 9) % 50, noise = (state >> 3) % 101;
    const double mean = (place < 12 ? 2.0 : 0.0) + 0.02 * x;
    text += fmt::format("p{},{},{},{},{}\n", place, x, noise % 3 == 0 ? "true" : "false", mean + 0.01 * noise,
                        mean + 0.01 * noise > 1.1 ? "a" : "b");
  }
  put(text);
  const auto agree = [&](const Arguments& arguments) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(arguments, " ")));
    const Arguments fit = Arguments{"fit", "data.csv", "--tolerance", "1e-10"} + arguments;
    const Json sparse = fitted(fit), dense = fitted(fit + Arguments{"--missing", "drop"});
    EXPECT_EQ(sparse["columns"], dense["columns"]);
    EXPECT_EQ(sparse["status"], dense["status"]);
    EXPECT_EQ(sparse["warnings"], dense["warnings"]);
    const auto bound = dense["bound"].get<double>();
    EXPECT_NEAR(sparse["bound"].get<double>(), bound, 1e-8 * std::abs(bound));
    const auto mean = sparse["mean"].get<testing::Numbers>(), expected = dense["mean"].get<testing::Numbers>(),
               sd = dense["sd"].get<testing::Numbers>();
    ASSERT_EQ(mean.size(), expected.size());
    for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(mean[j], expected[j], 1e-8 + 1e-6 * sd[j]) << j;
  };
  agree({"--target", "y", "--ignore", "k", "--model", "linear"});
  agree({"--target", "y", "--ignore", "k", "--model", "linear", "--prior", "ard"});
  agree({"--target", "k", "--ignore", "y", "--model", "logistic", "--prior", "shared"});
}

}  // namespace
}  // namespace ardvark
