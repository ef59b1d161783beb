// Columns without a prior that have no posterior: every prior says why, and what it writes is read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ardvark/model.hpp"
#include "ardvark/model_file.hpp"
#include "support/random_problem.hpp"

namespace ardvark {
namespace {

using testing::Random;

struct Outcome {
  std::string message;  ///< of the fit, or of the refusal
  bool has_posterior = false;
};

// If there is a posterior, its coefficients and variances are finite, and so are those of its file.
Outcome outcome_of(const Matrix& X, const Vector& target, const char* model, const char* prior, const std::vector<double>& flat) {
  ModelOptions options;
  options.set("model", std::string(model));
  options.set("prior", std::string(prior));
  options.set("flat", flat);
  options.set("keep_covariance", std::string("always"));
  if (std::string(prior) == "laplace") options.set("lambda", 2.0);
  try {
    const SavedModel fitted = fit_model(X, target, options);
    if (!has_posterior(fitted)) return {report_of(fitted).message};
    const SavedModel read = model_from_bytes(model_to_bytes(fitted));
    for (const Fit* fit : {fitted.score(), read.score()})
      EXPECT_TRUE(fit->mean.allFinite() && fit->variance.allFinite() && std::isfinite(fit->intercept->variance));
    return {report_of(fitted).message, true};
  } catch (const InvalidArgument& error) {
    return {error.what()};
  }
}

constexpr const char* priors[] = {"none", "shared", "ard", "sparse", "slab", "dense", "laplace"};

TEST(FlatColumns, ThatAreDependentAreCalledSoUnderEveryPrior) {
  Random random(1);
  Matrix X = random.normals(30, 4);
  X.col(2) = X.col(0) + X.col(1);
  const Vector y = random.normals(30);
  const Vector labels = (y.array() > 0).select(Vector::Ones(30), 0);
  for (const char* prior : priors)
    for (const char* model : {"linear", "logistic"}) {
      SCOPED_TRACE(fmt::format("{}, prior {}", model, prior));
      const bool regression = std::string(model) == "linear";
      const Outcome found = outcome_of(X, regression ? y : labels, model, prior, {0, 1, 2});
      EXPECT_FALSE(found.has_posterior);
      const bool says =
          found.message.find("columns without a prior are linearly dependent") != std::string::npos ||
          (regression && found.message.find("columns without a prior, or with almost none, may be collinear") != std::string::npos);
      EXPECT_TRUE(says) << found.message;
      EXPECT_EQ(found.message.find("dependent"), found.message.rfind("dependent")) << "said twice: " << found.message;
    }
}

TEST(FlatColumns, ThatAreMoreThanTheRowsAreCalledSoUnderEveryPrior) {
  Random random(2);
  const Matrix X = random.normals(4, 5);
  const Vector y = random.normals(4);
  const Vector labels = (Vector(4) << 0, 1, 0, 1).finished();
  for (const char* prior : priors) {
    SCOPED_TRACE(prior);
    EXPECT_NE(outcome_of(X, y, "linear", prior, {0, 1, 2, 3}).message.find("4 rows cannot determine"), std::string::npos);
    const Outcome classes = outcome_of(X, labels, "logistic", prior, {0, 1, 2, 3});
    EXPECT_FALSE(classes.has_posterior);
    EXPECT_NE(classes.message.find("columns without a prior"), std::string::npos) << classes.message;
    EXPECT_NE(classes.message.find("separate"), std::string::npos) << classes.message;
  }
}

// Of the rows with a one in the flat column, all have the same class.
TEST(FlatColumns, ThatSeparateRowsAreCalledSoUnderEveryPrior) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    Matrix X = random.normals(25, 3);
    Vector labels(25);
    for (Index i = 0; i < 25; ++i) {
      X(i, 0) = i % 5 == 0 ? 1 : 0;
      labels[i] = X(i, 0) == 1 || X(i, 1) + random.normal() > 0 ? 1 : 0;
    }
    for (const char* prior : priors) {
      const Outcome found = outcome_of(X, labels, "logistic", prior, {0});
      EXPECT_NE(found.message.find("separate"), std::string::npos) << "seed " << seed << ", prior " << prior << ": " << found.message;
    }
  }
}

}  // namespace
}  // namespace ardvark
