// A linear fit from statistics: the fit of a small table that has the same statistics.                docs/math/statistics.md (ST.3),
// (ST.5)
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "ardvark/statistics.hpp"
#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "fit/collinear.hpp"
#include "frame/frame.hpp"
#include "method/l1/lambda_choice.hpp"
#include "method/l1/lasso.hpp"
#include "passes/small_table.hpp"
#include "preset/preset.hpp"
#include "rows/statistics_state.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The modes of a Laplace prior for many lambdas.
LambdaPath path_of(const LinearStatistics& statistics, const PathGrid& grid, FitOptions options) {
  const LinearStatistics::State& state = statistics.state();
  const SmallTable table = small_table(state, *state.total(), is_about_the_mean(options));
  const Vector k = Vector::Constant(table.Z.rows(), table.stand_in.weight), y = table.Z.col(state.num_columns);
  options.weights = k;
  return lasso_path(make_frame(Task::linear, table.Z.leftCols(state.num_columns), y, options, nullptr, table.stand_in), grid);
}

// Sum of weight times squared error of the predictions b + x'w.                                                                  (ST.6)
double squared_errors(const Moments& rows, const Vector& w, double b) {
  const Index p = w.size();
  Vector direction(p + 1);
  direction << -w, 1.0;
  const Vector apart =
      rows.form == StatisticsForm::gram ? Vector(rows.cross() * direction) : Vector(rows.triangle().transpose() * direction);
  const double about = rows.form == StatisticsForm::gram ? direction.dot(apart) : apart.squaredNorm();
  const double off = rows.mean[p] - b - rows.mean.head(p).dot(w);
  return std::max(about, 0.0) + rows.weight * off * off;
}

LinearStatistics sum_of(const std::vector<LinearStatistics>& folds, std::size_t without) {
  LinearStatistics out(folds.front().form());
  for (std::size_t f = 0; f < folds.size(); ++f)
    if (f != without) out.merge(folds[f]);
  return out;
}

// The folds with the columns of all of them.
std::vector<LinearStatistics> with_columns_of(const LinearStatistics& all, const std::vector<LinearStatistics>& folds) {
  std::vector<LinearStatistics> out;
  for (const LinearStatistics& fold : folds) out.push_back(fold.with_columns_of(all));
  return out;
}

FoldLoss test_fold(const std::vector<LinearStatistics>& folds, int fold, double weight, const Vector& lambda, const FitOptions& options) {
  const LinearStatistics training = sum_of(folds, static_cast<std::size_t>(fold));
  const Moments test = *folds[static_cast<std::size_t>(fold)].state().total();
  PathGrid grid;
  grid.lambdas.assign(lambda.begin(), lambda.end());
  for (double& l : grid.lambdas) l *= training.weight() / weight;  // a penalty per row
  const LambdaPath path = path_of(training, grid, options);
  FoldLoss out{Vector::Zero(lambda.size()), test.weight, count_unfinished(path)};
  for (Index l = 0; l < path.lambda.size(); ++l)
    out.loss[l] = squared_errors(test, path.mean.col(l), path.intercept.size() > 0 ? path.intercept[l] : 0.0) / test.weight;
  return out;
}

}  // namespace

double squared_error(const Fit& fit, const LinearStatistics& rows) {
  if (!has_noise(fit.task)) throw InvalidArgument("the fit is no regression");
  const LinearStatistics same = rows.encoding().dummies == Dummies::every_level ? rows.with_columns(fit.column_names) : rows;
  const std::optional<Moments> total = same.state().total();
  if (!total) throw InvalidArgument("the statistics have no rows");
  if (same.num_columns() != fit.num_columns())
    throw InvalidArgument(fmt::format("the statistics have {} columns; the fit has {}", same.num_columns(), fit.num_columns()));
  return squared_errors(*total, fit.mean, fit.intercept ? fit.intercept->mean : 0.0) / total->weight;
}

LinearFit fit_linear(const std::vector<LinearStatistics>& given, const FitOptions& options) {
  std::vector<LinearStatistics> folds;
  for (const LinearStatistics& one : given)
    if (one.weight() > 0) folds.push_back(one);
  if (folds.empty()) throw InvalidArgument("the statistics have no rows: call update() first");
  const LinearStatistics all = sum_of(folds, folds.size()).with_references();
  FitOptions named = options;
  if (named.column_names.empty()) named.column_names = all.state().columns;
  ChosenLambda chosen = with_chosen_lambda(named, [&] {
    if (folds.size() < 2)
      throw refused("prior",
                    "is 'laplace' without a lambda: its cross-validation needs the statistics of two folds at least; give a lambda");
    const auto parts = std::make_shared<const std::vector<LinearStatistics>>(with_columns_of(all, folds));
    return DividedRows{static_cast<int>(folds.size()), [&all](const FitOptions& one) { return path_of(all, {}, one); },
                       [parts, weight = all.weight()](int fold, const Vector& lambda, const FitOptions& one) {
                         return test_fold(*parts, fold, weight, lambda, one);
                       }};
  });
  LinearFit fit = fit_linear(all, chosen.options);
  take_choice(std::move(chosen), fit);
  return fit;
}

LinearFit fit_linear(const LinearStatistics& all, const FitOptions& given) {
  const LinearStatistics statistics = all.with_references();
  const LinearStatistics::State& state = statistics.state();
  const std::optional<Moments> total = state.total();
  if (!total) throw InvalidArgument("the statistics have no rows: call update() first");
  FitOptions options = given;
  if (!options.weights.empty()) throw refused("weights", "cannot be given with statistics: they belong to the rows, in update()");
  if (options.prior.kind == PriorKind::laplace && !(options.prior.lambda > 0))
    throw refused("prior", "is 'laplace' without a lambda; its cross-validation reads rows, which statistics do not have: give a lambda");
  if (const Family family = options.family.value_or(Family::normal); family != Family::normal)
    throw wrong("family", to_string(family), "it reads the rows themselves, and statistics do not have them");
  const PresetMethod method = preset_facts(options.preset).method;
  if (options.scaling != Scaling::deviation || method == PresetMethod::greedy || method == PresetMethod::sequential)
    throw wrong("preset", options.preset, "it reads the rows themselves, and statistics do not have them");
  if (options.column_names.empty()) options.column_names = state.columns;
  const SmallTable table = small_table(state, *total, is_about_the_mean(options));
  const Index p = state.num_columns;
  if (total->form == StatisticsForm::gram)
    refuse_collinear_columns(total->cross().topLeftCorner(p, p), table.Z.leftCols(p), table.stand_in, options,
                             "make statistics of the form factor, ");
  const Vector y = table.Z.col(p);
  LinearFit fit{fit_as_asked(Task::linear, table.Z.leftCols(p), y, options, nullptr, table.stand_in)};
  if (table.is_explained)
    fit.report.warnings.emplace_back(
        "the columns explain the target up to the rounding of its cross-products: the noise is too uncertain to be trusted; statistics of "
        "the form factor keep it");
  if (fit.target.empty()) fit.target = state.target;
  return fit;
}

}  // namespace ardvark
