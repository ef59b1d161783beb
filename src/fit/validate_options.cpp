#include "fit/validate_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ardvark/softmax.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "frame/prior_partition.hpp"
#include "method/l1/lasso.hpp"
#include "method/sweep/sweep_choice.hpp"
#include "preset/preset.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

void validate_rule(const FitOptions& options, bool linear) {
  const Pruning& pruning = options.pruning;
  if (!(pruning.threshold >= 0)) throw wrong("pruning.threshold", pruning.threshold, "it must be 0 or more");
  if (pruning.readmit_every < 0) throw wrong("pruning.readmit_every", pruning.readmit_every, "it must be 0 or more");
  if (!(options.start_xi >= 0 && std::isfinite(options.start_xi))) throw wrong("start_xi", options.start_xi, "it must be 0 or more");
  if (options.penalize_intercept && !options.intercept) throw refused("penalize_intercept", "needs intercept");
  if (options.rule != UpdateRule::laplace) return;
  if (linear || !options.compat || options.likelihood != LogisticLikelihood::laplace || options.prior.kind != PriorKind::ard ||
      !options.prior.group.empty())
    throw refused("rule", "laplace applies only to preset l1_slr_lap with compat; for the mode under a Laplace prior use Prior::laplace");
  validate::positive(options.prior.lambda, "prior.lambda");
}

void validate_hyperpriors(const FitOptions& options, bool linear) {
  // Jeffreys' prior has no mean to start from, and its bound has no limit. It is allowed only with pruning or with a rule other than vb.
  const bool improper = options.precision.shape == 0 && options.precision.rate == 0 && sweeps_plainly(options);
  if (!improper)
    validate::gamma(options.precision, {linear ? "c0" : "a0", " (precision.shape)"}, {linear ? "d0" : "b0", " (precision.rate)"});
  if (options.prior.kind != PriorKind::laplace && !is_sparse(options.prior.kind)) validate_rule(options, linear);
}

// 0 is the default of a model; a published program has its own.                                                                (LIN.8)
void validate_noise(const FitOptions& options) {
  const bool may_be_zero = options.preset.empty();
  if (!may_be_zero || options.noise.shape != 0) validate::positive(options.noise.shape, {"a0", " (noise.shape)"});
  if (!may_be_zero || options.noise.rate != 0) validate::positive(options.noise.rate, {"b0", " (noise.rate)"});
}

void validate_numbers(const FitOptions& options, Index p) {
  if (options.max_sweeps < 1) throw wrong("max_sweeps", options.max_sweeps, "it must be at least 1");
  if (options.tolerance && !(*options.tolerance >= 0 && std::isfinite(*options.tolerance)))
    throw wrong("tolerance", *options.tolerance, "it must be 0 or more");
  validate_start(options, p, 1);
  if (!(options.start_noise >= 0 && std::isfinite(options.start_noise)))
    throw wrong("start_noise", options.start_noise, "it must be 0 (the default) or more");
  if (options.threads < 0) throw wrong("threads", options.threads, "it must be 0 (the caller's setting) or more");
  if (options.row_order != RowOrder::as_given && preset_facts(options.preset).method != PresetMethod::sequential)
    throw InvalidArgument({.argument = "row_order",
                           .value = "by-content",
                           .why = "it applies only to vb_logit_fit_iter: no other fit depends on the order of the rows"});
  if (options.record_every < 0) throw wrong("record_every", options.record_every, "it must be 0 or more");
  if (!options.column_names.empty() && static_cast<Index>(options.column_names.size()) != p)
    throw wrong_size("column_names", options.column_names.size(), fmt::format("it must have one per column of X: {}", p));
}

void validate_compat(const FitOptions& options) {
  if (options.compat && options.preset.empty()) throw refused("compat", "reproduces a published program; it needs a preset");
  if (options.compat && options.accelerate)
    throw refused("compat", "makes the sweeps of the published program; it cannot be used with accelerate");
}

void validate_laplace(const FitOptions& options, bool linear) {
  const bool laplace = options.prior.kind == PriorKind::laplace;
  if (laplace && linear && options.posterior == LinearPosterior::factorised)
    throw refused("posterior", "factorised", "cannot be used with a Laplace prior");
  if (laplace) validate_lasso(options);
  if (!laplace && preset_facts(options.preset).method == PresetMethod::coordinate)
    throw refused("preset", options.preset, fmt::format("has a Laplace prior; the prior is '{}'", to_string(options.prior.kind)));
  if (!laplace && options.rule != UpdateRule::laplace && options.prior.lambda != 0)
    throw wrong("prior.lambda", options.prior.lambda,
                fmt::format("lambda applies only to the Laplace prior, and the prior is '{}'", to_string(options.prior.kind)));
}

void validate_family(const FitOptions& options, Task task) {
  if (!options.family) return;
  const Family family = *options.family;
  const bool of_counts = family == Family::poisson || family == Family::negative_binomial;
  if (has_classes(task) || (family != Family::automatic && of_counts != is_count(task)))
    throw refused("family", to_string(family), fmt::format("cannot be used with {} regression", to_string(task)));
  if (family == Family::normal || family == Family::poisson) return;
  if (!options.preset.empty()) throw refused("family", to_string(family), fmt::format("cannot be used with preset '{}'", options.preset));
  if (const PriorKind prior = options.prior.kind; has_noise(task) && prior == PriorKind::laplace)
    throw refused("family", to_string(family), "cannot be used with prior laplace");
}

// The option that says what is added to the linear predictor; empty: none.
std::string name_of_offset(const FitOptions& options) {
  if (!options.exposure.empty()) return "exposure";
  if (!options.offset_column.empty()) return "offset_column";
  return options.row_offset.empty() ? "" : "row_offset";
}

// Which priors and options the likelihood of counts has.
void validate_counts(const FitOptions& options) {
  const PriorKind prior = options.prior.kind;
  if (prior == PriorKind::laplace)
    throw wrong("prior", to_string(prior), "a regression of counts has the priors sparse, slab, dense, shared, ard, groups and none");
  if (options.posterior != LinearPosterior::joint) throw refused("posterior", "applies only to linear fits");
  if (options.likelihood) throw refused("likelihood", "applies only to logistic fits");
  const std::string offset = name_of_offset(options);
  if (!offset.empty() && offset != "row_offset" && options.scaling != Scaling::deviation)
    throw refused(offset, "needs columns that are divided by their standard deviations");
}

void validate_preset(const FitOptions& options, Task task) {
  if (options.preset.empty()) return;
  const PresetFacts& facts = preset_facts(options.preset);
  if (facts.coding) throw refused("preset", options.preset, "is for several classes: use fit_softmax");
  if (task_of_preset(options.preset) != task)
    throw refused(
        "preset", options.preset,
        fmt::format("is a {} model; it cannot be used for {} regression", to_string(task_of_preset(options.preset)), to_string(task)));
  if (!options.weights.empty() && (options.compat || !facts.slr_toolbox))
    throw refused("weights", fmt::format("cannot be used with preset '{}'{}; the published program has none", options.preset,
                                         options.compat ? " and compat" : ""));
  if ((options.intercept || options.standardize) && !facts.slr_toolbox)
    throw refused("preset", options.preset, "has no intercept and does not scale columns; add a column of ones, or fit a model");
}

}  // namespace

void validate_options(const FitOptions& options, Task task, Index num_columns) {
  const bool linear = has_noise(task);
  validate_hyperpriors(options, linear);
  validate_numbers(options, num_columns);
  validate_compat(options);
  if (options.solver == SolverKind::sequential)
    throw refused("solver", "sequential", "cannot be chosen; use the preset vb_logit_fit_iter or the class SequentialLogistic");
  validate_laplace(options, linear);
  if (options.solver == SolverKind::coordinate)
    throw refused("solver", "coordinate", "cannot be chosen; it is the solver of the Laplace prior (Prior::laplace)");
  if (options.solver == SolverKind::greedy)
    throw refused("solver", "greedy", "cannot be chosen; use the presets rvm_regression and rvm_classification");
  validate_preset(options, task);
  if (linear) validate_noise(options);
  validate_family(options, task);
  if (is_count(task)) validate_counts(options);
  if (const std::string offset = name_of_offset(options); !is_count(task) && !offset.empty())
    throw refused(offset, "applies only to regressions of counts");
}

void validate_preset_of_table(const FitTable& X, const std::string& preset, bool compat) {
  const std::string need = need_of_dense(preset, compat);
  if (preset.empty() || X.is_dense() || (X.is_sparse() && need.empty())) return;
  std::string known;
  for (const PresetInfo& other : presets())
    if (need_of_dense(other.name, false).empty()) known += fmt::format("{}{}", known.empty() ? "" : ", ", other.name);
  const std::string who = fmt::format("preset '{}'{}", preset, need.empty() ? "" : fmt::format(", which reads {},", need));
  if (X.is_sparse()) refuse_sparse(X, who, fmt::format("has models of every prior, and without compat the presets {}", known).c_str());
  refuse_sparse(X, who);
}

void validate_sparse_table(const FitTable& X, const FitOptions& options, const std::string& need_of_small) {
  const PriorKind prior = options.prior.kind;
  if (is_sparse(prior) && !need_of_small.empty())
    throw InvalidArgument(
        {.argument = "prior",
         .value = to_string(prior),
         .why = need_of_small,
         .remedy = fmt::format("prior laplace (--prior laplace) takes {} of any size, and so does shared (--prior shared) in a regression",
                               X.is_sparse() ? "a sparse X" : "genotypes")});
  if (!X.is_dense()) validate_preset_of_table(X, options.preset, options.compat);
  const std::string who = options.solver == SolverKind::qr                               ? "solver 'qr'"
                          : options.standardize && options.scaling != Scaling::deviation ? "this scaling"
                                                                                         : "";
  if (!who.empty()) refuse_sparse(X, who);
}

}  // namespace ardvark::internal
