// The part of a Fit for predictions, the full covariance and the model file.
#pragma once

#include <algorithm>

#include "ardvark/fit.hpp"
#include "ardvark/kernel_machine.hpp"
#include "ardvark/relevance.hpp"
#include "core/tilted_normal.hpp"
#include "design/table_design.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

/// Converts the caller's columns and target to those of a design.
struct Units {
  Standardization standardization;  ///< of the design's columns; the intercept last
  double y_center = 0;              ///< linear: y = y_center + y_scale * (standardised y)
  double y_scale = 1;
};

/// Of the posterior of the noise precision. Below it, no interval has an end that is a number.
inline constexpr double least_noise_shape = 1e-6;

struct FitState : Units {
  Vector w;                       ///< [design columns] posterior mean in the design's units
  CovarianceFactor factor;        ///< V in the design's units
  double quadratic = 0;           ///< w'V^-1 w, for the published predictions                       (PRED.1)
  Vector a, omega;                ///< the precisions and row weights inside V; empty after loading a model file        (RIDGE.1)
  bool proper_intercept = false;  ///< classes: the intercept has the prior (SP.20); not in a model file
  /// [columns of the table], and one more for the intercept in the caller's units, if there is one: the marginals in standard deviations
  /// from their means. Empty: all are normal.                                                                                  (SKEW.5),
  /// (SKEW.8)
  std::vector<TiltedParts> marginals;
};

/// Whether predictions are possible: not after a failed fit, but a fit without columns predicts with its rate.
[[nodiscard]] inline bool holds_posterior(const Fit& fit) {
  if (fit.state == nullptr || !fit.mean.allFinite()) return false;
  return fit.state->w.size() > 0 || (fit.num_columns() == 0 && !fit.state->standardization.intercept);
}
[[nodiscard]] inline bool holds_posterior(const RelevanceFit& fit) {
  return !fit.machines.empty() && std::all_of(fit.machines.begin(), fit.machines.end(),
                                              [](const RelevanceMachine& machine) { return holds_posterior(machine.fit); });
}
[[nodiscard]] inline bool holds_posterior(const KernelFit& fit) {
  return !fit.processes.empty() &&
         std::all_of(fit.processes.begin(), fit.processes.end(), [](const KernelProcess& process) { return !process.points.empty(); });
}

}  // namespace ardvark::internal
