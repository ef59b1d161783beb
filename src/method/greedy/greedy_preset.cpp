#include "method/greedy/greedy_preset.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stopwatch.hpp"
#include "design/dense.hpp"
#include "frame/describe.hpp"
#include "frame/user_units.hpp"

namespace ardvark {
namespace {

// V of the columns in the model, zero elsewhere, as a factor: what RIDGE.7 says of flat columns beside columns without variance.
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

void describe_greedy(const GreedyOutcome& outcome, Design& design, const std::vector<Index>& free, const Vector& y, const Vector& k,
                     std::shared_ptr<detail::FitState> state, Fit& fit) {
  const Index q = design.cols(), p = q - (state->standardization.intercept ? 1 : 0), n = design.rows();
  const auto entries = static_cast<std::size_t>(p);
  fit.prior = PriorKind::ard;
  fit.posterior = LinearPosterior::factorised;
  fit.num_rows = k.sum();
  fit.mean = fit.variance = fit.V_diagonal = fit.relevance = Vector::Zero(p);
  fit.precision = Vector::Constant(p, std::numeric_limits<double>::infinity());  // pruned
  fit.group.resize(entries);
  for (std::size_t j = 0; j < entries; ++j) fit.group[j] = static_cast<Index>(j);
  fit.relevant.assign(entries, false);
  fit.left_out.assign(entries, false);
  for (Index j : free)
    if (j < p) fit.group[static_cast<std::size_t>(j)] = -1;
  Posterior posterior;
  posterior.w = posterior.V_diagonal = Vector::Zero(q);
  for (Index i = 0; i < outcome.w.size(); ++i) {
    const Index j = outcome.columns[static_cast<std::size_t>(i)];
    posterior.w[j] = outcome.w[i];
    posterior.V_diagonal[j] = outcome.V(i, i);
    if (j == p) continue;
    fit.precision[j] = outcome.alpha[i];
    fit.relevance[j] = outcome.well_determined[i];
    fit.relevant[static_cast<std::size_t>(j)] = true;
  }
  fit.effective_parameters = outcome.well_determined.sum();
  fit.report.status = outcome.status;
  fit.report.message = outcome.message;
  fit.report.sweeps = outcome.num_added + outcome.num_reestimated + outcome.num_deleted + outcome.num_exchanged;
  fit.report.solver = SolverKind::greedy;
  fit.report.solver_reason = "one column at a time";
  state->w = fit.standardized_mean = posterior.w;
  state->factor = factor_of(outcome, q);
  const Matrix& R = state->factor.R;
  posterior.log_det_V = 2 * R.diagonal().array().log().sum();
  state->quadratic = R.transpose().triangularView<Eigen::Lower>().solve(outcome.w).squaredNorm();
  if (fit.task == Task::linear) {
    // The evidence takes the noise precision as known. As a distribution: the mean is that value, and the rows that the columns have not
    // used up are its degrees of freedom.                                                                              (GREEDY.8)
    fit.noise.shape = 0.5 * std::max(fit.num_rows - fit.effective_parameters, 1.0);
    fit.noise.rate = fit.noise.shape / outcome.noise_precision * state->y_scale * state->y_scale;
    // About the mean where there is an intercept, about zero otherwise; a column without a prior need not be constant.
    const double mean = state->standardization.intercept ? k.dot(y) / fit.num_rows : 0.0;
    const double around = k.dot((y.array() - mean).square().matrix());
    fit.r_squared = around > 0 ? 1 - k.dot((y - outcome.m).cwiseAbs2()) / around : 0.0;
  } else {
    Vector s(n);
    state->factor.row_variance(design, s);
    describe_classes(y, k, outcome.m, s, fit);
  }
  // x = 0 of the user as a row of the design.
  const auto variance_of = [&](const Vector& x) { return (R * x(outcome.columns)).squaredNorm(); };
  const double units = bound_offset(free, *state, fit.task, fit.num_rows);
  to_user_units(posterior, outcome.w.size(), variance_of, *state, fit);
  fit.bound = fit.report.bound = outcome.log_evidence + units;
  fit.report.bound_history = outcome.evidence_trace;
  for (double& bound : fit.report.bound_history) bound += units;
  fit.state = std::move(state);
}

void fit_greedy_preset(MatrixView X, const Vector& y, const FitOptions& options, Fit& fit) {
  fit.report.preset = options.preset;
  fit.report.compat = options.compat;
  fit.column_names = complete_names(options, X.cols());
  const Stopwatch watch;
  GreedySettings settings;
  settings.likelihood = fit.task == Task::linear ? GreedyLikelihood::gaussian : GreedyLikelihood::bernoulli;
  settings.free_columns = options.prior.flat_columns;
  settings.max_actions = options.max_sweeps;
  if (options.tolerance) settings.tolerance = std::max(*options.tolerance, 1e-12);
  if (options.on_sweep)
    settings.on_action = [&](int actions, double evidence) { return options.on_sweep({actions, evidence, watch.seconds()}); };
  DenseDesign design(X, {});
  const GreedyOutcome outcome = greedy(design, y, settings);
  describe_greedy(outcome, design, settings.free_columns, y, Vector::Ones(y.size()), std::make_shared<detail::FitState>(), fit);
  if (options.compat)
    fit.report.notes.push_back(
        "the published program stops a little below the maximum that is reached here; there is nothing else to be compatible with");
}

}  // namespace ardvark
