// Kernel machines for curves, surfaces and classes: a Gaussian process whose widths come from the evidence.      docs/math/process.md (KM)
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/kernel.hpp"
#include "ardvark/linear.hpp"
#include "ardvark/relevance.hpp"
#include "ardvark/row_pass.hpp"

namespace ardvark {

enum class WidthSearch {
  automatic,  ///< shared and each, weighted by their evidence
  shared,     ///< one width for all inputs
  each,       ///< a width for each input: inputs that do not matter get large ones
  given       ///< KernelOptions::widths
};

/// Options of fit_kernel_regression and fit_kernel_classification.
struct KernelOptions {
  std::string kernel = "auto";  ///< "auto" (gaussian and cauchy, weighted by their evidence), "gaussian", "laplacian", "cauchy", "matern32"
                                ///< or "matern52"
  WidthSearch search = WidthSearch::automatic;
  std::vector<double> widths = {};       ///< given: one, or one per input [d]; > 0, for the standardised inputs unless `standardize` is off
  bool linear_part = false;              ///< the function is a kernel's and, besides, a straight line in each input; how much of it is a
                                         ///< line comes from the evidence                                                        (KM.11)
  std::vector<Index> input_groups = {};  ///< [d] inputs with the same number share a width, such as the dummies of a text column; empty:
                                         ///< each input by itself
  bool average = true;       ///< averages over hyper-parameters that the evidence leaves open; false: only the best ones       (KM.4)
  bool all_vectors = false;  ///< keep every row that adds anything, whatever `divergence` is
  Index num_vectors = 0;     ///< keep at most so many rows, with several classes for each, whatever `divergence` is; 0: as that says
  double divergence = 0.01;  ///< > 0, nats per row: how far the predictions of the kept rows may be from those of all rows     (KM.6)
  Index centres = 0;         ///< rows whose features carry the process (KM.7); 0: all rows up to 2000 rows, else 300. With fewer centres
                             ///< than rows, one kernel and one set of hyper-parameters is used, and the centres are the vectors
  bool all_centres = false;  ///< all rows, however many: O(n^3) time
  bool standardize = true;   ///< inputs are centred and scaled to standard deviation 1 inside
  VectorView weights = {};   ///< [rows] a weight equals repetition; >= 0, not all zero; empty: ones
  int threads = 0;           ///< during the fit; 0: the number of threads of OpenBLAS
  std::vector<std::string> input_names = {};  ///< [d] for messages and files; empty: x1, x2, ...
  std::vector<std::string> class_names = {};  ///< classes: names of the labels 0, 1, 2, ...; empty: the numbers are the names
};

/// A kernel with its best widths, and how much the data say for it.
struct KernelHypothesis {
  Kernel kernel = Kernel::gaussian(1);   ///< for the standardised inputs
  bool each = false;                     ///< a width for each input
  std::vector<double> widths = {};       ///< [1], or [d] in the units of the inputs if `each`; infinite: the input does not vary
  std::vector<Interval> intervals = {};  ///< 95% intervals of the widths, by the curvature of the evidence
  double signal = 0;                     ///< the best h: variance of the function in units of the noise variance; classes: of the score
  double linear_share = 0;               ///< of the linear part in the variance of the function over the rows, a priori; in [0, 1]
  double weight = 0;                     ///< of this hypothesis in predictions
  double log_evidence = 0;  ///< in the units of the data, with the hyper-parameters integrated out by Laplace's approximation, nats (KM.4)
};

/// [widths] The intervals of the widths for another level, in (0, 1).
[[nodiscard]] std::vector<Interval> width_intervals(const KernelHypothesis& hypothesis, double level = 0.95);

/// One part of the mixture that predictions are: fixed hyper-parameters, and the posterior of the function in the features of its vectors.
struct KernelPoint {
  double weight = 1;
  Kernel kernel = Kernel::gaussian(1);  ///< for the standardised inputs
  double signal = 1;                    ///< h
  double linear = 0;                    ///< h g: prior variance of the slopes of the linear part; 0: there is none              (KM.11)
  double noise_variance = 1;            ///< of the standardised target; classes: 1
  std::vector<Index> vectors;           ///< [m] positions in KernelFit::relevance_vectors
  Vector mean;                          ///< [m + 1], with a linear part [m + d + 1], of the features: those of the vectors, then
                                        ///< sqrt(h g) x, and last the intercept
  Matrix factor;                        ///< Cholesky factor of their precision, lower
};

/// The process of one target: a regression and two classes have one, several classes one for each class against the rest.
struct KernelProcess {
  std::vector<KernelHypothesis> hypotheses;  ///< by weight, falling
  std::vector<KernelPoint> points;           ///< weights sum to 1
  double log_evidence = 0;
  double divergence = 0;      ///< mean over the rows between the predictions of all rows and of the vectors, nats; NaN with centres
  double largest_change = 0;  ///< of a prediction by leaving out rows: in sd of a new observation; classes: of a probability; NaN likewise
};

struct KernelFit {
  Task task = Task::linear;           ///< linear: regression; logistic: classification
  Vector input_center, input_scale;   ///< [d] the kernel uses (x - center) * scale; scale 0: a constant input, which is left out
  Matrix relevance_vectors;           ///< [m,d] rows that predictions use, in the units of the inputs
  std::vector<Index> relevance_rows;  ///< [m] training row of each vector, from 0
  std::vector<KernelProcess> processes;
  double target_center = 0, target_scale = 1;  ///< regression: the process is that of (y - center) / scale
  double degrees_of_freedom = 0;               ///< regression: of the Student-t distributions that predictions mix
  double log_evidence = 0;                     ///< comparable between kernels; several classes: the sum
  double noise_sd = 0;                         ///< regression: square root of the mean noise variance
  double signal_sd = 0;                        ///< sd of the fitted function over the training rows; classes: of the score
  /// [d] regression and two classes: the share of the variance of the fitted function (classes: of the score) that each input explains by
  /// itself: first-order Sobol' indices with inputs that are independent and distributed as in the training rows. By sampling: the second
  /// digit is uncertain. Several classes: empty                                                                                   (KM.9)
  Vector variance_share;
  std::vector<std::string> input_names;  ///< [d]
  std::string target;
  std::vector<std::string> classes;  ///< classification: ascending
  /// Three classes or more, in [0, 1]: with p the probability of a class against the rest, classes are predicted in proportion to
  /// p / (1 - p)^odds_power. The training rows, each left out, choose it: 0 where classes overlap, 1 where they hardly do           (KM.12)
  double odds_power = 1;
  double num_rows = 0;   ///< sum of the observation weights
  double r_squared = 0;  ///< regression, training rows
  double accuracy = 0;   ///< classification, training rows
  double log_loss = 0;   ///< classification, training rows, nats per row
  Report report;

  [[nodiscard]] Index num_inputs() const { return input_center.size(); }
  [[nodiscard]] Index num_vectors() const { return relevance_vectors.rows(); }
};

struct KernelRegression : KernelFit {};
struct KernelClassification : KernelFit {};

/// Gaussian process regression with few relevance vectors.
///
///     ardvark::KernelRegression fit = ardvark::fit_kernel_regression(X, y);
///
/// \param X  [n,d] inputs; finite.   \param y  [n] finite
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint.   O(n^3) time, O(n^2) memory; with m
/// centres
///         O(n m^2) time, O(m^2) memory beside X
[[nodiscard]] KernelRegression fit_kernel_regression(MatrixView X, VectorView y, const KernelOptions& options = {});
/// The same for two or more classes; three or more have one process for each class against the rest.
/// \param labels  [n] at least two distinct values
[[nodiscard]] KernelClassification fit_kernel_classification(MatrixView X, VectorView labels, const KernelOptions& options = {});

/// The same for a table that is not in memory. Kernel, centres and first widths come from a sample: the larger of 20,000 rows and ten times
/// as many as centres, if they take at most 64 MB. All rows are then read some times: for better widths, and for what they say
/// of the function, of its size and of the noise (PASS.7). Each read of the rows answers the machines of all classes that still ask, and a
/// last one describes the rows if there are three or more. A table of at most twice as many rows as the sample is fitted in memory, as
/// above. \param options  weights must be empty: they belong to the rows. Larger tables are fitted with centres, so num_vectors,
/// all_vectors and
///                 all_centres are refused
/// \throws InvalidArgument  the rows change between two passes; more than 1000 classes; else as above
[[nodiscard]] KernelRegression fit_kernel_regression(const AskRows& ask, const KernelOptions& options = {});
[[nodiscard]] KernelClassification fit_kernel_classification(const AskRows& ask, const KernelOptions& options = {});

/// A mixture of Student-t distributions per row.
struct TMixturePrediction {
  Vector mean;                                              ///< [m] of the mixture
  Vector weight;                                            ///< [parts] sum to 1
  Matrix part_mean, part_scale;                             ///< [m, parts] a new observation, or the function, is mean + scale t
  double degrees_of_freedom = 0;                            ///< of all parts; infinity: normal distributions
  [[nodiscard]] Vector standard_deviation() const;          ///< [m] infinite for degrees_of_freedom <= 2
  [[nodiscard]] Vector quantile(double probability) const;  ///< [m] probability in (0, 1)
  /// [m] each: a new observation lies between the two with this probability, in (0, 1), and above and below with the same one.
  [[nodiscard]] std::pair<Vector, Vector> interval(double level = 0.95) const;
  /// Log density of one observation per row, nats. \param y  [m] finite.  \throws InvalidArgument
  [[nodiscard]] Vector log_density(VectorView y) const;
};
/// \param X_new  [m,d] inputs, finite.  \throws InvalidArgument
[[nodiscard]] TMixturePrediction predict(const KernelRegression& fit, MatrixView X_new, PredictionOf what = PredictionOf::new_observation);
/// Probabilities with the uncertainty of the score integrated out.                                                             (PRED.2)
[[nodiscard]] ClassProbabilities predict(const KernelClassification& fit, MatrixView X_new);

/// What predictions say of all rows together.
struct JointPrediction {
  Vector mean;        ///< [m]
  Matrix covariance;  ///< [m,m] of the mixture: within its parts and between them; infinite if degrees_of_freedom <= 2           (KM.10)
};
/// Of new observations, or of the function without noise. The diagonal is the variance that predict() states.   O(parts m^2 vectors)
/// \throws InvalidArgument as predict
[[nodiscard]] JointPrediction predict_joint(const KernelRegression& fit, MatrixView X_new,
                                            PredictionOf what = PredictionOf::new_observation);
/// [processes] Of the score of each process, in log odds.
[[nodiscard]] std::vector<JointPrediction> predict_joint(const KernelClassification& fit, MatrixView X_new);
/// [m, num_draws] Independent draws of all rows together: a part of the mixture, and then a Student-t or normal draw from it. The same seed
/// gives the same draws, and more draws begin with the same ones.                                                                (KM.10)
/// \throws InvalidArgument  num_draws is below 1; as predict
[[nodiscard]] Matrix draw(const KernelRegression& fit, MatrixView X_new, Index num_draws, std::uint64_t seed = 1,
                          PredictionOf what = PredictionOf::new_observation);
/// [processes] Draws of the score of each process, in log odds; the scores of several classes are independent.
[[nodiscard]] std::vector<Matrix> draw(const KernelClassification& fit, MatrixView X_new, Index num_draws, std::uint64_t seed = 1);

/// The fit as printed text.
[[nodiscard]] std::string summary(const KernelFit& fit, const SummaryOptions& options = {});

}  // namespace ardvark
