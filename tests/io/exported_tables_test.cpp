// Tables as instruments, spreadsheets and statistics programs export them. Each was made for this test, in the form that the program is
// known to write. All hold the same three rows (a, b, y, and a label g), so that what is read can be checked by eye:
//   g  a      b     y
//   u  1.5    -2    10.25
//   v  2.25   0.5   11
//   u  -3.75  12    12.5
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "ardvark/table_stream.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::message_of;
using testing::TemporaryFolder;
using testing::write_bytes;
using namespace std::string_view_literals;

constexpr double no_value = -1e9;  // a missing value
const std::vector<std::vector<double>> rows_of_exports = {{1.5, -2, 10.25}, {2.25, 0.5, 11}, {-3.75, 12, 12.5}};

struct Export {
  const char* program;
  std::string_view text;
  std::vector<std::string> notes;  // parts of the notes, in their order
  CsvOptions options = {};
};

// Exports that are read: of a, b and y, whatever else there is.
const std::vector<Export> table_exports = {
    {"RFC 4180", "a,b,y\r\n1.5,-2,10.25\r\n2.25,0.5,11\r\n-3.75,12,12.5\r\n", {}},
    {"Excel, CSV UTF-8", "\xEF\xBB\xBFg,a,b,y\r\nu,1.5,-2,10.25\r\nv,2.25,0.5,11\r\nu,-3.75,12,12.5\r\n", {}},
    {"Excel with German regional settings",
     "\xEF\xBB\xBFg;a;b;y\r\nu;1,5;-2;10,25\r\nv;2,25;0,5;11\r\nu;-3,75;12;12,5\r\n",
     {"separated by ';'", "a decimal comma ('1,5')"}},
    {"Excel, a line for itself", "sep=;\r\na;b;y\r\n1.5;-2;10.25\r\n2.25;0.5;11\r\n-3.75;12;12.5\r\n", {"line 1 ('sep=;') is not part"}},
    {"Excel, the line with a mark, quotes and a tab",
     "\xEF\xBB\xBF\"sep=\t\"\r\na\tb\ty\r\n1.5\t-2\t10.25\r\n2.25\t0.5\t11\r\n-3.75\t12\t12.5\r\n",
     {"it names the delimiter, a tab"}},
    {"Excel, the line of commas saved again",
     "SEP=,,\na,b,y\n1.5,-2,10.25\n2.25,0.5,11\n-3.75,12,12.5\n",
     {"line 1 ('sep=,') is not part"}},
    {"Excel, empty columns beside the table",
     "a,b,y,,\n1.5,-2,10.25,,\n2.25,0.5,11,,\n-3.75,12,12.5,,\n",
     {"column 4, which has no name in the header, is empty", "column 5, which"}},
    {"LibreOffice, quoted texts and a tab",
     "\"g\"\t\"a\"\t\"b\"\t\"y\"\n\"u\"\t1.5\t-2\t10.25\n\"v\"\t2.25\t0.5\t11\n\"u\"\t-3.75\t12\t12.5\n",
     {"separated by a tab"}},
    {"Google Sheets, European: quoted decimal commas",
     "g,a,b,y\r\nu,\"1,5\",-2,\"10,25\"\r\nv,\"2,25\",\"0,5\",11\r\nu,\"-3,75\",12,\"12,5\"",
     {},
     {.decimal = ','}},
    {"SPSS, with units and commas in the names",
     "case id;a, mm;b, mm;y\n1;1,5;-2;10,25\n2;2,25;,5;11\n3;-3,75;12;12,5\n",
     {"separated by ';'", "a decimal comma"}},
    {"SAS, PROC EXPORT of a sparse table",
     "a,b,y\n1.5,-2,10.25\n.,3,9\n2.25,0.5,11\n-3.75,12,12.5\n",
     {},
     {.missing = Missing::drop_rows, .missing_markers = {"."}}},
    {"Stata, outsheet", "g\ta\tb\ty\nu\t1.5\t-2\t10.25\nv\t2.25\t.5\t11\nu\t-3.75\t12\t12.5\n", {"separated by a tab"}},
    {"R, write.csv",
     "\"\",\"g\",\"a\",\"b\",\"y\"\n\"1\",\"u\",1.5,-2,10.25\n\"2\",\"v\",2.25,0.5,11\n\"3\",\"u\",-3.75,12,12.5\n",
     {"holds row names ('1', ...)"}},
    {"R, write.csv2",
     "\"\";\"a\";\"b\";\"y\"\n\"1\";1,5;-2;10,25\n\"2\";2,25;0,5;11\n\"3\";-3,75;12;12,5\n",
     {"separated by ';'", "a decimal comma", "holds row names ('1', ...)"}},
    {"R, write.table",
     "\"g\" \"a\" \"b\" \"y\"\n\"1\" \"u\" 1.5 -2 10.25\n\"2\" \"v\" 2.25 0.5 11\n\"3\" \"u\" -3.75 12 12.5\n",
     {"separated by a blank", "holds row names ('1', ...)"}},
    {"R, write.table(sep = \",\", quote = FALSE)",
     "a,b,y\nMazda RX4,1.5,-2,10.25\nDatsun 710,2.25,0.5,11\nValiant,-3.75,12,12.5\n",
     {"holds row names ('Mazda RX4', ...)"}},
    {"pandas, to_csv", ",g,a,b,y\n0,u,1.5,-2.0,10.25\n1,v,2.25,0.5,11.0\n2,u,-3.75,12.0,12.5\n", {"holds row names ('0', ...)"}},
    {"a header that begins with '#'",
     "#g,a,b,y\nu,1.5,-2,10.25\nv,2.25,0.5,11\nu,-3.75,12,12.5\n",
     {"begins with '#', which is part of the name '#g'"}},
    {"blanks after commas", "a, b, y\n1.5, -2, 10.25\n2.25, 0.5, 11\n-3.75, 12, 12.5\n", {}},
    {"identifiers as formulas, so that their zeros stay",
     "g,a,b,y\n=\"007\",1.5,-2,10.25\n=\"012\",2.25,0.5,11\n=\"007\",-3.75,12,12.5\n",
     {}},
    {"MATLAB, writetable", "a,b,y\n1.5,-2,10.25\n2.25,0.5,11\n-3.75,12,12.5\n", {}},
    {"Bloomberg, a delimiter at the end of each row",
     "a|b|y\n1.5|-2|10.25|\n2.25|0.5|11|\n-3.75|12|12.5|\n",
     {"separated by '|'", "each row ends with a delimiter"}},
    {"a thermostat, also at the end of the header",
     "time,a,b,y,\n00:00,1.5,-2,10.25,\n00:05,2.25,0.5,11,\n00:10,-3.75,12,12.5,\n",
     {"column 5, which has no name in the header, is empty"}},
    {"a weather archive, quoted and with an empty field at the end",
     "\"time\";\"a\";\"b\";\"y\"\n\"1.1. 09:00\";\"1.5\";\"-2\";\"10.25\";\"\"\n\"1.1. 12:00\";\"2.25\";\"0.5\";\"11\";\"\"\n"
     "\"1.1. 15:00\";\"-3.75\";\"12\";\"12.5\";\"\"\n",
     {"separated by ';'", "each row ends with a delimiter"}},
    {"a gas chromatograph, a delimiter at the end of the header only",
     "a;b;y;\n1.5;-2;10.25\n2.25;0.5;11\n-3.75;12;12.5\n",
     {"separated by ';'", "the header ends with a delimiter"}},
    {"psql, \\copy with delimiter '|'", "a|b|y\n1.5|-2|10.25\n2.25|0.5|11\n-3.75|12|12.5\n", {"separated by '|'"}},
    {"an old Macintosh", "a\tb\ty\r1.5\t-2\t10.25\r2.25\t0.5\t11\r-3.75\t12\t12.5\r", {"separated by a tab"}},
    {"a logger with commas in its remarks",
     "a;b;y;remark\n1.5;-2;10.25;cold, wet\n2.25;0.5;11;\"dry; \"\"warm\"\"\"\n-3.75;12;12.5;x\n",
     {"separated by ';'"}},
};

// a, b and y of the rows, by their names.
std::vector<std::vector<double>> values_of(const Table& table) {
  std::vector<std::vector<double>> out;
  for (Index i = 0; i < table.num_rows; ++i) {
    std::vector<double>& row = out.emplace_back();
    for (const char* letter : {"a", "b", "y"})
      for (Index j = 0; j < table.num_columns(); ++j) {
        const TableColumn& column = table.columns[static_cast<std::size_t>(j)];
        if (column.name != letter && !column.name.starts_with(std::string(letter) + ",")) continue;
        row.push_back(column.categorical || std::isnan(table.value(i, j)) ? no_value : table.value(i, j));
      }
  }
  return out;
}

TEST(ExportedTables, AreReadAsTheyAreMeantAndTheNotesSayHow) {
  for (const Export& e : table_exports) {
    SCOPED_TRACE(e.program);
    const TemporaryFolder folder;
    write_bytes(folder / "t.csv", e.text);
    const Table table = read_csv(folder / "t.csv", e.options);
    EXPECT_EQ(values_of(table), rows_of_exports);
    ASSERT_EQ(table.notes.size(), e.notes.size());
    for (std::size_t i = 0; i < e.notes.size(); ++i) EXPECT_NE(table.notes[i].find(e.notes[i]), std::string::npos) << table.notes[i];
  }
}

TEST(ExportedTables, AreReadInPiecesAsInMemory) {
  for (const Export& e : table_exports) {
    SCOPED_TRACE(e.program);
    const TemporaryFolder folder;
    write_bytes(folder / "t.csv", e.text);
    TableStream stream({folder / "t.csv"}, e.options);
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<std::vector<double>> all;
      for (Table piece; stream.next(piece, 1);)
        for (const auto& row : values_of(piece)) all.push_back(row);
      EXPECT_EQ(all, rows_of_exports);
      EXPECT_EQ(stream.notes(), read_csv(folder / "t.csv", e.options).notes);
      stream.rewind();
    }
  }
}

// What is found is what an option says.
TEST(ExportedTables, GiveTheSameTableIfTheirFormIsGiven) {
  for (const Export& e : table_exports) {
    if (e.notes.empty() || e.notes[0].find("separated by") == std::string::npos) continue;
    SCOPED_TRACE(e.program);
    const TemporaryFolder folder;
    write_bytes(folder / "t.csv", e.text);
    CsvOptions given = e.options;
    given.delimiter = e.notes[0].ends_with("tab")                   ? '\t'
                      : e.notes[0].ends_with("blank")               ? ' '
                      : e.notes[0].find("';'") != std::string::npos ? ';'
                                                                    : '|';
    given.decimal = e.notes.size() > 1 && e.notes[1].find("comma") != std::string::npos ? ',' : '.';
    const Table found = read_csv(folder / "t.csv", e.options), table = read_csv(folder / "t.csv", given);
    EXPECT_EQ(values_of(table), rows_of_exports);
    EXPECT_EQ(table.num_columns(), found.num_columns());
    for (const std::string& note : table.notes) EXPECT_EQ(note.find("(--de"), std::string::npos) << note;
  }
}

struct Refused {
  const char* program;
  std::string_view text;
  std::vector<std::string> words;  // of the message
  CsvOptions options = {};
};

const std::vector<Refused> refused_exports = {
    {"Excel, Unicode Text", "\xFF\xFE\x61\0\t\0b\0\r\0\n\0"sv, {"UTF-16", "CSV UTF-8", "iconv"}},
    {"Google Sheets, European: quoted decimal commas",
     "a,b,y\r\n\"1,5\",-2,\"10,25\"\r\n\"2,25\",\"0,5\",11\r\n",
     {"row 2 (line 3), column 'b': '0,5' has a decimal comma", "--decimal ,"}},
    {"a sheet with thousands points",
     "a;b;y\n1,5;-2;10,25\n1.234,5;3;4,5\n",
     {"row 2 (line 3), column 'a': '1.234,5' has points between thousands; write 1234,5"}},
    {"a sheet in which both marks occur", "a;b;y\n1,5;-2;10.25\n2,5;3;4.5\n", {"row 1 (line 2), column 'a': '1,5'", "--decimal ,"}},
    {"a decimal point where commas are",
     "a;b\n1,5;2\n2.5;3\n",
     {"row 2 (line 3), column 'a': '2.5' has a decimal point", "write 2,5"},
     {.decimal = ','}},
    {"a plate reader: lines about the measurement before the header",
     "Instrument: Reader 7\nDate: 2021-03-04\n\nwell,a,b,y\nA1,1.5,-2,10.25\nA2,2.25,0.5,11\nA3,-3.75,12,12.5\n",
     {"line 1 of", "('Instrument: Reader 7') has 1 field", "line 4 ('well,a,b,y')", "tail -n +4"}},
    {"LabVIEW, a header of pairs",
     "LabVIEW "
     "Measurement\t\nWriter_Version\t2\nDate\t2021/03/04\nX_Value\ta\tb\ty\n0\t1.5\t-2\t10.25\n1\t2.25\t0.5\t11\n2\t-3.75\t12\t12.5\n",
     {"line 4 ('X_Value", "tail -n +4"}},
    {"a logger with a line of units",
     "t;a;y\ns;mm;bar\n0;1.5;10.25\n1;2.25;11\n",
     {"row 1 (line 2), column 't': 's' is a text", "as units do"}},
    {"columns of fixed width, as read.table reads them",
     "   a     b      y\n 1.5    -2  10.25\n2.25   0.5     11\n-3.75   12   12.5\n",
     {"any number of blanks", "sed"}},
    {"one row that ends with a delimiter",
     "a,b\n1,2\n3,4,\n5,6\n",
     {"row 2 (line 3) has 3 fields, the header has 2", "ends with a delimiter", "remove the ','"}},
    {"one row that does not", "a,b\n1,2,\n3,4\n5,6,\n", {"row 1 (line 2) has 3 fields, the header has 2", "ends with a delimiter"}},
    {"a value in a column without a name",
     "a,b,\n1,2,\n3,4,x\n",
     {"row 2 (line 3): 'x' stands in column 3", "no name", "--ignore 'Unnamed: 2'"}},
    {"row labels that are no labels", ",a,b\nx,1,2\nx,3,4\n", {"row 2 (line 3): 'x' is in another row, too", "--ignore 'Unnamed: 0'"}},
    {"a meter with an overload", "a,b\n1,2\n3,4\nOVER,6\n", {"row 3 (line 4), column 'a': 'OVER'", "--missing-marker='OVER'"}},
    {"a laboratory with a limit", "a,b\n<0.05,2\n3,4\n", {"row 1 (line 2), column 'a': '<0.05'", "--missing-marker='<0.05'"}},
    {"a title with a delimiter",
     "Report of 2024; plant A\na;b;y\n1.5;-2;10.25\n2.25;0.5;11\n-3.75;12;12.5\n",
     {"line 1 of", "'Report of 2024; plant A'", "a title or a comment", "line 2 ('a;b;y')", "tail -n +2"}},
    {"a title with another delimiter",
     "Report of 2024; plant A\na,b,y\n1.5,-2,10.25\n2.25,0.5,11\n-3.75,12,12.5\n",
     {"line 1 of", "'Report of 2024; plant A'", "line 2 ('a,b,y')", "tail -n +2"}},
    {"a comment with a delimiter",
     "# Station 5, north\na,b,y\n1.5,-2,10.25\n2.25,0.5,11\n-3.75,12,12.5\n",
     {"a title or a comment", "line 2 ('a,b,y')", "tail -n +2"}},
    {"a comment with as many parts as the table",
     "# Station 5, north, 3 m\na,b,y\n1.5,-2,10.25\n2.25,0.5,11\n-3.75,12,12.5\n",
     {"a title or a comment", "tail -n +2"}},
    {"a title before an empty line",
     "Peaks, areas, north\n\na,b,y\n1.5,-2,10.25\n2.25,0.5,11\n-3.75,12,12.5\n",
     {"a title or a comment", "line 3 ('a,b,y')", "tail -n +3"}},
    {"a title alone in its row",
     "Report of 2024,,\na,b,y\n1.5,-2,10.25\n2.25,0.5,11\n-3.75,12,12.5\n",
     {"line 1 of", "'Report of 2024,,'", "a title or a comment", "line 2 ('a,b,y')", "tail -n +2"}},
    {"a title and a date alone in their rows",
     "Report of plant A;;\n2026-01-02;;\n;;\na;b;y\n1.5;-2;10.25\n2.25;0.5;11\n-3.75;12;12.5\n",
     {"line 1 of", "a title or a comment", "line 4 ('a;b;y')", "tail -n +4"}},
    {"several comments",
     "# run 5, a, b\n# 3 m, c, d\na,b,y\n1.5,-2,10.25\n2.25,0.5,11\n",
     {"first 2 lines", "line 3 ('a,b,y')", "tail -n +3"}},
    {"comments, the last of which is the header",
     "##source=x\n#a\tb\ty\n1.5\t-2\t10.25\n2.25\t0.5\t11\n",
     {"first 2 lines", "line 2 ('#a", "tail -n +2"}},
    {"numpy.savetxt with a header", "# a b y\n1.5 -2 10.25\n2.25 0.5 11\n", {"begins with '#'", "remove it"}},
    {"a line of totals", "a,b,y\n1.5,-2,10.25\n2.25,0.5,11\nTotal,,21.25\n", {"row 3 (line 4), column 'a': 'Total'", "leave it out"}},
    {"margins of pandas", "a,b,y\n1.5,-2,10.25\n2.25,0.5,11\nAll,,21.25\n", {"row 3 (line 4), column 'a': 'All'", "leave it out"}},
    {"an end that is told",
     "a,b,y\n1.5,-2,10.25\n2.25,0.5,11\nEnd of file\n",
     {"'End of file'", "if the table ends before it", "head -n 3"}},
    {"a note after an empty line", "a,b,y\n1.5,-2,10.25\n2.25,0.5,11\n\nMeasured by N, in 2024\n", {"'Measured by N'", "head -n 4"}},
    {"numbers as formulas", "a,y\n=\"24.27\",1\n=\"3.5\",2\n", {"'=\"24.27\"' is a formula of a spreadsheet", "write 24.27"}},
    {"numbers as formulas in quotes", "a,y\n\"=\"\"24.27\"\"\",1\n\"=\"\"3.5\"\"\",2\n", {"a formula of a spreadsheet", "write 24.27"}},
    {"thousands beside smaller numbers",
     "a,y\n2.094.708,1\n667.717,2\n98.500,3\n",
     {"'2.094.708' is a text", "'667.717'", "write the digits without marks"}},
    {"a number with a footnote", "a,y\n1.5,1\n2.32*,2\n", {"'2.32*' is not a number", "write the number alone; if"}},
    {"a number with two marks", "a;y\n1.5;1\n1,352,6;2\n", {"'1,352,6' is not a number", "one decimal point at most; if"}},
    {"a header that is repeated", "a,y\n1,1\na,y\n2,2\n", {"row 2 (line 3), column 'a'", "repeats the header, leave it out"}},
    {"a file without a header",
     "1.29,1.45\n2.5,3\n",
     {"has no column 'y'", "the file has no header: write a line of names above them"},
     {.required = {{"y", "--target"}}}},
    {"a table printed by psql",
     "   a   |   y\n-------+-------\n  1.29 |  2.50\n (1 row)\n",
     {"row 1 (line 2) has 1 field", "underlines the header", "export the table as CSV"}},
    {"a laboratory with several", "a,b\n<0.05,2\nn.d.,4\n3,4\n", {"--missing-marker='<0.05' --missing-marker='n.d.'"}},
};

TEST(ExportedTables, AreRefusedWithTheCauseAndTheRemedyInMemoryAndInPieces) {
  for (const Refused& e : refused_exports) {
    SCOPED_TRACE(e.program);
    const TemporaryFolder folder;
    write_bytes(folder / "t.csv", e.text);
    const std::string message = message_of<InvalidArgument>([&] { (void)read_csv(folder / "t.csv", e.options); });
    for (const std::string& word : e.words) EXPECT_NE(message.find(word), std::string::npos) << word << "\n" << message;
    EXPECT_EQ(message_of<InvalidArgument>([&] {
                TableStream stream({folder / "t.csv"}, e.options);
                for (Table piece; stream.next(piece, 1);) {
                }
              }),
              message);
  }
}

// R's row names, and rows that end with a delimiter, both have a field more than the header.
TEST(ExportedTables, DoNotMixUpRowNamesAndADelimiterAtTheEnd) {
  const auto read = [](const std::string& text, const CsvOptions& options = {}) {
    const TemporaryFolder folder;
    write_bytes(folder / "t.csv", text);
    return read_csv(folder / "t.csv", options);
  };
  const auto names = [](const Table& table) { return table.columns.front().name + table.columns.back().name; };
  const CsvOptions keep{.missing = Missing::keep};
  // write.table(na = ""): the last value of some rows is missing
  const Table gaps = read("\"a\",\"b\"\n\"1\",5,\n\"2\",6,7\n", keep);
  EXPECT_EQ(gaps.value(0, 0), 5);
  EXPECT_EQ(gaps.value(1, 1), 7);
  const Table empty = read("\"a\",\"b\"\n\"1\",5,\n\"2\",6,\n", keep);  // and of all, where R has quoted its row names
  EXPECT_EQ(empty.value(1, 0), 6);
  EXPECT_TRUE(std::isnan(empty.value(1, 1)));
  EXPECT_EQ(read("a,b\nx,5,\ny,6,\n").value(1, 1), 6);  // without quotes the rows end with a delimiter
  EXPECT_EQ(names(read("a,b\n1,5,\"\"\n2,6,\"\"\n")), "ab");
  // A value where a delimiter seemed to end each row is told, wherever it comes.
  std::string late = "a,b\n";
  for (int i = 0; i < 5000; ++i) late += "x" + std::to_string(i) + ",1.5,\n";
  EXPECT_EQ(read(late).value(4999, 1), 1.5);
  const TemporaryFolder folder;
  write_bytes(folder / "t.csv", late + "z,1,9\n");
  EXPECT_NE(
      message_of<InvalidArgument>([&] { (void)read_csv(folder / "t.csv"); }).find("row 5001 (line 5002): '9' stands after the last column"),
      std::string::npos);
  write_bytes(folder / "t.csv", late + "z,1\n");
  EXPECT_NE(
      message_of<InvalidArgument>([&] { (void)read_csv(folder / "t.csv"); }).find("row 5001 (line 5002) has 2 fields, and the rows before"),
      std::string::npos);
}

// Each file says by itself how it is written. One without fractions is read as those before it.
TEST(ExportedTables, MayDifferInTheFilesOfATable) {
  const TemporaryFolder folder;
  write_bytes(folder / "1.csv", "a;y;\n1,5;2,5;\n2,25;3;\n");
  write_bytes(folder / "2.csv", "sep=,\ny,a\n4.5,7\n");
  write_bytes(folder / "3.csv", "a\ty\n1\t2\n");
  const Table table = read_csv(std::vector<std::string>{folder / "1.csv", folder / "2.csv", folder / "3.csv"});
  ASSERT_EQ(table.num_rows, 4);
  EXPECT_EQ(table.value(0, 1), 2.5);
  EXPECT_EQ(table.value(2, 0), 7);
  EXPECT_EQ(table.value(2, 1), 4.5);
  EXPECT_EQ(table.value(3, 0), 1);
}

TEST(ExportedTables, KeepCommasThatAreForced) {
  const TemporaryFolder folder;
  write_bytes(folder / "t.csv", "a;b\n1;2\n3;4\n");
  const Table table = read_csv(folder / "t.csv", {.delimiter = ','});
  EXPECT_EQ(table.columns.size(), 1U);
  EXPECT_EQ(table.columns[0].name, "a;b");
  EXPECT_NE(message_of<InvalidArgument>([&] { (void)read_csv(folder / "t.csv", {.decimal = ';'}); }).find("decimal mark is ';'"),
            std::string::npos);
}

// A quote that is open where blanks are tried as the delimiter leaves no names there.
TEST(ExportedTables, HaveQuotesThatEndNowhereWhereBlanksPartFields) {
  const TemporaryFolder folder;
  for (const char* text : {"\"a\" \"b,y\n1,2\n3,4\n", "x \"a\" \"y\"1\n\"b\" \"u\" 1\n2 3\n", "a \"b\n1 2\n", "\"a\n"}) {
    write_bytes(folder / "t.csv", text);
    try {
      EXPECT_GT(read_csv(folder / "t.csv").columns.size(), 0U) << text;
    } catch (const InvalidArgument& refusal) {
      EXPECT_NE(std::string(refusal.what()), "") << text;
    }
  }
}

}  // namespace
}  // namespace ardvark
