// fit --prior laplace and --preset l1_slr_c, and what predict makes of their files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ardvark/logistic.hpp"
#include "ardvark/table.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::json_of;
using testing::output_of;
using testing::TemporaryFolder;
using testing::write_bytes;
using Numbers = std::vector<double>;

const std::string pima = testing::example_path("Pima.tr.csv");
const Arguments logistic = {"fit", pima, "--target", "type", "--model", "logistic"};
const Arguments laplace = logistic + Arguments{"--prior", "laplace"};

TEST(FitLaplace, PrintsWhatTheLibraryFits) {
  const Json json = json_of(laplace + Arguments{"--lambda", "6", "--json"});
  const Table table = read_csv(pima);
  const Vector type = column_values(table, table.at("type"));
  CsvOptions csv;
  csv.only = {"npreg", "glu", "bp", "skin", "bmi", "ped", "age"};
  const Table inputs = read_csv(pima, csv);
  Matrix X(inputs.num_rows, 7);
  for (Index j = 0; j < 7; ++j) X.col(j) = column_values(inputs, inputs.at(csv.only[static_cast<std::size_t>(j)]));
  const LogisticFit fit = fit_logistic(X, type, {.prior = Prior::laplace(6)});
  EXPECT_EQ(json["prior"], "laplace");
  EXPECT_EQ(json["lambda"], 6);
  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["solver"], "coordinate");
  const auto mean = json["mean"].get<Numbers>();
  for (Index j = 0; j < 7; ++j) EXPECT_NEAR(mean[static_cast<std::size_t>(j)], fit.mean[j], 1e-9 * (1 + std::abs(fit.mean[j])));
  std::vector<std::string> relevant;
  for (Index j = 0; j < 7; ++j)
    if (fit.mean[j] != 0) relevant.push_back(csv.only[static_cast<std::size_t>(j)]);
  EXPECT_LT(relevant.size(), 7u);
  EXPECT_EQ(json["relevant"].get<std::vector<std::string>>(), relevant);
  const std::string text = output_of(laplace + Arguments{"--lambda", "6", "--verbose"});
  for (const char* piece : {"prior laplace (lambda 6)", "log density at mode", "no variance", "steps"})
    EXPECT_TRUE(contains(text, piece)) << piece;
  EXPECT_FALSE(contains(text, "log evidence"));
}

TEST(FitLaplace, PredictionsIntegrateThePosteriorOrPlugTheModeIn) {
  const TemporaryFolder folder;
  output_of(laplace + Arguments{"--lambda", "6", "-q", "-o", "m.ardvark"}, folder.path());
  const std::string test = testing::example_path("Pima.te.csv");
  const std::string exact = output_of({"predict", "m.ardvark", test, "--digits", "17"}, folder.path());
  const Json plug_in = json_of({"predict", "m.ardvark", test, "--rule", "plug-in", "--json"}, folder.path());
  const std::string line = exact.substr(exact.find('\n') + 1);
  const double probability = std::stod(line), log_odds = std::stod(line.substr(line.find("s,") + 2));
  EXPECT_NEAR(plug_in["probability"][0].get<double>(), 1 / (1 + std::exp(-log_odds)), 1e-12);
  EXPECT_LT(std::abs(probability - 0.5), std::abs(plug_in["probability"][0].get<double>() - 0.5));  // less sure
}

TEST(FitLaplace, ThePresetIsItAtGammaOneAndTakesAnother) {
  const Arguments preset = {"fit", pima, "--target", "type", "--preset", "l1_slr_c", "--json"};
  EXPECT_EQ(json_of(preset)["mean"], json_of(laplace + Arguments{"--lambda", "1", "--json"})["mean"]);
  EXPECT_EQ(json_of(preset + Arguments{"--lambda", "6"})["mean"], json_of(laplace + Arguments{"--lambda", "6", "--json"})["mean"]);
  const Json compat = json_of(preset + Arguments{"--compat", "--max-sweeps", "20"});
  EXPECT_EQ(compat["sweeps"], 20);
  EXPECT_EQ(compat["compat"], true);
}

TEST(FitLaplace, RefusesWithTheWordsOfTheProgram) {
  const TemporaryFolder folder;
  const auto refused = [&](const Arguments& arguments, std::initializer_list<const char*> pieces) {
    expect_refused(arguments, folder, 2, pieces);
  };
  refused(laplace + Arguments{"--lambda", "6", "--path", "p.csv"}, {"--path", "without --lambda"});
  refused(laplace + Arguments{"--lambda", "6", "--lambda-rule", "1se"}, {"--lambda-rule", "without --lambda"});
  refused(laplace + Arguments{"--lambda-rule", "max"}, {"--lambda-rule is 'max'", "1se, min"});
  refused(laplace + Arguments{"--folds", "1"}, {"--folds is 1", "at least 2"});
  refused(laplace + Arguments{"--lambda", "-1"}, {"--lambda is -1", "> 0"});
  refused(laplace + Arguments{"--lambda", "0"}, {"--lambda is 0", "> 0"});
  refused(laplace + Arguments{"--lambda", "nan"}, {"--lambda is nan"});
  refused(laplace + Arguments{"--lambda", "1", "--a0", "2"}, {"--a0", "--prior laplace"});
  refused(laplace + Arguments{"--lambda", "1", "--group", "a=glu,bp"}, {"--group", "--prior laplace"});
  refused(laplace + Arguments{"--lambda", "1", "--likelihood", "jj"}, {"--likelihood", "--prior laplace"});
  refused(laplace + Arguments{"--lambda", "1", "--solver", "dual"}, {"--solver", "--prior laplace"});
  refused(logistic + Arguments{"--lambda", "1"}, {"--lambda", "--prior laplace"});
  refused(logistic + Arguments{"--prior", "ard", "--lambda", "1"}, {"--lambda", "--prior laplace"});
  refused({"fit", pima, "--target", "type", "--model", "rvm", "--lambda", "1"}, {"--lambda", "rvm"});
  refused({"fit", pima, "--target", "type", "--preset", "vb_logit_fit", "--lambda", "1"}, {"--lambda", "l1_slr_c"});
  refused({"fit", pima, "--target", "type", "--preset", "l1_slr_c", "--a0", "1"}, {"--a0", "l1_slr_c"});
  refused({"fit", pima, "--target", "type", "--preset", "l1_slr_c", "--solver", "primal"}, {"--solver", "l1_slr_c"});
  refused({"fit", pima, "--target", "type", "--preset", "l1_slr_c", "--compat", "--tolerance", "1e-3"}, {"--tolerance", "passes"});
}

TEST(FitLaplace, TextColumnsAreColumnsLikeOthers) {
  const TemporaryFolder folder;
  std::string text = "x,colour,y\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{},{},{}\n", (i * 37) % 19, i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "blue", (i * 7) % 11 > 4 ? "b" : "a");
  write_bytes(folder / "t.csv", text);
  const Json json =
      json_of({"fit", "t.csv", "--target", "y", "--model", "logistic", "--prior", "laplace", "--lambda", "0.5", "--json"}, folder.path());
  EXPECT_EQ(json["columns"].size(), 3u);
  EXPECT_EQ(json["status"], "converged");
}

TEST(FitLaplace, ChoosesLambdaAndWritesThePath) {
  const TemporaryFolder folder;
  const Json json = json_of(laplace + Arguments{"--json", "--path", "p.csv", "-o", "m.ardvark"}, folder.path());
  const Json& path = json["lambda_path"];
  EXPECT_NEAR(path["lambda"][0].get<double>(), 45.3983, 1e-3);  // max |x'(t - 68/200)| over the standardised columns, by R
  EXPECT_EQ(json["lambda"], path["lambda_min"]);
  EXPECT_EQ(json_of(laplace + Arguments{"--json", "--lambda-rule", "1se"})["lambda"], path["lambda_1se"]);
  const std::vector<std::string> lines = testing::lines_of(testing::read_bytes(folder / "p.csv"));
  ASSERT_EQ(lines.size(), 51u);
  EXPECT_EQ(lines[0], "lambda,loss,loss_error,nonzero,(intercept),npreg,glu,bp,skin,bmi,ped,age");
  for (std::size_t i = 0; i < 50; ++i) {
    const std::vector<std::string> fields = testing::fields_of(lines[i + 1]);
    EXPECT_EQ(std::stod(fields[1]), path["loss"][i]);
    EXPECT_EQ(std::stod(fields[4]), path["intercept"][i]);
    EXPECT_EQ(std::stod(fields[5]), path["mean"][i][0]);
    if (std::stod(fields[0]) == json["lambda"]) {
      EXPECT_NEAR(std::stod(fields[4]), json["intercept"]["mean"].get<double>(), 1e-6);
      EXPECT_NEAR(std::stod(fields[6]), json["mean"][1].get<double>(), 1e-9);
    }
  }
  // The file of the model has the path, with its coefficients.
  const Json shown = json_of({"show", "m.ardvark", "--json"}, folder.path());
  EXPECT_EQ(shown["lambda_path"]["loss"], path["loss"]);
  EXPECT_EQ(shown["lambda_path"], path);
  output_of(laplace + Arguments{"--no-intercept", "-q", "--path", "p.csv"}, folder.path());
  EXPECT_TRUE(testing::read_bytes(folder / "p.csv").starts_with("lambda,loss,loss_error,nonzero,npreg,glu"));
}

TEST(FitLaplace, ServesNumbersAndSeveralClasses) {
  const TemporaryFolder folder;
  const Arguments boston = {"fit", testing::example_path("Boston.csv"), "--target", "medv", "--model", "linear", "--prior", "laplace"};
  const Json json = json_of(boston + Arguments{"--json"});
  EXPECT_EQ(json["status"], "converged");
  EXPECT_TRUE(contains(output_of(boston), "by 10-fold cross-validation"));
  std::string text = "x,z,k\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{},{},{}\n", (i * 37) % 60 + i % 3 * 20, (i * 7) % 11, std::string(1, static_cast<char>('a' + i % 3)));
  testing::write_bytes(folder / "k.csv", text);
  const Json classes =
      json_of({"fit", "k.csv", "--target", "k", "--model", "logistic", "--prior", "laplace", "--json", "--path", "p.csv"}, folder.path());
  ASSERT_EQ(classes["lambda_path"].size(), 3u);
  EXPECT_EQ(classes["lambda"][2], classes["lambda_path"][2]["lambda_min"]);
  const std::vector<std::string> lines = testing::lines_of(testing::read_bytes(folder / "p.csv"));
  ASSERT_EQ(lines.size(), 151u);
  EXPECT_EQ(lines[0], "class,lambda,loss,loss_error,nonzero,(intercept),x,z");
  EXPECT_EQ(std::stod(testing::fields_of(lines[53])[5]), classes["lambda_path"][1]["intercept"][2]);
}

}  // namespace
}  // namespace ardvark
