#include "method/greedy/greedy_preset.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/eigen_solvers.hpp"
#include "core/stopwatch.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// V of the columns in the model, zero elsewhere, as a factor (RIDGE.7): these columns are flat, the others have the variance zero.
CovarianceFactor factor_of(const GreedyOutcome& outcome, Index p) {
  const auto k = static_cast<Index>(outcome.columns.size());
  CovarianceFactor factor;
  factor.kind = CovarianceFactor::Kind::reduced;
  factor.d = Vector::Zero(p);
  factor.T.resize(0, p);
  factor.B = Matrix::Zero(k, p);
  factor.R = outcome.V.llt().matrixU();
  factor.flat_columns = outcome.columns;
  return factor;
}

}  // namespace

Solution solution_of(const GreedyOutcome& outcome, const Frame& frame, const std::vector<Index>& free) {
  const Index p = frame.num_columns(), q = p + (frame.units.standardization.intercept ? 1 : 0);
  Solution out;
  out.prior = PriorKind::ard;
  out.posterior = LinearPosterior::factorised;
  out.flat = free;
  out.group.resize(static_cast<std::size_t>(p));
  std::iota(out.group.begin(), out.group.end(), Index{0});
  for (Index j : free)
    if (j < p) out.group[static_cast<std::size_t>(j)] = Partition::flat;
  out.precision = Vector::Constant(p, std::numeric_limits<double>::infinity());  // pruned
  out.relevance = Vector::Zero(p);
  out.relevant.assign(static_cast<std::size_t>(p), false);
  out.w = out.V_diagonal = Vector::Zero(q);
  for (Index i = 0; i < outcome.w.size(); ++i) {
    const Index j = outcome.columns[static_cast<std::size_t>(i)];
    out.w[j] = outcome.w[i];
    out.V_diagonal[j] = outcome.V(i, i);
    if (j == p) continue;
    out.precision[j] = outcome.alpha[i];
    out.relevance[j] = outcome.well_determined[i];
    out.relevant[static_cast<std::size_t>(j)] = true;
  }
  out.effective_parameters = outcome.well_determined.sum();
  out.factor = factor_of(outcome, q);
  const Matrix& R = out.factor.R;
  out.log_det_V = 2 * R.diagonal().array().log().sum();
  out.num_in_use = outcome.w.size();
  if (q > p) out.origin_variance = (R * frame.origin()(outcome.columns)).squaredNorm();
  out.quadratic = R.transpose().triangularView<Eigen::Lower>().solve(outcome.w).squaredNorm();
  out.rows.m = outcome.m;
  if (has_noise(frame.task)) {
    // The evidence treats the noise precision as known. As a distribution, it has this mean; its degrees of freedom are the rows minus the
    // effective parameters.                                                                                            (GREEDY.8)
    out.noise.shape = 0.5 * std::max(frame.rows - out.effective_parameters, 1.0);
    out.noise.rate = out.noise.shape / outcome.noise_precision;
  } else {
    out.rows.s.resize(frame.X.rows());
    out.factor.row_variance(*frame.design(), out.rows.s);
  }
  Report& report = out.report;
  report.status = outcome.status;
  report.message = outcome.message;
  report.sweeps = outcome.num_added + outcome.num_reestimated + outcome.num_deleted + outcome.num_exchanged;
  report.solver = SolverKind::greedy;
  report.solver_reason = "one column at a time";
  report.bound = outcome.log_evidence;
  report.bound_history = outcome.evidence_trace;
  for (double& bound : report.bound_history) bound += outcome.log_evidence - outcome.objective;  // cost and penalty at the end
  if (!report.bound_history.empty()) report.bound_history.back() = report.bound;                 // to the last digit
  return out;
}

Solution solve_greedily(const Frame& frame) {
  const FitOptions& options = frame.options;
  const Stopwatch watch;
  GreedySettings settings;
  settings.likelihood = has_noise(frame.task) ? GreedyLikelihood::gaussian : GreedyLikelihood::bernoulli;
  settings.free_columns = options.prior.flat_columns;
  settings.max_actions = options.max_sweeps;
  if (options.tolerance) settings.tolerance = std::max(*options.tolerance, 1e-12);
  if (options.on_sweep)
    settings.on_action = [&](int actions, double evidence) { return options.on_sweep({actions, evidence, watch.seconds()}); };
  Solution out = solution_of(greedy(*frame.design(), frame.target, settings), frame, settings.free_columns);
  if (options.compat)
    out.report.notes.emplace_back(
        "the only difference from the published program is that it stops a little below the maximum that is reached here; compat changes "
        "nothing");
  return out;
}

}  // namespace ardvark::internal
