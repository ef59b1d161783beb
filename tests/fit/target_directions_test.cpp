// Least squares of many targets, and the directions of their effects.                             docs/math/targets.md (TGT.10), (TGT.12)
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/targets.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;

TargetsOptions least_squares() {
  TargetsOptions out;
  out.fit.prior = Prior::none();
  out.standard_deviations = true;
  return out;
}

class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {}
  double operator()() { return normal_(random_); }
  Matrix matrix(Index rows, Index cols) {
    return Matrix::NullaryExpr(rows, cols, [&] { return normal_(random_); });
  }
  bool with_probability(double p) { return std::bernoulli_distribution(p)(random_); }
  double chi_square(double degrees) { return std::chi_squared_distribution<double>(degrees)(random_); }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

void expect_close(const Vector& found, const Vector& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance * expected.cwiseAbs().maxCoeff());
}

TEST(LeastSquaresOfTargets, AreTheFitsOneByOne) {  // (TGT.10)
  unsigned seed = 0;
  for (const auto& [n, p] : {std::pair<Index, Index>{100, 5}, {40, 1}, {30, 20}, {30, 26}})
    for (const bool intercept : {true, false})
      for (const bool standardize : {true, false}) {
        SCOPED_TRACE(::testing::Message() << n << " x " << p << ", intercept " << intercept << ", standardize " << standardize);
        Draws draws(++seed);
        Matrix X = draws.matrix(n, p) * (2 * draws.matrix(1, p).array()).exp().matrix().row(0).asDiagonal();
        X.array() += 3;
        Matrix Y = X * draws.matrix(p, 4) + draws.matrix(n, 4);
        Y.col(1) *= 1e12, Y.col(2) *= 1e-12;
        const Vector k = Vector::LinSpaced(n, 0.25, 3);
        TargetsOptions options = least_squares();
        options.fit.intercept = intercept;
        options.fit.standardize = standardize;
        options.fit.weights = k;
        options.fit.solver = SolverKind::qr;  // the usual solver of a single fit keeps fewer digits
        const TargetsFit all = fit_targets(X, Y, options);
        EXPECT_EQ(all.num_alone, 0);
        const TargetsPrediction predicted = predict(all, X.topRows(3));
        for (Index t = 0; t < 4; ++t) {
          SCOPED_TRACE(t);
          const LinearFit one = fit_linear(X, Vector(Y.col(t)), options.fit);
          EXPECT_EQ(all.status[static_cast<std::size_t>(t)], TargetStatus::converged);
          expect_close(all.mean.col(t), one.mean, 1e-10);
          expect_close(all.sd.col(t), one.variance.cwiseSqrt(), 1e-10);
          EXPECT_NEAR(all.noise_sd[t] / noise_sd(one), 1, 1e-10);
          EXPECT_NEAR(all.degrees_of_freedom[t], one.degrees_of_freedom(), 1e-9);
          EXPECT_NEAR(all.bound[t], one.bound, 1e-9 * (std::abs(one.bound) + static_cast<double>(n)));
          EXPECT_NEAR(all.r_squared[t], one.r_squared, 1e-10);
          EXPECT_NEAR(all.effective_parameters[t], one.effective_parameters, 1e-9);
          EXPECT_TRUE(std::isnan(all.precision[t]));
          const StudentPrediction expected = predict(one, X.topRows(3));
          expect_close(predicted.mean.col(t), expected.mean, 1e-10);
          expect_close(predicted.sd.col(t), expected.standard_deviation(), 1e-10);
        }
      }
}

TEST(LeastSquaresOfTargets, LeaveOneOut) {  // (TGT.7)
  Draws draws(3);
  const Matrix X = draws.matrix(15, 3), Y = X * draws.matrix(3, 2) + draws.matrix(15, 2);
  TargetsOptions options = least_squares();
  options.leave_one_out = true;
  const TargetsFit all = fit_targets(X, Y, options);
  for (Index t = 0; t < 2; ++t) {
    double of_fit = 0, of_mean = 0;
    for (Index i = 0; i < 15; ++i) {
      std::vector<Index> others;
      for (Index row = 0; row < 15; ++row)
        if (row != i) others.push_back(row);
      const Vector y = Y.col(t)(others);
      const double predicted = predict(fit_linear(Matrix(X(others, Eigen::all)), y, options.fit), X.row(i)).mean[0];
      of_fit += std::pow(Y(i, t) - predicted, 2), of_mean += std::pow(Y(i, t) - y.mean(), 2);
    }
    EXPECT_NEAR(all.r_squared_loo[t], 1 - of_fit / of_mean, 1e-10);
  }
}

TEST(LeastSquaresOfTargets, WithoutDigitsOrRowsAreFittedOneByOne) {
  Draws draws(4);
  Matrix X = draws.matrix(40, 4);
  const Matrix Y = draws.matrix(40, 3);
  EXPECT_EQ(fit_targets(X.topRows(5), Y.topRows(5), least_squares()).num_alone, 3);
  EXPECT_EQ(fit_targets(X.topRows(6), Y.topRows(6), least_squares()).num_alone, 0);
  X.col(3) = X.col(2) + 1e-8 * draws.matrix(40, 1);
  EXPECT_EQ(fit_targets(X, Y, least_squares()).num_alone, 3);
  X.col(3) = X.col(2);  // left out
  const TargetsFit fit = fit_targets(X, Y, least_squares());
  EXPECT_EQ(fit.num_alone, 0);
  EXPECT_TRUE(fit.left_out[3]);
  EXPECT_EQ(fit.mean.row(3).cwiseAbs().maxCoeff(), 0);
}

struct Known {
  Matrix X, Y, effects;  // [columns, targets]
};

// A share of the effects is not zero; noise variances are inverse chi-square, or one.
Known known(unsigned seed, Index n, Index p, Index K, double share, double size, double degrees) {
  Draws draws(seed);
  Known out{draws.matrix(n, p), Matrix(n, K), Matrix::Zero(p, K)};
  for (Index k = 0; k < K; ++k) {
    const double noise = std::isinf(degrees) ? 1 : std::sqrt(degrees / draws.chi_square(degrees));
    for (Index j = 0; j < p; ++j)
      if (draws.with_probability(share)) out.effects(j, k) = size * noise * draws();
    out.Y.col(k) = out.X * out.effects.col(k) + noise * draws.matrix(n, 1);
  }
  return out;
}

TEST(TargetDirections, AreThoseOfStudentsT) {  // (TGT.12)
  const Known data = known(1, 20, 3, 50, 0.3, 1, 4);
  const TargetDirections found = target_directions(fit_targets(data.X, data.Y, least_squares()), false);
  EXPECT_EQ(found.pooled_degrees, 0);
  Matrix X(20, 4);
  X << Vector::Ones(20), data.X;
  const Matrix inverse = (X.transpose() * X).inverse();
  const boost::math::students_t distribution(16);
  Matrix p_values(3, 50);
  for (Index k = 0; k < 50; ++k) {
    const Vector w = inverse * (X.transpose() * data.Y.col(k));
    const double noise = std::sqrt((data.Y.col(k) - X * w).squaredNorm() / 16);
    EXPECT_NEAR(found.noise_sd[k] / noise, 1, 1e-10);
    EXPECT_NEAR(found.degrees_of_freedom[k], 16, 1e-10);
    for (Index j = 0; j < 3; ++j) {
      const double sd = noise * std::sqrt(inverse(j + 1, j + 1));
      EXPECT_NEAR(found.sd(j, k) / sd, 1, 1e-10);
      p_values(j, k) = 2 * cdf(complement(distribution, std::abs(w[j + 1]) / sd));
      EXPECT_NEAR(found.p_value(j, k), p_values(j, k), 1e-9 * p_values(j, k));
    }
  }
  for (Index j = 0; j < 3; ++j) {
    const auto p = p_values.row(j).array();
    const auto above = static_cast<double>((p > 0.5).count());
    const double without = std::min(1.0, 2 * (1 + above + std::sqrt(above)) / 50);
    EXPECT_NEAR(found.no_effect[j], without, 1e-12);
    for (Index k = 0; k < 50; ++k) {
      double least = 1;  // over all rules "p at most the p of a target" that state this direction
      for (Index other = 0; other < 50; ++other)
        if (p[other] >= p[k]) least = std::min(least, without * 50 * p[other] / static_cast<double>((p <= p[other]).count()));
      EXPECT_NEAR(found.q_value(j, k), least, 1e-9 * least);
    }
  }
}

TEST(TargetDirections, PoolTheNoiseByItsMoments) {
  Draws draws(2);
  const Known data = known(2, 9, 2, 4000, 0, 0, 5);
  Matrix Y = data.Y;
  for (Index k = 0; k < 1000; ++k) Y(k % 9, k) = std::numeric_limits<double>::quiet_NaN();  // other degrees of freedom
  TargetsOptions options = least_squares();
  options.drop_missing = true;
  const TargetsFit fit = fit_targets(data.X, Y, options);
  const TargetDirections found = target_directions(fit);
  EXPECT_NEAR(found.pooled_degrees, 5, 1);
  EXPECT_NEAR(found.usual_noise_sd, 1, 0.1);
  // The distribution that was found has the mean and the variance of the logarithms.
  const double half = found.pooled_degrees / 2, mean = 2 * std::log(found.usual_noise_sd) - boost::math::digamma(half) + std::log(half);
  Vector beside(4000);
  double variance = 0;
  for (Index k = 0; k < 4000; ++k) {
    const double own = fit.degrees_of_freedom[k] / 2;
    EXPECT_NEAR(own, k < 1000 ? 2.5 : 3, 1e-9);
    beside[k] = 2 * std::log(fit.noise_sd[k]) - boost::math::digamma(own) + std::log(own) - mean;
    variance += (boost::math::trigamma(own) + boost::math::trigamma(half)) / 4000;
    const double pooled = (found.pooled_degrees * std::pow(found.usual_noise_sd, 2) + 2 * own * std::pow(fit.noise_sd[k], 2)) /
                          (found.pooled_degrees + 2 * own);
    EXPECT_NEAR(found.noise_sd[k], std::sqrt(pooled), 1e-9 * found.noise_sd[k]);
    EXPECT_NEAR(found.degrees_of_freedom[k], found.pooled_degrees + 2 * own, 1e-9);
  }
  EXPECT_NEAR(beside.mean(), 0, 1e-9);
  EXPECT_NEAR(beside.squaredNorm() / 3999, variance, 1e-9 * variance);
  // Without effects, p-values are uniform.
  for (Index j = 0; j < 2; ++j)
    for (const double level : {0.01, 0.1, 0.5}) {
      const double share = static_cast<double>((found.p_value.row(j).array() <= level).count()) / 4000;
      EXPECT_NEAR(share, level, 4 * std::sqrt(level * (1 - level) / 4000));
    }
}

TEST(TargetDirections, OfEqualNoisesHaveTheDegreesOfFreedomOfAll) {
  const Known data = known(3, 12, 1, 200, 0, 0, std::numeric_limits<double>::infinity());
  const TargetsFit fit = fit_targets(data.X, data.Y.leftCols(200), least_squares());
  const TargetDirections found = target_directions(fit);
  if (std::isinf(found.pooled_degrees)) {  // about every second table
    EXPECT_NEAR(found.degrees_of_freedom[0], 2000, 1e-6);
    EXPECT_EQ(found.noise_sd.minCoeff(), found.noise_sd.maxCoeff());
  }
  EXPECT_GT(found.pooled_degrees, 50);
  EXPECT_EQ(target_directions(fit_targets(data.X, data.Y.leftCols(2), least_squares())).pooled_degrees, 0);
}

TEST(TargetDirections, AreWrongAtTheStatedRateAndNoFewerThanByBenjaminiAndHochberg) {
  double stated = 0, wrong = 0, by_rule = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Known data = known(10 + seed, 10, 3, 3000, 0.2, 1.2, 4);
    const TargetsFit fit = fit_targets(data.X, data.Y, least_squares());
    const TargetDirections found = target_directions(fit);
    for (Index j = 0; j < 3; ++j) {
      std::vector<double> p;
      for (Index k = 0; k < 3000; ++k) {
        p.push_back(found.p_value(j, k));
        if (found.q_value(j, k) > 0.1) continue;
        stated += 1;
        wrong += fit.mean(j, k) * data.effects(j, k) > 0 ? 0 : 1;
      }
      std::ranges::sort(p);
      for (std::size_t rank = p.size(); rank > 0; --rank)
        if (p[rank - 1] <= 0.1 * static_cast<double>(rank) / 3000) {
          by_rule += static_cast<double>(rank);
          break;
        }
    }
  }
  EXPECT_GT(stated, 1000);
  EXPECT_GE(stated, by_rule);
  EXPECT_LE(wrong / stated, 0.1 + 3 * std::sqrt(0.09 / stated));
  EXPECT_GE(wrong / stated, 0.05);
}

TEST(TargetDirections, LeaveOutWhatSaysNothing) {
  Known data = known(5, 30, 3, 40, 0.5, 2, 5);
  data.X.col(1).setConstant(2);
  data.Y.col(0).setConstant(7);
  data.Y(3, 1) = std::numeric_limits<double>::infinity();
  data.Y.col(2) = data.X.col(0);
  const TargetDirections found = target_directions(fit_targets(data.X, data.Y, least_squares()));
  EXPECT_TRUE(found.q_value.leftCols(2).array().isNaN().all());
  EXPECT_TRUE(found.q_value.row(1).array().isNaN().all());
  EXPECT_TRUE(std::isnan(found.no_effect[1]));
  EXPECT_LT(found.q_value(0, 2), 1e-6);  // a target that is a column has its sign, and does not spoil the noise of the others
  EXPECT_GT(found.pooled_degrees, 1);
  EXPECT_TRUE(found.q_value.rightCols(37).row(0).allFinite());
}

TEST(TargetDirections, ReadCoefficientsThatWereWrittenElsewhere) {
  const Known data = known(6, 30, 2, 10, 0.5, 1, 5);
  const TargetDirections expected = target_directions(fit_targets(data.X, data.Y, least_squares()));
  TargetsOptions options = least_squares();
  Matrix mean(2, 10), sd(2, 10);
  options.mean = mean.data(), options.sd = sd.data();
  const TargetsFit fit = fit_targets(data.X, data.Y, options);
  EXPECT_EQ(target_directions(fit, true, mean).q_value, expected.q_value);
  expect_invalid([&] { static_cast<void>(target_directions(fit)); }, {"coefficients is 0 x 0; the fit has 2 columns and 10 targets"});
  options.predictions = false;
  const TargetsFit kept_nothing = fit_targets(data.X, data.Y, options);
  expect_invalid([&] { static_cast<void>(target_directions(kept_nothing, true, mean)); }, {"fit again with predictions = true"});
  options = least_squares();
  options.fit.prior = Prior::shared();
  const TargetsFit shrunk = fit_targets(data.X, data.Y, options);
  expect_invalid([&] { static_cast<void>(target_directions(shrunk)); }, {"prior is 'shared'; directions are of fits without a prior"});
}

}  // namespace
}  // namespace ardvark
