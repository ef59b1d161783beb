// The preset l1_slr_c.                                                                                            docs/math/l1.md (L1.9)
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark {

/// With compat: exactly options.max_sweeps simultaneous updates, as published. t in {0, 1}.
void fit_l1_slr(MatrixView X, const Vector& t, const FitOptions& options, Fit& fit);

}  // namespace ardvark
