// ardvark predict reads tables of any length in pieces, and writes the bytes of a prediction of the whole table.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "ardvark/model.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::column;
using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::lines_of;
using testing::Numbers;
using testing::output_of;
using testing::Program;
using testing::read_bytes;
using testing::run;
using testing::write_bytes;
using namespace std::chrono_literals;

// Numbers, texts, true and false, an identifier that differs in each row, and targets of each kind.
std::string mixed_rows(int rows, unsigned seed, bool has_gaps) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::string text = "id,a,b,colour,yes,y,two,three\n";
  for (int i = 0; i < rows; ++i) {
    const double a = normal(random), b = normal(random);
    const unsigned colour = random() % 3, yes = random() % 2, gap = random() % 20;
    const double score = a - b + (colour == 0 ? 1 : 0) + normal(random);
    text += fmt::format("n{},{},{:.6g},{},{},{:.6g},{},{}\n", i, has_gaps && gap == 0 ? "" : fmt::format("{:.6g}", a), b,
                        has_gaps && gap == 1 ? "NA"
                                             : (colour == 0   ? "red"
                                                : colour == 1 ? "green"
                                                              : "\"blue, dark\""),
                        yes == 1 ? "TRUE" : "False", 2 * score + yes, score > 0 ? "warm" : "cold",
                        score < -1  ? "low"
                        : score < 1 ? "mid"
                                    : "high");
  }
  return text;
}

constexpr int num_rows = 20000;  // three pieces

class PredictInPieces : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const { write_bytes(folder_ / name, text); }
  void fit(const Arguments& options, const char* table = "train.csv") const {
    output_of(Arguments{"fit", table, "-q", "-o", "m.ardvark"} + options, folder_.path());
  }
  void fit_numbers() const {
    put("train.csv", "x,z,y\n1,4,2\n2,2,3\n4,7,9\n3,1,4\n5,5,8\n");
    fit({"--target", "y", "--model", "linear", "--prior", "shared"});
  }
  [[nodiscard]] std::string predicted(const Arguments& arguments) const {
    output_of(Arguments{"predict", "m.ardvark", "-q", "-o", "p.csv"} + arguments, folder_.path());
    return read_bytes(folder_ / "p.csv");
  }
  // x from 1 on, z = 2.
  static std::string numbers(int first, int count) {
    std::string text = "x,z\n";
    for (int i = first; i < first + count; ++i) text += fmt::format("{},2\n", i);
    return text;
  }
  testing::TemporaryFolder folder_;
};

// The numbers are those that the library makes of the whole table in memory.
TEST_F(PredictInPieces, HaveTheBitsOfTheWholeTableForEveryKindOfModel) {
  put("train.csv", mixed_rows(200, 1, false));
  put("gaps.csv", mixed_rows(200, 1, true));
  put("new.csv", mixed_rows(num_rows, 2, false));
  put("new_gaps.csv", mixed_rows(num_rows, 2, true));
  const std::string y = "id,two,three", two = "id,y,three", three = "id,y,two";
  const std::vector<Arguments> models = {
      {"--target", "y", "--model", "linear", "--ignore", y},
      {"--target", "y", "--model", "linear", "--prior", "slab", "--ignore", y},
      {"--target", "two", "--model", "logistic", "--ignore", two},
      {"--target", "three", "--model", "logistic", "--ignore", three},
      {"--target", "three", "--preset", "slr_var_ovo", "--ignore", three + ",colour"},
      {"--target", "two", "--preset", "vb_logit_fit", "--ignore", two + ",colour"},
      {"--target", "y", "--preset", "vrvm_regression", "--ignore", y + ",colour"},
      {"--target", "y", "--model", "rvm", "--task", "regression", "--width", "2", "--ignore", y},
      {"--target", "three", "--model", "rvm", "--width", "2", "--ignore", three},
      {"--target", "y", "--model", "kernel", "--task", "regression", "--vectors", "8", "--ignore", y},
      {"--target", "two", "--model", "kernel", "--vectors", "8", "--ignore", two},
      {"--target", "y", "--model", "linear", "--missing", "impute", "--imputations", "5", "--ignore", y}};
  for (const Arguments& options : models) {
    SCOPED_TRACE(testing::command_line(options));
    const bool has_gaps = std::ranges::find(options, "impute") != options.end();
    fit(options, has_gaps ? "gaps.csv" : "train.csv");
    const std::string table = has_gaps ? "new_gaps.csv" : "new.csv";
    const SavedModel model = load_model(folder_ / "m.ardvark");
    CsvOptions csv{.missing = has_gaps ? Missing::keep : Missing::refuse};
    FeatureEncoding encoding = model.encoding;
    encoding.keeps_gaps = has_gaps;
    const EncodedTable X = encode(read_csv(folder_ / table, csv), encoding);
    const Prediction whole = predict(model, X.X());
    const std::string text = predicted({table, "--digits", "17", "--keep", "id"});
    const auto has = [&](const std::string& name, const Vector& values) {
      EXPECT_TRUE(column(text, name) == testing::numbers(values)) << name;
    };
    std::visit(
        [&](const auto& p) {
          using Kind = std::decay_t<decltype(p)>;
          if constexpr (std::is_same_v<Kind, ClassProbabilities>) {
            const auto& classes = classes_of(model);
            for (std::size_t c = classes.size() == 2 ? 1 : 0; c < classes.size(); ++c)
              has("probability_" + classes[c], p.probability.col(static_cast<Index>(c)));
          } else if constexpr (std::is_same_v<Kind, ClassPrediction>) {
            has("probability_warm", p.probability), has("log_odds", p.mean), has("log_odds_sd", p.variance.cwiseSqrt());
          } else {
            has("mean", p.mean), has("sd", p.standard_deviation());
          }
        },
        whole);
    const std::vector<std::string> lines = lines_of(text);
    ASSERT_EQ(lines.size(), num_rows + 1U);
    for (const int i : {0, 8191, 8192, num_rows - 1})
      EXPECT_TRUE(lines[static_cast<std::size_t>(i) + 1].starts_with(fmt::format("n{},", i))) << i;
  }
}

TEST_F(PredictInPieces, HaveTheSameBytesForAnyNumberOfFiles) {
  put("train.csv", mixed_rows(200, 1, false));
  const std::string all = mixed_rows(num_rows, 2, true);
  put("all.csv", all);
  const std::vector<std::string> lines = lines_of(all);
  for (const auto& [name, first, last] :
       {std::tuple{"part-1.csv", 1, 3}, {"part-2.csv", 3, 9500}, {"part-3.csv", 9500, 9500}, {"part-4.csv", 9500, num_rows + 1}}) {
    std::string text = lines[0] + "\n";
    for (int i = first; i < last; ++i) text += lines[static_cast<std::size_t>(i)] + "\n";
    put(name, text);
  }
  for (const Arguments& model : {Arguments{"--target", "y", "--model", "linear", "--ignore", "id,two,three"},
                                 {"--target", "three", "--model", "logistic", "--ignore", "id,y,two"}}) {
    fit(model);
    for (const Arguments& more : {Arguments{}, {"--digits", "17", "--keep", "id,colour"}, {"--json"}}) {
      const Arguments options = more + Arguments{"--missing", "drop"};
      std::string whole = predicted(Arguments{"all.csv"} + options), parts = predicted(Arguments{"part-*.csv"} + options);
      if (more == Arguments{"--json"}) {
        Json a = Json::parse(whole), b = Json::parse(parts);
        a.erase("seconds"), b.erase("seconds");
        whole = a.dump(), parts = b.dump();
      }
      EXPECT_TRUE(whole == parts) << testing::command_line(options);
      EXPECT_GT(whole.size(), 100000U);
    }
  }
}

// With --missing drop the output has the number of each row, whether a row is dropped or not: it does not depend on the rows to come.
TEST_F(PredictInPieces, NumberTheRowsOfAllFiles) {
  fit_numbers();
  put("1.csv", "x,z\n1,2\n,3\n4,4\nNA,1\n");
  put("2.csv", "x,z\n5,\n6,7\n");
  put("3.csv", "z,x\n1,8\n");
  EXPECT_EQ(column(predicted({"1.csv", "2.csv", "3.csv", "--missing", "drop"}), "row"), (Numbers{1, 3, 6, 7}));
  EXPECT_EQ(column(predicted({"3.csv", "--missing", "drop"}), "row"), (Numbers{1}));
  EXPECT_TRUE(
      contains(run({"predict", "m.ardvark", "1.csv", "2.csv", "3.csv", "--missing", "drop"}, folder_.path()).err, "3 rows were dropped"));
  expect_refused({"predict", "m.ardvark", "3.csv", "2.csv"}, folder_, 2, {"row 1 (line 2) of '2.csv', column 'z': the value is missing"});
}

TEST_F(PredictInPieces, ScoreAllRows) {
  put("train.csv", mixed_rows(200, 1, false));
  put("new.csv", mixed_rows(num_rows, 2, false));
  fit({"--target", "y", "--model", "linear", "--ignore", "id,two,three"});
  const Json whole = testing::json_of({"predict", "m.ardvark", "new.csv"}, folder_.path());
  const Vector y = column_values(read_csv(folder_ / "new.csv"), 5);
  double squares = 0, covered = 0;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double observed = y[static_cast<Index>(i)];
    squares += std::pow(observed - whole["mean"][i].get<double>(), 2);
    covered += observed >= whole["lower"][i].get<double>() && observed <= whole["upper"][i].get<double>() ? 1 : 0;
  }
  EXPECT_NEAR(whole["score"]["r_squared"].get<double>(), 1 - squares / (y.array() - y.mean()).square().sum(), 1e-12);
  EXPECT_NEAR(whole["score"]["rmse"].get<double>(), std::sqrt(squares / num_rows), 1e-12);
  EXPECT_NEAR(whole["score"]["coverage"].get<double>(), covered / num_rows, 1e-12);
  EXPECT_TRUE(contains(run({"predict", "m.ardvark", "new.csv", "-o", "p.csv"}, folder_.path()).err, "20000 rows with 'y': R^2"));
}

TEST_F(PredictInPieces, RefuseALateRowAndLeaveNothing) {
  fit_numbers();
  const std::string good = numbers(1, num_rows);
  put("good.csv", numbers(1, 3));
  const auto refuse = [&](const std::string& last, testing::Pieces pieces) {
    put("bad.csv", good + last);
    expect_refused({"predict", "m.ardvark", "bad.csv", "-o", "p.csv"}, folder_, 2, pieces);
    expect_refused({"predict", "m.ardvark", "bad.csv", "--json"}, folder_, 2, pieces);
  };
  refuse("NaN,3\n", {"row 20001 (line 20002), column 'x': the value is missing"});
  refuse("1e200,3\n", {"row 20001 (line 20002)", "'x'", "1e+200"});
  refuse("word,3\n", {"row 20001 (line 20002), column 'x': 'word' is not a number"});
  refuse("1,2,3\n", {"row 20001 (line 20002) has 3 fields, the header has 2"});
  put("other.csv", "x,q\n1,2\n");
  put("empty.csv", "");
  put("bad.csv", good);
  const auto several = [&](const char* second, int code, testing::Pieces pieces) {
    expect_refused({"predict", "m.ardvark", "bad.csv", second, "-o", "p.csv"}, folder_, code, pieces);
  };
  several("other.csv", 2, {"'other.csv' has no column 'z', which 'bad.csv' has"});
  several("empty.csv", 2, {"'empty.csv' is empty"});
  several("gone.csv", 3, {"cannot open 'gone.csv'"});
  several("bad.csv", 2, {"'bad.csv' is given twice"});
  expect_refused({"predict", "m.ardvark", "no-*.csv", "-o", "p.csv"}, folder_, 3, {"'no-*.csv' matches no file"});
  expect_refused({"predict", "m.ardvark", "good.csv", "bad.csv", "-o", "bad.csv"}, folder_, 2, {"--output is 'bad.csv', which is read"});
  expect_refused({"predict", "m.ardvark", "bad.csv", "-o", "/dev/full"}, folder_, 3, {"cannot write '/dev/full'"});
}

TEST_F(PredictInPieces, LeaveTheOlderFileWhereTheDiskIsFull) {
  fit_numbers();
  put("new.csv", numbers(1, num_rows));
  put("p.csv", "older");
  const std::size_t num_files = folder_.num_files() + 1;
  const int status = std::system(
      fmt::format("cd '{}' && (ulimit -f 300; exec {} predict m.ardvark new.csv -o p.csv 2>err)", folder_.path(), testing::program_path())
          .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_TRUE(contains(read_bytes(folder_ / "err"), "cannot write 'p.csv': File too large; free space"));
  EXPECT_EQ(read_bytes(folder_ / "p.csv"), "older");
  EXPECT_EQ(folder_.num_files(), num_files);
}

// A pipe that stops in the middle: what was written of the output is removed.
TEST_F(PredictInPieces, EndAtOnceAndLeaveNothing) {
  fit_numbers();
  put("p.csv", "older");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  Program program({"predict", "m.ardvark", "pipe", "-o", "p.csv"}, folder_.path());
  std::ofstream pipe(folder_ / "pipe");
  pipe << numbers(1, num_rows) << std::flush;
  for (int wait = 0; wait < 200 && folder_.num_files() == 4; ++wait) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(folder_.num_files(), 5U) << "it writes nothing";
  program.signal(SIGINT);
  EXPECT_TRUE(program.has_ended(1s));
  const testing::Outcome outcome = program.outcome();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_TRUE(contains(outcome.err, "interrupted; nothing was written")) << outcome.err;
  EXPECT_EQ(folder_.num_files(), 4U);
  EXPECT_EQ(read_bytes(folder_ / "p.csv"), "older");
}

TEST_F(PredictInPieces, ReadAPipeToItsEnd) {
  fit_numbers();
  put("new.csv", numbers(1, num_rows));
  const std::string whole = predicted({"new.csv"});
  const std::string program = testing::program_path();
  EXPECT_EQ(std::system(fmt::format("cd '{}' && cat new.csv | {} predict m.ardvark /dev/stdin > printed", folder_.path(), program).c_str()),
            0);
  EXPECT_TRUE(read_bytes(folder_ / "printed") == whole);
}

}  // namespace
}  // namespace ardvark
