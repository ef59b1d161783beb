// ardvark explain and ardvark presets.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ardvark/model.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::lines_of;
using testing::Outcome;
using testing::output_of;
using testing::run;

// "label   value" at the beginning of a line: the label. The heading of a table: its words.
std::set<std::string> words_of(const std::string& report) {
  std::set<std::string> out;
  for (const std::string& line : lines_of(report)) {
    const bool is_heading = line.starts_with("  coefficient ") || line.starts_with("  vector ") || line.starts_with("  feature ") ||
                            line.starts_with("  model ");
    if (line.empty() || (line.front() == ' ' && !is_heading)) continue;
    for (std::size_t at = line.find_first_not_of(' '); at != std::string::npos;) {
      const std::size_t end = line.find("  ", at);
      if (end != std::string::npos || is_heading) out.insert(line.substr(at, end - at));
      at = is_heading ? line.find_first_not_of(' ', std::min(end, line.size())) : std::string::npos;
    }
  }
  return out;
}

TEST(Explain, KnowsTheWordsOfReports) {
  const std::string data = testing::example_path();
  const Arguments pima = {data + "/Pima.tr.csv", "--target", "type"}, boston = {data + "/Boston.csv", "--target", "medv"};
  std::set<std::string> words;
  for (const Arguments& report :
       {Arguments{"fit"} + pima + Arguments{"--model", "logistic", "--verbose"},
        Arguments{"fit"} + pima + Arguments{"--model", "logistic", "--odds"},
        Arguments{"fit"} + pima + Arguments{"--model", "logistic", "--prior", "ard"},
        Arguments{"fit"} + pima + Arguments{"--preset", "slr_var", "--verbose"}, Arguments{"fit"} + boston + Arguments{"--model", "linear"},
        Arguments{"fit", data + "/Boston.csv", "--target", "rad", "--categorical", "rad", "--model", "logistic", "--prior", "shared",
                  "--coding", "softmax"},
        Arguments{"fit"} + pima + Arguments{"--model", "rvm", "--width", "3"},
        Arguments{"compare"} + pima + Arguments{"--model", "logistic"},
        Arguments{"select"} + pima + Arguments{"--preset", "slr_var", "--repeats", "1"}}) {
    words.merge(words_of(output_of(report)));
  }
  ASSERT_GE(words.size(), 25u);
  for (const std::string& word : words) {
    if (std::set<std::string>{"model", "status", "seconds", "shared", "ard", "dense", "sparse"}.contains(word)) continue;
    const Outcome outcome = run({"explain", word}, ".");
    EXPECT_EQ(outcome.exit_code, 0) << word << ": " << outcome.err;
    EXPECT_GT(outcome.out.size(), 30u) << word;
  }
}

TEST(Explain, KnowsWordsOfOtherPrograms) {
  EXPECT_TRUE(contains(output_of({"explain", "alpha"}), "alpha = 1 of glmnet is --prior laplace"));
  EXPECT_TRUE(contains(output_of({"explain", "l1-ratio"}), "--prior laplace"));
  EXPECT_TRUE(contains(output_of({"explain", "C"}), "C = 1/lambda: give --lambda"));
  EXPECT_TRUE(contains(output_of({"explain", "cv.glmnet"}), "--prior laplace without --lambda"));
  EXPECT_EQ(run({"explain", "ignore"}, ".").exit_code, 2) << "the program has this option";
}

TEST(Explain, KnowsOptionsAndPresets) {
  EXPECT_TRUE(contains(output_of({"explain", "--prior"}), "--prior: auto (default), sparse"));
  EXPECT_TRUE(contains(output_of({"explain", "max_sweeps"}), "--max-sweeps: a whole number"));
  EXPECT_TRUE(contains(output_of({"explain", "--no-intercept"}), "--no-intercept: Turns off the intercept"));
  EXPECT_TRUE(contains(output_of({"explain", "Dense", "fraction"}), "small effects"));
  for (const char* word : {"loss", "loss_error", "1se", "lambda_1se", "nonzero"})
    EXPECT_TRUE(contains(output_of({"explain", word}), "at most one standard error above")) << word;
  for (const PresetInfo& preset : presets()) {
    EXPECT_TRUE(contains(output_of({"explain", preset.name}), std::string("--preset ") + preset.name)) << preset.name;
    EXPECT_TRUE(contains(output_of({"presets"}), std::string("  ") + preset.name + " ")) << preset.name;
  }
  std::string all = output_of({"explain"});
  std::replace(all.begin(), all.end(), '\n', ' ');  // a line may end between two words
  for (const char* word : {"inclusion", "log evidence", "--prior", "presets"}) EXPECT_TRUE(contains(all, word)) << word;
  EXPECT_FALSE(contains(all, "--column-names"));  // an option of the library, not of the program
}

TEST(Explain, KnowsEveryWordOfAnOption) {
  EXPECT_TRUE(contains(output_of({"explain", "counts"}), "Whole numbers from 0"));
  EXPECT_TRUE(contains(output_of({"explain", "one-against-one"}), "--coding one-against-one: automatic (default)"));
  for (const ModelOption& option : model_options()) {
    if ((option.facts.commands & in_command::fit) == 0) continue;
    for (const OptionWord& word : option.facts.words) EXPECT_EQ(run({"explain", word.word}, ".").exit_code, 0) << word.word;
  }
}

TEST(Explain, SaysWhatComesNearest) {
  const Outcome outcome = run({"explain", "inclsion"}, ".");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "'inclsion' is not in the glossary; did you mean 'inclusion'?")) << outcome.err;
  EXPECT_TRUE(contains(run({"explain", "qqqq"}, ".").err, "'ardvark explain' lists its terms"));
}

}  // namespace
}  // namespace ardvark
