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
/// \param labels  [n] exactly two distinct values; the larger is the class whose probability is predicted
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// Non-convergence and numerical trouble are not thrown: read fit.report.status.   O(n p min(n,p)) a sweep.
[[nodiscard]] LogisticFit fit_logistic(MatrixView X, VectorView labels, const FitOptions& options = {});

enum class PredictiveRule {
  automatic,             ///< published_row for the presets of VBLinLogit, plug_in for those of the SLR toolbox with compat, else exact
  exact,                 ///< E sigma(x'w), absolute error <= 2.2e-9                                       (PRED.2)
  plug_in,               ///< sigma(m): as if the weights were known
  plug_in_corrected,     ///< MacKay's sigma(m / sqrt(1 + pi s/8)), wrong by up to 1.8e-2
  published_row,         ///< the published lower bound on p(+1), each row iterated to convergence        (PRED.1)
  published_batch,       ///< vb_logit_pred with its stop rule, which sees all rows of the call            (PRED.1)
  published_incremental  ///< vb_logit_pred_incr with its stop rule                                     (PRED.1)
};

/// Probability of the second class per row.
struct ClassPrediction {
  Vector probability;  ///< in [0, 1]
  Vector mean;         ///< m = x'w, the log odds' posterior mean
  Vector variance;     ///< s = x'Vx, its variance
};
/// \param X_new  [m,p] same columns as the fit's, finite.  \throws InvalidArgument
[[nodiscard]] ClassPrediction predict(const LogisticFit& fit, MatrixView X_new, PredictiveRule rule = PredictiveRule::automatic);

}  // namespace ardvark
