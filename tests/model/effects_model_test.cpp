// A selection at a stated rate by the options of a model: the fit, its file, its JSON and its summary.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/model.hpp"
#include "support/draw_target.hpp"
#include "support/random_problem.hpp"
#include "support/thrown.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;

struct Rows {
  Matrix X;
  Vector y, labels;
};
// Columns 2 and 5 have an effect.
Rows two_effects() {
  Random random(4);
  Rows rows{random.normals(200, 12), Vector(200), Vector(200)};
  rows.y = 1.5 * rows.X.col(2) - rows.X.col(5) + random.normals(200);
  rows.labels = (rows.y.array() > 0).cast<double>().matrix();
  return rows;
}

ModelOptions asking(const char* model, double fdr) {
  ModelOptions options{.model = model};
  options.set("fdr", fdr);
  return options;
}

TEST(EffectsOfAModel, AreInItsFileItsJsonAndItsSummary) {
  const Rows rows = two_effects();
  for (const char* model : {"linear", "logistic"}) {
    const SavedModel fit = fit_model(rows.X, std::string(model) == "linear" ? rows.y : rows.labels, asking(model, 0.2));
    ASSERT_TRUE(fit.effects);
    EXPECT_EQ(fit.effects->fdr, 0.2);
    const SavedModel read = model_from_bytes(model_to_bytes(fit));
    ASSERT_TRUE(read.effects);
    EXPECT_EQ(to_json(read), to_json(fit));
    const SavedModel sure = at_fdr(read, 0.01);
    ASSERT_EQ(effects_at(*sure.effects, 0.01).size(), 2U);
    EXPECT_NE(to_json(sure).find("\"selected\""), std::string::npos);
    EXPECT_NE(summary(sure).find("at a false discovery rate of 0.01"), std::string::npos);
  }
}

// (FDR.9), (FDR.10)
TEST(EffectsOfAModel, AreThoseOfCountsAndOfTNoise) {
  const Rows rows = two_effects();
  Random random(5);
  const Vector score = 0.5 + 0.5 * rows.X.col(2).array() - 0.4 * rows.X.col(5).array();
  const Vector counts = testing::draw_target(Task::counts, score, random);
  const Vector spread = testing::draw_target(Task::counts, score + 0.7 * random.normals(200), random);
  Vector numbers = rows.y;
  for (Index i = 0; i < 200; i += 10) numbers[i] += 30 * random.normal();
  Matrix with_exposure(200, 13);
  with_exposure << rows.X, Vector(rows.X.col(0).array().exp());
  ModelOptions poisson = asking("counts", 0.1), dispersed = poisson, exposed = poisson, noise = asking("linear", 0.1);
  poisson.set("family", std::string("poisson"));
  dispersed.set("family", std::string("negative-binomial"));
  exposed.set("exposure", std::string("x13"));
  noise.set("noise", std::string("student"));
  for (const ModelOptions* options : {&poisson, &dispersed, &exposed, &noise})
    for (const char* prior : {"sparse", "slab"}) {
      ModelOptions all = *options;
      all.set("prior", std::string(prior));
      const SavedModel fit = fit_model(options == &exposed ? with_exposure : rows.X,
                                       options == &noise       ? numbers
                                       : options == &dispersed ? spread
                                                               : counts,
                                       all);
      std::vector<Index> named;
      for (const EffectSet& set : effects_at(*fit.effects, 0.01)) named.insert(named.end(), set.columns.begin(), set.columns.end());
      std::ranges::sort(named);
      // Beside an exposure that the counts do not have, its column has an effect.
      EXPECT_EQ(named, options == &exposed ? (std::vector<Index>{0, 2, 5}) : (std::vector<Index>{2, 5})) << prior;
      SavedModel read = model_from_bytes(model_to_bytes(fit));
      read.score()->family.row_weight = fit.score()->family.row_weight;  // which a file does not hold
      EXPECT_EQ(to_json(read), to_json(fit));
    }
}

// Sixteen of forty columns: at a rate of .2, at least five must be named.                                                   (FDR.8)
TEST(EffectsOfAModel, MayBeGuaranteedByKnockoffs) {
  Random random(6);
  const Matrix X = random.normals(300, 40);
  const Vector y = X.leftCols(16) * Vector::Constant(16, 0.5) + random.normals(300), labels = (y.array() > 0).cast<double>();
  const Vector counts = testing::draw_target(Task::counts, 1 + 0.5 * y.array(), random);
  for (const char* kind : {"linear", "logistic", "counts", "student"}) {
    const bool is_student = std::string(kind) == "student";
    ModelOptions options = asking(is_student ? "linear" : kind, 0.2);
    if (is_student) options.set("noise", std::string("student"));
    options.set("guarantee", "knockoffs");
    const auto fit = [&] { return fit_model(X, options.model == "linear" ? y : options.model == "counts" ? counts : labels, options); };
    const SavedModel model = fit();
    ASSERT_TRUE(model.effects);
    EXPECT_EQ(model.effects->guarantee, Guarantee::knockoffs);
    const std::vector<EffectSet> named = effects_at(*model.effects, 0.2);
    EXPECT_GE(named.size(), 5U) << kind;
    for (const EffectSet& set : named) EXPECT_EQ(set.columns.size(), 1U);
    SavedModel read = model_from_bytes(model_to_bytes(model));
    read.score()->family.row_weight = model.score()->family.row_weight;  // which a file does not hold
    EXPECT_EQ(to_json(read), to_json(model));
    EXPECT_TRUE(effects_at(*at_fdr(read, 0.01).effects, 0.01).empty()) << "fewer than a hundred columns";
    EXPECT_NE(to_json(read).find("\"guarantee\":\"knockoffs\""), std::string::npos) << to_json(read).substr(0, 2000);
    EXPECT_NE(summary(model).find("by knockoffs"), std::string::npos);
    EXPECT_EQ(fit().effects->differences, model.effects->differences);
    options.set("seed", 2.0);
    EXPECT_NE(fit().effects->differences, model.effects->differences) << "other knockoffs";
  }
  ModelOptions without{.model = "linear"};
  without.set("guarantee", "knockoffs");
  expect_invalid([&] { (void)fit_model(X, y, without); }, {"guarantee", "needs fdr"});
  ModelOptions unknown = asking("linear", 0.1);
  unknown.set("guarantee", "certain");
  expect_invalid([&] { (void)fit_model(X, y, unknown); }, {"guarantee", "posterior", "knockoffs"});
}

TEST(EffectsOfAModel, DoNotDependOnWhetherTheTableIsGivenAway) {
  const Rows rows = two_effects();
  const SavedModel kept = fit_model(rows.X, rows.y, asking("linear", 0.1));
  const SavedModel given = fit_model(OwnedMatrix(Matrix(rows.X)), rows.y, asking("linear", 0.1));
  ASSERT_EQ(given.effects->nested.size(), kept.effects->nested.size());
  for (std::size_t i = 0; i < kept.effects->nested.size(); ++i) {
    EXPECT_EQ(given.effects->nested[i].back().columns, kept.effects->nested[i].back().columns);
    EXPECT_EQ(given.effects->nested[i].back().probability, kept.effects->nested[i].back().probability);
  }
}

// The same draws, so the same sets.
TEST(EffectsOfAModel, OfASparseXAreThoseOfTheDenseOne) {
  Rows rows = two_effects();
  rows.X = (rows.X.array().abs() > 0.5).select(rows.X, 0.0);
  std::vector<std::int64_t> start = {0}, row;
  std::vector<double> value;
  for (Index j = 0; j < rows.X.cols(); ++j) {
    for (Index i = 0; i < rows.X.rows(); ++i)
      if (rows.X(i, j) != 0) row.push_back(i), value.push_back(rows.X(i, j));
    start.push_back(static_cast<std::int64_t>(row.size()));
  }
  const CscView sparse(start.data(), row.data(), value.data(), rows.X.rows(), rows.X.cols());
  for (const char* model : {"linear", "logistic"})
    for (const char* prior : {"sparse", "slab"}) {
      const Vector& target = std::string(model) == "linear" ? rows.y : rows.labels;
      ModelOptions options = asking(model, 0.1);
      options.set("prior", std::string(prior));
      const SavedModel of_sparse = fit_model(sparse, target, options), of_dense = fit_model(rows.X, target, options);
      ASSERT_TRUE(of_sparse.effects);
      ASSERT_EQ(of_sparse.effects->nested.size(), of_dense.effects->nested.size());
      ASSERT_EQ(effects_at(*of_sparse.effects, 0.05).size(), 2U);
      for (std::size_t i = 0; i < of_dense.effects->nested.size(); ++i) {
        EXPECT_EQ(of_sparse.effects->nested[i].back().columns, of_dense.effects->nested[i].back().columns);
        EXPECT_NEAR(of_sparse.effects->nested[i].back().probability, of_dense.effects->nested[i].back().probability, 1e-9);
      }
      const SavedModel read = model_from_bytes(model_to_bytes(of_sparse));
      EXPECT_NE(to_json(read).find("\"selected\""), std::string::npos);
    }
}

TEST(EffectsOfAModel, AreRefusedWhereThereAreNoInclusions) {
  const Rows rows = two_effects();
  ModelOptions ridge = asking("linear", 0.1);
  ridge.set("prior", std::string("shared"));
  expect_invalid([&] { (void)fit_model(rows.X, rows.y, ridge); }, {"fdr", "sparse"});
  ModelOptions by_choice = asking("linear", 0.1);  // auto is ard or shared with this option
  by_choice.set("solver", std::string("primal"));
  expect_invalid([&] { (void)fit_model(rows.X, rows.y, by_choice); }, {"fdr", "sparse"});
  expect_invalid([&] { (void)at_fdr(fit_model(rows.X, rows.y, {.model = "linear"}), 0.1); }, {"fdr", "fitted with fdr"});
  expect_invalid([&] { (void)fit_model(rows.X, rows.y, asking("linear", 1.5)); }, {"fdr"});
}

}  // namespace
}  // namespace ardvark::internal
