#include "model/missing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "impute/row_imputer.hpp"
#include "io/text.hpp"
#include "model/choice.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// For each feature, how many of its values are missing; a text column counts once.
std::vector<Index> gaps_of_features(MatrixView X, const FeatureEncoding& encoding) {
  std::vector<Index> out(encoding.features.size(), 0);
  const std::vector<Index> feature = encoding.feature_of_columns();
  for (Index j = 0; j < X.cols(); ++j) {
    if (j > 0 && feature[static_cast<std::size_t>(j)] == feature[static_cast<std::size_t>(j - 1)]) continue;
    for (Index i = 0; i < X.rows(); ++i)
      if (std::isnan(X(i, j))) ++out[static_cast<std::size_t>(feature[static_cast<std::size_t>(j)])];
  }
  return out;
}

bool has_gap(MatrixView X, Index row) {
  for (Index j = 0; j < X.cols(); ++j)
    if (std::isnan(X(row, j))) return true;
  return false;
}

// Rows whose draws are predicted at a time. Each row has a hundred draws, so all at once could need more memory than there is.
constexpr Index rows_of_block = 16;

// Mean and variance over the draws of each row. All rows have the same number of draws. (MI.6)
struct Draws {
  Index rows;
  [[nodiscard]] auto of(const Vector& values) const { return values.reshaped(values.size() / rows, rows).array(); }
  [[nodiscard]] Vector mean(const Vector& values) const { return of(values).colwise().mean(); }
  [[nodiscard]] Vector spread(const Vector& values) const {
    return (of(values).rowwise() - of(values).colwise().mean().eval()).square().colwise().mean();
  }
};

void average(const StudentPrediction& drawn, std::span<const Index> rows, StudentPrediction& all) {
  const Draws draws{std::ssize(rows)};
  const double nu = all.degrees_of_freedom, of_variance = std::isinf(nu) || !(nu > 2) ? 1 : (nu - 2) / nu;
  all.mean(rows) = draws.mean(drawn.mean);
  all.scale(rows) = (draws.mean(drawn.scale.cwiseAbs2()) + of_variance * draws.spread(drawn.mean)).cwiseSqrt();
}
void average(const NoiseMixturePrediction& drawn, std::span<const Index> rows, NoiseMixturePrediction& all) {
  const Draws draws{std::ssize(rows)};
  all.mean(rows) = draws.mean(drawn.mean);
  all.variance_of_mean(rows) = draws.mean(drawn.variance_of_mean) + draws.spread(drawn.mean);
}
void average(const ClassPrediction& drawn, std::span<const Index> rows, ClassPrediction& all) {
  const Draws draws{std::ssize(rows)};
  all.probability(rows) = draws.mean(drawn.probability);
  all.mean(rows) = draws.mean(drawn.mean);
  all.variance(rows) = draws.mean(drawn.variance) + draws.spread(drawn.mean);
}
template <typename OtherPrediction>
void average(const OtherPrediction&, std::span<const Index>, OtherPrediction&) {
  throw InternalError("rows with gaps are imputed for one score only");
}

}  // namespace

// A fit has the same bits only in the same memory order.
OwnedMatrix rows_of(MatrixView X, const std::vector<Index>& rows) {
  const auto n = static_cast<Index>(rows.size()), p = X.cols();
  const std::shared_ptr<double[]> values(new double[static_cast<std::size_t>(n * p)]);
  const bool by_row = X.layout() == Layout::row_major;
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i) values[by_row ? i * p + j : j * n + i] = X(rows[static_cast<std::size_t>(i)], j);
  return {values, n, p, X.layout()};
}

Missing missing_of(const ModelOptions& options) {
  const auto missing = choose<Missing>(options, "missing", options.missing,
                                       {{"refuse", Missing::refuse}, {"drop", Missing::drop_rows}, {"impute", Missing::keep}});
  if (missing != Missing::keep) refuse(options, {"imputations"}, fmt::format("applies only with {}", options.spelled("missing", "impute")));
  return missing;
}

std::string note_of_dropped(Index num_dropped, const std::string& column, Index gaps) {
  return fmt::format("{} {} dropped because a value was missing; most gaps are in {} ({})", num_dropped,
                     num_dropped == 1 ? "row was" : "rows were",
                     column.empty() ? "the target" : fmt::format("column '{}'", io::shown(column)), gaps);
}

RowsInUse rows_in_use(MatrixView X, VectorView target, const ModelOptions& options, Missing missing) {
  const Index n = X.rows();
  if (target.size() != n) throw wrong_size("y", target.size(), fmt::format("it must have one per row of X: {}", n));
  if (!options.weights.empty()) validate::weights(options.weights, n);
  if (!options.row_offset.empty()) validate::vector(options.row_offset, n, "row_offset");
  RowsInUse out{{}, {}, target.eigen(), options, {}};
  const FeatureEncoding encoding = !options.encoding.features.empty() ? options.encoding : [&] {
    std::vector<std::string> names;
    for (Index j = 0; j < X.cols(); ++j) names.push_back(validate::column_name(options.column_names, j));
    return FeatureEncoding::of_numbers(names);
  }();
  std::vector<Index> gaps = gaps_of_features(X, encoding);
  for (std::size_t f = 0; f < gaps.size(); ++f)
    if (gaps[f] == n)
      throw wrong_column(io::shown(encoding.features[f].name), fmt::format("has no value: it is missing in all {} rows", n),
                         "leave the column out");
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i)
    if (!std::isnan(target[i]) && (missing == Missing::keep || !has_gap(X, i))) rows.push_back(i);
  const auto kept = static_cast<Index>(rows.size());
  if (kept == n) return out;
  const Index of_target = std::count_if(target.begin(), target.end(), [](double y) { return std::isnan(y); });
  const auto worst = std::max_element(gaps.begin(), gaps.end());
  const bool is_target = missing == Missing::keep || of_target > *worst;
  const std::string name = !is_target ? encoding.features[static_cast<std::size_t>(worst - gaps.begin())].name : options.target;
  if (kept == 0)
    throw InvalidArgument(fmt::format("every row has a missing value, so no rows are left ({} lacks {} of {} values)",
                                      name.empty() ? "the target" : fmt::format("column '{}'", io::shown(name)),
                                      is_target ? of_target : *worst, n));
  out.note = note_of_dropped(n - kept, name, is_target ? of_target : *worst);
  out.X = rows_of(X, rows);
  out.target = Vector(target.eigen())(rows);
  for (std::vector<double>* of_rows : {&out.options.weights, &out.options.row_offset})
    if (!of_rows->empty()) {
      const Vector kept_values = VectorView(*of_rows).eigen()(rows);
      of_rows->assign(kept_values.begin(), kept_values.end());
    }
  out.rows = std::move(rows);
  return out;
}

void renumber_rows(const std::function<Index(Index)>& number_of, KernelFit& fit) {
  for (Index& row : fit.relevance_rows) row = number_of(row);
}

void renumber_rows(const std::function<Index(Index)>& number_of, RelevanceFit& fit) {
  for (Index& row : fit.relevance_rows)
    if (row >= 0) row = number_of(row);  // otherwise a centre that is no row
  for (RelevanceMachine& machine : fit.machines)
    for (std::size_t j = 0; j < machine.vectors.size(); ++j)
      if (const Index row = fit.relevance_rows[static_cast<std::size_t>(machine.vectors[j])]; row >= 0)
        machine.fit.column_names[j] = fmt::format("k(row {})", row + 1);
}

void count_dropped_rows(const RowsInUse& used, SavedModel& model) {
  if (used.rows.empty()) return;
  report_of(model).notes.push_back(used.note);
  const auto number = [&](Index row) { return used.rows[static_cast<std::size_t>(row)]; };
  if (RelevanceFit* const fit = model.relevance()) renumber_rows(number, *fit);
  if (KernelFit* const fit = model.process()) renumber_rows(number, *fit);
}

std::uint64_t seed_of(const ModelOptions& options) {
  check_range(options, model_option("seed"));
  return static_cast<std::uint64_t>(options.seed);
}

void refuse_to_impute(const ModelOptions& options, const char* what) {
  if (missing_of(options) == Missing::keep)
    throw refused(options, "missing", "impute",
                  fmt::format("applies only to one fit; for {} use {}", what, options.spelled("missing", "drop")));
}

bool can_impute(const ModelOptions& options) {
  return options.model != "rvm" && options.model != "kernel" && options.model != "counts" && options.preset.empty() &&
         options.prior != "laplace";
}
bool can_impute(const SavedModel& model) {
  const auto is_preset = [](const auto& option) { return option.first == "preset"; };
  const Fit* const fit = model.score();
  return fit != nullptr && !is_count(fit->task) && fit->prior != PriorKind::laplace && std::ranges::none_of(model.options, is_preset);
}

std::string remedy_of_gap(const ModelOptions& options, bool may_impute) {
  const std::string drop = fmt::format("{} leaves such rows out", options.spelled("missing", "drop"));
  if (!may_impute) return drop;
  return fmt::format("{}, {} fills the gaps{}", drop, options.spelled("missing", "impute"),
                     options.model == "logistic" ? ", if there are two classes" : "");
}

std::string remedy_of_target_gap(const ModelOptions& options) {
  if (!can_impute(options)) return remedy_of_gap(options, false);
  return fmt::format("{} and {} leave such rows out: it is the target", options.spelled("missing", "drop"),
                     options.spelled("missing", "impute"));
}

std::string remedy_of_new_gap(const SavedModel& model, const ModelOptions& options) {
  return can_impute(model) ? fmt::format("leave out such rows, or fit the model again with {}; it then predicts rows with gaps, too",
                                         options.spelled("missing", "impute"))
                           : "leave out such rows, or fill the gaps";
}

ImputationOptions imputation_options(const ModelOptions& options) { return {options.imputations, seed_of(options)}; }

bool has_gaps(MatrixView X) {
  for (Index i = 0; i < X.rows(); ++i)
    if (has_gap(X, i)) return true;
  return false;
}

Prediction predict_with_gaps(const SavedModel& model, MatrixView X_new, const std::function<Prediction(MatrixView)>& of_complete) {
  const RowImputer& imputer = *model.imputation->rows;
  const Index n = X_new.rows(), p = X_new.cols();
  if (p != imputer.num_columns()) return of_complete(X_new);  // the message
  Matrix given(n, p);                                         // its other numbers are checked as they are
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i) given(i, j) = std::isnan(X_new(i, j)) ? imputer.model.units.center[j] : X_new(i, j);
  Prediction all = of_complete(given);
  std::vector<Index> with_gap;
  for (Index i = 0; i < n; ++i)
    if (has_gap(X_new, i)) with_gap.push_back(i);
  const auto num_gaps = static_cast<Index>(with_gap.size());
  for (Index begin = 0; begin < num_gaps; begin += rows_of_block) {
    const Index count = std::min(rows_of_block, num_gaps - begin);
    Matrix draws(count * imputer.num_draws(), p);
    for (Index i = 0; i < count; ++i) {
      Vector x(p);
      for (Index j = 0; j < p; ++j) x[j] = X_new(with_gap[static_cast<std::size_t>(begin + i)], j);
      draws.middleRows(i * imputer.num_draws(), imputer.num_draws()) = imputer.completed(x);
    }
    const std::span<const Index> rows(with_gap.data() + begin, static_cast<std::size_t>(count));
    std::visit([&](const auto& drawn) { average(drawn, rows, std::get<std::decay_t<decltype(drawn)>>(all)); }, of_complete(draws));
  }
  return all;
}

}  // namespace ardvark::internal
