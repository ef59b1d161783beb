// One softmax for all classes: what comes before and after the search for its weights.                              docs/math/softmax.md
#pragma once

#include <memory>

#include "frame/frame.hpp"
#include "frame/prior_partition.hpp"
#include "method/softmax/softmax.hpp"
#include "posterior/softmax_state.hpp"

namespace ardvark::internal {

/// The number of regressions or classes for which start_precision has values.
[[nodiscard]] Index num_starts(const SoftmaxOptions& options, Index num_classes);

struct SoftmaxModel {
  /// \param all  must exist as long as this object; the prior is not automatic
  SoftmaxModel(Frame given, const SoftmaxOptions& all, SoftmaxFit& fit);

  const SoftmaxOptions& options;
  Frame frame;
  PreparedPrior one;             ///< of one class
  std::unique_ptr<Design> rows;  ///< of the frame
  bool proper;                   ///< the intercepts have a prior                                                               (SMX.12)
  PrecisionPrior prior;          ///< of num_classes * columns of the design

  [[nodiscard]] ClassSettings settings() const;
  /// Writes the outcome to the fit, in the units of X. Null: it has no posterior.
  [[nodiscard]] std::shared_ptr<SoftmaxState> finish(ClassOutcome outcome, SoftmaxFit& fit) const;
};

}  // namespace ardvark::internal
