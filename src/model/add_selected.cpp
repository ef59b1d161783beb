// Which columns have an effect, for a selection at a stated false discovery rate.                              docs/math/effects.md
#include <fmt/format.h>

#include "core/refusals.hpp"
#include "model/fit_parts.hpp"
#include "model/missing.hpp"
#include "select/chain_columns.hpp"
#include "select/table_effects.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The prior auto may be one without inclusions.
void require_inclusions(const ModelOptions& options, const Fit& fit) {
  if (fit.prior == PriorKind::sparse || fit.prior == PriorKind::slab) return;
  throw refused(options.spelled("fdr"), fmt::format("reads which columns have an effect; this fit is under the prior {}: use {}",
                                                    to_string(fit.prior), options.spelled("prior", "sparse")));
}

}  // namespace

void internal::add_selected(const ModelOptions& options, const FitOptions& how, const FitTable& X, VectorView target, SavedModel& model) {
  if (!options.fdr) return;
  const Fit& fit = *model.score();
  require_inclusions(options, fit);
  if (!fit.sparse || !fit.mean.allFinite()) return;
  EffectFamily family{fit.family.family, fit.family.dispersion, fit.family.degrees_of_freedom, how.row_offset.eigen(),
                      fit.exposure ? fit.exposure : fit.offset_column};
  if (family.offset_column)
    family.offset = offset_in("X", X, {*family.offset_column, fit.exposure.has_value()},
                              fit.column_names[static_cast<std::size_t>(*family.offset_column)], weights_of(how.weights, X.rows()));
  model.effects = effects_of_table(X, target,
                                   {.task = fit.task,
                                    .intercept = how.intercept,
                                    .flat = how.prior.flat_columns,
                                    .weights = how.weights,
                                    .inclusion = fit.sparse->inclusion,
                                    .guarantee = options.guarantee == "knockoffs" ? Guarantee::knockoffs : Guarantee::posterior,
                                    .seed = options.guarantee == "knockoffs" ? seed_of(options) : EffectOptions().seed},
                                   family);
  model.effects->fdr = *options.fdr;
}

}  // namespace ardvark
