// What fit --model rvm prints.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ardvark/table.hpp"
#include "rvm_command.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::blobs;
using testing::contains;
using testing::expect_same_fit;
using testing::Json;
using testing::lines_of;
using testing::RelevanceCommand;
using testing::Sinc;
using testing::sinc;
using testing::two;

void expect_names(const Json& json, std::initializer_list<const char*> names) {
  for (const char* name : names) EXPECT_TRUE(json.contains(name)) << name;
}

TEST_F(RelevanceCommand, PrintsEveryNameOfARegressionAsJson) {
  const Json j = json(sinc);
  expect_names(j, {"status",         "message",      "task",        "model",         "target",
                   "kernel",         "kernel_spec",  "width",       "search",        "algorithm",
                   "log_evidence",   "bound",        "sweeps",      "bound_history", "columns",
                   "mean",           "variance",     "precision",   "relevance",     "relevance_vectors",
                   "relevance_rows", "num_vectors",  "trials",      "noise",         "intercept",
                   "r_squared",      "input_center", "input_scale", "notes",         "warnings",
                   "seconds",        "bands"});
  EXPECT_EQ(j["model"], "rvm");
  EXPECT_EQ(j["task"], "regression");
  EXPECT_EQ(j["bands"], "published");
  EXPECT_EQ(j["target"], "y");
  EXPECT_EQ(j["kernel_spec"], (Json{{"kind", "gaussian"}, {"parameters", {j["width"]}}}));
  for (const char* name : {"shape", "rate", "sd"}) EXPECT_GT(j["noise"][name].get<double>(), 0) << name;
  EXPECT_NEAR(j["noise"]["sd"].get<double>(), 0.1, 0.03);  // as the table was made
  EXPECT_LT(j["num_vectors"].get<int>(), 20);
  EXPECT_FALSE(j.contains("machines"));
  EXPECT_FALSE(j.contains("classes"));
}

TEST_F(RelevanceCommand, PrintsEveryNameOfAClassificationAsJson) {
  const Json j = json(two), three = json(blobs);
  for (const Json& any : {j, three}) {
    expect_names(any, {"status", "classes", "kernel", "log_evidence", "bound", "sweeps", "relevance_vectors", "accuracy", "log_loss"});
    EXPECT_EQ(any["task"], "classification");
    EXPECT_FALSE(any.contains("noise"));
  }
  EXPECT_EQ(j["classes"], (Json{"left", "right"}));
  expect_names(j, {"mean", "variance", "precision", "relevance", "intercept", "bound_history"});
  EXPECT_EQ(three["classes"], (Json{"blue", "green", "red"}));
  ASSERT_EQ(three["machines"].size(), 3u);
  ASSERT_EQ(three["bound"].size(), 3u);
  double evidence = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Json& machine = three["machines"][k];
    expect_names(machine, {"class", "log_evidence", "vectors", "mean", "variance", "precision", "relevance", "intercept", "bound_history"});
    EXPECT_EQ(machine["class"], three["classes"][k]);
    EXPECT_EQ(machine["bound"], three["bound"][k]);
    EXPECT_EQ(machine["vectors"].size(), machine["mean"].size());
    evidence += machine["log_evidence"].get<double>();
  }
  EXPECT_NEAR(three["log_evidence"].get<double>(), evidence, 1e-9 * std::abs(evidence));
  EXPECT_GT(three["accuracy"].get<double>(), 0.9);
}

TEST_F(RelevanceCommand, PrintsNumbersThatComeBackExactly) {
  const Sinc s;
  RelevanceOptions options;
  options.input_names = {"x"};
  expect_same_fit(json(sinc), fit_relevance_regression(s.X.leftCols(1), s.y, options));
  const Table table = read_csv(folder_ / "blobs.csv");
  const Vector classes = column_values(table, table.at("colour")), sides = column_values(table, table.at("side"));
  Matrix X(classes.size(), 2);
  X << column_values(table, 0), column_values(table, 1);
  options.input_names = {"u", "v"};
  options.kernel = Kernel::gaussian(1.5);
  options.search = KernelSearch::none;
  expect_same_fit(json(blobs), fit_relevance_classification(X, classes, options));
  expect_same_fit(json(two), fit_relevance_classification(X, sides, options));

  const std::string text = output(sinc + Arguments{"--json"});
  EXPECT_EQ(Json::parse(text).dump() + "\n", text);
}

// What the names of the JSON mean: the prediction computed from them by hand.
TEST_F(RelevanceCommand, PrintsWhatAPredictionNeeds) {
  const Json j = json(sinc + Arguments{"-o", "m.ardvark"}), p = json({"predict", "m.ardvark", "sinc.csv"});
  const Sinc s;
  const double width = j["width"], scale = j["input_scale"][0];
  for (Index i = 0; i < s.y.size(); ++i) {
    double mean = j["intercept"]["mean"];
    for (std::size_t k = 0; k < j["mean"].size(); ++k) {
      const double centre = j["relevance_vectors"][j["vectors"][k].get<std::size_t>()][0], u = (s.X(i, 0) - centre) * scale / width;
      mean += j["mean"][k].get<double>() * std::exp(-u * u);  // (KER.1)
    }
    EXPECT_NEAR(p["mean"][static_cast<std::size_t>(i)].get<double>(), mean, 1e-9);
    EXPECT_GT(p["sd"][static_cast<std::size_t>(i)].get<double>(), j["noise"]["sd"].get<double>());
  }
}

TEST_F(RelevanceCommand, PrintsATableForPeople) {
  const std::string regression = output(sinc);
  for (const char* piece :
       {"Relevance vector machine, regression: 80 rows, 1 input", "target y", "gaussian, width ", "standard deviations of x", "(bias)",
        "row ", "weight", "sd", "relevance", "log evidence", "best", "noise sd", "R^2", "status", "converged"})
    EXPECT_TRUE(contains(regression, piece)) << piece << " is not in:\n" << regression;
  const std::string classes = output(blobs);
  for (const char* piece : {"classification: 90 rows, 2 inputs", "3 classes", "blue", "green", "red", "accuracy", "log loss"})
    EXPECT_TRUE(contains(classes, piece)) << piece << " is not in:\n" << classes;
  const std::string sides = output(two);
  EXPECT_TRUE(contains(sides, "probability of right (60 rows) against left (30 rows)")) << sides;
  for (const std::string& text : {regression, classes, sides})
    for (const std::string& line : lines_of(text)) EXPECT_FALSE(line.ends_with(" ")) << line;
}

TEST_F(RelevanceCommand, TakesTheTaskFromTheTarget) {
  const auto note = [&](const Arguments& fit) { return json(fit)["notes"].dump(); };
  const Arguments numbers = {"fit", "sinc.csv", "--target", "y", "--model", "rvm", "--width", "3"};
  EXPECT_EQ(json(numbers)["task"], "regression");
  EXPECT_TRUE(contains(note(numbers), "the task is regression; --task classification takes them as classes")) << note(numbers);
  EXPECT_FALSE(contains(note(numbers + Arguments{"--task", "regression"}), "the task is"));
  EXPECT_FALSE(contains(note(two), "the task is"));  // text
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", i, i < 17 ? 3 : 4);
  put(text, "step.csv");
  const Arguments step = {"fit", "step.csv", "--target", "y", "--model", "rvm", "--width", "2"};
  EXPECT_EQ(json(step)["classes"], Json({"3", "4"}));
  EXPECT_TRUE(contains(note(step), "the task is classification; --task regression takes them as numbers")) << note(step);
  EXPECT_EQ(json(step + Arguments{"--task", "regression"})["task"], "regression");
}

TEST_F(RelevanceCommand, SaysWhenTheInputsExplainNothing) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", i, i % 2);  // neighbours differ: a wide kernel has nothing to say
  put(text, "teeth.csv");
  const Arguments fit = {"fit", "teeth.csv", "--target", "y", "--model", "rvm", "--task", "regression", "--width", "2"};
  ASSERT_EQ(json(fit)["num_vectors"], 0);
  const std::string table = output(fit);
  EXPECT_TRUE(contains(table, "relevance vectors     0 of 40 rows")) << table;
  EXPECT_TRUE(contains(table, "the model is only its bias")) << table;
  EXPECT_TRUE(contains(table, "(bias)")) << table;
}

TEST_F(RelevanceCommand, ListsTheLargestOfManyVectorsAndSaysSo) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200; ++i) text += fmt::format("{},{}\n", i, std::sin(0.9 * i));
  put(text, "wave.csv");
  const Arguments fit = {"fit", "wave.csv", "--target", "y", "--model", "rvm", "--task", "regression", "--width", "0.04"};
  const int num_vectors = json(fit)["num_vectors"];
  ASSERT_GT(num_vectors, 21);
  EXPECT_TRUE(contains(output(fit), fmt::format("... and {} more", num_vectors - 20))) << output(fit);
}

TEST_F(RelevanceCommand, SaysEachThingOnceAndRight) {
  put("x,y\n1,2\n2,2\n3,2\n", "constant.csv");
  const std::string constant = output({"fit", "constant.csv", "--target", "y", "--model", "rvm", "--task", "regression"});
  const std::size_t first = constant.find("the target is constant");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(constant.find("the target is constant", first + 1), std::string::npos) << constant;
  const std::size_t best = constant.find(" best");  // every width is as good as another
  if (best != std::string::npos) {
    EXPECT_EQ(constant.find(" best", best + 1), std::string::npos) << constant;
  }
  put("x,y\n1,2\n", "row.csv");
  EXPECT_TRUE(contains(output({"fit", "row.csv", "--target", "y", "--model", "rvm", "--task", "regression"}), ": 1 row, 1 input\n"));
  const Arguments type_two = {"--algorithm", "type-two"};
  EXPECT_TRUE(contains(output(two + type_two), " nats (Laplace)"));
  EXPECT_FALSE(contains(output(sinc + type_two), "Laplace"));
  EXPECT_TRUE(contains(output({"--help"}), "relevance vector machines"));
}

TEST_F(RelevanceCommand, SaysWhatLinearSummariesMean) {
  const Arguments linear = {"fit", "sinc.csv", "--target", "y", "--model", "linear"};
  EXPECT_FALSE(contains(output(linear), "uncentred"));
  EXPECT_TRUE(contains(output(linear), "at least "));
  EXPECT_TRUE(contains(output(linear + Arguments{"--no-intercept"}), "uncentred"));
  const std::string greedy = output({"fit", "sinc.csv", "--target", "y", "--preset", "rvm_regression"}),
                    classes =
                        output({"fit", "blobs.csv", "--target", "side", "--ignore", "colour,number", "--preset", "rvm_classification"});
  EXPECT_FALSE(contains(greedy, "at least "));
  EXPECT_TRUE(contains(greedy, "log evidence  "));
  EXPECT_TRUE(contains(classes, " nats (Laplace)"));
  EXPECT_TRUE(contains(output(linear + Arguments{"--max-sweeps", "1", "--prior", "shared"}), "after 1 sweep:"));
  EXPECT_TRUE(contains(output(linear + Arguments{"--max-sweeps", "1", "--tolerance", "0"}), "within 1 sweep\n"));
}

TEST_F(RelevanceCommand, EndsWithFourWhenStrictAndNotConverged) {
  EXPECT_EQ(testing::run(sinc + Arguments{"--width", "0.4", "--max-sweeps", "1", "--strict", "-q"}, folder_.path()).exit_code, 4);
  EXPECT_EQ(testing::run(sinc + Arguments{"--strict", "-q"}, folder_.path()).exit_code, 0);
}

}  // namespace
}  // namespace ardvark
