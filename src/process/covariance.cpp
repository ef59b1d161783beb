#include "process/covariance.hpp"

#include <algorithm>
#include <limits>

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

// A distance of 0 stays 0 where the square overflows.
double squared_rho(double log_rho) { return std::min(std::exp(2 * log_rho), std::numeric_limits<double>::max()); }

// Calls f(row, rows, first, width) for tiles of rows and columns, those of the lower triangle.
void lower_tiles(Index n, Index num_inputs, auto&& f) {
  const double work = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(num_inputs + 20);
  products::tiles(n, blas::threads_for(work), [&](Index first, Index width) {
    for (Index row = first; row < n; row += tile_rows) f(row, std::min(tile_rows, n - row), first, width);
  });
}

// Some rows of a column of K <- kappa of squared distances, and of `decline`, if it is not null, -d kappa/du.
void put_kernel(const KernelFunction& kernel, const auto& u, Index row, Index column, Matrix& K, Matrix* decline) {
  auto k = K.col(column).segment(row, u.size());
  k = u;
  kernel.of_squared_distances(k.data(), decline == nullptr ? nullptr : decline->col(column).data() + row, k.size());
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
  const KernelFunction& kernel = KernelFunction::of(unit_);
  for (Index first = 0; first < centres.rows(); first += products::tile_width) {
    const Index width = std::min(products::tile_width, centres.rows() - first);
    for (Index row = 0; row < rows.rows(); row += tile_rows) {
      Matrix U(std::min(tile_rows, rows.rows() - row), width);
      kernel.squared_distances(rows.middleRows(row, U.rows()), centres.middleRows(first, width), U);
      for (Index j = 0; j < width; ++j) put_kernel(kernel, U.col(j), row, first + j, K, decline);
    }
  }
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

// Calls f(squared distances between scaled rows, row, first) for the tiles of the lower triangle.
void Covariance::with_distances(const Vector& log_rho, auto&& f) const {
  const Matrix A = scaled(log_rho);
  lower_tiles(A.rows(), A.cols(), [&](Index row, Index rows, Index first, Index width) {
    Matrix U(rows, width);
    KernelFunction::of(unit_).squared_distances(A.middleRows(row, rows), A.middleRows(first, width), U);
    f(U, row, first);
  });
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
  const KernelFunction& kernel = KernelFunction::of(unit_);
  if (num_widths_ == 1) {
    if (distances_.size() == 0) {
      distances_.resize(n, n);
      with_distances(Vector::Zero(1),
                     [&](const Matrix& U, Index row, Index first) { distances_.block(row, first, U.rows(), U.cols()) = U; });
    }
    const double square = squared_rho(log_rho[0]);
    return lower_tiles(n, 0, [&](Index row, Index rows, Index first, Index width) {
      for (Index j = first; j < std::min(first + width, row + rows); ++j) {
        const Index from = std::max(j, row);
        put_kernel(kernel, square * distances_.col(j).segment(from, row + rows - from), from, j, K, decline);
      }
    });
  }
  with_distances(log_rho, [&](const Matrix& U, Index row, Index first) {
    for (Index j = first; j < std::min(first + U.cols(), row + U.rows()); ++j) {
      const Index from = std::max(j, row);
      put_kernel(kernel, U.col(j - first).tail(row + U.rows() - from), from, j, K, decline);
    }
  });
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
  if (num_widths_ == 1 && distances_.size() > 0) {
    double sum = 0;  // the diagonal is 0
    for (Index j = 0; j < n; ++j)
      sum += (M.col(j).tail(n - j).array() * decline.col(j).tail(n - j).array() * distances_.col(j).tail(n - j).array()).sum();
    out[0] = -4 * squared_rho(log_rho[0]) * sum;
    return out;
  }
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
