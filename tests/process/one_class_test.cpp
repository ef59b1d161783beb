// Several classes with an independent answer for each.                                                       docs/math/process.md (KM.12)
#include "predict/one_class.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ardvark/kernel_machine.hpp"
#include "ardvark/model.hpp"
#include "core/normals.hpp"
#include "core/special.hpp"
#include "process/evidence.hpp"
#include "process/plain_process.hpp"

namespace ardvark::internal {
namespace {

struct Labelled {
  Matrix X;
  Vector label;
};

// Classes 0, 1, 2 with these probabilities, whatever the inputs.
Labelled noise(Index n, const Vector& share, std::uint64_t seed) {
  Normals random(seed);
  Labelled out{Matrix(n, 2), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    out.X(i, 0) = random(), out.X(i, 1) = random();
    const double u = random.uniform();
    out.label[i] = u < share[0] ? 0 : u < share[0] + share[1] ? 1 : 2;
  }
  return out;
}

TEST(OneClass, OfIndependentAnswersIsTheirOddsAndWithPowerZeroTheirShares) {
  const Matrix p{{0.6, 0.3, 0.1}, {0.5, 0.5, 1e-3}};
  Matrix odds = p, shares = p;
  given_one_class(odds, 1);
  given_one_class(shares, 0);
  for (Index n = 0; n < 2; ++n) {
    // That exactly this one of three independent answers is yes.
    const auto only = [&](Index c) { return p(n, c) * (1 - p(n, (c + 1) % 3)) * (1 - p(n, (c + 2) % 3)); };
    const double sum = only(0) + only(1) + only(2);
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(odds(n, c), only(c) / sum, 1e-14);
      EXPECT_NEAR(shares(n, c), p(n, c) / p.row(n).sum(), 1e-14);
    }
  }
}

// The answer of a row without itself is that of a fit without it, with the same widths.
TEST(OneClass, LeavesARowOutAsAFitWithoutIt) {
  const Index n = 60;
  double off = 0, apart = 0, largest = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Normals random(seed);
    Matrix X(n, 2);
    Vector t(n);
    for (Index i = 0; i < n; ++i) {
      X(i, 0) = random(), X(i, 1) = random();
      t[i] = std::sin(2 * X(i, 0)) + X(i, 1) + 0.5 * random() > 0 ? 1 : 0;
    }
    const Hyperparameters widths = (Vector(3) << std::log(6.0), 0.2, -0.3).finished();
    const auto moments_at = [&](const Matrix& rows, const Vector& of_rows, const Matrix& x_new, double& mean, double& variance) {
      const auto evidence = class_evidence(Covariance("gaussian", rows, {0, 1}), Vector::Ones(rows.rows()), of_rows);
      const ProcessRows working = evidence->posterior(widths).rows;
      const Vector log_rho = widths.tail(2);
      const Matrix K = 6 * plain::covariance("gaussian", rows, rows, log_rho), k = 6 * plain::covariance("gaussian", rows, x_new, log_rho);
      const Matrix B = (K + Matrix(working.omega.cwiseInverse().asDiagonal())).inverse();
      const Vector B1 = B.rowwise().sum();
      const double sum = B1.sum() + working.intercept_omega, b = (B1.dot(working.z) + working.intercept_omega * working.intercept_z) / sum;
      mean = b + k.col(0).dot(B * Vector(working.z.array() - b));
      const double missing = 1 - k.col(0).dot(B1);
      variance = 6 - k.col(0).dot(B * k.col(0)) + missing * missing / sum;
    };
    for (Index i = 0; i < n; ++i) {
      std::vector<Index> others;
      for (Index j = 0; j < n; ++j)
        if (j != i) others.push_back(j);
      double m = 0, v = 0, without_m = 0, without_v = 0;
      moments_at(X, t, X.row(i), m, v);
      moments_at(X(others, Eigen::all), t(others), X.row(i), without_m, without_v);
      const double expected = expected_sigmoid(without_m, without_v), found = left_out_probability(t[i] > 0.5, 1, m, v, 0);
      off += std::abs(found - expected) / (3 * n), apart += std::abs(expected_sigmoid(m, v) - expected) / (3 * n);
      largest = std::max(largest, std::abs(found - expected));
    }
  }
  EXPECT_GT(apart, 0.05);  // the row itself counts
  EXPECT_LT(off, 0.1 * apart);
  EXPECT_LT(largest, 0.05);
}

TEST(OneClass, TakesThePowerUnderWhichLeftOutRowsAreMostProbable) {
  const Index n = 50;
  Normals random(4);
  Matrix p(n, 3), left_out(n, 3);
  std::vector<Index> own;
  Vector k(n);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < 3; ++c) p(i, c) = random.uniform(), left_out(i, c) = random.uniform();
    left_out(i, i % 3) = 0.5 + 0.5 * random.uniform();
    own.push_back(i % 10 == 9 ? -1 : i % 3);
    k[i] = random.uniform();
  }
  PowerSums some, rest;
  some.add(p.topRows(20), left_out.topRows(20), {own.begin(), own.begin() + 20}, k.head(20));
  rest.add(p.bottomRows(30), left_out.bottomRows(30), {own.begin() + 20, own.end()}, k.tail(30));
  const PowerSums sums(some.numbers() + rest.numbers());
  const auto loss = [&](Matrix of, double power) {
    given_one_class(of, power);
    double sum = 0;
    for (Index i = 0; i < n; ++i)
      if (own[static_cast<std::size_t>(i)] >= 0) sum -= k[i] * std::log(of(i, own[static_cast<std::size_t>(i)]));
    return sum;
  };
  EXPECT_GT(sums.power(), 0);
  EXPECT_LT(sums.power(), 1);
  for (int i = 0; i <= 20; ++i) EXPECT_LE(loss(left_out, sums.power()), loss(left_out, 0.05 * i) + 1e-12);
  EXPECT_NEAR(sums.scores().loss, loss(p, sums.power()), 1e-11);
  double correct = 0;
  for (Index i = 0; i < n; ++i) {
    Index most = 0;
    p.row(i).maxCoeff(&most);
    if (most == own[static_cast<std::size_t>(i)]) correct += k[i];
  }
  EXPECT_NEAR(sums.scores().correct, correct, 1e-12);
  EXPECT_EQ(PowerSums().power(), 1);  // rows that say nothing leave the odds
}

// Of classes without any signal, the machine says their shares; the odds would be too sure.
TEST(OneClass, OfOverlappingClassesIsNotTooSure) {
  const Vector share{{0.6, 0.3, 0.1}};
  double ours = 0, of_odds = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Labelled rows = noise(200, share, seed), fresh = noise(500, share, seed + 50);
    KernelClassification fit = fit_kernel_classification(rows.X, rows.label);
    EXPECT_LT(fit.odds_power, 0.5);
    SavedModel model;
    model.fit = static_cast<const KernelFit&>(fit);
    model.encoding = FeatureEncoding::of_numbers(fit.input_names);
    const SavedModel again = model_from_bytes(model_to_bytes(model));
    EXPECT_TRUE(std::get<ClassProbabilities>(predict(again, fresh.X)).probability == predict(fit, fresh.X).probability);
    const auto loss = [&] {
      const Matrix p = predict(fit, fresh.X).probability;
      return -(p.array().log().matrix() * share).mean();
    };
    ours += loss() / 3;
    fit.odds_power = 1;
    of_odds += loss() / 3;
  }
  const double least = -share.dot(share.array().log().matrix());
  EXPECT_LT(ours, least + 0.03);
  EXPECT_GT(of_odds, ours + 0.03);
}

// Rows that are repeated are rows with weights, also where each is left out.
TEST(OneClass, OfRepeatedRowsIsThatOfWeights) {
  const Labelled rows = noise(60, Vector{{0.4, 0.4, 0.2}}, 7);
  const Vector k = Vector::NullaryExpr(60, [](Index i) { return i % 2 == 0 ? 2.0 : 1.0; });
  std::vector<Index> twice;
  for (Index i = 0; i < 60; ++i) twice.insert(twice.end(), static_cast<std::size_t>(k[i]), i);
  KernelOptions options;
  options.weights = k;
  const KernelClassification weighted = fit_kernel_classification(rows.X, rows.label, options);
  const Matrix X = rows.X(twice, Eigen::all);
  const Vector label = rows.label(twice);
  const KernelClassification repeated = fit_kernel_classification(X, label);
  EXPECT_EQ(weighted.odds_power, repeated.odds_power);
  EXPECT_NEAR(weighted.log_loss, repeated.log_loss, 1e-6);
  EXPECT_NEAR(weighted.accuracy, repeated.accuracy, 1e-12);
}

}  // namespace
}  // namespace ardvark::internal
