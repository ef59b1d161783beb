// The sequential preset, as fit_logistic runs it.
#pragma once

#include "ardvark/logistic.hpp"

namespace ardvark {

/// vb_logit_fit_iter; t [n] in {0, 1}.
void fit_sequential_preset(MatrixView X, const Vector& t, const FitOptions& options, LogisticFit& fit);

}  // namespace ardvark
