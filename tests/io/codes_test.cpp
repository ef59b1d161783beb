// Codes that some files write as 1 and others as 1.0 are one level, wherever the texts come from.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ardvark/statistics.hpp"
#include "ardvark/table_stream.hpp"
#include "io/text.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using Texts = std::vector<std::string>;
using internal::io::code_of;

TEST(Codes, AreTheSameInEverySpellingOfADecimalNumber) {
  for (const auto& [text, code] : std::vector<std::pair<std::string, std::string>>{{"1", "1"},
                                                                                   {"1.0", "1"},
                                                                                   {"-3.000", "-3"},
                                                                                   {"0.0", "0"},
                                                                                   {"-0.0", "0"},
                                                                                   {"1.50", "1.5"},
                                                                                   {"-0.1000", "-0.1"},
                                                                                   {"0.10", "0.1"},
                                                                                   {"100.010", "100.01"},
                                                                                   {"10.00", "10"},
                                                                                   {"1.5", "1.5"},
                                                                                   {"12345678901234567890123.0", "12345678901234567890123"},
                                                                                   {"9007199254740993e0", "9007199254740993"},
                                                                                   {"9.007199254740992e+15", "9007199254740992"},
                                                                                   {"1e+05", "100000"},
                                                                                   {"1.000000e+00", "1"},
                                                                                   {"1.5E3", "1500"},
                                                                                   {"-2.5e-03", "-0.0025"},
                                                                                   {"1e5", "100000"},
                                                                                   {"+1", "1"},
                                                                                   {"1.", "1"},
                                                                                   {".1", "0.1"},
                                                                                   {"-.50", "-0.5"},
                                                                                   {"-0", "0"},
                                                                                   {"0e+00", "0"},
                                                                                   {"1E+300", "1e+300"},
                                                                                   {"100e+298", "1e+300"},
                                                                                   {"1.20e-300", "1.2e-300"}})
    EXPECT_EQ(code_of(text), code);
  for (const char* other : {"007", "007.0", "00.0", "+007", "007.50", "007e1", "1.5.0", "1.50 kg", "1E5", "12E4", ".",   "e5",  "1e",
                            "1e+", "-",     "",     "1.0a", "v1.0",   "1.0.0", "1,0",   "+-1",     "--1", "0x10", "nan", "inf", " 1.0"})
    EXPECT_EQ(code_of(other), other);
}

class CodesInFiles : public ::testing::Test {
 protected:
  std::string put(const std::string& rows, const std::string& name) const {
    testing::write_bytes(folder_ / name, "a,code,y\n" + rows);
    return folder_ / name;
  }
  testing::TemporaryFolder folder_;
  const std::string whole_ = put("1,1,2\n2,2,3\n3,007,5\n4,1,4\n", "whole.csv"),
                    fractions_ = put("5,1.0,6\n6,2.0,8\n7,7.0,7\n8,1E0,7\n", "fractions.csv");
  const CsvOptions options_{.categorical = {"code"}};
};

TEST_F(CodesInFiles, AreTheSameLevelsInEveryPart) {
  const Texts expected = {"007", "1", "1E0", "2", "7"};
  EXPECT_EQ(read_csv({whole_, fractions_}, options_).columns[1].levels, expected);
  EXPECT_EQ(read_csv({fractions_, whole_}, options_).columns[1].levels, expected);
  FactsOfColumns facts;
  TableStream stream({whole_, fractions_}, options_);
  for (Table piece; stream.next(piece, 3);) facts.add(piece);
  EXPECT_EQ(facts.facts()[1].column.levels, expected);
}

TEST_F(CodesInFiles, AreTheSameColumnsOfMergedStatistics) {
  LinearStatistics left, right;
  left.update(read_csv(whole_, options_), "y");
  right.update(read_csv(fractions_, options_), "y");
  left.merge(right);
  EXPECT_EQ(left.encoding().features[1].levels, (Texts{"1", "1E0", "2", "007", "7"}));  // by value, then by their characters
}

TEST_F(CodesInFiles, WithFractionsAreTheSameLevelsInEveryForm) {
  const std::string two = put("1,1.50,2\n2,0.10,3\n3,10.0,4\n", "two.csv"), one = put("4,1.5,2\n5,0.1,3\n6,10,4\n7,1.05,1\n", "one.csv");
  const Texts expected = {"0.1", "1.05", "1.5", "10"};
  EXPECT_EQ(read_csv({two, one}, options_).columns[1].levels, expected);
  EXPECT_EQ(read_csv({one, two}, options_).columns[1].levels, expected);
  const std::vector<const char*> three = {"1.50", "1.5", "1.500"};
  EXPECT_EQ(make_table(3, {{"code", {}, three}}, Missing::keep).columns[0].levels, Texts{"1.5"});
  LinearStatistics left, right;
  left.update(read_csv(two, options_), "y");
  right.update(read_csv(one, options_), "y");
  left.merge(right);
  EXPECT_EQ(left.encoding().features[1].levels, expected);
}

TEST_F(CodesInFiles, AreFoundByAModelOfEitherForm) {
  const Table known = read_csv(put("1,1.0,2\n2,2.50,3\n3,2.50,3\n", "known.csv"), options_);
  FeatureEncoding encoding = make_encoding(known, {"y"});
  const auto encoded = [&](const std::string& row) {
    const EncodedTable X = encode(read_csv(put(row, "new.csv"), options_), encoding);
    return X.X()(0, 1);
  };
  for (const bool is_earlier : {false, true}) {  // models of earlier versions have the levels as they were written
    if (is_earlier) encoding.features[1].levels = {"1.0", "2.50"};
    EXPECT_EQ(encoded("1,1,0\n"), 1);
    EXPECT_EQ(encoded("1,1.00,0\n"), 1);
    EXPECT_EQ(encoded("1,2.5,0\n"), 0);
    EXPECT_EQ(encoded("1,2.500,0\n"), 0);
  }
}

TEST_F(CodesInFiles, WithExponentsAreTheSameLevelsInEveryPart) {
  const std::string plain = put("1,100000,2\n2,1,3\n3,0.1,4\n4,1,4\n", "plain.csv"),
                    others = put("4,1e+05,2\n5,1.000000e+00,3\n6,.1,4\n7,+1,1\n8,1.,1\n", "others.csv");
  const Texts expected = {"0.1", "1", "100000"};
  EXPECT_EQ(read_csv({plain, others}, options_).columns[1].levels, expected);
  EXPECT_EQ(read_csv({others, plain}, options_).columns[1].levels, expected);
  LinearStatistics left, right;
  left.update(read_csv(plain, options_), "y");
  right.update(read_csv(others, options_), "y");
  left.merge(right);
  EXPECT_EQ(left.encoding().features[1].levels, expected);
  const FeatureEncoding encoding = make_encoding(read_csv(plain, options_), {"y"});  // 1 is the reference
  const EncodedTable X = encode(read_csv(others, options_), encoding);
  for (const auto& [row, dummy] : {std::pair<Index, Index>{0, 2}, {2, 1}})
    for (Index column = 1; column < 3; ++column) EXPECT_EQ(X.X()(row, column), column == dummy ? 1 : 0) << row;
  for (const Index row : {1, 3, 4}) EXPECT_EQ(X.X()(row, 1) + X.X()(row, 2), 0) << row;
}

TEST_F(CodesInFiles, StayAsTheyAreWhereTheyAreCopied) {
  CsvOptions options = options_;
  options.missing = Missing::keep, options.only = {"a", "code"}, options.verbatim = {"code", "a"};
  const Table table = read_csv(put("5,1.0,6\n06.50,NA,8\n", "kept.csv"), options);
  ASSERT_EQ(table.num_columns(), 4);
  EXPECT_EQ(table.columns[1].levels, (Texts{"06.50", "5"}));
  EXPECT_TRUE(table.columns[1].is_copy && table.columns[3].is_copy);
  EXPECT_EQ(table.columns[3].levels, (Texts{"1.0", "NA"}));
  EXPECT_EQ(table.find("code"), 2);
}

TEST(Codes, OfATableInMemoryAreTheSameLevels) {
  const std::vector<const char*> texts = {"1", "1e+00", " 2.0", "007", nullptr, "+1"};
  const Table table = make_table(6, {{"code", {}, texts}}, Missing::keep);
  EXPECT_EQ(table.columns[0].levels, (Texts{"007", "1", "2"}));
  EXPECT_EQ(table.value(0, 0), table.value(1, 0));
  EXPECT_EQ(table.value(0, 0), table.value(5, 0));
}

}  // namespace
}  // namespace ardvark
