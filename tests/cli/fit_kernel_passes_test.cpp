// ardvark fit --model kernel --stream: kernel machines by several passes over tables that are read in pieces.
#include <fmt/format.h>

#include <cmath>
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

constexpr int rows_of_passes = 41000;  // more than twice the sample

class KernelByPasses : public ::testing::Test {
 protected:
  KernelByPasses() {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    lines_ = {"age,rent,city,price,click"};
    for (int i = 0; i < rows_of_passes; ++i) {
      const double age = normal(random), rent = 50 + 10 * normal(random);
      const bool ulm = i > 36000 && random() % 3 == 0;  // the first pieces have one level
      const double f = std::sin(2 * age) + ulm;
      const bool yes = std::generate_canonical<double, 53>(random) < 1 / (1 + std::exp(-3 * f));
      lines_.push_back(fmt::format("{:.6g},{:.6g},{},{:.6g},{}", age, rent, ulm ? "Ulm" : "Bern", f + 0.3 * normal(random), yes ? 1 : 0));
    }
    put("all.csv", 1, rows_of_passes);
  }
  void put(const std::string& name, int first, int last) const {
    std::string text = lines_[0] + "\n";
    for (int i = first; i <= last; ++i) text += lines_[static_cast<std::size_t>(i)] + "\n";
    write_bytes(folder_ / name, text);
  }
  [[nodiscard]] Json fit(const Arguments& more, const char* centres = "20") const {
    return Json::parse(
        output_of(Arguments{"fit", "--model", "kernel", "--kernel", "gaussian", "--centres", centres, "--json"} + more, folder_.path()));
  }
  testing::TemporaryFolder folder_;
  std::vector<std::string> lines_;
};

TEST_F(KernelByPasses, FitsAsInMemory) {
  for (const char* target : {"price", "click"}) {
    const Arguments options = {"all.csv", "--target", target, "--ignore", std::string(target) == "price" ? "click" : "price"};
    const Json pieces = fit(options + Arguments{"--stream", "always"}), memory = fit(options + Arguments{"--stream", "never"});
    EXPECT_EQ(pieces["num_rows"], memory["num_rows"]);
    const bool is_regression = std::string(target) == "price";
    const std::string fit_to_rows = is_regression ? "r_squared" : "log_loss";
    ASSERT_TRUE(pieces.contains(fit_to_rows)) << pieces.dump();
    EXPECT_NEAR(pieces[fit_to_rows].get<double>(), memory[fit_to_rows].get<double>(), 0.005) << target;
  }
}

TEST_F(KernelByPasses, SeveralFilesAreOneTable) {
  put("p1.csv", 1, 100), put("p2.csv", 101, 17000), put("p3.csv", 17001, rows_of_passes);
  const Arguments options = {"--target", "price", "--ignore", "click", "--width", "1"};
  const Json one = fit(Arguments{"all.csv", "--stream", "always"} + options),
             three = fit(Arguments{"p1.csv", "p2.csv", "p3.csv", "--stream", "always"} + options);
  EXPECT_EQ(one["log_evidence"], three["log_evidence"]);
  EXPECT_EQ(one["relevance_rows"], three["relevance_rows"]);
}

// The last column becomes one of three classes, as texts or as numbers. The third one comes late.
TEST_F(KernelByPasses, FitsThreeClassesAsInMemory) {
  std::mt19937 random(6);
  std::string texts = "age,rent,visit\n", numbers = texts;
  for (int i = 1; i <= rows_of_passes; ++i) {
    const std::string& line = lines_[static_cast<std::size_t>(i)];
    const std::string inputs = line.substr(0, line.find(',', line.find(',') + 1) + 1);
    const double age = std::stod(line);
    const bool often = i > 6000 && std::generate_canonical<double, 53>(random) < 1 / (1 + std::exp(1 - 2 * age));
    texts += inputs + (often ? "often" : line.ends_with("1") ? "once" : "never") + "\n";
    numbers += inputs + (often ? "4" : line.ends_with("1") ? "3" : "1") + "\n";
  }
  write_bytes(folder_ / "texts.csv", texts), write_bytes(folder_ / "numbers.csv", numbers);
  const std::size_t half = texts.find('\n', texts.size() / 2) + 1;
  write_bytes(folder_ / "t1.csv", texts.substr(0, half));
  write_bytes(folder_ / "t2.csv", texts.substr(0, texts.find('\n') + 1) + texts.substr(half));
  const Arguments options = {"--target", "visit", "--width", "1", "--stream"};
  const auto with_few = [&](const Arguments& files, const char* stream) { return fit(files + options + Arguments{stream}, "10"); };
  const Json pieces = with_few({"texts.csv"}, "always"), memory = with_few({"texts.csv"}, "never"),
             two = with_few({"t1.csv", "t2.csv"}, "always"), coded = with_few({"numbers.csv", "--task", "classification"}, "always");
  EXPECT_EQ(pieces["classes"], memory["classes"]);
  EXPECT_EQ(pieces["classes"].size(), 3U);
  EXPECT_EQ(coded["classes"], Json({"1", "3", "4"}));
  for (const char* result : {"log_loss", "accuracy"}) {
    EXPECT_NEAR(pieces[result].get<double>(), memory[result].get<double>(), 0.005) << result;
    EXPECT_EQ(pieces[result], two[result]);
    EXPECT_NEAR(pieces[result].get<double>(), coded[result].get<double>(), 1e-9);
  }
  EXPECT_EQ(pieces["relevance_rows"], two["relevance_rows"]);
}

TEST_F(KernelByPasses, RefusesWhatNeedsTheTable) {
  const auto refused = [&](const Arguments& more, testing::Pieces words) {
    expect_refused(Arguments{"fit", "all.csv", "--model", "kernel", "--stream", "always", "--ignore", "click"} + more, folder_, 2, words);
  };
  refused({"--target", "price", "--centres", "all"}, {"--centres all needs the table in memory"});
  refused({"--target", "price", "--vectors", "9"}, {"--vectors needs the table in memory"});
  refused({"--target", "city", "--task", "regression"}, {"city", "text"});
}

}  // namespace
}  // namespace ardvark
