// What a SoftmaxFit remembers for prediction and the model file.
#pragma once

#include "ardvark/softmax.hpp"
#include "design/dense.hpp"
#include "posterior/softmax_solver.hpp"

namespace ardvark::detail {

struct SoftmaxState {
  Standardization standardization;  ///< of the design's columns; the intercept last. Of other codings with compat: of what the machines see
  Matrix W;                         ///< [design columns, C] posterior mean in the design's units; empty for other codings
  ClassCovariance covariance;       ///< V in the design's units
};

}  // namespace ardvark::detail
