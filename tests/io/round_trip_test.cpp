// What is written is read back: random small problems under every model, prior and preset, from the fit to bytes and back.
#include <gtest/gtest.h>

#include <cmath>

#include "../support/random_problem.hpp"
#include "ardvark/model.hpp"
#include "small_models.hpp"

namespace ardvark {
namespace {

using testing::SmallModel;
using testing::SmallProblem;

// To the last bit: what it says, what it predicts, and the bytes that it becomes again.
void expect_back(const SavedModel& model, const Matrix& X) {
  const std::string bytes = model_to_bytes(model);
  const SavedModel loaded = model_from_bytes(bytes);
  EXPECT_EQ(testing::summary_of(loaded), testing::summary_of(model));
  EXPECT_EQ(model_to_bytes(loaded), bytes);
  for (const Fit* fit : {model.score(), loaded.score()})
    if (fit != nullptr) testing::expect_shares(*fit);
  if (const auto filled = testing::predictions_with_gaps(model, X)) {
    EXPECT_EQ(*testing::predictions_with_gaps(loaded, X), *filled);
  }
  const std::optional<Matrix> predicted = testing::predictions_if_any(model, X), of_loaded = testing::predictions_if_any(loaded, X);
  ASSERT_EQ(of_loaded.has_value(), predicted.has_value());
  if (!predicted) return;
  const Matrix &expected = *predicted, &found = *of_loaded;
  EXPECT_TRUE((found.array() == expected.array() || (found.array().isNaN() && expected.array().isNaN())).all());
  if (testing::is_classifier(model)) {
    EXPECT_TRUE((found.array() >= 0 && found.array() <= 1).all());
    if (found.cols() > 1) {
      EXPECT_LT((found.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    }
  }
}

TEST(RoundTrip, GivesBackEveryKindOfModel) {
  constexpr int num_problems = 6;
  for (const SmallModel& kind : testing::small_models()) {
    int num_saved = 0;
    for (std::uint64_t seed = 1; seed <= num_problems; ++seed) {
      SCOPED_TRACE(kind.name + ", seed " + std::to_string(seed));
      const SmallProblem problem = testing::small_problem(seed);
      const std::optional<SavedModel> model = testing::fitted(kind, problem);
      if (!model) continue;
      ASSERT_NO_THROW(expect_back(*model, problem.X));
      ++num_saved;
    }
    EXPECT_GE(num_saved, num_problems / 2) << kind.name;
  }
}

// Where starts that came to one maximum are added up: one in thirty had a weight of 1 + 2e-16, which was written and then refused.
TEST(RoundTrip, GivesBackSparseFitsOfFewColumns) {
  for (const SmallModel& kind : testing::small_models()) {
    if (!kind.name.ends_with(" sparse") && !kind.name.ends_with(" slab")) continue;
    for (std::uint64_t seed = 1000; seed < 1060; ++seed) {
      SCOPED_TRACE(kind.name + ", seed " + std::to_string(seed));
      const SmallProblem problem = testing::small_problem(seed);
      if (problem.X.cols() > 6) continue;
      const std::optional<SavedModel> model = testing::fitted(kind, problem);
      if (!model) continue;
      ASSERT_NO_THROW(expect_back(*model, problem.X));
    }
  }
}

// With a column of texts and new rows with gaps.
TEST(RoundTrip, GivesBackImputedFits) {
  testing::Random random(4);
  const Index n = 50;
  Matrix X = random.normals(n, 4);
  ModelOptions options{.missing = "impute", .imputations = 5};
  options.encoding.features = {{"a"}, {"city", true, {"Bonn", "Oslo", "Rome"}, 1, 20}, {"b"}};
  for (Index i = 0; i < n; ++i) X(i, 1) = i % 3 == 0 ? 1 : 0, X(i, 2) = i % 3 == 2 ? 1 : 0;
  const Vector score = X.col(0) - X.col(1) + 0.5 * random.normals(n);
  for (Index i = 0; i < n; i += 4) X(i, 0) = X((i + 1) % n, 1) = X((i + 1) % n, 2) = X(i, 3) = std::nan("");
  for (const char* const kind : {"linear", "logistic"})
    for (const char* const prior : {"sparse", "dense", "shared", "ard", "none"}) {
      SCOPED_TRACE(std::string(kind) + " " + prior);
      if (std::string_view(kind) == "logistic" && std::string_view(prior) == "none") continue;  // these classes can be separated
      options.model = kind;
      options.prior = prior;
      const Vector y = options.model == "linear" ? score : Vector((score.array() > 0).cast<double>());
      const SavedModel model = fit_model(X, y, options);
      expect_back(model, X);
      const SavedModel loaded = model_from_bytes(model_to_bytes(model));
      EXPECT_EQ(loaded.imputation->gaps, model.imputation->gaps);
      EXPECT_EQ(loaded.imputation->missing_information, model.imputation->missing_information);
      EXPECT_EQ(to_json(loaded), to_json(model));
    }
}

}  // namespace
}  // namespace ardvark
