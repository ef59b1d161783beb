// The missing values of new rows.                                                                          docs/math/missing.md (MI.6)
#pragma once

#include <vector>

#include "impute/variable.hpp"

namespace ardvark::internal {

struct RowImputer {
  std::vector<Variable> variables;
  TableUnits units;
  std::vector<std::vector<Index>> predictors;    ///< [variables] columns of X; the target is none of them
  std::vector<std::vector<Conditional>> tables;  ///< [imputations][variables]

  [[nodiscard]] Index num_columns() const { return units.center.size(); }
  [[nodiscard]] Index num_draws() const;
  /// Draws of the row, in its units, with the values that it has. They depend on this row alone.
  /// \param x  [p] NaN: missing. \return [num_draws, p]
  [[nodiscard]] Matrix completed(const Vector& x) const;
};

}  // namespace ardvark::internal
