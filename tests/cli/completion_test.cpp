// Completions and manual pages hold what --help does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "ardvark/model.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::lines_of;
using testing::output_of;
using testing::write_bytes;

const char* const commands[] = {"fit", "select", "compare", "predict", "show", "report", "stats", "merge", "explain", "presets"};

// The long options of a command, as its help lists them.
std::set<std::string> options_of(const std::string& command) {
  const bool has_more = contains(output_of({command, "--help"}), "--help-all' prints all options");
  const std::string help = output_of({command, has_more ? "--help-all" : "--help"});
  std::set<std::string> names;
  for (const std::string& line : lines_of(help)) {
    std::smatch found;
    if (std::regex_search(line, found, std::regex("^  (?:-[a-z],)?(--[a-zA-Z0-9-]+)"))) names.insert(found[1]);
  }
  return names;
}

// The part of a script that is about a command: from the line that has the first text, up to the next one that has the last.
std::string part_of(const std::string& script, const std::string& first, const std::string& last) {
  const std::size_t begin = script.find(first);
  if (begin == std::string::npos) return {};
  return script.substr(begin, script.find(last, begin + first.size()) - begin);
}

std::string in_bash(const std::string& script, const std::string& command) { return part_of(script, "\n    " + command + ")\n", ";;"); }
std::string in_zsh(const std::string& script, const std::string& command) {
  return part_of(script, "\n        " + command + ")\n", ";;\n");
}
std::string in_fish(const std::string& script, const std::string& command) {
  std::string out;
  for (const std::string& line : lines_of(script))
    if (contains(line, "__fish_seen_subcommand_from " + command + "'")) out += line + "\n";
  return out;
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// What each shell offers as the value of an option.
std::vector<std::string> offered(const std::string& bash, const std::string& command, const std::string& option) {
  const std::string part = part_of(bash, "\"" + command + " " + option + "\"", ";;");
  return words_in(part_of(part, "-W '", "'").substr(part.empty() ? 0 : 4));
}
std::vector<std::string> offered_by_zsh(const std::string& zsh, const std::string& command, const std::string& option) {
  const std::string part = part_of(in_zsh(zsh, command), option + "=[", "\n");
  const std::size_t begin = part.rfind('(');
  return words_in(begin == std::string::npos ? "" : part.substr(begin + 1, part.rfind(')') - begin - 1));
}
std::vector<std::string> offered_by_fish(const std::string& fish, const std::string& command, const std::string& option) {
  const std::string part = part_of(part_of(in_fish(fish, command), " -l " + option.substr(2) + " ", "\n"), " -a '", "'");
  return words_in(part.substr(std::min<std::size_t>(part.size(), 5)));
}

bool holds(const std::vector<std::string>& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

TEST(Completion, HasEveryOptionOfEveryCommand) {
  const std::string bash = output_of({"--completion", "bash"}), zsh = output_of({"--completion", "zsh"}),
                    fish = output_of({"--completion", "fish"});
  for (const std::string command : commands) {
    const std::set<std::string> names = options_of(command);
    EXPECT_FALSE(names.empty()) << command;
    for (const std::string& name : names) {
      EXPECT_TRUE(holds(words_in(part_of(in_bash(bash, command), "words='", "'").substr(7)), name)) << command << " " << name;
      EXPECT_TRUE(contains(in_zsh(zsh, command), name + "[") || contains(in_zsh(zsh, command), name + "=[")) << command << " " << name;
      EXPECT_TRUE(contains(in_fish(fish, command), " -l " + name.substr(2) + " ")) << command << " " << name;
    }
  }
}

// An option that a file or a page is written to, or read from, offers files: so say the texts of the help.
TEST(Completion, OffersFilesWhereAFileIsMeant) {
  const std::string bash = output_of({"--completion", "bash"}), zsh = output_of({"--completion", "zsh"}),
                    fish = output_of({"--completion", "fish"});
  int num_options = 0;
  for (const std::string command : commands) {
    const std::string help = output_of({command, command == "fit" || command == "select" ? "--help-all" : "--help"});
    for (const std::string& name : options_of(command)) {
      std::string text;  // of the option
      const std::size_t at = help.find(name + " TEXT");
      for (const std::string& word : at == std::string::npos ? std::vector<std::string>() : words_in(help.substr(at, 200)))
        text += word + " ";
      const bool means_a_file = contains(text.substr(0, 90), "to this file") || contains(text.substr(0, 90), "to this CSV file") ||
                                contains(text.substr(0, 90), "as one page of HTML") || contains(text.substr(0, 90), "the page here");
      if (!means_a_file) continue;
      ++num_options;
      EXPECT_TRUE(contains(part_of(bash, "\"" + command + " " + name + "\"", ";;"), "compopt -o default")) << command << " " << name;
      EXPECT_TRUE(contains(part_of(in_zsh(zsh, command), name + "=[", "\n"), ":_files")) << command << " " << name;
      EXPECT_TRUE(contains(part_of(in_fish(fish, command), " -l " + name.substr(2) + " ", "\n"), " -r -F ")) << command << " " << name;
    }
  }
  EXPECT_GE(num_options, 7);
}

// Each word of the option table that the command takes, and no word that it does not.
TEST(Completion, HasTheWordsOfTheOptionTable) {
  const std::string bash = output_of({"--completion", "bash"}), zsh = output_of({"--completion", "zsh"}),
                    fish = output_of({"--completion", "fish"});
  const ModelOptions reader{.spelling = Spelling::command_line};
  int num_words = 0;
  for (const ModelOption& row : model_options()) {
    if ((row.facts.commands & in_command::fit) == 0) continue;
    const std::string name = reader.spelled(row.name);
    for (const OptionWord& word : row.facts.words) {
      ++num_words;
      EXPECT_TRUE(holds(offered(bash, "fit", name), word.word)) << name << " " << word.word;
      EXPECT_TRUE(holds(offered_by_zsh(zsh, "fit", name), word.word)) << name << " " << word.word;
      EXPECT_TRUE(holds(offered_by_fish(fish, "fit", name), word.word)) << name << " " << word.word;
    }
  }
  EXPECT_GT(num_words, 50);
  for (const PresetInfo& preset : presets()) EXPECT_TRUE(holds(offered(bash, "fit", "--preset"), preset.name)) << preset.name;
  EXPECT_TRUE(holds(offered(bash, "select", "--preset"), "slr_var"));
  EXPECT_FALSE(holds(offered(bash, "select", "--preset"), "slr_rvm"));
  EXPECT_EQ(offered(bash, "select", "--model"), (std::vector<std::string>{"linear", "logistic"}));
}

// Options that are not in the option table: each word is taken by one of these calls.
TEST(Completion, OffersWordsThatTheProgramTakes) {
  const testing::TemporaryFolder folder;
  const std::string pima = testing::example_path("Pima.tr.csv"), boston = testing::example_path("Boston.csv");
  write_bytes(folder / "tabs.csv", "x\ty\n1\t2\n2\t1\n3\t5\n4\t3\n5\t8\n6\t9\n7\t6\n8\t11\n");
  write_bytes(folder / "one.svm", "1 1:2\n2 1:1 2:1\n1 2:3\n4 1:5\n3 2:2\n2 1:3 2:1\n");
  write_bytes(folder / "zero.svm", "1 0:2\n2 0:1 1:1\n1 1:3\n4 0:5\n3 1:2\n2 0:3 1:1\n");
  std::string three = "x,z,class\n";
  for (int i = 0; i < 30; ++i) three += fmt::format("{},{},{}\n", (i * 7) % 11 + 3 * (i % 3), (i * 5) % 13, "abc"[i % 3]);
  write_bytes(folder / "three.csv", three);
  output_of({"fit", pima, "--target", "type", "--model", "logistic", "--prior", "shared", "-q", "-o", "logistic.ardvark"}, folder.path());
  output_of({"fit", pima, "--target", "type", "--preset", "vb_logit_fit_iter", "-q", "-o", "sequential.ardvark"}, folder.path());
  output_of({"fit", pima, "--target", "bmi", "--ignore", "type", "--model", "rvm", "--task", "regression", "--centres", "5", "-q", "-o",
             "rvm.ardvark"},
            folder.path());
  output_of({"fit", "three.csv", "--target", "class", "--model", "logistic", "--coding", "one-against-one", "-q", "-o", "pairs.ardvark"},
            folder.path());
  write_bytes(folder / "gaps.csv", "x,z,y\n1,2,3\n2,,1\n3,1,4\n4,4,2\n5,3,6\n6,1,5\n7,2,9\n8,,7\n");
  output_of({"fit", "gaps.csv", "--target", "y", "--model", "linear", "--missing", "impute", "-q", "-o", "imputed.ardvark"}, folder.path());
  const std::pair<const char*, std::vector<Arguments>> calls[] = {
      {"--stream", {{"fit", boston, "--target", "medv", "--model", "linear", "--prior", "shared"}}},
      {"--delimiter",
       {{"fit", boston, "--target", "medv", "--model", "linear", "--prior", "shared"},
        {"fit", "tabs.csv", "--target", "y", "--model", "linear", "--prior", "none"}}},
      {"--decimal", {{"fit", boston, "--target", "medv", "--model", "linear", "--prior", "shared"}}},
      {"--index-base",
       {{"fit", "one.svm", "--model", "linear", "--prior", "shared"}, {"fit", "zero.svm", "--model", "linear", "--prior", "shared"}}},
      {"--form", {{"stats", boston, "--target", "medv", "-o", "boston.stats"}}},
      {"--priors", {{"compare", boston, "--target", "medv", "--model", "linear"}}},
      {"--families",
       {{"compare", boston, "--target", "medv", "--model", "linear", "--priors", "shared,ard"},
        {"compare", "tabs.csv", "--target", "y", "--model", "counts", "--priors", "shared,ard"}}},
      {"--models", {{"compare", "tabs.csv", "--target", "y", "--model", "linear", "--priors", "shared"}}},
      {"--interval", {{"predict", "rvm.ardvark", pima}}},
      {"--rule",
       {{"predict", "logistic.ardvark", pima},
        {"predict", "sequential.ardvark", pima},
        {"predict", "rvm.ardvark", pima},
        {"predict", "pairs.ardvark", "three.csv"}}},
      {"--missing", {{"predict", "logistic.ardvark", pima}, {"predict", "imputed.ardvark", "gaps.csv"}}},
  };
  const std::string bash = output_of({"--completion", "bash"});
  for (const auto& [option, several] : calls) {
    const std::vector<std::string> words = offered(bash, several.front().front(), option);
    EXPECT_FALSE(words.empty()) << option;
    for (const std::string& word : words) {
      std::string said;
      const bool is_taken = std::ranges::any_of(several, [&, name = std::string(option)](const Arguments& call) {
        // A comparison needs two.
        const std::string value = name == "--priors" ? word + (word == "shared" ? ",ard" : ",shared") : word;
        const testing::Outcome outcome = testing::run(call + Arguments{name, value}, folder.path());
        said += outcome.err;
        return outcome.exit_code == 0;
      });
      EXPECT_TRUE(is_taken) << option << " " << word << "\n" << said;
    }
  }
}

TEST(Completion, RefusesAnotherShell) {
  const testing::TemporaryFolder folder;
  testing::expect_refused({"--completion", "tcsh"}, folder, 2, {"--completion is 'tcsh'; it must be bash, zsh or fish"});
  testing::expect_refused({"--completion"}, folder, 2, {"--completion has no value"});
}

TEST(Manual, HasEveryOptionOfEveryCommand) {
  for (const std::string command : commands) {
    const std::string page = output_of({"--man", "ardvark-" + command});
    for (const std::string& name : options_of(command))
      EXPECT_TRUE(contains(page, "\\fB" + std::regex_replace(name, std::regex("-"), "\\-") + "\\fR")) << command << " " << name;
    for (const char* section : {".SH NAME\nardvark\\-", ".SH SYNOPSIS\n\\fBardvark ", ".SH OPTIONS\n", ".SH \"EXIT STATUS\"\n0 success"})
      EXPECT_TRUE(contains(page, section)) << command << " " << section;
  }
  const std::string page = output_of({"--man", "ardvark-fit"});
  for (const PresetInfo& preset : presets()) EXPECT_TRUE(contains(page, std::string(".TP\n\\fB") + preset.name + "\\fR\n")) << preset.name;
}

TEST(Manual, OfTheProgramHasItsCommands) {
  const std::string page = output_of({"--man", "ardvark"});
  for (const std::string command : commands) {
    EXPECT_TRUE(contains(page, ".TP\n\\fB" + command + "\\fR\n")) << command;
    EXPECT_TRUE(contains(page, "\\fBardvark\\-" + command + "\\fR(1)")) << command;
  }
  const testing::TemporaryFolder folder;
  testing::expect_refused({"--man", "ardvark-predikt"}, folder, 2, {"--man is 'ardvark-predikt'; it must be one of ardvark, ardvark-fit"});
}

}  // namespace
}  // namespace ardvark
