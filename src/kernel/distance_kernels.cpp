// The kernels that are functions of the distance: gaussian, laplacian, cauchy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/decay.hpp"
#include "core/validate.hpp"
#include "kernel/kernel_function.hpp"

namespace ardvark {

using namespace internal;

namespace {

// Up to this many inputs, adding squared differences costs no more than the matrix product with its corrections.
constexpr Index direct_inputs = 8;

// One width for all inputs, or one per input.
class Widths {
 public:
  explicit Widths(std::vector<double> widths) : widths_(std::move(widths)) {}

  [[nodiscard]] const std::vector<double>& values() const { return widths_; }
  [[nodiscard]] bool one_for_all() const { return widths_.size() == 1; }
  // If the reciprocal of a small width overflows, differences of zero must stay zero.
  [[nodiscard]] double reciprocal(Index input) const {
    return std::min(1 / widths_[one_for_all() ? 0 : static_cast<std::size_t>(input)], std::numeric_limits<double>::max());
  }
  void check_inputs(Index d) const {
    if (!one_for_all() && d != static_cast<Index>(widths_.size()))
      throw InvalidArgument(fmt::format("X has {} columns; the kernel has one width per column: {}", d, widths_.size()));
  }

 private:
  std::vector<double> widths_;
};

// U_ij = sum_i ((x_i-c_i)/R_i)^2, computed directly.
void direct_distances(const Points& X, const Points& C, const Widths& widths, Matrix& U) {
  for (Index j = 0; j < C.rows(); ++j) {
    auto u = U.col(j).array();
    u = ((X.col(0).array() - C(j, 0)) * widths.reciprocal(0)).square();
    for (Index i = 1; i < X.cols(); ++i) u += ((X.col(i).array() - C(j, i)) * widths.reciprocal(i)).square();
  }
}

double direct_distance(const Points& X, Index row, const Points& C, Index centre, const Widths& widths) {
  double u = 0;
  for (Index i = 0; i < X.cols(); ++i) {
    const double difference = (X(row, i) - C(centre, i)) * widths.reciprocal(i);
    u += difference * difference;
  }
  return u;
}

// (KER.11): ||x||^2 + ||c||^2 - 2 x'c relative to the mean of the tile's centres. If the terms cancel to less than `kept` of their
// size, the distance is added up directly. So its relative error stays below (2d + 3) 2^-53 / kept, 2.6e-12 for ten inputs, and that of k
// below 1/e times this.
void product_distances(const Points& X, const Points& C, const Widths& widths, Matrix& U) {
  constexpr double kept = 1e-3;
  Matrix x(X.rows(), X.cols()), c(C.rows(), C.cols());
  for (Index i = 0; i < X.cols(); ++i) {
    const double mean = C.col(i).mean(), reciprocal = widths.reciprocal(i);
    x.col(i) = (X.col(i).array() - mean) * reciprocal;
    c.col(i) = (C.col(i).array() - mean) * reciprocal;
  }
  inner_products(x, c, U);
  const Vector x_norms = x.rowwise().squaredNorm(), c_norms = c.rowwise().squaredNorm();
  for (Index j = 0; j < C.rows(); ++j)
    for (Index i = 0; i < X.rows(); ++i) {
      const double sum = x_norms[i] + c_norms[j], u = sum - 2 * U(i, j);
      U(i, j) = u > kept * sum ? u : direct_distance(X, i, C, j, widths);  // also where the squares overflow
    }
}

void squared_distances(const Points& X, const Points& C, const Widths& widths, Matrix& U) {
  X.cols() <= direct_inputs ? direct_distances(X, C, widths, U) : product_distances(X, C, widths, U);
}

class GaussianKernel final : public KernelFunction {
 public:
  explicit GaussianKernel(std::vector<double> widths) : widths_(std::move(widths)) {}

  void value(const Points& X, const Points& C, Matrix& K) const override {  // (KER.1), (KER.2)
    squared_distances(X, C, widths_, K);
    decay(K.data(), K.size());
  }
  // d k / d ln R_i = 2 k (x_i-c_i)^2 / R_i^2
  void derivative(const Points& X, const Points& C, Index parameter, Matrix& D) const override {
    squared_distances(X, C, widths_, D);
    Matrix K = D;
    decay(K.data(), K.size());
    if (!widths_.one_for_all())
      for (Index j = 0; j < C.rows(); ++j)
        D.col(j).array() = ((X.col(parameter).array() - C(j, parameter)) * widths_.reciprocal(parameter)).square();
    D.array() = 2 * K.array() * D.array().min(decay_end);  // if the factor is larger, K is 0 and the factor may be infinite
  }
  std::string name() const override {
    return widths_.one_for_all() ? fmt::format("gaussian(width={:.6g})", widths_.values()[0])
                                 : fmt::format("gaussian(widths=[{:.6g}])", fmt::join(widths_.values(), ", "));
  }
  KernelSpec spec() const override { return {"gaussian", widths_.values(), {}}; }
  std::vector<double> parameters() const override { return widths_.values(); }
  Kernel with_parameters(const std::vector<double>& parameters) const override { return Kernel::gaussian(parameters); }
  void check_inputs(Index d) const override { widths_.check_inputs(d); }

 private:
  Widths widths_;
};

class LaplacianKernel final : public KernelFunction {
 public:
  explicit LaplacianKernel(double width) : width_({width}) {}

  void value(const Points& X, const Points& C, Matrix& K) const override {  // (KER.3)
    squared_distances(X, C, width_, K);
    K.array() = K.array().sqrt();
    decay(K.data(), K.size());
  }
  // d k / d ln R = k ||x-c|| / R
  void derivative(const Points& X, const Points& C, Index, Matrix& D) const override {
    squared_distances(X, C, width_, D);
    D.array() = D.array().sqrt();
    Matrix K = D;
    decay(K.data(), K.size());
    D.array() = K.array() * D.array().min(decay_end);
  }
  std::string name() const override { return fmt::format("laplacian(width={:.6g})", width_.values()[0]); }
  KernelSpec spec() const override { return {"laplacian", width_.values(), {}}; }
  std::vector<double> parameters() const override { return width_.values(); }
  Kernel with_parameters(const std::vector<double>& parameters) const override { return Kernel::laplacian(parameters[0]); }

 private:
  Widths width_;
};

class CauchyKernel final : public KernelFunction {
 public:
  explicit CauchyKernel(double width) : width_({width}) {}

  void value(const Points& X, const Points& C, Matrix& K) const override {  // (KER.4)
    squared_distances(X, C, width_, K);
    K.array() = (1 + K.array()).inverse();
  }
  // d k / d ln R = 2 u k^2, u = ||x-c||^2/R^2; limiting u avoids inf * 0
  void derivative(const Points& X, const Points& C, Index, Matrix& D) const override {
    squared_distances(X, C, width_, D);
    D.array() = D.array().min(1e150);
    D.array() = 2 * D.array() / (1 + D.array()).square();
  }
  std::string name() const override { return fmt::format("cauchy(width={:.6g})", width_.values()[0]); }
  KernelSpec spec() const override { return {"cauchy", width_.values(), {}}; }
  std::vector<double> parameters() const override { return width_.values(); }
  Kernel with_parameters(const std::vector<double>& parameters) const override { return Kernel::cauchy(parameters[0]); }

 private:
  Widths width_;
};

}  // namespace

Kernel Kernel::gaussian(double width) { return gaussian(std::vector<double>{width}); }

Kernel Kernel::gaussian(std::vector<double> widths) {
  if (widths.empty()) throw InvalidArgument("widths is empty; it must have one entry, or one per column of X");
  for (std::size_t i = 0; i < widths.size(); ++i)
    validate::positive(widths[i], widths.size() == 1 ? "width" : fmt::format("widths at {}", i).c_str());
  return Kernel(std::make_shared<GaussianKernel>(std::move(widths)));
}

Kernel Kernel::laplacian(double width) {
  validate::positive(width, "width");
  return Kernel(std::make_shared<LaplacianKernel>(width));
}

Kernel Kernel::cauchy(double width) {
  validate::positive(width, "width");
  return Kernel(std::make_shared<CauchyKernel>(width));
}

}  // namespace ardvark
