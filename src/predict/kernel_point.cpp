#include "predict/kernel_point.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/blas.hpp"
#include "core/products.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "design/table_design.hpp"

namespace ardvark::internal {

PointPredictor::PointPredictor(const KernelPoint& point, const Matrix& vectors, bool variances)
    : point_(point), Z_(vectors(point.vectors, Eigen::all)) {
  const Index m = Z_.rows(), size = point.mean.size();
  L_.resize(m, m);
  if (m > 0) {
    point.kernel.evaluate(Z_, Z_, L_);
    L_ *= point.signal;
    // A vector is worth at least 1e-11 of the prior variance; rounding errors are below 1e-13.
    if (!blas::potrf(m, L_.data(), m) || !blas::trtri(m, L_.data(), m))
      throw InvalidArgument(
          "the kernel matrix of the relevance vectors cannot be factorised, because the rows leave no noise; a weight counts as equal "
          "rows, so give "
          "weights below 1 if the rows were measured once, or give the widths");
  }
  if (!variances) return;
  root_ = point.factor;
  if (!blas::trtri(size, root_.data(), size)) throw InvalidArgument("the posterior of the kernel machine is not positive definite");
}

Vector PointPredictor::mean(const Matrix& X) const {
  const Index m = Z_.rows(), d = num_linear();
  Vector out = Vector::Constant(X.rows(), point_.mean[m + d]);
  if (m > 0) {
    const Vector a = L_.triangularView<Eigen::Lower>().transpose() * point_.mean.head(m);
    Matrix K(X.rows(), m);
    point_.kernel.evaluate(X, Z_, K);
    out += point_.signal * (K * a);
  }
  if (d > 0) out += std::sqrt(point_.linear) * (X * point_.mean.segment(m, d));
  return out;
}

Matrix PointPredictor::features(const Matrix& X) const {
  const Index m = Z_.rows(), rows = X.rows(), d = num_linear();
  Matrix F(m + d + 1, rows);
  F.row(m + d).setOnes();
  if (d > 0) F.middleRows(m, d) = std::sqrt(point_.linear) * X.transpose();
  if (m == 0) return F;
  Matrix K(m, rows);
  point_.kernel.evaluate(Z_, X, K);
  K *= point_.signal;
  blas::trmm(blas::Side::left, blas::Transpose::no, m, rows, L_.data(), m, K.data(), m);
  F.topRows(m) = K;
  return F;
}

Matrix PointPredictor::spread(Matrix F) const {
  const Index size = F.rows();
  blas::trmm(blas::Side::left, blas::Transpose::no, size, F.cols(), root_.data(), size, F.data(), size);
  return F;
}

PointPredictor::Moments PointPredictor::moments(const Matrix& X) const {
  Matrix F = features(X);
  Moments out{F.transpose() * point_.mean, {}, {}};
  out.rest = (point_.signal - F.topRows(Z_.rows()).colwise().squaredNorm().transpose().array()).max(0.0);
  out.variance = out.rest + spread(std::move(F)).colwise().squaredNorm().transpose();
  return out;
}

Matrix PointPredictor::joint_moments(const Matrix& X, Vector& mean) const {
  const Index m = Z_.rows(), rows = X.rows();
  Matrix out(rows, rows);
  point_.kernel.evaluate(X, X, out);
  out *= point_.signal;
  Matrix F = features(X);
  mean = F.transpose() * point_.mean;
  const Matrix explained = F.topRows(m), V = spread(std::move(F));
  // One triangle for both: the result is symmetric to the last bit.
  if (m > 0) blas::syrk(blas::Transpose::yes, rows, m, -1.0, explained.data(), m, 1.0, out.data(), rows);
  blas::syrk(blas::Transpose::yes, rows, V.rows(), 1.0, V.data(), V.rows(), 1.0, out.data(), rows);
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out;
}

Matrix vectors_as_used(const KernelFit& fit) {
  const Standardization inputs{fit.input_center, fit.input_scale, false};
  return fit.num_vectors() > 0 ? read_table(fit.relevance_vectors, inputs) : Matrix(0, fit.num_inputs());
}

void check_new_rows(const KernelFit& fit, MatrixView X) {
  validate::shape(X, "X_new");
  if (X.cols() != fit.num_inputs())
    throw refused("X_new", fmt::format("has {} columns; the fit has {} inputs", X.cols(), fit.num_inputs()));
  validate::new_rows(X, fit.input_names, fit.input_center, fit.input_scale);
}

}  // namespace ardvark::internal
