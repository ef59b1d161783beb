// Command lines that the program refuses.
#include <random>

#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::expect_refused;
using testing::good;
using testing::read_bytes;
using testing::Refuses;

// ---- the command line -----------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, NumbersThatAreNone) {
  const Arguments fit = {"fit", "good.csv", "--target", "k", "--model", "logistic"};
  exactly(fit + Arguments{"--prior", "laplace", "--lambda", "6,5"}, "--lambda is '6,5'; it must be a number, with a point: 6.5");
  exactly(fit + Arguments{"--a0=some"}, "--a0 is 'some'; it must be a number");
  exactly(fit + Arguments{"--max-sweeps", "1e3"}, "--max-sweeps is '1e3'; it must be a whole number");
  exactly(fit + Arguments{"--max-sweeps", "2,5"}, "--max-sweeps is '2,5'; it must be a whole number");
  exactly(fit + Arguments{"--max-sweeps", "99999999999"}, "--max-sweeps is '99999999999', which is out of range");
  exactly(fit + Arguments{"--level", "0,9"}, "--level is '0,9'; it must be a number, with a point: 0.9");
  exactly(fit + Arguments{"--delimiter", ";;"}, "--delimiter is ';;'; it must be one character, tab or auto");
  exactly(fit + Arguments{"--decimal", ";"}, "--decimal is ';'; it must be a comma, a point or auto");
  exactly(fit + Arguments{"--no-intercept=x"}, "--no-intercept takes no value");
  make_model();
  exactly({"show", "m.ardvark", "--level", "0,9"}, "--level is '0,9'; it must be a number, with a point: 0.9");
  exactly({"predict", "m.ardvark", "good.csv", "--level", "0,9"}, "--level is '0,9'; it must be a number, with a point: 0.9");
  exactly({"select", "good.csv", "--target", "k", "--top", "many"}, "--top is 'many'; it must be a whole number");
}

TEST_F(Refuses, CommandsWithoutWhatTheyNeed) {
  exactly({"fit"},
          "data is missing: CSV file with a header row, or Parquet; several, a pattern such as 'part-*.csv' or a folder are one table; "
          "or .mtx .svm .npy .npz .bed; 'ardvark fit --help' says what fit takes");
  exactly({"fit", "good.csv"}, "--target is missing: Column to explain, or several: a,b,c; 'ardvark fit --help' says what fit takes");
  exactly({"predict"}, "model is missing: Model file written by fit -o; 'ardvark predict --help' says what predict takes");
}

TEST_F(Refuses, KernelsThatAreNotFinite) {
  put("x,y\n1,1\n100,2\n-200,3\n50,1\n");
  fit({"bad.csv", "--target", "y", "--model", "rvm", "--task", "regression", "--kernel", "polynomial", "--degree", "2000"},
      {"the kernel polynomial(degree=2000", "use a smaller degree"});
}

TEST_F(Refuses, OptionsThatAreNone) {
  const Arguments fit = {"fit", "good.csv", "--target", "k", "--model", "logistic"};
  exactly(fit + Arguments{"--piror", "ard"}, "fit has no option '--piror'; did you mean '--prior'?");
  exactly(fit + Arguments{"--piror=ard"}, "fit has no option '--piror'; did you mean '--prior'?");
  exactly({"fit", "good.csv", "--traget", "k", "--model", "logistic"}, "fit has no option '--traget'; did you mean '--target'?");
  exactly(fit + Arguments{"--tol", "3"}, "fit has no option '--tol'; did you mean '--tolerance'?");
  exactly(fit + Arguments{"-prior", "ard"}, "fit has no option '-prior'; did you mean '--prior'?");
  exactly(fit + Arguments{"--alpha", "1"},
          "fit has no option '--alpha'; alpha = 1 of glmnet is --prior laplace, alpha = 0 is --prior shared");
  exactly(fit + Arguments{"--family=binomial"},
          "--family is 'binomial'; numbers need --model linear; two classes or more need --model logistic");
  exactly(fit + Arguments{"--rule", "1se"},
          "fit has no option '--rule'; the rule for lambda is --lambda-rule 1se or min; other rules belong to predictions");
  exactly(fit + Arguments{"--nfolds", "5"}, "fit has no option '--nfolds'; the number of folds is --folds");
  exactly(fit + Arguments{"--what"}, "fit has no option '--what'; 'ardvark fit --help-all' lists them");
  exactly({"compare", "good.csv", "--target", "k", "--model", "logistic", "--preset", "slr_var"},
          "compare has no option '--preset'; 'ardvark compare --help-all' lists them");
  exactly(fit + Arguments{"more"}, "'more' is not a file; 'ardvark fit --help' says what fit takes");
}

TEST_F(Refuses, PriorsByTheNamesOfOtherPrograms) {
  const Arguments fit = {"fit", "good.csv", "--target", "k"};
  exactly(fit + Arguments{"--model", "linear", "--prior", "ridge"},
          "--prior is 'ridge'; here it is --prior shared: one precision for all columns, estimated from the data");
  exactly(fit + Arguments{"--model", "logistic", "--prior", "Lasso"}, "--prior is 'Lasso'; here it is --prior laplace: L1, the mode");
  exactly(fit + Arguments{"--model", "linear", "--prior", "lasso"}, "--prior is 'lasso'; here it is --prior laplace: L1, the mode");
  exactly(fit + Arguments{"--model", "linear", "--prior", "elastic-net"},
          "--prior is 'elastic-net'; the nearest prior here is --prior sparse: a few columns have an effect of their own, and all may have "
          "a small one");
  exactly(fit + Arguments{"--model", "linear", "--prior", "spike-and-slab"},
          "--prior is 'spike-and-slab'; here it is --prior slab: a few columns have an effect, the others have none");
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
  for (const auto& [table, exit_code] : {std::pair{"bad.csv", 2}, {"none.csv", 3}, {".", 2}}) {
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

// ---- options --------------------------------------------------------------------------------------------------------------------------

TEST_F(Refuses, HyperparametersThatAreNotPositive) {
  for (const char* name : {"a0", "b0", "c0", "d0"})
    for (const char* value : {"0", "-1", "nan", "inf"}) linear({std::string("--") + name, value}, {name, value, "> 0"});
  for (const char* name : {"a0", "b0"})
    for (const char* value : {"0", "-1", "nan", "inf"}) logistic({std::string("--") + name, value}, {name, value, "> 0"});
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
  expect_refused({"nonsense"}, folder_, 2,
                 {"'nonsense'", "fit, select, compare, predict, show, report, stats, merge, explain and presets"});
}

TEST_F(Refuses, CombinationsThatContradict) {
  const Arguments data = {"good.csv", "--target", "y", "--ignore", "k"};
  logistic({"--solver", "spectral"}, {"spectral", "linear"});
  linear({"--solver", "spectral", "--prior", "ard"}, {"spectral", "shared"});
  linear({"--compat"}, {"--compat", "--preset"});
  fit(data + Arguments{"--model", "linear", "--preset", "vb_linear_fit"}, {"--model", "--preset"});
  fit(data + Arguments{"--preset", "vb_linear_fit", "--prior", "ard"}, {"--prior", "--preset"});
  fit(data + Arguments{"--preset", "vb_linear_fit", "--flat", "x"}, {"--flat", "--preset"});
  linear({"--likelihood", "jj"}, {"--likelihood", "logistic"});
  linear({"--prior", "shared", "--group", "g=x,z"}, {"--group", "--prior shared"});
  linear({"--prior", "none", "--group", "g=x,z"}, {"--group", "--prior none"});
  expect_refused({"fit"}, folder_, 2, {"data"});
  expect_refused({"fit", "good.csv", "--model", "linear"}, folder_, 2, {"--target"});
  expect_refused({"predict", "m.ardvark"}, folder_, 2, {"data"});
  expect_refused({}, folder_, 2, {"fit, select, compare, predict, show, report, stats, merge, explain and presets"});
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
    exactly(fit + Arguments{name, value}, name + " cannot be used with vb_logit_fit_iter, which passes over the rows once");
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
            name + " cannot be used with rvm_regression, which has no hyper-priors and changes one column at a time");
  testing::output_of(fit + Arguments{"--flat", "x"}, folder_.path());  // a free column
}

TEST_F(Refuses, InOneLineWhateverTheTextsHold) {
  fit({"good.csv", "--target", "a\nb", "--model", "linear"}, {"a\\x0ab"});
  fit({"good.csv", "--target", "y", "--model", "a\r\nb\x1b[31m"}, {"a\\x0d\\x0ab\\x1b[31m"});
  fit({"no\nfile", "--target", "y", "--model", "linear"}, {"no\\x0afile"}, 3);
}

}  // namespace
}  // namespace ardvark
