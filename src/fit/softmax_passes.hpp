// One softmax for all classes whose rows are not in memory: passes.                                     docs/math/passes.md (PASS.8)
#pragma once

#include "ardvark/softmax.hpp"
#include "passes/first_look.hpp"

namespace ardvark::internal {

/// The coding of a fit by passes: as in memory, where the system of a softmax can be borne; else a note says why not.
/// \throws InvalidArgument  the coding asked for needs rows in memory, or too much memory
[[nodiscard]] ClassCoding coding_by_passes(const SoftmaxOptions& options, Index num_classes, Index num_rows, Index num_columns,
                                           Report& report);

/// Fills `fit`, except for the fields that depend only on classes and rows.
/// \param options  coding softmax; the prior may be automatic
void fit_softmax_by_passes(const AskRows& ask, const FirstLook& look, const SoftmaxOptions& options, SoftmaxFit& fit);

}  // namespace ardvark::internal
