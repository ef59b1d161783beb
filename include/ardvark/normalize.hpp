// Centring and scaling of columns before a fit, with the choices of the SLR toolbox.                        docs/math/slr.md, (SLR.4)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark {

enum class ColumnCenter { none, each, all };  ///< zero, the mean of each column, the mean of the whole table

/// What the columns are divided by, after centring.
enum class ColumnScale {
  none,
  each,            ///< largest |x| of each column
  all,             ///< largest |x| of the whole table
  deviation_each,  ///< standard deviation (n - 1) of each column
  deviation_all    ///< standard deviation (n - 1) of all entries of the table
};

/// x becomes (x - center)/scale, or 0 if the scale is 0 (a column with a single value).
struct ColumnUnits {
  Vector center, scale;  ///< [p]
};

/// \param X  [n,p] finite.  \throws InvalidArgument
[[nodiscard]] ColumnUnits column_units(MatrixView X, ColumnCenter center, ColumnScale scale);
/// [n,p] the scaled columns.  \throws InvalidArgument  X has another number of columns, or is not finite
[[nodiscard]] Matrix in_units(MatrixView X, const ColumnUnits& units);

}  // namespace ardvark
