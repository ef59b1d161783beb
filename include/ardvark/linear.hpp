// Bayesian linear regression.                                                                  docs/math/linear.md
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark {

struct LinearFit : Fit {};

/// Variational Bayesian linear regression: q(w, tau) = N(w, V/tau) Gamma(a_N, b_N), q(alpha_g) = Gamma.
///
///     ardvark::LinearFit fit = ardvark::fit_linear(X, y, {.prior = ardvark::Prior::ard()});
///
/// \param X  [n,p] double or float, either memory order, read only and not kept; finite
/// \param y  [n] finite
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// Non-convergence and numerical trouble are not thrown: read fit.report.status.   O(n p min(n,p)) once, then O(min(n,p)^3) a sweep or
/// less.
[[nodiscard]] LinearFit fit_linear(MatrixView X, VectorView y, const FitOptions& options = {});
/// The same fit, bit for bit, of an X that the caller has no further use of. Under the priors sparse, slab and dense with more columns than
/// rows, what predictions need lies in the memory of X, so that a fit takes O(n^2 + p) beside it and not a copy; with fewer columns it
/// goes before the decomposition, under other priors at the end. X is gone, whatever the outcome.
///
///     ardvark::LinearFit fit = ardvark::fit_linear(ardvark::OwnedMatrix(std::move(X)), y);
///
[[nodiscard]] LinearFit fit_linear(OwnedMatrix&& X, VectorView y, const FitOptions& options = {});

/// A Student-t distribution per row: the new observation, or the mean, is mean + scale t; with infinitely many degrees of freedom a normal
/// one. (LIN.4), (VR.4)
struct StudentPrediction {
  Vector mean;
  Vector scale;
  double degrees_of_freedom = 0;
  [[nodiscard]] Vector standard_deviation() const;  ///< infinite for degrees_of_freedom <= 2
  /// Half the width of the central interval at this level, in (0, 1): a new observation lies within mean +- that.
  [[nodiscard]] Vector half_width(double level = 0.95) const;
};
/// What a prediction of numbers is of.
enum class PredictionOf {
  new_observation,  ///< the noise is in it
  mean              ///< the curve or surface itself, without noise
};
/// \param X_new  [m,p] same columns as the fit's, finite.  \throws InvalidArgument
[[nodiscard]] StudentPrediction predict(const LinearFit& fit, MatrixView X_new, PredictionOf what = PredictionOf::new_observation);

/// A distribution per row, for weights and noise that are independent in the posterior: the new observation is normal with this mean and
/// the variance 1/tau + variance_of_mean, where the noise precision tau is itself uncertain. Heavier tails than (VR.4), which takes tau as
/// known; it matters where rows are few.                                                                              (VR.5)
struct NoiseMixturePrediction {
  Vector mean;                    ///< [m]
  Vector variance_of_mean;        ///< [m] what the uncertain weights add; >= 0
  GammaDistribution noise{0, 0};  ///< posterior of tau; > 0
  /// Infinite for noise.shape <= 1.
  [[nodiscard]] Vector standard_deviation() const;
  /// Half the width of the central interval at this level, in (0, 1): a new observation lies within mean +- that.
  [[nodiscard]] Vector half_width(double level = 0.95) const;
  /// Of one new observation per row, nats. \param y  [m] finite.  \throws InvalidArgument
  [[nodiscard]] Vector log_density(VectorView y) const;
};
/// \param fit    one with posterior = factorised: of a joint one predict() is exact
/// \param X_new  [m,p] same columns as the fit's, finite.  \throws InvalidArgument
[[nodiscard]] NoiseMixturePrediction predict_mixture(const LinearFit& fit, MatrixView X_new);

}  // namespace ardvark
