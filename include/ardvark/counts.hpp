// Bayesian regression of counts: Poisson or negative binomial, log link.          docs/math/poisson.md, docs/math/negative_binomial.md
#pragma once

#include <utility>

#include "ardvark/fit.hpp"
#include "ardvark/linear.hpp"

namespace ardvark {

struct CountFit : Fit {};

/// Variational Bayesian regression of counts: y_n ~ Poisson(t_n e^(b + x_n'w)), or negative binomial with this mean mu and the variance
/// mu + k mu^2 (options.family); q(w) = N(mean, covariance), q(alpha_g) = Gamma; the exposures t_n are 1, or the column options.exposure,
/// or their logarithms are options.offset_column or options.row_offset.
///
///     ardvark::CountFit fit = ardvark::fit_counts(X, counts, {.prior = ardvark::Prior::shared()});
///
/// \param X       [n,p] double, float or int8, either memory order, read only and not kept; finite
/// \param counts  [n] whole numbers from 0 to 1e9, not all 0
/// \param options the prior is sparse, slab, dense, shared, ard, groups or none; automatic: sparse, unless an option has no meaning for it
/// \throws InvalidArgument  before any work, naming the argument, its value and the constraint
/// If the fit does not converge or has numerical trouble, nothing is thrown: read fit.report.status.   O(n p min(n,p)) a sweep.
[[nodiscard]] CountFit fit_counts(MatrixView X, VectorView counts, const FitOptions& options = {});
/// The same of a sparse X, which is never written out.
[[nodiscard]] CountFit fit_counts(CscView X, VectorView counts, const FitOptions& options = {});

/// A distribution per row: the logarithm of the expected count e^eta is normal, or a mixture of normal parts under a sparse prior, and a
/// new count is Poisson with it.                                                                                       (POIS.4), (SL.16)
struct CountPrediction {
  Vector mean;          ///< [m] of a new count, and of e^eta; of one normal part e^(log_mean + log_variance/2)                 (POIS.2)
  Vector log_mean;      ///< [m] of eta, which contains the offset                                                     (POIS.8), (POIS.9)
  Vector log_variance;  ///< [m] of eta; >= 0
  Vector weight = {};   ///< [parts] they sum to 1; empty: eta is normal
  Matrix part_mean = {}, part_variance = {};  ///< [m, parts] of eta
  double dispersion = 0;  ///< k of new counts, whose variance is mu + k mu^2; 0: Poisson                                  (NB.6)
  PredictionOf what = PredictionOf::new_observation;
  [[nodiscard]] Vector standard_deviation() const;
  /// The ends of the central interval at this level, in (0, 1). New counts: whole numbers; the interval has at least this probability.
  [[nodiscard]] std::pair<Vector, Vector> interval(double level = 0.95) const;
  /// Log probability of one new count per row, nats. \param y  [m] whole numbers >= 0.  \throws InvalidArgument
  [[nodiscard]] Vector log_density(VectorView y) const;
};
/// \param X_new       [m,p] same columns as the fit's, finite; an exposure > 0
/// \param row_offset  [m] if the fit had one, else empty.  \throws InvalidArgument
[[nodiscard]] CountPrediction predict(const CountFit& fit, MatrixView X_new, PredictionOf what = PredictionOf::new_observation,
                                      VectorView row_offset = {});
[[nodiscard]] CountPrediction predict(const CountFit& fit, CscView X_new, PredictionOf what = PredictionOf::new_observation,
                                      VectorView row_offset = {});

}  // namespace ardvark
