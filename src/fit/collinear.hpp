// Columns without a prior that cross-products cannot tell apart.                                    docs/math/statistics.md (ST.5)
#pragma once

#include "ardvark/fit.hpp"
#include "frame/prepare.hpp"

namespace ardvark::internal {

/// \param cross  [p,p] of the columns
/// \param X      [m,p] the small table that stands in for their rows: a fit of it leaves constants and copies out
/// \param remedy  what keeps the digits, for the message: "make statistics of the form factor, "
/// \throws InvalidArgument  the digits that a small difference between columns needs are lost
void refuse_collinear_columns(const Matrix& cross, MatrixView X, const StandIn& stand_in, const FitOptions& options, const char* remedy);

}  // namespace ardvark::internal
