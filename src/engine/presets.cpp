// The published programs as data: one row each.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ardvark/fit.hpp"
#include "ardvark/softmax.hpp"
#include "engine/coordinate/l1_slr.hpp"
#include "engine/greedy_preset.hpp"
#include "engine/toolbox.hpp"

namespace ardvark {
namespace {

struct PresetRow {
  PresetInfo info;
  PriorKind prior;
  GammaDistribution noise;      // a0, b0 of the linear programs
  GammaDistribution precision;  // c0, d0 of the linear, a0, b0 of the logistic programs
  LinearPosterior posterior = LinearPosterior::joint;
  LogisticLikelihood likelihood = LogisticLikelihood::bound;
  UpdateRule rule = UpdateRule::vb;  // of the published program
};

// VBLinLogit v0.3 (Drugowitsch): published defaults; 500 sweeps, 1e-5 relative change of the bound, no intercept, nothing scaled.
constexpr GammaDistribution vblinlogit = {1e-2, 1e-4};
// Bishop and Tipping (2000), with their misprints corrected: hyper-priors 1e-6. They print no stopping rule.
constexpr GammaDistribution bishop_tipping = {1e-6, 1e-6};
// Toolbox of sparse logistic regressions 1.2.1alpha (Yamashita): no hyper-parameters; 1000 sweeps, precisions from 1, xi from 2, columns
// whose precision reaches 1e8 leave, each column centred and divided by its largest absolute value, a bias that has a precision too. (SLR)
constexpr GammaDistribution jeffreys = {0, 0};
constexpr UpdateRule vb = UpdateRule::vb, mackay = UpdateRule::mackay, laplace = UpdateRule::laplace;
constexpr LogisticLikelihood bound = LogisticLikelihood::bound, mode = LogisticLikelihood::laplace;
constexpr PresetRow toolbox(const char* name, const char* description, PriorKind prior, LogisticLikelihood likelihood, UpdateRule rule) {
  return {{name, Task::logistic, description}, prior, jeffreys, jeffreys, LinearPosterior::joint, likelihood, rule};
}
const PresetRow table[] = {
    {{"vb_linear_fit", Task::linear, "linear, one precision for all columns (VBLinLogit)"}, PriorKind::shared, vblinlogit, vblinlogit},
    {{"vb_linear_fit_ard", Task::linear, "linear, one precision per column (VBLinLogit)"}, PriorKind::ard, vblinlogit, vblinlogit},
    {{"vb_logit_fit", Task::logistic, "logistic, Jaakkola-Jordan bound, one precision for all columns (VBLinLogit)"},
     PriorKind::shared,
     vblinlogit,
     vblinlogit},
    {{"vb_logit_fit_ard", Task::logistic, "logistic, Jaakkola-Jordan bound, one precision per column (VBLinLogit)"},
     PriorKind::ard,
     vblinlogit,
     vblinlogit},
    {{"vb_logit_fit_iter", Task::logistic, "logistic, one observation at a time, fixed precision (VBLinLogit)"},
     PriorKind::none,
     vblinlogit,
     vblinlogit},
    {{"vrvm_regression", Task::linear, "linear, one precision per column, q(w) q(tau) (Bishop and Tipping 2000)"},
     PriorKind::ard,
     bishop_tipping,
     bishop_tipping,
     LinearPosterior::factorised},
    {{"vrvm_classification", Task::logistic, "logistic, Jaakkola-Jordan bound, one precision per column (Bishop and Tipping 2000)"},
     PriorKind::ard,
     bishop_tipping,
     bishop_tipping},
    // No hyper-priors: what stands in their place is not read.
    {{"rvm_regression", Task::linear, "linear, relevance vectors one at a time, type-II maximum likelihood (Tipping and Faul 2003)"},
     PriorKind::ard,
     vblinlogit,
     vblinlogit,
     LinearPosterior::factorised},
    {{"rvm_classification", Task::logistic, "logistic, relevance vectors one at a time, Laplace's approximation (Tipping and Faul 2003)"},
     PriorKind::ard,
     vblinlogit,
     vblinlogit},
    toolbox("slr_var", "logistic, Jaakkola-Jordan bound, one precision per column, pruned (SLR toolbox)", PriorKind::ard, bound, mackay),
    toolbox("slr_lap", "logistic, Laplace's approximation, one precision per column, pruned (SLR toolbox)", PriorKind::ard, mode, mackay),
    toolbox("rlr_var", "logistic, Jaakkola-Jordan bound, one precision for all columns (SLR toolbox)", PriorKind::shared, bound, vb),
    toolbox("rlr_lap", "logistic, Laplace's approximation, one precision for all columns (SLR toolbox)", PriorKind::shared, mode, vb),
    toolbox("slr_rvm", "slr_var on the columns of a kernel (SLR toolbox)", PriorKind::ard, bound, mackay),
    toolbox("l1_slr_lap", "logistic, Laplace prior by reweighting, pruned (SLR toolbox)", PriorKind::ard, mode, laplace),
    {{"l1_slr_c", Task::logistic, "logistic, Laplace prior, the mode one weight at a time (SLR toolbox)"},
     PriorKind::laplace,
     vblinlogit,
     vblinlogit},
    toolbox("smlr", "several classes: softmax, one precision per class and column, pruned (SLR toolbox)", PriorKind::ard, mode, mackay),
    toolbox("rmlr", "several classes: softmax, one precision for all weights (SLR toolbox)", PriorKind::shared, mode, vb),
    toolbox("slr_lap_ovr", "several classes: slr_lap of each class against the rest (SLR toolbox)", PriorKind::ard, mode, mackay),
    toolbox("slr_var_ovr", "several classes: slr_var of each class against the rest (SLR toolbox)", PriorKind::ard, bound, mackay),
    toolbox("rlr_var_ovr", "several classes: rlr_var of each class against the rest (SLR toolbox)", PriorKind::shared, bound, vb),
    toolbox("slr_var_ovo", "several classes: slr_var of each pair of classes (SLR toolbox)", PriorKind::ard, bound, mackay),
};

// What is common to the toolbox, as published and made right.                                                            (SLR.4), (SLR.5)
void toolbox_options(const PresetRow& row, FitOptions& options) {
  options.likelihood = row.likelihood;
  options.rule = row.rule;
  if (row.rule == laplace) options.prior.lambda = 1;
  options.pruning.threshold = 1e8;
  options.start_xi = 2;
  options.max_sweeps = 1000;
  options.intercept = true;
  options.standardize = true;
  const bool kernel = std::string_view(row.info.name) == "slr_rvm", shared = row.prior == PriorKind::shared;
  if (options.compat) {
    options.penalize_intercept = true;
    options.standardize = !kernel;  // a kernel's columns stay as they are
    options.scaling = std::string_view(row.info.name) == "rlr_lap" ? Scaling::largest_of_table : Scaling::largest;
    return;
  }
  if (row.rule == laplace) {  // its mode, by the solver that certifies it
    options.prior.kind = PriorKind::laplace;
    options.precision = FitOptions().precision;  // not read
    options.rule = vb;
    options.pruning = {};
  } else if (shared) {
    options.rule = mackay;  // the same fixed point
    options.pruning = {};
  } else {
    options.pruning.readmit_every = 10;
  }
}

const PresetRow& find(const std::string& name) {
  std::string known;
  for (const PresetRow& row : table) {
    if (name == row.info.name) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.info.name);
  }
  throw InvalidArgument(fmt::format("preset '{}' is unknown; the presets are: {}", name, known));
}

}  // namespace

bool is_toolbox_preset(const std::string& name) {
  return std::ranges::any_of(table, [&](const PresetRow& row) { return name == row.info.name && row.precision.shape == 0; });
}

bool is_softmax_preset(const std::string& name) {
  return is_toolbox_preset(name) && (name.ends_with("mlr") || name.ends_with("_ovr") || name.ends_with("_ovo"));
}

SoftmaxOptions softmax_options_for_preset(const std::string& name, bool compat) {
  SoftmaxOptions options;
  static_cast<FitOptions&>(options) = options_for_preset(name, compat);
  if (!is_softmax_preset(name)) throw InvalidArgument(fmt::format("preset '{}' is not one of several classes", name));
  options.precision_per_class = name == "smlr";
  options.coding = name.ends_with("_ovr")   ? ClassCoding::one_against_rest
                   : name.ends_with("_ovo") ? ClassCoding::one_against_one
                                            : ClassCoding::softmax;
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

Task task_of_preset(const std::string& name) { return find(name).info.task; }

FitOptions options_for_preset(const std::string& name, bool compat) {
  const PresetRow& row = find(name);
  FitOptions options;
  options.preset = name;
  options.compat = compat;
  options.prior.kind = row.prior;
  options.precision = row.precision;
  options.noise = row.noise;
  options.posterior = row.posterior;
  options.likelihood = LogisticLikelihood::bound;
  options.intercept = false;
  options.standardize = false;
  options.accelerate = false;
  options.rule = row.rule;
  if (is_toolbox_preset(name)) toolbox_options(row, options);
  if (is_greedy_preset(name)) options.max_sweeps = 10000;  // single actions
  if (is_l1_slr(name)) l1_slr_options(options);
  return options;
}

}  // namespace ardvark
