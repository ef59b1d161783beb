// The fields of an InvalidArgument, and the message that follows from them.
#include "ardvark/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ardvark/table.hpp"
#include "core/refusals.hpp"

namespace ardvark {
namespace {

std::string row_in(const InvalidArgument& error) {
  return std::string(error.what()).substr(error.row_begin(), error.row_end() - error.row_begin());
}

TEST(InvalidArgument, SaysWhatItsFieldsSay) {
  const InvalidArgument cell(
      {.argument = "X", .value = "NaN", .row = 3, .column = "bmi", .why = "all values must be finite", .remedy = "leave it out"});
  EXPECT_STREQ(cell.what(), "X at row 3, column 'bmi' is NaN; all values must be finite; leave it out");
  EXPECT_EQ(row_in(cell), "row 3");
  EXPECT_STREQ(internal::refused("X", "holds text").what(), "X holds text");
  EXPECT_STREQ(InvalidArgument("no table").what(), "no table");
  EXPECT_EQ(InvalidArgument("no table").row_end(), 0U);
  EXPECT_STREQ(internal::wrong("prior", "ridge", "it must be ard").what(), "prior is 'ridge'; it must be ard");
  EXPECT_EQ(internal::wrong("prior", "ridge", "it must be ard").fields().value, "ridge");
  EXPECT_STREQ(internal::wrong("threads", -1, "it must be 0").what(), "threads is -1; it must be 0");
  EXPECT_STREQ(internal::refused("solver", "dual", "needs rows").what(), "solver 'dual' needs rows");
}

TEST(InvalidArgument, KeepsItsSentenceUnderOtherNames) {
  const InvalidArgument labels({.argument = "labels", .row = 7}, " has three classes (first at ", ")");
  EXPECT_STREQ(labels.what(), "labels has three classes (first at row 7)");
  const InvalidArgument renamed = labels.changed([](ErrorFields& fields) {
    fields.argument = "y", fields.row = 9, fields.row_name = "row 9 (line 10) of 'a.csv'", fields.remedy = "use two";
  });
  EXPECT_STREQ(renamed.what(), "y has three classes (first at row 9 (line 10) of 'a.csv'); use two");
  EXPECT_EQ(row_in(renamed), "row 9 (line 10) of 'a.csv'");
  EXPECT_STREQ(InvalidArgument({.row = 2, .remedy = "leave it out"}, " has a gap:").what(), "row 2 has a gap: leave it out");
}

TEST(InvalidArgument, IsFilledWhereTheTableIsRead) {
  const std::vector<double> x = {1, 2, std::nan("")};
  try {
    static_cast<void>(make_table(3, {{"bmi", x, {}}}, Missing::refuse, "drop it"));
    FAIL() << "a gap was taken";
  } catch (const InvalidArgument& e) {
    EXPECT_STREQ(e.what(), "row 3, column 'bmi': the value is missing; drop it");
    EXPECT_EQ(e.fields().row, 3);
    EXPECT_EQ(e.fields().column, "bmi");
    EXPECT_EQ(e.fields().value, "NaN");
    EXPECT_EQ(e.fields().remedy, "drop it");
  }
}

}  // namespace
}  // namespace ardvark
