// fit_linear and fit_logistic under the priors sparse, slab and dense, in the caller's units.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <memory>
#include <numeric>

#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "core/special.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

using testing::expect_invalid;
using testing::Random;

struct FewEffects {
  Matrix X, X_new;
  Vector y, f_new, w;
};

// num_effects normal effects, scaled so that they explain `snr` times the noise (sd 1).
FewEffects make_data(Index n, Index p, Index num_effects, double snr, unsigned seed) {
  Random random(seed);
  FewEffects d{random.normals(n, p), random.normals(500, p), {}, {}, Vector::Zero(p)};
  const std::vector<Index> order = random.permutation(p);
  for (Index j = 0; j < num_effects; ++j) d.w[order[static_cast<std::size_t>(j)]] = random.normal();
  if (num_effects > 0) d.w *= std::sqrt(snr) / d.w.norm();
  d.f_new = d.X_new * d.w;
  d.y = d.X * d.w + random.normals(n);
  return d;
}

FitOptions with(PriorKind kind) {
  FitOptions options;
  options.prior.kind = kind;
  return options;
}

// With the covariance of h as known to be what was found: (SP.6) for (SP.15).
LinearFit at_one_h(LinearFit fit) {
  auto state = std::make_shared<internal::FitState>(*fit.state);
  for (MixtureComponent& component : state->factor.mixture.components) component.spread.reset();
  fit.state = std::move(state);
  return fit;
}

double mse(const LinearFit& fit, const FewEffects& d) { return (predict(fit, d.X_new).mean - d.f_new).squaredNorm() / 500; }

Vector draw_labels(const Vector& f, unsigned seed) {
  Random random(seed);
  Vector t(f.size());
  for (Index i = 0; i < f.size(); ++i) t[i] = random.chance(sigmoid(f[i])) ? 1 : 0;
  return t;
}

TEST(SparseLinear, EvidenceDoesNotDependOnTheUnitsOfColumns) {  // of 4, 16 and 64 rows rounding once chose the grid's lattice (SP.21)
  for (const Index n : {Index{4}, Index{16}, Index{64}})
    for (unsigned seed = 1; seed <= 2; ++seed) {
      FewEffects d = make_data(n, 2, 1, 2, seed);
      Vector t = draw_labels(3 * d.X.col(0), seed);
      t[0] = 1 - t[1];                                // two classes
      for (const bool standardize : {true, false}) {  // without: the prior is in units of the columns' mean square
        FitOptions options = with(PriorKind::sparse);
        options.standardize = standardize;
        const double bound = fit_linear(d.X, d.y, options).bound, of_classes = fit_logistic(d.X, t, options).bound;
        for (const double unit : {1e-3, 7.3, 1e4}) {
          EXPECT_NEAR(fit_linear(Matrix(unit * d.X), d.y, options).bound, bound, 1e-5) << n << " rows, times " << unit;
          EXPECT_NEAR(fit_logistic(Matrix(unit * d.X), t, options).bound, of_classes, 1e-4) << n << " rows, times " << unit;
        }
      }
    }
}

TEST(SparseLinear, WeightsSumToOneWhereTheEvidenceIsLarge) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const FewEffects d = make_data(30, 3, 1, 2, seed);
    FitOptions options = with(PriorKind::sparse);
    const Vector weights = Vector::Constant(30, 5000.0 + seed);
    options.weights = weights;
    const LinearFit fit = fit_linear(d.X, d.y, options);
    double sum = 0;
    for (const SparseStart& start : fit.sparse->starts) sum += start.weight;
    EXPECT_NEAR(sum, 1, 1e-15);
  }
}

// A Gram matrix squares the ratio of their sizes: of these its eigenvalues keep no digit of the small ones.
TEST(SparseLinear, ColumnsOfVeryDifferentSizesAreAllSeen) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    FewEffects d = make_data(40, 5, 0, 0, seed);
    const Vector size = (Vector(5) << 1e-3, 1e2, 1, 1e3, 1e-2).finished(), w = (Vector(5) << 2, 0, -2, 0, 3).finished();
    d.y = d.X * w + 0.1 * Random(seed + 100).normals(40);
    for (const bool standardize : {false, true}) {
      FitOptions options = with(PriorKind::sparse);
      options.standardize = standardize;
      const LinearFit fit = fit_linear(Matrix(d.X * size.asDiagonal()), d.y, options);
      const Vector found = fit.mean.cwiseProduct(size);
      EXPECT_GT(fit.r_squared, 0.99) << seed << standardize;
      EXPECT_LT((found - w).cwiseAbs().maxCoeff(), 0.1) << seed << standardize;
      const Vector fitted = (d.X * found).array() + fit.intercept->mean;
      const double around = (d.y.array() - d.y.mean()).square().sum();
      EXPECT_NEAR(fit.r_squared, 1 - (d.y - fitted).squaredNorm() / around, 1e-8);
    }
  }
}

TEST(SparseLinear, MoreColumnsThanRowsOfVeryDifferentSizesAreAllSeen) {  // seed 1018090 of the random problems, shrunk
  const Matrix X = (Matrix(4, 5) << -7.8e7, -370, 0.0083, -12, -180, -1.4e8, 370, 0.011, 7.1, 210, -9.3e7, -320, 0.0041, -2.5, 25, 6.6e7,
                    -1700, -0.00067, -2.3, 14)
                       .finished();
  const Vector y = (Vector(4) << -1190.6, 1949.1, -4416.1, -26028.4).finished(), weights = (Vector(4) << 4, 4, 1, 4).finished();
  FitOptions options = with(PriorKind::sparse);
  options.standardize = false;
  options.weights = weights;
  const LinearFit fit = fit_linear(X, y, options);
  EXPECT_GT(fit.r_squared, 0.999) << "it was .961, of the large column alone";
  EXPECT_GT(fit.sparse->inclusion[1], 0.9);
}

TEST(SparseLinear, ConstantTargetIsSaidToBeOneInAnyUnits) {
  FewEffects d = make_data(20, 3, 1, 1, 4);
  FitOptions options = with(PriorKind::sparse);
  options.standardize = false;
  const Vector weights = Random(5).normals(20).cwiseAbs();  // the weighted mean of a constant is one but for rounding
  options.weights = weights;
  const LinearFit fit = fit_linear(d.X, Vector(Vector::Constant(20, 73.14)), options);
  EXPECT_TRUE(std::any_of(fit.report.warnings.begin(), fit.report.warnings.end(),
                          [](const std::string& warning) { return warning.find("target is constant") != std::string::npos; }));
  EXPECT_EQ(fit.mean.cwiseAbs().maxCoeff(), 0);
  EXPECT_NEAR(fit.intercept->mean, 73.14, 1e-12);
}

TEST(SparseLinear, FindsFewEffectsAmongManyColumns) {
  double error = 0, dense = 0, covered = 0, noise = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const FewEffects d = make_data(200, 1000, 5, 2, seed);
    const LinearFit fit = fit_linear(d.X, d.y, with(PriorKind::sparse));
    ASSERT_EQ(fit.report.status, Status::converged);
    error += mse(fit, d) / 4;
    dense += mse(fit_linear(d.X, d.y, with(PriorKind::dense)), d) / 4;
    noise += noise_sd(fit) / 4;
    const StudentPrediction out = predict(fit, d.X_new);
    Random random(seed + 100);
    for (Index i = 0; i < 500; ++i) covered += std::abs(d.f_new[i] + random.normal() - out.mean[i]) < out.half_width()[i] ? 1.0 / 2000 : 0;
    for (Index j = 0; j < 1000; ++j) EXPECT_GT(fit.sparse->inclusion[j], std::abs(d.w[j]) > 0.5 ? 0.95 : -1);
  }
  EXPECT_LT(error, 0.1 * dense);
  EXPECT_NEAR(noise, 1, 0.07);
  EXPECT_NEAR(covered, 0.95, 0.02);
}

TEST(SparseLinear, DenseIsTheRidgeWithItsExactEvidence) {
  const FewEffects d = make_data(60, 90, 90, 2, 7);
  const LinearFit fit = fit_linear(d.X, d.y, with(PriorKind::dense));
  const SparseStart& start = fit.sparse->starts.at(0);
  const double s2 = start.noise_sd * start.noise_sd, h = start.dense_sd * start.dense_sd / s2;
  // The same ridge by the solver of the other models: a fixed precision 1/h for every column.
  std::vector<Index> all(90);
  std::iota(all.begin(), all.end(), Index{0});
  FitOptions fixed;
  fixed.prior = Prior::none().fixed(all, 1 / h);
  const LinearFit ridge = fit_linear(d.X, d.y, fixed);
  EXPECT_LT((fit.mean - ridge.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_NEAR(fit.intercept->mean, ridge.intercept->mean, 1e-10);
  EXPECT_LT((fit.covariance().diagonal().head(90) - fit.variance).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((at_one_h(fit).V() - s2 * ridge.V()).cwiseAbs().maxCoeff(), 1e-10);
  // The evidence, by the density of y: N(1 b, s2 (I + h Z Z')) over a flat b.
  Matrix Z = d.X.rowwise() - d.X.colwise().mean();
  for (Index j = 0; j < 90; ++j) Z.col(j) /= Z.col(j).norm() / std::sqrt(60.0);
  const Matrix C = s2 * (Matrix::Identity(60, 60) + h * Z * Z.transpose());
  const Eigen::LLT<Matrix> factor(C);
  const Vector one = Vector::Ones(60), Ci = factor.solve(one);
  const double y1 = d.y.dot(Ci), log_det = 2 * Matrix(factor.matrixL()).diagonal().array().log().sum();
  const double evidence =
      -0.5 * 59 * ln_2pi - 0.5 * log_det - 0.5 * std::log(Ci.sum()) - 0.5 * (d.y.dot(factor.solve(d.y)) - y1 * y1 / Ci.sum());
  const double penalty = 0.25 * std::log1p(-start.dense_fraction);
  EXPECT_NEAR(fit.bound - penalty, evidence, 1e-10 * std::abs(evidence));
}

TEST(SparseLinear, ShareOfTheVarianceIsThatOfTheRows) {
  for (const auto& [n, p] : {std::pair{80, 30}, std::pair{60, 90}}) {
    const FewEffects d = make_data(n, p, 10, 2, 19);
    Random random(3);
    Vector k(n);
    for (double& weight : k) weight = 0.5 + random.uniform();
    FitOptions options = with(PriorKind::sparse);
    options.weights = k;
    options.prior.flat_columns = {1};
    const LinearFit fit = fit_linear(d.X, d.y, options);
    const double centre = k.dot(d.y) / k.sum(), around = k.dot((d.y.array() - centre).square().matrix());
    EXPECT_NEAR(fit.r_squared, 1 - k.dot((d.y - predict(fit, d.X).mean).cwiseAbs2()) / around, 1e-10);
  }
}

TEST(SparseLinear, KnowsUnitsAndShifts) {
  const FewEffects d = make_data(80, 120, 6, 3, 3);
  const LinearFit fit = fit_linear(d.X, d.y, with(PriorKind::sparse));
  Matrix X = d.X;
  for (Index j = 0; j < 120; ++j) X.col(j) = X.col(j) * (j % 2 == 0 ? 1e3 : 1e-3) + Vector::Constant(80, 7);
  const LinearFit other = fit_linear(X, Vector(1e3 * d.y.array() + 1e4), with(PriorKind::sparse));
  EXPECT_LT((other.sparse->inclusion - fit.sparse->inclusion).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_NEAR(other.bound, fit.bound - 79 * std::log(1e3), 1e-7);
  for (Index j = 0; j < 120; ++j) {
    const double unit = 1e3 / (j % 2 == 0 ? 1e3 : 1e-3);
    EXPECT_NEAR(other.mean[j], unit * fit.mean[j], 1e-7 * unit);
    EXPECT_NEAR(other.variance[j], unit * unit * fit.variance[j], 1e-7 * unit * unit);
  }
}

TEST(SparseLinear, ColumnsMayComeInAnyOrder) {
  const FewEffects d = make_data(100, 150, 8, 3, 5);
  Random random(9);
  const std::vector<Index> order = random.permutation(150);
  const LinearFit fit = fit_linear(d.X, d.y, with(PriorKind::sparse));
  const LinearFit other = fit_linear(Matrix(d.X(Eigen::all, order)), d.y, with(PriorKind::sparse));
  const StudentPrediction a = predict(fit, d.X_new), b = predict(other, Matrix(d.X_new(Eigen::all, order)));
  EXPECT_LT(((a.mean - b.mean).array() / a.scale.array()).abs().maxCoeff(), 1e-2);
}

TEST(SparseLinear, AWeightIsARepetition) {
  const FewEffects d = make_data(60, 30, 4, 3, 8);
  Vector k(60);
  Matrix X(120, 30);
  Vector y(120);
  Index rows = 0;
  for (Index i = 0; i < 60; ++i) {
    k[i] = i % 4;
    for (Index r = 0; r < i % 4; ++r) X.row(rows) = d.X.row(i), y[rows++] = d.y[i];
  }
  FitOptions weighted = with(PriorKind::sparse);
  weighted.weights = k;
  weighted.tolerance = 1e-10;
  FitOptions plain = with(PriorKind::sparse);
  plain.tolerance = 1e-10;
  const LinearFit a = fit_linear(d.X, d.y, weighted), b = fit_linear(Matrix(X.topRows(rows)), Vector(y.head(rows)), plain);
  EXPECT_NEAR(a.bound, b.bound, 1e-6);
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((a.variance - b.variance).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(SparseLinear, TakesFlatColumnsAndGroups) {
  FewEffects d = make_data(100, 40, 0, 1, 11);
  d.y += 2 * d.X.col(3) + d.X.col(10) + d.X.col(11);
  FitOptions options = with(PriorKind::sparse);
  options.prior.flat_columns = {3, 4};
  for (Index j = 0; j < 40; ++j) options.prior.group.push_back(j / 5);
  const LinearFit fit = fit_linear(d.X, d.y, options);
  EXPECT_NEAR(fit.mean[3], 2, 0.4);
  EXPECT_GT(fit.variance[4], 0);
  EXPECT_EQ(fit.group[3], -1);
  for (Index j = 10; j < 15; ++j) EXPECT_GT(fit.sparse->inclusion[j], 0.99);
  for (Index j = 20; j < 40; ++j) EXPECT_LT(fit.sparse->inclusion[j], 0.3);
  for (Index j = 10; j < 14; ++j) EXPECT_EQ(fit.sparse->inclusion[j], fit.sparse->inclusion[j + 1]);
  EXPECT_LT((fit.covariance().diagonal().head(40) - fit.variance).cwiseAbs().maxCoeff(), 1e-10);
  const StudentPrediction out = predict(fit, d.X_new);
  EXPECT_TRUE(out.mean.allFinite() && out.scale.allFinite());
}

TEST(SparseLinear, SaysWhichColumnsCouldTakeEachOthersPlace) {
  FewEffects d = make_data(150, 60, 0, 1, 13);
  d.X.col(7) = d.X.col(20);  // a copy
  d.y += 1.5 * d.X.col(7);
  const LinearFit fit = fit_linear(d.X, d.y, with(PriorKind::sparse));
  ASSERT_FALSE(fit.sparse->sets.empty());
  std::vector<Index> set = fit.sparse->sets[0].columns;
  std::sort(set.begin(), set.end());
  EXPECT_EQ(set, (std::vector<Index>{7, 20}));
  EXPECT_NEAR(fit.sparse->sets[0].probability[0], 0.5, 1e-6);
  EXPECT_GT(fit.sparse->sets[0].inclusion, 0.99);
  EXPECT_TRUE(std::any_of(fit.report.warnings.begin(), fit.report.warnings.end(), [](const std::string& w) {
    return w.find("'x21'") != std::string::npos && w.find("'x8'") != std::string::npos;
  }));
}

TEST(SparseLinear, SaysWhenFewAndManyCannotBeToldApart) {
  const auto says_so = [](const LinearFit& fit) {
    return std::ranges::any_of(fit.report.warnings, [](const std::string& note) { return note.find("few effects or many") == 0; });
  };
  const FewEffects many = make_data(400, 24, 24, 3, 3), few = make_data(400, 100, 3, 3, 3);
  EXPECT_TRUE(says_so(fit_linear(many.X, many.y, with(PriorKind::sparse))));
  EXPECT_FALSE(says_so(fit_linear(many.X, many.y, with(PriorKind::slab))));
  EXPECT_FALSE(says_so(fit_linear(few.X, few.y, with(PriorKind::sparse))));
}

TEST(SparseLinear, FindsNothingWhereThereIsNothing) {
  double selected = 0, sum = 0, error = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const FewEffects d = make_data(200, 400, 0, 1, seed + 40);
    const LinearFit fit = fit_linear(d.X, d.y, with(PriorKind::sparse));
    selected += static_cast<double>((fit.sparse->inclusion.array() > 0.5).count()) / 8;
    sum += fit.sparse->inclusion.sum() / 8;
    error += mse(fit, d) / 8;
  }
  EXPECT_LE(selected, 0.5);
  EXPECT_LT(sum, 3);
  EXPECT_LT(error, 0.04);
}

// A constant column leaves a sample of a normal distribution whose mean and variance are not known: the textbook's intervals.     (SP.25)
TEST(SparseLinear, AConstantColumnLeavesTheIntervalsOfStudent) {
  Random random(11);
  for (const Index n : {2, 3, 4, 6, 10, 30})
    for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense})
      for (const bool by_weights : {false, true}) {  // two rows of half the weight are one row
        const Index rows = by_weights ? 2 * n : n;
        Vector y = random.normals(n), repeated(rows);
        for (Index i = 0; i < rows; ++i) repeated[i] = y[i % n];
        const Vector weights = Vector::Constant(rows, 0.5);
        FitOptions options = with(kind);
        if (by_weights) options.weights = weights;
        const LinearFit fit = fit_linear(Matrix(Matrix::Constant(rows, 1, 3)), repeated, options);
        const double mean = y.mean(), s = std::sqrt((y.array() - mean).square().sum() / static_cast<double>(n - 1)),
                     root = std::sqrt(static_cast<double>(n));
        for (const double level : {0.5, 0.95, 0.999}) {
          const double t = quantile(boost::math::students_t(static_cast<double>(n - 1)), 0.5 + 0.5 * level);
          const Matrix X_new = Matrix::Constant(1, 1, 3);
          EXPECT_NEAR(predict(fit, X_new).half_width(level)[0], t * s * std::sqrt(1 + 1 / (root * root)), 1e-9 * t * s);
          EXPECT_NEAR(predict(fit, X_new, PredictionOf::mean).half_width(level)[0], t * s / root, 1e-9 * t * s);
          EXPECT_NEAR(credible_interval(fit, -1, level).upper - mean, t * s / root, 1e-9 * t * s);
        }
      }
}

TEST(SparseLinear, OneRowSaysNothingOfTheNoise) {
  const Matrix X = Matrix::Constant(1, 1, 3);
  const LinearFit fit = fit_linear(X, Vector(Vector::Constant(1, 2)), with(PriorKind::sparse));
  const StudentPrediction p = predict(fit, X);
  EXPECT_EQ(p.mean[0], 2);
  EXPECT_TRUE(std::isinf(p.half_width()[0])) << p.half_width();
  EXPECT_TRUE(std::isinf(p.standard_deviation()[0]));
  EXPECT_TRUE(std::isinf(credible_interval(fit, -1).upper));
}

TEST(SparseLinear, TakesTheSmallestProblems) {
  Random random(3);
  for (const auto& [n, p] : {std::pair<Index, Index>{2, 1}, {2, 5}, {3, 1}, {5, 2}}) {
    const Matrix X = random.normals(n, p);
    const Vector y = random.normals(n);
    for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense}) {
      const LinearFit fit = fit_linear(X, y, with(kind));
      EXPECT_TRUE(fit.mean.allFinite()) << n << " " << p << " " << to_string(kind);
      EXPECT_EQ(fit.variance.allFinite(), n > 3) << "a Student-t of n - 1 degrees of freedom";
      EXPECT_TRUE(predict(fit, X).scale.allFinite());
      EXPECT_TRUE(std::isfinite(credible_interval(fit, 0).upper));
    }
  }
  Matrix X = random.normals(10, 3);
  X.col(1).setConstant(4);
  const LinearFit fit = fit_linear(X, random.normals(10), with(PriorKind::sparse));
  EXPECT_TRUE(fit.left_out[1]);
  EXPECT_EQ(fit.mean[1], 0);
  X.setConstant(2);
  EXPECT_TRUE(fit_linear(X, random.normals(10), with(PriorKind::sparse)).mean.isZero());
}

TEST(SparseLinear, KnowsTheNoiseOfAConstantTargetToItsRounding) {
  Random random(4);
  const Matrix X = random.normals(12, 3);
  for (const double value : {0.0, 7.5, -1e-20})
    for (const PriorKind kind : {PriorKind::sparse, PriorKind::dense}) {
      const LinearFit fit = fit_linear(X, Vector(Vector::Constant(12, value)), with(kind));
      const double unit = value == 0 ? 1 : std::abs(value);
      EXPECT_TRUE(fit.noise.shape > 0 && fit.noise.rate > 0 && std::isfinite(fit.noise.shape)) << value << " " << to_string(kind);
      EXPECT_GT(noise_sd(fit), 1e-16 * unit);
      EXPECT_LT(noise_sd(fit), 1e-12 * unit);
      EXPECT_NEAR(predict(fit, X).mean[0], value, 1e-12 * unit);
      EXPECT_TRUE(predict(fit, X).scale.allFinite());
    }
}

TEST(SparseLinear, IsTheSameOnAnyNumberOfThreads) {
  const FewEffects d = make_data(60, 200, 5, 3, 15);
  FitOptions one = with(PriorKind::sparse), two = one;
  one.threads = 1;
  two.threads = 2;
  const LinearFit a = fit_linear(d.X, d.y, one), b = fit_linear(d.X, d.y, two);
  EXPECT_NEAR(a.bound, b.bound, 1e-9);  // BLAS itself may round otherwise
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Sparse, EndsAllStartsWhenTheCallbackSaysSo) {
  const FewEffects d = make_data(60, 80, 5, 3, 16);
  const Vector labels = (d.y.array() > 0).cast<double>();
  for (const bool linear : {true, false})
    for (const int last : {1, 4, 30}) {
      FitOptions options = with(PriorKind::sparse);
      options.tolerance = 0;
      int calls = 0;
      options.on_sweep = [&](const Progress&) { return ++calls < last; };
      const Fit fit = linear ? static_cast<Fit>(fit_linear(d.X, d.y, options)) : static_cast<Fit>(fit_logistic(d.X, labels, options));
      EXPECT_EQ(calls, last) << "it is not asked again";
      EXPECT_EQ(fit.report.status, Status::stopped_by_user);
      EXPECT_TRUE(fit.mean.allFinite() && (fit.variance.array() >= 0).all()) << "what was found so far is kept";
    }
}

TEST(Sparse, KeepsNoCovarianceWhereNoneIsWanted) {
  const FewEffects d = make_data(40, 10, 2, 3, 17);
  const Vector labels = (d.y.array() > 0).cast<double>();
  FitOptions options = with(PriorKind::sparse);
  options.keep_covariance = Keep::never;
  const LinearFit linear = fit_linear(d.X, d.y, options);
  const LogisticFit logistic = fit_logistic(d.X, labels, options);
  EXPECT_EQ(linear.variance, fit_linear(d.X, d.y, with(PriorKind::sparse)).variance);
  expect_invalid([&] { (void)predict(linear, d.X); }, {"keep_covariance"});
  expect_invalid([&] { (void)logistic.covariance(); }, {"keep_covariance"});
}

TEST(SparseLinear, RefusesWhatHasNoMeaning) {
  const FewEffects d = make_data(20, 5, 1, 1, 1);
  const auto refuses = [&](auto&& change, const char* words) {
    FitOptions options = with(PriorKind::sparse);
    change(options);
    expect_invalid([&] { (void)fit_linear(d.X, d.y, options); }, {words});
  };
  refuses([](FitOptions& o) { o.prior.fixed_columns = {0}, o.prior.fixed_precision = {1}; }, "prior.fixed_columns");
  refuses([](FitOptions& o) { o.prior.flat_columns = {5}; }, "columns 0 to 4");
  refuses([](FitOptions& o) { o.prior.group = {0, 1}; }, "one per column");
  refuses([](FitOptions& o) { o.solver = SolverKind::dual; }, "solver");
  refuses([](FitOptions& o) { o.rule = UpdateRule::mackay; }, "rule");
  FitOptions dense = with(PriorKind::dense);
  dense.prior.group = {0, 0, 1, 1, 2};
  expect_invalid([&] { (void)fit_linear(d.X, d.y, dense); }, {"prior.group"});
}

// ---- logistic ---------------------------------------------------------------------------------------------------------------------------

double divergence(const ClassPrediction& out, const FewEffects& d) {
  double sum = 0;
  for (Index i = 0; i < 500; ++i) {
    const double p = sigmoid(d.f_new[i]), q = out.probability[i];
    sum += (p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q))) / 500;
  }
  return sum;
}

TEST(SparseLogistic, FindsFewEffects) {
  double sparse = 0, dense = 0, covered = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const FewEffects d = make_data(300, 200, 4, 5, 20 + seed);
    const Vector t = draw_labels(d.X * d.w, 30 + seed);
    const LogisticFit fit = fit_logistic(d.X, t, with(PriorKind::sparse));
    ASSERT_EQ(fit.report.status, Status::converged);
    const ClassPrediction out = predict(fit, d.X_new);
    sparse += divergence(out, d) / 4;
    dense += divergence(predict(fit_logistic(d.X, t, with(PriorKind::dense)), d.X_new), d) / 4;
    for (Index i = 0; i < 500; ++i) covered += std::abs(out.mean[i] - d.f_new[i]) < 1.96 * std::sqrt(out.variance[i]) ? 1.0 / 2000 : 0;
    EXPECT_LT((fit.covariance().diagonal().head(200) - fit.variance).cwiseAbs().maxCoeff(), 1e-8);
  }
  EXPECT_LT(sparse, 0.4 * dense);
  EXPECT_GT(covered, 0.8);
}

TEST(SparseLogistic, SharesAnEffectAmongCopies) {  // (SP.14)
  FewEffects d = make_data(300, 40, 0, 1, 61);
  d.X.col(7) = d.X.col(20);  // a copy
  const LogisticFit fit = fit_logistic(d.X, draw_labels(1.5 * d.X.col(7), 62), with(PriorKind::sparse));
  ASSERT_EQ(fit.report.status, Status::converged);
  EXPECT_NEAR(fit.sparse->inclusion[7], fit.sparse->inclusion[20], 1e-6);
  EXPECT_GT(fit.sparse->inclusion[7] + fit.sparse->inclusion[20], 0.99);
  EXPECT_NEAR(fit.mean[7], fit.mean[20], 1e-6);
  std::vector<Index> set = fit.sparse->sets.at(0).columns;
  std::sort(set.begin(), set.end());
  EXPECT_EQ(set, (std::vector<Index>{7, 20}));
  EXPECT_GT(fit.sparse->sets[0].inclusion, 0.99);
  EXPECT_LT((fit.covariance().diagonal().head(40) - fit.variance).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(SparseLogistic, BoundHardlyFalls) {  // (SL.6)
  for (unsigned seed = 1; seed <= 6; ++seed) {
    FewEffects d = make_data(80, 60, 3, 4, seed);
    const Vector t = draw_labels(d.X * d.w, seed + 50);
    const LogisticFit fit = fit_logistic(d.X, t, with(PriorKind::slab));
    const std::vector<double>& F = fit.report.bound_history;
    for (std::size_t i = 3; i < F.size(); ++i) EXPECT_GT(F[i], F[i - 1] - 2e-3) << seed << " " << i;
  }
}

// Without noise and with mixed columns the start from nothing climbs for a thousand sweeps, and the ridge is at its end far below it.
TEST(SparseLinear, ConvergedSaysThatNoStartStillRisesToMore) {  // (SP.8)
  int finished = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    Random random(seed);
    const Matrix X = random.normals(100, 25) * (Matrix::Identity(25, 25) + 0.7 * random.normals(25, 25));
    const Vector y = X.leftCols(12) * (2 * random.normals(12)) + 0.01 * random.normals(100);
    FitOptions few;
    few.max_sweeps = 100;
    const LinearFit fit = fit_linear(X, y, few);
    if (fit.report.status != Status::converged) {
      EXPECT_EQ(fit.report.status, Status::max_sweeps);
      const std::string& said = fit.report.message;
      EXPECT_TRUE(said.find("allow more sweeps") != std::string::npos || said.find("did not settle") != std::string::npos) << said;
      continue;
    }
    ++finished;
    FitOptions more;
    more.max_sweeps = 20000;
    EXPECT_NEAR(fit_linear(X, y, more).bound, fit.bound, 1) << seed;
  }
  EXPECT_GT(finished, 0);
  EXPECT_LT(finished, 24) << "no start was cut off: the test has nothing to see";
}

// Two classes take several sweeps in a step, and a wide table several rounds of sweeps: the limit is on the last of them.
TEST(SparseFit, MessageAndReportCountTheSameSweeps) {
  int counted = 0;
  for (const auto& [n, p] : {std::pair<Index, Index>{100, 10}, {100, 50}, {30, 70000}}) {
    Random random(19);
    const Matrix X = random.normals(n, p);
    const Vector y = 2 * X.col(0) - X.col(1) + random.normals(n), t = (y.array() > 0).cast<double>();
    FitOptions options = with(PriorKind::slab);
    options.max_sweeps = 2;
    for (const Report& report : {fit_linear(X, y, options).report, fit_logistic(X, t, options).report}) {
      EXPECT_EQ(report.status, Status::max_sweeps) << n << " x " << p;
      EXPECT_EQ(report.sweeps, 2);
      const auto at = report.message.find(" sweeps");
      if (at == std::string::npos) continue;  // many values of the hyper-parameters did not end
      EXPECT_EQ(report.message.substr(at - 2, 2), " 2") << n << " x " << p << ": " << report.message;
      ++counted;
    }
  }
  EXPECT_GE(counted, 4);
}

TEST(SparseFit, WithoutAnEndHasANumberForEveryColumnAndTheIntercept) {
  Frame frame;
  frame.names = {"a", "b"};
  frame.left_out = {false, false};
  frame.units.standardization.intercept = true;
  const Fit fit = assemble(frame, failed_solution(frame, "why"));
  EXPECT_EQ(fit.mean.size(), 2);
  EXPECT_EQ(fit.standardized_mean.size(), 3) << "what is read of it would lie beyond its end";
}

TEST(SparseLogistic, TakesGroupsFlatColumnsAndWeights) {
  FewEffects d = make_data(150, 20, 0, 1, 31);
  const Vector t = draw_labels(2 * d.X.col(0) + d.X.col(5) - d.X.col(6), 32);
  FitOptions options = with(PriorKind::sparse);
  options.prior.flat_columns = {0};
  for (Index j = 0; j < 20; ++j) options.prior.group.push_back(j / 5);
  const LogisticFit fit = fit_logistic(d.X, t, options);
  EXPECT_NEAR(fit.mean[0], 2, 1);
  EXPECT_GT(fit.sparse->inclusion[5], 0.7);
  EXPECT_LT(fit.sparse->inclusion.tail(10).maxCoeff(), 0.3);
  Vector k = Vector::Ones(150);
  k[3] = 0;
  k[4] = 2;
  Matrix X = d.X;
  Vector labels = t;
  X.row(3) = X.row(4);
  labels[3] = labels[4];
  FitOptions weighted = options;
  weighted.weights = k;
  EXPECT_NEAR(fit_logistic(d.X, t, weighted).bound, fit_logistic(X, labels, options).bound, 0.02);
}

}  // namespace
}  // namespace ardvark::internal
