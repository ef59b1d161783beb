// All rows of a prediction together: covariance and draws.                                                    docs/math/process.md (KM.10)
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <boost/math/distributions/fisher_f.hpp>

#include "ardvark/kernel_machine.hpp"
#include "core/normals.hpp"

namespace ardvark {
namespace {

struct Curve {
  Matrix X;
  Vector y;
};

Curve wave(Index n, Index d, std::uint64_t seed) {
  internal::Normals normal(seed);
  Curve out{Matrix(n, d), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) out.X(i, j) = 3 * normal.uniform();
    out.y[i] = std::sin(2 * out.X(i, 0)) + 0.2 * normal();
  }
  return out;
}

KernelOptions every_row() {
  KernelOptions options;
  options.all_vectors = true;
  return options;
}

// (KM.10) by (KM.1) with every row, for one point: the covariance of f at the rows of X_new, and its mean, in the units of the target.
Matrix plain_covariance(const KernelRegression& fit, const KernelPoint& point, const Curve& data, const Matrix& X_new, Vector& mean) {
  const auto standard = [&](const Matrix& X) {
    return Matrix((X.rowwise() - fit.input_center.transpose()) * fit.input_scale.asDiagonal());
  };
  const Index n = data.X.rows();
  const Matrix Z = standard(data.X), Z_new = standard(X_new);
  Matrix K(n, n), k(n, X_new.rows()), new_K(X_new.rows(), X_new.rows());
  point.kernel.evaluate(Z, Z, K);
  point.kernel.evaluate(Z, Z_new, k);
  point.kernel.evaluate(Z_new, Z_new, new_K);
  const Vector y = (data.y.array() - fit.target_center) / fit.target_scale, one = Vector::Ones(n);
  const Matrix inverse = (point.signal * K + Matrix::Identity(n, n)).inverse(), c = point.signal * k;
  const double sum = one.dot(inverse * one), b = one.dot(inverse * y) / sum;
  const double s2 = (y.dot(inverse * y) - b * b * sum) / static_cast<double>(n - 1);
  const Vector off = 1 - (c.transpose() * inverse * one).array();
  mean = fit.target_center + fit.target_scale * (b + (c.transpose() * inverse * (y - b * one)).array());
  return fit.target_scale * fit.target_scale * s2 * (point.signal * new_K - c.transpose() * inverse * c + off * off.transpose() / sum);
}

TEST(JointPrediction, IsTheMixtureOfTheFullProcesses) {
  for (const Index n : {5, 6, 8}) {
    const Curve data = wave(n, 2, static_cast<std::uint64_t>(n));
    const KernelRegression fit = fit_kernel_regression(data.X, data.y, every_row());
    const Matrix X_new = wave(4, 2, 9).X;
    Vector mean = Vector::Zero(4);
    Matrix second = Matrix::Zero(4, 4);
    const double nu = static_cast<double>(n - 1);
    for (const KernelPoint& point : fit.processes[0].points) {
      Vector of_point;
      const Matrix S = plain_covariance(fit, point, data, X_new, of_point);
      mean += point.weight * of_point;
      second += point.weight * (nu / (nu - 2) * S + of_point * of_point.transpose());
    }
    const JointPrediction joint = predict_joint(fit, X_new, PredictionOf::mean);
    EXPECT_LT((joint.mean - mean).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((joint.covariance - (second - mean * mean.transpose())).cwiseAbs().maxCoeff(), 1e-8);
    Vector noise = Vector::Zero(4);
    for (const KernelPoint& point : fit.processes[0].points)
      noise.array() += point.weight * nu / (nu - 2) * point.noise_variance * fit.target_scale * fit.target_scale;
    const Matrix of_new = predict_joint(fit, X_new).covariance;
    EXPECT_LT((of_new - joint.covariance - Matrix(noise.asDiagonal())).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(JointPrediction, HasTheVariancesOfTheRows) {
  const Curve data = wave(40, 1, 1);
  const KernelRegression fit = fit_kernel_regression(data.X, data.y);
  const Matrix X_new = Vector::LinSpaced(200, -4, 7);  // rows so close that the covariance of f is singular
  for (const PredictionOf what : {PredictionOf::new_observation, PredictionOf::mean}) {
    const JointPrediction joint = predict_joint(fit, X_new, what);
    const Vector variance = predict(fit, X_new, what).standard_deviation().cwiseAbs2();
    EXPECT_LT((joint.covariance.diagonal() - variance).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((joint.mean - predict(fit, X_new).mean).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_TRUE(joint.covariance == joint.covariance.transpose());
    const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(joint.covariance).eigenvalues();
    EXPECT_GT(values[0], -1e-11 * values[199]);
  }
}

// Errors of the moments, in standard errors that the draws themselves show.
void expect_moments(const Matrix& draws, const JointPrediction& joint) {
  const auto count = static_cast<double>(draws.cols());
  const Matrix off = draws.colwise() - joint.mean;
  for (Index i = 0; i < off.rows(); ++i) {
    EXPECT_LT(std::abs(off.row(i).mean()), 5 * std::sqrt(joint.covariance(i, i) / count));
    for (Index j = 0; j <= i; ++j) {
      const Eigen::ArrayXd product = off.row(i).transpose().array() * off.row(j).transpose().array();
      const double sd = std::sqrt((product - product.mean()).square().mean());
      EXPECT_LT(std::abs(product.mean() - joint.covariance(i, j)), 5 * sd / std::sqrt(count)) << i << ", " << j;
    }
  }
}

TEST(JointDraws, HaveTheMomentsOfTheMixture) {
  const Curve data = wave(25, 1, 3);
  const KernelRegression fit = fit_kernel_regression(data.X, data.y);
  const Matrix X_new = (Matrix(4, 1) << 0.5, 0.6, 2, 6).finished();
  expect_moments(draw(fit, X_new, 20000, 1), predict_joint(fit, X_new));
  expect_moments(draw(fit, X_new, 20000, 2, PredictionOf::mean), predict_joint(fit, X_new, PredictionOf::mean));
}

// With a single point, (y - mean)' S^-1 (y - mean)/m has an F distribution with m and nu degrees of freedom.
TEST(JointDraws, AreStudentTDrawsOfAllRowsTogether) {
  const Curve data = wave(9, 1, 5);
  KernelOptions options = every_row();
  options.kernel = "gaussian";
  options.average = false;
  const KernelRegression fit = fit_kernel_regression(data.X, data.y, options);
  ASSERT_EQ(fit.processes[0].points.size(), 1u);
  const Matrix X_new = (Matrix(3, 1) << 0.2, 1, 4).finished();
  const JointPrediction joint = predict_joint(fit, X_new);
  const Matrix inverse = (joint.covariance * (6.0 / 8)).inverse();
  constexpr Index count = 20000;
  const Matrix off = draw(fit, X_new, count, 4).colwise() - joint.mean;
  const Vector ratio = (off.array() * (inverse * off).array()).colwise().sum().transpose() / 3;
  for (const double probability : {0.1, 0.5, 0.9, 0.99}) {
    const double q = quantile(boost::math::fisher_f(3, 8), probability);
    const double below = (ratio.array() < q).cast<double>().mean();
    EXPECT_NEAR(below, probability, 5 * std::sqrt(probability * (1 - probability) / count));
  }
}

TEST(JointDraws, AreThoseOfTheSeed) {
  const Curve data = wave(30, 1, 6);
  const KernelRegression fit = fit_kernel_regression(data.X, data.y);
  const Matrix X_new = Vector::LinSpaced(51, 0, 3);
  const Matrix ten = draw(fit, X_new, 10, 7);
  EXPECT_TRUE(ten == draw(fit, X_new, 10, 7));
  EXPECT_TRUE(ten.leftCols(3) == draw(fit, X_new, 3, 7));
  EXPECT_GT((ten - draw(fit, X_new, 10, 8)).cwiseAbs().minCoeff(), 0);
}

TEST(JointDraws, OfClassesHaveTheProbabilities) {
  internal::Normals normal(2);
  const Index n = 60;
  Matrix X(n, 1);
  Vector labels(n);
  for (Index i = 0; i < n; ++i) {
    X(i, 0) = 6 * normal.uniform();
    labels[i] = std::floor(X(i, 0) / 2 + 0.3 * normal());
  }
  labels = labels.cwiseMax(0).cwiseMin(2);
  const Vector two = (labels.array() == 1).cast<double>();
  const KernelClassification fit = fit_kernel_classification(X, two);
  const Matrix X_new = (Matrix(3, 1) << 1, 2, 8).finished();
  const JointPrediction joint = predict_joint(fit, X_new).front();
  const Matrix draws = draw(fit, X_new, 20000, 3).front();
  expect_moments(draws, joint);
  const Matrix sigma = 1 / (1 + (-draws.array()).exp());
  const Vector p = predict(fit, X_new).probability.col(1);
  for (Index i = 0; i < 3; ++i) {
    const double sd = std::sqrt((sigma.row(i).array() - sigma.row(i).mean()).square().mean());
    EXPECT_NEAR(sigma.row(i).mean(), p[i], 5 * sd / std::sqrt(20000.0));
  }
  const std::vector<Matrix> three = draw(fit_kernel_classification(X, labels), X_new, 4000, 1);
  ASSERT_EQ(three.size(), 3u);
  const Vector a = three[0].row(1).transpose().array() - three[0].row(1).mean(),
               b = three[1].row(1).transpose().array() - three[1].row(1).mean();
  EXPECT_LT(std::abs(a.normalized().dot(b.normalized())), 5 / std::sqrt(4000.0));  // independent of each other
}

TEST(JointPrediction, HasNoCovarianceWithThreeRows) {
  const Matrix X = (Matrix(3, 1) << 0, 1, 2).finished();
  const std::vector<double> y = {1, 3, 2};
  const KernelRegression fit = fit_kernel_regression(X, y);
  EXPECT_TRUE((predict_joint(fit, X).covariance.array() == std::numeric_limits<double>::infinity()).all());
  EXPECT_TRUE(draw(fit, X, 5).allFinite());
  EXPECT_THROW(static_cast<void>(draw(fit, X, 0)), InvalidArgument);
  const Matrix wide = Matrix::Ones(2, 2);
  EXPECT_THROW(static_cast<void>(predict_joint(fit, wide)), InvalidArgument);
}

}  // namespace
}  // namespace ardvark
