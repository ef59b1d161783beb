// The options of fit --model rvm, and the tables that it takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

#include "ardvark/model_file.hpp"
#include "ardvark/table.hpp"
#include "rvm_command.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::column;
using testing::contains;
using testing::expect_refused;
using testing::expect_same_fit;
using testing::Json;
using testing::Numbers;
using testing::RelevanceCommand;
using testing::Sinc;
using testing::sinc;
using testing::two;

TEST_F(RelevanceCommand, TakesEachKernel) {
  for (const auto& [kernel, name] : {std::pair{"gaussian", "gaussian(width="},
                                     {"laplacian", "laplacian(width="},
                                     {"cauchy", "cauchy(width="},
                                     {"linear", "linear"},
                                     {"polynomial", "polynomial(degree=2, offset="},
                                     {"spline", "spline"}}) {
    const Json j = json(sinc + Arguments{"--kernel", kernel});
    EXPECT_TRUE(j["kernel"].get<std::string>().starts_with(name)) << j["kernel"];
    const bool has_parameter = j["kernel"].get<std::string>().ends_with(")");
    EXPECT_EQ(j["trials"].empty(), !has_parameter) << kernel;
    EXPECT_EQ(j["parameters"].size(), has_parameter ? 1u : 0u) << kernel;
    output(sinc + Arguments{"--kernel", kernel});
  }
  const Json cubic = json(sinc + Arguments{"--kernel", "polynomial", "--degree", "3", "--offset", "0.5"});
  EXPECT_EQ(cubic["kernel"], "polynomial(degree=3, offset=0.5)");
  EXPECT_TRUE(cubic["trials"].empty());
}

TEST_F(RelevanceCommand, TakesWidths) {
  const Json given = json(sinc + Arguments{"--width", "0.4"}), learnt = json(sinc);
  EXPECT_EQ(given["width"], 0.4);
  EXPECT_EQ(given["search"], "none");
  EXPECT_EQ(learnt["search"], "scale");
  EXPECT_TRUE(given["trials"].empty());
  EXPECT_FALSE(learnt["trials"].empty());
  double best = -HUGE_VAL;
  for (const Json& trial : learnt["trials"]) best = std::max(best, trial["log_evidence"].get<double>());
  EXPECT_GE(learnt["log_evidence"].get<double>(), best - 1e-6);

  const Arguments fit = {"fit", "sinc2.csv", "--target", "y", "--model", "rvm", "--task", "regression"};
  EXPECT_EQ(json(fit + Arguments{"--width", "0.4,30"})["widths"], (Json{0.4, 30.0}));
  EXPECT_EQ(json(fit + Arguments{"--width", "0.4"})["kernel"], "gaussian(width=0.4)");
  const Json each = json(fit + Arguments{"--width", "each", "--centres", "30"});
  ASSERT_EQ(each["widths"].size(), 2u);
  EXPECT_GT(each["widths"][1].get<double>(), 3 * each["widths"][0].get<double>());  // z has no part in y
  EXPECT_EQ(each["search"], "each");
  const std::string table = output(fit + Arguments{"--width", "each", "--centres", "30"});
  EXPECT_TRUE(contains(table, "one width per input")) << table;
}

TEST_F(RelevanceCommand, TakesCentresAlgorithmsLikelihoodsAndHyperpriors) {
  const Sinc s;
  RelevanceOptions options;
  options.input_names = {"x"};
  options.kernel = Kernel::gaussian(0.4);
  options.search = KernelSearch::none;
  const auto regression = [&](const Arguments& more) {
    expect_same_fit(json(sinc + Arguments{"--width", "0.4"} + more), fit_relevance_regression(s.X.leftCols(1), s.y, options));
  };
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = 12;
  regression({"--centres", "12"});
  options.algorithm = RelevanceAlgorithm::type_two;
  regression({"--centres", "12", "--algorithm", "type-two"});
  options.algorithm = RelevanceAlgorithm::plain;
  regression({"--centres", "12", "--algorithm", "plain"});
  options.centres = Centres::rows;
  options.num_centres = 0;
  options.algorithm = RelevanceAlgorithm::variational;
  regression({"--centres", "all", "--algorithm", "variational"});
  options.noise = {2, 3};
  options.precision = {0.5, 0.25};
  regression({"--a0", "2", "--b0", "3", "--c0", "0.5", "--d0", "0.25"});
  options.standardize = false;
  options.max_sweeps = 7;
  regression({"--a0", "2", "--b0", "3", "--c0", "0.5", "--d0", "0.25", "--no-standardize", "--max-sweeps", "7"});

  const Table table = read_csv(folder_ / "blobs.csv");
  Matrix X(90, 2);
  X << column_values(table, 0), column_values(table, 1);
  RelevanceOptions bound;
  bound.input_names = {"u", "v"};
  bound.kernel = Kernel::cauchy(2);
  bound.search = KernelSearch::none;
  bound.likelihood = LogisticLikelihood::bound;
  bound.precision = {2, 3};
  expect_same_fit(json(Arguments{two.begin(), two.end() - 2} +
                       Arguments{"--kernel", "cauchy", "--width", "2", "--likelihood", "jj", "--a0", "2", "--b0", "3"}),
                  fit_relevance_classification(X, column_values(table, table.at("side")), bound));
}

TEST_F(RelevanceCommand, TakesWeights) {
  const Sinc s;
  std::string text = "x,w,y\n";
  Vector w(s.y.size());
  for (Index i = 0; i < s.y.size(); ++i) {
    w[i] = static_cast<double>(i % 3);
    text += fmt::format("{},{},{}\n", s.X(i, 0), w[i], s.y[i]);
  }
  put(text, "weighted.csv");
  const Json j = json({"fit", "weighted.csv", "--target", "y", "--weights", "w", "--model", "rvm", "--task", "regression"});
  RelevanceOptions options;
  options.input_names = {"x"};
  options.weights = w;
  expect_same_fit(j, fit_relevance_regression(s.X.leftCols(1), s.y, options));
  EXPECT_EQ(j["num_rows"].get<double>(), w.sum());
}

TEST_F(RelevanceCommand, TakesNumbersAsClassesAndTextAsInputs) {
  const Json j = json({"fit", "blobs.csv", "--target", "number", "--ignore", "colour,side", "--model", "rvm", "--task", "classification",
                       "--width", "1.5"});
  EXPECT_EQ(j["classes"], (Json{"0", "10", "20"}));
  const Json k =
      json({"fit", "blobs.csv", "--target", "u", "--ignore", "number,side", "--model", "rvm", "--task", "regression", "--width", "2"});
  EXPECT_EQ(k["inputs"], (Json{"v", "colour=blue", "colour=green", "colour=red"}));  // no level is the reference
}

// y is another curve of x in each group; the first level in sorted order is another group in each table.
std::string groups_csv(const char* first) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  const char* names[] = {first, "green", "red"};
  std::string text = "x,group,y\n";
  for (int i = 0; i < 75; ++i) {
    const double x = -2 + 4 * (i + 0.5) / 75;
    text += fmt::format("{},{},{}\n", x, names[i % 3], (i % 3 == 0 ? std::sin(2 * x) : i % 3 == 1 ? 1 + x : -1.0) + 0.1 * normal(random));
  }
  return text;
}

TEST_F(RelevanceCommand, DoesNotDependOnHowCategoriesAreSpelled) {
  put(groups_csv("blue"), "blue.csv");
  put(groups_csv("zblue"), "zblue.csv");
  for (const char* width : {"auto", "each", "0.8,1.5"}) {
    SCOPED_TRACE(width);
    const Arguments options = {"--target", "y",   "--model",     "rvm",      "--task", "regression",
                               "--width",  width, "--algorithm", "type-two", "-o"};
    const Json a = json(Arguments{"fit", "blue.csv"} + options + Arguments{"a.ardvark"}),
               b = json(Arguments{"fit", "zblue.csv"} + options + Arguments{"b.ardvark"});
    EXPECT_EQ(a["inputs"], (Json{"x", "group=blue", "group=green", "group=red"}));
    EXPECT_NEAR(a["log_evidence"].get<double>(), b["log_evidence"].get<double>(), 1e-6);
    EXPECT_EQ(a["relevance_rows"], b["relevance_rows"]);
    const Numbers mean = column(output({"predict", "a.ardvark", "blue.csv"}), "mean"),
                  other = column(output({"predict", "b.ardvark", "zblue.csv"}), "mean");
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(mean[i], other[i], 1e-6);
    const Numbers widths = load_model(folder_ / "a.ardvark").relevance()->kernel.spec().parameters;
    if (widths.size() == 1) continue;
    ASSERT_EQ(widths.size(), 4u);  // of x, and one of the group's dummies
    EXPECT_NE(widths[0], widths[1]);
    EXPECT_EQ(widths[1], widths[2]);
    EXPECT_EQ(widths[1], widths[3]);
  }
  put("x,group\n0.5,brown\n", "unseen.csv");
  expect_refused({"predict", "a.ardvark", "unseen.csv"}, folder_, 2, {"brown", "blue", "green", "red"});
  refused({"fit", "blue.csv", "--target", "y", "--model", "rvm", "--task", "regression", "--width", "1,2,3,4"},
          {"--width", "4", "input column of the table: 2"});
}

TEST_F(RelevanceCommand, CountsRowsAsTheFileDoes) {
  const Sinc s;
  put(s.csv(false, 4), "holes.csv");
  const Json j = json({"fit", "holes.csv", "--target", "y", "--model", "rvm", "--task", "regression", "--width", "0.4", "--missing", "drop",
                       "-o", "m.ardvark"});
  ASSERT_GT(j["num_vectors"].get<int>(), 0);
  for (std::size_t i = 0; i < j["relevance_rows"].size(); ++i) {
    const Index row = j["relevance_rows"][i].get<Index>() - 1;
    EXPECT_NE(row % 4, 0);
    EXPECT_EQ(j["relevance_vectors"][i][0].get<double>(), s.X(row, 0));
    EXPECT_EQ(j["columns"][i], fmt::format("k(row {})", row + 1));
  }
  EXPECT_TRUE(contains(output({"show", "m.ardvark"}), fmt::format("row {} ", j["relevance_rows"][0].get<Index>())));
  EXPECT_TRUE(contains(output({"show", "m.ardvark"}), "20 rows were dropped"));
}

}  // namespace
}  // namespace ardvark
