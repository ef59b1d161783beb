#include "ardvark/sequential.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::ln_2pi;
using testing::make_problem;
using testing::Problem;
using testing::Random;
using testing::relative_distance;

// The published program row by row, with the whole V updated in every inner step.                     (SEQ.1), (SEQ.2), (SEQ.3)
struct RowByRow {
  Matrix V, precision;  // V and V^-1
  Vector w, h;          // h = V^-1 w
  double prior_log_det, sum_xi = 0;

  RowByRow(Index p, double rho)
      : V(Matrix::Identity(p, p) / rho),
        precision(Matrix::Identity(p, p) * rho),
        w(Vector::Zero(p)),
        h(w),
        prior_log_det(-static_cast<double>(p) * std::log(rho)) {}

  static double log_det(const Matrix& M) { return M.ldlt().vectorD().array().log().sum(); }

  void absorb(const Vector& x, double y, double k = 1) {
    const Matrix V_before = V;
    const Vector h_new = h + 0.5 * k * y * x;
    double xi = 0, lambda = 0.125, last = 0, terms = 0;
    for (int step = 0; step <= 500; ++step) {
      if (step > 0) xi = std::sqrt(x.dot((V + w * w.transpose()) * x));
      lambda = static_cast<double>(testing::plain_lambda(xi));
      const Vector v = V_before * x;
      V = V_before - (2 * k * lambda / (1 + 2 * k * lambda * x.dot(v))) * (v * v.transpose());
      w = V * h_new;
      terms = k * (-static_cast<double>(testing::plain_softplus(-xi)) - xi / 2 + lambda * xi * xi);
      const double L = 0.5 * (w.dot(h_new) + log_det(V)) + terms;
      if (step > 0 && std::abs(L - last) < 1e-5 * std::abs(L)) break;
      last = L;
    }
    precision += 2 * k * lambda * x * x.transpose();
    h = h_new;
    sum_xi += terms;
  }
  [[nodiscard]] double bound() const { return 0.5 * w.dot(precision * w) + 0.5 * log_det(V) - 0.5 * prior_log_det + sum_xi; }
};

RowByRow plain_filter(const Problem& problem, double rho) {
  RowByRow plain(problem.X.cols(), rho);
  for (Index i = 0; i < problem.X.rows(); ++i) plain.absorb(problem.X.row(i), problem.labels[i]);
  return plain;
}

void expect_equal(const SequentialLogistic& filter, const RowByRow& plain) {
  EXPECT_LE(relative_distance(filter.mean(), plain.w), 1e-10);
  EXPECT_LE(relative_distance(filter.covariance(), plain.V), 1e-10);
  EXPECT_LE(relative_distance(filter.log_det_V(), RowByRow::log_det(plain.V)), 1e-10);
  EXPECT_LE(relative_distance(filter.bound(), plain.bound()), 1e-10);
}

TEST(SequentialLogistic, BlocksOfAnySizeEqualRowByRow) {  // (SEQ.2), (SEQ.4)
  for (const auto& [n, p] :
       {std::pair<Index, Index>{1, 1}, std::pair<Index, Index>{70, 1}, std::pair<Index, Index>{150, 6}, std::pair<Index, Index>{40, 60}}) {
    const Problem problem = make_problem(71, n, p);
    const RowByRow plain = plain_filter(problem, static_cast<double>(p));
    for (Index block : {1, 2, 7, 64, 1000}) {
      SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(p) + ", blocks of " + std::to_string(block));
      SequentialLogistic filter(p, {.block_rows = block});
      filter.update(problem.X, problem.labels);
      EXPECT_EQ(filter.num_rows(), n);
      expect_equal(filter, plain);
    }
  }
}

RC_GTEST_PROP(SequentialLogistic, EqualsRowByRowOnArbitraryProblems, ()) {  // (SEQ.1) to (SEQ.4)
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>());
  const auto n = *rc::gen::inRange<Index>(2, 40), p = *rc::gen::inRange<Index>(1, 12), block = *rc::gen::inRange<Index>(1, 50),
             first = *rc::gen::inRange<Index>(1, n);
  Random random(seed);
  Problem problem = make_problem(seed, n, p);
  problem.X *= random.scale(0.01, 30);
  const double rho = random.scale(0.01, 100);
  SequentialLogistic filter(p, {.precision = rho, .block_rows = block});
  filter.update(problem.X.topRows(first), Vector(problem.labels.head(first)));
  filter.update(problem.X.bottomRows(n - first), Vector(problem.labels.tail(n - first)));
  expect_equal(filter, plain_filter(problem, rho));
}

TEST(SequentialLogistic, FeedingInPartsEqualsFeedingAtOnce) {
  const Problem problem = make_problem(72, 200, 5);
  SequentialLogistic once(5), parts(5);
  once.update(problem.X, problem.labels);
  parts.update(problem.X.topRows(83), Vector(problem.labels.head(83)));
  parts.update(problem.X.bottomRows(117), Vector(problem.labels.tail(117)));
  EXPECT_LE(relative_distance(parts.mean(), once.mean()), 1e-12);
  EXPECT_LE(relative_distance(parts.covariance(), once.covariance()), 1e-12);
  EXPECT_NEAR(parts.bound(), once.bound(), 1e-10);
  EXPECT_EQ(parts.num_rows(), 200);
}

TEST(SequentialLogistic, ReadsFloatAndRowMajorTables) {
  const Problem problem = make_problem(73, 90, 4);
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> floats = problem.X.cast<float>();
  const Matrix rounded = floats.cast<double>();
  SequentialLogistic from_floats(4), from_doubles(4);
  from_floats.update(floats, problem.labels);
  from_doubles.update(rounded, problem.labels);
  EXPECT_LE(relative_distance(from_floats.mean(), from_doubles.mean()), 1e-13);
}

TEST(SequentialLogistic, StartsAtThePrior) {
  const SequentialLogistic published(4), chosen(4, {.precision = 2.5});
  EXPECT_EQ(published.mean(), Vector::Zero(4));
  EXPECT_LE(relative_distance(published.covariance(), Matrix::Identity(4, 4) / 4), 1e-15);
  EXPECT_NEAR(published.log_det_V(), -4 * std::log(4.0), 1e-14);
  EXPECT_EQ(published.bound(), 0);
  EXPECT_EQ(published.num_rows(), 0);
  EXPECT_LE(relative_distance(chosen.covariance(), Matrix::Identity(4, 4) / 2.5), 1e-15);
}

TEST(SequentialLogistic, BoundStaysBelowTheExactEvidence) {  // one column: the evidence by quadrature
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Problem problem = make_problem(seed, 30, 1);
    for (double rho : {0.1, 1.0, 10.0}) {
      SequentialLogistic filter(1, {.precision = rho});
      for (Index i = 0; i < 30; ++i) {
        filter.update(problem.X.middleRows(i, 1), Vector(problem.labels.segment(i, 1)));
        if (i % 7 != 0) continue;
        const double evidence = testing::log_integral(-25, 25, filter.bound(), [&](double w) {
          double sum = 0.5 * (std::log(rho) - ln_2pi) - 0.5 * rho * w * w;
          for (Index k = 0; k <= i; ++k) sum -= static_cast<double>(testing::plain_softplus(-problem.labels[k] * problem.X(k, 0) * w));
          return sum;
        });
        EXPECT_LE(filter.bound(), evidence + 1e-9);
        EXPECT_GT(filter.bound(), evidence - 2);
      }
    }
  }
}

TEST(SequentialLogistic, WeightsMultiplyTheRowsTerm) {  // (SEQ.5)
  const Problem problem = make_problem(77, 90, 5);
  Vector weights(90);
  for (Index i = 0; i < 90; ++i) weights[i] = i % 4 == 1 ? 0 : 0.3 * static_cast<double>(1 + i % 7);
  RowByRow plain(5, 2.0);
  for (Index i = 0; i < 90; ++i)
    if (weights[i] > 0) plain.absorb(problem.X.row(i), problem.labels[i], weights[i]);
  for (Index block : {1, 7, 64}) {
    SequentialLogistic filter(5, {.precision = 2.0, .block_rows = block});
    filter.update(problem.X, problem.labels, weights);
    expect_equal(filter, plain);
    EXPECT_EQ(filter.num_rows(), (weights.array() > 0).count());
  }
}

TEST(SequentialLogistic, WeightsOfOneAndZeroAreRowsAndNoRows) {
  const Problem problem = make_problem(78, 50, 3);
  SequentialLogistic plain(3, {.block_rows = 10}), ones(3, {.block_rows = 10}), padded(3, {.block_rows = 10});
  plain.update(problem.X, problem.labels);
  ones.update(problem.X, problem.labels, Vector(Vector::Ones(50)));
  EXPECT_EQ(ones.mean(), plain.mean());
  EXPECT_EQ(ones.bound(), plain.bound());
  padded.update(problem.X.topRows(4), Vector(problem.labels.head(4)), Vector(Vector::Zero(4)));
  EXPECT_EQ(padded.num_rows(), 0);
  EXPECT_EQ(padded.bound(), 0);
  padded.update(problem.X, problem.labels);
  EXPECT_EQ(padded.mean(), plain.mean());
  EXPECT_EQ(padded.bound(), plain.bound());
}

TEST(SequentialLogistic, WeightedBoundStaysBelowTheExactEvidence) {  // one column: the evidence by quadrature
  const Problem problem = make_problem(79, 12, 1);
  for (double k : {0.5, 1.0, 3.0}) {
    SequentialLogistic filter(1, {.precision = 1.0});
    filter.update(problem.X, problem.labels, Vector(Vector::Constant(12, k)));
    const double evidence = testing::log_integral(-25, 25, filter.bound(), [&](double w) {
      double sum = -0.5 * ln_2pi - 0.5 * w * w;
      for (Index i = 0; i < 12; ++i) sum -= k * static_cast<double>(testing::plain_softplus(-problem.labels[i] * problem.X(i, 0) * w));
      return sum;
    });
    EXPECT_LE(filter.bound(), evidence + 1e-9);
    EXPECT_GT(filter.bound(), evidence - 2);
  }
}

TEST(SequentialLogistic, IsWhatThePresetRuns) {
  const Problem problem = make_problem(74, 60, 3);
  SequentialLogistic filter(3);
  filter.update(problem.X, problem.labels);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options_for_preset("vb_logit_fit_iter"));
  EXPECT_LE(relative_distance(fit.mean, filter.mean()), 1e-14);
  EXPECT_LE(relative_distance(fit.variance, filter.covariance().diagonal()), 1e-14);
  EXPECT_LE(relative_distance(fit.covariance(), filter.covariance()), 1e-12);
  EXPECT_EQ(fit.report.status, Status::converged);
  EXPECT_EQ(fit.report.solver, SolverKind::sequential);
  EXPECT_NEAR(fit.bound, filter.bound(), 1e-12);
  const ClassPrediction prediction = predict(fit, problem.X, PredictiveRule::exact);
  EXPECT_LE(relative_distance(prediction.mean, problem.X * filter.mean()), 1e-12);
  EXPECT_LE(relative_distance(prediction.variance, (problem.X * filter.covariance()).cwiseProduct(problem.X).rowwise().sum()), 1e-12);
}

TEST(SequentialLogistic, AnOrderByContentDependsOnNoOtherOrder) {  // (SEQ.6)
  const Index n = 150, p = 4;
  Problem problem = make_problem(80, n, p);
  Random random(81);
  for (Index i = 0; i < n; ++i) {
    problem.X.row(i) = (2 * problem.X.row(i)).array().round();       // many equal rows
    if (i % 3 == 0) problem.X.row(i) = -problem.X.row((i * 7) % n);  // and zeros of both signs
  }
  Vector weights(n);
  for (Index i = 0; i < n; ++i) weights[i] = i % 5 == 0 ? 0 : random.uniform();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  SequentialLogistic filter(p);
  filter.update(problem.X, problem.labels, weights, RowOrder::by_content);
  EXPECT_EQ(filter.num_rows(), (weights.array() > 0).count());
  for (int trial = 0; trial < 5; ++trial) {
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<std::uint32_t>(trial)));
    const Matrix X = problem.X(order, Eigen::all);
    SequentialLogistic other(p);
    other.update(X, Vector(problem.labels(order)), Vector(weights(order)), RowOrder::by_content);
    EXPECT_EQ(other.mean(), filter.mean());
    EXPECT_EQ(other.covariance(), filter.covariance());
    EXPECT_EQ(other.bound(), filter.bound());
  }
}

TEST(SequentialLogistic, AnOrderByContentAbsorbsEqualRowsTogether) {  // (SEQ.5), (SEQ.6)
  const Problem problem = make_problem(82, 40, 3);
  const Matrix X = problem.X.replicate(3, 1);
  const Vector labels = problem.labels.replicate(3, 1);
  for (Index block : {1, 64}) {
    SequentialLogistic copies(3, {.block_rows = block}), weighted(3, {.block_rows = block});
    copies.update(X, labels, {}, RowOrder::by_content);
    weighted.update(problem.X, problem.labels, Vector(Vector::Constant(40, 3)), RowOrder::by_content);
    EXPECT_EQ(copies.mean(), weighted.mean());
    EXPECT_EQ(copies.covariance(), weighted.covariance());
    EXPECT_EQ(copies.num_rows(), 120);
    EXPECT_EQ(weighted.num_rows(), 40);
  }
}

TEST(SequentialLogistic, AnOrderByContentIsThatOfItsRows) {  // (SEQ.6)
  const Index n = 60, p = 2;
  const Problem problem = make_problem(83, n, p);
  // The formula by itself: keys in the order in which the rows are then absorbed one by one.
  std::vector<std::pair<std::uint64_t, Index>> keys;
  for (Index i = 0; i < n; ++i) {
    std::uint64_t h = 0;
    for (const double x : {problem.labels[i], problem.X(i, 0), problem.X(i, 1)}) {
      std::uint64_t u = 0;
      std::memcpy(&u, &x, sizeof u);
      h = (h ^ u) * 0x9E3779B97F4A7C15U;
      h ^= h >> 29U;
    }
    keys.emplace_back(h, i);
  }
  std::sort(keys.begin(), keys.end());
  RowByRow plain(p, p);
  for (const auto& [key, i] : keys) plain.absorb(problem.X.row(i), problem.labels[i]);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = problem.X;
  SequentialLogistic filter(p), from_rows(p);
  filter.update(problem.X, problem.labels, {}, RowOrder::by_content);
  from_rows.update(by_row, problem.labels, {}, RowOrder::by_content);
  expect_equal(filter, plain);
  EXPECT_EQ(from_rows.mean(), filter.mean());
  FitOptions options = options_for_preset("vb_logit_fit_iter");
  options.row_order = RowOrder::by_content;
  EXPECT_LE(relative_distance(fit_logistic(problem.X, problem.labels, options).mean, filter.mean()), 1e-14);
  FitOptions other = options_for_preset("vb_logit_fit");
  other.row_order = RowOrder::by_content;
  expect_invalid([&] { static_cast<void>(fit_logistic(problem.X, problem.labels, other)); }, {"row_order", "vb_logit_fit_iter"});
}

TEST(SequentialLogistic, StaysFiniteWithHugeAndTinyColumns) {
  Problem problem = make_problem(75, 80, 4);
  problem.X.col(0) *= 1e6;
  problem.X.col(1) *= 1e-6;
  problem.X.col(2).setZero();
  for (Index block : {1, 64}) {
    SequentialLogistic filter(4, {.block_rows = block});
    filter.update(problem.X, problem.labels);
    EXPECT_TRUE(filter.mean().allFinite());
    EXPECT_TRUE(filter.covariance().allFinite());
    EXPECT_TRUE(std::isfinite(filter.bound()));
    EXPECT_TRUE((filter.covariance().diagonal().array() > 0).all())
        << filter.covariance().diagonal().transpose() << ", blocks of " << block;
    EXPECT_EQ(filter.mean()[2], 0);
    EXPECT_NEAR(filter.covariance()(2, 2), 0.25, 1e-15);
  }
}

TEST(SequentialLogistic, AnErrorLeavesTheStateAsItWas) {
  const Problem problem = make_problem(76, 100, 3);
  SequentialLogistic filter(3);
  filter.update(problem.X, problem.labels);
  const Vector mean = filter.mean();
  const Matrix V = filter.covariance();
  const double bound = filter.bound();
  Matrix with_nan = problem.X;
  with_nan(90, 1) = std::nan("");
  Vector zero_one = problem.labels;
  zero_one[99] = 0;
  Vector short_labels = problem.labels.head(99), nan_label = problem.labels;
  nan_label[7] = std::nan("");
  expect_invalid([&] { filter.update(with_nan, problem.labels); }, {"X at row 91", "NaN"});
  expect_invalid([&] { filter.update(problem.X, zero_one); }, {"labels at row 100", "is 0", "-1 or +1"});
  expect_invalid([&] { filter.update(problem.X, short_labels); }, {"labels has 99", "100"});
  expect_invalid([&] { filter.update(problem.X, nan_label); }, {"labels at row 8", "NaN"});
  expect_invalid([&] { filter.update(problem.X.leftCols(2), problem.labels); }, {"X has 2 columns", "3"});
  expect_invalid([&] { filter.update(Matrix(0, 3), Vector()); }, {"X has 0 rows"});
  expect_invalid([&] { filter.update(problem.X, problem.labels, Vector(Vector::Ones(99))); }, {"weights has 99", "100"});
  expect_invalid([&] { filter.update(problem.X, problem.labels, Vector(Vector::Constant(100, -1))); }, {"weights at row 1 is -1"});
  expect_invalid([&] { filter.update(problem.X, problem.labels, nan_label); }, {"weights", "NaN"});
  EXPECT_EQ(filter.mean(), mean);
  EXPECT_EQ(filter.covariance(), V);
  EXPECT_EQ(filter.bound(), bound);
  EXPECT_EQ(filter.num_rows(), 100);
}

TEST(SequentialLogistic, RejectsImpossibleOptions) {
  expect_invalid([] { SequentialLogistic filter(0); }, {"num_columns is 0"});
  expect_invalid([] { SequentialLogistic filter(-3); }, {"num_columns is -3"});
  expect_invalid([] { SequentialLogistic filter(2, {.block_rows = 0}); }, {"block_rows is 0"});
  expect_invalid([] { SequentialLogistic filter(2, {.threads = -1}); }, {"threads is -1"});
  expect_invalid([] { SequentialLogistic filter(2, {.precision = 0.0}); }, {"precision is 0"});
  expect_invalid([] { SequentialLogistic filter(2, {.precision = std::nan("")}); }, {"precision is nan"});
}

TEST(SequentialLogistic, Moves) {
  const Problem problem = make_problem(77, 20, 2);
  SequentialLogistic filter(2);
  filter.update(problem.X, problem.labels);
  const Vector mean = filter.mean();
  SequentialLogistic moved = std::move(filter);
  EXPECT_EQ(moved.mean(), mean);
  moved.update(problem.X, problem.labels);
  EXPECT_EQ(moved.num_rows(), 40);
}

}  // namespace
}  // namespace ardvark
