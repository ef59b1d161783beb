#include "method/softmax/softmax_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/blas.hpp"
#include "core/validate.hpp"
#include "frame/conditioning.hpp"
#include "frame/prepare.hpp"
#include "preset/preset.hpp"

namespace ardvark::internal {

Index num_starts(const SoftmaxOptions& options, Index C) {
  if (options.coding == ClassCoding::one_against_one) return C * (C - 1) / 2;
  return options.coding == ClassCoding::one_against_rest || options.precision_per_class ? C : 1;
}

namespace {

// The prior of one class repeated for all classes: each class has its own groups, or the classes share them.
PrecisionPrior prior_of(const SoftmaxOptions& options, const PreparedPrior& one, Index C) {
  const Partition& p = one.partition;
  const Index q = p.num_columns(), G = p.num_groups();
  const bool own = options.precision_per_class;
  Partition all;
  if (p.has_fixed()) all.fixed_precision.resize(q * C);
  all.group_size.assign(static_cast<std::size_t>(own ? G * C : G), 0);
  for (Index c = 0; c < C; ++c)
    for (Index j = 0; j < q; ++j) {
      Index g = p.group[static_cast<std::size_t>(j)];
      if (g >= 0 && own) g += c * G;
      if (g >= 0) ++all.group_size[static_cast<std::size_t>(g)];
      if (g == Partition::flat) all.flat_columns.push_back(c * q + j);
      all.group.push_back(g);
      if (p.has_fixed()) all.fixed_precision[c * q + j] = p.fixed_precision[j];
    }
  const Index repeat = own ? C : 1;
  return {std::move(all), one.shape.replicate(repeat, 1), one.rate.replicate(repeat, 1), options.rule.value_or(UpdateRule::mackay)};
}

ClassSettings settings_of(const SoftmaxOptions& options, double rows, Index p, Index num_flat) {
  ClassSettings s;
  s.num_rows = rows;
  s.max_sweeps = options.max_sweeps;
  s.tolerance = options.tolerance.value_or(options.preset.empty() && static_cast<double>(p) > rows ? 1e-6 : 1e-8);
  s.all_sweeps = options.compat;
  s.mode_tolerance = options.compat ? 1e-20 : 1e-16;
  s.may_separate = num_flat > (options.intercept ? 1 : 0);
  s.pruning = options.pruning;
  s.solver = 2 * static_cast<double>(num_flat) >= rows ? SolverKind::primal : options.solver;
  s.on_sweep = options.on_sweep;
  s.record_every = options.record_every;
  return s;
}

// ---- the result, in the user's units --------------------------------------------------------------------------------------------------

// If the classes share a precision, only the prior determines the mean of a column's C weights, with variance 1/(a C). The reported weights
// are centred over the classes.                                                                                                (SMX.11)
struct Spread {
  double variance, determined;
};

struct Run {
  const SoftmaxOptions& options;
  Index p, q, num_classes;  // columns of X and of the design
  ClassOutcome& outcome;
  Vector centred;  // variances of the centred weights; empty if each class has its own precisions

  [[nodiscard]] Spread spread(Index weight) const {
    const double a = outcome.a[weight], V = outcome.V[weight], C = static_cast<double>(num_classes);
    if (centred.size() == 0 || a == 0) return {V, std::clamp(1 - a * V, 0.0, 1.0)};
    return {centred[weight], std::clamp(1 - a * centred[weight] * C / (C - 1), 0.0, 1.0)};
  }
};

void to_user_units(const Run& run, SoftmaxFit& fit, SoftmaxState& state) {
  const ClassOutcome& o = run.outcome;
  const Standardization& s = state.standardization;
  const Index p = run.p, q = run.q, C = fit.num_classes();
  const auto scale = [&](Index j) { return s.scale.size() > 0 ? s.scale[j] : 1.0; };
  state.W = Matrix::Zero(q, C);
  fit.mean = fit.variance = fit.relevance = Matrix::Zero(p, C);
  for (std::size_t i = 0; i < o.weights.size(); ++i) {
    const Index j = o.weights[i] % q, c = o.weights[i] / q, at = static_cast<Index>(i);
    state.W(j, c) = o.w[at];
    if (j == p) continue;
    fit.mean(j, c) = scale(j) * o.w[at];
    const Spread spread = run.spread(at);
    fit.variance(j, c) = scale(j) * scale(j) * spread.variance;
    fit.relevance(j, c) = spread.determined;
  }
  fit.standardized_mean = state.W;
  if (!s.intercept) return;
  fit.intercept = state.W.row(p);
  if (s.center.size() > 0)
    for (Index j = 0; j < p; ++j) fit.intercept -= s.center[j] * fit.mean.row(j).transpose();
  if (!run.options.penalize_intercept) fit.intercept.array() -= fit.intercept.mean();
}

// A group is kept if its weights are larger than its prior would make them from noise, as in (OPT.3). With pruning, the remaining groups
// are kept.
void judge_relevance(const Run& run, const PrecisionPrior& prior, SoftmaxFit& fit) {
  const ClassOutcome& o = run.outcome;
  const Index p = run.p;
  const auto& group = prior.partition().group;
  const bool judged = !run.options.pruning.is_on() && (fit.prior == PriorKind::ard || fit.prior == PriorKind::groups);
  std::vector<double> evidence(prior.partition().group_size.size(), 0.0);
  std::vector<double> degrees(evidence.size(), 0.0);
  for (std::size_t i = 0; i < o.weights.size(); ++i) {
    const Index g = group[static_cast<std::size_t>(o.weights[i])], at = static_cast<Index>(i);
    if (g < 0) continue;
    const Spread spread = run.spread(at);
    evidence[static_cast<std::size_t>(g)] += o.w[at] * o.w[at] / (spread.variance * std::max(spread.determined, 1e-12));
    degrees[static_cast<std::size_t>(g)] += 1;
  }
  fit.relevant.assign(static_cast<std::size_t>(p), false);
  for (std::size_t i = 0; i < o.weights.size(); ++i) {
    const Index j = o.weights[i] % run.q, g = group[static_cast<std::size_t>(o.weights[i])];
    if (j == p) continue;
    const bool leaves = g >= 0 && o.pruned[static_cast<std::size_t>(g)];
    const bool kept = !leaves && (!judged || g < 0 || evidence[static_cast<std::size_t>(g)] > 2 * degrees[static_cast<std::size_t>(g)]);
    if (kept) fit.relevant[static_cast<std::size_t>(j)] = true;
  }
}

// With compat: the precisions after the last update, as in the published program. Otherwise: those inside V.
void set_precisions(const Run& run, const PrecisionPrior& prior, SoftmaxFit& fit) {
  const ClassOutcome& o = run.outcome;
  const Index rows = run.options.penalize_intercept ? run.q : run.p, C = fit.num_classes();
  fit.precision = Matrix::Zero(rows, C);
  for (Index c = 0; c < C; ++c)
    for (Index j = 0; j < rows; ++j) {
      const auto i = static_cast<std::size_t>(c * run.q + j);
      const Index g = prior.partition().group[i];
      if (g >= 0)
        fit.precision(j, c) =
            o.pruned[static_cast<std::size_t>(g)] && !run.options.compat ? std::numeric_limits<double>::infinity() : o.expected[g];
      else if (g == Partition::fixed)
        fit.precision(j, c) = prior.partition().fixed_precision[static_cast<Index>(i)];
    }
  if (run.options.compat) return;
  for (std::size_t i = 0; i < o.weights.size(); ++i) {
    const Index j = o.weights[i] % run.q;
    if (j < rows && std::isfinite(fit.precision(j, o.weights[i] / run.q)))
      fit.precision(j, o.weights[i] / run.q) = o.a[static_cast<Index>(i)];
  }
}

// V in the form that predictions need. A large V is kept only if asked for. The variances of the intercepts come from it.
void set_covariance(const Run& run, SoftmaxFit& fit, SoftmaxState& state) {
  const ClassOutcome& o = run.outcome;
  if (o.solver == nullptr) {  // all columns are left out and there is no intercept: scores are exactly 0
    state.covariance.kind = ClassCovariance::Kind::triangular;
    state.covariance.num_classes = fit.num_classes();
    return;
  }
  const auto P = static_cast<double>(o.weights.size());
  const double inner = o.solver->kind() == SolverKind::primal ? P : 2 * static_cast<double>(o.scores.rows()), megabytes = inner * P * 8e-6;
  if (megabytes > 256 && run.options.keep_covariance != Keep::always) {
    fit.report.warnings.push_back(
        fmt::format("the covariance ({:.0f} MB) was not kept: log loss is that of the mean weights, and predictions can only plug them in; "
                    "keep_covariance = always keeps it",
                    megabytes));
    fit.intercept_variance = Vector::Constant(fit.intercept.size(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  state.covariance = o.solver->covariance();
  if (fit.intercept.size() == 0) return;
  const Matrix origin = Matrix::Zero(1, run.p);
  state.covariance.score_covariances(*table_design(origin, state.standardization), [&](Index, const Matrix& S) {
    fit.intercept_variance = S.diagonal();
    if (!run.options.penalize_intercept)
      fit.intercept_variance = S.diagonal().array() - 2 * S.rowwise().mean().array() + S.mean();  // variances of the centred intercepts
  });
  fit.intercept_variance = fit.intercept_variance.cwiseMax(0.0);
}

}  // namespace

SoftmaxModel::SoftmaxModel(Frame given, const SoftmaxOptions& all, SoftmaxFit& fit)
    : options(all),
      frame(std::move(given)),
      one(prepare_prior(options, frame.num_columns(), frame.left_out)),
      rows(frame.design()),
      proper(has_proper_intercept(options, one.partition.flat_columns)),
      prior(prior_of(options, one, fit.num_classes())) {
  const Index C = fit.num_classes();
  fit.left_out = frame.left_out;
  fit.prior = one.kind;
  Report& report = fit.report;
  report.notes.insert(report.notes.end(), frame.notes.begin(), frame.notes.end());
  report.warnings.insert(report.warnings.end(), frame.warnings.begin(), frame.warnings.end());
  warn_of_flat_columns(*rows, one.partition.flat_columns, frame.k, options.column_names, report.warnings);
  if (!options.start_precision.empty())
    prior.set_expected(start_of(options, prior.partition(), num_starts(options, C), rows->cols(), prior.expected()));
}

ClassSettings SoftmaxModel::settings() const { return settings_of(options, frame.rows, frame.num_columns(), one.partition.num_flat()); }

std::shared_ptr<SoftmaxState> SoftmaxModel::finish(ClassOutcome o, SoftmaxFit& fit) const {
  const Index p = frame.num_columns(), C = fit.num_classes();
  Run run{options, p, rows->cols(), C, o, {}};
  auto state = std::make_shared<SoftmaxState>();
  state->standardization = frame.user_units().standardization;
  Report& report = fit.report;
  report.status = o.status;
  report.message = o.message;
  report.sweeps = o.sweeps;
  report.bound_history = std::move(o.bound_history);
  fit.precision_history = std::move(o.history);
  report.pruning = std::move(o.pruning);
  if (o.solver != nullptr) report.solver = o.solver->kind();
  report.solver_reason = options.solver == SolverKind::automatic ? "the cheaper one for the weights that are left" : "as requested";
  // The flat density is 1 in the units of X, for the C - 1 directions of each flat column.                                      (LIN.5)
  double offset = 0;
  for (const Index j : one.partition.flat_columns)
    if (state->standardization.scale.size() > j) offset += static_cast<double>(C - 1) * std::log(state->standardization.scale[j]);
  for (double& bound : report.bound_history) bound += offset;
  report.bound = fit.bound = o.bound + offset;
  fit.log_det_V = o.log_det_V;
  if (report.status == Status::not_positive_definite || o.w.size() == 0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    fit.mean = fit.variance = fit.relevance = fit.precision = Matrix::Constant(p, C, nan);
    for (const Index j : one.partition.flat_columns)
      if (j < p) fit.precision.row(j).setZero();
    fit.relevant.assign(static_cast<std::size_t>(p), false);
    fit.standardized_mean = Matrix::Constant(p + (options.intercept ? 1 : 0), C, nan);  // pruned weights are named by their position in it
    return nullptr;
  }
  if (o.solver != nullptr && !options.precision_per_class) run.centred = o.solver->centred_variances(o.V);
  fit.effective_parameters = std::max(o.explained, 0.0);  // rounding can make it negative
  to_user_units(run, fit, *state);
  if (report.status == Status::separated) {
    const double infinity = std::numeric_limits<double>::infinity();
    fit.variance = (fit.variance.array() > 0).select(infinity, fit.variance);
    fit.intercept_variance = Vector::Constant(fit.intercept.size(), infinity);
  }
  judge_relevance(run, prior, fit);
  set_precisions(run, prior, fit);
  if (report.status != Status::separated) set_covariance(run, fit, *state);
  fit.state = state;
  return state;
}

}  // namespace ardvark::internal
