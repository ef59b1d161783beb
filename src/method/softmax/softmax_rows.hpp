// What a softmax asks of rows that are not in memory, and the sums that answer.                        docs/math/passes.md (PASS.8)
#pragma once

#include <vector>

#include "passes/row_sums.hpp"
#include "posterior/softmax_solver.hpp"

namespace ardvark::internal {

/// The log likelihood of the rows near a point.
struct SoftmaxSums {
  double log_likelihood = 0;
  double num_missed = 0;   ///< rows whose own class does not have the largest score
  double num_moved = 0;    ///< rows of which a score is another one by .1 or more than at `before` of the question
  double num_pushed = 0;   ///< rows that are nearer to another class than there, by 1e-7 or more
  Matrix gradient;         ///< [q, C] X'e
  std::vector<Vector> of;  ///< [C(C-1)/2] pairs (0,1), (0,2), ..., (1,2), ...: the lower triangle of X'diag(k p_c p_d)X, column by column

  [[nodiscard]] Vector packed() const;
  [[nodiscard]] static SoftmaxSums unpacked(const Vector& numbers, Index q, Index C);
  /// [q C, q C] the lower triangle of the negative Hessian.
  [[nodiscard]] Matrix hessian() const;
};

/// Weights, and perhaps their covariance.
struct SoftmaxQuestion final : RowWork {
  std::vector<double> labels;  ///< [C] ascending
  Standardization units;
  Matrix W;                    ///< [q, C]
  Matrix before;               ///< [q, C] or empty
  bool describes = false;      ///< then the answer is how many rows are in their most probable class, and the log loss
  ClassCovariance covariance;  ///< for that; none: the probabilities are those of W

  [[nodiscard]] Vector sums_of(const RowBlock& block) const override;
  static constexpr const char* own_name = "softmax";
  [[nodiscard]] const char* name() const override { return own_name; }
  void write(WorkWriter& to) const override;  ///< without labels and units, which are those of the question
  [[nodiscard]] static std::shared_ptr<const RowWork> read(const WorkReader& from);
};

}  // namespace ardvark::internal
