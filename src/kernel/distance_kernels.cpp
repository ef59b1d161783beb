// The kernels that are functions of the distance.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/decay.hpp"
#include "core/refusals.hpp"
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
      throw refused("X", fmt::format("has {} columns; the kernel has one width per column: {}", d, widths_.size()));
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
  for (Index j = 0; j < C.rows(); ++j) {
    auto u = U.col(j).array();
    const auto sum = x_norms.array() + c_norms[j];
    u = sum - 2 * u;
    if ((u - kept * sum).minCoeff<Eigen::PropagateNaN>() > 0) continue;
    for (Index i = 0; i < X.rows(); ++i)  // also where the squares overflow
      if (!(u[i] > kept * sum[i])) u[i] = direct_distance(X, i, C, j, widths);
  }
}

void distances(const Points& X, const Points& C, const Widths& widths, Matrix& U) {
  X.cols() <= direct_inputs ? direct_distances(X, C, widths, U) : product_distances(X, C, widths, U);
}

// A kernel that is a function k(u) of the squared distance. With the limit of u that `decline` has, no product below is inf * 0.
class DistanceKernel : public KernelFunction {
 public:
  explicit DistanceKernel(std::vector<double> widths) : widths_(std::move(widths)) {}

  void value(const Points& X, const Points& C, Matrix& K) const override {
    distances(X, C, widths_, K);
    of_distance(K.data(), nullptr, K.size());
  }
  // d k / d ln R_i = -2 k'(u) (x_i-c_i)^2 / R_i^2                                                                                   (KER.2)
  void derivative(const Points& X, const Points& C, Index parameter, Matrix& D) const override {
    distances(X, C, widths_, D);
    Matrix K = D, fall(D.rows(), D.cols());
    of_distance(K.data(), fall.data(), K.size());
    if (!widths_.one_for_all())
      for (Index j = 0; j < C.rows(); ++j)
        D.col(j).array() = ((X.col(parameter).array() - C(j, parameter)) * widths_.reciprocal(parameter)).square();
    D.array() = 2 * fall.array() * D.array().min(farthest);
  }
  bool squared_distances(const Points& X, const Points& C, Matrix& U) const override {
    distances(X, C, widths_, U);
    return true;
  }
  bool of_squared_distances(double* u, double* fall, Index size) const override {
    of_distance(u, fall, size);
    return true;
  }
  std::string name() const override {
    return widths_.one_for_all() ? fmt::format("{}(width={:.6g})", kind(), widths_.values()[0])
                                 : fmt::format("{}(widths=[{:.6g}])", kind(), fmt::join(widths_.values(), ", "));
  }
  KernelSpec spec() const override { return {kind(), widths_.values(), {}}; }
  std::vector<double> parameters() const override { return widths_.values(); }
  Kernel with_parameters(const std::vector<double>& parameters) const override { return of_distance_kernel(kind(), parameters); }
  void check_inputs(Index d) const override { widths_.check_inputs(d); }

 protected:
  static constexpr double farthest = 1e150;  // its square is finite

  [[nodiscard]] virtual const char* kind() const = 0;
  virtual void of_distance(double* u, double* fall, Index size) const = 0;  // as of_squared_distances()

 private:
  Widths widths_;
};

// u <- exp(-r), r = sqrt(c u). `r` becomes r, but not more than where exp(-r) has become 0.
void decay_of_root(double c, double* u, double* r, Index size) {
  for (Index i = 0; i < size; ++i) r[i] = u[i] = std::min(std::sqrt(c * u[i]), 2 * decay_end);
  decay(u, size);
}

// [size] `fall`, or other memory where it is null.
class Roots {
 public:
  Roots(double* fall, Index size) : own_(fall == nullptr ? size : 0), data_(fall == nullptr ? own_.data() : fall) {}
  [[nodiscard]] double* data() { return data_; }

 private:
  Vector own_;
  double* data_;
};

class GaussianKernel final : public DistanceKernel {  // (KER.1), (KER.2): exp(-u)
 public:
  using DistanceKernel::DistanceKernel;
  const char* kind() const override { return "gaussian"; }
  void of_distance(double* u, double* fall, Index size) const override {
    decay(u, size);
    if (fall != nullptr) std::copy(u, u + size, fall);
  }
};

class LaplacianKernel final : public DistanceKernel {  // (KER.3): exp(-r), r = sqrt(u)
 public:
  using DistanceKernel::DistanceKernel;
  const char* kind() const override { return "laplacian"; }
  void of_distance(double* u, double* fall, Index size) const override {
    for (Index i = 0; i < size; ++i) u[i] = std::sqrt(u[i]);
    if (fall != nullptr) std::copy(u, u + size, fall);
    decay(u, size);
    if (fall == nullptr) return;
    for (Index i = 0; i < size; ++i) fall[i] = fall[i] > 0 ? 0.5 * u[i] / fall[i] : 0;  // exp(-r) / (2 r)
  }
};

class CauchyKernel final : public DistanceKernel {  // (KER.4): 1/(1 + u)
 public:
  using DistanceKernel::DistanceKernel;
  const char* kind() const override { return "cauchy"; }
  void of_distance(double* u, double* fall, Index size) const override {
    for (Index i = 0; i < size; ++i) u[i] = 1 / (1 + u[i]);
    if (fall == nullptr) return;
    for (Index i = 0; i < size; ++i) fall[i] = u[i] * u[i];
  }
};

class Matern32Kernel final : public DistanceKernel {  // (KER.14): (1 + r) exp(-r), r = sqrt(6 u)
 public:
  using DistanceKernel::DistanceKernel;
  const char* kind() const override { return "matern32"; }
  void of_distance(double* u, double* fall, Index size) const override {
    Roots roots(fall, size);
    double* r = roots.data();
    decay_of_root(6, u, r, size);
    for (Index i = 0; i < size; ++i) {
      const double e = u[i];
      u[i] = (1 + r[i]) * e;
      r[i] = 3 * e;
    }
  }
};

class Matern52Kernel final : public DistanceKernel {  // (KER.15): (1 + r + r^2/3) exp(-r), r = sqrt(10 u)
 public:
  using DistanceKernel::DistanceKernel;
  const char* kind() const override { return "matern52"; }
  void of_distance(double* u, double* fall, Index size) const override {
    Roots roots(fall, size);
    double* r = roots.data();
    decay_of_root(10, u, r, size);
    for (Index i = 0; i < size; ++i) {
      const double e = u[i], of_r = 1 + r[i];
      u[i] = (of_r + r[i] * r[i] / 3) * e;
      r[i] = 5.0 / 3 * of_r * e;
    }
  }
};

template <typename AnyKernel>
std::shared_ptr<const KernelFunction> with_checked(std::vector<double> widths) {
  if (widths.empty())
    throw InvalidArgument({.argument = "widths", .value = "empty", .why = "it must have one entry, or one per column of X"});
  for (std::size_t i = 0; i < widths.size(); ++i)
    validate::positive(widths[i],
                       widths.size() == 1 ? validate::Name("width") : validate::Name("widths", fmt::format(" at {}", i).c_str()));
  return std::make_shared<AnyKernel>(std::move(widths));
}

using MakeKernel = std::shared_ptr<const KernelFunction> (*)(std::vector<double>);
constexpr std::pair<const char*, MakeKernel> distance_kernels[] = {{"gaussian", with_checked<GaussianKernel>},
                                                                   {"laplacian", with_checked<LaplacianKernel>},
                                                                   {"cauchy", with_checked<CauchyKernel>},
                                                                   {"matern32", with_checked<Matern32Kernel>},
                                                                   {"matern52", with_checked<Matern52Kernel>}};

}  // namespace

namespace internal {

bool is_distance_kernel(const std::string& kind) {
  return std::ranges::any_of(distance_kernels, [&](const auto& one) { return kind == one.first; });
}

Kernel of_distance_kernel(const std::string& kind, std::vector<double> widths) {
  const auto* found = std::ranges::find_if(distance_kernels, [&](const auto& one) { return kind == one.first; });
  return KernelFunction::make(found->second(std::move(widths)));
}

}  // namespace internal

Kernel Kernel::gaussian(double width) { return gaussian(std::vector<double>{width}); }
Kernel Kernel::gaussian(std::vector<double> widths) { return of_distance_kernel("gaussian", std::move(widths)); }
Kernel Kernel::laplacian(double width) { return laplacian(std::vector<double>{width}); }
Kernel Kernel::laplacian(std::vector<double> widths) { return of_distance_kernel("laplacian", std::move(widths)); }
Kernel Kernel::cauchy(double width) { return cauchy(std::vector<double>{width}); }
Kernel Kernel::cauchy(std::vector<double> widths) { return of_distance_kernel("cauchy", std::move(widths)); }
Kernel Kernel::matern32(double width) { return matern32(std::vector<double>{width}); }
Kernel Kernel::matern32(std::vector<double> widths) { return of_distance_kernel("matern32", std::move(widths)); }
Kernel Kernel::matern52(double width) { return matern52(std::vector<double>{width}); }
Kernel Kernel::matern52(std::vector<double> widths) { return of_distance_kernel("matern52", std::move(widths)); }

}  // namespace ardvark
