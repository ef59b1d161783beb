// fit --model kernel: what it prints, its files, its predictions, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ardvark/kernel_machine.hpp"
#include "ardvark/model_file.hpp"
#include "rvm_command.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::lines_of;
using testing::Numbers;
using testing::numbers;
using testing::run;
using testing::Sinc;

using KernelCommand = testing::RelevanceCommand;

const Arguments curve = {"fit", "sinc.csv", "--target", "y", "--model", "kernel", "--task", "regression"};
const Arguments colours = {"fit", "blobs.csv", "--target", "colour", "--ignore", "number,side", "--model", "kernel"};
const Arguments sides = {"fit", "blobs.csv", "--target", "side", "--ignore", "number,colour", "--model", "kernel"};

void expect_same_process(const Json& json, const KernelProcess& process) {
  EXPECT_EQ(json["log_evidence"].get<double>(), process.log_evidence);
  EXPECT_EQ(json["divergence"].get<double>(), process.divergence);
  EXPECT_EQ(json["largest_change"].get<double>(), process.largest_change);
  ASSERT_EQ(json["hypotheses"].size(), process.hypotheses.size());
  for (std::size_t i = 0; i < process.hypotheses.size(); ++i) {
    const Json& printed = json["hypotheses"][i];
    const KernelHypothesis& one = process.hypotheses[i];
    EXPECT_EQ(printed["kernel"], one.kernel.spec().kind);
    EXPECT_EQ(printed["width"], one.each ? "each" : "shared");
    EXPECT_EQ(printed["widths"].get<Numbers>(), one.widths);
    ASSERT_EQ(printed["interval"].size(), one.widths.size());
    for (std::size_t j = 0; j < one.widths.size(); ++j)
      EXPECT_EQ(printed["interval"][j].get<Numbers>(), (Numbers{one.intervals[j].lower, one.intervals[j].upper}));
    EXPECT_EQ(printed["weight"].get<double>(), one.weight);
    EXPECT_EQ(printed["signal"].get<double>(), one.signal);
    EXPECT_EQ(printed["linear_share"].get<double>(), one.linear_share);
    EXPECT_EQ(printed["log_evidence"].get<double>(), one.log_evidence);
  }
}

TEST_F(KernelCommand, PrintsTheFitOfTheLibrary) {
  const Json json = this->json({"fit", "sinc2.csv", "--target", "y", "--model", "kernel", "--task", "regression"});
  const Sinc s;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor X = s.X;
  const KernelRegression fit = fit_kernel_regression(MatrixView(X.data(), X.rows(), X.cols(), Layout::row_major), s.y);
  EXPECT_EQ(json["model"], "kernel");
  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["bound"].get<double>(), fit.log_evidence);
  EXPECT_EQ(json["noise_sd"].get<double>(), fit.noise_sd);
  EXPECT_EQ(json["signal_sd"].get<double>(), fit.signal_sd);
  EXPECT_EQ(json["degrees_of_freedom"], 79);
  EXPECT_EQ(json["num_vectors"].get<Index>(), fit.num_vectors());
  expect_same_process(json, fit.processes.front());
  for (std::size_t i = 0; i < fit.relevance_rows.size(); ++i) {
    EXPECT_EQ(json["relevance_rows"][i].get<Index>(), fit.relevance_rows[i] + 1);
    EXPECT_EQ(json["relevance_vectors"][i].get<Numbers>(), numbers(fit.relevance_vectors.row(static_cast<Index>(i)).transpose()));
  }
  // The input that has no part in the curve has a wide kernel.
  EXPECT_EQ(json["hypotheses"][0]["width"], "each");
  EXPECT_GT(json["hypotheses"][0]["widths"][1].get<double>() * fit.input_scale[1],
            5 * json["hypotheses"][0]["widths"][0].get<double>() * fit.input_scale[0]);
}

TEST_F(KernelCommand, ListsAMachineForEachOfThreeClasses) {
  const Json json = this->json(colours);
  EXPECT_EQ(json["task"], "classification");
  EXPECT_EQ(json["classes"], (Json{"blue", "green", "red"}));
  ASSERT_EQ(json["machines"].size(), 3u);
  double sum = 0;
  for (const Json& machine : json["machines"]) {
    EXPECT_TRUE(machine["hypotheses"].size() >= 1);
    sum += machine["log_evidence"].get<double>();
  }
  EXPECT_NEAR(sum, json["log_evidence"].get<double>(), 1e-9);
  EXPECT_GT(json["accuracy"].get<double>(), 0.9);
  EXPECT_FALSE(this->json(sides).contains("machines"));
}

TEST_F(KernelCommand, ShowsWhatTheFitPrinted) {
  for (const Arguments& fit : {curve, sides, colours, curve + Arguments{"--no-averaging", "--kernel", "matern32"},
                               curve + Arguments{"--linear-part"}, colours + Arguments{"--linear-part"}}) {
    std::string table = output(fit + Arguments{"-o", "m.ardvark"});
    const std::size_t model_line = table.find("model                 m.ardvark\n");
    ASSERT_NE(model_line, std::string::npos) << table;
    table.erase(model_line);
    EXPECT_EQ(output({"show", "m.ardvark"}), table);
    for (const Arguments& more : {Arguments{}, Arguments{"--level", "0.5"}}) {
      const std::string text = output(fit + Arguments{"-o", "m.ardvark", "--json"} + more);
      EXPECT_EQ(output(Arguments{"show", "m.ardvark", "--json"} + more), text);
    }
  }
}

// A slope and a wave: outside the rows, the slope goes on, and without the linear part the curve returns to its middle.
TEST_F(KernelCommand, GoesOnAsALineWithALinearPart) {
  std::string table = "x,y\n";
  for (int i = 0; i < 60; ++i) table += fmt::format("{},{}\n", i, 3 * i + 4 * std::sin(0.5 * i) + std::cos(40.0 * i));
  put(table, "line.csv");
  put("x\n200\n", "far.csv");
  const auto predicted = [&](const Arguments& more) {
    const Arguments fit = {"fit", "line.csv", "--target", "y", "--model", "kernel", "--task", "regression", "-o", "line.ardvark"};
    const std::string summary = output(fit + more);
    EXPECT_EQ(contains(summary, "linear share"), !more.empty());
    return json({"predict", "line.ardvark", "far.csv"});
  };
  const Json line = predicted({"--linear-part"}), none = predicted({});
  const double off = std::abs(line["mean"][0].get<double>() - 600);
  EXPECT_LT(off, 3 * line["sd"][0].get<double>());
  EXPECT_LT(off, 0.2 * std::abs(none["mean"][0].get<double>() - 600));
}

TEST_F(KernelCommand, HasIntervalsOfTheLevelThatIsAskedFor) {
  const auto upper = [&](const char* level) {
    return json(curve + Arguments{"--level", level})["hypotheses"][0]["interval"][0][1].get<double>();
  };
  EXPECT_LT(upper("0.5"), upper("0.95"));
  EXPECT_TRUE(contains(output(curve + Arguments{"--level", "0.5"}), "50% from"));
}

TEST_F(KernelCommand, KeepsAsManyVectorsAsItIsTold) {
  const auto vectors = [&](const Arguments& more) { return json(curve + more)["num_vectors"].get<int>(); };
  const int usual = vectors({});
  EXPECT_EQ(vectors({"--vectors", "auto"}), usual);
  EXPECT_LE(vectors({"--vectors", "4"}), 4 * 6);  // of every part of the average
  EXPECT_GT(vectors({"--divergence", "1e-6"}), usual);
  EXPECT_LT(vectors({"--divergence", "0.5"}), usual);
  EXPECT_GE(vectors({"--vectors", "all"}), vectors({"--divergence", "1e-6"}));
}

// Rows are named as in the file, also where some were dropped: the vectors are those rows.
TEST_F(KernelCommand, NamesRowsAsTheyStandInTheFile) {
  const Sinc s;
  put(s.csv(true, 7), "holes.csv");
  const Json json = this->json({"fit", "holes.csv", "--target", "y", "--model", "kernel", "--task", "regression", "--missing", "drop"});
  ASSERT_GT(json["relevance_rows"].size(), 3u);
  for (std::size_t i = 0; i < json["relevance_rows"].size(); ++i) {
    const Index row = json["relevance_rows"][i].get<Index>() - 1;
    EXPECT_NE(row % 7, 0);
    EXPECT_EQ(json["relevance_vectors"][i].get<Numbers>(), numbers(s.X.row(row).transpose()));
  }
}

TEST_F(KernelCommand, PredictsAsTheLibrary) {
  output(curve + Arguments{"-q", "-o", "m.ardvark"});
  const Json j = json({"predict", "m.ardvark", "sinc.csv"});
  EXPECT_EQ(lines_of(output({"predict", "m.ardvark", "sinc.csv"}))[0], "mean,sd,lower,upper");
  const SavedModel model = load_model(folder_ / "m.ardvark");
  ASSERT_TRUE(model.process());
  const TMixturePrediction p = predict(KernelRegression{*model.process()}, Sinc().X.leftCols(1));
  const auto [lower, upper] = p.interval(0.95);
  for (Index i = 0; i < p.mean.size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    EXPECT_NEAR(j["mean"][row].get<double>(), p.mean[i], 1e-12);
    EXPECT_NEAR(j["sd"][row].get<double>(), p.standard_deviation()[i], 1e-12);
    EXPECT_NEAR(j["lower"][row].get<double>(), lower[i], 1e-12);
    EXPECT_NEAR(j["upper"][row].get<double>(), upper[i], 1e-12);
  }
  EXPECT_TRUE(j["scale"].is_null() || j["scale"][0].is_null());  // of a mixture there is no such number
}

TEST_F(KernelCommand, RefusesOptionsOfOtherModels) {
  for (const Arguments& option :
       {Arguments{"--prior", "ard"}, {"--group", "g=x"},       {"--flat", "x"},         {"--solver", "primal"}, {"--compat"},
        {"--no-intercept"},          {"--no-acceleration"},    {"--tolerance", "1e-3"}, {"--max-sweeps", "9"},  {"--algorithm", "plain"},
        {"--degree", "3"},           {"--offset", "1"},        {"--a0", "1"},           {"--c0", "1"},          {"--diagnose"},
        {"--lambda", "1"},           {"--lambda-rule", "1se"}, {"--folds", "5"},        {"--seed", "2"},        {"--likelihood", "jj"}})
    refused(curve + option, {option[0].c_str(), "cannot be used with --model kernel"});
  refused(curve + Arguments{"--covariance", "--json"}, {"--covariance", "--model kernel"});
  for (const Arguments& option : {Arguments{"--vectors", "5"}, {"--divergence", "0.1"}, {"--no-averaging"}, {"--linear-part"}})
    for (const char* model : {"linear", "rvm"})
      refused(
          {"fit", "sinc.csv", "--target", "y", "--model", model, "--task", "regression", option[0], option.size() > 1 ? option[1] : "-q"},
          {std::string(model) == "rvm" ? option[0].c_str() : "--model"});
}

TEST_F(KernelCommand, TakesCentresAsVectors) {
  const Json fit = json(curve + Arguments{"--centres", "12"});
  EXPECT_LE(fit["num_vectors"], 12);
  EXPECT_FALSE(fit.contains("divergence"));
  EXPECT_NE(fit["notes"].dump().find("of the rows are centres, in whose features the process is computed"), std::string::npos);
  const Json all = json(curve + Arguments{"--centres", "all"}), automatic = json(curve);
  EXPECT_EQ(all["log_evidence"], automatic["log_evidence"]);  // 80 rows
  const Arguments gaussian = curve + Arguments{"--kernel", "gaussian"};
  EXPECT_LE(json(gaussian + Arguments{"--centres", "12"})["log_evidence"], json(gaussian)["log_evidence"]);
  refused(curve + Arguments{"--centres", "12", "--vectors", "5"}, {"vectors applies only with centres = all"});
  for (const char* centres : {"0", "-3", "few", "1.5"})
    refused(curve + Arguments{"--centres", centres}, {"--centres", centres, "whole number"});
}

TEST_F(KernelCommand, RefusesValuesThatAreNone) {
  for (const char* kernel : {"rbf", "linear", "polynomial", "spline", ""})
    refused(curve + Arguments{"--kernel", kernel}, {"--kernel", kernel, "matern52"});
  for (const char* width : {"0", "-1", "nan", "inf", "1e999", "wide", "0x1", ",", "", "1,0"})
    refused(curve + Arguments{"--width", width}, {"--width", width, "positive"});
  refused(curve + Arguments{"--width", "1,2"}, {"--width", "2 numbers", "input column of the table: 1"});
  refused(curve + Arguments{"--width", "1e300"}, {"width of 1e+300", "the same for every two rows"});
  for (const char* vectors : {"0", "-3", "1.5", "some", ""}) refused(curve + Arguments{"--vectors", vectors}, {"--vectors", vectors});
  for (const char* divergence : {"0", "-1", "nan", "inf"})
    refused(curve + Arguments{"--divergence", divergence}, {"--divergence is", divergence, "> 0"});
  refused(curve + Arguments{"--threads", "-1"}, {"--threads is -1"});
  refused(curve + Arguments{"--level", "1"}, {"level", "between 0 and 1"});
  refused(curve + Arguments{"--missing", "impute"}, {"--missing impute applies only to linear", "use --missing drop here"});
  refused({"fit", "sinc.csv", "--target", "y", "--model", "kernel", "--task", "classification"},
          {"different numbers", "--task regression"});
  refused({"fit", "blobs.csv", "--target", "colour", "--model", "kernel", "--task", "regression"}, {"target 'colour' is text"});
  put("x,c\n1,a\n2,a\n3,a\n", "one.csv");
  refused({"fit", "one.csv", "--target", "c", "--model", "kernel"}, {"target 'c'", "only one class (a)"});
  put("y\n1\n2\n3\n", "none.csv");
  refused({"fit", "none.csv", "--target", "y", "--model", "kernel"}, {"no feature columns"});
}

TEST_F(KernelCommand, RefusesRulesOfOtherPredictions) {
  output(sides + Arguments{"-q", "-o", "m.ardvark"});
  expect_refused({"predict", "m.ardvark", "blobs.csv", "--rule", "plug-in"}, folder_, 2, {"--rule", "kernel machine"});
  expect_refused({"show", "m.ardvark", "--odds"}, folder_, 2, {"--odds", "a kernel machine has no coefficients"});
}

TEST_F(KernelCommand, IsComparedWithOtherModels) {
  const Json j = json({"compare", "sinc2.csv", "--target", "y", "--model", "linear", "--priors", "dense,sparse", "--models", "kernel"});
  EXPECT_EQ(j["best"], "kernel");
  EXPECT_TRUE(j["models"][0]["effective_parameters"].is_null());
  const std::string table =
      output({"compare", "sinc.csv", "--target", "y", "--model", "linear", "--kernel", "gaussian", "--models", "kernel"});
  EXPECT_TRUE(contains(table, "Comparison of 4 linear models, 1 relevance vector machine and 1 kernel machine, 80 rows")) << table;
  expect_refused({"compare", "sinc.csv", "--target", "y", "--model", "linear", "--models", "kernle"}, folder_, 2,
                 {"--models is 'kernle'", "kernel"});
  expect_refused({"compare", "sinc.csv", "--target", "y", "--model", "linear", "--models", "kernel", "--no-intercept"}, folder_, 2,
                 {"--no-intercept", "--models kernel", "kernel machines have an intercept"});
  expect_refused({"compare", "sinc.csv", "--target", "y", "--model", "linear", "--models", "kernel", "--flat", "x"}, folder_, 2,
                 {"--flat", "--models kernel"});
}

}  // namespace
}  // namespace ardvark
