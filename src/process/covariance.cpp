#include "process/covariance.hpp"

#include <algorithm>
#include <cmath>

#include "core/products.hpp"
#include "kernel/kernel_function.hpp"

namespace ardvark::internal {

Covariance::Covariance(const std::string& kind, const Matrix& X, std::vector<Index> group, bool linear_part)
    : unit_(of_distance_kernel(kind, {1.0})), X_(X), group_(std::move(group)), linear_part_(linear_part) {
  for (Index j = 0; j < X.cols(); ++j) {
    const Index g = group_[static_cast<std::size_t>(j)];
    if (g >= 0) inputs_.push_back(j);
    num_widths_ = std::max(num_widths_, g + 1);
  }
}

Matrix Covariance::scaled(const Eigen::Ref<const Matrix>& points, const Vector& log_rho) const {
  Matrix A(points.rows(), static_cast<Index>(inputs_.size()));
  for (Index i = 0; i < A.cols(); ++i) {
    const Index input = inputs_[static_cast<std::size_t>(i)];
    A.col(i) = std::exp(log_rho[group_[static_cast<std::size_t>(input)]]) * points.col(input);
  }
  return A;
}

namespace {

constexpr Index tile_rows = 256;

// kappa, and -d kappa/du if it is asked for, of rows first_row .. of A and a tile of centres.
void fill(const KernelFunction& kernel, const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& centres, Index first_row,
          Index first_centre, Matrix& K, Matrix* decline) {
  Matrix tile, fall;
  for (Index row = first_row; row < A.rows(); row += tile_rows) {
    const Index rows = std::min(tile_rows, A.rows() - row);
    tile.resize(rows, centres.rows());
    if (decline == nullptr) {
      kernel.value(A.middleRows(row, rows), centres, tile);
    } else {
      kernel.value_and_decline(A.middleRows(row, rows), centres, tile, fall);
      decline->block(row, first_centre, rows, centres.rows()) = fall;
    }
    K.block(row, first_centre, rows, centres.rows()) = tile;
  }
}

}  // namespace

void Covariance::between(const Matrix& rows, const Matrix& centres, Matrix& K, Matrix* decline) const {
  K.resize(rows.rows(), centres.rows());
  if (decline != nullptr) decline->resize(K.rows(), K.cols());
  if (inputs_.empty()) {
    K.setOnes();
    if (decline != nullptr) decline->setZero();
    return;
  }
  for (Index first = 0; first < centres.rows(); first += products::tile_width)
    fill(KernelFunction::of(unit_), rows, centres.middleRows(first, std::min(products::tile_width, centres.rows() - first)), 0, first, K,
         decline);
}

void Covariance::add_slope(const Matrix& rows, const Matrix& centres, const Matrix& decline, Matrix& M, Vector& slope) const {
  M.array() *= -decline.array();
  const Vector of_rows = M.rowwise().sum(), of_centres = M.colwise().sum().transpose();
  const Matrix MC = products::times(M, centres);
  for (Index i = 0; i < rows.cols(); ++i)
    slope[group_[static_cast<std::size_t>(inputs_[static_cast<std::size_t>(i)])]] +=
        2 * (of_rows.dot(rows.col(i).cwiseAbs2()) + of_centres.dot(centres.col(i).cwiseAbs2()) - 2 * rows.col(i).dot(MC.col(i)));
}

Kernel Covariance::kernel(const Vector& log_rho) const {
  std::vector<double> widths;
  for (const Index g : group_) widths.push_back(g >= 0 ? std::exp(-log_rho[g]) : 1.0);
  const bool one = num_widths_ < 2 && !widths.empty();
  if (one) widths.assign(1, num_widths_ == 1 ? std::exp(-log_rho[0]) : 1.0);
  return of_distance_kernel(unit_.spec().kind, std::move(widths));
}

void Covariance::evaluate(const Vector& log_rho, Matrix& K, Matrix* decline) const {
  const Index n = X_.rows();
  K.resize(n, n);
  if (decline != nullptr) decline->resize(n, n);
  if (inputs_.empty()) {
    K.setOnes();
    if (decline != nullptr) decline->setZero();
    return;
  }
  const Matrix A = scaled(log_rho);
  const KernelFunction& kernel = KernelFunction::of(unit_);
  products::tiles(n, blas::threads_for(static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(A.cols() + 20)),
                  [&](Index first, Index width) { fill(kernel, A, A.middleRows(first, width), first, first, K, decline); });
}

void Covariance::add_linear_part(const Vector& parameters, Matrix& K) const {
  if (!linear_part_) return;
  const Index n = X_.rows();
  blas::syrk(blas::Transpose::no, n, X_.cols(), linear_weight(parameters), X_.data(), n, 1.0, K.data(), n);
}

double Covariance::linear_slope(const Vector& parameters, const Matrix& M) const {
  const Index n = X_.rows();
  Matrix MX(n, X_.cols());
  blas::symm(n, X_.cols(), 1.0, M.data(), n, X_.data(), n, 0.0, MX.data(), n);
  return linear_weight(parameters) * X_.cwiseProduct(MX).sum();
}

Matrix Covariance::linear_features(const Eigen::Ref<const Matrix>& rows, const Vector& theta) const {
  if (!linear_part_) return Matrix(rows.rows(), 0);
  return std::sqrt(std::exp(theta[0]) * linear_weight(theta)) * rows;
}

// With W = -M * decline and scaled inputs a, the sum for one input is 2 sum_ij W_ij (a_i - a_j)^2 = 4 (sum_i r_i a_i^2 - a'Wa), r = W 1.
Vector Covariance::slope(const Vector& log_rho, const Matrix& decline, Matrix& M) const {
  Vector out = Vector::Zero(num_widths_);
  const Index n = X_.rows();
  if (inputs_.empty()) return out;
  for (Index j = 0; j < n; ++j) M.col(j).tail(n - j).array() *= -decline.col(j).tail(n - j).array();
  Matrix A = scaled(log_rho);
  A.rowwise() -= A.colwise().mean();
  Vector r(n);
  const Vector ones = Vector::Ones(n);
  blas::symv(n, M.data(), n, ones.data(), r.data());
  Matrix WA(n, A.cols());
  blas::symm(n, A.cols(), 1.0, M.data(), n, A.data(), n, 0.0, WA.data(), n);
  for (Index i = 0; i < A.cols(); ++i) {
    const Index group = group_[static_cast<std::size_t>(inputs_[static_cast<std::size_t>(i)])];
    out[group] += 4 * (r.dot(A.col(i).cwiseAbs2()) - A.col(i).dot(WA.col(i)));
  }
  return out;
}

}  // namespace ardvark::internal
