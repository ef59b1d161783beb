// The formulas computed in the direct way: explicit inverses in extended precision, sums as written in the docs, quadrature.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>

#include "ardvark/prior.hpp"
#include "ardvark/types.hpp"

namespace ardvark::testing {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

inline constexpr double ln_2pi = 1.8378770664093454836;

/// Computes RIDGE.1 and RIDGE.2 by inverting the whole matrix.
struct PlainRidge {
  Matrix V;
  Vector w;
  double log_det_V = 0;
  Vector m, s;
  double residual = 0;   ///< sum omega (r/omega - m)^2 over the rows with omega > 0
  double explained = 0;  ///< sum omega s
};

[[nodiscard]] PlainRidge plain_ridge(const Matrix& X, const Vector& omega, const Vector& r, const Vector& a);

inline Long plain_softplus(Long x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
inline Long plain_sigmoid(Long x) { return 1 / (1 + std::exp(-x)); }
inline Long plain_lambda(Long xi) { return xi == 0 ? 0.125L : std::tanh(xi / 2) / (4 * xi); }

/// E f(u), u ~ N(m, s), by adaptive quadrature; f may bend sharply at 0.
[[nodiscard]] double normal_expectation(double m, double s, const std::function<double(double)>& f, double tolerance = 1e-13);

/// The logarithm of the integral of exp(log_density) over [low, high]; the maximum of log_density is near `peak`.
[[nodiscard]] double log_integral(double low, double high, double peak, const std::function<double(double)>& log_density);

/// The column term of LIN.3, JJ.5 and VG.2 that holds at any E[alpha]: -ln Gamma(c0) + c0 ln d0 - d0 E - c_N ln d_N + ln Gamma(c_N) + c_N.
[[nodiscard]] double plain_precision_term(const GammaDistribution& prior, Index size, double expected);

using AnyMatrix = Eigen::Ref<const Matrix>;
/// max |x - y|, infinite if the sizes differ or either contains NaN.
[[nodiscard]] double distance(const AnyMatrix& x, const AnyMatrix& y);
/// The largest |x - y| / (1 + |y|), infinite in the same cases.
[[nodiscard]] double relative_distance(const AnyMatrix& x, const AnyMatrix& y);
[[nodiscard]] double relative_distance(double x, double y);

}  // namespace ardvark::testing
