#include "core/anderson.hpp"

#include <algorithm>

#include "core/eigen_solvers.hpp"

namespace ardvark::internal {

Anderson::Anderson(Index size, Index memory)
    : memory_(std::min(memory, size)),
      dF_(size, memory_),
      dG_(size, memory_),
      last_F_(size),
      last_G_(size),
      normal_(memory_, memory_),
      right_(memory_),
      gamma_(memory_) {}

void Anderson::extrapolate(const Vector& x, const Vector& Gx, const Vector& weight, Vector& next) {
  if (continues_) {
    const Index slot = pairs_++ % memory_;
    dF_.col(slot) = (Gx - x) - last_F_;
    dG_.col(slot) = Gx - last_G_;
  }
  last_F_ = Gx - x;
  last_G_ = Gx;
  continues_ = true;
  const Index k = std::min(pairs_, memory_);
  next = Gx;
  if (k == 0) return;
  // min || F - dF gamma ||, with a ridge of 1e-10 times the mean square: nearly parallel differences must not make the step huge.
  auto N = normal_.topLeftCorner(k, k);
  for (Index i = 0; i < k; ++i) {
    weighted_ = weight.cwiseProduct(dF_.col(i));
    N.col(i).noalias() = dF_.leftCols(k).transpose() * weighted_;
    right_[i] = weighted_.dot(last_F_);
  }
  N.diagonal().array() += 1e-10 * N.trace() / static_cast<double>(k) + 1e-300;
  gamma_.head(k) = N.ldlt().solve(right_.head(k));
  next.noalias() -= dG_.leftCols(k) * gamma_.head(k);
}

}  // namespace ardvark::internal
