#include "core/precise_qr.hpp"

#include <Eigen/QR>

#include "core/blas.hpp"

namespace ardvark::internal {

void triangularise_precisely(Matrix& A) {
  constexpr Index few = 16;
  if (A.cols() > few) return blas::triangularise(A.rows(), A.cols(), A.data(), A.rows());
  using Extended = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  A = Eigen::HouseholderQR<Extended>(A.cast<long double>()).matrixQR().cast<double>();
}

}  // namespace ardvark::internal
