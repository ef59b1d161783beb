// Bayesian classification with any number of classes.                                                              docs/math/softmax.md
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/relevance.hpp"

namespace ardvark {

/// The model for several classes.
enum class ClassCoding {
  softmax,           ///< one model for all classes, with a weight for each class and column                      (SMX.1)
  one_against_rest,  ///< a logistic regression for each class                                                    (SMX.9)
  one_against_one    ///< a logistic regression for each pair of classes, on the rows of these two only           (SMX.10)
};
[[nodiscard]] const char* to_string(ClassCoding coding);

/// Options of fit_softmax. A softmax does not read the options of FitOptions about noise, xi, acceleration and single precision. The
/// default likelihood of a softmax is laplace, its default rule mackay; regressions have those of two classes. The priors sparse, slab,
/// dense and laplace apply only to the other codings, whose regressions are then those of fit_logistic.
struct SoftmaxOptions : FitOptions {
  /// None: one_against_rest with the priors sparse, slab, dense and laplace. Also with 8 or more classes if the number of rows is at most
  /// twice columns times classes, where it predicted better in comparisons. Else softmax.
  std::optional<ClassCoding> coding = std::nullopt;
  bool precision_per_class = false;           ///< softmax: a precision for each class and group, instead of one for each group
  std::vector<std::string> class_names = {};  ///< names of the labels 0, 1, 2, ..., which are then the only labels; empty: the numbers are
                                              ///< the names
};

/// The options of preset smlr, rmlr, slr_lap_ovr, slr_var_ovr, rlr_var_ovr or slr_var_ovo. \throws InvalidArgument  any other name
[[nodiscard]] SoftmaxOptions softmax_options_for_preset(const std::string& name, bool compat = false);
[[nodiscard]] bool is_softmax_preset(const std::string& name);

namespace internal {
struct SoftmaxState;
}

/// The result of a fit. Coefficients have a row for each column of X and a column for each class, in the units of X. With one_against_one,
/// they have a column for each pair of classes, (0,1), (0,2), ..., (1,2), ...; a positive weight favours the second class of the pair.
struct SoftmaxFit {
  ClassCoding coding = ClassCoding::softmax;
  std::vector<std::string> classes;       ///< [C] ascending
  std::vector<std::string> column_names;  ///< [p]
  std::string target;                     ///< name of the target, if one was given

  Matrix mean;       ///< [p, C] posterior mean of the weights
  Matrix variance;   ///< [p, C] marginal posterior variance; 0 for a pruned or left-out column. Softmax without precision_per_class: means
                     ///< and variances are those of the weights centred over the classes                                   (SMX.11)
  Vector intercept;  ///< [C], or empty without an intercept. Softmax: determined up to a common number; they sum to 0
  Vector intercept_variance;  ///< [C] softmax: variances of the centred intercepts
  Matrix standardized_mean;   ///< [p, C], or [p+1, C] with the intercept in row p: the mean for the columns as they are scaled inside
  Matrix precision;  ///< [p, C], or [p+1, C] if the intercept has a precision: E[alpha] of each weight, for columns as they are scaled
                     ///< inside; infinite: pruned; 0: flat; NaN: a sparse prior, which has no precisions
  Matrix precision_history;    ///< as in Fit, for the groups of each class, or machine, in turn
  Matrix relevance;            ///< [p, C] as in Fit
  std::vector<bool> relevant;  ///< [p] kept for at least one class
  std::vector<bool> left_out;  ///< [p] constant or duplicated columns, which the fit does not use; their mean is 0
  PriorKind prior = PriorKind::shared;

  double bound = 0;  ///< softmax: Laplace's approximation of the log evidence, nats; else the sum over the machines       (SMX.7)
  double log_det_V = 0;
  double num_rows = 0;              ///< sum of the observation weights
  Vector class_weight;              ///< [C] rows of each class, as sums of weights
  double effective_parameters = 0;  ///< sum of the relevances, with those of intercepts and flat columns
  double accuracy = 0;              ///< training rows
  double log_loss = 0;              ///< training rows, nats per row, by the integrated probabilities (compat: by the published ones)
  Report report;                    ///< report.pruning has positions of weights: class * (p or p+1) + column
  std::vector<Fit> machines;        ///< other codings: one fit for each class or pair
  std::shared_ptr<const internal::SoftmaxState> state;  ///< what predict() and the model file need

  [[nodiscard]] Index num_columns() const { return mean.rows(); }
  [[nodiscard]] Index num_classes() const { return static_cast<Index>(classes.size()); }
  /// [C q, C q] covariance of the weights in the units of X, class after class. Each class has its p columns and then the intercept, if any
  /// (q = p or p + 1). Entries of pruned or left-out weights are zero. If mean and variance are those of centred weights, so is the
  /// covariance. In the other codings, the blocks are the machines, with zeros between them.                               (SMX.11)
  /// \throws InvalidArgument  the fit kept no covariance
  [[nodiscard]] Matrix covariance() const;
  /// Whether the fit uses this weight, that is, it is not pruned or left out.
  [[nodiscard]] bool keeps(Index column, Index class_or_pair) const { return variance(column, class_or_pair) > 0; }
};

/// Classification by the softmax of linear scores. The posterior is a normal distribution at the mode of the weights (Laplace's
/// approximation).
///
///     ardvark::SoftmaxFit fit = ardvark::fit_softmax(X, labels);
///
/// \param X       [n,p] double, float or int8, either memory order, read only and not kept; finite
/// \param labels  [n] at least two distinct values
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// If the fit does not converge or has numerical trouble, nothing is thrown: read fit.report.status. A Newton step costs O(n P^2 + P^3),
/// where P is the number of weights, or O(C n^3) after O(n^2 P) a sweep, whichever is less. With more columns than rows, there is never a
/// P x P matrix.
[[nodiscard]] SoftmaxFit fit_softmax(MatrixView X, VectorView labels, const SoftmaxOptions& options = {});
/// The same of a sparse X, which is never written out; no preset.
[[nodiscard]] SoftmaxFit fit_softmax(CscView X, VectorView labels, const SoftmaxOptions& options = {});

enum class ClassRule {
  automatic,   ///< integrated; plug_in with compat, and if the classes are separated
  integrated,  ///< the expectation over the posterior of the scores                                                      (SMX.8)
  plug_in,     ///< the softmax of the mean scores
  average      ///< one_against_one: as automatic, but the mean of the probabilities of the pairs instead of their product   (SMX.10)
};

/// \param X_new  [m,p] finite.  \throws InvalidArgument, also if the fit kept no covariance to integrate over, and for `average` with
///               another coding than one_against_one
[[nodiscard]] ClassProbabilities predict(const SoftmaxFit& fit, MatrixView X_new, ClassRule rule = ClassRule::automatic);
[[nodiscard]] ClassProbabilities predict(const SoftmaxFit& fit, CscView X_new, ClassRule rule = ClassRule::automatic);

[[nodiscard]] BoundScope bound_scope(const SoftmaxFit& fit);
/// [p, C] as direction() of a Fit.                                                                                             (SP.22)
[[nodiscard]] Matrix direction(const SoftmaxFit& fit);

/// The fit as printed text.
[[nodiscard]] std::string summary(const SoftmaxFit& fit, const SummaryOptions& options = {});

}  // namespace ardvark
