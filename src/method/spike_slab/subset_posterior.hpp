// Posterior of the effects of a few correlated columns, at most three of them not zero: a sum over subsets.  docs/math/sparse.md (SP.14)
#pragma once

#include <span>

#include "ardvark/types.hpp"
#include "core/simd.hpp"

namespace ardvark::internal {

constexpr Index most_in_block = 10;

/// The problem of count <= most_in_block columns, with the other columns fixed.
struct SubsetProblem {
  Index count = 0;
  const double* A = nullptr;         ///< [count, count] Z'diag(D)Z
  const double* c = nullptr;         ///< [count] Z'diag(D)(r + Z m)
  const double* log_odds = nullptr;  ///< [count] prior log odds of inclusion, ln pi/(1 - pi)
  double kappa = 0, s2 = 1;
};

struct SubsetPosterior {
  double mean[most_in_block];                        ///< [count]
  double inclusion[most_in_block];                   ///< [count]
  double covariance[most_in_block * most_in_block];  ///< [count, count], both triangles
  double included = 0;                               ///< sum q(S) |S|
  double square = 0;                                 ///< sum q(S) (tr V + |mu|^2)
  double negentropy = 0;                             ///< sum q(S) (ln q(S) - 1/2 ln|V|)
  double log_evidence = 0;                           ///< ln of the sum of the weights of all S, relative to the empty set
};

struct SubsetKernel {
  simd::Level level;
  void (*posterior)(const SubsetProblem& problem, SubsetPosterior& out);
};
/// The fastest kernel first; the last one runs on every processor.
[[nodiscard]] std::span<const SubsetKernel> subset_kernels();
/// Uses the first kernel that simd::level() allows. Does not allocate; the cost depends only on count.
void posterior_of_subsets(const SubsetProblem& problem, SubsetPosterior& out);

}  // namespace ardvark::internal
