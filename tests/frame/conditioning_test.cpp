// Columns that are nearly collinear: the digits that are left, by QR and by a Gram matrix, against the same problem in long double.
#include "frame/conditioning.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "design/dense.hpp"
#include "method/sweep/sweep_choice.hpp"
#include "support/mentions.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::mentions;
using testing::Random;
using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

struct Problem {
  Matrix X;
  Vector y;
};

// The last column is a combination of others but for `apart`.
Problem make_problem(Random& random, Index n, Index p, double apart, double noise) {
  Problem out{random.normals(n, p), {}};
  out.X.col(p - 1) = out.X.leftCols(p - 1) * random.normals(p - 1) + apart * random.normals(n);
  out.y = out.X * random.normals(p) + noise * random.normals(n);
  return out;
}

Vector in_long_double(const Matrix& X, const Vector& y, const Vector& a) {
  const Index n = X.rows(), p = X.cols();
  LongMatrix rows = LongMatrix::Zero(n + p, p);
  rows.topRows(n) = X.cast<long double>();
  for (Index j = 0; j < p; ++j) rows(n + j, j) = std::sqrt(static_cast<long double>(a[j]));
  LongVector target = LongVector::Zero(n + p);
  target.head(n) = y.cast<long double>();
  return LongVector(rows.householderQr().solve(target)).cast<double>();
}

// Of a fit in columns as they are: what rounding is said to leave, and what it does.
struct Digits {
  double said, left;
};
Digits digits_of(SolverKind kind, const Problem& problem, const Vector& a) {
  const Index n = problem.X.rows(), p = problem.X.cols();
  std::vector<Index> group(static_cast<std::size_t>(p));
  for (Index j = 0; j < p; ++j) group[static_cast<std::size_t>(j)] = a[j] > 0 ? 0 : Partition::flat;
  const Partition partition = testing::make_partition(group);
  const LikelihoodTraits traits{.residual = true, .constant_rows = true};
  DenseDesign design(problem.X, {});
  const std::unique_ptr<Solver> solver = make_solver(kind, {design, partition, traits}, false);
  Posterior q = testing::sized_posterior(partition, n);
  const Rows rows{Vector::Ones(n), problem.y};
  if (!solver->solve(rows, a, q) || !solver->finish(rows, a, q)) return {0, 0};
  const double variance = (q.residual + q.penalty) / static_cast<double>(n - p);
  const Vector exact = in_long_double(problem.X, problem.y, a);
  double left = 16;
  for (Index j = 0; j < p; ++j) {
    const double size = std::max(std::abs(exact[j]), std::sqrt(q.V_diagonal[j] * variance));
    left = std::min(left, -std::log10(std::abs(q.w[j] - exact[j]) / size + 1e-16));
  }
  return {condition_of(*solver, partition, {}, q, rows.omega, variance).digits, left};
}

TEST(Conditioning, AsManyDigitsAreLeftAsIsSaid) {  // (RIDGE.9)
  Random random(3);
  double most_pessimistic = 0;
  for (int i = 0; i < 300; ++i) {
    const Index p = random.integer(2, 12), n = p + random.integer(2, 60);
    const Problem problem = make_problem(random, n, p, random.scale(1e-7, 1), random.scale(1e-6, 10));
    Vector a = Vector::Zero(p);
    if (random.chance(0.3)) a.head(p / 2).setConstant(random.scale(1e-3, 10));
    const Digits qr = digits_of(SolverKind::qr, problem, a), gram = digits_of(SolverKind::primal, problem, a);
    EXPECT_GE(qr.left, qr.said - 0.7) << "problem " << i;
    EXPECT_GE(gram.left, gram.said - 0.7) << "problem " << i;
    EXPECT_GE(qr.said, gram.said - 0.5) << "problem " << i;
    most_pessimistic = std::max(most_pessimistic, qr.left - qr.said);
  }
  EXPECT_LT(most_pessimistic, 5) << "and not many more";
}

TEST(Conditioning, ColumnsThatDifferBySevenDigitsKeepTheirCoefficients) {
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    const Problem problem = make_problem(random, 100, 3, 1e-7, 0.1);
    FitOptions options;
    options.prior = Prior::none();
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    EXPECT_EQ(fit.report.status, Status::converged);
    EXPECT_EQ(fit.report.solver, SolverKind::qr);
    Matrix with_ones(100, 4);
    with_ones << problem.X, Vector::Ones(100);
    const Vector exact = in_long_double(with_ones, problem.y, Vector::Zero(4));
    for (Index j = 0; j < 3; ++j)  // a coefficient may be small by chance
      EXPECT_LE(std::abs(fit.mean[j] - exact[j]), 1e-6 * std::max(std::abs(exact[j]), std::sqrt(fit.variance[j])));
    EXPECT_TRUE(fit.report.warnings.empty());
  }
}

TEST(Conditioning, WhatNoSolverCanTellApartIsSaid) {
  Random random(5);
  Problem problem = make_problem(random, 50, 4, 0, 0.1);
  FitOptions options;
  options.prior = Prior::none();
  const LinearFit collinear = fit_linear(problem.X, problem.y, options);
  EXPECT_EQ(collinear.report.status, Status::not_positive_definite) << "a combination of the others";
  problem.X.array() += 1e4;  // the same but for what rounding adds
  const LinearFit nearly = fit_linear(problem.X, problem.y, options);
  EXPECT_TRUE(nearly.report.status == Status::not_positive_definite || mentions(nearly.report.warnings, "condition number"));
}

TEST(Conditioning, ClassificationsAreToldAndHelpedToo) {
  Random random(6);
  const Problem problem = make_problem(random, 200, 3, 1e-5, 0.1);
  Vector labels(200);
  for (Index i = 0; i < 200; ++i) labels[i] = problem.X(i, 0) + random.normal() > 0 ? 1 : 0;
  FitOptions options;
  options.prior = Prior::none();
  const LogisticFit by_qr = fit_logistic(problem.X, labels, options);
  EXPECT_EQ(by_qr.report.status, Status::converged);
  EXPECT_EQ(by_qr.report.solver, SolverKind::qr);
  // Where the bound is stationary, X'(t - E sigma) = 0: Newton's step from there, in standard deviations.                          (VG.1)
  const Vector missed = labels - predict(by_qr, problem.X).probability;
  Vector gradient(4);
  gradient << problem.X.transpose() * missed, missed.sum();
  EXPECT_LT(gradient.dot(by_qr.V() * gradient), 1e-4);
}

// Fits that have no such solver say so.
TEST(Conditioning, FlatColumnsOfOtherFitsAreWarnedOf) {
  Random random(8);
  const Problem problem = make_problem(random, 120, 4, 1e-6, 0.5), apart = make_problem(random, 120, 4, 1, 0.5);
  Vector labels(120);
  for (Index i = 0; i < 120; ++i) labels[i] = static_cast<double>(i % 3);
  const Vector two = labels.cwiseMin(1.0);
  for (const PriorKind kind : {PriorKind::sparse, PriorKind::dense}) {
    FitOptions options;
    options.prior.kind = kind;
    options.prior.flat_columns = {0, 1, 2, 3};
    Matrix X(120, 6);
    X << problem.X, random.normals(120, 2);
    EXPECT_TRUE(mentions(fit_linear(X, problem.y, options).report.warnings, "condition number")) << to_string(kind);
    EXPECT_TRUE(mentions(fit_logistic(X, two, options).report.warnings, "condition number")) << to_string(kind);
    X.leftCols(4) = apart.X;
    EXPECT_FALSE(mentions(fit_linear(X, apart.y, options).report.warnings, "condition number")) << to_string(kind);
    EXPECT_FALSE(mentions(fit_logistic(X, two, options).report.warnings, "condition number")) << to_string(kind);
  }
  SoftmaxOptions options;
  options.prior = Prior::none();
  EXPECT_TRUE(mentions(fit_softmax(problem.X, labels, options).report.warnings, "condition number"));
  EXPECT_FALSE(mentions(fit_softmax(apart.X, labels, options).report.warnings, "condition number"));
}

TEST(Conditioning, OrdinaryColumnsAndPresetsKeepTheirSolver) {
  Random random(7);
  const Matrix X = random.normals(60, 4);
  const Vector y = X.col(0) + random.normals(60);
  FitOptions options;
  options.prior = Prior::none();
  EXPECT_EQ(fit_linear(X, y, options).report.solver, SolverKind::primal);
  options.prior = Prior::shared();
  EXPECT_EQ(fit_linear(X, y, options).report.solver, SolverKind::spectral);
  Matrix twice(60, 5);
  twice << X, X.col(0) + 1e-9 * random.normals(60);
  EXPECT_EQ(fit_linear(twice, y, options_for_preset("vb_linear_fit_ard")).report.solver, SolverKind::primal);
}

}  // namespace
}  // namespace ardvark::internal
