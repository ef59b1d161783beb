// The columns with an effect of a table in any form.
#pragma once

#include <limits>
#include <optional>

#include "ardvark/effects.hpp"
#include "table/fit_table.hpp"

namespace ardvark::internal {

/// The distribution of the rows of a fit, where its task has more than one, with the parameters of the fit.
struct EffectFamily {
  Family family = Family::normal;
  double dispersion = 0, degrees_of_freedom = std::numeric_limits<double>::infinity();
  Vector offset = {};                       // [rows] counts; empty: nothing
  std::optional<Index> offset_column = {};  // counts: a column that has no coefficient, because it is the offset
  [[nodiscard]] double offset_of(Index row) const { return offset.size() > 0 ? offset[row] : 0; }
};

/// As ardvark::find_effects, of a table that was checked before. The task may also be counts.
[[nodiscard]] Effects effects_of_table(const FitTable& X, VectorView target, const EffectOptions& options, const EffectFamily& family = {});

}  // namespace ardvark::internal
