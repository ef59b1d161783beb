// From the prior that is asked for to a partition of the columns of the design.
#pragma once

#include <vector>

#include "ardvark/fit.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// True for the columns in a list. \throws InvalidArgument  if the list has a column that X does not have
[[nodiscard]] std::vector<bool> marked_columns(const std::vector<Index>& columns, const char* what, Index num_columns);

/// A regression needs at least as many rows as columns without a prior; weights count as repetitions.
/// \throws InvalidArgument  with the sum of the weights, if there are any
void require_rows(const FitOptions& options, double total, Index num_flat);
/// \throws InvalidArgument  the posterior of the noise precision would have no shape to speak of                           (LIN.1)
void require_noise_shape(const FitOptions& options, double total, Index num_flat);

/// The partition of the columns of the design, and the hyper-priors of its groups.
struct PreparedPrior {
  Partition partition;
  Vector shape, rate;
  PriorKind kind = PriorKind::shared;
};
/// Whether the intercept of two classes has a prior: it is the only flat column, and the fit is not a preset.                   (SP.20)
[[nodiscard]] bool has_proper_intercept(const FitOptions& options, const std::vector<Index>& flat_columns);

/// Validates the prior, which is neither automatic nor sparse.
PreparedPrior prepare_prior(const FitOptions& options, Index num_columns, const std::vector<bool>& left_out);

/// Checks FitOptions::start_precision for num_models models or classes of p columns each. \throws InvalidArgument
void validate_start(const FitOptions& options, Index p, Index num_models);
/// The values of one of the models.
[[nodiscard]] std::vector<double> start_of_model(const FitOptions& options, Index num_models, Index model);
/// Starting values of E[alpha] of the groups: from start_precision, or from `expected` for groups without one.
/// \param q  number of columns of a model's design
[[nodiscard]] Vector start_of(const FitOptions& options, const Partition& partition, Index num_models, Index q, Vector expected);

}  // namespace ardvark::internal
