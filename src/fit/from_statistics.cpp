// A linear fit from statistics: the fit of a small table that has the same statistics.                docs/math/statistics.md (ST.3),
// (ST.5)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "ardvark/statistics.hpp"
#include "core/blas.hpp"
#include "core/validate.hpp"
#include "fit/checked.hpp"
#include "fit/lambda_choice.hpp"
#include "frame/frame.hpp"
#include "method/l1/lasso.hpp"
#include "preset/preset.hpp"
#include "rows/statistics_state.hpp"

namespace ardvark {

using namespace internal;

namespace {

// A with A'A equal to the cross-products of [X y].
struct Root {
  Matrix A;                   // [r,q]
  bool is_explained = false;  // the rest of the target is lost in the rounding of its cross-products
};

constexpr double lost = 1e-13;  // a share of the variance of a column that is rounding of its cross-products

// The correlations of the columns are factorised, the column with the largest rest first; the target is last.
Root root_of_cross(const Moments& total, Index most_rows) {
  const Index q = total.size(), p = q - 1;
  Matrix C = total.triangle();
  const Vector sd = C.diagonal().cwiseMax(0.0).cwiseSqrt(), inverse = (sd.array() > 0).select(sd.cwiseInverse(), 0.0);
  C = inverse.asDiagonal() * C * inverse.asDiagonal();
  std::vector<Index> order;
  const Index rank = std::min(blas::pstrf(p, C.data(), q, std::max(lost, 4e-16 * static_cast<double>(p)), order), most_rows);
  Vector c = C.row(p).transpose()(order).head(rank);
  if (rank > 0) blas::trsv(blas::Transpose::no, rank, C.data(), q, c.data());
  const double rest = C(p, p) - c.squaredNorm();
  Root out{Matrix::Zero(std::min(rank + 1, most_rows), q), C(p, p) > 0 && rest < 10 * lost && rank < most_rows};
  for (Index i = 0; i < p; ++i) {
    const Index column = order[static_cast<std::size_t>(i)], height = std::min(i + 1, rank);
    out.A.col(column).head(height) = C.row(i).head(height).transpose() * sd[column];
  }
  out.A.col(p).head(rank) = c * sd[p];
  if (rank < out.A.rows()) out.A(rank, p) = std::sqrt(std::max(rest, 0.0)) * sd[p];
  return out;
}

// Z [rows,q] with Z'Z = A'A and columns that sum to 0: A between the vector of ones and others that are orthogonal to it.         (ST.3)
Matrix about_the_mean(const Matrix& A, Index rows) {
  const long double root = std::sqrt(static_cast<long double>(rows));  // v has the elements 1/root, and 1 more in the first row
  Matrix Z = Matrix::Zero(rows, A.cols());
  for (Index j = 0; j < A.cols(); ++j) {
    const long double product = A.col(j).cast<long double>().sum() / root / (1 + 1 / root);  // 2 v'Z / v'v
    Z(0, j) = static_cast<double>(-product * (1 / root + 1));
    for (Index i = 1; i < rows; ++i) Z(i, j) = static_cast<double>((i <= A.rows() ? A(i - 1, j) : 0.0L) - product / root);
  }
  return Z;
}

// Rows with the same weight, weighted means and cross-products as the rows of the statistics.
struct SmallTable {
  Matrix Z;  // [m,q]
  StandIn stand_in;
  bool is_explained = false;  // as Root
};

// A factor of the rows. With fewer rows than columns, it has as many rows as columns, of which rows - 1 are not zero.
Root root_of_factor(const Moments& total, Index most_rows) {
  Matrix A = total.triangle().transpose();
  if (A.rows() <= most_rows) return {std::move(A)};
  blas::triangularise(A.rows(), A.cols(), A.data(), A.rows());
  return {Matrix(A.topRows(most_rows).triangularView<Eigen::Upper>())};
}

SmallTable small_table(const LinearStatistics::State& state, const Moments& total, bool about_mean) {
  const Index q = total.size(), rows = std::min(state.num_weighted, q + 1);
  const Root root = total.form == StatisticsForm::factor ? root_of_factor(total, rows - 1) : root_of_cross(total, rows - 1);
  SmallTable out;
  const double weight = total.weight / static_cast<double>(rows);
  out.is_explained = root.is_explained;
  out.Z = about_the_mean(root.A, rows) / std::sqrt(weight);
  for (Index j = 0; j < q; ++j)
    if ((root.A.col(j).array() == 0).all()) out.Z.col(j).setZero();
  out.stand_in.weight = weight;
  if (about_mean)
    out.stand_in = {total.mean.head(q - 1), total.mean[q - 1], weight};
  else
    out.Z.rowwise() += total.mean.transpose();
  return out;
}

// Cross-products have lost the digits that a small difference between columns needs.                                              (ST.5)
void refuse_collinear_columns(const Moments& total, const FitOptions& options) {
  std::vector<Index> flat = options.prior.flat_columns;
  const Index p = total.size() - 1;
  if (options.prior.kind == PriorKind::none) {
    flat.resize(static_cast<std::size_t>(p));
    for (Index j = 0; j < p; ++j) flat[static_cast<std::size_t>(j)] = j;
  }
  if (total.form == StatisticsForm::factor || flat.size() < 2) return;
  const Matrix cross = total.cross();
  std::vector<Index> kept;  // without constants and copies, which a fit leaves out
  const auto is_copy = [&](Index j, Index i) { return cross(i, j) * cross(i, j) >= (1 - lost) * cross(i, i) * cross(j, j); };
  for (const Index j : flat)
    if (j >= 0 && j < p && cross(j, j) > 0 && std::ranges::none_of(kept, [&](Index i) { return is_copy(j, i); })) kept.push_back(j);
  flat = std::move(kept);
  const auto f = static_cast<Index>(flat.size());
  if (f < 2) return;
  const Vector inverse = cross(flat, flat).diagonal().cwiseSqrt().cwiseInverse();
  Matrix L = inverse.asDiagonal() * cross(flat, flat) * inverse.asDiagonal();
  constexpr double six_digits_left = 1e9;
  Index most = 0;
  if (blas::potrf(f, L.data(), f) && blas::trtri(f, L.data(), f)) {
    const Vector inflation = L.triangularView<Eigen::Lower>().toDenseMatrix().colwise().squaredNorm();  // (RIDGE.9)
    if (inflation.maxCoeff(&most) <= six_digits_left) return;
  }
  throw InvalidArgument(
      fmt::format("the columns without a prior are collinear or nearly so ('{}' most), and statistics of the form gram keep too few digits "
                  "to tell them "
                  "apart: make statistics of the form factor, leave columns out, or give them a prior",
                  validate::column_name(options.column_names, flat[static_cast<std::size_t>(most)])));
}

bool is_about_the_mean(const FitOptions& options) {
  const bool as_they_are = !options.preset.empty() && !options.standardize;
  return options.intercept && !options.penalize_intercept && !as_they_are;
}

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
  if (fit.task != Task::linear) throw InvalidArgument("the fit is no regression");
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
      throw InvalidArgument(
          "prior is 'laplace' without a lambda: its cross-validation needs the statistics of two folds at least; give a lambda");
    const auto parts = std::make_shared<const std::vector<LinearStatistics>>(with_columns_of(all, folds));
    return DividedRows{static_cast<int>(folds.size()), [&all](const FitOptions& one) { return path_of(all, {}, one); },
                       [parts, weight = all.weight()](int fold, const Vector& lambda, const FitOptions& one) {
                         return test_fold(*parts, fold, weight, lambda, one);
                       }};
  });
  LinearFit fit = fit_linear(all, chosen.options);
  fit.lambda_choice = std::move(chosen.choice);
  if (!chosen.note.empty()) fit.report.notes.insert(fit.report.notes.begin(), chosen.note);
  if (!chosen.warning.empty()) fit.report.warnings.push_back(chosen.warning);
  return fit;
}

LinearFit fit_linear(const LinearStatistics& all, const FitOptions& given) {
  const LinearStatistics statistics = all.with_references();
  const LinearStatistics::State& state = statistics.state();
  const std::optional<Moments> total = state.total();
  if (!total) throw InvalidArgument("the statistics have no rows: call update() first");
  FitOptions options = given;
  if (!options.weights.empty()) throw InvalidArgument("weights cannot be given with statistics: they belong to the rows, in update()");
  if (options.prior.kind == PriorKind::laplace && !(options.prior.lambda > 0))
    throw InvalidArgument(
        "prior is 'laplace' without a lambda; its cross-validation reads rows, which statistics do not have: give a lambda");
  const PresetMethod method = preset_facts(options.preset).method;
  if (options.scaling != Scaling::deviation || method == PresetMethod::greedy || method == PresetMethod::sequential)
    throw InvalidArgument(fmt::format("preset is '{}'; it reads the rows themselves, and statistics do not have them", options.preset));
  if (options.column_names.empty()) options.column_names = state.columns;
  refuse_collinear_columns(*total, options);
  const SmallTable table = small_table(state, *total, is_about_the_mean(options));
  const Index p = state.num_columns;
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
