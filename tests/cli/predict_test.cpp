#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/softmax.hpp"
#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::column;
using testing::contains;
using testing::fields_of;
using testing::Json;
using testing::json_of;
using testing::lines_of;
using testing::Numbers;
using testing::numbers;
using testing::output_of;
using testing::read_bytes;
using testing::run;
using testing::Sample;
using testing::sample;
using testing::write_bytes;

const std::string training = testing::example_path("Pima.tr.csv"), testing_data = testing::example_path("Pima.te.csv");

class PredictCommand : public ::testing::Test {
 protected:
  void put(const std::string& text, const std::string& name) const { write_bytes(folder_ / name, text); }
  std::string output(const Arguments& arguments) const { return output_of(arguments, folder_.path()); }
  testing::Outcome refused(const Arguments& arguments) const { return run(arguments, folder_.path()); }
  [[nodiscard]] Json json(const Arguments& arguments) const { return json_of(arguments, folder_.path()); }
  void fit_pima(const Arguments& more = {}) const {
    output(Arguments{"fit", training, "--target", "type", "--model", "logistic", "-q", "-o", "logistic.ardvark"} + more);
    output(Arguments{"fit", training, "--target", "bmi", "--model", "linear", "--ignore", "type", "-q", "-o", "linear.ardvark"} + more);
  }

  testing::TemporaryFolder folder_;
};

// ---- columns --------------------------------------------------------------------------------------------------------------------------

TEST_F(PredictCommand, TakesColumnsByNameInAnyOrderAmongOthers) {
  put("a,b,kind,y\n1,5,u,3\n2,4,v,4\n4,1,u,9\n3,3,v,5\n5,2,u,8\n", "train.csv");
  put("a,b,kind\n1.5,2.5,v\n3,1,u\n", "plain.csv");
  put("junk,kind,y,b,more,a\nx,v,,2.5,NA,1.5\n7,u,oops,1,inf,3\n", "shuffled.csv");
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"});
  EXPECT_EQ(output({"predict", "m.ardvark", "shuffled.csv"}), output({"predict", "m.ardvark", "plain.csv"}));
}

TEST_F(PredictCommand, NamesAllMissingColumns) {
  put("a,b,c,d,y\n1,5,2,3,1\n2,4,3,3,4\n4,1,7,1,9\n", "train.csv");
  put("b,e\n1,2\n", "new.csv");
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"});
  testing::expect_refused({"predict", "m.ardvark", "new.csv", "-o", "p.csv"}, folder_, 2, {"'a'", "'c'", "'d'", "new.csv"});
}

TEST_F(PredictCommand, NeedsNeitherTargetNorWeightsNorIgnoredColumns) {
  put("a,b,skip,w,y\n1,5,2,1,1\n2,4,3,2,4\n4,1,7,1,9\n", "train.csv");
  put("a,b\n1,2\n", "new.csv");
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "--weights", "w", "--ignore", "skip", "-q", "-o", "m.ardvark"});
  EXPECT_EQ(json({"predict", "m.ardvark", "new.csv"})["mean"].size(), 1u);
}

TEST_F(PredictCommand, ReadsACategoryThatLooksLikeANumberHere) {
  put("k,y\n1,1\nx,2\n1,3\nx,5\n2,4\n", "train.csv");
  put("k\n2\n1\n", "new.csv");
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "--categorical", "k", "-q", "-o", "m.ardvark"});
  EXPECT_EQ(json({"predict", "m.ardvark", "new.csv"})["mean"].size(), 2u);
}

// As fit does: a row whose squares overflow has no prediction, whatever the model.
TEST_F(PredictCommand, RefusesValuesWhoseSquaresOverflow) {
  put("a,b,kind,group,y\n1,5,u,r,3\n2,4,v,s,4\n4,1,u,t,9\n3,3,v,r,5\n5,2,u,s,8\n6,1,v,t,7\n2,2,u,r,1\n1,3,v,s,2\n", "train.csv");
  put("a,b\n1,2\n3,1e160\n", "large.csv");
  put("a,b\n1,2\n-1.797e308,2\n", "largest.csv");
  const std::vector<Arguments> models = {
      {"--target", "y", "--model", "linear", "--ignore", "kind,group"},
      {"--target", "y", "--model", "rvm", "--task", "regression", "--width", "1", "--ignore", "kind,group"},
      {"--target", "kind", "--model", "logistic", "--ignore", "y,group"},
      {"--target", "kind", "--model", "logistic", "--prior", "laplace", "--lambda", "0.5", "--ignore", "y,group"},
      {"--target", "kind", "--model", "rvm", "--width", "1", "--ignore", "y,group"},
      {"--target", "kind", "--preset", "vb_logit_fit", "--ignore", "y,group"},
      {"--target", "kind", "--preset", "slr_var", "--compat", "--ignore", "y,group"},
      {"--target", "kind", "--preset", "slr_rvm", "--ignore", "y,group"},
      {"--target", "group", "--model", "logistic", "--ignore", "y,kind"},
      {"--target", "group", "--preset", "slr_var_ovr", "--ignore", "y,kind"},
      {"--target", "group", "--preset", "slr_var_ovo", "--compat", "--ignore", "y,kind"}};
  for (const Arguments& model : models) {
    output(Arguments{"fit", "train.csv", "-q", "-o", "m.ardvark"} + model);
    testing::expect_refused({"predict", "m.ardvark", "large.csv"}, folder_, 2, {"row 2", "'b'", "1e+160"});
    testing::expect_refused({"predict", "m.ardvark", "largest.csv"}, folder_, 2, {"row 2", "'a'", "-1.797e+308"});
  }
}

// ---- the numbers ------------------------------------------------------------------------------------------------------------------------

TEST_F(PredictCommand, WritesLinearPredictionsAlikeAsCsvAndJsonAndInTheLibrary) {
  fit_pima();
  const Json j = json({"predict", "linear.ardvark", testing_data});
  EXPECT_EQ(output({"predict", "linear.ardvark", testing_data, "--digits", "17", "-o", "p.csv"}), "");
  const std::string csv = read_bytes(folder_ / "p.csv");
  EXPECT_EQ(csv, output({"predict", "linear.ardvark", testing_data, "--digits", "17"}));
  EXPECT_EQ(lines_of(csv)[0], "mean,sd,lower,upper");

  const SavedModel model = load_model(folder_ / "linear.ardvark");
  LinearFit fit;
  static_cast<Fit&>(fit) = *model.score();
  const EncodedTable encoded = encode(read_csv(testing_data), model.encoding);
  const StudentPrediction p = predict(fit, encoded.X());
  EXPECT_EQ(p.mean.size(), 332);
  EXPECT_EQ(j["mean"].get<Numbers>(), numbers(p.mean));
  EXPECT_EQ(j["sd"].get<Numbers>(), numbers(p.standard_deviation()));
  EXPECT_EQ(j["lower"].get<Numbers>(), numbers(p.mean - p.half_width()));
  EXPECT_EQ(j["upper"].get<Numbers>(), numbers(p.mean + p.half_width()));
  EXPECT_EQ(j["scale"].get<Numbers>(), numbers(p.scale));
  EXPECT_EQ(j["degrees_of_freedom"].get<double>(), 199) << "200 rows and an intercept";
  EXPECT_GE(j["seconds"].get<double>(), 0);
  EXPECT_EQ(column(csv, "mean"), numbers(p.mean));
  EXPECT_EQ(column(csv, "sd"), numbers(p.standard_deviation()));
  EXPECT_EQ(column(csv, "lower"), numbers(p.mean - p.half_width()));
  EXPECT_EQ(column(csv, "upper"), numbers(p.mean + p.half_width()));
}

TEST_F(PredictCommand, WritesProbabilitiesAlikeAsCsvAndJsonAndInTheLibrary) {
  fit_pima();
  const Json j = json({"predict", "logistic.ardvark", testing_data});
  EXPECT_EQ(output({"predict", "logistic.ardvark", testing_data, "--digits", "17", "-o", "p.csv"}), "");
  const std::string csv = read_bytes(folder_ / "p.csv");
  EXPECT_EQ(csv, output({"predict", "logistic.ardvark", testing_data, "--digits", "17"}));
  EXPECT_EQ(lines_of(csv)[0], "probability_Yes,class,log_odds,log_odds_sd");

  const SavedModel model = load_model(folder_ / "logistic.ardvark");
  LogisticFit fit;
  static_cast<Fit&>(fit) = *model.score();
  const EncodedTable encoded = encode(read_csv(testing_data), model.encoding);
  const ClassPrediction p = predict(fit, encoded.X());
  EXPECT_EQ(j["probability"].get<Numbers>(), numbers(p.probability));
  EXPECT_EQ(j["classes"], (Json{"No", "Yes"}));
  EXPECT_GE(j["seconds"].get<double>(), 0);
  EXPECT_EQ(column(csv, "probability_Yes"), numbers(p.probability));
  EXPECT_EQ(column(csv, "log_odds"), numbers(p.mean));
  EXPECT_EQ(column(csv, "log_odds_sd"), numbers(p.variance.cwiseSqrt()));
  for (Index i = 0; i < p.mean.size(); ++i)
    EXPECT_EQ(fields_of(lines_of(csv)[static_cast<std::size_t>(i) + 1])[1], p.probability[i] > 0.5 ? "Yes" : "No");
}

TEST_F(PredictCommand, GivesTheProbabilityOfTheSecondClass) {
  put("x,label\n-3,cold\n-2,cold\n-1,cold\n1,warm\n2,warm\n3,warm\n", "train.csv");
  output({"fit", "train.csv", "--target", "label", "--model", "logistic", "-q", "-o", "m.ardvark"});
  const Json j = json({"predict", "m.ardvark", "train.csv"});
  EXPECT_EQ(j["classes"], (Json{"cold", "warm"}));
  EXPECT_LT(j["probability"][0].get<double>(), 0.5);
  EXPECT_GT(j["probability"][5].get<double>(), 0.5);
}

TEST_F(PredictCommand, QuotesClassesThatCsvWouldMisread) {
  put("x,label\n-3,\"a,\"\"b\"\"\"\n-2,\"a,\"\"b\"\"\"\n2,c\n3,c\n", "train.csv");
  put("x\n-3\n3\n", "new.csv");
  output({"fit", "train.csv", "--target", "label", "--model", "logistic", "-q", "-o", "m.ardvark"});
  output({"predict", "m.ardvark", "new.csv", "-o", "p.csv"});
  const Table table = read_csv(folder_ / "p.csv");
  EXPECT_EQ(table.columns[1].levels, (std::vector<std::string>{"a,\"b\"", "c"}));
}

TEST_F(PredictCommand, WidensTheIntervalWithTheLevel) {
  fit_pima({"--prior", "shared"});
  const std::string wide = output({"predict", "linear.ardvark", testing_data, "--level", "0.99", "--digits", "17"});
  const Json j = json({"predict", "linear.ardvark", testing_data});
  // 200 rows and a0 = 0.01: 2 a_N is about 200, whose 0.995 quantile is 2.6006.
  EXPECT_NEAR(j["degrees_of_freedom"].get<double>(), 200, 2);
  const Numbers lower = column(wide, "lower"), upper = column(wide, "upper");
  for (std::size_t i = 0; i < lower.size(); ++i) EXPECT_NEAR((upper[i] - lower[i]) / (2 * j["scale"][i].get<double>()), 2.6006, 0.002);
}

TEST_F(PredictCommand, GivesTheIntervalOfTheMean) {
  fit_pima();
  const Json y = json({"predict", "linear.ardvark", testing_data, "--json"});
  const Json f = json({"predict", "linear.ardvark", testing_data, "--json", "--interval", "mean"});
  EXPECT_EQ(f["mean"], y["mean"]);
  const double noise = json({"show", "linear.ardvark", "--json"})["noise"]["sd"];
  for (std::size_t i = 0; i < 20; ++i) {
    const double of_mean = f["scale"][i], of_new = y["scale"][i];
    EXPECT_NEAR(of_new * of_new - of_mean * of_mean, noise * noise, 1e-9 * noise * noise);
    EXPECT_GT(static_cast<double>(f["lower"][i]), static_cast<double>(y["lower"][i]));
  }
  EXPECT_EQ(json({"predict", "linear.ardvark", testing_data, "--json", "--interval", "new"})["scale"], y["scale"]);
  const auto classes = refused({"predict", "logistic.ardvark", testing_data, "--interval", "mean"});
  EXPECT_EQ(classes.exit_code, 2);
  EXPECT_TRUE(contains(classes.err, "--interval mean applies only to regressions")) << classes.err;
  const auto word = refused({"predict", "linear.ardvark", testing_data, "--interval", "both"});
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_TRUE(contains(word.err, "--interval is 'both'; it must be one of mean, new")) << word.err;
}

TEST_F(PredictCommand, FollowsTheRule) {
  fit_pima();
  const Arguments predict = {"predict", "logistic.ardvark", testing_data, "--digits", "17"};
  const std::string csv = output(predict);
  const Numbers m = column(csv, "log_odds"), sd = column(csv, "log_odds_sd");
  const Numbers mackay = column(output(predict + Arguments{"--rule", "mackay"}), "probability_Yes");
  for (std::size_t i = 0; i < m.size(); ++i)
    EXPECT_NEAR(mackay[i], 1 / (1 + std::exp(-m[i] / std::sqrt(1 + M_PI * sd[i] * sd[i] / 8))), 1e-14);
  EXPECT_EQ(output(predict + Arguments{"--rule", "exact"}), csv);
  for (const char* rule : {"published", "published-batch", "published-incremental"}) {
    const Numbers bound = column(output(predict + Arguments{"--rule", rule}), "probability_Yes"), exact = column(csv, "probability_Yes");
    for (std::size_t i = 0; i < bound.size(); ++i) {
      EXPECT_GT(bound[i], 0) << rule;
      EXPECT_LT(bound[i], exact[i] + 1e-9) << rule << " is a lower bound";
    }
  }
}

TEST_F(PredictCommand, FollowsThePublishedRuleForPresets) {
  const Sample s = sample(50, 2);
  put(s.csv(), "data.csv");
  output({"fit", "data.csv", "--target", "label", "--ignore", "y", "--preset", "vb_logit_fit", "-q", "-o", "m.ardvark"});
  EXPECT_EQ(output({"predict", "m.ardvark", "data.csv"}), output({"predict", "m.ardvark", "data.csv", "--rule", "published"}));
}

TEST_F(PredictCommand, MixesOverTheNoiseOfFactorisedModels) {  // (VR.5)
  const Sample s = sample(12, 2);
  put(s.csv(), "data.csv");
  output({"fit", "data.csv", "--target", "y", "--ignore", "label", "--preset", "vrvm_regression", "-q", "-o", "m.ardvark"});
  const Arguments predict = {"predict", "m.ardvark", "data.csv", "--level", "0.8", "--rule", "mixture", "--digits", "17"};
  const std::string csv = output(predict);
  const Json j = json(predict);
  EXPECT_EQ(lines_of(csv)[0], "mean,sd,lower,upper");

  const SavedModel model = load_model(folder_ / "m.ardvark");
  LinearFit fit;
  static_cast<Fit&>(fit) = *model.score();
  const NoiseMixturePrediction p = predict_mixture(fit, encode(read_csv(folder_ / "data.csv"), model.encoding).X());
  EXPECT_EQ(p.mean.size(), 12);
  const std::map<std::string, Vector> expected = {
      {"mean", p.mean}, {"sd", p.standard_deviation()}, {"lower", p.mean - p.half_width(0.8)}, {"upper", p.mean + p.half_width(0.8)}};
  for (const auto& [name, values] : expected) {
    EXPECT_EQ(column(csv, name), numbers(values)) << name;
    EXPECT_EQ(j[name].get<Numbers>(), numbers(values)) << name;
  }
  const Numbers plug_in = column(output({"predict", "m.ardvark", "data.csv", "--digits", "17"}), "sd"), mixed = column(csv, "sd");
  for (std::size_t i = 0; i < mixed.size(); ++i) EXPECT_GT(mixed[i], plug_in[i]) << "an uncertain noise has the larger variance";

  output({"fit", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "-q", "-o", "logistic.ardvark"});
  testing::expect_refused({"predict", "logistic.ardvark", "data.csv", "--rule", "mixture", "-o", "p.csv"}, folder_, 2, {"--rule mixture"});
}

TEST_F(PredictCommand, WritesTheDigitsThatMatter) {
  fit_pima();
  const std::string full = output({"predict", "linear.ardvark", testing_data, "--digits", "17"});
  const std::string brief = output({"predict", "linear.ardvark", testing_data});
  const Numbers mean = column(full, "mean"), sd = column(full, "sd"), brief_mean = column(brief, "mean"), brief_sd = column(brief, "sd");
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(brief_mean[i], mean[i], 0.005 * sd[i]);
    EXPECT_NEAR(brief_sd[i], sd[i], 0.005 * sd[i]);
  }
  EXPECT_LT(brief.size(), full.size() / 2);
  const std::string exact = output({"predict", "logistic.ardvark", testing_data, "--digits", "17"});
  const Numbers p = column(exact, "probability_Yes"),
                brief_p = column(output({"predict", "logistic.ardvark", testing_data}), "probability_Yes");
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(brief_p[i], p[i], 0.005 * std::min({p[i], 1 - p[i], 0.01})) << i;
  EXPECT_TRUE(contains(lines_of(output({"predict", "logistic.ardvark", testing_data, "--digits", "2"}))[1], "0.74,Yes,1.1,"));
  EXPECT_TRUE(
      contains(refused({"predict", "linear.ardvark", testing_data, "--digits", "18"}).err, "--digits is 18; it must lie between 1 and 17"));
}

// Log odds from -30 to 30 by a line without noise in its coefficients: rows as far from the data as the test likes.
TEST_F(PredictCommand, WritesProbabilitiesOfOneLookThatAreNeverRoundedToOneOrZero) {
  fit_pima();
  std::string rows = "npreg,glu,bp,skin,bmi,ped,age\n";
  for (int i = 0; i < 40; ++i) rows += fmt::format("3,{},72,27,32,0.4,30\n", 100 + (i < 20 ? i : 60 * (i - 30)));
  put(rows, "far.csv");
  const Arguments predict = {"predict", "logistic.ardvark", "far.csv"};
  const Json exact = json(predict);
  const std::vector<std::string> lines = lines_of(output(predict));
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string text = fields_of(lines[i + 1])[0];
    const double p = exact["probability"][i], written = std::stod(text), rest = std::min(p, 1 - p);
    EXPECT_TRUE(written > 0 && written < 1) << text;
    EXPECT_NEAR(written, p, rest >= 1e-4 || p < 0.5 ? 0.005 * std::min(rest, 0.01) : 0.5 * rest) << text;
    if (rest >= 1e-4) {
      EXPECT_EQ(text.size(), std::string("0.123456").size()) << text;
    }
    if (p > 0.5) {
      EXPECT_LE(text.size(), 2 + std::max(6.0, -std::floor(std::log10(rest)))) << text;
    }
  }
  const std::vector<std::string> near = lines_of(output({"predict", "logistic.ardvark", testing_data}));
  const std::size_t width = fields_of(near[1])[0].size();
  for (std::size_t i = 1; i < near.size(); ++i) EXPECT_EQ(fields_of(near[i])[0].size(), width) << near[i];
}

TEST_F(PredictCommand, WritesAsManyDigitsAsAreAskedFor) {
  put("x,y\n1,1000\n2,2000\n3,3000.5\n4,4000\n", "train.csv");
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"});
  for (const int digits : {1, 3, 4, 9}) {
    const std::vector<std::string> lines = lines_of(output({"predict", "m.ardvark", "train.csv", "--digits", std::to_string(digits)}));
    for (std::size_t i = 1; i < lines.size(); ++i)
      for (std::string text : fields_of(lines[i])) {
        EXPECT_FALSE(text.ends_with('.') || contains(text, ".e")) << text;
        text = text.substr(0, text.find('e'));
        std::erase_if(text, [](char c) { return c == '.' || c == '-'; });
        EXPECT_EQ(text.substr(text.find_first_not_of('0')).size(), static_cast<std::size_t>(digits)) << lines[i];
      }
  }
}

TEST_F(PredictCommand, KeepsTheColumnsThatAreAskedFor) {
  put("x,y\n1,2\n2,3\n4,9\n3,4\n", "train.csv");
  put("id,x,\"a,b\"\n007,1.50,\"say \"\"no\"\"\"\n,+2e0,NA\n", "new.csv");
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"});
  const std::vector<std::string> lines = lines_of(output({"predict", "m.ardvark", "new.csv", "--keep", "id,\"a,b\",x"}));
  EXPECT_EQ(lines[0], "id,\"a,b\",x,mean,sd,lower,upper");
  EXPECT_TRUE(lines[1].starts_with("007,\"say \"\"no\"\"\",1.50,")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("\"\",NA,+2e0,")) << lines[2];  // a gap in a column that is only kept is no missing value
  const Json j = json({"predict", "m.ardvark", "new.csv", "--keep", "id"});
  EXPECT_EQ(j["keep"]["id"], (Json{"007", ""}));
  EXPECT_TRUE(contains(refused({"predict", "m.ardvark", "new.csv", "--keep", "ident"}).err, "has no column 'ident'"));
}

// Against sums over the rows, made here.
TEST_F(PredictCommand, ScoresTheRowsWhoseTargetIsKnown) {
  fit_pima();
  const Table table = read_csv(testing_data);
  const Json regression = json({"predict", "linear.ardvark", testing_data, "--level", "0.8"});
  const Vector y = column_values(table, table.at("bmi"));
  double squares = 0, covered = 0;
  for (Index i = 0; i < y.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    squares += std::pow(y[i] - regression["mean"][k].get<double>(), 2);
    covered += y[i] >= regression["lower"][k].get<double>() && y[i] <= regression["upper"][k].get<double>() ? 1 : 0;
  }
  const double n = static_cast<double>(y.size());
  EXPECT_EQ(regression["score"]["num_rows"], y.size());
  EXPECT_NEAR(regression["score"]["rmse"].get<double>(), std::sqrt(squares / n), 1e-9);
  EXPECT_NEAR(regression["score"]["r_squared"].get<double>(), 1 - squares / (y.array() - y.mean()).square().sum(), 1e-9);
  EXPECT_NEAR(regression["score"]["coverage"].get<double>(), covered / n, 1e-12);
  const Json classes = json({"predict", "logistic.ardvark", testing_data});
  const Vector type = column_values(table, table.at("type"));
  double right = 0, loss = 0;
  for (Index i = 0; i < type.size(); ++i) {
    const double p = classes["probability"][static_cast<std::size_t>(i)].get<double>();
    right += (p > 0.5) == (type[i] == 1) ? 1 : 0;
    loss -= std::log(type[i] == 1 ? p : 1 - p) / n;
  }
  EXPECT_NEAR(classes["score"]["accuracy"].get<double>(), right / n, 1e-12);
  EXPECT_NEAR(classes["score"]["log_loss"].get<double>(), loss, 1e-9);
  const auto said = run({"predict", "logistic.ardvark", testing_data, "-o", "p.csv"}, folder_.path()).err;
  EXPECT_TRUE(contains(said, "332 rows with 'type': accuracy 0.8")) << said;
}

TEST_F(PredictCommand, ScoresOnlyWhatTheModelCanPredict) {
  put("x,y,k\n1,2,1\n2,3,2\n4,9,1\n3,4,2\n5,8,2\n2,2,1\n", "train.csv");
  put("x,y,k\n1,NA,1.0\n2,,3\n3,5,2\n", "new.csv");
  output({"fit", "train.csv", "--target", "y", "--ignore", "k", "--model", "linear", "-q", "-o", "m.ardvark"});
  output({"fit", "train.csv", "--target", "k", "--ignore", "y", "--model", "logistic", "-q", "-o", "k.ardvark"});
  EXPECT_EQ(json({"predict", "m.ardvark", "new.csv"})["score"]["num_rows"], 1);
  EXPECT_EQ(json({"predict", "k.ardvark", "new.csv"})["score"]["num_rows"], 2);  // 1.0 is the class 1; 3 is no class
  EXPECT_TRUE(contains(run({"predict", "m.ardvark", "new.csv"}, folder_.path()).err, "1 of 3 rows with 'y': R^2"));
  put("x,y\n1,?\n2,?\n", "none.csv");
  EXPECT_TRUE(contains(run({"predict", "m.ardvark", "none.csv"}, folder_.path()).err, "no value of 'y' is one that the model can predict"));
  EXPECT_FALSE(json({"predict", "m.ardvark", "new.csv", "--interval", "mean"})["score"].contains("coverage"));
}

// ---- rows -----------------------------------------------------------------------------------------------------------------------------

TEST_F(PredictCommand, NumbersTheRowsThatAreLeft) {
  put("x,y\n1,2\n2,3\n4,9\n3,4\n", "train.csv");
  put("x\n1\n2\n3\n", "complete.csv");
  put("x,z\n1,0\nNA,0\n2,0\n,0\n3,0\n", "new.csv");
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "-q", "-o", "m.ardvark"});
  const testing::Outcome outcome = run({"predict", "m.ardvark", "new.csv", "--missing", "drop"}, folder_.path());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.err, "2 rows were dropped because a value was missing")) << outcome.err;
  EXPECT_EQ(column(outcome.out, "row"), (Numbers{1, 3, 5}));
  EXPECT_EQ(column(outcome.out, "mean"), column(output({"predict", "m.ardvark", "complete.csv"}), "mean"));

  const Json j = json({"predict", "m.ardvark", "new.csv", "--missing", "drop"});
  EXPECT_EQ(j["rows"], (Json{1, 3, 5}));
  EXPECT_EQ(j["mean"].size(), 3u);
}

TEST_F(PredictCommand, PredictsRowsWithGapsIfTheModelWasImputed) {
  std::string train = "x,city,y\n";
  for (int i = 0; i < 60; ++i)
    train += fmt::format("{},{},{}\n", i % 7 == 3 ? "" : fmt::format("{}", i % 11),
                         i % 9 == 2   ? "NA"
                         : i % 3 == 0 ? "Rome"
                                      : "Oslo",
                         i == 5 ? "" : fmt::format("{}", 2 * (i % 11) + (i % 3 == 0 ? 5 : 0) + i % 2));
  put(train, "train.csv");
  put("x,city\n4,Rome\n,Rome\n4,\n,\n", "new.csv");
  const Json fit = Json::parse(output({"fit", "train.csv", "--target", "y", "--model", "linear", "--missing", "impute", "--imputations",
                                       "5", "--json", "-o", "m.ardvark"}));
  EXPECT_EQ(fit["missing"]["columns"], (Json{"x", "city"}));
  EXPECT_EQ(fit["missing"]["imputations"], 5);
  EXPECT_EQ(fit["bound_comparable"], false);
  EXPECT_TRUE(contains(fit["notes"].dump(), "1 row was dropped because a value was missing; most gaps are in column 'y' (1)"));
  const std::string all = output({"predict", "m.ardvark", "new.csv"});
  const Numbers mean = column(all, "mean"), sd = column(all, "sd");
  ASSERT_EQ(mean.size(), 4u);
  EXPECT_NEAR(mean[0], 13.5, 1);
  EXPECT_TRUE(sd[1] > 2 * sd[0] && sd[3] > sd[2] && sd[2] > sd[0]) << all;  // the less is known, the wider
  put("x,city\n,\n", "one.csv");
  EXPECT_EQ(column(output({"predict", "m.ardvark", "one.csv"}), "mean")[0], mean[3]);  // a row alone is predicted alike
  EXPECT_EQ(column(output({"predict", "m.ardvark", "new.csv", "--missing", "drop"}), "row"), (Numbers{1}));
  const std::string gap = "row 2 (line 3), column 'x': the value is missing; --missing drop leaves such rows out";
  EXPECT_TRUE(
      contains(refused({"predict", "m.ardvark", "new.csv", "--missing", "refuse"}).err, gap + ", --missing impute predicts them\n"));
  output({"fit", "train.csv", "--target", "y", "--model", "linear", "--missing", "drop", "-q", "-o", "d.ardvark"});
  const std::string again = "; if you fit the model again with --missing impute, it predicts rows with gaps, too\n";
  EXPECT_TRUE(contains(refused({"predict", "d.ardvark", "new.csv"}).err, gap + again));
  const std::string impute = refused({"predict", "d.ardvark", "new.csv", "--missing", "impute"}).err;
  EXPECT_TRUE(contains(impute, "a model that was fitted with --missing impute") &&
              contains(impute, "--missing drop leaves such rows out" + again));
  output({"fit", "train.csv", "--target", "y", "--model", "rvm", "--missing", "drop", "-q", "-o", "k.ardvark"});
  EXPECT_TRUE(contains(refused({"predict", "k.ardvark", "new.csv"}).err, gap + "\n"));  // a kernel machine has no imputation
}

TEST_F(PredictCommand, PredictsARowAlikeAloneAndAmongOthers) {
  fit_pima();
  const std::vector<std::string> rows = lines_of(read_bytes(testing_data));
  put(rows[0] + "\n" + rows[1] + "\n", "one.csv");
  const double among = json({"predict", "linear.ardvark", testing_data})["mean"][0];
  EXPECT_NEAR(json({"predict", "linear.ardvark", "one.csv"})["mean"][0].get<double>(), among, 1e-12 * std::abs(among));
}

TEST_F(PredictCommand, WritesJsonToAFile) {
  fit_pima();
  EXPECT_EQ(output({"predict", "logistic.ardvark", testing_data, "--json", "-o", "p.json"}), "");
  EXPECT_EQ(Json::parse(read_bytes(folder_ / "p.json"))["probability"].size(), 332u);
}

// ---- the fit in memory and the model file ---------------------------------------------------------------------------------------------

struct ModelCase {
  Index n, p;
  const char* prior;
  bool intercept, standardize;
};

void PrintTo(const ModelCase& c, std::ostream* out) {
  *out << c.n << " x " << c.p << ", " << c.prior << (c.intercept ? "" : ", no intercept") << (c.standardize ? "" : ", not standardised");
}

class SavedPredictions : public PredictCommand, public ::testing::WithParamInterface<ModelCase> {
 protected:
  [[nodiscard]] FitOptions options() const {
    const ModelCase& c = GetParam();
    FitOptions options;
    options.prior = c.prior == std::string("ard") ? Prior::ard() : c.prior == std::string("none") ? Prior::none() : Prior::shared();
    options.intercept = c.intercept;
    options.standardize = c.standardize;
    return options;
  }
  [[nodiscard]] Arguments arguments(const char* model, const char* target, const char* ignore) const {
    const ModelCase& c = GetParam();
    Arguments a = {"fit",  "data.csv", "--model", model, "--target", target,     "--ignore",
                   ignore, "--prior",  c.prior,   "-q",  "-o",       "m.ardvark"};
    if (!c.intercept) a.emplace_back("--no-intercept");
    if (!c.standardize) a.emplace_back("--no-standardize");
    return a;
  }
};

TEST_P(SavedPredictions, OfLinearModelsHaveTheBitsOfTheFitInMemory) {
  const Sample s = sample(GetParam().n, GetParam().p), fresh = sample(17, GetParam().p, 2);
  put(s.csv(), "data.csv");
  put(fresh.csv(), "new.csv");
  output(arguments("linear", "y", "label"));
  const StudentPrediction expected = predict(fit_linear(s.view(), s.y, options()), fresh.view());
  const Json j = json({"predict", "m.ardvark", "new.csv"});
  EXPECT_EQ(j["mean"].get<Numbers>(), numbers(expected.mean));
  EXPECT_EQ(j["scale"].get<Numbers>(), numbers(expected.scale));
  EXPECT_EQ(j["degrees_of_freedom"].get<double>(), expected.degrees_of_freedom);
}

TEST_P(SavedPredictions, OfLogisticModelsHaveTheBitsOfTheFitInMemory) {
  const Sample s = sample(GetParam().n, GetParam().p), fresh = sample(17, GetParam().p, 2);
  put(s.csv(), "data.csv");
  put(fresh.csv(), "new.csv");
  output(arguments("logistic", "label", "y"));
  const ClassPrediction expected = predict(fit_logistic(s.view(), s.labels, options()), fresh.view());
  EXPECT_EQ(json({"predict", "m.ardvark", "new.csv"})["probability"].get<Numbers>(), numbers(expected.probability));
  const std::string csv = output({"predict", "m.ardvark", "new.csv", "--digits", "17"});
  EXPECT_EQ(column(csv, "log_odds"), numbers(expected.mean));
  EXPECT_EQ(column(csv, "log_odds_sd"), numbers(expected.variance.cwiseSqrt()));
}

INSTANTIATE_TEST_SUITE_P(Shapes, SavedPredictions,
                         ::testing::Values(ModelCase{40, 4, "ard", true, true}, ModelCase{40, 4, "ard", false, true},
                                           ModelCase{40, 4, "shared", true, true}, ModelCase{40, 4, "shared", false, false},
                                           ModelCase{40, 4, "none", true, true}, ModelCase{40, 1, "ard", true, false},
                                           ModelCase{12, 30, "ard", true, true}, ModelCase{12, 30, "ard", false, true},
                                           ModelCase{12, 30, "shared", true, true}, ModelCase{12, 30, "shared", false, false}));

TEST_F(PredictCommand, PredictsFromEachPresetWithTheBitsOfTheFitInMemory) {
  const Sample s = sample(40, 3), fresh = sample(9, 3, 2);
  put(s.csv(), "data.csv");
  put(fresh.csv(), "new.csv");
  for (const PresetInfo& preset : presets()) {
    if (preset.name == std::string("slr_rvm") || is_softmax_preset(preset.name)) continue;  // rvm_test.cpp, softmax_test.cpp
    SCOPED_TRACE(preset.name);
    const bool linear = preset.task == Task::linear;
    output({"fit", "data.csv", "--target", linear ? "y" : "label", "--ignore", linear ? "label" : "y", "--preset", preset.name, "-q", "-o",
            "m.ardvark"});
    const Json j = json({"predict", "m.ardvark", "new.csv"});
    const FitOptions options = options_for_preset(preset.name);
    const Vector expected = linear ? predict(fit_linear(s.view(), s.y, options), fresh.view()).mean
                                   : predict(fit_logistic(s.view(), s.labels, options), fresh.view()).probability;
    EXPECT_EQ(j[linear ? "mean" : "probability"].get<Numbers>(), numbers(expected));
  }
}

}  // namespace
}  // namespace ardvark
