// Many targets on the command line from sums over rows: stats, merge, show and fit --statistics.                    (TGT.11)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ardvark/target_statistics.hpp"
#include "program.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::json_of;
using testing::output_of;

// Two files of 60 rows: numbers, true and false, weights, three targets.
class TargetStats : public ::testing::Test {
 protected:
  TargetStats() {
    const std::string header = "a,u,b,yes,v,w,t\n";
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::string whole = header;
    for (int part = 0; part < 2; ++part) {
      std::string text = header;
      for (int i = 0; i < 60; ++i) {
        const double a = normal(random), b = 100 + normal(random), yes = static_cast<double>(random() % 2);
        text += fmt::format("{},{},{},{},{},{},{}\n", a, 2 * a + normal(random), b, yes == 1 ? "true" : "false", b - yes + normal(random),
                            1 + random() % 3, normal(random));
      }
      testing::write_bytes(folder_ / fmt::format("part-{}.csv", part), text);
      whole += text.substr(header.size());
    }
    testing::write_bytes(folder_ / "all.csv", whole);
  }
  std::string output(const Arguments& arguments) const { return output_of(arguments, folder_.path()); }
  [[nodiscard]] Json json(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }
  void refuses(const Arguments& arguments, std::initializer_list<const char*> pieces) const {
    expect_refused(arguments, folder_, 2, pieces);
  }

  testing::TemporaryFolder folder_;
};

void expect_same(const Json& found, const Json& expected) {
  for (const char* name : {"targets", "columns", "status", "prior", "num_rows"}) EXPECT_EQ(found[name], expected[name]) << name;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < expected["columns"].size(); ++j)
      EXPECT_NEAR(found["mean"][k][j].get<double>(), expected["mean"][k][j].get<double>(), 1e-9);
    EXPECT_NEAR(found["bound"][k].get<double>(), expected["bound"][k].get<double>(), 1e-7);
    EXPECT_NEAR(found["intercept"][k].get<double>(), expected["intercept"][k].get<double>(), 1e-7);
  }
}

TEST_F(TargetStats, HaveTheFitsOfTheTable) {
  const Arguments targets = {"--target", "u,v,t", "--weights", "w"};
  const std::string printed = output(Arguments{"stats", "part-*.csv"} + targets + Arguments{"-o", "all.stats"});
  EXPECT_TRUE(contains(printed, "targets") && contains(printed, "3: 'u', 'v', 't'") && contains(printed, "3: 'a', 'b', 'yes'"));
  for (const char* prior : {"shared", "sparse"}) {
    const Json found = json({"fit", "--statistics", "all.stats", "--prior", prior, "-o", "sums.ardvark"});
    expect_same(found, json(Arguments{"fit", "all.csv", "--prior", prior, "-o", "rows.ardvark"} + targets));
    const Json flat = json({"fit", "--statistics", "all.stats", "--prior", prior, "--flat", "b"});
    expect_same(flat, json(Arguments{"fit", "all.csv", "--prior", prior, "--flat", "b"} + targets));
  }
  const auto lines = testing::lines_of(output({"predict", "sums.ardvark", "all.csv"}));
  EXPECT_EQ(lines.front(), "u,v,t");
  EXPECT_EQ(lines.size(), 121U);
  EXPECT_TRUE(contains(output({"show", "sums.ardvark"}), "from the sums over the rows in 'all.stats'"));
  EXPECT_TRUE(contains(output({"show", "all.stats"}), "of many targets"));
  const Json shown = json({"show", "all.stats"});
  EXPECT_EQ(shown["num_rows"], 120);
  EXPECT_EQ(shown["targets"], Json({"u", "v", "t"}));
}

TEST_F(TargetStats, AreMerged) {
  for (const char* part : {"part-0", "part-1"})
    output({"stats", fmt::format("{}.csv", part), "--target", "u,v,t", "--ignore", "w", "-o", fmt::format("{}.stats", part), "-q"});
  output({"stats", "all.csv", "--target", "u,v,t", "--ignore", "w", "-o", "all.stats", "-q"});
  EXPECT_TRUE(contains(output({"merge", "part-0.stats", "part-1.stats", "-o", "sum.stats"}), "120"));
  const Json sum = json({"show", "sum.stats"}), all = json({"show", "all.stats"});
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(sum["target_cross"][k][j].get<double>(), all["target_cross"][k][j].get<double>(), 1e-10);
  output({"stats", "part-1.csv", "--target", "u", "--ignore", "w", "-o", "one.stats", "-q"});
  refuses({"merge", "part-0.stats", "one.stats", "-o", "x"}, {"one.stats", "not an ardvark target-statistics file"});
}

TEST_F(TargetStats, RefuseWhatNeedsTheRowsOrTexts) {
  output({"stats", "all.csv", "--target", "u,v,t", "-o", "all.stats", "-q"});
  refuses({"fit", "--statistics", "all.stats", "--missing", "drop"}, {"--missing", "ardvark stats"});
  refuses({"fit", "--statistics", "all.stats", "--target", "u"}, {"--target", "ardvark stats"});
  refuses({"fit", "--statistics", "all.stats", "--prior", "laplace"}, {"laplace", "lambda"});
  output({"stats", "all.csv", "--target", "u", "-o", "one.stats", "-q"});
  for (const char* file : {"all.stats", "one.stats"}) {
    refuses({"show", file, "--fdr", "0.1"}, {"--fdr has no meaning for a file of statistics"});
    refuses({"show", file, "--level", "0.9"}, {"--level has no meaning for a file of statistics"});
    refuses({"show", file, "--odds"}, {"--odds has no meaning for a file of statistics"});
  }
  refuses({"fit", "--statistics", "all.stats", "--model", "logistic"}, {"linear"});
  refuses({"stats", "all.csv", "--target", "u,v", "--form", "factor", "-o", "x"}, {"--form", "gram only"});
  refuses({"stats", "all.csv", "--target", "u,u", "-o", "x"}, {"--target", "'u' twice"});
  refuses({"stats", "all.csv", "--target", "u,zz", "-o", "x"}, {"zz"});
  refuses({"stats", "all.csv", "--target", "u,w", "--weights", "w", "-o", "x"}, {"both target and weights"});
  testing::write_bytes(folder_ / "text.csv", "a,city,u,v\n1,Ulm,2,3\n2,Bern,3,1\n");
  refuses({"stats", "text.csv", "--target", "u,v", "-o", "x"}, {"'city' holds texts", "--ignore"});
  testing::write_bytes(folder_ / "gap.csv", "a,u,v\n1,2,3\n2,,1\n3,1,4\n5,2,2\n");
  refuses({"stats", "gap.csv", "--target", "u,v", "-o", "x"}, {"row 2", "'u'"});
  EXPECT_TRUE(contains(output({"stats", "gap.csv", "--target", "u,v", "--missing", "drop", "-o", "gap.stats"}), "1 row"));
  EXPECT_EQ(load_target_statistics((folder_ / "gap.stats")).num_rows(), 3);
}

}  // namespace
}  // namespace ardvark
