// Regressions with few rows under shared, groups, ard and laplace: the noise and the precision are integrated.                    (LIN.9)
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/model_file.hpp"
#include "fit_cases.hpp"

namespace ardvark {
namespace {

using testing::mentions;
using testing::Random;
using testing::with_prior;

// What a normal distribution needs about m, at the distance d from its mean: 1 + c d^2 with c between .26 and 1.
TEST(FewRows, AnIntervalAboutAnotherMeanNeedsAboutHalfOfTheSquaredDistance) {
  const boost::math::normal normal;
  for (const auto& [distance, factor] : {std::pair{0.5, 0.955}, {1.0, 0.823}, {2.0, 0.615}, {3.0, 0.513}, {4.0, 0.456}}) {
    const double half = boost::math::quantile(normal, 0.975) * std::sqrt(1 + factor * distance * distance);
    EXPECT_NEAR(cdf(normal, half - distance) - cdf(normal, -half - distance), 0.95, 5e-4) << distance;
  }
}

struct FewRows {
  Matrix X;
  Vector y;
};

FewRows few_rows_of(std::uint64_t seed, Index n, Index p) {
  Random random(seed);
  FewRows out{random.normals(n, p), Vector()};
  out.y = random.normals(n) + 1.5 * out.X.col(0) + Vector::Constant(n, 0.7);
  return out;
}

std::vector<Prior> one_of_each(Index p, double lambda = 1) {
  std::vector<Index> halves(static_cast<std::size_t>(p));
  for (Index j = 0; j < p; ++j) halves[static_cast<std::size_t>(j)] = p > 1 ? j % 2 : 0;
  return {Prior::shared(), Prior::groups(halves), Prior::ard(), Prior::laplace(lambda)};
}

// Draws of intercept and weights, last column the variance of the noise, by Gibbs sampling of weights, noise and one precision.
Matrix gibbs(const FewRows& table, GammaDistribution precision, GammaDistribution noise, Index count) {
  const Index n = table.X.rows(), p = table.X.cols();
  std::mt19937_64 engine(7);
  Random random(8);
  const auto gamma = [&](double shape, double rate) { return std::gamma_distribution<double>(shape, 1 / rate)(engine); };
  Matrix X(n, p + 1), out(count, p + 2);
  X << Vector::Ones(n), table.X;
  double alpha = 1, tau = 1;
  for (Index i = 0; i < count; ++i) {
    Matrix A = X.transpose() * X;
    A.diagonal().tail(p).array() += alpha;
    const Eigen::LLT<Matrix> L(A);
    const Vector w = L.solve(X.transpose() * table.y) + Vector(L.matrixU().solve(random.normals(p + 1))) / std::sqrt(tau);
    const double square = w.tail(p).squaredNorm();
    tau = gamma(noise.shape + 0.5 * static_cast<double>(n + p), noise.rate + 0.5 * ((table.y - X * w).squaredNorm() + alpha * square));
    alpha = gamma(precision.shape + 0.5 * static_cast<double>(p), precision.rate + 0.5 * tau * square);
    out.row(i) << w.transpose(), 1 / tau;
  }
  return out;
}

FitOptions proper(const Prior& prior) {
  FitOptions options = with_prior(prior);
  options.standardize = false;
  options.noise = {2.5, 1};
  options.precision = {2, 1};
  return options;
}

TEST(FewRows, TheCovarianceIsThatOfTheExactPosteriorAndHalfOfTheSquaredDistance) {
  for (const auto& [n, p] : {std::pair<Index, Index>{4, 2}, {9, 3}, {6, 1}}) {
    const FewRows table = few_rows_of(static_cast<std::uint64_t>(40 + n), n, p);
    const Matrix draws = gibbs(table, {2, 1}, {2.5, 1}, 150000);
    for (const Prior& prior : one_of_each(p)) {
      SCOPED_TRACE(std::to_string(n) + " rows, " + to_string(prior.kind));
      const LinearFit fit = fit_linear(table.X, table.y, proper(prior));
      Vector mean(p + 1);
      mean << fit.intercept->mean, fit.mean;
      const Vector exact = draws.leftCols(p + 1).colwise().mean().transpose();
      const Matrix off = draws.leftCols(p + 1).rowwise() - exact.transpose();
      const Matrix moment = off.transpose() * off / static_cast<double>(off.rows()) + 0.5 * (exact - mean) * (exact - mean).transpose();
      const Matrix V = fit.covariance();  // the intercept is last
      for (Index i = 0; i <= p; ++i)
        for (Index j = 0; j <= p; ++j) {
          const Index r = i == 0 ? p : i - 1, s = j == 0 ? p : j - 1;
          EXPECT_NEAR(V(r, s), moment(i, j), 0.03 * std::sqrt(moment(i, i) * moment(j, j))) << i << " " << j;
        }
      EXPECT_NEAR(fit.noise.rate / (fit.noise.shape - 1), draws.col(p + 1).mean(), 0.02 * draws.col(p + 1).mean());
      EXPECT_NEAR(fit.intercept->variance, V(p, p), 1e-9 * V(p, p));
    }
  }
}

TEST(FewRows, AKnownPrecisionAndNoiseOfItsConjugatePosteriorAreExact) {
  for (const auto& [n, p] : {std::pair<Index, Index>{9, 3}, {6, 10}}) {
    const FewRows table = few_rows_of(49, n, p);
    for (const double alpha : {1e-3, 1.0, 1e4}) {
      FitOptions options = proper(Prior::shared());
      options.precision = {1e9, 1e9 / alpha};
      Matrix X(n, p + 1);
      X << Vector::Ones(n), table.X;
      Matrix A = X.transpose() * X;
      A.diagonal().tail(p).array() += alpha;
      const Eigen::LLT<Matrix> L(A);
      const Vector w = L.solve(X.transpose() * table.y);
      const double shape = 2.5 + 0.5 * static_cast<double>(n - 1), rate = 1 + 0.5 * table.y.dot(table.y - X * w);
      const Matrix V = L.solve(Matrix::Identity(p + 1, p + 1)) * rate / (shape - 1);
      const LinearFit fit = fit_linear(table.X, table.y, options);
      EXPECT_NEAR(fit.noise.rate, rate, 1e-6 * rate) << alpha;
      EXPECT_LT((fit.covariance().topLeftCorner(p, p) - V.bottomRightCorner(p, p)).cwiseAbs().maxCoeff(), 1e-5 * V.maxCoeff()) << alpha;
    }
  }
}

// Of the first column the rows say nothing, because rounding hides it. The other one has the spread that it has alone.
TEST(FewRows, AColumnInFarUnitsKeepsTheSpreadOfTheOthers) {
  const Index n = 6;
  const FewRows table = few_rows_of(52, n, 2);
  for (const double unit : {1.0, 1e7, 1e14}) {
    Matrix X = table.X;
    X.col(0) *= 1e-33, X.col(1) *= unit;
    FitOptions options = with_prior(Prior::shared());
    options.standardize = options.intercept = false;
    const LinearFit both = fit_linear(X, table.y, options), alone = fit_linear(Matrix(X.col(1)), table.y, options);
    EXPECT_NEAR(both.V_diagonal[1] / alone.V_diagonal[0], 1, 1e-9) << unit;
    EXPECT_NEAR(both.log_det_V, std::log(both.V_diagonal[0]) + std::log(alone.V_diagonal[0]), 1e-6) << unit;
    const Matrix x = X.row(0);
    EXPECT_NEAR(predict(both, x, PredictionOf::mean).scale[0] / predict(alone, Matrix(x.rightCols(1)), PredictionOf::mean).scale[0], 1,
                1e-6)
        << unit;
  }
}

TEST(FewRows, DirectionsWithoutRowsHaveTheIntervalOfTheExactPosterior) {
  const Index n = 4, p = 6;
  const FewRows table = few_rows_of(51, n, p);
  const Matrix draws = gibbs(table, {2, 1}, {2.5, 1}, 150000);
  const LinearFit fit = fit_linear(table.X, table.y, proper(Prior::shared()));
  const Matrix centred = table.X.rowwise() - table.X.colwise().mean();
  const Matrix all = Eigen::HouseholderQR<Matrix>(centred.transpose()).householderQ();
  for (const double along : {1.0, 3.0}) {
    const Vector x = table.X.colwise().mean().transpose() + along * all.col(p - 1);
    const StudentPrediction at = predict(fit, Matrix(x.transpose()), PredictionOf::mean);
    const double half = at.scale[0] * boost::math::quantile(boost::math::students_t(at.degrees_of_freedom), 0.975);
    Index inside = 0;
    for (Index i = 0; i < draws.rows(); ++i)
      inside += std::abs(draws(i, 0) + x.dot(draws.row(i).segment(1, p).transpose()) - at.mean[0]) <= half ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(inside) / static_cast<double>(draws.rows()), 0.95, 0.01) << along;
  }
}

struct Line {
  Matrix X;
  Vector y;
  double noise_sd = 0, slope_sd = 0;  // of least squares
};

Line line_of(Index n, double noise) {
  Random random(77);
  Line out{random.normals(n, 1), Vector()};
  out.y = 2 * out.X.col(0) + noise * random.normals(n) + Vector::Constant(n, 5);
  const Vector x = out.X.col(0).array() - out.X.mean(), y = out.y.array() - out.y.mean();
  out.noise_sd = (y - x * (x.dot(y) / x.squaredNorm())).norm() / std::sqrt(static_cast<double>(n - 2));
  out.slope_sd = out.noise_sd / x.norm();
  return out;
}

// A ten-thousandth of the target's spread: neither the default prior of the noise nor its lower limit is seen.        (LIN.8), (SP.5)
TEST(FewRows, LittleNoiseIsThatOfLeastSquares) {
  for (const Index n : {10, 60}) {
    std::vector<Prior> priors = one_of_each(1, 1e-6);
    priors.push_back(Prior::none());
    if (n == 60) priors.insert(priors.end(), {Prior::sparse(), Prior::slab(), Prior::dense()});
    for (const double unit : {1.0, 1e-6})
      for (const bool standardize : {true, false})
        for (const Prior& prior : priors) {
          SCOPED_TRACE(std::to_string(n) + " rows, " + to_string(prior.kind) + (standardize ? "" : ", as they are"));
          const Line line = line_of(n, 2e-4);
          FitOptions options{.prior = prior};
          options.standardize = standardize;
          if (prior.kind == PriorKind::laplace) options.prior.lambda *= unit;
          const LinearFit fit = fit_linear(line.X, Vector(unit * line.y), options);
          const double allowed = prior.kind == PriorKind::none ? 1e-6 : 0.05;
          EXPECT_NEAR(noise_sd(fit) / unit / line.noise_sd, 1, allowed);
          const double scale = std::sqrt(fit.V_diagonal[0] * (fit.is_joint() ? fit.noise.rate / fit.noise.shape : 1));
          EXPECT_NEAR(scale / unit / line.slope_sd, 1, allowed);
        }
  }
}

// An exact fit has no noise: everything stays finite, and the status says that the equations hold.
TEST(FewRows, AnExactLineStaysFinite) {
  for (const Prior& prior : {Prior::none(), Prior::shared(), Prior::ard(), Prior::groups({0}), Prior::laplace(1e-6)}) {
    SCOPED_TRACE(to_string(prior.kind));
    const Line line = line_of(8, 0);
    const LinearFit fit = fit_linear(line.X, line.y, {.prior = prior});
    EXPECT_EQ(fit.report.status, Status::converged);
    EXPECT_NEAR(fit.mean[0], 2, 1e-4);
    EXPECT_GT(noise_sd(fit), 0);
    EXPECT_LT(noise_sd(fit), 1e-3);
    EXPECT_TRUE(std::isfinite(fit.bound) && fit.variance.allFinite());
  }
}

TEST(FewRows, UnitsAndOrdersChangeNothing) {
  for (const auto& [n, p] : {std::pair<Index, Index>{8, 3}, {6, 10}, {40, 5}, {36, 50}}) {
    const FewRows table = few_rows_of(60, n, p);
    Random random(61);
    const std::vector<Index> rows = random.permutation(n), columns = random.permutation(p);
    Vector unit(p);
    for (double& u : unit) u = random.scale(1e-3, 1e3);
    const Matrix X = (table.X * unit.asDiagonal())(rows, columns);
    const Vector y = (1e-4 * table.y.array() + 3)(rows);
    const auto priors = one_of_each(p, 2), others = one_of_each(p, 2e-4);
    for (std::size_t k = 0; k < priors.size(); ++k) {
      if (priors[k].kind == PriorKind::groups) continue;  // groups follow the columns
      SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(p) + " " + to_string(priors[k].kind));
      FitOptions a = with_prior(priors[k]), b = with_prior(others[k]);
      a.tolerance = b.tolerance = 1e-10;
      const LinearFit one = fit_linear(table.X, table.y, a), other = fit_linear(X, y, b);
      for (Index j = 0; j < p; ++j) {
        const Index from = columns[static_cast<std::size_t>(j)];
        const double factor = 1e-4 / unit[from];
        EXPECT_NEAR(other.V_diagonal[j] * unit[from] * unit[from], one.V_diagonal[from], 1e-4 * one.V_diagonal[from]);
        EXPECT_NEAR(other.mean[j], factor * one.mean[from], 1e-4 * factor * std::sqrt(one.V_diagonal[from] * one.noise.rate));
      }
      EXPECT_NEAR(other.noise.rate * 1e8, one.noise.rate, 1e-4 * one.noise.rate);
    }
  }
}

TEST(FewRows, TheEffectEndsWithoutAJumpAtSixtyRows) {
  for (const Index p : {Index{4}, Index{70}}) {
    const FewRows table = few_rows_of(70, 60, p);
    for (const Prior& prior : one_of_each(p, 5)) {
      SCOPED_TRACE(std::to_string(p) + " " + to_string(prior.kind));
      FitOptions on = with_prior(prior), off = with_prior(prior);
      off.integrate_few_rows = false;
      const LinearFit at_end = fit_linear(table.X, table.y, on), without = fit_linear(table.X, table.y, off);
      EXPECT_EQ(at_end.variance, without.variance);
      EXPECT_EQ(at_end.noise.rate, without.noise.rate);
      const Vector almost = Vector::Constant(60, (60 - 1e-9) / 60);
      on.weights = off.weights = almost;
      const LinearFit before = fit_linear(table.X, table.y, on), before_without = fit_linear(table.X, table.y, off);
      const Matrix V = before.covariance(), V_without = before_without.covariance();
      if (prior.kind == PriorKind::laplace) continue;  // its own noise has other degrees of freedom
      EXPECT_LT((V - V_without).cwiseAbs().maxCoeff(), 1e-6 * V_without.cwiseAbs().maxCoeff());
      EXPECT_NEAR(before.log_det_V, before_without.log_det_V, 1e-5 * (1 + std::abs(before.log_det_V)));
    }
  }
}

TEST(FewRows, AModelFileKeepsThePredictions) {
  for (const auto& [n, p] : {std::pair<Index, Index>{8, 3}, {6, 10}, {40, 60}}) {
    const FewRows table = few_rows_of(80, n, p);
    for (const Prior& prior : one_of_each(p)) {
      const LinearFit fit = fit_linear(table.X, table.y, with_prior(prior));
      const std::string path = ::testing::TempDir() + "few_rows.ardvark";
      save_model(path, fit);
      const SavedModel saved = load_model(path);
      for (const PredictionOf what : {PredictionOf::mean, PredictionOf::new_observation})
        EXPECT_EQ(predict(LinearFit{*saved.score()}, table.X, what).scale, predict(fit, table.X, what).scale) << to_string(prior.kind);
    }
  }
}

TEST(FewRows, IntervalsHoldTheirShareOverTheShapesOfTables) {
  std::vector<double> hits(4, 0);
  constexpr int tables = 200, news = 10, shapes = 4;
  for (const auto& [n, p] : {std::pair<Index, Index>{5, 3}, {5, 20}, {8, 16}, {15, 5}}) {
    for (int seed = 0; seed < tables; ++seed) {
      Random random(static_cast<std::uint64_t>(1000 + seed));
      const Matrix X = random.normals(n + news, p);
      Vector w = Vector::Zero(p);
      if (seed % 3 == 1) w[0] = 2;
      if (seed % 3 == 2) w = random.normals(p) * 2 / std::sqrt(static_cast<double>(p));
      const Vector y = X * w + random.normals(n + news);
      const auto priors = one_of_each(p, 3);
      for (std::size_t k = 0; k < priors.size(); ++k) {
        const LinearFit fit = fit_linear(X.topRows(n).eval(), y.head(n).eval(), with_prior(priors[k]));
        const StudentPrediction at = predict(fit, X.bottomRows(news).eval());
        const double end = boost::math::quantile(boost::math::students_t(at.degrees_of_freedom), 0.975);
        for (Index i = 0; i < news; ++i) hits[k] += std::abs(y[n + i] - at.mean[i]) <= end * at.scale[i] ? 1 : 0;
      }
    }
  }
  for (const double hit : hits) {
    EXPECT_GT(hit / (tables * news * shapes), 0.925);  // these shapes: .934 to .939
    EXPECT_LT(hit / (tables * news * shapes), 0.97);
  }
}

// One row knows nothing of the noise, and a column that is left out has no uncertainty.
TEST(FewRows, OfOneRowAColumnThatIsLeftOutHasAnIntervalOfNoLength) {
  for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense, PriorKind::shared}) {
    FitOptions options;
    options.prior.kind = kind;
    const LinearFit fit = fit_linear(Matrix(Matrix::Constant(1, 2, 3.0)), Vector(Vector::Constant(1, -4.0)), options);
    const Interval interval = credible_interval(fit, 1);
    EXPECT_EQ(interval.lower, 0) << to_string(kind);
    EXPECT_EQ(interval.upper, 0) << to_string(kind);
  }
}

TEST(FewRows, PublishedProgramsSayThatTheyAreTooSure) {
  const FewRows table = few_rows_of(90, 12, 3);
  EXPECT_TRUE(mentions(fit_linear(table.X, table.y, options_for_preset("vb_linear_fit")).report.notes, "rows are few"));
}

}  // namespace
}  // namespace ardvark
