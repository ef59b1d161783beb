// Tables that tell little: constant and collinear columns, constant targets, one row, values at the end of the doubles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../support/mentions.hpp"
#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "fit_cases.hpp"

namespace ardvark {
namespace {

using testing::changed;
using testing::expect_invalid;
using testing::fit_any;
using testing::fit_cases;
using testing::FitCase;
using testing::make_problem;
using testing::mentions;
using testing::Problem;
using testing::relative_distance;
using testing::tolerance_of;
using testing::with_prior;

TEST(Fit, LeavesConstantAndDuplicatedColumnsOut) {
  for (const FitCase& c : fit_cases()) {
    SCOPED_TRACE(c.text);
    const Problem problem = make_problem(99, c.n, c.p);
    Matrix X(c.n, c.p + 3);
    X << Vector::Constant(c.n, 4.2), problem.X, Vector(-3 * problem.X.col(1).array() + 8), Vector::Zero(c.n);
    FitOptions options = with_prior(c.prior);
    const Fit fit = fit_any(c.task, X, problem, options), without = fit_any(c.task, problem.X, problem, options);
    EXPECT_EQ(fit.left_out.front(), true);
    EXPECT_EQ(std::count(fit.left_out.begin(), fit.left_out.end(), true), 3);
    EXPECT_LE(relative_distance(fit.mean.segment(1, c.p), without.mean), tolerance_of(c));
    EXPECT_LE(relative_distance(fit.variance.segment(1, c.p), without.variance), tolerance_of(c));
    EXPECT_NEAR(fit.bound, without.bound, 1e-6 * (1 + std::abs(without.bound)));
    for (Index j : {Index{0}, c.p + 1, c.p + 2}) {
      EXPECT_EQ(fit.mean[j], 0);
      EXPECT_EQ(fit.variance[j], 0);
      EXPECT_FALSE(fit.relevant[static_cast<std::size_t>(j)]);
      EXPECT_LT(fit.group[static_cast<std::size_t>(j)], 0);
    }
    EXPECT_TRUE(mentions(fit.report.notes, "'x1'") && mentions(fit.report.notes, "constant"));
    EXPECT_TRUE(mentions(fit.report.notes, "copy of 'x3'"));
    EXPECT_TRUE(fit.covariance().row(0).isZero());
  }
}

// Of a column that is to have no prior and a copy that has one the caller's wish is kept, in whatever order they stand.
TEST(Fit, KeepsTheColumnWithoutAPriorOfTwoThatAreCopies) {
  const Problem problem = make_problem(7, 60, 3);
  const Vector copy = -3 * problem.X.col(0).array() + 8;
  Matrix without(60, 3), first(60, 4), last(60, 4);
  without << copy, problem.X.rightCols(2);
  first << copy, problem.X;
  last << problem.X, copy;
  for (const Task task : {Task::linear, Task::logistic})
    for (const Prior& prior : {Prior::shared(), Prior::ard(), Prior::laplace(2)}) {
      if (task == Task::linear && prior.kind == PriorKind::laplace) continue;
      SCOPED_TRACE(to_string(prior.kind));
      const auto fit = [&](const Matrix& X, Index flat) {
        FitOptions options;
        options.prior = prior;
        options.prior.flat_columns = {flat};
        return fit_any(task, X, problem, options);
      };
      const Fit expected = fit(without, 0);
      for (const auto& [X, at] : {std::pair{&first, Index{0}}, {&last, Index{3}}}) {
        const Fit found = fit(*X, at);
        const Index left_out = at == 0 ? 1 : 0;
        EXPECT_TRUE(found.left_out[static_cast<std::size_t>(left_out)]);
        EXPECT_EQ(std::count(found.left_out.begin(), found.left_out.end(), true), 1);
        EXPECT_EQ(found.group[static_cast<std::size_t>(at)], -1);
        EXPECT_NEAR(found.mean[at], expected.mean[0], 1e-6 * std::abs(expected.mean[0]));
        EXPECT_NEAR(found.bound, expected.bound, 1e-6 * std::abs(expected.bound));
        EXPECT_TRUE(mentions(found.report.notes, fmt::format("'x{}' (copy of 'x{}')", left_out + 1, at + 1)));
      }
    }
}

// Each of three columns is a copy of the next one as far as doubles tell, the outer two are not quite: which are left out their places
// decide, in whatever order the rows stand.
TEST(Fit, LeavesOutTheSameOfAChainOfCopiesInAnyOrderOfTheRows) {
  const Problem problem = make_problem(8, 20, 2);
  Matrix X(20, 4);
  X << problem.X, problem.X;
  X.col(2) = X.col(0), X.col(3) = X.col(0);
  const double step = 1.2e-9 * std::sqrt((X.col(0).array() - X.col(0).mean()).square().mean());
  X(4, 2) += step;
  X(4, 3) += 2 * step;
  for (int turn = 0; turn < 20; ++turn) {
    Matrix rows(20, 4);
    Problem turned = problem;
    for (Index i = 0; i < 20; ++i) rows.row(i) = X.row((i + turn) % 20), turned.y[i] = problem.y[(i + turn) % 20];
    const Fit fit = fit_any(Task::linear, rows, turned, with_prior(Prior::shared()));
    EXPECT_EQ(fit.left_out, (std::vector<bool>{false, false, true, false})) << turn;
  }
}

TEST(Fit, HasNoMoreEffectiveParametersThanRowsOrColumns) {  // of few rows it is often open whether an effect is there
  for (std::uint64_t seed = 0; seed < 28; ++seed)
    for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense(), Prior::ard(), Prior::shared()}) {
      const Index rows = 3 + static_cast<Index>(seed % 4), columns = 1 + static_cast<Index>(seed % 7);
      const Problem problem = make_problem(seed, rows, columns);
      const double most = static_cast<double>(std::min(rows - 1, columns) + 1);
      SCOPED_TRACE(fmt::format("seed {}, {} x {}", seed, rows, columns));
      const LinearFit linear = fit_linear(problem.X, problem.y, {.prior = prior});
      EXPECT_GE(linear.effective_parameters, 0);
      EXPECT_LE(linear.effective_parameters, most + 1e-9);
      const LogisticFit logistic = fit_logistic(problem.X, problem.labels, {.prior = prior});
      EXPECT_GE(logistic.effective_parameters, 0);
      EXPECT_LE(logistic.effective_parameters, most + 1e-9);
    }
}

// Few rows that count many times: the posterior of h is so sharp that its density elsewhere is beyond the doubles.              (SP.11)
TEST(FitLinear, HasANoiseWhereFewRowsCountThousandsOfTimes) {
  Matrix X(5, 4);
  X << -0.1816, -0.2191, 1.523, -0.2192, -2.26, -0.7462, -0.3762, -0.7463, -0.8453, -0.5506, 0.1118, -0.5504, -0.1788, -0.7008, 0.5457,
      -0.7007, 1.321, 1.446, 0.08650, 1.446;
  const Vector y =
      (Vector(5) << 0.4342509343230171, -1.2898847549331485, 0.20291548111542715, -0.030571582936504305, 0.26002339741129776).finished();
  const Vector once = (Vector(5) << 1977, 476.1, 359.1, 2722, 3378).finished();
  for (const double times : {1e-3, 0.1, 1.0, 10.0, 1e3})
    for (const Prior& prior : {Prior::sparse(), Prior::dense()}) {
      const Vector weights = times * once;
      FitOptions options{.prior = prior};
      options.weights = weights;
      const LinearFit fit = fit_linear(X, y, options);
      EXPECT_TRUE(std::isfinite(fit.noise.shape) && fit.noise.shape > 0) << times;
      EXPECT_TRUE(std::isfinite(fit.noise.rate) && fit.noise.rate > 0) << times;
      EXPECT_TRUE(fit.variance.allFinite()) << times;
    }
}

TEST(Fit, ASharedLinearFitOfColumnsOfVeryDifferentSizesKeepsTheSmallOnes) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    testing::Random random(seed);
    Matrix X = random.normals(20, 4);
    const Vector y = X.col(1) - X.col(3) + 0.1 * random.normals(20);
    X.col(2) *= 3e7;
    FitOptions options = with_prior(Prior::shared());
    options.standardize = false;
    options.solver = SolverKind::primal;
    const LinearFit exact = fit_linear(X, y, options);
    options.solver = SolverKind::spectral;
    const LinearFit spectral = fit_linear(X, y, options);
    EXPECT_NEAR(spectral.bound, exact.bound, 1e-6) << seed;
    EXPECT_LT((spectral.mean - exact.mean).cwiseQuotient(exact.variance.cwiseSqrt()).cwiseAbs().maxCoeff(), 1e-4) << seed;
  }
}

TEST(Fit, ASharedLinearFitStaysSpectralBesideAConstantColumn) {
  Problem problem = make_problem(100, 30, 4);
  problem.X.col(2).setConstant(3);
  EXPECT_EQ(fit_linear(problem.X, problem.y, with_prior(Prior::shared())).report.solver, SolverKind::spectral);
}

TEST(Fit, NeverFitsCollinearFlatColumnsInSilence) {
  int num_silent = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Problem problem = make_problem(seed, 30, 4);
    problem.X.col(3) = problem.X.col(0) + problem.X.col(1);
    const LinearFit fit = fit_linear(problem.X, problem.y, with_prior(Prior::none()));
    if (fit.report.status != Status::not_positive_definite && fit.report.warnings.empty()) ++num_silent;
  }
  EXPECT_EQ(num_silent, 0) << "of 40 fits whose coefficients are not determined";
}

TEST(Fit, ReportsASystemThatIsNotPositiveDefinite) {
  Problem problem = make_problem(101, 9, 3);
  problem.X.col(2) = problem.X.col(0) + problem.X.col(1);  // three flat columns, two dimensions
  FitOptions options = with_prior(Prior::none());
  const LinearFit fit = fit_linear(problem.X, problem.y, options);
  EXPECT_EQ(fit.report.status, Status::not_positive_definite);
  EXPECT_NE(fit.report.message.find("not positive definite"), std::string::npos) << fit.report.message;
  EXPECT_TRUE(fit.mean.array().isNaN().all());
  expect_invalid([&] { static_cast<void>(predict(fit, problem.X)); }, {"no posterior", "not_positive_definite"});
  expect_invalid([&] { static_cast<void>(fit.covariance()); }, {"covariance"});
}

TEST(FitLinear, NeverFindsANegativeNoiseShape) {  // (LIN.5), (LIN.6): weights that sum to less than the flat columns
  const Problem problem = make_problem(102, 5, 1);
  const Vector weights = Vector::Constant(5, 0.1);
  FitOptions options = with_prior(Prior::shared());
  options.weights = weights;
  try {
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    EXPECT_TRUE(fit.noise.shape > 0 || fit.report.status != Status::converged)
        << "shape " << fit.noise.shape << ", " << to_string(fit.report.status);
  } catch (const InvalidArgument&) {
  }
}

TEST(FitLinear, FitsOneRowAndOneColumn) {
  const Matrix X = Matrix::Constant(1, 1, 2);
  const Vector y = Vector::Constant(1, 3);
  for (bool intercept : {false, true})
    for (bool standardize : {false, true})
      for (const Prior& prior : {Prior::automatic(), Prior::shared(), Prior::ard()}) {
        FitOptions options;
        options.prior = prior;
        options.intercept = intercept;
        options.standardize = standardize;
        const LinearFit fit = fit_linear(X, y, options);
        EXPECT_TRUE(fit.report.status == Status::converged || fit.report.status == Status::max_sweeps) << fit.report.message;
        EXPECT_TRUE(fit.mean.allFinite() && std::isfinite(fit.bound));
        EXPECT_EQ(fit.left_out[0], intercept) << "one row: beside an intercept every column is constant";
        EXPECT_TRUE(std::isfinite(predict(fit, X).mean[0]));
        if (intercept) {
          EXPECT_NEAR(fit.intercept->mean, 3, 1e-12);
        }
      }
}

// As many rows as columns without a prior meet every target: under these priors, whose noise has no prior, nothing tells how large it is.
TEST(FitLinear, NeedsARowThatShowsTheNoise) {
  const Problem problem = make_problem(111, 4, 5);
  for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense()}) {
    FitOptions options;
    options.prior = prior;
    options.prior.flat_columns = {0, 2, 4};
    const auto fit_again = [&] { static_cast<void>(fit_linear(problem.X, problem.y, options)); };
    expect_invalid(fit_again, {"4 rows cannot determine the noise and 4 columns without a prior, the intercept among them"});
    options.prior.flat_columns = {0, 2};
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    EXPECT_FALSE(mentions(fit.report.warnings, "the data do not determine the noise"));
    EXPECT_TRUE(fit.V_diagonal.allFinite());
    EXPECT_EQ(fit.degrees_of_freedom(), 1);  // without a variance
    const Vector weights = Vector::Constant(4, 0.75);
    options.weights = weights;
    expect_invalid(fit_again, {"3 rows", "sum of the weights"});
    options.prior.flat_columns = {};
    options.weights = {};
    const Matrix one_row = problem.X.topRows(1);
    EXPECT_TRUE(mentions(fit_linear(one_row, Vector(problem.y.head(1)), options).report.warnings, "the table has one row"));
  }
}

TEST(FitLinear, SaysThatAConstantTargetLeavesNothingToExplain) {
  const Problem problem = make_problem(110, 20, 3);
  for (double value : {0.0, 7.5}) {
    const LinearFit fit = fit_linear(problem.X, Vector(Vector::Constant(20, value)));
    EXPECT_TRUE(mentions(fit.report.warnings, "constant"));
    EXPECT_LE(fit.mean.cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_NEAR(predict(fit, problem.X).mean[3], value, 1e-8);
  }
}

TEST(FitLogistic, FitsTwoRowsAndOneColumn) {
  const Matrix X = (Matrix(2, 1) << -1, 1).finished();
  const Vector labels = (Vector(2) << 3, 8).finished();
  for (LogisticLikelihood likelihood : {LogisticLikelihood::gaussian, LogisticLikelihood::bound}) {
    FitOptions options;
    options.likelihood = likelihood;
    const LogisticFit fit = fit_logistic(X, labels, options);
    EXPECT_EQ(fit.classes, (std::vector<std::string>{"3", "8"}));
    EXPECT_EQ(fit.class_weight[0], 1);
    EXPECT_EQ(fit.class_weight[1], 1);
    EXPECT_GE(fit.mean[0], 0);
    EXPECT_TRUE(std::isfinite(fit.bound));
  }
}

TEST(Fit, TakesConstantsOfAnySizeForConstants) {
  const Problem problem = make_problem(124, 12, 3);
  Vector weights = Vector::Ones(12);
  weights[0] = 0;  // an absent row is not equal to the others
  const FitOptions weighted = changed([&](FitOptions& o) { o.weights = weights; });
  for (double value : {1e-310, -1e-200, 1e-170, 1e-140, 0.1, 1e140}) {
    SCOPED_TRACE(value);
    Vector y = Vector::Constant(12, value);
    Matrix X = problem.X;
    X.col(1).setConstant(value);
    EXPECT_EQ(fit_linear(X, y).report.warnings.front(), "the target is constant: there is nothing to explain");
    y[0] = X(0, 1) = 3 * value;
    const LinearFit fit = fit_linear(X, y, weighted);
    EXPECT_EQ(fit.report.warnings.front(), "the target is constant: there is nothing to explain");
    EXPECT_TRUE(fit.left_out[1]);
    EXPECT_TRUE(std::isnormal(fit.noise.rate));
  }
}

TEST(Fit, TakesValuesWhoseSquaresDoublesHold) {  // scaling is undone by standardising: the fit is that of the plain table
  const Problem problem = make_problem(124, 12, 3);
  const LinearFit linear = fit_linear(problem.X, problem.y);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels);
  for (double scale : {1e149, 1e-149}) {
    SCOPED_TRACE(scale);
    Matrix X = problem.X;
    X.col(1) *= scale;
    EXPECT_NEAR(fit_linear(X, problem.y).mean[1] * scale, linear.mean[1], 1e-6);
    EXPECT_NEAR(fit_linear(problem.X, Vector(scale * problem.y)).mean[1] / scale, linear.mean[1], 1e-6);
    EXPECT_NEAR(fit_logistic(X, problem.labels).mean[1] * scale, logistic.mean[1], 1e-6);
  }
}

TEST(Fit, RejectsValuesWhoseSquaresDoublesDoNotHold) {
  const Problem problem = make_problem(124, 12, 3);
  const FitOptions named = changed([](FitOptions& o) { o.column_names = {"height", "age", "weight"}; });
  for (double scale : {1e155, 1e200, 1e300, 1e-155, 1e-200, 1e-300, 1e-310}) {
    SCOPED_TRACE(scale);
    expect_invalid([&] { static_cast<void>(fit_linear(problem.X, Vector(scale * problem.y))); },
                   {"the values of the target are too large or too small to be squared (the range is about 1e-150 to 1e150): rescale it"});
    Matrix X = problem.X;
    X.col(1) *= scale;
    for (const auto& [options, message] :
         {std::pair<FitOptions, const char*>{
              {}, "the values of column 'x2' are too large or too small to be squared (the range is about 1e-150 to 1e150): rescale it"},
          {named,
           "the values of column 'age' are too large or too small to be squared (the range is about 1e-150 to 1e150): rescale it"}}) {
      expect_invalid([&, o = options] { static_cast<void>(fit_linear(X, problem.y, o)); }, {message});
      expect_invalid([&, o = options] { static_cast<void>(fit_logistic(X, problem.labels, o)); }, {message});
    }
  }
}

}  // namespace
}  // namespace ardvark
