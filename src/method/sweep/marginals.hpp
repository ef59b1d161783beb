// Marginals of the weights that are not normal: for each, the best normal distribution of the others given its value. docs/math/skew.md
#pragma once

#include <vector>

#include "core/tilted_normal.hpp"
#include "likelihood/likelihood.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

/// As a full matrix, the covariance of more columns takes too much memory.
inline constexpr Index most_tilted_columns = 5000;

/// Columns with one precision, of which q(alpha) = Gam(shape, shape/precision) at the end of the fit.
struct PrecisionGroup {
  std::vector<Index> columns;
  double shape = 0, precision = 0;
  double prior_rate = 0;
};

struct FittedRows {
  const Likelihood& likelihood;  ///< in the state of the end of the fit
  Design& X;                     ///< with a row for each of the likelihood's
  const Posterior& q;            ///< of all columns of the design
  const CovarianceFactor& factor;
  std::vector<PrecisionGroup> groups = {};  ///< whose precisions are uncertain                                             (SKEW.7)
};

/// [combinations.cols()] The marginal of c'w for each column c, in standard deviations from its mean; without parts where a normal
/// marginal is good to a hundredth of a standard deviation. Empty if that is true of all, or if the likelihood has no expectation at given
/// moments. The result does not depend on the number of threads.                                              (SKEW.1) to (SKEW.8)
[[nodiscard]] std::vector<TiltedParts> tilted_marginals(FittedRows fit, const Matrix& combinations);

}  // namespace ardvark::internal
