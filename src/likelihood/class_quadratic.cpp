#include "likelihood/class_quadratic.hpp"

#include "core/blas.hpp"

namespace ardvark::internal {

void ClassQuadratic::update(const Matrix& W, SoftmaxRows& rows) const {
  const Matrix d = W - at_;
  rows.E.resize(W.rows(), W.cols());
  blas::symv(d.size(), hessian_.data(), hessian_.rows(), d.data(), rows.E.data());
  rows.E = gradient_ - rows.E;
  rows.log_likelihood = log_likelihood_ + 0.5 * d.cwiseProduct(gradient_ + rows.E).sum();
  rows.hessian = &hessian_;
}

}  // namespace ardvark::internal
