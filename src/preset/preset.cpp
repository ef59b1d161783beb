// The published programs as data: one row each.
#include "preset/preset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/refusals.hpp"

namespace ardvark::internal {
namespace {

struct PresetRow {
  PresetInfo info;
  PriorKind prior;
  GammaDistribution hyperprior;  // of the noise, a0 and b0 of the linear programs, and of the precisions
  PresetFacts facts = {};
  LinearPosterior posterior = LinearPosterior::joint;
  LogisticLikelihood likelihood = LogisticLikelihood::bound;
  UpdateRule rule = UpdateRule::vb;  // of the published program
};

// VBLinLogit v0.3 (Drugowitsch): published defaults; 500 sweeps, 1e-5 relative change of the bound, no intercept, nothing scaled.
constexpr GammaDistribution vblinlogit = {1e-2, 1e-4};
constexpr PresetFacts vb_linear,
    vb_logit = {.signs = true, .rule = PredictiveRule::published_row, .compat_rule = PredictiveRule::published_row},
    vb_logit_iter = {.method = PresetMethod::sequential,
                     .signs = true,
                     .rule = PredictiveRule::published_row,
                     .compat_rule = PredictiveRule::published_row};
// Bishop and Tipping (2000), with their misprints corrected: hyper-priors 1e-6. They publish no stopping rule.
constexpr GammaDistribution bishop_tipping = {1e-6, 1e-6};
constexpr PresetFacts vrvm;
// Tipping and Faul (2003). No hyper-priors: the values in the rows are not read.
constexpr PresetFacts tipping_faul = {.method = PresetMethod::greedy};
// Toolbox of sparse logistic regressions 1.2.1alpha (Yamashita): no hyper-parameters; 1000 sweeps, precisions from 1, xi from 2, columns
// leave at a precision of 1e8, each column is centred and divided by its largest absolute value, the bias has a precision too. (SLR)
constexpr GammaDistribution jeffreys = {0, 0};
constexpr UpdateRule vb = UpdateRule::vb, mackay = UpdateRule::mackay, laplace = UpdateRule::laplace;
constexpr LogisticLikelihood bound = LogisticLikelihood::bound, mode = LogisticLikelihood::laplace;
constexpr PresetRow toolbox(const char* name, const char* description, PriorKind prior, LogisticLikelihood likelihood, UpdateRule rule,
                            PresetFacts facts = {}) {
  facts.slr_toolbox = true;
  facts.laplace_prior = rule == laplace;
  facts.compat_rule = PredictiveRule::plug_in;
  return {{name, Task::logistic, description}, prior, jeffreys, facts, LinearPosterior::joint, likelihood, rule};
}
constexpr PresetFacts of_softmax = {.coding = ClassCoding::softmax};
constexpr PresetFacts of_rest(const char* machine) { return {.coding = ClassCoding::one_against_rest, .machine = machine}; }
constexpr PresetFacts of_pairs(const char* machine) { return {.coding = ClassCoding::one_against_one, .machine = machine}; }

constexpr PresetRow program(const char* name, Task task, const char* description, PriorKind prior, GammaDistribution hyperprior,
                            const PresetFacts& facts, LinearPosterior posterior = LinearPosterior::joint) {
  return {{name, task, description}, prior, hyperprior, facts, posterior};
}

constexpr PriorKind shared = PriorKind::shared, ard = PriorKind::ard;
const PresetRow table[] = {
    program("vb_linear_fit", Task::linear, "linear, one precision for all columns (VBLinLogit)", shared, vblinlogit, vb_linear),
    program("vb_linear_fit_ard", Task::linear, "linear, one precision per column (VBLinLogit)", ard, vblinlogit, vb_linear),
    program("vb_logit_fit", Task::logistic, "logistic, Jaakkola-Jordan bound, one precision for all columns (VBLinLogit)", shared,
            vblinlogit, vb_logit),
    program("vb_logit_fit_ard", Task::logistic, "logistic, Jaakkola-Jordan bound, one precision per column (VBLinLogit)", ard, vblinlogit,
            vb_logit),
    program("vb_logit_fit_iter", Task::logistic, "logistic, one observation at a time, fixed precision (VBLinLogit)", PriorKind::none,
            vblinlogit, vb_logit_iter),
    program("vrvm_regression", Task::linear, "linear, one precision per column, q(w) q(tau) (Bishop and Tipping 2000)", ard, bishop_tipping,
            vrvm, LinearPosterior::factorised),
    program("vrvm_classification", Task::logistic, "logistic, Jaakkola-Jordan bound, one precision per column (Bishop and Tipping 2000)",
            ard, bishop_tipping, vrvm),
    program("rvm_regression", Task::linear, "linear, relevance vectors one at a time, type-II maximum likelihood (Tipping and Faul 2003)",
            ard, vblinlogit, tipping_faul, LinearPosterior::factorised),
    program("rvm_classification", Task::logistic,
            "logistic, relevance vectors one at a time, Laplace's approximation (Tipping and Faul 2003)", ard, vblinlogit, tipping_faul),
    toolbox("slr_var", "logistic, Jaakkola-Jordan bound, one precision per column, pruned (SLR toolbox)", ard, bound, mackay),
    toolbox("slr_lap", "logistic, Laplace's approximation, one precision per column, pruned (SLR toolbox)", ard, mode, mackay),
    toolbox("rlr_var", "logistic, Jaakkola-Jordan bound, one precision for all columns (SLR toolbox)", shared, bound, vb),
    toolbox("rlr_lap", "logistic, Laplace's approximation, one precision for all columns (SLR toolbox)", shared, mode, vb,
            {.table_scale = true}),
    toolbox("slr_rvm", "slr_var on the columns of a kernel (SLR toolbox)", ard, bound, mackay, {.kernel = true}),
    toolbox("l1_slr_lap", "logistic, Laplace prior by reweighting, pruned (SLR toolbox)", ard, mode, laplace),
    program("l1_slr_c", Task::logistic, "logistic, Laplace prior, the mode one weight at a time (SLR toolbox)", PriorKind::laplace,
            vblinlogit,
            {.method = PresetMethod::coordinate, .slr_toolbox = true, .laplace_prior = true, .compat_rule = PredictiveRule::plug_in}),
    toolbox("smlr", "several classes: softmax, one precision per class and column, pruned (SLR toolbox)", ard, mode, mackay, of_softmax),
    toolbox("rmlr", "several classes: softmax, one precision for all weights (SLR toolbox)", shared, mode, vb, of_softmax),
    toolbox("slr_lap_ovr", "several classes: slr_lap of each class against the rest (SLR toolbox)", ard, mode, mackay, of_rest("slr_lap")),
    toolbox("slr_var_ovr", "several classes: slr_var of each class against the rest (SLR toolbox)", ard, bound, mackay, of_rest("slr_var")),
    toolbox("rlr_var_ovr", "several classes: rlr_var of each class against the rest (SLR toolbox)", shared, bound, vb, of_rest("rlr_var")),
    toolbox("slr_var_ovo", "several classes: slr_var of each pair of classes (SLR toolbox)", ard, bound, mackay, of_pairs("slr_var")),
};

// The options of all programs of the toolbox, as published (compat) and corrected.                                        (SLR.4), (SLR.5)
void toolbox_options(const PresetRow& row, FitOptions& options) {
  options.likelihood = row.likelihood;
  options.rule = row.rule;
  if (row.rule == laplace) options.prior.lambda = 1;
  options.pruning.threshold = 1e8;
  options.start_xi = 2;
  options.max_sweeps = 1000;
  options.intercept = true;
  options.standardize = true;
  if (options.compat) {
    options.penalize_intercept = true;
    options.standardize = !row.facts.kernel;  // a kernel's columns stay as they are
    options.scaling = row.facts.table_scale ? Scaling::largest_of_table : Scaling::largest;
    return;
  }
  if (row.rule == laplace) {  // its mode, by a solver that checks the conditions of the maximum
    options.prior.kind = PriorKind::laplace;
    options.precision = FitOptions().precision;  // not read
    options.rule = vb;
    options.pruning = {};
  } else if (row.prior == PriorKind::shared) {
    options.rule = mackay;  // the same fixed point
    options.pruning = {};
  } else {
    options.pruning.readmit_every = 10;
  }
}

// Corrected, it is the model with gamma1 = 1. As published, it has its own units and a penalised bias.                           (L1.9)
void coordinate_options(FitOptions& options) {
  options.prior.lambda = 1;
  options.intercept = options.standardize = true;
  options.likelihood = LogisticLikelihood::gaussian;
  options.penalize_intercept = options.compat;
  if (options.compat) {
    options.scaling = Scaling::largest;
    options.max_sweeps = 1000;
  }
}

const PresetRow* find(const std::string& name) {
  const auto* row = std::ranges::find_if(table, [&](const PresetRow& r) { return name == r.info.name; });
  return row == std::end(table) ? nullptr : row;
}

const PresetRow& require(const std::string& name) {
  if (const PresetRow* row = find(name)) return *row;
  std::string known;
  for (const PresetRow& row : table) known += fmt::format("{}{}", known.empty() ? "" : ", ", row.info.name);
  throw refused("preset", name, fmt::format("is unknown; the presets are: {}", known));
}

}  // namespace

const PresetFacts& preset_facts(const std::string& name) {
  static constexpr PresetFacts of_model;
  const PresetRow* row = find(name);
  return row == nullptr ? of_model : row->facts;
}

std::string need_of_dense(const std::string& preset, bool compat) {
  const PresetFacts& facts = preset_facts(preset);
  if (find(preset) == nullptr) return "";
  if (compat) return "with compat, the scaling and the order of the published program";
  if (facts.kernel) return "the kernel of its rows";
  if (facts.method == PresetMethod::greedy) return "its columns one at a time";
  if (facts.method == PresetMethod::sequential) return "its rows one at a time";
  return "";
}

}  // namespace ardvark::internal

namespace ardvark {

using namespace internal;

bool is_softmax_preset(const std::string& name) { return preset_facts(name).coding.has_value(); }

SoftmaxOptions softmax_options_for_preset(const std::string& name, bool compat) {
  SoftmaxOptions options;
  static_cast<FitOptions&>(options) = options_for_preset(name, compat);
  const std::optional<ClassCoding> coding = preset_facts(name).coding;
  if (!coding) throw refused("preset", name, "is not for several classes");
  options.precision_per_class = *coding == ClassCoding::softmax && options.prior.kind == PriorKind::ard;
  options.coding = *coding;
  return options;
}

const char* to_string(ClassCoding coding) {
  switch (coding) {
    case ClassCoding::softmax: return "softmax";
    case ClassCoding::one_against_rest: return "one_against_rest";
    case ClassCoding::one_against_one: return "one_against_one";
  }
  return "unknown";
}

const std::vector<PresetInfo>& presets() {
  static const std::vector<PresetInfo> list = [] {
    std::vector<PresetInfo> all;
    for (const PresetRow& row : table) all.push_back(row.info);
    return all;
  }();
  return list;
}

Task task_of_preset(const std::string& name) { return require(name).info.task; }

FitOptions options_for_preset(const std::string& name, bool compat) {
  const PresetRow& row = require(name);
  FitOptions options;
  options.preset = name;
  options.compat = compat;
  options.prior.kind = row.prior;
  options.precision = options.noise = row.hyperprior;
  options.posterior = row.posterior;
  options.likelihood = LogisticLikelihood::bound;
  options.intercept = false;
  options.standardize = false;
  options.accelerate = false;
  options.rule = row.rule;
  if (row.facts.method == PresetMethod::greedy) options.max_sweeps = 10000;  // single actions
  if (row.facts.method == PresetMethod::coordinate)
    coordinate_options(options);
  else if (row.facts.slr_toolbox)
    toolbox_options(row, options);
  return options;
}

}  // namespace ardvark
