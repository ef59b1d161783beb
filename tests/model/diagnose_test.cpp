// k-hat: how far a posterior is from the exact one.                                                                docs/math/khat.md
#include "ardvark/diagnose.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/counts.hpp"
#include "ardvark/model.hpp"
#include "core/special.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::make_problem;
using testing::mentions;
using testing::Problem;

constexpr double draws = 4000;

FitOptions with_prior(const Prior& prior) {
  FitOptions options;
  options.prior = prior;
  options.keep_covariance = Keep::always;
  return options;
}

Diagnosis diagnosed(const Problem& d, const FitOptions& options) {
  std::string why_not;
  Diagnosis out = diagnose(fit_logistic(d.X, d.labels, options), d.X, d.labels, options, why_not);
  EXPECT_EQ(why_not, "");
  return out;
}

double standard_error(const Vector& x) { return std::sqrt((x.array() - x.mean()).square().mean() / draws); }
double log_mean_exp(const Vector& x) { return x.maxCoeff() + std::log((x.array() - x.maxCoeff()).exp().mean()); }

TEST(Diagnose, FindsNormalPosteriorsOfManyRowsGood) {
  const Problem d = make_problem(1, 2000, 4);
  for (const Prior& prior : {Prior::none(), Prior::shared(), Prior::dense()}) {
    const Diagnosis k = diagnosed(d, with_prior(prior));
    EXPECT_GT(k.effective_share, 0.9) << to_string(prior.kind);
    EXPECT_EQ(warning_of(k).empty(), k.khat <= 0.7) << to_string(prior.kind);
    EXPECT_EQ(mentions({warning_of(k)}, "heavier tails"), k.khat > 0.7) << warning_of(k);
    EXPECT_EQ(k.threshold, 0.7);
    EXPECT_EQ(k.log_ratios.size(), 4000);
  }
}

TEST(Diagnose, FindsAPosteriorTooNarrowByTwo) {
  const Problem d = make_problem(2, 500, 3);
  const FitOptions options = with_prior(Prior::shared());
  LogisticFit fit = fit_logistic(d.X, d.labels, options);
  auto narrow = std::make_shared<internal::FitState>(*fit.state);
  ASSERT_EQ(narrow->factor.kind, CovarianceFactor::Kind::triangular);
  narrow->factor.L_inverse *= 0.5;
  fit.state = narrow;
  std::string why_not;
  const Diagnosis k = diagnose(fit, d.X, d.labels, options, why_not);
  EXPECT_GT(k.khat, 0.7);
  EXPECT_GT(k.khat_given_precisions, 0.7);
  EXPECT_LT(k.effective_share, 0.5);
  EXPECT_TRUE(mentions({warning_of(k)}, "above 0.70")) << warning_of(k);
}

// E ln r is above the bound and below the log evidence, which for one weight is an integral.                       (KHAT.1), (KHAT.4)
TEST(Diagnose, HasRatiosBetweenTheBoundAndTheEvidence) {
  const Problem d = make_problem(3, 60, 1);
  FitOptions options = with_prior(Prior::ard());
  options.intercept = options.standardize = false;
  options.precision = {0.7, 0.4};
  const LogisticFit fit = fit_logistic(d.X, d.labels, options);
  const auto log_joint = [&](double w) {
    double sum = std::lgamma(0.7 + 0.5) - std::lgamma(0.7) + 0.7 * std::log(0.4) - 1.2 * std::log(0.4 + 0.5 * w * w) - 0.5 * ln_2pi;
    for (Index i = 0; i < d.X.rows(); ++i) sum += log_sigmoid(d.labels[i] * d.X(i, 0) * w);
    return sum;
  };
  const double top = log_joint(fit.mean[0]);
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
  const double evidence =
      top + std::log(Quadrature::integrate([&](double w) { return std::exp(log_joint(w) - top); }, -20.0, 20.0, 15, 1e-12));
  const Diagnosis k = diagnosed(d, options);
  EXPECT_LT(fit.bound, evidence);
  EXPECT_GT(k.log_ratios.mean() + 4 * standard_error(k.log_ratios), fit.bound);
  EXPECT_LT(k.log_ratios.mean() - 4 * standard_error(k.log_ratios), evidence);
  EXPECT_NEAR(log_mean_exp(k.log_ratios), evidence, 0.01);
}

// With the precision fixed E ln r is the bound itself, but for the error of (PRED.2): nothing else is between them.        (VG.2)
TEST(Diagnose, HasRatiosWhoseMeanIsTheBoundOfAFixedPrecision) {
  for (const bool standardize : {false, true}) {
    const Problem d = make_problem(4, 80, 3);
    FitOptions options = with_prior(Prior::shared().fixed({0, 1, 2}, 1.7));
    options.standardize = standardize;
    const LogisticFit fit = fit_logistic(d.X, d.labels, options);
    const Diagnosis k = diagnosed(d, options);
    EXPECT_NEAR(k.log_ratios.mean(), fit.bound, 4 * standard_error(k.log_ratios)) << standardize;
    EXPECT_LT(standard_error(k.log_ratios), 0.02);
    EXPECT_EQ(k.khat, k.khat_given_precisions);
  }
}

TEST(Diagnose, HasRatiosAboveTheBoundUnderEveryPrior) {
  const Problem d = make_problem(5, 120, 6);
  for (const Prior& prior : {Prior::none(), Prior::shared(), Prior::ard(), Prior::groups({0, 0, 1, 1, 2, 2}), Prior::shared().flat({2})})
    for (const LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
      FitOptions options = with_prior(prior);
      options.likelihood = likelihood;
      const LogisticFit fit = fit_logistic(d.X, d.labels, options);
      const Diagnosis k = diagnosed(d, options);
      EXPECT_GT(k.log_ratios.mean() + 4 * standard_error(k.log_ratios), fit.bound) << to_string(prior.kind);
      EXPECT_LT(k.khat_given_precisions, 1.2) << to_string(prior.kind);
    }
}

TEST(Diagnose, IsTheSameWithAnyNumberOfThreads) {
  const Problem d = make_problem(6, 700, 5);
  FitOptions options = with_prior(Prior::sparse());
  const LogisticFit fit = fit_logistic(d.X, d.labels, options);
  std::string why_not;
  options.threads = 1;
  const Diagnosis one = diagnose(fit, d.X, d.labels, options, why_not);
  options.threads = 4;
  const Diagnosis four = diagnose(fit, d.X, d.labels, options, why_not);
  EXPECT_EQ(one.log_ratios, four.log_ratios);
  EXPECT_EQ(one.khat, four.khat);
}

TEST(Diagnose, TakesAWeightAsRepetitionAndColumnsInAnyUnits) {
  const Problem d = make_problem(7, 90, 3);
  FitOptions options = with_prior(Prior::shared());
  const Diagnosis plain = diagnosed(d, options);
  Problem twice = d;
  twice.X.resize(180, 3);
  twice.X << d.X, d.X;
  twice.labels.resize(180);
  twice.labels << d.labels, d.labels;
  const Diagnosis repeated = diagnosed(twice, options);
  const Vector two = Vector::Constant(90, 2);
  options.weights = two;
  const Diagnosis weighted = diagnosed(d, options);
  EXPECT_LT((weighted.log_ratios - repeated.log_ratios).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_NEAR(weighted.khat, repeated.khat, 1e-6);
  Problem scaled = d;
  scaled.X.col(1) *= 1e4;
  EXPECT_NEAR(diagnosed(scaled, with_prior(Prior::shared())).khat, plain.khat, 1e-6);
}

TEST(Diagnose, LeavesOutWhatIsLeftOut) {
  const Problem d = make_problem(8, 150, 3);
  Problem more = d;
  more.X.conservativeResize(150, 5);
  more.X.col(3).setConstant(4);
  more.X.col(4) = d.X.col(0);
  FitOptions options = with_prior(Prior::shared());
  options.tolerance = 1e-13;  // otherwise rounding may decide which of them takes one sweep more
  EXPECT_NEAR(diagnosed(more, options).khat, diagnosed(d, options).khat, 1e-6);  // as above
}

TEST(Diagnose, ServesMoreColumnsThanRows) {
  const Problem d = make_problem(9, 30, 60);
  for (const Prior& prior : {Prior::shared(), Prior::sparse(), Prior::dense()}) {
    const Diagnosis k = diagnosed(d, with_prior(prior));
    EXPECT_FALSE(std::isnan(k.khat)) << to_string(prior.kind);
  }
}

// ---- counts and Student-t noise -------------------------------------------------------------------------------------------(KHAT.6)

// ln p of a row at its linear predictor.
double log_density(const Fit& fit, double y, double eta) {
  if (fit.family.family == Family::student) {
    const double nu = fit.family.degrees_of_freedom, tau = fit.noise.shape / fit.noise.rate;
    return std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu) + 0.5 * std::log(tau / (nu * M_PI)) -
           0.5 * (nu + 1) * std::log(1 + tau * (y - eta) * (y - eta) / nu);
  }
  const double mu = std::exp(eta), poisson = y * eta - mu - std::lgamma(y + 1);
  if (fit.family.family == Family::poisson) return poisson;
  const double r = 1 / fit.family.dispersion;
  return std::lgamma(y + r) - std::lgamma(r) - std::lgamma(y + 1) + y * std::log(mu / (r + mu)) + r * std::log(r / (r + mu));
}

struct OneOfAFamily {
  Family family;
  Vector y;
};

// [n] of each family, about 0.6 + x.
std::vector<OneOfAFamily> targets_of(const Vector& x) {
  testing::Random random(9);
  Vector numbers = x + random.normals(x.size()), counts = x;
  numbers[3] += 20;
  for (Index i = 0; i < x.size(); ++i) {  // the gaps between arrivals are exponential
    double at = 0;
    counts[i] = -1;
    for (const double rate = std::exp(0.6 + x[i]); at < 1; ++counts[i]) at -= std::log(1 - random.uniform()) / rate;
  }
  return {{Family::poisson, counts}, {Family::negative_binomial, 2 * counts}, {Family::student, numbers}};
}

Fit fit_of(const OneOfAFamily& one, MatrixView X, FitOptions& options) {
  options.family = one.family;
  return one.family == Family::student ? Fit(fit_linear(X, one.y, options)) : Fit(fit_counts(X, one.y, options));
}

Diagnosis diagnosed(const OneOfAFamily& one, MatrixView X, FitOptions options) {
  std::string why_not;
  Diagnosis out = diagnose(fit_of(one, X, options), X, one.y, options, why_not);
  EXPECT_EQ(why_not, "");
  return out;
}

// For one weight the evidence is an integral, with the family's own parameters at the values of the fit, and an offset.
TEST(Diagnose, OfCountsAndTNoiseHasTheEvidenceOfQuadrature) {
  testing::Random random(31);
  const Matrix X = random.normals(40, 1);
  const Vector offset = 0.3 * random.normals(40);
  for (const OneOfAFamily& one : targets_of(X.col(0)))
    for (const bool is_fixed : {true, false}) {
      FitOptions options = with_prior(is_fixed ? Prior::shared().fixed({0}, 1.7) : Prior::ard());
      options.intercept = options.standardize = false;
      options.precision = {0.7, 0.4};
      if (one.family != Family::student) options.row_offset = offset;
      const Fit fit = fit_of(one, X, options);
      const auto log_joint = [&](double w) {
        double sum = is_fixed
                         ? 0.5 * std::log(1.7) - 0.85 * w * w - 0.5 * ln_2pi
                         : std::lgamma(1.2) - std::lgamma(0.7) + 0.7 * std::log(0.4) - 1.2 * std::log(0.4 + 0.5 * w * w) - 0.5 * ln_2pi;
        for (Index i = 0; i < 40; ++i) sum += log_density(fit, one.y[i], X(i, 0) * w + (one.family == Family::student ? 0 : offset[i]));
        return sum;
      };
      const double top = log_joint(fit.mean[0]);
      using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
      const double evidence =
          top + std::log(Quadrature::integrate([&](double w) { return std::exp(log_joint(w) - top); }, -4.0, 5.0, 15, 1e-12));
      const Diagnosis k = diagnosed(one, X, options);
      EXPECT_NEAR(log_mean_exp(k.log_ratios), evidence, 0.02) << to_string(one.family) << is_fixed;
      EXPECT_LT(k.log_ratios.mean() - 4 * standard_error(k.log_ratios), evidence);
      EXPECT_GT(k.effective_share, 0.9) << to_string(one.family);
    }
}

TEST(Diagnose, OfCountsAndTNoiseTakesAWeightAsRepetition) {
  const Problem d = make_problem(32, 60, 3);
  Matrix twice(120, 3);
  twice << d.X, d.X;
  const Vector two = Vector::Constant(60, 2);
  for (const OneOfAFamily& one : targets_of(0.5 * d.X.col(0)))
    for (const Prior& prior : {Prior::shared(), Prior::sparse()}) {
      FitOptions options = with_prior(prior);
      OneOfAFamily repeated{one.family, Vector(120)};
      repeated.y << one.y, one.y;
      const Diagnosis of_rows = diagnosed(repeated, twice, options);
      options.weights = two;
      const Diagnosis of_weights = diagnosed(one, d.X, options);
      EXPECT_LT((of_weights.log_ratios - of_rows.log_ratios).cwiseAbs().maxCoeff(), 1e-4) << to_string(one.family);
    }
}

TEST(Diagnose, OfCountsReadsAnOffsetInEveryForm) {
  const Problem d = make_problem(33, 60, 3);
  const Vector offset = 0.5 * d.X.col(2);
  Matrix with_column = d.X, with_exposure = d.X;
  with_column.col(2) = offset, with_exposure.col(2) = offset.array().exp();
  const OneOfAFamily one = targets_of(0.5 * d.X.col(0))[0];
  for (const Prior& prior : {Prior::shared(), Prior::sparse()}) {
    FitOptions options = with_prior(prior);
    options.column_names = {"a", "b", "o"};
    FitOptions of_rows = options, of_column = options, of_exposure = options;
    of_rows.column_names = {"a", "b"};
    of_rows.row_offset = offset;
    of_column.offset_column = of_exposure.exposure = "o";
    const Diagnosis expected = diagnosed(one, Matrix(d.X.leftCols(2)), of_rows);
    EXPECT_LT((diagnosed(one, with_column, of_column).log_ratios - expected.log_ratios).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((diagnosed(one, with_exposure, of_exposure).log_ratios - expected.log_ratios).cwiseAbs().maxCoeff(), 1e-6);
  }
}

// In other units of the target the density of a row changes by a factor, and nothing else does.
TEST(Diagnose, OfTNoiseDoesNotDependOnTheUnitOfTheTarget) {
  const Problem d = make_problem(34, 70, 3);
  OneOfAFamily one = targets_of(d.X.col(0))[2];
  for (const Prior& prior : {Prior::shared(), Prior::sparse(), Prior::dense(), Prior::shared().flat({1})}) {
    const FitOptions options = with_prior(prior);
    const Diagnosis plain = diagnosed(one, d.X, options);
    const Diagnosis scaled = diagnosed({one.family, 1000 * one.y}, d.X, options);
    const double flat = prior.flat_columns.empty() ? 1 : 2;
    const Vector moved = scaled.log_ratios.array() - plain.log_ratios.array() + (70 - flat) * std::log(1000.0);
    EXPECT_LT(moved.cwiseAbs().maxCoeff(), 1e-5) << to_string(prior.kind);
    EXPECT_LT(plain.khat, 1);
  }
}

TEST(Diagnose, IsAnOptionOfCountsAndOfTNoise) {
  const Problem d = make_problem(35, 80, 3);
  const auto targets = targets_of(0.5 * d.X.col(0));
  for (const char* prior : {"auto", "shared", "ard", "none"}) {
    ModelOptions counts{.model = "counts", .prior = prior}, noise{.model = "linear", .prior = prior, .noise = "student"};
    for (ModelOptions* options : {&counts, &noise}) {
      options->set("diagnose", 1.0);
      const SavedModel model = fit_model(d.X, targets[options == &counts ? 0 : 2].y, *options);
      ASSERT_TRUE(model.diagnosis) << prior;
      EXPECT_TRUE(std::isfinite(model.diagnosis->khat)) << prior;
      EXPECT_EQ(model_from_bytes(model_to_bytes(model)).diagnosis->khat, model.diagnosis->khat);
      EXPECT_TRUE(mentions({summary(model)}, "k-hat                 ")) << summary(model);
    }
    noise.noise = "auto";
    const Vector light = (9 * d.X.col(1)).array().sin();  // of errors that are limited, so not of Student-t noise
    const SavedModel normal = fit_model(d.X, light, noise), given = fit_model(OwnedMatrix(Matrix(d.X)), targets[2].y, noise);
    EXPECT_TRUE(std::isnan(normal.diagnosis->khat));
    EXPECT_TRUE(mentions(normal.score()->report.warnings, "k-hat was not computed: the noise is normal"));
    EXPECT_EQ(given.diagnosis->khat, fit_model(d.X, targets[2].y, noise).diagnosis->khat) << "the table is not overwritten before";
  }
}

ModelOptions diagnosing(const std::string& model) {
  ModelOptions options{.model = model};
  options.set("diagnose", 1.0);
  return options;
}

TEST(Diagnose, IsAnOptionOfModelsAndIsSaved) {
  const Problem d = make_problem(10, 100, 3);
  for (const char* prior : {"sparse", "shared", "ard", "none"}) {
    ModelOptions options = diagnosing("logistic");
    options.prior = prior;
    const SavedModel model = fit_model(d.X, d.labels, options);
    ASSERT_TRUE(model.diagnosis) << prior;
    const SavedModel read = model_from_bytes(model_to_bytes(model));
    ASSERT_TRUE(read.diagnosis) << prior;
    EXPECT_EQ(read.diagnosis->khat, model.diagnosis->khat);
    EXPECT_EQ(read.diagnosis->khat_given_precisions, model.diagnosis->khat_given_precisions);
    EXPECT_EQ(read.diagnosis->effective_share, model.diagnosis->effective_share);
    EXPECT_EQ(to_json(read), to_json(model));
    EXPECT_EQ(summary(read), summary(model));
    EXPECT_TRUE(mentions({summary(model)}, "k-hat                 ")) << summary(model);
    EXPECT_EQ(mentions(model.score()->report.warnings, "k-hat is"), model.diagnosis->khat > 0.7);
  }
  ModelOptions without{.model = "logistic"};
  EXPECT_FALSE(fit_model(d.X, d.labels, without).diagnosis);
}

TEST(Diagnose, ServesRelevanceVectorsOfTwoClassesAndThree) {
  const Problem d = make_problem(11, 60, 2);
  ModelOptions options = diagnosing("rvm");
  options.task = "classification";
  options.width = "1.5";
  const SavedModel two = fit_model(d.X, d.labels, options);
  ASSERT_TRUE(two.diagnosis);
  EXPECT_TRUE(std::isfinite(two.diagnosis->khat));
  EXPECT_GT(two.diagnosis->log_ratios.mean() + 4 * standard_error(two.diagnosis->log_ratios), two.relevance()->machines.front().fit.bound);
  EXPECT_EQ(model_from_bytes(model_to_bytes(two)).diagnosis->khat, two.diagnosis->khat);
  Vector three = d.labels;
  for (Index i = 0; i < 60; i += 3) three[i] = 2;
  const SavedModel of_three = fit_model(d.X, three, options);
  ASSERT_TRUE(of_three.diagnosis);
  EXPECT_TRUE(std::isfinite(of_three.diagnosis->khat));
  options.algorithm = "type-two";
  EXPECT_TRUE(std::isfinite(fit_model(d.X, d.labels, options).diagnosis->khat));
}

// Of a regression for each class, or each pair: the largest k-hat of those that two classes would have.
TEST(Diagnose, ServesRegressionsOfSeveralClasses) {
  const Problem d = make_problem(12, 150, 3);
  Vector three = Vector::Zero(150);
  for (Index i = 0; i < 150; ++i) three[i] = d.y[i] > 0.6 ? 2 : d.y[i] > -0.4 ? 1 : 0;
  for (const char* coding : {"one-against-rest", "one-against-one"}) {
    ModelOptions options{.model = "logistic", .prior = "sparse"};
    options.coding = coding;
    options.diagnose = true;
    options.keep_covariance = "always";
    const SavedModel model = fit_model(d.X, three, options);
    ASSERT_TRUE(model.diagnosis) << coding;
    double expected = -INFINITY;
    for (int high = 0; high < 3; ++high)
      for (int low = high - 1; low >= (coding[12] == 'r' ? high - 1 : 0); --low) {
        std::vector<Index> rows;
        for (Index i = 0; i < 150; ++i)
          if (coding[12] == 'r' || three[i] == low || three[i] == high) rows.push_back(i);
        const Matrix X = d.X(rows, Eigen::all);
        const Vector t = (three(rows).array() == high).cast<double>();
        ModelOptions two{.model = "logistic", .prior = "sparse"};
        two.diagnose = true;
        two.keep_covariance = "always";
        expected = std::max(expected, fit_model(X, t, two).diagnosis->khat);
      }
    EXPECT_EQ(model.diagnosis->khat, expected) << coding;
    EXPECT_EQ(model_from_bytes(model_to_bytes(model)).diagnosis->khat, expected);
  }
}

TEST(Diagnose, ServesPresets) {
  const Problem d = make_problem(12, 80, 3);
  for (const char* preset :
       {"vb_logit_fit", "vb_logit_fit_ard", "vb_logit_fit_iter", "slr_var", "slr_lap", "rlr_var", "rvm_classification"}) {
    ModelOptions options{.preset = preset};
    options.set("diagnose", 1.0);
    const SavedModel model = fit_model(d.X, d.labels, options);
    ASSERT_TRUE(model.diagnosis) << preset;
    EXPECT_TRUE(std::isfinite(model.diagnosis->khat)) << preset;
  }
}

TEST(Diagnose, SaysWhereItHasNoMeaning) {
  const Problem d = make_problem(13, 40, 2);
  const auto refused = [&](ModelOptions options, const Vector& target, std::initializer_list<const char*> pieces) {
    options.set("diagnose", 1.0);
    expect_invalid([&] { (void)fit_model(d.X, target, options); }, pieces);
  };
  refused({.model = "linear"}, d.y, {"diagnose", "counts", "student", "normal noise"});
  refused({.model = "counts", .prior = "slab"}, d.y.cwiseAbs().array().floor(), {"diagnose", "sparse"});
  refused({.model = "linear", .prior = "laplace", .noise = "student"}, d.y, {"diagnose", "mode"});
  refused({.model = "logistic", .prior = "laplace"}, d.labels, {"diagnose", "mode"});
  refused({.model = "logistic", .prior = "slab"}, d.labels, {"diagnose", "sparse"});
  refused({.model = "logistic", .keep_covariance = "never"}, d.labels, {"diagnose", "keep_covariance"});
  refused({.preset = "l1_slr_c"}, d.labels, {"diagnose", "mode"});
  refused({.preset = "smlr"}, d.labels, {"diagnose", "two classes"});
  ModelOptions selecting = diagnosing("logistic");
  expect_invalid([&] { (void)select_columns(d.X, d.labels, selecting); }, {"diagnose", "selection"});
  Vector three = d.labels;
  three[0] = three[5] = three[9] = 2;
  refused({.model = "logistic"}, three, {"diagnose", "two classes", "rvm"});
}

}  // namespace
}  // namespace ardvark::internal
