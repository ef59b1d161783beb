// The published logistic predictions from scalars: m = x'w, s = x'Vx and w'V^-1 w.                     docs/math/predictive.md (PRED.1)
#pragma once

#include "ardvark/types.hpp"

namespace ardvark {

/// Each row by itself: the published bound on p(+1). With `published_stop` the stop rule of vb_logit_pred_incr (1e-5 on a sum that holds
/// w'V^-1 w), otherwise until the bound itself settles.
double published_probability(double m, double s, double quadratic, bool published_stop);

/// All rows together, with the stop rule of vb_logit_pred.
void published_probabilities(const Vector& m, const Vector& s, double quadratic, Vector& out);

}  // namespace ardvark
