// The log likelihood of several classes near a point, as a quadratic function of the weights.           docs/math/passes.md (PASS.8)
#pragma once

#include "likelihood/softmax_laplace.hpp"

namespace ardvark::internal {

/// l(W) = log_likelihood + g'd - d'Hd/2, with d = W - at. The scores are the weights: the design is the unit matrix.
class ClassQuadratic final : public ClassLikelihood {
 public:
  /// \param at, gradient  [q, C]
  /// \param hessian       [q C, q C] lower triangle of H, class after class; must exist as long as this object
  ClassQuadratic(Matrix at, double log_likelihood, Matrix gradient, const Matrix& hessian)
      : at_(std::move(at)), log_likelihood_(log_likelihood), gradient_(std::move(gradient)), hessian_(hessian) {}
  [[nodiscard]] Index num_classes() const override { return at_.cols(); }
  void update(const Matrix& W, SoftmaxRows& rows) const override;

 private:
  Matrix at_;
  double log_likelihood_;
  Matrix gradient_;
  const Matrix& hessian_;
};

}  // namespace ardvark::internal
