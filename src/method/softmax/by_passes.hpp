// The loop of several classes with rows that are not in memory: each pass makes a quadratic function of all weights, which is solved whole.
//                                                                                                        docs/math/passes.md (PASS.8)
#pragma once

#include <functional>
#include <memory>

#include "method/softmax/softmax_model.hpp"
#include "method/softmax/softmax_rows.hpp"

namespace ardvark::internal {

/// Answers with sums over all rows, or over those of a sample.
using AskSoftmax = std::function<Vector(std::shared_ptr<const SoftmaxQuestion>)>;

struct SoftmaxPassSettings {
  bool is_from_far = false;  ///< a start for other rows, from far away: a hundredth of a nat is enough
  SweepCallback on_sweep = nullptr;
};

/// \param start  [q, C] weights, q the columns of the design
[[nodiscard]] ClassOutcome sweep_classes_by_passes(const SoftmaxModel& model, SoftmaxQuestion question, AskSoftmax ask, const Matrix& start,
                                                   SoftmaxPassSettings settings = {});

/// [q, C] No weights, and the intercepts of the shares of the classes.
[[nodiscard]] Matrix weights_of_shares(const SoftmaxModel& model, const Vector& class_weight);
/// [q, C] Those of the outcome; 0: not in the posterior.
[[nodiscard]] Matrix weights_of_classes(const ClassOutcome& outcome, Index q, Index num_classes);

}  // namespace ardvark::internal
