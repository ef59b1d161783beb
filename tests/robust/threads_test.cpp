// Many threads of a program that fit, save and load at once: the answers of one thread, bit for bit. scripts/check runs this under the
// thread sanitizer. None asks for a number of BLAS threads: that number is one for the process (core/blas.hpp), and with it the order of
// sums.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "ardvark/model.hpp"
#include "ardvark/table.hpp"
#include "failing.hpp"
#include "io/temporary_file.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

using Words = std::vector<std::pair<const char*, const char*>>;

struct Case {
  Words options;
  bool classes;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {{{{"model", "linear"}, {"prior", "ard"}}, false},
                                        {{{"model", "linear"}, {"prior", "sparse"}}, false},
                                        {{{"model", "linear"}, {"prior", "dense"}}, false},
                                        {{{"model", "logistic"}, {"prior", "sparse"}}, true},
                                        {{{"model", "logistic"}, {"prior", "shared"}}, true},
                                        {{{"preset", "slr_lap"}}, true},
                                        {{{"model", "rvm"}, {"task", "classification"}, {"width", "1"}}, true}};
  return all;
}

// The bytes of the model without the time that the fit took, and its predictions.
std::string answer(const Case& c, const Matrix& X, const Vector& y, const Vector& labels) {
  ModelOptions options;
  for (const auto& [name, value] : c.options) options.set(name, std::string(value));
  options.set("max_sweeps", 15.0);
  const Vector& target = c.classes ? labels : y;
  SavedModel model = fit_model({X.data(), X.rows(), X.cols()}, {target.data(), target.size()}, options);
  report_of(model).seconds = 0;
  if (model.relevance())
    for (RelevanceMachine& machine : model.relevance()->machines) machine.fit.report.seconds = 0;
  const std::string bytes = model_to_bytes(model);
  return bytes + summary(model_from_bytes(bytes));
}

TEST(Threads, OfAProgramGetTheAnswersOfOne) {
  testing::Random random(5);
  const Matrix X = random.normals(30, 4);
  const Vector y = X.col(0) + 0.3 * random.normals(30);
  const Vector labels = y.unaryExpr([](double v) { return v > 0 ? 1.0 : 0.0; });
  std::vector<std::string> expected;
  for (const Case& c : cases()) expected.push_back(answer(c, X, y, labels));
  const std::int64_t fits = testing::times("ARDVARK_TEST_FITS", 200);
  std::atomic<std::int64_t> next{0}, wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (std::int64_t i = next++; i < fits; i = next++) {
          const auto which = static_cast<std::size_t>(i) % expected.size();
          wrong += answer(cases()[which], X, y, labels) == expected[which] ? 0 : 1;
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, WithThreadsOfTheirOwnGetTheSameUpToTheOrderOfSums) {
  testing::Random random(6);
  const Matrix X = random.normals(60, 20);
  const Vector y = X.col(0) + 0.3 * random.normals(60);
  ModelOptions options;
  options.set("model", std::string("linear"));
  options.set("prior", std::string("sparse"));
  options.set("threads", 3.0);
  const auto bound = [&] { return report_of(fit_model({X.data(), X.rows(), X.cols()}, {y.data(), y.size()}, options)).bound; };
  const double expected = bound();
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) right += std::abs(bound() - expected) <= 1e-9 * std::abs(expected) ? 1 : 0;
      });
  }
  EXPECT_EQ(right, 20);
}

TEST(Threads, ReadATableAndAModelAtOnce) {
  const testing::TemporaryFolder folder;
  const std::string table = folder / "table.csv", file = folder / "model";
  std::string text = "y,a,colour\n";
  for (int i = 0; i < 400; ++i) text += std::to_string(i % 9) + "," + std::to_string(i) + "," + (i % 2 == 0 ? "red" : "blue") + "\n";
  testing::write_bytes(table, text);
  testing::Random random(5);
  const Matrix X = random.normals(30, 4);
  const Vector y = X.col(0);
  ModelOptions options;
  options.set("model", std::string("linear"));
  save_model(file, fit_model({X.data(), X.rows(), X.cols()}, {y.data(), y.size()}, options));
  std::atomic<int> read{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) read += read_csv(table).num_rows == 400 && num_inputs(load_model(file)) == 4 ? 1 : 0;
      });
  }
  EXPECT_EQ(read, 160);
}

}  // namespace
}  // namespace ardvark
