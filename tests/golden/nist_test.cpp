// The Statistical Reference Datasets of NIST: what a linear model without a prior must give, to so many digits (tests/data/nist).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ardvark/linear.hpp"
#include "ardvark/statistics.hpp"
#include "ardvark/table.hpp"
#include "support/mentions.hpp"
#include "support/reference.hpp"

namespace ardvark {
namespace {

using testing::data_path;
using testing::load_matrix;

struct Set {
  const char* name;
  bool intercept;
  double digits;  // of the coefficients, the least of them
};
// The digits that Householder's triangularisation reaches. Of Wampler1 and 2, polynomials without noise, the standard deviations are 0.
const Set sets[] = {{"Norris", true, 11.5},  {"Pontius", true, 11.5}, {"NoInt1", false, 14},   {"NoInt2", false, 14},
                    {"Filip", true, 7},      {"Longley", true, 10},   {"Wampler1", true, 8.5}, {"Wampler2", true, 12},
                    {"Wampler3", true, 8.5}, {"Wampler4", true, 7},   {"Wampler5", true, 5}};

struct Problem {
  Matrix X;
  Vector y;
  Vector estimate, sd;
  double residual_sd, r_squared;
};

Problem load(const Set& set) {
  const Table table = read_csv(data_path("nist/" + std::string(set.name) + ".csv"));
  Problem out;
  const Index n = table.num_rows, p = table.num_columns() - 1;
  out.y.resize(n);
  out.X.resize(n, p);
  for (Index i = 0; i < n; ++i) {
    out.y[i] = table.value(i, 0);
    for (Index j = 0; j < p; ++j) out.X(i, j) = table.value(i, j + 1);
  }
  const Matrix certified = load_matrix("nist/" + std::string(set.name) + "_certified.csv");
  const Index k = certified.rows() - 1;
  out.estimate = certified.col(0).head(k);
  out.sd = certified.col(1).head(k);
  out.residual_sd = certified(k, 0);
  out.r_squared = certified(k, 1);
  return out;
}

// -log10 of the relative error, 15 at most.
double digits(double value, double certified) {
  const double error = std::abs(value - certified);
  if (!(error > 0)) return std::isnan(error) ? 0 : 15;
  return std::min(-std::log10(certified != 0 ? error / std::abs(certified) : error), 15.0);
}
double least_digits(const Vector& values, const Vector& certified) {
  double least = 15;
  for (Index j = 0; j < values.size(); ++j) least = std::min(least, digits(values[j], certified[j]));
  return least;
}

// Next to no prior of the noise, so that its scale is the classical one: b_N/a_N = RSS/(n - p).                                    (LIN.5)
FitOptions classical(const Set& set) {
  FitOptions options;
  options.prior = Prior::none();
  options.noise = {1e-200, 1e-200};
  options.intercept = set.intercept;
  return options;
}

Vector with_intercept(const LinearFit& fit, const Vector& of_columns, double of_intercept) {
  if (!fit.intercept) return of_columns;
  Vector all(of_columns.size() + 1);
  all << of_intercept, of_columns;
  return all;
}
Vector estimates(const LinearFit& fit) { return with_intercept(fit, fit.mean, fit.intercept ? fit.intercept->mean : 0); }
// The posterior's standard deviations are those of Student's t: larger by sqrt(a_N/(a_N - 1)).
Vector standard_deviations(const LinearFit& fit) {
  const double ratio = (fit.noise.shape - 1) / fit.noise.shape;
  return (ratio * with_intercept(fit, fit.variance, fit.intercept ? fit.intercept->variance : 0)).cwiseSqrt();
}

TEST(Nist, CoefficientsHaveTheDigitsThatQrReaches) {  // (RIDGE.9)
  for (const Set& set : sets)
    for (const bool asked : {false, true})
      for (const bool standardize : {true, false}) {
        const Problem problem = load(set);
        FitOptions options = classical(set);
        options.standardize = standardize;
        if (asked) options.solver = SolverKind::qr;
        const LinearFit fit = fit_linear(problem.X, problem.y, options);
        EXPECT_EQ(fit.report.status, Status::converged) << set.name;
        EXPECT_GE(least_digits(estimates(fit), problem.estimate), set.digits)
            << set.name << (asked ? ", solver qr" : "") << (standardize ? "" : ", columns as they are") << ": " << fit.report.solver_reason;
      }
}

TEST(Nist, DefaultHyperPriorsOfTheNoiseChangeNoCoefficient) {
  for (const Set& set : sets) {
    const Problem problem = load(set);
    FitOptions options = classical(set);
    options.noise = FitOptions().noise;
    EXPECT_GE(least_digits(estimates(fit_linear(problem.X, problem.y, options)), problem.estimate), set.digits) << set.name;
  }
}

void expect_certified(const Set& set, const Problem& problem, const LinearFit& fit) {
  if (problem.residual_sd == 0) {
    EXPECT_LT(noise_sd(fit), 1e-9 * problem.y.cwiseAbs().maxCoeff()) << set.name;
  } else {
    const double expected = std::string(set.name) == "Filip" ? 7 : 9.5;
    EXPECT_GE(digits(noise_sd(fit), problem.residual_sd), expected) << set.name;
    if (fit.noise.shape > 1) {
      EXPECT_GE(least_digits(standard_deviations(fit), problem.sd), expected) << set.name;
    }
  }
  EXPECT_GE(digits(fit.r_squared, problem.r_squared), std::string(set.name) == "Filip" ? 7 : 9) << set.name;
}

TEST(Nist, StandardDeviationsAndFitAreCertifiedToo) {  // (LIN.1), (LIN.5)
  for (const Set& set : sets) {
    const Problem problem = load(set);
    expect_certified(set, problem, fit_linear(problem.X, problem.y, classical(set)));
  }
}

// The default prior of the noise says nothing, with a standardised target and without, from memory and from sums.                (LIN.8)
TEST(Nist, StandardDeviationsAreCertifiedByDefault) {
  for (const Set& set : sets) {
    const Problem problem = load(set);
    FitOptions options = classical(set);
    options.noise = FitOptions().noise;
    for (const bool standardize : {true, false}) {
      options.standardize = standardize;
      expect_certified(set, problem, fit_linear(problem.X, problem.y, options));
    }
    LinearStatistics statistics(StatisticsForm::factor);
    statistics.update(problem.X, problem.y);
    if (problem.residual_sd > 0 && std::string(set.name) != "Filip") {
      EXPECT_GE(digits(noise_sd(fit_linear(statistics, options)), problem.residual_sd), 6) << set.name;
    }
  }
}

// A weight of two is the row given twice.                                                                                        (LIN.6)
TEST(Nist, WeightsKeepTheDigits) {
  for (const Set& set : sets) {
    const Problem problem = load(set);
    const Index n = problem.y.size();
    Matrix X(n + 2, problem.X.cols());
    X << problem.X, problem.X.topRows(2);
    Vector y(n + 2), weights = Vector::Ones(n + 2);
    y << problem.y, problem.y.head(2);
    weights.head(2).setConstant(0.25);
    weights.tail(2).setConstant(0.75);
    FitOptions options = classical(set);
    options.weights = weights;
    EXPECT_GE(least_digits(estimates(fit_linear(X, y, options)), problem.estimate), set.digits - 0.5) << set.name;
  }
}

// Whoever asks for a solver that squares the condition number is told what is left of it.
TEST(Nist, NoSolverLosesTheDigitsInSilence) {
  for (const Set& set : sets)
    for (const SolverKind solver : {SolverKind::primal, SolverKind::dual}) {
      const Problem problem = load(set);
      FitOptions options = classical(set);
      options.solver = solver;
      const LinearFit fit = fit_linear(problem.X, problem.y, options);
      if (fit.report.status != Status::converged) continue;  // said so
      if (least_digits(estimates(fit), problem.estimate) >= 4) continue;
      EXPECT_TRUE(testing::mentions(fit.report.warnings, "condition number")) << set.name << " " << to_string(solver);
      EXPECT_TRUE(testing::mentions(fit.report.warnings, "can be trusted")) << set.name << " " << to_string(solver);
    }
}

// A table that is read in pieces: the triangular factor keeps the digits; cross-products keep them, or the fit is refused.   (ST.4), (ST.5)
TEST(Nist, StatisticsKeepTheDigitsOrRefuse) {
  for (const Set& set : sets)
    for (const StatisticsForm form : {StatisticsForm::gram, StatisticsForm::factor})
      for (const bool merged : {false, true}) {
        const Problem problem = load(set);
        const Index first = merged ? problem.y.size() / 3 : 0, rest = problem.y.size() - first;
        LinearStatistics statistics(form), others(form);
        if (merged) statistics.update(problem.X.topRows(first), Vector(problem.y.head(first)));
        others.update(problem.X.bottomRows(rest), Vector(problem.y.tail(rest)));
        statistics.merge(others);
        const double expected = form == StatisticsForm::factor ? std::min(set.digits, 7.0) - (merged ? 0.5 : 0) : std::min(set.digits, 6.0);
        try {
          const LinearFit fit = fit_linear(statistics, classical(set));
          EXPECT_GE(least_digits(estimates(fit), problem.estimate), expected)
              << set.name << " " << to_string(form) << (merged ? ", merged" : "");
        } catch (const InvalidArgument& e) {
          EXPECT_EQ(form, StatisticsForm::gram) << set.name << ": " << e.what();
          EXPECT_TRUE(testing::mentions({e.what()}, "statistics of the form factor")) << e.what();
        }
      }
}

TEST(Nist, TheReportSaysWhichSolverAndWhy) {
  const Problem problem = load(sets[4]);
  const LinearFit fit = fit_linear(problem.X, problem.y, classical(sets[4]));
  EXPECT_EQ(fit.report.solver, SolverKind::qr);
  EXPECT_TRUE(testing::mentions({fit.report.solver_reason}, "condition number")) << fit.report.solver_reason;
  EXPECT_TRUE(fit.report.warnings.empty()) << "five digits and more are left";
}

}  // namespace
}  // namespace ardvark
