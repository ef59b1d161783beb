// fit_softmax: validate, prepare, sweep, and convert the result to the user's units.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "design/with_row.hpp"
#include "fit/prior_choice.hpp"
#include "fit/softmax_machines.hpp"
#include "fit/softmax_model.hpp"
#include "frame/conditioning.hpp"
#include "frame/frame.hpp"
#include "frame/prepare.hpp"
#include "method/softmax/softmax.hpp"
#include "method/spike_slab/sparse.hpp"
#include "posterior/softmax_state.hpp"
#include "predict/softmax.hpp"
#include "preset/preset.hpp"

namespace ardvark::internal {

// ---- options ----------------------------------------------------------------------------------------------------------------------------

void validate_options(const SoftmaxOptions& options, Index p) {
  const GammaDistribution& h = options.precision;
  if (!(h.shape == 0 && h.rate == 0 && (options.rule.value_or(UpdateRule::mackay) == UpdateRule::mackay || options.pruning.is_on())))
    validate::gamma(h, "a0 (precision.shape)", "b0 (precision.rate)");
  if (options.compat && options.preset.empty()) throw InvalidArgument("compat reproduces a published program; it needs a preset");
  if (!options.preset.empty() && !preset_facts(options.preset).coding)
    throw InvalidArgument(fmt::format("preset '{}' is not for several classes", options.preset));
  if (options.compat && !options.weights.empty())
    throw InvalidArgument(
        fmt::format("weights cannot be used with preset '{}' and compat; the published program has none", options.preset));
  if (options.max_sweeps < 1) throw InvalidArgument(fmt::format("max_sweeps is {}; it must be at least 1", options.max_sweeps));
  if (options.tolerance && !(*options.tolerance >= 0 && std::isfinite(*options.tolerance)))
    throw InvalidArgument(fmt::format("tolerance is {}; it must be 0 or more", *options.tolerance));
  if (!(options.pruning.threshold >= 0))
    throw InvalidArgument(fmt::format("pruning.threshold is {}; it must be 0 or more", options.pruning.threshold));
  if (options.pruning.readmit_every < 0)
    throw InvalidArgument(fmt::format("pruning.readmit_every is {}; it must be 0 or more", options.pruning.readmit_every));
  if (options.penalize_intercept && !options.intercept) throw InvalidArgument("penalize_intercept needs intercept");
  if (options.record_every < 0) throw InvalidArgument(fmt::format("record_every is {}; it must be 0 or more", options.record_every));
  if (options.threads < 0)
    throw InvalidArgument(fmt::format("threads is {}; it must be 0 (the caller's setting) or more", options.threads));
  if (!options.column_names.empty() && static_cast<Index>(options.column_names.size()) != p)
    throw InvalidArgument(fmt::format("column_names has {} entries; it must have one per column of X: {}", options.column_names.size(), p));
  if (options.coding != ClassCoding::softmax) return;  // fit_logistic validates the rest
  if (is_sparse(options.prior.kind) || options.prior.kind == PriorKind::laplace)
    throw InvalidArgument(fmt::format(
        "prior '{}' applies only to two classes; for several, use shared or ard (--prior ard), or a regression for each class (--coding "
        "one-against-rest)",
        to_string(options.prior.kind)));
  if (options.rule == UpdateRule::laplace) throw InvalidArgument("rule laplace applies only to two classes: use fit_logistic");
  if (options.likelihood == LogisticLikelihood::bound)
    throw InvalidArgument("likelihood 'bound' applies only to two classes: use fit_logistic, or one_against_rest");
  if (options.solver != SolverKind::automatic && options.solver != SolverKind::primal && options.solver != SolverKind::dual)
    throw InvalidArgument(fmt::format("solver '{}' cannot be used with several classes; use primal or dual", to_string(options.solver)));
}

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

  [[nodiscard]] Spread spread(Index weight) const {
    const double a = outcome.a[weight], V = outcome.V[weight], C = static_cast<double>(num_classes);
    if (options.precision_per_class || a == 0) return {V, std::clamp(1 - a * V, 0.0, 1.0)};
    const double centred = std::max(V - 1 / (a * C), 1e-16 * V);
    return {centred, std::clamp(1 - a * centred * C / (C - 1), 0.0, 1.0)};
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

void fit_one_model(MatrixView X, const Classes& classes, const SoftmaxOptions& options, SoftmaxFit& fit) {
  const blas::ThreadScope threads(options.threads);
  SoftmaxModel model(frame_of_columns(X, options), options, fit);
  const Vector& k = model.frame.k;
  if (model.proper) model.rows = with_row_of_means(std::move(model.rows), k);
  const SoftmaxLaplace likelihood(classes.number, k, fit.num_classes(), model.proper ? LastRow::intercept : LastRow::observation);
  const auto state = model.finish(sweep_classes(*model.rows, likelihood, model.prior, model.settings()), fit);
  if (state == nullptr) return;
  // Describe the training rows while the covariance is still there.
  describe_classes(
      classes.number, k,
      training_probabilities(fit, X, state->covariance.kind == ClassCovariance::Kind::none ? ClassRule::plug_in : ClassRule::automatic,
                             classes.number),
      fit);
  if (options.keep_covariance == Keep::never) state->covariance = {};
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
  const Run run{options, p, rows->cols(), C, o};
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

void warn_of_classes(const SoftmaxOptions& options, SoftmaxFit& fit) {
  const auto columns = static_cast<double>(fit.num_columns());
  if (fit.report.status == Status::separated && fit.coding == ClassCoding::softmax)
    fit.report.warnings.emplace_back(
        "the classes can be separated: the weights grow without limit and are those of the last step; they have no variance, and "
        "predictions plug them in; give the columns a prior (--prior shared)");
  else if (options.preset.empty() && fit.prior != PriorKind::shared && fit.accuracy == 1 && fit.num_rows < 5 * columns)
    fit.report.warnings.push_back(fmt::format(
        "all {:.10g} rows are classified correctly with {} columns under this prior: probabilities and intervals are far too confident; "
        "use the shared prior (--prior shared)",
        fit.num_rows, fit.num_columns()));
  else if (fit.accuracy == 1 && fit.report.status == Status::converged)
    fit.report.notes.emplace_back(
        "all rows are classified correctly: the classes can be separated, and only the prior limits the coefficients");
  else if (fit.accuracy == 1 && fit.report.status == Status::max_sweeps && !options.compat && fit.coding == ClassCoding::softmax)
    fit.report.warnings.emplace_back(
        "all rows are classified correctly: the classes can be separated, and so far this prior does not limit the coefficients; they, "
        "their intervals and the log evidence are those of the last sweep");
}

void describe_classes(const std::vector<Index>& label, const Vector& k, const ClassProbabilities& p, SoftmaxFit& fit) {
  double correct = 0, loss = 0;
  for (Index n = 0; n < k.size(); ++n) {
    const Index own = label[static_cast<std::size_t>(n)];
    if (p.most_probable[static_cast<std::size_t>(n)] == own) correct += k[n];
    if (k[n] > 0) loss -= k[n] * std::log(std::max(p.probability(n, own), std::numeric_limits<double>::min()));
  }
  fit.accuracy = std::min(correct / k.sum(), 1.0);
  fit.log_loss = loss / k.sum();
}

// A softmax has neither a sparse nor a Laplace prior. With many classes and few rows, it takes more time than a regression for each class
// and predicts worse.
ClassCoding coding_of(const SoftmaxOptions& options, Index num_classes, Index num_rows, Index num_columns) {
  if (options.coding) return *options.coding;
  constexpr Index many_classes = 8, few_rows = 2;  // rows per weight
  const bool is_wide = num_classes >= many_classes && num_rows <= few_rows * num_columns * num_classes;
  const bool may_choose =
      options.prior.kind == PriorKind::automatic && !options.precision_per_class && foreign_to_sparse(options, Task::logistic).empty();
  const bool of_regressions = is_sparse(options.prior.kind) || options.prior.kind == PriorKind::laplace;
  return of_regressions || (is_wide && may_choose) ? ClassCoding::one_against_rest : ClassCoding::softmax;
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

SoftmaxFit fit_softmax(MatrixView X, VectorView labels, const SoftmaxOptions& given) {
  validate::matrix(X, "X", given.column_names);
  validate::vector(labels, X.rows(), "labels");
  validate::weights(given.weights, X.rows());
  const Classes classes = read_classes(labels, {}, given.class_names);
  const Index C = classes.size();
  SoftmaxOptions options = given;
  options.coding = coding_of(given, C, X.rows(), X.cols());
  validate_options(options, X.cols());
  const Stopwatch watch;
  pulse("preparing");
  const Vector k = weights_or_ones(options.weights, X.rows());
  validate_start(options, X.cols(), num_starts(options, C));

  SoftmaxFit fit;
  fit.coding = *options.coding;
  fit.classes = classes.names;
  fit.column_names = complete_names(options.column_names, X.cols());
  fit.num_rows = k.sum();
  fit.report.preset = options.preset;
  fit.report.compat = options.compat;
  fit.class_weight = Vector::Zero(fit.num_classes());
  for (Index n = 0; n < k.size(); ++n) fit.class_weight[classes.number[static_cast<std::size_t>(n)]] += k[n];
  for (Index c = 0; c < fit.num_classes(); ++c)
    if (!(fit.class_weight[c] > 0)) throw InvalidArgument(fmt::format("all rows of class '{}' have weight zero", classes.name(c)));
  if (!given.coding && options.coding != ClassCoding::softmax && options.prior.kind == PriorKind::automatic)
    fit.report.notes.push_back(fmt::format(
        "each of {} classes has a regression against the rest: there are at most as many rows as twice the columns times the classes, "
        "where a softmax predicts worse (--coding softmax)",
        C));
  if (options.coding == ClassCoding::softmax) {
    SoftmaxOptions chosen = options;
    PriorChoice choice = choose_prior(options.prior.kind, "a softmax of several classes has no sparse prior", fit.num_rows, X.cols());
    chosen.prior.kind = choice.kind;
    if (!choice.note.empty()) fit.report.notes.push_back(std::move(choice.note));
    fit_one_model(X, classes, chosen, fit);
  } else {
    fit_machines(X, classes.number, k, options, fit);
  }
  warn_of_classes(options, fit);
  fit.report.seconds = watch.seconds();
  return fit;
}

}  // namespace ardvark
