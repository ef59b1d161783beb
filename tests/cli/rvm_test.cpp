// fit --model rvm, and what predict and show make of its files.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "ardvark/model_file.hpp"
#include "ardvark/relevance.hpp"
#include "program.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::column;
using testing::contains;
using testing::expect_refused;
using testing::fields_of;
using testing::Json;
using testing::json_of;
using testing::lines_of;
using testing::output_of;
using testing::read_bytes;
using testing::write_bytes;
using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
using Rows = std::vector<Numbers>;
using Pieces = std::initializer_list<const char*>;

const std::string pima = ARDVARK_EXAMPLE_DATA "/Pima.tr.csv";
const Arguments sinc = {"fit", "sinc.csv", "--target", "y", "--model", "rvm", "--task", "regression"};
const Arguments blobs = {"fit", "blobs.csv", "--target", "colour", "--ignore", "number,side", "--model", "rvm", "--width", "1.5"};
const Arguments two = {"fit", "blobs.csv", "--target", "side", "--ignore", "number,colour", "--model", "rvm", "--width", "1.5"};

Numbers numbers(const Vector& v) { return {v.begin(), v.end()}; }

// sin(x)/x with noise 0.1, and an input z that has no part in it.
struct Sinc {
  Matrix X;
  Vector y;
  explicit Sinc(Index n = 80, unsigned seed = 3) : X(n, 2), y(n) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < n; ++i) {
      const double x = -10 + 20 * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
      X(i, 0) = x;
      X(i, 1) = 100 + 5 * normal(random);
      y[i] = std::sin(x) / x + 0.1 * normal(random);
    }
  }
  // Only the first inputs; "" for the value of every `hole`-th row's x.
  [[nodiscard]] std::string csv(bool with_z = false, Index hole = 0) const {
    std::string text = with_z ? "x,z,y\n" : "x,y\n";
    for (Index i = 0; i < y.size(); ++i) {
      const std::string x = hole > 0 && i % hole == 0 ? "" : fmt::format("{}", X(i, 0));
      text += with_z ? fmt::format("{},{},{}\n", x, X(i, 1), y[i]) : fmt::format("{},{}\n", x, y[i]);
    }
    return text;
  }
};

// Three classes about three points of the plane: their colour, a number for each, and one of them against the rest.
std::string blobs_csv(int n = 90, unsigned seed = 4) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const char* colours[] = {"red", "green", "blue"};
  std::string text = "u,v,colour,number,side\n";
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * (i % 3) / 3;
    text += fmt::format("{},{},{},{},{}\n", 2 * std::cos(angle) + 0.8 * normal(random), 20 * std::sin(angle) + 8 * normal(random),
                        colours[i % 3], 10 * (i % 3), i % 3 == 0 ? "left" : "right");
  }
  return text;
}

class RelevanceCommand : public ::testing::Test {
 protected:
  RelevanceCommand() {
    put(Sinc().csv(), "sinc.csv");
    put(Sinc().csv(true), "sinc2.csv");
    put(blobs_csv(), "blobs.csv");
  }
  void put(const std::string& text, const std::string& name) const { write_bytes(folder_ / name, text); }
  std::string output(const Arguments& arguments) const { return output_of(arguments, folder_.path()); }
  [[nodiscard]] Json json(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }
  void refused(const Arguments& arguments, Pieces pieces) const {
    expect_refused(arguments + Arguments{"-o", "out.ardvark"}, folder_, 2, pieces);
  }

  testing::TemporaryFolder folder_;
};

void expect_names(const Json& json, std::initializer_list<const char*> names) {
  for (const char* name : names) EXPECT_TRUE(json.contains(name)) << name;
}

// The program's numbers are those of the library, to the last bit.
void expect_same_machine(const Json& json, const RelevanceMachine& machine) {
  EXPECT_EQ(json["vectors"].get<std::vector<Index>>(), machine.vectors);
  EXPECT_EQ(json["columns"].get<Names>(), machine.fit.column_names);
  EXPECT_EQ(json["mean"].get<Numbers>(), numbers(machine.fit.mean));
  EXPECT_EQ(json["variance"].get<Numbers>(), numbers(machine.fit.variance));
  EXPECT_EQ(json["relevance"].get<Numbers>(), numbers(machine.fit.relevance));
  EXPECT_EQ(json["precision"].get<Numbers>(), numbers(machine.fit.precision));
  EXPECT_EQ(json["intercept"]["mean"].get<double>(), machine.fit.intercept->mean);
}

void expect_same_fit(const Json& json, const RelevanceFit& fit) {
  EXPECT_EQ(json["status"], to_string(fit.report.status));
  EXPECT_EQ(json["kernel"], fit.kernel.name());
  EXPECT_EQ(json["algorithm"], to_string(fit.algorithm));
  EXPECT_EQ(json["log_evidence"].get<double>(), fit.log_evidence);
  EXPECT_EQ(json["num_vectors"].get<Index>(), fit.num_vectors());
  ASSERT_EQ(json["relevance_rows"].size(), fit.relevance_rows.size());
  for (std::size_t i = 0; i < fit.relevance_rows.size(); ++i) {
    EXPECT_EQ(json["relevance_rows"][i].get<Index>(), fit.relevance_rows[i] + 1);
    EXPECT_EQ(json["relevance_vectors"][i].get<Numbers>(), numbers(fit.relevance_vectors.row(static_cast<Index>(i)).transpose()));
  }
  ASSERT_EQ(json["trials"].size(), fit.trials.size());
  for (std::size_t i = 0; i < fit.trials.size(); ++i) {
    EXPECT_EQ(json["trials"][i]["parameters"].get<Numbers>(), fit.trials[i].parameters);
    EXPECT_EQ(json["trials"][i]["log_evidence"].get<double>(), fit.trials[i].log_evidence);
    EXPECT_EQ(json["trials"][i]["num_vectors"].get<Index>(), fit.trials[i].num_vectors);
  }
  EXPECT_EQ(json["input_center"].get<Numbers>(), numbers(fit.input_center));
  EXPECT_EQ(json["input_scale"].get<Numbers>(), numbers(fit.input_scale));
  if (fit.machines.size() == 1) {
    expect_same_machine(json, fit.machines.front());
  } else {
    ASSERT_EQ(json["machines"].size(), fit.machines.size());
    for (std::size_t k = 0; k < fit.machines.size(); ++k) expect_same_machine(json["machines"][k], fit.machines[k]);
  }
}

// ---- what it prints -----------------------------------------------------------------------------------------------------------------

TEST_F(RelevanceCommand, PrintsEveryNameOfARegressionAsJson) {
  const Json j = json(sinc);
  expect_names(j, {"status",         "message",      "task",        "model",         "target",
                   "kernel",         "kernel_spec",  "width",       "search",        "algorithm",
                   "log_evidence",   "bound",        "sweeps",      "bound_history", "columns",
                   "mean",           "variance",     "precision",   "relevance",     "relevance_vectors",
                   "relevance_rows", "num_vectors",  "trials",      "noise",         "intercept",
                   "r_squared",      "input_center", "input_scale", "notes",         "warnings",
                   "seconds"});
  EXPECT_EQ(j["model"], "rvm");
  EXPECT_EQ(j["task"], "regression");
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

TEST_F(RelevanceCommand, SaysWhenTheInputsExplainNothing) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", i, i % 2);  // neighbours differ: a wide kernel has nothing to say
  put(text, "teeth.csv");
  const Arguments fit = {"fit", "teeth.csv", "--target", "y", "--model", "rvm", "--task", "regression", "--width", "2"};
  ASSERT_EQ(json(fit)["num_vectors"], 0);
  const std::string table = output(fit);
  EXPECT_TRUE(contains(table, "relevance vectors     0 of 40 rows")) << table;
  EXPECT_TRUE(contains(table, "the model is its bias alone")) << table;
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

// ---- options ------------------------------------------------------------------------------------------------------------------------

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
  EXPECT_TRUE(contains(table, "a width per input")) << table;
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
    const Numbers widths = load_model(folder_ / "a.ardvark").relevance->kernel.spec().parameters;
    if (widths.size() == 1) continue;
    ASSERT_EQ(widths.size(), 4u);  // of x, and one of the group's dummies
    EXPECT_NE(widths[0], widths[1]);
    EXPECT_EQ(widths[1], widths[2]);
    EXPECT_EQ(widths[1], widths[3]);
  }
  put("x,group\n0.5,brown\n", "unseen.csv");
  expect_refused({"predict", "a.ardvark", "unseen.csv"}, folder_, 2, {"brown", "blue", "green", "red"});
  refused({"fit", "blue.csv", "--target", "y", "--model", "rvm", "--task", "regression", "--width", "1,2,3,4"},
          {"--width", "4", "inputs: 2"});
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

// ---- files --------------------------------------------------------------------------------------------------------------------------

TEST_F(RelevanceCommand, ShowsWhatTheFitPrinted) {
  for (const Arguments& fit :
       {sinc, two, blobs, sinc + Arguments{"--algorithm", "type-two", "--width", "0.4"}, sinc + Arguments{"--kernel", "polynomial"}}) {
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
  expect_refused({"show", "m.ardvark", "--json", "--covariance"}, folder_, 2, {"--covariance"});
  expect_refused({"show", "m.ardvark", "--level", "2"}, folder_, 2, {"level", "2", "between 0 and 1"});
}

TEST_F(RelevanceCommand, PredictsARegressionAlikeAsCsvAndJsonAndInTheLibrary) {
  output(sinc + Arguments{"-q", "-o", "m.ardvark"});
  const Json j = json({"predict", "m.ardvark", "sinc.csv"});
  const std::string csv = output({"predict", "m.ardvark", "sinc.csv", "--level", "0.9"});
  EXPECT_EQ(lines_of(csv)[0], "mean,sd,lower,upper");
  const SavedModel model = load_model(folder_ / "m.ardvark");
  const Sinc s;
  const StudentPrediction p = predict(RelevanceRegression{*model.relevance}, s.X.leftCols(1));
  EXPECT_EQ(j["mean"].get<Numbers>(), numbers(p.mean));
  EXPECT_EQ(j["sd"].get<Numbers>(), numbers(p.scale));
  EXPECT_GE(j["seconds"].get<double>(), 0);
  EXPECT_EQ(column(csv, "mean"), numbers(p.mean));
  EXPECT_EQ(column(csv, "sd"), numbers(p.scale));
  EXPECT_EQ(column(csv, "lower"), numbers(p.mean - p.half_width(0.9)));
  EXPECT_EQ(column(csv, "upper"), numbers(p.mean + p.half_width(0.9)));
  for (std::size_t i = 0; i < j["mean"].size(); ++i)
    EXPECT_NEAR(column(csv, "upper")[i] - column(csv, "mean")[i], 1.6448536269514722 * j["sd"][i].get<double>(), 1e-12);
}

TEST_F(RelevanceCommand, PredictsTwoClassesByTheProbabilityOfTheSecond) {
  output({"fit", pima, "--target", "type", "--model", "rvm", "--centres", "40", "--width", "5", "-q", "-o", "m.ardvark"});
  const Json j = json({"predict", "m.ardvark", pima});
  const std::string csv = output({"predict", "m.ardvark", pima});
  EXPECT_EQ(lines_of(csv)[0], "probability,class");
  EXPECT_EQ(j["classes"], (Json{"No", "Yes"}));
  const SavedModel model = load_model(folder_ / "m.ardvark");
  const EncodedTable encoded = encode(read_csv(pima), model.encoding);
  const ClassProbabilities p = predict(RelevanceClassification{*model.relevance}, encoded.X());
  EXPECT_EQ(j["probability"].get<Numbers>(), numbers(p.probability.col(1)));
  EXPECT_EQ(column(csv, "probability"), numbers(p.probability.col(1)));
  const std::vector<std::string> lines = lines_of(csv);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_EQ(fields_of(lines[i])[1], j["probability"][i - 1].get<double>() > 0.5 ? "Yes" : "No");
}

TEST_F(RelevanceCommand, PredictsMoreClassesByAProbabilityEach) {
  output(blobs + Arguments{"-q", "-o", "m.ardvark"});
  const Json j = json({"predict", "m.ardvark", "blobs.csv"});
  const std::string csv = output({"predict", "m.ardvark", "blobs.csv"});
  EXPECT_EQ(lines_of(csv)[0], "probability_blue,probability_green,probability_red,class");
  const Names classes = {"blue", "green", "red"};
  EXPECT_EQ(j["classes"].get<Names>(), classes);
  ASSERT_EQ(j["probability"].size(), 3u);
  int correct = 0;
  const std::vector<std::string> lines = lines_of(csv), truth = lines_of(blobs_csv());
  for (std::size_t i = 0; i < 90; ++i) {
    Numbers p;
    for (std::size_t k = 0; k < 3; ++k) p.push_back(j["probability"][k][i]);
    EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-12);
    const std::vector<std::string> fields = fields_of(lines[i + 1]);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(std::stod(fields[k]), p[k]);
    EXPECT_EQ(fields[3], classes[static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin())]);
    correct += fields[3] == fields_of(truth[i + 1])[2] ? 1 : 0;
  }
  EXPECT_GT(correct, 80);
}

TEST_F(RelevanceCommand, QuotesClassesThatCsvWouldMisread) {
  std::string text = "x,k\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{},\"{}\"\n", 10 * (i % 3) + 0.1 * i, i % 3 == 0 ? "a,b" : i % 3 == 1 ? "c\"\"d" : "e");
  put(text, "quoted.csv");
  output({"fit", "quoted.csv", "--target", "k", "--model", "rvm", "--width", "1", "-q", "-o", "m.ardvark"});
  output({"predict", "m.ardvark", "quoted.csv", "-o", "p.csv"});
  const Table table = read_csv(folder_ / "p.csv");
  ASSERT_EQ(table.num_columns(), 4);
  EXPECT_EQ(table.columns[0].name, "probability_a,b");
  EXPECT_EQ(table.columns[1].name, "probability_c\"d");
  EXPECT_EQ(table.columns[3].levels, (Names{"a,b", "c\"d", "e"}));
}

TEST_F(RelevanceCommand, KeepsTheRowsOfTheFileInPredictions) {
  output(sinc + Arguments{"--width", "0.4", "-q", "-o", "m.ardvark"});
  put("x\n1\nNA\n2\n", "new.csv");
  EXPECT_EQ(json({"predict", "m.ardvark", "new.csv", "--missing", "drop"})["rows"], (Json{1, 3}));
}

// ---- refusals -----------------------------------------------------------------------------------------------------------------------

TEST_F(RelevanceCommand, RefusesOptionsOfOtherModels) {
  for (const Arguments& option : {Arguments{"--prior", "ard"},
                                  {"--group", "g=x"},
                                  {"--flat", "x"},
                                  {"--solver", "primal"},
                                  {"--compat"},
                                  {"--no-intercept"},
                                  {"--no-acceleration"},
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
  refused(sinc + Arguments{"--width", "1,2"}, {"--width", "2 numbers", "inputs: 1"});
  for (const char* centres : {"0", "-3", "1.5", "some", ""}) refused(sinc + Arguments{"--centres", centres}, {"--centres", centres});
  refused(sinc + Arguments{"--kernel", "polynomial", "--degree", "0"}, {"degree", "0"});
  refused(sinc + Arguments{"--kernel", "polynomial", "--offset", "-1"}, {"offset", "-1"});
  refused(sinc + Arguments{"--a0", "0"}, {"0", "positive"});
  refused(sinc + Arguments{"--d0", "nan"}, {"nan", "positive"});
  refused(sinc + Arguments{"--max-sweeps", "0"}, {"sweeps", "0"});
  refused(sinc + Arguments{"--threads", "-1"}, {"threads", "-1"});
  refused(sinc + Arguments{"--level", "1"}, {"level", "between 0 and 1"});
}

TEST_F(RelevanceCommand, NamesTheOptionsInItsMessages) {
  for (const char* option : {"--a0", "--b0", "--c0", "--d0"}) {
    refused(sinc + Arguments{option, "0"}, {(std::string(option) + " is 0").c_str(), "positive"});
    refused({"fit", "sinc.csv", "--target", "y", "--model", "linear", option, "-1"}, {(std::string(option) + " is -1").c_str()});
  }
  refused(sinc + Arguments{"--max-sweeps", "0"}, {"--max-sweeps is 0", "at least 1"});
  refused(sinc + Arguments{"--threads", "-1"}, {"--threads is -1"});
  refused(sinc + Arguments{"--kernel", "polynomial", "--degree", "0"}, {"--degree is 0", "at least 1"});
  refused(sinc + Arguments{"--kernel", "polynomial", "--offset", "-1"}, {"--offset is -1"});
  for (const char* width : {"1,", ",1", "1,,2"}) refused(sinc + Arguments{"--width", width}, {"--width", width, "positive number"});
  put("x,c\n1,a\n2,a\n3,a\n", "one.csv");
  refused({"fit", "one.csv", "--target", "c", "--model", "rvm"}, {"target 'c'", "one class only (a)"});
  refused({"fit", "sinc.csv", "--target", "y", "--preset", "rvm_regression", "--kernel", "gaussian"}, {"--kernel", "preset", "columns"});
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
  EXPECT_TRUE(contains(output(two + type_two), "log evidence (Laplace)"));
  EXPECT_FALSE(contains(output(sinc + type_two), "Laplace"));
  EXPECT_TRUE(contains(output({"--help"}), "relevance vector machines"));
}

TEST_F(RelevanceCommand, SaysWhatLinearSummariesMean) {
  const Arguments linear = {"fit", "sinc.csv", "--target", "y", "--model", "linear"};
  EXPECT_FALSE(contains(output(linear), "uncentred"));
  EXPECT_TRUE(contains(output(linear), "bound on evidence"));
  EXPECT_TRUE(contains(output(linear + Arguments{"--no-intercept"}), "uncentred"));
  const std::string greedy = output({"fit", "sinc.csv", "--target", "y", "--preset", "rvm_regression"}),
                    classes =
                        output({"fit", "blobs.csv", "--target", "side", "--ignore", "colour,number", "--preset", "rvm_classification"});
  EXPECT_FALSE(contains(greedy, "bound on evidence"));
  EXPECT_TRUE(contains(greedy, "log evidence  "));
  EXPECT_TRUE(contains(classes, "log evidence (Laplace) "));
  EXPECT_TRUE(contains(output(linear + Arguments{"--max-sweeps", "1", "--prior", "shared"}), "after 1 sweep:"));
  EXPECT_TRUE(contains(output(linear + Arguments{"--max-sweeps", "1", "--tolerance", "0"}), "within 1 sweep\n"));
}

TEST_F(RelevanceCommand, RefusesOptionsThatContradict) {
  for (const char* kernel : {"linear", "polynomial", "spline"})
    for (const char* width : {"1", "auto", "each"})
      refused(sinc + Arguments{"--kernel", kernel, "--width", width}, {"--width", kernel, "no width"});
  for (const char* width : {"each", "1,2"})
    refused(sinc + Arguments{"--kernel", "cauchy", "--width", width}, {"--width", width, "gaussian"});
  for (const char* option : {"--degree", "--offset"}) refused(sinc + Arguments{option, "2"}, {option, "polynomial"});
  for (const char* option : {"--a0", "--b0", "--c0", "--d0"})
    refused(sinc + Arguments{"--algorithm", "type-two", option, "1"}, {option, "type-two"});
  refused(two + Arguments{"--algorithm", "type-two", "--likelihood", "jj"}, {"--likelihood", "type-two"});
}

TEST_F(RelevanceCommand, RefusesATaskThatTheTargetDoesNotFit) {
  refused({"fit", "sinc.csv", "--target", "y", "--model", "rvm"}, {"'y'", "numbers", "--task regression", "--task classification"});
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

TEST_F(RelevanceCommand, EndsWithFourWhenStrictAndNotConverged) {
  EXPECT_EQ(testing::run(sinc + Arguments{"--width", "0.4", "--max-sweeps", "1", "--strict", "-q"}, folder_.path()).exit_code, 4);
  EXPECT_EQ(testing::run(sinc + Arguments{"--strict", "-q"}, folder_.path()).exit_code, 0);
}

}  // namespace
}  // namespace ardvark
