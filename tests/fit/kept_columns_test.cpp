// A fit of a table with many columns that take no part is the fit without them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "../support/plain.hpp"
#include "ardvark/counts.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/posterior.hpp"
#include "fit_cases.hpp"

namespace ardvark {
namespace {

using testing::make_problem;
using testing::Problem;
using testing::relative_distance;

constexpr Index num_constant = 30;

// Columns that vary at 5, 7, 9, ... among constants. Whole numbers, and a power of two of rows: centre and scale have the same bits in any
// order of the sums.
struct TableWithConstants {
  Problem problem;
  Matrix X;
  std::vector<Index> place;

  TableWithConstants(Index n, Index p) : problem(make_problem(7, n, p)), X(Matrix::Constant(n, p + num_constant, 4.2)) {
    problem.X = (8 * problem.X).array().round();
    for (Index j = 0; j < p; ++j) place.push_back(j < num_constant - 5 ? 5 + 2 * j : num_constant + j);
    for (Index j = 0; j < p; ++j) X.col(place[static_cast<std::size_t>(j)]) = problem.X.col(j);
  }
  [[nodiscard]] FitOptions spread(FitOptions options) const {
    for (Index& j : options.prior.flat_columns) j = place[static_cast<std::size_t>(j)];
    for (Index& j : options.prior.fixed_columns) j = place[static_cast<std::size_t>(j)];
    if (!options.prior.group.empty()) {
      std::vector<Index> group(static_cast<std::size_t>(X.cols()), 1);  // of a constant column: that of others
      for (std::size_t j = 0; j < place.size(); ++j) group[static_cast<std::size_t>(place[j])] = 3 * options.prior.group[j] + 1;
      options.prior.group = group;
    }
    if (!options.start_precision.empty()) {
      std::vector<double> start(static_cast<std::size_t>(X.cols()) + 1, 77);
      for (std::size_t j = 0; j < place.size(); ++j) start[static_cast<std::size_t>(place[j])] = options.start_precision[j];
      options.start_precision = start;
    }
    return options;
  }
};

void expect_same_where_columns_vary(const Fit& all, const Fit& some, const std::vector<Index>& place) {
  constexpr double rounding = 1e-12;
  EXPECT_LE(relative_distance(all.mean(place), some.mean), rounding);
  EXPECT_LE(relative_distance(all.variance(place), some.variance), rounding);
  EXPECT_LE(relative_distance(all.relevance(place), some.relevance), rounding);
  EXPECT_EQ(all.report.status, some.report.status);
  EXPECT_NEAR(all.bound, some.bound, rounding * std::abs(some.bound));
  EXPECT_NEAR(all.effective_parameters, some.effective_parameters, 1e-11 * some.effective_parameters);
  EXPECT_NEAR(all.log_loss, some.log_loss, rounding);
  EXPECT_NEAR(all.r_squared, some.r_squared, rounding);
  EXPECT_NEAR(all.deviance, some.deviance, rounding * (1 + some.deviance));
  EXPECT_EQ(all.intercept.has_value(), some.intercept.has_value());
  if (all.intercept && some.intercept) {
    EXPECT_NEAR(all.intercept->mean, some.intercept->mean, 1e-11);
    EXPECT_NEAR(all.intercept->variance, some.intercept->variance, 1e-11 * some.intercept->variance);
  }
  for (std::size_t j = 0; j < place.size(); ++j) {
    const auto at = static_cast<std::size_t>(place[j]);
    EXPECT_EQ(all.relevant[at], some.relevant[j]);
    EXPECT_FALSE(all.left_out[at]);
    const bool by_column = all.prior == PriorKind::laplace && some.group[j] >= 0;
    EXPECT_EQ(all.group[at], by_column ? place[static_cast<std::size_t>(some.group[j])] : some.group[j]);
  }
  if (all.prior == PriorKind::laplace)
    EXPECT_EQ(Vector(all.precision(place)), some.precision);
  else
    EXPECT_EQ(all.precision, some.precision);
  std::vector<Index> in_design = place;
  if (all.intercept) in_design.push_back(all.num_columns());
  const Matrix V = all.covariance();
  EXPECT_LE(relative_distance(Matrix(V(in_design, in_design)), some.covariance()), 1e-11);
  EXPECT_NEAR(V.norm(), V(in_design, in_design).norm(), rounding * V.norm());
}

void expect_nothing_elsewhere(const Fit& all, const std::vector<Index>& place) {
  for (Index j = 0; j < all.num_columns(); ++j) {
    if (std::ranges::binary_search(place, j)) continue;
    const auto at = static_cast<std::size_t>(j);
    EXPECT_TRUE(all.left_out[at]);
    EXPECT_EQ(all.mean[j], 0);
    EXPECT_EQ(all.variance[j], 0);
    EXPECT_EQ(all.relevance[j], 0);
    EXPECT_FALSE(all.relevant[at]);
    EXPECT_LT(all.group[at], 0);
    if (!all.sparse) continue;
    EXPECT_EQ(all.sparse->inclusion[j], 0);
    EXPECT_EQ(all.sparse->direction[j], 0.5);
    EXPECT_FALSE(all.sparse->undecided[at]);
  }
}

void expect_same_effects(const SparseResult& all, const SparseResult& some, const std::vector<Index>& place) {
  EXPECT_LE(relative_distance(all.inclusion(place), some.inclusion), 1e-12);
  EXPECT_LE(relative_distance(all.direction(place), some.direction), 1e-12);
  ASSERT_EQ(all.sets.size(), some.sets.size());
  for (std::size_t i = 0; i < all.sets.size(); ++i) {
    std::vector<Index> columns;
    for (const Index j : some.sets[i].columns) columns.push_back(place[static_cast<std::size_t>(j)]);
    EXPECT_EQ(all.sets[i].columns, columns);
    EXPECT_EQ(all.sets[i].probability, some.sets[i].probability);
  }
}

Fit fit_of(Task task, MatrixView X, const Problem& problem, const FitOptions& options) {
  if (task == Task::counts) return fit_counts(X, Vector(problem.y.array().exp().min(20).round()), options);
  return testing::fit_any(task, X, problem, options);
}

std::pair<Vector, Vector> predicted(const Fit& fit, MatrixView X) {
  if (fit.task == Task::logistic) return {predict(LogisticFit{fit}, X).probability, predict(LogisticFit{fit}, X).variance};
  if (fit.task == Task::counts) return {predict(CountFit{fit}, X).mean, predict(CountFit{fit}, X).mean};
  const StudentPrediction of = predict(LinearFit{fit}, X);
  return {of.mean, of.scale};
}

std::vector<std::pair<std::string, FitOptions>> options_of(Task task, Index p) {
  std::vector<std::pair<std::string, FitOptions>> out;
  const auto add = [&](const std::string& name, const Prior& prior) -> FitOptions& {
    FitOptions options;
    options.prior = prior;
    return out.emplace_back(name, options).second;
  };
  std::vector<Index> group;
  for (Index j = 0; j < p; ++j) group.push_back(j % 3);
  add("shared", Prior::shared());
  add("ard", Prior::ard());
  add("ard, pruned", Prior::ard()).pruning.threshold = 300;
  add("ard, a start", Prior::ard()).start_precision.assign(static_cast<std::size_t>(p) + 1, 3);
  add("ard, penalised intercept", Prior::ard()).penalize_intercept = true;
  add("groups", Prior::groups(group));
  add("flat and fixed", Prior::shared().flat({1}).fixed({2, 4}, 2.5));
  if (p < 20) add("none", Prior::none());
  if (task == Task::counts) return out;
  for (const Prior& prior : {Prior::sparse(), Prior::slab(), Prior::dense()}) {
    add(to_string(prior.kind), prior);
    add(fmt::format("{}, flat", to_string(prior.kind)), prior.flat({1}));
  }
  FitOptions& in_groups = add("sparse, groups", Prior::sparse());
  in_groups.prior.group = group;
  add("laplace", Prior::laplace(3)).record_every = 50;
  add("laplace, chosen", Prior::laplace());
  return out;
}

TEST(KeptColumns, FitAsWithoutTheOthers) {
  for (const auto& [n, p] : {std::pair<Index, Index>{64, 8}, std::pair<Index, Index>{32, 50}})
    for (const Task task : {Task::linear, Task::logistic, Task::counts}) {
      const TableWithConstants table(n, p);
      for (const auto& [name, options] : options_of(task, p)) {
        SCOPED_TRACE(fmt::format("{}, {} columns: {}", to_string(task), p, name));
        const Fit all = fit_of(task, table.X, table.problem, table.spread(options));
        const Fit some = fit_of(task, table.problem.X, table.problem, options);
        expect_same_where_columns_vary(all, some, table.place);
        expect_nothing_elsewhere(all, table.place);
        if (all.sparse) expect_same_effects(*all.sparse, *some.sparse, table.place);
        EXPECT_EQ(all.precision_history.cols(), some.precision_history.cols());
        if (all.lambda_choice) {
          EXPECT_EQ(Matrix(all.lambda_choice->mean(table.place, Eigen::all)), some.lambda_choice->mean);
        }
        const auto [mean, spread] = predicted(all, table.X);
        const auto [mean_of_some, spread_of_some] = predicted(some, table.problem.X);
        EXPECT_LE(relative_distance(mean, mean_of_some), 1e-12);
        EXPECT_LE(relative_distance(spread, spread_of_some), 1e-11);
      }
    }
}

// By rows, in single numbers, in few bytes, sparse, in memory that the fit may overwrite.
TEST(KeptColumns, EveryFormOfXHasThem) {
  const TableWithConstants table(64, 8);
  const Matrix whole = table.X.array().round();
  Matrix kept = whole(Eigen::all, table.place);
  FitOptions options;
  options.prior = Prior::sparse();
  const Vector& y = table.problem.y;
  const Fit some = fit_linear(kept, y, options);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor by_rows = whole;
  const Eigen::MatrixXf single = whole.cast<float>();
  const Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic> bytes = whole.cast<std::int8_t>();
  const Index n = whole.rows(), p = whole.cols();
  std::vector<Fit> fits = {fit_linear(MatrixView(by_rows.data(), n, p, Layout::row_major), y, options),
                           fit_linear(MatrixView(single.data(), n, p, Layout::column_major), y, options),
                           fit_linear(MatrixView(bytes.data(), n, p, Layout::column_major), y, options)};
  for (const Layout layout : {Layout::column_major, Layout::row_major}) {
    std::shared_ptr<double[]> memory(new double[static_cast<std::size_t>(n * p)]);
    std::copy_n(layout == Layout::row_major ? by_rows.data() : whole.data(), n * p, memory.get());
    fits.push_back(fit_linear(OwnedMatrix(memory, n, p, layout), y, options));
  }
  const Eigen::SparseMatrix<double> entries = whole.sparseView();
  fits.push_back(fit_linear(CscView(entries.outerIndexPtr(), entries.innerIndexPtr(), entries.valuePtr(), n, p), y, options));
  for (const Fit& all : fits) {
    expect_same_where_columns_vary(all, some, table.place);
    expect_nothing_elsewhere(all, table.place);
  }
}

// The exposure is such a column, too.
TEST(KeptColumns, RatesKeepTheirExposure) {
  TableWithConstants table(64, 4);
  table.X.col(0) = (0.1 * table.problem.X.col(0)).array().exp();
  FitOptions options;
  options.prior = Prior::shared();
  options.exposure = "x1";
  Matrix kept(64, 5);
  kept << table.X.col(0), table.problem.X;
  const Fit all = fit_of(Task::counts, table.X, table.problem, options), some = fit_of(Task::counts, kept, table.problem, options);
  EXPECT_EQ(all.exposure, 0);
  EXPECT_LE(relative_distance(all.mean(table.place), some.mean.tail(4)), 1e-12);
  const Vector rates = predict(CountFit{all}, table.X).mean, rates_of_some = predict(CountFit{some}, kept).mean;
  EXPECT_LE(relative_distance(rates, rates_of_some), 1e-12);
}

}  // namespace
}  // namespace ardvark
