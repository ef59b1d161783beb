#include "method/sweep/sweep_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "design/with_row.hpp"
#include "frame/conditioning.hpp"
#include "frame/describe.hpp"
#include "frame/user_units.hpp"
#include "method/sweep/precision_blocks.hpp"
#include "method/sweep/sweep_choice.hpp"

namespace ardvark {
namespace {

void begin_fit(const FitOptions& options, const SweepProblem& problem, Fit& fit) {
  fit.report.preset = options.preset;
  fit.report.compat = options.compat;
  fit.report.notes = problem.prepared.notes;
  fit.column_names = complete_names(options, problem.X.cols());
  fit.left_out = problem.prepared.left_out;
  fit.prior = problem.prior.kind;
  fit.num_rows = problem.rows;
  if (options.rule == UpdateRule::laplace) {
    fit.prior = PriorKind::laplace;
    fit.lambda = std::sqrt(options.prior.lambda);  // gamma1 is the square                                                        (SLR.4)
  }
  const Index p = problem.X.cols();
  const std::vector<Index>& group = problem.prior.partition.group;
  fit.group.assign(group.begin(), group.begin() + p);
  fit.mean = fit.variance = fit.V_diagonal = fit.relevance = Vector::Zero(p);
  fit.relevant.assign(static_cast<std::size_t>(p), false);
}

// Made before the solver, which may hold BLAS at one thread.                                                                   (BLOCK.1)
std::unique_ptr<PrecisionBlocks> precision_blocks(SolverKind kind, const PrecisionPrior& precisions, const Fit& fit, Design& design,
                                                  SweepSettings& settings) {
  if (kind != SolverKind::dual || fit.task != Task::linear || !fit.is_joint() || !settings.accelerate || settings.condense ||
      !PrecisionBlocks::serve(precisions))
    return nullptr;
  auto blocks = std::make_unique<PrecisionBlocks>(design);
  settings.blocks = blocks.get();
  settings.num_plain_sweeps = 0;
  return blocks;
}

Posterior sized_posterior(const Partition& partition, const LikelihoodTraits& likelihood, Index num_rows) {
  Posterior q;
  q.w = q.V_diagonal = Vector::Zero(partition.num_columns());
  q.m = Vector::Zero(num_rows);
  q.s = Vector::Zero(likelihood.row_moments ? num_rows : 0);
  q.group_square = q.group_variance = Vector::Zero(partition.num_groups());
  return q;
}

// What is known of the sweeps whether their end is usable or not. `offset`: to the units of the data, nats.
void report_sweeps(const FitOptions& options, SweepOutcome& outcome, bool usable, double offset, Fit& fit) {
  Report& report = fit.report;
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
  report.bound = fit.bound = outcome.bound + offset;
  report.bound_history = std::move(outcome.bound_history);
  for (double& b : report.bound_history) b += offset;
  report.pruning = std::move(outcome.pruning);

  fit.precision = outcome.expected;
  fit.precision_history = std::move(outcome.history);
  if (!options.compat)
    for (std::size_t g = 0; g < outcome.pruned.size(); ++g)
      if (outcome.pruned[g]) fit.precision[static_cast<Index>(g)] = std::numeric_limits<double>::infinity();
}

// From the columns that are left to all of the design: a pruned one has w = V = 0 at an infinite precision.
void spread_over_all(const SweepOutcome& outcome, Index num_columns, Posterior& q, Vector& a) {
  if (static_cast<Index>(outcome.columns.size()) == num_columns) return;
  const Vector w = q.w, V = q.V_diagonal, inside = a;
  // Made first and then moved: core/resize.hpp.
  q.w = Vector(Vector::Zero(num_columns));
  q.V_diagonal = Vector(q.w);
  a = Vector(Vector::Constant(num_columns, std::numeric_limits<double>::infinity()));
  q.w(outcome.columns) = w;
  q.V_diagonal(outcome.columns) = V;
  a(outcome.columns) = inside;
}

struct Fitted {
  const Partition& partition;
  const Vector& a;  // precisions inside V
  const Posterior& q;
  PriorKind kind;
  double noise_precision;  // a_N/b_N in the design's units, or 1
  const SweepOutcome& outcome;
};

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

// Sweeps, with all that they need and leave behind.
struct Run {
  SolverChoice choice;
  std::unique_ptr<PrecisionPrior> precisions;  // it and its partition become those of the columns that are left
  std::unique_ptr<PrecisionBlocks> blocks;
  std::unique_ptr<Solver> solver;
  Posterior q;
  SweepOutcome outcome;
  bool usable = false;
  Conditioning conditioning;
};

// \param start  E[alpha] to begin with, instead of what the options say; empty: that
std::unique_ptr<Run> run_sweeps(const FitOptions& options, const SweepProblem& problem, SolverChoice choice, const Vector& start,
                                Design& design, const Standardization& standardization, const Fit& fit) {
  Likelihood& likelihood = problem.likelihood;
  const LikelihoodTraits traits = likelihood.traits();
  const Partition& partition = problem.prior.partition;
  auto run = std::make_unique<Run>();
  run->choice = std::move(choice);
  run->precisions = std::make_unique<PrecisionPrior>(partition, problem.prior.shape, problem.prior.rate, options.rule, fit.lambda);
  PrecisionPrior& precisions = *run->precisions;
  if (!options.start_precision.empty()) precisions.set_expected(start_of(options, partition, 1, design.cols(), precisions.expected()));
  if (start.size() > 0) precisions.set_expected(start);
  const SolverKind kind = run->choice.kind;
  SweepSettings settings = sweep_settings(options, fit.task, traits, problem.rows, problem.X.cols());
  // Weights that no prior holds may be large enough for rounding in the scores to count.
  if (traits.row_moments && partition.num_flat() > (standardization.intercept ? 1 : 0))
    settings.score_rounding = score_rounding_of(design, standardization, problem.rows);
  run->blocks = precision_blocks(kind, precisions, fit, design, settings);
  const bool may_shrink = options.pruning.is_on();
  run->solver =
      make_solver(may_shrink && kind != SolverKind::qr ? options.solver : kind, {design, precisions.partition(), traits}, may_shrink);
  run->q = sized_posterior(partition, traits, design.rows());
  run->outcome = sweep(likelihood, precisions, *run->solver, run->q, settings);
  SweepOutcome& outcome = run->outcome;
  run->usable = outcome.status != Status::not_positive_definite && run->solver->finish(outcome.rows, outcome.a, run->q);
  const GammaDistribution noise = likelihood.noise();
  const bool whole = static_cast<Index>(outcome.columns.size()) == design.cols();
  if (run->usable && whole)
    run->conditioning = condition_of(*run->solver, partition, standardization, run->q, outcome.rows.omega,
                                     fit.is_joint() && noise.shape > 0 ? noise.rate / noise.shape : 1.0);
  return run;
}

// The sweeps again by QR, from where they ended, if a Gram matrix has too few digits for these columns.                   (RIDGE.9)
void repeat_by_qr(const FitOptions& options, const SweepProblem& problem, Design& design, const Standardization& standardization,
                  const Fit& fit, std::unique_ptr<Run>& run) {
  if (options.solver != SolverKind::automatic || !options.preset.empty() || sweeps_plainly(options)) return;
  const Index num_flat = problem.prior.partition.num_flat() - (standardization.intercept ? 1 : 0);
  if (design.cols() > design.rows() && (num_flat <= 0 || design.cols() > 2000)) return;  // of the dual only flat columns have a Gram matrix
  if (run->outcome.status == Status::stopped_by_user) return;
  if (run->usable && !asks_for_qr(run->conditioning, design.rows(), design.cols())) return;
  auto again =
      run_sweeps(options, problem, {SolverKind::qr, ""}, run->usable ? run->outcome.expected : Vector(), design, standardization, fit);
  if (again->usable)
    again->choice.reason =
        fmt::format("the columns have a condition number of about {:.0e}, which a Gram matrix squares", again->conditioning.number);
  else
    again->choice.reason = "the Gram matrix of the columns is singular but for rounding";
  run = std::move(again);
}

}  // namespace

Posterior fit_by_sweeps(const FitOptions& options, SweepProblem problem, std::shared_ptr<detail::FitState> state, const Stopwatch& watch,
                        Fit& fit) {
  Likelihood& likelihood = problem.likelihood;
  const Partition& partition = problem.prior.partition;
  const bool may_shrink = options.pruning.is_on();
  Report& report = fit.report;
  begin_fit(options, problem, fit);
  state->standardization = std::move(problem.prepared.standardization);
  state->proper_intercept = problem.proper_intercept != nullptr;

  std::unique_ptr<Design> rows = std::make_unique<DenseDesign>(problem.X, state->standardization);
  if (problem.proper_intercept != nullptr) rows = with_row_of_means(std::move(rows), *problem.proper_intercept);
  Design& design = *rows;
  const Index n = design.rows();
  const auto end_without_posterior = [&] {
    without_posterior(partition.num_columns(), fit);
    fit.state = std::move(state);
    report.seconds = watch.seconds();
  };
  SolverChoice choice = choose_solver(options, likelihood.traits(), partition, problem.X.rows());
  if (!problem.no_posterior.empty()) {
    report.status = Status::not_positive_definite;
    report.message = std::move(problem.no_posterior);
    report.solver = choice.kind;
    report.solver_reason = std::move(choice.reason);
    fit.precision = PrecisionPrior(partition, problem.prior.shape, problem.prior.rate, options.rule, fit.lambda).expected();
    end_without_posterior();
    return sized_posterior(partition, likelihood.traits(), n);
  }
  std::unique_ptr<Run> run = run_sweeps(options, problem, std::move(choice), {}, design, state->standardization, fit);
  repeat_by_qr(options, problem, design, state->standardization, fit, run);
  SweepOutcome& outcome = run->outcome;
  Posterior& q = run->q;
  Solver& solver = *run->solver;
  const auto& [kind, reason] = run->choice;
  report.solver = kind;
  report.solver_reason = reason;
  report_sweeps(options, outcome, run->usable, bound_offset(partition.flat_columns, *state, fit.task, problem.rows), fit);
  if (solver.kind() != kind) {
    report.solver = solver.kind();
    report.solver_reason = fmt::format("{} first ({}), then fewer columns than rows were left", to_string(kind), reason);
  }
  if (!run->usable) {
    end_without_posterior();
    return std::move(q);
  }
  if (const std::string warning = warning_of(run->conditioning, report.solver, fit.column_names); !warning.empty())
    report.warnings.push_back(warning);

  fit.effective_parameters = std::max(q.explained, 0.0);                                        // but for rounding
  state->quadratic = q.w.cwiseAbs2().dot(outcome.a) + outcome.rows.omega.dot(q.m.cwiseAbs2());  // w'V^-1 w = w'Aw + (Xw)' diag(omega) Xw
  const Index num_in_use = run->precisions->partition().num_columns() - run->precisions->partition().num_left_out();
  spread_over_all(outcome, partition.num_columns(), q, outcome.a);
  judge_relevance({partition, outcome.a, q, problem.prior.kind, likelihood.noise_precision(), outcome}, may_shrink, fit);
  state->w = fit.standardized_mean = q.w;
  if (fit.task == Task::linear) {
    fit.noise = likelihood.noise();
    fit.noise.rate *= state->y_scale * state->y_scale;
  }
  to_user_units(
      q, num_in_use, [&](const Vector& x) { return solver.variance_of(x(outcome.columns)); }, *state, fit);
  report.seconds = watch.seconds();  // the posterior is complete; what follows serves later calls
  state->a = outcome.a;
  state->omega = outcome.rows.omega;
  keep_factor(options, solver, outcome, n, partition.num_columns(), *state, report);
  fit.state = std::move(state);
  return std::move(q);
}

}  // namespace ardvark
