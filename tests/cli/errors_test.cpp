// What the program refuses: the exit code, one line that helps, and nothing left behind.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "ardvark/fit.hpp"
#include "io/mutations.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::expect_refused;
using testing::output_of;
using testing::read_bytes;
using testing::sample;
using testing::write_bytes;
using Pieces = std::initializer_list<const char*>;

constexpr const char* good = "x,z,y,k,w\n1,0,2,a,1\n2,1,3,b,1\n4,1,9,a,2\n5,7,4,b,0\n3,3,3,b,1\n";

class Refuses : public ::testing::Test {
 protected:
  Refuses() { put(good, "good.csv"); }
  void put(const std::string& text, const std::string& name = "bad.csv") const { write_bytes(folder_ / name, text); }

  void fit(const Arguments& arguments, Pieces pieces, int exit_code = 2) const {
    expect_refused(Arguments{"fit"} + arguments + Arguments{"-o", "out.ardvark"}, folder_, exit_code, pieces);
  }
  void linear(const Arguments& more, Pieces pieces) const {
    fit(Arguments{"good.csv", "--target", "y", "--model", "linear"} + more, pieces);
  }
  void logistic(const Arguments& more, Pieces pieces) const {
    fit(Arguments{"good.csv", "--target", "k", "--model", "logistic"} + more, pieces);
  }
  void linear_table(const std::string& text, Pieces pieces) const {
    put(text);
    fit({"bad.csv", "--target", "y", "--model", "linear"}, pieces);
  }
  void logistic_table(const std::string& text, Pieces pieces) const {
    put(text);
    fit({"bad.csv", "--target", "y", "--model", "logistic"}, pieces);
  }
  void make_model() const {
    testing::output_of(
        {"fit", "good.csv", "--target", "y", "--model", "linear", "--prior", "shared", "--ignore", "w", "-q", "-o", "m.ardvark"},
        folder_.path());
  }
  // With this message and no other word.
  void exactly(const Arguments& arguments, const std::string& message, int exit_code = 2) const {
    expect_refused(arguments, folder_, exit_code, {("ardvark: " + message + "\n").c_str()});
  }
  void predict(const Arguments& arguments, Pieces pieces, int exit_code = 2) const {
    expect_refused(Arguments{"predict"} + arguments + Arguments{"-o", "out.csv"}, folder_, exit_code, pieces);
  }
  void model(const std::string& bytes, Pieces pieces) const {
    put(bytes, "bad.ardvark");
    predict({"bad.ardvark", "good.csv"}, pieces);
    expect_refused({"show", "bad.ardvark"}, folder_, 2, pieces);
  }

  testing::TemporaryFolder folder_;
};

// ---- values ---------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, MissingValues) {
  for (const char* value : {"", "NA", "NaN", "nan", "?", "-nan"})
    linear_table(std::string("x,z,y\n1,0,2\n2,") + value + ",3\n4,1,9\n", {"row 2", "'z'", "missing", "--missing drop"});
  linear_table("x,z,y\n1,0,2\n2,1,3\n4,1,\n", {"row 3", "'y'", "missing"});
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
  linear_table("k,y\na,1\na,2\n", {"no feature columns"});  // one level: no dummy
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
  exactly({"predict", "m.ardvark", "bad.csv"}, "column 'z' holds text, the model expects numbers there");
  put("x,z,k\n1,1,a\n2,two,a\n");  // what predict cannot do is not advised
  exactly({"predict", "m.ardvark", "bad.csv"}, "row 2 (line 3), column 'z': 'two' is not a number");
}

TEST_F(Refuses, AColumnThatIsBothUsedAndIgnored) {
  linear({"--ignore", "y"}, {"--target 'y' is also named by --ignore"});
  linear({"--ignore", "w", "--weights", "w"}, {"--weights 'w' is also named by --ignore"});
}

TEST_F(Refuses, ListsWhoseQuotesDoNotClose) {
  linear({"--flat", "\"x"}, {"a quote is opened and never closed"});
  linear({"--flat", "\"x\"z"}, {"text follows the closing quote"});
}

// ---- the command line -----------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, NumbersThatAreNone) {
  const Arguments fit = {"fit", "good.csv", "--target", "k", "--model", "logistic"};
  exactly(fit + Arguments{"--prior", "laplace", "--lambda", "6,5"}, "--lambda is '6,5'; it must be a number, with a point: 6.5");
  exactly(fit + Arguments{"--a0=some"}, "--a0 is 'some'; it must be a number");
  exactly(fit + Arguments{"--max-sweeps", "1e3"}, "--max-sweeps is '1e3'; it must be a whole number");
  exactly(fit + Arguments{"--max-sweeps", "2,5"}, "--max-sweeps is '2,5'; it must be a whole number");
  exactly(fit + Arguments{"--max-sweeps", "99999999999"}, "--max-sweeps is '99999999999', which is out of range");
  exactly(fit + Arguments{"--level", "0,9"}, "--level is '0,9'; it must be a number, with a point: 0.9");
  exactly(fit + Arguments{"--delimiter", ";;"}, "--delimiter is ';;'; it must be one character");
  exactly(fit + Arguments{"--no-intercept=x"}, "--no-intercept takes no value");
  make_model();
  exactly({"show", "m.ardvark", "--level", "0,9"}, "--level is '0,9'; it must be a number, with a point: 0.9");
  exactly({"predict", "m.ardvark", "good.csv", "--level", "0,9"}, "--level is '0,9'; it must be a number, with a point: 0.9");
  exactly({"select", "good.csv", "--target", "k", "--top", "many"}, "--top is 'many'; it must be a whole number");
}

TEST_F(Refuses, OptionsThatAreNone) {
  const Arguments fit = {"fit", "good.csv", "--target", "k", "--model", "logistic"};
  exactly(fit + Arguments{"--piror", "ard"}, "fit has no option '--piror'; did you mean '--prior'?");
  exactly(fit + Arguments{"--piror=ard"}, "fit has no option '--piror'; did you mean '--prior'?");
  exactly({"fit", "good.csv", "--traget", "k", "--model", "logistic"}, "fit has no option '--traget'; did you mean '--target'?");
  exactly(fit + Arguments{"--tol", "3"}, "fit has no option '--tol'; did you mean '--tolerance'?");
  exactly(fit + Arguments{"-prior", "ard"}, "fit has no option '-prior'; did you mean '--prior'?");
  exactly(fit + Arguments{"--what"}, "fit has no option '--what'; 'ardvark fit --help' lists them");
  exactly({"compare", "good.csv", "--target", "k", "--model", "logistic", "--preset", "slr_var"},
          "compare has no option '--preset'; 'ardvark compare --help' lists them");
  exactly(fit + Arguments{"more"}, "'more' is one argument too many; 'ardvark fit --help' says what fit takes");
}

TEST_F(Refuses, OptionsWithoutAValueOrWithTwo) {
  const Arguments fit = {"fit", "good.csv", "--target", "k"};
  exactly(fit + Arguments{"--model"}, "--model has no value; give one or leave it out");
  exactly(fit + Arguments{"--prior=", "--model", "logistic"}, "--prior is empty; give a value or leave it out");
  exactly(fit + Arguments{"--weights", "", "--model", "logistic"}, "--weights is empty; give a value or leave it out");
  exactly(fit + Arguments{"--target", "x", "--model", "logistic"}, "--target is given more than once; it has one value");
}

// What a file holds is the caller's mistake; that it cannot be read is not.
TEST_F(Refuses, WhatAFileHoldsWithTwoAndAFileThatCannotBeReadWithThree) {
  make_model();
  std::string bytes = read_bytes(folder_ / "m.ardvark");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  put(bytes, "bad.ardvark");
  put("x,y\n1\n");
  for (const auto& [model, exit_code] : {std::pair{"bad.ardvark", 2}, {"none.ardvark", 3}, {".", 3}}) {
    expect_refused({"show", model}, folder_, exit_code, {model});
    expect_refused({"predict", model, "good.csv"}, folder_, exit_code, {model});
  }
  for (const auto& [table, exit_code] : {std::pair{"bad.csv", 2}, {"none.csv", 3}, {".", 3}}) {
    expect_refused({"predict", "m.ardvark", table}, folder_, exit_code, {});
    expect_refused({"fit", table, "--target", "y", "--model", "linear"}, folder_, exit_code, {});
  }
}

// ---- what can be done about it --------------------------------------------------------------------------------------------------------

TEST_F(Refuses, WeightsThatStandForTooFewRows) {
  put("x,y,w\n1,2,.1\n2,3,.2\n4,9,.1\n7,1,.1\n");
  for (const char* prior : {"sparse", "slab", "dense", "shared", "ard", "none"})
    fit({"bad.csv", "--target", "y", "--model", "linear", "--weights", "w", "--prior", prior},
        {"weights have the sum 0.5", "without a prior", "multiply relative weights so that they sum to the number of observations"});
}

TEST_F(Refuses, ASparsePriorOfASoftmaxWithAnOptionThatIsThere) {
  std::string text = "x,y\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i * 7 % 11) + "," + "abc"[i * 5 % 3] + "\n";
  put(text);
  fit({"bad.csv", "--target", "y", "--model", "logistic", "--prior", "sparse", "--coding", "softmax"}, {"--coding one-against-rest"});
  const std::string table =
      testing::output_of({"fit", "bad.csv", "--target", "y", "--model", "logistic", "--prior", "sparse"}, folder_.path());
  EXPECT_TRUE(testing::contains(table, "each class against the rest")) << table;
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

TEST_F(Refuses, ATextTargetOfALinearFit) {
  fit({"good.csv", "--target", "k", "--model", "linear"}, {"'k'", "'a'", "text", "--model logistic"});
  fit({"good.csv", "--target", "k", "--preset", "vb_linear_fit"}, {"'k'", "text"});
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

// ---- options --------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, HyperparametersThatAreNotPositive) {
  for (const char* name : {"a0", "b0", "c0", "d0"})
    for (const char* value : {"0", "-1", "nan", "inf"}) linear({std::string("--") + name, value}, {name, value, "positive"});
  for (const char* name : {"a0", "b0"})
    for (const char* value : {"0", "-1", "nan", "inf"}) logistic({std::string("--") + name, value}, {name, value, "positive"});
  for (const char* preset : {"vb_linear_fit", "vb_linear_fit_ard"})
    fit({"good.csv", "--target", "y", "--ignore", "k", "--preset", preset, "--d0", "-2"}, {"d0", "-2"});
  logistic({"--c0", "1"}, {"--c0"});
  logistic({"--d0", "1"}, {"--d0"});
  linear({"--a0", "one"}, {"--a0", "one"});
}

TEST_F(Refuses, SweepsTolerancesAndLevelsOutOfRange) {
  linear({"--max-sweeps", "0"}, {"max", "sweeps", "0", "at least 1"});
  linear({"--max-sweeps", "-3"}, {"sweeps", "-3"});
  linear({"--max-sweeps", "99999999999"}, {"--max-sweeps", "99999999999"});
  linear({"--max-sweeps", "1.5"}, {"--max-sweeps", "1.5"});
  linear({"--tolerance", "-1"}, {"tolerance", "-1"});
  linear({"--tolerance", "nan"}, {"tolerance", "nan"});
  linear({"--threads", "-1"}, {"threads", "-1"});
  make_model();
  for (const char* level : {"0", "1", "-0.5", "2", "nan"}) {
    linear({"--level", level}, {"level", level, "between 0 and 1"});
    predict({"m.ardvark", "good.csv", "--level", level}, {"level", level, "between 0 and 1"});
    expect_refused({"show", "m.ardvark", "--level", level}, folder_, 2, {"level", level, "between 0 and 1"});
    expect_refused({"show", "m.ardvark", "--level", level, "--json"}, folder_, 2, {"level", level, "between 0 and 1"});
  }
}

TEST_F(Refuses, UnknownNames) {
  const Arguments data = {"good.csv", "--target", "y", "--ignore", "k"};
  fit(data + Arguments{"--preset", "vb_lin"},
      {"'vb_lin'", "vb_linear_fit,", "vb_linear_fit_ard", "vb_logit_fit,", "vb_logit_fit_ard", "vb_logit_fit_iter"});
  fit(data + Arguments{"--model", "nonsense"}, {"--model", "'nonsense'", "linear", "logistic"});
  linear({"--prior", "nonsense"}, {"--prior", "'nonsense'", "auto", "shared", "ard", "groups", "none"});
  logistic({"--likelihood", "nonsense"}, {"--likelihood", "'nonsense'", "vg", "jj"});
  linear({"--solver", "nonsense"}, {"--solver", "'nonsense'", "primal", "dual", "spectral"});
  linear({"--missing", "nonsense"}, {"--missing", "'nonsense'", "refuse", "drop"});
  linear({"--nonsense"}, {"--nonsense"});
  linear({"--delimiter", "::"}, {"--delimiter", "::"});
  linear({"--delimiter", "\""}, {"delimiter"});
  make_model();
  predict({"m.ardvark", "good.csv", "--missing", "nonsense"}, {"--missing", "'nonsense'"});
  predict({"m.ardvark", "good.csv", "--rule", "nonsense"}, {"--rule", "'nonsense'", "exact", "mackay"});
  predict({"m.ardvark", "good.csv", "--rule", "exact"}, {"--rule exact", "logistic"});
  predict({"m.ardvark", "good.csv", "--rule", "mixture"}, {"--rule mixture", "vrvm_regression", "joint", "exact without"});
  expect_refused({"nonsense"}, folder_, 2, {"'nonsense'", "fit, select, compare, predict and show"});
}

TEST_F(Refuses, CombinationsThatContradict) {
  const Arguments data = {"good.csv", "--target", "y", "--ignore", "k"};
  logistic({"--solver", "spectral"}, {"spectral", "linear"});
  linear({"--solver", "spectral", "--prior", "ard"}, {"spectral", "shared"});
  linear({"--compat"}, {"--compat", "--preset"});
  fit(data + Arguments{"--model", "linear", "--preset", "vb_linear_fit"}, {"--model", "--preset"});
  fit(data, {"--model", "--preset"});
  fit(data + Arguments{"--preset", "vb_linear_fit", "--prior", "ard"}, {"--prior", "--preset"});
  fit(data + Arguments{"--preset", "vb_linear_fit", "--flat", "x"}, {"--flat", "--preset"});
  linear({"--likelihood", "jj"}, {"--likelihood", "logistic"});
  linear({"--prior", "shared", "--group", "g=x,z"}, {"--group", "--prior shared"});
  linear({"--prior", "none", "--group", "g=x,z"}, {"--group", "--prior none"});
  expect_refused({"fit"}, folder_, 2, {"data"});
  expect_refused({"fit", "good.csv", "--model", "linear"}, folder_, 2, {"--target"});
  expect_refused({"predict", "m.ardvark"}, folder_, 2, {"data"});
  expect_refused({}, folder_, 2, {"fit, select, compare, predict and show"});
}

TEST_F(Refuses, GroupsNamedTwiceOrEmpty) {
  const auto groups = [&](const Arguments& more, const std::string& message) {
    exactly(Arguments{"fit", "good.csv", "--target", "y", "--model", "linear", "--prior", "groups"} + more, message);
  };
  groups({"--group", "g=x", "--group", "g=z"}, "--group names the group 'g' twice; list all its columns at once");
  groups({"--group", "g=x,z,x"}, "--group names column 'x' twice; a column has one group");
  groups({"--group", "g=x,z", "--group", "h=z,w"}, "--group names column 'z' twice; a column has one group");
  groups({"--group", "g=x,k", "--group", "h=k"}, "--group names column 'k' twice; a column has one group");
  for (const std::string group : {"g=", "g=,", "=x,z"})
    groups({"--group", group}, "--group is '" + group + "'; it must be NAME=COLUMN,COLUMN,...");
}

TEST_F(Refuses, ACovarianceThatNothingPrints) {
  const Arguments fit = {"fit", "good.csv", "--target", "y", "--model", "linear", "--covariance"};
  const std::string message = "--covariance needs --json; the table has no place for a matrix";
  exactly(fit, message);
  exactly(fit + Arguments{"-q", "-o", "out.ardvark"}, message);
}

TEST_F(Refuses, OptionsThatASinglePassIgnores) {
  const Arguments fit = {"fit", "good.csv", "--target", "k", "--preset", "vb_logit_fit_iter"};
  for (const auto& [name, value] : {std::pair<std::string, const char*>{"--a0", "1"},
                                    {"--b0", "1"},
                                    {"--tolerance", "1e-3"},
                                    {"--max-sweeps", "7"},
                                    {"--solver", "dual"}})
    exactly(fit + Arguments{name, value}, name + " has no meaning with vb_logit_fit_iter, which passes over the rows once");
  testing::output_of(fit, folder_.path());
  exactly(fit + Arguments{"--row-order", "random"}, "--row-order is 'random'; it must be one of as-given, by-content");
  for (const char* other : {"--model=logistic", "--model=rvm", "--preset=vb_logit_fit"}) {
    const Arguments arguments = {"fit", "good.csv", "--target", "k", other, "--row-order", "by-content"};
    expect_refused(arguments + Arguments{"-o", "out.ardvark"}, folder_, 2, {"--row-order"});
  }
}

TEST_F(Refuses, HyperPriorsOfPresetsWithoutThem) {
  const Arguments fit = {"fit", "good.csv", "--target", "y", "--ignore", "k", "--preset", "rvm_regression"};
  for (const auto& [name, value] :
       {std::pair<std::string, const char*>{"--a0", "1"}, {"--b0", "1"}, {"--c0", "1"}, {"--d0", "1"}, {"--solver", "dual"}})
    exactly(fit + Arguments{name, value},
            name + " has no meaning with rvm_regression, which has no hyper-priors and takes one column at a time");
  testing::output_of(fit + Arguments{"--flat", "x"}, folder_.path());  // a free column
}

TEST_F(Refuses, InOneLineWhateverTheTextsHold) {
  fit({"good.csv", "--target", "a\nb", "--model", "linear"}, {"a\\x0ab"});
  fit({"good.csv", "--target", "y", "--model", "a\r\nb\x1b[31m"}, {"a\\x0d\\x0ab\\x1b[31m"});
  fit({"no\nfile", "--target", "y", "--model", "linear"}, {"no\\x0afile"}, 3);
}

// ---- predict --------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, NewDataThatTheModelDoesNotFit) {
  make_model();  // of x, z and k
  put("x,z,k\n1,2,a\n3,4,c\n");
  predict({"m.ardvark", "bad.csv"}, {"row 2", "'k'", "'c'", "'a'", "'b'"});
  put("x,z,k\nNA,1,a\n1,2,a\n3,4,c\n");
  predict({"m.ardvark", "bad.csv", "--missing", "drop"}, {"row 3", "'k'", "'c'"});
  put("x,z,k\n1,2,\n");
  predict({"m.ardvark", "bad.csv"}, {"row 1", "'k'", "missing"});
  put("x,z,k\n1,two,a\n");
  predict({"m.ardvark", "bad.csv"}, {"'z'", "text"});
  put("x,z,k\n1,2,a\n1,two,a\n");
  predict({"m.ardvark", "bad.csv"}, {"row 2", "'z'", "'two'"});
  put("x,z,k\n1,inf,a\n");
  predict({"m.ardvark", "bad.csv"}, {"row 1", "'z'", "inf"});
  put("x,z,k\n");
  predict({"m.ardvark", "bad.csv"}, {"no rows"});
  predict({"m.ardvark", "good.csv", "-o", ""}, {"--output"});
}

// ---- model files ----------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, FilesThatAreNoModel) {
  make_model();
  const std::string bytes = read_bytes(folder_ / "m.ardvark");
  model(good, {"bad.ardvark", "not an ardvark model file"});
  model("", {"bad.ardvark", "not an ardvark model file"});
  std::string random(4096, '\0');
  std::mt19937 generator(3);
  for (char& c : random) c = static_cast<char>(generator());
  model(random, {"bad.ardvark", "not an ardvark model file"});
  model(bytes.substr(0, bytes.size() - 1), {"bad.ardvark", "truncated"});
  model(bytes.substr(0, bytes.size() / 2), {"bad.ardvark", "truncated"});
  model(bytes.substr(0, 100), {"bad.ardvark", "truncated"});
  model(bytes.substr(0, 5), {"bad.ardvark"});
  model(bytes + "x", {"bad.ardvark"});

  std::string newer = bytes;
  const std::string version = "\"format_version\":\"";
  const std::size_t place = newer.find(version);
  ASSERT_NE(place, std::string::npos);
  newer[place + version.size()] = '9';
  model(newer, {"bad.ardvark", "newer ardvark", "9"});
}

// Replaces a text of the header by another, its length and its checksum with it.
std::string edited(const std::string& bytes, const std::string& from, const std::string& to) {
  std::string header = bytes.substr(8, testing::header_length(bytes));
  const std::size_t place = header.find(from);
  if (place == std::string::npos) return {};
  return testing::with_right_header_checksum(testing::with_header(bytes, header.replace(place, from.size(), to)));
}

TEST_F(Refuses, ModelsWhoseListsDoNotFit) {
  testing::output_of({"fit", "good.csv", "--target", "k", "--model", "logistic", "--ignore", "w", "-q", "-o", "m.ardvark"}, folder_.path());
  const std::string bytes = read_bytes(folder_ / "m.ardvark");
  for (const char* classes : {"[]", "[\\\"a\\\"]", "[\\\"a\\\",\\\"b\\\",\\\"c\\\"]", "7"}) {
    const std::string bad = edited(bytes, "\\\"classes\\\":[\\\"a\\\",\\\"b\\\"]", std::string("\\\"classes\\\":") + classes);
    ASSERT_FALSE(bad.empty());
    model(bad, {"bad.ardvark"});
  }
  const std::string bad = edited(bytes, "\\\"left_out\\\":[false,", "\\\"left_out\\\":[");
  ASSERT_FALSE(bad.empty());
  model(bad, {"bad.ardvark"});
}

TEST_F(Refuses, ModelsWithAnyOfTheirNumbersBroken) {
  make_model();
  const std::string bytes = read_bytes(folder_ / "m.ardvark");
  std::mt19937 random(11);
  const std::vector<double> values = {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, -1.0, 1e308, -1e308, 1e-308};
  std::uint64_t length = 0;
  std::copy_n(bytes.data(), sizeof length, reinterpret_cast<char*>(&length));
  const std::size_t begin = 8 + static_cast<std::size_t>(length), num = (bytes.size() - begin) / sizeof(double);
  constexpr std::size_t num_scalars = 16;  // they come first
  for (std::size_t i = 0; i < num; ++i) {
    for (const double value : i < num_scalars ? values : std::vector{values[random() % values.size()]}) {
      std::string broken = bytes;
      std::copy_n(reinterpret_cast<const char*>(&value), sizeof value, broken.data() + begin + i * sizeof value);
      put(testing::with_right_checksums(broken), "bad.ardvark");
      for (const Arguments& command : {Arguments{"show", "bad.ardvark"}, {"predict", "bad.ardvark", "good.csv"}}) {
        const testing::Outcome outcome = testing::run(command, folder_.path());
        EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 2)
            << command[0] << ", number " << i << " = " << value << ": " << outcome.exit_code << " " << outcome.err;
      }
    }
  }
}

// ---- the environment --------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, FilesThatAreAbsentOrFolders) {
  make_model();
  std::filesystem::create_directory(folder_ / "folder");
  fit({"absent.csv", "--target", "y", "--model", "linear"}, {"'absent.csv'", "No such file"}, 3);
  fit({"folder", "--target", "y", "--model", "linear"}, {"'folder'", "directory"}, 3);
  fit({"", "--target", "y", "--model", "linear"}, {"path is empty"}, 3);
  predict({"absent.ardvark", "good.csv"}, {"'absent.ardvark'", "No such file"}, 3);
  predict({"folder", "good.csv"}, {"'folder'", "directory"}, 3);
  predict({"m.ardvark", "absent.csv"}, {"'absent.csv'", "No such file"}, 3);
  predict({"m.ardvark", "folder"}, {"'folder'", "directory"}, 3);
  expect_refused({"show", "absent.ardvark"}, folder_, 3, {"'absent.ardvark'", "No such file"});
  expect_refused({"show", "folder"}, folder_, 3, {"'folder'", "directory"});
}

TEST_F(Refuses, PlacesWhereNothingCanBeWritten) {
  make_model();
  std::filesystem::create_directory(folder_ / "folder");
  const Arguments fit = {"fit", "good.csv", "--target", "y", "--model", "linear", "-o"},
                  predict = {"predict", "m.ardvark", "good.csv", "-o"};
  for (const Arguments& command : {fit, predict}) {
    expect_refused(command + Arguments{"nowhere/out"}, folder_, 3, {"'nowhere/out'", "does not exist"});
    expect_refused(command + Arguments{"folder"}, folder_, 3, {"'folder'"});
    expect_refused(command + Arguments{"good.csv/out"}, folder_, 3, {"'good.csv/out'"});
    expect_refused(command + Arguments{""}, folder_, 2, {"--output", "empty"});
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "folder"));
}

TEST_F(Refuses, ToOverwriteWhatItReads) {
  make_model();
  std::filesystem::create_symlink("good.csv", folder_ / "link.csv");
  const std::string model = read_bytes(folder_ / "m.ardvark");
  const Arguments fit = {"fit", "good.csv", "--target", "y", "--model", "linear", "-o"},
                  predict = {"predict", "m.ardvark", "good.csv", "-o"};
  for (const std::string output : {"good.csv", "./good.csv", "link.csv"}) {
    exactly(fit + Arguments{output}, "--output is '" + output + "', the table itself; give another path");
    exactly(predict + Arguments{output}, "--output is '" + output + "', which is read; give another path");
  }
  for (const std::string output : {"m.ardvark", "./m.ardvark"})
    exactly(predict + Arguments{output}, "--output is '" + output + "', which is read; give another path");
  EXPECT_EQ(read_bytes(folder_ / "good.csv"), good);
  EXPECT_EQ(read_bytes(folder_ / "m.ardvark"), model);
}

TEST_F(Refuses, ADirectoryAsOutputBeforeItReadsTheTable) {
  std::filesystem::create_directory(folder_ / "folder");
  put("x,y\n1,2\n3\n");  // would be refused if it were read
  for (const std::string data : {"good.csv", "bad.csv"})
    exactly({"fit", data, "--target", "y", "--model", "linear", "-o", "folder"},
            "cannot write 'folder': it exists and is not a regular file; give another path", 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "folder"));
}

TEST_F(Refuses, AFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  make_model();
  put(sample(60, 2).csv(), "more.csv");
  for (const std::string command :
       {"fit good.csv --target y --model linear", "fit good.csv --target y --model linear --json", "predict m.ardvark good.csv",
        "show m.ardvark", "--help", "help", "help predict", "--version", "fit --help", "select --help", "compare --help", "predict --help",
        "show -h", "compare good.csv --target y --ignore k,w --model linear",
        "select more.csv --target label --ignore y --preset slr_var"}) {
    const int status =
        std::system(fmt::format("cd '{}' && {} {} >/dev/full 2>err", folder_.path(), testing::program_path(), command).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3) << command;
    EXPECT_TRUE(testing::is_one_message(read_bytes(folder_ / "err"))) << read_bytes(folder_ / "err");
  }
}

// ulimit -f ends a program by the signal SIGXFSZ, unless it sees to it.
TEST_F(Refuses, OutputBeyondTheLimitOnTheSizeOfFiles) {
  const testing::Sample large = sample(4000, 3);
  put(large.csv(), "large.csv");
  std::string wide = "y";
  for (int j = 0; j < 120; ++j) wide += fmt::format(",c{}", j);
  for (int i = 0; i < 200; ++i) {
    wide += fmt::format("\n{}", i % 7);
    for (int j = 0; j < 120; ++j) wide += fmt::format(",{}", (i * 37 + j * 101 + i * j) % 211);
  }
  put(wide + "\n", "wide.csv");
  output_of({"fit", "large.csv", "--target", "y", "--ignore", "label", "--model", "linear", "-q", "-o", "m.ardvark"}, folder_.path());
  write_bytes(folder_ / "out", "old");
  std::filesystem::create_directory(folder_ / "before");
  const std::size_t num_files = folder_.num_files() + 1;  // and err
  for (const std::string command : {"fit wide.csv --target y --model linear --prior shared -q -o out", "predict m.ardvark large.csv -o out",
                                    "predict m.ardvark large.csv > before/printed"}) {
    const int status =
        std::system(fmt::format("cd '{}' && (ulimit -f 20; exec {} {} 2>err)", folder_.path(), testing::program_path(), command).c_str());
    ASSERT_TRUE(WIFEXITED(status)) << command;
    EXPECT_EQ(WEXITSTATUS(status), 3) << command;
    const std::string message = read_bytes(folder_ / "err");
    EXPECT_TRUE(testing::is_one_message(message) && testing::contains(message, "File too large")) << message;
    EXPECT_EQ(read_bytes(folder_ / "out"), "old");
    EXPECT_EQ(folder_.num_files(), num_files) << command;
  }
}

TEST_F(Refuses, NoLinkAsOutputButWritesWhatItLeadsTo) {
  std::filesystem::create_directory(folder_ / "store");
  for (const std::string target : {"store/m.ardvark", "store/p.csv"}) {
    const std::string link = target.substr(6);
    std::filesystem::create_symlink(target, folder_ / link);  // dangling, then not
  }
  for (int repetition = 0; repetition < 2; ++repetition) {
    make_model();
    output_of({"predict", "m.ardvark", "good.csv", "-o", "p.csv"}, folder_.path());
    for (const std::string link : {"m.ardvark", "p.csv"}) {
      EXPECT_TRUE(std::filesystem::is_symlink(folder_ / link));
      EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder_ / ("store/" + link))));
    }
  }
  std::filesystem::create_symlink("good.csv", folder_ / "alias.csv");
  exactly({"predict", "m.ardvark", "good.csv", "-o", "alias.csv"}, "--output is 'alias.csv', which is read; give another path");
  EXPECT_EQ(read_bytes(folder_ / "good.csv"), good);
}

}  // namespace
}  // namespace ardvark
