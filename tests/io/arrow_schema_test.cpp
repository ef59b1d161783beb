// Schemas that pyarrow and polars put into files of Parquet.
#include "io/arrow_schema.hpp"

#include <gtest/gtest.h>

#include <string>

#include "../support/parquet.hpp"
#include "../support/thrown.hpp"
#include "ardvark/table.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using internal::io::arrow_fields;

// x: double, taken: duration[ms], day: pandas.period over int64, n: int64; written by pyarrow 26.0.1
const std::string of_pyarrow =
    "/////7gBAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAQAAABcAQAAHAEAAFAAAAAEAAAAxP7//wAAAQIQAAAAHAAAAAQAAAAAAAAAAQAA"
    "AG4AAAAIAA4ACAAHAAgAAAAAAAABQAAAAAAAEgAYAAgABgAHAAwAAAAQABQAEgAAAAAAAQIUAAAAsAAAAAgAAAAQAAAAAAAAAAMAAABkYXkAAgAAAEwAAAAEAAAAxP///xwA"
    "AAAEAAAADQAAAHBhbmRhcy5wZXJpb2QAAAAUAAAAQVJST1c6ZXh0ZW5zaW9uOm5hbWUAAAAACAAMAAQACAAIAAAAHAAAAAQAAAANAAAAeyJmcmVxIjogIkQifQAAABgAAABB"
    "UlJPVzpleHRlbnNpb246bWV0YWRhdGEAAAAACAAMAAgABwAIAAAAAAAAAUAAAADU////AAABEhAAAAAcAAAABAAAAAAAAAAFAAAAdGFrZW4AAAAEAAQABAAAABAAFAAIAAYA"
    "BwAMAAAAEAAQAAAAAAABAxAAAAAYAAAABAAAAAAAAAABAAAAeAAGAAgABgAGAAAAAAACAA==";
// x: double, taken: duration[us]; written by polars
const std::string of_polars =
    "/////54AAAAEAAAA8v///xQAAAAEAAEAAAAKAAsACAAKAAQA+P///wwAAAAIAAgAAAAEAAIAAAA0AAAABAAAAMD///8cAAAAEAAAAAgAAAABEgAAAAAAAL7///8CAAAABQAA"
    "AHRha2VuAAAA7P///zAAAAAgAAAAGAAAAAEDAAAQABIABAAQABEACAAAAAwAAAAAAPr///8CAAYABgAEAAEAAAB4AA==";

TEST(ArrowSchema, SaysWhichFieldsAreDurationsAndPeriods) {
  const auto fields = arrow_fields(of_pyarrow);
  ASSERT_EQ(fields.size(), 4U);
  const char* names[] = {"x", "taken", "day", "n"};
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(fields[j].name, names[j]);
    EXPECT_EQ(fields[j].is_duration, j == 1);
    EXPECT_EQ(fields[j].extension, j == 2 ? "pandas.period" : "");
  }
  const auto others = arrow_fields(of_polars);
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].name, "x");
  EXPECT_EQ(others[1].name, "taken");
  EXPECT_TRUE(others[1].is_duration && !others[0].is_duration);
}

TEST(ArrowSchema, OfDamagedBytesIsReadWithinThem) {
  EXPECT_TRUE(arrow_fields("").empty());
  EXPECT_TRUE(arrow_fields("no base64!").empty());
  for (const std::string& whole : {of_pyarrow, of_polars}) {
    const std::size_t most = whole.size();  // a field takes more than one byte
    for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_LE(arrow_fields(whole.substr(0, size)).size(), most);
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (const char digit : {'A', '/', '8', 'f'}) {
        std::string damaged = whole;
        damaged[at] = digit;
        EXPECT_LE(arrow_fields(damaged).size(), most);
      }
  }
}

TEST(ArrowSchema, OfAFileMakesDurationsNoNumbers) {
  std::string why;
  const internal::io::DuckDb* const duckdb = testing::duckdb_or_none(why);
  if (duckdb == nullptr) GTEST_SKIP() << why;
  const testing::TemporaryFolder folder;
  const std::string path = folder / "t.parquet", columns = "range::DOUBLE AS x, range AS taken";
  const std::string words_of_pandas =
      R"({"index_columns": [], "columns": [{"name": "taken", "field_name": "taken", "numpy_type": "timedelta64[ns]"}]})";
  for (const std::string& schema : {"'ARROW:schema': '" + of_polars + "'", "pandas: '" + words_of_pandas + "'"}) {
    testing::write_parquet(*duckdb, path, "SELECT " + columns + " FROM range(5)", ", KV_METADATA {" + schema + "}");
    testing::expect_invalid([&] { static_cast<void>(read_csv(path)); },
                            {"column 'taken' of '", "holds durations (BIGINT)", "such as its seconds", "--ignore"});
    CsvOptions options;
    options.ignore = {"taken"};
    EXPECT_EQ(read_csv(path, options).num_columns(), 1);
  }
  const std::string other = "range::DOUBLE AS x, range / 1e6 AS taken";  // seconds, under the words about the table that it was made of
  testing::write_parquet(*duckdb, path, "SELECT " + other + " FROM range(5)", ", KV_METADATA {pandas: '" + words_of_pandas + "'}");
  EXPECT_EQ(read_csv(path).num_columns(), 2);
}

}  // namespace
}  // namespace ardvark
