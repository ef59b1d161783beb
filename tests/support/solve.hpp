// One call of a solver, as in the loop of sweeps.
#pragma once

#include "posterior/solver.hpp"

namespace ardvark::testing {

using namespace internal;

/// V, w and, if the likelihood reads them, the row moments for these rows. Rows that may change get a new version, because a solver may
/// keep results for rows that it has seen before. Row moments are asked for if the solver has them.
template <typename AnySolver, typename AnyRows>
[[nodiscard]] bool solve(AnySolver& solver, const LikelihoodTraits& traits, AnyRows& rows, const Vector& a, Posterior& q) {
  static Index version = 0;
  if constexpr (requires { rows.version; })
    if (!traits.constant_rows) rows.version = ++version;
  if (!solver.solve(rows, a, q)) return false;
  if constexpr (requires { solver.row_moments(rows, q); })
    if (traits.row_moments) solver.row_moments(rows, q);
  return true;
}

}  // namespace ardvark::testing
