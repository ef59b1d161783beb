// ardvark stats, merge, fit --statistics and fit --stream: tables that are read in pieces.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "ardvark/statistics.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::output_of;
using testing::Program;
using testing::read_bytes;
using testing::run;
using testing::TemporaryFolder;
using testing::write_bytes;
using namespace std::chrono_literals;

// The rows of a CSV text in so many files part-N.csv, of about the same length.
std::vector<std::string> put_parts(const TemporaryFolder& folder, const std::string& csv, std::size_t count) {
  const std::vector<std::string> lines = testing::lines_of(csv);
  std::vector<std::string> names;
  const std::size_t num_rows = lines.size() - 1;
  for (std::size_t part = 0; part < count; ++part) {
    std::string text = lines.front() + "\n";
    for (std::size_t i = part * num_rows / count; i < (part + 1) * num_rows / count; ++i) text += lines[i + 1] + "\n";
    names.push_back(fmt::format("part-{}.csv", part));
    write_bytes(folder / names.back(), text);
  }
  return names;
}

// Numbers, a text column, true and false, weights, and a gap now and then.
std::string mixed_table(int rows) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::string text = "a,colour,b,yes,w,y\n";
  for (int i = 0; i < rows; ++i) {
    const unsigned kind = random() % 7, yes = random() % 2;
    const char* const colour = kind < 2 ? "red" : kind < 5 ? "green" : kind < 6 ? "blue, \"\"dark\"\"" : "NA";
    const double a = normal(random), b = 100 + normal(random);
    text += fmt::format("{},{}{}{},{},{},{},{}\n", a, kind == 5 ? "\"" : "", colour, kind == 5 ? "\"" : "", b, yes == 1 ? "True" : "false",
                        0.5 + random() % 3, 2 * a - b + (kind < 2 ? 1 : 0) + 0.5 * yes + normal(random));
  }
  return text;
}

void expect_same_fit(const Json& ours, const Json& ordinary) {
  for (const char* name : {"column_names", "target", "prior"}) EXPECT_EQ(ours.value(name, Json()), ordinary.value(name, Json())) << name;
  EXPECT_NEAR(ours.at("num_rows").get<double>(), ordinary.at("num_rows").get<double>(), 1e-12 * ordinary.at("num_rows").get<double>());
  const auto& sd = ordinary.at("sd");
  ASSERT_GT(sd.size(), 0U);
  for (std::size_t j = 0; j < sd.size(); ++j) {
    EXPECT_NEAR(ours.at("mean")[j].get<double>(), ordinary.at("mean")[j].get<double>(), 1e-8 * sd[j].get<double>());
    EXPECT_NEAR(ours.at("sd")[j].get<double>(), sd[j].get<double>(), 1e-8 * sd[j].get<double>());
  }
}

// The notes of the ordinary fit, and one more about the pieces.
void expect_same_notes(const Json& ours, const Json& ordinary) {
  std::multiset<std::string> expected, found;
  for (const auto& note : ordinary.at("notes")) expected.insert(note.get<std::string>());
  for (const auto& note : ours.at("notes"))
    if (!contains(note.get<std::string>(), "sums over")) found.insert(note.get<std::string>());
  EXPECT_EQ(found, expected);
  EXPECT_EQ(ours.at("warnings"), ordinary.at("warnings"));
}

TEST(Stats, HaveTheSameBitsForAnyNumberOfFiles) {
  for (const bool mixed : {false, true}) {
    const TemporaryFolder folder;
    const std::string csv = mixed ? mixed_table(20000) : testing::sample(20000, 3).csv();
    write_bytes(folder / "all.csv", csv);
    const Arguments options = {"--target", "y", "--missing", "drop", "-q"};
    output_of(Arguments{"stats", "all.csv", "-o", "all.stats"} + options, folder.path());
    const std::string whole = read_bytes(folder / "all.stats");
    ASSERT_GT(whole.size(), 100U);
    for (const std::size_t count : {3, 10}) {
      const std::vector<std::string> names = put_parts(folder, csv, count);
      Arguments stats = {"stats"};
      stats.insert(stats.end(), names.begin(), names.end());
      output_of(stats + Arguments{"-o", "parts.stats"} + options, folder.path());
      EXPECT_TRUE(read_bytes(folder / "parts.stats") == whole) << count;
      output_of(Arguments{"stats", "part-?.csv", "-o", "matched.stats"} + options, folder.path());
      EXPECT_TRUE(read_bytes(folder / "matched.stats") == whole) << count;
      for (const std::string& name : names) std::filesystem::remove(folder / name);
    }
  }
}

// Columns of a later file may come in another order.
TEST(Stats, MatchColumnsByName) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.csv", "x,z,y\n1,2,3\n2,5,4\n");
  write_bytes(folder / "b.csv", "y,x,z\n1,0,7\n2,9,8\n");
  write_bytes(folder / "all.csv", "x,z,y\n1,2,3\n2,5,4\n0,7,1\n9,8,2\n");
  output_of({"stats", "a.csv", "b.csv", "--target", "y", "-q", "-o", "parts.stats"}, folder.path());
  output_of({"stats", "all.csv", "--target", "y", "-q", "-o", "all.stats"}, folder.path());
  EXPECT_TRUE(read_bytes(folder / "parts.stats") == read_bytes(folder / "all.stats"));
}

TEST(Stats, GiveTheOrdinaryFit) {
  const TemporaryFolder folder;
  write_bytes(folder / "all.csv", mixed_table(9000));
  const Arguments rows = {"--target", "y", "--missing", "drop", "--weights", "w"};
  for (const char* form : {"gram", "factor"}) {
    output_of(Arguments{"stats", "all.csv", "-q", "--form", form, "-o", "all.stats"} + rows, folder.path());
    for (const char* prior : {"sparse", "shared", "ard", "none"}) {
      SCOPED_TRACE(prior);
      const Arguments model = {"--model", "linear", "--prior", prior};
      const Json ordinary = testing::json_of(Arguments{"fit", "all.csv"} + rows + model, folder.path());
      expect_same_fit(testing::json_of(Arguments{"fit", "--statistics", "all.stats"} + model, folder.path()), ordinary);
      const Json streamed = testing::json_of(Arguments{"fit", "all.csv", "--stream", "always"} + rows + model, folder.path());
      expect_same_fit(streamed, ordinary);
      expect_same_notes(streamed, ordinary);
    }
  }
}

TEST(Stats, FitWithoutSomeColumns) {
  const TemporaryFolder folder;
  write_bytes(folder / "all.csv", mixed_table(3000));
  const Arguments rows = {"--target", "y", "--missing", "drop"}, less = {"--prior", "ard", "--model", "linear"};
  for (const char* form : {"gram", "factor"})
    for (const char* ignored : {"a", "colour,w", "yes,b"}) {
      const Arguments ignore = {"--ignore", ignored};
      output_of(Arguments{"stats", "all.csv", "-q", "--form", form, "-o", "all.stats"} + rows, folder.path());
      const Json streamed = testing::json_of(Arguments{"fit", "--statistics", "all.stats"} + less + ignore, folder.path());
      // Rows with a gap in the column are missing from the statistics: they are left out of the table, too.
      std::string complete;
      for (const std::string& line : testing::lines_of(read_bytes(folder / "all.csv")))
        if (!contains(line, ",NA,")) complete += line + "\n";
      write_bytes(folder / "complete.csv", complete);
      expect_same_fit(streamed, testing::json_of(Arguments{"fit", "complete.csv", "--target", "y"} + less + ignore, folder.path()));
      const std::string note = streamed.at("notes").dump();
      EXPECT_TRUE(contains(note, fmt::format("the rows are the {} that 'ardvark stats' kept", streamed.at("num_rows").get<double>())));
      EXPECT_TRUE(contains(note, "give --ignore to 'ardvark stats'")) << note;
    }
}

TEST(Stats, StreamSaysTheWarningsOfTheTable) {
  const TemporaryFolder folder;
  std::string text = "Unnamed: 0,x,code,y\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{},n.a.{},{}\n", i, (i * 7) % 11, i % 3 == 0 ? "" : "x", i % 2);
  write_bytes(folder / "all.csv", text);
  const Arguments fit = {"fit", "all.csv", "--target", "y", "--model", "linear", "--prior", "shared"};
  const Json ordinary = testing::json_of(fit, folder.path()),
             streamed = testing::json_of(fit + Arguments{"--stream", "always"}, folder.path());
  EXPECT_GE(ordinary.at("warnings").size(), 2U);
  expect_same_notes(streamed, ordinary);
  EXPECT_TRUE(contains(streamed.at("notes").dump(), "read in pieces"));
}

TEST(Stats, MergeIsTheWholeTable) {
  const TemporaryFolder folder;
  const std::string csv = testing::sample(6000, 4).csv();
  write_bytes(folder / "all.csv", csv);
  Arguments merge = {"merge"};
  for (const std::string& name : put_parts(folder, csv, 3)) {
    output_of({"stats", name, "--target", "y", "-q", "-o", name + ".stats"}, folder.path());
    merge.push_back(name + ".stats");
  }
  output_of({"merge", "part-*.stats", "-o", "matched.stats", "-q"}, folder.path());
  output_of(merge + Arguments{"-o", "merged.stats"}, folder.path());
  EXPECT_TRUE(read_bytes(folder / "merged.stats") == read_bytes(folder / "matched.stats"));
  const Json ordinary = testing::json_of({"fit", "all.csv", "--target", "y", "--model", "linear"}, folder.path());
  expect_same_fit(testing::json_of({"fit", "--statistics", "merged.stats", "-o", "m.ardvark"}, folder.path()), ordinary);
  output_of({"predict", "m.ardvark", "all.csv", "-o", "p.csv"}, folder.path());
  const Json shown = testing::json_of({"show", "merged.stats"}, folder.path());
  EXPECT_EQ(shown.at("num_rows"), 6000);
  EXPECT_EQ(shown.at("columns").size(), 5U);
  EXPECT_TRUE(contains(output_of({"show", "merged.stats"}, folder.path()), "6000"));
}

// Parts may have levels of their own. If levels are given, there are no others, and the first is the reference.
TEST(Stats, OfPartsWithOtherLevelsAreAdded) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.csv", "k,y\nu,1\nv,2\nv,4\nu,2\n");
  write_bytes(folder / "b.csv", "k,y\nw,1\nv,3\nw,4\n");
  write_bytes(folder / "all.csv", "k,y\nu,1\nv,2\nv,4\nu,2\nw,1\nv,3\nw,4\n");
  const Arguments prior = {"--prior", "shared"};
  const Json ordinary = testing::json_of(Arguments{"fit", "all.csv", "--target", "y", "--model", "linear"} + prior, folder.path());
  for (const Arguments& levels : {Arguments{}, {"--levels", "k=v,u,w"}}) {
    for (const char* name : {"a", "b"})
      output_of(Arguments{"stats", fmt::format("{}.csv", name), "--target", "y", "-q", "-o", fmt::format("{}.stats", name)} + levels,
                folder.path());
    output_of({"merge", "a.stats", "b.stats", "-q", "-o", "all.stats"}, folder.path());
    expect_same_fit(testing::json_of(Arguments{"fit", "--statistics", "all.stats"} + prior, folder.path()), ordinary);
    EXPECT_TRUE(contains(output_of(Arguments{"fit", "--statistics", "all.stats"} + prior, folder.path()), "compared with v, 3 rows"));
    const std::string shown = output_of({"show", "all.stats"}, folder.path());
    EXPECT_TRUE(contains(shown, levels.empty() ? "k: levels 'u', 'v', 'w'\n" : "k: levels 'u', 'v', 'w'; compared with v\n")) << shown;
  }
  expect_refused({"stats", "b.csv", "--target", "y", "--levels", "k=v,u", "-o", "c.stats"}, folder, 2,
                 {"row 1 (line 2), column 'k': 'w' is not one of the levels of --levels: 'v', 'u'"});
  const Json of_u =
      testing::json_of(Arguments{"fit", "all.csv", "--target", "y", "--model", "linear", "--reference", "k=u"} + prior, folder.path());
  output_of({"stats", "all.csv", "--target", "y", "-q", "--reference", "k=u", "-o", "u.stats"}, folder.path());
  expect_same_fit(testing::json_of(Arguments{"fit", "--statistics", "u.stats"} + prior, folder.path()), of_u);
  output_of({"stats", "all.csv", "--target", "y", "-q", "-o", "all.stats"}, folder.path());
  expect_same_fit(testing::json_of(Arguments{"fit", "--statistics", "all.stats", "--reference", "k=u"} + prior, folder.path()), of_u);
  expect_same_fit(testing::json_of(
                      Arguments{"fit", "all.csv", "--target", "y", "--model", "linear", "--stream", "always", "--reference", "k=u"} + prior,
                      folder.path()),
                  of_u);
}

// A table with text columns is read once, also if a level comes only in the last rows.
TEST(Stats, ReadAPipe) {
  const TemporaryFolder folder;
  const std::string program = testing::program_path();
  write_bytes(folder / "numbers.csv", "x,y\n1,1\n2,2\n3,4\n");
  write_bytes(folder / "mixed.csv", mixed_table(20000) + "1,violet,1,true,1,2\n");
  const auto shell = [&](const std::string& line) { return std::system(("cd '" + folder.path() + "' && " + line).c_str()); };
  for (const std::string table : {"numbers.csv", "mixed.csv"})
    for (const char* input : {"/dev/stdin", "-"}) {
      EXPECT_EQ(shell(fmt::format("cat {} | '{}' stats {} --target y --missing drop -q -o piped.stats", table, program, input)), 0);
      output_of({"stats", table, "--target", "y", "--missing", "drop", "-q", "-o", "read.stats"}, folder.path());
      EXPECT_TRUE(read_bytes(folder / "piped.stats") == read_bytes(folder / "read.stats")) << table << " " << input;
    }
  const Arguments fit = {"--target", "y", "--missing", "drop", "--model", "linear", "--json"};
  EXPECT_EQ(
      shell(fmt::format("cat mixed.csv | '{}' fit - --target y --missing drop --model linear --stream always --json > piped", program)), 0);
  expect_same_fit(Json::parse(read_bytes(folder / "piped")), Json::parse(output_of(Arguments{"fit", "mixed.csv"} + fit, folder.path())));
}

TEST(Stats, EndAtOnceAndLeaveNothing) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const Arguments& arguments :
       {Arguments{"stats", "pipe", "--target", "y", "-o", "all.stats"},
        Arguments{"fit", "pipe", "--target", "y", "--model", "linear", "--stream", "always", "-o", "m.ardvark"}}) {
    Program program(arguments, folder.path());
    ASSERT_FALSE(program.has_ended(300ms));
    program.signal(SIGINT);
    EXPECT_TRUE(program.has_ended(1s));
    const testing::Outcome outcome = program.outcome();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_TRUE(contains(outcome.err, "interrupted; nothing was written")) << outcome.err;
    EXPECT_EQ(folder.num_files(), 1U);
  }
}

class StatsRefuses : public testing::Refuses {
 protected:
  void stats(const Arguments& arguments, testing::Pieces pieces, int exit_code = 2) const {
    expect_refused(Arguments{"stats"} + arguments + Arguments{"-o", "out.stats"}, folder_, exit_code, pieces);
  }
};

TEST_F(StatsRefuses, FilesOfOtherColumns) {
  put("x,y\n1,2\n2,3\n", "a.csv");
  put("x,z,y\n1,2,3\n", "more.csv");
  put("y\n1\n", "fewer.csv");
  put("x,y\n1,2\nabc,3\n", "text.csv");
  put("x,y\n1,2\nNaN,3\n", "gap.csv");
  put("x,y\n1,2\n1e200,3\n", "large.csv");
  put("x,y\n", "header.csv");
  put("", "empty.csv");
  put("k,y\nu,2\nv,3\n", "k.csv");
  put("k,y\n5,2\n", "number.csv");
  stats({"a.csv", "more.csv", "--target", "y"}, {"'more.csv' has the column 'z', which 'a.csv' does not have"});
  stats({"a.csv", "fewer.csv", "--target", "y"}, {"'fewer.csv' has no column 'x', which 'a.csv' has"});
  stats({"a.csv", "text.csv", "--target", "y"}, {"row 2 (line 3) of 'text.csv', column 'x': 'abc' is not a number"});
  stats({"a.csv", "gap.csv", "--target", "y"}, {"row 2 (line 3) of 'gap.csv', column 'x': the value is missing", "--missing drop"});
  stats({"a.csv", "large.csv", "--target", "y"}, {"row 2 (line 3) of 'large.csv' has the value 1e+200 in column 'x'"});
  stats({"k.csv", "number.csv", "--target", "y"},
        {"row 1 (line 2) of 'k.csv', column 'k': 'u' is a text, but row 1 (line 2) of 'number.csv'"});
  stats({"a.csv", "empty.csv", "--target", "y"}, {"'empty.csv' is empty"});
  stats({"header.csv", "--target", "y"}, {"'header.csv' has a header but no rows"});
  stats({"fewer.csv", "--target", "y"}, {"'fewer.csv' has no feature columns besides the target"});
  stats({"a.csv", "a.csv", "--target", "y"}, {"'a.csv' is given twice"});
  stats({"a.csv", "gone.csv", "--target", "y"}, {"cannot open 'gone.csv'"}, 3);
  stats({"gone-*.csv", "--target", "y"}, {"'gone-*.csv' matches no file"}, 3);
  stats({"a.csv", "--target", "q"}, {"'a.csv' has no column 'q', which --target names"});
  stats({"k.csv", "--target", "k"}, {"target 'k' is text ('u', ...)"});
  stats({"a.csv", "--target", "y", "--missing", "impute"}, {"--missing impute"});
  stats({"a.csv", "--target", "y", "--form", "qr"}, {"--form is 'qr'; it must be gram or factor"});
  stats({"k.csv", "--target", "y", "--levels", "k"}, {"--levels is 'k'; it must be COLUMN=LEVEL,LEVEL,..."});
}

// Rows are counted in the file, also far beyond the first piece.
TEST_F(StatsRefuses, LateRows) {
  std::string text = "x,k,y\n";
  for (int i = 1; i < 30000; ++i) text += fmt::format("{},{},{}\n", i % 17, i % 2 == 0 ? "a" : "b", i % 19);
  put(text + "NaN,a,3\n", "gap.csv");
  put(text + "1e160,a,3\n", "large.csv");
  put(text + "1,c,3\n", "level.csv");
  stats({"gap.csv", "--target", "y"}, {"row 30000 (line 30001), column 'x': the value is missing"});
  stats({"large.csv", "--target", "y"}, {"row 30000 (line 30001) has the value 1e+160 in column 'x', which is too large to be squared"});
  stats({"large.csv", "--target", "y", "--levels", "k=a,b"}, {"row 30000 (line 30001) has the value 1e+160 in column 'x'"});
  put(text + "1,a,3\n2,b,x\n", "target.csv");
  stats({"target.csv", "--target", "y"}, {"row 30001 (line 30002), column 'y': 'x' is not a number"});
  std::string truths = "x,k,y\n";
  for (int i = 1; i < 30000; ++i) truths += fmt::format("{},{},{}\n", i % 17, i % 2 == 0 ? "true" : "False", i % 19);
  put(truths + "1,maybe,3\n", "truths.csv");
  stats({"truths.csv", "--target", "y"},
        {"row 30000 (line 30001), column 'k': 'maybe' is a text, but earlier rows have only true and false there"});
  stats({"level.csv", "--target", "y", "--levels", "k=a,b"}, {"row 30000 (line 30001), column 'k': 'c' is not one of the levels"});
  stats({"level.csv", "--target", "y", "--weights", "x", "--levels", "y=1"}, {"--levels names column 'y', which is no feature"});
}

TEST_F(StatsRefuses, OptionsThatNeedRows) {
  output_of({"stats", "good.csv", "--target", "y", "--ignore", "w", "-q", "-o", "s.stats"}, folder_.path());
  const auto fit = [&](const Arguments& more, testing::Pieces pieces) {
    expect_refused(Arguments{"fit", "--statistics", "s.stats"} + more + Arguments{"-o", "m.ardvark"}, folder_, 2, pieces);
  };
  fit({"good.csv"}, {"a table cannot be used with --statistics"});
  fit({"--target", "y"}, {"--target cannot be used with --statistics, which has no rows any more"});
  fit({"--weights", "w"}, {"--weights", "give it to 'ardvark stats'"});
  fit({"--missing", "drop"}, {"--missing"});
  fit({"--ignore", "q"}, {"the statistics have no column 'q' to leave out; their columns are x, z, k"});
  fit({"--ignore", "x,z,k"}, {"no column of the statistics is left"});
  fit({"--diagnose"}, {"--diagnose"});
  fit({"--model", "logistic"}, {"--model logistic needs the rows of the table", "--model linear"});
  fit({"--model", "rvm"}, {"--model rvm"});
  fit({"--prior", "laplace"}, {"laplace", "lambda"});
  fit({"--flat", "q"}, {"--flat names column 'q', which is not a feature"});
  expect_refused({"fit", "--statistics", "good.csv"}, folder_, 2, {"'good.csv' is not"});
  expect_refused({"predict", "s.stats", "good.csv", "-o", "p.csv"}, folder_, 2,
                 {"'s.stats' is not an ardvark model file, but an ardvark statistics file"});
  const auto always = [&](const Arguments& more, testing::Pieces pieces) {
    expect_refused(Arguments{"fit", "good.csv", "--stream", "always"} + more, folder_, 2, pieces);
  };
  always({"--target", "k", "--model", "rvm"}, {"--stream always", "--model rvm needs the table in memory"});
  always({"--target", "y", "--preset", "slr_var"}, {"--preset slr_var needs the table in memory"});
  always({"--target", "y", "--model", "linear", "--prior", "laplace"}, {"--prior laplace without --lambda"});
  always({"--target", "y", "--model", "linear", "--missing", "impute"}, {"--missing impute"});
  expect_refused({"fit", "good.csv", "--target", "y", "--model", "linear", "--stream", "on"}, folder_, 2,
                 {"--stream is 'on'; it must be auto, always or never"});
}

TEST_F(StatsRefuses, WhatCannotBeWritten) {
  expect_refused({"stats", "good.csv", "--target", "y", "-o", "/dev/full"}, folder_, 3, {"cannot write '/dev/full'"});
  expect_refused({"stats", "good.csv", "--target", "y", "-o", "good.csv"}, folder_, 2, {"--output is 'good.csv'"});
  output_of({"stats", "good.csv", "--target", "y", "-q", "-o", "a.stats"}, folder_.path());
  expect_refused({"merge", "a.stats", "-o", "/dev/full"}, folder_, 3, {"cannot write '/dev/full'"});
  expect_refused({"merge", "*.stats", "-o", "a.stats"}, folder_, 2, {"--output is 'a.stats', one of the files to add"});
  expect_refused({"merge", "a.stats", "a.stats", "-o", "b.stats"}, folder_, 2, {"'a.stats' is given twice"});
  output_of({"stats", "good.csv", "--target", "y", "--form", "factor", "-q", "-o", "f.stats"}, folder_.path());
  expect_refused({"merge", "a.stats", "f.stats", "-o", "b.stats"}, folder_, 2,
                 {"'f.stats' cannot be added to 'a.stats'", "gram", "factor"});
}

TEST_F(StatsRefuses, AFileThatIsCut) {
  output_of({"stats", "good.csv", "--target", "y", "-q", "-o", "whole.stats"}, folder_.path());
  const std::string whole = read_bytes(folder_ / "whole.stats");
  std::mt19937 random(3);
  put("", "cut.stats");
  for (int cut = 0; cut < 200; ++cut) {
    put(whole.substr(0, random() % whole.size()), "cut.stats");
    if (cut % 2 == 0)
      expect_refused({"merge", "whole.stats", "cut.stats", "-o", "out.stats"}, folder_, 2, {"'cut.stats'"});
    else
      expect_refused({"fit", "--statistics", "cut.stats", "-o", "m.ardvark"}, folder_, 2, {"'cut.stats'"});
  }
}

// Killed at any moment, it leaves no file under the path, or the whole one.
TEST(Stats, KilledAtAnyMomentLeaveNothingOrAll) {
  const TemporaryFolder folder;
  write_bytes(folder / "all.csv", testing::sample(30000, 6).csv());
  const Arguments stats = {"stats", "all.csv", "--target", "y", "-q", "-o", "all.stats"};
  const auto begin = std::chrono::steady_clock::now();
  output_of(stats, folder.path());
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin).count();
  const std::string whole = read_bytes(folder / "all.stats");
  const char* const asked = std::getenv("ARDVARK_TEST_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 25;
  std::mt19937 random(4);
  int num_whole = 0;
  for (int kill = 0; kill < kills; ++kill) {
    std::filesystem::remove(folder / "all.stats");
    Program program(stats, folder.path());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(took + took / 5)));
    program.signal(SIGKILL);
    static_cast<void>(program.outcome());
    if (!std::filesystem::exists(folder / "all.stats")) continue;
    ++num_whole;
    ASSERT_TRUE(read_bytes(folder / "all.stats") == whole);
  }
  EXPECT_LT(num_whole, kills) << "no kill came in time";
  output_of(stats, folder.path());
  EXPECT_TRUE(read_bytes(folder / "all.stats") == whole);
  std::printf("figure: stats killed at %d moments: no file %d times, the whole file %d times, made again with the same bits\n", kills,
              kills - num_whole, num_whole);
}

}  // namespace
}  // namespace ardvark
