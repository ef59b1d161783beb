// Fits and predictions of genotypes in 2 bits are those of the same numbers in a dense table of doubles, missing genotypes at their mean.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/packed_genotypes.hpp"
#include "../support/plain.hpp"
#include "../support/thrown.hpp"
#include "ardvark/genotype_view.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model.hpp"

namespace ardvark {
namespace {

using testing::Copies;
using testing::expect_invalid;
using testing::PackedTable;
using testing::Random;
using testing::random_copies;
using testing::relative_distance;

struct GenotypeProblem {
  PackedTable X, X_new;
  Vector y, labels, weights;

  GenotypeProblem(std::uint64_t seed, Index n, Index p, Index beside) : GenotypeProblem(Random(seed), n, p, beside) {}

 private:
  GenotypeProblem(Random random, Index n, Index p, Index beside)
      : X(random_copies(random, n, p), random.normals(n, beside)), X_new(random_copies(random, 9, p), random.normals(9, beside)) {
    const Vector score = 1.1 * X.same.col(0) - 0.9 * X.same.col(4);
    y = score + random.normals(n);
    labels = (score + random.normals(n)).unaryExpr([](double s) { return s > 0.2 ? 1.0 : 0.0; });
    weights = random.normals(n).cwiseAbs();
    weights[3] = 0;
  }
};

ModelOptions options_for(const char* model, const char* prior, const GenotypeProblem& problem) {
  ModelOptions options{.model = model, .prior = prior};
  options.tolerance = 1e-10;
  for (Index j = problem.X.copies.cols(); j < problem.X.same.cols(); ++j) options.flat.push_back(j);
  return options;
}

void expect_same_fit(const Fit& found, const Fit& expected, double tolerance) {
  EXPECT_EQ(found.report.status, expected.report.status) << found.report.message;
  EXPECT_EQ(found.left_out, expected.left_out);
  EXPECT_EQ(found.prior, expected.prior);
  const Vector sd = expected.variance.cwiseSqrt().cwiseMax(1e-12);
  EXPECT_LT(((found.mean - expected.mean).array() / (sd.array() + expected.mean.array().abs())).abs().maxCoeff(), tolerance);
  EXPECT_LT(relative_distance(Vector(found.variance.cwiseSqrt()), Vector(expected.variance.cwiseSqrt())), tolerance);
  ASSERT_EQ(found.sparse.has_value(), expected.sparse.has_value());
  if (expected.sparse) {
    EXPECT_LT((found.sparse->inclusion - expected.sparse->inclusion).cwiseAbs().maxCoeff(), tolerance);
  }
}

void expect_same_model(const GenotypeProblem& problem, const ModelOptions& options, double tolerance) {
  const Vector& target = options.model == "linear" ? problem.y : problem.labels;
  const SavedModel packed = fit_model(problem.X.view(), target, options), dense = fit_model(problem.X.same, target, options);
  SCOPED_TRACE(options.model + " " + options.prior);
  expect_same_fit(*packed.score(), *dense.score(), tolerance);
  const Prediction new_rows = predict(packed, problem.X_new.view()), expected = predict(packed, problem.X_new.same);
  if (const auto* numbers = std::get_if<StudentPrediction>(&new_rows)) {
    const auto& same = std::get<StudentPrediction>(expected);
    EXPECT_LT(relative_distance(numbers->mean, same.mean), tolerance);
    EXPECT_LT(relative_distance(numbers->scale, same.scale), tolerance);
  } else {
    EXPECT_LT((std::get<ClassPrediction>(new_rows).probability - std::get<ClassPrediction>(expected).probability).cwiseAbs().maxCoeff(),
              tolerance);
  }
}

TEST(GenotypeTable, GivesTheRegressionOfTheSameNumbers) {
  for (const auto& [n, p] : {std::pair<Index, Index>{70, 11}, {37, 90}}) {
    const GenotypeProblem problem(11, n, p, 2);
    for (const char* prior : {"sparse", "slab", "dense", "shared", "laplace"})
      expect_same_model(problem, options_for("linear", prior, problem), 1e-8);
  }
}

// Both take the same steps, so that they are alike wherever they stop.
TEST(GenotypeTable, GivesTheTwoClassesOfTheSameNumbers) {
  const GenotypeProblem narrow(12, 60, 8, 1), wide(17, 41, 60, 1);
  const auto options = [](const char* prior, const GenotypeProblem& problem) {
    ModelOptions all = options_for("logistic", prior, problem);
    all.tolerance.reset();
    return all;
  };
  for (const char* prior : {"sparse", "slab", "shared"}) expect_same_model(narrow, options(prior, narrow), 1e-8);
  expect_same_model(wide, options("slab", wide), 1e-8);
}

TEST(GenotypeTable, WeightsRowsAsTheSameNumbers) {
  const GenotypeProblem problem(13, 62, 9, 1);
  ModelOptions options = options_for("linear", "sparse", problem);
  options.weights.assign(problem.weights.begin(), problem.weights.end());
  expect_same_model(problem, options, 1e-8);
}

// Sums of weights have a rounding that is no spread. Rows without a weight do not count.
TEST(GenotypeTable, LeavesOutAConstantVariantWithAnyWeights) {
  for (const std::uint64_t seed : {18, 19, 20, 21}) {
    Random random(seed);
    Copies copies = random_copies(random, 203, 9);
    for (const Index j : {2, 3, 4}) copies.col(j).setConstant(static_cast<int>(4 - j));
    copies.col(5) = copies.col(2), copies.col(6) = copies.col(3), copies.col(7) = copies.col(4);
    copies(3, 5) = copies(3, 6) = 0, copies(3, 7) = 2, copies(8, 2) = -1;
    const PackedTable X(copies);
    std::vector<double> weights;
    for (Index i = 0; i < 203; ++i) weights.push_back(i == 3 ? 0 : random.uniform(0.3, 3));
    FitOptions options;
    options.prior.kind = PriorKind::shared;
    options.weights = weights;
    const Vector y = X.same.col(0) + random.normals(203);
    const LinearFit fit = fit_linear(X.view(), y, options);
    EXPECT_EQ(fit.left_out, (std::vector<bool>{false, false, true, true, true, true, true, true, false})) << seed;
  }
}

TEST(GenotypeTable, IsFittedFromPassesIfItIsWide) {
  Random random(14);
  const PackedTable X(random_copies(random, 700, 25000, 0.01), {}, false);
  const Vector y = 1.2 * X.same.col(17) - X.same.col(20003) + 0.7 * random.normals(700);
  ModelOptions options{.model = "linear", .prior = "slab"};
  const SavedModel packed = fit_model(X.view(), y, options);
  const Fit& fit = *packed.score();
  EXPECT_GT(fit.sparse->inclusion[17], 0.99);
  EXPECT_GT(fit.sparse->inclusion[20003], 0.99);
  const SavedModel dense = fit_model(X.same, y, options);
  EXPECT_LT((fit.sparse->inclusion - dense.score()->sparse->inclusion).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(relative_distance(fit.mean, dense.score()->mean), 1e-6);
}

TEST(GenotypeTable, RefusesWhatItCannotBe) {
  const GenotypeProblem problem(15, 40, 6, 0);
  const Vector three = problem.y.unaryExpr([](double v) { return v > 1 ? 2.0 : v > 0 ? 1.0 : 0.0; });
  const auto fit = [&](ModelOptions options, const Vector& target) { return fit_model(problem.X.view(), target, options); };
  expect_invalid([&] { (void)fit({.model = "logistic"}, three); }, {"genotypes", "several classes", "X.to_numpy()"});
  expect_invalid([&] { (void)fit({.model = "kernel"}, problem.y); }, {"genotypes", "X.to_numpy()"});
  expect_invalid([&] { (void)fit({.preset = "vb_linear_fit"}, problem.y); }, {"genotypes", "preset"});
  expect_invalid([&] { (void)fit({.model = "linear", .missing = "impute"}, problem.y); }, {"genotypes", "missing"});
  expect_invalid([&] { (void)fit_linear(GenotypeView(nullptr, 4, 2), Vector(Vector::Ones(4))); }, {"null"});
  const GenotypeView beside(problem.X.bytes.data(), 40, 6, {}, MatrixView(problem.X_new.same));
  expect_invalid([&] { (void)fit_linear(beside, problem.y); }, {"40 samples", "9 rows"});
}

TEST(GenotypeTable, NamesAValueBesideItThatIsNotFinite) {
  GenotypeProblem problem(16, 40, 6, 2);
  problem.X.beside(7, 1) = std::nan("");
  ModelOptions options = options_for("linear", "sparse", problem);
  options.column_names = {"a", "b", "c", "d", "e", "f", "age", "sex"};
  expect_invalid([&] { (void)fit_model(problem.X.view(), problem.y, options); }, {"row 8", "sex", "NaN"});
}

}  // namespace
}  // namespace ardvark
