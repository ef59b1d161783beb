// What the tests of the Laplace prior share: tables, and their columns in the units in which lambda is meant.
#pragma once

#include <cmath>

#include "../support/random_problem.hpp"
#include "ardvark/fit.hpp"

namespace ardvark::testing {

/// The mode with its own approximation, also with few rows.                                                                      (L1.8)
inline FitOptions laplace(double lambda) {
  FitOptions options;
  options.integrate_few_rows = false;
  options.prior = Prior::laplace(lambda);
  return options;
}

/// Weighted centre and scale of each column, by the definition.
struct Scaled {
  Matrix Z;  ///< standardised columns, then ones
  Vector center, scale;
};
inline Scaled scaled(const Matrix& X, const Vector& k) {
  Scaled out{Matrix::Ones(X.rows(), X.cols() + 1), Vector(X.cols()), Vector(X.cols())};
  for (Index j = 0; j < X.cols(); ++j) {
    out.center[j] = k.dot(X.col(j)) / k.sum();
    const Vector c = X.col(j).array() - out.center[j];
    out.scale[j] = 1 / std::sqrt(k.dot(c.cwiseAbs2()) / k.sum());
    out.Z.col(j) = out.scale[j] * c;
  }
  return out;
}

/// Standardised weights of a fit, the intercept last.
inline Vector standardised(const Fit& fit, const Scaled& s) {
  Vector w(fit.mean.size() + 1);
  w.head(fit.mean.size()) = fit.mean.cwiseQuotient(s.scale);
  w[fit.mean.size()] = fit.intercept->mean + fit.mean.dot(s.center);
  return w;
}

/// From here on no column is left. \param t  the target; of classes 0 and 1
inline double lambda_max_of(const Matrix& X, const Vector& t, const Vector& k) {
  const Scaled s = scaled(X, k);
  return (s.Z.leftCols(X.cols()).transpose() * k.cwiseProduct(Vector(t.array() - k.dot(t) / k.sum()))).cwiseAbs().maxCoeff();
}
/// \param labels  -1 and 1
inline double lambda_max_of_labels(const Matrix& X, const Vector& labels, const Vector& k) {
  return lambda_max_of(X, (0.5 * (labels.array() + 1)).matrix(), k);
}

struct LassoTable {
  Problem problem;
  Vector k;
};
inline LassoTable lasso_table(std::uint64_t seed) {
  Random random(seed);
  const Index n = random.integer(12, 50), p = random.integer(1, 40);
  LassoTable out{make_problem(seed, n, p), Vector::Ones(n)};
  for (Index j = 0; j < p; ++j) out.problem.X.col(j) = random.scale(1e-2, 1e2) * (out.problem.X.col(j).array() + random.normal());
  if (random.chance(0.5))
    for (Index i = 1; i + 1 < n; ++i) out.k[i] = random.scale(0.2, 3);
  return out;
}

inline LassoTable linear_lasso_table(std::uint64_t seed) {
  LassoTable table = lasso_table(seed);
  Random random(seed + 7000);
  table.problem.y = random.scale(1e-2, 1e2) * (table.problem.y.array() + random.normal());
  return table;
}

}  // namespace ardvark::testing
