// The kernels that are not functions of the distance: linear, polynomial, spline, and the caller's own.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/blas.hpp"
#include "core/refusals.hpp"
#include "kernel/kernel_function.hpp"

namespace ardvark {

using namespace internal;

}  // namespace ardvark

namespace ardvark::internal {

void inner_products(const Matrix& A, const Matrix& B, Matrix& K) {
  K.resize(A.rows(), B.rows());
  blas::gemm(blas::Transpose::no, blas::Transpose::yes, A.rows(), B.rows(), A.cols(), 1, A.data(), A.rows(), B.data(), B.rows(), 0,
             K.data(), K.rows());
}

namespace {

// Kernels without parameters. They never change, so with_parameters() can return the same object.
class FixedKernel : public KernelFunction, public std::enable_shared_from_this<FixedKernel> {
 public:
  void derivative(const Points&, const Points&, Index, Matrix&) const override { throw InternalError("a kernel without parameters"); }
  Kernel with_parameters(const std::vector<double>&) const override { return make(shared_from_this()); }
};

class LinearKernel final : public FixedKernel {
 public:
  void value(const Points& X, const Points& C, Matrix& K) const override { inner_products(X, C, K); }  // (KER.5)
  std::string name() const override { return "linear"; }
  KernelSpec spec() const override { return {"linear", {}, {}}; }
};

class SplineKernel final : public FixedKernel {
 public:
  // (KER.7): with m = min, M = max, the published polynomial is 1 + x c + m^2 (3M - m)/6; this form has no cancellation.
  void value(const Points& X, const Points& C, Matrix& K) const override {
    K.setOnes();
    for (Index j = 0; j < C.rows(); ++j)
      for (Index i = 0; i < X.cols(); ++i) {
        const auto x = X.col(i).array();
        const double c = C(j, i);
        K.col(j).array() *= 1 + x * c + x.min(c).square() * (3 * x.max(c) - x.min(c)) * (1.0 / 6);
      }
  }
  std::string name() const override { return "spline"; }
  KernelSpec spec() const override { return {"spline", {}, {}}; }
};

class CallableKernel final : public FixedKernel {
 public:
  using Function = std::function<double(const double*, const double*, Index)>;
  CallableKernel(Function function, std::string name) : function_(std::move(function)), name_(std::move(name)) {}

  void value(const Points& X, const Points& C, Matrix& K) const override {
    const Matrix x = X.transpose(), c = C.transpose();  // the inputs of a point are adjacent in memory
    for (Index j = 0; j < C.rows(); ++j)
      for (Index i = 0; i < X.rows(); ++i) K(i, j) = function_(x.col(i).data(), c.col(j).data(), X.cols());
  }
  std::string name() const override { return name_; }
  KernelSpec spec() const override {
    throw refused("kernel", name_, "is a callable and cannot be stored; build it from the kernels of the library instead");
  }

 private:
  Function function_;
  std::string name_;
};

class PolynomialKernel final : public KernelFunction {
 public:
  PolynomialKernel(int degree, double offset) : degree_(degree), offset_(offset) {}

  void value(const Points& X, const Points& C, Matrix& K) const override {  // (KER.6)
    inner_products(X, C, K);
    K.array() += offset_;
    raise(K, degree_);
  }
  // d k / d ln offset = degree offset (x'c + offset)^(degree-1)
  void derivative(const Points& X, const Points& C, Index, Matrix& D) const override {
    inner_products(X, C, D);
    D.array() += offset_;
    raise(D, degree_ - 1);
    D *= degree_ * offset_;
  }
  std::string name() const override { return fmt::format("polynomial(degree={}, offset={:.6g})", degree_, offset_); }
  KernelSpec spec() const override { return {"polynomial", {static_cast<double>(degree_), offset_}, {}}; }
  std::vector<double> parameters() const override { return offset_ > 0 ? std::vector{offset_} : std::vector<double>{}; }
  Kernel with_parameters(const std::vector<double>& parameters) const override {
    return Kernel::polynomial(degree_, parameters.empty() ? 0 : parameters[0]);
  }

 private:
  // B <- B^power, element by element, by repeated squaring.
  static void raise(Matrix& B, int power) {
    if (power == 1) return;
    Matrix base = B;
    B.setOnes();
    for (; power > 0; power /= 2) {
      if (power % 2 == 1) B.array() *= base.array();
      if (power > 1) base.array() = base.array().square();
    }
  }

  int degree_;
  double offset_;
};

}  // namespace

}  // namespace ardvark::internal

namespace ardvark {

Kernel Kernel::linear() { return Kernel(std::make_shared<LinearKernel>()); }

Kernel Kernel::polynomial(int degree, double offset) {
  if (degree < 1) throw wrong("degree", degree, "it must be at least 1");
  if (!(offset >= 0) || !std::isfinite(offset)) throw wrong("offset", offset, "it must be finite and not negative");
  return Kernel(std::make_shared<PolynomialKernel>(degree, offset));
}

Kernel Kernel::spline() { return Kernel(std::make_shared<SplineKernel>()); }

Kernel Kernel::callable(std::function<double(const double* x, const double* c, Index d)> function, std::string name) {
  if (!function) throw InvalidArgument({.argument = "function", .value = "empty", .why = "it must be callable"});
  if (name.empty()) throw InvalidArgument({.argument = "name", .value = "empty", .why = "a callable kernel must have one to show"});
  return Kernel(std::make_shared<CallableKernel>(std::move(function), std::move(name)));
}

}  // namespace ardvark
