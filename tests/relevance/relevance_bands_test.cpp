// Bands that open away from the training rows.                                                        docs/math/relevance.md (KM.8)
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "core/special.hpp"
#include "relevance_sample.hpp"

namespace ardvark {
namespace {

using testing::classify;
using testing::expect_invalid;
using testing::fixed;
using testing::regress;
using testing::relative_distance;
using testing::relevance_sample;
using testing::RelevanceSample;

RelevanceOptions with(Bands bands, Kernel kernel = Kernel::gaussian(0.5)) {
  RelevanceOptions options = fixed(std::move(kernel));
  options.bands = bands;
  return options;
}

// 1 - k' K^-1 k, the plain way.
Vector open_share(const RelevanceFit& fit, const Matrix& X) {
  const auto inputs = [&](const Matrix& Z) -> Matrix {
    return (Z.rowwise() - fit.input_center.transpose()) * fit.input_scale.asDiagonal();
  };
  const Matrix C = inputs(fit.band_rows);
  Matrix K(C.rows(), C.rows()), k(C.rows(), X.rows());
  fit.kernel.evaluate(C, C, K);
  fit.kernel.evaluate(C, inputs(X), k);
  return 1 - k.cwiseProduct(K.fullPivLu().solve(k)).colwise().sum().transpose().array();
}

double variance(const Vector& x) { return (x.array() - x.mean()).square().mean(); }

TEST(RelevanceBands, AddTheVarianceOfTheFittedValuesThatTheRowsLeaveOpen) {  // (KM.8)
  const RelevanceSample s = relevance_sample(60, 31);
  const RelevanceRegression published = regress(s.X, s.y, with(Bands::published)), open = regress(s.X, s.y, with(Bands::open));
  const double v = variance(predict(published, s.X).mean);
  EXPECT_NEAR(open.machines.front().fitted_variance, v, 1e-10 * v);
  const Matrix X = Vector::LinSpaced(201, -40, 40);
  const StudentPrediction before = predict(published, X), after = predict(open, X);
  EXPECT_EQ(after.mean, before.mean);
  const Vector expected = before.scale.array().square() + v * open_share(open, X).array();
  EXPECT_LE(relative_distance(after.scale.cwiseAbs2(), expected), 1e-8);
  const NoiseMixturePrediction mixture_before = predict_mixture(published, X), mixture = predict_mixture(open, X);
  EXPECT_EQ(mixture.mean, mixture_before.mean);
  EXPECT_LE(relative_distance(mixture.variance_of_mean, mixture_before.variance_of_mean + v * open_share(open, X)), 1e-8);

  const Fit& machine = open.machines.front().fit;
  EXPECT_NEAR(after.scale[0], std::sqrt(v + machine.noise.rate / machine.noise.shape), 0.05 * after.scale[0]);
  EXPECT_LE(open_share(open, s.X).maxCoeff(), 0.01 + 1e-9);  // at every training row
}

TEST(RelevanceBands, OfClassesReturnTowardsTheMiddle) {  // (KM.8), (PRED.2)
  const RelevanceSample s = relevance_sample(90, 32);
  const RelevanceClassification published = classify(s.X, s.two, with(Bands::published)), open = classify(s.X, s.two, with(Bands::open));
  const Matrix far = Matrix::Constant(1, 1, 500);  // every kernel is 0 there
  const RelevanceMachine& machine = open.machines.front();
  const double m = machine.fit.intercept->mean, own = machine.fit.intercept->variance;
  const auto expected = [&](double more) {
    return testing::normal_expectation(m, own + more, [](double x) { return internal::sigmoid(x); });
  };
  EXPECT_NEAR(predict(published, far).probability(0, 1), expected(0), 1e-8);
  EXPECT_NEAR(predict(open, far).probability(0, 1), expected(machine.fitted_variance), 1e-8);
  EXPECT_GT(machine.fitted_variance, 0.1);
  EXPECT_LE((predict(open, s.X).probability - predict(published, s.X).probability).cwiseAbs().maxCoeff(), 0.01);
  const RelevanceClassification three = classify(s.X, s.three, with(Bands::open));
  EXPECT_NEAR(predict(three, far).probability.sum(), 1, 1e-12);
}

TEST(RelevanceBands, OpenWhereThereAreNoRows) {  // sinc outside [-10, 10]
  double covered_before = 0, covered = 0;
  constexpr int draws = 8;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const RelevanceSample s = relevance_sample(100, 40 + seed);
    testing::Random random(seed);
    Matrix X(200, 1);
    Vector y(200);
    for (Index i = 0; i < 200; ++i) {
      X(i, 0) = (i % 2 == 0 ? 1 : -1) * random.uniform(10, 20);
      y[i] = 5 + 2 * (std::sin(X(i, 0)) / X(i, 0) + 0.1 * random.normal());
    }
    RelevanceOptions options;
    const auto share = [&](Bands bands) {
      options.bands = bands;
      const StudentPrediction p = predict(regress(s.X, s.y, options), X);
      return ((p.mean - y).array().abs() <= p.half_width(0.95).array()).cast<double>().mean() / draws;
    };
    covered_before += share(Bands::published);
    covered += share(Bands::open);
  }
  EXPECT_LT(covered_before, 0.6);
  EXPECT_GT(covered, 0.85);
}

TEST(RelevanceBands, NeedAKernelThatFallsWithTheDistance) {
  const RelevanceSample s = relevance_sample(20, 33);
  for (const Kernel& kernel : {Kernel::linear(), Kernel::spline(), Kernel::polynomial(2)})
    expect_invalid([&] { static_cast<void>(regress(s.X, s.y, with(Bands::open, kernel))); }, {"bands is open", "gaussian"});
}

}  // namespace
}  // namespace ardvark
