// What a Fit remembers for prediction, the full covariance and the model file.
#pragma once

#include <algorithm>

#include "ardvark/fit.hpp"
#include "ardvark/relevance.hpp"
#include "design/dense.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

/// From the caller's columns and target to those of a design.
struct Units {
  Standardization standardization;  ///< of the design's columns; the intercept last
  double y_center = 0;              ///< linear: y = y_center + y_scale * (standardised y)
  double y_scale = 1;
};

struct FitState : Units {
  Vector w;                       ///< [design columns] posterior mean in the design's units
  CovarianceFactor factor;        ///< V in the design's units
  double quadratic = 0;           ///< w'V^-1 w, for the published predictions                       (PRED.1)
  Vector a, omega;                ///< the precisions and row weights inside V; not in a model file: empty           (RIDGE.1)
  bool proper_intercept = false;  ///< of classes: it has the prior (SP.20); not in a model file
};

/// Whether there is something to predict from: a fit that came to no usable end has nothing, one without columns has its rate.
[[nodiscard]] inline bool holds_posterior(const Fit& fit) {
  if (fit.state == nullptr || !fit.mean.allFinite()) return false;
  return fit.state->w.size() > 0 || (fit.num_columns() == 0 && !fit.state->standardization.intercept);
}
[[nodiscard]] inline bool holds_posterior(const RelevanceFit& fit) {
  return !fit.machines.empty() && std::all_of(fit.machines.begin(), fit.machines.end(),
                                              [](const RelevanceMachine& machine) { return holds_posterior(machine.fit); });
}

}  // namespace ardvark::internal
