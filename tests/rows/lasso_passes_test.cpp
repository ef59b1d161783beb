// Classes under a Laplace prior by passes over rows that are not in memory.                                    docs/math/passes.md (PASS.9)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../support/random_problem.hpp"
#include "../support/same_bits.hpp"
#include "../support/thrown.hpp"
#include "labelled_rows.hpp"
#include "method/l1/l1_question.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::LabelledRows;
using testing::Random;

// Labels 1, 3, 5, ..., of which the first columns say something.
LabelledRows lasso_table(std::uint64_t seed, Index n, Index p, Index num_effects, bool weighted = false, Index C = 2, double size = 0.5) {
  Random random(seed);
  Matrix X = testing::correlated_columns(random, n, p), W = Matrix::Zero(p, C);
  for (Index c = 1; c < C; ++c) W.col(c).head(num_effects) = size * random.normals(num_effects);
  return testing::labelled_by_softmax(random, std::move(X), W, 1.5, weighted);
}

FitOptions lasso(double lambda) {
  FitOptions options;
  options.prior = Prior::laplace(lambda);
  return options;
}

LogisticFit lasso_in_memory(const LabelledRows& table, FitOptions options) {
  if (table.weights.size() > 0) options.weights = table.weights;
  return fit_logistic(table.X, table.y, options);
}

// Both satisfy the conditions of the maximum within 1e-9 lambda.
void expect_same_mode(const Fit& passes, const Fit& memory) {
  constexpr double sds = 1e-6;
  EXPECT_EQ(passes.report.status, Status::converged) << passes.report.message;
  EXPECT_EQ(memory.report.status, Status::converged) << memory.report.message;
  EXPECT_EQ(passes.relevant, memory.relevant);
  EXPECT_EQ(passes.group, memory.group);
  EXPECT_EQ(passes.left_out, memory.left_out);
  EXPECT_EQ(passes.likelihood, memory.likelihood);
  EXPECT_EQ(passes.lambda, memory.lambda);
  for (Index j = 0; j < memory.num_columns(); ++j) {
    const double sd = std::sqrt(memory.variance[j]);
    EXPECT_EQ(passes.mean[j] == 0, memory.mean[j] == 0) << j;
    EXPECT_NEAR(passes.mean[j], memory.mean[j], sds * sd) << j;
    EXPECT_NEAR(std::sqrt(passes.variance[j]), sd, sds * sd) << j;
    EXPECT_NEAR(passes.relevance[j], memory.relevance[j], 1e-6) << j;
    EXPECT_TRUE(passes.precision[j] == memory.precision[j] || std::abs(passes.precision[j] / memory.precision[j] - 1) < 1e-6) << j;
  }
  ASSERT_EQ(passes.intercept.has_value(), memory.intercept.has_value());
  if (memory.intercept) {
    EXPECT_NEAR(passes.intercept->mean, memory.intercept->mean, sds * std::sqrt(memory.intercept->variance));
    EXPECT_NEAR(passes.intercept->variance / memory.intercept->variance, 1, 2 * sds);
  }
  EXPECT_NEAR(passes.bound, memory.bound, 1e-9 * std::abs(memory.bound));
  EXPECT_EQ(passes.report.bound, passes.bound);
  EXPECT_NEAR(passes.log_det_V, memory.log_det_V, 1e-5);
  EXPECT_NEAR(passes.effective_parameters, memory.effective_parameters, 1e-5);
  EXPECT_NEAR(passes.accuracy, memory.accuracy, 2 / memory.num_rows);
  EXPECT_NEAR(passes.log_loss, memory.log_loss, 1e-8);
  EXPECT_EQ(passes.classes, memory.classes);
  EXPECT_NEAR(passes.num_rows, memory.num_rows, 1e-9 * memory.num_rows);
  EXPECT_NEAR(passes.class_weight[0], memory.class_weight[0], 1e-9 * memory.num_rows);
  EXPECT_NEAR(passes.class_weight[1], memory.class_weight[1], 1e-9 * memory.num_rows);
}

// The samples of the rows differ, so that the search begins elsewhere; it ends where the conditions hold within 1e-4 lambda. With s the sd
// of the loss of a row and v their curvature, that is 1e-4 (lambda/n)^2 / v in the loss, whose error is s/sqrt(n): .0025 of it for 30,000
// rows at lambda/n = .1, where the path begins. The error of four folds may be a tenth of it by chance at one lambda: the largest of the
// path.
void expect_same_choice(const LambdaChoice& one, const LambdaChoice& other, double tolerance) {
  EXPECT_LE((one.lambda - other.lambda).cwiseQuotient(other.lambda).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE((one.loss - other.loss).cwiseAbs().maxCoeff(), tolerance * other.loss_error.maxCoeff());
  EXPECT_LE((one.loss_error.cwiseQuotient(other.loss_error).array() - 1).abs().maxCoeff(), tolerance);
}

TEST(LassoByPasses, IsTheFitOfRowsInMemory) {
  for (const bool weighted : {false, true})
    for (const Index p : {6, 30})
      for (const double lambda : {0.1, 30.0, 600.0}) {
        SCOPED_TRACE(fmt::format("{} columns, lambda {}", p, lambda));
        const LabelledRows table = lasso_table(3, 30000, p, p / 2, weighted);
        const LogisticFit passes = fit_logistic(table.rows(), lasso(lambda)), memory = lasso_in_memory(table, lasso(lambda));
        expect_same_mode(passes, memory);
        EXPECT_EQ(passes.report.notes.size(), memory.report.notes.size() + 1);  // how often the rows were read
        EXPECT_TRUE(std::equal(memory.report.notes.begin(), memory.report.notes.end(), passes.report.notes.begin()));
      }
}

TEST(LassoByPasses, IsTheFitOfRowsInMemoryUnderEachOption) {
  LabelledRows table = lasso_table(4, 20000, 7, 4);
  table.X.col(6) = -2 * table.X.col(0);  // left out
  FitOptions flat = lasso(40), no_intercept = lasso(40), as_they_are = lasso(20), neither = lasso(25), flat_alone = lasso(50),
             loose = lasso(40);
  flat.prior.flat_columns = {1, 5};
  no_intercept.intercept = false;
  as_they_are.standardize = false;
  neither.intercept = neither.standardize = false;
  neither.prior.flat_columns = flat_alone.prior.flat_columns = {2};
  flat_alone.intercept = false;
  loose.record_every = 10;
  int number = 0;
  for (const FitOptions* options : {&flat, &no_intercept, &as_they_are, &neither, &flat_alone, &loose}) {
    SCOPED_TRACE(fmt::format("options {}", ++number));
    const LogisticFit passes = fit_logistic(table.rows(), *options), memory = lasso_in_memory(table, *options);
    expect_same_mode(passes, memory);
    EXPECT_EQ(passes.precision_history.cols(), memory.precision_history.cols());
  }
}

Vector weighted_mean(const Matrix& columns, const Vector& k) { return columns.transpose() * k / k.sum(); }

// In which fold each row is: the sums over it alone say so.
std::vector<Index> folds_of(const LabelledRows& table, Index folds, std::uint64_t seed) {
  internal::L1Question question;
  question.units.center = weighted_mean(table.X, table.k());
  const Matrix apart = table.X.rowwise() - question.units.center.transpose();
  const Vector sd = weighted_mean(apart.cwiseAbs2(), table.k()).cwiseSqrt();
  question.folds = {folds, seed, Vector(table.X.cols()), 1};
  question.own_label = table.y.maxCoeff();
  const Vector own = table.y.unaryExpr([&](double label) { return label == question.own_label ? 1.0 : 0.0; });
  const Vector correlation = weighted_mean(apart.array().colwise() * own.array(), table.k()).cwiseQuotient(sd);
  for (Index j = 0; j < sd.size(); ++j) {
    const Index number = 1 + (correlation.array().abs() < std::abs(correlation[j])).count();
    question.folds.factor[j] = (correlation[j] < 0 ? -1 : 1) * internal::fold_factor(number) / sd[j];
  }
  question.folds.width = std::ldexp(std::sqrt(weighted_mean((apart * question.folds.factor).cwiseAbs2(), table.k())[0]), -20);
  question.W = Matrix::Zero(table.X.cols(), 1);
  std::vector<Index> out;
  for (Index i = 0; i < table.y.size(); ++i) {
    const Matrix row = table.X.row(i);
    const Vector y = table.y.segment(i, 1);
    const internal::L1Sums sums(question, question.sums_of({row, y, {}}));
    Index fold = 0;
    EXPECT_EQ(sums.weight.maxCoeff(&fold), 1);
    EXPECT_EQ(sums.weight.sum(), 1);
    out.push_back(fold);
  }
  return out;
}

// (L1.12), with a whole fit for each fold and lambda.
LambdaChoice cross_validated(const LabelledRows& table, const std::vector<Index>& fold, FitOptions options) {
  const Vector k = table.k();
  options.weights = k;
  PathGrid grid;
  LambdaChoice out;
  const LambdaPath all = fit_logistic_path(table.X, table.y, grid, options);
  const Index count = all.lambda.size();
  out.lambda = all.lambda, out.mean = all.mean, out.intercept = all.intercept, out.num_nonzero = all.num_nonzero;
  Matrix loss = Matrix::Zero(options.folds, count);
  Vector weight = Vector::Zero(options.folds);
  for (Index f = 0; f < options.folds; ++f) {
    Vector others = k;
    for (Index i = 0; i < k.size(); ++i)
      if (fold[static_cast<std::size_t>(i)] == f) weight[f] += k[i], others[i] = 0;
    options.weights = others;
    const Vector lambda = all.lambda * (others.sum() / k.sum());
    grid.lambdas.assign(lambda.begin(), lambda.end());
    const LambdaPath path = fit_logistic_path(table.X, table.y, grid, options);
    for (Index l = 0; l < count; ++l) {
      const Vector m = (table.X * path.mean.col(l)).array() + (path.intercept.size() > 0 ? path.intercept[l] : 0.0);
      for (Index i = 0; i < k.size(); ++i)
        if (others[i] != k[i]) loss(f, l) += k[i] * std::log1p(std::exp(table.y[i] > 2 ? -m[i] : m[i]));
    }
    loss.row(f) /= weight[f];
  }
  weight /= weight.sum();
  out.loss = loss.transpose() * weight;
  out.loss_error =
      ((loss.rowwise() - out.loss.transpose()).cwiseAbs2().transpose() * weight / static_cast<double>(options.folds - 1)).cwiseSqrt();
  return out;
}

// A Newton step from all rows takes the place of a fit of each fold. Over the lambdas of a path, its error of the loss is small beside the
// standard error of the loss.                                                                                                  (PASS.9)
TEST(LassoByPasses, ChooseLambdaAsAFitForEachFold) {
  double rough = 0;
  for (const Index p : {8, 40})
    for (const std::uint64_t seed : {1, 2}) {
      const LabelledRows table = lasso_table(21, 16000, p, p / 2, seed % 2 == 1);
      FitOptions options = lasso(0);
      options.folds = 5;
      options.seed = seed;
      const LogisticFit fit = fit_logistic(table.rows(), options);
      const Vector spread = (table.X.rowwise() - table.X.colwise().mean()).cwiseAbs2().colwise().mean().cwiseSqrt();
      const LambdaChoice expected = cross_validated(table, folds_of(table, 5, seed), options);
      const LambdaChoice& found = *fit.lambda_choice;
      SCOPED_TRACE(fmt::format("{} columns, seed {}", p, seed));
      ASSERT_EQ(found.lambda.size(), expected.lambda.size());
      EXPECT_EQ(found.folds, 5);
      Index best = 0;
      const double least = expected.loss.minCoeff(&best);
      EXPECT_LE(expected.loss[std::ranges::find(found.lambda, fit.lambda) - found.lambda.begin()],
                least + 0.02 * expected.loss_error[best]);
      const Vector off = (found.loss - expected.loss).cwiseQuotient(expected.loss_error);
      const Vector of_error = found.loss_error.cwiseQuotient(expected.loss_error).array() - 1;
      const auto rms = [](const Vector& x) { return std::sqrt(x.squaredNorm() / static_cast<double>(x.size())); };
      // Near lambda_max the weights of a fold may leave zero, and a Newton step is rougher: in eight divisions of 40 columns .07 to .41.
      const Index near = (expected.lambda.array() > 0.6 * expected.lambda[0]).count();
      EXPECT_LE(rms(off.tail(off.size() - near)), 0.03);
      EXPECT_LE(rms(off.head(near)), 0.5);
      rough += rms(off.head(near)) / 4;
      EXPECT_LE(rms(of_error), 0.1);
      for (Index l = 0; l < expected.lambda.size(); ++l) {
        SCOPED_TRACE(fmt::format("lambda {}", expected.lambda[l]));
        EXPECT_NEAR(found.lambda[l] / expected.lambda[l], 1, 1e-9);
        EXPECT_NEAR(static_cast<double>(found.num_nonzero[static_cast<std::size_t>(l)]),
                    static_cast<double>(expected.num_nonzero[static_cast<std::size_t>(l)]), 1);
        // A violation of 1e-4 lambda, and columns that are correlated.
        const Vector shrunk = (found.mean.col(l) - expected.mean.col(l)).cwiseProduct(spread);
        EXPECT_LE(shrunk.cwiseAbs().maxCoeff(), 0.01 * expected.lambda[l] / 16000);
      }
      expect_same_mode(fit, lasso_in_memory(table, lasso(fit.lambda)));
      EXPECT_EQ(fit.report.notes.front(),
                fmt::format("lambda is {:.4g}, by 5-fold cross-validation: the loss is smallest there; it is at most "
                            "one standard error larger up to lambda {:.4g}{}",
                            fit.lambda, found.one_standard_error,
                            best + 1 < expected.loss.size() ? "" : "; this is the end of the path, so that the rows may need no penalty"));
    }
  EXPECT_LE(rough, 0.25);
}

TEST(LassoByPasses, ChooseTheSameLambdaWhateverTheOrderOfTheColumns) {
  const LabelledRows table = lasso_table(31, 3000, 7, 3, true);
  FitOptions options = lasso(0);
  options.folds = 5;
  const LambdaChoice one = *fit_logistic(table.rows(), options).lambda_choice;
  LabelledRows other = table;
  for (const std::uint64_t seed : {1, 2, 3}) {
    other.X = table.X(Eigen::all, Random(seed).permutation(7));
    expect_same_choice(*fit_logistic(other.rows(), options).lambda_choice, one, 3e-3);
  }
}

// (L1.2) in extended precision, at the weights as the caller sees them.
TEST(LassoByPasses, SatisfyTheConditionsOfTheMaximum) {
  const LabelledRows table = lasso_table(5, 15000, 12, 6, true);
  FitOptions options = lasso(200);
  options.prior.flat_columns = {3, 9};
  const LogisticFit fit = fit_logistic(table.rows(), options);
  using Real = long double;
  const Index n = table.y.size(), p = 12;
  std::vector<Real> mean(12, 0), square(12, 0), gradient(13, 0);
  Real total = 0;
  for (Index i = 0; i < n; ++i) total += table.weights[i];
  for (Index j = 0; j < p; ++j) {
    const auto at = static_cast<std::size_t>(j);
    for (Index i = 0; i < n; ++i) mean[at] += table.weights[i] * static_cast<Real>(table.X(i, j)) / total;
    for (Index i = 0; i < n; ++i) square[at] += table.weights[i] * (table.X(i, j) - mean[at]) * (table.X(i, j) - mean[at]) / total;
  }
  for (Index i = 0; i < n; ++i) {
    Real m = fit.intercept->mean;
    for (Index j = 0; j < p; ++j) m += static_cast<Real>(table.X(i, j)) * fit.mean[j];
    const Real r = table.weights[i] * ((table.y[i] > 2 ? 1 : 0) - 1 / (1 + std::exp(-m)));
    for (Index j = 0; j < p; ++j) {
      const auto at = static_cast<std::size_t>(j);
      gradient[at] += r * (table.X(i, j) - mean[at]) / std::sqrt(square[at]);
    }
    gradient[12] += r;
  }
  constexpr Real allowed = 1e-7L * 200;
  Index num_zero = 0;
  for (Index j = 0; j < p; ++j) {
    const Real g = gradient[static_cast<std::size_t>(j)];
    const bool is_flat = j == 3 || j == 9, is_zero = fit.mean[j] == 0;
    num_zero += is_zero ? 1 : 0;
    if (is_flat || is_zero) {
      EXPECT_LE(std::abs(g), (is_flat ? 0 : 200) + allowed) << j;
    } else {
      EXPECT_LE(std::abs(g - (fit.mean[j] > 0 ? 200 : -200)), allowed) << j;
    }
  }
  EXPECT_LE(std::abs(gradient[12]), allowed);
  EXPECT_GT(num_zero, 0);
}

// (ST.2)
TEST(LassoByPasses, HaveTheSameBitsForPiecesOfAnySize) {
  for (const bool weighted : {false, true})
    for (const double lambda : {20.0, 0.0}) {
      const LabelledRows table = lasso_table(7, 3 * 8192 + 100, 5, 2, weighted);
      FitOptions options = lasso(lambda);
      options.folds = 3;
      testing::expect_same_bits(table, options, [](const AskRows& ask, const FitOptions& of) { return fit_logistic(ask, of); });
    }
}

// Parts of the rows are summed apart, sent as bytes, and merged. Folds depend on the content of rows, so the choice is the same.
TEST(LassoByPasses, OfPartsAreTheSameFit) {
  const LabelledRows table = lasso_table(8, 30000, 5, 3, true, 3);
  const AskRows in_parts = table.in_parts(7000);
  SoftmaxOptions options;
  options.prior = Prior::laplace(0);
  options.folds = 4;
  for (const std::uint64_t seed : {1, 4}) {
    options.seed = seed;
    const SoftmaxFit passes = fit_softmax(in_parts, options), whole = fit_softmax(table.rows(), options);
    for (std::size_t c = 0; c < 3; ++c) expect_same_choice(*passes.machines[c].lambda_choice, *whole.machines[c].lambda_choice, 3e-3);
  }
}

// (L1.14): the folds of the same rows in other units, with other signs, shifted, beside a constant column, with rows of weight 0.
TEST(LassoByPasses, ChooseLambdaWithoutRegardToUnitsSignsShiftsConstantColumnsAndRowsOfWeightZero) {
  LabelledRows table = lasso_table(25, 14000, 6, 3), other;
  table.X.col(5) = table.X.col(5).unaryExpr([](double x) { return x > 0 ? 1.0 : 0.0; });
  other.X.resize(14100, 7), other.y.resize(14100), other.weights = Vector::Ones(14100);
  for (Index i = 0, at = 0; at < 14100; ++at) {
    const bool is_absent = at % 141 == 7;
    other.weights[at] = is_absent ? 0 : 1;
    other.y[at] = table.y[std::min<Index>(i, 13999)];
    other.X(at, 2) = is_absent ? 5 : 3;
    for (Index j = 0; j < 6; ++j)
      other.X(at, j < 2 ? j : j + 1) = (j % 2 == 0 ? 1 : -1) * std::pow(10.0, 4.0 - 2.0 * j) * ((is_absent ? 9 : table.X(i, j)) + 10);
    if (!is_absent) ++i;
  }
  FitOptions options = lasso(0);
  options.folds = 4;
  const LogisticFit one = fit_logistic(table.rows(), options), two = fit_logistic(other.rows(), options);
  EXPECT_NEAR(two.lambda / one.lambda, 1, 1e-6);
  const LambdaChoice &before = *one.lambda_choice, &after = *two.lambda_choice;
  EXPECT_LE((after.loss - before.loss).cwiseQuotient(before.loss_error).cwiseAbs().maxCoeff(), 0.02);
  options.seed = 2;
  EXPECT_GT((fit_logistic(table.rows(), options).lambda_choice->loss - before.loss).cwiseQuotient(before.loss_error).cwiseAbs().maxCoeff(),
            0.02);
}

TEST(LassoByPasses, AWeightIsARepetition) {
  LabelledRows table = lasso_table(9, 12000, 6, 3), repeated;
  table.weights = Vector::Ones(12000);
  for (Index i = 0; i < 12000; i += 3) table.weights[i] = 2;
  repeated.X.resize(16000, 6), repeated.y.resize(16000);
  for (Index i = 0, at = 0; i < 12000; ++i)
    for (int k = 0; k < static_cast<int>(table.weights[i]); ++k, ++at) repeated.X.row(at) = table.X.row(i), repeated.y[at] = table.y[i];
  FitOptions chosen = lasso(0);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    chosen.seed = seed;
    expect_same_choice(*fit_logistic(table.rows(), chosen).lambda_choice, *fit_logistic(repeated.rows(), chosen).lambda_choice, 1e-4);
  }
  for (const double lambda : {1.0, 25.0}) {
    const LogisticFit weighted = fit_logistic(table.rows(), lasso(lambda)), plain = fit_logistic(repeated.rows(), lasso(lambda));
    EXPECT_EQ(weighted.relevant, plain.relevant);
    EXPECT_LE((weighted.mean - plain.mean).cwiseQuotient(plain.variance.cwiseSqrt().cwiseMax(1e-300)).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(weighted.bound, plain.bound, 1e-6);
    EXPECT_NEAR(weighted.log_loss, plain.log_loss, 1e-8);
  }
}

// Random tables and options: the fit in memory, or the same word for why there is none.
TEST(LassoByPasses, OfRandomProblemsAreTheFitInMemory) {
  int num_converged = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Index p = random.integer(1, 20), n = random.integer(10500, 13000);
    LabelledRows table = lasso_table(seed, n, p, random.integer(0, p), false, 2, random.scale(0.05, 3));
    if (random.chance(0.3)) table.weights = Vector::NullaryExpr(n, [&](Index) { return random.uniform(0.1, 3); });
    if (random.chance(0.3)) table.X.col(0) = table.X.col(0).array().square();  // a long tail
    if (random.chance(0.3)) table.X.col(p - 1) = (table.X.col(p - 1).array() > table.X.col(p - 1).mean()).cast<double>();
    if (random.chance(0.2) && p > 1) table.X.col(1) = table.X.col(0) * -3.0;  // a copy
    if (random.chance(0.3))
      for (Index i = 0; i < n; ++i)
        if (random.chance(0.97)) table.y[i] = 1;                                    // a rare class
    if (random.chance(0.1)) table.X.col(0) = (table.y.array() > 2).cast<double>();  // separates
    FitOptions options = lasso(random.scale(0.01, 1000));
    if (random.chance(0.3)) options.prior.flat_columns = {random.integer(0, p - 1)};
    if (random.chance(0.3)) options.standardize = false;
    if (random.chance(0.2)) options.intercept = false;
    SCOPED_TRACE(fmt::format("seed {}, {} rows, {} columns, lambda {}", seed, n, p, options.prior.lambda));
    const LogisticFit memory = lasso_in_memory(table, options), passes = fit_logistic(table.rows(), options);
    EXPECT_EQ(passes.report.status, memory.report.status) << passes.report.message << "; " << memory.report.message;
    if (memory.report.status != Status::converged) continue;
    expect_same_mode(passes, memory);
    ++num_converged;
  }
  EXPECT_GT(num_converged, 30);
}

// Each regression is the fit of two classes, to the last bit, and that of rows in memory.
TEST(LassoByPasses, OfSeveralClassesHaveAFitForEach) {
  const LabelledRows table = lasso_table(18, 14000, 6, 3, true, 4, 0.8);
  for (const double lambda : {15.0, 0.0}) {
    SoftmaxOptions options;
    options.prior = Prior::laplace(lambda);
    options.folds = 4;
    int reads = 0;
    const SoftmaxFit fit = fit_softmax([&](const RowQuestion& question) { return ++reads, table.rows()(question); }, options);
    ASSERT_EQ(fit.machines.size(), 4U);
    int slowest = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      LabelledRows one = table;
      one.y = (table.y.array() == static_cast<double>(2 * c + 1)).cast<double>();
      int alone = 0;
      const LogisticFit two = fit_logistic([&](const RowQuestion& question) { return ++alone, one.rows()(question); }, options);
      slowest = std::max(slowest, alone);
      if (lambda > 0) {
        EXPECT_EQ(testing::bits_of(fit.machines[c]), testing::bits_of(two));
      }
      EXPECT_EQ(fit.machines[c].lambda_choice.has_value(), lambda == 0);
      expect_same_mode(fit.machines[c], lasso_in_memory(one, lasso(fit.machines[c].lambda)));
    }
    EXPECT_LE(reads, slowest + 2);
    EXPECT_EQ(fit.report.status, Status::converged) << fit.report.message;
    EXPECT_EQ(fit.coding, ClassCoding::one_against_rest);
    if (lambda == 0) continue;
    SoftmaxOptions memory = options;
    memory.weights = table.weights;
    const SoftmaxFit expected = fit_softmax(table.X, table.y, memory);
    EXPECT_EQ(fit.relevant, expected.relevant);
    EXPECT_NEAR(fit.bound, expected.bound, 1e-6);
    EXPECT_NEAR(fit.log_loss, expected.log_loss, 1e-8);
    EXPECT_NEAR(fit.accuracy, expected.accuracy, 1e-9 + 2 / expected.num_rows);
  }
}

TEST(LassoByPasses, SayThatFlatColumnsSeparateRows) {
  LabelledRows table = lasso_table(15, 12000, 5, 2);
  table.X.col(3).setZero();
  for (const Index row : {10, 5000, 11000}) table.X(row, 3) = 1, table.y[row] = 1;
  for (const double lambda : {5.0, 0.0}) {
    FitOptions options = lasso(lambda);
    options.prior.flat_columns = {3};
    const LogisticFit fit = fit_logistic(table.rows(), options), memory = lasso_in_memory(table, options);
    EXPECT_EQ(fit.report.status, Status::separated) << fit.report.message;
    EXPECT_EQ(memory.report.status, Status::separated);
    EXPECT_FALSE(fit.mean.allFinite());
    EXPECT_EQ(fit.class_weight[0] + fit.class_weight[1], 12000);
  }
}

// The sample has one class only: the passes begin at the share of the classes.
TEST(LassoByPasses, StartWithoutASample) {
  LabelledRows table = lasso_table(10, 20000, 3, 2);
  table.y.setConstant(1);
  for (const Index row : {50, 9000, 19000}) table.y[row] = 3;
  table.X.col(1).array() += 1e5 * table.X.col(1).cwiseAbs().maxCoeff();
  const LogisticFit fit = fit_logistic(table.rows(), lasso(0.01));
  expect_same_mode(fit, lasso_in_memory(table, lasso(0.01)));
}

TEST(LassoByPasses, TellTheirProgressAndCanBeStopped) {
  const LabelledRows table = lasso_table(11, 20000, 6, 3);
  for (const double lambda : {1.0, 0.0}) {
    FitOptions options = lasso(lambda);
    int told = 0;
    options.on_sweep = [&](const Progress&) { return ++told < 1; };
    const LogisticFit fit = fit_logistic(table.rows(), options);
    EXPECT_EQ(fit.report.status, Status::stopped_by_user) << fit.report.message;
    EXPECT_EQ(told, 1);
    std::vector<double> bounds;
    options.on_sweep = [&](const Progress& progress) { return bounds.push_back(progress.bound), true; };
    EXPECT_EQ(fit_logistic(table.rows(), options).report.status, Status::converged);
    EXPECT_TRUE(std::ranges::is_sorted(bounds));
    options.on_sweep = nullptr;
    options.max_sweeps = 1;
    const LogisticFit short_fit = fit_logistic(table.rows(), options);
    if (lambda > 0) {
      EXPECT_EQ(short_fit.report.status, Status::max_sweeps) << short_fit.report.message;
    }
  }
}

TEST(LassoByPasses, WarnIfFewRowsDiffer) {
  LabelledRows table = lasso_table(13, 12000, 3, 2);
  const auto warns = [&] {
    const LogisticFit fit = fit_logistic(table.rows(), lasso(0));
    return std::ranges::any_of(fit.report.warnings, [](const std::string& text) { return text.find("few of the rows differ") == 0; });
  };
  EXPECT_FALSE(warns());
  for (Index j = 0; j < 3; ++j) table.X.col(j) = (table.X.col(j).array() > table.X.col(j).mean()).cast<double>();
  EXPECT_TRUE(warns());
}

TEST(LassoByPasses, NameWhatIsWrong) {
  const LabelledRows table = lasso_table(12, 12000, 3, 2);
  const auto fit_with = [&](FitOptions options) { static_cast<void>(fit_logistic(table.rows(), options)); };
  FitOptions folds = lasso(0), many = lasso(0), fixed = lasso(1), bound = lasso(1), tolerance = lasso(1), start = lasso(1);
  folds.folds = 1, many.folds = 101;
  fixed.prior.fixed_columns = {1}, fixed.prior.fixed_precision = {2};
  bound.likelihood = LogisticLikelihood::bound;
  tolerance.tolerance = 2;
  start.start_precision = {1, 1, 1};
  expect_invalid([&] { fit_with(folds); }, {"folds is 1; it must be at least 2"});
  expect_invalid([&] { fit_with(many); }, {"folds is 101", "at most 100"});
  expect_invalid([&] { fit_with(fixed); }, {"prior.fixed_columns cannot be used with a Laplace prior"});
  expect_invalid([&] { fit_with(bound); }, {"likelihood = bound cannot be used with a Laplace prior"});
  expect_invalid([&] { fit_with(tolerance); }, {"tolerance is 2"});
  expect_invalid([&] { fit_with(start); }, {"start_precision cannot be used with a Laplace prior"});
  expect_invalid([&] { fit_with(lasso(-1)); }, {"prior.lambda is -1"});
  LabelledRows same = table;
  same.X.setConstant(1);
  expect_invalid([&] { static_cast<void>(fit_logistic(same.rows(), lasso(0))); },
                 {"no column under the penalty has information about the target", "give a lambda"});
}

}  // namespace
}  // namespace ardvark
