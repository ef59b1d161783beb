// What a method of selection predicts without a fit.
#pragma once

#include "ardvark/select.hpp"

namespace ardvark::internal {

/// ln of how frequent the classes were, for each new row.
[[nodiscard]] inline Matrix log_shares(const SelectionRows& rows) {
  Vector total = Vector::Zero(rows.num_classes);
  for (Index i = 0; i < rows.labels.size(); ++i) total[static_cast<Index>(rows.labels[i])] += rows.weights.empty() ? 1 : rows.weights[i];
  return (total / total.sum()).array().log().matrix().transpose().replicate(rows.X_new.rows(), 1);
}

}  // namespace ardvark::internal
