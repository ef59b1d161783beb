// Which model: several models are fitted to one table and ranked by their log evidence. docs/math/compare.md
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/model.hpp"

namespace ardvark {

/// What is compared. All fits have the same rows, target, observation weights and flat columns.
struct ComparisonOptions {
  /// "linear", "logistic" (two classes or more) or "counts", and the common options of the fits: weights, flat columns, names, max_sweeps,
  /// on_sweep,
  /// ... Only the priors ard, slab and sparse use the groups. prior, task and kernel are not read.
  ModelOptions model{.model = "linear"};
  std::vector<std::string> priors = {"shared", "ard", "dense", "sparse"};  ///< any of these and slab
  /// Each prior with each of these. Linear: "normal", "student"; none: as model.noise. Counts: "poisson", "negative-binomial"; none: both.
  std::vector<std::string> families = {};
  std::vector<std::string> kernels = {};  ///< relevance vector machines with these kernels, widths by the log evidence: "gaussian", ...
  std::vector<std::string> models = {};   ///< "kernel": also the kernel machine of fit_kernel_regression and fit_kernel_classification
  MatrixView inputs = {};                 ///< [n,d] inputs of the kernels; empty: X
};

/// One of the fits.
struct ComparedModel {
  std::string name;       ///< name of the prior, "rvm" and the kernel, or "kernel"
  ModelOptions options;   ///< fit_model gives this fit with these options
  double bound = 0;       ///< bound that the fit reports, nats
  double evidence = 0;    ///< log evidence: the bound minus the price of its hyper-priors, nats; comparable if `comparable`        (CMP.1)
  double difference = 0;  ///< evidence minus that of the first model, nats; NaN if not comparable
  bool comparable = true;
  std::string remark;                                          ///< why the fit is not comparable, or what its number means; may be empty
  double effective_parameters = 0;                             ///< NaN for the kernel machine
  std::optional<Index> probable_effects;                       ///< slab, sparse: columns that are kept
  double noise_sd = std::numeric_limits<double>::quiet_NaN();  ///< linear, in units of the target
  double log_loss = std::numeric_limits<double>::quiet_NaN();  ///< logistic, training rows, nats per row
  double deviance_explained = std::numeric_limits<double>::quiet_NaN();  ///< counts, training rows
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
  Index num_classes = 0;  ///< logistic. More than two: every number of a model is a sum over the regressions of each class against the rest
                          ///<                                                                                          (CMP.5)
  std::vector<ComparedModel>
      models;  ///< first the comparable models by evidence, largest first (sparse before models within 0.1 nats); then the others, by bound
  std::string verdict;             ///< one sentence: which model to take, and how sure this is
  std::vector<std::string> notes;  ///< such as how many rows were left out because a value was missing
  Status status = Status::failed;  ///< converged, stopped_by_user, or the status of the first model that ended in another way

  /// The best comparable model; null if there is none.
  [[nodiscard]] const ComparedModel* best() const { return models.empty() || !models.front().comparable ? nullptr : &models.front(); }
};

/// Fits each model and ranks the models.
///
///     ardvark::Comparison c = ardvark::compare_models(X, y, {.kernels = {"gaussian"}});
///
/// The prior ard is fitted and listed, but not ranked: its bound prefers explanations in which the noise goes to zero.          (CMP.2)
/// \param X       [n,p] as in fit_model
/// \param target  [n] numbers, or labels of two classes or more
/// \throws InvalidArgument  before any work: a prior, kernel or model that is unknown or named twice; fewer than two models; kernels
/// together with
///         flat columns or without an intercept; what fit_model throws. A fit that does not converge is not an
///         error.
[[nodiscard]] Comparison compare_models(MatrixView X, VectorView target, const ComparisonOptions& options = {});
/// The checks that need no data.
void check_comparison(const ComparisonOptions& options);

/// The comparison as a printed table.
[[nodiscard]] std::string summary(const Comparison& comparison);
[[nodiscard]] std::string to_json(const Comparison& comparison);

}  // namespace ardvark
