// The covariance of a Gaussian process over the rows, h kappa(u), u = sum_i rho_i^2 (x_i - x'_i)^2, or h (kappa(u) + g x'x).
// docs/math/process.md (KM.1), (KM.11)
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ardvark/kernel.hpp"

namespace ardvark::internal {

/// kappa over the rows of X for any widths 1/rho, and sums of its derivatives. Only lower triangles are computed. It may be copied, and
/// copies may be used by several threads, but not one by several.
class Covariance {
 public:
  /// \param kind   of a distance kernel
  /// \param X      [n,d] standardised inputs; must exist as long as this
  /// \param group  [d] which width an input has, from 0; -1: the input does not vary
  /// \param linear_part  whether ln g is a parameter: the last one, after ln rho of each width                                  (KM.11)
  Covariance(const std::string& kind, const Matrix& X, std::vector<Index> group, bool linear_part = false);

  [[nodiscard]] Index num_rows() const { return X_.rows(); }
  [[nodiscard]] Index num_widths() const { return num_widths_; }
  [[nodiscard]] Index num_parameters() const { return num_widths_ + (linear_part_ ? 1 : 0); }
  [[nodiscard]] bool has_linear_part() const { return linear_part_; }
  [[nodiscard]] Index num_inputs() const { return static_cast<Index>(inputs_.size()); }  ///< that vary
  [[nodiscard]] const std::vector<Index>& groups() const { return group_; }              ///< [d] as they were given
  /// The kernel with these widths, as all inputs use it.
  [[nodiscard]] Kernel kernel(const Vector& log_rho) const;
  /// K [n,n] <- kappa. If `decline` is not null, it becomes -d kappa/du.
  void evaluate(const Vector& log_rho, Matrix& K, Matrix* decline) const;
  /// [num_widths] sum_ij M_ij d kappa_ij / d ln rho. \param M  [n,n] symmetric, lower stored; overwritten
  [[nodiscard]] Vector slope(const Vector& log_rho, const Matrix& decline, Matrix& M) const;

  /// The inputs that vary, times their rho. \param points  [any, d]
  [[nodiscard]] Matrix scaled(const Eigen::Ref<const Matrix>& points, const Vector& log_rho) const;
  /// K [rows, centres] <- kappa between scaled points. If `decline` is not null, it becomes -d kappa/du.
  void between(const Matrix& rows, const Matrix& centres, Matrix& K, Matrix* decline) const;
  /// Adds sum_ij M_ij d kappa_ij / d ln rho to `slope` [num_widths]. \param M  [rows, centres] overwritten
  void add_slope(const Matrix& rows, const Matrix& centres, const Matrix& decline, Matrix& M, Vector& slope) const;
  [[nodiscard]] const Matrix& inputs() const { return X_; }

  /// g of these parameters; 0 without a linear part.
  [[nodiscard]] double linear_weight(const Vector& parameters) const {
    return linear_part_ ? std::exp(parameters[parameters.size() - 1]) : 0.0;
  }
  /// K [n,n] += g X X', lower triangle.
  void add_linear_part(const Vector& parameters, Matrix& K) const;
  /// sum_ij M_ij g x_i'x_j = sum_ij M_ij d(g x_i'x_j)/d ln g. \param M  [n,n] symmetric, lower stored
  [[nodiscard]] double linear_slope(const Vector& parameters, const Matrix& M) const;
  /// [rows, d] sqrt(h g) times the inputs: features whose products are the linear part; [rows, 0] without one. \param theta  ln h first
  [[nodiscard]] Matrix linear_features(const Eigen::Ref<const Matrix>& rows, const Vector& theta) const;

 private:
  [[nodiscard]] Matrix scaled(const Vector& log_rho) const { return scaled(X_, log_rho); }

  void with_distances(const Vector& log_rho, auto&& f) const;

  Kernel unit_;  // with width 1
  const Matrix& X_;
  std::vector<Index> group_, inputs_;
  Index num_widths_ = 0;
  bool linear_part_ = false;
  mutable Matrix distances_ = {};  // [n,n] lower: of one width, the squared ones between the rows, once they are needed
};

}  // namespace ardvark::internal
