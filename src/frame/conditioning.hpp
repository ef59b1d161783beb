// How near to collinear the columns are, and what rounding leaves of the coefficients.                      docs/math/ridge.md (RIDGE.9)
#pragma once

#include <string>
#include <vector>

#include "design/dense.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

struct Conditioning {
  double number = 1;          ///< of [diag(omega)^1/2 X; A^1/2] with columns scaled to length one, in the Frobenius norm
  double flat_inflation = 1;  ///< the largest [V^-1]_jj V_jj of a column without a prior
  double inflation = 1;       ///< of any column
  Index inflated = -1;        ///< which one that is
  double digits = 16;         ///< of the coefficient that keeps the fewest, beside its own size or its standard deviation
  Index column = -1;          ///< which it is
};

/// \param q               after Solver::finish()
/// \param omega           the weights inside V
/// \param noise_variance  V times it is the covariance of the weights
[[nodiscard]] Conditioning condition_of(Solver& solver, const Partition& partition, const Standardization& standardization,
                                        const Posterior& q, const Vector& omega, double noise_variance);

/// Whether too little is left of a Gram matrix.
[[nodiscard]] bool asks_for_qr(const Conditioning& of_gram, Index rows, Index columns);

/// What rounding in the scores may do to a bound of classes, by each unit of a column's weight, nats: [columns].        (BOUND.7)
/// \param rows  the sum of the observation weights
[[nodiscard]] Vector score_rounding_of(Design& X, const Standardization& standardization, double rows);

/// A warning where fewer than four digits are left; else "".
[[nodiscard]] std::string warning_of(const Conditioning& conditioning, SolverKind solver, const std::vector<std::string>& column_names);

/// The same of fits that judge only the columns without a prior, by their Gram matrix. \param k  observation weights
void warn_of_flat_columns(Design& X, const std::vector<Index>& flat, const Vector& k, const std::vector<std::string>& column_names,
                          std::vector<std::string>& warnings);

}  // namespace ardvark::internal
