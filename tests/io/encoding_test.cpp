#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <limits>

#include "ardvark/errors.hpp"
#include "ardvark/table.hpp"
#include "io/notation.hpp"
#include "io/sparse_table.hpp"
#include "io/text.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using internal::io::encode_sparse;
using internal::io::SparseTable;
using testing::message_of;
using Names = std::vector<std::string>;
using Rows = std::initializer_list<std::initializer_list<double>>;

Table make_table(std::vector<TableColumn> columns, Rows rows) {
  Table table;
  table.columns = std::move(columns);
  table.num_rows = static_cast<Index>(rows.size());
  table.values.reset(static_cast<double*>(std::malloc((rows.size() * table.columns.size() + 1) * sizeof(double))));
  double* next = table.values.get();
  for (const auto& row : rows) next = std::copy(row.begin(), row.end(), next);
  return table;
}

// a: numbers; city: Bonn, Oslo, Rome; b: numbers
Table sample() {
  return make_table({{"a", false, {}}, {"city", true, {"Bonn", "Oslo", "Rome"}}, {"b", false, {}}},
                    {{1, 2, 10}, {2, 0, 20}, {3, 1, 30}, {4, 2, 40}});
}

void expect_X(const EncodedTable& encoded, Rows rows) {
  ASSERT_EQ(encoded.rows, static_cast<Index>(rows.size()));
  Index i = 0;
  for (const auto& row : rows) {
    ASSERT_EQ(encoded.cols, static_cast<Index>(row.size()));
    Index j = 0;
    for (const double value : row) {
      EXPECT_EQ(encoded.X()(i, j), value) << "row " << i << ", column " << j;
      ++j;
    }
    ++i;
  }
}

TEST(FeatureEncoding, NamesAndGroupsADummyPerLevelButTheReference) {
  const FeatureEncoding encoding = make_encoding(sample(), {});
  EXPECT_EQ(encoding.num_columns(), 4);
  EXPECT_EQ(encoding.names(), (Names{"a", "city=Bonn", "city=Oslo", "b"}));
  EXPECT_EQ(encoding.groups(), (std::vector<Index>{0, 1, 1, 2}));
}

TEST(FeatureEncoding, NamesAndGroupsADummyPerLevel) {
  const FeatureEncoding encoding = make_encoding(sample(), {}, Dummies::every_level);
  EXPECT_EQ(encoding.num_columns(), 5);
  EXPECT_EQ(encoding.names(), (Names{"a", "city=Bonn", "city=Oslo", "city=Rome", "b"}));
  EXPECT_EQ(encoding.groups(), (std::vector<Index>{0, 1, 1, 1, 2}));
  expect_X(encode(sample(), encoding), {{1, 0, 0, 1, 10}, {2, 1, 0, 0, 20}, {3, 0, 1, 0, 30}, {4, 0, 0, 1, 40}});
}

TEST(Encode, TakesNeighboursTogetherAndInTheOrderOfTheFeatures) {
  const auto table = [] {
    return make_table({{"a", false, {}}, {"b", false, {}}, {"y", false, {}}, {"city", true, {"Bonn", "Rome"}}, {"c", false, {}}},
                      {{1, 2, 3, 0, 5}, {6, 7, 8, 1, 10}, {11, std::nan(""), 13, 0, 15}});
  };
  FeatureEncoding encoding = make_encoding(table(), {"y"});
  const double nan = std::nan("");
  expect_X(encode(table(), FeatureEncoding::of_numbers({"c", "y", "a"})), {{5, 3, 1}, {10, 8, 6}, {15, 13, 11}});
  std::ranges::reverse(encoding.features);
  const EncodedTable encoded = encode(table(), encoding);
  ASSERT_EQ(encoding.names(), (Names{"c", "city=Rome", "b", "a"}));
  const double expected[3][4] = {{5, 0, 2, 1}, {10, 1, 7, 6}, {15, 0, nan, 11}};
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 4; ++j)
      EXPECT_TRUE(encoded.X()(i, j) == expected[i][j] || (std::isnan(encoded.X()(i, j)) && std::isnan(expected[i][j]))) << i << ' ' << j;
}

TEST(FeatureEncoding, RefusesTextsThatNameTheRows) {
  Table table = make_table({{"name", true, {}}}, {{0}, {1}});
  for (int i = 0; i < 10001; ++i) table.columns[0].levels.push_back(fmt::format("row {}", i));
  EXPECT_NE(
      message_of<InvalidArgument>([&] { static_cast<void>(make_encoding(table, {})); }).find("'name' has more than 10000 different texts"),
      std::string::npos);
}

TEST(FeatureEncoding, ComparesWithTheLevelThatHasTheMostRows) {
  const FeatureEncoding encoding = make_encoding(sample(), {});
  EXPECT_EQ(encoding.features[1].levels[static_cast<std::size_t>(encoding.features[1].reference)], "Rome");
  EXPECT_EQ(encoding.features[1].reference_rows, 2);
  // Of levels with as many rows, the first.
  const Table even = make_table({{"k", true, {"a", "b", "c"}}}, {{1}, {2}, {2}, {1}, {0}});
  EXPECT_EQ(make_encoding(even, {}).features[0].reference, 1);
  // A row of weight 3 counts as three.
  const Vector weights = Vector::Constant(5, 1.0) + 2 * Vector::Unit(5, 4);
  EXPECT_EQ(make_encoding(even, {}, Dummies::all_but_reference, {}, weights).features[0].reference, 0);
}

TEST(FeatureEncoding, ComparesWithTheLevelThatIsGiven) {
  const FeatureEncoding encoding = make_encoding(sample(), {}, Dummies::all_but_reference, {"city=Oslo"});
  EXPECT_EQ(encoding.names(), (Names{"a", "city=Bonn", "city=Rome", "b"}));
  EXPECT_EQ(encoding.features[1].reference_rows, 1);
  expect_X(encode(sample(), encoding), {{1, 0, 1, 10}, {2, 1, 0, 20}, {3, 0, 0, 30}, {4, 0, 1, 40}});
  const auto message = [](const char* reference) {
    return message_of<InvalidArgument>([&] { (void)make_encoding(sample(), {}, Dummies::all_but_reference, {reference}); });
  };
  EXPECT_EQ(message("city"), "reference is 'city'; it must be COLUMN=LEVEL");
  EXPECT_EQ(message("town=Oslo"), "reference is 'town=Oslo', but no feature column has the name before the '='");
  EXPECT_EQ(message("a=1"), "reference is 'a=1', but column 'a' holds numbers; only a text column has a reference");
  EXPECT_EQ(message("city=Lima"),
            "reference is 'city=Lima', but 'Lima' is not a level of column 'city'; its levels are 'Bonn', 'Oslo', 'Rome'");
}

TEST(FeatureEncoding, OrdersLevelsAsAPersonWould) {
  const Names sorted = {"-1", "0.5", "10", "2", "Week 10", "week 10", "week 2", "week 2b"};  // by bytes, as a Table has them
  Table table = make_table({{"k", true, sorted}}, {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}});
  EXPECT_EQ(make_encoding(table, {}).features[0].levels, (Names{"-1", "0.5", "2", "10", "Week 10", "week 2", "week 2b", "week 10"}));
}

TEST(MakeTable, IsTheTableThatAFileWouldGive) {
  const std::vector<double> age = {31, 45.5, 27};
  const std::vector<const char*> sex = {"male", "female", "male"};
  const Table table = ardvark::make_table(3, {{"age", age, {}}, {"sex", {}, sex}});
  EXPECT_EQ(table.columns[1].levels, (Names{"female", "male"}));
  EXPECT_EQ(column_values(table, 0), Eigen::Vector3d(31, 45.5, 27));
  EXPECT_EQ(column_values(table, 1), Eigen::Vector3d(1, 0, 1));
  EXPECT_EQ(table.row_name(2), "row 3");
}

// As the reader of CSV files does, so that a level is the same in every interface.
TEST(MakeTable, TextsHaveNoBlanksAtTheirEnds) {
  const std::vector<const char*> city = {"Oslo ", "Bern", "\tOslo", "New York", "  "};
  const Table table = ardvark::make_table(5, {{"city", {}, city}});
  EXPECT_EQ(table.columns[0].levels, (Names{"  ", "Bern", "New York", "Oslo"}));
  EXPECT_EQ(column_values(table, 0), (Vector(5) << 3, 1, 3, 2, 0).finished());
}

TEST(MakeTable, NamesRowAndColumnOfWhatItRefuses) {
  const double nan = std::nan("");
  const std::vector<double> gap = {1, nan}, infinite = {1, std::numeric_limits<double>::infinity()}, fine = {1, 2}, three = {1, 2, 3};
  const std::vector<const char*> texts = {"a", nullptr}, bytes = {"a", "\xff"};
  const auto message = [](Index rows, const std::vector<ColumnView>& columns) {
    return message_of<InvalidArgument>([&] { (void)ardvark::make_table(rows, columns); });
  };
  const std::string missing = "the value is missing; leave out the row, or fill the gap";
  EXPECT_EQ(message(2, {{"x", gap, {}}}), "row 2, column 'x': " + missing);
  EXPECT_EQ(message(2, {{"k", {}, texts}}), "row 2, column 'k': " + missing);
  EXPECT_EQ(message(2, {{"x", infinite, {}}}), "row 2, column 'x': the value is inf; it must be finite");
  EXPECT_EQ(message(2, {{"k", {}, bytes}}), "row 2, column 'k': the text '\\xff' is not UTF-8");
  EXPECT_EQ(message(2, {{"x", fine, {}}, {"x", fine, {}}}), "two columns of the table are named 'x'");
  EXPECT_EQ(message(2, {{"", fine, {}}}), "column 1 of the table has an empty name; give it one, or leave it out if it holds row names");
  EXPECT_EQ(message(2, {{"x", three, {}}}), "column 'x' has 3 values; the table has 2 rows");
  EXPECT_EQ(message(0, {}), "the table has no rows");
  EXPECT_EQ(message(2, {}), "the table has no columns");
}

TEST(FeatureEncoding, GivesAColumnOfOneLevelNoDummy) {
  for (Dummies dummies : {Dummies::all_but_reference, Dummies::every_level}) {
    Table table = make_table({{"constant", true, {"x"}}, {"b", false, {}}}, {{0, 7}, {0, 8}});
    const FeatureEncoding encoding = make_encoding(table, {}, dummies);
    EXPECT_EQ(encoding.names(), Names{"b"});
    EXPECT_EQ(encoding.groups(), std::vector<Index>{0});
    expect_X(encode(std::move(table), encoding), {{7}, {8}});
  }
}

TEST(FeatureEncoding, NumbersGroupsWithoutGapsWhenAColumnHasOneLevel) {
  const FeatureEncoding encoding{{{"a", false, {}}, {"constant", true, {"x"}}, {"b", false, {}}}};
  EXPECT_EQ(encoding.num_columns(), 2);
  EXPECT_EQ(encoding.names(), (Names{"a", "b"}));
  EXPECT_EQ(encoding.groups(), (std::vector<Index>{0, 1}));
}

TEST(MakeEncoding, LeavesOutExcludedColumns) {
  EXPECT_EQ(make_encoding(sample(), {"city", "a"}).names(), Names{"b"});
  EXPECT_EQ(message_of<InvalidArgument>([] { (void)make_encoding(sample(), {"y"}); }),
            "there is no column 'y'; the columns are 'a', 'city', 'b'");
}

TEST(Encode, GrowsInPlaceWhenThereAreDummies) {
  Table table = sample();
  const FeatureEncoding encoding = make_encoding(table, {});
  expect_X(encode(std::move(table), encoding), {{1, 0, 0, 10}, {2, 1, 0, 20}, {3, 0, 1, 30}, {4, 0, 0, 40}});
}

TEST(Encode, ShrinksInPlaceWhenColumnsAreLeftOut) {
  Table table = sample();
  const FeatureEncoding encoding = make_encoding(table, {"a", "city"});
  expect_X(encode(std::move(table), encoding), {{10}, {20}, {30}, {40}});
}

TEST(Encode, KeepsTheWidthWhenDummiesReplaceAColumn) {
  Table table = sample();
  const FeatureEncoding encoding = make_encoding(table, {"a"});
  expect_X(encode(std::move(table), encoding), {{0, 0, 10}, {1, 0, 20}, {0, 1, 30}, {0, 0, 40}});
}

TEST(Encode, LeavesANumericTableWhereItIs) {
  Table table = make_table({{"a", false, {}}, {"b", false, {}}}, {{1, 2}, {3, 4}});
  const double* before = table.values.get();
  const FeatureEncoding encoding = make_encoding(table, {});
  const EncodedTable encoded = encode(std::move(table), encoding);
  EXPECT_EQ(encoded.values.get(), before);
  expect_X(encoded, {{1, 2}, {3, 4}});
}

TEST(Encode, MatchesColumnsAndLevelsByName) {
  const FeatureEncoding encoding = make_encoding(sample(), {});
  Table table =
      make_table({{"y", false, {}}, {"b", false, {}}, {"city", true, {"Oslo", "Rome"}}, {"a", false, {}}}, {{9, 10, 0, 1}, {9, 20, 1, 2}});
  expect_X(encode(std::move(table), encoding), {{1, 0, 1, 10}, {2, 0, 0, 20}});
}

// The same table as sparse columns.
void expect_same_sparse(const std::function<Table()>& table, const FeatureEncoding& encoding) {
  const SparseTable sparse = encode_sparse(table(), encoding);
  const EncodedTable dense = encode(table(), encoding);
  ASSERT_EQ(sparse.rows, dense.rows);
  ASSERT_EQ(sparse.cols, dense.cols);
  Matrix X = Matrix::Zero(dense.rows, dense.cols);
  const CscView view = sparse.X();
  for (Index j = 0; j < view.cols(); ++j)
    for (Index e = view.start(j); e < view.start(j + 1); ++e) {
      EXPECT_TRUE(e == view.start(j) || view.row(e - 1) < view.row(e));
      EXPECT_NE(view.value(e), 0);
      X(view.row(e), j) = view.value(e);
    }
  for (Index i = 0; i < dense.rows; ++i)
    for (Index j = 0; j < dense.cols; ++j) EXPECT_EQ(X(i, j), dense.X()(i, j)) << i << ", " << j;
}

TEST(EncodeSparse, HasTheNumbersOfTheDenseTable) {
  expect_same_sparse(sample, make_encoding(sample(), {}));
  expect_same_sparse(sample, make_encoding(sample(), {}, Dummies::every_level));
  expect_same_sparse(sample, make_encoding(sample(), {"a"}, Dummies::all_but_reference, {"city=Oslo"}));
  FeatureEncoding turned = make_encoding(sample(), {});
  std::ranges::reverse(turned.features);
  expect_same_sparse(sample, turned);
  const auto truths = [] { return make_table({{"sick", true, {"False", "TRUE"}}, {"x", false, {}}}, {{1, 0}, {0, -2}, {1, 0}}); };
  expect_same_sparse(truths, make_encoding(truths(), {}));
}

TEST(EncodeSparse, RefusesGapsWithTheirRow) {
  const FeatureEncoding encoding = make_encoding(sample(), {});
  for (const double column : {0, 1, 2}) {
    Table table = sample();
    table.values.get()[3 * 2 + static_cast<Index>(column)] = std::nan("");
    EXPECT_NE(message_of<InvalidArgument>([&] { static_cast<void>(encode_sparse(table, encoding)); }).find("row 3"), std::string::npos);
  }
}

TEST(Encode, GivesNoColumnsWhenAllAreExcluded) {
  Table table = sample();
  const FeatureEncoding encoding = make_encoding(table, {"a", "b", "city"});
  const EncodedTable encoded = encode(std::move(table), encoding);
  EXPECT_EQ(encoded.rows, 4);
  EXPECT_EQ(encoded.cols, 0);
}

TEST(Encode, NamesAllColumnsThatTheTableLacks) {
  const FeatureEncoding encoding = make_encoding(sample(), {});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              (void)encode(make_table({{"b", false, {}}}, {{1}}), encoding);
            }),
            "the table lacks the columns 'a', 'city', which the model uses");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              (void)encode(make_table({{"b", false, {}}, {"a", false, {}}, {"citty", true, {"Rome"}}}, {{1, 1, 0}}), encoding);
            }),
            "the table lacks the column 'city', which the model uses; did you mean 'citty'?");
}

TEST(Encode, NamesTheFirstRowWithALevelThatTheModelDoesNotKnow) {
  const FeatureEncoding encoding = make_encoding(sample(), {"a", "b"});
  Table table = make_table({{"city", true, {"Bonn", "Lima"}}}, {{0}, {0}, {1}, {1}});
  const auto message = [&] { return message_of<InvalidArgument>([&] { (void)encode(std::move(table), encoding); }); };
  EXPECT_EQ(message(),
            "row 3 (line 4), column 'city': 'Lima' is not a level that the model knows; it knows 'Bonn', 'Oslo', 'Rome'; write one of "
            "these, or leave out such rows");
  ASSERT_EQ(table.num_rows, 4);  // untouched by the failure
  FeatureEncoding with_gaps = encoding;
  with_gaps.keeps_gaps = true;
  EXPECT_NE(message_of<InvalidArgument>([&] {
              (void)encode(std::move(table), with_gaps);
            }).find("'Rome'; write one of these, or leave the value out: the model fills gaps"),
            std::string::npos);
  table.file_rows = {1, 4, 7, 8};
  EXPECT_EQ(message(),
            "row 7 (line 8), column 'city': 'Lima' is not a level that the model knows; it knows 'Bonn', 'Oslo', 'Rome'; write one of "
            "these, or leave out such rows");
}

TEST(Encode, SuggestsALevelThatIsSimilarOrLooksTheSame) {
  const auto message = [](const std::string& known, const std::string& given) {
    const FeatureEncoding encoding{{{"city", true, {"Bonn", known}}}};
    return message_of<InvalidArgument>([&] { (void)encode(make_table({{"city", true, {given}}}, {{0}}), encoding); });
  };
  EXPECT_EQ(message("Rome", "rome"),
            "row 1 (line 2), column 'city': 'rome' is not a level that the model knows; did you mean 'Rome'? It knows 'Bonn', 'Rome'; "
            "write one of these, or leave out such rows");
  EXPECT_NE(message("K\u00F6ln", "Ko\u0308ln").find("did you mean 'K\u00F6ln'? It may look the same, but"), std::string::npos);
}

TEST(Encode, SaysWhatATextAmongNumbersMayMean) {
  const auto message = [](const std::vector<std::string>& texts) {
    const Rows rows = {{0}, {1}, {2}}, row = {{0}};
    return message_of<InvalidArgument>([&] {
      (void)encode(make_table({{"a", true, texts}}, texts.size() == 3 ? rows : row), FeatureEncoding::of_numbers({"a"}));
    });
  };
  EXPECT_EQ(message({"12,50 EUR", "3 EUR", "4,20 EUR", "5 EUR", "6 EUR"}),
            "row 1 (line 2), column 'a': '12,50 EUR' is a text, but the model was fitted to numbers there; nearly all of its texts begin "
            "with a number "
            "('12,50 EUR'); if they are measurements, write numbers without units");
  EXPECT_EQ(message({"1.5"}),
            "row 1 (line 2), column 'a': '1.5' is a text, but the model was fitted to numbers there; turn the texts of the column into "
            "numbers");
  EXPECT_EQ(message({"1.5", "2", "big"}),
            "row 3 (line 4), column 'a': 'big' is a text, but the model was fitted to numbers there; write a number or a missing value "
            "there, and turn the other texts of the column into numbers");
  EXPECT_EQ(message({"80,5", "70"}),
            "row 1 (line 2), column 'a': '80,5' is a text, but the model was fitted to numbers there; write a decimal point, and turn the "
            "texts of the column into numbers");
  EXPECT_EQ(message({"n.a."}),
            "row 1 (line 2), column 'a': 'n.a.' is a text, but the model was fitted to numbers there; if 'n.a.' means a missing "
            "value, use --missing-marker='n.a.' and --missing drop or impute");
}

TEST(Encode, RefusesNumbersThatAreNeitherTrueNorFalse) {
  const auto encoded = [](double value) {
    FeatureEncoding encoding = FeatureEncoding::of_numbers({"balcony"});
    encoding.features[0].is_truth = true;
    return encode(make_table({{"balcony", false, {}}}, {{1}, {value}}), encoding).values[1];
  };
  EXPECT_EQ(encoded(0), 0);
  EXPECT_EQ(encoded(0.5), 0.5);
  for (const double value : {80.0, -1.0})
    EXPECT_EQ(
        message_of<InvalidArgument>([&] { (void)encoded(value); }),
        fmt::format("row 2 (line 3), column 'balcony': {} is a number, but the model was fitted to true and false there; write true or "
                    "false, or 1 or 0",
                    value));
}

TEST(Remarks, KnowDatesAndDecimalCommas) {
  const auto about = [](std::vector<std::string> texts) { return internal::io::remark_on_numbers(texts); };
  for (const char* form : {"2024-0{}-11", "{}.2.2024", "0{}/09/24", "2024-02-1{} 14:30", "2024/1/1{}T08:00:00Z"}) {
    std::vector<std::string> days;
    for (int day = 0; day <= 9; ++day) days.push_back(fmt::format(fmt::runtime(form), day));
    EXPECT_EQ(about({days.begin(), days.begin() + 5}), "") << form;  // few dates are rather categories
    EXPECT_NE(about(days).find("nearly all of its texts are dates ('" + days[0] + "')"), std::string::npos) << form;
  }
  EXPECT_NE(about({"1,5", "2", "-3,25", "1.234,5", "4,0"}).find("numbers with a decimal comma ('1,5')"), std::string::npos);
  std::vector<std::string> codes;  // numbers of telephones, versions, articles
  for (int i = 0; i < 4; ++i) codes.insert(codes.end(), {"030-12-34567", "1.2.3.4", "12-2024-1", "A-1-2", "5-6-7890-1"});
  EXPECT_EQ(about(codes), "");
  EXPECT_EQ(about({"1,2,3", "2,3,4", ",5", "5,", "6,7 a"}).find("decimal comma"), std::string::npos);
}

TEST(Encode, RefusesTextForNumbersAndNumbersForText) {
  const FeatureEncoding encoding = make_encoding(sample(), {"b"});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              (void)encode(make_table({{"a", true, {"x"}}, {"city", true, {"Bonn"}}}, {{0, 0}}), encoding);
            }),
            "row 1 (line 2), column 'a': 'x' is a text, but the model was fitted to numbers there; write a number, or fit again to a table "
            "with such texts; if 'x' means a missing value, use --missing-marker='x' and --missing drop");
  EXPECT_EQ(
      message_of<InvalidArgument>([&] {
        (void)encode(make_table({{"a", false, {}}, {"city", false, {}}}, {{0, 0}}), encoding);
      }),
      "row 1 (line 2), column 'city': 0 is a number, but the model was fitted to texts there: 'Bonn', 'Oslo', 'Rome'; list the column "
      "as categorical");
}

// ---- true and false -------------------------------------------------------------------------------------------------------------------

// owner: of the given spelling
Table owners(const std::string& no, const std::string& yes, Rows rows = {{1, 1}, {0, 2}, {1, 3}}) {
  return make_table({{"owner", true, {no, yes}}, {"b", false, {}}}, rows);
}

TEST(Truths, AreANumericColumnOfOnesAndZerosInEverySpelling) {
  for (const Dummies dummies : {Dummies::all_but_reference, Dummies::every_level})
    for (const auto& [no, yes] : {std::pair{"false", "true"}, {"False", "True"}, {"FALSE", "TRUE"}, {"FALSE", "True"}}) {
      const FeatureEncoding encoding = make_encoding(owners(no, yes), {}, dummies);
      EXPECT_EQ(encoding.names(), (Names{"owner", "b"}));
      EXPECT_FALSE(encoding.has_text());
      EXPECT_TRUE(encoding.features[0].is_truth);
      expect_X(encode(owners(no, yes), encoding), {{1, 1}, {0, 2}, {1, 3}});
    }
  const double nan = std::nan("");
  const EncodedTable gap = encode(owners("false", "true", {{nan, 1}, {1, 2}}), make_encoding(owners("false", "true"), {}));
  EXPECT_TRUE(std::isnan(gap.X()(0, 0)));
  EXPECT_EQ(gap.X()(1, 0), 1);
}

TEST(Truths, OfOneKindAreAConstantColumn) {
  const Table all = make_table({{"owner", true, {"TRUE"}}, {"b", false, {}}}, {{0, 1}, {0, 2}});
  expect_X(encode(make_table({{"owner", true, {"TRUE"}}, {"b", false, {}}}, {{0, 1}, {0, 2}}), make_encoding(all, {})), {{1, 1}, {1, 2}});
}

TEST(Truths, AreLevelsIfOtherTextsAreAmongThemOrTheColumnIsListed) {
  const Table mixed = make_table({{"owner", true, {"FALSE", "TRUE", "unknown"}}}, {{0}, {1}, {2}});
  EXPECT_EQ(make_encoding(mixed, {}).names(), (Names{"owner=TRUE", "owner=unknown"}));
  const Table listed = make_table({{"owner", true, {"FALSE", "TRUE"}, true}}, {{0}, {1}});
  EXPECT_EQ(make_encoding(listed, {}).names(), Names{"owner=TRUE"});
  EXPECT_EQ(message_of<InvalidArgument>([] { (void)make_encoding(owners("no", "x"), {}, Dummies::all_but_reference, {"b=1"}); }),
            "reference is 'b=1', but column 'b' holds numbers; only a text column has a reference");
  EXPECT_EQ(
      message_of<InvalidArgument>([] { (void)make_encoding(owners("False", "True"), {}, Dummies::all_but_reference, {"owner=True"}); }),
      "reference is 'owner=True', but column 'owner' holds true and false, which are compared with false; only a text column has a "
      "reference");
}

// Numbers, and levels of earlier versions of the library, mean the same.
TEST(Truths, MeanTheSameAsNumbersAndAsLevelsOfOtherSpelling) {
  const FeatureEncoding numbers = FeatureEncoding::of_numbers({"owner", "b"});
  expect_X(encode(owners("False", "True"), numbers), {{1, 1}, {0, 2}, {1, 3}});
  const Table zeros = make_table({{"owner", false, {}}, {"b", false, {}}}, {{1, 1}, {0, 2}});
  const FeatureEncoding levels{{{"owner", true, {"False", "True"}, 1}, {"b", false, {}}}};  // compared with True
  EXPECT_EQ(levels.names(), (Names{"owner=False", "b"}));
  expect_X(encode(owners("FALSE", "TRUE"), levels), {{0, 1}, {1, 2}, {0, 3}});
  expect_X(encode(make_table({{"owner", false, {}}, {"b", false, {}}}, {{1, 1}, {0, 2}}), levels), {{0, 1}, {1, 2}});
  const auto message = [&](Table table, const FeatureEncoding& encoding) {
    return message_of<InvalidArgument>([&] { (void)encode(std::move(table), encoding); });
  };
  EXPECT_EQ(message(make_table({{"owner", false, {}}, {"b", false, {}}}, {{1, 1}, {2, 2}}), levels).substr(0, 86),
            "row 2 (line 3), column 'owner': 2 is a number, but the model was fitted to texts there");
  EXPECT_EQ(
      message(owners("FALSE", "no"), make_encoding(owners("FALSE", "TRUE"), {})),
      "row 1 (line 2), column 'owner': 'no' is a text, but the model was fitted to true and false there; write true or false, or fit again "
      "to a table with such texts; if 'no' means a missing value, use --missing-marker='no' and --missing drop");
}

TEST(Encode, NamesTheFirstBadRowAndNotTheFirstBadLevel) {
  const FeatureEncoding encoding = make_encoding(sample(), {"a", "b"});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              (void)encode(make_table({{"city", true, {"Bern", "Bonn", "Lima"}}}, {{1}, {2}, {0}}), encoding);
            }).substr(0, 37),
            "row 2 (line 3), column 'city': 'Lima'");
}

TEST(ColumnValues, GivesOneColumn) {
  EXPECT_EQ(column_values(sample(), 2), (Vector(4) << 10, 20, 30, 40).finished());
  EXPECT_EQ(column_values(sample(), 1), (Vector(4) << 2, 0, 1, 2).finished());
  EXPECT_EQ(message_of<InvalidArgument>([] { (void)column_values(sample(), 3); }), "column is 3; it must be from 0 to 2");
}

}  // namespace
}  // namespace ardvark
