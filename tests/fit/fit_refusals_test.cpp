// What a fit refuses, naming the argument and its value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "fit_cases.hpp"

namespace ardvark {
namespace {

using testing::changed;
using testing::expect_invalid;
using testing::make_problem;
using testing::nan;
using testing::Problem;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Both tasks refuse these options and name the argument and its value.
void expect_refused(const FitOptions& options, std::initializer_list<const char*> pieces) {
  const Problem problem = make_problem(115, 10, 3);
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, options)); }, pieces);
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, problem.labels, options)); }, pieces);
}

// The coefficient is of size 1e160, and its variance of size 1e320, or one over these.
TEST(Fit, RejectsUnitsInWhichTheVarianceOfACoefficientIsNoNumber) {
  const Problem problem = make_problem(117, 20, 2);
  for (const Prior& prior : {Prior::none(), Prior::shared(), Prior::ard(), Prior::sparse(), Prior::dense(), Prior::laplace()}) {
    FitOptions options;
    options.prior = prior;
    for (const double unit : {1e80, 1e-80}) {
      Matrix X = problem.X;
      X.col(1) /= unit;
      expect_invalid([&] { static_cast<void>(fit_linear(X, Vector(unit * problem.y), options)); },
                     {"the variance of the coefficient of column 'x2'", "rescale the column or the target"});
      EXPECT_TRUE(fit_linear(Matrix(unit * problem.X), Vector(unit * problem.y), options).mean.allFinite());
    }
  }
}

TEST(Fit, RejectsImpossibleTables) {
  const Problem problem = make_problem(116, 6, 2);
  const auto both = [&](MatrixView X, std::initializer_list<const char*> pieces, const FitOptions& options = {}) {
    expect_invalid([&] { static_cast<void>(fit_linear(X, problem.y, options)); }, pieces);
    expect_invalid([&] { static_cast<void>(fit_logistic(X, problem.labels, options)); }, pieces);
  };
  both(MatrixView(problem.X.data(), 0, 2), {"X has 0 rows"});
  both(MatrixView(problem.X.data(), 6, 0), {"X has 0 columns"});
  both(MatrixView(static_cast<const double*>(nullptr), 6, 2), {"X is a null pointer"});
  both(MatrixView(problem.X.data(), 6, 2, Layout::column_major, 5), {"stride of X is 5", "6"});
  both(MatrixView(problem.X.data(), 6, 2, Layout::row_major, 1), {"stride of X is 1", "2"});
  for (double bad : {nan, infinity, -infinity}) {
    Matrix X = problem.X;
    X(4, 1) = bad;
    const Eigen::MatrixXf floats = X.cast<float>();
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = X;
    const char* text = std::isnan(bad) ? "NaN" : bad > 0 ? "is inf" : "is -inf";
    both(X, {"X at row 5", "'x2'", text});
    both(floats, {"X at row 5", "'x2'", text});
    both(by_row, {"X at row 5", "'age'", text}, changed([](FitOptions& o) { o.column_names = {"height", "age"}; }));
  }
}

TEST(FitLinear, RejectsImpossibleTargets) {
  const Problem problem = make_problem(117, 6, 2);
  Vector y = problem.y;
  y[2] = infinity;
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, y)); }, {"y at row 3", "inf"});
  y[2] = nan;
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, y)); }, {"y at row 3", "NaN"});
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, Vector(problem.y.head(5)))); }, {"y has 5 entries", "6"});
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, VectorView())); }, {"y has 0 entries"});
}

TEST(FitLogistic, RejectsImpossibleLabels) {
  const Problem problem = make_problem(118, 6, 2);
  Vector labels = problem.labels;
  labels[3] = 0.5;
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, labels)); }, {"labels has more than two classes", "-1", "0.5", "row 4"});
  labels[3] = nan;
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, labels)); }, {"labels at row 4", "NaN"});
  for (const double large : {0x1p53, -0x1p53, 1e300}) {  // 2^53 + 1 is the same number
    labels[3] = large;
    const std::initializer_list<const char*> words = {"labels at row 4 is ", "2^53", "positions 0, 1, ..."};
    expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, labels)); }, words);
    expect_invalid([&] { static_cast<void>(fit_softmax(problem.X, labels)); }, words);
  }
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, Vector(Vector::Constant(6, 2.0)))); }, {"labels has only one class", "2"});
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, Vector(problem.labels.head(4)))); }, {"labels has 4 entries", "6"});
  const Vector one_class = (problem.labels.array() > 0).select(Vector::Ones(6), Vector::Zero(6));
  expect_invalid(
      [&] { static_cast<void>(fit_logistic(problem.X, problem.labels, changed([&](FitOptions& o) { o.weights = one_class; }))); },
      {"all rows of one class", "weight zero"});
}

TEST(Fit, RejectsImpossibleWeights) {
  Vector weights = Vector::Ones(10);
  const auto with_weights = [&] { return changed([&](FitOptions& o) { o.weights = weights; }); };
  weights[6] = -0.25;
  expect_refused(with_weights(), {"weights at row 7", "-0.25"});
  weights[6] = nan;
  expect_refused(with_weights(), {"weights at row 7", "NaN"});
  weights = Vector::Zero(10);
  expect_refused(with_weights(), {"all weights are zero"});
  weights = Vector::Ones(9);
  expect_refused(with_weights(), {"weights has 9 entries", "10"});
  weights = Vector::Ones(10);
  weights[3] = 1e150;
  expect_refused(with_weights(), {"the sum of the weights is 1e+150; it must be below 1e150"});
  weights[3] = weights[8] = 6e149;
  expect_refused(with_weights(), {"the sum of the weights is 1.2e+150; it must be below 1e150"});
}

TEST(Fit, RejectsImpossibleOptions) {
  for (double bad : {0.0, -2.0, nan, infinity}) {
    const std::string text = std::isnan(bad) ? "nan" : bad == infinity ? "inf" : bad == 0 ? "is 0" : "-2";
    expect_refused(changed([&](FitOptions& o) { o.precision.shape = bad; }), {"precision.shape", text.c_str()});
    expect_refused(changed([&](FitOptions& o) { o.precision.rate = bad; }), {"precision.rate", text.c_str()});
    if (bad == 0) continue;  // of the noise: the default
    const Problem problem = make_problem(119, 10, 3);
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, changed([&](FitOptions& o) { o.noise.shape = bad; }))); },
                   {"noise.shape", text.c_str()});
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, changed([&](FitOptions& o) { o.noise.rate = bad; }))); },
                   {"noise.rate", text.c_str()});
  }
  expect_refused(changed([](FitOptions& o) { o.max_sweeps = 0; }), {"max_sweeps is 0"});
  expect_refused(changed([](FitOptions& o) { o.tolerance = -1e-3; }), {"tolerance is -0.001"});
  expect_refused(changed([](FitOptions& o) { o.tolerance = nan; }), {"tolerance is nan"});
  expect_refused(changed([](FitOptions& o) { o.threads = -2; }), {"threads is -2"});
  expect_refused(changed([](FitOptions& o) { o.column_names = {"a", "b"}; }), {"column_names has 2", "3"});
  expect_refused(changed([](FitOptions& o) { o.compat = true; }), {"compat", "preset"});
  expect_refused(changed([](FitOptions& o) { o.solver = SolverKind::sequential; }), {"'sequential'"});
  expect_refused(changed([](FitOptions& o) { o.prior = Prior::ard(), o.solver = SolverKind::spectral; }), {"'spectral'", "shared"});
  expect_refused(changed([](FitOptions& o) { o.prior = Prior::shared().fixed({0}, 1), o.solver = SolverKind::spectral; }),
                 {"'spectral'", "fixed"});
  const Problem three_rows = make_problem(119, 3, 3);
  const FitOptions dual = changed([](FitOptions& o) { o.prior = Prior::shared().flat({0, 1}), o.solver = SolverKind::dual; });
  expect_invalid([&] { static_cast<void>(fit_linear(three_rows.X, three_rows.y, dual)); }, {"'dual'", "3 rows", "3 flat"});
}

TEST(Fit, RejectsImpossiblePresets) {
  const Problem problem = make_problem(120, 10, 3);
  expect_refused(changed([](FitOptions& o) { o.preset = "vb_fit"; }), {"'vb_fit'", "unknown", "vb_linear_fit"});
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, options_for_preset("vb_logit_fit"))); },
                 {"'vb_logit_fit'", "logistic", "linear"});
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, problem.labels, options_for_preset("vb_linear_fit"))); },
                 {"'vb_linear_fit'", "linear", "logistic"});
  const Vector weights = Vector::Ones(10);
  FitOptions weighted = options_for_preset("vb_linear_fit");
  weighted.weights = weights;
  expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, weighted)); }, {"weights", "'vb_linear_fit'"});
  for (bool FitOptions::*flag : {&FitOptions::intercept, &FitOptions::standardize}) {
    FitOptions options = options_for_preset("vb_linear_fit");
    options.*flag = true;
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, options)); }, {"'vb_linear_fit'", "intercept"});
  }
}

TEST(Fit, RejectsImpossiblePriors) {
  const auto refused = [](const Prior& prior, std::initializer_list<const char*> pieces) {
    expect_refused(changed([&](FitOptions& o) { o.prior = prior; }), pieces);
  };
  refused(Prior::shared().flat({3}), {"prior.flat_columns", "column 3", "0 to 2"});
  refused(Prior::shared().flat({-1}), {"prior.flat_columns", "column -1"});
  refused(Prior::shared().fixed({7}, 1), {"prior.fixed_columns", "column 7"});
  refused(Prior::shared().flat({1}).fixed({1}, 1), {"column 1", "flat", "fixed"});
  for (double bad : {0.0, -3.0, nan, infinity})
    refused(Prior::shared().fixed({1}, bad), {"fixed precision", std::isnan(bad)   ? "nan"
                                                                 : bad == infinity ? "inf"
                                                                 : bad == 0        ? "is 0"
                                                                                   : "-3"});
  Prior lopsided = Prior::shared().fixed({1}, 1);
  lopsided.fixed_precision.push_back(2);
  refused(lopsided, {"prior.fixed_precision has 2", "1"});
  refused(Prior::groups({0, 1}), {"prior.group has 2", "3"});
  refused(Prior::groups({0, 1, -1}), {"prior.group holds -1"});
  refused(Prior::groups({0, 1, 3}), {"prior.group holds 3", "0 to 2"});
  Prior few = Prior::groups({0, 1, 1});
  few.hyperprior = {{1, 1}};
  refused(few, {"prior.hyperprior has 1", "2"});
  few.kind = PriorKind::ard;
  few.group.clear();
  refused(few, {"prior.hyperprior has 1", "3"});
  for (double bad : {0.0, -1.0, nan}) {
    Prior wrong = Prior::groups({0, 1, 1});
    wrong.hyperprior = {{1, 1}, {bad, 1}};
    refused(wrong, {"shape of a group's hyper-prior"});
    wrong.hyperprior = {{1, 1}, {1, bad}};
    refused(wrong, {"rate of a group's hyper-prior"});
  }
}

// The rounding of a log likelihood of 1e18 nats is larger than any difference between two fits.
TEST(FitLogistic, RefusesWeightsWhoseLogLikelihoodsHaveNoDigitsUnderSparse) {
  const Problem problem = make_problem(121, 20, 2);
  const Vector weights = Vector::Constant(20, 1e17);
  for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense()}) {
    FitOptions options{.prior = prior};
    options.weights = weights;
    expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, problem.labels, options)); },
                   {"the sum of the weights is 2e+18", to_string(prior.kind), "divide all weights"});
  }
}

// A noise posterior with less than 1e-6 of an observation is refused by the reader of files, so it is not fitted.
TEST(FitLinear, RejectsANoisePosteriorWithoutShape) {
  const Problem problem = make_problem(118, 6, 2);
  const Vector weights = Vector::Constant(6, 1e-9);
  for (const LinearPosterior posterior : {LinearPosterior::joint, LinearPosterior::factorised}) {
    FitOptions options{.prior = Prior::ard()};
    options.posterior = posterior;
    options.intercept = false;
    options.weights = weights;
    options.noise.shape = 1e-9;
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, problem.y, options)); },
                   {"a0 (noise.shape) is 1e-09", "4e-09", "at least 1e-06"});
    options.noise.shape = 1e-6;
    EXPECT_GE(fit_linear(problem.X, problem.y, options).noise.shape, 1e-6);
  }
}

}  // namespace
}  // namespace ardvark
