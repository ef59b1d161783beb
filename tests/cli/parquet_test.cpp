// Parquet in the shell, by DuckDB.
#include "../support/parquet.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_refused;
using testing::output_of;
using testing::read_bytes;
using testing::write_bytes;

// Numbers, a text column, true and false, gaps, an identifier.
const std::string rows_of_both =
    "SELECT 'n' || range AS id, sin(range) AS a, CASE WHEN range % 7 = 3 THEN NULL ELSE cos(range * 3) END AS b, "
    "CASE WHEN range % 3 = 0 THEN 'red' WHEN range % 11 = 0 THEN 'dark, blue' ELSE 'green' END AS colour, range % 5 < 2 AS yes, "
    "2 * sin(range) + (CASE WHEN range % 3 = 0 THEN 1 ELSE 0 END) + 0.3 * sin(range * 17) AS y FROM range({}, {})";

class ParquetInTheShell : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    duckdb_ = testing::duckdb_or_none(why);
    if (duckdb_ == nullptr) GTEST_SKIP() << why;
    put(20000);
  }
  void put(int rows) const {
    const auto question = [&](int first, int last) { return fmt::format(fmt::runtime(rows_of_both), first, last); };
    testing::write_parquet(*duckdb_, folder_ / "all.parquet", question(0, rows), ", ROW_GROUP_SIZE 5000");
    testing::write_parquet(*duckdb_, folder_ / "part-1.parquet", question(0, rows / 3));
    testing::write_parquet(*duckdb_, folder_ / "part-2.parquet", question(rows / 3, rows));
    static_cast<void>(duckdb_->ask("COPY (" + question(0, rows) + ") TO '" + (folder_ / "all.csv") + "' (HEADER)", 1, "")->next());
  }
  internal::io::DuckDb* duckdb_ = nullptr;
  testing::TemporaryFolder folder_;
};

TEST_F(ParquetInTheShell, GivesTheBytesOfTheSameRowsAsCsv) {
  const Arguments rows = {"--target", "y", "--missing", "drop", "--ignore", "id", "-q"};
  const auto stats = [&](const std::string& table) {
    output_of(Arguments{"stats", table, "-o", "s.stats"} + rows, folder_.path());
    return read_bytes(folder_ / "s.stats");
  };
  const std::string of_csv = stats("all.csv");
  EXPECT_TRUE(stats("all.parquet") == of_csv);
  EXPECT_TRUE(stats("part-*.parquet") == of_csv);
  output_of(Arguments{"fit", "part-*.parquet", "--model", "linear", "-o", "m.ardvark"} + rows, folder_.path());
  const auto predicted = [&](const std::string& table) {
    output_of({"predict", "m.ardvark", table, "--missing", "drop", "--keep", "id,colour", "--digits", "17", "-q", "-o", "p.csv"},
              folder_.path());
    return read_bytes(folder_ / "p.csv");
  };
  const std::string by_csv = predicted("all.csv");
  EXPECT_TRUE(predicted("all.parquet") == by_csv);
  EXPECT_TRUE(predicted("part-*.parquet") == by_csv);
  EXPECT_GT(by_csv.size(), 100000U);
}

TEST_F(ParquetInTheShell, IsReadIntoMemoryByOtherModels) {
  put(300);
  const Arguments model = {"--target", "yes", "--model", "logistic", "--prior", "shared", "--missing", "drop", "--ignore", "id"};
  const testing::Json text = testing::json_of(Arguments{"fit", "all.csv"} + model, folder_.path()),
                      parquet = testing::json_of(Arguments{"fit", "all.parquet"} + model, folder_.path());
  for (const char* name : {"mean", "sd", "bound", "notes"}) EXPECT_EQ(parquet[name], text[name]) << name;
}

// What DuckDB reads from a file of predictions, as text with the header of CSV.
std::string as_csv(const internal::io::DuckDb& duckdb, const testing::TemporaryFolder& folder, const std::string& file) {
  static_cast<void>(
      duckdb.ask(fmt::format("COPY (SELECT * FROM '{}') TO '{}' (HEADER)", folder / file, folder / "back.csv"), 1, "")->next());
  return read_bytes(folder / "back.csv");
}

TEST_F(ParquetInTheShell, HoldsThePredictionsOfTheCsvFile) {
  const Arguments rows = {"--missing", "drop", "-q"};
  output_of(Arguments{"fit", "all.csv", "--model", "linear", "--target", "y", "--ignore", "id,yes", "-o", "y.ardvark"} + rows,
            folder_.path());
  output_of(
      Arguments{"fit", "all.csv", "--model", "logistic", "--prior", "shared", "--target", "yes", "--ignore", "id,y", "-o", "yes.ardvark"} +
          rows,
      folder_.path());
  output_of(Arguments{"fit", "all.csv", "--model", "logistic", "--prior", "shared", "--target", "colour", "--ignore", "id,yes", "-o",
                      "colour.ardvark"} +
                rows,
            folder_.path());
  for (const std::string model : {"y", "yes", "colour"})
    for (const std::string table : {"all.csv", "part-*.parquet"}) {
      const Arguments command = Arguments{"predict", model + ".ardvark", table, "--keep", "id,a"} + rows;
      output_of(command + Arguments{"-o", "p.parquet"}, folder_.path());
      output_of(command + Arguments{"--digits", "17", "-o", "p.csv"}, folder_.path());
      const std::string text = as_csv(*duckdb_, folder_, "p.parquet");
      const std::vector<std::string> ours = testing::lines_of(read_bytes(folder_ / "p.csv")), theirs = testing::lines_of(text);
      ASSERT_EQ(theirs.size(), ours.size()) << model << table;
      EXPECT_EQ(theirs.front(), ours.front());
      for (std::size_t i = 1; i < ours.size(); ++i) {
        const std::vector<std::string> mine = testing::fields_of(ours[i]), other = testing::fields_of(theirs[i]);
        ASSERT_EQ(mine.size(), other.size());
        for (std::size_t j = 0; j < mine.size(); ++j)
          ASSERT_TRUE(mine[j] == other[j] || std::stod(mine[j]) == std::stod(other[j])) << ours[i] << " " << theirs[i];
      }
    }
}

TEST_F(ParquetInTheShell, IsReadAgainByTheNextCommand) {
  put(300);
  const Arguments rows = {"--missing", "drop", "-q"};
  output_of(Arguments{"fit", "all.csv", "--model", "linear", "--target", "y", "--ignore", "id", "-o", "m.ardvark"} + rows, folder_.path());
  output_of(Arguments{"predict", "m.ardvark", "all.csv", "--keep", "id,y", "-o", "p.parquet"} + rows, folder_.path());
  output_of(Arguments{"predict", "m.ardvark", "all.csv", "--keep", "id,y", "--digits", "17", "-o", "p.csv"} + rows, folder_.path());
  for (const std::string table : {"p.parquet", "p.csv"})
    output_of(Arguments{"stats", table, "--target", "y", "--ignore", "id,row", "-o", table + ".stats"} + rows, folder_.path());
  EXPECT_EQ(read_bytes(folder_ / "p.parquet.stats"), read_bytes(folder_ / "p.csv.stats"));
}

TEST_F(ParquetInTheShell, KeepsTheTypesAndDigitsOfCopiedColumns) {
  testing::write_parquet(*duckdb_, folder_ / "t.parquet",
                         "SELECT 9007199254740993 + 2 * range AS id, (range / 4)::DECIMAL(9, 2) AS price, range::FLOAT / 3 AS f, DATE "
                         "'2024-02-27' + range::INT AS day, range % 5 AS z, sin(range) + range AS y FROM range(9)");
  const auto answer = [&](const std::string& file) {
    const std::string what = "SELECT id, price, f, day FROM '";
    static_cast<void>(duckdb_->ask("COPY (" + what + (folder_ / file) + "') TO '" + (folder_ / "back.csv") + "' (HEADER)", 1, "")->next());
    return read_bytes(folder_ / "back.csv");
  };
  output_of({"fit", "t.parquet", "--model", "linear", "--target", "y", "--ignore", "day", "-q", "-o", "m.ardvark"}, folder_.path());
  const Arguments kept = {"predict", "m.ardvark", "t.parquet", "--keep", "id,price,f,day", "-q"};
  output_of(kept + Arguments{"-o", "p.parquet"}, folder_.path());
  EXPECT_EQ(answer("p.parquet"), answer("t.parquet"));
  const std::string types =
      "SELECT string_agg(column_type, ' ') FROM (DESCRIBE SELECT id, price, f, day FROM '" + (folder_ / "p.parquet") + "')";
  const auto told = duckdb_->ask(types, 1, "");
  ASSERT_TRUE(told->next());
  EXPECT_EQ(told->column<internal::io::DuckDbText>(0)[0].view(), "BIGINT DECIMAL(9,2) FLOAT DATE");
  const std::vector<std::string> lines = testing::lines_of(output_of(kept, folder_.path()));
  EXPECT_TRUE(lines[2].starts_with("9007199254740995,0.25,0.33333334,2024-02-28,")) << lines[2];
}

TEST_F(ParquetInTheShell, WritesCopiedTextOfCsvAsNumbersOnlyIfTheyHoldIt) {
  const std::string head = "id,code,x,y\n";
  write_bytes(folder_ / "t.csv", head + "9007199254740993,007,1.50,1\n9007199254740995,8,2,2\n9007199254740997,9,+3,3.5\n4,1,-0.0,4\n");
  output_of({"fit", "t.csv", "--model", "linear", "--target", "y", "-q", "-o", "m.ardvark"}, folder_.path());
  output_of({"predict", "m.ardvark", "t.csv", "--keep", "id,code,x,y", "-q", "-o", "p.parquet"}, folder_.path());
  const std::vector<std::string> lines = testing::lines_of(as_csv(*duckdb_, folder_, "p.parquet"));
  EXPECT_TRUE(lines[1].starts_with("9007199254740993,007,1.5,1.0,")) << lines[1];
  EXPECT_TRUE(lines[3].starts_with("9007199254740997,9,3.0,3.5,")) << lines[3];
  std::string later = head;
  for (int i = 0; i < 9000; ++i) later += "1,1,1,1\n";
  write_bytes(folder_ / "late.csv", later + "1,007,1,1\n");
  expect_refused({"predict", "m.ardvark", "late.csv", "--keep", "code", "-o", "p.parquet"}, folder_, 2,
                 {"column 'code' of --keep is written as DOUBLE, which cannot hold all values of later rows; write CSV"});
}

TEST_F(ParquetInTheShell, SaysThatRowLabelsOfPandasAreLeftOut) {
  const std::string about = R"({"index_columns": ["__index_level_0__"], "columns": []})",
                    rows = "SELECT sin(range) AS x, range AS \"__index_level_0__\", sin(range) + 0.1 * cos(7 * range) AS y FROM range(60)";
  testing::write_parquet(*duckdb_, folder_ / "t.parquet", rows, ", KV_METADATA {pandas: '" + about + "'}");
  const char* const words = "column '__index_level_0__', in which pandas keeps the labels of the rows, is left out";
  const auto columns_of = [&](const Arguments& more) {
    const testing::Json fit = testing::json_of(Arguments{"fit", "t.parquet", "--model", "linear", "--json"} + more, folder_.path());
    EXPECT_EQ(contains(fit.at("notes").dump(), words), fit.at("columns").size() == 1) << fit.at("notes");
    return fit.at("columns").get<std::vector<std::string>>();
  };
  using Names = std::vector<std::string>;
  for (const char* stream : {"always", "never"}) EXPECT_EQ(columns_of({"--target", "y", "--stream", stream}), Names{"x"});
  EXPECT_EQ(columns_of({"--target", "__index_level_0__"}), (Names{"x", "y"}));
  EXPECT_EQ(columns_of({"--target", "y", "--flat", "__index_level_0__"}), (Names{"x", "__index_level_0__"}));
  output_of({"stats", "t.parquet", "--target", "y", "-o", "s.stats"}, folder_.path());
  EXPECT_EQ(testing::json_of({"fit", "--statistics", "s.stats", "--json"}, folder_.path()).at("columns"), testing::Json{"x"});
  output_of({"fit", "t.parquet", "--model", "linear", "--target", "y", "-q", "-o", "m.ardvark"}, folder_.path());
  const std::vector<std::string> lines =
      testing::lines_of(output_of({"predict", "m.ardvark", "t.parquet", "--keep", "__index_level_0__", "-q"}, folder_.path()));
  EXPECT_TRUE(lines[60].starts_with("59,")) << lines[60];
}

TEST_F(ParquetInTheShell, IsWrittenCompletelyOrNotAtAll) {
  put(3000);
  const Arguments rows = {"--missing", "drop", "-q"};
  output_of(Arguments{"fit", "all.csv", "--model", "linear", "--target", "y", "--ignore", "id", "-o", "m.ardvark"} + rows, folder_.path());
  write_bytes(folder_ / "p.parquet", "old");
  const auto refused = [&](const Arguments& more, int code, const char* words) {
    expect_refused(Arguments{"predict", "m.ardvark", "all.csv", "-o", "p.parquet"} + more, folder_, code, {words});
    EXPECT_EQ(read_bytes(folder_ / "p.parquet"), "old");
  };
  refused({}, 2, "row 4 (line 5), column 'b'");
  write_bytes(folder_ / "late.csv", read_bytes(folder_ / "all.csv") + "n9,x,1,red,true,1\n");
  expect_refused(Arguments{"predict", "m.ardvark", "late.csv", "-o", "p.parquet"} + rows, folder_, 2, {"'x' is not a number"});
  EXPECT_EQ(read_bytes(folder_ / "p.parquet"), "old");
  refused(rows + Arguments{"--digits", "4"}, 2, "--digits cannot be used with --output 'p.parquet'");
  refused(rows + Arguments{"--json"}, 2, "--json cannot be used with --output 'p.parquet'");
  write_bytes(folder_ / "mean.csv", "Mean," + read_bytes(folder_ / "all.csv").substr(3));
  expect_refused(Arguments{"predict", "m.ardvark", "mean.csv", "--keep", "Mean", "-o", "p.parquet"} + rows, folder_, 2,
                 {"would have the columns 'Mean' and 'mean', whose names are the same"});
  expect_refused(Arguments{"predict", "m.ardvark", "all.csv", "-o", "p.arrow"} + rows, folder_, 2, {"predict writes no Arrow files"});
  expect_refused(Arguments{"predict", "m.ardvark", "all.csv", "-o", "no/p.parquet"} + rows, folder_, 3, {"the folder 'no' does not exist"});
  const int limited = std::system(fmt::format("cd '{}' && ulimit -f 8 && {} predict m.ardvark all.csv --missing drop -q -o p.parquet 2>err",
                                              folder_.path(), testing::program_path())
                                      .c_str());
  EXPECT_EQ(WEXITSTATUS(limited), 3);
  EXPECT_TRUE(contains(read_bytes(folder_ / "err"), "cannot write 'p.parquet': File too large; free space")) << read_bytes(folder_ / "err");
  EXPECT_EQ(read_bytes(folder_ / "p.parquet"), "old");
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_FALSE(contains(file.path().string(), "partial")) << file.path();
}

TEST_F(ParquetInTheShell, NamesTheRowThatItRefuses) {
  expect_refused({"stats", "all.parquet", "--target", "y", "--ignore", "id", "-o", "s.stats"}, folder_, 2,
                 {"row 4, column 'b': the value is missing; --missing drop leaves such rows out"});
  testing::write_parquet(*duckdb_, folder_ / "late.parquet",
                         "SELECT CASE WHEN range = 15000 THEN 1e200 ELSE range END AS x, range AS y FROM range(20000)");
  expect_refused({"stats", "late.parquet", "--target", "y", "-o", "s.stats"}, folder_, 2, {"row 15001 has the value 1e+200 in column 'x'"});
  testing::write_parquet(*duckdb_, folder_ / "day.parquet", "SELECT DATE '2024-02-01' AS day, 1 AS x, 2 AS y");
  expect_refused({"fit", "day.parquet", "--target", "y", "--model", "linear"}, folder_, 2,
                 {"column 'day' of 'day.parquet' holds dates or times (DATE)"});
  const std::string bytes = read_bytes(folder_ / "all.parquet");
  write_bytes(folder_ / "cut.parquet", bytes.substr(0, bytes.size() / 2));
  expect_refused({"fit", "cut.parquet", "--target", "y", "--model", "linear"}, folder_, 2, {"'cut.parquet' cannot be read as Parquet: "});
}

TEST_F(ParquetInTheShell, SaysWhatToInstall) {
  const auto refused = [&](const std::string& environment) {
    const int status = std::system(fmt::format("cd '{}' && env -u VIRTUAL_ENV {} {} stats all.parquet --target y -o s.stats 2>err",
                                               folder_.path(), environment, testing::program_path())
                                       .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3);
    const std::string message = read_bytes(folder_ / "err");
    EXPECT_TRUE(testing::is_one_message(message)) << message;
    return message;
  };
  EXPECT_TRUE(
      contains(refused("ARDVARK_DUCKDB=/nowhere/libduckdb.so"), "ARDVARK_DUCKDB is '/nowhere/libduckdb.so', which cannot be opened"));
  const std::string no_writer =
      fmt::format("cd '{}' && ARDVARK_DUCKDB=/nowhere/libduckdb.so {} predict m.ardvark all.csv -o p.parquet 2>err", folder_.path(),
                  testing::program_path());
  output_of({"fit", "all.csv", "--model", "linear", "--target", "y", "--ignore", "id", "--missing", "drop", "-q", "-o", "m.ardvark"},
            folder_.path());
  EXPECT_EQ(WEXITSTATUS(std::system(no_writer.c_str())), 3);
  EXPECT_TRUE(contains(read_bytes(folder_ / "err"), "'p.parquet' would be a Parquet file, which DuckDB writes, but ARDVARK_DUCKDB is"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "p.parquet"));
  EXPECT_TRUE(contains(refused("ARDVARK_DUCKDB=libc.so.6"), "has no function duckdb_create_config"));
  // Where a machine has DuckDB for everybody, it is found.
  if (testing::run({"stats", "all.parquet", "--target", "y", "--ignore", "id", "--missing", "drop", "-q", "-o", "s.stats"}, folder_.path())
          .exit_code == 0) {
    const std::string line =
        fmt::format("cd '{}' && env -u VIRTUAL_ENV HOME=/nowhere PATH=/nowhere {} stats all.parquet --target y -o s.stats 2>err",
                    folder_.path(), testing::program_path());
    if (WEXITSTATUS(std::system(line.c_str())) == 3) {
      EXPECT_TRUE(contains(read_bytes(folder_ / "err"), "and DuckDB, which reads it, is not there; install it (pip install duckdb)"));
    }
  }
}

}  // namespace
}  // namespace ardvark
