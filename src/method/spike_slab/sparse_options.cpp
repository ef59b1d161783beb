// Which options can be used with the priors sparse, slab and dense.
#include <fmt/format.h>

#include <algorithm>

#include "core/refusals.hpp"
#include "frame/prior_partition.hpp"
#include "method/spike_slab/sparse.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

bool differ(const GammaDistribution& a, const GammaDistribution& b) { return a.shape != b.shape || a.rate != b.rate; }

}  // namespace

bool has_normal_noise(const FitOptions& options, Task task) {
  return has_noise(task) && options.family.value_or(Family::normal) == Family::normal;
}

std::string foreign_to_sparse(const FitOptions& options, Task task) {
  const FitOptions defaults;
  const bool linear = has_noise(task);
  const std::pair<bool, const char*> foreign[] = {
      {!options.preset.empty(), "preset"},
      {options.rule.value_or(UpdateRule::vb) != UpdateRule::vb, "update_rule"},
      {options.pruning.is_on(), "pruning"},
      {!options.prior.fixed_columns.empty(), "prior.fixed_columns"},
      {!options.prior.hyperprior.empty(), "prior.hyperprior"},
      {differ(options.precision, defaults.precision), linear ? "precision (c0, d0)" : "precision (a0, b0)"},
      {linear && differ(options.noise, defaults.noise), "noise (a0, b0)"},
      {linear && options.posterior != defaults.posterior, "posterior"},
      {!linear && options.likelihood.value_or(LogisticLikelihood::gaussian) != LogisticLikelihood::gaussian, "likelihood"},
      {!options.start_precision.empty(), "start_precision"},
      {options.start_noise != defaults.start_noise, "start_noise"},
      {options.record_every != defaults.record_every, "record_every"},
      {options.penalize_intercept, "penalize_intercept"},
      {options.solver != defaults.solver, "solver"},
  };
  const auto* found = std::find_if(std::begin(foreign), std::end(foreign), [](const auto& option) { return option.first; });
  return found == std::end(foreign) ? "" : found->second;
}

void validate_sparse(const FitOptions& options, Task task, Index num_columns) {
  const Prior& prior = options.prior;
  std::string foreign = foreign_to_sparse(options, task);
  if (foreign.empty() && prior.kind == PriorKind::dense && !prior.group.empty()) foreign = "prior.group";
  if (!foreign.empty())
    throw refused(foreign, fmt::format("cannot be used with prior '{}', which finds its own hyper-parameters; use prior shared or ard",
                                       to_string(prior.kind)));
  static_cast<void>(marked_columns(prior.flat_columns, "prior.flat_columns", num_columns));
  if (!prior.group.empty() && static_cast<Index>(prior.group.size()) != num_columns)
    throw wrong_size("prior.group", prior.group.size(), fmt::format("it must have one per column of X: {}", num_columns));
  for (const Index g : prior.group)
    if (g < 0 || g >= num_columns) throw refused("prior.group", fmt::format("holds {}; group numbers are 0 to {}", g, num_columns - 1));
}

}  // namespace ardvark::internal
