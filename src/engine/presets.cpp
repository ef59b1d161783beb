// The published programs as data: one row each.
#include <fmt/format.h>

#include "ardvark/fit.hpp"
#include "engine/greedy_preset.hpp"
#include "engine/l1_slr.hpp"

namespace ardvark {
namespace {

struct PresetRow {
  PresetInfo info;
  PriorKind prior;
  GammaDistribution noise;      // a0, b0 of the linear programs
  GammaDistribution precision;  // c0, d0 of the linear, a0, b0 of the logistic programs
  LinearPosterior posterior = LinearPosterior::joint;
};

// VBLinLogit v0.3 (Drugowitsch): published defaults; 500 sweeps, 1e-5 relative change of the bound, no intercept, nothing scaled.
constexpr GammaDistribution vblinlogit = {1e-2, 1e-4};
// Bishop and Tipping (2000), with their misprints corrected: hyper-priors 1e-6. They print no stopping rule.
constexpr GammaDistribution bishop_tipping = {1e-6, 1e-6};
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
    {{"l1_slr_c", Task::logistic, "logistic, Laplace prior, the mode one weight at a time (SLR toolbox)"},
     PriorKind::laplace,
     vblinlogit,
     vblinlogit},
};

const PresetRow& find(const std::string& name) {
  std::string known;
  for (const PresetRow& row : table) {
    if (name == row.info.name) return row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.info.name);
  }
  throw InvalidArgument(fmt::format("preset '{}' is unknown; the presets are: {}", name, known));
}

}  // namespace

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
  if (is_greedy_preset(name)) options.max_sweeps = 10000;  // single actions
  if (is_l1_slr(name)) l1_slr_options(options);
  return options;
}

}  // namespace ardvark
