// Relevance vector machines: sparse regression and classification on kernel columns.                docs/math/relevance.md, greedy.md
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/kernel.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace ardvark {

enum class RelevanceAlgorithm {
  variational,  ///< which columns: greedily; then sweeps over those until they have converged. The default.             (RVM.2)
  plain,        ///< sweeps over all columns until they have converged, then over those that matter: the published way, slow
  type_two,     ///< greedily, no hyper-priors: type-II maximum likelihood; Laplace's approximation for classes (Tipping and Faul 2003)
  pruned        ///< classes: the preset slr_var on all columns, which leave as their precisions grow (RVM of the SLR toolbox)   (SLR.6)
};
[[nodiscard]] const char* to_string(RelevanceAlgorithm algorithm);

enum class Centres {
  rows,              ///< all training rows
  chosen,            ///< the rows in RelevanceOptions::rows
  pivoted_cholesky,  ///< num_centres rows, each the one that the rows before it explain worst
  kmeans             ///< num_centres points between the rows; the seed decides
};

enum class KernelSearch {
  none,   ///< the kernel as given
  scale,  ///< one common factor of all the kernel's parameters, by a scan and Brent's method; 1 parameter: that parameter
  each    ///< `scale`, then every parameter by itself along the gradient: one width per input finds the inputs that matter
};
[[nodiscard]] const char* to_string(KernelSearch search);

/// Options of fit_relevance_regression and fit_relevance_classification. The defaults need no choice of a width.
struct RelevanceOptions {
  Kernel kernel = Kernel::gaussian(1);        ///< of the standardised inputs, unless `standardize` is off
  KernelSearch search = KernelSearch::scale;  ///< maximises the log evidence over the kernel's parameters                  (RVM.5)
  /// [d] of `each`: inputs of one number share a width, as the dummies of one text column (FeatureEncoding::groups); empty: a width each
  std::vector<Index> input_groups = {};
  RelevanceAlgorithm algorithm = RelevanceAlgorithm::variational;
  LogisticLikelihood likelihood = LogisticLikelihood::gaussian;  ///< of the last sweeps; classes, not type_two
  bool standardize = true;                                       ///< inputs are centred and scaled to standard deviation 1 inside
  Centres centres = Centres::rows;
  Index num_centres = 0;                       ///< pivoted_cholesky, kmeans: >= 1
  std::vector<Index> rows = {};                ///< chosen: positions of training rows, each once
  std::uint64_t seed = 1;                      ///< kmeans
  GammaDistribution precision = {1e-6, 1e-6};  ///< hyper-prior of each weight's precision, of columns scaled to standard deviation 1; > 0
  double prune_at = 1e8;                       ///< pruned: a column leaves when its precision reaches it; > 0
  bool intercept = true;                       ///< pruned: a bias; the others have one
  std::vector<double> start_precision = {};  ///< pruned, two classes: [rows], or one more, last, of the bias: precisions to begin with, > 0
  int record_every = 0;                      ///< pruned: as FitOptions::record_every, of all candidates' columns; the bias last
  GammaDistribution noise = {1e-6, 1e-6};    ///< regression: prior of the noise precision of the standardised target; > 0
  VectorView weights = {};                   ///< [rows] a weight equals repetition; >= 0, not all zero; empty: ones
  Index compare_up_to = 300;                 ///< variational, up to so many columns: also `plain`, and the higher evidence is kept (RVM.3)
  int max_sweeps = 500;                      ///< >= 1, of the final sweeps; pruned: of all
  bool compat = false;                       ///< pruned, two classes: exactly the published program: inputs centred and divided by their
                                             ///< largest absolute value, max_sweeps sweeps, a bias with a precision, plug-in probabilities
  int max_actions = 10000;                   ///< >= 1, of the greedy part
  int threads = 0;                           ///< during the fit; 0: as many as OpenBLAS has been given
  SweepCallback on_sweep = {};               ///< after each sweep and action: return false to stop
  std::vector<std::string> input_names = {};  ///< [d] for messages and files; empty: x1, x2, ...
  std::vector<std::string> class_names = {};  ///< classes: of the labels 0, 1, 2, ..., then the only ones; empty: the labels' numbers
};

/// One trial of the kernel search: the curve of the evidence.
struct KernelTrial {
  std::vector<double> parameters;  ///< of the kernel, in the order of its name
  double log_evidence = 0;
  Index num_vectors = 0;  ///< relevance vectors there (of all classes)
};

/// One weighted sum of kernel functions and a bias: the only one of a regression or of two classes, else that of one class against the
/// rest.
struct RelevanceMachine {
  std::vector<Index> vectors;  ///< [columns of fit] which relevance vectors
  Fit fit;                     ///< of the kernel columns at these vectors; coefficients in the units of the target
  double log_evidence = 0;
  Vector candidate_mean;         ///< pruned: [candidates + 1] weights after the last sweep, of columns too that leave with it; a bias last
  Matrix candidate_probability;  ///< pruned, compat: [n,2] of the two classes, of the training rows, by candidate_mean         (SLR.6)
};

/// What a fit found.
struct RelevanceFit {
  Task task = Task::linear;                  ///< linear: regression; logistic: classification
  Kernel kernel = Kernel::gaussian(1);       ///< with the parameters used
  KernelSearch search = KernelSearch::none;  ///< how they were found
  Vector input_center, input_scale;          ///< [d] the kernel sees (x - center) * scale; scale 0: a constant input, left out
  Matrix relevance_vectors;                  ///< [m,d] in the units of the inputs, of all machines, each once, sorted by content (KER.13)
  std::vector<Index> relevance_rows;         ///< [m] the training row each is, from 0; -1: a k-means centre
  std::vector<RelevanceMachine> machines;
  double log_evidence = 0;               ///< comparable between kernels, centres and widths; of several classes the sum      (RVM.1)
  std::vector<KernelTrial> trials;       ///< of the kernel search, by the first parameter; empty if there was none
  std::vector<std::string> input_names;  ///< [d]
  std::string target;
  std::vector<std::string> classes;  ///< classification: ascending
  double num_rows = 0;               ///< sum of the observation weights
  double r_squared = 0;              ///< regression, training rows
  double accuracy = 0;               ///< classification, training rows
  double log_loss = 0;               ///< classification, training rows, nats per row
  RelevanceAlgorithm algorithm = RelevanceAlgorithm::variational;
  Report report;

  [[nodiscard]] Index num_inputs() const { return input_center.size(); }
  [[nodiscard]] Index num_vectors() const { return relevance_vectors.rows(); }
};

struct RelevanceRegression : RelevanceFit {};
struct RelevanceClassification : RelevanceFit {};

/// A relevance vector machine for regression.
///
///     ardvark::RelevanceRegression fit = ardvark::fit_relevance_regression(X, y);
///
/// \param X  [n,d] inputs (not kernel columns); finite
/// \param y  [n] finite
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// Numerical outcomes are not thrown: read fit.report. Memory O(n (m + block)) beyond the inputs once n times the centres exceeds 2^25.
[[nodiscard]] RelevanceRegression fit_relevance_regression(MatrixView X, VectorView y, const RelevanceOptions& options = {});

/// A relevance vector machine for two classes or more (then one machine per class, against the rest).
/// \param labels  [n] at least two distinct values
[[nodiscard]] RelevanceClassification fit_relevance_classification(MatrixView X, VectorView labels, const RelevanceOptions& options = {});

/// A normal distribution per row, whose variance is that of the noise and, by input, that of the weights.                       (VR.4)
/// \param X_new  [m,d] inputs, finite.  \throws InvalidArgument
[[nodiscard]] StudentPrediction predict(const RelevanceRegression& fit, MatrixView X_new,
                                        PredictionOf what = PredictionOf::new_observation);
/// The same with the noise precision uncertain.                                                                                (VR.5)
[[nodiscard]] NoiseMixturePrediction predict_mixture(const RelevanceRegression& fit, MatrixView X_new);

struct ClassProbabilities {
  Matrix probability;                ///< [m, classes] rows sum to 1                                             (PRED.2), (RVM.6)
  std::vector<Index> most_probable;  ///< [m] position in the fit's classes
};
/// \param rule  of each machine; the published ones are of other programs
[[nodiscard]] ClassProbabilities predict(const RelevanceClassification& fit, MatrixView X_new,
                                         PredictiveRule rule = PredictiveRule::automatic);

/// The fit as text for people.
[[nodiscard]] std::string summary(const RelevanceFit& fit, double level = 0.95);

}  // namespace ardvark
