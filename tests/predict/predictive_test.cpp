#include "predict/predictive.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark::internal {
namespace {

using testing::make_problem;
using testing::normal_expectation;
using testing::Problem;
using testing::Random;
using testing::relative_distance;

double plain_sigmoid(double x) { return static_cast<double>(testing::plain_sigmoid(x)); }

// ---- PRED.1

// [D] (65) in matrices at one xi: V~^-1 = V^-1 + 2 lambda x x', w~ = V~ (V^-1 w + x/2).
double matrix_bound(const Matrix& precision, const Vector& w, const Vector& x, double xi) {
  const double lambda = static_cast<double>(testing::plain_lambda(xi));
  const Matrix P = precision + 2 * lambda * x * x.transpose();
  const Vector h = precision * w + 0.5 * x, w_new = P.ldlt().solve(h);
  return 0.5 * std::log(precision.determinant() / P.determinant()) + 0.5 * (w_new.dot(P * w_new) - w.dot(precision * w)) -
         static_cast<double>(testing::plain_softplus(-xi)) - xi / 2 + lambda * xi * xi;
}

// What is large is so in the units of the fit.
TEST(Predict, RefusesRowsBeyondSquaresInTheUnitsOfTheFit) {
  Random random(11);
  Matrix X = random.normals(20, 2);
  const Vector y = X.col(0) + 0.1 * random.normals(20);
  X.col(1) *= 1e-140;
  const LinearFit fit = fit_linear(X, y, {.column_names = {"a", "b"}});
  const Matrix near = Matrix::Constant(1, 2, 1e-3);
  EXPECT_TRUE(predict(fit, near).scale.allFinite());
  const Matrix far = Matrix::Constant(1, 2, 1e20);
  testing::expect_invalid([&] { static_cast<void>(predict(fit, far)); }, {"row 1", "'b'", "1e+20", "1e150"});
}

TEST(PublishedProbability, IsTheMatrixBoundMaximisedOverXi) {  // (PRED.1)
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const Index p = 1 + static_cast<Index>(seed % 4);
    const Matrix B = random.normals(p, p + 2);
    const Matrix precision = B * B.transpose() * random.scale(0.05, 5);
    const Vector w = random.normals(p), x = 2 * random.normals(p);
    const double m = x.dot(w), s = x.dot(precision.inverse() * x);
    const double quadratic = w.dot(precision * w);
    const auto minimum =
        boost::math::tools::brent_find_minima([&](double xi) { return -matrix_bound(precision, w, x, xi); }, 0.0, 200.0, 50);
    EXPECT_NEAR(published_probability(m, s, quadratic, false), std::exp(-minimum.second), 1e-9) << "m = " << m << ", s = " << s;
  }
}

TEST(PublishedProbability, StaysBelowTheTruthAndLosesMassToNeitherClass) {  // (PRED.1): p(+1) + p(-1) < 1
  for (double m = -8; m <= 8; m += 0.5)
    for (double s : {0.01, 0.3, 1.0, 5.0, 40.0}) {
      const double plus = published_probability(m, s, 0, false), minus = published_probability(-m, s, 0, false);
      EXPECT_LT(plus + minus, 1) << m << " " << s;
      EXPECT_LE(plus, normal_expectation(m, s, plain_sigmoid) + 1e-12) << m << " " << s;
    }
  // What errata.md and predictive.md print for m = 0.
  EXPECT_NEAR(published_probability(0, 1, 0, false), 0.4965, 5e-5);
  EXPECT_NEAR(published_probability(0, 10, 0, false), 0.437, 5e-4);
  EXPECT_NEAR(published_probability(0, 100, 0, false), 0.283, 5e-4);
  EXPECT_NEAR(published_probability(1.3, 0, 0, false), plain_sigmoid(1.3), 1e-12);
}

// The published inner loop written out: the watched sum, its start value, its rule.
Vector published_batch(const Vector& m, const Vector& s, double quadratic) {
  const Index n = m.size();
  Vector xi = Vector::Zero(n), out(n);
  double last = 0;
  for (int step = -1; step < 500; ++step) {
    double L = 0;
    for (Index i = 0; i < n; ++i) {
      double lambda = static_cast<double>(testing::plain_lambda(xi[i])), d = 1 + 2 * lambda * s[i];
      if (step >= 0) {
        const double u = (m[i] + s[i] / 2) / d;
        xi[i] = std::sqrt(s[i] / d + u * u);
        lambda = static_cast<double>(testing::plain_lambda(xi[i]));
        d = 1 + 2 * lambda * s[i];
      }
      const double log_sigma = -static_cast<double>(testing::plain_softplus(-xi[i])),
                   middle = (m[i] + s[i] / 4 - 2 * lambda * m[i] * m[i]) / d;
      L += 0.5 * (-std::log(d) + quadratic + middle - xi[i]) + log_sigma + lambda * xi[i] * xi[i];
      out[i] = std::exp(0.5 * (-std::log(d) + middle - xi[i]) + log_sigma + lambda * xi[i] * xi[i]);
    }
    if (step >= 0 && std::abs(last - L) < 1e-5 * std::abs(L)) break;
    last = L;
  }
  return out;
}

TEST(PublishedProbabilities, StopTogetherAsThePublishedProgram) {  // (PRED.1), vb_logit_pred and vb_logit_pred_incr
  Random random(51);
  const Vector m = 2 * random.normals(20), s = random.normals(20).array().exp();
  for (double quadratic : {0.0, 3.0, 500.0}) {
    Vector out;
    published_probabilities(m, s, quadratic, out);
    EXPECT_LE(relative_distance(out, published_batch(m, s, quadratic)), 1e-13);
    for (Index i = 0; i < m.size(); ++i)
      EXPECT_NEAR(published_probability(m[i], s[i], quadratic, true), published_batch(m.segment(i, 1), s.segment(i, 1), quadratic)[0],
                  1e-13);
  }
}

// ---- rules of predict

TEST(PredictLogistic, PublishedRowIgnoresTheOtherRows) {
  const Problem problem = make_problem(52, 60, 4), other = make_problem(53, 30, 4);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, options_for_preset("vb_logit_fit"));
  Matrix both(31, 4);
  both << problem.X.row(7), 5 * other.X;
  for (PredictiveRule rule :
       {PredictiveRule::published_row, PredictiveRule::published_incremental, PredictiveRule::exact, PredictiveRule::plug_in_corrected}) {
    const double alone = predict(fit, Matrix(problem.X.row(7)), rule).probability[0];
    EXPECT_NEAR(predict(fit, both, rule).probability[0], alone, 1e-14);
  }
  EXPECT_EQ(predict(fit, both).probability, predict(fit, both, PredictiveRule::published_row).probability) << "automatic of a preset";
}

TEST(PredictLogistic, FollowsEachRuleFromMeanAndVariance) {  // (PRED.1), (PRED.2)
  const Problem problem = make_problem(54, 80, 3);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels, {.prior = Prior::shared()});
  const Matrix X_new = make_problem(55, 25, 3).X;
  const ClassPrediction exact = predict(fit, X_new), mackay = predict(fit, X_new, PredictiveRule::plug_in_corrected),
                        row = predict(fit, X_new, PredictiveRule::published_row),
                        batch = predict(fit, X_new, PredictiveRule::published_batch);
  const Matrix V = fit.covariance();
  for (Index i = 0; i < X_new.rows(); ++i) {
    Vector x(4);
    x << X_new.row(i).transpose(), 1;
    const double m = X_new.row(i).dot(fit.mean) + fit.intercept->mean, s = x.dot(V * x);
    EXPECT_NEAR(exact.mean[i], m, 1e-12);
    EXPECT_NEAR(exact.variance[i], s, 1e-12);
    EXPECT_NEAR(exact.probability[i], normal_expectation(m, s, plain_sigmoid), 5e-9);
    EXPECT_NEAR(mackay.probability[i], plain_sigmoid(m / std::sqrt(1 + 3.14159265358979323846 * s / 8)), 1e-12);
    EXPECT_NEAR(row.probability[i], published_probability(m, s, 0, false), 1e-12);
    EXPECT_NEAR(batch.probability[i], row.probability[i], 1e-2);
  }
}

TEST(PredictLogistic, MacKaysRuleIsCloseToTheTruth) {  // 1.5e-2 where posteriors lie: s up to 10, |m| up to 10
  double worst = 0;
  for (double m = -10; m <= 10; m += 0.25)
    for (double s : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0})
      worst = std::max(
          worst, std::abs(plain_sigmoid(m / std::sqrt(1 + 3.14159265358979323846 * s / 8)) - normal_expectation(m, s, plain_sigmoid)));
  EXPECT_LT(worst, 1.5e-2);
}

TEST(PredictLogistic, SumsToOneOverTheClasses) {  // (PRED.2)
  const Problem problem = make_problem(56, 50, 3);
  const LogisticFit fit = fit_logistic(problem.X, problem.labels), swapped = fit_logistic(problem.X, Vector(-problem.labels));
  EXPECT_LE(relative_distance(predict(fit, problem.X).probability + predict(swapped, problem.X).probability, Vector::Ones(50)), 1e-7);
}

// ---- LIN.4

TEST(PredictLinear, IsTheStudentTOfTheExplicitInverse) {  // (LIN.4)
  for (const auto& [n, p] : {std::pair<Index, Index>{40, 5}, std::pair<Index, Index>{12, 20}})
    for (const char* preset : {"vb_linear_fit", "vb_linear_fit_ard"}) {
      const Problem problem = make_problem(57, n, p);
      // One sweep from E[alpha] = c0/d0, so that the precisions inside V are known.
      FitOptions options = options_for_preset(preset);
      options.max_sweeps = 1;
      const LinearFit fit = fit_linear(problem.X, problem.y, options);
      const testing::PlainRidge plain = testing::plain_ridge(problem.X, Vector::Ones(n), problem.y, Vector::Constant(p, 100));
      const double a_N = 1e-2 + 0.5 * static_cast<double>(n);
      const double b_N = 1e-4 + 0.5 * ((problem.y - plain.m).squaredNorm() + 100 * plain.w.squaredNorm());
      const Matrix X_new = make_problem(58, 9, p).X;
      const StudentPrediction prediction = predict(fit, X_new);
      EXPECT_NEAR(prediction.degrees_of_freedom, 2 * a_N, 1e-12);
      const Vector sd = prediction.standard_deviation();
      for (Index i = 0; i < X_new.rows(); ++i) {
        const Vector x = X_new.row(i);
        const double precision = a_N / b_N / (1 + x.dot(plain.V * x));
        EXPECT_NEAR(prediction.mean[i], x.dot(plain.w), 1e-10);
        EXPECT_NEAR(prediction.scale[i], 1 / std::sqrt(precision), 1e-10);
        EXPECT_NEAR(sd[i], std::sqrt(a_N / (a_N - 1) / precision), 1e-10);
      }
    }
}

TEST(PredictLinear, MixesTheNormalOverTheNoise) {  // (LIN.4) by quadrature over ln tau
  const Problem problem = make_problem(59, 15, 2);
  const LinearFit fit = fit_linear(problem.X, problem.y, {.prior = Prior::shared()});
  const Matrix x = make_problem(60, 1, 2).X;
  const StudentPrediction t = predict(fit, x);
  const double a = fit.noise.shape, b = fit.noise.rate, spread = t.scale[0] * t.scale[0] * a / b;  // 1 + x'Vx
  for (double distance : {0.0, 0.7, 3.0, 8.0}) {
    const double e = distance * t.scale[0], nu = t.degrees_of_freedom;
    const double mixture = testing::log_integral(std::log(a / b) - 12, std::log(a / b) + 6, -5, [&](double u) {
      const double tau = std::exp(u);
      return 0.5 * (u - std::log(6.283185307179586 * spread)) - 0.5 * tau * e * e / spread + a * std::log(b) - std::lgamma(a) + a * u -
             b * tau;
    });
    const double student = std::lgamma(0.5 * (nu + 1)) - std::lgamma(0.5 * nu) - 0.5 * std::log(3.141592653589793 * nu) -
                           std::log(t.scale[0]) - 0.5 * (nu + 1) * std::log1p(distance * distance / nu);
    EXPECT_NEAR(student, mixture, 1e-8) << distance;
  }
}

TEST(PredictLinear, HasInfiniteStandardDeviationForTwoDegreesOfFreedomOrFewer) {
  StudentPrediction t;
  t.scale = Vector::Ones(2);
  for (double nu : {0.02, 1.0, 2.0}) {
    t.degrees_of_freedom = nu;
    EXPECT_TRUE(std::isinf(t.standard_deviation()[1]));
  }
  t.degrees_of_freedom = 4;
  EXPECT_NEAR(t.standard_deviation()[0], std::sqrt(2.0), 1e-15);
}

TEST(PredictLinear, OfTheMeanLeavesTheNoiseOut) {  // (LIN.4), (VR.4)
  const Problem problem = make_problem(61, 50, 4);
  const Matrix X_new = make_problem(62, 13, 4).X;
  FitOptions factorised;
  factorised.posterior = LinearPosterior::factorised;
  factorised.prior = Prior::ard();
  for (const FitOptions& options : {FitOptions{.prior = Prior::shared()}, factorised, FitOptions{}}) {
    const LinearFit fit = fit_linear(problem.X, problem.y, options);
    const StudentPrediction y = predict(fit, X_new), f = predict(fit, X_new, PredictionOf::mean);
    EXPECT_EQ(f.mean, y.mean);
    EXPECT_EQ(f.degrees_of_freedom, y.degrees_of_freedom);
    const Vector noise = y.scale.cwiseAbs2() - f.scale.cwiseAbs2();
    EXPECT_LE(relative_distance(noise, Vector::Constant(13, fit.noise.rate / fit.noise.shape)), 1e-10);
    // At x = 0 the mean is the intercept, whose interval is known.
    const Interval of_intercept = credible_interval(fit, -1, 0.9);
    const StudentPrediction origin = predict(fit, Matrix(Matrix::Zero(1, 4)), PredictionOf::mean);
    EXPECT_NEAR(origin.mean[0] + origin.half_width(0.9)[0], of_intercept.upper, 1e-9);
  }
}

// ---- storage of the new rows

TEST(Predict, ReadsFloatAndRowMajorTables) {
  const Problem problem = make_problem(61, 50, 4);
  const LinearFit linear = fit_linear(problem.X, problem.y);
  const LogisticFit logistic = fit_logistic(problem.X, problem.labels);
  const Matrix X_new = make_problem(62, 13, 4).X;
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = X_new;
  const Eigen::MatrixXf floats = X_new.cast<float>();
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> float_rows = X_new.cast<float>();
  Matrix wide = Matrix::Constant(20, 6, 1e30);
  wide.block(3, 1, 13, 4) = X_new;
  const StudentPrediction y = predict(linear, X_new);
  const ClassPrediction c = predict(logistic, X_new);
  EXPECT_LE(relative_distance(predict(linear, rows).mean, y.mean), 1e-13);
  EXPECT_LE(relative_distance(predict(linear, rows).scale, y.scale), 1e-13);
  EXPECT_LE(relative_distance(predict(linear, wide.block(3, 1, 13, 4)).scale, y.scale), 1e-13);
  EXPECT_LE(relative_distance(predict(linear, floats).mean, y.mean), 1e-5);
  EXPECT_LE(relative_distance(predict(linear, float_rows).scale, y.scale), 1e-5);
  EXPECT_LE(relative_distance(predict(logistic, rows).probability, c.probability), 1e-13);
  EXPECT_LE(relative_distance(predict(logistic, floats).probability, c.probability), 1e-5);
  EXPECT_LE(relative_distance(predict(logistic, float_rows).variance, c.variance), 1e-5);
}

}  // namespace
}  // namespace ardvark::internal
