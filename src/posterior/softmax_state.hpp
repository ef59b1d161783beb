// The part of a SoftmaxFit for predictions and the model file.
#pragma once

#include <algorithm>

#include "ardvark/softmax.hpp"
#include "design/table_design.hpp"
#include "posterior/softmax_solver.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {

struct SoftmaxState {
  Standardization standardization;  ///< of the design's columns; the intercept last. Other codings with compat: of the machines' columns
  Matrix W;                         ///< [design columns, C] posterior mean in the design's units; empty for other codings
  ClassCovariance covariance;       ///< V in the design's units
};

/// Whether predictions are possible: there is a softmax, or all its regressions have a posterior.
[[nodiscard]] inline bool holds_posterior(const SoftmaxFit& fit) {
  if (fit.state == nullptr || !fit.mean.allFinite()) return false;
  return fit.coding == ClassCoding::softmax
             ? fit.state->W.size() > 0
             : static_cast<Index>(fit.machines.size()) == fit.mean.cols() &&
                   std::all_of(fit.machines.begin(), fit.machines.end(), [](const Fit& machine) { return holds_posterior(machine); });
}

}  // namespace ardvark::internal
