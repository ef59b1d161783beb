// Fits of a table and a target of any kind.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "ardvark/fit.hpp"
#include "frame/frame.hpp"
#include "likelihood/registry.hpp"
#include "method/l1/lambda_choice.hpp"
#include "method/spike_slab/prior_choice.hpp"

namespace ardvark::internal {

/// A fit of a target of this kind: fit_linear, fit_logistic and fit_counts. \throws InvalidArgument
/// \param memory  the memory of X, if the caller gives it up
[[nodiscard]] Fit fit_table(Task task, const FitTable& X, VectorView target, const FitOptions& options,
                            std::shared_ptr<double[]> memory = nullptr);

/// For callers inside the library: options are valid, the prior is not automatic and has a lambda if it needs one. X may have no columns.
/// \param y  linear: the target; logistic: labels with two different values
[[nodiscard]] Fit fit_checked(Task task, const FitTable& X, VectorView y, const FitOptions& options);

/// A fit by sweeps with this likelihood, under the prior shared, ard, groups or none.
/// \throws InvalidArgument  the target is not valid for the likelihood
[[nodiscard]] Fit fit_by(const LikelihoodRow& likelihood, MatrixView X, VectorView y, const FitOptions& options);

/// fit_table() of a table that is checked. Chooses a prior if it is `automatic` and a lambda if it has none.
/// \param memory    the memory of X, if the caller gives it up
/// \param stand_in  if X and y stand in for another table: the fit is that of the other table
[[nodiscard]] Fit fit_as_asked(Task task, const FitTable& X, VectorView y, const FitOptions& options,
                               std::shared_ptr<double[]> memory = nullptr, const StandIn& stand_in = {});

/// The same of several targets of one table, which the first fit prepares. The prior is not automatic.
/// \param columns  empty before the first fit
/// \param options  those of the first fit, but for what a method alone reads: where it starts, whom it tells
[[nodiscard]] Fit fit_columns(Task task, const FitTable& X, VectorView y, const FitOptions& options, std::optional<Frame>& columns);

/// One of the families, without `automatic`.
void set_family(Family family, FitOptions& options);

/// The fit of the family that is asked for; automatic: of the one with the higher log evidence.                                  (NB.5)
/// \param fit_as  fits with a family that is not automatic
[[nodiscard]] Fit fit_of_family(Task task, std::optional<Family> asked, const std::function<Fit(Family)>& fit_as);

/// Writes down in a fit by which choices it was made, and warns if it may be too confident.
/// \param num_columns  of the caller's table
void tell_choices(const ChosenOptions& options, ChosenLambda lambda, Index num_columns, Fit& fit);
/// The modes under a Laplace prior for many lambdas. \throws InvalidArgument
[[nodiscard]] LambdaPath path_as_asked(Task task, const FitTable& X, VectorView y, const PathGrid& grid, const FitOptions& options);

}  // namespace ardvark::internal
