// The columns with an effect of a table in any form.
#pragma once

#include "ardvark/effects.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// As ardvark::find_effects, of a table that was checked before.
[[nodiscard]] Effects effects_of_table(const FitTable& X, VectorView target, const EffectOptions& options);

}  // namespace ardvark::internal
