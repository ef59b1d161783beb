// The Laplace prior as a scale mixture of normal distributions, one precision per column.                    docs/math/logistic_laplace.md
// (L1)
#pragma once

#include "engine/waist.hpp"

namespace ardvark::laplace_prior {

/// E[1/variance_j] of the mixture given w_j: lambda/|w_j|.                                                             (L1.1)
void step(const Posterior& q, double lambda, Vector& next);
/// -1/2 a w^2 - 1/2 lambda^2/a, summed: at most -lambda |w|, and equal to it at (L1.1).                                (L1.2)
[[nodiscard]] double bound(const Posterior& q, double lambda, const Vector& expected);
/// Its derivative in ln a.
void gradient(const Posterior& q, double lambda, const Vector& expected, Vector& out);

/// At the mode a |w| = |g|, the gradient of the log likelihood: below lambda the weight is on its way to zero; and it is worth
/// less than 1e-6 nats.                  (L1.3)
[[nodiscard]] bool runs_to_infinity(double w, double a, double lambda);
/// A weight of zero with gradient Q and curvature S: what it gains to second order and the precision there, 0 if |Q| <= lambda. (L1.3)
[[nodiscard]] double gain_of_adding(double S, double Q, double lambda, double& precision);

}  // namespace ardvark::laplace_prior
