// Columns brought to one size before a fit, as the programs of the SLR toolbox do and let their user choose.        docs/math/slr.md
// (SLR.4)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark {

enum class ColumnCenter { none, each, all };  ///< zero, the mean of each column, the mean of the whole table

/// Taken after centring.
enum class ColumnScale {
  none,
  each,            ///< largest |x| of each column
  all,             ///< of the whole table
  deviation_each,  ///< standard deviation (n - 1) of each column
  deviation_all    ///< of all entries of the table
};

/// x is seen as (x - center)/scale; where the scale is 0, in a column of one value, as 0.
struct ColumnUnits {
  Vector center, scale;  ///< [p]
};

/// \param X  [n,p] finite.  \throws InvalidArgument
[[nodiscard]] ColumnUnits column_units(MatrixView X, ColumnCenter center, ColumnScale scale);
/// [n,p].  \throws InvalidArgument  another number of columns, or not finite
[[nodiscard]] Matrix in_units(MatrixView X, const ColumnUnits& units);

}  // namespace ardvark
