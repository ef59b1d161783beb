#include "io/csv_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "mutations.hpp"
#include "temporary_file.hpp"

namespace ardvark::internal::io {
namespace {

using testing::TemporaryFolder;
using testing::write_bytes;

const std::string sample =
    "\xEF\xBB\xBF\"a\",b,\"c \"\"d\"\"\"\r\n1,2,\"x,\r\n\"\"y\"\"\"\r\n\r\n -3.5 , NA,\"\"\n+4e-2,\"6\" "
    ",z\n1e999,inf,\"q\"\r\n7,8,Z\xC3\xBCrich";

// Everything that a reader with this buffer says about the file, as one text.
std::string account(const std::string& path, std::size_t chunk_size) {
  std::string result;
  try {
    CsvRecords records(path, {.delimiter = ','}, false, chunk_size);
    for (const std::string& name : records.names()) result += "<" + name + ">";
    while (records.next()) {
      result += "\n" + std::to_string(records.row()) + ":";
      for (CsvField& field : records.fields()) result += (field.quoted ? "'" : "<") + std::string(field.text()) + ">";
    }
  } catch (const InvalidArgument& e) {
    result += std::string("\n! ") + e.what();
  }
  return result;
}

TEST(CsvRecords, SplitsRecordsAlikeWhereverTheBufferEnds) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  write_bytes(path, sample);
  const std::string expected =
      "<a><b><c \"d\">\n1:<1><2>'x,\r\n\"y\">\n2:<-3.5><NA>'>\n3:<+4e-2>'6><z>\n4:<1e999><inf>'q>\n5:<7><8><Z\xC3\xBCrich>";
  for (std::size_t chunk_size = 1; chunk_size < sample.size() + 3; ++chunk_size)
    ASSERT_EQ(account(path, chunk_size), expected) << "chunk size " << chunk_size;
}

// The same with CR alone, but in quotes, where a line break is text; and with a mixture.
TEST(CsvRecords, SplitsLinesThatEndWithCrAlikeWhereverTheBufferEnds) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  for (const std::string text : {"a,b\r1,\"x\ry\"\r\r\" 2\" ,z \r3,\"q\"\r", "a,b\n1,\"x\ry\"\r\r\n\" 2\" ,z \n3,\"q\""}) {
    write_bytes(path, text);
    for (std::size_t chunk_size = 1; chunk_size < text.size() + 3; ++chunk_size)
      ASSERT_EQ(account(path, chunk_size), "<a><b>\n1:<1>'x\ry>\n2:' 2><z>\n3:<3>'q>") << "chunk size " << chunk_size << " of " << text;
  }
}

TEST(CsvRecords, TakesOneColumnsBlankLinesAlikeWhereverTheBufferEnds) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  write_bytes(path, "a\r\n1\r\n\r\n22\n\n");
  for (std::size_t chunk_size = 1; chunk_size < 16; ++chunk_size)
    ASSERT_EQ(account(path, chunk_size), "<a>\n1:<1>\n2:<>\n3:<22>") << "chunk size " << chunk_size;
}

// Whether a damaged file is read or refused must not depend on the buffer; nothing else than the two documented exceptions may come.
TEST(CsvRecords, ReadsOrRefusesDamagedFilesAlikeWhereverTheBufferEnds) {
  std::mt19937 random(1);
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes = testing::mutated(sample, ",,\"\"\n\r \t+-.e0N?", random);
    std::replace(bytes.begin(), bytes.end(), '\0', '0');  // NUL is refused when it is read, before or after another fault
    write_bytes(path, bytes);
    const std::string expected = account(path, 1 << 16);
    for (const std::size_t chunk_size : {std::size_t{1}, 2 + static_cast<std::size_t>(random() % 30)})
      ASSERT_EQ(account(path, chunk_size), expected) << "trial " << trial << ", chunk size " << chunk_size;
  }
}

TEST(ReadCsv, ReadsOrRefusesDamagedFiles) {
  std::mt19937 random(2);
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  int num_read = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    write_bytes(path, testing::mutated("a,b,c\n1,x,2.5\n-3,\"y\",4e1\r\n5,NA,6\n7,z,8\n", ",,\"\"\n\r \t+-.e0N?", random));
    const CsvOptions options{.missing = trial % 2 == 0 ? Missing::refuse : Missing::drop_rows,
                             .categorical = trial % 3 == 0 ? std::vector<std::string>{"a"} : std::vector<std::string>{}};
    try {
      const Table table = read_csv(path, options);
      ++num_read;
      ASSERT_GT(table.num_rows, 0);
      for (Index i = 0; i < table.num_rows; ++i)
        for (Index j = 0; j < table.num_columns(); ++j) {
          const TableColumn& column = table.columns[static_cast<std::size_t>(j)];
          ASSERT_TRUE(std::isfinite(table.value(i, j)));
          if (column.categorical) {
            ASSERT_GE(table.value(i, j), 0);
            ASSERT_LT(table.value(i, j), static_cast<double>(column.levels.size()));
          }
        }
    } catch (const InvalidArgument&) {
    } catch (const EnvironmentError&) {
    }
  }
  EXPECT_GT(num_read, 100);  // both outcomes are met often
  EXPECT_LT(num_read, 4900);
}

}  // namespace
}  // namespace ardvark::internal::io
