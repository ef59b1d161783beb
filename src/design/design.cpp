#include "design/design.hpp"

#include "core/blas.hpp"

namespace ardvark {

// The Cholesky factor of V with rows and columns in reverse order, turned round.
Matrix lower_root(const Matrix& V) {
  const Index p = V.rows();
  const double unit = p > 0 ? V.trace() / static_cast<double>(p) : 0;
  for (double jitter = 0; jitter<1e-3; jitter = jitter> 0 ? 100 * jitter : 1e-15) {  // copies of a column make it singular
    Matrix turned = V.reverse();
    turned.diagonal().array() += jitter * unit;
    if (!blas::potrf(p, turned.data(), p)) continue;
    turned.triangularView<Eigen::StrictlyUpper>().setZero();
    return turned.transpose().reverse();
  }
  return V.diagonal().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

void Design::row_forms(const Matrix& V, Vector& out) { row_variance(lower_root(V), out); }

}  // namespace ardvark
