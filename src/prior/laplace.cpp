#include "prior/laplace.hpp"

#include <cmath>

namespace ardvark::laplace_prior {

void step(const Posterior& q, double lambda, Vector& next) { next = lambda * q.group_square.array().rsqrt(); }

double bound(const Posterior& q, double lambda, const Vector& expected) {
  return -0.5 * (expected.array() * q.group_square.array() + lambda * lambda / expected.array()).sum();
}

void gradient(const Posterior& q, double lambda, const Vector& expected, Vector& out) {
  out = 0.5 * (lambda * lambda / expected.array() - expected.array() * q.group_square.array());
}

bool runs_to_infinity(double w, double a, double lambda) { return a * w < lambda * (1 - 1e-6) && lambda * w < 1e-6; }

double gain_of_adding(double S, double Q, double lambda, double& precision) {
  const double excess = std::abs(Q) - lambda;
  if (!(S > 0 && excess > 1e-9 * lambda)) return 0;
  precision = lambda * S / excess;
  return 0.5 * excess * excess / S;
}

}  // namespace ardvark::laplace_prior
