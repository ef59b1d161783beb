// ardvark fit --model logistic --stream: classes by several passes over tables that are read in pieces.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::expect_refused;
using testing::Json;
using testing::Numbers;
using testing::output_of;
using testing::write_bytes;

constexpr int rows_of_all = 21000;  // more than the sample, and three pieces

std::vector<std::string> lines() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<std::string> out = {"age,rent,city,weight,click"};
  for (int i = 0; i < rows_of_all; ++i) {
    const double age = normal(random), rent = 50 + 10 * normal(random);
    const bool ulm = i > 9000 && random() % 3 == 0;  // the first piece has one level
    const bool yes = std::generate_canonical<double, 53>(random) < 1 / (1 + std::exp(-(age - 0.03 * (rent - 50) + ulm)));
    out.push_back(fmt::format("{:.6g},{:.6g},{},{},{}", age, rent, ulm ? "Ulm" : "Bern", 1 + random() % 3, yes ? "yes" : "no"));
  }
  return out;
}

class FitByPasses : public ::testing::Test {
 protected:
  FitByPasses() : lines_(lines()) { put("all.csv", 1, rows_of_all); }
  void put(const std::string& name, int first, int last) const {
    std::string text = lines_[0] + "\n";
    for (int i = first; i <= last; ++i) text += lines_[static_cast<std::size_t>(i)] + "\n";
    write_bytes(folder_ / name, text);
  }
  [[nodiscard]] Json fit(const Arguments& more) const {
    return Json::parse(output_of(Arguments{"fit", "--target", "click", "--model", "logistic", "--json"} + more, folder_.path()));
  }
  testing::TemporaryFolder folder_;
  std::vector<std::string> lines_;
};

TEST_F(FitByPasses, OfStudentNoiseIsTheFitInMemory) {  // (PASS.12)
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(3);
  std::string text = "age,city,weight,rent,light\n";
  for (int i = 0; i < 12000; ++i) {
    const double age = normal(random), mean = 50 + 4 * age + 2 * (i % 3 == 0);
    text += fmt::format("{:.6g},{},{},{:.8g},{}\n", age, i % 3 == 0 ? "Ulm" : "Bern", 1 + i % 2, mean + 5 * heavy(random),
                        i % 100 == 50 ? "" : fmt::format("{:.8g}", mean + 5 * normal(random)));
  }
  write_bytes(folder_ / "rent.csv", text);
  const Arguments common = {"fit", "rent.csv", "--model", "linear", "--weights", "weight", "--tolerance", "1e-14", "--json"};
  const double allowed =
      2 * std::sqrt(2 * 1e-14 * 12000);  // each fit may leave 1e-14 nats a row, which is half of a squared distance in sd
  for (const char* prior : {"shared", "ard", "none"})
    for (const char* noise : {"student", "auto"})
      for (const auto& [target, other] : {std::pair{"rent", "light"}, {"light", "rent"}}) {
        SCOPED_TRACE(fmt::format("{} {} {}", prior, noise, target));
        const Arguments all =
            common + Arguments{"--prior", prior, "--noise", noise, "--target", target, "--ignore", other, "--missing", "drop"};
        const Json memory = Json::parse(output_of(all + Arguments{"--stream", "never"}, folder_.path()));
        const Json pieces = Json::parse(output_of(all + Arguments{"--stream", "always"}, folder_.path()));
        EXPECT_EQ(pieces["status"], "converged");
        EXPECT_EQ(pieces["columns"], memory["columns"]);
        EXPECT_EQ(pieces["num_rows"], memory["num_rows"]);
        EXPECT_EQ(pieces["noise"]["family"], memory["noise"]["family"]);
        EXPECT_EQ(pieces["noise"]["family"], noise == std::string("auto") && target == std::string("light") ? "normal" : "student");
        for (const char* name : {"mean", "sd"}) {
          const Numbers found = pieces[name].get<Numbers>(), known = memory[name].get<Numbers>();
          for (std::size_t j = 0; j < known.size(); ++j)
            EXPECT_NEAR(found[j], known[j], allowed * memory["sd"][j].get<double>()) << name << j;
        }
        EXPECT_NEAR(pieces["bound"].get<double>(), memory["bound"].get<double>(), 1e-4);
        EXPECT_NEAR(pieces["r_squared"].get<double>(), memory["r_squared"].get<double>(), 1e-8);
        EXPECT_TRUE(!pieces.contains("row_weight") || pieces["row_weight"].empty());
      }
  const Arguments always = common + Arguments{"--target", "rent", "--noise", "student", "--ignore", "light", "--stream", "always"};
  for (const char* prior : {"sparse", "slab", "dense"})
    expect_refused(always + Arguments{"--prior", prior}, folder_, 2,
                   {fmt::format("--prior {} of --noise student needs the table in memory", prior).c_str()});
}

TEST_F(FitByPasses, IsTheFitInMemory) {
  for (const char* prior : {"ard", "auto"})
    for (const Arguments& weights : {Arguments{}, Arguments{"--weights", "weight"}}) {
      const Arguments options =
          Arguments{"all.csv", "--prior", prior, "--tolerance", std::string(prior) == "ard" ? "1e-10" : "1e-5"} + weights;
      const Json pieces = fit(options + Arguments{"--stream", "always"}), memory = fit(options + Arguments{"--stream", "never"});
      EXPECT_EQ(pieces["status"], "converged");
      EXPECT_EQ(pieces["columns"], memory["columns"]);
      EXPECT_EQ(pieces["classes"], memory["classes"]);
      const Numbers mean = pieces["mean"], expected = memory["mean"], sd = memory["sd"];
      for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(mean[j], expected[j], 0.01 * sd[j]) << prior << " " << j;
      EXPECT_NEAR(pieces["bound"].get<double>(), memory["bound"].get<double>(), 0.01);
      EXPECT_NEAR(pieces["log_loss"].get<double>(), memory["log_loss"].get<double>(), 1e-5);
    }
}

TEST_F(FitByPasses, UnderALaplacePriorIsTheFitInMemory) {
  const Arguments options = {"all.csv", "--prior", "laplace", "--weights", "weight", "--lambda", "250"};
  const Json pieces = fit(options + Arguments{"--stream", "always"}), memory = fit(options + Arguments{"--stream", "never"});
  EXPECT_EQ(pieces["status"], "converged");
  EXPECT_EQ(pieces["relevant"], memory["relevant"]);
  const Numbers mean = pieces["mean"], expected = memory["mean"], sd = memory["sd"];
  for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(mean[j], expected[j], 1e-6 * sd[j]) << j;
  EXPECT_NEAR(pieces["bound"].get<double>(), memory["bound"].get<double>(), 1e-5);
  put("p1.csv", 1, 100), put("p2.csv", 101, rows_of_all);
  const Arguments chosen = {"--prior", "laplace", "--folds", "3", "--stream", "always", "--path", "path.csv"};
  const Json one = fit(Arguments{"all.csv"} + chosen), two = fit(Arguments{"p1.csv", "p2.csv"} + chosen);
  EXPECT_EQ(one["mean"], two["mean"]);
  EXPECT_EQ(one["lambda"], two["lambda"]);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "path.csv"));
}

// Few rows: the fit is made in memory, and what is said of the readings is of different ones.
TEST_F(FitByPasses, SaysOnceHowOftenATableWasReadForTheFit) {
  put("few.csv", 1, 300);
  for (const Arguments& how : {Arguments{"few.csv"}, Arguments{"all.csv"}}) {
    const Json notes = fit(how + Arguments{"--prior", "shared", "--stream", "always"})["notes"];
    int of_the_fit = 0, of_the_columns = 0;
    for (const Json& note : notes) {
      const std::string text = note;
      of_the_fit += text.starts_with("the rows were read ");
      of_the_columns += text.find("once for its columns and classes") != std::string::npos;
      EXPECT_EQ(text.find("once for each pass"), std::string::npos) << text;
    }
    EXPECT_EQ(of_the_fit, 1) << notes;
    EXPECT_EQ(of_the_columns, 1) << notes;
  }
}

TEST_F(FitByPasses, SeveralFilesAreOneTable) {
  put("p1.csv", 1, 100), put("p2.csv", 101, 17000), put("p3.csv", 17001, rows_of_all);
  for (const char* stream : {"always", "never"}) {
    const Json one = fit({"all.csv", "--prior", "ard", "--stream", stream}),
               three = fit({"p1.csv", "p2.csv", "p3.csv", "--prior", "ard", "--stream", stream});
    EXPECT_EQ(one["mean"], three["mean"]);
    EXPECT_EQ(one["bound"], three["bound"]);
  }
}

TEST_F(FitByPasses, SeveralFilesThatFitInMemoryTakeEveryOptionAndModel) {
  put("p1.csv", 1, 40), put("p2.csv", 41, 300), put("one.csv", 1, 300);
  for (const Arguments& more : {Arguments{"--model", "logistic"}, Arguments{"--model", "logistic", "--prior", "laplace", "--folds", "3"},
                                Arguments{"--model", "linear", "--ignore", "click", "--target", "rent", "--stream", "never"},
                                Arguments{"--model", "rvm"}, Arguments{"--model", "kernel"}, Arguments{"--preset", "slr_var"}}) {
    const Arguments target = std::find(more.begin(), more.end(), "--target") == more.end() ? Arguments{"--target", "click"} : Arguments{};
    const auto fit = [&](const Arguments& files) {
      Json found = Json::parse(output_of(Arguments{"fit", "--json", "--ignore", "weight"} + files + target + more, folder_.path()));
      for (const char* name : {"seconds", "fit_seconds"}) found.erase(name);
      return found;
    };
    EXPECT_EQ(fit({"p1.csv", "p2.csv"}), fit({"one.csv"})) << ::testing::PrintToString(more);
  }
  write_bytes(folder_ / "bad.csv", "age,rent,city,weight,click\n1,2,Ulm,1,yes\n1,x,Ulm,1,yes\n");
  expect_refused({"fit", "p1.csv", "bad.csv", "--target", "click", "--model", "rvm"}, folder_, 2,
                 {"row 2 (line 3) of 'bad.csv', column 'rent'"});
}

// As parts that different programs wrote.
TEST_F(FitByPasses, TrueAndFalseInSeveralSpellingsAreTwoClasses) {
  std::string spelled = "x,click\n", plain = spelled, only_true = spelled;
  for (int i = 0; i < 80; ++i) {
    const bool is_true = i % 3 == 0 || i % 7 == 2;
    const char* const words[] = {"false", "FALSE", "False", "true", "TRUE", "True"};
    const double x = std::sin(i * 1.3) + (is_true ? 0.5 : 0);
    spelled += fmt::format("{},{}\n", x, words[(is_true ? 3 : 0) + i % 5 % 3]);
    plain += fmt::format("{},{}\n", x, is_true ? "True" : "False");
    only_true += fmt::format("{},{}\n", x, words[3 + i % 3]);
  }
  write_bytes(folder_ / "spelled.csv", spelled);
  write_bytes(folder_ / "plain.csv", plain);
  write_bytes(folder_ / "true.csv", only_true);
  for (const char* model : {"logistic", "kernel"})
    for (const char* way : {"always", "never"}) {
      const Arguments options = {"--model", model, "--stream", way};
      const auto fitted = [&](const char* table) {
        const Arguments words = {"fit", table, "--target", "click", "--json"};
        return Json::parse(output_of(words + options, folder_.path()));
      };
      const Json several = fitted("spelled.csv"), one = fitted("plain.csv");
      EXPECT_EQ(several["classes"], (Json{"False", "True"})) << model << way;
      EXPECT_EQ(several["bound"], one["bound"]) << model << way;
      EXPECT_EQ(several["accuracy"], one["accuracy"]) << model << way;
    }
  const Json listed = fit({"spelled.csv", "--categorical", "click", "--stream", "always"});
  EXPECT_EQ(listed["classes"].size(), 6U);
  expect_refused({"fit", "true.csv", "--target", "click", "--model", "logistic", "--stream", "always"}, folder_, 2, {"1 class (True)"});
}

TEST_F(FitByPasses, TheModelPredicts) {
  output_of({"fit", "all.csv", "--target", "click", "--model", "logistic", "--stream", "always", "-q", "-o", "m.ardvark"}, folder_.path());
  EXPECT_NE(output_of({"predict", "m.ardvark", "all.csv"}, folder_.path()).find("probability_yes"), std::string::npos);
}

// Three classes, of which a late piece has one first.
class FitClassesByPasses : public FitByPasses {
 protected:
  FitClassesByPasses() {
    std::mt19937 random(6);
    for (std::size_t i = 12000; i < lines_.size(); ++i)
      if (random() % 3 == 0) lines_[i] = lines_[i].substr(0, lines_[i].rfind(',')) + ",maybe";
    put("all.csv", 1, rows_of_all);
  }
};

TEST_F(FitClassesByPasses, IsTheFitInMemory) {
  using Coded = std::pair<const char*, const char*>;
  for (const auto& [prior, coding] :
       {Coded{"ard", "one-against-rest"}, {"sparse", "automatic"}, {"ard", "softmax"}, {"auto", "automatic"}}) {
    const Arguments options = {"all.csv", "--prior", prior, "--weights", "weight", "--coding", coding};
    const Json pieces = fit(options + Arguments{"--stream", "always"}), memory = fit(options + Arguments{"--stream", "never"});
    EXPECT_EQ(pieces["status"], "converged");
    EXPECT_EQ(pieces["coding"], memory["coding"]);
    EXPECT_EQ(pieces["columns"], memory["columns"]);
    EXPECT_EQ(pieces["classes"], memory["classes"]);
    EXPECT_EQ(pieces["classes"], (std::vector<std::string>{"maybe", "no", "yes"}));
    const auto rows = pieces["mean"], expected = memory["mean"], sd = memory["sd"];
    ASSERT_EQ(rows.size(), 3U);
    for (std::size_t c = 0; c < rows.size(); ++c)
      for (std::size_t j = 0; j < rows[c].size(); ++j)
        EXPECT_NEAR(rows[c][j].get<double>(), expected[c][j].get<double>(), 0.01 * sd[c][j].get<double>()) << prior << coding << c << j;
    EXPECT_NEAR(pieces["bound"].get<double>(), memory["bound"].get<double>(), 0.01);
    EXPECT_NEAR(pieces["log_loss"].get<double>(), memory["log_loss"].get<double>(), 1e-5);
  }
}

// Each class has a regression, so that a likelihood is that of the regressions.
TEST_F(FitClassesByPasses, HaveTheLikelihoodThatIsAskedFor) {
  for (const char* likelihood : {"jj", "laplace", "vg"}) {
    const Arguments options = {"all.csv", "--prior", "ard", "--likelihood", likelihood, "--tolerance", "1e-11"};
    const Json pieces = fit(options + Arguments{"--stream", "always"}),
               memory = fit(options + Arguments{"--stream", "never", "--coding", "one-against-rest"});
    EXPECT_EQ(pieces["status"], "converged");
    EXPECT_NEAR(pieces["bound"].get<double>(), memory["bound"].get<double>(), 0.01) << likelihood;
    const auto mean = pieces["mean"], expected = memory["mean"], sd = memory["sd"];
    for (std::size_t c = 0; c < mean.size(); ++c)
      for (std::size_t j = 0; j < mean[c].size(); ++j)
        EXPECT_NEAR(mean[c][j].get<double>(), expected[c][j].get<double>(), 0.01 * sd[c][j].get<double>()) << likelihood;
  }
}

TEST_F(FitClassesByPasses, SeveralFilesAreOneTableAndTheModelPredicts) {
  put("p1.csv", 1, 100), put("p2.csv", 101, 17000), put("p3.csv", 17001, rows_of_all);
  const Json one = fit({"all.csv", "--stream", "always", "-o", "m.ardvark"}),
             three = fit({"p1.csv", "p2.csv", "p3.csv", "--stream", "always"});
  EXPECT_EQ(one["mean"], three["mean"]);
  EXPECT_EQ(one["bound"], three["bound"]);
  const std::string predicted = output_of({"predict", "m.ardvark", "p1.csv", "p2.csv"}, folder_.path());
  for (const char* name : {"probability_maybe", "probability_no", "probability_yes"}) EXPECT_NE(predicted.find(name), std::string::npos);
  EXPECT_EQ(std::ranges::count(predicted, '\n'), 17001);
}

// Numbers as classes are in the order of their values.
TEST_F(FitClassesByPasses, NumbersAreClasses) {
  std::string text = "a,y\n";
  std::mt19937 random(7);
  for (int i = 0; i < 12000; ++i) text += fmt::format("{},{}\n", random() % 1000, static_cast<int>(random() % 3) * 10 - 5);
  write_bytes(folder_ / "numbers.csv", text);
  const Json found = Json::parse(
      output_of({"fit", "numbers.csv", "--target", "y", "--model", "logistic", "--stream", "always", "--json"}, folder_.path()));
  EXPECT_EQ(found["classes"], (std::vector<std::string>{"-5", "5", "15"}));
}

TEST_F(FitByPasses, NamesWhatIsWrong) {
  const auto refused = [&](int line, const std::string& text, testing::Pieces pieces, const Arguments& more = {},
                           const char* target = "click") {
    std::vector<std::string> now = lines_;
    if (std::string(target) == "weight") now[15000] = "1,2,Ulm,2.5,yes";
    if (line > 0) now[static_cast<std::size_t>(line)] = text;
    std::string all;
    for (const std::string& one : now) all += one + "\n";
    write_bytes(folder_ / "bad.csv", all);
    expect_refused(Arguments{"fit", "bad.csv", "--target", target, "--model", "logistic", "--stream", "always", "-o", "m.ardvark"} + more,
                   folder_, 2, pieces);
  };
  refused(15000, "x,2,Ulm,1,yes", {"row 15000 (line 15001), column 'age'"});
  refused(15000, ",2,Ulm,1,yes", {"row 15000", "age"});
  refused(15000, "1,2,Ulm,-1,yes", {"weight", "-1"}, {"--weights", "weight"});
  refused(0, "", {"row 1001 (line 1002)", "target 'age' has more than 1000 classes", "--model linear"}, {}, "age");
  refused(0, "", {"target 'weight' has 4 different numbers (1, 2, 2.5, 3)", "--model linear", "--categorical weight"}, {}, "weight");
  refused(0, "", {"--coding one-against-one needs the table in memory"}, {"--coding", "one-against-one"});
  ASSERT_EQ(::mkfifo((folder_ / "pipe.csv").c_str(), 0600), 0);
  expect_refused({"fit", "pipe.csv", "--target", "click", "--model", "logistic", "--stream", "always"}, folder_, 2,
                 {"'pipe.csv' is a pipe or a device, which can be read only once", "--stream never"});
  put("one.csv", 1, 1);
  expect_refused({"fit", "one.csv", "--target", "click", "--model", "logistic", "--stream", "always"}, folder_, 2, {"has 1 class"});
}

TEST_F(FitByPasses, AFitWithoutPosteriorCountsTheRowsOfTheClasses) {
  write_bytes(folder_ / "separated.csv", "x,y\n1,no\n2,no\n3,yes\n4,yes\n5,yes\n");
  const std::string text = output_of({"fit", "separated.csv", "--target", "y", "--model", "logistic", "--prior", "none"}, folder_.path());
  EXPECT_TRUE(testing::contains(text, "separated")) << text;
  EXPECT_TRUE(testing::contains(text, "probability of yes (3 rows) against no (2 rows)")) << text;
}

}  // namespace
}  // namespace ardvark
