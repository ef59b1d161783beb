// The lambda of a Laplace prior by cross-validation.                                                                            (L1.12)
#include "method/l1/lambda_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/thrown.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/softmax.hpp"
#include "frame/folds.hpp"
#include "frame/row_order.hpp"
#include "passes/row_folds.hpp"

namespace ardvark {
namespace {

using testing::expect_invalid;
using testing::make_problem;
using testing::Problem;
using testing::Random;

FitOptions chosen_by(LambdaRule rule = LambdaRule::smallest_loss) {
  FitOptions options;
  options.prior = Prior::laplace();
  options.lambda_rule = rule;
  return options;
}

TEST(LambdaChoice, WithoutInformationSaysWhatToGive) {
  const Problem problem = make_problem(31, 20, 1);
  const Matrix constant = Matrix::Constant(20, 1, 3);
  for (const Matrix& X : {constant, problem.X}) {
    FitOptions options;
    options.prior = Prior::laplace();
    if (X(0, 0) != 3) options.prior.flat_columns = {0};
    expect_invalid([&] { static_cast<void>(fit_linear(X, problem.y, options)); }, {"no column under the penalty", "give a lambda"});
    options.prior.lambda = 1;
    const LinearFit fit = fit_linear(X, problem.y, options);
    EXPECT_NEAR(fit.intercept->mean + fit.mean[0] * X.mean(), problem.y.mean(), 1e-9);
  }
}

Fit fitted(Task task, const Matrix& X, const Vector& y, const FitOptions& options) {
  return task == Task::linear ? Fit(fit_linear(X, y, options)) : Fit(fit_logistic(X, y, options));
}

// The losses by the definition: a fit to the other rows for each fold and lambda.
std::pair<double, double> loss_by_hand(Task task, const Matrix& X, const Vector& y, const Vector& k, double lambda, int folds) {
  internal::OrderedRows rows = internal::order_by_content(X, y, k);
  FitOptions all;
  all.weights = k;
  const Vector number = internal::fold_numbers(task, X, y, all);
  std::vector<std::pair<double, double>> order;  // number and position
  for (const Index row : rows.rows) order.emplace_back(number[row], static_cast<double>(order.size()));
  std::ranges::sort(order);
  const internal::OrderedRows given = rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i].second);
    rows.rows[i] = given.rows[from], rows.weights[static_cast<Index>(i)] = given.weights[static_cast<Index>(from)];
  }
  std::vector<Index> classes;
  for (const Index row : rows.rows) classes.push_back(task == Task::logistic && y[row] > 0 ? 1 : 0);
  const std::vector<int> fold = internal::StratifiedDealer(1).deal(classes, task == Task::logistic ? 2 : 1, folds);
  Vector loss = Vector::Zero(folds), weight = Vector::Zero(folds);
  const double total = rows.weights.sum();
  for (int f = 0; f < folds; ++f) {
    std::vector<Index> others;
    std::vector<double> weights;
    for (std::size_t i = 0; i < fold.size(); ++i)
      if (fold[i] != f) others.push_back(rows.rows[i]), weights.push_back(rows.weights[static_cast<Index>(i)]);
    FitOptions options;
    options.weights = weights;
    options.prior = Prior::laplace(lambda * std::accumulate(weights.begin(), weights.end(), 0.0) / total);
    const Fit fit = fitted(task, X(others, Eigen::all), y(others), options);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      if (fold[i] != f) continue;
      const Index row = rows.rows[i];
      const double m = X.row(row).dot(fit.mean) + fit.intercept->mean, r = rows.weights[static_cast<Index>(i)];
      loss[f] += r * (task == Task::linear ? (y[row] - m) * (y[row] - m) : std::log1p(std::exp(y[row] > 0 ? -m : m)));
      weight[f] += r;
    }
    loss[f] /= weight[f];
  }
  const double mean = weight.dot(loss) / total;
  return {mean, std::sqrt(weight.dot(Vector((loss.array() - mean).square())) / total / (folds - 1))};
}

class LambdaChoices : public ::testing::TestWithParam<Task> {};

TEST_P(LambdaChoices, AreTheLossesOfRowsThatAFitHasNotSeen) {
  const Task task = GetParam();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const auto problem = make_problem(seed, 40, 6);
    Vector k(40);
    Random random(seed);
    for (double& weight : k) weight = random.chance(0.1) ? 0 : random.scale(0.5, 2);
    const Vector& y = task == Task::linear ? problem.y : problem.labels;
    FitOptions options = chosen_by();
    options.weights = k;
    options.folds = 5;
    const Fit fit = fitted(task, problem.X, y, options);
    ASSERT_TRUE(fit.lambda_choice);
    const LambdaChoice& choice = *fit.lambda_choice;
    ASSERT_EQ(choice.lambda.size(), 50);
    for (const Index i : {0, 10, 25, 40, 49}) {
      const auto [mean, error] = loss_by_hand(task, problem.X, y, k, choice.lambda[i], 5);
      EXPECT_NEAR(choice.loss[i], mean, 1e-6 * mean) << i;
      EXPECT_NEAR(choice.loss_error[i], error, 1e-6 * mean) << i;
    }
    Index best = 0, first = 0;
    const double least = choice.loss.minCoeff(&best);
    while (choice.loss[first] > least + choice.loss_error[best]) ++first;
    EXPECT_EQ(choice.smallest_loss, choice.lambda[best]);
    EXPECT_EQ(choice.one_standard_error, choice.lambda[first]);
    EXPECT_EQ(fit.lambda, choice.smallest_loss);
    options.lambda_rule = LambdaRule::one_standard_error;
    const Fit sparser = fitted(task, problem.X, y, options);
    EXPECT_EQ(sparser.lambda, choice.one_standard_error);
    // The fit is the one with this lambda, and the path has its coefficients.
    options.prior = Prior::laplace(fit.lambda);
    EXPECT_EQ(fitted(task, problem.X, y, options).mean, fit.mean);
    EXPECT_LE((choice.mean.col(best) - fit.mean).cwiseAbs().maxCoeff(), 1e-7 * fit.mean.cwiseAbs().maxCoeff());
  }
}

TEST_P(LambdaChoices, DoNotDependOnTheOrderOfRowsOrOnThreads) {
  const Task task = GetParam();
  const auto problem = make_problem(9, 60, 8);
  const Vector& y = task == Task::linear ? problem.y : problem.labels;
  std::vector<Index> order(60);
  std::iota(order.begin(), order.end(), Index{0});
  std::reverse(order.begin(), order.end());
  std::swap(order[3], order[40]);
  FitOptions options = chosen_by();
  options.threads = 1;
  const Fit one = fitted(task, problem.X, y, options);
  const Fit other = fitted(task, problem.X(order, Eigen::all), y(order), options);
  EXPECT_NEAR(other.lambda / one.lambda, 1, 1e-9);
  EXPECT_LE((other.lambda_choice->loss - one.lambda_choice->loss).cwiseAbs().maxCoeff(), 1e-9 * one.lambda_choice->loss.maxCoeff());
  options.threads = 3;
  EXPECT_EQ(fitted(task, problem.X, y, options).lambda_choice->loss, one.lambda_choice->loss);
  options.seed = 2;
  EXPECT_NE(fitted(task, problem.X, y, options).lambda_choice->loss, one.lambda_choice->loss);
}

// A table whose columns are in other units, with other signs, shifted, and beside a constant column, with rows of weight 0 between the
// others.
struct OtherTable {
  Matrix X;
  Vector y, weights;
};
OtherTable in_other_units(Task task, const Matrix& X, const Vector& y, double shift, double unit_of_target) {
  const Index n = X.rows(), p = X.cols();
  OtherTable out{Matrix(n + 3, p + 1), Vector(n + 3), Vector::Ones(n + 3)};
  const auto place = [&](Index i) { return i < n / 2 ? i + 1 : i + 3; };
  for (const Index absent : {Index{0}, n / 2 + 1, n / 2 + 2}) {
    out.X.row(absent).setConstant(7.5e3), out.y[absent] = task == Task::linear ? 1e4 : y[0];
    out.weights[absent] = 0;
  }
  for (Index i = 0; i < n; ++i) {
    out.y[place(i)] = task == Task::linear ? unit_of_target * (y[i] + shift) : y[i];
    out.X(place(i), 1) = 1.75;
    for (Index j = 0; j < p; ++j)
      out.X(place(i), j == 0 ? 0 : j + 1) = (j % 2 == 0 ? 1 : -1) * std::pow(10.0, 3.0 - static_cast<double>(j)) * (X(i, j) + shift);
  }
  return out;
}

// (L1.14): with numbers that all differ, and with few values, of which pairs of rows have equal distances from the means.
TEST_P(LambdaChoices, DoNotDependOnUnitsSignsShiftsConstantColumnsAndRowsOfWeightZero) {
  const Task task = GetParam();
  for (const bool discrete : {false, true})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(seed);
      auto problem = make_problem(seed, 64, 6);
      if (discrete)
        for (Index i = 0; i < 64; ++i)
          for (Index j = 0; j < 6; ++j) problem.X(i, j) = (i >> j) % 2 == 0 ? -1 : 1;  // a full factorial plan
      if (discrete && task == Task::linear) problem.y = problem.y.unaryExpr([](double y) { return std::round(2 * y); });
      const Vector& y = task == Task::linear ? problem.y : problem.labels;
      const Fit one = fitted(task, problem.X, y, chosen_by());
      for (const double shift : {0.0, 100.0, 1e5})
        for (const double unit : {1e100, 1e-3, 1e-100}) {
          const OtherTable table = in_other_units(task, problem.X, y, shift, unit);
          FitOptions options = chosen_by();
          options.weights = table.weights;
          const Fit other = fitted(task, table.X, table.y, options);
          const double of_loss = task == Task::linear ? unit * unit : 1, of_lambda = task == Task::linear ? unit : 1;
          const LambdaChoice &before = *one.lambda_choice, &after = *other.lambda_choice;
          const double allowed = shift > 100 ? 1e-6 : 1e-8;
          ASSERT_EQ(after.lambda.size(), before.lambda.size());
          EXPECT_LE((after.loss / of_loss - before.loss).cwiseAbs().maxCoeff(), allowed * before.loss.maxCoeff());
          EXPECT_LE((after.loss_error / of_loss - before.loss_error).cwiseAbs().maxCoeff(), allowed * before.loss.maxCoeff());
          EXPECT_NEAR(other.lambda / of_lambda / one.lambda, 1, 1e-6);
          EXPECT_NEAR(after.one_standard_error / of_lambda / before.one_standard_error, 1, 1e-6);
        }
    }
}

// (L1.14): also with constant columns and copies among them, and with the same columns in other units.
TEST_P(LambdaChoices, DoNotDependOnTheOrderOfTheColumns) {
  const Task task = GetParam();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    auto problem = make_problem(seed, 60, 8);
    problem.X.col(6).setConstant(2.5);
    problem.X.col(7) = seed % 2 == 0 ? problem.X.col(2) : Vector(problem.X.col(7).array().round());
    const Vector& y = task == Task::linear ? problem.y : problem.labels;
    Random random(seed);
    Vector k(60);
    for (double& weight : k) weight = random.chance(0.1) ? 0 : random.scale(0.5, 2);
    FitOptions options = chosen_by();
    options.weights = k;
    const LambdaChoice one = *fitted(task, problem.X, y, options).lambda_choice;
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<Index> order = random.permutation(8);
      if (seed % 2 == 0 && std::ranges::find(order, 2) > std::ranges::find(order, 7))
        std::iter_swap(std::ranges::find(order, 2), std::ranges::find(order, 7));  // of two copies the first one is fitted
      Matrix X = problem.X(Eigen::all, order);
      if (turn == 2) X = X * Vector::LinSpaced(8, 0.01, 300).asDiagonal();
      const LambdaChoice other = *fitted(task, X, y, options).lambda_choice;
      EXPECT_LE((other.loss - one.loss).cwiseAbs().maxCoeff(), 1e-8 * one.loss.maxCoeff());
      EXPECT_NEAR(other.smallest_loss / one.smallest_loss, 1, 1e-9);
    }
    options.seed = 2;
    EXPECT_GT((fitted(task, problem.X, y, options).lambda_choice->loss - one.loss).cwiseAbs().maxCoeff(), 1e-6 * one.loss.maxCoeff());
  }
}

TEST_P(LambdaChoices, TakeARowOfWeightTwoForTwoRows) {
  const Task task = GetParam();
  const auto problem = make_problem(12, 40, 5);
  const Vector& y = task == Task::linear ? problem.y : problem.labels;
  std::vector<Index> twice;
  Vector k = Vector::Ones(40);
  for (Index i = 0; i < 40; ++i) {
    twice.push_back(i);
    if (i % 3 == 0) twice.push_back(i), k[i] = 2;
  }
  FitOptions options = chosen_by();
  const Fit rows = fitted(task, problem.X(twice, Eigen::all), y(twice), options);
  options.weights = k;
  const Fit weighted = fitted(task, problem.X, y, options);
  EXPECT_NEAR(weighted.lambda / rows.lambda, 1, 1e-9);
  EXPECT_LE((weighted.lambda_choice->loss - rows.lambda_choice->loss).cwiseAbs().maxCoeff(), 1e-8 * rows.lambda_choice->loss.maxCoeff());
}

TEST_P(LambdaChoices, FindTheColumnsThatMatter) {
  const Task task = GetParam();
  Random random(21);
  const Matrix X = random.normals(200, 30);
  Vector y = 2 * X.col(0) - 1.5 * X.col(1) + random.normals(200, 1).col(0);
  if (task == Task::logistic) y = y.unaryExpr([](double v) { return v > 0 ? 1.0 : -1.0; });
  const Fit fit = fitted(task, X, y, chosen_by(LambdaRule::one_standard_error));
  EXPECT_TRUE(fit.relevant[0] && fit.relevant[1]);
  EXPECT_LE(std::count(fit.relevant.begin(), fit.relevant.end(), true), 12);
  EXPECT_LT(fit.lambda_choice->loss.minCoeff(), 0.7 * fit.lambda_choice->loss[0]);
}

TEST_P(LambdaChoices, AreStoppedByTheCaller) {
  const Task task = GetParam();
  const auto problem = make_problem(9, 60, 8);
  for (const int last : {1, 20, 200}) {
    FitOptions options = chosen_by();
    int calls = 0, highest = 0;
    options.on_sweep = [&](const Progress& progress) {
      highest = std::max(highest, progress.fit);
      EXPECT_LE(progress.fit, progress.num_fits);
      return ++calls < last;
    };
    const Fit fit = fitted(task, problem.X, task == Task::linear ? problem.y : problem.labels, options);
    EXPECT_EQ(fit.report.status, Status::stopped_by_user) << last;
    EXPECT_EQ(calls, last);
    EXPECT_GE(highest, 1);
    EXPECT_FALSE(fit.lambda_choice);
  }
}

TEST_P(LambdaChoices, WarnOfFitsThatDidNotConverge) {
  const Task task = GetParam();
  const auto problem = make_problem(9, 60, 8);
  const Vector& y = task == Task::linear ? problem.y : problem.labels;
  FitOptions options = chosen_by();
  EXPECT_TRUE(fitted(task, problem.X, y, options).report.warnings.empty());
  options.tolerance = 1e-15;
  options.max_sweeps = 1;
  const std::vector<std::string> warnings = fitted(task, problem.X, y, options).report.warnings;
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.back().find("of 550 fits of the cross-validation did not converge"), std::string::npos) << warnings.back();
}

TEST_P(LambdaChoices, RefuseTooFewRowsAndFolds) {
  const Task task = GetParam();
  const auto problem = make_problem(9, 60, 8);
  FitOptions options = chosen_by();
  options.folds = 1;
  expect_invalid([&] { (void)fitted(task, problem.X, task == Task::linear ? problem.y : problem.labels, options); }, {"folds", "1"});
  const Matrix X = Vector::LinSpaced(2, 0, 1);
  const Vector y = Vector::LinSpaced(2, 0, 1);
  expect_invalid([&] { (void)fitted(task, X, y, chosen_by()); }, {"too few", "give lambda"});
}

INSTANTIATE_TEST_SUITE_P(Tasks, LambdaChoices, ::testing::Values(Task::linear, Task::logistic),
                         [](const auto& task) { return std::string(to_string(task.param)); });

TEST(LambdaChoice, SeveralClassesChooseOneEach) {
  Random random(5);
  const Matrix X = random.normals(90, 6);
  Vector labels(90);
  for (Index i = 0; i < 90; ++i) labels[i] = X(i, 0) > 0.5 ? 2 : X(i, 1) > 0 ? 1 : 0;
  SoftmaxOptions options;
  options.prior = Prior::laplace();
  const SoftmaxFit fit = fit_softmax(X, labels, options);
  ASSERT_EQ(fit.machines.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c) {
    ASSERT_TRUE(fit.machines[c].lambda_choice);
    const Vector one = labels.unaryExpr([&](double label) { return label == static_cast<double>(c) ? 1.0 : 0.0; });
    EXPECT_EQ(fit_logistic(X, one, chosen_by()).lambda, fit.machines[c].lambda);
  }
}

}  // namespace
}  // namespace ardvark
