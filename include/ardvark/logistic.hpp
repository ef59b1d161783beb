// Bayesian logistic regression.                                           docs/math/logistic_gaussian.md, logistic_bound.md
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark {

struct LogisticFit : Fit {};

/// Variational Bayesian logistic regression: q(w) = N(mean, covariance), q(alpha_g) = Gamma.
///
///     ardvark::LogisticFit fit = ardvark::fit_logistic(X, labels, {.prior = ardvark::Prior::ard()});
///
/// \param X       [n,p] double or float, either memory order, read only and not kept; finite
/// \param labels  [n] exactly two distinct values; the larger is the class whose probability is predicted. Of the presets vb_logit_* also
///                -1 alone or 1 alone: the other of the two is then the class that is absent
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// Non-convergence and numerical trouble are not thrown: read fit.report.status.   O(n p min(n,p)) a sweep.
///
/// With Prior::laplace(lambda) the mean is the mode of the posterior, with the optimality conditions met to 1e-9 lambda (`tolerance`, in
/// units of lambda); `relevant` are the columns that are not zero. The variances are Laplace's approximation among these: a column at zero
/// has none, so that nothing is said of how sure that zero is.                                            docs/math/l1.md
[[nodiscard]] LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options = {});

/// The lambdas of a path: those given, or `count` of them from lambda_max down to smallest times lambda_max, evenly spaced in ln lambda.
struct PathGrid {
  std::vector<double> lambdas = {};  ///< each > 0, in any order; fitted from the largest down
  int count = 50;                    ///< >= 1; read if `lambdas` is empty
  double smallest = 0;               ///< in (0, 1]; 0: 1e-4 with more rows than columns, else 1e-2
};

/// One mode for each lambda, in your units.
struct LogisticPath {
  double lambda_max = 0;             ///< from here on every weight is zero                                         (L1.5)
  Vector lambda;                     ///< [count] falling
  Matrix mean;                       ///< [p, count]
  Vector intercept;                  ///< [count]; empty without an intercept
  Vector log_likelihood;             ///< [count] of the training rows, nats
  std::vector<Index> num_nonzero;    ///< [count] penalised columns that are not zero
  std::vector<std::string> classes;  ///< the two labels; a positive weight speaks for the second
  std::vector<Report> reports;       ///< [count]; bound as in Fit
  std::vector<std::string> notes;    ///< what was decided for the caller, and why
  double seconds = 0;                ///< all of it, wall clock
};

/// L1 regularised logistic regression for many lambdas, each from the one before. For the posterior at one of them: fit_logistic with
/// Prior::laplace(lambda).
/// \param options  as for fit_logistic with a Laplace prior, whose lambda is not read; on_sweep is called for each step of each fit
/// \throws InvalidArgument  as fit_logistic
[[nodiscard]] LogisticPath fit_logistic_path(MatrixView X, VectorView labels, const PathGrid& grid = {}, const FitOptions& options = {});

enum class PredictiveRule {
  automatic,             ///< published_row for the presets of VBLinLogit, plug_in for those of the SLR toolbox with compat, else exact
  exact,                 ///< E sigma(x'w), absolute error <= 2.2e-9                                       (PRED.2)
  plug_in,               ///< sigma(m): as if the weights were known
  plug_in_corrected,     ///< MacKay's sigma(m / sqrt(1 + pi s/8)), wrong by up to 1.8e-2
  published_row,         ///< the published lower bound on p(+1), each row iterated to convergence        (PRED.1)
  published_batch,       ///< vb_logit_pred with its stop rule, which sees all rows of the call            (PRED.1)
  published_incremental  ///< vb_logit_pred_incr with its stop rule                                     (PRED.1)
};

/// Which of two classes a probability of the second one speaks for: of two that are equally probable the first. The one place that decides.
[[nodiscard]] inline bool says_second(double probability) { return probability > 0.5; }
/// Position of the most probable class of each row; of equally probable ones the first. \param probability  [m, classes]
[[nodiscard]] std::vector<Index> most_probable(const Matrix& probability);

/// Probability of the second class per row.
struct ClassPrediction {
  Vector probability;  ///< in [0, 1]
  Vector mean;         ///< m = x'w, the log odds' posterior mean
  Vector variance;     ///< s = x'Vx, its variance
  /// [m] 0 or 1: the class of each row, as the fit counts its training rows.
  [[nodiscard]] std::vector<Index> most_probable() const;
};
/// \param X_new  [m,p] same columns as the fit's, finite.  \throws InvalidArgument
[[nodiscard]] ClassPrediction predict(const LogisticFit& fit, MatrixView X_new, PredictiveRule rule = PredictiveRule::automatic);

}  // namespace ardvark
