// Tables that the program refuses: values, names, rows, classes and weights.
#include <fmt/format.h>

#include <filesystem>

#include "ardvark/fit.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::good;
using testing::Json;
using testing::Refuses;

// ---- values ---------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, MissingValues) {
  for (const char* value : {"", "NA", "NaN", "nan", "?", "-nan"})
    linear_table(std::string("x,z,y\n1,0,2\n2,") + value + ",3\n4,1,9\n", {"row 2", "'z'", "missing", "--missing drop"});
  linear_table("x,z,y\n1,0,2\n2,1,3\n4,1,\n",
               {"row 3", "'y'", "missing; --missing drop and --missing impute leave such rows out: it is the target"});
  const std::string only_drop = "column 'z': the value is missing; --missing drop leaves such rows out\n";
  put("x,z,y\n1,,2\n2,1,3\n4,5,9\n5,5,4\n");
  fit({"bad.csv", "--target", "y", "--model", "linear"}, {"missing; --missing drop leaves such rows out, --missing impute fills the gaps"});
  fit({"bad.csv", "--target", "y", "--model", "rvm"}, {only_drop.c_str()});
  fit({"bad.csv", "--target", "y", "--model", "kernel"}, {only_drop.c_str()});
  fit({"bad.csv", "--target", "y", "--model", "logistic"}, {"--missing impute fills the gaps, if there are two classes"});
  fit({"bad.csv", "--target", "y", "--model", "linear", "--prior", "laplace"}, {only_drop.c_str()});
  fit({"bad.csv", "--target", "y", "--preset", "vb_linear_fit"}, {only_drop.c_str()});
  fit({"bad.csv", "--target", "y", "--model", "linear", "--weights", "z"}, {only_drop.c_str()});
  for (const char* command : {"select", "compare"})
    testing::expect_refused({command, "bad.csv", "--target", "y", "--model", "linear"}, folder_, 2, {only_drop.c_str()});
  put("x,z,y\n1,,2\n2,1,NA\n");
  fit({"bad.csv", "--target", "y", "--model", "linear", "--missing", "drop"}, {"every row", "missing"});
}

TEST_F(Refuses, InfiniteValues) {
  for (const char* value : {"inf", "-inf", "Infinity", "1e999", "-1e999"})
    linear_table(std::string("x,z,y\n1,0,2\n2,1,3\n4,") + value + ",9\n", {"row 3", "'z'", value, "not finite"});
  linear_table("x,z,y\n1,0,2\n2,1,inf\n4,5,9\n", {"row 2", "'y'", "inf"});
}

TEST_F(Refuses, TextAmongNumbers) {
  linear_table("x,z,y\n1,0,2\n2,abc,3\n4,1,9\n", {"row 2", "'z'", "'abc'", "not a number"});
  linear_table("x,z,y\n1,0,2\n2,1,three\n", {"row 2", "'y'", "'three'"});
  linear_table("x,y\n1,0\n\"1,5\",3\n", {"row 2", "'x'", "1,5"});
}

TEST_F(Refuses, TablesWithoutRowsOrFeatures) {
  linear_table("x,z,y\n", {"bad.csv", "no rows"});
  linear_table("", {"bad.csv", "empty"});
  linear_table("\n\n", {"bad.csv"});
  linear_table("y\n1\n2\n", {"bad.csv", "no feature columns"});
  linear({"--ignore", "x,z,k,w"}, {"no feature columns"});
  linear({"--ignore", "x,z,k", "--weights", "w"}, {"no feature columns"});
  linear_table("k,y\na,1\na,2\n", {"no feature column that varies", "'k'", "'a'"});  // one level: no dummy
  logistic_table("x,y\n", {"no rows"});
}

TEST_F(Refuses, RowsOfOtherLengths) {
  linear_table("x,z,y\n1,0,2\n2,1\n4,1,9\n", {"row 2", "2 fields", "3"});
  linear_table("x,z,y\n1,0,2\n2,1,3\n4,1,9,7\n", {"row 3", "4 fields", "3"});
}

TEST_F(Refuses, HeadersThatAreNone) {
  linear_table("x,x,y\n1,2,3\n", {"'x'", "twice"});
  linear_table("x,,y\n1,2,3\n", {"column 2", "no name"});
  linear_table("x,y\n1,\"2\n3,4\n", {"quote", "row 1", "'y'"});
  linear_table(std::string("x,y\n1,2\n\0,4\n", 12), {"NUL"});
  linear_table("x,k,y\n1,\xFF\xFE,3\n", {"row 1", "'k'", "UTF-8"});
}

TEST_F(Refuses, AbsentColumns) {
  fit({"good.csv", "--target", "nope", "--model", "linear"}, {"'nope'", "'x'", "'z'"});
  linear({"--weights", "nope"}, {"'nope'", "'w'"});
  linear({"--ignore", "z,nope,never"}, {"'nope'", "'never'", "ignore"});
  linear({"--ignore", "y"}, {"'y'"});
  linear({"--categorical", "nope"}, {"'nope'"});
  linear({"--flat", "nope"}, {"'nope'", "--flat"});
  linear({"--flat", "y"}, {"'y'", "--flat"});
  linear({"--prior", "groups", "--group", "g=x,nope"}, {"'nope'", "--group"});
  linear({"--prior", "groups", "--group", "x,z"}, {"'x,z'", "--group"});
}

// ---- names and rows -------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, ATypingErrorInTheTargetBeforeItLooksAtAnyValue) {
  put("npreg,type\n,Yes\n2,No\n");
  fit({"bad.csv", "--target", "typ", "--model", "logistic"}, {"no column 'typ', which --target names; did you mean 'type'?"});
}

TEST_F(Refuses, RowsByTheirNumberAndTheirLine) {
  linear_table("x,z,y\n1,0,2\n\n2,abc,3\n", {"row 2 (line 4), column 'z': 'abc' is not a number"});
  put("x,y,w\n1,2,1\n\n2,3,-0.5\n4,9,1\n");
  fit({"bad.csv", "--target", "y", "--model", "linear", "--weights", "w"}, {"row 2 (line 4), column 'w'", "-0.5"});
  make_model();
  put("x,z,k\n1,0,a\n\n,1,a\n1,1e300,b\n");
  predict({"m.ardvark", "bad.csv", "--missing", "drop"}, {"X_new at row 3 (line 5), column 'z' is 1e+300"});
}

TEST_F(Refuses, NumbersWithADecimalComma) {
  linear_table("x,y\n\"1,5\",2\n\"2,5\",3\n\"3,25\",4\n", {"row 1 (line 2), column 'x': '1,5' has a decimal comma", "decimal point"});
  linear_table("x,y\n\"1,5\",2\n2,3\n\"3,25\",4\n",
               {"row 1 (line 2), column 'x': '1,5' has a decimal comma", "decimal point"});  // a whole number among them
  make_model();
  put("x,z,k\n\"1,5\",0,a\n");
  predict({"m.ardvark", "bad.csv"}, {"'x'", "decimal comma"});
  put("x,z,k\n1,two,a\n");
  exactly({"predict", "m.ardvark", "bad.csv"},
          "row 1 (line 2), column 'z': 'two' is a text, but the model was fitted to numbers there; write a number, or fit again to a table "
          "with such texts; if 'two' means a missing value, use --missing-marker='two' and --missing drop");
  put("x,z,k\n1,1,a\n2,two,a\n");  // what predict cannot do is not advised
  exactly(
      {"predict", "m.ardvark", "bad.csv"},
      "row 2 (line 3), column 'z': 'two' is not a number; if 'two' means a missing value, use --missing-marker='two' and --missing drop");
}

TEST_F(Refuses, ATableInPlaceOfAModel) {
  make_model();
  predict({"good.csv", "m.ardvark"},
          {"'good.csv' is no model file, but 'm.ardvark' is one; the model comes first: ardvark predict m.ardvark good.csv"});
  predict({"good.csv", "good.csv"}, {"'good.csv' is not an ardvark model or statistics file: it is a text, such as a table"});
}

TEST_F(Refuses, AColumnThatIsBothUsedAndIgnored) {
  linear({"--ignore", "y"}, {"--target 'y' is also named by --ignore"});
  linear({"--ignore", "w", "--weights", "w"}, {"--weights 'w' is also named by --ignore"});
}

TEST_F(Refuses, ListsWhoseQuotesDoNotClose) {
  linear({"--flat", "\"x"}, {"a quote is opened and never closed"});
  linear({"--flat", "\"x\"z"}, {"text follows the closing quote"});
}

// ---- classes --------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, OtherThanTwoClasses) {
  logistic_table("x,y\n1,a\n2,a\n", {"'y'", "1 class", "a", "two or more"});
  logistic_table("x,y\n1,5\n2,5\n", {"'y'", "1 class", "5", "two or more"});
  logistic_table("x,y\n1,5\n", {"'y'", "1 class", "two or more"});
  logistic_table("x,y\n1,a\n2,b\n3,c\n", {"'y'", "3 classes", "a, b, c", "3 rows", "two rows each"});
  logistic_table("x,y\n1,0\n2,1\n3,0\n4,2.5\n", {"'y'", "3 different numbers", "2.5", "--model linear", "--categorical y"});
  put("x,y\n1,0\nNA,1\n2,1\n3,0\n4,2.5\n");
  fit({"bad.csv", "--target", "y", "--model", "logistic", "--missing", "drop"}, {"2.5", "different numbers"});
  put("x,y,w\n1,a,1\n2,b,0\n3,a,1\n");
  fit({"bad.csv", "--target", "y", "--model", "logistic", "--weights", "w"}, {"weight zero", "two classes"});
}

// 2^53 and 2^53 + 1 are one double.
TEST_F(Refuses, ClassesThatADoubleDoesNotTellApart) {
  const auto table = [&](int num_labels) {
    std::string text = "x,y\n";
    for (int i = 0; i < 24; ++i) text += fmt::format("{},{}\n", i % 7, 9007199254740992 + i % num_labels);
    put(text);
  };
  const std::vector<Arguments> ways = {{"--model", "logistic"},
                                       {"--model", "rvm", "--task", "classification"},
                                       {"--model", "kernel"},
                                       {"--preset", "slr_var"},
                                       {"--model", "logistic", "--stream", "always"},
                                       {"--model", "kernel", "--stream", "always", "--task", "classification"}};
  for (const int num_labels : {2, 3}) {
    table(num_labels);
    for (const Arguments& way : ways) {
      if (num_labels == 3 && way[1] == "slr_var") continue;
      fit(Arguments{"bad.csv", "--target", "y"} + way, {"target 'y' has a class near 900719925474099", "2^53", "--categorical y"});
      const Json fitted = testing::json_of(
          Arguments{"fit", "bad.csv", "--target", "y", "--categorical", "y", "-o", "m.ardvark", "--json"} + way, folder_.path());
      const Json predicted = testing::json_of({"predict", "m.ardvark", "bad.csv", "--json"}, folder_.path());
      EXPECT_EQ(predicted.at("classes").size(), static_cast<std::size_t>(num_labels));
      EXPECT_EQ(predicted.at("classes")[1], "9007199254740993");
      EXPECT_EQ(predicted.at("score").at("num_rows"), 24);
      std::filesystem::remove(folder_ / "m.ardvark");
    }
  }
}

TEST_F(Refuses, ATextTargetOfALinearFit) {
  fit({"good.csv", "--target", "k", "--model", "linear"}, {"'k'", "'a'", "text", "--model logistic"});
  fit({"good.csv", "--target", "k", "--preset", "vb_linear_fit"}, {"'k'", "text"});
  linear_table("x,y\n1,5 kg\n2,6 kg\n3,7.5 kg\n4,8 kg\n5,9 kg\n",
               {"target 'y' is text ('5 kg', ...); nearly all of its texts begin with a number ('5 kg')", "without units"});
}

// ---- weights --------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, WeightsThatAreNone) {
  put("x,y,w\n1,2,1\n2,3,-0.5\n3,3,1\n");
  fit({"bad.csv", "--target", "y", "--model", "linear", "--weights", "w"}, {"row 2", "'w'", "-0.5"});
  put("x,y,w\n1,2,1\nNA,3,1\n3,3,-1\n");
  fit({"bad.csv", "--target", "y", "--model", "linear", "--weights", "w", "--missing", "drop"}, {"row 3", "'w'", "-1"});
  put("x,y,w\n1,2,0\n2,3,0\n");
  fit({"bad.csv", "--target", "y", "--model", "linear", "--weights", "w"}, {"'w'", "zero"});
  put("x,y,w\n1,2,NaN\n2,3,1\n");
  fit({"bad.csv", "--target", "y", "--model", "linear", "--weights", "w"}, {"row 1", "'w'", "missing"});
  linear({"--weights", "k"}, {"'k'", "text"});
  linear({"--weights", "y"}, {"'y'", "both"});
  linear({"--weights", ""}, {"--weights", "empty"});
  fit({"good.csv", "--target", "y", "--ignore", "k", "--preset", "vb_linear_fit", "--weights", "w"}, {"weights", "vb_linear_fit"});
}

TEST_F(Refuses, GapsThatCannotBeFilled) {
  put("x,z,y,k\n1,,2,a\n2,,3,b\n4,,9,c\n5,,4,a\n3,,3,b\n,,8,c\n");
  fit({"bad.csv", "--target", "y", "--ignore", "k", "--model", "linear", "--missing", "impute"}, {"column 'z' has no value", "6 rows"});
  fit({"bad.csv", "--target", "z", "--model", "linear", "--missing", "impute"}, {"column 'z' has no value", "no rows are left"});
  fit({"bad.csv", "--target", "k", "--ignore", "z", "--model", "logistic", "--missing", "impute"},
      {"--missing impute", "two classes", "--missing drop"});
  fit({"bad.csv", "--target", "y", "--ignore", "z,k", "--model", "rvm", "--missing", "impute"}, {"--missing impute", "--missing drop"});
  fit({"bad.csv", "--target", "y", "--ignore", "z,k", "--preset", "vb_linear_fit", "--missing", "impute"},
      {"without a preset", "use --missing drop here"});
  fit({"bad.csv", "--target", "y", "--ignore", "z,k", "--model", "linear", "--prior", "laplace", "--missing", "impute"},
      {"laplace", "use --missing drop here"});
  fit({"bad.csv", "--target", "k", "--ignore", "z", "--model", "logistic", "--missing", "impute", "--diagnose"},
      {"--diagnose cannot be used with --missing impute; use --missing drop here"});
  fit({"bad.csv", "--target", "y", "--ignore", "k", "--weights", "z", "--model", "linear", "--missing", "impute"},
      {"row 1", "'z'", "weight is missing", "or use --missing drop"});
  linear({"--imputations", "7"}, {"--imputations", "--missing impute"});
  linear({"--missing", "impute", "--imputations", "3"}, {"--imputations is 3", "at least 5"});
}

}  // namespace
}  // namespace ardvark
