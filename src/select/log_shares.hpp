// The predictions of a selection if a fit fails.
#pragma once

#include "ardvark/select.hpp"

namespace ardvark::internal {

/// [new rows, classes] ln of the share of each class in the training rows.
[[nodiscard]] inline Matrix log_shares(const SelectionRows& rows) {
  Vector total = Vector::Zero(rows.num_classes);
  for (Index i = 0; i < rows.labels.size(); ++i) total[static_cast<Index>(rows.labels[i])] += rows.weights.empty() ? 1 : rows.weights[i];
  return (total / total.sum()).array().log().matrix().transpose().replicate(rows.X_new.rows(), 1);
}

}  // namespace ardvark::internal
