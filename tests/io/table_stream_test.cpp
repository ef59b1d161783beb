// A table in several files, read in pieces.
#include "ardvark/table_stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "../support/thrown.hpp"
#include "ardvark/errors.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::TemporaryFolder;
using testing::write_bytes;

// A row as texts: numbers, and levels.
std::vector<std::string> row_of(const Table& table, Index i) {
  std::vector<std::string> out;
  for (Index j = 0; j < table.num_columns(); ++j) {
    const TableColumn& c = table.columns[static_cast<std::size_t>(j)];
    out.push_back(c.categorical ? c.levels[static_cast<std::size_t>(table.value(i, j))] : fmt::format("{}", table.value(i, j)));
  }
  return out;
}

TEST(TableStream, HasTheRowsOfTheTableInPiecesOfAnySize) {
  const TemporaryFolder folder;
  std::string text = "x,k,y\n";
  for (int i = 0; i < 500; ++i)
    text += fmt::format("{},{},{}{}\n", i % 13 == 5 ? "NA" : fmt::format("{}", i),
                        i % 17 == 0  ? "rare"
                        : i % 2 == 0 ? "b"
                                     : "a",
                        i * 0.5, i % 50 == 0 ? "\n" : "");
  write_bytes(folder / "t.csv", text);
  const CsvOptions options{.missing = Missing::drop_rows};
  const Table whole = read_csv(folder / "t.csv", options);
  for (const Index most : {1, 7, 100, 1000}) {
    TableStream stream({folder / "t.csv"}, options);
    Table piece;
    Index row = 0;
    while (stream.next(piece, most)) {
      EXPECT_LE(piece.num_rows, most);
      for (Index i = 0; i < piece.num_rows; ++i, ++row) {
        ASSERT_EQ(row_of(piece, i), row_of(whole, row));
        ASSERT_EQ(piece.row_name(i), whole.row_name(row));
      }
    }
    EXPECT_EQ(row, whole.num_rows);
    EXPECT_EQ(stream.num_rows(), whole.num_rows);
    EXPECT_EQ(stream.num_dropped(), whole.num_dropped);
    EXPECT_EQ(stream.num_missing(), whole.num_missing);
  }
}

// Pieces of another size than the files; gaps are kept, and a text of a column that is copied is known in its piece only.
TEST(TableStream, FillsItsPiecesAcrossFiles) {
  const TemporaryFolder folder;
  write_bytes(folder / "1.csv", "x,id\n1,a\n,b\n3,c\n");
  write_bytes(folder / "2.csv", "x,id\n");
  write_bytes(folder / "3.csv", "id,x\n\nd,4\ne,5\n");
  const std::vector<std::string> paths = {folder / "1.csv", folder / "2.csv", folder / "3.csv"};
  CsvOptions options{.missing = Missing::keep, .only = {"x"}, .verbatim = {"id"}};
  TableStream stream(paths, options);
  Table piece;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> names;
  std::vector<Index> numbers;
  for (const Index size : {2, 2, 1}) {
    ASSERT_TRUE(stream.next(piece, 2));
    ASSERT_EQ(piece.num_rows, size);
    EXPECT_EQ(piece.columns[1].levels.size(), static_cast<std::size_t>(size));
    for (Index i = 0; i < size; ++i)
      rows.push_back(row_of(piece, i)), names.push_back(piece.row_name(i)), numbers.push_back(piece.row_number(i));
    EXPECT_EQ(piece.row_names().row_name(size - 1), names.back());
  }
  EXPECT_FALSE(stream.next(piece, 2));
  EXPECT_EQ(rows, (std::vector<std::vector<std::string>>{{"1", "a"}, {"nan", "b"}, {"3", "c"}, {"4", "d"}, {"5", "e"}}));
  EXPECT_EQ(numbers, (std::vector<Index>{1, 2, 3, 4, 5}));
  EXPECT_EQ(names[2], fmt::format("row 3 (line 4) of '{}'", paths[0]));
  EXPECT_EQ(names[3], fmt::format("row 1 (line 3) of '{}'", paths[2]));

  options.missing = Missing::drop_rows;
  TableStream complete(paths, options);
  ASSERT_TRUE(complete.next(piece, 3));
  EXPECT_EQ(piece.row_number(1), 3);
  EXPECT_EQ(piece.row_number(2), 4);
}

TEST(TableStream, FactsAreThoseOfTheWholeTable) {
  const TemporaryFolder folder;
  std::string text = "k,t,y\n", first, second;
  for (int i = 0; i < 300; ++i) {
    const std::string row = fmt::format("level {},{},{}\n", (i * i) % 23, i % 3 == 0 ? "TRUE" : "false", i);
    text += row;
    (i < 120 ? first : second) += row;
  }
  write_bytes(folder / "t.csv", text);
  write_bytes(folder / "1.csv", "k,t,y\n" + first);
  write_bytes(folder / "2.csv", "k,t,y\n" + second);
  const FeatureEncoding whole = make_encoding(read_csv(folder / "t.csv"), {"y"});
  TableStream stream({folder / "1.csv", folder / "2.csv"}, {});
  FactsOfColumns facts;
  for (Table piece; stream.next(piece, 11);) facts.add(piece);
  const FeatureEncoding ours = make_encoding(facts.facts(), {"y"});
  ASSERT_EQ(ours.names(), whole.names());
  EXPECT_EQ(ours.features[0].reference, whole.features[0].reference);
  EXPECT_EQ(ours.features[0].reference_rows, whole.features[0].reference_rows);
  EXPECT_TRUE(ours.features[1].is_truth);
}

std::string random_table(std::mt19937& random) {
  const char* const numbers[] = {"1", "2.5", "-3e2", "0", "+4", " 7 "};
  const char* const others[] = {"NA",    "",     "a",   "b",       "\"a, b\"", "\"two\nlines\"", "true",
                                "False", "TRUE", "1,5", "\"1,5\"", "inf",      "\xff",           "\"q\"\"q\""};
  const auto below = [&](unsigned n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t width = 1 + below(4), rows = below(12), oddity = 1 + below(30);
  const char* const line_end = below(4) == 0 ? "\r\n" : "\n";
  std::string text = below(6) == 0 ? "" : "c0";
  for (std::size_t j = 1; j < width; ++j) text += fmt::format(",c{}", j);
  text += line_end;
  std::vector<std::size_t> kind(width);
  for (std::size_t& k : kind) k = below(3);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const bool is_odd = below(static_cast<unsigned>(oddity)) == 0;
      text += j > 0 ? "," : "";
      text += is_odd         ? others[below(std::size(others))]
              : kind[j] == 0 ? numbers[below(std::size(numbers))]
                             : others[(kind[j] == 1 ? 2 : 6) + below(3)];
    }
    text += line_end;
    if (below(20) == 0) text += line_end;
  }
  return text;
}

std::string x_as_text(const EncodedTable& table) {
  std::string out;
  for (Index i = 0; i < table.rows * table.cols; ++i) out += fmt::format("{},", table.values[static_cast<std::size_t>(i)]);
  return out;
}

// What read_csv() and make_encoding() make of the file, or their message.
std::string whole_answer(const std::string& path, const CsvOptions& options) try {
  Table table = read_csv(path, options);
  const FeatureEncoding encoding = make_encoding(table, {});
  std::string names = fmt::format("{}|", fmt::join(encoding.names(), ","));
  return names + x_as_text(encode(std::move(table), encoding));
} catch (const InvalidArgument& e) {
  return e.what();
}

std::string answer_in_pieces(const std::string& path, const CsvOptions& options, Index most_rows) try {
  TableStream stream({path}, options);
  FactsOfColumns facts;
  Table piece;
  while (stream.next(piece, most_rows)) facts.add(piece);
  stream.rewind();
  const FeatureEncoding encoding = make_encoding(facts.facts(), {});
  std::string out = fmt::format("{}|", fmt::join(encoding.names(), ","));
  while (stream.next(piece, most_rows)) out += x_as_text(encode(std::move(piece), encoding));
  return out;
} catch (const InvalidArgument& e) {
  return e.what();
}

TEST(TableStream, AnswersAsReadCsvToAnyTable) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  std::mt19937 random(17);
  int num_read = 0, num_refused = 0;
  for (int repetition = 0; repetition < 1000; ++repetition) {
    const std::string text = random_table(random);
    write_bytes(path, text);
    const CsvOptions options{.missing = repetition % 2 == 0 ? Missing::refuse : Missing::drop_rows};
    const std::string whole = whole_answer(path, options);
    ++(whole.find('|') != std::string::npos ? num_read : num_refused);
    ASSERT_EQ(answer_in_pieces(path, options, 1 + repetition % 5), whole) << text;
  }
  EXPECT_GT(num_read, 100);
  EXPECT_GT(num_refused, 100);
}

TEST(TableStream, RefusesAFileThatChanges) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  const auto put = [&](int rows) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) text += fmt::format("{},{}\n", i, i);
    write_bytes(path, text);
  };
  Table piece;
  put(100);
  TableStream stream({path}, {});
  while (stream.next(piece, 10)) {
  }
  stream.rewind();
  put(101);
  expect_invalid([&] { static_cast<void>(stream.next(piece, 10)); }, {path.c_str(), "changed between the two times"});

  put(100);
  TableStream growing({path}, {});
  ASSERT_TRUE(growing.next(piece, 10));
  write_bytes(path, "x,y\n1,2\n");
  expect_invalid(
      [&] {
        while (growing.next(piece, 1000)) {
        }
      },
      {path.c_str(), "changed while it was read"});

  put(100);
  TableStream vanishing({path}, {});
  while (vanishing.next(piece, 10)) {
  }
  vanishing.rewind();
  std::filesystem::remove(path);
  EXPECT_NE(testing::message_of<EnvironmentError>([&] { static_cast<void>(vanishing.next(piece, 10)); }).find("cannot open"),
            std::string::npos);
}

TEST(TableStream, PatternsMatchInTheOrderOfBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"b.csv", "a.csv", "B.csv", "c.txt"}) write_bytes(folder / name, "");
  write_bytes(folder / "[x].csv", "");
  using Paths = std::vector<std::string>;
  EXPECT_EQ(matching_paths({folder / "?.csv"}), (Paths{folder / "B.csv", folder / "a.csv", folder / "b.csv"}));
  EXPECT_EQ(matching_paths({folder / "c.txt", folder / "[x].csv", folder / "a*"}),
            (Paths{folder / "c.txt", folder / "[x].csv", folder / "a.csv"}));
  EXPECT_NE(testing::message_of<EnvironmentError>([&] { static_cast<void>(matching_paths({folder / "q*"})); }).find("matches no file"),
            std::string::npos);
}

TEST(TableStream, AFolderStandsForItsFiles) {
  const TemporaryFolder folder;
  const std::string top = folder / "t", year = top + "/year=2020", other = top + "/_other", empty = folder / "empty";
  for (const std::string& one : {top, year, other, empty}) std::filesystem::create_directory(one);
  for (const std::string& file :
       {top + "/b.csv", top + "/a.CSV.gz", top + "/_SUCCESS", top + "/.hidden", other + "/c.csv", year + "/c.csv"})
    write_bytes(file, "");
  using Paths = std::vector<std::string>;
  const Paths files = {top + "/a.CSV.gz", top + "/b.csv", year + "/c.csv"};
  EXPECT_EQ(matching_paths({top}), files);
  EXPECT_EQ(matching_paths({folder / "t*"}), files);
  const auto message = [](const std::string& path) {
    return testing::message_of<Error>([&] { static_cast<void>(matching_paths({path})); });
  };
  EXPECT_EQ(message(empty), fmt::format("'{}' is a folder without files; give the path of a file or of another folder", empty));
  write_bytes(top + "/notes.txt", "");
  EXPECT_EQ(message(top),
            fmt::format("the folder '{0}' has files of several kinds, such as '{0}/notes.txt'; give a pattern, such as '{0}/*.csv'", top));
}

TEST(TableStream, BoundsTheLevelsOfATextColumn) {
  const TemporaryFolder folder;
  std::string text = "name,y\n";
  for (int i = 0; i < 10001; ++i) text += fmt::format("n{},{}\n", i, i);
  write_bytes(folder / "t.csv", text);
  TableStream stream({folder / "t.csv"}, {});
  Table piece;
  expect_invalid(
      [&] {
        while (stream.next(piece)) {
        }
      },
      {"column 'name' has more than 10000 different texts"});
}

}  // namespace
}  // namespace ardvark
