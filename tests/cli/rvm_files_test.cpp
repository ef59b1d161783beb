// What predict and show make of the files of fit --model rvm.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ardvark/model_file.hpp"
#include "ardvark/table.hpp"
#include "rvm_command.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::blobs;
using testing::blobs_csv;
using testing::column;
using testing::contains;
using testing::expect_refused;
using testing::fields_of;
using testing::Json;
using testing::lines_of;
using testing::Names;
using testing::Numbers;
using testing::numbers;
using testing::RelevanceCommand;
using testing::run;
using testing::Sinc;
using testing::sinc;
using testing::two;

const std::string pima = testing::example_path("Pima.tr.csv");

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
  const std::string csv = output({"predict", "m.ardvark", "sinc.csv", "--level", "0.9", "--digits", "17"});
  EXPECT_EQ(lines_of(csv)[0], "mean,sd,lower,upper");
  const SavedModel model = load_model(folder_ / "m.ardvark");
  const Sinc s;
  const StudentPrediction p = predict(RelevanceRegression{*model.relevance()}, s.X.leftCols(1));
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
  const std::string csv = output({"predict", "m.ardvark", pima, "--digits", "17"});
  EXPECT_EQ(lines_of(csv)[0], "probability_Yes,class");
  EXPECT_EQ(j["classes"], (Json{"No", "Yes"}));
  const SavedModel model = load_model(folder_ / "m.ardvark");
  const EncodedTable encoded = encode(read_csv(pima), model.encoding);
  const ClassProbabilities p = predict(RelevanceClassification{*model.relevance()}, encoded.X());
  EXPECT_EQ(j["probability"].get<Numbers>(), numbers(p.probability.col(1)));
  EXPECT_EQ(column(csv, "probability_Yes"), numbers(p.probability.col(1)));
  const std::vector<std::string> lines = lines_of(csv);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_EQ(fields_of(lines[i])[1], j["probability"][i - 1].get<double>() > 0.5 ? "Yes" : "No");
}

TEST_F(RelevanceCommand, PredictsMoreClassesByAProbabilityEach) {
  output(blobs + Arguments{"-q", "-o", "m.ardvark"});
  const Json j = json({"predict", "m.ardvark", "blobs.csv"});
  const std::string csv = output({"predict", "m.ardvark", "blobs.csv", "--digits", "17"});
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

// 100 is far away; the gap is dropped, and rows have the numbers of the file.
TEST_F(RelevanceCommand, WarnsOfRowsBeyondTheData) {
  output(sinc + Arguments{"--width", "0.4", "-q", "-o", "m.ardvark"});
  EXPECT_EQ(run({"predict", "m.ardvark", "sinc.csv", "-o", "p.csv"}, folder_.path()).err.find("WARNING"), std::string::npos);
  put("x\n1\nNA\n100\n", "new.csv");
  const Arguments predict = {"predict", "m.ardvark", "new.csv", "--missing", "drop"};
  const std::string said = run(predict, folder_.path()).err;
  EXPECT_TRUE(contains(said, "WARNING: 1 of 2 rows lies far outside the training rows, by more than a kernel width or half the range"))
      << said;
  EXPECT_TRUE(contains(said, "the first is row 3, in which 'x' is 100")) << said;
  EXPECT_FALSE(contains(run(predict + Arguments{"-q"}, folder_.path()).err, "WARNING"));
  EXPECT_EQ(json(predict)["warnings"].size(), 1u);
  EXPECT_FALSE(json({"predict", "m.ardvark", "sinc.csv"}).contains("warnings"));
}

}  // namespace
}  // namespace ardvark
