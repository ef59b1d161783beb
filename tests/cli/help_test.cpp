#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "ardvark/model.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::output_of;
using testing::run;

// The words of the lines "  ardvark ..." of a help text.
std::vector<Arguments> examples_in(const std::string& help) {
  std::vector<Arguments> examples;
  for (const std::string& line : testing::lines_of(help)) {
    if (!line.starts_with("  ardvark ")) continue;
    std::istringstream words(line);
    std::string word;
    words >> word;
    Arguments& arguments = examples.emplace_back();
    while (words >> word) arguments.push_back(word);
  }
  return examples;
}

TEST(Help, HoldsExamplesThatWork) {
  for (const Arguments& command : {Arguments{}, {"fit"}, {"select"}, {"compare"}, {"predict"}, {"show"}, {"report"}}) {
    const std::string help = output_of(command + Arguments{"--help"});
    EXPECT_TRUE(contains(help, "Example")) << help;
    const testing::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "examples");
    std::filesystem::copy(testing::example_path(), folder / "examples/data");

    const std::vector<Arguments> examples = examples_in(help);
    EXPECT_GE(examples.size(), 2u) << help;
    for (const Arguments& example : examples) {
      const testing::Outcome outcome = run(example, folder.path());
      EXPECT_EQ(outcome.exit_code, 0) << testing::command_line(example) << "\n" << outcome.err;
      EXPECT_TRUE(outcome.err.empty() || contains(outcome.err, " rows with '")) << outcome.err;
      const auto output = std::find(example.begin(), example.end(), "-o");
      EXPECT_TRUE(output == example.end() || std::filesystem::exists(folder / *(output + 1)));
    }
  }
}

TEST(Help, EndsItsLastLine) {
  for (const Arguments& command :
       {Arguments{}, {"fit"}, {"select"}, {"compare"}, {"predict"}, {"show"}, {"report"}, {"explain"}, {"presets"}}) {
    const std::string help = output_of(command + Arguments{"--help"});
    EXPECT_TRUE(help.ends_with('\n') && !help.ends_with("\n\n")) << help;
  }
}

TEST(Help, IsAlsoACommand) {
  EXPECT_EQ(output_of({"help"}), output_of({"--help"}));
  EXPECT_EQ(output_of({"help", "select"}), output_of({"select", "--help"}));
}

TEST(Help, OfSelectionsOffersNothingThatIsRefused) {
  const std::string help = output_of({"select", "--help"});
  for (const char* refused : {"slr_rvm", "rvm (rel", "linear, logistic"}) EXPECT_FALSE(contains(help, refused)) << refused;
}

TEST(Help, OfACommandOffersNothingThatItRefuses) {
  for (const Arguments& command : {Arguments{"stats", "--help"}, Arguments{"select", "--help-all"}, Arguments{"compare", "--help-all"}}) {
    const std::string help = output_of(command);
    EXPECT_TRUE(contains(help, "refuse (default) or drop. Rows in which")) << command.front();
    EXPECT_FALSE(contains(help, "drop or impute")) << command.front();
  }
  EXPECT_TRUE(contains(output_of({"fit", "--help-all"}), "refuse (default), drop or impute."));
}

TEST(Help, SaysWhatSeveralTargetsChange) {
  for (const char* command : {"stats", "fit"})
    EXPECT_TRUE(contains(output_of({command, "--help"}), "Column to explain, or several: a,b,c")) << command;
  EXPECT_TRUE(contains(output_of({"select", "--help"}), "Column to explain\n"));
  const auto in_one_line = [](std::string help) {
    const std::string margin = "\n" + std::string(30, ' ');
    for (std::size_t at; (at = help.find(margin)) != std::string::npos;) help.replace(at, margin.size(), " ");
    return help;
  };
  EXPECT_TRUE(contains(in_one_line(output_of({"stats", "--help"})), "nearly collinear (one target only)"));
  for (const Arguments& command : {Arguments{"show", "--help"}, Arguments{"fit", "--help-all"}})
    EXPECT_TRUE(contains(in_one_line(output_of(command)), "With several targets, it selects those that are explained, at 0.1 by default."));
}

// Each option under the heading of its group, and with the models that take it.
TEST(Help, ListsTheOptionsOfTheTable) {
  const std::pair<const char*, unsigned> commands[] = {
      {"fit", in_command::fit}, {"select", in_command::select}, {"compare", in_command::compare}};
  for (const auto& [command, bit] : commands) {
    const std::string help = output_of({command, "--help-all"});
    for (const ModelOption& option : model_options()) {
      if ((option.facts.commands & bit) == 0) continue;
      const std::string name = ModelOptions{.spelling = Spelling::command_line}.spelled(option.name);
      const std::size_t at = help.find("\n  " + name + " "), heading = help.rfind(":\n  -", at);
      ASSERT_NE(at, std::string::npos) << command << " " << name;
      const std::string title = title_of(option.group);
      EXPECT_EQ(help.substr(help.rfind('\n', heading) + 1, title.size()), title) << command << " " << name;
    }
  }
  EXPECT_TRUE(contains(output_of({"explain", "coding"}), "Models: logistic."));
}

TEST(Help, NamesEveryPreset) {
  const std::string help = output_of({"fit", "--help-all"});
  for (const PresetInfo& preset : presets()) EXPECT_TRUE(contains(help, std::string(preset.name) + " ")) << preset.name;
}

TEST(Help, FitsTwoScreensWithTheOptionsThatAreUsedMost) {
  for (const char* command : {"fit", "select", "compare"}) {
    const std::string brief = output_of({command, "--help"}), all = output_of({command, "--help-all"});
    const std::vector<std::string> lines = testing::lines_of(brief);
    EXPECT_LE(lines.size(), 54u) << brief;
    for (const std::string& line : lines) EXPECT_TRUE(line.size() <= 100 || line.starts_with("  ardvark ")) << line;
    for (const char* option : {"--target", "--model", "--reference", "--json"}) EXPECT_TRUE(contains(brief, option)) << option;
    for (const char* page : {"docs/which_prior.md", "docs/from_other_programs.md", "--help-all"}) EXPECT_TRUE(contains(brief, page));
    EXPECT_FALSE(contains(brief, "--max-sweeps"));
    EXPECT_TRUE(contains(all, "--max-sweeps"));
  }
}

TEST(Help, TellsTheVersionAndTheExitCodes) {
  const std::vector<std::string> version = testing::lines_of(output_of({"--version"}));
  ASSERT_EQ(version.size(), 3u);
  EXPECT_TRUE(std::regex_match(version[0], std::regex("ardvark [0-9]+\\.[0-9]+\\.[0-9]+"))) << version[0];
  EXPECT_TRUE(std::regex_match(version[1], std::regex("commit (unknown: .*|[0-9a-f]{7,} of 2[0-9]{3}-[0-9]{2}-[0-9]{2}.*)"))) << version[1];
  EXPECT_TRUE(std::regex_match(version[2], std::regex("BLAS: (OpenBLAS [0-9]|not OpenBLAS).*"))) << version[2];
  EXPECT_TRUE(contains(output_of({"--help"}), "Exit codes: 0 "));
  EXPECT_TRUE(contains(output_of({"--help"}), "2 wrong arguments, or wrong contents of a table or a model file"));
}

}  // namespace
}  // namespace ardvark
