// fit --model counts, predict, show, and what they refuse.
#include "ardvark/counts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "ardvark/model.hpp"
#include "fit_command.hpp"
#include "support/draw_target.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::contains;
using testing::expect_same_fit;
using testing::FitCommand;
using testing::Json;
using testing::json_of;
using testing::Numbers;
using testing::output_of;
using testing::Random;
using testing::run;

struct CountTable {
  testing::Sample::RowMajor X;  // as a table lies in memory
  Vector y;
  CountTable() {
    Random random(3);
    X = random.normals(80, 2);
    y = testing::draw_target(Task::counts, (0.6 * X.col(0)).array() + 1.0, random);
  }
  [[nodiscard]] std::string csv(const std::string& last = "") const {
    std::string text = "dose,age,visits\n";
    for (Index i = 0; i < y.size(); ++i)
      text += fmt::format("{},{},{}\n", X(i, 0), X(i, 1), i + 1 == y.size() && !last.empty() ? last : fmt::format("{}", y[i]));
    return text;
  }
};

const Arguments counts = {"fit", "data.csv", "--target", "visits", "--model", "counts"};

TEST_F(FitCommand, FitsCountsAsTheLibraryDoes) {
  const CountTable table;
  put(table.csv());
  for (const auto& [name, prior] : {std::pair{"sparse", Prior::sparse()},
                                    {"shared", Prior::shared()},
                                    {"ard", Prior::ard()},
                                    {"none", Prior::none()},
                                    {"auto", Prior::automatic()}}) {
    const Json json = fitted(counts + Arguments{"--prior", name});
    const CountFit fit = fit_counts(table.X, table.y, {.prior = prior});
    EXPECT_EQ(json["task"], "counts");
    expect_same_fit(json, fit);
    EXPECT_EQ(json["deviance"].get<double>(), fit.deviance);
    EXPECT_EQ(json["deviance_explained"].get<double>(), fit.deviance_explained);
    for (const char* none : {"noise", "classes", "accuracy", "r_squared", "odds_ratio"}) EXPECT_FALSE(json.contains(none)) << none;
  }
}

TEST_F(FitCommand, AnExposureIsAColumnThatNewRowsHave) {  // (POIS.8)
  put("visits,days,dose\n3,1,0.2\n9,2,0.1\n2,1,-0.7\n12,4,-0.4\n5,1,1.1\n1,1,-1.2\n14,3,0.5\n6,2,-0.3\n");
  const std::string said = output_of(counts + Arguments{"--exposure", "days", "--prior", "shared", "-o", "m.ardvark"}, folder_.path());
  EXPECT_TRUE(contains(said, "column 'days' is the exposure: rates are per unit of it")) << said;
  const Json json = fitted(counts + Arguments{"--exposure", "days", "--prior", "shared"});
  EXPECT_EQ(json["exposure"], "days");
  put("dose,days\n0.3,1\n0.3,10\n", "new.csv");
  const Numbers mean = json_of({"predict", "m.ardvark", "new.csv", "--json"}, folder_.path())["mean"].get<Numbers>();
  EXPECT_NEAR(mean[1], 10 * mean[0], 1e-12 * mean[1]);
  put("dose\n0.3\n", "new.csv");
  EXPECT_TRUE(contains(run({"predict", "m.ardvark", "new.csv"}, folder_.path()).err, "'days'"));
  put("dose,days\n0.3,1\n0.3,0\n", "new.csv");
  const auto refused = run({"predict", "m.ardvark", "new.csv"}, folder_.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "row 2") && contains(refused.err, "column 'days' is 0; the exposure must be above 0")) << refused.err;
}

TEST_F(FitCommand, AnOffsetIsAColumnThatNewRowsHave) {  // (POIS.9)
  put("visits,log_days,dose\n3,0,0.2\n9,0.7,0.1\n2,0,-0.7\n12,1.4,-0.4\n5,0,1.1\n1,0,-1.2\n14,1.1,0.5\n6,0.7,-0.3\n");
  const Arguments offset = {"--offset-column", "log_days", "--prior", "shared"};
  const std::string said = output_of(counts + offset + Arguments{"-o", "m.ardvark"}, folder_.path());
  EXPECT_TRUE(contains(said, "column 'log_days' is the offset: it is added to the linear predictor")) << said;
  EXPECT_EQ(fitted(counts + offset)["offset_column"], "log_days");
  put("dose,log_days\n0.3,0\n0.3,2\n", "new.csv");
  const Numbers mean = json_of({"predict", "m.ardvark", "new.csv", "--json"}, folder_.path())["mean"].get<Numbers>();
  EXPECT_NEAR(mean[1], std::exp(2.0) * mean[0], 1e-12 * mean[1]);
  put("dose\n0.3\n", "new.csv");
  EXPECT_TRUE(contains(run({"predict", "m.ardvark", "new.csv"}, folder_.path()).err, "'log_days'"));
  const auto both = run(counts + offset + Arguments{"--exposure", "dose"}, folder_.path());
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_TRUE(contains(both.err, "--offset-column cannot be given beside exposure")) << both.err;
}

TEST_F(FitCommand, AnOffsetOfEachRowIsAskedFor) {
  const CountTable table;
  const Vector offset = Vector::Constant(80, 0.5);
  const ModelOptions options{.model = "counts", .prior = "shared", .row_offset = {offset.begin(), offset.end()}};
  save_model(folder_.path() + "/m.ardvark", fit_model(table.X, table.y, options));
  put("x1,x2\n0.3,1\n", "new.csv");
  const auto refused = run({"predict", "m.ardvark", "new.csv"}, folder_.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "fit again with --offset-column")) << refused.err;
}

TEST_F(FitCommand, CountsInPiecesGiveTheFitInMemory) {  // (PASS.10)
  Random random(4);
  std::string text = "dose,days,group,visits\n";
  for (Index i = 0; i < 12000; ++i) {
    const double dose = random.normal(), days = random.uniform(1, 30);
    const Vector eta = Vector::Constant(1, 0.4 * dose - 1 + std::log(days));
    text += fmt::format("{},{},{},{}\n", dose, days, "abc"[i % 3], testing::draw_target(Task::counts, eta, random)[0]);
  }
  put(text);
  for (const char* family : {"poisson", "negative-binomial", "auto"})
    for (const char* prior : {"shared", "ard", "none"}) {
      const Arguments all = counts + Arguments{"--exposure", "days", "--prior", prior, "--family", family, "--tolerance", "1e-14"};
      const Json memory = fitted(all), pieces = fitted(all + Arguments{"--stream", "always"});
      EXPECT_EQ(pieces["status"], "converged");
      EXPECT_EQ(pieces["exposure"], "days");
      EXPECT_EQ(pieces["family"], memory["family"]);
      EXPECT_EQ(pieces.contains("other_family"), memory.contains("other_family"));
      const Numbers mean = memory["mean"].get<Numbers>(), found = pieces["mean"].get<Numbers>();
      for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(found[j], mean[j], 1e-8) << family << prior << j;
      // In memory, ln k ends where a step gains less than 1e-13 nats a row (NB.4): 5e-5 of its standard deviation, and 2e-5 of both fits.
      const double k = memory.value("dispersion", 0.0);
      const Numbers interval = memory.value("dispersion_interval", Numbers{1, 1});
      const double of_k = 7e-5 * std::log(interval[1] / interval[0]) / 3.92;
      EXPECT_NEAR(pieces.value("dispersion", 0.0), k, of_k * k);
      EXPECT_NEAR(pieces["deviance"].get<double>(), memory["deviance"].get<double>(), 1e-9 + of_k);
    }
}

TEST_F(FitCommand, RefusesWhatIsNoExposure) {
  const CountTable table;
  put(table.csv());
  const auto error = [&](const Arguments& more) { return run(counts + more, folder_.path()).err; };
  EXPECT_TRUE(contains(error({"--exposure", "age"}), "column 'age' is -")) << error({"--exposure", "age"});
  EXPECT_TRUE(contains(error({"--exposure", "days"}), "'days'"));
  EXPECT_TRUE(contains(error({"--exposure", "visits"}),
                       "is not a column of numbers of the table, target, weights and ignored columns apart; "
                       "it has 'dose', 'age'"));
  EXPECT_TRUE(contains(error({"--exposure="}), "--exposure is empty"));
  put("dose,age,visits\n1,1,3\n2,,4\n");
  EXPECT_FALSE(contains(error({}), "impute")) << error({});
  const std::string other = run({"fit", "data.csv", "--target", "visits", "--model", "linear", "--exposure", "age"}, folder_.path()).err;
  EXPECT_TRUE(contains(other, "--exposure applies only to --model counts")) << other;
}

TEST_F(FitCommand, PredictsCountsFromAFile) {
  const CountTable table;
  put(table.csv());
  (void)output_of(counts + Arguments{"--prior", "shared", "-o", "m.ardvark"}, folder_.path());
  const CountFit fit = fit_counts(table.X, table.y, {.prior = Prior::shared()});
  const CountPrediction expected = predict(fit, table.X);
  const auto [lower, upper] = expected.interval();
  const Json found = json_of({"predict", "m.ardvark", "data.csv", "--json"}, folder_.path());
  EXPECT_EQ(found["mean"].get<Numbers>(), Numbers(expected.mean.begin(), expected.mean.end()));
  EXPECT_EQ(found["lower"].get<Numbers>(), Numbers(lower.begin(), lower.end()));
  EXPECT_EQ(found["upper"].get<Numbers>(), Numbers(upper.begin(), upper.end()));
  EXPECT_GT(found["score"]["r_squared"].get<double>(), 0.2);
  EXPECT_GE(found["score"]["coverage"].get<double>(), 0.9);
  const auto of_mean = predict(fit, table.X, PredictionOf::mean).interval();
  const Json mean = json_of({"predict", "m.ardvark", "data.csv", "--json", "--interval", "mean"}, folder_.path());
  EXPECT_EQ(mean["lower"].get<Numbers>(), Numbers(of_mean.first.begin(), of_mean.first.end()));
  const std::string printed = output_of({"predict", "m.ardvark", "data.csv"}, folder_.path());
  EXPECT_TRUE(contains(printed, "mean,sd,lower,upper\n"));
  EXPECT_TRUE(contains(printed, fmt::format(",{:.0f},{:.0f}\n", lower[0], upper[0]))) << printed;  // whole numbers
  EXPECT_TRUE(contains(output_of({"show", "m.ardvark"}, folder_.path()), "Poisson regression, prior shared, 80 rows, 2 columns"));
}

TEST_F(FitCommand, PrintsRateRatios) {
  put(CountTable().csv());
  const Json json = fitted(counts);
  const std::string text = output_of(counts + Arguments{"--odds"}, folder_.path());
  EXPECT_TRUE(contains(text, "coefficient  rate ratio    95% from          to  inclusion")) << text;
  std::istringstream line(text.substr(text.find("\n  dose ")));
  std::string name;
  double ratio = 0, lower = 0, upper = 0;
  line >> name >> ratio >> lower >> upper;
  EXPECT_NEAR(ratio, json["rate_ratio"][0].get<double>(), 1e-3);
  EXPECT_NEAR(ratio, std::exp(json["mean"][0].get<double>()), 1e-3);
  EXPECT_NEAR(lower, std::exp(json["interval"][0][0].get<double>()), 1e-3);
  EXPECT_NEAR(upper, std::exp(json["interval"][0][1].get<double>()), 1e-3);
  EXPECT_TRUE(contains(output_of(counts + Arguments{"--odds", "--standardized"}, folder_.path()),
                       "\nrate ratios per standard deviation of the column\n"));
  for (const char* word : {"rate ratio", "deviance explained", "deviance per row"})
    EXPECT_TRUE(contains(output_of({"explain", word}), "count")) << word;
}

TEST_F(FitCommand, SaysWhatIsNoRegressionOfCounts) {
  const CountTable table;
  const auto refused = [&](const Arguments& more, const std::string& why) {
    const auto result = run(counts + more, folder_.path());
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_TRUE(contains(result.err, why)) << result.err;
  };
  put(table.csv());
  refused({"--prior", "laplace"}, "shared, ard, groups and none");
  refused({"--lambda", "1"}, "--lambda applies only to linear and logistic models, under --prior laplace\n");
  refused({"--prior", "foo"}, "--prior is 'foo'; it must be one of ard, auto, dense, groups, none, shared, slab, sparse\n");
  refused({"--missing", "impute"}, "is not made for counts: gaps would be filled by a straight line in the count");
  refused({"--likelihood", "jj"}, "applies only to logistic fits");
  refused({"--stream", "always", "--solver", "dual"}, "needs the table in memory");
  for (const char* prior : {"sparse", "slab", "dense"})
    refused({"--stream", "always", "--prior", prior}, fmt::format("--prior {} of counts needs the table in memory", prior));
  put(table.csv("2.5"));
  refused({}, "2.5");
  put(table.csv("many"));
  refused({}, "many");
}

}  // namespace
}  // namespace ardvark
