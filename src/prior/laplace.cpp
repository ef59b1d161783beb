#include "prior/laplace.hpp"

namespace ardvark::internal::laplace_prior {

void step(const Posterior& q, double lambda, Vector& next) { next = lambda * q.group_square.array().rsqrt(); }

double bound(const Posterior& q, double lambda, const Vector& expected) {
  return -0.5 * (expected.array() * q.group_square.array() + lambda * lambda / expected.array()).sum();
}

void gradient(const Posterior& q, double lambda, const Vector& expected, Vector& out) {
  out = 0.5 * (lambda * lambda / expected.array() - expected.array() * q.group_square.array());
}

}  // namespace ardvark::internal::laplace_prior
