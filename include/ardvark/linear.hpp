// Bayesian linear regression.                                                                  docs/math/linear.md
#pragma once

#include "ardvark/fit.hpp"

namespace ardvark {

class GenotypeView;

struct LinearFit : Fit {};

/// Variational Bayesian linear regression: q(w, tau) = N(w, V/tau) Gamma(a_N, b_N), q(alpha_g) = Gamma.
///
///     ardvark::LinearFit fit = ardvark::fit_linear(X, y, {.prior = ardvark::Prior::ard()});
///
/// \param X  [n,p] double, float or int8, either memory order, read only and not kept; finite
/// \param y  [n] finite
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// If the fit does not converge or has numerical trouble, nothing is thrown: read fit.report.status.   O(n p min(n,p)) once, then at most
/// O(min(n,p)^3) a sweep. With Prior::laplace(), `mean` is the mode: see fit_logistic.                                        (L1.10)
[[nodiscard]] LinearFit fit_linear(MatrixView X, VectorView y, const FitOptions& options = {});
/// The same for a sparse X, which is never written out, without presets and QR. The result is that of the dense X, but for rounding. The
/// priors sparse, slab and dense need min(n,p) p numbers and refuse more than 2^24 of them; automatic then takes ard or shared.
/// O(sum of the squared number of entries of a row + p^3) a sweep, with at least as many rows as columns.
[[nodiscard]] LinearFit fit_linear(CscView X, VectorView y, const FitOptions& options = {});
/// The same for genotypes in 2 bits each (genotype_view.hpp), which are never written out.
[[nodiscard]] LinearFit fit_linear(GenotypeView X, VectorView y, const FitOptions& options = {});
/// The same fit, to the last bit, if you no longer need X: the fit takes over its memory and makes no copy. With the priors sparse, slab
/// and dense and more columns than rows, the data for predictions stay in the memory of X, and the fit needs only O(n^2 + p) more. With
/// fewer columns, X is freed before the decomposition; with other priors, at the end. X is gone, even if the fit fails.
///
///     ardvark::LinearFit fit = ardvark::fit_linear(ardvark::OwnedMatrix(std::move(X)), y);
///
[[nodiscard]] LinearFit fit_linear(OwnedMatrix&& X, VectorView y, const FitOptions& options = {});

/// L1 regularised linear regression for many lambdas, as fit_logistic_path. The mode does not depend on the noise; lambda is in the units
/// of y.                                                                                                                       (L1.10)
/// \throws InvalidArgument  as fit_linear
[[nodiscard]] LambdaPath fit_linear_path(MatrixView X, VectorView y, const PathGrid& grid = {}, const FitOptions& options = {});
[[nodiscard]] LambdaPath fit_linear_path(CscView X, VectorView y, const PathGrid& grid = {}, const FitOptions& options = {});

/// A Student-t distribution per row: the new observation, or the mean, is mean + scale t. With infinite degrees of freedom, it is a normal
/// distribution.                                                                                                    (LIN.4), (VR.4)
struct StudentPrediction {
  Vector mean;
  Vector scale;
  double degrees_of_freedom = 0;
  /// Student-t noise, for new observations: they are mean + N(0, variance_of_mean) + noise_scale t of noise_degrees. 0: none, and
  /// otherwise `scale` is that of the noise alone.                                                                            (TN.5)
  double noise_degrees = 0;
  Vector variance_of_mean = {};                     ///< [m] read if there is Student-t noise
  [[nodiscard]] Vector standard_deviation() const;  ///< infinite for degrees_of_freedom <= 2
  /// Half the width of the central interval at this level, in (0, 1): a new observation lies within mean +- that. Infinite if it exceeds
  /// the largest number, 1.8e308: at level .95 with fewer than about .004 degrees of freedom.
  [[nodiscard]] Vector half_width(double level = 0.95) const;
  /// Log density of one observation per row, nats. \param y  [m] finite.  \throws InvalidArgument
  [[nodiscard]] Vector log_density(VectorView y) const;

 private:
  [[nodiscard]] struct NoiseMixturePrediction mixture() const;
};
/// What a regression predicts.
enum class PredictionOf {
  new_observation,  ///< a new observation, with noise
  mean              ///< the curve or surface itself, without noise
};
/// \param X_new  [m,p] same columns as the fit's, finite.  \throws InvalidArgument
[[nodiscard]] StudentPrediction predict(const LinearFit& fit, MatrixView X_new, PredictionOf what = PredictionOf::new_observation);
[[nodiscard]] StudentPrediction predict(const LinearFit& fit, CscView X_new, PredictionOf what = PredictionOf::new_observation);
[[nodiscard]] StudentPrediction predict(const LinearFit& fit, GenotypeView X_new, PredictionOf what = PredictionOf::new_observation);

/// A distribution per row, if weights and noise are independent in the posterior. The new observation is normal with this mean and the
/// variance 1/tau + variance_of_mean, and the noise precision tau is uncertain, too. The tails are heavier than those of (VR.4), which
/// takes tau as known. The difference is important if there are few rows.                                                      (VR.5)
struct NoiseMixturePrediction {
  Vector mean;                    ///< [m]
  Vector variance_of_mean;        ///< [m] part of the variance that comes from the uncertain weights; >= 0
  GammaDistribution noise{0, 0};  ///< posterior of tau; > 0
  /// Infinite for noise.shape <= 1.
  [[nodiscard]] Vector standard_deviation() const;
  /// Half the width of the central interval at this level, in (0, 1): a new observation lies within mean +- that.
  [[nodiscard]] Vector half_width(double level = 0.95) const;
  /// Log density of one new observation per row, nats. \param y  [m] finite.  \throws InvalidArgument
  [[nodiscard]] Vector log_density(VectorView y) const;
};
/// \param fit    a fit with posterior = factorised; for a joint posterior, predict() is exact
/// \param X_new  [m,p] same columns as the fit's, finite.  \throws InvalidArgument
[[nodiscard]] NoiseMixturePrediction predict_mixture(const LinearFit& fit, MatrixView X_new);

}  // namespace ardvark
