// fit --preset slr_var and friends, and what predict and show make of their files.
#include <gtest/gtest.h>

#include <cmath>

#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/relevance.hpp"
#include "program.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_refused;
using testing::Json;
using testing::json_of;
using testing::output_of;
using testing::Sample;
using testing::sample;
using testing::write_bytes;
using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

const Arguments data = {"fit", "data.csv", "--target", "label", "--ignore", "y"};

class SlrCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    write_bytes(folder_ / "data.csv", data_.csv());
    write_bytes(folder_ / "new.csv", fresh_.csv());
  }
  [[nodiscard]] Json json(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }
  void run(const Arguments& arguments) const { static_cast<void>(output_of(arguments, folder_.path())); }

  testing::TemporaryFolder folder_;
  Sample data_ = sample(40, 60), fresh_ = sample(9, 60, 2);
};

Numbers numbers(const Vector& v) { return {v.begin(), v.end()}; }

TEST_F(SlrCommand, SaysWhatWasPrunedWhen) {
  for (const bool compat : {false, true}) {
    const Arguments flags = compat ? Arguments{"--compat", "--max-sweeps", "25"} : Arguments{};
    const Json j = json(data + Arguments{"--preset", "slr_var"} + flags);
    FitOptions options = options_for_preset("slr_var", compat);
    if (compat) options.max_sweeps = 25;
    const LogisticFit fit = fit_logistic(data_.view(), data_.labels, options);
    EXPECT_EQ(j["standardized_mean"].get<Numbers>(), numbers(fit.standardized_mean));
    ASSERT_EQ(j["pruning"].size(), fit.report.pruning.size());
    ASSERT_FALSE(j["pruning"].empty());
    Names left = j["relevant"].get<Names>();
    for (const Json& event : j["pruning"]) {
      for (const Json& name : event["pruned"])
        if (name != "(intercept)") left.push_back(name);
      for (const Json& name : event["readmitted"]) left.erase(std::find(left.begin(), left.end(), name));
    }
    EXPECT_EQ(left.size(), 60U);  // each column is kept, or left
    EXPECT_EQ(j["sweeps"], compat ? 25 : fit.report.sweeps);
  }
  const std::string table = output_of(data + Arguments{"--preset", "slr_var", "--verbose"}, folder_.path());
  EXPECT_TRUE(contains(table, "columns left the computation, sweep 1 to ") || contains(table, "columns left the computation, sweep 2 to "))
      << table;
}

TEST_F(SlrCommand, ReadsBackWhatItWrote) {
  for (const char* preset : {"slr_var", "slr_lap", "rlr_var", "rlr_lap", "l1_slr_lap"})
    for (const bool compat : {false, true}) {
      SCOPED_TRACE(preset);
      run(data + Arguments{"--preset", preset, "-q", "-o", "m.ardvark"} + (compat ? Arguments{"--compat"} : Arguments{}));
      const LogisticFit fit = fit_logistic(data_.view(), data_.labels, options_for_preset(preset, compat));
      for (const char* rule : {"automatic", "plug-in", "exact", "mackay"}) {
        const PredictiveRule of_name = rule == std::string("plug-in")  ? PredictiveRule::plug_in
                                       : rule == std::string("exact")  ? PredictiveRule::exact
                                       : rule == std::string("mackay") ? PredictiveRule::plug_in_corrected
                                                                       : PredictiveRule::automatic;
        const Json j = json({"predict", "m.ardvark", "new.csv", "--rule", rule});
        EXPECT_EQ(j["probability"].get<Numbers>(), numbers(predict(fit, fresh_.view(), of_name).probability)) << rule;
      }
      const SavedModel model = load_model(folder_ / "m.ardvark");
      EXPECT_EQ(model.score()->covariance(), fit.covariance());
      EXPECT_EQ(model.score()->standardized_mean, fit.standardized_mean);
      EXPECT_EQ(model.score()->precision, fit.precision);
      const Json shown = json({"show", "m.ardvark", "--json"});
      const Json fitted = json(data + Arguments{"--preset", preset} + (compat ? Arguments{"--compat"} : Arguments{}));
      for (const char* key : {"pruning", "relevant", "mean", "standardized_mean", "precision"}) EXPECT_EQ(shown[key], fitted[key]) << key;
    }
}

TEST_F(SlrCommand, TakesTheKernelOfSlrRvm) {
  struct Kind {
    Arguments options;
    Kernel kernel;
    bool compat;
  };
  const std::vector<Kind> kinds = {{{}, Kernel::linear(), false},
                                   {{"--kernel", "gaussian", "--width", "3"}, Kernel::gaussian(3), false},
                                   {{"--compat"}, Kernel::linear(), true},
                                   // R = 1.5 of exp(-R |x-c|^2/D)
                                   {{"--compat", "--kernel", "gaussian", "--width", "1.5"}, Kernel::gaussian(std::sqrt(60 / 1.5)), true}};
  for (const Kind& kind : kinds) {
    const Json fitted = json(data + Arguments{"--preset", "slr_rvm", "--max-sweeps", "200", "-o", "m.ardvark"} + kind.options);
    RelevanceOptions options;
    options.algorithm = RelevanceAlgorithm::pruned;
    options.compat = kind.compat;
    options.search = KernelSearch::none;
    options.kernel = kind.kernel;
    options.max_sweeps = 200;
    const RelevanceClassification fit = fit_relevance_classification(data_.view(), data_.labels, options);
    EXPECT_EQ(fitted["algorithm"], "pruned");
    EXPECT_EQ(fitted["num_vectors"], fit.num_vectors());
    EXPECT_LT(fit.num_vectors(), 40);
    const Json j = json({"predict", "m.ardvark", "new.csv"}), plug_in = json({"predict", "m.ardvark", "new.csv", "--rule", "plug-in"});
    EXPECT_EQ(j["probability"].get<Numbers>(), numbers(predict(fit, fresh_.view()).probability.col(1)));
    EXPECT_EQ(plug_in["probability"].get<Numbers>(), numbers(predict(fit, fresh_.view(), PredictiveRule::plug_in).probability.col(1)));
    EXPECT_EQ(j["probability"] == plug_in["probability"], kind.compat);
    const Json exact = json({"predict", "m.ardvark", "new.csv", "--rule", "exact"});
    EXPECT_EQ(exact["probability"].get<Numbers>(), numbers(predict(fit, fresh_.view(), PredictiveRule::exact).probability.col(1)));
    EXPECT_NE(exact["probability"], plug_in["probability"]);
    expect_refused({"predict", "m.ardvark", "new.csv", "--rule", "published"}, folder_, 2, {"published", "exact, plug-in"});
    static_cast<void>(output_of({"show", "m.ardvark"}, folder_.path()));
  }
}

TEST_F(SlrCommand, TakesLambda) {
  const Json weak = json(data + Arguments{"--preset", "l1_slr_lap", "--lambda", "0.3"});
  const Json strong = json(data + Arguments{"--preset", "l1_slr_lap", "--lambda", "3"});
  EXPECT_GT(weak["relevant"].size(), strong["relevant"].size());
  // With compat it is the square: the published gamma1.
  FitOptions options = options_for_preset("l1_slr_lap", true);
  options.prior.lambda = 4;
  options.max_sweeps = 5;
  const LogisticFit fit = fit_logistic(data_.view(), data_.labels, options);
  for (Index j = 0; j < 60; ++j) EXPECT_NEAR(fit.precision[j] * std::abs(fit.standardized_mean[j]), 2, 1e-12);
}

// What the number is, and under which prior: a bound, an approximation, or a density at the mode.
TEST_F(SlrCommand, NamesThePriorAndTheEvidence) {
  const std::vector<std::pair<Arguments, std::vector<const char*>>> expected = {
      {{"slr_var"}, {"prior ard,", "log evidence          at least "}},
      {{"slr_lap"}, {"prior ard,", "log evidence          about "}},
      {{"rlr_lap"}, {"prior shared,", "log evidence          about "}},
      {{"l1_slr_lap"}, {"prior laplace (lambda 1)", "log density at mode"}},
      {{"l1_slr_lap", "--compat", "--lambda", "4"}, {"prior laplace (lambda 2)", "penalised likelihood"}},
      {{"slr_lap_ovr"}, {"log evidence          about "}},
      {{"slr_var_ovr"}, {"log evidence          at least "}},
      {{"slr_var_ovo"}, {"log evidence          at least "}}};
  for (const auto& [preset, pieces] : expected) {
    const std::string text = output_of(data + Arguments{"--preset"} + preset + Arguments{"-o", "m.ardvark"}, folder_.path());
    EXPECT_TRUE(output_of({"show", "m.ardvark"}, folder_.path()) + "model                 m.ardvark\n" == text) << text;
    for (const char* piece : pieces) EXPECT_TRUE(contains(text, piece)) << piece << "\n" << text;
  }
  const Json j = json(data + Arguments{"--preset", "l1_slr_lap"});
  EXPECT_EQ(j["prior"], "laplace");
  EXPECT_EQ(j["lambda"], 1);
  EXPECT_EQ(j["likelihood"], "laplace");
  EXPECT_EQ(j["standardized_mean"].size(), 61U);
}

TEST_F(SlrCommand, RefusesWhatMakesNoSense) {
  const auto refused = [&](const Arguments& options, std::initializer_list<const char*> pieces) {
    expect_refused(data + options, folder_, 2, pieces);
  };
  refused({"--preset", "slr_var", "--lambda", "2"}, {"--lambda", "l1_slr_lap"});
  refused({"--model", "logistic", "--lambda", "2"}, {"--lambda", "l1_slr_lap"});
  refused({"--preset", "l1_slr_lap", "--lambda", "0"}, {"lambda", "0"});
  refused({"--preset", "slr_lap", "--a0", "2"}, {"--a0", "slr_lap"});
  refused({"--preset", "slr_lap", "--prior", "ard"}, {"--prior"});
  refused({"--preset", "slr_var", "--kernel", "gaussian"}, {"--kernel", "slr_rvm"});
  refused({"--preset", "slr_rvm", "--compat", "--kernel", "gaussian"}, {"--width", "auto"});
  refused({"--preset", "slr_rvm", "--compat", "--kernel", "spline"}, {"--kernel", "spline"});
  refused({"--preset", "slr_rvm", "--algorithm", "plain"}, {"--algorithm", "--preset"});
  refused({"--preset", "slr_rvm", "--width", "2"}, {"--width"});
  expect_refused({"fit", "data.csv", "--target", "y", "--ignore", "label", "--preset", "slr_var"}, folder_, 2, {"y", "classes"});
}

}  // namespace
}  // namespace ardvark
