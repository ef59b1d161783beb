// The Laplace prior as a scale mixture of normal distributions, one precision per column.                    docs/math/logistic_laplace.md
// (L1EM)
#pragma once

#include "waist/waist.hpp"

namespace ardvark::internal::laplace_prior {

/// E[1/variance_j] under the mixture given w_j: lambda/|w_j|.                                                           (L1EM.1)
void step(const Posterior& q, double lambda, Vector& next);
/// Sum of -1/2 a w^2 - 1/2 lambda^2/a: at most -lambda |w|, and equal to it at (L1EM.1).                                 (L1EM.2)
[[nodiscard]] double bound(const Posterior& q, double lambda, const Vector& expected);
/// The derivative of bound() in ln a.
void gradient(const Posterior& q, double lambda, const Vector& expected, Vector& out);

}  // namespace ardvark::internal::laplace_prior
