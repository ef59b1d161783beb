// What the tests of the greedy algorithm share: the evidence the plain way, columns picked, the three likelihoods.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "core/special.hpp"
#include "method/greedy/greedy.hpp"

namespace ardvark::testing {

using namespace internal;

inline constexpr GreedyLikelihood every_likelihood[] = {GreedyLikelihood::gaussian, GreedyLikelihood::bernoulli,
                                                        GreedyLikelihood::logistic_bound};

/// ln N(t | 0, 1/tau + Phi diag(1/alpha) Phi'), the plain way.
inline double plain_evidence(const Matrix& Phi, const Vector& alpha, double tau, const Vector& t) {
  const Index n = t.size();
  LongMatrix C = LongMatrix::Identity(n, n) / Long(tau);
  for (Index j = 0; j < Phi.cols(); ++j) C += Phi.col(j).cast<Long>() * Phi.col(j).cast<Long>().transpose() / Long(alpha[j]);
  const Eigen::LLT<LongMatrix> llt(C);
  const Long log_det = 2 * LongMatrix(llt.matrixL()).diagonal().array().log().sum();
  const LongVector tl = t.cast<Long>();
  return static_cast<double>(-0.5L * (static_cast<Long>(n) * ln_2pi + log_det + tl.dot(llt.solve(tl))));
}

inline Matrix pick(const Matrix& X, const std::vector<Index>& columns) {
  Matrix out(X.rows(), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) out.col(static_cast<Index>(j)) = X.col(columns[j]);
  return out;
}

/// 0 and 1.
inline Vector labels(const Problem& problem) { return 0.5 * (problem.labels.array() + 1); }

}  // namespace ardvark::testing
