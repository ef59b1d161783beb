// The formulas of docs/math/process.md, computed the plain way.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "ardvark/types.hpp"

namespace ardvark::plain {

inline double kappa(const std::string& kind, double u) {
  if (kind == "gaussian") return std::exp(-u);
  if (kind == "laplacian") return std::exp(-std::sqrt(u));
  if (kind == "cauchy") return 1 / (1 + u);
  if (kind == "matern32") return (1 + std::sqrt(6 * u)) * std::exp(-std::sqrt(6 * u));
  return (1 + std::sqrt(10 * u) + 10 * u / 3) * std::exp(-std::sqrt(10 * u));
}

/// kappa between the rows of A and B. \param log_rho  [d]
inline Matrix covariance(const std::string& kind, const Matrix& A, const Matrix& B, const Vector& log_rho) {
  Matrix K(A.rows(), B.rows());
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < B.rows(); ++j)
      K(i, j) = kappa(kind, ((A.row(i) - B.row(j)).transpose().array() * log_rho.array().exp()).square().sum());
  return K;
}

/// ln of the prior of ln rho but for its constants. \param inputs  [widths] how many inputs have it                                 (KM.2)
inline double log_prior_of_widths(const Vector& log_rho, const Vector& inputs) {
  const Vector parts = inputs.array() * (2 * log_rho).array().exp();
  const double size = 0.5 * std::log(2 * parts.sum());
  return -size * size / (2 * 2.25) + (parts / parts.sum()).array().log().mean();
}

/// ln of the prior of ln h and ln rho but for its constants. \param log_rho  one for each width                                    (KM.2)
inline double log_prior(double h, const Matrix& K, const Vector& k, const Vector& log_rho, const Vector& inputs, double unit) {
  const double N = k.sum(), l = h * (N - k.dot(K * k) / N) / (N - 1), x = l / unit;
  return std::log(x) - 2.25 * std::log1p(x) + log_prior_of_widths(log_rho, inputs);
}

}  // namespace ardvark::plain
