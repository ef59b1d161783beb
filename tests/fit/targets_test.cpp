// fit_targets against fit_linear, target by target.
#include "ardvark/targets.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;

struct Tables {
  Matrix X, Y;
};

TargetsOptions shared() { return {.fit = {.prior = Prior::shared()}}; }

// Targets with few or many effects, little or much noise; columns with a mean.
Tables tables(Index n, Index p, Index K, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&](Index rows, Index cols) { return Matrix(Matrix::NullaryExpr(rows, cols, [&] { return normal(random); })); };
  Tables out{draw(n, p), {}};
  out.X.rowwise() += 3 * draw(1, p).row(0);
  out.X = out.X * draw(1, p).row(0).array().exp().matrix().asDiagonal();
  Matrix W = draw(p, K);
  for (Index k = 0; k < K; ++k)
    if (k % 2 == 0) W.col(k).tail(p - std::min<Index>(p, 3)).setZero();
  out.Y = out.X * W;
  for (Index k = 0; k < K; ++k)
    out.Y.col(k) +=
        std::pow(10.0, static_cast<double>(k % 4) - 2) * draw(n, 1).col(0) * out.Y.col(k).norm() / std::sqrt(static_cast<double>(n));
  return out;
}

void expect_near(const Vector& found, const Vector& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  const double size = expected.cwiseAbs().maxCoeff();
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance * size);
}

// A fit that leaves them out takes a shorter way to the number of effective parameters.
void expect_same_without_standard_deviations(const TargetsFit& with, const TargetsFit& without) {
  EXPECT_EQ(without.sd.size(), 0);
  EXPECT_EQ(without.mean, with.mean);
  EXPECT_EQ(without.inclusion, with.inclusion);
  EXPECT_EQ(without.intercept, with.intercept);
  EXPECT_EQ(without.noise_sd, with.noise_sd);
  EXPECT_EQ(without.bound, with.bound);
  EXPECT_EQ(without.status, with.status);
  expect_near(without.effective_parameters, with.effective_parameters, 1e-12);
}

void expect_as_one_by_one(const Matrix& X, const Matrix& Y, TargetsOptions options, double tolerance = 1e-9) {
  options.standard_deviations = true;
  const TargetsFit all = fit_targets(X, Y, options);
  ASSERT_EQ(all.num_targets(), Y.cols());
  options.standard_deviations = false;
  expect_same_without_standard_deviations(all, fit_targets(X, Y, options));
  for (Index k = 0; k < Y.cols(); ++k) {
    SCOPED_TRACE(k);
    // With about as many columns as rows, a fit may be nearly perfect: the residual of the spectral solver then has ten digits. (RIDGE.10)
    FitOptions single = options.fit;
    const Index spare = X.rows() - X.cols();
    if (spare >= 0 && spare < 20 && fit_targets(X, Y.col(k), options).num_alone == 0) single.solver = SolverKind::qr;
    const LinearFit one = fit_linear(X, Vector(Y.col(k)), single);
    const auto status = all.status[static_cast<std::size_t>(k)];
    EXPECT_EQ(status == TargetStatus::converged || status == TargetStatus::constant, one.report.status == Status::converged);
    EXPECT_EQ(all.sweeps[static_cast<std::size_t>(k)], one.report.sweeps);
    expect_near(all.mean.col(k), one.mean, tolerance);
    expect_near(all.sd.col(k), one.variance.cwiseSqrt(), tolerance);
    if (one.prior == PriorKind::shared && one.precision.size() > 0) {
      EXPECT_NEAR(all.precision[k] / one.precision[0], 1, tolerance);
    }
    EXPECT_NEAR(all.noise_sd[k] / noise_sd(one), 1, tolerance);
    if (std::isfinite(one.degrees_of_freedom())) {
      EXPECT_NEAR(all.degrees_of_freedom[k] / one.degrees_of_freedom(), 1, 1e-12);
    } else {
      EXPECT_EQ(all.degrees_of_freedom[k], one.degrees_of_freedom());
    }
    EXPECT_EQ(all.num_rows[k], one.num_rows);
    EXPECT_NEAR(all.bound[k], one.bound, tolerance * (std::abs(one.bound) + one.num_rows));
    EXPECT_NEAR(all.r_squared[k], one.r_squared, tolerance);
    EXPECT_NEAR(all.effective_parameters[k], one.effective_parameters, tolerance * (1 + one.effective_parameters));
    ASSERT_EQ(one.intercept.has_value(), all.intercept.size() > 0);
    const double size = Y.col(k).cwiseAbs().maxCoeff() + (X * one.mean).cwiseAbs().maxCoeff();
    if (one.intercept) {
      EXPECT_NEAR(all.intercept[k], one.intercept->mean, tolerance * size);
    }
  }
}

TEST(Targets, AreTheFitsOneByOne) {  // (TGT.1) to (TGT.4)
  unsigned seed = 0;
  for (const auto& [n, p] : {std::pair<Index, Index>{100, 5}, {70, 200}, {80, 80}, {300, 120}, {61, 60}, {64, 1}})
    for (const bool intercept : {true, false})
      for (const bool standardize : {true, false}) {
        SCOPED_TRACE(::testing::Message() << n << " x " << p << ", intercept " << intercept << ", standardize " << standardize);
        const auto [X, Y] = tables(n, p, 8, ++seed);
        TargetsOptions options = shared();
        options.fit.intercept = intercept;
        options.fit.standardize = standardize;
        expect_as_one_by_one(X, Y, options);
      }
}

TEST(Targets, OfFewRowsAreTheFitsOneByOne) {  // (LIN.9)
  for (const auto& [n, p] : {std::pair<Index, Index>{20, 5}, {45, 90}, {3, 2}}) {
    const auto [X, Y] = tables(n, p, 4, 7);
    expect_as_one_by_one(X, Y, shared(), 0);
    TargetsOptions plain = shared();
    plain.fit.integrate_few_rows = false;
    expect_as_one_by_one(X, Y, plain);
    EXPECT_EQ(fit_targets(X, Y, shared()).num_alone, 4);
  }
}

TEST(Targets, HaveWeightsOfRowsAndColumnsThatAreLeftOut) {  // (LIN.6)
  for (const auto& [n, p] : {std::pair<Index, Index>{90, 6}, {90, 150}}) {
    auto [X, Y] = tables(n, p, 5, 11);
    X.col(1).setConstant(4);
    X.col(3) = 2 * X.col(0).array() - 1;
    Vector k = Vector::LinSpaced(n, 0, 3);
    TargetsOptions options = shared();
    options.fit.weights = k;
    expect_as_one_by_one(X, Y, options);
    const TargetsFit fits = fit_targets(X, Y, options);
    EXPECT_TRUE(fits.left_out[1] && fits.left_out[3]);
    EXPECT_EQ(fits.mean(1, 0), 0);
    EXPECT_EQ(fits.notes.size(), 2U);
  }
  const auto [X, Y] = tables(80, 2, 3, 12);
  expect_as_one_by_one(Matrix(Matrix::Ones(80, 2)), Y, shared());  // nothing to explain with
}

TEST(Targets, LeaveOutRowsOfWeightZeroWhateverTheTargetsHold) {  // (LIN.6)
  const auto [X, Y] = tables(90, 6, 4, 13);
  for (const Prior& prior : {Prior::shared(), Prior::none(), Prior::sparse(), Prior::ard()}) {
    Vector k = Vector::LinSpaced(90, 1, 2);
    Matrix wrong = Y;
    for (const Index i : {0, 7, 50, 89}) {
      k[i] = 0;
      wrong.row(i) << std::nan(""), std::numeric_limits<double>::infinity(), 1e200, -1e308;
    }
    TargetsOptions options = shared();
    options.fit.prior = prior;
    options.fit.weights = k;
    options.standard_deviations = true;
    const TargetsFit expected = fit_targets(X, Y, options);
    using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const ByRows by_rows = wrong;
    for (const MatrixView& view : {MatrixView(wrong), MatrixView(by_rows)}) {
      const TargetsFit found = fit_targets(X, view, options);
      EXPECT_EQ(found.status, expected.status);
      EXPECT_EQ(found.mean, expected.mean);
      EXPECT_EQ(found.sd, expected.sd);
      EXPECT_EQ(found.r_squared, expected.r_squared);
      EXPECT_EQ(found.bound, expected.bound);
    }
  }
}

TEST(Targets, InAnyUnitsSideBySide) {
  for (const auto& [n, p] : {std::pair<Index, Index>{80, 10}, {80, 120}}) {
    auto [X, Y] = tables(n, p, 6, 21);
    const TargetsFit plain = fit_targets(X, Y, shared());
    const Vector unit = (Vector(6) << 1e-12, 1e-6, 1, 1e3, 1e9, 1e12).finished();
    const Matrix scaled = Y * unit.asDiagonal();
    const TargetsFit fits = fit_targets(X, scaled, shared());
    for (Index k = 0; k < 6; ++k) {
      expect_near(fits.mean.col(k) / unit[k], plain.mean.col(k), 1e-12);
      EXPECT_NEAR(fits.noise_sd[k] / unit[k] / plain.noise_sd[k], 1, 1e-12);
    }
    expect_as_one_by_one(X, scaled, shared());
  }
}

TEST(Targets, ThatCannotBeFittedHaveAStatusOfTheirOwn) {
  for (const auto& [n, p] : {std::pair<Index, Index>{80, 10}, {80, 120}, {20, 3}}) {
    auto [X, Y] = tables(n, p, 6, 31);
    const TargetsFit before = fit_targets(X, Y, shared());
    Y.col(1).setConstant(-2.5);
    Y(4, 2) = std::numeric_limits<double>::quiet_NaN();
    Y(0, 3) = std::numeric_limits<double>::infinity();
    Y.col(4) *= 1e200;
    TargetsOptions options = shared();
    options.standard_deviations = true;
    const TargetsFit fits = fit_targets(X, Y, options);
    EXPECT_EQ(fits.status, (std::vector<TargetStatus>{TargetStatus::converged, TargetStatus::constant, TargetStatus::not_finite,
                                                      TargetStatus::not_finite, TargetStatus::out_of_range, TargetStatus::converged}));
    for (const Index k : {2, 3, 4}) {
      EXPECT_TRUE(fits.mean.col(k).array().isNaN().all() && fits.sd.col(k).array().isNaN().all());
      EXPECT_TRUE(std::isnan(fits.bound[k]) && std::isnan(fits.noise_sd[k]) && std::isnan(fits.intercept[k]));
    }
    EXPECT_EQ(fits.intercept[1], -2.5);
    EXPECT_TRUE((fits.mean.col(1).array() == 0).all());
    for (const Index k : {0, 5}) EXPECT_TRUE(fits.mean.col(k) == before.mean.col(k) && fits.bound[k] == before.bound[k]);
    const LinearFit constant = fit_linear(X, Vector(Y.col(1)), options.fit);
    EXPECT_NEAR(fits.bound[1], constant.bound, 1e-9 * std::abs(constant.bound));
  }
}

TEST(Targets, ThatAreFittedExactly) {  // (TGT.3)
  for (const auto& [n, p] : {std::pair<Index, Index>{120, 10}, {80, 100}}) {
    auto [X, Y] = tables(n, p, 4, 41);
    Y.col(0) = X.col(2);
    Y.col(1) = 7 - 1e-3 * X.col(0).array();
    Y.col(2) = X.col(1) + 1e-7 * Y.col(3);
    expect_as_one_by_one(X, Y, shared(), 1e-7);
  }
}

TEST(Targets, OfColumnsThatAreNearlyCollinear) {
  auto [X, Y] = tables(150, 6, 4, 51);
  X.col(5) = X.col(0) + X.col(1) + 1e-7 * X.col(5);
  Y.col(0) = X.col(5) + 1e-9 * Y.col(0);
  expect_as_one_by_one(X, Y, shared(), 1e-7);
}

TEST(Targets, HaveTheSameBitsWhateverIsBesideThem) {  // (TGT.5)
  for (const auto& [n, p] : {std::pair<Index, Index>{90, 20}, {70, 150}, {200, 33}}) {
    const auto [X, Y] = tables(n, p, 300, 61);
    TargetsOptions options = shared();
    options.standard_deviations = true;
    options.fit.threads = 1;
    const TargetsFit all = fit_targets(X, Y, options);
    const auto expect_same = [&](const TargetsFit& some, Index k, Index of_all) {
      EXPECT_TRUE(some.mean.col(k) == all.mean.col(of_all) && some.sd.col(k) == all.sd.col(of_all));
      EXPECT_TRUE(some.bound[k] == all.bound[of_all] && some.intercept[k] == all.intercept[of_all]);
      EXPECT_TRUE(some.noise_sd[k] == all.noise_sd[of_all] && some.precision[k] == all.precision[of_all]);
    };
    options.fit.threads = 3;
    const TargetsFit threads = fit_targets(X, Y, options), part = fit_targets(X, Y.middleCols(101, 7), options),
                     one = fit_targets(X, Y.col(299), options);
    const TargetsFit turned = fit_targets(X, Matrix(Y.rowwise().reverse()), options);
    for (Index k = 0; k < 300; ++k) expect_same(threads, k, k), expect_same(turned, k, 299 - k);
    for (Index k = 0; k < 7; ++k) expect_same(part, k, 101 + k);
    expect_same(one, 0, 299);
  }
}

TEST(Targets, InEitherOrderAndPrecision) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto [X, Y] = tables(75, 100, 9, 71);
  const Eigen::MatrixXf floats = Y.cast<float>();
  const RowMajor by_row = floats;
  const Matrix doubles = floats.cast<double>();
  const TargetsFit expected = fit_targets(X, doubles, shared());
  TargetsOptions options = shared();
  Eigen::MatrixXf mean = Eigen::MatrixXf::Constant(103, 9, -1), sd(100, 9);
  options.mean = TargetColumns(mean.data(), 103);
  options.sd = TargetColumns(sd.data());
  options.standard_deviations = true;
  for (const MatrixView view : {MatrixView(floats), MatrixView(by_row)}) {
    const TargetsFit fits = fit_targets(X, view, options);
    EXPECT_EQ(fits.mean.size(), 0);
    EXPECT_TRUE(fits.bound == expected.bound);
    for (Index k = 0; k < 9; ++k) expect_near(mean.topRows(100).col(k).cast<double>(), expected.mean.col(k), 3e-6);
    EXPECT_TRUE((mean.bottomRows(3).array() == -1).all() && (sd.array() > 0).all());
    EXPECT_TRUE(fit_targets(X, view, shared()).mean == expected.mean);
  }
}

void expect_same_predictions(const Matrix& X, const Matrix& Y, TargetsOptions options, const Matrix& X_new, double tolerance = 1e-9) {
  options.fit.keep_covariance = Keep::always;
  const TargetsFit all = fit_targets(X, Y, options);
  for (const PredictionOf what : {PredictionOf::new_observation, PredictionOf::mean}) {
    const TargetsPrediction found = predict(all, X_new, {.what = what});
    const TargetsPrediction without = predict(all, X_new, {.standard_deviations = false});
    EXPECT_EQ(without.sd.size(), 0);
    for (Index k = 0; k < Y.cols(); ++k) {
      SCOPED_TRACE(k);
      const StudentPrediction expected = predict(fit_linear(X, Vector(Y.col(k)), options.fit), X_new, what);
      expect_near(found.mean.col(k), expected.mean, tolerance);
      expect_near(without.mean.col(k), expected.mean, tolerance);
      expect_near(found.sd.col(k), expected.standard_deviation(), tolerance);
    }
  }
}

TEST(Targets, PredictAsTheFitsOneByOne) {  // (TGT.8)
  for (const auto& [n, p] : {std::pair<Index, Index>{100, 5}, {70, 200}, {80, 80}, {20, 4}})
    for (const bool intercept : {true, false})
      for (const bool standardize : {true, false}) {
        SCOPED_TRACE(::testing::Message() << n << " x " << p << ", intercept " << intercept << ", standardize " << standardize);
        auto [X, Y] = tables(n, p, 4, 91);
        if (p > 4) X.col(2).setConstant(3);
        TargetsOptions options = shared();
        options.fit.intercept = intercept;
        options.fit.standardize = standardize;
        Matrix X_new = tables(9, p, 1, 92).X + X.topRows(9);
        X_new.row(0) = X.row(0);
        expect_same_predictions(X, Y, options, X_new, 1e-8);
      }
}

TEST(Targets, PredictIntoTheMemoryOfTheCaller) {
  const auto [X, Y] = tables(75, 100, 9, 93);
  TargetsOptions options = shared();
  Matrix coefficients(100, 9);
  options.mean = TargetColumns(coefficients.data());
  const TargetsFit fits = fit_targets(X, Y, options);
  const TargetsPrediction expected = predict(fit_targets(X, Y, shared()), X);
  Eigen::MatrixXf mean = Eigen::MatrixXf::Constant(80, 9, -1);
  Matrix sd(75, 9);
  const TargetsPrediction found =
      predict(fits, X, {.coefficients = coefficients, .mean = TargetColumns(mean.data(), 80), .sd = TargetColumns(sd.data())});
  EXPECT_EQ(found.mean.size() + found.sd.size(), 0);
  EXPECT_TRUE(sd == expected.sd);
  for (Index k = 0; k < 9; ++k) expect_near(mean.col(k).head(75).cast<double>(), expected.mean.col(k), 3e-6);
  EXPECT_TRUE((mean.bottomRows(5).array() == -1).all());
  expect_invalid([&, &X = X] { static_cast<void>(predict(fits, X)); }, {"the coefficients are 0 x 0; they must be 100 x 9"});
  expect_invalid([&, &X = X] { static_cast<void>(predict(fits, X.leftCols(3))); }, {"X_new has 3 columns; the fit has 100"});
  options = shared();
  options.predictions = false;
  expect_invalid([&, &X = X, &Y = Y] { static_cast<void>(predict(fit_targets(X, Y, options), X)); }, {"predictions = true"});
}

TEST(Targets, UnderEveryPriorAreTheFitsOneByOne) {  // (TGT.9)
  const auto [X, Y] = tables(70, 8, 3, 95);
  std::vector<TargetsOptions> all;
  for (const Prior& prior :
       {Prior::automatic(), Prior::sparse(), Prior::slab(), Prior::dense(), Prior::ard(), Prior::shared().flat({0}), Prior::laplace(0.1)})
    all.push_back({.fit = {.prior = prior}});
  all.push_back(shared());
  all.back().fit.posterior = LinearPosterior::factorised;
  all.push_back(shared());
  all.back().fit.family = Family::student;
  for (const TargetsOptions& options : all) {
    SCOPED_TRACE(::testing::Message() << to_string(options.fit.prior.kind) << ", " << to_string(options.fit.posterior));
    const PriorKind kind = options.fit.prior.kind;
    const bool reduces_once =
        kind == PriorKind::automatic || kind == PriorKind::sparse || kind == PriorKind::slab || kind == PriorKind::dense;
    expect_as_one_by_one(X, Y, options, reduces_once ? 1e-9 : 0);
    expect_same_predictions(X, Y, options, X.topRows(5), reduces_once ? 1e-9 : 0);
    EXPECT_EQ(fit_targets(X, Y, options).num_alone, 3);
  }
  const TargetsFit sparse = fit_targets(X, Y, {.fit = {.prior = Prior::sparse(), .threads = 2}});
  for (Index k = 0; k < 3; ++k)
    expect_near(sparse.inclusion.col(k), fit_linear(X, Vector(Y.col(k)), {.prior = Prior::sparse()}).sparse->inclusion, 1e-9);
  EXPECT_EQ(sparse.prior, PriorKind::sparse);
}

// Which columns form a block depends on the target.                                                                      (SP.13), (TGT.9)
TEST(Targets, OfCorrelatedColumnsAreTheFitsOneByOne) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    auto [X, Y] = tables(90, seed % 2 == 0 ? 5 : 24, 3, 200 + seed);
    for (Index j = 1; j < X.cols(); ++j) X.col(j) = X.col(j - 1) / X.col(j - 1).norm() + 0.3 * X.col(j) / X.col(j).norm();
    Y = X.leftCols(3) * Matrix::Random(3, 3) + 0.02 * Matrix::Random(90, 3);
    for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense()}) expect_as_one_by_one(X, Y, {.fit = {.prior = prior}}, 1e-7);
  }
}

TEST(Targets, WithGapsAreFittedToTheRowsThatTheyHave) {
  for (const Prior& prior : {Prior::shared(), Prior::sparse()}) {
    auto [X, Y] = tables(90, 6, 6, 97);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Vector k = Vector::LinSpaced(90, 1, 2);
    for (const Index i : {3, 50, 51}) Y(i, 1) = Y(i, 4) = nan;
    Y.col(2).tail(20).setConstant(nan);
    Y.col(3).setConstant(nan);
    Y(7, 5) = std::numeric_limits<double>::infinity();
    TargetsOptions options{.fit = {.prior = prior}};
    options.fit.weights = k;
    options.fit.keep_covariance = Keep::always;
    EXPECT_EQ(fit_targets(X, Y, options).status[1], TargetStatus::not_finite);
    options.drop_missing = true;
    const TargetsFit fits = fit_targets(X, Y, options);
    const TargetsPrediction predicted = predict(fits, X);
    EXPECT_EQ(fits.status[3], TargetStatus::few_rows);
    EXPECT_EQ(fits.status[5], TargetStatus::not_finite);
    EXPECT_TRUE(predicted.mean.col(3).array().isNaN().all());
    for (const Index target : {0, 1, 2, 4}) {
      std::vector<Index> rows;
      for (Index i = 0; i < 90; ++i)
        if (!std::isnan(Y(i, target))) rows.push_back(i);
      FitOptions one = options.fit;
      const Vector weights = k(rows), y = Y(rows, target);
      one.weights = weights;
      const LinearFit expected = fit_linear(Matrix(X(rows, Eigen::all)), y, one);
      expect_near(fits.mean.col(target), expected.mean, 1e-9);
      EXPECT_NEAR(fits.bound[target], expected.bound, 1e-9 * std::abs(expected.bound));
      EXPECT_EQ(fits.num_rows[target], expected.num_rows);
      expect_near(predicted.sd.col(target), predict(expected, X).standard_deviation(), 1e-9);
    }
  }
}

TEST(Targets, HaveTheEvidenceAgainstTheColumnsWithoutAPrior) {  // (TGT.6)
  for (const bool intercept : {true, false})
    for (const bool has_flat : {true, false})
      for (const Prior& prior : {Prior::shared(), Prior::sparse(), Prior::slab(), Prior::dense()}) {
        if (has_flat && prior.kind == PriorKind::dense) continue;
        SCOPED_TRACE(::testing::Message() << to_string(prior.kind) << ", intercept " << intercept << ", flat " << has_flat);
        auto [X, Y] = tables(80, 5, 4, 101);
        Vector k = Vector::LinSpaced(80, 0.5, 2);
        TargetsOptions options{.fit = {.prior = prior}};
        options.fit.weights = k;
        options.fit.intercept = intercept;
        if (has_flat) options.fit.prior.flat_columns = {2};
        const TargetsFit fits = fit_targets(X, Y, options);
        Matrix without = Matrix::Zero(80, 5);  // columns that are left out
        if (has_flat) without.col(2) = X.col(2);
        FitOptions same = options.fit;
        if (prior.kind == PriorKind::shared) same.noise = {1e-2, 1e-10};
        for (Index t = 0; t < 4; ++t) {
          const LinearFit flat = fit_linear(without, Vector(Y.col(t)), same);
          EXPECT_NEAR(fits.evidence[t], fits.bound[t] - flat.bound, 1e-8 * std::abs(flat.bound));
        }
      }
}

// The density of the target under weights of variance h, and none, with the noise integrated: by matrices of all rows.
TEST(Targets, HaveTheEvidenceOfEffectsOfOneSize) {  // (TGT.6)
  for (const auto& [n, p] : {std::pair<Index, Index>{70, 5}, {61, 90}, {20, 4}})
    for (const bool intercept : {true, false}) {
      const auto [X, Y] = tables(n, p, 3, 107);
      TargetsOptions options = shared();
      options.fit.standardize = false;
      options.fit.intercept = intercept;
      options.fit.noise = {0.5, 0.7};
      const TargetsFit fits = fit_targets(X, Y, options);
      // An orthonormal basis of what the constant leaves.
      Matrix ones = Matrix::Ones(n, 1);
      const Matrix Q = Eigen::HouseholderQR<Matrix>(ones).householderQ();
      const Matrix left = intercept ? Matrix(Q.rightCols(n - 1)) : Matrix::Identity(n, n);
      const Matrix Z = left.transpose() * X, K = Z * Z.transpose();
      const Matrix y = left.transpose() * Y;
      const double trace = K.trace(), shape = 0.5 + 0.5 * static_cast<double>(left.cols());
      double h = 2 * std::sqrt(2 * trace * trace / K.squaredNorm()) / trace;
      for (Index size = 0; size < fits.log_bayes.rows(); ++size, h *= 2) {
        const Eigen::LLT<Matrix> root(Matrix(Matrix::Identity(left.cols(), left.cols()) + h * K));
        const double log_det = 2 * Matrix(root.matrixL()).diagonal().array().log().sum();
        for (Index k = 0; k < 3; ++k) {
          const double with = 0.7 + 0.5 * y.col(k).dot(root.solve(y.col(k))), without = 0.7 + 0.5 * y.col(k).squaredNorm();
          const double expected = -0.5 * log_det - shape * std::log(with / without);
          EXPECT_NEAR(fits.log_bayes(size, k), expected, 1e-6 * (1 + std::abs(expected))) << n << " x " << p << ", size " << size;
        }
      }
    }
}

TEST(Targets, HaveTheErrorsOfRowsThatTheyHaveNotSeen) {  // (TGT.7)
  for (const auto& [n, p] : {std::pair<Index, Index>{70, 5}, {65, 100}})
    for (const bool intercept : {true, false}) {
      SCOPED_TRACE(::testing::Message() << n << " x " << p << ", intercept " << intercept);
      const auto [X, Y] = tables(n, p, 3, 103);
      const Vector k = Vector::LinSpaced(n, 0.5, 1.5);
      TargetsOptions options = shared();
      options.fit.standardize = false;
      options.fit.intercept = intercept;
      options.fit.weights = k;
      options.leave_one_out = true;
      const TargetsFit fits = fit_targets(X, Y, options);
      for (Index t = 0; t < 3; ++t) {
        double missed = 0, alone = 0;
        for (Index i = 0; i < n; ++i) {
          Vector others = k;
          others[i] = 0;
          const double rows = others.sum(), unit = intercept ? 1 : 0;
          const Vector mean = unit * X.transpose() * others / rows;
          const double center = unit * others.dot(Y.col(t)) / rows;
          const Matrix Z = X.rowwise() - mean.transpose();
          const Vector y = Y.col(t).array() - center;
          Matrix A = Z.transpose() * others.asDiagonal() * Z;
          A.diagonal().array() += fits.precision[t];
          const Vector w = A.ldlt().solve(Z.transpose() * others.asDiagonal() * y);
          missed += k[i] * std::pow(y[i] - Z.row(i).dot(w), 2);
          alone += k[i] * y[i] * y[i];
        }
        EXPECT_NEAR(fits.r_squared_loo[t], 1 - missed / alone, 1e-8);
      }
    }
}

ExplainedTargets explained(const TargetsFit& fits, double rate) { return explained_targets(fits.log_bayes, fits.log_bayes_of_noise, rate); }

struct Simulation {
  Index n, p, K;
  double share;        // of targets with effects; they are the first ones
  bool same_size;      // of all effects; otherwise they are normal
  double least_power;  // of the targets with effects, so many are found
  TargetsOptions options = shared();
};

TEST(Targets, ThatAreExplainedAreFoundAtTheRateThatIsStated) {  // (TGT.6)
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto draw = [&](Index rows, Index cols) { return Matrix(Matrix::NullaryExpr(rows, cols, [&] { return normal(random); })); };
  for (const Simulation& one : {Simulation{100, 10, 1000, 0, false, 0},
                                {100, 10, 1000, 0.3, false, 0.6},
                                {100, 1, 1000, 0.3, true, 0.3},
                                {80, 5, 200, 0, false, 0, TargetsOptions{}},
                                {80, 5, 200, 0.3, false, 0.3, TargetsOptions{}},
                                {80, 30, 100, 0, false, 0, TargetsOptions{}},
                                {20, 3, 100, 0, false, 0, TargetsOptions{}}}) {
    SCOPED_TRACE(::testing::Message() << one.n << " x " << one.p << ", " << one.K << " targets, share " << one.share << ", prior "
                                      << to_string(one.options.fit.prior.kind));
    const Matrix X = draw(one.n, one.p);
    Matrix W = 0.2 * draw(one.p, one.K);
    if (one.same_size) W = 0.25 * W.cwiseSign();
    W.rightCols(static_cast<Index>((1 - one.share) * static_cast<double>(one.K))).setZero();
    const TargetsFit fits = fit_targets(X, Matrix(X * W + draw(one.n, one.K)), one.options);
    const ExplainedTargets found = explained(fits, 0.1);
    double right = 0, wrong = 0;
    const double effects = one.share * static_cast<double>(one.K);
    for (Index k = 0; k < one.K; ++k)
      if (found.selected[static_cast<std::size_t>(k)]) (static_cast<double>(k) < effects ? right : wrong) += 1;
    if (one.share == 0) {
      EXPECT_LE(wrong, 3);
      EXPECT_LT(found.share, 0.1);
      continue;
    }
    EXPECT_GE(right, one.least_power * effects);
    EXPECT_LE(wrong, 0.1 * (right + wrong) + 2 * std::sqrt(0.1 * 0.9 * (right + wrong)));  // two standard errors
    EXPECT_GT(found.share, 0.4 * one.share);
    EXPECT_LT(found.share, one.share + 3 * std::sqrt(one.share / static_cast<double>(one.K)));
  }
  // One of two, which the draws of noise alone would call noise.
  Matrix two(1, 2), noise(1, 100);
  two << 120, -1;
  noise.setConstant(-0.5);
  EXPECT_EQ(explained_targets(two, noise, 0.1).selected, (std::vector<bool>{true, false}));
  expect_invalid([] { static_cast<void>(explained_targets(Matrix(Matrix::Zero(2, 3)), {}, 1)); }, {"rate"});
  EXPECT_TRUE(std::isnan(explained_targets(Matrix(Matrix::Constant(2, 1, std::nan(""))), {}, 0.1).probability[0]));
}

TEST(Targets, ThatAreConstantAreNotAmongThoseThatMayBeExplained) {  // (TGT.6)
  const auto [X, Y] = tables(80, 4, 20, 111);
  Matrix more = Matrix::Zero(80, 300);
  more.leftCols(20) = Y;
  for (const TargetsOptions& options : {shared(), TargetsOptions{}}) {
    const ExplainedTargets some = explained(fit_targets(X, Y, options), 0.1), all = explained(fit_targets(X, more, options), 0.1);
    EXPECT_TRUE(all.probability.head(20) == some.probability);
    EXPECT_TRUE(all.probability.tail(280).array().isNaN().all());
    EXPECT_EQ(all.share, some.share);
  }
}

// What columns without a prior explain is not what the others explain.                                                          (TGT.6)
TEST(Targets, ThatCovariatesExplainAreNotExplained) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  const auto draw = [&](Index rows, Index cols) { return Matrix(Matrix::NullaryExpr(rows, cols, [&] { return normal(random); })); };
  const Matrix X = draw(90, 4);
  Matrix Y = draw(90, 40);
  Y += 2 * X.col(0) * Matrix::Ones(1, 40);
  for (const Prior& prior : {Prior::shared().flat({0}), Prior::sparse().flat({0})}) {
    const TargetsFit fits = fit_targets(X, Y, {.fit = {.prior = prior}});
    const ExplainedTargets found = explained(fits, 0.1);
    EXPECT_LE(std::count(found.selected.begin(), found.selected.end(), true), 1);
    EXPECT_LT(found.share, 0.3);
  }
}

TEST(Targets, WhoseCoefficientsDoNotFitTheirTypeHaveAStatus) {
  const auto [X, Y] = tables(70, 3, 4, 117);
  Matrix all = Y;
  all.col(1) *= 1e40, all.col(2) *= 1e-44;
  for (const TargetsOptions& usual : {shared(), TargetsOptions{}}) {
    TargetsOptions options = usual;
    options.fit.standardize = true;
    Eigen::MatrixXf W(3, 4);
    options.mean = W.data();
    const TargetsFit fits = fit_targets(X, all, options);
    EXPECT_EQ(fits.status, (std::vector<TargetStatus>{TargetStatus::converged, TargetStatus::out_of_range, TargetStatus::out_of_range,
                                                      TargetStatus::converged}));
    EXPECT_TRUE(W.col(1).array().isNaN().all() && W.col(2).array().isNaN().all());
    EXPECT_TRUE(std::isnan(predict(fits, X, {.coefficients = MatrixView(W)}).mean(0, 1)));
  }
}

TEST(Targets, OfTooFewRowsHaveThatStatus) {
  auto [X, Y] = tables(70, 4, 3, 119);
  Y.col(1).tail(67).setConstant(std::numeric_limits<double>::quiet_NaN());
  for (const Prior& prior : {Prior::none(), Prior::laplace(0)}) {
    TargetsOptions options{.fit = {.prior = prior}, .drop_missing = true};
    if (prior.kind == PriorKind::laplace) Y.col(1).tail(69).setConstant(std::numeric_limits<double>::quiet_NaN());
    const TargetsFit fits = fit_targets(X, Y, options);
    EXPECT_EQ(fits.status, (std::vector<TargetStatus>{TargetStatus::converged, TargetStatus::few_rows, TargetStatus::converged}));
  }
}

TEST(Targets, RefuseWhatTheyDoNotHave) {
  const auto [X, Y] = tables(70, 4, 3, 81);
  const auto refuses = [&, &X = X, &Y = Y](auto&& change, const char* what) {
    TargetsOptions options = shared();
    change(options);
    expect_invalid([&] { static_cast<void>(fit_targets(X, Y, options)); }, {what});
  };
  refuses([](TargetsOptions& o) { o.fit.solver = SolverKind::iterative; }, "solver");
  refuses([](TargetsOptions& o) { o.fit.start_precision = {1, 2}; }, "start_precision");
  refuses([](TargetsOptions& o) { o.fit.preset = "vb_linear_fit"; }, "preset");
  refuses([](TargetsOptions& o) { o.fit.tolerance = -1; }, "tolerance");
  expect_invalid([&, &X = X] { static_cast<void>(fit_targets(X, Matrix(70, 0))); }, {"Y has no columns"});
  expect_invalid([&, &X = X, &Y = Y] { static_cast<void>(fit_targets(X, Y.topRows(9))); }, {"Y has 9 rows and X has 70"});
}

}  // namespace
}  // namespace ardvark
