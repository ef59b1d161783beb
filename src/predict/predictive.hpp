// What predictions are made from, m = x'w and s = x'Vx, and the published logistic ones.                     docs/math/predictive.md
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark {

/// m and s (if not null) of each new row, in the design's units.
/// \throws InvalidArgument if the table is not the fit's, or the fit kept nothing to predict from
void predictive_moments(const Fit& fit, MatrixView X_new, Vector& m, Vector* s);

/// From m, s and w'V^-1 w, each row by itself: the published bound on p(+1). With `published_stop` the stop rule of vb_logit_pred_incr
/// (1e-5 on a sum that holds w'V^-1 w), otherwise until the bound itself settles.                                        (PRED.1)
double published_probability(double m, double s, double quadratic, bool published_stop);

/// All rows together, with the stop rule of vb_logit_pred.
void published_probabilities(const Vector& m, const Vector& s, double quadratic, Vector& out);

}  // namespace ardvark
