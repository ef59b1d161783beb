// fit and predict of Matrix Market and svmlight files, against the same numbers as CSV.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fit_command.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::Json;
using testing::json_of;
using testing::output_of;

constexpr Index rows = 40, cols = 5;

// Mostly zeros; the first column has entries, so that the index base shows.
double entry(Index i, Index j) { return (i + 2 * j) % 3 == 0 ? 0.25 * static_cast<double>((7 * i + 5 * j + i * j) % 11) - 1 : 0.0; }
double target(Index i) { return 0.5 + 2 * entry(i, 1) - entry(i, 3) + 0.1 * static_cast<double>((13 * i) % 7); }

class MatrixFiles : public testing::FitCommand {
 protected:
  MatrixFiles() {
    std::string csv = "x1,x2,x3,x4,x5,y\n", svm, svm_from_0, entries, y = "y\n";
    Index count = 0;
    for (Index i = 0; i < rows; ++i) {
      svm += fmt::format("{}", target(i)), svm_from_0 += fmt::format("{}", target(i)), y += fmt::format("{}\n", target(i));
      for (Index j = 0; j < cols; ++j) {
        csv += fmt::format("{},", entry(i, j));
        if (entry(i, j) == 0) continue;
        ++count;
        svm += fmt::format(" {}:{}", j + 1, entry(i, j)), svm_from_0 += fmt::format(" {}:{}", j, entry(i, j));
        entries += fmt::format("{} {} {}\n", i + 1, j + 1, entry(i, j));
      }
      csv += fmt::format("{}\n", target(i)), svm += '\n', svm_from_0 += '\n';
    }
    put(csv), put(svm, "one.svm"), put(svm_from_0, "zero.svm"), put(y, "y.csv");
    put(fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", rows, cols, count) + entries, "x.mtx");
  }
  [[nodiscard]] Json fit_of(const Arguments& data, const std::string& model) const {
    return json_of(Arguments{"fit"} + data + Arguments{"--model", "linear", "--tolerance", "1e-9", "-o", model}, folder_.path());
  }
  void expect_near(const Json& found, const Json& expected) const {
    EXPECT_NEAR(found["bound"].get<double>(), expected["bound"].get<double>(), 1e-7);
    const auto mean = found["mean"].get<testing::Numbers>(), right = expected["mean"].get<testing::Numbers>();
    ASSERT_EQ(mean.size(), right.size());
    for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(mean[j], right[j], 1e-8) << j;
  }
};

TEST_F(MatrixFiles, GiveTheFitOfTheSameTable) {
  const Json table = fit_of({"data.csv", "--target", "y"}, "t.ardvark");
  expect_near(fit_of({"one.svm"}, "one.ardvark"), table);
  expect_near(fit_of({"zero.svm"}, "zero.ardvark"), table);
  expect_near(fit_of({"x.mtx", "--target", "y.csv:y"}, "x.ardvark"), table);
}

TEST_F(MatrixFiles, PredictWithTheBaseOfTheModel) {
  (void)fit_of({"one.svm"}, "one.ardvark");
  (void)fit_of({"zero.svm"}, "zero.ardvark");
  const std::string one = output_of({"predict", "one.ardvark", "one.svm"}, folder_.path());
  EXPECT_EQ(output_of({"predict", "zero.ardvark", "zero.svm"}, folder_.path()), one);
  EXPECT_EQ(output_of({"predict", "one.ardvark", "x.mtx"}, folder_.path()), one);
}

TEST_F(MatrixFiles, RefuseWhatTheyDoNotHave) {
  const auto refused = [&](const Arguments& data, std::initializer_list<const char*> pieces) {
    testing::expect_refused(Arguments{"fit"} + data, folder_, 2, pieces);
  };
  refused({"x.mtx", "--target", "y"}, {"--target", "FILE:COLUMN"});
  refused({"x.mtx", "--target", "data.csv:z"}, {"z"});
  refused({"one.svm", "--target", "y"}, {"--target", "one.svm"});
  refused({"x.mtx", "--target", "y.csv:y", "--index-base", "1"}, {"--index-base"});
  refused({"zero.svm", "--index-base", "1"}, {"0"});
  refused({"one.svm", "x.mtx"}, {"several files"});
  put("y\n1\n2\n", "short.csv");
  refused({"x.mtx", "--target", "short.csv:y"}, {"2 rows", "40"});
}

}  // namespace
}  // namespace ardvark
