// What a fit says where it cannot do what it was asked: the right cause, and something that can be done.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support/thrown.hpp"
#include "every_model.hpp"

namespace ardvark {
namespace {

using testing::any_table;
using testing::AnyTable;
using testing::Random;

bool contains(const std::string& text, const char* piece) { return text.find(piece) != std::string::npos; }

ModelOptions options_of(const std::vector<testing::Setting>& settings) { return testing::named_model(settings, 0).options; }

ModelOptions logistic_under(const std::string& prior, const std::string& likelihood = "vg") {
  return options_of({{"model", std::string("logistic")}, {"prior", prior}, {"likelihood", likelihood}});
}

// ---- names of other programs, and targets that are no classes

TEST(OptionsOfOtherPrograms, AreAnsweredWithOurs) {
  ModelOptions options;
  testing::expect_invalid([&] { options.set("alpha", 1.0); },
                          {"there is no option 'alpha'; alpha = 1 of glmnet is prior 'laplace', alpha = 0 is"});
  const ModelOptions binomial = options_of({{"model", std::string("linear")}, {"family", std::string("binomial")}});
  const Matrix X = Matrix::Ones(2, 1);
  const Vector y = X.col(0);
  testing::expect_invalid([&] { static_cast<void>(fit_model(X, y, binomial)); }, {"two classes or more need model 'logistic'"});
}

TEST(ManyClasses, NeedTwoRowsEach) {
  Random random(3);
  const Matrix X = random.normals(24, 2);
  Vector labels(24);
  std::vector<std::string> names;
  for (Index i = 0; i < 24; ++i) labels[i] = static_cast<double>(i), names.push_back("n" + std::to_string(i));
  for (const char* model : {"logistic", "rvm"}) {
    ModelOptions options{.model = model, .class_names = names};
    testing::expect_invalid([&] { static_cast<void>(fit_model(X, labels, options)); },
                            {"labels holds 24 different classes in 24 rows; more than two classes need two rows each on average"});
  }
}

// ---- separated classes

TEST(ColumnsWithoutAPrior, AreSaidToSeparateTheClasses) {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const char* likelihood : {"vg", "jj", "laplace"}) {
      Random random(seed);
      const Matrix X = random.normals(60, 3);
      Vector labels(60);
      for (Index i = 0; i < 60; ++i) labels[i] = X(i, 1) + 0.5 * X(i, 2) > 0 ? 1 : 0;
      const SavedModel model = fit_model(X, labels, logistic_under("none", likelihood));
      const Report& report = model.score()->report;
      EXPECT_EQ(report.status, Status::separated) << likelihood << ": " << report.message;
      std::string said = report.message;
      for (const std::string& warning : report.warnings) said += warning;
      EXPECT_TRUE(contains(said, "separate") && contains(said, "--prior shared")) << likelihood << ": " << said;
      EXPECT_FALSE(contains(said, "collinear") || contains(said, "dependent")) << said;
      // The default hyper-prior is too wide to hold them (VG.5).
      EXPECT_TRUE(contains(said, "--prior shared --a0 1 --b0 1")) << said;
      const ModelOptions advised = options_of({{"model", std::string("logistic")},
                                               {"prior", std::string("shared")},
                                               {"likelihood", std::string(likelihood)},
                                               {"a0", 1.0},
                                               {"b0", 1.0}});
      EXPECT_EQ(fit_model(X, labels, advised).score()->report.status, Status::converged) << likelihood << ": the advice";
    }
}

TEST(ColumnsWithoutAPrior, AreSaidToSeparateTheClassesBesideColumnsWithOne) {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound, LogisticLikelihood::laplace})
      for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::laplace(0.5), Prior::sparse()}) {
        const bool has_likelihoods = prior.kind == PriorKind::shared || prior.kind == PriorKind::ard;
        if (!has_likelihoods && likelihood != LogisticLikelihood::gaussian) continue;
        Random random(seed);
        const Matrix X = random.normals(20, 3);
        Vector labels(20);
        for (Index i = 0; i < 20; ++i) labels[i] = X(i, 1) > 0.1 ? 1 : 0;
        FitOptions options;
        options.prior = prior.flat({1});
        options.likelihood = likelihood;
        const LogisticFit fit = fit_logistic(X, labels, options);
        EXPECT_EQ(fit.report.status, Status::separated) << to_string(prior.kind) << ": " << fit.report.message;
        std::string said = fit.report.message;
        for (const std::string& warning : fit.report.warnings) said += warning;
        EXPECT_TRUE(contains(said, "give the columns a prior") || contains(said, "give the columns without a prior one")) << said;
      }
}

TEST(ColumnsWithoutAPrior, AreSaidToBeDependentWhereTheyAre) {
  Random random(3);
  Matrix X = random.normals(60, 3);
  X.col(2) = X.col(0) + X.col(1);
  Vector labels(60);
  for (Index i = 0; i < 60; ++i) labels[i] = X(i, 1) + 2 * random.normal() > 0 ? 1 : 0;
  const SavedModel model = fit_model(X, labels, logistic_under("none"));
  EXPECT_EQ(model.score()->report.status, Status::not_positive_definite);
  EXPECT_TRUE(contains(model.score()->report.message, "linearly dependent") && contains(model.score()->report.message, "--prior shared"))
      << model.score()->report.message;
}

// Numbers far from zero leave the rounding of their values of a sum, along which a likelihood has its maximum or none, by the order of the
// rows. A deviation of 1e-12 of the
// numbers is there to be fitted.                                                          (RIDGE.11)
TEST(ColumnsWithoutAPrior, AreSaidToBeDependentButForRoundingInAnyOrderOfTheRows) {
  for (double far : {0.0, 1.0, 35850.0, 1e6})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Random random(100 + seed);
      const bool few = seed == 0;  // as many columns as rows: separable whatever they hold
      const Index n = few ? 4 : 40;
      Matrix X = random.normals(n, 3);
      Vector labels(n);
      for (Index i = 0; i < n; ++i) labels[i] = i % 2 == 0 ? 1 : 0;
      const Vector sum = X.col(0) + X.col(1), deviation = random.normals(n, 1);
      for (double size : {0.0, 1e-12}) {
        if (few && size > 0) continue;
        X.col(2) = Vector::Constant(n, far) + sum + size * (1 + far) * deviation;
        for (int turn = 0; turn < 4; ++turn) {
          Matrix turned(n, 3);
          Vector its_labels(n);
          for (Index i = 0; i < n; ++i) turned.row(i) = X.row((i + turn) % n), its_labels[i] = labels[(i + turn) % n];
          const Fit fit = *fit_model(turned, its_labels, logistic_under("none")).score();
          SCOPED_TRACE(fmt::format("{} from zero, deviation {}, turned by {}: {}", far, size, turn, fit.report.message));
          if (size > 0) {
            EXPECT_EQ(fit.report.status, Status::converged);
          } else {
            EXPECT_EQ(fit.report.status, Status::not_positive_definite);
            EXPECT_TRUE(contains(fit.report.message, "linearly dependent"));
          }
        }
      }
    }
}

TEST(ColumnsWithoutAPrior, AreSaidToBeMoreThanTheRows) {
  Random random(4);
  const Matrix X = random.normals(10, 12);
  Vector labels(10);
  labels << 0, 1, 0, 1, 0, 1, 0, 1, 1, 0;
  const SavedModel model = fit_model(X, labels, logistic_under("none"));
  EXPECT_TRUE(contains(model.score()->report.message, "13 columns without a prior are more than the 10 rows"))
      << model.score()->report.message;
}

// ---- weights that sum to little

TEST(Weights, ThatStandForLessThanTheColumnsWithoutAPriorAreNamedWithTheirSum) {
  const AnyTable table = any_table(1, 40, 3, 1);
  for (const char* prior : {"sparse", "slab", "dense", "shared", "ard", "none"}) {
    ModelOptions options = options_of({{"model", std::string("linear")}, {"prior", std::string(prior)}});
    options.weights.assign(40, 0.6 / 40);
    testing::expect_invalid(
        [&] { static_cast<void>(fit_model(table.X, table.y, options)); },
        {"weights have the sum 0.6", "multiply relative weights", prior == std::string("none") ? "4 columns" : "1 column"});
  }
  ModelOptions options = options_of({{"model", std::string("linear")}, {"prior", std::string("none")}});
  options.weights.assign(40, 3.5 / 40);
  testing::expect_invalid([&] { static_cast<void>(fit_model(table.X, table.y, options)); }, {"weights have the sum 3.5", "4 columns"});
}

// Of one that is more, and of classes, whose rows need no degrees of freedom, the fit is what the same rows give, only less sure.
TEST(Weights, ThatSumToLittleAreFittedWhereTheMathematicsIsFine) {
  const AnyTable table = any_table(2, 40, 3, 0.8);
  for (const char* prior : {"sparse", "slab", "dense", "shared", "ard"})
    for (const bool linear : {true, false}) {
      if (linear && prior == std::string("slab")) continue;
      ModelOptions options = options_of({{"model", std::string(linear ? "linear" : "logistic")}, {"prior", std::string(prior)}});
      for (const double sum : {linear ? 2.5 : 0.5, 6.0}) {
        options.weights.assign(40, sum / 40);
        const SavedModel model = fit_model(table.X, table.target(linear ? 0 : 2), options);
        EXPECT_TRUE(has_posterior(model)) << prior << (linear ? ", linear, " : ", logistic, ") << sum << ": " << report_of(model).message;
        EXPECT_TRUE(std::isfinite(model.score()->bound)) << prior;
      }
    }
}

// ---- numbers far from zero (LIN.7)

// Deviations that doubles near 1e14 hold: multiples of 1/64.
Vector in_steps(const Vector& x, double step) { return (x.array() / step).round() * step; }

TEST(NumbersFarFromZero, AreFittedByTheirDifferences) {
  Random random(7);
  Matrix X = random.normals(200, 2);
  for (Index j = 0; j < 2; ++j) X.col(j) = in_steps(X.col(j), 1.0 / 64);
  const Vector y = in_steps(2 * X.col(0) + 0.5 * random.normals(200), 1.0 / 64);
  for (const char* prior : {"sparse", "shared", "ard", "none"}) {
    const ModelOptions options = options_of({{"model", std::string("linear")}, {"prior", std::string(prior)}});
    const SavedModel near = fit_model(X, y, options);
    for (const auto& [at_X, at_y] : {std::pair{0.0, 1e14}, {1e14, 0.0}, {-1e14, 1e14}}) {
      const SavedModel far = fit_model(Matrix(X.array() + at_X), Vector(y.array() + at_y), options);
      for (Index j = 0; j < 2; ++j) EXPECT_NEAR(far.score()->mean[j], near.score()->mean[j], 1e-6) << prior;
      EXPECT_NEAR(noise_sd(*far.score()), noise_sd(*near.score()), 1e-6) << prior;
      ASSERT_EQ(far.score()->report.warnings.size(), near.score()->report.warnings.size() + (at_X != 0 ? 2 : 0) + (at_y != 0 ? 1 : 0))
          << prior;
      EXPECT_TRUE(contains(far.score()->report.warnings.front(), "numbers are stored in steps of 0.016"))
          << far.score()->report.warnings.front();
      EXPECT_TRUE(contains(far.score()->report.warnings.front(), "left, and smaller differences are lost"))
          << far.score()->report.warnings.front();
    }
  }
}

TEST(NumbersFarFromZero, AreClassifiedByTheirDifferences) {
  Random random(8);
  Matrix X = random.normals(200, 2);
  for (Index j = 0; j < 2; ++j) X.col(j) = in_steps(X.col(j), 1.0 / 64);
  Vector labels(200);
  for (Index i = 0; i < 200; ++i) labels[i] = X(i, 0) + random.normal() > 0 ? 1 : 0;
  for (const char* prior : {"sparse", "shared", "laplace"}) {
    ModelOptions options = options_of({{"model", std::string("logistic")}, {"prior", std::string(prior)}});
    if (prior == std::string("laplace"))
      options = options_of({{"model", std::string("logistic")}, {"prior", std::string(prior)}, {"lambda", 2.0}});
    const SavedModel near = fit_model(X, labels, options), far = fit_model(Matrix(X.array() + 1e14), labels, options);
    for (Index j = 0; j < 2; ++j) EXPECT_NEAR(far.score()->mean[j], near.score()->mean[j], 1e-6) << prior;
    EXPECT_EQ(far.score()->report.warnings.size(), near.score()->report.warnings.size() + 2) << prior;
  }
}

TEST(NumbersFarFromZero, AreExplainedByKernels) {
  Random random(9);
  const Matrix X = random.normals(60, 1);
  const Vector y = in_steps(2 * X.col(0) + 0.5 * random.normals(60), 1.0 / 64);
  const ModelOptions options =
      options_of({{"model", std::string("rvm")}, {"task", std::string("regression")}, {"width", 1.5}, {"centres", 10.0}});
  const SavedModel near = fit_model(X, y, options), far = fit_model(X, Vector(y.array() + 1e14), options);
  EXPECT_NEAR(far.relevance()->r_squared, near.relevance()->r_squared, 1e-6);
  EXPECT_TRUE(contains(far.relevance()->report.warnings.front(), "steps of 0.016"));
}

TEST(NumbersFarFromZero, AreConstantWhereTheyDifferByRoundingAlone) {
  Random random(10);
  const Matrix X = random.normals(30, 2);
  Vector y(30);
  for (Index i = 0; i < 30; ++i) y[i] = 0.1 * static_cast<double>(i + 1) / static_cast<double>(i + 1) + (i % 2 == 0 ? 0.2 : 0.3 - 0.1);
  const SavedModel model = fit_model(X, y, options_of({{"model", std::string("linear")}, {"prior", std::string("shared")}}));
  EXPECT_EQ(model.score()->report.warnings.front(), "the target is constant: there is nothing to explain");
}

// ---- a target of text

TEST(ATargetOfText, IsRefusedByRegressions) {
  Random random(3);
  const Matrix X = random.normals(20, 2);
  Vector codes(20);
  for (Index i = 0; i < 20; ++i) codes[i] = static_cast<double>(i % 2);
  ModelOptions linear{.model = "linear"}, machine{.model = "rvm", .task = "regression"};
  for (ModelOptions* options : {&linear, &machine}) {
    options->class_names = {"low", "high"};
    testing::expect_invalid([&] { (void)fit_model(X, codes, *options); }, {"y is text ('low', ...)", "model 'logistic'"});
    options->class_names.clear();
    EXPECT_NO_THROW((void)fit_model(X, codes, *options));
  }
}

// ---- numbers that are nothing

TEST(Summaries, WriteZeroForWhatIsLeftOfAHypothesisWithoutWeight) {
  Random random(4);
  const Matrix X = random.normals(40, 2);
  const Vector y = 3 * X.col(0) + random.normals(40, 1).col(0);
  SavedModel model = fit_model(X, y, ModelOptions{.model = "linear", .prior = "shared"});
  model.score()->mean[1] = 3.9e-244;
  EXPECT_FALSE(contains(summary(model), "e-244"));
  model.score()->mean[1] = 3.9e-24;
  EXPECT_TRUE(contains(summary(model), "3.900e-24"));
  model.score()->variance[1] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(summary(model), "3.900e-24"));
}

}  // namespace
}  // namespace ardvark
