// Targets without variation, and weights as large as they come: kernel machines converge, and say what the rows say. (KM.1), (KM.3)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../rows/labelled_rows.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/kernel_machine.hpp"

namespace ardvark {
namespace {

using testing::LabelledRows;
using testing::Random;

std::vector<KernelOptions> ways_to_fit() {
  std::vector<KernelOptions> out(3);
  out[1].average = false;
  out[2].linear_part = true;
  for (const char* kernel : {"gaussian", "laplacian", "cauchy", "matern32", "matern52"})
    for (const double width : {0.3, 1.0, 4.0}) {
      KernelOptions& one = out.emplace_back();
      one.kernel = kernel;
      one.search = WidthSearch::given;
      one.widths = {width};
      one.average = width != 1;
    }
  out.emplace_back().centres = 7;
  out.emplace_back().all_vectors = true;
  return out;
}

std::string named(const KernelOptions& o) {
  return fmt::format("kernel {}, width {}, averaging {}, centres {}, line {}", o.kernel, o.widths.empty() ? 0 : o.widths[0], o.average,
                     o.centres, o.linear_part);
}

void expect_it_knows_the_constant(const KernelRegression& fit, MatrixView X, double constant, const std::string& name) {
  EXPECT_EQ(fit.report.status, Status::converged) << name << ": " << fit.report.message;
  const TMixturePrediction there = predict(fit, X);
  const auto [lower, upper] = there.interval(0.95);
  for (Index i = 0; i < X.rows(); ++i) {
    EXPECT_EQ(there.mean[i], constant) << name;
    EXPECT_LE(lower[i], constant) << name;
    EXPECT_GE(upper[i], constant) << name;
  }
}

TEST(ConstantTarget, IsKnownExactlyByEveryKernelMachine) {
  for (const double constant : {2.5, 0.0, 7.3, -1e-9, 1e12})
    for (const KernelOptions& options : ways_to_fit()) {
      Random random(4);
      const Matrix X = random.normals(20, 1);
      const Vector y = Vector::Constant(20, constant);
      expect_it_knows_the_constant(fit_kernel_regression(X, y, options), X, constant, named(options) + fmt::format(", {}", constant));
    }
}

TEST(ConstantTarget, IsKnownExactlyWithAnyWeights) {
  for (const double weight : {0.5, 3.0, 1e7, 1e9, 1e12}) {
    Random random(5);
    const Matrix X = random.normals(20, 2);
    const Vector y = Vector::Constant(20, 7.3);
    const std::vector<double> weights(20, weight);
    KernelOptions options;
    options.weights = weights;
    expect_it_knows_the_constant(fit_kernel_regression(X, y, options), X, 7.3, fmt::format("weights {}", weight));
  }
}

TEST(ConstantTarget, IsKnownExactlyByPasses) {
  Random random(6);
  LabelledRows table{random.normals(45000, 1), Vector::Constant(45000, 7.3), {}};
  KernelOptions options;
  options.centres = 10;
  const KernelRegression fit = fit_kernel_regression(table.rows(), options);
  EXPECT_TRUE(std::ranges::any_of(fit.report.notes, [](const std::string& note) { return note.starts_with("the rows were read "); }));
  expect_it_knows_the_constant(fit, table.X.topRows(50), 7.3, "passes");
}

// Rows with a weight of w stand for w equal rows: their means have no noise, and the curve goes through them.
TEST(LargeWeights, AreFittedWhereverTheyAreTheSame) {
  for (const double weight : {1e5, 1e7, 1e8, 1e9, 1e12})
    for (const double noise : {0.0, 0.3})
      for (const KernelOptions& way : ways_to_fit()) {
        Random random(4);
        const Matrix X = random.normals(20, 1);
        const Vector y = X.col(0).array().sin() + noise * random.normals(20).array();
        const std::vector<double> weights(20, weight);
        KernelOptions options = way;
        options.weights = weights;
        const KernelRegression fit = fit_kernel_regression(X, y, options);
        const std::string name = fmt::format("{}, weight {}, noise {}", named(options), weight, noise);
        EXPECT_EQ(fit.report.status, Status::converged) << name << ": " << fit.report.message;
        const TMixturePrediction there = predict(fit, X);
        const auto [lower, upper] = there.interval(0.95);
        EXPECT_TRUE(there.mean.allFinite() && (lower.array() <= there.mean.array()).all() && (there.mean.array() <= upper.array()).all())
            << name;
        if (options.kernel == "laplacian") {
          EXPECT_LE((there.mean - y).cwiseAbs().maxCoeff(), 1e-6) << name;
        }
      }
}

// Where a width is given that is too large for the classes, rounding may end the search before its end, and the fit says so.
TEST(LargeWeights, OfClassesAreFitted) {
  for (const double weight : {1e7, 1e9, 1e12})
    for (const KernelOptions& way : ways_to_fit()) {
      Random random(4);
      const Matrix X = random.normals(20, 1);
      Vector t(20);
      for (Index i = 0; i < 20; ++i) t[i] = X(i, 0) + 0.5 * random.normal() > 0;
      const std::vector<double> weights(20, weight);
      KernelOptions options = way;
      options.weights = weights;
      try {
        const KernelClassification fit = fit_kernel_classification(X, t, options);
        const bool searches_all_rows = options.widths.empty() && options.centres == 0;
        EXPECT_TRUE(fit.report.status == Status::converged || !searches_all_rows) << named(options) << weight;
        EXPECT_TRUE(predict(fit, X).probability.allFinite()) << named(options) << weight;
      } catch (const InvalidArgument& error) {
        ADD_FAILURE() << named(options) << ", weight " << weight << ", all vectors " << options.all_vectors << ": " << error.what();
      }
    }
}

// Steps from the posterior of other widths, which leave the numbers that have digits, are not the end of the search.
TEST(LargeWeights, OfClassesThatOverlapAreFittedWhateverTheRows) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    for (const Index n : {12, 30, 60})
      for (const double weight : {1e7, 1e8, 1e10, 1e12}) {
        Random random(seed);
        const Matrix X = random.normals(n, 1);
        Vector t(n);
        for (Index i = 0; i < n; ++i) t[i] = X(i, 0) + 0.5 * random.normal() > 0;
        const std::vector<double> weights(static_cast<std::size_t>(n), weight);
        KernelOptions options;
        options.weights = weights;
        const KernelClassification fit = fit_kernel_classification(X, t, options);
        EXPECT_EQ(fit.report.status, Status::converged)
            << fmt::format("seed {}, {} rows, weight {}", seed, n, weight) << fit.report.message;
        EXPECT_TRUE(predict(fit, X).probability.allFinite());
      }
}

}  // namespace
}  // namespace ardvark
