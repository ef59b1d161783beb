// Regression under a Laplace prior, from the caller's table to a Fit.                                      docs/math/l1.md
#pragma once

#include "ardvark/logistic.hpp"
#include "frame/solution.hpp"
#include "method/l1/held_columns.hpp"

namespace ardvark::internal {

/// \throws InvalidArgument  options that cannot be used with a Laplace prior; a lambda below zero
void validate_lasso(const FitOptions& options);

[[nodiscard]] Solution solve_lasso(const Frame& frame);
/// The preset l1_slr_c. With compat: exactly max_sweeps simultaneous updates, as published.                                 (L1.9)
[[nodiscard]] Solution solve_l1_slr(const Frame& frame);
/// Whether there are more rows, by their weight, than columns that take part.
[[nodiscard]] bool is_tall(const Frame& frame);
[[nodiscard]] LambdaPath lasso_path(const Frame& frame, const PathGrid& grid);

/// Whether columns of the design separate some rows of one class from the others, so that without a prior they have no maximum.  (L1.13)
[[nodiscard]] bool separate_rows(const Frame& frame, const std::vector<Index>& columns);

/// The result of a search for the mode: the columns that are flat or have a weight other than zero, ascending, and the rows there.
struct LassoMode {
  std::vector<Index> columns;
  Vector w;
  HeldColumns X;
  Vector m, omega;
};
/// Laplace's approximation for these columns.                                                                                (L1.8)
/// \param flat    columns without penalty, with the intercept
/// \param report  of the search
[[nodiscard]] Solution solution_of(const LassoMode& mode, std::vector<Index> flat, const Frame& frame, Report report);

/// The same where only sums over the rows are known: the solution is without the moments of the rows.
struct LassoSums {
  std::vector<Index> columns;
  Vector w;
  Matrix gram;           ///< [columns, columns] X'diag(omega)X, the lower triangle
  double explained = 0;  ///< sum of omega m^2
};
[[nodiscard]] Solution solution_of(const LassoSums& mode, std::vector<Index> flat, const Frame& frame, Report report);

/// The columns without penalty, the intercept among them.
[[nodiscard]] std::vector<Index> flat_columns_of(const Frame& frame);
/// ln p(t | w) + ln p(w) of classes minus F(w), for so many penalised columns.                                                (L1.1)
[[nodiscard]] double log_prior_constant(Index num_penalised, double lambda);
/// Adds the notes on lambda, and the history that a fit is asked to record.
void finish_lasso(const FitOptions& options, double lambda_max, Solution& solution);
/// A solution without a posterior, and why.
void leave_no_posterior(Status status, std::string message, Solution& solution);
/// A path of these lambdas whose weights are to be written.
[[nodiscard]] LambdaPath empty_path(const Frame& frame, const std::vector<double>& lambdas, double lambda_max);
/// Writes the weights at one of its lambdas, the next one, in the units of the caller. \param flat  the columns without penalty
void write_weights(const Frame& frame, const std::vector<Index>& flat, const Vector& w, Index at, LambdaPath& path);
/// The lambdas of a path, falling.                                                                                           (L1.5)
/// \throws InvalidArgument  lambda_max is zero
[[nodiscard]] std::vector<double> lambdas_of(const PathGrid& grid, double lambda_max, bool tall);

}  // namespace ardvark::internal
