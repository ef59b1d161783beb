// Relevance vector machines on kernels, from outside.                                                 docs/math/relevance.md (RVM)
#include "ardvark/relevance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "core/special.hpp"
#include "relevance/relevance_problem.hpp"
#include "relevance_sample.hpp"

namespace ardvark::internal {
namespace {

using testing::classify;
using testing::expect_invalid;
using testing::fixed;
using testing::Long;
using testing::LongMatrix;
using testing::LongVector;
using testing::Random;
using testing::regress;
using testing::relative_distance;
using testing::relevance_sample;
using testing::RelevanceSample;

// The columns of the model as the machine has them: centred, scaled, in the order of its vectors; a bias is last.
Matrix standard_columns(const RelevanceFit& fit, const Matrix& X, const Vector& k, const Matrix& X_new) {
  const RelevanceMachine& machine = fit.machines.front();
  const auto inputs = [&](const Matrix& Z) -> Matrix {
    return (Z.rowwise() - fit.input_center.transpose()) * fit.input_scale.asDiagonal();
  };
  const Index m = static_cast<Index>(machine.vectors.size());
  const Matrix C = inputs(fit.relevance_vectors)(machine.vectors, Eigen::all);
  Matrix K(X.rows(), m), out = Matrix::Ones(X_new.rows(), m + 1);
  if (m == 0) return out;
  fit.kernel.evaluate(inputs(X), C, K);
  fit.kernel.evaluate(inputs(X_new), C, out.leftCols(m));
  for (Index j = 0; j < m; ++j) {
    const double center = k.dot(K.col(j)) / k.sum(), sd = std::sqrt(k.dot((K.col(j).array() - center).square().matrix()) / k.sum());
    out.col(j) = (out.col(j).array() - center) / sd;
  }
  return out;
}

// ln of the integral of N(y | b 1, C) over b.
Long flat_evidence(const LongMatrix& C, const LongVector& y) {
  const Eigen::LLT<LongMatrix> llt(C);
  const LongVector one = LongVector::Ones(y.size()), C1 = llt.solve(one), Cy = llt.solve(y);
  const Long log_det = 2 * LongMatrix(llt.matrixL()).diagonal().array().log().sum(), S = one.dot(C1);
  const Long n = static_cast<Long>(y.size());
  return -0.5L * (n * ln_2pi + log_det + y.dot(Cy) - one.dot(Cy) * one.dot(Cy) / S) + 0.5L * (ln_2pi - std::log(S));
}

constexpr double pi = 3.14159265358979323846;

TEST(Relevance, ThePriceOfAPrecisionIsLaplacesIntegral) {  // (RVM.1), (GREEDY.2)
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const double s = random.scale(0.01, 100), q = std::sqrt(s * random.uniform(60, 200));  // a column that the data insist on
    const double best = std::log(s * s / (q * q - s));                                     // (OPT.3)
    const auto gain = [&](double log_a) {
      const double a = std::exp(log_a);
      return 0.5 * (q * q / (a + s) - std::log1p(s / a));
    };
    const double determined = s / (std::exp(best) + s), h = 1e-3;
    EXPECT_NEAR((gain(best + h) - 2 * gain(best) + gain(best - h)) / (h * h), -0.5 * determined * determined, 1e-4);
    const double range = 12 * std::log(10.0);
    const double integral = testing::log_integral(best - 12, best + 4, gain(best), gain) - gain(best) - std::log(range);
    EXPECT_NEAR(-precision_cost(), integral, 0.3);
  }
}

double penalty(const GammaDistribution& prior, double value) {  // (GREEDY.7)
  return prior.shape * std::log(prior.rate * value / prior.shape) + prior.shape - prior.rate * value;
}

TEST(Relevance, RegressionIsTheBruteForcePosteriorAndEvidence) {  // (RIDGE.1), (VR.4), (RVM.1), (GREEDY.4), (GREEDY.7)
  const RelevanceSample s = relevance_sample(60, 1);
  for (RelevanceAlgorithm algorithm : {RelevanceAlgorithm::variational, RelevanceAlgorithm::type_two}) {
    SCOPED_TRACE(to_string(algorithm));
    RelevanceOptions options = fixed(Kernel::gaussian(0.5));
    options.algorithm = algorithm;
    const RelevanceRegression fit = regress(s.X, s.y, options);
    ASSERT_EQ(fit.report.status, Status::converged) << fit.report.message;
    const Fit& machine = fit.machines.front().fit;
    const Matrix Phi = standard_columns(fit, s.X, Vector::Ones(60), s.X);
    const Index m = Phi.cols() - 1;
    ASSERT_GE(m, 3);
    const double center = s.y.mean(), scale = std::sqrt((s.y.array() - center).square().mean());
    const Vector t = (s.y.array() - center) / scale;
    const double tau = machine.noise.shape / machine.noise.rate * scale * scale;
    Vector a = Vector::Zero(m + 1);
    a.head(m) = machine.precision;
    const testing::PlainRidge plain = testing::plain_ridge(Phi, Vector::Constant(60, tau), tau * t, a);

    Random random(2);
    const Matrix X_new = 12 * random.normals(20, 1);
    const StudentPrediction p = predict(fit, X_new);
    const Matrix Phi_new = standard_columns(fit, s.X, Vector::Ones(60), X_new);
    EXPECT_TRUE(std::isinf(p.degrees_of_freedom));
    EXPECT_LE(relative_distance(p.mean, (center + scale * (Phi_new * plain.w).array()).matrix()), 1e-6);
    const Vector variance = (scale * scale * ((Phi_new * plain.V).cwiseProduct(Phi_new).rowwise().sum().array() + 1 / tau)).matrix();
    EXPECT_LE(relative_distance(p.scale.cwiseAbs2(), variance), 1e-6);

    LongMatrix C = LongMatrix::Identity(60, 60) * Long(scale * scale / tau);
    for (Index j = 0; j < m; ++j) C += Phi.col(j).cast<Long>() * Phi.col(j).cast<Long>().transpose() * Long(scale * scale / a[j]);
    double expected = static_cast<double>(flat_evidence(C, s.y.cast<Long>()));
    if (algorithm == RelevanceAlgorithm::variational) {
      for (Index j = 0; j < m; ++j) expected += penalty(options.precision, a[j]);
      expected += penalty(options.noise, tau);
    }
    expected -= static_cast<double>(m) * std::log(12 * std::log(10.0) / std::sqrt(4 * pi));
    EXPECT_NEAR(fit.log_evidence, expected, 1e-6);
  }
}

TEST(Relevance, PredictsTheMixtureOverItsNoise) {  // (VR.5)
  const RelevanceSample s = relevance_sample(25, 18);
  const RelevanceRegression fit = regress(s.X, s.y, fixed(Kernel::gaussian(0.5)));
  const StudentPrediction plug_in = predict(fit, s.X);
  const NoiseMixturePrediction mixture = predict_mixture(fit, s.X);
  EXPECT_EQ(mixture.mean, plug_in.mean);
  const GammaDistribution noise = fit.machines.front().fit.noise;
  for (Index i = 0; i < 25; ++i) {  // E[1/tau] = rate/(shape - 1)
    EXPECT_NEAR(mixture.variance_of_mean[i], plug_in.scale[i] * plug_in.scale[i] - noise.rate / noise.shape, 1e-12);
    EXPECT_NEAR(mixture.standard_deviation()[i], std::sqrt(noise.rate / (noise.shape - 1) + mixture.variance_of_mean[i]), 1e-12);
    EXPECT_GT(mixture.half_width(0.99)[i], plug_in.half_width(0.99)[i]);
  }
}

TEST(Relevance, TwoClassesAreTheMachinesOwnProbabilities) {  // (PRED.2)
  const RelevanceSample s = relevance_sample(70, 5);
  const RelevanceClassification fit = classify(s.X, s.two, fixed(Kernel::gaussian(0.5)));
  EXPECT_EQ(fit.classes, (std::vector<std::string>{"-1", "3"}));
  const ClassProbabilities p = predict(fit, s.X);
  const Fit& machine = fit.machines.front().fit;
  const Matrix Phi = standard_columns(fit, s.X, Vector::Ones(70), s.X);
  // Raw coefficients and their covariance give the same moments.
  Matrix raw(70, Phi.cols());
  const auto inputs = [&](const Matrix& Z) -> Matrix {
    return (Z.rowwise() - fit.input_center.transpose()) * fit.input_scale.asDiagonal();
  };
  fit.kernel.evaluate(inputs(s.X), inputs(fit.relevance_vectors), raw.leftCols(Phi.cols() - 1));
  raw.rightCols(1).setOnes();
  Vector w(Phi.cols());
  w << machine.mean, machine.intercept->mean;
  const Matrix V = machine.covariance();
  double correct = 0, loss = 0;
  for (Index i = 0; i < 70; ++i) {
    const double m = raw.row(i).dot(w), v = raw.row(i).dot(V * raw.row(i).transpose());
    const double expected = testing::normal_expectation(m, v, [](double x) { return sigmoid(x); });
    EXPECT_NEAR(p.probability(i, 1), expected, 1e-8);
    EXPECT_DOUBLE_EQ(p.probability.row(i).sum(), 1);
    EXPECT_EQ(p.most_probable[static_cast<std::size_t>(i)], expected > 0.5 ? 1 : 0);
    const bool second = s.two[i] == 3;
    correct += (expected > 0.5) == second ? 1 : 0;
    loss -= std::log(second ? expected : 1 - expected);
  }
  EXPECT_NEAR(fit.accuracy, correct / 70, 1e-12);
  EXPECT_NEAR(fit.log_loss, loss / 70, 1e-6);
}

TEST(Relevance, ThreeClassesSumToOneAndAreRight) {  // (RVM.6)
  const RelevanceSample s = relevance_sample(150, 6);
  RelevanceOptions options = fixed(Kernel::gaussian(0.8));
  const RelevanceClassification fit = classify(s.X, s.three, options);
  ASSERT_EQ(fit.machines.size(), 3U);
  EXPECT_EQ(fit.classes, (std::vector<std::string>{"0", "1", "2"}));
  const ClassProbabilities p = predict(fit, s.X);
  double evidence = 0, correct = 0, loss = 0;
  Matrix each(150, 3);
  for (Index c = 0; c < 3; ++c) {  // a machine of two classes gives the same
    const Vector one = (s.three.array() == static_cast<double>(c)).cast<double>();
    const RelevanceClassification alone = classify(s.X, one, options);
    each.col(c) = predict(alone, s.X).probability.col(1);
    evidence += alone.log_evidence;
  }
  EXPECT_NEAR(fit.log_evidence, evidence, 1e-9 * std::abs(evidence));
  for (Index i = 0; i < 150; ++i) {
    EXPECT_NEAR(p.probability.row(i).sum(), 1, 1e-14);
    EXPECT_LE((p.probability.row(i) - each.row(i) / each.row(i).sum()).cwiseAbs().maxCoeff(), 1e-12);
    const auto label = static_cast<Index>(s.three[i]);
    Index best = 0;
    each.row(i).maxCoeff(&best);
    correct += best == label ? 1 : 0;
    loss -= std::log(p.probability(i, label));
  }
  EXPECT_NEAR(fit.accuracy, correct / 150, 1e-12);
  EXPECT_NEAR(fit.log_loss, loss / 150, 1e-9);
  EXPECT_GT(fit.accuracy, 0.6);  // chance is 1/3; the best rule gets about 3/4 right
}

TEST(Relevance, StopsWhenTheCallerSays) {
  const RelevanceSample s = relevance_sample(60, 15);
  RelevanceOptions options;
  int calls = 0;
  options.on_sweep = [&](const Progress& p) {
    EXPECT_EQ(p.sweep, ++calls);
    return p.sweep < 7;
  };
  EXPECT_EQ(regress(s.X, s.y, options).report.status, Status::stopped_by_user);
  EXPECT_EQ(calls, 7);
  options.on_sweep = {};
  options.max_actions = 2;
  options.compare_up_to = 0;
  EXPECT_EQ(regress(s.X, s.y, options).report.status, Status::max_sweeps);
}

TEST(Relevance, RefusesOptionsOutsideTheirRange) {
  const RelevanceSample s = relevance_sample(10, 17, 2);
  const auto refuse = [&](auto&& change, std::initializer_list<const char*> pieces) {
    RelevanceOptions options;
    change(options);
    expect_invalid([&] { static_cast<void>(regress(s.X, s.y, options)); }, pieces);
    expect_invalid([&] { static_cast<void>(classify(s.X, s.two, options)); }, pieces);
  };
  using O = RelevanceOptions;
  refuse([](O& o) { o.max_sweeps = 0; }, {"max_sweeps", "0"});
  refuse([](O& o) { o.max_actions = -1; }, {"max_actions", "-1"});
  refuse([](O& o) { o.precision = {0, 1}; }, {"precision.shape", "0"});
  refuse([](O& o) { o.noise = {1, -2}; }, {"noise.rate", "-2"});
  refuse([](O& o) { o.centres = Centres::kmeans; }, {"num_centres", "0"});
  refuse([](O& o) { o.num_centres = 4; }, {"num_centres", "4"});
  refuse([](O& o) { o.centres = Centres::chosen; }, {"rows", "empty"});
  refuse([](O& o) { o.rows = {1}; }, {"rows", "chosen"});
  refuse([](O& o) { o.centres = Centres::chosen, o.rows = {1, 10}; }, {"rows", "10", "0 to 9"});
  refuse([](O& o) { o.centres = Centres::chosen, o.rows = {1, 1}; }, {"rows", "once"});
  refuse([](O& o) { o.kernel = Kernel::gaussian(std::vector<double>{1, 2, 3}); }, {"3"});
  refuse(
      [](O& o) {
        o.algorithm = RelevanceAlgorithm::type_two;
        o.likelihood = LogisticLikelihood::bound;
      },
      {"likelihood", "type_two"});
  RelevanceOptions twice;
  twice.class_names = {"a", "b", "a"};
  expect_invalid([&] { static_cast<void>(classify(s.X, (s.two.array() > 0).cast<double>().matrix(), twice)); }, {"class_names", "'a'"});
  refuse([](O& o) { o.input_groups = {0}; }, {"input_groups", "1", "2"});
  refuse([](O& o) { o.input_names = {"a"}; }, {"input_names", "1", "2"});
  const Vector negative = Vector::Constant(10, -1);
  refuse([&](O& o) { o.weights = negative; }, {"weights", "-1"});
  Matrix X = s.X;
  X(3, 1) = std::nan("");
  expect_invalid([&] { static_cast<void>(regress(X, s.y)); }, {"X", "row 4", "x2"});
  expect_invalid([&] { static_cast<void>(classify(s.X, Vector::LinSpaced(9, 0, 1))); }, {"labels", "9", "10"});
}

}  // namespace
}  // namespace ardvark::internal
