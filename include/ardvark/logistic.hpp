// Bayesian logistic regression.                                           docs/math/logistic_gaussian.md, logistic_bound.md
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark {

class GenotypeView;

struct LogisticFit : Fit {};

/// Variational Bayesian logistic regression: q(w) = N(mean, covariance), q(alpha_g) = Gamma.
///
///     ardvark::LogisticFit fit = ardvark::fit_logistic(X, labels, {.prior = ardvark::Prior::ard()});
///
/// \param X       [n,p] double, float or int8, either memory order, read only and not kept; finite
/// \param labels  [n] exactly two distinct values; predictions give the probability of the larger one. The presets vb_logit_* also accept
///                only -1 or only 1: the other of the two is then the absent class
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// If the fit does not converge or has numerical trouble, nothing is thrown: read fit.report.status.   O(n p min(n,p)) a sweep.
///
/// With Prior::laplace(lambda), `mean` is the mode of the posterior. It meets the optimality conditions to 1e-9 lambda (`tolerance`, in
/// units of lambda). `relevant` are the columns that are not zero. Their variances are those of Laplace's approximation. A coefficient of
/// zero has no variance, so the fit does not say how sure this zero is.                                   docs/math/l1.md
[[nodiscard]] LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options = {});
/// The same for a sparse X, as fit_linear has it.
[[nodiscard]] LogisticFit fit_logistic(CscView X, VectorView labels, const FitOptions& options = {});
/// The same for genotypes in 2 bits each (genotype_view.hpp), which are never written out.
[[nodiscard]] LogisticFit fit_logistic(GenotypeView X, VectorView labels, const FitOptions& options = {});

/// L1 regularised logistic regression for many lambdas. Each fit starts from the result of the one before. For the posterior at one of
/// them, call fit_logistic with Prior::laplace(lambda). \param options  as for fit_logistic with a Laplace prior, whose lambda is not read;
/// on_sweep is called for each step of each fit \throws InvalidArgument  as fit_logistic
[[nodiscard]] LambdaPath fit_logistic_path(MatrixView X, VectorView labels, const PathGrid& grid = {}, const FitOptions& options = {});
[[nodiscard]] LambdaPath fit_logistic_path(CscView X, VectorView labels, const PathGrid& grid = {}, const FitOptions& options = {});

enum class PredictiveRule {
  automatic,             ///< published_row for the presets of VBLinLogit, plug_in for those of the SLR toolbox with compat, else exact
  exact,                 ///< E sigma(x'w), absolute error <= 2.2e-9                                       (PRED.2)
  plug_in,               ///< sigma(m): as if the weights were known
  plug_in_corrected,     ///< MacKay's sigma(m / sqrt(1 + pi s/8)), error up to 1.8e-2
  published_row,         ///< the published lower bound on p(+1), each row iterated to convergence        (PRED.1)
  published_batch,       ///< vb_logit_pred with its stopping rule, which depends on all rows of the call            (PRED.1)
  published_incremental  ///< vb_logit_pred_incr with its stopping rule                                     (PRED.1)
};

/// Whether the second of two classes is predicted, from its probability; if both are equally probable, the first is predicted. All code
/// decides with this function.
[[nodiscard]] inline bool says_second(double probability) { return probability > 0.5; }
/// Position of the most probable class of each row; the first one if several are equally probable. \param probability  [m, classes]
[[nodiscard]] std::vector<Index> most_probable(const Matrix& probability);

/// Probability of the second class per row.
struct ClassPrediction {
  Vector probability;  ///< in [0, 1]
  Vector mean;         ///< m = x'w, posterior mean of the log odds
  Vector variance;     ///< s = x'Vx, posterior variance of the log odds
  /// [m] 0 or 1: the predicted class of each row. The accuracy of a fit uses the same rule.
  [[nodiscard]] std::vector<Index> most_probable() const;
};
/// \param X_new  [m,p] same columns as the fit's, finite.  \throws InvalidArgument
[[nodiscard]] ClassPrediction predict(const LogisticFit& fit, MatrixView X_new, PredictiveRule rule = PredictiveRule::automatic);
[[nodiscard]] ClassPrediction predict(const LogisticFit& fit, CscView X_new, PredictiveRule rule = PredictiveRule::automatic);
[[nodiscard]] ClassPrediction predict(const LogisticFit& fit, GenotypeView X_new, PredictiveRule rule = PredictiveRule::automatic);

}  // namespace ardvark
