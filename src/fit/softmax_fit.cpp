// fit_softmax: validate, prepare, sweep, and convert the result to the user's units.
#include <fmt/format.h>

#include <cmath>

#include "core/blas.hpp"
#include "core/classes.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/stopwatch.hpp"
#include "core/validate.hpp"
#include "design/with_row.hpp"
#include "fit/softmax_machines.hpp"
#include "fit/validate_options.hpp"
#include "frame/conditioning.hpp"
#include "frame/frame.hpp"
#include "frame/prepare.hpp"
#include "frame/prior_partition.hpp"
#include "method/softmax/softmax_model.hpp"
#include "method/spike_slab/prior_choice.hpp"
#include "method/spike_slab/sparse.hpp"
#include "posterior/softmax_state.hpp"
#include "predict/softmax.hpp"
#include "preset/preset.hpp"

namespace ardvark::internal {

// ---- options ----------------------------------------------------------------------------------------------------------------------------

void validate_options(const SoftmaxOptions& options, Index p) {
  const GammaDistribution& h = options.precision;
  if (!(h.shape == 0 && h.rate == 0 && (options.rule.value_or(UpdateRule::mackay) == UpdateRule::mackay || options.pruning.is_on())))
    validate::gamma(h, {"a0", " (precision.shape)"}, {"b0", " (precision.rate)"});
  if (options.compat && options.preset.empty()) throw refused("compat", "reproduces a published program; it needs a preset");
  if (!options.preset.empty() && !preset_facts(options.preset).coding)
    throw refused("preset", options.preset, "is not for several classes");
  if (options.compat && !options.weights.empty())
    throw refused("weights", fmt::format("cannot be used with preset '{}' and compat; the published program has none", options.preset));
  if (options.max_sweeps < 1) throw wrong("max_sweeps", options.max_sweeps, "it must be at least 1");
  if (options.tolerance && !(*options.tolerance >= 0 && std::isfinite(*options.tolerance)))
    throw wrong("tolerance", *options.tolerance, "it must be 0 or more");
  if (!(options.pruning.threshold >= 0)) throw wrong("pruning.threshold", options.pruning.threshold, "it must be 0 or more");
  if (options.pruning.readmit_every < 0) throw wrong("pruning.readmit_every", options.pruning.readmit_every, "it must be 0 or more");
  if (options.penalize_intercept && !options.intercept) throw refused("penalize_intercept", "needs intercept");
  if (options.record_every < 0) throw wrong("record_every", options.record_every, "it must be 0 or more");
  if (options.threads < 0) throw wrong("threads", options.threads, "it must be 0 (the caller's setting) or more");
  if (!options.column_names.empty() && static_cast<Index>(options.column_names.size()) != p)
    throw wrong_size("column_names", options.column_names.size(), fmt::format("it must have one per column of X: {}", p));
  if (options.coding != ClassCoding::softmax) return;  // fit_logistic validates the rest
  if (is_sparse(options.prior.kind) || options.prior.kind == PriorKind::laplace)
    throw refused("prior", to_string(options.prior.kind),
                  "applies only to two classes; for several, use shared or ard (--prior ard), or a regression for each class (--coding "
                  "one-against-rest)");
  if (options.rule == UpdateRule::laplace) throw refused("rule", "laplace applies only to two classes: use fit_logistic");
  if (options.likelihood == LogisticLikelihood::bound)
    throw refused("likelihood", "bound", "applies only to two classes: use fit_logistic, or one_against_rest");
  if (options.solver != SolverKind::automatic && options.solver != SolverKind::primal && options.solver != SolverKind::dual)
    throw refused("solver", to_string(options.solver), "cannot be used with several classes; use primal or dual");
}

namespace {

void fit_one_model(const FitTable& X, const Classes& classes, const SoftmaxOptions& options, SoftmaxFit& fit) {
  const blas::ThreadScope threads(options.threads);
  SoftmaxModel model(frame_of_columns(X, options), options, fit);
  const Vector& k = model.frame.k;
  if (model.proper) model.rows = with_row_of_means(std::move(model.rows), k);
  const SoftmaxLaplace likelihood(classes.number, k, fit.num_classes(), model.proper ? LastRow::intercept : LastRow::observation);
  const auto state = model.finish(sweep_classes(*model.rows, likelihood, model.prior, model.settings()), fit);
  if (state == nullptr) return;
  // Describe the training rows while the covariance is still there.
  const ClassRule rule = state->covariance.kind == ClassCovariance::Kind::none ? ClassRule::plug_in : ClassRule::automatic;
  class_scores(training_probabilities(fit, X, rule, classes.number), classes.number, k).describe(k.sum(), fit);
  if (options.keep_covariance == Keep::never) state->covariance = {};
}

}  // namespace

void warn_of_classes(const SoftmaxOptions& options, SoftmaxFit& fit) {
  if (fit.report.status == Status::separated && fit.coding == ClassCoding::softmax)
    fit.report.warnings.emplace_back(
        "the classes can be separated: the weights grow without limit and are those of the last step; they have no variance, and "
        "predictions plug them in; give the columns a prior (--prior shared)");
  else if (fit.accuracy == 1 && fit.report.status == Status::converged)
    fit.report.notes.emplace_back(
        "all rows are classified correctly: the classes can be separated, and only the prior limits the coefficients");
  else if (fit.accuracy == 1 && fit.report.status == Status::max_sweeps && !options.compat && fit.coding == ClassCoding::softmax)
    fit.report.warnings.emplace_back(
        "all rows are classified correctly: the classes can be separated, and so far this prior does not limit the coefficients; they, "
        "their intervals and the log evidence are those of the last sweep");
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

namespace {

SoftmaxFit fit_classes(const FitTable& X, VectorView labels, const SoftmaxOptions& given) {
  X.check_shape("X");
  X.check_finite("X", given.column_names);
  validate_preset_of_table(X, given.preset, given.compat);
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

}  // namespace

SoftmaxFit fit_softmax(MatrixView X, VectorView labels, const SoftmaxOptions& options) { return fit_classes(X, labels, options); }
SoftmaxFit fit_softmax(CscView X, VectorView labels, const SoftmaxOptions& options) { return fit_classes(X, labels, options); }

}  // namespace ardvark
