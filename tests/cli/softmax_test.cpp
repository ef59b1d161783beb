// ardvark fit, predict and show with more than two classes.
#include "ardvark/softmax.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/random_problem.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::json_of;
using testing::lines_of;
using testing::output_of;
using testing::write_bytes;

// Three classes of a text column, which a number and a category tell apart.
class SoftmaxCommand : public ::testing::Test {
 protected:
  SoftmaxCommand() {
    testing::Random random(1);
    std::string csv = "x,noise,kind,y\n", coded = "x,noise,y\n";
    X.resize(90, 2);
    y.resize(90);
    for (Index i = 0; i < 90; ++i) {
      X(i, 0) = random.normal();
      X(i, 1) = random.normal();
      const double score = X(i, 0) + 0.4 * random.normal();
      y[i] = score < -0.5 ? 1 : score > 0.5 ? 0 : 2;  // in the order of the names: big, middle, small
      const char* names[] = {"\"big, really\"", "middle", "small"};
      csv += fmt::format("{},{},{},{}\n", X(i, 0), X(i, 1), i % 2 == 0 ? "a" : "b", names[static_cast<int>(y[i])]);
      coded += fmt::format("{},{},{}\n", X(i, 0), X(i, 1), y[i] + 3);
    }
    write_bytes(folder_ / "t.csv", csv);
    write_bytes(folder_ / "n.csv", coded);
  }
  testing::TemporaryFolder folder_;
  Matrix X;
  Vector y;
};

TEST_F(SoftmaxCommand, FitsPredictsAndShowsTextClasses) {
  const std::string table =
      output_of({"fit", "t.csv", "--target", "y", "--model", "logistic", "--prior", "shared", "-o", "m.ardvark"}, folder_.path());
  EXPECT_TRUE(contains(table, "3 classes: big, really"));
  EXPECT_TRUE(contains(table, "kind=b"));
  EXPECT_TRUE(contains(table, "log evidence"));
  const std::string shown = output_of({"show", "m.ardvark"}, folder_.path());
  EXPECT_EQ(shown, table.substr(0, shown.size()));
  const std::vector<std::string> lines = lines_of(output_of({"predict", "m.ardvark", "t.csv"}, folder_.path()));
  EXPECT_EQ(lines.at(0), "\"probability_big, really\",probability_middle,probability_small,class");
  const Json p = json_of({"predict", "m.ardvark", "t.csv"}, folder_.path());
  ASSERT_EQ(p["probability"].size(), 3u);  // a list for each class
  ASSERT_EQ(p["probability"][0].size(), 90u);
  EXPECT_EQ(p["classes"], (Json{"big, really", "middle", "small"}));
  for (std::size_t i = 0; i < 90; ++i) {
    double sum = 0;
    for (const Json& list : p["probability"]) sum += list[i].get<double>();
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST_F(SoftmaxCommand, IsFitSoftmax) {
  SoftmaxOptions options;
  options.prior = Prior::ard();
  const SoftmaxFit fit = fit_softmax(X, y, options);
  const Json j = json_of({"fit", "n.csv", "--target", "y", "--model", "logistic", "--prior", "ard", "-o", "m.ardvark"}, folder_.path());
  EXPECT_EQ(j["classes"], (Json{"3", "4", "5"}));
  EXPECT_EQ(j["status"], "converged");
  ASSERT_EQ(j["mean"].size(), 3u);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(j["mean"][c][k].get<double>(), fit.mean(static_cast<Index>(k), static_cast<Index>(c)), 1e-9);
  EXPECT_NEAR(j["bound"].get<double>(), fit.bound, 1e-8);
  const Json p = json_of({"predict", "m.ardvark", "n.csv"}, folder_.path()),
             plain = json_of({"predict", "m.ardvark", "n.csv", "--rule", "plug-in"}, folder_.path());
  EXPECT_NEAR(p["probability"][1][7].get<double>(), predict(fit, X).probability(7, 1), 1e-9);
  EXPECT_NEAR(plain["probability"][1][7].get<double>(), predict(fit, X, ClassRule::plug_in).probability(7, 1), 1e-9);
  EXPECT_EQ(json_of({"show", "m.ardvark"}, folder_.path())["mean"], j["mean"]);
}

TEST_F(SoftmaxCommand, TakesThePresetsOfSeveralClasses) {
  for (const std::string preset : {"smlr", "rmlr", "slr_lap_ovr", "slr_var_ovr", "rlr_var_ovr", "slr_var_ovo"}) {
    const Json j = json_of({"fit", "n.csv", "--target", "y", "--preset", preset, "--compat", "--max-sweeps", "7"}, folder_.path());
    EXPECT_EQ(j["preset"], preset);
    EXPECT_EQ(j["sweeps"], 7);
    EXPECT_GE(j["accuracy"].get<double>(), 0.6) << preset;
  }
}

// Many pairs: what they say takes a line, and the status says how many have not converged.
TEST_F(SoftmaxCommand, SummarisesManyRegressions) {
  testing::Random random(4);
  std::string csv = "a,b,c,y\n";
  for (int i = 0; i < 160; ++i) csv += fmt::format("{},{},{},c{}\n", random.normal() + i % 8, random.normal(), i % 16 < 8 ? 1 : 0, i % 8);
  write_bytes(folder_ / "many.csv", csv);
  const testing::Arguments fit = {"fit", "many.csv", "--target", "y", "--preset", "slr_var_ovo"};
  const Json few = json_of(fit + testing::Arguments{"--max-sweeps", "3"}, folder_.path());
  EXPECT_EQ(few["status"], "max_sweeps");
  EXPECT_TRUE(contains(few["message"], " of 28 logistic regressions did not converge; the first, c")) << few["message"];
  EXPECT_LE(few["notes"].size() + few["warnings"].size(), 8u) << few["notes"];
  const Json published = json_of(fit + testing::Arguments{"--compat", "--max-sweeps", "400"}, folder_.path());
  EXPECT_FALSE(contains(published["message"], "has converged")) << published["message"];
}

TEST_F(SoftmaxCommand, SaysWhichLevelsOfATextColumnPartWays) {
  testing::Random random(5);
  std::string csv = "x,kind,y\n";
  for (int i = 0; i < 300; ++i) {
    const int kind = i % 4, label = kind == 2 && random.uniform() < 0.9 ? 1 : random.uniform() < 0.3 ? 1 : 0;
    csv += fmt::format("{},{},{}\n", random.normal(), "abcd"[kind], label);
  }
  write_bytes(folder_ / "levels.csv", csv);
  const auto notes = [&](const testing::Arguments& model) {
    return json_of(testing::Arguments{"fit", "levels.csv", "--target", "y"} + model, folder_.path())["notes"].dump();
  };
  for (const testing::Arguments& each :
       {testing::Arguments{"--preset", "slr_lap"}, {"--preset", "smlr"}, {"--model", "logistic", "--prior", "laplace", "--lambda", "15"}})
    EXPECT_TRUE(contains(notes(each), "the levels of text column 'kind' are judged separately")) << notes(each);
  EXPECT_FALSE(contains(notes({"--model", "logistic", "--prior", "ard"}), "judged separately"));
}

// As the table has them: the variances of the weights and, last of each class, of the intercept; 'show' prints what 'fit' does.
TEST_F(SoftmaxCommand, PrintsTheJointCovariance) {
  for (const testing::Arguments& model : {testing::Arguments{"--model", "logistic"}, {"--preset", "slr_lap_ovr"}}) {
    const testing::Arguments fit = testing::Arguments{"fit", "n.csv", "--target", "y", "-o", "m.ardvark", "--json", "--covariance"} + model;
    const std::string printed = output_of(fit, folder_.path());
    EXPECT_EQ(output_of({"show", "m.ardvark", "--json", "--covariance"}, folder_.path()), printed);
    const Json json = Json::parse(printed);
    const auto &mean = json["mean"], &covariance = json["covariance"];
    const std::size_t p = mean[0].size(), q = p + 1;
    ASSERT_EQ(covariance.size(), mean.size() * q);
    for (std::size_t k = 0; k < mean.size(); ++k)
      for (std::size_t j = 0; j < q; ++j) {
        const double variance = (j < p ? json["variance"][k][j] : json["intercept"]["variance"][k]).get<double>();
        ASSERT_EQ(covariance[k * q + j].size(), mean.size() * q);
        EXPECT_NEAR(covariance[k * q + j][k * q + j].get<double>(), variance, 1e-9 * variance);
        for (std::size_t i = 0; i < covariance.size(); ++i)
          EXPECT_NEAR(covariance[k * q + j][i].get<double>(), covariance[i][k * q + j].get<double>(), 1e-12 * variance);
      }
    if (model.front() != "--model") continue;
    for (std::size_t j = 0; j < q; ++j)  // the weights of a softmax sum to zero over the classes
      for (std::size_t i = 0; i < covariance.size(); ++i) {
        double sum = 0, largest = 0;
        for (std::size_t k = 0; k < mean.size(); ++k) {
          const double entry = covariance[k * q + j][i].get<double>();
          sum += entry;
          largest = std::max(largest, std::abs(entry));
        }
        EXPECT_NEAR(sum, 0, 1e-9 * largest);
      }
  }
  output_of({"fit", "n.csv", "--target", "y", "--model", "logistic", "-o", "m.ardvark"}, folder_.path());
  expect_refused({"show", "m.ardvark", "--covariance"}, folder_, 2, {"--covariance needs --json"});
}

// Without an intercept nothing is left to fit; the program ended by a segmentation fault. Then all classes are as probable.
TEST_F(SoftmaxCommand, PredictsEqualSharesWhereNothingIsLeftToFit) {
  write_bytes(folder_ / "zeros.csv", "x,y\n0,a\n0,b\n0,c\n0,a\n0,b\n0,c\n");
  for (const testing::Arguments& model :
       {testing::Arguments{"--model", "logistic", "--prior", "shared"}, {"--preset", "smlr"}, {"--preset", "rmlr"}}) {
    const Json fit =
        json_of(testing::Arguments{"fit", "zeros.csv", "--target", "y", "--no-intercept", "-o", "m.ardvark"} + model, folder_.path());
    EXPECT_NEAR(fit["log_loss"].get<double>(), std::log(3.0), 1e-12);
    EXPECT_EQ(output_of({"show", "m.ardvark"}, folder_.path()).empty(), false);
    const Json p = json_of({"predict", "m.ardvark", "zeros.csv"}, folder_.path());
    for (const Json& list : p["probability"])
      for (const Json& value : list) EXPECT_NEAR(value.get<double>(), 1.0 / 3, 1e-15);
  }
}

TEST_F(SoftmaxCommand, SaysWhatIsWrong) {
  const auto refused = [&](const testing::Arguments& arguments, std::initializer_list<const char*> pieces) {
    expect_refused(arguments, folder_, 2, pieces);
  };
  refused({"fit", "n.csv", "--target", "x", "--model", "logistic"}, {"'x'", "90 different numbers", "--model linear", "--categorical x"});
  refused({"fit", "n.csv", "--target", "y", "--preset", "slr_lap"}, {"3 classes", "slr_lap", "smlr"});
  refused({"fit", "n.csv", "--target", "y", "--model", "logistic", "--likelihood", "jj"}, {"--likelihood", "two classes"});
  refused({"fit", "n.csv", "--target", "y", "--preset", "smlr", "--a0", "1"}, {"--a0", "smlr"});
  output_of({"fit", "n.csv", "--target", "y", "--model", "logistic", "-q", "-o", "m.ardvark"}, folder_.path());
  refused({"predict", "m.ardvark", "n.csv", "--rule", "mackay"}, {"mackay", "several classes"});
}

}  // namespace
}  // namespace ardvark
