#include "method/sweep/sweep_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "design/with_row.hpp"
#include "frame/conditioning.hpp"
#include "frame/few_rows.hpp"
#include "method/sweep/marginals.hpp"
#include "method/sweep/precision_blocks.hpp"
#include "method/sweep/sweep_choice.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// For a published mode, the precisions are those of a Laplace prior; gamma1 is the square of lambda.                            (SLR.4)
double lambda_of(const FitOptions& options) { return options.rule == UpdateRule::laplace ? std::sqrt(options.prior.lambda) : 0; }

bool is_joint(const Frame& frame) { return has_noise(frame.task) && frame.options.posterior == LinearPosterior::joint; }

Solution begun(const SweepProblem& problem) {
  const Frame& frame = problem.frame;
  const bool laplace = frame.options.rule == UpdateRule::laplace;
  const Index p = frame.num_columns();
  const Partition& partition = problem.prior.partition;
  Solution out;
  out.prior = laplace ? PriorKind::laplace : problem.prior.kind;
  out.lambda = lambda_of(frame.options);
  if (has_noise(frame.task)) out.posterior = frame.options.posterior;
  out.group.assign(partition.group.begin(), partition.group.begin() + p);
  out.flat = partition.flat_columns;
  out.relevance = Vector::Zero(p);
  out.relevant.assign(static_cast<std::size_t>(p), false);
  out.proper_intercept = problem.proper_intercept;
  return out;
}

// Must be made before the solver, which may limit BLAS to one thread.                                                          (BLOCK.1)
std::unique_ptr<PrecisionBlocks> precision_blocks(SolverKind kind, const PrecisionPrior& precisions, const Frame& frame, Design& design,
                                                  SweepSettings& settings) {
  if (kind != SolverKind::dual || !is_joint(frame) || !settings.accelerate || settings.condense || !PrecisionBlocks::serve(precisions))
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

// The report of the sweeps, also if their result is not usable.
void report_sweeps(const FitOptions& options, SweepOutcome& outcome, bool usable, Solution& out) {
  Report& report = out.report;
  report.status = usable ? outcome.status : Status::not_positive_definite;
  report.message = outcome.message.empty() ? "the linear system is not positive definite" : outcome.message;
  report.sweeps = outcome.sweeps;
  if (outcome.num_rejected > 0)
    report.notes.push_back(
        fmt::format("{} extrapolated {} undone", outcome.num_rejected, outcome.num_rejected == 1 ? "step was" : "steps were"));
  if (outcome.num_single > 0)
    report.notes.push_back(
        fmt::format("{} of {} sweeps computed their large products in single precision", outcome.num_single, outcome.sweeps));
  if (outcome.num_damped > 0)
    report.notes.push_back(fmt::format("{} {} took a shortened step", outcome.num_damped, outcome.num_damped == 1 ? "sweep" : "sweeps"));
  report.bound = outcome.bound;
  report.bound_history = std::move(outcome.bound_history);
  report.pruning = std::move(outcome.pruning);

  out.precision = outcome.expected;
  out.precision_history = std::move(outcome.history);
  if (!options.compat)
    for (std::size_t g = 0; g < outcome.pruned.size(); ++g)
      if (outcome.pruned[g]) out.precision[static_cast<Index>(g)] = std::numeric_limits<double>::infinity();
}

// Extends q and a from the remaining columns to all columns of the design: a pruned one has w = V = 0 and an infinite precision.
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

// A group is kept if sum_j tau q_j^2/s_j > 2 |g|: at its own best precision, the data would determine more than half of it.       (OPT.3)
// With q_j = w_j/V_jj and s_j = 1/V_jj - a_j that ratio is tau w_j^2 / (V_jj (1 - a_j V_jj)).                                     (OPT.2)
void judge_relevance(const Fitted& f, const Frame& frame, Solution& out) {
  const Index p = frame.num_columns();
  const bool may_leave = frame.options.pruning.is_on();
  std::vector<double> evidence(f.partition.group_size.size(), 0.0);
  for (Index j = 0; j < p; ++j) {
    const Index g = out.group[static_cast<std::size_t>(j)];
    if (std::isinf(f.a[j])) continue;  // pruned
    out.relevance[j] = std::clamp(1 - f.a[j] * f.q.V_diagonal[j], 0.0, 1.0);
    if (g >= 0)
      evidence[static_cast<std::size_t>(g)] +=
          f.noise_precision * f.q.w[j] * f.q.w[j] / (f.q.V_diagonal[j] * std::max(out.relevance[j], 1e-12));
  }
  for (Index j = 0; j < p; ++j) {
    const Index g = out.group[static_cast<std::size_t>(j)];
    const bool estimated = g >= 0 && f.kind != PriorKind::shared;
    if (may_leave) {  // all columns that remain are relevant
      const bool leaves = g >= 0 && f.outcome.pruned[static_cast<std::size_t>(g)];
      out.relevant[static_cast<std::size_t>(j)] = !frame.left_out[static_cast<std::size_t>(j)] && !leaves && !std::isinf(f.a[j]);
      continue;
    }
    out.relevant[static_cast<std::size_t>(j)] =
        !frame.left_out[static_cast<std::size_t>(j)] &&
        (!estimated ||
         evidence[static_cast<std::size_t>(g)] > 2 * static_cast<double>(f.partition.group_size[static_cast<std::size_t>(g)]));
  }
}

void keep_factor(const FitOptions& options, Solver& solver, const SweepOutcome& outcome, Index n, Index num_columns, Solution& out) {
  const auto p = static_cast<Index>(outcome.columns.size());
  const Index inner = out.report.sampled ? out.report.sampled->draws : std::min(n, p);
  const double megabytes = static_cast<double>(inner) * static_cast<double>(p) * 8e-6;
  if (options.keep_covariance == Keep::never) return;
  if (options.keep_covariance == Keep::automatic && megabytes > 256) {
    out.report.notes.push_back(
        fmt::format("the covariance factor ({:.0f} MB) was not kept; predict needs keep_covariance = always", megabytes));
    return;
  }
  out.factor = solver.factor();
  if (p < num_columns) out.factor.columns = outcome.columns;
}

// How far the random error of tr V moves E[alpha]: that of one step, and of the steps that follow from it.                     (RIDGE.13)
double precision_error(const SweepProblem& problem, const PrecisionPrior& precisions, const SampledPosterior& sampled,
                       const SweepOutcome& outcome, Solver& solver, const Posterior& found) {
  Likelihood& likelihood = problem.likelihood;
  Rows rows = outcome.rows;
  Posterior q = found;
  Vector next(1);
  const auto step = [&](double factor) {
    Vector a = outcome.a;
    for (Index j = 0; j < a.size(); ++j)
      if (precisions.partition().group[static_cast<std::size_t>(j)] == 0) a[j] *= factor;
    if (!solver.solve(rows, a, q)) return std::numeric_limits<double>::quiet_NaN();
    likelihood.update(q, rows);
    precisions.update(q, likelihood.noise_precision(), next);
    return std::log(next[0]);
  };
  constexpr double change = 1.01;
  const double slope = (step(change) - step(1 / change)) / (2 * std::log(change));
  const double shape = problem.prior.shape[0] + 0.5 * static_cast<double>(precisions.partition().group_size[0]);
  step(1);  // the state that was found
  return 0.5 * sampled.trace.error * next[0] / shape / std::abs(1 - slope);
}

// What comes from draws, and whether the steps reached what they promise.                                        (RIDGE.12), (RIDGE.15)
void report_draws(const Solver& solver, double error_of_precision, Report& report) {
  const std::optional<SampledPosterior> sampled = solver.sampled();
  if (!sampled) return;
  report.sampled = *sampled;
  report.sampled->precision_error = error_of_precision;
  report.notes.push_back(fmt::format(
      "standard deviations of the weights are from {} draws: relative error about {:.1g}%; the part of a prediction's standard deviation "
      "that comes from the weights: about {:.1g}%; the log evidence has a standard error of {:.2g} nats",
      sampled->draws, 100 * sampled->sd_error, 100 / std::sqrt(2.0 * static_cast<double>(sampled->draws)), sampled->bound_error));
  if (!(solver.remaining() > 1) || report.status != Status::converged) return;
  report.status = Status::max_sweeps;
  report.message = fmt::format(
      "the steps of conjugate gradients left an error {:.2g} times as large as allowed; scale the columns, or "
      "leave out columns that are nearly copies of others",
      solver.remaining());
}

// A run of the sweeps, with its objects and results.
struct Run {
  SolverChoice choice;
  std::unique_ptr<PrecisionPrior> precisions;  // it and its partition shrink to the columns that remain
  std::unique_ptr<PrecisionBlocks> blocks;
  std::unique_ptr<Solver> solver;
  Posterior q;
  SweepOutcome outcome;
  bool usable = false;
  Conditioning conditioning;
  double precision_error = 0;
};

// \param start  E[alpha] to begin with; empty: as the options say
std::unique_ptr<Run> run_sweeps(const SweepProblem& problem, SolverChoice choice, const Vector& start, Design& design) {
  const Frame& frame = problem.frame;
  const FitOptions& options = frame.options;
  const Standardization& standardization = frame.units.standardization;
  Likelihood& likelihood = problem.likelihood;
  const LikelihoodTraits traits = likelihood.traits();
  const Partition& partition = problem.prior.partition;
  auto run = std::make_unique<Run>();
  run->choice = std::move(choice);
  run->precisions = std::make_unique<PrecisionPrior>(partition, problem.prior.shape, problem.prior.rate,
                                                     options.rule.value_or(UpdateRule::vb), lambda_of(options));
  PrecisionPrior& precisions = *run->precisions;
  // Where half of the variance is explained; from a much smaller precision, the first sweep would take many more steps than the last.
  if (run->choice.kind == SolverKind::iterative && options.standardize)
    precisions.set_expected(Vector::Constant(1, static_cast<double>(partition.group_size[0])));
  if (!options.start_precision.empty()) precisions.set_expected(start_of(options, partition, 1, design.cols(), precisions.expected()));
  if (start.size() > 0) precisions.set_expected(start);
  const SolverKind kind = run->choice.kind;
  SweepSettings settings = sweep_settings(options, frame.task, traits, frame.rows, frame.num_columns());
  // Weights without a prior may be so large that rounding of the scores matters.                                             (BOUND.7)
  if (traits.row_moments && partition.num_flat() > (standardization.intercept ? 1 : 0))
    settings.score_rounding = score_rounding_of(design, standardization, frame.rows);
  run->blocks = precision_blocks(kind, precisions, frame, design, settings);
  const bool may_shrink = options.pruning.is_on();
  run->solver =
      make_solver(may_shrink && kind != SolverKind::qr ? options.solver : kind, {design, precisions.partition(), traits}, may_shrink);
  run->q = sized_posterior(partition, traits, design.rows());
  run->outcome = sweep(likelihood, precisions, *run->solver, run->q, settings);
  SweepOutcome& outcome = run->outcome;
  if (const double share = likelihood.information_share(); share < 1 && outcome.status != Status::not_positive_definite) {
    if (!traits.row_moments) design.apply(run->q.w, run->q.m);
    Rows& rows = outcome.rows;  // w stays, and V has the share                                                              (TN.6)
    rows.r -= (1 - share) * rows.omega.cwiseProduct(run->q.m);
    rows.omega *= share;
    static_cast<void>(run->solver->solve(rows, outcome.a, run->q));
  }
  run->usable = outcome.status != Status::not_positive_definite && run->solver->finish(outcome.rows, outcome.a, run->q);
  if (const auto sampled = run->solver->sampled(); run->usable && sampled)
    run->precision_error = precision_error(problem, precisions, *sampled, outcome, *run->solver, run->q);
  const GammaDistribution noise = likelihood.noise();
  const bool whole = static_cast<Index>(outcome.columns.size()) == design.cols();
  if (run->usable && whole)
    run->conditioning = condition_of(*run->solver, partition, standardization, run->q, outcome.rows.omega,
                                     is_joint(frame) && noise.shape > 0 ? noise.rate / noise.shape : 1.0);
  return run;
}

// Repeats the sweeps with QR, starting from their result, if a Gram matrix has too few digits for these columns.          (RIDGE.9)
void repeat_by_qr(const SweepProblem& problem, Design& design, std::unique_ptr<Run>& run) {
  const FitOptions& options = problem.frame.options;
  if (run->choice.kind == SolverKind::iterative || options.solver != SolverKind::automatic || !options.preset.empty() ||
      sweeps_plainly(options) || design.is_sparse())
    return;
  const Index num_flat = problem.prior.partition.num_flat() - (problem.frame.units.standardization.intercept ? 1 : 0);
  if (design.cols() > design.rows() && (num_flat <= 0 || design.cols() > 2000))
    return;  // in the dual, only flat columns have a Gram matrix
  if (run->outcome.status == Status::stopped_by_user) return;
  if (run->usable && !asks_for_qr(run->conditioning, design.rows(), design.cols())) return;
  auto again = run_sweeps(problem, {SolverKind::qr, ""}, run->usable ? run->outcome.expected : Vector(), design);
  if (again->usable)
    again->choice.reason =
        fmt::format("the columns have a condition number of about {:.0e}, which a Gram matrix squares", again->conditioning.number);
  else
    again->choice.reason = "the Gram matrix of the columns is singular up to rounding";
  run = std::move(again);
}

// The solution without any sweep.
Solution without_sweeps(SweepProblem& problem, SolverChoice choice, Index num_rows) {
  const PreparedPrior& prior = problem.prior;
  Solution out = begun(problem);
  out.usable = false;
  out.report.status = Status::not_positive_definite;
  out.report.message = std::move(problem.no_posterior);
  out.report.solver = choice.kind;
  out.report.solver_reason = std::move(choice.reason);
  out.precision = PrecisionPrior(prior.partition, prior.shape, prior.rate, problem.frame.options.rule.value_or(UpdateRule::vb),
                                 lambda_of(problem.frame.options))
                      .expected();
  Posterior q = sized_posterior(prior.partition, problem.likelihood.traits(), num_rows);
  out.rows = {std::move(q.m), std::move(q.s)};
  return out;
}

// Whether marginals are asked for that a normal distribution may miss, and (SKEW.2) holds.
bool has_tilts(const SweepProblem& problem, const Run& run, Index num_rows) {
  const FitOptions& options = problem.frame.options;
  if (options.intervals != Intervals::skewed || !options.preset.empty() || run.outcome.status != Status::converged) return false;
  Rows rows{Vector(num_rows), Vector(num_rows)};
  return problem.frame.num_columns() < most_tilted_columns && problem.likelihood.traits().row_moments &&
         problem.likelihood.expected_at(run.q.m, run.q.s, rows);
}

// Groups of several columns whose precision has a posterior. That of a single column under a vague hyper-prior has a lump of mass at zero,
// which no smooth marginal shows.                                                                                               (SKEW.7)
std::vector<PrecisionGroup> uncertain_groups(const SweepProblem& problem, const Run& run) {
  const PrecisionPrior& prior = *run.precisions;
  std::vector<PrecisionGroup> out;
  if (problem.frame.options.rule.value_or(UpdateRule::vb) != UpdateRule::vb || prior.has_improper()) return out;
  const Partition& partition = prior.partition();
  for (Index g = 0; g < partition.num_groups(); ++g) {
    if (partition.group_size[static_cast<std::size_t>(g)] < 2) continue;
    PrecisionGroup& group = out.emplace_back();
    for (std::size_t j = 0; j < partition.group.size(); ++j)
      if (partition.group[j] == g) group.columns.push_back(run.outcome.columns.empty() ? static_cast<Index>(j) : run.outcome.columns[j]);
    group.shape = prior.shape()[g];
    group.prior_rate = prior.prior_rate()[g];
    group.precision = prior.expected()[g];
  }
  return out;
}

// The marginals of the coefficients, and of the intercept in the caller's units.
std::vector<TiltedParts> marginals_of(const SweepProblem& problem, const Run& run, Design& design, const Solution& out) {
  const Frame& frame = problem.frame;
  if (!has_tilts(problem, run, design.rows())) return {};
  const Index p = frame.num_columns(), q = design.cols();
  const bool intercept = frame.units.standardization.intercept;
  Matrix combinations = Matrix::Identity(q, p + (intercept ? 1 : 0));
  if (intercept) combinations.col(p) = frame.origin();
  if (out.factor.kind != CovarianceFactor::Kind::none)
    return tilted_marginals({problem.likelihood, design, run.q, out.factor, uncertain_groups(problem, run)}, combinations);
  CovarianceFactor factor = run.solver->factor();
  if (static_cast<Index>(run.outcome.columns.size()) < q) factor.columns = run.outcome.columns;
  return tilted_marginals({problem.likelihood, design, run.q, factor, uncertain_groups(problem, run)}, combinations);
}

// A standard deviation takes the precision as known, where an interval does not.                                                (SKEW.8)
void say_wide_marginals(Solution& out) {
  constexpr double wide = 1.25;  // times as wide
  Index count = 0;
  for (const TiltedParts& parts : out.marginals) {
    double mean = 0, square = 0;
    for (const TiltedPart& one : parts) {
      mean += one.weight * one.center;
      square += one.weight * (one.center * one.center + one.scale * one.scale);
    }
    if (parts.size() > 1 && square - mean * mean > wide * wide) ++count;
  }
  if (count > 0)
    out.report.notes.push_back(fmt::format(
        "the data hardly show how large the effects are: {} {} wider than the standard {}, which {} one precision as known", count,
        count == 1 ? "interval is" : "intervals are", count == 1 ? "deviation says" : "deviations say", count == 1 ? "takes" : "take"));
}

// Takes the posterior from the usable result of the sweeps.
void take_posterior(const SweepProblem& problem, Run& run, Design& design, Solution& out) {
  const Frame& frame = problem.frame;
  const Partition& partition = problem.prior.partition;
  SweepOutcome& outcome = run.outcome;
  Posterior& q = run.q;
  if (std::string warning = warning_of(run.conditioning, out.report.solver, frame.names); !warning.empty())
    out.report.warnings.push_back(std::move(warning));
  out.effective_parameters = std::max(q.explained, 0.0);                                     // rounding may make it negative
  out.quadratic = q.w.cwiseAbs2().dot(outcome.a) + outcome.rows.omega.dot(q.m.cwiseAbs2());  // w'V^-1 w = w'Aw + (Xw)' diag(omega) Xw
  out.num_in_use = run.precisions->partition().num_columns() - run.precisions->partition().num_left_out();
  spread_over_all(outcome, partition.num_columns(), q, outcome.a);
  judge_relevance({partition, outcome.a, q, problem.prior.kind, problem.likelihood.noise_precision(), outcome}, frame, out);
  out.noise = problem.likelihood.noise();
  out.own = problem.likelihood.own_parameters();
  out.report.bound += out.own.spread;  // (NB.5)
  for (double& bound : out.report.bound_history) bound += out.own.spread;
  keep_factor(frame.options, *run.solver, outcome, design.rows(), partition.num_columns(), out);
  out.marginals = marginals_of(problem, run, design, out);
  say_wide_marginals(out);
  if (frame.units.standardization.intercept) out.origin_variance = run.solver->variance_of(frame.origin()(outcome.columns));
  out.log_det_V = q.log_det_V;
  out.w = std::move(q.w);
  out.V_diagonal = std::move(q.V_diagonal);
  out.a = std::move(outcome.a);
  out.omega = std::move(outcome.rows.omega);
}

}  // namespace

Solution solve_by_sweeps(SweepProblem problem) {
  const Frame& frame = problem.frame;
  std::unique_ptr<Design> rows = frame.design();
  if (problem.proper_intercept) rows = with_row_of_means(std::move(rows), frame.k);
  Design& design = *rows;
  SolverChoice choice = choose_solver(frame.options, problem.likelihood.traits(), problem.prior.partition, frame.X.rows());
  if (!problem.no_posterior.empty()) return without_sweeps(problem, std::move(choice), design.rows());
  std::unique_ptr<Run> run = run_sweeps(problem, std::move(choice), {}, design);
  repeat_by_qr(problem, design, run);
  Solution out = begun(problem);
  const auto& [kind, reason] = run->choice;
  out.report.solver = kind;
  out.report.solver_reason = reason;
  report_sweeps(frame.options, run->outcome, run->usable, out);
  if (run->usable) report_draws(*run->solver, run->precision_error, out.report);
  if (out.report.sampled && share_of_few_rows(frame.rows) > 0)
    out.report.warnings.push_back(fmt::format(
        "with {:.10g} rows, the noise and the precision are uncertain, and solver iterative takes both as known: intervals are too "
        "narrow; another solver integrates them",
        frame.rows));  // (LIN.9)
  if (run->solver->kind() != kind) {
    out.report.solver = run->solver->kind();
    out.report.solver_reason = fmt::format("{} first ({}); later, fewer columns than rows were left", to_string(kind), reason);
  }
  out.usable = run->usable;
  if (out.usable) take_posterior(problem, *run, design, out);
  out.rows = {std::move(run->q.m), std::move(run->q.s)};
  return out;
}

}  // namespace ardvark::internal
