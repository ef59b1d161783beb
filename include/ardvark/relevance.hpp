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
  variational,  ///< a greedy choice of the columns, then sweeps over these until they converge. The default.             (RVM.2)
  plain,        ///< sweeps over all columns until they converge, then over the relevant ones: the published method, slow
  type_two,     ///< greedy, without hyper-priors: type-II maximum likelihood; Laplace's approximation for classes (Tipping and Faul 2003)
  pruned        ///< classes: preset slr_var on all columns, which leave when their precisions are large (RVM of the SLR toolbox)   (SLR.6)
};
[[nodiscard]] const char* to_string(RelevanceAlgorithm algorithm);

enum class Centres {
  rows,              ///< all training rows
  chosen,            ///< the rows in RelevanceOptions::rows
  pivoted_cholesky,  ///< num_centres rows; each is the row that the rows before it explain worst
  kmeans             ///< num_centres points found by k-means; they depend on the seed
};

enum class KernelSearch {
  none,   ///< no search: the kernel as given
  scale,  ///< one common factor of all parameters of the kernel, by a scan and Brent's method; with 1 parameter, this parameter
  each    ///< first `scale`, then all parameters separately along the gradient; one width per input finds the relevant inputs
};
[[nodiscard]] const char* to_string(KernelSearch search);

enum class Bands {
  published,  ///< the uncertainty of the weights alone: it does not grow away from the data
  open        ///< away from the training rows, also the variance of the fitted values. The curve itself is the same         (KM.8)
};
[[nodiscard]] const char* to_string(Bands bands);

/// Options of fit_relevance_regression and fit_relevance_classification. With the defaults, the fit finds the width.
struct RelevanceOptions {
  Kernel kernel = Kernel::gaussian(1);        ///< for the standardised inputs, unless `standardize` is off
  KernelSearch search = KernelSearch::scale;  ///< maximises the log evidence over the parameters of the kernel             (RVM.5)
  /// [d] search `each`: inputs with the same number share a width, for example the dummies of a text column (FeatureEncoding::groups);
  /// empty: each input has its own width
  std::vector<Index> input_groups = {};
  Bands bands = Bands::published;  ///< open: only for kernels that fall with the distance
  RelevanceAlgorithm algorithm = RelevanceAlgorithm::variational;
  LogisticLikelihood likelihood = LogisticLikelihood::gaussian;  ///< classes: likelihood of the last sweeps; not for type_two
  bool standardize = true;                                       ///< inputs are centred and scaled to standard deviation 1 inside
  Centres centres = Centres::rows;
  Index num_centres = 0;                       ///< pivoted_cholesky, kmeans: >= 1
  std::vector<Index> rows = {};                ///< chosen: positions of training rows, each once
  std::uint64_t seed = 1;                      ///< kmeans
  GammaDistribution precision = {1e-6, 1e-6};  ///< hyper-prior of the precision of each weight, columns scaled to standard deviation 1; > 0
  double prune_at = 1e8;                       ///< pruned: a column leaves when its precision reaches it; > 0
  bool intercept = true;                       ///< pruned: whether there is a bias; the other algorithms always have one
  std::vector<double> start_precision = {};    ///< pruned, two classes: [rows] or [rows + 1] with the bias last: starting precisions, > 0
  int record_every = 0;                        ///< pruned: as FitOptions::record_every, for the columns of all candidates; the bias is last
  GammaDistribution noise = {1e-6, 1e-6};      ///< regression: prior of the noise precision of the standardised target; > 0
  VectorView weights = {};                     ///< [rows] a weight equals repetition; >= 0, not all zero; empty: ones
  Index compare_up_to = 300;                   ///< variational: with at most this number of columns, fits `plain`, too, and keeps the fit
                                               ///< with the higher log evidence (RVM.3)
  int max_sweeps = 500;                        ///< >= 1, number of final sweeps; pruned: of all sweeps
  bool compat = false;                         ///< pruned, two classes: exactly the published program: inputs are centred and divided by
                                               ///< their largest absolute value, max_sweeps sweeps, a bias with a precision, plug-in
                                               ///< probabilities
  int max_actions = 10000;                     ///< >= 1, number of actions of the greedy part
  int threads = 0;                             ///< during the fit; 0: the number of threads of OpenBLAS
  SweepCallback on_sweep = {};                 ///< after each sweep and action: return false to stop
  std::vector<std::string> input_names = {};   ///< [d] for messages and files; empty: x1, x2, ...
  std::vector<std::string> class_names = {};   ///< classes: names of the labels 0, 1, 2, ..., which are then the only labels; empty: the
                                               ///< numbers are the names
};

/// One trial of the kernel search: a point of the curve of the log evidence.
struct KernelTrial {
  std::vector<double> parameters;  ///< of the kernel, in the order of its name
  double log_evidence = 0;
  Index num_vectors = 0;  ///< number of relevance vectors of this trial (all classes together)
};

/// A weighted sum of kernel functions and a bias. A regression or two classes have one machine; several classes have one for each class
/// against the rest.
struct RelevanceMachine {
  std::vector<Index> vectors;  ///< [columns of fit] positions in RelevanceFit::relevance_vectors
  Fit fit;                     ///< fit on the kernel columns at these vectors; coefficients in the units of the target
  double log_evidence = 0;
  double fitted_variance = 0;  ///< open bands: variance of the fitted values, or of the score, over the training rows         (KM.8)
  Vector candidate_mean;  ///< pruned: [candidates + 1] weights after the last sweep, also of columns that leave in it; the bias is last
  Matrix candidate_probability;  ///< pruned, compat: [n,2] class probabilities of the training rows, by candidate_mean      (SLR.6)
};

/// The result of a fit.
struct RelevanceFit {
  Task task = Task::linear;                  ///< linear: regression; logistic: classification
  Kernel kernel = Kernel::gaussian(1);       ///< with the parameters used
  KernelSearch search = KernelSearch::none;  ///< how the parameters were found
  Bands bands = Bands::published;
  Matrix band_rows;                   ///< open bands: [s,d] training rows near which bands do not open                (KM.8)
  Vector input_center, input_scale;   ///< [d] the kernel uses (x - center) * scale; scale 0: a constant input, which is left out
  Matrix input_range;                 ///< [d,2] lowest and highest value in the training rows; empty: an older model file
  Matrix relevance_vectors;           ///< [m,d] vectors of all machines, in the units of the inputs, each once, sorted by content
                                      ///< (KER.13)
  std::vector<Index> relevance_rows;  ///< [m] training row of each vector, from 0; -1: a k-means centre
  std::vector<RelevanceMachine> machines;
  double log_evidence = 0;               ///< comparable between kernels, centres and widths; several classes: the sum        (RVM.1)
  std::vector<KernelTrial> trials;       ///< trials of the kernel search, sorted by the first parameter; empty without a search
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
/// If the fit does not converge or has numerical trouble, nothing is thrown: read fit.report. If n times the number of centres exceeds
/// 2^25, the fit needs O(n (m + block)) memory beyond the inputs.
[[nodiscard]] RelevanceRegression fit_relevance_regression(MatrixView X, VectorView y, const RelevanceOptions& options = {});

/// A relevance vector machine for two or more classes. Three or more classes have one machine per class, against the rest.
/// \param labels  [n] at least two distinct values
[[nodiscard]] RelevanceClassification fit_relevance_classification(MatrixView X, VectorView labels, const RelevanceOptions& options = {});

/// A normal distribution per row. Its variance is that of the noise plus that of the weights, which depends on the input.       (VR.4)
/// \param X_new  [m,d] inputs, finite.  \throws InvalidArgument
[[nodiscard]] StudentPrediction predict(const RelevanceRegression& fit, MatrixView X_new,
                                        PredictionOf what = PredictionOf::new_observation);
/// The same, but the noise precision is uncertain.                                                                             (VR.5)
[[nodiscard]] NoiseMixturePrediction predict_mixture(const RelevanceRegression& fit, MatrixView X_new);

struct ClassProbabilities {
  Matrix probability;                ///< [m, classes] rows sum to 1                                             (PRED.2), (RVM.6)
  std::vector<Index> most_probable;  ///< [m] positions in `classes` of the fit
};
/// \param rule  for each machine. The published rules are those of VBLinLogit; with several classes the three act as published_row
[[nodiscard]] ClassProbabilities predict(const RelevanceClassification& fit, MatrixView X_new,
                                         PredictiveRule rule = PredictiveRule::automatic);

/// Rows far outside the range of the training rows, for a kernel that falls with the distance: by more than half the range of an input, or
/// by more than a width (the kernel is below 1/e from the nearest point of the range). Predictions there follow the kernel and return to a
/// constant, and their uncertainty does not grow with the distance.
/// \param X_new  [m,d] inputs, finite.  \throws InvalidArgument
[[nodiscard]] std::vector<Index> rows_beyond_data(const RelevanceFit& fit, MatrixView X_new);

/// The fit as printed text.
[[nodiscard]] std::string summary(const RelevanceFit& fit, const SummaryOptions& options = {});

}  // namespace ardvark
