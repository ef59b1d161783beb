// What a Fit remembers for prediction, the full covariance and the model file.
#pragma once

#include "ardvark/fit.hpp"
#include "design/dense.hpp"
#include "posterior/solver.hpp"

namespace ardvark::detail {

struct FitState {
  Standardization standardization;  ///< of the design's columns; the intercept last
  double y_center = 0;              ///< linear: y = y_center + y_scale * (standardised y)
  double y_scale = 1;
  Vector w;                       ///< [design columns] posterior mean in the design's units
  CovarianceFactor factor;        ///< V in the design's units
  double quadratic = 0;           ///< w'V^-1 w, for the published predictions                       (PRED.1)
  Vector a, omega;                ///< the precisions and row weights inside V; not in a model file: empty           (RIDGE.1)
  bool proper_intercept = false;  ///< of classes: it has the prior (SP.20); not in a model file
};

}  // namespace ardvark::detail
