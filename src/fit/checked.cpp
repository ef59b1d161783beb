// From the caller's table to a Fit: make the frame, solve, assemble.
#include "fit/checked.hpp"

#include <fmt/format.h>

#include "core/blas.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "fit/kept_columns.hpp"
#include "fit/validate_options.hpp"
#include "frame/describe.hpp"
#include "frame/few_rows.hpp"
#include "frame/noise_prior.hpp"
#include "frame/precision_rate.hpp"
#include "frame/prior_partition.hpp"
#include "frame/separation.hpp"
#include "frame/solution.hpp"
#include "method/greedy/greedy_preset.hpp"
#include "method/l1/lasso.hpp"
#include "method/sequential/sequential.hpp"
#include "method/spike_slab/sparse.hpp"
#include "method/sweep/sweep_fit.hpp"
#include "preset/preset.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

enum class Method { greedy, sequential, l1, published_l1, spike_slab, sweeps };

Method method_of(const FitOptions& options) {
  const PresetMethod published = preset_facts(options.preset).method;
  if (published == PresetMethod::greedy) return Method::greedy;
  if (published == PresetMethod::sequential) return Method::sequential;
  if (options.prior.kind == PriorKind::laplace)
    return published == PresetMethod::coordinate && options.compat ? Method::published_l1 : Method::l1;
  return is_sparse(options.prior.kind) ? Method::spike_slab : Method::sweeps;
}

Solution solve_rows(const LikelihoodRow& row, const Frame& frame) {
  const bool linear = has_noise(frame.task), classes = has_classes(frame.task);
  FitOptions options = linear ? in_units_of_target(frame.options, mean_square_of_target(frame)) : frame.options;
  PreparedPrior prior = prepare_prior(options, frame.num_columns(), frame.left_out);
  const std::vector<Index> flat = prior.partition.flat_columns;
  if (linear) {
    const Partition& columns = prior.partition;
    options.noise =
        noise_prior(frame, {frame.rows, columns.num_flat(), columns.num_columns() - columns.num_flat() - columns.num_left_out()});
    require_rows(options, frame.rows, prior.partition.num_flat());
    require_noise_shape(options, frame.rows, prior.partition.num_flat());
  }
  const bool proper = classes && has_proper_intercept(options, flat);
  LikelihoodInput input{frame.target, frame.k, prior.partition.num_flat()};
  input.num_penalised = prior.partition.num_columns() - input.num_flat;
  input.last = proper ? LastRow::intercept : LastRow::observation;
  input.noise = options.noise;
  input.start_noise = options.start_noise * frame.units.y_scale * frame.units.y_scale;
  input.start_xi = options.start_xi;
  input.offset = frame.offset;
  const auto likelihood = row.make(std::move(input));
  Solution out = solve_by_sweeps({frame, *likelihood, std::move(prior), proper, linear ? "" : why_no_maximum(frame, flat)});
  if (linear) return out;
  // A new vector is made first and then moved: core/resize.hpp.
  out.rows.m = Vector(out.rows.m.head(frame.target.size()));
  out.rows.s = Vector(out.rows.s.head(frame.target.size()));
  if (const int sweeps = out.report.sweeps; out.report.status == Status::not_positive_definite)
    explain_no_posterior(frame, flat, {fmt::format("sweep {}", sweeps + 1), sweeps > 0}, out.report);
  if (out.usable) frame.design()->apply(out.w, out.rows.m);  // the same as in predict(), to the last bit
  if (is_count(frame.task)) call_vanished(frame, out);
  classes ? call_separated(frame, out) : call_unlimited(frame, out);
  if (is_count(frame.task) && out.usable) call_overflown(frame, out.rows.m + 0.5 * out.rows.s, out);
  return out;
}

Solution solve(Method method, Frame& frame) {
  switch (method) {
    case Method::greedy: return solve_greedily(frame);
    case Method::sequential: return solve_sequentially(frame);
    case Method::spike_slab:
      if (is_count(frame.task) || frame.options.family == Family::student) return solve_sparse_moments(frame);
      return has_noise(frame.task) ? solve_sparse_linear(frame) : solve_sparse_logistic(frame);
    case Method::l1:
    case Method::published_l1: {
      Solution out = method == Method::l1 ? solve_lasso(frame) : solve_l1_slr(frame);
      if (has_noise(frame.task)) return out;
      if (out.report.status == Status::not_positive_definite)
        explain_no_posterior(frame, out.flat, {fmt::format("after {} steps", out.report.sweeps), true}, out.report);
      call_separated(frame, out);
      return out;
    }
    case Method::sweeps: return solve_rows(likelihood_row(frame.task, frame.options), frame);
  }
  throw InternalError("no such method");
}

Fit fit_kept(KeptColumns& columns) {
  Frame& frame = columns.frame();
  const Task task = frame.task;
  const FitOptions options = frame.options;
  const Method method = method_of(options);
  if (integrates_few_rows(task, options, frame.rows)) frame.options.keep_covariance = Keep::always;
  Solution solution = solve(method, frame);
  if (has_noise(task)) integrate_few_rows(frame, solution);
  frame.options.keep_covariance = options.keep_covariance;
  solution.family = options.family;
  Fit fit = columns.fit(std::move(solution));
  if (has_classes(task) && (method == Method::spike_slab || method == Method::sweeps)) describe_separation(options, fit);
  return fit;
}

std::string why_this_family(const FamilyResult& found) {
  return fmt::format("{} was taken: its log evidence is {:.2f} nats above that of {}", to_string(found.family), found.preferred_by,
                     to_string(*found.other));
}

Fit fit_family(KeptColumns& columns) {
  const FitOptions options = columns.frame().options;
  const std::vector<std::string> notes = columns.frame().notes, warnings = columns.frame().warnings;
  const Task task = columns.frame().task;
  if (has_classes(task)) return fit_kept(columns);
  std::shared_ptr<double[]> X;  // stays as it is where normal noise may be the first of two fits
  if (options.family == Family::automatic) X = std::move(columns.frame().memory);
  return fit_of_family(task, options.family, [&](Family family) {
    columns.frame().options = options;
    columns.frame().notes = notes, columns.frame().warnings = warnings;
    set_family(family, columns.frame().options);
    return fit_kept(columns);
  });
}

// Chooses a lambda if the prior needs one, and fits. \param y  the target of the frame, as given
Fit fit_with_lambda(Frame frame, VectorView y, const ChosenOptions& options) {
  const Index p = frame.num_columns();
  KeptColumns columns(std::move(frame));
  ChosenLambda lambda = with_chosen_lambda(columns.frame(), y);
  columns.frame().options = lambda.options;
  Fit fit = fit_family(columns);
  if (lambda.choice) lambda.choice->mean = columns.of_all(lambda.choice->mean);
  tell_choices(options, std::move(lambda), p, fit);
  return fit;
}

}  // namespace

void set_family(Family family, FitOptions& options) {
  options.family = family;
  if (family != Family::student) return;
  options.posterior = LinearPosterior::factorised;
  options.integrate_few_rows = false;
}

Fit fit_of_family(Task task, std::optional<Family> given, const std::function<Fit(Family)>& fit_as) {
  const Family asked = given.value_or(is_count(task) ? Family::automatic : Family::normal);
  if (asked != Family::automatic) return fit_as(asked);
  Fit simple = fit_as(is_count(task) ? Family::poisson : Family::normal);
  if (simple.report.status == Status::stopped_by_user || !simple.mean.allFinite()) return simple;
  Fit heavy = fit_as(is_count(task) ? Family::negative_binomial : Family::student);
  const bool takes_heavy = heavy.mean.allFinite() && heavy.bound > simple.bound;
  Fit &taken = takes_heavy ? heavy : simple, &other = takes_heavy ? simple : heavy;
  taken.family.other = other.family.family;
  taken.family.preferred_by = taken.bound - other.bound;
  taken.report.notes.push_back(fmt::format("{} auto: {}", is_count(task) ? "family" : "noise", why_this_family(taken.family)));
  return std::move(taken);
}

Fit fit_checked(Task task, const FitTable& X, VectorView y, const FitOptions& options) {
  const Stopwatch watch;
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  KeptColumns columns(make_frame(task, X, y, options));
  Fit fit = fit_family(columns);
  fit.report.seconds = watch.seconds();
  return fit;
}

Fit fit_by(const LikelihoodRow& row, MatrixView X, VectorView y, const FitOptions& options) {
  const Frame frame = make_frame(row.task, X, y, options);
  return assemble(frame, solve_rows(row, frame));
}

void tell_choices(const ChosenOptions& options, ChosenLambda lambda, Index num_columns, Fit& fit) {
  take_choice(std::move(lambda), fit);
  if (!options.note.empty()) fit.report.notes.insert(fit.report.notes.begin(), options.note);
  warn_if_too_confident(options.options, fit, num_columns, options.need_of_small);
}

Fit fit_columns(Task task, const FitTable& X, VectorView y, const FitOptions& options, std::optional<Frame>& columns) {
  const Stopwatch watch;
  const blas::ThreadScope threads(options.threads);
  validate_options(options, task, X.cols());
  if (!X.is_dense()) validate_sparse_table(X, options, need_of_small(X, options, task, X.cols()));
  if (!columns) columns = frame_of_columns(X, options);
  Frame frame = *columns;
  frame.options = options;
  Fit fit = fit_with_lambda(with_target(std::move(frame), task, y), y, {options, {}});
  fit.report.seconds = watch.seconds();
  return fit;
}

Fit fit_as_asked(Task task, const FitTable& X, VectorView y, const FitOptions& options, std::shared_ptr<double[]> memory,
                 const StandIn& stand_in) {
  const Stopwatch watch;
  validate_options(options, task, X.cols());
  FitOptions weighted = options;
  const Vector k = Vector::Constant(stand_in.weight > 0 ? X.rows() : 0, stand_in.weight);
  if (k.size() > 0) weighted.weights = k;
  const Index num_columns = X.cols() - (options.exposure.empty() && options.offset_column.empty() ? 0 : 1);  // which has no coefficient
  const std::string need = need_of_small(X, weighted, task, num_columns);
  const ChosenOptions chosen = with_chosen_prior(weighted, task, X.rows(), num_columns, need);
  weighted = {};  // the names of very many columns take memory
  if (!X.is_dense()) validate_sparse_table(X, chosen.options, need);
  pulse("preparing");
  const blas::ThreadScope threads(options.threads);
  Fit fit = fit_with_lambda(make_frame(task, X, y, chosen.options, std::move(memory), stand_in), y, chosen);
  fit.report.seconds = watch.seconds();  // of everything, including the description of the fit
  return fit;
}

LambdaPath path_as_asked(Task task, const FitTable& X, VectorView y, const PathGrid& grid, const FitOptions& options) {
  FitOptions lasso = options;
  if (lasso.prior.kind == PriorKind::automatic) lasso.prior.kind = PriorKind::laplace;
  if (lasso.prior.kind != PriorKind::laplace)
    throw wrong("prior", to_string(lasso.prior.kind), "a path of lambdas needs the Laplace prior");
  if (!lasso.preset.empty()) throw wrong("preset", lasso.preset, "a path of lambdas needs a model, not a preset");
  validate_options(lasso, task, X.cols());
  if (!X.is_dense()) validate_sparse_table(X, lasso, X.need_of_small());
  const blas::ThreadScope threads(options.threads);
  return lasso_path(make_frame(task, X, y, lasso), grid);
}

}  // namespace ardvark::internal
