// How nearly collinear the columns are, and how many digits of the coefficients are correct.               docs/math/ridge.md (RIDGE.9)
#pragma once

#include <string>
#include <vector>

#include "design/table_design.hpp"
#include "posterior/solver.hpp"

namespace ardvark::internal {

struct Conditioning {
  double number = 1;          ///< of [diag(omega)^1/2 X; A^1/2] with columns scaled to length one, in the Frobenius norm
  double flat_inflation = 1;  ///< the largest [V^-1]_jj V_jj of a column without a prior
  double inflation = 1;       ///< the largest of any column
  Index inflated = -1;        ///< the column of `inflation`
  double digits = 16;         ///< of the coefficient that keeps the fewest, relative to its size or its standard deviation
  Index column = -1;          ///< the column of `digits`
};

/// \param q               after Solver::finish()
/// \param omega           the row weights inside V
/// \param noise_variance  noise_variance V is the covariance of the weights
[[nodiscard]] Conditioning condition_of(Solver& solver, const Partition& partition, const Standardization& standardization,
                                        const Posterior& q, const Vector& omega, double noise_variance);

/// Whether a Gram matrix loses too many digits.
[[nodiscard]] bool asks_for_qr(const Conditioning& of_gram, Index rows, Index columns);

/// [columns] the possible rounding error of the bound of classes, in nats per unit of a column's weight.                      (BOUND.7)
/// \param rows  the sum of the observation weights
[[nodiscard]] Vector score_rounding_of(Design& X, const Standardization& standardization, double rows);

/// A warning if fewer than four digits are left, otherwise "".
[[nodiscard]] std::string warning_of(const Conditioning& conditioning, SolverKind solver, const std::vector<std::string>& column_names);

/// The same for columns without a prior, from a triangular factor of them alone. \param k  observation weights
void warn_of_flat_columns(Design& X, const std::vector<Index>& flat, const Vector& k, const std::vector<std::string>& column_names,
                          std::vector<std::string>& warnings);

}  // namespace ardvark::internal
