// Parquet files as tables.
#include "io/parquet_rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../support/parquet.hpp"
#include "../support/thrown.hpp"
#include "ardvark/table_stream.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

class ParquetTables : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    duckdb_ = testing::duckdb_or_none(why);
    if (duckdb_ == nullptr) GTEST_SKIP() << why;
  }
  std::string put(const std::string& question, const std::string& name = "t.parquet") const {
    testing::write_parquet(*duckdb_, folder_ / name, question);
    return folder_ / name;
  }
  // The names are put into the bytes of a file: DuckDB writes none that differ in case only. Each is as long as the one before.
  std::string put_names(const std::vector<std::string>& after) const {
    const std::vector<std::string> before = {"qqqa", "qqqb", "qqqqqc", "qqqd"};
    std::string bytes = read_bytes(put("SELECT 1.0::DOUBLE AS qqqa, 2.0::DOUBLE AS qqqb, 3.0::DOUBLE AS qqqqqc, 4.0::DOUBLE AS qqqd"));
    for (std::size_t j = 0; j < after.size(); ++j)
      for (std::size_t at = bytes.find(before[j]); at != std::string::npos; at = bytes.find(before[j], at))
        bytes.replace(at, before[j].size(), after[j]);
    write_bytes(folder_ / "names.parquet", bytes);
    return folder_ / "names.parquet";
  }
  internal::io::DuckDb* duckdb_ = nullptr;
  TemporaryFolder folder_;
};

TEST_F(ParquetTables, HaveNumbersTruthsAndTextsOfAnyType) {
  const std::string path =
      put("SELECT (range - 2)::TINYINT AS a, (range * 100000)::UBIGINT AS b, (range / 4)::DECIMAL(9, 2) AS c, range::FLOAT / 3 AS d, "
          "range % 2 = 0 AS e, 'text ' || range || repeat('!', range::INT * 5) AS f, (CASE WHEN range > 1 THEN 'u' ELSE 'v' "
          "END)::ENUM('v', 'u') AS g, "
          "1.5::DOUBLE AS \"a \"\"name\"\"\" FROM range(5)");
  const Table table = read_csv(path);
  ASSERT_EQ(table.num_rows, 5);
  EXPECT_EQ(table.columns[7].name, "a \"name\"");
  for (Index i = 0; i < 5; ++i) {
    const auto x = static_cast<double>(i);
    EXPECT_EQ(table.value(i, 0), x - 2);
    EXPECT_EQ(table.value(i, 1), x * 100000);
    EXPECT_EQ(table.value(i, 2), x / 4);
    EXPECT_EQ(table.value(i, 3), static_cast<double>(static_cast<float>(i) / 3));
    EXPECT_EQ(table.value(i, 7), 1.5);
    const auto text = [&](std::size_t j) {
      return table.columns[j].levels[static_cast<std::size_t>(table.value(i, static_cast<Index>(j)))];
    };
    EXPECT_EQ(text(4), i % 2 == 0 ? "true" : "false");
    EXPECT_EQ(text(5), fmt::format("text {}{}", i, std::string(static_cast<std::size_t>(5 * i), '!')));
    EXPECT_EQ(text(6), i > 1 ? "u" : "v");
  }
  EXPECT_EQ(table.row_name(3), "row 4");
  EXPECT_TRUE(make_encoding(table, {}).features[4].is_truth);
}

// The same rows as CSV are the same table.
TEST_F(ParquetTables, AreTheTableThatTheirCsvIs) {
  const std::string question =
      "SELECT range AS x, sin(range) AS y, CASE WHEN range % 5 = 0 THEN NULL WHEN range % 3 = 0 THEN 'a' ELSE 'b, c' END AS k, range % 2 = "
      "0 AS t "
      "FROM range(20000)";
  const std::string parquet = put(question);
  static_cast<void>(duckdb_->ask("COPY (" + question + ") TO '" + (folder_ / "t.csv") + "' (HEADER)", 1, "")->next());
  for (const Missing missing : {Missing::drop_rows, Missing::keep}) {
    const CsvOptions options{.missing = missing};
    const Table a = read_csv(parquet, options), b = read_csv(folder_ / "t.csv", options);
    ASSERT_EQ(a.num_rows, b.num_rows);
    EXPECT_EQ(a.num_dropped, b.num_dropped);
    EXPECT_EQ(a.file_rows, b.file_rows);
    EXPECT_EQ(a.num_missing, b.num_missing);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(a.columns[j].levels, b.columns[j].levels);
    for (Index i = 0; i < a.num_rows * 4; ++i) {
      const double x = a.values[static_cast<std::size_t>(i)], y = b.values[static_cast<std::size_t>(i)];
      ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << i;
    }
  }
}

TEST_F(ParquetTables, AreReadInPiecesAcrossFiles) {
  std::vector<std::string> paths;
  for (const int part : {0, 1, 2})
    paths.push_back(
        put(fmt::format("SELECT 'n' || (range + {0}) AS id, range + {0} AS x FROM range({1})", 3000 * part, part == 1 ? 0 : 3000),
            fmt::format("year=20{}[*].parquet", part)));
  TableStream stream(paths, {.only = {"x"}, .verbatim = {"id"}});
  Index row = 0;
  for (Table piece; stream.next(piece, 2500);)
    for (Index i = 0; i < piece.num_rows; ++i, ++row) {
      const double x = static_cast<double>(row < 3000 ? row : row + 3000);
      ASSERT_EQ(piece.value(i, piece.find("x")), x);
      ASSERT_EQ(piece.row_number(i), row + 1);
      ASSERT_EQ(piece.row_name(i), fmt::format("row {} of '{}'", row % 3000 + 1, paths[row < 3000 ? 0 : 2]));
      const Index id = piece.find("id");
      ASSERT_EQ(piece.columns[static_cast<std::size_t>(id)].levels[static_cast<std::size_t>(piece.value(i, id))], fmt::format("n{}", x));
    }
  EXPECT_EQ(row, 6000);
}

TEST_F(ParquetTables, HaveMarkersOfMissingValues) {
  const std::string path = put("SELECT unnest([1.0, -999, 'NaN'::DOUBLE, NULL, 5]) AS x, unnest(['a', 'none', 'b', 'NA', 'c']) AS k");
  const Table table = read_csv(path, {.missing = Missing::keep, .missing_markers = {"-999", "none"}});
  EXPECT_EQ(table.num_missing, (std::vector<Index>{3, 1}));  // NA is a text: there is NULL
  expect_invalid([&] { static_cast<void>(read_csv(path)); }, {"row 3, column 'x': the value is missing"});
}

TEST_F(ParquetTables, ReadNumbersAsTextsIfTheyAreListed) {
  const std::string path = put("SELECT range % 3 AS k, range AS x FROM range(9)");
  EXPECT_EQ(read_csv(path, {.categorical = {"k"}}).columns[0].levels, (std::vector<std::string>{"0", "1", "2"}));
}

TEST_F(ParquetTables, RefuseWhatIsNoNumberAndNoText) {
  for (const auto& [value, type] : {std::pair{"DATE '2024-02-01'", "dates or times (DATE)"},
                                    {"TIMESTAMP '2024-02-01 10:00:00'", "dates or times (TIMESTAMP"},
                                    {"[1, 2]", "neither numbers nor texts (INTEGER[])"},
                                    {"{'a': 1}", "neither numbers nor texts (STRUCT"}}) {
    const std::string path = put(fmt::format("SELECT 1 AS x, {} AS v", value));
    expect_invalid([&] { static_cast<void>(read_csv(path)); }, {"column 'v' of '", type, "--ignore"});
    EXPECT_EQ(read_csv(path, {.ignore = {"v"}}).num_columns(), 1);
  }
  expect_invalid([&] { static_cast<void>(read_csv(put("SELECT 1 / range AS x FROM range(-1, 2)"))); },
                 {"row 2, column 'x': inf is not finite"});
  expect_invalid([&] { static_cast<void>(read_csv(put("SELECT range AS x FROM range(0)"))); }, {"has a header but no rows"});
}

TEST_F(ParquetTables, RefuseFilesOfOtherColumns) {
  const std::string a = put("SELECT 1 AS x, 2 AS y"), b = put("SELECT 'u' AS x, 2 AS y", "b.parquet"),
                    c = put("SELECT 1 AS x", "c.parquet");
  const std::string e = put("SELECT true AS x, 2 AS y", "e.parquet");
  write_bytes(folder_ / "d.csv", "x,y\n1,2\n");
  const auto refuse = [&](const std::string& first, const std::string& second, std::initializer_list<const char*> pieces) {
    TableStream stream({first, second}, {});
    Table piece;
    expect_invalid([&] { static_cast<void>(stream.next(piece)); }, pieces);
  };
  refuse(a, b, {"column 'x' of '", "b.parquet' holds texts, and files before it have numbers there"});
  refuse(a, e, {"e.parquet' holds true and false, and files before it have numbers there; write it in the same way"});
  refuse(e, a, {"t.parquet' holds numbers, and files before it have true and false there; write it in the same way"});
  refuse(a, c, {"c.parquet' has no column 'y', which '"});
  refuse(a, folder_ / "d.csv", {"d.csv' is no Parquet file, as those before it are"});
  refuse(folder_ / "d.csv", a, {"t.parquet' is Parquet, which cannot be read from a pipe or after a file of CSV"});
}

TEST_F(ParquetTables, RefuseFilesThatAreCutOrDamaged) {
  const std::string bytes = read_bytes(put("SELECT range AS x, 'k' || range % 7 AS k FROM range(3000)"));
  for (std::size_t part = 1; part < 40; ++part) {
    write_bytes(folder_ / "t.parquet", bytes.substr(0, part * bytes.size() / 40));
    expect_invalid([&] { static_cast<void>(read_csv(folder_ / "t.parquet")); }, {"t.parquet' cannot be read as Parquet: "});
  }
  write_bytes(folder_ / "t.parquet", "PAR1");
  expect_invalid([&] { static_cast<void>(read_csv(folder_ / "t.parquet")); }, {"t.parquet' cannot be read as Parquet: "});
}

// DuckDB takes gene and GENE for one name, and calls the second GENE_1.
TEST_F(ParquetTables, HaveTheNamesOfTheFileThoughTheyDifferInCaseOnly) {
  const std::string path = put_names({"gene", "GENE", "GENE_1", "Gene"});
  for (const CsvOptions& options : {CsvOptions{}, CsvOptions{.only = {"GENE_1", "Gene"}}, CsvOptions{.ignore = {"GENE"}}}) {
    const Table table = read_csv(path, options);
    for (const auto& [name, value] : std::vector<std::pair<std::string, double>>{{"gene", 1}, {"GENE", 2}, {"GENE_1", 3}, {"Gene", 4}})
      if (const Index j = table.find(name); j >= 0) {
        EXPECT_EQ(table.value(0, j), value) << name;
      }
    EXPECT_EQ(table.find("GENE_1_1"), -1);
  }
  const std::string nested = put("SELECT {'u': 1, 'v': {'w': 2}} AS s, [1, 2] AS l, MAP {'a': 1} AS m, 1.5 AS x, {'x': 3} AS last");
  EXPECT_EQ(read_csv(nested, {.only = {"x"}}).value(0, 0), 1.5);
  EXPECT_EQ(read_csv(nested, {.ignore = {"s", "l", "m", "last"}}).columns[0].name, "x");
  expect_invalid([&] { (void)read_csv(path, {.only = {"GENE_1_1"}}); }, {"has no column 'GENE_1_1'"});
}

TEST_F(ParquetTables, LeaveOutTheRowLabelsOfPandas) {
  const std::string columns = "range * 2.5 AS x, range AS \"__index_level_0__\", 'n' || range AS \"the name\"",
                    about = R"({"index_columns": ["__index_level_0__", "the name", {"kind": "range", "name": null}], "columns": []})";
  const std::string path = folder_ / "t.parquet", plain = put("SELECT range * 2.5 AS x FROM range(3, 9)", "plain.parquet");
  testing::write_parquet(*duckdb_, path, "SELECT " + columns + " FROM range(5)", ", KV_METADATA {pandas: '" + about + "'}");
  const Table table = read_csv(path);
  ASSERT_EQ(table.num_columns(), 1);
  EXPECT_EQ(table.columns[0].name, "x");
  EXPECT_EQ(table.notes, std::vector<std::string>{
                             "columns '__index_level_0__', 'the name', in which pandas keeps the labels of the rows, are left out; if "
                             "they are data, make a column of them (reset_index)"});
  for (const std::vector<std::string>& files : {std::vector{path, plain}, {plain, path}}) {
    EXPECT_EQ(read_csv(files).num_columns(), 1);
    EXPECT_EQ(read_csv(files).num_rows, 11);
  }
  EXPECT_EQ(read_csv(path, {.required = {{"the name", "--target"}}}).num_columns(), 2);
  EXPECT_EQ(read_csv(path, {.only = {"x", "__index_level_0__"}}).num_columns(), 2);
  EXPECT_EQ(read_csv(path, {.only = {"x"}, .verbatim = {"the name"}}).columns[1].levels.size(), 5U);
  for (const char* other :
       {"no JSON", "[1]", R"({"index_columns": 3})", R"({"index_columns": [7, null]})", R"({"index_columns": ["absent"]})"}) {
    testing::write_parquet(*duckdb_, path, "SELECT " + columns + " FROM range(5)", fmt::format(", KV_METADATA {{pandas: '{}'}}", other));
    EXPECT_EQ(read_csv(path).num_columns(), 2) << other;  // the name of the labels is enough
  }
}

TEST_F(ParquetTables, HaveTheSameCodesInEveryType) {
  std::vector<std::string> paths;
  for (const char* type : {"BIGINT", "DOUBLE", "FLOAT", "DECIMAL(9, 2)", "VARCHAR"})
    paths.push_back(
        put(fmt::format("SELECT (range + 1)::{0} AS code, range AS x FROM range(3)", type), fmt::format("{}.parquet", paths.size())));
  put("SELECT CASE WHEN range = 0 THEN 'nan'::DOUBLE ELSE range END AS code, range AS x FROM range(4)", "gap.parquet");
  const CsvOptions options{.missing = Missing::drop_rows, .categorical = {"code"}};
  EXPECT_EQ(read_csv(paths, options).columns[0].levels, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(read_csv(folder_ / "gap.parquet", options).columns[0].levels, (std::vector<std::string>{"1", "2", "3"}));
}

}  // namespace
}  // namespace ardvark
