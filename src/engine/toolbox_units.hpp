// How the SLR toolbox scales columns: less their mean, over the largest absolute value that is left.              docs/math/l1.md (L1.9)
#pragma once

#include "design/dense.hpp"

namespace ardvark {

struct ToolboxUnits {
  Standardization standardization;  ///< without an intercept
  std::vector<bool> left_out;       ///< [columns] constant; the published program divides zero by zero there
};
[[nodiscard]] ToolboxUnits toolbox_units(MatrixView X);

}  // namespace ardvark
