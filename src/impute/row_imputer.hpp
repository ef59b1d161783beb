// The missing values of new rows.                                                                          docs/math/missing.md (MI.6)
#pragma once

#include <vector>

#include "impute/joint.hpp"

namespace ardvark::internal {

struct RowImputer {
  GapModel model;                     ///< the target is no predictor
  std::vector<GapParameters> tables;  ///< [imputations]

  [[nodiscard]] Index num_columns() const { return model.units.center.size(); }
  [[nodiscard]] Index num_draws() const;
  /// Draws of the row, in its units, with the values that it has. They depend on this row alone.
  /// \param x  [p] NaN: missing. \return [num_draws, p]
  [[nodiscard]] Matrix completed(const Vector& x) const;
};

}  // namespace ardvark::internal
