// ardvark select: selection counts.
#include "ardvark/select.hpp"

#include <gtest/gtest.h>
#include <pty.h>

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
using testing::TemporaryFolder;

class Select : public ::testing::Test {
 protected:
  Select() { put(sample_.csv()); }
  void put(const std::string& text, const std::string& name = "data.csv") const { testing::write_bytes(folder_ / name, text); }
  void refused(const Arguments& arguments, std::initializer_list<const char*> pieces) const {
    expect_refused(Arguments{"select", "data.csv"} + arguments + Arguments{"-o", "out.csv"}, folder_, 2, pieces);
  }

  const testing::Sample sample_ = testing::sample(200, 12);
  const Arguments slr_ = {"select",   "data.csv", "--target", "label", "--ignore",  "y",
                          "--preset", "slr_var",  "--folds",  "5",     "--repeats", "3"};
  TemporaryFolder folder_;
};

TEST_F(Select, PrintsWhatTheLibraryCounts) {
  const Json json = json_of(slr_ + Arguments{"--seed", "4"}, folder_.path());
  SelectionOptions options{.folds = 5, .repeats = 3, .seed = 4};
  const SelectionCounts counts = select_columns(sample_.view(), sample_.labels, logistic_selection(options_for_preset("slr_var")), options);
  EXPECT_EQ(json["count"], counts.count);
  EXPECT_EQ(json["sc_value"], std::vector<double>(counts.sc_value.begin(), counts.sc_value.end()));
  EXPECT_EQ(json["accuracy"]["mean"], counts.accuracy.mean);
  EXPECT_EQ(json["accuracy"]["sd_over_repeats"], counts.accuracy.sd);
  EXPECT_EQ(json["accuracy"]["standard_error"], counts.accuracy_error);
  EXPECT_EQ(json["log_loss"]["mean"], counts.log_loss.mean);
  EXPECT_EQ(json["survivors"]["mean"], counts.num_survivors.mean);
  EXPECT_EQ(json["classes"], (Json{"0", "1"}));
  EXPECT_EQ(json["preset"], "slr_var");
  EXPECT_EQ(json["status"], to_string(counts.status));
  EXPECT_EQ(json["fits"].size(), 15u);
  EXPECT_EQ(json["fits"][14]["repeat"], 3);
  EXPECT_EQ(json["features"].size(), 12u);
  std::vector<std::string> first = json["ranking"];
  first.resize(3);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, (std::vector<std::string>{"x1", "x2", "x3"}));  // those that matter
}

// The deal on paper is enough to do a fit again.
TEST_F(Select, WritesTheDealOfTheFolds) {
  const Json json = json_of(slr_ + Arguments{"--folds-out", "folds.csv"}, folder_.path());
  const std::string csv = testing::read_bytes(folder_ / "folds.csv");
  const std::vector<double> repeat = testing::column(csv, "repeat"), row = testing::column(csv, "row"), fold = testing::column(csv, "fold");
  ASSERT_EQ(row.size(), 600u);
  std::vector<Index> training, test;
  for (std::size_t i = 0; i < 600; ++i)
    if (repeat[i] == 2) (fold[i] == 4 ? test : training).push_back(static_cast<Index>(row[i]) - 1);
  ASSERT_EQ(test.size(), 40u);
  const testing::Sample::RowMajor X = sample_.X(training, Eigen::all), X_test = sample_.X(test, Eigen::all);
  const Vector labels = sample_.labels(training);
  const LogisticFit fit = fit_logistic(X, labels, options_for_preset("slr_var"));
  const Json again = json["fits"][8];  // repeat 2, fold 4
  EXPECT_EQ(again["survivors"], std::count(fit.relevant.begin(), fit.relevant.end(), true));
  const Vector p = predict(fit, X_test).probability;
  double hits = 0;
  for (Index i = 0; i < 40; ++i) hits += (p[i] > 0.5) == (sample_.labels[test[static_cast<std::size_t>(i)]] > 0.5) ? 1 : 0;
  EXPECT_NEAR(again["accuracy"].get<double>(), hits / 40, 1e-12);
}

TEST_F(Select, CountsTheFitsThatDidNotConverge) {
  const Json json = json_of(slr_ + Arguments{"--max-sweeps", "2"}, folder_.path());
  EXPECT_EQ(json["status"], "max_sweeps");
  EXPECT_TRUE(contains(json["message"], "15 of 15 fits did not converge; 15 of 15 fits in ")) << json["message"];
}

TEST_F(Select, TakesWholeSeedsThatADoubleHolds) {
  EXPECT_EQ(json_of(slr_ + Arguments{"--seed", "9007199254740992"}, folder_.path())["seed"], 9007199254740992U);
  for (const char* seed : {"18446744073709551615", "-1", "1.5"})
    expect_refused(slr_ + Arguments{"--seed", seed}, folder_, 2, {"--seed", "from 0 to 9007199254740992"});
}

TEST_F(Select, GivesTheSameAtAnyNumberOfThreads) {
  const auto select = [&](const char* threads, const char* seed) {
    Json json = json_of(slr_ + Arguments{"--threads", threads, "--seed", seed}, folder_.path());
    json.erase("seconds");
    json.erase("message");  // which tells the time
    return json;
  };
  const Json one = select("1", "1");
  EXPECT_EQ(select("2", "1"), one);
  EXPECT_EQ(select("3", "1"), one);
  EXPECT_NE(select("2", "2")["fits"], one["fits"]);
}

TEST_F(Select, TakesTheOptionsOfModels) {
  for (const Arguments& more : {Arguments{"--prior", "ard"},
                                {"--prior", "ard", "--likelihood", "jj"},
                                {"--prior", "groups", "--group", "g=x1,x2"},
                                {"--prior", "ard", "--a0", "1", "--b0", "1"},
                                {"--no-intercept"}}) {
    const Json json = json_of(
        Arguments{"select", "data.csv", "--target", "label", "--ignore", "y", "--model", "logistic", "--folds", "3", "--repeats", "1"} +
            more,
        folder_.path());
    EXPECT_EQ(json["fits"].size(), 3u);
    EXPECT_GT(json["accuracy"]["mean"], 0.7);
    EXPECT_TRUE(json["accuracy"]["sd_over_repeats"].is_null());  // of one repeat
  }
}

TEST_F(Select, WritesTheCountsOfAllFeatures) {
  const std::string table = output_of(slr_ + Arguments{"--top", "2", "-o", "counts.csv"}, folder_.path());
  EXPECT_TRUE(contains(table, "Selection counts (preset slr_var): 15 fits (5 folds, 3 repeats, seed 1)")) << table;
  EXPECT_TRUE(contains(table, "more that survived")) << table;
  EXPECT_TRUE(contains(table, "counts                counts.csv")) << table;
  const std::vector<std::string> lines = testing::lines_of(testing::read_bytes(folder_ / "counts.csv"));
  ASSERT_EQ(lines.size(), 13u);
  EXPECT_EQ(lines[0], "feature,count,share,sc_value");
  const Json json = json_of(slr_, folder_.path());
  for (std::size_t j = 0; j < 12; ++j) {
    const std::vector<std::string> fields = testing::fields_of(lines[j + 1]);
    EXPECT_EQ(fields[0], json["features"][j]);
    EXPECT_EQ(std::stoi(fields[1]), json["count"][j]);
    EXPECT_EQ(std::stod(fields[2]), json["share"][j]);
    EXPECT_EQ(std::stod(fields[3]), json["sc_value"][j]);
  }
  EXPECT_EQ(output_of(slr_ + Arguments{"-q"}, folder_.path()), "");
}

TEST_F(Select, TakesTextsWeightsAndRowsThatLackValues) {
  std::string text = "x,colour,k,w\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format("{},{},{},{}\n", i == 5 ? "NA" : fmt::format("{}", (i * 37) % 40 + (i % 2) * 20),
                        i % 3 == 0 ? "\"red, dark\"" : "blue", i % 2 == 0 ? "no" : "yes", i % 4 == 0 ? 2 : 1);
  put(text);
  const Json json =
      json_of({"select", "data.csv", "--target", "k", "--weights", "w", "--missing", "drop", "--model", "logistic", "--folds", "4"},
              folder_.path());
  EXPECT_EQ(json["classes"], (Json{"no", "yes"}));
  EXPECT_EQ(json["class_weight"], (Json{30.0, 19.0}));
  EXPECT_EQ(json["features"], (Json{"x", "colour=red, dark"}));
  EXPECT_EQ(json["notes"].back(), "1 row was dropped because a value was missing; most gaps are in column 'x' (1)");
  output_of({"select", "data.csv", "--target", "k", "--missing", "drop", "--model", "logistic", "--folds", "4", "-q", "-o", "counts.csv"},
            folder_.path());
  EXPECT_TRUE(contains(testing::read_bytes(folder_ / "counts.csv"), "\n\"colour=red, dark\","));
}

TEST_F(Select, ServesRegressions) {
  const Arguments numbers = {"select", "data.csv", "--target", "y", "--ignore", "label", "--folds", "5", "--repeats", "2"};
  const Json json = json_of(numbers + Arguments{"--model", "linear", "--prior", "ard"}, folder_.path());
  EXPECT_FALSE(json.contains("classes") || json.contains("accuracy"));
  EXPECT_EQ(json["fits"].size(), 10u);
  const std::string text = output_of(numbers + Arguments{"--model", "linear", "--prior", "ard"}, folder_.path());
  EXPECT_TRUE(contains(text, "R^2, new rows         ") && contains(text, "(chance 0.0000)") && contains(text, "target y\n")) << text;
  EXPECT_EQ(json_of(numbers + Arguments{"--preset", "vb_linear_fit_ard"}, folder_.path())["fits"].size(), 10u);
}

TEST_F(Select, RefusesWhatCannotBeCounted) {
  const Arguments label = {"--target", "label", "--ignore", "y"}, slr = label + Arguments{"--preset", "slr_var"};
  refused(label, {"--model logistic, or --preset NAME"});
  refused(slr + Arguments{"--model", "logistic"}, {"--model and --preset cannot be used together"});
  refused(label + Arguments{"--model", "rvm"}, {"--model is 'rvm'", "--model linear or logistic"});
  refused(label + Arguments{"--preset", "slr_rvm"}, {"slr_rvm selects rows"});
  refused(slr + Arguments{"--folds", "1"}, {"--folds is 1;", "at least 2"});
  refused(slr + Arguments{"--folds", "201"}, {"--folds is 201;", "200 rows"});
  refused(slr + Arguments{"--repeats", "0"}, {"--repeats is 0;"});
  refused(slr + Arguments{"--threads", "-2"}, {"threads is -2"});
  refused(slr + Arguments{"--top", "-1"}, {"--top is -1"});
  refused(slr + Arguments{"--seed", "-1"}, {"--seed is -1"});
  refused(slr + Arguments{"--a0", "1"}, {"--a0 cannot be used with slr_var"});
  refused({"--target", "x1", "--model", "logistic"}, {"'x1'", "different numbers"});
  put("x,k\n1,a\n2,a\n3,b\n");
  refused({"--target", "k", "--model", "logistic", "--folds", "2"}, {"class b has one row", "two"});
}

TEST_F(Select, NotesClassesThatAreRarerThanFolds) {
  std::string text = "x,k\n";
  for (int i = 0; i < 24; ++i) text += fmt::format("{},{}\n", (i * 7) % 24, i % 8 == 0 ? "rare" : "often");
  put(text);
  const std::string table = output_of({"select", "data.csv", "--target", "k", "--model", "logistic", "--folds", "6"}, folder_.path());
  EXPECT_TRUE(contains(table, "class rare has 3 rows, fewer than 6 folds: 3 folds of each repeat test none of it")) << table;
}

TEST_F(Select, ShowsAProgressLineOnATerminal) {
  int here = -1, there = -1;
  if (::openpty(&here, &there, nullptr, nullptr, nullptr) != 0) GTEST_SKIP() << "there are no pseudo-terminals";
  for (const int end : {here, there}) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  const Arguments endless = {"select",  "data.csv", "--target", "label", "--ignore",  "y",
                             "--model", "logistic", "--folds",  "10",    "--repeats", "20000"};
  testing::Program program(endless, folder_.path(), {"TERM=xterm"}, {.err = there});
  std::string text;
  std::array<char, 256> block;
  while (!contains(text, " of 200000, ")) {
    const ssize_t size = ::read(here, block.data(), block.size());
    ASSERT_GT(size, 0);
    text.append(block.data(), static_cast<std::size_t>(size));
  }
  EXPECT_TRUE(contains(text, "\r\033[Kfitting: fold ")) << text;
  program.signal(SIGINT);
  EXPECT_EQ(program.outcome().exit_code, 130);
  ::close(here);
  ::close(there);
}

}  // namespace
}  // namespace ardvark
