// The likelihoods by name, a row each: all that a fit by sweeps knows of them.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ardvark/fit.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

/// What a likelihood is made from. A likelihood reads what it has a use for.
struct LikelihoodInput {
  Vector y;                             ///< [rows] the target: numbers in units of their own; 0 and 1; counts
  Vector k;                             ///< [rows] observation weights
  Index num_flat = 0;                   ///< columns without a prior, the intercept among them
  Index num_penalised = 0;              ///< the others
  LastRow last = LastRow::observation;  ///< of two classes
  GammaDistribution noise = {0, 0};     ///< of numbers: prior of their precision
  double start_noise = 0;               ///< of numbers: the precision to begin with, in units of y; 0: as usual
  double start_xi = 0;                  ///< of the Jaakkola-Jordan bound
};

struct LikelihoodRow {
  const char* name;
  Task task;  ///< what its target is
  /// \throws InvalidArgument  a target that is none of this likelihood
  std::unique_ptr<Likelihood> (*make)(LikelihoodInput input);
};

[[nodiscard]] std::span<const LikelihoodRow> likelihoods();
[[nodiscard]] const LikelihoodRow& likelihood_row(std::string_view name);
/// The one that the options name.
[[nodiscard]] const LikelihoodRow& likelihood_row(Task task, const FitOptions& options);

}  // namespace ardvark::internal
