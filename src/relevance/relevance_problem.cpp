#include "relevance/relevance_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "core/special.hpp"
#include "design/centres.hpp"
#include "likelihood/intercept_row.hpp"
#include "relevance/evidence_gradient.hpp"
#include "target/target.hpp"

namespace ardvark::internal {

bool RelevanceProgress::step(double evidence) {
  if (!stopped_ && callback_ && !callback_({++steps_, evidence, seconds()})) stopped_ = true;
  return !stopped_;
}

GreedyLikelihood RelevanceProblem::likelihood() const {
  if (has_noise(task)) return GreedyLikelihood::gaussian;
  return options.likelihood == LogisticLikelihood::bound ? GreedyLikelihood::logistic_bound : GreedyLikelihood::bernoulli;
}

std::vector<Index> RelevanceProblem::candidates(const Kernel& kernel) const {
  if (options.centres != Centres::pivoted_cholesky) {
    std::vector<Index> all(rows.size());
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  std::vector<Index> picks = pivoted_cholesky_centres(kernel, points, options.num_centres, 1e-12);
  std::sort(picks.begin(), picks.end());
  return picks;
}

KernelDesign RelevanceProblem::design(const Kernel& kernel, const std::vector<Index>& at, double tolerance) const {
  const bool rows_move = !has_noise(task);  // change with each action
  KernelDesign columns(kernel, X, points(at, Eigen::all), true, KernelDesign::Keep::factors,
                       rows_move ? KernelDesign::Factoring::rough(static_cast<Index>(at.size()), tolerance) : KernelDesign::Factoring{});
  columns.standardize(k);
  return columns;
}

Matrix RelevanceProblem::columns(const Kernel& kernel, const std::vector<Index>& at) const {
  Matrix K(X.rows(), static_cast<Index>(at.size()));
  if (!at.empty()) kernel.evaluate(X, points(at, Eigen::all), K);
  return K;
}

GreedyOutcome RelevanceProblem::search_columns(KernelDesign& design, const MachineTarget& target, Effort effort) const {
  GreedySettings settings;
  settings.likelihood = likelihood();
  settings.weights = k;
  settings.free_columns = {design.cols() - 1};
  settings.max_actions = options.max_actions;
  if (has_hyper_priors(options)) {
    settings.precision = {options.precision.shape, options.precision.rate};
    if (has_noise(task)) settings.noise = {options.noise.shape, options.noise.rate};
  }
  settings.exchange = effort.exchange;
  settings.alike = true;
  settings.tolerance = effort.tolerance;
  settings.column_cost = effort.column_cost;
  settings.cost_at_once = effort.cost_at_once;
  if (options.on_sweep) settings.on_action = [this](int, double evidence) { return progress.step(evidence); };
  return greedy(design, target.t, settings);
}

// Laplace's approximation to the integral over ln a of a column that the data determine: the curvature at the maximum is 1/2. The prior of
// ln a is flat from 1e-6 to 1e6: the standard deviation of the weight is a thousandth to a thousand times that of the target.       (RVM.1)
double precision_cost() { return std::log(12 * std::numbers::ln10 / std::sqrt(4 * std::numbers::pi)); }

// Below 1e-6 this prior falls with the precision.                                                                            (RVM.1)
double precision_cost(const Vector& precision) {
  double sum = 0;
  for (const double a : precision) sum += precision_cost() + std::max(std::log(1e-6 / a), 0.0);
  return sum;
}

// The bias had the precision alpha. Here its prior is flat, with density 1 in the user's units.                                 (RVM.1)
double RelevanceProblem::log_evidence(const GreedyOutcome& outcome, const MachineTarget& target, Effort effort) const {
  const Index bias = outcome.alpha.size() - 1;
  const double flat = 0.5 * (ln_2pi - std::log(outcome.alpha[bias]));
  const double found =
      precision_cost(outcome.alpha.head(bias)) - effort.column_cost * static_cast<double>(bias);  // the objective contains this cost
  return outcome.objective + flat - found + (has_noise(task) ? (1 - k.sum()) * std::log(target.scale) : 0.0);
}

// For classes: the log prior of the bias that was found with a flat prior (ln 1).                                     (SP.20), (RVM.5)
double RelevanceProblem::log_prior_of_bias(const GreedyOutcome& outcome) const {
  if (has_noise(task)) return 0;
  const Index bias = outcome.alpha.size() - 1;
  const double m = outcome.w[bias], s = outcome.V(bias, bias);
  return likelihood() == GreedyLikelihood::logistic_bound ? intercept_row_of_bound(m * m + s).log_prior : intercept_row(m, s).log_prior;
}

KernelEvaluation RelevanceProblem::evaluate(const Kernel& kernel) const {
  return evaluate(kernel, {.exchange = false, .cost_at_once = true, .tolerance = 1e-3});
}

KernelEvaluation RelevanceProblem::evaluate_closer(const Kernel& kernel) const {
  KernelEvaluation late = evaluate(kernel, Effort{}), at_once = evaluate(kernel, {.cost_at_once = true});
  return late.log_evidence > at_once.log_evidence ? late : at_once;
}

KernelEvaluation RelevanceProblem::evaluate(const Kernel& kernel, Effort effort) const {
  const std::vector<Index> at = candidates(kernel);
  KernelDesign basis = design(kernel, at, effort.tolerance);
  KernelEvaluation out;
  out.log_evidence = 0;
  std::set<Index> vectors;
  for (const MachineTarget& target : targets) {
    const GreedyOutcome outcome = search_columns(basis, target, effort);
    if (outcome.alpha.size() == 0) return {};  // there is not even the bias: columns of the kernel are not finite
    out.log_evidence += log_evidence(outcome, target, effort) + log_prior_of_bias(outcome);
    std::vector<Index>& support = out.support.emplace_back();
    for (Index column : outcome.columns)
      if (column < static_cast<Index>(at.size())) support.push_back(at[static_cast<std::size_t>(column)]);
    vectors.insert(support.begin(), support.end());
    if (progress.stopped()) break;
  }
  out.num_vectors = static_cast<Index>(vectors.size());
  out.stopped = progress.stopped();
  return out;
}

KernelSlope RelevanceProblem::evaluate_on(const Kernel& kernel, const KernelSupport& support) const {
  KernelSlope out{0, Vector::Zero(kernel.num_parameters()), false};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Effort effort = {.exchange = false};
    KernelDesign basis = design(kernel, support[i], effort.tolerance);
    const GreedyOutcome outcome = search_columns(basis, targets[i], effort);
    if (outcome.alpha.size() == 0) return {-std::numeric_limits<double>::infinity(), out.gradient, false};
    out.log_evidence += log_evidence(outcome, targets[i], effort);
    const Matrix D = column_gradient(basis, targets[i].t, likelihood(), outcome, ColumnLength::fixed, k);
    out.gradient +=
        kernel_gradient(kernel, X, points(support[i], Eigen::all), basis.standardization().scale, outcome.columns, D);  // (RVM.5c)
  }
  out.stopped = progress.stopped();
  return out;
}

RelevanceProblem RelevanceProblem::part(const std::vector<Index>& some_rows) const {
  const std::set<Index> chosen(some_rows.begin(), some_rows.end());
  std::vector<Index> kept;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < 0 || chosen.contains(row_of[static_cast<std::size_t>(rows[i])])) kept.push_back(static_cast<Index>(i));
  RelevanceProblem out{task, options, progress, X(some_rows, Eigen::all), k(some_rows), points(kept, Eigen::all), {}, {}};
  for (Index i : kept) out.rows.push_back(rows[static_cast<std::size_t>(i)]);
  for (const MachineTarget& target : targets)
    out.targets.push_back({target.y(some_rows), target.t(some_rows), target.center, target.scale, target.classes});
  return out;
}

}  // namespace ardvark::internal
