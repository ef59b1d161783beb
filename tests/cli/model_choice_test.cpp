// fit without --model: what the target suggests, what is said of it, and what is refused.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "../support/parquet.hpp"
#include "ardvark/model.hpp"
#include "fit_command.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::output_of;
using testing::read_bytes;
using testing::run;
using testing::TemporaryFolder;
using testing::write_bytes;

using Cell = std::function<std::string(int row)>;

Cell in_turn(std::vector<std::string> values) {
  return [values = std::move(values)](int row) { return values[static_cast<std::size_t>(row * row + row / 3) % values.size()]; };
}

std::string table(const Cell& target, int num_rows = 60) {
  std::string text = "x,z,y\n";
  for (int i = 0; i < num_rows; ++i) text += fmt::format("{:.4f},{:.4f},{}\n", std::sin(i * 1.7), std::cos(i * i * 0.9), target(i));
  return text;
}

const Cell decimals = [](int row) { return fmt::format("{:.3f}", std::sin(row * 1.7) + 0.3 * std::cos(row * 5.3)); };
const Cell truths = in_turn({"true", "false"}), counted = in_turn({"0", "3", "1", "0", "2", "12", "0"});

// What a fit prints, without the seconds that it took.
Json without_times(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text;
  json.erase("seconds");
  return json;
}

// What the program says on standard error of its choice, in a line of its own.
const std::string prefix = "note: the target 'y' holds ", before_command = "; the same command with the choice: ardvark ";

// Runs the command that was printed, as a shell does.
std::string output_of_shell(const std::string& words, const TemporaryFolder& folder) {
  const std::string line = fmt::format("cd '{}' && {} {} > printed 2> said", folder.path(), testing::program_path(), words);
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 0) << line;
  EXPECT_EQ(read_bytes(folder / "said"), "") << "with --model there is no choice";
  return read_bytes(folder / "printed");
}

// The fit without --model is that of the command that it prints. \return  what it says of the target
std::string choice_of(const Arguments& arguments, const TemporaryFolder& folder, const std::string& model) {
  const std::string shown = testing::command_line(arguments);
  const testing::Outcome outcome = run(arguments + Arguments{"--json"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << shown << outcome.err;
  const std::size_t at = outcome.err.find(before_command);
  if (!outcome.err.starts_with(prefix) || at == std::string::npos) {
    ADD_FAILURE() << shown << outcome.err;
    return outcome.err;
  }
  const std::string words = outcome.err.substr(at + before_command.size());
  EXPECT_TRUE(words.ends_with(" --model " + model + "\n")) << words;
  EXPECT_EQ(without_times(outcome.out), without_times(output_of_shell(words.substr(0, words.size() - 1), folder))) << shown;
  return outcome.err.substr(prefix.size(), at - prefix.size());
}

struct Target {
  const char* name;
  Cell cell;
  const char* model;
  const char* said;
};

class ModelChoice : public ::testing::TestWithParam<Target> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(ModelChoice, IsThatOfTheTarget) {
  const auto& [name, cell, model, said] = GetParam();
  write_bytes(folder_ / "data.csv", table(cell));
  const Arguments fit = {"fit", "data.csv", "--target", "y", "--prior", "shared"};
  EXPECT_EQ(choice_of(fit, folder_, model), said);
  const testing::Outcome printed = run(fit + Arguments{"-o", "m.ardvark"}, folder_.path());
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_TRUE(printed.err.starts_with(prefix + said + before_command)) << printed.err;
  EXPECT_FALSE(contains(printed.out, "holds ")) << "the summary is that of the explicit command";
  EXPECT_EQ(testing::json_of({"show", "m.ardvark"}, folder_.path())["task"], model);
  const testing::Outcome quiet = run(fit + Arguments{"-q", "-o", "m.ardvark"}, folder_.path());
  EXPECT_EQ(quiet.out + quiet.err, "");
}

INSTANTIATE_TEST_SUITE_P(
    OfTargets, ModelChoice,
    ::testing::Values(
        Target{"ZeroAndOne", in_turn({"0", "1"}), "logistic", "only 0 and 1, so the model is logistic (as numbers: --model linear)"},
        Target{"OneAndTwo", in_turn({"1", "2"}), "logistic", "only 1 and 2, so the model is logistic (as numbers: --model linear)"},
        Target{"MinusOneAndOne", in_turn({"-1", "1"}), "logistic", "only -1 and 1, so the model is logistic (as numbers: --model linear)"},
        Target{"TwoDecimals", in_turn({"0.5", "1.5"}), "logistic",
               "only 0.5 and 1.5, so the model is logistic (as numbers: --model linear)"},
        Target{"OneInTwoSpellings", in_turn({"1", "1.0", "2e0"}), "logistic",
               "only 1 and 2, so the model is logistic (as numbers: --model linear)"},
        Target{"Truths", truths, "logistic", "true and false, so the model is logistic"},
        Target{"TruthsInCapitals", in_turn({"TRUE", "FALSE"}), "logistic", "true and false, so the model is logistic"},
        Target{"TruthsInManySpellings", in_turn({"true", "TRUE", "False", "false"}), "logistic",
               "true and false, so the model is logistic"},
        Target{"YesAndNo", in_turn({"yes", "no"}), "logistic", "'no' and 'yes', so the model is logistic"},
        Target{"ThreeTexts", in_turn({"a", "b", "c"}), "logistic", "texts, so the model is logistic"},
        Target{"Decimals", decimals, "linear", "numbers, so the model is linear"},
        Target{"RowNumbers", [](int row) { return fmt::format("{}", 1000 + row * 7); }, "linear",
               "60 different whole numbers, so the model is linear"},
        Target{"Counts", counted, "linear",
               "5 different whole numbers, so the model is linear (if they name classes: --model logistic; if they are counts: "
               "--model counts)"},
        Target{"ManyCounts", [](int row) { return fmt::format("{}", row * row % 23); }, "linear",
               "12 different whole numbers, so the model is linear (if they are counts: --model counts)"},
        Target{"ThreeCodes", in_turn({"-1", "0", "1"}), "linear",
               "3 different whole numbers, so the model is linear (if they name classes: --model logistic)"}),
    [](const auto& of) { return of.param.name; });

class ChoiceOfAModel : public testing::Refuses {
 protected:
  void put_target(const Cell& cell, int num_rows = 60) const { put(table(cell, num_rows), "data.csv"); }
  [[nodiscard]] std::string choice(const std::string& model, const Arguments& more, const std::string& file = "data.csv") const {
    return choice_of(Arguments{"fit", file, "--target", "y", "--prior", "shared"} + more, folder_, model);
  }
  void refuse(const Arguments& more, testing::Pieces pieces) const {
    expect_refused(Arguments{"fit", "data.csv", "--target", "y", "-o", "m.ardvark"} + more, folder_, 2, pieces);
  }
};

TEST_F(ChoiceOfAModel, ReadsAsFarAsTheTargetTells) {
  constexpr int piece = 8192;
  put_target([](int row) { return std::to_string(row < piece + 100 ? row % 2 : 2); }, piece + 200);
  EXPECT_TRUE(choice("linear", {}).starts_with("3 different whole numbers"));
  put_target([](int row) { return std::to_string(row < piece + 100 ? 0 : 1); }, piece + 200);
  EXPECT_TRUE(choice("logistic", {}).starts_with("only 0 and 1"));
  put_target([](int row) { return row < piece + 100 ? "NA" : row % 2 == 0 ? "a" : "b"; }, piece + 200);
  for (const char* way : {"drop", "impute"}) EXPECT_TRUE(choice("logistic", {"--missing", way}).starts_with("'a' and 'b'"));
}

TEST_F(ChoiceOfAModel, SeesTheRowsThatTheFitSees) {
  put("x,z,y\n,1,7\n" + table(in_turn({"0", "1"})).substr(6), "data.csv");
  EXPECT_TRUE(choice("logistic", {"--missing", "drop"}).starts_with("only 0 and 1"));
  EXPECT_TRUE(choice("linear", {"--missing", "impute"}).starts_with("3 different whole numbers"));
  put_target(in_turn({"1", "2", "3"}));
  EXPECT_TRUE(choice("logistic", {"--categorical", "y"}).starts_with("texts"));
  put_target([](int row) { return row % 10 == 0 ? "." : row % 3 == 0 ? "0" : "1"; });
  EXPECT_TRUE(choice("logistic", {"--missing-marker=.", "--missing", "drop"}).starts_with("only 0 and 1"));
}

TEST_F(ChoiceOfAModel, IsThatOfSeveralFilesAndOfAFitInPieces) {
  for (const auto& [model, cell] : {std::pair{"logistic", truths}, {"linear", decimals}}) {
    put_target(cell);
    EXPECT_NE(choice(model, {"--stream", "always"}), "");
    std::filesystem::create_directory(folder_ / "parts");
    put(table(cell), "parts/part-1.csv");
    put("y,x,z\n" + std::string(model[1] == 'o' ? "true,1,2\nfalse,1,1\n" : "1,2,3\n4,5,6\n"), "parts/part-2.csv");
    for (const char* source : {"parts", "parts/part-*.csv"}) EXPECT_NE(choice(model, {}, source), "");
  }
  put(table(in_turn({"1"})), "parts/part-1.csv");
  put(table(in_turn({"2"})), "parts/part-2.csv");
  EXPECT_TRUE(choice("logistic", {}, "parts").starts_with("only 1 and 2")) << "one value in each file";
}

TEST_F(ChoiceOfAModel, IsThatOfParquet) {
  std::string why;
  internal::io::DuckDb* const duckdb = testing::duckdb_or_none(why);
  if (duckdb == nullptr) GTEST_SKIP() << why;
  const auto said = [&](const std::string& target, const char* model) {
    testing::write_parquet(*duckdb, folder_ / "t.parquet", "SELECT sin(range) AS x, " + target + " AS y FROM range(60)");
    return choice(model, {}, "t.parquet");
  };
  EXPECT_TRUE(said("range % 3 < 1", "logistic").starts_with("true and false"));
  EXPECT_TRUE(said("range % 2", "logistic").starts_with("only 0 and 1"));
  EXPECT_TRUE(said("'k' || range % 4", "logistic").starts_with("texts"));
  EXPECT_TRUE(said("cos(range)", "linear").starts_with("numbers"));
  testing::write_parquet(*duckdb, folder_ / "data.csv", "SELECT sin(range) AS x, DATE '2024-01-01' + range::INTEGER AS y FROM range(60)");
  refuse({}, {"y", "date"});
}

TEST_F(ChoiceOfAModel, PrintsWordsAsAShellReadsThem) {
  std::filesystem::create_directory(folder_ / "my data");
  put("it's,$x,y\n" + table(in_turn({"a", "b"})).substr(6), "my data/t.csv");
  EXPECT_NE(choice("logistic", {"--ignore", "it's"}, "my data/t.csv"), "");
  EXPECT_NE(choice("logistic", {"--flat", "\"it's\",$x", "--tolerance=1e-7"}, "my data/t.csv"), "");
  put_target(truths);
  const testing::Outcome last =
      run({"fit", "--target", "y", "--prior", "shared", "--", "data.csv"}, folder_.path());  // what follows -- is no option
  EXPECT_TRUE(contains(last.err, "ardvark fit --target y --prior shared --model logistic -- data.csv\n")) << last.err;
  Arguments many = {"fit"};
  for (int i = 0; i < 100; ++i) put(table(decimals, 3), many.emplace_back(fmt::format("part-of-many-{}.csv", i)));
  const testing::Outcome outcome = run(many + Arguments{"--target", "y"}, folder_.path());
  EXPECT_TRUE(contains(outcome.err, "so the model is linear; add --model linear for the same fit\n")) << outcome.err;
}

TEST_F(ChoiceOfAModel, IsNoneWhereTheTargetDoesNotTell) {
  const auto refused = [&](const Cell& cell, testing::Pieces pieces) {
    put_target(cell);
    refuse({}, pieces);
  };
  refused(in_turn({"5"}), {"'y' holds only the number 5, which does not tell what to fit", "--model linear"});
  refused(in_turn({"a"}), {"'y' has 1 class (a)"});
  refused([](int row) { return fmt::format("row{}", row); }, {"so the model is logistic, but target 'y' has 60 classes"});
  refused([](int row) { return fmt::format("2024-01-{:02}", row % 28 + 1); }, {"'y' is text", "dates ('2024-01-01')", "--model logistic"});
  refused([](int row) { return fmt::format("2024-01-0{}", row % 3 + 1); }, {"'y' is text", "dates ('2024-01-01')", "--model logistic"});
  refused([](int row) { return fmt::format("{} kg", row % 20); }, {"'y' is text", "begin with a number ('0 kg')", "--model logistic"});
  refused([](int row) { return fmt::format("({}.5)", row % 20); }, {"'y' is text", "in parentheses", "--model logistic"});
  refused([](int row) { return row == 3 ? "" : "1"; }, {"row 4 (line 5), column 'y': the value is missing", "--missing drop"});
  refused([](int row) { return row == 3 ? "OVER" : decimals(row); }, {"row 4 (line 5), column 'y': 'OVER' is not a number"});
  refused([](int row) { return std::to_string(9007199254740992 + 2 * (row % 2)); }, {"2^53", "--categorical y", "--model linear"});
  refused([](int row) { return std::to_string(9007199254740992 + row % 2); }, {"has a class near 9007199254740992", "--categorical y"});
  put_target([](int) { return "NA"; });
  refuse({"--missing", "impute"}, {"target 'y' has no value in any row"});
  refuse({"--missing", "drop"}, {"no rows are left"});
}

TEST_F(ChoiceOfAModel, SaysWhichOptionsAreNoneOfTheModel) {
  put_target(in_turn({"0", "1"}));
  refuse({"--stream", "always", "--prior", "laplace", "--diagnose"}, {"of linear: --diagnose applies to", "of logistic: "});
  refuse({"--task", "regression"}, {"ardvark: --task applies only to kernel machines: it needs --model kernel"});
  refuse({"--kernel", "gaussian"}, {"ardvark: --kernel applies only to kernel machines: it needs --model kernel"});
  refuse({"--prior", "ridge"}, {"ardvark: --prior is 'ridge'; here it is --prior shared"});
  refuse({"--compat"}, {"--compat reproduces a published program; it needs --preset"});
  refuse({"--target", "t"}, {"--target is given more than once"});
  refuse({"--stream", "often"}, {"--stream is 'often'"});
  put_target(counted);
  for (const char* option : {"--likelihood=jj", "--coding=softmax", "--diagnose"})
    refuse({option}, {"the target 'y' holds 5 different whole numbers, so the model is linear, but --", "; say --model logistic if"});
  put_target(decimals);
  refuse({"--likelihood", "jj"},
         {"the target 'y' holds numbers, so the model is linear, but --likelihood applies only to logistic fits\n"});
  refuse({"--prior", "laplace", "--stream", "always"}, {"so the model is linear, but --stream always cannot be used here"});
}

TEST_F(ChoiceOfAModel, OfAPipeMustBeGiven) {
  put_target(truths);
  const std::string program = std::string("cd '") + folder_.path() + "' && cat data.csv | " + testing::program_path();
  EXPECT_EQ(WEXITSTATUS(std::system((program + " fit - --target y > printed 2> said").c_str())), 2);
  const std::string said = read_bytes(folder_ / "said");
  EXPECT_TRUE(contains(said, "which can be read only once; say what to fit: --model linear, logistic")) << said;
  EXPECT_EQ(WEXITSTATUS(std::system((program + " fit - --target y --model logistic -q").c_str())), 0);
}

TEST_F(ChoiceOfAModel, IsMadeByFitAlone) {
  put_target(truths);
  exactly({"select", "data.csv", "--target", "y"}, "say what to fit: --model logistic, or --preset NAME");
  expect_refused({"compare", "data.csv", "--target", "y"}, folder_, 2, {"--model"});
  try {
    static_cast<void>(check_options(ModelOptions()));
    ADD_FAILURE() << "the library chooses no model";
  } catch (const InvalidArgument& e) {
    EXPECT_TRUE(contains(e.what(), "say what to fit: ")) << e.what();
  }
  put_target(decimals);
  output_of({"stats", "data.csv", "--target", "y", "-q", "-o", "s.stats"}, folder_.path());
  const testing::Outcome of_sums = run({"fit", "--statistics", "s.stats"}, folder_.path());
  EXPECT_EQ(of_sums.exit_code, 0) << of_sums.err;
  EXPECT_EQ(of_sums.err, "") << "statistics are enough for one model only";
}

}  // namespace
}  // namespace ardvark
