// Which model: several fitted to one table, ranked by their evidence.                                                docs/math/compare.md
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/model.hpp"

namespace ardvark {

/// What is compared. All fits have the same rows, target, observation weights and flat columns.
struct ComparisonOptions {
  /// "linear" or "logistic" (two classes), and what the fits have in common: weights, flat columns, names, max_sweeps, on_sweep, ... Groups
  /// are those of the priors that have some (ard, slab, sparse). prior, task and kernel are not read.
  ModelOptions model{.model = "linear"};
  std::vector<std::string> priors = {"shared", "ard", "dense", "sparse"};  ///< some of these and slab
  std::vector<std::string> kernels = {};  ///< relevance vector machines on these kernels, widths by the evidence: "gaussian", ...
  MatrixView inputs = {};                 ///< [n,d] of the kernels; empty: X
};

/// One of the fits.
struct ComparedModel {
  std::string name;       ///< of the prior, or "rvm" and the kernel
  ModelOptions options;   ///< with which fit_model gives this fit
  double bound = 0;       ///< the one that the fit reports, nats
  double evidence = 0;    ///< the bound less the price of its hyper-priors, nats: comparable where `comparable` says so        (CMP.1)
  double difference = 0;  ///< evidence less that of the first model, nats; NaN if not comparable
  bool comparable = true;
  std::string remark;  ///< why it is not comparable, or what its number is; may be empty
  double effective_parameters = 0;
  std::optional<Index> probable_effects;                       ///< slab, sparse: columns with inclusion above one half
  double noise_sd = std::numeric_limits<double>::quiet_NaN();  ///< linear, in units of the target
  double log_loss = std::numeric_limits<double>::quiet_NaN();  ///< logistic, training rows, nats per row
  Status status = Status::failed;
  std::string message;  ///< of the fit
  std::vector<std::string> warnings;
  double seconds = 0;  ///< of the fit, wall clock
};

struct Comparison {
  Task task = Task::linear;
  std::string target;
  double num_rows = 0;    ///< sum of the observation weights
  Index num_columns = 0;  ///< of X
  std::vector<ComparedModel>
      models;  ///< the comparable ones by evidence, largest first (sparse before what is within 0.1 nats); then the others, by bound
  std::string verdict;             ///< one sentence: which to take, and how sure
  Status status = Status::failed;  ///< converged, stopped_by_user, or that of the first model that ended otherwise

  /// The best comparable one; null if there is none.
  [[nodiscard]] const ComparedModel* best() const { return models.empty() || !models.front().comparable ? nullptr : &models.front(); }
};

/// Fits each and ranks them.
///
///     ardvark::Comparison c = ardvark::compare_models(X, y, {.kernels = {"gaussian"}});
///
/// ARD is fitted, listed and not ranked: its bound prefers explanations that drive the noise to nothing.                        (CMP.2)
/// \param X       [n,p] as in fit_model
/// \param target  [n] numbers, or labels of two classes
/// \throws InvalidArgument  before any work: a prior or kernel of another name, or twice; fewer than two models; kernels beside flat
/// columns
///         or without an intercept; more than two classes; what fit_model throws. A fit that does not converge is not an error.
[[nodiscard]] Comparison compare_models(MatrixView X, VectorView target, const ComparisonOptions& options = {});
/// The checks that need no data.
void check_comparison(const ComparisonOptions& options);

/// The comparison as a table for people.
[[nodiscard]] std::string summary(const Comparison& comparison);
[[nodiscard]] std::string to_json(const Comparison& comparison);

}  // namespace ardvark
