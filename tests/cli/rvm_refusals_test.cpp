// What fit --model rvm refuses, and what predict refuses of its files.
#include <gtest/gtest.h>

#include <string>

#include "rvm_command.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::expect_refused;
using testing::RelevanceCommand;
using testing::sinc;
using testing::two;

TEST_F(RelevanceCommand, RefusesOptionsOfOtherModels) {
  for (const Arguments& option : {Arguments{"--prior", "ard"},
                                  {"--group", "g=x"},
                                  {"--flat", "x"},
                                  {"--solver", "primal"},
                                  {"--compat"},
                                  {"--no-intercept"},
                                  {"--no-acceleration"},
                                  {"--folds", "5"},
                                  {"--seed", "2"},
                                  {"--lambda-rule", "1se"},
                                  {"--tolerance", "1e-3"}})
    refused(sinc + option, {option[0].c_str(), "--model rvm"});
  refused(sinc + Arguments{"--covariance", "--json"}, {"--covariance", "--model rvm"});
  refused(sinc + Arguments{"--preset", "vb_linear_fit"}, {"--preset", "--model"});
  refused(sinc + Arguments{"--likelihood", "jj"}, {"--likelihood", "classification"});
  refused(two + Arguments{"--c0", "1"}, {"--c0"});
  refused(two + Arguments{"--d0", "1"}, {"--d0"});
}

TEST_F(RelevanceCommand, RefusesItsOptionsWithOtherModels) {
  for (const Arguments& option : {Arguments{"--task", "regression"},
                                  {"--kernel", "gaussian"},
                                  {"--width", "auto"},
                                  {"--degree", "2"},
                                  {"--offset", "1"},
                                  {"--algorithm", "variational"},
                                  {"--centres", "all"}}) {
    refused(Arguments{"fit", "sinc.csv", "--target", "y", "--model", "linear"} + option, {option[0].c_str(), "--model rvm"});
    refused(Arguments{"fit", "blobs.csv", "--target", "side", "--model", "logistic"} + option, {option[0].c_str(), "--model rvm"});
    refused(Arguments{"fit", "sinc.csv", "--target", "y", "--preset", "vb_linear_fit"} + option, {option[0].c_str(), "--model rvm"});
  }
}

TEST_F(RelevanceCommand, RefusesValuesThatAreNone) {
  refused(sinc + Arguments{"--kernel", "rbf"}, {"--kernel", "'rbf'", "gaussian", "spline"});
  refused(sinc + Arguments{"--algorithm", "fast"}, {"--algorithm", "'fast'", "variational", "type-two"});
  for (const char* width : {"0", "-1", "nan", "inf", "1e999", "wide", "0x1", ",", "", "1,0"})
    refused(sinc + Arguments{"--width", width}, {"--width", width, "positive"});
  refused(sinc + Arguments{"--width", "1,2"}, {"--width", "2 numbers", "input column of the table: 1"});
  for (const char* centres : {"0", "-3", "1.5", "some", ""}) refused(sinc + Arguments{"--centres", centres}, {"--centres", centres});
  refused(sinc + Arguments{"--kernel", "polynomial", "--degree", "0"}, {"degree", "0"});
  refused(sinc + Arguments{"--kernel", "polynomial", "--offset", "-1"}, {"offset", "-1"});
  refused(sinc + Arguments{"--a0", "0"}, {"0", "> 0"});
  refused(sinc + Arguments{"--d0", "nan"}, {"nan", "> 0"});
  refused(sinc + Arguments{"--max-sweeps", "0"}, {"sweeps", "0"});
  refused(sinc + Arguments{"--threads", "-1"}, {"threads", "-1"});
  refused(sinc + Arguments{"--level", "1"}, {"level", "between 0 and 1"});
}

TEST_F(RelevanceCommand, NamesTheOptionsInItsMessages) {
  for (const char* option : {"--a0", "--b0", "--c0", "--d0"}) {
    refused(sinc + Arguments{option, "0"}, {(std::string(option) + " is 0").c_str(), "> 0"});
    refused({"fit", "sinc.csv", "--target", "y", "--model", "linear", option, "-1"}, {(std::string(option) + " is -1").c_str()});
  }
  refused(sinc + Arguments{"--max-sweeps", "0"}, {"--max-sweeps is 0", "at least 1"});
  refused(sinc + Arguments{"--threads", "-1"}, {"--threads is -1"});
  refused(sinc + Arguments{"--kernel", "polynomial", "--degree", "0"}, {"--degree is 0", "at least 1"});
  refused(sinc + Arguments{"--kernel", "polynomial", "--offset", "-1"}, {"--offset is -1"});
  for (const char* width : {"1,", ",1", "1,,2"}) refused(sinc + Arguments{"--width", width}, {"--width", width, "positive number"});
  put("x,c\n1,a\n2,a\n3,a\n", "one.csv");
  refused({"fit", "one.csv", "--target", "c", "--model", "rvm"}, {"target 'c'", "only one class (a)"});
  refused({"fit", "sinc.csv", "--target", "y", "--preset", "rvm_regression", "--kernel", "gaussian"}, {"--kernel", "preset", "columns"});
}

TEST_F(RelevanceCommand, RefusesMeasurementsAsClasses) {
  refused({"fit", "sinc.csv", "--target", "y", "--model", "rvm", "--task", "classification"},
          {"target 'y'", "different numbers", "for numbers use --task regression;", "--categorical y"});
  refused({"fit", "sinc.csv", "--target", "y", "--preset", "slr_rvm"},
          {"different numbers", "for numbers use --model rvm --task regression;"});
}

TEST_F(RelevanceCommand, RefusesOptionsThatContradict) {
  for (const char* kernel : {"linear", "polynomial", "spline"})
    for (const char* width : {"1", "auto", "each"})
      refused(sinc + Arguments{"--kernel", kernel, "--width", width}, {"--width", kernel, "no width"});
  for (const char* kernel : {"gaussian", "cauchy", "matern32"})
    refused(sinc + Arguments{"--kernel", kernel, "--width", "1,2"}, {"--width", "2 numbers", "one for each input column of the table: 1"});
  for (const char* option : {"--degree", "--offset"}) refused(sinc + Arguments{option, "2"}, {option, "polynomial"});
  for (const char* option : {"--a0", "--b0", "--c0", "--d0"})
    refused(sinc + Arguments{"--algorithm", "type-two", option, "1"}, {option, "type-two"});
  refused(two + Arguments{"--algorithm", "type-two", "--likelihood", "jj"}, {"--likelihood", "type-two"});
}

TEST_F(RelevanceCommand, RefusesATaskThatTheTargetDoesNotFit) {
  refused(two + Arguments{"--task", "regression"}, {"'side'", "text", "'left'", "--task regression"});
  refused(two + Arguments{"--task", "clustering"}, {"--task", "'clustering'", "regression", "classification"});
  put("x,k\n1,a\n2,a\n", "one.csv");
  refused({"fit", "one.csv", "--target", "k", "--model", "rvm"}, {"two"});
  refused({"fit", "absent.csv", "--target", "k", "--model", "rvm", "--width", "0"}, {"--width"});  // before the table is read
}

TEST_F(RelevanceCommand, RefusesWhatPredictHasNoUseFor) {
  output(two + Arguments{"-q", "-o", "m.ardvark"});
  expect_refused({"predict", "m.ardvark", "blobs.csv", "--rule", "published"}, folder_, 2, {"--rule", "logistic"});
  expect_refused({"predict", "m.ardvark", "blobs.csv", "--level", "0.9"}, folder_, 2, {"--level", "classifier"});
  put("u\n1\n", "new.csv");
  expect_refused({"predict", "m.ardvark", "new.csv"}, folder_, 2, {"'v'"});
}

}  // namespace
}  // namespace ardvark
