// Relevance vector machines on kernels, from outside.                                                 docs/math/relevance.md (RVM)
#include "ardvark/relevance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/reference.hpp"
#include "../support/thrown.hpp"
#include "core/special.hpp"
#include "engine/relevance_problem.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::Long;
using testing::LongMatrix;
using testing::LongVector;
using testing::Random;
using testing::relative_distance;

struct Sample {
  Matrix X;
  Vector y, two, three;  // targets: a curve with noise, two classes that overlap, three that overlap
};

Sample sample(Index n, std::uint64_t seed, Index inputs = 1) {
  Random random(seed);
  Sample s{Matrix(n, inputs), Vector(n), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < inputs; ++j) s.X(i, j) = random.uniform(-10, 10);
    const double x = s.X(i, 0), curve = x == 0 ? 1 : std::sin(x) / x;
    s.y[i] = 5 + 2 * (curve + 0.1 * random.normal());
    s.two[i] = curve + 0.3 * random.normal() > 0.2 ? 3 : -1;
    s.three[i] = std::clamp(std::floor((x + 2.5 * random.normal() + 10) / 7), 0.0, 2.0);
  }
  return s;
}

RelevanceRegression regress(const Matrix& X, const Vector& y, const RelevanceOptions& options = {}) {
  return fit_relevance_regression(X, y, options);
}
RelevanceClassification classify(const Matrix& X, const Vector& labels, const RelevanceOptions& options = {}) {
  return fit_relevance_classification(X, labels, options);
}

RelevanceOptions fixed(Kernel kernel) {
  RelevanceOptions options;
  options.kernel = std::move(kernel);
  options.search = KernelSearch::none;
  return options;
}

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
  const Sample s = sample(60, 1);
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

// The fast path against plain sweeps over all candidates from their usual start, both then left with the columns that matter; and with all
// candidates in one model, where the fast path begins with those that it left out at the end of their hyper-prior.
void expect_fast_is_no_lower(const Matrix& X, const Vector& target, Task task, double width, bool standardize, int sweeps,
                             bool alone = true) {
  RelevanceOptions options = fixed(Kernel::gaussian(width));
  options.standardize = standardize;
  if (alone) options.compare_up_to = 0;
  options.likelihood = LogisticLikelihood::bound;
  const auto fit = [&]() -> RelevanceFit {
    if (task == Task::linear) return regress(X, target, options);
    return classify(X, target, options);
  };
  const RelevanceFit fast = fit();
  options.algorithm = RelevanceAlgorithm::plain;
  options.max_sweeps = sweeps;
  const RelevanceFit plain = fit();
  EXPECT_GE(fast.log_evidence, plain.log_evidence - 1e-4) << fast.num_vectors() << " and " << plain.num_vectors() << " vectors";

  const Index n = X.rows();
  const Matrix Z = (X.rowwise() - fast.input_center.transpose()) * fast.input_scale.asDiagonal();
  Matrix K(n, n);
  options.kernel.evaluate(Z, Z, K);
  FitOptions all;
  all.prior = Prior::ard();
  all.precision = all.noise = {1e-6, 1e-6};
  all.posterior = task == Task::linear ? LinearPosterior::factorised : LinearPosterior::joint;
  all.likelihood = LogisticLikelihood::bound;
  all.accelerate = false;
  all.tolerance = 1e-10;
  all.max_sweeps = sweeps;
  const auto bound = [&]() { return task == Task::linear ? fit_linear(K, target, all).bound : fit_logistic(K, target, all).bound; };
  const double from_usual = bound();
  const RelevanceMachine& machine = fast.machines.front();
  all.start_precision.assign(static_cast<std::size_t>(n), 4.9e5);  // near (c0 + 1/2)/d0
  for (std::size_t i = 0; i < machine.vectors.size(); ++i)
    all.start_precision[static_cast<std::size_t>(fast.relevance_rows[static_cast<std::size_t>(machine.vectors[i])])] =
        machine.fit.precision[static_cast<Index>(i)];
  if (task == Task::linear) all.start_noise = machine.fit.noise.shape / machine.fit.noise.rate;
  EXPECT_GE(bound(), from_usual - 1.5);  // neighbouring maxima: of some 950 to 3200 nats, in either direction
}

TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnSinc) {  // (RVM.2), (RVM.3)
  expect_fast_is_no_lower(testing::load_matrix("refs/sinc_rbf/x_raw.csv"), testing::load_vector("refs/sinc_rbf/y_reg.csv"), Task::linear, 3,
                          false, 5000);
}
TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnRipleysData) {
  expect_fast_is_no_lower(testing::load_matrix("refs/synth/X.csv").rightCols(2), testing::load_vector("refs/synth/y_log.csv"),
                          Task::logistic, 0.5, false, 600, false);
}
TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnPima) {
  expect_fast_is_no_lower(testing::load_matrix("refs/pima_std/X.csv").rightCols(7), testing::load_vector("refs/pima_std/y_log.csv"),
                          Task::logistic, 4, false, 600);
}
TEST(Relevance, FastPathIsNoLowerThanPlainSweepsOnCurves) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const Sample s = sample(60, seed);
    expect_fast_is_no_lower(s.X, s.y, Task::linear, 0.4, true, 2000);
  }
}

TEST(Relevance, KeepsTheHigherOfFastPathAndPlainSweeps) {  // (RVM.3)
  int plain_kept = 0;
  for (std::uint64_t seed = 9; seed <= 14; ++seed) {  // among them two where the sweeps end higher
    SCOPED_TRACE(seed);
    const Sample s = sample(60, 40 + seed);
    RelevanceOptions options = fixed(Kernel::gaussian(0.15));
    const RelevanceClassification both = classify(s.X, s.two, options);
    options.compare_up_to = 0;
    const RelevanceClassification fast = classify(s.X, s.two, options);
    EXPECT_GE(both.log_evidence, fast.log_evidence);
    const bool said = std::any_of(both.report.notes.begin(), both.report.notes.end(),
                                  [](const std::string& note) { return note.find("were kept") != std::string::npos; });
    EXPECT_EQ(said, both.log_evidence > fast.log_evidence);
    plain_kept += said ? 1 : 0;
  }
  EXPECT_GT(plain_kept, 0);
}

TEST(Relevance, PredictsTheMixtureOverItsNoise) {  // (VR.5)
  const Sample s = sample(25, 18);
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
  const Sample s = sample(70, 5);
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
  const Sample s = sample(150, 6);
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

TEST(Relevance, AWeightEqualsRepetitionAndRepeatedInputsAreOneCandidate) {  // (LIN.6)
  const Sample s = sample(40, 7);
  Random random(8);
  Vector k(40);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    k[i] = static_cast<double>(random.integer(0, 3));
    rows.insert(rows.end(), static_cast<std::size_t>(k[i]), i);
  }
  RelevanceOptions options = fixed(Kernel::gaussian(0.5));
  const Matrix repeated = s.X(rows, Eigen::all);
  const RelevanceRegression longer = regress(repeated, s.y(rows), options);
  const RelevanceClassification longer_classes = classify(repeated, s.two(rows), options);
  options.weights = k;
  const RelevanceRegression weighted = regress(s.X, s.y, options);
  const RelevanceClassification weighted_classes = classify(s.X, s.two, options);
  EXPECT_NEAR(weighted.log_evidence, longer.log_evidence, 1e-6 * std::abs(longer.log_evidence));
  EXPECT_NEAR(weighted_classes.log_evidence, longer_classes.log_evidence, 1e-5 * std::abs(longer_classes.log_evidence));
  EXPECT_LE(relative_distance(predict(weighted, s.X).mean, predict(longer, s.X).mean), 1e-6);
  EXPECT_LE(relative_distance(predict(weighted, s.X).scale, predict(longer, s.X).scale), 1e-5);
  EXPECT_NE(longer.report.notes.front().find("repeat"), std::string::npos) << longer.report.notes.front();
}

// The same table three times: with weights of 0 to 3, without the rows of weight 0, and with each row repeated. The table has distinct
// inputs beside some that occur twice, with targets of their own.
TEST(Relevance, AWeightEqualsRepetitionInTheSearchOfTheKernelAsWell) {  // (LIN.6), (RVM.5a)
  for (KernelSearch search : {KernelSearch::scale, KernelSearch::each}) {
    SCOPED_TRACE(to_string(search));
    Sample s = sample(60, 27, 2);
    s.X.row(50) = s.X.row(7);
    Random random(28);
    Vector k(60);
    std::vector<Index> rows, present;
    for (Index i = 0; i < 60; ++i) {
      k[i] = static_cast<double>(random.integer(0, 3));
      if (k[i] == 0) s.X.row(i) *= 100;  // what is not there cannot widen the range
      rows.insert(rows.end(), static_cast<std::size_t>(k[i]), i);
      if (k[i] > 0) present.push_back(i);
    }
    RelevanceOptions options;
    options.kernel = Kernel::gaussian({1, 1});
    options.search = search;
    options.algorithm = RelevanceAlgorithm::type_two;  // fast
    const auto fits = [&](const Vector& target, auto&& fit) {
      const Vector some = k(present);
      RelevanceOptions weighted = options, without = options;
      weighted.weights = k;
      without.weights = some;
      const auto all = fit(s.X, target, weighted), repeated = fit(s.X(rows, Eigen::all), target(rows), options),
                 reduced = fit(s.X(present, Eigen::all), target(present), without);
      for (const auto* other : {&repeated, &reduced}) {
        EXPECT_EQ(other->kernel.log_parameters(), all.kernel.log_parameters());
        EXPECT_EQ(other->log_evidence, all.log_evidence);
        EXPECT_EQ(other->relevance_vectors, all.relevance_vectors);
        EXPECT_EQ(other->trials.size(), all.trials.size());
        EXPECT_EQ(other->num_rows, k.sum());
      }
      for (std::size_t i = 0; i < all.relevance_rows.size(); ++i) {  // the row of the table that was given
        EXPECT_EQ(rows[static_cast<std::size_t>(repeated.relevance_rows[i])], all.relevance_rows[i]);
        EXPECT_EQ(present[static_cast<std::size_t>(reduced.relevance_rows[i])], all.relevance_rows[i]);
      }
      EXPECT_GT(all.num_vectors(), 0);
    };
    fits(s.y, regress);
    if (search == KernelSearch::scale) fits(s.two, classify);  // of `each` the search is the same, and slow
  }
}

TEST(Relevance, SearchesManyRowsInPartWhateverTheirWeights) {
  const Sample s = sample(2100, 29);
  Vector k(2100);
  std::vector<Index> present;
  for (Index i = 0; i < 2100; ++i) {
    k[i] = static_cast<double>(i % 2);
    if (k[i] > 0) present.push_back(i);
  }
  RelevanceOptions options;
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = 12;
  options.algorithm = RelevanceAlgorithm::type_two;
  const RelevanceRegression without = regress(s.X(present, Eigen::all), s.y(present), options);
  options.weights = k;
  EXPECT_EQ(regress(s.X, s.y, options).log_evidence, without.log_evidence);
}

TEST(Relevance, IsTheSameInOtherUnits) {
  const Sample s = sample(50, 9, 2);
  const RelevanceRegression fit = regress(s.X, s.y, fixed(Kernel::gaussian(1)));
  Matrix X = s.X;
  X.col(0) = 1e4 * X.col(0).array() + 3e5;
  X.col(1) *= 1e-6;
  const RelevanceRegression other = regress(X, 100 * s.y, fixed(Kernel::gaussian(1)));
  EXPECT_EQ(other.relevance_rows, fit.relevance_rows);
  EXPECT_NEAR(other.log_evidence, fit.log_evidence - 50 * std::log(100.0) + std::log(100.0), 1e-5);  // (LIN.5)
  EXPECT_LE(relative_distance(predict(other, X).mean, 100 * predict(fit, s.X).mean), 1e-6);
  EXPECT_LE(relative_distance(predict(other, X).scale, 100 * predict(fit, s.X).scale), 1e-6);
}

TEST(Relevance, CentresAreTheRowsThatWereAskedFor) {
  const Sample s = sample(60, 10);
  RelevanceOptions options = fixed(Kernel::gaussian(0.5));
  const RelevanceRegression all = regress(s.X, s.y, options);
  options.centres = Centres::chosen;
  options.rows = all.relevance_rows;
  const RelevanceRegression chosen = regress(s.X, s.y, options);
  EXPECT_EQ(chosen.relevance_rows, all.relevance_rows);
  EXPECT_NEAR(chosen.log_evidence, all.log_evidence, 1e-5);
  for (Index i = 0; i < all.num_vectors(); ++i)
    EXPECT_EQ(all.relevance_vectors(i, 0), s.X(all.relevance_rows[static_cast<std::size_t>(i)], 0));
  options.rows.clear();
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = 12;
  const RelevanceRegression picked = regress(s.X, s.y, options);
  EXPECT_LE(picked.num_vectors(), 12);
  EXPECT_GT(picked.r_squared, 0.8);
  options.centres = Centres::kmeans;
  const RelevanceRegression between = regress(s.X, s.y, options);
  EXPECT_GT(between.r_squared, 0.8);
  for (Index row : between.relevance_rows) EXPECT_EQ(row, -1);
  EXPECT_LE(relative_distance(predict(between, s.X).mean, s.y), 0.2);
}

TEST(Relevance, SearchesItsWidth) {  // (RVM.5)
  const Sample s = sample(80, 11);
  const RelevanceRegression fit = regress(s.X, s.y);
  ASSERT_GT(fit.trials.size(), 5U);
  double best = -1e300;
  for (std::size_t i = 0; i < fit.trials.size(); ++i) {
    best = std::max(best, fit.trials[i].log_evidence);
    if (i > 0) {
      EXPECT_GE(fit.trials[i].parameters[0], fit.trials[i - 1].parameters[0]);
    }
  }
  EXPECT_GE(fit.log_evidence, best - 1e-4);

  // The curve, scanned, every fit with exchanges: no point of it is much higher. Neighbouring widths may end in maxima a nat apart.
  for (double width = 0.05; width < 10; width *= 1.25) {
    RelevanceOptions options = fixed(Kernel::gaussian(width));
    options.compare_up_to = 0;
    EXPECT_GE(fit.log_evidence, regress(s.X, s.y, options).log_evidence - 2) << width;
  }
}

TEST(Relevance, FindsTheInputThatMatters) {  // (RVM.5), `each`
  Sample s = sample(120, 12, 3);
  Random random(5);
  for (Index i = 0; i < 120; ++i) s.y[i] = std::sin(0.4 * s.X(i, 0)) + 0.1 * random.normal();
  RelevanceOptions options;
  options.compare_up_to = 0;
  options.kernel = Kernel::gaussian(std::vector<double>{1, 1, 1});
  options.search = KernelSearch::each;
  const RelevanceRegression fit = regress(s.X, s.y, options);
  const std::vector<double> widths = fit.kernel.spec().parameters;
  EXPECT_LT(4 * widths[0], widths[1]);
  EXPECT_LT(4 * widths[0], widths[2]);
  EXPECT_NEAR(noise_sd(fit.machines.front().fit), 0.1, 0.02);
  options.kernel = Kernel::gaussian(1);
  options.search = KernelSearch::scale;
  EXPECT_GT(fit.log_evidence, regress(s.X, s.y, options).log_evidence + 5);
}

TEST(Relevance, DoesNotExplainNoise) {  // (RVM.1)
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Matrix X = random.normals(60, 2);
    const RelevanceRegression fit = regress(X, random.normals(60));
    EXPECT_LE(fit.machines.front().fit.effective_parameters, 12);
    EXPECT_NEAR(noise_sd(fit.machines.front().fit), 1, 0.3);
  }
}

TEST(Relevance, SurvivesWhatTablesHold) {
  const Sample s = sample(30, 13, 2);
  const auto says = [](const std::vector<std::string>& lines, const char* piece) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(piece) != std::string::npos; });
  };
  Matrix X = s.X;
  X.col(1).setConstant(7);
  RelevanceRegression fit = regress(X, s.y);  // a constant input: as without it
  EXPECT_TRUE(says(fit.report.notes, "constant inputs, left out: 'x2'"));
  EXPECT_NEAR(fit.log_evidence, regress(X.leftCols(1), s.y).log_evidence, 1e-6);
  X.col(0).setConstant(1);  // nothing but constants: the bias alone
  fit = regress(X, s.y);
  EXPECT_EQ(fit.num_vectors(), 0);
  EXPECT_TRUE(says(fit.report.warnings, "bias alone"));
  const StudentPrediction p = predict(fit, X);
  EXPECT_NEAR(p.mean[3], s.y.mean(), 1e-9);
  const double sd = std::sqrt((s.y.array() - s.y.mean()).square().sum() / 29);
  EXPECT_NEAR(p.scale[3], sd * std::sqrt(1 + 1.0 / 30), 1e-4 * sd);
  RelevanceClassification classes = classify(X, s.two);
  const double share = (s.two.array() > 0).cast<double>().mean();
  EXPECT_NEAR(predict(classes, X).probability(0, 1), share, 0.02);
  EXPECT_TRUE(says(classes.report.warnings, "bias alone"));

  fit = regress(s.X, Vector::Constant(30, 4.0));
  EXPECT_TRUE(says(fit.report.warnings, "target is constant"));
  EXPECT_NEAR(predict(fit, s.X).mean[0], 4, 1e-9);
  fit = regress(s.X.topRows(1), s.y.head(1));  // one row
  EXPECT_NEAR(predict(fit, s.X).mean[5], s.y[0], 1e-9);
  classes = classify(s.X.topRows(2), Vector{{0, 1}});
  EXPECT_DOUBLE_EQ(predict(classes, s.X).probability.row(3).sum(), 1);
  expect_invalid([&] { static_cast<void>(classify(s.X, Vector::Ones(30))); }, {"labels", "one class", "1"});
  expect_invalid([&] { static_cast<void>(predict(fit, Matrix(2, 3))); }, {"X_new"});
  expect_invalid([&] { static_cast<void>(predict(RelevanceRegression{}, s.X)); }, {"no machine"});
}

TEST(Relevance, PrunedMachineMayBeWithoutABiasAndBeginsWhereItIsTold) {  // (SLR.6)
  const Sample s = sample(30, 34, 2);
  RelevanceOptions options = fixed(Kernel::gaussian(1));
  options.algorithm = RelevanceAlgorithm::pruned;
  options.intercept = false;
  const RelevanceClassification fit = classify(s.X, s.two, options);
  EXPECT_FALSE(fit.machines.front().fit.intercept);
  EXPECT_EQ(fit.machines.front().candidate_mean.size(), 30);
  const Matrix far = Matrix::Constant(1, 2, 1e3);  // where no kernel reaches nothing is known
  EXPECT_DOUBLE_EQ(predict(fit, far).probability(0, 1), 0.5);
  options.start_precision.assign(30, 1.0);
  EXPECT_EQ(classify(s.X, s.two, options).machines.front().candidate_mean, fit.machines.front().candidate_mean);  // where it begins anyway
  options.max_sweeps = 1;
  EXPECT_GT(std::abs(classify(s.X, s.two, options).machines.front().candidate_mean[3]), 1e-4);
  options.start_precision[3] = 1e13;
  EXPECT_LT(std::abs(classify(s.X, s.two, options).machines.front().candidate_mean[3]), 1e-12);
  options.start_precision.push_back(1);
  expect_invalid([&] { static_cast<void>(classify(s.X, s.two, options)); }, {"start_precision has 31 entries", "30"});
  options.start_precision.clear();
  options.algorithm = RelevanceAlgorithm::plain;
  expect_invalid([&] { static_cast<void>(classify(s.X, s.two, options)); }, {"intercept is false", "pruned"});
  options.intercept = true;
  options.start_precision.assign(30, 1.0);
  expect_invalid([&] { static_cast<void>(classify(s.X, s.two, options)); }, {"start_precision", "pruned"});
}

TEST(Relevance, RefusesValuesBeyondItsArithmeticForWhatTheyAre) {
  const Sample s = sample(30, 33, 2);
  RelevanceOptions plain = fixed(Kernel::linear());
  plain.standardize = false;
  for (double scale : {1e155, 1e200, 1e300, 1e-160, 1e-200, 1e-300, 1e-310}) {
    SCOPED_TRACE(scale);
    Matrix X = s.X;
    X.col(1) *= scale;
    const auto squares = "are beyond what squares of doubles hold (about 1e-150 to 1e150): rescale it";
    expect_invalid([&] { static_cast<void>(regress(s.X, scale * s.y)); }, {"the values of the target", squares});
    expect_invalid([&] { static_cast<void>(regress(X, s.y)); }, {"the values of input 'x2'", squares});
    expect_invalid([&] { static_cast<void>(classify(X, s.two)); }, {"the values of input 'x2'", squares});
    if (scale < 1e-290 || scale > 1e290)
      expect_invalid([&] { static_cast<void>(regress(X, s.y, plain)); }, {"input 'x2'", "1e-290", "rescale"});
  }
  Matrix X = s.X;
  X.col(1).setConstant(1e-140);  // its mean may be off by a rounding
  EXPECT_EQ(regress(X, s.y, fixed(Kernel::gaussian(1))).report.notes.front(), "constant inputs, left out: 'x2'");
}

TEST(Relevance, SearchesTheWidthOfInputsInAnyUnit) {  // (RVM.5a)
  const Sample s = sample(40, 34);
  RelevanceOptions options;
  options.standardize = false;
  options.algorithm = RelevanceAlgorithm::type_two;
  const RelevanceRegression one = regress(s.X, s.y, options);
  for (int exponent : {660, -660, 520, -900}) {
    const double unit = std::ldexp(1.0, exponent);
    const RelevanceRegression other = regress(s.X * unit, s.y, options);
    EXPECT_NEAR(other.log_evidence, one.log_evidence, 1e-3) << exponent;
    EXPECT_NEAR(other.kernel.log_parameters()[0], one.kernel.log_parameters()[0] + std::log(unit), 1e-3) << exponent;
  }
}

TEST(Relevance, IsNotErasedByAnOutlyingInput) {  // (RVM.5a)
  Random random(35);
  Matrix X(61, 1);
  Vector y(61);
  for (Index i = 0; i < 60; ++i) {
    X(i, 0) = random.uniform(-3, 3);
    y[i] = std::sin(2 * X(i, 0)) + 0.1 * random.normal();
  }
  for (double outlier : {1e3, 1e6}) {
    X(60, 0) = outlier;
    y[60] = 0;
    const RelevanceRegression fit = regress(X, y);
    EXPECT_NEAR(noise_sd(fit.machines.front().fit), 0.1, 0.03) << outlier;
    EXPECT_GT(fit.r_squared, 0.95) << outlier;
  }
}

TEST(Relevance, PlainIsThePublishedWay) {
  const Sample s = sample(40, 14);
  RelevanceOptions options = fixed(Kernel::gaussian(0.5));
  options.algorithm = RelevanceAlgorithm::plain;
  options.max_sweeps = 5000;
  const RelevanceRegression plain = regress(s.X, s.y, options);
  options.algorithm = RelevanceAlgorithm::variational;
  const RelevanceRegression fast = regress(s.X, s.y, options);
  EXPECT_GE(fast.log_evidence, plain.log_evidence - 1e-4);
  EXPECT_NEAR(plain.log_evidence, fast.log_evidence, 5);
  EXPECT_LT(plain.num_vectors(), 20);
}

TEST(Relevance, StopsWhenTheCallerSays) {
  const Sample s = sample(60, 15);
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

TEST(Relevance, SearchesManyRowsInPart) {
  const Sample s = sample(1300, 16);
  RelevanceOptions options;
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = 15;
  const RelevanceRegression fit = regress(s.X, s.y, options);
  EXPECT_TRUE(std::any_of(fit.report.notes.begin(), fit.report.notes.end(),
                          [](const std::string& note) { return note.find("1000 of 1300 rows") != std::string::npos; }));
  EXPECT_NEAR(noise_sd(fit.machines.front().fit), 0.2, 0.02);
}

TEST(Relevance, RefusesOptionsOutsideTheirRange) {
  const Sample s = sample(10, 17, 2);
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
}  // namespace ardvark
