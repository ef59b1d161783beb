// Kernel functions: the columns of a relevance vector machine are k(x, c), one per centre c.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

namespace internal {
class KernelFunction;
}

/// A kernel as plain data, for files. Each `kind` has these members:
///
///     "gaussian"     parameters {width} or {width of input 1, width of input 2, ...}
///     "laplacian", "cauchy", "matern32", "matern52"    the same
///     "linear"       none
///     "polynomial"   parameters {degree, offset}
///     "spline"       none
///     "scaled"       parameters {scale}, one part
///     "sum"          two parts or more
///     "product"      two parts or more
struct KernelSpec {
  std::string kind;
  std::vector<double> parameters;
  std::vector<KernelSpec> parts;
  friend bool operator==(const KernelSpec&, const KernelSpec&) = default;
};

/// A kernel k(x, c) of two points with d inputs each. It never changes and is cheap to copy. Several threads may use it at once.
///
///     Kernel::gaussian(0.5)                              exp(-||x-c||^2 / 0.25)
///     Kernel::gaussian(0.5) + 2.0 * Kernel::linear()     sums, products and positive multiples of kernels are kernels
///
/// Its parameters can be learnt: the widths, the offset of a polynomial (if it is > 0) and the scales, in the order in which name() shows
/// them. They are > 0. A fit learns their logarithms.   Source: docs/math/kernels.md
class Kernel {
 public:
  /// exp(-||x-c||^2 / width^2)   (KER.1). `width` > 0, in the unit of the inputs: the distance at which k = 1/e. In other conventions,
  /// width = sqrt(2) sigma = 1/sqrt(gamma); docs/math/kernels.md has a table of them.
  /// \throws InvalidArgument  unless width is positive and finite; the same for the kernels below
  [[nodiscard]] static Kernel gaussian(double width);
  /// exp(-sum_i (x_i-c_i)^2 / widths_i^2)   (KER.2): one width > 0 per input, each learnt separately. A single width applies to all inputs.
  [[nodiscard]] static Kernel gaussian(std::vector<double> widths);
  /// exp(-||x-c|| / width)   (KER.3), the Euclidean distance. `width` > 0. Of this and the next kernels, too, with one width per input.
  [[nodiscard]] static Kernel laplacian(double width);
  [[nodiscard]] static Kernel laplacian(std::vector<double> widths);
  /// 1 / (1 + ||x-c||^2 / width^2)   (KER.4). `width` > 0
  [[nodiscard]] static Kernel cauchy(double width);
  [[nodiscard]] static Kernel cauchy(std::vector<double> widths);
  /// (1 + r) exp(-r), r = sqrt(6) ||x-c|| / width   (KER.14): its functions have one derivative. `width` > 0
  [[nodiscard]] static Kernel matern32(double width);
  [[nodiscard]] static Kernel matern32(std::vector<double> widths);
  /// (1 + r + r^2/3) exp(-r), r = sqrt(10) ||x-c|| / width   (KER.15): its functions have two derivatives. `width` > 0
  [[nodiscard]] static Kernel matern52(double width);
  [[nodiscard]] static Kernel matern52(std::vector<double> widths);
  /// x'c   (KER.5)
  [[nodiscard]] static Kernel linear();
  /// (x'c + offset)^degree   (KER.6). `degree` >= 1, `offset` >= 0 and finite; an offset of 0 stays 0 and is not a parameter.
  [[nodiscard]] static Kernel polynomial(int degree, double offset = 1);
  /// Vapnik's linear spline with infinitely many knots on the positive half-axis, a product over the inputs   (KER.7):
  /// 1 + x c + x c min(x,c) - (x+c)/2 min(x,c)^2 + min(x,c)^3/3. It is meant for inputs >= 0. Negative inputs use the same formula, as in
  /// Tipping (2001). Its columns are valid for a relevance vector machine, but the kernel is not positive semi-definite there.
  [[nodiscard]] static Kernel spline();
  /// Any function of two points with d inputs each, with a name to show. It has no parameters and need not be symmetric or positive
  /// semi-definite. It must be safe to call from several threads. It cannot be stored in a file. The caller gets the exceptions that it
  /// throws.
  /// \throws InvalidArgument  an empty function or an empty name
  [[nodiscard]] static Kernel callable(std::function<double(const double* x, const double* c, Index d)> function, std::string name);

  // No move operations: a moved-from kernel would be empty, and a copy costs only a reference count.
  Kernel(const Kernel&) = default;
  Kernel& operator=(const Kernel&) = default;
  ~Kernel() = default;

  friend Kernel operator+(const Kernel& a, const Kernel& b);  ///< k_a + k_b   (KER.8)
  friend Kernel operator*(const Kernel& a, const Kernel& b);  ///< k_a k_b   (KER.9)
  /// scale * k   (KER.10). The scales of a kernel that is scaled twice are multiplied, so that there is one parameter.
  /// \throws InvalidArgument  unless scale is positive and finite
  friend Kernel operator*(double scale, const Kernel& kernel);

  /// "gaussian(width=0.5)", "gaussian(widths=[0.5, 2])", "2 * (polynomial(degree=2, offset=1) + linear)": numbers have six digits.
  [[nodiscard]] std::string name() const;

  [[nodiscard]] Index num_parameters() const;
  [[nodiscard]] std::vector<double> log_parameters() const;  ///< [num_parameters] ln of each
  /// The same kernel with other parameters.
  /// \throws InvalidArgument  unless there are num_parameters() values, all finite, whose exponentials are positive and finite
  [[nodiscard]] Kernel with_log_parameters(const std::vector<double>& log_parameters) const;

  /// out_ij = k(x_i, c_j). With a kernel of the distance, identical rows give exactly 1; for other rows the error is below
  /// (d + 2) 1e-13, for all points (KER.11). Values of gaussian and laplacian below 1e-304 are 0.
  /// \param X    [n,d] one point a row; finite
  /// \param C    [m,d] one centre a row; finite
  /// \param out  [n,m] overwritten; must not overlap X or C
  /// \throws InvalidArgument  before any work: X or C is empty or not finite, their numbers of columns differ, the number of columns is not
  ///                          the number of widths, or `out` has the wrong shape
  /// O(n m d). Works in tiles of at most 256 x 64, and allocates no other memory of the size of the result.
  void evaluate(const Eigen::Ref<const Matrix>& X, const Eigen::Ref<const Matrix>& C, Eigen::Ref<Matrix> out) const;
  /// out_ij = d k(x_i, c_j) / d ln(parameter). The arguments and errors are those of evaluate().
  /// \param parameter  from 0 to num_parameters() - 1
  void derivative(const Eigen::Ref<const Matrix>& X, const Eigen::Ref<const Matrix>& C, Index parameter, Eigen::Ref<Matrix> out) const;

  /// The kernel as data. from_spec returns the same kernel, to the last bit.
  /// \throws InvalidArgument  the kernel is or contains a callable: a function cannot be stored
  [[nodiscard]] KernelSpec spec() const;
  /// \throws InvalidArgument  an unknown kind, a wrong number of parameters or parts, or a parameter outside its range
  [[nodiscard]] static Kernel from_spec(const KernelSpec& spec);

 private:
  explicit Kernel(std::shared_ptr<const internal::KernelFunction> function) : function_(std::move(function)) {}
  std::shared_ptr<const internal::KernelFunction> function_;
  friend class internal::KernelFunction;
};

Kernel operator+(const Kernel& a, const Kernel& b);
Kernel operator*(const Kernel& a, const Kernel& b);
Kernel operator*(double scale, const Kernel& kernel);

}  // namespace ardvark
