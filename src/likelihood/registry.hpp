// The table of likelihoods: all that a fit by sweeps knows about them.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ardvark/fit.hpp"
#include "likelihood/likelihood.hpp"

namespace ardvark::internal {

/// The input for making a likelihood. Each likelihood reads only what it needs.
struct LikelihoodInput {
  Vector y;                             ///< [rows] the target: numbers in units of their own; 0 and 1; counts
  Vector k;                             ///< [rows] observation weights
  Index num_flat = 0;                   ///< columns without a prior, including the intercept
  Index num_penalised = 0;              ///< the others
  LastRow last = LastRow::observation;  ///< for two classes
  GammaDistribution noise = {0, 0};     ///< for numbers: prior of the noise precision
  double start_noise = 0;               ///< for numbers: first noise precision, in units of y; 0: the default
  double start_xi = 0;                  ///< for the Jaakkola-Jordan bound
  Vector offset = {};                   ///< for counts: [rows] added to the linear predictor; empty: 0
};

struct LikelihoodRow {
  const char* name;
  Task task;  ///< the kind of its target
  /// \throws InvalidArgument  the target is not valid for this likelihood
  std::unique_ptr<Likelihood> (*make)(LikelihoodInput input);
};

[[nodiscard]] std::span<const LikelihoodRow> likelihoods();
[[nodiscard]] const LikelihoodRow& likelihood_row(std::string_view name);
/// The likelihood that the options choose.
[[nodiscard]] const LikelihoodRow& likelihood_row(Task task, const FitOptions& options);

}  // namespace ardvark::internal
