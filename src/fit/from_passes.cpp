#include "fit/from_passes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "fit/checked.hpp"
#include "fit/validate_options.hpp"
#include "frame/describe.hpp"
#include "frame/noise_prior.hpp"
#include "frame/precision_rate.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "likelihood/count_target.hpp"
#include "likelihood/registry.hpp"
#include "method/l1/by_passes.hpp"
#include "method/spike_slab/prior_choice.hpp"
#include "method/spike_slab/sparse.hpp"
#include "passes/passes.hpp"

namespace ardvark::internal {

namespace {

// The posterior of a fit in the units of another design. In the units of the user, a column far from zero would leave no digits of the
// intercept's variance.
WeightMoments moments_in(const Standardization& units, const Fit& fit) {
  const FitState& state = *fit.state;
  const Standardization& own = state.standardization;
  const Index p = fit.num_columns(), q = p + (units.intercept ? 1 : 0);
  Matrix D = Matrix::Zero(q, q);
  for (Index j = 0; j < p; ++j) {
    const double scale = units.scale.size() > 0 ? units.scale[j] : 1.0, own_scale = own.scale.size() > 0 ? own.scale[j] : 1.0;
    if (scale == 0) continue;  // left out
    D(j, j) = own_scale / scale;
    if (units.intercept && units.center.size() > 0) D(p, j) = own_scale * (units.center[j] - own.center[j]);
  }
  if (units.intercept) D(p, p) = 1;
  return {D * state.w, D * state.factor.covariance(q) * D.transpose()};
}

// The sample with weights that add up to those of all rows. Columns that are left out are 0.                                   (PASS.2)
RowSample weighted_sample(const RowSample& sample, double total_weight, const std::vector<bool>& left_out) {
  RowSample some = sample;
  for (std::size_t i = 0; i < some.X.size(); ++i)
    if (left_out[i % left_out.size()]) some.X[i] = 0;
  double sum = 0;
  for (const double weight : some.weights) sum += weight;
  for (double& weight : some.weights) weight *= total_weight / sum;
  return some;
}

// Where the passes start: a fit of the sample, or elsewhere without such a fit. \param fit  fit(X, y, options)
WeightMoments start_from(const RowSample& some, const Standardization& units, const FitOptions& options, auto&& of_rows,
                         const WeightMoments& otherwise) {
  FitOptions quick = options;
  quick.keep_covariance = Keep::always;
  quick.on_sweep = nullptr;
  try {
    const Fit fit = fit_sample(some, quick, of_rows);
    const bool can_be_used = fit.report.status == Status::converged || fit.report.status == Status::max_sweeps;
    if (!can_be_used || !fit.mean.allFinite() || !fit.variance.allFinite()) return otherwise;
    WeightMoments out = moments_in(units, fit);
    return out.w.allFinite() && out.V.allFinite() ? out : otherwise;
  } catch (const InvalidArgument&) {  // such as one class only in the sample
    return otherwise;
  }
}

WeightMoments at_zero(Index num_columns, const Standardization& units) {
  const Index q = num_columns + (units.intercept ? 1 : 0);
  return {Vector::Zero(q), Matrix::Zero(q, q)};
}

Fit of_classes(MatrixView X, VectorView y, const FitOptions& options) { return fit_logistic(X, y, options); }
Fit of_numbers(MatrixView X, VectorView y, const FitOptions& options) { return fit_linear(X, y, options); }
Fit of_counts(MatrixView X, VectorView y, const FitOptions& options) { return fit_counts(X, y, options); }

// The same under a Laplace prior, for several lambdas.
Matrix path_from(const RowSample& some, const Standardization& units, const FitOptions& options, const std::vector<double>& lambdas) {
  FitOptions quick = options;
  quick.prior.lambda = 0;
  quick.on_sweep = nullptr;
  quick.tolerance.reset();
  PathGrid grid;
  grid.lambdas = lambdas;
  try {
    const LambdaPath path =
        fit_sample(some, quick, [&](MatrixView X, VectorView y, const FitOptions& all) { return fit_logistic_path(X, y, grid, all); });
    const Index p = path.mean.rows();
    Matrix W = Matrix::Zero(p + (units.intercept ? 1 : 0), path.mean.cols());
    for (Index l = 0; l < W.cols(); ++l) {
      for (Index j = 0; j < p; ++j)
        if (const double scale = units.scale.size() > 0 ? units.scale[j] : 1.0; scale != 0) W(j, l) = path.mean(j, l) / scale;
      if (units.intercept) W(p, l) = path.intercept[l] + (units.center.size() > 0 ? units.center.dot(path.mean.col(l)) : 0.0);
    }
    const bool separated = std::ranges::any_of(path.reports, [](const Report& one) { return one.status == Status::separated; });
    return W.allFinite() && !separated ? W : Matrix();
  } catch (const InvalidArgument&) {  // such as one class only in the sample
    return {};
  }
}

KnownRows known_rows(const FirstLook& look, double own_label, const Standardization& units) {
  const Moments& total = look.total;
  const ClassSums& own = look.answer.state().classes.at(own_label);
  const Index p = look.num_columns(), q = p + (units.intercept ? 1 : 0);
  KnownRows out;
  out.weight = total.weight;
  out.num_rows = look.answer.num_rows();
  out.share = own.weight / total.weight;
  Vector scale = units.scale.size() > 0 ? units.scale : Vector(Vector::Ones(p));
  const Vector off = (total.mean.head(p) - (units.center.size() > 0 ? units.center : Vector(Vector::Zero(p)))).cwiseProduct(scale);
  const Matrix cross = total.cross();
  out.cross = Matrix::Zero(q, q);
  out.cross.topLeftCorner(p, p) = scale.asDiagonal() * cross.topLeftCorner(p, p) * scale.asDiagonal();
  out.cross.topLeftCorner(p, p) += total.weight * off * off.transpose();
  out.to_class = Vector::Zero(q);
  for (Index j = 0; j < p; ++j)
    out.to_class[j] = scale[j] * (own.columns[static_cast<std::size_t>(j)].total() - own.weight * total.mean[j]);
  if (units.intercept) {
    out.cross.col(p).head(p) = total.weight * off;
    out.cross.row(p).head(p) = total.weight * off.transpose();
    out.cross(p, p) = total.weight;
  }
  return out;
}

// Mean of the counts per unit of exposure; if a column is the offset itself, the sample says how large the exposures are.      (POIS.9)
double constant_rate(const FirstLook& look, const std::optional<OffsetColumn>& offset) {
  const Index p = look.num_columns();
  const double counted = look.total.mean[p];
  if (!offset) return counted;
  if (offset->is_exposure) return counted / look.total.mean[offset->column];
  const RowSample& some = look.sample;
  double exposed = 0, weight = 0;
  for (std::size_t i = 0; i < some.y.size(); ++i) {
    exposed += some.weights[i] * std::exp(some.X[i * static_cast<std::size_t>(p) + static_cast<std::size_t>(offset->column)]);
    weight += some.weights[i];
  }
  return counted * weight / exposed;
}

// Counts of one family. \param num_passes  gets those of this fit added                                       (PASS.10), (PASS.11)
Fit fit_counts_as(const AskRows& ask, const FirstLook& look, const ChosenOptions& chosen, const Frame& frame,
                  const std::optional<OffsetColumn>& offset, int& num_passes) {
  const Index p = look.num_columns();
  RowQuestion::State pass = pass_of(look);
  pass.is_regression = pass.is_count = true;
  pass.offset = offset;
  pass.constant_rate = constant_rate(look, offset);
  pass.likelihood = likelihood_row(Task::counts, frame.options).name;
  pass.units = frame.user_units().standardization;
  Passes passes([&](RowQuestion::State question) { return ask_rows(ask, std::move(question)); }, std::move(pass));
  const RowQuestion::State& question = passes.question();
  CountPasses counts{at_zero(p, question.units)};
  if (question.units.intercept) counts.at_constant_rate.w[p] = std::log(std::max(question.constant_rate, 1e-300));
  if (frame.options.family == Family::negative_binomial) counts.log_dispersion = 0;
  const auto of_sample = [&](MatrixView X, VectorView y, const FitOptions& options) {
    Fit fit = fit_counts(X, y, options);
    if (counts.log_dispersion && fit.family.dispersion > 0) counts.log_dispersion = std::log(fit.family.dispersion);
    return fit;
  };
  const auto start = [&] {
    std::vector<bool> left_out = frame.left_out;
    if (offset) left_out[static_cast<std::size_t>(offset->column)] = false;
    return start_from(weighted_sample(look.sample, look.total.weight, left_out), question.units, chosen.options, of_sample,
                      counts.at_constant_rate);
  };
  ClassTally none;
  Solution solution = solve_sweeps_by_passes(frame, passes, start, none, &counts);
  call_overflown(frame.options.family, fmt::format("after {} passes over the rows", passes.count()), counts.scores.largest, solution);
  solution.family = frame.options.family;
  if (frame.options.keep_covariance == Keep::never) solution.factor = {};
  const bool usable = solution.usable;
  Fit fit = assemble(frame, std::move(solution));
  if (usable) counts.scores.describe(question.constant_rate, fit);
  num_passes += passes.count();
  return fit;
}

// A regression with Student-t noise. \param options  whose prior is chosen; num_passes  gets those of this fit added        (PASS.12)
Fit fit_student(const AskRows& ask, const FirstLook& look, const FitOptions& options, int& num_passes) {
  const Index p = look.num_columns();
  const SmallTable table = small_table(look.answer.state().statistics.state(), look.total, is_about_the_mean(options));
  const Vector k = Vector::Constant(table.Z.rows(), table.stand_in.weight), y = table.Z.col(p);
  FitOptions weighted = options;
  weighted.weights = k;
  Frame frame = make_frame(Task::linear, table.Z.leftCols(p), y, weighted, nullptr, table.stand_in);
  frame.options.weights = {};
  frame.rows = look.total.weight;
  frame.options = in_units_of_target(frame.options, mean_square_of_target(frame));
  const Partition columns = prepare_prior(frame.options, p, frame.left_out).partition;
  NoisePasses noise;
  noise.prior = noise_prior(frame, {frame.rows, columns.num_flat(), columns.num_columns() - columns.num_flat() - columns.num_left_out()});
  require_rows(frame.options, frame.rows, columns.num_flat());
  noise.at_zero = noise.start = {std::log(10 / mean_square_of_target(frame)), usual_log_degrees};
  const Units units = frame.user_units();
  RowQuestion::State pass = pass_of(look);
  pass.is_regression = true;
  pass.likelihood = likelihood_row(Task::linear, frame.options).name;
  pass.units = units.standardization;
  pass.noise = {units.y_center, units.y_scale, {}};
  Passes passes([&](RowQuestion::State question) { return ask_rows(ask, std::move(question)); }, std::move(pass));
  double scale = 1, shift = 0;  // from the units of the sample's target
  const auto of_sample = [&](MatrixView X, VectorView target, const FitOptions& all) {
    Fit fit = fit_linear(X, target, all);
    if (!(fit.noise.shape > 0 && fit.noise.rate > 0)) return fit;
    noise.start = {std::log(fit.noise.shape / fit.noise.rate * units.y_scale * units.y_scale), std::log(fit.family.degrees_of_freedom)};
    scale = fit.state->y_scale / units.y_scale, shift = (fit.state->y_center - units.y_center) / units.y_scale;
    return fit;
  };
  const auto start = [&] {
    WeightMoments at = start_from(weighted_sample(look.sample, look.total.weight, frame.left_out), units.standardization, options,
                                  of_sample, at_zero(p, units.standardization));
    at.w *= scale, at.V *= scale * scale;
    if (units.standardization.intercept) at.w[p] += shift;
    return at;
  };
  ClassTally none;
  Solution solution = solve_sweeps_by_passes(frame, passes, start, none, nullptr, &noise);
  solution.family = Family::student;
  if (solution.usable) frame.design()->apply(solution.w, solution.rows.m = Vector(frame.target.size()));
  if (frame.options.keep_covariance == Keep::never) solution.factor = {};
  num_passes += passes.count();
  return assemble(frame, std::move(solution));
}

}  // namespace

ClassFit fit_class(const FirstLook& look, double own_label, std::vector<std::string> classes, const FitOptions& given, AskSums ask) {
  const Index p = look.num_columns(), num_rows = look.answer.num_rows();
  validate_options(given, Task::logistic, p);
  ChosenOptions chosen = with_chosen_prior(given, Task::logistic, num_rows, p);
  const SmallTable table = small_table(look.answer.state().statistics.state(), look.total, is_about_the_mean(chosen.options));
  Frame frame = frame_of(look, Task::logistic, std::move(classes), table, chosen.options);
  RowQuestion::State pass = pass_of(look);
  pass.own_label = own_label;
  const bool is_l1 = frame.options.prior.kind == PriorKind::laplace;
  pass.likelihood = is_l1 ? "laplace" : likelihood_row(Task::logistic, frame.options).name;
  pass.units = frame.user_units().standardization;
  Passes passes(std::move(ask), std::move(pass));
  const Standardization& units = passes.question().units;
  bool has_sample = false;
  const auto sample = [&] {
    has_sample = true;
    RowSample some = weighted_sample(look.sample, look.total.weight, frame.left_out);
    for (double& label : some.y) label = label == own_label ? 1 : 0;
    return some;
  };
  const auto start = [&] { return start_from(sample(), units, chosen.options, of_classes, at_zero(p, units)); };
  ClassTally scores;
  ChosenLambda lambda;
  const auto solve = [&]() -> Solution {
    if (is_l1) {
      const auto path = [&](const std::vector<double>& lambdas) { return path_from(sample(), units, chosen.options, lambdas); };
      LassoByPasses found = solve_lasso_by_passes(frame, passes, known_rows(look, own_label, units), path, scores);
      lambda = std::move(found.lambda);
      return std::move(found.solution);
    }
    if (!is_sparse(frame.options.prior.kind)) return solve_sweeps_by_passes(frame, passes, start, scores);
    return solve_sparse_by_passes(frame, passes, known_rows(look, own_label, units), start, scores);
  };
  Solution solution = solve();
  if (given.keep_covariance == Keep::never) solution.factor = {};
  const bool usable = solution.usable;
  ClassFit out{LogisticFit{assemble(frame, std::move(solution))}, passes.question(), passes.count(), {}};
  if (has_sample) out.start = fmt::format("; the passes began at the fit of a sample of {} rows", look.sample.y.size());
  LogisticFit& fit = out.fit;
  if (usable) scores.describe(fit);
  const double own = look.answer.state().classes.at(own_label).weight;
  fit.class_weight[0] = look.weights.sum() - own, fit.class_weight[1] = own;
  if (!is_l1) describe_separation(chosen.options, fit);
  tell_choices(chosen, std::move(lambda), p, fit);
  return out;
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

LogisticFit fit_logistic(const AskRows& ask, const FitOptions& given) {
  const Stopwatch watch;
  const blas::ThreadScope threads(given.threads);
  refuse_weights(given);
  pulse("preparing");
  const FirstLook look = look_at(ask, given.column_names, 2);
  const TwoClasses classes = read_two_classes(look.labels, look.weights, false);
  if (look.sample.is_complete()) return {fit_sample(look.sample, given, of_classes)};
  refuse_what_needs_rows(given);
  ClassFit found = fit_class(look, look.labels[1], classes.names, given,
                             [&](RowQuestion::State question) { return ask_rows(ask, std::move(question)); });
  LogisticFit fit = std::move(found.fit);
  fit.report.notes.push_back(fmt::format("the rows were read {} times{}", found.passes + 1, found.start));
  fit.report.seconds = watch.seconds();
  return fit;
}

// (PASS.12)
LinearFit fit_linear(const AskRows& ask, const FitOptions& given) {
  const Stopwatch watch;
  const blas::ThreadScope threads(given.threads);
  refuse_weights(given);
  pulse("preparing");
  const FirstLook look = look_at_numbers(ask, given.column_names);
  const LinearStatistics& statistics = look.answer.state().statistics;
  if (given.family.value_or(Family::normal) == Family::normal) return fit_linear(statistics, given);
  if (look.sample.is_complete()) return {fit_sample(look.sample, given, of_numbers)};
  refuse_what_needs_rows(given);
  const Index p = look.num_columns();
  validate_options(given, Task::linear, p);
  const std::string need = "needs the table in memory if the noise is Student-t";
  if (is_sparse(given.prior.kind))
    throw wrong("prior", to_string(given.prior.kind),
                need + "; of rows that are read in passes, the priors are shared, ard, groups and none");
  const ChosenOptions chosen = with_chosen_prior(given, Task::linear, look.answer.num_rows(), p, need);
  int passes = 1;  // the first look
  LinearFit fit{fit_of_family(Task::linear, given.family, [&](Family family) -> Fit {
    FitOptions options = chosen.options;
    set_family(family, options);
    if (family == Family::normal) return fit_linear(statistics, options);
    Fit student = fit_student(ask, look, options, passes);
    tell_choices({options, {}}, {}, p, student);
    return student;
  })};
  if (!chosen.note.empty()) fit.report.notes.insert(fit.report.notes.begin(), chosen.note);
  if (passes > 1)
    fit.report.notes.push_back(
        fmt::format("the rows were read {} times; the passes began at the fit of a sample of {} rows", passes, look.sample.y.size()));
  fit.report.seconds = watch.seconds();
  return fit;
}

// (PASS.10)
CountFit fit_counts(const AskRows& ask, const FitOptions& given) {
  const Stopwatch watch;
  const blas::ThreadScope threads(given.threads);
  refuse_weights(given);
  if (!given.row_offset.empty())
    throw refused("row_offset", "cannot be given with rows that are read in passes: make it a column, and name it by offset_column");
  pulse("preparing");
  const std::optional<OffsetColumn> offset = offset_column_of(given, given.column_names);
  const FirstLook look = look_at_counts(ask, given.column_names, offset);
  if (look.sample.is_complete()) return {fit_sample(look.sample, given, of_counts)};
  refuse_what_needs_rows(given);
  const Index p = look.num_columns(), num_rows = look.answer.num_rows();
  validate_options(given, Task::counts, p);
  if (is_sparse(given.prior.kind))
    throw wrong("prior", to_string(given.prior.kind),
                "needs the counts in memory; counts that are read in passes have the priors shared, ard, groups and none");
  ChosenOptions chosen = with_chosen_prior(given, Task::counts, num_rows, p - (offset ? 1 : 0), "needs the counts in memory");
  const SmallTable table = small_table(look.answer.state().statistics.state(), look.total, is_about_the_mean(chosen.options));
  Frame frame = frame_of(look, Task::counts, {}, table, chosen.options);
  require_counts(look.total.mean[p], prepare_prior(frame.options, p, frame.left_out).partition.num_flat());
  int passes = 1;  // the first look
  CountFit fit{fit_of_family(Task::counts, given.family, [&](Family family) {
    chosen.options.family = frame.options.family = family;
    return fit_counts_as(ask, look, chosen, frame, offset, passes);
  })};
  tell_choices(chosen, {}, p, fit);
  fit.report.notes.push_back(
      fmt::format("the rows were read {} times; the passes began at the fit of a sample of {} rows", passes, look.sample.y.size()));
  fit.report.seconds = watch.seconds();
  return fit;
}

}  // namespace ardvark
