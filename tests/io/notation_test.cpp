// Columns of texts that are numbers in other notations are told; codes and categories are not.
#include "io/notation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ardvark::internal::io {
namespace {

using Texts = std::vector<std::string>;

// Sixty texts, in which {0} is a whole number from 1000 on, {1} one below 60, {2} the last three digits of the first, {3} one digit.
Texts sixty(const char* form) {
  Texts out;
  for (int i = 0; i < 60; ++i)
    out.push_back(fmt::format(fmt::runtime(form), 1000 + 17 * i, i, fmt::format("{:03}", 17 * i % 1000), i % 10));
  return out;
}

TEST(Notation, OfOtherPlacesAndInstrumentsIsTold) {
  const struct {
    const char *form, *words;
  } cases[] = {
      {"1\u00a0{2}", "marks between thousands"},
      {"1\u202f{2},5", "marks between thousands"},
      {"1 {2}", "marks between thousands"},
      {"1 234 {2}", "marks between thousands"},
      {"1'{2}.50", "marks between thousands"},
      {"1\u2019{2}", "marks between thousands"},
      {"1_{2}", "marks between thousands"},
      {"\u2212{1}.5", "another character for the minus sign"},
      {"\u2212{1},5", "another character for the minus sign"},
      {"\u2013{1}.5", "another character for the minus sign"},
      {"{1}.5-", "another character for the minus sign"},
      {"-{1}.25D+01", "exponent"},
      {"{1}.25\u00d710^-{3}", "exponent"},
      {"{1}.25 x 10-{3}", "exponent"},
      {"{1}.25\u00b710\u207b\u00b3", "exponent"},
      {"({1}.5)", "in parentheses"},
      {"$({1}.50)", "in parentheses"},
      {"{1}.5\u00b10.5", "uncertainty"},
      {"{1}.5 +/- 0.5", "uncertainty"},
      {"{1}.5({3})", "uncertainty"},
      {"CHF {0}.50", "currency"},
      {"EUR {0}", "currency"},
      {"US$ {0}", "currency"},
      {"R${0},50", "currency"},
      {"\u20ac{0}", "currency"},
      {"\u20b9 {0}", "currency"},
      {"kr {0},50", "currency"},
      {"<{1}.5", "sign of comparison"},
      {"> {0}", "sign of comparison"},
      {"\u2264{1}", "sign of comparison"},
      {"~{1}", "sign of comparison"},
      {"00:{1}:30", "times or durations"},
      {"{1}:05.250", "times or durations"},
      {"{1} h 15 min", "times or durations"},
      {"{1}m30s", "times or durations"},
      {"3 days 04:{1}:00", "times or durations"},
      {"PT{1}M", "times or durations"},
      {"{1}\u00b030'15\"", "times or durations"},
      {"{0}/80", "slash"},
      {"{1} 1/2", "slash"},
      {"1.{0}+00{3}", "exponent"},
      {"-1.{0}-12", "exponent"},
      {"0x{0}", "base 16"},
      {"0x{0}fA", "base 16"},
      {"1{1}.5-2{1}.5", "ranges"},
      {"{0}-{0}1", "ranges"},
      {"{1} to 99", "ranges"},
      {"[{1}, 100)", "ranges"},
      {"{1}..77", "ranges"},
      {"12,34,{2}", "marks between thousands"},
      {"1.234.{2}", "marks between thousands"},
      {"{1}.5+{3}.2i", "complex"},
      {"{1} - 2j", "complex"},
      {"{1};{3}", "several numbers"},
      {"({1}.5, {3}, 7)", "several numbers"},
      {"about {1}", "sign of comparison"},
      {"less than {0}", "sign of comparison"},
      {"=\"{1}.5\"", "formulas of a spreadsheet"},
      {"3-Jan-{0}", "dates"},
      {"{1} March 2021", "dates"},
      {"Mar {1}, 2021", "dates"},
      {"{1}th of August 2021", "dates"},
      {"{1}JAN2021", "dates"},
      {"2021Q{3}", "dates"},
      {"2024-02-09 {1}:30", "dates"},
      {"{1}e5 m", "begin with a number"},
      {"{1}\u2009mg", "begin with a number"},
      {"\uff11\uff12{1}", "another script"},
      {"\u0661{1}", "another script"},
      {"\u00a0{0}", "blanks of another kind"},
      {"T={1}.5", "after the same beginning"},
      {"approx. {1}.5", "after the same beginning"},
      {"{1} kg", "begin with a number"},
      {"{1}%", "begin with a number"},
      {"{1}.5", "its texts are numbers"},
  };
  for (const auto& [form, words] : cases) {
    const std::string remark = remark_on_numbers(sixty(form));
    EXPECT_NE(remark.find(words), std::string::npos) << form << ": " << remark;
  }
}

TEST(Notation, OfSomeLevelsAmongPlainNumbersIsTold) {  // as losses in parentheses among gains
  Texts texts = sixty("{0}.50");
  for (std::size_t i = 0; i < texts.size(); i += 5) texts[i] = "(" + texts[i] + ")";
  EXPECT_NE(remark_on_numbers(texts).find("in parentheses ('(1000.50)')"), std::string::npos);
}

TEST(Notation, NamesAnExampleAndARemedy) {
  EXPECT_EQ(remark_on_numbers(sixty("\u2212{1}.5")),
            "nearly all of its texts are numbers with another character for the minus sign ('\u22120.5'); write the minus sign '-' before "
            "the digits");
}

TEST(Notation, LeavesIdentifiersAndCategoriesAlone) {
  for (const char* form : {"site{1}",   "site {1}",  "grade {1}",    "week {1}",   "P{1}",
                           "PT-{1}",    "A-{1}",     "FR{1}",        "RM {1}",     "{1}a{3}b",
                           "{1}-{3}-5", "{0}-{1}",   "0{1}",         "{1}",        "{0} Main Street 5",
                           "7{1}-{3}",  "=\"0{1}\"", "march {1}a",   "May Street", "x{1}y",
                           "{1}x{0}",   "{1}x100",   "1.2.{1}.4-b5", "Q{3}/{0} b2"})
    EXPECT_EQ(remark_on_numbers(sixty(form)), "") << form;
  EXPECT_EQ(remark_on_numbers({"grade 1", "grade 2", "grade 3"}), "");
  EXPECT_EQ(remark_on_numbers({"<5", "5-9", "10-14", "15-19", "20+"}), "");
  EXPECT_EQ(remark_on_numbers({"08:00", "12:00", "16:00", "20:00", "00:00"}), "");
  EXPECT_EQ(remark_on_numbers({"<5", ">5"}), "");
}

}  // namespace
}  // namespace ardvark::internal::io
