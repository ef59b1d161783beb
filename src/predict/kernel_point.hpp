// The posterior of one point of a kernel machine at new rows.                                                 docs/math/process.md (KM.6)
#pragma once

#include "ardvark/kernel_machine.hpp"

namespace ardvark::internal {

/// Moments of f of one point, in the units of the process: the variance in units of the noise variance. X: inputs as the kernel uses them.
class PointPredictor {
 public:
  /// \param point    must exist as long as this
  /// \param vectors  [m, d] those of the fit, as the kernel uses them
  /// \param variances  false: only mean() is called
  PointPredictor(const KernelPoint& point, const Matrix& vectors, bool variances = true);

  [[nodiscard]] Vector mean(const Matrix& X) const;
  struct Moments {
    Vector mean, variance;
    Vector rest;  ///< of the variance, what the features leave open
  };
  [[nodiscard]] Moments moments(const Matrix& X) const;
  /// The rows together. \returns their covariance, both triangles
  [[nodiscard]] Matrix joint_moments(const Matrix& X, Vector& mean) const;

 private:
  [[nodiscard]] Index num_linear() const { return point_.mean.size() - 1 - Z_.rows(); }
  /// [features, rows] of the vectors, of the linear part, and 1.
  [[nodiscard]] Matrix features(const Matrix& X) const;
  /// Those features, times the inverse of the factor of the precision.
  [[nodiscard]] Matrix spread(Matrix features) const;

  const KernelPoint& point_;
  Matrix Z_, L_, root_;  // L^-1 of h K_zz, and the inverse of the factor of the precision
};

[[nodiscard]] Matrix vectors_as_used(const KernelFit& fit);
/// \throws InvalidArgument  X_new is not finite, or has another number of columns
void check_new_rows(const KernelFit& fit, MatrixView X_new);

}  // namespace ardvark::internal
