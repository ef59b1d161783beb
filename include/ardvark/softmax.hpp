// Bayesian classification into any number of classes.                                                              docs/math/softmax.md
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/fit.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/relevance.hpp"

namespace ardvark {

/// How several classes are told apart.
enum class ClassCoding {
  softmax,           ///< one model of all classes, a weight for each class and column                            (SMX.1)
  one_against_rest,  ///< a logistic regression for each class                                                    (SMX.9)
  one_against_one    ///< a logistic regression for each pair of classes, of their rows alone                     (SMX.10)
};
[[nodiscard]] const char* to_string(ClassCoding coding);

/// Options of fit_softmax. Of FitOptions those that speak of the noise, of xi, of acceleration and of single precision are not read.
/// Without being told the likelihood is laplace and the rule mackay. The priors sparse, slab, dense and laplace are of the other codings,
/// whose regressions are then those of fit_logistic.
struct SoftmaxOptions : FitOptions {
  /// None: one_against_rest under the priors sparse, slab, dense and laplace, and of 8 classes or more whose rows are at most twice the
  /// columns times the classes, where it has predicted better; else softmax.
  std::optional<ClassCoding> coding = std::nullopt;
  bool precision_per_class = false;  ///< softmax: a precision for each class and group, not one for the group's weights of all classes
  std::vector<std::string> class_names = {};  ///< of the labels 0, 1, 2, ..., then the only ones; empty: the labels' numbers
};

/// smlr, rmlr, slr_lap_ovr, slr_var_ovr, rlr_var_ovr, slr_var_ovo. \throws InvalidArgument for any other
[[nodiscard]] SoftmaxOptions softmax_options_for_preset(const std::string& name, bool compat = false);
[[nodiscard]] bool is_softmax_preset(const std::string& name);

namespace internal {
struct SoftmaxState;
}

/// What a fit found. Coefficients have a row for each column of X and a column for each class (one_against_one: for each pair of classes,
/// (0,1), (0,2), ..., (1,2), ..., in favour of the second), in the units of X.
struct SoftmaxFit {
  ClassCoding coding = ClassCoding::softmax;
  std::vector<std::string> classes;       ///< [C] ascending
  std::vector<std::string> column_names;  ///< [p]
  std::string target;                     ///< its name, if one was given

  Matrix mean;       ///< [p, C] posterior mean of the weights
  Matrix variance;   ///< [p, C] marginal posterior variance; 0 where pruned or left out; of softmax without precision_per_class that of
                     ///< the weights centred over the classes, as their means are                                          (SMX.11)
  Vector intercept;  ///< [C], empty without; of softmax determined up to a common number, and given so that they sum to 0
                     ///< that they sum to 0
  Vector intercept_variance;  ///< [C] likewise of the centred ones
  Matrix standardized_mean;   ///< [p or p+1, C] in the units in which the fit saw the columns, the intercept, if any, as row p
  Matrix precision;  ///< [p or p+1, C] E[alpha] of each weight, of the columns as they are scaled inside; infinite: pruned; 0: flat; NaN:
                     ///< of a sparse prior, which has none; row p where the intercept has a precision
  Matrix precision_history;    ///< as Fit's, of the groups of class after class, or machine after machine
  Matrix relevance;            ///< [p, C] as Fit's
  std::vector<bool> relevant;  ///< [p] kept for one class at least
  std::vector<bool> left_out;  ///< [p] constant or duplicated columns that took no part; their mean is 0
  PriorKind prior = PriorKind::shared;

  double bound = 0;  ///< softmax: Laplace's approximation of the log evidence, nats; else the sum of the machines'        (SMX.7)
  double log_det_V = 0;
  double num_rows = 0;              ///< sum of the observation weights
  Vector class_weight;              ///< [C] rows of each class
  double effective_parameters = 0;  ///< sum of relevance, intercepts and flat columns included
  double accuracy = 0;              ///< training rows
  double log_loss = 0;              ///< training rows, nats per row, of the integrated probabilities (compat: of the published ones)
  Report report;                    ///< pruning: weights, class * (p or p+1) + column
  std::vector<Fit> machines;        ///< of the other codings: one fit for each class or pair
  std::shared_ptr<const internal::SoftmaxState> state;  ///< what predict() and the model file need

  [[nodiscard]] Index num_columns() const { return mean.rows(); }
  [[nodiscard]] Index num_classes() const { return static_cast<Index>(classes.size()); }
  /// [C q, C q] of the weights in the units of X, class after class, of each its p columns and then, with an intercept, that (q = p or
  /// p + 1); zero where a weight took no part. Of what mean and variance are of: centred weights, where those are. One machine after the
  /// other in the other codings, which know nothing of each other.                                                         (SMX.11)
  /// \throws InvalidArgument  where the fit kept none
  [[nodiscard]] Matrix covariance() const;
  /// Whether this weight took part to the end.
  [[nodiscard]] bool keeps(Index column, Index class_or_pair) const { return variance(column, class_or_pair) > 0; }
};

/// Classification by the softmax of linear scores, a normal posterior at the mode of the weights (Laplace's approximation).
///
///     ardvark::SoftmaxFit fit = ardvark::fit_softmax(X, labels);
///
/// \param X       [n,p] double or float, either memory order, read only and not kept; finite
/// \param labels  [n] at least two distinct values
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// Non-convergence and numerical trouble are not thrown: read fit.report.status. A Newton step costs O(n P^2 + P^3), P the number of
/// weights, or O(C n^3) after O(n^2 P) a sweep, whichever is less; never P x P with more columns than rows.
[[nodiscard]] SoftmaxFit fit_softmax(MatrixView X, VectorView labels, const SoftmaxOptions& options = {});

enum class ClassRule {
  automatic,   ///< integrated; with compat, and where the classes are separated, plug_in
  integrated,  ///< the expectation over the posterior of the scores                                                      (SMX.8)
  plug_in,     ///< the softmax of the mean scores
  average      ///< one_against_one: as automatic, of the pairs' probabilities the mean in place of the product              (SMX.10)
};

/// \param X_new  [m,p] finite.  \throws InvalidArgument, also where the fit kept no covariance to integrate over, and for the average of a
///               fit without pairs
[[nodiscard]] ClassProbabilities predict(const SoftmaxFit& fit, MatrixView X_new, ClassRule rule = ClassRule::automatic);

[[nodiscard]] BoundScope bound_scope(const SoftmaxFit& fit);
/// [p, C] as that of a Fit.                                                                                                    (SP.22)
[[nodiscard]] Matrix direction(const SoftmaxFit& fit);

/// The fit as text for people.
[[nodiscard]] std::string summary(const SoftmaxFit& fit, double level = 0.95);

}  // namespace ardvark
