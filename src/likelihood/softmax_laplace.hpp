// Several classes at the mode of their weights: a categorical variable with log probabilities that are linear in x, up to a constant.
// docs/math/softmax.md
#pragma once

#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

/// The rows for several classes, computed from the class scores f_nc = x_n'w_c; one row per observation. The matrix omega_n of (RIDGE.8) is
/// k_n (diag(p_n) - p_n p_n'); it is never formed. k_n: observation weights.                                              (SMX.2)
struct SoftmaxRows {
  Vector k;  ///< [n] observation weights
  Matrix P;  ///< [n, C] probabilities
  Matrix D;  ///< [n, C] k_n p_nc
  Matrix E;  ///< [n, C] k_n (t_nc - p_nc): the gradient of the log likelihood with respect to the scores
  double log_likelihood = 0;
  /// If not null: [n C, n C] lower triangle of the negative Hessian in all scores, class after class, of a likelihood that is not a sum
  /// over rows; k, P and D are then empty.
  const Matrix* hessian = nullptr;
};

/// The log likelihood as a function of the scores.
class ClassLikelihood {
 public:
  virtual ~ClassLikelihood() = default;
  [[nodiscard]] virtual Index num_classes() const = 0;
  /// F [n, C]: the scores.
  virtual void update(const Matrix& F, SoftmaxRows& rows) const = 0;
};

class SoftmaxLaplace final : public ClassLikelihood {
 public:
  /// \param label  [n] class of each row, 0 .. C-1;  \param k  [n] observation weights, > 0
  /// \param last   intercept: the scores have one more row, for the prior of the intercepts                                     (SMX.12)
  SoftmaxLaplace(std::vector<Index> label, Vector k, Index num_classes, LastRow last = LastRow::observation);
  [[nodiscard]] Index num_classes() const override { return num_classes_; }
  [[nodiscard]] const std::vector<Index>& labels() const { return label_; }
  /// F [n, C]: the scores.                                                                                                 (SMX.1), (SMX.2)
  void update(const Matrix& F, SoftmaxRows& rows) const override;

 private:
  std::vector<Index> label_;
  Vector k_;
  Index num_classes_;
  LastRow last_;
};

/// For one row: 1 - p_c as the sum of the other probabilities, without cancellation.
[[nodiscard]] inline double others(const Matrix& P, Index n, Index c) {
  double sum = 0;
  for (Index d = 0; d < P.cols(); ++d)
    if (d != c) sum += P(n, d);
  return sum;
}

}  // namespace ardvark::internal
