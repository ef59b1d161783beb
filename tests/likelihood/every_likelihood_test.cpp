// What holds of every likelihood of the table: a new row is tried here without a change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/solve.hpp"
#include "design/dense.hpp"
#include "fit/checked.hpp"
#include "likelihood/registry.hpp"
#include "method/sweep/sweep.hpp"
#include "support/draw_target.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

struct Problem {
  Matrix X;
  Vector y;
};

Problem make_problem(Task task, std::uint64_t seed, Index n, Index p) {
  Random random(seed);
  Problem out{random.normals(n, p), {}};
  const Vector eta = 0.8 * out.X.col(0) - (p > 1 ? 0.5 : 0) * out.X.col(p - 1);
  out.y = testing::draw_target(task, eta, random);
  return out;
}

std::unique_ptr<Likelihood> make(const LikelihoodRow& row, const Vector& y, Index num_flat, Index num_penalised, const Vector& k = {}) {
  return row.make({.y = y,
                   .k = k.size() > 0 ? k : Vector(Vector::Ones(y.size())),
                   .num_flat = num_flat,
                   .num_penalised = num_penalised,
                   .noise = {0.4, 0.9}});
}

FitOptions with(const Prior& prior) {
  FitOptions options;
  options.prior = prior;
  options.precision = {0.5, 0.5};
  options.noise = {0.4, 0.9};
  options.tolerance = 1e-12;
  options.max_sweeps = 5000;
  return options;
}

// Laplace's approximation to the evidence is no bound.
bool has_a_bound(const LikelihoodRow& row) { return !row.make({.y = Vector::Ones(1), .k = Vector::Ones(1)})->traits().to_mode; }

std::vector<LikelihoodRow> likelihoods_with_a_bound() {
  std::vector<LikelihoodRow> rows;
  std::copy_if(likelihoods().begin(), likelihoods().end(), std::back_inserter(rows), has_a_bound);
  return rows;
}

class EveryLikelihood : public ::testing::TestWithParam<LikelihoodRow> {};
class EveryLikelihoodWithABound : public ::testing::TestWithParam<LikelihoodRow> {};

// The bound maximised over everything but E[alpha], as a function of it.
double profiled_bound(const LikelihoodRow& row, const Problem& problem, PrecisionPrior& prior, const Vector& expected, Posterior& q) {
  prior.set_expected(expected);
  const Index num_flat = prior.partition().num_flat();
  const auto likelihood = make(row, problem.y, num_flat, prior.partition().num_columns() - num_flat);
  DenseDesign design(problem.X, {});
  const std::unique_ptr<Solver> solver = make_primal({design, prior.partition(), likelihood->traits()});
  q = testing::sized_posterior(prior.partition(), problem.X.rows());
  Rows rows;
  likelihood->start(rows);
  for (int round = 0; round < 600; ++round) {
    Rows inside = rows;
    EXPECT_TRUE(testing::solve(*solver, likelihood->traits(), inside, prior.columns(), q));
    q.total_weight = inside.omega.sum();
    likelihood->update(q, rows);
  }
  return evaluate_bound(*likelihood, prior, q);
}

TEST_P(EveryLikelihoodWithABound, HasTheGradientOfItsProfiledBound) {  // (OPT.1), with groups, a fixed and a flat column
  const LikelihoodRow& row = GetParam();
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    Problem problem = make_problem(row.task, seed, 30, 5);
    problem.X.col(4).setOnes();
    Vector fixed = Vector::Zero(5);
    fixed[3] = 1.3;
    const Vector c0 = random.normals(2).array().exp(), d0 = random.normals(2).array().exp();
    PrecisionPrior prior(testing::make_partition({0, 1, 0, Partition::fixed, Partition::flat}, fixed), c0, d0);
    const Vector at = (Vector(2) << 0.8, 3.0).finished();
    Posterior q;
    profiled_bound(row, problem, prior, at, q);
    const auto likelihood = make(row, problem.y, 1, 4);
    Rows rows;
    likelihood->start(rows);
    likelihood->update(q, rows);
    Vector gradient;
    prior.gradient(q, likelihood->noise_precision(), gradient);
    for (const Index g : {0, 1}) {
      const auto F = [&](double step) {
        Vector moved = at;
        moved[g] *= std::exp(step);
        Posterior ignored;
        return profiled_bound(row, problem, prior, moved, ignored);
      };
      const double h = 0.01, difference = (8 * (F(h) - F(-h)) - (F(2 * h) - F(-2 * h))) / (12 * h);
      EXPECT_NEAR(gradient[g], difference, 1e-6) << "seed " << seed << ", group " << g;
    }
  }
}

TEST_P(EveryLikelihood, NeverLowersItsBound) {  // (BOUND.5)
  const LikelihoodRow& row = GetParam();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Index n = random.integer(5, 60), p = random.integer(1, 30);
    Problem problem = make_problem(row.task, seed, n, p);
    problem.X.col(0) *= random.scale(1e-2, 1e2);
    for (const Prior& prior : {Prior::shared(), Prior::ard()}) {
      FitOptions options = with(prior);
      options.max_sweeps = 300;
      const Fit fit = fit_by(row, problem.X, problem.y, options);
      EXPECT_TRUE(fit.report.status == Status::converged || fit.report.status == Status::max_sweeps) << seed << fit.report.message;
      const std::vector<double>& history = fit.report.bound_history;
      for (std::size_t i = 1; has_a_bound(row) && i < history.size(); ++i)
        ASSERT_GE(history[i], history[i - 1] - 1e-9 * (1 + std::abs(history[i]))) << "seed " << seed << ", sweep " << i + 1;
    }
  }
}

TEST_P(EveryLikelihood, IsTheSameByPrimalAndDual) {
  const LikelihoodRow& row = GetParam();
  for (const auto& [n, p] : {std::pair<Index, Index>{40, 5}, std::pair<Index, Index>{12, 20}}) {
    const Problem problem = make_problem(row.task, 7, n, p);
    FitOptions primal = with(Prior::shared()), dual = primal;
    primal.solver = SolverKind::primal;
    dual.solver = SolverKind::dual;
    const Fit a = fit_by(row, problem.X, problem.y, primal), b = fit_by(row, problem.X, problem.y, dual);
    EXPECT_NEAR(a.bound, b.bound, 1e-8 * (1 + std::abs(a.bound)));
    EXPECT_LE(testing::relative_distance(a.mean, b.mean), 1e-5);
    EXPECT_LE(testing::relative_distance(a.variance, b.variance), 1e-5);
  }
}

TEST_P(EveryLikelihood, TakesAWeightForRepetition) {  // (LIN.6)
  const LikelihoodRow& row = GetParam();
  for (const Prior& prior : {Prior::shared(), Prior::ard()}) {
    const Problem problem = make_problem(row.task, 3, 30, 3);
    std::vector<Index> at;
    Vector k(30);
    for (Index i = 0; i < 30; ++i) {
      k[i] = static_cast<double>(i % 3);
      for (Index copy = 0; copy < i % 3; ++copy) at.push_back(i);
    }
    FitOptions weighted = with(prior);
    weighted.weights = k;
    const Fit a = fit_by(row, problem.X, problem.y, weighted);
    const Fit b = fit_by(row, Matrix(problem.X(at, Eigen::all)), Vector(problem.y(at)), with(prior));
    EXPECT_NEAR(a.bound, b.bound, 1e-7);
    EXPECT_LE(testing::relative_distance(a.mean, b.mean), 1e-5);
    EXPECT_LE(testing::relative_distance(a.variance, b.variance), 1e-5);
  }
}

TEST_P(EveryLikelihood, ExtrapolatesToTheSameEnd) {  // (OPT.7)
  const LikelihoodRow& row = GetParam();
  const Problem problem = make_problem(row.task, 11, 80, 4);
  FitOptions plain = with(Prior::groups({0, 0, 1, 1}));
  plain.accelerate = false;
  const Fit fast = fit_by(row, problem.X, problem.y, with(plain.prior)), slow = fit_by(row, problem.X, problem.y, plain);
  // Of a parameter that is integrated (NB.5), the bound is not stationary: its error is that of q(w), not the square.
  EXPECT_NEAR(fast.bound, slow.bound, fast.family.log_sd > 0 ? 1e-6 : 1e-7);
}

const auto name_of = [](const ::testing::TestParamInfo<LikelihoodRow>& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Table, EveryLikelihood, ::testing::ValuesIn(likelihoods().begin(), likelihoods().end()), name_of);
INSTANTIATE_TEST_SUITE_P(Table, EveryLikelihoodWithABound, ::testing::ValuesIn(likelihoods_with_a_bound()), name_of);

}  // namespace
}  // namespace ardvark::internal
