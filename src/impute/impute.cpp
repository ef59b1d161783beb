// Fits to a table with gaps.                                                                                    docs/math/missing.md
#include "ardvark/impute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"
#include "fit/checked.hpp"
#include "frame/prepare.hpp"
#include "impute/chain.hpp"
#include "impute/combine.hpp"
#include "impute/row_imputer.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

void check(MatrixView X, VectorView y, const FitOptions& options, const ImputationOptions& how, const char* target) {
  validate::shape(X, "X");
  validate::vector(y, X.rows(), target);
  validate::weights(options.weights, X.rows());
  if (how.imputations < 5) throw wrong("imputations", how.imputations, "it must be at least 5");
  if (!options.preset.empty() || options.prior.kind == PriorKind::laplace)
    throw InvalidArgument(
        "missing values are imputed only for models with a posterior: without a preset, and with another prior than laplace");
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j)
      if (std::isinf(X(i, j)))
        throw InvalidArgument({.argument = "X",
                               .value = fmt::format("{}", X(i, j)),
                               .row = i + 1,
                               .column = validate::column_name(options.column_names, j),
                               .why = "all values must be finite, or NaN if they are missing"});
}

// Completed tables and, for new rows, what is drawn from each.
struct Completions {
  std::vector<Matrix> Z;
  std::shared_ptr<const RowImputer> rows;
  Memory memory;
};

Completions completions_of(const GappedTable& table, const FitOptions& options, const ImputationOptions& how) {
  const auto count = static_cast<std::size_t>(how.imputations);
  Completions out{std::vector<Matrix>(count), nullptr, {}};
  RowImputer rows{table.without_target, std::vector<GapParameters>(count)};
  const int threads = blas::num_threads();
  const blas::ThreadScope one{1};
  run_reported(options, 0, [&](const SweepReport& report) {
    std::atomic<bool> goes_on = true;
    std::atomic<int> cycles = 0;
    const auto ask = [&] {
      if (report && !report(++cycles, 0)) goes_on = false;
      return goes_on.load();
    };
    const std::uint64_t seed = how.seed * 1000003U;
    if (!table.patterns.empty()) out.memory = memory_of(table, seed + count, ask);
    parallel_for(how.imputations, threads, [&](Index m) {
      const auto at = static_cast<std::size_t>(m);
      Normals random(seed + static_cast<std::uint64_t>(m));
      out.Z[at] = completed_by_chain(table, out.memory.cycles, random, ask);
      rows.tables[at] = parameters_of(table, out.Z[at], random);
    });
  });
  out.rows = std::make_shared<const RowImputer>(std::move(rows));
  return out;
}

// Columns and target of all tables in the same units, as a model has them inside.
Frame common_frame(Task task, const GappedTable& table, MatrixView X, const FitOptions& options) {
  const Index p = table.num_columns();
  Frame frame;
  frame.task = task;
  frame.options = options;
  frame.X = X;
  frame.k = table.k;
  frame.rows = table.k.sum();
  frame.names = complete_names(options.column_names, p);
  Units& units = frame.units;
  units.standardization.intercept = options.intercept;
  units.standardization.center = table.units.center.head(p);
  units.standardization.scale = table.units.scale.head(p);
  if (!options.standardize) units.standardization.scale = (units.standardization.scale.array() > 0).cast<double>();
  if (has_noise(task)) {
    units.y_center = table.units.center[p];
    if (options.standardize && table.units.scale[p] > 0) units.y_scale = 1 / table.units.scale[p];
  }
  return frame;
}

Matrix in_units_of(const Frame& frame, const GappedTable& table, const Matrix& Z) {
  const Index p = table.num_columns();
  Matrix X = Z.leftCols(p);
  if (!frame.options.standardize)
    for (Index j = 0; j < p; ++j)
      if (table.units.scale[j] > 0) X.col(j) /= table.units.scale[j];
  return X;
}

std::vector<Fit> fits_to(const std::vector<Matrix>& tables, const GappedTable& table, const Frame& frame, VectorView y) {
  const auto count = static_cast<int>(tables.size());
  FitOptions options = frame.options;
  options.standardize = false;
  options.keep_covariance = Keep::always;
  options.intervals = Intervals::gaussian;  // of the average, not of each fit
  options.start_noise *= frame.units.y_scale * frame.units.y_scale;
  const Vector target =
      has_noise(frame.task) ? Vector((y.eigen().array() - frame.units.y_center) / frame.units.y_scale) : Vector(y.eigen());
  std::vector<Fit> out;
  for (const Matrix& Z : tables) {
    if (frame.options.on_sweep)
      options.on_sweep = [&frame, fit = static_cast<int>(out.size()) + 1, count](Progress progress) {
        progress.fit = fit;
        progress.num_fits = count;
        return frame.options.on_sweep(progress);
      };
    const Matrix X = in_units_of(frame, table, Z);
    out.push_back(fit_table(frame.task, X, target, options));
    if (!holds_posterior(out.back()) || out.back().report.status == Status::stopped_by_user) break;
  }
  return out;
}

// An average over tables needs the variance within each of them. A Student-t distribution of at most two degrees has none.       (MI.4)
void require_variance(const Fit& fit, const FitOptions& options) {
  if (!fit.is_joint() || fit.noise.shape > 1) return;
  throw InvalidArgument(fmt::format(
      "an average over completed tables needs a finite variance of the coefficients, and so at least {:.0f} rows; {}: add rows{}",
      std::floor(fit.num_rows + 2 * (1 - fit.noise.shape)) + 1,
      options.weights.empty() ? fmt::format("there {} {:.10g}", fit.num_rows == 1 ? "is" : "are", fit.num_rows)
                              : fmt::format("the weights have the sum {:.6g}, which counts as the number of rows", fit.num_rows),
      options.prior.kind == PriorKind::none ? ", or take a prior" : ""));
}

Imputation gaps_of(const GappedTable& table, const FeatureEncoding& encoding) {
  Imputation out;
  std::vector<std::size_t> with_gaps;
  for (std::size_t v = 0; v < table.variables.size(); ++v)
    if (!table.gaps[v].empty()) with_gaps.push_back(v);
  std::ranges::stable_sort(with_gaps, std::greater(), [&](std::size_t v) { return table.gaps[v].size(); });
  for (const std::size_t v : with_gaps) {
    out.columns.push_back(encoding.features[static_cast<std::size_t>(table.variables[v].feature)].name);
    out.gaps.push_back(static_cast<Index>(table.gaps[v].size()));
  }
  return out;
}

std::string note_of(const Imputation& imputation, const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  Index values = 0;
  std::string columns;
  for (std::size_t i = 0; i < imputation.columns.size(); ++i) {
    values += imputation.gaps[i];
    if (i < most) columns += fmt::format("{}{} {}", i > 0 ? ", " : "", imputation.columns[i], imputation.gaps[i]);
  }
  if (imputation.columns.size() > most) columns += ", ...";
  Index worst = 0;
  const double share = imputation.missing_information.maxCoeff(&worst);
  return fmt::format(
      "{} {} in {} {} missing ({}); the posterior averages over {} completed tables; the largest share of the information "
      "on a coefficient that is missing is {:.2f}, for {}",
      values, values == 1 ? "value" : "values", imputation.columns.size(),
      fmt::format("{} {}", imputation.columns.size() == 1 ? "column" : "columns", values == 1 ? "is" : "are"), columns,
      imputation.imputations, share, names[static_cast<std::size_t>(worst)]);
}

// No row that counts has a gap. In rows of weight 0, the centre stands for one.
Fit fit_without_gaps(Task task, MatrixView X, VectorView y, const FitOptions& options, const GappedTable& table) {
  Matrix filled;
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = 0; i < X.rows(); ++i) {
      if (!std::isnan(X(i, j))) continue;
      if (filled.size() == 0) filled = read_table(X);
      filled(i, j) = table.units.center[j];
    }
  return fit_table(task, filled.size() > 0 ? MatrixView(filled) : X, y, options);
}

std::string warning_of_memory(const Memory& memory) {
  return fmt::format(
      "the values drawn for the gaps still depend on where their chain started after {} cycles, because too much is missing: "
      "intervals may be too short; leave out columns that are seldom known, or rows that lack nearly everything",
      memory.cycles);
}

ImputedFit fit_imputed(Task task, MatrixView X, VectorView y, const FeatureEncoding& given, const FitOptions& options,
                       const ImputationOptions& how) {
  const Stopwatch watch;
  const blas::ThreadScope threads(options.threads);
  const FeatureEncoding encoding =
      given.features.empty() ? FeatureEncoding::of_numbers(complete_names(options.column_names, X.cols())) : given;
  const GappedTable table = gapped_table(X, y, weights_or_ones(options.weights, X.rows()), encoding, options.intercept);
  ImputedFit out;
  out.imputation = gaps_of(table, encoding);
  out.imputation.imputations = how.imputations;
  Completions completions = completions_of(table, options, how);
  out.imputation.rows = completions.rows;
  if (out.imputation.columns.empty()) {  // only new rows may have gaps, and rows of weight 0
    out.fit = fit_without_gaps(task, X, y, options, table);
    out.imputation.missing_information = Vector::Zero(X.cols());
    return out;
  }
  Frame frame = common_frame(task, table, X, options);
  std::vector<Fit> fits = fits_to(completions.Z, table, frame, y);
  if (!holds_posterior(fits.back())) {
    out.fit = std::move(fits.back());
    out.imputation.missing_information = Vector::Zero(X.cols());
    return out;
  }
  for (const Fit& fit : fits) require_variance(fit, options);
  frame.classes = fits.front().classes;
  frame.left_out = fits.front().left_out;
  for (std::size_t j = 0; j < frame.left_out.size(); ++j)
    if (frame.left_out[j]) frame.units.standardization.scale[static_cast<Index>(j)] = 0;
  Combined all = combined(fits, frame);
  out.fit = std::move(all.fit);
  out.imputation.missing_information = std::move(all.missing_information);
  if (!completions.memory.forgets) out.fit.report.warnings.push_back(warning_of_memory(completions.memory));
  out.fit.report.notes.insert(out.fit.report.notes.begin(), note_of(out.imputation, frame.names));
  out.fit.report.seconds = watch.seconds();
  return out;
}

}  // namespace

ImputedFit fit_linear_imputed(MatrixView X, VectorView y, const FeatureEncoding& encoding, const FitOptions& options,
                              const ImputationOptions& how) {
  check(X, y, options, how, "y");
  return fit_imputed(Task::linear, X, y, encoding, options, how);
}

ImputedFit fit_logistic_imputed(MatrixView X, VectorView labels, const FeatureEncoding& encoding, const FitOptions& options,
                                const ImputationOptions& how) {
  check(X, labels, options, how, "labels");
  return fit_imputed(Task::logistic, X, labels, encoding, options, how);
}

}  // namespace ardvark
