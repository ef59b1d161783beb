// ardvark compare: several models of one table.
#include <fmt/format.h>
#include <gtest/gtest.h>

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

class Compare : public ::testing::Test {
 protected:
  Compare() { put(testing::sample(150, 10).csv()); }
  void put(const std::string& text) const { testing::write_bytes(folder_ / "data.csv", text); }
  void refused(const Arguments& arguments, std::initializer_list<const char*> pieces) const {
    expect_refused(Arguments{"compare", "data.csv"} + arguments, folder_, 2, pieces);
  }

  const Arguments linear_ = {"data.csv", "--target", "y", "--ignore", "label", "--model", "linear"};
  const Arguments logistic_ = {"data.csv", "--target", "label", "--ignore", "y", "--model", "logistic"};
  TemporaryFolder folder_;
};

TEST_F(Compare, RanksWhatFitPrints) {
  for (const Arguments& data : {linear_, logistic_}) {
    const Json json = json_of(Arguments{"compare"} + data, folder_.path());
    ASSERT_EQ(json["models"].size(), 4u);
    EXPECT_EQ(json["status"], "converged");
    double last = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const Json& model = json["models"][i];
      const Json fit = json_of(Arguments{"fit"} + data + Arguments{"--prior", model["name"]}, folder_.path());
      EXPECT_EQ(model["bound"], fit["bound"]) << model["name"];
      EXPECT_EQ(model["effective_parameters"], fit["effective_parameters"]);
      EXPECT_EQ(data == linear_ ? model["noise_sd"] : model["log_loss"], data == linear_ ? fit["noise"]["sd"] : fit["log_loss"]);
      EXPECT_EQ(model["comparable"], model["name"] != "ard");
      EXPECT_EQ(model["evidence"].is_null(), model["name"] == "ard");
      if (i == 3) continue;
      EXPECT_LE(model["difference"].get<double>(), i == 1 ? 0.1 : last);
      last = model["difference"];
    }
    EXPECT_EQ(json["best"], json["models"][0]["name"]);
    EXPECT_EQ(json["models"][0]["difference"], 0);
    EXPECT_EQ(json["models"][3]["name"], "ard");
    EXPECT_TRUE(contains(json["models"][3]["remark"], "in which the noise goes to zero"));
  }
}

TEST_F(Compare, CountsTheEffectsThatFitKeeps) {
  const Arguments boston = {testing::example_path("Boston.csv"), "--target", "medv", "--model", "linear"};
  const std::string text = output_of(Arguments{"fit"} + boston + Arguments{"--prior", "slab"});
  std::ptrdiff_t kept = 0, undecided = 0;
  for (const std::string& line : testing::lines_of(text)) kept += line.ends_with("  kept"), undecided += line.ends_with("  undecided");
  ASSERT_GT(undecided, 0);  // one is above one half without a known sign
  EXPECT_TRUE(contains(
      text, fmt::format("{} of 13 kept (inclusion above one half and known sign, or sign beyond doubt), {} undecided\n", kept, undecided)))
      << text;
  const Json compared = json_of(Arguments{"compare"} + boston + Arguments{"--priors", "slab,dense"});
  for (const Json& model : compared["models"]) EXPECT_TRUE(model["probable_effects"] == kept || model["name"] == "dense") << model;
}

TEST_F(Compare, PrintsATableAndOneSentence) {
  const std::string table =
      output_of(Arguments{"compare"} + linear_ + Arguments{"--priors", "dense,slab", "--priors", "ard"}, folder_.path());
  EXPECT_TRUE(contains(table, "Comparison of 3 linear models, 150 rows, 10 columns, target y\n")) << table;
  for (const char* piece : {"bound", "difference", "parameters", "effects", "noise sd", "status", "seconds", "\nTake "})
    EXPECT_TRUE(contains(table, piece)) << table;
  EXPECT_FALSE(contains(table, "shared")) << table;
  EXPECT_EQ(output_of(Arguments{"compare"} + linear_ + Arguments{"-q"}, folder_.path()), "");
}

TEST_F(Compare, CountsRelevanceVectorMachinesByThemselves) {
  const std::string table =
      output_of(Arguments{"compare"} + linear_ +
                    Arguments{"--priors", "dense,shared", "--kernel", "linear", "--kernel", "gaussian", "--centres", "20"},
                folder_.path());
  EXPECT_TRUE(contains(table, "Comparison of 2 linear models and 2 relevance vector machines, 150 rows, 10 columns, target y\n")) << table;
}

TEST_F(Compare, TakesKernelsAndTextColumns) {
  std::string text = "x,k,y,w\n";
  for (int i = 0; i < 90; ++i)
    text += fmt::format("{},{},{},{}\n", 0.1 * i, "abc"[i % 3], (i % 3) * 2 + i * 0.03 + ((i * 7) % 5) * 0.1, 1 + i % 2);
  text += "1,a,,1\n";
  put(text);
  const Arguments all = {"data.csv", "--target", "y", "--missing", "drop", "--weights", "w"};
  const Json json = json_of(
      Arguments{"compare"} + all + Arguments{"--model", "linear", "--kernel", "gaussian", "--kernel", "linear", "--priors", "sparse"},
      folder_.path());
  ASSERT_EQ(json["models"].size(), 3u);
  EXPECT_EQ(json["num_rows"], 135);  // by weight
  for (const Json& model : json["models"]) {
    const std::string name = model["name"];
    if (!name.starts_with("rvm ")) continue;
    const Json fit =
        json_of(Arguments{"fit"} + all + Arguments{"--model", "rvm", "--task", "regression", "--kernel", name.substr(4)}, folder_.path());
    EXPECT_EQ(model["evidence"], fit["log_evidence"]) << name;
  }
  EXPECT_TRUE(contains(output_of(Arguments{"compare"} + all + Arguments{"--model", "linear"}, folder_.path()), "1 row was dropped"));
}

TEST_F(Compare, TellsFitsThatDidNotConverge) {
  const Arguments few = Arguments{"compare"} + linear_ + Arguments{"--max-sweeps", "1"};
  EXPECT_EQ(json_of(few, folder_.path())["status"], "max_sweeps");
  EXPECT_EQ(testing::run(few + Arguments{"--strict"}, folder_.path()).exit_code, 4);
}

TEST_F(Compare, RefusesWhatCannotBeCompared) {
  const Arguments y = {"--target", "y", "--ignore", "label"}, linear = y + Arguments{"--model", "linear"};
  refused(y, {"say what to compare", "--model linear"});
  refused(y + Arguments{"--model", "rvm"}, {"--model is 'rvm'", "--kernel gaussian"});
  refused(linear + Arguments{"--priors", "sparse,laplace"}, {"--priors is 'laplace'", "ard, dense, shared, slab, sparse"});
  refused(linear + Arguments{"--priors", "sparse,sparse"}, {"'sparse' is named twice"});
  refused(linear + Arguments{"--priors", "sparse"}, {"only 'sparse'", "at least two", "--kernel"});
  refused(linear + Arguments{"--priors", ""}, {"--priors"});
  refused(linear + Arguments{"--kernel", "gauss"}, {"--kernel is 'gauss'", "gaussian"});
  refused(linear + Arguments{"--centres", "5"}, {"--centres", "--kernel"});
  refused(linear + Arguments{"--kernel", "gaussian", "--centres", "0"}, {"--centres is '0'"});
  refused(linear + Arguments{"--kernel", "gaussian", "--no-intercept"}, {"--no-intercept cannot be used with --kernel"});
  refused(linear + Arguments{"--kernel", "gaussian", "--flat", "x1"}, {"--flat cannot be used with --kernel"});
  refused(linear + Arguments{"--max-sweeps", "0"}, {"--max-sweeps is 0"});
  refused(linear + Arguments{"--prior", "sparse"}, {"--prior"});
  refused({"--target", "y", "--model", "logistic"}, {"'y'", "different numbers"});
  refused({"--target", "nothing", "--model", "linear"}, {"'nothing'"});
  std::string text = "x,k\n";
  for (int i = 0; i < 12; ++i) text += fmt::format("{},{}\n", (i * 7) % 12, "abc"[i % 3]);
  put(text);
  EXPECT_EQ(json_of({"compare", "data.csv", "--target", "k", "--model", "logistic"}, folder_.path())["num_classes"], 3);
  refused({"--target", "k", "--model", "linear"}, {"'k' is text"});
}

}  // namespace
}  // namespace ardvark
