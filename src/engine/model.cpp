// fit_linear and fit_logistic: validate, prepare, choose a solver, sweep, and bring the result back to the user's units.
#include "engine/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/sequential.hpp"
#include "ardvark/softmax.hpp"
#include "core/blas.hpp"
#include "core/special.hpp"
#include "core/validate.hpp"
#include "engine/coordinate/l1_slr.hpp"
#include "engine/coordinate/lasso.hpp"
#include "engine/coordinate/precision_blocks.hpp"
#include "engine/describe.hpp"
#include "engine/greedy_preset.hpp"
#include "engine/prepare.hpp"
#include "engine/prior_choice.hpp"
#include "engine/sequential.hpp"
#include "engine/sparse.hpp"
#include "engine/state.hpp"
#include "engine/sweep.hpp"
#include "engine/toolbox.hpp"
#include "engine/user_units.hpp"

namespace ardvark {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// ---- what is asked for ------------------------------------------------------------------------------------------------------------------

// Rules that may lower the bound, and columns that leave, go with plain sweeps.
bool sweeps_plainly(const FitOptions& options) { return options.rule != UpdateRule::vb || options.pruning.is_on(); }

void validate_rule(const FitOptions& options, bool linear) {
  const Pruning& pruning = options.pruning;
  if (!(pruning.threshold >= 0)) throw InvalidArgument(fmt::format("pruning.threshold is {}; it must be 0 or more", pruning.threshold));
  if (pruning.readmit_every < 0)
    throw InvalidArgument(fmt::format("pruning.readmit_every is {}; it must be 0 or more", pruning.readmit_every));
  if (!(options.start_xi >= 0 && std::isfinite(options.start_xi)))
    throw InvalidArgument(fmt::format("start_xi is {}; it must be 0 or more", options.start_xi));
  if (options.penalize_intercept && !options.intercept) throw InvalidArgument("penalize_intercept needs intercept");
  if (options.rule != UpdateRule::laplace) return;
  if (linear || !options.compat || options.likelihood != LogisticLikelihood::laplace || options.prior.kind != PriorKind::ard ||
      !options.prior.group.empty())
    throw InvalidArgument("rule laplace is that of preset l1_slr_lap with compat; the mode under a Laplace prior has Prior::laplace");
  validate::positive(options.prior.lambda, "prior.lambda");
}

void validate_options(const FitOptions& options, Task task, Index p) {
  const bool linear = task == Task::linear;
  // Jeffreys' prior has no mean to start from, and its bound no limit: only where columns may leave, or the rule is not VB's.
  const bool improper = options.precision.shape == 0 && options.precision.rate == 0 && (sweeps_plainly(options));
  if (!improper)
    validate::gamma(options.precision, linear ? "c0 (precision.shape)" : "a0 (precision.shape)",
                    linear ? "d0 (precision.rate)" : "b0 (precision.rate)");
  if (options.prior.kind != PriorKind::laplace && !is_sparse(options.prior.kind)) validate_rule(options, linear);
  if (linear) validate::gamma(options.noise, "a0 (noise.shape)", "b0 (noise.rate)");
  if (options.max_sweeps < 1) throw InvalidArgument(fmt::format("max_sweeps is {}; it must be at least 1", options.max_sweeps));
  if (options.tolerance && !(*options.tolerance >= 0 && std::isfinite(*options.tolerance)))
    throw InvalidArgument(fmt::format("tolerance is {}; it must be 0 or more", *options.tolerance));
  validate_start(options, p, 1);
  if (!(options.start_noise >= 0 && std::isfinite(options.start_noise)))
    throw InvalidArgument(fmt::format("start_noise is {}; it must be 0 (as usual) or more", options.start_noise));
  if (options.threads < 0)
    throw InvalidArgument(fmt::format("threads is {}; it must be 0 (the caller's setting) or more", options.threads));
  if (options.row_order != RowOrder::as_given && !is_sequential_preset(options.preset))
    throw InvalidArgument("row_order is by-content; it is of vb_logit_fit_iter: no other fit depends on the order of the rows");
  if (options.record_every < 0) throw InvalidArgument(fmt::format("record_every is {}; it must be 0 or more", options.record_every));
  if (!options.column_names.empty() && static_cast<Index>(options.column_names.size()) != p)
    throw InvalidArgument(fmt::format("column_names has {} entries; it must have one per column of X: {}", options.column_names.size(), p));
  if (options.compat && options.preset.empty()) throw InvalidArgument("compat reproduces a published program; it needs a preset");
  if (options.compat && options.accelerate)
    throw InvalidArgument("compat makes the published program's own sweeps; it excludes accelerate");
  if (options.solver == SolverKind::sequential)
    throw InvalidArgument("solver 'sequential' cannot be chosen; use the preset vb_logit_fit_iter or the class SequentialLogistic");
  const bool laplace = options.prior.kind == PriorKind::laplace;
  if (laplace && linear) throw InvalidArgument("prior 'laplace' is of logistic regression; it cannot be used for linear regression");
  if (laplace) validate_lasso(options);
  if (!laplace && is_l1_slr(options.preset))
    throw InvalidArgument(fmt::format("preset '{}' has a Laplace prior; the prior is '{}'", options.preset, to_string(options.prior.kind)));
  if (!laplace && options.rule != UpdateRule::laplace && options.prior.lambda != 0)
    throw InvalidArgument(fmt::format("prior.lambda is {}; lambda is of the Laplace prior, and the prior is '{}'", options.prior.lambda,
                                      to_string(options.prior.kind)));
  if (options.solver == SolverKind::coordinate)
    throw InvalidArgument("solver 'coordinate' cannot be chosen; it is that of the Laplace prior (Prior::laplace)");
  if (options.solver == SolverKind::greedy)
    throw InvalidArgument("solver 'greedy' cannot be chosen; use the presets rvm_regression and rvm_classification");
  if (!options.preset.empty()) {
    if (is_softmax_preset(options.preset))
      throw InvalidArgument(fmt::format("preset '{}' is of several classes: use fit_softmax", options.preset));
    if (task_of_preset(options.preset) != task)
      throw InvalidArgument(fmt::format("preset '{}' is a {} model; it cannot be used for {} regression", options.preset,
                                        to_string(task_of_preset(options.preset)), to_string(task)));
    if (!options.weights.empty() && (options.compat || !(is_toolbox_preset(options.preset) || is_l1_slr(options.preset))))
      throw InvalidArgument(fmt::format("weights cannot be used with preset '{}'{}; the published program has none", options.preset,
                                        options.compat ? " and compat" : ""));
    if (is_toolbox_preset(options.preset)) return;
    if ((options.intercept || options.standardize) && !is_l1_slr(options.preset))
      throw InvalidArgument(
          fmt::format("preset '{}' has no intercept and scales nothing; add a column of ones, or fit a model", options.preset));
  }
}

std::pair<SolverKind, std::string> choose_solver(const FitOptions& options, const LikelihoodTraits& likelihood, const Partition& partition,
                                                 Index n) {
  const Index p = partition.num_columns() - partition.num_flat();
  const bool can_spectral = likelihood.constant_rows && partition.is_shared() && !options.pruning.is_on();
  if (options.solver == SolverKind::spectral && !can_spectral)
    throw InvalidArgument("solver 'spectral' needs a linear model with a shared prior, no columns of fixed precision and no pruning");
  if (options.solver == SolverKind::dual && partition.num_flat() >= n)
    throw InvalidArgument(
        fmt::format("solver 'dual' needs more rows than flat columns; there are {} rows and {} flat columns", n, partition.num_flat()));
  if (options.solver != SolverKind::automatic) return {options.solver, "as asked"};
  if (can_spectral) return {SolverKind::spectral, "linear with one precision for all columns"};
  if (p <= n || partition.num_flat() >= n) return {SolverKind::primal, fmt::format("{} columns are not more than {} rows", p, n)};
  return {SolverKind::dual, fmt::format("{} columns are more than {} rows", p, n)};
}

std::unique_ptr<Solver> make_solver(SolverKind kind, System system, bool may_shrink) {
  if (may_shrink) return make_shrinking(system, kind);
  const Index p = system.partition.num_columns() - system.partition.num_flat(), n = system.X.rows();
  const bool dual = kind == SolverKind::dual || (kind == SolverKind::spectral && p > n && system.partition.num_flat() < n);
  std::unique_ptr<Solver> exact = dual ? make_dual(system) : make_primal(system);
  return kind == SolverKind::spectral ? make_spectral(system, std::move(exact)) : std::move(exact);
}

SweepSettings sweep_settings(const FitOptions& options, Task task, const LikelihoodTraits& likelihood, double rows, Index p) {
  SweepSettings s;
  s.num_rows = rows;
  s.max_sweeps = options.max_sweeps;
  s.on_sweep = options.on_sweep;
  s.record_every = options.record_every;
  if (sweeps_plainly(options) || likelihood.to_mode) {  // (SLR.1)
    s.order = EvaluateAfter::rows;
    s.stop = options.compat ? StopRule::never : StopRule::standstill;
    s.tolerance = options.tolerance.value_or(1e-8);
    s.accelerate = false;
    s.pruning = options.pruning;
    s.compat = options.compat;
    if (options.compat) s.mode_tolerance = 1e-20;
    return s;
  }
  if (options.preset.empty() || options.accelerate) {
    s.accelerate = options.accelerate;
    // Below about this much work a sweep is too short for single precision to be worth its conversions.
    s.single_precision = options.mixed_precision && rows * static_cast<double>(p) * static_cast<double>(p) > 1e8;
    // With more columns than rows the bound has many maxima: plain sweeps first choose the one that plain sweeps alone would reach.  (OPT,
    // warning i)
    const bool many = static_cast<double>(p) > rows;
    if (many) s.num_plain_sweeps = 20;
    s.bold_steps = !many;
    // A sweep of the few columns that matter costs n^3 at most, a whole one 2 n^2 p.
    s.condense = static_cast<double>(p) > 8 * rows;
    s.tolerance = options.tolerance.value_or(many ? 1e-4 : 1e-8);
  } else {
    s.tolerance = options.tolerance.value_or(1e-5);
    s.order = task == Task::linear ? EvaluateAfter::prior : EvaluateAfter::solve;
    s.stop = StopRule::relative_change;
    s.accelerate = false;
    s.compat = options.compat;
  }
  return s;
}

// ---- the result, in the user's units
// ------------------------------------------------------------------------------------------------------

struct Fitted {  // what a task hands over
  const Partition& partition;
  const Vector& a;  // precisions inside V
  const Posterior& q;
  PriorKind kind;
  double noise_precision;  // a_N/b_N in the design's units, or 1
  const SweepOutcome& outcome;
};

// From the columns that are left to all of the design: a pruned one has w = V = 0 at an infinite precision.
void spread_over_all(const SweepOutcome& outcome, Index num_columns, Posterior& q, Vector& a) {
  if (static_cast<Index>(outcome.columns.size()) == num_columns) return;
  const Vector w = q.w, V = q.V_diagonal, inside = a;
  q.w = q.V_diagonal = Vector::Zero(num_columns);
  a = Vector::Constant(num_columns, std::numeric_limits<double>::infinity());
  q.w(outcome.columns) = w;
  q.V_diagonal(outcome.columns) = V;
  a(outcome.columns) = inside;
}

// A group is kept when sum_j tau q_j^2/s_j > 2 |g|: at its own best precision more than half of it would be set by the data.      (OPT.3)
// With q_j = w_j/V_jj and s_j = 1/V_jj - a_j that ratio is tau w_j^2 / (V_jj (1 - a_j V_jj)).                                     (OPT.2)
void judge_relevance(const Fitted& f, bool may_leave, Fit& fit) {
  const Index p = fit.num_columns();
  std::vector<double> evidence(f.partition.group_size.size(), 0.0);
  for (Index j = 0; j < p; ++j) {
    const Index g = fit.group[static_cast<std::size_t>(j)];
    if (std::isinf(f.a[j])) continue;  // pruned
    fit.relevance[j] = std::clamp(1 - f.a[j] * f.q.V_diagonal[j], 0.0, 1.0);
    if (g >= 0)
      evidence[static_cast<std::size_t>(g)] +=
          f.noise_precision * f.q.w[j] * f.q.w[j] / (f.q.V_diagonal[j] * std::max(fit.relevance[j], 1e-12));
  }
  for (Index j = 0; j < p; ++j) {
    const Index g = fit.group[static_cast<std::size_t>(j)];
    const bool estimated = g >= 0 && f.kind != PriorKind::shared;
    if (may_leave) {  // what is there at the end is relevant
      const bool leaves = g >= 0 && f.outcome.pruned[static_cast<std::size_t>(g)];
      fit.relevant[static_cast<std::size_t>(j)] = !fit.left_out[static_cast<std::size_t>(j)] && !leaves && !std::isinf(f.a[j]);
      continue;
    }
    fit.relevant[static_cast<std::size_t>(j)] =
        !fit.left_out[static_cast<std::size_t>(j)] &&
        (!estimated ||
         evidence[static_cast<std::size_t>(g)] > 2 * static_cast<double>(f.partition.group_size[static_cast<std::size_t>(g)]));
  }
}

void keep_factor(const FitOptions& options, Solver& solver, const SweepOutcome& outcome, Index n, Index num_columns,
                 detail::FitState& state, Report& report) {
  const auto p = static_cast<Index>(outcome.columns.size());
  const Index inner = std::min(n, p);
  const double megabytes = static_cast<double>(inner) * static_cast<double>(p) * 8e-6;
  if (options.keep_covariance == Keep::never) return;
  if (options.keep_covariance == Keep::automatic && megabytes > 256) {
    report.notes.push_back(
        fmt::format("the covariance factor ({:.0f} MB) was not kept; predict needs keep_covariance = always", megabytes));
    return;
  }
  state.factor = solver.factor();
  if (p < num_columns) state.factor.columns = outcome.columns;
}

void start_report(const FitOptions& options, Fit& fit, Index p) {
  fit.report.preset = options.preset;
  fit.report.compat = options.compat;
  fit.column_names = complete_names(options, p);
}

// Everything between the likelihood and the finished Fit; the same for both tasks.
void run(const FitOptions& options, MatrixView X, Likelihood& likelihood, Prepared prepared, PreparedPrior prior, double rows,
         std::shared_ptr<detail::FitState> state, Fit& fit, Posterior& q, Clock::time_point started) {
  const Index n = X.rows(), p = X.cols();
  start_report(options, fit, p);
  Report& report = fit.report;
  report.notes = prepared.notes;
  fit.left_out = prepared.left_out;
  fit.prior = prior.kind;
  if (options.rule == UpdateRule::laplace) {
    fit.prior = PriorKind::laplace;
    fit.lambda = std::sqrt(options.prior.lambda);  // gamma1 is the square                                                        (SLR.4)
  }
  state->standardization = std::move(prepared.standardization);

  DenseDesign design(X, state->standardization);
  const LikelihoodTraits traits = likelihood.traits();
  const auto [kind, reason] = choose_solver(options, traits, prior.partition, n);
  report.solver = kind;
  report.solver_reason = reason;
  const Partition& partition = prior.partition;
  PrecisionPrior precisions(partition, prior.shape, prior.rate, options.rule, fit.lambda);
  if (!options.start_precision.empty()) precisions.set_expected(start_of(options, partition, 1, design.cols(), precisions.expected()));
  SweepSettings settings = sweep_settings(options, fit.task, traits, rows, p);
  std::unique_ptr<PrecisionBlocks> blocks;  // made before the solver, which may hold BLAS at one thread
  if (kind == SolverKind::dual && fit.task == Task::linear && fit.is_joint() && settings.accelerate && !settings.condense &&
      PrecisionBlocks::serve(precisions)) {
    blocks = std::make_unique<PrecisionBlocks>(design);
    settings.blocks = blocks.get();
    settings.num_plain_sweeps = 0;
  }
  // `precisions` and its partition become those of the columns that are left.
  std::unique_ptr<Solver> solver =
      make_solver(options.pruning.is_on() ? options.solver : kind, {design, precisions.partition(), traits}, options.pruning.is_on());

  q.w = Vector::Zero(design.cols());
  q.V_diagonal = Vector::Zero(design.cols());
  q.m = Vector::Zero(n);
  q.s = Vector::Zero(traits.row_moments ? n : 0);
  q.group_square = q.group_variance = Vector::Zero(partition.num_groups());

  SweepOutcome outcome = sweep(likelihood, precisions, *solver, q, settings);
  const bool usable = outcome.status != Status::not_positive_definite && solver->finish(outcome.rows, outcome.a, q);
  report.status = usable ? outcome.status : Status::not_positive_definite;
  report.message = outcome.message.empty() ? "the linear system is not positive definite" : outcome.message;
  report.sweeps = outcome.sweeps;
  if (outcome.num_rejected > 0)
    report.notes.push_back(
        fmt::format("{} extrapolated {} taken back", outcome.num_rejected, outcome.num_rejected == 1 ? "step was" : "steps were"));
  if (outcome.num_single > 0)
    report.notes.push_back(
        fmt::format("{} of {} sweeps took their large products in single precision", outcome.num_single, outcome.sweeps));
  if (outcome.num_damped > 0)
    report.notes.push_back(fmt::format("{} {} took a shortened step", outcome.num_damped, outcome.num_damped == 1 ? "sweep" : "sweeps"));
  const double offset = bound_offset(partition.flat_columns, *state, fit.task, rows);
  report.bound = fit.bound = outcome.bound + offset;
  report.bound_history = std::move(outcome.bound_history);
  report.pruning = std::move(outcome.pruning);
  if (solver->kind() != kind) {
    report.solver = solver->kind();
    report.solver_reason = fmt::format("{} first ({}), then fewer columns than rows were left", to_string(kind), reason);
  }
  for (double& b : report.bound_history) b += offset;

  fit.num_rows = rows;
  fit.precision = outcome.expected;
  fit.precision_history = std::move(outcome.history);
  if (!options.compat)
    for (std::size_t g = 0; g < outcome.pruned.size(); ++g)
      if (outcome.pruned[g]) fit.precision[static_cast<Index>(g)] = std::numeric_limits<double>::infinity();
  fit.group.assign(partition.group.begin(), partition.group.begin() + p);
  fit.mean = fit.variance = fit.V_diagonal = fit.relevance = Vector::Zero(p);
  fit.relevant.assign(static_cast<std::size_t>(p), false);
  if (!usable) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    fit.mean.setConstant(nan), fit.variance.setConstant(nan), fit.V_diagonal.setConstant(nan);
    fit.standardized_mean = Vector::Constant(partition.num_columns(), nan);
    fit.state = std::move(state);
    report.seconds = seconds_since(started);
    return;
  }
  fit.effective_parameters = q.explained;
  state->quadratic = q.w.cwiseAbs2().dot(outcome.a) + outcome.rows.omega.dot(q.m.cwiseAbs2());  // w'V^-1 w = w'Aw + (Xw)' diag(omega) Xw
  const Index num_in_use = precisions.partition().num_columns() - precisions.partition().num_left_out();
  spread_over_all(outcome, partition.num_columns(), q, outcome.a);
  judge_relevance({partition, outcome.a, q, prior.kind, likelihood.noise_precision(), outcome}, options.pruning.is_on(), fit);
  state->w = fit.standardized_mean = q.w;
  if (fit.task == Task::linear) {
    fit.noise = likelihood.noise();
    fit.noise.rate *= state->y_scale * state->y_scale;
  }
  to_user_units(
      q, num_in_use, [&](const Vector& x) { return solver->variance_of(x(outcome.columns)); }, *state, fit);
  report.seconds = seconds_since(started);  // the posterior is complete; what follows serves later calls
  state->a = outcome.a;
  state->omega = outcome.rows.omega;
  keep_factor(options, *solver, outcome, n, partition.num_columns(), *state, report);
  fit.state = std::move(state);
}

Vector weights_or_ones(VectorView weights, Index n) { return weights.empty() ? Vector::Ones(n) : Vector(weights.eigen()); }

// A sparse fit has several starts, and one false ends them all.
FitOptions ending_at_once(FitOptions options) {
  if (options.on_sweep)
    options.on_sweep = [ask = std::move(options.on_sweep), goes_on = true](const Progress& progress) mutable {
      return goes_on = goes_on && ask(progress);
    };
  return options;
}

void note_choice(const ChosenOptions& chosen, Fit& fit) {
  if (!chosen.note.empty()) fit.report.notes.insert(fit.report.notes.begin(), chosen.note);
}

// What this prior does to intervals when columns are not few beside rows, in plain words.
void warn_if_too_confident(const FitOptions& options, Fit& fit, Index p) {
  if (!options.preset.empty() || (fit.prior != PriorKind::ard && fit.prior != PriorKind::groups)) return;
  const auto columns = static_cast<double>(p);
  if (columns > fit.num_rows && fit.effective_parameters > 0.8 * fit.num_rows)
    fit.report.warnings.push_back(fmt::format(
        "{:.0f} effective parameters describe {:.10g} rows: with more columns than rows this prior has explained the noise away, so noise, "
        "intervals and predictions are far too confident; use the default prior, sparse (--prior sparse)",
        fit.effective_parameters, fit.num_rows));
  else if (fit.task == Task::linear && fit.num_rows < 2 * columns)
    fit.report.warnings.push_back(
        fmt::format("{:.10g} rows are fewer than twice {} columns: under this prior the noise is underestimated and 95% intervals have "
                    "covered 80 to 92%; use the default prior, sparse (--prior sparse)",
                    fit.num_rows, p));
  else if (fit.task == Task::logistic && fit.accuracy == 1 && fit.num_rows < 5 * columns)
    fit.report.warnings.push_back(fmt::format(
        "every one of {:.10g} rows is on its own side with {} columns under this prior: probabilities and intervals are far too confident; "
        "use the default prior, sparse (--prior sparse)",
        fit.num_rows, p));
}

// With classes that can be separated the coefficients grow until the prior stops them, if it does.
void describe_separation(const FitOptions& options, Fit& fit) {
  if (fit.accuracy < 1) return;
  if (fit.report.status == Status::converged)
    fit.report.notes.push_back(
        "every row is on its own side: the classes can be separated, so that only the prior keeps the coefficients from growing");
  else if (fit.report.status == Status::max_sweeps && !options.compat && (options.preset.empty() || is_toolbox_preset(options.preset)))
    fit.report.warnings.push_back(
        std::string("every row is on its own side: the classes can be separated, and so far this prior does not keep the coefficients from "
                    "growing; they, their intervals and the bound are those of the last sweep; if more sweeps only raise them, ") +
        (options.preset.empty() ? "take a narrower hyper-prior (--a0 1 --b0 1)" : "fit a model with a hyper-prior (--model logistic)"));
}

std::string label_text(double value) { return fmt::format("{}", value); }

}  // namespace

// ---- linear
// -------------------------------------------------------------------------------------------------------------------------------

namespace {

LinearFit fit_linear_of(MatrixView X, std::shared_ptr<double[]> memory, VectorView y, const FitOptions& options) {
  const auto started = Clock::now();
  validate::matrix(X, "X", options.column_names);
  validate::vector(y, X.rows(), "y");
  validate::weights(options.weights, X.rows());
  validate_options(options, Task::linear, X.cols());
  const ChosenOptions chosen = with_chosen_prior(options, Task::linear, X.rows(), X.cols());
  LinearFit fit = fit_checked_linear(X, y, chosen.options, std::move(memory));
  note_choice(chosen, fit);
  warn_if_too_confident(options, fit, X.cols());
  fit.report.seconds = seconds_since(started);  // of all of it, what describes the fit included
  return fit;
}

}  // namespace

LinearFit fit_linear(MatrixView X, VectorView y, const FitOptions& options) { return fit_linear_of(X, nullptr, y, options); }
LinearFit fit_linear(OwnedMatrix&& X, VectorView y, const FitOptions& options) {
  return fit_linear_of(X.view, std::move(X.memory), y, options);
}

LinearFit fit_checked_linear(MatrixView X, VectorView y, const FitOptions& options, std::shared_ptr<double[]> memory) {
  const auto started = Clock::now();
  const blas::ThreadScope threads(options.threads, blas::multiplications(X.rows(), X.cols()));

  LinearFit fit;
  fit.task = Task::linear;
  if (is_greedy_preset(options.preset)) {
    fit_greedy_preset(X, y.eigen(), options, fit);
    fit.report.seconds = seconds_since(started);
    return fit;
  }
  const Vector k = weights_or_ones(options.weights, X.rows());
  Prepared prepared = prepare_columns(X, k, options);
  auto state = std::make_shared<detail::FitState>();
  Vector standard_y = y.eigen();
  const double total = k.sum();
  const double mean = k.dot(standard_y) / total;
  if (options.preset.empty() && options.standardize) {
    if (options.intercept) state->y_center = mean;
    standard_y.array() -= state->y_center;
    const double first =
        options.intercept ? standard_y[std::find_if(k.begin(), k.end(), [](double weight) { return weight > 0; }) - k.begin()] : 0.0;
    const bool all_equal = (k.array() == 0 || standard_y.array() == first).all();
    state->y_scale = validate::spread(std::sqrt(k.dot(standard_y.cwiseAbs2()) / total), all_equal, "the target");
    if (!(state->y_scale > 1e-14 * std::abs(mean))) {
      fit.report.warnings.push_back("the target is constant: there is nothing to explain");
      standard_y.setZero();
      state->y_scale = mean != 0 ? std::abs(mean) : 1.0;
    }
    standard_y /= state->y_scale;
  }
  if (is_sparse(options.prior.kind)) {
    fit_sparse_linear(X, std::move(memory), standard_y, k, ending_at_once(options), std::move(prepared), state, fit);
    if (options.keep_covariance == Keep::never) state->factor = {};
    fit.report.seconds = seconds_since(started);
    return fit;
  }
  PreparedPrior prior = prepare_prior(options, X.cols(), prepared.left_out);
  const Index num_flat = prior.partition.num_flat();
  if (total < static_cast<double>(num_flat))
    throw InvalidArgument(fmt::format(
        "{:.10g} rows cannot determine {} columns without a prior{}; a linear fit needs at least as many rows (weights count as rows)",
        total, num_flat, options.intercept ? ", the intercept among them" : ""));
  fit.posterior = options.posterior;
  std::unique_ptr<Likelihood> likelihood;
  if (fit.is_joint())
    likelihood = std::make_unique<Gaussian>(standard_y, k, options.noise.shape, options.noise.rate, num_flat,
                                            prior.partition.num_columns() - num_flat);
  else
    likelihood = make_gaussian_factorised(standard_y, k, options.noise, options.start_noise * state->y_scale * state->y_scale);
  Posterior q;
  run(options, X, *likelihood, std::move(prepared), std::move(prior), total, state, fit, q, started);

  // R^2 about the mean where there is an intercept, about zero otherwise.
  const double center = options.intercept ? k.dot(standard_y) / total : 0.0;
  const double around = k.dot((standard_y.array() - center).square().matrix());
  fit.r_squared = around > 0 ? 1 - k.dot((standard_y - q.m).cwiseAbs2()) / around : 0.0;
  return fit;
}

// ---- logistic
// -----------------------------------------------------------------------------------------------------------------------------

namespace {

// The two labels, ascending. `signs`: they are -1 and 1, of which one may be absent, as under a proper prior of every column it may.
// \throws InvalidArgument for any other number of them.
std::pair<double, double> two_labels(VectorView labels, bool signs) {
  double low = labels[0], high = labels[0];
  for (double label : labels) low = std::min(low, label), high = std::max(high, label);
  if (low == high && signs && std::abs(low) == 1) return {-1, 1};
  if (low == high)
    throw InvalidArgument(fmt::format("labels has one class only ({}); logistic regression needs exactly two", label_text(low)));
  for (Index i = 0; i < labels.size(); ++i)
    if (labels[i] != low && labels[i] != high)
      throw InvalidArgument(
          fmt::format("labels has more than two classes ({}, {}, {}, first at row {}); logistic regression needs exactly two",
                      label_text(low), label_text(labels[i]), label_text(high), i + 1));
  return {low, high};
}

struct Classes {
  std::vector<std::string> names;  // the two, ascending
  Vector t;                        // 1: the second
};
Classes read_classes(VectorView labels, const Vector& k, const FitOptions& options) {
  const bool signs = options.preset.starts_with("vb_logit");
  const auto [low, high] = two_labels(labels, signs);
  Classes out{{label_text(low), label_text(high)}, Vector(labels.size())};
  for (Index i = 0; i < labels.size(); ++i) out.t[i] = labels[i] == high ? 1.0 : 0.0;
  if (!signs && (k.dot(out.t) == 0 || k.dot(out.t) == k.sum()))
    throw InvalidArgument("all rows of one class have weight zero; logistic regression needs two classes");
  return out;
}

}  // namespace

LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options) {
  const auto started = Clock::now();
  validate::matrix(X, "X", options.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(options.weights, X.rows());
  validate_options(options, Task::logistic, X.cols());
  const ChosenOptions chosen = with_chosen_prior(options, Task::logistic, X.rows(), X.cols());
  LogisticFit fit = fit_checked_logistic(X, labels, chosen.options);
  note_choice(chosen, fit);
  warn_if_too_confident(options, fit, X.cols());
  fit.report.seconds = seconds_since(started);
  return fit;
}

LogisticFit fit_checked_logistic(MatrixView X, VectorView labels, const FitOptions& options) {
  const Vector k = weights_or_ones(options.weights, X.rows());
  const auto [classes, t] = read_classes(labels, k, options);
  const auto started = Clock::now();
  const blas::ThreadScope threads(options.threads, blas::multiplications(X.rows(), X.cols()));

  LogisticFit fit;
  fit.task = Task::logistic;
  fit.classes = classes;
  fit.likelihood = options.prior.kind == PriorKind::laplace ? LogisticLikelihood::laplace : options.likelihood;
  if (is_sequential_preset(options.preset) || is_greedy_preset(options.preset)) {
    if (is_greedy_preset(options.preset))
      fit_greedy_preset(X, t, options, fit);
    else
      fit_sequential_preset(X, t, options, fit);
    fit.report.seconds = seconds_since(started);
    return fit;
  }
  if (options.prior.kind == PriorKind::laplace) {
    if (is_l1_slr(options.preset) && options.compat)
      fit_l1_slr(X, t, options, fit);
    else
      fit_lasso(X, t, k, options, fit);
    fit.report.seconds = seconds_since(started);
    return fit;
  }
  Prepared prepared = prepare_columns(X, k, options);
  if (is_sparse(options.prior.kind)) {
    auto state = std::make_shared<detail::FitState>();
    fit_sparse_logistic(X, t, k, ending_at_once(options), std::move(prepared), state, fit);
    if (options.keep_covariance == Keep::never) state->factor = {};
    fit.report.seconds = seconds_since(started);
    describe_separation(options, fit);
    return fit;
  }
  PreparedPrior prior = prepare_prior(options, X.cols(), prepared.left_out);
  std::unique_ptr<Likelihood> likelihood;
  switch (options.likelihood) {
    case LogisticLikelihood::gaussian: likelihood = make_logistic_gaussian(t, k); break;
    case LogisticLikelihood::bound: likelihood = make_logistic_bound(t, k, options.start_xi); break;
    case LogisticLikelihood::laplace: likelihood = make_logistic_laplace(t, k); break;
  }
  Posterior q;
  run(options, X, *likelihood, std::move(prepared), std::move(prior), k.sum(), std::make_shared<detail::FitState>(), fit, q, started);
  describe_classes(t, k, q.m, q.s, fit);
  describe_separation(options, fit);
  return fit;
}

LogisticPath fit_logistic_path(MatrixView X, VectorView labels, const PathGrid& grid, const FitOptions& options) {
  validate::matrix(X, "X", options.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(options.weights, X.rows());
  FitOptions lasso = options;
  if (lasso.prior.kind == PriorKind::automatic) lasso.prior.kind = PriorKind::laplace;
  if (lasso.prior.kind != PriorKind::laplace)
    throw InvalidArgument(fmt::format("prior is '{}'; a path of lambdas is of the Laplace prior", to_string(lasso.prior.kind)));
  if (!lasso.preset.empty()) throw InvalidArgument(fmt::format("preset is '{}'; a path of lambdas is of a model", lasso.preset));
  validate_options(lasso, Task::logistic, X.cols());
  const Vector k = weights_or_ones(options.weights, X.rows());
  const auto [classes, t] = read_classes(labels, k, lasso);
  const blas::ThreadScope threads(options.threads, blas::multiplications(X.rows(), X.cols()));
  LogisticPath path = fit_lasso_path(X, t, k, grid, lasso);
  path.classes = classes;
  return path;
}

}  // namespace ardvark
