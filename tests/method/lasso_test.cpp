// fit_logistic with a Laplace prior, in the caller's units, against its definition.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../support/plain.hpp"
#include "../support/thrown.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "lasso_cases.hpp"

namespace ardvark {
namespace {

using testing::distance;
using testing::expect_invalid;
using testing::lambda_max_of_labels;
using testing::laplace;
using testing::lasso_table;
using testing::LassoTable;
using testing::Long;
using testing::LongVector;
using testing::make_problem;
using testing::plain_ridge;
using testing::PlainRidge;
using testing::Problem;
using testing::Random;
using testing::relative_distance;
using testing::Scaled;
using testing::scaled;
using testing::standardised;

struct Rows {
  Vector r, omega;
  double log_likelihood = 0;
};
Rows rows_at(const Matrix& Z, const Vector& w, const Vector& labels, const Vector& k) {
  const LongVector m = Z.cast<Long>() * w.cast<Long>();
  Rows out{Vector(m.size()), Vector(m.size())};
  for (Index i = 0; i < m.size(); ++i) {
    const Long direction = labels[i] > 0 ? 1 : -1, p = testing::plain_sigmoid(m[i]);
    out.r[i] = static_cast<double>(Long(k[i]) * direction * testing::plain_sigmoid(-direction * m[i]));
    out.omega[i] = static_cast<double>(Long(k[i]) * p * (1 - p));
    out.log_likelihood -= static_cast<double>(Long(k[i]) * testing::plain_softplus(-direction * m[i]));
  }
  return out;
}

TEST(FitLogisticLaplace, TheModeMeetsTheOptimalityConditionsOfTheStandardisedColumns) {  // (L1.2)
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const LassoTable table = lasso_table(seed);
    const auto& [X, y, labels] = table.problem;
    const double lambda = lambda_max_of_labels(X, labels, table.k) * Random(seed).scale(0.02, 0.9);
    FitOptions options = laplace(lambda);
    options.weights = table.k;
    const LogisticFit fit = fit_logistic(X, labels, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    EXPECT_EQ(fit.prior, PriorKind::laplace);
    EXPECT_EQ(fit.lambda, lambda);
    const Scaled s = scaled(X, table.k);
    const Vector w = standardised(fit, s), g = s.Z.transpose() * rows_at(s.Z, w, labels, table.k).r;
    // What is lost on the way to the caller's units and back.
    const double rounding = 1e-13 * table.k.sum() * (1 + w.cwiseAbs().sum());
    for (Index j = 0; j < X.cols(); ++j) {
      EXPECT_EQ(fit.relevant[static_cast<std::size_t>(j)], w[j] != 0);
      const double expected = w[j] == 0 ? std::clamp(g[j], -lambda, lambda) : w[j] > 0 ? lambda : -lambda;
      EXPECT_NEAR(g[j], expected, 1e-9 * lambda + rounding);
    }
    EXPECT_NEAR(g[X.cols()], 0, 1e-9 * lambda + rounding);
  }
}

TEST(FitLogisticLaplace, ThePosteriorIsLaplacesApproximationAmongTheColumnsThatAreNotZero) {  // (L1.8), (L1.1)
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const LassoTable table = lasso_table(seed);
    const auto& [X, y, labels] = table.problem;
    const Index p = X.cols();
    const double lambda = 0.2 * lambda_max_of_labels(X, labels, table.k);
    FitOptions options = laplace(lambda);
    options.weights = table.k;
    options.keep_covariance = Keep::always;
    const LogisticFit fit = fit_logistic(X, labels, options);
    const Scaled s = scaled(X, table.k);
    const Vector w = standardised(fit, s);
    const Rows rows = rows_at(s.Z, w, labels, table.k);
    std::vector<Index> kept;
    for (Index j = 0; j <= p; ++j)
      if (j == p || w[j] != 0) kept.push_back(j);
    const Matrix A = s.Z(Eigen::all, kept);
    Vector a = w(kept).cwiseAbs().cwiseInverse() * lambda;
    a[a.size() - 1] = 0;
    const PlainRidge plain = plain_ridge(A, rows.omega, rows.r, a);
    // In the caller's units: w_j = scale_j w_j, intercept = w_p - sum center_j scale_j w_j.
    Matrix to_user = Matrix::Zero(p + 1, p + 1);
    for (Index j = 0; j < p; ++j) to_user(j, j) = s.scale[j], to_user(p, j) = -s.center[j] * s.scale[j];
    to_user(p, p) = 1;
    Matrix V = Matrix::Zero(p + 1, p + 1);
    V(kept, kept) = plain.V;
    const Matrix covariance = to_user * V * to_user.transpose();
    EXPECT_LE(relative_distance(fit.covariance(), covariance), 1e-8);
    EXPECT_LE(relative_distance(fit.variance, covariance.diagonal().head(p)), 1e-8);
    EXPECT_LE(relative_distance(fit.intercept->variance, covariance(p, p)), 1e-8);
    double log_det = plain.log_det_V, determined = 1;
    for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
      const auto l = static_cast<Index>(i);
      log_det += 2 * std::log(s.scale[kept[i]]);
      const double relevance = 1 - a[l] * plain.V(l, l);
      EXPECT_NEAR(fit.relevance[kept[i]], relevance, 1e-8);
      EXPECT_NEAR(fit.precision[kept[i]] / a[l], 1, 1e-8);
      determined += relevance;
    }
    EXPECT_NEAR(fit.log_det_V, log_det, 1e-7);
    EXPECT_NEAR(fit.effective_parameters, determined, 1e-7);
    const double bound = rows.log_likelihood + static_cast<double>(p) * std::log(lambda / 2) - lambda * w.head(p).cwiseAbs().sum();
    EXPECT_NEAR(fit.bound, bound, 1e-9 * (1 + std::abs(bound)));
    EXPECT_EQ(fit.report.bound, fit.bound);
    EXPECT_NEAR(fit.report.bound_history.back(), bound, 1e-9 * (1 + std::abs(bound)));
    // A prediction integrates over this posterior, or plugs the mode in.
    Random random(seed + 500);
    const Matrix X_new = random.normals(5, p);
    const ClassPrediction exact = predict(fit, X_new), plug_in = predict(fit, X_new, PredictiveRule::plug_in);
    for (Index i = 0; i < 5; ++i) {
      Vector x(p + 1);
      x << X_new.row(i).transpose(), 1;
      const double m = X_new.row(i).dot(fit.mean) + fit.intercept->mean, variance = x.dot(covariance * x);
      EXPECT_NEAR(exact.mean[i], m, 1e-8 * (1 + std::abs(m)));
      EXPECT_NEAR(exact.variance[i], variance, 1e-7 * (1 + variance));
      EXPECT_NEAR(exact.probability[i], testing::normal_expectation(m, variance, [](double u) { return 1 / (1 + std::exp(-u)); }), 1e-7);
      EXPECT_NEAR(plug_in.probability[i], 1 / (1 + std::exp(-m)), 1e-9);
    }
  }
}

TEST(FitLogisticLaplace, WithoutACovarianceThePlugInStillPredicts) {
  const Problem problem = make_problem(4, 60, 5);
  FitOptions options = laplace(3);
  options.keep_covariance = Keep::never;
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
  const Vector m = (problem.X * fit.mean).array() + fit.intercept->mean;
  const ClassPrediction plug_in = predict(fit, problem.X, PredictiveRule::plug_in);
  EXPECT_LE(distance(plug_in.probability, Vector(1 / (1 + (-m.array()).exp()))), 1e-12);
  EXPECT_TRUE(plug_in.variance.array().isNaN().all());
  expect_invalid([&] { (void)predict(fit, problem.X); }, {"keep_covariance"});
}

TEST(FitLogisticLaplace, SwappedLabelsTurnTheSigns) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const LassoTable table = lasso_table(seed);
    const FitOptions options = laplace(0.1 * lambda_max_of_labels(table.problem.X, table.problem.labels, Vector::Ones(table.k.size())));
    const LogisticFit one = fit_logistic(table.problem.X, table.problem.labels, options);
    const LogisticFit other = fit_logistic(table.problem.X, Vector(-table.problem.labels), options);
    EXPECT_LE(relative_distance(one.mean, -other.mean), 1e-8);
    EXPECT_LE(relative_distance(one.intercept->mean, -other.intercept->mean), 1e-8);
    EXPECT_LE(relative_distance(one.variance, other.variance), 1e-8);
  }
}

TEST(FitLogisticLaplace, AWeightEqualsRepetitionAndUnitsDoNotMatter) {  // (LIN.6)
  const Problem problem = make_problem(11, 30, 8);
  Vector k(30);
  Matrix repeated(0, 8);
  std::vector<double> labels;
  for (Index i = 0; i < 30; ++i) {
    k[i] = static_cast<double>(i % 3);
    for (int times = 0; times < i % 3; ++times) {
      repeated.conservativeResize(repeated.rows() + 1, Eigen::NoChange);
      repeated.row(repeated.rows() - 1) = problem.X.row(i);
      labels.push_back(problem.labels[i]);
    }
  }
  FitOptions options = laplace(2);
  const LogisticFit rows = fit_logistic(repeated, labels, options);
  options.weights = k;
  const LogisticFit weighted = fit_logistic(problem.X, problem.labels, options);
  EXPECT_LE(relative_distance(weighted.mean, rows.mean), 1e-8);
  EXPECT_LE(relative_distance(weighted.variance, rows.variance), 1e-8);
  EXPECT_NEAR(weighted.bound, rows.bound, 1e-9);
  const Matrix other_units = (1000 * problem.X).array() + 7;
  const LogisticFit shifted = fit_logistic(other_units, problem.labels, options);
  EXPECT_LE(relative_distance(1000 * shifted.mean, weighted.mean), 1e-8);
  // The same numbers as floats in rows.
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> floats = problem.X.cast<float>();
  const Matrix same = floats.cast<double>();
  EXPECT_LE(relative_distance(fit_logistic(floats, problem.labels, options).mean, fit_logistic(same, problem.labels, options).mean), 1e-8);
}

TEST(FitLogisticLaplace, FromLambdaMaxOnNothingIsLeft) {  // (L1.5)
  const Problem problem = make_problem(5, 40, 12);
  const double lambda_max = lambda_max_of_labels(problem.X, problem.labels, Vector::Ones(40));
  for (double factor : {1.0000001, 2.0}) {
    const LogisticFit fit = fit_logistic(problem.X, problem.labels, laplace(factor * lambda_max));
    EXPECT_EQ(fit.report.status, Status::converged);
    EXPECT_TRUE((fit.mean.array() == 0).all());
    EXPECT_TRUE((fit.variance.array() == 0).all());
    const double share = (problem.labels.array() > 0).count() / 40.0;
    EXPECT_NEAR(fit.intercept->mean, std::log(share / (1 - share)), 1e-9);
    EXPECT_NEAR(fit.intercept->variance, 1 / (40 * share * (1 - share)), 1e-9);
    EXPECT_NE(fit.report.notes.back().find("every weight is zero"), std::string::npos);
  }
  // The logarithm of the odds to the last digits, also where the sum over the rows has many terms.
  constexpr Index sizes[][2] = {{45'001, 47}, {60'000, 3}, {90'000, 7}, {200'000, 29}};  // rows, and one in how many is of the second class
  for (const auto& [n, one_in] : sizes) {
    Matrix X(n, 1);
    Vector labels(n);
    for (Index i = 0; i < n; ++i) X(i, 0) = static_cast<double>(i * 5 % 7) - 3, labels[i] = i * 7919 % n % one_in == 0 ? 1 : -1;
    const LogisticFit fit = fit_logistic(X, labels, laplace(1000));
    const double positive = static_cast<double>((labels.array() > 0).count());
    EXPECT_NEAR(fit.intercept->mean, std::log(positive / (static_cast<double>(n) - positive)), 1e-12);
    EXPECT_EQ(fit.report.message.find("rounding limits"), std::string::npos) << fit.report.message;
  }
  FitOptions without = laplace(1e4);
  without.intercept = false;
  const LogisticFit nothing = fit_logistic(problem.X, problem.labels, without);
  EXPECT_EQ(nothing.effective_parameters, 0);
  EXPECT_EQ(nothing.log_det_V, 0);
  EXPECT_NEAR(nothing.bound, -40 * std::log(2) + 12 * std::log(1e4 / 2), 1e-9);
  EXPECT_TRUE((nothing.covariance().array() == 0).all());
  EXPECT_TRUE((predict(nothing, problem.X).probability.array() == 0.5).all());
}

TEST(FitLogisticLaplace, ConstantAndRepeatedColumnsAreLeftOutAndFlatOnesArePaidFor) {
  Problem problem = make_problem(8, 60, 6);
  problem.X.col(2).setConstant(3);
  problem.X.col(4) = -2 * problem.X.col(0).array() + 1;
  FitOptions options = laplace(4);
  options.prior = options.prior.flat({1});
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
  EXPECT_EQ(fit.left_out, (std::vector<bool>{false, false, true, false, true, false}));
  EXPECT_EQ(fit.mean[2], 0);
  EXPECT_EQ(fit.mean[4], 0);
  EXPECT_EQ(fit.group[1], -1);
  EXPECT_EQ(fit.group[2], -3);
  const Scaled s = scaled(problem.X(Eigen::all, std::vector<Index>{0, 1, 3, 5}), Vector::Ones(60));
  LogisticFit some = fit;
  some.mean = Vector(fit.mean(std::vector<Index>{0, 1, 3, 5}));
  const Vector w = standardised(some, s), g = s.Z.transpose() * rows_at(s.Z, w, problem.labels, Vector::Ones(60)).r;
  EXPECT_NEAR(g[1], 0, 1e-8);
  EXPECT_NE(w[1], 0);
  EXPECT_NEAR(std::abs(g[0]), 4, 1e-8);
}

TEST(FitLogisticLaplace, SeparableRowsStayFinite) {
  const Matrix X = Vector::LinSpaced(40, -1, 1);
  Vector labels(40);
  for (Index i = 0; i < 40; ++i) labels[i] = i < 20 ? -1 : 1;
  for (double lambda : {1.0, 1e-3, 1e-6}) {
    const LogisticFit fit = fit_logistic(X, labels, laplace(lambda));
    EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
    const Scaled s = scaled(X, Vector::Ones(40));
    const Vector w = standardised(fit, s), g = s.Z.transpose() * rows_at(s.Z, w, labels, Vector::Ones(40)).r;
    EXPECT_NEAR(g[0] / lambda, 1, 1e-7);
    EXPECT_TRUE(std::isfinite(fit.variance[0]) && fit.variance[0] > 0);
  }
}

// A flat column that separates some rows, or all, has no largest likelihood, however large lambda is.                          (L1.13)
TEST(FitLogisticLaplace, FlatColumnsThatSeparateRowsLeaveNoPosterior) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Index n = 5 + static_cast<Index>(seed);
    Matrix X = random.normals(n, 4);
    Vector labels(n);
    for (Index i = 0; i < n; ++i) {
      X(i, 1) = i % 5 == 0 ? 1 : 0;
      labels[i] = X(i, 1) == 1 || X(i, 0) + random.normal() > 0 ? 1 : 0;  // the rows with a one have all the same class
    }
    labels[1] = 0, labels[2] = 1;
    FitOptions options = laplace(random.scale(1e-6, 100));
    options.prior = options.prior.flat({1});
    if (seed % 3 == 0) options.tolerance = 1e-4;
    SCOPED_TRACE(fmt::format("seed {}, lambda {}", seed, options.prior.lambda));
    const LogisticFit fit = fit_logistic(X, labels, options);
    EXPECT_EQ(fit.report.status, Status::separated) << fit.report.message;
    EXPECT_NE(fit.report.message.find("columns without a prior separate the classes"), std::string::npos) << fit.report.message;
    EXPECT_TRUE(fit.mean.array().isNaN().all());
    expect_invalid([&] { (void)predict(fit, X); }, {"no posterior", "separated"});
    const LambdaPath path = fit_logistic_path(X, labels, {.count = 4}, options);
    for (const Report& report : path.reports) EXPECT_EQ(report.status, Status::separated) << report.message;
    labels[0] = 0;  // now there is a maximum
    const LogisticFit limited = fit_logistic(X, labels, options);
    EXPECT_EQ(limited.report.status, Status::converged) << limited.report.message;
    EXPECT_TRUE(limited.variance.allFinite() && std::isfinite(limited.intercept->variance));
  }
}

TEST(FitLogisticLaplace, IsReadBackFromAModelFile) {
  const Problem problem = make_problem(9, 30, 50);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, laplace(3));
  const std::string path = ::testing::TempDir() + "ardvark_lasso_" + std::to_string(::getpid()) + ".ardvark";
  save_model(path, fit);
  const SavedModel model = load_model(path);
  std::remove(path.c_str());
  EXPECT_EQ(summary(*model.score()), summary(fit));
  EXPECT_EQ(model.score()->lambda, 3);
  EXPECT_EQ(model.score()->covariance(), fit.covariance());
  LogisticFit loaded;
  static_cast<Fit&>(loaded) = *model.score();
  EXPECT_EQ(predict(loaded, problem.X).probability, predict(fit, problem.X).probability);
  EXPECT_NE(summary(fit).find("log density at mode"), std::string::npos);
  EXPECT_EQ(summary(fit).find("log evidence"), std::string::npos);
}

TEST(FitLogisticLaplace, RefusesWhatHasNoMeaningBesideIt) {
  const Problem problem = make_problem(2, 30, 3);
  const auto refused = [&](const FitOptions& options, std::initializer_list<const char*> pieces) {
    expect_invalid([&] { (void)fit_logistic(problem.X, problem.labels, options); }, pieces);
  };
  refused(laplace(-2), {"prior.lambda", "-2", "> 0"});
  refused(laplace(std::numeric_limits<double>::quiet_NaN()), {"prior.lambda", "nan"});
  refused(laplace(std::numeric_limits<double>::infinity()), {"prior.lambda", "inf"});
  FitOptions options = laplace(1);
  options.prior.group = {0, 0, 1};
  refused(options, {"prior.group"});
  options = laplace(1);
  options.prior = options.prior.fixed({1}, 2);
  refused(options, {"prior.fixed_columns"});
  options = laplace(1);
  options.prior.hyperprior = {{1, 1}};
  refused(options, {"prior.hyperprior"});
  options = laplace(1);
  options.likelihood = LogisticLikelihood::bound;
  refused(options, {"likelihood"});
  options = laplace(1);
  options.solver = SolverKind::primal;
  refused(options, {"solver", "primal"});
  options = laplace(1);
  options.start_precision = {1, 1, 1};
  refused(options, {"start_precision"});
  options = laplace(1);
  options.tolerance = 0;
  refused(options, {"tolerance", "0"});
  options = laplace(1);
  options.prior = options.prior.flat({7});
  refused(options, {"flat_columns", "7"});
  options = {};
  options.prior.lambda = 3;
  refused(options, {"prior.lambda", "3", "auto"});
  options = laplace(1);
  options.pruning.threshold = 1e8;
  refused(options, {"Laplace prior", "pruning"});
  options = options_for_preset("l1_slr_c", true);
  options.prior = options.prior.flat({1});
  refused(options, {"l1_slr_c", "flat_columns"});
  options = options_for_preset("l1_slr_c");
  options.prior = Prior::ard();
  refused(options, {"l1_slr_c", "ard"});
  options = {};
  options.solver = SolverKind::coordinate;
  refused(options, {"coordinate"});
}

TEST(FitLogisticLaplace, ProgressIsToldAndCanStopIt) {
  const Problem problem = make_problem(3, 60, 20);
  FitOptions options = laplace(1);
  int calls = 0;
  options.on_sweep = [&](const Progress& progress) { return progress.sweep == ++calls && calls < 2; };
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options);
  EXPECT_EQ(fit.report.status, Status::stopped_by_user);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(fit.mean.allFinite());
  options = laplace(1);
  options.max_sweeps = 1;
  EXPECT_EQ(fit_logistic(problem.X, problem.labels, options).report.status, Status::max_sweeps);
}

TEST(L1SlrC, WithoutCompatIsTheModelAtGammaOne) {
  const Problem problem = make_problem(12, 60, 10);
  const LogisticFit preset = fit_logistic(problem.X, problem.labels, options_for_preset("l1_slr_c"));
  EXPECT_EQ(preset.report.preset, "l1_slr_c");
  EXPECT_EQ(preset.mean, fit_logistic(problem.X, problem.labels, laplace(1)).mean);
  // A constant column divides zero by zero in the published program.
  Problem constant = problem;
  constant.X.col(3).setConstant(5);
  FitOptions compat = options_for_preset("l1_slr_c", true);
  compat.max_sweeps = 50;
  const LogisticFit fit = fit_logistic(constant.X, constant.labels, compat);
  EXPECT_TRUE(fit.mean.allFinite());
  EXPECT_TRUE(fit.left_out[3]);
  EXPECT_EQ(fit.report.sweeps, 50);
}

}  // namespace
}  // namespace ardvark
