// Fits by steps and draws, against the same fits by a decomposition.                             docs/math/ridge.md (RIDGE.12) to
// (RIDGE.15)
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../io/temporary_file.hpp"
#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/posterior.hpp"
#include "method/spike_slab/prior_choice.hpp"
#include "method/sweep/sweep_choice.hpp"

namespace ardvark {
namespace {

using testing::Random;

struct Table {
  Matrix X;
  Vector y, weights;
};

// Columns of several sizes, far from zero, correlated; one is constant.
Table make_table(std::uint64_t seed, Index n, Index p) {
  Random random(seed);
  Table out{random.normals(n, p), {}, Vector(n)};
  for (Index j = 1; j < p; ++j) out.X.col(j) += 0.5 * out.X.col(j - 1);
  out.y = out.X * random.normals(p) / std::sqrt(static_cast<double>(p)) + random.normals(n);
  for (Index j = 0; j < p; ++j) out.X.col(j) = random.scale(0.1, 10) * out.X.col(j).array() + random.uniform(-20, 20);
  out.X.col(3).setConstant(2);
  for (double& k : out.weights) k = static_cast<double>(random.integer(0, 3));
  return out;
}

FitOptions options_with(SolverKind solver) {
  FitOptions options;
  options.prior = Prior::shared();
  options.solver = solver;
  return options;
}

void expect_near_exact(const Table& t, FitOptions options) {
  options.solver = SolverKind::spectral;
  const LinearFit exact = fit_linear(t.X, t.y, options);
  options.solver = SolverKind::iterative;
  const LinearFit fit = fit_linear(t.X, t.y, options);
  ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
  ASSERT_TRUE(fit.report.sampled);
  EXPECT_FALSE(exact.report.sampled);
  const Sampled& sampled = *fit.report.sampled;
  EXPECT_TRUE(testing::mentions(fit.report.notes, std::to_string(sampled.draws) + " draws"));
  EXPECT_EQ(fit.report.solver, SolverKind::iterative);
  EXPECT_NE(summary(fit).find("log evidence          about "), std::string::npos) << "it is no bound";
  EXPECT_GE(sampled.draws, 64);
  EXPECT_LT(sampled.sd_error, 0.15);
  // The precision is that of the exact fit within its error, and the means follow it.
  EXPECT_LE(std::abs(std::log(fit.precision[0] / exact.precision[0])), 4.5 * sampled.precision_error);
  EXPECT_LT(sampled.precision_error, 0.1);
  EXPECT_LE(std::abs(fit.bound - exact.bound), 4.5 * sampled.bound_error);
  EXPECT_NEAR(noise_sd(fit), noise_sd(exact), sampled.precision_error * noise_sd(exact));
  const Vector sd = exact.variance.cwiseSqrt();
  const Index p = fit.num_columns();
  for (Index j = 0; j < p; ++j) {
    if (fit.left_out[static_cast<std::size_t>(j)]) {
      EXPECT_EQ(fit.mean[j], 0);
      continue;
    }
    EXPECT_LE(std::abs(fit.mean[j] - exact.mean[j]), 10 * sampled.precision_error * sd[j] + 1e-5 * sd[j]) << j;
  }
  const Vector off = (sd.array() > 0).select((fit.variance.array().sqrt() / sd.array()), 1.0).log();
  EXPECT_LE(std::sqrt(off.squaredNorm() / static_cast<double>(p)), 1.4 * sampled.sd_error + sampled.precision_error);
  EXPECT_EQ(fit.intercept.has_value(), exact.intercept.has_value());
  if (fit.intercept) {
    EXPECT_NEAR(std::sqrt(fit.intercept->variance / exact.intercept->variance), 1, 0.02 + 2 * sampled.precision_error);
  }

  // What is made of the draws: predictions, covariances, a file.
  const StudentPrediction of_new = predict(fit, t.X.topRows(20), PredictionOf::mean),
                          expected = predict(exact, t.X.topRows(20), PredictionOf::mean);
  for (Index i = 0; i < 20; ++i)
    EXPECT_NEAR(of_new.scale[i] / expected.scale[i], 1, 4.5 / std::sqrt(2.0 * static_cast<double>(sampled.draws)));
  const Matrix some = covariance_of(fit, {0, 5});
  EXPECT_NEAR(some(0, 0) / exact.variance[0], 1, 4.5 * std::sqrt(2.0 / static_cast<double>(sampled.draws)));
  EXPECT_EQ(draw_weights(fit, 3, 1).coef.rows(), 3);
  const testing::TemporaryFolder folder;
  save_model(folder / "model.ardvark", static_cast<const Fit&>(fit));
  const SavedModel loaded = load_model(folder / "model.ardvark");
  const Fit& again = *loaded.score();
  ASSERT_TRUE(again.report.sampled);
  EXPECT_EQ(again.report.sampled->draws, sampled.draws);
  EXPECT_EQ(again.report.sampled->sd_error, sampled.sd_error);
  EXPECT_EQ(again.report.sampled->bound_error, sampled.bound_error);
  EXPECT_EQ(again.report.sampled->precision_error, sampled.precision_error);
  EXPECT_EQ(again.variance, fit.variance);
}

TEST(IterativeFit, IsNearTheExactOneInEveryForm) {
  const Table wide = make_table(1, 150, 220), tall = make_table(2, 260, 120);
  for (const Table* t : {&wide, &tall}) {
    FitOptions options = options_with(SolverKind::iterative);
    expect_near_exact(*t, options);
    options.weights = t->weights;
    expect_near_exact(*t, options);
    options.prior.flat_columns = {4, 7};
    expect_near_exact(*t, options);
    options.standardize = false;
    expect_near_exact(*t, options);
    options.intercept = false;
    options.prior.flat_columns = {};
    expect_near_exact(*t, options);
  }
}

// (LIN.6)
TEST(IterativeFit, WeightsAreRepetitions) {
  const Table t = make_table(3, 120, 150);
  FitOptions options = options_with(SolverKind::iterative);
  options.weights = t.weights;
  const LinearFit weighted = fit_linear(t.X, t.y, options);
  std::vector<Index> rows;
  for (Index i = 0; i < t.y.size(); ++i)
    for (double k = 0; k < t.weights[i]; ++k) rows.push_back(i);
  const Matrix X = t.X(rows, Eigen::all);
  const Vector y = t.y(rows);
  const LinearFit repeated = fit_linear(X, y, options_with(SolverKind::iterative));
  const double error = 5 * (weighted.report.sampled->precision_error + repeated.report.sampled->precision_error);
  EXPECT_NEAR(std::log(weighted.precision[0] / repeated.precision[0]), 0, error);
  EXPECT_NEAR(weighted.bound, repeated.bound, 5 * (weighted.report.sampled->bound_error + repeated.report.sampled->bound_error));
  EXPECT_LE(((weighted.mean - repeated.mean).array() / repeated.variance.array().sqrt().max(1e-300)).abs().maxCoeff(), 2 * error);
}

TEST(IterativeFit, RefusesWhatItCannotDo) {
  const Table t = make_table(4, 80, 30);
  FitOptions options = options_with(SolverKind::iterative);
  options.prior = Prior::ard();
  testing::expect_invalid([&] { static_cast<void>(fit_linear(t.X, t.y, options)); }, {"solver", "iterative", "shared prior"});
  options = options_with(SolverKind::iterative);
  options.rule = UpdateRule::mackay;
  testing::expect_invalid([&] { static_cast<void>(fit_linear(t.X, t.y, options)); }, {"iterative", "update rule vb"});
  options = options_with(SolverKind::iterative);
  options.posterior = LinearPosterior::factorised;
  testing::expect_invalid([&] { static_cast<void>(fit_linear(t.X, t.y, options)); }, {"iterative", "joint posterior"});
  const Vector labels = (t.y.array() > t.y.mean()).cast<double>();
  testing::expect_invalid([&] { static_cast<void>(fit_logistic(t.X, labels, options_with(SolverKind::iterative))); },
                          {"iterative", "linear model"});
}

// By the sizes alone: exact where a decomposition is affordable, as before.                                                   (RIDGE.12)
TEST(IterativeFit, IsChosenWhereNothingExactFits) {
  using namespace internal;
  const LikelihoodTraits regression{.residual = true, .constant_rows = true}, classes{.row_moments = true, .damped = true};
  const Partition many = testing::shared_partition(25000), few = testing::shared_partition(20000);
  const auto kind = [&](const Partition& columns, Index rows) { return choose_solver({}, regression, columns, rows).kind; };
  EXPECT_EQ(kind(many, 30000), SolverKind::iterative);
  EXPECT_EQ(kind(many, 20000), SolverKind::spectral);
  EXPECT_EQ(kind(few, 1000000), SolverKind::spectral);
  EXPECT_EQ(choose_solver(options_with(SolverKind::dual), regression, many, 30000).kind, SolverKind::dual) << "as asked";

  // What has no such way is refused before it asks for terabytes.
  constexpr Index huge = 2000000;
  const Partition one_group = testing::shared_partition(huge);
  EXPECT_EQ(kind(one_group, huge), SolverKind::iterative);
  testing::expect_invalid([&] { static_cast<void>(choose_solver(options_with(SolverKind::automatic), classes, one_group, huge)); },
                          {"prior", "two matrices of 2000000 x 2000000 numbers", "this machine has", "prior laplace"});

  const std::string obstacle = "needs a matrix";
  EXPECT_EQ(with_chosen_prior({}, Task::linear, 200000, 30000, obstacle).options.prior.kind, PriorKind::shared);
  EXPECT_EQ(with_chosen_prior({}, Task::linear, 200000, 3000, obstacle).options.prior.kind, PriorKind::ard);
  EXPECT_EQ(with_chosen_prior({}, Task::logistic, 200000, 30000, obstacle).options.prior.kind, PriorKind::ard);
}

TEST(IterativeFit, AConstantTargetAndANearlyPerfectFitAreFitted) {
  Table t = make_table(5, 90, 140);
  const LinearFit constant = fit_linear(t.X, Vector(Vector::Constant(90, 4)), options_with(SolverKind::iterative));
  EXPECT_TRUE(constant.mean.allFinite());
  EXPECT_NEAR(constant.mean.cwiseAbs().maxCoeff(), 0, 1e-6);
  const Matrix X = t.X.leftCols(40);
  t.y = X.col(0) - 2 * X.col(1);
  const LinearFit perfect = fit_linear(X, t.y, options_with(SolverKind::iterative));
  EXPECT_TRUE(perfect.mean.allFinite());
  EXPECT_NEAR(perfect.mean[1], -2, 1e-3);
}

// Other solvers integrate the noise and the precision there.                                                                       (LIN.9)
TEST(IterativeFit, WarnsOfFewRows) {
  for (const Index n : {20, 60}) {
    const Table t = make_table(4, n, 5);
    const LinearFit fit = fit_linear(t.X, t.y, options_with(SolverKind::iterative));
    EXPECT_EQ(testing::mentions(fit.report.warnings, "takes both as known"), n == 20);
  }
}

}  // namespace
}  // namespace ardvark
