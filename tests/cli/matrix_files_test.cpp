// fit and predict of files of matrices, against the same numbers as CSV.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

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

// Doubles in the format .npy of NumPy.
std::string npy(const std::string& shape, const std::vector<double>& numbers) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': {}, }}", shape);
  header.resize(118, ' ');
  std::string out = std::string("\x93NUMPY\1\0\x76\0", 10) + header;
  out.back() = '\n';
  const std::size_t begin = out.size();
  out.resize(begin + 8 * numbers.size());
  std::memcpy(out.data() + begin, numbers.data(), 8 * numbers.size());
  return out;
}

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
    std::vector<double> X, targets;
    for (Index i = 0; i < rows; ++i) {
      targets.push_back(target(i));
      for (Index j = 0; j < cols; ++j) X.push_back(entry(i, j));
    }
    put(npy(fmt::format("({}, {})", rows, cols), X), "x.npy"), put(npy(fmt::format("({},)", rows), targets), "y.npy");
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
  expect_near(fit_of({"x.mtx", "--target", "y.npy"}, "x.ardvark"), table);
  expect_near(fit_of({"x.npy", "--target", "y.npy"}, "n.ardvark"), table);
  EXPECT_EQ(json_of({"show", "n.ardvark", "--json"}, folder_.path())["target"], "y");
}

TEST_F(MatrixFiles, PredictAlikeInEveryFormat) {
  (void)fit_of({"x.npy", "--target", "y.npy"}, "n.ardvark");
  const std::string dense = output_of({"predict", "n.ardvark", "x.npy"}, folder_.path());
  EXPECT_EQ(output_of({"predict", "n.ardvark", "x.mtx"}, folder_.path()), dense);
  EXPECT_EQ(output_of({"predict", "n.ardvark", "one.svm"}, folder_.path()), dense);
  put(npy("(1, 3)", {1, 2, 3}), "narrow.npy");
  testing::expect_refused({"predict", "n.ardvark", "narrow.npy"}, folder_, 2, {"3 columns", "5"});
}

TEST_F(MatrixFiles, ValuesThatAreNotFiniteAreNamedWithRowAndColumn) {
  put(npy("(2, 2)", {1, 2, 3, std::numeric_limits<double>::quiet_NaN()}), "nan.npy");
  put(npy("(2,)", {1, 2}), "two.npy");
  testing::expect_refused({"fit", "nan.npy", "--target", "two.npy", "--model", "linear"}, folder_, 2,
                          {"row 2, column 'x2' is NaN", "leave out such rows"});
  put(npy("(2, 2)", {1, 2, 3, 5}), "good.npy");
  put(npy("(2,)", {1, std::numeric_limits<double>::infinity()}), "inf.npy");
  testing::expect_refused({"fit", "good.npy", "--target", "inf.npy"}, folder_, 2, {"row 2 of 'inf.npy' is inf"});
}

TEST_F(MatrixFiles, AShapeThatNothingBacksIsRefusedAtOnce) {
  const std::string mark = "%%MatrixMarket matrix coordinate real general\n";
  put(mark + "3 2000000000 1\n1 1 1\n", "wide.mtx");
  put(mark + "2000000000 3 1\n1 1 1\n", "long.mtx");
  put(mark + "3 3 9000000000000000\n1 1 1\n", "full.mtx");
  put("1 2000000000:1\n", "wide.svm");
  put(npy("(3, 2000000000)", {1}), "wide.npy");
  const auto refused = [&](const Arguments& data, std::initializer_list<const char*> pieces) {
    testing::expect_refused(Arguments{"fit"} + data, folder_, 2, pieces);
  };
  refused({"wide.mtx", "--target", "y.npy"}, {"wide.mtx", "2000000000 columns"});
  refused({"long.mtx", "--target", "y.npy"}, {"long.mtx", "2000000000 rows"});
  refused({"full.mtx", "--target", "y.npy"}, {"full.mtx", "1 of the 9000000000000000 entries"});
  refused({"wide.svm"}, {"wide.svm", "2000000000 columns"});
  refused({"wide.npy", "--target", "y.npy"}, {"wide.npy", "needs 48000000000"});
}

TEST_F(MatrixFiles, NameTheColumnsWithAnEffectOfTheSameTable) {
  const Json table = fit_of({"data.csv", "--target", "y", "--fdr", "0.1"}, "t.ardvark");
  const auto columns_of = [](const Json& fit) {
    std::vector<std::vector<Index>> out;
    for (const Json& set : fit["selected"]) out.push_back(set["columns"].get<std::vector<Index>>());
    return out;
  };
  ASSERT_GE(columns_of(table).size(), 2U);
  EXPECT_EQ(columns_of(fit_of({"one.svm", "--fdr", "0.1"}, "one.ardvark")), columns_of(table));
  EXPECT_EQ(columns_of(fit_of({"zero.svm", "--fdr", "0.1"}, "zero.ardvark")), columns_of(table));
  EXPECT_EQ(columns_of(fit_of({"x.mtx", "--target", "y.csv:y", "--fdr", "0.1"}, "x.ardvark")), columns_of(table));
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
  refused({"x.npy", "--target", "x.npy"}, {"40 x 5", "one dimension"});
  refused({"x.npy", "--target", "y.npy", "--model", "kernel"}, {"--model", "kernel needs a table"});
  refused({"x.npy", "--target", "y.npy", "--index-base", "1"}, {"--index-base"});
}

}  // namespace
}  // namespace ardvark
