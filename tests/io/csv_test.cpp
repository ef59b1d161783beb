#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <initializer_list>

#include "../support/random_problem.hpp"
#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::message_of;
using testing::TemporaryFolder;
using testing::write_bytes;
using Names = std::vector<std::string>;

Table read(std::string_view text, const CsvOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "t.csv", text);
  return read_csv(folder / "t.csv", options);
}

// The message of the InvalidArgument, with the file's path as 't.csv'.
std::string refusal(std::string_view text, const CsvOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "t.csv", text);
  std::string message = message_of<InvalidArgument>([&] { (void)read_csv(folder / "t.csv", options); });
  for (std::size_t at; (at = message.find(folder.path() + "/")) != std::string::npos;) message.erase(at, folder.path().size() + 1);
  return message;
}

Names names(const Table& table) {
  Names result;
  for (const TableColumn& column : table.columns) result.push_back(column.name);
  return result;
}

void expect_values(const Table& table, std::initializer_list<std::initializer_list<double>> rows) {
  ASSERT_EQ(table.num_rows, static_cast<Index>(rows.size()));
  Index i = 0;
  for (const auto& row : rows) {
    ASSERT_EQ(table.num_columns(), static_cast<Index>(row.size()));
    Index j = 0;
    for (const double value : row) {
      EXPECT_EQ(table.value(i, j), value) << "row " << i << ", column " << j;
      ++j;
    }
    ++i;
  }
}

TEST(ReadCsv, ReadsNumbersRowByRow) {
  const Table table = read("a,b,c\n1,2.5,-3\n4e2,.5,6.\n");
  EXPECT_EQ(names(table), (Names{"a", "b", "c"}));
  expect_values(table, {{1, 2.5, -3}, {400, 0.5, 6}});
  EXPECT_EQ(table.num_dropped, 0);
  EXPECT_TRUE(table.file_rows.empty());
  EXPECT_FALSE(table.columns[0].categorical);
}

TEST(ReadCsv, RoundsNumbersToTheNearestDouble) {
  const Table table = read("x\n0.1\n1.7976931348623157e308\n5e-324\n2.2250738585072011e-308\n9007199254740993\n");
  EXPECT_EQ(table.value(0, 0), 0.1);
  EXPECT_EQ(table.value(1, 0), DBL_MAX);
  EXPECT_EQ(table.value(2, 0), DBL_TRUE_MIN);
  EXPECT_EQ(table.value(3, 0), DBL_MIN - DBL_TRUE_MIN);  // the largest subnormal number
  EXPECT_EQ(table.value(4, 0), 9007199254740992.0);      // half way: to even
}

// Of any number of digits, with a point at any place.
TEST(ReadCsv, RoundsDecimalsAsTheCLibraryDoes) {
  testing::Random random(81);
  std::vector<std::string> texts = {"0", "-0", "-0.000", "00012.50", "0.000000000000000001", "9007199254740992", "9007199254740993.5"};
  while (texts.size() < 4000) {
    std::string& text = texts.emplace_back(random.chance(0.5) ? "-" : "");
    const Index digits = random.integer(1, 21), before = random.integer(1, digits);
    for (Index i = 0; i < digits; ++i) {
      if (i == before) text += '.';
      text += static_cast<char>('0' + random.integer(0, 9));
    }
  }
  std::string csv = "x,y\n";
  for (const std::string& text : texts) csv += text + ",1\n";
  const Table table = read(csv);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double value = table.value(static_cast<Index>(i), 0), expected = std::strtod(texts[i].c_str(), nullptr);
    EXPECT_TRUE(value == expected && std::signbit(value) == std::signbit(expected)) << texts[i];
  }
}

TEST(ReadCsv, TakesPlusSignsAndSurroundingBlanks) { expect_values(read("a , b\n +1.5 ,\t2\n\" 3 \",  \"+4\" \n"), {{1.5, 2}, {3, 4}}); }

TEST(ReadCsv, TakesNumbersTooSmallForADoubleAsZero) {
  const std::string tiny = "0." + std::string(400, '0') + "1";
  expect_values(read("x\n1e-999\n-1E-99999999999999999999\n" + tiny + "\n0e999\n"), {{0}, {-0.0}, {0}, {0}});
}

TEST(ReadCsv, RefusesNumbersThatAreNotFinite) {
  EXPECT_EQ(refusal("x\n1\n2\ninf\n"), "row 3 (line 4), column 'x': inf is not finite");
  for (const char* text : {"inf", "-inf", "Infinity", "1e999", "-1E+99999999999999999999", "2e308"})
    EXPECT_EQ(refusal(std::string("y,x\n1,") + text + "\n"), std::string("row 1 (line 2), column 'x': ") + text + " is not finite");
  const std::string huge = "1" + std::string(400, '0') + ".5";
  EXPECT_NE(refusal("x\n" + huge + "\n").find("is not finite"), std::string::npos);
}

TEST(ReadCsv, TakesAColumnWhoseFirstValueIsNoNumberAsText) {
  const Table table = read("city,x\nRome,1\nBonn,2\nRome,3\n12 Oaks,4\n");
  EXPECT_TRUE(table.columns[0].categorical);
  EXPECT_EQ(table.columns[0].levels, (Names{"12 Oaks", "Bonn", "Rome"}));
  expect_values(table, {{2, 1}, {1, 2}, {2, 3}, {0, 4}});
}

// An unmarked missing value in the first row must not turn a numeric column into a hundred dummies.
TEST(ReadCsv, RefusesANumberInATextColumnUnlessItIsListed) {
  EXPECT_EQ(
      refusal("age,x\nunknown,1\n45.5,2\n"),
      "row 1 (line 2), column 'age': 'unknown' is a text, but row 2 (line 3) holds the number '45.5'; if 'unknown' means a missing value, "
      "use --missing-marker='unknown' and --missing drop or impute (to read the column as text: --categorical 'age')");
  EXPECT_EQ(refusal("x,age\n1,low\n\n1,high\n1,low\n1,3\n"),
            "row 1 (line 2), column 'age': 'low' is a text, but row 4 (line 6) holds the number '3'; if these texts mean missing values, "
            "use --missing-marker='low' --missing-marker='high' and --missing drop or impute (to read the column as text: --categorical "
            "'age')");
  const Table table = read("code,x\nA,1\n12,2\n", {.categorical = {"code"}});
  EXPECT_EQ(table.columns[0].levels, (Names{"12", "A"}));
}

TEST(ReadCsv, TakesTrueAndFalseInSeveralSpellingsAsTwoLevels) {
  const Table table = read("a,b,c,d\nTRUE,true,TRUE,TRUE\nFalse,TRUE,x,false\ntrue,True,True,TRUE\nFALSE,TRUE,x,false\n");
  EXPECT_EQ(table.columns[0].levels, (Names{"False", "True"}));
  EXPECT_EQ(table.columns[1].levels, Names{"True"});
  EXPECT_EQ(table.columns[2].levels, (Names{"TRUE", "True", "x"}));  // other texts are among them
  EXPECT_EQ(table.columns[3].levels, (Names{"False", "True"}));      // false comes first, which 'false' does not by its bytes
  expect_values(table, {{1, 0, 0, 1}, {0, 0, 2, 0}, {1, 0, 1, 1}, {0, 0, 2, 0}});
  EXPECT_EQ(read("a\ntrue\nTRUE\n", {.categorical = {"a"}}).columns[0].levels, (Names{"TRUE", "true"}));
  EXPECT_EQ(read("a\nfalse\ntrue\n").columns[0].levels, (Names{"false", "true"}));
  EXPECT_EQ(refusal("a\n1\nTRUE\n"), "row 2 (line 3), column 'a': 'TRUE' is not a number; write 1 and 0, or true and false, in every row");
  EXPECT_EQ(refusal("a\nTRUE\n0\n"),
            "row 1 (line 2), column 'a': 'TRUE' is a text, but row 2 (line 3) holds the number '0'; write 1 and 0, or true and "
            "false, in every row");
}

TEST(ReadCsv, TakesColumnsListedAsCategoricalAsText) {
  const Table table = read("zip\n10\n9\n010\n10\n", {.categorical = {"zip"}});
  EXPECT_EQ(table.columns[0].levels, (Names{"010", "10", "9"}));
  expect_values(table, {{1}, {2}, {0}, {1}});
}

TEST(ReadCsv, NamesRowAndColumnOfTextInANumericColumn) {
  EXPECT_EQ(refusal("age,bmi\n1,2\n\n3,abc\n"),
            "row 2 (line 4), column 'bmi': 'abc' is not a number; if 'abc' means a missing value, use --missing-marker='abc' and --missing "
            "drop or impute (to read the column as text: --categorical 'bmi')");
  for (const char* text : {"1x", "0x10", "--1", "+-1", "1 2", "e5", ".", "-", "+", "1e", "\xC2\xA0", "N/a"})
    EXPECT_NE(refusal(std::string("x;y\n1;1\n") + text + ";1\n", {.delimiter = ';'}).find("is not a number"), std::string::npos) << text;
}

TEST(ReadCsv, RefusesEveryTokenOfAMissingValue) {
  EXPECT_EQ(refusal("id,glu\n1,2\n1,2\n1,2\n1,2\n1,\n"), "row 5 (line 6), column 'glu': the value is missing; leave out the row");
  EXPECT_EQ(refusal("id,glu\n1,2\n,3\n", {.remedy = [](const std::string& column) { return "ask for " + column; }}),
            "row 2 (line 3), column 'id': the value is missing; ask for id");
  for (const char* token : {"", " ", "\"\"", "\" \"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?", " NA\t", "\"NA\""})
    for (const char* first : {"1", "text"})
      EXPECT_EQ(refusal(std::string("a,b\n") + first + ",0\n" + token + ",0\n").substr(0, 49),
                "row 2 (line 3), column 'a': the value is missing;")
          << first << " then '" << token << "'";
  EXPECT_EQ(refusal("a\n1\n-nan\n").substr(0, 49), "row 2 (line 3), column 'a': the value is missing;");  // as some programs print NaN
  EXPECT_EQ(read("a\ntext\n-nan\n").columns[0].levels, (Names{"-nan", "text"}));
}

TEST(ReadCsv, AsksWhetherATextMeansAMissingValue) {
  EXPECT_EQ(refusal("a,b\n1,2\n.,3\n"),
            "row 2 (line 3), column 'a': '.' is not a number; if '.' means a missing value, use --missing-marker='.' and --missing drop or "
            "impute");
  EXPECT_EQ(refusal("a,b\n-,2\n-,2\n4,3\n"),
            "row 1 (line 2), column 'a': '-' is a text, but row 3 (line 4) holds the number '4'; if '-' means a missing value, use "
            "--missing-marker='-' and --missing drop or impute (to read the column as text: --categorical 'a')");
  for (const char* text : {"na", "None", "n/a", "n.a.", "<NA>", "missing", "--"})
    EXPECT_NE(refusal(std::string("x\n1\n") + text + "\n").find("--missing-marker"), std::string::npos) << text;
  EXPECT_EQ(read("a,b\n1,None\n2,x\n").columns[1].levels, (Names{"None", "x"}));  // it may be a category
}

TEST(ReadCsv, TakesFurtherTextsAsMissing) {
  const CsvOptions options{.missing = Missing::drop_rows, .missing_markers = {".", "-999"}};
  const Table table = read("a,b\n.,x\n-999,None\n5,y\n6,.\n7,None\n", options);
  EXPECT_EQ(table.num_dropped, 3);
  EXPECT_EQ(table.columns[1].levels, (Names{"None", "y"}));
  expect_values(table, {{5, 1}, {7, 0}});
  for (const std::string written : {"-999.0", "-999.00", "-9.99e2"})  // as pandas and others write -999 among decimals
    EXPECT_EQ(read("a\n1.5\n" + written + "\n", options).num_rows, 1) << written;
  EXPECT_EQ(refusal("a\n1\n-999\n", {.missing_markers = {"-999"}}).substr(0, 49), "row 2 (line 3), column 'a': the value is missing;");
}

TEST(ReadCsv, DropsRowsWithMissingValues) {
  const Table table = read("a,b\n1,x\nNA,y\n3,?\n4,z\n", {.missing = Missing::drop_rows});
  EXPECT_EQ(table.num_dropped, 2);
  EXPECT_EQ(table.file_rows, (std::vector<Index>{1, 4}));
  EXPECT_EQ(table.columns[1].levels, (Names{"x", "z"}));  // y stood only in a dropped row
  expect_values(table, {{1, 0}, {4, 1}});
}

TEST(ReadCsv, DecidesTheKindOfAColumnByItsFirstValueThatIsNotMissing) {
  const Table table = read("a,b\n?,NA\n,p\n7,q\n", {.missing = Missing::drop_rows});
  expect_values(table, {{7, 0}});
  EXPECT_FALSE(table.columns[0].categorical);
  EXPECT_EQ(table.columns[1].levels, Names{"q"});
}

TEST(ReadCsv, SaysWhichColumnLeavesNoRows) {
  EXPECT_EQ(refusal("a,b\n1,\n,\n3,NA\n", {.missing = Missing::drop_rows}),
            "every row of 't.csv' has a missing value, so no rows are left (column 'b' lacks 3 of 3 values)");
}

TEST(ReadCsv, LetsIgnoredColumnsHoldAnything) {
  const Table table = read("a,note,b\n1,,2\n3,inf,4\n5,\"x,\ny\",6\n7,8,9\n1,\xFF\xFE,2\n", {.ignore = {"note"}});
  EXPECT_EQ(names(table), (Names{"a", "b"}));
  expect_values(table, {{1, 2}, {3, 4}, {5, 6}, {7, 9}, {1, 2}});
}

TEST(ReadCsv, KeepsOnlyTheColumnsWantedInTheFilesOrder) {
  const CsvOptions options{.categorical = {"absent"}, .only = {"c", "a"}, .optional = {"d", "y"}};
  const Table table = read("a,b,c,d\n1,text,3,4\n", options);
  EXPECT_EQ(names(table), (Names{"a", "c", "d"}));
  expect_values(table, {{1, 3, 4}});
}

TEST(ReadCsv, NamesAllColumnsThatAreWantedAndAbsent) {
  EXPECT_EQ(refusal("a,b\n1,2\n", {.only = {"x", "a", "y"}}), "'t.csv' has no columns 'x', 'y'; its columns are 'a', 'b'");
  EXPECT_EQ(refusal("a,b\n1,2\n", {.ignore = {"x"}}), "'t.csv' has no column 'x' to ignore; its columns are 'a', 'b'");
  EXPECT_EQ(refusal("a,b\n1,2\n", {.categorical = {"x"}}), "'t.csv' has no column 'x' to read as text; its columns are 'a', 'b'");
}

TEST(ReadCsv, SaysHowToWriteANameWithACommaInAList) {
  EXPECT_EQ(refusal("\"rent, cold\",b\n1,2\n", {.ignore = {"rent", " cold"}}),
            "'t.csv' has no columns 'rent', ' cold' to ignore; its columns are 'rent, cold', 'b'; a name that contains a comma must be in "
            "double quotes in a list: '\"rent, cold\"'");
}

TEST(ReadCsv, RefusesColumnsBothWantedAndIgnored) {
  EXPECT_EQ(refusal("a,b\n1,2\n", {.ignore = {"a"}, .only = {"a"}}), "column 'a' is both wanted and ignored");
}

TEST(ReadCsv, RefusesToIgnoreAllColumns) {
  EXPECT_EQ(refusal("a,b\n1,2\n", {.ignore = {"a", "b"}}), "no column of 't.csv' is left to read: all are ignored");
}

TEST(ReadCsv, NamesRaggedRows) {
  EXPECT_EQ(refusal("a,b,c,d\n1,2,3,4\n1,2,3\n"), "row 2 (line 3) has 3 fields, the header has 4");
  EXPECT_EQ(refusal("a,b\n1\n"), "row 1 (line 2) has 1 field, the header has 2");
  EXPECT_EQ(refusal("a,b\n5,2,3\n"), "row 1 (line 2) has 3 fields, the header has 2");
}

TEST(ReadCsv, SkipsBlankLines) {
  const Table table = read("\n\r\na,b\n\n1,2\n  \n\r\n3,4\n\n\n");
  expect_values(table, {{1, 2}, {3, 4}});
  EXPECT_EQ(refusal("a,b\n\n1,2\n\nx,4\n").substr(0, 27), "row 2 (line 5), column 'a':");
}

TEST(ReadCsv, TakesABlankLineInATableOfOneColumnAsMissingUnlessItIsTheLast) {
  expect_values(read("a\n1\n2\n\n"), {{1}, {2}});
  expect_values(read("a\r\n1\r\n2\r\n\r\n"), {{1}, {2}});
  EXPECT_EQ(refusal("a\n1\n\n2\n").substr(0, 49), "row 2 (line 3), column 'a': the value is missing;");
  const Table table = read("a\n1\n\n2\n", {.missing = Missing::drop_rows});
  expect_values(table, {{1}, {2}});
  EXPECT_EQ(table.file_rows, (std::vector<Index>{1, 3}));
}

TEST(ReadCsv, NamesTheFileWhenTheHeaderIsWrong) {
  EXPECT_EQ(refusal(""), "'t.csv' is empty: a table has a header row and at least one data row");
  EXPECT_EQ(refusal("\xEF\xBB\xBF"), "'t.csv' is empty: a table has a header row and at least one data row");
  EXPECT_EQ(refusal("\n\n"), "'t.csv' is empty: a table has a header row and at least one data row");
  EXPECT_EQ(refusal("a,b"), "'t.csv' has a header but no rows");
  EXPECT_EQ(refusal("a,b\n\n"), "'t.csv' has a header but no rows");
  EXPECT_EQ(refusal("a,b,\"a\"\n1,2,3\n"), "the header of 't.csv' names the column 'a' twice; give each column a name of its own");
  EXPECT_EQ(refusal("a,\"\",b\n1,2,3\n"),
            "row 1 (line 2): '2' stands in column 2, which has no name in the header; give it one, or leave it out: --ignore 'Unnamed: 1'");
  EXPECT_EQ(refusal("\xE9t\xE9,b\n1,2\n"), "the name '\\xe9t\\xe9' in the header of 't.csv' is not UTF-8: save the file as UTF-8");
}

// ---- a column without a name ----------------------------------------------------------------------------------------------------------

// As pandas, R's write.csv, write.table and write.table without quotes write it.
TEST(ReadCsv, LeavesOutRowNamesWithANote) {
  for (const std::string text : {",a,b\n0,1,x\n1,2,y\n2,3,x\n", "\"\",\"a\",\"b\"\n\"1\",1,\"x\"\n\"2\",2,\"y\"\n\"3\",3,\"x\"\n",
                                 "\"a\",\"b\"\n\"1\",1,\"x\"\n\"2\",2,\"y\"\n\"3\",3,\"x\"\n", "a,b\n1,1,x\n2,2,y\n3,3,x\n",
                                 ",a,b\nBonn,1,x\nRome,2,y\n7,3,x\n", "a,b\nBonn,1,x\nRome,2,y\nOslo,3,x\n", ",a,b\n17,1,x\n3,2,y\n0,3,x\n",
                                 ",a,b\n0,1,x\n1,2,y\n7,3,x\n", "\xEF\xBB\xBF,a,b\r\n1,1,x\r\n2,2,y\r\n3,3,x\r\n"}) {
    const Table table = read(text);
    EXPECT_EQ(names(table), (Names{"a", "b"})) << text;
    expect_values(table, {{1, 0}, {2, 1}, {3, 0}});
    ASSERT_EQ(table.notes.size(), 1U) << text;
    EXPECT_TRUE(table.notes[0].starts_with("column 1, which has no name in the header, holds row names ('") &&
                table.notes[0].ends_with("', ...) and is left out"));
    EXPECT_TRUE(read(text, {.ignore = {"Unnamed: 0"}}).notes.empty());
    expect_values(read(text, {.only = {"a"}}), {{1}, {2}, {3}});
  }
  EXPECT_EQ(read(",a\n5,1\n6,2\n").notes[0], "column 1, which has no name in the header, holds row names ('5', ...) and is left out");
  const Table with_sum = read(",a\nx,1\ny,2\nTotal,3\n");  // as pandas writes T.loc["Total"] = T.sum()
  ASSERT_EQ(with_sum.notes.size(), 2U);
  EXPECT_EQ(with_sum.notes[1], "row 3 (line 4) has the name 'Total'; if it sums up others, leave it out");
  const Table asked = read(",a\n5,1\n6,2\n", {.only = {"Unnamed: 0"}});  // a model of Python may know it
  expect_values(asked, {{5}, {6}});
  EXPECT_EQ(read(",a\n5,1\n6,2\n", {.categorical = {"Unnamed: 0"}}).columns[0].levels, (Names{"5", "6"}));
  expect_values(read(",a\n5,1\n6,2\n", {.required = {{"Unnamed: 0", "--target"}}}), {{5, 1}, {6, 2}});
}

TEST(ReadCsv, DoesNotGuessWhatAnUnnamedColumnMeansThatHoldsNoRowNames) {
  const std::string remedy =
      ", so column 1, which has no name in the header, does not hold row names; name it in the header, or leave it out: "
      "--ignore 'Unnamed: 0'";
  EXPECT_EQ(refusal(",a\n1.5,1\n2,2\n"), "row 1 (line 2): '1.5' is not a whole number" + remedy);
  EXPECT_EQ(refusal(",a\n5,1\n\n5,2\n"), "row 2 (line 4): '5' is in another row, too" + remedy);
  EXPECT_EQ(refusal(",a\n0,1\n1,2\n7,3\n1,4\n"), "row 4 (line 5): '1' is in another row, too" + remedy);
  EXPECT_EQ(refusal(",a\nx,1\n,2\n,3\n"), "row 3 (line 4): '' is in another row, too" + remedy);
  // Decimal commas without quotes, for which the rows are too long, are not taken for row names.
  EXPECT_EQ(refusal("x,y\n1,5,2\n3,5,4\n"),
            "row 2 (line 3): '3' does not count the rows, so column 1, for which the header has no field, does not "
            "hold row names; name it in the header, or leave it out: --ignore 'Unnamed: 0'");
  EXPECT_EQ(refusal("x,y\n1,5,2\n3,5,4\n", {.only = {"x"}}).substr(0, 37), "row 2 (line 3): '3' does not count th");
  EXPECT_EQ(refusal("x,y\n2,5,2\n3,5,4\n"), "row 1 (line 2) has 3 fields, the header has 2");
  EXPECT_EQ(names(read("x,y\na,5,\nb,5,\n")), (Names{"x", "y"}));  // rows that end with a delimiter
  EXPECT_EQ(refusal("\"x\",\"y\"\n\"1\",5,2\n\"2\",5\n"), "row 2 (line 3) has 2 fields, the header has 3");
  expect_values(read(",a,\n1,2,\n2,3,\n"), {{2}, {3}});
  expect_values(read(",a,\n1,2,\n2,3,\n", {.ignore = {"Unnamed: 2"}}), {{2}, {3}});
}

TEST(ReadCsv, UnderstandsQuotesLineBreaksAndMarksOfOtherSystems) {
  const Table table = read("\xEF\xBB\xBF\"a \"\"b\"\"\",c\r\n\"x, \"\"y\"\"\r\nz\",1\r\n  \"  p \"  ,2\r\nsize 5\" pipe,3");
  EXPECT_EQ(names(table), (Names{"a \"b\"", "c"}));
  EXPECT_EQ(table.columns[0].levels, (Names{"  p ", "size 5\" pipe", "x, \"y\"\r\nz"}));
  expect_values(table, {{2, 1}, {0, 2}, {1, 3}});
}

TEST(ReadCsv, CountsARowThatSpansLinesOnce) { EXPECT_EQ(refusal("a,b\n\"x\n\ny\",1\nz,w\n").substr(0, 27), "row 2 (line 5), column 'b':"); }

// Blank lines, line breaks in quotes and rows that were dropped: the row is counted without them, the line with them.
TEST(ReadCsv, KnowsTheLineOfEveryRow) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text = "\n\"a\nname\",b\n1,2\n\n\"x\n\ny\",3\nz,\nw,4\n";  // lines 2, 4, 6, 9, 10
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += end.size()) text.replace(at, 1, end);
    const Table table = read(text, {.missing = Missing::drop_rows, .categorical = {"a" + end + "name"}});
    ASSERT_EQ(table.num_rows, 3);
    EXPECT_EQ(table.row_name(0), "row 1 (line 4)");
    EXPECT_EQ(table.row_name(1), "row 2 (line 6)");
    EXPECT_EQ(table.row_name(2), "row 4 (line 10)");
  }
  const Table plain = read("a\n1\n2\n");
  EXPECT_TRUE(plain.file_lines.empty());
  EXPECT_EQ(plain.row_name(1), "row 2 (line 3)");
  const Table dropped = read("a,b\n1,2\n,3\n4,5\n", {.missing = Missing::drop_rows});
  EXPECT_TRUE(dropped.file_lines.empty());
  EXPECT_EQ(dropped.row_name(1), "row 3 (line 4)");
}

TEST(ReadCsv, ReadsLinesThatEndWithCrLfBothOrAMixture) {
  for (const std::string text :
       {"a,b\r1,x\r2,y\r", "a,b\r1,x\r2,y", "a,b\r\n1,x\r2,y\n", "a,b\n1,\"x\"\r2,\"y\"\r", "a,b\r\r1,x\r\r\n\n2,y\r\n"}) {
    const Table table = read(text);
    ASSERT_EQ(table.num_rows, 2) << text;
    EXPECT_EQ(table.value(1, 0), 2) << text;
    EXPECT_EQ(table.columns[1].levels, (Names{"x", "y"})) << text;
  }
  EXPECT_EQ(read("a\r1\r2\r").num_rows, 2);
}

TEST(ReadCsv, RefusesColumnsOfNumbersWithADecimalComma) {
  const std::string remedy = "write a decimal point, or read such numbers with --decimal ,";
  EXPECT_EQ(refusal("a;b\n1;2\n3,5;4\n", {.delimiter = ';', .decimal = '.'}),
            "row 2 (line 3), column 'a': '3,5' has a decimal comma; " + remedy);
  for (const char* text : {"b,a\n1,\"1,5\"\n2,\"-2,25\"\n3,\"1.234,5\"\n", "b,a\n1,\"1,5\"\n2,\"2,5e-3\"\n3,x\n"}) {
    const std::string message = refusal(text);
    EXPECT_EQ(message.substr(0, 50), "row 1 (line 2), column 'a': '1,5' has a decimal co") << message;
    EXPECT_NE(message.find(remedy + " (to read the column as text: --categorical 'a')"), std::string::npos) << message;
    EXPECT_EQ(read(text, {.categorical = {"a"}}).columns[1].levels.size(), 3U);
  }
  EXPECT_EQ(read("a,b\n\"x,5\",1\n\"1,y\",2\n\"1,2,3\",3\n\"1,5\",4\n").columns[0].levels.size(), 4U);  // most are no numbers
}

// "11,600" is 11.6 to one reader and 11600 to another.
TEST(ReadCsv, DoesNotGuessWhatACommaMeans) {
  const auto said = [](const std::string& values) { return refusal("a;b\n" + values, {.delimiter = ';', .decimal = '.'}); };
  EXPECT_EQ(said("1;2\n11,600;4\n"),
            "row 2 (line 3), column 'a': '11,600' has a comma, which may be a decimal comma or stand between thousands; write "
            "11.600 (or use --decimal ,) or 11600");
  EXPECT_EQ(said("1;2\n-1,234,567;4\n"), "row 2 (line 3), column 'a': '-1,234,567' has commas between thousands; write -1234567");
  EXPECT_EQ(said("1;2\n1,234.5;4\n"), "row 2 (line 3), column 'a': '1,234.5' has commas between thousands; write 1234.5");
  EXPECT_EQ(said("1;2\n1,5;4\n").substr(0, 54), "row 2 (line 3), column 'a': '1,5' has a decimal comma;");
  EXPECT_EQ(said("1;2\n0,125;4\n").substr(0, 56), "row 2 (line 3), column 'a': '0,125' has a decimal comma;");  // no thousands of zeros
  const std::string text = " (to read the column as text: --categorical 'a')";
  EXPECT_EQ(said("11,600;2\n12,700;4\n"),
            "row 1 (line 2), column 'a': '11,600' has a comma, which may be a decimal comma or stand between thousands, like 2 "
            "of the 2 values of the column; write 11.600 (or use --decimal ,) or 11600" +
                text);
  // One value that is clear decides.
  EXPECT_EQ(said("11,600;2\n12,75;4\n"),
            "row 2 (line 3), column 'a': '12,75' has a decimal comma, like 2 of the 2 values of the column; write a decimal point, or read "
            "such numbers with --decimal ," +
                text);
  EXPECT_EQ(said("11,600;2\n1,000,000;4\n900;1\n"), "row 2 (line 3), column 'a': '1,000,000' has commas between thousands; write 1000000");
  EXPECT_EQ(read("a;b\n1234,5678;1\n12,34,567;2\n,123;2\nx;1\ny;2\n", {.delimiter = ';', .decimal = '.'}).columns[0].levels.size(),
            5U);  // most are no numbers
}

TEST(ReadCsv, SaysThatNamesThatLookTheSameAreNot) {
  const std::string composed = "gr\u00F6\u00DFe", parts = "gro\u0308\u00DFe", blank = "a\u00A0b";
  EXPECT_EQ(refusal(parts + ",y\n1,2\n", {.required = {{composed, "--target"}}}),
            "'t.csv' has no column '" + composed + "', which --target names; did you mean '" + parts +
                "'? It may look the same, but some of its characters are others, such as an accent that is a character of its own. Its "
                "columns are '" +
                parts + "', 'y'");
  for (const auto& [name, other] :
       {std::pair<std::string, std::string>{"a b", blank}, {blank, "a b"}, {"f\u00FCr", "fu\u0308r"}, {"x", "x\u200B"}})
    EXPECT_NE(refusal(other + ",y\n1,2\n", {.required = {{name, "--target"}}}).find("It may look the same"), std::string::npos) << name;
  EXPECT_EQ(refusal(composed + ",y\n1,2\n", {.required = {{"gr\u00E4\u00DFe", "--target"}}}).find("It may look"), std::string::npos);
}

TEST(ReadCsv, LooksForTheNamesItNeedsBeforeAnyValue) {
  const std::string text = "age,type,npreg\n1,,3\n";
  EXPECT_EQ(refusal(text, {.required = {{"typ", "--target"}}}),
            "'t.csv' has no column 'typ', which --target names; did you mean 'type'? Its columns are 'age', 'type', 'npreg'");
  EXPECT_EQ(refusal(text, {.required = {{"Tpye", "--target"}}}),
            "'t.csv' has no column 'Tpye', which --target names; did you mean 'type'? Its columns are 'age', 'type', 'npreg'");
  EXPECT_EQ(refusal(text, {.required = {{"glucose", "--target"}}}),
            "'t.csv' has no column 'glucose', which --target names; its columns are 'age', 'type', 'npreg'");
  EXPECT_EQ(
      refusal("a;b\n1;2\n", {.delimiter = ',', .required = {{"b", "--target"}}}),
      "'t.csv' has no column 'b', which --target names; its columns are 'a;b'; if ';' separates the fields, set it (--delimiter ';')");
}

TEST(ReadCsv, NamesWhereAQuoteIsWrong) {
  EXPECT_EQ(refusal("a,b\n1,2\n3,\"x\n4,5\n"), "row 2 (line 3), column 'b': the quote that opens here is never closed");
  EXPECT_EQ(refusal("a,\"b\n1,2\n"), "header of 't.csv', field 2: the quote that opens here is never closed");
  EXPECT_EQ(refusal("a,b\n\"1\"x,2\n"),
            "row 1 (line 2), column 'a': text follows the closing quote (a quote inside quotes is written twice)");
}

TEST(ReadCsv, TakesOtherDelimiters) {
  expect_values(read("a\tb\n1\t2\n", {.delimiter = '\t'}), {{1, 2}});
  expect_values(read("a b\n1 2\n", {.delimiter = ' '}), {{1, 2}});
  EXPECT_EQ(refusal("a\tb\n1\t\n", {.delimiter = '\t'}).substr(0, 27), "row 1 (line 2), column 'b':");
  for (const char bad : {'"', '\n', '\r', '\0'}) EXPECT_NE(refusal("a\n1\n", {.delimiter = bad}).find("delimiter"), std::string::npos);
}

TEST(ReadCsv, SaysThatABinaryFileIsNotText) {
  using namespace std::string_view_literals;
  EXPECT_EQ(refusal("a,b\n1,\0\n"sv), "'t.csv' is not a text file: byte 7 is NUL (a table is CSV text in UTF-8)");
  EXPECT_EQ(refusal("x\0\n\0"sv), "'t.csv' is not a text file: byte 2 is NUL (a table is CSV text in UTF-8)");
  EXPECT_EQ(refusal("city\nZ\xFCrich\n"), "row 1 (line 2), column 'city': 'Z\\xfcrich' is not UTF-8: save the file as UTF-8");
  EXPECT_EQ(read("city\nZ\xC3\xBCrich\n").columns[0].levels, Names{"Z\xC3\xBCrich"});
}

TEST(ReadCsv, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  const std::string absent = folder / "absent.csv";
  EXPECT_EQ(message_of<EnvironmentError>([&] { (void)read_csv(absent); }),
            "cannot open '" + absent + "': No such file or directory; check the path and the current folder");
  EXPECT_EQ(message_of<EnvironmentError>([&] { (void)read_csv(folder.path()); }),
            "cannot read '" + folder.path() + "': it is a directory; give the path of a file");
  EXPECT_EQ(message_of<EnvironmentError>([&] { (void)read_csv(""); }), "cannot open a file: its path is empty");
}

TEST(ReadCsv, ShortensLongTextInItsMessages) {
  const std::string message = refusal("x\n1\n" + std::string(1000, 'a') + "\n");
  EXPECT_EQ(message.substr(0, message.find(" (to")),
            "row 2 (line 3), column 'x': '" + std::string(60, 'a') + "...' is not a number; write a number there, or leave out such rows");
}

TEST(ReadCsv, ReadsTablesLargerThanItsBuffer) {
  std::string text = "i,half,name\n";
  const int n = 300'000;  // 6 MB
  for (int i = 0; i < n; ++i) text += std::to_string(i) + "," + std::to_string(i) + ".5,n" + std::to_string(i % 7) + "\n";
  const Table table = read(text);
  ASSERT_EQ(table.num_rows, n);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(table.value(i, 0), i);
    ASSERT_EQ(table.value(i, 1), i + 0.5);
    ASSERT_EQ(table.value(i, 2), i % 7);
  }
}

TEST(ReadCsv, ReadsARecordLargerThanItsBuffer) {
  const std::string large(5'000'000, 'x');
  const Table table = read("a,b\n1,2\n3,4\n", {});
  expect_values(table, {{1, 2}, {3, 4}});
  const Table with_note = read("a,note\n1,\"" + large + "\n" + large + "\"\n2,short\n", {.ignore = {"note"}});
  expect_values(with_note, {{1}, {2}});
}

TEST(Table, FindsColumnsByName) {
  const Table table = read("a,b\n1,2\n");
  EXPECT_EQ(table.find("b"), 1);
  EXPECT_EQ(table.find("c"), -1);
  EXPECT_EQ(table.at("a"), 0);
  EXPECT_EQ(message_of<InvalidArgument>([&] { (void)table.at("c"); }), "there is no column 'c'; the columns are 'a', 'b'");
}

}  // namespace
}  // namespace ardvark
