// What a summary says of the columns that are kept: the rule that it names is the one of the fit.                     (SP.22), (OPT.3)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "program.hpp"
#include "support/random_problem.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::Json;
using testing::json_of;
using testing::lines_of;
using testing::output_of;

// A number, noise and a text column of which only two levels differ; a target of numbers, and one of three classes.
class Kept : public ::testing::Test {
 protected:
  Kept() {
    testing::Random random(2);
    std::string csv = "x,noise,kind,y,class\n";
    for (int i = 0; i < 240; ++i) {
      const int kind = i % 5;
      const double x = random.normal(), score = x + (kind == 0 ? 2 : kind == 1 ? 1 : 0) + 0.7 * random.normal();
      csv += fmt::format("{},{},{},{},{}\n", x, random.normal(), "abcde"[kind], score, score < 0 ? "low" : score > 1.2 ? "top" : "mid");
    }
    testing::write_bytes(folder_ / "t.csv", csv);
  }
  [[nodiscard]] Arguments fit(const Arguments& more) const { return Arguments{"fit", "t.csv", "--reference", "kind=c"} + more; }

  testing::TemporaryFolder folder_;
  const Arguments numbers_ = {"--target", "y", "--ignore", "class", "--model", "linear"};
  const Arguments classes_ = {"--target", "class", "--ignore", "y", "--model", "logistic"};
};

TEST_F(Kept, KeepsTheLevelsOfATextColumnTogetherAndSaysSo) {
  const Json j = json_of(fit(numbers_ + Arguments{"--prior", "slab"}), folder_.path());
  const auto kept = j["relevant"].get<std::vector<std::string>>();
  EXPECT_EQ(kept, (std::vector<std::string>{"x", "kind=a", "kind=b", "kind=d", "kind=e"}));
  EXPECT_LT(j["direction"][5].get<double>(), 0.975);  // of a level like the reference: its sign is not known
  EXPECT_TRUE(contains(output_of(fit(numbers_ + Arguments{"--prior", "slab"}), folder_.path()),
                       "5 of 6 kept (inclusion above one half and known sign, or sign beyond doubt; levels of a text column and groups: "
                       "by inclusion, or one sign beyond doubt)\n"));
  EXPECT_TRUE(contains(output_of(fit(numbers_ + Arguments{"--prior", "ard"}), folder_.path()),
                       "5 of 6 (mean^2 / (sd^2 relevance) above 2, on average over a text column or group: of seven"));
}

// mean^2 / (variance relevance), over the classes and the columns that belong together.
TEST_F(Kept, NamesTheRuleOfASoftmax) {
  const Json j = json_of(fit(classes_ + Arguments{"--prior", "ard"}), folder_.path());
  const auto ratio = [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = first; k <= last; ++k)
        sum += std::pow(j["mean"][c][k].get<double>(), 2) / (j["variance"][c][k].get<double>() * j["relevance"][c][k].get<double>());
    return sum / static_cast<double>(3 * (last - first + 1));
  };
  EXPECT_GT(ratio(0, 0), 2);
  EXPECT_LT(ratio(1, 1), 2);
  EXPECT_GT(ratio(2, 5), 2);
  EXPECT_EQ(j["relevant"], (Json{"x", "kind=a", "kind=b", "kind=d", "kind=e"}));
  EXPECT_TRUE(contains(output_of(fit(classes_ + Arguments{"--prior", "ard"}), folder_.path()),
                       "5 of 6 columns (mean^2 / (sd^2 relevance) above 2, on average over the classes and a text column or group)\n"));
}

// Each regression judges its own line, and the line has what it judges by.
TEST_F(Kept, JudgesEachClassByItself) {
  const Arguments sparse = fit(classes_ + Arguments{"--prior", "slab"});
  const Json j = json_of(sparse, folder_.path());
  std::size_t kept = 0, lines = 0;
  for (const std::string& line : lines_of(output_of(sparse, folder_.path()))) {
    std::istringstream words(line);
    std::string name, of, verdict;
    double mean = 0, sd = 0, from = 0, to = 0, inclusion = 0, direction = 0;
    if (!(words >> name >> of >> mean >> sd >> from >> to >> inclusion >> direction >> verdict)) continue;
    ++lines;
    const std::size_t c = of == "low" ? 0 : of == "mid" ? 1 : 2, column = name == "x" ? 0 : name == "noise" ? 1 : 2;
    if (column < 2) {
      EXPECT_NEAR(direction, j["direction"][c][column].get<double>(), 0.0005001) << line;
      EXPECT_EQ(verdict == "kept", inclusion > 0.5 && direction > 0.975) << line;
    }
    kept += verdict == "kept";
  }
  EXPECT_EQ(lines, 18u);
  EXPECT_GT(kept, 0u);
  EXPECT_TRUE(contains(output_of(sparse, folder_.path()),
                       "columns, in one class at least (inclusion above one half and known sign, or sign beyond doubt; levels"));
}

}  // namespace
}  // namespace ardvark
