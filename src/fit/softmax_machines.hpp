// Several classes by logistic regressions: one against the rest, one against one.                   docs/math/softmax.md (SMX.9), (SMX.10)
#pragma once

#include "ardvark/softmax.hpp"

namespace ardvark::internal {

/// The coding: as given, or chosen if the caller does not set it.                                                               (SMX.9)
[[nodiscard]] ClassCoding coding_of(const SoftmaxOptions& options, Index num_classes, Index num_rows, Index num_columns);

/// Fills `fit`, except for the fields that depend only on classes and rows. \param label  [n] 0 .. C-1;  \param k  [n] observation weights
void fit_machines(MatrixView X, const std::vector<Index>& label, const Vector& k, const SoftmaxOptions& options, SoftmaxFit& fit);

/// Accuracy and log loss of the training rows.
void describe_classes(const std::vector<Index>& label, const Vector& k, const ClassProbabilities& p, SoftmaxFit& fit);

}  // namespace ardvark::internal
