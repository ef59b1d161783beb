#include "method/l1/coordinate_ascent.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "design/dense.hpp"

namespace ardvark::internal {
namespace {

using testing::Long;
using testing::LongMatrix;
using testing::LongVector;
using testing::Random;

struct Problem {
  Matrix X;  // the intercept, if any, is the last column
  Vector t, k;
  std::vector<Index> flat;

  [[nodiscard]] bool is_flat(Index j) const { return std::find(flat.begin(), flat.end(), j) != flat.end(); }
};

Problem make_problem(std::uint64_t seed) {
  Random random(seed);
  const Index n = random.integer(2, 60), p = random.integer(1, 80);
  Problem out;
  out.X = random.normals(n, p + 1);
  const double rho = random.chance(0.3) ? 0.99 : random.chance(0.3) ? 0.5 : 0;
  for (Index j = 1; j < p; ++j) out.X.col(j) = rho * out.X.col(j - 1) + std::sqrt(1 - rho * rho) * out.X.col(j);
  for (Index j = 1; j < p; ++j) {
    if (random.chance(0.05)) out.X.col(j) = (random.chance(0.5) ? 1 : -1) * out.X.col(random.integer(0, j - 1));  // a copy
    if (random.chance(0.03)) out.X.col(j).setZero();
  }
  if (random.chance(0.2)) out.X *= random.scale(1e-3, 1e3);
  out.X.col(p).setOnes();
  const Vector signal = out.X.leftCols(p) * random.normals(p) * random.scale(0.01, 3);
  const bool separable = random.chance(0.25);
  out.t.resize(n);
  for (Index i = 0; i < n; ++i) out.t[i] = (separable ? signal[i] > 0 : random.uniform() < 1 / (1 + std::exp(-signal[i]))) ? 1 : 0;
  out.t[0] = 0, out.t[n - 1] = 1;
  out.k = Vector::Ones(n);
  if (random.chance(0.3))
    for (Index i = 1; i + 1 < n; ++i) out.k[i] = random.chance(0.2) ? 0 : random.scale(0.1, 10);
  if (random.chance(0.8)) out.flat = {p};
  return out;
}

// Everything that the solver says of its end, from the definition.
struct Plain {
  Long objective = 0;
  double violation = 0;  // beyond what rounding leaves of a gradient, in units of lambda
};
Plain plain(const Problem& problem, const Vector& w, double lambda) {
  const LongVector m = problem.X.cast<Long>() * w.cast<Long>();
  LongVector r(m.size());
  Plain out;
  Long square = 0;
  for (Index i = 0; i < m.size(); ++i) {
    const Long z = problem.t[i] > 0.5 ? m[i] : -m[i];
    out.objective -= Long(problem.k[i]) * testing::plain_softplus(-z);
    r[i] = Long(problem.k[i]) * (problem.t[i] > 0.5 ? 1 : -1) * testing::plain_sigmoid(-z);
    if (problem.k[i] > 0) square += r[i] * r[i] / Long(problem.k[i]);
  }
  for (Index j = 0; j < w.size(); ++j) {
    const Long g = problem.X.col(j).cast<Long>().dot(r);
    const double length = std::sqrt(problem.k.dot(problem.X.col(j).cwiseAbs2()));
    Long excess;
    if (problem.is_flat(j)) {
      excess = std::abs(g);
    } else {
      out.objective -= Long(lambda) * std::abs(Long(w[j]));
      excess = w[j] == 0 ? std::abs(g) - Long(lambda) : std::abs(g - (w[j] > 0 ? 1 : -1) * Long(lambda));
    }
    const double rounding = 1.1e-14 * length * static_cast<double>(std::sqrt(square));
    out.violation = std::max(out.violation, (static_cast<double>(excess) - rounding) / lambda);
  }
  return out;
}

// One column at a time with a fresh gradient and the largest curvature it can have: slow and sure.
LongVector slow_optimum(const Problem& problem, double lambda, int passes) {
  const LongMatrix X = problem.X.cast<Long>();
  const LongVector k = problem.k.cast<Long>(), t = problem.t.cast<Long>();
  LongVector w = LongVector::Zero(X.cols()), m = LongVector::Zero(X.rows());
  for (int pass = 0; pass < passes; ++pass)
    for (Index j = 0; j < X.cols(); ++j) {
      const Long B = 0.25L * k.dot(X.col(j).cwiseAbs2());
      if (B == 0) continue;
      Long g = 0;
      for (Index i = 0; i < m.size(); ++i) g += k[i] * X(i, j) * (t[i] - testing::plain_sigmoid(m[i]));
      const Long u = w[j] + g / B, threshold = problem.is_flat(j) ? 0 : Long(lambda) / B;
      const Long next = u > threshold ? u - threshold : u < -threshold ? u + threshold : 0;
      m += (next - w[j]) * X.col(j);
      w[j] = next;
    }
  return w;
}

TEST(CoordinateAscent, EndsWhereTheOptimalityConditionsHoldTo1e9OfLambda) {  // (L1.2)
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = make_problem(seed);
    DenseDesign design(problem.X, {});
    CoordinateAscent ascent(design, problem.t, problem.k, problem.flat);
    const double lambda_max = ascent.lambda_max(), lambda = lambda_max * Random(seed + 1000).scale(1e-3, 1);
    if (!(lambda > 0)) continue;
    const CoordinateOutcome out = ascent.solve(lambda);
    EXPECT_EQ(out.status, Status::converged) << out.message;
    EXPECT_LE(out.optimality, 1e-9);
    const Plain definition = plain(problem, ascent.w(), lambda);
    EXPECT_LE(definition.violation, 1.001e-9);
    EXPECT_NEAR(out.log_likelihood - out.penalty, static_cast<double>(definition.objective), 1e-12 * (1 + std::abs(out.log_likelihood)));
    EXPECT_LT(testing::distance(ascent.m(), problem.X * ascent.w()), 1e-11 * (1 + ascent.m().cwiseAbs().maxCoeff()));
    // Monotone, to the rounding of the sum.
    for (std::size_t i = 1; i < out.objective.size(); ++i)
      EXPECT_GE(out.objective[i], out.objective[i - 1] - 2e-14 * std::abs(out.objective[i - 1])) << "step " << i + 1;
  }
}

TEST(CoordinateAscent, FindsTheOptimumOfASlowAndSureMethod) {  // (L1.1), (L1.3)
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Problem problem = make_problem(seed);
    if (problem.X.cols() > 25) {
      problem.X = Matrix(problem.X.rightCols(25));
      if (!problem.flat.empty()) problem.flat = {24};
    }
    DenseDesign design(problem.X, {});
    CoordinateAscent ascent(design, problem.t, problem.k, problem.flat);
    const double lambda = 0.3 * ascent.lambda_max();
    if (!(lambda > 0)) continue;
    const CoordinateOutcome out = ascent.solve(lambda);
    const Long slow = plain(problem, slow_optimum(problem, lambda, 1000).cast<double>(), lambda).objective;
    EXPECT_NEAR(out.log_likelihood - out.penalty, static_cast<double>(slow), 1e-9 * (1 + std::abs(static_cast<double>(slow))));
    ++compared;
  }
  EXPECT_GE(compared, 50);
}

TEST(CoordinateAscent, FromLambdaMaxOnEveryWeightIsZero) {  // (L1.5)
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = make_problem(seed);
    DenseDesign design(problem.X, {});
    CoordinateAscent ascent(design, problem.t, problem.k, problem.flat);
    const double lambda_max = ascent.lambda_max();
    // With an intercept alone, or nothing, the residual is known.
    const double mean = problem.flat.empty() ? 0.5 : problem.k.dot(problem.t) / problem.k.sum();
    Vector g = problem.X.transpose() * problem.k.cwiseProduct(Vector(problem.t.array() - mean));
    if (!problem.flat.empty()) g[problem.X.cols() - 1] = 0;
    EXPECT_NEAR(lambda_max, g.cwiseAbs().maxCoeff(), 1e-10 * (1e-3 + lambda_max));
    if (!(lambda_max > 0)) continue;
    for (double factor : {1.0, 1.5, 10.0}) {
      EXPECT_EQ(ascent.solve(factor * lambda_max).status, Status::converged);
      EXPECT_EQ(ascent.support().columns, problem.flat);
    }
    EXPECT_EQ(ascent.solve(0.999 * lambda_max).status, Status::converged);
    EXPECT_GT(ascent.support().columns.size(), problem.flat.size());
  }
}

TEST(CoordinateAscent, APathHasTheOptimaOfSeparateFits) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = make_problem(seed);
    DenseDesign design(problem.X, {}), same(problem.X, {});
    CoordinateAscent path(design, problem.t, problem.k, problem.flat);
    const double lambda_max = path.lambda_max();
    if (!(lambda_max > 0)) continue;
    double last_length = 0, last = 2;
    for (double factor : {1.0, 0.8, 0.5, 0.3, 0.1, 0.02, 0.2, 0.9}) {  // down, and up again
      const double lambda = factor * lambda_max;
      const CoordinateOutcome warm = path.solve(lambda);
      EXPECT_EQ(warm.status, Status::converged) << warm.message;
      EXPECT_LE(plain(problem, path.w(), lambda).violation, 1.001e-9);
      CoordinateAscent alone(same, problem.t, problem.k, problem.flat);
      const CoordinateOutcome cold = alone.solve(lambda);
      EXPECT_NEAR(warm.log_likelihood - warm.penalty, cold.log_likelihood - cold.penalty, 1e-11 * (1 + std::abs(cold.log_likelihood)));
      const double length = warm.penalty / lambda;  // sum |w_j| grows as lambda falls, and shrinks as it rises
      EXPECT_GE((factor < last ? 1 : -1) * (length - last_length), -1e-8 * (1 + length));
      last_length = length, last = factor;
    }
  }
}

// So large that the working set grows in rounds, columns are judged from a bound alone, and G is used at old weights.
TEST(CoordinateAscent, LargeProblemsAreCertifiedToo) {  // (L1.4), (L1.6), (L1.7)
  Problem problem;
  Random random(7);
  const Index n = 150, p = 1500;
  problem.X = random.normals(n, p + 1);
  for (Index j = 1; j < p; ++j) problem.X.col(j) = 0.6 * problem.X.col(j - 1) + 0.8 * problem.X.col(j);
  problem.X.col(p).setOnes();
  problem.t.resize(n);
  for (Index i = 0; i < n; ++i)
    problem.t[i] = random.uniform() < 1 / (1 + std::exp(-problem.X(i, 3) * 2 + problem.X(i, 700) * 2 - problem.X(i, 900))) ? 1 : 0;
  problem.k = Vector::Ones(n);
  problem.flat = {p};
  DenseDesign design(problem.X, {});
  CoordinateAscent path(design, problem.t, problem.k, problem.flat);
  const double lambda_max = path.lambda_max();
  int passes = 0;
  for (int i = 0; i < 30; ++i) {
    const double lambda = lambda_max * std::pow(0.01, i / 29.0);
    const CoordinateOutcome out = path.solve(lambda);
    passes += out.num_passes;
    EXPECT_EQ(out.status, Status::converged) << out.message;
    EXPECT_LE(plain(problem, path.w(), lambda).violation, 1.001e-9) << lambda;
  }
  EXPECT_LT(passes, 60);  // two looks at every column for each lambda are what a path would take without (L1.6)
  DenseDesign same(problem.X, {});
  for (double factor : {0.5, 0.05, 0.01, 1e-4}) {
    CoordinateAscent cold(same, problem.t, problem.k, problem.flat);
    const CoordinateOutcome out = cold.solve(factor * lambda_max);
    EXPECT_EQ(out.status, Status::converged) << out.message;
    EXPECT_LE(plain(problem, cold.w(), factor * lambda_max).violation, 1.001e-9) << factor;
  }
}

struct PlainRows {
  LongVector r;
  Long loss = 0, curvature = 0;  // of the last column
};
PlainRows plain_rows(const Problem& problem, RowLoss loss, const LongVector& m) {
  PlainRows out{LongVector(m.size())};
  for (Index i = 0; i < m.size(); ++i) {
    const Long k = problem.k[i], t = problem.t[i], z = t > 0.5L ? m[i] : -m[i], x = problem.X(i, problem.X.cols() - 1);
    const bool is_squared = loss == RowLoss::squared;
    out.r[i] = is_squared ? k * (t - m[i]) : k * (t > 0.5L ? 1 : -1) * testing::plain_sigmoid(-z);
    out.loss += is_squared ? 0.5L * k * (t - m[i]) * (t - m[i]) : k * testing::plain_softplus(-z);
    out.curvature += k * x * x * (is_squared ? 1 : testing::plain_sigmoid(z) * testing::plain_sigmoid(-z));
  }
  return out;
}

// The objective minus that of the dual problem at s r, which is feasible, by the definition. The last column is the flat one, if any.
Long plain_gap(const Problem& problem, RowLoss loss, const Vector& w, double lambda, Long& objective) {
  const LongMatrix X = problem.X.cast<Long>();
  LongVector m = X * w.cast<Long>();
  objective = plain_rows(problem, loss, m).loss;
  for (int step = 0; step < 50 && !problem.flat.empty(); ++step) {
    const PlainRows rows = plain_rows(problem, loss, m);
    m += X.rightCols(1) * (X.rightCols(1).transpose() * rows.r / rows.curvature);
  }
  const LongVector r = plain_rows(problem, loss, m).r;
  Long most = 0, dual = 0;
  for (Index j = 0; j < w.size(); ++j) {
    if (problem.is_flat(j)) continue;
    objective += Long(lambda) * std::abs(Long(w[j]));
    most = std::max(most, std::abs(X.col(j).dot(r)));
  }
  const Long s = most > lambda ? lambda / most : 1;
  const auto entropy = [](Long p) { return p > 0 ? p * std::log(p) : 0; };
  for (Index i = 0; i < m.size(); ++i) {
    const Long k = problem.k[i], u = s * r[i];
    if (k == 0) continue;
    const Long p = problem.t[i] - u / k;
    dual += loss == RowLoss::squared ? u * problem.t[i] - 0.5L * u * u / k : -k * (entropy(p) + entropy(1 - p));
  }
  return objective - dual;
}

TEST(CoordinateAscent, TheGapIsTheDistanceFromAPointOfTheDual) {  // (L1.16)
  int unfinished = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 4000);
    const Problem problem = make_problem(seed);
    const RowLoss loss = seed % 2 == 0 ? RowLoss::squared : RowLoss::logistic;
    DenseDesign design(problem.X, {});
    CoordinateAscent ascent(std::make_shared<ColumnStore>(design), {}, problem.t, problem.k, problem.flat, {}, loss);
    const double lambda = ascent.lambda_max() * random.scale(1e-2, 0.9);
    if (!(lambda > 0)) continue;
    CoordinateSettings settings;
    settings.tolerance = random.chance(0.5) ? 1e-2 : 1e-9;
    settings.max_steps = random.chance(0.5) ? 2 : 500;
    const CoordinateOutcome out = ascent.solve(lambda, settings);
    Long objective = 0;
    const auto gap = static_cast<double>(plain_gap(problem, loss, ascent.w(), lambda, objective));
    const auto size = static_cast<double>(objective);
    EXPECT_NE(out.message.find(std::isfinite(out.gap) ? "of its size" : "conditions"), std::string::npos) << out.message;
    EXPECT_GE(out.gap * size, gap * (1 - 1e-6) - 1e-12 * (1 + size)) << out.message;
    if (out.status == Status::converged)
      EXPECT_LE(out.gap, 10 * settings.tolerance + 1e-10) << out.message;
    else
      unfinished += std::isfinite(out.gap) ? 1 : 0;
    const CoordinateOutcome best = ascent.solve(lambda);
    EXPECT_LE(best.log_likelihood - best.penalty + size, out.gap * size + 1e-12 * (1 + size));
  }
  EXPECT_GE(unfinished, 20);  // they have a gap, too
}

TEST(CoordinateAscent, StopsWhenAsked) {
  const Problem problem = make_problem(3);
  DenseDesign design(problem.X, {});
  CoordinateAscent ascent(design, problem.t, problem.k, problem.flat);
  const double lambda = 0.05 * ascent.lambda_max();
  CoordinateSettings settings;
  settings.on_step = [](int steps, double) { return steps < 1; };
  EXPECT_EQ(ascent.solve(lambda, settings).status, Status::stopped_by_user);
  settings.on_step = {};
  settings.max_steps = 1;
  EXPECT_EQ(ascent.solve(lambda, settings).status, Status::max_sweeps);
  EXPECT_EQ(ascent.solve(lambda).status, Status::converged);
}

}  // namespace
}  // namespace ardvark::internal
