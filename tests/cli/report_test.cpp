#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "ardvark/html_report.hpp"
#include "ardvark/model_file.hpp"
#include "program.hpp"
#include "refuses.hpp"
#include "report/page_check.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::output_of;
using testing::run;

class ReportCommand : public testing::Refuses {
 protected:
  ReportCommand() {
    make_model();
    put("x,z,y,k\n1,0,2,a\n2,1,,b\n4,1,9,a\n,7,4,b\n", "gaps.csv");
    put("x,y\n1,2\n", "other.csv");
  }
  [[nodiscard]] testing::CheckedPage page(const Arguments& arguments) const {
    EXPECT_EQ(output_of(Arguments{"report"} + arguments + Arguments{"-o", "r.html"}, folder_.path()), "report                r.html\n");
    testing::CheckedPage out = testing::checked(testing::read_bytes(folder_ / "r.html"));
    EXPECT_TRUE(out.faults.empty()) << ::testing::PrintToString(out.faults);
    return out;
  }
};

// The checksum of the file by sha256sum of coreutils.
TEST_F(ReportCommand, WritesAPageWithTheChecksumOfTheData) {
  const testing::CheckedPage with = page({"m.ardvark", "good.csv"});
  EXPECT_TRUE(contains(with.text(), "good.csv: 5 rows."));
  EXPECT_TRUE(contains(with.text(), "They are the rows of the fit"));
  EXPECT_TRUE(contains(with.text(), "efc65774fe95951150a730eb6b8a9858099a270f7af69274e23e532c5fd0bfb1  good.csv"));
  EXPECT_TRUE(contains(with.text(), "ardvark fit good.csv --target y --model linear --prior shared -o model.ardvark"));
  EXPECT_FALSE(contains(page({"m.ardvark"}).text(), "Predictions and observations"));
}

// Rows with weights are those of the fit, and some of its rows are not new.
TEST_F(ReportCommand, CallsNoRowsNewThatMayHaveBeenInTheFit) {
  output_of({"fit", "good.csv", "--target", "y", "--prior", "shared", "--ignore", "k", "--weights", "w", "-q", "-o", "w.ardvark"},
            folder_.path());
  const std::string weighted = page({"w.ardvark", "good.csv"}).text();
  EXPECT_TRUE(contains(weighted, "or the fit gave them weights. If none of them was in the fit, how well they are predicted is how well"));
  EXPECT_TRUE(contains(page({"m.ardvark", "gaps.csv", "--missing", "drop"}).text(), "or some of those;"));
}

TEST_F(ReportCommand, TakesLevelAndTitle) {
  const testing::CheckedPage found = page({"m.ardvark", "--level", "0.8", "--title", "A <b> & c"});
  EXPECT_EQ(found.all("h1").front().text, "A <b> & c");
  EXPECT_TRUE(contains(found.text(), "80% from"));
}

TEST_F(ReportCommand, LeavesOutRowsWithGapsOnlyIfToldTo) {
  expect_refused({"report", "m.ardvark", "gaps.csv", "-o", "r.html"}, folder_, 2, {"row 4", "'x'", "--missing drop"});
  const testing::CheckedPage found = page({"m.ardvark", "gaps.csv", "--missing", "drop"});
  EXPECT_TRUE(contains(found.text(), "gaps.csv: 3 rows, without 1 row in which a value is missing; 2 have a known target."));
}

TEST_F(ReportCommand, RefusesWhatIsWrong) {
  const auto refuses = [&](const Arguments& arguments, testing::Pieces pieces, int exit_code = 2) {
    expect_refused(Arguments{"report"} + arguments, folder_, exit_code, pieces);
  };
  refuses({"m.ardvark"}, {"--output is missing"});
  refuses({"m.ardvark", "-o", ""}, {"--output"});
  refuses({"m.ardvark", "-o", "m.ardvark"}, {"'m.ardvark', which is read"});
  refuses({"m.ardvark", "good.csv", "-o", "good.csv"}, {"'good.csv', which is read"});
  refuses({"m.ardvark", "-o", "absent/r.html"}, {"the folder 'absent' does not exist"}, 3);
  refuses({"m.ardvark", "-o", "."}, {"not a regular file"}, 3);
  refuses({"m.ardvark", "/dev/null", "-o", "r.html"}, {"'/dev/null' is no regular file", "write it to a file first"});
  refuses({"m.ardvark", "other.csv", "-o", "r.html"}, {"'z'"});
  refuses({"m.ardvark", "absent.csv", "-o", "r.html"}, {"absent.csv"}, 3);
  refuses({"good.csv", "-o", "r.html"}, {"good.csv"});
  refuses({"m.ardvark", "x.npy", "-o", "r.html"}, {"describes the rows of a table"});
  refuses({"m.ardvark", "-o", "r.html", "--level", "1"}, {"--level is 1", "between 0 and 1"});
  refuses({"m.ardvark", "gaps.csv", "--missing", "impute", "-o", "r.html"}, {"--missing impute needs a model"});
}

TEST_F(ReportCommand, ReadsLabelsOfClasses) {
  put("x,z,k\n1,0,a\n2,1,b\n4,1,a\n5,7,b\n3,3,b\n2,2,a\n6,1,b\n", "classes.csv");
  output_of({"fit", "classes.csv", "--target", "k", "--model", "logistic", "--prior", "shared", "-q", "-o", "c.ardvark"}, folder_.path());
  put("k,x,z\nb,1,0\nc,2,1\na,4,1\n", "new.csv");
  EXPECT_TRUE(contains(page({"c.ardvark", "new.csv"}).text(), "new.csv: 3 rows; 2 have a class of the fit, and only they are compared."));
}

// The command of a page, by a shell, makes a model that predicts with the same bits: also if names have quotes, commas and blanks, texts
// are groups, and numbers are categories.
TEST_F(ReportCommand, HasACommandThatMakesTheFitAgain) {
  std::string table = "x 1,it's,\"a,b\",\"g\"\"q\",code,text,days,y z,-n\n";
  for (int i = 0; i < 90; ++i) {
    const double a = std::sin(1.3 * i), b = std::cos(2.1 * i), e = std::sin(17.0 * i);
    table += fmt::format("{},{},{},{},{},{},{},{},{}\n", a, b, std::sin(5.0 * i), std::cos(7.0 * i), i % 3, i % 4 < 2 ? "p" : "q",
                         1 + i % 5, 2 * a + (i % 3) + 0.3 * e, (i * i) % (3 + i % 3));
  }
  put(table, "t.csv");
  const Arguments line = {"--target", "y z", "--ignore", "days,-n", "--categorical", "code"};
  const std::vector<Arguments> fits = {line + Arguments{"--reference", "code=2"},
                                       line + Arguments{"--prior", "groups", "--group", "A=\"a,b\",x 1", "--group", "B=text,\"g\"\"q\""},
                                       line + Arguments{"--group", "A=it's,code,x 1", "--flat", "text"},
                                       line + Arguments{"--prior", "ard", "--no-intercept", "--max-sweeps", "50"},
                                       {"--target=-n", "--ignore", "y z", "--model", "counts", "--exposure", "days"},
                                       {"--target", "text", "--ignore", "y z,-n,days", "--prior", "laplace", "--lambda", "2"}};
  for (const Arguments& options : fits) {
    output_of(Arguments{"fit", "t.csv", "-q", "-o", "first.ardvark"} + options, folder_.path());
    std::string command;
    for (const testing::PageElement& code : page({"first.ardvark", "t.csv"}).all("code"))
      if (code.text.starts_with("ardvark fit t.csv ")) command = code.text;
    ASSERT_FALSE(command.empty());
    std::string ignored;  // the page says that it does not know these columns
    for (std::size_t i = 0; i < options.size(); ++i)
      if (options[i] == "--ignore") ignored = " --ignore '" + options[i + 1] + "'";
    const std::string words = fmt::format("cd '{}' && '{}'{}{} -q", folder_.path(), testing::program_path(), command.substr(7), ignored);
    ASSERT_EQ(std::system(words.c_str()), 0) << command;
    const auto predictions = [&](const char* model) { return output_of({"predict", model, "t.csv"}, folder_.path()); };
    EXPECT_EQ(predictions("first.ardvark"), predictions("model.ardvark")) << command;
  }
}

// A file that does not hold the options of its fit would be given the command of another fit.
TEST_F(ReportCommand, HasNoCommandForAModelWithoutOptions) {
  for (const char* const name : {"linear_ard", "preset_slr_var", "rvm_each", "softmax_ard"}) {
    const std::string text = page({testing::data_path(std::string("models/earlier/") + name + ".ardvark")}).text();
    EXPECT_TRUE(contains(text, "The model does not hold the options of its fit, as a file of an earlier version")) << name;
    EXPECT_FALSE(contains(text, "ardvark fit")) << name;
  }
}

// An option that other languages have, and the program has not, is not in the command; the page names it.
TEST_F(ReportCommand, HasNoCommandThatTheProgramDoesNotTake) {
  const std::string help = output_of({"fit", "--help-all"});
  EXPECT_TRUE(
      contains(page({"m.ardvark"}).text(), "give --weights, --missing-marker, --delimiter and --decimal again if the fit had them"));
  SavedModel model = load_model(folder_ / "m.ardvark");
  for (const ModelOption& option : model_options()) {
    if (!option.facts.is_kept) continue;
    OptionValue value = 3.0;
    if (std::holds_alternative<std::string ModelOptions::*>(option.member)) value = "word";
    if (std::holds_alternative<std::vector<std::string> ModelOptions::*>(option.member)) value = std::vector<std::string>{"x=a"};
    if (std::holds_alternative<std::vector<Index> ModelOptions::*>(option.member) ||
        std::holds_alternative<std::vector<double> ModelOptions::*>(option.member))
      value = std::vector<double>{0, 0};
    model.options = {{"model", "linear"}, {option.name, value}};
    const testing::CheckedPage found = testing::checked(html_report(model));
    std::string name = option.name;
    std::ranges::replace(name, '_', '-');
    const bool takes = contains(help, " --" + name + " ") || contains(help, " --no-" + name + " ") || contains(help, ",--" + name + " ");
    EXPECT_EQ(contains(found.all("code").front().text, "--model linear --" + name + " "), takes) << found.all("code").front().text;
    EXPECT_EQ(contains(found.text(), std::string("the program does not have: ") + option.name + "."), !takes) << option.name;
  }
}

TEST_F(ReportCommand, DescribesManyTargets) {
  std::string table = "a,b,y1,y2,y3\n";
  for (int i = 0; i < 80; ++i) {
    const double a = std::sin(1.3 * i), b = std::cos(2.1 * i), e = std::sin(17.0 * i);
    table += fmt::format("{},{},{},{},{}\n", a, b, 2 * a + 0.2 * e, b - a + 0.3 * e, e);
  }
  put(table, "targets.csv");
  output_of({"fit", "targets.csv", "--target", "y1,y2,y3", "--prior", "shared", "-q", "-o", "t.ardvark"}, folder_.path());
  const testing::CheckedPage found = page({"t.ardvark", "targets.csv", "--fdr", "0.05"});
  EXPECT_TRUE(contains(found.text(), "ardvark fit targets.csv --target y1,y2,y3 --model linear --prior shared -o model.ardvark"));
  EXPECT_TRUE(contains(found.text(), "at a rate of false discoveries of 0.05"));
  EXPECT_TRUE(contains(found.text(), "targets.csv: 80 rows."));
  expect_refused({"report", "m.ardvark", "--fdr", "0.1", "-o", "r.html"}, folder_, 2, {"--fdr applies only to many targets"});
  expect_refused({"report", "t.ardvark", "--fdr", "1", "-o", "r.html"}, folder_, 2, {"--fdr is 1"});
  expect_refused({"report", "t.ardvark", "--level", "0.9", "-o", "r.html"}, folder_, 2, {"--level applies only to one target"});
  expect_refused({"report", "t.ardvark", "targets.csv", "--missing", "impute", "-o", "r.html"}, folder_, 2, {"--missing must be drop"});
}

TEST_F(ReportCommand, OfCompareAndSelectHasTheirWords) {
  std::string table = "a,b,<c>,y\n";
  for (int i = 0; i < 60; ++i)
    table +=
        fmt::format("{},{},{},{}\n", std::sin(1.3 * i), std::cos(2.1 * i), std::sin(5.0 * i), std::sin(1.3 * i) + 0.3 * std::sin(17.0 * i));
  put(table, "it's.csv");
  const Arguments fit = {"it's.csv", "--target", "y", "--model", "linear", "--report", "c.html"};
  for (const char* const command : {"compare", "select"}) {
    Arguments words = Arguments{command} + fit;
    if (command == std::string("select")) words = words + Arguments{"--folds", "3", "--repeats", "2"};
    EXPECT_TRUE(contains(output_of(words, folder_.path()), "report                c.html\n"));
    const testing::CheckedPage found = testing::checked(testing::read_bytes(folder_ / "c.html"));
    EXPECT_TRUE(found.faults.empty()) << ::testing::PrintToString(found.faults);
    EXPECT_TRUE(contains(found.text(), fmt::format("ardvark {} 'it'\\''s.csv' --target y --model linear", command))) << found.text();
    EXPECT_FALSE(contains(found.text(), "c.html"));
    words[1] = folder_ / "it's.csv";
    output_of(words, folder_.path());
    EXPECT_EQ(testing::checked(testing::read_bytes(folder_ / "c.html")).text(), found.text()) << "a page names no folder";
    words[1] = "/dev/stdin";
    expect_refused(words, folder_, 2, {"'/dev/stdin' is no regular file", "write it to a file first"});
    EXPECT_TRUE(contains(found.text(), "  it's.csv"));
    expect_refused(Arguments{command, "it's.csv", "--target", "y", "--model", "linear", "--report", "absent/c.html"}, folder_, 3,
                   {"the folder 'absent' does not exist"});
    expect_refused(Arguments{command, "it's.csv", "--target", "y", "--model", "linear", "--report", "it's.csv"}, folder_, 2,
                   {"the table itself"});
  }
}

TEST_F(ReportCommand, ShowDrawsInTheTerminal) {
  const auto widest = [&](const Arguments& more, const std::vector<std::string>& environment = {}) {
    testing::Program program(Arguments{"show", "m.ardvark", "--plot"} + more, folder_.path(), environment);
    const testing::Outcome outcome = program.outcome();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::size_t most = 0;
    for (const std::string& line : testing::lines_of(outcome.out)) most = std::max(most, line.size());
    return most;
  };
  EXPECT_LE(widest({}, {"COLUMNS=80"}), 80u);
  EXPECT_GT(widest({}, {"COLUMNS=80"}), 60u);
  EXPECT_LE(widest({}, {"COLUMNS=20"}), 20u);
  EXPECT_LE(widest({"--columns", "33"}, {"COLUMNS=20"}), 33u);
  EXPECT_GT(widest({"--columns", "33"}, {"COLUMNS=20"}), 20u);
  expect_refused({"show", "m.ardvark", "--plot", "--columns", "19"}, folder_, 2, {"--columns is 19", "at least 20"});
  expect_refused({"show", "m.ardvark", "--plot", "--json"}, folder_, 2, {"--plot cannot be used with --json"});
  expect_refused({"show", "m.ardvark", "--columns", "50"}, folder_, 2, {"--columns applies only to --plot"});
}

}  // namespace
}  // namespace ardvark
